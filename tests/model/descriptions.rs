//! Random surfaces.

use proptest::prelude::*;
use visim::internals::surface::{
    Description, Format, Generation, Kind, LineStride, Planes, SampleStorage, Tiling,
};

/// Descriptions that mostly make sense, of the generations whose state is known.
pub fn descriptions() -> impl Strategy<Value = Description> {
    let generation = prop::sample::select(vec![
        Generation::Gen4,
        Generation::Gen5,
        Generation::Gen6,
        Generation::Gen8,
        Generation::Gen9,
    ]);
    let format = prop::sample::select(Format::all().collect::<Vec<_>>());
    let kind = prop::sample::select(vec![Kind::D1, Kind::D2, Kind::D3, Kind::Cube, Kind::Buffer]);
    let tiling = prop::sample::select(vec![Tiling::Linear, Tiling::X, Tiling::Y, Tiling::Yf]);
    let size = (1..200u32, 1..200u32, 1..9u32, 1..5u32, any::<bool>());
    let more = (
        0..3u32,
        0..3u32,
        0..4u32,
        0..4u32,
        0..3u8,
        prop::sample::select(vec![1, 1, 2, 4, 8, 16]),
    );
    // What only some generations and surfaces have: distances and alignments that mostly fit.
    let qpitch = prop_oneof![8 => (0..60u32).prop_map(|n| 4 * n), 1 => 0..240u32];
    let unit = || prop::sample::select(vec![1u32, 2, 3, 4, 4, 8, 16]);
    let rare = (
        prop::option::weighted(0.4, qpitch),
        prop::option::weighted(0.3, (unit(), unit())),
        any::<bool>(),
        0..4u8,
    );
    (generation, format, kind, tiling, size, more, rare).prop_map(
        |(generation, format, kind, tiling, (width, height, depth, levels, array), more, rare)| {
            let (min_lod, element, x, y, lines, samples) = more;
            let (qpitch, align, interleaved, planes) = rare;
            Description {
                kind,
                tiling,
                generation,
                depth: match kind {
                    Kind::D3 => depth,
                    Kind::Buffer => 1,
                    _ if array => depth,
                    _ => 1,
                },
                array: array && depth > 1 && matches!(kind, Kind::D1 | Kind::D2),
                levels: if samples > 1 || kind == Kind::Buffer {
                    1
                } else {
                    levels
                },
                min_lod: if kind == Kind::Buffer { 0 } else { min_lod },
                min_array_element: if matches!(kind, Kind::D1 | Kind::D2) {
                    element
                } else {
                    0
                },
                samples: if kind == Kind::D2 { samples } else { 1 },
                storage: match samples > 1 && (generation == Generation::Gen6 || interleaved) {
                    true => SampleStorage::Interleaved,
                    false => SampleStorage::Array,
                },
                qpitch: qpitch.filter(|_| generation >= Generation::Gen8),
                align,
                planes: format.is_planar().then(|| match planes {
                    0 => Planes::nv12(height),
                    1 => Planes::i420(height),
                    2 => Planes::yv12(height),
                    _ => Planes {
                        interleaved: false,
                        v: (0, height + height / 2),
                        ..Planes::nv12(height)
                    },
                }),
                x_offset: if kind == Kind::Buffer { 0 } else { 4 * x },
                y_offset: if kind == Kind::Buffer { 0 } else { 4 * y },
                line_stride: [
                    LineStride::Frame,
                    LineStride::TopField,
                    LineStride::BottomField,
                ][usize::from(if kind == Kind::Buffer { 0 } else { lines })],
                ..Description::d2(
                    format,
                    width,
                    match kind {
                        Kind::Cube => width,
                        Kind::Buffer => 1,
                        _ => height,
                    },
                )
            }
        },
    )
}
