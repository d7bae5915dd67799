//! Expectations: `// EXPECT …` with its rows of values, and `//~ E0312 "words"` on a refused line.

use super::clauses::{place, view_word};
use super::comments::Comment;
use super::directive::{Location, Mistake, ViewWords, mistake};
use super::words::{self, Word, cut};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Source, Span, Spanned};

/// What a register or surface must hold after the run.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The bytes looked at.
    pub place: Location,
    /// How they are written.
    pub view: ViewWords,
    /// Left byte and top row of the rectangle of a surface that the rows are.
    pub corner: (u32, u32),
    /// How much a value may differ.
    pub tolerance: Tolerance,
    /// The values.
    pub wanted: Wanted,
    /// `by hand:` was written: `--bless` leaves it alone.
    pub by_hand: bool,
    /// The directive's own line.
    pub span: Span,
}

/// The values of an [`Expectation`].
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Rows on the lines below, or one row after `=`. `..` stands for an element not looked at.
    Rows(Vec<Row>),
    /// `= picture.png`: the surface, texel for texel.
    Picture(Spanned<String>),
}

/// A row of values.
#[derive(Clone, Debug)]
pub struct Row {
    /// The values as written.
    pub words: Vec<Spanned<String>>,
    /// From the first to the last value.
    pub span: Span,
}

/// How much a value may differ from the one written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Not at all.
    Exact,
    /// At most so many units in the last place.
    Ulps(u64),
    /// At most so much.
    Absolute(f64),
}

/// A diagnostic that must come, `//~ E0312 "at most 4 rows"`.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The code.
    pub code: Spanned<Code>,
    /// Words that must appear somewhere in it.
    pub words: Option<String>,
    /// The one-based line it must appear on.
    pub line: usize,
}

/// Reads what follows `//~`; each `^` in front of the code moves the mark one line up.
pub fn refusal(text: &str, base: usize, line: usize) -> Result<Refusal, Mistake> {
    let up = text.bytes().take_while(|&b| b == b'^').count();
    let words = cut(&text[up..], (base + up) as u32, &[' ', '\t']);
    let all = Span::new(base as u32, (base + text.len()) as u32);
    let example = "//~ E0301 \"at most 4 rows\"";
    let Some((code, rest)) = words.split_first() else {
        return Err(Box::new(mistake(all, "the code is missing").help(example)));
    };
    let Some(known) = Code::from_name(code.node) else {
        return Err(Box::new(mistake(code.span, "no such code").help(example)));
    };
    let quoted = match rest {
        [] => None,
        [words] => Some(words.node.to_string()),
        [_, second, ..] => {
            return Err(Box::new(
                mistake(second.span, "the words must be in quotes").help(example),
            ));
        }
    };
    Ok(Refusal {
        code: Spanned::new(known, code.span),
        words: quoted,
        line: line.saturating_sub(up),
    })
}

