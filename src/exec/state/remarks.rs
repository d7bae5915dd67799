//! What a run has to say without stopping: results that are defined here, and that hardware does not promise.

use crate::diagnostic::{Code, Diagnostic};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// One remark for each instruction and code: that of the first thread in launch order, whatever thread comes
/// upon it first.
#[derive(Debug, Default)]
pub struct Remarks {
    found: Mutex<BTreeMap<(u32, Code), (u32, Diagnostic)>>,
}

impl Remarks {
    /// Adds what thread `thread` remarks at op `pc`.
    pub fn add(&self, (thread, pc): (u32, u32), code: Code, remark: impl FnOnce() -> Diagnostic) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let first = found.get(&(pc, code)).is_none_or(|known| thread < known.0);
        if first {
            found.insert((pc, code), (thread, remark()));
        }
    }

    /// All of them, in the order of the program.
    pub fn taken(&self) -> Vec<Diagnostic> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let found = std::mem::take(&mut *found);
        found.into_values().map(|remark| remark.1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thread_speaks_for_all() {
        let remarks = Remarks::default();
        for (thread, pc) in [(5, 2), (3, 2), (4, 2), (9, 1)] {
            remarks.add((thread, pc), Code::W0882, || {
                Diagnostic::with_message(Code::W0882, format!("{thread} at {pc}"))
            });
        }
        let said: Vec<String> = remarks.taken().into_iter().map(|d| d.message).collect();
        assert_eq!(said, ["9 at 1", "3 at 2"]);
        assert_eq!(remarks.taken().len(), 0);
    }
}
