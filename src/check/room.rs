//! What is said of a variable that does not hold what a message moves, before a run and in it.

use crate::diagnostic::Code;

/// A variable that is too small for a message.
pub struct Room<'a> {
    /// Its name.
    pub name: &'a str,
    /// Bytes from the operand to its end.
    pub there: u64,
    /// Bytes that the message moves.
    pub moved: u64,
    /// They are written.
    pub written: bool,
}

impl Room<'_> {
    /// The code.
    pub const fn code(&self) -> Code {
        match self.written {
            true => Code::U0320,
            false => Code::U0321,
        }
    }

    /// What is wrong.
    pub fn title(&self) -> String {
        let what = match self.written {
            true => "the result",
            false => "the message",
        };
        format!("{} is too small for {what}", self.name)
    }

    /// The numbers.
    pub fn label(&self) -> String {
        let Room { there, moved, .. } = self;
        format!("{there} bytes from here to the end, {moved} are moved")
    }

    /// The declaration that would do: `elements` of the variable that owns the bytes.
    pub fn help(owner: &str, elements: u64) -> String {
        format!("num_elts={elements}   // on {owner}")
    }
}
