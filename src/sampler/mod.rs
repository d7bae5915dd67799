//! The sampler: what textures read as.

pub mod avs;
