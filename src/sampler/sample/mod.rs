//! The 3D sampler: filtered texels by floating-point coordinates. The reference: every faster way is
//! tested against [`reference()`].
//!
//! ```text
//!  parameters ─▶ cube: face and place ─▶ lod ─▶ min or mag, levels ─▶ per level and tap: footprint
//!     ─▶ address control ─▶ fetch, decode ─▶ chroma key ─▶ shadow compare ─▶ weighted sum, one rounding
//! ```
//!
//! * [`cube`]: faces and edges.
//! * [`lod`]: gradients, levels, anisotropy. * [`border`], [`key`], [`shadow`]: what happens to a texel.
//! * `gen4_gen5`: what Gen4 and Gen5 refuse.
//! * `pixel`: what one lane asks. * `footprint`: its texels and their sum. * [`kernels`]: fast ones.
//!
//! Arithmetic is f64 with one rounding to f32 at the end, so that results do not depend on the host.
//!
//! Source: surface reference 4; PRM 4.1 to 4.6, 4.11.

pub mod border;
pub mod cube;
mod footprint;
mod gen4_gen5;
pub mod kernels;
pub mod key;
pub mod lod;
mod pixel;
pub mod shadow;
mod undefined;

pub use kernels::LanePlan;
pub(super) use kernels::lane_invariant;

use super::params::Params;
use super::settings::{Address, Filter, MipFilter, SamplerState};
use super::{Channels, Lanes, finish};
use crate::isa::generations::CubeCorners;
use crate::message::{Parameter, SamplerOp, SamplerRequest};
use crate::surface::format::{Access, Kind as Numbers, Returns, Use};
use crate::surface::texel::Rgba;
use crate::surface::{Description, Format, Kind, Refused, Surface};

/// Watches which texels a sample is made of; [`Unwatched`] costs nothing.
pub trait TexelObserver {
    /// Whether calls are made at all.
    const ACTIVE: bool = true;

    /// A texel of nonzero weight was taken.
    fn texel(&mut self, _lane: usize, _taken: Taken) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl TexelObserver for Unwatched {
    const ACTIVE: bool = false;
}

/// A texel that took part in a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// Level counted in memory, and array slice, face or 3D slice.
    pub level: u32,
    /// See `level`.
    pub slice: u32,
    /// Column and row; `None` for the border colour.
    pub at: Option<(u32, u32)>,
    /// Column, row and slice that address control has replaced, where they lie outside.
    pub outside: Option<[i64; 3]>,
    /// Sample of a multisampled surface.
    pub sample: u32,
    /// Its part of the sum; 1 in all.
    pub weight: f64,
    /// Its channels, after chroma key and shadow compare.
    pub rgba: [f64; 4],
}

/// What a sample returns beside its channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The kernel that ran; `None`: the reference.
    pub kernel: Option<kernels::Kernel>,
    /// A bit for each lane, clear where the chroma key killed the pixel; all higher bits set.
    pub alive: u32,
    /// A bit for each lane of the message; null pages are not modelled, so all are set.
    pub null_mask: u32,
}

const SEE: &str = "surface reference 4.14, 4.15; PRM 4.11.1.4";

/// A message with all it names.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The surface.
    pub surface: &'a Surface,
    /// The state.
    pub state: &'a SamplerState,
    /// What is asked.
    pub request: &'a SamplerRequest,
    /// Lanes in vISA's order of the operation ([`crate::message::parameters`]); trailing ones that are missing are
    /// 0. 16-bit parameters lie in the low half.
    pub params: &'a [Lanes],
}

/// Samples for every active lane: `sample…`, `gather4…`, `lod`.
///
/// * `params`: lanes in vISA's order of the operation ([`crate::message::parameters`]); trailing ones that
///   are missing are 0. 16-bit parameters lie in the low half.
/// * `active`: bit n set if lane n takes part. Parameters of inactive lanes still make gradients.
/// * `out`: only enabled channels of active lanes are written; gather4 writes all four. 16-bit results of
///   float formats are rounded to nearest, integers keep their low 16 bits.
///
/// # Errors
/// [`Refused`] for surfaces and states the messages are not defined for, or that visim does not model.
pub fn sample(
    surface: &Surface,
    state: &SamplerState,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
) -> Result<Reply, Refused> {
    let plan = LanePlan::new(surface, state, request);
    let asked = Asked {
        surface,
        state,
        request,
        params,
    };
    planned(plan.as_ref(), &asked, active, out)
}

/// [`sample`] with a plan of the message that was made before, if there is one.
///
/// # Errors
/// As [`sample`].
pub fn planned(
    plan: Option<&LanePlan>,
    asked: &Asked<'_>,
    active: u32,
    out: &mut Channels,
) -> Result<Reply, Refused> {
    if let Some(reply) = plan.and_then(|plan| plan.serve(asked, active, out)) {
        return Ok(reply);
    }
    let Asked {
        surface,
        state,
        request,
        params,
    } = *asked;
    reference(surface, state, request, params, active, out, &mut Unwatched)
}

