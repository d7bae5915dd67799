//! Kernels of the 3D sampler for the common ways: one level, nearest or linear, plain formats and layouts.
//!
//! ```text
//!  state, surface, lanes ─ one choice per message ─▶ axis kernels ─▶ byte offsets ─▶ format kernel
//! ```
//!
//! A kernel runs only where it gives what [`super::reference`] gives, bit for bit; everything else, and
//! every message that meets a border, goes there.

use super::super::element::{Element, Use, merge, with_element};
use super::super::plane::Plane;
use super::super::settings::{Address, Filter, MipFilter, Reduction, SamplerState};
use super::super::{Channels, Lanes, lane_mask};
use super::axis::{Positions, positions};
use super::coordinate::Axis;
use super::{Reply, Sampling, Unwatched, lod};
use crate::message::{Parameter, ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::{Format, Kind, Memory, Surface, Tiling};

/// What was chosen for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Decodes elements of this format.
    pub format: Format,
    /// Four texels by distance, else one.
    pub linear: bool,
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
    let d = surface.description();
    let plain = !state.disable
        && state.key.is_none()
        && state.reduction == Reduction::Standard
        && request.offsets == [0; 3]
        && !request.params16
        && request.returns == ReturnFormat::Bits32
        && matches!(d.kind, Kind::D1 | Kind::D2)
        && has_kernel(request.op);
    let lanes = lane_mask(request.lanes);
    let active = active & lanes;
    if !plain || active == 0 {
        return None;
    }
    let mut silent = Unwatched;
    let sampling = Sampling::new(surface, state, request, params, &mut silent);
    let chosen = one_choice(&sampling, active)?;
    let (filter, round) = sampling.filter(chosen.mag);
    let linear = match filter {
        Filter::Nearest => false,
        Filter::Linear => true,
        _ => return None,
    };
    let slice = one_slice(&sampling, active)?;
    let plane = Plane::new(surface, chosen.level, slice)?;
    let lanes_of = |p: Parameter| sampling.given.lanes(p).unwrap_or(&[0; 32]);
    let axis = |n: usize, size: u32| Axis {
        size,
        mode: state.address[n],
        round: round[n],
        unnormalized: state.unnormalized,
    };
    let across = axis(0, plane.size.0);
    let u = positions(&across, lanes_of(Parameter::U), linear, active)?;
    let v = if d.kind == Kind::D1 {
        Positions {
            first: [0; 32],
            next: [0; 32],
            beta: [0; 32],
        }
    } else {
        positions(
            &axis(1, plane.size.1),
            lanes_of(Parameter::V),
            linear,
            active,
        )?
    };
    let job = Job {
        memory: surface.memory(),
        plane: &plane,
        u,
        v,
        linear,
        count: request.lanes as usize,
        channels: request.channels.0,
        active,
        whole: active == lanes,
        out,
    };
    with_element(surface.format(), job)?;
    Some(Reply {
        kernel: Some(Kernel {
            format: surface.format(),
            linear,
            address: [state.address[0], state.address[1]],
            tiling: d.tiling,
        }),
        alive: u32::MAX,
        null_mask: lanes,
    })
}

/// The operations that filter and nothing else.
const fn has_kernel(op: SamplerOp) -> bool {
    use SamplerOp::*;
    matches!(
        op,
        Sample | SampleB | SampleL | SampleD | SampleLz | SampleKillpix
    )
}

/// The level and filter that all active lanes share, if it is one level.
fn one_choice(sampling: &Sampling<'_, Unwatched>, active: u32) -> Option<lod::Selection> {
    let mut lanes = (0..32).filter(|lane| active >> lane & 1 == 1);
    let select = |lane: usize| {
        let pixel = sampling.pixel(lane);
        let (lod, anisotropy) = sampling.lod(lane, &pixel);
        let chosen = lod::select(lod, sampling.state, &sampling.levels);
        let blends = sampling.state.mip == MipFilter::Linear && chosen.beta > 0;
        (!blends && anisotropy.is_none()).then_some(chosen)
    };
    let first = select(lanes.next()?)?;
    match sampling.request.op {
        SamplerOp::SampleLz => return Some(first),
        SamplerOp::SampleL => {
            let levels = sampling.given.lanes(Parameter::Lod)?;
            let lane = active.trailing_zeros() as usize;
            if lanes.clone().all(|other| levels[other] == levels[lane]) {
                return Some(first);
            }
        }
        _ => {}
    }
    lanes
        .all(|lane| {
            select(lane).is_some_and(|other| (other.mag, other.level) == (first.mag, first.level))
        })
        .then_some(first)
}

/// The array slice that all active lanes share.
fn one_slice(sampling: &Sampling<'_, Unwatched>, active: u32) -> Option<u32> {
    if !sampling.d.array {
        return Some(0);
    }
    let mut lanes = (0..32).filter(|lane| active >> lane & 1 == 1);
    let first = sampling.pixel(lanes.next()?).slice;
    lanes
        .all(|lane| sampling.pixel(lane).slice == first)
        .then_some(first)
}

/// Texels of a message, positions known.
struct Job<'a> {
    memory: &'a Memory,
    plane: &'a Plane,
    u: Positions,
    v: Positions,
    linear: bool,
    count: usize,
    channels: u8,
    active: u32,
    whole: bool,
    out: &'a mut Channels,
}

impl Use for Job<'_> {
    type Result = ();

    fn run<E: Element>(mut self) {
        let count = self.count.min(32);
        let start = self.plane.start;
        self.plane.columns(&mut self.u.first);
        self.plane.rows(&mut self.v.first);
        let (x0, y0) = (&self.u.first, &self.v.first);
        let at = |x: &Lanes, y: &Lanes, lane: usize| start + (x[lane] + y[lane]) as usize;
        let mut decoded = [[0; 32]; 4];
        // Straight into the result if all of it is wanted.
        let direct = self.whole && self.channels == 0xf;
        let to = if direct { &mut *self.out } else { &mut decoded };
        if self.linear {
            self.plane.columns(&mut self.u.next);
            self.plane.rows(&mut self.v.next);
            let (x1, y1) = (&self.u.next, &self.v.next);
            for lane in 0..count {
                let (bu, bv) = (self.u.beta[lane], self.v.beta[lane]);
                let weights = [
                    (256 - bu) * (256 - bv),
                    bu * (256 - bv),
                    (256 - bu) * bv,
                    bu * bv,
                ];
                let words = [
                    E::load(self.memory, at(x0, y0, lane)),
                    E::load(self.memory, at(x1, y0, lane)),
                    E::load(self.memory, at(x0, y1, lane)),
                    E::load(self.memory, at(x1, y1, lane)),
                ];
                let rgba = E::filter(words, weights.map(|w| f64::from(w.cast_signed())));
                for (channel, value) in to.iter_mut().zip(rgba) {
                    channel[lane] = value;
                }
            }
        } else {
            let mut words = [E::Word::default(); 32];
            for (lane, word) in words.iter_mut().enumerate().take(count) {
                *word = E::load(self.memory, at(x0, y0, lane));
            }
            E::spread(&words, count, to);
        }
        if !direct {
            merge(&decoded, self.channels, self.active, self.out);
        }
    }
}
