//! What registers hold of the arena, and what of it the arena does not have yet.
//!
//! ```text
//!  mul  V1 ← …      zmm7 has V1, the arena has not
//!  add  V1 ← V1 …   zmm8 has V1; what was in zmm7 is never stored
//!  word V2 ← V1     V1 is stored: its bytes are read otherwise than they were written
//!  …                left here: a way out stores what the arena lacks at this point
//!  goto             who goes stores everything
//!  ret              nothing is, unless somebody looks at what the thread leaves
//! ```

use super::affine::{self, ALL_LANES, Affine};
use super::assembler::{Label, Len, Reg, Rm, Vector};
use super::emit::{ENABLED, Emitter, MAKING, REGISTERS, RUNNING};
use super::masks::{MaskedHalf, predicate_at};
use super::narrow::Needed;
use super::region::Touched;
use super::select::{Bytes, Kind};

/// What stands for results that nobody reads, in builds for tests.
pub const NEVER_READ: u32 = 0xa5a5_a5a5;

/// Registers that are not pinned, of which some may be kept for later.
pub const MANY_FREE: Reg = 20;

/// Bytes that a register holds.
#[derive(Clone, Copy)]
pub struct Held {
    pub bytes: Bytes,
    pub reg: Reg,
    /// The arena has something older.
    pub unsaved: bool,
    /// The last op that may read it.
    pub last_read: u32,
    /// Ops have written all of it.
    pub whole: bool,
    /// The register has no more than lane 0 of something, and these are lanes that are so much more.
    pub affine: Option<Affine>,
}

/// A way out of a region in front of an op.
pub struct Leave {
    pub label: Label,
    /// It is for a NaN.
    pub for_nan: bool,
    /// What the arena lacks there, and which halves of predicates.
    pub unsaved: Vec<Held>,
    pub halves: Vec<MaskedHalf>,
}

impl Emitter {
    /// Nothing is known of registers that are not pinned. The arena has everything.
    pub fn forget(&mut self) {
        self.held.clear();
        self.halves = Default::default();
        self.copies.clear();
        self.known.clear();
        self.found.clear();
        self.scaled.clear();
        self.made.clear();
        self.affine_rows.clear();
        self.orders.forget();
    }

    /// Where a single dword was copied from, or itself.
    pub fn origin(&self, at: u32) -> u32 {
        let copy = self.copies.iter().find(|(to, _)| *to == at);
        copy.map_or(at, |(_, from)| *from)
    }

    /// The register that holds bytes, all of them.
    pub fn holder(&self, bytes: Bytes) -> Option<Reg> {
        let mut all = self.held.iter().filter(|held| held.affine.is_none());
        let mut held = || all.find(|held| held.bytes == bytes);
        self.pin(bytes).or_else(|| held().map(|held| held.reg))
    }

    pub fn pin(&self, bytes: Bytes) -> Option<Reg> {
        let pin = self.pinned.iter().find(|(b, _)| *b == bytes);
        pin.map(|(_, reg)| *reg)
    }

    /// A register for a result, which nothing of the instruction at hand is in: rather one that the arena can do without.
    pub fn take(&mut self) -> Reg {
        // What registers hold must not depend on what was seldom run.
        debug_assert!(!self.code.is_seldom());
        let reg = self.next_free(true).or_else(|| self.next_free(false));
        let reg = reg.expect("no instruction needs as many registers as there are");
        self.turn = if reg + 1 == REGISTERS {
            self.free
        } else {
            reg + 1
        };
        self.save(|held| held.reg == reg);
        self.held.retain(|held| held.reg != reg);
        self.made.retain(|made| !made.has(reg));
        self.busy.push(reg);
        reg
    }

    /// The same, if there is one.
    pub fn take_if_any(&mut self) -> Option<Reg> {
        self.next_free(false)?;
        Some(self.take())
    }

    /// A temporary register until [`Emitter::give_back`]. If none is free, the region is left in front of the op at hand, and code
    /// that is made behind that is never run.
    pub fn take_or_leave(&mut self) -> Reg {
        self.take_if_any().unwrap_or_else(|| {
            let leave = self.leave_label();
            self.code.jump(leave);
            MAKING
        })
    }

    /// These temporary registers are free again.
    pub fn give_back(&mut self, regs: [Reg; 2]) {
        self.busy.retain(|busy| !regs.contains(busy));
    }

    /// A register to be kept for later, if enough are left.
    pub fn spare(&mut self) -> Option<Reg> {
        (REGISTERS - self.free >= MANY_FREE).then(|| self.take())
    }

    /// The next register that nothing of the instruction at hand is in.
    ///
    /// * `saved`: nor anything that the arena lacks.
    fn next_free(&self, saved: bool) -> Option<Reg> {
        let end = if self.affine { ALL_LANES } else { REGISTERS };
        let first = self.turn.max(self.free);
        let mut all = (first..end).chain(self.free..first.min(end));
        all.find(|reg| {
            let lacks = |held: &Held| held.unsaved && held.reg == *reg;
            !self.busy.contains(reg)
                && self.scaled.iter().all(|scaled| scaled.reg != *reg)
                && !(saved && self.held.iter().any(lacks))
        })
    }

