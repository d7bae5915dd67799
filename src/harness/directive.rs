//! Directives: what the comments of a file, or the options of a command, ask for.
//!
//! A directive is a `//` comment alone on its line that begins with one of [`KEYWORDS`], so that the
//! file stays legal vISA:
//!
//! ```text
//! // PLATFORM skl
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

use super::comments::{Comment, comments};
use super::expect::{self, Expectation, Refusal};
use super::values::Form;
use super::words::{self, Word, cut};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Platform, Type};
use crate::source::{Source, Span, Spanned};
use crate::surface::file::PLAIN_KINDS;

/// Every keyword that opens a directive, with what follows it.
pub const KEYWORDS: &[(&str, &str)] = &[
    ("RUN", "visim run [--sanitize] [--check-races] %"),
    ("PLATFORM", "NAME"),
    ("KERNEL", "NAME"),
    ("THREADS", "X,Y"),
    ("GROUPS", "X,Y,Z"),
    (
        "SURFACE",
        "NAME: FORMAT WxH, formula | PATH as FORMAT | new WxH FORMAT | raw PATH FORMAT WxH | nv12 PATH WxH",
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
    /// `RUN` with `--check-races`.
    pub check_races: bool,
    /// `known-failing because:`, with the reason.
    pub known_failing: Option<Spanned<String>>,
}

/// A surface and what lies behind it.
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
    /// The formula behind the comma.
    pub formula: Option<Spanned<String>>,
    /// The whole directive.
    pub span: Span,
}

/// Where the texels of a surface come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Zeros, or the formula.
    New,
    /// A picture file; its size is in the file.
    Picture(Spanned<String>),
    /// A file of plain rows, named with its kind: `raw`, `nv12`, `yuy2` ….
    Plain(Spanned<String>, Spanned<String>),
}

/// A sampler and its state.
#[derive(Clone, Debug)]
pub struct SamplerBinding {
    /// The sampler variable.
    pub name: Spanned<String>,
    /// The words behind the name.
    pub words: Vec<Spanned<String>>,
    /// The whole directive.
    pub span: Span,
}

/// A register's starting value.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The variable, from a byte offset on.
    pub place: Place,
    /// Values as written.
    pub values: Vec<Spanned<String>>,
    /// Type of each value.
    pub ty: Spanned<Type>,
}

/// `V34`, `V34.32`, `V34@1,0`, `T7`: bytes of a variable or of a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name.
    pub name: Spanned<String>,
    /// Bytes into a variable.
    pub offset: u32,
    /// Which thread's registers, by column and row of the grid, or by thread of its group and group;
    /// the first one's when not written.
    pub thread: Option<(u32, u32)>,
}

/// How to look at a [`Place`]; what is not written follows from the declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ViewWords {
    /// Spelling of a number.
    pub form: Option<Form>,
    /// Element type.
    pub ty: Option<Type>,
    /// Bytes to a row.
    pub pitch: Option<u32>,
}

/// A register or surface to print.
#[derive(Clone, Debug)]
pub struct Dump {
    /// What.
    pub place: Place,
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
        if !comment.alone {
            return;
        }
        let body = text.trim_start_matches('/').trim_start();
        let base = (comment.end - body.len()) as u32;
        let span = Span::new(comment.start as u32, comment.end as u32);
        // A remark may follow behind a second pair of slashes.
        let remark = body.find(" //").or(body.find("\t//"));
        let body = body[..remark.unwrap_or(body.len())].trim_end();
        if let Some(reason) = body.strip_prefix("known-failing because:") {
            self.directives.known_failing = Some(Spanned::new(reason.trim().to_string(), span));
            return;
        }
        let word = body.split([' ', '\t', ':']).next().unwrap_or_default();
        let loud = word.len() >= 3 && word.bytes().all(|b| b.is_ascii_uppercase());
        if !loud {
            return;
        }
        let keywords = KEYWORDS.iter().map(|k| k.0);
        if !keywords.clone().any(|k| k == word) {
            if let Some(meant) = words::nearest(word, keywords) {
                let at = Span::new(base, base + word.len() as u32);
                self.diagnostics.push(
                    Diagnostic::new(Code::W0714)
                        .at(
                            at,
                            format!("`{word}` is no directive, and the comment has no effect"),
                        )
                        .help(format!("did you mean {meant}?")),
                );
            }
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
                to.sanitize |= words.clone().any(|w| w == "--sanitize");
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

/// The one word of `words`.
fn only<'a>(words: Vec<Word<'a>>, whole: Span, wanted: &str) -> Result<Word<'a>, Mistake> {
    match words.as_slice() {
        [word] => Ok(*word),
        [] => Err(mistake(whole, format!("{wanted} is missing"))),
        [_, second, ..] => Err(mistake(
            second.span,
            format!("{wanted} is all that stands here"),
        )),
    }
}

