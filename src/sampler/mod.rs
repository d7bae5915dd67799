//! The sampler: what textures read as.
//!
//! Parameters arrive as arrays of lanes in the order of the message, results leave as arrays of lanes for
//! each channel; which registers they come from and go to is the executor's business.
//!
//! * [`fetch`]: the `ld` family, integer coordinates, no filter.
//! * [`avs`]: adaptive video scaling. * [`unorm`]: `sample_unorm`.
//! * [`deinterlace`]: frames from fields, with less noise.
//! * [`state`]: binary layout of the sampler state.

pub mod avs;
pub mod deinterlace;
pub mod fetch;
pub mod state;
pub mod unorm;

/// One parameter or one result channel for up to 32 lanes.
pub type Lanes = [u32; 32];

/// Results in R, G, B, A; 16-bit results lie in the low half of each value.
pub type Channels = [Lanes; 4];
