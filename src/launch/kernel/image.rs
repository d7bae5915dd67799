//! OpenCL images as surfaces. Source: launch reference 6; OpenCL C, image channel orders and types.

use super::description::ImageQuery;
use super::{Refused, refuse};
use crate::diagnostic::{Code, counted, nearest};
use crate::files::InMemory;
use crate::surface::file::read_picture;
use crate::surface::texel::encode;
use crate::surface::{Description, Format, Generation, Memory, Surface, TexelPosition};
use std::path::Path;
use std::sync::Arc;

/// Endings of files that hold pictures; all others hold plain texels.
pub const PICTURES: &[&str] = &["png", "bmp", "ppm", "pgm", "pnm"];

/// Whether a file of this name holds a picture.
pub fn is_picture(name: &str) -> bool {
    let ending = Path::new(name).extension().and_then(|e| e.to_str());
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    PICTURES.contains(&ending.as_str())
}

/// What the caller says of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct Shape {
    /// One of [`KINDS`]; empty for the kind that the kernel takes.
    #[serde(rename = "type")]
    pub kind: String,
    /// `R`, `RG`, `RGBA`, `BGRA` ….
    pub order: String,
    /// `UNORM_INT8`, `FLOAT` ….
    pub channel: String,
    /// Texels across.
    pub width: u32,
    /// Texels down.
    pub height: u32,
    /// Slices of a 3D image.
    pub depth: u32,
    /// Layers of an array.
    pub layers: u32,
}

/// Kinds of images by their names in OpenCL C; a media block image is a 2D image.
pub const KINDS: &[&str] = &[
    "1d",
    "1d_array",
    "1d_buffer",
    "2d",
    "2d_depth",
    "2d_media",
    "2d_media_block",
    "2d_array",
    "2d_array_depth",
    "3d",
];

/// The kind of an image whose kind is not given.
pub const USUAL: &str = "2d";

/// Kinds of images by their numbers in token 12; those that are not in [`KINDS`] as the compiler calls them.
const IMAGES: [&str; 17] = [
    "",
    "1d_buffer",
    "1d",
    "1d_array",
    "2d",
    "2d_array",
    "3d",
    "cube",
    "cube_array",
    "2d_depth",
    "2d_array_depth",
    "2d_msaa",
    "2d_msaa_depth",
    "2d_array_msaa",
    "2d_array_msaa_depth",
    "2d_media",
    "2d_media_block",
];

/// The kind of a number in token 12.
pub fn numbered(number: u32) -> Option<&'static str> {
    let kind = IMAGES.get(number as usize).copied();
    kind.filter(|kind| !kind.is_empty())
}

/// The kind that a description says an argument has: `image_3d` of `.ze_info`, `3d` or `type6` of `launch.json`.
/// Source: launch reference 1, surface of an image.
pub fn described(name: &str) -> String {
    let number = name.strip_prefix("type").and_then(|n| n.parse().ok());
    let kind = match name.strip_prefix("image_").unwrap_or(name) {
        "buffer" => "1d_buffer",
        kind => number.and_then(numbered).unwrap_or(kind),
    };
    kind.to_string()
}

/// How an image lies, without what is said of its texels: a block that media messages read lies as any 2D image.
fn form(kind: &str) -> &str {
    let kind = kind.strip_suffix("_block").unwrap_or(kind);
    let kind = kind.strip_suffix("_media").unwrap_or(kind);
    kind.strip_suffix("_depth").unwrap_or(kind)
}

/// Whether images of a kind hold depths.
pub fn is_depth(kind: &str) -> bool {
    kind.ends_with("_depth")
}

/// An image with its memory.
#[derive(Clone, Debug)]
pub struct Image {
    /// What it is.
    pub shape: Shape,
    /// What messages see.
    pub surface: Arc<Surface>,
}

/// Channel orders with their OpenCL numbers and the letters of a format's name.
const ORDERS: &[(&str, u32, &str)] = &[
    ("R", 0x10b0, "R"),
    ("A", 0x10b1, "A"),
    ("RG", 0x10b2, "RG"),
    ("RGB", 0x10b4, "RGB"),
    ("RGBA", 0x10b5, "RGBA"),
    ("BGRA", 0x10b6, "BGRA"),
    ("INTENSITY", 0x10b8, "I"),
    ("LUMINANCE", 0x10b9, "L"),
    ("DEPTH", 0x10bd, "R"),
    ("sRGBA", 0x10c1, "RGBA"),
    ("sBGRA", 0x10c2, "BGRA"),
];

