//! Laws of the 3D sampler: kernels equal the reference, and no state or parameter leads outside.

use super::plan::served;
use super::surfaces::{plain_format, request};
use proptest::prelude::*;
use std::sync::Arc;
use visim::internals::message::{ReturnFormat, SamplerOp, SamplerRequest};
use visim::internals::sampler::packed::Beside;
use visim::internals::sampler::sample::{Asked, LanePlan, Unwatched, reference, sample};
use visim::internals::sampler::settings::{
    Address, Border, ChromaKey, Filter, KeyMode, MipFilter, SamplerState, Shadow,
};
use visim::internals::sampler::{Channels, FetchPath, Lanes, fetch, info};
use visim::internals::surface::float::f32_to_half_nearest;
use visim::internals::surface::state::describe;
use visim::internals::surface::{Description, Format, Generation, Memory, Surface, Tiling};

/// Pseudo-random bytes, infinities and NaN of float formats among them.
fn noise(description: Description, seed: u32) -> Option<Surface> {
    let surface = Surface::zeroed(description).ok()?;
    let mut state = seed;
    let bytes: Vec<u8> = (0..surface.memory().len())
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    surface.memory().write(0, &bytes);
    Some(surface)
}

/// Formats without vector code of their own.
fn other_format() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "BC1_UNORM",
        "BC1_UNORM_SRGB",
        "DXT1_RGB",
        "BC2_UNORM",
        "BC3_UNORM_SRGB",
        "BC4_SNORM",
        "BC5_UNORM",
        "BC6H_SF16",
        "BC7_UNORM",
        "FXT1",
        "R10G10B10A2_UNORM",
        "R11G11B10_FLOAT",
        "R9G9B9E5_SHAREDEXP",
        "R8_SNORM",
        "B5G6R5_UNORM",
        "YCRCB_NORMAL",
        "I16_UNORM",
        "R16G16_SINT",
    ])
}

fn path_of(format: Format) -> FetchPath {
    let plain = "R8_UNORM R8_UINT R8G8_UNORM R16_UNORM R32_FLOAT R32_UINT R8G8B8A8_UNORM R8G8B8A8_UINT \
                 B8G8R8A8_UNORM R16G16B16A16_FLOAT R32G32B32A32_FLOAT R32G32B32A32_UINT \
                 R8G8B8A8_UNORM_SRGB B8G8R8A8_UNORM_SRGB R16G16B16A16_UNORM R32G32_FLOAT A8_UNORM L8_UNORM \
                 R16_FLOAT R16G16_UNORM";
    match format {
        f if plain.split_whitespace().any(|name| name == f.name) => FetchPath::Elements,
        f if f.is_compressed() => FetchPath::Blocks,
        _ => FetchPath::Table,
    }
}

fn address() -> impl Strategy<Value = Address> {
    prop::sample::select(vec![
        Address::Wrap,
        Address::Mirror,
        Address::Clamp,
        Address::Border,
        Address::MirrorOnce,
        Address::HalfBorder,
    ])
}

fn filter() -> impl Strategy<Value = Filter> {
    prop::sample::select(vec![Filter::Nearest, Filter::Linear])
}

/// Coordinates near the map, far from it, and no numbers at all.
fn coordinates() -> impl Strategy<Value = Vec<u32>> {
    let one = prop_oneof![
        8 => (0.0f32..1.0).prop_map(f32::to_bits),
        2 => (-3.0f32..3.0).prop_map(f32::to_bits),
        1 => any::<u32>(),
    ];
    prop::collection::vec(one, 32)
}

