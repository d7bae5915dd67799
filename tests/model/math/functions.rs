//! The functions: `inv log exp sqrt rsqrt sin cos pow` and their relatives.

use visim::internals::math::{cos, exp2, inv, log2, pow, rsqrt, sigm, sin, sqrt, tanh};
/// Distance in units of the last place of a single.
fn ulps(got: f64, wanted: f64) -> f64 {
    let unit = f64::from((wanted as f32).next_up()) - f64::from(wanted as f32);
    ((got - wanted) / unit).abs()
}

#[test]
fn exact_points() {
    for k in -126..=127 {
        let power = f64::from_bits(((1023 + k) as u64) << 52);
        assert_eq!(exp2(f64::from(k)), power);
        assert_eq!(log2(power), f64::from(k));
    }
    assert_eq!(inv(4.0), 0.25);
    assert_eq!(sqrt(9.0), 3.0);
    assert_eq!(rsqrt(0.25), 2.0);
    assert_eq!(pow(-3.0, 2.0) as f32, 9.0);
    assert_eq!(sigm(0.0), 0.5);
}

#[test]
fn special_values_follow_the_tables() {
    assert_eq!(inv(-0.0), f64::NEG_INFINITY);
    assert!(inv(f64::NEG_INFINITY) == 0.0 && inv(f64::NEG_INFINITY).is_sign_negative());
    assert_eq!(log2(-0.0), f64::NEG_INFINITY);
    assert!(log2(-1.0).is_nan() && sqrt(-1.0).is_nan());
    assert!(sqrt(-0.0).is_sign_negative());
    assert_eq!(rsqrt(-0.0), f64::NEG_INFINITY);
    assert_eq!(exp2(f64::NEG_INFINITY) as f32, 0.0);
    assert_eq!(exp2(f64::INFINITY) as f32, f32::INFINITY);
    assert!(sin(f64::INFINITY).is_nan() && cos(f64::NAN).is_nan());
    assert!(sin(-0.0).is_sign_negative());
    assert!(pow(1.0, f64::INFINITY).is_nan() && pow(0.0, 0.0).is_nan());
    assert_eq!(pow(2.0, f64::NEG_INFINITY) as f32, 0.0);
    assert_eq!(tanh(f64::NEG_INFINITY), -1.0);
}

/// The host's own functions as a second opinion, far closer than the bound tested.
#[test]
fn all_functions_agree_with_the_host_to_a_hundred_thousandth_ulp() {
    let mut x = 1.0e-6f32;
    while x < 1.0e6 {
        let v = f64::from(x);
        assert!(ulps(log2(v), v.log2()) < 1e-5, "log2 {x}");
        assert!(
            ulps(sin(v), v.sin()) < 1e-5,
            "sin {x}: {} {}",
            sin(v),
            v.sin()
        );
        assert!(ulps(cos(v), v.cos()) < 1e-5, "cos {x}");
        assert!(ulps(tanh(v), v.tanh()) < 1e-5, "tanh {x}");
        if x < 120.0 {
            assert!(ulps(exp2(v), v.exp2()) < 1e-5, "exp2 {x}");
            assert!(ulps(exp2(-v), (-v).exp2()) < 1e-5, "exp2 -{x}");
            assert!(ulps(pow(v, 1.25), v.powf(1.25)) < 1e-5, "pow {x}");
        }
        x *= 1.000_37;
    }
}

#[test]
fn angles_of_any_size_are_reduced_exactly() {
    // cos of the single nearest to a multiple of π/2 shows every lost bit: 16367173·2^72 is the
    // worst case of all singles for sine.
    for x in [1e10f32, 3.3e20, 1e30, f32::MAX, 16367173.0 * 2f32.powi(72)] {
        let v = f64::from(x);
        assert!(ulps(sin(v), v.sin()) < 1e-4, "{x}: {} {}", sin(v), v.sin());
        assert!(ulps(cos(v), v.cos()) < 1e-4, "{x}: {} {}", cos(v), v.cos());
    }
}
