//! Denoising and deinterlacing frames by `deinterlace` messages.
//!
//! ```text
//!  frame n-1, denoised ─┐
//!  frame n ─────────────┼─ messages ─▶ second field of n-1, first field of n; denoised n; statistics n
//!  statistics n-1 ──────┘
//! ```
//!
//! Software's part is here: it keeps the denoised frame, writes motion and history where the next frame's
//! messages look for them, and asks once more at the end for the last field. Source: AVS reference 5.9.

use super::colour::Range;
use super::frame::{self, Change};
use super::picture::{Picture, Sampling};
use super::{Stop, VideoError};
use crate::base::cores::pool;
use crate::sampler::deinterlace::DeinterlaceState;
use crate::sampler::deinterlace::block::{self, DeinterlaceError, DenoisedPart, Inputs, Samples};
use crate::surface::{Description, Format, Memory, Planes, Surface};
use rayon::prelude::*;
use std::sync::Arc;

/// A stream of frames whose fields or noise are taken care of.
pub struct Fields {
    state: DeinterlaceState,
    past: Option<Past>,
    stop: Stop,
}

/// What is kept of the frame before.
struct Past {
    /// The frame, denoised.
    frame: Surface,
    statistics: Surface,
}

/// What the messages of a frame give.
struct Made {
    second: Option<Picture>,
    first: Option<Picture>,
    denoised: Picture,
    statistics: Vec<u8>,
}

impl Fields {
    /// A stream; `state` says what is done.
    pub fn new(state: DeinterlaceState) -> Fields {
        Fields {
            state,
            past: None,
            stop: Stop::default(),
        }
    }

    /// The stream, which ends inside a frame when `stop` is asked for.
    pub fn until(self, stop: &Stop) -> Fields {
        Fields {
            stop: stop.clone(),
            ..self
        }
    }

    /// The frames that a frame completes: with deinterlacing those of the second field before it and of its
    /// first field, else the frame, denoised.
    ///
    /// # Errors
    /// A frame that is not like the one before, or [`VideoError::Stopped`].
    pub fn push(&mut self, picture: &Picture) -> Result<Vec<Picture>, VideoError> {
        let change = match self.state.di_enable {
            true => Change::All,
            false => Change::Luma,
        };
        let (frame, original) = frame::video(picture, change)?;
        let made = self.run(&self.state, &frame)?;
        let kept = if self.state.dn_enable {
            &made.denoised
        } else {
            &frame
        };
        self.past = Some(Past {
            frame: surface(kept)?,
            statistics: statistics(&frame, Some(&made.statistics))?,
        });
        let whole = match self.state.di_enable {
            true => made.second.into_iter().chain(made.first).collect(),
            false => vec![made.denoised],
        };
        whole.iter().map(|made| original.back(made)).collect()
    }

    /// The frame of the last field: the last frame followed by itself. Nothing is learnt of motion by that, so
    /// motion stays what it was.
    ///
    /// # Errors
    /// As [`Fields::push`].
    pub fn finish(&mut self, last: &Picture) -> Result<Option<Picture>, VideoError> {
        if !self.state.di_enable || self.past.is_none() {
            return Ok(None);
        }
        let (frame, original) = frame::video(last, Change::All)?;
        let state = DeinterlaceState {
            // No change at all is below the threshold, where this constant keeps motion as it is.
            trc_select: false,
            trc_small: u8::MAX,
            ..self.state.clone()
        };
        let second = self.run(&state, &frame)?.second;
        second.map(|made| original.back(&made)).transpose()
    }

    fn run(&self, state: &DeinterlaceState, picture: &Picture) -> Result<Made, VideoError> {
        let (width, height) = (picture.width, picture.height);
        let current = surface(picture)?;
        let state = DeinterlaceState {
            first_frame: self.past.is_none(),
            ..state.clone()
        };
        let inputs = Inputs {
            current: &current,
            previous: self.past.as_ref().map(|p| &p.frame),
            statistics: self.past.as_ref().map(|p| &p.statistics),
        };
        // Read and denoised once; then one message a block, bands of blocks shared among the cores.
        let frame =
            DenoisedPart::frame(&state, &inputs, self.stop.flag()).map_err(|e| match e {
                DeinterlaceError::Halted => VideoError::Stopped,
                other => VideoError::wrong(other.to_string()),
            })?;
        let rows = block::rows(&state) as u32;
        let tops: Vec<u32> = (0..height).step_by(rows as usize).collect();
        let band = |&y: &u32| Band::new(&frame, picture, (y, rows.min(height - y)), &self.stop);
        let bands: Result<Vec<Band>, VideoError> = match pool() {
            Some(pool) => pool.install(|| tops.par_iter().map(band).collect()),
            None => tops.iter().map(band).collect(),
        };
        let bands = bands?;
        let mut denoised = picture.clone();
        denoised.planes[0].clear();
        // Made frames have chroma in every row; without fields it is the frame's own.
        let whole = |made: fn(&Band) -> Option<&Picture>| -> Option<Picture> {
            let first = made(bands.first()?)?;
            let made: Vec<&Picture> = bands.iter().filter_map(made).collect();
            let plane = |n: usize| {
                let rows: Vec<&[u8]> = made.iter().map(|band| &band.planes[n][..]).collect();
                rows.concat()
            };
            let whole = Picture {
                height,
                planes: (0..first.planes.len()).map(plane).collect(),
                ..*first
            };
            Some(whole.resampled(picture.sampling, Range::Video))
        };
        let second = whole(|band| band.second.as_ref());
        let first = whole(|band| band.first.as_ref());
        for band in &bands {
            denoised.planes[0].extend_from_slice(&band.denoised);
        }
        Ok(Made {
            second,
            first,
            denoised,
            statistics: records(&bands, (width, height), rows),
        })
    }
}

