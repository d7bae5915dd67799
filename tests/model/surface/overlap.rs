//! Planes of a planar surface that share bytes: the state says where each begins, and nothing keeps them apart.

use visim::internals::surface::{
    BytePosition, Description, Format, Generation, LineStride, Planes, Surface, Tiled, Tiling,
};
fn shared(of: Description) -> Option<String> {
    let surface = Surface::zeroed(of).expect("a legal surface");
    let of = surface.description();
    of.shared_planes().map(|remark| remark.what)
}

fn planar(planes: Planes, tiling: Tiling) -> Description {
    Description {
        planes: Some(planes),
        tiling,
        generation: Generation::Gen9,
        ..Description::d2(Format::PLANAR_420_8, 64, 32)
    }
}

/// The bytes of every texel, counted one by one.
fn counted(of: &Description) -> bool {
    let surface = Surface::zeroed(of.clone()).expect("a legal surface");
    let mut seen = std::collections::HashSet::new();
    (0..3)
        .filter_map(|number| surface.plane(number))
        .any(|part| {
            let part = part.description();
            let bits = u32::from(part.format.bits);
            let bytes = bits / 8;
            let mut places =
                (0..part.height).flat_map(|y| (0..part.width * bytes).map(move |x| (x, y)));
            let row = |y| part.line_stride.row(y) + part.y_offset;
            let at = |(x, y)| {
                let column = part.x_offset * bytes + x;
                let tiled = Tiled {
                    tiling: part.tiling,
                    element_bits: 8,
                    pitch: part.pitch,
                    bit6: false,
                };
                part.base
                    + tiled.offset(BytePosition {
                        column,
                        row: row(y),
                    })
            };
            places.any(|place| !seen.insert(at(place)))
        })
}

#[test]
fn usual_layouts_share_nothing() {
    let beside = Planes {
        interleaved: false,
        v: (64, 32),
        ..Planes::nv12(32)
    };
    for tiling in [Tiling::Linear, Tiling::X, Tiling::Y] {
        for planes in [Planes::nv12(32), Planes::i420(32), Planes::yv12(32), beside] {
            let of = Description {
                pitch: if planes == beside { 512 } else { 0 },
                ..planar(planes.behind_tiles(32, tiling), tiling)
            };
            assert_eq!(shared(of), None, "{planes:?} {tiling:?}");
        }
    }
    // Both fields of an interlaced frame: chroma begins below the rows of both.
    let field = Description {
        line_stride: LineStride::TopField,
        height: 16,
        ..planar(Planes::nv12(32), Tiling::Linear)
    };
    assert_eq!(shared(field), None);
}

#[test]
fn what_is_shared_is_told_with_its_rows() {
    let early = planar(Planes::nv12(30), Tiling::Linear);
    let told = "row 30 of luma and row 0 of chroma plane 1 share byte 0x780 of the surface";
    assert_eq!(shared(early).as_deref(), Some(told));
    let twice = Planes {
        v: Planes::i420(32).u,
        ..Planes::i420(32)
    };
    let told =
        "row 0 of chroma plane 1 and row 0 of chroma plane 2 share byte 0x800 of the surface";
    assert_eq!(shared(planar(twice, Tiling::Linear)).as_deref(), Some(told));
}

/// Rows, columns and pitches of every kind, against the bytes one by one.
#[test]
fn it_is_found_where_bytes_are_counted() {
    let mut found = [0; 2];
    for seed in 0..400u32 {
        let bits = seed.wrapping_mul(0x9e37_79b9) >> 8;
        let pick = |shift: u32, n: u32| (bits >> shift) % n;
        let tiling = [Tiling::Linear, Tiling::X, Tiling::Y][pick(0, 3) as usize];
        let height = [4, 8, 34][pick(2, 3) as usize];
        let planes = Planes {
            interleaved: pick(4, 3) == 0,
            half_pitch: pick(6, 2) == 0,
            u: (4 * pick(7, 9), 2 * pick(10, 40)),
            v: (4 * pick(12, 9), 2 * pick(14, 40)),
            ..Planes::default()
        };
        let of = Description {
            width: 4 * (1 + pick(16, 20)),
            height,
            pitch: [1024, 2048][pick(18, 2) as usize],
            line_stride: [LineStride::Frame, LineStride::TopField][pick(20, 2) as usize],
            ..planar(planes, tiling)
        };
        let told = shared(of.clone()).is_some();
        assert_eq!(told, counted(&of), "{of:?}");
        found[usize::from(told)] += 1;
    }
    assert!(found[0] > 50 && found[1] > 50, "{found:?}");
}
