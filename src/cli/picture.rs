//! `visim picture FILE:LINE` and `visim picture --tile Y`: pictures to learn from.

use super::explain::concerns;
use super::input::FileLine;
use super::launch::{Looked, Opened, Target};
use super::output::{Exit, Output, check_standard};
use super::run::say;
use crate::diagnostic::Diagnostic;
use crate::explain::drawing::Drawing;
use crate::explain::line::follow;
use crate::explain::picture::{Touched, surface, tile};
use crate::files::Writes;
use crate::finalizer::Release;
use crate::harness::bind;
use crate::harness::front::Front;
use crate::harness::language::Language;
use crate::harness::session;
use crate::source::{Source, Span, Spanned};
use crate::surface::file::encode_picture;
use crate::surface::picture::Range;
use crate::surface::{Image, Tiling};
use crate::video::files::STANDARD;
use serde_json::json;
use std::path::PathBuf;

/// Draws the texels that a line of a program touches, or a tile with its byte addresses.
#[derive(Debug, clap::Args)]
pub struct Picture {
    /// A line as `kernel.visa:12`.
    #[arg(value_name = "FILE:LINE", required_unless_present = "tile")]
    subject: Option<FileLine>,
    /// The picture: SVG if the name ends so, else PNG; `-` is the standard output, which gets PNG.
    #[arg(long, short)]
    output: PathBuf,
    /// Draw a tile of this tiling: X, Y, W, Yf, Ys.
    #[arg(long, value_parser = tiling, conflicts_with = "subject")]
    tile: Option<Tiling>,
    /// Bits of an element, for the tile: 8, 16, 32, 64 or 128.
    #[arg(long, value_parser = bits, default_value = "8", conflicts_with = "subject")]
    bits: u32,
    /// Swizzle address bit 6 of the tile, as two-channel memory controllers did.
    #[arg(long, conflicts_with = "subject")]
    swizzle: bool,
    /// The surface to draw; the first that the line touches if not given.
    #[arg(long, value_name = "NAME", conflicts_with = "tile")]
    draw: Option<String>,
    #[command(flatten)]
    looked: Looked,
    /// Values that are black and white, such as 0,255; without it 0 and 1, or all that floats hold.
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true, conflicts_with = "tile")]
    range: Option<Range>,
    /// Its mip level, from the most detailed one.
    #[arg(long, default_value_t = 0, conflicts_with = "tile")]
    level: u32,
    /// Its array slice, face or 3D slice.
    #[arg(long, default_value_t = 0, conflicts_with = "tile")]
    slice: u32,
    #[command(flatten)]
    target: Target,
}

fn tiling(name: &str) -> Result<Tiling, String> {
    let found = Tiling::named(name).filter(|t| *t != Tiling::Linear);
    found.ok_or_else(|| "expected one of X, Y, W, Yf, Ys".to_string())
}

/// Reads two values for clap.
fn range(text: &str) -> Result<Range, String> {
    let values = text.split_once(',').and_then(|(low, high)| {
        let value = |text: &str| text.trim().parse::<f32>().ok().filter(|v| v.is_finite());
        Some((value(low)?, value(high)?))
    });
    values
        .filter(|(low, high)| low < high)
        .ok_or_else(|| "expected two numbers, the lower one first, such as -1,1".to_string())
}

/// Reads the size of an element for clap.
fn bits(text: &str) -> Result<u32, String> {
    let bits = text.parse().ok();
    bits.filter(|bits| [8, 16, 32, 64, 128].contains(bits))
        .ok_or_else(|| "expected one of 8, 16, 32, 64, 128".to_string())
}

