//! Code for messages: their addresses are compared with the length of a window, and then used.
//!
//! ```text
//!  rcx ─▶ window ─▶ its length      zmm0, zmm1   offsets of lanes 0 to 15 and 16 to 31
//!                └▶ rcx: its bytes on the host
//!  lanes  follow each other      one load or store
//!         all at the same place  one load for all
//!         evenly apart           whole registers (`quads`, `vectors`, `spaced`)
//!         anything else          a gather or scatter
//! ```
//!
//! The window is the one that the thread has kept of the surface, or of the message, else the one that the hint says. What lies
//! outside of it, or has another surface, is left to the steps, in front of the message, before anything has changed.

use super::assembler::{Alu, Assembler, Gpr, If, Label, Len, Mask, Place, Reg, Rm, Vector};
use super::call::{MOST_FLAT, MOST_SURFACES, field};
use super::emit::{BETWEEN, CONDITION, Emitter, MAKING, SOURCE, UNORDERED, length};
use super::select::{Bytes, Kind};
use super::transfer::{Amount, Becomes, Block, Change, Target, Transfer};
use crate::exec::state::windows::{NO_SURFACE, SHARED_BITS};

/// Where the least and greatest offset that is inside is kept.
const LIMIT: Reg = SOURCE[2];

/// Where the frame of what is done lane after lane holds what: three registers; the lanes that are left, and the one at
/// hand.
pub const OFFSETS: u32 = 0;
pub const AMOUNTS: u32 = 64;
const COMPARED: u32 = 128;
const LEFT: u32 = 192;
const LANE: u32 = 196;

/// Predicates of comparison.
const LESS: u8 = 1;
const UNEQUAL: u8 = 4;
const GREATER: u8 = 6;

impl Transfer {
    /// Rows of 16 lanes.
    pub const fn halves(&self) -> u8 {
        self.lanes.count.div_ceil(16)
    }

    /// Lanes of a register.
    pub fn row(&self) -> u8 {
        self.lanes.count.min(16)
    }

    /// The data of the lanes of a half, register by register.
    pub fn rows_of_half(&self, half: u8) -> Vec<Bytes> {
        match self.bytes {
            8 => self.eights(half).map(|(.., bytes)| bytes).collect(),
            _ => (0..self.rows).map(|e| self.row_of(e, half)).collect(),
        }
    }

    /// The data of element `element` of the lanes of a half.
    pub fn row_of(&self, element: u32, half: u8) -> Bytes {
        self.row_at(self.data + element * self.pitch, half)
    }

    fn row_at(&self, at: u32, half: u8) -> Bytes {
        let at = at.wrapping_add(self.upper.wrapping_mul(half.into()));
        let row = Bytes::row_of(self.lanes, at, 0);
        match self.is_narrow() {
            // No register has them without their neighbours.
            true => Bytes {
                kind: Kind::Other,
                ..row
            },
            false => row,
        }
    }

    /// Whether it has no more than two lanes: these are always told apart from others of a register.
    fn is_narrow(&self) -> bool {
        self.row() <= 2
    }

    /// A bit for each lane of a half.
    fn all(&self) -> u32 {
        u32::MAX >> (32 - self.row())
    }

    /// The data that it reads.
    pub fn read_rows(&self) -> impl Iterator<Item = Bytes> {
        let amounts = self.update.and_then(|update| match update.amount {
            Amount::One(_) => None,
            Amount::Row(at) | Amount::Less(at) => Some(at),
        });
        let compared = self.update.and_then(Change::compared);
        let halves = 0..self.halves();
        let amounts = halves.flat_map(move |half| {
            let values = [amounts, compared].into_iter().flatten();
            values.map(move |at| self.row_at(at, half))
        });
        let rows = self.write.then(|| self.rows());
        rows.into_iter().flatten().chain(amounts)
    }

    /// The data that it writes.
    pub fn written_rows(&self) -> impl Iterator<Item = Bytes> {
        let returns = self.update.is_none_or(|update| update.returns);
        let rows = (!self.write && returns).then(|| self.rows());
        rows.into_iter().flatten()
    }

    /// All data.
    fn rows(&self) -> impl Iterator<Item = Bytes> {
        let (halves, wide) = (0..self.halves(), self.bytes == 8);
        let eights = halves.clone().filter(move |_| wide);
        let eights = eights.flat_map(|half| self.eights(half).map(|(.., bytes)| bytes));
        let rows = (0..self.rows).filter(move |_| !wide);
        let rows = rows.flat_map(move |e| halves.clone().map(move |half| self.row_of(e, half)));
        rows.chain(eights)
    }

    /// What is added to each address.
    pub fn base(&self) -> Option<Bytes> {
        self.based.map(|at| match self.target {
            Target::Flat => Bytes {
                at,
                len: 8,
                kind: Kind::Other,
            },
            _ => Bytes::one(at),
        })
    }

    /// The addresses of a half, register by register.
    pub fn address_rows(&self, half: u8) -> impl Iterator<Item = Bytes> {
        let lanes = u32::from(self.row());
        let width = self.width();
        let count = (width * lanes).div_ceil(64);
        let first = self.addresses + width * 16 * u32::from(half);
        (0..count).map(move |n| Bytes {
            at: first + 64 * n,
            len: 64.min(width * lanes),
            kind: Kind::Row(lanes.max(2 * width) as u8),
        })
    }
}

