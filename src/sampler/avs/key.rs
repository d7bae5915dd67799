//! Chroma key: texels within a range of colours read as black. Source: AVS reference 3.8.

use super::state::AvsSampler;
use super::view::{A, B, G, Grid, MediaView, Plane, R};

/// An inclusive range for the eight high bits of each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChromaKey {
    low: [u8; 4],
    high: [u8; 4],
}

impl ChromaKey {
    /// The key of `sampler`, if it is enabled and the surface's format heeds it: single channels
    /// and planar formats do not.
    pub fn of(sampler: &AvsSampler, view: &MediaView) -> Option<ChromaKey> {
        let heeded = matches!(view.format.grid, Grid::Full | Grid::Packed422);
        // A is the high byte, then R/Cr, G/Y, B/Cb.
        let channels = |key: u32| {
            let [b, g, r, a] = key.to_le_bytes();
            let mut bytes = [0; 4];
            (bytes[R], bytes[G], bytes[B], bytes[A]) = (r, g, b, a);
            bytes
        };
        (sampler.chroma_key_enable && heeded).then(|| ChromaKey {
            low: channels(sampler.chroma_key_low),
            high: channels(sampler.chroma_key_high),
        })
    }

    /// The components of texel (x, y) of `plane`, all zero if the key matches there.
    pub fn texel(&self, view: &MediaView, plane: &Plane, x: i32, y: i32) -> [u16; 4] {
        let components = view.texel(plane, x, y);
        let colour = match view.format.grid {
            Grid::Packed422 => packed_colour(view, plane, x, y),
            _ => {
                let mut colour = [0; 4];
                for (component, channel) in components.iter().zip(plane.channels) {
                    if let Some(channel) = channel {
                        colour[channel] = (component >> 8) as u8;
                    }
                }
                colour
            }
        };
        let matches = (0..4).all(|c| (self.low[c]..=self.high[c]).contains(&colour[c]));
        if matches { [0; 4] } else { components }
    }
}

/// R, G, B, A codes that a packed 4:2:2 texel is compared by: luma at odd x with the rounded average
/// of the pairs around it, chroma with the luma at its even position, alpha as FFh.
fn packed_colour(view: &MediaView, plane: &Plane, x: i32, y: i32) -> [u8; 4] {
    let code = |channel: usize, x: i32| match view.place(channel) {
        Some((plane, component)) => {
            let x = x.min(plane.size.0 - 1);
            view.texel(plane, x, y)[component] >> 8
        }
        None => 0xff,
    };
    let chroma = |channel| match (plane.subsampled, x % 2) {
        (true, _) => code(channel, x),
        (false, 0) => code(channel, x / 2),
        (false, _) => (code(channel, x / 2) + code(channel, x / 2 + 1) + 1) >> 1,
    };
    let luma = code(G, if plane.subsampled { 2 * x } else { x });
    let mut colour = [0; 4];
    (colour[R], colour[G], colour[B], colour[A]) = (chroma(R), luma, chroma(B), 0xff);
    colour.map(|c| c as u8)
}
