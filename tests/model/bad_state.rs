//! Any state at all: refused, or a program that uses it ends without a panic and touches no byte outside the
//! surface.
//!
//! A quarter of the states are any words, of which few are legal; of the others each field has a legal value and
//! the pitch fits, so that what is tried is what messages do with them. How many come so far is counted.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::sync::Arc;
use visim::internals::check::{CheckOptions, check};
use visim::internals::exec::Bindings;
use visim::internals::exec::bindings::Sampler;
use visim::internals::exec::observer::{Access, At, Observer, SpaceName};
use visim::internals::launch::{Grid, RunOptions, Silent, run};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::program::Program;
use visim::internals::sampler::packed::Beside;
use visim::internals::sampler::sample::Taken;
use visim::internals::sampler::settings::SamplerState;
use visim::internals::source::Source;
use visim::internals::surface::format::Access as Does;
use visim::internals::surface::state::field::Meaning;
use visim::internals::surface::state::{Structure, describe, structure};
use visim::internals::surface::{Description, Format, Generation, Kind, Memory, Surface, Tiling};
use visim::internals::syntax::{ParseOptions, parse};

/// Bytes before and after the surface in its memory.
const AROUND: u64 = 4096;

/// The generations whose states are known.
const GENERATIONS: [Generation; 5] = [
    Generation::Gen4,
    Generation::Gen5,
    Generation::Gen6,
    Generation::Gen8,
    Generation::Gen9,
];

/// Samples; which of them a program holds is chance.
const SAMPLES: [&str; 8] = [
    "sample_3d.RGBA (M1, 8) 0x0:uw S0 T6 OUT.0 UF.0 VF.0 RF.0",
    "sample_l.RGBA (M1, 8) 0x0:uw S0 T6 OUT.0 UF.0 VF.0 LF.0",
    "sample_b.RB (M1, 8) 0x0:uw S0 T6 OUT.0 UF.0 LF.0 VF.0",
    "sample_c.R (M1, 8) 0x0:uw S0 T6 OUT.0 LF.0 VF.0 UF.0",
    "sample_d.RGBA (M1, 8) 0x0:uw S0 T6 OUT.0 UF.0 VF.0 LF.0 RF.0 VF.0 UF.0",
    "sample_lz.RGBA (M1, 8) 0x0:uw S0 T6 OUT.0 UF.0 VF.0 RF.0",
    "sample4.G (M1, 8) 0x3f1:uw S0 T6 OUT.0 UF.0 VF.0 RF.0",
    "sample4_po.R (M1, 8) 0x0:uw S0 T6 OUT.0 UF.0 VF.0 LF.0 RF.0",
];

/// Other messages that read or write the surface.
const OTHERS: [&str; 11] = [
    "load_3d.RGBA (M1, 8) 0x0:uw T6 OUT.0 U.0 V.0 L.0 R.0",
    "load_3d.RA (M1, 8) 0x9f1:uw T6 OUT.0 U.0 V.0",
    "load_3d.G (M1, 16) 0x0:uw T6 OUT.0 WIDE.0 WIDE.0",
    "load_2dms_w.RGBA (M1, 8) 0x0:uw T6 OUT.0 L.0 R.0 R.0 U.0 V.0",
    "media_ld.nomod (32,4) T6 0 U(0,0)<0;1,0> V(0,0)<0;1,0> OUT.0",
    "media_ld.nomod (7,8) T6 0 V(0,0)<0;1,0> U(0,1)<0;1,0> OUT.0",
    "media_ld.top (4,16) T6 0 U(0,0)<0;1,0> V(0,0)<0;1,0> OUT.0",
    "media_st.nomod (8,4) T6 0 U(0,0)<0;1,0> V(0,0)<0;1,0> OUT.0",
    "gather4_typed.RGBA (M1, 8) T6 U.0 V.0 R.0 %null.0 OUT.0",
    "scatter4_typed.RGBA (M1, 8) T6 U.0 V.0 R.0 %null.0 OUT.0",
    "resinfo.RGBA (M1, 8) T6 L.0 OUT.0",
];

