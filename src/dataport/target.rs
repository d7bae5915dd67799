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

use super::touch::TouchLog;
use crate::surface::format::Access;
use crate::surface::texel::{Rgba, encode};
use crate::surface::{Kind, Refused, Surface, TexelPosition, Tiling};

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
            let what = format!("{format} is not a render target format of {}", d.generation);
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
            let cell = self.surface.place(TexelPosition {
                level: self.level,
                slice: self.slice,
                x,
                y,
                sample: 0,
            });
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

/// What a target whose pixels share chroma in pairs requires: whole pairs. Source: PRM 4.10.2.1.
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
    if !d.width.is_multiple_of(2) {
        let what = format!(
            "{} as a render target of a width of {}: it must be a multiple of 2",
            d.format, d.width
        );
        return Err(Refused::error(what, "PRM 4.10.2.1, Width"));
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
pub fn write(surface: &Surface, pixels: &Pixels, watch: TouchLog<'_>) -> Result<(), Refused> {
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
