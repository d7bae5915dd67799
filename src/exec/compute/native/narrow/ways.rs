//! What slots hold where ways part and meet.
//!
//! ```text
//!  jcc over       what slots hold here is noted
//!  …
//!  over:          they hold what they do on both ways; who comes by the branch first stores what this is not, in code that is
//!                 seldom run; who comes from such code loads what it is
//!  jmp over       backward: stores and loads what differs
//!  place of a region   the file has what is pinned, nothing else is read, slots are empty
//! ```

use super::super::assembler::{Assembler, Label, Mask};
use super::vex::{From, Op};
use super::{Form, Holds, Narrow, Needed, SLOTS, Slot, place};

impl Narrow {
    /// Whether both masks are in the same slots; else the file has to have its bits.
    pub fn agrees(&self, other: &Narrow, mask: Mask) -> bool {
        let own = |state: &Narrow, slot: usize| match state.slots[slot].holds {
            Holds::Lanes(of, false, half) if of == mask => Some(half),
            _ => None,
        };
        let both = [self, other].map(|state| state.masks[usize::from(mask)]);
        let slots = (0..SLOTS).all(|slot| own(self, slot) == own(other, slot));
        both == [Form::Lanes(false, 2); 2] && slots
    }

    /// What slots hold on all ways; nothing is known that the file would not say elsewhere.
    pub fn of_all(ways: &[Narrow]) -> Narrow {
        let Some((first, rest)) = ways.split_first() else {
            return Narrow::default();
        };
        let mut all = Narrow {
            busy: 0,
            zero: 0,
            same: 0,
            as_lanes: 0,
            lists: Vec::new(),
            ..first.clone()
        };
        for mask in 0..8 {
            if !ways.iter().all(|way| way.agrees(first, mask)) {
                all.masks[usize::from(mask)] = Form::Bits;
            }
        }
        let masks = all.masks;
        for (slot, own) in all.slots.iter_mut().enumerate() {
            own.unsaved = ways.iter().any(|way| way.slots[slot].unsaved);
            if let Holds::Lanes(mask, ..) = own.holds {
                own.unsaved &= masks[usize::from(mask)] != Form::Bits;
            }
            if rest.iter().any(|way| way.slots[slot].holds != own.holds) {
                *own = Slot::default();
            }
        }
        all
    }

    /// Whether nothing has to be done for slots to hold what they do on another way.
    pub fn is_like(&self, other: &Narrow) -> bool {
        let mut slots = self.slots.iter().zip(&other.slots);
        let slots = slots.all(|(own, there)| {
            let same = there.holds == Holds::Nothing || own.holds == there.holds;
            let is_mask = matches!(own.holds, Holds::Lanes(..));
            same && (is_mask || !own.unsaved || own.holds == there.holds && there.unsaved)
        });
        let masks = (0..8).all(|mask| {
            let is_bits = self.masks[usize::from(mask)] == Form::Bits;
            is_bits || self.agrees(other, mask)
        });
        slots && masks && self.zero == 0 && self.same == 0
    }
}

impl Assembler {
    /// A label is here: what slots hold on all ways to it they hold behind it, or nothing where that is said of it or its code
    /// is seldom run.
    pub fn bind_narrow(&mut self, label: Label) {
        let is_place = self.keep_needed(label);
        let reached = self.ended != self.here();
        let from = self.branches.remove(&label).unwrap_or_default();
        if !self.is_seldom && !is_place {
            self.join_slots(label, from, reached);
            self.ended = usize::MAX;
            return;
        }
        self.leave_slots();
        let on = self.label();
        if !from.is_empty() && reached {
            self.go_to(on);
        }
        for (branch, narrow) in from {
            let stores = self.label();
            self.place(stores);
            self.branch_to(branch, stores);
            self.narrow = narrow;
            self.leave_slots();
            self.go_to(on);
        }
        self.place(on);
        self.place(label);
        self.ended = usize::MAX;
    }

    /// Goes on at a label with what slots hold there, as far as that is known.
    pub fn jump_narrow(&mut self, label: Label) {
        match self.joined_at(label) {
            Some((narrow, on)) => {
                self.establish(&narrow);
                self.go_to(on);
            }
            None if self.is_met_later(label) => {
                self.byte(0xe9);
                self.dword(0);
                self.meet_later(label);
            }
            None => {
                self.keep_needed(label);
                self.save();
                self.go_to(label);
            }
        }
        self.forget_slots();
        self.ended = self.here();
    }

    /// What comes next comes from elsewhere, too, or goes there: the file has everything, and no slot holds anything.
    pub fn leave_slots(&mut self) {
        self.save();
        self.forget_slots();
    }

    /// The branch that was made leads to a label that is placed later.
    pub fn meet_later(&mut self, label: Label) {
        self.release();
        let branch = (self.here(), self.narrow.clone());
        self.branches.entry(label).or_default().push(branch);
    }

    /// Whether a label is none that says what it needs, is placed later, and the branch to it is in code that is run often:
    /// then what slots hold is settled where it is placed.
    pub fn is_met_later(&self, label: Label) -> bool {
        let is_place = self.needed.iter().any(|(of, _)| *of == label);
        !self.is_seldom && !is_place && !self.is_placed(label)
    }

