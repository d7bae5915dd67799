//! Files of frames: Y4M, raw bytes, numbered PNG pictures.
//!
//! A file that is written has another name until it is complete, and holds whole frames only.

use super::VideoError;
use super::picture::{Picture, Sampling, check_size};
use super::raw::Raw;
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tempfile::NamedTempFile;
use y4m::{Colorspace, Ratio};

/// What a stream of frames is, beside its frames.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Columns and rows.
    pub size: (u32, u32),
    /// Planes.
    pub sampling: Sampling,
    /// Frames in a time: so many in so many seconds.
    pub rate: (usize, usize),
    /// Frames, if that can be told.
    pub frames: Option<u64>,
}

/// Reads frames one after the other.
pub enum Reader {
    /// YUV4MPEG2.
    Y4m {
        /// The crate's decoder.
        decoder: Box<y4m::Decoder<Counted>>,
        /// Bytes that the decoder took.
        taken: Rc<Cell<u64>>,
        /// What was read of the header.
        kind: Kind,
        /// The file.
        path: PathBuf,
    },
    /// Raw frames.
    Raw {
        /// The file.
        file: BufReader<File>,
        /// How frames lie.
        raw: Raw,
        /// What was said of them.
        kind: Kind,
        /// The file.
        path: PathBuf,
    },
    /// Pictures.
    Png {
        /// In order, the next one last.
        files: Vec<PathBuf>,
        /// What the first one is.
        kind: Kind,
    },
}

impl Reader {
    /// Opens a file, or a folder of PNG pictures; `raw` and `size` say what raw frames are.
    ///
    /// # Errors
    /// A file that cannot be read, or whose kind is not known.
    pub fn open(
        path: &Path,
        raw: Option<Raw>,
        size: Option<(u32, u32)>,
    ) -> Result<Reader, VideoError> {
        if let Some(raw) = raw {
            let size = size.ok_or_else(|| VideoError::wrong("raw frames need --size WxH"))?;
            return Reader::raw(path, raw, size);
        }
        if path.is_dir() {
            return Reader::folder(path);
        }
        match extension(path).as_str() {
            "y4m" => Reader::y4m(path),
            "png" => Reader::pictures(vec![path.to_path_buf()]),
            _ => Err(VideoError::wrong(format!(
                "{}: neither .y4m, .png nor a folder of .png; raw frames need --raw and --size",
                path.display()
            ))),
        }
    }

    fn y4m(path: &Path) -> Result<Reader, VideoError> {
        let file = File::open(path).map_err(|e| VideoError::file(path, e))?;
        let bytes = file
            .metadata()
            .map_err(|e| VideoError::file(path, e))?
            .len();
        let mut file = BufReader::with_capacity(1 << 16, file);
        let wrong = |what: String| VideoError::wrong(format!("{}: {what}", path.display()));
        // The size is looked at before anything of it is allocated.
        let head = file.fill_buf().map_err(|e| VideoError::file(path, e))?;
        let line: Vec<u8> = head
            .iter()
            .copied()
            .take(1024)
            .take_while(|&b| b != b'\n')
            .collect();
        let line = String::from_utf8_lossy(&line).into_owned();
        for field in line.split(' ').skip(1) {
            let (name, value) = field.split_at(field.len().min(1));
            if matches!(name, "W" | "H") {
                let side: u32 = value
                    .parse()
                    .map_err(|_| wrong(format!("the size {field}")))?;
                check_size(side, side)?;
            }
        }
        let taken = Rc::new(Cell::new(0));
        let counted = Counted {
            file,
            taken: Rc::clone(&taken),
        };
        let decoder = y4m::decode(counted).map_err(|e| wrong(e.to_string()))?;
        let sampling = match decoder.get_colorspace() {
            Colorspace::Cmono => Sampling::Grey,
            Colorspace::C420
            | Colorspace::C420jpeg
            | Colorspace::C420paldv
            | Colorspace::C420mpeg2 => Sampling::S420,
            Colorspace::C422 => Sampling::S422,
            Colorspace::C444 => Sampling::S444,
            other => {
                return Err(wrong(format!(
                    "{other:?} has more than 8 bits; visim reads 8"
                )));
            }
        };
        let size = (decoder.get_width() as u32, decoder.get_height() as u32);
        let rate = decoder.get_framerate();
        let planes = sampling.planes(size.0, size.1);
        let frame: u64 = planes
            .iter()
            .map(|&(w, h)| u64::from(w) * u64::from(h))
            .sum();
        let kind = Kind {
            size,
            sampling,
            rate: (rate.num, rate.den),
            // Frames begin with FRAME and a line end; few files say more there.
            frames: Some(bytes.saturating_sub(line.len() as u64 + 1) / (frame + 6)),
        };
        Ok(Reader::Y4m {
            decoder: Box::new(decoder),
            taken,
            kind,
            path: path.to_path_buf(),
        })
    }

