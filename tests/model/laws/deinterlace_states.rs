//! Packed states of deinterlacing: laws, and words by hand.

use proptest::prelude::*;
use visim::internals::diagnostic::Code;
use visim::internals::isa::Generation::Gen5;
use visim::internals::sampler::deinterlace::DeinterlaceState;
use visim::internals::sampler::deinterlace::packed::{DEINTERLACE, check};
use visim::internals::surface::state::field::Meaning;

#[test]
fn driver_values_pack_to_their_bits() {
    let words = DeinterlaceState::default().pack().unwrap();
    // 140 192 7 38; c2 1 is stored as 0, moving 1, scm 38; 12 7 1 20; 64 125 30 150.
    assert_eq!(
        words[..4],
        [0x8cc0_0726, 0x0000_0126, 0x0c07_0114, 0x407d_1e96]
    );
    // 118, shift down 6 = 2, up 7 = 1, out 5, 100, 5; 50 100 37 175; 16 100 2, top first, DI, DN.
    assert_eq!(words[4..7], [0x7695_6405, 0x3264_25af, 0x1064_020b]);
    assert_eq!(words[7], 0);
    // The drivers' thresholds of 0 are against the manual.
    let broken = check(Gen5, &words);
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].code, Code::E0781);
    let state = DeinterlaceState {
        temporal_th: 8,
        ..DeinterlaceState::default()
    };
    assert_eq!(check(Gen5, &state.pack().unwrap()), []);
    assert_eq!(check(Gen5, &[0; 3])[0].code, Code::E0750);
}

#[test]
fn rules_between_fields_are_checked() {
    let broken = |state: DeinterlaceState| {
        let state = DeinterlaceState {
            temporal_th: 8,
            ..state
        };
        check(Gen5, &state.pack().unwrap()).len()
    };
    let start = DeinterlaceState::default;
    assert_eq!(
        broken(DeinterlaceState {
            stmm_max: 151,
            ..start()
        }),
        1
    );
    assert_eq!(
        broken(DeinterlaceState {
            progressive_dn: true,
            ..start()
        }),
        1
    );
    assert_eq!(
        broken(DeinterlaceState {
            max_hist: 100,
            ..start()
        }),
        1
    );
    assert_eq!(
        broken(DeinterlaceState {
            di_enable: false,
            dn_enable: false,
            ..start()
        }),
        1
    );
    let far = DeinterlaceState {
        shift_down: 3,
        ..start()
    };
    assert_eq!(far.pack().unwrap_err().code, Code::E0749);
}

#[test]
fn every_reserved_bit_and_code_is_told() {
    let valid = DeinterlaceState {
        temporal_th: 8,
        ..DeinterlaceState::default()
    };
    let words = valid.pack().unwrap();
    // Bits that PRM 4.10.3.2 gives to fields, dword by dword.
    let fields: [u32; 8] = [
        0xffff_ffff,
        0x3f3f_ffff, // 31:30 and 23:22 are reserved
        0xffff_ffff,
        0xffff_3fff, // 15:14
        0xffff_ffff,
        0xffff_ffff,
        0xffff_3f7f, // 15:14 and 7
        0xff87_0300, // 22:19, 15:10 and 7:0
    ];
    for (dw, known) in fields.into_iter().enumerate() {
        for bit in (0..32).filter(|bit| known >> bit & 1 == 0) {
            let mut odd = words.clone();
            odd[dw] |= 1 << bit;
            let broken = check(Gen5, &odd);
            assert_eq!(broken.len(), 1, "dword {dw}, bit {bit}");
            assert_eq!(
                (broken[0].code, broken[0].dword),
                (Code::W0751, Some(dw as u32)),
                "bit {bit}"
            );
            // They are ignored, and written as zeros.
            let state = DeinterlaceState::unpack(&odd).unwrap();
            assert_eq!(state, valid);
            assert_eq!(state.pack().unwrap(), words);
        }
    }
    // Code 3 of the shifts (dword 4, 23:22 and 21:20) and of film (dword 7, 17:16 and 9:8). The default
    // shifts are 6 and 7: code 3 of the second stands for 8.
    for (dw, low, state) in [
        (4, 22, valid.clone()),
        (
            4,
            20,
            DeinterlaceState {
                shift_up: 8,
                ..valid.clone()
            },
        ),
        (7, 16, valid.clone()),
        (7, 8, valid.clone()),
    ] {
        let mut odd = words.clone();
        odd[dw] |= 3 << low;
        assert_eq!(DeinterlaceState::unpack(&odd).unwrap(), state);
        let codes: Vec<Code> = check(Gen5, &odd).iter().map(|b| b.code).collect();
        assert_eq!(codes, [Code::E0748], "dword {dw}, bit {low}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_come_back(words in prop::array::uniform8(any::<u32>())) {
        let state = DeinterlaceState::unpack(&words).unwrap();
        let again = state.pack().unwrap();
        prop_assert_eq!(DeinterlaceState::unpack(&again).unwrap(), state);
        // Bits of no field fall away, and reserved codes become others.
        for field in DEINTERLACE.fields {
            let reserved = matches!(field.meaning, Meaning::Names(names)
                if !names.iter().any(|n| u64::from(n.0) == field.raw(&words)));
            prop_assert!(reserved || field.raw(&again) == field.raw(&words), "{}", field.name);
        }
    }
}
