//! The reference executor of element-wise instructions: any regions, any types.
//!
//! Sources are read into lane arrays of exact values, the op is chosen once and looped, results are
//! converted and written. Types are matched outside the lane loops.

mod of_floats;
mod of_integers;
mod systolic;

use self::of_floats::float_results;
use self::of_integers::{double_results, integer_results};
use self::systolic::systolic_results;
use super::alu::{self, Wide};
use super::float;
use crate::exec::state::float_mode::{FloatMode, Rounding};
use crate::exec::state::lanes::{self, MAX_LANES};
use crate::exec::state::thread::Thread;
use crate::isa::{Condition, Opcode, Type};
use crate::program::{Alu, Dest, Region, Source};
use half::{bf16, f16};

/// Bits of the destination type, one for each lane; the upper ones are don't-care.
type Bits = [u64; MAX_LANES];

/// Reads a source as exact integers, modifier applied. Float sources do not come here.
fn integers<W: Wide>(thread: &Thread<'_>, source: &Source, count: usize) -> [W; MAX_LANES] {
    let mut out = [W::default(); MAX_LANES];
    let (arena, region, limit) = (
        &thread.arena[..],
        &source.region,
        thread.program.general_bytes,
    );
    macro_rules! read {
        ($ty:ty, $value:expr) => {
            lanes::read(arena, region, limit, count, &mut out, |b| {
                $value(<$ty>::from_le_bytes(b))
            })
        };
    }
    match source.ty {
        Type::Ub | Type::Bool => read!(u8, |v| W::new(i64::from(v))),
        Type::B => read!(i8, |v| W::new(i64::from(v))),
        Type::Uw | Type::Uv | Type::Hf | Type::Bf => read!(u16, |v| W::new(i64::from(v))),
        Type::W | Type::V => read!(i16, |v| W::new(i64::from(v))),
        Type::Ud | Type::F | Type::Vf => read!(u32, |v| W::new(i64::from(v))),
        Type::D => read!(i32, |v| W::new(i64::from(v))),
        Type::Uq | Type::Df => read!(u64, W::unsigned),
        Type::Q => read!(i64, W::new),
    }
    if let Some(modifier) = source.modifier {
        for value in &mut out[..count] {
            *value = alu::modify(*value, modifier);
        }
    }
    out
}

/// Reads a float source exactly, denormals flushed as the mode says, modifier applied.
fn floats(thread: &Thread<'_>, source: &Source, count: usize, flush: bool) -> [f64; MAX_LANES] {
    let mut out = [0.0; MAX_LANES];
    let (arena, region, limit) = (
        &thread.arena[..],
        &source.region,
        thread.program.general_bytes,
    );
    let mode = thread.mode;
    match source.ty {
        Type::Hf => lanes::read(arena, region, limit, count, &mut out, |b| {
            float::from_half(f16::from_le_bytes(b))
        }),
        Type::Bf => lanes::read(arena, region, limit, count, &mut out, |b| {
            float::from_single(bf16::from_le_bytes(b).to_f32())
        }),
        Type::Df => {
            let flush = flush && !mode.keep_double;
            lanes::read(arena, region, limit, count, &mut out, |b| {
                let value = f64::from_le_bytes(b);
                if flush {
                    float::flush_double(value)
                } else {
                    value
                }
            });
        }
        _ => {
            let flush = flush && !mode.keep_single;
            lanes::read(arena, region, limit, count, &mut out, |b| {
                let value = f32::from_le_bytes(b);
                float::from_single(if flush {
                    float::flush_single(value)
                } else {
                    value
                })
            });
        }
    }
    if let Some(modifier) = source.modifier {
        for value in &mut out[..count] {
            *value = alu::modify_float(*value, modifier);
        }
    }
    out
}

