//! Laws: what holds of anything of a kind, with the examples by hand that explain it.

mod avs;
mod avs_formats;
mod avs_states;
mod deinterlace;
mod deinterlace_states;
mod modules;
mod text;
mod typed;
mod unorm;
