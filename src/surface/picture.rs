//! Pictures: red, green, blue and alpha in 16 bits each, between image files and surfaces of any format.
//!
//! How a picture becomes texels and back:
//!
//! | format | stored |
//! | --- | --- |
//! | colour channels, normalised or float | value / 65535, through the format's own encoding |
//! | sRGB | the picture's codes as they are: image files are sRGB-coded already |
//! | integer, n bits | the top n bits (16 at most; n − 1 for signed) |
//! | one channel (R, L, I, Y8) | luma (77 R + 150 G + 29 B) / 256, which keeps grey exactly |
//! | alpha only | alpha |
//! | YUV | BT.601 with studio swing, 8-bit integers, below; chroma of the upper left texel of each group |
//!
//! ```text
//!   Y  = 16 + (66 R + 129 G + 25 B + 128) >> 8      C = Y − 16, D = Cb − 128, E = Cr − 128
//!   Cb = 128 + (−38 R − 74 G + 112 B + 128) >> 8    R = (298 C + 409 E + 128) >> 8
//!   Cr = 128 + (112 R − 94 G − 18 B + 128) >> 8     G = (298 C − 100 D − 208 E + 128) >> 8
//!                                                   B = (298 C + 516 D + 128) >> 8
//! ```

use super::float::linear_to_srgb;
use super::format::{Colour, Format, Kind as FormatKind, Returns};
use super::texel::{Decoder, Rgba, encode, encode_pair};
use super::{Image, Kind, Refused, Surface, TexelPosition};

/// A picture in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Texels across.
    pub width: u32,
    /// Texels down.
    pub height: u32,
    /// Row by row: R, G, B, A.
    pub pixels: Vec<[u16; 4]>,
}

/// How the channels of a format stand for a colour.
enum Meaning {
    Colour,
    Grey,
    Alpha,
    Yuv,
}

fn meaning(format: Format) -> Meaning {
    let stored = format
        .channels
        .iter()
        .filter(|c| c.bits > 0 && c.name != b'X');
    match (stored.count(), format.kind) {
        (1, _) if format.channel(b'A').is_some() => Meaning::Alpha,
        (1, _) => Meaning::Grey,
        (_, FormatKind::Yuv) => Meaning::Yuv,
        _ => Meaning::Colour,
    }
}

/// sRGB formats take and give the codes themselves: the same format without the curve.
fn without_curve(format: Format) -> Format {
    format
        .name
        .strip_suffix("_SRGB")
        .and_then(Format::named)
        .unwrap_or(format)
}

fn luma([r, g, b, _]: [u16; 4]) -> u16 {
    ((77 * u32::from(r) + 150 * u32::from(g) + 29 * u32::from(b) + 128) >> 8) as u16
}

/// 8-bit Cr, Y, Cb of a pixel.
pub fn to_yuv(pixel: [u16; 4]) -> [u8; 3] {
    let [r, g, b, _] = pixel.map(|v| i32::from(v >> 8));
    let y = 16 + ((66 * r + 129 * g + 25 * b + 128) >> 8);
    let cb = 128 + ((-38 * r - 74 * g + 112 * b + 128) >> 8);
    let cr = 128 + ((112 * r - 94 * g - 18 * b + 128) >> 8);
    [cr, y, cb].map(|v| v.clamp(0, 255) as u8)
}

/// A pixel of 8-bit Cr, Y, Cb.
fn from_yuv([cr, y, cb]: [u8; 3]) -> [u16; 4] {
    let (c, d, e) = (i32::from(y) - 16, i32::from(cb) - 128, i32::from(cr) - 128);
    let r = (298 * c + 409 * e + 128) >> 8;
    let g = (298 * c - 100 * d - 208 * e + 128) >> 8;
    let b = (298 * c + 516 * d + 128) >> 8;
    let [r, g, b] = [r, g, b].map(|v| v.clamp(0, 255) as u16 * 257);
    [r, g, b, u16::MAX]
}

