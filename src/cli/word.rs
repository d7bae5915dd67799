//! What a word of the language means: a mnemonic, a directive, a built-in variable or surface, a platform, a type.
//!
//! All of it comes from the tables, the grammar and the lessons.

use super::lessons::LESSONS;
use crate::base::order;
use crate::diagnostic::CODES;
use crate::explain::{manual, operand_names};
use crate::harness::directive::KEYWORDS;
use crate::isa::availability::who_has;
use crate::isa::predefined::{self, PREDEFINED, SURFACES};
use crate::isa::{OPCODES, OpInfo, Opcode, Platform, PredicateUse, Slot, Type};
use crate::syntax::example;

/// The grammar of the text.
const GRAMMAR: &str = include_str!("../../grammar/visa.ebnf");

/// The keys of `SURFACE` and of the 3D sampler's `SAMPLER`: name, directive, what it says and takes.
#[rustfmt::skip]
const KEYS: &[(&str, &str, &str)] = &[
    ("pitch", "SURFACE", "Bytes from a row to the next."),
    ("tiling", "SURFACE", "How rows lie in memory: linear X Y W Yf Ys."),
    ("swizzle", "SURFACE", "Whether address bit 6 is swizzled, as two-channel memory controllers did: on, off."),
    ("x", "SURFACE", "X Offset: columns in front of the first texel."),
    ("y", "SURFACE", "Y Offset: rows in front of the first texel."),
    ("lines", "SURFACE", "Which lines belong to it: frame, top, bottom."),
    ("kind", "SURFACE", "What it is: 1d 2d 3d cube buffer null."),
    ("slices", "SURFACE", "Slices of an array."),
    ("levels", "SURFACE", "Mip levels that are there."),
    ("mips", "SURFACE", "Mip levels that are made of the picture, a number or all."),
    ("min_lod", "SURFACE", "The first level that is seen."),
    ("element", "SURFACE", "The first slice that is seen."),
    ("samples", "SURFACE", "Samples of a texel."),
    ("storage", "SURFACE", "Where samples lie: array, interleaved."),
    ("align", "SURFACE", "Columns and rows that levels are aligned to, as 4x4."),
    ("disable", "SURFACE", "Channels that are not written, letters of RGBA."),
    ("qpitch", "SURFACE", "Rows from a slice to the next."),
    ("below", "SURFACE", "Whether level 1 lies below level 0: on, off."),
    ("gen", "SURFACE", "Whose layouts and list of formats count: 4 to 12."),
    ("frame", "SURFACE", "The frame of a file, from 0 on."),
    ("palette", "SURFACE", "Entries of a palette format, A R G B: ff000000/80ff0000, or a file of them."),
    ("mcs", "SURFACE", "The control words of samples: a formula, or a file of rows."),
    ("clear", "SURFACE", "The clear colour, four numbers such as 0/0.5/1/1."),
    ("filter", "SAMPLER", "The filter, min and mag together: nearest linear anisotropic mono."),
    ("min", "SAMPLER", "The filter where texels are smaller than pixels: nearest linear anisotropic mono."),
    ("mag", "SAMPLER", "The filter where texels are larger than pixels: nearest linear anisotropic mono."),
    ("mip", "SAMPLER", "The filter between levels: none nearest linear."),
    ("address", "SAMPLER", "What lies outside, all ways: wrap mirror clamp border mirror_once half_border cube."),
    ("address_u", "SAMPLER", "What lies outside to the left and right; as address."),
    ("address_v", "SAMPLER", "What lies outside above and below; as address."),
    ("address_r", "SAMPLER", "What lies outside in depth; as address."),
    ("border", "SAMPLER", "The border colour, R/G/B/A."),
    ("lod_bias", "SAMPLER", "Added to the level of detail, in levels."),
    ("min_lod", "SAMPLER", "The least level of detail, in levels."),
    ("max_lod", "SAMPLER", "The greatest level of detail, in levels."),
    ("base_level", "SAMPLER", "Where magnification ends, up to Gen7.5."),
    ("preclamp", "SAMPLER", "Whether the level of detail is clamped before magnification is decided: on, off."),
    ("clamp_magnified", "SAMPLER", "Whether the mip filter chooses the level of magnified maps too (Gen9): on, off."),
    ("max_anisotropy", "SAMPLER", "The greatest ratio of the anisotropic filter: 2 to 16."),
    ("shadow", "SAMPLER", "The comparison with the reference; where it holds the texel becomes 0: less lequal …"),
    ("key", "SAMPLER", "What becomes of texels in the range of the chroma key: kill, black."),
    ("key_low", "SAMPLER", "The lower end of the chroma key, as A R G B: ff000000."),
    ("key_high", "SAMPLER", "The upper end of the chroma key, as A R G B: ff000000."),
    ("round", "SAMPLER", "Whether positions are rounded to 1/256 texel, not cut: on, off."),
    ("normalized", "SAMPLER", "Whether coordinates run from 0 to 1; with off they count texels."),
    ("cube_override", "SAMPLER", "Whether cubes are addressed across their edges, whatever address says: on, off."),
    ("mono_width", "SAMPLER", "Width of the monochrome filter: 1 to 7."),
    ("mono_height", "SAMPLER", "Height of the monochrome filter: 1 to 7."),
    ("reduction", "SAMPLER", "What is made of the texels of a footprint: standard minimum maximum."),
    ("disable", "SAMPLER", "Whether everything reads 0: on, off."),
];

