//! Pictures to learn from: which texels an instruction touches, and where a tiling puts bytes.

use super::drawing::{Colour, Drawing, LETTER};
use crate::exec::Observer;
use crate::exec::observer::{Access, AccessKind, At, SpaceName, Spot};
use crate::message::Request;
use crate::sampler::sample::Taken;
use crate::source::Span;
use crate::surface::picture::Range;
use crate::surface::{BytePosition, Image, Kind, Picture, Refused, Surface, Tiled, Tiling};
use std::collections::{BTreeMap, BTreeSet};

const READ: Colour = [220, 30, 30];
const WRITTEN: Colour = [20, 60, 220];
const LINE: Colour = [160, 160, 160];
const INK: Colour = [0, 0, 0];

/// A texel of a surface: level counted in memory, slice, column, row.
pub type TexelAt = (u32, u32, u32, u32);

/// How a texel was touched.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// It was written.
    pub written: bool,
    /// Its greatest part in the result of a lane; 1 where nothing is filtered.
    pub weight: f64,
}

/// Collects the texels that one statement touches, of every surface.
#[derive(Clone, Debug)]
pub struct Touched {
    /// The statement.
    pub span: Span,
    /// The lane that is looked at; all if not given.
    pub lane: Option<u8>,
    /// Texels by binding table index.
    pub texels: BTreeMap<u32, BTreeMap<TexelAt, Touch>>,
    /// Pieces of media blocks by binding table index: byte column, row, bytes, written.
    pub pieces: BTreeMap<u32, BTreeSet<(i64, i64, u32, bool)>>,
    /// The surface that the message being served names.
    surface: Option<u32>,
    /// The parts that texels have in the lanes of that message so far: several samples of a lane may take one.
    parts: BTreeMap<(usize, TexelAt), f64>,
}

/// A loop may touch texels without end.
const MOST: usize = 1 << 20;

impl Touched {
    /// For the statement at `span`, in one lane or in all.
    pub fn new(span: Span, lane: Option<u8>) -> Touched {
        Touched {
            span,
            lane,
            texels: BTreeMap::new(),
            pieces: BTreeMap::new(),
            surface: None,
            parts: BTreeMap::new(),
        }
    }

    /// The binding table indices that were touched.
    pub fn surfaces(&self) -> BTreeSet<u32> {
        self.texels
            .keys()
            .chain(self.pieces.keys())
            .copied()
            .collect()
    }

    /// Adds what another thread touched.
    pub fn join(&mut self, other: &Touched) {
        for (surface, texels) in &other.texels {
            for (texel, touch) in texels {
                self.texel(*surface, *texel, *touch);
            }
        }
        for (surface, pieces) in &other.pieces {
            self.pieces.entry(*surface).or_default().extend(pieces);
        }
    }

    fn texel(&mut self, surface: u32, texel: TexelAt, touch: Touch) {
        let texels = self.texels.entry(surface).or_default();
        if texels.len() < MOST || texels.contains_key(&texel) {
            let known = texels.entry(texel).or_default();
            known.written |= touch.written;
            known.weight = known.weight.max(touch.weight);
        }
    }
}

impl Observer for Touched {
    fn message(&mut self, at: At, request: &Request) {
        self.parts.clear();
        self.surface = match request {
            Request::Sampler(sampler) if at.site.span == self.span => Some(sampler.surface),
            _ => None,
        };
    }

    fn texel(&mut self, at: At, lane: usize, taken: &Taken) {
        let here = at.site.span == self.span && self.lane.is_none_or(|own| own as usize == lane);
        if let (true, Some(surface), Some((x, y))) = (here, self.surface, taken.at) {
            let texel = (taken.level, taken.slice, x, y);
            let part = self.parts.entry((lane, texel)).or_default();
            *part += taken.weight;
            let touch = Touch {
                written: false,
                weight: *part,
            };
            self.texel(surface, texel, touch);
        }
    }

    fn access(&mut self, at: At, access: &Access<'_>) {
        let SpaceName::Surface(surface) = access.space else {
            return;
        };
        // A block belongs to no lane.
        let other = self
            .lane
            .is_some_and(|own| access.lane.is_some_and(|lane| lane != own));
        if at.site.span != self.span || other {
            return;
        }
        let written = access.kind != AccessKind::Read;
        match access.spot {
            // What the sampler takes has been reported with its weight.
            Spot::Texel(_) if self.surface.is_some() => {}
            Spot::Texel([u, v, r, level]) if access.inside > 0 => {
                let touch = Touch {
                    written,
                    weight: 1.0,
                };
                self.texel(surface, (level, r, u, v), touch);
            }
            Spot::Block(x, y) => {
                let pieces = self.pieces.entry(surface).or_default();
                if pieces.len() < MOST {
                    pieces.insert((x, y, access.bytes, written));
                }
            }
            _ => {}
        }
    }
}