impl Emitter {
    /// Code that is called by itself: makes the shared memory of the thread that it is called with zero, up to a whole
    /// dword.
    pub fn clear_shared(&mut self) -> Label {
        let code = &mut self.code;
        let (entry, piece, rest) = (code.label(), code.label(), code.label());
        let [zero, count, _] = SOURCE;
        code.bind(entry);
        code.open_file();
        code.move_wide(Gpr::Rcx, Gpr::Rdi);
        code.add_wide(Gpr::Rcx, field::SHARED);
        code.load(Gpr::Rax, Place::Table(field::WINDOW_BYTES));
        code.load_wide_at(Gpr::Rcx, Place::Table(field::WINDOW_HOST));
        code.move_number(Gpr::Rdx, 0);
        code.vector(Vector::PXORD, Len::Z, zero, zero, Rm::Reg(zero));
        code.bind(piece);
        code.alu_number(Alu::Cmp, Gpr::Rax, 64);
        code.jump_if(If::Below, rest);
        code.vector(Vector::STORE, Len::Z, zero, 0, Rm::Window(0));
        code.alu_number(Alu::Sub, Gpr::Rax, 64);
        code.alu_number(Alu::Add, Gpr::Rdx, 64);
        code.jump(piece);
        code.bind(rest);
        code.alu_number(Alu::Add, Gpr::Rax, 3);
        code.shift_right(Gpr::Rax, 2);
        code.vector(Vector::FROM_GPR, Len::Z, count, 0, Rm::Reg(Gpr::Rax as u8));
        let left = (CONDITION[0], 0, false);
        code.masked(
            Vector::PCMPUD,
            Len::Z,
            left,
            count,
            Rm::Steps(1),
            Some(GREATER),
        );
        let part = (zero, CONDITION[0], false);
        code.masked(Vector::STORE, Len::Z, part, 0, Rm::Window(0), None);
        code.close_file();
        code.end();
        entry
    }

    /// Code for a message, the op of this number.
    pub fn transfer(&mut self, message: &Transfer, op: u32) {
        let masks = self.running(message.lanes, message.guard);
        self.window(message.target, op);
        let done = self.code.label();
        let (targets, is_seldom) = self.in_order(message, op, masks, done);
        for half in 0..message.halves() {
            let mask = masks[usize::from(half)];
            match message.target {
                Target::Flat => self.far(message, half, mask),
                _ => self.near(message, half, mask),
            }
        }
        self.code
            .load_wide_at(Gpr::Rcx, Place::Table(field::WINDOW_HOST));
        if message.write && (message.rows > 1 || message.harmless) {
            // Lane after lane, which row after row is where they do not overlap.
            for half in 0..message.halves() {
                let len = length(message.row());
                self.unless_follow(len, half, message.size(), masks[usize::from(half)]);
                if message.harmless {
                    self.leave_if_any();
                } else {
                    let apart = self.code.label();
                    self.code.jump_if(If::Zero, apart);
                    self.unless_apart(message, half);
                    self.leave_if_any();
                    self.code.bind(apart);
                }
            }
            if message.harmless && message.halves() > 1 {
                self.unless_goes_on(message.size(), masks[1]);
                self.leave_if_any();
            }
        }
        for half in 0..message.halves() {
            let mask = masks[usize::from(half)];
            match (message.update, message.write) {
                (Some(update), _) => self.update(message, update, half, mask),
                (None, true) if message.bytes == 8 => self.scatter_qwords(message, half, mask),
                (None, true) => self.scatter(message, half, mask),
                (None, false) => match targets.get(usize::from(half)) {
                    Some(targets) => self.gather(message, half, mask, targets),
                    None => {
                        // Addresses were copied.
                        self.busy.clear();
                        let targets = self.targets(message, half, mask);
                        self.gather(message, half, mask, &targets);
                        self.put_all(message, half, mask, &targets);
                    }
                },
            }
        }
        if is_seldom {
            self.code.jump(done);
            self.code.often();
        }
        self.code.bind(done);
        for (half, targets) in (0..).zip(targets) {
            self.put_all(message, half, masks[usize::from(half)], &targets);
        }
    }

    /// `rcx` points to the window, and what it belongs to is compared.
    pub fn window(&mut self, target: Target, op: u32) {
        let own = match target {
            Target::Shared { variable, expected } => Some((variable, expected, field::SHARED)),
            Target::Scratch { variable, expected } => Some((variable, expected, field::SCRATCH)),
            Target::Surface { .. } | Target::Flat => None,
        };
        if let Some((variable, expected, window)) = own {
            if let Some(at) = variable {
                let at = self.named_at(at);
                self.code.compare_place(Place::Arena(at), expected);
                self.leave_if(If::NotZero);
            }
            self.code.move_wide(Gpr::Rcx, Gpr::Rdi);
            return self.code.add_wide(Gpr::Rcx, window);
        }
        let surface = match target {
            Target::Surface { variable, index } => {
                let named = (variable.map(|at| self.origin(at)), index);
                if self.found.contains(&named) {
                    let slot = slot_of(&mut self.surfaces, named, MOST_SURFACES);
                    let slot = slot.expect("who has been found has a slot");
                    let place = field::SURFACES + 8 * slot;
                    return self.code.load_wide(Gpr::Rcx, place);
                }
                let at = variable.map(|at| self.named_at(at));
                self.name(at, index);
                Some(named)
            }
            _ => None,
        };
        let slot = match surface {
            Some(named) => slot_of(&mut self.surfaces, named, MOST_SURFACES)
                .map(|slot| field::SURFACES + 8 * slot),
            None => slot_of(&mut self.flat, op, MOST_FLAT).map(|slot| field::FLAT + 8 * slot),
        };
        let leave = self.leave_label();
        let Some(slot) = slot else {
            return self.look_up(op, surface.is_some(), leave);
        };
        // What was found last is there, mostly.
        let [seldom, on] = [(); 2].map(|()| self.code.label());
        self.code.load_wide(Gpr::Rcx, slot);
        match surface {
            Some(named) => {
                self.found.push(named);
                let surface = Place::Table(field::WINDOW_SURFACE);
                self.code.compare_wide_at(Gpr::Rdx, surface);
                self.code.jump_if(If::NotZero, seldom);
            }
            None => {
                self.code.test_wide(Gpr::Rcx);
                self.code.jump_if(If::Zero, seldom);
            }
        }
        self.code.bind(on);
        self.code.seldom();
        self.code.bind(seldom);
        self.look_up(op, surface.is_some(), leave);
        self.code.store_wide(slot, Gpr::Rcx);
        self.code.jump(on);
        self.code.often();
    }

