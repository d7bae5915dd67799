//! Messages for texels as native code finds them: what was worked out when one was sent for the first time.

use crate::dataport::block::BlockRows;
use crate::dataport::typed::WrittenBytes;
use crate::exec::state::tally::Traffic;
use crate::sampler::plan::{Outside, TexelBytes};
use crate::surface::Memory;
use crate::surface::channels::Numbers;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::Release};

/// The message is one of a sampler for channels that are bytes, v/255.
pub const SAMPLED: u32 = 1;
/// The message is one of a sampler for bits as they are, or for what [`TexelSite::apart`] says.
pub const AS_THEY_ARE: u32 = 3;
/// As [`SAMPLED`], of texels whose four bytes are red, green, blue and alpha.
pub const SAMPLED_IN_ORDER: u32 = 4;
/// The message is one of a sampler for four texels that are weighed.
pub const WEIGHED: u32 = 6;
/// The message is a typed write.
pub const WRITTEN: u32 = 2;
/// The message is a media block on a surface that is made of rows.
pub const ROWS: u32 = 5;

/// What a message reads; nothing is known of one that has not been sent. Bits of floats are dwords.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub struct TexelSite {
    /// Where the first texel is on the host.
    pub host: AtomicU64,
    /// [`SAMPLED`], [`SAMPLED_IN_ORDER`], [`AS_THEY_ARE`], [`WEIGHED`], [`WRITTEN`], [`ROWS`]: the rest is there; 0: it is not.
    pub known: AtomicU32,
    /// Binding table index or handle.
    pub surface: AtomicU32,
    /// Sampler index or handle.
    pub sampler: AtomicU32,
    /// As [`TexelBytes`] has them; what is not said of a typed write is 0.
    pub scales: [AtomicU32; 2],
    /// The same; of a typed write and of a load the numbers of texels, as integers; of a media block the last column and
    /// row at which it is inside.
    pub last: [AtomicU32; 2],
    /// The same; of a media block the low and the high half of the bytes from row to row.
    pub steps: [AtomicU32; 2],
    /// What a sample finds outside the map, along each axis: [`Outside`](crate::sampler::plan::Outside).
    pub outside: [AtomicU32; 2],
    /// [`IN_BORDER`], [`OF_FOUR`], [`DWORDS`] and what follows, or 0 where each lane gets the texel of up to a dword
    /// that it is in.
    pub apart: AtomicU32,
    /// The colour of the border.
    pub border: [AtomicU32; 4],
    /// Where channels are, as [`Packed`](crate::surface::channels::Packed) has them.
    pub shifts: [AtomicU32; 4],
    /// The same.
    pub absent: [AtomicU32; 4],
    /// The same.
    pub mask: AtomicU32,
    /// As [`TexelBytes::weighed`] has them.
    pub rounds: [AtomicU32; 2],
    /// Two words each, as [`Packed`](crate::surface::channels::Packed) has them.
    pub places: [AtomicU32; 2],
}

/// A sample finds the border colour along an axis.
pub const IN_BORDER: u32 = 1;
/// It weighs four texels of bytes.
pub const OF_FOUR: u32 = 2;
/// Texels have several dwords, or are dwords that are weighed.
pub const DWORDS: u32 = 3;
/// Channels are words, v/65535.
pub const WORDS: u32 = 4;
/// Channels are halves.
pub const HALVES: u32 = 5;
/// Channels are bytes, v/255, of texels that are written and have not four of them.
pub const BYTES: u32 = 6;
/// Channels are integers of less than a dword, of texels that are written.
pub const UNSIGNED: u32 = 7;
/// Channels are signed integers of less than a dword; those that follow are signed.
pub const SIGNED: u32 = 8;
/// Channels are signed bytes, v/127.
pub const SIGNED_BYTES: u32 = 9;
/// Channels are signed words, v/32767.
pub const SIGNED_WORDS: u32 = 10;

