//! Surfaces from files and to files: pictures (PNG, BMP, PNM), and plain rows (raw, NV12, P010, I420, YUY2 …).
//!
//! Sizes are checked before anything is decoded or allocated; a picture is written beside its target and
//! then renamed, so that no half-written file is ever seen.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use image::{ImageDecoder, ImageEncoder, ImageReader};

use super::texture::{is_texture, load_texture};
use super::{Description, Format, Invalid, MAX_BYTES, Picture, Planes, Surface};
use crate::diagnostic::Code;
use crate::files::Files;

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {what}")]
pub struct BadFile {
    /// The file.
    pub path: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: String,
    /// It may be fine, but is larger than visim reads.
    pub too_large: bool,
    /// The rule that the surface of it would break.
    pub rule: Option<Box<Invalid>>,
}

/// What to do about a file that is not there.
pub const CHECK_NAME: &str = "check the name: files of a program are searched next to it, those of an option in the current folder";

impl BadFile {
    pub(super) fn new(path: &Path, what: impl ToString, help: impl ToString) -> BadFile {
        BadFile {
            path: path.display().to_string(),
            what: what.to_string(),
            help: help.to_string(),
            too_large: false,
            rule: None,
        }
    }

    fn too_large(path: &Path, what: impl ToString, help: impl ToString) -> BadFile {
        BadFile {
            too_large: true,
            ..BadFile::new(path, what, help)
        }
    }

    /// A surface that cannot be made of the file: sizes and levels are what the file says.
    pub(super) fn invalid(path: &Path, why: Invalid) -> BadFile {
        let help = match why.code {
            Code::E0740 | Code::E0741 | Code::E0744 => {
                "the file itself says so: write it again, or use another"
            }
            _ => &why.help,
        };
        BadFile {
            too_large: why.too_large(),
            rule: Some(Box::new(why.clone())),
            ..BadFile::new(path, &why, help)
        }
    }
}

/// The most texels across or down.
const MAX_SIDE: u32 = 16384;

/// The kinds of plain file, their format, and what their first rows hold.
///
/// Names as the tools that make such files use them; the bytes are those of surface reference 2.4 and 3.8.
pub const PLAIN_KINDS: &[(&str, Format)] = &[
    ("raw", Format::R8_UNORM),
    ("nv12", Format::PLANAR_420_8),
    ("p010", Format::PLANAR_420_16),
    ("i420", Format::PLANAR_420_8),
    ("yv12", Format::PLANAR_420_8),
    ("yuy2", Format::YCRCB_NORMAL),
    ("yvyu", Format::YCRCB_SWAPUV),
    ("uyvy", Format::YCRCB_SWAPY),
    ("vyuy", Format::YCRCB_SWAPUVY),
];

/// The description of a plain file of this kind and size: format and planes; for `raw` the caller says the
/// format.
pub fn plain_description(kind: &str, width: u32, height: u32) -> Option<Description> {
    let &(name, format) = PLAIN_KINDS.iter().find(|row| row.0 == kind)?;
    let description = Description::d2(format, width, height);
    Some(match name {
        "i420" => Description {
            planes: Some(Planes::i420(height)),
            ..description
        },
        "yv12" => Description {
            planes: Some(Planes::yv12(height)),
            ..description
        },
        _ => description,
    })
}

/// A surface from a DDS or KTX2 file ([`load_texture`]); `None` if the file is neither.
///
/// # Errors
/// [`BadFile`] as [`load_texture`], or if the file cannot be read or has more than [`MAX_BYTES`].
pub fn open_texture(
    files: &dyn Files,
    path: &Path,
    start: &Description,
    format: Option<Format>,
) -> Result<Option<Surface>, BadFile> {
    let io = |e: std::io::Error| BadFile::new(path, e, CHECK_NAME);
    let mut file = files.open(path).map_err(io)?;
    let mut head = Vec::new();
    Read::by_ref(&mut file)
        .take(12)
        .read_to_end(&mut head)
        .map_err(io)?;
    if !is_texture(&head) {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(io)?;
    if bytes.len() as u64 > MAX_BYTES {
        let what = format!("the file has more than {} MiB", MAX_BYTES >> 20);
        return Err(BadFile::too_large(path, what, "leave levels or slices out"));
    }
    load_texture(path, &bytes, start, format).map(Some)
}

/// Reads a picture file: PNG, BMP, PBM, PGM, PPM or PAM, told apart by content.
///
/// # Errors
/// [`BadFile`] if it cannot be read, is of another kind, damaged, or larger than 16384 texels a side.
pub fn read_picture(files: &dyn Files, path: &Path) -> Result<Picture, BadFile> {
    let bad = |what: &dyn std::fmt::Display| {
        BadFile::new(
            path,
            what,
            "give a PNG, BMP or PNM file; it may be damaged or cut short",
        )
    };
    let reader = files
        .open(path)
        .and_then(|file| ImageReader::new(BufReader::new(file)).with_guessed_format())
        .map_err(|e| BadFile::new(path, e, CHECK_NAME))?;
    // The reader would name the file's extension.
    if reader.format().is_none() {
        return Err(bad(&"the file is not a picture of a known format"));
    }
    let decoder = reader.into_decoder().map_err(|e| bad(&e))?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(bad(&format!("the picture has {width}×{height} texels")));
    }
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(BadFile::too_large(
            path,
            format!("the picture has {width}×{height} texels"),
            format!("crop or scale it to at most {MAX_SIDE}×{MAX_SIDE}"),
        ));
    }
    if u64::from(width) * u64::from(height) * 8 > MAX_BYTES || decoder.total_bytes() > MAX_BYTES {
        return Err(BadFile::too_large(
            path,
            format!(
                "{width}×{height} texels are more than {} MiB",
                MAX_BYTES >> 20
            ),
            "crop or scale the picture",
        ));
    }
    let image = image::DynamicImage::from_decoder(decoder).map_err(|e| bad(&e))?;
    let pixels = image.into_rgba16().pixels().map(|p| p.0).collect();
    Ok(Picture {
        width,
        height,
        pixels,
    })
}

