//! TLD: the grammar's examples, the lines seen in the wild, and the laws.

use proptest::prelude::*;
use visim::internals::diagnostic::{Code, any_fatal, render_all};
use visim::internals::harness::bind::Layer;
use visim::internals::harness::language::Language;
use visim::internals::harness::{load, tld as harness, tld_vs_load};
use visim::internals::source::Source;
use visim::internals::surface::Format;
use visim::internals::surface::texel::Decoder;
use visim::internals::tld::block_linear::{Block, Level, layer, shrunk};
use visim::internals::tld::component::{Components, from_format, surface_format};
use visim::internals::tld::fetch::{End, execute};
use visim::internals::tld::header::{DataType, Header, Layout, MultiSample, Swizzle, TextureType};
use visim::internals::tld::print::canonical;
use visim::internals::tld::{
    AddressSpace, Dim, Guard, Handle, HeaderPool, Lod, Phase, Pred, Reg, Residency, Strictness,
    Texture, Textures, Thread, Tld, header, parse, parse_one, rules, word,
};

const GRAMMAR: &str = include_str!("../../../grammar/tld.ebnf");

#[test]
fn every_production_has_an_example_and_each_reads() {
    let (mut name, mut examples) = ("", 1);
    for line in GRAMMAR.lines() {
        if let Some(example) = line.strip_prefix("#>") {
            examples += 1;
            let source = Source::new(format!("{name} in tld.ebnf"), example);
            let (statements, diagnostics) = parse(&source, Strictness::Lenient);
            let rendered = render_all(&diagnostics, &source, false);
            assert!(
                diagnostics.is_empty() && statements.len() == 1,
                "{example}\n{rendered}"
            );
        } else if let Some(example) = line.strip_prefix("#!") {
            let (text, code) = example.rsplit_once('|').expect("a bar and a code");
            let source = Source::new(format!("{name} in tld.ebnf"), text);
            let codes: Vec<Code> = parse(&source, Strictness::Lenient)
                .1
                .iter()
                .map(|d| d.code)
                .collect();
            assert_eq!(codes, [Code::from_name(code.trim()).expect(code)], "{text}");
        } else if let Some((production, _)) =
            line.split_once(" = ").filter(|_| !line.starts_with("//"))
        {
            assert!(examples > 0, "{name} has no example");
            (name, examples) = (production, 0);
        }
    }
}

#[test]
fn every_code_of_the_front_end_is_shown_by_the_grammar_or_here() {
    let codes = |text: &str, strictness| -> Vec<Code> {
        parse(&Source::new("", text), strictness)
            .1
            .iter()
            .map(|d| d.code)
            .collect()
    };
    let strict = Strictness::Strict;
    let lenient = Strictness::Lenient;
    assert_eq!(
        codes("TLD.LZ R0, R5, 0x28, 2D, 0xf ;", strict),
        [Code::E0810]
    );
    assert_eq!(
        codes("TLD.LZ R0, R5, 0x28, 2D, 0xf ;", lenient),
        [Code::W0812]
    );
    assert_eq!(
        codes("TLD.LL R0, R4, 0x28, 2D, 0xf ;", strict),
        [Code::E0811]
    );
    assert_eq!(
        codes("TLD.LL R0, R4, 0x28, 2D, 0xf ;", lenient),
        [Code::W0812]
    );
    for line in [
        "TLD.LZ R0, R254, 0x28, 2D, 0x1 ;",
        "TLD.LZ R252, R4, 0x28, 2D, 0xf ;",
    ] {
        assert_eq!(codes(line, strict), [Code::E0811]);
        assert_eq!(codes(line, lenient), [Code::W0812]);
    }
    assert_eq!(
        codes("nonsense\nTLD.LZ R0, R4, 0x28, 2D, 0xf ;\n?", lenient),
        [Code::E0801; 2]
    );
}