/// Reads raw element bits, no modifier.
fn raw_bits(thread: &Thread<'_>, source: &Source, count: usize) -> Bits {
    let mut out = [0; MAX_LANES];
    let (arena, region, limit) = (
        &thread.arena[..],
        &source.region,
        thread.program.general_bytes,
    );
    match source.ty.bytes() {
        1 => lanes::read(arena, region, limit, count, &mut out, |[b]: [u8; 1]| {
            u64::from(b)
        }),
        2 => lanes::read(arena, region, limit, count, &mut out, |b| {
            u64::from(u16::from_le_bytes(b))
        }),
        4 => lanes::read(arena, region, limit, count, &mut out, |b| {
            u64::from(u32::from_le_bytes(b))
        }),
        _ => lanes::read(arena, region, limit, count, &mut out, u64::from_le_bytes),
    }
    out
}

/// Writes the low bits of each active lane.
fn store(thread: &mut Thread<'_>, dst: &Dest, values: &Bits, mask: u32, count: usize) {
    let limit = thread.program.general_bytes;
    let (arena, region) = (&mut thread.arena[..], &dst.region);
    match dst.ty.bytes() {
        1 => lanes::write(arena, region, limit, count, mask, values, |v| [v as u8]),
        2 => lanes::write(arena, region, limit, count, mask, values, |v| {
            (v as u16).to_le_bytes()
        }),
        4 => lanes::write(arena, region, limit, count, mask, values, |v| {
            (v as u32).to_le_bytes()
        }),
        _ => lanes::write(arena, region, limit, count, mask, values, u64::to_le_bytes),
    }
}

/// Converts exact integers to the destination: low bits, or clamped to its range.
fn from_integers<W: Wide>(values: &[W; MAX_LANES], ty: Type, saturate: bool, count: usize) -> Bits {
    let mut bits = [0; MAX_LANES];
    if saturate {
        let (least, greatest) = alu::range(ty);
        for (bits, value) in bits.iter_mut().zip(&values[..count]) {
            *bits = value.full().clamp(least, greatest) as u64;
        }
    } else {
        for (bits, value) in bits.iter_mut().zip(&values[..count]) {
            *bits = value.low();
        }
    }
    bits
}

/// Rounds float results to the destination. `arithmetic` results are flushed;
/// conversions keep denormals and NaN payloads (vISA text reference 6.1).
fn from_floats(
    values: &[f64; MAX_LANES],
    ty: Type,
    saturate: bool,
    mode: FloatMode,
    arithmetic: bool,
    count: usize,
) -> Bits {
    let mut bits = [0; MAX_LANES];
    let clamp = |v: f64| if saturate { float::saturate(v) } else { v };
    let lanes = bits.iter_mut().zip(&values[..count]);
    match ty {
        Type::Hf => {
            for (bits, &v) in lanes {
                let v = clamp(v);
                *bits = u64::from(if arithmetic {
                    float::finish_half(v, mode).to_bits()
                } else {
                    float::to_half(v, mode.rounding).to_bits()
                });
            }
        }
        Type::Bf => {
            for (bits, &v) in lanes {
                *bits = float::to_bfloat(clamp(v), mode.rounding).to_bits().into();
            }
        }
        Type::Df => {
            for (bits, &v) in lanes {
                let v = clamp(v);
                *bits = if arithmetic {
                    float::finish_double(v, mode)
                } else {
                    v
                }
                .to_bits();
            }
        }
        Type::F | Type::Vf => {
            for (bits, &v) in lanes {
                let v = clamp(v);
                *bits = u64::from(if arithmetic {
                    float::finish_single(v, mode).to_bits()
                } else {
                    float::to_single(v, mode.rounding).to_bits()
                });
            }
        }
        _ => {
            for (bits, &v) in lanes {
                *bits = alu::float_to_int(v, ty);
            }
        }
    }
    bits
}

