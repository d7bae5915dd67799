//! Sampler messages and typed writes in native code do what those do that the steps serve.

use super::native_laws::environment;
use crate::check::{CheckOptions, check};
use crate::exec::compute::decoded::Decoded;
use crate::exec::compute::laws::{cases, lowered};
use crate::exec::compute::native::{NativeCode, Seen};
use crate::exec::message::environment::Allowance;
use crate::exec::message::site_plans::SitePlans;
use crate::exec::state::bindings::{Bindings, Resources, Sampler};
use crate::exec::state::named::NamedBarriers;
use crate::exec::state::observer::Silent;
use crate::exec::state::thread::{Thread, ThreadId};
use crate::isa::Platform;
use crate::lower::{LowerOptions, lower};
use crate::program::{Op, Program};
use crate::sampler::SamplerState;
use crate::sampler::settings::{Address, Border, Filter};
use crate::source::Source;
use crate::surface::{Description, Format, Memory, Surface, Tiling};
use crate::syntax::{ParseOptions, parse};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::sync::Arc;

const LINES: &[&str] = &[
    "sample_lz.RGBA @ 0x0:uw S0 T6 D.0 U.0 V.0",
    "sample_lz.RG @ 0x0:uw S0 T6 W.0 W.0 V.0",
    "sample_lz.A @ 0x0:uw S0 T6 D.0 V.0 U.0",
    "sample_lz.GB @ 0x0:uw S1 T6 D.0 U.0 V.0",
    "sample_lz.R @ 0x21:uw S0 T6 D.0 U.0 V.0",
    "add @ U(0,0)<1> U(0,0)<1;1,0> 0x3e800000:f",
    "scatter4_typed.RGBA @ T6 X.0 Y.0 %null.0 %null.0 D.0",
    "scatter4_typed.RGBA @ T6 Y.0 X.0 %null.0 %null.0 D.0",
    "add @ X(0,0)<1> X(0,0)<1;1,0> 0x1:ud",
    "load_lz.RGBA @ 0x0:uw T6 D.0 X.0 Y.0",
    "load_lz.GA @ 0x0:uw T6 W.0 Y.0 X.0",
    "sample_lz.RGBA @ 0x0:uw S1 T6 D.0 U.0 V.0",
    "sample_lz.RB @ 0x0:uw S1 T6 W.0 W.0 V.0",
];

const FORMATS: &[&str] = &[
    "R8G8B8A8_UNORM",
    "B8G8R8A8_UNORM",
    "R8_UNORM",
    "A8_UNORM",
    "L8_UNORM",
    "R8G8_UNORM",
    "R32_FLOAT",
    "R32_UINT",
    "R8_UINT",
    "R8G8B8A8_UINT",
    "R16_UINT",
    "R8G8B8A8_UNORM_SRGB",
    "R16_UNORM",
    "R16_FLOAT",
    "R16G16_UNORM",
    "R32G32_FLOAT",
    "R16G16B16A16_UNORM",
    "R16G16B16A16_FLOAT",
    "R32G32B32A32_FLOAT",
    "R32G32B32A32_UINT",
    "R16G16_FLOAT",
    "R16G16B16A16_UINT",
    "R8G8B8A8_SINT",
    "R16_SINT",
    "R16G16B16A16_SINT",
    "R32G32_SINT",
    "R8_SNORM",
    "R8G8B8A8_SNORM",
    "R16G16_SNORM",
    "R16G16B16A16_SNORM",
    "B8G8R8X8_UNORM",
    "I8_UNORM",
    "L16A16_UNORM",
    "R8G8B8_UNORM",
    "R8_SINT",
    "R8G8_UNORM",
    "R8G8_UINT",
    "R8G8_SNORM",
    "R16_SNORM",
];

const ADDRESSES: &[Address] = &[
    Address::Clamp,
    Address::Clamp,
    Address::Clamp,
    Address::Border,
    Address::Border,
    Address::HalfBorder,
    Address::Wrap,
    Address::Mirror,
    Address::MirrorOnce,
];

