//! Positions of all lanes of a message along one axis, in vector code.
//!
//! The same numbers as [`super::coordinate::Axis`] gives lane by lane: a test compares them. f32 is
//! enough where the reference works in f64, because each step here is exact or rounds just where the
//! reference rounds.

use super::coordinate::Axis;
use super::lanes::{by_lane, widest};
use super::settings::Address;
use pulp::NullaryFnOnce;

/// Texel indices of the lanes: the first of a footprint, the next one, and its weight.
#[derive(Clone, Copy)]
pub struct Positions<const N: usize> {
    /// Index of the first texel.
    pub first: [u32; N],
    /// Index of the next texel, for linear filters.
    pub next: [u32; N],
    /// Weight of `next` in 1/256.
    pub beta: [u32; N],
}

impl<const N: usize> Positions<N> {
    /// Where there is no such axis.
    pub const ORIGIN: Positions<N> = Positions {
        first: [0; N],
        next: [0; N],
        beta: [0; N],
    };
}

/// Works out the positions of all lanes, `shift` texels away; `None` if one of `active` meets the border.
pub fn positions<const N: usize>(
    axis: &Axis,
    c: &[u32; N],
    linear: bool,
    shift: Option<&[i32; N]>,
    active: u32,
    p: &mut Positions<N>,
) -> Option<()> {
    widest(Job {
        axis,
        c,
        linear,
        shift,
        active,
        p,
    })
}

/// Texels by which a message moves all its lanes at most. Source: vISA 3D_SAMPLE, "offsets".
const MOST_MOVED: i32 = 8;

/// Whether [`nearest`] and [`linear`] know the texels of coordinates that are moved by so many.
pub fn may_move(axis: &Axis, by: i32) -> bool {
    let repeats = matches!(axis.mode, Address::Wrap | Address::Mirror);
    by == 0 || by.abs() <= MOST_MOVED && (!repeats || axis.size > 2 * MOST_MOVED.cast_unsigned())
}

/// The texel `by` texels from the one that each coordinate lies in, in a mode that always has one
/// ([`Axis::never_leaves`]).
#[inline(always)]
pub fn nearest<const N: usize>(axis: &Axis, c: &[u32; N], by: i32) -> [u32; N] {
    if axis.mode == Address::Clamp && !axis.round && by == 0 {
        // 256ths are cut off again, and on the way to the edges numbers stay what they are.
        let (size, last) = (axis.size as f32, (axis.size - 1) as f32);
        return by_lane(|lane| {
            let c = f32::from_bits(c[lane]);
            let x = match axis.unnormalized {
                true => c,
                false => clamp(c, -10.0, 10.0) * size,
            };
            small(clamp(x, 0.0, last))
        });
    }
    let mut p = Positions::ORIGIN;
    // Without active lanes none meets the border.
    let inside = work_out(axis, c, false, Shift::All(by), 0, &mut p);
    debug_assert!(inside.is_some());
    p.first
}

/// The two texels around each coordinate, `by` texels away, in a mode that always has them
/// ([`Axis::never_leaves`]).
#[inline(always)]
pub fn linear<const N: usize>(axis: &Axis, c: &[u32; N], by: i32, p: &mut Positions<N>) {
    // Without active lanes none meets the border.
    let inside = work_out(axis, c, true, Shift::All(by), 0, p);
    debug_assert!(inside.is_some());
}

/// Texels that are added to positions.
#[derive(Clone, Copy)]
enum Shift<'a, const N: usize> {
    /// As many to each, as far as [`may_move`] says.
    All(i32),
    /// To each lane its own.
    Each(&'a [i32; N]),
}

/// The parameters of [`positions`], for wide registers.
struct Job<'a, const N: usize> {
    axis: &'a Axis,
    c: &'a [u32; N],
    linear: bool,
    shift: Option<&'a [i32; N]>,
    active: u32,
    p: &'a mut Positions<N>,
}

impl<const N: usize> NullaryFnOnce for Job<'_, N> {
    type Output = Option<()>;

    #[inline(always)]
    fn call(self) -> Option<()> {
        let Job {
            axis,
            c,
            linear,
            shift,
            active,
            p,
        } = self;
        let shift = shift.map_or(Shift::All(0), Shift::Each);
        work_out(axis, c, linear, shift, active, p)
    }
}

#[inline(always)]
fn work_out<const N: usize>(
    axis: &Axis,
    c: &[u32; N],
    linear: bool,
    shift: Shift<'_, N>,
    active: u32,
    p: &mut Positions<N>,
) -> Option<()> {
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
    for (beta, q) in p.beta.iter_mut().zip(&fixed) {
        *beta = q.cast_unsigned() & 255;
    }
    let by = match shift {
        Shift::Each(shift) => return shifted(axis, &fixed, shift, linear, active, p),
        Shift::All(by) => by,
    };
    let n = axis.size.cast_signed();
    let inside = |t: i32| t.max(0).min(n - 1).cast_unsigned();
    match axis.mode {
        Wrap => index(&fixed, by, p, |t| {
            // −1 to n + 1, and what is added: the coordinate lies within one map.
            let t = if t < 0 { t + n } else { t };
            let t = if t >= n { t - n } else { t };
            inside(if t >= n { t - n } else { t })
        }),
        Mirror => index(&fixed, by, p, |t| {
            // −2n − 1 to 2n + 1, and what is added.
            let t = if t < 0 { -t - 1 } else { t };
            let t = if t >= 2 * n { t - 2 * n } else { t };
            inside(if t < n { t } else { 2 * n - 1 - t })
        }),
        Clamp | Cube => index(&fixed, by, p, inside),
        MirrorOnce => index(&fixed, by, p, |t| inside(if t < 0 { -t - 1 } else { t })),
        Border | HalfBorder => {
            let last = if linear { n - 2 } else { n - 1 };
            let outside = fixed
                .iter()
                .enumerate()
                .any(|(lane, q)| active >> lane & 1 == 1 && !(0..=last).contains(&(q >> 8)));
            if outside {
                return None;
            }
            index(&fixed, by, p, inside);
        }
    }
    Some(())
}

