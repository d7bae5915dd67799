//! Media blocks: rectangles of bytes of a 2D surface.

use pretty_assertions::assert_eq;
use std::sync::Arc;
use visim::internals::dataport::block::{BlockRows, Path, media_read, media_write};
use visim::internals::message::{DataPath, FieldSelect, MediaBlock};
use visim::internals::surface::{Description, Format, LineStride, Memory, Surface, Tiling};

/// A surface whose memory holds 0, 1, 2 … modulo 251.
fn counted(description: Description) -> Surface {
    let surface = Surface::zeroed(description).unwrap();
    let bytes: Vec<u8> = (0..surface.memory().len())
        .map(|i| (i % 251) as u8)
        .collect();
    surface.memory().write(0, &bytes);
    surface
}

fn block(x: i32, y: i32, width: u32, height: u32) -> MediaBlock {
    MediaBlock {
        surface: 0,
        field: FieldSelect::State,
        x,
        y,
        width,
        height,
        path: DataPath::DEFAULT,
    }
}

fn read(surface: &Surface, block: MediaBlock) -> (Path, Vec<u8>) {
    let mut out = vec![0xee; block.bytes() as usize];
    let path = media_read(surface, &block, &mut out).unwrap();
    (path, out)
}

#[test]
fn rows_lie_at_the_register_pitch_and_padding_is_left_alone() {
    let surface = counted(Description::d2(Format::R8_UNORM, 16, 8));
    let (path, out) = read(&surface, block(2, 1, 3, 2));
    assert_eq!(path, Path::Rows);
    assert_eq!(out, [18, 19, 20, 0xee, 34, 35, 36, 0xee]);
}

#[test]
fn blocks_inside_of_rows_are_those_of_one_after_the_other() {
    for (width, height) in [(1, 1), (3, 2), (16, 3), (32, 8), (64, 4)] {
        for pitch in [72, 75] {
            let description = Description {
                pitch,
                ..Description::d2(Format::R8_UNORM, 70, 9)
            };
            let (from, to) = (counted(description.clone()), counted(description.clone()));
            let own = counted(description);
            let rows = BlockRows::new(&from, &block(5, 5, width, height)).unwrap();
            let written = BlockRows::new(&own, &block(0, 0, width, height)).unwrap();
            for (x, y) in [(0, 0), (8, 1), (5, 0), (69, 8), (-1, 0), (0, 7), (40, 3)] {
                let block = block(x, y, width, height);
                let (path, wanted) = read(&from, block);
                let mut out = vec![0xee; wanted.len()];
                let inside = rows.read((x, y), &mut out);
                assert_eq!(inside, path == Path::Rows, "{x} {y} of {width}x{height}");
                let data: Vec<u8> = (0..wanted.len()).map(|i| (i * 7) as u8).collect();
                assert_eq!(written.write((x, y), &data), inside);
                if inside {
                    assert_eq!(out, wanted);
                    media_write(&to, &block, &data).unwrap();
                }
                assert_eq!(own.memory().to_vec(), to.memory().to_vec());
            }
        }
    }
}

#[test]
fn outside_the_pixel_at_the_edge_is_repeated() {
    // 4×2 texels of one byte: 0 1 2 3 / 4 5 6 7.
    let bytes = counted(Description::d2(Format::R8_UNORM, 4, 2));
    assert_eq!(
        read(&bytes, block(-2, -1, 8, 4)).1,
        [
            [0, 0, 0, 1, 2, 3, 3, 3],
            [0, 0, 0, 1, 2, 3, 3, 3],
            [4, 4, 4, 5, 6, 7, 7, 7],
            [4, 4, 4, 5, 6, 7, 7, 7]
        ]
        .concat()
    );
    // The same bytes as two texels of two bytes: words are repeated.
    let words = counted(Description::d2(Format::R16_UNORM, 2, 1));
    assert_eq!(read(&words, block(-2, 0, 8, 1)).1, [0, 1, 0, 1, 2, 3, 2, 3]);
    assert_eq!(read(&words, block(-1, 0, 2, 1)).1, [1, 0, 0xee, 0xee]);
    let dwords = counted(Description::d2(Format::R8G8B8A8_UNORM, 2, 1));
    assert_eq!(
        read(&dwords, block(-4, 0, 16, 1)).1,
        [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7]
    );
    // Far away on both sides.
    assert_eq!(read(&bytes, block(i32::MIN, i32::MAX, 4, 1)).1, [4; 4]);
    assert_eq!(read(&bytes, block(i32::MAX, i32::MIN, 4, 1)).1, [3; 4]);
}

#[test]
fn packed_422_keeps_chroma_and_repeats_luma() {
    // PRM 5.10.5: Y0U0Y1V0 becomes Y0U0Y0V0 on the left and Y1U0Y1V0 on the right.
    let yuyv = counted(Description::d2(Format::YCRCB_NORMAL, 4, 1)); // 0 1 2 3 | 4 5 6 7
    assert_eq!(
        read(&yuyv, block(-4, 0, 16, 1)).1,
        [0, 1, 0, 3, 0, 1, 2, 3, 4, 5, 6, 7, 6, 5, 6, 7]
    );
    let uyvy = counted(Description::d2(Format::YCRCB_SWAPY, 4, 1));
    assert_eq!(
        read(&uyvy, block(-4, 0, 16, 1)).1,
        [0, 1, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 4, 7, 6, 7]
    );
}

