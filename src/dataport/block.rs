//! Media blocks: rectangles of bytes of a 2D surface.
//!
//! ```text
//!            ◀── width ──▶                   registers, pitch = width to a power of two, 4 at least
//!        x,y ┌────────────┐                  ┌────────────┬───┐
//!            │ row 0      │   media_read     │ row 0      │ · │   · not written
//!   surface  │ row 1      │  ────────────▶   │ row 1      │ · │
//!            └────────────┘                  └────────────┴───┘
//! ```
//!
//! x counts bytes, y rows. Reads outside the surface return the pixel at the nearest edge; writes outside
//! are dropped. The format decides only how large the pixel is that an edge repeats.
//!
//! Source: vISA MEDIA_LD and MEDIA_ST; PRM 5.10.5; surface reference 3.8 and 4.14.

use crate::message::{FieldSelect, MediaBlock};
use crate::surface::{Kind, LineStride, Memory, Refused, Surface, Tiling};

const SEE: &str = "PRM 5.10.5, \"Media Block Read/Write\"";

/// How a block was moved; tells tests that the fast path ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// Null surface: zeros, or nothing written.
    Null,
    /// Wholly inside a linear surface: one copy for each row.
    Rows,
    /// Tiled, or over an edge: pieces of rows.
    Pieces,
}

/// Reads a rectangle of bytes from `surface`.
///
/// * `block.x`, `block.y`: upper-left corner, bytes and rows; may lie outside, on any side.
/// * `out`: row-major at [`MediaBlock::pitch`]; at least up to the end of the last row. Bytes between the
///   width and the pitch are not written.
///
/// A planar surface answers with its Y plane; its other planes are bound as surfaces of their own
/// ([`Surface::plane`]).
///
/// # Errors
/// [`Refused`] if the surface is not a plain 2D surface, or block-compressed, or if a field of a frame with
/// an odd number of rows is asked for; if a block reaches over the edge of a surface whose pixels have other than 8,
/// 16 or 32 bits.
pub fn media_read(surface: &Surface, block: &MediaBlock, out: &mut [u8]) -> Result<Path, Refused> {
    let (pitch, width) = (block.pitch() as usize, block.width as usize);
    let rows = || (0..block.height as usize).map(|r| (r, r * pitch..r * pitch + width));
    let Some(view) = View::new(surface, block.field)? else {
        for (_, bytes) in rows() {
            out[bytes].fill(0);
        }
        return Ok(Path::Null);
    };
    let path = view.path(block);
    if path == Path::Rows {
        let (start, step) = view.row_addresses(block);
        for (r, bytes) in rows() {
            surface.memory().read(start + r * step, &mut out[bytes]);
        }
        return Ok(path);
    }
    if !matches!(view.pixel, 1 | 2 | 4) && !view.holds(block) {
        let bits = 8 * view.pixel;
        let format = surface.description().format;
        let what = format!(
            "a media block of {format} reaches over the edge of the surface: edges are defined for pixels of 8, 16 and \
             32 bits, not of {bits}"
        );
        return Err(Refused::undefined(
            what,
            "PRM 5.10.5, \"Out-of-Bounds Accesses\"",
        ));
    }
    for (r, bytes) in rows() {
        let y = (i64::from(block.y) + r as i64).clamp(0, i64::from(view.height) - 1) as u32;
        view.read_row(i64::from(block.x), y, &mut out[bytes]);
    }
    Ok(path)
}

