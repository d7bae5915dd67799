//! Which way a message takes, by what it asks, of which format, on which lanes, with which offsets: what falls off
//! the fast ways is named here.

use super::blocks::Blocks;
use super::coalesced::{Coalesced, Way};
use super::environment::{Allowance, Environment};
use super::site_plans::{self, SitePlans};
use super::texels::Rows;
use crate::check::{CheckOptions, check};
use crate::exec::compute::decoded::Decoded;
use crate::exec::compute::native::NativeCode;
use crate::exec::state::bindings::{Bindings, FlatRange, Resources, Sampler};
use crate::exec::state::named::NamedBarriers;
use crate::exec::state::thread::{Thread, ThreadId};
use crate::isa::Platform;
use crate::lower::{LowerOptions, lower};
use crate::message::Request;
use crate::program::{Op, Program};
use crate::sampler::SamplerState;
use crate::sampler::avs::AvsSampler;
use crate::sampler::settings::Filter;
use crate::source::Source;
use crate::surface::{Description, Format, Memory, Surface};
use crate::syntax::{ParseOptions, parse};
use pretty_assertions::assert_eq;
use std::sync::Arc;

const DECLS: &str = ".version 3.6
.kernel \"k\"
.decl U v_type=G type=f num_elts=16 align=GRF
.decl V v_type=G type=f num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=16 align=GRF
.decl Y v_type=G type=ud num_elts=16 align=GRF
.decl LEVEL v_type=G type=ud num_elts=16 align=GRF
.decl LEVELS v_type=G type=ud num_elts=16 align=GRF
.decl NEAR v_type=G type=ud num_elts=16 align=GRF
.decl ODD v_type=G type=ud num_elts=16 align=GRF
.decl FAR v_type=G type=uq num_elts=16 align=GRF
.decl AWAY v_type=G type=uq num_elts=16 align=GRF
.decl D v_type=G type=ud num_elts=136 align=GRF
.decl U32 v_type=G type=f num_elts=32 align=GRF
.decl X32 v_type=G type=ud num_elts=32 align=GRF
.decl FAR32 v_type=G type=uq num_elts=32 align=GRF
.decl SOME v_type=P num_elts=16
.decl S0 v_type=S num_elts=1
.decl S1 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.decl T8 v_type=T num_elts=1
.decl S2 v_type=S num_elts=1
.kernel_attr SimdSize=16
";