    fn raw(path: &Path, raw: Raw, size: (u32, u32)) -> Result<Reader, VideoError> {
        check_size(size.0, size.1)?;
        check_sides(raw.sampling(), size)?;
        let file = File::open(path).map_err(|e| VideoError::file(path, e))?;
        let bytes = file
            .metadata()
            .map_err(|e| VideoError::file(path, e))?
            .len();
        let planes = raw.sampling().planes(size.0, size.1);
        let frame: u64 = planes
            .iter()
            .map(|&(w, h)| u64::from(w) * u64::from(h))
            .sum();
        let kind = Kind {
            size,
            sampling: raw.sampling(),
            rate: (25, 1),
            frames: Some(bytes / frame),
        };
        Ok(Reader::Raw {
            file: BufReader::new(file),
            raw,
            kind,
            path: path.to_path_buf(),
        })
    }

    fn folder(path: &Path) -> Result<Reader, VideoError> {
        let entries = std::fs::read_dir(path).map_err(|e| VideoError::file(path, e))?;
        let mut files = Vec::new();
        for entry in entries {
            let file = entry.map_err(|e| VideoError::file(path, e))?.path();
            if extension(&file) == "png" {
                files.push(file);
            }
        }
        files.sort_unstable();
        Reader::pictures(files)
    }

    fn pictures(mut files: Vec<PathBuf>) -> Result<Reader, VideoError> {
        let first = files
            .first()
            .ok_or_else(|| VideoError::wrong("the folder holds no .png"))?;
        let size = image::image_dimensions(first)
            .map_err(|e| VideoError::wrong(format!("{}: {e}", first.display())))?;
        check_size(size.0, size.1)?;
        let kind = Kind {
            size,
            sampling: Sampling::Rgba,
            rate: (25, 1),
            frames: Some(files.len() as u64),
        };
        files.reverse();
        Ok(Reader::Png { files, kind })
    }

    /// What the stream is.
    pub fn kind(&self) -> Kind {
        match self {
            Reader::Y4m { kind, .. } | Reader::Raw { kind, .. } | Reader::Png { kind, .. } => *kind,
        }
    }