    /// The same once more, in code that is run behind that.
    pub fn window_again(&mut self, target: Target, op: u32) {
        let known = self.flat.iter().position(|flat| *flat == op);
        match known.filter(|_| target == Target::Flat) {
            Some(slot) => self.code.load_wide(Gpr::Rcx, field::FLAT + 8 * slot as u32),
            None => self.window(target, op),
        }
    }

    /// The name of a surface goes to `rdx`.
    fn name(&mut self, variable: Option<u32>, index: u32) {
        let code = &mut self.code;
        match variable {
            None => code.move_number(Gpr::Rdx, index),
            Some(at) => {
                code.load(Gpr::Rdx, Place::Arena(at));
                if index != 0 {
                    code.alu_number(Alu::Add, Gpr::Rdx, index);
                }
            }
        }
    }

    /// `rcx` points to the window that the hint says, which has to be that of the surface in `rdx`, or of none: the hint may be
    /// of another run.
    fn look_up(&mut self, op: u32, named: bool, leave: Label) {
        let code = &mut self.code;
        code.load_wide(Gpr::Rcx, field::HINTS);
        code.load_hint(Gpr::Rcx, op);
        code.compare_wide_at(Gpr::Rcx, Place::Context(field::COUNT));
        code.jump_if(If::AboveOrEqual, leave);
        code.shift_left_wide(Gpr::Rcx, field::WINDOW_SHIFT);
        code.add_wide_at(Gpr::Rcx, Place::Context(field::WINDOWS));
        let surface = field::WINDOW_SURFACE;
        match named {
            true => code.compare_wide_at(Gpr::Rdx, Place::Table(surface)),
            // Numbers of surfaces are dwords.
            false => code.compare_place(Place::Table(surface + 4), (NO_SURFACE >> 32) as u32),
        }
        code.jump_if(If::NotZero, leave);
    }

    /// Where in the arena the dword is that names what a message reaches, or one that it was copied from.
    fn named_at(&mut self, at: u32) -> u32 {
        let from = self.origin(at);
        // What is pinned, the arena has not.
        let at = match self.pin(Bytes::one(from)) {
            Some(_) => at,
            None => from,
        };
        let name = Bytes {
            kind: Kind::Other,
            ..Bytes::one(at)
        };
        self.settle(&[vec![name], Vec::new()]);
        at
    }

    /// The greatest offset, in `edx`, in units, at which so many bytes are inside.
    fn limit(&mut self, size: u32, unit: u32) {
        let code = &mut self.code;
        code.load(Gpr::Rdx, Place::Table(field::WINDOW_BYTES));
        code.alu_number(Alu::Sub, Gpr::Rdx, size);
        self.leave_if(If::Below);
        let shift = unit.trailing_zeros() as u8;
        self.code.shift_right(Gpr::Rdx, shift);
    }

    /// Code for a message of one piece, the op of this number.
    pub fn block(&mut self, block: &Block, op: u32) {
        self.window(block.target, op);
        self.limit(4 * block.dwords, block.unit);
        if block.target == Target::Flat {
            let code = &mut self.code;
            code.load_wide_at(Gpr::Rax, Place::Arena(block.place));
            code.subtract_wide_at(Gpr::Rax, Place::Table(field::WINDOW_ADDRESS));
            code.subtract_wide(Gpr::Rax, -block.added);
        } else {
            self.single_dword(Gpr::Rax, block.place);
            let code = &mut self.code;
            code.alu_number(Alu::Add, Gpr::Rax, block.added.cast_unsigned());
            let counts = match (block.target, block.unit) {
                (Target::Shared { .. }, 1) => SHARED_BITS,
                _ => u32::MAX,
            };
            code.alu_number(Alu::And, Gpr::Rax, counts & !block.ignored);
        }
        self.code.compare_wide(Gpr::Rax, Gpr::Rdx);
        self.leave_if(If::Above);
        self.code
            .shift_left(Gpr::Rax, block.unit.trailing_zeros() as u8);
        if block.align > 1 {
            self.code.test_number(Gpr::Rax, block.align - 1);
            self.leave_if(If::NotZero);
        }
        self.code.move_gpr(Gpr::Rdx, Gpr::Rax);
        self.code
            .load_wide_at(Gpr::Rcx, Place::Table(field::WINDOW_HOST));
        self.busy.clear();
        for (first, bytes) in block.rows() {
            let window = Rm::Window(4 * first);
            match (bytes.kind, block.write) {
                (Kind::Row(lanes), true) => {
                    let from = self.row_in_register(bytes, length(lanes));
                    self.code
                        .vector(Vector::STORE, length(lanes), from, 0, window);
                }
                (Kind::Row(lanes), false) => {
                    let to = self.row_target(bytes, length(lanes), None);
                    self.code.vector(Vector::LOAD, length(lanes), to, 0, window);
                    self.put_row(bytes, to);
                }
                (_, write) => {
                    let between = BETWEEN[0];
                    self.code.move_number(Gpr::Rax, (1 << (bytes.len / 4)) - 1);
                    self.code.load_mask(CONDITION[0], Gpr::Rax);
                    let part = (between, CONDITION[0], false);
                    let arena = Rm::Row(bytes.at);
                    let (from, to) = if write {
                        (arena, window)
                    } else {
                        (window, arena)
                    };
                    self.code.masked(Vector::LOAD, Len::Z, part, 0, from, None);
                    self.code.masked(Vector::STORE, Len::Z, part, 0, to, None);
                    if !write {
                        self.overwrite(bytes);
                    }
                }
            }
        }
    }