/// Reads the name of a platform.
pub fn platform(word: Word<'_>) -> Result<Spanned<Platform>, Mistake> {
    let names = Platform::ALL.iter().map(|p| p.1);
    match Platform::from_name(word.node) {
        Some(platform) => Ok(Spanned::new(platform, word.span)),
        None => Err(Box::new(mistake(word.span, "no such platform").help(
            match words::nearest(word.node, names.clone()) {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("one of {}", names.collect::<Vec<_>>().join(" ")),
            },
        ))),
    }
}

/// Reads `4,2` or `4x2`.
pub fn threads(word: Word<'_>) -> Result<Spanned<(u32, u32)>, Mistake> {
    let by_x = words::size(word.node).and_then(|s| (s.len() == 2).then(|| (s[0], s[1])));
    match words::pair(word.node).or(by_x) {
        Some((0, _) | (_, 0)) => Err(mistake(word.span, "a grid has at least one thread")),
        // `%thread_x` and `%thread_y` are words.
        Some((x, y)) if x.max(y) > 1 << 16 => Err(mistake(
            word.span,
            "a grid has at most 65536 columns and 65536 rows",
        )),
        Some(grid) => Ok(Spanned::new(grid, word.span)),
        None => Err(mistake(
            word.span,
            "a grid is written as columns,rows: `4,2`",
        )),
    }
}

/// Reads `4,2,1` or `4x2x1`; counts left out at the end are 1.
pub fn groups(word: Word<'_>) -> Result<Spanned<[u32; 3]>, Mistake> {
    let counts: Option<Vec<u32>> = word.node.split([',', 'x']).map(words::decimal).collect();
    let count = match counts.as_deref() {
        Some(&[x]) => [x, 1, 1],
        Some(&[x, y]) => [x, y, 1],
        Some(&[x, y, z]) => [x, y, z],
        _ => {
            let wanted = "groups are counted along x,y,z: `4,2,1`";
            return Err(mistake(word.span, wanted));
        }
    };
    if count.contains(&0) {
        return Err(mistake(word.span, "there is at least one group"));
    }
    Ok(Spanned::new(count, word.span))
}

/// Splits `NAME: …` or `NAME = …` at the first of `marks`; the name must not be empty.
fn name_and_rest<'a>(text: Word<'a>, marks: &[char]) -> Result<(Word<'a>, Word<'a>), Mistake> {
    let wanted = marks
        .iter()
        .map(|m| format!("`{m}`"))
        .collect::<Vec<_>>()
        .join(" or ");
    let Some(at) = text.node.find(marks) else {
        return Err(mistake(
            text.span,
            format!("a name and {wanted} are wanted here"),
        ));
    };
    let name = only(
        cut(&text.node[..at], text.span.start, &[' ', '\t']),
        text.span,
        "a name",
    )?;
    let start = text.span.start + at as u32 + 1;
    let rest = Spanned::new(
        &text.node[at + 1..],
        Span::new(start.min(text.span.end), text.span.end),
    );
    Ok((name, rest))
}

