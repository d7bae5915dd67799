//! Texture files: DDS and KTX2, with their blocks, levels, slices and faces.
//!
//! ```text
//!   DDS:  for each slice or face: for each level: all 3D slices of the level
//!   KTX2: for each level: for each slice: for each face: all 3D slices of the level
//! ```
//!
//! Rows are packed in both. Nothing is decoded: the file's elements become the surface's.

use std::path::Path;

use super::file::BadFile;
use super::{Description, Format, Image, Invalid, Kind, Surface};
use crate::diagnostic::Code;

/// What a file says of its texture.
struct Texture<'a> {
    format: Format,
    /// Kind, array, and the slices of an array or cubes of an array of cubes.
    kind: Kind,
    array: bool,
    size: (u32, u32, u32),
    levels: u32,
    /// The elements of all images, in pieces that follow one another.
    order: Order,
    pieces: Vec<&'a [u8]>,
}

/// The order of a file's images.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// One piece, slice by slice and level by level inside.
    Slices,
    /// A piece for each level.
    Levels,
}

/// Whether a file starts like a texture that [`load_texture`] reads.
pub fn is_texture(bytes: &[u8]) -> bool {
    bytes.starts_with(DDS) || bytes.starts_with(KTX2)
}

const DDS: &[u8] = b"DDS ";
const KTX2: &[u8] = b"\xabKTX 20\xbb";

/// A surface from a DDS or KTX2 file: format, size, levels, slices and faces are the file's.
///
/// * `start`: tiling, generation, pitch and the like; its format, size, levels and slices are not used.
/// * `format`: another format for the same elements, such as the sRGB twin.
///
/// # Errors
/// [`BadFile`] if the file is cut short or damaged, holds a format that no surface has, is
/// supercompressed, or breaks a rule of surfaces.
pub fn load_texture(
    path: &Path,
    bytes: &[u8],
    start: &Description,
    format: Option<Format>,
) -> Result<Surface, BadFile> {
    let bad = |what: String, help: &str| BadFile::new(path, what, help);
    let (dds, ktx2);
    let texture = if bytes.starts_with(DDS) {
        dds = ddsfile::Dds::read(bytes).map_err(|e| bad(e.to_string(), DAMAGED))?;
        of_dds(&dds)
    } else {
        ktx2 = ktx2::Reader::new(bytes).map_err(|e| bad(e.to_string(), DAMAGED))?;
        of_ktx2(&ktx2)
    };
    let mut texture = texture.map_err(|(what, help)| bad(what, help))?;
    if let Some(format) = format {
        let same = (format.bits, format.block) == (texture.format.bits, texture.format.block);
        if !same {
            let what = format!(
                "the file has {}, whose elements are not {format}",
                texture.format
            );
            return Err(bad(what, "leave the format out"));
        }
        texture.format = format;
    }
    let (width, height, depth) = texture.size;
    let description = Description {
        kind: texture.kind,
        array: texture.array,
        depth,
        levels: texture.levels,
        planes: None,
        ..Description {
            format: texture.format,
            width,
            height,
            ..start.clone()
        }
    };
    let invalid = |e: Invalid| BadFile::invalid(path, e);
    // The elements of the file bound what may be allocated for them.
    let least = elements(&description).map_err(invalid)?;
    let there: usize = texture.pieces.iter().map(|p| p.len()).sum();
    if least > there as u64 {
        let what = format!("the texture has {least} bytes of texels and the file {there}");
        return Err(bad(what, DAMAGED));
    }
    let surface = Surface::zeroed(description).map_err(invalid)?;
    match texture.fill(&surface) {
        true => Ok(surface),
        false => Err(bad(
            "the file ends before its last level".to_string(),
            DAMAGED,
        )),
    }
}

const DAMAGED: &str = "the file may be damaged or cut short";
const CONVERT: &str =
    "convert it to a format of surface reference 1.1, such as BC7_UNORM or R8G8B8A8_UNORM";

/// Bytes of all elements of a texture, without padding.
fn elements(d: &Description) -> Result<u64, Invalid> {
    Surface::check(d.clone())?;
    let cell = d.format.cell();
    if cell.bytes == 0 {
        let what = format!("{} has no elements of its own", d.format);
        return Err(Invalid::new(Code::E0746, what));
    }
    let bytes = (0..d.levels).map(|level| {
        let size = |n: u32| (n >> level).max(1);
        let slices = match d.kind {
            Kind::D3 => size(d.depth),
            _ => d.slices(),
        };
        let across = u64::from(size(d.width).div_ceil(cell.across));
        let down = u64::from(size(d.height).div_ceil(cell.down));
        across * down * u64::from(slices) * u64::from(cell.bytes)
    });
    Ok(bytes.sum())
}

