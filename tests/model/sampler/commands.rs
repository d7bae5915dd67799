//! The commands that load what sampler states share: palettes, chroma keys, the monochrome filter's size.

use visim::internals::diagnostic::Code;
use visim::internals::sampler::state::commands::{
    Loaded, check, chroma_key, mono_filter, palette_load,
};
use visim::internals::surface::Generation;
const GEN: Generation = Generation::Gen5;

#[test]
fn what_is_packed_is_loaded() {
    let mut loaded = Loaded::default();
    let mut load = |words: &[u32]| loaded.run(GEN, words);
    // Surface reference 5.7: 3 << 29 | 3 << 27 | 1 << 24 | 04h << 16 | 2.
    let key = chroma_key(2, 0x0010_2030, 0xff40_5060).unwrap();
    assert_eq!(key[0], 0x7904_0002);
    assert_eq!(load(&key), Ok(4));
    assert_eq!(load(&mono_filter(3, 7).unwrap()), Ok(2));
    assert_eq!(load(&palette_load(1, &[1, 2, 3]).unwrap()), Ok(4));
    assert_eq!(load(&palette_load(1, &[9]).unwrap()), Ok(2));
    assert_eq!(loaded.keys[2], (0x0010_2030, 0xff40_5060));
    assert_eq!(loaded.mono, Some((3, 7)));
    assert_eq!(loaded.palettes[1][..4], [9, 2, 3, 0]);
    assert_eq!(loaded.palettes[0][0], 0);
    let mut old = Loaded::default();
    old.run(Generation::Gen4, &palette_load(0, &[0x123456]).unwrap())
        .unwrap();
    assert_eq!(old.palettes[0][0], 0xff12_3456);
}

#[test]
fn bad_commands_change_nothing() {
    let mut loaded = Loaded::default();
    let mut code = |words: &[u32]| loaded.run(GEN, words).unwrap_err().code;
    assert_eq!(code(&[]), Code::E0750);
    assert_eq!(code(&[0x7903_0000, 0]), Code::E0748);
    assert_eq!(code(&[0x7904_0002, 0, 0]), Code::E0750);
    assert_eq!(code(&[0x7904_0001, 0, 0, 0]), Code::E0750);
    assert_eq!(code(&[0x7911_0000, 1]), Code::E0749);
    assert_eq!(loaded, Loaded::default());
    assert_eq!(mono_filter(8, 1).unwrap_err().code, Code::E0749);
    assert_eq!(chroma_key(4, 0, 0).unwrap_err().code, Code::E0749);
    assert_eq!(palette_load(0, &[]).unwrap_err().code, Code::E0749);
    let reserved = check(GEN, &[0x7911_0000, 1 << 31 | 0x09]);
    assert_eq!(reserved.len(), 1);
    assert_eq!(reserved[0].code, Code::W0751);
}
