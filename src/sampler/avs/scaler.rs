//! Blocks of one plane of bytes, one after the other: what messages to one surface and state have in common is worked out
//! once, and a block is filtered and rounded in one go.
//!
//! ```text
//!  rows of texels, bytes ── across ──▶ rows of sixteen sums, 16 bits ── down ──▶ samples
//! ```
//!
//! Only what `sharp` computes, one channel at a time, the other way round: sums across a row of bytes fit 16 bits just as
//! sums down its columns do. [`super::run`] is the definition, and a law asserts the same bytes.

use super::filters::{ChannelFilter, Filters};
use super::lanes::{self, PADDED};
use super::plan::{Kernel, Kernels, Plan};
use super::position::{Raster, run_of_positions};
use super::state::AvsSampler;
use super::view::{MediaView, Plane};
use super::window::{Axis, FOOTPRINT};
use super::{BlockRequest, limits, packed_bytes};
use crate::isa::{AvsControl, AvsMode};
use crate::math::simd::{self, Wide};
use crate::message::AvsRequest;
use crate::surface::Surface;
use indexmap::IndexMap;
use std::cell::RefCell;

/// Columns of the widest block and rows of the highest one.
const COLUMNS: usize = 16;
const ROWS: usize = 8;

/// Rows of texels that a block needs at most.
const SOURCES: usize = ROWS * FOOTPRINT;

/// Words of a row of texels: a footprint for each column, what comes before the first texel in its word, and as many texels
/// as are read together beyond the last one; whole lines of the host's cache.
const WORDS: usize = COLUMNS + 8;

/// Words of a row that is no longer than most are.
const FEW: usize = 5;

/// How far the first texels of eight columns may lie apart to be picked from sixteen, in pairs.
const APART: u8 = 14;

/// A surface and a state, and messages that differ in where their block lies.
pub struct Scaler<'a> {
    view: MediaView<'a>,
    plane: Plane,
    filter: ChannelFilter<'a>,
    control: AvsControl,
    bypass: bool,
    height: u32,
    bytes: usize,
    wide: Wide,
    last: Box<RefCell<Last>>,
}

/// What is known of the last block; most have their neighbour's rows, and its places between texels.
#[derive(Default)]
struct Last {
    /// Of the rows: what they were made of.
    request: Option<([u32; 3], i64)>,
    y: Axis,
    /// Taps of each row.
    down: [[i16; FOOTPRINT]; ROWS],
    x: Axis,
    /// How the bytes of a row are summed, by the texel with which the footprint of each column begins, and its phase; and
    /// the way of the block at hand. Places between texels repeat.
    across: IndexMap<[[u8; COLUMNS]; 2], Across>,
    at: usize,
    /// The columns of blocks, by where they begin and their steps: those below begin where they do. The one that came next
    /// when it was new, and those of the block at hand, if they are inside.
    known: IndexMap<[u32; 3], Columns>,
    next: usize,
    columns: Option<Columns>,
}

/// The columns of a block that is inside of the surface.
#[derive(Clone, Copy)]
struct Columns {
    /// The first texel of a row, and how many.
    first: i32,
    count: usize,
    /// Which way they are summed.
    at: usize,
}

/// Columns that are known at most; and ways to sum them, at most as many.
const MOST_KNOWN: usize = 1024;

/// How bytes of a row are summed.
#[derive(Default)]
struct Across {
    /// The texel from which on the first eight columns, and the others, pick theirs; which ones, and their taps.
    at: [usize; 2],
    order: [u8; 2 * COLUMNS],
    /// How many pairs that follow each other the sixteen texels hold that one is picked from: 1, 2 or 4.
    together: usize,
    taps: [[i8; 2 * COLUMNS]; FOOTPRINT / 2],
    /// Where columns lie too far apart for that.
    apart: Option<Box<lanes::Across>>,
}

/// The texels of a row.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Texels([u64; WORDS]);

