//! Directives: what the comments of a file, or the options of a command, ask for.
//!
//! A directive is a `//` comment alone on its line that begins with one of [`KEYWORDS`], so that the
//! file stays legal vISA:
//!
//! ```text
//! // PLATFORM skl
//! // LAUNCH k.launch.json                                    of a compiled kernel: arguments, sizes, outputs
//! // THREADS 4,2                                             a grid of 4 by 2 threads
//! // GROUPS 3,2,1                                            or work-groups, of 4 * 2 threads each
//! // SURFACE T6: R8_UNORM 64x32, byte(x,y) = (x + 64*y) mod 256
//! // SURFACE T6: photo.png as R8G8B8A8_UNORM
//! // SURFACE T7: new 64x32 R8_UNORM
//! // SAMPLER S0: filter=linear address=wrap                   3d sampler; avs … for the video scaler
//! // SET V32 = 8:ud
//! // EXPECT V34 bytes pitch=16:                              rows of values follow
//! //   88 89 8a 8b
//! // DUMP V34 float pitch=16
//! // SAVE T7 = out.png
//! // SAVE T7 level=1 slice=2 = out.png                        one image of it
//! // known-failing because: the filter is not modelled
//! ```
//!
//! This module reads them; it knows neither the program nor the files they name. [`super::bind`]
//! brings the three together.

use super::clauses::{dump, groups, only, platform, sampler, save, setting, surface, threads};
use super::comments::{Comment, comments};
use super::expect::{self, Expectation, Refusal};
use super::meant::{self, Said};
use super::values::NumberFormat;
use super::words::{Word, cut};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Platform, Type};
use crate::source::{Source, Span, Spanned};
use crate::surface::Surface;
use std::sync::Arc;

/// Every keyword that opens a directive, with what follows it.
pub const KEYWORDS: &[(&str, &str)] = &[
    ("RUN", "visim run [--sanitize[=edges]] [--check-races] %"),
    ("PLATFORM", "NAME"),
    ("KERNEL", "NAME"),
    ("LAUNCH", "FILE.json"),
    ("THREADS", "X,Y"),
    ("GROUPS", "X,Y,Z"),
    (
        "SURFACE",
        "NAME: FORMAT WxH, formula | PATH as FORMAT | new WxH FORMAT | raw PATH FORMAT WxH | nv12 PATH WxH | state WORDS…",
    ),
    ("SAMPLER", "NAME: [KIND] key=value …"),
    ("SET", "NAME = VALUE…:TYPE"),
    (
        "EXPECT",
        "NAME [hex|dec|float|bytes] [TYPE] [pitch=N] [within T because: …]: rows follow",
    ),
    ("DUMP", "NAME [hex|dec|float|bytes] [TYPE] [pitch=N]"),
    (
        "SAVE",
        "NAME [level=N] [slice=N] [sample=N] [plane=N] = PATH",
    ),
];

/// What a file, or a command line, asks for.
#[derive(Clone, Debug, Default)]
pub struct Directives {
    /// `PLATFORM`.
    pub platform: Option<Spanned<Platform>>,
    /// `KERNEL`: which one of several to run.
    pub kernel: Option<Spanned<String>>,
    /// `LAUNCH`: the description that a compiled kernel is launched by.
    pub launch: Option<Spanned<String>>,
    /// `THREADS`: columns and rows of the grid.
    pub threads: Option<Spanned<(u32, u32)>>,
    /// `GROUPS`: work-groups along x, y and z.
    pub groups: Option<Spanned<[u32; 3]>>,
    /// `SURFACE`.
    pub surfaces: Vec<SurfaceBinding>,
    /// `SAMPLER`.
    pub samplers: Vec<SamplerBinding>,
    /// `SET`.
    pub settings: Vec<Setting>,
    /// `DUMP`.
    pub dumps: Vec<Dump>,
    /// `SAVE`.
    pub saves: Vec<Save>,
    /// `EXPECT`.
    pub expectations: Vec<Expectation>,
    /// `//~`.
    pub refusals: Vec<Refusal>,
    /// `RUN` with `--sanitize`.
    pub sanitize: bool,
    /// `RUN` with `--sanitize=edges`.
    pub edges: bool,
    /// `RUN` with `--check-races`.
    pub check_races: bool,
    /// `known-failing because:`, with the reason.
    pub known_failing: Option<Spanned<String>>,
}

impl Directives {
    /// Whether something names what the program declares.
    pub fn names_something(&self) -> bool {
        let bound = self.surfaces.len() + self.samplers.len() + self.settings.len();
        bound + self.dumps.len() + self.saves.len() + self.expectations.len() > 0
    }
}

