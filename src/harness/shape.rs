//! The `key=value` words of a surface directive: what its state says beside format and size.
//!
//! | key | meaning |
//! | --- | --- |
//! | `pitch` | bytes from row to row |
//! | `kind` | `1d`, `2d`, `3d`, `cube`, `buffer`, `null` |
//! | `slices` | slices of an array; cubes of an array of cubes |
//! | `levels` | mip levels, the first filled; a render target is the last: PRM 4.10.2.1, LOD |
//! | `mips` | mip levels made of the picture: a number, or `all` |
//! | `min_lod`, `element` | first level and first slice that can be reached |
//! | `disable` | components that writes leave alone, as `RA` |
//! | `samples`, `storage` | samples of a texel; `array` or `interleaved` |
//! | `tiling`, `swizzle` | `linear`, `X`, `Y`, `W`, `Yf`, `Ys`; `on` swizzles address bit 6 |
//! | `x`, `y` | origin inside the first tile, texels and rows |
//! | `lines` | `frame`, `top`, `bottom` |
//! | `gen` | whose layout rules: 4, 5, 6, 7, 7.5, 8, 9 |
//! | `below` | `off` puts the mip levels to the right |
//! | `align`, `qpitch` | image alignment, as `4x4`; rows from slice to slice |
//! | `frame` | which frame of a file with several |
//! | `palette` | entries of a palette format: a file, or `ff0000ff/ff00ff00` |
//! | `mcs` | control words of samples: `"byte(x,y) = 0xe4"`, or a file of rows |
//! | `clear` | what a pixel reads whose control word says "clear", as `0/0/0/1` |

use super::bind::{Layer, Wrong, wrong};
use super::directive::{Origin, SurfaceBinding};
use super::states;
use super::words;
use crate::source::Spanned;
use crate::surface::file::ALL_LEVELS;
use crate::surface::format::{Kind as FormatKind, Returns};
use crate::surface::{
    Description, Format, Generation, Kind, LineStride, MipLayout, Planes, SampleStorage, Tiling,
};

/// What the keys say.
pub struct Shape {
    /// The state.
    pub description: Description,
    /// Frame of a file.
    pub frame: u64,
    /// Lower levels are made of the picture.
    pub mips: bool,
}

/// Keys of `SURFACE`.
pub const KEYS: [&str; 23] = [
    "disable", "pitch", "kind", "slices", "levels", "mips", "min_lod", "element", "samples",
    "storage", "tiling", "swizzle", "x", "y", "lines", "gen", "below", "align", "qpitch", "frame",
    "palette", "mcs", "clear",
];

/// What the state of a buffer says, and what a file of one does.
const OF_BUFFERS: [&str; 7] = [
    "kind", "pitch", "tiling", "gen", "disable", "palette", "frame",
];

/// Keys that say nothing of their surface.
fn idle(ask: &SurfaceBinding, d: &Description) -> Result<(), Wrong> {
    let picture = matches!(ask.origin, Origin::Picture(_));
    let plain = matches!(ask.origin, Origin::Plain(..));
    let deep = ask.size.as_ref().is_some_and(|size| size.node.len() == 3);
    let views = d.array || d.kind == Kind::D3;
    for (key, _) in &ask.keys {
        let (label, help) = match key.node.as_str() {
            "kind" | "gen" => continue,
            _ if d.kind == Kind::Null => ("not allowed for a null surface", "leave it out"),
            name if d.kind == Kind::Buffer && !OF_BUFFERS.contains(&name) => {
                ("not allowed for a buffer", "leave it out, or kind=1d")
            }
            // A texture file brings its own slices and format.
            "element" if !views && !picture => (
                "the first element of an array, and this surface is none",
                "an array: slices=1 is one of a single element",
            ),
            "slices" if deep && d.kind != Kind::D3 => (
                "slices, and the third size is their number",
                "two sizes and slices=, or three sizes and kind=3d",
            ),
            "clear" | "storage" if d.samples == 1 => (
                "for surfaces of several samples, and this one has one",
                "samples=4, or leave it out",
            ),
            "palette" if d.format.kind != FormatKind::Palette && ask.format.is_some() => (
                "for palette formats, and this one has no palette",
                "P8_UNORM_PALETTE0, or leave it out",
            ),
            "mips" if !picture => (
                "levels made from a picture, but there is no picture",
                "levels= for levels that a formula or a file fills",
            ),
            "frame" if !plain => (
                "for raw and video files, which may have several frames",
                "leave it out",
            ),
            _ => continue,
        };
        return Err(Box::new((*wrong(key.span, label)).help(help)));
    }
    Ok(())
}

