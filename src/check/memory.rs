//! Messages to surface and stateless memory, before LSC.
//!
//! Source: vISA text reference 5.9, 5.10 and 7.8.

use super::rules::Rules;
use crate::diagnostic::Code;
use crate::isa::{AtomicOp, ChannelMask, Opcode, Slot, Type};
use crate::syntax::ast::{Operand, Suffix};

impl Rules<'_> {
    /// Surface memory: owords, gathers, scatters, typed accesses, atomics.
    pub fn surface_memory(&mut self) {
        use Opcode::*;
        let lanes = u64::from(self.lanes());
        match self.opcode() {
            OwordLd | OwordSt | OwordLdUnaligned => self.owords(0, 2),
            Gather | Scatter => {
                self.element_size();
                self.gather_lanes();
                self.gather_data();
                self.lane_data(2, lanes * 4);
                self.lane_data(3, lanes * 4);
            }
            GatherScaled | ScatterScaled => {
                self.element_size();
                self.lane_data(2, lanes * 4);
                self.lane_data(3, lanes * 4);
            }
            Gather4Scaled | Scatter4Scaled => {
                self.lane_data(2, lanes * 4);
                self.channel_data(3);
            }
            Gather4Typed | Scatter4Typed => {
                self.typed_surface();
                (1..=4).for_each(|i| self.lane_data(i, lanes * 4));
                self.channel_data(5);
            }
            DwordAtomic => {
                self.atomic(Some(1), [2, 3], 4);
                (1..=4).for_each(|i| self.lane_data(i, lanes * 4));
            }
            TypedAtomic => {
                self.typed_surface();
                (1..=7).for_each(|i| self.lane_data(i, lanes * 4));
            }
            QwGather | QwScatter => {
                self.lane_data(1, lanes * 4);
                self.lane_data(2, lanes * 8);
            }
            _ => {}
        }
    }

    /// Stateless memory at 64-bit addresses.
    pub fn svm(&mut self) {
        use Opcode::*;
        let lanes = u64::from(self.lanes());
        match self.opcode() {
            SvmBlockLd | SvmBlockSt => self.owords(usize::MAX, 1),
            SvmGather | SvmScatter => {
                let Some((bytes, count)) = self.instruction.suffix(|s| match s {
                    Suffix::Blocks { bytes, count } => Some((*bytes, *count)),
                    _ => None,
                }) else {
                    return;
                };
                if !matches!(bytes, 1 | 4 | 8) || !matches!(count, 1 | 2 | 4 | 8) {
                    let d = self
                        .complaint(Code::E0353, format!("{bytes} bytes by {count} is no block of {}", self.opcode()))
                        .at(self.mnemonic(), format!(".{bytes}.{count}"))
                        .note("a block has 1, 4 or 8 bytes, and 1, 2, 4 or 8 of them belong to a lane")
                        .help(format!("{}.4.1", self.opcode()));
                    return self.say(d);
                }
                let (bytes, count) = (u64::from(bytes), u64::from(count));
                let lane = match bytes {
                    1 => count.max(4),
                    b => b * count,
                };
                self.lane_data(0, lanes * 8);
                self.lane_data(1, lanes * lane);
            }
            SvmGather4Scaled | SvmScatter4Scaled => {
                self.two_registers(0);
                self.channel_data(2);
            }
            SvmAtomic => {
                self.atomic(None, [2, 3], 1);
                self.lane_data(0, lanes * 8);
            }
            _ => {}
        }
    }

    /// Oword counts and what they move.
    fn owords(&mut self, surface: usize, data: usize) {
        let opcode = self.opcode();
        let Some(exec) = self.instruction.exec else {
            return;
        };
        if !matches!(exec.size, 1 | 2 | 4 | 8 | 16) {
            let near = exec.size.clamp(1, 16).next_power_of_two();
            let d = self
                .complaint(
                    Code::E0350,
                    format!("{opcode} does not move {} owords", exec.size),
                )
                .at(
                    exec.span,
                    "counts are 1, 2, 4 and 8, and 16 where the platform has it",
                )
                .note(format!(
                    "an oword has 16 bytes; the count is a code in the message, {} has none",
                    exec.size
                ))
                .help(format!("({near})"))
                .see("vISA text reference 7.8");
            return self.say(d);
        }
        let slm = self.surface(surface).filter(|s| s.1 == 0);
        if let Some((_, _, span)) = slm
            && !self.platform.slm_port
        {
            let d = self
                .complaint(
                    Code::E0352,
                    format!("{} has no oword access to %slm", self.platform),
                )
                .at(span, "icl and later have it")
                .note("before icl owords live in global memory only")
                .help("gather4_scaled.RGBA")
                .see("vISA text reference 5.14 and 7.8");
            self.say(d);
        }
        if exec.size == 16
            && opcode != Opcode::SvmBlockLd
            && opcode != Opcode::SvmBlockSt
            && (slm.is_none() || self.platform.lsc.is_none())
        {
            let d = self
                .complaint(
                    Code::W0351,
                    "16 owords are for shared local memory of later platforms",
                )
                .at(exec.span, "16 owords, 256 bytes")
                .note("Intel's assembler accepts the count everywhere; visim moves the 256 bytes")
                .help("two accesses of (8)")
                .see("vISA text reference 5.9");
            self.say(d);
        }
        let bytes = u64::from(exec.size) * 16;
        let sum = format!("{} owords of 16 bytes are {bytes} bytes", exec.size);
        self.must_hold(data, bytes, self.is_written(data), &sum);
    }

    fn is_written(&self, index: usize) -> bool {
        let slot = self.opcode().info().slots.get(index);
        slot.is_some_and(|s| *s == Slot::RawDst)
    }

    fn element_size(&mut self) {
        for suffix in &self.instruction.suffixes {
            if let Suffix::ElementBytes(n) = suffix.node
                && !matches!(n, 1 | 2 | 4)
            {
                let d = self
                    .complaint(Code::E0354, format!("elements have no {n} bytes"))
                    .at(suffix.span, "1, 2 or 4 bytes")
                    .help(format!("{}.4", self.opcode()))
                    .see("vISA text reference 7.8");
                self.say(d);
            }
        }
    }

    fn gather_lanes(&mut self) {
        let Some(exec) = self.instruction.exec else {
            return;
        };
        if matches!(exec.size, 2 | 4 | 32) {
            let opcode = self.opcode();
            let d = self
                .complaint(
                    Code::E0355,
                    format!("{opcode} does not work on {} lanes", exec.size),
                )
                .at(exec.span, "1, 8 or 16 lanes")
                .help(match exec.size {
                    32 => "(M1, 16)   // and again with (M5, 16)".to_string(),
                    _ => "(M1, 8)".to_string(),
                })
                .see("vISA text reference 5.9");
            self.say(d);
        }
    }

    /// The unscaled forms keep each element in a dword.
    fn gather_data(&mut self) {
        let Some((raw, span)) = self.raw(3) else {
            return;
        };
        let Some(ty) = self.var_type(raw.var.node) else {
            return;
        };
        if ty.bytes() != 4 {
            let opcode = self.opcode();
            let d = self
                .complaint(
                    Code::E0356,
                    format!("data of {opcode} is {ty}, not 4 bytes wide"),
                )
                .at(span, format!("{} bytes in an element", ty.bytes()))
                .note("each lane owns a dword of the data, whatever the size in memory")
                .help("alias it as ud")
                .see("vISA text reference 7.8");
            self.say(d);
        }
    }

    fn typed_surface(&mut self) {
        let Some((var, number, span)) = self.surface(0) else {
            return;
        };
        if matches!(number, 0 | 5) {
            let (opcode, name) = (self.opcode(), self.name(var));
            let title = format!("{opcode} does not work on {name}");
            // The finalizer lets atomics alone pass.
            let d = match opcode {
                Opcode::TypedAtomic => self.page_rule(Code::E0301, title),
                _ => self.complaint(Code::E0301, title),
            };
            let d = d
                .at(span, "memory without a format")
                .note("typed accesses convert by the format of a surface")
                .help("gather4_scaled or scatter4_scaled for raw dwords")
                .see("vISA text reference 7.8");
            self.say(d);
        }
    }

    /// Source operands of an atomic: which are there, and their types.
    fn atomic(&mut self, offsets: Option<usize>, sources: [usize; 2], dst: usize) {
        use AtomicOp::*;
        let Some(op) = self.instruction.suffix(|s| match s {
            Suffix::AtomicOp(op) => Some(*op),
            _ => None,
        }) else {
            return;
        };
        let opcode = self.opcode();
        let wanted = match op {
            Inc | Dec => 0,
            CmpXchg | FCmpWr => 2,
            _ => 1,
        };
        for (n, index) in sources.into_iter().enumerate() {
            let there = self.raw(index).is_some();
            let Some(operand) = self.operand(index) else {
                continue;
            };
            if there == (n < wanted) {
                continue;
            }
            let d = match there {
                true => self
                    .complaint(Code::E0357, format!("{opcode}.{op} has no source {n}"))
                    .at(operand.span, "present")
                    .help("%null.0"),
                false => self
                    .complaint(Code::E0357, format!("{opcode}.{op} needs source {n}"))
                    .at(operand.span, "absent")
                    .help(format!(
                        "%null.0 only where an operation takes fewer than {wanted} sources"
                    )),
            };
            self.say(d.note(format!("{op} takes {wanted} of the two sources")));
        }
        let bits = self.instruction.suffix(|s| match s {
            Suffix::Bits(b) => Some(*b),
            _ => None,
        });
        let float = matches!(op, FMax | FMin | FCmpWr | FAdd | FSub);
        // Surface atomics have one type each; where words are counted, and of 64-bit addresses, any of the
        // size will do.
        let exact = opcode == Opcode::DwordAtomic && bits.is_none();
        let fits = |ty: Type| match (float, bits) {
            (true, None) => ty == Type::F,
            (true, Some(_)) => ty.is_float() || ty.bytes() >= 4,
            (false, None) if exact => match op {
                Add | Sub => matches!(ty, Type::D | Type::Ud),
                MinSint | MaxSint => ty == Type::D,
                _ => ty == Type::Ud,
            },
            (false, None) => ty.is_integer() && ty.bytes() == 4,
            (false, Some(_)) => ty.is_integer(),
        };
        for index in [sources[0], sources[1], dst] {
            let Some((raw, span)) = self.raw(index) else {
                continue;
            };
            let Some(ty) = self.var_type(raw.var.node).filter(|ty| !fits(*ty)) else {
                continue;
            };
            let wanted = match op {
                _ if float => "f",
                MinSint | MaxSint if exact => "d",
                Add | Sub => "d or ud",
                _ if exact => "ud",
                _ => "d or ud",
            };
            // Intel's assembler looks at the types of surface atomics only.
            let code = match opcode {
                Opcode::SvmAtomic => Code::W0377,
                _ => Code::E0358,
            };
            let d = self
                .page_rule(code, format!("{opcode}.{op} does not work on {ty}"))
                .at(span, format!("{ty}, wanted {wanted}"))
                .help(format!(
                    "alias it as {}",
                    wanted.trim_start_matches("d or ")
                ))
                .see("vISA text reference 5.9, table of atomics");
            self.say(d);
        }
        if let Some((raw, span)) = offsets.and_then(|i| self.raw(i))
            && let Some(ty) = self.var_type(raw.var.node)
            && ty != Type::Ud
        {
            let d = self
                .complaint(Code::E0360, format!("offsets of {opcode} are {ty}, not ud"))
                .at(span, format!("type {ty}"))
                .help("alias it as ud")
                .see("vISA text reference 7.8");
            self.say(d);
        }
    }

    fn lane_data(&mut self, index: usize, bytes: u64) {
        let sum = format!("{} lanes, {bytes} bytes together", self.lanes());
        self.must_hold(index, bytes, self.is_written(index), &sum);
    }

    /// Data of one dword for each lane and enabled channel, each channel from a new register.
    fn channel_data(&mut self, index: usize) {
        let (lanes, grf) = (u64::from(self.lanes()), u64::from(self.grf));
        let channels = u64::from(self.instruction.channels().map_or(4, ChannelMask::count));
        let row = (lanes * 4).next_multiple_of(grf);
        let bytes = channels.saturating_sub(1) * row + lanes * 4;
        let sum = format!(
            "{channels} channels, each from a new register: {} * {row} + {} = {bytes}",
            channels.saturating_sub(1),
            lanes * 4
        );
        if !matches!(self.operand(index).map(|o| &o.node), Some(Operand::Raw(_))) {
            return;
        }
        self.must_hold(index, bytes, self.is_written(index), &sum);
    }
}