/// The number of levels that goes on to a single texel.
pub const ALL_LEVELS: u32 = u32::MAX;

/// A surface from a picture file. Width and height of the description come from the file if they are 0;
/// otherwise they must agree. With `mips` the lower levels are made of the picture ([`ALL_LEVELS`] of
/// them, if the description says so); else only the first is filled.
///
/// # Errors
/// [`BadFile`] as [`read_picture`], or if the format cannot hold a picture.
pub fn load_picture(
    files: &dyn Files,
    path: &Path,
    description: Description,
    mips: bool,
) -> Result<Surface, BadFile> {
    let picture = read_picture(files, path)?;
    let mut description = description;
    let Description { width, height, .. } = description;
    if (width, height) == (0, 0) {
        (description.width, description.height) = (picture.width, picture.height);
        if let Some(planes) = &mut description.planes {
            // Planes below no rows at all: made before the size was known.
            if *planes == Planes::nv12(0) {
                let below = Planes::nv12(picture.height);
                let fields = description.line_stride.skips();
                *planes = if fields { below.of_fields() } else { below };
            }
        }
    } else if (width, height) != (picture.width, picture.height) {
        return Err(BadFile::new(
            path,
            format!(
                "the picture has {}×{} texels, not {width}×{height}",
                picture.width, picture.height
            ),
            "leave the size out, or scale the picture",
        ));
    }
    if description.levels == ALL_LEVELS {
        let longest = description.width.max(description.height).max(1);
        description.levels = longest.ilog2() + 1 - description.min_lod.min(longest.ilog2());
    }
    let surface = Surface::zeroed(description).map_err(|e| BadFile::invalid(path, e))?;
    let stored = picture.store(&surface);
    let stored = stored.and_then(|()| match mips {
        true => picture.store_levels(&surface, 0),
        false => Ok(()),
    });
    stored.map_err(|e| {
        BadFile::new(
            path,
            e,
            "name a format that can be rendered to, such as R8G8B8A8_UNORM",
        )
    })?;
    Ok(surface)
}

/// A surface from a file of plain rows ([`Surface::set_rows`]), frame number `frame` of it.
///
/// # Errors
/// [`BadFile`] if the description breaks a rule, or the file is not a whole number of frames, or too short.
pub fn load_rows(
    files: &dyn Files,
    path: &Path,
    description: Description,
    frame: u64,
) -> Result<Surface, BadFile> {
    let io = |e: std::io::Error| BadFile::new(path, e, CHECK_NAME);
    let (format, width, height) = (description.format, description.width, description.height);
    let surface = Surface::zeroed(description).map_err(|e| BadFile::invalid(path, e))?;
    let size = surface.plain_bytes() as u64;
    if size == 0 {
        let what = "a null surface cannot be loaded from a file";
        return Err(BadFile::new(path, what, "leave kind=null out, or the file"));
    }
    let mut file = files.open(path).map_err(io)?;
    let length = file.seek(SeekFrom::End(0)).map_err(io)?;
    if length == 0 || !length.is_multiple_of(size.max(1)) {
        return Err(BadFile::new(
            path,
            format!("the file has {length} bytes; {width}×{height} {format} are {size}"),
            "give the size and the format the file really has",
        ));
    }
    if frame >= length / size {
        return Err(BadFile::new(
            path,
            format!(
                "frame {frame} does not exist: the file has {}",
                length / size
            ),
            "count frames from 0",
        ));
    }
    file.seek(SeekFrom::Start(frame * size)).map_err(io)?;
    let mut bytes = vec![0; size as usize];
    BufReader::new(file).read_exact(&mut bytes).map_err(io)?;
    surface.set_rows(&bytes);
    Ok(surface)
}

/// A picture as the bytes of a PNG file: 8 bits for each channel, or 16 where that would lose something;
/// grey and opaque pictures without the channels they do not need.
///
/// # Errors
/// What the encoder says: a picture without texels, or one that is too large.
pub fn encode_picture(picture: &Picture) -> Result<Vec<u8>, String> {
    use image::ExtendedColorType as Type;
    let pixels = &picture.pixels;
    let wide = pixels.iter().flatten().any(|v| v % 257 != 0);
    let opaque = pixels.iter().all(|p| p[3] == u16::MAX);
    let grey = pixels.iter().all(|p| p[0] == p[1] && p[1] == p[2]);
    let (kind, channels): (_, &[usize]) = match (grey, opaque) {
        (true, true) => (if wide { Type::L16 } else { Type::L8 }, &[0]),
        (true, false) => (if wide { Type::La16 } else { Type::La8 }, &[0, 3]),
        (false, true) => (if wide { Type::Rgb16 } else { Type::Rgb8 }, &[0, 1, 2]),
        (false, false) => (if wide { Type::Rgba16 } else { Type::Rgba8 }, &[0, 1, 2, 3]),
    };
    let mut bytes = Vec::with_capacity(pixels.len() * channels.len() * 2);
    for pixel in pixels {
        for &c in channels {
            match wide {
                // The encoder takes samples in the host's byte order.
                true => bytes.extend(pixel[c].to_ne_bytes()),
                false => bytes.push((pixel[c] >> 8) as u8),
            }
        }
    }
    let mut file = Vec::new();
    image::codecs::png::PngEncoder::new(&mut file)
        .write_image(&bytes, picture.width, picture.height, kind)
        .map_err(|e| e.to_string())?;
    Ok(file)
}