/// Lessons that are named, at most.
const MOST_LESSONS: usize = 6;

/// What is known of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: String,
    /// `instruction`, `directive`, `register`, `surface`, `key`, `platform` or `type`.
    pub kind: &'static str,
    /// What it does or is, in a sentence.
    pub does: String,
    /// What else is known: a heading of one word, and a line.
    pub rows: Vec<(&'static str, String)>,
}

/// What a word means; several where it is in several tables. Mnemonics may be written with their suffixes.
pub fn words(name: &str) -> Vec<Word> {
    let bare = name.strip_prefix('%').unwrap_or(name);
    let stem = name.split('.').next().unwrap_or(name);
    let mut found = Vec::new();
    let of_opcode = |row: &&OpInfo| row.mnemonic == name || row.mnemonic == stem;
    // A mnemonic with a point of its own wins over the one it begins with.
    let rows: Vec<&OpInfo> = OPCODES.iter().filter(of_opcode).collect();
    let whole = rows.iter().any(|row| row.mnemonic == name);
    let rows = rows
        .into_iter()
        .filter(|row| !whole || row.mnemonic == name);
    found.extend(rows.map(instruction));
    let upper = name.to_ascii_uppercase();
    let directives = KEYWORDS.iter().filter(|(word, _)| *word == upper);
    found.extend(directives.map(|(word, usage)| directive(word, usage)));
    found.extend(PREDEFINED.iter().filter(|row| row.1 == bare).map(register));
    let surfaces = SURFACES
        .iter()
        .filter(|(_, s)| s.trim_start_matches('%') == bare);
    found.extend(surfaces.map(|(index, name)| surface(*index, name)));
    found.extend(KEYS.iter().filter(|row| row.0 == name).map(key));
    found.extend(Platform::from_name(name).map(platform));
    found.extend(
        Type::ALL
            .iter()
            .filter(|(_, n)| *n == name)
            .map(|(ty, name)| of_type(*ty, name)),
    );
    found
}

/// All words and codes by kind.
pub fn all() -> Vec<(&'static str, Vec<String>)> {
    let names = |words: &mut dyn Iterator<Item = &str>| {
        let mut all: Vec<String> = words.map(str::to_owned).collect();
        order::sort_by(&mut all, Ord::cmp);
        all.dedup();
        all
    };
    vec![
        (
            "instructions",
            names(&mut OPCODES.iter().map(|row| row.mnemonic)),
        ),
        (
            "directives",
            KEYWORDS.iter().map(|k| k.0.to_owned()).collect(),
        ),
        (
            "registers",
            PREDEFINED.iter().map(|row| format!("%{}", row.1)).collect(),
        ),
        (
            "surfaces",
            SURFACES.iter().map(|row| row.1.to_owned()).collect(),
        ),
        ("keys", names(&mut KEYS.iter().map(|row| row.0))),
        (
            "types",
            Type::ALL.iter().map(|row| row.1.to_owned()).collect(),
        ),
        (
            "platforms",
            Platform::ALL.iter().map(|p| p.name.to_owned()).collect(),
        ),
        ("codes", CODES.iter().map(|c| c.name.to_owned()).collect()),
    ]
}

fn instruction(row: &OpInfo) -> Word {
    let opcode = row.opcode;
    let mut rows = vec![("defined", row.family.section().to_owned())];
    rows.extend(manual::page(opcode).map(|page| ("page", page)));
    rows.push(("platforms", who_has(|p| row.availability.on(p))));
    rows.push(("form", form(opcode)));
    let names = operand_names(opcode);
    let slots = row.slots.iter().flat_map(|slot| match slot {
        Slot::SamplerAndSurface => vec!["a sampler", "a surface"],
        slot => vec![meaning(*slot)],
    });
    let mut slots: Vec<&str> = slots.collect();
    let last = slots.last().copied().unwrap_or_default();
    slots.resize(slots.len().max(names.len()), last);
    let slots = names.iter().zip(slots);
    rows.extend(slots.map(|(name, slot)| ("operand", format!("{name:<24} {slot}"))));
    rows.extend(grammar(row.mnemonic));
    rows.extend(lessons(row.mnemonic, false));
    Word {
        name: row.mnemonic.to_owned(),
        kind: "instruction",
        does: row.doc.to_owned(),
        rows,
    }
}

