//! The lengths a request takes by itself, and the way through its bits and back.
//!
//! A compiler may lay a message's payload in several ways; where only the request is known, as in
//! a run, [`form`] is the one with a header where the message needs one, then parameters, then data
//! as second payload. [`through`] makes bits of a request and reads them again: what comes back is
//! what the hardware would have understood.

use super::bits::{DecodeError, Decoded, EncodeError, Form, decode, encode, rows};
use super::counted::{Part, spelled};
use super::fields::avs_payload;
use super::gen5::rules as gen5;
use super::request::{Access, Request, ReturnFormat};
use crate::isa::{AtomicOp, Platform};

/// Why a request does not come through its bits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoBits {
    /// It has none.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// They mean nothing.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

/// Encodes a request in its natural form and decodes it again.
///
/// # Errors
/// [`NoBits`] if the platform has no such message or a value does not fit its field.
pub fn through(request: &Request, platform: Platform) -> Result<Request, NoBits> {
    let mut request = *request;
    if let Request::Avs(avs) = &mut request {
        // A hint of 23 bits that no result depends on: the operand's other bits fall away.
        avs.group_id &= avs_payload::GROUP.max();
    }
    let message = encode(&request, &form(&request, platform), platform)?;
    Ok(decode(&message, platform)?.request)
}

/// Values that an atomic operation takes beside the address.
pub const fn atomic_operands(op: AtomicOp) -> u32 {
    match op {
        AtomicOp::Inc | AtomicOp::Dec => 0,
        AtomicOp::CmpXchg | AtomicOp::FCmpWr => 2,
        _ => 1,
    }
}

/// Whether the header of a message has a say in its lengths.
pub const fn counts_by_header(decoded: &Decoded) -> bool {
    match decoded.request {
        Request::MediaRead(_) | Request::MediaWrite(_) => true,
        Request::Sampler(_) => decoded.form.header,
        _ => false,
    }
}

/// What the lengths of a message say that what it asks does not: a line each. A response of 0 throws away what
/// comes back, which no one is wrong to do. Where [`counts_by_header`] the header must have been read; of blocks
/// of the media sampler nothing is said.
///
/// Source: lowering reference 1.2 and 1.10, and the lengths of each message.
pub fn odd_lengths(decoded: &Decoded, platform: Platform) -> Vec<String> {
    if platform == Platform::Ilk {
        return gen5::odd_lengths(decoded);
    }
    let Decoded {
        request,
        form: told,
    } = decoded;
    if let Request::Avs(_) | Request::Unorm(_) | Request::Scale8x8(_) | Request::Deinterlace(_) =
        request
    {
        return Vec::new();
    }
    let natural = form(request, platform);
    let mut odd = Vec::new();
    if told.response != 0 && told.response != natural.response {
        let (all, told) = (natural.response, told.response);
        odd.push(format!(
            "{} back, the descriptor counts {told}",
            spelled(all)
        ));
    }
    // How many registers these take is read from the lengths themselves.
    let counted = matches!(
        request,
        Request::Sampler(_)
            | Request::Typed(_)
            | Request::TypedAtomic(_)
            | Request::Target(_)
            | Request::Urb(_)
    );
    let header = u32::from(told.header && !natural.header);
    let (takes, given) = (natural.registers() + header, told.registers());
    if !counted && takes != given {
        odd.push(format!(
            "{} out, the descriptors count {given}",
            spelled(takes)
        ));
    }
    odd
}

/// Lanes of a message; `None` for blocks and for what has none.
pub const fn lanes(request: &Request, platform: Platform) -> Option<u32> {
    match request {
        // SIMD4x2: four lanes for a sample, PRM 4.11.1.8.
        Request::Sampler(r) if r.lanes == 2 => Some(8),
        Request::Sampler(r) => Some(r.lanes),
        Request::ByteScattered(r) | Request::DwordScattered(r) => Some(r.lanes),
        Request::Untyped(r) | Request::SvmUntyped(r) => Some(r.lanes),
        // Source: lowering reference 11.
        Request::Typed(_) | Request::TypedAtomic(_) => Some(platform.native_lanes()),
        Request::Atomic(r) | Request::SvmAtomic(r) => Some(r.lanes),
        Request::SvmScattered(r) => Some(r.lanes),
        Request::Target(r) => Some(r.lanes),
        _ => None,
    }
}

