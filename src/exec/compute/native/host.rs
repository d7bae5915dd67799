//! Native code of a program, and threads that run it.

use super::affine::{self, AffineRow};
use super::call::{
    Beginning, Context, Contexts, Entry, Executable, GroupsAsked, Header, Host, LOOKED_AT,
    MOST_PLACES, RanGroups, Reach, Shared, Stopped, TOGETHER, UNSEEN,
};
use super::emit::Emitter;
use super::flow;
use super::groups;
use super::last_read::LastRead;
use super::local::Local;
use super::region::{self, Region};
use super::transfer::{Message, Target};
use super::{Begins, Memories, Rounds, Seen, Stands, Tally};
use crate::exec::state::float_mode::FloatMode;
use crate::exec::state::frame::{ENDED, Frame};
use crate::exec::state::tally::{Counter, Counters, Traffic};
use crate::exec::state::texel_sites::TexelSite;
use crate::exec::state::thread::Thread;
use crate::message::Request;
use crate::program::{Barrier, Op, Program};
use crate::surface::Memory;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How a region is entered at an op.
#[derive(Clone, Copy)]
struct Ways {
    /// Whatever lanes run.
    any: Entry,
    /// Where these do.
    all: Option<(u32, Entry)>,
    /// Where they do, and rows are evenly apart.
    affine: Option<Entry>,
}

impl Ways {
    /// The one for threads that have at least these lanes, none of which waits; or 0.
    ///
    /// * `are_affine`: whether the rows of the region are evenly apart.
    fn of(self, lanes: u32, are_affine: impl FnOnce() -> bool) -> Entry {
        match (self.all, self.affine) {
            (Some((all, entry)), affine) if lanes & all == all && lanes != 0 => {
                affine.filter(|_| are_affine()).unwrap_or(entry)
            }
            _ => self.any,
        }
    }
}

/// The way into the code of an op.
#[derive(Clone, Copy)]
struct Door<'n> {
    pc: u32,
    /// The ops and places of its region.
    ops: &'n Range<u32>,
    places: &'n [u32],
    ways: Ways,
    /// Rows that are likely to be evenly apart where it begins.
    roots: &'n [AffineRow],
}

impl Door<'_> {
    /// The way in for threads that have at least these lanes, none of which waits; or 0.
    fn way(self, lanes: u32, contexts: &mut [Context<'_>]) -> Entry {
        let are_affine = || {
            let mut all = contexts.iter_mut();
            all.all(|context| affine::are_in(self.roots, context.bytes()))
        };
        self.ways.of(lanes, are_affine)
    }

    /// Instructions between two backward jumps, at most.
    fn most(self) -> u64 {
        u64::from(self.ops.end - self.ops.start)
    }
}

/// Code of a program.
pub struct Native {
    code: Executable,
    /// Makes shared memory zero.
    clear: Entry,
    /// Ops of each region, its places, and rows that are likely to be evenly apart where it begins.
    regions: Vec<(Range<u32>, Vec<u32>, Vec<AffineRow>)>,
    /// For each op the region that may be entered at it, and how.
    entries: Vec<Option<(u32, Ways)>>,
    /// For each op how many ops there are before one at which code may be entered.
    until: Vec<u32>,
    /// Ops of the longest region.
    longest: u64,
    /// Where the barrier of a group is.
    barriers: Vec<bool>,
    /// Where a block of the scaler is, for which threads leave code and come back behind it.
    blocks: Vec<bool>,
    /// The lanes that end at an op, where that is sure to end a thread if it has no others.
    ends: Vec<u32>,
    /// For each op the bits of the float mode that are other in front of it than where code is entered, if any are.
    turned: Vec<u32>,
    /// Messages that are code, by op; and whether one reaches scratch memory.
    messages: Vec<(u32, Message)>,
    scratch: bool,
    /// What it counts, if it does, and by which number it is known.
    counters: Option<Vec<Counter>>,
    number: usize,
    /// For each op the first one of those that are counted with it.
    counted_from: Vec<u32>,
    /// For each op the window that its message reached when code was left for it.
    hints: Vec<AtomicU32>,
}