/// Reads what stands behind `SURFACE` (separators: blanks) or `--surface` (`:`).
pub fn surface(text: Word<'_>, span: Span, separators: &[char]) -> Result<SurfaceBinding, Mistake> {
    let (name, rest) = name_and_rest(text, &[':', '='])?;
    // The formula is prose with commas of its own: it begins at the first comma outside quotes.
    let mut quoted = false;
    let comma = rest.node.find(|c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    });
    let (plain, formula) = match comma {
        Some(at) => {
            let tail = &rest.node[at + 1..];
            let text = tail.trim();
            let start = rest.span.end - tail.trim_start().len() as u32;
            (
                &rest.node[..at],
                Some(Spanned::new(
                    text.to_string(),
                    Span::new(start, start + text.len() as u32),
                )),
            )
        }
        None => (rest.node, None),
    };
    let mut binding = SurfaceBinding {
        name: name.map(str::to_string),
        origin: Origin::New,
        format: None,
        size: None,
        keys: Vec::new(),
        formula,
        span,
    };
    let mut words = cut(plain, rest.span.start, separators)
        .into_iter()
        .peekable();
    let mut first = true;
    while let Some(word) = words.next() {
        let is_first = std::mem::take(&mut first);
        let owned = word.map(str::to_string);
        if is_first && word.node == "new" || word.node == "as" {
        } else if is_first && PLAIN_KINDS.iter().any(|k| k.0 == word.node) {
            let Some(path) = words.next() else {
                return Err(mistake(word.span, "the file's name is missing behind it"));
            };
            binding.origin = Origin::Plain(owned, path.map(str::to_string));
        } else if let Some(size) = words::size(word.node) {
            binding.size = Some(Spanned::new(size, word.span));
        } else if let Some((key, value)) = word.node.split_once('=') {
            let middle = word.span.start + key.len() as u32;
            binding.keys.push((
                Spanned::new(key.to_string(), Span::new(word.span.start, middle)),
                Spanned::new(value.to_string(), Span::new(middle + 1, word.span.end)),
            ));
        } else if is_first && (word.node.contains(['.', '/'])) {
            binding.origin = Origin::Picture(owned);
        } else if binding.format.is_none() {
            binding.format = Some(owned);
        } else {
            let label =
                "neither a size (64x32), a key (pitch=64) nor the format, which was already named";
            return Err(mistake(word.span, label));
        }
    }
    if first {
        return Err(mistake(text.span, "what the surface holds is missing"));
    }
    Ok(binding)
}

/// Reads what stands behind `SAMPLER` or `--sampler`.
pub fn sampler(text: Word<'_>, span: Span, separators: &[char]) -> Result<SamplerBinding, Mistake> {
    let (name, rest) = name_and_rest(text, &[':', '='])?;
    let words: Vec<Spanned<String>> = cut(rest.node, rest.span.start, separators)
        .into_iter()
        .map(|w| w.map(str::to_string))
        .collect();
    if words.is_empty() {
        return Err(mistake(text.span, "the sampler's kind is missing"));
    }
    Ok(SamplerBinding {
        name: name.map(str::to_string),
        words,
        span,
    })
}

/// Reads `V32 = 1 2 3:ud` of `SET` or `--set`.
pub fn setting(text: Word<'_>) -> Result<Setting, Mistake> {
    let (name, rest) = name_and_rest(text, &['='])?;
    let Some((values, ty)) = rest.node.rsplit_once(':') else {
        return Err(mistake(rest.span, "the type is missing: `8:ud`"));
    };
    let tail = ty.trim();
    let start = rest.span.end - ty.trim_start().len() as u32;
    let at = Span::new(start, start + tail.len() as u32);
    let Some(ty) = Type::from_name(tail).filter(|t| is_storable(*t)) else {
        return Err(mistake(at, "not a type of values"));
    };
    let values = cut(values, rest.span.start, &[' ', '\t', ',']);
    if values.is_empty() {
        return Err(mistake(rest.span, "the value is missing"));
    }
    Ok(Setting {
        place: place(name)?,
        values: values.into_iter().map(|v| v.map(str::to_string)).collect(),
        ty: Spanned::new(ty, at),
    })
}

/// Types a variable may have: not `bool`, not the vector immediates.
fn is_storable(ty: Type) -> bool {
    !matches!(ty, Type::Bool | Type::V | Type::Uv | Type::Vf)
}

/// Reads `V34`, `V34.32`, `V34@1,0`.
pub fn place(word: Word<'_>) -> Result<Place, Mistake> {
    let (text, thread) = match word.node.split_once('@') {
        Some((text, thread)) => match words::pair(thread) {
            Some(pair) => (text, Some(pair)),
            None => {
                return Err(mistake(
                    word.span,
                    "a thread is written as column,row: `V34@1,0`",
                ));
            }
        },
        None => (word.node, None),
    };
    let (name, offset) = match text.split_once('.') {
        Some((name, offset)) => match words::decimal(offset) {
            Some(offset) => (name, offset),
            None => {
                return Err(mistake(
                    word.span,
                    "an offset is a number of bytes: `V34.32`",
                ));
            }
        },
        None => (text, 0),
    };
    let end = word.span.start + name.len() as u32;
    if name.is_empty() {
        return Err(mistake(word.span, "the name is missing"));
    }
    Ok(Place {
        name: Spanned::new(name.to_string(), Span::new(word.span.start, end)),
        offset,
        thread,
    })
}

