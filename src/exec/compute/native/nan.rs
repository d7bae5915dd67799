//! What becomes of results without an order.
//!
//! ```text
//!  at first    add, mul …   asked together; a NaN leaves the region in front of them, and the steps make it
//!  once many   add          any NaN? in its lanes: 7fc00000, then source by source from the last one back to the
//!  have left                first, where that is one: it, quiet
//! ```
//!
//! Hosts make a NaN of the wrong sign out of none, and take the operand that comes first in their instruction, which is not
//! always the first one in the text: see [`float::nan_of`](super::super::float::nan_of).

use super::assembler::{Gpr, If, Label, Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, CONDITION, Emitter, SOURCE, UNORDERED};
use super::select::Inst;
use crate::isa::Opcode;
use crate::surface::float::NAN;

/// That by which floats are compared with themselves: NaN.
pub const FLOAT_UNORDERED: u8 = 3;

/// Lanes in which a NaN is made.
const MADE: Mask = CONDITION[0];

/// What it takes to make NaN of a type.
#[derive(Clone, Copy)]
pub struct Floats {
    compare: Vector,
    copy: Vector,
    or: Vector,
    broadcast: Vector,
    /// The NaN where no source is one, and the bit that makes one quiet.
    nan: Rm,
    quiet: Rm,
    /// What is read is quiet, computed with or not.
    reads_quiet: bool,
}

pub const SINGLES: Floats = Floats {
    compare: Vector::CMPPS,
    copy: Vector::LOAD,
    or: Vector::PORD,
    broadcast: Vector::BROADCAST,
    nan: Rm::Const(NAN),
    quiet: Rm::Const(1 << 22),
    reads_quiet: true,
};

pub const DOUBLES: Floats = Floats {
    compare: Vector::CMPPD,
    copy: Vector::LOAD_QWORDS,
    or: Vector::PORQ,
    broadcast: Vector::BROADCAST_QWORD,
    nan: Rm::Const64(0x7ff8 << 48),
    quiet: Rm::Const64(1 << 51),
    reads_quiet: false,
};

/// A comparison that is true where a result has no order either: of where it is true is asked apart from the other code.
#[derive(Clone, Copy)]
pub struct Doubt {
    pub here: Label,
    pub back: Label,
    pub len: Len,
    /// What is compared with which number, in which lanes, and how.
    pub value: Reg,
    pub number: Rm,
    pub mask: Mask,
    pub relation: u8,
    pub leave: Label,
}

/// A way out of code for a NaN or for something else, which is asked apart from the other code.
#[derive(Clone, Copy)]
pub struct Parted {
    here: Label,
    /// What tells classes, and those of which a NaN is made.
    test: Vector,
    classes: u8,
    len: Len,
    value: Reg,
    mask: Mask,
    for_nan: Label,
    leave: Label,
}

impl Emitter {
    /// The result of row `r`, which is in no register of a source, gets the NaN that is defined in lanes that run and have
    /// one; or the region is left in front of the op at hand.
    pub fn ordered(&mut self, inst: &Inst, r: u8, value: Reg, mask: Option<Mask>) {
        let len = Self::len(inst);
        if self.asks_later {
            return;
        }
        if !self.makes_nan {
            return self.both_ordered(len, value, value, mask);
        }
        let source = |emitter: &mut Self, k: usize| {
            let source = emitter.source(inst, k, r);
            emitter.in_register(source, len, SOURCE[k])
        };
        self.made(SINGLES, len, (value, mask), inst.src.len(), source);
    }

    /// Leaves the region in front of the op at hand where a lane that runs has a NaN in either of two.
    pub fn both_ordered(&mut self, len: Len, a: Reg, b: Reg, mask: Option<Mask>) {
        self.unordered(SINGLES, (UNORDERED, mask), len, a, b);
        self.code.test_masks(UNORDERED, UNORDERED);
        self.leave_if_nan();
    }

