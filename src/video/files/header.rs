//! The header line of a YUV4MPEG2 stream.
//!
//! ```text
//!  YUV4MPEG2 W720 H576 F25:1 Ib A64:45 C420mpeg2 XCOLORRANGE=FULL
//! ```
//!
//! The crate decodes sizes and frames. What it passes over is read and written here: the order of the fields, an
//! aspect of 1:1, vendor extensions; and what it takes without a look: sizes, rates and colours that make no sense.

use super::{Kind, Scan};
use crate::video::picture::{Depth, Sampling, check_size};
use std::io::BufRead;
use y4m::{Colorspace, Ratio};

/// The longest line that is taken for a header.
const MOST: usize = 1024;

/// Reads the header line, its end included.
///
/// # Errors
/// A stream that does not begin with one.
pub fn line(stream: &mut impl BufRead) -> Result<Vec<u8>, String> {
    let mut line = Vec::new();
    let mut bounded = std::io::Read::take(stream, MOST as u64);
    bounded
        .read_until(b'\n', &mut line)
        .map_err(|e| e.to_string())?;
    if !line.starts_with(b"YUV4MPEG2 ") || !line.ends_with(b"\n") {
        return Err(
            "is not a Y4M stream: it does not begin with YUV4MPEG2 and a line end".to_string(),
        );
    }
    Ok(line)
}

/// What a header line says of the frames.
///
/// # Errors
/// A field that makes no sense, or that visim does not read.
pub fn parse(line: &[u8]) -> Result<Kind, String> {
    let mut kind = Kind::new((0, 0), Sampling::S420);
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    if text.ends_with(b"\r") {
        return Err("the header ends in CR LF; its end is LF alone".to_string());
    }
    let mut given = Vec::new();
    for field in text.split(|&b| b == b' ').skip(1) {
        let Some((&name, value)) = field.split_first() else {
            continue;
        };
        let words = String::from_utf8_lossy(field);
        // Any number of extensions may be there, and comments of unknown fields.
        if b"WHFAIC".contains(&name) {
            if given.contains(&name) {
                return Err(format!("{words} is given twice over"));
            }
            given.push(name);
        }
        let value_text = String::from_utf8_lossy(value);
        let side = || {
            let side: Option<u32> = value_text.parse().ok();
            side.filter(|&side| check_size(side, side).is_ok())
                .ok_or_else(|| format!("{words} is not a width or height that visim reads"))
        };
        match name {
            b'W' => kind.size.0 = side()?,
            b'H' => kind.size.1 = side()?,
            b'F' => {
                kind.rate = ratio(value)
                    .filter(|&(frames, seconds)| frames > 0 && seconds > 0)
                    .ok_or_else(|| format!("{words} is not a frame rate; F25:1 is one"))?;
            }
            b'A' => {
                // 0:0 says that it is not known.
                kind.aspect = ratio(value)
                    .filter(|&(across, down)| (across > 0) == (down > 0))
                    .ok_or_else(|| format!("{words} is not a pixel aspect; A1:1 is one"))
                    .map(|aspect| Some(aspect).filter(|&(across, _)| across > 0))?;
            }
            b'I' => {
                kind.scan = Scan::of(value).ok_or_else(|| {
                    format!("{words} is not a kind of interlacing; Ip, It, Ib, Im and I? are")
                })?;
            }
            b'C' => {
                let colours = COLOURS.iter().find(|(name, _)| name.as_bytes() == value);
                let (_, colours) = colours.ok_or_else(|| {
                    let known: Vec<_> =
                        COLOURS.iter().map(|(name, _)| format!("C{name}")).collect();
                    format!("{words}: visim reads {}", known.join(", "))
                })?;
                kind.sampling = sampling(*colours);
                kind.depth = depth(*colours);
                kind.colours = Some(*colours);
            }
            b'X' => kind.extensions.push(value.to_vec()),
            _ => {}
        }
    }
    if kind.size.0 == 0 || kind.size.1 == 0 {
        return Err("the header gives no width or no height".to_string());
    }
    Ok(kind)
}

/// Two numbers as in `25:1`.
fn ratio(value: &[u8]) -> Option<(u32, u32)> {
    let Ratio { num, den } = Ratio::parse(value).ok()?;
    // Room to double it.
    let small = |n: usize| u32::try_from(n).ok().filter(|&n| n <= u32::MAX / 2);
    Some((small(num)?, small(den)?))
}

/// The colours that are read.
const COLOURS: [(&str, Colorspace); 10] = [
    ("mono", Colorspace::Cmono),
    ("420", Colorspace::C420),
    ("420jpeg", Colorspace::C420jpeg),
    ("420mpeg2", Colorspace::C420mpeg2),
    ("420paldv", Colorspace::C420paldv),
    ("422", Colorspace::C422),
    ("444", Colorspace::C444),
    ("420p10", Colorspace::C420p10),
    ("422p10", Colorspace::C422p10),
    ("444p10", Colorspace::C444p10),
];

fn depth(colours: Colorspace) -> Depth {
    match colours {
        Colorspace::C420p10 | Colorspace::C422p10 | Colorspace::C444p10 => Depth::Ten,
        _ => Depth::Eight,
    }
}

fn sampling(colours: Colorspace) -> Sampling {
    match colours {
        Colorspace::Cmono => Sampling::Grey,
        Colorspace::C422 | Colorspace::C422p10 => Sampling::S422,
        Colorspace::C444 | Colorspace::C444p10 => Sampling::S444,
        _ => Sampling::S420,
    }
}

/// The colours of a stream that is written; those of the input where planes are the same.
fn colours(kind: &Kind) -> Colorspace {
    match (kind.colours, kind.sampling) {
        (Some(colours), wanted) if sampling(colours) == wanted => colours,
        (_, Sampling::Grey) => Colorspace::Cmono,
        (_, Sampling::S420) => Colorspace::C420,
        (_, Sampling::S422) => Colorspace::C422,
        (_, Sampling::S444 | Sampling::Rgba) => Colorspace::C444,
    }
}

/// The crate's encoder for frames of `kind`; its header line is [`completed`].
///
/// # Errors
/// None: extensions come from a header, where spaces end them.
pub fn builder(kind: &Kind) -> Result<y4m::EncoderBuilder, y4m::Error> {
    let (width, height) = (kind.size.0 as usize, kind.size.1 as usize);
    let rate = Ratio::new(kind.rate.0 as usize, kind.rate.1 as usize);
    let mut builder = y4m::encode(width, height, rate).with_colorspace(colours(kind));
    for extension in &kind.extensions {
        let extension = y4m::VendorExtensionString::new(extension.clone())?;
        builder = builder.append_vendor_extension(extension);
    }
    Ok(builder)
}

/// The header line that the crate wrote, with the fields that it does not write after it.
pub fn completed(line: &[u8], kind: &Kind) -> Vec<u8> {
    let mut whole = line.strip_suffix(b"\n").unwrap_or(line).to_vec();
    if let Some(letter) = kind.scan.letter() {
        whole.extend([b' ', b'I', letter]);
    }
    if let Some((across, down)) = kind.aspect {
        whole.extend(format!(" A{across}:{down}").bytes());
    }
    whole.push(b'\n');
    whole
}
