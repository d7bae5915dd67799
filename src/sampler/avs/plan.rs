//! Which kernel scales which plane: decided once for a message, and visible to tests.

use super::filters::{Blend, Filters, Taps};
use super::key::ChromaKey;
use super::pack::Block;
use super::position::{MAX_COLUMNS, MAX_ROWS, Positions, beta, whole};
use super::reference::closest;
use super::state::{AvsSampler, FilterType};
use super::view::{A, B, Depth, G, MediaView, Plane, R};
use super::window::{Axis, Window, centred, code, gather_keyed};
use super::{blended, reference, sharp};
use crate::isa::ChannelMask;
use crate::sampler::Read;
use std::collections::BTreeSet;

/// The weight with which the smooth filter has no say.
const ALL_SHARP: u16 = 256;

/// How the samples of a channel are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// One texel each.
    Nearest,
    /// `sharp`: bytes, never blended.
    Sharp,
    /// `blended`: everything else that fits.
    Blended,
    /// `reference`, sample by sample: coefficients too large for the others.
    Reference,
}

/// The kernels that are not the reference may be turned off to compare with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kernels {
    /// The fastest that fits.
    #[default]
    Fast,
    /// The definition.
    Reference,
}

/// A message resolved against a surface and a sampler state.
pub struct Plan<'a> {
    view: &'a MediaView<'a>,
    filters: Filters<'a>,
    key: Option<ChromaKey>,
    nearest: bool,
    kernels: Kernels,
}

impl<'a> Plan<'a> {
    /// How `sampler` scales `view`.
    pub fn new(view: &'a MediaView<'a>, sampler: &'a AvsSampler, kernels: Kernels) -> Plan<'a> {
        Plan {
            view,
            filters: Filters::new(sampler, view),
            key: ChromaKey::of(sampler, view),
            nearest: sampler.avs_filter_type == FilterType::Nearest,
            kernels,
        }
    }

    /// The kernel for `channel`, one of those of `plane`.
    pub fn kernel(&self, plane: &Plane, channel: usize) -> Kernel {
        if self.nearest {
            return Kernel::Nearest;
        }
        // Weights may come from any component, so all must fit.
        let (mut plus, mut minus) = (0, 0);
        for channel in plane.channels.into_iter().flatten() {
            let filter = self.filters.channel(channel);
            for (p, m) in [filter.x.gain(), filter.y.gain()] {
                plus = p.max(plus);
                minus = m.max(minus);
            }
        }
        let plain_bytes = self.view.format.depth == Depth::Byte && self.key.is_none();
        if self.kernels == Kernels::Reference || plus + minus > blended::GAIN {
            Kernel::Reference
        } else if plain_bytes
            && self.filters.is_sharp(channel)
            && plus <= sharp::GAIN
            && minus <= sharp::GAIN
        {
            Kernel::Sharp
        } else {
            Kernel::Blended
        }
    }

    /// Computes `channels` of a block at `positions`; with `decimate`, R and B at even columns only.
    pub fn run(
        &self,
        positions: &Positions,
        channels: ChannelMask,
        decimate: bool,
        scratch: &mut Scratch,
        block: &mut Block,
    ) {
        block.stride = positions.u().len();
        let size = block.stride * positions.v().len();
        let wanted = [R, G, B, A].map(|c| channels.has(c));
        for channel in channels.iter().filter(|&c| self.view.place(c).is_none()) {
            block.channels[channel][..size].fill(MediaView::missing(channel));
        }
        for plane in self.view.planes() {
            let here = || plane.channels.into_iter().flatten().filter(|&c| wanted[c]);
            if here().next().is_none() {
                continue;
            }
            let step = columns_apart(decimate, here());
            let mut fast = false;
            for channel in here() {
                let kernel = self.kernel(plane, channel);
                match kernel {
                    Kernel::Nearest | Kernel::Reference => {
                        self.one_by_one(kernel, positions, channel, block);
                    }
                    Kernel::Sharp | Kernel::Blended => fast = true,
                }
            }
            if fast {
                let (mut u, mut v) = ([0; MAX_COLUMNS], [0; MAX_ROWS]);
                let (u, v) = self.on_plane(plane, positions, step, (&mut u, &mut v));
                scratch.x.set(u, plane.size.0, self.view.edge);
                scratch.y.set(v, plane.size.1, self.view.edge);
                self.plane(plane, wanted, step, scratch, block);
            }
        }
    }

    /// What [`Plan::run`] depends on: the texels whose taps are not zero; all of the footprint where its steps
    /// decide how filters blend.
    pub fn reads(
        &self,
        positions: &Positions,
        channels: ChannelMask,
        decimate: bool,
        found: &mut BTreeSet<Read>,
    ) {
        for plane in self.view.planes() {
            let here = || {
                let own = plane.channels.into_iter().flatten();
                own.filter(|&c| channels.has(c))
            };
            let step = columns_apart(decimate, here());
            let (mut u, mut v) = ([0; MAX_COLUMNS], [0; MAX_ROWS]);
            let (u, v) = self.on_plane(plane, positions, step, (&mut u, &mut v));
            for channel in here() {
                let filter = self.filters.channel(channel);
                let blend = |blend| {
                    if filter.blends {
                        blend
                    } else {
                        Blend::Fixed(ALL_SHARP)
                    }
                };
                let (across, down) = (blend(self.filters.blend_x), blend(self.filters.blend_y));
                let columns = self.sources(u, plane.size.0, &filter.x, across);
                let rows = self.sources(v, plane.size.1, &filter.y, down);
                let rows = rows.into_iter();
                let texels = rows.flat_map(|y| columns.iter().map(move |&x| (x, y)));
                found.extend(texels.map(|((x, column), (y, row))| Read {
                    asked: (column, row),
                    ..self.view.place_of(plane, x, y)
                }));
            }
        }
    }

    /// Indices on an axis of `size` texels that pixels at `positions` depend on, each beside the one in whose place it is.
    fn sources(
        &self,
        positions: &[i32],
        size: i32,
        taps: &Taps,
        blend: Blend,
    ) -> BTreeSet<(u32, i32)> {
        let mut sources = BTreeSet::new();
        let mut add = |index| sources.insert((self.view.edge.resolve(index, size) as u32, index));
        for &t in positions {
            if self.nearest {
                add(closest(t));
                continue;
            }
            let beta = beta(t);
            for (i, tap) in taps.row(beta).into_iter().enumerate() {
                let needed = match blend {
                    Blend::Adaptive(_) => true,
                    Blend::Fixed(weight) => {
                        // The smooth filter mixes the two in the middle.
                        let smooth = i == 3 || i == 4 && beta > 0;
                        weight > 0 && tap != 0 || weight < ALL_SHARP && smooth
                    }
                };
                if needed {
                    add(whole(t) - 3 + i as i32);
                }
            }
        }
        sources
    }

    /// Where every `step`-th column, and every row, lies on a plane; the arrays are room for that.
    fn on_plane<'b>(
        &self,
        plane: &Plane,
        positions: &Positions,
        step: usize,
        (u, v): (&'b mut [i32; MAX_COLUMNS], &'b mut [i32; MAX_ROWS]),
    ) -> (&'b [i32], &'b [i32]) {
        let columns = positions.u().iter().step_by(step);
        let (across, down) = (columns.len(), positions.v().len());
        for (u, &tu) in u.iter_mut().zip(columns) {
            *u = self.view.on_plane_u(plane, tu);
        }
        for (v, &tv) in v.iter_mut().zip(positions.v()) {
            *v = self.view.on_plane_v(plane, tv);
        }
        (&u[..across], &v[..down])
    }