impl Native {
    /// Makes the code of a program for a mode; `None` if there is nothing to make, or
    /// the host has no such instructions, or no memory that can be run.
    ///
    /// * `entered`: the ops that a jump may lead to.
    /// * `rounds`: what becomes of results that are no singles.
    /// * `makes_nan`: whether code makes NaN, which is slower where there are none.
    /// * `seen`, `number`: what it sees to, and by which number it is known if it counts.
    /// * `splits`: whether steps may stop in front of an op.
    /// * `message`: what a message does, if it can be code.
    /// * `thread`: the bytes of a thread as others are likely to be as well.
    pub fn new(
        (program, thread): (&Program, &[u8]),
        entered: &[bool],
        (rounds, makes_nan): (Rounds, bool),
        (seen, number): (Seen, usize),
        splits: impl Fn(u32) -> bool,
        message: impl Fn(u32, &Op) -> Option<Message>,
    ) -> Option<Native> {
        let host = Host::detect()?;
        let regions = region::regions(program, entered, splits, message, rounds);
        if regions.is_empty() {
            return None;
        }
        let counts = seen == Seen::Counted;
        let ends = ends(program, counts);
        let mut emitter = Emitter::new(host.assembler(), rounds, counts, makes_nan);
        if seen == Seen::Nothing {
            emitter.last_read = LastRead::new(program);
            emitter.local = Local::new(program, entered);
        }
        // Where all lanes run, nothing has to be kept of those that are off.
        let (mut doors, mut roots) = (Vec::new(), Vec::new());
        for (number, region) in (0..).zip(&regions) {
            let ends = ends.get(region.end as usize).map_or(0, |ends| *ends);
            let own = affine::roots(region, thread);
            let entered = flow::emit(&mut emitter, region, ends, &own).into_iter();
            roots.push(own);
            doors.extend(entered.map(|entered| (number, entered)));
        }
        emitter.emit_routines();
        let clear = emitter.clear_shared();
        let routine = groups::emit(&mut emitter.code);
        let labels = doors.iter().map(|(_, entered)| entered.entry);
        let offset = |label| emitter.code.offset(label) as u32;
        let offsets = labels.chain([clear]).map(offset).collect();
        let offsets = (offsets, offset(routine));
        let counters = emitter.counters.take();
        let count = counters.as_ref().map_or(0, Vec::len);
        let code = Executable::new(host, emitter.code, offsets, count).ok()?;
        let mut counted_from: Vec<u32> = (0..program.ops.len() as u32).collect();
        for counter in counters.iter().flatten() {
            if let Counter::Runs(ops) = counter {
                counted_from[ops.start as usize..ops.end as usize].fill(ops.start);
            }
        }
        let mut entries: Vec<Option<(u32, Ways)>> = vec![None; program.ops.len()];
        for (i, (number, entered)) in doors.iter().enumerate() {
            let entry = code.entry(i)?;
            let place = &mut entries[entered.pc as usize];
            match (place, entered.lanes) {
                (Some((_, ways)), Some(_)) if entered.affine => ways.affine = Some(entry),
                (Some((_, ways)), Some(lanes)) => ways.all = Some((lanes, entry)),
                (place, _) => {
                    let ways = Ways {
                        any: entry,
                        all: None,
                        affine: None,
                    };
                    *place = Some((*number, ways));
                }
            }
        }
        let mut until = vec![0; program.ops.len()];
        let mut ops = u32::MAX;
        for (until, entry) in until.iter_mut().zip(&entries).rev() {
            ops = match entry {
                Some(_) => 0,
                None => ops.saturating_add(1),
            };
            *until = ops;
        }
        let messages: Vec<(u32, Message)> = regions.iter().flat_map(Region::messages).collect();
        let mut targets = messages.iter().filter_map(|(_, message)| message.target());
        let scratch = targets.any(|target| matches!(target, Target::Scratch { .. }));
        let mut turned = Vec::new();
        for region in regions.iter().filter(|region| region.turns()) {
            turned.resize(program.ops.len() + 1, 0);
            turned[region.start as usize..=region.end as usize].copy_from_slice(&region.turned);
        }
        let of_region = |(r, roots): (Region, Vec<AffineRow>)| (r.start..r.end, r.places, roots);
        let hints = program.ops.iter().map(|_| AtomicU32::new(u32::MAX));
        let longest = regions.iter().map(|r| u64::from(r.end - r.start)).max();
        let is_barrier = |op: &Op| matches!(op, Op::Barrier(Barrier::Whole));
        let block = |op: &Op| match op {
            Op::Send(send) => match &send.request {
                Request::Avs(asked) => Some(asked.channels),
                _ => None,
            },
            _ => None,
        };
        // Threads that may be served again remember it: they do not run without a frame.
        let once = program.ops.iter().filter_map(block).count() == 1 && !program.may_go_back();
        let is_block = |op: &Op| once && block(op).is_some_and(|channels| channels.count() == 1);
        Some(Native {
            counters,
            number,
            counted_from,
            longest: longest.unwrap_or(0),
            barriers: program.ops.iter().map(is_barrier).collect(),
            blocks: program.ops.iter().map(is_block).collect(),
            ends,
            turned,
            clear: code.entry(doors.len())?,
            code,
            messages,
            scratch,
            hints: hints.collect(),
            regions: regions.into_iter().zip(roots).map(of_region).collect(),
            entries,
            until,
        })
    }

