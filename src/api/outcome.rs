//! What a run leaves.

use super::module::{Variable, variables};
use super::report::Report;
use super::surface::{Contents, Surface};
use crate::harness::kernel::Prepared;
use crate::harness::session::Session;
use crate::source::{Span, Spanned};
use std::sync::Arc;

/// Registers, surfaces and counts after a run.
///
/// ```
/// use visim::{Simulator, Source};
///
/// let text = r#".version 4.1
/// .kernel "where"
/// .decl V32 v_type=G type=uw num_elts=2 align=dword
///     mov (M1, 1) V32(0,0)<1> %thread_x(0,0)<0;1,0>
///     mov (M1, 1) V32(0,1)<1> %thread_y(0,0)<0;1,0>
///     ret (M1, 1)
/// "#;
/// let outcome = Simulator::new(Source::new("where.visa", text)).threads(4, 2).keep_all_threads().run()?;
/// assert_eq!(outcome.register_of(6, "V32").unwrap(), [2, 0, 1, 0]);
/// assert_eq!((outcome.thread_count(), outcome.instruction_count()), (8, 24));
/// # Ok::<(), visim::Report>(())
/// ```
pub struct Outcome {
    pub(super) session: Session,
    pub(super) warnings: Report,
    /// Of a compiled kernel.
    pub(super) launch: Option<Prepared>,
}

impl Outcome {
    /// The bytes of a variable of the first thread, element 0 first, little-endian; `None` if the kernel has no such
    /// name.
    pub fn register(&self, name: &str) -> Option<&[u8]> {
        self.register_of(0, name)
    }

    /// The bytes of a variable of the thread with this number, in launch order; `None` if there is no such name or
    /// thread, or its registers were not kept ([`Simulator::keep_all_threads`](crate::Simulator::keep_all_threads)).
    pub fn register_of(&self, thread: u32, name: &str) -> Option<&[u8]> {
        let mut threads = self.session.outcome.threads.iter();
        let registers = threads.find(|t| t.thread.index == thread)?;
        registers.bytes(&self.session.program, name)
    }

    /// The variables of the program that ran, as [`Program::variables`](crate::Program::variables) has them.
    pub fn variables(&self) -> impl Iterator<Item = Variable<'_>> {
        variables(&self.session.program)
    }

    /// The surface bound to a variable or a binding table index (`"T6"`, `"6"`), as the program left it. It may be
    /// bound to another run, which then sees the same memory.
    pub fn surface(&self, name: &str) -> Option<Surface> {
        let name = Spanned::new(name.to_string(), Span::default());
        let surface = self.session.surface(&name).ok()?;
        Some(Surface(Contents::Made(Arc::clone(surface))))
    }

    /// The memory of an argument of a compiled kernel, by name or number, as the kernel left it; `None` if there is no
    /// such argument, or it is not memory.
    pub fn argument(&self, name: &str) -> Option<Vec<u8>> {
        let launch = self.launch.as_ref()?;
        let mut names = launch.description.names.iter();
        let named = names.find(|(_, own)| *own == name);
        let number = named.map(|(number, _)| *number).or(name.parse().ok())?;
        launch.ready.arguments.get(number as usize)?.bytes()
    }

    /// What a compiled kernel printed, as far as its records can be read.
    pub fn printed(&self) -> String {
        let printed = self
            .launch
            .as_ref()
            .map(|launch| launch.ready.printed_text());
        printed.map_or(String::new(), |text| text.unwrap_or_else(|read| read))
    }

    /// What the reader should know although the program ran.
    pub fn warnings(&self) -> &Report {
        &self.warnings
    }

    /// Hardware threads that ran.
    pub fn thread_count(&self) -> u64 {
        self.session.outcome.thread_count
    }

    /// Instructions that all threads ran.
    pub fn instruction_count(&self) -> u64 {
        self.session.outcome.instructions
    }
}

impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outcome")
            .field("kernel", &self.session.program.name)
            .field("thread_count", &self.thread_count())
            .field("instruction_count", &self.instruction_count())
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}
