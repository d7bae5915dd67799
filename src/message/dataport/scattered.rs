//! One element, or some blocks, for each lane: byte, dword and 64-bit scattered messages.
//!
//! Source: lowering reference 9, 10 and 13.

use super::super::Sfid;
use super::super::bits::{DecodeError, Draft, EncodeError, Message, MessageForm, reserved};
use super::super::fields;
use super::super::request::{DataPath, Request, Scattered, SvmScattered};
use super::{STATELESS, access, bad, read_or_write, stateless, types, wide};

pub(super) fn byte_scattered(r: &Scattered, form: &MessageForm) -> Result<Draft, EncodeError> {
    use fields::byte_scattered as c;
    let size = match r.element_bytes {
        1 => 0,
        2 => 1,
        4 => 2,
        _ => return Err(bad("an element of 1, 2 or 4 bytes")),
    };
    let mut d = Draft::new(Sfid::Dc0);
    d.put(
        c::TYPE,
        read_or_write(r.access, types::BYTE_READ, types::BYTE_WRITE),
    )?;
    d.put(c::SIZE, size)?;
    d.put(c::LANES, wide(r.lanes)?.into())?;
    d.put(c::BINDING, r.surface)?;
    global(&mut d, r, form)?;
    Ok(d)
}

pub(super) fn decode_byte_scattered(
    message: &Message,
    control: u32,
    form: &MessageForm,
) -> Result<Request, DecodeError> {
    use fields::byte_scattered as c;
    let word = [control];
    let size = c::SIZE.get(&word);
    Ok(Request::ByteScattered(Scattered {
        surface: c::BINDING.get(&word),
        access: access(
            c::TYPE,
            c::TYPE.get(&word),
            types::BYTE_READ,
            types::BYTE_WRITE,
        )?,
        element_bytes: reserved(c::SIZE, size, (size < 3).then_some(1 << size))?,
        lanes: 8 << c::LANES.get(&word),
        global: global_of(message, form),
        path: DataPath::DEFAULT,
    }))
}

pub(super) fn dword_scattered(r: &Scattered, form: &MessageForm) -> Result<Draft, EncodeError> {
    use fields::dword_scattered as c;
    if r.element_bytes != 4 {
        return Err(bad("an element of 4 bytes"));
    }
    let mut d = Draft::new(Sfid::Dc0);
    d.put(
        c::TYPE,
        read_or_write(r.access, types::DWORD_READ, types::DWORD_WRITE),
    )?;
    d.put(c::LANES, 2 + u32::from(wide(r.lanes)?))?;
    d.put(c::BINDING, r.surface)?;
    global(&mut d, r, form)?;
    Ok(d)
}

pub(super) fn decode_dword_scattered(
    message: &Message,
    control: u32,
    form: &MessageForm,
) -> Result<Request, DecodeError> {
    use fields::dword_scattered as c;
    let word = [control];
    let lanes = c::LANES.get(&word);
    Ok(Request::DwordScattered(Scattered {
        surface: c::BINDING.get(&word),
        access: access(
            c::TYPE,
            c::TYPE.get(&word),
            types::DWORD_READ,
            types::DWORD_WRITE,
        )?,
        element_bytes: 4,
        lanes: match lanes {
            2 => 8,
            3 => 16,
            value => return reserved(c::LANES, value, None),
        },
        global: global_of(message, form),
        path: DataPath::DEFAULT,
    }))
}

fn global(d: &mut Draft, r: &Scattered, form: &MessageForm) -> Result<(), EncodeError> {
    if let (Some(offset), true) = (r.global, form.header) {
        fields::offset_header::GLOBAL.put(&mut d.header, offset)?;
    }
    Ok(())
}

fn global_of(message: &Message, form: &MessageForm) -> Option<u32> {
    form.header
        .then(|| fields::offset_header::GLOBAL.get(&message.header))
}

pub(super) fn svm_scattered(r: &SvmScattered) -> Result<Draft, EncodeError> {
    use fields::svm_scattered as c;
    let size = match r.block_bytes {
        1 => 0,
        4 => 1,
        8 => 2,
        _ => return Err(bad("blocks of 1, 4 or 8 bytes")),
    };
    if !r.blocks.is_power_of_two() || r.blocks > 8 {
        return Err(bad("1, 2, 4 or 8 blocks"));
    }
    let mut d = Draft::new(Sfid::Dc1);
    d.put(
        c::TYPE,
        read_or_write(r.access, types::SVM_READ, types::SVM_WRITE),
    )?;
    d.put(c::LANES, wide(r.lanes)?.into())?;
    d.put(c::COUNT, r.blocks.trailing_zeros())?;
    d.put(c::SIZE, size)?;
    d.put(c::BINDING, STATELESS)?;
    Ok(d)
}

pub(super) fn decode_svm_scattered(control: u32) -> Result<Request, DecodeError> {
    use fields::svm_scattered as c;
    let word = [control];
    stateless(control)?;
    let size = c::SIZE.get(&word);
    let bytes = match size {
        0 => Some(1),
        1 => Some(4),
        2 => Some(8),
        _ => None,
    };
    Ok(Request::SvmScattered(SvmScattered {
        access: access(
            c::TYPE,
            c::TYPE.get(&word),
            types::SVM_READ,
            types::SVM_WRITE,
        )?,
        block_bytes: reserved(c::SIZE, size, bytes)?,
        blocks: 1 << c::COUNT.get(&word),
        lanes: 8 << c::LANES.get(&word),
    }))
}
