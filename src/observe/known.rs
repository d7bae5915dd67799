//! What all threads of a watched run know of their program.

use super::uses::Facts;
use crate::diagnostic::Diagnostic;
use crate::exec::observer::{SpaceName, Spot, Start};
use crate::lower::STATELESS;
use crate::program::{Op, Program, Site, SymbolClass};
use crate::source::Span;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The program, worked out once.
#[derive(Debug)]
pub struct Known {
    /// What runs.
    pub program: Program,
    /// What reading operands needs.
    pub facts: Facts,
    /// Whether threads of a group may wait for each other.
    pub barriers: bool,
    /// Where predicates lie, and perhaps others among them.
    pub predicates: Range<u32>,
}

/// A place for [`Known`], filled by the first thread that starts.
#[derive(Debug, Default)]
pub struct Cell(OnceLock<Arc<Known>>);

impl Cell {
    /// The same for every thread of a run.
    pub fn get(&self, start: &Start<'_>) -> Arc<Known> {
        Arc::clone(self.of(start.program))
    }

    /// As [`Cell::get`], where no thread has been seen.
    pub fn of(&self, program: &Program) -> &Arc<Known> {
        self.0.get_or_init(|| {
            let program = program.clone();
            Arc::new(Known {
                facts: Facts::new(&program),
                predicates: predicates(&program),
                barriers: program.ops.iter().any(|op| matches!(op, Op::Barrier(_))),
                program,
            })
        })
    }

    /// What the first thread filled in; `None` before.
    pub fn seen(&self) -> Option<&Known> {
        self.0.get().map(|known| &**known)
    }
}

impl Known {
    /// Where op `pc` is in the text; `None` for the end of the program.
    pub fn span(&self, pc: u32) -> Option<Span> {
        let span = self.program.site(pc)?.span;
        (span != Span::default()).then_some(span)
    }

    /// The instruction at `pc` for people.
    pub fn instruction(&self, pc: u32) -> String {
        let Some(Site { opcode, .. }) = self.program.site(pc) else {
            return "the end of the program".to_string();
        };
        format!("`{}`", self.program.mnemonic(opcode))
    }

    /// Labels the instruction at `pc`, or names it in a note if it is not in the text.
    pub fn at(&self, diagnostic: Diagnostic, pc: u32, text: &str) -> Diagnostic {
        match self.span(pc) {
            Some(span) => diagnostic.at(span, text),
            None => diagnostic.note(format!("at {}: {text}", self.instruction(pc))),
        }
    }

    /// As [`Known::at`], for a second place; the same place gets no second label.
    pub fn and_at(&self, diagnostic: Diagnostic, pc: u32, text: &str) -> Diagnostic {
        match self.span(pc) {
            Some(span) => diagnostic.and_at(span, text),
            None => diagnostic.note(format!("{}: {text}", self.instruction(pc))),
        }
    }

    /// Arena bytes for people: the variable and the bytes in it.
    pub fn bytes(&self, offset: u32, size: u32) -> String {
        let Some(owner) = self.program.owner(offset) else {
            return format!("register bytes {offset}..{}", offset + size);
        };
        let first = offset - owner.range.start;
        let name = &owner.name;
        let of = owner
            .function
            .and_then(|f| self.program.functions.get(f as usize));
        let of = of.map_or(String::new(), |f| format!(" of function `{}`", f.name));
        if size == 1 {
            format!("byte {first} of `{name}`{of}")
        } else {
            format!("bytes {first}..={} of `{name}`{of}", first + size - 1)
        }
    }

    /// A memory for people.
    pub fn space(&self, name: SpaceName) -> String {
        space(&self.program, name)
    }

    /// Whether a byte is one of a predicate.
    #[inline]
    pub fn is_predicate(&self, offset: u32) -> bool {
        self.predicates.contains(&offset) && self.class(offset) == Some(SymbolClass::Predicate)
    }

    /// Storage class of the variable that owns a byte.
    pub fn class(&self, offset: u32) -> Option<SymbolClass> {
        self.program.owner(offset).map(|o| o.class)
    }
}

/// The bytes from the first predicate to the last.
fn predicates(program: &Program) -> Range<u32> {
    let owners = program.owners.iter();
    let own = owners.filter(|o| o.class == SymbolClass::Predicate);
    let (mut first, mut end) = (u32::MAX, 0);
    for owner in own {
        (first, end) = (first.min(owner.range.start), end.max(owner.range.end));
    }
    first..end
}

/// A memory for people.
pub fn space(program: &Program, space: SpaceName) -> String {
    match space {
        SpaceName::Surface(index) => {
            // The name of a variable that starts with this index; programs may store others.
            let named = program.surface_names.iter().find(|(at, _)| {
                let bytes = program.image.get(*at as usize..);
                let first = bytes.and_then(<[u8]>::first_chunk);
                first.is_some_and(|b| u32::from_le_bytes(*b) == index)
            });
            match named {
                Some((_, name)) if program.platform.is_gen5() && index == STATELESS => {
                    format!("stateless memory (`{name}`)")
                }
                Some((_, name)) => format!("surface {index} (`{name}`)"),
                None => format!("surface {index}"),
            }
        }
        SpaceName::Shared => "shared local memory".to_string(),
        SpaceName::Scratch => "scratch memory".to_string(),
        SpaceName::Flat => "memory at 64-bit addresses".to_string(),
        SpaceName::Private => "the thread's private memory".to_string(),
    }
}

/// What an access names, for people.
pub fn spot(spot: Spot) -> String {
    match spot {
        Spot::Byte(address) => format!("byte {address:#x}"),
        Spot::Texel([u, v, r, lod]) => format!("texel u={u} v={v} r={r}, level {lod}"),
        Spot::Block(x, y) => format!("byte column {x}, row {y}"),
    }
}

/// A lane, or all of them together, for people.
pub fn lane(lane: Option<u8>) -> String {
    match lane {
        Some(lane) => format!("lane {lane}"),
        None => "all lanes".to_string(),
    }
}
