//! Packed states of the media scaler: laws, and words by hand.

use proptest::prelude::*;
use visim::internals::diagnostic::Code;
use visim::internals::sampler::avs::ief::{IefFilter, IefState};
use visim::internals::sampler::avs::packed::Gen5State;
use visim::internals::sampler::avs::packed::fields::{
    AVS_GEN8, AVS_GEN9, SAMPLE_8X8_GEN5, TABLES_GEN5, coefficients,
};
use visim::internals::sampler::avs::packed::rules::{check, check_tables};
use visim::internals::sampler::avs::state::{AvsSampler, FilterType, TapMode};
use visim::internals::sampler::avs::tables::Taps8;
use visim::internals::surface::Generation::{Gen5, Gen7, Gen9};
use visim::internals::surface::{Format, Generation};

#[test]
fn the_manuals_defaults_pack_to_the_manuals_bits() {
    let state = AvsSampler {
        ief_enable: true,
        ief: IefState {
            filter: IefFilter::Combination,
            global_noise_estimate: 22,
            gain_factor: 40,
            r3c: 15,
            r3x: 6,
            r5c: 3,
            r5cx: 8,
            r5x: 9,
            ..IefState::default()
        },
        ..AvsSampler::default()
    };
    let packed = state.pack_gen5(0x1240).unwrap();
    let s = &packed.sampler;
    // Combo (0), 5x5: bit 27. Pointer. Noise 22 = 16h, strong 8, weak 1.
    assert_eq!([s[0], s[1], s[2]], [1 << 27, 0x1240, 0x1681]);
    // 7 << 28 | 2 << 24 | 1 << 20 | 40 << 14 | 15 << 6 | 6.
    assert_eq!(s[3], 0x721a_03c6);
    // 3 << 26 | 8 << 20 | 9 << 14 | 5 << 3.
    assert_eq!(s[4], 0x0c82_4028);
    // Points 4 12 16 26, low byte first; 40, 160, then biases 127 and 98.
    assert_eq!([s[5], s[6]], [0x1a10_0c04, 0x627f_a028]);
    // Slopes -116 -20 -96 -32.
    assert_eq!(s[10], 0xe0a0_ec8c);
    // 11 << 28 | 10 << 24 | -15 << 8 | -3; 130 << 8.
    assert_eq!([s[13], s[14]], [0xba00_f1fd, 0x8200]);
    // Phase 1 of the 1:1 table, -1 1 -2 64 | 2 -1 1 0, and of table 1, 64 at tap 3: -1 64 1 0.
    let t = &packed.tables;
    assert_eq!([t[8], t[9]], [0x40fe_01ff, 0x0001_ff02]);
    assert_eq!([t[12], t[13]], [0x40ff_0000, 0x0000_0001]);
    // 255, 7, 20, 4 << 4 | 5; both bypasses.
    assert_eq!([t[136], t[137]], [0xff07_1445, 3 << 21]);
    assert_eq!(check(Gen5, s), Ok(vec![]));
    assert_eq!(check_tables(t, None), []);
    // Outer taps are not zero, as 32-bit RGB formats need them.
    let broken = check_tables(t, Some(Format::R8G8B8A8_UNORM));
    assert!(broken.iter().all(|b| b.code == Code::E0781) && !broken.is_empty());
}

#[test]
fn gen9_interleaves_x_and_y() {
    let rows = |first: i64| -> Vec<Vec<i64>> {
        (0..17)
            .map(|n| (0..8).map(|tap| first + tap + n % 2).collect())
            .collect()
    };
    let state = AvsSampler {
        table0x: Taps8::from_rows(&rows(0)).unwrap(),
        table0y: Taps8::from_rows(&rows(64)).unwrap(),
        tap_mode: TapMode::EightAdaptive,
        output_shuffle: true,
        rgb_adaptive: true,
        ..AvsSampler::default()
    };
    let words = state.pack(Gen9).unwrap();
    assert_eq!([words[16], words[19]], [0x4101_4000, 0x4707_4606]);
    assert_eq!(
        (words[3], words[4], words[153]),
        (3 << 28, 1 << 11, 3 << 21 | 1)
    );
    // Phase 17 is phase 15 backwards: 0X taps 8, 7; 0Y 72, 71.
    assert_eq!(words[160], 0x4707_4808);
    let back = AvsSampler::unpack(Gen9, &words).unwrap();
    assert_eq!(
        back,
        AvsSampler {
            ief_enable: true,
            ..state
        }
    );
}

#[test]
fn what_has_no_place_is_refused() {
    let adaptive = AvsSampler {
        rgb_adaptive: true,
        ..AvsSampler::default()
    };
    assert_eq!(adaptive.pack_gen5(0).unwrap_err().code, Code::E0780);
    assert_eq!(
        AvsSampler::default().pack_gen5(8).unwrap_err().code,
        Code::E0780
    );
    let nearest = AvsSampler {
        avs_filter_type: FilterType::Nearest,
        ..AvsSampler::default()
    };
    assert_eq!(nearest.pack(Gen9).unwrap_err().code, Code::E0780);
    assert_eq!(nearest.pack(Gen7).unwrap_err().code, Code::N0752);
    let short = Gen5State {
        sampler: vec![0; 15],
        tables: vec![0; 100],
    };
    assert_eq!(
        AvsSampler::unpack_gen5(&short).unwrap_err().code,
        Code::E0750
    );
    // Tap 3 of phase 0 of table 0X must not be negative.
    let mut packed = AvsSampler::default().pack_gen5(0).unwrap();
    packed.tables[0] = 0xff00_0000;
    let broken = check_tables(&packed.tables, None);
    assert_eq!(broken[0].code, Code::E0781);
}

