//! Surfaces of every generation, kind, layout and format, and messages to them, for tests and laws.

use proptest::prelude::*;
use std::sync::Arc;
use visim::internals::isa::ChannelMask;
use visim::internals::message::{ReturnFormat, SamplerOp, SamplerRequest};
use visim::internals::surface::{
    Description, Format, Generation, Kind, LineStride, Memory, MipLayout, SampleStorage, Sampled,
    Select, Surface, Tiling,
};

/// A message of so many lanes without texel offsets, all 32-bit.
pub fn request(op: SamplerOp, channels: u8, lanes: u32) -> SamplerRequest {
    SamplerRequest {
        op,
        surface: 0,
        sampler: 0,
        channels: ChannelMask(channels),
        lanes,
        offsets: [0; 3],
        coarse: false,
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: 15,
    }
}

/// Pseudo-random numbers that a seed stands for.
pub struct Noise(pub u32);

impl Noise {
    /// The next one; its high bits are the better ones.
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0
    }

    /// One of `0..n`.
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(n)) >> 32) as u32
    }

    /// So many bytes, infinities and NaN of float formats among them.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() >> 24) as u8).collect()
    }
}

fn generation() -> impl Strategy<Value = Generation> {
    use Generation::*;
    prop_oneof![
        3 => Just(Gen5),
        3 => Just(Gen9),
        2 => prop::sample::select(vec![Gen4, Gen6, Gen7, Gen75, Gen8, Gen12]),
    ]
}

/// A format that decodes; the common ones most of all.
fn format() -> impl Strategy<Value = Format> {
    let common = [
        Format::R8G8B8A8_UNORM,
        Format::B8G8R8A8_UNORM,
        Format::R8_UNORM,
        Format::R16_UNORM,
        Format::R32_FLOAT,
        Format::R16G16B16A16_FLOAT,
        Format::R32G32B32A32_FLOAT,
    ];
    let all: Vec<Format> = Format::all().filter(|f| f.sample.is_some()).collect();
    prop_oneof![
        2 => prop::sample::select(common.to_vec()),
        3 => prop::sample::select(all),
    ]
}

fn sampled() -> impl Strategy<Value = Sampled> {
    let select = prop::array::uniform4(prop::sample::select(vec![
        Select::Zero,
        Select::One,
        Select::Red,
        Select::Green,
        Select::Blue,
        Select::Alpha,
    ]));
    (
        prop_oneof![3 => Just(Select::PLAIN), 1 => select],
        prop_oneof![2 => Just(0u32), 1 => 0u32..700],
        prop_oneof![2 => Just(0u32), 1 => 0u32..700],
        (
            prop_oneof![3 => Just(0x3fu8), 1 => 0u8..0x40],
            any::<bool>(),
        ),
    )
        .prop_map(
            |(select, resource_min_lod, base_level, (cube_faces, cube_average))| Sampled {
                cube_faces,
                cube_average,
                select,
                resource_min_lod,
                base_level,
                positions: 3,
            },
        )
}

