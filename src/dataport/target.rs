//! Render target writes: colours of up to sixteen slots become pixels.
//!
//! ```text
//!  slot  0 1 │ 4 5 │ 8  9  │ 12 13       four subspans of 2×2 pixels, each with an X, Y of its own
//!        2 3 │ 6 7 │ 10 11 │ 14 15
//! ```
//!
//! Colours are converted to the surface format. Blending, depth and stencil tests and the rest of the
//! color calculator are not here: what the message carries is what is stored.
//!
//! Source: PRM 5.7, 5.10.7; surface reference 2.11.

use super::touch::Watch;
use crate::surface::format::Access;
use crate::surface::texel::{Rgba, encode};
use crate::surface::{Kind, Refused, Surface, Tiling};

const SEE: &str = "PRM 5.10.7, \"Render Target Write\"";

/// Slots of a message.
pub const SLOTS: usize = 16;

/// What a message writes.
#[derive(Clone, Debug)]
pub struct Pixels {
    /// Enabled slots.
    pub enables: u32,
    /// Upper left pixel of each subspan, X and Y.
    pub corners: [(u32, u32); 4],
    /// Render target array index: slice, face or depth.
    pub index: u32,
    /// R, G, B, A of each slot, in the number type of the format.
    pub colours: [Rgba; SLOTS],
    /// One colour for all slots: tiled surfaces only.
    pub replicated: bool,
}

/// A surface as a render target.
struct Target<'a> {
    surface: &'a Surface,
    level: u32,
    slice: u32,
    width: u32,
    height: u32,
}

