//! Files of frames: Y4M, raw bytes, numbered PNG pictures.
//!
//! A file that is written has another name until it is complete, and holds whole frames only.

mod ahead;
mod header;
mod pictures;
mod reader;
mod writer;

pub use ahead::Ahead;
pub use pictures::Draft;
pub use reader::Reader;
pub use writer::{Writer, same};

use super::VideoError;
use super::colour::Range;
use super::picture::{Depth, Sampling};
use super::raw::Raw;
use super::scale::Siting;
use std::path::Path;

/// The name of the standard input and of the standard output.
pub const STANDARD: &str = "-";

/// What a stream of frames is, beside its frames.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Columns and rows.
    pub size: (u32, u32),
    /// Planes.
    pub sampling: Sampling,
    /// Bits of a code.
    pub depth: Depth,
    /// Frames in a time: so many in so many seconds.
    pub rate: (u32, u32),
    /// Frames, if their number is known.
    pub frames: Option<u64>,
    /// When rows were taken.
    pub scan: Scan,
    /// Width of a pixel to its height, if that is known.
    pub aspect: Option<(u32, u32)>,
    /// The name of the planes in a Y4M header: where chroma lies.
    pub colours: Option<y4m::Colorspace>,
    /// Further words of a Y4M header, without their X.
    pub extensions: Vec<Vec<u8>>,
}

impl Kind {
    /// Frames of a size, 25 a second, and nothing known beside.
    pub fn new(size: (u32, u32), sampling: Sampling) -> Kind {
        Kind {
            size,
            sampling,
            depth: Depth::Eight,
            rate: (25, 1),
            frames: None,
            scan: Scan::Unknown,
            aspect: None,
            colours: None,
            extensions: Vec::new(),
        }
    }

    /// What codes stand for.
    pub fn range(&self) -> Range {
        let full = |word: &Vec<u8>| word == b"COLORRANGE=FULL";
        match self.extensions.iter().any(full) {
            true => Range::Full,
            false => Range::Video,
        }
    }

    /// Where chroma of 4:2:0 lies, by the name of the planes. Nothing said is what most programs take it for:
    /// between four pixels.
    pub fn siting(&self) -> Siting {
        match self.colours {
            Some(y4m::Colorspace::C420mpeg2) => Siting::Left,
            // Rows of Cb and Cr that alternate are taken for rows of both.
            Some(y4m::Colorspace::C420paldv) => Siting::Corner,
            _ => Siting::Centre,
        }
    }

    /// The stream of the same pictures in frames of another size.
    pub fn scaled(mut self, (width, height): (u32, u32)) -> Kind {
        let (from_width, from_height) = self.size;
        self.aspect = self.aspect.and_then(|(across, down)| {
            // The picture keeps its shape: pixels are wider as there are fewer in a row.
            let across = u64::from(across) * u64::from(from_width) * u64::from(height);
            let down = u64::from(down) * u64::from(width) * u64::from(from_height);
            let least = common_divisor(across, down);
            let small = |n: u64| u32::try_from(n / least).ok();
            small(across).zip(small(down))
        });
        if height != from_height && self.scan.has_fields() {
            self.scan = Scan::Unknown;
        }
        self.size = (width, height);
        self
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a.max(1),
        b => common_divisor(b, a % b),
    }
}

/// When the rows of a frame were taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scan {
    /// Nothing is said.
    #[default]
    Unknown,
    /// All at once.
    Progressive,
    /// Rows 0, 2, … first.
    TopFirst,
    /// Rows 1, 3, … first.
    BottomFirst,
    /// Each frame says for itself.
    Mixed,
}

impl Scan {
    const LETTERS: [(u8, Scan); 4] = [
        (b'p', Scan::Progressive),
        (b't', Scan::TopFirst),
        (b'b', Scan::BottomFirst),
        (b'm', Scan::Mixed),
    ];

    /// The value of an I field.
    fn of(value: &[u8]) -> Option<Scan> {
        match value {
            b"?" => Some(Scan::Unknown),
            &[letter] => Scan::LETTERS
                .iter()
                .find(|row| row.0 == letter)
                .map(|row| row.1),
            _ => None,
        }
    }

    fn letter(self) -> Option<u8> {
        let row = Scan::LETTERS.iter().find(|row| row.1 == self);
        row.map(|row| row.0)
    }

    /// Whether the two fields of a frame were taken at two times.
    pub fn has_fields(self) -> bool {
        matches!(self, Scan::TopFirst | Scan::BottomFirst | Scan::Mixed)
    }
}

/// The raw kind that a file is named after: `clip.nv12`.
pub fn raw_by_name(path: &Path) -> Option<Raw> {
    let extension = extension(path);
    let row = Raw::NAMES.iter().find(|(name, _)| *name == extension);
    row.map(|row| row.1)
}

/// Raw frames with chroma have even sides: their bytes alone do not tell how odd ones would be rounded.
fn check_sides(sampling: Sampling, (width, height): (u32, u32)) -> Result<(), VideoError> {
    let odd = match sampling {
        Sampling::Grey => false,
        Sampling::S422 => width % 2 == 1,
        _ => (width | height) % 2 == 1,
    };
    if odd {
        return Err(VideoError::wrong(format!(
            "raw frames with chroma have even sides, not {width}x{height}; .y4m takes any"
        )));
    }
    Ok(())
}

fn extension(path: &Path) -> String {
    let extension = path.extension().and_then(|e| e.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}
