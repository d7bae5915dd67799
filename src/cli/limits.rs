//! What a command may take of the machine: memory and time.

use crate::harness::session;
use crate::surface::ledger::{Deadline, Ledger, USUAL_MEMORY};
use std::sync::Arc;
use std::time::Duration;

/// Limits of a run as a whole.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Limits {
    /// Bytes that all surfaces and buffers of a run may have together (L0606): 512M, 8G; 4G without it.
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Limits")]
    max_memory: Option<u64>,
    /// End a run, or each test, after this many seconds (L0761): 2.5; none lets it go on.
    ///
    /// Without it 50 for programs that run, and no limit for check and video.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    timeout: Option<Time>,
}

/// `--timeout`.
#[derive(Clone, Copy, Debug)]
pub enum Time {
    /// So long.
    After(Duration),
    /// As long as it takes.
    Never,
}

/// The time of a run where nothing is said.
const USUAL_TIME: Duration = Duration::from_secs(50);

/// Limits of a run as a whole, and of its threads.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct RunLimits {
    /// Stop a thread after this many instructions.
    #[arg(long, value_name = "N", default_value_t = session::Options::default().limit, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    max_steps: u64,
    /// Stop after this many instructions of all threads together (L0607).
    #[arg(long, value_name = "N", default_value_t = session::Options::default().total, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    max_total_steps: u64,
    #[command(flatten)]
    whole: Limits,
}

impl RunLimits {
    /// The memory and the time of a run, which begins now.
    pub fn ledger(&self) -> Arc<Ledger> {
        self.whole
            .ledger(self.whole.of_run().and_then(Deadline::after))
    }

    /// The memory of a run whose time is counted by who steps through it.
    pub fn untimed(&self) -> Arc<Ledger> {
        self.whole.ledger(None)
    }

    /// How a program runs within them, all else as usual.
    pub fn options(&self) -> session::Options {
        session::Options {
            limit: self.max_steps,
            total: self.max_total_steps,
            timeout: self.whole.of_run(),
            ..session::Options::default()
        }
    }
}

impl Limits {
    /// The memory of what is done until then.
    pub fn ledger(&self, deadline: Option<Deadline>) -> Arc<Ledger> {
        Ledger::until(self.max_memory.unwrap_or(USUAL_MEMORY), deadline)
    }

    /// The time that a program may run.
    pub fn of_run(&self) -> Option<Duration> {
        match self.timeout {
            None => Some(USUAL_TIME),
            Some(_) => self.asked_time(),
        }
    }

    /// The time that was asked for.
    pub fn asked_time(&self) -> Option<Duration> {
        match self.timeout {
            Some(Time::After(time)) => Some(time),
            Some(Time::Never) | None => None,
        }
    }
}

/// Reads a time for clap.
fn seconds(text: &str) -> Result<Time, String> {
    if text == "none" {
        return Ok(Time::Never);
    }
    let time = text.parse().ok();
    let time = time.and_then(|s| Duration::try_from_secs_f64(s).ok());
    let time = time.filter(|time| !time.is_zero()).map(Time::After);
    time.ok_or_else(|| "expected a number of seconds above 0, or none".to_string())
}

/// Reads a number of bytes for clap.
fn bytes(text: &str) -> Result<u64, String> {
    let (number, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number = number.parse::<u64>().ok();
    let all = number.and_then(|n| n.checked_mul(1 << shift));
    all.ok_or_else(|| "expected a number of bytes, such as 1048576, 512M or 8G".to_string())
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn bytes_have_units() {
        let all = ["7", "3K", "512M", "8G"].map(|text| bytes(text).ok());
        assert_eq!(
            all,
            [Some(7), Some(3 << 10), Some(512 << 20), Some(8 << 30)]
        );
        for text in ["", "G", "-1", "1T", "99999999999G", "1.5G", "é"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