impl Texture<'_> {
    /// Copies the elements into the surface; `false` if some are missing.
    fn fill(&self, surface: &Surface) -> bool {
        let mut rest = self.pieces.first().copied().unwrap_or_default();
        let volume = self.kind == Kind::D3;
        let slices = surface.description().slices();
        // 3D slices belong together in both files.
        let outer = if volume { 1 } else { slices };
        let image = |level: u32, slice: u32, rest: &mut &[u8]| {
            let inner = if volume {
                surface.level_size(level).2
            } else {
                1
            };
            for z in 0..inner {
                let size = surface.image_bytes(level);
                let Some((own, tail)) = rest.split_at_checked(size) else {
                    return false;
                };
                let slice = slice + z;
                surface.set_image(
                    Image {
                        level,
                        slice,
                        sample: 0,
                    },
                    own,
                );
                *rest = tail;
            }
            true
        };
        match self.order {
            Order::Slices => {
                (0..outer).all(|slice| (0..self.levels).all(|level| image(level, slice, &mut rest)))
            }
            Order::Levels => (0..self.levels).all(|level| {
                let mut rest = self.pieces.get(level as usize).copied().unwrap_or_default();
                (0..outer).all(|slice| image(level, slice, &mut rest))
            }),
        }
    }
}

type Wrong = (String, &'static str);

fn of_dds(file: &ddsfile::Dds) -> Result<Texture<'_>, Wrong> {
    use ddsfile::{Caps2, D3D10ResourceDimension as Dimension, MiscFlag};
    let header = &file.header;
    // Old headers name a format by four letters, of which DXT1 says nothing of sRGB, or by its masks.
    let format = match (&file.header10, file.get_d3d_format()) {
        (Some(more), _) => known(&format!("{:?}", more.dxgi_format))?,
        (None, Some(format)) if header.spf.fourcc.is_some() => known(&format!("D3D_{format:?}"))?,
        _ => of_masks(&header.spf)
            .ok_or_else(|| ("the pixel format is not known".to_string(), CONVERT))?,
    };
    let (cube, volume, flat, slices) = match &file.header10 {
        Some(more) => (
            more.misc_flag.contains(MiscFlag::TEXTURECUBE),
            more.resource_dimension == Dimension::Texture3D,
            more.resource_dimension == Dimension::Texture1D,
            more.array_size.max(1),
        ),
        None => (
            header.caps2.contains(Caps2::CUBEMAP),
            header.caps2.contains(Caps2::VOLUME),
            false,
            1,
        ),
    };
    if cube && file.header10.is_none() && !header.caps2.contains(Caps2::CUBEMAP_ALLFACES) {
        return Err(("some faces of the cube are missing".to_string(), "add them"));
    }
    let (kind, depth) = kind(cube, volume, flat, slices, header.depth.unwrap_or(1));
    Ok(Texture {
        format,
        kind,
        array: slices > 1 && !volume,
        size: (header.width, header.height.max(1), depth),
        levels: header.mip_map_count.unwrap_or(1).max(1),
        order: Order::Slices,
        pieces: vec![&file.data],
    })
}

/// The normalised format whose channels lie where the masks say.
fn of_masks(masks: &ddsfile::PixelFormat) -> Option<Format> {
    use ddsfile::PixelFormatFlags as Flags;
    let has = |flags: Flags| masks.flags.intersects(flags);
    let luminance = has(Flags::LUMINANCE);
    let alpha = match has(Flags::ALPHA | Flags::ALPHA_PIXELS) {
        true => masks.a_bit_mask.unwrap_or(0),
        false => 0,
    };
    // Where there is no colour the reader gives neither its mask nor, for alpha alone, the size.
    let bits = masks.rgb_bit_count.unwrap_or(32 - alpha.leading_zeros());
    let all = u32::MAX.checked_shr(32u32.checked_sub(bits)?).unwrap_or(0);
    let red = match luminance {
        true => all & !alpha,
        false => masks.r_bit_mask.unwrap_or(0),
    };
    let coloured = |mask: Option<u32>| if luminance { 0 } else { mask.unwrap_or(0) };
    let wanted = [
        (b'L', if luminance { red } else { 0 }),
        (b'R', coloured(masks.r_bit_mask)),
        (b'G', coloured(masks.g_bit_mask)),
        (b'B', coloured(masks.b_bit_mask)),
        (b'A', alpha),
    ];
    let place = |format: Format, name: u8| match format.channel(name) {
        Some(c) if c.shift + u16::from(c.bits) <= 32 => (u32::MAX >> (32 - c.bits)) << c.shift,
        Some(_) => u32::MAX,
        None => 0,
    };
    Format::all().find(|format| {
        let mut named = format.channels.iter().filter(|c| c.bits > 0);
        format.kind == super::format::Kind::Unorm
            && named.all(|c| b"LRGBAX".contains(&c.name))
            && u32::from(format.bits) == bits
            && wanted
                .iter()
                .all(|&(name, mask)| place(*format, name) == mask)
    })
}

