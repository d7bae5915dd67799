//! What messages may do with a format, generation by generation: the columns of first generations.
//!
//! Source: surface reference 1.1, `sample_since` to `typed_read_since`.

use super::super::{Kind, Refused, Surface};
use super::FormatInfo;
use crate::isa::Generation;

/// What a message does with texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `sample…`, `gather4…` and `ld…` read them.
    Sample,
    /// The sampler blends them.
    Filter,
    /// A render target message writes them.
    Render,
    /// `scatter4_typed` writes them.
    TypedWrite,
    /// `gather4_typed` reads them.
    TypedRead,
}

impl Access {
    /// The table's column.
    const fn column(self) -> &'static str {
        match self {
            Access::Sample => "surface reference 1.1, column `sample_since`",
            Access::Filter => "surface reference 1.1, column `filter_since`",
            Access::Render => "surface reference 1.1, column `render_since`",
            Access::TypedWrite => "surface reference 1.1, column `typed_write_since`",
            Access::TypedRead => "surface reference 1.1, column `typed_read_since`",
        }
    }

    /// Who does it.
    const fn does(self) -> &'static str {
        match self {
            Access::Sample => "sampler reads",
            Access::Filter => "sampler filters",
            Access::Render => "render target has",
            Access::TypedWrite => "typed message writes",
            Access::TypedRead => "typed message reads",
        }
    }
}

impl FormatInfo {
    /// First generation with an access; `None` for never.
    pub const fn first(&self, access: Access) -> Option<Generation> {
        match access {
            Access::Sample => self.sample,
            Access::Filter => self.filter,
            Access::Render => self.render,
            Access::TypedWrite => self.typed_write,
            Access::TypedRead => self.typed_read,
        }
    }

    /// Whether a generation has an access.
    pub fn allows(&self, access: Access, generation: Generation) -> bool {
        let first = self.first(access);
        first.is_some_and(|first| first <= generation)
    }
}

impl Surface {
    /// Whether the surface's generation has an access to its format; a null surface has all.
    ///
    /// `what` begins the sentence, up to the format: "a sample from".
    ///
    /// # Errors
    /// [`Refused`] names the format, the first generation that has the access, and the surface's own.
    pub fn allow(&self, access: Access, what: &str) -> Result<(), Refused> {
        let (format, generation) = (self.format(), self.description().generation);
        if format.allows(access, generation) || self.kind() == Kind::Null {
            return Ok(());
        }
        let does = access.does();
        let why = match format.first(access) {
            None => format!("{what} {format}, which no generation's {does}"),
            Some(first) => {
                format!(
                    "{what} {format}, which no {does} before {first}; the surface is {generation}'s"
                )
            }
        };
        Err(Refused::error(why, access.column()))
    }
}
