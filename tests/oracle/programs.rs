//! Random legal programs: messages of every kind, operands together and apart, with and without headers.

use proptest::prelude::*;
use std::fmt::Write as _;
use visim::isa::slots::{LSC_FENCE_OPS, LSC_FENCE_SCOPES};
use visim::isa::{ChannelMask, Platform};

/// Instructions of one program at most.
const INSTRUCTIONS: usize = 16;

/// Choices that one instruction, or what stands in front of all, takes at most.
const CHOICES: usize = 64;

/// The choices of a part of a program, one after the other: numbers that proptest draws. A smaller
/// number is an earlier alternative, and earlier ones are plainer, so shrinking makes plainer programs.
pub struct Choices<'a>(std::slice::Iter<'a, u16>);

impl Choices<'_> {
    fn below(&mut self, n: u64) -> u64 {
        let drawn = self.0.next().copied().unwrap_or(0);
        (u64::from(drawn) * n) >> 16
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == n - 1
    }
}

/// A program: what all of them declare, what this one sets, and its instructions.
#[derive(Clone, Debug)]
pub struct Program {
    head: String,
    pub statements: Vec<String>,
}

/// Programs for a platform.
pub fn programs(platform: Platform) -> impl Strategy<Value = Program> {
    let choices = || proptest::array::uniform::<_, CHOICES>(any::<u16>());
    let instructions = proptest::collection::vec(choices(), 1..=INSTRUCTIONS);
    (choices(), instructions, choices()).prop_map(move |(head, instructions, last)| Program {
        head: declarations() + &settings(&mut Choices(head.iter())),
        statements: instructions
            .iter()
            .map(|drawn| statement(&mut Choices(drawn.iter()), platform))
            .chain(last_word(&mut Choices(last.iter()), platform))
            .collect(),
    })
}

impl Program {
    /// The program with some of its instructions.
    pub fn text(&self, statements: &[String]) -> String {
        let mut text = self.head.clone();
        for statement in statements {
            let _ = writeln!(text, "    {statement}");
        }
        text += "    ret (M1, 1)\n";
        text
    }
}

/// The numbers of surface and sampler, known or not, and the predicate.
fn settings(choices: &mut Choices) -> String {
    let mut head = String::new();
    let mut number = |to: &str, below: u64, unknown: &str, one_in: u64| {
        let drawn = choices.below(below);
        let from = match choices.one_in(one_in) {
            true => unknown.into(),
            false => format!("{drawn}:ud"),
        };
        let _ = writeln!(head, "    movs (M1_NM, 1) {to}(0) {from}");
    };
    number("T6", 240, "C0(0,2)<0;1,0>", 4);
    number("S16", 16, "C0(0,3)<0;1,0>", 5);
    head + "    cmp.gt (M1, 16) P1 A5(0,0)<8;8,1> 0x3:ud\n"
}

