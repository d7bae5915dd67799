//! What a command reads: a text in one of the languages, a line of it.

use super::output::{Exit, Output};
use crate::diagnostic::{Code, Diagnostic};
use crate::harness::bind::Layer;
use crate::harness::kernel::Refused;
use crate::harness::language::Language;
use crate::harness::{compile, dump_folder, load, session};
use crate::isa::Platform;
use crate::source::Source;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The options that say what a file is, and how OpenCL C is compiled.
#[derive(Clone, Debug, clap::Args)]
pub struct Written {
    /// What the text is written in; without it the ending of the file tells, and standard input is vISA.
    #[arg(long = "as", value_name = "LANGUAGE", value_enum)]
    language: Option<Language>,
    /// Compile OpenCL C for this device, by the compiler's name of it; --platform without it.
    #[arg(long, value_name = "NAME", help_heading = "Compiled kernels")]
    device: Option<String>,
    /// Options for the compiler of OpenCL C, after `--`: -- -cl-std=CL3.0 -DN=4.
    #[arg(last = true, value_name = "OPTION")]
    compile: Vec<String>,
}

impl Written {
    /// The language of a file.
    pub fn of(&self, path: &Path) -> Language {
        self.language.unwrap_or_else(|| Language::of(path))
    }

    /// The file of a program that was named: itself, what OpenCL C is compiled to, or the text of a kernel in a
    /// folder of the compiler's dumps.
    ///
    /// # Errors
    /// `E0653`, `E0702`; `E0601`, `E0640`: no text in the folder, or several.
    pub fn program(
        &self,
        path: &Path,
        (platform, kernel): (Option<Platform>, Option<&str>),
    ) -> Result<PathBuf, Refused> {
        let opencl = compile::is_opencl(path);
        if !opencl && (self.device.is_some() || !self.compile.is_empty()) {
            let what = format!("{} is not OpenCL C", path.display());
            let refused = Diagnostic::with_message(Code::E0653, what);
            return Err(Box::new(
                refused.help("--platform names the device of a text or a program"),
            ));
        }
        if path.is_dir() {
            return dump_folder::text(path, kernel, platform);
        }
        if !opencl {
            return Ok(path.to_path_buf());
        }
        let platform = platform.map(|platform| platform.name.to_string());
        let Some(device) = self.device.clone().or(platform) else {
            let what = format!(
                "{} is compiled for a device, and none is named",
                path.display()
            );
            let refused = Diagnostic::with_message(Code::E0653, what);
            return Err(Box::new(refused.help("--device bmg")));
        };
        compile::compile(path, &device, &self.compile)
    }

    /// As [`Written::program`]; why there is none has been said.
    pub fn find(
        &self,
        path: &Path,
        asked: (Option<Platform>, Option<&str>),
        output: &mut Output,
    ) -> Result<PathBuf, Exit> {
        let found = self.program(path, asked).map_err(|refused| {
            let nowhere = Source::new(path.display().to_string(), "");
            output.diagnostics(&[*refused], &nowhere);
            Exit::Command
        })?;
        if path.is_dir() {
            output.remark(&format!("the text is {}", found.display()));
        }
        Ok(found)
    }

    /// A program with its directives, and what could not be read of them.
    ///
    /// # Errors
    /// The file cannot be used, which has been said.
    pub fn open(
        &self,
        path: &Path,
        (platform, kernel): (Option<Platform>, Option<&str>),
        output: &mut Output,
    ) -> Result<(Layer, Vec<Diagnostic>), Exit> {
        let path = self.find(path, (platform, kernel), output)?;
        self.read(&path, (platform, kernel), output)
    }

    /// As [`Written::open`], of a file that [`Written::find`] has found.
    pub fn read(
        &self,
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