/// Takes one word of a view; `false` if it is none.
pub(super) fn view_word(view: &mut ViewWords, word: Word<'_>) -> Result<bool, Mistake> {
    let pitch = word.node.strip_prefix("pitch=").unwrap_or(word.node);
    if let Some((form, ty)) = Form::from_word(word.node) {
        view.form = Some(form);
        view.ty = ty.or(view.ty);
    } else if let Some(ty) = Type::from_name(word.node) {
        if !is_storable(ty) {
            return Err(mistake(word.span, "not a type of values"));
        }
        view.ty = Some(ty);
    } else if let Some(bytes) = words::decimal(pitch) {
        if bytes == 0 {
            return Err(mistake(word.span, "a pitch is at least one byte"));
        }
        view.pitch = Some(bytes);
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Reads `V40:f:32` of `--dump`, or `V40 f pitch=32` of `DUMP`.
pub fn dump(text: Word<'_>) -> Result<Dump, Mistake> {
    let words = cut(text.node, text.span.start, &[' ', '\t', ':']);
    let Some((first, rest)) = words.split_first() else {
        return Err(mistake(text.span, "the name is missing"));
    };
    let mut view = ViewWords::default();
    for word in rest {
        if !view_word(&mut view, *word)? {
            let known = ["hex", "dec", "float", "bytes"].into_iter();
            let types = Type::ALL.iter().map(|t| t.1);
            let mut mistake = mistake(word.span, "neither a type, a number form nor a pitch");
            if let Some(meant) = words::nearest(word.node, known.chain(types)) {
                mistake.help = Some(format!("did you mean {meant}?"));
            }
            return Err(mistake);
        }
    }
    Ok(Dump {
        place: place(*first)?,
        view,
    })
}

/// Words that pick a part of a surface.
const PARTS: [&str; 4] = ["level", "slice", "sample", "plane"];

/// Reads `T7 = out.png` or `T7 level=1 slice=2 = out.png` of `SAVE` or `--save`.
pub fn save(text: Word<'_>) -> Result<Save, Mistake> {
    let mut part = Vec::new();
    let mut last = None;
    for word in cut(text.node, text.span.start, &[' ', '\t'])
        .into_iter()
        .skip(1)
    {
        // `=` or `=out.png` ends the name's side.
        let Some((key, value)) = word.node.split_once('=').filter(|(key, _)| !key.is_empty())
        else {
            break;
        };
        let Some(number) = words::decimal(value) else {
            return Err(mistake(
                word.span,
                "a part is picked by a number, as level=1",
            ));
        };
        if !PARTS.contains(&key) {
            let mut mistake = mistake(word.span, "a part is a level, slice, sample or plane");
            let meant = words::nearest(key, PARTS);
            mistake.help = meant.map(|meant| format!("did you mean {meant}={number}?"));
            return Err(mistake);
        }
        part.push((Spanned::new(key.to_string(), word.span), number));
        last = Some(word.span.end);
    }
    // Without parts the first `=` is the one.
    let (name, tail) = match last {
        None => name_and_rest(text, &['='])?,
        Some(end) => {
            let tail = &text.node[(end - text.span.start) as usize..];
            let split = tail
                .split_once('=')
                .filter(|(gap, _)| gap.trim().is_empty());
            let Some((_, path)) = split else {
                return Err(mistake(text.span, "`= PATH` is missing behind the part"));
            };
            let start = text.span.end - path.len() as u32;
            let name = cut(text.node, text.span.start, &[' ', '\t']);
            let name = name.into_iter().next().unwrap_or(text);
            (name, Spanned::new(path, Span::new(start, text.span.end)))
        }
    };
    let path = only(
        cut(tail.node, tail.span.start, &[' ', '\t']),
        text.span,
        "a file's name",
    )?;
    Ok(Save {
        name: name.map(str::to_string),
        part,
        path: path.map(str::to_string),
    })
}
