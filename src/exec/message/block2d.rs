//! 2D blocks of the load/store pipe: rectangles of a surface that the message itself describes.
//!
//! ```text
//!  address, width, height, pitch ─▶ which elements exist ─┬─ row by row ─▶ LscBlock2d::place ─▶ registers
//!  column, row, blocks           ─▶ which are asked for ──┘   (others: 0, or not stored)
//! ```
//!
//! Source: vISA text reference 5.11; vISA page LSC_UNTYPED, "LOAD_BLOCK2D". The page calls the pitch bytes,
//! width and height bytes less one; as the message has one field for each, all three are taken less one.

use super::memory::{Address, Fault, Port};
use crate::exec::state::observer::Observer;
use crate::message::LscBlock2d;

/// Bytes of a row of one rectangle at most, with those that fill its last dword.
const MOST_ROW: usize = 64 + 4;

/// The surface and the place of the first rectangle in it, in bytes and rows.
struct Asking {
    address: u64,
    width: i64,
    height: i64,
    pitch: u64,
    x: i64,
    y: i64,
}

impl Asking {
    fn new(block: &LscBlock2d) -> Asking {
        let [dx, dy] = block.offset.map(i64::from);
        let x = i64::from(block.x) + dx;
        Asking {
            address: block.address,
            width: i64::from(block.surface_width) + 1,
            height: i64::from(block.surface_height) + 1,
            pitch: u64::from(block.surface_pitch) + 1,
            x: x.saturating_mul(i64::from(block.element)),
            y: i64::from(block.y) + dy,
        }
    }

    /// The part of `bytes` bytes of a row from byte `x` on that exists: whole elements.
    fn inside(&self, x: i64, y: i64, bytes: usize, element: usize) -> std::ops::Range<usize> {
        if !(0..self.height).contains(&y) {
            return 0..0;
        }
        let element = element as i64;
        let whole = self.width - self.width % element;
        let last = whole.saturating_sub(x).clamp(0, bytes as i64);
        // Places are whole elements, so both ends are.
        let first = x.saturating_neg().clamp(0, last);
        first as usize..last as usize
    }
}

impl<O: Observer> Port<'_, '_, '_, O> {
    /// Serves a 2D block.
    pub(crate) fn block2d(&mut self, block: &LscBlock2d) -> Result<(), Fault> {
        let (registers, write) = (self.call.registers, block.access.is_write());
        let data = match write {
            true => registers.data[0],
            false => registers.answer,
        };
        let Some(data) = data else {
            // A load to nowhere only warms a cache.
            return Ok(());
        };
        let asking = Asking::new(block);
        let grf = self.register_bytes() as u32;
        let mut registers = [0; LscBlock2d::MOST_BYTES];
        let registers = &mut registers[..(block.bytes(grf) as usize).min(LscBlock2d::MOST_BYTES)];
        if write {
            self.get_all(data, registers);
        }
        let element = block.element as usize;
        let together = if block.vnni { block.in_dword() } else { 1 };
        // What fills the last dword of a column, or of a row, is read with it.
        let (columns, rows) = match block.transposed {
            true => (block.width.next_multiple_of(together), block.height),
            false => (block.width, block.height.next_multiple_of(together)),
        };
        let (pitch, across) = block.rows();
        for number in 0..block.blocks {
            let first = (number * block.step(grf)) as usize;
            let end = first + (pitch * across) as usize;
            let x = asking
                .x
                .saturating_add(i64::from(number * block.width) * element as i64);
            for row in 0..rows {
                let y = asking.y.saturating_add(row.into());
                let mut bytes = [0; MOST_ROW];
                let bytes = &mut bytes[..columns as usize * element];
                let inside = asking.inside(x, y, bytes.len(), element);
                let address = (y as u64)
                    .wrapping_mul(asking.pitch)
                    .wrapping_add(asking.address)
                    .wrapping_add((x as u64).wrapping_add(inside.start as u64));
                let asked = Address::block(address, block.element);
                let place = |column: u32| {
                    let at = first + block.place(column, row) as usize;
                    (at < end).then(|| at * element..(at + 1) * element)
                };
                if write {
                    for column in 0..columns {
                        let from = place(column).and_then(|range| registers.get(range));
                        if let Some(from) = from {
                            bytes[column as usize * element..][..element].copy_from_slice(from);
                        }
                    }
                    if !inside.is_empty() {
                        self.store(asked, &bytes[inside])?;
                    }
                    continue;
                }
                if !inside.is_empty() {
                    self.load(asked, &mut bytes[inside])?;
                }
                for (column, value) in bytes.chunks_exact(element).enumerate() {
                    let to = place(column as u32).and_then(|range| registers.get_mut(range));
                    if let Some(to) = to {
                        to.copy_from_slice(value);
                    }
                }
            }
        }
        if !write {
            self.put(data, 0, registers);
        }
        Ok(())
    }
}