    /// Ops in front of the next one at which code may be entered; 0 if that is this one.
    #[inline]
    pub fn until(&self, pc: u32) -> u32 {
        self.until.get(pc as usize).copied().unwrap_or(u32::MAX)
    }

    /// What it counts, and what its messages move.
    ///
    /// * `texels`: what is known of sampler messages and typed writes, by op.
    pub fn counted<'n>(
        &'n self,
        texels: &'n [TexelSite],
    ) -> (&'n [Counter], impl Fn(u32) -> Traffic + 'n) {
        let counters = self.counters.as_deref().unwrap_or_default();
        (counters, |pc| self.traffic(pc, texels))
    }

    /// What a message moves that is code.
    fn traffic(&self, pc: u32, texels: &[TexelSite]) -> Traffic {
        let Ok(at) = self.messages.binary_search_by_key(&pc, |(op, _)| *op) else {
            return Traffic::default();
        };
        let message = &self.messages[at].1;
        match (message, texels.get(pc as usize)) {
            (Message::Texels(_), Some(site)) => site.written(),
            _ => message.traffic(),
        }
    }

    /// Whether nearly all of the program is one region, or a chain of them from barrier to barrier or block to block: what
    /// sets the float mode and ends it is not.
    pub fn is_whole(&self) -> bool {
        const BESIDE: usize = 8;
        let mut chain = 0..0;
        let chains = self.regions.iter().map(|(ops, ..)| {
            let (start, end) = (ops.start as usize, ops.end as usize);
            let joins = |at: usize| self.barriers[at] || self.blocks[at];
            let goes_on = start == chain.end + 1 && joins(chain.end);
            chain = if goes_on {
                chain.start..end
            } else {
                start..end
            };
            chain.len()
        });
        let longest = chains.max().unwrap_or(0);
        longest + BESIDE >= self.entries.len()
    }

    /// Whether threads in which rows are evenly apart have an entry of their own at an op, and one with such bytes takes it.
    #[cfg(test)]
    pub fn knows_rows(&self, pc: u32, thread: &[u8]) -> bool {
        let door = self.door(pc);
        door.is_some_and(|door| door.ways.affine.is_some() && affine::are_in(door.roots, thread))
    }

    /// Whether an op is code.
    pub fn covers(&self, pc: u32) -> bool {
        self.regions.iter().any(|(ops, ..)| ops.contains(&pc))
    }

    /// Runs threads that are at one op, each until it comes to an op that is no code, or has run `window`
    /// instructions. No thread runs more than `limit` in all. Says where they are; `None` if nothing has happened: code
    /// is not entered here, or not by these threads.
    ///
    /// * `everyone`: these are all threads that meet at the barrier, so that it opens once all are there.
    pub fn run(
        &self,
        threads: &mut [Thread<'_>],
        memories: Memories<'_>,
        pc: u32,
        [limit, window]: [u64; 2],
        everyone: bool,
    ) -> Option<Stands> {
        let door = self.door(pc)?;
        let enters = |t: &Thread<'_>| {
            let waits = |(at, _): &(u32, u32)| {
                !door.ops.contains(at) || at > &pc && door.places.binary_search(at).is_ok()
            };
            t.frame.em != 0
                && t.executed.saturating_add(door.most()) <= limit
                && t.frame.waiting.iter().all(waits)
        };
        if !threads.iter().all(enters) {
            return None;
        }
        let counters = match (&self.counters, memories.tally) {
            (None, None) => None,
            (Some(own), Some(tally)) => Some(tally.counters(self.number, own.len())),
            _ => return None,
        };
        let mut all: Option<Stands> = None;
        let reach = Reach::new(memories.windows, &self.hints, memories.texels);
        // Who counts sees each barrier.
        let everyone = everyone && threads.len() <= TOGETHER && counters.is_none();
        for threads in threads.chunks_mut(TOGETHER) {
            let around = (memories, &reach, counters);
            let stands = self.run_few(threads, around, door, [limit, window], everyone)?;
            all = Some(all.map_or(stands, |all| Stands {
                pc: all.pc,
                together: all.together
                    && stands.together
                    && all.pc == stands.pc
                    && all.ended == stands.ended,
                join: all.join.min(stands.join),
                most: all.most.max(stands.most),
                ended: all.ended && stands.ended,
            }));
            if stands.ended {
                continue;
            }
            if let Some(tally) = memories.tally {
                self.count_parts(threads, tally, memories.texels);
            }
            self.learn(&threads[0], memories);
        }
        all
    }

    /// Counts what threads ran that have left in the middle of what is counted together.
    fn count_parts(&self, threads: &[Thread<'_>], tally: &Tally, texels: &[TexelSite]) {
        for thread in threads {
            let pc = thread.frame.pc;
            let from = self.counted_from.get(pc as usize).map_or(pc, |from| *from);
            if from < pc {
                tally.part_ran(thread, from..pc, |pc| self.traffic(pc, texels));
            }
        }
    }

    /// The way into the code of an op.
    #[inline]
    fn door(&self, pc: u32) -> Option<Door<'_>> {
        let (number, ways) = (*self.entries.get(pc as usize)?)?;
        let (ops, places, roots) = &self.regions[number as usize];
        Some(Door {
            pc,
            ops,
            places,
            ways,
            roots,
        })
    }

    /// The same for threads that enter, as many as go together.
    fn run_few<'n, 't>(
        &'n self,
        threads: &'t mut [Thread<'_>],
        (memories, reach, counters): (Memories<'t>, &'t Reach<'t>, Option<&'t Counters>),
        mut door: Door<'n>,
        [limit, window]: [u64; 2],
        mut everyone: bool,
    ) -> Option<Stands> {
        let mut lanes = u32::MAX;
        let mut contexts = Contexts::new();
        let mut frames: [Option<(&mut Frame, &mut u64, &mut FloatMode)>; TOGETHER] =
            Default::default();
        let slm = memories.slm;
        let mut shared = Shared::new(slm);
        // Between two backward jumps no op runs twice.
        let budget = limit.saturating_sub(self.longest);
        for (slot, thread) in frames.iter_mut().zip(threads) {
            let counts = counters.map_or(&[][..], |counters| counters.of(thread.slot));
            let (frame, executed) = (&mut thread.frame, &mut thread.executed);
            shared = shared.or(thread.slm.unwrap_or(slm));
            let scratch = match self.scratch {
                // Without room for it code is left for the message, which says so.
                true => thread.rare.scratch_ahead(memories.scratch_bytes),
                false => None,
            };
            let own = (shared, scratch);
            let context = Context::new(&mut thread.arena, frame.em, reach, own, counts);
            let context = contexts.push(context);
            context.executed = *executed;
            context.budget = budget.min(executed.saturating_add(window));
            context.kept = if thread.kept { LOOKED_AT } else { UNSEEN };
            context.control = thread.mode.to_cr0();
            lanes &= frame.em;
            if !frame.waiting.is_empty() {
                // They would have their turn.
                lanes = 0;
                enter(context, frame, door.ops, door.places);
                everyone &= frame.waiting.is_empty();
                if !frame.waiting.is_empty() {
                    context.kept = LOOKED_AT;
                }
            }
            *slot = Some((frame, executed, &mut thread.mode));
        }
        let ran = self.run_contexts(&mut contexts, reach, &mut door, lanes, everyone);
        let mut stands = Stands {
            pc: contexts[0].pc,
            together: true,
            join: u32::MAX,
            most: 0,
            ended: true,
        };
        let mut any_ended = false;
        let mut for_nan = 0;
        // By reference: what was just written in parts is not to be moved as a whole.
        for (context, slot) in contexts.iter().zip(&mut frames) {
            let Some((frame, executed, mode)) = slot else {
                break;
            };
            **executed = context.executed;
            if self.ends(context) && frame.waiting.is_empty() && **executed < limit {
                **executed += 1;
                frame.pc = ENDED;
                any_ended = true;
                continue;
            }
            stands.ended = false;
            for_nan += context.for_nan;
            leave(context.stopped(), frame, door.places);
            let turned = self.turned(frame.pc);
            **mode = mode.turned(turned);
            stands.together &= frame.pc == stands.pc && turned == 0;
            stands.join = stands.join.min(frame.join);
            stands.most = stands.most.max(**executed);
        }
        stands.together &= stands.ended || !any_ended;
        if for_nan > 0 {
            memories.left_for_nan.fetch_add(for_nan, Relaxed);
        }
        ran.then_some(stands)
    }

    /// Runs code of threads that all have these lanes, none of which waits, or of which nothing is known (0); if everyone is
    /// here and no lane waits, through barriers and from region to region as long as they go together. False if nothing has
    /// happened but that they are at the door.
    ///
    /// * `door`: afterwards the last one that was entered.
    #[inline(always)]
    fn run_contexts<'n>(
        &'n self,
        contexts: &mut [Context<'_>],
        reach: &Reach<'_>,
        door: &mut Door<'n>,
        lanes: u32,
        everyone: bool,
    ) -> bool {
        let way = door.way(lanes, contexts);
        let ran = self.code.run(way, contexts, reach);
        match ran {
            true if everyone => self.go_through(contexts, reach, door),
            true => {}
            // They have changed nothing but where lanes wait.
            false => contexts.iter_mut().for_each(|c| c.pc = door.pc),
        }
        ran
    }

    /// All threads that meet at the barrier have come out of code: they go on through barriers and from region to region as
    /// long as they go together.
    ///
    /// * `door`: the one that was entered last, before and afterwards.
    #[inline(always)]
    fn go_through<'n>(
        &'n self,
        contexts: &mut [Context<'_>],
        reach: &Reach<'_>,
        door: &mut Door<'n>,
    ) {
        loop {
            let met = contexts[0].pc;
            let (next, ops) = match self.barriers.get(met as usize) {
                Some(true) => (self.door(met + 1), 1),
                // A branch led to another region.
                Some(false) if !door.ops.contains(&met) => (self.door(met), 0),
                _ => return,
            };
            let is_there = |c: &Context<'_>| {
                c.pc == met && c.waiting == 0 && c.em != 0 && c.executed < c.budget
            };
            let Some(next) = next.filter(|_| contexts.iter().all(is_there)) else {
                return;
            };
            let mut lanes = u32::MAX;
            for context in contexts.iter_mut() {
                context.executed += ops;
                lanes &= context.em;
            }
            *door = next;
            let way = door.way(lanes, contexts);
            if !self.code.run(way, contexts, reach) {
                contexts.iter_mut().for_each(|c| c.pc = door.pc);
                return;
            }
        }
    }

    /// The bits of the float mode that are other in front of an op than where code is entered.
    #[inline]
    fn turned(&self, pc: u32) -> u32 {
        self.turned.get(pc as usize).map_or(0, |bits| *bits)
    }

    /// Whether the op that the code of a thread has come to ends it, if no lane waits elsewhere.
    #[inline]
    fn ends(&self, context: &Context<'_>) -> bool {
        context.are_all(self.lanes_ended(context.pc))
    }

    /// The lanes that an op ends, if that is sure to end a thread which has no others.
    #[inline]
    fn lanes_ended(&self, pc: u32) -> u32 {
        self.ends.get(pc as usize).map_or(0, |end| *end)
    }

    /// Notes that a thread has come to a message that is code, and which window it reaches.
    #[inline]
    fn learn(&self, thread: &Thread<'_>, memories: Memories<'_>) {
        let pc = thread.frame.pc;
        let Ok(at) = self.messages.binary_search_by_key(&pc, |(op, _)| *op) else {
            return;
        };
        if self.door(pc + 1).is_none() && self.covers(pc + 1) {
            memories.left_at.note(pc);
        }
        let message = &self.messages[at].1;
        let found = match message.target() {
            None | Some(Target::Shared { .. } | Target::Scratch { .. }) => None,
            Some(Target::Surface { variable, index }) => {
                let first = variable.map_or(0, |at| thread.dword(at));
                memories.windows.of_surface(index.wrapping_add(first))
            }
            Some(Target::Flat) => {
                let own = |at: u32| {
                    let own = thread.arena.get(at as usize..)?.first_chunk()?;
                    Some(u64::from_le_bytes(*own))
                };
                let address = match message {
                    Message::Lanes(t) => {
                        let lanes = thread.active(t.lanes, t.guard);
                        if lanes == 0 {
                            return;
                        }
                        let at = t.addresses + t.width() * lanes.trailing_zeros();
                        let place = match t.extended {
                            Some(extended) => Some(extended.of(thread.dword(at))),
                            None => own(at),
                        };
                        let base = t.based.map_or(Some(0), own);
                        let added = t.added.wrapping_add(t.skipped.into());
                        place
                            .zip(base)
                            .map(|(place, base)| place.wrapping_add(base).wrapping_add(added))
                    }
                    Message::Idle
                    | Message::Sample(_)
                    | Message::Texels(_)
                    | Message::Rectangle(_) => return,
                    Message::Block(block) => own(block.place)
                        .map(|place| place.wrapping_add(i64::from(block.added) as u64)),
                };
                address.and_then(|address| memories.windows.of_address(address))
            }
        };
        if let Some(window) = found {
            let hint = &self.hints[pc as usize];
            // Other workers read what is near it.
            if hint.load(Relaxed) != window {
                hint.store(window, Relaxed);
            }
        }
    }
}

