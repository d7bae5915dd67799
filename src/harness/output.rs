//! Outputs of a launch, held against what is expected of them; what is left where they differ.

use super::contents::leave;
use super::kernel::LaunchFile;
use crate::diagnostic::{Code, Diagnostic};
use crate::files::write_whole;
use crate::launch::kernel::Argument;
use crate::launch::kernel::compare::{Difference, compare};
use crate::launch::kernel::image::Image;
use crate::launch::kernel::json::Output;
use crate::surface::Picture;
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Elements that a terminal shows of an output that differs.
pub const MOST_SHOWN: usize = 8;

/// An output of a launch, compared with what is expected of it.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The number of the argument.
    pub argument: usize,
    /// How it is called in messages.
    pub name: String,
    /// Its bytes, or `E0646`.
    pub result: Result<usize, Diagnostic>,
    /// Where it differs.
    pub difference: Option<Difference>,
    /// What is there and what was expected, where they differ.
    wrong: Option<Box<Wrong>>,
}

#[derive(Clone, Debug)]
struct Wrong {
    argument: Argument,
    expected: Vec<u8>,
}

impl Compared {
    /// Compares one output.
    ///
    /// * `most`: elements that the diagnostic names.
    pub(super) fn of(
        output: &Output,
        (number, name): (usize, String),
        argument: Option<&Argument>,
        file: &LaunchFile,
        most: usize,
    ) -> Compared {
        let argument = argument.unwrap_or(&Argument::Missing);
        let got = argument.bytes().unwrap_or_default();
        let expected = output.expected(argument, |name| file.beside(name));
        let differs = || {
            let what = format!("{name}: output differs from what is expected");
            Diagnostic::with_message(Code::E0646, what)
        };
        let (expected, compared) = match expected {
            Ok((expected, skipped)) => {
                let compared = compare(output, &expected, &skipped, &got);
                (expected, compared)
            }
            Err(refused) => (Vec::new(), Err(refused.message)),
        };
        let (result, difference) = match compared {
            Ok(None) => (Ok(got.len()), None),
            Ok(Some(difference)) => {
                let told = difference.summary(most.max(1)).join("\n");
                (Err(differs().note(told)), Some(difference))
            }
            Err(why) => (Err(differs().note(why)), None),
        };
        let wrong = result.is_err().then(|| {
            let argument = argument.clone();
            Box::new(Wrong { argument, expected })
        });
        Compared {
            argument: number,
            name,
            result,
            difference,
            wrong,
        }
    }

    /// The output for programs, with the elements that differ.
    pub fn json(&self) -> Value {
        let mut value = json!({"argument": self.argument, "as_expected": self.result.is_ok()});
        if let Some(difference) = &self.difference {
            let elements = difference.elements.iter().map(|e| difference.json(e));
            value["type"] = json!(difference.dtype);
            value["of"] = json!(difference.all);
            value["differing"] = json!(difference.differing);
            value["elements"] = elements.collect();
        }
        value
    }

    /// Writes what is there (`argN.bin`), all elements that differ (`argN.differs.jsonl`), and of an image pictures
    /// (`argN/expected.png`, `found.png`, `difference.png`); the files of an output that does not differ are none.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn keep(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let Some(wrong) = &self.wrong else {
            return Ok(Vec::new());
        };
        fs::create_dir_all(folder)?;
        let stem = format!("arg{}", self.argument);
        let mut left = vec![folder.join(format!("{stem}.bin"))];
        write_whole(&left[0], &wrong.argument.bytes().unwrap_or_default())?;
        if let Some(difference) = &self.difference {
            let path = folder.join(format!("{stem}.differs.jsonl"));
            let lines = difference.elements.iter();
            let lines = lines.map(|element| format!("{}\n", difference.json(element)));
            write_whole(&path, lines.collect::<String>().as_bytes())?;
            left.push(path);
        }
        if let Argument::Image(found) = &wrong.argument
            && let Ok(expected) = Image::new(found.shape.clone(), &wrong.expected)
            && let (Ok(wanted), Ok(found)) =
                (Picture::of(&expected.surface), Picture::of(&found.surface))
        {
            left.extend(leave(&folder.join(stem), &wanted, &found));
        }
        Ok(left)
    }
}
