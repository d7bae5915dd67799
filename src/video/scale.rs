//! Scaling and sharpening frames by AVS messages of 16x8 pixels.
//!
//! Each plane is a surface: luma Y8_UNORM (channel G, table 0, eight taps), chroma R8_UNORM (channel R, table 1,
//! four taps), as the tables are meant. RGBA is one surface.

use super::VideoError;
use super::picture::{Picture, Sampling, check_size};
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

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Columns and rows of the result; those of the input if nothing is said.
    pub size: Option<(u32, u32)>,
    /// Coefficients.
    pub filter: Filter,
    /// Sharp and smooth are mixed by the picture.
    pub adaptive: bool,
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
    to: (u32, u32),
    sampler: AvsSampler,
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
        Ok(Scale { to, sampler })
    }

    /// One frame.
    ///
    /// # Errors
    /// A plane that is no surface.
    pub fn run(&self, picture: &Picture) -> Result<Picture, VideoError> {
        let mut out = Picture::new(self.to.0, self.to.1, picture.sampling)?;
        let from = picture.sampling.planes(picture.width, picture.height);
        let to = picture.sampling.planes(self.to.0, self.to.1);
        let planes = picture.planes.iter().zip(&mut out.planes).enumerate();
        for (number, (source, out)) in planes {
            let (format, channels) = match (picture.sampling, number) {
                (Sampling::Rgba, _) => (Format::R8G8B8A8_UNORM, ChannelMask::RGBA),
                (_, 0) => (Format::Y8_UNORM, ChannelMask(0b0010)),
                _ => (Format::R8_UNORM, ChannelMask(0b0001)),
            };
            let pitch = from[number].0 * picture.sampling.texel_bytes() as u32;
            let description = Description {
                pitch,
                ..Description::d2(format, from[number].0, from[number].1)
            };
            let memory = Arc::new(Memory::from_bytes(source));
            let surface =
                Surface::new(description, memory).map_err(|e| VideoError::wrong(e.to_string()))?;
            self.plane(&surface, channels, to[number], out)?;
        }
        Ok(out)
    }

    /// Every block of a plane; bands of blocks are shared among the cores.
    fn plane(
        &self,
        surface: &Surface,
        channels: ChannelMask,
        (width, height): (u32, u32),
        out: &mut [u8],
    ) -> Result<(), VideoError> {
        let texel = channels.count() as usize;
        let (w, h) = MODE.size();
        let row = width as usize * texel;
        let band = |(number, band): (usize, &mut [u8])| -> Result<(), VideoError> {
            // Bytes of a block: channels of four rows, then of the four below.
            let mut block = [0; 16 * 8 * 4];
            for x in (0..width).step_by(w as usize) {
                let request = AvsRequest {
                    channels,
                    control: AvsControl::Full8,
                    mode: MODE,
                    u: x as f32 / width as f32,
                    delta_u: 1.0 / width as f32,
                    delta_v: 1.0 / height as f32,
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
                    let part = &block[y / 4 * 64 * texel + y % 4 * 16..];
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
        out.par_chunks_mut(row * h as usize)
            .enumerate()
            .try_for_each(band)
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

    fn filled(width: u32, height: u32, sampling: Sampling) -> Picture {
        let mut picture = Picture::new(width, height, sampling).unwrap();
        for plane in &mut picture.planes {
            for (i, byte) in plane.iter_mut().enumerate() {
                *byte = (i * 37 % 251) as u8;
            }
        }
        picture
    }

    #[test]
    fn one_to_one_is_the_identity_at_any_size() {
        for sampling in [
            Sampling::Grey,
            Sampling::S420,
            Sampling::S422,
            Sampling::Rgba,
        ] {
            for (width, height) in [(1, 1), (17, 9), (64, 16), (3, 40)] {
                let picture = filled(width, height, sampling);
                for filter in [Filter::Polyphase, Filter::Lanczos, Filter::Bilinear] {
                    let options = Options {
                        filter,
                        ..Options::default()
                    };
                    let scale = Scale::new(&options, (width, height)).unwrap();
                    assert_eq!(
                        scale.run(&picture).unwrap(),
                        picture,
                        "{sampling:?} {width}x{height}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_flat_frame_stays_flat() {
        let mut picture = Picture::new(30, 22, Sampling::S420).unwrap();
        picture.planes.iter_mut().for_each(|plane| plane.fill(99));
        for size in [(15, 11), (61, 44), (30, 22)] {
            let options = Options {
                size: Some(size),
                adaptive: true,
                sharpen: Some(IefState::default()),
                ..Options::default()
            };
            let made = Scale::new(&options, (30, 22))
                .unwrap()
                .run(&picture)
                .unwrap();
            assert!(
                made.planes.iter().flatten().all(|&code| code == 99),
                "{size:?}"
            );
        }
    }
}
