//! Predicates that masks hold, where all lanes are enabled, and of which the arena has something older.
//!
//! ```text
//!  cmp  P1 ← …      k1, k2 have both halves of P1, the arena has not
//!  cmp  P2 ← …      k3, k4: P2
//!  and  P1 ← P1 P2  done in masks
//!  (P1) sel         chosen by k1, k2
//!  cmp  P3 ← …      in place of P2, which the arena gets if an op may still read it
//!  (P1) goto        asked of k1, k2; who goes stores what is read there
//! ```

use super::assembler::{Mask, Place};
use super::emit::{ENABLED, Emitter, RUNNING, UNORDERED};
use super::held::NEVER_READ;
use super::select::{Bytes, Kind};
use crate::program::{Group, Guard, Lanes};
use std::ops::RangeInclusive;

/// The masks of a half: those of lanes that run, which all do here.
const MASKS: [[Mask; 2]; 2] = [[ENABLED[0], RUNNING[0]], [ENABLED[1], RUNNING[1]]];

/// Half of a predicate that a mask holds.
#[derive(Clone, Copy)]
pub struct Half {
    /// Of the predicate that begins here.
    pub at: u32,
    /// The arena has something older.
    pub unsaved: bool,
    /// The last op that may read it.
    pub last_read: u32,
}

/// A half of a predicate, and the mask that holds it.
#[derive(Clone, Copy)]
pub struct MaskedHalf {
    at: u32,
    half: usize,
    mask: Mask,
}

/// The bytes of a predicate.
pub fn predicate_at(at: u32) -> Bytes {
    Bytes {
        kind: Kind::Other,
        ..Bytes::one(at)
    }
}

impl Emitter {
    /// The halves of a predicate that lanes are.
    pub fn halves_of(lanes: Lanes) -> Option<RangeInclusive<usize>> {
        let whole = matches!((lanes.count, lanes.offset), (16, 0 | 16) | (32, 0));
        let first = usize::from(lanes.offset / 16);
        whole.then_some(first..=first + usize::from(lanes.count / 32))
    }

    /// The masks that hold a predicate of lanes as it is, row by row.
    pub fn masks_of(&self, lanes: Lanes, at: u32) -> Option<[Mask; 2]> {
        let halves = Self::halves_of(lanes)?;
        let low = self.mask_of_half(at, *halves.start())?;
        Some([low, self.mask_of_half(at, *halves.end())?])
    }

    /// The mask that holds a half of a predicate.
    pub fn mask_of_half(&self, at: u32, half: usize) -> Option<Mask> {
        let holds = |held: &&Option<Half>| held.is_some_and(|held| held.at == at);
        let mut masks = self.halves[half].iter().zip(MASKS[half]);
        masks.find(|(held, _)| holds(held)).map(|(_, mask)| mask)
    }

    /// The same of one that is asked lane by lane, with the inverse made of one that is inverted.
    pub fn masks_of_guard(
        &mut self,
        lanes: Lanes,
        guard: Guard,
        inverse: [Mask; 2],
    ) -> Option<[Mask; 2]> {
        if guard.group != Group::Each {
            return None;
        }
        let masks = self.masks_of(lanes, guard.offset)?;
        if !guard.inverted {
            return Some(masks);
        }
        if inverse == RUNNING {
            self.free_running();
        }
        let halves = inverse.into_iter().zip(masks);
        for (to, from) in halves.take(usize::from(lanes.count / 16)) {
            self.code.not_mask(to, from);
        }
        Some(inverse)
    }

    /// The halves of predicates that lanes have, where masks hold them; no register has the predicates.
    pub fn masked_halves(&self, lanes: Lanes, predicates: &[u32]) -> Option<RangeInclusive<usize>> {
        let in_memory = predicates.iter().all(|at| self.flag(*at).is_none());
        Self::halves_of(lanes).filter(|_| self.all_enabled && in_memory)
    }

    /// The arena gets a predicate, if it lacks any of it.
    pub fn save_predicate(&mut self, at: u32) {
        self.save_halves(|half| half.at == at);
    }

