//! Video: files of frames, scaling, other planes.

mod files;
mod frame;
mod resample;
mod scale;
