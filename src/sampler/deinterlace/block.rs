//! One `deinterlace` message: a block of a frame, from surfaces to samples and statistics.
//!
//! ```text
//!  surface n     current frame ──┐
//!  surface n+1   previous frame ─┼─ a window around the block ─ denoise, motion, fields ─▶ Block
//!  surface n+2   statistics ─────┘
//! ```
//!
//! What a pixel becomes depends on its neighbourhood only, so a window with a margin gives the bytes that
//! the whole frame would give, denoised before it is deinterlaced (D9). The previous frame is taken as
//! software left it: denoised, if that is on. Source: AVS reference 5.1 and 5.3.

use super::denoise::{Block4x4, Denoised, Past, denoise, noise_estimate};
use super::fields::{Channel, Frames, Output, double_columns, double_rows};
use super::motion::{PAIRS, motion};
use super::picture::columns;
use super::statistics::{Variances, variances};
use super::{DeinterlaceState, Plane};
use crate::sampler::Read;
use crate::sampler::avs::AvsError;
use crate::sampler::avs::view::{self, B, G, Grid, MediaView, R};
use crate::surface::{Kind, Surface, Tiling};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// Columns of a block.
pub const WIDTH: usize = 16;

/// The greatest column and row that a message can name. Source: PRM 4.11.1.9.
pub const LAST: (u32, u32) = (4095, 2046);

/// Pixels around a block that its samples may depend on, rounded up to whole 4x4 blocks: rows of the
/// search along edges (3), of motion (3), of the 3x3 of denoising by fields (2), of its 4x4 block (3 + 2).
const MARGIN: u32 = 12;

/// What a message reads.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The frame of this time, fields interleaved.
    pub current: &'a Surface,
    /// The frame before; not read for the first frame.
    pub previous: Option<&'a Surface>,
    /// Motion and history of the frame before; not read for the first frame.
    pub statistics: Option<&'a Surface>,
}

/// What [`DeinterlaceError::Missing`] names.
const PREVIOUS: &str = "a previous frame";

/// Why a message has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeinterlaceError {
    /// Not a frame.
    #[error(transparent)]
    Frame(#[from] AvsError),
    /// A format that this message does not read.
    #[error("the deinterlace message reads YCRCB, planar and Y8 frames, not {0} (PRM 4.10.2.2)")]
    Format(crate::surface::Format),
    /// A surface without texels.
    #[error("the null surface holds no frame")]
    Null,
    /// What of these is wrong with the frame before.
    #[error("of the previous frame: {0}")]
    Previous(Box<DeinterlaceError>),
    /// Both frames must be alike.
    #[error("the previous frame is {previous}, the current one {current}")]
    Mismatch {
        /// Format and size.
        previous: String,
        /// Format and size.
        current: String,
    },
    /// Not bound although needed.
    #[error("the message needs {0}, unless first_frame is set")]
    Missing(&'static str),
    /// No plain plane of bytes.
    #[error("statistics lie in a 2D surface of 8-bit elements, not in {0}")]
    Statistics(String),
    /// [`DenoisedPart::frame`] was asked to end.
    #[error("deinterlacing was asked to end inside a frame")]
    Halted,
    /// No layout is published.
    #[error("partial deinterlacing returns data of unpublished layout (AVS reference 5.9)")]
    Partial,
}

impl DeinterlaceError {
    /// Which of the message's consecutive surfaces it is about: 0 the frame, 1 the one before, 2 statistics.
    pub fn entry(&self) -> u32 {
        match self {
            Self::Previous(_) | Self::Mismatch { .. } | Self::Missing(PREVIOUS) => 1,
            Self::Statistics(_) | Self::Missing(_) => 2,
            Self::Frame(_) | Self::Format(_) | Self::Null | Self::Halted | Self::Partial => 0,
        }
    }
}

/// One frame's part of a block: luma rows of 16, and Cb and Cr rows of 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Samples {
    /// Luma.
    pub luma: [[u8; WIDTH]; 8],
    /// Cb and Cr of each pair.
    pub chroma: [[[u8; 2]; PAIRS]; 8],
}