/// Four channels in the format's own type.
fn to_channels(pixel: [u16; 4], format: Format) -> Rgba {
    let values = match meaning(format) {
        Meaning::Colour => pixel,
        Meaning::Grey => [luma(pixel); 4],
        Meaning::Alpha => [pixel[3]; 4],
        Meaning::Yuv => {
            let [cr, y, cb] = to_yuv(pixel).map(|v| u16::from(v) * 257);
            [cr, y, cb, pixel[3]]
        }
    };
    let code = |i: usize, signed: u32| {
        let bits = bits_of(format, i) - signed;
        u32::from(values[i]) >> 16u32.saturating_sub(bits)
    };
    std::array::from_fn(|i| match format.returns {
        Returns::AsUint => code(i, 0),
        Returns::AsSint => code(i, 1),
        _ => (f32::from(values[i]) / 65535.0).to_bits(),
    })
}

/// Bits of the stored channel after output `i`; 16 if there is none.
fn bits_of(format: Format, i: usize) -> u32 {
    format
        .channel(format.out[i])
        .map_or(16, |c| u32::from(c.bits))
}

/// The first output that names a channel which is stored.
fn first_channel(format: Format) -> usize {
    let mut outputs = format.out.iter();
    outputs
        .position(|o| format.channel(*o).is_some())
        .unwrap_or(0)
}

/// The values that are shown as black and as white.
pub type Range = (f32, f32);

/// The range that shows all of some values: 0 to 1 unless some are outside.
pub fn range_of(values: impl Iterator<Item = f32>) -> Range {
    let finite = values.filter(|v| v.is_finite());
    finite.fold((0.0, 1.0), |(low, high): Range, v| {
        (low.min(v), high.max(v))
    })
}

/// The colour that values are shown as.
pub fn colour(values: [f32; 3], (low, high): Range) -> [u16; 3] {
    let span = f64::from(high) - f64::from(low);
    values.map(|v| {
        let x = (f64::from(v) - f64::from(low)) / span;
        let x = if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
        (x * 65535.0 + 0.5).floor() as u16
    })
}

/// The pixel a decoded texel stands for.
fn from_channels(rgba: Rgba, format: Format) -> [u16; 4] {
    let wide = |i: usize| match format.returns {
        Returns::AsUint | Returns::AsSint => {
            let signed = u32::from(format.returns == Returns::AsSint);
            let bits = bits_of(format, i) - signed;
            let code = if signed == 1 {
                (rgba[i] as i32).max(0) as u32
            } else {
                rgba[i]
            };
            if bits >= 16 {
                code.min(65535) as u16
            } else {
                // Replication by division keeps the largest code at the top.
                let most = (1u32 << bits) - 1;
                ((code.min(most) * 65535 + most / 2) / most) as u16
            }
        }
        _ => {
            let x = f64::from(f32::from_bits(rgba[i]));
            let x = if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
            (x * 65535.0 + 0.5).floor() as u16
        }
    };
    let opaque = |alpha: bool, i: usize| if alpha { wide(i) } else { u16::MAX };
    match meaning(format) {
        Meaning::Colour => [wide(0), wide(1), wide(2), opaque(format.has_alpha(), 3)],
        Meaning::Grey => {
            // The channel feeds the first output that names it: red; green of Y8.
            let first = first_channel(format);
            [wide(first), wide(first), wide(first), u16::MAX]
        }
        Meaning::Alpha => [0, 0, 0, wide(3)],
        Meaning::Yuv => {
            let [cr, y, cb] = [0, 1, 2].map(|i| (wide(i) >> 8) as u8);
            let [r, g, b, _] = from_yuv([cr, y, cb]);
            [r, g, b, opaque(format.has_alpha(), 3)]
        }
    }
}

impl Picture {
    /// The pixel at (x, y), the nearest one if that is outside.
    fn at(&self, x: u32, y: u32) -> [u16; 4] {
        let x = x.min(self.width.saturating_sub(1)) as usize;
        let y = y.min(self.height.saturating_sub(1)) as usize;
        self.pixels
            .get(y * self.width as usize + x)
            .copied()
            .unwrap_or_default()
    }

