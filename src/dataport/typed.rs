//! Typed writes, a row at a time: texels that follow each other in a linear image are converted together
//! and stored in one piece.
//!
//! [`Surface::store_texel`] defines what is stored; a law asserts that a row leaves the same bytes.
//! Source: surface reference 2.11; vISA text reference 5.9.

use crate::math::simd;
use crate::surface::format::{ChannelType, Colour};
use crate::surface::texel::encode;
use crate::surface::{Format, Kind, Surface, Tiling};

/// Lanes of a message at most.
const LANES: usize = 32;

/// Texels of a message.
#[derive(Clone, Debug)]
pub struct Row {
    /// Lanes that are on.
    pub mask: u32,
    /// Lanes of the message.
    pub lanes: usize,
    /// U, V, R and the level of each lane.
    pub coordinates: [[u32; LANES]; 4],
    /// R, G, B, A of each lane in the number type of the format.
    pub channels: [[u32; LANES]; 4],
}

/// Bytes of a texel at most.
const MOST: usize = 16;

/// How texels become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    /// 8-bit channels of the range 0 to 1: for each byte the channel it comes from.
    Bytes([Option<u8>; 4]),
    /// 32-bit channels as they stand.
    Dwords([Option<u8>; 4]),
    /// One by one.
    Each,
}

impl Packing {
    fn of(format: Format) -> Packing {
        let mut sources = [None; 4];
        let stored = format.channels.into_iter().filter(|c| c.bits > 0);
        let all = |fits: &dyn Fn(ChannelType, u8) -> bool| {
            let mut stored = stored.clone();
            stored.all(|c| fits(c.ty, c.bits) && c.shift % u16::from(c.bits) == 0)
        };
        let bytes = all(&|ty, bits| ty == ChannelType::Unorm && bits == 8);
        let dwords = all(&|ty, bits| {
            bits == 32
                && matches!(
                    ty,
                    ChannelType::Float | ChannelType::Uint | ChannelType::Sint
                )
        });
        if !bytes && !dwords || format.colour == Colour::SrgbCurve {
            return Packing::Each;
        }
        for channel in stored {
            let place = usize::from(channel.shift / u16::from(channel.bits));
            let source = format.out.iter().position(|&letter| letter == channel.name);
            match sources.get_mut(place) {
                Some(place) => *place = source.map(|s| s as u8),
                None => return Packing::Each,
            }
        }
        if bytes {
            Packing::Bytes(sources)
        } else {
            Packing::Dwords(sources)
        }
    }
}

/// Writes texels if those that are on follow each other in one row of a linear 2D image, all inside. If
/// not, nothing has happened and false comes back.
pub fn write_row(surface: &Surface, row: &Row) -> bool {
    let (d, format) = (surface.description(), surface.format());
    let mask = row.mask & (u32::MAX >> (32 - row.lanes.clamp(1, LANES)));
    let (first, count) = (mask.trailing_zeros() as usize, mask.count_ones() as usize);
    if mask == 0 || d.kind != Kind::D2 || d.array || d.samples > 1 || d.tiling != Tiling::Linear {
        return false;
    }
    let size = format.cell().bytes as usize;
    let single = format.cell().across == 1 && !format.is_compressed() && !format.is_planar();
    if !single || size > MOST || d.write_disable != 0 {
        return false;
    }
    let Some(lanes) = first.checked_add(count).map(|end| first..end) else {
        return false;
    };
    if lanes.end > LANES || mask >> first != u32::MAX >> (32 - count) {
        return false;
    }
    let [u, v, _, level] = row.coordinates.each_ref().map(|all| &all[lanes.clone()]);
    let (x, y) = (u[0], v[0]);
    let mut straight = true;
    for i in 0..count {
        straight &= u[i] == x.wrapping_add(i as u32) && v[i] == y && level[i] == 0;
    }
    let inside = |n: u32| (n >> d.min_lod).max(1);
    let end = x.checked_add(count as u32);
    if !straight
        || d.levels == 0
        || end.is_none_or(|e| e > inside(d.width))
        || y >= inside(d.height)
    {
        return false;
    }
    let mut bytes = [0; MOST * LANES];
    let bytes = &mut bytes[..size * count];
    let packing = Packing::of(format);
    match packing {
        Packing::Bytes(sources) => match simd::wide() {
            Some(wide) => wide.run(
                #[inline(always)]
                || pack_bytes(row, first, sources, size, bytes),
            ),
            None => pack_bytes(row, first, sources, size, bytes),
        },
        Packing::Dwords(sources) => {
            for (i, texel) in bytes.chunks_exact_mut(size).enumerate() {
                for (dword, source) in texel.as_chunks_mut::<4>().0.iter_mut().zip(sources) {
                    if let Some(source) = source {
                        *dword = row.channels[usize::from(source)][first + i].to_le_bytes();
                    }
                }
            }
        }
        Packing::Each => {
            for (i, texel) in bytes.chunks_exact_mut(size).enumerate() {
                let rgba = std::array::from_fn(|c| row.channels[c][first + i]);
                let Some(cell) = encode(format, rgba) else {
                    return false;
                };
                texel.copy_from_slice(&cell[..size]);
            }
        }
    }
    let place = surface.place(d.min_lod, 0, x, y, 0);
    surface
        .memory()
        .write(surface.address(place.x, place.y), bytes);
    true
}

