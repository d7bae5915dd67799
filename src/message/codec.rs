//! Requests to bits and back, for every platform.
//!
//! ```text
//!  Request ─ encode ─▶ the dialect's family: gen5 │ lsc │ sampler │ dataport ─▶ Message
//!  Request ◀─ decode ─ descriptors taken apart, bits without a field refused ◀─ Message
//! ```

use super::bits::{
    DecodeError, Decoded, EncodeError, Message, MessageForm, descriptor, refuse_unknown,
};
use super::extended::{Extended, decode_extended, extended_descriptor, length_field};
use super::fields::{outer, sampler_xe2};
use super::request::{DataPath, Request};
use super::{Sfid, dataport, e64, gen5, lsc, sampler};
use crate::isa::Platform;
use crate::isa::platforms::Dialect;

/// Whether a platform still has the message: later parts have no data caches, and no media sampler.
/// Source: Xe2 messages reference 3 and 10.
fn is_lost(request: &Request, platform: Platform) -> bool {
    let lsc = lsc::is_served(request, platform) || matches!(request, Request::LscFence(_));
    let kept = matches!(
        request,
        Request::Sampler(_)
            | Request::SamplerFlush
            | Request::Target(_)
            | Request::Urb(_)
            | Request::Barrier
            | Request::EndOfThread
    );
    !platform.data_caches && !lsc && !kept
}

/// Turns a request into bits.
///
/// # Errors
/// [`EncodeError`] if a value does not fit, the platform has no such message, or `form` contradicts
/// the request.
pub fn encode(
    request: &Request,
    form: &MessageForm,
    platform: Platform,
) -> Result<Message, EncodeError> {
    if platform.is_gen5() {
        return gen5::encode(request, form, platform);
    }
    if platform.dialect == Dialect::Xe3p {
        return e64::encode(request, form, platform);
    }
    if is_lost(request, platform) {
        return Err(EncodeError::Absent {
            what: request.name(),
            platform,
        });
    }
    if lsc::is_served(request, platform) {
        return lsc::encode(request, form, platform);
    }
    if request.path() != DataPath::DEFAULT {
        return Err(EncodeError::Absent {
            what: "a target cache, a stateless base or a commit of its own",
            platform,
        });
    }
    if !platform.split_send && form.second != 0 {
        return Err(EncodeError::Unencodable(format!(
            "{platform} has one payload only"
        )));
    }
    let draft = match request {
        Request::Sampler(r) => sampler::encode_3d(r, form, platform)?,
        Request::Avs(r) => sampler::encode_avs(r, form)?,
        Request::Unorm(r) => sampler::encode_unorm(r, form)?,
        Request::SamplerFlush => sampler::encode_flush(form)?,
        other => dataport::encode(other, form, platform)?,
    };
    let mut desc = [descriptor(form, draft.control)?];
    outer::PARAMS16.put(&mut desc, draft.params16.into())?;
    outer::RETURN16.put(&mut desc, draft.return16.into())?;
    sampler_xe2::TYPE_HIGH.put(&mut desc, draft.type_high)?;
    let extended = Extended {
        length: form.second,
        eot: draft.eot,
        coarse: draft.coarse,
        target: draft.target,
        alpha: draft.alpha,
        null_target: draft.null_target,
    };
    let ex_desc = extended_descriptor(draft.sfid, &extended, platform);
    length_field(platform).put(&mut [0], form.second)?;
    Ok(Message {
        sfid: draft.sfid,
        desc: desc[0],
        ex_desc,
        extended_length: form.second,
        eot: draft.eot,
        header: draft.header,
        payload: draft.payload,
    })
}

/// Turns bits back into the request.
///
/// # Errors
/// [`DecodeError`] naming the bit, the field or the length that makes no sense.
pub fn decode(message: &Message, platform: Platform) -> Result<Decoded, DecodeError> {
    if platform.is_gen5() {
        return gen5::decode(message);
    }
    if let Some(section) = platform.dialect.unmodelled() {
        return Err(DecodeError::Unmodelled { platform, section });
    }
    if lsc::is_meant(message.sfid, message.desc) {
        return lsc::decode(message, platform);
    }
    let high = match message.sfid {
        Sfid::Sampler if platform.sampler.six_bit_types => sampler_xe2::TYPE_HIGH.mask(),
        _ => 0,
    };
    refuse_unknown(&outer::LAYOUT, &[message.desc & !high])?;
    let extended = decode_extended(message, platform)?;
    let desc = [message.desc];
    let form = MessageForm {
        header: outer::HEADER.get(&desc) != 0,
        first: outer::LENGTH.get(&desc),
        second: message.extended_length,
        response: outer::RESPONSE.get(&desc),
    };
    let request = match message.sfid {
        Sfid::Sampler => sampler::decode(message, &form, &extended, platform)?,
        _ => dataport::decode(message, &form, &extended, platform)?,
    };
    if is_lost(&request, platform) {
        return Err(DecodeError::UnknownFunction(message.sfid));
    }
    Ok(Decoded { request, form })
}
