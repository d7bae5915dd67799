//! Messages of sixteen lanes, of the lower and of the upper half of SIMD32, that become one of all lanes.
//!
//! ```text
//!  movs   T ← 0                                 movs   T ← 0
//!  load   V0 ← [A0]    lanes 0 to 15            load   V0, V1 ← [A0, A1]
//!  mov    W0 ← V0                          ─▶   mov    W0 ← V0
//!  movs   T ← 0        what T is already        movs   T ← 0
//!  load   V1 ← [A1]    lanes 16 to 31
//!
//!  store  V0 → [A0]                             mov    V1 ← W1
//!  mov    V1 ← W1                          ─▶   store  V0, V1 → [A0, A1]
//!  store  V1 → [A1]
//! ```
//!
//! Ops between two messages that load are done behind them, and between two that store in front of them. Who leaves code
//! in front of a store does those ops again, which find what they have found; who leaves behind a load does the second one
//! again.

use super::region::{Item, Region};
use super::select::{Bytes, Inst, Kind, Work};
use super::transfer::Transfer;
use crate::exec::compute::decoded::operand::Put;

/// Two messages that become one.
pub struct Joined {
    /// Their ops.
    pub first: u32,
    pub second: u32,
    /// What both do.
    pub message: Transfer,
    /// It is done behind the ops between them.
    pub is_behind: bool,
}

/// Ops between two messages, at most.
const MOST_BETWEEN: usize = 8;

/// Ops that are looked back for a copy, at most.
const MOST_BACK: usize = 64;

/// Those of a region.
pub fn joined(region: &Region) -> Vec<Joined> {
    let messages = (0..).zip(&region.items);
    let messages = messages.filter_map(|(at, item)| match item {
        Item::Transfer(message) => Some((at, message)),
        _ => None,
    });
    let mut all: Vec<Joined> = Vec::new();
    for (at, message) in messages {
        let is_part = |joined: &Joined| joined.second == region.start + at as u32;
        if !all.last().is_some_and(is_part) {
            all.extend(join(region, at, message));
        }
    }
    all
}

/// A message and the next one, if these become one.
fn join(region: &Region, at: usize, first: &Transfer) -> Option<Joined> {
    let items = region.items.get(at + 1..)?.iter();
    let number = items
        .take_while(|item| matches!(item, Item::Inst(_)))
        .count();
    let second = at + 1 + number;
    let pc = |at: usize| region.start + at as u32;
    let is_place = |at: usize| region.places.binary_search(&pc(at)).is_ok();
    if number > MOST_BETWEEN || (at + 1..=second).any(is_place) {
        return None;
    }
    let Some(Item::Transfer(other)) = region.items.get(second) else {
        return None;
    };
    let message = first.joined(other)?;
    let [of_first, of_second] = [at, second].map(|at| &region.touched[at]);
    let can_move = (at + 1..second).all(|between| {
        let touched = &region.touched[between];
        let Item::Inst(inst) = &region.items[between] else {
            return false;
        };
        // What writes again what is there already may be done in front of a message that reads it, and behind.
        let is_new = !repeats(region, between);
        let changes = |read: &[Bytes]| is_new && overlap(&touched[1], read);
        let plain = inst.guard.is_none() && !matches!(inst.dst, Put::Flags(_));
        // What is done again finds what it has found.
        let again = || {
            let mut before = at + 1..=between;
            before.all(|before| !changes(&region.touched[before][0]))
        };
        !inst.has_lists()
            && match message.write {
                true => plain && !changes(&of_first[0]) && again(),
                false => {
                    let touches = touched.iter().any(|own| overlap(own, &of_second[1]));
                    !touches && !changes(&of_second[0])
                }
            }
    });
    // The second one may be done again behind what is between: nothing has changed what it reads, it itself neither.
    let read = overlap(&of_first[1], &of_second[0]) || overlap(&of_second[1], &of_second[0]);
    let apart = !read && !overlap(&of_first[1], &of_second[1]);
    (can_move && apart).then(|| Joined {
        first: pc(at),
        second: pc(second),
        message,
        is_behind: message.write,
    })
}

/// Whether two lists have bytes in common.
fn overlap(a: &[Bytes], b: &[Bytes]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.overlaps(*b)))
}

/// Whether an op copies a dword to where it has been copied since the last place, as what names surfaces is in front of each
/// message.
fn repeats(region: &Region, at: usize) -> bool {
    let copy = |at: usize| match &region.items[at] {
        Item::Inst(inst) => copied(inst),
        _ => None,
    };
    let Some(own) = copy(at) else {
        return false;
    };
    let bytes = [own.0, own.1].map(Bytes::one);
    let is_place = |at: usize| {
        let pc = region.start + at as u32;
        region.places.binary_search(&pc).is_ok()
    };
    for before in (0..at).rev().take(MOST_BACK) {
        if is_place(before + 1) {
            return false;
        }
        if copy(before) == Some(own) {
            return true;
        }
        if overlap(&region.touched[before][1], &bytes) {
            return false;
        }
    }
    false
}

