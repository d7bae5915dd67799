//! Blocks of one plane of bytes, one after the other: what messages to one surface and state have in common is worked out
//! once, and a block is filtered and rounded in one go. How, says [`super::block`]; what it takes where somebody else does
//! it, [`super::picked`]. [`super::run`] is the definition, and a law asserts the same bytes.

use super::block::{Across, Buffers, COLUMNS, Down, ROWS, Samples, WORDS};
use super::filters::{ChannelFilter, Filters};
use super::known::{Begin, Known, MOST_KNOWN};
use super::picked::{self, MakesBlocks, PickedBlock};
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

/// Words of a row that is no longer than most are.
const FEW: usize = 5;

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
    /// Who makes blocks, if anybody does.
    maker: Option<&'static dyn MakesBlocks>,
    last: Box<RefCell<Last>>,
}

/// What is known of the last block; most have their neighbour's rows, and its places between texels.
#[derive(Default)]
struct Last {
    /// Of the rows: what they were made of.
    request: Option<(Begin, i64)>,
    down: Down,
    x: Axis,
    /// How the bytes of a row are summed, by the texel with which the footprint of each column begins, and its phase; and
    /// the way of the block at hand. Places between texels repeat.
    across: IndexMap<[[u8; COLUMNS]; 2], Across>,
    at: usize,
    /// Columns that are inside, and those of the block at hand if they are.
    known: Known<Columns>,
    columns: Option<Columns>,
    /// Those of blocks that somebody makes.
    picked: picked::Columns,
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

thread_local! {
    static BUFFERS: RefCell<Box<Buffers>> = RefCell::default();
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
            maker: None,
            last: Box::default(),
        })
    }

    /// The same, where somebody makes blocks whose texels can be picked.
    pub fn made_by(self, maker: Option<&'static dyn MakesBlocks>) -> Scaler<'a> {
        let maker = maker.filter(|_| self.plane.rows(0).is_some());
        Scaler { maker, ..self }
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
        let last = &mut *self.last.borrow_mut();
        if self.make(request, last, out).is_none() {
            self.run_here(&Raster::from(request), last, out);
        }
    }

    #[inline(never)]
    fn run_here(&self, raster: &Raster, last: &mut Last, out: &mut [u8]) {
        BUFFERS.with_borrow_mut(|buffers| {
            self.wide.run(
                #[inline(always)]
                || {
                    self.rows(raster, last);
                    self.columns(raster, last);
                    self.fetch(last, buffers);
                    let samples = Samples {
                        columns: raster.size.0 as usize,
                        element: self.control.element_bytes() as usize,
                    };
                    let (wide, down) = (self.wide, &last.down);
                    let (_, across) = last.across.get_index(last.at)?;
                    match self.filter.x.is_four() && self.filter.y.is_four() {
                        true => {
                            across.filter::<{ FOOTPRINT / 4 }>(wide, down, buffers, samples, out)
                        }
                        false => {
                            across.filter::<{ FOOTPRINT / 2 }>(wide, down, buffers, samples, out)
                        }
                    }
                },
            );
        });
    }

    /// Finds the rows of a block, unless they are those of the last one.
    #[inline(always)]
    fn rows(&self, raster: &Raster, last: &mut Last) {
        let ((_, v), (_, dv), (_, ddv)) = (raster.origin, raster.step, raster.change);
        let request = Some((Begin::new(v, dv, ddv), raster.line));
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
        let (edge, taps) = (self.view.edge, self.filter.y);
        last.down.set(places, plane.size.1, edge, taps);
    }

    /// Finds the columns of a block, and how they are summed unless that is as in the last one.
    #[inline(always)]
    fn columns(&self, raster: &Raster, last: &mut Last) {
        let ((u, _), (du, _), (ddu, _)) = (raster.origin, raster.step, raster.change);
        let begin = Begin::new(u, du, ddu);
        if last.known.come_to(begin)
            && let Some(columns) = last.known.here()
        {
            (last.at, last.columns) = (columns.at, Some(*columns));
            return;
        }
        self.axis(raster, &mut last.x);
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
                        last.known.forget();
                    }
                    last.across
                        .insert_full(way, Across::new(&last.x, self.filter.x))
                        .0
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
            last.known.learn(begin, columns);
        }
    }

    /// The columns of a block.
    #[inline(always)]
    fn axis(&self, raster: &Raster, x: &mut Axis) {
        let ((u, _), (du, _), (ddu, _)) = (raster.origin, raster.step, raster.change);
        let (plane, mut places) = (&self.plane, [0; COLUMNS]);
        run_of_positions(u, du, ddu, 0, self.view.width, &mut places);
        for place in &mut places {
            *place = self.view.on_plane_u(plane, *place);
        }
        let places = &places[..raster.size.0 as usize];
        x.set(places, plane.size.0, self.view.edge);
    }

    /// Has somebody make a block. None, and nothing has happened, if there is nobody or it cannot be done.
    #[inline]
    fn make(&self, request: &AvsRequest, last: &mut Last, out: &mut [u8]) -> Option<()> {
        let maker = self.maker?;
        let rows = Begin::new(request.v, request.delta_v, request.v2d);
        let columns = Begin::new(request.u, request.delta_u, request.u2d);
        let line = i64::from(request.vertical_block) * 4;
        if last.request != Some((rows, line)) || !last.picked.come_to(columns) {
            self.learn(&Raster::from(request), columns, last);
        }
        let (picks, first) = last.picked.picks()?;
        let (pitch, at) = self.plane.rows(first as usize)?;
        let block = PickedBlock {
            memory: self.view.memory(),
            at,
            pitch,
            picks,
            down: &last.down,
            element: self.control.element_bytes() as usize,
        };
        maker.make(&block, out).then_some(())
    }

    /// Rows become those of a block, and its columns known and those at hand.
    #[inline(never)]
    fn learn(&self, raster: &Raster, columns: Begin, last: &mut Last) {
        self.wide.run(
            #[inline(always)]
            || self.rows(raster, last),
        );
        if !last.picked.come_to(columns) {
            let x = &mut last.x;
            self.wide.run(
                #[inline(always)]
                || self.axis(raster, x),
            );
            last.picked
                .learn(columns, x, self.filter.x, self.plane.size.0);
        }
    }

    /// Reads the texels of a block.
    #[inline(always)]
    fn fetch(&self, last: &Last, to: &mut Buffers) {
        match last.columns {
            Some(Columns { first, count, .. }) => self.read(first, count, last.down.y(), to),
            None => self.read_at_edge(last.x.sources(), last.down.y(), to),
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
