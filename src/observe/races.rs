//! The race check: accesses of different hardware threads to the same bytes that nothing orders.
//!
//! Threads of a group are ordered by the barriers they have passed and the named ones they met at, groups
//! by nothing; two atomics never race. For every dword, or byte where smaller accesses come, it is remembered who wrote, read and
//! updated it last: enough to find a race at every place that has one, not every pair of one place.
//!
//! The check requires groups one after the other in launch order ([`crate::launch::RunOptions`], one job):
//! then the same program gives the same report. It does not depend on which thread is faster, as the
//! order of a run plays no part in what counts as ordered.
//!
//! A place keeps its two latest readers: after named barriers, which order some threads and not others, a
//! third one that races with a writer may go unseen.
//!
//! Samplers read the texels that their result depends on. Not seen: order that programs make with atomics.
//! Atomics that nothing orders are not a race, but where their order shows ([`crate::exec::order`]) it is said.

use super::clocks::Clocks;
use super::known::{self, Cell, Known};
use crate::diagnostic::{Code, Diagnostic, counted};
use crate::exec::observer::{
    Access, AccessKind, At, MeetingStep, Observer, Payload, Running, SpaceName, Spot, Start,
};
use crate::exec::order::Update;
use crate::exec::{Meeting, ThreadId};
use crate::program::{Barrier, Op};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Dwords of a page.
const PAGE: usize = 256;

/// Pages that are kept track of: 16 Mi dwords.
const MOST_PAGES: usize = 1 << 16;

/// Accesses that are kept track of, so that what is known of a run stays below a few GiB however long it is.
const MOST_TOUCHES: usize = 1 << 24;

/// Collects who touches what in a run.
#[derive(Debug)]
pub struct Races {
    known: Cell,
    state: Mutex<State>,
}

impl Default for Races {
    fn default() -> Races {
        Races::tracking(MOST_PAGES)
    }
}

#[derive(Debug, Default)]
struct State {
    most_pages: usize,
    touched: Vec<Touch>,
    global: Pages,
    /// Shared local memory of the group at hand.
    local: Pages,
    group: Option<[u32; 3]>,
    group_number: u32,
    /// What its named barriers order.
    order: Clocks,
    /// By the two sides, the smaller one first.
    races: BTreeMap<[(u32, AccessKind); 2], Race>,
    /// Accesses that were not looked at, for want of pages.
    skipped: u64,
}

/// One instruction of one thread between two barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Touch {
    thread: ThreadId,
    group: u32,
    epoch: u32,
    /// Named barriers its thread had come to.
    tick: u32,
    pc: u32,
    /// What it updates, if it is an atomic.
    update: Option<Update>,
}

/// Who touched a place; numbers of [`State::touched`] plus one, 0 for none.
#[derive(Clone, Copy, Debug, Default)]
struct Accesses {
    write: u32,
    /// Readers: two different threads of the group at hand, and one of another group.
    reads: [u32; 3],
    /// Atomics, likewise.
    atomics: [u32; 3],
    /// The dword around it as far as the last write has left it, if that is known.
    left: Option<[u8; 4]>,
}

#[derive(Debug)]
enum Page {
    Dwords(Box<[Accesses; PAGE]>),
    Bytes(Box<[Accesses; 4 * PAGE]>),
}

type Pages = HashMap<(usize, u64), Page>;

/// Two sides of a race, the earlier one first.
#[derive(Clone, Debug)]
struct Race {
    first: (Touch, AccessKind),
    second: (Touch, AccessKind),
    space: SpaceName,
    spot: Spot,
    lane: Option<u8>,
    count: u64,
}

impl Races {
    /// Keeps track of so many pages of dwords.
    fn tracking(most_pages: usize) -> Races {
        Races {
            known: Cell::default(),
            state: Mutex::new(State {
                most_pages,
                ..State::default()
            }),
        }
    }

    /// Watches one thread.
    pub fn thread(&self) -> RaceObserver<'_> {
        RaceObserver {
            races: self,
            epoch: 0,
            update: None,
        }
    }

    /// What was found, by place in the text.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let races = self.known.seen().into_iter();
        let races = races.flat_map(|known| state.races.values().map(|race| say(known, race)));
        let mut found: Vec<Diagnostic> = races.collect();
        if state.skipped > 0 {
            let dwords = state.most_pages * PAGE;
            found.push(Diagnostic::new(Code::L0683).note(format!(
                "{} accesses were not checked; {dwords} dwords are kept track of",
                state.skipped
            )));
        }
        found
    }
}

/// Watches one thread for [`Races`].
pub struct RaceObserver<'w> {
    races: &'w Races,
    /// Barriers passed.
    epoch: u32,
    /// What the instruction at hand updates.
    update: Option<Update>,
}

