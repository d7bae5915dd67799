//! LSC messages: data, addresses, caches.
//!
//! Source: vISA text reference 5.11 and 7.8, and what Intel's checker was observed to refuse.

use super::VarId;
use super::operand_size::{from_new_registers, must_hold_raw};
use super::rules::NULL;
use super::rules::{Context, Found};
use crate::diagnostic::Code;
use crate::isa::Opcode;
use crate::source::Span;
use crate::syntax::ast::{LscAddress, LscBlock, LscData, LscFunction, LscModel, Operand, Suffix};

/// Cache options, first and third level, that a kind of access has.
const LOAD_CACHES: &[(&str, &str)] = &[
    ("df", "df"),
    ("uc", "uc"),
    ("uc", "ca"),
    ("ca", "uc"),
    ("ca", "ca"),
    ("st", "uc"),
    ("st", "ca"),
    ("ri", "ca"),
];
const STORE_CACHES: &[(&str, &str)] = &[
    ("df", "df"),
    ("uc", "uc"),
    ("uc", "wb"),
    ("wb", "wb"),
    ("wt", "uc"),
    ("wt", "wb"),
    ("st", "uc"),
    ("st", "wb"),
];
/// Atomics are served after the first level.
const ATOMIC_CACHES: &[(&str, &str)] = &[("df", "df"), ("uc", "uc"), ("uc", "wb")];
/// Typed memory and `.ugml` have no choice.
const DEFAULT_CACHES: &[(&str, &str)] = &[("df", "df")];

/// Cache options of newer text, a word for each of three levels. Source: Xe2 messages reference 8.
fn three_caches(words: &[String], access: Access) -> bool {
    let words = [0, 1, 2].map(|n| words[n].as_str());
    let choice = |word: &str, other: &str| word == "uc" || word == other;
    match (access, words) {
        (_, ["df", "df", "df"]) | (Access::Load, ["ri", "ri", "ri"]) => true,
        (Access::Load, ["uc" | "ca" | "st", second, third]) => {
            choice(second, "ca") && choice(third, "ca")
        }
        (Access::Store, ["uc" | "wt", second, third]) => {
            choice(second, "wb") && choice(third, "wb")
        }
        (Access::Store, ["st" | "wb", second, third])
        | (Access::Atomic(_), ["uc", second, third]) => {
            choice(second, "wb") && choice(third, "wb") && (second, third) != ("wb", "wb")
        }
        _ => false,
    }
}

/// Registers that one message may move.
const MOST_REGISTERS: u64 = 8;

/// What an LSC instruction does with memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Load,
    Store,
    /// With so many sources.
    Atomic(usize),
    /// Fences and questions about surfaces.
    Other,
}

fn access(opcode: Opcode) -> Access {
    use Opcode::*;
    match opcode {
        LscLoad | LscLoadStrided | LscLoadQuad | LscLoadBlock2d | LscLoadStatus
        | LscLoadQuadMsrt => Access::Load,
        LscStore | LscStoreStrided | LscStoreQuad | LscStoreBlock2d | LscStoreUncompressed
        | LscStoreQuadMsrt => Access::Store,
        LscAtomicIinc | LscAtomicIdec | LscAtomicLoad => Access::Atomic(0),
        LscAtomicIcas | LscAtomicFcas | LscAtomicBfcas => Access::Atomic(2),
        LscAtomicStore | LscAtomicIadd | LscAtomicIsub | LscAtomicSmin | LscAtomicSmax
        | LscAtomicUmin | LscAtomicUmax | LscAtomicFadd | LscAtomicFsub | LscAtomicFmin
        | LscAtomicFmax | LscAtomicAnd | LscAtomicOr | LscAtomicXor | LscAtomicBfadd
        | LscAtomicBfsub | LscAtomicBfmin | LscAtomicBfmax => Access::Atomic(1),
        _ => Access::Other,
    }
}

/// Bytes of an element in memory and in a register; `u` is another spelling of `d`.
fn element_bytes(element: &str) -> (u64, u64) {
    match element.trim_start_matches(['d', 'u']) {
        "8" => (1, 1),
        "16" => (2, 2),
        "64" => (8, 8),
        word if word.starts_with("8") => (1, 4),
        word if word.starts_with("16") => (2, 4),
        _ => (4, 4),
    }
}

/// Shared function, data, address, caches, fences.
pub(super) fn lsc_message(cx: &Context<'_>, found: &mut Found<'_>) {
    let function = cx.instruction.suffix(|s| match s {
        Suffix::LscFunction(f) => Some(*f),
        _ => None,
    });
    let Some(function) = function else { return };
    let access = access(cx.opcode());
    for operand in &cx.instruction.operands {
        match &operand.node {
            Operand::LscData(data) => {
                lsc_data(cx, found, data, function, access, operand.span);
            }
            Operand::LscAddress(address) => {
                lsc_address(cx, found, address, function, operand.span);
            }
            _ => {}
        }
    }
    if let Access::Atomic(sources) = access {
        lsc_sources(cx, found, sources);
    }
    lsc_suffixes(cx, found, function, access);
    lsc_typed(cx, found, function, access);
}