    /// The next frame; `None` behind the last one.
    ///
    /// # Errors
    /// A frame that ends early, or that is not like the first one.
    pub fn read(&mut self) -> Result<Option<Picture>, VideoError> {
        let kind = self.kind();
        let mut picture = Picture::new(kind.size.0, kind.size.1, kind.sampling)?;
        match self {
            Reader::Y4m {
                decoder,
                taken,
                path,
                ..
            } => {
                let before = taken.get();
                match decoder.read_frame() {
                    Ok(frame) => {
                        let planes = [
                            frame.get_y_plane(),
                            frame.get_u_plane(),
                            frame.get_v_plane(),
                        ];
                        for (plane, bytes) in picture.planes.iter_mut().zip(planes) {
                            plane.copy_from_slice(bytes);
                        }
                    }
                    // The end, unless it comes inside a frame.
                    Err(y4m::Error::EOF) if taken.get() == before => return Ok(None),
                    Err(y4m::Error::EOF) => return Err(incomplete(path)),
                    Err(e) => return Err(VideoError::wrong(format!("{}: {e}", path.display()))),
                }
            }
            Reader::Raw {
                file, raw, path, ..
            } => {
                let mut bytes = vec![0; picture.planes.iter().map(Vec::len).sum()];
                let mut have = 0;
                while have < bytes.len() {
                    match file
                        .read(&mut bytes[have..])
                        .map_err(|e| VideoError::file(path, e))?
                    {
                        0 if have == 0 => return Ok(None),
                        0 => return Err(incomplete(path)),
                        n => have += n,
                    }
                }
                raw.split(&bytes, &mut picture);
            }
            Reader::Png { files, .. } => {
                let Some(path) = files.pop() else {
                    return Ok(None);
                };
                let wrong = |what: String| VideoError::wrong(format!("{}: {what}", path.display()));
                let size = image::image_dimensions(&path).map_err(|e| wrong(e.to_string()))?;
                if size != kind.size {
                    return Err(wrong(format!(
                        "is {size:?}, the first picture {:?}",
                        kind.size
                    )));
                }
                let read = image::open(&path).map_err(|e| wrong(e.to_string()))?;
                picture.planes[0] = read.to_rgba8().into_raw();
            }
        }
        Ok(Some(picture))
    }
}

fn incomplete(path: &Path) -> VideoError {
    let what = format!("{}: the last frame is incomplete", path.display());
    VideoError::wrong(what)
}

/// A file whose bytes are counted as they are read: a decoder does not say where it stands.
pub struct Counted {
    file: BufReader<File>,
    taken: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let n = self.file.read(bytes)?;
        self.taken.set(self.taken.get() + n as u64);
        Ok(n)
    }
}

/// A file that two hold: the encoder, and who puts it in its place.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<BufWriter<NamedTempFile>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