    /// The NaN that is defined, in lanes that run and have one.
    ///
    /// * `source`: the register of a source.
    pub fn made(
        &mut self,
        floats: Floats,
        len: Len,
        (value, mask): (Reg, Option<Mask>),
        sources: usize,
        source: impl Fn(&mut Self, usize) -> Reg,
    ) {
        let over = self.unless_any(floats, len, [value, value], mask);
        let all = (value, MADE, false);
        self.code
            .masked(floats.broadcast, len, all, 0, floats.nan, None);
        for k in (0..sources).rev() {
            let source = source(self, k);
            self.unordered(floats, (UNORDERED, Some(MADE)), len, source, source);
            let own = (value, UNORDERED, false);
            self.code
                .masked(floats.or, len, own, source, floats.quiet, None);
        }
        self.code.bind(over);
    }

    /// The extreme of two where one of them is a NaN: the other one, the second if both are.
    pub fn extreme_made(
        &mut self,
        floats: Floats,
        len: Len,
        (value, mask): (Reg, Option<Mask>),
        [a, b]: [Reg; 2],
    ) {
        let over = self.unless_any(floats, len, [a, b], mask);
        let all = (value, MADE, false);
        self.code.masked(floats.copy, len, all, 0, Rm::Reg(a), None);
        self.unordered(floats, (UNORDERED, Some(MADE)), len, a, a);
        let other = (value, UNORDERED, false);
        self.code
            .masked(floats.copy, len, other, 0, Rm::Reg(b), None);
        if floats.reads_quiet {
            self.quiet(floats, len, value);
        }
        self.code.bind(over);
    }

    /// Singles that are moved: every NaN is quiet, or the region is left. Where they are.
    pub fn quieted(&mut self, len: Len, value: Reg, mask: Option<Mask>) -> Reg {
        if !self.makes_nan {
            self.both_ordered(len, value, value, mask);
            return value;
        }
        let to = BETWEEN[0];
        self.finish(len, to, None, value);
        self.quiet(SINGLES, len, to);
        to
    }

    /// `min`, `max`, into the first register between: the operand that is no NaN, the second one of two; −0 < +0.
    pub fn extreme(&mut self, inst: &Inst, opcode: Opcode, r: u8, mask: Option<Mask>) {
        let len = Self::len(inst);
        let (a, b) = (self.source(inst, 0, r), self.source(inst, 1, r));
        let a = self.in_register(a, len, SOURCE[0]);
        let b = self.in_register(b, len, SOURCE[1]);
        if !self.makes_nan {
            self.both_ordered(len, a, b, mask);
        }
        // Of equal values it is the second operand: both ways round, they differ in the sign of zero.
        let (vector, both) = match opcode {
            Opcode::Min => (Vector::MINPS, Vector::PORD),
            _ => (Vector::MAXPS, Vector::PANDD),
        };
        let [x, y, _] = BETWEEN;
        self.code.vector(vector, len, x, a, Rm::Reg(b));
        self.code.vector(vector, len, y, b, Rm::Reg(a));
        self.code.vector(both, len, x, x, Rm::Reg(y));
        if self.makes_nan {
            self.extreme_made(SINGLES, len, (x, mask), [a, b]);
        }
    }

    /// Every NaN in a register becomes quiet.
    pub fn quiet(&mut self, floats: Floats, len: Len, value: Reg) {
        self.unordered(floats, (UNORDERED, None), len, value, value);
        let own = (value, UNORDERED, false);
        self.code
            .masked(floats.or, len, own, value, floats.quiet, None);
    }

    /// Goes to what comes back if no lane that runs has a NaN in either of two; those that have are in [`MADE`].
    fn unless_any(
        &mut self,
        floats: Floats,
        len: Len,
        [a, b]: [Reg; 2],
        mask: Option<Mask>,
    ) -> Label {
        let over = self.code.label();
        self.unordered(floats, (MADE, mask), len, a, b);
        self.code.test_masks(MADE, MADE);
        self.code.jump_if(If::Zero, over);
        over
    }

