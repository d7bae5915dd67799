//! Scaling and sharpening frames by AVS messages of 16x8 pixels.
//!
//! Each plane is a surface: luma Y8_UNORM (channel G, table 0, eight taps), chroma R8_UNORM (channel R, table 1,
//! four taps), as the tables are meant. RGBA is one surface.

use super::picture::{Depth, Picture, Sampling, check_size};
use super::{Stop, VideoError};
use crate::base::cores::pool;
use crate::isa::{AvsControl, AvsMode, ChannelMask};
use crate::message::AvsRequest;
use crate::sampler::avs::tables::Table;
use crate::sampler::avs::{self, AvsSampler, IefState, TapMode};
use crate::surface::{Description, Format, Memory, Surface};
use rayon::prelude::*;
use std::sync::Arc;

/// How coefficients are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The drivers' windowed sinc. Source: AVS reference 7.1.
    #[default]
    Polyphase,
    /// Lanczos of three lobes, two for chroma.
    Lanczos,
    /// Two taps.
    Bilinear,
    /// One tap.
    Nearest,
}

/// Where chroma of 4:2:0 lies. Chroma of 4:2:2 is on every second pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Siting {
    /// Between four pixels: JPEG, MPEG-1.
    #[default]
    Centre,
    /// Between two rows, on the left one of two columns: MPEG-2 and later.
    Left,
    /// On the upper left one of four pixels.
    Corner,
}

impl Siting {
    /// How far the first chroma texel lies to the right of the first pixel, and below it, in pixels.
    pub const fn distance(self) -> (f64, f64) {
        match self {
            Siting::Centre => (0.5, 0.5),
            Siting::Left => (0.0, 0.5),
            Siting::Corner => (0.0, 0.0),
        }
    }
}

/// Which points of the input and of the result are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Align {
    /// The centres of both pictures, as other scalers have it: pixel k is taken from (k + 1/2) · scale - 1/2.
    Centre,
    /// The centres of both first pixels, as drivers have it: pixel k is taken from k · scale.
    #[default]
    Corner,
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Columns and rows of the result; those of the input if nothing is said.
    pub size: Option<(u32, u32)>,
    /// Coefficients.
    pub filter: Filter,
    /// Sharp and smooth are mixed by the picture.
    pub adaptive: bool,
    /// Where chroma lies, before and after.
    pub siting: Siting,
    /// Which points stay.
    pub align: Align,
    /// The enhancement filter.
    pub sharpen: Option<IefState>,
}

impl Options {
    /// Whether a frame of this size stays as it is.
    pub fn does_nothing(&self, width: u32, height: u32) -> bool {
        self.sharpen.is_none() && self.size.is_none_or(|size| size == (width, height))
    }
}

/// Scales frames of one size.
pub struct Scale {
    from: (u32, u32),
    to: (u32, u32),
    siting: Siting,
    align: Align,
    sampler: AvsSampler,
    stop: Stop,
}

const MODE: AvsMode = AvsMode::M16x8;

impl Scale {
    /// The scaler of frames of `width` x `height`.
    ///
    /// # Errors
    /// A size that frames cannot have.
    pub fn new(options: &Options, (width, height): (u32, u32)) -> Result<Scale, VideoError> {
        let to = options.size.unwrap_or((width, height));
        check_size(to.0, to.1)?;
        let filter = options.filter;
        let sampler = AvsSampler {
            tap_mode: TapMode::EightOnGreen,
            bypass_x: !options.adaptive,
            bypass_y: !options.adaptive,
            table0x: table(filter, to.0, width),
            table0y: table(filter, to.1, height),
            table1x: table(filter, to.0, width),
            table1y: table(filter, to.1, height),
            ief_enable: options.sharpen.is_some(),
            ief: options.sharpen.clone().unwrap_or_default(),
            ..AvsSampler::default()
        };
        Ok(Scale {
            from: (width, height),
            to,
            siting: options.siting,
            align: options.align,
            sampler,
            stop: Stop::default(),
        })
    }

    /// The scaler, which ends inside a frame when `stop` is asked for.
    pub fn until(self, stop: &Stop) -> Scale {
        Scale {
            stop: stop.clone(),
            ..self
        }
    }

