//! What the manual leaves undefined of a surface and a sampler state together, and of a lane's parameters.

use super::Sampling;
use super::key;
use super::lod::BIASES;
use crate::message::{Parameter, SamplerOp};
use crate::sampler::settings::{Address, Filter, SamplerState};
use crate::surface::format::Kind as Numbers;
use crate::surface::{Kind, Refused, Surface};

/// Refuses states whose results the manual does not say for this surface.
///
/// # Errors
/// [`Refused`] of class undefined, or of class error where a field must not be set.
pub fn check(surface: &Surface, state: &SamplerState) -> Result<(), Refused> {
    let (d, format) = (surface.description(), surface.format());
    let filters = [state.min, state.mag];
    if d.kind == Kind::D3 && filters.contains(&Filter::Anisotropic) {
        let what = "the anisotropic filter on a 3D surface, which it is not supported on";
        return Err(Refused::undefined(what, "PRM 4.2.3, MAPFILTER_ANISOTROPIC"));
    }
    let blends = |filter: &Filter| matches!(filter, Filter::Linear | Filter::Anisotropic);
    if format.kind == Numbers::Mono && filters.iter().any(blends) {
        let what = format!("{format} with a linear filter: only the monochrome filter is for it");
        return Err(Refused::undefined(what, "PRM 4.2.3, MAPFILTER_MONO"));
    }
    if d.kind != Kind::Cube && state.address[..2].contains(&Address::Cube) {
        let what = format!(
            "the address mode CUBE on a {:?} surface: it is only used for cube maps",
            d.kind
        );
        return Err(Refused::undefined(what, "PRM 4.2.4, TEXCOORDMODE_CUBE"));
    }
    let Some(key) = &state.key else {
        return Ok(());
    };
    if d.kind == Kind::Cube && d.sampled.cube_average {
        let what =
            "a chroma key with Cube Map Corner Mode CUBE_AVERAGE, in which it must not be set";
        return Err(Refused::error(what, "PRM 4.10.2.1, Cube Map Corner Mode"));
    }
    if !key::keyed(format) {
        let what = format!("a chroma key on {format}, which is none of its formats");
        return Err(Refused::undefined(what, SEE_KEY));
    }
    match key::broken(key, format) {
        Some(what) => Err(Refused::undefined(what, SEE_KEY)),
        None => Ok(()),
    }
}

const SEE_KEY: &str = "PRM 4.10.6, ChromaKey High Value";

impl<W> Sampling<'_, W> {
    /// Refuses a bias that the message's range has not.
    ///
    /// # Errors
    /// [`Refused`] of class undefined.
    pub(super) fn in_range(&self, lane: usize) -> Result<(), Refused> {
        use SamplerOp::*;
        let bias = match self.request.op {
            SampleB | SampleBC | Gather4B => self.params.float(Parameter::Bias, lane),
            _ => return Ok(()),
        };
        if BIASES.contains(&bias) {
            return Ok(());
        }
        let what =
            format!("the bias of lane {lane} is {bias}; its range is -16 up to, not including, 16");
        Err(Refused::undefined(what, "PRM 4.11.1.4, sample_b"))
    }
}
