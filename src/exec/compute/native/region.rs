//! Regions: ops that follow each other and are all code, branches among them.
//!
//! ```text
//!  12  mul          ┐
//!  13  cmp          │  entered at 12, at 17 and wherever a branch leads: its places
//!  14  (P) goto 17  │
//!  15  add          │
//!  16  goto 12      │
//!  17  mov          ┘
//!  18  sample          left with pc 18
//! ```
//!
//! Their code is made in [`flow`](super::flow).

use super::super::decoded::operand::Put;
use super::Rounds;
use super::call::MOST_PLACES;
use super::emit::{FIRST_HELD, REGISTERS};
use super::joins::{self, Joined};
use super::qwords::Qwords;
use super::select::{Bytes, Inst, Kind, Work, select};
use super::transfer::{Block, Change, Message, Rectangle, Sample, Target, TexelWrite, Transfer};
use super::turns::{self, Turn};
use crate::exec::state::float_mode::Rounding;
use crate::exec::state::thread::lanes_of;
use crate::isa::{Opcode, Type};
use crate::program::{Barrier, Guard, Lanes, Op, Program};
use std::collections::BTreeMap;

/// An op of a region.
pub enum Item {
    /// One that computes.
    Inst(Inst),
    /// One that computes qwords.
    Qwords(Qwords),
    /// A message of lanes.
    Transfer(Transfer),
    /// A message of one piece.
    Block(Block),
    /// A sampler message.
    Sample(Sample),
    /// A typed write.
    Texels(TexelWrite),
    /// A media block.
    Rectangle(Rectangle),
    /// The float mode is read again.
    Turn(Turn),
    /// A branch.
    Goto {
        lanes: Lanes,
        guard: Option<Guard>,
        target: u32,
    },
}

/// Ops from `start` to `end`, all of them code.
pub struct Region {
    pub start: u32,
    pub end: u32,
    pub items: Vec<Item>,
    /// What each of them touches.
    pub touched: Vec<Touched>,
    /// The lanes of each op and the predicate that masks them, as they are counted.
    pub lanes: Vec<Option<(Lanes, Option<Guard>)>>,
    /// Where lanes may wait and where it may be entered, in ascending order: ops of the region, and those outside that a
    /// branch may lead to.
    pub places: Vec<u32>,
    /// For each op, and for the end, the bits of the float mode that are other in front of it than where code is entered.
    pub turned: Vec<u32>,
    /// Messages that are one, by their first op.
    pub joined: Vec<Joined>,
}

/// All bytes of rows and single elements that an op reads, then all that it writes.
pub type Touched = [Vec<Bytes>; 2];

/// Predicates at most that have a register.
const FLAGS: usize = 4;

/// Instructions that the way in and out is worth.
const WAY_IN: usize = 3;

/// Registers at least that are left to what is held for a while.
const LEAST_FREE: u8 = 8;

impl Item {
    /// What it touches.
    pub fn touched(&self) -> Touched {
        let [mut read, written] = self.moved();
        // Names are looked at where they are in the arena.
        read.extend(self.names().into_iter().flatten().map(|at| Bytes {
            kind: Kind::Other,
            ..Bytes::one(at)
        }));
        [read, written]
    }

    /// The dwords that name what it reaches.
    fn names(&self) -> [Option<u32>; 2] {
        let target = match self {
            Item::Transfer(message) => message.target,
            Item::Block(block) => block.target,
            Item::Sample(sample) => return [Some(sample.surface), sample.sampler],
            Item::Texels(write) => return [Some(write.surface), None],
            Item::Rectangle(block) => return [Some(block.surface), None],
            Item::Inst(_) | Item::Qwords(_) | Item::Turn(_) | Item::Goto { .. } => {
                return [None; 2];
            }
        };
        match target {
            Target::Shared { variable, .. }
            | Target::Scratch { variable, .. }
            | Target::Surface { variable, .. } => [variable, None],
            Target::Flat => [None; 2],
        }
    }