    /// Loads a dword that all lanes have.
    pub fn single_dword(&mut self, to: Gpr, at: u32) {
        match self.holder(Bytes::one(at)) {
            Some(reg) => {
                let to = Rm::Reg(to as u8);
                self.code.vector(Vector::TO_GPR, Len::X, reg, 0, to);
            }
            None => self.code.load(to, Place::Arena(at)),
        }
    }

    /// Offsets of 32 bits.
    fn near(&mut self, message: &Transfer, half: u8, mask: Option<Mask>) {
        let (len, to) = (length(message.row()), SOURCE[usize::from(half)]);
        if half == 0 {
            self.limit(message.skipped + message.span(), message.unit);
            let limit = Rm::Reg(Gpr::Rdx as u8);
            self.code.vector(Vector::FROM_GPR, len, LIMIT, 0, limit);
        }
        for bytes in message.address_rows(half) {
            self.fetch(bytes, len, to);
        }
        let added = message.added as u32;
        if added != 0 {
            self.code
                .vector(Vector::PADDD, len, to, to, Rm::Const(added));
        }
        if let Some(base) = message.base() {
            let base = self.holder(base).map_or(Rm::Each(base.at), Rm::Reg);
            self.code.vector(Vector::PADDD, len, to, to, base);
        }
        if message.unit == 1 && matches!(message.target, Target::Shared { .. }) {
            let counts = Rm::Const(SHARED_BITS);
            self.code.vector(Vector::PANDD, len, to, to, counts);
        }
        let on = mask.unwrap_or(0);
        let outside = (CONDITION[0], on, false);
        self.code.masked(
            Vector::PCMPUD,
            len,
            outside,
            to,
            Rm::Reg(LIMIT),
            Some(GREATER),
        );
        self.leave_if_mask(CONDITION[0], CONDITION[0]);
        let shift = message.unit.trailing_zeros() as u8;
        if shift > 0 {
            self.code
                .vector_by(Vector::SHIFT_BY, len, 6, to, Rm::Reg(to), shift);
        }
        if message.skipped > 0 {
            let skipped = Rm::Const(message.skipped);
            self.code.vector(Vector::PADDD, len, to, to, skipped);
        }
        let align = message.align();
        if message.unit < align || !message.skipped.is_multiple_of(align) {
            let (apart, low) = ((CONDITION[0], on, false), Rm::Const(align - 1));
            self.code.masked(Vector::PTESTMD, len, apart, to, low, None);
            self.leave_if_mask(CONDITION[0], CONDITION[0]);
        }
    }

    /// Addresses of 64 bits.
    fn far(&mut self, message: &Transfer, half: u8, mask: Option<Mask>) {
        let to = SOURCE[usize::from(half)];
        let [first, offsets, upper] = BETWEEN;
        if half == 0 {
            self.limit(message.span(), 1);
            let limit = Rm::Reg(Gpr::Rdx as u8);
            self.code
                .vector(Vector::FROM_GPR_WIDE, Len::Z, LIMIT, 0, limit);
            self.code
                .load_wide_at(Gpr::Rdx, Place::Table(field::WINDOW_ADDRESS));
            self.code.subtract_wide(Gpr::Rdx, message.moved());
            if let Some(base) = message.based {
                self.code.subtract_wide_at(Gpr::Rdx, Place::Arena(base));
            }
            self.code
                .vector(Vector::FROM_GPR_WIDE, Len::Z, first, 0, limit);
        }
        for n in 0..usize::from(message.row().div_ceil(8)) {
            let on = match mask {
                Some(mask) if n > 0 => {
                    self.code.upper_mask(UNORDERED, mask);
                    UNORDERED
                }
                mask => mask.unwrap_or(0),
            };
            let into = if n == 0 { offsets } else { upper };
            self.eight_addresses(message, (half, n), upper, into);
            self.code
                .vector(Vector::PSUBQ, Len::Z, into, into, Rm::Reg(first));
            let outside = (CONDITION[0], on, false);
            let limit = Rm::Reg(LIMIT);
            self.code
                .masked(Vector::PCMPUQ, Len::Z, outside, into, limit, Some(GREATER));
            if message.align() > 1 {
                let apart = (CONDITION[1], on, false);
                let low = Rm::Const64(u64::from(message.align()) - 1);
                self.code
                    .masked(Vector::PTESTMQ, Len::Z, apart, into, low, None);
                self.leave_if_mask(CONDITION[0], CONDITION[1]);
            } else {
                self.leave_if_mask(CONDITION[0], CONDITION[0]);
            }
            // The low halves: the register is the source here, and its place what is written.
            let low = if n == 0 { to } else { MAKING };
            self.code
                .vector(Vector::PMOVQD, Len::Z, into, 0, Rm::Reg(low));
            if n > 0 {
                self.code
                    .vector_by(Vector::INSERT_HALF, Len::Z, to, to, Rm::Reg(low), 1);
            }
        }
    }