/// Bytes of a lane in a row of registers, addresses in the first payload; `None` for what has no lanes.
pub const fn lane_bytes(request: &Request, part: Part) -> Option<u32> {
    let addresses = matches!(part, Part::First);
    Some(match request {
        Request::Sampler(r) if r.lanes == 2 => return None,
        Request::Sampler(r) => {
            let narrow = match part {
                Part::Response => matches!(r.returns, ReturnFormat::Bits16),
                Part::First | Part::Second => r.params16,
            };
            if narrow { 2 } else { 4 }
        }
        Request::SvmUntyped(_) | Request::SvmScattered(_) | Request::SvmAtomic(_) if addresses => 8,
        // A lane owns a dword at least: vISA text reference 5.10.
        Request::SvmScattered(r) if r.block_bytes == 1 && r.blocks > 4 => r.blocks,
        Request::SvmScattered(r) if r.block_bytes > 4 => r.block_bytes,
        Request::SvmAtomic(r) if r.bits == 64 => 8,
        Request::Target(r) if r.half => 2,
        Request::ByteScattered(_)
        | Request::DwordScattered(_)
        | Request::Untyped(_)
        | Request::SvmUntyped(_)
        | Request::Typed(_)
        | Request::TypedAtomic(_)
        | Request::Atomic(_)
        | Request::SvmAtomic(_)
        | Request::SvmScattered(_)
        | Request::Target(_) => 4,
        _ => return None,
    })
}

/// The natural form of a request.
///
/// Source: lowering reference 2 to 15, the lengths of each message; 18 for Gen5.
pub fn form(request: &Request, platform: Platform) -> Form {
    if platform == Platform::Ilk {
        return gen5::default_form(request);
    }
    // Parts of a payload in registers: header, parameters, data, response.
    let lanes = |count: u32, bytes: u32| rows(count.saturating_mul(bytes), platform);
    let moved = |access: Access, rows: u32| match access {
        Access::Read => (0, rows),
        Access::Write => (rows, 0),
    };
    let (header, parameters, (data, response)) = match request {
        Request::Sampler(r) => return r.form(platform),
        Request::Avs(_) | Request::Unorm(_) | Request::Scale8x8(_) | Request::Deinterlace(_) => {
            (true, 1, (0, 0))
        }
        Request::MediaRead(r) => (true, 0, (0, rows(r.bytes(), platform))),
        Request::MediaWrite(r) => (true, 0, (rows(r.bytes(), platform), 0)),
        Request::Oword(r) => (true, 0, moved(r.access, lanes(r.owords, 16))),
        Request::SvmBlock(r) => (true, 0, moved(r.access, lanes(r.owords, 16))),
        Request::ByteScattered(r) | Request::DwordScattered(r) => {
            let row = lanes(r.lanes, 4);
            (r.global.is_some(), row, moved(r.access, row))
        }
        Request::Untyped(r) | Request::SvmUntyped(r) => {
            let address = if matches!(request, Request::Untyped(_)) {
                4
            } else {
                8
            };
            let data = lanes(r.lanes, 4).saturating_mul(r.channels.count());
            (false, lanes(r.lanes, address), moved(r.access, data))
        }
        Request::Typed(r) => (false, r.coordinates, moved(r.access, r.channels.count())),
        Request::Atomic(r) | Request::TypedAtomic(r) | Request::SvmAtomic(r) => {
            let slot = lanes(r.lanes, if r.bits == 64 { 8 } else { 4 });
            let address = match request {
                Request::SvmAtomic(_) => lanes(r.lanes, 8),
                _ => lanes(r.lanes, 4),
            };
            let response = if r.returns { slot } else { 0 };
            (false, address, (slot * atomic_operands(r.op), response))
        }
        Request::SvmScattered(r) => {
            // A lane owns a dword at least: vISA text reference 5.10.
            let lane = r.block_bytes.saturating_mul(r.blocks).max(4);
            (
                false,
                lanes(r.lanes, 8),
                moved(r.access, lanes(r.lanes, lane)),
            )
        }
        Request::Fence(r) => (true, 0, (0, r.commit.into())),
        // The payload is not read, and every fence answers.
        Request::LscFence(_) => (false, 1, (0, 1)),
        Request::SamplerFlush => (true, 0, (0, 1)),
        Request::Urb(_) => (true, 0, (0, 0)),
        // The last are Gen5's, whose lengths were told above.
        Request::Target(_)
        | Request::Barrier
        | Request::EndOfThread
        | Request::EndOfChild
        | Request::NullEnd
        | Request::DualOword(_)
        | Request::LoopFilter(_)
        | Request::Vertex(_)
        | Request::Pixels(_)
        | Request::TargetUnorm(_)
        | Request::FlushRender { .. }
        | Request::Math(_)
        | Request::Gateway { .. } => (false, 1, (0, 0)),
    };
    let first = (u32::from(header) + parameters).max(1);
    // One payload up to Gen8, two from then on; block messages of the sampler are one piece.
    if platform <= Platform::Bdw {
        Form {
            header,
            first: first.saturating_add(data),
            second: 0,
            response,
        }
    } else {
        Form {
            header,
            first,
            second: data,
            response,
        }
    }
}