/// Writes a rectangle of bytes to `surface`; `data` is laid out as [`media_read`] returns it, and the bytes
/// between the width and the pitch are ignored. What falls outside the surface is dropped.
///
/// # Errors
/// As [`media_read`].
pub fn media_write(surface: &Surface, block: &MediaBlock, data: &[u8]) -> Result<Path, Refused> {
    let Some(view) = View::new(surface, block.field)? else {
        return Ok(Path::Null);
    };
    let path = view.path(block);
    let (pitch, width) = (block.pitch() as usize, block.width as usize);
    if path == Path::Rows {
        let (start, step) = view.row_addresses(block);
        for r in 0..block.height as usize {
            surface
                .memory()
                .write(start + r * step, &data[r * pitch..][..width]);
        }
        return Ok(path);
    }
    let left = i64::from(block.x);
    // The part of a row that is inside.
    let first = (-left).clamp(0, width as i64) as usize;
    let end = (i64::from(view.row_bytes) - left).clamp(first as i64, width as i64) as usize;
    for r in 0..block.height as usize {
        let y = i64::from(block.y) + r as i64;
        if y < 0 || y >= i64::from(view.height) || first == end {
            continue;
        }
        let row = &data[r * pitch..][..width][first..end];
        let x = (left + first as i64) as u32;
        view.runs(x, row.len(), |part, x| {
            surface
                .memory()
                .write(view.address(x, y as u32), &row[part]);
        });
    }
    Ok(path)
}

/// A part of a block that is one run of bytes of the surface, or lies outside of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Bytes of the block, row-major at its pitch.
    pub block: std::ops::Range<usize>,
    /// Byte column of the first one.
    pub x: i64,
    /// Row.
    pub y: i64,
    /// Where it lies in the memory; `None` outside.
    pub address: Option<usize>,
}

/// Takes a block apart; nothing for a surface that has no media blocks, or no bytes.
pub fn pieces(surface: &Surface, block: &MediaBlock, mut each: impl FnMut(Piece)) {
    let Ok(Some(view)) = View::new(surface, block.field) else {
        return;
    };
    let (pitch, width) = (block.pitch() as usize, block.width as usize);
    let left = i64::from(block.x);
    let first = (-left).clamp(0, width as i64) as usize;
    let end = (i64::from(view.row_bytes) - left).clamp(first as i64, width as i64) as usize;
    for r in 0..block.height as usize {
        let y = i64::from(block.y) + r as i64;
        let mut outside = |columns: std::ops::Range<usize>| {
            if !columns.is_empty() {
                each(Piece {
                    block: r * pitch + columns.start..r * pitch + columns.end,
                    x: left + columns.start as i64,
                    y,
                    address: None,
                });
            }
        };
        if y < 0 || y >= i64::from(view.height) {
            outside(0..width);
            continue;
        }
        outside(0..first);
        outside(end..width);
        let start = r * pitch + first;
        view.runs((left + first as i64) as u32, end - first, |part, x| {
            each(Piece {
                block: start + part.start..start + part.end,
                x: i64::from(x),
                y,
                address: Some(view.address(x, y as u32)),
            });
        });
    }
}

/// A linear surface, for blocks of one size that lie inside it: what they have in common is worked out once.
pub struct BlockRows<'a> {
    memory: &'a Memory,
    /// Address of the first byte, and from one row to the next.
    start: usize,
    step: usize,
    /// Bytes of a row, and rows.
    inside: (u32, u32),
    /// Bytes and rows of a block, and its bytes from row to row in registers.
    size: (u32, u32),
    pitch: usize,
}

impl<'a> BlockRows<'a> {
    /// For blocks like `block`, wherever they are; `None` for a surface that is not made of rows, or has no media blocks.
    pub fn new(surface: &'a Surface, block: &MediaBlock) -> Option<BlockRows<'a>> {
        let view = View::new(surface, block.field).ok()??;
        if surface.description().tiling != Tiling::Linear || view.row_bytes == 0 {
            return None;
        }
        let start = match view.height {
            0 => return None,
            _ => view.address(0, 0),
        };
        Some(BlockRows {
            memory: surface.memory(),
            start,
            step: match view.height {
                1 => 0,
                _ => view.address(0, 1) - start,
            },
            inside: (view.row_bytes, view.height),
            size: (block.width, block.height),
            pitch: block.pitch() as usize,
        })
    }

    /// The memory of the surface.
    pub fn memory(&self) -> &'a Memory {
        self.memory
    }

