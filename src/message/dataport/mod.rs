//! Data port messages (media and oword blocks, scattered, untyped, typed, atomic, 64-bit addresses),
//! and the small functions beside it: render cache, URB, fences, gateway, thread spawner.
//!
//! ```text
//!  18:14         13:8           7:0
//!  message type  type specific  binding
//! ```
//!
//! Each family encodes and decodes in one file. Source: lowering reference 2 and 8 to 15.

mod atomic;
mod block;
mod channels;
mod codes;
mod output;
mod scattered;
mod sync;

pub use codes::{
    BINDLESS, SLM, STATELESS, atomic_code, atomic_type, fence_flush, field_bits, is_float,
    lsc_fence_control, oword_code, same_code, svm_atomic_type, types,
};

use super::bits::{
    DecodeError, Draft, EncodeError, Message, MessageForm, refuse_data_size, refuse_unknown,
    reserved,
};
use super::extended::Extended;
use super::fields::{self, Field, Layout, outer};
use super::request::{Access, OwordBlock, Request, SvmBlock};
use super::{Sfid, lsc};
use crate::isa::Platform;
use codes::atomic_op;

pub(super) fn encode(
    request: &Request,
    form: &MessageForm,
    platform: Platform,
) -> Result<Draft, EncodeError> {
    let mut d = match request {
        Request::MediaRead(r) => block::media(r, types::MEDIA_READ)?,
        Request::MediaWrite(r) => block::media(r, types::MEDIA_WRITE)?,
        Request::Oword(r) => block::oword(r)?,
        Request::ByteScattered(r) => scattered::byte_scattered(r, form)?,
        Request::DwordScattered(r) => scattered::dword_scattered(r, form)?,
        Request::Untyped(r) => channels::untyped(r, false)?,
        Request::SvmUntyped(r) => channels::untyped(r, true)?,
        Request::Typed(r) => channels::typed(r, form)?,
        Request::Atomic(r) => atomic::atomic(r)?,
        Request::TypedAtomic(r) => atomic::typed_atomic(r)?,
        Request::SvmAtomic(r) => atomic::svm_atomic(r)?,
        Request::SvmBlock(r) => block::svm_block(r)?,
        Request::SvmScattered(r) => scattered::svm_scattered(r)?,
        Request::Target(r) => output::target(r, form)?,
        Request::Urb(r) => output::urb(r)?,
        Request::Fence(r) => sync::fence(r, platform)?,
        Request::LscFence(r) => sync::lsc_fence(r, platform)?,
        Request::Barrier => sync::barrier()?,
        Request::EndOfThread => sync::end_of_thread(platform)?,
        Request::Sampler(_)
        | Request::Avs(_)
        | Request::Unorm(_)
        | Request::Scale8x8(_)
        | Request::Deinterlace(_)
        | Request::SamplerFlush => {
            return Err(bad("a sampler message"));
        }
        Request::Lsc(_) | Request::LscBlock2d(_) => {
            return Err(bad("a message of the load/store pipe"));
        }
        Request::EndOfChild
        | Request::NullEnd
        | Request::DualOword(_)
        | Request::LoopFilter(_)
        | Request::Vertex(_)
        | Request::Pixels(_)
        | Request::TargetUnorm(_)
        | Request::FlushRender { .. }
        | Request::Math(_)
        | Request::Gateway { .. } => {
            let what = "this request, which Gen5 alone has";
            return Err(EncodeError::Absent { what, platform });
        }
    };
    let header = match request {
        Request::MediaRead(_)
        | Request::MediaWrite(_)
        | Request::Oword(_)
        | Request::SvmBlock(_)
        | Request::Fence(_)
        | Request::Urb(_) => Some(true),
        Request::Target(_) => None,
        Request::ByteScattered(r) | Request::DwordScattered(r) => Some(r.global.is_some()),
        // Gen8 has forms of these with a header of zeros.
        Request::Untyped(_) | Request::Typed(_) | Request::Atomic(_)
            if platform.optional_header =>
        {
            None
        }
        _ => Some(false),
    };
    if header.is_some_and(|h| h != form.header) {
        return Err(bad(if form.header {
            "the message takes no header: header present (bit 19) must be 0"
        } else {
            "the message begins with a header: header present (bit 19) must be 1"
        }));
    }
    if form.first == 0 {
        return Err(bad("a message has one register at least"));
    }
    d.eot |= matches!(request, Request::EndOfThread);
    Ok(d)
}