fn program(lines: &[(usize, u8)], wide: bool) -> Program {
    let mut text = ".version 3.6
.kernel \"k\"
.decl U v_type=G type=f num_elts=32 align=GRF
.decl V v_type=G type=f num_elts=32 align=GRF
.decl W v_type=G type=f num_elts=64 align=GRF
.decl SIX v_type=G type=ud num_elts=1 align=GRF
.decl X v_type=G type=ud num_elts=32 align=GRF
.decl Y v_type=G type=ud num_elts=32 align=GRF
.decl D v_type=G type=f num_elts=128 align=GRF
.decl SOME v_type=P num_elts=32
.decl S0 v_type=S num_elts=1
.decl S1 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
"
    .to_string();
    for &(line, how) in lines {
        // Typed writes have 8 lanes; on today's platforms they are messages of the load/store pipe.
        let typed = LINES[line % LINES.len()].contains("typed");
        let lanes = match how / 4 % 4 {
            _ if wide => "(M1, 32)",
            0 | 1 if typed => "(M1, 8)",
            _ if typed => "(M3, 8)",
            0 => "(M1, 8)",
            1 => "(M1_NM, 16)",
            2 => "(M5, 16)",
            _ => "(M1, 16)",
        };
        let guard = ["(SOME) ", "(!SOME) ", "", ""][usize::from(how % 4)];
        let line = match (typed && wide, line % 2) {
            (false, _) => LINES[line % LINES.len()],
            (true, 0) => "lsc_store_quad.tgm @ bss(SIX)[X,Y]:a32 D:d32.xyzw",
            (true, _) => "lsc_store_quad.tgm @ bss(SIX)[Y,X]:a32 D:d32.xyzw",
        };
        text += &format!("{guard}{}\n", line.replace('@', lanes));
    }
    let parsed = parse(&Source::new("t", text.clone()), &ParseOptions::default());
    let options = CheckOptions {
        platform: Platform::from_name(if wide { "bmg" } else { "dg2" }).expect("a platform"),
        ..CheckOptions::default()
    };
    let (checked, said) = check(&parsed.module, &options);
    let mut said = parsed.diagnostics.iter().chain(&said);
    let fatal = said.find(|d| d.class().is_fatal());
    assert!(fatal.is_none(), "{text}: {fatal:#?}");
    lower(&checked, "", &LowerOptions::default()).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// What is left of the registers of threads, one after the other: each finds what the one before has made known.
fn left(
    program: &Program,
    bindings: &Bindings,
    coordinates: &[u32],
    places: [&[u32]; 2],
    masks: &[u32],
    native: NativeCode,
) -> Vec<(Vec<u8>, Option<String>)> {
    let (code, plans) = (Decoded::new(program), SitePlans::new(program));
    let resources = Resources::new(bindings);
    let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
    let allowance = Allowance::new(u64::MAX, None);
    let around = (&slm, &named, &allowance);
    let environment = environment((&code, &plans, &resources), around, native);
    let run = |(index, em): (u32, &u32)| {
        let id = ThreadId {
            index,
            ..ThreadId::default()
        };
        let mut thread = Thread::new(program, id, *em);
        for (n, name) in ["U", "V", "W", "D"].into_iter().enumerate() {
            let own = thread.arena[program.symbols[name].range()].chunks_exact_mut(4);
            for (lane, own) in own.enumerate() {
                let bits = coordinates[(lane + 17 * n + 5 * index as usize) % coordinates.len()];
                own.copy_from_slice(&bits.to_le_bytes());
            }
        }
        for (name, values) in [("X", places[0]), ("Y", places[1])] {
            let own = thread.arena[program.symbols[name].range()].chunks_exact_mut(4);
            for (own, value) in own.zip(values) {
                own.copy_from_slice(&(value + index).to_le_bytes());
            }
        }
        let six = program.symbols["SIX"].offset as usize;
        thread.arena[six..six + 4].copy_from_slice(&6u32.to_le_bytes());
        let some = program.symbols["SOME"].offset as usize;
        thread.arena[some..some + 4].copy_from_slice(&0xf0f_3355u32.to_le_bytes());
        let ran = thread.run(&environment, &mut Silent);
        // Not every format can be written.
        let trap = ran.err().map(|trap| format!("{trap:?}"));
        let general = program.general_bytes as usize;
        (thread.arena[..general].to_vec(), trap)
    };
    (0..).zip(masks).map(run).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1_500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn native_samples_are_those_of_plans(
        lines in prop::collection::vec(any::<(usize, u8)>(), 3..7),
        coordinates in prop::collection::vec(prop_oneof![
            any::<u32>(),
            Just(0x7f80_0001),
            (-2.0f32..3.0).prop_map(f32::to_bits),
            (0u32..40, 1u32..40).prop_map(|(a, b)| (a as f32 / b as f32).to_bits()),
            (-3i32..40).prop_map(|a| (a as f32 + 0.5).to_bits()),
            // As numbers that are written, next to where they are rounded.
            (any::<u16>(), prop::sample::select(&[127.0f64, 255.0, 32767.0, 65535.0][..]), any::<bool>())
                .prop_map(|(k, most, less)| {
                    let x = (f64::from(k) % most + 0.5) / most;
                    (if less { -x } else { x } as f32).to_bits()
                }),
        ], 64),
        order in 0..3,
        format in prop::sample::select(FORMATS),
        (width, height) in (1u32..40, 1u32..9),
        (tiled, unnormalized) in (prop::bool::weighted(0.1), any::<bool>()),
        addresses in [prop::sample::select(ADDRESSES), prop::sample::select(ADDRESSES)],
        masks in prop::collection::vec(prop_oneof![Just(u32::MAX), 1u32.., Just(0xffff)], 2..6),
        wide in prop::bool::weighted(0.3),
        places in prop::collection::vec((0u32..44, 0u32..9), 32),
        row in prop::option::weighted(0.6, (0u32..20, 0u32..6, prop::sample::select(&[4u32, 8, 16, 32][..]))),
        rounds in any::<bool>(),
        border in prop::sample::select(&[
            [0x3e80_0000u32, 0x3f00_0000, 7, 0x3f80_0000], [0; 4], [0, 0, 0, 0x3f80_0000],
            [0x7f80_0000, 0xff80_0000, 0x7f80_0001, 0x8000_0000], [0x8000_0000, 0, 0, 0],
        ][..]),
    ) {
        let program = program(&lines, wide);
        let format = Format::named(format).expect("a format");
        let mut description = Description::d2(format, width, height);
        if tiled {
            description.tiling = Tiling::Y;
        }
        let image = Arc::new(Surface::zeroed(description).expect("an image"));
        let bytes: Vec<u8> = (0..image.memory().len()).map(|i| (i * 73 + i / 251) as u8).collect();
        let mut bindings = Bindings::default();
        bindings.surfaces.insert(6, Arc::clone(&image));
        for (index, filter) in [(0, Filter::Nearest), (1, Filter::Linear)] {
            // Only these count texels.
            let counts = |address| matches!(address, Address::Clamp | Address::Border);
            let address = addresses.map(|a| if counts(a) || !unnormalized { a } else { Address::Clamp });
            let [across, down] = address;
            let border = Border::Channels(border);
            let state = SamplerState { address: [across, down, across], unnormalized, border, ..SamplerState::default() };
            let state = SamplerState { round_mag: [rounds; 3], round_min: [rounds; 3], ..state.filtered(filter, filter) };
            bindings.samplers.insert(index, Sampler::Texture(Arc::new(state)));
        }
        // Sometimes neighbours, which are loaded together.
        let steps = |i: usize| ((i % 23) as f32 + 0.5) / if unnormalized { 1.0 } else { width as f32 };
        // Sometimes nearly all inside the map.
        let inside = |bits: &u32| {
            let c = (bits % 1021) as f32 / 1021.0 - if bits.is_multiple_of(61) { 0.02 } else { 0.0 };
            (c * if unnormalized { height.min(width) as f32 } else { 1.0 }).to_bits()
        };
        let coordinates = match order {
            0 => (0..64).map(|i| steps(i).to_bits()).collect(),
            1 => coordinates.iter().map(inside).collect(),
            _ => coordinates,
        };
        // Sometimes texels beside each other, which are written together.
        let at = |i: u32| match row {
            Some((x, y, across)) => (x + i % across, y + i / across),
            None => places[i as usize],
        };
        let (across, down): (Vec<u32>, Vec<u32>) = (0..32).map(at).unzip();
        let run = |native| {
            image.memory().write(0, &bytes);
            let left = left(&program, &bindings, &coordinates, [&across, &down], &masks, native);
            (left, image.memory().to_vec())
        };
        let ((native, texels), (steps, wanted)) = (run(NativeCode::Always), run(NativeCode::Never));
        let differ = (0..texels.len()).find(|&i| texels[i] != wanted[i]);
        prop_assert_eq!(differ, None, "texels: {:#?}", program.ops);
        for ((native, trap), (steps, wanted)) in native.iter().zip(&steps) {
            prop_assert_eq!(trap, wanted, "{:#?}", program.ops);
            let differ = (0..native.len()).find(|&i| native[i] != steps[i]);
            prop_assert_eq!(differ, None, "{:#?}", program.ops);
        }
    }
}

#[test]
fn every_message_here_is_code() {
    use crate::exec::message::transfers::message;
    for (at, line) in LINES.iter().enumerate() {
        let program = program(&[(at, 12)], false);
        for op in &program.ops {
            if let Op::Send(send) = op {
                assert_eq!(message(&program, send).is_some(), true, "{line}");
            }
        }
    }
}

/// A loop that changes what its messages name or where they read.
fn loop_of(body: &str) -> Program {
    lowered(format!(
        ".version 3.6
.kernel \"k\"
.decl U v_type=G type=f num_elts=16 align=GRF
.decl V v_type=G type=f num_elts=16 align=GRF
.decl A v_type=G type=f num_elts=16 align=GRF
.decl D v_type=G type=f num_elts=16 align=GRF
.decl O v_type=G type=ud num_elts=16 align=GRF
.decl I v_type=G type=d num_elts=1 align=GRF
.decl N v_type=G type=ud num_elts=1 align=GRF
.decl P1 v_type=P num_elts=1
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
mov (M1_NM, 1) N(0,0)<1> 0x6:ud
mov (M1, 16) U(0,0)<1> 0x3e000000:f
again:
{body}
add (M1_NM, 1) I(0,0)<1> I(0,0)<0;1,0> 0x1:d
cmp.lt (M1_NM, 1) P1 I(0,0)<0;1,0> 0x9:d
(P1) goto (M1, 1) again
ret (M1, 1)
"
    ))
}

/// Names that change from round to round, and coordinates and names between messages that have the rest in common.
const LOOPS: [&str; 4] = [
    "movs (M1_NM, 1) T6(0) N(0,0)<0;1,0>
gather4_scaled.R (M1, 16) T6 0x0:ud O.0 D.0
add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>
xor (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud",
    "movs (M1_NM, 1) T6(0) N(0,0)<0;1,0>
sample_lz.R (M1, 16) 0x0:uw S0 T6 D.0 U.0 V.0
add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>
xor (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud",
    "sample_lz.R (M1, 16) 0x0:uw S0 T6 D.0 V.0 V.0
add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> D(0,0)<1;1,0>
sample_lz.R (M1, 16) 0x0:uw S0 T6 D.0 V.0 V.0",
    "movs (M1_NM, 1) T6(0) N(0,0)<0;1,0>
sample_lz.R (M1, 16) 0x0:uw S0 T6 D.0 V.0 V.0
add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>
xor (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud
movs (M1_NM, 1) T6(0) N(0,0)<0;1,0>
sample_lz.R (M1, 16) 0x0:uw S0 T6 D.0 V.0 V.0
xor (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud
add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> 0x3dcccccd:f",
];

#[test]
fn what_a_loop_changes_between_messages_is_seen() {
    let image = |width, height, by: usize| {
        let format = Format::named("R8_UNORM").expect("a format");
        let surface = Surface::zeroed(Description::d2(format, width, height)).expect("an image");
        let bytes: Vec<u8> = (0..surface.memory().len())
            .map(|i| ((i + i / 61) * by + 9) as u8 & 0x3f)
            .collect();
        surface.memory().write(0, &bytes);
        Arc::new(surface)
    };
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, image(61, 13, 7));
    bindings.surfaces.insert(7, image(61, 3, 5));
    let state = SamplerState {
        address: [Address::Clamp; 3],
        ..SamplerState::default()
    };
    let state = state.filtered(Filter::Nearest, Filter::Nearest);
    bindings
        .samplers
        .insert(0, Sampler::Texture(Arc::new(state)));
    let run = |program: &Program, native| {
        let (code, plans) = (Decoded::new(program), SitePlans::new(program));
        let resources = Resources::new(&bindings);
        let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
        let allowance = Allowance::new(u64::MAX, None);
        let around = (&slm, &named, &allowance);
        let environment = environment((&code, &plans, &resources), around, native);
        // The second one finds all messages known.
        let run = |_| {
            let mut thread = Thread::new(program, ThreadId::default(), 0xffff);
            let ran = thread.run(&environment, &mut Silent);
            ran.unwrap_or_else(|trap| panic!("{trap:?}"));
            thread.arena[..program.general_bytes as usize].to_vec()
        };
        [0, 1].map(run)
    };
    for body in LOOPS {
        let program = loop_of(body);
        let steps = run(&program, NativeCode::Never);
        assert_eq!(steps[0], steps[1], "{body}");
        assert_eq!(run(&program, NativeCode::Always), steps, "{body}");
    }
}

#[test]
fn what_no_code_does_here_is_left_out_of_it() {
    if !NativeCode::is_possible() {
        return;
    }
    let program = program(&[(3, 14), (5, 14), (5, 14), (5, 14)], false);
    let format = Format::named("R8_UNORM").expect("a format");
    let image = Surface::zeroed(Description::d2(format, 8, 8)).expect("an image");
    let code = Decoded::new(&program);
    let sent = program.ops.iter().position(|op| matches!(op, Op::Send(_)));
    let sent = sent.expect("a message") as u32;
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::new(image));
    let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
    let allowance = Allowance::new(u64::MAX, None);
    // A program keeps its code from run to run; what its messages find may change.
    for (filter, left_out) in [
        (Filter::Anisotropic, true),
        (Filter::Nearest, false),
        (Filter::Linear, false),
        (Filter::Anisotropic, true),
    ] {
        let state = SamplerState {
            address: [Address::Clamp; 3],
            ..SamplerState::default()
        };
        let state = Sampler::Texture(Arc::new(state.filtered(filter, filter)));
        bindings.samplers.insert(1, state);
        let (plans, resources) = (SitePlans::new(&program), Resources::new(&bindings));
        let around = (&slm, &named, &allowance);
        let all = (&code, &plans, &resources);
        let environment = environment(all, around, NativeCode::Always);
        let run = |_| {
            let mut thread = Thread::new(&program, ThreadId::default(), 0xffff);
            let ran = thread.run(&environment, &mut Silent);
            ran.unwrap_or_else(|trap| panic!("{trap:?}"));
            thread.mode
        };
        // The second one has what the first has learned.
        let [_, mode] = [0, 1].map(run);
        let native = environment.native_code((&program, &program.image), mode, Seen::Nothing);
        let native = native.expect("code");
        assert_eq!(native.covers(sent), !left_out, "{filter:?}");
        assert_eq!(native.until(sent + 1) == 0, left_out, "{filter:?}");
    }
}

/// Writes rows of texels of a format with native code and with steps.
fn assert_written_alike(name: &str, values: &[u32]) {
    let program = program(&[(6, 14), (6, 14), (6, 14)], false);
    let format = Format::named(name).expect("a format");
    let image = Surface::zeroed(Description::d2(format, 16, 4)).expect("an image");
    let image = Arc::new(image);
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::clone(&image));
    let (across, down): (Vec<u32>, Vec<u32>) = (0..32).map(|i| (i % 8, 1)).unzip();
    let run = |native| {
        image.memory().write(0, &vec![0; image.memory().len()]);
        let places = [&across[..], &down[..]];
        let left = left(&program, &bindings, values, places, &[u32::MAX; 3], native);
        assert!(left.iter().all(|(_, trap)| trap.is_none()), "{name}");
        image.memory().to_vec()
    };
    assert!(
        run(NativeCode::Always) == run(NativeCode::Never),
        "{name} {values:x?}"
    );
}

/// Next to where numbers are rounded, what is written of them hangs on their last bits.
#[test]
fn numbers_are_written_as_steps_do() {
    for (name, most) in [
        ("R16G16B16A16_UNORM", 65535.0),
        ("R16G16B16A16_SNORM", 32767.0),
        ("R8G8B8A8_SNORM", 127.0),
        ("R8_UNORM", 255.0),
    ] {
        for first in (0..65536u32).step_by(509) {
            let near = |i: u32| (f64::from((first + 7 * i) % 65536) + 0.5) / most;
            let sign = |i: u32| if i.is_multiple_of(3) { -1.0 } else { 1.0 };
            let values = (0..64).map(|i| ((near(i) * sign(i)) as f32).to_bits());
            assert_written_alike(name, &values.collect::<Vec<_>>());
        }
    }
}

#[test]
fn integers_are_written_as_steps_do() {
    let names = ["R8_SINT", "R8G8B8A8_SINT", "R16_SINT", "R16G16B16A16_SINT"];
    let unsigned = ["R8_UINT", "R8G8B8A8_UINT", "R16_UINT", "R16G16B16A16_UINT"];
    for name in names.into_iter().chain(unsigned) {
        let value = |i: u32| match i % 3 {
            0 => i.wrapping_sub(40),
            1 => i.wrapping_mul(0x9e37_79b9),
            _ => (i32::from(i as u8) * 1999 - 60000).cast_unsigned(),
        };
        assert_written_alike(name, &(0..64).map(value).collect::<Vec<_>>());
    }
}

/// How weights are shared out among texels at an edge is seen in the last bit of a sum of singles.
#[test]
fn weights_far_outside_are_those_of_the_reference() {
    let program = program(&[(11, 14), (11, 14), (11, 14)], false);
    let format = Format::named("R32_FLOAT").expect("a format");
    let image = Surface::zeroed(Description::d2(format, 4, 2)).expect("an image");
    // A tie at the edges of one row, and what decides it in the next one.
    for (row, value) in [(0, 8_388_611.0f32), (1, 1.104e-11)] {
        let at = image.address(0, row);
        image.memory().write(at, &value.to_le_bytes().repeat(4));
    }
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::new(image));
    let state = SamplerState {
        address: [Address::Clamp; 3],
        unnormalized: true,
        ..SamplerState::default()
    };
    let state = state.filtered(Filter::Linear, Filter::Linear);
    bindings
        .samplers
        .insert(1, Sampler::Texture(Arc::new(state)));
    for far in [-1.5f32, -3.25, 6.5, 1e9] {
        let values: Vec<u32> = [far, 381.0 / 256.0].map(f32::to_bits).repeat(32);
        let run = |native| {
            let places = [&[][..]; 2];
            let masks = [u32::MAX; 3];
            let left = left(&program, &bindings, &values, places, &masks, native);
            assert!(left.iter().all(|(_, trap)| trap.is_none()), "{left:?}");
            left
        };
        let steps = run(NativeCode::Never);
        assert!(run(NativeCode::Always) == steps, "{far}");
    }
}
