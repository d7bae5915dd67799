//! Messages of qwords: the offsets are those of dwords, the data of eight lanes fill a register.

use super::assembler::{If, Label, Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, CONDITION, Emitter, SOURCE, UNORDERED, length};
use super::select::{Bytes, Kind};
use super::transfer::Transfer;

/// A register of data: the element, which eight lanes of a half, where.
type Eight = (u32, usize, Bytes);

impl Transfer {
    /// The registers of data of a half.
    pub fn eights(&self, half: u8) -> impl Iterator<Item = Eight> {
        let first = self.data + self.upper * u32::from(half);
        let (rows, pitch, parts) = (self.rows, self.pitch, self.row().div_ceil(8));
        let places = (0..rows).flat_map(move |e| (0..parts).map(move |part| (e, part)));
        places.map(move |(element, part)| {
            let bytes = Bytes {
                at: first + element * pitch + 64 * u32::from(part),
                len: 64,
                kind: Kind::Row(16),
            };
            (element, part.into(), bytes)
        })
    }
}

impl Emitter {
    /// Loads qwords.
    pub fn gather_qwords(
        &mut self,
        message: &Transfer,
        half: u8,
        mask: Option<Mask>,
        targets: &[Reg],
    ) {
        let (len, offsets) = (length(message.row()), SOURCE[usize::from(half)]);
        let masks = self.eights_of(mask);
        let data = || message.eights(half).zip(targets);
        let code = &mut self.code;
        let (done, apart, differ) = (code.label(), code.label(), code.label());
        self.skip(message, mask, done);
        if message.rows == 1 {
            self.unless_together(message, half, mask, apart);
            self.load_eights(targets, 0, mask);
            self.code.jump(done);
        }
        self.code.bind(apart);
        self.unless_equal((len, offsets), mask, differ);
        self.first_offset(half);
        for ((element, part, _), to) in data() {
            let to = (*to, masks[part].unwrap_or(0), false);
            let each = Rm::WindowEach(8 * element);
            self.code
                .masked(Vector::BROADCAST_QWORD, Len::Z, to, 0, each, None);
        }
        self.code.jump(done);
        self.code.bind(differ);
        for ((element, part, _), to) in data() {
            let lanes = self.lanes_of_eight(offsets, part, masks, element);
            let to = (*to, UNORDERED, false);
            self.code
                .masked(Vector::GATHER_QWORDS, Len::Z, to, 0, lanes, None);
        }
        self.code.bind(done);
    }

    /// Loads qwords of a half that follow each other, from so many bytes behind where `rcx` and `rdx` say.
    pub fn load_eights(&mut self, targets: &[Reg], first: u32, mask: Option<Mask>) {
        let masks = self.eights_of(mask);
        for ((to, mask), at) in targets.iter().zip(masks).zip([first, first + 64]) {
            let to = (*to, mask.unwrap_or(0), false);
            let from = Rm::Window(at);
            self.code
                .masked(Vector::LOAD_QWORDS, Len::Z, to, 0, from, None);
        }
    }

    /// Stores them.
    pub fn store_eights(&mut self, message: &Transfer, half: u8, first: u32, mask: Option<Mask>) {
        let masks = self.eights_of(mask);
        for (_, part, bytes) in message.eights(half) {
            let from = self.row_in_register(bytes, Len::Z);
            let from = (from, masks[part].unwrap_or(0), false);
            let to = Rm::Window(first + 64 * part as u32);
            self.code
                .masked(Vector::STORE_QWORDS, Len::Z, from, 0, to, None);
        }
    }

    /// Stores qwords; of more than one row lanes lie apart, as was asked before.
    pub fn scatter_qwords(&mut self, message: &Transfer, half: u8, mask: Option<Mask>) {
        let offsets = SOURCE[usize::from(half)];
        let masks = self.eights_of(mask);
        let code = &mut self.code;
        let (done, apart) = (code.label(), code.label());
        self.skip(message, mask, done);
        if message.rows == 1 {
            self.unless_together(message, half, mask, apart);
            self.store_eights(message, half, 0, mask);
            self.code.jump(done);
        }
        self.code.bind(apart);
        for (element, part, bytes) in message.eights(half) {
            let from = self.row_in_register(bytes, Len::Z);
            let lanes = self.lanes_of_eight(offsets, part, masks, element);
            let from = (from, UNORDERED, false);
            self.code
                .masked(Vector::SCATTER_QWORDS, Len::Z, from, 0, lanes, None);
        }
        self.code.bind(done);
    }

    /// The lower and the upper eight of the lanes that run.
    fn eights_of(&mut self, mask: Option<Mask>) -> [Option<Mask>; 2] {
        let upper = mask.map(|mask| {
            self.code.upper_mask(CONDITION[1], mask);
            CONDITION[1]
        });
        [mask, upper]
    }

    /// Goes to a label unless lanes follow each other; else `rdx` is where the first one is.
    fn unless_together(&mut self, message: &Transfer, half: u8, mask: Option<Mask>, apart: Label) {
        self.unless_follow(length(message.row()), half, message.size(), mask);
        self.code.jump_if(If::NotZero, apart);
        self.first_offset(half);
    }

    /// Goes to a label unless all lanes have the offset of the first one.
    fn unless_equal(&mut self, (len, offsets): (Len, Reg), mask: Option<Mask>, differ: Label) {
        let one = BETWEEN[0];
        self.code
            .vector(Vector::SPREAD, len, one, 0, Rm::Reg(offsets));
        self.unless_same(len, offsets, one, mask);
        self.code.jump_if(If::NotZero, differ);
    }

    /// Where eight lanes have an element, those that run in a mask that may be cleared.
    fn lanes_of_eight(
        &mut self,
        offsets: Reg,
        part: usize,
        masks: [Option<Mask>; 2],
        element: u32,
    ) -> Rm {
        match masks[part] {
            Some(mask) => self.code.copy_mask(UNORDERED, mask),
            None => self.code.fill_mask(UNORDERED),
        }
        if part == 0 {
            return Rm::WindowLanes(offsets, 8 * element);
        }
        let upper = BETWEEN[0];
        self.code
            .vector_by(Vector::EXTRACT_HALF, Len::Z, offsets, 0, Rm::Reg(upper), 1);
        Rm::WindowLanes(upper, 8 * element)
    }
}