/// A surface and what lies after it.
#[derive(Clone, Debug)]
pub struct SurfaceBinding {
    /// The surface variable.
    pub name: Spanned<String>,
    /// The first word tells: a file, a kind of file, or none for `new` and formulas.
    pub origin: Origin,
    /// The format, where one was written.
    pub format: Option<Spanned<String>>,
    /// Width, height and depth in texels, where written.
    pub size: Option<Spanned<Vec<u32>>>,
    /// `key=value`.
    pub keys: Vec<(Spanned<String>, Spanned<String>)>,
    /// The formula after the comma.
    pub formula: Option<Spanned<String>>,
    /// The whole directive.
    pub span: Span,
}

/// Where the texels of a surface come from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// Zeros, or the formula.
    New,
    /// Nowhere: it is the null surface.
    Null,
    /// A picture file; its size is in the file.
    Picture(Spanned<String>),
    /// A file of plain rows, named with its kind: `raw`, `nv12`, `yuy2` ….
    Plain(Spanned<String>, Spanned<String>),
    /// A file that holds the memory as it lies: tiles, padding, levels.
    Memory(Spanned<String>),
    /// A packed state, which says all of the surface.
    State(StateWords),
    /// The host, as the rows of a file would.
    Rows(Arc<[u8]>),
    /// The host, whole: the words say nothing of it.
    Made(Arc<Surface>),
}

/// The words of a packed surface state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateWords {
    /// It is that of the media sampler's messages.
    pub media: bool,
    /// Dwords in hexadecimal, or files that hold them.
    pub words: Vec<Spanned<String>>,
}

/// A sampler and its state.
#[derive(Clone, Debug)]
pub struct SamplerBinding {
    /// The sampler variable.
    pub name: Spanned<String>,
    /// The words after the name.
    pub words: Vec<Spanned<String>>,
    /// The whole directive.
    pub span: Span,
}

/// A register's starting value.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The variable, from a byte offset on.
    pub place: Location,
    /// Values as written.
    pub values: Vec<Spanned<String>>,
    /// Type of each value.
    pub ty: Spanned<Type>,
}

/// `V34`, `V34.32`, `V34@1,0`, `T7`: bytes of a variable or of a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name.
    pub name: Spanned<String>,
    /// Bytes into a variable.
    pub offset: u32,
    /// Which thread's registers, by column and row of the grid, or by thread of its group and group;
    /// the first one's when not written.
    pub thread: Option<(u32, u32)>,
}

/// How to look at a [`Location`]; what is not written follows from the declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ViewWords {
    /// Spelling of a number.
    pub form: Option<NumberFormat>,
    /// Element type.
    pub ty: Option<Type>,
    /// Bytes to a row.
    pub pitch: Option<u32>,
}

/// A register or surface to print.
#[derive(Clone, Debug)]
pub struct Dump {
    /// What.
    pub place: Location,
    /// How.
    pub view: ViewWords,
}

/// A surface to write to a file.
#[derive(Clone, Debug)]
pub struct Save {
    /// The surface.
    pub name: Spanned<String>,
    /// Which part of it: `level`, `slice`, `sample`, `plane`; all texels of level 0 if nothing is said.
    pub part: Vec<(Spanned<String>, u32)>,
    /// The file.
    pub path: Spanned<String>,
}

/// Reads every directive of a file. What could not be read is reported and left out.
pub fn read(source: &Source) -> (Directives, Vec<Diagnostic>) {
    let mut reader = Reader::default();
    let found = comments(source.text());
    let mut next = 0;
    while let Some(comment) = found.get(next) {
        next += 1;
        reader.comment(source, comment, &found[next..], &mut next);
    }
    (reader.directives, reader.diagnostics)
}

/// A mistake in a directive: where, and what would have been right.
pub type Mistake = Box<Diagnostic>;

/// A directive that cannot be read, at `span`.
pub(super) fn mistake(span: Span, found: impl Into<String>) -> Mistake {
    Box::new(Diagnostic::new(Code::E0701).at(span, found))
}

