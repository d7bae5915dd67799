//! The code of a [region](super::region), and which lanes run inside it.
//!
//! ```text
//!  12  mul          ┐
//!  13  cmp          │  entered at 12, at 17 and wherever a branch leads
//!  14  (P) goto 17  │  lanes that go wait at 17, the others go on: as in `control::flow`, a place has a
//!  15  add          │  bit in r11d and a mask in the context
//!  16  goto 12      │  backward: no more often than the budget says
//!  17  mov          ┘
//!  18  sample          left with pc 18
//! ```
//!
//! Lanes at the smallest place run, so whoever jumps forward looks whether lanes wait before the place it goes to.
//!
//! There are two kinds of code of a region: where all lanes run it begins in that for all lanes, which need not keep what
//! lanes have that are off, nor look who waits; where a branch parts them it goes on in that for any lanes, and comes
//! back where all have joined.

use super::affine::{self, AffineRow};
use super::assembler::{ARENA_BIAS, Alu, Gpr, If, Label, Len, Place, Rm, Vector};
use super::call::{AT_END, IN_GROUP, LOOKED_AT, field};
use super::emit::{Emitter, FIRST_HELD};
use super::held::{Held, Leave};
use super::joins::Joined;
use super::narrow::Needed;
use super::region::{Item, Region};
use super::select::{Bytes, Kind};
use crate::exec::state::float_mode::Rounding;
use crate::exec::state::tally::Counter;
use crate::program::{Group, Guard, Lanes};
use std::ops::Range;

/// Registers that hold predicates.
const FLAGS: [Gpr; 4] = [Gpr::R12, Gpr::R13, Gpr::R14, Gpr::R15];

/// Code of a region that is entered at an op.
pub struct Entered {
    pub pc: u32,
    pub entry: Label,
    /// The lanes that have to run; `None`: whichever do.
    pub lanes: Option<u32>,
    /// And the rows that were seen have to be evenly apart.
    pub affine: bool,
}

/// Which lanes run where code is. All of them where it begins, until some part; then any, until all have joined. Of all, rows
/// may be known to be evenly apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Running {
    Any = 0,
    All = 1,
    Affine = 2,
}

/// The code of a region in the making.
struct Flow<'a> {
    emitter: &'a mut Emitter,
    region: &'a Region,
    /// Which lanes run in the code at hand.
    running: Running,
    /// The lanes that all are.
    all: u32,
    /// The code of each place of the region, behind which lanes that waited have joined; outside it the exit to it. By the
    /// lanes that run.
    labels: [Vec<Label>; 3],
    /// Behind each branch that may part lanes, where any lanes run; nothing is held there.
    behind: Vec<(u32, Label)>,
    /// Where lanes that wait at a place join those that come to it.
    joins: Vec<Label>,
    /// Where all of them go on.
    joined: Vec<(usize, Label)>,
    /// Saves what is pinned, with the next op in `rcx`.
    exit: Label,
    /// The lanes that the op behind the region ends, and the way out to it of a thread that nobody looks at afterwards.
    ends: u32,
    end: Label,
    /// No thread is left.
    done: Label,
    /// Lets the lanes at the smallest place run.
    pick: Label,
    /// Ops since the count of instructions was brought up to date, and the first of them.
    uncounted: u32,
    first: u32,
    /// The ways out in front of an op: its place, and how many ops behind the count it is.
    left: Vec<(Leave, u32, u32)>,
    /// There are lanes from 16 on.
    wide: bool,
    /// For what is pinned, whether the region writes it.
    written: Vec<bool>,
    /// The host is told how to round.
    rounds: bool,
    /// Rows whose lanes are likely to be evenly apart where the region begins, and its code where they are.
    roots: &'a [AffineRow],
    affine: Label,
    /// By place those that are so wherever somebody has come from so far, and where code of it begins that knows them.
    met: Vec<Option<Vec<AffineRow>>>,
    known: Vec<Vec<AffineRow>>,
}