fn lanes_of(values: &[u32]) -> Lanes {
    std::array::from_fn(|lane| values[lane])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kernels_equal_the_reference(
        (name, seed) in (prop_oneof![3 => plain_format(), 2 => other_format()], any::<u32>()),
        (width, height, levels) in (1u32..70, 1u32..50, 1u32..4),
        (tiling, array) in (
            prop::sample::select(vec![Tiling::Linear, Tiling::X, Tiling::Y]), any::<bool>(),
        ),
        (u, v, lod, slice) in (coordinates(), coordinates(), 0u32..4, 0u32..3),
        (address_u, address_v, min, mag) in (address(), address(), filter(), filter()),
        (mip, max_lod) in (
            prop::sample::select(vec![MipFilter::None, MipFilter::Nearest, MipFilter::Linear]), 0i32..1024,
        ),
        (op, channels, lanes, active) in (
            prop::sample::select(vec![
                SamplerOp::Sample, SamplerOp::SampleL, SamplerOp::SampleLz, SamplerOp::SampleB,
                SamplerOp::SampleD, SamplerOp::Gather4, SamplerOp::Gather4Po,
            ]),
            1u8..16, prop::sample::select(vec![1u32, 2, 8, 16, 32]), any::<u32>(),
        ),
        (offsets, params16, narrow) in (
            prop_oneof![Just([0i8; 3]), prop::array::uniform3(-8i8..8)], any::<bool>(), any::<bool>(),
        ),
        (levels_of, own) in (
            prop::collection::vec(0u32..1400, 32), prop::collection::vec(any::<u32>(), 32),
        ),
    ) {
        let format = Format::named(name).unwrap();
        let sized = match array {
            true => Description::d2_array(format, width, height, 3),
            false => Description::d2(format, width, height),
        };
        let levels = levels.min(width.max(height).ilog2() + 1);
        let description = Description { tiling, levels, ..sized };
        let Some(surface) = noise(description, seed) else { return Ok(()) };
        let state = SamplerState {
            mip,
            max_lod,
            address: [address_u, address_v, Address::Clamp],
            ..SamplerState::default().filtered(min, mag)
        };
        let channels = if op.is_gather() { 1 << (channels % 4) } else { channels };
        let request = SamplerRequest {
            offsets,
            params16,
            returns: if narrow { ReturnFormat::Bits16 } else { ReturnFormat::Bits32 },
            ..request(op, channels, lanes)
        };
        let sent = |bits: u32| match params16 {
            true => u32::from(f32_to_half_nearest(bits)) | bits & 0xffff_0000,
            false => bits,
        };
        let (u, v) = (lanes_of(&u).map(sent), lanes_of(&v).map(sent));
        let r = [sent((slice as f32).to_bits()); 32];
        // Levels, biases and gradients that are the same for all lanes or differ.
        let level = match lod {
            3 => lanes_of(&levels_of).map(|l| sent((l as f32 / 256.0).to_bits())),
            lod => [sent((lod as f32).to_bits()); 32],
        };
        let own = lanes_of(&own);
        let steep = level.map(|l| sent(l & 0x3fff_ffff));
        let params = match op {
            SamplerOp::SampleL | SamplerOp::SampleB => vec![level, u, v, r],
            SamplerOp::SampleD => vec![u, steep, r, v, r, steep, r],
            SamplerOp::Gather4Po => vec![u, v, own, steep, r],
            _ => vec![u, v, r, level],
        };
        let (mut fast, mut slow) = ([[9; 32]; 4], [[9; 32]; 4]);
        let reply = sample(&surface, &state, &request, &params, active, &mut fast).unwrap();
        let done = reference(&surface, &state, &request, &params, active, &mut slow, &mut Unwatched);
        prop_assert_eq!(done.unwrap().kernel, None);
        prop_assert_eq!(fast, slow);
        // Nothing but borders goes the long way.
        let repeats = |mode| matches!(mode, Address::Wrap | Address::Mirror | Address::Clamp | Address::MirrorOnce);
        let lanes = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
        if repeats(address_u) && repeats(address_v) && active & lanes != 0 {
            let kernel = reply.kernel.expect("a kernel");
            prop_assert_eq!((kernel.format, kernel.tiling), (format, tiling));
            prop_assert_eq!(kernel.path, path_of(format));
            prop_assert_eq!(kernel.address, [address_u, address_v]);
            let linear = min == Filter::Linear || mag == Filter::Linear || op.is_gather();
            prop_assert!(!kernel.linear || linear);
            prop_assert!(kernel.levels == 1 || mip == MipFilter::Linear);
        }
    }

    #[test]
    fn ready_messages_equal_the_reference(
        (name, seed) in (plain_format(), any::<u32>()),
        (width, height, levels, level) in (1u32..70, 1u32..50, 1u32..4, 0i32..700),
        tiling in prop::sample::select(vec![Tiling::Linear, Tiling::X, Tiling::Y]),
        (u, v, row) in (coordinates(), coordinates(), prop::option::of((-20i32..80, -3i32..50))),
        (address_u, address_v, filter) in (address(), address(), filter()),
        (op, channels, lanes) in (
            prop::sample::select(vec![SamplerOp::SampleLz, SamplerOp::Sample, SamplerOp::SampleL]),
            1u8..16, prop::sample::select(vec![8u32, 16, 32]),
        ),
        (given, texels) in (0u32..5, any::<bool>()),
        offsets in prop_oneof![Just([0i8; 3]), prop::array::uniform3(-8i8..8)],
    ) {
        let format = Format::named(name).unwrap();
        let levels = levels.min(width.max(height).ilog2() + 1);
        let description = Description { tiling, levels, ..Description::d2(format, width, height) };
        let Some(surface) = noise(description, seed) else { return Ok(()) };
        let clamps = [address_u, address_v].iter().all(|a| matches!(a, Address::Clamp | Address::Border));
        let state = SamplerState {
            mip: if level < 256 { MipFilter::None } else { MipFilter::Nearest },
            lod_bias: if level < 512 { 0 } else { level },
            unnormalized: clamps && texels,
            address: [address_u, address_v, Address::Clamp],
            ..SamplerState::default().filtered(filter, filter)
        };
        // Most lanes of compiled kernels lie side by side.
        let (u, v) = match row {
            Some((x, y)) => {
                let one = |at: i32, size: u32| at as f32 / if state.unnormalized { 1.0 } else { size as f32 };
                let u = std::array::from_fn(|lane| one(x + lane as i32, width).to_bits());
                (u, [one(y, height).to_bits(); 32])
            }
            None => (lanes_of(&u), lanes_of(&v)),
        };
        let mut params = match op {
            SamplerOp::SampleL => vec![[0; 32], u, v],
            _ => vec![u, v],
        };
        params.truncate(given as usize);
        let request = SamplerRequest { params: params.len() as u32, offsets, ..request(op, channels, lanes) };
        let got = match params.len() > usize::from(op == SamplerOp::SampleL) {
            true => served(&surface, Some(&state), &request, &params),
            false => None,
        };
        let repeats = |mode| !matches!(mode, Address::Border | Address::HalfBorder);
        if offsets == [0; 3] && lanes < 32 && level < 256 && params.len() > usize::from(op == SamplerOp::SampleL) {
            prop_assert_eq!(got.is_some(), repeats(address_u) && repeats(address_v));
        }
        let Some(got) = got else { return Ok(()) };
        let mut wanted = [[0; 32]; 4];
        reference(&surface, &state, &request, &params, u32::MAX, &mut wanted, &mut Unwatched).unwrap();
        prop_assert_eq!(got, wanted);
    }

    /// Any words as surface and sampler state, any parameters: an answer or a refusal.
    #[test]
    fn no_state_and_no_parameter_leads_outside(
        words in prop::collection::vec(any::<u32>(), 16),
        (format, kind) in (0u32..0x200, 0u32..8),
        (width, height, depth, pitch) in (0u32..40, 0u32..40, 0u32..4, any::<u32>()),
        sampler in prop::array::uniform4(any::<u32>()),
        border in prop::collection::vec(any::<u32>(), 12),
        old in any::<bool>(),
        params in prop::collection::vec(
            prop::collection::vec(prop_oneof![
                any::<u32>(),
                (-2.0f32..2.0).prop_map(f32::to_bits),
                (0u32..40).prop_map(|v| v.wrapping_sub(3)),
            ], 32), 0..12),
        (op, lanes, narrow, offsets) in (
            prop::sample::select(SamplerOp::ALL.iter().map(|op| op.0).collect::<Vec<_>>()),
            prop::sample::select(vec![1u32, 2, 8, 16, 32]), any::<bool>(), any::<[i8; 3]>(),
        ),
    ) {
        let memory = Arc::new(Memory::from_bytes(&vec![0x5a; 1 << 16]));
        let surface = if old {
            let mut words: Vec<u32> = words[..6].to_vec();
            words[0] = words[0] & !(0x7 << 29 | 0x1ff << 18) | kind << 29 | format << 18;
            words[1] = 0;
            words[2] = words[2] & 0x7 | height << 19 | width << 6;
            words[3] = depth << 21 | (pitch & 0x3ff) << 3 | words[3] & 3;
            words[4] &= 0x1000_0000;
            words[5] = 0;
            describe(Generation::Gen5, &words)
        } else {
            let mut words = words.clone();
            words[0] = words[0] & !(0x7 << 29 | 0x3ff << 18) | kind << 29 | format << 18;
            words[1] &= 0xf000_0000;
            words[2] = height << 16 | width;
            words[3] = depth << 21 | pitch & 0x3ff;
            words[4] = 0;
            words[5] &= 0x11;
            words[6] = 0;
            words[7] = 0x0977_0000 & words[7] | 4 << 25 | 5 << 22;
            (words[8], words[9]) = (0, 0);
            describe(Generation::Gen9, &words)
        };
        let Ok(surface) = surface.and_then(|d| Surface::new(d, memory)) else { return Ok(()) };
        let generation = if old { Generation::Gen5 } else { Generation::Gen9 };
        let beside = Beside { border: &border, keys: [(0, u32::MAX); 4], mono: None };
        let state = SamplerState::unpack(generation, sampler, &beside).unwrap_or(SamplerState {
            key: Some(ChromaKey { mode: KeyMode::Kill, low: sampler[0], high: sampler[1] }),
            border: Border::Channels(sampler),
            mip: MipFilter::Linear,
            shadow: Shadow::Less,
            address: [Address::Cube; 3],
            ..SamplerState::default().filtered(Filter::Anisotropic, Filter::Linear)
        });
        let params: Vec<Lanes> = params.iter().map(|values| lanes_of(values)).collect();
        let channels = if op.is_gather() { 2 } else { 11 };
        let request = SamplerRequest {
            params: params.len() as u32,
            params16: narrow,
            offsets: offsets.map(|o| o % 8),
            ..request(op, channels, lanes)
        };
        let mut out: Channels = [[0; 32]; 4];
        if op.is_load() {
            let _ = fetch::load(&surface, &request, &params, u32::MAX, &mut out);
        } else if matches!(op, SamplerOp::Resinfo | SamplerOp::Sampleinfo) {
            info::info(&surface, &request, &params, u32::MAX, &mut out);
        } else {
            let _ = sample(&surface, &state, &request, &params, u32::MAX, &mut out);
        }
    }
}

