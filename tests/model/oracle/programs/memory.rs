//! Messages of the data port: blocks, lanes at offsets, texels, atomics.

use super::{Choices, channels, lanes, predicate, scalar, unsigned};
use visim::internals::isa::Platform;

pub(super) fn media(choices: &mut Choices, platform: Platform) -> String {
    let surface = match choices.one_in(10) {
        true => "%scratch",
        false => bindless(choices, platform),
    };
    let write = choices.one_in(3);
    let mut width = 1 + choices.below(64);
    if write {
        width = width.next_multiple_of(4);
    }
    let limit = match width {
        0..=4 => 64,
        5..=8 => 32,
        9..=16 => 16,
        17..=32 => 8,
        _ => 4,
    };
    let height = 1 + choices.below(limit);
    let (x, y) = (scalar(choices), scalar(choices));
    let plane = if choices.one_in(4) {
        choices.below(4)
    } else {
        0
    };
    if write {
        let mode = choices.pick(&["nomod", "modified", "top", "bottom"]);
        return format!("media_st.{mode} ({width},{height}) {surface} {plane} {x} {y} D0.0");
    }
    let mode = choices.pick(&[
        "nomod",
        "modified",
        "top",
        "bottom",
        "top_mod",
        "bottom_mod",
    ]);
    let to = choices.pick(&["VF", "VU", "VI", "VH", "VW", "VB", "VQ"]);
    format!("media_ld.{mode} ({width},{height}) {surface} {plane} {x} {y} {to}.0")
}

pub(super) fn surface(choices: &mut Choices, platform: Platform) -> &'static str {
    match choices.below(6) {
        3 => "%slm",
        4 => "%scratch",
        5 => bindless(choices, platform),
        _ => "T6",
    }
}

/// A surface that lies in memory; now and then the bindless one, for which the finalizer makes an
/// instruction that Gen8 has not.
fn bindless(choices: &mut Choices, platform: Platform) -> &'static str {
    match choices.one_in(4) && platform != Platform::Bdw {
        true => "%bss",
        false => "T6",
    }
}

pub(super) fn oword(choices: &mut Choices, platform: Platform) -> String {
    let count = 1 << choices.below(5);
    let to = match choices.one_in(3) {
        true => "%scratch",
        false => bindless(choices, platform),
    };
    let from = bindless(choices, platform);
    let offset = unsigned(choices);
    match choices.below(3) {
        0 => format!("oword_ld ({count}) {to} {offset} VF.0"),
        1 => format!("oword_ld_unaligned ({count}) {from} {offset} VF.0"),
        _ => format!("oword_st ({count}) {to} {offset} D0.0"),
    }
}

pub(super) fn scattered(choices: &mut Choices, platform: Platform) -> String {
    if choices.one_in(2) && platform != Platform::Pvc {
        return scatter(choices, platform);
    }
    let (bytes, size) = (1 << choices.below(3), 8 << choices.below(2));
    let (exec, to, offset) = (
        lanes(choices, size),
        surface(choices, platform),
        unsigned(choices),
    );
    format!("gather.{bytes} {exec} {to} {offset} A0.0 VU.0")
}

pub(super) fn scatter(choices: &mut Choices, platform: Platform) -> String {
    let (bytes, size) = (1 << choices.below(3), 8 << choices.below(2));
    let (exec, to, offset) = (
        lanes(choices, size),
        surface(choices, platform),
        unsigned(choices),
    );
    format!("scatter.{bytes} {exec} {to} {offset} A1.0 A2.0")
}

pub(super) fn scaled(choices: &mut Choices, platform: Platform) -> String {
    let size = 8 << choices.below(2);
    let guard = predicate(choices, size);
    let (exec, to, offset) = (
        lanes(choices, size),
        surface(choices, platform),
        unsigned(choices),
    );
    let (letters, bytes) = (channels(choices), 1 << choices.below(3));
    match choices.below(4) {
        0 => format!("{guard}gather_scaled.{bytes} {exec} {to} {offset} A0.0 VU.0"),
        1 => format!("{guard}scatter_scaled.{bytes} {exec} {to} {offset} A1.0 A2.0"),
        2 => format!("{guard}gather4_scaled.{letters} {exec} {to} {offset} A0.0 VU.0"),
        _ => format!("{guard}scatter4_scaled.{letters} {exec} {to} {offset} A0.0 D0.0"),
    }
}

pub(super) fn typed(choices: &mut Choices, platform: Platform) -> String {
    let exec = lanes(choices, 8);
    let letters = channels(choices);
    let given = 1 + choices.below(4);
    let coordinates: Vec<String> = (0..4)
        .map(|i| {
            let absent = i >= given || i > 0 && i + 1 < given && choices.one_in(4);
            match absent {
                true => "%null.0".into(),
                false => format!("A{}.0", choices.below(6)),
            }
        })
        .collect();
    let coordinates = coordinates.join(" ");
    let surface = bindless(choices, platform);
    if choices.one_in(2) && platform != Platform::Pvc {
        format!("scatter4_typed.{letters} {exec} {surface} {coordinates} D0.0")
    } else {
        format!("gather4_typed.{letters} {exec} {surface} {coordinates} VF.0")
    }
}

