//! Writes to render targets and the URB, synchronisation, native math, raw messages.

use super::{Choices, predicate};
use visim::internals::isa::Platform;
use visim::internals::isa::slots::{LSC_FENCE_OPS, LSC_FENCE_SCOPES};

/// The second header register of all writes to render targets.
pub const TARGET_HEADER: &str = "A3";

/// Writes to render targets and the URB.
pub(super) fn target(choices: &mut Choices, platform: Platform) -> String {
    if choices.one_in(5) {
        let (count, offset) = (1 + choices.below(6), choices.below(100));
        let mask = choices.pick(&["%null", "A1"]);
        let slot = choices.pick(&["%null", "A2"]);
        return format!("urb_write_3d (M1, 8) {count} {offset} {mask}.0 A0.0 {slot}.0 D0.0");
    }
    let size = 8 << choices.below(2);
    let guard = predicate(choices, size);
    let half = choices.one_in(3);
    let mut flags = String::new();
    let mut operands = Vec::new();
    let mut flag = |choices: &mut Choices, name: &str, one_in: u64| {
        let on = choices.one_in(one_in);
        if on {
            flags += &format!("<{name}>");
        }
        on
    };
    for name in ["PS", "LRTW", "CM"] {
        flag(choices, name, 4);
    }
    flag(choices, "NULLRT", 6);
    // With the counter in a register the finalizer makes an instruction that Gen8 has not.
    if platform != Platform::Bdw && flag(choices, "CPS", 8) {
        operands.push("C0(0,6)<0;1,0>".into());
    }
    if flag(choices, "RTI", 3) {
        operands.push(unsigned_small(choices));
    }
    if flag(choices, "A", 4) {
        operands.push(if half { "H0.0" } else { "F4.0" }.into());
    }
    if flag(choices, "O", 5) {
        operands.push("W1.0".into());
    }
    for i in 0..4 {
        let (name, count) = if half { ("H", 3) } else { ("F", 4) };
        operands.push(match i > 0 && choices.one_in(8) {
            true => "%null.0".into(),
            false => format!("{name}{}.0", (i + 1) % count),
        });
    }
    if flag(choices, "Z", 5) {
        operands.push("F5.0".into());
    }
    // The copy of sixteen lanes runs past the one register it has, over whatever lies after.
    if size == 8 && flag(choices, "ST", 6) {
        operands.push("A4.0".into());
    }
    let dot = if flags.is_empty() { "" } else { "." };
    let mask = match size {
        8 => choices.pick(&["M1", "M5", "M3", "M7"]),
        _ => choices.pick(&["M1", "M5"]),
    };
    let operands = operands.join(" ");
    format!("{guard}rt_write_3d{dot}{flags} ({mask}, {size}) T6 {TARGET_HEADER}.0 {operands}")
}

pub(super) fn unsigned_small(choices: &mut Choices) -> String {
    match choices.below(3) {
        0 => "0x0:ud".into(),
        1 => format!("{:#x}:ud", 1 + choices.below(7)),
        _ => format!("C0(0,{})<0;1,0>", choices.below(8)),
    }
}

pub(super) fn sync(choices: &mut Choices, platform: Platform) -> String {
    let all = [
        "fence_global",
        "fence_global.E",
        "fence_global.EISCR",
        "fence_global.EL1",
        "fence_global.ER",
        "fence_local",
        "fence_local.E",
        "sampler_cache_flush",
        "sbarrier.signal",
        "barrier",
    ];
    // A barrier stops the copy propagation of Gen8: the number of a surface used after it is added
    // at run time in all its messages, and a descriptor made so keeps the two bits above 28 that a
    // constant one loses. Nothing in the message's own instruction tells which it will be.
    let kinds = all.len() - 2 * usize::from(platform == Platform::Bdw);
    if platform.place() >= Platform::Dg2.place() && choices.one_in(4) {
        return pipe_fence(choices);
    }
    choices.pick(&all[..kinds]).to_string()
}

/// A fence of the load/store pipe.
pub(super) fn pipe_fence(choices: &mut Choices) -> String {
    let function = choices.pick(&["ugm", "ugml", "tgm", "slm"]);
    if function == "slm" {
        return "lsc_fence.slm.none.group".into();
    }
    let (op, scope) = (choices.pick(LSC_FENCE_OPS), choices.pick(LSC_FENCE_SCOPES));
    format!("lsc_fence.{function}.{op}.{scope}")
}