    /// One frame.
    ///
    /// # Errors
    /// A plane that is not a surface, or [`VideoError::Stopped`].
    pub fn run(&self, picture: &Picture) -> Result<Picture, VideoError> {
        let depth = picture.depth;
        let mut out = Picture::with_depth(self.to.0, self.to.1, picture.sampling, depth)?;
        let from = picture.sampling.planes(picture.width, picture.height);
        let to = picture.sampling.planes(self.to.0, self.to.1);
        let planes = picture.planes.iter().zip(&mut out.planes).enumerate();
        for (number, (source, out)) in planes {
            let (format, channels) = match (picture.sampling, number) {
                (Sampling::Rgba, _) => (Format::R8G8B8A8_UNORM, ChannelMask::RGBA),
                (_, 0) => (Format::Y8_UNORM, ChannelMask(0b0010)),
                _ => (Format::R8_UNORM, ChannelMask(0b0001)),
            };
            let words;
            let (format, texel, source) = match depth {
                Depth::Eight => (format, picture.sampling.texel_bytes(), source),
                Depth::Ten => {
                    words = in_words(source, channels);
                    (Format::R16G16B16A16_UNORM, 8, &words)
                }
            };
            let pitch = from[number].0 * texel as u32;
            let description = Description {
                pitch,
                ..Description::d2(format, from[number].0, from[number].1)
            };
            let memory = Arc::new(Memory::from_bytes(source));
            let surface =
                Surface::new(description, memory).map_err(|e| VideoError::wrong(e.to_string()))?;
            let distance = match (picture.sampling, number) {
                (Sampling::S420, 1..) => self.siting.distance(),
                _ => (0.0, 0.0),
            };
            // Pixels of a texel.
            let (across, down) = match (picture.sampling, number) {
                (Sampling::S420, 1..) => (2.0, 2.0),
                (Sampling::S422, 1..) => (2.0, 1.0),
                _ => (1.0, 1.0),
            };
            let axis = |size, texels, distance, pixels| {
                let moved = match self.align {
                    Align::Centre => distance + 0.5,
                    Align::Corner => distance,
                };
                Axis::new(size, texels, moved / pixels)
            };
            let u = axis((self.from.0, self.to.0), from[number].0, distance.0, across);
            let v = axis((self.from.1, self.to.1), from[number].1, distance.1, down);
            self.plane(&surface, (channels, depth), (u, v), to[number].0, out)?;
        }
        Ok(out)
    }

    /// Every block of a plane of so many columns; bands of blocks are shared among the cores.
    fn plane(
        &self,
        surface: &Surface,
        (channels, depth): (ChannelMask, Depth),
        (across, down): (Axis, Axis),
        width: u32,
        out: &mut [u8],
    ) -> Result<(), VideoError> {
        // Words come back in 16 bits, of which the upper ten are the code.
        let control = match depth {
            Depth::Eight => AvsControl::Full8,
            Depth::Ten => AvsControl::Full16,
        };
        let texel = channels.count() as usize * depth.bytes();
        let (w, h) = MODE.size();
        let row = width as usize * texel;
        let band = |(number, band): (usize, &mut [u8])| -> Result<(), VideoError> {
            // Bytes of a block: channels of four rows, then of the four below.
            let mut block = [0; 16 * 8 * 4 * 2];
            for x in (0..width).step_by(w as usize) {
                self.stop.check()?;
                let request = AvsRequest {
                    channels,
                    control,
                    mode: MODE,
                    u: across.at(x),
                    v: down.at(0),
                    delta_u: across.step as f32,
                    delta_v: down.step as f32,
                    // Blocks count four rows.
                    vertical_block: number as u32 * h / 4,
                    ief_bypass: !self.sampler.ief_enable,
                    ..AvsRequest::ORIGIN
                };
                avs::run(surface, &self.sampler, &request, &mut block)
                    .map_err(|e| VideoError::wrong(e.to_string()))?;
                let columns = (width - x).min(w) as usize;
                for (y, out) in band.chunks_exact_mut(row).enumerate() {
                    let out = &mut out[x as usize * texel..][..columns * texel];
                    let part = &block[y / 4 * 64 * texel + y % 4 * 16 * depth.bytes()..];
                    if depth == Depth::Ten {
                        let words = part.as_chunks::<2>().0.iter();
                        for (out, word) in out.as_chunks_mut::<2>().0.iter_mut().zip(words) {
                            let code = (u32::from(u16::from_le_bytes(*word)) + 32) >> 6;
                            *out = (code.min(1023) as u16).to_le_bytes();
                        }
                        continue;
                    }
                    if texel == 1 {
                        out.copy_from_slice(&part[..columns]);
                        continue;
                    }
                    for (column, out) in out.chunks_exact_mut(texel).enumerate() {
                        for (channel, out) in out.iter_mut().enumerate() {
                            *out = part[channel * 64 + column];
                        }
                    }
                }
            }
            Ok(())
        };
        let bands = row * h as usize;
        match pool() {
            Some(pool) => pool.install(|| {
                let bands = out.par_chunks_mut(bands).enumerate();
                bands.try_for_each(band)
            }),
            None => out.chunks_mut(bands).enumerate().try_for_each(band),
        }
    }
}

