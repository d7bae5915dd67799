//! The rules a described surface obeys, checked before any memory is allocated for it.
//!
//! Source: surface reference 3 and 5; PRM 4.10.2.1.

use super::layout::{Layout, Shape, align_to, sample_scale};
use super::tiling::Tiling;
use super::{Description, Invalid, Kind, SampleStorage};
use crate::diagnostic::Code;
use crate::isa::generations::ImageAlignment;

/// The alignment of linear 1D surfaces of Gen9. Source: surface reference 3.6.
pub(super) const IN_A_ROW: (u32, u32) = (64, 1);

/// No surface may end after this byte of its memory: 1 GiB.
pub const MAX_BYTES: u64 = 1 << 30;

impl Description {
    /// Whether the levels follow each other in one row, each padded to 64 texels, whatever the state's alignment
    /// fields say. Source: surface reference 3.6.
    pub(super) fn is_in_a_row(&self) -> bool {
        self.generation.pads_elements && self.kind == Kind::D1 && self.tiling == Tiling::Linear
    }

    /// The alignment unit. Source: surface reference 3.2; from Gen6 on, where the state has a field, the
    /// smallest value it can take.
    pub(super) fn alignment(&self) -> (u32, u32) {
        if self.is_in_a_row() {
            return IN_A_ROW;
        }
        let (bw, bh) = (
            u32::from(self.format.block.0),
            u32::from(self.format.block.1),
        );
        match (self.align, self.generation.image_alignment) {
            (Some(align), _) => align,
            (None, ImageAlignment::Elements) => (4, 4),
            (None, _) if self.format.is_compressed() => (bw, bh),
            (None, ImageAlignment::Wide) => (4, 4),
            (None, _) => (4, 2),
        }
    }

    /// Checks every rule that needs no memory, fills in the pitch, places the images.
    pub(super) fn resolve(mut self) -> Result<(Description, Layout), Invalid> {
        let format = self.format;
        match self.kind {
            Kind::Null => return self.resolve_part(),
            _ if format.is_reserved() => {
                let what = format!("format {:#05x} is reserved", format.code);
                return Err(Invalid::new(Code::E0746, what));
            }
            Kind::Buffer => {
                self.resolve_buffer()?;
                return Ok((self, Layout::default()));
            }
            _ => {}
        }
        first(self.sizes())?;
        first(self.units())?;
        self.resolve_part()
    }

    /// [`Description::resolve`] of a surface or a plane: the fields of a state place the one, the other
    /// begins anywhere.
    pub(super) fn resolve_part(self) -> Result<(Description, Layout), Invalid> {
        // A null surface has no texels to place, nor have its planes.
        if self.kind == Kind::Null {
            return Ok((self, Layout::default()));
        }
        first(self.combinations())?;
        self.placed()
    }

    /// Every rule that is broken. Those of pitch, format and memory can be reported only if sizes and units
    /// give the images a place; of them the first.
    pub(super) fn broken(self) -> Vec<Invalid> {
        let alone = matches!(self.kind, Kind::Null | Kind::Buffer) || self.format.is_reserved();
        let end = |placed: Result<(Description, Layout), Invalid>| {
            placed.and_then(|(description, layout)| description.end(&layout))
        };
        if alone {
            return end(self.resolve()).err().into_iter().collect();
        }
        let mut broken = self.sizes();
        broken.extend(self.units());
        let sized = broken.is_empty();
        broken.extend(self.combinations());
        // What contradicts can be placed all the same, but for a count of samples that there is not.
        let placed = |b: &Invalid| matches!(b.code, Code::E0743 | Code::E0744 | Code::E0745);
        let sized = sized && matches!(self.samples, 1 | 2 | 4 | 8 | 16);
        if sized && broken.iter().all(placed) {
            broken.extend(end(self.placed()).err());
        }
        broken
    }