/// A legal description with bytes to put in front of the surface and after it; `kinds` are those to draw
/// from. Its pitch is the smallest or padded, its base anywhere.
pub fn described(kinds: Vec<Kind>) -> impl Strategy<Value = Description> {
    let place = (
        prop::sample::select(vec![
            Tiling::Linear,
            Tiling::Linear,
            Tiling::X,
            Tiling::Y,
            Tiling::W,
            Tiling::Yf,
            Tiling::Ys,
        ]),
        any::<bool>(),
        prop_oneof![1 => Just(0u32), 1 => 1u32..4],
        0u32..3,
        prop_oneof![3 => Just((0, 0)), 1 => (0u32..4, 0u32..3)],
    );
    let images = (1u32..6, 0u32..3, 1u32..4, 0u32..2, any::<bool>());
    let switches = (
        prop_oneof![
            6 => Just(LineStride::Frame),
            1 => Just(LineStride::TopField),
            1 => Just(LineStride::BottomField)
        ],
        prop::bool::weighted(0.2),
        prop_oneof![5 => Just(1u32), 1 => prop::sample::select(vec![2u32, 4, 8, 16])],
        prop::bool::weighted(0.1),
    );
    let size = (1u32..70, 1u32..50);
    let what = (
        generation(),
        prop::sample::select(kinds),
        format(),
        sampled(),
    );
    (what, size, place, images, switches).prop_filter_map(
        "no such surface",
        |((generation, kind, format, sampled), (width, height), place, images, switches)| {
            let (tiling, bit6_swizzle, pad, base, (x, y)) = place;
            let (levels, min_lod, depth, element, array) = images;
            let (line_stride, right, samples, interleaved) = switches;
            let multiple = match format {
                Format::MONO8 => 32,
                f if f.is_packed_422() || f.is_planar() => 2,
                _ => 1,
            };
            let width = (width * kind_width(kind)).next_multiple_of(multiple);
            let height = match kind {
                Kind::D1 | Kind::Buffer => 1,
                Kind::Cube => width,
                _ if format.is_planar() => height.next_multiple_of(2),
                _ => height,
            };
            let array = array && kind != Kind::D3;
            let depth = if array || kind == Kind::D3 { depth } else { 1 };
            let deep = if kind == Kind::D3 { depth } else { 1 };
            let possible = width.max(height).max(deep).ilog2() + 1;
            let single = samples > 1 || kind == Kind::Buffer || format.is_planar();
            let min_lod = if single { 0 } else { min_lod.min(possible - 1) };
            let levels = if single {
                1
            } else {
                levels.min(possible - min_lod)
            };
            let plain = kind == Kind::D2 && !array;
            let description = Description {
                kind,
                array,
                depth,
                tiling: if kind == Kind::Buffer {
                    Tiling::Linear
                } else {
                    tiling
                },
                bit6_swizzle,
                levels,
                min_lod,
                min_array_element: if array { element } else { 0 },
                samples,
                storage: match interleaved {
                    true => SampleStorage::Interleaved,
                    false => SampleStorage::Array,
                },
                line_stride: if plain {
                    line_stride
                } else {
                    LineStride::Frame
                },
                x_offset: if plain { 4 * x } else { 0 },
                y_offset: if plain { 4 * y } else { 0 },
                generation,
                mip_layout: match plain && right && generation <= Generation::Gen6 {
                    true => MipLayout::Right,
                    false => MipLayout::Below,
                },
                sampled,
                ..Description::d2(format, width, height)
            };
            // The smallest pitch is found first, then some is added.
            let tight = Surface::zeroed(description.clone()).ok()?;
            let bits = u32::from(format.bits);
            let unit = match (tiling, kind) {
                (_, Kind::Buffer) | (Tiling::Linear, _) => format.cell().bytes.max(1) * 2,
                _ => tiling.pitch_unit(bits).unwrap_or(1),
            };
            let apart = match description.tiling {
                Tiling::Linear => 64,
                _ => 4096,
            };
            let padded = Description {
                pitch: tight.description().pitch + pad * unit,
                base: u64::from(base * apart),
                ..description
            };
            Surface::check(padded.clone()).is_ok().then_some(padded)
        },
    )
}

/// Buffers hold more in their one dimension.
const fn kind_width(kind: Kind) -> u32 {
    match kind {
        Kind::Buffer => 3,
        _ => 1,
    }
}

/// The surface with noise in it, and in the bytes around it.
pub fn noisy(description: &Description, seed: u32) -> Surface {
    let end = Surface::check(description.clone()).expect("it was checked");
    let bytes = Noise(seed).bytes(end as usize + 100);
    let memory = Arc::new(Memory::from_bytes(&bytes));
    Surface::new(description.clone(), memory).expect("it was checked")
}

/// The formats with vector code of their own.
pub fn plain_format() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "R8_UNORM",
        "R8_UINT",
        "R8G8_UNORM",
        "R16_UNORM",
        "R32_FLOAT",
        "R32_UINT",
        "R8G8B8A8_UNORM",
        "R8G8B8A8_UINT",
        "B8G8R8A8_UNORM",
        "R16G16B16A16_FLOAT",
        "R32G32B32A32_FLOAT",
        "R32G32B32A32_UINT",
        "R8G8B8A8_UNORM_SRGB",
        "B8G8R8A8_UNORM_SRGB",
        "R16G16B16A16_UNORM",
        "R32G32_FLOAT",
        "A8_UNORM",
        "L8_UNORM",
        "R16_FLOAT",
        "R16G16_UNORM",
    ])
}
