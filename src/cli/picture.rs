//! `visim picture FILE:LINE` and `visim picture --tile Y`: pictures to learn from.

use super::output::{Exit, Output};
use crate::explain::drawing::Drawing;
use crate::explain::line::follow;
use crate::explain::picture::{Touched, surface, tile};
use crate::harness::front::Front;
use crate::harness::session::{self, Options};
use crate::harness::write::Writes;
use crate::harness::{bind, load};
use crate::lower::messages::Compat;
use crate::source::{Span, Spanned};
use crate::surface::file::encode_picture;
use crate::surface::{Image, Tiling};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Draws the texels that a line of a program touches, or a tile with its byte addresses.
#[derive(Debug, clap::Args)]
pub struct Picture {
    /// A line as `kernel.visa:12`.
    #[arg(value_name = "FILE:LINE", required_unless_present = "tile")]
    subject: Option<String>,
    /// The picture: SVG if the name ends so, else PNG.
    #[arg(long, short)]
    output: PathBuf,
    /// Draw a tile of this tiling: X, Y, W, Yf, Ys.
    #[arg(long, value_parser = tiling, conflicts_with = "subject")]
    tile: Option<Tiling>,
    /// Bits of an element, for the tile.
    #[arg(long, default_value_t = 8)]
    bits: u32,
    /// Swizzle address bit 6 of the tile, as two-channel memory controllers did.
    #[arg(long)]
    swizzle: bool,
    /// The surface to draw; the first that the line touches if not given.
    #[arg(long)]
    surface: Option<String>,
    /// Its mip level, from the most detailed one.
    #[arg(long, default_value_t = 0)]
    level: u32,
    /// Its array slice, face or 3D slice.
    #[arg(long, default_value_t = 0)]
    slice: u32,
}

fn tiling(name: &str) -> Result<Tiling, String> {
    let found = Tiling::named(name).filter(|t| *t != Tiling::Linear);
    found.ok_or_else(|| "one of X, Y, W, Yf, Ys is wanted".to_string())
}

impl Picture {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let drawing = match (&self.tile, &self.subject) {
            (Some(tiling), _) => match tile(*tiling, self.bits, self.swizzle) {
                Ok(drawing) => drawing,
                Err(why) => return output.complain(&why.what),
            },
            (None, Some(subject)) => match self.of_line(subject, output) {
                Ok(drawing) => drawing,
                Err(exit) => return exit,
            },
            (None, None) => return output.complain("a line or --tile is wanted"),
        };
        self.write(&drawing, output)
    }

    fn write(&self, drawing: &Drawing, output: &mut Output) -> Exit {
        let svg = self.output.extension().is_some_and(|e| e == "svg");
        let bytes = match svg {
            true => Ok(drawing.to_svg().into_bytes()),
            false => encode_picture(&drawing.to_picture()),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(why) => return output.complain(&why),
        };
        let mut writes = Writes::default();
        let added = writes.add(&self.output, &bytes);
        match added.and_then(|()| writes.commit()) {
            Ok(_) => {
                let (width, height) = drawing.size();
                let name = self.output.display().to_string();
                output.text(&format!("wrote {name}, {width}x{height}\n"));
                output.field("wrote", || json!(name));
                Exit::Fine
            }
            Err(error) => output.complain(&error.to_string()),
        }
    }

    fn of_line(&self, subject: &str, output: &mut Output) -> Result<Drawing, Exit> {
        let line = subject.rsplit_once(':');
        let line = line.and_then(|(file, line)| Some((Path::new(file), line.parse().ok()?)));
        let Some((path, line)) = line else {
            let what = format!("`{subject}` is no line of a file, as kernel.visa:12");
            return Err(output.complain(&what));
        };
        let source = load::source(path).map_err(|e| output.complain(&e.to_string()))?;
        let (layer, found) = session::file_layer(source, path);
        let layers = [layer];
        let source = &layers[0].source;
        let front = Front::new(source, session::platform(&layers));
        let Some(followed) = follow(source, &front.checked, line, Compat::default()) else {
            return Err(output.complain(&format!("line {line} holds no instruction that is right")));
        };
        let span = followed.span;
        let options = Options::default();
        let session = session::start_watched(&layers, found, &options, |_| Touched::new(span));
        let session = session.map_err(|refused| {
            let all: Vec<_> = refused.problems.into_iter().map(|p| p.diagnostic).collect();
            output.diagnostics(&all, source);
            Exit::Program
        })?;
        let mut touched = Touched::new(span);
        for (_, thread) in &session.outcome.observers {
            touched.join(thread);
        }
        let index = match &self.surface {
            Some(name) => {
                let name = Spanned::new(name.clone(), Span::new(0, 0));
                let found = bind::surface_index(&session.program, &name);
                found.map_err(|why| output.complain(&why.message))?
            }
            None => match touched.surfaces().first() {
                Some(index) => *index,
                None => return Err(output.complain(&format!("line {line} touches no surface"))),
            },
        };
        let Some(bound) = session.bindings.surfaces.get(&index) else {
            return Err(output.complain(&format!("nothing is bound at index {index}")));
        };
        let image = Image {
            level: self.level,
            slice: self.slice,
            sample: 0,
        };
        let (texels, pieces) = (touched.texels.get(&index), touched.pieces.get(&index));
        surface(bound, image, texels, pieces).map_err(|why| output.complain(&why.what))
    }
}
