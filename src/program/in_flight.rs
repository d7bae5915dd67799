//! Answers that are still on their way when a message is sent.

/// An earlier message of a thread that runs from top to bottom, as seen by a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The op that sent it.
    pub op: u32,
    /// Number of the first register of its answer.
    pub first: u32,
    /// How many registers come back.
    pub answer: Answer,
    /// General registers that operands between the two messages waited for, a bit for each.
    pub waited: u128,
}

/// How many registers come back for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// As the descriptor in the text says.
    Known(u32),
    /// As the descriptor said when the message was sent.
    Sent,
}

/// A bit for each of `count` general registers from `first` on.
pub const fn registers(first: u32, count: u32) -> u128 {
    let row = match count {
        0 => 0,
        1..128 => u128::MAX >> (128 - count),
        _ => u128::MAX,
    };
    if first < 128 { row << first } else { 0 }
}
