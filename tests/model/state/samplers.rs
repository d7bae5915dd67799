//! The rules of packed sampler states.

use super::codes;
use pretty_assertions::assert_eq;
use visim::internals::diagnostic::Code;
use visim::internals::sampler::state as sampler;
use visim::internals::surface::Generation;

#[test]
fn every_rule_of_a_packed_sampler_state_has_its_code() {
    use Generation::{Gen4, Gen5, Gen9};
    let of = |generation, changes: &[(&str, u64)]| {
        let structure = sampler::structure(generation);
        let mut words = vec![0; structure.dwords];
        for (name, raw) in changes {
            structure.put(&mut words, name, *raw).expect("it fits");
        }
        codes(&sampler::rules::check(generation, &words))
    };
    let clamped = [
        ("Non-normalized Coordinate Enable", 1),
        ("TCX Address Control Mode", 2),
        ("TCY Address Control Mode", 4),
        ("TCZ Address Control Mode", 6),
    ];
    for (expected, generation, changes) in [
        (vec![], Gen5, &[][..]),
        (vec![], Gen9, &clamped),
        // All modes are WRAP.
        (vec![Code::E0756], Gen9, &clamped[..1]),
        (
            vec![Code::E0756],
            Gen9,
            &[
                clamped[0],
                clamped[1],
                clamped[2],
                clamped[3],
                ("Mip Mode Filter", 1),
            ],
        ),
        (vec![Code::E0748], Gen5, &[("Min Mode Filter", 3)]),
        (vec![Code::E0748], Gen5, &[("TCX Address Control Mode", 6)]),
        (vec![], Gen9, &[("TCX Address Control Mode", 6)]),
        (vec![Code::E0748], Gen5, &[("Mip Mode Filter", 2)]),
        (vec![Code::E0749], Gen5, &[("Base Mip Level", 27)]),
        (vec![Code::E0749], Gen9, &[("Max LOD", 14 * 256 + 1)]),
        (vec![Code::W0753], Gen9, &[("Min LOD", 1)]),
        (vec![Code::N0752], Gen9, &[("Texture Border Color Mode", 1)]),
        (vec![Code::E0749], Gen4, &[("Mag Mode Filter", 6)]),
        (
            vec![],
            Gen4,
            &[
                ("Mag Mode Filter", 6),
                ("Monochrome Filter Width", 7),
                ("Monochrome Filter Height", 1),
            ],
        ),
    ] {
        assert_eq!(of(generation, changes), expected, "{changes:?}");
    }
    let reserved = sampler::rules::check(Gen5, &[1 << 30, 0, 0, 0]);
    assert_eq!(codes(&reserved), [Code::W0751]);
    assert_eq!(codes(&sampler::rules::check(Gen5, &[0; 3])), [Code::E0750]);
}
