//! Which tests run: by patterns, by the share of a machine, by how they ended the last time.

use super::record::Record;
use crate::base::order;
use crate::files::write_whole;
use crate::harness::case::Status;
use crate::harness::compile::cache;
use crate::harness::load;
use glob::{MatchOptions, Pattern};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// The options that choose.
#[derive(Debug, clap::Args)]
pub struct Selection {
    /// Run only tests whose name (the path) has this in it: --filter avs, --filter 'lsc/*-d64?.visa'.
    ///
    /// `*` is any text, `?` any character, `[ab]` one of several. Of several options one has to fit.
    #[arg(long, value_name = "PATTERN", help_heading = "Selection")]
    filter: Vec<String>,
    /// The patterns of --filter and --skip are whole names: --exact --filter samples/02-regions.visa.
    #[arg(long, help_heading = "Selection")]
    exact: bool,
    /// Leave out tests whose name has this in it: --skip slow --skip 'k*/big-?.visa'.
    #[arg(long, value_name = "PATTERN", help_heading = "Selection")]
    skip: Vec<String>,
    /// Run the K-th of N shares of the tests: --partition 2/4 on the second of four machines.
    ///
    /// A test's share follows from its name alone (FNV-1a), so that it stays where it is when others are added.
    #[arg(long, value_name = "K/N", value_parser = share, help_heading = "Selection")]
    partition: Option<(u64, u64)>,
    /// Run only the tests that failed in the last run in this folder: --rerun failed.
    #[arg(long, value_name = "failed", value_parser = ["failed"], help_heading = "Selection")]
    rerun: Option<String>,
}

/// Reads `2/4` for clap.
fn share(text: &str) -> Result<(u64, u64), String> {
    let numbers = text.split_once('/');
    let numbers = numbers.and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    numbers.filter(|&(k, n)| 0 < k && k <= n).ok_or_else(|| {
        "expected the number of a share and how many there are, such as 2/4".to_string()
    })
}

/// FNV-1a of 64 bits: the same on every machine and in every release.
pub fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Selection {
    /// The test of a name: whether it is chosen.
    ///
    /// # Errors
    /// A sentence: a pattern cannot be read.
    pub fn chooser(&self) -> Result<impl Fn(&str) -> bool, String> {
        let (filters, skips) = (self.patterns(&self.filter)?, self.patterns(&self.skip)?);
        let failed = self.rerun.as_ref().map(|_| last_failed());
        let share = self.partition;
        let fits = |patterns: &[Pattern], name: &str| {
            let options = MatchOptions::new();
            patterns.iter().any(|p| p.matches_with(name, options))
        };
        Ok(move |name: &str| {
            (filters.is_empty() || fits(&filters, name))
                && !fits(&skips, name)
                && share.is_none_or(|(k, n)| hash(name) % n == k - 1)
                && failed.as_ref().is_none_or(|failed| failed.contains(name))
        })
    }

    /// Why nothing may be left that is no mistake: a share may be empty, and so may be what failed.
    pub fn may_be_empty(&self) -> bool {
        self.partition.is_some() || self.rerun.is_some()
    }

    /// The patterns that were asked for, to be named in a message.
    pub fn asked(&self) -> String {
        self.filter.join("` or `")
    }

    fn patterns(&self, texts: &[String]) -> Result<Vec<Pattern>, String> {
        let read = |text: &String| {
            let whole = match self.exact {
                true => text.clone(),
                false => format!("*{text}*"),
            };
            Pattern::new(&whole).map_err(|e| format!("`{text}` is not a pattern: {}", e.msg))
        };
        texts.iter().map(read).collect()
    }
}

/// The longest list of names that failed, in bytes.
const MOST_NAMES: u64 = 64 << 20;

/// Where the names of the tests that failed are kept, for the folder that the command runs in.
fn kept() -> Option<PathBuf> {
    let folder = std::env::current_dir().ok()?;
    let name = format!("failed-{:016x}.txt", hash(&folder.to_string_lossy()));
    Some(cache().join(name))
}

fn last_failed() -> BTreeSet<String> {
    let text = kept().and_then(|path| load::text(&path, MOST_NAMES).ok());
    let text = text.unwrap_or_default();
    text.lines().map(str::to_string).collect()
}

/// Keeps which tests failed: of those that ran now, and of those that did not run what was known.
///
/// # Errors
/// The cache cannot be written.
pub fn keep(records: impl Iterator<Item = (String, Status)>) -> std::io::Result<()> {
    let Some(path) = kept() else { return Ok(()) };
    let before = last_failed();
    let mut failed = before.clone();
    for (name, status) in records {
        match status {
            Status::Passed | Status::KnownFailure => failed.remove(&name),
            Status::Failed | Status::NoExpectation | Status::Unsupported => failed.insert(name),
        };
    }
    if failed == before {
        return Ok(());
    }
    fs::create_dir_all(cache())?;
    let lines: Vec<String> = failed.into_iter().map(|name| name + "\n").collect();
    write_whole(&path, lines.concat().as_bytes())
}

/// The tests that took longest, of all that ran.
pub fn slowest(records: &mut [(String, f64)], count: usize) -> String {
    order::sort_by(records, |a, b| b.1.total_cmp(&a.1));
    let lines = records.iter().take(count);
    let lines = lines.map(|(name, time)| format!("{time:>10.3} s  {name}\n"));
    format!("\nslowest tests:\n{}", lines.collect::<String>())
}

/// What [`keep`] and [`slowest`] need of a test: its name, how it ended, its seconds.
pub type Outline = (String, Status, f64);

/// That of a record.
pub fn outline(record: &Record) -> Outline {
    (record.name.clone(), record.status, record.time)
}

#[cfg(test)]
mod tests {
    use super::{hash, share};

    #[test]
    fn the_hash_is_that_of_fnv() {
        // The test vectors of the algorithm's authors.
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn shares_count_from_one() {
        assert_eq!(share("2/4"), Ok((2, 4)));
        for text in ["0/4", "5/4", "2", "a/b", "1/0", "-1/2"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
