//! What ops that compute do to a thread, as the reference does it.

use super::decoded::Decoded;
use super::general;
use crate::exec::state::thread::Thread;
use crate::isa::Opcode;
use crate::program::{Alu, CompareDest, Op};

impl Thread<'_> {
    /// Runs an op that computes, as the reference does.
    pub(crate) fn compute(&mut self, at: u32) {
        let program = self.program;
        match program.ops.get(at as usize) {
            Some(Op::Alu(alu)) => self.alu(alu),
            Some(Op::Compare {
                relation,
                lanes,
                dst,
                src,
            }) => {
                let mask = self.active(*lanes, None);
                let count = u32::from(lanes.count);
                let bits = general::compare(self, *relation, src, count);
                match dst {
                    CompareDest::Predicate(at) => {
                        self.write_predicate(*at, bits, mask, lanes.offset);
                    }
                    CompareDest::General(dst) => {
                        general::store_flags(self, dst, bits, mask, count);
                    }
                }
            }
            Some(Op::SetPredicate {
                lanes,
                dst,
                src,
                scalar,
            }) => {
                let count = u32::from(lanes.count);
                let (bits, mask) = if *scalar {
                    (general::scalar(self, src) as u32, lanes.all())
                } else {
                    (
                        general::low_bits(self, src, count),
                        self.active(*lanes, None),
                    )
                };
                self.write_predicate(*dst, bits, mask, lanes.offset);
            }
            Some(Op::PredicateLogic {
                opcode,
                lanes,
                dst,
                src,
            }) => {
                let mask = self.active(*lanes, None);
                let [a, b] = src.map(|at| self.dword(at));
                let bits = match opcode {
                    Opcode::And => a & b,
                    Opcode::Or => a | b,
                    Opcode::Xor => a ^ b,
                    _ => !a,
                };
                self.write_predicate(*dst, bits >> lanes.offset, mask, lanes.offset);
            }
            _ => {}
        }
    }

    fn alu(&mut self, alu: &Alu) {
        // The predicate of `sel` chooses; it does not mask.
        let select = alu.opcode == Opcode::Sel;
        let mask = self.active(alu.lanes, alu.guard.filter(|_| !select));
        if mask == 0 {
            return;
        }
        let chosen = match alu.guard {
            Some(guard) if select => self.predicate(alu.lanes, guard),
            _ => u32::MAX,
        };
        general::alu(self, alu, mask, chosen);
    }

    /// Puts the execution mask into `%ce0` and a time into `%tsc`: the instruction count, which is
    /// the same on every host.
    pub(crate) fn read_state(&mut self, code: &Decoded) {
        if let Some(ce0) = code.state.ce0 {
            self.set_dword(ce0, self.frame.em);
        }
        if let Some(tsc) = code.state.tsc {
            self.set_dword(tsc, self.executed as u32);
            self.set_dword(tsc + 4, (self.executed >> 32) as u32);
        }
    }

    /// Reads the float mode from `%cr0`.
    #[inline]
    pub(crate) fn load_control(&mut self, code: &Decoded) {
        if let Some(mode) = code.mode_of(&self.arena) {
            self.mode = mode;
        }
    }
}