impl Observer for RaceObserver<'_> {
    fn started(&mut self, start: &Start<'_>) {
        let _: Arc<Known> = self.races.known.get(start);
    }

    fn before(&mut self, _: At, op: &Op, _: Running, _: &[u8]) {
        if matches!(op, Op::Barrier(Barrier::Whole | Barrier::Wait)) {
            self.epoch += 1;
        }
        self.update = match op {
            Op::Send(send) => Update::of(send),
            Op::RawSend(message) => Update::of_raw(message),
            _ => None,
        };
    }

    fn payload(&mut self, _: At, payload: &Payload<'_>, _: &[u8]) {
        // A raw message is known by what it asks.
        let answer = payload.registers.answer;
        self.update = Update::of_request(payload.request, answer.is_some());
    }

    fn named_barrier(&mut self, at: At, meeting: Meeting, step: MeetingStep) {
        let state = self.races.state.lock();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.enter(at.thread.group);
        match step {
            MeetingStep::Came | MeetingStep::Completed => {
                state.order.came(at.thread.index, meeting)
            }
            MeetingStep::Passed => state.order.passed(at.thread.index, meeting),
        }
    }

    fn access(&mut self, at: At, access: &Access<'_>) {
        let own = matches!(access.space, SpaceName::Scratch | SpaceName::Private);
        if access.inside == 0 || own {
            return;
        }
        let state = self.races.state.lock();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.access(at, self.epoch, self.update, access);
    }
}

impl State {
    /// The group at hand is this one.
    fn enter(&mut self, group: [u32; 3]) {
        if self.group != Some(group) {
            self.group = Some(group);
            self.group_number += 1;
            self.local.clear();
            self.order = Clocks::default();
        }
    }

    fn access(&mut self, at: At, epoch: u32, update: Option<Update>, access: &Access<'_>) {
        self.enter(at.thread.group);
        let touch = Touch {
            thread: at.thread,
            group: self.group_number,
            epoch,
            tick: self.order.tick(at.thread.index),
            pc: at.pc,
            update,
        };
        if self.touched.last() != Some(&touch) {
            if self.touched.len() >= MOST_TOUCHES {
                self.skipped += 1;
                return;
            }
            self.touched.push(touch);
        }
        let number = self.touched.len() as u32;
        let (start, end) = (access.start, access.start + u64::from(access.inside));
        let mut byte = start;
        while byte < end {
            let whole = byte.is_multiple_of(4) && byte + 4 <= end;
            let next = if whole { byte + 4 } else { byte + 1 };
            self.place(at, number, byte, whole, access);
            byte = next;
        }
    }

    fn place(&mut self, at: At, number: u32, byte: u64, whole: bool, access: &Access<'_>) {
        let pages = match access.space {
            SpaceName::Shared => &mut self.local,
            _ => &mut self.global,
        };
        let page = (access.memory, byte / (4 * PAGE as u64));
        if pages.len() >= self.most_pages && !pages.contains_key(&page) {
            self.skipped += 1;
            return;
        }
        let page = pages
            .entry(page)
            .or_insert_with(|| Page::Dwords(Box::new([Accesses::default(); PAGE])));
        if let (Page::Dwords(dwords), false) = (&*page, whole) {
            let mut bytes = Box::new([Accesses::default(); 4 * PAGE]);
            for (i, place) in bytes.iter_mut().enumerate() {
                *place = dwords[i / 4];
            }
            *page = Page::Bytes(bytes);
        }
        let at_byte = (byte % (4 * PAGE as u64)) as usize;
        let (places, size) = match page {
            Page::Dwords(dwords) => (&mut dwords[at_byte / 4..=at_byte / 4], 4),
            Page::Bytes(bytes) => {
                let count = if whole { 4 } else { 1 };
                (&mut bytes[at_byte..at_byte + count], 1)
            }
        };
        let mut other = None;
        for (place, byte) in places.iter_mut().zip(byte..) {
            let from = (byte - access.start) as usize;
            let data = access.data.get(from..from + size);
            let same = access.kind != AccessKind::Read && place.write_down(byte, data);
            other = other.or(place.touch(number, (access.kind, same), &self.touched, &self.order));
        }
        if let Some((first, kind)) = other {
            self.add(at, first, kind, number, byte, access);
        }
    }

    fn add(
        &mut self,
        at: At,
        first: u32,
        kind: AccessKind,
        second: u32,
        byte: u64,
        access: &Access<'_>,
    ) {
        let touch = |number: u32| self.touched[number as usize - 1];
        let first = (touch(first), kind);
        let second = (touch(second), access.kind);
        let mut key = [first, second].map(|(touch, kind)| (touch.pc, kind));
        key.sort_unstable();
        if let Some(race) = self.races.get_mut(&key) {
            race.count += 1;
            return;
        }
        let spot = match access.spot {
            // The byte in question, as the message counts.
            Spot::Byte(address) => Spot::Byte(address.wrapping_add(byte - access.start)),
            Spot::Block(x, y) => Spot::Block(x + (byte - access.start) as i64, y),
            texel => texel,
        };
        debug_assert_eq!(at.pc, second.0.pc);
        self.races.insert(
            key,
            Race {
                first,
                second,
                space: access.space,
                spot,
                lane: access.lane,
                count: 1,
            },
        );
    }
}

