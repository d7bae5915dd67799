//! Blocks whose texels are picked from memory as they lie there, by whoever can: all that takes, for blocks of sixteen
//! columns of one plane of bytes in rows.
//!
//! ```text
//!  rows of the plane   0 0 0 1 2 3 …      each once for each time that a block at the upper edge has it
//!  a row from `at`     t0 t1 t2 t3 … t63
//!  picks               0 0 0 0 1 2 3 4    eight for each column; those at the left edge name texel 0 again
//! ```

use super::block::{COLUMNS, Down};
use super::filters::Taps;
use super::known::{Begin, Known};
use super::window::{Axis, FOOTPRINT};
use crate::surface::Memory;
use indexmap::IndexSet;
use std::hash::{Hash, Hasher};

/// Texels of a row that are picked from.
pub const TEXELS: usize = 64;

/// The texels of each column, the first four and then the others; and their taps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Picks {
    from: [[[u8; FOOTPRINT / 2]; COLUMNS]; 2],
    taps: [[[i8; FOOTPRINT / 2]; COLUMNS]; 2],
}

/// As a whole: array after array takes long.
impl Hash for Picks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for bytes in [
            bytemuck::bytes_of(&self.from),
            bytemuck::bytes_of(&self.taps),
        ] {
            state.write(bytes);
        }
    }
}

impl Picks {
    /// The picks of columns from their first texel on, and which one that is; `None` if there are not sixteen columns, or
    /// if their texels lie too far apart. Rows that are long enough have as many texels from there on as are picked from.
    fn new(x: &Axis, taps: Taps, width: i32) -> Option<(Picks, i32)> {
        let least = x.sources().iter().min()?;
        let first = (*least).min((width - TEXELS as i32).max(0));
        if x.pixels() != COLUMNS {
            return None;
        }
        let mut picks = Picks {
            from: Default::default(),
            taps: Default::default(),
        };
        for (column, (&start, &beta)) in x.starts().iter().zip(x.betas()).enumerate() {
            let texels = x.sources().get(usize::from(start)..)?;
            for (i, (tap, texel)) in taps.row(beta).into_iter().zip(texels).enumerate() {
                let (half, at) = (i / (FOOTPRINT / 2), i % (FOOTPRINT / 2));
                let from = u8::try_from(texel - first).ok()?;
                picks.from[half][column][at] = Some(from).filter(|&at| usize::from(at) < TEXELS)?;
                // A table holds what eight bits do.
                picks.taps[half][column][at] = tap as i8;
            }
        }
        Some((picks, first))
    }
}

/// A block, and where its texels are.
pub struct PickedBlock<'b> {
    pub memory: &'b Memory,
    /// The byte of row 0 from which on texels are picked, and bytes from row to row.
    pub at: usize,
    pub pitch: usize,
    pub picks: &'b Picks,
    pub down: &'b Down,
    /// Bytes of a sample, 1 or 2.
    pub element: usize,
}

/// Somebody who makes such blocks.
pub trait MakesBlocks: Sync {
    /// Makes the samples of a block, in as many bytes as they have: false if it is not done, and nothing has happened.
    fn make(&self, block: &PickedBlock<'_>, out: &mut [u8]) -> bool;
}

/// Where columns have their texels.
#[derive(Clone, Copy)]
struct Placed {
    first: i32,
    picks: usize,
}

/// The columns of blocks.
#[derive(Default)]
pub struct Columns {
    picks: IndexSet<Picks>,
    /// `None` of those that cannot be picked.
    known: Known<Option<Placed>>,
}

impl Columns {
    /// Comes to columns. False if they are not known.
    #[inline]
    pub fn come_to(&mut self, begin: Begin) -> bool {
        self.known.come_to(begin)
    }

    /// The picks of those at hand, if they can be picked, and the texel from which on they are.
    #[inline]
    pub fn picks(&self) -> Option<(&Picks, i32)> {
        let Placed { first, picks } = (*self.known.here()?)?;
        Some((self.picks.get_index(picks)?, first))
    }

    /// Columns become known, and are those at hand, on a plane that is so wide.
    #[inline(never)]
    pub fn learn(&mut self, begin: Begin, x: &Axis, taps: Taps, width: i32) {
        if self.known.is_full() {
            self.known.forget();
            self.picks.clear();
        }
        let placed = Picks::new(x, taps, width).map(|(picks, first)| Placed {
            first,
            picks: self.picks.insert_full(picks).0,
        });
        self.known.learn(begin, placed);
    }
}