/// What a message does, and the way it takes for all lanes and for some.
const TABLE: &[(&str, &str, &str)] = &[
    // Loads: the image at T6 has two levels.
    (
        "load_lz.RGBA (M1, 16) 0x0:uw T6 D.0 X.0 Y.0",
        "planned",
        "planned",
    ),
    (
        "load_lz.R (M1, 8) 0x0:uw T6 D.0 X.0 Y.0",
        "planned",
        "planned",
    ),
    (
        "load_lz.RGBA (M1, 16) 0x21:uw T6 D.0 X.0 Y.0",
        "planned",
        "planned",
    ),
    (
        "load_3d.RGBA (M1, 16) 0x0:uw T6 D.0 X.0",
        "planned",
        "planned",
    ),
    (
        "load_3d.RGBA (M1, 16) 0x0:uw T6 D.0 X.0 Y.0",
        "planned",
        "planned",
    ),
    (
        "load_3d.RGBA (M1, 16) 0x0:uw T6 D.0 X.0 Y.0 LEVEL.0",
        "planned",
        "planned",
    ),
    (
        "load_3d.RGBA (M1, 16) 0x0:uw T6 D.0 X.0 Y.0 LEVELS.0",
        "other",
        "other",
    ),
    (
        "load_lz.pixel_null_mask.RGBA (M1, 16) 0x0:uw T6 D.0 X.0 Y.0",
        "other",
        "other",
    ),
    // Samples: S0 is nearest, S1 linear.
    (
        "sample_lz.RGBA (M1, 16) 0x0:uw S0 T6 D.0 U.0 V.0",
        "planned",
        "planned",
    ),
    (
        "sample_lz.RGBA (M1, 16) 0x21:uw S0 T6 D.0 U.0 V.0",
        "planned",
        "planned",
    ),
    (
        "sample_lz.RGBA (M1, 16) 0x0:uw S1 T6 D.0 U.0 V.0",
        "planned",
        "planned",
    ),
    (
        "sample_lz.RGBA (M1, 16) 0xf1:uw S1 T6 D.0 U.0 V.0",
        "planned",
        "planned",
    ),
    (
        "sample_l.RGBA (M1, 16) 0x0:uw S1 T6 D.0 U.0 U.0 V.0",
        "planned",
        "planned",
    ),
    (
        "sample_b.RGBA (M1, 16) 0x0:uw S1 T6 D.0 U.0 U.0 V.0",
        "other",
        "other",
    ),
    (
        "sample4.R (M1, 16) 0x0:uw S1 T6 D.0 U.0 V.0",
        "other",
        "other",
    ),
    // Messages of 32 lanes, on Xe2.
    (
        "load_lz.RGBA (M1, 32) 0x0:uw T6 D.0 X32.0 X32.0",
        "planned",
        "planned",
    ),
    (
        "sample_lz.RGBA (M1, 32) 0x0:uw S1 T6 D.0 U32.0 U32.0",
        "planned",
        "planned",
    ),
    (
        "lsc_load.ugm (M1, 32) D:d32x4 flat[FAR32]:a64",
        "Vectors",
        "Vectors",
    ),
    (
        "lsc_store.ugm (M1, 32) flat[FAR32]:a64 D:d32x4",
        "Vectors",
        "Vectors",
    ),
    // Memory: at T7, local, scratch (fast in native code alone), and at addresses of 64 bits.
    (
        "gather4_scaled.R (M1, 16) T7 0x0:ud NEAR.0 D.0",
        "Vectors",
        "Vectors",
    ),
    (
        "gather4_scaled.RGBA (M1, 16) T7 0x0:ud NEAR.0 D.0",
        "Vectors",
        "Vectors",
    ),
    (
        "gather4_scaled.R (M1, 16) T7 0x0:ud ODD.0 D.0",
        "Lanes",
        "Lanes",
    ),
    (
        "gather4_scaled.RA (M1, 16) T7 0x0:ud NEAR.0 D.0",
        "other",
        "other",
    ),
    (
        "gather4_scaled.RG (M1, 16) %slm 0x0:ud NEAR.0 D.0",
        "Vectors",
        "Vectors",
    ),
    (
        "gather4_scaled.RG (M1, 16) %scratch 0x0:ud NEAR.0 D.0",
        "other",
        "other",
    ),
    (
        "scatter4_scaled.R (M1, 16) T7 0x0:ud NEAR.0 D.0",
        "Vectors",
        "Vectors",
    ),
    (
        "scatter4_scaled.RGBA (M1, 16) %slm 0x0:ud NEAR.0 D.0",
        "Vectors",
        "Vectors",
    ),
    (
        "gather_scaled.1 (M1, 16) T7 0x0:ud NEAR.0 D.0",
        "Lanes",
        "Lanes",
    ),
    (
        "gather_scaled.4 (M1, 16) T7 0x0:ud NEAR.0 D.0",
        "Vectors",
        "Vectors",
    ),
    (
        "dword_atomic.add (M1, 16) %slm NEAR.0 D.0 %null.0 D.0",
        "Lanes",
        "Lanes",
    ),
    (
        "svm_gather4scaled.RG (M1, 8) 0x0:uq FAR.0 D.0",
        "Vectors",
        "Vectors",
    ),
    (
        "svm_gather4scaled.RG (M1, 8) 0x0:uq AWAY.0 D.0",
        "Lanes",
        "Lanes",
    ),
    (
        "lsc_load.ugm (M1, 16) D:d32x2 flat[FAR]:a64",
        "Vectors",
        "Vectors",
    ),
    (
        "lsc_load.ugm (M1, 16) D:d8u32 flat[FAR]:a64",
        "Lanes",
        "Lanes",
    ),
    (
        "lsc_load.ugm (M1, 16) D:d32x2 bti(0x7)[NEAR]:a32",
        "Vectors",
        "Vectors",
    ),
    (
        "lsc_store.slm (M1, 16) flat[NEAR]:a32 D:d32",
        "Vectors",
        "Vectors",
    ),
    (
        "lsc_atomic_iadd.ugm (M1, 16) D:d32 flat[FAR]:a64 D %null",
        "Lanes",
        "Lanes",
    ),
    ("oword_ld (4) T7 0x1:ud D.0", "Block", "Block"),
    // Blocks of 16 bytes by 4 rows of an image of bytes, and what the scaler makes of it.
    (
        "media_ld.nomod (16,4) T8 0 X(0,1)<0;1,0> Y(0,0)<0;1,0> D.0",
        "blocks",
        "blocks",
    ),
    (
        "media_st.nomod (16,4) T8 0 X(0,4)<0;1,0> Y(0,0)<0;1,0> D.0",
        "blocks",
        "blocks",
    ),
    (
        "media_ld.nomod (16,4) T8 0 NEAR(0,3)<0;1,0> Y(0,0)<0;1,0> D.0",
        "blocks",
        "blocks",
    ),
    (
        "media_ld.nomod (16,4) T8 0 NEAR(0,4)<0;1,0> Y(0,0)<0;1,0> D.0",
        "other",
        "other",
    ),
    (
        "avs.G T8 S2 U(0,1)<0;1,0> V(0,1)<0;1,0> 0.01:f 0.01:f 0.0:f 0:ud 0:ud AVS_8_FULL 0.0:f AVS_16x8 0:ub D.0",
        "blocks",
        "blocks",
    ),
    (
        "avs.RGBA T6 S2 U(0,1)<0;1,0> V(0,1)<0;1,0> 0.01:f 0.01:f 0.0:f 0:ud 0:ud AVS_8_FULL 0.0:f AVS_16x4 0:ub D.0",
        "other",
        "other",
    ),
    // Typed messages.
    (
        "scatter4_typed.RGBA (M1, 8) T6 X.0 Y.0 %null.0 %null.0 D.0",
        "row",
        "row",
    ),
    (
        "scatter4_typed.RGBA (M1, 8) T6 ODD.0 X.0 %null.0 %null.0 D.0",
        "row",
        "row",
    ),
    (
        "gather4_typed.RGBA (M1, 8) T6 X.0 Y.0 %null.0 %null.0 D.0",
        "other",
        "other",
    ),
];