/// The layout of a message's function control, or none if the message is not known.
pub fn layout(sfid: Sfid, desc: u32) -> Option<&'static Layout> {
    use types as t;
    let message_type = fields::dataport::TYPE.get(&[desc]);
    Some(match (sfid, message_type) {
        (Sfid::Sampler, _) => &fields::sampler::LAYOUT,
        (Sfid::Dc1, t::MEDIA_READ | t::MEDIA_WRITE) => &fields::media_block::LAYOUT,
        (Sfid::Dc0, t::OWORD_READ | t::OWORD_READ_UNALIGNED | t::OWORD_WRITE) => {
            &fields::oword_block::LAYOUT
        }
        (Sfid::Dc0, t::BYTE_READ | t::BYTE_WRITE) => &fields::byte_scattered::LAYOUT,
        (Sfid::Dc0, t::DWORD_READ | t::DWORD_WRITE) => &fields::dword_scattered::LAYOUT,
        (Sfid::Dc0, t::FENCE) => &fields::fence::LAYOUT,
        (
            Sfid::Dc1,
            t::UNTYPED_READ | t::UNTYPED_WRITE | t::SVM_UNTYPED_READ | t::SVM_UNTYPED_WRITE,
        ) => &fields::untyped::LAYOUT,
        (Sfid::Dc1, t::TYPED_READ | t::TYPED_WRITE) => &fields::typed::LAYOUT,
        (
            Sfid::Dc1,
            t::ATOMIC
            | t::ATOMIC_16
            | t::ATOMIC_FLOAT
            | t::ATOMIC_HALF
            | t::TYPED_ATOMIC
            | t::TYPED_ATOMIC_16
            | t::SVM_ATOMIC
            | t::SVM_ATOMIC_16
            | t::SVM_ATOMIC_FLOAT
            | t::SVM_ATOMIC_HALF,
        ) => &fields::atomic::LAYOUT,
        (Sfid::Dc1, t::SVM_BLOCK_READ | t::SVM_BLOCK_WRITE) => &fields::svm_block::LAYOUT,
        (Sfid::Dc1, t::SVM_READ | t::SVM_WRITE) => &fields::svm_scattered::LAYOUT,
        (Sfid::Rc, _) => &fields::render_target::LAYOUT,
        (Sfid::Urb, _) => &fields::urb::LAYOUT,
        (Sfid::Gateway, _) => &fields::gateway::LAYOUT,
        (Sfid::Ts, _) => &fields::spawner::LAYOUT,
        (sfid, _) if sfid.is_lsc() && is_lsc_fence(desc) => &fields::lsc_fence::LAYOUT,
        (sfid, _) if sfid.is_lsc() => return lsc::layout(sfid, desc),
        _ => return None,
    })
}

fn is_lsc_fence(control: u32) -> bool {
    fields::lsc_fence::OPCODE.get(&[control]) == types::LSC_FENCE
}

