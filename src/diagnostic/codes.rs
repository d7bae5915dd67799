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
    E0701 Error "directive cannot be read"
"A comment begins with the word of a directive, or an option was given, but what follows does not read.
The help line shows the form.

    // SURFACE T6 R8_UNORM 64x32      // the colon behind the name is missing
    // SURFACE T6: R8_UNORM 64x32     // mended"
    E0702 Error "file cannot be used"
"A file named by a directive or an option is missing, shorter than the surface needs, or not what its
name says. The note gives the sizes. Nothing was run and nothing was written."
    E0703 Error "surface is not bound"
"The program touches a surface that no directive and no option put anything behind. Every surface a
message reaches needs one:

    // SURFACE T6: photo.png as R8G8B8A8_UNORM      in the file, or
    visim run k.visa --surface T6=photo.png:R8G8B8A8_UNORM"
    E0704 Error "name is not declared"
"A directive or an option names a variable, surface, sampler or kernel that the program does not declare.
Names are those of the text, upper and lower case told apart."
    E0705 Error "binding is not possible"
"A directive or an option asks for something that cannot be: an unknown format, a surface of no size, a
size the file does not have, a key without meaning, one binding table index taken twice."
    E0706 Error "value does not fit"
"A value in SET or --set is not a number of the type behind the colon, or there are more values than the
variable has room for.

    // SET V32 = 300:ub      // a ub holds 0..=255
    // SET V32 = 300:uw      // mended

In directives `1:f` is the number one; raw bits are written in hexadecimal, `0x3f800000:f`."
    E0710 Error "result differs from what is expected"
"After the run a register or a surface holds other values than the EXPECT directive lists. The labels
stand at the first differing value of each row, the note shows all rows as found. `visim test --bless`
writes the found values into the file, except where `by hand:` stands in the directive."
    E0711 Error "expected refusal did not come"
"The line is marked with `//~`, which promises a diagnostic of that code whose text holds the quoted
words, but none came."
    E0712 Error "known failure passes"
"The file says `known-failing because: …`, but everything in it holds. Take the line out."
    L0713 Limit "file is too large"
"A file named by a directive or an option is larger than visim reads: the note gives both sizes."
    W0714 Warning "comment looks like a directive"
"A comment begins with a word in capitals that is one slip away from the word of a directive. It has no
effect. If it was meant as a directive, mend the word; if not, write it in another way."
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