    /// Stores the picture into the texels of a surface of the same size, first slice, most detailed level.
    ///
    /// One-bit formats take whether luma is at least a half.
    ///
    /// # Errors
    /// [`Refused`] if the format cannot be written (compressed, palette, shared exponent), or the surface is
    /// no image.
    pub fn store(&self, surface: &Surface) -> Result<(), Refused> {
        self.store_image(surface, Image::default())
    }

    /// Stores the picture into any image of a surface; nothing if there is no such image.
    ///
    /// # Errors
    /// As [`Picture::store`].
    pub fn store_image(&self, surface: &Surface, image: Image) -> Result<(), Refused> {
        let d = surface.description();
        let format = d.format;
        if matches!(d.kind, Kind::Null | Kind::Buffer) {
            return Err(refused("a picture needs a surface with width and height"));
        }
        if format.is_planar() {
            return self.store_planar(surface);
        }
        if !surface.has_image(image) {
            return Ok(());
        }
        let target = without_curve(format);
        let cell = format.cell();
        let size = cell.bytes as usize;
        let (width, height, _) = surface.level_size(image.level);
        for y in 0..height.min(self.height) {
            for x in (0..width.min(self.width)).step_by(cell.across.max(1) as usize) {
                let channels = |x| to_channels(self.at(x, y), target);
                let level = d.min_lod + image.level;
                let place = surface.place(TexelPosition {
                    level,
                    slice: image.slice,
                    x,
                    y,
                    sample: image.sample,
                });
                if format.bits == 1 {
                    // The leftmost texel is in the top bit: surface reference 2.5.
                    let bit = |i: u32| u8::from(x + i < width && luma(self.at(x + i, y)) >= 0x8000);
                    let byte = (0..8).fold(0, |byte, i| byte | bit(i) << (7 - i));
                    surface.write_cell(place, &[byte]);
                } else if format.is_packed_422() {
                    surface.write_cell(place, &encode_pair(format, channels(x), channels(x + 1)));
                } else {
                    let Some(bytes) = encode(target, channels(x)) else {
                        return Err(refused(format!("texels of {format} cannot be written")));
                    };
                    surface.write_cell(place, &bytes[..size]);
                }
            }
        }
        Ok(())
    }