    /// Where the first byte of the surface is, and bytes from one row to the next.
    pub fn layout(&self) -> (usize, usize) {
        (self.start, self.step)
    }

    /// The last column and row at which all of a block is inside, if there is one, and the memory holds all rows.
    pub fn last(&self) -> Option<[u32; 2]> {
        let (bytes, rows) = self.inside;
        let below = self.step.checked_mul(rows.checked_sub(1)? as usize)?;
        let last_row = self.start.checked_add(below)?;
        let end = last_row.checked_add(bytes as usize)?;
        if end > self.memory.len() {
            return None;
        }
        Some([
            bytes.checked_sub(self.size.0)?,
            rows.checked_sub(self.size.1)?,
        ])
    }

    /// The address of a block at byte column x and row y, if all of it is inside.
    #[inline]
    fn place(&self, (x, y): (i32, i32)) -> Option<usize> {
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        let right = x.checked_add(self.size.0)?;
        let bottom = y.checked_add(self.size.1)?;
        let inside = right <= self.inside.0 && bottom <= self.inside.1;
        inside.then(|| self.start + y as usize * self.step + x as usize)
    }

    /// As [`media_read`], of a block all of which is inside; if it is not, nothing has happened and false comes back.
    #[inline]
    pub fn read(&self, at: (i32, i32), out: &mut [u8]) -> bool {
        let Some(first) = self.place(at) else {
            return false;
        };
        let (width, rows) = (self.size.0 as usize, self.size.1 as usize);
        let tight = width == self.pitch;
        if tight && self.memory.read_rows(first, self.step, rows, out).is_some() {
            return true;
        }
        for (row, out) in out.chunks_mut(self.pitch).take(rows).enumerate() {
            self.memory.read(first + row * self.step, &mut out[..width]);
        }
        true
    }

    /// As [`media_write`], in the same way.
    #[inline]
    pub fn write(&self, at: (i32, i32), data: &[u8]) -> bool {
        let Some(first) = self.place(at) else {
            return false;
        };
        let (width, rows) = (self.size.0 as usize, self.size.1 as usize);
        let tight = width == self.pitch;
        if tight
            && self
                .memory
                .write_rows(first, self.step, rows, data)
                .is_some()
        {
            return true;
        }
        for (row, data) in data.chunks(self.pitch).take(rows).enumerate() {
            self.memory.write(first + row * self.step, &data[..width]);
        }
        true
    }
}

/// A surface as media block messages see it.
struct View<'a> {
    surface: &'a Surface,
    row_bytes: u32,
    height: u32,
    lines: LineStride,
    /// Bytes of the pixel that an edge repeats.
    pixel: u32,
    /// Position of the two lumas in a pair of packed 4:2:2.
    lumas: Option<[usize; 2]>,
    run: u32,
}

impl<'a> View<'a> {
    /// Whether all bytes of a block are inside.
    fn holds(&self, block: &MediaBlock) -> bool {
        let inside = |from: i32, count: u32, all: u32| {
            from >= 0 && i64::from(from) + i64::from(count) <= i64::from(all)
        };
        inside(block.x, block.width, self.row_bytes) && inside(block.y, block.height, self.height)
    }

