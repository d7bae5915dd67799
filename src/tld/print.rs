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
