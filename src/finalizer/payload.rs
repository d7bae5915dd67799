//! Payload registers: what each byte comes from, and which operands travel in place.
//!
//! ```text
//!   operand list      u           v           lod         data
//!   registers         |A0.0|A0.1| |A1.0|A1.1| |A2.0|A2.1| …
//!   pieces             src0 ....   src1 ............ (copied together at the second break)
//! ```
//!
//! Source: lowering reference 1.8.

use super::value::{Run, Value};
use crate::check::VarId;

/// One operand of a message: whole registers.
#[derive(Clone, Debug, PartialEq)]
pub struct PayloadPart {
    /// Its registers, each exactly one register long.
    pub registers: Vec<Vec<Run>>,
    /// Where it lies if it can travel in place: owner of the bytes and offset.
    pub place: Option<(VarId, u32)>,
    /// It was `%null`: garbage that keeps the registers after it in position.
    pub null: bool,
}

impl PayloadPart {
    /// Runs cut into registers of `grf` bytes; the last register is filled up with undefined bytes.
    /// An empty list gives one undefined register.
    pub fn from_runs(runs: Vec<Run>, grf: u32) -> PayloadPart {
        PayloadPart {
            registers: cut(runs, grf),
            place: None,
            null: false,
        }
    }

    /// Bytes of a variable, in place.
    pub fn operand(root: VarId, offset: u32, bytes: u32, grf: u32) -> PayloadPart {
        let runs = vec![Run::Bytes {
            root,
            offset,
            len: bytes,
        }];
        PayloadPart {
            place: Some((root, offset)),
            ..PayloadPart::from_runs(runs, grf)
        }
    }

    /// An absent operand that still takes `rows` registers.
    pub fn absent(rows: u32, grf: u32) -> PayloadPart {
        PayloadPart {
            registers: vec![vec![Run::Undefined { len: grf }]; rows as usize],
            place: None,
            null: true,
        }
    }

    /// Dwords, one after the other.
    pub fn dwords(values: impl IntoIterator<Item = Value>, grf: u32) -> PayloadPart {
        let runs = values
            .into_iter()
            .map(|value| match value {
                Value::Undefined => Run::Undefined { len: 4 },
                value => Run::Value { value, size: 4 },
            })
            .collect();
        PayloadPart::from_runs(runs, grf)
    }

    /// So many registers of it, those that it does not have undefined.
    pub fn resized(mut self, rows: u32, grf: u32) -> PayloadPart {
        let empty = || vec![Run::Undefined { len: grf }];
        self.registers.resize_with(rows as usize, empty);
        self
    }

    /// Whether it can travel where it lies, with no byte of its registers undefined.
    fn is_whole(&self) -> bool {
        let defined = |run: &Run| !matches!(run, Run::Undefined { .. });
        self.place.is_some() && self.registers.iter().flatten().all(defined)
    }

    /// Number of registers.
    pub fn rows(&self) -> u32 {
        self.registers.len() as u32
    }
}

/// Cuts runs into registers.
fn cut(runs: Vec<Run>, grf: u32) -> Vec<Vec<Run>> {
    let mut registers = vec![Vec::new()];
    let mut room = grf;
    for run in runs {
        let mut rest = Some(run);
        while let Some(run) = rest.take().filter(|r| !r.is_empty()) {
            if room == 0 {
                registers.push(Vec::new());
                room = grf;
            }
            let (head, tail) = split(run, room);
            room = room.saturating_sub(head.len());
            if let Some(register) = registers.last_mut() {
                register.push(head);
            }
            rest = tail;
        }
    }
    if room > 0
        && let Some(register) = registers.last_mut()
    {
        register.push(Run::Undefined { len: room });
    }
    registers
}

/// The first `at` bytes of a run, and the rest. Computed elements never cross a register.
fn split(run: Run, at: u32) -> (Run, Option<Run>) {
    if run.len() <= at {
        return (run, None);
    }
    match run {
        Run::Bytes { root, offset, len } => (
            Run::Bytes {
                root,
                offset,
                len: at,
            },
            Some(Run::Bytes {
                root,
                offset: offset + at,
                len: len - at,
            }),
        ),
        Run::Dispatch { offset, len } => (
            Run::Dispatch { offset, len: at },
            Some(Run::Dispatch {
                offset: offset + at,
                len: len - at,
            }),
        ),
        Run::Undefined { len } => (
            Run::Undefined { len: at },
            Some(Run::Undefined { len: len - at }),
        ),
        value @ Run::Value { .. } => (value, None),
    }
}