/// Emits a region; the entries of each of its own places come back.
///
/// * `ends`: the lanes that the op behind the region ends, if that is sure to end a thread which has no others.
/// * `roots`: rows whose lanes are likely to be evenly apart.
pub fn emit(
    emitter: &mut Emitter,
    region: &Region,
    ends: u32,
    roots: &[AffineRow],
) -> Vec<Entered> {
    let pinned = region.pinned();
    emitter.free = FIRST_HELD + pinned.len() as u8;
    emitter.pinned = pinned.into_iter().zip(FIRST_HELD..).collect();
    emitter.flags = match emitter.code.narrows {
        // The file takes their registers.
        true => Vec::new(),
        false => region.flags().into_iter().zip(FLAGS).collect(),
    };
    emitter.wide = region.is_wide();
    emitter.forget();
    let mut label = || emitter.code.label();
    let mut of_places = || region.places.iter().map(|_| label()).collect();
    let labels = [(); 3].map(|()| of_places());
    let joins = of_places();
    let parts = (region.start..).zip(&region.items).filter_map(parting);
    let behind = parts.map(|pc| (pc, label())).collect();
    let [exit, end, done, pick, affine] = [(); 5].map(|()| label());
    let written = emitter.pinned.iter().map(|(bytes, _)| {
        let mut touched = region.touched.iter();
        touched.any(|[_, written]| written.contains(bytes))
    });
    let written = written.collect();
    let rounds = emitter.rounding != Rounding::Nearest || region.turns();
    let mut flow = Flow {
        emitter,
        region,
        running: Running::Any,
        all: region.all_lanes(),
        labels,
        behind,
        joins,
        joined: Vec::new(),
        exit,
        ends,
        end,
        done,
        pick,
        uncounted: 0,
        first: region.start,
        left: Vec::new(),
        wide: region.is_wide(),
        written,
        rounds,
        roots,
        affine,
        met: vec![None; region.places.len()],
        known: vec![Vec::new(); region.places.len()],
    };
    flow.say_what_is_needed();
    let mut entries = Vec::new();
    for running in [Running::Any, Running::All] {
        flow.run(running);
        flow.entries(&mut entries);
    }
    if !roots.is_empty() {
        let entry = flow.entry(region.start, flow.affine);
        entries.push(Entered {
            affine: true,
            ..entry
        });
    }
    flow.way_out();
    for running in [Running::Any, Running::All] {
        flow.run(running);
        flow.body();
    }
    flow.affine_ops();
    flow.cold();
    entries
}

/// The number of an op that is a branch which may part lanes.
fn parting((pc, item): (u32, &Item)) -> Option<u32> {
    match item {
        Item::Goto { lanes, .. } if lanes.count > 1 => Some(pc),
        _ => None,
    }
}