    /// Places the images of sizes and combinations that are allowed, and fills in the pitch.
    fn placed(mut self) -> Result<(Description, Layout), Invalid> {
        let format = self.format;
        if format.is_planar() {
            return self.resolve_planar();
        }
        if format.cell().bytes == 0 {
            let what = format!("{format} is a format of buffers only");
            return Err(Invalid::new(Code::E0746, what));
        }

        let block = match format.is_compressed() {
            true => (u32::from(format.block.0), u32::from(format.block.1)),
            false => (1, 1),
        };
        let (i, j) = self.alignment();
        let Some((_, tile_rows)) = self.tiling.tile(u32::from(format.bits)) else {
            return Err(self.no_tile());
        };
        let levels_in_memory = self.min_lod + self.levels;
        let slices = match self.kind {
            Kind::D3 => self.depth,
            _ => self.slices() + self.min_array_element,
        };
        let layout = Layout::new(&Shape {
            generation: self.generation,
            kind: self.kind,
            tile_rows,
            block,
            size: (self.width, self.height, slices),
            levels: levels_in_memory,
            samples: self.samples,
            storage: self.storage,
            align: (i, j),
            mips: self.mip_layout,
            // A packed state has 0 where it is not given.
            qpitch: self.qpitch.filter(|&rows| rows > 0),
        });

        self.check_slices(&layout, slices)?;

        let row = self.row_bytes(&layout);
        if layout.in_a_row {
            // Linear 1D on Gen9 is one row that no pitch limits.
            self.pitch = row.min(MAX_BYTES) as u32;
        } else {
            self.check_pitch(row)?;
        }
        Ok((self, layout))
    }

    /// Bytes of a row that must exist: the padding to the right of a single image need not.
    fn row_bytes(&self, layout: &Layout) -> u64 {
        let block = if self.format.is_compressed() {
            u32::from(self.format.block.0)
        } else {
            1
        };
        let elements = if layout.levels.len() == 1 && !layout.in_a_row {
            let scale = match self.storage {
                SampleStorage::Interleaved => sample_scale(self.samples).0,
                SampleStorage::Array => 1,
            };
            let pixels = if scale > 1 {
                align_to(self.width, 2)
            } else {
                self.width
            };
            u64::from((pixels * scale).div_ceil(block))
        } else {
            layout.extent.0
        };
        let bits = (elements + u64::from(self.x_offset)) * u64::from(self.format.bits);
        let unit = if self.format.is_packed_422() { 4 } else { 1 };
        bits.div_ceil(8).next_multiple_of(unit)
    }

    fn resolve_buffer(&mut self) -> Result<(), Invalid> {
        let cell = self.format.cell();
        let element = cell.bytes.max(1);
        let fail = |code, what: String| Err(Invalid::new(code, what));
        if self.format.is_planar() || cell.across > 1 || cell.down > 1 {
            let what = format!("{} cannot be the format of a buffer", self.format);
            return fail(Code::E0746, what);
        }
        if self.tiling != Tiling::Linear {
            let linear = Invalid::new(Code::E0745, "buffers are linear");
            return Err(linear.fix(&["tiling"], "a linear buffer, or a 1D surface"));
        }
        if self.line_stride.skips() {
            let what = "Vertical Line Stride must be zero for buffers: it is for 2D surfaces";
            return Err(Invalid::new(Code::E0745, what).fix(&["stride", "kind"], "a 2D surface"));
        }
        if (self.height, self.depth) != (1, 1) {
            let (width, height, depth) = (self.width, self.height, self.depth);
            let what = format!("{width}×{height}×{depth} entries; a buffer is one row of them");
            let all = [height, depth].iter().fold(u64::from(width), |n, &side| {
                n.saturating_mul(u64::from(side.max(1)))
            });
            let help = format!("{all}x1, or a surface that is not a buffer");
            return Err(Invalid::new(Code::E0745, what).fix(&["size", "kind"], help));
        }
        let early = self.generation.short_surface_state;
        if self.width == 0 || early && self.width > 1 << 27 {
            let what = format!("{} entries; 1 to {} are allowed", self.width, 1 << 27);
            return fail(Code::E0740, what);
        }
        if self.pitch == 0 {
            self.pitch = element;
        }
        let most = if early { 2048 } else { 1 << 18 };
        let help = format!("a pitch from {element} to {most}; the default is {element}");
        let fail =
            |what: String| Err(Invalid::new(Code::E0742, what).fix(&["pitch", "format"], help));
        if self.pitch < element {
            return fail(format!(
                "a pitch of {} bytes; an element of {} has {element}",
                self.pitch, self.format
            ));
        }
        if self.pitch > most {
            return fail(format!(
                "a pitch of {} bytes; {most} is the most",
                self.pitch
            ));
        }
        Ok(())
    }

    /// The rule that a tiling without a shape for the format breaks.
    fn no_tile(&self) -> Invalid {
        if self.format.is_planar() {
            let what = format!(
                "tiling {:?} has no shape for the planes of {}",
                self.tiling, self.format
            );
            return Invalid::new(Code::E0746, what)
                .fix(&["tiling"], "a linear surface, tiling X or Y");
        }
        let what = format!(
            "tiling {:?} has no shape for the {} bits of {}",
            self.tiling, self.format.bits, self.format
        );
        Invalid::new(Code::E0746, what).fix(
            &["tiling", "format"],
            "tiling Y, or a format of 8, 16, 32, 64 or 128 bits",
        )
    }

