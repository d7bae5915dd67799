//! Addresses of lanes that follow each other: it is asked once, and known of what else is computed from the same values.
//!
//! ```text
//!  shl  V1 ← V0 2      by 4 from lane to lane, where V0 goes by 1
//!  add  V2 ← V1 a
//!  load V3 ← [V2]      asked here, of V0 if registers have it; the answer is kept in the context
//!  add  V4 ← V1 b
//!  load V5 ← [V4]      known from there
//! ```
//!
//! All of it is modulo the size of an element, as what lanes compute is; what lies between the first place and the last one
//! is inside of a window if these are and no more bytes are between them than their lanes have. It is only known of what
//! all lanes have, whichever run, and until the next op that a branch leads to.

use super::assembler::{Alu, Gpr, If, Label, Len, Mask, Place, Reg, Rm, Vector};
use super::call::{MOST_ANSWERS, MOST_LAST, field};
use super::emit::{BETWEEN, CONDITION, Emitter, length, predicate_of};
use super::region::{Item, Touched};
use super::select::{Bytes, Inst, Kind, Work};
use super::steps::Steps;
use crate::exec::compute::decoded::operand::{Operand, OperandShape, Put};
use crate::isa::{Condition, Opcode};
use crate::program::Lanes;

/// Elements that follow each other in the arena, one for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    pub at: u32,
    /// Bytes of each, 4 or 8.
    pub bytes: u32,
    pub lanes: u8,
}

impl Elements {
    /// As registers have them.
    pub fn rows(self) -> impl Iterator<Item = Bytes> + Clone {
        let all = self.bytes * u32::from(self.lanes);
        (0..all.div_ceil(64)).map(move |n| Bytes {
            at: self.at + 64 * n,
            len: all.min(64),
            kind: Kind::Row((all.min(64) / 4) as u8),
        })
    }

    /// The dwords of lanes from here on.
    pub const fn dwords(at: u32, lanes: Lanes) -> Elements {
        let (bytes, lanes) = (4, lanes.count);
        Elements { at, bytes, lanes }
    }

    /// Their qwords.
    pub const fn qwords(at: u32, lanes: Lanes) -> Elements {
        let (bytes, lanes) = (8, lanes.count);
        Elements { at, bytes, lanes }
    }

    /// Those of lanes from 16 times this on, sixteen of them.
    pub fn half(self, half: u8) -> Elements {
        Elements {
            at: self.at + 16 * self.bytes * u32::from(half),
            lanes: 16,
            ..self
        }
    }

    pub fn all(self) -> Bytes {
        Bytes {
            at: self.at,
            len: self.bytes * u32::from(self.lanes),
            kind: Kind::Other,
        }
    }
}

/// An op whose result is, in all lanes, a source times a power of two, and something that lanes have in common.
pub struct Derives {
    pub to: Elements,
    pub from: Elements,
    pub shift: u8,
    /// What is done with the source, and with what that lanes have in common, if that can be told again.
    pub by: Option<(Work, Vec<Operand>)>,
}

/// Values that come of others: of these times a power of two, and something that lanes have in common.
#[derive(Clone, Copy)]
struct Derived {
    of: Elements,
    /// By number.
    root: u32,
    shift: u8,
    /// What has been done with the root, by number; 0 is nothing.
    path: u32,
}

/// What is done with values on which something has been done.
struct Path {
    number: u32,
    before: u32,
    by: (Work, Vec<Operand>),
}

/// Two roots of 16 lanes as one of 32.
struct Pair {
    roots: [u32; 2],
    root: u32,
}

/// Where it is kept, while code runs, whether values follow each other: 0 if they do; else [`ALL`], of 32 lanes with those of
/// [`half`] for halves that do not, and [`SCATTERED`] if nothing else is known of them either.
pub struct Answer {
    slot: u32,
    /// What is asked, where it is asked.
    asked: Option<(Elements, u32)>,
}

