//! Surfaces: files, patterns, planes, tilings, and the rules that descriptions keep.

mod file;
mod float;
mod format;
mod media_state;
mod memory;
mod overlap;
mod pattern;
mod picture;
mod planes;
mod rows;
mod rules;
mod tiling;
