//! Doubles: as [`qwords`](super::qwords) are, eight lanes in a register.
//!
//! Whether their denormals are flushed is not known here: where a source or a result of a lane that runs is one, the region
//! is left, as it is where a result is NaN. Moves of singles and integers of 32 bits are exact.

use super::assembler::{Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, Emitter, SOURCE, UNORDERED};
use super::qwords::Qwords;
use crate::isa::{Modifier, Opcode};

/// Classes of values.
const NAN: u8 = 0x81;
const DENORMAL: u8 = 0x20;

const SIGN: u64 = 1 << 63;

impl Emitter {
    /// The result of eight lanes, in a register that is not the arena's.
    pub fn double_result(
        &mut self,
        op: &Qwords,
        opcode: Opcode,
        part: u32,
        mask: Option<Mask>,
    ) -> Reg {
        let mut src = SOURCE;
        for (k, from) in src.iter_mut().enumerate().take(op.src.len()) {
            *from = self.double_source(op, k, part);
        }
        if opcode == Opcode::Mov {
            return src[0];
        }
        for from in src.into_iter().take(op.src.len()) {
            self.unless_double(DENORMAL, from, mask);
        }
        let to = self.double_arithmetic(opcode, src);
        self.unless_double(NAN | DENORMAL, to, mask);
        to
    }

    /// A source in a register, its modifier applied.
    fn double_source(&mut self, op: &Qwords, k: usize, part: u32) -> Reg {
        let to = SOURCE[k];
        let from = self.quad(op, op.src[k].quad, part, to);
        let from = self.qword_in_register(from, to);
        let (vector, bits) = match op.src[k].modifier {
            None | Some(Modifier::Not) => return from,
            Some(Modifier::Neg) => (Vector::PXORQ, SIGN),
            Some(Modifier::Abs) => (Vector::PANDQ, !SIGN),
            Some(Modifier::NegAbs) => (Vector::PORQ, SIGN),
        };
        self.code
            .vector(vector, Len::Z, to, from, Rm::Const64(bits));
        to
    }

    fn double_arithmetic(&mut self, opcode: Opcode, [a, b, c]: [Reg; 3]) -> Reg {
        let to = BETWEEN[0];
        let code = &mut self.code;
        let one = Rm::Const64(1f64.to_bits());
        let (vector, first, second) = match opcode {
            Opcode::Add => (Vector::ADDPD, a, b),
            Opcode::Mul => (Vector::MULPD, a, b),
            Opcode::Div | Opcode::Divm => (Vector::DIVPD, a, b),
            Opcode::Sqrt | Opcode::Sqrtm => (Vector::SQRTPD, 0, a),
            Opcode::Mad => {
                code.vector(Vector::LOAD_QWORDS, Len::Z, to, 0, Rm::Reg(c));
                (Vector::FMADD231PD, a, b)
            }
            _ => {
                code.vector(Vector::BROADCAST_QWORD, Len::Z, to, 0, one);
                (Vector::DIVPD, to, a)
            }
        };
        code.vector(vector, Len::Z, to, first, Rm::Reg(second));
        to
    }

    /// Leaves the region in front of the op at hand where a lane that runs has a value of these classes.
    fn unless_double(&mut self, classes: u8, value: Reg, mask: Option<Mask>) {
        let to = (UNORDERED, mask.unwrap_or(0), false);
        let value = Rm::Reg(value);
        self.code
            .masked(Vector::FPCLASSPD, Len::Z, to, 0, value, Some(classes));
        self.code.test_masks(UNORDERED, UNORDERED);
        self.leave_if_any();
    }
}
