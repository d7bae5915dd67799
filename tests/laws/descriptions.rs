//! Random surfaces.

use proptest::prelude::*;
use visim::surface::{Description, Format, Generation, Kind, LineStride, SampleStorage, Tiling};

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
    (generation, format, kind, tiling, size, more).prop_map(
        |(generation, format, kind, tiling, (width, height, depth, levels, array), more)| {
            let (min_lod, element, x, y, lines, samples) = more;
            Description {
                kind,
                tiling,
                generation,
                depth: if array || kind == Kind::D3 { depth } else { 1 },
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
                storage: if generation == Generation::Gen6 && samples > 1 {
                    SampleStorage::Interleaved
                } else {
                    SampleStorage::Array
                },
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
                    if kind == Kind::Cube { width } else { height },
                )
            }
        },
    )
}