impl Touch {
    /// Whether two atomics leave the same bytes in either order.
    fn commutes_with(&self, other: &Touch) -> bool {
        let both = self.update.zip(other.update);
        both.is_none_or(|(own, other)| own.commutes_with(other))
    }

    /// Whether nothing orders it after the other one.
    fn is_unordered(&self, other: &Touch, order: &Clocks) -> bool {
        let (own, theirs) = (self.thread.index, other.thread.index);
        self.group != other.group
            || (own != theirs
                && self.epoch == other.epoch
                && !order.is_behind(own, theirs, other.tick))
    }
}

impl Accesses {
    /// Keeps what is written from a byte on; whether the write before has left the same.
    fn write_down(&mut self, byte: u64, data: Option<&[u8]>) -> bool {
        let from = (byte % 4) as usize;
        let Some(data) = data else {
            self.left = None;
            return false;
        };
        let range = from..from + data.len();
        let same = self.left.is_some_and(|left| left[range.clone()] == *data);
        self.left.get_or_insert_default()[range].copy_from_slice(data);
        same
    }

    /// Notes an access; an earlier one that it races with comes back, or an atomic whose order with it shows. The
    /// order of two writes of the `same` does not show.
    fn touch(
        &mut self,
        number: u32,
        (kind, same): (AccessKind, bool),
        touched: &[Touch],
        order: &Clocks,
    ) -> Option<(u32, AccessKind)> {
        let by = |number: u32| (number > 0).then(|| &touched[number as usize - 1]);
        let own = by(number)?;
        let races = |other: u32| by(other).is_some_and(|other| own.is_unordered(other, order));
        let shows = |other: u32| races(other) && by(other).is_some_and(|o| !own.commutes_with(o));
        let any =
            |others: [u32; 3], kind| others.into_iter().find(|&o| races(o)).map(|o| (o, kind));
        let mut found = (!same && races(self.write)).then_some((self.write, AccessKind::Write));
        if kind != AccessKind::Read {
            found = found.or_else(|| any(self.reads, AccessKind::Read));
        }
        found = found.or_else(|| match kind {
            AccessKind::Atomic => {
                let other = self.atomics.into_iter().find(|&other| shows(other));
                other.map(|other| (other, AccessKind::Atomic))
            }
            _ => any(self.atomics, AccessKind::Atomic),
        });
        match kind {
            AccessKind::Write => self.write = number,
            AccessKind::Read => remember(&mut self.reads, number, touched),
            AccessKind::Atomic => remember(&mut self.atomics, number, touched),
        }
        found
    }
}

/// Keeps the latest two different threads of the group at hand, and one of another group.
fn remember(kept: &mut [u32; 3], number: u32, touched: &[Touch]) {
    let by = |number: u32| &touched[number as usize - 1];
    let own = by(number);
    for slot in 0..2 {
        if kept[slot] > 0 && by(kept[slot]).group != own.group {
            kept[2] = std::mem::take(&mut kept[slot]);
        }
    }
    if kept[0] > 0 && by(kept[0]).thread.index != own.thread.index {
        kept[1] = kept[0];
    }
    kept[0] = number;
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "reads",
        AccessKind::Write => "writes",
        AccessKind::Atomic => "updates",
    }
}

