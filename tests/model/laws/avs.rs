//! Laws of the media scaler: kernels against the definition on anything, and which kernel ran.

use crate::sampler::avs::plain;
use proptest::prelude::*;
use visim::internals::exec::NativeCode;
use visim::internals::isa::{AvsControl, AvsMode, ChannelMask};
use visim::internals::message::{AvsRequest, Scale8x8Request};
use visim::internals::sampler::avs::ief::{IefFilter, IefState};
use visim::internals::sampler::avs::plan::{Kernel, Kernels, Plan};
use visim::internals::sampler::avs::state::{AvsSampler, FilterType, TapMode};
use visim::internals::sampler::avs::tables::Table;
use visim::internals::sampler::avs::view::{Edge, FORMATS, MediaFormat, MediaView, PlaneLayout};
use visim::internals::sampler::avs::{
    AvsError, bytes_8x8, reads_8x8, run, run_8x8, run_view, skin, view,
};
use visim::internals::sampler::avs::{Scaler, packed_bytes};
use visim::internals::surface::{Format, Memory, Planes, Surface};

fn scalar() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -1.5f32..1.5,
        4 => (-64i32..64).prop_map(|n| n as f32 / 64.0),
        2 => -0.02f32..0.02,
        1 => any::<f32>(),
        1 => prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(-f32::INFINITY), Just(3e38)],
    ]
}

/// Steps from far below a texel to many surfaces.
fn step() -> impl Strategy<Value = f32> {
    prop_oneof![3 => scalar(), 4 => 0.0f32..0.2, 2 => Just(0.0)]
}

prop_compose! {
    fn request()(
        channels in 1u8..16,
        control in 0usize..4,
        mode in 0usize..4,
        (u, v) in (scalar(), scalar()),
        (delta_u, delta_v) in (step(), step()),
        (u2d, v2d) in (prop_oneof![3 => Just(0.0), 1 => scalar()], prop_oneof![3 => Just(0.0), 1 => scalar()]),
        vertical_block in prop_oneof![4 => 0u32..8, 1 => any::<u32>()],
    ) -> AvsRequest {
        AvsRequest {
            surface: 0,
            sampler: 0,
            channels: ChannelMask(channels),
            control: AvsControl::ALL[control].0,
            mode: AvsMode::ALL[mode].0,
            u, v, delta_u, delta_v, u2d, v2d,
            group_id: 0,
            vertical_block,
            ief_bypass: true,
        }
    }
}

fn table<const N: usize>() -> impl Strategy<Value = Table<N>> {
    let rows = |limit: i64| {
        let row = prop::collection::vec(-limit..=limit, N);
        prop_oneof![
            prop::collection::vec(row.clone(), 17),
            prop::collection::vec(row, 32)
        ]
        .prop_map(|rows| Table::from_rows(&rows).unwrap())
    };
    prop_oneof![
        4 => (0.1f64..2.0).prop_map(Table::polyphase),
        1 => (0.1f64..2.0).prop_map(Table::lanczos),
        1 => Just(Table::bilinear()),
        1 => Just(Table::nearest()),
        1 => rows(16),
        1 => rows(127),
    ]
}

prop_compose! {
    fn sampler()(
        nearest in prop::bool::weighted(0.1),
        tap_mode in 0u8..4,
        output_shuffle in any::<bool>(),
        default_sharpness in prop_oneof![Just(255u8), any::<u8>()],
        (bypass_x, bypass_y) in any::<(bool, bool)>(),
        (max_derivative_4, max_derivative_8) in (0u8..40, 0u8..80),
        (transition_4, transition_8) in (0u8..8, 0u8..8),
        (adaptive_all_channels, rgb_adaptive) in any::<(bool, bool)>(),
        chroma_key_enable in prop::bool::weighted(0.2),
        (chroma_key_low, chroma_key_high) in (0u32..0x4040_4040, 0x4040_4040u32..),
        (table0x, table0y) in (table::<8>(), table::<8>()),
        (table1x, table1y) in (table::<4>(), table::<4>()),
    ) -> AvsSampler {
        AvsSampler {
            avs_filter_type: if nearest { FilterType::Nearest } else { FilterType::Adaptive },
            tap_mode: TapMode::try_from(tap_mode).unwrap(),
            output_shuffle,
            ief_enable: false,
            ief: IefState::default(),
            default_sharpness,
            bypass_x,
            bypass_y,
            max_derivative_4,
            max_derivative_8,
            transition_4,
            transition_8,
            adaptive_all_channels,
            rgb_adaptive,
            chroma_key_enable,
            chroma_key_index: 0,
            chroma_key_low,
            chroma_key_high,
            table0x,
            table0y,
            table1x,
            table1y,
        }
    }
}

