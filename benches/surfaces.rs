//! Media blocks and texel loads: the fast path beside its reference.

use divan::{Bencher, black_box};
use visim::internals::dataport::block::media_read;
use visim::internals::isa::ChannelMask;
use visim::internals::message::{
    DataPath, FieldSelect, MediaBlock, ReturnFormat, SamplerOp, SamplerRequest,
};
use visim::internals::sampler::Lanes;
use visim::internals::sampler::fetch::{load, load_reference};
use visim::internals::surface::{Description, Format, Surface, Tiling};

fn main() {
    divan::main();
}

fn surface(format: Format, tiling: Tiling) -> Surface {
    let description = Description {
        tiling,
        ..Description::d2(format, 1920, 1080)
    };
    Surface::zeroed(description).expect("a plain surface")
}

/// 32×8 bytes, the largest block of that width.
fn block(bencher: Bencher, tiling: Tiling, x: i32) {
    let surface = surface(Format::R8_UNORM, tiling);
    let block = MediaBlock {
        surface: 0,
        field: FieldSelect::State,
        x,
        y: 100,
        width: 32,
        height: 8,
        path: DataPath::DEFAULT,
    };
    let mut out = [0; 256];
    bencher
        .counter(divan::counter::BytesCount::new(256u32))
        .bench_local(|| media_read(black_box(&surface), black_box(&block), &mut out));
}

#[divan::bench]
fn media_inside_linear(bencher: Bencher) {
    block(bencher, Tiling::Linear, 640);
}

#[divan::bench]
fn media_inside_tile_y(bencher: Bencher) {
    block(bencher, Tiling::Y, 640);
}

#[divan::bench]
fn media_over_the_edge(bencher: Bencher) {
    block(bencher, Tiling::Linear, -16);
}

/// 16 lanes of a row, four channels.
fn fetch(bencher: Bencher, format: Format, reference: bool) {
    let surface = surface(format, Tiling::Linear);
    let request = SamplerRequest {
        op: SamplerOp::Ld,
        surface: 0,
        sampler: 0,
        channels: ChannelMask::RGBA,
        lanes: 16,
        offsets: [0; 3],
        coarse: false,
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: 2,
    };
    let u: Lanes = std::array::from_fn(|lane| 100 + lane as u32);
    let params = [u, [50; 32]];
    let mut out = [[0; 32]; 4];
    let run = if reference { load_reference } else { load };
    bencher
        .counter(divan::counter::ItemsCount::new(16u32))
        .bench_local(|| {
            run(
                black_box(&surface),
                &request,
                black_box(&params),
                u32::MAX,
                &mut out,
            )
        });
}

const FORMATS: [Format; 4] = [
    Format::R8G8B8A8_UNORM,
    Format::R32_FLOAT,
    Format::R16G16B16A16_FLOAT,
    Format::R32G32B32A32_FLOAT,
];

#[divan::bench(args = FORMATS)]
fn load_kernel(bencher: Bencher, format: Format) {
    fetch(bencher, format, false);
}

#[divan::bench(args = FORMATS)]
fn load_by_reference(bencher: Bencher, format: Format) {
    fetch(bencher, format, true);
}

/// Texels of a row through the format table, one by one: the way of every format, and the only one of most.
#[divan::bench(args = [
    "R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB", "R10G10B10A2_UNORM", "R11G11B10_FLOAT", "R9G9B9E5_SHAREDEXP",
    "YCRCB_NORMAL", "BC1_UNORM", "BC3_UNORM", "BC7_UNORM", "FXT1",
])]
fn decode(bencher: Bencher, name: &str) {
    let surface = surface(Format::named(name).expect("a format"), Tiling::Linear);
    bencher
        .counter(divan::counter::ItemsCount::new(64u32))
        .bench_local(|| {
            for x in 100..164 {
                black_box(black_box(&surface).load_texel(0, 0, x, 50, 0));
            }
        });
}
