//! Images of surfaces during a run: what they showed when a step first touched them, and what was written since.

use super::record::{Patch, Surface as Written, hex};
use crate::exec::Bindings;
use crate::exec::observer::{Access, AccessKind, SpaceName, Spot};
use crate::surface::file::encode_picture;
use crate::surface::picture::{Pixels, Range, colour, range_of};
use crate::surface::{Image, Picture, Surface};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Pixels of all images together that are kept; those of further ones are not shown.
const MOST_PIXELS: u64 = 1 << 22;

/// Columns and rows of an image that is shown whole.
const WHOLE: u32 = 512;

/// Columns and rows around what was touched that are shown of larger ones.
const AROUND: u32 = 16;

/// An image by binding table index, level counted in memory, slice.
type Key = (u32, u32, u32);

/// The images of a run.
pub struct Images {
    surfaces: BTreeMap<u32, (String, Arc<Surface>)>,
    seen: BTreeMap<Key, Option<Seen>>,
    pixels: u64,
    /// Texels that the step at hand writes.
    dirty: BTreeSet<(Key, u32, u32)>,
}

/// An image that was touched.
struct Seen {
    size: (u32, u32),
    /// As it was: red, green, blue. The range in which they are shown is known at the end.
    first: Vec<[f32; 3]>,
    /// As it is, as far as steps told.
    now: Vec<[f32; 3]>,
    /// Touched columns and rows: from, to.
    touched: Option<[u32; 4]>,
    changes: Vec<Change>,
}

/// Texels side by side that a step has changed.
struct Change {
    step: u64,
    at: (u32, u32),
    values: Vec<[f32; 3]>,
}

impl Seen {
    fn new(surface: &Surface, image: Image) -> Option<Seen> {
        let pixels = Pixels::new(surface, image).ok()?;
        let size = pixels.size();
        let first: Vec<[f32; 3]> = all(size).map(|(x, y)| pixels.values(x, y)).collect();
        Some(Seen {
            size,
            now: first.clone(),
            first,
            touched: None,
            changes: Vec::new(),
        })
    }

    fn touch(&mut self, x: u32, y: u32) {
        let [x0, x1, y0, y1] = self.touched.unwrap_or([x, x, y, y]);
        self.touched = Some([x0.min(x), x1.max(x), y0.min(y), y1.max(y)]);
    }

    /// Takes over texels in the order of rows, whose neighbours become one change.
    fn take(&mut self, step: u64, pixels: &Pixels<'_>, texels: impl Iterator<Item = (u32, u32)>) {
        let before = self.changes.len();
        let mut next = None;
        for (x, y) in texels {
            let at = y as usize * self.size.0 as usize + x as usize;
            let new = pixels.values(x, y);
            let differs = |now: &&mut [f32; 3]| now.map(f32::to_bits) != new.map(f32::to_bits);
            let Some(now) = self.now.get_mut(at).filter(differs) else {
                continue;
            };
            *now = new;
            match self.changes[before..].last_mut() {
                Some(change) if next == Some((x, y)) => change.values.push(new),
                _ => self.changes.push(Change {
                    step,
                    at: (x, y),
                    values: vec![new],
                }),
            }
            next = Some((x + 1, y));
        }
    }

    /// Columns and rows that are shown: from, and how many.
    fn window(&self) -> ((u32, u32), (u32, u32)) {
        let [x0, x1, y0, y1] = self.touched.unwrap_or_default();
        let axis = |size: u32, from: u32, to: u32| {
            let from = from.saturating_sub(AROUND);
            let to = to.saturating_add(AROUND + 1).min(size);
            match size <= WHOLE {
                true => (0, size),
                false => (from, to - from),
            }
        };
        let (x, width) = axis(self.size.0, x0, x1);
        let (y, height) = axis(self.size.1, y0, y1);
        ((x, y), (width, height))
    }
}

fn all((width, height): (u32, u32)) -> impl Iterator<Item = (u32, u32)> {
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}

/// A colour in 8 bits.
fn bytes(values: [f32; 3], range: Range) -> [u8; 3] {
    colour(values, range).map(|v| (v >> 8) as u8)
}

impl Images {
    /// Of what is bound; `name` says what the program calls a surface.
    pub fn new(bindings: &Bindings, name: impl Fn(u32) -> String) -> Images {
        let surfaces = bindings.surfaces.iter();
        let surfaces =
            surfaces.map(|(index, surface)| (*index, (name(*index), Arc::clone(surface))));
        Images {
            surfaces: surfaces.collect(),
            seen: BTreeMap::new(),
            pixels: 0,
            dirty: BTreeSet::new(),
        }
    }