    /// The same without names.
    pub fn moved(&self) -> Touched {
        match self {
            Item::Inst(inst) => inst.touched(),
            Item::Qwords(op) => {
                let read = op.read().chain(op.addresses());
                [read.collect(), op.written().collect()]
            }
            Item::Transfer(message) => {
                let halves = 0..message.halves();
                let addresses = halves.flat_map(|half| message.address_rows(half));
                let read = addresses.chain(message.read_rows()).chain(message.base());
                [read.collect(), message.written_rows().collect()]
            }
            Item::Block(block) => {
                let rows = block.rows().map(|(_, bytes)| bytes);
                let mut read = vec![block.address()];
                match block.write {
                    true => read.extend(rows),
                    false => return [read, rows.collect()],
                }
                [read, Vec::new()]
            }
            Item::Sample(sample) => [sample.read().collect(), sample.written().collect()],
            Item::Texels(write) => [write.read().collect(), Vec::new()],
            Item::Rectangle(block) => {
                let mut read: Vec<Bytes> = block.read().collect();
                match block.write {
                    true => read.push(block.data()),
                    false => return [read, vec![block.data()]],
                }
                [read, Vec::new()]
            }
            Item::Turn(turn) => {
                let control = Bytes {
                    kind: Kind::Other,
                    ..Bytes::one(turn.at)
                };
                [vec![control], Vec::new()]
            }
            Item::Goto { .. } => [Vec::new(), Vec::new()],
        }
    }

    /// The predicate that it asks, unless it chooses by it.
    const fn guard(&self) -> Option<Guard> {
        match self {
            Item::Inst(inst) => inst.guard,
            Item::Qwords(op) => op.guard,
            Item::Transfer(message) => message.guard,
            Item::Sample(sample) => sample.guard,
            Item::Texels(write) => write.guard,
            Item::Block(_) | Item::Rectangle(_) | Item::Turn(_) => None,
            Item::Goto { guard, .. } => *guard,
        }
    }

    /// Its lanes, if it does anything with them but branch.
    const fn lanes(&self) -> Option<Lanes> {
        match self {
            Item::Inst(inst) => Some(inst.lanes),
            Item::Qwords(op) => Some(op.lanes),
            Item::Transfer(message) => Some(message.lanes),
            Item::Sample(sample) => Some(sample.lanes),
            Item::Texels(write) => Some(write.lanes),
            Item::Block(_) | Item::Rectangle(_) | Item::Turn(_) | Item::Goto { .. } => None,
        }
    }

    /// Whether its code follows the rounding of the host: it rounds once, as the op does, or not at all.
    fn follows(&self, rounding: Rounding) -> bool {
        if rounding == Rounding::Nearest {
            return true;
        }
        match self {
            Item::Inst(inst) => inst.follows_rounding(),
            Item::Qwords(op) => op.follows(rounding),
            Item::Transfer(message) => message.update.is_none_or(Change::is_exact),
            Item::Sample(_) | Item::Texels(_) => false,
            Item::Block(_) | Item::Rectangle(_) | Item::Turn(_) | Item::Goto { .. } => true,
        }
    }

    /// Whether it leads to the next op alone.
    pub fn is_straight(&self) -> bool {
        !matches!(self, Item::Goto { .. })
    }

    /// How much it is worth to have it as code.
    fn worth(&self) -> usize {
        match self {
            Item::Inst(inst) => usize::from(inst.work != Work::Nothing),
            Item::Qwords(_) | Item::Transfer(_) | Item::Block(_) => 1,
            Item::Sample(_) | Item::Texels(_) => 1,
            // As much as a few instructions, which the steps do sooner.
            Item::Rectangle(_) => WAY_IN,
            Item::Turn(_) | Item::Goto { .. } => 0,
        }
    }
}

