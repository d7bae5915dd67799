//! The predicate of a send, as a listing writes it. Source: lowering reference 1.7.

use super::Send;
use crate::check::{Storage, Unit};
use crate::isa::Platform;
use crate::syntax::ast::PredicateGroup;

impl Send {
    /// `~f0.0`, `f0.0.any16h`: any and all keep the width of the flag. The flag is the first one, as the
    /// lowering corpus has it; nothing without a predicate.
    pub fn guard(&self, unit: &Unit, platform: Platform) -> Option<String> {
        let predicate = self.predicate.as_ref()?;
        let flag = if predicate.inverted { "~f0.0" } else { "f0.0" };
        let group = match predicate.group {
            None => return Some(flag.into()),
            Some(PredicateGroup::Any) => "any",
            Some(PredicateGroup::All) => "all",
        };
        let bits = match unit.variable(predicate.var).storage {
            Storage::Predicate { bits } => bits.next_power_of_two(),
            _ => self.exec.size,
        };
        Some(match platform.native_lanes() {
            // Of a flag of more lanes a comparison makes one bit for each of these, as seen in the finalizer.
            16 if bits > self.exec.size => flag.into(),
            16 => format!("{flag}.{group}"),
            _ => format!("{flag}.{group}{bits}h"),
        })
    }
    /// What is before the instruction and after its name: `(W&f0.0)`, `(16|M8)`.
    pub fn around(&self, unit: &Unit, platform: Platform) -> (String, String) {
        let all = self.exec.no_mask.then(|| "W".to_string());
        let guard: Vec<String> = all.into_iter().chain(self.guard(unit, platform)).collect();
        let front = match guard.is_empty() {
            true => String::new(),
            false => format!("({})", guard.join("&")),
        };
        let lanes = format!("({}|M{})", self.exec.size, self.exec.offset);
        (front, lanes)
    }
}
