//! Gathers, scatters and atomics leave what their definition, lane by lane, leaves.

use super::{Watching, dwords, program_for};
use proptest::prelude::*;
use std::sync::Arc;
use visim::internals::isa::Platform;
use visim::internals::launch::{
    self, Bindings, FlatRange, Grid, Keep, Observer, RunOptions, Silent,
};
use visim::internals::program::Program;
use visim::internals::surface::{Description, Format, Memory, Surface};

const DECLS: &str = ".decl A v_type=G type=ud num_elts=16 align=GRF
.decl B v_type=G type=ud num_elts=16 align=GRF
.decl QA v_type=G type=uq num_elts=16 align=GRF
.decl QB v_type=G type=uq num_elts=16 align=GRF
.decl NEW v_type=G type=ud num_elts=64 align=GRF
.decl R v_type=G type=ud num_elts=64 align=GRF
.decl OLD v_type=G type=ud num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
";

/// Bytes of the memory, and where it lies.
const BYTES: u32 = 512;
const BASE: u64 = 0x1_0000_0000;

/// Bytes, as channels of packed pixels lie.
const SPACED: [&str; 3] = [
    "lsc_store.ugm (M1, L) bti(0x6)[A]:a32 NEW:d8u32",
    "lsc_load.ugm (M1, L) OLD:d8u32 bti(0x6)[A]:a32",
    "lsc_load.ugm (M1, L) R:d8u32 bti(0x6)[B]:a32",
];

/// Stores, atomics and loads of one memory; `L` stands for the lanes.
const MESSAGES: &[[&str; 3]] = &[
    [
        "scatter4_scaled.R (M1, L) T6 0x0:ud A.0 NEW.0",
        "dword_atomic.add (M1, L) T6 A.0 NEW.0 %null.0 OLD.0",
        "gather4_scaled.R (M1, L) T6 0x0:ud B.0 R.0",
    ],
    [
        "scatter4_scaled.RG (M1, L) T6 0x8:ud A.0 NEW.0",
        "dword_atomic.inc (M1, L) T6 A.0 %null.0 %null.0 %null.0",
        "gather4_scaled.RGB (M1, L) T6 0x4:ud B.0 R.0",
    ],
    [
        "scatter4_scaled.RGBA (M1, L) T6 0x0:ud A.0 NEW.0",
        "dword_atomic.cmpxchg (M1, L) T6 A.0 NEW.0 R.0 OLD.0",
        "gather4_scaled.BA (M1, L) T6 0x0:ud B.0 R.0",
    ],
    [
        "scatter4_scaled.G (M1, L) T6 0x0:ud A.0 NEW.0",
        "dword_atomic.max (M1, L) T6 A.0 NEW.0 %null.0 OLD.0",
        "gather4_scaled.RA (M1, L) T6 0x0:ud B.0 R.0",
    ],
    [
        "scatter4_scaled.RGBA (M1, L) %slm 0x0:ud A.0 NEW.0",
        "dword_atomic.sub (M1, L) %slm A.0 NEW.0 %null.0 OLD.0",
        "gather4_scaled.RGBA (M1, L) %slm 0x0:ud B.0 R.0",
    ],
    [
        "scatter_scaled.1 (M1, L) T6 0x0:ud A.0 NEW.0",
        "scatter_scaled.2 (M1, L) T6 0x0:ud B.0 NEW.0",
        "gather_scaled.1 (M1, L) T6 0x0:ud B.0 R.0",
    ],
    [
        "scatter_scaled.4 (M1, L) %slm 0x0:ud A.0 NEW.0",
        "gather_scaled.4 (M1, L) %slm 0x0:ud B.0 OLD.0",
        "gather_scaled.2 (M1, L) %slm 0x0:ud B.0 R.0",
    ],
    [
        "lsc_store.ugm (M1, L) flat[QA]:a64 NEW:d32x2",
        "lsc_atomic_iadd.ugm (M1, L) OLD:d32 flat[QA]:a64 NEW %null",
        "lsc_load.ugm (M1, L) R:d32x3 flat[QB]:a64",
    ],
    [
        "lsc_store.ugm (M1, L) bti(0x6)[A]:a32 NEW:d32",
        "lsc_atomic_iinc.ugm (M1, L) OLD:d32 bti(0x6)[A]:a32 %null %null",
        "lsc_load.ugm (M1, L) R:d32x4 bti(0x6)[B]:a32",
    ],
    [
        "lsc_store.slm (M1, L) flat[A]:a32 NEW:d32x4",
        "lsc_atomic_umin.slm (M1, L) OLD:d32 flat[B]:a32 NEW %null",
        "lsc_load.slm (M1, L) R:d32x2 flat[B]:a32",
    ],
    [
        "lsc_store_quad.ugm (M1, L) flat[QA]:a64 NEW:d32.xy",
        "lsc_store.ugm (M1, L) flat[QA]:a64 NEW:d8u32",
        "lsc_load_quad.ugm (M1, L) R:d32.xyzw flat[QB]:a64",
    ],
    [
        "lsc_store.ugm (M1, L) flat[QA]:a64 NEW:d16u32",
        "lsc_load.ugm (M1, L) OLD:d8u32 flat[QA]:a64",
        "lsc_load.ugm (M1, L) R:d32 flat[QB]:a64",
    ],
    SPACED,
    [
        "svm_scatter4scaled.RG (M1, 8) 0x0:uq QA.0 NEW.0",
        "svm_atomic.add (M1, 8) QA.0 OLD.0 NEW.0 %null.0",
        "svm_gather4scaled.RGBA (M1, 8) 0x8:uq QB.0 R.0",
    ],
    [
        "svm_scatter.4.1 (M1, 8) QA.0 NEW.0",
        "svm_gather.4.2 (M1, 8) QA.0 OLD.0",
        "svm_gather.8.1 (M1, 8) QB.0 R.0",
    ],
    [
        "oword_st (4) T6 A(0,0)<0;1,0> NEW.0",
        "oword_ld_unaligned (2) T6 A(0,0)<0;1,0> OLD.0",
        "oword_ld (8) T6 B(0,1)<0;1,0> R.0",
    ],
    [
        "oword_st (2) %slm B(0,0)<0;1,0> NEW.0",
        "svm_block_st (2) QA(0,0)<0;1,0> NEW.0",
        "svm_block_ld (4) QB(0,0)<0;1,0> R.0",
    ],
];