/// TLD reference 1.3, where the text is Maxwell's and names no register by another name.
#[test]
fn lines_seen_in_the_wild_read() {
    let wild = "
TLD.LZ     R0, R4, 0, 2D, 0xf;
TLD.LZ.MS R0, R4, R6, 0, 2D, 0xf;
TLD.B.LZ.P R96, R104, R110, 0x0, 1D, 0xf;
@P0 TLD.B.LZ.P R100, R108, R110, 0x0, 1D, 0xf;
TLD.B.LZ.AOFFI.T R12, R46, R28, 0x0, 1D, 0xf         }
TLD.B.LZ.AOFFI.P R8, R46, R4, 0x0, 1D, 0xf ;
TLD.LZ.AOFFI.T R20, R46, R50, 0x50, 1D, 0xf ;
TLD.B.LZ.AOFFI.T R40, R54, R24, 0x0, 2D, 0xf         }
TLD.B.LZ.AOFFI.T R12, R4, R66, 0x0, 3D, 0xf         }
TLD.B.LZ.T R40, R2, R40, 0x0, ARRAY_1D, 0xf         }
TLD.B.LZ.T R36, R88, R36, 0x0, ARRAY_2D, 0xf         }
TLD.LZ.T R12, R12, 0x50, ARRAY_1D, 0xf ;
TLD.LZ PT, R0, R0, RZ, 0x28, 1D, 0xf;
TLD.LL PT, R0, R0, R2, 0x28, 2D, 0xf;
TLD.LL.AOFFI PT, R0, R0, R4, 0x28, 2D, 0xf;
TLD.B.LZ PT, R0, R0, R4, 0, ARRAY_1D, 0xf;
TLD.B.LZ.MS PT, R0, R0, R4, 0, ARRAY_2D, 0xf;
TLD.B.LZ P3, R0, R0, R4, 0, ARRAY_1D, 0xf;
";
    let source = Source::new("wild", wild);
    let (statements, diagnostics) = parse(&source, Strictness::Strict);
    assert!(
        diagnostics.is_empty(),
        "{}",
        render_all(&diagnostics, &source, false)
    );
    assert_eq!(statements.len(), 18);
    // A Kepler habit: RZ for texel 0. Accepted with a warning.
    let kepler = parse_one("TLD.LZ.P R0, RZ, 0x52, 1D, 0x1;", Strictness::Lenient);
    assert_eq!(kepler.map(|t| t.ra), Ok(Reg::RZ));
    for (text, code) in [
        ("TLD.SCR.LZ RZ, R12, R11, 0x0, 0x64, 1D, 0x3 ;", Code::E0815),
        (
            "TLD.SCR.LZ.CL.NODEP  R12, R10, R0, R7,    UR4,    0x0,    2D",
            Code::E0815,
        ),
        (
            "TLD.LL.AOFFI.NODEP R16, R26, R4, R28, 0x0, 0x58, ARRAY_2D, 0xe;",
            Code::E0815,
        ),
        (
            "--:-:1:-:1      TLD.B.LZ.P loadX0, track0, tex, 0x0, 1D, 0xf;",
            Code::E0801,
        ),
    ] {
        let found = parse_one(text, Strictness::Lenient).expect_err(text);
        assert_eq!(found[0].code, code, "{text}");
    }
}

#[test]
fn a_refusal_shows_values_rule_and_remedy() {
    let text = "TLDS.LZ.T R8, R0, R4, R7, 0x8, 2D, RGB ;";
    let source = Source::new("short.tld", text);
    let shown = render_all(&parse(&source, Strictness::Lenient).1, &source, false);
    for part in [
        "N0814",
        "MOV R2, R4 ;",
        "TLD.LZ.T R12, R2, 0x8, 2D, 0x7 ;",
        "TLD reference 8.1",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
}

fn reg() -> impl Strategy<Value = Reg> {
    any::<u8>().prop_map(Reg)
}

prop_compose! {
    /// Any instruction that has text and a word.
    fn instruction()(
        guard in (0u8..8, any::<bool>()),
        handle in prop_oneof![Just(Handle::Bindless), (0u16..0x2000).prop_map(Handle::Bound)],
        flags in any::<[bool; 5]>(),
        phase in prop_oneof![Just(Phase::None), Just(Phase::T), Just(Phase::P)],
        ps in 0u8..8,
        regs in (reg(), reg(), reg()),
        dim in 0usize..8,
        mask in 0u8..16,
    ) -> Tld {
        Tld {
            guard: Guard { pred: Pred::new(guard.0), negated: guard.1 },
            handle,
            lod: if flags[0] { Lod::Given } else { Lod::Zero },
            aoffi: flags[1],
            ms: flags[2],
            cl: flags[3],
            nodep: flags[4],
            phase,
            ps: Pred::new(ps),
            rd: regs.0,
            ra: regs.1,
            rb: regs.2,
            dim: Dim::ALL[dim],
            mask,
        }
    }
}

fn pick<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    (0..all.len()).prop_map(|i| all[i])
}

