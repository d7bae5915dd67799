//! The registers of a raw message, part by part as its layout has them.

use super::Call;
use crate::exec::message::gen5;
use crate::isa::Platform;
use crate::isa::Type;
use crate::message::layout::atomic_operands;
use crate::message::{Layout, Request, SamplerRequest, default_lengths, parameters};
use crate::program::{Raw, Registers};

/// Where the parts of a message lie; `None` if they are not there in one piece each.
pub(super) fn registers(call: &Call<'_>, lanes: u32, platform: Platform) -> Option<Registers> {
    let (request, form) = (&call.decoded.request, &call.decoded.form);
    let (payload, grf, gen5) = (call.payload, platform.grf_bytes(), platform.is_gen5());
    // What Gen5 alone is asked takes zeros of `%null`.
    let zeros = (gen5 && gen5::serves(request) && payload.is_null()).then_some(Raw::NOWHERE);
    let part = |at, count| payload.at(at, count).or(zeros);
    let header = u32::from(form.header);
    let layout = Layout::of(request, lanes, platform);
    let mut registers = match request {
        Request::Sampler(r) => parameters_of(call, r, header, layout.params.each(grf), platform)?,
        _ => {
            let each = layout.params.each(grf);
            let mut params = [None; 4];
            let count = match request {
                // What the values leave of the message are coordinates, a register each.
                Request::TypedAtomic(r) => form.registers().checked_sub(atomic_operands(r.op))?,
                _ => layout.params.count,
            };
            let bounds = match request {
                Request::Math(_) => 1..=2,
                Request::Typed(_) | Request::TypedAtomic(_) => 1..=4,
                Request::Lsc(_) => 0..=4,
                _ => 0..=1,
            };
            if !bounds.contains(&count) {
                return None;
            }
            for (at, place) in (0..count).zip(&mut params) {
                *place = Some(part(header + at * each, each)?);
            }
            Registers::of_params(params.into_iter().take(count as usize))
        }
    };
    registers.answer = call.dst(platform);
    registers.response = Some(form.response);
    let params = match request {
        Request::Sampler(_) => return Some(registers),
        // Data are the second payload; the first may be one register of fields.
        Request::Lsc(_) | Request::LscBlock2d(_) => form.first,
        _ => header + registers.params().len() as u32 * layout.params.each(grf),
    };
    match request {
        Request::Target(r) => {
            let (ty, each) = if r.half { (Type::Hf, 2) } else { (Type::F, 4) };
            let rows = (r.lanes * each).div_ceil(grf);
            let header = if form.header { 2 } else { 0 };
            registers.header = payload.at(1, 1).filter(|_| header > 0);
            let first = header + u32::from(r.alpha) + u32::from(r.omask);
            for (at, colour) in (0..).zip(&mut registers.data) {
                let place = payload.at(first + at * rows, rows);
                *colour = place.map(|raw| Raw { ty, ..raw });
            }
        }
        // The operands of an atomic are in registers of their own.
        request if request.is_atomic() => {
            let each = layout.data.each(grf);
            for (at, place) in (0..layout.data.count).zip(&mut registers.data) {
                *place = Some(payload.at(params + at * each, each)?);
            }
        }
        _ if layout.data.count > 0 => {
            registers.data[0] = Some(part(params, layout.data.registers(grf))?);
        }
        _ => {}
    }
    match request {
        // Dwords have offsets in dwords, but on Gen5: lowering reference 18.5.
        Request::DwordScattered(_) if !gen5 => registers.unit = 4,
        Request::SvmUntyped(_) | Request::SvmScattered(_) | Request::SvmAtomic(_) => {
            registers.address_bytes = 8;
        }
        // One oword that belongs in the upper half of the register, which Gen5's masks are those of.
        Request::Oword(r) if r.high && !gen5 => {
            registers.data = registers.data.map(|raw| raw.map(|raw| raw.skip(16)));
            registers.answer = registers.answer.map(|raw| raw.skip(16));
        }
        _ => {}
    }
    Some(registers)
}

/// The parameters of a sampler message in vISA's order, from that of the payload.
fn parameters_of(
    call: &Call<'_>,
    r: &SamplerRequest,
    header: u32,
    each: u32,
    platform: Platform,
) -> Option<Registers> {
    let order = parameters::order(r.op, r.params16);
    let sent = match platform.is_gen5() {
        true => parameters::gen5(r.op),
        false => order,
    };
    // Of SIMD4x2 four parameters of both samples share a register.
    let pair = match r.lanes {
        2 if r.params > 0 => {
            let default = default_lengths::form(&call.decoded.request, platform);
            let rows = default.registers().checked_sub(header)?;
            Some(call.payload.at(header, rows)?)
        }
        _ => None,
    };
    let mut params = [None; crate::program::MOST_PARAMS];
    for (place, parameter) in params.iter_mut().zip(order) {
        let at = sent.iter().position(|p| p == parameter);
        let Some(at) = at.filter(|&at| at < r.params as usize) else {
            continue;
        };
        let at = at as u32;
        *place = Some(match pair {
            Some(payload) => payload.skip(4 * (at / 4 * 8 + at % 4)),
            None => call.payload.at(header + at * each, each)?,
        });
    }
    Some(Registers {
        in_place: platform.is_gen5() && r.lanes == 8,
        ..Registers::of_params(params.into_iter().take(order.len()))
    })
}