/// A line of it, with what may stand in front.
fn form(opcode: Opcode) -> String {
    let front = match opcode.info().predicate {
        PredicateUse::Optional => "[(P1)] ",
        PredicateUse::Never | PredicateUse::Ignored | PredicateUse::Required => "",
    };
    format!("{front}{}", example(opcode))
}

/// Examples of the grammar, each with its production.
fn grammar(mnemonic: &str) -> Vec<(&'static str, String)> {
    let mut production = "";
    let mut found = Vec::new();
    for line in GRAMMAR.lines() {
        if let Some(text) = line.strip_prefix("#>") {
            let text = text.trim();
            let words = text
                .split(' ')
                .find(|word| !word.starts_with('('))
                .unwrap_or_default();
            let own = words
                .strip_prefix(mnemonic)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            if own && found.len() < 4 {
                found.push(("grammar", format!("{production:<24} {text}")));
            }
        } else if let Some((name, _)) = line
            .split_once(" = ")
            .filter(|(name, _)| !name.contains(' '))
        {
            production = name;
        }
    }
    found
}

/// Where the lessons have it; the first time with its line, to be run.
fn lessons(word: &str, directive: bool) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut more = 0;
    for lesson in LESSONS {
        let line = match directive {
            true => lesson.directives(word).next(),
            false => lesson.lines_with(word).next(),
        };
        let Some((number, line)) = line else {
            continue;
        };
        if found.is_empty() {
            found.push(("example", line.trim().to_owned()));
            found.push(("run it", format!("visim run {}", lesson.path)));
            // Declarations have nothing to follow.
            if !directive && !line.trim_start().starts_with('.') {
                found.push((
                    "follow it",
                    format!("visim explain {}:{number}", lesson.path),
                ));
            }
        }
        match found.len() < MOST_LESSONS + 2 {
            true => found.push(("lesson", format!("{}: {}", lesson.path, lesson.title()))),
            false => more += 1,
        }
    }
    if more > 0 {
        found.push(("lesson", format!("and {more} more")));
    }
    found
}

fn directive(word: &str, usage: &str) -> Word {
    let mut rows = vec![
        ("form", format!("// {word} {usage}")),
        ("defined", "README, \"Directives and options\"".to_owned()),
    ];
    rows.extend(lessons(word, true));
    Word {
        name: word.to_owned(),
        kind: "directive",
        does: "A comment that visim obeys; to vISA it is a comment.".to_owned(),
        rows,
    }
}

fn register(row: &predefined::PredefinedRow) -> Word {
    let name = format!("%{}", row.1);
    let mut rows = vec![
        ("type", format!("{}, {} element(s)", row.2.name(), row.3)),
        (
            "written",
            match row.4 {
                None => "by no instruction".to_owned(),
                Some((first, last)) => format!("elements {first} to {last}"),
            },
        ),
        ("defined", "vISA text reference 3".to_owned()),
    ];
    rows.extend(lessons(&name, false));
    Word {
        name,
        kind: "register",
        does: "A built-in variable.".to_owned(),
        rows,
    }
}

fn surface(index: u32, name: &str) -> Word {
    let mut rows = vec![
        ("index", index.to_string()),
        ("defined", "vISA text reference 3".to_owned()),
    ];
    rows.extend(lessons(name, false));
    Word {
        name: name.to_owned(),
        kind: "surface",
        does: "A built-in surface.".to_owned(),
        rows,
    }
}

fn key(&(key, directive, does): &(&str, &str, &str)) -> Word {
    let with = format!(" {key}=");
    let lines = LESSONS.iter().filter_map(|lesson| {
        let mut lines = lesson.directives(directive);
        let (_, line) = lines.find(|(_, line)| line.contains(&with))?;
        Some((lesson, line))
    });
    let option = directive.to_lowercase();
    let mut rows = vec![
        ("key", format!("of {directive} and --{option}")),
        ("defined", "README, \"Directives and options\"".to_owned()),
    ];
    for (number, (lesson, line)) in lines.take(MOST_LESSONS).enumerate() {
        if number == 0 {
            rows.push(("example", line.trim().to_owned()));
            rows.push(("run it", format!("visim run {}", lesson.path)));
        }
        rows.push(("lesson", format!("{}: {}", lesson.path, lesson.title())));
    }
    Word {
        name: key.to_owned(),
        kind: "key",
        does: does.to_owned(),
        rows,
    }
}

fn platform(platform: Platform) -> Word {
    Word {
        name: platform.name.to_owned(),
        kind: "platform",
        does: "A device to run for: // PLATFORM NAME, --platform NAME.".to_owned(),
        rows: vec![("registers", format!("{} bytes each", platform.grf_bytes()))],
    }
}

