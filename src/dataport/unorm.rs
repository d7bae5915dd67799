//! Render target UNORM blocks: 8 by 4 pixels of four bytes, two channels to a register.
//!
//! ```text
//!  pixel x,y                register of channels 1/0, dword d         mask bit
//!  0  1  2  3 │ 4  5  ..    d: pixels (2(d&1) + 4(d>>2), d>>1 & 1)    0  1  4  5 │ 16 17 20 21
//!  8  9  10 11│ 12 13 ..    second register: two rows further down    2  3  6  7 │ 18 19 22 23
//! ```
//!
//! Bytes are moved as they stand. Source: PRM 5.10.8.

use super::block::lines;
use crate::message::FieldSelect;
use crate::surface::{Kind, Refused, Surface};

use super::buffer::Register;
use super::touch::Watch;

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
            return Err(Refused::error("the message wants a plain 2D surface", SEE));
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
/// [`Refused`] if the surface or the corner is not as the message wants them.
pub fn read(surface: &Surface, corner: Corner, watch: Watch<'_>) -> Result<[Register; 4], Refused> {
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
    watch: Watch<'_>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Class;
    use crate::surface::{Description, Format};
    use pretty_assertions::assert_eq;

    /// Nobody watches.
    fn read(surface: &Surface, corner: Corner) -> Result<[Register; 4], Refused> {
        super::read(surface, corner, Watch::NONE)
    }

    fn write(
        surface: &Surface,
        corner: Corner,
        mask: u32,
        registers: &[Register; 4],
    ) -> Result<(), Refused> {
        super::write(surface, corner, mask, registers, Watch::NONE)
    }

    const CORNER: Corner = Corner {
        x: 0,
        y: 0,
        field: FieldSelect::State,
    };

    /// Byte n of a surface of 8×4 pixels is n.
    fn counted() -> Surface {
        let surface = Surface::zeroed(Description::d2(Format::R8G8B8A8_UNORM, 8, 4)).unwrap();
        let bytes: Vec<u8> = (0..128).collect();
        for y in 0..4 {
            let row = surface.address(0, y);
            surface.memory().write(row, &bytes[32 * y as usize..][..32]);
        }
        surface
    }

    #[test]
    fn the_mask_follows_the_table_of_the_manual() {
        let rows: Vec<Vec<u32>> = (0..4)
            .map(|y| (0..8).map(|x| mask_bit(x, y)).collect())
            .collect();
        assert_eq!(
            rows,
            [
                [0, 1, 4, 5, 16, 17, 20, 21],
                [2, 3, 6, 7, 18, 19, 22, 23],
                [8, 9, 12, 13, 24, 25, 28, 29],
                [10, 11, 14, 15, 26, 27, 30, 31],
            ]
        );
    }

    #[test]
    fn two_channels_share_a_register() {
        let registers = read(&counted(), CORNER).unwrap();
        // W0.0: pixel 1 channel 1, 0, pixel 0 channel 1, 0; pixel n is at byte 4 n.
        assert_eq!(registers[0][..4], [0, 1, 4, 5]);
        // W0.2: pixels 9 and 8, W0.4: 5 and 4, W0.7: 15 and 14.
        assert_eq!(registers[0][8..12], [32, 33, 36, 37]);
        assert_eq!(registers[0][16..20], [16, 17, 20, 21]);
        assert_eq!(registers[0][28..], [56, 57, 60, 61]);
        // W1.0: pixels 17 and 16; W2.0: channels 3/2 of pixels 1 and 0; W3.7: pixels 31 and 30.
        assert_eq!(registers[1][..4], [64, 65, 68, 69]);
        assert_eq!(registers[2][..4], [2, 3, 6, 7]);
        assert_eq!(registers[3][28..], [122, 123, 126, 127]);
    }

    #[test]
    fn what_was_read_is_written_back_by_the_mask() {
        let source = counted();
        let registers = read(&source, CORNER).unwrap();
        let copy = Surface::zeroed(source.description().clone()).unwrap();
        write(&copy, CORNER, u32::MAX, &registers).unwrap();
        assert_eq!(copy.to_rows(), source.to_rows());
        let one = Surface::zeroed(source.description().clone()).unwrap();
        // Bit 25 is pixel x = 5, y = 2, which is pixel 21.
        write(&one, CORNER, 1 << 25, &registers).unwrap();
        let rows = one.to_rows();
        assert_eq!(rows[84..88], [84, 85, 86, 87]);
        assert_eq!(rows.iter().filter(|&&b| b != 0).count(), 4);
    }

    #[test]
    fn outside_is_zero_and_dropped() {
        let surface = counted();
        let beside = Corner { x: -8, ..CORNER };
        assert_eq!(read(&surface, beside).unwrap(), [[0; 32]; 4]);
        write(&surface, beside, u32::MAX, &[[9; 32]; 4]).unwrap();
        assert_eq!(surface.to_rows(), counted().to_rows());
        let far = Corner {
            x: i32::MAX & !7,
            y: i32::MIN,
            ..CORNER
        };
        assert_eq!(read(&surface, far).unwrap(), [[0; 32]; 4]);
    }

    #[test]
    fn restrictions_are_refused() {
        let class = |s: &Surface, c| read(s, c).unwrap_err().class;
        assert_eq!(
            class(&counted(), Corner { x: 4, ..CORNER }),
            Class::Undefined
        );
        assert_eq!(
            class(&counted(), Corner { y: 2, ..CORNER }),
            Class::Undefined
        );
        let float = Surface::zeroed(Description::d2(Format::R32_FLOAT, 8, 4)).unwrap();
        assert_eq!(class(&float, CORNER), Class::Error);
        let buffer = Surface::zeroed(Description::buffer(Format::R8G8B8A8_UNORM, 8)).unwrap();
        assert_eq!(class(&buffer, CORNER), Class::Error);
    }
}
