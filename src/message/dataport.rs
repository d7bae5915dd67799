//! Data port messages (media and oword blocks, scattered, untyped, typed, atomic, 64-bit addresses),
//! and the small functions beside it: render cache, URB, fences, gateway, thread spawner.
//!
//! ```text
//!  18:14         13:8           7:0
//!  message type  type specific  binding
//! ```
//!
//! Source: lowering reference 2 and 8 to 15.

use super::Sfid;
use super::bits::{
    DecodeError, Draft, EncodeError, Form, Message, refuse_data_size, refuse_unknown,
    refuse_unknown_in, reserved,
};
use super::fields::{self, Field, Layout, outer};
use super::request::{
    Access, Atomic, Fence, FieldSelect, MediaBlock, OwordBlock, Request, Scattered, SvmBlock,
    SvmScattered, TargetWrite, Typed, Untyped, UrbWrite,
};
use crate::isa::{AtomicOp, ChannelMask, Platform};

/// Message types. Source: lowering reference 2.1, 8 to 15.
#[allow(missing_docs)] // The names are the messages' own.
pub mod types {
    pub const MEDIA_READ: u32 = 4;
    pub const MEDIA_WRITE: u32 = 10;
    pub const OWORD_READ: u32 = 0;
    pub const OWORD_READ_UNALIGNED: u32 = 1;
    pub const OWORD_WRITE: u32 = 8;
    pub const DWORD_READ: u32 = 3;
    pub const DWORD_WRITE: u32 = 11;
    pub const BYTE_READ: u32 = 4;
    pub const BYTE_WRITE: u32 = 12;
    pub const FENCE: u32 = 7;
    pub const UNTYPED_READ: u32 = 1;
    pub const UNTYPED_WRITE: u32 = 9;
    pub const TYPED_READ: u32 = 5;
    pub const TYPED_WRITE: u32 = 13;
    pub const ATOMIC: u32 = 2;
    pub const ATOMIC_16: u32 = 3;
    pub const ATOMIC_FLOAT: u32 = 27;
    pub const ATOMIC_HALF: u32 = 28;
    pub const TYPED_ATOMIC: u32 = 6;
    pub const TYPED_ATOMIC_16: u32 = 7;
    pub const SVM_ATOMIC: u32 = 18;
    pub const SVM_ATOMIC_16: u32 = 19;
    pub const SVM_BLOCK_READ: u32 = 20;
    pub const SVM_BLOCK_WRITE: u32 = 21;
    pub const SVM_READ: u32 = 16;
    pub const SVM_WRITE: u32 = 26;
    pub const SVM_UNTYPED_READ: u32 = 17;
    pub const SVM_UNTYPED_WRITE: u32 = 25;
    pub const TARGET_WRITE: u32 = 12;
    pub const URB_SIMD8_WRITE: u32 = 7;
    pub const BARRIER: u32 = 4;
    pub const LSC_FENCE: u32 = 31;
}

/// Binding of 64-bit addresses and of the stateless surface.
pub const STATELESS: u32 = 0xff;
/// Binding of shared local memory.
pub const SLM: u32 = 0xfe;
/// Binding of bindless surfaces.
pub const BINDLESS: u32 = 0xfc;

/// Code of an oword count. Source: lowering reference 8.
pub const fn oword_code(owords: u32) -> Option<u32> {
    match owords {
        1 => Some(0),
        2 => Some(2),
        4 => Some(3),
        8 => Some(4),
        16 => Some(5),
        _ => None,
    }
}

/// Operation code of an atomic. Source: lowering reference 12.1.
pub const fn atomic_code(op: AtomicOp) -> Option<u32> {
    Some(match op {
        AtomicOp::And | AtomicOp::FMax => 1,
        AtomicOp::Or | AtomicOp::FMin => 2,
        AtomicOp::Xor | AtomicOp::FCmpWr => 3,
        AtomicOp::Xchg | AtomicOp::FAdd => 4,
        AtomicOp::Inc => 5,
        AtomicOp::Dec => 6,
        AtomicOp::Add => 7,
        AtomicOp::Sub => 8,
        AtomicOp::MaxSint => 10,
        AtomicOp::MinSint => 11,
        AtomicOp::Max => 12,
        AtomicOp::Min => 13,
        AtomicOp::CmpXchg => 14,
        // The tables give it no code.
        AtomicOp::FSub => return None,
    })
}

