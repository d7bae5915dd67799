//! What is found out about a program once, by whoever runs it, and kept for its next run.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// Something that a program keeps for whoever runs it. A copy of the program begins with nothing.
#[derive(Default)]
pub struct Memo(OnceLock<Box<dyn Any + Send + Sync>>);

impl Memo {
    /// What is kept, made if it is not there yet. There is one kind of it.
    pub fn get<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T {
        let kept = self.0.get_or_init(|| Box::new(make()));
        kept.downcast_ref().expect("there is one kind")
    }
}

impl Clone for Memo {
    fn clone(&self) -> Memo {
        Memo::default()
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() {
            "kept"
        } else {
            "nothing"
        })
    }
}
