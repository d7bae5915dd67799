//! Coefficient tables: the published ones as data, and the generator that made them.

use pretty_assertions::assert_eq;
use visim::internals::sampler::avs::tables::{
    POLYPHASE_4, POLYPHASE_4_HALF, POLYPHASE_8, POLYPHASE_8_HALF, TableError, Taps4, Taps8,
};

#[test]
fn the_generator_makes_the_published_rows() {
    for phase in 0..=16 {
        assert_eq!(
            Taps8::polyphase(1.5).row(phase),
            POLYPHASE_8.row(phase),
            "{phase}"
        );
        assert_eq!(
            Taps4::polyphase(1.0).row(phase),
            POLYPHASE_4.row(phase),
            "{phase}"
        );
        assert_eq!(
            Taps8::polyphase(0.5).row(phase),
            POLYPHASE_8_HALF.row(phase),
            "{phase}"
        );
        assert_eq!(
            Taps4::polyphase(0.5).row(phase),
            POLYPHASE_4_HALF.row(phase),
            "{phase}"
        );
    }
}

#[test]
fn phases_above_the_middle_read_backwards() {
    // AVS reference 3.7: row 30 is row 2 reversed, row 22 row 10.
    assert_eq!(POLYPHASE_8.row(30), &[-1, 1, -2, 4, 65, -4, 2, -1]);
    assert_eq!(POLYPHASE_8.row(22), &[-3, 5, -10, 25, 57, -13, 7, -4]);
}

#[test]
fn every_row_of_every_generator_sums_to_one() {
    for scale in [0.02, 0.1, 0.33, 0.5, 2.0 / 3.0, 0.9, 1.0, 3.0] {
        for phase in 0..32 {
            let sum = |row: &[i16]| row.iter().sum::<i16>();
            assert_eq!(sum(Taps8::polyphase(scale).row(phase)), 64);
            assert_eq!(sum(Taps4::polyphase(scale).row(phase)), 64);
            assert_eq!(sum(Taps8::lanczos(scale).row(phase)), 64);
            assert_eq!(sum(Taps4::lanczos(scale).row(phase)), 64);
            assert_eq!(sum(Taps4::bilinear().row(phase)), 64);
            assert_eq!(sum(Taps8::nearest().row(phase)), 64);
        }
    }
}

#[test]
fn gain_bounds_every_row() {
    // Phase 14 of the upscale: 7 + 48 + 37 + 7 = 99 and 4 + 14 + 13 + 4 = 35.
    assert_eq!(POLYPHASE_8.gain(), (99, 35));
    assert_eq!(Taps8::nearest().gain(), (64, 0));
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    assert_eq!(Taps8::from_rows(&[]), Err(TableError::Rows(0)));
    let taps = TableError::Taps {
        row: 0,
        found: 4,
        wanted: 8,
    };
    assert_eq!(Taps8::from_rows(&vec![vec![0; 4]; 17]), Err(taps));
    let wide = vec![vec![9, 9, -1, 60, 5, 0, 9, 9]; 17];
    assert_eq!(Taps4::from_rows(&wide).unwrap().row(3), &[-1, 60, 5, 0]);
    let range = TableError::Range { row: 0, value: 128 };
    assert_eq!(Taps4::from_rows(&vec![vec![128; 4]; 32]), Err(range));
    for name in [
        "",
        "cubic",
        "polyphase x",
        "polyphase -1",
        "polyphase 1 1",
        "lanczos 0",
        "lanczos nan",
        "nearest 1",
    ] {
        assert!(Taps8::named(name).is_err(), "{name:?}");
    }
    assert_eq!(Taps8::named("polyphase 2"), Ok(Taps8::polyphase(2.0)));
    assert_eq!(Taps4::named("lanczos"), Ok(Taps4::lanczos(3.0)));
}
