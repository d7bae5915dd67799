//! Loads on surfaces small enough to say what comes.

use super::surfaces;
use pretty_assertions::assert_eq;
use std::sync::Arc;
use visim::internals::isa::ChannelMask;
use visim::internals::message::{ReturnFormat, SamplerOp, SamplerRequest};
use visim::internals::sampler::fetch::*;
use visim::internals::sampler::{FetchPath, Lanes};
use visim::internals::surface::{Description, Format, Memory, Surface, Tiling};

const ONE: u32 = 0x3f80_0000;

fn request(op: SamplerOp, params: u32) -> SamplerRequest {
    SamplerRequest {
        params,
        ..surfaces::request(op, 15, 8)
    }
}

/// A surface with pseudo-random bytes that are not NaN in any float format used here.
fn noise(description: Description) -> Surface {
    let surface = Surface::zeroed(description).unwrap();
    let mut state = 12345u32;
    let bytes: Vec<u8> = (0..surface.memory().len())
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8 & 0xbb
        })
        .collect();
    surface.memory().write(0, &bytes);
    surface
}

fn lanes(values: &[i32]) -> Lanes {
    std::array::from_fn(|i| values.get(i).map_or(0, |&v| v as u32))
}

fn red(surface: &Surface, request: &SamplerRequest, params: &[Lanes]) -> Vec<u32> {
    let mut out = [[0xeeee_eeee; 32]; 4];
    load(surface, request, params, u32::MAX, &mut out).unwrap();
    out[0][..8].to_vec()
}

#[test]
fn zero_outside_with_alpha_one_where_the_format_has_none() {
    let bytes = |format| {
        Surface::new(
            Description::d2(format, 2, 1),
            Arc::new(Memory::from_bytes(&[255; 8])),
        )
    };
    let u = lanes(&[0, 1, 2, -1, i32::MIN, i32::MAX]);
    let mut out = [[7; 32]; 4];
    let reply = load(
        &bytes(Format::R8_UNORM).unwrap(),
        &request(SamplerOp::Ld, 1),
        &[u],
        0x3f,
        &mut out,
    );
    assert_eq!(
        reply,
        Ok(Reply {
            kernel: Kernel::Lanes(FetchPath::Elements),
            null_mask: 0xff
        })
    );
    assert_eq!(out[0][..8], [ONE, ONE, 0, 0, 0, 0, 7, 7]);
    assert_eq!(out[1][..8], [0, 0, 0, 0, 0, 0, 7, 7]);
    assert_eq!(out[3][..8], [ONE, ONE, ONE, ONE, ONE, ONE, 7, 7]);
    load(
        &bytes(Format::R8G8B8A8_UNORM).unwrap(),
        &request(SamplerOp::Ld, 1),
        &[u],
        0x3f,
        &mut out,
    )
    .unwrap();
    assert_eq!(out[3][..8], [ONE, ONE, 0, 0, 0, 0, 7, 7]);
    load(
        &bytes(Format::R8_UINT).unwrap(),
        &request(SamplerOp::Ld, 1),
        &[u],
        0x3f,
        &mut out,
    )
    .unwrap();
    assert_eq!(out[3][..8], [1, 1, 1, 1, 1, 1, 7, 7]);
}

