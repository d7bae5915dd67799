//! Numbers of the data port's messages: types, bindings, sizes, atomic operations.

use super::super::fields;
use super::super::request::FieldSelect;
use crate::isa::{AtomicOp, Platform};

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
    pub const SVM_ATOMIC_FLOAT: u32 = 29;
    pub const SVM_ATOMIC_HALF: u32 = 30;
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

/// Operation code of an atomic. Source: lowering reference 12.1; that of `fsub` seen in the finalizer.
pub const fn atomic_code(op: AtomicOp) -> u32 {
    match op {
        AtomicOp::And | AtomicOp::FMax => 1,
        AtomicOp::Or | AtomicOp::FMin => 2,
        AtomicOp::Xor | AtomicOp::FCmpWr => 3,
        AtomicOp::Xchg | AtomicOp::FAdd => 4,
        AtomicOp::Inc | AtomicOp::FSub => 5,
        AtomicOp::Dec => 6,
        AtomicOp::Add => 7,
        AtomicOp::Sub => 8,
        AtomicOp::MaxSint => 10,
        AtomicOp::MinSint => 11,
        AtomicOp::Max => 12,
        AtomicOp::Min => 13,
        AtomicOp::CmpXchg => 14,
    }
}

/// Whether the operation computes with floats.
pub const fn is_float(op: AtomicOp) -> bool {
    matches!(
        op,
        AtomicOp::FMax | AtomicOp::FMin | AtomicOp::FCmpWr | AtomicOp::FAdd | AtomicOp::FSub
    )
}

/// The integer operation with the code of another: what a message says that has no floats.
pub fn same_code(op: AtomicOp) -> AtomicOp {
    atomic_op(atomic_code(op), false).unwrap_or(op)
}

/// The operation that a code means among the integer or the float ones.
pub(super) fn atomic_op(code: u32, float: bool) -> Option<AtomicOp> {
    AtomicOp::ALL
        .iter()
        .map(|&(op, _, _)| op)
        .find(|&op| is_float(op) == float && atomic_code(op) == code)
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

/// Message type of an atomic at 64-bit addresses. Source: lowering reference 12.3; the float ones
/// were seen in the finalizer.
pub const fn svm_atomic_type(op: AtomicOp, half: bool) -> u32 {
    match (is_float(op), half) {
        (false, false) => types::SVM_ATOMIC,
        (false, true) => types::SVM_ATOMIC_16,
        (true, false) => types::SVM_ATOMIC_FLOAT,
        (true, true) => types::SVM_ATOMIC_HALF,
    }
}

/// The three field bits of a media block. Source: lowering reference 2.1.
pub const fn field_bits(field: FieldSelect) -> u32 {
    match field {
        FieldSelect::State => 0,
        FieldSelect::Frame => 0b100,
        FieldSelect::Top => 0b110,
        FieldSelect::Bottom => 0b111,
    }
}

/// Function control of a load/store fence.
pub const fn lsc_fence_control(flush: u32, scope: u32) -> u32 {
    use fields::lsc_fence as c;
    flush << c::FLUSH.lo | scope << c::SCOPE.lo | 1 << c::WIDE.lo | types::LSC_FENCE
}

/// What the fences of earlier text flush on the load/store pipe, and how far they reach: shared local
/// memory none, global memory the L3 for the letter R. Source: lowering reference 15.
pub const fn fence_flush(local: bool, read_write: bool, platform: Platform) -> (u32, u32) {
    let evicts = matches!(platform.facts().lsc, Some(lsc) if lsc.fence_evicts);
    match (local, read_write) {
        (true, _) => (0, 0),
        (false, true) => (5, 3),
        (false, false) => (evicts as u32, 3),
    }
}