    /// A register has what the arena has.
    pub fn hold(&mut self, bytes: Bytes, reg: Reg) {
        self.held.push(Held {
            bytes,
            reg,
            unsaved: false,
            last_read: u32::MAX,
            whole: true,
            affine: None,
        });
    }

    /// A register has the result that replaces all of these bytes; it is stored when that has to be.
    pub fn keep(&mut self, bytes: Bytes, reg: Reg) {
        self.replace(bytes);
        self.keep_replaced(bytes, reg, None);
        self.leave_room();
    }

    /// A result is about to replace all of these bytes.
    pub fn replace(&mut self, bytes: Bytes) {
        // A part of a register would take its neighbours along.
        debug_assert!(match bytes.kind {
            Kind::Row(_) => matches!(bytes.len, 16 | 32 | 64),
            kind => kind != Kind::Other,
        });
        let (first, end) = (bytes.at, bytes.at + bytes.len);
        self.save(|held| {
            let own = held.bytes;
            own.overlaps(bytes) && (own.at < first || own.at + own.len > end)
        });
        self.save_halves(|half| predicate_at(half.at).overlaps(bytes));
        self.close_way();
        self.drop_overlapping(bytes);
    }

    /// A register has the result that has [replaced](Emitter::replace) them, or lane 0 of it.
    pub fn keep_replaced(&mut self, bytes: Bytes, reg: Reg, affine: Option<Affine>) {
        let last_read = self.last_read.as_ref().map_or(u32::MAX, |l| l.of(bytes));
        self.held.push(Held {
            bytes,
            reg,
            unsaved: true,
            last_read,
            whole: true,
            affine,
        });
    }

    /// What is read again needs registers as well as results do.
    pub fn leave_room(&mut self) {
        let mut unsaved = self.held.iter().filter(|held| held.unsaved);
        let oldest = unsaved.next().map(|held| held.bytes);
        if unsaved.count() >= usize::from(REGISTERS - self.free) * 3 / 4 {
            self.save(|held| Some(held.bytes) == oldest);
        }
    }

    /// Bytes of the arena are about to be written in part or in another way: what registers hold of them is old then.
    pub fn overwrite(&mut self, bytes: Bytes) {
        self.save(|held| held.bytes.overlaps(bytes));
        self.save_halves(|half| predicate_at(half.at).overlaps(bytes));
        self.drop_overlapping(bytes);
    }

    fn drop_overlapping(&mut self, bytes: Bytes) {
        self.held.retain(|held| !held.bytes.overlaps(bytes));
        let stays = |at: u32| !Bytes::one(at).overlaps(bytes);
        for half in self.halves.iter_mut().flatten() {
            half.take_if(|half| !stays(half.at));
        }
        self.made.retain(|made| !made.reads(bytes));
        affine::write(&mut self.affine_rows, bytes);
        self.known.retain(|known| stays(known.at));
        self.found.retain(|(named, _)| named.is_none_or(stays));
        self.copies.retain(|(to, from)| stays(*to) && stays(*from));
        self.scaled
            .retain(|s| !s.row.overlaps(bytes) && s.named.iter().all(|at| stays(*at)));
    }

    /// The arena gets what an op reads or writes of it otherwise than a register holds it.
    pub fn settle(&mut self, touched: &Touched) {
        self.save(|held| {
            let mut touched = touched.iter().flatten();
            touched.any(|bytes| held.bytes != *bytes && held.bytes.overlaps(*bytes))
        });
        self.save_halves(|half| {
            let own = predicate_at(half.at);
            touched[0].iter().any(|read| read.overlaps(own))
        });
        self.make_all_lanes(touched);
    }

    /// The arena gets everything.
    pub fn save_all(&mut self) {
        self.save(|_| true);
        self.save_halves(|_| true);
    }

    /// Stores everything for those who go elsewhere behind the op at hand: back to ops that may be in a loop with it, or ahead.
    pub fn store_unsaved(&mut self, back: bool) {
        let unsaved = self.unsaved();
        unsaved.into_iter().for_each(|held| self.store(held));
        let from = self.at + u32::from(!back);
        self.store_halves(&self.unsaved_halves(|half| half.last_read >= from));
    }

    /// Whether the arena lacks nothing for those who go ahead behind the op at hand.
    pub fn has_all_saved(&self) -> bool {
        let halves = self.unsaved_halves(|half| half.last_read > self.at);
        self.held.iter().all(|held| !held.unsaved) && halves.is_empty()
    }