#[test]
fn parameters_and_offsets_choose_level_slice_and_texel() {
    // Gen9, 8×8 R8_UINT with levels 8, 4, 2: level 1 below at row 8, level 2 right of it at column 4.
    let d = Description {
        levels: 3,
        ..Description::d2_array(Format::R8_UINT, 8, 8, 2)
    };
    let surface = noise(d);
    let memory = surface.memory().to_vec();
    let at = |x: usize, y: usize| u32::from(memory[y * 8 + x]);
    // QPitch: 8 + max(4, 4) rows = 12.
    let ld = request(SamplerOp::Ld, 4);
    let (u, v) = (lanes(&[0, 3, 1, 7, 4]), lanes(&[0, 1, 1, 7, 0]));
    let (lod, r) = (lanes(&[0, 1, 2, 0, 1]), lanes(&[0, 0, 1, 1, 0]));
    let got = red(&surface, &ld, &[u, v, lod, r]);
    assert_eq!(
        got[..5],
        [at(0, 0), at(3, 9), at(5, 8 + 12 + 1), at(7, 7 + 12), 0]
    );
    // Offsets move texels, not slices; what was inside may leave and come back.
    let moved = SamplerRequest {
        offsets: [-1, 2, 1],
        ..ld
    };
    let got = red(&surface, &moved, &[u, v, lod, r]);
    assert_eq!(got[..4], [0, at(2, 11), 0, 0]);
    // ld_lz has no lod: the third parameter is the slice.
    assert_eq!(
        red(&surface, &request(SamplerOp::LdLz, 3), &[u, v, r])[3],
        at(7, 19)
    );
    // A minimum LOD shifts lod 0 to level 1.
    let d = Description {
        min_lod: 1,
        levels: 2,
        ..surface.description().clone()
    };
    let shifted = Surface::new(d, surface.memory().clone()).unwrap();
    assert_eq!(red(&shifted, &ld, &[u, v, lod, r])[..2], [at(0, 8), 0]);
    // 16-bit parameters are unsigned.
    let short = SamplerRequest {
        params16: true,
        ..ld
    };
    assert_eq!(
        red(&surface, &short, &[lanes(&[0x10003, -1])])[..2],
        [at(3, 0), 0]
    );
}

#[test]
fn one_dimensional_arrays_take_the_slice_from_v() {
    let d = Description {
        array: true,
        depth: 3,
        ..Description::d1(Format::R8_UINT, 4)
    };
    let surface = noise(d);
    let rows = surface.layout().slice;
    let memory = surface.memory().to_vec();
    let got = red(
        &surface,
        &request(SamplerOp::Ld, 2),
        &[lanes(&[1, 1, 1]), lanes(&[0, 2, 3])],
    );
    let stored = if rows.0 > 0 {
        1 + 2 * rows.0
    } else {
        1 + 2 * rows.1 * surface.description().pitch
    };
    assert_eq!(
        got[..3],
        [u32::from(memory[1]), u32::from(memory[stored as usize]), 0]
    );
}

#[test]
fn sixteen_bit_results_round_to_nearest_or_keep_low_bits() {
    let memory = Arc::new(Memory::from_bytes(&[
        0x01, 0x80, 0x80, 0x3f, 0x00, 0x30, 0x80, 0x3f,
    ]));
    let floats = Surface::new(Description::buffer(Format::R32_FLOAT, 2), memory.clone()).unwrap();
    let short = SamplerRequest {
        returns: ReturnFormat::Bits16,
        ..request(SamplerOp::Ld, 1)
    };
    // 1 + 0x8001 / 2^23 is above the half of 2^-10 · … : 3f808001 → 3c04; 3f803000 lies half way between
    // 3c01 and 3c02 and goes to the even one.
    assert_eq!(
        red(&floats, &short, &[lanes(&[0, 1, 2])])[..3],
        [0x3c04, 0x3c02, 0]
    );
    let ints = Surface::new(Description::buffer(Format::R32_UINT, 2), memory).unwrap();
    assert_eq!(red(&ints, &short, &[lanes(&[0, 1])])[..2], [0x8001, 0x3000]);
}

