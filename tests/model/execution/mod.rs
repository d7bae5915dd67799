//! Instructions as text, run, and the registers they leave, worked out by hand.

mod flow;
mod gathers;
mod groups;
mod lockstep;
mod lsc;
mod media;
mod memory;
mod named;
mod order;
mod sampling;
mod teams;
mod types;

use std::sync::Arc;
use visim::internals::check::{CheckOptions, check};
use visim::internals::isa::Platform;
use visim::internals::launch::{self, Bindings, Grid, Observer, Outcome, RunOptions, Silent};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::program::Program;
use visim::internals::source::Source;
use visim::internals::surface::{Description, Format, Memory, Surface};
use visim::internals::syntax::{ParseOptions, parse};

/// Whoever watches makes threads run one by one.
#[derive(Debug)]
struct Watching;

impl Observer for Watching {}

/// Lowers a body with its declarations; `.version` and `.kernel` are put in front.
fn program(body: &str) -> Program {
    program_for(Platform::default(), body)
}

/// As [`program`], for another platform.
fn program_for(platform: Platform, body: &str) -> Program {
    let source = Source::new("test", format!(".version 3.6\n.kernel \"k\"\n{body}"));
    let parsed = parse(&source, &ParseOptions::default());
    let options = CheckOptions {
        platform,
        ..CheckOptions::default()
    };
    let (checked, said) = check(&parsed.module, &options);
    let said: Vec<_> = parsed.diagnostics.iter().chain(&said).collect();
    let fatal: Vec<_> = said.iter().filter(|d| d.class().is_fatal()).collect();
    assert!(fatal.is_empty(), "{fatal:#?}\n{body}");
    lower(&checked, "", &LowerOptions::default()).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// Runs a program, and a copy of everything with the messages going through their bits: both ways
/// leave the same bytes or end in the same trap.
fn run_with(program: &Program, bindings: &Bindings) -> Result<Outcome<Silent>, Box<launch::Trap>> {
    let options = |through_bits| RunOptions {
        through_bits,
        ..RunOptions::default()
    };
    let run = |bindings: &Bindings, through_bits| {
        let options = options(through_bits);
        launch::run(program, bindings, &Grid::single(), &options, |_| Silent)
    };
    let copy = copied(bindings);
    let through = run(&copy, true);
    let direct = run(bindings, false);
    match (&direct, &through) {
        (Ok(a), Ok(b)) => assert!(a.threads[0].arena == b.threads[0].arena, "registers differ"),
        (Err(a), Err(b)) => assert_eq!(a.diagnostic, b.diagnostic),
        (a, b) => panic!("direct: {a:?}\nthrough bits: {b:?}"),
    }
    for (a, b) in bindings.surfaces.values().zip(copy.surfaces.values()) {
        assert!(
            a.memory().to_vec() == b.memory().to_vec(),
            "a surface differs"
        );
    }
    for (a, b) in bindings.memory.iter().zip(&copy.memory) {
        assert!(a.memory.to_vec() == b.memory.to_vec(), "memory differs");
    }
    direct
}

/// The bindings with memories of their own; what shared one shares its copy.
fn copied(bindings: &Bindings) -> Bindings {
    let mut memories: Vec<(Arc<Memory>, Arc<Memory>)> = Vec::new();
    let mut copy = |memory: &Arc<Memory>| {
        let known = memories.iter().find(|(from, _)| Arc::ptr_eq(from, memory));
        let made = known.map(|(_, to)| Arc::clone(to));
        made.unwrap_or_else(|| {
            let made = Arc::new(Memory::from_bytes(&memory.to_vec()));
            memories.push((Arc::clone(memory), Arc::clone(&made)));
            made
        })
    };
    let mut copied = bindings.clone();
    for surface in copied.surfaces.values_mut() {
        let memory = copy(surface.memory());
        *surface = Arc::new(Surface::new(surface.description().clone(), memory).expect("was one"));
    }
    for range in &mut copied.memory {
        range.memory = copy(&range.memory);
    }
    copied
}

/// Runs a body with variables set; the bytes of `wanted` afterwards.
fn bytes(body: &str, set: &[(&str, Vec<u8>)], wanted: &str) -> Vec<u8> {
    let program = program(body);
    let mut bindings = Bindings::default();
    for (name, bytes) in set {
        bindings.variables.insert(name.to_string(), bytes.clone());
    }
    let outcome = run_with(&program, &bindings).unwrap_or_else(|trap| panic!("{trap:#?}"));
    outcome.threads[0]
        .bytes(&program, wanted)
        .unwrap_or_else(|| panic!("no {wanted}"))
        .to_vec()
}

fn dwords(values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    values
        .into_iter()
        .flat_map(|v| (v as u32).to_le_bytes())
        .collect()
}

fn words(values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    values
        .into_iter()
        .flat_map(|v| (v as u16).to_le_bytes())
        .collect()
}

fn singles(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn as_dwords(bytes: &[u8]) -> Vec<u32> {
    let chunks = bytes.chunks_exact(4);
    chunks
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect()
}

const DECLS: &str = "
.decl A v_type=G type=d num_elts=16 align=GRF
.decl B v_type=G type=d num_elts=16 align=GRF
.decl C v_type=G type=d num_elts=16 align=GRF
.decl FA v_type=G type=f num_elts=16 align=GRF
.decl FB v_type=G type=f num_elts=16 align=GRF
.decl FC v_type=G type=f num_elts=16 align=GRF
.decl W v_type=G type=w num_elts=16 align=GRF
.decl UB v_type=G type=ub num_elts=32 align=GRF
.decl Q v_type=G type=q num_elts=8 align=GRF
.decl HF v_type=G type=hf num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl A0 v_type=A num_elts=16
";

/// The dwords of `C` after `code` ran on the given `A` and `B`.
fn c(code: &str, a: &[i64], b: &[i64]) -> Vec<u32> {
    let set = [
        ("A", dwords(a.iter().copied())),
        ("B", dwords(b.iter().copied())),
    ];
    as_dwords(&bytes(&format!("{DECLS}{code}"), &set, "C"))
}

#[test]
fn integers_wrap_and_saturate() {
    let a = [i64::from(i32::MAX), -1, 5, i64::from(i32::MIN), 0, 0, 0, 7];
    let b = [1, 1, -7, -1, 0, 0, 0, 7];
    let sum = c(
        "add (M1, 8) C(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\n",
        &a,
        &b,
    );
    assert_eq!(sum[..4], [0x8000_0000, 0, (-2i32) as u32, 0x7fff_ffff]);
    let sat = c(
        "add.sat (M1, 8) C(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\n",
        &a,
        &b,
    );
    assert_eq!(sat[..4], [0x7fff_ffff, 0, (-2i32) as u32, 0x8000_0000]);
    // (-) and (abs) before the sum: −A + |B|.
    let code = "add (M1, 8) C(0,0)<1> (-)A(0,0)<1;1,0> (abs)B(0,0)<1;1,0>\n";
    assert_eq!(c(code, &a, &b)[1..3], [2, 2]);
}

#[test]
fn predicates_and_offsets_choose_lanes() {
    // P1 = bits 0..16 of 0x5050; M3 takes bits 8..16 = 0x50: lanes 4 and 6.
    let code = "setp (M1_NM, 16) P1 0x5050:uw
mov (M1, 16) C(0,0)<1> 0x1:d
(P1) mov (M3, 8) C(0,0)<1> 0x9:d
(!P1) mov (M1, 4) C(1,0)<1> 0x7:d
";
    // !P1 on M1, 4 lanes: bits 0..4 of 0x5050 are clear, so all four lanes of row 1 run.
    let got = c(code, &[], &[]);
    assert_eq!(got, [1, 1, 1, 1, 9, 1, 9, 1, 7, 7, 7, 7, 1, 1, 1, 1]);
}

#[test]
fn any_and_all_look_at_the_whole_predicate() {
    let code = "setp (M1_NM, 16) P1 0x8000:uw
mov (M1, 16) C(0,0)<1> 0x0:d
(P1.any) mov (M1, 1) C(0,0)<1> 0x1:d
(P1.all) mov (M1, 1) C(0,1)<1> 0x1:d
(!P1.all) mov (M1, 1) C(0,2)<1> 0x1:d
(!P1.any) mov (M1, 1) C(0,3)<1> 0x1:d
";
    assert_eq!(c(code, &[], &[])[..4], [1, 0, 1, 0]);
}

#[test]
fn comparison_writes_predicates_and_masks() {
    let a = [1, 2, 3, 4, 5, 6, 7, 8];
    let b = [8, 7, 6, 5, 4, 3, 2, 1];
    let code = "setp (M1_NM, 16) P1 0xff00:uw
cmp.lt (M1, 8) P1 A(0,0)<1;1,0> B(0,0)<1;1,0>
mov (M1_NM, 1) C(1,0)<1> P1
cmp.ge (M1, 8) C(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>
";
    // A < B in lanes 0..4; the upper eight bits stay.
    let got = c(code, &a, &b);
    assert_eq!(got[8], 0xff0f);
    assert_eq!(
        got[..8],
        [0, 0, 0, 0, u32::MAX, u32::MAX, u32::MAX, u32::MAX]
    );
}

#[test]
fn selection_takes_source_0_where_the_predicate_holds() {
    let code = "setp (M1_NM, 8) P1 0x0f:uw
(P1) sel (M1, 8) C(0,0)<1> A(0,0)<1;1,0> (-)B(0,0)<1;1,0>
(P1) sel (M1, 8) C(1,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>
";
    let got = c(code, &[1; 8], &[2; 8]);
    let minus_two = (-2i32) as u32;
    assert_eq!(
        got[..8],
        [1, 1, 1, 1, minus_two, minus_two, minus_two, minus_two]
    );
    assert_eq!(got[8..], [1, 1, 1, 1, 2, 2, 2, 2]);
}

#[test]
fn regions_replicate_and_skip() {
    let a: Vec<i64> = (0..16).collect();
    // Rows of 2, 4 apart, elements 1 apart: 0 1 4 5 8 9 12 13.
    let code = "mov (M1, 8) C(0,0)<1> A(0,0)<4;2,1>
mov (M1, 4) C(1,0)<2> A(0,3)<0;1,0>
";
    let got = c(code, &a, &[]);
    assert_eq!(got, [0, 1, 4, 5, 8, 9, 12, 13, 3, 0, 3, 0, 3, 0, 3, 0]);
}

#[test]
fn a_region_past_the_end_reads_zero_and_writes_nowhere() {
    let a: Vec<i64> = (1..=16).collect();
    let code = "mov (M1, 8) C(0,0)<1> A(1,4)<1;1,0>
mov (M1, 8) C(1,4)<1> A(0,0)<1;1,0>
";
    let got = c(code, &a, &[]);
    assert_eq!(got[..8], [13, 14, 15, 16, 0, 0, 0, 0]);
    assert_eq!(got[12..], [1, 2, 3, 4]);
}

#[test]
fn sources_are_read_before_anything_is_written() {
    let code = "mov (M1, 8) C(0,0)<1> A(0,0)<1;1,0>
mov (M1, 7) C(0,1)<1> C(0,0)<1;1,0>
";
    let code = code.replace("(M1, 7)", "(M1, 4)");
    let got = c(&code, &[1, 2, 3, 4, 5, 6, 7, 8], &[]);
    assert_eq!(got[..8], [1, 1, 2, 3, 4, 6, 7, 8]);
}

#[test]
fn addresses_reach_elements_and_rows() {
    let a: Vec<i64> = (100..116).collect();
    let code = "addr_add (M1_NM, 1) A0(0)<1> &A 0x8:uw
addr_add (M1_NM, 1) A0(1)<1> A(0,0)<0;1,0> 0x20:uw
mov (M1, 4) C(0,0)<1> r[A0(0),4]<1;1,0>:d
mov (M1, 4) C(0,4)<1> r[A0(0)]<2,1>:d
mov (M1, 2) r[A0(1),4]<1>:d 0x7:d
mov (M1, 8) C(1,0)<1> A(1,0)<1;1,0>
";
    let got = c(code, &a, &[]);
    // A0(0) = &A + 8 is element 2; with 4 more, element 3.
    assert_eq!(got[..4], [103, 104, 105, 106]);
    // Two addresses, two lanes each: elements 2 3 and 8 9.
    assert_eq!(got[4..8], [102, 103, 108, 109]);
    assert_eq!(got[8..12], [108, 7, 7, 111]);
}

#[test]
fn vector_immediates_repeat() {
    let code = "mov (M1, 16) C(0,0)<1> 0xfedcba98:v
add (M1, 16) C(0,0)<1> C(0,0)<1;1,0> 0x76543210:uv
";
    // Nibbles 8..f are −8..−1; plus 0..7.
    let wanted: Vec<u32> = (0..16).map(|i| ((i % 8) * 2 - 8) as u32).collect();
    assert_eq!(c(code, &[], &[]), wanted);
    let code = "mov (M1, 8) FC(0,0)<1> 0xb0402030:vf\n";
    // 0x30 = 1.0, 0x20 = 0.5, 0x40 = 2.0, 0xb0 = −1.0.
    let got = bytes(&format!("{DECLS}{code}"), &[], "FC");
    assert_eq!(
        got[..32],
        singles([1.0, 0.5, 2.0, -1.0, 1.0, 0.5, 2.0, -1.0])[..]
    );
}

#[test]
fn conversions_round_clamp_and_extend() {
    let set = [
        (
            "FA",
            singles([2.5, -1.9, 300.0, f32::NAN, -5.0, 1e10, 0.3, 70000.0]),
        ),
        ("W", words([-1, 32767, -32768, 200, 5, 0, 0, 0])),
    ];
    let body = |code: &str| format!("{DECLS}{code}\n");
    let run = |code: &str, wanted: &str| bytes(&body(code), &set, wanted);
    let got = run("mov (M1, 8) C(0,0)<1> FA(0,0)<1;1,0>", "C");
    let wanted = [2, -1, 300, 0, -5, i64::from(i32::MAX), 0, 70000];
    assert_eq!(got[..32], dwords(wanted)[..]);
    let got = run("mov (M1, 8) UB(0,0)<1> FA(0,0)<1;1,0>", "UB");
    assert_eq!(got[..8], [2, 0, 255, 0, 0, 255, 0, 255]);
    let got = run("mov (M1, 8) C(0,0)<1> W(0,0)<1;1,0>", "C");
    assert_eq!(got[..20], dwords([-1, 32767, -32768, 200, 5])[..]);
    let got = run("mov (M1, 8) UB(0,0)<1> W(0,0)<1;1,0>", "UB");
    assert_eq!(got[..5], [255, 255, 0, 200, 5]);
    let got = run("mov.sat (M1, 8) UB(0,0)<1> W(0,0)<1;1,0>", "UB");
    assert_eq!(got[..5], [0, 255, 0, 200, 5]);
    let got = run("mov (M1, 8) FC(0,0)<1> W(0,0)<1;1,0>", "FC");
    assert_eq!(
        got[..20],
        singles([-1.0, 32767.0, -32768.0, 200.0, 5.0])[..]
    );
    // 70000 is above the greatest half, 65504; 0.3 is 0x34cd in half.
    let got = run("mov (M1, 8) HF(0,0)<1> FA(0,0)<1;1,0>", "HF");
    assert_eq!(got[12..16], words([0x34cd, 0x7c00])[..]);
    // Rounding toward zero keeps 65504 = 0x7bff and gives 0.3 as 0x34cc.
    let got = run(
        "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud
mov (M1, 8) HF(0,0)<1> FA(0,0)<1;1,0>",
        "HF",
    );
    assert_eq!(got[12..16], words([0x34cc, 0x7bff])[..]);
}

#[test]
fn denormals_are_flushed_until_cr0_keeps_them() {
    let tiny = f32::from_bits(1);
    let set = [("FA", singles([tiny; 8])), ("FB", singles([0.0; 8]))];
    let add = "add (M1, 8) FC(0,0)<1> FA(0,0)<1;1,0> FB(0,0)<1;1,0>\n";
    let flushed = bytes(&format!("{DECLS}{add}"), &set, "FC");
    assert_eq!(flushed[..32], [0; 32]);
    let keep = "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n";
    let kept = bytes(&format!("{DECLS}{keep}{add}"), &set, "FC");
    assert_eq!(kept[..32], singles([tiny; 8])[..]);
}

/// A single below all halves is a zero, or the least half where it is rounded away from zero. Seen by `vstore_half_rtp`
/// of the OpenCL conformance tests.
#[test]
fn denormals_that_are_kept_are_rounded_to_halves() {
    let tiny = [1, 0x8000_0001, 0x007f_ffff, 0, 0, 0, 0, 0].map(f32::from_bits);
    let set = [("FA", singles(tiny))];
    for (cr0, wanted) in [
        ("0x4c0", [0, 0x8000, 0]),
        ("0x4d0", [1, 0x8000, 1]),
        ("0x4e0", [0, 0x8001, 0]),
        ("0x4f0", [0, 0x8000, 0]),
        ("0x10", [0, 0x8000, 0]),
    ] {
        let body = format!(
            "{DECLS}.decl H v_type=G type=hf num_elts=16 align=GRF\n\
             mov (M1_NM, 1) %cr0(0,0)<1> {cr0}:ud\n\
             mov (M1, 8) H(0,0)<2> FA(0,0)<1;1,0>\n"
        );
        let got = bytes(&body, &set, "H");
        let halves = [0, 4, 8].map(|at| u16::from_le_bytes([got[at], got[at + 1]]));
        assert_eq!(halves, wanted, "{cr0}");
    }
}

#[test]
fn wide_products_and_shifts() {
    let set = [("A", dwords([-3, i64::from(i32::MAX), 0, 0, 0, 0, 0, 0]))];
    let body = format!("{DECLS}mul (M1, 4) Q(0,0)<1> A(0,0)<1;1,0> A(0,0)<0;1,0>\n");
    let got = bytes(&body, &set, "Q");
    assert_eq!(got[..8], 9i64.to_le_bytes());
    assert_eq!(got[8..16], (-3 * i64::from(i32::MAX)).to_le_bytes());
    let got = c(
        "asr (M1, 8) C(0,0)<1> A(0,0)<1;1,0> 0x1:uw\n",
        &[-3; 8],
        &[],
    );
    assert_eq!(got[0], (-2i32) as u32);
    let got = c(
        "shl (M1, 8) C(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\n",
        &[3; 8],
        &[33; 8],
    );
    assert_eq!(got[0], 6);
}

fn surface(format: Format, width: u32, height: u32, bytes: Vec<u8>) -> Arc<Surface> {
    let description = Description::d2(format, width, height);
    let surface = Surface::zeroed(description).expect("a surface");
    surface.memory().write(0, &bytes);
    Arc::new(surface)
}

#[test]
fn media_blocks_move_bytes() {
    // byte(x, y) = x + 64·y in a surface of 64x4; pitch 64.
    let source = surface(Format::R8_UNORM, 64, 4, (0..=255).collect());
    let target = surface(Format::R8_UNORM, 64, 4, vec![0; 256]);
    let program = program(&format!(
        "{DECLS}
.decl D v_type=G type=ub num_elts=64 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
media_ld.nomod (5,3) T6 0 0x3e:d -1:d D.0
movs (M1_NM, 1) T6(0) 0x7:ud
media_st.nomod (4,2) T6 0 0x8:d 0x1:d D.0
"
    ));
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, source);
    bindings.surfaces.insert(7, Arc::clone(&target));
    bindings.variables.insert("D".to_string(), vec![0xee; 64]);
    let outcome = run_with(&program, &bindings).expect("runs");
    let d = outcome.threads[0].bytes(&program, "D").expect("D");
    // x = 62, 63, then the edge pixel 63; row −1 repeats row 0. Pitch 8, bytes 5..8 untouched.
    assert_eq!(d[..8], [62, 63, 63, 63, 63, 0xee, 0xee, 0xee]);
    assert_eq!(d[8..13], [62, 63, 63, 63, 63]);
    assert_eq!(d[16..21], [126, 127, 127, 127, 127]);
    let stored = target.memory().to_vec();
    assert_eq!(stored[64 + 8..64 + 12], [62, 63, 63, 63]);
    // The block stored is 4 wide, so its rows are 4 apart in D: bytes 4..8.
    assert_eq!(stored[128 + 8..128 + 12], [63, 0xee, 0xee, 0xee]);
}

#[test]
fn loads_fill_a_register_for_each_channel() {
    let texels: Vec<u8> = (0..16 * 2 * 4).map(|i| i as u8).collect();
    let bound = surface(Format::R8G8B8A8_UINT, 16, 2, texels);
    let program = program(&format!(
        "{DECLS}
.decl OUT v_type=G type=ud num_elts=40 align=GRF
.decl T6 v_type=T num_elts=1
mov (M1, 8) A(0,0)<1> 0x76543210:uv
mov (M1, 8) B(0,0)<1> 0x1:d
mov (M1, 16) OUT(0,0)<1> 0x77:ud
setp (M1_NM, 8) P1 0xfd:uw
(P1) load_3d.pixel_null_mask.RB (M1, 8) 0x0:uw T6 OUT.0 A.0 B.0
"
    ));
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, bound);
    let outcome = run_with(&program, &bindings).expect("runs");
    let out = as_dwords(outcome.threads[0].bytes(&program, "OUT").expect("OUT"));
    // Texel x of row 1 starts at byte 64 + 4x: R = 64 + 4x, B = 66 + 4x. Lane 1 is off.
    let lane = |base: u32, i: u32| if i == 1 { 0x77 } else { base + 4 * i };
    let wanted: Vec<u32> = (0..8)
        .map(|i| lane(64, i))
        .chain((0..8).map(|i| lane(66, i)))
        .collect();
    assert_eq!(out[..16], wanted[..]);
    assert_eq!(out[16], 0xff);
}

#[test]
fn an_unbound_surface_says_how_to_bind_it() {
    let program = program(&format!(
        "{DECLS}
.decl T6 v_type=T num_elts=1
media_ld.nomod (4,1) T6 0 0x0:d 0x0:d C.0
"
    ));
    let trap = run_with(&program, &Bindings::default()).expect_err("nothing is bound");
    assert_eq!(trap.diagnostic.code.to_string(), "E0603");
    assert!(
        trap.diagnostic.notes[0].contains("`T6` holds 6"),
        "{trap:#?}"
    );
}

#[test]
fn what_is_not_modelled_speaks_when_it_is_reached() {
    let body = |guard: &str| {
        format!(
            "{DECLS}
goto (M1, 1) done
done:
{guard}
ret (M1, 1)
"
        )
    };
    assert!(run_with(&program(&body("")), &Bindings::default()).is_ok());
    let trap = run_with(
        &program(&body("raw_send (M1, 8) 0x0 1 1 0x2000000:ud A.0 B.0")),
        &Bindings::default(),
    )
    .expect_err("not modelled");
    assert_eq!(trap.diagnostic.code.to_string(), "N0601");
}

#[test]
fn an_endless_loop_meets_the_limit() {
    let program = program("again:\ngoto (M1, 1) again\n");
    let options = RunOptions {
        limit: 1000,
        ..RunOptions::default()
    };
    let trap = launch::run(
        &program,
        &Bindings::default(),
        &Grid::single(),
        &options,
        |_| Silent,
    )
    .expect_err("endless");
    assert_eq!(trap.diagnostic.code.to_string(), "L0602");
}

#[test]
fn media_threads_write_their_own_places_on_any_number_of_jobs() {
    let program = program(
        ".decl X v_type=G type=d num_elts=1 align=GRF
.decl Y v_type=G type=d num_elts=1 align=GRF
.decl D v_type=G type=ub num_elts=32 align=GRF
.decl T6 v_type=T num_elts=1
mov (M1, 1) X(0,0)<1> %thread_x(0,0)<0;1,0>
mov (M1, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0>
mad (M1, 1) D(0,0)<1> Y(0,0)<0;1,0> 0x10:d X(0,0)<0;1,0>
shl (M1, 1) X(0,0)<1> X(0,0)<0;1,0> 0x2:d
media_st.nomod (1,1) T6 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> D.0
",
    );
    let mut images = Vec::new();
    for jobs in [1, 4] {
        let target = surface(Format::R8_UNORM, 64, 8, vec![0; 512]);
        let mut bindings = Bindings::default();
        bindings.surfaces.insert(6, Arc::clone(&target));
        let options = RunOptions {
            jobs,
            ..RunOptions::default()
        };
        let grid = Grid::media(16, 8);
        let outcome = launch::run(&program, &bindings, &grid, &options, |_| Silent).expect("runs");
        assert_eq!(outcome.thread_count, 128);
        images.push(target.memory().to_vec());
    }
    // Thread (5, 3) writes 3·16 + 5 at byte 20 of row 3.
    assert_eq!(images[0][3 * 64 + 20], 53);
    assert_eq!(images[0], images[1]);
    let _: &Memory = &Memory::zeroed(1);
}

/// The singles of `FC` after `code` ran on the given `FA` and `FB`.
fn fc(code: &str, a: &[f32], b: &[f32]) -> Vec<f32> {
    let set = [
        ("FA", singles(a.iter().copied())),
        ("FB", singles(b.iter().copied())),
    ];
    let bytes = bytes(&format!("{DECLS}{code}"), &set, "FC");
    as_dwords(&bytes).into_iter().map(f32::from_bits).collect()
}

#[test]
fn float_arithmetic_of_one_line_each() {
    let a = [2.5, -2.5, 3.5, -0.25, 1.0, 2.0, 3.0, 4.0];
    let b = [0.5, 4.0, 2.0, 8.0, 10.0, 20.0, 30.0, 40.0];
    let one = |op: &str| fc(&format!("{op} (M1, 8) FC(0,0)<1> FA(0,0)<1;1,0>\n"), &a, &b);
    assert_eq!(one("rndd")[..4], [2.0, -3.0, 3.0, -1.0]);
    assert_eq!(one("rndu")[..4], [3.0, -2.0, 4.0, 0.0]);
    assert_eq!(one("rnde")[..4], [2.0, -2.0, 4.0, 0.0]);
    assert_eq!(one("rndz")[..4], [2.0, -2.0, 3.0, 0.0]);
    assert_eq!(one("frc")[..4], [0.5, 0.5, 0.5, 0.75]);
    let two = |op: &str| {
        let code = format!("{op} (M1, 8) FC(0,0)<1> FA(0,0)<1;1,0> FB(0,0)<1;1,0>\n");
        fc(&code, &a, &b)
    };
    assert_eq!(two("div")[..4], [5.0, -0.625, 1.75, -0.03125]);
    // Group 1: 1·10 + 2·20 + 3·30 + 4·40 = 300; dp3 140, dp2 50, dph 140 + 40.
    for (op, sum) in [
        ("dp4", 300.0),
        ("dp3", 140.0),
        ("dp2", 50.0),
        ("dph", 180.0),
    ] {
        assert_eq!(two(op)[4..8], [sum; 4], "{op}");
    }
    let code = "lrp (M1, 8) FC(0,0)<1> FA(0,0)<1;1,0> FB(0,0)<1;1,0> 0x3f800000:f\n";
    // 0.5·2.5 + 1·(1 − 2.5) = −0.25.
    assert_eq!(fc(code, &a, &b)[0], -0.25);
    // p·u + q with p = element 0, q = element 3 of the group: 2.5·0.5 − 0.25 = 1.
    let code = "line (M1, 8) FC(0,0)<1> FA(0,0)<0;1,0> FB(0,0)<1;1,0>\n";
    assert_eq!(fc(code, &a, &b)[..2], [1.0, 9.75]);
    // 2.5·u − 2.5·v − 0.25 with u = 0.5, v = FB(1,0).
    let code = "plane (M1, 8) FC(0,0)<1> FA(0,0)<0;1,0> FB(0,0)<1;1,0>\n";
    let mut uv = b.to_vec();
    uv.extend([1.0; 8]);
    assert_eq!(fc(code, &a, &uv)[0], -1.5);
}

#[test]
fn math_rounds_to_single() {
    let a = [4.0, 0.5, 2.0, 8.0, 3.0, 1.0, -1.0, 0.0];
    let one = |op: &str| {
        fc(
            &format!("{op} (M1, 8) FC(0,0)<1> FA(0,0)<1;1,0>\n"),
            &a,
            &[],
        )
    };
    let third = 1.0f32 / 3.0;
    assert_eq!(
        one("inv"),
        [
            0.25,
            2.0,
            0.5,
            0.125,
            third,
            1.0,
            -1.0,
            f32::INFINITY,
            0.,
            0.,
            0.,
            0.,
            0.,
            0.,
            0.,
            0.
        ]
    );
    assert_eq!(one("log")[..4], [2.0, -1.0, 1.0, 3.0]);
    assert_eq!(one("log")[7], f32::NEG_INFINITY);
    assert_eq!(
        one("exp")[..4],
        [16.0, std::f32::consts::SQRT_2, 4.0, 256.0]
    );
    assert_eq!(
        one("sqrt")[..3],
        [
            2.0,
            std::f32::consts::FRAC_1_SQRT_2,
            std::f32::consts::SQRT_2
        ]
    );
    assert!(one("sqrt")[6].is_nan());
    assert_eq!(one("rsqrt")[0], 0.5);
    // sin 1 = 0.841470984…, cos 1 = 0.540302305…
    assert_eq!(one("sin")[5], 0.841_470_96);
    assert_eq!(one("cos")[5], 0.540_302_3);
    let code = "pow (M1, 8) FC(0,0)<1> FA(0,0)<1;1,0> 0x40400000:f\n";
    assert_eq!(fc(code, &a, &[])[..5], [64.0, 0.125, 8.0, 512.0, 27.0]);
}

#[test]
fn integer_arithmetic_of_one_line_each() {
    let a = [7, -7, 100, 0x7fff_ffff, -1, 0, 1, 5];
    let b = [2, 2, 0, 2, 3, 3, 3, 3];
    let two = |op: &str| {
        let code = format!("{op} (M1, 8) C(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\n");
        c(&code, &a, &b)
    };
    let signed = |v: Vec<u32>| v.into_iter().map(|v| v as i32).collect::<Vec<_>>();
    assert_eq!(signed(two("div"))[..3], [3, -3, -1]);
    assert_eq!(signed(two("mod"))[..3], [1, -1, 100]);
    assert_eq!(signed(two("avg"))[..4], [5, -2, 50, 0x4000_0001]);
    assert_eq!(signed(two("mulh"))[1..4], [-1, 0, 0]);
    let unsigned = |code: &str, wanted: &str| {
        let decls = format!(
            "{DECLS}
.decl UA v_type=G type=ud num_elts=16 alias=<A, 0>
.decl UB2 v_type=G type=ud num_elts=16 alias=<B, 0>
.decl UC v_type=G type=ud num_elts=16 alias=<C, 0>
.decl UD v_type=G type=ud num_elts=16 align=GRF
{code}"
        );
        let set = [("A", dwords(a)), ("B", dwords(b))];
        as_dwords(&bytes(&decls, &set, wanted))
    };
    let addc = "addc (M1, 8) UC(0,0)<1> UD(0,0)<1> UA(0,0)<1;1,0> UB2(0,0)<1;1,0>\n";
    assert_eq!(unsigned(addc, "UC")[4], 2);
    // −1 + 3 carries; −7 + 2 does not.
    assert_eq!(unsigned(addc, "UD")[..8], [0, 0, 0, 0, 1, 0, 0, 0]);
    let subb = "subb (M1, 8) UC(0,0)<1> UD(0,0)<1> UA(0,0)<1;1,0> UB2(0,0)<1;1,0>\n";
    assert_eq!(unsigned(subb, "UC")[6], (-2i32) as u32);
    assert_eq!(unsigned(subb, "UD")[..8], [0, 0, 0, 0, 0, 1, 1, 0]);
    let bits = |op: &str| unsigned(&format!("{op} (M1, 8) UC(0,0)<1> UA(0,0)<1;1,0>\n"), "UC");
    assert_eq!(bits("cbit")[..6], [3, 30, 3, 31, 32, 0]);
    assert_eq!(bits("lzd")[..6], [29, 0, 25, 1, 0, 32]);
    assert_eq!(bits("fbl")[2..6], [2, 0, 0, u32::MAX]);
    assert_eq!(bits("bfrev")[6], 0x8000_0000);
    let bfe = "bfe (M1, 8) UC(0,0)<1> 0x3:ud 0x2:ud UA(0,0)<1;1,0>\n";
    // Bits 2..5 of 100 = 0b1100100 are 001.
    assert_eq!(unsigned(bfe, "UC")[2], 1);
}

#[test]
fn a_nan_keeps_its_payload_through_arithmetic() {
    let odd = f32::from_bits(0xfffb_3846);
    let code = "mul (M1, 8) FC(0,0)<1> FA(0,0)<1;1,0> 0x40000000:f
mov (M1, 4) FC(1,0)<1> (-)FA(0,0)<1;1,0>
";
    let got = fc(code, &[odd, f32::INFINITY, 0.0], &[]);
    assert_eq!(got[0].to_bits(), 0xfffb_3846);
    assert_eq!(got[8].to_bits(), 0x7ffb_3846);
    // Nothing to keep: the positive quiet NaN.
    let code = "mul (M1, 8) FC(0,0)<1> FA(0,0)<1;1,0> FB(0,0)<1;1,0>\n";
    let got = fc(code, &[f32::INFINITY], &[0.0]);
    assert_eq!(got[0].to_bits(), 0x7fc0_0000);
}

#[test]
fn integers_become_floats_in_the_direction_of_cr0() {
    // 2^24 + 1 lies between two singles.
    let code = "mov (M1, 1) FC(0,0)<1> A(0,0)<0;1,0>
xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x10:ud
mov (M1, 1) FC(0,1)<1> A(0,0)<0;1,0>
mov (M1, 1) FC(0,2)<1> (-)A(0,0)<0;1,0>
";
    let set = [("A", dwords([(1 << 24) + 1]))];
    let got = bytes(&format!("{DECLS}{code}"), &set, "FC");
    assert_eq!(
        got[..12],
        singles([16777216.0, 16777218.0, -16777216.0])[..]
    );
}