/// What the blocks of a row of blocks give.
struct Band {
    second: Option<Picture>,
    first: Option<Picture>,
    /// Luma.
    denoised: Vec<u8>,
    /// Motion of each row, and history of each row of 4x4 blocks.
    motion: Vec<Vec<u8>>,
    history: Vec<Vec<u8>>,
}

impl Band {
    /// The messages of the blocks from row `y` on, of which so many rows lie inside.
    fn new(
        frame: &DenoisedPart,
        picture: &Picture,
        (y, rows): (u32, u32),
        stop: &Stop,
    ) -> Result<Band, VideoError> {
        let width = picture.width;
        let full = match picture.sampling {
            Sampling::S420 => Sampling::S422,
            sampling => sampling,
        };
        let empty = || Picture::new(width, rows, full);
        let mut made = Band {
            second: None,
            first: None,
            denoised: vec![0; width as usize * rows as usize],
            motion: vec![Vec::new(); 4],
            history: vec![Vec::new(); 2],
        };
        for x in (0..width).step_by(block::WIDTH) {
            stop.check()?;
            let block = frame.block((x, y));
            luma(&mut made.denoised, width, &block.denoised, x);
            if frame.makes_frames() {
                let parts = [
                    (&mut made.second, block.previous.as_ref()),
                    (&mut made.first, Some(&block.current)),
                ];
                for (picture, samples) in parts {
                    let Some(samples) = samples else { continue };
                    let picture = match picture {
                        Some(picture) => picture,
                        none => none.insert(empty()?),
                    };
                    put(picture, samples, x);
                }
            }
            for (row, pairs) in made.motion.iter_mut().zip(&block.stmm) {
                row.extend_from_slice(pairs);
            }
            for (row, codes) in made.history.iter_mut().zip(&block.statistics.history) {
                row.extend_from_slice(codes);
            }
        }
        Ok(made)
    }
}

/// Puts the columns of a block that lie inside into rows of luma.
fn luma(rows: &mut [u8], width: u32, samples: &Samples, x: u32) {
    for (row, codes) in rows.chunks_mut(width as usize).zip(&samples.luma) {
        let inside = &mut row[x as usize..];
        let columns = inside.len().min(block::WIDTH);
        inside[..columns].copy_from_slice(&codes[..columns]);
    }
}

/// Puts the part of a block that lies inside into a band; chroma too, if it has any.
fn put(band: &mut Picture, samples: &Samples, x: u32) {
    let half = band.width.div_ceil(2) as usize;
    let [y, chroma @ ..] = &mut band.planes[..] else {
        return;
    };
    luma(y, band.width, samples, x);
    for (k, plane) in chroma.iter_mut().enumerate() {
        for (row, pairs) in plane.chunks_mut(half).zip(&samples.chroma) {
            for (out, pair) in row[x as usize / 2..].iter_mut().zip(pairs) {
                *out = pair[k];
            }
        }
    }
}

/// Bytes from row to row of the statistics, and where history begins: half of that.
fn pitch(width: u32) -> u32 {
    2 * width.div_ceil(2).next_multiple_of(16)
}

/// Motion at (X/2, Y) and history at half the pitch plus X/4, row Y/4, of bands of so many rows.
fn records(bands: &[Band], (width, height): (u32, u32), rows: u32) -> Vec<u8> {
    let pitch = pitch(width) as usize;
    let mut bytes = vec![0; pitch * height as usize];
    let mut lines: Vec<&mut [u8]> = bytes.chunks_mut(pitch).collect();
    let rows = rows as usize;
    for (n, band) in bands.iter().enumerate() {
        for (line, motion) in lines.iter_mut().skip(rows * n).zip(&band.motion) {
            // History has the right half to itself.
            let columns = motion.len().min(pitch / 2);
            line[..columns].copy_from_slice(&motion[..columns]);
        }
        let history = band.history.iter().take(rows / 4);
        for (line, history) in lines.iter_mut().skip(rows * n / 4).zip(history) {
            let right = &mut line[pitch / 2..];
            let columns = history.len().min(right.len());
            right[..columns].copy_from_slice(&history[..columns]);
        }
    }
    bytes
}

fn statistics(picture: &Picture, bytes: Option<&[u8]>) -> Result<Surface, VideoError> {
    let pitch = pitch(picture.width);
    let description = Description {
        pitch,
        ..Description::d2(Format::R8_UNORM, pitch, picture.height)
    };
    let surface = Surface::zeroed(description).map_err(|e| VideoError::wrong(e.to_string()))?;
    if let Some(bytes) = bytes {
        surface.memory().write(0, bytes);
    }
    Ok(surface)
}

/// A frame as a surface of the media sampler.
fn surface(picture: &Picture) -> Result<Surface, VideoError> {
    let (width, height) = (picture.width, picture.height);
    let (format, half_pitch) = match picture.sampling {
        Sampling::S420 => (Format::PLANAR_420_8, true),
        Sampling::S422 => (Format::PLANAR_422_8, true),
        _ => (Format::Y8_UNORM, false),
    };
    let rows = match picture.sampling {
        Sampling::S420 => height / 2,
        _ => height,
    };
    let planes = half_pitch.then_some(Planes {
        interleaved: false,
        half_pitch,
        // Rows of the chroma pitch.
        u: (0, 2 * height),
        v: (0, 2 * height + rows),
        offset_v: 0,
        offset_u: 0,
    });
    let description = Description {
        pitch: width,
        planes,
        ..Description::d2(format, width, height)
    };
    let bytes: Vec<u8> = picture.planes.concat();
    Surface::new(description, Arc::new(Memory::from_bytes(&bytes)))
        .map_err(|e| VideoError::wrong(e.to_string()))
}