/// Channel types with their OpenCL numbers, bits and number type.
const CHANNELS: &[(&str, u32, u32, &str)] = &[
    ("SNORM_INT8", 0x10d0, 8, "SNORM"),
    ("SNORM_INT16", 0x10d1, 16, "SNORM"),
    ("UNORM_INT8", 0x10d2, 8, "UNORM"),
    ("UNORM_INT16", 0x10d3, 16, "UNORM"),
    ("SIGNED_INT8", 0x10d7, 8, "SINT"),
    ("SIGNED_INT16", 0x10d8, 16, "SINT"),
    ("SIGNED_INT32", 0x10d9, 32, "SINT"),
    ("UNSIGNED_INT8", 0x10da, 8, "UINT"),
    ("UNSIGNED_INT16", 0x10db, 16, "UINT"),
    ("UNSIGNED_INT32", 0x10dc, 32, "UINT"),
    ("HALF_FLOAT", 0x10dd, 16, "FLOAT"),
    ("FLOAT", 0x10de, 32, "FLOAT"),
];

/// A word that is none of those known.
fn unknown(word: &str, what: &str, known: &[&str]) -> Refused {
    let mut refused = refuse(Code::E0644, format!("`{word}` is not a {what}"));
    refused.help = Some(match nearest(word, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("one of {}", known.join(" ")),
    });
    refused
}

/// How many sizes an image of a kind has; `None` for what is not a kind.
pub fn sizes(kind: &str) -> Option<usize> {
    let known = KINDS.contains(&kind);
    known.then(|| match form(kind) {
        "1d" | "1d_buffer" => 1,
        "1d_array" | "2d" => 2,
        _ => 3,
    })
}

impl Shape {
    /// Why it cannot appear where the kernel takes an image of a kind; `None` if it can. Depths are one channel: a
    /// 2D image of order `DEPTH` or `R` holds them as well as one that is called so.
    pub fn contradicts(&self, kind: &str) -> Option<&'static str> {
        if form(&self.kind) != form(kind) {
            return Some(
                "dimensions and layers of an image are those that the kernel was compiled for",
            );
        }
        let one = matches!(self.order.as_str(), "DEPTH" | "R");
        match (is_depth(kind), is_depth(&self.kind)) {
            (true, false) if !one => Some("an image of depths has one channel, of order DEPTH"),
            (false, true) => Some("the kernel was compiled for colours, not for depths"),
            _ => None,
        }
    }

    /// All sizes that an image of its kind has are there, and no others.
    ///
    /// # Errors
    /// `E0644`: one is missing, or is there for nothing.
    pub fn sized(&self) -> Result<(), Refused> {
        let form = form(&self.kind);
        let sizes = [
            ("width", self.width, true),
            ("height", self.height, !form.starts_with("1d")),
            ("depth", self.depth, form == "3d"),
            ("layers", self.layers, form.ends_with("_array")),
        ];
        let kind = &self.kind;
        for (name, size, has) in sizes {
            let what = match (has, size) {
                (true, 0) => format!("`{name}` of the image is missing: it is of type {kind}"),
                (false, 2..) => format!("an image of type {kind} has no `{name}`"),
                _ => continue,
            };
            return Err(refuse(Code::E0644, what));
        }
        Ok(())
    }

    /// Channel orders with channel types for which there is a surface format: names and numbers of OpenCL.
    pub fn formats() -> impl Iterator<Item = (&'static str, u32, &'static str, u32)> {
        let all = ORDERS
            .iter()
            .flat_map(|o| CHANNELS.iter().map(move |c| (o, c)));
        let fits = all.filter(|(order, channel)| {
            let shape = Shape {
                order: order.0.to_string(),
                channel: channel.0.to_string(),
                ..Shape::default()
            };
            shape.format().is_ok()
        });
        fits.map(|(order, channel)| (order.0, order.1, channel.0, channel.1))
    }

    /// The names of a channel order and a channel type by their numbers in OpenCL.
    pub fn named(order: u32, channel: u32) -> Option<(&'static str, &'static str)> {
        let order = ORDERS.iter().find(|own| own.1 == order)?;
        let channel = CHANNELS.iter().find(|own| own.1 == channel)?;
        Some((order.0, channel.0))
    }

    fn order(&self) -> Result<&'static (&'static str, u32, &'static str), Refused> {
        let known: Vec<&str> = ORDERS.iter().map(|o| o.0).collect();
        let found = ORDERS.iter().find(|o| o.0 == self.order);
        found.ok_or_else(|| unknown(&self.order, "channel order", &known))
    }

    fn channel(&self) -> Result<&'static (&'static str, u32, u32, &'static str), Refused> {
        let known: Vec<&str> = CHANNELS.iter().map(|c| c.0).collect();
        let found = CHANNELS.iter().find(|c| c.0 == self.channel);
        found.ok_or_else(|| unknown(&self.channel, "channel type", &known))
    }

    /// The format the hardware sees.
    fn format(&self) -> Result<Format, Refused> {
        let (order, channel) = (self.order()?, self.channel()?);
        let letters: String = order
            .2
            .chars()
            .map(|letter| format!("{letter}{}", channel.2))
            .collect();
        let srgb = if order.0.starts_with('s') {
            "_SRGB"
        } else {
            ""
        };
        let name = format!("{letters}_{}{srgb}", channel.3);
        Format::named(&name).ok_or_else(|| {
            refuse(
                Code::E0644,
                format!("no surface format holds {} of {}", order.0, channel.0),
            )
        })
    }

    /// The surface and its slices.
    fn surface(&self) -> Result<(Description, u32), Refused> {
        let format = self.format()?;
        let size = |n: u32| n.max(1);
        let (width, height) = (size(self.width), size(self.height));
        let layers = size(self.layers);
        Ok(match self.kind.as_str() {
            "1d" => (Description::d1(format, width), 1),
            "1d_array" => {
                let array = Description {
                    array: true,
                    depth: layers,
                    ..Description::d1(format, width)
                };
                (array, layers)
            }
            "1d_buffer" => (Description::buffer(format, width), 1),
            "2d" | "2d_depth" | "2d_media" | "2d_media_block" => {
                (Description::d2(format, width, height), 1)
            }
            "2d_array" | "2d_array_depth" => {
                let array = Description::d2_array(format, width, height, layers);
                (array, layers)
            }
            "3d" => {
                let depth = size(self.depth);
                (Description::d3(format, width, height, depth), depth)
            }
            other => return Err(unknown(other, "type of image", KINDS)),
        })
    }

    /// Rows of a slice.
    fn rows(&self) -> u32 {
        if self.kind.starts_with("1d") {
            1
        } else {
            self.height.max(1)
        }
    }
}

