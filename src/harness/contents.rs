//! What is in surfaces: files read into them, formulas, and files made of them, with the mistakes
//! reported at the words that asked.

use super::bind::Layer;
use super::directive::{Save, SurfaceBinding};
use super::{compile, grants};
use crate::diagnostic::{Code, Diagnostic};
use crate::files::write_whole;
use crate::source::{Span, Spanned};
use crate::surface::file::{
    BadFile, encode_picture, load_picture, load_rows, open_texture, read_picture,
};
use crate::surface::pattern::Pattern;
use crate::surface::{Description, Format, Image, Invalid, Picture, Surface};
use std::path::{Path, PathBuf};

type Wrong = Box<Diagnostic>;

/// The words of a directive that a broken rule is about, if it has any.
fn blamed(ask: &SurfaceBinding, rule: &Invalid) -> Option<Span> {
    rule.keys.iter().find_map(|name| match *name {
        "size" => ask.size.as_ref().map(|size| size.span),
        "format" => ask.format.as_ref().map(|format| format.span),
        name => {
            let (key, value) = ask.keys.iter().find(|(key, _)| key.node == name)?;
            Some(key.span.to(value.span))
        }
    })
}

/// A surface that breaks a rule, at the words that the rule is about.
pub fn broken(ask: &SurfaceBinding, rule: &Invalid) -> Wrong {
    Box::new(rule.at(blamed(ask, rule).unwrap_or(ask.span)))
}

/// A file that cannot be used, at its name; where words of the directive break a rule, that rule at them.
fn unusable(ask: Option<&SurfaceBinding>, path: &Spanned<String>, error: BadFile) -> Wrong {
    let see = error.rule.as_ref().map(|rule| rule.see.to_string());
    if let (Some(ask), Some(rule)) = (ask, &error.rule)
        && let Some(span) = blamed(ask, rule)
    {
        return Box::new(rule.at(span));
    }
    let label = format!("{}: {}", error.path, error.what);
    let code = match &error.rule {
        Some(rule) if rule.too_large() => rule.code,
        _ if error.too_large => Code::L0713,
        _ => Code::E0702,
    };
    let unusable = Diagnostic::new(code).at(path.span, label);
    Box::new(Diagnostic {
        see,
        ..unusable.help(error.help)
    })
}

/// A surface with the texels of a picture file; a size of 0 by 0 takes the picture's. With `mips` its lower
/// levels too.
pub fn picture(
    layer: &Layer,
    ask: &SurfaceBinding,
    path: &Spanned<String>,
    description: Description,
    mips: bool,
) -> Result<Surface, Wrong> {
    let full = layer.folder.join(&path.node);
    load_picture(&*layer.files, &full, description, mips).map_err(|e| unusable(Some(ask), path, e))
}

/// A surface from a texture file; `None` if the file is none.
pub fn texture(
    layer: &Layer,
    ask: &SurfaceBinding,
    path: &Spanned<String>,
    start: &Description,
    format: Option<Format>,
) -> Result<Option<Surface>, Wrong> {
    let full = layer.folder.join(&path.node);
    open_texture(&*layer.files, &full, start, format).map_err(|e| unusable(Some(ask), path, e))
}

/// A surface with frame number `frame` of a plain file, which a directive or a key of one names.
pub fn plain(
    layer: &Layer,
    ask: Option<&SurfaceBinding>,
    path: &Spanned<String>,
    description: Description,
    frame: u64,
) -> Result<Surface, Wrong> {
    let full = layer.folder.join(&path.node);
    load_rows(&*layer.files, &full, description, frame).map_err(|e| unusable(ask, path, e))
}

/// Fills a surface by a formula.
pub fn fill(surface: &Surface, text: &Spanned<String>) -> Result<(), Wrong> {
    let filled = Pattern::parse(&text.node).and_then(|pattern| pattern.fill(surface));
    filled.map_err(|bad| {
        if let Some(short) = bad.short {
            let label = "surface is not filled to its end";
            return Box::new(short.diagnostic().at(text.span, label));
        }
        let start = (text.span.start + bad.at as u32).min(text.span.end);
        let at = Span::new(start, (start + 1).min(text.span.end));
        Box::new(Diagnostic::with_message(Code::E0701, "formula cannot be read").at(at, bad.what))
    })
}

/// A surface, or the part of it that is asked for, as the bytes of a file: a PNG picture if the name ends
/// so, else its rows.
///
/// # Errors
/// `E0702`: the surface shows no picture; `E0757`: it has no such part.
pub fn save(surface: &Surface, save: &Save) -> Result<Vec<u8>, Wrong> {
    let path = &save.path;
    let mut surface = surface.clone();
    let mut image = None;
    for (key, number) in &save.part {
        let missing = |what: String| Box::new(Diagnostic::new(Code::E0757).at(key.span, what));
        if key.node == "plane" {
            let format = surface.format();
            surface = surface
                .plane(*number)
                .ok_or_else(|| missing(format!("{format} has no plane {number}")))?;
            continue;
        }
        let image: &mut Image = image.get_or_insert_default();
        match key.node.as_str() {
            "level" => image.level = *number,
            "slice" => image.slice = *number,
            _ => image.sample = *number,
        }
        if !surface.has_image(*image) {
            let what = format!("the surface has no {} {number}", key.node);
            return Err(missing(what));
        }
    }
    encoded(&surface, image, path)
}

