//! The sampler: what samples and loads return, and that kernels return what the reference does.

mod info;
mod kernels;
mod load;
mod loads;
mod ready;
mod sample;
mod states;
mod surfaces;
