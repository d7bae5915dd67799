//! What is known of columns, by where they begin.

use indexmap::IndexMap;
use std::hint::black_box;

/// Columns that are known at most.
pub const MOST_KNOWN: usize = 1024;

/// Where positions along an axis begin, their steps, and how those change: bits of each number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Begin {
    from_and_step: u64,
    change: u32,
}

impl Begin {
    #[inline]
    pub fn new(from: f32, step: f32, change: f32) -> Begin {
        // The host waits where it loads together what was stored one by one just before, as the compiler has it do.
        let [from, step, change] = [from, step, change].map(|number| black_box(number.to_bits()));
        Begin {
            from_and_step: u64::from(from) | u64::from(step) << 32,
            change,
        }
    }
}

/// Something for columns that begin alike. Blocks come row after row: those below begin where those above did.
pub struct Known<T> {
    all: IndexMap<Begin, T>,
    /// That of the columns at hand, and that of those that came next when they were new.
    at: usize,
    next: usize,
}

impl<T> Default for Known<T> {
    fn default() -> Known<T> {
        Known {
            all: IndexMap::new(),
            at: 0,
            next: 0,
        }
    }
}

impl<T> Known<T> {
    /// Comes to columns. False if they are not known: then those at hand are still.
    #[inline]
    pub fn come_to(&mut self, begin: Begin) -> bool {
        let expected = self.all.get_index(self.next);
        if expected.is_none_or(|(known, _)| *known != begin) {
            match self.find(begin) {
                Some(at) => self.next = at,
                None => return false,
            }
        }
        self.at = self.next;
        self.next = match self.at + 1 {
            next if next < self.all.len() => next,
            _ => 0,
        };
        true
    }

    #[inline(never)]
    fn find(&self, begin: Begin) -> Option<usize> {
        self.all.get_index_of(&begin)
    }

    /// What is known of the columns at hand.
    #[inline]
    pub fn here(&self) -> Option<&T> {
        self.all.get_index(self.at).map(|(_, known)| known)
    }

    /// Whether the next columns that become known are too many.
    pub fn is_full(&self) -> bool {
        self.all.len() == MOST_KNOWN
    }

    /// Columns become known, and are those at hand.
    pub fn learn(&mut self, begin: Begin, known: T) {
        if self.is_full() {
            self.forget();
        }
        (self.at, self.next) = (self.all.insert_full(begin, known).0, 0);
    }

    /// No columns are known any more.
    pub fn forget(&mut self) {
        self.all.clear();
    }
}
