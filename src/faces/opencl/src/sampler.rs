//! Samplers.

use crate::context::Context;
use crate::info::{self, Info};
use crate::object::{Object, Result, class};
use crate::sys::*;
use std::sync::Arc;
use visim::internals::launch::kernel::{Addressing, SamplerChoice};

/// A sampler.
pub struct Sampler {
    context: Arc<Object<Context>>,
    normalized: cl_bool,
    addressing: cl_addressing_mode,
    filter: cl_filter_mode,
    /// As the host gave them.
    properties: Vec<cl_sampler_properties>,
}

class!(Sampler, CL_INVALID_SAMPLER);

impl Sampler {
    /// A sampler.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn create(
        context: Arc<Object<Context>>,
        normalized: cl_bool,
        addressing: cl_addressing_mode,
        filter: cl_filter_mode,
        properties: Vec<cl_sampler_properties>,
    ) -> Result<Arc<Object<Sampler>>> {
        mode(addressing).ok_or(CL_INVALID_VALUE)?;
        let filters = matches!(filter, CL_FILTER_NEAREST | CL_FILTER_LINEAR);
        if normalized > CL_TRUE || !filters {
            return Err(CL_INVALID_VALUE);
        }
        Ok(Object::new(Sampler {
            context,
            normalized,
            addressing,
            filter,
            properties,
        }))
    }

    /// A sampler of a list of properties.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn of_properties(
        context: Arc<Object<Context>>,
        properties: Vec<cl_sampler_properties>,
    ) -> Result<Arc<Object<Sampler>>> {
        let (mut normalized, mut addressing, mut filter) =
            (CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
        let mut seen = Vec::new();
        for pair in properties.chunks_exact(2) {
            let value = u32::try_from(pair[1]).map_err(|_| CL_INVALID_VALUE)?;
            if seen.contains(&pair[0]) {
                return Err(CL_INVALID_VALUE);
            }
            seen.push(pair[0]);
            match u32::try_from(pair[0]).unwrap_or(0) {
                CL_SAMPLER_NORMALIZED_COORDS => normalized = value,
                CL_SAMPLER_ADDRESSING_MODE => addressing = value,
                CL_SAMPLER_FILTER_MODE => filter = value,
                _ => return Err(CL_INVALID_VALUE),
            }
        }
        Sampler::create(context, normalized, addressing, filter, properties)
    }

    /// As the launch takes it.
    pub fn choice(&self) -> SamplerChoice {
        SamplerChoice {
            addressing: mode(self.addressing).unwrap_or_default(),
            linear: self.filter == CL_FILTER_LINEAR,
            normalized: self.normalized == CL_TRUE,
        }
    }
}

fn mode(addressing: cl_addressing_mode) -> Option<Addressing> {
    Some(match addressing {
        CL_ADDRESS_NONE => Addressing::None,
        CL_ADDRESS_CLAMP => Addressing::Clamp,
        CL_ADDRESS_CLAMP_TO_EDGE => Addressing::ClampToEdge,
        CL_ADDRESS_REPEAT => Addressing::Repeat,
        CL_ADDRESS_MIRRORED_REPEAT => Addressing::MirroredRepeat,
        _ => return None,
    })
}

/// `clGetSamplerInfo`.
///
/// # Errors
/// `CL_INVALID_VALUE`: no such query.
pub fn query(sampler: &Object<Sampler>, name: cl_sampler_info) -> Result<Info> {
    Ok(match name {
        CL_SAMPLER_REFERENCE_COUNT => info::uint(sampler.references()),
        CL_SAMPLER_CONTEXT => info::pointer(sampler.context.handle()),
        CL_SAMPLER_NORMALIZED_COORDS => info::uint(sampler.normalized),
        CL_SAMPLER_ADDRESSING_MODE => info::uint(sampler.addressing),
        CL_SAMPLER_FILTER_MODE => info::uint(sampler.filter),
        CL_SAMPLER_PROPERTIES => info::ulongs(&sampler.properties),
        _ => return Err(CL_INVALID_VALUE),
    })
}
