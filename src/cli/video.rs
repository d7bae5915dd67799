//! `visim video`: scales, sharpens, denoises and deinterlaces video by the messages of the media sampler.

use super::limits::Limits;
use super::output::{Exit, Output, check_standard};
use super::signals;
use crate::diagnostic::Code;
use crate::files;
use crate::sampler::avs::IefState;
use crate::sampler::deinterlace::{DeinterlaceState, block};
use crate::surface::ledger::{Charge, Ledger};
use crate::video::files::{STANDARD, raw_by_name, same};
use crate::video::{
    Ahead, Align, Depth, Fields, Filter, Kind, Picture, Quality, Raw, Reader, Scale, Scan, Stop,
    VideoError, Writer, compare, scale,
};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Scales, sharpens, denoises and deinterlaces video.
///
/// Reads and writes .y4m, .png (a picture, a folder, or a pattern as out-%04d.png) and raw frames (.i420, .nv12,
/// .yuy2, .grey). Every block of every frame is one message of the media sampler.
#[derive(Debug, clap::Args)]
pub struct Video {
    /// A .y4m file, a .png picture, a folder or a pattern of .png pictures, or raw frames; - is the standard input.
    input: PathBuf,
    /// The result; its name decides the format: .y4m, .png, a folder/ of pictures, or raw frames: .i420, .nv12, .yuy2, .grey; -
    /// is the standard output, which gets .y4m.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Columns and rows of the result.
    #[arg(long, value_name = "WxH", value_parser = size)]
    scale: Option<(u32, u32)>,
    /// Coefficients of the scaler.
    #[arg(long, value_enum, default_value_t = FilterName::Polyphase, requires = "scale")]
    filter: FilterName,
    /// Which points of input and result are the same: the centres of the first pixels, as drivers have it (corner), or those of
    /// the pictures, as ffmpeg and others have it (centre). Twice the size is a quarter pixel apart.
    #[arg(long, value_enum, default_value_t = AlignName::Corner, requires = "scale")]
    align: AlignName,
    /// Mix sharp and smooth by what the picture shows.
    #[arg(long, requires = "scale")]
    adaptive: bool,
    /// Run the enhancement filter.
    #[arg(long)]
    sharpen: bool,
    /// Filter noise, in time where the picture is at rest.
    #[arg(long)]
    denoise: bool,
    /// Make two frames of every two fields; twice as many come out.
    #[arg(long)]
    deinterlace: bool,
    /// The top field (rows 0, 2, ...) is the first one, whatever the input says.
    #[arg(long, conflicts_with = "bottom_first")]
    top_first: bool,
    /// The bottom field is the first one, whatever the input says.
    #[arg(long)]
    bottom_first: bool,
    /// The input is raw frames of this kind; .i420, .nv12, .yuy2 and .grey say it by their names.
    #[arg(long, value_parser = raw, value_name = "i420|nv12|yuy2|grey")]
    raw: Option<Raw>,
    /// Columns and rows of raw frames.
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Read so many frames only.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    frames: Option<u64>,
    /// Draw input, output and four times their difference side by side, of the last frame, as a PNG.
    #[arg(long, value_name = "PNG")]
    compare: Option<PathBuf>,
    /// Measure the result against a clip of the same frames: PSNR in dB and SSIM (windows of 8x8, as ffmpeg's) of each plane.
    #[arg(long, value_name = "CLIP")]
    reference: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
}

