//! The instruction as the disassembler writes it.
//!
//! ```text
//! @!P0 TLD.B.LZ.AOFFI.NODEP.T P3, R208, R102, R108, 0x0, 2D, 0xf ;
//! guard    modifiers, always   Ps  Rd    Ra    Rb   index dim mask
//!          in this order       └ not if PT   └ not if RZ    └ always
//! ```
//!
//! Source: TLD reference 1.1.

use super::instruction::{Guard, Handle, Lod, Phase, Pred, Tld};
use super::parse::parse;
use super::rules::Strictness;
use crate::diagnostic::Diagnostic;
use crate::source::Source;
use std::fmt::{self, Display, Formatter};

/// The modifiers in their order, each with its dot, as they follow `TLD`.
pub fn modifiers(tld: &Tld) -> String {
    let flag = |there: bool, text: &'static str| if there { text } else { "" };
    [
        flag(tld.handle == Handle::Bindless, ".B"),
        match tld.lod {
            Lod::Zero => ".LZ",
            Lod::Given => ".LL",
        },
        flag(tld.aoffi, ".AOFFI"),
        flag(tld.ms, ".MS"),
        flag(tld.cl, ".CL"),
        flag(tld.nodep, ".NODEP"),
        match tld.phase {
            Phase::None => "",
            Phase::T => ".T",
            Phase::P => ".P",
            Phase::Invalid => ".INVALIDPHASE3",
        },
    ]
    .concat()
}

impl Display for Guard {
    /// `@P0`, `@!P0`; nothing for [`Guard::ALWAYS`].
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if *self == Guard::ALWAYS {
            return Ok(());
        }
        write!(f, "@{}{}", if self.negated { "!" } else { "" }, self.pred)
    }
}

impl Display for Tld {
    /// The statement from guard to mask, without its end.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.guard != Guard::ALWAYS {
            write!(f, "{} ", self.guard)?;
        }
        write!(f, "TLD{} ", modifiers(self))?;
        if self.ps != Pred::PT {
            write!(f, "{}, ", self.ps)?;
        }
        write!(f, "{}, {}, ", self.rd, self.ra)?;
        if !self.rb.is_rz() {
            write!(f, "{}, ", self.rb)?;
        }
        write!(
            f,
            "{:#x}, {}, {:#x}",
            self.handle.index(),
            self.dim,
            self.mask
        )
    }
}

/// A file with its statements as the disassembler writes them; comments and decorations stay where they are.
///
/// With the diagnostics of reading it: where one is fatal, the text is not to be used.
pub fn canonical(source: &Source) -> (String, Vec<Diagnostic>) {
    let (statements, diagnostics) = parse(source, Strictness::Lenient);
    let text = source.text();
    let (mut printed, mut at) = (String::with_capacity(text.len()), 0);
    for statement in &statements {
        let span = statement.tld.span.start as usize..statement.tld.span.end as usize;
        let (Some(before), Some(written)) = (text.get(at..span.start), text.get(span.clone()))
        else {
            continue;
        };
        // Blanks in front of a statement that begins its line go; a decoration there keeps them.
        let line = before.rfind('\n').map_or(0, |n| n + 1);
        match before[line..].trim() {
            "" => printed.push_str(&before[..line]),
            "{" => {
                printed.push_str(&before[..line]);
                printed.push_str("{ ");
            }
            _ => printed.push_str(before),
        }
        // A comment between operands has no place in the printed form.
        if written.contains("/*") {
            printed.push_str(written);
        } else {
            printed.push_str(&statement.tld.node.to_string());
        }
        let rest = &text[span.end..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        at = span.end;
        if rest[blanks..].starts_with([';', '}']) {
            printed.push(' ');
            at += blanks;
        }
    }
    printed.push_str(&text[at..]);
    (printed, diagnostics)
}
