//! The words after each directive, which the options of the command line have in common with it.
//!
//! Directives separate words by blanks, options by `:`; beyond that they are the same.

use super::directive::{
    Dump, Location, Mistake, Origin, SamplerBinding, Save, Setting, StateWords, SurfaceBinding,
    ViewWords, mistake,
};
use super::values::NumberFormat;
use super::words::{self, Word, cut};
use crate::isa::{Platform, Type};
use crate::source::{Span, Spanned};
use crate::surface::file::PLAIN_KINDS;

/// The one word of `words`.
pub(super) fn only<'a>(
    words: Vec<Word<'a>>,
    whole: Span,
    wanted: &str,
) -> Result<Word<'a>, Mistake> {
    match words.as_slice() {
        [word] => Ok(*word),
        [] => Err(mistake(whole, format!("{wanted} is missing"))),
        [_, second, ..] => Err(mistake(second.span, format!("expected only {wanted} here"))),
    }
}

/// Reads the name of a platform.
pub fn platform(word: Word<'_>) -> Result<Spanned<Platform>, Mistake> {
    let names = Platform::ALL.iter().map(|p| p.name);
    match Platform::from_name(word.node) {
        Some(platform) => Ok(Spanned::new(platform, word.span)),
        None => Err(Box::new(mistake(word.span, "no such platform").help(
            match (
                Platform::meant(word.node),
                words::nearest(word.node, names.clone()),
            ) {
                (Some(platform), _) => format!("did you mean {platform}?"),
                (None, Some(meant)) => format!("did you mean {meant}?"),
                (None, None) => format!("one of {}", names.collect::<Vec<_>>().join(" ")),
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
        return Err(mistake(text.span, format!("expected a name and {wanted}")));
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

/// Reads what follows `SURFACE` (separators: blanks) or `--surface` (`:`).
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
        } else if let (Origin::State(state), false) = (&mut binding.origin, word.node.contains('='))
        {
            state.words.push(owned);
        } else if is_first && word.node == "null" {
            binding.origin = Origin::Null;
        } else if is_first && matches!(word.node, "state" | "media-state") {
            binding.origin = Origin::State(StateWords {
                media: word.node == "media-state",
                words: Vec::new(),
            });
        } else if is_first && word.node == "memory" {
            let path = words.next().ok_or_else(|| no_file(word))?;
            binding.origin = Origin::Memory(path.map(str::to_string));
        } else if is_first && PLAIN_KINDS.iter().any(|k| k.0 == word.node) {
            let path = words.next().ok_or_else(|| no_file(word))?;
            binding.origin = Origin::Plain(owned, path.map(str::to_string));
        } else if let Some(size) = words::size(word.node) {
            binding.size = Some(Spanned::new(size, word.span));
        } else if let Some((key, value)) = words::clause(word) {
            let key = key.map(str::to_string);
            binding.keys.push((key, value.map(str::to_string)));
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

fn no_file(kind: Word<'_>) -> Mistake {
    mistake(kind.span, "the file's name is missing after it")
}

/// Reads what follows `SAMPLER` or `--sampler`.
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
pub fn place(word: Word<'_>) -> Result<Location, Mistake> {
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
    Ok(Location {
        name: Spanned::new(name.to_string(), Span::new(word.span.start, end)),
        offset,
        thread,
    })
}

/// Takes one word of a view; `false` if it is none.
pub(super) fn view_word(view: &mut ViewWords, word: Word<'_>) -> Result<bool, Mistake> {
    let pitch = word.node.strip_prefix("pitch=").unwrap_or(word.node);
    if let Some((form, ty)) = NumberFormat::from_word(word.node) {
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
        let Some((key, value)) = words::clause(word) else {
            break;
        };
        let Some(number) = words::decimal(value.node) else {
            return Err(mistake(
                word.span,
                "a part is picked by a number, as level=1",
            ));
        };
        if !PARTS.contains(&key.node) {
            let mut mistake = mistake(word.span, "a part is a level, slice, sample or plane");
            let meant = words::nearest(key.node, PARTS);
            mistake.help = meant.map(|meant| format!("did you mean {meant}={number}?"));
            return Err(mistake);
        }
        part.push((Spanned::new(key.node.to_string(), word.span), number));
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
                return Err(mistake(text.span, "`= PATH` is missing after the part"));
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
