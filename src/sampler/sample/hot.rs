//! Kernels of the 3D sampler for the common ways: 1D and 2D, nearest or linear, one level or two.
//!
//! ```text
//!  state, surface, lanes ─ one choice per message ─▶ groups of lanes on the same levels
//!     ─▶ axis kernels ─▶ texels fetched as words ─▶ channel by channel: decoded, weighed, rounded
//! ```
//!
//! A kernel runs only where it gives what [`super::reference`] gives, bit for bit; everything else, and
//! every message that meets a border, goes there.

use super::super::element::Element;
use super::super::lanes::{self, Block, Level, Quad, by_lane, merge, window};
use super::super::settings::{Address, Filter, MipFilter, Reduction, SamplerState};
use super::super::texels::{Image, Texels, Use, Way, with_texels};
use super::super::{Channels, Lanes, lane_mask, narrowed};
use super::axis::{Positions, positions};
use super::coordinate::Axis;
use super::{Reply, Sampling, Unwatched, lod};
use crate::message::{Parameter, ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::float::half_to_f32;
use crate::surface::{Format, Kind, Surface, Tiling};

/// What was chosen for a message; of its last lanes, where they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Decodes elements of this format.
    pub format: Format,
    /// How texels are fetched.
    pub way: Way,
    /// Four texels by distance, else one.
    pub linear: bool,
    /// Two levels are blended.
    pub levels: u32,
    /// Address modes across and down.
    pub address: [Address; 2],
    /// Layout in memory.
    pub tiling: Tiling,
}

/// Serves the message with a kernel if there is one for it.
pub fn sample(
    surface: &Surface,
    state: &SamplerState,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
) -> Option<Reply> {
    let lanes = lane_mask(request.lanes);
    let active = active & lanes;
    if active == 0 || !may_have_kernel(surface, state, request) {
        return None;
    }
    let mut silent = Unwatched;
    let message = Message {
        sampling: Sampling::new(surface, state, request, params, &mut silent),
        active,
    };
    let kernel = match request.lanes {
        0..=8 => message.lanes::<8>(0, out)?,
        9..=16 => message.lanes::<16>(0, out)?,
        _ => {
            let first = message.lanes::<16>(0, out)?;
            message.lanes::<16>(16, out)?.or(first)
        }
    }?;
    if request.returns == ReturnFormat::Bits16 {
        narrowed(request, surface.format().returns, active, out);
    }
    Some(Reply {
        kernel: Some(kernel),
        alive: u32::MAX,
        null_mask: lanes,
    })
}

/// Whether state and surface are of the common kind, and the message is one that can be served.
fn may_have_kernel(surface: &Surface, state: &SamplerState, request: &SamplerRequest) -> bool {
    !state.disable
        && state.key.is_none()
        && state.reduction == Reduction::Standard
        && matches!(surface.kind(), Kind::D1 | Kind::D2)
        && has_kernel(request.op)
        && super::check(surface, state, request).is_ok()
}

/// The operations that filter or gather and nothing else.
const fn has_kernel(op: SamplerOp) -> bool {
    use SamplerOp::*;
    matches!(
        op,
        Sample | SampleB | SampleL | SampleD | SampleLz | SampleKillpix | Gather4 | Gather4Po
    )
}

/// Levels, filter and slice that lanes have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Group {
    mag: bool,
    level: u32,
    /// The second level of a blend.
    next: Option<u32>,
    slice: u32,
}

/// The group of all lanes, where the state alone says so.
fn common(s: &Sampling<'_, Unwatched>) -> Option<Group> {
    if s.d.array {
        return None;
    }
    let one = |chosen: lod::Selection| Group {
        mag: chosen.mag,
        level: chosen.level,
        next: None,
        slice: 0,
    };
    let state = s.state;
    let chosen = lod::select(state.lod_bias, state, &s.levels);
    match s.request.op {
        SamplerOp::Gather4 | SamplerOp::Gather4Po => Some(Group {
            mag: true,
            level: s.d.min_lod,
            next: None,
            slice: 0,
        }),
        SamplerOp::SampleLz => (chosen.beta == 0).then(|| one(chosen)),
        // Without mip levels the level of detail only tells one filter from the other.
        _ => {
            let alike = state.mip == MipFilter::None
                && (state.min, state.round_min) == (state.mag, state.round_mag)
                && state.min != Filter::Anisotropic;
            alike.then(|| one(chosen))
        }
    }
}