/// Most pixels of a drawing, across and down.
const SIDE: u32 = 1280;

/// A surface with the texels that were touched: the others are pale, a frame tells reading (red) from
/// writing (blue), and the frame of a filtered texel is the thicker the greater its weight, which is written in it
/// in hundredths where there is room.
///
/// Only the neighbourhood of what was touched is drawn where the surface is large; labels at the edges count
/// columns and rows. `image` is the level and slice to draw, `touches` those of the surface. Beside the drawing comes the
/// range in which values are shown: the one given, or that of all of them.
///
/// # Errors
/// [`Refused`] if the surface shows no picture.
pub fn surface(
    surface: &Surface,
    image: Image,
    range: Option<Range>,
    texels: Option<&BTreeMap<TexelAt, Touch>>,
    pieces: Option<&BTreeSet<(i64, i64, u32, bool)>>,
) -> Result<(Drawing, Range), Refused> {
    let (picture, range) = Picture::shown(surface, image, range)?;
    let d = surface.description();
    let mut touched: BTreeMap<(u32, u32), Touch> = BTreeMap::new();
    let mut touch = |x: u32, y: u32, new: Touch| {
        if x < picture.width && y < picture.height {
            let known = touched.entry((x, y)).or_default();
            known.written |= new.written;
            known.weight = known.weight.max(new.weight);
        }
    };
    for (&(level, slice, x, y), &new) in texels.into_iter().flatten() {
        if (level, slice) == (d.min_lod + image.level, image.slice) {
            touch(x, y, new);
        }
    }
    let cell = d.format.cell();
    for &(x, y, bytes, written) in pieces.into_iter().flatten() {
        let (width, across) = match cell.bytes {
            0 => (1, 1),
            bytes => (i64::from(bytes), cell.across),
        };
        // Pieces outside touch the edge texels that they repeat.
        let column = |byte: i64| byte.div_euclid(width).clamp(0, i64::from(u32::MAX)) as u32;
        let last = picture.width.saturating_sub(1);
        let (from, to) = (column(x), column(x + i64::from(bytes) - 1));
        let row = y.clamp(0, i64::from(picture.height.saturating_sub(1))) as u32;
        for x in (from * across).min(last)..=(to * across + across - 1).min(last) {
            touch(
                x,
                row,
                Touch {
                    written,
                    weight: 1.0,
                },
            );
        }
    }
    if d.kind == Kind::Buffer {
        return Err(Refused::error(
            "a buffer shows no picture",
            "surface reference 1.1",
        ));
    }
    Ok((draw(&picture, &touched), range))
}