/// Addresses of lanes.
#[derive(Clone, Debug)]
enum Lanes {
    Row(u32, u32),
    Any(Vec<u32>),
}

impl Lanes {
    fn offsets(&self) -> Vec<u32> {
        match self {
            Lanes::Row(start, step) => (0..16).map(|lane| start + step * lane).collect(),
            Lanes::Any(list) => list.clone(),
        }
    }
}

fn lanes() -> impl Strategy<Value = Lanes> {
    let dwords = prop::collection::vec((0..BYTES / 4 - 4).prop_map(|n| 4 * n), 16);
    let bytes = prop::collection::vec(0..BYTES - 16, 16);
    let outside = prop::collection::vec(prop_oneof![9 => 0..BYTES, 1 => any::<u32>()], 16);
    let step = prop::sample::select(vec![0u32, 4, 8, 12, 16, 1, 20]);
    prop_oneof![
        4 => (0u32..40, step).prop_map(|(start, step)| Lanes::Row(4 * start, step)),
        1 => (0u32..200).prop_map(|start| Lanes::Row(start, 4)),
        1 => (0..BYTES, 1u32..6).prop_map(|(start, step)| Lanes::Row(start, step)),
        3 => dwords.prop_map(Lanes::Any),
        1 => bytes.prop_map(Lanes::Any),
        1 => outside.prop_map(Lanes::Any),
    ]
}

/// Registers and memory afterwards, or what is wrong.
fn served<O: Observer>(
    program: &Program,
    offsets: &[Vec<u32>; 2],
    masks: [u32; 2],
    observer: impl Fn() -> O + Sync,
) -> Result<(Vec<u8>, Vec<u8>), String> {
    let noise: Vec<u8> = (0..BYTES).map(|i| (i * 37 % 251) as u8).collect();
    let memory = Arc::new(Memory::from_bytes(&noise));
    let description = Description::buffer(Format::R8_UINT, BYTES);
    let surface = Surface::new(description, Arc::clone(&memory)).expect("a buffer");
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::new(surface));
    bindings.memory.push(FlatRange {
        address: BASE,
        memory: Arc::clone(&memory),
    });
    let far = |offsets: &[u32]| {
        let bytes = offsets.iter().map(|o| (BASE + u64::from(*o)).to_le_bytes());
        bytes.flatten().collect::<Vec<u8>>()
    };
    for (name, bytes) in [
        ("A", dwords(offsets[0].iter().map(|o| i64::from(*o)))),
        ("B", dwords(offsets[1].iter().map(|o| i64::from(*o)))),
        ("QA", far(&offsets[0])),
        ("QB", far(&offsets[1])),
        ("NEW", dwords((0..64).map(|i| i * 0x0101_0107 + 3))),
        ("R", dwords((0..64).map(|i| !i))),
        ("OLD", dwords((0..16).map(|i| i ^ 0x5a5a))),
        ("P1", masks[0].to_le_bytes().to_vec()),
        ("P2", masks[1].to_le_bytes().to_vec()),
    ] {
        bindings.variables.insert(name.to_string(), bytes);
    }
    let options = RunOptions {
        keep: Keep::All,
        slm_bytes: BYTES,
        ..RunOptions::default()
    };
    let outcome = launch::run(program, &bindings, &Grid::single(), &options, |_| {
        observer()
    });
    match outcome {
        Ok(outcome) => Ok((outcome.threads[0].arena.clone(), memory.to_vec())),
        Err(trap) => Err(format!("{:?}", trap.diagnostic)),
    }
}