    /// The `wanted` channels of a plane by the fast kernels; the axes are set.
    fn plane(
        &self,
        plane: &Plane,
        wanted: [bool; 4],
        step: usize,
        scratch: &mut Scratch,
        block: &mut Block,
    ) {
        let Scratch {
            x,
            y,
            bytes,
            codes,
            values,
            results,
        } = scratch;
        let rows = y.sources().len();
        match &self.key {
            Some(key) => gather_keyed(values, (self.view, key), plane, (x, y)),
            None => bytes.gather(self.view, plane, x, y),
        }
        let from = (self.view.format.depth, plane);
        let mut blends = [false; 4];
        for (component, channel) in plane.channels.into_iter().enumerate() {
            let Some(channel) = channel.filter(|&c| wanted[c]) else {
                continue;
            };
            if self.kernel(plane, channel) != Kernel::Sharp {
                blends[component] = true;
                continue;
            }
            codes.component(bytes, from, component, rows, code);
            let filter = self.filters.channel(channel);
            let task = sharp::Task {
                window: codes,
                x: (x, filter.x),
                y: (y, filter.y),
                channel,
                step,
            };
            match filter.y.is_four() {
                true => sharp::run::<4>(&task, block),
                false => sharp::run::<8>(&task, block),
            }
        }
        if !blends.contains(&true) {
            return;
        }
        if self.key.is_none() {
            let needed = blended::needed(&self.filters, plane.channels, blends);
            for component in (0..4).filter(|&c| needed[c]) {
                values[component].component(bytes, from, component, rows, centred);
            }
        }
        let task = blended::Task {
            windows: values,
            x,
            y,
            filters: &self.filters,
            channels: plane.channels,
            wanted: blends,
            step,
            ceiling: self.view.ceiling(),
        };
        blended::run(&task, results, block);
    }

    /// Sample by sample.
    fn one_by_one(&self, kernel: Kernel, positions: &Positions, channel: usize, block: &mut Block) {
        let key = self.key.as_ref();
        for (row, &tv) in positions.v().iter().enumerate() {
            for (column, &tu) in positions.u().iter().enumerate() {
                let at = (tu, tv);
                block.channels[channel][row * block.stride + column] = match kernel {
                    Kernel::Nearest => reference::nearest(self.view, key, channel, at),
                    _ => reference::sample(self.view, key, &self.filters, channel, at),
                };
            }
        }
    }
}

/// How many columns lie between those that are computed: chroma with a plane of its own is left out where
/// it is not returned.
fn columns_apart(decimate: bool, mut channels: impl Iterator<Item = usize>) -> usize {
    match decimate && channels.all(|c| c == R || c == B) {
        true => 2,
        false => 1,
    }
}

/// Buffers that messages of one thread use again and again. Their contents never matter.
#[derive(Debug, Default)]
pub struct Scratch {
    x: Axis,
    y: Axis,
    bytes: Window<u8>,
    codes: Window<i16>,
    values: [Window<i16>; 4],
    results: blended::Results,
}
