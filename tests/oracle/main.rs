//! The lowering against Intel's own finalizer, on random programs.
//!
//! `GenX_IR` (Debian package `libigc-tools`) lowers the same text; its listing is followed far enough
//! to know what every byte of every payload holds. Without it the test says so and passes.
//!
//! `VISIM_ORACLE_PROGRAMS` sets how many programs are tried (default 240, some three thousand
//! instructions), `VISIM_ORACLE_SEED` where they begin.

use rayon::prelude::*;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use visim::check::{CheckOptions, Step, check};
use visim::diagnostic::{any_fatal, render_all};
use visim::isa::{ChannelMask, Platform};
use visim::lower::messages::flow::Cell;
use visim::lower::messages::{Compat, Context, Flow, Op, Run, Send, Value, messages};
use visim::source::Source;
use visim::syntax::{ParseOptions, parse};

/// Platforms the finalizer knows, and how often each is drawn.
const PLATFORMS: &[Platform] = &[
    Platform::Skl,
    Platform::Skl,
    Platform::Icl,
    Platform::Tgl,
    Platform::Dg2,
    Platform::Pvc,
];

/// Instructions of one program.
const INSTRUCTIONS: usize = 12;

#[test]
fn random_programs_lower_as_the_finalizer_lowers_them() {
    if Command::new("GenX_IR").output().is_err() {
        println!("GenX_IR is not on PATH: the lowering is not compared with the finalizer");
        return;
    }
    let number = |name: &str, default: u64| {
        let value = std::env::var(name).ok().and_then(|v| v.parse().ok());
        value.unwrap_or(default)
    };
    let count = number("VISIM_ORACLE_PROGRAMS", 240);
    let first = number("VISIM_ORACLE_SEED", 1);
    let results: Vec<(u64, Result<bool, String>)> = (first..first + count)
        .into_par_iter()
        .map(|seed| (seed, program(seed)))
        .collect();
    let taken = results.iter().filter(|r| r.1 == Ok(true)).count();
    let failures: Vec<(u64, String)> = results
        .into_iter()
        .filter_map(|(seed, result)| Some((seed, result.err()?)))
        .collect();
    println!(
        "{count} programs: {taken} agree, {} differ, the others the finalizer gives up",
        failures.len()
    );
    for (seed, why) in failures.iter().take(12) {
        println!("seed {seed}: {why}\n");
    }
    assert!(
        failures.is_empty(),
        "{} of {count} programs differ",
        failures.len()
    );
    assert!(
        taken as u64 * 10 > count * 9,
        "the finalizer takes only {taken} of {count}"
    );
}

/// Makes one program, lowers it twice, compares.
///
/// True if the finalizer took it.
fn program(seed: u64) -> Result<bool, String> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let platform = PLATFORMS[random.below(PLATFORMS.len() as u64) as usize];
    let text = text(&mut random, platform);
    let ours = lower(&text, platform).map_err(|e| format!("{platform}: {e}\n{text}"))?;
    // A finalizer that gives up (it runs out of registers now and then) says nothing about us.
    let Some(theirs) = finalize(&text, platform).map_err(|e| format!("{platform}: {e}\n{text}"))?
    else {
        return Ok(false);
    };
    if ours.len() != theirs.len() {
        return Err(format!(
            "{platform}: {} sends, not {}\n{text}",
            ours.len(),
            theirs.len()
        ));
    }
    let mut differences = String::new();
    for (a, b) in ours.iter().zip(&theirs) {
        if let Err(why) = agree(a, b) {
            let _ = write!(
                differences,
                "\n  {platform} {}\n    {why}\n    {}",
                a.visa, b.text
            );
        }
    }
    if differences.is_empty() {
        Ok(true)
    } else {
        Err(differences)
    }
}

/// xorshift: the same programs everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// Declarations all programs share; sizes leave the finalizer registers to spare.
fn text(random: &mut Random, platform: Platform) -> String {
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
    for (name, of, ty, count) in [("W0", "A0", "uw", 32), ("W1", "A1", "uw", 32)] {
        let _ = writeln!(
            t,
            ".decl {name} v_type=G type={ty} num_elts={count} align=GRF alias=<{of},0>"
        );
    }
    t += ".decl P1 v_type=P num_elts=16\n.decl T6 v_type=T num_elts=1\n.decl S16 v_type=S num_elts=1\n";
    t += &inputs;
    t += ".kernel_attr Target=\"cm\"\n.function \"main\"\nmain:\n";
    if random.one_in(4) {
        t += "    movs (M1_NM, 1) T6(0) C0(0,2)<0;1,0>\n";
    } else {
        let _ = writeln!(t, "    movs (M1_NM, 1) T6(0) {}:ud", random.below(240));
    }
    if random.one_in(5) {
        t += "    movs (M1_NM, 1) S16(0) C0(0,3)<0;1,0>\n";
    } else {
        let _ = writeln!(t, "    movs (M1_NM, 1) S16(0) {}:ud", random.below(16));
    }
    t += "    cmp.gt (M1, 16) P1 A5(0,0)<8;8,1> 0x3:ud\n";
    for _ in 0..INSTRUCTIONS {
        let _ = writeln!(t, "    {}", statement(random, platform));
    }
    t += "    ret (M1, 1)\n";
    t
}

