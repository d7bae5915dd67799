//! Texels as plain rows: the order of a raw file, without pitch, tiling or padding.

use pretty_assertions::assert_eq;
use visim::internals::surface::{Description, Format, Kind, Planes, Surface, Tiling};

#[test]
fn plain_rows_survive_pitch_tiling_slices_and_planes() {
    for description in [
        Description {
            pitch: 64,
            ..Description::d2(Format::R8_UNORM, 33, 5)
        },
        Description {
            tiling: Tiling::Y,
            ..Description::d2_array(Format::R16G16B16A16_FLOAT, 33, 5, 3)
        },
        Description {
            tiling: Tiling::X,
            ..Description::d2(Format::PLANAR_420_8, 34, 6)
        },
        Description {
            min_lod: 1,
            levels: 2,
            ..Description::d3(Format::R8_UNORM, 9, 8, 5)
        },
        Description {
            pitch: 12,
            ..Description::buffer(Format::R32_UINT, 7)
        },
        Description::d2(Format::named("BC1_UNORM").unwrap(), 9, 9),
        Description::d2(Format::YCRCB_SWAPY, 6, 2),
        Description {
            kind: Kind::Buffer,
            width: 10,
            ..Description::d1(Format::RAW, 1)
        },
    ] {
        let surface = Surface::zeroed(description).unwrap();
        let bytes: Vec<u8> = (1..=surface.plain_bytes()).map(|i| i as u8).collect();
        surface.set_rows(&bytes);
        assert_eq!(surface.to_rows(), bytes, "{}", surface.format());
    }
    // A frame of YV12 is Y, V, U; of the same bytes as I420 the last two change places.
    let frame: Vec<u8> = (0..12).collect();
    for (planes, u, v) in [
        (Planes::i420(2), [8, 9], [10, 11]),
        (Planes::yv12(2), [10, 11], [8, 9]),
    ] {
        let d = Description::d2(Format::PLANAR_420_8, 4, 2);
        for tiling in [Tiling::Linear, Tiling::Y] {
            let planes = Some(planes);
            let surface = Surface::zeroed(Description {
                planes,
                tiling,
                ..d.clone()
            })
            .unwrap();
            surface.set_rows(&frame);
            assert_eq!(surface.plane(0).unwrap().to_rows(), frame[..8]);
            assert_eq!(surface.plane(1).unwrap().to_rows(), u);
            assert_eq!(surface.plane(2).unwrap().to_rows(), v);
            assert_eq!(surface.to_rows(), frame);
        }
    }
    let nv12 = Surface::zeroed(Description::d2(Format::PLANAR_420_8, 4, 2)).unwrap();
    assert_eq!((nv12.row_bytes(), nv12.plain_bytes()), (4, 12));
    assert!(Surface::null().to_rows().is_empty());
}