    /// The next op is this one: results that nobody reads from there on are forgotten, and never stored.
    pub fn come_to(&mut self, pc: u32) {
        self.at = pc;
        self.forget_unread(pc, |_| true);
        self.forget_unread_predicates();
    }

    /// Between two ops what no register holds of the arena is not read again.
    pub fn keep_held(&mut self) {
        if !self.code.narrows {
            return;
        }
        let scaled = self.scaled.iter().map(|scaled| scaled.reg);
        let held = self.held.iter().map(|held| held.reg).chain(scaled);
        let held = held.fold(0, |all: u32, reg| all | 1 << reg);
        // What they were made of and make is gone, too.
        self.made.retain(|made| held >> made.reg & 1 != 0);
        let pinned = self.pinned_needed();
        self.code.keep_only(Needed {
            registers: held | pinned.registers,
            ..pinned
        });
    }

    /// What is read where nothing is known but what is pinned.
    pub fn pinned_needed(&self) -> Needed {
        let pinned = self.pinned.iter();
        let lanes = ENABLED.into_iter().chain(RUNNING);
        Needed {
            registers: pinned.fold(0, |all, (_, reg)| all | 1 << reg),
            masks: lanes.fold(0, |all, mask| all | 1 << mask),
        }
    }

    /// The same of those that are asked for.
    pub fn forget_unread(&mut self, pc: u32, asked: impl Fn(Bytes) -> bool) {
        let dead = |held: &Held| held.unsaved && held.last_read < pc && asked(held.bytes);
        if !self.held.iter().any(dead) {
            return;
        }
        let (gone, held) = self.held.iter().copied().partition(dead);
        let gone: Vec<Held> = gone;
        self.held = held;
        // What registers have of it beside is not what the arena has.
        self.held
            .retain(|held| gone.iter().all(|gone| gone.bytes != held.bytes));
        for held in gone {
            self.close_way();
            // Where it was copied to is still known there.
            self.copies
                .retain(|(_, from)| !Bytes::one(*from).overlaps(held.bytes));
            // Tests see it if somebody does.
            if cfg!(debug_assertions) && held.whole {
                let never = Rm::Const(NEVER_READ);
                self.code
                    .vector(Vector::BROADCAST, Len::Z, MAKING, 0, never);
                self.store(Held {
                    reg: MAKING,
                    affine: None,
                    ..held
                });
            }
        }
    }

    /// The row that was put last has bytes that no op has written.
    pub fn is_merged(&mut self) {
        if let Some(last) = self.held.last_mut() {
            last.whole = false;
        }
    }

    /// What the arena lacks.
    fn unsaved(&self) -> Vec<Held> {
        let unsaved = self.held.iter().filter(|held| held.unsaved);
        unsaved.copied().collect()
    }

    /// Stores what the arena lacks, if it is asked for.
    pub fn save(&mut self, asked: impl Fn(&Held) -> bool) {
        for at in 0..self.held.len() {
            let held = self.held[at];
            if held.unsaved && asked(&held) {
                self.close_way();
                self.store(held);
                self.held[at].unsaved = false;
            }
        }
    }

    /// Stores what a register holds.
    pub fn store(&mut self, held: Held) {
        let Held {
            bytes,
            mut reg,
            affine,
            ..
        } = held;
        if let Some(affine) = affine {
            self.spread_affine(reg, affine, ALL_LANES);
            reg = ALL_LANES;
        }
        let (vector, len, place) = match bytes.kind {
            Kind::Each => (Vector::STORE_ONE, Len::X, Rm::Each(bytes.at)),
            // What is stored as a whole is there for the next load at once.
            Kind::EachQword => (Vector::STORE_ONE_QWORD, Len::X, Rm::Each(bytes.at)),
            _ => (bytes.store(), bytes.register(), Rm::Row(bytes.at)),
        };
        self.code.vector(vector, len, reg, 0, place);
    }

    /// Where the region is left in front of the op at hand.
    pub fn leave_label(&mut self) -> Label {
        self.way_out(false)
    }

    /// The same for a NaN: who goes there says so.
    pub fn leave_for_nan(&mut self) -> Label {
        self.way_out(true)
    }

    fn way_out(&mut self, for_nan: bool) -> Label {
        if let Some(leave) = &self.leave[usize::from(for_nan)] {
            return leave.label;
        }
        let label = self.code.label();
        self.leave[usize::from(for_nan)] = Some(Leave {
            label,
            for_nan,
            unsaved: self.unsaved(),
            halves: self.unsaved_halves(|_| true),
        });
        label
    }

    /// What the arena lacks changes: who leaves from here on takes another way.
    pub fn close_way(&mut self) {
        debug_assert!(!self.code.is_seldom());
        let ways = self.leave.iter_mut().filter_map(Option::take);
        self.left.extend(ways);
    }

    /// The ways out in front of the op at hand.
    pub fn take_ways(&mut self) -> Vec<Leave> {
        self.close_way();
        std::mem::take(&mut self.left)
    }
}