fn channels(random: &mut Random) -> String {
    ChannelMask(1 + random.below(15) as u8).to_string()
}

/// A mask part that suits the size: offsets are multiples of it.
fn lanes(random: &mut Random, size: u64) -> String {
    let places = if size == 8 { 4 } else { 2 };
    let place = 1 + random.below(places) * size / 4;
    let no_mask = if random.one_in(4) { "_NM" } else { "" };
    format!("(M{place}{no_mask}, {size})")
}

fn scalar(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("C0(0,{})<0;1,0>", random.below(8)),
        1 => format!("B0(0,{})<0;1,0>", random.below(16)),
        2 => format!("-{}:w", 1 + random.below(30)),
        _ => format!("{:#x}:ud", random.below(4096)),
    }
}

fn unsigned(random: &mut Random) -> String {
    match random.below(3) {
        0 => "0x0:ud".into(),
        1 => format!("{:#x}:ud", 16 * random.below(64)),
        _ => format!("C0(0,{})<0;1,0>", random.below(8)),
    }
}

fn predicate(random: &mut Random, size: u64) -> &'static str {
    match random.below(6) {
        0 if size == 16 => "(P1) ",
        1 if size == 16 => "(!P1) ",
        _ => "",
    }
}

/// Parameters: separate variables, or neighbours in one, with gaps and steps back.
fn params(random: &mut Random, count: u64, float: bool, half: bool, register: u64) -> String {
    let mut words = Vec::new();
    let mut at = 0;
    for _ in 0..count {
        let word = if half {
            let names: &[&str] = if float {
                &["H0", "H1", "H2"]
            } else {
                &["W0", "W1"]
            };
            format!("{}.0", random.pick(names))
        } else if float || random.below(3) < 2 {
            let name = if float { "F" } else { "A" };
            format!("{name}{}.0", random.below(6))
        } else {
            let here = at;
            at = match random.below(4) {
                0 => 0,
                _ => (at + register) % 256,
            };
            format!("P0.{here}")
        };
        words.push(word);
    }
    words.join(" ")
}

fn statement(random: &mut Random, platform: Platform) -> String {
    match random.below(18) {
        0..=2 => media(random),
        3..=5 => load(random, platform),
        6..=8 => sample(random, platform),
        9 => gather4(random, platform),
        10 => info(random),
        11 => avs(random),
        12 => oword(random),
        13 => scattered(random, platform),
        14 => scaled(random),
        15 => typed(random, platform),
        16 => atomic(random, platform),
        _ => svm(random, platform),
    }
}

fn media(random: &mut Random) -> String {
    let write = random.one_in(3);
    let mut width = 1 + random.below(64);
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
    let height = 1 + random.below(limit);
    let (x, y) = (scalar(random), scalar(random));
    let plane = if random.one_in(4) { random.below(4) } else { 0 };
    if write {
        let mode = random.pick(&["nomod", "modified", "top", "bottom"]);
        return format!("media_st.{mode} ({width},{height}) T6 {plane} {x} {y} D0.0");
    }
    let mode = random.pick(&[
        "nomod",
        "modified",
        "top",
        "bottom",
        "top_mod",
        "bottom_mod",
    ]);
    let to = random.pick(&["VF", "VU", "VI", "VH", "VW", "VB", "VQ"]);
    format!("media_ld.{mode} ({width},{height}) T6 {plane} {x} {y} {to}.0")
}

fn offsets(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("{:#x}:uw", random.below(4096)),
        _ => "0x0:uw".into(),
    }
}

fn destination(random: &mut Random) -> &'static str {
    if random.one_in(12) {
        return "%null";
    }
    random.pick(&["VF", "VU", "VI", "VH", "VW"])
}

fn null_mask(random: &mut Random) -> &'static str {
    if random.one_in(5) {
        ".pixel_null_mask"
    } else {
        ""
    }
}

/// Bytes to the next register of a parameter.
fn register(platform: Platform, size: u64) -> u64 {
    (size * 4).next_multiple_of(platform.grf_bytes().into())
}