    /// Addresses of the lower or upper eight lanes of a half. Where they come of dwords, those are in a register that the
    /// upper ones may have in the end.
    fn eight_addresses(
        &mut self,
        message: &Transfer,
        (half, part): (u8, usize),
        dwords: Reg,
        to: Reg,
    ) {
        let mut rows = message.address_rows(half);
        let Some(extended) = message.extended else {
            let row = rows.nth(part);
            return row.into_iter().for_each(|row| self.fetch(row, Len::Z, to));
        };
        let mut from = dwords;
        if part == 0 {
            rows.for_each(|bytes| self.fetch(bytes, length(message.row()), dwords));
        } else {
            from = MAKING;
            self.code
                .vector_by(Vector::EXTRACT_HALF, Len::Z, dwords, 0, Rm::Reg(from), 1);
        }
        let vector = match extended.signed {
            true => Vector::PMOVSXDQ,
            false => Vector::PMOVZXDQ,
        };
        self.code.vector(vector, Len::Z, to, 0, Rm::Reg(from));
        if extended.shift > 0 {
            let shift = Vector::SHIFT_QWORDS_BY;
            self.code
                .vector_by(shift, Len::Z, 6, to, Rm::Reg(to), extended.shift);
        }
    }

    /// Bytes of the arena in a register of its own.
    pub fn fetch(&mut self, bytes: Bytes, len: Len, to: Reg) {
        let from = match self.holder(bytes) {
            Some(reg) => Rm::Reg(reg),
            None => Rm::Row(bytes.at),
        };
        self.code.vector(Vector::LOAD, len, to, 0, from);
    }

    /// Leaves the region in front of the op at hand if so.
    pub fn leave_if(&mut self, when: If) {
        let leave = self.leave_label();
        self.code.jump_if(when, leave);
    }

    /// Leaves the region in front of the op at hand if a bit of two masks is set.
    pub fn leave_if_mask(&mut self, a: Mask, b: Mask) {
        self.code.test_masks(a, b);
        self.leave_if_any();
    }

    /// The flags say whether a lane that runs is elsewhere than `step` bytes after the one before it.
    pub fn unless_follow(&mut self, len: Len, half: u8, step: u32, mask: Option<Mask>) {
        let offsets = SOURCE[usize::from(half)];
        let [first, start, _] = BETWEEN;
        let steps = Rm::Steps(step);
        self.code.vector(Vector::PSUBD, len, first, offsets, steps);
        self.code
            .vector(Vector::SPREAD, len, start, 0, Rm::Reg(first));
        self.unless_same(len, first, start, mask);
    }

    /// The flags say whether a lane of a half is nearer to the one before it than it has bytes, or in front of it, be it
    /// one that does not run: of those offsets may be anything, and none leads round to small ones again.
    fn unless_apart(&mut self, message: &Transfer, half: u8) {
        let (len, offsets) = (length(message.row()), SOURCE[usize::from(half)]);
        let [next, ..] = BETWEEN;
        let [nearer, others] = CONDITION;
        let code = &mut self.code;
        // Behind the last one comes the first one.
        code.move_number(Gpr::Rax, message.all() >> 1);
        code.load_mask(others, Gpr::Rax);
        code.vector_by(Vector::ALIGN, len, next, offsets, Rm::Reg(offsets), 1);
        let before = (UNORDERED, others, false);
        let offsets = Rm::Reg(offsets);
        code.masked(Vector::PCMPD, len, before, next, offsets, Some(LESS));
        code.vector(Vector::PSUBD, len, next, next, offsets);
        let bytes = Rm::Const(message.span());
        let to = (nearer, others, false);
        code.masked(Vector::PCMPD, len, to, next, bytes, Some(LESS));
        code.test_masks(nearer, UNORDERED);
    }

    /// The flags say whether a lane of the second half that runs is elsewhere than `step` bytes after the one before it,
    /// where those of each half follow each other.
    fn unless_goes_on(&mut self, step: u32, mask: Option<Mask>) {
        let [first, start, _] = BETWEEN;
        let (code, steps) = (&mut self.code, Rm::Steps(step));
        code.vector(Vector::PSUBD, Len::Z, first, SOURCE[1], steps);
        code.vector(Vector::SPREAD, Len::Z, start, 0, Rm::Reg(SOURCE[0]));
        let half = Rm::Const(16 * step);
        code.vector(Vector::PADDD, Len::Z, start, start, half);
        self.unless_same(Len::Z, first, start, mask);
    }

    /// The flags say whether a lane that runs has another value than this.
    pub fn unless_same(&mut self, len: Len, a: Reg, b: Reg, mask: Option<Mask>) {
        let to = (CONDITION[0], mask.unwrap_or(0), false);
        self.code
            .masked(Vector::PCMPD, len, to, a, Rm::Reg(b), Some(UNEQUAL));
        self.code.test_masks(CONDITION[0], CONDITION[0]);
    }

    /// The offset of lane 0 in `rdx`, whether it runs or not.
    pub fn first_offset(&mut self, half: u8) {
        let offsets = SOURCE[usize::from(half)];
        let to = Rm::Reg(Gpr::Rdx as u8);
        self.code.vector(Vector::TO_GPR, Len::X, offsets, 0, to);
        // Of lanes that follow each other the first may be in front of the window, if it does not run.
        self.code.extend_sign(Gpr::Rdx);
    }

    /// Tells the host where lanes of a half that follow each other mostly go on.
    fn look_ahead_of_half(&mut self, message: &Transfer, half: u8) {
        if !message.target.is_own() {
            let bytes = message.bytes * u32::from(message.row());
            self.look_ahead(message.address_rows(half), bytes, message.write);
        }
    }

    /// Goes to a label if no lane runs.
    pub fn skip(&mut self, message: &Transfer, mask: Option<Mask>, to: Label) {
        if let Some(mask) = mask {
            // Of fewer lanes the mask may say more.
            self.code.store_mask(Gpr::Rax, mask);
            self.code.test_number(Gpr::Rax, message.all());
            self.code.jump_if(If::Zero, to);
        }
    }