/// What a message finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Frame at the time of the previous frame's second field, 4 rows; none for the first frame.
    pub previous: Option<Samples>,
    /// Frame at the time of the current first field, 4 rows; without deinterlacing the frame itself, 8 rows.
    pub current: Samples,
    /// The current frame, denoised, 4 rows: software keeps its second field.
    pub denoised: Samples,
    /// Motion of pairs, 4 rows.
    pub stmm: [[u8; PAIRS]; 4],
    /// Everything counted.
    pub statistics: Statistics,
}

/// What software reads beside the pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Left edge and top of the block.
    pub at: (u16, u16),
    /// History of the 4x4 blocks, upper and lower four.
    pub history: [[u8; 4]; 2],
    /// Block noise estimate.
    pub noise: u8,
    /// Field variances.
    pub variances: Variances,
    /// Sums of each 4x4 block, upper and lower four.
    pub sums: [[Block4x4; 4]; 2],
}

/// Rows of a block: 4 with deinterlacing, 8 without.
pub const fn rows(state: &DeinterlaceState) -> usize {
    if state.di_enable { 4 } else { 8 }
}

/// Part of a frame: luma, then Cb and Cr as 4:2:2.
struct Window {
    luma: Plane,
    chroma: Option<[Plane; 2]>,
}

/// A rectangle of luma pixels: left, top, columns, rows; left and top are multiples of 4.
type Rectangle = (u32, u32, u32, u32);

/// Makes the block at (`x`, `y`), luma pixels; `x` is a multiple of 16.
///
/// # Errors
/// [`DeinterlaceError`]: the surfaces are not what the message reads.
pub fn block(
    state: &DeinterlaceState,
    inputs: &Inputs<'_>,
    at: (u32, u32),
) -> Result<Block, DeinterlaceError> {
    let height = rows(state) as u32;
    let go_on = AtomicBool::new(false);
    let part = DenoisedPart::read(state, inputs, |view| rectangle(view, at, height), &go_on)?;
    Ok(part.block(at))
}

/// Part of a frame, read and denoised with its past: what its blocks are made of.
///
/// For one message that is a window around the block, for the messages of a frame the whole of it, so that no pixel
/// is denoised twice; the blocks are the same (D9).
pub struct DenoisedPart<'a> {
    state: &'a DeinterlaceState,
    /// Pixel of the frame that the part begins with.
    origin: (i32, i32),
    /// The last pixel of the frame.
    last: (i32, i32),
    current: Window,
    past: Option<(Window, Records<'a>)>,
    denoised: Option<Denoised>,
}

