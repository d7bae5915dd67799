//! Layouts of deinterlaced blocks: laws, and bytes by hand.

use proptest::prelude::*;
use std::sync::atomic::AtomicBool;
use visim::internals::isa::generations::DeinterlaceResponse;
use visim::internals::sampler::deinterlace::DeinterlaceState;
use visim::internals::sampler::deinterlace::block::{DenoisedPart, Inputs, Statistics, block};
use visim::internals::sampler::deinterlace::statistics::Variances;
use visim::internals::sampler::deinterlace::writeback::{
    Input, Register, registers, response, statistics,
};
use visim::internals::surface::{Description, Format, Planes, Surface};

fn state(di: bool, dn: bool) -> DeinterlaceState {
    DeinterlaceState {
        di_enable: di,
        dn_enable: dn,
        ..DeinterlaceState::default()
    }
}

#[test]
fn response_lengths_are_those_of_the_manual() {
    use DeinterlaceResponse::*;
    let lengths = |di, dn, input| [Gen5, Gen6, Gen7].map(|l| response(&state(di, dn), l, input));
    assert_eq!(lengths(true, true, Input::Packed422), [12, 12, 12]);
    assert_eq!(lengths(true, true, Input::Planar422), [12, 12, 11]);
    assert_eq!(lengths(true, true, Input::Other), [12, 12, 11]);
    assert_eq!(lengths(true, false, Input::Packed422), [9, 10, 10]);
    assert_eq!(lengths(false, true, Input::Packed422), [9; 3]);
    assert_eq!(lengths(false, true, Input::Planar422), [9; 3]);
    assert_eq!(lengths(false, true, Input::Other), [5; 3]);
}

/// Every number different.
fn counted() -> Statistics {
    let mut counted = Statistics {
        at: (0x20, 0x14),
        history: [[1, 2, 3, 4], [5, 6, 7, 8]],
        noise: 9,
        variances: Variances {
            ct_pt: 0x0101,
            cb_pb: 0x0202,
            ct_cb: 0x0303,
            ct_pb: 0x0404,
            cb_pt: 0x0505,
            motion: 0x11,
            tearing: 0x12,
            fitting: 0x13,
        },
        ..Statistics::default()
    };
    for (half, blocks) in counted.sums.iter_mut().enumerate() {
        for (i, block) in blocks.iter_mut().enumerate() {
            let base = (16 * half + i) as i32;
            (block.stad, block.shcm, block.svcm) = (base, 0x40 + base, 0x60 + base);
        }
    }
    counted
}

fn two(first: [u8; 16], second: [u8; 16]) -> Register {
    let mut register = [0; 32];
    register[..16].copy_from_slice(&first);
    register[16..].copy_from_slice(&second);
    register
}

fn dwords(register: Register) -> [u32; 8] {
    std::array::from_fn(|i| u32::from_le_bytes(*register[4 * i..].first_chunk().unwrap()))
}

#[test]
fn statistics_lie_where_each_generation_has_them() {
    let of = |di, layout| dwords(statistics(&counted(), &state(di, true), layout));
    assert_eq!(
        of(true, DeinterlaceResponse::Gen5),
        [0x04030201, 9, 0, 0, 0, 0, 0, 0]
    );
    let deinterlaced = Statistics {
        sums: [counted().sums[0], Default::default()],
        ..counted()
    };
    let gen6 = dwords(statistics(
        &deinterlaced,
        &state(true, true),
        DeinterlaceResponse::Gen6,
    ));
    let expected = [
        0x04030201, 0x05051109, 0x03030404, 0x01010202, 0x60616263, 0x40414243, 0x00010203,
        0x00140020,
    ];
    assert_eq!(gen6, expected);
    // Sums of the upper four: STAD 0+1+2+3, SHCM 4 * 40h + 6, SVCM 4 * 60h + 6.
    let gen7 = [
        0x04030201, 0x12131109, 0, 0x04040505, 0x02020303, 0x01860101, 0x00060106, 0x00140020,
    ];
    assert_eq!(of(true, DeinterlaceResponse::Gen7), gen7);
    // Lower four: STAD 4 * 10h + 6 = 46h, SHCM 146h, SVCM 1c6h.
    let gen7 = [
        0x04030201, 0x08070605, 9, 0, 0x014601c6, 0x01860046, 0x00060106, 0x00140020,
    ];
    assert_eq!(of(false, DeinterlaceResponse::Gen7), gen7);
}