fn draw(picture: &Picture, touched: &BTreeMap<(u32, u32), Touch>) -> Drawing {
    let window = |size: u32, pick: fn(&(u32, u32)) -> u32| {
        let (low, high) = (
            touched.keys().map(pick).min(),
            touched.keys().map(pick).max(),
        );
        let (low, high) = (low.unwrap_or(0), high.unwrap_or(size.saturating_sub(1)));
        // Small surfaces are drawn whole, larger ones with a margin around what is touched.
        match size <= 80 {
            true => (0, size),
            false => (low.saturating_sub(4), (high + 5).min(size)),
        }
    };
    let (x0, x1) = window(picture.width, |at| at.0);
    let (y0, y1) = window(picture.height, |at| at.1);
    let (columns, rows) = ((x1 - x0).max(1), (y1 - y0).max(1));
    let margin = 6 * LETTER.0;
    let zoom = ((SIDE - margin) / columns.max(rows)).clamp(1, 40);
    let mut drawing = Drawing::new(margin + columns * zoom, margin + rows * zoom);
    let at = |x: u32, y: u32| {
        [
            margin + (x - x0) * zoom,
            margin + (y - y0) * zoom,
            zoom,
            zoom,
        ]
    };
    for y in y0..y1 {
        for x in x0..x1 {
            let [r, g, b, _] =
                picture.pixels[(y * picture.width + x) as usize].map(|c| (c >> 8) as u8);
            let pale = |c: u8| ((u32::from(c) + 3 * 235) / 4) as u8;
            match touched.contains_key(&(x, y)) {
                true => drawing.fill(at(x, y), [r, g, b]),
                false => drawing.fill(at(x, y), [r, g, b].map(pale)),
            }
            if zoom >= 8 {
                drawing.frame(at(x, y), 1, LINE);
            }
        }
    }
    let most = touched
        .values()
        .fold(0.0, |most: f64, t| most.max(t.weight));
    for (&(x, y), touch) in touched.range((x0, y0)..) {
        if x >= x1 || y < y0 || y >= y1 {
            continue;
        }
        let colour = if touch.written { WRITTEN } else { READ };
        // One pixel for the lightest, an eighth of the texel for the one of most weight.
        let part = touch.weight / most.max(f64::MIN_POSITIVE);
        let thick = (f64::from(zoom) / 8.0 * part).round().max(1.0) as u32;
        drawing.frame(at(x, y), thick, colour);
        let percent = (100.0 * touch.weight).round();
        if percent < 100.0 && zoom >= 2 * LETTER.0 + 12 && zoom >= LETTER.1 + 12 {
            let [r, g, b, _] = picture.pixels[(y * picture.width + x) as usize];
            let light = u32::from(r) + u32::from(g) + u32::from(b) > 3 * 0x8000;
            let ink = if light { INK } else { [255; 3] };
            let [left, top, ..] = at(x, y);
            drawing.label(left + 7, top + 7, &percent.to_string(), ink);
        }
    }
    // As many numbers as there is room for, at round columns and rows.
    let step = |size: u32| {
        [1, 2, 4, 8, 16, 32, 64]
            .into_iter()
            .find(|s| s * zoom >= size)
            .unwrap_or(128)
    };
    let across = step(4 * LETTER.0);
    for x in (x0..x1).filter(|x| x.is_multiple_of(across)) {
        drawing.label(
            margin + (x - x0) * zoom + 1,
            margin - LETTER.1 - 4,
            &x.to_string(),
            INK,
        );
    }
    let down = step(LETTER.1 + 4);
    for y in (y0..y1).filter(|y| y.is_multiple_of(down)) {
        drawing.label(2, margin + (y - y0) * zoom + 1, &y.to_string(), INK);
    }
    drawing
}

/// One tile of a tiling: cells of bytes that are neighbours in memory, each with the hexadecimal address of
/// its first byte, dark at the start of the tile and light at its end. Columns and rows are labelled at the
/// edges, columns in bytes.
///
/// # Errors
/// [`Refused`] if the tiling has no shape for elements of `bits`.
pub fn tile(tiling: Tiling, bits: u32, bit6: bool) -> Result<Drawing, Refused> {
    let what = || format!("tiling {tiling:?} has no shape for {bits} bits");
    let shape = tiling.tile(bits).filter(|_| tiling != Tiling::Linear);
    let Some((width, height)) = shape else {
        return Err(Refused::error(what(), "surface reference 3.1"));
    };
    if bit6 && !tiling.is_swizzled() {
        let what = format!("the swizzle of address bit 6 is for tilings X and Y, not {tiling:?}");
        return Err(Refused::error(
            what,
            "surface reference 3.1, \"Bit-6 swizzling\"",
        ));
    }
    let pitch = tiling.pitch_unit(bits).unwrap_or(width);
    let tiled = Tiled {
        tiling,
        element_bits: bits,
        pitch,
        bit6,
    };
    // X tiles have rows of 512 bytes; a cell shows an eighth of one.
    let run = tiling.run(bit6).min(64);
    let total = u64::from(width) * u64::from(height);
    let digits = if total > 0x1000 { 4 } else { 3 };
    let (cell_w, cell_h) = (digits * LETTER.0 + 6, LETTER.1 + 6);
    let margin = 4 * LETTER.0 + 6;
    let columns = width / run;
    let mut drawing = Drawing::new(margin + columns * cell_w, margin + height * cell_h);
    for y in 0..height {
        for column in 0..columns {
            let address = tiled.offset(BytePosition {
                column: column * run,
                row: y,
            });
            let shade = (70 + address * 180 / total) as u8;
            let at = [
                margin + column * cell_w,
                margin + y * cell_h,
                cell_w,
                cell_h,
            ];
            drawing.fill(at, [shade / 2, shade, 255 - shade / 3]);
            drawing.frame(at, 1, LINE);
            let ink = if shade < 150 { [255; 3] } else { INK };
            let text = format!("{address:0width$x}", width = digits as usize);
            drawing.label(at[0] + 4, at[1] + 3, &text, ink);
        }
    }
    for column in 0..columns {
        let x = margin + column * cell_w + 4;
        drawing.label(x, margin - LETTER.1 - 4, &(column * run).to_string(), INK);
    }
    for y in 0..height {
        drawing.label(2, margin + y * cell_h + 3, &y.to_string(), INK);
    }
    Ok(drawing)
}