/// A source in the representation of the destination: what `mov` and `sel` write.
/// Source: vISA text reference 6.1.
fn convert(thread: &Thread<'_>, source: &Source, ty: Type, saturate: bool, count: usize) -> Bits {
    let from = source.ty;
    let same = from == ty || (from.is_integer() && ty.is_integer() && from.bytes() == ty.bytes());
    if same && source.modifier.is_none() && !saturate {
        return raw_bits(thread, source, count);
    }
    match (from.is_float(), ty.is_float()) {
        (false, false) => {
            if from.bytes() == 8 || ty.bytes() == 8 {
                from_integers(
                    &integers::<i128>(thread, source, count),
                    ty,
                    saturate,
                    count,
                )
            } else {
                from_integers(&integers::<i64>(thread, source, count), ty, saturate, count)
            }
        }
        (false, true) => {
            let values = integers::<i128>(thread, source, count);
            let mut bits = [0; MAX_LANES];
            for (bits, &v) in bits.iter_mut().zip(&values[..count]) {
                *bits = int_to_float(v, ty, saturate, thread.mode.rounding);
            }
            bits
        }
        (true, _) => {
            // A narrower type has denormals as a zero, or, where they are kept and the direction is away from zero, as
            // its own least one.
            let narrower = from.bytes() > ty.bytes() && ty.is_float();
            let values = floats(thread, source, count, same || narrower);
            let mode = thread.mode;
            let mut bits = from_floats(&values, ty, saturate, mode, false, count);
            if same && ty == Type::F && !mode.keep_single {
                // An arithmetic move: the source was flushed above, so the result is not a denormal.
                for bits in &mut bits[..count] {
                    *bits = u64::from(float::flush_single(f32::from_bits(*bits as u32)).to_bits());
                }
            }
            bits
        }
    }
}

/// The smallest normal half, 2^-14.
const HALF_MIN: f64 = 1.0 / 16384.0;

/// Values nearer to zero than `least` become a zero of their sign.
fn flush_below(value: f64, least: f64) -> f64 {
    if value.abs() < least {
        0f64.copysign(value)
    } else {
        value
    }
}

/// An integer as a float, in the direction of `%cr0`.
///
/// The text reference 6.1 says nearest even, from the documents; compiled divisions convert with
/// rounding toward zero switched on and need a result that is not above the integer. The general rule
/// of 6.5, `%cr0` decides, fits both.
fn int_to_float(value: i128, ty: Type, saturate: bool, rounding: Rounding) -> u64 {
    let value = if saturate { value.clamp(0, 1) } else { value };
    // Integers have up to 65 bits here: two exact parts and their odd-rounded sum.
    let high = value >> 11 << 11;
    let (high, low) = (high as f64, (value - high) as f64);
    match ty {
        Type::Df => {
            let nearest = value as f64;
            let error = (high - nearest) + low;
            float::direct_double(nearest, error, rounding).to_bits()
        }
        Type::Hf => u64::from(float::to_half(float::add_odd(high, low), rounding).to_bits()),
        Type::Bf => u64::from(float::to_bfloat(float::add_odd(high, low), rounding).to_bits()),
        _ => u64::from(float::to_single(float::add_odd(high, low), rounding).to_bits()),
    }
}

/// Runs an element-wise instruction on the lanes of `mask`; `chosen` is what `sel` goes by.
pub fn alu(thread: &mut Thread<'_>, alu: &Alu, mask: u32, chosen: u32) {
    let count = usize::from(alu.lanes.count);
    let ty = alu.dst.ty;
    if let Some(dst2) = &alu.dst2 {
        let (low, high) = double_results(thread, alu, count);
        store(thread, &alu.dst, &low, mask, count);
        store(thread, dst2, &high, mask, count);
        return;
    }
    if let Some(at) = alu.overflow {
        let sums = integer_results::<i128>(thread, alu, count);
        let (least, greatest) = alu::range(ty);
        let mut flags = 0;
        for (lane, sum) in sums[..count].iter().enumerate() {
            flags |= u32::from(!(least..=greatest).contains(sum)) << lane;
        }
        store(
            thread,
            &alu.dst,
            &from_integers(&sums, ty, false, count),
            mask,
            count,
        );
        thread.write_predicate(at, flags, mask, alu.lanes.offset);
        return;
    }
    // Odd lanes of sad2 are undefined: they keep what they had.
    let halved = matches!(alu.opcode, Opcode::Sad2 | Opcode::Sad2Add);
    let mask = if halved { mask & 0x5555_5555 } else { mask };
    let bits = match alu.opcode {
        Opcode::Mov => convert(thread, &alu.src[0], ty, alu.saturate, count),
        Opcode::Sel => {
            let yes = convert(thread, &alu.src[0], ty, alu.saturate, count);
            let mut bits = convert(thread, &alu.src[1], ty, alu.saturate, count);
            for lane in lanes::active(chosen, count) {
                bits[lane] = yes[lane];
            }
            bits
        }
        Opcode::Fcvt => {
            let mut bits = raw_bits(thread, &alu.src[0], count);
            for bits in &mut bits[..count] {
                *bits = float::reformat(*bits, ty);
            }
            bits
        }
        Opcode::Dpas => systolic_results(thread, alu, count),
        _ if ty.is_float() => float_results(thread, alu, count),
        _ => {
            let wide = alu.saturate || ty.bytes() == 8 || alu.src.iter().any(|s| s.ty.bytes() == 8);
            if wide {
                let results = integer_results::<i128>(thread, alu, count);
                from_integers(&results, ty, alu.saturate, count)
            } else {
                from_integers(
                    &integer_results::<i64>(thread, alu, count),
                    ty,
                    false,
                    count,
                )
            }
        }
    };
    store(thread, &alu.dst, &bits, mask, count);
}

