//! Frames as the `deinterlace` message reads them, whatever they were, and back.
//!
//! ```text
//!  R, G, B, A ─▶ Y, Cb, Cr over the whole range of bytes ─▶ 4:2:2 ┐
//!  4:4:4 ──────────────────────────────────────────────────▶ 4:2:2 ├─ even sides ─▶ messages ─▶ the same backwards
//!  4:2:0, 4:2:2, grey ──────────────────────────────────────────────┘
//! ```
//!
//! Grey pictures come back as they went in; of coloured ones chroma is halved across, as in all video that this
//! message reads. Source: PRM 4.10.2.2 for the formats and their even sides.

use super::VideoError;
use super::picture::{Picture, Sampling};

/// What was done to a frame.
pub struct Original {
    width: u32,
    height: u32,
    sampling: Sampling,
    /// Of pictures in R, G, B, A: alpha is no part of video.
    alpha: Vec<u8>,
}

/// The frame that messages read instead of `picture`, and the way back.
///
/// # Errors
/// A side beyond what a frame may have.
pub fn video(picture: &Picture) -> Result<(Picture, Original), VideoError> {
    let original = Original {
        width: picture.width,
        height: picture.height,
        sampling: picture.sampling,
        alpha: match picture.sampling {
            Sampling::Rgba => picture.planes[0]
                .iter()
                .copied()
                .skip(3)
                .step_by(4)
                .collect(),
            _ => Vec::new(),
        },
    };
    let frame = match picture.sampling {
        Sampling::Rgba => halved(&ycc(picture)?)?,
        Sampling::S444 => halved(picture)?,
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
    Ok((resized(&frame, size)?, original))
}

impl Original {
    /// A frame that messages made of such frames, as the original was.
    ///
    /// # Errors
    /// As [`video`].
    pub fn back(&self, made: &Picture) -> Result<Picture, VideoError> {
        let made = resized(made, (self.width, self.height))?;
        match self.sampling {
            Sampling::Rgba => self.rgba(&doubled(&made)?),
            Sampling::S444 => doubled(&made),
            _ => Ok(made),
        }
    }

    /// R, G, B of a 4:4:4 frame with the alpha of the original.
    fn rgba(&self, made: &Picture) -> Result<Picture, VideoError> {
        let mut picture = Picture::new(made.width, made.height, Sampling::Rgba)?;
        let [y, cb, cr] = &made.planes[..] else {
            return Ok(picture);
        };
        let pixels = y.iter().zip(cb).zip(cr).zip(&self.alpha);
        let (texels, _) = picture.planes[0].as_chunks_mut::<4>();
        for (texel, (((&y, &cb), &cr), &alpha)) in texels.iter_mut().zip(pixels) {
            let (y, cb, cr) = (256 * i32::from(y), i32::from(cb) - 128, i32::from(cr) - 128);
            let code = |value: i32| ((value + 128) >> 8).clamp(0, 255) as u8;
            let green = code(y - 88 * cb - 183 * cr);
            *texel = [code(y + 359 * cr), green, code(y + 454 * cb), alpha];
        }
        Ok(picture)
    }
}

/// 4:4:4 of a picture in R, G, B: BT.601 over the whole range, in 1/256. Grey has chroma 128 and keeps its code.
fn ycc(picture: &Picture) -> Result<Picture, VideoError> {
    let mut frame = Picture::new(picture.width, picture.height, Sampling::S444)?;
    for (i, [r, g, b]) in picture.rgb().into_iter().enumerate() {
        let [r, g, b] = [r, g, b].map(i32::from);
        let code = |value: i32| ((value + 128) >> 8).clamp(0, 255) as u8;
        frame.planes[0][i] = code(77 * r + 150 * g + 29 * b);
        frame.planes[1][i] = code(128 * 256 - 43 * r - 85 * g + 128 * b);
        frame.planes[2][i] = code(128 * 256 + 128 * r - 107 * g - 21 * b);
    }
    Ok(frame)
}

/// 4:2:2 of a 4:4:4 frame: each pair of columns is averaged.
fn halved(frame: &Picture) -> Result<Picture, VideoError> {
    let mut half = Picture::new(frame.width, frame.height, Sampling::S422)?;
    half.planes[0].clone_from(&frame.planes[0]);
    let width = frame.width as usize;
    for plane in 1..3 {
        let rows = frame.planes[plane].chunks(width);
        let pairs = rows.flat_map(|row| row.chunks(2));
        for (out, pair) in half.planes[plane].iter_mut().zip(pairs) {
            let sum: u16 = pair.iter().copied().map(u16::from).sum();
            *out = (sum.div_ceil(pair.len() as u16)) as u8;
        }
    }
    Ok(half)
}

/// 4:4:4 of a 4:2:2 frame: each column of chroma is shown twice.
fn doubled(frame: &Picture) -> Result<Picture, VideoError> {
    let mut whole = Picture::new(frame.width, frame.height, Sampling::S444)?;
    whole.planes[0].clone_from(&frame.planes[0]);
    let width = frame.width as usize;
    for plane in 1..3 {
        let rows = frame.planes[plane].chunks(width.div_ceil(2));
        for (out, row) in whole.planes[plane].chunks_mut(width).zip(rows) {
            for (out, &code) in out.chunks_mut(2).zip(row) {
                out.fill(code);
            }
        }
    }
    Ok(whole)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, sampling: Sampling, code: impl Fn(usize) -> u8) -> Picture {
        let mut picture = Picture::new(width, height, sampling).unwrap();
        for plane in &mut picture.planes {
            plane
                .iter_mut()
                .enumerate()
                .for_each(|(i, out)| *out = code(i));
        }
        picture
    }

    #[test]
    fn grey_pictures_and_video_come_back_as_they_went_in() {
        let grey = |i: usize| {
            if i % 4 == 3 {
                200 + (i % 50) as u8
            } else {
                (i / 4 * 7) as u8
            }
        };
        for (sampling, code) in [
            (Sampling::Rgba, &grey as &dyn Fn(usize) -> u8),
            (Sampling::S420, &|i| i as u8),
            (Sampling::S422, &|i| i as u8),
            (Sampling::Grey, &|i| i as u8),
        ] {
            for (width, height) in [(1, 1), (5, 3), (6, 4), (1, 6)] {
                let picture = picture(width, height, sampling, code);
                let (frame, original) = video(&picture).unwrap();
                if sampling != Sampling::Grey {
                    assert_eq!((frame.width % 2, frame.height % 2), (0, 0));
                }
                assert_eq!(
                    original.back(&frame).unwrap(),
                    picture,
                    "{sampling:?} {width}x{height}"
                );
            }
        }
    }

    #[test]
    fn colours_come_back_nearly() {
        // Pure red: Y = 77 * 255 / 256 = 77, Cr = 128 + 128 * 255 / 256 = 256, held at 255.
        let red = picture(
            2,
            1,
            Sampling::Rgba,
            |i| if i % 4 % 3 == 0 { 255 } else { 0 },
        );
        let (frame, original) = video(&red).unwrap();
        let codes: Vec<u8> = frame.planes.iter().map(|plane| plane[0]).collect();
        assert_eq!(codes, [77, 85, 255]);
        // 77 + 359 * 127 / 256 = 255; 77 + (88 * 43 - 183 * 127) / 256 = 1; 77 - 454 * 43 / 256 = 1.
        assert_eq!(
            original.back(&frame).unwrap().planes[0][..4],
            [255, 1, 1, 255]
        );
    }
}
