//! `dpas`, one row of results: each lane adds the products of a row of A with its column of B.
//!
//! ```text
//!  sources: accumulator, B₀ … B₇ (a dword a lane each), A₀ … A₇ (a dword for all lanes each)
//!  lane n:  acc[n] + A₀·B₀[n] + … + A₇·B₇[n],  a dword being four bytes, two halves or one float
//! ```
//!
//! Integers wrap. Floats are products of halves, which a single holds, and sums that are rounded one after the
//! other, as the page of DPAS writes them; the hardware may keep more bits between, so that its results may differ
//! in the last places.
//!
//! Source: Xe2 reference 4; vISA text reference 5.2; vISA DPAS.

use super::{Bits, raw_bits};
use crate::exec::state::lanes::MAX_LANES;
use crate::exec::state::thread::Thread;
use crate::isa::Type;
use crate::program::{Alu, Precision};
use half::{bf16, f16};

/// Bits of the destination type, one for each lane.
pub(super) fn systolic_results(thread: &Thread<'_>, op: &Alu, count: usize) -> Bits {
    let (Some((acc, rest)), Some([b, a])) = (op.src.split_first(), op.precisions) else {
        return [0; MAX_LANES];
    };
    let depth = rest.len() / 2;
    let mut bits = raw_bits(thread, acc, count);
    let mut floats = bits.map(|bits| float_of(bits, acc.ty));
    for (column, row) in rest[..depth].iter().zip(&rest[depth..]) {
        let column = raw_bits(thread, column, count);
        let row = raw_bits(thread, row, 1)[0] as u32;
        for lane in 0..count {
            let column = column[lane] as u32;
            if b.is_float() {
                for part in 0..b.parts() {
                    floats[lane] += b.float(column, part) * a.float(row, part);
                }
            } else {
                for part in 0..b.parts() {
                    let product = b.integer(column, part).wrapping_mul(a.integer(row, part));
                    bits[lane] = bits[lane].wrapping_add(product as u64);
                }
            }
        }
    }
    if b.is_float() {
        bits = floats.map(|value| bits_of(value, op.dst.ty));
    }
    bits
}

fn float_of(bits: u64, ty: Type) -> f32 {
    match ty {
        Type::Hf => f16::from_bits(bits as u16).to_f32(),
        Type::Bf => bf16::from_bits(bits as u16).to_f32(),
        _ => f32::from_bits(bits as u32),
    }
}

fn bits_of(value: f32, ty: Type) -> u64 {
    match ty {
        Type::Hf => f16::from_f32(value).to_bits().into(),
        Type::Bf => bf16::from_f32(value).to_bits().into(),
        _ => value.to_bits().into(),
    }
}

impl Precision {
    /// Part `part` of a dword as an integer.
    fn integer(self, dword: u32, part: u32) -> i32 {
        let bits = 32 / self.parts();
        let up = 32 - bits;
        let value = dword >> (bits * part) << up;
        match self.is_signed() {
            true => value as i32 >> up,
            false => (value >> up) as i32,
        }
    }

    /// Part `part` of a dword as a float.
    fn float(self, dword: u32, part: u32) -> f32 {
        match self {
            Precision::Hf => f16::from_bits((dword >> (16 * part)) as u16).to_f32(),
            Precision::Bf => bf16::from_bits((dword >> (16 * part)) as u16).to_f32(),
            // The lowest 13 bits are not there.
            _ => f32::from_bits(dword & !0x1fff),
        }
    }
}
