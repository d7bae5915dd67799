//! What leaves the pipeline: render target and URB writes.
//!
//! Source: lowering reference 14 and 15.

use super::super::Sfid;
use super::super::bits::{DecodeError, Draft, EncodeError, Form, Message, reserved};
use super::super::fields::{self, outer};
use super::super::request::{Request, TargetWrite, UrbWrite};
use super::{types, wide};

pub(super) fn target(r: &TargetWrite, form: &Form) -> Result<Draft, EncodeError> {
    use fields::{render_target as c, render_target_header as h};
    let mut d = Draft::new(Sfid::Rc);
    d.put(c::COARSE, r.coarse.into())?;
    d.put(c::TYPE, types::TARGET_WRITE)?;
    d.put(c::SAMPLE, r.per_sample.into())?;
    d.put(c::LAST, r.last.into())?;
    d.put(c::SLOTS, r.second_half.into())?;
    d.put(c::SUBTYPE, if wide(r.lanes)? { 0 } else { 4 })?;
    d.put(c::BINDING, r.surface)?;
    d.return16 = r.half;
    if form.header {
        h::INDEX.put(&mut d.header, r.target)?;
    } else {
        fields::extended_gen11::TARGET.put(&mut [0], r.target)?;
        d.target = r.target;
    }
    Ok(d)
}

pub(super) fn decode_target(
    message: &Message,
    control: u32,
    form: &Form,
) -> Result<Request, DecodeError> {
    use fields::{extended_gen11 as ex, render_target as c, render_target_header as h};
    let word = [control];
    let (message_type, subtype) = (c::TYPE.get(&word), c::SUBTYPE.get(&word));
    if message_type != types::TARGET_WRITE {
        return Err(DecodeError::UnknownType {
            sfid: Sfid::Rc,
            value: message_type,
        });
    }
    if outer::PARAMS16.get(&[message.desc]) != 0 {
        return reserved(outer::PARAMS16, 1, None);
    }
    Ok(Request::Target(TargetWrite {
        surface: c::BINDING.get(&word),
        lanes: match subtype {
            0 => 16,
            4 => 8,
            value => return reserved(c::SUBTYPE, value, None),
        },
        second_half: c::SLOTS.get(&word) != 0,
        last: c::LAST.get(&word) != 0,
        per_sample: c::SAMPLE.get(&word) != 0,
        coarse: c::COARSE.get(&word) != 0,
        half: outer::RETURN16.get(&[message.desc]) != 0,
        target: if form.header {
            h::INDEX.get(&message.header)
        } else {
            ex::TARGET.get(&[message.ex_desc])
        },
    }))
}

pub(super) fn urb(r: &UrbWrite) -> Result<Draft, EncodeError> {
    use fields::urb as c;
    let mut d = Draft::new(Sfid::Urb);
    d.put(c::PER_SLOT, r.per_slot.into())?;
    d.put(c::MASKED, r.masked.into())?;
    d.put(c::OFFSET, r.offset)?;
    d.put(c::OPCODE, types::URB_SIMD8_WRITE)?;
    Ok(d)
}

pub(super) fn decode_urb(control: u32) -> Result<Request, DecodeError> {
    use fields::urb as c;
    let word = [control];
    let opcode = c::OPCODE.get(&word);
    reserved(
        c::OPCODE,
        opcode,
        (opcode == types::URB_SIMD8_WRITE).then_some(Request::Urb(UrbWrite {
            offset: c::OFFSET.get(&word),
            per_slot: c::PER_SLOT.get(&word) != 0,
            masked: c::MASKED.get(&word) != 0,
        })),
    )
}
