//! What is in surfaces: files read into them, formulas, and files made of them.

use super::bind::{Layer, description};
use super::directive::SurfaceBinding;
use super::formula::Formula;
use super::load;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Spanned;
use crate::surface::{Description, Format, Surface};
use image::{ImageFormat, ImageReader};
use std::io::Cursor;

type Wrong = Box<Diagnostic>;

/// A file that cannot be used, at its name.
fn unusable(path: &Spanned<String>, why: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0702).at(path.span, why))
}

/// Reads a file that a layer names.
fn read(layer: &Layer, path: &Spanned<String>) -> Result<Vec<u8>, Wrong> {
    load::bytes(&layer.folder.join(&path.node), load::MAX_FILE_BYTES)
        .map_err(|error| unusable(path, error.to_string()))
}

/// RGBA bytes of a picture file.
fn decode(layer: &Layer, path: &Spanned<String>) -> Result<image::RgbaImage, Wrong> {
    let bytes = read(layer, path)?;
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let reader = reader.map_err(|e| unusable(path, e.to_string()))?;
    let picture = reader.decode().map_err(|e| unusable(path, e.to_string()))?;
    Ok(picture.to_rgba8())
}

/// A surface with the texels of a picture file.
pub fn picture(
    layer: &Layer,
    ask: &SurfaceBinding,
    path: &Spanned<String>,
    format: Option<Format>,
) -> Result<Surface, Wrong> {
    let picture = decode(layer, path)?;
    let format = format.unwrap_or(Format::R8G8B8A8_UNORM);
    let size = [picture.width(), picture.height()];
    let description = description(ask, format, &size)?;
    let surface = Surface::zeroed(description).map_err(|e| unusable(path, e.to_string()))?;
    set_rows(&surface, picture.as_raw());
    Ok(surface)
}

/// A surface with the bytes of a plain file.
pub fn plain(
    layer: &Layer,
    path: &Spanned<String>,
    description: Description,
) -> Result<Surface, Wrong> {
    let bytes = read(layer, path)?;
    let memory = std::sync::Arc::new(crate::surface::Memory::from_bytes(&bytes));
    Surface::new(description, memory).map_err(|e| unusable(path, e.to_string()))
}

/// Fills every byte of every row.
pub fn fill(surface: &Surface, text: &Spanned<String>) -> Result<(), Wrong> {
    let formula = Formula::read(text).map_err(|e| {
        let label = format!("{} is wanted here", e.wanted);
        Box::new(Diagnostic::new(Code::E0701).at(e.span, label))
    })?;
    let row = row_bytes(surface);
    let rows = to_rows(surface).len() / row.max(1);
    let mut bytes = Vec::with_capacity(rows * row);
    for y in 0..rows as i64 {
        bytes.extend((0..row as i64).map(|x| formula.at(x, y) as u8));
    }
    set_rows(surface, &bytes);
    Ok(())
}

/// A surface as the bytes of a file.
pub fn save(surface: &Surface, path: &Spanned<String>) -> Result<Vec<u8>, Wrong> {
    let d = surface.description();
    let bytes = to_rows(surface);
    if !path.node.to_ascii_lowercase().ends_with(".png") {
        return Ok(bytes);
    }
    let colour = if d.format.cell().bytes == 4 {
        image::ColorType::Rgba8
    } else {
        image::ColorType::L8
    };
    let mut out = Cursor::new(Vec::new());
    image::write_buffer_with_format(
        &mut out,
        &bytes,
        d.width,
        d.height,
        colour,
        ImageFormat::Png,
    )
    .map_err(|e| unusable(path, e.to_string()))?;
    Ok(out.into_inner())
}

/// Whether a surface shows what a picture file shows.
pub fn same_picture(surface: &Surface, layer: &Layer, path: &Spanned<String>) -> Result<(), Wrong> {
    let wanted = decode(layer, path)?;
    let d = surface.description();
    let found = to_rows(surface);
    let wanted = if d.format.cell().bytes == 4 {
        wanted.into_raw()
    } else {
        wanted.pixels().map(|p| p.0[0]).collect()
    };
    if wanted == found {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::new(Code::E0710).at(path.span, "differs"),
    ))
}

/// Bytes of a row.
pub fn row_bytes(surface: &Surface) -> usize {
    let d = surface.description();
    let cell = d.format.cell();
    (d.width.div_ceil(cell.across.max(1)) * cell.bytes) as usize
}

/// All rows.
pub fn to_rows(surface: &Surface) -> Vec<u8> {
    let d = surface.description();
    let mut out = vec![0; row_bytes(surface) * d.height as usize];
    for (y, row) in out.chunks_mut(row_bytes(surface)).enumerate() {
        let place = surface.place(0, 0, 0, y as u32, 0);
        surface
            .memory()
            .read(surface.address(place.x, place.y), row);
    }
    out
}

fn set_rows(surface: &Surface, bytes: &[u8]) {
    for (y, row) in bytes.chunks(row_bytes(surface)).enumerate() {
        let place = surface.place(0, 0, 0, y as u32, 0);
        surface
            .memory()
            .write(surface.address(place.x, place.y), row);
    }
}
