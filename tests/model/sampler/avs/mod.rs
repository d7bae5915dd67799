//! The media sampler: its parts, by hand.

mod groups;
mod ief;
mod key;
mod pack;
mod position;
mod skin;
mod state;
mod tables;
mod view;

use visim::internals::sampler::avs::{Edge, MediaView, PlaneLayout, media_format};
use visim::internals::surface::{Format, Memory, Planes};

/// A plain picture at the start of `memory`; NV12 if planar.
pub fn plain(memory: &Memory, format: Format, size: (u32, u32), pitch: u32) -> MediaView<'_> {
    let chroma = Planes::nv12(size.1);
    let format = media_format(format).expect("a media format");
    let place = PlaneLayout::linear(0, pitch);
    MediaView::new(memory, format, size, place, chroma, Edge::Clamp)
}