#[test]
fn samples_follow_their_control_words() {
    let size = |format| Description::d2(format, 4, 2);
    let mcs = Arc::new(Surface::zeroed(size(Format::R8_UINT)).unwrap());
    mcs.memory().write(1, &[0b11_10_01_00]);
    let samples = Description {
        samples: 4,
        ..size(Format::R8_UINT)
    };
    let plain = noise(samples.clone());
    let memory = plain.memory().to_vec();
    // Sample s is slice s: with four rows of padding (Gen9 alignment 4), 4 rows of 4 bytes apart.
    let at = |x: usize, s: usize| u32::from(memory[s * 16 + x]);
    let by_sample = request(SamplerOp::Ld2dmsW, 5);
    let params = [
        lanes(&[0, 1, 3, 9]),
        lanes(&[0x1b; 8]),
        lanes(&[0; 8]),
        lanes(&[1; 8]),
        lanes(&[0; 8]),
    ];
    assert_eq!(
        red(&plain, &by_sample, &params)[..4],
        [at(1, 0), at(1, 1), at(1, 3), at(1, 3)]
    );
    let d = Description {
        mcs: Some(mcs),
        clear_colour: [77, 0, 0, 1],
        ..samples
    };
    let compressed = Surface::new(d, plain.memory().clone()).unwrap();
    // Control word 1b = 00 01 10 11 from the top: sample 0 lies in slice 3, 1 in 2, 3 in 0.
    assert_eq!(
        red(&compressed, &by_sample, &params)[..4],
        [at(1, 3), at(1, 2), at(1, 0), at(1, 0)]
    );
    let clear = [
        params[0],
        lanes(&[0xff; 8]),
        params[2],
        params[3],
        params[4],
    ];
    assert_eq!(red(&compressed, &by_sample, &clear)[..2], [77, 77]);
    let words = request(SamplerOp::LdMcs, 1);
    assert_eq!(
        red(&compressed, &words, &[lanes(&[0, 1, 4])])[..3],
        [0, 0xe4, 0]
    );
    assert_eq!(red(&plain, &words, &[lanes(&[1])])[0], 0);
    // The 16-bit form takes the word in four pieces.
    let short = SamplerRequest {
        params16: true,
        ..request(SamplerOp::Ld2dmsW, 6)
    };
    let params = [
        params[0],
        params[1],
        lanes(&[]),
        lanes(&[]),
        lanes(&[]),
        lanes(&[1; 8]),
    ];
    assert_eq!(red(&compressed, &short, &params)[..2], [at(1, 3), at(1, 2)]);
}

#[test]
fn null_surfaces_return_zero_in_every_channel() {
    let mut out = [[7; 32]; 4];
    let reply = load(
        &Surface::null(),
        &request(SamplerOp::Ld, 1),
        &[[0; 32]],
        1,
        &mut out,
    )
    .unwrap();
    assert_eq!(reply.kernel, Kernel::Null);
    assert_eq!(out.map(|c| c[0]), [0; 4]);
}

#[test]
fn surfaces_without_texels_are_refused() {
    let mut out = [[0; 32]; 4];
    let mut why = |d| {
        let surface = Surface::zeroed(d).unwrap();
        load(
            &surface,
            &request(SamplerOp::Ld, 1),
            &[[0; 32]],
            1,
            &mut out,
        )
        .unwrap_err()
        .to_string()
    };
    assert!(why(Description::cube(Format::R8_UNORM, 4)).starts_with("a load from a cube"));
    assert!(
        why(Description::d2(Format::Y8_UNORM, 4, 4))
            .contains("which no generation's sampler reads")
    );
    assert!(why(Description::d2(Format::MONO8, 32, 4)).starts_with("a load from MONO8"));
    let astc = Format::named("ASTC_LDR_2D_4X4_FLT16")
        .or(Format::named("ETC1_RGB8"))
        .unwrap();
    assert!(why(Description::d2(astc, 4, 4)).contains("are not decoded"));
    for op in [SamplerOp::LdMcs, SamplerOp::Ld2dmsW] {
        let volume = Surface::zeroed(Description::d3(Format::R8_UNORM, 4, 4, 4)).unwrap();
        let refused = load(&volume, &request(op, 1), &[[0; 32]], 1, &mut out).unwrap_err();
        assert!(refused.what.ends_with("it is for 2D"), "{}", refused.what);
    }
}

/// The formats whose elements are decoded in vector code.
const HOT: [&str; 20] = [
    "R8_UNORM",
    "R8_UINT",
    "A8_UNORM",
    "L8_UNORM",
    "R8G8_UNORM",
    "R16_UNORM",
    "R16_FLOAT",
    "R16G16_UNORM",
    "R32_FLOAT",
    "R32_UINT",
    "R8G8B8A8_UNORM",
    "R8G8B8A8_UINT",
    "B8G8R8A8_UNORM",
    "R8G8B8A8_UNORM_SRGB",
    "B8G8R8A8_UNORM_SRGB",
    "R16G16B16A16_FLOAT",
    "R16G16B16A16_UNORM",
    "R32G32_FLOAT",
    "R32G32B32A32_FLOAT",
    "R32G32B32A32_UINT",
];