fn program(message: &str, some: bool) -> Program {
    let guard = if some && message.contains("(M1") {
        "(SOME) "
    } else {
        ""
    };
    let text = format!("{DECLS}{guard}{message}\n");
    let parsed = parse(&Source::new("t", text), &ParseOptions::default());
    let options = CheckOptions {
        platform: match message {
            m if m.starts_with("media") || m.starts_with("avs") => Platform::Skl,
            m if m.contains("32)") => Platform::Bmg,
            _ => Platform::Dg2,
        },
        ..CheckOptions::default()
    };
    let (checked, said) = check(&parsed.module, &options);
    let said = parsed.diagnostics.iter().chain(&said);
    let fatal: Vec<_> = said.filter(|d| d.class().is_fatal()).collect();
    assert!(fatal.is_empty(), "{message}: {fatal:#?}");
    lower(&checked, "", &LowerOptions::default()).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// Where the memory at 64-bit addresses lies; there is another one far behind it.
const BASE: u64 = 0x1_0000_0000;

fn bindings(format: &str) -> Bindings {
    let image = Description {
        levels: 2,
        ..Description::d2(Format::named(format).expect("a format"), 64, 32)
    };
    let image = Surface::zeroed(image).expect("an image");
    let memory = Arc::new(Memory::zeroed(1024));
    let buffer = Description::buffer(Format::named("R8_UINT").expect("a format"), 1024);
    let buffer = Surface::new(buffer, Arc::clone(&memory)).expect("a buffer");
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::new(image));
    bindings.surfaces.insert(7, Arc::new(buffer));
    let bytes = Description::d2(Format::named("Y8_UNORM").expect("a format"), 64, 32);
    let bytes = Surface::zeroed(bytes).expect("an image");
    bindings.surfaces.insert(8, Arc::new(bytes));
    let scaler = Sampler::Avs(Arc::new(AvsSampler::default()));
    bindings.samplers.insert(2, scaler);
    for (address, memory) in [(BASE, memory), (2 * BASE, Arc::new(Memory::zeroed(1024)))] {
        bindings.memory.push(FlatRange { address, memory });
    }
    for (index, filter) in [(0, Filter::Nearest), (1, Filter::Linear)] {
        let state = SamplerState::default().filtered(filter, filter);
        bindings
            .samplers
            .insert(index, Sampler::Texture(Arc::new(state)));
    }
    bindings
}

/// Puts a value for each lane into a variable.
fn fill(thread: &mut Thread<'_>, name: &str, value: impl Fn(u64) -> u64) {
    let symbol = thread.program.symbols[name];
    let lanes = if name.ends_with("32") { 32 } else { 16 };
    let bytes = symbol.bytes() as usize / lanes;
    let registers = thread.arena[symbol.range()].chunks_exact_mut(bytes);
    for (lane, register) in (0..).zip(registers) {
        register.copy_from_slice(&value(lane).to_le_bytes()[..bytes]);
    }
}