/// A surface of any format; its memory may be too small for it, its planes may overlap.
#[derive(Debug)]
struct Picture {
    format: &'static MediaFormat,
    size: (u32, u32),
    place: PlaneLayout,
    chroma: Planes,
    edge: Edge,
    memory: Memory,
}

impl Picture {
    fn view(&self) -> MediaView<'_> {
        MediaView::new(
            &self.memory,
            self.format,
            self.size,
            self.place,
            self.chroma,
            self.edge,
        )
    }
}

prop_compose! {
    fn picture()(
        format in 0..FORMATS.len(),
        size in (1u32..70, 1u32..40),
        base in prop_oneof![2 => Just(0usize), 1 => 0usize..20],
        pitch in prop_oneof![3 => (1u32..80).prop_map(|n| 8 * n), 1 => 1u32..600],
        row_step in 1u32..3,
        (interleaved, half_pitch) in any::<(bool, bool)>(),
        (u, v) in ((0u32..40, 0u32..60), (0u32..40, 0u32..60)),
        (offset_v, offset_u) in (0u8..8, 0u8..2),
        mirror in any::<bool>(),
        smooth in any::<bool>(),
        bytes in prop::collection::vec(any::<u8>(), 0..12_000),
    ) -> Picture {
        let bytes: Vec<u8> = match smooth {
            true => bytes.iter().map(|b| 100 + b % 24).collect(),
            false => bytes,
        };
        Picture {
            format: &FORMATS[format],
            size,
            place: PlaneLayout { row_step, ..PlaneLayout::linear(base, pitch) },
            chroma: Planes { interleaved, half_pitch, u, v, offset_v, offset_u },
            edge: if mirror { Edge::Mirror } else { Edge::Clamp },
            memory: Memory::from_bytes(&bytes),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is asked, the fast kernels return what the definition returns, write nothing beyond
    /// the packed bytes, and do not panic.
    #[test]
    fn kernels_equal_the_definition(
        picture in picture(), sampler in sampler(), request in request(), old in any::<u8>(),
    ) {
        let view = picture.view();
        let size = packed_bytes(&request, sampler.output_shuffle);
        let (mut fast, mut defined) = (vec![old; size + 8], vec![old; size + 8]);
        run_view(&view, &sampler, &request, Kernels::Fast, &mut fast).unwrap();
        run_view(&view, &sampler, &request, Kernels::Reference, &mut defined).unwrap();
        prop_assert_eq!(&fast[size..], [old; 8]);
        prop_assert_eq!(fast, defined);
    }

    /// So do blocks of one plane of bytes, whose messages share what they have in common.
    #[test]
    fn blocks_of_one_plane_equal_the_definition(
        picture in picture(), sampler in sampler(), requests in prop::collection::vec(request(), 4),
        (channel, control, mode) in (0usize..3, 0usize..4, 0usize..4), old in any::<u8>(),
        near in prop::option::of((-2.2f32..2.2, -2.2f32..2.2, 0.0f32..1.0)),
    ) {
        let bytes = [Format::R8_UNORM, Format::Y8_UNORM, Format::PLANAR_420_8];
        let format = FORMATS.iter().find(|f| f.format == bytes[channel]).unwrap();
        let picture = Picture { format, ..picture };
        let sampler = AvsSampler {
            avs_filter_type: FilterType::Adaptive,
            output_shuffle: false,
            default_sharpness: 255,
            bypass_x: true,
            bypass_y: true,
            ..sampler
        };
        let channels = ChannelMask([1, 2, 2][channel]);
        let (control, mode) = (AvsControl::ALL[control].0, AvsMode::ALL[mode].0);
        let like = |request: &AvsRequest| AvsRequest { channels, control, mode, ..*request };
        let mut requests: Vec<AvsRequest> = requests.iter().map(like).collect();
        if let Some((across, down, at)) = near {
            // Steps of a picture made half to twice as large or more, blocks beside each other, over its edges too.
            let (delta_u, delta_v) = (across / picture.size.0 as f32, down / picture.size.1 as f32);
            for (i, request) in (0u8..).zip(&mut requests) {
                let beside = f32::from(i) * 16.0 * delta_u;
                *request = AvsRequest {
                    u: at - 0.1 + beside,
                    v: 1.0 - at,
                    delta_u,
                    delta_v,
                    u2d: 0.0,
                    v2d: 0.0,
                    vertical_block: 0,
                    ..*request
                };
            }
        }
        let scaler = || Scaler::of_view(picture.view(), &sampler, &requests[0]);
        let view = picture.view();
        let sharp = view.place(channels.iter().next().unwrap()).is_some_and(|(plane, _)| {
            let plan = Plan::new(&view, &sampler, Kernels::Fast);
            plan.kernel(plane, channels.iter().next().unwrap()) == Kernel::Sharp
        });
        let halved = channels.0 == 1 && control.decimates();
        let wide = visim::internals::math::simd::wide().is_some();
        let both = scaler().zip(scaler());
        prop_assert_eq!(both.is_some(), wide && sharp && !halved);
        let Some((scaler, other)) = both else { return Ok(()) };
        // Native code makes them as well.
        let other = other.made_by(NativeCode::Always.makes_blocks());
        // What is known of columns serves those of rows below, and in any order.
        let lower = |request: &AvsRequest| AvsRequest { v: request.v + 8.0 * request.delta_v, ..*request };
        let below: Vec<AvsRequest> = requests.iter().map(lower).collect();
        for request in requests.iter().chain(&below).chain(requests.iter().rev()) {
            let size = packed_bytes(request, false);
            prop_assert_eq!(scaler.bytes(), size);
            let mut defined = vec![old; size];
            run_view(&picture.view(), &sampler, request, Kernels::Reference, &mut defined).unwrap();
            for scaler in [&scaler, &other] {
                let mut fast = vec![old; size];
                scaler.run(request, &mut fast);
                prop_assert_eq!(&fast, &defined);
            }
        }
    }

    /// The same of the message of Gen5, whose state and order of pixels are its own.
    #[test]
    fn blocks_of_gen5_equal_the_definition(
        size in (1u32..70, 1u32..40),
        format in 0..FORMATS.len(),
        sampler in sampler(),
        (u, v, delta_u, delta_v, u2d) in (scalar(), scalar(), step(), step(), scalar()),
        (channels, ief_enable, old) in (1u8..16, any::<bool>(), any::<u8>()),
    ) {
        use visim::internals::surface::Description;
        let description = Description::d2(FORMATS[format].format, size.0, size.1);
        // Planes that do not fit are reported when the surface is made.
        let Ok(surface) = Surface::zeroed(description) else { return Ok(()) };
        let noise: Vec<u8> = (0..surface.memory().len() as u32)
            .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8)
            .collect();
        surface.memory().write(0, &noise);
        let sampler = AvsSampler { ief_enable, ..sampler };
        let channels = ChannelMask(channels);
        let request = Scale8x8Request { surface: 0, sampler: 0, channels, u, v, delta_u, delta_v, u2d };
        let bytes = bytes_8x8(&request);
        let run = |kernels| {
            let mut dst = vec![old; bytes + 8];
            let done = run_8x8(&surface, &sampler, &request, kernels, &mut dst);
            (done, dst)
        };
        let (fast, defined) = (run(Kernels::Fast), run(Kernels::Reference));
        prop_assert_eq!(&fast.1[bytes..], [old; 8]);
        prop_assert_eq!(fast, defined);
    }

    /// Blocks of a group are pieces of one picture.
    #[test]
    fn two_16x4_blocks_are_one_16x8(picture in picture(), sampler in sampler(), request in request()) {
        let view = picture.view();
        let sampler = AvsSampler { output_shuffle: false, ..sampler };
        let at = |mode, vertical_block| {
            let request = AvsRequest { mode, vertical_block, ..request };
            let mut dst = vec![0; packed_bytes(&request, false)];
            run_view(&view, &sampler, &request, Kernels::Fast, &mut dst).unwrap();
            dst
        };
        let block = request.vertical_block / 2;
        let halves = [at(AvsMode::M16x4, block), at(AvsMode::M16x4, block + 1)].concat();
        prop_assert_eq!(halves, at(AvsMode::M16x8, block));
    }
}

/// The kernel of each channel that a surface of `format` has.
fn kernels(format: Format, sampler: &AvsSampler) -> Vec<Kernel> {
    let memory = Memory::zeroed(64);
    let view = plain(&memory, format, (64, 32), 512);
    let plan = Plan::new(&view, sampler, Kernels::Fast);
    let places = (0..4).filter_map(|channel| Some((view.place(channel)?.0, channel)));
    places
        .map(|(plane, channel)| plan.kernel(plane, channel))
        .collect()
}

#[test]
fn the_default_state_runs_the_sharp_kernel() {
    let state = AvsSampler::default();
    for (format, channels) in [
        (Format::Y8_UNORM, 1),
        (Format::R8_UNORM, 1),
        (Format::R8B8_UNORM, 2),
        (Format::R8G8B8A8_UNORM, 4),
        (Format::YCRCB_SWAPY, 3),
        (Format::PLANAR_420_8, 3),
    ] {
        assert_eq!(kernels(format, &state), vec![Kernel::Sharp; channels]);
    }
    let deep = kernels(Format::R10G10B10A2_UNORM, &state);
    assert_eq!(deep, [Kernel::Blended; 4]);
}

#[test]
fn weights_keys_and_gain_choose_the_others() {
    use Kernel::{Blended, Sharp};
    let soft = AvsSampler {
        default_sharpness: 128,
        ..AvsSampler::default()
    };
    // Only luma blends in tap mode 1.
    let mixed = [Sharp, Blended, Sharp];
    assert_eq!(kernels(Format::PLANAR_420_8, &soft), mixed);
    let never = AvsSampler {
        tap_mode: TapMode::Eight,
        ..soft
    };
    assert_eq!(kernels(Format::Y8_UNORM, &never), [Sharp]);
    let adaptive = AvsSampler {
        bypass_y: false,
        ..AvsSampler::default()
    };
    let mixed = [Sharp, Blended, Sharp, Sharp];
    assert_eq!(kernels(Format::R8G8B8A8_UNORM, &adaptive), mixed);
    let keyed = AvsSampler {
        chroma_key_enable: true,
        ..AvsSampler::default()
    };
    assert_eq!(kernels(Format::R8G8B8A8_UNORM, &keyed), [Blended; 4]);
    assert_eq!(kernels(Format::Y8_UNORM, &keyed), [Sharp]);
    // One row sums to 129/64: column sums may leave 16 bits. Then to 257/64: 32 bits.
    let gain = |taps: [i64; 4]| {
        let mut rows = vec![vec![0; 4]; 32];
        rows[5] = taps.to_vec();
        AvsSampler {
            table1y: Table::from_rows(&rows).unwrap(),
            ..AvsSampler::default()
        }
    };
    let kernel = |taps| kernels(Format::R8_UNORM, &gain(taps));
    assert_eq!(kernel([0, 127, 1, 0]), [Sharp]);
    assert_eq!(kernel([0, 127, 2, 0]), [Blended]);
    assert_eq!(kernel([-128, 127, 1, -1]), [Kernel::Reference]);
    let nearest = AvsSampler {
        avs_filter_type: FilterType::Nearest,
        ..AvsSampler::default()
    };
    assert_eq!(kernels(Format::R8_UNORM, &nearest), [Kernel::Nearest]);
}

#[test]
fn extreme_column_sums_fit_the_sharp_kernel() {
    // Positive taps of 128/64 on white reach 32640 = 7f80h, negative ones -32640.
    let memory = Memory::from_bytes(&[255; 64]);
    let view = plain(&memory, Format::Y8_UNORM, (8, 8), 8);
    for taps in [[0, 0, 64, 0, 64, 0, 0, 0], [-64, 0, -64, 0, 0, 0, 0, 0]] {
        let table = Table::from_rows(&vec![taps.to_vec(); 32]).unwrap();
        let state = AvsSampler {
            table0y: table.clone(),
            table0x: table,
            ..AvsSampler::default()
        };
        assert_eq!(
            Plan::new(&view, &state, Kernels::Fast).kernel(&view.planes()[0], view::G),
            Kernel::Sharp
        );
        let request = AvsRequest {
            channels: ChannelMask(2),
            mode: AvsMode::M4x4,
            u: 0.5,
            v: 0.5,
            delta_u: 0.125,
            delta_v: 0.125,
            ..AvsRequest::ORIGIN
        };
        // 2.0 * 2.0 (or -2.0 * -2.0) times white, clamped to 1.0.
        let mut dst = [0; 32];
        run_view(&view, &state, &request, Kernels::Fast, &mut dst).unwrap();
        assert_eq!(dst, [0x00, 0xff].repeat(16)[..]);
        for made in [None, NativeCode::Always.makes_blocks()] {
            if let Some(scaler) = Scaler::of_view(view.clone(), &state, &request) {
                let mut dst = [0; 32];
                scaler.made_by(made).run(&request, &mut dst);
                assert_eq!(dst, [0x00, 0xff].repeat(16)[..]);
            }
        }
    }
}

#[test]
fn a_destination_too_small_is_refused() {
    let memory = Memory::zeroed(64);
    let view = plain(&memory, Format::Y8_UNORM, (8, 8), 8);
    let short = run_view(
        &view,
        &AvsSampler::default(),
        &AvsRequest::ORIGIN,
        Kernels::Fast,
        &mut [0; 511],
    );
    assert_eq!(
        short.unwrap_err().to_string(),
        "the message returns 512 bytes, the destination has 511"
    );
}

/// Luma and alpha of a 4x4 block at (4, 4), identity scale, of a 16x16 picture of 100 with a pixel of
/// 110 at (5, 5); 10-bit luma 400 and 440.
fn enhanced(sampler: &AvsSampler, bypass: bool, format: Format) -> [Vec<u16>; 2] {
    let size = if format == Format::Y8_UNORM { 1 } else { 4 };
    let mut bytes = vec![100; 256 * size];
    bytes[(5 * 16 + 5) * size..][..size].fill(110);
    let memory = Memory::from_bytes(&bytes);
    let view = plain(&memory, format, (16, 16), 16 * size as u32);
    let request = AvsRequest {
        channels: ChannelMask(0b1010),
        mode: AvsMode::M4x4,
        u: 0.25,
        v: 0.25,
        delta_u: 1.0 / 16.0,
        delta_v: 1.0 / 16.0,
        ief_bypass: bypass,
        ..AvsRequest::ORIGIN
    };
    let mut dst = [0; 64];
    run_view(&view, sampler, &request, Kernels::Fast, &mut dst).unwrap();
    let words: Vec<u16> = dst
        .as_chunks()
        .0
        .iter()
        .map(|&w| u16::from_le_bytes(w))
        .collect();
    [words[..16].to_vec(), words[16..].to_vec()]
}

#[test]
fn the_enhancement_filter_runs_if_enabled_and_not_bypassed() {
    let state = AvsSampler {
        ief_enable: true,
        ief: IefState {
            filter: IefFilter::Detail3x3,
            ..IefState::default()
        },
        ..AvsSampler::default()
    };
    let pixel = |luma: &[u16]| luma[4 + 1];
    // 444 << 6: see the filter's own test of a spike. Bypassed or disabled: 110 << 8.
    for format in [Format::Y8_UNORM, Format::R8G8B8A8_UNORM] {
        let [luma, alpha] = enhanced(&state, false, format);
        assert_eq!(pixel(&luma), 444 << 6);
        assert_eq!(
            alpha[0],
            if format == Format::Y8_UNORM {
                0xff00
            } else {
                100 << 8
            }
        );
        assert_eq!(pixel(&enhanced(&state, true, format)[0]), 110 << 8);
    }
    assert_eq!(
        pixel(&enhanced(&AvsSampler::default(), false, Format::Y8_UNORM)[0]),
        110 << 8
    );
    // The pixel to its left has the spike at its right: gx = 2 * 10 = 20, no edge, W = 1.
    // A3 = (5 * 1640 + 5 * 1600 + 20) / 40 = 405, HF = -10, det = -(112640 + 32768 >> 16) = -2;
    // 2 below the minimum of 400: 400 - (2 * 6 >> 4) = 400.
    assert_eq!(enhanced(&state, false, Format::Y8_UNORM)[0][4], 400 << 6);
}

#[test]
fn video_signal_analysis_comes_in_alpha() {
    let state = AvsSampler {
        ief_enable: true,
        ief: IefState {
            filter: IefFilter::Combination,
            vsa: true,
            mr_threshold: 0,
            ..IefState::default()
        },
        ..AvsSampler::default()
    };
    // Left of the spike S = 20: e = 2; steepness 10 and range 10 stay below 16.
    let [_, alpha] = enhanced(&state, false, Format::Y8_UNORM);
    assert_eq!([alpha[4], alpha[5], alpha[6]], [2 << 8, 0, 2 << 8]);
    // Bypassed: the neutral value.
    assert_eq!(enhanced(&state, true, Format::Y8_UNORM)[1], [0; 16]);
}

#[test]
fn skin_tone_needs_channels_that_are_not_returned() {
    let skin = skin::SkinTone {
        reduce: true,
        u_mid: 110,
        v_mid: 110,
        diamond_th: 255,
        ..skin::SkinTone::default()
    };
    let state = AvsSampler {
        ief_enable: true,
        ief: IefState {
            filter: IefFilter::Detail3x3,
            skin_tone: Some(skin),
            ..IefState::default()
        },
        ..AvsSampler::default()
    };
    // The spike is skin in the middle of the range (R = B = 110): no detail is left.
    let [luma, _] = enhanced(&state, false, Format::R8G8B8A8_UNORM);
    assert_eq!(luma[5], 110 << 8);
}

/// The same texels in a tiled, a linear and a field-interleaved surface scale alike.
#[test]
fn where_the_bytes_are_does_not_matter() {
    use visim::internals::surface::{Description, LineStride, Tiling};
    let formats = [
        Format::Y8_UNORM,
        Format::R8B8_UNORM,
        Format::YCRCB_SWAPUV,
        Format::R8G8B8A8_UNORM,
        Format::R16G16B16A16_UNORM,
        Format::PLANAR_420_8,
    ];
    for format in formats {
        let plain = Description::d2(format, 70, 32);
        let block = |description: &Description| {
            let surface = Surface::zeroed(description.clone()).unwrap();
            let rows = surface.description().media_row_bytes();
            let height = if format.is_planar() { 48 } else { 32 };
            for y in 0..height {
                for x in 0..rows {
                    let row = description.line_stride.row(y);
                    let at = surface.address(x, row);
                    surface
                        .memory()
                        .write(at, &[(x * 7 + y * 31 + x * y) as u8]);
                }
            }
            let request = AvsRequest {
                delta_u: 1.0 / 40.0,
                delta_v: 1.0 / 12.0,
                u: 0.01,
                ..AvsRequest::ORIGIN
            };
            let mut dst = [0; 512];
            run(&surface, &AvsSampler::default(), &request, &mut dst).unwrap();
            dst
        };
        let linear = block(&plain);
        assert!(linear.iter().any(|&b| b > 1));
        for tiling in [Tiling::X, Tiling::Y] {
            let tiled = Description {
                tiling,
                ..plain.clone()
            };
            assert_eq!(block(&tiled), linear, "{format:?} {tiling:?}");
        }
        for line_stride in [LineStride::TopField, LineStride::BottomField] {
            let field = Description {
                line_stride,
                ..plain.clone()
            };
            // Chroma rows of a planar field are skipped too, from the plane's row on.
            if !format.is_planar() {
                assert_eq!(block(&field), linear, "{format:?} {line_stride:?}");
            }
        }
    }
}

#[test]
fn surfaces_that_are_not_for_the_media_sampler_are_refused() {
    use visim::internals::surface::Description;
    let refusal = |description| {
        let surface = Surface::zeroed(description).unwrap();
        run(
            &surface,
            &AvsSampler::default(),
            &AvsRequest::ORIGIN,
            &mut [0; 512],
        )
        .unwrap_err()
        .to_string()
    };
    assert_eq!(
        refusal(Description::d2(Format::R32_FLOAT, 4, 4)),
        "the media sampler does not read surfaces of format R32_FLOAT (AVS reference 3.3)"
    );
    assert!(refusal(Description::buffer(Format::R8_UNORM, 64)).contains("2D surfaces"));
}

#[test]
fn gen5_scales_the_formats_of_its_manual() {
    // PRM 4.10.2.2: 0 to 4 and 8 to 12; 5 to 7 are of the deinterlace message, 13 to 15 reserved.
    use visim::internals::surface::Description;
    let request = Scale8x8Request {
        surface: 0,
        sampler: 0,
        channels: ChannelMask(2),
        u: 0.0,
        v: 0.0,
        delta_u: 0.0,
        delta_v: 0.0,
        u2d: 0.0,
    };
    let mut read = 0;
    for row in FORMATS {
        let surface = Surface::zeroed(Description::d2(row.format, 16, 16)).unwrap();
        let mut dst = vec![0; bytes_8x8(&request)];
        let done = run_8x8(
            &surface,
            &AvsSampler::default(),
            &request,
            Kernels::Fast,
            &mut dst,
        );
        let told = reads_8x8(&surface, &AvsSampler::default(), &request);
        let newer = [
            Format::R16G16B16A16_UNORM,
            Format::A8Y8U8V8_UNORM,
            Format::B8G8R8A8_UNORM,
            Format::PLANAR_422_8,
            Format::PLANAR_411_8,
        ];
        if newer.contains(&row.format) {
            assert_eq!(done, Err(AvsError::Format8x8(row.format)));
            assert_eq!(told, Err(AvsError::Format8x8(row.format)));
        } else {
            assert_eq!(done, Ok(()), "{}", row.format);
            read += 1;
        }
    }
    assert_eq!(read, 10);
}

/// A picture of one channel in which no texel is like its neighbours.
fn noise(width: u32, height: u32) -> Surface {
    use visim::internals::surface::Description;
    let surface = Surface::zeroed(Description::d2(Format::R8_UNORM, width, height));
    let surface = surface.expect("fits");
    let noise = |i: u32| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8;
    let bytes: Vec<u8> = (0..surface.memory().len() as u32).map(noise).collect();
    surface.memory().write(0, &bytes);
    surface
}

/// A state of which blocks are filtered sharply.
fn sharp() -> AvsSampler {
    AvsSampler {
        avs_filter_type: FilterType::Adaptive,
        default_sharpness: 255,
        bypass_x: true,
        bypass_y: true,
        ..AvsSampler::default()
    }
}

/// More blocks that begin elsewhere than are remembered, and those that are no more.
#[test]
fn blocks_that_are_forgotten_equal_the_definition() {
    let (surface, sampler) = (noise(500, 40), sharp());
    let block = |i: u32| AvsRequest {
        surface: 0,
        sampler: 0,
        channels: ChannelMask(1),
        control: AvsControl::ALL[0].0,
        mode: AvsMode::M16x8,
        u: (i * 37 % 1201) as f32 / 1300.0,
        v: 0.2,
        delta_u: 1.3 / 500.0,
        delta_v: 1.1 / 40.0,
        u2d: 0.0,
        v2d: 0.0,
        group_id: 0,
        vertical_block: 0,
        ief_bypass: true,
    };
    for made in [None, NativeCode::Always.makes_blocks()] {
        let Some(scaler) = Scaler::new(&surface, &sampler, &block(0)) else {
            assert!(visim::internals::math::simd::wide().is_none());
            return;
        };
        let scaler = scaler.made_by(made);
        let view = MediaView::of(&surface).expect("a picture");
        for i in (0..1201).chain(0..40) {
            let size = packed_bytes(&block(i), false);
            let (mut fast, mut defined) = (vec![0; size], vec![0; size]);
            scaler.run(&block(i), &mut fast);
            run_view(&view, &sampler, &block(i), Kernels::Reference, &mut defined).unwrap();
            assert_eq!(fast, defined, "block {i}");
        }
    }
}

/// Code makes the blocks at all edges, of samples of one byte and of two, and leaves those whose rows end with the memory.
#[test]
fn code_makes_blocks_at_all_edges() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use visim::internals::sampler::avs::{MakesBlocks, PickedBlock};
    static MADE: AtomicUsize = AtomicUsize::new(0);
    struct Counted(&'static dyn MakesBlocks);
    impl MakesBlocks for Counted {
        fn make(&self, block: &PickedBlock<'_>, out: &mut [u8]) -> bool {
            let made = self.0.make(block, out);
            MADE.fetch_add(made.into(), Relaxed);
            made
        }
    }
    let Some(made) = NativeCode::Always.makes_blocks() else {
        return;
    };
    let made: &'static Counted = Box::leak(Box::new(Counted(made)));
    assert!(NativeCode::Never.makes_blocks().is_none());
    let (mut blocks, mut inside) = (0, 0);
    for (width, height) in [(150, 60), (40, 30), (64, 9), (7, 3)] {
        let (surface, sampler) = (noise(width, height), sharp());
        let view = MediaView::of(&surface).expect("a picture");
        for (mode, control) in [AvsMode::M16x8, AvsMode::M16x4]
            .into_iter()
            .flat_map(|mode| [AvsControl::Full8, AvsControl::Full16].map(|control| (mode, control)))
        {
            let block = |i: u32| AvsRequest {
                channels: ChannelMask(1),
                control,
                mode,
                u: (i * 37 % 31) as f32 / 24.0 - 0.15,
                v: (i * 53 % 29) as f32 / 22.0 - 0.15,
                delta_u: (0.3 + (i % 5) as f32 * 0.55) / width as f32,
                delta_v: (0.4 + (i % 4) as f32 * 0.45) / height as f32,
                ief_bypass: true,
                ..AvsRequest::ORIGIN
            };
            let scaler = Scaler::new(&surface, &sampler, &block(0)).expect("has wide instructions");
            let scaler = scaler.made_by(Some(made));
            for i in 0..200 {
                let size = packed_bytes(&block(i), false);
                let (mut fast, mut defined) = (vec![0; size], vec![0; size]);
                scaler.run(&block(i), &mut fast);
                run_view(&view, &sampler, &block(i), Kernels::Reference, &mut defined).unwrap();
                assert_eq!(fast, defined, "block {i} of {width}x{height}");
                (blocks, inside) = (blocks + 1, inside + usize::from(width == 150));
            }
        }
    }
    let made = MADE.load(Relaxed);
    assert!(
        inside * 9 / 10 < made && made < blocks,
        "{made} of {inside} or {blocks}"
    );
}