impl<'a> DenoisedPart<'a> {
    /// The whole frame.
    ///
    /// # Errors
    /// As [`block()`]; [`DeinterlaceError::Halted`] when `halt` is set meanwhile.
    pub fn frame(
        state: &'a DeinterlaceState,
        inputs: &Inputs<'a>,
        halt: &AtomicBool,
    ) -> Result<DenoisedPart<'a>, DeinterlaceError> {
        let whole = |view: &MediaView| (0, 0, view.width, view.height);
        DenoisedPart::read(state, inputs, whole, halt)
    }

    fn read(
        state: &'a DeinterlaceState,
        inputs: &Inputs<'a>,
        rectangle: impl Fn(&MediaView) -> Rectangle,
        halt: &AtomicBool,
    ) -> Result<DenoisedPart<'a>, DeinterlaceError> {
        if state.di_enable && state.di_partial {
            return Err(DeinterlaceError::Partial);
        }
        let view = frame(inputs.current)?;
        let at = rectangle(&view);
        let current = window(&view, at);
        let past = match state.first_frame {
            true => None,
            false => {
                let surface = inputs.previous.ok_or(DeinterlaceError::Missing(PREVIOUS))?;
                let previous =
                    frame(surface).map_err(|e| DeinterlaceError::Previous(Box::new(e)))?;
                let shape = |v: &MediaView| format!("{} {}x{}", v.format.format, v.width, v.height);
                if shape(&previous) != shape(&view) {
                    return Err(DeinterlaceError::Mismatch {
                        previous: shape(&previous),
                        current: shape(&view),
                    });
                }
                let surface = inputs
                    .statistics
                    .ok_or(DeinterlaceError::Missing("statistics"))?;
                Some((window(&previous, at), Records::of(surface)?))
            }
        };
        let mut part = DenoisedPart {
            state,
            origin: (at.0 as i32, at.1 as i32),
            last: (view.width as i32 - 1, view.height as i32 - 1),
            current,
            past,
            denoised: None,
        };
        // History is kept where luma is denoised.
        if state.dn_enable {
            let denoised = part.denoise(halt).ok_or(DeinterlaceError::Halted)?;
            part.denoised = Some(denoised);
        }
        Ok(part)
    }

    /// Whether its blocks are frames made of fields.
    pub fn makes_frames(&self) -> bool {
        self.state.di_enable
    }

    fn denoise(&self, halt: &AtomicBool) -> Option<Denoised> {
        let luma = &self.current.luma;
        let Some((window, records)) = &self.past else {
            return denoise(self.state, luma, None, halt);
        };
        let (across, down) = super::denoise::blocks(luma);
        let (left, top) = (self.origin.0 as u32, self.origin.1 as u32);
        let blocks = (0..down as u32).flat_map(|by| (0..across as u32).map(move |bx| (bx, by)));
        let history: Vec<u8> = blocks
            .map(|(bx, by)| records.history(left + 4 * bx, top + 4 * by))
            .collect();
        let past = Past {
            frame: &window.luma,
            history: &history,
        };
        denoise(self.state, luma, Some(past), halt)
    }

    /// Current luma, denoised if that is asked for.
    fn clean(&self) -> &Plane {
        let denoised = self.denoised.as_ref();
        denoised.map_or(&self.current.luma, |denoised| &denoised.frame)
    }

    /// The block at a place of the frame whose surroundings the part holds.
    pub fn block(&self, (x, y): (u32, u32)) -> Block {
        let state = self.state;
        let place = BlockPosition::new(self, (x, y));
        let stmm = std::array::from_fn(|j| self.stmm(&place, j));
        let previous = self.past.as_ref().map(|(window, _)| window);
        let made = |output, weave| {
            self.samples(&place, |plane, channel, column, j| {
                let frames = Frames {
                    channel,
                    previous: previous.and_then(|window| plane.of(window, &window.luma)),
                    current: plane.of(&self.current, self.clean())?,
                };
                let at = (column, place.row(j));
                Some(frames.row(state, (output, weave), at, &stmm[j.min(3)]))
            })
        };
        let denoised = self.samples(&place, |plane, _, column, j| {
            let plane = plane.of(&self.current, self.clean())?;
            Some(columns(&plane.strip(column, place.row(j)), 0))
        });
        let (first, second) = if state.di_enable {
            let second = previous.map(|_| made(Output::PreviousSecond, state.fmd_previous));
            (made(Output::CurrentFirst, state.fmd_current), second)
        } else {
            (denoised, None)
        };
        Block {
            previous: second,
            current: first,
            denoised,
            stmm: if state.di_enable {
                stmm
            } else {
                [[0; PAIRS]; 4]
            },
            statistics: self.statistics(&place, (x, y)),
        }
    }

    /// The samples of a block: rows of `row`, given a plane, how it is made, its first column, and the block's row.
    fn samples(
        &self,
        place: &BlockPosition,
        row: impl Fn(Which, Channel, i32, usize) -> Option<[u8; WIDTH]>,
    ) -> Samples {
        let mut samples = Samples {
            luma: [[0; WIDTH]; 8],
            chroma: [[[0; 2]; PAIRS]; 8],
        };
        for j in 0..place.rows {
            let luma = row(Which::Luma, Channel::Luma, place.left, j).unwrap_or_default();
            samples.luma[j] = match place.is_inside() {
                true => luma,
                false => std::array::from_fn(|i| luma[place.column(i)]),
            };
            for k in 0..2 {
                let Some(chroma) = row(Which::Chroma(k), Channel::Chroma, place.left / 2, j) else {
                    continue;
                };
                let inside = place.is_inside();
                for (i, pair) in samples.chroma[j].iter_mut().enumerate() {
                    pair[k] = match inside {
                        true => chroma[i],
                        false => chroma[place.column(2 * i) / 2],
                    };
                }
            }
        }
        samples
    }

    /// Motion of the pairs of a row of a block.
    fn stmm(&self, place: &BlockPosition, j: usize) -> [u8; PAIRS] {
        let (x, y) = (place.left, place.row(j));
        let past = self.past.as_ref().map(|(window, records)| {
            let before = records.stmm((x + self.origin.0) / 2, y + self.origin.1);
            (&window.luma, before)
        });
        let motion = motion(self.state, self.clean(), past, (x, y));
        std::array::from_fn(|i| motion[place.column(2 * i) / 2])
    }

    fn statistics(&self, place: &BlockPosition, at: (u32, u32)) -> Statistics {
        let state = self.state;
        let (current, previous) = (&self.current.luma, self.past.as_ref());
        let start = (place.left + place.column(0) as i32, place.row(0));
        let size = (WIDTH, place.rows as i32);
        let mut found = Statistics {
            at: (at.0 as u16, at.1 as u16),
            noise: noise_estimate(state, current, start, size),
            ..Statistics::default()
        };
        if state.di_enable {
            let previous = previous.map(|(window, _)| &window.luma);
            found.variances = variances(state, current, previous, start);
        }
        let Some(denoised) = &self.denoised else {
            return found;
        };
        let across = super::denoise::blocks(current).0;
        for (half, upper) in (0..place.rows).step_by(4).enumerate() {
            for block in 0..4 {
                let (x, y) = (
                    place.left + place.column(4 * block) as i32,
                    place.row(upper),
                );
                let at = (y / 4 * across + x / 4) as usize;
                found.history[half][block] = denoised.history.get(at).copied().unwrap_or(0);
                found.sums[half][block] = denoised.measured.get(at).copied().unwrap_or_default();
            }
        }
        found
    }
}

