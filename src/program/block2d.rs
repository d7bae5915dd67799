//! 2D blocks of the load/store pipe. Source: vISA text reference 5.11; vISA page LSC_UNTYPED.

use super::{Raw, Source};

/// A rectangle of a surface whose size stands in the message. Source: vISA page LSC_UNTYPED,
/// "LOAD_BLOCK2D".
#[derive(Clone, Debug, PartialEq)]
pub struct LscBlock {
    /// Memory is written.
    pub write: bool,
    /// Bytes of an element.
    pub element: u32,
    /// Rectangles side by side.
    pub blocks: u32,
    /// Elements of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Registers hold columns.
    pub transposed: bool,
    /// Elements of a column (of a row, transposed) fill a dword together.
    pub vnni: bool,
    /// Address of the surface, its bytes a row less one, rows less one and pitch less one, then column
    /// in elements and row of the first rectangle.
    pub address: Box<[Source; 6]>,
    /// What is added to column and row.
    pub offset: [i64; 2],
    /// The registers; `None`: nothing comes back.
    pub data: Option<Raw>,
}

impl LscBlock {
    /// Bytes of registers that a block fills at most: four of 32 rows of 64 bytes.
    pub const MOST_BYTES: usize = 4 * 32 * 64;

    /// Elements that make a dword; 1 where they are as large.
    pub const fn in_dword(&self) -> u32 {
        match self.element {
            1 => 4,
            2 => 2,
            _ => 1,
        }
    }

    /// Elements from one row of registers to the next, and such rows of a rectangle.
    pub const fn rows(&self) -> (u32, u32) {
        if self.transposed {
            (self.height.next_power_of_two(), self.width)
        } else {
            (self.width.next_power_of_two(), self.height)
        }
    }

    /// Elements from one rectangle to the next in registers of `grf` bytes: each begins a new one.
    pub const fn step(&self, grf: u32) -> u32 {
        let (pitch, rows) = self.rows();
        (pitch * rows).next_multiple_of(grf / self.element)
    }

    /// The place of an element inside its rectangle in registers.
    pub const fn place(&self, column: u32, row: u32) -> u32 {
        let (pitch, _) = self.rows();
        let (along, across) = match self.transposed {
            true => (row, column),
            false => (column, row),
        };
        let together = if self.vnni { self.in_dword() } else { 1 };
        (across - across % together) * pitch + along * together + across % together
    }

    /// Bytes of the registers that it fills or reads, of `grf` bytes each.
    pub const fn bytes(&self, grf: u32) -> u32 {
        self.blocks * self.step(grf) * self.element
    }
}
