//! Untyped access: bytes at offsets, and what atomic operations make of them.
//!
//! A [`Window`] is the part of a memory that a surface (or shared local memory) shows: reads outside give
//! 0, writes outside vanish. Source: vISA text reference 5.9.

use crate::isa::AtomicOp;
use crate::surface::{Kind, Memory, Surface};

/// A run of bytes in a memory.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    memory: &'a Memory,
    base: usize,
    len: usize,
}

impl<'a> Window<'a> {
    /// All bytes of a memory.
    pub fn whole(memory: &'a Memory) -> Window<'a> {
        Window {
            memory,
            base: 0,
            len: memory.len(),
        }
    }

    /// The bytes of a surface: the elements of a buffer, or everything from the base of another
    /// surface to its end, in memory order.
    pub fn of(surface: &'a Surface) -> Window<'a> {
        let d = surface.description();
        let memory: &Memory = surface.memory();
        let base = (d.base as usize).min(memory.len());
        let rest = memory.len() - base;
        let len = match d.kind {
            Kind::Null => 0,
            Kind::Buffer => (d.width as usize)
                .saturating_mul(d.pitch as usize)
                .min(rest),
            _ => (surface.end() as usize).saturating_sub(base).min(rest),
        };
        Window { memory, base, len }
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it shows nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Which memory this is a part of, for telling two apart.
    pub fn memory(&self) -> usize {
        std::ptr::from_ref(self.memory).addr()
    }

    /// Where byte `offset` lies in the memory.
    pub fn start(&self, offset: u64) -> u64 {
        (self.base as u64).saturating_add(offset)
    }

    /// How many of `len` bytes from `offset` on lie inside.
    pub fn inside(&self, offset: u64, len: usize) -> usize {
        match usize::try_from(offset) {
            Ok(offset) if offset < self.len => len.min(self.len - offset),
            _ => 0,
        }
    }

    /// The memory and where byte `offset` lies in it, if `len` bytes from there on are all inside.
    #[inline]
    pub fn part(&self, offset: u64, len: usize) -> Option<(&'a Memory, usize)> {
        (self.inside(offset, len) == len).then(|| (self.memory, self.base + offset as usize))
    }

    /// Copies bytes out; those outside are 0.
    pub fn read(&self, offset: u64, out: &mut [u8]) {
        let inside = self.inside(offset, out.len());
        let (own, outside) = out.split_at_mut(inside);
        if inside > 0 {
            self.memory.read(self.base + offset as usize, own);
        }
        outside.fill(0);
    }

    /// The `N` bytes at `offset`: [`Window::read`] for a size known while compiling.
    #[inline]
    pub fn load<const N: usize>(&self, offset: u64) -> [u8; N] {
        if self.inside(offset, N) == N {
            return self.memory.load(self.base + offset as usize);
        }
        let mut bytes = [0; N];
        self.read(offset, &mut bytes);
        bytes
    }

    /// Copies bytes in; those outside vanish.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        let inside = self.inside(offset, bytes.len());
        if inside > 0 {
            self.memory
                .write(self.base + offset as usize, &bytes[..inside]);
        }
    }

    /// An atomic operation on 2, 4 or 8 bytes; the old value. The address is aligned down to the size,
    /// as its low bits do not reach memory. Outside the old value is 0 and nothing is written.
    pub fn atomic(&self, op: AtomicOp, ty: AtomicType, offset: u64, src: [u64; 2]) -> u64 {
        let bits = ty.bits;
        let size = usize::from(bits) / 8;
        let offset = offset & !(size as u64 - 1);
        if self.inside(offset, size) < size {
            return 0;
        }
        let at = self.base + offset as usize;
        match bits {
            64 if at.is_multiple_of(8) => self.memory.update_u64(at, |old| apply(op, ty, old, src)),
            32 if at.is_multiple_of(4) => {
                let new = |old: u32| apply(op, ty, u64::from(old), src) as u32;
                u64::from(self.memory.update_u32(at, new))
            }
            16 if at.is_multiple_of(2) => {
                // The word inside its dword.
                let shift = at % 4 * 8;
                let word = |dword: u32| u64::from(dword >> shift & 0xffff);
                let old = self.memory.update_u32(at & !3, |old| {
                    let new = apply(op, ty, word(old), src) as u32 & 0xffff;
                    old & !(0xffff << shift) | new << shift
                });
                word(old)
            }
            _ => {
                // A base that is not aligned: no machine does this in one step, nor do we.
                let mut bytes = [0; 8];
                self.memory.read(at, &mut bytes[..size]);
                let old = u64::from_le_bytes(bytes);
                let new = apply(op, ty, old, src).to_le_bytes();
                self.memory.write(at, &new[..size]);
                old
            }
        }
    }
}

/// What an atomic operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicType {
    /// 16, 32 or 64.
    pub bits: u8,
    /// Floats of 16 bits are bfloat16, not halves.
    pub bfloat: bool,
}

impl AtomicType {
    /// Integers, or floats of IEEE 754.
    pub const fn of_bits(bits: u32) -> AtomicType {
        AtomicType {
            bits: bits as u8,
            bfloat: false,
        }
    }
}

/// The new value of an atomic operation. Source: vISA text reference 5.9, "Atomics".
pub fn apply(op: AtomicOp, ty: AtomicType, old: u64, [a, b]: [u64; 2]) -> u64 {
    let bits = ty.bits;
    let up = 64 - u32::from(bits);
    let (unsigned, signed) = (|v: u64| v << up >> up, |v: u64| (v << up) as i64 >> up);
    match op {
        AtomicOp::Add => old.wrapping_add(a),
        AtomicOp::Sub => old.wrapping_sub(a),
        AtomicOp::Inc => old.wrapping_add(1),
        AtomicOp::Dec => old.wrapping_sub(1),
        AtomicOp::Min => unsigned(old).min(unsigned(a)),
        AtomicOp::Max => unsigned(old).max(unsigned(a)),
        AtomicOp::Xchg => a,
        AtomicOp::CmpXchg if unsigned(old) == unsigned(b) => a,
        AtomicOp::CmpXchg => old,
        AtomicOp::And => old & a,
        AtomicOp::Or => old | a,
        AtomicOp::Xor => old ^ a,
        AtomicOp::MinSint => signed(old).min(signed(a)) as u64,
        AtomicOp::MaxSint => signed(old).max(signed(a)) as u64,
        AtomicOp::FMax | AtomicOp::FMin | AtomicOp::FCmpWr | AtomicOp::FAdd | AtomicOp::FSub => {
            match bits {
                64 => float(
                    op,
                    f64::from_bits(old),
                    f64::from_bits(a),
                    f64::from_bits(b),
                )
                .to_bits(),
                32 => {
                    let value = |v: u64| f64::from(f32::from_bits(v as u32));
                    // One rounding of the exact sum of two singles is the same through a double.
                    u64::from((float(op, value(old), value(a), value(b)) as f32).to_bits())
                }
                _ if ty.bfloat => {
                    let value = |v: u64| half::bf16::from_bits(v as u16).to_f64();
                    let result = float(op, value(old), value(a), value(b));
                    u64::from(half::bf16::from_f64(result).to_bits())
                }
                _ => {
                    let value = |v: u64| half::f16::from_bits(v as u16).to_f64();
                    let result = float(op, value(old), value(a), value(b));
                    u64::from(half::f16::from_f32(result as f32).to_bits())
                }
            }
        }
    }
}

/// Float operations. `fcmpwr` has the roles of `cmpxchg` exchanged: source 0 is compared, source 1 is
/// written, as the vISA page says (vISA text reference 5.9).
fn float(op: AtomicOp, old: f64, a: f64, b: f64) -> f64 {
    match op {
        AtomicOp::FMax if old.is_nan() || a > old => a,
        AtomicOp::FMin if old.is_nan() || a < old => a,
        AtomicOp::FCmpWr if old == a => b,
        // Of two that are NaN it is the one in memory.
        AtomicOp::FAdd | AtomicOp::FSub if old.is_nan() => old + old,
        AtomicOp::FAdd => old + a,
        AtomicOp::FSub => old - a,
        _ => old,
    }
}