/// Fields that stand for what is not modelled, or whose place is the memory's.
const LEFT_OUT: [&str; 8] = [
    "Render Target Rotation",
    "Render Target And Sample Unorm Rotation",
    "Data Return Format",
    "Memory Compression Enable",
    "Auxiliary Surface Mode",
    "Surface Base Address",
    "Tiled Resource Mode",
    "Color Blend Enable",
];

fn program(lines: &[&str]) -> Program {
    let lines: Vec<String> = lines.iter().map(|line| format!("    {line}\n")).collect();
    let text = format!(
        ".version 4.1\n.kernel \"k\"\n\
         .decl U v_type=G type=ud num_elts=8 align=GRF\n\
         .decl V v_type=G type=ud num_elts=8 align=GRF\n\
         .decl L v_type=G type=ud num_elts=8 align=GRF\n\
         .decl R v_type=G type=ud num_elts=8 align=GRF\n\
         .decl UF v_type=G type=f num_elts=8 alias=<U, 0>\n\
         .decl VF v_type=G type=f num_elts=8 alias=<V, 0>\n\
         .decl LF v_type=G type=f num_elts=8 alias=<L, 0>\n\
         .decl RF v_type=G type=f num_elts=8 alias=<R, 0>\n\
         .decl WIDE v_type=G type=ud num_elts=16 align=GRF\n\
         .decl OUT v_type=G type=ud num_elts=64 align=GRF\n\
         .decl S0 v_type=S num_elts=1\n.decl T6 v_type=T num_elts=1\n{}    ret (M1, 1)\n",
        lines.concat()
    );
    let parsed = parse(&Source::new("k.visa", text), &ParseOptions::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let (checked, wrong) = check(&parsed.module, &CheckOptions::default());
    // An instruction that the checker refuses is left out, and nothing is tried.
    assert!(wrong.is_empty(), "{wrong:?}");
    lower(&checked, "k", &LowerOptions::default()).expect("lowered")
}

/// Sees to it that nothing outside the surface is read or written, and counts texels that are sampled.
struct Inside {
    first: u64,
    end: u64,
    texels: u64,
}

impl Observer for Inside {
    fn access(&mut self, _: At, access: &Access<'_>) {
        if access.space == SpaceName::Surface(6) && access.inside > 0 {
            let last = access.start + u64::from(access.inside);
            let inside = self.first <= access.start && last <= self.end;
            assert!(inside, "{access:?}");
        }
    }

    fn texel(&mut self, _: At, _: usize, taken: &Taken) {
        self.texels += u64::from(taken.at.is_some());
    }
}

/// What a run leaves behind.
#[derive(Debug, PartialEq)]
struct Left {
    /// `OUT`; `None` if the program traps.
    out: Option<Vec<u8>>,
    /// The bytes of the surface.
    surface: Vec<u8>,
}

/// A surface, and what a program is given beside it.
struct Asked<'a> {
    program: &'a Program,
    description: &'a Description,
    /// The byte after the surface.
    end: u64,
    coordinates: &'a [u32],
    sampler: Option<SamplerState>,
}

impl Asked<'_> {
    /// Runs the program with the bytes around the surface set to `around`; the texels it sampled, if watched.
    fn run(&self, around: u8, watched: bool) -> (Left, u64) {
        let first = self.description.base as usize;
        let end = self.end as usize;
        let mut bytes = vec![around; end + AROUND as usize];
        for (i, byte) in bytes[first.min(end)..end].iter_mut().enumerate() {
            *byte = (i * 37) as u8;
        }
        let memory = Arc::new(Memory::from_bytes(&bytes));
        let surface = Surface::new(self.description.clone(), Arc::clone(&memory));
        let mut bindings = Bindings::default();
        let surface = Arc::new(surface.expect("it was checked"));
        bindings.surfaces.insert(6, surface);
        if let Some(state) = self.sampler {
            let state = Sampler::Texture(Arc::new(state));
            bindings.samplers.insert(0, state);
        }
        for (n, name) in ["U", "V", "L", "R", "WIDE"].iter().enumerate() {
            let lanes = if *name == "WIDE" { 16 } else { 8 };
            let value = self.coordinates.iter().cycle().skip(n * 8).take(lanes);
            let value = value.flat_map(|v| v.to_le_bytes()).collect();
            bindings.variables.insert((*name).to_string(), value);
        }
        let (grid, options) = (Grid::single(), RunOptions::default());
        let (out, texels) = if watched {
            let inside = |_| Inside {
                first: first as u64,
                end: self.end,
                texels: 0,
            };
            match run(self.program, &bindings, &grid, &options, inside) {
                Ok(outcome) => (
                    outcome.threads[0]
                        .bytes(self.program, "OUT")
                        .map(<[u8]>::to_vec),
                    outcome.observers.iter().map(|(_, o)| o.texels).sum(),
                ),
                Err(_) => (None, 0),
            }
        } else {
            match run(self.program, &bindings, &grid, &options, |_| Silent) {
                Ok(outcome) => (
                    outcome.threads[0]
                        .bytes(self.program, "OUT")
                        .map(<[u8]>::to_vec),
                    0,
                ),
                Err(_) => (None, 0),
            }
        };
        let after = memory.to_vec();
        let outside = after[..first.min(end)].iter().chain(&after[end..]);
        assert!(
            outside.into_iter().all(|&b| b == around),
            "bytes outside were written"
        );
        let surface = after[first.min(end)..end].to_vec();
        (Left { out, surface }, texels)
    }
}

