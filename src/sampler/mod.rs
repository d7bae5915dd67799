//! The sampler: what textures read as.
//!
//! Parameters arrive as arrays of lanes in the order of the message, results leave as arrays of lanes for
//! each channel; which registers they come from and go to is the executor's business.
//!
//! * [`fetch`]: the `ld` family, integer coordinates, no filter.
//! * [`sample`]: the 3D sampler, with filters. * [`info`]: what it tells of a surface.
//! * [`plan`]: what is worked out once for a message that many threads send with other coordinates.
//! * [`avs`]: adaptive video scaling. * [`unorm`]: `sample_unorm`.
//! * [`deinterlace`]: frames from fields, with less noise.
//! * [`coordinate`]: positions and address modes; `axis`: the same on all lanes at once.
//! * `texels`: where texels come from, with `element` and `plane`. * `lanes`: arithmetic on all lanes at once.
//! * `reads`: what the media sampler reads, reported to watchers. * [`settings`]: the sampler state. * [`state`]: its binary layout. * [`packed`]: from one to the other.

pub mod avs;
mod axis;
pub mod coordinate;
pub mod deinterlace;
mod element;
pub mod fetch;
pub mod info;
mod lanes;
pub mod packed;
mod params;
pub mod plan;
mod plane;
mod reads;
pub mod sample;
pub mod settings;
pub mod state;
mod texels;
pub mod unorm;

pub(crate) use lanes::{by_lane, dwords};
pub(crate) use texels::words;

pub use reads::Read;
pub use settings::SamplerState;
pub use texels::FetchPath;

use crate::message::{ReturnFormat, SamplerRequest};
use crate::surface::float::f32_to_half_nearest;
use crate::surface::format::Returns;
use crate::surface::texel::Rgba;

/// One parameter or one result channel for up to 32 lanes.
pub type Lanes = [u32; 32];

/// Results in R, G, B, A; 16-bit results lie in the low half of each value.
pub type Channels = [Lanes; 4];

/// One bit for each lane of a message.
fn lane_mask(lanes: u32) -> u32 {
    if lanes >= 32 {
        u32::MAX
    } else {
        (1 << lanes) - 1
    }
}

/// One value as 16 bits.
fn narrow(value: u32, returns: Returns) -> u32 {
    match returns {
        Returns::AsFloat => u32::from(f32_to_half_nearest(value)),
        _ => value & 0xffff,
    }
}

/// Makes results 16-bit, as [`finish`] does: enabled channels of active lanes.
fn narrowed(request: &SamplerRequest, returns: Returns, active: u32, out: &mut Channels) {
    for (c, channel) in out.iter_mut().enumerate() {
        if !request.op.is_gather() && request.channels.0 >> c & 1 == 0 {
            continue;
        }
        for (lane, value) in channel.iter_mut().enumerate() {
            if active >> lane & 1 == 1 {
                *value = narrow(*value, returns);
            }
        }
    }
}

/// Hands results over: enabled channels of active lanes, narrowed if the message asks for 16 bits.
///
/// Floats are rounded to nearest, ties to even; integers keep their low 16 bits (both model choices).
fn finish(
    request: &SamplerRequest,
    returns: Returns,
    texels: &[Rgba; 32],
    active: u32,
    out: &mut Channels,
) {
    let sent = |value: u32| match request.returns {
        ReturnFormat::Bits32 => value,
        ReturnFormat::Bits16 => narrow(value, returns),
    };
    for (c, channel) in out.iter_mut().enumerate() {
        // gather4 names its source channel and returns four texels.
        if !request.op.is_gather() && request.channels.0 >> c & 1 == 0 {
            continue;
        }
        for (lane, value) in channel.iter_mut().enumerate() {
            if active >> lane & 1 == 1 {
                *value = sent(texels[lane][c]);
            }
        }
    }
}
