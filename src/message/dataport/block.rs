//! Blocks of memory: media blocks, oword blocks, oword blocks at 64-bit addresses.
//!
//! Source: lowering reference 2, 8 and 13.

use super::super::Sfid;
use super::super::bits::{DecodeError, Draft, EncodeError, Message, refuse_media_modes, reserved};
use super::super::fields;
use super::super::request::{
    Access, DataPath, FieldSelect, MediaBlock, OwordBlock, Request, SvmBlock,
};
use super::{STATELESS, access, bad, field_bits, oword_code, read_or_write, stateless, types};

pub(super) fn media(r: &MediaBlock, message_type: u32) -> Result<Draft, EncodeError> {
    use fields::{media_block as c, media_block_header as h};
    if r.width == 0 || r.height == 0 {
        return Err(bad("an empty block"));
    }
    let mut d = Draft::new(Sfid::Dc1);
    d.put(c::TYPE, message_type)?;
    let bits = field_bits(r.field);
    d.put(c::OVERRIDE, bits >> 2)?;
    d.put(c::STRIDE, bits >> 1 & 1)?;
    d.put(c::LINE, bits & 1)?;
    d.put(c::BINDING, r.surface)?;
    h::X.put(&mut d.header, r.x as u32)?;
    h::Y.put(&mut d.header, r.y as u32)?;
    h::WIDTH.put(&mut d.header, r.width - 1)?;
    h::HEIGHT.put(&mut d.header, r.height - 1)?;
    Ok(d)
}

pub(super) fn decode_media(message: &Message, control: u32) -> Result<Request, DecodeError> {
    use fields::{media_block as c, media_block_header as h};
    let word = [control];
    refuse_media_modes(&h::LAYOUT, &message.header)?;
    let bits = c::OVERRIDE.get(&word) << 2 | c::STRIDE.get(&word) << 1 | c::LINE.get(&word);
    let field = match bits {
        0 => Some(FieldSelect::State),
        0b100 => Some(FieldSelect::Frame),
        0b110 => Some(FieldSelect::Top),
        0b111 => Some(FieldSelect::Bottom),
        _ => None,
    };
    let block = MediaBlock {
        surface: c::BINDING.get(&word),
        field: reserved(c::STRIDE, c::STRIDE.get(&word), field)?,
        x: h::X.get(&message.header) as i32,
        y: h::Y.get(&message.header) as i32,
        width: h::WIDTH.get(&message.header) + 1,
        height: h::HEIGHT.get(&message.header) + 1,
        path: DataPath::DEFAULT,
    };
    Ok(
        match access(
            c::TYPE,
            c::TYPE.get(&word),
            types::MEDIA_READ,
            types::MEDIA_WRITE,
        )? {
            Access::Read => Request::MediaRead(block),
            Access::Write => Request::MediaWrite(block),
        },
    )
}

pub(super) fn oword(r: &OwordBlock) -> Result<Draft, EncodeError> {
    use fields::{offset_header as h, oword_block as c};
    let code = oword_code(r.owords).ok_or_else(|| bad("1, 2, 4, 8 or 16 owords"))?;
    if r.high && r.owords != 1 || r.unaligned && r.access == Access::Write {
        return Err(bad("no such oword block"));
    }
    let mut d = Draft::new(Sfid::Dc0);
    let read = if r.unaligned {
        types::OWORD_READ_UNALIGNED
    } else {
        types::OWORD_READ
    };
    d.put(c::TYPE, read_or_write(r.access, read, types::OWORD_WRITE))?;
    d.put(c::SIZE, code | u32::from(r.high))?;
    d.put(c::BINDING, r.surface)?;
    h::GLOBAL.put(&mut d.header, r.offset)?;
    Ok(d)
}

pub(super) fn decode_oword(message: &Message, control: u32) -> Result<Request, DecodeError> {
    use fields::{offset_header as h, oword_block as c};
    let word = [control];
    let message_type = c::TYPE.get(&word);
    let size = c::SIZE.get(&word);
    let owords = match size {
        0 | 1 => Some(1),
        2..=5 => Some(1 << (size - 1)),
        _ => None,
    };
    let unaligned = message_type == types::OWORD_READ_UNALIGNED;
    Ok(Request::Oword(OwordBlock {
        surface: c::BINDING.get(&word),
        access: if message_type == types::OWORD_WRITE {
            Access::Write
        } else {
            Access::Read
        },
        owords: reserved(c::SIZE, size, owords)?,
        high: size == 1,
        unaligned,
        offset: h::GLOBAL.get(&message.header),
        path: DataPath::DEFAULT,
    }))
}

pub(super) fn svm_block(r: &SvmBlock) -> Result<Draft, EncodeError> {
    use fields::{svm_block as c, svm_block_header as h};
    let code = match r.owords {
        1 | 2 | 4 | 8 => oword_code(r.owords),
        _ => None,
    };
    let mut d = Draft::new(Sfid::Dc1);
    d.put(
        c::TYPE,
        read_or_write(r.access, types::SVM_BLOCK_READ, types::SVM_BLOCK_WRITE),
    )?;
    d.put(c::SUBTYPE, r.unaligned.into())?;
    d.put(c::SIZE, code.ok_or_else(|| bad("1, 2, 4 or 8 owords"))?)?;
    d.put(c::BINDING, STATELESS)?;
    h::ADDRESS_LOW.put(&mut d.header, r.address as u32)?;
    h::ADDRESS_HIGH.put(&mut d.header, (r.address >> 32) as u32)?;
    Ok(d)
}

pub(super) fn decode_svm_block(message: &Message, control: u32) -> Result<Request, DecodeError> {
    use fields::{svm_block as c, svm_block_header as h};
    let word = [control];
    stateless(control)?;
    let (size, subtype) = (c::SIZE.get(&word), c::SUBTYPE.get(&word));
    let owords = match size {
        0 => Some(1),
        2..=4 => Some(1 << (size - 1)),
        _ => None,
    };
    Ok(Request::SvmBlock(SvmBlock {
        access: access(
            c::TYPE,
            c::TYPE.get(&word),
            types::SVM_BLOCK_READ,
            types::SVM_BLOCK_WRITE,
        )?,
        owords: reserved(c::SIZE, size, owords)?,
        unaligned: reserved(c::SUBTYPE, subtype, (subtype < 2).then_some(subtype == 1))?,
        address: u64::from(h::ADDRESS_LOW.get(&message.header))
            | u64::from(h::ADDRESS_HIGH.get(&message.header)) << 32,
    }))
}
