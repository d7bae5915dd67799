//! An OpenCL platform whose devices are Intel GPUs that visim models: programs that know nothing of visim run on them.
//!
//! ```text
//!  host program ─ loader ─▶ table of entries ─▶ objects, queues ─┬─ ocloc, a child process: OpenCL C ─▶ program, vISA text
//!                                                              └─ visim: text, arguments ─▶ threads ─▶ memory
//! ```
//!
//! | module | what it has |
//! |---|---|
//! | `table`, `entries` | the functions that hosts call: pointers in, numbers of errors out |
//! | `host` | everything that reads or writes memory of the host |
//! | `object` | handles, counted; a wrong one is an error |
//! | `platform`, `device`, `context` | what there is, and what it says of itself |
//! | `queue`, `event` | commands on threads of their own, in order or not |
//! | `memory`, `svm`, `sampler` | bytes and texels |
//! | `compiler`, `program`, `kernel` | from source to what visim runs |
//! | `launch`, `report` | runs, and what watches over them |
//!
//! Unsafe code is in `table`, `entries` and `host` alone. Source: OpenCL 3.0; `cl_khr_icd`.
#![deny(unsafe_code)]

mod compiler;
mod context;
mod device;
#[allow(unsafe_code, non_snake_case)]
mod entries;
mod event;
#[allow(unsafe_code)]
mod host;
mod info;
mod kernel;
mod launch;
mod memory;
mod object;
mod platform;
mod program;
mod queue;
mod report;
mod sampler;
mod svm;
#[allow(unsafe_code, non_snake_case)]
mod table;
#[cfg(test)]
#[allow(unsafe_code)]
mod tests;

use opencl_sys as sys;
