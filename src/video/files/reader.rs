//! Reading frames one after the other.

use super::pictures::{self, Pattern};
use super::{Kind, STANDARD, check_sides, extension, header, raw_by_name};
use crate::video::VideoError;
use crate::video::picture::{Depth, MAX_SIZE, Picture, Sampling, check_size};
use crate::video::raw::Raw;
use std::fs::File;
use std::io::{BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads frames one after the other.
pub struct Reader {
    kind: Kind,
    frames: Frames,
}

/// Where frames come from.
enum Frames {
    /// YUV4MPEG2.
    Y4m {
        decoder: Box<y4m::Decoder<Counted>>,
        /// Bytes that the decoder took.
        taken: Arc<AtomicU64>,
        /// Frames that have been read.
        read: u64,
        path: PathBuf,
    },
    /// Raw frames.
    Raw {
        file: Input,
        raw: Raw,
        path: PathBuf,
    },
    /// Pictures, the next one last.
    Png(Vec<PathBuf>),
}

impl Reader {
    /// Opens a file, a folder of PNG pictures or a pattern of their names, or the standard input, `-`, which is a
    /// Y4M stream or raw frames; `raw` and `size` say what raw frames are, unless the file is named after its kind:
    /// `clip.nv12`.
    ///
    /// # Errors
    /// A file that cannot be read, or whose kind is not known.
    pub fn open(
        path: &Path,
        raw: Option<Raw>,
        size: Option<(u32, u32)>,
    ) -> Result<Reader, VideoError> {
        if let Some(raw) = raw.or_else(|| raw_by_name(path)) {
            let size = size.ok_or_else(|| VideoError::wrong("raw frames need --size WxH"))?;
            return Reader::raw(path, raw, size);
        }
        if size.is_some() {
            return Err(VideoError::wrong(
                "--size is that of raw frames; frames are made another size by --scale WxH",
            ));
        }
        if path.is_dir() {
            return Reader::pictures(path, pictures::all(path)?);
        }
        match extension(path).as_str() {
            _ if path == Path::new(STANDARD) => Reader::y4m(path),
            "y4m" => Reader::y4m(path),
            // A file may have a % in its name.
            "png" if path.is_file() => Reader::pictures(path, vec![path.to_path_buf()]),
            "png" => match Pattern::of(path)? {
                Some(pattern) => Reader::pictures(path, pattern.find()?),
                None => Reader::pictures(path, vec![path.to_path_buf()]),
            },
            _ => Err(match std::fs::metadata(path) {
                Err(error) => VideoError::file(path, error),
                Ok(_) => VideoError::wrong(format!(
                    "{}: neither .y4m, .png nor a folder of .png; raw frames need --raw and --size",
                    path.display()
                )),
            }),
        }
    }

    fn y4m(path: &Path) -> Result<Reader, VideoError> {
        let (mut file, bytes) = opened(path)?;
        let wrong = |what: String| VideoError::wrong(format!("{}: {what}", path.display()));
        // The header is looked at before anything is allocated by it.
        let line = header::line(&mut file).map_err(wrong)?;
        let mut kind = header::parse(&line).map_err(wrong)?;
        // Frames begin with FRAME and a line end; few files say more there.
        let frame = frame_bytes(&kind) + 6;
        kind.frames = bytes.map(|bytes| bytes.saturating_sub(line.len() as u64) / frame);
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted {
            file: Cursor::new(line).chain(file),
            taken: Arc::clone(&taken),
        };
        let limits = y4m::Limits {
            bytes: 3 * Depth::Ten.bytes() * MAX_SIZE as usize * MAX_SIZE as usize,
        };
        let decoder = y4m::Decoder::new_with_limits(counted, limits);
        Ok(Reader {
            kind,
            frames: Frames::Y4m {
                decoder: Box::new(decoder.map_err(|e| wrong(e.to_string()))?),
                taken,
                read: 0,
                path: path.to_path_buf(),
            },
        })
    }

    fn raw(path: &Path, raw: Raw, size: (u32, u32)) -> Result<Reader, VideoError> {
        check_size(size.0, size.1)?;
        check_sides(raw.sampling(), size)?;
        let (file, bytes) = opened(path)?;
        let mut kind = Kind::new(size, raw.sampling());
        kind.frames = bytes.map(|bytes| bytes / frame_bytes(&kind));
        Ok(Reader {
            kind,
            frames: Frames::Raw {
                file,
                raw,
                path: path.to_path_buf(),
            },
        })
    }

    fn pictures(path: &Path, mut files: Vec<PathBuf>) -> Result<Reader, VideoError> {
        let none = || VideoError::wrong(format!("{}: there is no such .png", path.display()));
        let first = files.first().ok_or_else(none)?;
        files.iter().try_for_each(|file| may_be_opened(file))?;
        let size = image::image_dimensions(first)
            .map_err(|e| VideoError::wrong(format!("{}: {e}", first.display())))?;
        check_size(size.0, size.1)?;
        let mut kind = Kind::new(size, Sampling::Rgba);
        kind.frames = Some(files.len() as u64);
        files.reverse();
        Ok(Reader {
            kind,
            frames: Frames::Png(files),
        })
    }

    /// What the stream is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The pictures that are still to be read; none of other streams.
    pub fn files(&self) -> &[PathBuf] {
        match &self.frames {
            Frames::Png(files) => files,
            _ => &[],
        }
    }

    /// The next frame; `None` after the last one.
    ///
    /// # Errors
    /// A frame that ends early, or that is not like the first one.
    pub fn read(&mut self) -> Result<Option<Picture>, VideoError> {
        let Kind {
            size,
            sampling,
            depth,
            ..
        } = self.kind;
        let mut picture = Picture::with_depth(size.0, size.1, sampling, depth)?;
        match &mut self.frames {
            Frames::Y4m {
                decoder,
                taken,
                read,
                path,
            } => {
                let before = taken.load(Ordering::Relaxed);
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
                        *read += 1;
                        let most = depth.most();
                        let mut codes = planes.iter().flat_map(|plane| depth.codes(plane));
                        if let Some(code) = codes.find(|code| *code > most) {
                            let (path, frame) = (path.display(), *read);
                            return Err(VideoError::wrong(format!(
                                "{path}: frame {frame} has the code {code}, the greatest of 10 bits is {most}"
                            )));
                        }
                    }
                    // The end, unless it comes inside a frame.
                    Err(y4m::Error::EOF) if taken.load(Ordering::Relaxed) == before => {
                        return Ok(None);
                    }
                    Err(y4m::Error::EOF) => return Err(incomplete(path)),
                    Err(y4m::Error::ParseError(_)) => {
                        let (path, frame) = (path.display(), *read + 1);
                        return Err(VideoError::wrong(format!(
                            "{path}: frame {frame} does not begin with FRAME: the stream is broken, or the frame before \
                             it is longer than the header says"
                        )));
                    }
                    Err(e) => return Err(VideoError::wrong(format!("{}: {e}", path.display()))),
                }
            }
            Frames::Raw { file, raw, path } => {
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
            Frames::Png(files) => {
                let Some(path) = files.pop() else {
                    return Ok(None);
                };
                let wrong = |what: String| VideoError::wrong(format!("{}: {what}", path.display()));
                let found = image::image_dimensions(&path).map_err(|e| wrong(e.to_string()))?;
                if found != size {
                    return Err(wrong(format!(
                        "is {}x{}, the first picture {}x{}",
                        found.0, found.1, size.0, size.1
                    )));
                }
                let read = image::open(&path).map_err(|e| wrong(e.to_string()))?;
                picture.planes[0] = read.to_rgba8().into_raw();
            }
        }
        Ok(Some(picture))
    }
}