/// A sum for each column.
type Sums = [i16; COLUMNS];

/// What blocks use again and again; the contents never matter.
struct Buffers {
    texels: [Texels; SOURCES],
    /// Bytes before the first texel of a row.
    skews: [u8; SOURCES],
    sums: [Sums; SOURCES],
}

thread_local! {
    static BUFFERS: RefCell<Box<Buffers>> = RefCell::new(Box::new(Buffers {
        texels: [Texels([0; WORDS]); SOURCES],
        skews: [0; SOURCES],
        sums: [[0; COLUMNS]; SOURCES],
    }));
}

impl<'a> Scaler<'a> {
    /// For messages like `request`; `None` if their blocks are more than one plane of bytes under sharp filters, if what
    /// every one of them is has something to be said of, or if the host has no wide instructions.
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
        let wide = simd::wide()?;
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
            wide,
            last: Box::default(),
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
        let raster = Raster::from(request);
        BUFFERS.with_borrow_mut(|buffers| {
            let last = &mut *self.last.borrow_mut();
            self.wide.run(
                #[inline(always)]
                || {
                    self.rows(&raster, last);
                    self.columns(&raster, last);
                    self.fetch(last, buffers);
                    let columns = raster.size.0 as usize;
                    match self.filter.x.is_four() && self.filter.y.is_four() {
                        true => self.filter::<{ FOOTPRINT / 4 }>(last, columns, buffers, out),
                        false => self.filter::<{ FOOTPRINT / 2 }>(last, columns, buffers, out),
                    }
                },
            );
        });
    }

    /// Makes a block of its texels; `PAIRS` is half the number of taps that count. `None` is never reached.
    #[inline(always)]
    fn filter<const PAIRS: usize>(
        &self,
        last: &Last,
        columns: usize,
        buffers: &mut Buffers,
        out: &mut [u8],
    ) -> Option<()> {
        let first = FOOTPRINT / 2 - PAIRS;
        let Last { y, down, .. } = last;
        let (_, across) = last.across.get_index(last.at)?;
        let rows = y.sources().len();
        match (&across.apart, PAIRS / across.together) {
            (None, 0 | 1) => across.sums::<1, PAIRS>(self.wide, buffers, rows)?,
            (None, 2) => across.sums::<2, PAIRS>(self.wide, buffers, rows)?,
            (None, _) => across.sums::<4, PAIRS>(self.wide, buffers, rows)?,
            (Some(across), _) => sums_of(across, buffers, rows)?,
        }
        let element = self.control.element_bytes() as usize;
        let pixels = element * columns;
        let places = y.starts().iter().zip(down);
        for (out, (&start, taps)) in out.chunks_exact_mut(pixels).zip(places) {
            let sums = buffers.sums.get(usize::from(start) + first..)?;
            let sums = sums.as_chunks().0.first_chunk::<PAIRS>()?;
            let taps = taps[first..].as_chunks().0.first_chunk::<PAIRS>()?;
            let samples = self.wide.sums_of_words::<PAIRS, 4>(sums, taps);
            match element {
                1 => put(&rounded(samples), out),
                _ => put::<{ 2 * COLUMNS }>(&bytemuck::cast(samples.map(clamped)), out),
            }
        }
        Some(())
    }

    /// Finds the rows of a block, unless they are those of the last one.
    #[inline(always)]
    fn rows(&self, raster: &Raster, last: &mut Last) {
        let ((_, v), (_, dv), (_, ddv)) = (raster.origin, raster.step, raster.change);
        let request = Some(([v, dv, ddv].map(f32::to_bits), raster.line));
        if last.request == request {
            return;
        }
        last.request = request;
        let (plane, mut places) = (&self.plane, [0; ROWS]);
        let places = &mut places[..raster.size.1 as usize];
        run_of_positions(v, dv, ddv, raster.line, self.view.height, places);
        for place in &mut *places {
            *place = self.view.on_plane_v(plane, *place);
        }
        last.y.set(places, plane.size.1, self.view.edge);
        for (taps, &beta) in last.down.iter_mut().zip(last.y.betas()) {
            *taps = self.filter.y.row(beta);
        }
    }

    /// Finds the columns of a block, and how they are summed unless that is as in the last one.
    #[inline(always)]
    fn columns(&self, raster: &Raster, last: &mut Last) {
        let ((u, _), (du, _), (ddu, _)) = (raster.origin, raster.step, raster.change);
        let begin = [u, du, ddu].map(f32::to_bits);
        let next = last.known.get_index(last.next);
        let found = match next.filter(|(next, _)| **next == begin) {
            Some((_, columns)) => Some((last.next, *columns)),
            None => Self::find(begin, last),
        };
        if let Some((index, columns)) = found {
            last.next = if index + 1 < last.known.len() {
                index + 1
            } else {
                0
            };
            (last.at, last.columns) = (columns.at, Some(columns));
            return;
        }
        let (plane, mut places) = (&self.plane, [0; COLUMNS]);
        run_of_positions(u, du, ddu, 0, self.view.width, &mut places);
        for place in &mut places {
            *place = self.view.on_plane_u(plane, *place);
        }
        let places = &places[..raster.size.0 as usize];
        last.x.set(places, plane.size.0, self.view.edge);
        let way = last.x.places().map(|places| *places);
        if last
            .across
            .get_index(last.at)
            .is_none_or(|(known, _)| *known != way)
        {
            last.at = match last.across.get_index_of(&way) {
                Some(at) => at,
                None => {
                    if last.across.len() == MOST_KNOWN {
                        last.across.clear();
                        last.known.clear();
                    }
                    last.across.insert_full(way, self.across(&last.x)).0
                }
            };
        }
        last.columns = None;
        if let [first, ..] = last.x.sources()
            && last.x.is_inside()
        {
            let columns = Columns {
                first: *first,
                count: last.x.sources().len(),
                at: last.at,
            };
            last.columns = Some(columns);
            if last.known.len() == MOST_KNOWN {
                last.known.clear();
            }
            last.known.insert(begin, columns);
            last.next = 0;
        }
    }

    /// What is known of columns that begin somewhere else than those of the block that came next.
    #[inline(never)]
    fn find(begin: [u32; 3], last: &Last) -> Option<(usize, Columns)> {
        let (index, _, columns) = last.known.get_full(&begin)?;
        Some((index, *columns))
    }

    /// How columns are summed.
    #[inline(never)]
    fn across(&self, x: &Axis) -> Across {
        let [&starts, &betas] = x.places::<COLUMNS>();
        let mut across = Across {
            together: 1,
            ..Across::default()
        };
        let halves = starts.as_chunks::<{ COLUMNS / 2 }>().0;
        let mut widest = 0;
        for ((half, at), order) in halves
            .iter()
            .zip(&mut across.at)
            .zip(across.order.as_chunks_mut::<COLUMNS>().0)
        {
            let (least, most) = half
                .iter()
                .fold((u8::MAX, 0), |(a, b), &start| (a.min(start), b.max(start)));
            if most - least > APART {
                across.apart = Some(Box::new(lanes::Across::new(x, self.filter.x)));
                return across;
            }
            *at = usize::from(least);
            widest = widest.max(most - least);
            for (order, start) in order.as_chunks_mut::<2>().0.iter_mut().zip(half) {
                *order = [start - least, start - least + 1];
            }
        }
        // The last byte of a pair is the sixteenth at most.
        across.together = match widest {
            0..=8 => 4,
            9..=12 => 2,
            _ => 1,
        };
        for (column, beta) in betas.into_iter().enumerate() {
            let row = self.filter.x.row(beta);
            for (taps, pair) in across.taps.iter_mut().zip(row.as_chunks::<2>().0) {
                // A table holds what eight bits do.
                taps.as_chunks_mut::<2>().0[column] = pair.map(|tap| tap as i8);
            }
        }
        across
    }

    /// Reads the texels of a block.
    #[inline(always)]
    fn fetch(&self, last: &Last, to: &mut Buffers) {
        match last.columns {
            Some(Columns { first, count, .. }) => self.read(first, count, &last.y, to),
            None => self.read_at_edge(last.x.sources(), &last.y, to),
        }
    }

    /// Reads `count` texels of each row from column `first` on.
    #[inline(always)]
    fn read(&self, first: i32, count: usize, y: &Axis, to: &mut Buffers) {
        match count + 7 <= 8 * FEW {
            true => self.read_words::<FEW>(first as usize, count, y, to),
            false => self.read_words::<WORDS>(first as usize, count, y, to),
        }
    }

    /// The same, where `N` words hold them wherever they begin.
    #[inline(always)]
    fn read_words<const N: usize>(&self, first: usize, count: usize, y: &Axis, to: &mut Buffers) {
        let words = self.view.memory().word_copier::<N>();
        let place = self.plane.rows(first).filter(|&(pitch, at)| {
            let rows = self.plane.size.1 as usize;
            let size = pitch.checked_mul(rows);
            size.is_some_and(|size| at.checked_add(size).is_some())
        });
        // Mostly rows follow each other, whole words apart.
        if let (Some((pitch, at)), true) = (place, y.is_inside())
            && pitch % 8 == 0
        {
            let sources = y.sources();
            let at = at + pitch * sources.first().map_or(0, |row| *row as usize);
            let rows = to.texels.iter_mut().take(sources.len());
            let rows = rows.map(|texels| &mut texels.0[..]);
            let memory = self.view.memory();
            if memory.copy_word_rows::<N>(at, pitch / 8, rows).is_some() {
                to.skews.fill((at % 8) as u8);
                return;
            }
        }
        let rows = to.texels.iter_mut().zip(&mut to.skews);
        for ((texels, skew), &row) in rows.zip(y.sources()) {
            if let Some((pitch, at)) = place {
                let at = at + pitch * row as usize;
                *skew = (at % 8) as u8;
                if words(at, &mut texels.0).is_some() {
                    continue;
                }
            }
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut texels.0);
            let bytes = &mut bytes[..count];
            self.view.read(&self.plane, first, row as usize, bytes);
            *skew = 0;
        }
    }

    /// Reads the texels of a block whose columns do not follow each other.
    #[inline(never)]
    fn read_at_edge(&self, columns: &[i32], y: &Axis, to: &mut Buffers) {
        let (first, last) = columns
            .iter()
            .fold((i32::MAX, 0), |(a, b), &at| (a.min(at), b.max(at)));
        let count = (last - first + 1) as usize;
        // From the least to the greatest may be too many.
        let all = count <= COLUMNS * FOOTPRINT;
        if all {
            self.read(first, count, y, to);
        }
        let mut order = [0; COLUMNS * FOOTPRINT];
        for (order, &at) in order.iter_mut().zip(columns) {
            *order = (at - first) as u8;
        }
        // Texels that follow each other are moved together, those beyond an edge one by one.
        const MOVED: usize = 64;
        let runs = columns.chunk_by(|a, b| a + 1 == *b);
        let (_, run) = runs.fold((0, 0..0), |(start, longest), run| {
            let end = start + run.len();
            let longer = run.len() > longest.len() && run.len() <= MOVED;
            (end, if longer { start..end } else { longest })
        });
        let rows = to.texels.iter_mut().zip(&mut to.skews);
        // Whatever a byte can name is there.
        let mut bytes = [0; 256];
        for ((texels, skew), &row) in rows.zip(y.sources()) {
            let texels: &mut [u8] = bytemuck::cast_slice_mut(&mut texels.0);
            if all {
                bytes[..texels.len()].copy_from_slice(texels);
                let from = usize::from(order[run.start] + *skew);
                texels[run.start..][..MOVED].copy_from_slice(&bytes[from..][..MOVED]);
                for at in (0..run.start).chain(run.end..columns.len()) {
                    texels[at] = bytes[usize::from(order[at] + *skew)];
                }
            } else {
                for (texel, &x) in texels.chunks_exact_mut(1).zip(columns) {
                    self.view.read(&self.plane, x as usize, row as usize, texel);
                }
            }
            *skew = 0;
        }
    }
}