fn load(random: &mut Random, platform: Platform) -> String {
    let (op, most) = [
        ("load_3d", 4),
        ("load_lz", 3),
        ("load_mcs", 4),
        ("load_2dms_w", 7),
    ][random.below(4) as usize];
    let size = 8 << random.below(2);
    let guard = predicate(random, size);
    let (mask, letters, exec) = (null_mask(random), channels(random), lanes(random, size));
    let (offset, to) = (offsets(random), destination(random));
    // The form of load_2dms_w with 16-bit parameters appears with Gen11.
    let half = random.one_in(3) && (op != "load_2dms_w" || platform >= Platform::Icl);
    let count = 1 + random.below(most);
    let params = params(random, count, false, half, register(platform, size));
    format!("{guard}{op}{mask}.{letters} {exec} {offset} T6 {to}.0 {params}")
}

fn sample(random: &mut Random, platform: Platform) -> String {
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
    ][random.below(10) as usize];
    let size = 8 << random.below(2);
    let guard = predicate(random, size);
    let (mask, letters, exec) = (null_mask(random), channels(random), lanes(random, size));
    let (offset, to) = (offsets(random), destination(random));
    let half = random.one_in(3);
    let count = 1 + random.below(most);
    let params = params(random, count, true, half, register(platform, size));
    format!("{guard}{op}{mask}.{letters} {exec} {offset} S16 T6 {to}.0 {params}")
}

fn gather4(random: &mut Random, platform: Platform) -> String {
    let all = [
        ("sample4", 4),
        ("sample4_c", 5),
        ("sample4_po", 5),
        ("sample4_po_c", 6),
    ];
    let kinds = if platform >= Platform::Dg2 { 2 } else { 4 };
    let (op, most) = all[random.below(kinds) as usize];
    let size = 8 << random.below(2);
    let guard = predicate(random, size);
    let (mask, letter, exec) = (
        null_mask(random),
        random.pick(&["R", "G", "B", "A"]),
        lanes(random, size),
    );
    let (offset, to) = (offsets(random), destination(random));
    let half = random.one_in(3);
    let count = 1 + random.below(most);
    let params = params(random, count, true, half, register(platform, size));
    format!("{guard}{op}{mask}.{letter} {exec} {offset} S16 T6 {to}.0 {params}")
}

fn info(random: &mut Random) -> String {
    let (letters, size) = (channels(random), 8 << random.below(2));
    let exec = lanes(random, size);
    if random.one_in(2) {
        format!("resinfo.{letters} {exec} T6 A0.0 VF.0")
    } else {
        format!("sampleinfo.{letters} {exec} T6 VF.0")
    }
}

fn avs(random: &mut Random) -> String {
    let letters = channels(random);
    let float = |random: &mut Random| format!("E0(0,{})<0;1,0>", random.below(16));
    let f: Vec<String> = (0..6).map(|_| float(random)).collect();
    if random.one_in(3) {
        let format = random.pick(&["16-full", "16-downsampled", "8-full", "8-downsampled"]);
        return format!(
            "sample_unorm.{letters}.{format} S16 T6 {} {} {} {} VW.0",
            f[0], f[1], f[2], f[3]
        );
    }
    if random.one_in(2) {
        let size = 8 << random.below(2);
        return if random.one_in(2) {
            format!("sample.{letters} ({size}) S16 T6 F0.0 F1.0 F2.0 VF.0")
        } else {
            format!("load.{letters} ({size}) T6 A0.0 A1.0 A2.0 VF.0")
        };
    }
    let control = random.pick(&[
        "AVS_16_FULL",
        "AVS_16_DOWN_SAMPLE",
        "AVS_8_FULL",
        "AVS_8_DOWN_SAMPLE",
    ]);
    let mode = random.pick(&["AVS_16x4", "AVS_16x8"]);
    // Three channels of 128 pixels would not fit the destination.
    let letters = if mode == "AVS_16x8" && letters.len() > 2 {
        "GA".to_string()
    } else {
        letters
    };
    let (group, block) = (unsigned(random), unsigned(random));
    let ief = random.below(2);
    format!(
        "avs.{letters} T6 S16 {} {} {} {} {} {group} {block} {control} {} {mode} {ief:#x}:ub VW.0",
        f[0], f[1], f[2], f[3], f[4], f[5]
    )
}

fn surface(random: &mut Random) -> &'static str {
    match random.below(5) {
        0 => "%slm",
        1 => "%scratch",
        _ => "T6",
    }
}

fn oword(random: &mut Random) -> String {
    let count = 1 << random.below(4);
    let to = if random.one_in(3) { "%scratch" } else { "T6" };
    let offset = unsigned(random);
    match random.below(3) {
        0 => format!("oword_ld ({count}) {to} {offset} VF.0"),
        1 => format!("oword_ld_unaligned ({count}) T6 {offset} VF.0"),
        _ => format!("oword_st ({count}) {to} {offset} D0.0"),
    }
}

