//! Arithmetic on the lanes of a message, channel by channel: what kernels do with the words they fetched.
//!
//! Loops run over arrays of a length the compiler knows and hold no call and no branch, so that they become
//! vector code.

use super::element::Element;
use super::{Channels, Lanes};
use crate::surface::float::NAN;
use pulp::{Arch, NullaryFnOnce};

/// What `of` gives for each lane. A plain loop: the compiler makes vector code of it, which it does not of
/// `std::array::from_fn`.
#[inline(always)]
pub fn by_lane<T: Copy + Default, const N: usize>(of: impl Fn(usize) -> T) -> [T; N] {
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

/// Four words around each position, in the order (0,0), (1,0), (0,1), (1,1), and their weights, which sum up
/// to 65536.
pub struct Quad<W, const N: usize> {
    /// Elements.
    pub words: [[W; N]; 4],
    /// Weights in 1/65536.
    pub weights: [[f64; N]; 4],
}

/// The weights of four texels by distance, from 256ths of the second column and row.
#[inline(always)]
pub fn weights<const N: usize>(across: &[u32; N], down: &[u32; N]) -> [[f64; N]; 4] {
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
pub fn channel<E: Element, const N: usize>(words: &[E::Word; N], c: usize) -> [u32; N] {
    let mut values = [0; N];
    for (value, word) in values.iter_mut().zip(words) {
        *value = E::channel(*word, c);
    }
    values
}

/// The words as they decode.
#[inline(always)]
pub fn spread<E: Element, const N: usize>(words: &[E::Word; N]) -> Block<N> {
    [
        channel::<E, N>(words, 0),
        channel::<E, N>(words, 1),
        channel::<E, N>(words, 2),
        channel::<E, N>(words, 3),
    ]
}

/// The numbers of one channel for sums in f64.
#[inline(always)]
fn numbers<E: Element, const N: usize>(words: &[E::Word; N], c: usize) -> [f64; N] {
    let values = channel::<E, N>(words, c);
    let mut numbers = [0.0; N];
    for (number, value) in numbers.iter_mut().zip(values) {
        *number = f64::from(f32::from_bits(value));
    }
    numbers
}

/// a·b + c. The product of a float and a weight is exact in f64: one rounding gives what two give.
#[inline(always)]
fn mul_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Σ tᵢ·wᵢ in the order of the reference; texels of weight 0 take no part, for infinities would leave a NaN.
#[inline(always)]
fn sums<E: Element, const N: usize, const FUSED: bool>(
    quad: &Quad<E::Word, N>,
    c: usize,
) -> [f64; N] {
    let mut sums = [0.0; N];
    for k in 0..4 {
        let numbers = numbers::<E, N>(&quad.words[k], c);
        for lane in 0..N {
            let weight = quad.weights[k][lane];
            let sum = mul_add::<FUSED>(numbers[lane], weight, sums[lane]);
            sums[lane] = if E::FINITE || weight != 0.0 {
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
fn rounded<E: Element, const N: usize>(sums: &[f64; N]) -> [u32; N] {
    let mut values = [0; N];
    for (value, sum) in values.iter_mut().zip(sums) {
        let sum = *sum as f32;
        let odd = !E::FINITE && sum.is_nan();
        *value = if odd { NAN } else { sum.to_bits() };
    }
    values
}

/// Channels that are not stored are constants.
#[inline(always)]
fn is_constant<E: Element>(c: usize) -> bool {
    E::STORED >> c & 1 == 0
}

#[inline(always)]
fn constant<E: Element, const N: usize>(c: usize) -> [u32; N] {
    [E::channel(E::Word::default(), c); N]
}

/// One channel of four texels by distance.
#[inline(always)]
pub fn filtered<E: Element, const N: usize, const FUSED: bool>(
    quad: &Quad<E::Word, N>,
    c: usize,
) -> [u32; N] {
    if is_constant::<E>(c) {
        return constant::<E, N>(c);
    }
    rounded::<E, N>(&sums::<E, N, FUSED>(quad, c))
}

/// Four texels by distance.
#[inline(always)]
pub fn filter<E: Element, const N: usize, const FUSED: bool>(quad: &Quad<E::Word, N>) -> Block<N> {
    [
        filtered::<E, N, FUSED>(quad, 0),
        filtered::<E, N, FUSED>(quad, 1),
        filtered::<E, N, FUSED>(quad, 2),
        filtered::<E, N, FUSED>(quad, 3),
    ]
}

/// What one level of two contributes.
pub enum Level<W, const N: usize> {
    /// A texel for each lane.
    Nearest([W; N]),
    /// Four texels for each lane.
    Linear(Quad<W, N>),
}

#[inline(always)]
fn level<E: Element, const N: usize, const FUSED: bool>(
    level: &Level<E::Word, N>,
    c: usize,
) -> [f64; N] {
    match level {
        Level::Nearest(words) => numbers::<E, N>(words, c),
        Level::Linear(quad) => sums::<E, N, FUSED>(quad, c),
    }
}

#[inline(always)]
fn blended<E: Element, const N: usize, const FUSED: bool>(
    levels: &[Level<E::Word, N>; 2],
    beta: &[u32; N],
    c: usize,
) -> [u32; N] {
    if is_constant::<E>(c) {
        return constant::<E, N>(c);
    }
    let [first, second] = levels;
    let mut sums = level::<E, N, FUSED>(first, c);
    let second = level::<E, N, FUSED>(second, c);
    for lane in 0..N {
        let beta = f64::from(beta[lane].cast_signed());
        let first = 0.0 + sums[lane] * ((256.0 - beta) / 256.0);
        sums[lane] = first + second[lane] * (beta / 256.0);
    }
    rounded::<E, N>(&sums)
}

/// Two levels; `beta` 256ths of the second one.
#[inline(always)]
pub fn blend<E: Element, const N: usize, const FUSED: bool>(
    levels: &[Level<E::Word, N>; 2],
    beta: &[u32; N],
) -> Block<N> {
    [
        blended::<E, N, FUSED>(levels, beta, 0),
        blended::<E, N, FUSED>(levels, beta, 1),
        blended::<E, N, FUSED>(levels, beta, 2),
        blended::<E, N, FUSED>(levels, beta, 3),
    ]
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
