//! The same picture in other planes.
//!
//! ```text
//!  R, G, B, A ◀─ colours ─▶ 4:4:4 ◀─ columns ─▶ 4:2:2 ◀─ rows ─▶ 4:2:0        grey: luma alone
//! ```
//!
//! A step to the right averages pairs of chroma, one to the left shows each twice.

use super::colour::Range;
use super::picture::{Picture, Sampling};

/// Chroma of what has no colour.
const NO_COLOUR: u8 = 128;

impl Picture {
    /// The same picture with the planes of `to`; `range` says what codes stand for. Grey pictures keep their codes
    /// in R, G and B. What becomes R, G, B, A is opaque.
    pub fn resampled(mut self, to: Sampling, range: Range) -> Picture {
        use Sampling::{Grey, Rgba, S420, S422, S444};
        // Each step is one of the picture above, towards `to`.
        while self.sampling != to {
            self = match (self.sampling, to) {
                (Grey, Rgba) => self.changed(Rgba, |planes, _| {
                    let texels = planes[0].iter().flat_map(|&code| [code, code, code, 255]);
                    vec![texels.collect()]
                }),
                (Grey, _) => {
                    let sizes = to.planes(self.width, self.height);
                    self.changed(to, |mut planes, _| {
                        let chroma = sizes.iter().skip(1);
                        planes
                            .extend(chroma.map(|&(w, h)| vec![NO_COLOUR; w as usize * h as usize]));
                        planes
                    })
                }
                (Rgba, _) => self.changed(S444, |planes, _| {
                    let (texels, _) = planes[0].as_chunks::<4>();
                    let codes: Vec<[u8; 3]> = texels
                        .iter()
                        .map(|&[r, g, b, _]| range.ycc([r, g, b]))
                        .collect();
                    let plane = |i: usize| codes.iter().map(|codes| codes[i]).collect();
                    vec![plane(0), plane(1), plane(2)]
                }),
                (_, Grey) => self.changed(Grey, |mut planes, _| {
                    planes.truncate(1);
                    planes
                }),
                (S444, Rgba) => self.changed(Rgba, |planes, _| {
                    let pixels = planes[0].iter().zip(&planes[1]).zip(&planes[2]);
                    let texels = pixels.flat_map(|((&y, &cb), &cr)| {
                        let [r, g, b] = range.rgb([y, cb, cr]);
                        [r, g, b, 255]
                    });
                    vec![texels.collect()]
                }),
                (S444, _) => self.changed(S422, |planes, width| {
                    chroma(planes, |plane| {
                        plane
                            .chunks(width)
                            .flat_map(|row| row.chunks(2))
                            .map(mean)
                            .collect()
                    })
                }),
                (S422, S420) => self.changed(S420, |planes, width| {
                    let stride = width.div_ceil(2);
                    chroma(planes, |plane| {
                        let pairs = plane.chunks(2 * stride);
                        let rows = pairs.flat_map(|pair| {
                            let (a, b) = pair.split_at(stride);
                            let b = if b.is_empty() { a } else { b };
                            a.iter().zip(b).map(|(&a, &b)| mean(&[a, b]))
                        });
                        rows.collect()
                    })
                }),
                (S422, _) => self.changed(S444, |planes, width| {
                    chroma(planes, |plane| {
                        let rows = plane.chunks(width.div_ceil(2));
                        let twice = |row: &[u8]| -> Vec<u8> {
                            let codes = row.iter().flat_map(|&code| [code, code]);
                            codes.take(width).collect()
                        };
                        rows.flat_map(twice).collect()
                    })
                }),
                (S420, _) => {
                    let height = self.height as usize;
                    self.changed(S422, |planes, width| {
                        chroma(planes, |plane| {
                            let rows = plane.chunks(width.div_ceil(2));
                            let twice = rows.flat_map(|row| [row, row]);
                            twice.take(height).flatten().copied().collect()
                        })
                    })
                }
            };
        }
        self
    }

    /// Red, green and blue of every pixel.
    pub fn rgb(&self, range: Range) -> Vec<[u8; 3]> {
        let whole = self.clone().in_bytes().resampled(Sampling::Rgba, range);
        let (texels, _) = whole.planes[0].as_chunks::<4>();
        texels.iter().map(|&[r, g, b, _]| [r, g, b]).collect()
    }

    /// The picture with planes made of its own and its width.
    fn changed(
        self,
        sampling: Sampling,
        change: impl FnOnce(Vec<Vec<u8>>, usize) -> Vec<Vec<u8>>,
    ) -> Picture {
        Picture {
            sampling,
            planes: change(self.planes, self.width as usize),
            ..self
        }
    }
}

/// Luma as it is, and changed chroma.
fn chroma(planes: Vec<Vec<u8>>, change: impl Fn(&[u8]) -> Vec<u8>) -> Vec<Vec<u8>> {
    let planes = planes.into_iter().enumerate().map(|(i, plane)| match i {
        0 => plane,
        _ => change(&plane),
    });
    planes.collect()
}

/// The mean of one code or two.
fn mean(codes: &[u8]) -> u8 {
    let sum: u16 = codes.iter().copied().map(u16::from).sum();
    sum.div_ceil(codes.len() as u16) as u8
}
