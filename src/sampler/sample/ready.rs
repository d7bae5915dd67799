//! Messages that are the same each time but for their coordinates: all else is worked out once, and texels
//! go from memory to registers.
//!
//! ```text
//!  once       surface, state, message ─▶ axes, plane, a function for the element and the number of lanes
//!  each time, for the threads that send it together
//!             registers of U and V ─▶ byte offsets ─▶ words ─▶ registers of channels
//! ```
//!
//! For one texel of one level under each coordinate, all lanes on. Results are those of
//! [`super::reference()`]: a law compares them.

use super::super::element::{Element, WithElement, with_element};
use super::super::lanes::{by_lane, channel};
use super::super::plane::Plane;
use super::super::settings::{Filter, SamplerState};
use super::super::texels::words;
use super::axis::nearest;
use super::coordinate::Axis;
use super::{Sampling, Unwatched, hot};
use crate::math::simd::{self, Wide};
use crate::message::{ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::{Memory, Surface};

/// Where a message's registers lie among the bytes of a thread; each holds a dword for every lane.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// First coordinate.
    pub u: usize,
    /// Second coordinate; without one it is 0.
    pub v: Option<usize>,
    /// The first channel that is returned.
    pub to: usize,
    /// Bytes from one channel to the next.
    pub pitch: usize,
}

/// A message made ready.
#[derive(Clone, Copy)]
pub struct Ready {
    axes: [Axis; 2],
    plane: Plane,
    channels: u8,
    places: Places,
    wide: Option<Wide>,
    serve: fn(&Ready, &Memory, &mut [&mut [u8]]),
}

/// Threads that are served together at most.
pub const MOST: usize = 8;

impl Ready {
    /// Makes a message ready; `None` where it depends on more than coordinates or needs more than a texel
    /// for each.
    pub fn new(
        surface: &Surface,
        state: &SamplerState,
        request: &SamplerRequest,
        places: Places,
    ) -> Option<Ready> {
        let plain = request.offsets == [0; 3]
            && !request.params16
            && !request.pixel_null_mask
            && request.returns == ReturnFormat::Bits32
            && !request.op.is_gather()
            && request.op != SamplerOp::SampleKillpix;
        if !plain || !hot::may_have_kernel(surface, state, request) {
            return None;
        }
        let mut silent = Unwatched;
        let sampling = Sampling::new(surface, state, request, &[], &mut silent);
        let group = hot::common(&sampling)?;
        let (filter, round) = sampling.filter(group.mag);
        let size = sampling.size(group.level);
        let axes = [0, 1].map(|n| Axis {
            size: size[n],
            mode: state.address[n],
            round: round[n],
            unnormalized: state.unnormalized,
        });
        let used = &axes[..sampling.axes()];
        if filter != Filter::Nearest || !used.iter().all(Axis::never_leaves) {
            return None;
        }
        let chosen = with_element(surface.format(), Lanes(request.lanes));
        Some(Ready {
            axes,
            plane: Plane::new(surface, group.level, group.slice)?,
            channels: request.channels.0,
            places: Places {
                v: places.v.filter(|_| used.len() == 2),
                ..places
            },
            wide: simd::wide(),
            serve: chosen.ok()??,
        })
    }

    /// Samples from the memory of the surface on all lanes of the message, for the bytes of each thread.
    #[inline]
    pub fn serve(&self, memory: &Memory, threads: &mut [&mut [u8]]) {
        for threads in threads.chunks_mut(MOST) {
            (self.serve)(self, memory, threads);
        }
    }

    #[inline(always)]
    fn offsets_of<const N: usize>(&self, threads: &[&mut [u8]], offsets: &mut [[u32; N]; MOST]) {
        for (offsets, registers) in offsets.iter_mut().zip(threads) {
            *offsets = self.offsets::<N>(registers);
        }
    }

    /// The byte offset of each lane's texel in the plane.
    #[inline(always)]
    fn offsets<const N: usize>(&self, registers: &[u8]) -> [u32; N] {
        let coordinates = |at: Option<usize>| at.map_or([0; N], |at| dwords(registers, at));
        let mut x = nearest(&self.axes[0], &coordinates(Some(self.places.u)));
        let mut y = nearest(&self.axes[1], &coordinates(self.places.v));
        self.plane.columns(&mut x);
        self.plane.rows(&mut y);
        by_lane(|lane| x[lane] + y[lane])
    }
}

/// Chooses the function for a number of lanes.
struct Lanes(u32);

impl WithElement for Lanes {
    type Result = Option<fn(&Ready, &Memory, &mut [&mut [u8]])>;

    fn run<E: Element>(self) -> Self::Result {
        match self.0 {
            8 => Some(serve::<E, 8>),
            16 => Some(serve::<E, 16>),
            _ => None,
        }
    }
}

fn serve<E: Element, const N: usize>(ready: &Ready, memory: &Memory, threads: &mut [&mut [u8]]) {
    let mut offsets = [[0; N]; MOST];
    place::<N>(ready, threads, &mut offsets);
    match ready.wide {
        Some(wide) => wide.run(
            #[inline(always)]
            || spread_all::<E, N>(ready, memory, &offsets, threads),
        ),
        None => spread_all::<E, N>(ready, memory, &offsets, threads),
    }
}

#[inline(always)]
fn spread_all<E: Element, const N: usize>(
    ready: &Ready,
    memory: &Memory,
    offsets: &[[u32; N]; MOST],
    threads: &mut [&mut [u8]],
) {
    // A copy of its own, which nothing that is written to registers changes.
    let ready = *ready;
    for (registers, offsets) in threads.iter_mut().zip(offsets) {
        spread::<E, N>(&ready, memory, offsets, registers);
    }
}

/// Not part of [`serve`]: it is the same for all elements.
#[inline(never)]
fn place<const N: usize>(ready: &Ready, threads: &[&mut [u8]], offsets: &mut [[u32; N]; MOST]) {
    match ready.wide {
        Some(wide) => wide.run(
            #[inline(always)]
            || ready.offsets_of::<N>(threads, offsets),
        ),
        None => ready.offsets_of::<N>(threads, offsets),
    }
}

/// Fetches texels and writes the channels that are asked for.
#[inline(always)]
fn spread<E: Element, const N: usize>(
    ready: &Ready,
    memory: &Memory,
    offsets: &[u32; N],
    registers: &mut [u8],
) {
    let words = words::<E::Word, N>(memory, ready.plane.start, offsets);
    let mut to = ready.places.to;
    let mut put = |c: u8, values: [u32; N]| {
        if ready.channels >> c & 1 == 1 {
            let (slots, _) = registers[to..to + 4 * N].as_chunks_mut::<4>();
            for (slot, value) in slots.iter_mut().zip(values) {
                *slot = value.to_le_bytes();
            }
            to += ready.places.pitch;
        }
    };
    put(0, channel::<E, N>(&words, 0));
    put(1, channel::<E, N>(&words, 1));
    put(2, channel::<E, N>(&words, 2));
    put(3, channel::<E, N>(&words, 3));
}

/// The dwords of a register.
#[inline(always)]
fn dwords<const N: usize>(registers: &[u8], at: usize) -> [u32; N] {
    let (slots, _) = registers[at..at + 4 * N].as_chunks::<4>();
    by_lane(|lane| u32::from_le_bytes(slots[lane]))
}
