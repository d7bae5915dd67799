//! Which platform has which instruction: a column of the instruction table, read by checks, runs and lowering.

use visim::internals::isa::Opcode;
use visim::internals::isa::availability::{who_has, who_to_ask};
use visim::internals::isa::platforms::Platform;
#[test]
fn ironlake_has_what_its_messages_do() {
    let has = |op: Opcode| op.info().availability.on(Platform::Ilk);
    use Opcode::*;
    for op in [
        MediaLd,
        OwordLd,
        Gather,
        Sample3d,
        Load,
        SampleUnorm,
        RtWrite3d,
        FenceSw,
    ] {
        assert!(has(op), "{op}");
    }
    for op in [
        DwordAtomic,
        GatherScaled,
        Sample4,
        Gather4Typed,
        FenceGlobal,
        Avs,
        Barrier,
        RawSends,
    ] {
        assert!(!has(op), "{op}");
    }
}

#[test]
fn platforms_are_named_in_runs() {
    let of = |names: &'static [&str]| who_has(move |p| names.contains(&p.name));
    assert_eq!(of(&["pvc"]), "only pvc has it");
    assert_eq!(
        of(&["ilk", "bdw", "skl"]),
        "the last platform that has it is skl"
    );
    assert_eq!(of(&["bdw", "skl"]), "bdw to skl have it");
    assert_eq!(of(&["ilk", "icl", "tgl"]), "ilk, and icl to tgl have it");
    assert_eq!(who_has(|p| !p.is_gen5()), "bdw and later have it");
    assert_eq!(who_to_ask(|p| !p.is_gen5()), Some(Platform::Bdw));
    assert_eq!(who_to_ask(|p| p.lsc.is_none()), Some(Platform::Tgl));
}