    /// Where to branch so that the file has everything at a label: what it lacks is stored where the branch is taken.
    pub fn with_stores(&mut self, label: Label) -> Label {
        let kept = self.narrow.clone();
        if let Some((narrow, on)) = self.joined_at(label) {
            if kept.is_like(&narrow) {
                return on;
            }
            if self.is_seldom {
                self.establish(&narrow);
                return on;
            }
            let stores = self.label();
            self.away(stores, |code| {
                code.establish(&narrow);
                code.go_to(on);
            });
            return stores;
        }
        self.keep_needed(label);
        if !self.is_ahead() {
            self.narrow = kept;
            return label;
        }
        if self.is_seldom {
            self.narrow = kept;
            self.save();
            return label;
        }
        let stores = self.label();
        self.away(stores, |code| {
            code.save();
            code.go_to(label);
        });
        self.narrow = kept;
        stores
    }

    /// Makes code that is seldom run, where slots hold what they do here; afterwards they do here as before.
    pub fn away(&mut self, label: Label, make: impl FnOnce(&mut Self)) {
        let kept = self.narrow.clone();
        self.switch(true);
        self.place(label);
        make(self);
        self.switch(false);
        self.narrow = kept;
    }

    /// Of registers and masks these alone are read from a label on, which is placed later.
    pub fn needs(&mut self, label: Label, needed: Needed) {
        if self.narrows {
            self.needed.push((label, needed));
        }
    }

    /// What a label does not need is forgotten; whether it is said what that is.
    pub fn keep_needed(&mut self, label: Label) -> bool {
        let needed = self.needed.iter().find(|(of, _)| *of == label);
        let needed = needed.map(|(_, needed)| *needed);
        needed.into_iter().for_each(|needed| self.keep_only(needed));
        needed.is_some()
    }

    /// Several ways meet: slots hold what they do on all of those that are run often, and the file has the rest.
    ///
    /// * `label`: where ways come to on which the file has everything: they make slots hold that.
    /// * `from`: what slots hold where branches to the label are, and the branches.
    /// * `reached`: what is in front runs into it.
    pub fn join_slots(&mut self, label: Label, from: Vec<(usize, Narrow)>, reached: bool) {
        self.release();
        let mut ways: Vec<Narrow> = from.iter().map(|(_, narrow)| narrow.clone()).collect();
        if reached {
            ways.insert(0, self.narrow.clone());
        }
        let all = Narrow::of_all(&ways);
        if reached {
            self.establish(&all);
        }
        self.narrow = all.clone();
        let on = self.label();
        if !all.is_empty() {
            self.away(label, |code| {
                code.forget_slots();
                code.establish(&all);
                code.go_to(on);
            });
        }
        for (branch, narrow) in from {
            if narrow.is_like(&all) {
                self.branch_to(branch, on);
                continue;
            }
            let stores = self.label();
            self.away(stores, |code| {
                code.narrow = narrow;
                code.establish(&all);
                code.go_to(on);
            });
            self.branch_to(branch, stores);
        }
        if all.is_empty() {
            self.place(label);
        }
        self.place(on);
        self.joined.insert(label, (all, on));
    }

    /// Slots come to hold what they do on another way, and the file has the rest.
    pub fn establish(&mut self, other: &Narrow) {
        // First, with no slot in use: it may take one that holds something.
        self.release();
        self.save_zeros();
        for mask in 0..8 {
            if !self.narrow.agrees(other, mask) {
                self.settle(mask);
            }
        }
        for reg in (0..32)
            .filter(|reg| self.is_same(*reg))
            .collect::<Vec<u8>>()
        {
            let slot = self.half(reg, 0);
            self.store_half(reg, 0, slot);
        }
        self.narrow.same = 0;
        for (slot, there) in (0..).zip(&other.slots) {
            if let Slot {
                holds: Holds::Half(reg, half),
                unsaved: true,
                ..
            } = self.narrow.slots[usize::from(slot)]
                && !(there.holds == Holds::Half(reg, half) && there.unsaved)
            {
                self.store_half(reg, half, slot);
            }
        }
        for (slot, there) in (0..).zip(&other.slots) {
            if there.holds == self.narrow.slots[usize::from(slot)].holds {
                continue;
            }
            match there.holds {
                Holds::Nothing => {}
                Holds::Half(reg, half) => {
                    self.vex(Op::LOAD, true, slot, 0, From::Memory(place(reg, half)));
                }
                Holds::Lanes(mask, qwords, half) => self.make_lanes(slot, mask, qwords, half),
                Holds::Each(dword) => self.load_constant(slot, &[dword]),
                Holds::EachQword(qword) => {
                    self.load_constant(slot, &[qword as u32, (qword >> 32) as u32]);
                }
            }
        }
        self.narrow = other.clone();
    }

    /// What slots hold where a label is that several ways have come to, and where they go on.
    pub fn joined_at(&self, label: Label) -> Option<(Narrow, Label)> {
        self.joined.get(&label).cloned()
    }

    /// Of registers and masks these alone are read again, a bit for each.
    pub fn keep_only(&mut self, needed: Needed) {
        if !self.narrows {
            return;
        }
        let is_needed = |holds: Holds| match holds {
            Holds::Half(reg, _) => needed.registers >> reg & 1 != 0,
            Holds::Lanes(mask, ..) => needed.masks >> mask & 1 != 0,
            _ => true,
        };
        self.narrow.drop(|holds| !is_needed(holds));
        self.narrow.zero &= needed.registers;
        self.narrow.same &= needed.registers;
        for (mask, form) in self.narrow.masks.iter_mut().enumerate() {
            if needed.masks >> mask & 1 == 0 {
                *form = Form::Bits;
                self.narrow.as_lanes &= !(3 << (2 * mask));
            }
        }
    }
}
