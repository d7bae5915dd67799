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

use super::VideoError;
use super::colour::Range;
use super::frame::{self, Change};
use super::picture::{Picture, Sampling};
use crate::sampler::deinterlace::DeinterlaceState;
use crate::sampler::deinterlace::block::{self, Block, Inputs};
use crate::surface::{Description, Format, Memory, Planes, Surface};
use rayon::prelude::*;
use std::sync::Arc;

/// A stream of frames whose fields or noise are taken care of.
pub struct Fields {
    state: DeinterlaceState,
    past: Option<Past>,
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
    first: Picture,
    denoised: Picture,
    statistics: Vec<u8>,
}

impl Fields {
    /// A stream; `state` says what is done.
    pub fn new(state: DeinterlaceState) -> Fields {
        Fields { state, past: None }
    }

    /// The frames that a frame completes: with deinterlacing those of the second field before it and of its
    /// first field, else the frame, denoised.
    ///
    /// # Errors
    /// A frame that is not like the one before.
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
            true => made.second.into_iter().chain([made.first]).collect(),
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
        let rows = block::rows(&state) as u32;
        let tops: Vec<u32> = (0..height).step_by(rows as usize).collect();
        // One message a block; bands of blocks are shared among the cores.
        let bands: Result<Vec<Vec<Block>>, _> = tops
            .par_iter()
            .map(|&y| {
                let lefts = (0..width).step_by(block::WIDTH);
                lefts
                    .map(|x| block::block(&state, &inputs, (x, y)))
                    .collect()
            })
            .collect();
        let bands = bands.map_err(|e| VideoError::wrong(e.to_string()))?;
        // Made frames have chroma in every row; without fields it is the frame's own.
        let full = match picture.sampling {
            Sampling::S420 => Sampling::S422,
            sampling => sampling,
        };
        let mut denoised = picture.clone();
        let mut first = Picture::new(width, height, full)?;
        let mut second = match state.first_frame {
            true => None,
            false => Some(Picture::new(width, height, full)?),
        };
        let mut statistics = Vec::new();
        for (band, &y) in bands.iter().zip(&tops) {
            for (block, x) in band.iter().zip((0..width).step_by(block::WIDTH)) {
                let at = (x, y);
                put(&mut denoised, &block.denoised, at, rows, false);
                if state.di_enable {
                    put(&mut first, &block.current, at, rows, true);
                    if let (Some(second), Some(samples)) = (&mut second, &block.previous) {
                        put(second, samples, at, rows, true);
                    }
                }
                record(&mut statistics, block, at, (width, height), rows);
            }
        }
        let back = |made: Picture| made.resampled(picture.sampling, Range::Video);
        Ok(Made {
            second: second.map(back),
            first: back(first),
            denoised,
            statistics,
        })
    }
}

/// Puts the part of a block that lies inside into a frame; `chroma` too, if asked.
fn put(frame: &mut Picture, samples: &block::Samples, (x, y): (u32, u32), rows: u32, chroma: bool) {
    let (width, height) = (frame.width as usize, frame.height);
    let (x, half) = (x as usize, width.div_ceil(2));
    for row in 0..rows.min(height - y) {
        let line = (y + row) as usize;
        let columns = (width - x).min(block::WIDTH);
        let luma = &samples.luma[row as usize][..columns];
        frame.planes[0][line * width + x..][..columns].copy_from_slice(luma);
        if chroma && frame.planes.len() == 3 {
            for (i, pair) in samples.chroma[row as usize].iter().enumerate() {
                let column = x / 2 + i;
                if column < half {
                    frame.planes[1][line * half + column] = pair[0];
                    frame.planes[2][line * half + column] = pair[1];
                }
            }
        }
    }
}

/// Bytes from row to row of the statistics, and where history begins: half of that.
fn pitch(width: u32) -> u32 {
    2 * width.div_ceil(2).next_multiple_of(16)
}

/// Writes motion at (X/2, Y) and history at half the pitch plus X/4, row Y/4.
fn record(
    bytes: &mut Vec<u8>,
    block: &Block,
    (x, y): (u32, u32),
    (width, height): (u32, u32),
    rows: u32,
) {
    let pitch = pitch(width) as usize;
    bytes.resize(pitch * height as usize, 0);
    let mut put = |column: u32, row: u32, code: u8| {
        if (column as usize) < pitch && row < height {
            bytes[row as usize * pitch + column as usize] = code;
        }
    };
    for (row, pairs) in (y..).zip(&block.stmm) {
        for (column, &code) in (x / 2..).zip(pairs) {
            // History has the right half to itself.
            if column < pitch as u32 / 2 {
                put(column, row, code);
            }
        }
    }
    for (row, codes) in (y / 4..)
        .zip(&block.statistics.history)
        .take(rows as usize / 4)
    {
        for (column, &code) in (x / 4..).zip(codes) {
            put(pitch as u32 / 2 + column, row, code);
        }
    }
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
