//! Arithmetic on the lanes of a message, channel by channel: what kernels do with the texels they fetched.
//!
//! Loops run over arrays of a length the compiler knows and hold no call and no branch, so that they become
//! vector code.

use super::element::{Decoding, Element};
use super::{Channels, Lanes};
use crate::math::simd::{FUSED, Wide};
use crate::surface::float::NAN;
use pulp::{Arch, NullaryFnOnce};

/// What `of` gives for each lane. A plain loop: the compiler makes vector code of it, which it does not of
/// `std::array::from_fn`.
#[inline(always)]
pub fn by_lane<T: Copy + Default, const N: usize>(mut of: impl FnMut(usize) -> T) -> [T; N] {
    let mut lanes = [T::default(); N];
    for (lane, value) in lanes.iter_mut().enumerate() {
        *value = of(lane);
    }
    lanes
}

/// The dwords of a register.
#[inline(always)]
pub fn dwords<const N: usize>(registers: &[u8], at: usize) -> [u32; N] {
    let (slots, _) = registers[at..at + 4 * N].as_chunks::<4>();
    by_lane(|lane| u32::from_le_bytes(slots[lane]))
}

/// Lanes `base` and following.
#[inline(always)]
pub fn window<const N: usize>(lanes: &Lanes, base: usize) -> [u32; N] {
    // A message has 32 lanes at most, and they are served in halves.
    let own = lanes.get(base..).and_then(|lanes| lanes.first_chunk());
    *own.unwrap_or(&[0; N])
}

/// Results of `N` lanes in R, G, B, A.
pub type Block<const N: usize> = [[u32; N]; 4];

/// The weights of four texels by distance in 1/65536, from 256ths of the second column and row.
#[inline(always)]
fn weights<const N: usize>(across: &[u32; N], down: &[u32; N]) -> [[f64; N]; 4] {
    // Products of integers up to 256 are exact.
    let weight = |lane: usize, right: bool, below: bool| {
        let share = |beta: u32, far: bool| match (f64::from(beta.cast_signed()), far) {
            (beta, true) => beta,
            (beta, false) => 256.0 - beta,
        };
        share(across[lane], right) * share(down[lane], below)
    };
    [
        by_lane(|lane| weight(lane, false, false)),
        by_lane(|lane| weight(lane, true, false)),
        by_lane(|lane| weight(lane, false, true)),
        by_lane(|lane| weight(lane, true, true)),
    ]
}

/// Runs vector code for the widest registers of this machine. What it runs must be inlined all the way; the
/// results are the same on every machine, because nothing here lets the compiler join two roundings.
#[inline(always)]
pub fn widest<J: NullaryFnOnce>(job: J) -> J::Output {
    Arch::new().dispatch(job)
}

/// One channel of all lanes.
#[inline(always)]
fn channel<E: Element, const N: usize>(words: &[E::Word; N], c: usize) -> [u32; N] {
    let mut values = [0; N];
    for (value, word) in values.iter_mut().zip(words) {
        *value = E::channel(*word, c);
    }
    values
}

/// All channels of all lanes.
#[inline(always)]
pub fn channels<E: Element, const N: usize>(words: &[E::Word; N]) -> Block<N> {
    [
        channel::<E, N>(words, 0),
        channel::<E, N>(words, 1),
        channel::<E, N>(words, 2),
        channel::<E, N>(words, 3),
    ]
}

/// Numbers for sums in f64.
#[inline(always)]
fn numbers<const N: usize>(values: &[u32; N]) -> [f64; N] {
    let mut numbers = [0.0; N];
    for (number, value) in numbers.iter_mut().zip(values) {
        *number = f64::from(f32::from_bits(*value));
    }
    numbers
}

