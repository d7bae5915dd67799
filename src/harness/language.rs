//! The languages that visim reads, told apart by the ending of a file.

use crate::sends;
use std::path::Path;

/// What a text is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Language {
    /// vISA assembly: `.visa`, `.visaasm`, and every file that is none of the others.
    #[default]
    Visa,
    /// Texture loads of NVIDIA: `.tld`.
    Tld,
    /// Programs made of sends: `.send`.
    Send,
}

impl Language {
    /// Endings of the files that a walk through folders takes for programs.
    const ENDINGS: [(&'static str, Language); 4] = [
        ("visa", Language::Visa),
        ("visaasm", Language::Visa),
        ("tld", Language::Tld),
        (sends::EXTENSION, Language::Send),
    ];

    /// The language that the ending of a name stands for.
    pub fn of(path: &Path) -> Language {
        Language::by_ending(path).unwrap_or_default()
    }

    /// The same, `None` for endings that stand for none.
    pub fn by_ending(path: &Path) -> Option<Language> {
        let ending = path.extension()?;
        let known = Language::ENDINGS.iter().find(|known| ending == known.0);
        known.map(|known| known.1)
    }
}