/// Declarations all programs share; sizes leave the finalizer registers to spare.
fn declarations() -> String {
    let mut t = String::from(".version 4.1\n.kernel \"k\"\n");
    let mut offset = 64;
    let mut inputs = String::new();
    let mut input = |t: &mut String, name: &str, ty: &str, count: u32, bytes: u32| {
        let _ = writeln!(
            t,
            ".decl {name} v_type=G type={ty} num_elts={count} align=GRF"
        );
        let _ = writeln!(
            inputs,
            ".input {name} offset={offset} size={}",
            count * bytes
        );
        offset += count * bytes;
    };
    for i in 0..6 {
        input(&mut t, &format!("A{i}"), "ud", 16, 4);
    }
    for i in 0..6 {
        input(&mut t, &format!("F{i}"), "f", 16, 4);
    }
    for i in 0..3 {
        input(&mut t, &format!("H{i}"), "hf", 32, 2);
    }
    input(&mut t, "P0", "ud", 80, 4);
    input(&mut t, "C0", "ud", 16, 4);
    input(&mut t, "B0", "w", 32, 2);
    input(&mut t, "E0", "f", 16, 4);
    input(&mut t, "Q0", "uq", 16, 8);
    input(&mut t, "D0", "f", 128, 4);
    let _ = writeln!(t, ".decl VF v_type=G type=f num_elts=160 align=GRF");
    for (name, ty, count) in [
        ("VU", "ud", 160),
        ("VI", "d", 160),
        ("VH", "hf", 320),
        ("VW", "uw", 320),
        ("VB", "ub", 640),
        ("VQ", "uq", 80),
    ] {
        let _ = writeln!(
            t,
            ".decl {name} v_type=G type={ty} num_elts={count} align=GRF alias=<VF,0>"
        );
    }
    for (name, of, ty, count) in [
        ("W0", "A0", "uw", 32),
        ("W1", "A1", "uw", 32),
        ("I0", "A2", "d", 16),
    ] {
        let _ = writeln!(
            t,
            ".decl {name} v_type=G type={ty} num_elts={count} align=GRF alias=<{of},0>"
        );
    }
    t += ".decl P1 v_type=P num_elts=16\n.decl T6 v_type=T num_elts=1\n.decl S16 v_type=S num_elts=1\n";
    t += &inputs;
    t += ".kernel_attr Target=\"cm\"\n.function \"main\"\nmain:\n";
    t
}

fn channels(choices: &mut Choices) -> String {
    ChannelMask(1 + choices.below(15) as u8).to_string()
}

/// A mask part that suits the size: offsets are multiples of it.
fn lanes(choices: &mut Choices, size: u64) -> String {
    let places = if size == 8 { 4 } else { 2 };
    let place = 1 + choices.below(places) * size / 4;
    let no_mask = if choices.one_in(4) { "_NM" } else { "" };
    format!("(M{place}{no_mask}, {size})")
}

fn scalar(choices: &mut Choices) -> String {
    match choices.below(4) {
        0 => format!("{:#x}:ud", choices.below(4096)),
        1 => format!("-{}:w", 1 + choices.below(30)),
        2 => format!("B0(0,{})<0;1,0>", choices.below(16)),
        _ => format!("C0(0,{})<0;1,0>", choices.below(8)),
    }
}

fn unsigned(choices: &mut Choices) -> String {
    match choices.below(3) {
        0 => "0x0:ud".into(),
        1 => format!("{:#x}:ud", 16 * choices.below(64)),
        _ => format!("C0(0,{})<0;1,0>", choices.below(8)),
    }
}

fn predicate(choices: &mut Choices, size: u64) -> &'static str {
    match choices.below(6) {
        4 if size == 16 => "(P1) ",
        5 if size == 16 => "(!P1) ",
        _ => "",
    }
}