/// What the state alone says of a message: level, filter and address modes of all lanes.
pub struct Settled {
    /// Counted in memory; of the only slice.
    pub level: u32,
    /// Four texels by distance, else one.
    pub linear: bool,
    /// Across and down.
    pub axes: [Axis; 2],
    /// How many axes there are.
    pub used: usize,
}

/// What all lanes have in common, if the coordinates say nothing but where: one level, and never the border.
pub fn settled(
    surface: &Surface,
    state: &SamplerState,
    request: &SamplerRequest,
) -> Option<Settled> {
    let told = request.op.is_gather() || request.op == SamplerOp::SampleKillpix;
    if told || !may_have_kernel(surface, state, request) {
        return None;
    }
    let mut silent = Unwatched;
    let sampling = Sampling::new(surface, state, request, &[], &mut silent);
    let group = common(&sampling)?;
    let (filter, round) = sampling.filter(group.mag);
    let size = sampling.size(group.level);
    let axes = [0, 1].map(|n| Axis {
        size: size[n],
        mode: state.address[n],
        round: round[n],
        unnormalized: state.unnormalized,
    });
    let used = sampling.axes();
    let has_kernel = matches!(filter, Filter::Nearest | Filter::Linear);
    (has_kernel && axes[..used].iter().all(Axis::never_leaves)).then_some(Settled {
        level: group.level,
        linear: filter == Filter::Linear,
        axes,
        used,
    })
}

/// A message that may have a kernel.
struct Message<'a> {
    sampling: Sampling<'a, Unwatched>,
    active: u32,
}