/// Any header whose fields are in range; most are accepted.
fn any_header() -> impl Strategy<Value = Header> {
    let layout = prop_oneof![
        Just(Layout::Buffer),
        (0u32..0x10000).prop_map(|p| Layout::Pitch { pitch: p << 5 }),
        (0u32..6, 0u32..6).prop_map(|(height, depth)| Layout::BlockLinear {
            block: Block { height, depth }
        }),
    ];
    let what = (
        layout,
        pick(Components::ALL),
        pick(DataType::ALL),
        pick(TextureType::ALL),
    );
    let sizes = (1u64..=0x10000, 1u32..=0x10000, 1u32..=0x4000, 0u64..1 << 39);
    let rest = (
        proptest::array::uniform4(pick(Swizzle::ALL)),
        0u8..16,
        [0u8..16, 0u8..16],
        pick(MultiSample::ALL),
        any::<[bool; 4]>(),
        0u8..4,
    );
    (what, sizes, rest).prop_map(
        |((layout, components, ty, shape), (width, height, depth, address), rest)| {
            let flat = layout == Layout::Buffer;
            let one = |value: u32| if flat { 1 } else { value };
            let small = |value: u8| if flat { 0 } else { value };
            let tiled = matches!(layout, Layout::BlockLinear { .. });
            Header {
                layout,
                components,
                types: [ty; 4],
                sources: rest.0,
                texture_type: shape,
                address: address << 9,
                width,
                height: one(height),
                depth: one(depth),
                max_mip_level: small(rest.1),
                view: rest.2.map(small),
                samples: if flat { MultiSample::Mode1x1 } else { rest.3 },
                srgb: rest.4[0],
                sparse: tiled && rest.4[1],
                depth_texture: !flat && rest.4[2],
                sector_promotion: rest.5,
                normalized: !flat && rest.4[3],
            }
        },
    )
}

/// Memory of one byte value that answers everywhere below `end`.
struct Constant(u64);

