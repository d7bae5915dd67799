//! Fences, barrier, end of thread.
//!
//! Source: lowering reference 15.

use super::super::Sfid;
use super::super::bits::{DecodeError, Draft, EncodeError, Message, reserved};
use super::super::fields;
use super::super::request::{Fence, Request};
use super::{SLM, bad, lsc_fence_control, types};
use crate::isa::Platform;

/// The flag letter R among I S C R, bit 0 first.
const READ_WRITE: u32 = 8;

pub(super) fn fence(r: &Fence, platform: Platform) -> Result<Draft, EncodeError> {
    use fields::fence as c;
    if platform >= Platform::Dg2 {
        let read_write = r.l3 == READ_WRITE && !r.local;
        if r.l3 != 0 && !read_write || r.l1 || !r.commit {
            return Err(bad(
                "a load/store fence has no cache flags and always answers",
            ));
        }
        let mut d = Draft::new(if r.local { Sfid::Slm } else { Sfid::Ugm });
        d.control = lsc_fence_control(r.local, read_write, platform);
        return Ok(d);
    }
    if r.local && platform < Platform::Icl {
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
    let word = [control];
    let binding = c::BINDING.get(&word);
    let local = binding == SLM && platform >= Platform::Icl;
    reserved(
        c::BINDING,
        binding,
        (platform < Platform::Dg2 && (binding == 0 || local)).then_some(Request::Fence(Fence {
            local,
            commit: c::COMMIT.get(&word) != 0,
            l3: c::L3.get(&word),
            l1: c::L1.get(&word) != 0,
        })),
    )
}

pub(super) fn end_of_thread(platform: Platform) -> Result<Draft, EncodeError> {
    // The same bit means two things: the spawner keeps the URB handle, the gateway ends the thread.
    if platform >= Platform::Dg2 {
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
    let request = match (message.sfid, control) {
        (Sfid::Gateway, types::BARRIER) => Some(Request::Barrier),
        (Sfid::Gateway, c) if c == fields::gateway::END.mask() && platform >= Platform::Dg2 => {
            Some(Request::EndOfThread)
        }
        (Sfid::Ts, c) if c == fields::spawner::CHILD.mask() && platform < Platform::Dg2 => {
            Some(Request::EndOfThread)
        }
        _ => None,
    };
    let ends = request == Some(Request::EndOfThread);
    reserved(
        fields::gateway::OPCODE,
        control,
        request.filter(|_| ends == message.eot),
    )
}

/// A fence of the load/store pipe: one control word for each kind.
pub(super) fn decode_lsc_fence(
    message: &Message,
    control: u32,
    platform: Platform,
) -> Result<Request, DecodeError> {
    let local = message.sfid == Sfid::Slm;
    let opcode = fields::lsc_fence::OPCODE;
    reserved(
        opcode,
        opcode.get(&[control]),
        [false, true]
            .into_iter()
            .filter(|read_write| !(local && *read_write))
            .find(|&read_write| control == lsc_fence_control(local, read_write, platform))
            .map(|read_write| {
                Request::Fence(Fence {
                    local,
                    commit: true,
                    l3: if read_write { READ_WRITE } else { 0 },
                    l1: false,
                })
            }),
    )
}

/// The gateway's barrier.
pub(super) fn barrier() -> Result<Draft, EncodeError> {
    let mut d = Draft::new(Sfid::Gateway);
    d.put(fields::gateway::OPCODE, types::BARRIER)?;
    Ok(d)
}