    /// Registers for the data of a half, which may be read in part.
    pub fn targets(&mut self, message: &Transfer, half: u8, mask: Option<Mask>) -> Vec<Reg> {
        let len = match message.bytes {
            8 => Len::Z,
            _ => length(message.row()),
        };
        let rows = message.rows_of_half(half).into_iter();
        let guarded = message.guard.is_some();
        rows.map(|row| {
            let kept = mask.filter(|_| guarded || !self.is_local(row));
            self.row_target(row, len, kept)
        })
        .collect()
    }

    /// What a message has brought for a half is put where it belongs.
    pub fn put_all(&mut self, message: &Transfer, half: u8, mask: Option<Mask>, targets: &[Reg]) {
        for (row, target) in message.rows_of_half(half).into_iter().zip(targets) {
            self.put_lanes(message, row, mask, *target);
        }
    }

    fn gather(&mut self, message: &Transfer, half: u8, mask: Option<Mask>, targets: &[Reg]) {
        if message.bytes == 8 {
            return self.gather_qwords(message, half, mask, targets);
        }
        let (len, offsets) = (length(message.row()), SOURCE[usize::from(half)]);
        let on = mask.unwrap_or(0);
        let code = &mut self.code;
        let (done, apart) = (code.label(), code.label());
        let scattered = code.label();
        self.skip(message, mask, done);
        self.unless_follow(len, half, message.bytes, mask);
        self.code.jump_if(If::NotZero, apart);
        self.first_offset(half);
        self.look_ahead_of_half(message, half);
        let vector = match message.bytes {
            4 => Vector::LOAD,
            2 => Vector::PMOVZXWD,
            _ => Vector::PMOVZXBD,
        };
        for (place, target) in message.places().zip(targets) {
            let to = (*target, on, false);
            self.code
                .masked(vector, len, to, 0, Rm::Window(place), None);
        }
        self.code.jump(done);
        self.code.bind(apart);
        if message.is_of_quads() {
            let apart = self.code.label();
            self.unless_follow(len, half, message.size(), mask);
            self.code.jump_if(If::NotZero, apart);
            self.unless_all(mask, apart);
            self.first_offset(half);
            let quads = self.load_quads();
            for (target, value) in targets.iter().zip(quads) {
                self.code.copy(*target, value);
            }
            self.code.jump(done);
            self.code.bind(apart);
        }
        self.spaced(message, (half, mask), targets, done);
        let one = BETWEEN[0];
        self.code
            .vector(Vector::SPREAD, len, one, 0, Rm::Reg(offsets));
        self.unless_same(len, offsets, one, mask);
        self.code.jump_if(If::NotZero, scattered);
        self.first_offset(half);
        self.load_for_all(message, mask, targets);
        self.code.jump(done);
        self.code.bind(scattered);
        for (place, target) in message.places().zip(targets) {
            self.all_of(mask);
            // Of a register that is read in part a gather would wait for the rest. Narrow elements are read as dwords: what
            // is behind the last of them can be read, and is cut off.
            let lanes = Rm::WindowLanes(offsets, place);
            let to = (*target, CONDITION[0], false);
            self.code.masked(Vector::GATHER, len, to, 0, lanes, None);
        }
        self.narrow(message, targets[0], mask);
        self.code.bind(done);
    }

    /// Loads the data of a half of lanes that are all where `rcx` and `rdx` say.
    pub fn load_for_all(&mut self, message: &Transfer, mask: Option<Mask>, targets: &[Reg]) {
        let len = length(message.row());
        for (place, target) in message.places().zip(targets) {
            let to = (*target, mask.unwrap_or(0), false);
            let each = Rm::WindowEach(place);
            self.code.masked(Vector::BROADCAST, len, to, 0, each, None);
            self.narrow(message, *target, mask);
        }
    }

    /// Nothing is left of what is behind an element that was read as a dword.
    pub fn narrow(&mut self, message: &Transfer, target: Reg, mask: Option<Mask>) {
        if message.bytes < 4 {
            let own = Rm::Const((1u32 << (8 * message.bytes)) - 1);
            let to = (target, mask.unwrap_or(0), false);
            let len = length(message.row());
            self.code.masked(Vector::PANDD, len, to, target, own, None);
        }
    }

    /// Puts what a message has brought where it belongs: of one lane or two no more than that.
    fn put_lanes(&mut self, message: &Transfer, row: Bytes, mask: Option<Mask>, from: Reg) {
        let len = length(message.row());
        if !message.is_narrow() {
            return self.put_row(row, from);
        }
        self.overwrite(row);
        let from = (from, mask.unwrap_or(0), false);
        self.code
            .masked(Vector::STORE, len, from, 0, Rm::Row(row.at), None);
    }

    /// Goes to a label unless all of 16 lanes run.
    pub fn unless_all(&mut self, mask: Option<Mask>, to: Label) {
        if let Some(mask) = mask {
            self.code.store_mask(Gpr::Rax, mask);
            self.code.alu_number(Alu::And, Gpr::Rax, 0xffff);
            self.code.alu_number(Alu::Cmp, Gpr::Rax, 0xffff);
            self.code.jump_if(If::NotZero, to);
        }
    }

    /// The lanes of a gather or scatter, which it takes away as it goes.
    pub fn all_of(&mut self, mask: Option<Mask>) {
        match mask {
            Some(mask) => self.code.copy_mask(CONDITION[0], mask),
            None => self.code.fill_mask(CONDITION[0]),
        }
    }

