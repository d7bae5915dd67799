//! Which kernel scales which plane: decided once for a message, and visible to tests.

use super::filters::Filters;
use super::key::ChromaKey;
use super::pack::Block;
use super::position::Positions;
use super::state::{AvsSampler, FilterType};
use super::view::{A, B, Depth, G, MediaView, Plane, R};
use super::window::{Axis, Window};
use super::{blended, reference, sharp};
use crate::isa::ChannelMask;

/// How the samples of a plane are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// One texel each.
    Nearest,
    /// `sharp`: bytes, never blended.
    Sharp,
    /// `blended`: texels of so many components.
    Blended {
        /// 1, 2 or 4.
        components: usize,
    },
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

    /// The kernel for `plane`.
    pub fn kernel(&self, plane: &Plane) -> Kernel {
        if self.nearest {
            return Kernel::Nearest;
        }
        let channels = || plane.channels.into_iter().flatten();
        let filters =
            || channels().flat_map(|c| [self.filters.channel(c).x, self.filters.channel(c).y]);
        let (mut plus, mut minus) = (0, 0);
        for (p, m) in filters().map(|taps| taps.gain()) {
            plus = p.max(plus);
            minus = m.max(minus);
        }
        let plain_bytes = self.view.format.depth == Depth::Byte && self.key.is_none();
        let all_sharp = channels().all(|c| self.filters.is_sharp(c));
        if self.kernels == Kernels::Reference || plus + minus > blended::GAIN {
            Kernel::Reference
        } else if plain_bytes && all_sharp && plus <= sharp::GAIN && minus <= sharp::GAIN {
            Kernel::Sharp
        } else {
            Kernel::Blended {
                components: plane.components(self.view.format.depth),
            }
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
            // Chroma with a plane of its own is not even computed where it is not returned.
            let step = if decimate && here().all(|c| c == R || c == B) {
                2
            } else {
                1
            };
            let u = positions
                .u()
                .iter()
                .step_by(step)
                .map(|&tu| self.view.on_plane_u(plane, tu));
            let v = positions
                .v()
                .iter()
                .map(|&tv| self.view.on_plane_v(plane, tv));
            let kernel = self.kernel(plane);
            if matches!(kernel, Kernel::Nearest | Kernel::Reference) {
                for channel in here() {
                    self.one_by_one(kernel, positions, channel, block);
                }
                continue;
            }
            let x = Axis::new(u, plane.size.0, self.view.edge);
            let y = Axis::new(v, plane.size.1, self.view.edge);
            match kernel {
                Kernel::Sharp => {
                    scratch.bytes.gather(self.view, plane, &x, &y);
                    for (component, channel) in plane.channels.into_iter().enumerate() {
                        let Some(channel) = channel.filter(|&c| wanted[c]) else {
                            continue;
                        };
                        let window = match plane.texel_bytes {
                            1 => &scratch.bytes,
                            n => {
                                let rows = y.sources().len();
                                scratch.component.split(&scratch.bytes, component, n, rows);
                                &scratch.component
                            }
                        };
                        let filter = self.filters.channel(channel);
                        let task = sharp::Task {
                            window,
                            x: (&x, filter.x),
                            y: (&y, filter.y),
                            channel,
                            ceiling: self.view.ceiling(),
                            step,
                        };
                        let columns = &mut scratch.columns;
                        match filter.x.is_four() && filter.y.is_four() {
                            true => sharp::run::<4>(&task, columns, block),
                            false => sharp::run::<8>(&task, columns, block),
                        }
                    }
                }
                _ => {
                    let source = (self.view, self.key.as_ref());
                    scratch
                        .components
                        .gather(source, plane, (&x, &y), &mut scratch.bytes);
                    let task = blended::Task {
                        window: &scratch.components,
                        x: &x,
                        y: &y,
                        filters: &self.filters,
                        channels: plane.channels,
                        wanted,
                        step,
                    };
                    let run = match plane.components(self.view.format.depth) {
                        1 => blended::run::<1>,
                        2 => blended::run::<2>,
                        _ => blended::run::<4>,
                    };
                    run(&task, self.view, &mut scratch.rows, block);
                }
            }
        }
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

/// Buffers that messages of one thread use again and again. Their contents never matter.
#[derive(Debug, Default)]
pub struct Scratch {
    bytes: Window<u8>,
    component: Window<u8>,
    components: Window<u16>,
    columns: Vec<i16>,
    rows: Vec<[i32; 4]>,
}