    /// In which lanes either of two is a NaN.
    fn unordered(
        &mut self,
        floats: Floats,
        (to, mask): (Mask, Option<Mask>),
        len: Len,
        a: Reg,
        b: Reg,
    ) {
        let to = (to, mask.unwrap_or(0), false);
        let number = Some(FLOAT_UNORDERED);
        self.code
            .masked(floats.compare, len, to, a, Rm::Reg(b), number);
    }

    /// Code of comparisons that look twice, and of ways out that part.
    pub fn emit_doubts(&mut self) {
        for parted in std::mem::take(&mut self.parted) {
            let code = &mut self.code;
            let Parted { len, value, .. } = parted;
            code.bind(parted.here);
            let (to, classes) = ((UNORDERED, parted.mask, false), Some(parted.classes));
            code.masked(parted.test, len, to, 0, Rm::Reg(value), classes);
            code.test_masks(UNORDERED, UNORDERED);
            code.jump_if(If::NotZero, parted.for_nan);
            code.jump(parted.leave);
        }
        for doubt in std::mem::take(&mut self.doubts) {
            let code = &mut self.code;
            let Doubt {
                len, value, mask, ..
            } = doubt;
            code.bind(doubt.here);
            let to = (UNORDERED, mask, false);
            code.masked(
                Vector::CMPPS,
                len,
                to,
                value,
                Rm::Reg(value),
                Some(FLOAT_UNORDERED),
            );
            code.test_masks(UNORDERED, UNORDERED);
            code.jump_if(If::NotZero, doubt.leave);
            let to = (CONDITION[0], mask, false);
            let relation = Some(doubt.relation);
            code.masked(Vector::CMPPS, len, to, value, doubt.number, relation);
            code.store_mask(Gpr::Rax, CONDITION[0]);
            code.jump(doubt.back);
        }
    }

    /// Leaves the region for a NaN in front of the op at hand if masks that were tested have any bit.
    pub fn leave_if_nan(&mut self) {
        let leave = self.leave_for_nan();
        self.code.jump_if(If::NotZero, leave);
    }

    /// Leaves the region in front of the op at hand where a lane that runs has a value of classes of which a NaN is made, if that
    /// is not done here, or of other classes.
    pub fn unless(&mut self, [nan, others]: [u8; 2], len: Len, value: Reg, mask: Option<Mask>) {
        let classes = if self.makes_nan { others } else { nan | others };
        if classes != 0 {
            self.which(classes, len, value, mask);
            self.leave_by_class(Vector::FPCLASSPS, (nan, others == 0), len, value, mask);
        }
    }

    /// Leaves the region if there are lanes in [`UNORDERED`]: for a NaN if one that runs has a value of which one is made.
    ///
    /// * `test`: what tells classes.
    /// * `nan`, `only`: the classes of which a NaN is made, and whether values of no others were looked for.
    /// * `mask`: lanes that run; another one than [`UNORDERED`], which is asked anew.
    pub fn leave_by_class(
        &mut self,
        test: Vector,
        (nan, only): (u8, bool),
        len: Len,
        value: Reg,
        mask: Option<Mask>,
    ) {
        self.code.test_masks(UNORDERED, UNORDERED);
        match (self.makes_nan || nan == 0, only) {
            (true, _) => self.leave_if_any(),
            (false, true) => self.leave_if_nan(),
            (false, false) => {
                let parted = Parted {
                    here: self.code.label(),
                    test,
                    classes: nan,
                    len,
                    value,
                    mask: mask.unwrap_or(0),
                    for_nan: self.leave_for_nan(),
                    leave: self.leave_label(),
                };
                self.code.jump_if(If::NotZero, parted.here);
                self.parted.push(parted);
            }
        }
    }

    /// Which lanes that run have values of these classes.
    pub fn which(&mut self, classes: u8, len: Len, value: Reg, mask: Option<Mask>) {
        let to = (UNORDERED, mask.unwrap_or(0), false);
        let value = Rm::Reg(value);
        self.code
            .masked(Vector::FPCLASSPS, len, to, 0, value, Some(classes));
    }
}
