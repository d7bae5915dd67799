//! Raw frames: bytes without a header, one frame after the other.

use super::picture::{Picture, Sampling};

/// How raw frames lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Raw {
    /// Y, then Cb, then Cr.
    I420,
    /// Y, then pairs of Cb and Cr.
    Nv12,
    /// Y Cb Y Cr.
    Yuy2,
    /// Y only.
    Grey,
}

impl Raw {
    /// The names on the command line.
    pub const NAMES: [(&'static str, Raw); 4] = [
        ("i420", Raw::I420),
        ("nv12", Raw::Nv12),
        ("yuy2", Raw::Yuy2),
        ("grey", Raw::Grey),
    ];

    /// The planes that frames have.
    pub const fn sampling(self) -> Sampling {
        match self {
            Raw::I420 | Raw::Nv12 => Sampling::S420,
            Raw::Yuy2 => Sampling::S422,
            Raw::Grey => Sampling::Grey,
        }
    }

    /// The planes of a frame's bytes.
    pub fn split(self, bytes: &[u8], picture: &mut Picture) {
        let mut rest = bytes;
        match self {
            Raw::I420 | Raw::Grey => {
                for plane in &mut picture.planes {
                    let (part, after) = rest.split_at(plane.len());
                    plane.copy_from_slice(part);
                    rest = after;
                }
            }
            Raw::Nv12 => {
                let (luma, pairs) = rest.split_at(picture.planes[0].len());
                picture.planes[0].copy_from_slice(luma);
                for (i, pair) in pairs.as_chunks::<2>().0.iter().enumerate() {
                    (picture.planes[1][i], picture.planes[2][i]) = (pair[0], pair[1]);
                }
            }
            Raw::Yuy2 => {
                for (i, &[y0, cb, y1, cr]) in bytes.as_chunks::<4>().0.iter().enumerate() {
                    (picture.planes[0][2 * i], picture.planes[0][2 * i + 1]) = (y0, y1);
                    (picture.planes[1][i], picture.planes[2][i]) = (cb, cr);
                }
            }
        }
    }

    /// The bytes of a frame.
    pub fn join(self, picture: &Picture) -> Vec<u8> {
        let planes = &picture.planes;
        match self {
            Raw::I420 | Raw::Grey => planes.concat(),
            Raw::Nv12 => {
                let pairs = planes[1]
                    .iter()
                    .zip(&planes[2])
                    .flat_map(|(&cb, &cr)| [cb, cr]);
                planes[0].iter().copied().chain(pairs).collect()
            }
            Raw::Yuy2 => {
                let chroma = planes[1].iter().zip(&planes[2]);
                let luma = planes[0].as_chunks::<2>().0;
                luma.iter()
                    .zip(chroma)
                    .flat_map(|(&[a, b], (&cb, &cr))| [a, cb, b, cr])
                    .collect()
            }
        }
    }
}