/// `start` with the size and what the keys say.
pub fn read(
    layer: &Layer,
    ask: &SurfaceBinding,
    start: Description,
    size: &[u32],
) -> Result<Shape, Wrong> {
    let (width, height) = (size.first().copied(), size.get(1).copied());
    let (width, height) = (width.unwrap_or(1), height.unwrap_or(1));
    let generation = start.generation;
    let description = match size.get(2) {
        Some(&depth) => Description::d3(start.format, width, height, depth),
        // Planes are placed below the rows, so that the size has to be known when they are.
        None if start.width == 0 => Description::d2(start.format, width, height),
        None => start,
    };
    let mut shape = Shape {
        description: Description {
            generation,
            ..description
        },
        frame: 0,
        mips: false,
    };
    let mut control = None;
    for (key, value) in &ask.keys {
        match key.node.as_str() {
            "mcs" => {
                control = Some(value);
                continue;
            }
            "palette" => {
                let generation = shape.description.generation;
                shape.description.palette = Some(states::palette(layer, value, generation)?);
                continue;
            }
            _ => {}
        }
        let known = shape.set(&key.node, value)?;
        if !known {
            let unknown = wrong(key.span, "no such key");
            return Err(Box::new(unknown.help(words::key_help(&key.node, &KEYS))));
        }
    }
    idle(ask, &shape.description)?;
    let d = &mut shape.description;
    if d.line_stride.skips() {
        // Chroma begins below the rows of both fields.
        d.planes = d.planes.map(Planes::of_fields);
    }
    // They are as large as the surface, which all keys together say.
    if let Some(value) = control {
        let words = states::control_words(layer, value, &shape.description)?;
        shape.description.mcs = Some(words);
    }
    Ok(shape)
}

/// `gen=`.
pub fn generation(value: &Spanned<String>) -> Result<Generation, Wrong> {
    one_of(value, &Generation::numbered().collect::<Vec<_>>())
}

/// `on` or `off`.
pub fn switch(value: &Spanned<String>) -> Result<bool, Wrong> {
    one_of(value, &[("on", true), ("off", false)])
}

/// The value of a list of words that this one names.
fn one_of<T: Copy>(value: &Spanned<String>, list: &[(&str, T)]) -> Result<T, Wrong> {
    let found = list.iter().find(|row| row.0 == value.node);
    found.map(|row| row.1).ok_or_else(|| {
        let names: Vec<&str> = list.iter().map(|row| row.0).collect();
        wrong(value.span, format!("expected one of {}", names.join(" ")))
    })
}

fn number(value: &Spanned<String>) -> Result<u32, Wrong> {
    let number = words::decimal(&value.node);
    number.ok_or_else(|| wrong(value.span, "expected a number"))
}

/// A channel of a texel, as the format returns it.
fn channel(text: &str, format: Format) -> Option<u32> {
    match format.returns {
        Returns::AsUint => text.parse().ok(),
        Returns::AsSint => text.parse().ok().map(i32::cast_unsigned),
        _ => text.parse().ok().map(f32::to_bits),
    }
}

impl Shape {
    /// Takes one key; `false` if there is none of that name.
    fn set(&mut self, key: &str, value: &Spanned<String>) -> Result<bool, Wrong> {
        let d = &mut self.description;
        match key {
            "pitch" => d.pitch = number(value)?,
            "levels" => d.levels = number(value)?,
            "mips" => {
                self.mips = true;
                d.levels = match value.node.as_str() {
                    "all" => ALL_LEVELS,
                    _ => number(value)?,
                };
            }
            "min_lod" => d.min_lod = number(value)?,
            "element" => d.min_array_element = number(value)?,
            "samples" => d.samples = number(value)?,
            "x" => d.x_offset = number(value)?,
            "y" => d.y_offset = number(value)?,
            "qpitch" => d.qpitch = Some(number(value)?),
            "frame" => self.frame = u64::from(number(value)?),
            "swizzle" => d.bit6_swizzle = switch(value)?,
            "gen" => d.generation = generation(value)?,
            "below" => {
                d.mip_layout = match switch(value)? {
                    true => MipLayout::Below,
                    false => MipLayout::Right,
                };
            }
            "align" => {
                let pair = words::size(&value.node).filter(|pair| pair.len() == 2);
                let pair =
                    pair.ok_or_else(|| wrong(value.span, "expected two numbers such as 4x4"))?;
                d.align = Some((pair[0], pair[1]));
            }
            "kind" => {
                let kinds = [
                    ("1d", Kind::D1),
                    ("2d", Kind::D2),
                    ("3d", Kind::D3),
                    ("cube", Kind::Cube),
                    ("buffer", Kind::Buffer),
                    ("null", Kind::Null),
                ];
                d.kind = one_of(value, &kinds)?;
            }
            "slices" => {
                d.array = true;
                d.depth = number(value)?;
            }
            "disable" => {
                for letter in value.node.chars() {
                    let at = "RGBA".find(letter);
                    let at = at.ok_or_else(|| wrong(value.span, "letters of RGBA"))?;
                    d.write_disable |= 1 << at;
                }
            }
            "storage" => {
                let storages = [
                    ("array", SampleStorage::Array),
                    ("interleaved", SampleStorage::Interleaved),
                ];
                d.storage = one_of(value, &storages)?;
            }
            "tiling" => {
                d.tiling = Tiling::named(&value.node)
                    .ok_or_else(|| wrong(value.span, "expected one of linear X Y W Yf Ys"))?;
            }
            "clear" => {
                let channels: Vec<&str> = value.node.split('/').collect();
                let bits = channels.iter().map(|text| channel(text, d.format));
                let colour = bits.collect::<Option<Vec<u32>>>();
                let colour = colour.and_then(|c| <[u32; 4]>::try_from(c).ok());
                d.clear_colour = colour
                    .ok_or_else(|| wrong(value.span, "expected four numbers such as 0/0.5/1/1"))?;
            }
            "lines" => {
                let lines = [
                    ("frame", LineStride::Frame),
                    ("top", LineStride::TopField),
                    ("bottom", LineStride::BottomField),
                ];
                d.line_stride = one_of(value, &lines)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
