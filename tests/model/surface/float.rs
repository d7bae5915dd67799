//! Small floating-point formats and the sRGB curve, exact to the bit on every host.

use visim::internals::surface::float::{
    f32_to_half_nearest, f32_to_half_toward_zero, f32_to_small, half_to_f32, linear_to_srgb,
    shared_exponent, small_to_f32, srgb_to_linear, to_shared_exponent,
};
#[test]
fn conversion_and_back_is_the_identity_on_every_code() {
    for code in 0..=u16::MAX {
        let wide = half_to_f32(code);
        if !f32::from_bits(wide).is_nan() {
            assert_eq!(f32_to_half_toward_zero(wide), code);
            assert_eq!(f32_to_half_nearest(wide), code);
        }
    }
    for mantissa in [5, 6] {
        for code in 0..1 << (5 + mantissa) {
            let wide = small_to_f32(code, mantissa);
            if !f32::from_bits(wide).is_nan() {
                assert_eq!(f32_to_small(wide, mantissa), code, "{mantissa}");
            }
        }
    }
    // The greatest mantissa of a canonical code is 256 at least, unless the exponent is 0.
    for (m, e) in (0..512u32).flat_map(|m| (0..32).map(move |e| (m, e))) {
        let (other, least) = (m / 3, m >= 256 || e == 0);
        let rgb = [m, other, 0].map(|m| shared_exponent(m, e));
        let (mantissas, exponent) = to_shared_exponent(rgb);
        let back = mantissas.map(|m| shared_exponent(m, exponent));
        assert_eq!(back, rgb, "{m} {e}");
        assert!(!least || (mantissas, exponent) == ([m, other, 0], e));
    }
    let odd = [f32::NAN, -1.0, f32::INFINITY].map(f32::to_bits);
    assert_eq!(to_shared_exponent(odd), ([0, 0, 511], 31));
    // 1.999 is nearer to two than to 511/256.
    let near = [1.999f32, 1.0, 0.0].map(f32::to_bits);
    assert_eq!(to_shared_exponent(near), ([256, 128, 0], 17));
    for code in 0..1024 {
        let lin = f64::from(f32::from_bits(srgb_to_linear(code, 10)));
        assert_eq!((linear_to_srgb(lin) * 1023.0 + 0.5).floor() as u32, code);
    }
}

#[test]
fn rounding_is_toward_zero() {
    let half = |x: f32| f32_to_half_toward_zero(x.to_bits());
    assert_eq!(half(65519.0), 0x7bff);
    assert_eq!(half(1e9), 0x7bff);
    assert_eq!(half(-1e9), 0xfbff);
    assert_eq!(half(f32::INFINITY), 0x7c00);
    assert_eq!(half(1.0 + 0.000_97), 0x3c00); // just below 1 + 2^-10
    assert_eq!(half(5.9e-8), 0x0000); // just below 2^-24
    assert_eq!(half(6.0e-8), 0x0001);
    assert_eq!(f32_to_small((-1.0f32).to_bits(), 6), 0);
    assert_eq!(f32_to_small(f32::NEG_INFINITY.to_bits(), 6), 0);
    assert_eq!(f32_to_small(f32::NAN.to_bits(), 6), 31 << 6 | 1 << 5);
}
