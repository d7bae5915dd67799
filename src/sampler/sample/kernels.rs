//! Kernels of the 3D sampler for the common ways: 1D and 2D, nearest or linear, one level or two.
//!
//! ```text
//!  state, surface, lanes ─ one choice per message ─▶ groups of lanes on the same levels
//!     ─▶ axis kernels ─▶ texels fetched as words ─▶ channel by channel: decoded, weighed, rounded
//! ```
//!
//! A kernel runs only where it gives what [`super::reference`] gives, bit for bit; everything else, and
//! every message that meets a border, goes there.

use super::super::axis::{Positions, positions};
use super::super::coordinate::Axis;
use super::super::lanes::{Block, Level, by_lane, merge, window};
use super::super::settings::{Address, Filter, MipFilter, Reduction, SamplerState};
use super::super::texels::{FetchPath, Reader};
use super::super::{Channels, lane_mask, narrowed};
use super::{Asked, Reply, Sampling, Unwatched, lod};
use crate::math::simd::{self, Wide};
use crate::message::{Parameter, ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::float::half_to_f32;
use crate::surface::{Format, Kind, Surface, Tiling};

/// What was chosen for a message; of its last lanes, where they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Decodes elements of this format.
    pub format: Format,
    /// How texels are fetched.
    pub path: FetchPath,
    /// Four texels by distance, else one.
    pub linear: bool,
    /// Two levels are blended.
    pub levels: u32,
    /// Address modes across and down.
    pub address: [Address; 2],
    /// Layout in memory.
    pub tiling: Tiling,
}

/// What surface, state and message say of all lanes before any coordinate is known: that kernels serve them, and
/// the group they form if it does not depend on coordinates.
#[derive(Clone, Copy)]
pub struct LanePlan {
    common: Option<Group>,
    wide: Wide,
}

impl LanePlan {
    /// `None` where no kernel serves the message.
    pub fn new(
        surface: &Surface,
        state: &SamplerState,
        request: &SamplerRequest,
    ) -> Option<LanePlan> {
        if !may_have_kernel(surface, state, request) {
            return None;
        }
        let mut silent = Unwatched;
        Some(LanePlan {
            common: common(&Sampling::new(surface, state, request, &[], &mut silent)),
            wide: simd::wide()?,
        })
    }

