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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{Format, Memory};

    fn key(low: u32, high: u32) -> AvsSampler {
        AvsSampler {
            chroma_key_enable: true,
            chroma_key_low: low,
            chroma_key_high: high,
            ..AvsSampler::default()
        }
    }

    #[test]
    fn all_four_channels_must_match() {
        let memory = Memory::from_bytes(&[0x10, 0x20, 0x30, 0x40, 0x11, 0x20, 0x30, 0x40]);
        let view = MediaView::plain(&memory, Format::R8G8B8A8_UNORM, (2, 1), 8);
        let plane = &view.planes()[0];
        let key = ChromaKey::of(&key(0x4010_2030, 0xff10_2030), &view).unwrap();
        assert_eq!(key.texel(&view, plane, 0, 0), [0; 4]);
        assert_eq!(
            key.texel(&view, plane, 1, 0),
            [0x1100, 0x2000, 0x3000, 0x4000]
        );
    }

    #[test]
    fn odd_luma_is_compared_with_the_average_of_its_neighbours_chroma() {
        // Cb 20, 31 and Cr 40, 41 (hexadecimal): between them 29h (28.5 rounded up) and 41h.
        let memory = Memory::from_bytes(&[1, 0x20, 1, 0x40, 1, 0x31, 1, 0x41]);
        let view = MediaView::plain(&memory, Format::YCRCB_NORMAL, (4, 1), 8);
        let [luma, chroma] = view.planes() else {
            panic!()
        };
        let at = |low: u32, plane, x| {
            ChromaKey::of(&key(low, low), &view)
                .unwrap()
                .texel(&view, plane, x, 0)
        };
        let black = [0; 4];
        assert_eq!(at(0xff40_0120, luma, 0), black);
        assert_eq!(at(0xff41_0129, luma, 1), black);
        assert_ne!(at(0xff40_0120, luma, 1), black);
        // The pair to the right of the last one is the last one.
        assert_eq!(at(0xff41_0131, luma, 3), black);
        assert_eq!(at(0xff41_0131, chroma, 1), black);
        assert_ne!(at(0xfe41_0131, chroma, 1), black);
    }

    #[test]
    fn single_channels_and_planes_ignore_the_key() {
        let memory = Memory::zeroed(16);
        for format in [
            Format::Y8_UNORM,
            Format::R8_UNORM,
            Format::R8B8_UNORM,
            Format::PLANAR_420_8,
        ] {
            let view = MediaView::plain(&memory, format, (2, 2), 2);
            assert_eq!(ChromaKey::of(&key(0, u32::MAX), &view), None);
        }
    }
}
