//! Up to four channels for each lane: untyped and typed surface messages.
//!
//! Source: lowering reference 10, 11 and 13.

use super::super::Sfid;
use super::super::bits::{DecodeError, Draft, EncodeError, MessageForm, reserved};
use super::super::fields::{self, Field};
use super::super::request::{Access, Request, Typed, Untyped};
use super::{STATELESS, access, bad, read_or_write, types, wide};
use crate::isa::ChannelMask;

pub(super) fn untyped(r: &Untyped, svm: bool) -> Result<Draft, EncodeError> {
    use fields::untyped as c;
    let (read, write) = if svm {
        (types::SVM_UNTYPED_READ, types::SVM_UNTYPED_WRITE)
    } else {
        (types::UNTYPED_READ, types::UNTYPED_WRITE)
    };
    if svm && r.surface != STATELESS {
        return Err(bad("64-bit addresses have the binding 255"));
    }
    let mut d = Draft::new(Sfid::Dc1);
    d.put(c::TYPE, read_or_write(r.access, read, write))?;
    d.put(c::LANES, if wide(r.lanes)? { 1 } else { 2 })?;
    d.put(c::DISABLE, channels(r.channels)?)?;
    d.put(c::BINDING, r.surface)?;
    Ok(d)
}

pub(super) fn decode_untyped(control: u32, read: u32, write: u32) -> Result<Untyped, DecodeError> {
    use fields::untyped as c;
    let word = [control];
    let lanes = c::LANES.get(&word);
    Ok(Untyped {
        surface: c::BINDING.get(&word),
        access: access(c::TYPE, c::TYPE.get(&word), read, write)?,
        lanes: match lanes {
            1 => 16,
            2 => 8,
            value => return reserved(c::LANES, value, None),
        },
        channels: some_channels(c::DISABLE, c::DISABLE.get(&word))?,
    })
}

pub(super) fn typed(r: &Typed, form: &MessageForm) -> Result<Draft, EncodeError> {
    use fields::typed as c;
    let data = match r.access {
        Access::Read => 0,
        Access::Write => r.channels.count(),
    };
    if !(1..=4).contains(&r.coordinates)
        || form.registers() != u32::from(form.header) + r.coordinates + data
    {
        return Err(bad("1 to 4 coordinates of one register each, then data"));
    }
    let mut d = Draft::new(Sfid::Dc1);
    d.put(
        c::TYPE,
        read_or_write(r.access, types::TYPED_READ, types::TYPED_WRITE),
    )?;
    d.put(c::SLOTS, 1)?;
    d.put(c::DISABLE, channels(r.channels)?)?;
    d.put(c::BINDING, r.surface)?;
    Ok(d)
}

pub(super) fn decode_typed(control: u32, form: &MessageForm) -> Result<Request, DecodeError> {
    use fields::typed as c;
    let word = [control];
    let slots = c::SLOTS.get(&word);
    reserved(c::SLOTS, slots, (slots == 1).then_some(()))?;
    let access = access(
        c::TYPE,
        c::TYPE.get(&word),
        types::TYPED_READ,
        types::TYPED_WRITE,
    )?;
    let channels = some_channels(c::DISABLE, c::DISABLE.get(&word))?;
    let data = match access {
        Access::Read => 0,
        Access::Write => channels.count(),
    };
    let coordinates = form
        .registers()
        .saturating_sub(data + u32::from(form.header));
    if !(1..=4).contains(&coordinates) {
        return Err(DecodeError::Length(format!(
            "{} registers are not 1 to 4 coordinates and {data} of data",
            form.registers()
        )));
    }
    Ok(Request::Typed(Typed {
        surface: c::BINDING.get(&word),
        access,
        channels,
        coordinates,
    }))
}

fn channels(mask: ChannelMask) -> Result<u32, EncodeError> {
    if mask.0 == 0 || mask.0 > 0xf {
        return Err(bad("channel set"));
    }
    Ok(u32::from(!mask.0 & 0xf))
}

fn some_channels(field: Field, disable: u32) -> Result<ChannelMask, DecodeError> {
    reserved(
        field,
        disable,
        (disable != 0xf).then_some(ChannelMask(!disable as u8 & 0xf)),
    )
}
