//! The words of the pages for the operands of an instruction, and which byte of its destination is what.
//!
//! ```text
//!  media_ld (6,2)            bytes 0 to 5  row 0, x + 0 to 5     bytes 6 to 7  gap     bytes 8 to 13  row 1 …
//!  avs.RB, 16-bit, 16x4      bytes 0 to 31 R, y 0, x 0 to 15     …
//!  load_lz.RB (M1, 8)        bytes 0 to 31 R, lanes 0 to 7       bytes 32 to 63  B, lanes 0 to 7
//! ```
//!
//! Source: vISA MEDIA_LD, AVS and 3D_LOAD, "Format", "Text" and "Notes"; AVS reference 2.

use super::stepped::record::{PackedRow, Packing};
use crate::check::{Unit, VarId, block_shape, parameters};
use crate::isa::{Family, Opcode, Slot, SuffixSlot, Type};
use crate::sampler::avs;
use crate::syntax::ast::{Instruction, Operand, Suffix};

/// Names of the channels.
const CHANNELS: [char; 4] = ['R', 'G', 'B', 'A'];

/// The page's word for each operand, in the order of the text; the last goes on where operands go on.
pub(super) fn words(unit: &Unit, instruction: &Instruction<VarId>) -> Vec<String> {
    let short = |index: usize| {
        let operand = instruction.operands.get(index);
        let ty = operand.and_then(|o| type_of(unit, &o.node));
        ty.is_some_and(|ty| ty.bytes() == 2)
    };
    named(instruction.opcode.node, short)
}

/// The same of any instruction of an opcode, whose parameters are of 32 bits.
pub fn of_opcode(opcode: Opcode) -> Vec<String> {
    named(opcode, |_| false)
}

/// `short`: whether the operand at a position has elements of 16 bits.
fn named(opcode: Opcode, short: impl Fn(usize) -> bool) -> Vec<String> {
    const SAMPLED: [&str; 6] = [
        "sampler", "surface", "u_offset", "v_offset", "deltaU", "deltaV",
    ];
    const BLOCK: [&str; 5] = [
        "block_width, block_height",
        "surface",
        "plane",
        "x_offset",
        "y_offset",
    ];
    let listed: Vec<&str> = match opcode {
        Opcode::MediaLd => [&BLOCK[..], &["dst"]].concat(),
        Opcode::MediaSt => [&BLOCK[..], &["src"]].concat(),
        Opcode::Avs => [
            &SAMPLED[..],
            &[
                "u2d",
                "groupID",
                "verticalBlockNumber",
                "cntrl",
                "v2d",
                "execMode",
                "IEFBypass",
                "dst",
            ],
        ]
        .concat(),
        Opcode::SampleUnorm => [&SAMPLED[..], &["dst"]].concat(),
        _ => return by_slot(opcode, short),
    };
    listed.into_iter().map(str::to_owned).collect()
}

/// Words of instructions whose page has no list of their own: the slot's, the parameters' in their order.
fn by_slot(opcode: Opcode, short: impl Fn(usize) -> bool) -> Vec<String> {
    let slots = opcode.info().slots;
    let sources = slots.iter().filter(|s| is_source(**s)).count();
    let mut seen = 0;
    let mut words = Vec::new();
    for slot in slots {
        match slot {
            Slot::SamplerAndSurface => words.extend(["sampler".to_owned(), "surface".to_owned()]),
            Slot::Params { .. } => {
                words.extend(
                    parameters(opcode, short(words.len()))
                        .iter()
                        .map(|name| (*name).to_owned()),
                );
                words.push("parameter".to_owned());
            }
            Slot::Offsets => words.push("aoffimmi".to_owned()),
            Slot::Dst
            | Slot::DstMov
            | Slot::DstOrPred
            | Slot::DstPred
            | Slot::RawDst
            | Slot::LscData => {
                words.push("dst".to_owned());
            }
            slot if is_source(*slot) => {
                words.push(match sources {
                    1 => "src".to_owned(),
                    _ => format!("src{seen}"),
                });
                seen += 1;
            }
            slot => words.push(spelled(&format!("{slot:?}"))),
        }
    }
    words
}

fn is_source(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Src | Slot::SrcMov | Slot::SrcOrPred | Slot::RawSrc | Slot::Scalar
    )
}

/// `OptionalScalars(2)` as `optional scalars`.
fn spelled(slot: &str) -> String {
    let name = slot.split(['(', ' ']).next().unwrap_or_default();
    let mut words = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}

fn type_of(unit: &Unit, operand: &Operand<VarId>) -> Option<Type> {
    match operand {
        Operand::Raw(raw) => unit.element_type(raw.var.node),
        _ => None,
    }
}

/// Bytes of a destination in text order.
#[derive(Default)]
struct Drawing {
    rows: Vec<PackedRow>,
    at: usize,
}

impl Drawing {
    /// The next `bytes` bytes are `what`.
    fn put(&mut self, bytes: usize, what: impl Into<String>) {
        self.add(bytes, what.into(), false);
    }

    /// Nothing is written to the next `bytes` bytes.
    fn gap(&mut self, bytes: usize, what: impl Into<String>) {
        self.add(bytes, what.into(), true);
    }

    fn add(&mut self, bytes: usize, what: String, gap: bool) {
        if bytes == 0 {
            return;
        }
        let (first, last) = (self.at, self.at + bytes - 1);
        self.rows.push(PackedRow {
            first,
            last,
            what,
            gap,
        });
        self.at += bytes;
    }

