//! Planar video: luma in one plane, chroma in one or two smaller ones, each a surface by itself.
//!
//! ```text
//!   NV12, P010              I420, half pitch        YV12                   side by side (IMC4)
//!   ┌──────────────┐        ┌──────────────┐        as I420,               ┌──────────────┐
//!   │ Y            │        │ Y            │        V before U             │ Y            │
//!   │              │        │              │                               │              │
//!   ├──────────────┤ yU     ├──────┬──────┬┘ yU                            ├──────┬───────┤ yU = yV
//!   │ Cb Cr Cb Cr  │        │ U    ┊ U    │  two rows of U for one of Y     │ U    │ V     │ xV = P/2
//!   └──────────────┘        ├──────┴──────┤ yV                            └──────┴───────┘
//!                           │ V    ┊ V    │
//!   4:2:0: a row of chroma for two of luma, a column for two columns
//!
//!   Y at (x, y):  y·P + x·b         Cb at (x, y):  (yU + y/2)·c + (xU + 2·(x/2))·b    pairs, Cr after it
//!   c = P, or P/2 with half pitch                  (yU + y/2)·c + (xU + x/2)·b        planes; V likewise
//! ```
//!
//! 4:2:2 has y in place of y/2, 4:1:1 also x/4. In a tiled surface the same column and row go through the
//! tiling function. Source: surface reference 3.8.

use super::layout::Layout;
use super::tiling::Tiling;
use super::{Description, Format, Invalid, Kind};
use crate::diagnostic::Code;

/// Places of the chroma planes of a planar surface. Source: surface reference 3.8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Planes {
    /// One plane of Cb, Cr pairs at the place of U.
    pub interleaved: bool,
    /// Chroma rows are half a pitch apart.
    pub half_pitch: bool,
    /// Column and row of the U (or pair) plane: components across, rows of the chroma pitch down.
    pub u: (u32, u32),
    /// Column and row of the V plane.
    pub v: (u32, u32),
    /// How far chroma lies below luma, in quarter luma rows, 0..=7: media sampler messages only.
    /// Source: AVS reference 3.3, "Cr/Cb pixel offset V direction".
    pub offset_v: u8,
    /// How far chroma lies to the right of luma, in half luma columns, 0 or 1: as `offset_v`.
    pub offset_u: u8,
}

impl Planes {
    /// NV12 and P010: pairs below `height` luma rows.
    pub const fn nv12(height: u32) -> Planes {
        Planes {
            interleaved: true,
            half_pitch: false,
            u: (0, height),
            v: (0, height),
            offset_v: 0,
            offset_u: 0,
        }
    }

    /// I420: U, then V, each with half the pitch, below `height` luma rows.
    pub const fn i420(height: u32) -> Planes {
        Planes {
            interleaved: false,
            half_pitch: true,
            u: (0, height.saturating_mul(2)),
            v: (0, height.saturating_mul(2).saturating_add(height / 2)),
            offset_v: 0,
            offset_u: 0,
        }
    }

    /// These places, made for the rows of one field, where those of the other lie between them.
    pub const fn of_fields(self) -> Planes {
        Planes {
            u: (self.u.0, self.u.1.saturating_mul(2)),
            v: (self.v.0, self.v.1.saturating_mul(2)),
            ..self
        }
    }

    /// These places in a tiled surface: planes of half the pitch begin after the tiles of those before, for tiles
    /// of another pitch are in other places. Source: surface reference 3.8, "plane starts should be tile aligned".
    pub fn behind_tiles(self, height: u32, tiling: Tiling) -> Planes {
        let rows = tiling.tile(8).map_or(1, |(_, rows)| rows);
        if !self.half_pitch || rows == 1 {
            return self;
        }
        // Heights that no surface has are reported later.
        let whole = |rows_of: u32| rows_of.checked_next_multiple_of(rows).unwrap_or(u32::MAX);
        let first = whole(height).saturating_mul(2);
        let second = first.saturating_add(whole(height / 2));
        let (u, v) = match self.u.1 <= self.v.1 {
            true => (first, second),
            false => (second, first),
        };
        Planes {
            u: (0, u),
            v: (0, v),
            ..self
        }
    }

    /// YV12: as I420 with V before U.
    pub const fn yv12(height: u32) -> Planes {
        let i420 = Planes::i420(height);
        Planes {
            u: i420.v,
            v: i420.u,
            ..i420
        }
    }
}

impl Description {
    /// Bytes of one component of a planar format.
    pub(super) fn component_bytes(&self) -> u32 {
        if self.format == Format::PLANAR_420_16 {
            2
        } else {
            1
        }
    }

