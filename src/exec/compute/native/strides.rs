//! Elements of the arena that are any number of bytes apart, one by one.

use super::assembler::{Gpr, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, Emitter, MAKING, SELECT_BITS, UNORDERED, length};

/// Bytes from the first to behind the last of dwords that begin so many bytes apart.
const fn span(lanes: u8, stride: u16) -> u32 {
    stride as u32 * (lanes as u32 - 1) + 4
}

impl Emitter {
    /// The dwords that begin with elements.
    pub fn gather_elements(&mut self, lanes: u8, stride: u16, at: u32, to: Reg) {
        let len = length(lanes);
        self.steps(lanes, stride, MAKING);
        self.code.move_number(Gpr::Rdx, (1 << lanes) - 1);
        self.code.load_mask(UNORDERED, Gpr::Rdx);
        let from = Rm::RowLanes(MAKING, at, span(lanes, stride));
        let to = (to, UNORDERED, false);
        self.code.masked(Vector::GATHER, len, to, 0, from, None);
    }

    /// Stores elements. What is behind a narrow one is written as it was; lanes are stored in order, so that a later one
    /// replaces it.
    pub fn scatter_elements(
        &mut self,
        (size, stride): (u32, u16),
        at: u32,
        lanes: u8,
        mask: Mask,
        value: Reg,
    ) {
        let len = length(lanes);
        let [old, steps, _] = BETWEEN;
        self.steps(lanes, stride, steps);
        let place = Rm::RowLanes(steps, at, span(lanes, stride));
        let mut from = value;
        if size < 4 {
            self.running_lanes(mask);
            let to = (old, UNORDERED, false);
            self.code.masked(Vector::GATHER, len, to, 0, place, None);
            let low = Rm::Const((1 << (8 * size)) - 1);
            self.code
                .vector_by(Vector::PTERNLOGD, len, old, value, low, SELECT_BITS);
            from = old;
        }
        self.running_lanes(mask);
        let from = (from, UNORDERED, false);
        self.code.masked(Vector::SCATTER, len, from, 0, place, None);
    }

    /// How far each lane is from the first one.
    fn steps(&mut self, lanes: u8, stride: u16, to: Reg) {
        let steps = Rm::Steps(stride.into());
        self.code.vector(Vector::LOAD, length(lanes), to, 0, steps);
    }

    /// A mask that gathers and scatters may clear.
    fn running_lanes(&mut self, mask: Mask) {
        match mask {
            0 => self.code.fill_mask(UNORDERED),
            mask => self.code.copy_mask(UNORDERED, mask),
        }
    }
}