pub(super) fn decode(
    message: &Message,
    form: &MessageForm,
    extended: &Extended,
    platform: Platform,
) -> Result<Request, DecodeError> {
    use types as t;
    let sfid = message.sfid;
    let control = outer::CONTROL.get(&[message.desc]);
    let message_type = fields::dataport::TYPE.get(&[control]);
    let layout = layout(sfid, control).ok_or(match sfid {
        Sfid::Dc0 | Sfid::Dc1 => DecodeError::UnknownType {
            sfid,
            value: message_type,
        },
        _ if sfid.is_lsc() => DecodeError::LoadStore {
            sfid,
            opcode: fields::lsc_fence::OPCODE.get(&[control]),
        },
        _ => DecodeError::UnknownFunction(sfid),
    })?;
    refuse_unknown(layout, &[control])?;
    if sfid != Sfid::Rc {
        refuse_data_size(message)?;
    }
    if form.first == 0 {
        return Err(DecodeError::Length(
            "a message has one register at least".into(),
        ));
    }
    let request = match (sfid, message_type) {
        (Sfid::Rc, _) => output::decode_target(message, control, form, extended)?,
        (Sfid::Urb, _) => output::decode_urb(control, extended)?,
        (Sfid::Gateway | Sfid::Ts, _) => sync::decode_thread(message, control, platform)?,
        (sfid, _) if sfid.is_lsc() => sync::decode_lsc_fence(sfid, control)?,
        (Sfid::Dc0, t::FENCE) => sync::decode_fence(control, platform)?,
        (Sfid::Dc0, t::BYTE_READ | t::BYTE_WRITE) => {
            scattered::decode_byte_scattered(message, control, form)?
        }
        (Sfid::Dc0, t::DWORD_READ | t::DWORD_WRITE) => {
            scattered::decode_dword_scattered(message, control, form)?
        }
        (Sfid::Dc0, _) => block::decode_oword(message, control)?,
        (Sfid::Dc1, t::MEDIA_READ | t::MEDIA_WRITE) => block::decode_media(message, control)?,
        (Sfid::Dc1, t::TYPED_READ | t::TYPED_WRITE) => channels::decode_typed(control, form)?,
        (Sfid::Dc1, t::SVM_BLOCK_READ | t::SVM_BLOCK_WRITE) => {
            block::decode_svm_block(message, control)?
        }
        (Sfid::Dc1, t::SVM_READ | t::SVM_WRITE) => scattered::decode_svm_scattered(control)?,
        (Sfid::Dc1, t::UNTYPED_READ | t::UNTYPED_WRITE) => Request::Untyped(
            channels::decode_untyped(control, t::UNTYPED_READ, t::UNTYPED_WRITE)?,
        ),
        (Sfid::Dc1, t::SVM_UNTYPED_READ | t::SVM_UNTYPED_WRITE) => {
            stateless(control)?;
            Request::SvmUntyped(channels::decode_untyped(
                control,
                t::SVM_UNTYPED_READ,
                t::SVM_UNTYPED_WRITE,
            )?)
        }
        _ => atomic::decode_atomic(control, message_type)?,
    };
    // What brings nothing along but its header or its one register.
    let alone = match &request {
        Request::MediaRead(_)
        | Request::Fence(_)
        | Request::LscFence(_)
        | Request::Barrier
        | Request::EndOfThread => true,
        Request::Oword(OwordBlock { access, .. }) | Request::SvmBlock(SvmBlock { access, .. }) => {
            *access == Access::Read
        }
        _ => false,
    };
    if alone && form.second != 0 {
        return Err(DecodeError::Length(format!(
            "a second payload of {} registers, of which the message reads nothing",
            form.second
        )));
    }
    // Whether a header is in front follows from the message, except for render targets.
    let header = match request {
        Request::Target(_) => form.header,
        Request::MediaRead(_)
        | Request::MediaWrite(_)
        | Request::Oword(_)
        | Request::SvmBlock(_)
        | Request::Fence(_)
        | Request::Urb(_) => true,
        Request::ByteScattered(_) | Request::DwordScattered(_) => form.header,
        Request::Untyped(_) | Request::Typed(_) | Request::Atomic(_)
            if platform.optional_header =>
        {
            form.header
        }
        _ => false,
    };
    reserved(
        outer::HEADER,
        form.header.into(),
        (header == form.header).then_some(request),
    )
}

fn bad(text: &str) -> EncodeError {
    EncodeError::Unencodable(text.into())
}

fn read_or_write(access: Access, read: u32, write: u32) -> u32 {
    match access {
        Access::Read => read,
        Access::Write => write,
    }
}

/// Reads the access from a message type.
fn access(field: Field, value: u32, read: u32, write: u32) -> Result<Access, DecodeError> {
    let known = if value == read {
        Some(Access::Read)
    } else if value == write {
        Some(Access::Write)
    } else {
        None
    };
    reserved(field, value, known)
}

/// Eight lanes or sixteen.
fn wide(lanes: u32) -> Result<bool, EncodeError> {
    match lanes {
        8 => Ok(false),
        16 => Ok(true),
        _ => Err(bad("8 or 16 lanes")),
    }
}

fn stateless(control: u32) -> Result<(), DecodeError> {
    let binding = fields::dataport::BINDING;
    let value = binding.get(&[control]);
    reserved(binding, value, (value == STATELESS).then_some(()))
}