/// The dword that an instruction copies, whatever lanes run, and where to.
fn copied(inst: &Inst) -> Option<(u32, u32)> {
    let ([source], Put::Dense(to), Work::Move) = (&inst.src[..], inst.dst, inst.work) else {
        return None;
    };
    let from = inst.read(source, 0)?;
    let plain = inst.is_uniform() && source.modifier.is_none() && !inst.has_lists();
    // A copy onto a part of what it copies changes it again.
    let plain = plain && to.abs_diff(from.at) >= 4;
    (plain && from.kind == Kind::Each && from.len == 4).then_some((to, from.at))
}

#[cfg(test)]
mod tests {
    use super::super::Rounds;
    use super::super::region::{Item, regions};
    use crate::exec::compute::laws::lowered;
    use crate::exec::message::transfers::message;
    use crate::program::Op;
    use pretty_assertions::assert_eq;

    /// How many messages of these lines become one with the next one.
    fn joins(lines: &str) -> usize {
        let mut text = String::from(".version 3.6\n.kernel \"k\"\n.decl T6 v_type=T num_elts=1\n");
        for name in ["A", "V", "W"] {
            text += &format!(".decl {name} v_type=G type=ud num_elts=32 align=GRF\n");
        }
        text += &format!("{lines}\nret (M1, 1)\n");
        let program = lowered(text);
        let code = |_, op: &Op| match op {
            Op::Send(send) => message(&program, send),
            _ => None,
        };
        let entered = vec![false; program.ops.len()];
        let all = regions(&program, &entered, |_| true, code, Rounds::Kept);
        let messages = all.iter().flat_map(|region| &region.items);
        assert!(
            messages
                .filter(|item| matches!(item, Item::Transfer(_)))
                .count()
                >= 2
        );
        all.iter().map(|region| region.joined.len()).sum()
    }

    const LOAD: [&str; 2] = [
        "gather4_scaled.R (M1, 16) T6 0x0:ud A.0 V.0",
        "gather4_scaled.R (M5, 16) T6 0x0:ud A.64 V.64",
    ];
    const STORE: [&str; 2] = [
        "scatter4_scaled.R (M1, 16) T6 0x0:ud A.0 V.0",
        "scatter4_scaled.R (M5, 16) T6 0x0:ud A.64 V.64",
    ];

    fn between([first, second]: [&str; 2], ops: &str) -> usize {
        // What three instructions are worth is code.
        let work = "add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x1:d\n".repeat(3);
        joins(&format!(
            "{work}movs (M1_NM, 1) T6(0) 0x0:ud\n{first}\n{ops}\n{second}"
        ))
    }

    #[test]
    fn messages_of_both_halves_become_one() {
        for ops in [
            "",
            "movs (M1_NM, 1) T6(0) 0x0:ud",
            "add (M1, 16) W(0,0)<1> A(0,0)<1;1,0> 0x1:d",
        ] {
            assert_eq!(between(LOAD, ops), 1, "{ops}");
            assert_eq!(between(STORE, ops), 1, "{ops}");
        }
        // What one needs and the other has done may be on its side.
        let made = "mov (M5, 16) V(2,0)<1> W(0,0)<1;1,0>";
        assert_eq!(between(STORE, made), 1);
        let used = "mov (M1, 16) W(0,0)<1> V(0,0)<1;1,0>";
        assert_eq!(between(LOAD, used), 1);
    }

    #[test]
    fn what_lies_between_may_keep_them_apart() {
        for ops in [
            "movs (M1_NM, 1) T6(0) 0x1:ud",
            "add (M1, 16) A(2,0)<1> A(2,0)<1;1,0> 0x4:d",
            "mov (M1, 16) W(0,0)<1> V(2,0)<1;1,0>",
        ] {
            assert_eq!(between(LOAD, ops), 0, "{ops}");
        }
        for ops in [
            "movs (M1_NM, 1) T6(0) 0x1:ud",
            "add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> 0x4:d",
            // Done again it would find something else.
            "add (M5, 16) V(2,0)<1> V(2,0)<1;1,0> 0x4:d",
        ] {
            assert_eq!(between(STORE, ops), 0, "{ops}");
        }
        let second = |line| between([LOAD[0], line], "");
        // Its own addresses, the data of the other one, the same half, a place of its own.
        for line in [
            "gather4_scaled.R (M5, 16) T6 0x0:ud A.64 A.64",
            "gather4_scaled.R (M5, 16) T6 0x0:ud A.64 V.0",
            "gather4_scaled.R (M1, 16) T6 0x0:ud A.64 V.64",
            "gather4_scaled.R (M5, 16) T6 0x4:ud A.64 V.64",
        ] {
            assert_eq!(second(line), 0, "{line}");
        }
    }
}