fn say(known: &Known, race: &Race) -> Diagnostic {
    let (first, second) = (race.first, race.second);
    let across = first.0.group != second.0.group;
    let atomics = first.1 == AccessKind::Atomic && second.1 == AccessKind::Atomic;
    let code = match across {
        _ if atomics => Code::W0685,
        true => Code::U0682,
        false => Code::U0681,
    };
    let (place, spot) = (known.space(race.space), known::spot(race.spot));
    let side =
        |(touch, kind): (Touch, AccessKind)| format!("{} {} it here", touch.thread, verb(kind));
    let mut diagnostic = Diagnostic::new(code);
    diagnostic = if first.0.pc == second.0.pc {
        let both = format!("{}, and {}", side(first), side(second));
        known.at(diagnostic, second.0.pc, &both)
    } else {
        let labelled = known.at(diagnostic, second.0.pc, &side(second));
        known.and_at(labelled, first.0.pc, &side(first))
    };
    let lane = match race.lane {
        Some(lane) => format!(", touched last by lane {lane}"),
        None => String::new(),
    };
    diagnostic = diagnostic.note(format!("it is {spot} of {place}{lane}"));
    diagnostic = diagnostic.note(if across {
        "groups run in any order, and at the same time".to_string()
    } else {
        let passed = counted(u64::from(first.0.epoch), "barrier");
        format!("both have passed {passed} of the group")
    });
    if race.count > 1 {
        diagnostic = diagnostic.note(format!("{} times in all", race.count));
    }
    if atomics {
        let taken = "here threads and groups run in launch order, whatever the value of `--jobs`";
        diagnostic = diagnostic.note(taken);
    }
    diagnostic.see("vISA text reference 5.13; launch reference 7")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(thread: u32, group: u32, epoch: u32) -> Touch {
        let thread = ThreadId {
            index: thread,
            ..ThreadId::default()
        };
        Touch {
            thread,
            group,
            epoch,
            tick: 0,
            pc: 0,
            update: None,
        }
    }

    /// Numbers of the accesses that race with an earlier one.
    fn racing(accesses: &[(Touch, AccessKind)]) -> Vec<usize> {
        let touched: Vec<Touch> = accesses.iter().map(|a| a.0).collect();
        let mut place = Accesses::default();
        let mut found = Vec::new();
        for (i, (_, kind)) in accesses.iter().enumerate() {
            if place
                .touch(i as u32 + 1, (*kind, false), &touched, &Clocks::default())
                .is_some()
            {
                found.push(i);
            }
        }
        found
    }

    #[test]
    fn a_barrier_orders_threads_of_a_group_and_nothing_orders_groups() {
        use AccessKind::{Read, Write};
        // Thread 0 writes, thread 1 reads before and after the barrier.
        assert_eq!(
            racing(&[(touch(0, 1, 0), Write), (touch(1, 1, 0), Read)]),
            [1]
        );
        assert_eq!(
            racing(&[(touch(0, 1, 0), Write), (touch(1, 1, 1), Read)]),
            [] as [usize; 0]
        );
        assert_eq!(
            racing(&[(touch(0, 1, 0), Write), (touch(9, 2, 1), Read)]),
            [1]
        );
        // The same thread never races with itself, readers never with each other.
        let none = [
            (touch(0, 1, 0), Write),
            (touch(0, 1, 0), Read),
            (touch(0, 1, 0), Write),
        ];
        assert_eq!(racing(&none), [] as [usize; 0]);
        let readers = [(touch(0, 1, 0), Read), (touch(1, 2, 0), Read)];
        assert_eq!(racing(&readers), [] as [usize; 0]);
    }

    #[test]
    fn an_earlier_reader_is_not_forgotten_for_a_later_one() {
        use AccessKind::{Read, Write};
        // Two readers, then the second one writes: it races with the first.
        let accesses = [
            (touch(0, 1, 0), Read),
            (touch(1, 1, 0), Read),
            (touch(1, 1, 0), Write),
        ];
        assert_eq!(racing(&accesses), [2]);
        // A reader of another group, then many of the own.
        let accesses = [
            (touch(0, 1, 0), Read),
            (touch(5, 2, 0), Read),
            (touch(6, 2, 0), Read),
            (touch(5, 2, 1), Write),
        ];
        assert_eq!(racing(&accesses), [3]);
    }

    #[test]
    fn what_is_not_kept_track_of_is_said() {
        let races = Races::tracking(1);
        let at = At {
            thread: ThreadId::default(),
            pc: 0,
            site: crate::program::Site {
                span: Default::default(),
                opcode: crate::isa::Opcode::Scatter,
            },
            step: 1,
        };
        for start in [0, 4, 1 << 20] {
            let access = Access {
                space: SpaceName::Flat,
                kind: AccessKind::Write,
                lane: None,
                spot: Spot::Byte(start),
                bytes: 4,
                inside: 4,
                misaligned: None,
                memory: 1,
                start,
                data: &[],
                past_end: None,
            };
            races.state.lock().unwrap().access(at, 0, None, &access);
        }
        let found = races.diagnostics();
        assert_eq!(found[0].code, Code::L0683);
        assert!(found[0].notes[0].starts_with("1 accesses"));
    }

    #[test]
    fn atomics_race_with_plain_accesses_only() {
        use AccessKind::{Atomic, Read, Write};
        let atomics = [(touch(0, 1, 0), Atomic), (touch(1, 2, 0), Atomic)];
        assert_eq!(racing(&atomics), [] as [usize; 0]);
        let read = [(touch(0, 1, 0), Atomic), (touch(1, 1, 0), Read)];
        assert_eq!(racing(&read), [1]);
        let write = [(touch(0, 1, 0), Write), (touch(1, 1, 0), Atomic)];
        assert_eq!(racing(&write), [1]);
    }
}