/// How many parts travel as the first payload; the rest is the second. All of them if there is no
/// second payload.
///
/// The walk: an operand directly after its predecessor extends the piece; the first that does not
/// begins the second piece; a second break or a null operand ends it, and everything from the start
/// of the unfinished piece on is copied together. The reference also lets a step back in the same
/// variable end the walk; the finalizer was seen to treat it as any break.
/// Source: lowering reference 1.8.
pub fn split_point(parts: &[PayloadPart], grf: u32) -> usize {
    let mut second = None;
    for (i, pair) in parts.windows(2).enumerate() {
        let (before, here) = (&pair[0], &pair[1]);
        if follows(before, here, grf) {
            continue;
        }
        if here.null || second.is_some() {
            break;
        }
        second = Some(i + 1);
    }
    second.unwrap_or(parts.len())
}

/// The blocks of registers that parts come in: what is copied joins the copies before it, what travels where it lies
/// begins a block unless it follows its predecessor.
pub fn blocks(parts: &[PayloadPart], grf: u32) -> usize {
    let joined =
        |before: &PayloadPart, here: &PayloadPart| match (before.is_whole(), here.is_whole()) {
            (false, false) => true,
            (true, true) => follows(before, here, grf),
            _ => false,
        };
    let breaks = parts.windows(2).filter(|pair| !joined(&pair[0], &pair[1]));
    usize::from(!parts.is_empty()) + breaks.count()
}

/// Whether a part lies directly after another.
fn follows(before: &PayloadPart, here: &PayloadPart, grf: u32) -> bool {
    let (Some((a, at)), Some((b, next))) = (before.place, here.place) else {
        return false;
    };
    let end = u64::from(at) + u64::from(before.rows()) * u64::from(grf);
    a == b && u64::from(next) == end
}

/// Whether a part begins no further on than another in the same variable.
pub fn steps_back(before: &PayloadPart, here: &PayloadPart) -> bool {
    matches!((before.place, here.place), (Some((a, at)), Some((b, next))) if a == b && next <= at)
}

/// Where a piece lies if it travels as it lies: its parts follow each other.
pub fn in_place(piece: &[PayloadPart], grf: u32) -> Option<(VarId, u32)> {
    let whole = piece
        .windows(2)
        .all(|pair| follows(&pair[0], &pair[1], grf));
    piece.first().filter(|_| whole)?.place
}

/// The bytes after the last lane of registers that travel where they lie: the variable's own, of which
/// `size` belong to it.
pub fn fill(piece: &mut [PayloadPart], size: u32) {
    for register in piece.iter_mut().flat_map(|part| &mut part.registers) {
        if let [Run::Bytes { offset, len, .. }, Run::Undefined { len: rest }] = &mut register[..] {
            let more = size.saturating_sub(offset.saturating_add(*len)).min(*rest);
            *len += more;
            *rest -= more;
        }
        register.retain(|run| !run.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(var: u32, offset: u32) -> PayloadPart {
        PayloadPart::operand(VarId(var), offset, 64, 32)
    }

    #[test]
    fn pieces_break_as_the_finalizer_breaks_them() {
        let header = PayloadPart::dwords([], 32);
        // Four variables: the first alone, the others copied after it.
        assert_eq!(
            split_point(&[at(0, 0), at(1, 0), at(2, 0), at(3, 0)], 32),
            1
        );
        // One variable: one piece.
        assert_eq!(split_point(&[at(0, 0), at(0, 64), at(0, 128)], 32), 3);
        // A header is a piece of its own.
        assert_eq!(split_point(&[header, at(0, 0), at(0, 64)], 32), 1);
        // A gap begins the second piece, and so does a step back.
        assert_eq!(split_point(&[at(0, 0), at(0, 96)], 32), 1);
        assert_eq!(split_point(&[at(0, 64), at(0, 0)], 32), 1);
        assert_eq!(split_point(&[at(0, 0), at(0, 64), at(0, 0)], 32), 2);
        // A null operand ends the walk with everything in one piece.
        assert_eq!(
            split_point(&[at(0, 0), PayloadPart::absent(1, 32), at(1, 0)], 32),
            3
        );
    }

    #[test]
    fn runs_are_cut_at_registers() {
        let part = PayloadPart::operand(VarId(7), 8, 40, 32);
        assert_eq!(
            part.registers,
            vec![
                vec![Run::Bytes {
                    root: VarId(7),
                    offset: 8,
                    len: 32
                }],
                vec![
                    Run::Bytes {
                        root: VarId(7),
                        offset: 40,
                        len: 8
                    },
                    Run::Undefined { len: 24 }
                ],
            ]
        );
    }
}
