//! Comments that a reader takes for directives and visim does not: `// Expekt V34: …`, `// set V32 = 8:ud`, a
//! `known-failing` without its reason, a directive behind a statement. Such a test would pass by accident.

use super::directive::KEYWORDS;
use super::words::{Word, nearest};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Spanned};

/// What marks a file that must fail, in front of the reason.
pub(super) const KNOWN_FAILING: &str = "known-failing because:";

/// The words of a comment.
pub(super) struct Said<'a> {
    /// Slashes, blanks and a remark left out.
    pub body: &'a str,
    /// The byte where they begin.
    pub base: u32,
    /// Nothing is in front of the comment.
    pub alone: bool,
    /// The whole text.
    pub text: &'a str,
}

/// Keywords that begin sentences as well; only what reads as the directive is taken for one.
const VERBS: &[&str] = &["RUN", "SET", "DUMP", "SAVE"];

impl Said<'_> {
    /// Why the comment looks like a directive that it is not, if it does.
    ///
    /// * `reads`: whether the rest of the words is what a keyword takes.
    pub fn doubt(&self, reads: impl Fn(&str, Word<'_>) -> bool) -> Option<Diagnostic> {
        let body = self.body;
        if let Some(doubt) = self.mark().or_else(|| self.known_failing()) {
            return Some(doubt);
        }
        let word = body.split([' ', '\t', ':']).next().unwrap_or_default();
        let letters = word.len() >= 3 && word.bytes().all(|b| b.is_ascii_alphabetic());
        if !letters {
            return None;
        }
        let keywords = || KEYWORDS.iter().map(|k| k.0);
        let exact = keywords().any(|k| k == word);
        if exact && self.alone {
            return None;
        }
        let same = keywords().find(|k| k.eq_ignore_ascii_case(word));
        let near = || nearest(word, keywords()).filter(|k| !VERBS.contains(k) || is_loud(word));
        let meant = same.or_else(near)?;
        let start = self.base + word.len() as u32;
        let rest = &body[word.len()..];
        let rest = Spanned::new(rest, Span::new(start, self.base + body.len() as u32));
        // A word in capitals is hardly prose.
        let loud = is_loud(word) && self.alone && !VERBS.contains(&meant);
        let looks = loud || reads(meant, rest) || self.names(meant, rest.node);
        let at = Span::new(self.base, start);
        let idle = format!("`{word}` is not a directive, and the comment has no effect");
        let help = match (looks, exact) {
            (false, _) => return None,
            (true, false) => format!("did you mean {meant}?"),
            (true, true) => format!("{meant} on a line of its own"),
        };
        let idle = match exact {
            true => "a directive behind a statement has no effect".to_string(),
            false => idle,
        };
        Some(Diagnostic::new(Code::W0714).at(at, idle).help(help))
    }

    /// Whether what follows the keyword begins with a name of the text, as such a directive does.
    fn names(&self, keyword: &str, rest: &str) -> bool {
        let Some(first) = rest.split_whitespace().next() else {
            return false;
        };
        let bare = first.trim_end_matches(':');
        let name = bare.split(['.', '@']).next().unwrap_or_default();
        match keyword {
            "EXPECT" => is_declared(self.text, name),
            "SURFACE" | "SAMPLER" => first != bare && is_declared(self.text, name),
            _ => false,
        }
    }

    /// `// ~ E0312`, a mark that is not one.
    fn mark(&self) -> Option<Diagnostic> {
        let code = self.body.strip_prefix('~')?.trim_start_matches(['^', ' ']);
        let code = code.split([' ', '\t']).next()?;
        Code::from_name(code)?;
        let at = Span::new(self.base, self.base + 1);
        let idle = "a mark begins with `//~`, and this comment has no effect";
        let help = format!("//~ {code}");
        Some(Diagnostic::new(Code::W0714).at(at, idle).help(help))
    }

    /// A mark of a known failure in other words.
    fn known_failing(&self) -> Option<Diagnostic> {
        if self.body.starts_with(KNOWN_FAILING) && self.alone {
            return None;
        }
        let mut words = self.body.split([' ', '\t', ':', '_', '-']);
        let (first, second) = (words.next()?, words.next()?);
        let (known, what) = match first.eq_ignore_ascii_case("known") {
            true => (first, second),
            false => return None,
        };
        let fails = ["failing", "failure", "fail", "fails"];
        if !fails.iter().any(|word| word.eq_ignore_ascii_case(what)) {
            return None;
        }
        let len = known.len() + 1 + what.len();
        let at = Span::new(self.base, self.base + len as u32);
        let idle = "this looks like the mark of a known failure, and has no effect";
        let help = format!("// {KNOWN_FAILING} the filter is not modelled");
        Some(Diagnostic::new(Code::W0714).at(at, idle).help(help))
    }
}

fn is_loud(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_uppercase())
}

/// Whether a text declares a name, or has it as a register of a language without declarations.
pub(super) fn is_declared(text: &str, name: &str) -> bool {
    let declares = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some(".decl") && words.next() == Some(name)
    };
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let register = digits.len() + 1 == name.len() && digits.bytes().all(|b| b.is_ascii_digit());
    register || text.lines().any(declares)
}

/// Whether a text has a kernel of this name.
pub(super) fn has_kernel(text: &str, name: &str) -> bool {
    let mut lines = text.lines();
    lines.any(|line| {
        let rest = line.trim_start().strip_prefix(".kernel ");
        rest.is_some_and(|own| own.trim().trim_matches('"') == name)
    })
}