impl Picture {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        if self.output.as_os_str() == STANDARD
            && let Err(why) = check_standard(output.is_text(), "the picture")
        {
            return output.complain(&why);
        }
        let (drawing, range) = match (&self.tile, &self.subject) {
            (Some(_), _) if self.looked.is_given() => {
                return output.complain("a tile has neither threads nor lanes");
            }
            (Some(tiling), _) => match tile(*tiling, self.bits, self.swizzle) {
                Ok(drawing) => (drawing, None),
                Err(why) => return output.complain(&why.what),
            },
            (None, Some(subject)) => match self.target.within(|| self.of_line(subject, output)) {
                Ok((drawing, range)) => (drawing, Some(range).filter(|r| *r != (0.0, 1.0))),
                Err(exit) => return exit,
            },
            (None, None) => return output.complain("expected a line or --tile"),
        };
        self.write(&drawing, range, output)
    }

    fn write(&self, drawing: &Drawing, range: Option<Range>, output: &mut Output) -> Exit {
        let svg = self.output.extension().is_some_and(|e| e == "svg");
        let bytes = match svg {
            true => Ok(drawing.to_svg().into_bytes()),
            false => encode_picture(&drawing.to_picture()),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(why) => return output.complain(&why),
        };
        if self.output.as_os_str() == STANDARD {
            return output.bytes(&bytes);
        }
        let mut writes = Writes::default();
        let added = writes.add(&self.output, &bytes);
        match added.and_then(|()| writes.commit()) {
            Ok(_) => {
                let (width, height) = drawing.size();
                let name = self.output.display().to_string();
                let values = range.map_or(String::new(), |(low, high)| {
                    format!(", {low} is black and {high} white")
                });
                output.text(&format!("wrote {name}, {width}x{height}{values}\n"));
                output.field("range", || json!(range));
                output.field("wrote", || json!(name));
                Exit::Fine
            }
            Err(error) => output.complain(&error.to_string()),
        }
    }

    /// The surface to draw: `--draw NAME`, or `--surface NAME`, which binds nothing.
    fn drawn(&self) -> Option<&str> {
        let mut named = self.target.binding.surface.iter();
        let named = named.find(|text| !text.contains('='));
        self.draw.as_deref().or(named.map(|name| &name[..]))
    }

    /// The program's options, without the surface to draw.
    fn chosen(&self) -> Target {
        let mut target = self.target.clone();
        target.binding.surface.retain(|text| text.contains('='));
        target
    }

    fn of_line(&self, subject: &FileLine, output: &mut Output) -> Result<(Drawing, Range), Exit> {
        let FileLine { file, line } = subject;
        let Opened {
            layers,
            found,
            options,
        } = self.chosen().open(file, output)?;
        let thread = self.looked.thread(&layers, &options, output)?;
        let source = &layers[0].source;
        let (span, wrong) = match layers[0].language {
            Language::Visa => {
                let platform = session::platform(&layers);
                let front = Front::new(source, platform);
                let release = Release::of(&front.module, platform);
                let followed = follow(source, &front.checked, *line, release);
                (followed.map(|f| f.span), front.diagnostics)
            }
            Language::Send => {
                let (lines, wrong) = crate::sends::parse(source);
                let mut spans = lines.iter().map(|l| l.span);
                let here = spans.find(|s| source.line_of(s.start) == *line);
                (here, wrong)
            }
            Language::Tld => {
                let file = file.display();
                return Err(output.complain(&format!(
                    "texture loads are not drawn; `visim explain {file}:{line}` names their texels"
                )));
            }
        };
        let Some(span) = span else {
            let here = wrong.iter().filter(|d| concerns(d, source, *line));
            let here: Vec<Diagnostic> = here.cloned().collect();
            output.diagnostics(&here, source);
            return Err(match here.is_empty() {
                true => output.no_instruction(source, *line),
                false => Exit::Program,
            });
        };
        let lane = self.looked.lane;
        let session =
            session::start_watched(&layers, found, &options, |_| Touched::new(span, lane));
        let session = session.map_err(|refused| say(&refused.problems, &layers, output))?;
        let mut touched = Touched::new(span, lane);
        for (id, watch) in &session.outcome.observers {
            if thread.is_none_or(|thread| id.index == thread) {
                touched.join(watch);
            }
        }
        let index = match self.drawn() {
            Some(name) => {
                let option = Source::new("--surface", name);
                let whole = Span::new(0, name.len() as u32);
                let name = Spanned::new(name.to_string(), whole);
                bind::surface_index(&session.program, &name).map_err(|why| {
                    output.diagnostics(&[*why], &option);
                    Exit::Command
                })?
            }
            None => match touched.surfaces().first() {
                Some(index) => *index,
                None => {
                    return Err(
                        output.complain(&format!("line {line} touches no texel of a surface"))
                    );
                }
            },
        };
        let Some(bound) = session.bindings.surfaces.get(&index) else {
            return Err(output.complain(&format!("no surface is bound at index {index}")));
        };
        let image = Image {
            level: self.level,
            slice: self.slice,
            sample: 0,
        };
        let (texels, pieces) = (touched.texels.get(&index), touched.pieces.get(&index));
        surface(bound, image, self.range, texels, pieces).map_err(|why| output.complain(&why.what))
    }
}
