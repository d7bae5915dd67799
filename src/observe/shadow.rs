//! Where the bytes of a thread's registers come from, byte by byte, and the bits of its predicates.

use super::known::Known;
use crate::program::SymbolClass;
use std::ops::Range;

/// Where a byte comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// There since the thread started: inputs, built-ins, constants.
    Given,
    /// Nothing was ever written.
    Never,
    /// Written by the op at this index.
    Written(u32),
    /// The op at this index left it undefined.
    Undefined(u32),
}

impl Origin {
    /// In one word: op index plus one above the lowest bit, which says "not defined".
    const fn pack(self) -> u32 {
        match self {
            Origin::Given => 0,
            Origin::Never => 1,
            Origin::Written(pc) => (pc + 1) << 1,
            Origin::Undefined(pc) => (pc + 1) << 1 | 1,
        }
    }

    const fn unpack(word: u32) -> Origin {
        match (word >> 1, word & 1 != 0) {
            (0, false) => Origin::Given,
            (0, true) => Origin::Never,
            (pc, false) => Origin::Written(pc - 1),
            (pc, true) => Origin::Undefined(pc - 1),
        }
    }
}

/// The shadow of one thread's arena.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    words: Vec<u32>,
    /// Bits that have been written, by arena offset of the predicate less that of the first one.
    bits: Vec<u32>,
    first: u32,
    /// What callers had in the variables of functions that are running again or now.
    callers: Vec<Saved>,
}

#[derive(Clone, Debug)]
struct Saved {
    function: u32,
    words: Vec<u32>,
    bits: Vec<(u32, u32)>,
}

impl Shadow {
    /// Before a thread starts: declared variables and call arguments hold nothing.
    pub fn new(known: &Known) -> Shadow {
        let mut shadow = Shadow {
            words: vec![Origin::Given.pack(); known.program.image.len()],
            bits: vec![0; known.predicates.len()],
            first: known.predicates.start,
            ..Shadow::default()
        };
        for owner in &known.program.owners {
            let empty = match owner.class {
                SymbolClass::General(_) => {
                    !owner.predefined || matches!(&*owner.name, "%arg" | "%retval")
                }
                SymbolClass::Address => true,
                // Predicates are kept bit by bit; state variables start with their own index.
                SymbolClass::Predicate | SymbolClass::Surface | SymbolClass::Sampler => false,
            };
            if empty {
                shadow.set(owner.range.clone(), Origin::Never);
            }
        }
        shadow
    }

    /// A thread starts: `given` holds something.
    pub fn give(&mut self, known: &Known, given: &[Range<u32>]) {
        for range in given {
            self.set(range.clone(), Origin::Given);
            if known.class(range.start) == Some(SymbolClass::Predicate) {
                self.write_bits(range.start, u32::MAX);
            }
        }
    }

    /// Marks bytes.
    pub fn set(&mut self, range: Range<u32>, origin: Origin) {
        let range = range.start as usize..range.end as usize;
        if let Some(words) = self.words.get_mut(range) {
            words.fill(origin.pack());
        }
    }