#[test]
fn kernels_of_every_format_equal_the_reference() {
    let mips = |d| Description { levels: 3, ..d };
    for format in Format::all() {
        let deep = Description {
            generation: visim::internals::surface::Generation::Gen5,
            ..mips(Description::d3(format, 13, 9, 5))
        };
        for description in [
            mips(Description::d2(format, 13, 9)),
            Description::d2(format, 64, 4),
            Description {
                x_offset: 4,
                y_offset: 4,
                ..mips(Description::d2_array(format, 13, 9, 3))
            },
            mips(Description::d3(format, 13, 9, 5)),
            deep,
            mips(Description::d1(format, 13)),
            Description {
                pitch: 32,
                ..Description::buffer(format, 14)
            },
        ] {
            let kind = description.kind;
            if Surface::check(description.clone()).is_err() {
                continue;
            }
            let surface = noise(description);
            for (returns, params16) in [
                (ReturnFormat::Bits32, false),
                (ReturnFormat::Bits16, false),
                (ReturnFormat::Bits32, true),
            ] {
                let request = SamplerRequest {
                    lanes: 32,
                    returns,
                    params16,
                    offsets: [1, -1, 0],
                    ..request(SamplerOp::Ld, 4)
                };
                let mix =
                    |a: usize, b: usize| -> Lanes { std::array::from_fn(|i| (i * a % b) as u32) };
                let params = [mix(7, 15), mix(5, 11), mix(3, 4), mix(11, 6)];
                let (mut fast, mut slow) = ([[9; 32]; 4], [[9; 32]; 4]);
                let reply = load(&surface, &request, &params, 0xf7ff_ffff, &mut fast);
                let wanted = load_reference(&surface, &request, &params, 0xf7ff_ffff, &mut slow);
                if let Err(why) = wanted {
                    assert_eq!(reply, Err(why), "{format}");
                    continue;
                }
                let way = match format {
                    f if HOT.contains(&f.name) => FetchPath::Elements,
                    f if f.is_compressed() => FetchPath::Blocks,
                    _ => FetchPath::Table,
                };
                assert_eq!(
                    reply.unwrap().kernel,
                    Kernel::Lanes(way),
                    "{format} {kind:?}"
                );
                assert_eq!(fast, slow, "{format} {kind:?}");
            }
        }
    }
}

#[test]
fn lanes_on_one_image_have_a_kernel_that_equals_the_reference() {
    for format in [
        "R8_UNORM",
        "R8G8B8A8_UNORM",
        "R16G16B16A16_FLOAT",
        "R32G32B32A32_FLOAT",
    ] {
        let format = Format::named(format).unwrap();
        for tiling in [Tiling::Linear, Tiling::X, Tiling::Y] {
            let description = Description {
                tiling,
                levels: 3,
                ..Description::d2_array(format, 150, 70, 2)
            };
            let surface = noise(description);
            // In a row, in a row and out of the surface, and all over.
            let row = |from: u32| -> Lanes { std::array::from_fn(|i| from + i as u32) };
            let mix = |a: usize, b: usize| -> Lanes { std::array::from_fn(|i| (i * a % b) as u32) };
            for (u, v) in [
                (row(3), [5; 32]),
                (row(60), [33; 32]),
                (mix(37, 80), mix(11, 40)),
            ] {
                for (active, channels) in [(u32::MAX, 15), (0x7fff_fff0, 15), (u32::MAX, 5)] {
                    let request = SamplerRequest {
                        lanes: 32,
                        offsets: [1, -2, 3],
                        channels: ChannelMask(channels),
                        ..request(SamplerOp::Ld, 4)
                    };
                    let params = [u, v, [1; 32], [1; 32]];
                    let (mut fast, mut slow) = ([[9; 32]; 4], [[9; 32]; 4]);
                    let reply = load(&surface, &request, &params, active, &mut fast).unwrap();
                    load_reference(&surface, &request, &params, active, &mut slow).unwrap();
                    assert_eq!(reply.kernel, Kernel::Lanes(FetchPath::Elements));
                    assert_eq!(fast, slow, "{format} {tiling:?}");
                }
            }
        }
    }
}