    /// Serves a message with kernels: that of the plan, with other coordinates and texel offsets. `None` where its
    /// coordinates need the reference; nothing that is written then counts.
    pub fn serve(&self, asked: &Asked<'_>, active: u32, out: &mut Channels) -> Option<Reply> {
        let Asked {
            surface,
            state,
            request,
            params,
        } = *asked;
        let lanes = lane_mask(request.lanes);
        let active = active & lanes;
        if active == 0 {
            return None;
        }
        let mut silent = Unwatched;
        let message = Message {
            sampling: Sampling::new(surface, state, request, params, &mut silent),
            plan: self,
            active,
        };
        // Refused by the reference.
        if request.op == SamplerOp::SampleB
            && !(0..32)
                .all(|lane| active >> lane & 1 == 0 || message.sampling.in_range(lane).is_ok())
        {
            return None;
        }
        let kernel = match request.lanes {
            0..=8 => message.serve::<8>(out)??,
            _ => message.serve::<16>(out)??,
        };
        if request.returns == ReturnFormat::Bits16 {
            narrowed(request, surface.format().returns, active, out);
        }
        Some(Reply {
            kernel: Some(kernel),
            alive: u32::MAX,
            null_mask: lanes,
        })
    }
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
pub struct LaneInvariant {
    /// Counted in memory; of the only slice.
    pub level: u32,
    /// Four texels by distance, else one.
    pub linear: bool,
    /// Across and down.
    pub axes: [Axis; 2],
    /// How many axes there are.
    pub used: usize,
}

/// What all lanes have in common, if the coordinates say nothing but where: one level.
pub fn lane_invariant(
    surface: &Surface,
    state: &SamplerState,
    request: &SamplerRequest,
) -> Option<LaneInvariant> {
    // A bias is looked at lane by lane: it has a range.
    let own = matches!(request.op, SamplerOp::SampleKillpix | SamplerOp::SampleB);
    let excluded = request.op.is_gather() || own;
    if excluded || !may_have_kernel(surface, state, request) {
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
    has_kernel.then_some(LaneInvariant {
        level: group.level,
        linear: filter == Filter::Linear,
        axes,
        used,
    })
}

/// A message that may have a kernel.
struct Message<'a> {
    sampling: Sampling<'a, Unwatched>,
    plan: &'a LanePlan,
    active: u32,
}

impl Message<'_> {
    /// Serves all lanes, `N` at a time; the inner `None` is said where none of them is active.
    fn serve<const N: usize>(&self, out: &mut Channels) -> Option<Option<Kernel>> {
        let surface = self.sampling.surface;
        let mut near = Reader::new(surface, self.plan.wide);
        let mut far = Reader::new(surface, self.plan.wide);
        let common = self.plan.common;
        let mut kernel = None;
        for base in (0..self.sampling.request.lanes as usize).step_by(N) {
            let mut rest = self.active >> base & (u32::MAX >> (32 - N as u32));
            if rest == 0 {
                continue;
            }
            let shifts = self.shifts(base);
            let (groups, beta) = match common {
                Some(group) => ([group; N], [0; N]),
                None => self.groups(base, rest)?,
            };
            while rest != 0 {
                let group = groups[rest.trailing_zeros() as usize];
                let same = |lane: &usize| rest >> lane & 1 == 1 && groups[*lane] == group;
                let own = match common {
                    Some(_) => rest,
                    None => (0..N).filter(same).fold(0, |own, lane| own | 1 << lane),
                };
                let lanes = Served {
                    group: &group,
                    beta: &beta,
                    shifts: &shifts,
                    base,
                    active: own,
                };
                kernel = Some(self.group(&lanes, &mut near, &mut far, out)?);
                rest &= !own;
            }
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
        let params = &self.sampling.params;
        let Some(lanes) = params.lanes(p) else {
            return [0; N];
        };
        let lanes = window(lanes, base);
        match params.is_narrow() {
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

    /// Serves the lanes of a group. `far` reads the second level.
    fn group<const N: usize>(
        &self,
        lanes: &Served<'_, N>,
        near: &mut Reader<'_, N>,
        far: &mut Reader<'_, N>,
        out: &mut Channels,
    ) -> Option<Kernel> {
        let s = &self.sampling;
        let group = lanes.group;
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
        let place = |level: u32| {
            let size = s.size(level);
            let axis = |n: usize, p: Parameter, to: &mut Positions<N>| {
                let axis = Axis {
                    size: size[n],
                    mode: s.state.address[n],
                    round: round[n],
                    unnormalized: s.state.unnormalized,
                };
                let shift = lanes.shifts.as_ref().map(|shifts| &shifts[n]);
                let c = self.parameter(p, lanes.base);
                positions(&axis, &c, linear, shift, lanes.active, to)
            };
            let mut at = [Positions::ORIGIN; 2];
            axis(0, Parameter::U, &mut at[0])?;
            match s.axes() {
                1 => {}
                _ => axis(1, Parameter::V, &mut at[1])?,
            }
            Some(at)
        };
        let at = place(group.level)?;
        let (decoding, path) = near.turn_to(group.level, group.slice)?;
        let filters = linear && decoding.blends;
        let block = match group.next {
            _ if gathers => gathered(
                near,
                &at,
                s.request.channels.0.trailing_zeros() as usize & 3,
            ),
            None if filters => {
                let four = level(near, &at, true);
                near.filter(&four, None)
            }
            None => near.nearest(&at[0].first, &at[1].first),
            Some(_) if !decoding.blends => return None,
            Some(next) => {
                let below = place(next)?;
                far.turn_to(next, group.slice)?;
                let (first, second) = (level(near, &at, linear), level(far, &below, linear));
                near.filter(&first, Some((&second, lanes.beta)))
            }
        };
        let channels = if gathers { 0xf } else { s.request.channels.0 };
        merge(
            &block,
            lanes.base,
            channels,
            lanes.active << lanes.base,
            out,
        );
        Some(Kernel {
            format: s.surface.format(),
            path,
            linear,
            levels: 1 + u32::from(group.next.is_some()),
            address: [s.state.address[0], s.state.address[1]],
            tiling: s.d.tiling,
        })
    }
}

/// Lanes of a group among `N`.
struct Served<'a, const N: usize> {
    group: &'a Group,
    /// 256ths of the second level.
    beta: &'a [u32; N],
    /// Texel offsets across and down.
    shifts: &'a Option<[[i32; N]; 2]>,
    /// The first of the `N`.
    base: usize,
    /// A bit for each lane of the group.
    active: u32,
}

fn level<const N: usize>(
    texels: &mut Reader<'_, N>,
    at: &[Positions<N>; 2],
    linear: bool,
) -> Level<N> {
    let [u, v] = at;
    match linear {
        true => Level::Linear(texels.corners(at), [u.beta, v.beta]),
        false => Level::Nearest(texels.nearest(&u.first, &v.first)),
    }
}

/// One channel of four texels: lower left, lower right, upper right, upper left.
fn gathered<const N: usize>(
    texels: &mut Reader<'_, N>,
    at: &[Positions<N>; 2],
    c: usize,
) -> Block<N> {
    let corners = texels.corners(at);
    [2, 3, 1, 0].map(|k| corners[k][c])
}