/// Bytes that a pixel takes at most, of frames that are read, of those that are made, and between them.
const BYTES_OF_PIXEL: u64 = 48;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FilterName {
    Polyphase,
    Lanczos,
    Bilinear,
    Nearest,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AlignName {
    Centre,
    Corner,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let sides = text
        .split_once('x')
        .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    sides.ok_or_else(|| "a size is like 1280x720".to_string())
}

fn raw(text: &str) -> Result<Raw, String> {
    let found = Raw::NAMES.iter().find(|(name, _)| *name == text);
    found
        .map(|(_, raw)| *raw)
        .ok_or_else(|| "one of i420 nv12 yuy2 grey".to_string())
}

/// What came of it.
struct Done {
    read: u64,
    written: u64,
    stopped: bool,
    /// What the user may not expect.
    remarks: Vec<String>,
    /// How far the result is from the reference.
    quality: Option<Quality>,
}

impl Video {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let ledger = self.limits.ledger(None);
        let text = output.is_text();
        match Ledger::within(Some(&ledger), || self.convert(text)) {
            Ok(done) => {
                done.remarks.iter().for_each(|remark| output.remark(remark));
                let how = if done.stopped { "stopped: " } else { "" };
                let path = self.output.display();
                let (read, written) = (done.read, done.written);
                let frames = if read == 1 { "frame" } else { "frames" };
                let report = format!("{how}{read} {frames} read, {written} written to {path}");
                match self.to_standard() {
                    true => output.remark(&report),
                    false => output.text(&format!("{report}\n")),
                }
                if let Some(quality) = &done.quality {
                    self.measured(quality, output);
                }
                output.field("read", || json!(read));
                output.field("written", || json!(written));
                output.field("stopped", || json!(done.stopped));
                output.field("remarks", || json!(done.remarks));
                if done.stopped {
                    Exit::Program
                } else {
                    Exit::Fine
                }
            }
            Err(error) => output.complain(&error.to_string()),
        }
    }

    /// Prints how far the result is from the reference.
    fn measured(&self, quality: &Quality, output: &mut Output) {
        let planes = quality.planes();
        let names: &[&str] = match planes.len() {
            1 => &["all"],
            _ => &["Y", "Cb", "Cr"],
        };
        for (name, (psnr, ssim)) in names.iter().zip(&planes) {
            let line = format!("{name:<3}  PSNR {psnr:.2} dB  SSIM {ssim:.5}");
            match self.to_standard() {
                true => output.remark(&line),
                false => output.text(&format!("{line}\n")),
            }
        }
        output.field("quality", || {
            // JSON knows no infinity: equal planes have no PSNR.
            let plane = |(name, (psnr, ssim)): (&&str, &(f64, f64))| {
                let psnr = psnr.is_finite().then_some(psnr);
                json!({ "plane": name, "psnr": psnr, "ssim": ssim })
            };
            names.iter().zip(&planes).map(plane).collect()
        });
    }

    /// Takes the memory for frames of these sizes.
    fn memory(&self, sizes: [(u32, u32); 2]) -> Result<Option<Charge>, VideoError> {
        let pixels = sizes.map(|(w, h)| u64::from(w) * u64::from(h));
        let bytes = pixels.iter().fold(0, |sum: u64, n| {
            sum.saturating_add(n.saturating_mul(BYTES_OF_PIXEL))
        });
        Ledger::take(bytes).map_err(|short| {
            let (code, help) = (Code::L0606, short.help());
            VideoError::wrong(format!(
                "{code}: the frames need too much memory: {short}; {help}"
            ))
        })
    }

    /// Whether frames go to the standard output.
    fn to_standard(&self) -> bool {
        self.output.as_os_str() == STANDARD
    }

    /// The comparison is a picture in a file of its own: said before any work is done.
    fn check_comparison(&self) -> Result<(), VideoError> {
        let Some(path) = &self.compare else {
            return Ok(());
        };
        let named = |why: &str| VideoError::wrong(format!("--compare {}: {why}", path.display()));
        if !path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("png"))
        {
            return Err(named("the comparison is a .png"));
        }
        if [&self.input, &self.output]
            .iter()
            .any(|other| same(other, path))
        {
            return Err(named(
                "is the input or the output; it needs a different name",
            ));
        }
        match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
                Err(named("no such folder"))
            }
            _ => Ok(()),
        }
    }

    /// When rows were taken, as the user or the input says it.
    fn scan(&self, kind: &Kind, remarks: &mut Vec<String>) -> Result<Scan, VideoError> {
        let said = match (self.top_first, self.bottom_first) {
            (true, _) => Some(Scan::TopFirst),
            (_, true) => Some(Scan::BottomFirst),
            (false, false) => None,
        };
        if said.is_some() && !self.deinterlace && !self.denoise {
            return Err(VideoError::wrong(
                "--top-first and --bottom-first are for --deinterlace and --denoise",
            ));
        }
        let input = self.input.display();
        match said.unwrap_or(kind.scan) {
            Scan::Mixed if self.deinterlace || self.denoise => Err(VideoError::wrong(format!(
                "{input}: the order of fields changes from frame to frame (Im); --top-first or --bottom-first \
                 says which one is meant"
            ))),
            Scan::Progressive if self.deinterlace => {
                remarks.push(format!(
                    "{input} says that its frames have no fields (Ip); they are taken as top field first"
                ));
                Ok(Scan::TopFirst)
            }
            scan => Ok(scan),
        }
    }

    /// What is to be done with fields and noise, if anything is.
    fn fields(&self, scan: Scan) -> Option<Fields> {
        let state = DeinterlaceState {
            di_enable: self.deinterlace,
            dn_enable: self.denoise,
            // Whole frames have no fields to keep apart.
            progressive_dn: !self.deinterlace && !scan.has_fields(),
            top_first: scan != Scan::BottomFirst,
            temporal_th: 16,
            low_temporal_th: 6,
            ..DeinterlaceState::default()
        };
        (self.denoise || self.deinterlace).then(|| Fields::new(state))
    }

    /// The stream that comes out of one of `kind`.
    fn result(&self, kind: &Kind, remarks: &mut Vec<String>) -> Kind {
        let mut kind = kind.clone();
        if self.deinterlace {
            kind.rate.0 *= 2;
            kind.frames = kind.frames.map(|frames| frames.saturating_mul(2));
            kind.scan = Scan::Progressive;
        }
        let before = kind.scan;
        let size = self.scale.unwrap_or(kind.size);
        kind = kind.scaled(size);
        if before != kind.scan {
            remarks.push(format!(
                "the frames of {} have two fields each, which scaling mixes; --deinterlace makes frames of them",
                self.input.display()
            ));
        }
        if kind.scan == Scan::Mixed {
            // Frames are written without words of their own.
            kind.scan = Scan::Unknown;
            remarks.push("the order of fields of each frame (Im) is not written".to_string());
        }
        kind
    }

    fn convert(&self, text: bool) -> Result<Done, VideoError> {
        self.check_comparison()?;
        if self.to_standard() {
            check_standard(text, "the frames").map_err(VideoError::wrong)?;
        }
        let reader = Reader::open(&self.input, self.raw, self.size)?;
        let mut kind = reader.kind().clone();
        if let (Some(most), have) = (self.frames, kind.frames) {
            kind.frames = Some(have.map_or(most, |have| have.min(most)));
        }
        if kind.depth == Depth::Ten && (self.denoise || self.deinterlace) {
            let input = self.input.display();
            return Err(VideoError::wrong(format!(
                "{input} has codes of 10 bits, which --denoise and --deinterlace do not take: their message reads bytes"
            )));
        }
        let _frames = self.memory([kind.size, self.scale.unwrap_or(kind.size)])?;
        let (begun, time) = (Instant::now(), self.limits.asked_time());
        let options = scale::Options {
            size: self.scale,
            filter: match self.filter {
                FilterName::Polyphase => Filter::Polyphase,
                FilterName::Lanczos => Filter::Lanczos,
                FilterName::Bilinear => Filter::Bilinear,
                FilterName::Nearest => Filter::Nearest,
            },
            adaptive: self.adaptive,
            siting: kind.siting(),
            align: match self.align {
                AlignName::Centre => Align::Centre,
                AlignName::Corner => Align::Corner,
            },
            sharpen: self.sharpen.then(IefState::default),
        };
        let stop = Stop::default();
        let scale = match options.does_nothing(kind.size.0, kind.size.1) {
            true => None,
            false => Some(Scale::new(&options, kind.size)?.until(&stop)),
        };
        let mut done = Done {
            read: 0,
            written: 0,
            stopped: false,
            remarks: Vec::new(),
            quality: None,
        };
        let fields = self.fields(self.scan(&kind, &mut done.remarks)?);
        let mut fields = fields.map(|fields| fields.until(&stop));
        if fields.is_some() && (kind.size.0 > block::LAST.0 + 1 || kind.size.1 > block::LAST.1 + 2)
        {
            let (x, y) = block::LAST;
            done.remarks.push(format!(
                "the deinterlace message addresses columns up to {x} and rows up to {y} (PRM 4.11.1.9); what lies \
                 beyond is made all the same"
            ));
        }
        let made = self.result(&kind, &mut done.remarks);
        let raw = self.raw.or_else(|| raw_by_name(&self.input));
        let mut sink = Sink {
            writer: Writer::create(&self.output, raw, &made)?,
            scale,
            written: 0,
            last: None,
            compares: self.compare.is_some(),
            transparent: false,
            reference: match &self.reference {
                Some(path) => Some(Reference::open(path, self.raw, made.size)?),
                None => None,
            },
        };
        if let Some(file) = reader
            .files()
            .iter()
            .find(|file| sink.writer.replaces(file))
        {
            return Err(VideoError::wrong(format!(
                "{} is read and would be written; pictures go to another folder or have other names",
                file.display()
            )));
        }
        if let Some(folder) = sink
            .writer
            .folder()
            .filter(|folder| same(folder, &self.input))
        {
            return Err(VideoError::wrong(format!(
                "{} is read as a whole; what is made goes to another folder",
                folder.display()
            )));
        }
        if let Some(path) = &self.compare {
            // Said before any work is done.
            files::check(path).map_err(|e| VideoError::file(path, e))?;
            let read = reader.files().iter().any(|file| same(file, path));
            if read || sink.writer.replaces(path) {
                return Err(VideoError::wrong(format!(
                    "--compare {}: is one of the pictures that are read or written",
                    path.display()
                )));
            }
        }
        signals::stop_first(&stop);
        let bar = bar(kind.frames, text);
        let mut last = None;
        let frames = Ahead::new(reader, self.frames);
        let mut all = || -> Result<(), VideoError> {
            while let Some(picture) = frames.next(&stop)? {
                if let Some(time) = time.filter(|&time| begun.elapsed() > time) {
                    let (code, time) = (Code::L0761, time.as_secs_f64());
                    return Err(VideoError::wrong(format!(
                        "{code}: out of time after {} frames: the limit is {time} s (--timeout)",
                        done.read
                    )));
                }
                done.read += 1;
                match &mut fields {
                    Some(fields) => {
                        for made in fields.push(&picture)? {
                            sink.push(&picture, made)?;
                        }
                    }
                    None => sink.push(&picture, picture.clone())?,
                }
                last = Some(picture);
                bar.inc(1);
            }
            stop.check()?;
            if let (Some(fields), Some(picture)) = (&mut fields, &last)
                && let Some(made) = fields.finish(picture)?
            {
                sink.push(picture, made)?;
            }
            Ok(())
        };
        done.stopped = match all() {
            Err(VideoError::Stopped) => true,
            other => other.map(|()| false)?,
        };
        bar.finish_and_clear();
        done.written = sink.written;
        if let Some(reference) = sink.reference.take() {
            done.quality = Some(reference.quality);
        }
        if done.written == 0 {
            let why = match done.stopped {
                true => "stopped before the first frame",
                false => "there is no frame in it",
            };
            let input = self.input.display();
            return Err(VideoError::wrong(format!(
                "{input}: {why}; nothing is written"
            )));
        }
        if sink.transparent && sink.writer.drops_alpha() {
            let output = self.output.display();
            done.remarks
                .push(format!("{output} has no transparency: it is left out"));
        }
        // The comparison first: where it cannot be written nothing is.
        let comparison = match (&self.compare, &sink.last) {
            (Some(path), Some((input, made))) => {
                Some(compare::draft(path, (input, made), kind.range())?)
            }
            _ => None,
        };
        // What was stopped is kept too: whole frames, and the file is complete.
        sink.writer.finish()?;
        if let Some(comparison) = comparison {
            comparison.keep()?;
        }
        Ok(done)
    }
}