impl Answer {
    /// What is asked, where it is asked.
    pub fn asked(&self) -> Option<Elements> {
        self.asked.map(|(of, _)| of)
    }
}

/// The bit of an answer that says that not all lanes follow each other.
const ALL: u32 = 1;

/// The bit that says that they are not all the same either, nor those of each half one or the other.
const SCATTERED: u32 = 8;

/// The bit of a half of 32 that does not.
const fn half(half: u8) -> u32 {
    2 << half
}

/// What was asked: whether values follow each other by so much.
struct Asked {
    root: u32,
    shift: u8,
    step: u32,
    /// Where the answer is.
    slot: u32,
}

/// What is known here.
#[derive(Default)]
pub struct Orders {
    derived: Vec<Derived>,
    asked: Vec<Asked>,
    roots: u32,
    pairs: Vec<Pair>,
    paths: Vec<Path>,
    /// How many there have been.
    ways: u32,
    /// Rows of lanes that a product of theirs is part of, as it is of places in a picture: what follows each other there goes on
    /// elsewhere in the next group.
    products: Vec<Bytes>,
}

/// Rows that have a product, at most, of which it is known.
const MOST_PRODUCTS: usize = 64;

impl Orders {
    /// Nothing any more, but for what changes no result.
    pub fn forget(&mut self) {
        self.derived.clear();
        self.asked.clear();
        self.pairs.clear();
        self.paths.clear();
    }

    /// What values come of: what is not known is a root.
    fn find(&mut self, of: Elements) -> Derived {
        if let Some(known) = self.known(of) {
            return known;
        }
        if let Some(joined) = self.joined(of) {
            return joined;
        }
        self.roots += 1;
        let root = Derived {
            of,
            root: self.roots,
            shift: 0,
            path: 0,
        };
        self.derived.push(root);
        root
    }

    fn known(&self, of: Elements) -> Option<Derived> {
        self.derived.iter().find(|known| known.of == of).copied()
    }

    /// What 32 values come of whose halves come of others in the same way.
    fn joined(&mut self, of: Elements) -> Option<Derived> {
        if of.lanes != 32 {
            return None;
        }
        let halves = [0, 1].map(|half| self.known(of.half(half)));
        let [Some(low), Some(high)] = halves else {
            return None;
        };
        if (low.shift, low.path) != (high.shift, high.path) {
            return None;
        }
        let roots = [low.root, high.root];
        let pair = self.pairs.iter().find(|pair| pair.roots == roots);
        let root = match pair {
            Some(pair) => pair.root,
            None => {
                self.roots += 1;
                let root = self.roots;
                self.pairs.push(Pair { roots, root });
                self.push_joined(roots, root);
                root
            }
        };
        Some(Derived { of, root, ..low })
    }

    /// Both roots are still where they were, one beside the other, or so moved: then they are one.
    fn push_joined(&mut self, roots: [u32; 2], root: u32) {
        let own = |root| move |known: &&Derived| known.root == root && known.shift == 0;
        let low = self.derived.iter().find(own(roots[0])).copied();
        let high = self.derived.iter().find(own(roots[1])).copied();
        let (Some(low), Some(high)) = (low, high) else {
            return;
        };
        let of = Elements {
            lanes: 32,
            ..low.of
        };
        if low.path == high.path && of.half(0) == low.of && of.half(1) == high.of {
            self.derived.push(Derived { of, root, ..low });
        }
    }

    /// What has been done, if this is done behind that.
    fn path(&mut self, before: u32, by: Option<(Work, Vec<Operand>)>) -> u32 {
        let known = |path: &&Path| path.before == before && Some(&path.by) == by.as_ref();
        if let Some(path) = self.paths.iter().find(known) {
            return path.number;
        }
        self.ways += 1;
        let number = self.ways;
        self.paths.extend(by.map(|by| Path { number, before, by }));
        number
    }

