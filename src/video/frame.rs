//! Frames as the `deinterlace` message reads them, whatever they were, and back.
//!
//! ```text
//!  R, G, B, A ─▶ Y, Cb, Cr over the whole range of bytes ─▶ 4:2:2 ┐
//!  4:4:4 ──────────────────────────────────────────────────▶ 4:2:2 ├─ even sides ─▶ messages ─▶ the same backwards
//!  4:2:0, 4:2:2, grey ──────────────────────────────────────────────┘
//! ```
//!
//! Where only luma is changed, chroma stays that of the original, and R, G and B change as luma does. Made of fields,
//! chroma of 4:4:4 and of colours is halved across, as in all video that this message reads. Source: PRM 4.10.2.2
//! for the formats and their even sides.

use super::VideoError;
use super::colour::Range;
use super::picture::{Picture, Sampling};

/// What messages change of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Luma: noise is taken away.
    Luma,
    /// All: another frame is made.
    All,
}

/// What a frame was.
pub struct Original<'a> {
    picture: &'a Picture,
    change: Change,
}

/// The frame that messages read instead of `picture`, and the way back.
///
/// # Errors
/// A side beyond what a frame may have.
pub fn video(picture: &Picture, change: Change) -> Result<(Picture, Original<'_>), VideoError> {
    let frame = match picture.sampling {
        Sampling::Rgba | Sampling::S444 => picture.clone().resampled(Sampling::S422, Range::Full),
        _ => picture.clone(),
    };
    let chroma = frame.sampling != Sampling::Grey;
    let even = |side: u32| {
        if chroma {
            side.next_multiple_of(2)
        } else {
            side
        }
    };
    let size = (even(frame.width), even(frame.height));
    Ok((resized(&frame, size)?, Original { picture, change }))
}

impl Original<'_> {
    /// A frame that messages made of such frames, as the original was.
    ///
    /// # Errors
    /// As [`video`].
    pub fn back(&self, made: &Picture) -> Result<Picture, VideoError> {
        let original = self.picture;
        let mut made = resized(made, (original.width, original.height))?;
        match (original.sampling, self.change) {
            (Sampling::S420 | Sampling::S422 | Sampling::Grey, _) => {}
            (Sampling::S444, Change::Luma) => {
                made = Picture {
                    planes: made.planes.into_iter().take(1).collect(),
                    sampling: Sampling::S444,
                    ..made
                };
                made.planes.extend_from_slice(&original.planes[1..]);
            }
            (Sampling::S444, Change::All) => {
                made = made.resampled(Sampling::S444, Range::Full);
            }
            (Sampling::Rgba, Change::Luma) => return Ok(brightened(original, &made.planes[0])),
            (Sampling::Rgba, Change::All) => {
                made = made.resampled(Sampling::Rgba, Range::Full);
                // Alpha is not a part of video.
                let alpha = original.planes[0].iter().skip(3).step_by(4);
                let places = made.planes[0].iter_mut().skip(3).step_by(4);
                places.zip(alpha).for_each(|(out, &alpha)| *out = alpha);
            }
        }
        Ok(made)
    }
}

/// Colours of another luma: with Cb and Cr unchanged, R, G and B move by as much as Y.
fn brightened(original: &Picture, luma: &[u8]) -> Picture {
    let mut made = original.clone();
    let (texels, _) = made.planes[0].as_chunks_mut::<4>();
    for (texel, &luma) in texels.iter_mut().zip(luma) {
        let [r, g, b, alpha] = *texel;
        let [before, ..] = Range::Full.ycc([r, g, b]);
        let moved = |code: u8| {
            let code = i16::from(code) + i16::from(luma) - i16::from(before);
            code.clamp(0, 255) as u8
        };
        *texel = [moved(r), moved(g), moved(b), alpha];
    }
    made
}

/// The frame with rows and columns cut away, or the last ones repeated.
fn resized(frame: &Picture, (width, height): (u32, u32)) -> Result<Picture, VideoError> {
    if (width, height) == (frame.width, frame.height) {
        return Ok(frame.clone());
    }
    let mut made = Picture::new(width, height, frame.sampling)?;
    let from = frame.sampling.planes(frame.width, frame.height);
    let to = frame.sampling.planes(width, height);
    for (n, plane) in made.planes.iter_mut().enumerate() {
        let (columns, rows) = (from[n].0 as usize, from[n].1 as usize);
        for (y, out) in plane.chunks_mut(to[n].0 as usize).enumerate() {
            let row = &frame.planes[n][y.min(rows - 1) * columns..][..columns];
            for (x, out) in out.iter_mut().enumerate() {
                *out = row[x.min(columns - 1)];
            }
        }
    }
    Ok(made)
}