fn scattered(random: &mut Random, platform: Platform) -> String {
    let (bytes, size) = (1 << random.below(3), 8 << random.below(2));
    let (exec, to, offset) = (lanes(random, size), surface(random), unsigned(random));
    // The scatter of PVC copies its data over whatever lies behind: later statements would differ.
    if random.one_in(2) || platform == Platform::Pvc {
        format!("gather.{bytes} {exec} {to} {offset} A0.0 VU.0")
    } else {
        format!("scatter.{bytes} {exec} {to} {offset} A1.0 A2.0")
    }
}

fn scaled(random: &mut Random) -> String {
    let size = 8 << random.below(2);
    let guard = predicate(random, size);
    let (exec, to, offset) = (lanes(random, size), surface(random), unsigned(random));
    let (letters, bytes) = (channels(random), 1 << random.below(3));
    match random.below(4) {
        0 => format!("{guard}gather_scaled.{bytes} {exec} {to} {offset} A0.0 VU.0"),
        1 => format!("{guard}scatter_scaled.{bytes} {exec} {to} {offset} A1.0 A2.0"),
        2 => format!("{guard}gather4_scaled.{letters} {exec} {to} {offset} A0.0 VU.0"),
        _ => format!("{guard}scatter4_scaled.{letters} {exec} {to} {offset} A0.0 D0.0"),
    }
}

fn typed(random: &mut Random, platform: Platform) -> String {
    let exec = lanes(random, 8);
    let letters = channels(random);
    let given = 1 + random.below(4);
    let coordinates: Vec<String> = (0..4)
        .map(|i| {
            // A null operand in the middle is not tried: where its garbage lies depends on the
            // operands' neighbours in ways the reference leaves open.
            if i >= given {
                "%null.0".into()
            } else {
                format!("A{}.0", random.below(6))
            }
        })
        .collect();
    let coordinates = coordinates.join(" ");
    if random.one_in(2) && platform != Platform::Pvc {
        format!("scatter4_typed.{letters} {exec} T6 {coordinates} D0.0")
    } else {
        format!("gather4_typed.{letters} {exec} T6 {coordinates} VF.0")
    }
}

fn atomic(random: &mut Random, platform: Platform) -> String {
    let op = random.pick(&[
        "add", "sub", "inc", "dec", "min", "max", "xchg", "cmpxchg", "and", "or", "xor", "minsint",
        "maxsint",
    ]);
    // Sizes below the native one leave lanes of the payload to chance.
    let size = if platform == Platform::Pvc {
        16
    } else {
        8 << random.below(2)
    };
    let guard = predicate(random, size);
    let exec = lanes(random, size);
    let to = if random.one_in(4) { "%null" } else { "VU" };
    let sources = match op {
        "inc" | "dec" => "%null.0 %null.0",
        "cmpxchg" => "A1.0 A2.0",
        _ => "A1.0 %null.0",
    };
    let width = if random.one_in(4) { ".16" } else { "" };
    match random.below(3) {
        0 => format!(
            "typed_atomic.{op}{width} {} T6 A3.0 A4.0 %null.0 %null.0 {sources} {to}.0",
            lanes(random, 8)
        ),
        _ => format!("{guard}dword_atomic.{op}{width} {exec} T6 A0.0 {sources} {to}.0"),
    }
}

fn svm(random: &mut Random, platform: Platform) -> String {
    let count = 1 << random.below(4);
    // Sixteen addresses of 8 bytes fill Q0.
    let size: u64 = if platform == Platform::Pvc {
        16
    } else {
        8 << random.below(2)
    };
    let exec = lanes(random, size);
    let letters = channels(random);
    let offset = unsigned(random);
    match random.below(7) {
        0 => format!("svm_block_ld ({count}) Q0(0,1)<0;1,0> VF.0"),
        1 => format!("svm_block_st ({count}) Q0(0,2)<0;1,0> D0.0"),
        2 => {
            let blocks = 1 << random.below(4);
            format!(
                "svm_gather.{}.{blocks} {exec} Q0.0 VF.0",
                random.pick(&["1", "4"])
            )
        }
        3 => {
            let blocks = 1 << random.below(2);
            format!(
                "svm_scatter.{}.{blocks} {exec} Q0.0 D0.0",
                random.pick(&["1", "4"])
            )
        }
        4 => format!("svm_gather4scaled.{letters} {exec} {offset} Q0.0 VF.0"),
        5 => format!("svm_scatter4scaled.{letters} {exec} {offset} Q0.0 D0.0"),
        _ => {
            let exec = lanes(random, 8);
            format!("svm_atomic.add {exec} Q0.0 VU.0 A1.0 %null.0")
        }
    }
}

/// Our send, its bytes named.
struct Ours {
    visa: String,
    send: Send,
    header: Vec<Cell>,
    payload: [Vec<Vec<Cell>>; 2],
}