/// [`sample`] without any kernel: the definition, lane by lane, with a watch.
///
/// # Errors
/// As [`sample`].
pub fn reference<W: TexelObserver>(
    surface: &Surface,
    state: &SamplerState,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
    watch: &mut W,
) -> Result<Reply, Refused> {
    let lanes = super::lane_mask(request.lanes);
    let active = active & lanes;
    let mut reply = Reply {
        kernel: None,
        alive: u32::MAX,
        null_mask: lanes,
    };
    let mut texels = [[0; 4]; 32];
    let returns = match request.op {
        SamplerOp::Lod => Returns::AsFloat,
        _ => surface.format().returns,
    };
    if surface.kind() != Kind::Null && !state.disable {
        check(surface, state, request)?;
        let mut sampling = Sampling::new(surface, state, request, params, watch);
        for lane in (0..32).filter(|lane| active >> lane & 1 == 1) {
            sampling.in_range(lane)?;
            texels[lane] = sampling.lane(lane);
            if sampling.killed {
                reply.alive &= !(1 << lane);
            }
        }
    }
    finish(request, returns, &texels, active, out);
    Ok(reply)
}

/// Refuses what no sample message can read.
fn check(surface: &Surface, state: &SamplerState, request: &SamplerRequest) -> Result<(), Refused> {
    let format = surface.format();
    let d = surface.description();
    if surface.kind() == Kind::Buffer {
        return Err(Refused::error("a sample from a buffer: load from it", SEE));
    }
    surface.allow(Access::Sample, "a sample from")?;
    if request.op == SamplerOp::Lod {
        return Ok(());
    }
    if surface.decoder().is_none() && !format.is_planar() {
        return Err(Refused::unsupported(
            format!("texels of {format} are not decoded"),
            "surface reference 2.10, \"Optional later formats\"",
        ));
    }
    if d.samples > 1 {
        return Err(Refused::error(
            "a sample from a multisampled surface: load its samples",
            SEE,
        ));
    }
    if request.op.is_gather() && surface.kind() == Kind::D3 {
        return Err(Refused::error("gather4 from a 3D surface", SEE));
    }
    let flat = matches!(
        request.op,
        SamplerOp::SamplePoD
            | SamplerOp::SamplePoDC
            | SamplerOp::SampleDCMlod
            | SamplerOp::SamplePoC
            | SamplerOp::SamplePoCLz
    );
    if flat && matches!(surface.kind(), Kind::D3 | Kind::Cube) {
        // Their third coordinate shares its register with offsets, as the index of an array.
        return Err(Refused::error(
            format!("{} from a {:?} surface", request.op.name(), surface.kind()),
            "vISA text reference 5.8",
        ));
    }
    let clamps = state.address[..2]
        .iter()
        .all(|&mode| mode == Address::Clamp);
    if d.line_stride.skips() && !(clamps && state.mip == MipFilter::None) {
        return Err(Refused::error(
            "a sample from every second line of a surface: the address modes must be clamp and the mip \
             filter none",
            "PRM 4.10.2.1, Vertical Line Stride",
        ));
    }
    let mono = state.min == Filter::Mono || state.mag == Filter::Mono;
    if mono && format.kind != Numbers::Mono {
        return Err(Refused::error(
            format!("the monochrome filter on {format}; it is for MONO8"),
            "surface reference 4.10",
        ));
    }
    if mono && surface.kind() != Kind::D2 {
        return Err(Refused::error(
            format!(
                "the monochrome filter on a {:?} surface; it is for 2D",
                surface.kind()
            ),
            "PRM 4.2.3, MAPFILTER_MONO",
        ));
    }
    if request.op.compares() && d.kind == Kind::D3 {
        let what = format!("{} from a 3D surface", request.op.name());
        return Err(Refused::error(what, "PRM 4.11.1.4, sample_c"));
    }
    if request.op.compares() && !compares(format) {
        return Err(Refused::undefined(
            format!("shadow comparison with {format}, which is none of its formats"),
            "surface reference 1.1, \"Shadow compare\"",
        ));
    }
    undefined::check(surface, state)?;
    gen4_gen5::check(surface, request)
}

/// Whether texels of a format can be compared.
fn compares(format: Format) -> bool {
    format.used_for(Use::Shadow)
}

