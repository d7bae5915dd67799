//! What leaves the pipeline: render target and URB writes.
//!
//! Source: lowering reference 14 and 15.

use super::super::Sfid;
use super::super::bits::{
    DecodeError, Draft, EncodeError, Message, MessageForm, refuse_unknown_in, reserved,
};
use super::super::extended::Extended;
use super::super::fields::{self, Field, outer};
use super::super::request::{Request, TargetWrite, UrbWrite};
use super::{bad, types, wide};

pub(super) fn target(r: &TargetWrite, form: &MessageForm) -> Result<Draft, EncodeError> {
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
    (d.null_target, d.eot) = (r.null, r.eot);
    if form.header {
        h::INDEX.put(&mut d.header, r.target)?;
        h::ALPHA.put(&mut d.header, r.alpha.into())?;
        h::OMASK.put(&mut d.header, r.omask.into())?;
        h::DEPTH.put(&mut d.header, r.depth.into())?;
        h::STENCIL.put(&mut d.header, r.stencil.into())?;
        return Ok(d);
    }
    if r.omask || r.depth || r.stencil {
        return Err(bad("a mask, depth or stencil needs a header to say so"));
    }
    fields::extended_gen11::TARGET.put(&mut [0], r.target)?;
    (d.target, d.alpha) = (r.target, r.alpha);
    Ok(d)
}

pub(super) fn decode_target(
    message: &Message,
    control: u32,
    form: &MessageForm,
    extended: &Extended,
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
    // What a header says it says alone.
    let word0 = |field: Field| form.header && field.get(&message.header) != 0;
    let (target, alpha) = match form.header {
        true => {
            let doubled = [
                (ex::TARGET, extended.target),
                (ex::ALPHA, extended.alpha.into()),
            ];
            for (field, value) in doubled {
                reserved(field, value, (value == 0).then_some(()))?;
            }
            refuse_unknown_in(&h::LAYOUT, &message.header, h::INDEX.dw)?;
            (h::INDEX.get(&message.header), word0(h::ALPHA))
        }
        false => (extended.target, extended.alpha),
    };
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
        target,
        alpha,
        omask: word0(h::OMASK),
        depth: word0(h::DEPTH),
        stencil: word0(h::STENCIL),
        null: extended.null_target,
        eot: extended.eot,
    }))
}

pub(super) fn urb(r: &UrbWrite) -> Result<Draft, EncodeError> {
    use fields::urb as c;
    let mut d = Draft::new(Sfid::Urb);
    d.put(c::PER_SLOT, r.per_slot.into())?;
    d.put(c::MASKED, r.masked.into())?;
    d.put(c::OFFSET, r.offset)?;
    d.put(c::OPCODE, types::URB_SIMD8_WRITE)?;
    d.eot = r.eot;
    Ok(d)
}

pub(super) fn decode_urb(control: u32, extended: &Extended) -> Result<Request, DecodeError> {
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
            eot: extended.eot,
        })),
    )
}
