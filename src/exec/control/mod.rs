//! Which op runs next, and for whom: the loop of a thread, its lanes, several threads side by side.

pub(crate) mod flow;
pub mod lockstep;
#[cfg(all(test, target_arch = "x86_64"))]
mod message_laws;
#[cfg(all(test, target_arch = "x86_64"))]
mod nan_laws;
#[cfg(all(test, target_arch = "x86_64"))]
mod native_laws;
pub mod order;
pub(crate) mod read_first;
pub(crate) mod reset;
pub(crate) mod run;
#[cfg(all(test, target_arch = "x86_64"))]
mod sampler_laws;
#[cfg(all(test, target_arch = "x86_64"))]
mod turn_laws;