/// The regions of a program.
///
/// * `entered`: the ops that a jump may lead to.
/// * `splits`: whether one may begin at an op.
/// * `message`: what a message does, if it can be code.
/// * `rounds`: what becomes of results that are no singles.
pub fn regions(
    program: &Program,
    entered: &[bool],
    splits: impl Fn(u32) -> bool,
    message: impl Fn(u32, &Op) -> Option<Message>,
    rounds: Rounds,
) -> Vec<Region> {
    let mut found = Vec::new();
    let ops = (0..).zip(&program.ops);
    let items = ops.map(|(pc, op)| item(program, op, |op| message(pc, op)));
    let mut items: Vec<Option<Item>> = items.collect();
    let turned = turns::turn(program, &mut items, entered, rounds);
    for (item, bits) in items.iter_mut().zip(&turned) {
        let rounding = rounds.rounding().turned(*bits);
        item.take_if(|item| !item.follows(rounding));
    }
    let count = items.len() as u32;
    let mut start = 0;
    while start < count {
        let is_code = items[start as usize].is_some() && turned[start as usize] == 0;
        if !is_code || !splits(start) {
            start += 1;
            continue;
        }
        let mut end = start;
        while end < count && items[end as usize].is_some() {
            end += 1;
        }
        let mut places = places(&items[..], start, end, entered);
        // As many ops as have no more places than there is room for.
        while places.len() > MOST_PLACES && end > start + 1 {
            end = start + (end - start) / 2;
            places = self::places(&items[..], start, end, entered);
        }
        let own = items[start as usize..end as usize].iter_mut();
        let items: Vec<Item> = own.filter_map(Option::take).collect();
        let region = Region {
            start,
            end,
            touched: items.iter().map(Item::touched).collect(),
            items,
            lanes: program.ops[start as usize..end as usize]
                .iter()
                .map(lanes_of)
                .collect(),
            places,
            turned: turned[start as usize..=end as usize].to_vec(),
            joined: Vec::new(),
        };
        let region = Region {
            joined: joins::joined(&region),
            ..region
        };
        // Threads that stand at a barrier together go on behind it without a way out and in.
        let is_barrier = |op: &Op| matches!(op, Op::Barrier(Barrier::Whole));
        let before = start.checked_sub(1).map(|before| before as usize);
        let beside = [before, Some(end as usize)].into_iter().flatten();
        let mut beside = beside.filter_map(|at| program.ops.get(at));
        let pays = region.pays() || beside.any(is_barrier);
        if pays && region.places.len() <= MOST_PLACES {
            found.push(region);
        }
        start = end;
    }
    found
}

fn item(program: &Program, op: &Op, message: impl Fn(&Op) -> Option<Message>) -> Option<Item> {
    match op {
        Op::Goto {
            lanes,
            guard,
            target,
        } => Some(Item::Goto {
            lanes: *lanes,
            guard: *guard,
            target: *target,
        }),
        Op::Jump {
            lanes,
            guard,
            target,
        } => Some(Item::Goto {
            // All lanes go, or none.
            lanes: Lanes { count: 1, ..*lanes },
            guard: *guard,
            target: *target,
        }),
        Op::Send(_) => message(op).map(|message| match message {
            Message::Idle => Item::Inst(Inst::nothing()),
            Message::Lanes(transfer) => Item::Transfer(transfer),
            Message::Block(block) => Item::Block(block),
            Message::Sample(sample) => Item::Sample(sample),
            Message::Texels(write) => Item::Texels(write),
            Message::Rectangle(block) => Item::Rectangle(block),
        }),
        Op::Alu(alu) if alu.dst.ty.bytes() == 8 => Qwords::of(program, alu).map(Item::Qwords),
        Op::Alu(alu) if alu.opcode == Opcode::Mov && alu.src[0].ty == Type::Df => {
            Qwords::narrowed(program, alu).map(Item::Qwords)
        }
        Op::Compare {
            relation,
            lanes,
            dst,
            src,
        } if src.iter().any(|s| s.ty.bytes() == 8) => {
            Qwords::compare(program, *relation, *lanes, dst, src).map(Item::Qwords)
        }
        op => select(program, op).map(Item::Inst),
    }
}