/// Code that takes threads from where they begin to their ends.
pub struct Whole<'n> {
    native: &'n Native,
    door: Door<'n>,
    mode: FloatMode,
    memories: Memories<'n>,
    reach: Reach<'n>,
    limit: u64,
    budget: u64,
}

impl<'n> Whole<'n> {
    /// That of threads which begin at an op in a mode, if code may be entered there and does not count.
    ///
    /// * `native`: code of this mode.
    pub fn new(
        native: &'n Native,
        memories: Memories<'n>,
        (pc, mode): (u32, FloatMode),
        [limit, window]: [u64; 2],
    ) -> Option<Whole<'n>> {
        // Scratch memory is a new one for each thread.
        if native.counters.is_some() || native.scratch || memories.tally.is_some() {
            return None;
        }
        Some(Whole {
            door: native.door(pc)?,
            mode,
            reach: Reach::new(memories.windows, &native.hints, memories.texels),
            limit,
            budget: window.min(limit.checked_sub(native.longest)?),
            native,
            memories,
        })
    }

    /// Threads that stand where they begin, in their bytes; `None` if one does not begin where this code does.
    ///
    /// * `slm`: their memory, if they are a group.
    /// * `begins`, `beginnings`: what each begins with.
    pub fn stand<'t>(
        &'t self,
        threads: &'t mut [Thread<'_>],
        slm: Option<&'t Memory>,
        begins: impl IntoIterator<Item = Begins>,
        beginnings: &'t [Beginning<'t>],
    ) -> Option<Standing<'n, 't>> {
        let shared = Shared::new(slm.unwrap_or(self.memories.slm));
        let mut standing = Standing {
            whole: self,
            contexts: Vec::with_capacity(threads.len()),
            beginnings,
            lanes: u32::MAX,
            affine: true,
            places: vec![self.door.places; threads.len()],
            clears: slm.is_some(),
            steady: beginnings.iter().all(Beginning::leaves_header),
        };
        let begins = begins.into_iter().map(Some).chain(std::iter::repeat(None));
        let beginnings = beginnings.iter().map(Some).chain(std::iter::repeat(None));
        for (thread, (begins, beginning)) in threads.iter_mut().zip(begins.zip(beginnings)) {
            let Begins { at, mask, executed } = begins?;
            if at != (self.door.pc, self.mode) || mask == 0 || executed > self.budget {
                return None;
            }
            let own = (shared, None);
            let mut context = Context::new(&mut thread.arena, mask, &self.reach, own, &[]);
            context.budget = self.budget;
            context.control = self.mode.to_cr0();
            let beginning = beginning?;
            if !context.begins_with(beginning) {
                return None;
            }
            standing.affine &= affine::are_in(self.door.roots, beginning.image);
            standing.contexts.push(context);
            standing.lanes &= mask;
        }
        Some(standing)
    }

    /// Puts a thread that has begun where its code was left.
    pub fn leave(&self, thread: &mut Thread<'_>, left: LeftCode<'_>) {
        thread.executed = left.executed;
        if left.ended {
            thread.frame.pc = ENDED;
            return;
        }
        if left.for_nan {
            self.memories.left_for_nan.fetch_add(1, Relaxed);
        }
        leave(left.stopped, &mut thread.frame, left.places);
        thread.mode = self.mode.turned(self.native.turned(left.stopped.pc));
        self.native.learn(thread, self.memories);
    }

    /// Goes on with the threads of a group that have come out of the code where they begin: through its barriers, then each by
    /// itself. Says how many instructions they have run if they have all ended.
    ///
    /// * `begin`, `places`: what each begins with, and the places of the region that it has left last.
    #[inline(always)]
    fn go_on_all(
        &self,
        contexts: &mut [Context<'_>],
        (begin, places): (&[Beginning<'_>], &mut [&'n [u32]]),
        serve: &mut impl FnMut(&mut [u8], u32) -> bool,
    ) -> Option<u64> {
        let (native, mut door) = (self.native, self.door);
        native.go_through(contexts, &self.reach, &mut door);
        // Nearly always all of them have come to the same op.
        let pc = contexts.first().map_or(0, |first| first.pc);
        let end = native.lanes_ended(pc);
        let mut executed = 0;
        let all_ended = contexts.iter().all(|context| {
            executed += context.executed + 1;
            context.pc == pc && context.are_all(end) && context.executed < self.limit
        });
        if all_ended {
            return Some(executed);
        }
        // Most threads come to no message that is served, and end sooner without a look for it.
        let mut ended = true;
        for ((context, begin), places) in contexts.iter_mut().zip(begin).zip(places) {
            *places = door.places;
            ended &= self.go_on(context, begin.em, places, serve);
        }
        let contexts = contexts.iter();
        ended.then(|| contexts.map(|context| context.executed + 1).sum())
    }

    /// Goes on with a thread that has come out of code. As long as all its lanes are in front of a message that is served,
    /// they go on in the region behind it. Says whether it has ended.
    ///
    /// * `places`: those of the region that it has left last.
    #[inline(never)]
    fn go_on(
        &self,
        context: &mut Context<'_>,
        lanes: u32,
        places: &mut &'n [u32],
        serve: &mut impl FnMut(&mut [u8], u32) -> bool,
    ) -> bool {
        while !self.has_ended(context) {
            let pc = context.pc;
            let all_are_there = context.waiting == 0 && context.em == lanes;
            let door = self.native.door(pc + 1);
            let door = door.filter(|_| all_are_there && context.executed < context.budget);
            let Some(mut door) = door.filter(|_| serve(context.bytes(), pc)) else {
                return false;
            };
            context.executed += 1;
            *places = door.places;
            // It is not known whether others are at a barrier.
            let alone = std::slice::from_mut(context);
            self.native
                .run_contexts(alone, &self.reach, &mut door, lanes, false);
        }
        true
    }

    /// Whether the code of a thread has taken it to its end.
    #[inline(always)]
    fn has_ended(&self, context: &Context<'_>) -> bool {
        self.native.ends(context) && context.executed < self.limit
    }

    /// Where it has left a thread.
    fn left(&self, context: &Context<'_>, places: &'n [u32]) -> LeftCode<'n> {
        let ended = self.has_ended(context);
        LeftCode {
            stopped: context.stopped(),
            executed: context.executed + u64::from(ended),
            ended,
            for_nan: context.for_nan != 0,
            places,
        }
    }
}

