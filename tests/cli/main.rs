//! Commands, launches of compiled kernels, files that are read and written, and what is printed.

mod folder;
mod kernel;

mod arguments;
mod book;
mod browser;
mod commands;
mod compiled;
mod dap;
mod debug;
#[cfg(feature = "faults")]
mod faults;
mod files;
mod launch;
mod launches;
mod lower;
mod pages;
mod program_data;
mod release;
mod runner;
mod traces;
mod trust;
mod video;
