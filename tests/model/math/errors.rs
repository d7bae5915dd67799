//! The error of every function of the extended math unit, measured beside the bound that the PRM states.
//!
//! The reference is another implementation in double precision. An ordinary run looks at every
//! 16411th single; `cargo test --release --test model math -- --ignored --nocapture` looks at all of them.

use rayon::prelude::*;
use visim::internals::math::unit::{Bound, Control, FUNCTIONS, Function};

/// Greatest distances from the true value.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    /// Units in the last place of the single nearest to the true value.
    ulp: f64,
    relative: f64,
    /// Over operands inside the range of the bound.
    absolute: f64,
}

impl Errors {
    fn max(self, other: Errors) -> Errors {
        Errors {
            ulp: self.ulp.max(other.ulp),
            relative: self.relative.max(other.relative),
            absolute: self.absolute.max(other.absolute),
        }
    }
}

/// A function in one of the ways that a message and the mode of its thread ask for it.
#[derive(Clone, Copy, Debug)]
struct Way {
    function: Function,
    /// ALT mode of the thread.
    alt: bool,
    /// Partial precision.
    partial: bool,
    /// Which of the results.
    result: usize,
}

/// Results of the unit for sixteen operands, through the message's own way.
fn unit(way: Way, a: &[f32; LANES], b: f32) -> [f32; LANES] {
    let control = Control {
        function: way.function,
        signed: false,
        partial: way.partial,
        saturate: false,
        scalar: false,
    };
    let operands = [a.map(f32::to_bits), [b.to_bits(); LANES]];
    let mut results = [[0; LANES]; 2];
    control.compute(way.alt, 0xffff, &operands, &mut results);
    results[way.result].map(f32::from_bits)
}

fn truth(way: Way, a: f64, b: f64) -> f64 {
    // Logarithm and roots take the absolute value in ALT mode: PRM 6.3.2, 6.3.4, 6.3.5.
    let magnitude = if way.alt { a.abs() } else { a };
    match (way.function, way.result) {
        (Function::Inv, _) => 1.0 / a,
        (Function::Log, _) => libm::log2(magnitude),
        (Function::Exp, _) => libm::exp2(a),
        (Function::Sqrt, _) => libm::sqrt(magnitude),
        (Function::Rsqrt, _) => 1.0 / libm::sqrt(magnitude),
        (Function::Sin, _) | (Function::SinCos, 0) => libm::sin(a),
        (Function::Cos, _) | (Function::SinCos, _) => libm::cos(a),
        (Function::Pow, _) => libm::pow(a.abs(), b),
        _ => f64::NAN,
    }
}

/// The distance of one result; none where the true value is not a normal single.
fn error(way: Way, a: f32, b: f32, got: f32, range: f64) -> Errors {
    if !a.is_normal() {
        return Errors::default();
    }
    let wanted = truth(way, f64::from(a), f64::from(b));
    let nearest = wanted as f32;
    if !nearest.is_normal() || nearest.abs() == f32::MAX {
        return Errors::default();
    }
    assert!(
        got.is_finite(),
        "{way:?} of {a:e}, {b:e}: {got}, not {nearest:e}"
    );
    let distance = (f64::from(got) - wanted).abs();
    let step = f64::from(nearest.abs().next_up()) - f64::from(nearest.abs());
    Errors {
        ulp: distance / step,
        relative: distance / wanted.abs(),
        absolute: if f64::from(a).abs() <= range {
            distance
        } else {
            0.0
        },
    }
}

/// Exponents that POW is tried with: small, large, odd and even, and not whole.
const POWERS: [f32; 9] = [-12.0, -2.0, -0.333, 0.5, 1.0, 1.7, 3.0, 7.25, 20.0];

/// Channels of a message.
const LANES: usize = 16;

/// Every `stride`th single, all there are for 1.
fn sweep(way: Way, stride: u64, range: f64) -> Errors {
    const BLOCK: u64 = 1 << 14;
    let powers: &[f32] = if way.function.takes_two() {
        &POWERS
    } else {
        &[0.0]
    };
    let count = (1_u64 << 32).div_ceil(stride);
    (0..count.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let (first, end) = (block * BLOCK, count.min((block + 1) * BLOCK));
            let mut worst = Errors::default();
            for start in (first..end).step_by(LANES) {
                // The last message of all repeats single 0.
                let bits = |lane: usize| (start + lane as u64) * stride;
                let a = std::array::from_fn(|lane| {
                    f32::from_bits(u32::try_from(bits(lane)).unwrap_or_default())
                });
                for &b in powers {
                    let got = unit(way, &a, b);
                    for (a, got) in a.iter().zip(got) {
                        worst = worst.max(error(way, *a, b, got, range));
                    }
                }
            }
            worst
        })
        .reduce(Errors::default, Errors::max)
}

