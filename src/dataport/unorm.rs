//! Render target UNORM blocks: 8 by 4 pixels of four bytes, two channels to a register.
//!
//! ```text
//!  pixel x,y                register of channels 1/0, dword d         mask bit
//!  0  1  2  3 │ 4  5  ..    d: pixels (2(d&1) + 4(d>>2), d>>1 & 1)    0  1  4  5 │ 16 17 20 21
//!  8  9  10 11│ 12 13 ..    second register: two rows further down    2  3  6  7 │ 18 19 22 23
//! ```
//!
//! Bytes are moved unchanged. Source: PRM 5.10.8.

use super::block::lines;
use crate::message::FieldSelect;
use crate::surface::{Kind, Refused, Surface};

use super::buffer::Register;
use super::touch::TouchLog;

const SEE: &str = "PRM 5.10.8, \"Render Target UNORM Read/Write\"";

/// Pixels across.
pub const WIDTH: u32 = 8;
/// Pixels down.
pub const HEIGHT: u32 = 4;

/// Where a block lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    /// Left edge in pixels, a multiple of 8.
    pub x: i32,
    /// Top edge in rows, a multiple of 4.
    pub y: i32,
    /// Lines touched.
    pub field: FieldSelect,
}

/// The bit of the pixel mask for a pixel of the block.
pub const fn mask_bit(x: u32, y: u32) -> u32 {
    x & 1 | (y & 1) << 1 | (x >> 1 & 1) << 2 | (y >> 1 & 1) << 3 | (x >> 2 & 1) << 4
}

/// Register and byte of a channel of a pixel.
const fn place(x: u32, y: u32, channel: u32) -> (usize, usize) {
    let register = channel / 2 * 2 + y / 2;
    let dword = x / 2 % 2 + y % 2 * 2 + x / 4 * 4;
    let byte = 4 * dword + 2 * (x % 2) + channel % 2;
    (register as usize, byte as usize)
}

/// The block as a view of the surface.
struct View<'a> {
    surface: &'a Surface,
    lines: crate::surface::LineStride,
    height: u32,
    corner: Corner,
}

impl<'a> View<'a> {
    fn new(surface: &'a Surface, corner: Corner) -> Result<View<'a>, Refused> {
        let d = surface.description();
        if d.kind != Kind::D2 || d.array || d.samples > 1 {
            return Err(Refused::error(
                "the message requires a plain 2D surface",
                SEE,
            ));
        }
        let known = [
            "R8G8B8A8_UNORM",
            "B8G8R8A8_UNORM",
            "R8G8B8X8_UNORM",
            "B8G8R8X8_UNORM",
        ];
        if !known.contains(&d.format.name) {
            let what = format!(
                "{}: only R8G8B8A8, B8G8R8A8, R8G8B8X8 and B8G8R8X8_UNORM",
                d.format
            );
            return Err(Refused::error(what, SEE));
        }
        if !d.base.is_multiple_of(32) {
            let what = format!("base address {:#x} is not a multiple of 32", d.base);
            return Err(Refused::error(what, SEE));
        }
        if corner.x & 7 != 0 || corner.y & 3 != 0 {
            let what = format!(
                "a block at {}, {}: X is a multiple of 8 and Y of 4",
                corner.x, corner.y
            );
            return Err(Refused::undefined(what, SEE));
        }
        let (lines, height) = lines(surface, corner.field)?;
        Ok(View {
            surface,
            lines,
            height,
            corner,
        })
    }

    /// The pixel in the surface.
    fn texel(&self, x: u32, y: u32) -> [u32; 4] {
        let at = |corner: i32, offset: u32| (corner as u32).wrapping_add(offset);
        [at(self.corner.x, x), at(self.corner.y, y), 0, 0]
    }

    /// The address of a pixel; `None` outside.
    fn address(&self, x: u32, y: u32) -> Option<usize> {
        let d = self.surface.description();
        let x = u32::try_from(i64::from(self.corner.x) + i64::from(x)).ok()?;
        let y = u32::try_from(i64::from(self.corner.y) + i64::from(y)).ok()?;
        let inside = x < d.width && y < self.height;
        inside.then(|| {
            let row = self.lines.row(y) + d.y_offset;
            self.surface.address(4 * (x + d.x_offset), row)
        })
    }
}

fn pixels() -> impl Iterator<Item = (u32, u32)> {
    (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)))
}

/// Reads the block; pixels outside the surface are 0.
///
/// # Errors
/// [`Refused`] if the surface or the corner is not as the message requires them.
pub fn read(
    surface: &Surface,
    corner: Corner,
    watch: TouchLog<'_>,
) -> Result<[Register; 4], Refused> {
    let view = View::new(surface, corner)?;
    let mut registers = [[0; 32]; 4];
    for (x, y) in pixels() {
        let mut pixel = [0; 4];
        let address = view.address(x, y);
        watch.texel(surface, false, None, view.texel(x, y), address);
        if let Some(address) = address {
            surface.memory().read(address, &mut pixel);
        }
        for (channel, byte) in (0..).zip(pixel) {
            let (register, at) = place(x, y, channel);
            registers[register][at] = byte;
        }
    }
    Ok(registers)
}

/// Writes the pixels of the mask; those outside the surface are dropped.
///
/// # Errors
/// As [`read`].
pub fn write(
    surface: &Surface,
    corner: Corner,
    mask: u32,
    registers: &[Register; 4],
    watch: TouchLog<'_>,
) -> Result<(), Refused> {
    let view = View::new(surface, corner)?;
    for (x, y) in pixels().filter(|&(x, y)| mask >> mask_bit(x, y) & 1 == 1) {
        let address = view.address(x, y);
        watch.texel(surface, true, None, view.texel(x, y), address);
        if let Some(address) = address {
            let pixel: [u8; 4] = std::array::from_fn(|channel| {
                let (register, at) = place(x, y, channel as u32);
                registers[register][at]
            });
            surface.memory().write(address, &pixel);
        }
    }
    Ok(())
}