/// Gives each field of a structure a value that it may have; the words themselves are the chance.
fn lawful(structure: &Structure, generation: Generation, words: &mut [u32]) {
    let formats: Vec<Format> = Format::all()
        .filter(|f| f.allows(Does::Sample, generation) && f.not_modelled().is_none())
        .collect();
    for field in structure.fields {
        let raw = field.raw(words);
        let value = match field.meaning {
            Meaning::Names(names) => u64::from(names[raw as usize % names.len()].0),
            // The codes of media surfaces have five bits at most: any will do.
            Meaning::Codes(_) if field.width() > 5 => {
                u64::from(formats[raw as usize % formats.len()].code)
            }
            _ if field.most < u64::MAX => raw % (field.most + 1),
            _ => raw,
        };
        field.set_raw(words, value);
    }
}

/// Makes the fields of a surface go together: sizes with types, levels with sizes, the pitch with the row.
fn settled(structure: &Structure, generation: Generation, words: &mut [u32], chance: u32) {
    let put = |words: &mut [u32], name: &str, raw: u64| {
        if let Some(field) = structure.field(name) {
            field.set_raw(words, raw);
        }
    };
    let rare = |n: u32| chance >> n & 7 == 0;
    lawful(structure, generation, words);
    if rare(0) {
        put(words, "Surface Type", 4);
    }
    let kind = structure.get(words, "Surface Type");
    if !rare(3) {
        put(words, "Number of Multisamples", 0);
    }
    if !rare(6) {
        put(words, "Vertical Line Stride", 0);
    }
    let single = structure.get(words, "Number of Multisamples") > 0;
    let kind = if single { 1 } else { kind };
    put(words, "Surface Type", kind);
    put(words, "Mip Tail Start LOD", 0);
    let width = structure.get(words, "Width") | 1;
    put(words, "Width", width);
    match kind {
        0 => put(words, "Height", 0),
        3 => put(words, "Height", width),
        _ => {}
    }
    if structure.get(words, "Surface Array") == 0 && kind != 2 {
        put(words, "Minimum Array Element", 0);
        if generation >= Generation::Gen8 && kind != 4 {
            put(words, "Depth", 0);
        }
    }
    if kind == 2 {
        put(words, "Minimum Array Element", 0);
        put(words, "Surface Array", 0);
    }
    if kind == 3 && generation < Generation::Gen8 {
        put(words, "Depth", 0);
    }
    if structure.get(words, "Depth") > 0 || kind != 1 {
        for name in ["Vertical Line Stride", "MIP Map Layout Mode"] {
            put(words, name, 0);
        }
    }
    let height = structure.get(words, "Height");
    let possible = u64::from(((width + 1).max(height + 1) as u32).ilog2()) + 1;
    let least = match single {
        true => 0,
        false => structure.get(words, "Surface Min LOD") % possible.min(3),
    };
    let more = match single {
        true => 0,
        false => structure.get(words, "MIP Count / LOD") % (possible - least),
    };
    put(words, "Surface Min LOD", least);
    put(words, "MIP Count / LOD", more);
    if !rare(9) {
        for name in ["X Offset", "Y Offset"] {
            put(words, name, 0);
        }
    }
    // Of the distances of slices some are too small, which is refused.
    if !rare(15) {
        let rows = (height + 1) * 2 / 4 + u64::from(chance >> 18 & 7);
        put(words, "Surface QPitch", rows);
    }
    let Ok(description) = describe(generation, words) else {
        return;
    };
    let tight = Description {
        pitch: 0,
        base: 0,
        ..description
    };
    // Large ones are not tried.
    if !Surface::check(tight.clone()).is_ok_and(|end| end <= 1 << 18) {
        return;
    }
    let Ok(tight) = Surface::zeroed(tight) else {
        return;
    };
    let d = tight.description();
    let unit = match d.kind {
        Kind::Buffer => 4,
        _ => d.tiling.pitch_unit(d.format.bits.into()).unwrap_or(1),
    };
    let unit = if d.tiling == Tiling::Linear { 16 } else { unit };
    let pitch = u64::from(d.pitch) + u64::from(chance >> 12 & 3) * u64::from(unit);
    // The null surface has none.
    put(words, "Surface Pitch", pitch.saturating_sub(1));
}

