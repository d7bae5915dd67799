//! What a program calls its parts when it is spoken of.

use super::{Op, Owner, Program, Site};
use crate::isa::{Family, Opcode};

/// The text a program was written in: what is said of it uses that text's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Text {
    /// vISA.
    #[default]
    Visa,
    /// Programs made of sends, as the PRM writes them.
    Sends,
}

impl Program {
    /// The variable that owns the byte at an arena offset.
    pub fn owner(&self, offset: u32) -> Option<&Owner> {
        let after = self.owners.partition_point(|o| o.range.start <= offset);
        let owner = self.owners.get(after.checked_sub(1)?)?;
        owner.range.contains(&offset).then_some(owner)
    }

    /// Whether the byte at an offset is part of a constant: after everything that can be reached through an
    /// address, of no variable, and not where outside writes fall.
    pub fn is_constant(&self, offset: u32) -> bool {
        offset >= self.general_bytes && offset != self.sink && self.owner(offset).is_none()
    }

    /// Whether an op may run twice.
    pub fn may_go_back(&self) -> bool {
        let goes_back = |(pc, op): (u32, &Op)| match op {
            Op::Goto { target, .. } | Op::Jump { target, .. } => *target <= pc,
            Op::Switch { .. }
            | Op::Call { .. }
            | Op::CallFunction { .. }
            | Op::CallIndirect { .. } => true,
            _ => false,
        };
        (0..).zip(&self.ops).any(goes_back)
    }

    /// The text place of the op at `pc`; the end of the program has none.
    pub fn site(&self, pc: u32) -> Option<Site> {
        self.sites.get(pc as usize).copied()
    }

    /// The name of an instruction in the text the program was written in.
    pub fn mnemonic(&self, opcode: Opcode) -> &'static str {
        let info = opcode.info();
        match (self.text, info.family) {
            (Text::Sends, Family::RawMessage) => "send",
            _ => info.mnemonic,
        }
    }
}