    /// Marks the elements of some lanes, each of `size` bytes, those of all lanes next to each other.
    pub fn set_lanes(&mut self, first: u32, size: u32, lanes: u32, origin: Origin) {
        let count = u32::BITS - lanes.leading_zeros();
        let range = first as usize..(first + size * count) as usize;
        let Some(words) = self.words.get_mut(range) else {
            return;
        };
        let word = origin.pack();
        if size == 4 {
            for (lane, words) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                if lanes >> lane & 1 != 0 {
                    *words = [word; 4];
                }
            }
            return;
        }
        for (lane, words) in words.chunks_exact_mut(size as usize).enumerate() {
            if lanes >> lane & 1 != 0 {
                words.fill(word);
            }
        }
    }

    /// Where a byte comes from.
    pub fn origin(&self, offset: u32) -> Origin {
        let word = self.words.get(offset as usize).copied();
        Origin::unpack(word.unwrap_or_default())
    }

    /// Whether something is promised of every byte of a range.
    #[inline]
    pub fn is_defined(&self, range: &Range<u32>) -> bool {
        let words = self.words.get(range.start as usize..range.end as usize);
        words.is_none_or(|words| words.iter().fold(0, |all, word| all | word) & 1 == 0)
    }

    /// The first byte of a range of which nothing is promised.
    #[inline]
    pub fn first_undefined(&self, offset: u32, size: u32) -> Option<u32> {
        let words = self.words.get(offset as usize..(offset + size) as usize)?;
        let at = words.iter().position(|w| w & 1 != 0)?;
        Some(offset + at as u32)
    }

    /// The op that wrote the defined byte of `range` nearest to `offset`, if any did.
    pub fn nearest_write(&self, range: &Range<u32>, offset: u32) -> Option<(u32, u32)> {
        let written = |at: u32| match self.origin(at) {
            Origin::Written(pc) => Some((at, pc)),
            _ => None,
        };
        let below = (range.start..offset).rev().find_map(written);
        let above = (offset..range.end).find_map(written);
        match (below, above) {
            (Some(b), Some(a)) if offset - b.0 > a.0 - offset => Some(a),
            (b, a) => b.or(a),
        }
    }

    /// Bits of the predicate at `offset` that have been written.
    pub fn written_bits(&self, offset: u32) -> u32 {
        let at = offset.wrapping_sub(self.first) as usize;
        self.bits.get(at).copied().unwrap_or(0)
    }

    /// Marks bits as written.
    pub fn write_bits(&mut self, offset: u32, bits: u32) {
        self.replace_bits(offset, bits, bits);
    }

    /// Of the bits of `mask`, those in `written` are written and the others are not.
    pub fn replace_bits(&mut self, offset: u32, written: u32, mask: u32) {
        let at = offset.wrapping_sub(self.first) as usize;
        if let Some(bits) = self.bits.get_mut(at) {
            *bits = *bits & !mask | written & mask;
        }
    }

    /// A function was entered: its variables hold nothing.
    pub fn enter(&mut self, known: &Known, function: u32) {
        let mut saved = Saved {
            function,
            words: Vec::new(),
            bits: Vec::new(),
        };
        for owner in known
            .program
            .owners
            .iter()
            .filter(|o| o.function == Some(function))
        {
            match owner.class {
                SymbolClass::General(_) | SymbolClass::Address => {
                    let range = owner.range.start as usize..owner.range.end as usize;
                    saved
                        .words
                        .extend(self.words.get(range).unwrap_or_default());
                    self.set(owner.range.clone(), Origin::Never);
                }
                SymbolClass::Predicate => {
                    let at = owner.range.start;
                    saved.bits.push((at, self.written_bits(at)));
                    self.replace_bits(at, 0, u32::MAX);
                }
                SymbolClass::Surface | SymbolClass::Sampler => {}
            }
        }
        self.callers.push(saved);
    }

    /// A function was left: what its variables held before is back.
    pub fn leave(&mut self, known: &Known) {
        let Some(saved) = self.callers.pop() else {
            return;
        };
        let mut words = &saved.words[..];
        for owner in known
            .program
            .owners
            .iter()
            .filter(|o| o.function == Some(saved.function))
        {
            let general = matches!(owner.class, SymbolClass::General(_) | SymbolClass::Address);
            let range = owner.range.start as usize..owner.range.end as usize;
            if let (true, Some(own)) = (general, self.words.get_mut(range)) {
                let (before, rest) = words.split_at(own.len().min(words.len()));
                own[..before.len()].copy_from_slice(before);
                words = rest;
            }
        }
        for (offset, bits) in saved.bits {
            self.replace_bits(offset, bits, u32::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_survives_packing() {
        for origin in [
            Origin::Given,
            Origin::Never,
            Origin::Written(0),
            Origin::Written(77),
            Origin::Undefined(0),
            Origin::Undefined(77),
        ] {
            assert_eq!(Origin::unpack(origin.pack()), origin);
        }
    }

    #[test]
    fn the_nearest_write_wins_on_either_side() {
        let mut shadow = Shadow {
            words: vec![Origin::Never.pack(); 16],
            ..Shadow::default()
        };
        shadow.set(0..4, Origin::Written(3));
        shadow.set(10..12, Origin::Written(5));
        assert_eq!(shadow.nearest_write(&(0..16), 5), Some((3, 3)));
        assert_eq!(shadow.nearest_write(&(0..16), 9), Some((10, 5)));
        assert_eq!(shadow.nearest_write(&(12..16), 13), None);
        assert_eq!(shadow.first_undefined(0, 8), Some(4));
        assert_eq!(shadow.first_undefined(0, 4), None);
    }
}
