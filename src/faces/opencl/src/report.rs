//! What users see beside the results of their program: why a kernel did not run, what watches over it found, what it
//! counted. It goes to standard error, or to the file that `VISIM_LOG` names.

use crate::object::lock;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, OnceLock};

/// The file of `VISIM_LOG`; none, where that is not given or cannot be written.
fn file() -> Option<&'static Mutex<File>> {
    static FILE: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    let open = || {
        let path = std::env::var_os("VISIM_LOG")?;
        match File::options().create(true).append(true).open(&path) {
            Ok(file) => Some(Mutex::new(file)),
            Err(error) => {
                eprintln!("visim: VISIM_LOG: {}: {error}", path.display());
                None
            }
        }
    };
    FILE.get_or_init(open).as_ref()
}

/// Says something; a line break is added where none is.
pub fn say(what: &str) {
    let end = if what.ends_with('\n') { "" } else { "\n" };
    let text = format!("{what}{end}");
    let written = match file() {
        Some(file) => lock(file).write_all(text.as_bytes()),
        None => std::io::stderr().write_all(text.as_bytes()),
    };
    // Nobody is left to be told.
    let _ = written;
}
