//! The bytes of a thread, placed so that a wide load or store of an aligned variable lies in one line of the cache.

use std::ops::{Deref, DerefMut};
use wide::bytemuck::{cast_slice, cast_slice_mut};
use wide::u8x64;

/// Bytes that begin at a multiple of 64, and zeros behind them (`room`).
#[derive(Clone, Debug, Default)]
pub struct Arena {
    rows: Vec<u8x64>,
}

/// Bytes of a row.
pub const ROW: usize = size_of::<u8x64>();

/// Bytes of a row, and where in an arena they begin.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Row {
    pub at: usize,
    pub bytes: [u8; ROW],
}

/// Bytes of the arena of so many bytes: wherever one of them is, a whole row may be loaded.
pub const fn room(image: usize) -> usize {
    (image.div_ceil(ROW) + 1) * ROW
}

/// The dword of an arena at an offset.
#[inline(always)]
pub fn dword(arena: &[u8], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&arena[at..at + 4]);
    u32::from_le_bytes(bytes)
}

impl Arena {
    /// Replaces all bytes by a copy of `image`, in the same memory if it is large enough.
    pub fn fill(&mut self, image: &[u8]) {
        self.rows.resize(room(image.len()) / ROW, u8x64::default());
        self[..image.len()].copy_from_slice(image);
        self[image.len()..].fill(0);
    }

    /// The rows in which another arena of the same size differs.
    pub fn rows_apart(&self, other: &Arena) -> impl Iterator<Item = u32> {
        let rows = (0..).zip(self.rows.iter().zip(&other.rows));
        rows.filter_map(|(row, (a, b))| (a != b).then_some(row))
    }

    /// The bytes of these rows, and where they begin.
    pub fn rows(&self, rows: &[u32]) -> Vec<Row> {
        let rows = rows.iter().map(|&row| row as usize);
        let known = rows.filter_map(|row| {
            Some(Row {
                at: row * ROW,
                bytes: self.rows.get(row)?.to_array(),
            })
        });
        known.collect()
    }

    /// Replaces rows by those of `image`, which was copied into these bytes before.
    #[inline]
    pub fn refresh_rows(&mut self, image: &Arena, rows: &[u32]) {
        let count = self.rows.len().min(image.rows.len());
        let (own, image) = (&mut self.rows[..count], &image.rows[..count]);
        for &row in rows {
            if let (Some(own), Some(image)) = (own.get_mut(row as usize), image.get(row as usize)) {
                *own = *image;
            }
        }
    }
}

impl Deref for Arena {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        cast_slice(&self.rows)
    }
}

impl DerefMut for Arena {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        cast_slice_mut(&mut self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_before_is_gone() {
        let mut arena = Arena::default();
        arena.fill(&[7; 70]);
        arena.fill(&[1; 40]);
        assert_eq!(arena[..40], [1; 40]);
        assert_eq!(arena[40..], [0; 24 + ROW]);
        assert_eq!(arena.as_ptr().align_offset(ROW), 0);
    }
}