impl Across {
    /// The sums of rows, of which pairs of texels are picked from so many loads; `None` is never reached.
    #[inline(always)]
    fn sums<const LOADS: usize, const PAIRS: usize>(
        &self,
        wide: Wide,
        buffers: &mut Buffers,
        rows: usize,
    ) -> Option<()> {
        let first = FOOTPRINT / 2 - PAIRS;
        let taps = self.taps[first / 2..].first_chunk::<PAIRS>()?;
        let apart = 2 * PAIRS.div_ceil(LOADS);
        for (sums, texels, skew) in buffers.rows(rows) {
            let [low, high] = self.at.map(|at| {
                let at = at + skew + first;
                texels.get(at..at + COLUMNS + apart * (LOADS - 1))
            });
            let (low, high) = (low?, high?);
            let mut bytes = [[[0; COLUMNS]; 2]; LOADS];
            for (load, halves) in bytes.iter_mut().enumerate() {
                *halves = [
                    *low[apart * load..].first_chunk()?,
                    *high[apart * load..].first_chunk()?,
                ];
            }
            *sums = wide.sums_of_bytes(bytes, &self.order, taps);
        }
        Some(())
    }
}

/// The sums of rows whose columns lie wherever they do; `None` is never reached.
#[inline(never)]
fn sums_of(across: &lanes::Across, buffers: &mut Buffers, rows: usize) -> Option<()> {
    for (sums, texels, skew) in buffers.rows(rows) {
        let mut codes = [0; 8 * WORDS];
        for (code, &texel) in codes.iter_mut().zip(texels) {
            *code = i16::from(texel);
        }
        let mut wide = [0; PADDED];
        across.sums(codes.get(skew..)?, &mut wide);
        *sums = std::array::from_fn(|column| wide[column] as i16);
    }
    Some(())
}

