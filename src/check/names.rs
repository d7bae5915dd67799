//! What a name means at a place: built-in names, and declared ones by scope, innermost first.
//!
//! One table holds general, address, predicate, sampler and surface variables together. Source: vISA
//! text reference 1.2, 2.1 and 3.

use super::{Storage, VarId, Variable};
use crate::base::order;
use crate::isa::predefined::{BINDLESS_SAMPLER, PREDEFINED, SURFACES, elements};
use crate::source::Span;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What was found under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// A variable.
    Variable(VarId),
    /// A declaration with an error, reported already: uses of it are not worth another word.
    Broken,
}

/// The names that can be seen at the current line.
///
/// Lookups cost the same however deep the scopes nest: each name keeps a stack of its own.
#[derive(Default)]
pub(super) struct Names<'m> {
    bound: HashMap<&'m str, Vec<Bound>>,
    scopes: Vec<Vec<&'m str>>,
}

struct Bound {
    depth: usize,
    binding: Binding,
    span: Span,
}

impl<'m> Names<'m> {
    /// How many scopes are open; 0 is the kernel itself.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// `{`.
    pub fn open(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// `}`; false if no scope was open.
    pub fn close(&mut self) -> bool {
        let Some(names) = self.scopes.pop() else {
            return false;
        };
        for name in names {
            if let Some(stack) = self.bound.get_mut(name) {
                stack.pop();
            }
        }
        true
    }

    /// Binds `name` in the innermost scope; gives the place of an earlier binding there instead, if any.
    pub fn bind(&mut self, name: &'m str, binding: Binding, span: Span) -> Result<(), Span> {
        let depth = self.scopes.len();
        let stack = self.bound.entry(name).or_default();
        if let Some(earlier) = stack.last().filter(|b| b.depth == depth) {
            return Err(earlier.span);
        }
        stack.push(Bound {
            depth,
            binding,
            span,
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
        }
        Ok(())
    }

    /// The meaning of `name` here.
    pub fn find(&self, name: &str) -> Option<Binding> {
        match self.bound.get(name).and_then(|stack| stack.last()) {
            Some(bound) => Some(bound.binding),
            None => built_in(name).map(Binding::Variable),
        }
    }

    /// Every declared name that can be seen, in no order.
    pub fn declared(&self) -> impl Iterator<Item = &str> {
        let declared = self.bound.iter().filter(|(_, stack)| !stack.is_empty());
        declared.map(|(name, _)| *name)
    }

    /// Every spelling of a built-in variable, in no order.
    pub fn spellings(&self) -> impl Iterator<Item = &'static str> {
        SPELLINGS.keys().map(String::as_str)
    }
}

/// Every spelling of a built-in variable: `%r0` and `V7` name the same one.
static SPELLINGS: LazyLock<HashMap<String, VarId>> = LazyLock::new(|| {
    let general = PREDEFINED.iter().zip(0..).flat_map(|(row, id)| {
        [
            (format!("%{}", row.1), VarId(id)),
            (format!("V{}", row.0), VarId(id)),
        ]
    });
    let first_surface = PREDEFINED.len() as u32;
    let surfaces = SURFACES
        .iter()
        .zip(first_surface..)
        .map(|(row, id)| (row.1.to_string(), VarId(id)));
    let sampler = (
        BINDLESS_SAMPLER.to_string(),
        VarId(first_surface + SURFACES.len() as u32),
    );
    general.chain(surfaces).chain([sampler]).collect()
});

/// The built-in variable with this spelling.
pub(super) fn built_in(name: &str) -> Option<VarId> {
    SPELLINGS.get(name).copied()
}

/// The spellings of the built-in variables with their ids, in the order of the ids.
pub(super) fn built_in_names() -> Vec<(String, VarId)> {
    let mut names: Vec<_> = SPELLINGS.iter().map(|(n, v)| (n.clone(), *v)).collect();
    order::sort_by(&mut names, |a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    names
}

/// The variables every unit starts with: general ones by id, surfaces by index, the bindless sampler.
pub(super) fn built_in_variables(grf_bytes: u32) -> Vec<Variable> {
    let variable = |name: String, storage| Variable {
        name,
        span: Span::default(),
        storage,
        predefined: true,
    };
    let general = PREDEFINED.iter().zip(0..).map(|(row, id)| {
        let (_, name, ty, ..) = *row;
        let elements = elements(row, grf_bytes);
        let whole = elements * ty.bytes() >= 32;
        let align = if whole { grf_bytes } else { ty.bytes().max(2) };
        variable(
            format!("%{name}"),
            Storage::General {
                ty,
                elements,
                align,
                root: VarId(id),
                offset: 0,
            },
        )
    });
    let surfaces = SURFACES
        .iter()
        .map(|&(index, name)| variable(name.to_string(), Storage::Surface { elements: 1, index }));
    let sampler = variable(
        BINDLESS_SAMPLER.to_string(),
        Storage::Sampler {
            elements: 1,
            index: 31,
        },
    );
    general.chain(surfaces).chain([sampler]).collect()
}

/// The candidate most like `name`, if one is close enough to be meant.
pub(super) fn most_like<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = match name.len() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    candidates
        .filter(|c| c.len().abs_diff(name.len()) <= limit)
        .map(|c| (distance(name.as_bytes(), c.as_bytes()), c))
        .filter(|(d, c)| *d <= limit && *d < c.len())
        .min()
        .map(|(_, c)| c)
}

/// How many letters must be put in, taken out or replaced to make `b` from `a`.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_names_hide_outer_ones_and_go_with_their_scope() {
        let mut names = Names::default();
        let at = |start| Span::new(start, start + 1);
        let outer = Binding::Variable(VarId(40));
        let inner = Binding::Variable(VarId(41));
        assert_eq!(names.bind("A", outer, at(0)), Ok(()));
        names.open();
        assert_eq!(names.find("A"), Some(outer));
        assert_eq!(names.bind("A", inner, at(1)), Ok(()));
        assert_eq!(names.bind("A", inner, at(2)), Err(at(1)));
        assert_eq!(names.find("A"), Some(inner));
        assert!(names.close());
        assert_eq!(names.find("A"), Some(outer));
        assert!(!names.close());
    }

    #[test]
    fn both_spellings_of_a_built_in_are_one_variable() {
        assert_eq!(built_in("%r0"), Some(VarId(7)));
        assert_eq!(built_in("V7"), Some(VarId(7)));
        assert_eq!(built_in("T0"), None);
        let variables = built_in_variables(32);
        let slm = built_in("%slm").map(|v| variables[v.0 as usize].storage.clone());
        assert_eq!(
            slm,
            Some(Storage::Surface {
                elements: 1,
                index: 0
            })
        );
    }

    #[test]
    fn a_slip_of_one_letter_is_recognised() {
        assert_eq!(distance(b"V0032", b"V0023"), 2);
        assert_eq!(
            most_like("V0O32", ["V0032", "T6"].into_iter()),
            Some("V0032")
        );
        assert_eq!(most_like("blk", ["P1", "T6"].into_iter()), None);
    }
}
