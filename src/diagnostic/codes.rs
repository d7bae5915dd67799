//! Every code, once: class, title, and the long text of `visim explain`.
//!
//! Ranges: 01xx reading text; 02xx names, declarations, inputs; 03xx message instructions; 04xx
//! operands, regions, types; 05xx flow; 06xx running; 07xx files, bindings, directives.
//! `E` error, `U` undefined, `N` not modelled (unsupported), `L` limit, `W` warning.

use super::Class;

/// What is known of a code.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// As printed, `E0301`.
    pub name: &'static str,
    /// Whose move it is.
    pub class: Class,
    /// The usual title.
    pub title: &'static str,
    /// The long text: the rule, why it is there, an example and its mend.
    pub explanation: &'static str,
}

macro_rules! codes {
    ($($name:ident $class:ident $title:literal $explanation:literal)+) => {
        /// A stable diagnostic code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $title] $name),+ }

        /// Every code.
        pub static CODES: &[CodeInfo] = &[$(CodeInfo {
            code: Code::$name,
            name: stringify!($name),
            class: Class::$class,
            title: $title,
            explanation: $explanation,
        }),+];
    };
}

codes! {
    E0101 Error "unexpected text"
"A statement did not read as vISA: the note lists what could have stood at the place marked.

Statements stand one per line; operands are separated by blanks, never by commas.

    mov (M1, 8) D0(0,0)<1> D1(0,0)        // a source needs a region
    mov (M1, 8) D0(0,0)<1> D1(0,0)<1;1,0> // mended"
    N0601 Unsupported "instruction is not modelled"
"The instruction is legal vISA and is read, printed and checked, but visim does not execute it yet.
The note names the section that defines it. This is not a fault of the program."
}

impl Code {
    /// The row of this code.
    pub fn info(self) -> &'static CodeInfo {
        &CODES[self as usize]
    }

    /// Reads `E0301`, in either case.
    pub fn from_name(name: &str) -> Option<Code> {
        CODES
            .iter()
            .find(|c| c.name.eq_ignore_ascii_case(name))
            .map(|c| c.code)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.info().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_tells_the_class() {
        for info in CODES {
            let class = match &info.name[..1] {
                "E" => Class::Error,
                "U" => Class::Undefined,
                "N" => Class::Unsupported,
                "L" => Class::Limit,
                "W" => Class::Warning,
                other => panic!("{}: no class {other}", info.name),
            };
            assert_eq!(info.class, class, "{}", info.name);
            assert!(
                info.explanation.len() > info.title.len(),
                "{} wants a long text",
                info.name
            );
        }
    }
}