impl AddressSpace for Constant {
    fn read(&self, address: u64, out: &mut [u8]) -> Residency {
        out.fill(0x5a);
        match address.checked_add(out.len() as u64) {
            Some(end) if end <= self.0 => Residency::Mapped,
            _ => Residency::Absent,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn print_and_parse_agree(tld in instruction()) {
        let text = format!("{tld} ;");
        let lenient = parse_one(&text, Strictness::Lenient);
        let refused = rules::violations(&tld).into_iter().any(|v| v.is_always_refused());
        prop_assert_eq!(lenient.is_err(), refused, "{}", text);
        if let Ok(read) = lenient {
            prop_assert_eq!(read, tld);
            let strict = parse_one(&text, Strictness::Strict);
            prop_assert_eq!(strict.is_ok(), rules::violations(&tld).is_empty(), "{}", text);
        }
    }

    #[test]
    fn words_and_instructions_agree(tld in instruction(), word in any::<u64>()) {
        let plain = Tld { phase: Phase::None, ..tld };
        prop_assert_eq!(word::decode(word::encode(&tld)), Some(plain));
        let word = word & !(0x7f << 57) | 0b110_1110 << 57;
        let decoded = word::decode(word).expect("a TLD");
        let index = if decoded.handle == Handle::Bindless { 0x1fff << 36 } else { 0 };
        prop_assert_eq!(word::encode(&decoded), word & !index);
    }

    #[test]
    fn headers_survive_their_bits(any in any_header()) {
        match Header::decode(&any.encode()) {
            Ok(read) => prop_assert_eq!(read, any),
            Err(problems) => prop_assert!(!problems.is_empty()),
        }
    }

    #[test]
    fn accepted_bits_survive_the_header(seed in any::<[u32; 8]>(), any in any_header(), share in any::<[u32; 8]>()) {
        // Half noise: headers near a good one, so that some are accepted.
        let good = any.encode();
        let words: [u32; 8] = std::array::from_fn(|i| good[i] ^ seed[i] & share[i] & 0x0101_1010);
        prop_assert!(!header::dump(&words).is_empty());
        prop_assert!(!header::dump(&seed).is_empty());
        let _ = Header::decode(&seed);
        if let Ok(read) = Header::decode(&words) {
            prop_assert_eq!(Header::decode(&read.encode()), Ok(read));
        }
    }

    /// Texels of a level have places of their own, inside the level.
    #[test]
    fn block_linear_is_a_bijection(
        w in 1u64..40, h in 1u64..40, d in 1u64..6, bytes in 0u32..5, height in 0u32..4, depth in 0u32..4,
    ) {
        let bytes = 1u64 << bytes;
        let level = Level::new([w, h, d], bytes, Block { height, depth });
        let mut seen = std::collections::BTreeSet::new();
        for z in 0..d {
            for y in 0..h {
                for x in 0..w {
                    let at = level.offset(x * bytes, y, z);
                    prop_assert!(at + bytes <= level.bytes());
                    prop_assert_eq!(at % bytes, 0);
                    prop_assert!(seen.insert(at), "{},{},{} shares {}", x, y, z, at);
                }
            }
        }
        // Every byte of the level is the place of some column, row and slice of its blocks.
        let [bx, by, bz] = level.blocks;
        let columns = bx * 64;
        let rows = by << (3 + level.block.height);
        let slices = bz << level.block.depth;
        prop_assert_eq!(columns * rows * slices, level.bytes());
    }

    #[test]
    fn levels_do_not_overlap(w in 1u64..3000, h in 1u64..3000, block in 0u32..6, last in 0u32..12) {
        let (levels, pitch) = layer(|l| [w, h, 1].map(|n| shrunk(n, l)), 4, Block { height: block, depth: 0 }, last);
        let mut end = 0;
        for (at, level) in levels {
            prop_assert_eq!(at, end);
            end = at + level.bytes();
        }
        prop_assert!(end <= pitch);
    }

    /// Whatever is read, fetched from and given: no panic, and no byte outside what the memory answers for.
    #[test]
    fn fetches_of_anything_end(
        tld in instruction(), any in any_header(), regs in proptest::collection::vec(any::<u32>(), 8),
        small in any::<bool>(), noise in any::<u32>(),
    ) {
        let memory = Constant(any.address + u64::from(noise));
        let mut textures = Textures { bank: Default::default(), pool: HeaderPool::new(2), memory: &memory };
        textures.pool.set(1, &any.encode());
        textures.bank.insert(tld.handle.index(), 1);
        let mut thread = Thread::default();
        for number in 0..255u8 {
            let value = regs[usize::from(number) % regs.len()];
            thread.set_reg(Reg(number), if small { value % 9 } else { value });
        }
        let before = thread.clone();
        match execute(&tld, &mut thread, &textures) {
            Ok(None) | Err(_) => prop_assert_eq!(thread, before),
            Ok(Some(fetched)) => match fetched.end {
                End::Texel { address, .. } => prop_assert!(address >= any.address),
                End::InvalidHeader | End::Mismatch => prop_assert_eq!(fetched.outputs, [0; 4]),
                _ => prop_assert_eq!(fetched.components, [0; 4]),
            },
        }
    }

    #[test]
    fn any_text_ends_in_statements_or_diagnostics(text in ".{0,120}", cut in 0usize..60) {
        let _ = parse(&Source::new("", text.as_str()), Strictness::Strict);
        let (printed, found) = canonical(&Source::new("", text.as_str()));
        if !any_fatal(&found) {
            prop_assert_eq!(&canonical(&Source::new("", printed.as_str())).0, &printed);
        }
        // And damaged good text, which gets further.
        let good = "{ /*0048*/ @!P0 TLD.B.LZ.AOFFI.P P3, R96, R104, R110, 0x0, 1D, 0xf &req={0,1} ; /* 0xdd38 */";
        let cut = cut.min(good.len());
        for damaged in [&good[..cut], &good[cut..]] {
            let source = Source::new("", damaged);
            let (statements, diagnostics) = parse(&source, Strictness::Lenient);
            prop_assert!(statements.is_empty() || !any_fatal(&diagnostics));
            prop_assert!(!statements.is_empty() || diagnostics.iter().all(|d| d.span().is_some()));
            render_all(&diagnostics, &source, false);
        }
    }
}

/// What the samples expect is held in `tests/cases.rs`; here: they break no rule, and are as `fmt` has them.
#[test]
fn samples_are_strict_and_canonical() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/tld");
    let files = visim::internals::harness::case::find(&folder).expect("samples");
    assert!(files.len() >= 7, "{} samples", files.len());
    for path in files
        .into_iter()
        .filter(|p| Language::of(p) == Language::Tld)
    {
        let source = load::source(&path).expect("text");
        let (statements, found) = parse(&source, Strictness::Strict);
        assert!(
            !statements.is_empty() && found.is_empty(),
            "{path:?} {found:?}"
        );
        assert_eq!(canonical(&source).0, source.text(), "{path:?}");
    }
}

#[test]
fn formatting_keeps_what_stands_around_a_statement() {
    let text = "// one\n  TLD.LZ   R0,R4, 40, 2D;  // two\n\
        {TLD.LZ.T PT, R8, R4, RZ, 0x28, 2D, 0xf;\n/*0048*/  @!P0 TLD.LZ R12, R4, 0x28, 2D, 0x1 }";
    let (printed, found) = canonical(&Source::new("", text));
    assert!(found.is_empty(), "{found:?}");
    let wanted = "// one\nTLD.LZ R0, R4, 0x28, 2D, 0xf ;  // two\n\
        { TLD.LZ.T R8, R4, 0x28, 2D, 0xf ;\n/*0048*/  @!P0 TLD.LZ R12, R4, 0x28, 2D, 0x1 }";
    assert_eq!(printed, wanted);
    assert_eq!(canonical(&Source::new("", wanted)).0, wanted);
}

/// A texture's format and the surface's are one: the way there and back.
#[test]
fn formats_have_one_way_to_be_said() {
    let mut count = 0;
    for format in Format::all() {
        let Some((types, components, sources, srgb)) = from_format(format) else {
            continue;
        };
        count += 1;
        let straight = sources == [Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::A];
        if straight {
            let back = surface_format(components, types, srgb);
            assert_eq!(back, Some(format));
        }
        // Every byte pattern decodes alike on both sides, the swizzle applied, NaN payloads aside.
        let texture = Texture::new(Header {
            components,
            types,
            sources,
            srgb,
            ..Header::default()
        });
        let decoder = Decoder::new(format, None).expect("a decoder");
        for seed in 0..200u32 {
            let mut cell = [0; 32];
            for (i, byte) in cell.iter_mut().enumerate() {
                *byte = (seed.wrapping_mul(0x9e37_79b9).rotate_left(i as u32 * 5) >> 7) as u8;
            }
            let ours = texture.swizzle(texture.decode(&cell[..components.bytes()]));
            let theirs = decoder.decode(&cell, 0, 0);
            for (a, b) in ours.into_iter().zip(theirs) {
                let nan = |v: u32| f32::from_bits(v).is_nan();
                assert!(
                    a == b || nan(a) && nan(b),
                    "{format}: {ours:x?} {theirs:x?}"
                );
            }
        }
    }
    assert!(count >= 40, "{count} formats");
}

/// With the surface's own swizzle and texels inside, TLD and load_3d return the same.
#[test]
fn both_front_ends_fetch_the_same_texel() {
    let text = "\
// SURFACE T3: R8G8B8A8_UNORM 37x21 bank=0x3 levels=3 block=1, byte(x,y) = 7*x + 31*y
// SURFACE T4: R16_FLOAT 9x5x3 bank=0x4 block=0-1, word(x,y) = 97*x + 1009*y + 5003*z
// THREADS 40,24
// SET R4 = x:d
// SET R5 = y:d
// SET R6 = 1:d
// SET R7 = 1:d
TLD.LL R8, R4, R6, 0x3, 2D, 0xf ;
TLD.LZ.AOFFI R8, R4, R6, 0x3, 2D, 0xf ;
TLD.LZ R8, R4, 0x4, 3D, 0xf ;
";
    let source = Source::new("twin.tld", text);
    let (directives, found) = visim::internals::harness::directive::read(&source);
    let layer = Layer {
        language: Language::Tld,
        ..Layer::option(source, directives)
    };
    let (mut machine, _) = harness::start(&[layer], found, Strictness::Strict).expect("a machine");
    let mut seen = Vec::new();
    machine
        .run(|s, _, inputs, fetched| seen.push((s.tld.node, *inputs, *fetched)))
        .expect("a run");
    let mut inside = 0;
    for (tld, inputs, fetched) in seen {
        let other = tld_vs_load::load_3d(&machine, &tld, &inputs, &fetched).expect("a load");
        if matches!(fetched.end, End::Texel { .. }) {
            inside += 1;
            assert_eq!(fetched.outputs, other, "{tld} {inputs:?}");
        }
    }
    assert!(inside > 900, "{inside} texels inside");
}

/// `visim compare` with a program: the n-th load beside the n-th line, each difference under its rule.
#[test]
fn two_files_are_compared_lane_by_lane() {
    let compare = |files: &[&std::path::Path]| {
        let visim = std::process::Command::new(env!("CARGO_BIN_EXE_visim"))
            .arg("compare")
            .args(files)
            .output()
            .expect("visim");
        assert!(
            visim.status.success(),
            "{}",
            String::from_utf8_lossy(&visim.stderr)
        );
        String::from_utf8_lossy(&visim.stdout).into_owned()
    };
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/tld");
    let visa = samples.join("08-beside-load-3d.visa");
    let tld = samples.join("08-beside-load-3d.tld");
    let text = compare(&[&visa, &tld]);
    for part in [
        "agree: 0-5",
        "outside, TLD's alpha",
        "agree: 0-1",
        "past the last level",
        "8 agree, 8 differ",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert_eq!(text, compare(&[&tld, &visa]));
    // Layer 0x10001 is layer 1 for TLD; load_3d has no such layer. Lane 1 asks for another texel.
    let folder = tempfile::tempdir().expect("a folder");
    let (visa, tld) = (folder.path().join("a.visa"), folder.path().join("b.tld"));
    let program = "\
// SET U = 1 0 0 0 0 0 0 0:ud
// SET V = 1:ud
// SET R = 0x10001 1 2 0 0 0 0 0:ud
.version 4.1
.kernel \"layers\"
.decl U v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl R v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl IMAGE v_type=T num_elts=1
    load_lz.R (M1, 8)  0x0:uw IMAGE D.0 U.0 V.0 R.0
    ret (M1, 1)
";
    let fetches = "\
// SURFACE T3: R8_UINT 4x4x3 type=TWO_D_ARRAY bank=0x28, byte(x,y) = x + 4*y + 16*z + 1
// THREADS 3,1
// SET R4 = 0x10001 1 2:ud
// SET R5 = 1 2 0:d
// SET R6 = 1 0 0:d
TLD.LZ R0, R4, 0x28, ARRAY_2D, 0x1 ;
";
    std::fs::write(&visa, program).expect("written");
    std::fs::write(&tld, fetches).expect("written");
    let text = compare(&[&visa, &tld]);
    let shown = "  lane 0  TLD      00000016\n          load_3d  ";
    for part in [
        shown,
        "low 16 bits",
        "different texels: TLD [2, 0, 1] level 0, load_3d [0, 0, 1]",
        "agree: 2",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}