impl Message<'_> {
    /// Serves lanes `base` and following; the inner `None` is said where none of them is active.
    fn lanes<const N: usize>(&self, base: usize, out: &mut Channels) -> Option<Option<Kernel>> {
        let mut rest = self.active >> base & (u32::MAX >> (32 - N as u32));
        if rest == 0 {
            return Some(None);
        }
        let shifts = self.shifts::<N>(base);
        if let Some(group) = common(&self.sampling) {
            return self
                .group(&group, &[0; N], &shifts, base, rest, out)
                .map(Some);
        }
        let (groups, beta) = self.groups::<N>(base, rest)?;
        let mut kernel = None;
        while rest != 0 {
            let group = groups[rest.trailing_zeros() as usize];
            let same = |lane: &usize| rest >> lane & 1 == 1 && groups[*lane] == group;
            let own = (0..N).filter(same).fold(0, |own, lane| own | 1 << lane);
            kernel = Some(self.group(&group, &beta, &shifts, base, own, out)?);
            rest &= !own;
        }
        Some(kernel)
    }

    /// The group of each active lane, and the share of its second level in 1/256.
    fn groups<const N: usize>(&self, base: usize, active: u32) -> Option<([Group; N], [u32; N])> {
        let s = &self.sampling;
        let none = Group {
            mag: true,
            level: s.d.min_lod,
            next: None,
            slice: 0,
        };
        let (mut groups, mut betas) = ([none; N], [0; N]);
        // The level of detail of gradients belongs to four pixels.
        let shared = matches!(s.request.op, SamplerOp::Sample | SamplerOp::SampleKillpix);
        let mut last = None;
        for lane in (0..N).filter(|lane| active >> lane & 1 == 1) {
            let pixel = s.pixel(base + lane);
            groups[lane].slice = pixel.slice;
            if s.request.op.is_gather() {
                continue;
            }
            let chosen = match last {
                Some((four, chosen)) if shared && four == lane / 4 => chosen,
                _ => {
                    let (lod, anisotropy) = s.lod(base + lane, &pixel);
                    if anisotropy.is_some() {
                        return None;
                    }
                    lod::select(lod, s.state, &s.levels)
                }
            };
            last = Some((lane / 4, chosen));
            let blends = s.state.mip == MipFilter::Linear && chosen.beta > 0;
            let group = &mut groups[lane];
            (group.mag, group.level) = (chosen.mag, chosen.level);
            if blends && s.filters {
                group.next = Some(chosen.next);
                betas[lane] = chosen.beta;
            } else if !s.filters && chosen.beta >= 128 {
                // Formats that do not filter take the nearer level.
                group.level = chosen.next;
            }
        }
        Some((groups, betas))
    }

    /// The lanes of a parameter as 32 bits.
    fn parameter<const N: usize>(&self, p: Parameter, base: usize) -> [u32; N] {
        let given = &self.sampling.given;
        let Some(lanes) = given.lanes(p) else {
            return [0; N];
        };
        let lanes = window(lanes, base);
        match given.is_narrow() {
            true => by_lane(|lane| half_to_f32(lanes[lane] as u16)),
            false => lanes,
        }
    }

    /// Texel offsets across and down, if there are any.
    fn shifts<const N: usize>(&self, base: usize) -> Option<[[i32; N]; 2]> {
        let s = &self.sampling;
        if s.request.op != SamplerOp::Gather4Po && s.request.offsets == [0; 3] {
            return None;
        }
        let lanes: [[i64; 3]; N] = std::array::from_fn(|lane| s.offsets(base + lane));
        Some([0, 1].map(|axis| lanes.map(|offsets| offsets[axis] as i32)))
    }

    /// Serves the lanes of a group.
    fn group<const N: usize>(
        &self,
        group: &Group,
        beta: &[u32; N],
        shifts: &Option<[[i32; N]; 2]>,
        base: usize,
        active: u32,
        out: &mut Channels,
    ) -> Option<Kernel> {
        let s = &self.sampling;
        let gathers = s.request.op.is_gather();
        let (filter, round) = match gathers {
            true => (Filter::Linear, s.state.round_mag),
            false => s.filter(group.mag),
        };
        let linear = match filter {
            Filter::Nearest => false,
            Filter::Linear => true,
            _ => return None,
        };
        let place = |level: u32, to: &mut [Positions<N>; 2]| {
            let size = s.size(level);
            let axis = |n: usize, p: Parameter, to: &mut Positions<N>| {
                let axis = Axis {
                    size: size[n],
                    mode: s.state.address[n],
                    round: round[n],
                    unnormalized: s.state.unnormalized,
                };
                let shift = shifts.as_ref().map(|shifts| &shifts[n]);
                let c = self.parameter::<N>(p, base);
                positions(&axis, &c, linear, shift, active, to)
            };
            axis(0, Parameter::U, &mut to[0])?;
            match s.axes() {
                1 => Some(()),
                _ => axis(1, Parameter::V, &mut to[1]),
            }
        };
        let image = |level: u32| Image {
            surface: s.surface,
            level,
            slice: group.slice,
        };
        let mut at = [Positions::ORIGIN; 2];
        place(group.level, &mut at)?;
        let one = One {
            at: &at,
            linear,
            gathers: gathers.then(|| s.request.channels.0.trailing_zeros() as usize & 3),
        };
        let (block, way) = match group.next {
            None => with_texels(image(group.level), one)?,
            Some(next) => {
                let mut at = [Positions::ORIGIN; 2];
                place(next, &mut at)?;
                let second = Second {
                    image: image(next),
                    at: &at,
                    beta,
                };
                let (block, way) = with_texels(image(group.level), Two { one, second })?;
                (block?, way)
            }
        };
        let channels = if gathers { 0xf } else { s.request.channels.0 };
        merge(&block, base, channels, active << base, out);
        Some(Kernel {
            format: s.surface.format(),
            way,
            linear,
            levels: 1 + u32::from(group.next.is_some()),
            address: [s.state.address[0], s.state.address[1]],
            tiling: s.d.tiling,
        })
    }
}

/// Texels of one level, positions known.
struct One<'a, const N: usize> {
    at: &'a [Positions<N>; 2],
    linear: bool,
    /// The channel of which four texels are returned.
    gathers: Option<usize>,
}