/// A frame of a format, bytes of its memory by their number.
fn filled(format: Format, width: u32, height: u32, byte: impl Fn(usize) -> u8) -> Surface {
    let mut description = Description::d2(format, width, height);
    if format == Format::PLANAR_411_8 || format == Format::PLANAR_422_8 {
        description.planes = Some(Planes {
            interleaved: false,
            half_pitch: false,
            u: (0, height),
            v: (0, 2 * height),
            offset_v: 0,
            offset_u: 0,
        });
    }
    let surface = Surface::zeroed(description).unwrap();
    let bytes: Vec<u8> = (0..surface.memory().len()).map(byte).collect();
    surface.memory().write(0, &bytes);
    surface
}

const FORMATS: [Format; 8] = [
    Format::PLANAR_420_8,
    Format::PLANAR_422_8,
    Format::PLANAR_411_8,
    Format::YCRCB_NORMAL,
    Format::YCRCB_SWAPUV,
    Format::YCRCB_SWAPUVY,
    Format::YCRCB_SWAPY,
    Format::Y8_UNORM,
];

#[test]
fn a_flat_still_picture_stays_flat() {
    let small = FORMATS.map(|format| match format {
        Format::Y8_UNORM => (format, (1, 1)),
        Format::PLANAR_411_8 => (format, (4, 2)),
        _ => (format, (2, 2)),
    });
    let large = FORMATS.map(|format| (format, (32, 16)));
    for (format, (width, height)) in small.into_iter().chain(large) {
        let frame = filled(format, width, height, |_| 77);
        let statistics = filled(Format::R8_UNORM, 64, 16, |_| 100);
        let inputs = Inputs {
            current: &frame,
            previous: Some(&frame),
            statistics: Some(&statistics),
        };
        for (di, dn) in [(true, true), (true, false), (false, true), (false, false)] {
            for first_frame in [false, true] {
                let state = DeinterlaceState {
                    first_frame,
                    ..state(di, dn)
                };
                let at = if width < 32 { (0, 0) } else { (16, 4) };
                let made = block(&state, &inputs, at).unwrap();
                let rows = visim::internals::sampler::deinterlace::block::rows(&state);
                for samples in made.previous.iter().chain([&made.current, &made.denoised]) {
                    assert_eq!(samples.luma[..rows], vec![[77; 16]; rows][..]);
                    let code = if format == Format::Y8_UNORM { 0 } else { 77 };
                    assert_eq!(samples.chroma[..rows], vec![[[code; 2]; 8]; rows][..]);
                }
                let motion = match (di, first_frame) {
                    (false, _) => 0,
                    (true, true) => 255,
                    // (100 * 125 + 128) >> 8.
                    (true, false) => 49,
                };
                assert_eq!(made.stmm, [[motion; 8]; 4]);
                let history = match (dn, first_frame) {
                    (false, _) => 0,
                    (true, true) => 32,
                    (true, false) => 107,
                };
                assert_eq!(made.statistics.history[0], [history; 4]);
            }
        }
    }
}

#[test]
fn registers_hold_rows_and_pairs() {
    // NV12 16x4, luma 16y + x; chroma rows 0 and 1: Cb 100 + 10m + i, Cr 50 more. First frame, denoising
    // off: rows 0 and 2 are kept, row 1 the mean of 16*0 + x and 16*2 + x, row 3 row 2.
    let frame = filled(Format::PLANAR_420_8, 16, 4, |i| match i {
        0..64 => i as u8,
        _ => (100 + 10 * ((i - 64) / 16) + i % 16 / 2 + 50 * (i % 2)) as u8,
    });
    let inputs = Inputs {
        current: &frame,
        previous: None,
        statistics: None,
    };
    let state = DeinterlaceState {
        first_frame: true,
        ..state(true, true)
    };
    let soft = DeinterlaceState {
        dn_edge_th: 0, // every pixel is an edge: nothing is smoothed
        ..state.clone()
    };
    let made = block(&soft, &inputs, (0, 0)).unwrap();
    let registers = registers(&soft, &made, DeinterlaceResponse::Gen5, Input::Other);
    assert_eq!((registers.len(), &registers[..4]), (12, &[None; 4][..]));
    let get = |r: usize| registers[r].unwrap();
    let row = |first: u8| -> [u8; 16] { std::array::from_fn(|x| first + x as u8) };
    assert_eq!(get(4), two(row(0), row(16)));
    assert_eq!(get(5), two(row(32), row(32)));
    // 4:2:0 inside its field: field rows 0 and 1 of the top field both come from chroma row 0, as the
    // field has no other: Cr, Cb = 150, 100. Missing rows lie between equal rows.
    let chroma: [u8; 16] =
        std::array::from_fn(|i| (if i % 2 == 0 { 150 } else { 100 }) + i as u8 / 2);
    assert_eq!((get(6), get(7)), (two(chroma, chroma), two(chroma, chroma)));
    assert_eq!(get(8), [255; 32]);
    assert_eq!(get(9)[..5], [32, 32, 32, 32, 0]);
    assert_eq!(get(10), two(row(16), row(48)));
    assert_eq!(get(11)[..2], [160, 110]);
    // Gen7 sends no chroma of the second field for planar frames.
    assert_eq!(
        visim::internals::sampler::deinterlace::writeback::registers(
            &soft,
            &made,
            DeinterlaceResponse::Gen7,
            Input::Other
        )
        .len(),
        11
    );
}

