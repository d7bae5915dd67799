//! Sets of general registers, for answers that are still on their way.

/// A bit for each of `count` general registers from `first` on.
pub const fn registers(first: u32, count: u32) -> u128 {
    let row = match count {
        0 => 0,
        1..128 => u128::MAX >> (128 - count),
        _ => u128::MAX,
    };
    if first < 128 { row << first } else { 0 }
}
