//! Mistakes of visim itself: what is said where the program panics, and what to send.

use std::any::Any;
use std::panic;

/// What to do about such a mistake.
pub const REPORT: &str = "a mistake of visim, whatever the file: please report it with the file, the command line and `visim --version`";

/// Lets a panic say in two lines where it was and what to do. The backtrace follows where it is asked for.
pub fn install() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let place = info.location().map(|at| format!(" at {at}"));
        let what = message(info.payload());
        eprintln!(
            "visim: internal error{}: {what}\nvisim: {REPORT}",
            place.unwrap_or_default()
        );
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|asked| asked != "0") {
            usual(info);
        }
    }));
}

/// What a panic says, in one line.
pub fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no words").replace('\n', " ")
}