    fn scatter(&mut self, message: &Transfer, half: u8, mask: Option<Mask>) {
        let (len, offsets) = (length(message.row()), SOURCE[usize::from(half)]);
        let code = &mut self.code;
        let (done, apart) = (code.label(), code.label());
        self.skip(message, mask, done);
        if message.rows == 1 {
            self.unless_follow(len, half, message.size(), mask);
            self.code.jump_if(If::NotZero, apart);
            self.first_offset(half);
            self.look_ahead_of_half(message, half);
            let from = self.row_in_register(message.row_of(0, half), len);
            let from = (from, mask.unwrap_or(0), false);
            let vector = match message.bytes {
                4 => Vector::STORE,
                2 => Vector::PMOVDW,
                _ => Vector::PMOVDB,
            };
            self.code.masked(vector, len, from, 0, Rm::Window(0), None);
            self.code.jump(done);
            self.code.bind(apart);
        }
        if message.bytes < 4 {
            self.spaced(message, (half, mask), &[], done);
            self.store_each(message, half, mask);
            return self.code.bind(done);
        }
        if message.is_of_quads() {
            self.unless_follow(len, half, message.size(), mask);
            self.code.jump_if(If::NotZero, apart);
            self.unless_all(mask, apart);
            self.first_offset(half);
            self.store_quads([0, 1, 2, 3].map(|element| message.row_of(element, half)));
            self.code.jump(done);
            self.code.bind(apart);
        }
        self.spaced(message, (half, mask), &[], done);
        for element in 0..message.rows {
            let from = self.row_in_register(message.row_of(element, half), len);
            self.all_of(mask);
            let lanes = Rm::WindowLanes(offsets, 4 * element);
            let from = (from, CONDITION[0], false);
            self.code.masked(Vector::SCATTER, len, from, 0, lanes, None);
        }
        self.code.bind(done);
    }

    /// Stores bytes or words, lane after lane.
    fn store_each(&mut self, message: &Transfer, half: u8, mask: Option<Mask>) {
        let (len, offsets) = (length(message.row()), SOURCE[usize::from(half)]);
        let from = self.row_in_register(message.row_of(0, half), len);
        let kept = [(OFFSETS, offsets), (AMOUNTS, from)];
        let (next, done) = self.lane_after_lane(message.all(), &kept, len, mask);
        self.code.store_narrow(message.bytes == 2);
        self.code.jump(next);
        self.code.bind(done);
        self.code.close_frame();
    }

    /// Begins a loop over the lanes that run: `rbx` is the offset of one, `ebp` its data, `edx` its number; `eax` are those
    /// that are left. What is between the labels is done for each.
    ///
    /// * `all`: a bit for each lane.
    /// * `kept`: what the frame holds.
    pub fn lane_after_lane(
        &mut self,
        all: u32,
        kept: &[(u32, Reg)],
        len: Len,
        mask: Option<Mask>,
    ) -> (Label, Label) {
        let code = &mut self.code;
        match mask {
            Some(mask) => {
                // Of fewer lanes the mask may say more.
                code.store_mask(Gpr::Rax, mask);
                code.alu_number(Alu::And, Gpr::Rax, all);
            }
            None => code.move_number(Gpr::Rax, all),
        }
        let (next, done) = (code.label(), code.label());
        code.open_frame();
        for (at, reg) in kept {
            code.vector(Vector::STORE, len, *reg, 0, Rm::Frame(*at));
        }
        code.bind(next);
        code.alu(Alu::And, Gpr::Rax, Gpr::Rax);
        code.jump_if(If::Zero, done);
        code.take_lowest(Gpr::Rdx, Gpr::Rax);
        code.load_of_frame(Gpr::Rbx, OFFSETS);
        code.load_of_frame(Gpr::Rbp, AMOUNTS);
        (next, done)
    }

    /// Changes dwords in memory, lane after lane.
    fn update(&mut self, message: &Transfer, update: Change, half: u8, mask: Option<Mask>) {
        let (len, offsets) = (length(message.row()), SOURCE[usize::from(half)]);
        let between = BETWEEN[0];
        let amounts = match update.amount {
            Amount::One(one) => {
                let one = Rm::Const(one);
                self.code.vector(Vector::BROADCAST, len, between, 0, one);
                between
            }
            Amount::Row(at) => self.row_in_register(message.row_at(at, half), len),
            Amount::Less(at) => {
                let row = self.row_in_register(message.row_at(at, half), len);
                let zero = MAKING;
                self.code
                    .vector(Vector::PXORD, len, zero, zero, Rm::Reg(zero));
                self.code
                    .vector(Vector::PSUBD, len, between, zero, Rm::Reg(row));
                between
            }
        };
        let mut kept = vec![(OFFSETS, offsets), (AMOUNTS, amounts)];
        if let Some(at) = update.compared() {
            self.fetch(message.row_at(at, half), len, MAKING);
            kept.push((COMPARED, MAKING));
        }
        let (next, done) = self.lane_after_lane(message.all(), &kept, len, mask);
        // Shared local memory and scratch memory are those of one host thread.
        let locked = !message.target.is_own();
        match update.becomes {
            Becomes::Sum => {
                self.code.exchange_add(locked);
                if update.returns {
                    self.code.store_to_frame(AMOUNTS, Gpr::Rbp);
                }
            }
            becomes => self.exchange(becomes, update.returns, locked),
        }
        let code = &mut self.code;
        code.jump(next);
        code.bind(done);
        if update.returns {
            let to = (between, 0, false);
            code.masked(Vector::LOAD, len, to, 0, Rm::Frame(AMOUNTS), None);
        }
        code.close_frame();
        if update.returns {
            self.busy.clear();
            let row = message.row_of(0, half);
            let target = self.row_target(row, len, mask);
            self.finish(len, target, mask, between);
            self.put_lanes(message, row, mask, target);
        }
    }