impl Buffers {
    /// Of each row the place of its sums, its texels and how many bytes come before the first.
    #[inline(always)]
    fn rows(&mut self, count: usize) -> impl Iterator<Item = (&mut Sums, &[u8], usize)> {
        let texels = self.texels.iter().zip(&self.skews);
        let rows = self.sums.iter_mut().zip(texels).take(count);
        rows.map(|(sums, (texels, &skew))| {
            (sums, bytemuck::cast_slice(&texels.0), usize::from(skew))
        })
    }
}

/// A sample, at most FF00h.
#[inline(always)]
fn clamped(sample: u16) -> [u8; 2] {
    sample.min(0xff00).to_le_bytes()
}

/// Samples rounded to bytes. A loop, because `map` is not inlined.
#[inline(always)]
fn rounded(samples: [u16; COLUMNS]) -> [u8; COLUMNS] {
    let mut bytes = [0; COLUMNS];
    for (byte, sample) in bytes.iter_mut().zip(samples) {
        *byte = ((sample.min(0xff00) + 0x80) >> 8) as u8;
    }
    bytes
}

/// As many bytes as there is room for.
#[inline(always)]
fn put<const N: usize>(bytes: &[u8; N], out: &mut [u8]) {
    match <&mut [u8; N]>::try_from(&mut *out) {
        Ok(out) => *out = *bytes,
        Err(_) => out.copy_from_slice(&bytes[..out.len()]),
    }
}