/// One image of a surface, or all that it shows, as the bytes of a file of this name.
///
/// # Errors
/// `E0702`: the surface shows no picture.
pub fn encoded(
    surface: &Surface,
    image: Option<Image>,
    path: &Spanned<String>,
) -> Result<Vec<u8>, Wrong> {
    if !path.node.to_ascii_lowercase().ends_with(".png") {
        return Ok(match image {
            Some(image) => surface.image(image),
            None => surface.to_rows(),
        });
    }
    let picture = Picture::of_image(surface, image.unwrap_or_default());
    let picture = picture.map_err(|e| e.to_string());
    picture.and_then(|p| encode_picture(&p)).map_err(|why| {
        let help = format!("{}.raw stores the rows unchanged", path.node);
        Box::new(Diagnostic::new(Code::E0702).at(path.span, why).help(help))
    })
}

/// Whether a surface shows what a picture file shows, texel for texel.
///
/// # Errors
/// `E0702`: one of them is not a picture; `E0710`: they differ. The note then shows the first texel that
/// does with its neighbours, and says where expected, found and difference picture were left.
pub fn same_picture(surface: &Surface, layer: &Layer, path: &Spanned<String>) -> Result<(), Wrong> {
    let full = layer.folder.join(&path.node);
    let wanted = read_picture(&*layer.files, &full).map_err(|e| unusable(None, path, e))?;
    let found = Picture::of(surface).map_err(|why| {
        let label = format!("the surface shows no picture: {why}");
        Box::new(Diagnostic::new(Code::E0702).at(path.span, label))
    })?;
    if wanted == found {
        return Ok(());
    }
    let differs = |label: String| Diagnostic::new(Code::E0710).at(path.span, label);
    if (wanted.width, wanted.height) != (found.width, found.height) {
        return Err(Box::new(differs(format!(
            "the picture has {}×{} texels, the surface {}×{}",
            wanted.width, wanted.height, found.width, found.height
        ))));
    }
    let pairs = || wanted.pixels.iter().zip(&found.pixels);
    let count = pairs().filter(|(a, b)| a != b).count();
    let first = pairs().position(|(a, b)| a != b).unwrap_or(0);
    let (x, y) = (first as u32 % found.width, first as u32 / found.width);
    let mut wrong = differs(format!(
        "{count} of {} texels differ, the first at ({x}, {y})",
        found.pixels.len()
    ))
    .note(format!(
        "around ({x}, {y}), expected:\n{}\n  found:\n{}",
        neighbours(&wanted, x, y),
        neighbours(&found, x, y)
    ));
    let name = full.file_stem().unwrap_or_default();
    let folder = failures().map(|folder| folder.join(name));
    if let Some(folder) = folder.and_then(|folder| leave(&folder, &wanted, &found)) {
        wrong = wrong.note(format!(
            "expected.png, found.png and difference.png are in {}",
            folder.display()
        ));
    }
    Err(Box::new(wrong))
}

/// The three by three texels around (x, y), eight bits to a channel.
fn neighbours(picture: &Picture, x: u32, y: u32) -> String {
    let mut rows = Vec::new();
    for row in y.saturating_sub(1)..(y + 2).min(picture.height) {
        let mut texels = Vec::new();
        for column in x.saturating_sub(1)..(x + 2).min(picture.width) {
            let texel = picture.pixels[(row * picture.width + column) as usize];
            texels.push(texel.map(|c| format!("{:02x}", c >> 8)).concat());
        }
        rows.push(format!("    {}", texels.join(" ")));
    }
    rows.join("\n")
}

/// Where what a failed test was is left unless a folder is named: with the user's own files, where no other user waits
/// with links; `None` where nothing may be written.
pub fn failures() -> Option<PathBuf> {
    grants::may_leave().then(|| compile::cache().join("failures"))
}

/// Leaves the pictures of a failure in a folder; `None` if that fails, which is no reason to say less about the failure
/// itself.
pub(super) fn leave(folder: &Path, wanted: &Picture, found: &Picture) -> Option<PathBuf> {
    std::fs::create_dir_all(folder).ok()?;
    let difference = |(a, b): (&[u16; 4], &[u16; 4])| {
        let [r, g, b] = std::array::from_fn(|c| a[c].abs_diff(b[c]).saturating_mul(4));
        [r, g, b, u16::MAX]
    };
    let pixels = wanted
        .pixels
        .iter()
        .zip(&found.pixels)
        .map(difference)
        .collect();
    let difference = Picture { pixels, ..*found };
    for (name, picture) in [
        ("expected", wanted),
        ("found", found),
        ("difference", &difference),
    ] {
        let bytes = encode_picture(picture).ok()?;
        write_whole(&folder.join(format!("{name}.png")), &bytes).ok()?;
    }
    Some(folder.to_path_buf())
}