/// Luma or one of the chroma planes.
#[derive(Clone, Copy)]
enum Which {
    Luma,
    Chroma(usize),
}

impl Which {
    /// The plane of a window whose luma is `luma`.
    fn of<'w>(self, window: &'w Window, luma: &'w Plane) -> Option<&'w Plane> {
        match self {
            Which::Luma => Some(luma),
            Which::Chroma(k) => window.chroma.as_ref().map(|planes| &planes[k]),
        }
    }
}

/// Where a block lies in a part; pixels beyond the frame are those of its edge.
struct BlockPosition {
    /// The first column, inside.
    left: i32,
    /// The last column that there is, counted from the first.
    last: usize,
    /// Where the columns of the block begin, if that is not inside.
    first: usize,
    /// The first row, and the last one of the frame.
    top: (i32, i32),
    rows: usize,
}

impl BlockPosition {
    fn new(part: &DenoisedPart, (x, y): (u32, u32)) -> BlockPosition {
        let whole = |at: u32| i32::try_from(at).unwrap_or(i32::MAX);
        let block = WIDTH as i32;
        // A block beyond the frame is made of the last one inside.
        let left = whole(x).min(part.last.0 / block * block);
        BlockPosition {
            left: left - part.origin.0,
            last: (part.last.0 - left) as usize,
            first: (whole(x) - left) as usize,
            top: (
                whole(y).min(part.last.1) - part.origin.1,
                part.last.1 - part.origin.1,
            ),
            rows: rows(part.state),
        }
    }

    /// Whether all columns are.
    fn is_inside(&self) -> bool {
        self.first == 0 && self.last >= WIDTH - 1
    }

    /// The place of a column of the block, counted from the first.
    fn column(&self, i: usize) -> usize {
        (self.first.saturating_add(i)).min(self.last)
    }

    /// A row of the block, as one of the part.
    fn row(&self, j: usize) -> i32 {
        (self.top.0 + j as i32).min(self.top.1)
    }
}
/// A frame of a format of PRM 4.10.2.2 that is not for `sample_8x8` only.
fn frame(surface: &Surface) -> Result<MediaView<'_>, DeinterlaceError> {
    if surface.description().kind == Kind::Null {
        return Err(DeinterlaceError::Null);
    }
    let view = MediaView::frame(surface)?;
    match (view.format.grid, view.place(G)) {
        (Grid::Full, _) | (Grid::Single, None) => Err(DeinterlaceError::Format(surface.format())),
        _ => Ok(view),
    }
}

