//! The lengths a request takes by itself, and the way through its bits and back.
//!
//! A compiler may lay a message's payload in several ways; where only the request is known, as in
//! a run, [`form`] is the one with a header where the message needs one, then parameters, then data
//! as second payload. [`through`] makes bits of a request and reads them again: what comes back is
//! what the hardware would have understood.

use super::bits::{DecodeError, Decoded, EncodeError, MessageForm};
use super::codec::{decode, encode};
use super::e64;
use super::fields::avs_payload;
use super::gen5::rules as gen5;
use super::layout::Layout;
use super::lsc;
use super::raw_lengths::{RawPart, spelled};
use super::request::Request;
use crate::isa::Platform;

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

/// Encodes a request in its default form and decodes it again.
///
/// # Errors
/// [`NoBits`] if the platform has no such message or a value does not fit its field.
pub fn through(request: &Request, platform: Platform) -> Result<Request, NoBits> {
    let mut request = *request;
    if let Request::Avs(avs) = &mut request {
        // A hint of 23 bits that no result depends on: the operand's other bits fall away.
        avs.group_id &= avs_payload::GROUP.max();
    }
    let form = form(&request, platform);
    let message = encode(&request, &form, platform)?;
    if platform.dialect.state_addresses() {
        let lanes = lanes(&request, platform).unwrap_or(1);
        return Ok(e64::decode(
            &message,
            &e64::Fields { lanes, form },
            platform,
        )?);
    }
    Ok(decode(&message, platform)?.request)
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
    if platform.is_gen5() {
        return gen5::odd_lengths(decoded, platform);
    }
    let Decoded {
        request,
        form: sent,
    } = decoded;
    if let Request::Avs(_) | Request::Unorm(_) | Request::Scale8x8(_) | Request::Deinterlace(_) =
        request
    {
        return Vec::new();
    }
    let default = form(request, platform);
    let mut odd = Vec::new();
    if sent.response != 0 && sent.response != default.response {
        let (all, sent) = (default.response, sent.response);
        odd.push(format!(
            "{} back, the descriptor counts {sent}",
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
    let header = u32::from(sent.header && !default.header);
    let (takes, given) = (default.registers() + header, sent.registers());
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
        Request::Lsc(r) => Some(r.lanes),
        Request::Target(r) => Some(r.lanes),
        _ => None,
    }
}

/// Bytes of a lane in a row of registers, addresses in the first payload; `None` for what has no lanes.
pub fn lane_bytes(request: &Request, part: RawPart, platform: Platform) -> Option<u32> {
    let count = lanes(request, platform)?;
    if matches!(request, Request::Sampler(r) if r.lanes == 2) {
        return None;
    }
    let layout = Layout::of(request, count, platform);
    let parts = match part {
        RawPart::First => [layout.params, layout.data],
        RawPart::Second => [layout.data, layout.params],
        RawPart::Response => [layout.answer; 2],
    };
    let slot = parts.iter().map(|part| part.slot).find(|&slot| slot > 0);
    Some(slot.unwrap_or(4))
}

/// The default form of a request.
///
/// Source: lowering reference 2 to 15, the lengths of each message; 18 for Gen5.
pub fn form(request: &Request, platform: Platform) -> MessageForm {
    if platform.is_gen5() {
        return gen5::default_form(request, platform);
    }
    let grf = platform.grf_bytes();
    let layout = Layout::of(request, lanes(request, platform).unwrap_or(1), platform);
    let (mut parameters, data) = (layout.params.registers(grf), layout.data.registers(grf));
    let mut response = layout.answer.registers(grf);
    let data = match request {
        Request::Sampler(r) => return r.form(platform),
        // The block's place.
        Request::Avs(_) | Request::Unorm(_) | Request::Scale8x8(_) | Request::Deinterlace(_) => {
            parameters = 1;
            data
        }
        Request::Fence(r) => {
            response = r.commit.into();
            data
        }
        Request::LscFence(_) if platform.dialect.state_addresses() => data,
        // Every fence of the load/store pipe answers, and so does the sampler's.
        Request::LscFence(_) | Request::SamplerFlush => {
            response = 1;
            data
        }
        // What is in front of the colours, and after them, is the descriptor's to count.
        Request::Target(_) => 0,
        _ => data,
    };
    let header = layout.header && !lsc::is_served(request, platform);
    let first = (u32::from(header) + parameters).max(1);
    // One payload up to Gen8, two from then on; block messages of the sampler are one piece.
    if !platform.split_send {
        MessageForm {
            header,
            first: first.saturating_add(data),
            second: 0,
            response,
        }
    } else {
        MessageForm {
            header,
            first,
            second: data,
            response,
        }
    }
}