pub(super) fn atomic(choices: &mut Choices, platform: Platform) -> String {
    let op = choices.pick(&[
        "add", "sub", "inc", "dec", "min", "max", "xchg", "cmpxchg", "and", "or", "xor", "minsint",
        "maxsint",
    ]);
    // Sizes below the native one leave lanes of the payload to chance.
    let size = if platform == Platform::Pvc {
        16
    } else {
        8 << choices.below(2)
    };
    let guard = predicate(choices, size);
    let exec = lanes(choices, size);
    let to = if choices.one_in(4) { "%null" } else { "VU" };
    let sources = match op {
        "inc" | "dec" => "%null.0 %null.0",
        "cmpxchg" => "A1.0 A2.0",
        _ => "A1.0 %null.0",
    };
    let width = if choices.one_in(4) { ".16" } else { "" };
    let surface = bindless(choices, platform);
    let texels = choices.pick(&[surface, surface, "%slm", "%scratch"]);
    match choices.below(4) {
        3 => {
            let (op, sources) = [
                ("fadd", "F1.0 %null.0"),
                ("fmax", "F1.0 %null.0"),
                ("fmin", "F1.0 %null.0"),
                ("fcmpwr", "F1.0 F2.0"),
            ][choices.below(4) as usize];
            let to = if to == "VU" { "VF" } else { to };
            format!("{guard}dword_atomic.{op} {exec} {surface} A0.0 {sources} {to}.0")
        }
        0 => format!(
            "typed_atomic.{op}{width} {} {texels} A3.0 A4.0 %null.0 %null.0 {sources} {to}.0",
            lanes(choices, 8)
        ),
        _ => {
            // Signed operations take signed dwords, and 16 bits have no compare-and-exchange.
            let width = match op {
                "cmpxchg" | "minsint" | "maxsint" => "",
                _ => width,
            };
            let (sources, to) = match (op, to) {
                ("minsint" | "maxsint", "VU") => ("I0.0 %null.0", "VI"),
                ("minsint" | "maxsint", _) => ("I0.0 %null.0", to),
                _ => (sources, to),
            };
            format!("{guard}dword_atomic.{op}{width} {exec} {surface} A0.0 {sources} {to}.0")
        }
    }
}

pub(super) fn svm(choices: &mut Choices, platform: Platform) -> String {
    let count = 1 << choices.below(4);
    // Sixteen addresses of 8 bytes fill Q0.
    let size: u64 = if platform == Platform::Pvc {
        16
    } else {
        8 << choices.below(2)
    };
    let exec = lanes(choices, size);
    let letters = channels(choices);
    let offset = unsigned(choices);
    match choices.below(8) {
        // A second payload of sixteen registers, or eight of 64 bytes, and what the type makes of it.
        7 => {
            let blocks = match size {
                8 => "8.8",
                _ => choices.pick(&["4.8", "8.4"]),
            };
            let from = if blocks == "4.8" { "D0" } else { "DQ" };
            format!("svm_scatter.{blocks} {exec} Q0.0 {from}.0")
        }
        0 => format!("svm_block_ld ({count}) Q0(0,1)<0;1,0> VF.0"),
        1 => format!("svm_block_st ({count}) Q0(0,2)<0;1,0> D0.0"),
        2 => {
            let bytes = choices.pick(&["1", "4", "8"]);
            // Qwords of sixteen lanes fill the destination with two blocks.
            let blocks = 1 << choices.below(if bytes == "8" { 2 } else { 4 });
            let to = if bytes == "8" { "VQ" } else { "VF" };
            format!("svm_gather.{bytes}.{blocks} {exec} Q0.0 {to}.0")
        }
        3 => {
            let bytes = choices.pick(&["1", "4", "8"]);
            // Of sixteen lanes D0 has eight dwords each, Q0 eight bytes, the others four.
            let blocks = 1 << choices.below(if bytes == "8" { 3 } else { 4 });
            let from = match (bytes, blocks) {
                ("1", 1 | 2 | 4) | ("4", 1) => choices.pick(&["D0", "A2", "Q0", "B0"]),
                ("1", _) | ("8", 1) => choices.pick(&["D0", "Q0"]),
                // Sixteen registers and more.
                ("8", 4) => choices.pick(&["D0", "DQ"]),
                _ => "D0",
            };
            format!("svm_scatter.{bytes}.{blocks} {exec} Q0.0 {from}.0")
        }
        4 => format!("svm_gather4scaled.{letters} {exec} {offset} Q0.0 VF.0"),
        5 => format!("svm_scatter4scaled.{letters} {exec} {offset} Q0.0 D0.0"),
        _ => {
            let exec = lanes(choices, 8);
            let (op, sources) = [
                ("add", "A1.0 %null.0"),
                ("xchg", "A1.0 %null.0"),
                ("or", "A1.0 %null.0"),
                ("max", "A1.0 %null.0"),
                ("inc", "%null.0 %null.0"),
                ("cmpxchg", "A1.0 A2.0"),
            ][choices.below(6) as usize];
            let to = if choices.one_in(4) { "%null" } else { "VU" };
            format!("svm_atomic.{op} {exec} Q0.0 {to}.0 {sources}")
        }
    }
}