/// The part of the frame that a block may depend on.
fn rectangle(view: &MediaView, (x, y): (u32, u32), height: u32) -> Rectangle {
    let side = |at: u32, extent: u32, size: u32| {
        let at = at.min(size - 1);
        let first = at.saturating_sub(MARGIN) / 4 * 4;
        let end = at
            .saturating_add(extent + MARGIN)
            .next_multiple_of(4)
            .min(size);
        (first, end - first)
    };
    let (left, columns) = side(x, WIDTH as u32, view.width);
    let (top, rows) = side(y, height, view.height);
    (left, top, columns, rows)
}

fn window(view: &MediaView, (left, top, columns, rows): Rectangle) -> Window {
    let all = |channel, at, size: (u32, u32)| {
        let codes = view.codes(channel, at, size)?;
        Some(Plane::new(size.0, size.1, &codes))
    };
    let luma = all(G, (left, top), (columns, rows));
    let chroma = |channel| {
        let (plane, _) = view.place(channel)?;
        let (at, size) = on_plane(view, plane, (left, top, columns, rows));
        let codes = all(channel, at, size)?;
        Some(match view.format.grid {
            Grid::Planar420 => double_rows(&codes),
            Grid::Planar411 => double_columns(&codes),
            _ => codes,
        })
    };
    Window {
        // A frame has luma: it was looked for.
        luma: luma.unwrap_or_else(|| Plane::from_fn(columns, rows, |_, _| 0)),
        chroma: chroma(B).zip(chroma(R)).map(|(cb, cr)| [cb, cr]),
    }
}

/// Corner and size of a rectangle of luma pixels on a plane.
fn on_plane(
    view: &MediaView,
    plane: &view::Plane,
    (left, top, columns, rows): Rectangle,
) -> ((u32, u32), (u32, u32)) {
    // How much coarser chroma is; a plane has a row and a column at least.
    let (across, down) = match view.format.grid {
        _ if !plane.subsampled => (1, 1),
        Grid::Planar420 => (2, 2),
        Grid::Planar411 => (4, 1),
        _ => (2, 1),
    };
    let (width, height) = (plane.size.0 as u32, plane.size.1 as u32);
    let part = |first: u32, count: u32, by: u32, size: u32| {
        let first = (first / by).min(size - 1);
        (first, count.div_ceil(by).clamp(1, size - first))
    };
    let ((x, columns), (y, rows)) = (
        part(left, columns, across, width),
        part(top, rows, down, height),
    );
    ((x, y), (columns, rows))
}

/// What a message reads of the frame, of the one before, and of the statistics.
///
/// # Errors
/// As [`block()`].
pub fn reads(
    state: &DeinterlaceState,
    inputs: &Inputs<'_>,
    (x, y): (u32, u32),
) -> Result<[BTreeSet<Read>; 3], DeinterlaceError> {
    let view = frame(inputs.current)?;
    let height = rows(state) as u32;
    let at = rectangle(&view, (x, y), height);
    let texels = |view: &MediaView| -> BTreeSet<Read> {
        let planes = view.planes().iter();
        let all = planes.flat_map(|plane| {
            let ((x, y), (columns, rows)) = on_plane(view, plane, at);
            let cells = (y..y + rows).flat_map(move |y| (x..x + columns).map(move |x| (x, y)));
            cells.map(|(x, y)| view.place_of(plane, x, y))
        });
        all.collect()
    };
    let mut found = [texels(&view), BTreeSet::new(), BTreeSet::new()];
    let past = inputs.previous.zip(inputs.statistics);
    let Some((previous, statistics)) = past.filter(|_| !state.first_frame) else {
        return Ok(found);
    };
    found[1] = texels(&frame(previous)?);
    let records = Records::of(statistics)?;
    let (left, top, columns, rows) = at;
    let blocks = (top..top + rows).step_by(4);
    let blocks = blocks.flat_map(|y| (left..left + columns).step_by(4).map(move |x| (x, y)));
    let history = blocks.map(|(x, y)| records.of_history(x, y));
    let pairs = (0..height).flat_map(|j| (0..WIDTH as u32).step_by(2).map(move |i| (i, j)));
    let motion = pairs.map(|(i, j)| {
        let clamped = |at: u32, by: u32, size: u32| at.saturating_add(by).min(size - 1);
        (clamped(x, i, view.width) / 2, clamped(y, j, view.height))
    });
    let history = history.filter(|_| state.dn_enable);
    let motion = motion.filter(|_| state.di_enable);
    found[2] = history
        .chain(motion)
        .filter_map(|(column, row)| {
            let start = records.place(column, row)?;
            let at = (column, row);
            Some(Read {
                start,
                bytes: 1,
                at,
                asked: (column as i32, row as i32),
            })
        })
        .collect();
    Ok(found)
}

