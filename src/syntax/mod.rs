//! Text to tree and back.
//!
//! [`parse`] splits the text into logical lines, reads one line at a time and reports every bad line;
//! a bad line is absent from the tree. [`print`](fn@print) writes the form Intel's printer writes, comments
//! kept. What a name means and whether a statement is legal is not decided here but in
//! [`crate::check`].
//!
//! ```text
//!  text ─ line ─▶ logical lines ─ statement ─┬─ directive ─────────┬▶ ast::Module ─ printer ─▶ text
//!                                            └─ suffix, operand ───┘
//! ```
//!
//! The grammar is written down in `grammar/visa.ebnf`; the instruction table
//! ([`crate::isa::opcodes`]) tells what stands behind each mnemonic.

pub mod ast;
mod context;
mod directive;
pub(crate) mod error;
mod expression;
mod form;
mod immediate;
mod line;
mod lsc;
mod messages;
mod operand;
mod printer;
mod statement;
mod suffix;
mod token;

pub use form::example;
pub use printer::{print, print_instruction, print_statement};

use crate::diagnostic::{Code, Diagnostic};
use crate::source::Source;
use ast::{Line, Module, Statement};
use context::Context;

/// What reading depends on besides the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// Bytes of one general register, the value of `%sizeof(GRF)`: 32, or 64 from PVC on.
    pub grf_bytes: u32,
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions { grf_bytes: 32 }
    }
}

/// Reading stops here: a file with so many bad lines is not vISA text.
const MAX_BAD_LINES: usize = 1000;

/// The tree of all lines that could be read, and what is wrong with the others.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The good lines.
    pub module: Module,
    /// One for each bad line, in the order of the text; remarks on good lines among them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text.
///
/// Never fails as a whole: the good lines are in the module whatever is wrong with the others.
/// Any bytes may be given; time grows with the length of the text.
///
/// Source: vISA text reference, sections 1, 2, 4 and 9.
pub fn parse(source: &Source, options: &ParseOptions) -> Parsed {
    let mut cx = Context::new(options.grf_bytes);
    let mut module = Module::default();
    let mut diagnostics = Vec::new();
    let mut split_diagnostics = Vec::new();
    let mut version_seen = false;
    let mut file = 0;
    let mut bad_lines = 0;
    for logical in line::split(source.text(), &mut split_diagnostics) {
        let text: &str = &logical.text;
        let of = source.file_of(logical.start);
        if of != file {
            // Each file has a version of its own.
            (file, version_seen) = (of, false);
        }
        cx.enter_line(logical.start, text.len());
        let mut statement = None;
        if !text.is_empty() {
            match statement::statement(&mut cx, text) {
                Ok((_, read)) => {
                    diagnostics.extend(version(&mut version_seen, &read));
                    statement = Some(read);
                }
                Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
                    // A line that fails to read says nothing about the version.
                    version_seen = true;
                    diagnostics.push(cx.place_error(error, text));
                    bad_lines += 1;
                    if bad_lines == MAX_BAD_LINES {
                        diagnostics.push(too_many(&cx, text));
                        break;
                    }
                }
                Err(nom::Err::Incomplete(_)) => {
                    unreachable!("readers of whole lines never ask for more")
                }
            }
            let remarks = cx.take_remarks();
            if diagnostics.len() < MAX_BAD_LINES {
                diagnostics.extend(remarks);
            }
        }
        // A bad line is absent, but its comment need not be lost with it.
        if text.is_empty() || statement.is_some() {
            module.lines.push(Line {
                statement,
                comment: logical.comment,
            });
        }
    }
    diagnostics.extend(split_diagnostics);
    diagnostics.sort_by_key(|d| d.span().map_or(0, |s| s.start));
    Parsed {
        module,
        diagnostics,
    }
}

fn too_many(cx: &Context, text: &str) -> Diagnostic {
    Diagnostic::new(Code::L0119)
        .at(
            cx.place(text.len(), text.len()),
            "nothing is read from the next line on",
        )
        .note(format!(
            "reading stops after {MAX_BAD_LINES} lines with errors"
        ))
        .help("fix the lines reported above; is this file vISA text?")
}

