//! Every cell of the special-value tables, as printed but for the two readings that [`visim::internals::math::unit`] states.

use visim::internals::math::unit::{Control, Function, divide};
pub const INF: f32 = f32::INFINITY;
pub const MAX: f32 = f32::MAX;
pub const NAN: f32 = f32::NAN;
/// A denormal.
pub const DEN: f32 = 1.0e-40;

pub fn of(function: Function, alt: bool, a: f32, b: f32) -> f32 {
    let control = Control {
        function,
        signed: false,
        partial: false,
        saturate: false,
        scalar: false,
    };
    f32::from_bits(element(&control, alt, a, b)[0])
}

/// The results of one element.
pub fn element(control: &Control, alt: bool, a: f32, b: f32) -> [u32; 2] {
    let mut operands = [[0; 16]; 2];
    (operands[0][0], operands[1][0]) = (a.to_bits(), b.to_bits());
    let mut results = [[0; 16]; 2];
    control.compute(alt, 1, &operands, &mut results);
    results.map(|channels| channels[0])
}

/// Equal down to the sign of zero; any NaN equals any.
pub fn same(got: f32, wanted: f32) -> bool {
    got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan()
}

pub fn table(function: Function, alt: bool, cells: &[(f32, f32)]) {
    for &(a, wanted) in cells {
        let got = of(function, alt, a, 0.0);
        assert!(
            same(got, wanted),
            "{function:?} alt={alt} {a}: {got}, not {wanted}"
        );
    }
}

#[test]
fn special_values_of_inv() {
    let ieee = [
        (INF, 0.0),
        (0.0, INF),
        (DEN, INF),
        (-0.0, -INF),
        (-DEN, -INF),
        (-INF, -0.0),
        (NAN, NAN),
    ];
    table(Function::Inv, false, &ieee);
    let alt = [
        (0.0, MAX),
        (DEN, MAX),
        (-0.0, -MAX),
        (-DEN, -MAX),
        (NAN, NAN),
    ];
    table(Function::Inv, true, &alt);
}

#[test]
fn special_values_of_log() {
    let ieee = [
        (INF, INF),
        (0.0, -INF),
        (DEN, -INF),
        (-0.0, -INF),
        (-DEN, -INF),
        (-INF, NAN),
        (-2.0, NAN),
        (NAN, NAN),
    ];
    table(Function::Log, false, &ieee);
    // −F: the logarithm of its absolute value; log 2 = 1.
    let alt = [
        (0.0, -MAX),
        (DEN, -MAX),
        (-0.0, -MAX),
        (-DEN, -MAX),
        (-2.0, 1.0),
        (NAN, NAN),
    ];
    table(Function::Log, true, &alt);
}

#[test]
fn special_values_of_exp() {
    let common = [
        (0.0, 1.0),
        (DEN, 1.0),
        (-0.0, 1.0),
        (-DEN, 1.0),
        (-1.0, 0.5),
        (NAN, NAN),
    ];
    table(Function::Exp, false, &common);
    table(Function::Exp, true, &common);
    table(Function::Exp, false, &[(INF, INF), (-INF, 0.0)]);
    // 2^128 is too large for a single: infinite, or the largest in ALT mode.
    table(Function::Exp, false, &[(128.0, INF), (-127.0, 0.0)]);
    table(Function::Exp, true, &[(128.0, MAX), (-127.0, 0.0)]);
}

#[test]
fn special_values_of_sqrt() {
    let ieee = [
        (INF, INF),
        (0.0, 0.0),
        (DEN, 0.0),
        (-0.0, -0.0),
        (-DEN, -0.0),
        (-INF, NAN),
        (-4.0, NAN),
        (NAN, NAN),
    ];
    table(Function::Sqrt, false, &ieee);
    let alt = [
        (0.0, 0.0),
        (DEN, 0.0),
        (-0.0, 0.0),
        (-DEN, 0.0),
        (-4.0, 2.0),
        (NAN, NAN),
    ];
    table(Function::Sqrt, true, &alt);
}

#[test]
fn special_values_of_rsq() {
    let ieee = [
        (INF, 0.0),
        (0.0, INF),
        (DEN, INF),
        (-0.0, -INF),
        (-DEN, -INF),
        (-INF, NAN),
        (-4.0, NAN),
        (NAN, NAN),
    ];
    table(Function::Rsqrt, false, &ieee);
    let alt = [
        (0.0, MAX),
        (DEN, MAX),
        (-0.0, MAX),
        (-DEN, MAX),
        (-4.0, 0.5),
        (NAN, NAN),
    ];
    table(Function::Rsqrt, true, &alt);
}

#[test]
fn special_values_of_sin_and_cos() {
    let sine = [
        (INF, NAN),
        (0.0, 0.0),
        (DEN, 0.0),
        (-0.0, -0.0),
        (-DEN, -0.0),
        (-INF, NAN),
        (NAN, NAN),
    ];
    table(Function::Sin, false, &sine);
    table(Function::Sin, true, &sine[1..5]);
    table(Function::Sin, true, &[(NAN, NAN)]);
    let cosine = [
        (INF, NAN),
        (0.0, 1.0),
        (DEN, 1.0),
        (-0.0, 1.0),
        (-DEN, 1.0),
        (-INF, NAN),
        (NAN, NAN),
    ];
    table(Function::Cos, false, &cosine);
    table(Function::Cos, true, &cosine[1..5]);
    table(Function::Cos, true, &[(NAN, NAN)]);
    // −F: between −1 and 1, however large.
    for a in [-0.5, -100.0, -1.0e10, -MAX] {
        for function in [Function::Sin, Function::Cos] {
            assert!(of(function, false, a, 0.0).abs() <= 1.0);
            assert!(of(function, true, a, 0.0).abs() <= 1.0);
        }
    }
}