/// What of the frame's statistics has no place on the surface, where it reads as zero. Source: AVS reference 5.9.
pub fn limits(state: &DeinterlaceState, inputs: &Inputs<'_>) -> Option<String> {
    if state.first_frame {
        return None;
    }
    let view = frame(inputs.current).ok()?;
    let records = Records::of(inputs.statistics?).ok()?;
    let (width, height) = (view.width, view.height);
    let motion = (width.div_ceil(2), height);
    let history = (width.div_ceil(4), height.div_ceil(4));
    let kinds = [
        ("motion", state.di_enable, motion),
        ("history", state.dn_enable, history),
    ];
    let (half, rows) = (records.half, records.surface.description().height);
    let outside =
        |&(_, kept, size): &(_, bool, (u32, u32))| kept && (size.0 > half || size.1 > rows);
    let (name, _, (across, down)) = kinds.into_iter().find(outside)?;
    Some(format!(
        "{name} of a frame of {width}×{height} takes {across} bytes of {down} rows, the surface of statistics has \
         {half} (half its pitch) of {rows}"
    ))
}

/// The statistics surface: motion at (X/2, Y), history at half the pitch plus X/4, row Y/4.
///
/// Source: AVS reference 5.9; PRM 4.7.5.1.1.
struct Records<'a> {
    surface: &'a Surface,
    half: u32,
}

impl<'a> Records<'a> {
    fn of(surface: &'a Surface) -> Result<Records<'a>, DeinterlaceError> {
        let d = surface.description();
        if d.kind != Kind::D2 || d.format.bits != 8 {
            let what = match d.kind {
                Kind::D2 => d.format.to_string(),
                Kind::Null => "the null surface".to_string(),
                _ => format!("{} that is not 2D", d.format),
            };
            return Err(DeinterlaceError::Statistics(what));
        }
        Ok(Records {
            surface,
            half: d.pitch / 2,
        })
    }

    /// The address of a byte; `None` beyond the surface's rows or memory.
    fn place(&self, column: u32, row: u32) -> Option<usize> {
        let d = self.surface.description();
        if row >= d.height || column >= d.pitch {
            return None;
        }
        let at = self.surface.address(column, row);
        (at < self.surface.memory().len()).then_some(at)
    }

    /// A byte; what lies beyond the surface's rows or memory reads as zero.
    fn byte(&self, column: u32, row: u32) -> u8 {
        self.place(column, row)
            .map_or(0, |at| self.surface.memory().load::<1>(at)[0])
    }

    /// Motion of the pairs of a block, from a pair on.
    fn stmm(&self, pair: i32, y: i32) -> [u8; PAIRS] {
        let (column, row) = (pair as u32, y as u32);
        let last = column.saturating_add(PAIRS as u32 - 1);
        if self.surface.description().tiling == Tiling::Linear
            && let (Some(first), Some(_)) = (self.place(column, row), self.place(last, row))
        {
            return self.surface.memory().load(first);
        }
        std::array::from_fn(|i| self.byte(column.saturating_add(i as u32), row))
    }

    fn history(&self, x: u32, y: u32) -> u8 {
        let (column, row) = self.of_history(x, y);
        self.byte(column, row)
    }

    /// Where the history of a pixel's block lies.
    fn of_history(&self, x: u32, y: u32) -> (u32, u32) {
        (self.half + x / 4, y / 4)
    }
}
