//! Memory that backs surfaces, shared by all hardware threads of a run.
//!
//! **No data race by Rust's rules.** The bytes live in 64-bit atomic words and every access, of any
//! size, is made of relaxed operations on whole words: a read takes the words that hold its bytes, a
//! write stores whole words and merges partial ones with compare-and-exchange, so that neighbours
//! written by another thread survive. Two threads that write the same byte leave one of the two
//! values, as on hardware; nothing is torn within an aligned dword or qword. Accesses never mix
//! sizes, which the memory model would not allow. Relaxed is enough: barriers and fences of the
//! program order threads through the scheduler's own synchronisation.

use super::ledger::{self, Charge, Ledger, Short};
use crate::base::faults::{self, Call};
use bytemuck::allocation::{try_zeroed_slice_box, zeroed_slice_box};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A block of bytes that many threads may read and write.
pub struct Memory {
    /// One more than the bytes need: what holds the last byte may be read as a dword that begins there.
    words: Box<[AtomicU64]>,
    len: usize,
    /// Nobody writes beside whoever writes: words are merged without compare-and-exchange.
    alone: bool,
    /// What the run gives for it.
    _charge: Option<Charge>,
}

/// Eight bytes after eight bytes, wherever they begin.
pub struct Words<'m> {
    rest: std::slice::Iter<'m, AtomicU64>,
    held: u64,
    shift: u32,
}

impl Words<'_> {
    /// The next ones; zeros after the last that were asked for.
    #[inline(always)]
    pub fn word(&mut self) -> u64 {
        let next = self.rest.next().map_or(0, |word| word.load(Relaxed));
        // In two steps, because a shift by 64 is none.
        let word = self.held >> self.shift | next << 1 << (63 - self.shift);
        self.held = next;
        word
    }
}

/// Rows of `N` words each, `pitch` words apart; `None` if one is not there.
#[inline(always)]
fn read_words<const N: usize>(
    words: &[AtomicU64],
    pitch: usize,
    out: &mut [[u8; 8]],
) -> Option<()> {
    for (row, out) in out.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        let words = words.get(row * pitch..)?.first_chunk::<N>()?;
        for (out, word) in out.iter_mut().zip(words) {
            *out = word.load(Relaxed).to_le_bytes();
        }
    }
    Some(())
}

/// The other way round.
#[inline(always)]
fn write_words<const N: usize>(words: &[AtomicU64], pitch: usize, data: &[[u8; 8]]) -> Option<()> {
    for (row, data) in data.as_chunks::<N>().0.iter().enumerate() {
        let words = words.get(row * pitch..)?.first_chunk::<N>()?;
        for (data, word) in data.iter().zip(words) {
            word.store(u64::from_le_bytes(*data), Relaxed);
        }
    }
    Some(())
}

/// Words of so many bytes, and the one after them.
const fn words(len: usize) -> usize {
    len.div_ceil(8) + 1
}

impl Memory {
    /// `len` zero bytes, which no [`Ledger`] counts: few, or those of a test.
    ///
    /// # Panics
    /// Without memory.
    pub fn zeroed(len: usize) -> Memory {
        Memory::over(zeroed_slice_box(words(len)), len, None)
    }

    /// `len` zero bytes of what the run may have. They cost nothing until they are touched.
    ///
    /// # Errors
    /// [`Short`]: the run may not have so many, or the system has none left.
    pub fn allot(len: usize) -> Result<Memory, Short> {
        Memory::charged(len, Ledger::take(len as u64)?).map_err(ledger::note)
    }

    /// The same, for what can be done without: nobody hears of it if there is no room.
    pub fn spare(len: usize) -> Option<Memory> {
        let charge = Ledger::spare(len as u64).ok()?;
        Memory::charged(len, charge).ok()
    }

    fn charged(len: usize, charge: Option<Charge>) -> Result<Memory, Short> {
        let words = match faults::hit(Call::Allocate) {
            Ok(()) => try_zeroed_slice_box(words(len)),
            Err(_) => Err(()),
        };
        let words = words.map_err(|()| Short::System(len as u64))?;
        Ok(Memory::over(words, len, charge))
    }