/// Writes frames one after the other.
pub enum Writer {
    /// YUV4MPEG2.
    Y4m {
        /// The crate's encoder.
        encoder: Box<y4m::Encoder<Shared>>,
        /// The file, which the encoder does not give back.
        file: Shared,
        /// Where the file goes.
        path: PathBuf,
    },
    /// Raw frames.
    Raw {
        /// The file.
        file: BufWriter<NamedTempFile>,
        /// How frames lie.
        raw: Raw,
        /// Where the file goes.
        path: PathBuf,
    },
    /// Pictures by a pattern with one number in it.
    Png {
        /// What stands before and behind the number, and its least digits.
        pattern: (String, String, usize),
        /// The number of the next one.
        next: u64,
    },
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

impl Writer {
    /// A new file for frames of `kind`: `.y4m`, `.png` with a `%04d` for the number, or, with `raw`, any.
    ///
    /// # Errors
    /// A kind that the file does not hold, or a place where nothing can be written.
    pub fn create(path: &Path, raw: Option<Raw>, kind: &Kind) -> Result<Writer, VideoError> {
        if extension(path) == "png" {
            let text = path.display().to_string();
            return Ok(Writer::Png {
                pattern: pattern(&text)?,
                next: 0,
            });
        }
        let colours = match kind.sampling {
            Sampling::Grey => Colorspace::Cmono,
            Sampling::S420 => Colorspace::C420,
            Sampling::S422 => Colorspace::C422,
            Sampling::S444 => Colorspace::C444,
            Sampling::Rgba => {
                return Err(VideoError::wrong("pictures in RGB are written as .png"));
            }
        };
        if extension(path) == "y4m" {
            let (width, height) = (kind.size.0 as usize, kind.size.1 as usize);
            let rate = Ratio::new(kind.rate.0, kind.rate.1);
            let file = Shared(Rc::new(RefCell::new(BufWriter::new(temporary(path)?))));
            let encoder = y4m::encode(width, height, rate)
                .with_colorspace(colours)
                .write_header(file.clone())
                .map_err(|e| VideoError::wrong(format!("{}: {e}", path.display())))?;
            return Ok(Writer::Y4m {
                encoder: Box::new(encoder),
                file,
                path: path.to_path_buf(),
            });
        }
        match raw.filter(|raw| raw.sampling() == kind.sampling) {
            Some(raw) => {
                check_sides(raw.sampling(), kind.size)?;
                Ok(Writer::Raw {
                    file: BufWriter::new(temporary(path)?),
                    raw,
                    path: path.to_path_buf(),
                })
            }
            None => Err(VideoError::wrong(format!(
                "{}: neither .y4m nor .png; raw frames are written as they were read",
                path.display()
            ))),
        }
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn push(&mut self, picture: &Picture) -> Result<(), VideoError> {
        match self {
            Writer::Y4m { encoder, path, .. } => {
                let plane = |i: usize| picture.planes.get(i).map_or(&[][..], |p| p);
                let frame = y4m::Frame::new([plane(0), plane(1), plane(2)], None);
                let wrong = |e| VideoError::wrong(format!("{}: {e}", path.display()));
                encoder.write_frame(&frame).map_err(wrong)
            }
            Writer::Raw { file, raw, path } => {
                let written = file.write_all(&raw.join(picture));
                written.map_err(|e| VideoError::file(path, e))
            }
            Writer::Png { pattern, next } => {
                let (before, behind, digits) = &*pattern;
                let path = format!("{before}{next:0digits$}{behind}");
                *next += 1;
                let bytes = match picture.sampling {
                    Sampling::Rgba => picture.planes[0].clone(),
                    _ => picture
                        .rgb()
                        .iter()
                        .flat_map(|&[r, g, b]| [r, g, b, 255])
                        .collect(),
                };
                png(Path::new(&path), &bytes, (picture.width, picture.height))
            }
        }
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// It cannot be written to its end.
    pub fn finish(self) -> Result<(), VideoError> {
        match self {
            Writer::Y4m {
                encoder,
                file,
                path,
            } => {
                drop(encoder);
                match Rc::try_unwrap(file.0) {
                    Ok(file) => keep(file.into_inner(), &path),
                    // The encoder was the only other one who had it.
                    Err(_) => Err(VideoError::wrong("the file is still being written")),
                }
            }
            Writer::Raw { file, path, .. } => keep(file, &path),
            Writer::Png { .. } => Ok(()),
        }
    }
}

/// Writes R, G, B, A bytes as a PNG, whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn png(path: &Path, rgba: &[u8], (width, height): (u32, u32)) -> Result<(), VideoError> {
    let mut bytes = Vec::new();
    PngEncoder::new(&mut bytes)
        .write_image(rgba, width, height, ExtendedColorType::Rgba8)
        .map_err(|e| VideoError::wrong(format!("{}: {e}", path.display())))?;
    let mut file = BufWriter::new(temporary(path)?);
    file.write_all(&bytes)
        .map_err(|e| VideoError::file(path, e))?;
    keep(file, path)
}

fn temporary(path: &Path) -> Result<NamedTempFile, VideoError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    NamedTempFile::new_in(folder).map_err(|e| VideoError::file(path, e))
}

fn keep(file: BufWriter<NamedTempFile>, path: &Path) -> Result<(), VideoError> {
    let file = file
        .into_inner()
        .map_err(|e| VideoError::file(path, e.into_error()))?;
    readable(&file).map_err(|e| VideoError::file(path, e))?;
    file.persist(path)
        .map_err(|e| VideoError::file(path, e.error))?;
    Ok(())
}

/// Temporary files are their owner's alone; results are like other new files.
#[cfg(unix)]
fn readable(file: &NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file()
        .set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &NamedTempFile) -> std::io::Result<()> {
    Ok(())
}

fn extension(path: &Path) -> String {
    let extension = path.extension().and_then(|e| e.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}

/// `out-%04d.png` as what stands before the number, behind it, and its digits; without a `%` a number of
/// four digits goes before the extension.
fn pattern(text: &str) -> Result<(String, String, usize), VideoError> {
    let Some((before, rest)) = text.split_once('%') else {
        let stem = text.rsplit_once('.').map_or(text, |(stem, _)| stem);
        return Ok((format!("{stem}-"), ".png".to_string(), 4));
    };
    let wrong = || VideoError::wrong(format!("{text}: a pattern is like out-%04d.png"));
    let (digits, behind) = rest.split_once('d').ok_or_else(wrong)?;
    let digits = match digits.trim_start_matches('0') {
        "" => 1,
        digits => digits.parse().ok().filter(|n| *n <= 20).ok_or_else(wrong)?,
    };
    if behind.contains('%') {
        return Err(wrong());
    }
    Ok((before.to_string(), behind.to_string(), digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(width: u32, height: u32, sampling: Sampling) -> Picture {
        let mut picture = Picture::new(width, height, sampling).unwrap();
        let mut code = 0u8;
        for byte in picture.planes.iter_mut().flatten() {
            code = code.wrapping_add(7);
            *byte = code;
        }
        picture
    }

    fn kind(picture: &Picture) -> Kind {
        Kind {
            size: (picture.width, picture.height),
            sampling: picture.sampling,
            rate: (30, 1),
            frames: None,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let cases = [
            ("a.y4m", None, Sampling::S420),
            ("b.y4m", None, Sampling::S422),
            ("c.y4m", None, Sampling::Grey),
            ("d.y4m", None, Sampling::S444),
            ("e.raw", Some(Raw::Nv12), Sampling::S420),
            ("f.raw", Some(Raw::I420), Sampling::S420),
            ("g.raw", Some(Raw::Yuy2), Sampling::S422),
            ("h.raw", Some(Raw::Grey), Sampling::Grey),
        ];
        for (name, raw, sampling) in cases {
            let picture = counted(6, 4, sampling);
            let path = folder.path().join(name);
            let mut writer = Writer::create(&path, raw, &kind(&picture)).unwrap();
            writer.push(&picture).unwrap();
            writer.push(&picture).unwrap();
            assert!(!path.exists(), "{name} appears when it is complete");
            writer.finish().unwrap();
            let mut reader = Reader::open(&path, raw, Some((6, 4))).unwrap();
            assert_eq!(reader.kind().frames, Some(2), "{name}");
            assert_eq!(reader.read().unwrap().as_ref(), Some(&picture), "{name}");
            assert_eq!(reader.read().unwrap().as_ref(), Some(&picture), "{name}");
            assert_eq!(reader.read().unwrap(), None, "{name}");
        }
        let picture = counted(5, 3, Sampling::Rgba);
        let path = folder.path().join("p-%03d.png");
        let mut writer = Writer::create(&path, None, &kind(&picture)).unwrap();
        writer.push(&picture).unwrap();
        writer.finish().unwrap();
        assert!(folder.path().join("p-000.png").exists());
        let mut reader = Reader::open(folder.path(), None, None).unwrap();
        assert_eq!(reader.read().unwrap(), Some(picture));
    }

    #[test]
    fn broken_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = |bytes: &[u8]| {
            let path = folder.path().join("x.y4m");
            std::fs::write(&path, bytes).unwrap();
            Reader::open(&path, None, None).and_then(|mut r| r.read())
        };
        assert!(open(b"").is_err());
        assert!(open(b"YUV4MPEG2 W99999999999999999999 H2\nFRAME\n").is_err());
        assert!(open(b"YUV4MPEG2 W100000 H100000\nFRAME\n").is_err());
        assert!(open(b"YUV4MPEG2 W4 H4 C420p10\nFRAME\n").is_err());
        // A frame that is not there is the end; so is one that is cut off, which Y4M cannot tell.
        assert!(matches!(open(b"YUV4MPEG2 W4 H4\n"), Ok(None)));
        let raw = folder.path().join("x.raw");
        std::fs::write(&raw, [0; 30]).unwrap();
        let mut reader = Reader::open(&raw, Some(Raw::I420), Some((4, 4))).unwrap();
        assert!(reader.read().unwrap().is_some());
        assert!(reader.read().is_err());
        assert!(Reader::open(&raw, Some(Raw::I420), Some((3, 4))).is_err());
        assert!(Reader::open(&raw, Some(Raw::I420), None).is_err());
        assert!(Reader::open(&folder.path().join("no.y4m"), None, None).is_err());
        assert!(pattern("a-%d-%d.png").is_err() && pattern("a-%x.png").is_err());
    }
}
