//! Any state at all: refused, or a program that uses it ends without a panic and sees no byte outside the
//! surface.

use proptest::prelude::*;
use std::sync::Arc;
use visim::check::{CheckOptions, check};
use visim::exec::Bindings;
use visim::exec::bindings::Sampler;
use visim::launch::{Grid, RunOptions, Silent, run};
use visim::lower::{LowerOptions, lower};
use visim::sampler::packed::Beside;
use visim::sampler::settings::SamplerState;
use visim::source::Source;
use visim::surface::state::{describe, structure};
use visim::surface::{Description, Generation, Memory, Surface};
use visim::syntax::{ParseOptions, parse};

/// Bytes before and behind the surface in its memory.
const AROUND: u64 = 4096;

/// Instructions that read the surface; which of them a program holds is chance.
const READS: [&str; 14] = [
    "sample_3d.RGBA (M1, 8) 0x0:uw S0 T6 OUT.0 U.0 V.0 R.0",
    "sample_l.RGBA (M1, 8) 0x0:uw S0 T6 OUT.0 U.0 V.0 L.0",
    "sample_b.RB (M1, 8) 0x0:uw S0 T6 OUT.0 U.0 L.0 V.0",
    "sample_c.R (M1, 8) 0x0:uw S0 T6 OUT.0 L.0 V.0 U.0",
    "sample_d.RGBA (M1, 8) 0x0:uw S0 T6 OUT.0 U.0 V.0 L.0 R.0 V.0 U.0",
    "sample_lz.RGBA (M1, 8) 0x0:uw S0 T6 OUT.0 U.0 V.0 R.0",
    "load_3d.RGBA (M1, 8) 0x0:uw T6 OUT.0 U.0 V.0 L.0 R.0",
    "load_3d.RA (M1, 8) 0x9f1:uw T6 OUT.0 U.0 V.0",
    "load_3d.G (M1, 16) 0x0:uw T6 OUT.0 WIDE.0 WIDE.0",
    "media_ld.nomod (32,4) T6 0 U(0,0)<0;1,0> V(0,0)<0;1,0> OUT.0",
    "media_ld.nomod (7,8) T6 0 V(0,0)<0;1,0> U(0,1)<0;1,0> OUT.0",
    "media_ld.top (4,16) T6 0 U(0,0)<0;1,0> V(0,0)<0;1,0> OUT.0",
    "gather4_typed.RGBA (M1, 8) T6 U.0 V.0 R.0 %null.0 OUT.0",
    "resinfo.RGBA (M1, 8) T6 L.0 OUT.0",
];

fn program(picks: &[prop::sample::Index]) -> String {
    let reads: Vec<String> = picks
        .iter()
        .map(|pick| format!("    {}\n", READS[pick.index(READS.len())]))
        .collect();
    format!(
        ".version 4.1\n.kernel \"k\"\n\
         .decl U v_type=G type=ud num_elts=8 align=GRF\n\
         .decl V v_type=G type=ud num_elts=8 align=GRF\n\
         .decl L v_type=G type=ud num_elts=8 align=GRF\n\
         .decl R v_type=G type=ud num_elts=8 align=GRF\n\
         .decl WIDE v_type=G type=ud num_elts=16 align=GRF\n\
         .decl OUT v_type=G type=ud num_elts=64 align=GRF\n\
         .decl S0 v_type=S num_elts=1\n.decl T6 v_type=T num_elts=1\n{}    ret (M1, 1)\n",
        reads.concat()
    )
}

/// What the program leaves in `OUT` with the bytes around the surface set to `around`; `None` if it traps.
fn outcome(
    text: &str,
    description: &Description,
    end: u64,
    around: u8,
    coordinates: &[u32],
    sampler: Option<SamplerState>,
) -> Option<Vec<u8>> {
    let first = description.base as usize;
    let mut bytes = vec![around; (end + AROUND) as usize];
    for (i, byte) in bytes[first.min(end as usize)..end as usize]
        .iter_mut()
        .enumerate()
    {
        *byte = (i * 37) as u8;
    }
    let memory = Arc::new(Memory::from_bytes(&bytes));
    let surface = Surface::new(description.clone(), memory).expect("it was checked");
    let parsed = parse(&Source::new("k.visa", text), &ParseOptions::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let (checked, _) = check(&parsed.module, &CheckOptions::default());
    // What the checker refuses is not what this is about.
    let program = lower(&checked, "k", &LowerOptions::default()).ok()?;
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::new(surface));
    if let Some(state) = sampler {
        bindings
            .samplers
            .insert(0, Sampler::Texture(Arc::new(state)));
    }
    for (n, name) in ["U", "V", "L", "R", "WIDE"].iter().enumerate() {
        let value = coordinates
            .iter()
            .cycle()
            .skip(n * 8)
            .take(if *name == "WIDE" { 16 } else { 8 });
        let value = value.flat_map(|v| v.to_le_bytes()).collect();
        bindings.variables.insert((*name).to_string(), value);
    }
    let outcome = run(
        &program,
        &bindings,
        &Grid::single(),
        &RunOptions::default(),
        |_| Silent,
    )
    .ok()?;
    outcome.threads[0]
        .bytes(&program, "OUT")
        .map(<[u8]>::to_vec)
}

/// Small integers, floats around the map, and anything.
fn coordinate() -> impl Strategy<Value = u32> {
    prop_oneof![
        0..70u32,
        (-2.0..3.0f32).prop_map(f32::to_bits),
        any::<u32>()
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_program_sees_no_byte_outside_a_surface_of_any_state(
        words: [u32; 16],
        pick in 0..5usize,
        keep in prop::sample::select(vec![0x7u64, 0x3f, 0xff]),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..5),
        near in prop::collection::vec(coordinate(), 32),
        sampler: [u32; 4],
        border: [u32; 12],
    ) {
        let generation = [Generation::Gen4, Generation::Gen5, Generation::Gen6, Generation::Gen8, Generation::Gen9][pick];
        let structure = structure(generation).expect("known");
        let mut words = words[..structure.dwords].to_vec();
        // Wholly random words are mostly refused: tests/state.rs has those. Here sizes are kept small, and what
        // is not modelled is left out.
        for name in ["Width", "Height", "Depth", "Minimum Array Element", "Surface QPitch"] {
            if let Some(field) = structure.field(name) {
                let less = field.raw(&words) & keep;
                field.set_raw(&mut words, less);
            }
        }
        for name in [
            "Render Target Rotation",
            "Render Target And Sample Unorm Rotation",
            "Data Return Format",
            "Memory Compression Enable",
            "Auxiliary Surface Mode",
            "Surface Base Address",
            "Number of Multisamples",
            "MIP Count / LOD",
            "Surface Min LOD",
        ] {
            let drop = pick % 2 == 0 || !name.starts_with("MIP");
            if let Some(field) = structure.field(name).filter(|_| drop) {
                field.set_raw(&mut words, 0);
            }
        }
        let Ok(mut description) = describe(generation, &words) else { return Ok(()) };
        description.base = AROUND;
        let Ok(end) = Surface::check(description.clone()) else { return Ok(()) };
        if end > 1 << 24 {
            return Ok(());
        }
        let beside = Beside { border: &border, keys: [(border[0], border[1]); 4], mono: None };
        let state = SamplerState::unpack(generation, sampler, &beside).ok();
        let text = program(&picks);
        let [dark, light] = [0x00, 0xee].map(|around| outcome(&text, &description, end, around, &near, state));
        prop_assert_eq!(dark, light, "{:?}\n{}", description, text);
    }
}