    /// A copy of `bytes` in what the run may have.
    ///
    /// # Errors
    /// As [`Memory::allot`].
    pub fn copy_of(bytes: &[u8]) -> Result<Memory, Short> {
        let memory = Memory::allot(bytes.len())?;
        memory.write(0, bytes);
        Ok(memory)
    }

    fn over(words: Box<[AtomicU64]>, len: usize, charge: Option<Charge>) -> Memory {
        Memory {
            words,
            len,
            alone: false,
            _charge: charge,
        }
    }

    /// `len` zero bytes that one host thread at a time reads and writes. If more do, bytes beside those that another
    /// one writes may be lost.
    pub fn of_one_thread(len: usize) -> Memory {
        Memory {
            alone: true,
            ..Memory::zeroed(len)
        }
    }

    /// Makes all bytes zero.
    pub fn clear(&self) {
        self.words.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// A copy of `bytes`, which no [`Ledger`] counts.
    pub fn from_bytes(bytes: &[u8]) -> Memory {
        let word = |chunk: &[u8]| {
            let mut whole = [0; 8];
            whole[..chunk.len()].copy_from_slice(chunk);
            AtomicU64::new(u64::from_le_bytes(whole))
        };
        let after = std::iter::once(AtomicU64::new(0));
        let words = bytes.chunks(8).map(word).chain(after);
        Memory::over(words.collect(), bytes.len(), None)
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes that may be read from the first one on: more than there are, and then zeros.
    pub fn readable(&self) -> usize {
        8 * self.words.len()
    }

    /// The words that hold its bytes.
    fn own_words(&self) -> &[AtomicU64] {
        &self.words[..self.words.len() - 1]
    }

    /// Where its bytes are on the host, at a multiple of 8, as long as it lives.
    pub fn host_address(&self) -> usize {
        self.words.as_ptr().expose_provenance()
    }

    /// Whether there are no bytes at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A copy of all bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        self.read(0, &mut bytes);
        bytes
    }

    /// Copies the bytes from `offset` on into `out`.
    ///
    /// # Panics
    /// If the range does not lie inside the memory: bounds are the caller's rule to apply.
    #[inline]
    pub fn read(&self, offset: usize, out: &mut [u8]) {
        assert!(
            offset + out.len() <= self.len,
            "read {offset}+{} of {}",
            out.len(),
            self.len
        );
        let (mut index, shift) = (offset / 8, offset % 8);
        let mut rest = out;
        if shift != 0 && !rest.is_empty() {
            let bytes = self.words[index].load(Relaxed).to_le_bytes();
            let n = rest.len().min(8 - shift);
            rest[..n].copy_from_slice(&bytes[shift..shift + n]);
            rest = &mut rest[n..];
            index += 1;
        }
        let mut whole = rest.chunks_exact_mut(8);
        let words = &self.words[index.min(self.words.len())..];
        let count = whole.len();
        for (chunk, word) in (&mut whole).zip(words) {
            chunk.copy_from_slice(&word.load(Relaxed).to_le_bytes());
        }
        let tail = whole.into_remainder();
        if !tail.is_empty() {
            let bytes = words[count].load(Relaxed).to_le_bytes();
            tail.copy_from_slice(&bytes[..tail.len()]);
        }
    }

    /// Words from the first row's on, of each row, and from row to row: `bytes` of `rows` rows. `None` if one does not lie
    /// inside the memory, or is not made of words.
    #[inline(always)]
    fn rows_of_words(
        &self,
        offset: usize,
        pitch: usize,
        rows: usize,
        bytes: usize,
    ) -> Option<(&[AtomicU64], usize, usize)> {
        let stride = bytes.checked_div(rows)?;
        let last = offset.checked_add(pitch.checked_mul(rows.checked_sub(1)?)?)?;
        let whole = (offset | pitch | stride).is_multiple_of(8);
        let apart = stride > 0 && (stride <= pitch || rows == 1);
        if !whole || !apart || last.checked_add(stride)? > self.len {
            return None;
        }
        let words = &self.words[offset / 8..(last + stride) / 8];
        Some((words, stride / 8, pitch / 8))
    }

    /// Copies words of rows: row `i` begins at byte `offset + i * pitch`, both multiples of 8, and fills the
    /// first `out.len() / rows` bytes of its part of `out`, whole words. `None`, and nothing is copied, if a
    /// row does not lie inside the memory or is not made of words.
    #[inline]
    pub fn read_rows(
        &self,
        offset: usize,
        pitch: usize,
        rows: usize,
        out: &mut [u8],
    ) -> Option<()> {
        let (words, stride, pitch) = self.rows_of_words(offset, pitch, rows, out.len())?;
        let out = out.as_chunks_mut::<8>().0;
        // A size that is known makes one run of instructions of a row.
        match stride {
            2 => read_words::<2>(words, pitch, out),
            4 => read_words::<4>(words, pitch, out),
            8 => read_words::<8>(words, pitch, out),
            _ => {
                for (row, out) in out.chunks_exact_mut(stride).enumerate() {
                    for (out, word) in out.iter_mut().zip(&words[row * pitch..]) {
                        *out = word.load(Relaxed).to_le_bytes();
                    }
                }
                Some(())
            }
        }
    }

    /// The other way round: rows of whole words become those of the memory; `None`, and nothing is copied, as above.
    #[inline]
    pub fn write_rows(&self, offset: usize, pitch: usize, rows: usize, data: &[u8]) -> Option<()> {
        let (words, stride, pitch) = self.rows_of_words(offset, pitch, rows, data.len())?;
        let data = data.as_chunks::<8>().0;
        match stride {
            2 => write_words::<2>(words, pitch, data),
            4 => write_words::<4>(words, pitch, data),
            8 => write_words::<8>(words, pitch, data),
            _ => {
                for (row, data) in data.chunks_exact(stride).enumerate() {
                    for (data, word) in data.iter().zip(&words[row * pitch..]) {
                        word.store(u64::from_le_bytes(*data), Relaxed);
                    }
                }
                Some(())
            }
        }
    }

    /// The aligned 8 bytes that hold byte `offset`; beyond the last byte they are 0.
    ///
    /// # Panics
    /// If `offset` is outside.
    #[inline(always)]
    pub fn word(&self, offset: usize) -> u64 {
        self.words[offset / 8].load(Relaxed)
    }

    /// `count` times eight bytes, from byte `offset` on; `None` unless eight bytes more follow them.
    #[inline(always)]
    pub fn words(&self, offset: usize, count: usize) -> Option<Words<'_>> {
        let first = offset / 8;
        let (held, rest) = self
            .own_words()
            .get(first..first + count + 1)?
            .split_first()?;
        Some(Words {
            rest: rest.iter(),
            held: held.load(Relaxed),
            shift: 8 * (offset % 8) as u32,
        })
    }

