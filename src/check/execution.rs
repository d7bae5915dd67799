//! The execution part, predicates and saturation.
//!
//! Source: vISA text reference 4.2, 4.3, 4.5 and 7.6; the page 3D_LOAD, "Exec_size".

use super::Storage;
use super::rules::Rules;
use crate::diagnostic::Code;
use crate::isa::{Exec, ExecUse, Opcode, PredicateUse, Slot, Type};
use crate::source::Spanned;
use crate::syntax::ast::{Operand, Suffix};

const MASKS: &str = "vISA text reference 4.2, \"Execution size and mask\"";

impl Rules<'_> {
    /// Lanes, mask offset, predicate, saturation.
    pub fn execution(&mut self) {
        if let Some(exec) = self.instruction.exec
            && self.opcode().info().exec == ExecUse::Lanes
        {
            self.mask(exec);
        }
        self.predicate();
        self.saturation();
    }

    fn mask(&mut self, exec: Spanned<Exec>) {
        let (size, offset) = (exec.size, u32::from(exec.offset));
        let mask = offset / 4 + 1;
        if !matches!(size, 1 | 2 | 4 | 8 | 16 | 32) {
            let near = size.clamp(1, 32).next_power_of_two();
            let d = self
                .complaint(Code::E0401, format!("{size} is not an execution size"))
                .at(exec.span, "lanes are 1, 2, 4, 8, 16 or 32")
                .help(format!("(M1, {near})"))
                .see(MASKS);
            self.say(d);
        } else if matches!(self.opcode(), Opcode::Dpas | Opcode::Dpasw)
            && size != self.platform.native_lanes()
        {
            let lanes = self.platform.native_lanes();
            let d = self
                .complaint(
                    Code::E0401,
                    format!("{} runs on {lanes} lanes", self.opcode()),
                )
                .at(exec.span, format!("{size} lanes"))
                .note("one register of results to a row, a dword to a lane")
                .help(format!("(M1, {lanes})"))
                .see("vISA text reference 5.2; vISA DPAS");
            self.say(d);
        } else if offset + size > 32 {
            let d = self
                .complaint(Code::E0402, "mask reaches past lane 31")
                .at(exec.span, format!("lanes {offset}..={}", offset + size - 1))
                .note(format!(
                    "M{mask} starts at lane {offset}; {offset} + {size} = {} is more than 32",
                    offset + size
                ))
                .help(format!("(M{}, {size})", (32 - size) / 4 + 1))
                .see(MASKS);
            self.say(d);
        } else if offset % size != 0 {
            let down = offset / size * size;
            let d = self
                .page_rule(Code::E0403, "mask does not start at a multiple of the execution size")
                .at(exec.span, format!("M{mask} starts at lane {offset}, {size} lanes"))
                .note(format!(
                    "{offset} mod {size} = {}; Intel's checker lets this pass, its code generation complains and takes M1",
                    offset % size
                ))
                .help(format!("(M{}, {size})", down / 4 + 1))
                .see(MASKS);
            self.say(d);
        }
    }

    fn predicate(&mut self) {
        let opcode = self.opcode();
        let Some(predicate) = &self.instruction.predicate else {
            if opcode.info().predicate == PredicateUse::Required {
                let d = self
                    .complaint(Code::E0405, format!("{opcode} needs a predicate"))
                    .at(self.mnemonic(), "no predicate in front")
                    .note("the predicate receives the overflow bit of each lane")
                    .help(format!("(P1) {opcode} …"));
                self.say(d);
            }
            return;
        };
        let moves_predicate = opcode == Opcode::Mov
            && matches!(
                self.operand(1).map(|o| &o.node),
                Some(Operand::Predicate(_))
            );
        let logic_of_predicates =
            matches!(opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not)
                && matches!(
                    self.operand(0).map(|o| &o.node),
                    Some(Operand::Predicate(_))
                );
        match opcode.info().predicate {
            PredicateUse::Ignored => {
                let d = self
                    .complaint(Code::W0406, format!("predicate on {opcode} has no effect"))
                    .at(predicate.span, "dropped")
                    .note(format!("Intel's reader accepts a predicate on {opcode} and loses it; every active lane is written"))
                    .help(format!("{opcode} into another variable, then (P1) mov"))
                    .see("vISA text reference 4.3");
                self.say(d);
            }
            PredicateUse::Optional | PredicateUse::Required
                if !moves_predicate && !logic_of_predicates =>
            {
                self.predicate_covers_lanes();
            }
            _ if moves_predicate => {
                self.no_effect_on_predicate_move(
                    predicate.span,
                    "a predicate in front",
                    "mov …   // without it",
                );
            }
            _ => {
                let what = match logic_of_predicates {
                    true => format!("{opcode} of predicates"),
                    false => opcode.to_string(),
                };
                let d = self
                    .complaint(Code::E0404, format!("{what} takes no predicate"))
                    .at(predicate.span, "has no place here")
                    .help(format!("{opcode} …   // without it; select lanes with the execution mask or a following sel"))
                    .see("vISA text reference 4.3");
                self.say(d);
            }
        }
    }

    /// A predicate with fewer bits than the lanes it is asked for leaves the rest undefined.
    fn predicate_covers_lanes(&mut self) {
        let (Some(predicate), Some(exec)) = (&self.instruction.predicate, self.instruction.exec)
        else {
            return;
        };
        let last = u32::from(exec.offset) + exec.size;
        if let Storage::Predicate { bits } = self.unit.variable(predicate.var).storage
            && bits < last
            // One lane takes the first bit there is.
            && exec.size > 1
        {
            let name = self.name(predicate.var);
            let d = self
                .complaint(
                    Code::W0407,
                    format!("{name} has fewer bits than the lanes it guards"),
                )
                .at(
                    predicate.span,
                    format!("{bits} bits, lanes {}..={}", exec.offset, last - 1),
                )
                .note(format!(
                    "lane i uses bit i; bits from {bits} on are undefined and read as 0"
                ))
                .help(format!(
                    "num_elts={}   // on {name}",
                    last.next_power_of_two()
                ))
                .see("vISA text reference 4.2");
            self.say(d);
        }
    }

    fn saturation(&mut self) {
        let sat = |s: &&Spanned<Suffix>| s.node == Suffix::Saturate;
        let Some(suffix) = self.instruction.suffixes.iter().find(sat) else {
            return;
        };
        let opcode = self.opcode();
        let integer = self
            .operand(0)
            .and_then(|d| self.type_of(&d.node))
            .is_some_and(|t| t.is_integer());
        let double = self.operand(0).and_then(|d| self.type_of(&d.node)) == Some(Type::Df);
        let from_predicate = self
            .with_slots()
            .any(|(slot, o)| slot == Slot::SrcMov && matches!(o.node, Operand::Predicate(_)));
        let why = match opcode {
            Opcode::Frc => "a fraction lies in [0, 1) anyway",
            Opcode::Lzd | Opcode::Mod | Opcode::Mulh | Opcode::Madw => {
                "its result always fits or is cut on purpose"
            }
            Opcode::Div if integer => "an integer quotient cannot be out of range",
            Opcode::Div if double => "Intel's checker refuses it for df",
            Opcode::Mov if from_predicate => {
                self.no_effect_on_predicate_move(
                    suffix.span,
                    "saturation",
                    "mov …   // without it",
                );
                return;
            }
            _ => return,
        };
        let d = self
            .complaint(Code::E0417, format!("{opcode} does not saturate here"))
            .at(suffix.span, why)
            .help(format!("{opcode}   // without .sat"))
            .see("vISA text reference 7.8");
        self.say(d);
    }
}
