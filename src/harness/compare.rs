//! Expected against found: what differs, where it is written, and what `--bless` would write there.

use super::expect::{Expectation, Row, Tolerance};
use super::values::{Number, View, bits, number, ulps};
use crate::base::order;
use crate::diagnostic::{Code, Diagnostic, counted};
use crate::source::Span;

/// The element that stands for "not looked at".
const SKIPPED: &str = "..";

/// A replacement of text that `--bless` makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes away; empty to insert.
    pub span: Span,
    /// What comes instead.
    pub text: String,
}

/// What the comparison of one expectation found.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The difference, if there is one.
    pub difference: Option<Diagnostic>,
    /// How to make the text say what was found.
    pub edits: Vec<Edit>,
}

/// Compares rows of values with `found`, which hands out `len` bytes of row `index`, fewer or none
/// where the variable or surface ends.
pub fn rows(
    expected: &Expectation,
    rows: &[Row],
    view: View,
    found: impl Fn(usize, usize) -> Vec<u8>,
) -> Comparison {
    let size = view.ty.bytes() as usize;
    let mut wrong = Vec::new();
    let mut shown = Vec::new();
    let mut edits = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let bytes = found(index, row.words.len() * size);
        let mut elements = bytes.chunks_exact(size);
        let mut texts = Vec::new();
        let mut first = None;
        for (position, word) in row.words.iter().enumerate() {
            let element = elements.next();
            let text = element.map_or(SKIPPED.to_string(), |e| view.element(e));
            if word.node == SKIPPED {
                texts.push(SKIPPED.to_string());
                continue;
            }
            if first.is_none()
                && let Err(why) = element_agrees(word, element, &view, expected.tolerance)
            {
                first = Some((word.span, format!("element {position}: {why}")));
            }
            texts.push(text);
        }
        let width = texts.iter().map(String::len).max().unwrap_or(0);
        let text = texts
            .iter()
            .map(|t| format!("{t:>width$}"))
            .collect::<Vec<_>>()
            .join(" ");
        if let Some(place) = first {
            wrong.push(place);
            edits.push(Edit {
                span: row.span,
                text: text.trim_start().to_string(),
            });
        }
        shown.push(text);
    }
    if wrong.is_empty() {
        return Comparison::default();
    }
    const MOST: usize = 4;
    let mut difference = Diagnostic::with_message(
        Code::E0710,
        format!(
            "{} differs from what is expected in {} of {}",
            expected.place.name.node,
            wrong.len(),
            counted(rows.len(), "row")
        ),
    );
    for (span, text) in wrong.into_iter().take(MOST) {
        difference = difference.at(span, text);
    }
    let more = shown.len().saturating_sub(16);
    shown.truncate(16);
    if more > 0 {
        shown.push(format!("… {more} more"));
    }
    difference = difference.note(format!("found:\n  {}", shown.join("\n  ")));
    Comparison {
        difference: Some(difference),
        edits,
    }
}

/// Whether one element agrees with the word written for it; if not, why.
fn element_agrees(
    word: &str,
    element: Option<&[u8]>,
    view: &View,
    tolerance: Tolerance,
) -> Result<(), String> {
    let wanted = view.read(word)?;
    let Some(element) = element else {
        return Err("nothing is there: the variable or surface ends before it".to_string());
    };
    let found = bits(element);
    let text = view.element(element);
    if wanted == found {
        return Ok(());
    }
    let (a, b) = (number(view.ty, wanted), number(view.ty, found));
    if let (Number::Float(a), Number::Float(b)) = (a, b)
        && a.is_nan()
        && b.is_nan()
        && !word.starts_with("0x")
    {
        return Ok(());
    }
    match tolerance {
        Tolerance::Exact => Err(format!("found {text}")),
        Tolerance::Ulps(most) => match ulps(view.ty, wanted, found) {
            Some(n) if n <= most => Ok(()),
            Some(n) => Err(format!("found {text}, {n} units in the last place away")),
            None => Err(format!("found {text}")),
        },
        Tolerance::Absolute(most) => {
            let away = match (a, b) {
                (Number::Float(a), Number::Float(b)) => (a - b).abs(),
                (Number::Integer(a), Number::Integer(b)) => a.abs_diff(b) as f64,
                _ => f64::NAN,
            };
            if away <= most {
                Ok(())
            } else {
                Err(format!("found {text}, {away} away"))
            }
        }
    }
}

/// `text` with all `edits` made. Edits do not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    order::sort_by_key(&mut edits, |e| e.span);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(&text[at..edit.span.start as usize]);
        out.push_str(&edit.text);
        at = edit.span.end as usize;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::super::directive;
    use super::super::expect::Wanted;
    use super::*;
    use crate::isa::Type;
    use crate::source::Source;

    fn compare(text: &str, found: &[u8], ty: Type, pitch: u32) -> (Comparison, String) {
        let source = Source::new("t", text);
        let (directives, diagnostics) = directive::read(&source);
        assert_eq!(diagnostics, [], "{text}");
        let expected = &directives.expectations[0];
        let Wanted::Rows(listed) = &expected.wanted else {
            panic!("rows are listed");
        };
        let comparison = rows(expected, listed, View::of(ty, pitch), |row, len| {
            found
                .iter()
                .copied()
                .skip(row * pitch as usize)
                .take(len)
                .collect()
        });
        let blessed = apply(text, &comparison.edits);
        (comparison, blessed)
    }

    #[test]
    fn equal_rows_pass_and_skipped_elements_are_not_looked_at() {
        let text = "// EXPECT V1 bytes pitch=4: two rows\n//   01 .. 03\n//   05\n// and prose\n";
        let (comparison, blessed) = compare(text, &[1, 2, 3, 4, 5], Type::Ub, 4);
        assert_eq!(comparison.difference, None);
        assert_eq!(blessed, text);
    }

    #[test]
    fn a_difference_is_shown_at_its_word_and_blessed_in_place() {
        let text = "// EXPECT V1 bytes pitch=2:\n//   01 02\n//   03 05 .. 99\n";
        let (comparison, blessed) = compare(text, &[1, 2, 3, 4], Type::Ub, 2);
        let difference = comparison.difference.expect("04 is not 05");
        assert_eq!(difference.labels[0].text, "element 1: found 04");
        assert_eq!(&text[difference.labels[0].span.range()], "05");
        assert_eq!(
            blessed,
            "// EXPECT V1 bytes pitch=2:\n//   01 02\n//   03 04 .. ..\n"
        );
    }

    #[test]
    fn tolerances_hold_to_the_unit() {
        let one = 1.0f32.to_bits();
        let found = [(one + 2).to_le_bytes(), one.to_le_bytes()].concat();
        for (amount, passes) in [
            ("2ulp", true),
            ("1ulp", false),
            ("0.001", true),
            ("1e-9", false),
        ] {
            let text = format!("// EXPECT V1 f within {amount} because: a test\n//   1.0 1\n");
            let (comparison, _) = compare(&text, &found, Type::F, 8);
            assert_eq!(comparison.difference.is_none(), passes, "{amount}");
        }
    }
}