#[derive(Default)]
struct Reader {
    directives: Directives,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn comment(&mut self, source: &Source, comment: &Comment, later: &[Comment], next: &mut usize) {
        let text = &source.text()[comment.start..comment.end];
        if let Some(mark) = text.strip_prefix("//~") {
            let line = source.line_of(comment.start as u32);
            match expect::refusal(mark, comment.end - mark.len(), line) {
                Ok(refusal) => self.directives.refusals.push(refusal),
                Err(mistake) => self.diagnostics.push(*mistake),
            }
            return;
        }
        let body = text.trim_start_matches('/').trim_start();
        let base = (comment.end - body.len()) as u32;
        let span = Span::new(comment.start as u32, comment.end as u32);
        // A remark may follow after a second pair of slashes.
        let remark = body.find(" //").or(body.find("\t//"));
        let body = body[..remark.unwrap_or(body.len())].trim_end();
        let said = Said {
            body,
            base,
            alone: comment.alone,
            text: source.text(),
        };
        if let Some(doubt) = said.doubt(|keyword, rest| {
            if keyword == "RUN" {
                return rest.node.contains("visim");
            }
            let mut trial = Reader::default();
            let read = trial.directive(source, keyword, rest, span, later, &mut 0);
            read.is_ok_and(|()| trial.names_what_is_there(source))
        }) {
            return self.diagnostics.push(doubt);
        }
        if !comment.alone {
            return;
        }
        if let Some(reason) = body.strip_prefix(meant::KNOWN_FAILING) {
            match reason.trim() {
                "" => self.diagnostics.push(
                    mistake(span, "the reason is missing")
                        .help("// known-failing because: the filter is not modelled"),
                ),
                reason => {
                    let reason = Spanned::new(reason.to_string(), span);
                    self.directives.known_failing = Some(reason);
                }
            }
            return;
        }
        let word = body.split([' ', '\t', ':']).next().unwrap_or_default();
        if !KEYWORDS.iter().any(|k| k.0 == word) {
            return;
        }
        let rest = Spanned::new(
            &body[word.len()..],
            Span::new(base + word.len() as u32, base + body.len() as u32),
        );
        if let Err(mistake) = self.directive(source, word, rest, span, later, next) {
            let usage = KEYWORDS.iter().find(|k| k.0 == word).map(|k| k.1);
            let shown = mistake.help.is_none();
            let usage = usage.filter(|_| shown).map(|u| format!("// {word} {u}"));
            self.diagnostics.push(Diagnostic {
                help: usage.or(mistake.help.clone()),
                ..*mistake
            });
        }
    }

    /// What one directive names is in the text: prose may begin with the same words.
    fn names_what_is_there(&self, source: &Source) -> bool {
        let own = &self.directives;
        let text = source.text();
        let kernel = own
            .kernel
            .as_ref()
            .is_none_or(|k| meant::has_kernel(text, &k.node));
        let launch = own
            .launch
            .as_ref()
            .is_none_or(|l| l.node.ends_with(".json"));
        let dumps = own.dumps.iter().map(|dump| &dump.place.name.node);
        kernel && launch && dumps.into_iter().all(|name| meant::is_declared(text, name))
    }

    fn directive(
        &mut self,
        source: &Source,
        word: &str,
        rest: Word<'_>,
        span: Span,
        later: &[Comment],
        next: &mut usize,
    ) -> Result<(), Mistake> {
        let to = &mut self.directives;
        let blanks = &[' ', '\t'];
        match word {
            // What a shell would run; the harness runs the file itself, watched for the same.
            "RUN" => {
                let mut words = rest.node.split_whitespace();
                to.edges |= words.clone().any(|w| w == "--sanitize=edges");
                to.sanitize |= to.edges || words.clone().any(|w| w == "--sanitize");
                to.check_races |= words.any(|w| w == "--check-races");
            }
            "PLATFORM" => {
                let name = only(cut(rest.node, rest.span.start, blanks), span, "a platform")?;
                to.platform = Some(platform(name)?);
            }
            "KERNEL" => {
                let name = only(
                    cut(rest.node, rest.span.start, blanks),
                    span,
                    "a kernel's name",
                )?;
                to.kernel = Some(name.map(str::to_string));
            }
            "LAUNCH" => {
                let file = only(
                    cut(rest.node, rest.span.start, blanks),
                    span,
                    "the description of a launch",
                )?;
                to.launch = Some(file.map(str::to_string));
            }
            "THREADS" => {
                let grid = only(
                    cut(rest.node, rest.span.start, blanks),
                    span,
                    "a grid, as `4,2`",
                )?;
                to.threads = Some(threads(grid)?);
            }
            "GROUPS" => {
                let count = only(
                    cut(rest.node, rest.span.start, blanks),
                    span,
                    "a number of groups, as `4,2,1`",
                )?;
                to.groups = Some(groups(count)?);
            }
            "SURFACE" => to.surfaces.push(surface(rest, span, &[' ', '\t'])?),
            "SAMPLER" => to.samplers.push(sampler(rest, span, &[' ', '\t', ','])?),
            "SET" => to.settings.push(setting(rest)?),
            "DUMP" => to.dumps.push(dump(rest)?),
            "SAVE" => to.saves.push(save(rest)?),
            _ => {
                let (expectation, used) = expect::expectation(source, rest, span, later)?;
                *next += used;
                to.expectations.push(expectation);
            }
        }
        Ok(())
    }
}