fn lower(text: &str, platform: Platform) -> Result<Vec<Ours>, String> {
    let source = Source::new("k.visaasm", text);
    let options = ParseOptions {
        grf_bytes: platform.grf_bytes(),
    };
    let parsed = parse(&source, &options);
    let (checked, more) = check(
        &parsed.module,
        &CheckOptions {
            platform,
            finalizer: true,
        },
    );
    let mut said = parsed.diagnostics;
    said.extend(more);
    if any_fatal(&said) {
        said.retain(|d| d.class().is_fatal());
        return Err(render_all(&said, &source, false));
    }
    let unit = checked.units.first().ok_or("no kernel")?;
    let mut context = Context::new(Compat::Finalizer);
    let mut flow = Flow::new(unit);
    let mut sends = Vec::new();
    for step in &unit.steps {
        let Step::Instruction(i) = step else {
            context.enter();
            continue;
        };
        let lowered = messages(unit, &i.node, &context, platform)
            .map_err(|d| render_all(&[*d], &source, false))?;
        context.observe(unit, &i.node, platform);
        for send in lowered.sends.iter().filter(|s| !s.eot) {
            let dword = |value: &Value| {
                let mut cells = flow.cells(&[Run::Value {
                    value: value.clone(),
                    size: 4,
                }]);
                // Of a cleared bit 0 only the low word is computed.
                if let Value::Call(Op::And, args) = value
                    && let [Value::Dispatch(dw), Value::Const(0xffff_fffe)] = **args
                {
                    for (i, cell) in cells.iter_mut().enumerate().skip(2) {
                        *cell = Cell::Stream("r0".into(), 4 * dw + i as u32);
                    }
                }
                cells
            };
            let cells = |registers: &[Vec<Run>]| registers.iter().map(|r| flow.cells(r)).collect();
            sends.push(Ours {
                visa: source.line_text(source.line_of(i.span.start)).trim().into(),
                header: send.header.iter().flat_map(dword).collect(),
                payload: [cells(&send.first), cells(&send.second)],
                send: send.clone(),
            });
        }
        flow.apply(&lowered);
    }
    Ok(sends)
}

/// Their send.
struct Theirs {
    text: String,
    mnemonic: String,
    size: u32,
    offset: u8,
    no_mask: bool,
    predicate: Option<bool>,
    desc: Option<u32>,
    ex_desc: Option<u32>,
    second_length: u32,
    registers: [Vec<Vec<Cell>>; 2],
}

fn agree(ours: &Ours, theirs: &Theirs) -> Result<(), String> {
    let s = &ours.send;
    let same = |what: &str, ours: String, theirs: String| {
        if ours == theirs {
            Ok(())
        } else {
            Err(format!("{what}: {ours}, not {theirs}"))
        }
    };
    same("mnemonic", s.mnemonic.clone(), theirs.mnemonic.clone())?;
    same("lanes", s.exec.size.to_string(), theirs.size.to_string())?;
    same("mask", s.exec.offset.to_string(), theirs.offset.to_string())?;
    same(
        "(W)",
        s.exec.no_mask.to_string(),
        theirs.no_mask.to_string(),
    )?;
    let guard = s.predicate.as_ref().map(|p| p.inverted);
    same(
        "predicate",
        format!("{guard:?}"),
        format!("{:?}", theirs.predicate),
    )?;
    let hex = |n: Option<u32>| n.map_or("in a register".into(), |n| format!("{n:#010x}"));
    same("desc", hex(s.desc.constant()), hex(theirs.desc))?;
    same("ex_desc", hex(s.ex_desc.constant()), hex(theirs.ex_desc))?;
    same(
        "second length",
        s.extended_length.to_string(),
        theirs.second_length.to_string(),
    )?;
    // With the descriptor in a register its lengths are ours to believe.
    let [first, second] = &theirs.registers;
    let mut first = first.iter();
    if s.header_present {
        let header = first.next().ok_or("no header")?;
        // Scattered messages read M0.2 alone; the finalizer lets the rest keep what a neighbouring
        // media header left there.
        let gathers = ours.visa.contains("gather.") || ours.visa.contains("scatter.");
        let read = if gathers { 8..12 } else { 0..ours.header.len() };
        let part = |cells: &[Cell]| cells.get(read.clone()).unwrap_or_default().to_vec();
        equal("header", &part(&ours.header), &part(header))?;
    }
    for (i, (a, b)) in ours.payload[0].iter().zip(first).enumerate() {
        equal(&format!("src0 register {i}"), a, b)?;
    }
    for (i, (a, b)) in ours.payload[1].iter().zip(second).enumerate() {
        equal(&format!("src1 register {i}"), a, b)?;
    }
    Ok(())
}