    /// All of it, whatever the state; nothing if it is empty.
    fn always(self) -> Vec<Packing> {
        let when = String::new();
        let rows = self.rows;
        match rows.is_empty() {
            true => Vec::new(),
            false => vec![Packing { when, rows }],
        }
    }
}

/// A packing in lines for people.
pub(super) fn packed(packings: &[Packing]) -> Vec<String> {
    let of = |packing: &Packing| {
        let head = (!packing.when.is_empty()).then(|| format!("{}:", packing.when));
        let rows = packing.rows.iter();
        let rows =
            rows.map(|row| format!("bytes {:>4} to {:>4}  {}", row.first, row.last, row.what));
        head.into_iter().chain(rows).collect::<Vec<_>>()
    };
    packings.iter().flat_map(of).collect()
}

/// Which byte of the destination is which channel, pixel or gap, counted from the operand on; empty for
/// instructions that are not drawn.
pub(super) fn destination(unit: &Unit, instruction: &Instruction<VarId>, grf: u32) -> Vec<Packing> {
    let opcode = instruction.opcode.node;
    match opcode {
        Opcode::MediaLd => block(instruction),
        Opcode::Avs => scaled(instruction),
        _ if opcode.info().family == Family::Sampler3d => channels(unit, instruction, grf as usize),
        _ => Vec::new(),
    }
}

/// Rows of a media block, each at a multiple of the pitch.
fn block(instruction: &Instruction<VarId>) -> Vec<Packing> {
    let Some(&Operand::Block { width, height }) = instruction.operands.first().map(|o| &o.node)
    else {
        return Vec::new();
    };
    let Some((pitch, _)) = block_shape(width) else {
        return Vec::new();
    };
    let mut drawn = Drawing::default();
    for row in 0..height {
        drawn.put(
            width as usize,
            format!("row {row}, bytes x + 0 to x + {}", width - 1),
        );
        let gap = if row + 1 < height { pitch - width } else { 0 };
        drawn.gap(gap as usize, "gap");
    }
    drawn.always()
}

/// Channels of an AVS block; with output shuffle, which the sampler's state has, where it differs.
fn scaled(instruction: &Instruction<VarId>) -> Vec<Packing> {
    let operand = |index: usize| instruction.operands.get(index).map(|o| &o.node);
    let (Some(&Operand::AvsControl(control)), Some(&Operand::AvsMode(mode)), Some(channels)) =
        (operand(9), operand(11), instruction.channels())
    else {
        return Vec::new();
    };
    let drawn = |shuffle: bool| {
        let mut drawn = Drawing::default();
        for row in avs::Packing::of(channels, control, mode, shuffle).rows() {
            let channel = CHANNELS[row.channel];
            if !row.written {
                drawn.gap(
                    row.bytes,
                    format!("gap, of {channel}, which is not enabled"),
                );
                continue;
            }
            let last = row.x + (row.columns - 1) * row.step;
            let even = if row.step == 2 { ", even ones" } else { "" };
            let what = format!("{channel}, y {}, x {} to {last}{even}", row.y, row.x);
            drawn.put(row.bytes, what);
        }
        drawn
    };
    let (off, on) = (drawn(false), drawn(true));
    if off.rows == on.rows {
        return off.always();
    }
    let of = |when: &str, drawn: Drawing| Packing {
        when: when.to_owned(),
        rows: drawn.rows,
    };
    vec![
        of("output shuffle off in the sampler's state", off),
        of("output shuffle on", on),
    ]
}

/// Channels of a sampler message, each from a new register on.
fn channels(unit: &Unit, instruction: &Instruction<VarId>, grf: usize) -> Vec<Packing> {
    let slots = instruction.opcode.node.info().slots;
    let Some(at) = slots.iter().position(|s| *s == Slot::RawDst) else {
        return Vec::new();
    };
    let ty = instruction
        .operands
        .get(at)
        .and_then(|o| type_of(unit, &o.node));
    let (Some(ty), Some(exec)) = (ty, &instruction.exec) else {
        return Vec::new();
    };
    // gather4 names one source channel and returns four texels.
    let gathers = instruction
        .opcode
        .node
        .info()
        .suffixes
        .contains(&SuffixSlot::Channel);
    let names: Vec<String> = match (gathers, instruction.channels()) {
        (true, _) => (0..4).map(|n| format!("texel {n}")).collect(),
        (false, Some(mask)) => mask.iter().map(|c| CHANNELS[c].to_string()).collect(),
        (false, None) => CHANNELS.iter().map(char::to_string).collect(),
    };
    let lanes = exec.size as usize;
    let bytes = lanes * ty.bytes() as usize;
    let mut drawn = Drawing::default();
    for (n, name) in names.iter().enumerate() {
        drawn.put(bytes, format!("{name}, lanes 0 to {}", lanes - 1));
        let last = n + 1 == names.len() && !instruction.has(&Suffix::PixelNullMask);
        let gap = if last {
            0
        } else {
            bytes.next_multiple_of(grf) - bytes
        };
        drawn.gap(gap, "gap");
    }
    if instruction.has(&Suffix::PixelNullMask) {
        drawn.put(
            4,
            format!("pixel null mask, a bit for each of {lanes} lanes"),
        );
    }
    drawn.always()
}