/// The places of a region.
fn places(items: &[Option<Item>], start: u32, end: u32, entered: &[bool]) -> Vec<u32> {
    let mut places: Vec<u32> = (start..end).filter(|&pc| entered[pc as usize]).collect();
    places.push(start);
    for pc in start..end {
        if let Some(Item::Goto { lanes, target, .. }) = &items[pc as usize] {
            places.push(*target);
            if *target <= pc && lanes.count > 1 {
                // The lanes that do not go back wait behind it.
                places.push(pc + 1);
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

impl Region {
    /// Whether it is worth the way in and out.
    fn pays(&self) -> bool {
        self.items.iter().map(Item::worth).sum::<usize>() >= WAY_IN
    }

    /// Instructions that follow each other from an op on, none of which is a place but the first: a few of them, and what
    /// they touch.
    pub fn straight(&self, pc: u32) -> impl Iterator<Item = (&Inst, &Touched)> {
        const FEW: usize = 32;
        let items = self.items.iter().zip(&self.touched);
        let items = items.skip((pc - self.start) as usize).take(FEW);
        (pc..).zip(items).map_while(move |(at, (item, touched))| {
            let follows = at == pc || self.places.binary_search(&at).is_err();
            match item {
                Item::Inst(inst) if follows => Some((inst, touched)),
                _ => None,
            }
        })
    }

    /// Whether the next branch from an op on leads ahead, for lanes that have this predicate: out of a loop, mostly, which
    /// is left once.
    pub fn branches_ahead(&self, pc: u32, predicate: u32) -> bool {
        let mut items = self.items.iter().skip((pc - self.start) as usize);
        let next = items.find_map(|item| match item {
            Item::Goto { guard, target, .. } => Some((*guard, *target)),
            _ => None,
        });
        let Some((Some(guard), target)) = next else {
            return false;
        };
        guard.offset == predicate && !guard.inverted && target > pc
    }

    /// Whether rounding is another one in front of an op, or at the end, than where code is entered.
    pub fn is_turned(&self, pc: u32) -> bool {
        let bits = self.turned.get((pc.wrapping_sub(self.start)) as usize);
        bits.is_some_and(|bits| *bits != 0)
    }

    /// Whether it is so anywhere.
    pub fn turns(&self) -> bool {
        self.turned.iter().any(|bits| *bits != 0)
    }

    /// Its messages, by op.
    pub fn messages(&self) -> impl Iterator<Item = (u32, Message)> {
        let items = (self.start..).zip(&self.items);
        items.filter_map(|(pc, item)| match item {
            Item::Transfer(message) => Some((pc, Message::Lanes(*message))),
            Item::Block(block) => Some((pc, Message::Block(*block))),
            Item::Sample(sample) => Some((pc, Message::Sample(*sample))),
            Item::Texels(write) => Some((pc, Message::Texels(*write))),
            Item::Rectangle(block) => Some((pc, Message::Rectangle(*block))),
            _ => None,
        })
    }

    /// The lanes that its instructions have.
    pub fn all_lanes(&self) -> u32 {
        let masked = |item: &Item| match item {
            Item::Goto { lanes, .. } => (lanes.count > 1).then_some(*lanes),
            item => item.lanes().filter(|own| !own.no_mask),
        };
        let lanes = self.items.iter().filter_map(masked);
        lanes.fold(0, |all, own| all | own.all() << own.offset)
    }

    /// Whether it has a loop.
    fn has_loop(&self) -> bool {
        let items = (self.start..).zip(&self.items);
        let mut back = items.filter_map(|(pc, item)| match item {
            Item::Goto { target, .. } => Some((*target, pc)),
            _ => None,
        });
        back.any(|(target, pc)| (self.start..=pc).contains(&target))
    }

    /// The bytes that are worth a register wherever the region is: touched in one way alone, in its loops.
    pub fn pinned(&self) -> Vec<Bytes> {
        if !self.has_loop() {
            return Vec::new();
        }
        let mut weights = vec![0u32; self.items.len()];
        for (at, item) in self.items.iter().enumerate() {
            let Item::Goto { target, .. } = item else {
                continue;
            };
            let Some(target) = target.checked_sub(self.start).map(|t| t as usize) else {
                continue;
            };
            if target <= at {
                weights[target..=at].iter_mut().for_each(|w| *w += 1);
            }
        }
        let mut uses: BTreeMap<Bytes, u32> = BTreeMap::new();
        let mut others: Vec<Bytes> = Vec::new();
        let mut touch = |bytes: Bytes, weight: u32| match bytes.kind {
            Kind::Row(4..) | Kind::Each => *uses.entry(bytes).or_default() += 16 * weight + 1,
            _ => others.push(bytes),
        };
        for (touched, &weight) in self.touched.iter().zip(&weights) {
            for &bytes in touched.iter().flatten() {
                touch(bytes, weight);
            }
        }
        let alone = |bytes: &Bytes| {
            let kinds = uses.keys().filter(|other| *other != bytes);
            !kinds.chain(&others).any(|other| other.overlaps(*bytes))
        };
        let mut pinned: Vec<(u32, Bytes)> = uses
            .iter()
            .filter(|(bytes, uses)| **uses >= 16 && alone(bytes))
            .map(|(bytes, uses)| (*uses, *bytes))
            .collect();
        pinned.sort_unstable_by_key(|(uses, bytes)| (std::cmp::Reverse(*uses), bytes.at));
        pinned.truncate(usize::from(REGISTERS - FIRST_HELD - LEAST_FREE));
        pinned.into_iter().map(|(_, bytes)| bytes).collect()
    }

    /// The predicates that are worth a register wherever the region is.
    pub fn flags(&self) -> Vec<u32> {
        if !self.has_loop() {
            return Vec::new();
        }
        let mut uses: BTreeMap<u32, u32> = BTreeMap::new();
        let mut others: Vec<Bytes> = Vec::new();
        for (item, [read, written]) in self.items.iter().zip(&self.touched) {
            if let Some(guard) = item.guard() {
                *uses.entry(guard.offset).or_default() += 1;
            }
            if let Item::Inst(inst) = item
                && let Work::Predicates(_, src) = inst.work
            {
                src.iter().for_each(|at| *uses.entry(*at).or_default() += 1);
            }
            match item {
                Item::Inst(inst) if matches!(inst.dst, Put::Flags(_)) => {
                    let Put::Flags(at) = inst.dst else { continue };
                    if inst.work != Work::Nothing {
                        *uses.entry(at).or_default() += 1;
                    }
                }
                _ => others.extend(written),
            }
            others.extend(read);
        }
        let flag = |at: u32| Bytes {
            at,
            len: 4,
            kind: Kind::Other,
        };
        let alone = |at: &u32| {
            let flags = uses.keys().filter(|other| *other != at);
            let others = others.iter().copied().chain(flags.map(|at| flag(*at)));
            !others.into_iter().any(|other| other.overlaps(flag(*at)))
        };
        let mut flags: Vec<(u32, u32)> = uses.iter().map(|(at, uses)| (*uses, *at)).collect();
        flags.retain(|(_, at)| alone(at));
        flags.sort_unstable_by_key(|(uses, at)| (std::cmp::Reverse(*uses), *at));
        flags.truncate(FLAGS);
        flags.into_iter().map(|(_, at)| at).collect()
    }

    /// Whether an instruction has lanes from 16 on.
    pub fn is_wide(&self) -> bool {
        let mut lanes = self.items.iter().filter_map(Item::lanes);
        lanes.any(|lanes| lanes.offset + lanes.count > 16)
    }
}