/// Lanes that are converted together.
const TOGETHER: usize = 8;

/// 0 to 1 as 0 to 255, halves up; NaN is 0. Source: surface reference 2.11.
#[inline(always)]
fn pack_bytes(row: &Row, first: usize, sources: [Option<u8>; 4], size: usize, bytes: &mut [u8]) {
    for (place, source) in sources.into_iter().enumerate().take(size) {
        let Some(source) = source else { continue };
        let values = &row.channels[usize::from(source)][first..];
        let texels = bytes.chunks_mut(size * TOGETHER);
        for (values, texels) in values.chunks(TOGETHER).zip(texels) {
            let mut codes = [0u8; TOGETHER];
            for (code, value) in codes.iter_mut().zip(values) {
                let x = f64::from(f32::from_bits(*value));
                let x = if x > 0.0 { x } else { 0.0 };
                let x = if x < 1.0 { x } else { 1.0 };
                *code = (x * 255.0 + 0.5) as i32 as u8;
            }
            for (texel, code) in texels.chunks_exact_mut(size).zip(codes) {
                texel[place] = code;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Description;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![
            2 => any::<u32>(),
            3 => (-0.5f32..1.5).prop_map(f32::to_bits),
            1 => (0u32..512).prop_map(|n| (n as f32 / 510.0).to_bits()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_row_equals_its_texels(
            values in prop::collection::vec(number(), 128),
            name in prop::sample::select(vec![
                "R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "R8_UNORM", "R8G8_UNORM", "A8_UNORM",
                "R32G32B32A32_FLOAT", "R32_FLOAT", "R32G32_UINT", "R32_SINT", "R16G16B16A16_FLOAT",
                "R8G8B8A8_UNORM_SRGB", "R8G8B8A8_UINT", "B5G6R5_UNORM", "R10G10B10A2_UNORM", "L8_UNORM",
            ]),
            (x, y, lanes) in (0u32..12, 0u32..3, prop::sample::select(vec![8usize, 16, 32])),
            (low, on) in (0u32..32, 0u32..33),
        ) {
            let format = Format::named(name).unwrap();
            let mask = (((1u64 << on) - 1) << low) as u32;
            let row = Row {
                mask,
                lanes,
                coordinates: [std::array::from_fn(|i| x + i as u32), [y; 32], [0; 32], [0; 32]],
                channels: std::array::from_fn(|c| std::array::from_fn(|i| values[32 * c + i])),
            };
            let surface = || {
                let surface = Surface::zeroed(Description::d2(format, 40, 3)).unwrap();
                surface.memory().write(0, &[0x5a; 64]);
                surface
            };
            let (whole, each) = (surface(), surface());
            if write_row(&whole, &row) {
                for lane in (0..lanes).filter(|l| mask >> l & 1 == 1) {
                    let rgba = std::array::from_fn(|c| row.channels[c][lane]);
                    prop_assert!(each.store_texel(0, 0, x + lane as u32, y, rgba));
                }
            }
            prop_assert_eq!(whole.memory().to_vec(), each.memory().to_vec());
        }
    }

    #[test]
    fn rows_that_leave_the_image_are_left_to_others() {
        let surface = Surface::zeroed(Description::d2(Format::R8_UNORM, 16, 2)).unwrap();
        let row = |x: u32, y: u32, mask: u32| Row {
            mask,
            lanes: 16,
            coordinates: [
                std::array::from_fn(|i| x.wrapping_add(i as u32)),
                [y; 32],
                [0; 32],
                [0; 32],
            ],
            channels: [[0x3f80_0000; 32]; 4],
        };
        assert!(!write_row(&surface, &row(1, 0, 0xffff)));
        assert!(!write_row(&surface, &row(0, 2, 0xffff)));
        assert!(!write_row(&surface, &row(0, 0, 0xff0f)));
        assert!(!write_row(&surface, &row(u32::MAX - 3, 0, 0xff)));
        assert!(surface.memory().to_vec().iter().all(|&b| b == 0));
        assert!(write_row(&surface, &row(1, 1, 0x7ff8)));
        assert_eq!(
            surface
                .memory()
                .to_vec()
                .iter()
                .filter(|&&b| b == 255)
                .count(),
            12
        );
        let tiled = Description {
            tiling: Tiling::Y,
            ..Description::d2(Format::R8_UNORM, 16, 2)
        };
        assert!(!write_row(
            &Surface::zeroed(tiled).unwrap(),
            &row(0, 0, 0xffff)
        ));
    }
}