/// The codes and words of the rules that a state for `sample_8x8` breaks.
fn broken(generation: Generation, words: &[u32]) -> Vec<(Code, String)> {
    let broken = check(generation, words).unwrap();
    broken.into_iter().map(|b| (b.code, b.what)).collect()
}

#[test]
fn every_reserved_bit_is_told() {
    // The bits that PRM 4.10.3 and 4.10.4 call MBZ, and those of the gaps of Gen8's.
    let gen5: &[(usize, u32)] = &[
        (0, 1 << 30),
        (0, 0xff << 19),
        (0, 0xffff),
        (1, 0x1f),
        (2, 0xffff << 16),
        (3, 1 << 31 | 1 << 27 | 1 << 23 | 7 << 11 | 1 << 5),
        (4, 1 << 31 | 1 << 25 | 1 << 19 | 3 << 12 | 3),
        (13, 0xf << 20),
        (14, 0x3fff << 18 | 0xff),
    ];
    for &(dword, mask) in gen5 {
        for bit in (0..32).filter(|bit| mask >> bit & 1 == 1) {
            let mut words = vec![0; 15];
            (words[0], words[dword]) = (1 << 27, words[dword] | 1 << bit);
            words[0] |= 1 << 27;
            let found = broken(Gen5, &words);
            assert_eq!(found.len(), 1, "dword {dword} bit {bit}: {found:?}");
            assert_eq!(found[0].0, Code::W0751, "dword {dword} bit {bit}");
        }
    }
    for (dword, mask) in [
        (4, 0xffff),
        (5, 0xffff << 16),
        (136, 0x88),
        (137, 0xff9f_ffff_u32),
    ] {
        for bit in (0..32).filter(|bit| mask >> bit & 1 == 1) {
            let mut words = vec![0; 138];
            words[dword] = 1_u32 << bit;
            let found = check_tables(&words, None);
            assert_eq!(found.len(), 1, "dword {dword} bit {bit}");
            assert_eq!(found[0].code, Code::W0751, "dword {dword} bit {bit}");
        }
    }
}

#[test]
fn every_range_has_its_rule() {
    // Greatest and least of every tap, PRM 4.10.4: 1/4, 1/2, 1 and 2 of 64.
    let limits = [(-16, 15), (-32, 31), (-64, 63), (0, 127)];
    for at in coefficients(TABLES_GEN5) {
        let (least, most) = limits[at.tap.min(7 - at.tap)];
        let check_of = |value: i8| {
            let mut words = vec![0; 138];
            at.field.set_raw(&mut words, u64::from(value as u8));
            check_tables(&words, None)
        };
        assert_eq!(
            (check_of(least), check_of(most)),
            (vec![], vec![]),
            "{}",
            at.name()
        );
        for wrong in [Some(least - 1), most.checked_add(1)].into_iter().flatten() {
            let found = check_of(wrong);
            assert_eq!(found[0].code, Code::E0781);
            assert!(found[0].what.starts_with(&at.name()), "{}", found[0].what);
        }
    }
    // The combination needs 5x5, unless it is bypassed.
    assert_eq!(broken(Gen5, &[0; 15])[0].0, Code::E0781);
    assert_eq!(
        broken(Gen5, &{
            let mut w = [0; 15];
            w[0] = 1 << 29;
            w
        }),
        []
    );
    assert_eq!(broken(Gen5, &[0; 14])[0].0, Code::E0750);
    let mut skin = vec![0; 154];
    skin[3] = 1 << 31;
    assert_eq!(broken(Generation::Gen8, &skin)[0].0, Code::N0752);
    assert_eq!(check(Gen7, &[0; 15]).unwrap_err().code, Code::N0752);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any words with no reserved bit come back as they were.
    #[test]
    fn words_come_back(seed in any::<u64>()) {
        let mut random = seed | 1;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            random >> 40
        };
        let mut packed = Gen5State {
            sampler: vec![0; SAMPLE_8X8_GEN5.dwords],
            tables: vec![0; TABLES_GEN5.dwords],
        };
        for field in SAMPLE_8X8_GEN5.fields {
            field.set_raw(&mut packed.sampler, next());
        }
        for field in TABLES_GEN5.fields {
            field.set_raw(&mut packed.tables, next());
        }
        // The combination is 5x5.
        SAMPLE_8X8_GEN5.field("IEF Filter Size").unwrap().set_raw(&mut packed.sampler, 1);
        let state = AvsSampler::unpack_gen5(&packed).unwrap();
        let pointer = packed.sampler[1];
        prop_assert_eq!(state.pack_gen5(pointer).unwrap(), packed);
        for structure in [AVS_GEN8, AVS_GEN9] {
            let generation = structure.generations.first().unwrap();
            let mut words = vec![0; structure.dwords];
            for field in structure.fields {
                field.set_raw(&mut words, next());
            }
            structure.field("Skin Tone Tuned IEF Enable").unwrap().set_raw(&mut words, 0);
            let state = AvsSampler::unpack(generation, &words).unwrap();
            prop_assert_eq!(state.pack(generation).unwrap(), words);
        }
    }
}
