//! Packed states: what is written reads back, and what no state may say is refused by its rule.

mod media;
mod samplers;
mod surfaces;

use super::descriptions::descriptions;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use visim::internals::diagnostic::Code;
use visim::internals::sampler::state as sampler;
use visim::internals::surface::state::{self, Structure, describe, pack, rules};
use visim::internals::surface::{Description, Format, Generation, Kind, Surface};

const SURFACES: &[&Structure] = &[
    state::SURFACE_GEN5,
    state::SURFACE_GEN9,
    state::MEDIA_GEN5,
    state::MEDIA_GEN9,
    state::BINDING_GEN5,
    state::BINDING_GEN9,
    sampler::SAMPLER_GEN5,
    sampler::SAMPLER_GEN9,
    sampler::BORDER_GEN5,
    sampler::BORDER_GEN9,
];

#[test]
fn fields_of_a_structure_lie_inside_it_and_side_by_side() {
    for structure in SURFACES {
        // The two ways to read a border colour's dwords are one over the other.
        if structure.dwords == 4 && structure.fields.len() == 8 {
            continue;
        }
        for generation in [
            Generation::Gen4,
            Generation::Gen5,
            Generation::Gen6,
            Generation::Gen9,
        ] {
            let mut taken = vec![0u32; structure.dwords];
            for field in structure.present(generation, &vec![0; structure.dwords]) {
                let mut words = vec![0; structure.dwords];
                field.set_raw(&mut words, u64::MAX);
                let bits: u32 = words.iter().map(|w| w.count_ones()).sum();
                assert_eq!(bits, field.width(), "{} {}", structure.name, field.name);
                for (taken, word) in taken.iter_mut().zip(words) {
                    assert_eq!(*taken & word, 0, "{} {}", structure.name, field.name);
                    *taken |= word;
                }
            }
        }
    }
}

fn d2(format: Format, width: u32, height: u32) -> Description {
    Description::d2(format, width, height)
}

fn codes(broken: &[visim::internals::surface::Invalid]) -> Vec<Code> {
    broken.iter().map(|b| b.code).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A surface that can be packed is described by its packed state.
    #[test]
    fn what_is_packed_is_described(description in descriptions()) {
        let Ok(surface) = Surface::zeroed(description) else { return Ok(()) };
        let Ok(words) = pack(surface.description()) else { return Ok(()) };
        let generation = surface.description().generation;
        let found = describe(generation, &words).expect("described");
        prop_assert_eq!(&pack(&found).expect("packed again"), &words);
        let again = Surface::zeroed(found).expect("the same surface");
        prop_assert_eq!(again.layout(), surface.layout());
        prop_assert_eq!(again.memory().len(), surface.memory().len());
        let worse = rules::check(generation, &words).into_iter().find(|b| !b.is_remark());
        prop_assert!(
            worse.as_ref().is_none_or(|b| matches!(b.code, Code::E0745 | Code::N0752)),
            "{:?}", worse
        );
    }

    /// Fields hold what was put into them, and leave their neighbours alone.
    #[test]
    fn fields_hold_what_was_put(number in 0..SURFACES.len(), pick: prop::sample::Index, raw: u64, fill: u32) {
        let structure = SURFACES[number];
        let field = &structure.fields[pick.index(structure.fields.len())];
        let mut words = vec![fill; structure.dwords];
        let raw = raw >> (64 - field.width());
        field.put(&mut words, raw).expect("it fits");
        prop_assert_eq!(field.raw(&words), raw);
        field.set_raw(&mut words, 0);
        let mut empty = vec![fill; structure.dwords];
        field.set_raw(&mut empty, 0);
        prop_assert_eq!(words, empty);
        if field.width() < 64 {
            let wide = field.put(&mut vec![0; structure.dwords], 1 << field.width());
            prop_assert_eq!(wide.expect_err("too wide").code, Code::E0749);
        }
    }

    /// Any words at all are refused or describe a surface that keeps inside its memory.
    #[test]
    fn any_words_are_refused_or_described(words: [u32; 16], small: bool, pick in 0..5usize) {
        let generation = [Generation::Gen4, Generation::Gen5, Generation::Gen6, Generation::Gen8, Generation::Gen9][pick];
        let structure = state::structure(generation).expect("known");
        let mut words = words[..structure.dwords].to_vec();
        if small {
            // Small sizes pass more rules.
            for name in ["Width", "Height", "Depth", "Surface Base Address", "Minimum Array Element"] {
                let field = structure.field(name).expect(name);
                let less = field.raw(&words) & 7;
                field.set_raw(&mut words, less);
            }
        }
        let broken = rules::check(generation, &words);
        let described = describe(generation, &words).map(|d| Description { base: d.base % 4096, ..d });
        if let Ok(surface) = described.and_then(Surface::zeroed) {
            let d = surface.description();
            prop_assert!(surface.memory().len() as u64 <= visim::internals::surface::MAX_BYTES);
            if d.kind != Kind::Null && d.kind != Kind::Buffer {
                let levels = d.min_lod + d.levels;
                surface.load_texel(levels - 1, 0, 0, 0, d.samples - 1);
                surface.load_texel(0, d.slices() - 1, d.width - 1, d.height - 1, 0);
            }
        } else {
            prop_assert!(broken.iter().any(|b| !b.is_remark()), "{:?}", broken);
        }
    }
}

/// The table of rules names codes and tests that are there.
#[test]
fn the_table_of_rules_names_what_is_there() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("a file");
    let tests = [
        "tests/model/formats.rs",
        "tests/model/state/mod.rs",
        "tests/model/state/samplers.rs",
        "tests/model/state/surfaces.rs",
        "tests/model/sampler/sample.rs",
        "tests/model/sampler/load.rs",
        "tests/model/sampler/commands.rs",
    ]
    .map(read)
    .concat();
    let table = read("src/sampler/state/rules.md");
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(2)
        .collect();
    assert!(rows.len() > 20, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let test = cells[4].trim_matches('`');
        assert!(tests.contains(&format!("fn {test}(")), "no test {test}");
        for code in cells[3].split(['`', ' ']).filter(|word| word.len() == 5) {
            let is_code = code[1..].bytes().all(|b| b.is_ascii_digit());
            let known = Code::from_name(code).is_some();
            assert!(!is_code || known, "no code {code}");
        }
    }
}