/// Parameters: separate variables, or neighbours in one, with gaps and steps back.
fn params(choices: &mut Choices, count: u64, float: bool, half: bool, register: u64) -> String {
    let mut words = Vec::new();
    let mut at = 0;
    for _ in 0..count {
        let word = if half {
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

fn statement(choices: &mut Choices, platform: Platform) -> String {
    match choices.below(22) {
        0..=2 => media(choices),
        3..=5 => load(choices, platform),
        6..=8 => sample(choices, platform),
        9 => gather4(choices, platform),
        10 => info(choices),
        11 => avs(choices, platform),
        12 => oword(choices),
        13 => scattered(choices, platform),
        14 => scaled(choices),
        15 => typed(choices, platform),
        16 => atomic(choices, platform),
        17 => svm(choices, platform),
        18 if platform == Platform::Pvc => load(choices, platform),
        18 => target(choices),
        19 => sync(choices, platform),
        20 => math(choices, platform),
        _ => raw(choices, platform),
    }
}

/// Copies that go astray on PVC, over whatever lies behind a payload or a header: nothing may follow them.
fn last_word(choices: &mut Choices, platform: Platform) -> Option<String> {
    let now = choices.one_in(3) && platform == Platform::Pvc;
    now.then(|| match choices.below(4) {
        0 => scatter(choices),
        _ => target(choices),
    })
}

fn media(choices: &mut Choices) -> String {
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
        return format!("media_st.{mode} ({width},{height}) T6 {plane} {x} {y} D0.0");
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
    format!("media_ld.{mode} ({width},{height}) T6 {plane} {x} {y} {to}.0")
}

fn offsets(choices: &mut Choices) -> String {
    match choices.below(4) {
        3 => format!("{:#x}:uw", choices.below(4096)),
        _ => "0x0:uw".into(),
    }
}

fn destination(choices: &mut Choices) -> &'static str {
    if choices.one_in(12) {
        return "%null";
    }
    choices.pick(&["VF", "VU", "VI", "VH", "VW"])
}

fn null_mask(choices: &mut Choices, platform: Platform) -> &'static str {
    // Gen8 has none: there the finalizer gives up.
    if choices.one_in(5) && platform != Platform::Bdw {
        ".pixel_null_mask"
    } else {
        ""
    }
}

/// Bytes to the next register of a parameter.
fn register(platform: Platform, size: u64) -> u64 {
    (size * 4).next_multiple_of(platform.grf_bytes().into())
}

fn load(choices: &mut Choices, platform: Platform) -> String {
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
    let half = choices.one_in(3) && (op != "load_2dms_w" || platform >= Platform::Icl);
    let count = 1 + choices.below(most);
    let params = params(choices, count, false, half, register(platform, size));
    format!("{guard}{op}{mask}.{letters} {exec} {offset} T6 {to}.0 {params}")
}

fn sample(choices: &mut Choices, platform: Platform) -> String {
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
    let params = params(choices, count, true, half, register(platform, size));
    format!("{guard}{op}{mask}.{letters} {exec} {offset} S16 T6 {to}.0 {params}")
}

fn gather4(choices: &mut Choices, platform: Platform) -> String {
    let all = [
        ("sample4", 4),
        ("sample4_c", 5),
        ("sample4_po", 5),
        ("sample4_po_c", 6),
    ];
    let kinds = if platform >= Platform::Dg2 { 2 } else { 4 };
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
    let params = params(choices, count, true, half, register(platform, size));
    format!("{guard}{op}{mask}.{letter} {exec} {offset} S16 T6 {to}.0 {params}")
}

fn info(choices: &mut Choices) -> String {
    let (letters, size) = (channels(choices), 8 << choices.below(2));
    let exec = lanes(choices, size);
    if choices.one_in(2) {
        format!("resinfo.{letters} {exec} T6 A0.0 VF.0")
    } else {
        format!("sampleinfo.{letters} {exec} T6 VF.0")
    }
}

fn avs(choices: &mut Choices, platform: Platform) -> String {
    let letters = channels(choices);
    let float = |choices: &mut Choices| format!("E0(0,{})<0;1,0>", choices.below(16));
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
    let (group, block) = (unsigned(choices), unsigned(choices));
    let ief = choices.below(2);
    format!(
        "avs.{letters} T6 S16 {} {} {} {} {} {group} {block} {control} {} {mode} {ief:#x}:ub VW.0",
        f[0], f[1], f[2], f[3], f[4], f[5]
    )
}

fn surface(choices: &mut Choices) -> &'static str {
    match choices.below(5) {
        3 => "%slm",
        4 => "%scratch",
        _ => "T6",
    }
}

fn oword(choices: &mut Choices) -> String {
    let count = 1 << choices.below(4);
    let to = if choices.one_in(3) { "%scratch" } else { "T6" };
    let offset = unsigned(choices);
    match choices.below(3) {
        0 => format!("oword_ld ({count}) {to} {offset} VF.0"),
        1 => format!("oword_ld_unaligned ({count}) T6 {offset} VF.0"),
        _ => format!("oword_st ({count}) {to} {offset} D0.0"),
    }
}

