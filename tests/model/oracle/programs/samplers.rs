//! Messages of the sampler: loads, samples, questions, the media forms.

use super::{Choices, channels, lanes, predicate, unsigned};
use visim::internals::isa::Platform;

/// Parameters: separate variables, or neighbours in one, with gaps and steps back.
pub(super) fn params(
    choices: &mut Choices,
    count: u64,
    float: bool,
    half: bool,
    register: u64,
) -> String {
    let mut words = Vec::new();
    let mut at = 0;
    for i in 0..count {
        let word = if i > 0 && choices.one_in(20) {
            "%null.0".into()
        } else if half {
            let names: &[&str] = if float {
                &["H0", "H1", "H2"]
            } else {
                &["W0", "W1"]
            };
            format!("{}.0", choices.pick(names))
        } else if float || choices.below(3) < 2 {
            let name = if float { "F" } else { "A" };
            format!("{name}{}.0", choices.below(6))
        } else {
            let here = at;
            at = match choices.below(4) {
                3 => 0,
                _ => (at + register) % 256,
            };
            format!("P0.{here}")
        };
        words.push(word);
    }
    words.join(" ")
}

pub(super) fn offsets(choices: &mut Choices) -> String {
    match choices.below(6) {
        5 => format!("W0(0,{})<0;1,0>", choices.below(8)),
        4 => format!("{:#x}:uw", 0x8000 | choices.below(4096)),
        3 => format!("{:#x}:uw", choices.below(4096)),
        _ => "0x0:uw".into(),
    }
}

/// A surface; now and then the bindless one, for which the finalizer makes an instruction that Gen8 has not.
fn surface(choices: &mut Choices, platform: Platform) -> &'static str {
    match choices.one_in(10) && platform != Platform::Bdw {
        true => "%bss",
        false => "T6",
    }
}

/// A sampler; now and then the bindless one.
fn sampler(choices: &mut Choices) -> &'static str {
    match choices.one_in(10) {
        true => "S31",
        false => "S16",
    }
}

pub(super) fn destination(choices: &mut Choices) -> &'static str {
    if choices.one_in(12) {
        return "%null";
    }
    choices.pick(&["VF", "VU", "VI", "VH", "VW"])
}

pub(super) fn null_mask(choices: &mut Choices, platform: Platform) -> &'static str {
    // Gen8 has none: there the finalizer gives up.
    if choices.one_in(5) && platform != Platform::Bdw {
        ".pixel_null_mask"
    } else {
        ""
    }
}

/// Bytes to the next register of a parameter.
pub(super) fn register(platform: Platform, size: u64) -> u64 {
    (size * 4).next_multiple_of(platform.grf_bytes().into())
}

pub(super) fn load(choices: &mut Choices, platform: Platform) -> String {
    let (op, most) = [
        ("load_3d", 4),
        ("load_lz", 3),
        ("load_mcs", 4),
        ("load_2dms_w", 7),
    ][choices.below(4) as usize];
    let size = 8 << choices.below(2);
    let guard = predicate(choices, size);
    let (mask, letters, exec) = (
        null_mask(choices, platform),
        channels(choices),
        lanes(choices, size),
    );
    let (offset, to) = (offsets(choices), destination(choices));
    // The form of load_2dms_w with 16-bit parameters appears with Gen11.
    let half =
        choices.one_in(3) && (op != "load_2dms_w" || platform.place() >= Platform::Icl.place());
    let count = 1 + choices.below(most);
    let from = surface(choices, platform);
    let params = params(choices, count, false, half, register(platform, size));
    format!("{guard}{op}{mask}.{letters} {exec} {offset} {from} {to}.0 {params}")
}

pub(super) fn sample(choices: &mut Choices, platform: Platform) -> String {
    let (op, most) = [
        ("sample_3d", 4),
        ("sample_b", 5),
        ("sample_l", 5),
        ("sample_c", 5),
        ("sample_d", 10),
        ("sample_b_c", 6),
        ("sample_l_c", 6),
        ("sample_d_c", 6),
        ("sample_lz", 4),
        ("sample_c_lz", 5),
    ][choices.below(10) as usize];
    let size = 8 << choices.below(2);
    let guard = predicate(choices, size);
    let (mask, letters, exec) = (
        null_mask(choices, platform),
        channels(choices),
        lanes(choices, size),
    );
    let (offset, to) = (offsets(choices), destination(choices));
    let half = choices.one_in(3);
    let count = 1 + choices.below(most);
    let gradients = matches!(op, "sample_3d" | "sample_b" | "sample_c" | "sample_b_c");
    let how = choices.pick(match gradients {
        true => &["", "", "", "", ".divS", ".cps"],
        false => &["", "", "", "", ".divS"],
    });
    let (state, from) = (sampler(choices), surface(choices, platform));
    let params = params(choices, count, true, half, register(platform, size));
    format!("{guard}{op}{mask}{how}.{letters} {exec} {offset} {state} {from} {to}.0 {params}")
}

