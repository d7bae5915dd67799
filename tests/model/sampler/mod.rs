//! The sampler: what samples and loads return, and that kernels return what the reference does.

pub mod avs;
mod commands;
mod coordinate;
mod deinterlace;
mod info;
mod kernels;
mod load;
mod loads;
mod packed;
mod plan;
mod sample;
mod states;
mod surfaces;