fn scattered(choices: &mut Choices, platform: Platform) -> String {
    if choices.one_in(2) && platform != Platform::Pvc {
        return scatter(choices);
    }
    let (bytes, size) = (1 << choices.below(3), 8 << choices.below(2));
    let (exec, to, offset) = (lanes(choices, size), surface(choices), unsigned(choices));
    format!("gather.{bytes} {exec} {to} {offset} A0.0 VU.0")
}

fn scatter(choices: &mut Choices) -> String {
    let (bytes, size) = (1 << choices.below(3), 8 << choices.below(2));
    let (exec, to, offset) = (lanes(choices, size), surface(choices), unsigned(choices));
    format!("scatter.{bytes} {exec} {to} {offset} A1.0 A2.0")
}

fn scaled(choices: &mut Choices) -> String {
    let size = 8 << choices.below(2);
    let guard = predicate(choices, size);
    let (exec, to, offset) = (lanes(choices, size), surface(choices), unsigned(choices));
    let (letters, bytes) = (channels(choices), 1 << choices.below(3));
    match choices.below(4) {
        0 => format!("{guard}gather_scaled.{bytes} {exec} {to} {offset} A0.0 VU.0"),
        1 => format!("{guard}scatter_scaled.{bytes} {exec} {to} {offset} A1.0 A2.0"),
        2 => format!("{guard}gather4_scaled.{letters} {exec} {to} {offset} A0.0 VU.0"),
        _ => format!("{guard}scatter4_scaled.{letters} {exec} {to} {offset} A0.0 D0.0"),
    }
}

fn typed(choices: &mut Choices, platform: Platform) -> String {
    let exec = lanes(choices, 8);
    let letters = channels(choices);
    let given = 1 + choices.below(4);
    let coordinates: Vec<String> = (0..4)
        .map(|i| {
            // A null operand in the middle is not tried: where its garbage lies depends on the
            // operands' neighbours in ways the reference leaves open.
            if i >= given {
                "%null.0".into()
            } else {
                format!("A{}.0", choices.below(6))
            }
        })
        .collect();
    let coordinates = coordinates.join(" ");
    if choices.one_in(2) && platform != Platform::Pvc {
        format!("scatter4_typed.{letters} {exec} T6 {coordinates} D0.0")
    } else {
        format!("gather4_typed.{letters} {exec} T6 {coordinates} VF.0")
    }
}

fn atomic(choices: &mut Choices, platform: Platform) -> String {
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
    match choices.below(3) {
        0 => format!(
            "typed_atomic.{op}{width} {} T6 A3.0 A4.0 %null.0 %null.0 {sources} {to}.0",
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
            format!("{guard}dword_atomic.{op}{width} {exec} T6 A0.0 {sources} {to}.0")
        }
    }
}

fn svm(choices: &mut Choices, platform: Platform) -> String {
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
    match choices.below(7) {
        0 => format!("svm_block_ld ({count}) Q0(0,1)<0;1,0> VF.0"),
        1 => format!("svm_block_st ({count}) Q0(0,2)<0;1,0> D0.0"),
        2 => {
            let blocks = 1 << choices.below(4);
            format!(
                "svm_gather.{}.{blocks} {exec} Q0.0 VF.0",
                choices.pick(&["1", "4"])
            )
        }
        3 => {
            let blocks = 1 << choices.below(2);
            format!(
                "svm_scatter.{}.{blocks} {exec} Q0.0 D0.0",
                choices.pick(&["1", "4"])
            )
        }
        4 => format!("svm_gather4scaled.{letters} {exec} {offset} Q0.0 VF.0"),
        5 => format!("svm_scatter4scaled.{letters} {exec} {offset} Q0.0 D0.0"),
        _ => {
            let exec = lanes(choices, 8);
            format!("svm_atomic.add {exec} Q0.0 VU.0 A1.0 %null.0")
        }
    }
}

/// The second header register of all writes to render targets.
pub const TARGET_HEADER: &str = "A3";

