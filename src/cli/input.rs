//! What a command reads: a text in one of the languages, a line of it.

use super::output::{Exit, Output};
use crate::diagnostic::Diagnostic;
use crate::harness::bind::Layer;
use crate::harness::language::Language;
use crate::harness::{load, session};
use crate::isa::Platform;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The option that names the language of a text.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Written {
    /// What the text is written in; without it the ending of the file tells, and standard input is vISA.
    #[arg(long = "as", value_name = "LANGUAGE", value_enum)]
    language: Option<Language>,
}

impl Written {
    /// The language of a file.
    pub fn of(self, path: &Path) -> Language {
        self.language.unwrap_or_else(|| Language::of(path))
    }

    /// A program with its directives, and what could not be read of them.
    ///
    /// # Errors
    /// The file cannot be used, which has been said.
    pub fn open(
        self,
        path: &Path,
        (platform, kernel): (Option<Platform>, Option<&str>),
        output: &mut Output,
    ) -> Result<(Layer, Vec<Diagnostic>), Exit> {
        let source = load::source_for(path, platform, kernel);
        let source = source.map_err(|e| output.complain(&e.to_string()))?;
        let (mut layer, found) = session::file_layer(source, path);
        layer.language = self.of(path);
        Ok((layer, found))
    }
}

/// A line of a file, as `kernel.visa:12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLine {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1 on.
    pub line: usize,
}

impl FromStr for FileLine {
    type Err = String;

    fn from_str(text: &str) -> Result<FileLine, String> {
        let wanted = || format!("`{text}` is not a line of a file such as kernel.visa:12");
        let (file, line) = text.rsplit_once(':').ok_or_else(wanted)?;
        if file.is_empty() || line.is_empty() || !line.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wanted());
        }
        let line: NonZeroUsize = line
            .parse()
            .map_err(|_| format!("`{text}`: no text has a line {line}, they count from 1"))?;
        Ok(FileLine {
            file: PathBuf::from(file),
            line: line.get(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::FileLine;

    #[test]
    fn lines_of_files_count_from_one() {
        let read = |text: &str| text.parse::<FileLine>();
        let line = |file: &str, line| FileLine {
            file: file.into(),
            line,
        };
        assert_eq!(read("k.visa:12"), Ok(line("k.visa", 12)));
        assert_eq!(read("a:b:7"), Ok(line("a:b", 7)));
        for text in ["k.visa:0", "k.visa:99999999999999999999"] {
            assert!(read(text).unwrap_err().contains("count from 1"), "{text}");
        }
        for text in ["k.visa", "k.visa:", ":5", "k.visa:+5", "k.visa:x"] {
            assert!(read(text).unwrap_err().contains("not a line"), "{text}");
        }
    }
}