impl<'a> Target<'a> {
    fn new(surface: &'a Surface, pixels: &Pixels) -> Result<Target<'a>, Refused> {
        let d = surface.description();
        if d.line_stride.skips() {
            return Err(Refused::error(
                "a render target cannot be a field (Vertical Line Stride 1)",
                SEE,
            ));
        }
        if d.samples > 1 {
            return Err(Refused::unsupported(
                format!("render target of {} samples: one is modelled", d.samples),
                SEE,
            ));
        }
        if d.blend {
            return Err(Refused::unsupported(
                "color blend is enabled for the render target: blending is not modelled",
                SEE,
            ));
        }
        let format = d.format;
        let stored = format.is_packed_422() || encode(format, [0; 4]).is_some();
        if !format.allows(Access::Render, d.generation) || !stored {
            let what = format!("{format} is no render target format of {}", d.generation);
            return Err(Refused::error(what, SEE));
        }
        if pixels.replicated && d.tiling == Tiling::Linear {
            return Err(Refused::undefined(
                "replicated data go to tiled memory only",
                "PRM 5.7.3, \"Replicate Data\"",
            ));
        }
        // Along one axis there is only row 0: subspans must begin there, their lower pixels fall out.
        let flat = matches!(d.kind, Kind::Buffer | Kind::D1);
        for (i, (_, y)) in pixels.corners.iter().enumerate() {
            if flat && *y != 0 && pixels.enables >> (4 * i) & 0xf != 0 {
                let what = format!("Y{i} is {y}: it must be 0 on a {:?} surface", d.kind);
                return Err(Refused::undefined(what, SEE));
            }
        }
        if d.kind == Kind::Buffer && pixels.index != 0 {
            let what = format!("array index {} of a buffer must be 0", pixels.index);
            return Err(Refused::undefined(what, SEE));
        }
        // The state's one field is the last level for samplers and the level of a render target.
        let level = d.min_lod + d.levels.saturating_sub(1);
        if pixels.index != 0 && d.y_offset != 0 {
            return Err(Refused::error(
                "array indices other than 0 want a Y Offset of 0",
                "PRM 4.10.2.1, Y Offset",
            ));
        }
        if !d.generation.wide_y_targets && format.bits == 128 && d.tiling == Tiling::Y {
            return Err(Refused::undefined(
                format!("{format} as a Y-tiled render target: its elements have 128 bits"),
                "PRM 4.10.2.1, Surface Format; surface reference 1.1",
            ));
        }
        if format.is_packed_422() {
            pairs(surface, level, pixels)?;
        }
        let size = |n: u32| n.checked_shr(level).unwrap_or(0).max(1);
        let slices = match d.kind {
            Kind::D3 => size(d.depth),
            Kind::Cube => 6,
            Kind::Buffer => 1,
            _ => d.slices(),
        };
        Ok(Target {
            surface,
            level,
            // Out of range it becomes the minimum array element, and the write goes on.
            slice: if pixels.index < slices {
                pixels.index
            } else {
                0
            },
            width: size(d.width),
            height: if flat { 1 } else { size(d.height) },
        })
    }

    /// Where a pixel lies; `None` outside.
    fn address(&self, x: u32, y: u32) -> Option<usize> {
        (x < self.width && y < self.height).then(|| {
            let cell = self.surface.place(self.level, self.slice, x, y, 0);
            self.surface.address(cell.x, cell.y)
        })
    }

    fn store(&self, x: u32, y: u32, rgba: Rgba) {
        if x < self.width && y < self.height {
            // The format has been looked at: it can be written.
            self.surface.store_texel(self.level, self.slice, x, y, rgba);
        }
    }
}

/// What a target whose pixels share chroma in pairs wants: whole pairs. Source: PRM 4.10.2.1.
fn pairs(surface: &Surface, level: u32, pixels: &Pixels) -> Result<(), Refused> {
    let see = "PRM 4.10.2.1, Surface Format, Write Disables, LOD";
    let d = surface.description();
    if d.write_disable != 0 || level != 0 {
        let what = format!(
            "{} as a render target: all components are written, at level 0",
            d.format
        );
        return Err(Refused::error(what, see));
    }
    for (i, (x, _)) in pixels.corners.iter().enumerate() {
        let on = pixels.enables >> (4 * i) & 0xf;
        let whole = x % 2 == 0 && (on ^ on >> 1) & 0b0101 == 0;
        if on != 0 && !whole {
            let what = format!("subspan {i} at X {x} writes {on:#06b}: pairs are written whole");
            return Err(Refused::undefined(what, see));
        }
    }
    Ok(())
}

/// Writes the enabled slots. Pixels outside the surface are dropped.
///
/// # Errors
/// [`Refused`] if the surface cannot be a render target, or not with this message.
pub fn write(surface: &Surface, pixels: &Pixels, watch: Watch<'_>) -> Result<(), Refused> {
    if surface.kind() == Kind::Null {
        return Ok(());
    }
    let target = Target::new(surface, pixels)?;
    for (slot, rgba) in (0u32..).zip(pixels.colours) {
        if pixels.enables >> slot & 1 == 1 {
            let (x, y) = pixels.corners[slot as usize / 4];
            let (x, y) = (x + (slot & 1), y + (slot >> 1 & 1));
            watch.texel(
                surface,
                true,
                Some(slot as u8),
                [x, y, target.slice, target.level],
                target.address(x, y),
            );
            target.store(x, y, rgba);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Class;
    use crate::surface::{Description, Format, Generation, LineStride};
    use pretty_assertions::assert_eq;

    /// Nobody watches.
    fn write(surface: &Surface, pixels: &Pixels) -> Result<(), Refused> {
        super::write(surface, pixels, Watch::NONE)
    }

    /// Four subspans side by side from x on, each slot with a red of slot/16 and full alpha.
    fn pixels(x: u32, y: u32) -> Pixels {
        Pixels {
            enables: 0xffff,
            corners: [0, 2, 4, 6].map(|dx| (x + dx, y)),
            index: 0,
            colours: std::array::from_fn(|slot| {
                [slot as f32 / 15.0, 0.0, 0.5, 1.0].map(f32::to_bits)
            }),
            replicated: false,
        }
    }

    fn reds(surface: &Surface) -> Vec<u8> {
        surface.to_rows().chunks(4).map(|p| p[0]).collect()
    }

    #[test]
    fn slots_lie_in_subspans_of_two_by_two() {
        let target = Surface::zeroed(Description::d2(Format::R8G8B8A8_UNORM, 8, 2)).unwrap();
        write(&target, &pixels(0, 0)).unwrap();
        // Red of slot n is n/15 · 255 = 17 n; 0.5 · 255 = 127.5 rounds to 128.
        let expected = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15].map(|n| 17 * n);
        assert_eq!(reds(&target), expected);
        assert_eq!(target.to_rows()[4..8], [17, 0, 128, 255]);
    }

    #[test]
    fn only_enabled_pixels_inside_are_written() {
        let target = Surface::zeroed(Description::d2(Format::R8_UNORM, 4, 1)).unwrap();
        let mut some = pixels(1, 0);
        some.enables = 0b0011_0010;
        write(&target, &some).unwrap();
        // Slot 1 at x = 2, slot 4 at x = 3; slot 5 at x = 4 and all of row 1 are outside.
        assert_eq!(target.to_rows(), [0, 0, 17, 68]);
        some.corners = [(u32::from(u16::MAX), u32::from(u16::MAX)); 4];
        write(&target, &some).unwrap();
        assert_eq!(target.to_rows(), [0, 0, 17, 68]);
    }

    #[test]
    fn an_array_index_out_of_range_becomes_the_first_element() {
        let array = Description::d2_array(Format::R8_UNORM, 8, 2, 2);
        let target = Surface::zeroed(array).unwrap();
        for (index, slice) in [(0, 0), (1, 1), (2, 0), (2047, 0)] {
            let mut one = pixels(0, 0);
            (one.enables, one.index) = (1 << 15, index);
            target.memory().write(0, &vec![0; target.memory().len()]);
            write(&target, &one).unwrap();
            let found = target.load_texel(0, slice, 7, 1, 0).unwrap()[0];
            assert_eq!(f32::from_bits(found), 1.0, "{index}");
        }
    }

    #[test]
    fn the_level_written_is_the_one_of_the_field() {
        let levels = Description {
            levels: 2,
            ..Description::d2(Format::R8_UNORM, 16, 4)
        };
        let target = Surface::zeroed(levels).unwrap();
        let mut one = pixels(0, 0);
        one.enables = 1 << 15;
        write(&target, &one).unwrap();
        // Slot 15 is at (7, 1), the lower right texel of level 1.
        let found = target.load_texel(1, 0, 7, 1, 0).unwrap()[0];
        assert_eq!(f32::from_bits(found), 1.0);
        assert_eq!(target.load_texel(0, 0, 7, 1, 0).unwrap()[0], 0);
    }

    #[test]
    fn pixels_that_share_chroma_are_written_together() {
        let packed = Description::d2(Format::named("YCRCB_NORMAL").unwrap(), 8, 2);
        let class = |d: &Description, pixels: &Pixels| {
            write(&Surface::zeroed(d.clone()).unwrap(), pixels).map_err(|r| r.class)
        };
        let target = Surface::zeroed(packed.clone()).unwrap();
        let mut some = pixels(0, 0);
        some.colours[1][1] = 1.0f32.to_bits();
        write(&target, &some).unwrap();
        // Y of each pixel from its green, Cb and Cr of the even one's blue and red: slots 0 and 1, then 4 and 5.
        assert_eq!(target.to_rows()[..8], [0, 128, 255, 0, 0, 128, 0, 68]);
        assert_eq!(class(&packed, &pixels(1, 0)), Err(Class::Undefined));
        // The lower left pixel of subspan 1 without the one beside it.
        let mut killed = pixels(0, 0);
        killed.enables = 0xffff & !(1 << 7);
        assert_eq!(class(&packed, &killed), Err(Class::Undefined));
        killed.enables &= !(1 << 6);
        assert_eq!(class(&packed, &killed), Ok(()));
        let disabled = Description {
            write_disable: 1,
            ..packed
        };
        assert_eq!(class(&disabled, &pixels(0, 0)), Err(Class::Error));
    }

    #[test]
    fn disabled_components_keep_their_bits() {
        let disabled = Description {
            write_disable: 0b1001,
            ..Description::d2(Format::B8G8R8A8_UNORM, 8, 2)
        };
        let target = Surface::zeroed(disabled).unwrap();
        target.memory().write(0, &[0x55; 64]);
        write(&target, &pixels(0, 0)).unwrap();
        // B G R A in memory; R and A are kept.
        assert_eq!(target.to_rows()[60..], [128, 0, 0x55, 0x55]);
        let narrow = Description {
            write_disable: 0b0010,
            ..Description::d2(Format::named("B5G6R5_UNORM").unwrap(), 8, 2)
        };
        let target = Surface::zeroed(narrow).unwrap();
        target.memory().write(0, &[0xff; 32]);
        write(&target, &pixels(0, 0)).unwrap();
        // Slot 15, red 31, blue 0.5 · 31 = 15.5 rounds to 16, the six bits of green as they were.
        let last = u16::from_le_bytes([target.to_rows()[30], target.to_rows()[31]]);
        assert_eq!(last, 31 << 11 | 63 << 5 | 16);
    }

    #[test]
    fn what_cannot_be_is_refused_by_class() {
        let class = |d: Description, pixels: &Pixels| {
            write(&Surface::zeroed(d).unwrap(), pixels).map_err(|r| r.class)
        };
        let plain = Description::d2(Format::R8G8B8A8_UNORM, 8, 8);
        let field = Description {
            line_stride: LineStride::TopField,
            ..plain.clone()
        };
        assert_eq!(class(field, &pixels(0, 0)), Err(Class::Error));
        let blend = Description {
            blend: true,
            ..plain.clone()
        };
        assert_eq!(class(blend, &pixels(0, 0)), Err(Class::Unsupported));
        let replicated = Pixels {
            replicated: true,
            ..pixels(0, 0)
        };
        assert_eq!(class(plain.clone(), &replicated), Err(Class::Undefined));
        let tiled = Description {
            tiling: Tiling::X,
            ..plain
        };
        assert_eq!(class(tiled, &replicated), Ok(()));
        let line = Description::d1(Format::R8_UNORM, 8);
        assert_eq!(class(line.clone(), &pixels(0, 1)), Err(Class::Undefined));
        assert_eq!(class(line, &pixels(0, 0)), Ok(()));
        let wide = Description {
            tiling: Tiling::Y,
            generation: Generation::Gen5,
            ..Description::d2(Format::R32G32B32A32_FLOAT, 8, 8)
        };
        assert_eq!(class(wide.clone(), &pixels(0, 0)), Err(Class::Undefined));
        let later = Description {
            generation: Generation::Gen9,
            ..wide
        };
        assert_eq!(class(later, &pixels(0, 0)), Ok(()));
        let compressed = Description::d2(Format::named("BC1_UNORM").unwrap(), 8, 8);
        assert_eq!(class(compressed, &pixels(0, 0)), Err(Class::Error));
        assert_eq!(write(&Surface::null(), &pixels(0, 0)), Ok(()));
    }
}