/// Three messages of so many lanes, each of those that a predicate has, if they have any.
fn program_of(messages: [&str; 3], lanes: &str) -> Program {
    let [store, update, load] = messages.map(|text| text.replace(", L)", &format!(", {lanes})")));
    // Blocks have no lanes, and no predicate.
    let guarded = |guard: &str, text: &str| match text.contains("(M1") {
        true => format!("({guard}) {text}\n"),
        false => format!("{text}\n"),
    };
    let body = guarded("P1", &store) + &guarded("P2", &update) + &guarded("P1", &load);
    program_for(
        Platform::Dg2,
        &format!("{DECLS}.kernel_attr SimdSize={lanes}\n{body}"),
    )
}

/// Whatever is between them, and up to the last byte of the memory and beyond.
#[test]
fn bytes_with_others_between_them_are_those_of_lanes_one_by_one() {
    let program = program_of(SPACED, "16");
    for step in 1..=6 {
        let last = BYTES - 1 - 15 * step;
        for start in [0, 5, last - 3, last - 2, last - 1, last, last + 1] {
            for masks in [[0xffff; 2], [0x7fff, 0xfffe], [0x0001, 0xffff]] {
                let offsets = [
                    Lanes::Row(start, step).offsets(),
                    Lanes::Row(7, step).offsets(),
                ];
                let alone = served(&program, &offsets, masks, || Watching);
                let got = served(&program, &offsets, masks, || Silent);
                assert_eq!(got, alone, "{step} from {start}");
            }
        }
    }
}

/// The same of one to three dwords of each lane.
#[test]
fn dwords_with_others_between_them_are_those_of_lanes_one_by_one() {
    const LSC: [&str; 3] = [
        "lsc_store.ugm (M1, L) flat[QA]:a64 NEW:d32",
        "lsc_load.ugm (M1, L) OLD:d32 flat[QA]:a64",
        "lsc_load.ugm (M1, L) R:d32 flat[QB]:a64",
    ];
    const SCALED: [&str; 3] = [
        "scatter4_scaled.R (M1, L) T6 0x0:ud A.0 NEW.0",
        "gather4_scaled.R (M1, L) T6 0x0:ud A.0 OLD.0",
        "gather4_scaled.R (M1, L) T6 0x0:ud B.0 R.0",
    ];
    let channels = ["", "R", "RG", "RGB"];
    for (messages, rows) in [LSC, SCALED]
        .iter()
        .flat_map(|m| (1..4).map(move |rows| (m, rows)))
    {
        let of_rows = messages.map(|text| match rows {
            1 => text.to_string(),
            // One row is asked for again: there is room for no more.
            _ if text.contains("OLD") => text.to_string(),
            _ => text
                .replace(":d32", &format!(":d32x{rows}"))
                .replace(".R ", &format!(".{} ", channels[rows as usize])),
        });
        let program = program_of(of_rows.each_ref().map(String::as_str), "16");
        for step in [4, 8, 12, 16, 20] {
            let last = BYTES - 4 * rows - 15 * step;
            for start in [0, 4, last - 4, last, last + 4] {
                for masks in [[0xffff; 2], [0x7fff, 0xfffe]] {
                    let offsets = [
                        Lanes::Row(start, step).offsets(),
                        Lanes::Row(8, step).offsets(),
                    ];
                    let alone = served(&program, &offsets, masks, || Watching);
                    let got = served(&program, &offsets, masks, || Silent);
                    assert_eq!(got, alone, "{of_rows:?} {step} from {start}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn are_those_of_lanes_one_by_one(
        messages in prop::sample::select(MESSAGES.to_vec()),
        sixteen in any::<bool>(),
        offsets in (lanes(), lanes()),
        masks in prop::array::uniform2(prop_oneof![Just(0xffffu32), 0u32..0x1_0000, Just(0x00ff), Just(0)]),
    ) {
        let lanes = if sixteen { "16" } else { "8" };
        let program = program_of(messages, lanes);
        let offsets = [offsets.0.offsets(), offsets.1.offsets()];
        let alone = served(&program, &offsets, masks, || Watching);
        let got = served(&program, &offsets, masks, || Silent);
        prop_assert_eq!(got, alone);
    }
}