    /// How much smaller chroma planes are: across, down. Source: surface reference 3.8.
    pub fn chroma_shift(&self) -> (u32, u32) {
        match self.format.name {
            "PLANAR_411_8" => (2, 0),
            "PLANAR_422_8" => (1, 0),
            _ => (1, 1),
        }
    }

    /// See [`super::Surface::plane`].
    pub(super) fn plane(&self, plane: u32) -> Option<Description> {
        let planes = self.planes?;
        let size = self.component_bytes();
        let (one, two) = match size {
            1 => (Format::R8_UNORM, Format::R8G8_UNORM),
            _ => (Format::R16_UNORM, Format::R16G16_UNORM),
        };
        let (format, (column, row)) = match (plane, planes.interleaved) {
            (0, _) => (one, (0, 0)),
            (1, true) => (two, planes.u),
            (1, false) => (one, planes.u),
            (2, false) => (one, planes.v),
            _ => return None,
        };
        let mut part = Description {
            format,
            planes: None,
            media_row: None,
            ..self.clone()
        };
        if plane > 0 {
            let (across, down) = self.chroma_shift();
            part.width = (self.width >> across).max(1);
            part.height = (self.height >> down).max(1);
            if planes.half_pitch {
                part.pitch = self.pitch / 2;
            }
        }
        if self.kind == Kind::Null {
            // It has no place that the fields could overflow.
            return Some(part);
        }
        if self.tiling == Tiling::Linear {
            let offset = u64::from(row) * u64::from(part.pitch) + u64::from(column * size);
            part.base = self.base.checked_add(offset)?;
        } else {
            // The same (x, y) through the tiling function.
            part.x_offset += column * size / (u32::from(part.format.bits) / 8);
            part.y_offset += row;
        }
        Some(part)
    }

    pub(super) fn resolve_planar(mut self) -> Result<(Description, Layout), Invalid> {
        let fail = |what: String| Err(Invalid::new(Code::E0755, what));
        let Some(planes) = self.planes else {
            return fail(format!(
                "{} needs the places of its chroma planes",
                self.format
            ));
        };
        if self.kind != Kind::D2 || self.array || self.min_lod + self.levels > 1 {
            let what = "planar surfaces are 2D, no array, and have one level";
            let keys = &["kind", "slices", "levels", "mips", "min_lod", "size"];
            let help = "two sizes, one level and no slices";
            return Err(Invalid::new(Code::E0755, what).fix(keys, help));
        }
        let (across, down) = self.chroma_shift();
        if !self.width.is_multiple_of(1 << across) || !self.height.is_multiple_of(1 << down) {
            let what = format!(
                "{}×{} texels; the chroma of {} needs multiples of {} and {}",
                self.width,
                self.height,
                self.format,
                1 << across,
                1 << down
            );
            let help = format!(
                "{}×{} texels",
                self.width.next_multiple_of(1 << across),
                self.height.next_multiple_of(1 << down)
            );
            return Err(Invalid::new(Code::E0755, what).fix(&["size"], help));
        }
        for (column, row) in [planes.u, planes.v] {
            if column > 16384 || row > 65536 {
                return fail(format!(
                    "a chroma plane at ({column}, {row}); (16384, 65536) is the most"
                ));
            }
        }
        let size = self.component_bytes();
        let row = u64::from((self.width + self.x_offset) * size);
        if self.pitch == 0 && planes.half_pitch {
            // Half of it is the pitch of chroma, whose rows are tiled as well.
            let bits = u32::from(self.format.bits);
            let unit = self.tiling.pitch_unit(bits).map_or(1, u64::from);
            self.pitch = u32::try_from(row.next_multiple_of(2 * unit)).unwrap_or(u32::MAX);
        }
        self.check_pitch(row)?;
        if planes.half_pitch && !self.pitch.is_multiple_of(2) {
            return fail(format!(
                "a pitch of {} bytes; half of it must be a whole number",
                self.pitch
            ));
        }
        // Each plane must be a surface by itself.
        let mut whole = Layout::default();
        for plane in 0..3 {
            if let Some(part) = self.plane(plane) {
                let of_plane = |broken: Invalid| match plane {
                    0 => broken,
                    _ => Invalid {
                        what: format!("chroma plane {plane}: {}", broken.what),
                        ..broken
                    },
                };
                let (_, layout) = part.resolve_part().map_err(of_plane)?;
                if plane == 0 {
                    whole = layout;
                }
            }
        }
        Ok((self, whole))
    }
}