/// Extended math; integer division left Intel's parts with DG2.
pub(super) fn math(choices: &mut Choices, platform: Platform) -> String {
    let size = 8 << choices.below(2);
    let no_mask = choices.pick(&["", "_NM"]);
    let exec = format!("(M1{no_mask}, {size})");
    if choices.one_in(4) && platform.place() < Platform::Dg2.place() {
        let op = choices.pick(&["div", "mod"]);
        let by = choices.pick(&["A1(0,0)<8;8,1>", "A1(0,3)<0;1,0>"]);
        return format!("{op} {exec} VU(0,0)<1> A0(0,0)<8;8,1> {by}");
    }
    let saturate = choices.pick(&["", ".sat"]);
    let op = choices.pick(&[
        "inv", "log", "exp", "sqrt", "rsqrt", "sin", "cos", "pow", "div",
    ]);
    let half = choices.one_in(5) && !matches!(op, "pow" | "div");
    let (to, from) = if half { ("VH", "H") } else { ("VF", "F") };
    let second = match op {
        "pow" | "div" => " F1(0,0)<8;8,1>",
        _ => "",
    };
    let region = choices.pick(&["(0,0)<8;8,1>", "(0,0)<8;8,1>", "(0,5)<0;1,0>"]);
    format!("{op}{saturate} {exec} {to}(0,0)<1> {from}0{region}{second}")
}

/// Raw messages: any function control and lengths, now and then others in the text than in the descriptors,
/// and bits that no field explains.
pub(super) fn raw(choices: &mut Choices, platform: Platform) -> String {
    let (first, back) = (1 + choices.below(2), choices.below(3));
    let second = match choices.one_in(6) {
        true => 15 + choices.below(2),
        false => 1 + choices.below(2),
    };
    // Of one source the text counts no fewer registers than the descriptor.
    let (more, more_back) = match choices.one_in(4) {
        true => (choices.below(3), choices.below(3)),
        false => (0, 0),
    };
    let control = choices.below(1 << 9) << 9 | choices.below(1 << 9);
    let function = [2, 10, 12][choices.below(3) as usize];
    // The end of the thread is not drawn.
    let strange = match choices.one_in(4) {
        true => choices.below(1 << 16) << 16 | 1 << (6 + choices.below(10)) | choices.below(2) << 4,
        false => 0,
    };
    // Where a dword is a handle or an extended descriptor before it is a descriptor, the finalizer leaves out
    // the second move and reads a register that nothing has written: each has dwords of its own.
    let own = choices.pick(&["0", "1", "2", "3", "7"]);
    let desc = match choices.below(4) {
        3 => format!("C0(0,{own})<0;1,0>"),
        _ => format!("{:#x}:ud", first << 25 | back << 20 | control),
    };
    let to = if back + more_back == 0 { "%null" } else { "VU" };
    let size = 8 << choices.below(2);
    let (sent, received) = (first + more, back + more_back);
    if platform == Platform::Bdw || choices.one_in(2) {
        let op = choices.pick(&["raw_send", "raw_sendc"]);
        let word = function | strange;
        return format!("{op} (M1, {size}) {word:#x} {sent} {received} {desc} P0.0 {to}.0");
    }
    // Of two sources also fewer, and another second length than that of the descriptor, as far as D0 has the
    // registers of both joined.
    let told = match choices.one_in(4) {
        true => choices.below(16),
        false => second & 0xf,
    };
    let most = u64::from(512 / platform.grf_bytes());
    let (second, told, strange) = match second | told | strange >> 6 & 0x1f {
        joined if joined > most => (second.min(most), second.min(most) & 0xf, 0),
        _ => (second, told, strange),
    };
    let ex_desc = match choices.one_in(4) {
        true => format!("C0(0,{})<0;1,0>", 4 + choices.below(3)),
        false => format!("{:#x}:ud", told << 6 | function | strange),
    };
    let sent = if more == 0 {
        sent
    } else {
        1 + choices.below(3)
    };
    let rest = match second | told | strange >> 6 & 0x1f {
        0..=2 => "P0.64",
        _ => "D0.0",
    };
    format!(
        "raw_sends.{function}.{sent}.{second}.{received} (M1, {size}) {ex_desc} {desc} P0.0 {rest} {to}.0"
    )
}
