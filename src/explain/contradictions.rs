//! Where a page says two things of an instruction, and which of them visim follows.
//!
//! The page of all of them is [`crate::internals::contradictions`].

use crate::check::{VarId, block_shape};
use crate::isa::{AvsControl, AvsMode, Opcode, Slot};
use crate::syntax::ast::{Instruction, Operand};

/// What the pages say in two ways that bears on an instruction.
pub(super) fn of(instruction: &Instruction<VarId>) -> Vec<&'static str> {
    let opcode = instruction.opcode.node;
    let operand = |index: usize| instruction.operands.get(index).map(|o| &o.node);
    let parameters = || {
        let fixed = opcode
            .info()
            .slots
            .iter()
            .filter(|s| !matches!(s, Slot::Params { .. }));
        instruction.operands.len().saturating_sub(fixed.count())
    };
    match opcode {
        Opcode::Avs => {
            let mut found = vec![
                "u2d: in AVS's Format, not in its Text; it is written, between deltaV and groupID (AVS reference D13)",
                "IEFBypass: the page bypasses the filter where bit 0 is 0, the message where bit 27 of M1.7 is 1; a run follows the page (AVS reference D1)",
                "groupID: messages of one group have GRFID in common, the register of the answer, but each block has an answer of its own; W0389 compares all but the destination (AVS reference 1.1)",
            ];
            if operand(11) == Some(&Operand::AvsMode(AvsMode::M16x8)) {
                found.push("N: R[0:N] of the Notes counts N in, 63 for 16x8 and the number of pixels otherwise; each part has 64 pixels (AVS reference 2)");
            }
            let channels = instruction.channels();
            let one = channels.is_some_and(|c| c.has(0) != c.has(2));
            if one && operand(9) == Some(&Operand::AvsControl(AvsControl::DownSample8)) {
                found.push("cntrl 3: the space of the absent one of R and B is kept with output shuffle alone, under which the Notes say it (AVS reference D5)");
            }
            found
        }
        Opcode::MediaLd | Opcode::MediaSt => match operand(0) {
            Some(&Operand::Block { width, .. })
                if block_shape(width).is_some_and(|(_, rows)| rows < 64) =>
            {
                vec![
                    "block_height: [1], [64] by its description, fewer rows by the table of widths and heights, which holds (MEDIA_LD, table)",
                ]
            }
            _ => Vec::new(),
        },
        Opcode::LoadLz if parameters() >= 3 => {
            vec![
                "lod: 3D_LOAD's Format has it before r for ld_lz too, its table of parameters and Text have none, which holds",
            ]
        }
        Opcode::LoadMcs if parameters() >= 3 => {
            vec![
                "lod, r: 3D_LOAD's Format has lod before r, its table of parameters and Text r before lod, which holds",
            ]
        }
        Opcode::Load2dmsW if parameters() >= 6 => {
            vec![
                "lod, r: 3D_LOAD's Format has lod before r, its table of parameters and Text r before lod, which holds",
            ]
        }
        _ => Vec::new(),
    }
}
