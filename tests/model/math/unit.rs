//! The extended math unit: channels, saturation, rounds, payloads of NaN.

use super::special::{DEN, INF, MAX, element, of};
use visim::internals::math::unit::{Bound, Control, FUNCTIONS, Function, Refusal, Rounds};
#[test]
fn rows_are_found_by_their_codes() {
    for row in FUNCTIONS {
        assert_eq!(row.function.info().function, row.function);
        assert_eq!(Function::from_code(row.function as u32), Some(row.function));
    }
    for reserved in [0, 9, 14, 15, 16] {
        assert_eq!(Function::from_code(reserved), None);
    }
}

#[test]
fn no_result_of_alt_mode_is_infinite() {
    let odd = [
        0.0, -0.0, DEN, 1.0, -1.0, MAX, -MAX, 1.0e-38, 1.0e38, INF, -INF,
    ];
    for row in FUNCTIONS.iter().filter(|r| r.bound != Bound::Exact) {
        for a in odd {
            for b in odd {
                assert!(
                    !of(row.function, true, a, b).is_infinite(),
                    "{} {a} {b}",
                    row.name
                );
            }
        }
    }
}

fn control(function: Function) -> Control {
    Control {
        function,
        signed: true,
        partial: false,
        saturate: false,
        scalar: false,
    }
}

#[test]
fn only_enabled_channels_are_written() {
    let mut operands = [[0; 16]; 2];
    operands[0] = std::array::from_fn(|i| (i as f32 + 1.0).to_bits());
    let mut results = [[7; 16]; 2];
    control(Function::Inv).compute(false, 0x8001, &operands, &mut results);
    // 1/1 and 1/16; channels 1 to 14 stay.
    assert_eq!(results[0][0], 1.0f32.to_bits());
    assert_eq!(results[0][15], 0.0625f32.to_bits());
    assert_eq!(results[0][1..15], [7; 14]);
}

#[test]
fn a_scalar_serves_its_group_even_when_it_is_off() {
    let mut operands = [[0; 16]; 2];
    operands[0] = std::array::from_fn(|i| ((i * i) as f32).to_bits());
    let mut results = [[7; 16]; 2];
    let scalar = Control {
        scalar: true,
        ..control(Function::Sqrt)
    };
    // Channels 2 and 3 take channel 0 (0), channels 4 and 5 channel 4 (4² = 16, root 4).
    scalar.compute(false, 0b11_1100, &operands, &mut results);
    let floats: Vec<f32> = results[0][2..6]
        .iter()
        .map(|v| f32::from_bits(*v))
        .collect();
    assert_eq!(floats, [0.0, 0.0, 4.0, 4.0]);
    assert_eq!(scalar.elements(0b11_1100), 2);
    assert_eq!(control(Function::Sqrt).elements(0b11_1100), 4);
}

#[test]
fn two_results_and_the_order_of_operands() {
    // Operand 0 is the denominator: 17 by 5 is 3, rest 2.
    let mut operands = [[0; 16]; 2];
    (operands[0][0], operands[1][0]) = (5, 17);
    let mut results = [[0; 16]; 2];
    control(Function::IntDivBoth).compute(false, 1, &operands, &mut results);
    assert_eq!([results[0][0], results[1][0]], [3, 2]);
    // sin 0 = 0, cos 0 = 1.
    operands[0][0] = 0;
    control(Function::SinCos).compute(false, 1, &operands, &mut results);
    assert_eq!([results[0][0], results[1][0]], [0, 1.0f32.to_bits()]);
}

#[test]
fn floats_saturate_and_integers_refuse_to() {
    let clamped = |function, a| {
        let saturated = Control {
            saturate: true,
            ..control(function)
        };
        element(&saturated, false, a, 0.0)[0]
    };
    assert_eq!(clamped(Function::Inv, 0.25), 1.0f32.to_bits());
    assert_eq!(clamped(Function::Inv, -4.0), 0);
    assert_eq!(clamped(Function::Log, -4.0), 0);
    let saturated = Control {
        saturate: true,
        ..control(Function::Quotient)
    };
    assert_eq!(
        saturated.check(8),
        Err(Refusal::Saturates("INT DIV, quotient"))
    );
    assert_eq!(
        control(Function::Pow).check(16),
        Err(Refusal::Sixteen("POW"))
    );
    assert_eq!(control(Function::Sin).check(16), Ok(()));
}

#[test]
fn rounds_follow_precision_only_in_alt_mode() {
    let partial = Control {
        partial: true,
        ..control(Function::Log)
    };
    assert_eq!(partial.rounds(true).typical, 2);
    assert_eq!(partial.rounds(false).typical, 3);
    let sine = Rounds {
        least: 5,
        typical: 6,
        most: 12,
    };
    assert_eq!(control(Function::Sin).rounds(false), sine);
}

#[test]
fn a_nan_keeps_its_payload() {
    let nan = f32::from_bits(0xff80_1234);
    assert_eq!(of(Function::Exp, false, nan, 0.0).to_bits(), 0xffc0_1234);
    assert_eq!(of(Function::Log, false, -1.0, nan).to_bits(), 0x7fc0_0000);
}