/// The last stage.
struct Sink {
    writer: Writer,
    scale: Option<Scale>,
    written: u64,
    last: Option<(Picture, Picture)>,
    compares: bool,
    /// Some pixel of some frame is not opaque.
    transparent: bool,
    reference: Option<Reference>,
}

/// The clip that results are measured against.
struct Reference {
    path: PathBuf,
    reader: Reader,
    quality: Quality,
}

impl Reference {
    fn open(path: &Path, raw: Option<Raw>, size: (u32, u32)) -> Result<Reference, VideoError> {
        // Raw frames are of the result's kind where their names do not say it.
        let is_raw = raw_by_name(path).is_some();
        Ok(Reference {
            path: path.to_path_buf(),
            reader: Reader::open(path, raw.filter(|_| is_raw), is_raw.then_some(size))?,
            quality: Quality::default(),
        })
    }

    fn measure(&mut self, made: &Picture) -> Result<(), VideoError> {
        let path = self.path.display();
        match self.reader.read()? {
            Some(frame) => self.quality.add(made, &frame),
            None => Err(VideoError::wrong(format!(
                "--reference {path} has fewer frames than the result"
            ))),
        }
    }
}

impl Sink {
    fn push(&mut self, input: &Picture, made: Picture) -> Result<(), VideoError> {
        let made = match &self.scale {
            Some(scale) => scale.run(&made)?,
            None => made,
        };
        self.transparent |= made.is_transparent();
        if let Some(reference) = &mut self.reference {
            reference.measure(&made)?;
        }
        self.writer.push(&made)?;
        self.written += 1;
        if self.compares {
            self.last = Some((input.clone(), made));
        }
        Ok(())
    }
}

fn bar(total: Option<u64>, text: bool) -> ProgressBar {
    if !text || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = "{wide_bar} {pos}/{len} frames {per_sec} {eta}";
    let bar = match total {
        Some(total) => ProgressBar::new(total),
        None => ProgressBar::new_spinner(),
    };
    match ProgressStyle::with_template(style) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