/// The ways to ask for a float function: the PRM's two modes, in full and in partial precision.
fn ways(function: Function) -> impl Iterator<Item = Way> {
    (0..function.results() as usize).flat_map(move |result| {
        [(false, false), (false, true), (true, false), (true, true)].map(|(alt, partial)| Way {
            function,
            alt,
            partial,
            result,
        })
    })
}

fn measure(stride: u64) {
    println!(
        "{:<18} {:<5} {:<8} {:>10} {:>11} {:>11}   PRM allows",
        "function", "mode", "hint", "ulp", "relative", "absolute"
    );
    let floats = FUNCTIONS.iter().filter(|row| row.bound != Bound::Exact);
    for (row, way) in floats.flat_map(|row| ways(row.function).map(move |way| (row, way))) {
        let range = match row.bound {
            Bound::Absolute { range, .. } => range,
            _ => f64::INFINITY,
        };
        let worst = sweep(way, stride, range);
        let name = match way.result {
            0 => row.name.to_string(),
            result => format!("{}, result {}", row.name, result + 1),
        };
        println!(
            "{name:<18} {:<5} {:<8} {:>10.6} {:>11.3e} {:>11.3e}   {:?}",
            if way.alt { "ALT" } else { "IEEE" },
            if way.partial { "partial" } else { "full" },
            worst.ulp,
            worst.relative,
            worst.absolute,
            row.bound
        );
        let inside = match row.bound {
            Bound::Ulp(bound) => worst.ulp <= bound,
            Bound::Relative { full, .. } => worst.relative <= full,
            Bound::Absolute { error, .. } => worst.absolute <= error,
            Bound::Exact => true,
        };
        assert!(inside, "{way:?}: {worst:?} against {:?}", row.bound);
        // Better than asked: results are the correctly rounded ones, near ties aside.
        assert!(worst.ulp < 0.501, "{way:?}: {} ulp", worst.ulp);
    }
    for row in FUNCTIONS.iter().filter(|row| row.bound == Bound::Exact) {
        for signed in [false, true] {
            let worst = integers(row.function, signed);
            println!(
                "{:<18} {:<14} {worst:>10} {:>11} {:>11}   {:?}",
                row.name,
                if signed { "signed" } else { "unsigned" },
                "",
                "",
                row.bound
            );
            assert_eq!(worst, 0, "{} signed={signed}", row.name);
        }
    }
}

/// The greatest distance of a quotient or remainder from that of wide integers, over pairs of any size.
fn integers(function: Function, signed: bool) -> u64 {
    let control = Control {
        function,
        signed,
        partial: false,
        saturate: false,
        scalar: false,
    };
    let wide = |word: u32| match signed {
        true => i64::from(word as i32),
        false => i64::from(word),
    };
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut word = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // As many small numbers as large ones.
        (random >> 32) as u32 >> (random & 31)
    };
    let mut worst = 0;
    for _ in 0..200_000 {
        let negative = word();
        let (d, n) = (word().max(1), word());
        let d = if negative & 1 == 1 {
            d.wrapping_neg()
        } else {
            d
        };
        let n = if negative & 2 == 2 {
            n.wrapping_neg()
        } else {
            n
        };
        let (mut operands, mut results) = ([[0; LANES]; 2], [[0; LANES]; 2]);
        // The denominator comes first: PRM 6.1.1.3.
        (operands[0][0], operands[1][0]) = (d, n);
        control.compute(false, 1, &operands, &mut results);
        let (n, d) = (wide(n), wide(d));
        let wanted = match function {
            Function::Remainder => vec![n % d],
            Function::Quotient => vec![n / d],
            _ => vec![n / d, n % d],
        };
        for (result, wanted) in results.iter().zip(wanted) {
            // The least integer by −1 wraps.
            worst = worst.max(wide(result[0]).abs_diff(wide(wanted as u32)));
        }
    }
    worst
}

#[test]
fn errors_stay_inside_the_bounds() {
    measure(16411);
}

#[test]
#[ignore = "every single there is, in every way: hours"]
fn errors_stay_inside_the_bounds_for_every_single() {
    measure(1);
}