/// Whether the operation computes with floats.
pub const fn is_float(op: AtomicOp) -> bool {
    matches!(
        op,
        AtomicOp::FMax | AtomicOp::FMin | AtomicOp::FCmpWr | AtomicOp::FAdd | AtomicOp::FSub
    )
}

fn atomic_op(code: u32, float: bool) -> Option<AtomicOp> {
    AtomicOp::ALL
        .iter()
        .map(|&(op, _, _)| op)
        .find(|&op| is_float(op) == float && atomic_code(op) == Some(code))
}

/// The three field bits of a media block. Source: lowering reference 2.1.
pub const fn field_bits(field: FieldSelect) -> u32 {
    match field {
        FieldSelect::State => 0,
        FieldSelect::Top => 0b110,
        FieldSelect::Bottom => 0b111,
    }
}

fn bad(text: &str) -> EncodeError {
    EncodeError::Form(text.into())
}

fn read_or_write(access: Access, read: u32, write: u32) -> u32 {
    match access {
        Access::Read => read,
        Access::Write => write,
    }
}

fn channels(mask: ChannelMask) -> Result<u32, EncodeError> {
    if mask.0 == 0 || mask.0 > 0xf {
        return Err(bad("channel set"));
    }
    Ok(u32::from(!mask.0 & 0xf))
}

pub(super) fn encode(
    request: &Request,
    form: &Form,
    platform: Platform,
) -> Result<Draft, EncodeError> {
    let mut d = match request {
        Request::MediaRead(r) => media(r, types::MEDIA_READ)?,
        Request::MediaWrite(r) => media(r, types::MEDIA_WRITE)?,
        Request::Oword(r) => oword(r)?,
        Request::ByteScattered(r) => byte_scattered(r, form)?,
        Request::DwordScattered(r) => dword_scattered(r, form)?,
        Request::Untyped(r) => untyped(r, false)?,
        Request::SvmUntyped(r) => untyped(r, true)?,
        Request::Typed(r) => typed(r, form)?,
        Request::Atomic(r) => atomic(r)?,
        Request::TypedAtomic(r) => typed_atomic(r)?,
        Request::SvmAtomic(r) => svm_atomic(r)?,
        Request::SvmBlock(r) => svm_block(r)?,
        Request::SvmScattered(r) => svm_scattered(r)?,
        Request::Target(r) => target(r, form)?,
        Request::Urb(r) => urb(r)?,
        Request::Fence(r) => fence(r, platform)?,
        Request::Barrier => {
            let mut d = Draft::new(Sfid::Gateway);
            d.put(fields::gateway::OPCODE, types::BARRIER)?;
            d
        }
        Request::EndOfThread => end_of_thread(platform)?,
        Request::Sampler(_) | Request::Avs(_) | Request::Unorm(_) | Request::SamplerFlush => {
            return Err(bad("a sampler message"));
        }
    };
    let header = match request {
        Request::MediaRead(_)
        | Request::MediaWrite(_)
        | Request::Oword(_)
        | Request::SvmBlock(_)
        | Request::Urb(_) => Some(true),
        Request::Fence(_) => Some(!d.sfid.is_lsc()),
        Request::Target(_) => None,
        Request::ByteScattered(r) | Request::DwordScattered(r) => Some(r.global.is_some()),
        _ => Some(false),
    };
    if header.is_some_and(|h| h != form.header) {
        return Err(bad(if form.header {
            "the message has no header"
        } else {
            "the message needs a header"
        }));
    }
    if form.first == 0 {
        return Err(bad("a message has one register at least"));
    }
    d.eot |= matches!(request, Request::EndOfThread);
    Ok(d)
}