fn lsc_suffixes(cx: &Context<'_>, found: &mut Found<'_>, function: LscFunction, access: Access) {
    for suffix in &cx.instruction.suffixes {
        match &suffix.node {
            // Shared local memory is not cached: compilers print the words, and they have no effect.
            Suffix::LscCache(_) if function == LscFunction::Slm => {}
            Suffix::LscCache(words) if words.len() == 1 => {
                let d = cx
                    .complaint(Code::E0362, "cache options come in pairs")
                    .at(suffix.span, "one of them")
                    .note("one word for the first cache level and one for the third, or none")
                    .help(format!(".{0}.{0}", words[0]));
                found.push(d);
            }
            Suffix::LscCache(words) => cache_pair(cx, found, words, function, access, suffix.span),
            Suffix::LscFence { op, scope }
                if function == LscFunction::Slm && (op != "none" || scope != "group") =>
            {
                let d = cx
                    .complaint(
                        Code::E0363,
                        "the fence of shared local memory must be .none.group",
                    )
                    .at(suffix.span, format!(".{op}.{scope}"))
                    .note("its bytes belong to one group and are not cached")
                    .help("lsc_fence.slm.none.group");
                found.push(d);
            }
            _ => {}
        }
    }
}

fn cache_pair(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    words: &[String],
    function: LscFunction,
    access: Access,
    span: Span,
) {
    let (legal, what) = match (function, access) {
        (LscFunction::Tgm | LscFunction::Ugml, _) => (DEFAULT_CACHES, "this shared function"),
        (_, Access::Load) => (LOAD_CACHES, "a load"),
        (_, Access::Store) => (STORE_CACHES, "a store"),
        (_, Access::Atomic(_)) => (ATOMIC_CACHES, "an atomic"),
        (_, Access::Other) => return,
    };
    if let [_, _, _] = words {
        if three_caches(words, access) {
            return;
        }
        let d = cx
            .complaint(
                Code::E0362,
                format!("{what} does not take these cache options"),
            )
            .at(span, format!(".{}", words.join(".")))
            .note("three words are those of the first, second and third level")
            .help(match access {
                Access::Load => ".ca.ca.ca",
                Access::Store => ".wb.wb.uc",
                _ => ".uc.uc.uc",
            })
            .see("Xe2 messages reference 8");
        found.push(d);
        return;
    }
    // `cc`, the constant cache, is an option of the third level.
    if matches!((access, words), (Access::Load, [first, third]) if third == "cc" && (first == "uc" || first == "ca"))
        || legal.contains(&(words[0].as_str(), words[1].as_str()))
    {
        return;
    }
    let pairs: Vec<String> = legal.iter().map(|(a, b)| format!(".{a}.{b}")).collect();
    let d = cx
        .complaint(
            Code::E0362,
            format!("{what} does not take these cache options"),
        )
        .at(span, format!(".{}", words.join(".")))
        .note(format!("{what} takes {}", pairs.join(" ")))
        .help(pairs[0].clone());
    found.push(d);
}

/// Typed memory: quads and atomics, at coordinates of a surface.
fn lsc_typed(cx: &Context<'_>, found: &mut Found<'_>, function: LscFunction, access: Access) {
    use Opcode::*;
    let may = matches!(
        cx.opcode(),
        LscLoadQuad
            | LscStoreQuad
            | LscLoadQuadMsrt
            | LscStoreQuadMsrt
            | LscReadStateInfo
            | LscFence
    ) || matches!(access, Access::Atomic(_))
        || is_typed_block(cx);
    if function == LscFunction::Tgm && !may {
        let d = cx
            .complaint(Code::E0364, "typed memory is accessed by quads")
            .at(cx.mnemonic(), ".tgm on an untyped operation")
            .help("lsc_load_quad.tgm");
        found.push(d);
    }
}

/// A 2D block without an element type, which only typed memory has.
fn is_typed_block(cx: &Context<'_>) -> bool {
    cx.instruction.operands.iter().any(
        |o| matches!(&o.node, Operand::LscData(d) if d.block.is_some() && d.element.is_empty()),
    )
}