    /// An op has been emitted.
    ///
    /// * `derives`: how its result comes of a source in all lanes, if it does.
    pub fn written(&mut self, derives: Option<Derives>, written: &[Bytes]) {
        let new = derives.map(|op| {
            let from = self.find(op.from);
            Derived {
                of: op.to,
                shift: from.shift + op.shift,
                path: self.path(from.path, op.by),
                ..from
            }
        });
        self.paths.retain(|path| {
            let mut operands = path.by.1.iter();
            let single = |operand: &Operand| operand.form == OperandShape::Scalar;
            !operands.any(|operand| {
                let own = Bytes::one(operand.at());
                single(operand) && written.iter().any(|bytes| bytes.overlaps(own))
            })
        });
        let is_old = |known: &Derived| written.iter().any(|own| own.overlaps(known.of.all()));
        self.derived.retain(|known| !is_old(known));
        // Beyond the element nothing is left of the root.
        let new = new.filter(|new| u32::from(new.shift) < 8 * new.of.bytes);
        self.derived.extend(new);
    }

    /// An op has been emitted that computes with lanes.
    fn computed(&mut self, is_product: bool, [read, written]: &Touched) {
        let is_product = is_product || read.iter().any(|read| self.is_product(*read));
        let products = &mut self.products;
        products.retain(|old| !written.iter().any(|own| own.overlaps(*old)));
        let room = MOST_PRODUCTS.saturating_sub(products.len());
        products.extend(written.iter().filter(|_| is_product).take(room));
    }

    /// Whether these are such rows.
    fn is_product(&self, of: Bytes) -> bool {
        self.products.iter().any(|row| row.overlaps(of))
    }

    /// The answer to this question, if it was asked.
    fn answer(&self, of: Derived, step: u32) -> Option<u32> {
        let is_it = |asked: &&Asked| {
            let further = of.shift.checked_sub(asked.shift);
            let own = further.and_then(|by| asked.step.checked_shl(by.into()));
            asked.root == of.root && own == Some(step)
        };
        self.asked.iter().find(is_it).map(|asked| asked.slot)
    }
}

impl Inst {
    /// How the result comes of a source, where all lanes run.
    fn derives(&self) -> Option<Derives> {
        let Put::Dense(to) = self.dst else {
            return None;
        };
        let of = |at| Elements::dwords(at, self.lanes);
        let is_own = |k: &usize| {
            let operand = &self.src[*k];
            operand.form == OperandShape::Dense && operand.modifier.is_none()
        };
        let in_common = |k: usize| {
            let form = self.src[k].form;
            matches!(form, OperandShape::Value | OperandShape::Scalar)
        };
        let own = (0..self.src.len()).find(is_own)?;
        let others = (0..self.src.len()).filter(|k| *k != own);
        let plain = self.guard.is_none() && self.second.is_none() && !self.has_lists();
        if !plain || !is_asked(self.lanes.count) || !others.clone().all(in_common) {
            return None;
        }
        let shift = match (self.work, &self.src[..]) {
            (Work::Move, [_]) | (Work::Dword(Opcode::Add | Opcode::Add3), _) => 0,
            (Work::Dword(Opcode::Shl), [_, by])
                if own == 0 && by.form == OperandShape::Value && by.modifier.is_none() =>
            {
                (by.at() & 31) as u8
            }
            _ => return None,
        };
        Some(Derives {
            to: of(to),
            from: of(self.src[own].at()),
            shift,
            by: Some((self.work, others.map(|k| self.src[k]).collect())),
        })
    }
}

/// Factors and shifts up to which neighbours stay near each other: elements of structures.
const NEAR: (u32, u32) = (64, 6);

