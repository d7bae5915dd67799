//! Text that was read, and kernels that can run.

use super::report::Report;
use crate::check::{CheckOptions, UnitKind, check};
use crate::harness::front::Front;
use crate::isa::Platform;
use crate::lower::{LowerOptions, lower};
use crate::program;
use crate::source::Source;
use crate::syntax::{ParseOptions, ast, parse, print};
use std::fmt;
use std::sync::Arc;

/// vISA text as a tree; printed, the form that Intel's printer writes, comments kept.
///
/// ```
/// use visim::{Module, Source};
///
/// let text = ".version 4.1\n.kernel \"sum\"\n  add  (M1,8) V32(0,0)<1> V32(0,0)<1;1,0> 2:d\n";
/// let module = Module::parse(&Source::new("sum.visa", text))?;
/// assert_eq!(module.kernels().collect::<Vec<_>>(), ["sum"]);
/// assert!(module.to_string().contains("    add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 0x2:d"));
/// # Ok::<(), visim::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct Module {
    source: Source,
    tree: ast::Module,
}

impl Module {
    /// Reads a text.
    ///
    /// # Errors
    /// Every line that cannot be read, with its place.
    pub fn parse(source: &Source) -> Result<Module, Report> {
        let parsed = parse(source, &ParseOptions::default());
        let module = Module {
            source: source.clone(),
            tree: parsed.module,
        };
        Report::unless_fatal(parsed.diagnostics, source, module)
    }

    /// The names of its kernels, in text order.
    pub fn kernels(&self) -> impl Iterator<Item = String> {
        let (checked, _) = check(&self.tree, &CheckOptions::default());
        let units = checked.units.into_iter();
        let kernels = units.filter(|unit| unit.kind == UnitKind::Kernel);
        kernels.map(|unit| unit.name)
    }

    /// Checks the text for a platform and makes its kernel `kernel` (the first one if that is empty) ready to run.
    ///
    /// # Errors
    /// Every rule that the text breaks; `E0601`: no such kernel.
    pub fn program(&self, kernel: &str, platform: Platform) -> Result<Program, Report> {
        // Read again: what some numbers mean depends on the platform's registers.
        let front = Front::new(&self.source, platform);
        Report::unless_fatal(front.diagnostics, &self.source, ())?;
        let program = lower(&front.checked, kernel, &LowerOptions::default());
        let program = program.map_err(|found| Report::of_text(found, &self.source))?;
        Ok(Program {
            source: self.source.clone(),
            program: Arc::new(program),
        })
    }
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(&self.tree))
    }
}

/// A kernel, checked and lowered once, to be run as often as needed: [`Simulator::of`](crate::Simulator::of).
/// Cheap to clone.
///
/// ```
/// use visim::{Module, Platform, Simulator, Source};
///
/// let text = ".version 4.1\n.kernel \"next\"\n.decl V32 v_type=G type=d num_elts=1 align=dword\n    \
///             add (M1, 1) V32(0,0)<1> V32(0,0)<0;1,0> 1:d\n    ret (M1, 1)\n";
/// let program = Module::parse(&Source::new("next.visa", text))?.program("next", Platform::default())?;
/// for n in 0..3i32 {
///     let outcome = Simulator::of(&program).set("V32", &n.to_le_bytes()).run()?;
///     assert_eq!(outcome.register("V32").unwrap(), (n + 1).to_le_bytes());
/// }
/// # Ok::<(), visim::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) source: Source,
    pub(super) program: Arc<program::Program>,
}

impl Program {
    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// The platform it was checked for.
    pub fn platform(&self) -> Platform {
        self.program.platform
    }

    /// Its variables, built-in ones (`%r0`) first, then in declaration order.
    pub fn variables(&self) -> impl Iterator<Item = Variable<'_>> {
        variables(&self.program)
    }
}

/// A variable of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable<'p> {
    /// As the text has it: `V32`, `%r0`.
    pub name: &'p str,
    /// The type of an element as declarations write it: `ud`, `f`. Addresses are `uw`, predicates, surfaces and
    /// samplers `ud`.
    pub element_type: &'static str,
    /// Its bytes as that many elements; a predicate is one.
    pub elements: usize,
    /// Its size in bytes.
    pub bytes: usize,
}

/// The variables of a program, in the order of [`Program::variables`].
pub(super) fn variables(program: &program::Program) -> impl Iterator<Item = Variable<'_>> {
    program.symbols.iter().map(|(name, symbol)| {
        let (ty, bytes) = (symbol.class.default_type(), symbol.bytes());
        Variable {
            name,
            element_type: ty.name(),
            elements: (bytes / ty.bytes()) as usize,
            bytes: bytes as usize,
        }
    })
}