impl TexelSite {
    /// Notes what a message reads. Whoever calls keeps the memory alive.
    pub fn note(&self, named: (u32, u32), texels: &TexelBytes, memory: &Memory) {
        let host = memory.host_address() + texels.start;
        self.host.store(host as u64, Relaxed);
        self.surface.store(named.0, Relaxed);
        self.sampler.store(named.1, Relaxed);
        put(&self.scales, &texels.scales.map(f32::to_bits));
        put(&self.last, &texels.last);
        put(&self.outside, &texels.outside.map(|outside| outside as u32));
        let packed = &texels.packed;
        let weighed = texels.weighed.is_some();
        let apart = match packed.numbers {
            Numbers::Bytes if weighed => OF_FOUR,
            Numbers::Bytes | Numbers::AsTheyAre if weighed || packed.bytes() > 4 => DWORDS,
            Numbers::Bytes | Numbers::AsTheyAre => {
                u32::from(texels.outside.contains(&Outside::Border)) * IN_BORDER
            }
            numbers => apart(numbers),
        };
        self.apart.store(apart, Relaxed);
        let rounds = texels.weighed.unwrap_or_default();
        put(&self.rounds, &rounds.map(f32::to_bits));
        self.put_places(packed.places);
        put(&self.border, &texels.border);
        put(&self.steps, &texels.steps);
        put(&self.shifts, &texels.packed.shifts);
        put(&self.absent, &texels.packed.absent);
        self.mask.store(texels.packed.mask, Relaxed);
        let in_order = texels.packed.shifts == [0, 8, 16, 24];
        let known = match packed.numbers {
            _ if weighed => WEIGHED,
            Numbers::Bytes if in_order => SAMPLED_IN_ORDER,
            Numbers::Bytes => SAMPLED,
            _ => AS_THEY_ARE,
        };
        self.known.store(known, Release);
    }

    fn put_places(&self, places: [u16; 4]) {
        let [a, b, c, d] = places.map(u32::from);
        put(&self.places, &[a | b << 16, c | d << 16]);
    }

    /// The same of a typed write.
    pub fn note_write(&self, surface: u32, texels: &WrittenBytes, memory: &Memory) {
        let host = memory.host_address() + texels.start;
        self.host.store(host as u64, Relaxed);
        self.surface.store(surface, Relaxed);
        put(&self.last, &texels.size);
        put(&self.steps, &texels.steps);
        put(&self.shifts, &texels.packed.shifts);
        self.mask.store(texels.packed.mask, Relaxed);
        self.put_places(texels.packed.places);
        let apart = match texels.packed.numbers {
            Numbers::Bytes if texels.bytes => 0,
            Numbers::AsTheyAre if texels.packed.mask == u32::MAX => DWORDS,
            numbers => apart(numbers),
        };
        self.apart.store(apart, Relaxed);
        self.known.store(WRITTEN, Release);
    }
}

impl TexelSite {
    /// What a typed write moves that code serves.
    pub fn written(&self) -> Traffic {
        Traffic {
            moved: self.steps[0].load(Relaxed).into(),
            ..Traffic::default()
        }
    }

    /// The same of a media block; false, and nothing is noted, if it is inside nowhere, or dwords of a row are not at
    /// multiples of four.
    pub fn note_rows(&self, surface: u32, rows: &BlockRows<'_>) -> bool {
        let (start, step) = rows.layout();
        let Some(last) = rows.last().filter(|_| (start | step).is_multiple_of(4)) else {
            return false;
        };
        let host = rows.memory().host_address() + start;
        self.host.store(host as u64, Relaxed);
        self.surface.store(surface, Relaxed);
        put(&self.last, &last);
        put(&self.steps, &[step as u32, (step as u64 >> 32) as u32]);
        self.known.store(ROWS, Release);
        true
    }
}

/// What code does with channels that it takes one by one.
const fn apart(numbers: Numbers) -> u32 {
    match numbers {
        Numbers::AsTheyAre => UNSIGNED,
        Numbers::Bytes => BYTES,
        Numbers::Words => WORDS,
        Numbers::Halves => HALVES,
        Numbers::Signed => SIGNED,
        Numbers::SignedBytes => SIGNED_BYTES,
        Numbers::SignedWords => SIGNED_WORDS,
    }
}

fn put(to: &[AtomicU32], values: &[u32]) {
    let places = to.iter().zip(values);
    places.for_each(|(to, value)| to.store(*value, Relaxed));
}