impl Inst {
    /// Whether its lanes become a product, with more than the size of a structure.
    fn is_product(&self) -> bool {
        let own = |k: usize| self.src[k].form == OperandShape::Dense;
        let number = |k: usize| {
            let operand = &self.src[k];
            (operand.form == OperandShape::Value).then(|| operand.at())
        };
        let of_lanes = self.lanes.count > 2 && (0..self.src.len().min(2)).any(own);
        let far = match self.work {
            Work::Dword(Opcode::Mul | Opcode::Mad) => {
                let mut factors = [number(0), number(1)].into_iter().flatten();
                factors.all(|factor| factor.cast_signed().unsigned_abs() > NEAR.0)
            }
            Work::Dword(Opcode::Shl) => number(1).is_some_and(|by| by & 31 > NEAR.1),
            _ => false,
        };
        of_lanes && far
    }
}

/// Whether so many lanes are asked.
pub const fn is_asked(lanes: u8) -> bool {
    matches!(lanes, 8 | 16 | 32)
}

impl Emitter {
    /// An op has been emitted: what it wrote comes of something else now.
    pub fn derive(&mut self, item: &Item, touched: &Touched) {
        let written = &touched[1];
        let steps = match item {
            Item::Inst(inst) => self.steps.of_inst(inst).into_iter().collect(),
            Item::Qwords(op) => self.steps.of_qwords(op).into_iter().collect(),
            Item::Transfer(message) => Steps::of_message(message),
            _ => Vec::new(),
        };
        self.steps.written(steps, written);
        let (lanes, derives, is_product) = match item {
            Item::Inst(inst) => (inst.lanes, inst.derives(), inst.is_product()),
            Item::Qwords(op) => (op.lanes, op.derives(), false),
            _ => return self.orders.written(None, written),
        };
        self.orders.computed(is_product, touched);
        let for_all = match item {
            Item::Inst(inst) => self.is_for_all(inst),
            Item::Qwords(op) => self.are_for_all(op),
            _ => false,
        };
        let derives = derives.filter(|_| lanes.no_mask || self.all_enabled || for_all);
        self.orders.written(derives, written);
    }

    /// Tells the host which bytes behind `rcx` and `rdx` threads of the next groups come to: those behind these, as measured
    /// with vectors of a megabyte; of rows of pictures those of the next group but one, if it is as far from the next one as these
    /// are from those that this message moved before.
    ///
    /// * `addresses`: rows of the addresses.
    /// * `bytes`: so many are moved.
    pub fn look_ahead(&mut self, addresses: impl Iterator<Item = Bytes>, bytes: u32, write: bool) {
        /// Bytes that the host reads at once; and how far ahead it is told of them.
        const LINE: u32 = 64;
        const AHEAD: u32 = 2048;
        let mut addresses = addresses.peekable();
        let first = addresses.peek().map_or(0, |row| row.at);
        let is_product = addresses.any(|row| self.orders.is_product(row));
        let (ahead, place) = match is_product.then(|| self.last_of(first)).flatten() {
            Some(last) => {
                self.code.move_wide(Gpr::Rax, Gpr::Rdx);
                self.code.subtract_wide_at(Gpr::Rax, last);
                self.code.store_wide_at(last, Gpr::Rdx);
                self.code.add_twice(Gpr::Rax, Gpr::Rdx);
                (0, Gpr::Rax)
            }
            None => (AHEAD, Gpr::Rdx),
        };
        for at in (0..bytes).step_by(LINE as usize) {
            self.code.prefetch_window(place, ahead + at, write);
        }
    }

    /// Where it is kept where messages with these addresses were last, if there is room for it.
    fn last_of(&mut self, addresses: u32) -> Option<Place> {
        let known = self.lasts.iter().position(|at| *at == addresses);
        let number = known.unwrap_or(self.lasts.len());
        if number == MOST_LAST {
            return None;
        }
        if known.is_none() {
            self.lasts.push(addresses);
        }
        Some(Place::Context(field::LAST + 8 * number as u32))
    }