/// The first statement is `.version`, and no other is.
fn version(seen: &mut bool, statement: &crate::source::Spanned<Statement>) -> Option<Diagnostic> {
    let is_version = matches!(statement.node, Statement::Version { .. });
    let first = !std::mem::replace(seen, true);
    let (title, label) = match (first, is_version) {
        (true, false) => (
            "`.version` is missing",
            "the first statement is not `.version`",
        ),
        (false, true) => (
            "second `.version`",
            "only the first statement is `.version`",
        ),
        _ => return None,
    };
    Some(
        Diagnostic::with_message(Code::E0107, title)
            .at(statement.span, label)
            .note("a file begins with `.version MAJOR.MINOR`; its value is not checked")
            .help(if first {
                "write `.version 4.1` above"
            } else {
                "remove this line"
            })
            .see("vISA text reference 2.1"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes and lines of what is said of a text.
    fn said(text: &str) -> Vec<(Code, usize)> {
        let source = Source::new("test", text);
        let parsed = parse(&source, &ParseOptions::default());
        let place = |d: &Diagnostic| source.line_of(d.span().expect("a place").start);
        parsed
            .diagnostics
            .iter()
            .map(|d| (d.code, place(d)))
            .collect()
    }

    #[test]
    fn each_code_is_said_of_its_line() {
        let cases = [
            ("mov (M1, 8) D(0,0)<1> S(0,0)", Code::E0101),
            ("mov (M1, 8) D(0,0)<1> S.0", Code::E0101),
            ("mvo (M1, 8) D(0,0)<1> S(0,0)<1;1,0>", Code::E0102),
            ("barrier\r", Code::E0103),
            ("mov (M1, 8) D(0,0)<1> 1:i32", Code::E0104),
            ("FILE \"x", Code::E0105),
            ("FILE \"\\q\"", Code::E0105),
            ("barrier /* x", Code::E0105),
            (".decl mov v_type=G type=ud num_elts=8", Code::E0106),
            (".version 4.1", Code::E0107),
            ("mov (M1, 8) D(0,0)<1> 0x10000:hf", Code::E0108),
            ("mov (M1, 8) D(-1,0)<1> 0x1:ud", Code::E0108),
            ("mov (4294967296) D(0,0)<1> 0x1:ud", Code::E0108),
            ("mov (M1, 8) D(0,0)<1> (1/0):ud", Code::E0109),
            ("mov (M1, 8) D(0,0)<1> (%DispatchSimd):ud", Code::E0109),
            ("cmp (M1, 8) P1 D(0,0)<1;1,0> 0x1:ud", Code::E0110),
            (
                "and.sat (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x1:ud",
                Code::E0110,
            ),
            ("x: barrier", Code::E0111),
            (" x:", Code::E0111),
            (".declare X", Code::E0112),
            (".decl X v_type=G num_elts=8 type=ud", Code::E0113),
            (
                ".decl X v_type=G type=ud num_elts=8 alias=<D, 0> align=GRF",
                Code::E0113,
            ),
            ("vme_idm T6 D.0 D.0 D.0", Code::N0114),
            (
                "lsc_extended_cache_ctrl.ugm (M1, 8) flat[S]:a64",
                Code::N0114,
            ),
            (
                "raw_send (M1, 8) 0xc 1 0 0x2480400:ud D.0 %null.32",
                Code::E0122,
            ),
            (
                "lsc_store.ugm (M1, 8) flat[S]:a64 %null.32:d32",
                Code::E0122,
            ),
            ("mov (M1, 8) D(0,0)<1> (%sizeof(%r0)):d", Code::E0101),
            ("mov (M1, 8) D(0,0)<1> 99999999999:ud", Code::W0116),
            ("mov (M1, 8) D(0,0)<1> 0x100000000:ud", Code::W0116),
            (".decl X v_type=G type=ud num_elts=8 align=1", Code::E0117),
            ("sample4. (M1, 8) 0x0:uw S0 T6 D.0 D.0", Code::W0118),
        ];
        for (line, code) in cases {
            assert_eq!(
                said(&format!(".version 4.1\n\n{line}\n")),
                [(code, 3)],
                "{line}"
            );
        }
        let deep = format!(".version 4.1\nmov (M1, 8) D{}\n", "(".repeat(100));
        assert_eq!(said(&deep), [(Code::L0115, 2)]);
        assert_eq!(said("barrier\n"), [(Code::E0107, 1)]);
        let bad = said(&format!(".version 4.1\n{}", "bad\n".repeat(2000)));
        assert_eq!(bad.len(), 1001);
        assert_eq!(bad[1000], (Code::L0119, 1001));
    }

    #[test]
    fn several_bad_lines_give_several_diagnostics_and_the_good_ones_stay() {
        let source = Source::new("test", ".version 4.1\nmov\nbarrier\nadd\nmul\nyield\n");
        let parsed = parse(&source, &ParseOptions::default());
        assert_eq!(parsed.diagnostics.len(), 3);
        assert_eq!(
            print(&parsed.module),
            ".version 4.1\n    barrier\n    yield\n"
        );
    }

    /// The instruction of a one-line kernel, as it is printed.
    fn printed(line: &str) -> String {
        let text = format!(".version 4.1\n.decl T6 v_type=T num_elts=1\n    {line}\n");
        let parsed = parse(&Source::new("test", text), &ParseOptions::default());
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        print(&parsed.module)
            .lines()
            .nth(2)
            .unwrap_or_default()
            .trim_start()
            .to_owned()
    }

    #[test]
    fn both_dialects_and_short_forms_print_one_way() {
        let pairs = [
            (
                "load_lz.R (M1, 8) 0x0:uw T6 D.0 %null.0 S.0",
                "load_lz.R (M1, 8)  0x0:uw T6 D.0 %null.0 S.0",
            ),
            (
                "load_lz.r (8) 0x0:uw T6 D.0 V0.0 S.0",
                "load_lz.R (M1, 8)  0x0:uw T6 D.0 V0.0 S.0",
            ),
            (
                "svm_block_ld.aligned (M1, 8) D(0,0)<0;1,0> D.0",
                "svm_block_ld.aligned (8) D(0,0)<0;1,0> D.0",
            ),
            (
                "media_st.modified (16, 4) T6 0x1:ud 0x0:ud D.0",
                "media_st.modified (16,4) T6 0 0x1:ud 0x0:ud D.0",
            ),
            ("fence_local", "fence_local"),
            (
                "sample.R S0 T6 D.0 D.0 D.0 D.0",
                "sample.R (8) S0 T6 D.0 D.0 D.0 D.0",
            ),
            ("mov(M1,8)D<1>-1.5 :f", ""),
            ("mov(M1,8)D<1>-1.5:f", "mov (M1, 8) D(0,0)<1> 0xbfc00000:f"),
            (
                "mov (M1, 8) D<1> -1:f",
                "mov (M1, 8) D(0,0)<1> 0x80000001:f",
            ),
            (
                "mov (M1, 8) D<1> -1:w",
                "mov (M1, 8) D(0,0)<1> 0xffffffff:w",
            ),
            (
                "lsc_load.ugm (M1, 8) D.0:d8u32 [S + 16]:a64",
                "lsc_load.ugm (M1, 8)  D:d8u32  flat[S+0x10]:a64",
            ),
            ("jmp (M1, 1) \"mov\"", "jmp (M1, 1) \"mov\""),
            ("jmp (M1, 1) \"plain\"", "jmp (M1, 1) plain"),
            (".loc 7", "LOC 7"),
        ];
        for (line, expected) in pairs {
            if expected.is_empty() {
                assert_eq!(said(&format!(".version 4.1\n{line}\n")), [(Code::E0101, 2)]);
            } else {
                assert_eq!(printed(line), expected);
            }
        }
    }
}