/// `cmp`: one bit for each lane.
pub fn compare(thread: &Thread<'_>, relation: Condition, src: &[Source; 2], count: u32) -> u32 {
    let n = count as usize;
    let [a, b] = src;
    if a.ty.is_float() || b.ty.is_float() {
        let (a, b) = (floats(thread, a, n, true), floats(thread, b, n, true));
        return flags(relation, &a, &b, n);
    }
    if a.ty.bytes() == 8 || b.ty.bytes() == 8 {
        let (a, b) = (integers::<i128>(thread, a, n), integers(thread, b, n));
        return flags(relation, &a, &b, n);
    }
    let (a, b) = (integers::<i64>(thread, a, n), integers(thread, b, n));
    flags(relation, &a, &b, n)
}

fn flags<T: PartialOrd + Copy>(
    relation: Condition,
    a: &[T; MAX_LANES],
    b: &[T; MAX_LANES],
    count: usize,
) -> u32 {
    let pairs = a[..count].iter().zip(b).enumerate();
    pairs.fold(0, |bits, (i, (&a, &b))| {
        bits | u32::from(alu::holds(relation, a, b)) << i
    })
}

/// `cmp` into a general destination: all ones or zeros. Source: vISA text reference 6.6.
pub fn store_flags(thread: &mut Thread<'_>, dst: &Dest, bits: u32, mask: u32, count: u32) {
    let values = std::array::from_fn(|i| if bits >> i & 1 != 0 { u64::MAX } else { 0 });
    store(thread, dst, &values, mask, count as usize);
}

/// Lane 0 of a source as an integer, sign- or zero-extended to 64 bits; floats convert as in a move.
pub fn scalar(thread: &Thread<'_>, source: &Source) -> u64 {
    // Nearly every scalar operand of a message is a plain dword: no lane array for those.
    if let (&Region::Scalar(at) | &Region::Dense(at), None) = (&source.region, source.modifier)
        && matches!(source.ty, Type::Ud | Type::D)
        && let Some(&bytes) = thread.arena[at as usize..].first_chunk()
    {
        return match source.ty {
            Type::D => i64::from(i32::from_le_bytes(bytes)) as u64,
            _ => u64::from(u32::from_le_bytes(bytes)),
        };
    }
    if source.ty.is_float() {
        return i64::from(convert(thread, source, Type::D, false, 1)[0] as i32) as u64;
    }
    integers::<i64>(thread, source, 1)[0] as u64
}

/// Lane 0 of a source as a single: floats convert, integers convert to nearest even.
pub fn scalar_float(thread: &Thread<'_>, source: &Source) -> f32 {
    f32::from_bits(convert(thread, source, Type::F, false, 1)[0] as u32)
}

/// Bit 0 of each element, as a mask.
pub fn low_bits(thread: &Thread<'_>, source: &Source, count: u32) -> u32 {
    let values = integers::<i64>(thread, source, count as usize);
    let lanes = values[..count as usize].iter().enumerate();
    lanes.fold(0, |bits, (i, v)| bits | (*v as u32 & 1) << i)
}