    /// Goes to a label unless each element is this much more than the one before; `None`, and there is no code, where that
    /// cannot be or is not asked.
    pub fn unless_in_order(&mut self, of: Elements, step: u32, apart: Label) -> Option<Answer> {
        let known = self.orders.find(of);
        if let Some(slot) = self.orders.answer(known, step) {
            self.code.test_place(answer_at(slot), u32::MAX);
            self.code.jump_if(If::NotZero, apart);
            return Some(Answer { slot, asked: None });
        }
        let slot = self.orders.asked.len() as u32;
        if slot >= MOST_ANSWERS as u32 {
            return None;
        }
        let mut roots = self.orders.derived.iter();
        let root = roots.find(|root| root.root == known.root && root.shift == 0);
        let by_root = root.map(|root| root.of).filter(|root| {
            let is_whole = step.trailing_zeros() >= u32::from(known.shift);
            is_whole && root.rows().all(|row| self.holder(row).is_some())
        });
        let (of, step, shift) = match by_root {
            Some(root) => (root, step >> known.shift, 0),
            None => (of, step, known.shift),
        };
        self.orders.asked.push(Asked {
            root: known.root,
            shift,
            step,
            slot,
        });
        let no = ALL | half(0) | half(1);
        self.code.store_number(answer_at(slot), no);
        self.ask_order(of, step, apart);
        self.code.store_number(answer_at(slot), 0);
        Some(Answer {
            slot,
            asked: Some((of, step)),
        })
    }

    /// Goes to a label unless the elements of a half follow each other, of 32 of which it was asked, and was not so, or one is
    /// outside: where that was asked first, this is now.
    pub fn unless_half_in_order(&mut self, answer: &Answer, number: u8, apart: Label) {
        let place = answer_at(answer.slot);
        match answer.asked {
            Some((of, step)) => {
                self.ask_order(of.half(number), step, apart);
                self.code.clear_bits(place, half(number));
            }
            None => {
                self.code.test_place(place, half(number));
                self.code.jump_if(If::NotZero, apart);
            }
        }
    }

    /// Goes to a label if a message before was scattered.
    pub fn if_scattered(&mut self, answer: &Answer, scattered: Label) {
        if answer.asked.is_none() {
            self.code.test_place(answer_at(answer.slot), SCATTERED);
            self.code.jump_if(If::NotZero, scattered);
        }
    }

    /// Notes that this one is, where it is the first one.
    pub fn note_scattered(&mut self, answer: &Answer) {
        if answer.asked.is_some() {
            self.code.set_bits(answer_at(answer.slot), SCATTERED);
        }
    }

    fn ask_order(&mut self, of: Elements, step: u32, apart: Label) {
        let [row, first, _] = BETWEEN;
        let len = self.spread_first(of, first);
        let (subtract, compare) = match of.bytes {
            8 => (Vector::PSUBQ, Vector::PCMPQ),
            _ => (Vector::PSUBD, Vector::PCMPD),
        };
        let rows: Vec<Bytes> = of.rows().collect();
        let lanes = 64 / of.bytes;
        for (pair, rows) in (0..).zip(rows.chunks(CONDITION.len())) {
            for (n, (bytes, to)) in (2 * pair..).zip(rows.iter().zip(CONDITION)) {
                let held = self.row_in_register(*bytes, len);
                let steps = Rm::List(steps(n * lanes, step, of.bytes));
                self.code.vector(subtract, len, row, held, steps);
                let to = (to, 0, false);
                self.code.masked(
                    compare,
                    len,
                    to,
                    row,
                    Rm::Reg(first),
                    Some(predicate_of(Condition::Ne)),
                );
            }
            let [a, b] = CONDITION;
            self.code.test_masks(a, if rows.len() > 1 { b } else { a });
            self.code.jump_if(If::NotZero, apart);
        }
    }