impl Flow<'_> {
    /// Makes code in which these lanes run.
    fn run(&mut self, running: Running) {
        self.running = running;
        self.emitter.all_enabled = running != Running::Any;
        self.emitter.affine = running == Running::Affine;
    }

    /// The code of a place where these lanes run.
    fn label(&self, running: Running, place: usize) -> Label {
        self.labels[running as usize][place]
    }

    /// The index of a place.
    fn place(&self, pc: u32) -> usize {
        let found = self.region.places.binary_search(&pc);
        found.expect("every branch leads to a place")
    }

    fn is_inside(&self, pc: u32) -> bool {
        (self.region.start..self.region.end).contains(&pc)
    }

    /// Where ways meet, what is pinned is read alone, and behind the ends nothing is.
    fn say_what_is_needed(&mut self) {
        let needed = self.emitter.pinned_needed();
        let places = self.labels.iter().flatten().chain(&self.joins);
        let behind = self.behind.iter().map(|(_, label)| label);
        let own = [&self.exit, &self.pick, &self.affine];
        let places = places.chain(behind).chain(own);
        places.for_each(|label| self.emitter.code.needs(*label, needed));
        for end in [self.end, self.done] {
            self.emitter.code.needs(end, Needed::default());
        }
    }

    /// The prologues of its places.
    fn entries(&mut self, entries: &mut Vec<Entered>) {
        for (place, &pc) in self.region.places.iter().enumerate() {
            if self.is_inside(pc) {
                entries.push(self.entry(pc, self.label(self.running, place)));
            }
        }
    }

    /// The prologue of an entry into code of an op.
    fn entry(&mut self, pc: u32, of: Label) -> Entered {
        let code = &mut self.emitter.code;
        let (entry, next) = (code.label(), code.label());
        code.bind(entry);
        code.push(Gpr::Rbx);
        code.push(Gpr::Rbp);
        match code.narrows {
            true => code.open_file(),
            false => FLAGS.into_iter().for_each(|flag| code.push(flag)),
        }
        if self.rounds {
            code.keep_rounding();
            code.round(self.emitter.rounding);
        }
        code.move_wide(Gpr::Rbx, Gpr::Rsi);
        code.address(Gpr::Rbp, next);
        code.bind(next);
        code.load_wide(Gpr::Rsi, field::ARENA);
        code.add_wide(Gpr::Rsi, ARENA_BIAS);
        code.load_wide(Gpr::R9, field::EXECUTED);
        code.load_wide(Gpr::R10, field::BUDGET);
        code.load(Gpr::R8, Place::Context(field::EM));
        code.load(Gpr::R11, Place::Context(field::WAITING));
        for (bytes, reg) in self.emitter.pinned.clone() {
            load(self.emitter, bytes, reg);
        }
        for (at, reg) in self.emitter.flags.clone() {
            self.emitter.code.load(reg, Place::Arena(at));
        }
        if self.running == Running::Any {
            self.emitter.enable(self.wide);
        }
        self.emitter.code.jump(of);
        Entered {
            pc,
            entry,
            lanes: (self.running != Running::Any).then_some(self.all),
            affine: false,
        }
    }

    /// One epilogue for all.
    fn way_out(&mut self) {
        self.emitter.code.bind(self.exit);
        let pinned = self.emitter.pinned.clone();
        for ((bytes, reg), _) in pinned.into_iter().zip(&self.written).filter(|(_, w)| **w) {
            self.emitter.store(Held {
                bytes,
                reg,
                unsaved: true,
                last_read: u32::MAX,
                whole: true,
                affine: None,
            });
        }
        let code = &mut self.emitter.code;
        for &(at, reg) in &self.emitter.flags {
            code.store(Place::Arena(at), reg);
        }
        code.bind(self.end);
        code.store(Place::Context(field::PC), Gpr::Rcx);
        code.store(Place::Context(field::EM), Gpr::R8);
        code.store(Place::Context(field::WAITING), Gpr::R11);
        code.store_wide(field::EXECUTED, Gpr::R9);
        self.next_thread();
        let code = &mut self.emitter.code;
        code.bind(self.done);
        if self.rounds {
            code.restore_rounding();
        }
        match code.narrows {
            true => code.close_file(),
            false => FLAGS.into_iter().rev().for_each(|flag| code.pop(flag)),
        }
        code.pop(Gpr::Rbp);
        code.pop(Gpr::Rbx);
        code.end();
    }

    /// Goes on with the next thread, if there is one.
    fn next_thread(&mut self) {
        let code = &mut self.emitter.code;
        code.add_wide(Gpr::Rdi, field::SIZE);
        code.compare_wide(Gpr::Rdi, Gpr::Rbx);
        code.jump_if(If::AboveOrEqual, self.done);
        // It loads all that it reads.
        code.keep_only(Needed::default());
        code.jump_to(Gpr::Rbp);
    }

    /// The ops.
    fn body(&mut self) {
        self.ops();
        self.count();
        self.leave_behind();
    }

    /// The ops of threads whose rows are evenly apart as they were seen to be, up to where that is of no use any more.
    fn affine_ops(&mut self) {
        let inside = 0..self.region.places.len();
        let mut places: Vec<usize> = inside.filter(|at| self.is_own(*at)).collect();
        if self.roots.is_empty() {
            self.emitter.code.bind(self.affine);
        } else {
            self.run(Running::Affine);
            self.emitter.forget();
            let stopped = self.ops();
            if stopped.is_none() {
                self.count();
                self.leave_behind();
            }
            self.emitter.affine_rows.clear();
            let first = stopped.unwrap_or(self.region.end);
            places.retain(|at| self.region.places[*at] >= first);
        }
        for place in places {
            self.emitter.code.bind(self.label(Running::Affine, place));
            let all = self.label(Running::All, place);
            self.emitter.code.jump(all);
        }
    }

    /// Whether a place has code of its own where rows are evenly apart.
    fn is_own(&self, place: usize) -> bool {
        let pc = self.region.places[place];
        pc > self.region.start && self.is_inside(pc)
    }

    /// Somebody comes to a place, which may be one where rows are evenly apart: these are.
    fn meet(&mut self, place: usize) {
        if self.running == Running::Affine {
            let here = self.emitter.affine_rows_here();
            match &mut self.met[place] {
                Some(rows) => affine::meet(rows, &here),
                rows => *rows = Some(here),
            }
        }
    }

    /// Rows that are evenly apart wherever somebody comes to a place from; none if no later op reads one of them.
    fn met_at(&mut self, place: usize, pc: u32) -> Vec<AffineRow> {
        let mut rows = self.met[place].take().unwrap_or_default();
        let own = (pc - self.region.start) as usize..;
        let (items, touched) = (&self.region.items[own.clone()], &self.region.touched[own]);
        let is_back = |item: &Item| matches!(item, Item::Goto { target, .. } if *target == pc);
        if items.iter().any(is_back) {
            // Who comes back has not written them.
            let written = touched.iter().flat_map(|[_, written]| written);
            written.for_each(|written| affine::write(&mut rows, *written));
        }
        if !touched
            .iter()
            .any(|[read, _]| affine::are_read(&rows, read))
        {
            rows.clear();
        }
        rows
    }

    /// The ops, up to the end or to where nothing is known any more of rows that are evenly apart: this op.
    fn ops(&mut self) -> Option<u32> {
        let region = self.region;
        let mut pc = region.start;
        (self.first, self.uncounted) = (pc, 0);
        self.emitter.steps.forget();
        while let Some(item) = region.items.get((pc - region.start) as usize) {
            let touched = &region.touched[(pc - region.start) as usize];
            self.emitter.come_to(pc);
            self.emitter.keep_held();
            if let Ok(place) = region.places.binary_search(&pc) {
                self.count();
                self.emitter.save_all();
                self.meet(place);
                self.emitter.forget();
                if self.running == Running::Affine {
                    if pc > region.start {
                        self.emitter.affine_rows = self.met_at(place, pc);
                        if self.emitter.affine_rows.is_empty() {
                            let label = self.label(Running::All, place);
                            self.emitter.code.jump(label);
                            return Some(pc);
                        }
                        self.emitter.code.bind(self.label(Running::Affine, place));
                        self.known[place] = self.emitter.affine_rows.clone();
                    } else {
                        self.emitter.code.bind(self.affine);
                        self.emitter.affine_rows = self.roots.to_vec();
                    }
                } else {
                    let label = self.label(self.running, place);
                    self.emitter.code.bind(label);
                }
                if self.running == Running::Any {
                    let code = &mut self.emitter.code;
                    code.test_number(Gpr::R11, 1 << place);
                    code.jump_if(If::NotZero, self.joins[place]);
                    let on = code.label();
                    code.bind(on);
                    self.joined.push((place, on));
                }
            }
            if let Some(joined) = region.joined.iter().find(|joined| joined.first == pc) {
                pc = self.joined(joined);
                continue;
            }
            if region.joined.iter().any(|joined| joined.second == pc) {
                // The first one has done it.
                self.uncounted += 1;
                pc += 1;
                continue;
            }
            if self.affine(item, pc) {
                self.ways_out(pc);
                self.derive(pc, 1);
                self.uncounted += 1;
                pc += 1;
                continue;
            }
            let ahead = |predicate| region.branches_ahead(pc, predicate);
            let together = self.emitter.group(pc, region.straight(pc), ahead) as u32;
            if together > 0 {
                self.ways_out(pc);
                self.derive(pc, together);
                self.uncounted += together;
                pc += together;
                continue;
            }
            if matches!(item, Item::Goto { .. }) {
                self.count_guarded(pc);
            }
            match item {
                // Where their names are found is up to them.
                Item::Transfer(_) | Item::Block(_) => self.emitter.settle(&item.moved()),
                _ => self.emitter.settle(touched),
            }
            match item {
                Item::Inst(inst) => self.emitter.inst(inst),
                Item::Qwords(op) => self.emitter.qwords(op),
                Item::Transfer(message) => self.emitter.transfer(message, pc),
                Item::Block(block) => self.emitter.block(block, pc),
                Item::Sample(sample) => self.emitter.sample(sample, pc),
                Item::Texels(write) => self.emitter.texel_write(write, pc),
                Item::Rectangle(block) => self.emitter.rectangle(block, pc),
                Item::Turn(turn) => {
                    // It is no instruction of its own, and counted with none.
                    self.count();
                    self.emitter.turn(turn);
                    self.ways_out(pc);
                    pc += 1;
                    self.first = pc;
                    continue;
                }
                Item::Goto {
                    lanes,
                    guard,
                    target,
                } => {
                    self.uncounted += 1;
                    self.count();
                    self.goto(pc, *lanes, *guard, *target);
                    pc += 1;
                    continue;
                }
            }
            self.ways_out(pc);
            self.derive(pc, 1);
            self.count_guarded(pc);
            self.uncounted += 1;
            pc += 1;
        }
        None
    }

    /// Code for an op on lanes that are evenly apart; false, and there is none, if it is none.
    fn affine(&mut self, item: &Item, pc: u32) -> bool {
        match item {
            Item::Inst(inst) => self.emitter.affine_inst(inst),
            Item::Qwords(op) => self.emitter.affine_qwords(op),
            Item::Transfer(message) => self.emitter.affine_transfer(message, pc),
            _ => false,
        }
    }

    /// Two messages as one; the op that comes next.
    fn joined(&mut self, joined: &Joined) -> u32 {
        let pc = joined.first;
        if joined.is_behind {
            let between = (pc + 1 - self.region.start) as usize..;
            let touched = &self.region.touched[between.clone()];
            let items = self.region.items[between].iter().zip(touched);
            for (item, touched) in items.take((joined.second - pc - 1) as usize) {
                let Item::Inst(inst) = item else { continue };
                if !self.affine(item, pc) {
                    self.emitter.settle(touched);
                    self.emitter.inst(inst);
                }
                self.ways_out(pc);
                self.emitter.derive(item, touched);
            }
        }
        let item = Item::Transfer(joined.message);
        if !self.affine(&item, pc) {
            self.emitter.settle(&item.moved());
            self.emitter.transfer(&joined.message, pc);
        }
        self.ways_out(pc);
        self.emitter.derive(&item, &item.touched());
        let next = match joined.is_behind {
            true => joined.second + 1,
            false => pc + 1,
        };
        self.uncounted += next - pc;
        next
    }

    /// So many ops have been emitted, from one on.
    fn derive(&mut self, pc: u32, ops: u32) {
        let own = (pc - self.region.start) as usize..;
        let touched = &self.region.touched[own.clone()];
        let items = self.region.items[own].iter().zip(touched);
        for (item, touched) in items.take(ops as usize) {
            self.emitter.derive(item, touched);
        }
    }

    /// Notes the ways out in front of an op.
    fn ways_out(&mut self, pc: u32) {
        let ways = self.emitter.take_ways().into_iter();
        let ways = ways.map(|way| (way, pc, self.uncounted));
        self.left.extend(ways);
    }

    /// Leaves the region behind its last op.
    fn leave_behind(&mut self) {
        let end = self.region.end;
        if let Ok(place) = self.region.places.binary_search(&end) {
            self.join(place);
        }
        self.end_thread();
        self.emitter.come_to(end);
        self.emitter.save_all();
        self.turn_back(end);
        self.leave_alive_at(end);
    }

    /// Leaves the region behind its last op if that ends the thread and nobody looks at it afterwards; else goes on from here.
    fn end_thread(&mut self) {
        if self.ends == 0 {
            return;
        }
        // Code that turns the rounding turns it back before a thread ends: the host need not be told.
        let (end, all) = (self.region.end, self.running != Running::Any);
        let code = &mut self.emitter.code;
        let [lives, alone, looked_at] = [(); 3].map(|()| code.label());
        if !all {
            code.test(Gpr::R11, Gpr::R11);
            code.jump_if(If::NotZero, lives);
        }
        if self.ends != u32::MAX {
            code.test_number(Gpr::R8, !self.ends);
            code.jump_if(If::NotZero, lives);
        }
        code.compare_place(Place::Context(field::KEPT), IN_GROUP);
        code.jump_if(If::NotZero, looked_at);
        // Who has run too much says so.
        code.compare_wide(Gpr::R9, Gpr::R10);
        code.jump_if(If::AboveOrEqual, alone);
        code.store_wide(field::RAN, Gpr::R9);
        code.store_number(Place::Context(field::PC), end | AT_END);
        let last = |at: u32| Place::At(Gpr::Rbx, at.wrapping_sub(field::SIZE));
        code.add_wide_into(last(field::ALL_RAN), Gpr::R9);
        code.increment_wide(last(field::AT_END));
        self.next_thread();
        let code = &mut self.emitter.code;
        code.bind(looked_at);
        code.compare_place(Place::Context(field::KEPT), LOOKED_AT);
        code.jump_if(If::Zero, lives);
        code.bind(alone);
        code.move_number(Gpr::Rcx, end);
        code.jump(self.end);
        code.bind(lives);
    }

    /// Brings the count of instructions up to date.
    fn count(&mut self) {
        let ops = std::mem::take(&mut self.uncounted);
        if ops > 0 {
            self.emitter.code.add_wide(Gpr::R9, ops);
            self.count_run(self.first..self.first + ops);
            self.first += ops;
        }
    }

    /// Counts a run of ops and its lanes, where ops are counted one by one.
    fn count_run(&mut self, ops: Range<u32>) {
        let own = (ops.start - self.region.start) as usize;
        let lanes = self.region.lanes[own..].iter().take(ops.len());
        let masked = |lanes: &Option<(Lanes, Option<Guard>)>| match lanes {
            Some((lanes, None)) if !lanes.no_mask => Some(*lanes),
            _ => None,
        };
        let mut windows: Vec<Lanes> = Vec::new();
        for lanes in lanes.filter_map(masked) {
            if !windows.contains(&lanes) {
                windows.push(lanes);
            }
        }
        let Emitter { code, counters, .. } = &mut *self.emitter;
        let Some(counters) = counters else { return };
        let mut counter = |meaning| {
            counters.push(meaning);
            Place::Site(8 * (counters.len() as u32 - 1))
        };
        code.load_wide(Gpr::Rax, field::COUNTS);
        code.increment_wide(counter(Counter::Runs(ops.clone())));
        for lanes in windows {
            code.move_gpr(Gpr::Rdx, Gpr::R8);
            code.shift_right(Gpr::Rdx, lanes.offset);
            code.alu_number(Alu::And, Gpr::Rdx, lanes.all());
            code.count_bits(Gpr::Rdx, Gpr::Rdx);
            code.add_wide_into(counter(Counter::Lanes(ops.clone(), lanes)), Gpr::Rdx);
        }
    }

    /// Counts the lanes of an op that has a predicate, which is what it was in front of the op.
    fn count_guarded(&mut self, pc: u32) {
        let lanes = self.region.lanes[(pc - self.region.start) as usize];
        let (Some((lanes, Some(guard))), true) = (lanes, self.emitter.counters.is_some()) else {
            return;
        };
        self.emitter.predicate(lanes, guard);
        let Emitter { code, counters, .. } = &mut *self.emitter;
        let Some(counters) = counters else { return };
        if !lanes.no_mask {
            code.move_gpr(Gpr::Rcx, Gpr::R8);
            code.shift_right(Gpr::Rcx, lanes.offset);
            code.alu(Alu::And, Gpr::Rax, Gpr::Rcx);
        }
        code.count_bits(Gpr::Rax, Gpr::Rax);
        code.load_wide(Gpr::Rcx, field::COUNTS);
        code.add_wide_into(Place::Table(8 * counters.len() as u32), Gpr::Rax);
        counters.push(Counter::Guarded(pc));
    }

    /// Code is left in front of an op: the next thread begins with the rounding that code is entered with.
    fn turn_back(&mut self, pc: u32) {
        if self.region.is_turned(pc) {
            self.emitter.code.round(self.emitter.rounding);
        }
    }

    /// Leaves the region at an op.
    fn leave_at(&mut self, pc: u32) {
        if pc == self.region.end {
            self.end_thread();
        }
        self.leave_alive_at(pc);
    }

    /// The same of a thread that goes on there.
    fn leave_alive_at(&mut self, pc: u32) {
        self.emitter.code.move_number(Gpr::Rcx, pc);
        self.emitter.code.jump(self.exit);
    }

    /// A branch. Who goes leaves everything in the arena; who does not, and is all there is, goes on with what registers have.
    fn goto(&mut self, pc: u32, lanes: Lanes, guard: Option<Guard>, target: u32) {
        if lanes.count == 1 {
            let on = self.emitter.code.label();
            if let Some(guard) = guard {
                if self.goes_straight(pc, target) {
                    let label = self.way_to(pc, target);
                    return self.if_uniform(lanes, guard, true, label);
                }
                self.if_uniform(lanes, guard, false, on);
            }
            self.emitter.store_unsaved(target <= pc);
            self.go(pc, target);
            self.emitter.code.bind(on);
            return;
        }
        if self.running == Running::Any {
            self.emitter.save_all();
        }
        let window = lanes.all() << lanes.offset;
        let on = self.emitter.code.label();
        let nobody = guard.and_then(|guard| self.emitter.test_running(lanes, guard));
        if let Some(nobody) = nobody {
            self.emitter.code.jump_if(nobody, on);
        }
        match guard {
            Some(guard) => {
                self.emitter.predicate(lanes, guard);
                let code = &mut self.emitter.code;
                code.shift_left(Gpr::Rax, lanes.offset);
                code.alu(Alu::And, Gpr::Rax, Gpr::R8);
            }
            None => {
                let code = &mut self.emitter.code;
                code.move_gpr(Gpr::Rax, Gpr::R8);
                code.alu_number(Alu::And, Gpr::Rax, window);
            }
        }
        if nobody.is_none() {
            self.emitter.code.jump_if(If::Zero, on);
        }
        self.emitter.store_unsaved(target <= pc);
        // Those that stay.
        let code = &mut self.emitter.code;
        code.move_gpr(Gpr::Rcx, Gpr::R8);
        code.alu(Alu::Xor, Gpr::Rcx, Gpr::Rax);
        let all = code.label();
        code.jump_if(If::Zero, all);
        let (waits, runs, place) = match target > pc {
            true => (Gpr::Rax, Gpr::Rcx, self.place(target)),
            false => (Gpr::Rcx, Gpr::Rax, self.place(pc + 1)),
        };
        self.wait(place, waits);
        self.emitter.code.move_gpr(Gpr::R8, runs);
        self.emitter.enable(self.wide);
        let found = self.behind.iter().find(|(at, _)| *at == pc);
        let behind = found.map_or(on, |(_, label)| *label);
        let running = self.running;
        self.running = Running::Any;
        match target > pc {
            true => self.emitter.code.jump(behind),
            false => self.go(pc, target),
        }
        self.running = running;
        self.emitter.code.bind(all);
        self.go(pc, target);
        self.emitter.code.bind(on);
        if self.running == Running::Any {
            self.emitter.code.bind(behind);
            self.emitter.forget();
        }
    }

    /// The code of a place inside to which somebody comes from an op.
    fn way_to(&mut self, pc: u32, target: u32) -> Label {
        let place = self.place(target);
        if self.running != Running::Affine {
            return self.label(self.running, place);
        }
        if target > pc {
            self.meet(place);
            return self.label(Running::Affine, place);
        }
        // Where it begins more rows may be known than here.
        let (here, known) = (self.emitter.affine_rows_here(), &self.known[place]);
        let all = !known.is_empty() && known.iter().all(|row| here.contains(row));
        self.label(if all { Running::Affine } else { Running::All }, place)
    }

    /// Goes to a label if the first bit of a predicate is set, or is not.
    fn if_uniform(&mut self, lanes: Lanes, guard: Guard, is_set: bool, label: Label) {
        let not_zero = match guard.group {
            Group::Each => {
                self.emitter.test_flag(guard.offset, 1 << lanes.offset);
                is_set != guard.inverted
            }
            _ => {
                self.emitter.predicate(lanes, guard);
                self.emitter.code.test_number(Gpr::Rax, 1);
                is_set
            }
        };
        let when = if not_zero { If::NotZero } else { If::Zero };
        self.emitter.code.jump_if(when, label);
    }

    /// Whether all running lanes go from an op to another one by nothing but a jump.
    fn goes_straight(&self, pc: u32, target: u32) -> bool {
        let forward = target > pc && self.is_inside(target);
        forward && self.waits_between(pc, target) == 0 && self.emitter.has_all_saved()
    }

    /// Bits of the places between an op and a later one where lanes may wait.
    fn waits_between(&self, pc: u32, target: u32) -> u32 {
        // Where all run, none waits.
        if self.running != Running::Any {
            return 0;
        }
        let places = self.region.places.iter().enumerate();
        let between = places.filter(|(_, at)| (pc + 1..target).contains(at));
        between.fold(0, |bits, (i, _)| bits | 1 << i)
    }

    /// Lanes wait at a place.
    fn wait(&mut self, place: usize, lanes: Gpr) {
        let code = &mut self.emitter.code;
        let slot = Place::Context(field::PLACES + 4 * place as u32);
        code.alu_into(Alu::Or, slot, lanes);
        code.alu_number(Alu::Or, Gpr::R11, 1 << place);
    }

    /// All running lanes go from an op to another one.
    fn go(&mut self, pc: u32, target: u32) {
        let place = self.place(target);
        if target <= pc {
            let code = &mut self.emitter.code;
            if self.region.start <= target {
                // The next op is the same whether there is budget left or not.
                code.compare_wide(Gpr::R9, Gpr::R10);
                let label = self.way_to(pc, target);
                self.emitter.code.jump_if(If::Below, label);
                self.leave_at(target);
            } else {
                self.leave_at(target);
            }
            return;
        }
        let before = self.waits_between(pc, target);
        if before != 0 {
            let straight = self.emitter.code.label();
            self.emitter.code.test_number(Gpr::R11, before);
            self.emitter.code.jump_if(If::Zero, straight);
            self.wait(place, Gpr::R8);
            self.emitter.code.jump(self.pick);
            self.emitter.code.bind(straight);
        }
        if self.is_inside(target) {
            let label = self.way_to(pc, target);
            self.emitter.code.jump(label);
        } else {
            self.join(place);
            self.leave_at(target);
        }
    }

    /// What is seldom run.
    fn cold(&mut self) {
        self.run(Running::Any);
        // Lanes that waited join those that come.
        for (place, on) in std::mem::take(&mut self.joined) {
            let slot = Place::Context(field::PLACES + 4 * place as u32);
            self.emitter.code.bind(self.joins[place]);
            self.emitter.code.alu_place(Alu::Or, Gpr::R8, slot);
            self.clear(place);
            self.emitter.enable(self.wide);
            let all = self.label(Running::All, place);
            let code = &mut self.emitter.code;
            code.test_number(Gpr::R11, u32::MAX);
            code.jump_if(If::NotZero, on);
            code.move_gpr(Gpr::Rcx, Gpr::R8);
            code.not(Gpr::Rcx);
            code.test_number(Gpr::Rcx, self.all);
            code.jump_if(If::Zero, all);
            code.jump(on);
        }
        // The smallest place where lanes wait.
        self.emitter.code.bind(self.pick);
        for (place, &pc) in self.region.places.iter().enumerate() {
            let next = self.emitter.code.label();
            let code = &mut self.emitter.code;
            code.test_number(Gpr::R11, 1 << place);
            code.jump_if(If::Zero, next);
            let slot = Place::Context(field::PLACES + 4 * place as u32);
            code.load(Gpr::R8, slot);
            self.clear(place);
            match self.is_inside(pc) {
                true => {
                    self.emitter.enable(self.wide);
                    self.emitter.code.jump(self.label(Running::Any, place));
                }
                false => self.leave_at(pc),
            }
            self.emitter.code.bind(next);
        }
        // Places outside have no code, but labels that are placed.
        for (place, &pc) in self.region.places.iter().enumerate() {
            if !self.is_inside(pc) {
                for running in [Running::Any, Running::All, Running::Affine] {
                    self.emitter.code.bind(self.label(running, place));
                }
                self.emitter.code.bind(self.joins[place]);
                self.leave_at(pc);
            }
        }
        self.emitter.emit_doubts();
        for (leave, pc, behind) in std::mem::take(&mut self.left) {
            self.emitter.code.bind(leave.label);
            leave
                .unsaved
                .into_iter()
                .for_each(|held| self.emitter.store(held));
            self.emitter.store_halves(&leave.halves);
            if behind > 0 {
                self.emitter.code.add_wide(Gpr::R9, behind);
            }
            if leave.for_nan {
                let place = Place::Context(field::FOR_NAN);
                self.emitter.code.store_number(place, 1);
            }
            self.turn_back(pc);
            self.leave_at(pc);
        }
    }

    /// Lanes that wait at a place outside join those that leave the region there.
    fn join(&mut self, place: usize) {
        if self.running != Running::Any {
            return;
        }
        let nobody = self.emitter.code.label();
        self.emitter.code.test_number(Gpr::R11, 1 << place);
        self.emitter.code.jump_if(If::Zero, nobody);
        let slot = Place::Context(field::PLACES + 4 * place as u32);
        self.emitter.code.alu_place(Alu::Or, Gpr::R8, slot);
        self.clear(place);
        self.emitter.code.bind(nobody);
    }

    /// Nobody waits at a place any more.
    fn clear(&mut self, place: usize) {
        let slot = Place::Context(field::PLACES + 4 * place as u32);
        self.emitter.code.store_number(slot, 0);
        self.emitter
            .code
            .alu_number(Alu::And, Gpr::R11, !(1 << place));
    }
}

/// Loads what is pinned.
fn load(emitter: &mut Emitter, bytes: Bytes, reg: u8) {
    match bytes.kind {
        Kind::Each => {
            let from = Rm::Each(bytes.at);
            emitter.code.vector(Vector::BROADCAST, Len::Z, reg, 0, from);
        }
        _ => {
            let from = Rm::Row(bytes.at);
            emitter
                .code
                .vector(Vector::LOAD, bytes.register(), reg, 0, from);
        }
    }
}