/// Positions that texel offsets move: away from the map by more than one of its widths, perhaps.
fn shifted<const N: usize>(
    axis: &Axis,
    fixed: &[i32; N],
    shift: &[i32; N],
    linear: bool,
    active: u32,
    p: &mut Positions<N>,
) -> Option<()> {
    for lane in (0..N).filter(|lane| active >> lane & 1 == 1) {
        let t = i64::from(fixed[lane] >> 8) + i64::from(shift[lane]);
        p.first[lane] = axis.index(t)?;
        if linear {
            p.next[lane] = axis.index(t + 1)?;
        }
    }
    Some(())
}

#[inline(always)]
fn index<const N: usize>(fixed: &[i32; N], by: i32, p: &mut Positions<N>, f: impl Fn(i32) -> u32) {
    p.first = by_lane(|lane| f((fixed[lane] >> 8) + by));
    p.next = by_lane(|lane| f((fixed[lane] >> 8) + by + 1));
}

/// Fixed point with eight fraction bits of what `texels` makes of each coordinate.
#[inline(always)]
fn fixed<const N: usize>(
    axis: &Axis,
    c: &[u32; N],
    linear: bool,
    texels: impl Fn(f32) -> f32,
) -> [i32; N] {
    let half = if linear { 0.5 } else { 0.0 };
    let up = if axis.round { 0.5 } else { 2.0 };
    let mut out = [0; N];
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
///
/// The sum of such an integer and 1.5·2^52 is exact, and the low bits of the sum are the integer: vector code,
/// which a cast with its limits is not.
#[inline(always)]
fn floor(x: f32) -> i32 {
    (f64::from(x.floor()) + 6_755_399_441_055_744.0).to_bits() as i32
}

/// The integer below; 0 ≤ x < 2^23. As [`floor()`], with 2^23.
#[inline(always)]
fn small(x: f32) -> u32 {
    (x.floor() + 8_388_608.0).to_bits() & 0x7f_ffff
}

/// NaN is 0.
#[inline(always)]
fn clamp(c: f32, low: f32, high: f32) -> f32 {
    let c = if c.is_nan() { 0.0 } else { c };
    c.max(low).min(high)
}

#[inline(always)]
fn wrap(c: f32) -> f32 {
    // From 2^23 on there is no fraction; NaN and infinities compare false.
    if c.abs() < 8_388_608.0 {
        c - c.floor()
    } else {
        0.0
    }
}

#[inline(always)]
fn mirror(c: f32) -> f32 {
    let h = c * 0.5;
    if c.abs() < 2.0 {
        c
    } else if c.abs() < 16_777_216.0 {
        2.0 * (h - h.trunc())
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

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
            shift in prop::option::of(prop::collection::vec(-40i32..40, 32)),
        ) {
            let clamps = matches!(mode, Address::Clamp | Address::Border | Address::HalfBorder);
            let axis = Axis { size, mode, round, unnormalized: texels && clamps };
            let mut border = false;
            let shift: Option<[i32; 32]> = shift.map(|s| std::array::from_fn(|lane| s[lane]));
            let wanted: Vec<_> = bits.iter().enumerate().map(|(lane, &c)| {
                let q = axis.position(f64::from(f32::from_bits(c)), linear);
                let t = i64::from(q >> 8) + shift.map_or(0, |s| i64::from(s[lane]));
                let (first, next) = (axis.index(t), axis.index(t + 1));
                border |= first.is_none() || linear && next.is_none();
                (first, next, q & 255)
            }).collect();
            let lanes: [u32; 32] = std::array::from_fn(|lane| bits[lane]);
            let mut p = Positions::ORIGIN;
            let got = positions(&axis, &lanes, linear, shift.as_ref(), u32::MAX, &mut p);
            prop_assert_eq!(got.is_none(), border);
            if got.is_some() {
                for (lane, (first, next, beta)) in wanted.into_iter().enumerate() {
                    prop_assert_eq!(Some(p.first[lane]), first);
                    if linear {
                        prop_assert_eq!(Some(p.next[lane]), next);
                    }
                    prop_assert_eq!(p.beta[lane], beta.cast_unsigned());
                }
            }
            let by = shift.map_or(0, |s| s[0] / 5);
            if axis.never_leaves() && may_move(&axis, by) {
                let mut p = Positions::ORIGIN;
                super::linear(&axis, &lanes, by, &mut p);
                let first = super::nearest(&axis, &lanes, by);
                for (lane, &c) in bits.iter().enumerate() {
                    let at = |linear| {
                        i64::from(axis.position(f64::from(f32::from_bits(c)), linear) >> 8)
                            + i64::from(by)
                    };
                    let index = |t| axis.index(t);
                    prop_assert_eq!(Some(first[lane]), index(at(false)));
                    let two = [p.first[lane], p.next[lane]].map(Some);
                    prop_assert_eq!(two, [index(at(true)), index(at(true) + 1)]);
                }
            }
        }
    }
}