fn media(r: &MediaBlock, message_type: u32) -> Result<Draft, EncodeError> {
    use fields::{media_block as c, media_block_header as h};
    if r.width == 0 || r.height == 0 {
        return Err(bad("an empty block"));
    }
    let mut d = Draft::new(Sfid::Dc1);
    d.put(c::TYPE, message_type)?;
    let bits = field_bits(r.field);
    d.put(c::OVERRIDE, bits >> 2)?;
    d.put(c::STRIDE, bits >> 1 & 1)?;
    d.put(c::LINE, bits & 1)?;
    d.put(c::BINDING, r.surface)?;
    h::X.put(&mut d.header, r.x as u32)?;
    h::Y.put(&mut d.header, r.y as u32)?;
    h::WIDTH.put(&mut d.header, r.width - 1)?;
    h::HEIGHT.put(&mut d.header, r.height - 1)?;
    Ok(d)
}

fn oword(r: &OwordBlock) -> Result<Draft, EncodeError> {
    use fields::{offset_header as h, oword_block as c};
    let code = oword_code(r.owords).ok_or_else(|| bad("1, 2, 4, 8 or 16 owords"))?;
    if r.high && r.owords != 1 || r.unaligned && r.access == Access::Write {
        return Err(bad("no such oword block"));
    }
    let mut d = Draft::new(Sfid::Dc0);
    let read = if r.unaligned {
        types::OWORD_READ_UNALIGNED
    } else {
        types::OWORD_READ
    };
    d.put(c::TYPE, read_or_write(r.access, read, types::OWORD_WRITE))?;
    d.put(c::SIZE, code | u32::from(r.high))?;
    d.put(c::BINDING, r.surface)?;
    h::GLOBAL.put(&mut d.header, r.offset)?;
    Ok(d)
}

fn byte_scattered(r: &Scattered, form: &Form) -> Result<Draft, EncodeError> {
    use fields::byte_scattered as c;
    let size = match r.element_bytes {
        1 => 0,
        2 => 1,
        4 => 2,
        _ => return Err(bad("an element of 1, 2 or 4 bytes")),
    };
    let mut d = Draft::new(Sfid::Dc0);
    d.put(
        c::TYPE,
        read_or_write(r.access, types::BYTE_READ, types::BYTE_WRITE),
    )?;
    d.put(c::SIZE, size)?;
    d.put(c::LANES, wide(r.lanes)?.into())?;
    d.put(c::BINDING, r.surface)?;
    global(&mut d, r, form)?;
    Ok(d)
}

fn dword_scattered(r: &Scattered, form: &Form) -> Result<Draft, EncodeError> {
    use fields::dword_scattered as c;
    if r.element_bytes != 4 {
        return Err(bad("an element of 4 bytes"));
    }
    let mut d = Draft::new(Sfid::Dc0);
    d.put(
        c::TYPE,
        read_or_write(r.access, types::DWORD_READ, types::DWORD_WRITE),
    )?;
    d.put(c::LANES, 2 + u32::from(wide(r.lanes)?))?;
    d.put(c::BINDING, r.surface)?;
    global(&mut d, r, form)?;
    Ok(d)
}

fn global(d: &mut Draft, r: &Scattered, form: &Form) -> Result<(), EncodeError> {
    if let (Some(offset), true) = (r.global, form.header) {
        fields::offset_header::GLOBAL.put(&mut d.header, offset)?;
    }
    Ok(())
}

/// Eight lanes or sixteen.
fn wide(lanes: u32) -> Result<bool, EncodeError> {
    match lanes {
        8 => Ok(false),
        16 => Ok(true),
        _ => Err(bad("8 or 16 lanes")),
    }
}