/// Where code has left a thread.
#[derive(Clone, Copy)]
pub struct LeftCode<'n> {
    stopped: Stopped,
    executed: u64,
    ended: bool,
    for_nan: bool,
    /// The places of the region.
    places: &'n [u32],
}

impl LeftCode<'_> {
    /// Whether it has taken the thread to its end.
    pub const fn has_ended(&self) -> bool {
        self.ended
    }
}

/// Threads that begin where they stand, in their bytes, each again once it has ended.
pub struct Standing<'n, 't> {
    whole: &'t Whole<'n>,
    contexts: Vec<Context<'t>>,
    beginnings: &'t [Beginning<'t>],
    /// Lanes that all of them have.
    lanes: u32,
    /// Rows are evenly apart in all of them.
    affine: bool,
    /// The places of the region that each has left last.
    places: Vec<&'n [u32]>,
    /// The group has memory, of which its threads find all at zero.
    clears: bool,
    /// They do not change their headers.
    steady: bool,
}

impl<'n, 't> Standing<'n, 't> {
    /// Thread `n` begins in its bytes, which come back; it must not have left code before its end.
    ///
    /// * `image`: all bytes that it begins with, if somebody looks at them in the end.
    #[inline]
    pub fn begin(&mut self, n: usize, header: &Header, image: Option<&[u8]>) -> &mut [u8] {
        let context = &mut self.contexts[n];
        context.begin(&self.beginnings[n], header, image);
        context.bytes()
    }

