//! Positions of all lanes of a message along one axis, in vector code.
//!
//! The same numbers as [`super::coordinate::Axis`] gives lane by lane: a test compares them. f32 is
//! enough where the reference works in f64, because each step here is exact or rounds just where the
//! reference rounds.

use super::super::Lanes;
use super::super::settings::Address;
use super::coordinate::Axis;

/// Texel indices of the lanes: the first of a footprint, the next one, and its weight.
pub struct Positions {
    /// Index of the first texel.
    pub first: Lanes,
    /// Index of the next texel, for linear filters.
    pub next: Lanes,
    /// Weight of `next` in 1/256.
    pub beta: Lanes,
}

/// Positions of all lanes, or `None` if one of `active` meets the border.
pub fn positions(axis: &Axis, c: &Lanes, linear: bool, active: u32) -> Option<Positions> {
    use Address::*;
    let texels = axis.unnormalized;
    let fixed = match (axis.mode, texels) {
        (_, true) => {
            let most = 10.0 * axis.size as f32;
            fixed(axis, c, linear, |c| clamp(c, -most, most))
        }
        (Wrap, _) => fixed(axis, c, linear, |c| wrap(c) * axis.size as f32),
        (Mirror, _) => fixed(axis, c, linear, |c| mirror(c) * axis.size as f32),
        (HalfBorder, _) => fixed(axis, c, linear, |c| clamp(c, 0.0, 1.0) * axis.size as f32),
        _ => fixed(axis, c, linear, |c| {
            clamp(c, -10.0, 10.0) * axis.size as f32
        }),
    };
    let mut p = Positions {
        first: [0; 32],
        next: [0; 32],
        beta: [0; 32],
    };
    for (beta, q) in p.beta.iter_mut().zip(&fixed) {
        *beta = q.cast_unsigned() & 255;
    }
    let n = axis.size.cast_signed();
    let inside = |t: i32| t.clamp(0, n - 1).cast_unsigned();
    match axis.mode {
        Wrap => index(&fixed, &mut p, |t| {
            // −1 to n + 1: the coordinate lies within one map.
            let t = if t < 0 { t + n } else { t };
            let t = if t >= n { t - n } else { t };
            inside(if t >= n { t - n } else { t })
        }),
        Mirror => index(&fixed, &mut p, |t| {
            // −2n − 1 to 2n + 1.
            let t = if t < 0 { -t - 1 } else { t };
            let t = if t >= 2 * n { t - 2 * n } else { t };
            inside(if t < n { t } else { 2 * n - 1 - t })
        }),
        Clamp | Cube => index(&fixed, &mut p, inside),
        MirrorOnce => index(&fixed, &mut p, |t| inside(if t < 0 { -t - 1 } else { t })),
        Border | HalfBorder => {
            let last = if linear { n - 2 } else { n - 1 };
            let outside = fixed
                .iter()
                .enumerate()
                .any(|(lane, q)| active >> lane & 1 == 1 && !(0..=last).contains(&(q >> 8)));
            if outside {
                return None;
            }
            index(&fixed, &mut p, inside);
        }
    }
    Some(p)
}

#[inline]
fn index(fixed: &[i32; 32], p: &mut Positions, f: impl Fn(i32) -> u32) {
    let to = p.first.iter_mut().zip(&mut p.next);
    for ((first, next), q) in to.zip(fixed) {
        let t = q >> 8;
        *first = f(t);
        *next = f(t + 1);
    }
}

/// Fixed point with eight fraction bits of what `texels` makes of each coordinate.
#[inline]
fn fixed(axis: &Axis, c: &Lanes, linear: bool, texels: impl Fn(f32) -> f32) -> [i32; 32] {
    let half = if linear { 0.5 } else { 0.0 };
    let up = if axis.round { 0.5 } else { 2.0 };
    let mut out = [0; 32];
    for (out, bits) in out.iter_mut().zip(c) {
        let x = (texels(f32::from_bits(*bits)) - half) * 256.0;
        let below = floor(x);
        // The fraction of a number that has one is exact.
        let rounds = x - below as f32 >= up;
        *out = below + i32::from(rounds);
    }
    out
}

/// The integer below; |x| < 2^31.
#[inline]
fn floor(x: f32) -> i32 {
    let t = x as i32;
    t - i32::from(t as f32 > x)
}

/// NaN is 0.
#[inline]
fn clamp(c: f32, low: f32, high: f32) -> f32 {
    let c = if c.is_nan() { 0.0 } else { c };
    c.max(low).min(high)
}

#[inline]
fn wrap(c: f32) -> f32 {
    // From 2^23 on there is no fraction; NaN and infinities compare false.
    if c.abs() < 8_388_608.0 {
        c - floor(c) as f32
    } else {
        0.0
    }
}

#[inline]
fn mirror(c: f32) -> f32 {
    let h = c * 0.5;
    if c.abs() < 2.0 {
        c
    } else if c.abs() < 16_777_216.0 {
        2.0 * (h - (h as i32) as f32)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equal_the_definition(
            bits in prop::collection::vec(prop_oneof![
                any::<u32>(),
                (-3.0f32..3.0).prop_map(f32::to_bits),
                (-400.0f32..400.0).prop_map(f32::to_bits),
                (-64i32..64, 1u32..40).prop_map(|(a, b)| (a as f32 / b as f32).to_bits()),
            ], 32),
            size in prop_oneof![1u32..20, 1u32..=16384],
            mode in prop::sample::select(vec![
                Address::Wrap, Address::Mirror, Address::Clamp, Address::Border, Address::MirrorOnce,
                Address::HalfBorder,
            ]),
            (round, texels, linear) in any::<(bool, bool, bool)>(),
        ) {
            let clamps = matches!(mode, Address::Clamp | Address::Border | Address::HalfBorder);
            let axis = Axis { size, mode, round, unnormalized: texels && clamps };
            let mut border = false;
            let wanted: Vec<_> = bits.iter().map(|&c| {
                let q = axis.position(f64::from(f32::from_bits(c)), linear);
                let first = axis.index(i64::from(q >> 8));
                let next = axis.index(i64::from(q >> 8) + 1);
                border |= first.is_none() || linear && next.is_none();
                (first, next, q & 255)
            }).collect();
            let lanes: Lanes = std::array::from_fn(|lane| bits[lane]);
            let got = positions(&axis, &lanes, linear, u32::MAX);
            prop_assert_eq!(got.is_none(), border);
            if let Some(p) = got {
                for (lane, (first, next, beta)) in wanted.into_iter().enumerate() {
                    prop_assert_eq!(Some(p.first[lane]), first);
                    if linear {
                        prop_assert_eq!(Some(p.next[lane]), next);
                    }
                    prop_assert_eq!(p.beta[lane], beta.cast_unsigned());
                }
            }
        }
    }
}