/// a·b + c. The product of a float and a weight is exact in f64: one rounding gives what two give.
#[inline(always)]
fn mul_add(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Σ tᵢ·wᵢ of a channel in the order of the reference; texels of weight 0 take no part, for infinities would leave
/// a NaN.
#[inline(always)]
fn sums<const N: usize, const FINITE: bool>(
    corners: &[Block<N>; 4],
    weights: &[[f64; N]; 4],
    c: usize,
) -> [f64; N] {
    let mut sums = [0.0; N];
    for (texel, weights) in corners.iter().zip(weights) {
        let numbers = numbers(&texel[c]);
        for lane in 0..N {
            let sum = mul_add(numbers[lane], weights[lane], sums[lane]);
            sums[lane] = if FINITE || weights[lane] != 0.0 {
                sum
            } else {
                sums[lane]
            };
        }
    }
    for sum in &mut sums {
        *sum *= 1.0 / 65536.0;
    }
    sums
}

/// The one rounding of a sample; a NaN is the quiet one on every host.
#[inline(always)]
fn rounded<const N: usize, const FINITE: bool>(sums: &[f64; N]) -> [u32; N] {
    let mut values = [0; N];
    for (value, sum) in values.iter_mut().zip(sums) {
        let sum = *sum as f32;
        let odd = !FINITE && sum.is_nan();
        *value = if odd { NAN } else { sum.to_bits() };
    }
    values
}

/// What one level contributes.
pub enum Level<const N: usize> {
    /// A texel for each lane.
    Nearest(Block<N>),
    /// Four texels for each lane, and 256ths of the second column and row.
    Linear([Block<N>; 4], [[u32; N]; 2]),
}

impl<const N: usize> Level<N> {
    #[inline(always)]
    fn sums<const FINITE: bool>(&self, weights: &[[f64; N]; 4], c: usize) -> [f64; N] {
        match self {
            Level::Nearest(block) => numbers(&block[c]),
            Level::Linear(corners, _) => sums::<N, FINITE>(corners, weights, c),
        }
    }

    #[inline(always)]
    fn weights(&self) -> [[f64; N]; 4] {
        match self {
            Level::Nearest(_) => [[0.0; N]; 4],
            Level::Linear(_, [across, down]) => weights(across, down),
        }
    }
}

/// One level, or two of which the second one has `beta` 256ths.
pub fn filter<const N: usize>(
    wide: Wide,
    decoding: &Decoding,
    first: &Level<N>,
    second: Option<(&Level<N>, &[u32; N])>,
) -> Block<N> {
    match decoding.finite {
        true => wide.run(
            #[inline(always)]
            || weighed::<N, true>(decoding, first, second),
        ),
        false => wide.run(
            #[inline(always)]
            || weighed::<N, false>(decoding, first, second),
        ),
    }
}

#[inline(always)]
fn weighed<const N: usize, const FINITE: bool>(
    decoding: &Decoding,
    first: &Level<N>,
    second: Option<(&Level<N>, &[u32; N])>,
) -> Block<N> {
    let mut block = decoding.constants.map(|constant| [constant; N]);
    let near = first.weights();
    let far = second.map(|(level, _)| level.weights());
    for (c, channel) in block.iter_mut().enumerate() {
        if decoding.stored >> c & 1 == 0 {
            continue;
        }
        let mut sums = first.sums::<FINITE>(&near, c);
        if let (Some((second, beta)), Some(far)) = (second, &far) {
            let second = second.sums::<FINITE>(far, c);
            for lane in 0..N {
                let beta = f64::from(beta[lane].cast_signed());
                let first = 0.0 + sums[lane] * ((256.0 - beta) / 256.0);
                sums[lane] = first + second[lane] * (beta / 256.0);
            }
        }
        *channel = rounded::<N, FINITE>(&sums);
    }
    block
}

/// Puts lanes `base` and following into `out`: enabled channels of active lanes.
#[inline(always)]
pub fn merge<const N: usize>(
    block: &Block<N>,
    base: usize,
    channels: u8,
    active: u32,
    out: &mut Channels,
) {
    let active = active >> base;
    let all = u32::MAX >> (32 - N as u32);
    for (c, (to, from)) in out.iter_mut().zip(block).enumerate() {
        if channels >> c & 1 == 0 {
            continue;
        }
        let to = &mut to[base..base + N];
        if active & all == all {
            to.copy_from_slice(from);
            continue;
        }
        for (lane, (to, from)) in to.iter_mut().zip(from).enumerate() {
            *to = if active >> lane & 1 == 1 { *from } else { *to };
        }
    }
}