fn lsc_data(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    data: &LscData<VarId>,
    function: LscFunction,
    access: Access,
    span: Span,
) {
    if access == Access::Store && data.raw.var.node == NULL {
        let d = cx
            .complaint(Code::E0371, "a store needs data")
            .at(span, "%null")
            .help("the variable that holds the values");
        return found.push(d);
    }
    if let Some(block) = data.block {
        return lsc_block(cx, found, data, block, access, span);
    }
    let lanes = u64::from(cx.lanes());
    if data.transposed && lanes != 1 {
        let d = cx
            .complaint(Code::E0365, "transposed access has one lane")
            .at(span, format!("{lanes} lanes"))
            .note("t reads consecutive elements from one address")
            .help("(M1_NM, 1)");
        return found.push(d);
    }
    if let Some(mask) = data.channels
        && access == Access::Store
        && !matches!(mask.0, 0b1 | 0b11 | 0b111 | 0b1111)
    {
        let full = 0xf >> mask.0.leading_zeros().saturating_sub(4);
        let d = cx
            .complaint(Code::E0366, "stored channels have a gap")
            .at(span, "channels of a store run from x without gaps")
            .help(format!(
                ".{}",
                &"xyzw"[..(full as u8).count_ones() as usize]
            ));
        return found.push(d);
    }
    if let Some((label, note)) = wrong_shape(data, function, access, cx.opcode()) {
        let d = cx
            .complaint(
                Code::E0367,
                format!("{} does not move this data", cx.opcode()),
            )
            .at(span, label)
            .note(note)
            .help(":d32");
        return found.push(d);
    }
    let (_, bytes) = element_bytes(&data.element);
    let components = data
        .channels
        .map_or(u64::from(data.vector), |c| u64::from(c.count()));
    let grf = u64::from(cx.grf);
    let (bytes, sum) = match data.transposed {
        true => {
            let all = components * bytes;
            (
                all,
                format!("{components} elements of {bytes} bytes: {all}"),
            )
        }
        false => from_new_registers((components, "component"), lanes, bytes, grf),
    };
    let registers = bytes.div_ceil(grf);
    if registers > MOST_REGISTERS {
        let d = cx
            .complaint(Code::E0372, "message moves too many registers")
            .at(span, format!("{registers} registers of {grf} bytes"))
            .note(sum)
            .note(format!(
                "one message moves at most {MOST_REGISTERS} registers"
            ))
            .help("two accesses of half as many components");
        return found.push(d);
    }
    if data.raw.var.node != NULL {
        let written = access != Access::Store;
        must_hold_raw(cx, found, &data.raw, span, bytes, written, &sum);
    }
}

/// The shape of a 2D block.
fn lsc_block(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    data: &LscData<VarId>,
    block: LscBlock,
    access: Access,
    span: Span,
) {
    if data.element.is_empty() {
        return typed_block(cx, found, block, span);
    }
    let (bytes, _) = element_bytes(&data.element);
    let is_load = access == Access::Load;
    let most_rows: u32 = if is_load { 32 } else { 8 };
    let most_blocks = match bytes {
        _ if !is_load || block.transposed => 1,
        8 => 1,
        4 => 2,
        _ => 4,
    };
    let row = u64::from(block.width) * bytes;
    let wrong = if data.element.contains('c') || data.element.len() > 3 {
        Some(format!(
            "{} converts; blocks are d8, d16, d32 or d64",
            data.element
        ))
    } else if row == 0 || row > 64 {
        Some(format!("rows of {row} bytes, 1 to 64 are legal"))
    } else if block.height == 0 || block.height > 32 {
        Some(format!("{} rows, 1 to 32 are legal", block.height))
    } else if !is_load && block.blocks != 1 {
        Some(format!("{} blocks; a store has one", block.blocks))
    } else if !block.blocks.is_power_of_two() || block.blocks > most_blocks {
        Some(format!(
            "{} blocks of {}, at most {most_blocks}",
            block.blocks, data.element
        ))
    } else if !is_load && block.vnni {
        Some("VNNI transform on a store".to_string())
    } else {
        None
    };
    if let Some(label) = wrong {
        let d = cx
            .complaint(Code::E0370, "2D block does not fit one message")
            .at(span, label)
            .note("a row has at most 64 bytes, a block at most 32 rows; up to four blocks of d8 and d16, two of d32, one of d64 are side by side, and one if transposed")
            .help(format!(":d8.64x{most_rows}nn"));
        found.push(d);
    }
}

/// The shape of a 2D block of texels, in bytes and rows. Source: Xe2 reference 4.
fn typed_block(cx: &Context<'_>, found: &mut Found<'_>, block: LscBlock, span: Span) {
    let most_rows = match block.width {
        1..=64 => 256 / block.width.next_power_of_two().max(4),
        _ => 0,
    };
    if (1..=most_rows).contains(&block.height) {
        return;
    }
    let label = match most_rows {
        0 => format!("rows of {} bytes, 1 to 64 are legal", block.width),
        _ => format!(
            "{} rows of {} bytes, at most {most_rows}",
            block.height, block.width
        ),
    };
    let d = cx
        .complaint(Code::E0370, "2D block does not fit one message")
        .at(span, label)
        .note("rows of 4, 8, 16, 32 and 64 bytes at most: 64, 32, 16, 8 and 4 of them")
        .help(":32x8")
        .see("Xe2 reference 4");
    found.push(d);
}