#[test]
fn what_is_not_plain_has_no_kernel() {
    let surface = |description: Description| noise(description, 7).unwrap();
    let plain = Description::d2(Format::R8_UNORM, 8, 8);
    let state = SamplerState::default();
    let asked = request(SamplerOp::SampleLz, 15, 8);
    let kernel = |surface: &Surface, state: &SamplerState, asked: &SamplerRequest| {
        let params = [[0; 32]; 3];
        let mut out = [[0; 32]; 4];
        LanePlan::new(surface, state, asked).is_some_and(|plan| {
            let asked = Asked {
                surface,
                state,
                request: asked,
                params: &params,
            };
            plan.serve(&asked, 0xff, &mut out).is_some()
        })
    };
    assert!(kernel(&surface(plain.clone()), &state, &asked));
    let keyed = SamplerState {
        key: Some(ChromaKey {
            mode: KeyMode::Black,
            low: 0,
            high: u32::MAX,
        }),
        ..state
    };
    assert!(!kernel(&surface(plain.clone()), &keyed, &asked));
    let compare = request(SamplerOp::SampleC, 1, 8);
    assert!(!kernel(&surface(plain.clone()), &state, &compare));
    let cube = Description::cube(Format::R8_UNORM, 8);
    assert!(!kernel(&surface(cube), &state, &asked));
    let steep = state.filtered(Filter::Anisotropic, Filter::Anisotropic);
    let gradients = request(SamplerOp::SampleD, 15, 8);
    assert!(!kernel(&surface(plain), &steep, &gradients));
}
