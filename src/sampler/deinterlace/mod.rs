//! Denoising and deinterlacing of video frames, as the media sampler of Gen5 to Gen7 does it.
//!
//! ```text
//!  previous, current ─ denoise ─▶ frames with less noise, history ─┬─ motion ─▶ STMM, one per pixel pair
//!                                                                  └─ fields ─▶ two progressive frames
//!                                                   statistics: what software decides film mode by
//! ```
//!
//! The arithmetic is pure functions of [`Plane`]s and [`DeinterlaceState`]. [`block`](mod@block) is one message,
//! from surfaces to samples; [`writeback`] puts them into registers. Frames are denoised first, so that results
//! do not depend on the order of blocks (D9).
//! Structure and state are published; the arithmetic is a model. Source: AVS reference 5.

pub mod block;
pub mod denoise;
pub mod fields;
pub mod motion;
pub mod packed;
pub mod picture;
pub mod state;
pub mod statistics;
pub mod writeback;

pub use picture::Plane;
pub use state::DeinterlaceState;