/// The way of the message that a program has.
fn way(message: &str, format: &str, some: bool) -> String {
    let program = program(message, some);
    let resources = Resources::new(&bindings(format));
    let (code, plans) = (Decoded::new(&program), SitePlans::new(&program));
    let (slm, named) = (Memory::zeroed(1024), NamedBarriers::default());
    let allowance = Allowance::new(u64::MAX, None);
    let environment = Environment {
        code: &code,
        resources: &resources,
        plans: &plans,
        slm: &slm,
        named: &named,
        scratch_bytes: 1024,
        limit: 1000,
        turn: u64::MAX,
        allowance: &allowance,
        tally: None,
        through_bits: false,
        native: NativeCode::Never,
    };
    let sends = |op: &Op| matches!(op, Op::Send(_));
    let pc = program.ops.iter().position(sends).expect("a message");
    let Op::Send(send) = &program.ops[pc] else {
        unreachable!("it is one");
    };
    let mut thread = Thread::new(&program, ThreadId::default(), u32::MAX);
    let single = |value: f32| u64::from(value.to_bits());
    fill(&mut thread, "U", |lane| single(lane as f32 / 20.0));
    fill(&mut thread, "V", |lane| single(lane as f32 / 30.0));
    fill(&mut thread, "X", |lane| lane);
    fill(&mut thread, "Y", |_| 3);
    fill(&mut thread, "LEVEL", |_| 1);
    fill(&mut thread, "LEVELS", |lane| lane & 1);
    fill(&mut thread, "NEAR", |lane| 16 * lane);
    fill(&mut thread, "ODD", |lane| 7 * lane);
    fill(&mut thread, "FAR", |lane| BASE + 24 * lane);
    fill(&mut thread, "U32", |lane| single(lane as f32 / 40.0));
    fill(&mut thread, "X32", |lane| lane);
    fill(&mut thread, "FAR32", |lane| BASE + 24 * lane);
    fill(&mut thread, "AWAY", |lane| {
        BASE * (1 + lane % 2) + 24 * lane
    });
    if let Some(symbol) = program.symbols.get("SOME") {
        thread.arena[symbol.range()][..2].copy_from_slice(&0x5af3u16.to_le_bytes());
    }
    let pc = pc as u32;
    if matches!(send.request, Request::Sampler(_)) {
        let alone = std::slice::from_mut(&mut thread);
        let planned = site_plans::serve(alone, &environment, send, pc);
        return if planned { "planned" } else { "other" }.to_string();
    }
    if Rows::new(&thread, &environment, send, 0).is_some_and(|rows| rows.write(&thread)) {
        return "row".to_string();
    }
    let blocks = Blocks::new(&thread, &environment, send, pc);
    if blocks.is_some_and(|mut blocks| blocks.serve(&mut thread)) {
        return "blocks".to_string();
    }
    let coalesced = Coalesced::new(&thread, &environment, send, pc);
    let way: Option<Way> = coalesced.and_then(|c| c.serve(&mut thread, &environment));
    way.map_or("other".to_string(), |way| format!("{way:?}"))
}

#[test]
fn are_those_of_the_table() {
    if crate::math::simd::wide().is_none() {
        return;
    }
    let got = TABLE.iter().map(|(message, ..)| {
        let [all, some] = [false, true].map(|some| way(message, "R8G8B8A8_UNORM", some));
        format!("{message}: {all} {some}")
    });
    let wanted = TABLE
        .iter()
        .map(|(message, all, some)| format!("{message}: {all} {some}"));
    assert_eq!(got.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
}

/// A load, a sample and a typed write of each kind of format.
#[test]
fn of_formats() {
    if crate::math::simd::wide().is_none() {
        return;
    }
    let messages = [
        "load_lz.RGBA (M1, 16) 0x0:uw T6 D.0 X.0 Y.0",
        "sample_lz.RGBA (M1, 16) 0x0:uw S1 T6 D.0 U.0 V.0",
        "scatter4_typed.RGBA (M1, 8) T6 X.0 Y.0 %null.0 %null.0 D.0",
    ];
    let table = [
        ("R8G8B8A8_UNORM", ["planned", "planned", "row"]),
        ("B8G8R8A8_UNORM", ["planned", "planned", "row"]),
        ("R8_UNORM", ["planned", "planned", "row"]),
        ("R16G16B16A16_FLOAT", ["planned", "planned", "row"]),
        ("R32_FLOAT", ["planned", "planned", "row"]),
        ("R32G32B32A32_FLOAT", ["planned", "planned", "row"]),
        ("R32_UINT", ["planned", "planned", "row"]),
        ("BC1_UNORM", ["other", "other", "other"]),
    ];
    let got = table.map(|(format, _)| (format, messages.map(|m| way(m, format, false))));
    assert_eq!(
        got,
        table.map(|(format, ways)| (format, ways.map(String::from)))
    );
}