/// Loads and samples of fewer lanes than a register holds, and of more than two hold.
pub(super) fn odd_lanes(choices: &mut Choices) -> String {
    let size = [1, 2, 4, 32][choices.below(4) as usize];
    let (letters, offset, to) = (channels(choices), offsets(choices), destination(choices));
    let count = 1 + choices.below(2) as usize;
    match choices.one_in(2) {
        true => {
            let params = ["P0.0", "P0.128"][..count].join(" ");
            format!("load_3d.{letters} (M1, {size}) {offset} T6 {to}.0 {params}")
        }
        false => {
            let params = ["D0.0", "D0.128"][..count].join(" ");
            format!("sample_3d.{letters} (M1, {size}) {offset} S16 T6 {to}.0 {params}")
        }
    }
}

pub(super) fn gather4(choices: &mut Choices, platform: Platform) -> String {
    let all = [
        ("sample4", 4),
        ("sample4_c", 5),
        ("sample4_po", 5),
        ("sample4_po_c", 6),
    ];
    let kinds = if platform.place() >= Platform::Dg2.place() {
        2
    } else {
        4
    };
    let (op, most) = all[choices.below(kinds) as usize];
    let size = 8 << choices.below(2);
    let guard = predicate(choices, size);
    let (mask, letter, exec) = (
        null_mask(choices, platform),
        choices.pick(&["R", "G", "B", "A"]),
        lanes(choices, size),
    );
    let (offset, to) = (offsets(choices), destination(choices));
    let half = choices.one_in(3);
    let count = 1 + choices.below(most);
    let (state, from) = (sampler(choices), surface(choices, platform));
    let params = params(choices, count, true, half, register(platform, size));
    format!("{guard}{op}{mask}.{letter} {exec} {offset} {state} {from} {to}.0 {params}")
}

pub(super) fn info(choices: &mut Choices) -> String {
    let (letters, size) = (channels(choices), 8 << choices.below(2));
    let exec = lanes(choices, size);
    if choices.one_in(2) {
        format!("resinfo.{letters} {exec} T6 A0.0 VF.0")
    } else {
        format!("sampleinfo.{letters} {exec} T6 VF.0")
    }
}

pub(super) fn avs(choices: &mut Choices, platform: Platform) -> String {
    let letters = channels(choices);
    // Now and then of another type, which is converted.
    let float = |choices: &mut Choices| match choices.one_in(10) {
        true => match choices.below(5) {
            0 => format!("{}:ud", choices.below(100)),
            1 => format!("-{}:w", 1 + choices.below(100)),
            2 => format!("C0(0,{})<0;1,0>", choices.below(8)),
            3 => format!("B0(0,{})<0;1,0>", choices.below(16)),
            _ => format!("H0(0,{})<0;1,0>", choices.below(16)),
        },
        false => format!("E0(0,{})<0;1,0>", choices.below(16)),
    };
    let f: Vec<String> = (0..6).map(|_| float(choices)).collect();
    if choices.one_in(3) {
        let format = choices.pick(&["16-full", "16-downsampled", "8-full", "8-downsampled"]);
        return format!(
            "sample_unorm.{letters}.{format} S16 T6 {} {} {} {} VW.0",
            f[0], f[1], f[2], f[3]
        );
    }
    if choices.one_in(2) {
        let size = 8 << choices.below(2);
        return if choices.one_in(2) {
            format!("sample.{letters} ({size}) S16 T6 F0.0 F1.0 F2.0 VF.0")
        } else {
            format!("load.{letters} ({size}) T6 A0.0 A1.0 A2.0 VF.0")
        };
    }
    let control = choices.pick(&[
        "AVS_16_FULL",
        "AVS_16_DOWN_SAMPLE",
        "AVS_8_FULL",
        "AVS_8_DOWN_SAMPLE",
    ]);
    let mode = choices.pick(&["AVS_16x4", "AVS_16x8"]);
    // Three channels of 128 pixels would not fit the destination; counted twice, two do not on
    // registers of 64 bytes, where the length does not wrap.
    let most = if platform == Platform::Pvc { 1 } else { 2 };
    let letters = if mode == "AVS_16x8" && letters.len() > most {
        "GA"[..most].to_string()
    } else {
        letters
    };
    let group = unsigned(choices);
    let block = match choices.one_in(10) {
        true => float(choices),
        false => unsigned(choices),
    };
    let ief = choices.below(2);
    let from = surface(choices, platform);
    format!(
        "avs.{letters} {from} S16 {} {} {} {} {} {group} {block} {control} {} {mode} {ief:#x}:ub VW.0",
        f[0], f[1], f[2], f[3], f[4], f[5]
    )
}