    /// Begins and runs all threads as those of one group after the other, until one does not come to its end. Nobody looks at
    /// their bytes then. `None` if nothing has happened.
    ///
    /// * `header`: that of the first group, of which dword 1 counts on; and whether it is one of media threads.
    /// * `most`: how many groups there are, and how many instructions are enough.
    /// * `serve`: as in [`Standing::run`].
    #[inline]
    pub fn run_groups(
        &mut self,
        (header, media): (Header, bool),
        most: [u64; 2],
        mut serve: impl FnMut(&mut [u8], u32) -> bool,
    ) -> Option<RanGroups> {
        let whole = self.whole;
        let native = whole.native;
        let asked = GroupsAsked {
            code: whole.door.ways.of(self.lanes, || self.affine),
            clear: self.clears.then_some(native.clear),
            header,
            media,
            steady: self.steady,
            ends: &native.ends,
            limit: whole.limit,
            most,
        };
        let (begin, places) = (self.beginnings, &mut self.places);
        let go_on = |contexts: &mut [Context<'t>]| {
            for context in &mut *contexts {
                context.come_out(|pc| native.lanes_ended(pc));
            }
            whole.go_on_all(contexts, (begin, places), &mut serve)
        };
        let contexts = &mut self.contexts;
        native
            .code
            .run_groups(&asked, contexts, &whole.reach, go_on)
    }