#[test]
fn a_frame_asked_of_a_field_has_twice_the_rows() {
    // Rows of 4 bytes; the field has rows 1, 3, 5 of a memory of 6 rows: 4, 12, 20 in column 0.
    let field = Description {
        line_stride: LineStride::BottomField,
        ..Description::d2(Format::R8_UNORM, 4, 3)
    };
    let surface = counted(field);
    let firsts = |field| {
        let ask = MediaBlock {
            field,
            ..block(0, 0, 1, 6)
        };
        let bytes = read(&surface, ask).1;
        bytes.into_iter().step_by(4).collect::<Vec<u8>>()
    };
    assert_eq!(firsts(FieldSelect::State), [4, 12, 20, 20, 20, 20]);
    assert_eq!(firsts(FieldSelect::Frame), [0, 4, 8, 12, 16, 20]);
}

#[test]
fn fields_take_every_second_row() {
    let frame = counted(Description::d2(Format::R8_UNORM, 4, 6));
    let field = |field, y| {
        read(
            &frame,
            MediaBlock {
                field,
                ..block(0, y, 1, 4)
            },
        )
        .1
    };
    let firsts = |bytes: Vec<u8>| bytes.into_iter().step_by(4).collect::<Vec<u8>>();
    assert_eq!(firsts(field(FieldSelect::Top, 0)), [0, 8, 16, 16]);
    assert_eq!(firsts(field(FieldSelect::Bottom, -1)), [4, 4, 12, 20]);
    // A surface that is a field itself: the height is that of the field.
    let top = Description {
        line_stride: LineStride::TopField,
        ..Description::d2(Format::R8_UNORM, 4, 3)
    };
    let top = Surface::new(top, frame.memory().clone()).unwrap();
    assert_eq!(firsts(read(&top, block(0, 0, 1, 4)).1), [0, 8, 16, 16]);
    let bottom = MediaBlock {
        field: FieldSelect::Bottom,
        ..block(0, 0, 1, 4)
    };
    assert_eq!(firsts(read(&top, bottom).1), [4, 12, 20, 20]);
    let odd = counted(Description::d2(Format::R8_UNORM, 4, 5));
    assert!(media_read(&odd, &bottom, &mut [0; 16]).is_err());
}

#[test]
fn tiled_surfaces_read_the_same_bytes_as_linear_ones() {
    for tiling in [Tiling::X, Tiling::Y, Tiling::W, Tiling::Yf, Tiling::Ys] {
        let swizzles = [false, true];
        for bit6_swizzle in swizzles
            .into_iter()
            .filter(|on| !on || tiling.is_swizzled())
        {
            let linear = counted(Description::d2(Format::R8_UNORM, 700, 70));
            let tiled = Description {
                tiling,
                bit6_swizzle,
                ..Description::d2(Format::R8_UNORM, 700, 70)
            };
            let tiled = Surface::zeroed(tiled).unwrap();
            for y in (0..70).step_by(4) {
                for x in (0..700).step_by(64) {
                    let whole = block(x, y, 64, 4);
                    assert_eq!(
                        media_write(&tiled, &whole, &read(&linear, whole).1),
                        Ok(Path::Pieces)
                    );
                }
            }
            for (x, y) in [(0, 0), (500, 5), (120, 30), (-7, -3), (690, 68), (63, 63)] {
                let part = block(x, y, 33, 4);
                assert_eq!(
                    read(&tiled, part).1,
                    read(&linear, part).1,
                    "{tiling:?} {bit6_swizzle} {x} {y}"
                );
            }
        }
    }
}

#[test]
fn writes_outside_are_dropped() {
    let surface = Surface::zeroed(Description::d2(Format::R8_UNORM, 4, 2)).unwrap();
    let data: Vec<u8> = (1..=32).collect();
    assert_eq!(
        media_write(&surface, &block(-1, -1, 8, 4), &data),
        Ok(Path::Pieces)
    );
    // Rows 1 and 2 of the block, bytes 1 to 4 of each.
    assert_eq!(surface.memory().to_vec(), [10, 11, 12, 13, 18, 19, 20, 21]);
    assert_eq!(
        media_write(&surface, &block(4, 0, 4, 1), &data),
        Ok(Path::Pieces)
    );
    assert_eq!(
        media_write(&surface, &block(i32::MIN, 5, 4, 1), &data),
        Ok(Path::Pieces)
    );
    assert_eq!(surface.memory().to_vec(), [10, 11, 12, 13, 18, 19, 20, 21]);
}

#[test]
fn null_surfaces_read_zero_and_others_are_refused() {
    assert_eq!(
        read(&Surface::null(), block(0, 0, 3, 1)),
        (Path::Null, vec![0, 0, 0, 0xee])
    );
    assert_eq!(
        media_write(&Surface::null(), &block(0, 0, 4, 1), &[1; 4]),
        Ok(Path::Null)
    );
    let buffer = Surface::zeroed(Description::buffer(Format::R8_UINT, 64)).unwrap();
    assert!(media_read(&buffer, &block(0, 0, 4, 1), &mut [0; 4]).is_err());
}

#[test]
fn a_row_may_be_wider_than_the_width_in_texels() {
    // A state whose Width counts dwords: 4 of them are 16 bytes.
    let d = Description {
        media_row: Some(16),
        ..Description::d2(Format::R8_UNORM, 4, 2)
    };
    let surface = Surface::new(d, Arc::new(Memory::from_bytes(&[7; 32]))).unwrap();
    assert_eq!(read(&surface, block(12, 1, 4, 1)), (Path::Rows, vec![7; 4]));
}

#[test]
fn planar_surfaces_answer_with_luma() {
    let nv12 = counted(Description::d2(Format::PLANAR_420_8, 4, 2));
    assert_eq!(read(&nv12, block(2, 1, 4, 1)).1, [6, 7, 7, 7]);
    // Pairs of chroma repeat together.
    assert_eq!(
        read(&nv12.plane(1).unwrap(), block(2, 0, 4, 1)).1,
        [10, 11, 10, 11]
    );
}