fn of_type(ty: Type, name: &str) -> Word {
    Word {
        name: name.to_owned(),
        kind: "type",
        does: format!("A type of elements of {} byte(s).", ty.bytes()),
        rows: vec![("defined", "vISA text reference 1".to_owned())],
    }
}

/// What may stand at an operand position.
fn meaning(slot: Slot) -> &'static str {
    match slot {
        Slot::Dst => "a destination: V(r,c)<h>, r[A(k),off]<h>:t",
        Slot::DstMov => "a destination, or an address A(k)<h>",
        Slot::DstOrPred => "a destination, or a predicate",
        Slot::DstPred => "a predicate, which is written",
        Slot::Src => "a source: V(r,c)<v;w,h>, r[A(k),off]<v;w,h>:t, an immediate",
        Slot::SrcMov => "a source, a predicate, an address, or &V",
        Slot::SrcOrPred => "a source, or a predicate",
        Slot::Scalar => "one element for all lanes: V(r,c)<0;1,0>, or an immediate",
        Slot::DstAddress => "an address A(k)<1>, which is written",
        Slot::AddressBase => "&V, V(r,c)<0;1,0> or A(k)<w>",
        Slot::StateOrDst => "an element of a state T6(0), or a destination",
        Slot::StateOrSrc => "an element of a state T6(0), or a source",
        Slot::Surface => "a surface",
        Slot::Sampler => "a sampler",
        Slot::SamplerAndSurface => "a sampler and a surface",
        Slot::RawDst => "registers from V.offset on, which are written",
        Slot::RawSrc => "registers from V.offset on",
        Slot::Params { .. } => "registers from V.offset on, an element for each lane",
        Slot::TargetParams => {
            "registers from V.offset on, or scalars where a flag asks for an index"
        }
        Slot::Offsets => "texel offsets, an immediate",
        Slot::Plane => "a plane, 0 to 3; may be left out",
        Slot::Block => "(width, height): bytes and rows",
        Slot::Number => "a decimal number",
        Slot::Hex => "a hexadecimal number",
        Slot::AvsControl => "AVS_16_FULL and the like",
        Slot::AvsMode => "AVS_16x4 and the like",
        Slot::Label => "a label",
        Slot::LabelList => "labels: (L0, L1)",
        Slot::Function => "a function",
        Slot::Callee => "a function, without quotes",
        Slot::Text => "a text in quotes",
        Slot::Variable => "a variable",
        Slot::Origin => "V(r,c), without a region",
        Slot::LscData => "data: V:d32x2t",
        Slot::LscAddress => "an address for each lane: flat[V]:a64",
        Slot::LscStridedAddress => "one address and a step: flat[V,stride]:a64",
        Slot::LscSurface => "a surface: bti(0x4), bti(0x4)[V]",
        Slot::LscRaw => "registers from V.offset on",
        Slot::LscBlockData => "data of a block: V:d32.2x8x8nn",
        Slot::LscBlockAddress => "flat[base,width,height,pitch,x,y], bti(0x4)[x,y]",
        Slot::NumberPair => "two decimal numbers",
        Slot::ScalarTriple => "three scalars",
        Slot::OptionalScalars(_) => "scalars; may be left out",
        Slot::PayloadDst => "V.offset/bytes, which is written",
        Slot::PayloadSrc => "V.offset/bytes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_tables_has_an_answer() {
        for (kind, names) in all() {
            assert!(!names.is_empty(), "{kind}");
            for name in names.iter().filter(|_| kind != "codes") {
                let found = words(name);
                assert!(!found.is_empty(), "{kind}: {name}");
                for word in &found {
                    assert!(!word.does.is_empty() && !word.rows.is_empty(), "{name}");
                }
            }
        }
        assert!(words("frobnicate").is_empty());
    }

    #[test]
    fn a_mnemonic_has_its_operands_and_an_example() {
        let found = words("sample_lz.R");
        let rows = &found[0].rows;
        let of = |heading: &str| {
            rows.iter()
                .filter(|r| r.0 == heading)
                .map(|r| &r.1[..])
                .collect::<Vec<_>>()
        };
        assert_eq!(of("run it"), ["visim run samples/16-bilinear.visa"]);
        assert!(
            of("operand").iter().any(|line| line.starts_with("u ")),
            "{:?}",
            of("operand")
        );
        assert!(of("form")[0].contains("sample_lz.RGBA (M1, 8)"));
        assert_eq!(words("surface")[0].kind, "directive");
        assert_eq!(words("%r0")[0].kind, "register");
    }

    #[test]
    fn lessons_have_titles() {
        for lesson in LESSONS {
            assert!(!lesson.title().is_empty(), "{}", lesson.path);
        }
    }
}