/// Undefined bytes agree with anything, computed ones with computed ones.
fn equal(what: &str, ours: &[Cell], theirs: &[Cell]) -> Result<(), String> {
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        let agree = match (a, b) {
            (Cell::Undefined, _) | (_, Cell::Undefined) => true,
            (Cell::Computed(..), Cell::Computed(..)) => true,
            (a, b) => a == b,
        };
        if !agree {
            return Err(format!("{what} byte {i}: {a:?}, not {b:?}"));
        }
    }
    Ok(())
}

/// Runs the finalizer and follows its listing.
fn finalize(text: &str, platform: Platform) -> Result<Option<Vec<Theirs>>, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(folder.path().join("k.visaasm"), text).map_err(|e| e.to_string())?;
    let name = Platform::ALL
        .iter()
        .find(|p| p.0 == platform)
        .map_or("", |p| p.2);
    let output = Command::new("GenX_IR")
        .args(["k.visaasm", "-platform", name, "-output", "-binary"])
        .args(["-noschedule", "-nocompaction"])
        .current_dir(folder.path())
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Ok(None);
    }
    Ok(listing(folder.path()).map(|text| Machine::new(platform).run(&text)))
}

fn listing(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    let path = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .find(|p| p.extension().is_some_and(|e| e == "asm"))?;
    std::fs::read_to_string(path).ok()
}

/// Registers as the listing moves bytes among them.
struct Machine {
    grf: u32,
    platform: Platform,
    inputs: Vec<(Rc<str>, u32, u32)>,
    memory: HashMap<u32, Cell>,
    address: HashMap<u32, Cell>,
    sends: Vec<Theirs>,
}

/// `r12.3<8;8,1>:ud`, an address register, or an immediate.
enum Operand {
    Register {
        byte: u32,
        region: Vec<u32>,
        size: u32,
    },
    Address {
        byte: u32,
        size: u32,
    },
    Immediate {
        value: u32,
        size: u32,
        signed: bool,
    },
    Other,
}

fn type_size(ty: &str) -> u32 {
    match ty {
        "ub" | "b" => 1,
        "uw" | "w" | "hf" => 2,
        "uq" | "q" | "df" => 8,
        _ => 4,
    }
}

impl Machine {
    fn new(platform: Platform) -> Machine {
        Machine {
            grf: platform.grf_bytes(),
            platform,
            inputs: Vec::new(),
            memory: HashMap::new(),
            address: HashMap::new(),
            sends: Vec::new(),
        }
    }

    fn run(mut self, listing: &str) -> Vec<Theirs> {
        let mut prolog = false;
        for line in listing.lines() {
            if let Some(row) = line.strip_prefix("// | ") {
                self.input(row);
            }
            if line.starts_with("// B") {
                prolog = false;
            }
            if line.trim_end().ends_with("_prolog:") {
                prolog = true;
            }
            let (code, comment) = line.split_once("//").unwrap_or((line, ""));
            let code = with_bits(code.trim(), comment);
            if !code.is_empty() && !code.ends_with(':') && !prolog {
                self.step(&code);
            }
        }
        self.sends
    }