/// A file or the standard input.
type Input = BufReader<Box<dyn Read + Send>>;

/// A file and its bytes; pipes do not tell theirs.
fn opened(path: &Path) -> Result<(Input, Option<u64>), VideoError> {
    let buffered = |file: Box<dyn Read + Send>| BufReader::with_capacity(1 << 16, file);
    if path == Path::new(STANDARD) {
        return Ok((buffered(Box::new(std::io::stdin())), None));
    }
    may_be_opened(path)?;
    let file = File::open(path).map_err(|e| VideoError::file(path, e))?;
    let metadata = file.metadata().map_err(|e| VideoError::file(path, e))?;
    let bytes = metadata.is_file().then_some(metadata.len());
    Ok((buffered(Box::new(file)), bytes))
}

/// Refuses a pipe that may never have a writer, and a device that may never end.
fn may_be_opened(path: &Path) -> Result<(), VideoError> {
    match crate::files::is_endless(path) {
        true => Err(VideoError::wrong(format!(
            "{}: it is a pipe or a device: `-` is the standard input",
            path.display()
        ))),
        false => Ok(()),
    }
}

fn frame_bytes(kind: &Kind) -> u64 {
    let planes = kind.sampling.planes(kind.size.0, kind.size.1);
    let bytes = planes.iter().map(|&(w, h)| u64::from(w) * u64::from(h));
    bytes.sum::<u64>() * kind.depth.bytes() as u64
}

fn incomplete(path: &Path) -> VideoError {
    let what = format!("{}: the last frame is incomplete", path.display());
    VideoError::wrong(what)
}

/// A file whose bytes are counted as they are read: a decoder does not say where it is.
struct Counted {
    file: Chain<Cursor<Vec<u8>>, Input>,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let n = self.file.read(bytes)?;
        self.taken.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}
