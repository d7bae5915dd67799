//! The parts of deinterlacing, by hand.

mod denoise;
mod fields;
mod statistics;