    /// `A0 | :f x 16 | 64 | r2 | general |`
    fn input(&mut self, row: &str) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [name, _, bytes, at, ..] = columns[..] else {
            return;
        };
        let (register, offset) = at.split_once('+').unwrap_or((at, "0"));
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        };
        if let (Some(bytes), Some(register), Some(offset)) = (
            number(bytes),
            register.strip_prefix('r').and_then(number),
            number(offset),
        ) {
            self.inputs
                .push((name.into(), register * self.grf + offset, bytes));
        }
    }

    fn read(&self, byte: u32) -> Cell {
        if let Some(cell) = self.memory.get(&byte) {
            return cell.clone();
        }
        if byte < self.grf {
            return Cell::Stream("r0".into(), byte);
        }
        for (name, start, bytes) in &self.inputs {
            if (*start..start + bytes).contains(&byte) {
                return Cell::Stream(name.clone(), byte - start);
            }
        }
        Cell::Undefined
    }

    fn operand(&self, word: &str) -> Operand {
        let (text, ty) = word.rsplit_once(':').unwrap_or((word, "ud"));
        let size = type_size(ty);
        if let Some(hex) = text.trim_start_matches('-').strip_prefix("0x") {
            let value = u64::from_str_radix(hex, 16).unwrap_or(0) as u32;
            let value = if text.starts_with('-') {
                value.wrapping_neg()
            } else {
                value
            };
            if matches!(ty, "v" | "uv" | "vf") {
                return Operand::Other;
            }
            return Operand::Immediate {
                value,
                size,
                signed: matches!(ty, "w" | "b" | "d" | "q"),
            };
        }
        if let Ok(value) = text.parse::<i64>()
            && !matches!(ty, "f" | "hf" | "df")
        {
            return Operand::Immediate {
                value: value as u32,
                size,
                signed: true,
            };
        }
        let (place, region) = match text.split_once('<') {
            Some((place, region)) => (place, region.trim_end_matches('>')),
            None => (text, ""),
        };
        let region = region
            .split([';', ','])
            .filter_map(|n| n.parse().ok())
            .collect();
        let (file, rest) = place.split_at(usize::from(!place.is_empty()));
        let (number, sub) = rest.split_once('.').unwrap_or((rest, "0"));
        match (file, number.parse::<u32>(), sub.parse::<u32>()) {
            ("r", Ok(number), Ok(sub)) => Operand::Register {
                byte: number * self.grf + sub * size,
                region,
                size,
            },
            ("a", Ok(_), Ok(sub)) => Operand::Address {
                byte: sub * size,
                size,
            },
            _ => Operand::Other,
        }
    }

    /// The bytes of one lane of a source, and whether its type has a sign.
    fn lane(&self, operand: &Operand, lane: u32) -> Option<Vec<Cell>> {
        match operand {
            Operand::Register { byte, region, size } => {
                let element = match region[..] {
                    [v, w, h] => {
                        let w = w.max(1);
                        lane / w * v + lane % w * h
                    }
                    [stride] => lane * stride,
                    _ => 0,
                };
                Some(
                    (0..*size)
                        .map(|i| self.read(byte + element * size + i))
                        .collect(),
                )
            }
            Operand::Address { byte, size } => Some(
                (0..*size)
                    .map(|i| {
                        self.address
                            .get(&(byte + i))
                            .cloned()
                            .unwrap_or(Cell::Undefined)
                    })
                    .collect(),
            ),
            Operand::Immediate {
                value,
                size,
                signed,
            } => {
                let mut bytes = value.to_le_bytes().to_vec();
                bytes.truncate(*size as usize);
                let fill = if *signed && bytes.last().is_some_and(|b| *b > 127) {
                    0xff
                } else {
                    0
                };
                bytes.resize(8, fill);
                Some(bytes.into_iter().map(Cell::Constant).collect())
            }
            Operand::Other => None,
        }
    }

    fn step(&mut self, code: &str) {
        let (guard, rest) = match code.strip_prefix('(') {
            Some(rest) => rest.split_once(')').unwrap_or(("", rest)),
            None => ("", code),
        };
        let rest = rest.trim();
        let rest = rest.split('{').next().unwrap_or(rest);
        let mut words = rest.split_whitespace();
        let Some(op) = words.next() else { return };
        let Some(exec) = words.next().and_then(|w| w.strip_prefix('(')) else {
            return;
        };
        let (size, offset) = exec
            .trim_end_matches(')')
            .split_once("|M")
            .unwrap_or((exec, "0"));
        let (size, offset) = (size.parse().unwrap_or(1), offset.parse().unwrap_or(0));
        let words: Vec<&str> = words.collect();
        if op.starts_with("send") {
            // The end of thread is no part of the comparison.
            if !code.contains("EOT") {
                self.send(code, guard, op, size, offset, &words);
            }
            return;
        }
        let [to, sources @ ..] = &words[..] else {
            return;
        };
        let to = self.operand(to);
        let sources: Vec<Operand> = sources.iter().map(|s| self.operand(s)).collect();
        let predicated = guard.contains('f');
        let mut results = Vec::new();
        for lane in 0..size {
            let cells: Option<Vec<Vec<Cell>>> =
                sources.iter().map(|s| self.lane(s, lane)).collect();
            results.push(cells.filter(|_| !predicated));
        }
        self.write(op, &to, results);
    }

    fn write(&mut self, op: &str, to: &Operand, results: Vec<Option<Vec<Vec<Cell>>>>) {
        let (byte, size, stride) = match to {
            Operand::Register { byte, region, size } => {
                (*byte, *size, region.first().copied().unwrap_or(1))
            }
            Operand::Address { byte, size } => (*byte, *size, 1),
            _ => return,
        };
        for (lane, sources) in results.into_iter().enumerate() {
            let at = byte + lane as u32 * stride * size;
            let cells = value(op, sources, size);
            for (i, cell) in cells.into_iter().enumerate() {
                let at = at + i as u32;
                if matches!(to, Operand::Address { .. }) {
                    self.address.insert(at, cell);
                } else {
                    self.memory.insert(at, cell);
                }
            }
        }
    }

    fn send(&mut self, code: &str, guard: &str, op: &str, size: u32, offset: u8, words: &[&str]) {
        let (to, first, second, ex_desc, desc) = match words {
            [to, first, ex, desc] => (*to, *first, "null", *ex, *desc),
            [to, first, second, ex, desc, ..] => (*to, *first, *second, *ex, *desc),
            _ => return,
        };
        let number = |word: &str| {
            let hex = word.strip_prefix("0x")?;
            u32::from_str_radix(hex, 16).ok()
        };
        let constant = |word: &str| {
            number(word).or_else(|| {
                let sub: u32 = word.strip_prefix("a0.")?.parse().ok()?;
                let bytes: Option<Vec<u8>> = (0..4)
                    .map(|i| match self.address.get(&(sub * 4 + i)) {
                        Some(Cell::Constant(b)) => Some(*b),
                        _ => None,
                    })
                    .collect();
                Some(u32::from_le_bytes(bytes?.try_into().ok()?))
            })
        };
        let (desc, ex_desc) = (constant(desc), constant(ex_desc));
        let (second, length) = second.split_once(':').unwrap_or((second, ""));
        let register = |word: &str| -> Option<u32> {
            let word = word.split(':').next()?;
            word.strip_prefix('r')?.split('.').next()?.parse().ok()
        };
        let second_length = match (length.parse(), register(second)) {
            (Ok(length), _) => length,
            (_, None) => 0,
            (_, Some(_)) => {
                let mask = if self.platform <= Platform::Skl {
                    0xf
                } else {
                    0x1f
                };
                ex_desc.map_or(0, |word| word >> 6 & mask)
            }
        };
        let contents = |start: Option<u32>, count: u32| -> Vec<Vec<Cell>> {
            let Some(start) = start else {
                return Vec::new();
            };
            (start..start + count)
                .map(|r| (0..self.grf).map(|i| self.read(r * self.grf + i)).collect())
                .collect()
        };
        // A length in a register is not known: more registers than needed do no harm.
        let first_length = desc.map_or(15, |d| d >> 25 & 0xf);
        let registers = [
            contents(register(first), first_length),
            contents(register(second), second_length),
        ];
        let response = desc.map_or(0, |d| d >> 20 & 0x1f);
        let name: Rc<str> = format!("S{}", self.sends.len()).into();
        if let Some(start) = register(to) {
            for i in 0..response * self.grf {
                self.memory
                    .insert(start * self.grf + i, Cell::Stream(name.clone(), i));
            }
        }
        self.sends.push(Theirs {
            text: code.into(),
            mnemonic: op.into(),
            size,
            offset,
            no_mask: guard.contains('W'),
            predicate: guard.contains('f').then(|| guard.contains('~')),
            desc,
            ex_desc,
            second_length,
            registers,
        });
    }
}

