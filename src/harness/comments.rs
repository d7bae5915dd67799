//! Where the `//` comments of a text are, whether or not its statements can be read.
//!
//! [`crate::syntax`] keeps comments too, but a line that does not parse has no line in the module,
//! and the mark of an expected refusal is exactly there.

/// A `//` comment: byte offsets from the slashes to the end of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The first slash.
    pub start: usize,
    /// One past the last byte, line break and carriage return left out.
    pub end: usize,
    /// Nothing but blanks is in front of it.
    pub alone: bool,
}

/// Every `//` comment of `text`, in order; those inside strings and `/* … */` are none.
pub fn comments(text: &str) -> Vec<Comment> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut alone) = (0, true);
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'\n', _) => (at, alone) = (at + 1, true),
            (b'/', Some(b'/')) => {
                let len = text[at..].find('\n').unwrap_or(bytes.len() - at);
                let end = at + text[at..at + len].trim_end_matches('\r').len();
                found.push(Comment {
                    start: at,
                    end,
                    alone,
                });
                at += len;
            }
            (b'/', Some(b'*')) => {
                let inner = at + 2;
                at = text[inner..]
                    .find("*/")
                    .map_or(bytes.len(), |n| inner + n + 2);
                alone = false;
            }
            (b'"', _) => {
                at = string_end(bytes, at + 1);
                alone = false;
            }
            (blank, _) => {
                alone &= matches!(blank, b' ' | b'\t');
                at += 1;
            }
        }
    }
    found
}

/// One past the closing quote, or the line break that the string lacks one before.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_told_from_what_only_looks_like_them() {
        let text = "// one\r\nmov \"a//b\\\"//c\" // two\n/* // no\n*/ // three\n\"open // no\n";
        let found: Vec<(&str, bool)> = comments(text)
            .iter()
            .map(|c| (&text[c.start..c.end], c.alone))
            .collect();
        assert_eq!(
            found,
            [("// one", true), ("// two", false), ("// three", false)]
        );
    }

    #[test]
    fn any_text_is_survived() {
        for text in [
            "",
            "/",
            "/*",
            "\"\\",
            "//",
            "\u{e9}//\u{e9}",
            "\"\\\u{e9}\n// x",
        ] {
            let _ = comments(text);
        }
    }
}