impl Image {
    /// An image of zeros.
    ///
    /// # Errors
    /// `E0644`: no such format or size; `L0640`: too large.
    pub fn zeroed(shape: Shape) -> Result<Image, Refused> {
        let (description, _) = shape.surface()?;
        // Compilers ask of a format what their device has: the longest list is taken.
        let generation = Generation::LATEST;
        let description = Description {
            generation,
            ..description
        };
        let surface = Surface::zeroed(description).map_err(|invalid| {
            let code = match invalid.code {
                Code::L0713 => Code::L0640,
                Code::L0606 => Code::L0606,
                _ => Code::E0644,
            };
            refuse(code, invalid.what)
        })?;
        Ok(Image {
            shape,
            surface: Arc::new(surface),
        })
    }

    /// An image whose texels lie in memory that is there, a row every `pitch` bytes from `offset` on; 0 for rows
    /// without padding.
    ///
    /// # Errors
    /// `E0644`: no such format or size, or it does not lie inside the memory.
    pub fn over(
        shape: Shape,
        memory: Arc<Memory>,
        offset: usize,
        pitch: usize,
    ) -> Result<Image, Refused> {
        let (description, _) = shape.surface()?;
        let wrong = |what: String| refuse(Code::E0644, what);
        let tight = u64::from(description.width) * u64::from(description.format.bits) / 8;
        let pitch = match (shape.kind.as_str(), pitch) {
            ("1d_buffer", _) => 0,
            (_, 0) => tight as u32,
            (_, pitch) => u32::try_from(pitch).map_err(|_| wrong(format!("a pitch of {pitch}")))?,
        };
        let description = Description {
            generation: Generation::LATEST,
            base: offset as u64,
            pitch,
            ..description
        };
        let surface = Surface::new(description, memory).map_err(|invalid| wrong(invalid.what))?;
        Ok(Image {
            shape,
            surface: Arc::new(surface),
        })
    }

    /// The image of a file called `name`: a picture, else its texels without padding.
    ///
    /// # Errors
    /// As [`Image::new`]; `E0702`: a picture that cannot be read, or is of another size or kind.
    pub fn of_file(shape: Shape, name: &str, bytes: &[u8]) -> Result<Image, Refused> {
        if !is_picture(name) {
            return Image::new(shape, bytes);
        }
        let unusable = |what: String| refuse(Code::E0702, format!("{name}: {what}"));
        let mut files = InMemory::default();
        files.insert(name, bytes.to_vec());
        let picture = read_picture(&files, Path::new(name)).map_err(|e| unusable(e.what))?;
        if (picture.width, picture.height) != (shape.width, shape.height.max(1)) {
            let (width, height) = (shape.width, shape.height);
            let own = format!("a picture of {}x{}", picture.width, picture.height);
            return Err(unusable(format!(
                "{own}, the image has {width}x{height} texels"
            )));
        }
        let image = Image::zeroed(shape)?;
        let stored = picture.store(&image.surface);
        stored.map_err(|refused| unusable(refused.to_string()))?;
        Ok(image)
    }