impl<const N: usize> Use for One<'_, N> {
    type Result = Block<N>;

    #[inline(always)]
    fn run<T: Texels, const FUSED: bool>(self, mut texels: T) -> Block<N> {
        if let Some(c) = self.gathers {
            return gathered::<T, N>(&mut texels, self.at, c);
        }
        // Integers have one way only; the constant keeps the code of the other one away.
        match self.linear && T::Element::BLENDS {
            true => lanes::filter::<T::Element, N, FUSED>(&quad(&mut texels, self.at)),
            false => lanes::spread::<T::Element, N>(&nearest(&mut texels, self.at)),
        }
    }
}

/// The second level of a blend.
struct Second<'a, const N: usize> {
    image: Image<'a>,
    at: &'a [Positions<N>; 2],
    beta: &'a [u32; N],
}

struct Two<'a, const N: usize> {
    one: One<'a, N>,
    second: Second<'a, N>,
}

impl<const N: usize> Use for Two<'_, N> {
    type Result = Option<Block<N>>;

    #[inline(always)]
    fn run<T: Texels, const FUSED: bool>(self, mut texels: T) -> Option<Block<N>> {
        if !T::Element::BLENDS {
            return None;
        }
        let Two { one, second } = self;
        let linear = one.linear;
        let first = level(&mut texels, one.at, linear);
        let mut below = texels.on(second.image.level, second.image.slice)?;
        let levels = [first, level(&mut below, second.at, linear)];
        Some(lanes::blend::<T::Element, N, FUSED>(&levels, second.beta))
    }
}

type WordOf<T> = <<T as Texels>::Element as Element>::Word;

#[inline(always)]
fn level<T: Texels, const N: usize>(
    texels: &mut T,
    at: &[Positions<N>; 2],
    linear: bool,
) -> Level<WordOf<T>, N> {
    match linear {
        true => Level::Linear(quad(texels, at)),
        false => Level::Nearest(nearest(texels, at)),
    }
}

#[inline(always)]
fn nearest<T: Texels, const N: usize>(
    texels: &mut T,
    [u, v]: &[Positions<N>; 2],
) -> [WordOf<T>; N] {
    let (mut x, mut y) = (u.first, v.first);
    texels.columns(&mut x);
    texels.rows(&mut y);
    texels.fetch(&x, &y)
}

#[inline(always)]
fn corners<T: Texels, const N: usize>(
    texels: &mut T,
    [u, v]: &[Positions<N>; 2],
) -> [[WordOf<T>; N]; 4] {
    let (mut x, mut y) = ([u.first, u.next], [v.first, v.next]);
    for x in &mut x {
        texels.columns(x);
    }
    for y in &mut y {
        texels.rows(y);
    }
    let [above, below] = [texels.pairs(&x, &y[0]), texels.pairs(&x, &y[1])];
    [above[0], above[1], below[0], below[1]]
}

#[inline(always)]
fn quad<T: Texels, const N: usize>(texels: &mut T, at: &[Positions<N>; 2]) -> Quad<WordOf<T>, N> {
    Quad {
        words: corners(texels, at),
        weights: lanes::weights(&at[0].beta, &at[1].beta),
    }
}

/// Lower left, lower right, upper right, upper left.
#[inline(always)]
fn gathered<T: Texels, const N: usize>(
    texels: &mut T,
    at: &[Positions<N>; 2],
    c: usize,
) -> Block<N> {
    let corners = corners(texels, at);
    let order = [2, 3, 1, 0];
    let mut block = [[0; N]; 4];
    for (to, k) in block.iter_mut().zip(order) {
        // A match, because the kernel of a channel wants its number as a constant.
        *to = match c {
            0 => lanes::channel::<T::Element, N>(&corners[k], 0),
            1 => lanes::channel::<T::Element, N>(&corners[k], 1),
            2 => lanes::channel::<T::Element, N>(&corners[k], 2),
            _ => lanes::channel::<T::Element, N>(&corners[k], 3),
        };
    }
    block
}