fn of_ktx2<'a>(file: &'a ktx2::Reader<&[u8]>) -> Result<Texture<'a>, Wrong> {
    let header = file.header();
    if let Some(scheme) = header.supercompression_scheme {
        let what = format!("the file is supercompressed ({scheme:?})");
        return Err((what, "write it without supercompression"));
    }
    let Some(format) = header.format else {
        return Err(("the file holds a universal format".to_string(), CONVERT));
    };
    let format = known(&format!("{format:?}"))?;
    let cube = header.face_count == 6;
    let volume = header.pixel_depth > 0;
    let flat = header.pixel_height == 0;
    let slices = header.layer_count.max(1);
    let (kind, depth) = kind(cube, volume, flat, slices, header.pixel_depth.max(1));
    Ok(Texture {
        format,
        kind,
        array: slices > 1 && !volume,
        size: (header.pixel_width, header.pixel_height.max(1), depth),
        levels: header.level_count.max(1),
        order: Order::Levels,
        pieces: file.levels().map(|level| level.data).collect(),
    })
}

fn kind(cube: bool, volume: bool, flat: bool, slices: u32, depth: u32) -> (Kind, u32) {
    match (cube, volume, flat) {
        (true, ..) => (Kind::Cube, slices),
        (_, true, _) => (Kind::D3, depth),
        (_, _, true) => (Kind::D1, slices),
        _ => (Kind::D2, slices),
    }
}

/// The surface format of a format that another world names.
fn known(name: &str) -> Result<Format, Wrong> {
    let alias = ALIASES.iter().find(|row| row.0.eq_ignore_ascii_case(name));
    let plain = name.trim_end_matches("_BLOCK").replace("SFLOAT", "FLOAT");
    let srgb = plain.replace("_SRGB", "_UNORM_SRGB");
    alias
        .and_then(|row| Format::named(row.1))
        .or_else(|| Format::named(&plain))
        .or_else(|| Format::named(&srgb))
        .ok_or_else(|| (format!("unknown surface format {name}"), CONVERT))
}

/// Formats of DXGI, Direct3D 9 (`D3D_`) and Vulkan whose names are others.
const ALIASES: &[(&str, &str)] = &[
    ("D32_Float", "R32_FLOAT"),
    ("D16_UNorm", "R16_UNORM"),
    ("D24_UNorm_S8_UInt", "R24_UNORM_X8_TYPELESS"),
    ("D32_Float_S8X24_UInt", "R32_FLOAT_X8X24_TYPELESS"),
    ("YUY2", "YCRCB_NORMAL"),
    ("P8", "P8_UNORM_PALETTE0"),
    ("D3D_A16B16G16R16", "R16G16B16A16_UNORM"),
    ("D3D_Q16W16V16U16", "R16G16B16A16_SNORM"),
    ("D3D_R16F", "R16_FLOAT"),
    ("D3D_G16R16F", "R16G16_FLOAT"),
    ("D3D_A16B16G16R16F", "R16G16B16A16_FLOAT"),
    ("D3D_R32F", "R32_FLOAT"),
    ("D3D_G32R32F", "R32G32_FLOAT"),
    ("D3D_A32B32G32R32F", "R32G32B32A32_FLOAT"),
    ("D3D_DXT1", "BC1_UNORM"),
    ("D3D_DXT2", "BC2_UNORM"),
    ("D3D_DXT3", "BC2_UNORM"),
    ("D3D_DXT4", "BC3_UNORM"),
    ("D3D_DXT5", "BC3_UNORM"),
    ("D3D_UYVY", "YCRCB_SWAPY"),
    ("D3D_YUY2", "YCRCB_NORMAL"),
    ("BC1_RGB_UNORM_BLOCK", "DXT1_RGB"),
    ("BC1_RGB_SRGB_BLOCK", "DXT1_RGB_SRGB"),
    ("BC1_RGBA_UNORM_BLOCK", "BC1_UNORM"),
    ("BC1_RGBA_SRGB_BLOCK", "BC1_UNORM_SRGB"),
    ("BC6H_UFLOAT_BLOCK", "BC6H_UF16"),
    ("BC6H_SFLOAT_BLOCK", "BC6H_SF16"),
    ("B10G11R11_UFLOAT_PACK32", "R11G11B10_FLOAT"),
    ("E5B9G9R9_UFLOAT_PACK32", "R9G9B9E5_SHAREDEXP"),
    ("A2B10G10R10_UNORM_PACK32", "R10G10B10A2_UNORM"),
    ("A2B10G10R10_UINT_PACK32", "R10G10B10A2_UINT"),
    ("A2R10G10B10_UNORM_PACK32", "B10G10R10A2_UNORM"),
    ("R5G6B5_UNORM_PACK16", "B5G6R5_UNORM"),
    ("A1R5G5B5_UNORM_PACK16", "B5G5R5A1_UNORM"),
    ("D16_UNORM", "R16_UNORM"),
    ("D32_SFLOAT", "R32_FLOAT"),
    ("X8_D24_UNORM_PACK32", "R24_UNORM_X8_TYPELESS"),
];
