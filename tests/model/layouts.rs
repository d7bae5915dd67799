//! Laws of memory layout: tiling can be undone, and no two texels share a byte.

use super::descriptions::descriptions;
use proptest::prelude::*;
use std::collections::HashMap;
use visim::internals::surface::{
    BytePosition, Description, Format, Generation, Kind, LineStride, MipLayout, Planes,
    SampleStorage, Surface, TexelPosition, Tiled, Tiling,
};

fn tilings() -> impl Strategy<Value = (Tiling, u32, bool)> {
    prop::sample::select(vec![
        (Tiling::Linear, 8),
        (Tiling::X, 8),
        (Tiling::Y, 8),
        (Tiling::W, 8),
        (Tiling::Yf, 8),
        (Tiling::Yf, 16),
        (Tiling::Yf, 32),
        (Tiling::Yf, 64),
        (Tiling::Yf, 128),
        (Tiling::Ys, 8),
        (Tiling::Ys, 16),
        (Tiling::Ys, 32),
        (Tiling::Ys, 64),
        (Tiling::Ys, 128),
    ])
    .prop_flat_map(|(tiling, bits)| any::<bool>().prop_map(move |swizzle| (tiling, bits, swizzle)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tiling_can_be_undone((tiling, bits, swizzle) in tilings(), tiles in 1..40u32, x: u32, y in 0..4096u32) {
        let pitch = tiles * tiling.pitch_unit(bits).expect("a shape");
        // The pitch of W counts every byte twice.
        let x = x % if tiling == Tiling::W { pitch / 2 } else { pitch };
        let tiled = Tiled { tiling, element_bits: bits, pitch, bit6: swizzle };
        let at = BytePosition { column: x, row: y };
        let offset = tiled.offset(at);
        prop_assert_eq!(tiled.position(offset), at);
        let at = tiled.position(offset ^ 1);
        if tiling != Tiling::Linear {
            prop_assert_eq!(tiled.offset(at), offset ^ 1);
        }
    }
}

/// Which cell owns each byte, and which texel each bit of formats of less; two that claim the same one are an
/// error.
#[derive(Default)]
struct Owners {
    cells: HashMap<(usize, u32), [u32; 5]>,
}

impl Owners {
    /// Walks every texel of a surface that is not planar; `part` tells planes apart.
    fn walk(&mut self, surface: &Surface, part: u32) -> Result<(), String> {
        let d = surface.description();
        let cell = d.format.cell();
        if d.kind == Kind::Null || cell.bytes == 0 {
            return Ok(());
        }
        let levels = if d.kind == Kind::Buffer {
            1
        } else {
            d.min_lod + d.levels
        };
        for level in 0..levels {
            let size = |n: u32| {
                if d.kind == Kind::Buffer {
                    n
                } else {
                    (n >> level).max(1)
                }
            };
            let slices = match d.kind {
                Kind::D3 => size(d.depth),
                Kind::Buffer => 1,
                _ => d.slices(),
            };
            for slice in 0..slices {
                for sample in 0..d.samples {
                    let small = d.format.bits < 8;
                    let across = if small { 1 } else { cell.across as usize };
                    for y in (0..size(d.height)).step_by(cell.down as usize) {
                        for x in (0..size(d.width)).step_by(across) {
                            let place = surface.place(TexelPosition {
                                level,
                                slice,
                                x,
                                y,
                                sample,
                            });
                            let texel = [part, level, slice * 16 + sample, x, y];
                            for byte in 0..cell.bytes {
                                let at = surface.address(place.x + byte, place.y);
                                // Levels of small texels begin inside a byte.
                                let inside = if small { place.in_x } else { 0 };
                                self.claim(surface, (at, inside), texel)?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn claim(
        &mut self,
        surface: &Surface,
        (at, inside): (usize, u32),
        cell: [u32; 5],
    ) -> Result<(), String> {
        if at >= surface.memory().len() {
            return Err(format!(
                "{cell:?} lies at {at} of {}",
                surface.memory().len()
            ));
        }
        match self.cells.insert((at, inside), cell) {
            Some(other) if other != cell => {
                Err(format!("byte {at} is of {other:?} and of {cell:?}"))
            }
            _ => Ok(()),
        }
    }
}

fn no_byte_is_shared(description: Description) -> Result<(), String> {
    let Ok(surface) = Surface::zeroed(description) else {
        return Ok(());
    };
    let mut owners = Owners::default();
    for plane in 0..3 {
        if let Some(part) = surface.plane(plane) {
            owners.walk(&part, plane)?;
        }
        if !surface.format().is_planar() {
            break;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_two_texels_share_a_byte(description in descriptions()) {
        let smaller = |n: u32| n % 40 + 1;
        let (width, height) = (smaller(description.width), smaller(description.height));
        let height = if description.kind == Kind::Cube { width } else { height };
        let height = if matches!(description.kind, Kind::D1 | Kind::Buffer) { 1 } else { height };
        let rows = height >> description.chroma_shift().1;
        let planes = description.planes.map(|planes| match (planes.interleaved, planes.half_pitch) {
            (true, _) => Planes::nv12(height),
            // Rows of half a pitch; one plane begins where the one before ends.
            (false, true) if planes.u.1 < planes.v.1 => Planes { u: (0, 2 * height), v: (0, 2 * height + rows), ..planes },
            (false, true) => Planes { v: (0, 2 * height), u: (0, 2 * height + rows), ..planes },
            (false, false) => Planes { u: (0, height), v: (0, height + rows), ..planes },
        });
        let shape = Description { width, height, planes, ..description };
        no_byte_is_shared(shape.clone()).map_err(|why| TestCaseError::fail(format!("{shape:?}: {why}")))?;
    }
}

#[test]
fn the_layouts_that_chance_seldom_meets_share_no_byte_either() {
    let rgba = |width, height| Description::d2(Format::R8G8B8A8_UNORM, width, height);
    let bc1 = Format::named("BC1_UNORM").expect("format");
    let fxt1 = Format::named("FXT1").expect("format");
    let planar_411 = Format::named("PLANAR_411_8").expect("format");
    for generation in [
        Generation::Gen4,
        Generation::Gen5,
        Generation::Gen6,
        Generation::Gen7,
        Generation::Gen8,
        Generation::Gen9,
    ] {
        let early = generation <= Generation::Gen6;
        for tiling in [Tiling::Linear, Tiling::X, Tiling::Y] {
            let with = |d: Description| Description {
                generation,
                tiling,
                ..d
            };
            let surfaces = [
                Description {
                    levels: 6,
                    ..rgba(37, 23)
                },
                Description {
                    levels: 6,
                    mip_layout: if early {
                        MipLayout::Right
                    } else {
                        MipLayout::Below
                    },
                    ..rgba(37, 23)
                },
                Description {
                    levels: 5,
                    ..Description::d2_array(Format::R8_UNORM, 33, 17, 5)
                },
                Description {
                    levels: 5,
                    ..Description::cube(Format::R16_UNORM, 16)
                },
                Description {
                    levels: 5,
                    ..Description::d3(Format::R8_UNORM, 20, 12, 9)
                },
                Description {
                    levels: 4,
                    ..Description::d2(bc1, 35, 21)
                },
                Description {
                    levels: 4,
                    ..Description::d2_array(fxt1, 35, 21, 3)
                },
                Description {
                    levels: 5,
                    ..Description::d1(Format::R8_UNORM, 100)
                },
                Description {
                    samples: 4,
                    storage: SampleStorage::Interleaved,
                    ..rgba(13, 9)
                },
                Description {
                    samples: if early { 1 } else { 8 },
                    ..rgba(13, 9)
                },
                Description {
                    samples: 16,
                    storage: SampleStorage::Interleaved,
                    ..rgba(13, 9)
                },
                Description {
                    line_stride: LineStride::BottomField,
                    ..rgba(13, 9)
                },
                Description {
                    x_offset: 8,
                    y_offset: 4,
                    levels: 3,
                    ..rgba(13, 9)
                },
                Description {
                    planes: Some(Planes::i420(32)),
                    ..Description::d2(Format::PLANAR_420_8, 32, 32)
                },
                Description {
                    planes: Some(Planes::yv12(32)),
                    pitch: 256,
                    ..Description::d2(Format::PLANAR_420_8, 32, 32)
                },
                Description::d2(Format::PLANAR_420_16, 32, 32),
                Description {
                    planes: Some(Planes {
                        u: (0, 64),
                        v: (0, 96),
                        ..Planes::i420(32)
                    }),
                    ..Description::d2(planar_411, 32, 32)
                },
                Description {
                    planes: Some(Planes {
                        half_pitch: false,
                        u: (0, 32),
                        v: (0, 64),
                        ..Planes::i420(32)
                    }),
                    ..Description::d2(planar_411, 32, 32)
                },
                Description::d2(Format::R32G32B32A32_FLOAT, 9, 9),
                Description::d2(Format::named("R32G32B32_FLOAT").expect("format"), 9, 9),
                Description::d2(Format::named("R8G8B8_UNORM").expect("format"), 50, 40),
                Description::d2(Format::YCRCB_NORMAL, 18, 5),
                Description::d2(Format::MONO8, 64, 5),
            ];
            for surface in surfaces.map(with) {
                no_byte_is_shared(surface.clone())
                    .unwrap_or_else(|why| panic!("{surface:?}: {why}"));
            }
        }
    }
    for (bits, name) in [
        (8, "R8_UNORM"),
        (16, "R16_UNORM"),
        (32, "R32_UINT"),
        (64, "R32G32_UINT"),
        (128, "R32G32B32A32_UINT"),
    ] {
        for tiling in [Tiling::Yf, Tiling::Ys] {
            let format = Format::named(name).expect("format");
            assert_eq!(u32::from(format.bits), bits);
            let surface = Description {
                tiling,
                levels: 3,
                ..Description::d2_array(format, 90, 40, 2)
            };
            no_byte_is_shared(surface).unwrap();
        }
    }
    let stencil = Description {
        tiling: Tiling::W,
        levels: 3,
        ..Description::d2_array(Format::R8_UINT, 90, 70, 2)
    };
    no_byte_is_shared(stencil).unwrap();
}