#[test]
fn what_is_not_read_is_said() {
    use visim::internals::sampler::deinterlace::block::DeinterlaceError as E;
    let frame = filled(Format::Y8_UNORM, 16, 4, |_| 0);
    let bare = Inputs {
        current: &frame,
        previous: None,
        statistics: None,
    };
    let refusal =
        |state: &DeinterlaceState, inputs: &Inputs| block(state, inputs, (0, 0)).unwrap_err();
    assert_eq!(
        refusal(&state(true, true), &bare),
        E::Missing("a previous frame")
    );
    let other = filled(Format::Y8_UNORM, 32, 4, |_| 0);
    let unlike = Inputs {
        previous: Some(&other),
        ..bare
    };
    assert!(matches!(
        refusal(&state(true, true), &unlike),
        E::Mismatch { .. }
    ));
    let partial = DeinterlaceState {
        di_partial: true,
        ..state(true, true)
    };
    assert_eq!(refusal(&partial, &bare), E::Partial);
    let wide = filled(Format::R32_FLOAT, 16, 4, |_| 0);
    let floats = Inputs {
        previous: Some(&frame),
        statistics: Some(&wide),
        ..bare
    };
    assert!(matches!(
        refusal(&state(true, true), &floats),
        E::Statistics(_)
    ));
    let colour = filled(Format::R8G8B8A8_UNORM, 16, 4, |_| 0);
    let rgb = Inputs {
        current: &colour,
        ..bare
    };
    assert!(matches!(refusal(&state(true, true), &rgb), E::Format(_)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A window gives what the whole frame gives (D9), for any frame, at any place, in any mode.
    #[test]
    fn blocks_do_not_depend_on_their_window(
        (format, seed) in (0..FORMATS.len(), any::<u32>()),
        (width, height) in (1u32..24, 1u32..24),
        (x, y) in (0u32..7, 0u32..7),
        (di, dn, progressive_dn, first_frame, top_first) in any::<(bool, bool, bool, bool, bool)>(),
    ) {
        let noise = |salt: u32| move |i: usize| {
            let mixed = (i as u32 + salt).wrapping_mul(0x9e37_79b9) ^ seed;
            (mixed.wrapping_mul(0x85eb_ca6b) >> 26) as u8 + (i % 64) as u8
        };
        let (width, height) = (4 * width, 2 * height);
        let current = filled(FORMATS[format], width, height, noise(1));
        let previous = filled(FORMATS[format], width, height, noise(2));
        let statistics = filled(Format::R8_UNORM, 2 * width, height, noise(3));
        let inputs = Inputs {
            current: &current,
            previous: Some(&previous),
            statistics: Some(&statistics),
        };
        let state = DeinterlaceState {
            progressive_dn,
            first_frame,
            top_first,
            temporal_th: 30,
            low_temporal_th: 4,
            ..state(di, dn)
        };
        let rows = visim::internals::sampler::deinterlace::block::rows(&state) as u32;
        let at = (16 * x, rows * y);
        let near = block(&state, &inputs, at).unwrap();
        let whole = DenoisedPart::frame(&state, &inputs, &AtomicBool::new(false)).unwrap().block(at);
        prop_assert_eq!(near, whole);
    }
}
