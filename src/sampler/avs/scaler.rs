//! Blocks of one plane of bytes, one after the other: what messages to one surface and state have in common is worked out
//! once, and a block is widened, filtered and rounded in one go.
//!
//! Only what `sharp` computes, one channel at a time: [`super::run`] is the definition, and a law asserts the same bytes.

use super::filters::{ChannelFilter, Filters};
use super::lanes::{Across, PADDED, REACHED as MOST};
use super::plan::{Kernel, Kernels, Plan};
use super::position::{MAX_COLUMNS, MAX_ROWS, Positions, Raster};
use super::state::AvsSampler;
use super::view::{MediaView, Plane};
use super::window::{Axis, FOOTPRINT, ROW, Window};
use super::{BlockRequest, limits, packed_bytes};
use crate::isa::{AvsControl, AvsMode};
use crate::math::simd;
use crate::message::AvsRequest;
use crate::surface::Surface;
use std::cell::RefCell;

/// Texels that are summed together.
const TOGETHER: usize = 16;

/// A surface and a state, and messages that differ in where their block lies.
pub struct Scaler<'a> {
    view: MediaView<'a>,
    plane: Plane,
    filter: ChannelFilter<'a>,
    control: AvsControl,
    bypass: bool,
    height: u32,
    bytes: usize,
}

/// What blocks use again and again; the contents never matter.
#[derive(Default)]
struct Buffers {
    x: Axis,
    y: Axis,
    bytes: Window<u8>,
    words: Vec<Words>,
    codes: Vec<Codes>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

impl<'a> Scaler<'a> {
    /// For messages like `request`; `None` if their blocks are more than one plane of bytes under sharp filters, or what
    /// every one of them is has something to be said of.
    pub fn new(
        surface: &'a Surface,
        sampler: &'a AvsSampler,
        request: &AvsRequest,
    ) -> Option<Scaler<'a>> {
        let view = MediaView::of(surface).ok()?;
        let scaler = Scaler::of_view(view, sampler, request)?;
        let height = surface.description().height;
        limits(surface, 0.0)
            .is_none()
            .then_some(Scaler { height, ..scaler })
    }

    /// As [`Scaler::new`], of a view.
    pub fn of_view(
        view: MediaView<'a>,
        sampler: &'a AvsSampler,
        request: &AvsRequest,
    ) -> Option<Scaler<'a>> {
        let asked = BlockRequest::of(request, sampler);
        let mut channels = asked.channels.iter();
        let (Some(channel), None) = (channels.next(), channels.next()) else {
            return None;
        };
        let (plane, _) = view.place(channel)?;
        let plane = *plane;
        let plan = Plan::new(&view, sampler, Kernels::Fast);
        let whole = request.mode == AvsMode::M16x8 || !sampler.output_shuffle;
        let plain = !asked.enhance && !sampler.ief.vsa && !asked.decimates(channel) && whole;
        if !plain || plane.texel_bytes != 1 || plan.kernel(&plane, channel) != Kernel::Sharp {
            return None;
        }
        let filters = Filters::new(sampler, &view);
        Some(Scaler {
            plane,
            filter: *filters.channel(channel),
            control: request.control,
            bypass: request.ief_bypass,
            height: view.height,
            bytes: packed_bytes(request, sampler.output_shuffle),
            view,
        })
    }

    /// Bytes of a block.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a message is one of these, with nothing to be said of it.
    pub fn fits(&self, request: &AvsRequest) -> bool {
        let step = (f64::from(request.delta_v) * f64::from(self.height)).abs();
        request.ief_bypass == self.bypass && step < 16.0
    }

    /// Scales the block of a message that [fits](Scaler::fits) into [`Scaler::bytes`] bytes.
    pub fn run(&self, request: &AvsRequest, out: &mut [u8]) {
        let (width, height) = (self.view.width, self.view.height);
        let positions = Positions::new(&Raster::from(request), width, height, 0);
        BUFFERS.with_borrow_mut(|buffers| {
            let (mut u, mut v) = ([0; MAX_COLUMNS], [0; MAX_ROWS]);
            let (across, down) = (positions.u(), positions.v());
            for (u, &t) in u.iter_mut().zip(across) {
                *u = self.view.on_plane_u(&self.plane, t);
            }
            for (v, &t) in v.iter_mut().zip(down) {
                *v = self.view.on_plane_v(&self.plane, t);
            }
            let Buffers {
                x,
                y,
                bytes,
                words,
                codes,
            } = buffers;
            x.set(&u[..across.len()], self.plane.size.0, self.view.edge);
            y.set(&v[..down.len()], self.plane.size.1, self.view.edge);
            let block = Work {
                scaler: self,
                x,
                y,
                wide: self.control.element_bytes() == 2,
            };
            match simd::wide() {
                Some(wide) => wide.run(
                    #[inline(always)]
                    || block.run(bytes, words, codes, out),
                ),
                None => block.run(bytes, words, codes, out),
            }
        });
    }
}

