//! The one error of reading: the furthest place, and what could have been there.

use crate::diagnostic::{Code, Diagnostic};
use crate::isa::Opcode;
use nom::error::{ErrorKind, ParseError};
use std::borrow::Cow;

/// What a reader gives back: the rest of the line and a value.
pub(crate) type Read<'a, T> = nom::IResult<&'a str, T, Expected>;

/// Something else was expected at a place in the line.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// The place, as the number of bytes from it to the end of the line: the fewer, the further.
    pub left: usize,
    /// What could have been there, as a reader would say it.
    pub wanted: Vec<Cow<'static, str>>,
    /// A diagnostic that says more than the list; its first label still requires its place.
    pub problem: Option<Box<Problem>>,
    /// The instruction that was being read.
    pub opcode: Option<Opcode>,
}

/// A finished diagnostic whose first label covers `length` bytes from the place of the error.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub length: usize,
    pub diagnostic: Diagnostic,
}

impl ParseError<&str> for Expected {
    fn from_error_kind(input: &str, _: ErrorKind) -> Expected {
        Expected {
            left: input.len(),
            wanted: Vec::new(),
            problem: None,
            opcode: None,
        }
    }

    fn append(_: &str, _: ErrorKind, other: Expected) -> Expected {
        other
    }

    /// The further of two failures; at one place, both lists.
    fn or(mut self, other: Expected) -> Expected {
        match self.left.cmp(&other.left) {
            std::cmp::Ordering::Less => self,
            std::cmp::Ordering::Greater => other,
            std::cmp::Ordering::Equal => {
                for word in other.wanted {
                    if !self.wanted.contains(&word) {
                        self.wanted.push(word);
                    }
                }
                self.problem = self.problem.or(other.problem);
                self
            }
        }
    }
}

/// Fails at `input`, where `wanted` should appear; another reader may still succeed.
pub(crate) fn expected<T>(input: &str, wanted: impl Into<Cow<'static, str>>) -> Read<'_, T> {
    Err(nom::Err::Error(Expected {
        left: input.len(),
        wanted: vec![wanted.into()],
        problem: None,
        opcode: None,
    }))
}

/// Fails for good with `diagnostic`, whose first label is to cover `length` bytes from `input`.
pub(crate) fn refuse<T>(input: &str, length: usize, diagnostic: Diagnostic) -> Read<'_, T> {
    Err(nom::Err::Failure(Expected {
        left: input.len(),
        wanted: Vec::new(),
        problem: Some(Box::new(Problem { length, diagnostic })),
        opcode: None,
    }))
}

/// A diagnostic whose first label waits for its place ([`refuse`]).
pub(crate) fn problem(
    code: Code,
    message: impl Into<String>,
    label: impl Into<String>,
) -> Diagnostic {
    Diagnostic::with_message(code, message).at(Default::default(), label)
}

/// Joins alternatives as one says them: "a, b or c".
pub(crate) fn either<S: AsRef<str>>(words: &[S]) -> String {
    match words {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [all @ .., last] => {
            let all: Vec<&str> = all.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", all.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_furthest_failure_wins_and_equals_merge() {
        let at = |left, word: &'static str| Expected {
            left,
            wanted: vec![word.into()],
            problem: None,
            opcode: None,
        };
        assert_eq!(at(3, "a").or(at(5, "b")).wanted, ["a"]);
        assert_eq!(at(5, "a").or(at(3, "b")).wanted, ["b"]);
        assert_eq!(at(3, "a").or(at(3, "b")).or(at(3, "a")).wanted, ["a", "b"]);
    }
}