    /// Which halves of predicates the arena lacks, of those that are asked for.
    pub fn unsaved_halves(&self, asked: impl Fn(&Half) -> bool) -> Vec<MaskedHalf> {
        let all = self.halves.iter().zip(MASKS).enumerate();
        let all = all.flat_map(|(half, (held, masks))| {
            let held = held.iter().zip(masks);
            held.map(move |(held, mask)| (half, *held, mask))
        });
        let unsaved = all.filter_map(|(half, held, mask)| {
            let held = held.filter(|held| held.unsaved && asked(held))?;
            let at = held.at;
            Some(MaskedHalf { at, half, mask })
        });
        unsaved.collect()
    }

    /// Stores halves of predicates, if the arena lacks them and they are asked for.
    pub fn save_halves(&mut self, asked: impl Fn(&Half) -> bool) {
        let halves = self.unsaved_halves(&asked);
        if halves.is_empty() {
            return;
        }
        self.close_way();
        self.store_halves(&halves);
        let held = self.halves.iter_mut().flatten().flatten();
        held.filter(|held| asked(held))
            .for_each(|held| held.unsaved = false);
    }

    /// Stores halves of predicates that masks hold.
    pub fn store_halves(&mut self, halves: &[MaskedHalf]) {
        for low in halves {
            let is_other = |other: &&MaskedHalf| other.at == low.at && other.half != low.half;
            match (halves.iter().find(is_other), low.half) {
                // Others read all of it, which must not lie in two stores.
                (Some(high), 0) => {
                    self.code.join_masks(UNORDERED, low.mask, high.mask);
                    self.code.store_wide_mask_at(low.at, UNORDERED);
                }
                (Some(_), _) => {}
                (None, half) => self.code.store_mask_at(low.at + 2 * half as u32, low.mask),
            }
        }
    }

    /// The masks, by half, that are to hold these halves of a predicate; what they hold of others the arena gets.
    pub fn masks_for(&mut self, halves: RangeInclusive<usize>, at: u32) -> [Mask; 2] {
        let mut masks = [0; 2];
        for half in halves {
            let held = self.halves[half];
            let own = held
                .iter()
                .position(|held| held.is_some_and(|held| held.at == at));
            let free = || held.iter().position(Option::is_none);
            let slot = own.or_else(free).unwrap_or(1 - self.latest[half]);
            if let Some(old) = held[slot].filter(|old| old.at != at) {
                self.save_predicate(old.at);
            }
            self.halves[half][slot] = None;
            self.latest[half] = slot;
            masks[half] = MASKS[half][slot];
        }
        self.close_way();
        masks
    }

    /// The masks of lanes that run are about to hold something else than predicates.
    pub fn free_running(&mut self) {
        for half in [0, 1] {
            if let Some(held) = self.halves[half][1] {
                self.save_predicate(held.at);
                self.close_way();
                self.halves[half][1] = None;
            }
        }
    }

    /// These masks hold halves of a predicate, which are new.
    pub fn hold_halves(&mut self, halves: RangeInclusive<usize>, at: u32, masks: [Mask; 2]) {
        let held = std::mem::take(&mut self.halves);
        self.overwrite(predicate_at(at));
        self.halves = held;
        let last_read = self.last_read.as_ref();
        let last_read = last_read.map_or(u32::MAX, |last| last.of(predicate_at(at)));
        for half in halves {
            let own = MASKS[half].iter().position(|mask| *mask == masks[half]);
            self.halves[half][own.unwrap_or(0)] = Some(Half {
                at,
                unsaved: true,
                last_read,
            });
        }
    }

    /// Predicates that nobody reads from the op at hand on are forgotten, and never stored.
    pub fn forget_unread_predicates(&mut self) {
        let dead = |half: &Half| half.unsaved && half.last_read < self.at;
        let Some(half) = self.halves.into_iter().flatten().flatten().find(dead) else {
            return;
        };
        self.close_way();
        for held in self.halves.iter_mut().flatten() {
            held.take_if(|held| held.at == half.at);
        }
        // Tests see it if somebody reads it.
        if cfg!(debug_assertions) {
            self.code.store_number(Place::Arena(half.at), NEVER_READ);
        }
        self.forget_unread_predicates();
    }
}
