//! Fences, barrier, end of thread.
//!
//! Source: lowering reference 15.

use super::super::Sfid;
use super::super::bits::{DecodeError, Draft, EncodeError, Message, reserved};
use super::super::fields::{self, Field};
use super::super::request::{Fence, LscFence, Request};
use super::{SLM, bad, lsc_fence_control, types};
use crate::isa::Platform;
use crate::isa::platforms::SfidNumbers;
use crate::isa::slots::{LSC_FENCE_OPS, LSC_FENCE_SCOPES};

pub(super) fn fence(r: &Fence, platform: Platform) -> Result<Draft, EncodeError> {
    use fields::fence as c;
    if platform.lsc.is_some() {
        return Err(EncodeError::Absent {
            what: "a fence of the data cache",
            platform,
        });
    }
    if r.local && !platform.slm_port {
        return Err(EncodeError::Absent {
            what: "a fence of shared local memory alone",
            platform,
        });
    }
    let mut d = Draft::new(Sfid::Dc0);
    d.put(c::TYPE, types::FENCE)?;
    d.put(c::COMMIT, r.commit.into())?;
    d.put(c::L3, r.l3)?;
    d.put(c::L1, r.l1.into())?;
    d.put(c::BINDING, if r.local { SLM } else { 0 })?;
    Ok(d)
}

pub(super) fn decode_fence(control: u32, platform: Platform) -> Result<Request, DecodeError> {
    use fields::fence as c;
    if platform.lsc.is_some() {
        return Err(DecodeError::Gone {
            what: "fence of dc0",
            platform,
            instead: "ugm, tgm and slm have fences of their own (lowering reference 15)",
        });
    }
    let word = [control];
    let binding = c::BINDING.get(&word);
    let local = binding == SLM && platform.slm_port;
    reserved(
        c::BINDING,
        binding,
        (binding == 0 || local).then_some(Request::Fence(Fence {
            local,
            commit: c::COMMIT.get(&word) != 0,
            l3: c::L3.get(&word),
            l1: c::L1.get(&word) != 0,
        })),
    )
}

pub(super) fn end_of_thread(platform: Platform) -> Result<Draft, EncodeError> {
    // The same bit means two things: the spawner keeps the URB handle, the gateway ends the thread.
    if platform.sfids == SfidNumbers::XeHpg {
        let mut d = Draft::new(Sfid::Gateway);
        d.put(fields::gateway::END, 1)?;
        return Ok(d);
    }
    let mut d = Draft::new(Sfid::Ts);
    d.put(fields::spawner::CHILD, 1)?;
    Ok(d)
}

pub(super) fn decode_thread(
    message: &Message,
    control: u32,
    platform: Platform,
) -> Result<Request, DecodeError> {
    let gateway = platform.sfids == SfidNumbers::XeHpg;
    let request = match (message.sfid, control) {
        (Sfid::Gateway, types::BARRIER) => Some(Request::Barrier),
        (Sfid::Gateway, c) if c == fields::gateway::END.mask() && gateway => {
            Some(Request::EndOfThread)
        }
        (Sfid::Ts, c) if c == fields::spawner::CHILD.mask() && !gateway => {
            Some(Request::EndOfThread)
        }
        _ => None,
    };
    let opcode = match message.sfid {
        Sfid::Ts => fields::spawner::OPCODE,
        _ => fields::gateway::OPCODE,
    };
    let request = reserved(opcode, opcode.get(&[control]), request)?;
    // One ends the thread, the other does not.
    let ends = request == Request::EndOfThread;
    let said = (ends == message.eot).then_some(request);
    reserved(fields::extended_gen11::EOT, message.eot.into(), said)
}

/// How many codes [`LscFence::flush`] and [`LscFence::scope`] have: shared local memory lies in no cache
/// and belongs to one group. Source: vISA text reference 5.11.
fn fence_codes(sfid: Sfid) -> [u32; 2] {
    match sfid {
        Sfid::Slm => [1, 1],
        _ => [LSC_FENCE_OPS.len() as u32, LSC_FENCE_SCOPES.len() as u32],
    }
}

pub(super) fn lsc_fence(r: &LscFence, platform: Platform) -> Result<Draft, EncodeError> {
    if platform.lsc.is_none() {
        return Err(EncodeError::Absent {
            what: "the load/store pipe",
            platform,
        });
    }
    let [flushes, scopes] = fence_codes(r.sfid);
    if !r.sfid.is_lsc() || r.flush >= flushes || r.scope >= scopes {
        return Err(bad(
            "a fence of ugm, ugml or tgm with codes 0 to 6, or of slm",
        ));
    }
    let mut d = Draft::new(r.sfid);
    d.control = lsc_fence_control(r.flush, r.scope);
    Ok(d)
}

pub(super) fn decode_lsc_fence(sfid: Sfid, control: u32) -> Result<Request, DecodeError> {
    use fields::lsc_fence as c;
    let word = [control];
    let read = |field: Field, codes: u32| {
        let value = field.get(&word);
        reserved(field, value, (value < codes).then_some(value))
    };
    let [flushes, scopes] = fence_codes(sfid);
    let wide = c::WIDE.get(&word);
    reserved(c::WIDE, wide, (wide == 1).then_some(()))?;
    Ok(Request::LscFence(LscFence {
        sfid,
        flush: read(c::FLUSH, flushes)?,
        scope: read(c::SCOPE, scopes)?,
    }))
}

/// The gateway's barrier.
pub(super) fn barrier() -> Result<Draft, EncodeError> {
    let mut d = Draft::new(Sfid::Gateway);
    d.put(fields::gateway::OPCODE, types::BARRIER)?;
    Ok(d)
}
