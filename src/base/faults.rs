//! Faults that a test injects: the n-th of some calls to the system fails, `VISIM_FAULT=read:3`.
//!
//! Only a build with the feature `faults` has them; otherwise every call here is nothing.

use std::io;

/// A call that may be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Memory for a surface or a buffer.
    Allocate,
    /// A file opened or read.
    Read,
    /// A temporary file made, written or completed.
    Write,
    /// A file given its name.
    Rename,
    /// A host thread started.
    Thread,
    /// A test begun, which panics.
    Test,
}

/// Counts a call.
///
/// # Errors
/// It is the one that is to fail.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub fn hit(_: Call) -> io::Result<()> {
    Ok(())
}

/// Counts a call.
///
/// # Errors
/// It is the one that is to fail.
#[cfg(feature = "faults")]
pub fn hit(call: Call) -> io::Result<()> {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    static ASKED: OnceLock<Option<(Call, u64)>> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let asked = ASKED.get_or_init(|| {
        let text = std::env::var("VISIM_FAULT").ok()?;
        let (name, number) = text.split_once(':')?;
        let calls = [
            Call::Allocate,
            Call::Read,
            Call::Write,
            Call::Rename,
            Call::Thread,
            Call::Test,
        ];
        let call = calls
            .into_iter()
            .find(|call| format!("{call:?}").eq_ignore_ascii_case(name))?;
        Some((call, number.parse().ok()?))
    });
    match asked {
        Some((this, number)) if *this == call && COUNT.fetch_add(1, Relaxed) + 1 == *number => {
            Err(io::Error::other("injected fault"))
        }
        _ => Ok(()),
    }
}