/// Codes of ten bits as texels of four words, the upper bits of the one that a channel names.
fn in_words(plane: &[u8], channel: ChannelMask) -> Vec<u8> {
    let at = channel.0.trailing_zeros() as usize & 3;
    let texels = Depth::Ten.codes(plane).flat_map(|code| {
        let mut words = [0; 4];
        words[at] = code << 6;
        words.map(u16::to_le_bytes).as_flattened().to_vec()
    });
    texels.collect()
}

/// Where the texels of a plane of the result lie on that of the input, normalised. Chroma keeps its place among the
/// pixels.
#[derive(Clone, Copy)]
struct Axis {
    first: f64,
    step: f64,
}

impl Axis {
    /// * `from`, `to`: pixels of the pictures
    /// * `texels`: those of the plane
    /// * `distance`: of the first one from the point that both pictures share, in texels
    fn new((from, to): (u32, u32), texels: u32, distance: f64) -> Axis {
        let (scale, texels) = (f64::from(from) / f64::from(to), f64::from(texels));
        // Texel k of the result is k + d texels from the shared point; it is taken from what is (k + d) * scale from
        // it, which is texel (k + d) * scale - d.
        Axis {
            first: distance * (scale - 1.0) / texels,
            step: scale / texels,
        }
    }

    /// The place of a texel.
    fn at(self, texel: u32) -> f32 {
        (self.first + self.step * f64::from(texel)) as f32
    }
}

/// Coefficients for `to` pixels from `from`; one to one needs none.
fn table<const N: usize>(filter: Filter, to: u32, from: u32) -> Table<N> {
    let scale = f64::from(to) / f64::from(from);
    match filter {
        _ if to == from => Table::nearest(),
        Filter::Polyphase => Table::polyphase(scale),
        Filter::Lanczos => Table::lanczos(scale),
        Filter::Bilinear => Table::bilinear(),
        Filter::Nearest => Table::nearest(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_bits_are_scaled_as_finely() {
        let mut ramp = Picture::with_depth(32, 8, Sampling::Grey, Depth::Ten).unwrap();
        for row in ramp.planes[0].chunks_mut(64) {
            let codes = row.as_chunks_mut::<2>().0.iter_mut().zip(0u16..);
            codes.for_each(|(code, k)| *code = (33 * k).to_le_bytes());
        }
        let options = Options {
            size: Some((64, 16)),
            filter: Filter::Bilinear,
            ..Options::default()
        };
        let made = Scale::new(&options, (32, 8)).unwrap().run(&ramp).unwrap();
        let codes: Vec<u16> = Depth::Ten.codes(&made.planes[0]).skip(16).take(4).collect();
        // Half-way between 264 and 297 is 280.5, which a byte could not tell from 280.
        assert_eq!(codes, [264, 281, 297, 314]);
        let options = Options::default();
        let same = Scale::new(&options, (32, 8)).unwrap().run(&ramp).unwrap();
        assert_eq!(same, ramp);
        assert_eq!(ramp.in_bytes().planes[0][..3], [0, 8, 17]);
    }

    /// A ramp stays a ramp: texel k is 4k, and a picture of twice the size has 4 times where it was taken from.
    #[test]
    fn a_ramp_says_where_pixels_are_taken_from() {
        let mut ramp = Picture::new(32, 8, Sampling::Grey).unwrap();
        for row in ramp.planes[0].chunks_mut(32) {
            row.iter_mut().zip(0..).for_each(|(code, k)| *code = 4 * k);
        }
        for (align, wanted) in [
            (Align::Corner, [32, 34, 36, 38]),
            (Align::Centre, [31, 33, 35, 37]),
        ] {
            let options = Options {
                size: Some((64, 16)),
                filter: Filter::Bilinear,
                align,
                ..Options::default()
            };
            let made = Scale::new(&options, (32, 8)).unwrap().run(&ramp).unwrap();
            assert_eq!(made.planes[0][16..20], wanted, "{align:?}");
        }
    }
}