    /// Checks the pitch against the bytes of a row, or fills it in.
    pub(super) fn check_pitch(&mut self, row: u64) -> Result<(), Invalid> {
        let bits = u32::from(self.format.bits);
        let Some(unit) = self.tiling.pitch_unit(bits) else {
            return Err(self.no_tile());
        };
        let row = if self.tiling == Tiling::W {
            2 * row
        } else {
            row
        };
        let media = self
            .media_row
            .map_or(0, |b| u64::from(b) + 4 * u64::from(self.x_offset));
        let row = row.max(media);
        let least = row.next_multiple_of(u64::from(unit));
        let pitch = match self.pitch {
            0 => least,
            pitch => u64::from(pitch),
        };
        let most = if self.generation.short_surface_state {
            1 << 17
        } else {
            1 << 18
        };
        let help = match least <= most {
            true => format!("a pitch of {least}, which is the default"),
            false => format!("rows of at most {most} bytes"),
        };
        let fail = |what: String| {
            let keys = &["pitch", "tiling", "size", "format"];
            Err(Invalid::new(Code::E0742, what).fix(keys, help))
        };
        if pitch < row {
            return fail(format!("a pitch of {pitch} bytes; the rows have {row}"));
        }
        if pitch > most {
            return fail(format!("a pitch of {pitch} bytes; {most} is the most"));
        }
        if !pitch.is_multiple_of(u64::from(unit)) {
            return fail(format!(
                "a pitch of {pitch} bytes; tiling {:?} needs a multiple of {unit}",
                self.tiling
            ));
        }
        self.pitch = pitch as u32;
        Ok(())
    }

    /// The byte of memory after the surface's last byte.
    pub(super) fn end(&self, layout: &Layout) -> Result<u64, Invalid> {
        let bytes = match self.kind {
            Kind::Null => return Ok(0),
            Kind::Buffer => match u64::from(self.width) * u64::from(self.pitch) {
                0 => 0,
                // The last element need not fill its pitch.
                all => all - u64::from(self.pitch - self.format.cell().bytes.max(1)),
            },
            _ if self.format.is_planar() => {
                let mut end = 0;
                for plane in 0..3 {
                    if let Some(part) = self.plane(plane) {
                        let (part, layout) = part.resolve_part()?;
                        end = end.max(part.end(&layout)?);
                    }
                }
                return Ok(end);
            }
            _ => self.image_bytes(layout),
        };
        match self.base.checked_add(bytes) {
            Some(end) if end <= MAX_BYTES => Ok(end),
            _ => Err(Invalid::new(
                Code::L0713,
                format!(
                    "the surface ends at byte {}; {MAX_BYTES} is the most visim allows",
                    self.base.saturating_add(bytes)
                ),
            )),
        }
    }

    fn image_bytes(&self, layout: &Layout) -> u64 {
        let last = layout.levels.len() - 1;
        // Rows below a single image need not exist either.
        let padded = layout.extent.1;
        let block_h = if self.format.is_compressed() {
            u32::from(self.format.block.1)
        } else {
            1
        };
        // One sample is stored alike either way.
        let spread = self.storage == SampleStorage::Array || self.samples <= 1;
        let rows = match (last, self.kind) {
            (0, Kind::D1 | Kind::D2) if spread => {
                let slices = u64::from((self.slices() + self.min_array_element) * self.samples);
                u64::from(layout.slice.1) * (slices - 1) + u64::from(self.height.div_ceil(block_h))
            }
            _ => padded,
        };
        let rows = if self.line_stride.skips() {
            2 * rows
        } else {
            rows
        };
        let rows = rows + u64::from(self.y_offset);
        let bits = u32::from(self.format.bits);
        match self.tiling.tile(bits) {
            Some((_, height)) if self.tiling != Tiling::Linear => {
                rows.div_ceil(u64::from(height)) * self.tiling.tile_row_bytes(bits, self.pitch)
            }
            _ => {
                // Media block messages count X Offset in dwords.
                let media = u64::from(self.media_row_bytes()) + 4 * u64::from(self.x_offset);
                (rows - 1) * u64::from(self.pitch)
                    + self.row_bytes(layout).max(media).min(u64::from(self.pitch))
            }
        }
    }
}

/// The first rule that is broken.
fn first(broken: Vec<Invalid>) -> Result<(), Invalid> {
    broken.into_iter().next().map_or(Ok(()), Err)
}