    /// The first element, in all lanes of a register of this length.
    fn spread_first(&mut self, of: Elements, to: Reg) -> Len {
        let (len, spread, from_memory) = match of.bytes {
            8 => (Len::Z, Vector::SPREAD_QWORD, Vector::BROADCAST_QWORD),
            _ => (length(of.lanes), Vector::SPREAD, Vector::BROADCAST),
        };
        let held = of.rows().next().and_then(|row| self.holder(row));
        match held {
            Some(held) => self.code.vector(spread, len, to, 0, Rm::Reg(held)),
            None => {
                let from = Rm::Each(of.at);
                self.code.vector(from_memory, len, to, 0, from);
            }
        }
        len
    }

    /// Goes to a label unless the elements of all lanes that run are the same as the first one.
    pub fn unless_one(&mut self, of: Elements, masks: [Option<Mask>; 2], apart: Label) {
        let first = BETWEEN[1];
        let len = self.spread_first(of, first);
        let compare = match of.bytes {
            8 => Vector::PCMPQ,
            _ => Vector::PCMPD,
        };
        let rows: Vec<Bytes> = of.rows().collect();
        for rows in rows.chunks(CONDITION.len()) {
            for ((bytes, to), mask) in rows.iter().zip(CONDITION).zip(masks) {
                let row = match self.holder(*bytes) {
                    Some(held) => Rm::Reg(held),
                    None => Rm::Row(bytes.at),
                };
                let to = (to, mask.unwrap_or(0), false);
                let differs = Some(predicate_of(Condition::Ne));
                self.code.masked(compare, len, to, first, row, differs);
            }
            let [a, b] = CONDITION;
            self.code.test_masks(a, if rows.len() > 1 { b } else { a });
            self.code.jump_if(If::NotZero, apart);
        }
    }

    /// The first element, in a general register.
    pub fn first_element(&mut self, of: Elements, to: Gpr) {
        if let Some((reg, affine)) = self.affine_elements(of) {
            let (from, first) = (Rm::Reg(to as u8), affine.first as u32);
            match of.bytes {
                8 => {
                    self.code.vector(Vector::TO_GPR_WIDE, Len::X, reg, 0, from);
                    if first != 0 {
                        self.code.add_wide(to, first);
                    }
                }
                _ => {
                    self.code.vector(Vector::TO_GPR, Len::X, reg, 0, from);
                    if first != 0 {
                        self.code.alu_number(Alu::Add, to, first);
                    }
                }
            }
            return;
        }
        let rows = of.rows().next();
        let held = rows.and_then(|row| self.holder(row));
        match (held, of.bytes) {
            (Some(held), 8) => {
                let to = Rm::Reg(to as u8);
                self.code.vector(Vector::TO_GPR_WIDE, Len::X, held, 0, to);
            }
            (Some(held), _) => {
                let to = Rm::Reg(to as u8);
                self.code.vector(Vector::TO_GPR, Len::X, held, 0, to);
            }
            (None, 8) => self.code.load_wide_at(to, Place::Arena(of.at)),
            (None, _) => self.code.load(to, Place::Arena(of.at)),
        }
    }

    /// Adds a dword that all lanes have; `rax` is changed.
    pub fn add_single(&mut self, to: Gpr, at: u32) {
        match self.holder(Bytes::one(at)) {
            Some(_) => {
                self.single_dword(Gpr::Rax, at);
                self.code.alu(Alu::Add, to, Gpr::Rax);
            }
            None => self.code.alu_place(Alu::Add, to, Place::Arena(at)),
        }
    }
}

/// Where an answer is kept: 0 if it is yes.
fn answer_at(slot: u32) -> Place {
    Place::Context(field::ANSWERS + 4 * slot)
}

/// How much more the elements of a row are than the first one of all.
fn steps(first: u32, step: u32, bytes: u32) -> [u32; 16] {
    std::array::from_fn(|n| {
        let n = n as u32;
        match (bytes, n % 2) {
            (8, 0) => (first + n / 2) * step,
            (8, _) => 0,
            _ => (first + n) * step,
        }
    })
}