    /// Changes the dword of the lane at hand to what it and `ebp` make, if nobody has changed it meanwhile; else again.
    fn exchange(&mut self, becomes: Becomes, returns: bool, locked: bool) {
        let code = &mut self.code;
        code.store_frame(LEFT, Gpr::Rax);
        code.store_frame(LANE, Gpr::Rdx);
        if let Becomes::OtherIf(_) = becomes {
            code.load_of_frame(Gpr::Rax, COMPARED);
            code.compare_exchange(Gpr::Rbp, locked);
        } else {
            let (again, same) = (code.label(), code.label());
            code.load_reached(Gpr::Rax);
            code.bind(again);
            code.move_gpr(Gpr::Rdx, Gpr::Rax);
            self.changed(becomes);
            // What stays as it was is as good as written, and is so sooner.
            if let Becomes::And | Becomes::Or | Becomes::Least(_) | Becomes::Greatest(_) = becomes {
                self.code.alu(Alu::Cmp, Gpr::Rdx, Gpr::Rax);
                self.code.jump_if(If::Zero, same);
            }
            self.code.compare_exchange(Gpr::Rdx, locked);
            self.code.jump_if(If::NotZero, again);
            self.code.bind(same);
        }
        let code = &mut self.code;
        code.load_frame(Gpr::Rdx, LANE);
        if returns {
            code.store_to_frame(AMOUNTS, Gpr::Rax);
        }
        code.load_frame(Gpr::Rax, LEFT);
    }

    /// What `edx` and `ebp` make, in `edx`.
    fn changed(&mut self, becomes: Becomes) {
        let [old, amount, _] = BETWEEN;
        let code = &mut self.code;
        let lesser = |code: &mut Assembler, when: If| {
            code.alu(Alu::Cmp, Gpr::Rdx, Gpr::Rbp);
            code.move_if(when, Gpr::Rdx, Gpr::Rbp);
        };
        match becomes {
            Becomes::And => code.alu(Alu::And, Gpr::Rdx, Gpr::Rbp),
            Becomes::Or => code.alu(Alu::Or, Gpr::Rdx, Gpr::Rbp),
            Becomes::Xor => code.alu(Alu::Xor, Gpr::Rdx, Gpr::Rbp),
            Becomes::Least(false) => lesser(code, If::Above),
            Becomes::Greatest(false) => lesser(code, If::Below),
            Becomes::Least(true) => lesser(code, If::Greater),
            Becomes::Greatest(true) => lesser(code, If::Less),
            Becomes::FloatSum => {
                for (reg, from) in [(old, Gpr::Rdx), (amount, Gpr::Rbp)] {
                    let from = Rm::Reg(from as u8);
                    code.vector(Vector::FROM_GPR, Len::X, reg, 0, from);
                }
                code.vector(Vector::ADDPS, Len::X, old, old, Rm::Reg(amount));
                let to = Rm::Reg(Gpr::Rdx as u8);
                code.vector(Vector::TO_GPR, Len::X, old, 0, to);
            }
            Becomes::Other => code.move_gpr(Gpr::Rdx, Gpr::Rbp),
            Becomes::Sum | Becomes::OtherIf(_) => unreachable!("one instruction does it"),
        }
    }

    /// Data in a register, which is not changed.
    pub fn row_in_register(&mut self, bytes: Bytes, len: Len) -> Reg {
        self.holder(bytes).unwrap_or_else(|| {
            self.fetch(bytes, len, BETWEEN[2]);
            BETWEEN[2]
        })
    }
}

/// The slot of one of so many things at most.
fn slot_of<T: PartialEq>(all: &mut Vec<T>, own: T, most: usize) -> Option<u32> {
    let known = all.iter().position(|other| *other == own);
    let at = known.unwrap_or(all.len());
    // Tests see what becomes of those that find none.
    if at >= most || cfg!(debug_assertions) && at >= 2 {
        return None;
    }
    if known.is_none() {
        all.push(own);
    }
    Some(at as u32)
}

impl Change {
    /// Whether nothing is rounded.
    pub fn is_exact(self) -> bool {
        self.becomes != Becomes::FloatSum
    }

    /// Where the dwords lie that those in memory are compared with.
    const fn compared(self) -> Option<u32> {
        match self.becomes {
            Becomes::OtherIf(at) => Some(at),
            _ => None,
        }
    }
}

impl Block {
    /// The address.
    pub const fn address(&self) -> Bytes {
        let flat = matches!(self.target, Target::Flat);
        Bytes {
            at: self.place,
            len: if flat { 8 } else { 4 },
            kind: if flat { Kind::Other } else { Kind::Each },
        }
    }

    /// The registers, each with the number of its first dword.
    pub fn rows(&self) -> impl Iterator<Item = (u32, Bytes)> {
        let Block { data, dwords, .. } = *self;
        (0..dwords).step_by(16).map(move |first| {
            let count = (dwords - first).min(16);
            let bytes = Bytes {
                at: data + 4 * first,
                len: 4 * count,
                kind: match count {
                    4 | 8 | 16 => Kind::Row(count as u8),
                    _ => Kind::Other,
                },
            };
            (first, bytes)
        })
    }
}

impl Transfer {
    /// What the place of an element is a multiple of.
    pub const fn align(&self) -> u32 {
        match (self.update.is_some(), self.harmless) {
            (true, _) => 4,
            (false, true) => self.bytes,
            (false, false) => 1,
        }
    }

    /// Whether four dwords of 16 lanes are moved.
    pub fn is_of_quads(&self) -> bool {
        (self.bytes, self.rows, self.row()) == (4, 4, 16)
    }

    /// What is taken from the address of a window instead of being added to those of lanes.
    pub fn moved(&self) -> i32 {
        (self.added as i64 + i64::from(self.skipped)) as i32
    }
}