    /// An image with these texels, rows and slices without padding.
    ///
    /// # Errors
    /// As [`Image::zeroed`]; `E0642` if there are more or fewer bytes than texels.
    pub fn new(shape: Shape, bytes: &[u8]) -> Result<Image, Refused> {
        let image = Image::zeroed(shape)?;
        let wanted = image.len();
        if bytes.len() != wanted {
            let mut refused = refuse(
                Code::E0642,
                format!(
                    "the image has {}, not {}",
                    counted(wanted, "byte"),
                    bytes.len()
                ),
            );
            refused
                .notes
                .push("rows and slices follow each other without padding".to_string());
            return Err(refused);
        }
        let row_bytes = image.row_bytes();
        let memory = image.surface.memory();
        for (address, row) in image.rows().zip(bytes.chunks_exact(row_bytes.max(1))) {
            memory.write(address, row);
        }
        Ok(image)
    }

    /// Bytes of a row without padding.
    fn row_bytes(&self) -> usize {
        let d = self.surface.description();
        d.width as usize * usize::from(d.format.bits) / 8
    }

    /// The bytes of a texel of a colour: red, green, blue, alpha, floats or integers by the format. `None` for formats
    /// that cannot be written.
    pub fn texel_of(&self, colour: [u32; 4]) -> Option<Vec<u8>> {
        let bytes = encode(self.surface.description().format, colour)?;
        Some(bytes[..self.texel_bytes()].to_vec())
    }

    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> usize {
        usize::from(self.surface.description().format.bits) / 8
    }

    /// Where a row of a slice, or of a layer, begins in the memory.
    pub fn address_of(&self, slice: u32, y: u32) -> usize {
        let place = self.surface.place(TexelPosition {
            level: 0,
            slice,
            x: 0,
            y,
            sample: 0,
        });
        self.surface.address(place.x, place.y)
    }

    /// Rows of a slice.
    pub fn rows_of_slice(&self) -> u32 {
        self.shape.rows()
    }

    /// Slices and layers together.
    pub fn slices(&self) -> u32 {
        self.shape.surface().map_or(1, |(_, slices)| slices)
    }

    /// Bytes of all texels.
    pub fn len(&self) -> usize {
        self.row_bytes() * self.shape.rows() as usize * self.slices() as usize
    }

    /// Never: an image has one texel at least.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where rows start in memory, slice by slice.
    fn rows(&self) -> impl Iterator<Item = usize> {
        let rows = self.shape.rows();
        (0..self.slices()).flat_map(move |slice| (0..rows).map(move |y| self.address_of(slice, y)))
    }

    /// All texels, rows and slices without padding.
    pub fn bytes(&self) -> Vec<u8> {
        let row_bytes = self.row_bytes();
        let mut out = vec![0; self.len()];
        for (address, row) in self.rows().zip(out.chunks_exact_mut(row_bytes.max(1))) {
            self.surface.memory().read(address, row);
        }
        out
    }

    /// What the payload answers. Source: launch reference 5.
    pub fn answer(&self, query: ImageQuery) -> u32 {
        let shape = &self.shape;
        match query {
            ImageQuery::Width => shape.width,
            ImageQuery::Height => shape.height.max(1),
            ImageQuery::Depth => shape.depth.max(1),
            ImageQuery::ArraySize => shape.layers.max(1),
            ImageQuery::ChannelType => shape.channel().map_or(0, |c| c.1),
            ImageQuery::ChannelOrder | ImageQuery::SrgbChannelOrder => {
                shape.order().map_or(0, |o| o.1)
            }
            ImageQuery::Levels | ImageQuery::Samples => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_one_name_whoever_tells_them() {
        for (name, kind) in [
            ("image_2d_array_depth", "2d_array_depth"),
            ("image_buffer", "1d_buffer"),
            ("2d_media_block", "2d_media_block"),
            ("type10", "2d_array_depth"),
            ("type0", "type0"),
            ("type17", "type17"),
        ] {
            assert_eq!(described(name), kind);
        }
        assert!(KINDS.iter().all(|kind| IMAGES.contains(kind)));
        assert_eq!((numbered(0), numbered(4)), (None, Some("2d")));
    }
}