    /// `None` for the null surface.
    fn new(surface: &'a Surface, field: FieldSelect) -> Result<Option<View<'a>>, Refused> {
        let d = surface.description();
        if d.kind == Kind::Null {
            return Ok(None);
        }
        if d.kind != Kind::D2 || d.array || d.levels + d.min_lod > 1 || d.samples > 1 {
            return Err(Refused::error(
                "media blocks need a 2D surface that is not an array and has one level and one sample",
                SEE,
            ));
        }
        if d.format.is_compressed() {
            return Err(Refused::undefined(
                format!(
                    "media block of {}: edges are defined for pixels, not for blocks",
                    d.format
                ),
                SEE,
            ));
        }
        let (lines, height) = lines(surface, field)?;
        let row_bytes = d.media_row_bytes();
        // 8, 16 and 32 bits by the manual; smaller ones go by the byte (a model choice).
        let pixel = match d.format.cell().bytes {
            0 if d.format.bits == 0 => row_bytes / d.width,
            bytes => bytes,
        };
        let lumas = d
            .format
            .is_packed_422()
            .then(|| match d.format.channel(b'Y') {
                Some(luma) if luma.shift == 0 => [0, 2],
                _ => [1, 3],
            });
        let pixel = if pixel <= row_bytes { pixel } else { 1 };
        let run = d.tiling.run(d.bit6_swizzle);
        let view = View {
            surface,
            row_bytes,
            height,
            lines,
            pixel,
            lumas,
            run,
        };
        if (d.x_offset, d.y_offset) != (0, 0) && !view.has_memory() {
            let what = format!(
                "X Offset {}, Y Offset {}: media blocks count pixels of 32 bits, and go past the last byte of the surface",
                d.x_offset, d.y_offset
            );
            return Err(Refused::undefined(what, SEE));
        }
        Ok(Some(view))
    }

    /// Whether all of the view lies in the surface, whose size counts offsets in texels.
    fn has_memory(&self) -> bool {
        let described = Surface::check(self.surface.description().clone());
        let end = described.map_or(0, |end| end as usize);
        // Of tiled surfaces the last rows of tiles reach farthest; no tile is higher.
        let rows = self.height.saturating_sub(256)..self.height;
        let step = self.run.min(self.row_bytes.max(1)) as usize;
        rows.into_iter().all(|y| {
            (0..self.row_bytes).step_by(step).all(|x| {
                let bytes = self.run.min(self.row_bytes - x);
                self.address(x, y) + bytes as usize <= end
            })
        })
    }

    fn path(&self, block: &MediaBlock) -> Path {
        match self.surface.description().tiling {
            Tiling::Linear if self.holds(block) => Path::Rows,
            _ => Path::Pieces,
        }
    }

    /// Address of byte x, y of the view. X Offset counts pixels of 32 bits here; in field mode the row
    /// offset is added after the doubling. Source: surface reference 3.1, "X Offset, Y Offset".
    fn address(&self, x: u32, y: u32) -> usize {
        let d = self.surface.description();
        self.surface
            .address(x + 4 * d.x_offset, self.lines.row(y) + d.y_offset)
    }

    /// Address of the block's first byte, and from one row to the next: the rows of a linear surface are
    /// evenly spaced, with and without a line stride. For [`Path::Rows`] only.
    fn row_addresses(&self, block: &MediaBlock) -> (usize, usize) {
        let (x, y) = (block.x as u32, block.y as u32);
        let start = self.address(x, y);
        let step = match block.height {
            1 => 0,
            _ => self.address(x, y + 1) - start,
        };
        (start, step)
    }

    /// One row, the row number already clamped.
    fn read_row(&self, x: i64, y: u32, out: &mut [u8]) {
        let width = out.len() as i64;
        let first = (-x).clamp(0, width) as usize;
        let end = (i64::from(self.row_bytes) - x).clamp(first as i64, width) as usize;
        if first > 0 {
            let (edge, size) = self.edge(0, y, 0);
            repeat(x, &edge[..size], &mut out[..first]);
        }
        if end > first {
            let inside = &mut out[first..end];
            self.runs((x + first as i64) as u32, inside.len(), |part, x| {
                self.surface
                    .memory()
                    .read(self.address(x, y), &mut inside[part]);
            });
        }
        if (end as i64) < width {
            let (edge, size) = self.edge(self.row_bytes / self.pixel - 1, y, 1);
            repeat(x + end as i64, &edge[..size], &mut out[end..]);
        }
    }

    /// What replaces pixels beyond an edge: the pixel there; for packed 4:2:2 the pair with both lumas
    /// equal to that of side `side`, Y0 on the left and Y1 on the right.
    fn edge(&self, pixel: u32, y: u32, side: usize) -> ([u8; 32], usize) {
        let mut bytes = [0; 32];
        for (i, byte) in bytes[..self.pixel as usize].iter_mut().enumerate() {
            let at = self.address(pixel * self.pixel + i as u32, y);
            self.surface.memory().read(at, std::slice::from_mut(byte));
        }
        if let Some(lumas) = self.lumas {
            bytes[lumas[1 - side]] = bytes[lumas[side]];
        }
        (bytes, self.pixel as usize)
    }

    /// Splits `len` bytes from column `x` on into pieces that are contiguous in memory.
    fn runs(&self, x: u32, len: usize, mut piece: impl FnMut(std::ops::Range<usize>, u32)) {
        let offset = 4 * self.surface.description().x_offset;
        let mut done = 0;
        while done < len {
            let x = x + done as u32;
            let left = self.run - (x + offset) % self.run;
            let end = len.min(done.saturating_add(left as usize));
            piece(done..end, x);
            done = end;
        }
    }
}

/// Fills `out`, whose first byte has column `x`, with a pixel that is repeated at multiples of its size.
fn repeat(x: i64, pixel: &[u8], out: &mut [u8]) {
    let mut at = x.rem_euclid(pixel.len() as i64) as usize;
    for byte in out {
        *byte = pixel[at];
        at = if at + 1 == pixel.len() { 0 } else { at + 1 };
    }
}

/// Lines touched and the derived height.
///
/// | state | message | height |
/// | --- | --- | --- |
/// | frame | state | h |
/// | frame | field | h / 2, h even |
/// | field | state | h |
/// | field | field | h |
/// | field | frame | 2 h |
///
/// The last combination has no vISA modifier. It reaches lines between those of the surface, so the
/// memory must go on to the last of them.
///
/// Source: PRM 5.10.5.1, "Vertical Line Stride Override"; surface reference 3.8.
pub(super) fn lines(surface: &Surface, field: FieldSelect) -> Result<(LineStride, u32), Refused> {
    let d = surface.description();
    let lines = match field {
        FieldSelect::State => return Ok((d.line_stride, d.height)),
        FieldSelect::Frame if !d.line_stride.skips() => return Ok((LineStride::Frame, d.height)),
        FieldSelect::Frame => return frame_of(surface),
        FieldSelect::Top => LineStride::TopField,
        FieldSelect::Bottom => LineStride::BottomField,
    };
    if d.line_stride.skips() {
        return Ok((lines, d.height));
    }
    if !d.height.is_multiple_of(2) {
        return Err(Refused::undefined(
            format!(
                "a field of a frame of {} rows: the number of rows must be even",
                d.height
            ),
            "PRM 5.10.5.1, \"Vertical Line Stride Override\"",
        ));
    }
    Ok((lines, d.height / 2))
}

/// The frame around a surface that is a field.
fn frame_of(surface: &Surface) -> Result<(LineStride, u32), Refused> {
    let d = surface.description();
    let height = d.height.saturating_mul(2);
    let rows = u64::from(height) + u64::from(d.y_offset);
    let rows = match d.tiling.tile(u32::from(d.format.bits)) {
        Some((_, tile)) => rows.next_multiple_of(tile.into()),
        None => rows,
    };
    let end = rows.saturating_mul(d.pitch.into()).saturating_add(d.base);
    let have = surface.memory().len() as u64;
    if end > have {
        return Err(Refused::error(
            format!(
                "the frame of {height} rows ends at byte {end}, the memory of its field at {have}"
            ),
            "PRM 5.10.5.1, \"Vertical Line Stride Override\"",
        ));
    }
    Ok((LineStride::Frame, height))
}