/// Every pair of a row's powers and a column's bases gives the cell.
fn pow_table<const N: usize>(alt: bool, bases: &[&[f32]; N], rows: &[(&[f32], [f32; N])]) {
    for (powers, cells) in rows {
        for (bases, wanted) in bases.iter().zip(cells) {
            for (power, base) in powers
                .iter()
                .flat_map(|p| bases.iter().map(move |b| (p, b)))
            {
                let got = of(Function::Pow, alt, *base, *power);
                assert!(
                    same(got, *wanted),
                    "alt={alt} {base}^{power}: {got}, not {wanted}"
                );
            }
        }
    }
}

#[test]
fn special_values_of_pow_in_ieee_mode() {
    // Columns: |F| > 1, |F| < 1, |F| = 1, +inf, +0, −0, −inf, NaN; denormals as the zeros.
    #[rustfmt::skip]
    let bases: [&[f32]; 8] = [
        &[2.0, -2.0], &[0.5, -0.5], &[1.0, -1.0], &[INF], &[0.0, DEN], &[-0.0, -DEN], &[-INF], &[NAN],
    ];
    #[rustfmt::skip]
    pow_table(false, &bases, &[
        (&[INF],        [INF, 0.0, NAN, INF, 0.0, 0.0, INF, NAN]),
        (&[0.0, DEN],   [1.0, 1.0, 1.0, NAN, NAN, NAN, NAN, NAN]),
        (&[-0.0, -DEN], [1.0, 1.0, 1.0, NAN, NAN, NAN, NAN, NAN]),
        (&[-INF],       [0.0, INF, NAN, 0.0, INF, INF, 0.0, NAN]),
        (&[-1.0],       [0.5, 2.0, 1.0, 0.0, INF, INF, 0.0, NAN]),
        (&[NAN],        [NAN; 8]),
        (&[2.0],        [4.0, 0.25, 1.0, INF, 0.0, 0.0, NAN, NAN]),
    ]);
}

#[test]
fn special_values_of_pow_in_alt_mode() {
    // Columns: +F, +0, −0, −F, NaN.
    let bases: [&[f32]; 5] = [&[2.0], &[0.0, DEN], &[-0.0, -DEN], &[-2.0], &[NAN]];
    #[rustfmt::skip]
    pow_table(true, &bases, &[
        (&[0.0, DEN],   [1.0, 1.0, 1.0, 1.0, NAN]),
        (&[-0.0, -DEN], [1.0, 1.0, 1.0, 1.0, NAN]),
        (&[-1.0],       [0.5, MAX, MAX, 0.5, NAN]),
        (&[NAN],        [NAN; 5]),
        (&[2.0],        [4.0, 0.0, 0.0, 4.0, NAN]),
    ]);
}

#[test]
fn sincos_is_sin_and_cos_in_every_cell() {
    let sincos = Control {
        function: Function::SinCos,
        signed: false,
        partial: false,
        saturate: false,
        scalar: false,
    };
    for alt in [false, true] {
        for a in [INF, 0.0, DEN, -0.0, -DEN, -INF, -100.0, 1.0, NAN] {
            let results = element(&sincos, alt, a, 0.0).map(f32::from_bits);
            assert!(same(results[0], of(Function::Sin, alt, a, 0.0)), "sin {a}");
            assert!(same(results[1], of(Function::Cos, alt, a, 0.0)), "cos {a}");
        }
    }
}

#[test]
fn signs_of_integer_division() {
    // 7 = 2·3 + 1; quotients round toward zero, remainders take the sign of the numerator.
    let signed = |n: i32, d: i32| divide(true, n as u32, d as u32).map(|v| v as i32);
    assert_eq!(signed(7, 3), [2, 1]);
    assert_eq!(signed(7, -3), [-2, 1]);
    assert_eq!(signed(-7, 3), [-2, -1]);
    assert_eq!(signed(-7, -3), [2, -1]);
    assert_eq!(signed(0, 3), [0, 0]);
    assert_eq!(signed(0, -3), [0, 0]);
    assert_eq!(signed(i32::MIN, -1), [i32::MIN, 0]);
    assert_eq!(divide(false, 0xffff_fff9, 3), [0x5555_5553, 0]);
    assert_eq!(divide(false, 0, 3), [0, 0]);
}

#[test]
fn integers_by_zero() {
    assert_eq!(divide(true, 5, 0), [0x7fff_ffff; 2]);
    assert_eq!(divide(true, 0, 0), [0x7fff_ffff; 2]);
    assert_eq!(divide(true, -5i32 as u32, 0), [0x8000_0000; 2]);
    assert_eq!(divide(false, 5, 0), [0xffff_ffff; 2]);
    assert_eq!(divide(false, 0, 0), [0xffff_ffff; 2]);
}