    /// The picture at another size: every pixel is the mean of the area it covers, colour in linear light
    /// where `curve` says that the codes are sRGB's. Alpha is averaged as it is.
    pub fn scaled(&self, width: u32, height: u32, curve: bool) -> Picture {
        let linear: Vec<f64> = (0..=u32::from(u16::MAX))
            .map(|code| match f64::from(code) / 65535.0 {
                x if !curve => x,
                x if x <= 0.04045 => x / 12.92,
                x => ((x + 0.055) / 1.055).powf(2.4),
            })
            .collect();
        let code = |x: f64, colour: bool| {
            let x = if curve && colour {
                linear_to_srgb(x)
            } else {
                x
            };
            (x * 65535.0 + 0.5).floor().clamp(0.0, 65535.0) as u16
        };
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            for x in 0..width {
                let (mut sum, mut area) = ([0.0; 4], 0.0);
                for (sy, wy) in covered(y, height, self.height) {
                    for (sx, wx) in covered(x, width, self.width) {
                        let pixel = self.at(sx, sy);
                        for (c, sum) in sum.iter_mut().enumerate() {
                            let value = match c {
                                3 => f64::from(pixel[3]) / 65535.0,
                                _ => linear[usize::from(pixel[c])],
                            };
                            *sum += wx * wy * value;
                        }
                        area += wx * wy;
                    }
                }
                pixels.push(std::array::from_fn(|c| code(sum[c] / area, c < 3)));
            }
        }
        Picture {
            width,
            height,
            pixels,
        }
    }

    /// Fills the lower levels of a slice, each from the one above it, down to the last that the surface has.
    ///
    /// # Errors
    /// As [`Picture::store`].
    pub fn store_levels(&self, surface: &Surface, slice: u32) -> Result<(), Refused> {
        let curve = surface.format().colour == Colour::SrgbCurve;
        let mut above = self.clone();
        for level in 1..surface.description().levels {
            let (width, height, slices) = surface.level_size(level);
            if slice < slices {
                above = above.scaled(width, height, curve);
                let image = Image {
                    level,
                    slice,
                    ..Image::default()
                };
                above.store_image(surface, image)?;
            }
        }
        Ok(())
    }

    fn store_planar(&self, surface: &Surface) -> Result<(), Refused> {
        let d = surface.description();
        let wide = d.format == Format::PLANAR_420_16;
        let (across, down) = d.chroma_shift();
        // 16-bit containers hold ten bits at the top: two more than eight. Surface reference 3.8, P010.
        let write = |part: &Surface, x, y, values: &[u8]| {
            let mut bytes = Vec::with_capacity(4);
            for &v in values {
                match wide {
                    true => bytes.extend((u16::from(v) << 8).to_le_bytes()),
                    false => bytes.push(v),
                }
            }
            part.write_cell(
                part.place(TexelPosition {
                    level: 0,
                    slice: 0,
                    x,
                    y,
                    sample: 0,
                }),
                &bytes,
            );
        };
        let planes: Vec<Surface> = (0..3).map_while(|n| surface.plane(n)).collect();
        for y in 0..d.height.min(self.height) {
            for x in 0..d.width.min(self.width) {
                let [cr, luma, cb] = to_yuv(self.at(x, y));
                write(&planes[0], x, y, &[luma]);
                let (cx, cy) = (x >> across, y >> down);
                if (cx << across, cy << down) != (x, y) {
                    continue;
                }
                match &planes[1..] {
                    [pairs] => write(pairs, cx, cy, &[cb, cr]),
                    [u, v] => {
                        write(u, cx, cy, &[cb]);
                        write(v, cx, cy, &[cr]);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The picture a 2D surface shows: its first slice at the most detailed level.
    ///
    /// # Errors
    /// [`Refused`] if the surface is not an image or its format is not decoded.
    pub fn of(surface: &Surface) -> Result<Picture, Refused> {
        Picture::of_image(surface, Image::default())
    }

    /// The picture that any image of a surface shows.
    ///
    /// # Errors
    /// As [`Picture::of`], and if there is no such image.
    pub fn of_image(surface: &Surface, image: Image) -> Result<Picture, Refused> {
        let pixels = Pixels::new(surface, image)?;
        let (width, height) = pixels.size();
        let row = |y| (0..width).map(move |x| (x, y));
        Ok(Picture {
            width,
            height,
            pixels: (0..height)
                .flat_map(row)
                .map(|(x, y)| pixels.at(x, y))
                .collect(),
        })
    }

    /// The picture that an image shows to people, without alpha, and the range in which values are shown; without one
    /// that in which all can be told apart.
    ///
    /// # Errors
    /// As [`Picture::of_image`].
    pub fn shown(
        surface: &Surface,
        image: Image,
        range: Option<Range>,
    ) -> Result<(Picture, Range), Refused> {
        let pixels = Pixels::new(surface, image)?;
        let (width, height) = pixels.size();
        let row = |y| (0..width).map(move |x| (x, y));
        let values = (0..height).flat_map(row);
        let values: Vec<[f32; 3]> = values.map(|(x, y)| pixels.values(x, y)).collect();
        let range = range.unwrap_or_else(|| range_of(values.iter().flatten().copied()));
        let pixels = values.into_iter().map(|values| {
            let [r, g, b] = colour(values, range);
            [r, g, b, u16::MAX]
        });
        let picture = Picture {
            width,
            height,
            pixels: pixels.collect(),
        };
        Ok((picture, range))
    }
}

/// The pixels that an image of a surface shows, one by one.
pub struct Pixels<'s> {
    surface: &'s Surface,
    image: Image,
    /// The format without its curve, and how its texels are read; `None` of planar ones.
    decoder: Option<(Format, Decoder)>,
    planes: Vec<Surface>,
}

impl<'s> Pixels<'s> {
    /// Of an image of a surface.
    ///
    /// # Errors
    /// As [`Picture::of_image`].
    pub fn new(surface: &'s Surface, image: Image) -> Result<Pixels<'s>, Refused> {
        let d = surface.description();
        let format = d.format;
        if matches!(d.kind, Kind::Null | Kind::Buffer) {
            return Err(refused("a picture needs a surface with width and height"));
        }
        let plain = without_curve(format);
        let decoder = match format.is_planar() {
            true => None,
            false => match Decoder::new(plain, d.palette.as_ref()) {
                Some(decoder) => Some((plain, decoder)),
                None => return Err(refused(format!("texels of {format} are not decoded"))),
            },
        };
        if !surface.has_image(image) {
            let (level, slice) = (image.level, image.slice);
            return Err(refused(format!("there is no level {level}, slice {slice}")));
        }
        Ok(Pixels {
            surface,
            image,
            decoder,
            planes: (0..3).map_while(|n| surface.plane(n)).collect(),
        })
    }

    /// Pixels across and down.
    pub fn size(&self) -> (u32, u32) {
        let (width, height, _) = self.surface.level_size(self.image.level);
        (width, height)
    }

    /// The pixel in a column and row that the image has.
    pub fn at(&self, x: u32, y: u32) -> [u16; 4] {
        match self.texel(x, y) {
            Some((texel, format)) => from_channels(texel, format),
            None => {
                let shift = self.surface.description().chroma_shift();
                planar_pixel(shift, &self.planes, x, y)
            }
        }
    }

    /// Red, green and blue of a pixel that the image has, as numbers: those of floats as they are, others 0 to 1.
    pub fn values(&self, x: u32, y: u32) -> [f32; 3] {
        let number = |texel: Rgba, i: usize| f32::from_bits(texel[i]);
        match self.texel(x, y).map(|(texel, f)| (texel, f, meaning(f))) {
            Some((texel, f, Meaning::Colour)) if f.returns == Returns::AsFloat => {
                [0, 1, 2].map(|i| number(texel, i))
            }
            Some((texel, f, Meaning::Grey)) if f.returns == Returns::AsFloat => {
                [number(texel, first_channel(f)); 3]
            }
            _ => {
                let [r, g, b, _] = self.at(x, y).map(|v| f32::from(v) / 65535.0);
                [r, g, b]
            }
        }
    }

    /// A texel and its format, less the curve; `None` of planar formats.
    fn texel(&self, x: u32, y: u32) -> Option<(Rgba, Format)> {
        let (surface, image, d) = (self.surface, self.image, self.surface.description());
        let (plain, decoder) = self.decoder.as_ref()?;
        let place = surface.place(TexelPosition {
            level: d.min_lod + image.level,
            slice: image.slice,
            x,
            y,
            sample: image.sample,
        });
        let cell = surface.read_cell(place);
        Some((decoder.decode(&cell, place.in_x, place.in_y), *plain))
    }
}

/// The source pixels that pixel `n` of `size` covers, each with the part of it that is covered.
fn covered(n: u32, size: u32, source: u32) -> impl Iterator<Item = (u32, f64)> {
    let step = f64::from(source) / f64::from(size);
    let (from, to) = (f64::from(n) * step, f64::from(n + 1) * step);
    (from.floor() as u32..to.ceil() as u32).filter_map(move |i| {
        let part = (to.min(f64::from(i) + 1.0) - from.max(f64::from(i))).max(0.0);
        (part > 0.0).then_some((i, part))
    })
}

fn planar_pixel((across, down): (u32, u32), planes: &[Surface], x: u32, y: u32) -> [u16; 4] {
    // The top byte of each component.
    let read = |part: &Surface, x, y, component: usize| {
        let cell = part.read_cell(part.place(TexelPosition {
            level: 0,
            slice: 0,
            x,
            y,
            sample: 0,
        }));
        let components =
            if planes.len() == 2 && component < 2 && part.format().channel(b'G').is_some() {
                2
            } else {
                1
            };
        let size = part.format().cell().bytes as usize / components;
        cell[size * component + size - 1]
    };
    let (cx, cy) = (x >> across, y >> down);
    let [luma, first, rest @ ..] = planes else {
        return [0; 4];
    };
    let cr = match rest {
        [v, ..] => read(v, cx, cy, 0),
        [] => read(first, cx, cy, 1),
    };
    from_yuv([cr, read(luma, x, y, 0), read(first, cx, cy, 0)])
}

fn refused(what: impl Into<String>) -> Refused {
    Refused::error(what, "surface reference 1.1")
}