/// The codes of a row of texels, and the words that they are in.
type Codes = [i16; MOST];
type Words = [u64; MOST / 8];

const _: () = assert!(ROW + TOGETHER <= MOST);

/// A block in the making.
struct Work<'b> {
    scaler: &'b Scaler<'b>,
    x: &'b Axis,
    y: &'b Axis,
    /// 16-bit elements are returned.
    wide: bool,
}

impl Work<'_> {
    #[inline(always)]
    fn run(
        &self,
        bytes: &mut Window<u8>,
        words: &mut Vec<Words>,
        codes: &mut Vec<Codes>,
        out: &mut [u8],
    ) {
        let rows = self.y.sources().len();
        if codes.len() < rows {
            codes.resize(rows, [0; MOST]);
            words.resize(rows, [0; MOST / 8]);
        }
        let (skew, count) = match self.take(words) {
            Some(skew) => {
                let count = skew + self.x.sources().len();
                for (codes, words) in codes.iter_mut().zip(words).take(rows) {
                    let bytes: &[u8] = bytemuck::cast_slice(&words[..]);
                    let count = count.next_multiple_of(TOGETHER).min(MOST);
                    for (code, byte) in codes[..count].iter_mut().zip(&bytes[..count]) {
                        *code = i16::from(*byte);
                    }
                }
                (skew, count)
            }
            None => {
                let Scaler { view, plane, .. } = self.scaler;
                bytes.gather(view, plane, self.x, self.y);
                let from = bytes.data.chunks_exact(bytes.stride);
                for (codes, bytes) in codes.iter_mut().zip(from).take(rows) {
                    for (code, byte) in codes.iter_mut().zip(bytes) {
                        *code = i16::from(*byte);
                    }
                }
                (bytes.skew, bytes.stride)
            }
        };
        let across = Across::new(self.x, self.scaler.filter.x);
        let vectors = count.div_ceil(TOGETHER);
        match self.scaler.filter.y.is_four() {
            true => self.filter::<4>(codes, (skew, vectors), &across, out),
            false => self.filter::<8>(codes, (skew, vectors), &across, out),
        }
    }

    /// Words of memory, where rows are made of them; how many bytes come before the first texel.
    #[inline(always)]
    fn take(&self, to: &mut [Words]) -> Option<usize> {
        let Scaler { view, plane, .. } = self.scaler;
        let (pitch, _) = plane.rows(0)?;
        let count = self.x.sources().len();
        if !self.x.is_inside() || !pitch.is_multiple_of(8) {
            return None;
        }
        let first = *self.x.sources().first()? as usize;
        let mut before = 0;
        for (to, &y) in to.iter_mut().zip(self.y.sources()) {
            let (words, skew) = view.row_words(plane, (first, y as usize), count)?;
            for (to, word) in to.iter_mut().zip(words) {
                *to = word.to_le();
            }
            before = skew;
        }
        Some(before)
    }

    #[inline(always)]
    fn filter<const TAPS: usize>(
        &self,
        codes: &[Codes],
        (skew, vectors): (usize, usize),
        across: &Across,
        out: &mut [u8],
    ) {
        let first = (FOOTPRINT - TAPS) / 2;
        let mut columns: Codes = [0; MOST];
        let mut sums = [0; PADDED];
        let pixels = self.x.pixels();
        let element = if self.wide { 2 } else { 1 };
        let rows = out.chunks_exact_mut(element * pixels);
        let places = self.y.starts().iter().zip(self.y.betas());
        for (out, (&start, &beta)) in rows.zip(places) {
            let row = self.scaler.filter.y.row(beta);
            let from = usize::from(start) + first;
            let Some(from) = codes.get(from..from + TAPS) else {
                return; // not reached: a window holds the footprint of every pixel
            };
            let columns_of = columns.as_chunks_mut::<TOGETHER>().0.iter_mut();
            for (vector, sum) in columns_of.enumerate().take(vectors) {
                let mut total = [0i16; TOGETHER];
                for tap in 0..TAPS {
                    let texels = &from[tap].as_chunks::<TOGETHER>().0[vector];
                    let k = row[first + tap];
                    for (total, texel) in total.iter_mut().zip(texels) {
                        *total = total.wrapping_add(texel.wrapping_mul(k));
                    }
                }
                *sum = total;
            }
            across.sums_of(&columns, skew, &mut sums);
            put(&sums[..pixels], self.wide, out);
        }
    }
}

/// Sums as elements: rounded to 8.8, clamped to 0..=FF00h, and rounded to a byte where those are returned.
#[inline(always)]
fn put(sums: &[i32], wide: bool, out: &mut [u8]) {
    let sample = |sum: i32| ((sum + 8) >> 4).clamp(0, 0xff00);
    if wide {
        for (out, &sum) in out.as_chunks_mut::<2>().0.iter_mut().zip(sums) {
            *out = (sample(sum) as u16).to_le_bytes();
        }
        return;
    }
    for (out, &sum) in out.iter_mut().zip(sums) {
        *out = ((sample(sum) + 0x80) >> 8) as u8;
    }
}