/// Reads what follows `EXPECT` and the rows on the following lines, of which it says how many
/// comments they are.
pub fn expectation(
    source: &Source,
    text: Word<'_>,
    span: Span,
    later: &[Comment],
) -> Result<(Expectation, usize), Mistake> {
    let words = cut(text.node, text.span.start, &[' ', '\t']);
    let mut left = words.into_iter();
    let Some(first) = left.next() else {
        return Err(mistake(text.span, "the name is missing"));
    };
    let (first, mut ended) = match first.node.strip_suffix(':') {
        Some(name) => (Spanned::new(name, first.span), true),
        None => (first, false),
    };
    let mut found = Expectation {
        place: place(first)?,
        view: ViewWords::default(),
        corner: (0, 0),
        tolerance: Tolerance::Exact,
        wanted: Wanted::Rows(Vec::new()),
        by_hand: text.node.contains("by hand:"),
        span,
    };
    let mut reasoned = false;
    let mut inline = None;
    while !ended {
        let Some(word) = left.next() else { break };
        if word.node == "=" {
            inline = Some(left.by_ref().collect::<Vec<_>>());
            break;
        }
        if word.node == "because:" {
            reasoned = true;
            break;
        }
        let bare = match word.node.strip_suffix(':') {
            Some(bare) => {
                ended = true;
                Spanned::new(bare, Span::new(word.span.start, word.span.end - 1))
            }
            None => word,
        };
        match bare.node {
            "" => {}
            "within" => {
                let Some(amount) = left.next() else {
                    return Err(mistake(
                        word.span,
                        "how much is missing: `within 1ulp because: …`",
                    ));
                };
                found.tolerance = tolerance(amount)?;
            }
            corner if corner.starts_with("at=") => {
                let Some(pair) = words::pair(&corner[3..]) else {
                    return Err(mistake(
                        word.span,
                        "a corner is written as byte,row: `at=4,2`",
                    ));
                };
                found.corner = pair;
            }
            _ => {
                if !view_word(&mut found.view, bare)? {
                    return Err(mistake(
                        word.span,
                        "neither a type, a number form, `pitch=`, `at=`, `within` nor the `:` that ends the line",
                    ));
                }
            }
        }
    }
    if found.tolerance != Tolerance::Exact && !reasoned {
        return Err(Box::new(
            mistake(span, "a tolerance needs its reason")
                .help("within 1ulp because: rsqrt is accurate to one unit"),
        ));
    }
    if let Some(words) = inline {
        let picture = words.first().filter(|w| w.node.ends_with(".png"));
        match picture {
            Some(path) => found.wanted = Wanted::Picture(path.map(str::to_string)),
            None => found.wanted = Wanted::Rows(row(&words).into_iter().collect()),
        }
        return Ok((found, 0));
    }
    let rows = rows_below(source, later, span);
    let used = rows.len();
    found.wanted = Wanted::Rows(rows);
    Ok((found, used))
}

fn row(words: &[Word<'_>]) -> Option<Row> {
    let (first, last) = (words.first()?, words.last()?);
    Some(Row {
        span: first.span.to(last.span),
        words: words.iter().map(|w| w.map(str::to_string)).collect(),
    })
}

/// The comments on the lines right below whose text is indented and looks like values.
///
/// A row that begins with a value belongs to the expectation even if a later word is mistyped; the
/// comparison then reports that word, rather than silently taking the row for prose.
fn rows_below(source: &Source, later: &[Comment], span: Span) -> Vec<Row> {
    let mut rows = Vec::new();
    let first = source.line_of(span.start) + 1;
    for (line, comment) in (first..).zip(later) {
        let text = &source.text()[comment.start..comment.end];
        let body = text.trim_start_matches('/');
        let indented = body.starts_with("  ") || body.starts_with('\t');
        if !comment.alone || source.line_of(comment.start as u32) != line || !indented {
            break;
        }
        let words = cut(body, (comment.end - body.len()) as u32, &[' ', '\t']);
        let looks = |w: &Word<'_>| {
            let digits = w.node.trim_start_matches(['-', '+']);
            let number = digits.starts_with(|c: char| c.is_ascii_hexdigit())
                && digits
                    .chars()
                    .all(|c| c.is_ascii_hexdigit() || ".xX+-eE".contains(c));
            number || matches!(digits, ".." | "nan" | "inf")
        };
        match row(&words).filter(|_| looks(&words[0])) {
            Some(row) => rows.push(row),
            None => break,
        }
    }
    rows
}

fn tolerance(word: Word<'_>) -> Result<Tolerance, Mistake> {
    let absolute = |text: &str| {
        text.parse::<f64>()
            .ok()
            .filter(|v| v.is_finite() && *v >= 0.0)
    };
    let ulps = word
        .node
        .strip_suffix("ulps")
        .or(word.node.strip_suffix("ulp"));
    let read = match ulps {
        Some(count) => words::decimal(count).map(|n| Tolerance::Ulps(u64::from(n))),
        None => absolute(word.node).map(Tolerance::Absolute),
    };
    read.ok_or_else(|| {
        Box::new(Diagnostic::clone(&mistake(
            word.span,
            "neither `3ulp` nor a number",
        )))
    })
}