    /// A step is about to touch memory.
    pub fn access(&mut self, access: &Access<'_>) {
        let SpaceName::Surface(index) = access.space else {
            return;
        };
        let Some((_, surface)) = self.surfaces.get(&index) else {
            return;
        };
        let surface = Arc::clone(surface);
        let d = surface.description();
        let (level, slice, texels) = match access.spot {
            Spot::Texel([u, v, r, level]) if access.inside > 0 => {
                (level, r, (u..u.saturating_add(1), v))
            }
            Spot::Block(x, y) => {
                let cell = d.format.cell();
                let (bytes, across) = match cell.bytes {
                    0 => (1, 1),
                    bytes => (i64::from(bytes), cell.across),
                };
                let column = |byte: i64| byte.div_euclid(bytes).clamp(0, 1 << 20) as u32 * across;
                let columns = column(x)..column(x + i64::from(access.bytes) - 1) + across;
                (d.min_lod, 0, (columns, y.clamp(0, 1 << 20) as u32))
            }
            _ => return,
        };
        let key = (index, level, slice);
        let Some(seen) = self.image(key, &surface) else {
            return;
        };
        let (columns, row) = texels;
        let (width, height) = seen.size;
        // Pieces outside touch the edge texels that they repeat.
        let inside = |x: u32| {
            (
                x.min(width.saturating_sub(1)),
                row.min(height.saturating_sub(1)),
            )
        };
        let texels: BTreeSet<(u32, u32)> = columns.take(1 << 12).map(inside).collect();
        texels.iter().for_each(|&(x, y)| seen.touch(x, y));
        if access.kind != AccessKind::Read {
            // What shares a cell changes with it.
            let across = d.format.cell().across.max(1);
            let cells = texels.iter().flat_map(|&(x, y)| {
                let first = x / across * across;
                (first..(first + across).min(width)).map(move |x| (x, y))
            });
            self.dirty.extend(cells.map(|(x, y)| (key, y, x)));
        }
    }

    /// The image, as it is now if it is seen for the first time; `None` if it shows no picture.
    fn image(&mut self, key: Key, surface: &Surface) -> Option<&mut Seen> {
        let room = MOST_PIXELS.saturating_sub(self.pixels);
        let mut added = 0;
        let seen = self.seen.entry(key).or_insert_with(|| {
            let image = image_of(key, surface);
            let (width, height) = Pixels::new(surface, image).ok()?.size();
            added = u64::from(width) * u64::from(height);
            (added <= room).then(|| Seen::new(surface, image))?
        });
        self.pixels += added.min(room);
        seen.as_mut()
    }

    /// The step of this number has run.
    pub fn after(&mut self, step: u64) {
        if self.dirty.is_empty() {
            return;
        }
        let dirty: Vec<(Key, u32, u32)> = std::mem::take(&mut self.dirty).into_iter().collect();
        for texels in dirty.chunk_by(|a, b| a.0 == b.0) {
            let key = texels[0].0;
            let Some((_, surface)) = self.surfaces.get(&key.0) else {
                continue;
            };
            if let Some(Some(seen)) = self.seen.get_mut(&key)
                && let Ok(pixels) = Pixels::new(surface, image_of(key, surface))
            {
                seen.take(step, &pixels, texels.iter().map(|&(_, y, x)| (x, y)));
            }
        }
    }

    /// All images that were touched, after the last step, whose number is given: what no step told, as other ways to the
    /// same memory, is written with it.
    pub fn end(&mut self, step: u64) -> Vec<Written> {
        self.after(step);
        let mut written = Vec::new();
        for (key, seen) in std::mem::take(&mut self.seen) {
            let (Some(mut seen), Some((name, surface))) = (seen, self.surfaces.get(&key.0)) else {
                continue;
            };
            if let Ok(pixels) = Pixels::new(surface, image_of(key, surface)) {
                let size = seen.size;
                seen.take(step, &pixels, all(size));
            }
            let (origin, shown) = seen.window();
            let cell = surface.format().cell();
            let changed = seen.changes.iter().flat_map(|change| &change.values);
            let range = range_of(seen.first.iter().chain(changed).flatten().copied());
            let patches = seen.changes.iter().map(|change| {
                let colours = change.values.iter().map(|&v| hex(&bytes(v, range)));
                Patch(change.step, change.at.0, change.at.1, colours.collect())
            });
            let patches: Vec<Patch> = patches.collect();
            written.extend(picture(&seen, range, origin, shown).map(|picture| Written {
                index: key.0,
                name: name.clone(),
                format: surface.format().name.to_owned(),
                level: key.1,
                slice: key.2,
                size: seen.size,
                origin,
                shown,
                cell: (cell.bytes.max(1), cell.across.max(1)),
                range: (range != (0.0, 1.0)).then_some(range),
                picture,
                writes: patches,
            }));
        }
        written
    }
}

/// The image of a level counted in memory.
fn image_of((_, level, slice): Key, surface: &Surface) -> Image {
    Image {
        level: level.saturating_sub(surface.description().min_lod),
        slice,
        sample: 0,
    }
}

/// A part of an image as it was, as text that a browser shows.
fn picture(
    seen: &Seen,
    range: Range,
    (x0, y0): (u32, u32),
    (width, height): (u32, u32),
) -> Option<String> {
    let pixels = all((width, height)).map(|(x, y)| {
        let at = (y0 + y) as usize * seen.size.0 as usize + (x0 + x) as usize;
        let [r, g, b] = bytes(seen.first[at], range).map(|v| u16::from(v) * 257);
        [r, g, b, u16::MAX]
    });
    let pixels = pixels.collect();
    let file = encode_picture(&Picture {
        width,
        height,
        pixels,
    });
    let text = STANDARD.encode(file.ok()?);
    Some(format!("data:image/png;base64,{text}"))
}