    /// The `count` aligned words from the one that holds byte `offset` on; `None` unless all are there.
    #[inline(always)]
    pub fn whole_words(&self, offset: usize, count: usize) -> Option<impl Iterator<Item = u64>> {
        let first = offset / 8;
        let words = self.own_words().get(first..first.checked_add(count)?)?;
        Some(words.iter().map(|word| word.load(Relaxed)))
    }

    /// Copies the bytes of the `N` aligned words from the one that holds a byte on into words of the host; `None`, and nothing is
    /// copied, unless all are there and have room.
    #[inline(always)]
    pub fn word_copier<const N: usize>(&self) -> impl Fn(usize, &mut [u64]) -> Option<()> {
        let words = self.own_words();
        move |offset, out| {
            let words = words.get(offset / 8..)?.first_chunk::<N>()?;
            for (out, word) in out.first_chunk_mut::<N>()?.iter_mut().zip(words) {
                *out = word.load(Relaxed).to_le();
            }
            Some(())
        }
    }

    /// Copies `N` words from the one at byte `offset` on, and from each so many words behind it, to the first ones of each
    /// row; `None` where there are not so many, or fewer from row to row: some may have been copied then.
    #[inline(always)]
    pub fn copy_word_rows<'r, const N: usize>(
        &self,
        offset: usize,
        pitch: usize,
        rows: impl Iterator<Item = &'r mut [u64]>,
    ) -> Option<()> {
        let words = self.own_words().get(offset / 8..)?;
        let mut found = words.chunks(pitch.max(1));
        for row in rows {
            let words = found.next()?.first_chunk::<N>()?;
            for (out, word) in row.first_chunk_mut::<N>()?.iter_mut().zip(words) {
                *out = word.load(Relaxed).to_le();
            }
        }
        Some(())
    }

    /// The `N` bytes at `offset`: [`Memory::read`] for a size known while compiling.
    ///
    /// # Panics
    /// As [`Memory::read`].
    #[inline]
    pub fn load<const N: usize>(&self, offset: usize) -> [u8; N] {
        let mut bytes = [0; N];
        let shift = offset % 8;
        if N <= 8 && shift + N <= 8 && offset + N <= self.len {
            let word = self.words[offset / 8].load(Relaxed) >> (8 * shift);
            bytes.copy_from_slice(&word.to_le_bytes()[..N]);
        } else {
            self.read(offset, &mut bytes);
        }
        bytes
    }

    /// Copies `bytes` to `offset` and following.
    ///
    /// # Panics
    /// If the range does not lie inside the memory.
    #[inline]
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(
            offset + bytes.len() <= self.len,
            "write {offset}+{} of {}",
            bytes.len(),
            self.len
        );
        let (mut index, shift) = (offset / 8, offset % 8);
        let mut rest = bytes;
        if shift != 0 && !rest.is_empty() {
            let n = rest.len().min(8 - shift);
            self.merge(index, shift, &rest[..n]);
            rest = &rest[n..];
            index += 1;
        }
        let (whole, rest) = rest.as_chunks::<8>();
        let end = index + whole.len();
        for (word, bytes) in self.words[index..end].iter().zip(whole) {
            word.store(u64::from_le_bytes(*bytes), Relaxed);
        }
        if !rest.is_empty() {
            self.merge(end, 0, rest);
        }
    }

    /// Replaces `bytes.len()` bytes of one word, starting at byte `shift`.
    fn merge(&self, index: usize, shift: usize, bytes: &[u8]) {
        let (mut value, mut mask) = ([0; 8], [0; 8]);
        value[shift..shift + bytes.len()].copy_from_slice(bytes);
        mask[shift..shift + bytes.len()].fill(0xff);
        let (value, mask) = (u64::from_le_bytes(value), u64::from_le_bytes(mask));
        self.update(index, |old| old & !mask | value);
    }

    fn update(&self, index: usize, f: impl Fn(u64) -> u64) -> u64 {
        let word = &self.words[index];
        let mut old = word.load(Relaxed);
        if self.alone {
            word.store(f(old), Relaxed);
            return old;
        }
        loop {
            match word.compare_exchange_weak(old, f(old), Relaxed, Relaxed) {
                Ok(_) => return old,
                Err(now) => old = now,
            }
        }
    }

    /// Replaces the naturally aligned dword at `offset` by `f` of it in one step; returns the old value.
    ///
    /// # Panics
    /// If `offset` is not a multiple of 4 or outside.
    pub fn update_u32(&self, offset: usize, f: impl Fn(u32) -> u32) -> u32 {
        assert!(
            offset.is_multiple_of(4) && offset + 4 <= self.len,
            "atomic at {offset} of {}",
            self.len
        );
        let shift = offset % 8 * 8;
        let part = |word: u64| (word >> shift) as u32;
        let old = self.update(offset / 8, |word| {
            word & !(0xffff_ffff << shift) | u64::from(f(part(word))) << shift
        });
        part(old)
    }

    /// Replaces the naturally aligned qword at `offset` by `f` of it in one step; returns the old value.
    ///
    /// # Panics
    /// If `offset` is not a multiple of 8 or outside.
    pub fn update_u64(&self, offset: usize, f: impl Fn(u64) -> u64) -> u64 {
        assert!(
            offset.is_multiple_of(8) && offset + 8 <= self.len,
            "atomic at {offset} of {}",
            self.len
        );
        self.update(offset / 8, f)
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_more_can_be_read_than_there_is() {
        for len in 0..20 {
            let bytes = vec![1; len];
            let made = [
                Some(Memory::zeroed(len)),
                Memory::allot(len).ok(),
                Memory::spare(len),
                Some(Memory::from_bytes(&bytes)),
                Memory::copy_of(&bytes).ok(),
            ];
            for memory in made {
                assert!(memory.is_some_and(|memory| memory.readable() >= len + 8));
            }
        }
    }
}