fn lsc_address(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    address: &LscAddress<VarId>,
    function: LscFunction,
    span: Span,
) {
    let name = match function {
        LscFunction::Ugm => "ugm",
        LscFunction::Ugml => "ugml",
        LscFunction::Slm => "slm",
        LscFunction::Tgm => "tgm",
    };
    let flat = matches!(
        address.model,
        LscModel::Flat | LscModel::FlatBase(_) | LscModel::Arg
    );
    let typed = function == LscFunction::Tgm;
    let absent = |o: &Operand<VarId>| matches!(o, Operand::Raw(r) if r.var.node == NULL);
    let untyped_parts = match cx.opcode() {
        Opcode::LscLoadStrided | Opcode::LscStoreStrided => 2,
        Opcode::LscLoadBlock2d | Opcode::LscStoreBlock2d => usize::MAX,
        _ => 1,
    };
    let (label, help) = if typed && flat {
        ("typed memory is a surface".to_string(), "bti(…)[…]:a32")
    } else if function == LscFunction::Slm && !flat {
        (
            "shared local memory is not a surface".to_string(),
            "flat[…]:a32",
        )
    } else if address.bits == 64 && matches!(function, LscFunction::Slm | LscFunction::Tgm) {
        (format!("64-bit addresses on .{name}"), ":a32")
    } else if address.bits == 16 && function != LscFunction::Slm {
        (
            format!("16-bit addresses on .{name}, only .slm has them"),
            ":a32",
        )
    } else if !typed && address.parts.len() > untyped_parts {
        (
            format!("{} parts; coordinates belong to .tgm", address.parts.len()),
            "[V]",
        )
    } else if address.parts.iter().any(|p| absent(&p.operand.node)) {
        ("%null holds no addresses".to_string(), "[V]")
    } else {
        return;
    };
    let d = cx
        .complaint(Code::E0368, "address does not fit the shared function")
        .at(span, label)
        .note("ugm takes a32 and a64, slm a16 and a32 and no surface, tgm a32 and coordinates u, v, r, level of a surface")
        .help(help);
    found.push(d);
}

/// Sources of an atomic: as many as the operation takes, the others `%null`.
fn lsc_sources(cx: &Context<'_>, found: &mut Found<'_>, wanted: usize) {
    let opcode = cx.opcode();
    for (n, index) in [2, 3].into_iter().enumerate() {
        let there = cx.raw(index).is_some();
        let Some(operand) = cx.operand(index) else {
            continue;
        };
        if there == (n < wanted) {
            continue;
        }
        let (title, label) = match there {
            true => (format!("{opcode} has no source {}", n + 1), "present"),
            false => (format!("{opcode} needs source {}", n + 1), "absent"),
        };
        let d = cx
            .complaint(Code::E0369, title)
            .at(operand.span, label)
            .note(format!("it uses {wanted} of the two sources"))
            .help("%null where there is none");
        found.push(d);
    }
}

/// What is wrong with the element, the vector or the transposition: label and rule.
fn wrong_shape(
    data: &LscData<VarId>,
    function: LscFunction,
    access: Access,
    opcode: Opcode,
) -> Option<(String, &'static str)> {
    let element = data.element.as_str();
    let (memory, register) = element_bytes(element);
    let spelled = format!("{element}x{}", data.vector);
    if let Access::Atomic(_) = access {
        let fits = matches!((memory, register), (4 | 8, _) | (2, 4)) && !element.ends_with('h');
        if !fits {
            return Some((element.to_string(), "atomics work on d16c32, d32 and d64"));
        }
        if data.vector != 1 || data.transposed {
            return Some((spelled, "atomics work on one element for each lane"));
        }
        if function == LscFunction::Slm && memory == 8 && opcode != Opcode::LscAtomicIcas {
            return Some((
                element.to_string(),
                "of 64-bit atomics shared local memory has icas only",
            ));
        }
        return None;
    }
    if data.vector == 1 {
        return None;
    }
    if memory != register {
        return Some((spelled, "data that is converted has no vectors"));
    }
    if memory < 4 && !data.transposed {
        return Some((spelled, "vectors are made of d32 and d64"));
    }
    let legal: &[u32] = match (data.transposed, function) {
        (true, _) => &[1, 2, 3, 4, 8, 16, 32, 64],
        (false, LscFunction::Ugml) => &[1, 2, 4],
        (false, _) => &[1, 2, 3, 4, 8],
    };
    if !legal.contains(&data.vector) {
        return Some((
            spelled,
            "vectors have 1, 2, 3, 4 or 8 elements (ugml: 1, 2 or 4), transposed also 16, 32 or 64",
        ));
    }
    None
}