fn untyped(r: &Untyped, svm: bool) -> Result<Draft, EncodeError> {
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

fn typed(r: &Typed, form: &Form) -> Result<Draft, EncodeError> {
    use fields::typed as c;
    let data = match r.access {
        Access::Read => 0,
        Access::Write => r.channels.count(),
    };
    if !(1..=4).contains(&r.coordinates) || form.registers() != r.coordinates + data {
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

/// Message type of a dword atomic. Source: lowering reference 12.1.
pub const fn atomic_type(op: AtomicOp, half: bool) -> u32 {
    match (is_float(op), half) {
        (false, false) => types::ATOMIC,
        (false, true) => types::ATOMIC_16,
        (true, false) => types::ATOMIC_FLOAT,
        (true, true) => types::ATOMIC_HALF,
    }
}

fn atomic_common(r: &Atomic, message_type: u32) -> Result<Draft, EncodeError> {
    use fields::atomic as c;
    let code = atomic_code(r.op).ok_or_else(|| bad("an operation without a code"))?;
    let mut d = Draft::new(Sfid::Dc1);
    d.put(c::TYPE, message_type)?;
    d.put(c::RETURN, r.returns.into())?;
    d.put(c::OP, code)?;
    d.put(c::BINDING, r.surface)?;
    Ok(d)
}

fn atomic(r: &Atomic) -> Result<Draft, EncodeError> {
    if r.bits != 16 && r.bits != 32 {
        return Err(bad("16 or 32 bits"));
    }
    let mut d = atomic_common(r, atomic_type(r.op, r.bits == 16))?;
    d.put(fields::atomic::LANES, u32::from(!wide(r.lanes)?))?;
    Ok(d)
}

fn typed_atomic(r: &Atomic) -> Result<Draft, EncodeError> {
    let message_type = match r.bits {
        16 => types::TYPED_ATOMIC_16,
        32 => types::TYPED_ATOMIC,
        _ => return Err(bad("16 or 32 bits")),
    };
    if is_float(r.op) || r.lanes != 8 {
        return Err(bad("integer operation on eight lanes"));
    }
    atomic_common(r, message_type)
}

fn svm_atomic(r: &Atomic) -> Result<Draft, EncodeError> {
    if is_float(r.op) || r.lanes != 8 || r.surface != STATELESS {
        return Err(bad("integer operation on eight lanes, binding 255"));
    }
    let (message_type, wide_data) = match r.bits {
        16 => (types::SVM_ATOMIC_16, 0),
        32 => (types::SVM_ATOMIC, 0),
        64 => (types::SVM_ATOMIC, 1),
        _ => return Err(bad("16, 32 or 64 bits")),
    };
    let mut d = atomic_common(r, message_type)?;
    d.put(fields::atomic::LANES, wide_data)?;
    Ok(d)
}

fn svm_block(r: &SvmBlock) -> Result<Draft, EncodeError> {
    use fields::{svm_block as c, svm_block_header as h};
    let code = match r.owords {
        1 | 2 | 4 | 8 => oword_code(r.owords),
        _ => None,
    };
    let mut d = Draft::new(Sfid::Dc1);
    d.put(
        c::TYPE,
        read_or_write(r.access, types::SVM_BLOCK_READ, types::SVM_BLOCK_WRITE),
    )?;
    d.put(c::SUBTYPE, r.unaligned.into())?;
    d.put(c::SIZE, code.ok_or_else(|| bad("1, 2, 4 or 8 owords"))?)?;
    d.put(c::BINDING, STATELESS)?;
    h::ADDRESS_LOW.put(&mut d.header, r.address as u32)?;
    h::ADDRESS_HIGH.put(&mut d.header, (r.address >> 32) as u32)?;
    Ok(d)
}

fn svm_scattered(r: &SvmScattered) -> Result<Draft, EncodeError> {
    use fields::svm_scattered as c;
    let size = match r.block_bytes {
        1 => 0,
        4 => 1,
        8 => 2,
        _ => return Err(bad("blocks of 1, 4 or 8 bytes")),
    };
    if !r.blocks.is_power_of_two() || r.blocks > 8 {
        return Err(bad("1, 2, 4 or 8 blocks"));
    }
    let mut d = Draft::new(Sfid::Dc1);
    d.put(
        c::TYPE,
        read_or_write(r.access, types::SVM_READ, types::SVM_WRITE),
    )?;
    d.put(c::LANES, wide(r.lanes)?.into())?;
    d.put(c::COUNT, r.blocks.trailing_zeros())?;
    d.put(c::SIZE, size)?;
    d.put(c::BINDING, STATELESS)?;
    Ok(d)
}

fn target(r: &TargetWrite, form: &Form) -> Result<Draft, EncodeError> {
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

fn urb(r: &UrbWrite) -> Result<Draft, EncodeError> {
    use fields::urb as c;
    let mut d = Draft::new(Sfid::Urb);
    d.put(c::PER_SLOT, r.per_slot.into())?;
    d.put(c::MASKED, r.masked.into())?;
    d.put(c::OFFSET, r.offset)?;
    d.put(c::OPCODE, types::URB_SIMD8_WRITE)?;
    Ok(d)
}

/// Scope and flush of a load/store fence: shared local memory, else global.
pub const fn lsc_fence_control(local: bool, platform: Platform) -> u32 {
    use fields::lsc_fence as c;
    let (flush, scope) = match (local, platform) {
        (true, _) => (0, 0),
        (false, Platform::Pvc) => (0, 3),
        (false, _) => (1, 3),
    };
    flush << c::FLUSH.lo | scope << c::SCOPE.lo | 1 << c::WIDE.lo | types::LSC_FENCE
}

fn fence(r: &Fence, platform: Platform) -> Result<Draft, EncodeError> {
    use fields::fence as c;
    if platform >= Platform::Dg2 {
        if r.l3 != 0 || r.l1 || !r.commit {
            return Err(bad(
                "a load/store fence has no cache flags and always answers",
            ));
        }
        let mut d = Draft::new(if r.local { Sfid::Slm } else { Sfid::Ugm });
        d.control = lsc_fence_control(r.local, platform);
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

fn end_of_thread(platform: Platform) -> Result<Draft, EncodeError> {
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
            | t::SVM_ATOMIC_16,
        ) => &fields::atomic::LAYOUT,
        (Sfid::Dc1, t::SVM_BLOCK_READ | t::SVM_BLOCK_WRITE) => &fields::svm_block::LAYOUT,
        (Sfid::Dc1, t::SVM_READ | t::SVM_WRITE) => &fields::svm_scattered::LAYOUT,
        (Sfid::Rc, _) => &fields::render_target::LAYOUT,
        (Sfid::Urb, _) => &fields::urb::LAYOUT,
        (Sfid::Gateway, _) => &fields::gateway::LAYOUT,
        (Sfid::Ts, _) => &fields::spawner::LAYOUT,
        (Sfid::Ugm | Sfid::Tgm | Sfid::Slm, _) => &fields::lsc_fence::LAYOUT,
        _ => return None,
    })
}

pub(super) fn decode(
    message: &Message,
    form: &Form,
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
        (Sfid::Rc, _) => decode_target(message, control, form)?,
        (Sfid::Urb, _) => decode_urb(control)?,
        (Sfid::Gateway | Sfid::Ts, _) => decode_thread(message, control, platform)?,
        (Sfid::Ugm | Sfid::Tgm | Sfid::Slm, _) => {
            let local = sfid == Sfid::Slm;
            let wanted = lsc_fence_control(local, platform);
            let opcode = fields::lsc_fence::OPCODE;
            reserved(
                opcode,
                opcode.get(&[control]),
                (control == wanted).then_some(Request::Fence(Fence {
                    local,
                    commit: true,
                    l3: 0,
                    l1: false,
                })),
            )?
        }
        (Sfid::Dc0, t::FENCE) => decode_fence(control, platform)?,
        (Sfid::Dc0, t::BYTE_READ | t::BYTE_WRITE) => decode_byte_scattered(message, control, form)?,
        (Sfid::Dc0, t::DWORD_READ | t::DWORD_WRITE) => {
            decode_dword_scattered(message, control, form)?
        }
        (Sfid::Dc0, _) => decode_oword(message, control)?,
        (Sfid::Dc1, t::MEDIA_READ | t::MEDIA_WRITE) => decode_media(message, control)?,
        (Sfid::Dc1, t::TYPED_READ | t::TYPED_WRITE) => decode_typed(control, form)?,
        (Sfid::Dc1, t::SVM_BLOCK_READ | t::SVM_BLOCK_WRITE) => decode_svm_block(message, control)?,
        (Sfid::Dc1, t::SVM_READ | t::SVM_WRITE) => decode_svm_scattered(control)?,
        (Sfid::Dc1, t::UNTYPED_READ | t::UNTYPED_WRITE) => {
            Request::Untyped(decode_untyped(control, t::UNTYPED_READ, t::UNTYPED_WRITE)?)
        }
        (Sfid::Dc1, t::SVM_UNTYPED_READ | t::SVM_UNTYPED_WRITE) => {
            stateless(control)?;
            Request::SvmUntyped(decode_untyped(
                control,
                t::SVM_UNTYPED_READ,
                t::SVM_UNTYPED_WRITE,
            )?)
        }
        _ => decode_atomic(control, message_type)?,
    };
    // Whether a header stands in front follows from the message, except for render targets.
    let header = match request {
        Request::Target(_) => form.header,
        Request::MediaRead(_)
        | Request::MediaWrite(_)
        | Request::Oword(_)
        | Request::SvmBlock(_)
        | Request::Urb(_) => true,
        Request::Fence(_) => !sfid.is_lsc(),
        Request::ByteScattered(_) | Request::DwordScattered(_) => form.header,
        _ => false,
    };
    reserved(
        outer::HEADER,
        form.header.into(),
        (header == form.header).then_some(request),
    )
}

fn decode_media(message: &Message, control: u32) -> Result<Request, DecodeError> {
    use fields::{media_block as c, media_block_header as h};
    let word = [control];
    refuse_unknown_in(&h::LAYOUT, &message.header, 2)?;
    let bits = c::OVERRIDE.get(&word) << 2 | c::STRIDE.get(&word) << 1 | c::LINE.get(&word);
    let field = match bits {
        0 => Some(FieldSelect::State),
        0b110 => Some(FieldSelect::Top),
        0b111 => Some(FieldSelect::Bottom),
        _ => None,
    };
    let block = MediaBlock {
        surface: c::BINDING.get(&word),
        field: reserved(c::STRIDE, c::STRIDE.get(&word), field)?,
        x: h::X.get(&message.header) as i32,
        y: h::Y.get(&message.header) as i32,
        width: h::WIDTH.get(&message.header) + 1,
        height: h::HEIGHT.get(&message.header) + 1,
    };
    Ok(
        match access(
            c::TYPE,
            c::TYPE.get(&word),
            types::MEDIA_READ,
            types::MEDIA_WRITE,
        )? {
            Access::Read => Request::MediaRead(block),
            Access::Write => Request::MediaWrite(block),
        },
    )
}

fn decode_oword(message: &Message, control: u32) -> Result<Request, DecodeError> {
    use fields::{offset_header as h, oword_block as c};
    let word = [control];
    let message_type = c::TYPE.get(&word);
    let size = c::SIZE.get(&word);
    let owords = match size {
        0 | 1 => Some(1),
        2..=5 => Some(1 << (size - 1)),
        _ => None,
    };
    let unaligned = message_type == types::OWORD_READ_UNALIGNED;
    Ok(Request::Oword(OwordBlock {
        surface: c::BINDING.get(&word),
        access: if message_type == types::OWORD_WRITE {
            Access::Write
        } else {
            Access::Read
        },
        owords: reserved(c::SIZE, size, owords)?,
        high: size == 1,
        unaligned,
        offset: h::GLOBAL.get(&message.header),
    }))
}

fn decode_byte_scattered(
    message: &Message,
    control: u32,
    form: &Form,
) -> Result<Request, DecodeError> {
    use fields::byte_scattered as c;
    let word = [control];
    let size = c::SIZE.get(&word);
    Ok(Request::ByteScattered(Scattered {
        surface: c::BINDING.get(&word),
        access: access(
            c::TYPE,
            c::TYPE.get(&word),
            types::BYTE_READ,
            types::BYTE_WRITE,
        )?,
        element_bytes: reserved(c::SIZE, size, (size < 3).then_some(1 << size))?,
        lanes: 8 << c::LANES.get(&word),
        global: global_of(message, form),
    }))
}

fn decode_dword_scattered(
    message: &Message,
    control: u32,
    form: &Form,
) -> Result<Request, DecodeError> {
    use fields::dword_scattered as c;
    let word = [control];
    let lanes = c::LANES.get(&word);
    Ok(Request::DwordScattered(Scattered {
        surface: c::BINDING.get(&word),
        access: access(
            c::TYPE,
            c::TYPE.get(&word),
            types::DWORD_READ,
            types::DWORD_WRITE,
        )?,
        element_bytes: 4,
        lanes: match lanes {
            2 => 8,
            3 => 16,
            value => return reserved(c::LANES, value, None),
        },
        global: global_of(message, form),
    }))
}

fn global_of(message: &Message, form: &Form) -> Option<u32> {
    form.header
        .then(|| fields::offset_header::GLOBAL.get(&message.header))
}

fn some_channels(field: Field, disable: u32) -> Result<ChannelMask, DecodeError> {
    reserved(
        field,
        disable,
        (disable != 0xf).then_some(ChannelMask(!disable as u8 & 0xf)),
    )
}

fn decode_untyped(control: u32, read: u32, write: u32) -> Result<Untyped, DecodeError> {
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

fn stateless(control: u32) -> Result<(), DecodeError> {
    let binding = fields::dataport::BINDING;
    let value = binding.get(&[control]);
    reserved(binding, value, (value == STATELESS).then_some(()))
}

fn decode_typed(control: u32, form: &Form) -> Result<Request, DecodeError> {
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
    let coordinates = form.registers().saturating_sub(data);
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

fn decode_atomic(control: u32, message_type: u32) -> Result<Request, DecodeError> {
    use fields::atomic as c;
    let word = [control];
    let float = matches!(message_type, types::ATOMIC_FLOAT | types::ATOMIC_HALF);
    let half = matches!(
        message_type,
        types::ATOMIC_16 | types::ATOMIC_HALF | types::TYPED_ATOMIC_16 | types::SVM_ATOMIC_16
    );
    let code = c::OP.get(&word);
    let flag = c::LANES.get(&word);
    let mut r = Atomic {
        surface: c::BINDING.get(&word),
        op: reserved(c::OP, code, atomic_op(code, float))?,
        bits: if half { 16 } else { 32 },
        lanes: 8,
        returns: c::RETURN.get(&word) != 0,
    };
    Ok(match message_type {
        types::TYPED_ATOMIC | types::TYPED_ATOMIC_16 => {
            reserved(c::LANES, flag, (flag == 0).then_some(()))?;
            Request::TypedAtomic(r)
        }
        types::SVM_ATOMIC | types::SVM_ATOMIC_16 => {
            stateless(control)?;
            reserved(c::LANES, flag, (flag == 0 || !half).then_some(()))?;
            if flag != 0 {
                r.bits = 64;
            }
            Request::SvmAtomic(r)
        }
        _ => {
            r.lanes = 16 >> flag;
            Request::Atomic(r)
        }
    })
}

fn decode_svm_block(message: &Message, control: u32) -> Result<Request, DecodeError> {
    use fields::{svm_block as c, svm_block_header as h};
    let word = [control];
    stateless(control)?;
    let (size, subtype) = (c::SIZE.get(&word), c::SUBTYPE.get(&word));
    let owords = match size {
        0 => Some(1),
        2..=4 => Some(1 << (size - 1)),
        _ => None,
    };
    Ok(Request::SvmBlock(SvmBlock {
        access: access(
            c::TYPE,
            c::TYPE.get(&word),
            types::SVM_BLOCK_READ,
            types::SVM_BLOCK_WRITE,
        )?,
        owords: reserved(c::SIZE, size, owords)?,
        unaligned: reserved(c::SUBTYPE, subtype, (subtype < 2).then_some(subtype == 1))?,
        address: u64::from(h::ADDRESS_LOW.get(&message.header))
            | u64::from(h::ADDRESS_HIGH.get(&message.header)) << 32,
    }))
}

fn decode_svm_scattered(control: u32) -> Result<Request, DecodeError> {
    use fields::svm_scattered as c;
    let word = [control];
    stateless(control)?;
    let size = c::SIZE.get(&word);
    let bytes = match size {
        0 => Some(1),
        1 => Some(4),
        2 => Some(8),
        _ => None,
    };
    Ok(Request::SvmScattered(SvmScattered {
        access: access(
            c::TYPE,
            c::TYPE.get(&word),
            types::SVM_READ,
            types::SVM_WRITE,
        )?,
        block_bytes: reserved(c::SIZE, size, bytes)?,
        blocks: 1 << c::COUNT.get(&word),
        lanes: 8 << c::LANES.get(&word),
    }))
}

fn decode_target(message: &Message, control: u32, form: &Form) -> Result<Request, DecodeError> {
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

fn decode_urb(control: u32) -> Result<Request, DecodeError> {
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

fn decode_fence(control: u32, platform: Platform) -> Result<Request, DecodeError> {
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

fn decode_thread(
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