    /// Runs threads of a group, which have begun, through its barriers if it has such: then they are all there. Says how many
    /// instructions they have run if they have all ended.
    ///
    /// * `serve`: serves the message at an op for a thread of which only bytes are made, if it can.
    #[inline(always)]
    pub fn run(
        &mut self,
        which: Range<usize>,
        mut serve: impl FnMut(&mut [u8], u32) -> bool,
    ) -> Option<u64> {
        let (whole, door) = (self.whole, self.whole.door);
        let contexts = &mut self.contexts[which.clone()];
        let way = door.ways.of(self.lanes, || self.affine);
        if !whole.native.code.run(way, contexts, &whole.reach) {
            // They have changed nothing.
            contexts.iter_mut().for_each(|c| c.pc = door.pc);
            return None;
        }
        let places = &mut self.places[which.clone()];
        whole.go_on_all(contexts, (&self.beginnings[which], places), &mut serve)
    }

    /// Runs the code where a thread begins, which has begun, and no other. Says how many instructions it has run if it has ended.
    #[inline(always)]
    pub fn run_once(&mut self, n: usize) -> Option<u64> {
        let (whole, door) = (self.whole, self.whole.door);
        let context = &mut self.contexts[n..=n];
        let way = door.ways.of(self.lanes, || self.affine);
        if !whole.native.code.run(way, context, &whole.reach) {
            context[0].pc = door.pc;
            return None;
        }
        let context = &context[0];
        whole.has_ended(context).then_some(context.executed + 1)
    }