/// The dwords of a sampler state that goes together, from any.
fn sampler(generation: Generation, mut words: [u32; 4], chance: u32) -> [u32; 4] {
    let structure = visim::internals::sampler::state::structure(generation);
    lawful(structure, generation, &mut words);
    let mut put = |name: &str, raw: u64| {
        if let Some(field) = structure.field(name) {
            field.set_raw(&mut words, raw);
        }
    };
    if chance & 15 != 0 {
        // Nearest, linear or anisotropic: the other filter is for one format.
        put("Min Mode Filter", u64::from(chance >> 4 & 3) % 3);
        put("Mag Mode Filter", u64::from(chance >> 6 & 3) % 3);
        put("Sampler Disable", 0);
        put("ChromaKey Enable", u64::from(chance >> 8 & 7 == 0));
    }
    put("Monochrome Filter Width", 3);
    put("Monochrome Filter Height", 5);
    if chance >> 11 & 3 != 0 {
        put("Non-normalized Coordinate Enable", 0);
    } else {
        put("Mip Mode Filter", 0);
        for axis in ["X", "Y", "Z"] {
            put(&format!("TC{axis} Address Control Mode"), 2);
        }
    }
    words
}

/// Small integers, floats around the map, and anything.
fn coordinate() -> impl Strategy<Value = u32> {
    prop_oneof![
        0..70u32,
        (-2.0..3.0f32).prop_map(f32::to_bits),
        any::<u32>()
    ]
}

/// What is counted: states that describe a surface, tiled ones, sampler states, programs that end, and those
/// that took a texel by the sampler.
#[derive(Default)]
struct Counts {
    surfaces: Cell<u32>,
    tiled: Cell<u32>,
    samplers: Cell<u32>,
    ended: Cell<u32>,
    sampled: Cell<u32>,
    sampled_tiled: Cell<u32>,
}

fn count(cell: &Cell<u32>, counts: bool) {
    cell.set(cell.get() + u32::from(counts));
}

/// One case: words of a surface and of a sampler state, and a program.
#[derive(Clone, Debug)]
struct Tried {
    words: [u32; 16],
    sampler: [u32; 4],
    border: [u32; 12],
    generation: usize,
    keep: u64,
    chance: u32,
    picks: Vec<prop::sample::Index>,
    near: Vec<u32>,
}

fn tried() -> impl Strategy<Value = Tried> {
    (
        any::<[u32; 16]>(),
        any::<[u32; 4]>(),
        any::<[u32; 12]>(),
        0..GENERATIONS.len(),
        prop::sample::select(vec![0x7u64, 0x1f, 0x3f]),
        any::<u32>(),
        prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        prop::collection::vec(coordinate(), 32),
    )
        .prop_map(
            |(words, sampler, border, generation, keep, chance, picks, near)| Tried {
                words,
                sampler,
                border,
                generation,
                keep,
                chance,
                picks,
                near,
            },
        )
}