/// One message while it is served.
struct Sampling<'a, W> {
    surface: &'a Surface,
    d: &'a Description,
    state: &'a SamplerState,
    request: &'a SamplerRequest,
    params: Params<'a>,
    /// The parameter that holds texel offsets or an index beside something else.
    packed: Option<(Parameter, &'a Lanes)>,
    levels: lod::Levels,
    /// Texels are filtered, not only picked.
    filters: bool,
    /// The chroma key, where it counts.
    key: Option<super::settings::ChromaKey>,
    /// Faces of the cube join.
    joined: bool,
    /// The missing texel of a cube's corner is the mean of the others.
    average: bool,
    watch: &'a mut W,
    lane: usize,
    killed: bool,
}

impl<'a, W: TexelObserver> Sampling<'a, W> {
    fn new(
        surface: &'a Surface,
        state: &'a SamplerState,
        request: &'a SamplerRequest,
        params: &'a [Lanes],
        watch: &'a mut W,
    ) -> Sampling<'a, W> {
        let d = surface.description();
        let format = surface.format();
        let cube = d.kind == Kind::Cube;
        let modes = &state.address[..2];
        let joined = cube && (state.cube_override || modes.contains(&Address::Cube));
        let average = match d.generation.cube_corners {
            CubeCorners::Replicate => false,
            CubeCorners::ByState => d.sampled.cube_average,
            CubeCorners::Average => true,
        };
        let params = Params::new(request, params);
        Sampling {
            surface,
            d,
            state,
            request,
            packed: params.packed(),
            params,
            levels: levels(d),
            filters: format.allows(Access::Filter, d.generation) || request.op.compares(),
            // Averaged corners have no key: surface reference 4.5.
            key: state
                .key
                .filter(|_| key::keyed(format) && !(joined && average)),
            joined,
            average,
            watch,
            lane: 0,
            killed: false,
        }
    }

    /// The filter and its rounding for a selection.
    fn filter(&self, mag: bool) -> (Filter, [bool; 3]) {
        let (filter, round) = match mag {
            true => (self.state.mag, self.state.round_mag),
            false => (self.state.min, self.state.round_min),
        };
        let filter = match filter {
            // Formats that do not filter give their nearest texel (surface reference 4.7, 4.10).
            Filter::Linear | Filter::Anisotropic if !self.filters => Filter::Nearest,
            Filter::Anisotropic if self.d.kind == Kind::D3 => Filter::Linear,
            filter => filter,
        };
        (filter, round)
    }

    /// The result of one lane.
    fn lane(&mut self, lane: usize) -> Rgba {
        self.lane = lane;
        self.killed = false;
        let pixel = self.pixel(lane);
        let (lod, anisotropy) = self.lod(lane, &pixel);
        let chosen = lod::select(lod, self.state, &self.levels);
        match self.request.op {
            SamplerOp::Lod => {
                let level = |fixed: i32| (fixed as f32 / 256.0).to_bits();
                [level(chosen.used), level(lod), 0, 0]
            }
            op if op.is_gather() => {
                let level = match op {
                    SamplerOp::Gather4
                    | SamplerOp::Gather4C
                    | SamplerOp::Gather4Po
                    | SamplerOp::Gather4PoC => self.d.min_lod,
                    // The nearer of two levels: a model choice, the reference has no such message.
                    _ if chosen.beta >= 128 => chosen.next,
                    _ => chosen.level,
                };
                self.gather(&pixel, level)
            }
            _ => self.filtered(&pixel, chosen, anisotropy),
        }
    }

    /// The samples of one or two levels, blended.
    fn filtered(
        &mut self,
        pixel: &pixel::Pixel,
        chosen: lod::Selection,
        anisotropy: Option<lod::Anisotropy>,
    ) -> Rgba {
        let (filter, round) = self.filter(chosen.mag);
        let blends = self.filters && self.state.mip == MipFilter::Linear && chosen.beta > 0;
        let reads = footprint::Reads {
            filter,
            round,
            anisotropy: anisotropy.filter(|_| filter == Filter::Anisotropic),
        };
        if !blends {
            let nearer = if chosen.beta >= 128 {
                chosen.next
            } else {
                chosen.level
            };
            let level = if self.filters { chosen.level } else { nearer };
            if filter == Filter::Nearest {
                return self.nearest(pixel, level, round);
            }
            let mut sum = self.sum();
            self.level(pixel, level, &reads, 1.0, &mut sum);
            return sum.rounded();
        }
        let beta = f64::from(chosen.beta);
        let mut sum = self.sum();
        self.level(
            pixel,
            chosen.level,
            &reads,
            (256.0 - beta) / 256.0,
            &mut sum,
        );
        self.level(pixel, chosen.next, &reads, beta / 256.0, &mut sum);
        sum.rounded()
    }
}

/// What the surface state says to the choice of levels.
fn levels(d: &Description) -> lod::Levels {
    lod::Levels {
        min_lod: d.min_lod,
        more: d.levels - 1,
        resource_min: d.sampled.resource_min_lod as i32,
        base: d.sampled.base_level as i32,
        integer_limits: d.generation.integer_level_limits,
    }
}