    /// Makes the memory of the group zero; false if nothing has happened.
    pub fn clear_shared(&mut self) -> bool {
        let whole = self.whole;
        // The code is called with one thread, and looks at no other.
        let first = self.contexts.get_mut(..1);
        first.is_some_and(|first| {
            whole
                .native
                .code
                .run(whole.native.clear, first, &whole.reach)
        })
    }

    /// Where code has left thread `n`.
    pub fn left(&self, n: usize) -> LeftCode<'n> {
        self.whole.left(&self.contexts[n], self.places[n])
    }

    /// The bytes of thread `n`.
    pub fn bytes(&mut self, n: usize) -> &mut [u8] {
        self.contexts[n].bytes()
    }
}

/// For each op the lanes that end at it, where that is sure to end a thread if it has no others.
fn ends(program: &Program, counts: bool) -> Vec<u32> {
    // What counts sees each op, and a subroutine goes back to its caller.
    let calls = |op: &Op| {
        matches!(
            op,
            Op::Call { .. } | Op::CallFunction { .. } | Op::CallIndirect { .. }
        )
    };
    let may_end = !counts && !program.ops.iter().any(calls);
    let ends = |op: &Op| match op {
        Op::Return { lanes, guard: None } if may_end => match lanes.count {
            1 => u32::MAX,
            _ => lanes.all() << lanes.offset,
        },
        _ => 0,
    };
    program.ops.iter().map(ends).collect()
}

/// Takes the lanes that wait at places of a region out of a frame.
fn enter(context: &mut Context<'_>, frame: &mut Frame, ops: &Range<u32>, places: &[u32]) {
    frame.waiting.retain(|(at, lanes)| {
        let place = places.binary_search(at).ok().filter(|_| ops.contains(at));
        if let Some(place) = place {
            context.waiting |= 1 << place;
            context.places[place] |= lanes;
        }
        place.is_none()
    });
}

/// Puts a frame where code was left, and lanes that wait back into it.
fn leave(stopped: Stopped, frame: &mut Frame, places: &[u32]) {
    frame.pc = stopped.pc;
    frame.em = stopped.em;
    if stopped.waiting == 0 && frame.waiting.is_empty() {
        frame.join = u32::MAX;
        return;
    }
    let waits = (0..MOST_PLACES).filter(|place| stopped.waiting >> place & 1 != 0);
    for place in waits {
        frame.wait(places[place], stopped.places[place]);
    }
    let join = frame.waiting.iter().map(|(at, _)| *at).min();
    frame.join = join.unwrap_or(u32::MAX);
}
