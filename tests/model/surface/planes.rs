//! Planar video: luma in one plane, chroma in one or two smaller ones, each a surface by itself.

use visim::internals::surface::planes::Planes;
use visim::internals::surface::tiling::Tiling;
use visim::internals::surface::{Description, Format, Kind, Surface};
#[test]
fn planes_are_surfaces_over_the_same_memory() {
    let i420 = Description {
        planes: Some(Planes::i420(4)),
        pitch: 8,
        ..Description::d2(Format::PLANAR_420_8, 6, 4)
    };
    let surface = Surface::zeroed(i420).unwrap();
    let place = |n: u32| {
        let p = surface.plane(n)?;
        let d = p.description();
        Some((d.base, d.width, d.height, d.pitch, d.format))
    };
    assert_eq!(place(0), Some((0, 6, 4, 8, Format::R8_UNORM)));
    assert_eq!(place(1), Some((32, 3, 2, 4, Format::R8_UNORM)));
    assert_eq!(place(2), Some((40, 3, 2, 4, Format::R8_UNORM)));
    assert_eq!(place(3), None);
    assert_eq!(surface.memory().len(), 40 + 4 + 3);
    let nv12 = Surface::zeroed(Description::d2(Format::PLANAR_420_8, 6, 4)).unwrap();
    assert_eq!(nv12.plane(1).unwrap().format(), Format::R8G8_UNORM);
    assert!(nv12.plane(2).is_none());
}

#[test]
fn planes_of_a_null_surface_are_null_whatever_its_fields_say() {
    let null = Description {
        kind: Kind::Null,
        align: Some((0, 0)),
        y_offset: u32::MAX,
        tiling: Tiling::X,
        ..Description::d2(Format::PLANAR_420_8, 4, 4)
    };
    let surface = Surface::zeroed(null).unwrap();
    for plane in 0..2 {
        let plane = surface.plane(plane).unwrap();
        assert_eq!(plane.description().kind, Kind::Null);
    }
    assert_eq!(surface.plane(2).map(|s| s.memory().len()), None);
}

/// Every byte of a tiled frame is its own, whatever the size.
#[test]
fn planes_behind_tiles_share_no_byte() {
    for tiling in [Tiling::X, Tiling::Y] {
        for (width, height) in [(4, 2), (130, 34), (320, 240), (1026, 6)] {
            for planes in [
                Planes::nv12(height),
                Planes::i420(height),
                Planes::yv12(height),
            ] {
                let description = Description {
                    planes: Some(planes.behind_tiles(height, tiling)),
                    tiling,
                    ..Description::d2(Format::PLANAR_420_8, width, height)
                };
                let surface = Surface::zeroed(description).unwrap();
                let frame: Vec<u8> = (0..surface.plain_bytes())
                    .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8)
                    .collect();
                surface.set_rows(&frame);
                assert!(surface.to_rows() == frame, "{width}x{height} {tiling:?}");
            }
        }
    }
}