/// Float immediates stand as decimals, their bits in the comment: `0.0:f … // (0x00000000:f)`.
fn with_bits(code: &str, comment: &str) -> String {
    let mut bits = comment.split('(').filter_map(|part| {
        let (hex, ty) = part.split_once(')')?.0.split_once(':')?;
        hex.starts_with("0x").then(|| format!("{hex}:{ty}"))
    });
    let is_float = |word: &str| {
        let Some((number, ty)) = word.rsplit_once(':') else {
            return false;
        };
        matches!(ty, "f" | "hf" | "df") && number.parse::<f64>().is_ok()
    };
    let words: Vec<String> = code
        .split_whitespace()
        .map(|word| match is_float(word).then(|| bits.next()).flatten() {
            Some(bits) => bits,
            None => word.to_string(),
        })
        .collect();
    words.join(" ")
}

/// What an operation leaves in an element of `size` bytes.
fn value(op: &str, sources: Option<Vec<Vec<Cell>>>, size: u32) -> Vec<Cell> {
    let unknown = || {
        let text: Rc<str> = "*".into();
        (0..size).map(|i| Cell::Computed(text.clone(), i)).collect()
    };
    let Some(sources) = sources else {
        return unknown();
    };
    let number = |cells: &[Cell]| -> Option<u32> {
        let mut bytes = [0; 4];
        for (to, cell) in bytes.iter_mut().zip(cells) {
            match cell {
                Cell::Constant(b) => *to = *b,
                _ => return None,
            }
        }
        Some(u32::from_le_bytes(bytes))
    };
    let constant = |n: u32| {
        let bytes = u64::from(n).to_le_bytes();
        bytes
            .iter()
            .take(size as usize)
            .map(|b| Cell::Constant(*b))
            .collect()
    };
    match (op, &sources[..]) {
        ("mov", [from]) if from.len() == size as usize => from.clone(),
        // Constants are given extended to eight bytes.
        ("mov", [from]) if from.len() == 8 && number(from).is_some() => {
            from.iter().take(size as usize).cloned().collect()
        }
        (_, [a, b]) => match (op, number(a), number(b)) {
            ("add", Some(a), Some(b)) => constant(a.wrapping_add(b)),
            ("or", Some(a), Some(b)) => constant(a | b),
            ("and", Some(a), Some(b)) => constant(a & b),
            ("shl", Some(a), Some(b)) => constant(a.wrapping_shl(b)),
            _ => unknown(),
        },
        _ => unknown(),
    }
}
