//! Sequences of PNG pictures: a folder, or names with a number in them.

use super::extension;
use super::writer::{create, keep};
use crate::base::order;
use crate::files::{NewFile, folder};
use crate::video::VideoError;
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// File names with a number: `out-%04d.png`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    folder: PathBuf,
    before: String,
    after: String,
    /// The least digits.
    digits: usize,
}

impl Pattern {
    /// The pattern that a path is, or the numbered pictures of a folder; none without a `%`.
    ///
    /// # Errors
    /// A `%` that is not a number.
    pub fn of(path: &Path) -> Result<Option<Pattern>, VideoError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some((before, rest)) = name.split_once('%') else {
            return Ok(None);
        };
        let wrong = || {
            let text = path.display();
            VideoError::wrong(format!("{text}: a pattern is like out-%04d.png"))
        };
        let (digits, after) = rest.split_once('d').ok_or_else(wrong)?;
        let digits = match digits {
            "" | "0" => 1,
            digits => digits.parse().ok().filter(|n| *n <= 20).ok_or_else(wrong)?,
        };
        if after.contains('%') {
            return Err(wrong());
        }
        Ok(Some(Pattern {
            folder: folder(path).to_path_buf(),
            before: before.to_string(),
            after: after.to_string(),
            digits,
        }))
    }

    /// The pictures of a folder.
    pub fn inside(folder: &Path) -> Pattern {
        Pattern {
            folder: folder.to_path_buf(),
            before: String::new(),
            after: ".png".to_string(),
            digits: 4,
        }
    }

    /// Where the pictures lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The picture with a number.
    pub fn name(&self, number: u64) -> PathBuf {
        let Pattern {
            before,
            after,
            digits,
            ..
        } = self;
        self.folder
            .join(format!("{before}{number:0digits$}{after}"))
    }

    /// The number of a picture that the pattern names.
    pub fn number(&self, path: &Path) -> Option<u64> {
        let name = path.file_name()?.to_str()?;
        let digits = name.strip_prefix(&*self.before)?;
        let digits = digits.strip_suffix(&*self.after)?;
        let number = digits.parse().ok()?;
        // As it would be written: not "+4", not "04" where "4" is.
        (self.name(number).file_name()? == name).then_some(number)
    }

    /// The pictures that the pattern names, in order.
    ///
    /// # Errors
    /// None, or one that is missing between two others.
    pub fn find(&self) -> Result<Vec<PathBuf>, VideoError> {
        let mut numbers: Vec<u64> = pictures_in(&self.folder)?
            .iter()
            .filter_map(|path| self.number(path))
            .collect();
        numbers.sort_unstable();
        if let Some(pair) = numbers.windows(2).find(|pair| pair[1] != pair[0] + 1) {
            let missing = self.name(pair[0] + 1);
            return Err(VideoError::wrong(format!(
                "{} is missing; pictures go on with {}",
                missing.display(),
                self.name(pair[1]).display()
            )));
        }
        Ok(numbers.into_iter().map(|n| self.name(n)).collect())
    }
}

/// The pictures of a folder by name; a number within names counts as a number.
///
/// # Errors
/// A folder that cannot be read.
pub fn all(folder: &Path) -> Result<Vec<PathBuf>, VideoError> {
    let mut files = pictures_in(folder)?;
    order::sort_by_key(&mut files, |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        (words(&name), name.into_owned())
    });
    Ok(files)
}

fn pictures_in(folder: &Path) -> Result<Vec<PathBuf>, VideoError> {
    let entries = std::fs::read_dir(folder).map_err(|e| VideoError::file(folder, e))?;
    let mut files = Vec::new();
    for entry in entries {
        let file = entry.map_err(|e| VideoError::file(folder, e))?.path();
        if extension(&file) == "png" {
            files.push(file);
        }
    }
    Ok(files)
}

/// A part of a file name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    /// Digits without the zeros before them: the longer is the greater.
    Number(usize, String),
    /// The rest.
    Text(String),
}

fn words(name: &str) -> Vec<Word> {
    let letters: Vec<char> = name.chars().collect();
    letters
        .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
        .map(|word| {
            let text: String = word.iter().collect();
            if !word[0].is_ascii_digit() {
                return Word::Text(text);
            }
            let digits = text.trim_start_matches('0');
            Word::Number(digits.len(), digits.to_string())
        })
        .collect()
}

/// A picture that has been written but for its name.
pub struct Draft {
    file: BufWriter<NewFile>,
    path: PathBuf,
}

impl Draft {
    /// R, G, B, A bytes as a PNG.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn png(path: &Path, rgba: &[u8], (width, height): (u32, u32)) -> Result<Draft, VideoError> {
        let mut bytes = Vec::new();
        PngEncoder::new(&mut bytes)
            .write_image(rgba, width, height, ExtendedColorType::Rgba8)
            .map_err(|e| VideoError::wrong(format!("{}: {e}", path.display())))?;
        let mut file = create(path)?;
        let written = file.write_all(&bytes).and_then(|()| file.flush());
        written.map_err(|e| VideoError::file(path, e))?;
        let path = path.to_path_buf();
        Ok(Draft { file, path })
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// It cannot take its place.
    pub fn keep(self) -> Result<(), VideoError> {
        keep(self.file, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::of(Path::new(text)).unwrap().unwrap()
    }

    #[test]
    fn patterns_name_pictures() {
        assert_eq!(pattern("a/p-%03d.png").name(7), Path::new("a/p-007.png"));
        assert_eq!(pattern("%d.png").name(12), Path::new("./12.png"));
        let three = pattern("p%3d.png");
        assert_eq!(three.number(Path::new("p007.png")), Some(7));
        for other in ["p7.png", "p+07.png", "q007.png", "p007.PNG", "p.png"] {
            assert_eq!(three.number(Path::new(other)), None, "{other}");
        }
        assert!(Pattern::of(Path::new("out.png")).unwrap().is_none());
        for wrong in ["a-%d-%d.png", "a-%x.png", "a-%99d.png", "50%.png"] {
            assert!(Pattern::of(Path::new(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["p10.png", "p9.png", "p010.png", "a.png", "p1.txt", "P2.PNG"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = all(folder.path()).unwrap();
        let names: Vec<_> = found.iter().map(|p| p.file_name().unwrap()).collect();
        assert_eq!(names, ["P2.PNG", "a.png", "p9.png", "p010.png", "p10.png"]);
        let pattern = Pattern::of(&folder.path().join("p%d.png"))
            .unwrap()
            .unwrap();
        let found = pattern.find().unwrap();
        assert_eq!(
            found,
            [folder.path().join("p9.png"), folder.path().join("p10.png")]
        );
        std::fs::write(folder.path().join("p12.png"), "").unwrap();
        let gap = pattern.find().unwrap_err().to_string();
        assert!(gap.contains("p11.png is missing"), "{gap}");
    }
}