/// Writes to render targets and the URB.
fn target(choices: &mut Choices) -> String {
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
    // The copy of sixteen lanes runs past the one register it has, over whatever lies behind.
    if size == 8 && flag(choices, "ST", 6) {
        operands.push("A4.0".into());
    }
    let dot = if flags.is_empty() { "" } else { "." };
    let mask = choices.pick(&["M1", "M5"]);
    let operands = operands.join(" ");
    format!("{guard}rt_write_3d{dot}{flags} ({mask}, {size}) T6 {TARGET_HEADER}.0 {operands}")
}

fn unsigned_small(choices: &mut Choices) -> String {
    match choices.below(3) {
        0 => "0x0:ud".into(),
        1 => format!("{:#x}:ud", 1 + choices.below(7)),
        _ => format!("C0(0,{})<0;1,0>", choices.below(8)),
    }
}

fn sync(choices: &mut Choices, platform: Platform) -> String {
    let all = [
        "fence_global",
        "fence_global.E",
        "fence_global.EISCR",
        "fence_global.EL1",
        "fence_global.ER",
        "fence_local",
        "fence_local.E",
        "sampler_cache_flush",
        "barrier",
    ];
    // A barrier stops the copy propagation of Gen8: the number of a surface used behind it is added
    // at run time in all its messages, and a descriptor made so keeps the two bits above 28 that a
    // constant one loses. Nothing in the message's own instruction tells which it will be.
    let kinds = all.len() - usize::from(platform == Platform::Bdw);
    if platform >= Platform::Dg2 && choices.one_in(4) {
        return pipe_fence(choices);
    }
    choices.pick(&all[..kinds]).to_string()
}

/// A fence of the load/store pipe.
fn pipe_fence(choices: &mut Choices) -> String {
    let function = choices.pick(&["ugm", "ugml", "tgm", "slm"]);
    if function == "slm" {
        return "lsc_fence.slm.none.group".into();
    }
    let (op, scope) = (choices.pick(LSC_FENCE_OPS), choices.pick(LSC_FENCE_SCOPES));
    format!("lsc_fence.{function}.{op}.{scope}")
}

/// Extended math; integer division left Intel's parts with DG2.
fn math(choices: &mut Choices, platform: Platform) -> String {
    let size = 8 << choices.below(2);
    let no_mask = choices.pick(&["", "_NM"]);
    let exec = format!("(M1{no_mask}, {size})");
    if choices.one_in(4) && platform < Platform::Dg2 {
        let op = choices.pick(&["div", "mod"]);
        return format!("{op} (M1{no_mask}, 8) VI(0,0)<1> I0(0,0)<8;8,1> I0(0,8)<8;8,1>");
    }
    let saturate = choices.pick(&["", ".sat"]);
    let op = choices.pick(&[
        "inv", "log", "exp", "sqrt", "rsqrt", "sin", "cos", "pow", "div",
    ]);
    let second = match op {
        "pow" | "div" => " F1(0,0)<8;8,1>",
        _ => "",
    };
    format!("{op}{saturate} {exec} VF(0,0)<1> F0(0,0)<8;8,1>{second}")
}

/// Raw messages: lengths as the text says them, any function control.
fn raw(choices: &mut Choices, platform: Platform) -> String {
    let (first, second, back) = (1 + choices.below(2), 1 + choices.below(2), choices.below(3));
    let control = choices.below(1 << 9) << 9 | choices.below(1 << 9);
    let function = [2, 10, 12][choices.below(3) as usize];
    let desc = match choices.below(4) {
        3 => format!("C0(0,{})<0;1,0>", choices.below(8)),
        _ => format!("{:#x}:ud", first << 25 | back << 20 | control),
    };
    let to = if back == 0 { "%null" } else { "VU" };
    let size = 8 << choices.below(2);
    if platform == Platform::Bdw || choices.one_in(2) {
        return format!("raw_send (M1, {size}) {function:#X} {first} {back} {desc} P0.0 {to}.0")
            .replace("0X", "0x");
    }
    let ex_desc = second << 6 | function;
    format!(
        "raw_sends.{function}.{first}.{second}.{back} (M1, {size}) {ex_desc:#x}:ud {desc} P0.0 P0.64 {to}.0"
    )
}