fn tries(tried: &Tried, counts: &Counts) -> Result<(), TestCaseError> {
    let generation = GENERATIONS[tried.generation];
    let structure = structure(generation).expect("known");
    let mut words = tried.words[..structure.dwords].to_vec();
    let wild = tried.chance & 3 == 0;
    // Sizes are kept small, and what is not modelled is left out: tests/state has wholly random words.
    for name in [
        "Width",
        "Height",
        "Depth",
        "Minimum Array Element",
        "Surface QPitch",
    ] {
        let keep = match name {
            "Depth" | "Minimum Array Element" => tried.keep & 7,
            _ => tried.keep,
        };
        if let Some(field) = structure.field(name) {
            let less = field.raw(&words) & keep;
            field.set_raw(&mut words, less);
        }
    }
    for field in LEFT_OUT.iter().filter_map(|name| structure.field(name)) {
        field.set_raw(&mut words, 0);
    }
    let mut sampler_words = tried.sampler;
    if !wild {
        settled(structure, generation, &mut words, tried.chance >> 2);
        sampler_words = sampler(generation, sampler_words, tried.chance >> 16);
    }
    let Ok(mut description) = describe(generation, &words) else {
        return Ok(());
    };
    description.base = AROUND;
    let Ok(end) = Surface::check(description.clone()) else {
        return Ok(());
    };
    if end > 1 << 18 {
        return Ok(());
    }
    let beside = Beside {
        border: &tried.border,
        keys: [(tried.border[0], tried.border[1]); 4],
        mono: None,
    };
    let state = SamplerState::unpack(generation, sampler_words, &beside).ok();
    let all: Vec<&str> = SAMPLES.iter().chain(&OTHERS).copied().collect();
    let lines = tried.picks.iter().enumerate().map(|(n, pick)| {
        // The first is a sample, mostly: a program ends at what is refused.
        match n == 0 && tried.chance >> 14 & 3 != 0 {
            true => SAMPLES[pick.index(SAMPLES.len())],
            false => all[pick.index(all.len())],
        }
    });
    let program = program(&lines.collect::<Vec<_>>());
    let asked = Asked {
        program: &program,
        description: &description,
        end,
        coordinates: &tried.near,
        sampler: state,
    };
    let (dark, texels) = asked.run(0x00, true);
    let (light, _) = asked.run(0xee, false);
    let tiled = description.tiling != Tiling::Linear;
    count(&counts.surfaces, true);
    count(&counts.tiled, tiled);
    count(&counts.samplers, state.is_some());
    count(&counts.ended, dark.out.is_some());
    count(&counts.sampled, texels > 0);
    count(&counts.sampled_tiled, texels > 0 && tiled);
    prop_assert_eq!(dark, light, "{:?}\n{:?}", description, state);
    Ok(())
}

#[test]
fn a_program_touches_no_byte_outside_a_surface_of_any_state() {
    let config = Config {
        cases: 1500,
        failure_persistence: None,
        ..Config::default()
    };
    let counts = Counts::default();
    let done = TestRunner::new(config).run(&tried(), |case| tries(&case, &counts));
    done.unwrap_or_else(|why| panic!("{why}"));
    // Of the 1500, so many must come so far, or little is tried; chance alone stays far above these.
    for (what, found, least) in [
        ("surfaces", &counts.surfaces, 350),
        ("tiled surfaces", &counts.tiled, 100),
        ("sampler states", &counts.samplers, 250),
        ("programs that end", &counts.ended, 120),
        ("programs that sample", &counts.sampled, 35),
        (
            "programs that sample tiled surfaces",
            &counts.sampled_tiled,
            10,
        ),
    ] {
        assert!(found.get() >= least, "{what}: {} of {least}", found.get());
    }
}

/// X Offset counts texels for most messages, pixels of 32 bits for media blocks.
#[test]
fn media_blocks_stay_inside_a_surface_with_an_offset() {
    let generation = GENERATIONS[0];
    let words = [0x2517_c000, 0, 0x40, 0xce8, 0, 0xb64b_566f];
    let mut description = describe(generation, &words).expect("described");
    description.base = AROUND;
    let end = Surface::check(description.clone()).expect("checked");
    for line in SAMPLES.iter().chain(&OTHERS) {
        let program = program(&[line]);
        let asked = Asked {
            program: &program,
            description: &description,
            end,
            coordinates: &[0; 32],
            sampler: None,
        };
        asked.run(0, true);
    }
}
