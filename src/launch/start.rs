//! How threads begin: in the memory of others that have ended, of which only what they may see is made fresh.
//!
//! ```text
//!  Prepared   what threads of one number in their groups begin with: worked out once by a worker
//!     │ rows that a thread may see and another one may have changed
//!  arena      of the thread that has ended
//!     │ header: which group
//!  Thread     at its first op, or straight into native code (`standing`)
//! ```

use super::grid::ThreadStart;
use super::{Bindings, Context, Grid, Observer};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::observer::{Start, Wants};
use crate::exec::{
    Arena, BLOCK, Beginning, Begins, FloatMode, Reset, Row, Standing, Thread, ThreadId, Trap,
    lockstep,
};
use crate::program::{Program, Symbol};
use std::cell::OnceCell;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// Memory that the next threads may have.
#[derive(Default)]
pub(super) struct Spare {
    /// With the number in its group of the thread that had it; where groups are alike it comes to a thread of the same
    /// number again.
    pub arenas: VecDeque<(Arena, u32)>,
    start: ThreadStart,
    /// What threads begin with, by number in their group; the header is not filled in.
    pub prepared: Vec<Option<Prepared>>,
    /// Rows in which these differ from each other.
    apart: BTreeSet<u32>,
}

/// Threads that run side by side; the next ones begin in their places.
pub(super) struct Seats<'p> {
    program: &'p Program,
    threads: Vec<Thread<'p>>,
    /// Those that are taken.
    taken: Range<usize>,
}

impl<'p> Seats<'p> {
    /// Places for threads of a program, in the memory of `spare`.
    pub fn new(program: &'p Program, spare: &mut Spare) -> Seats<'p> {
        let mut seats = Seats {
            program,
            threads: Vec::new(),
            taken: 0..0,
        };
        for (arena, local) in spare.arenas.drain(..) {
            seats.add(arena, local);
        }
        seats
    }

    fn add(&mut self, arena: Arena, local: u32) {
        let had = ThreadId {
            local,
            ..ThreadId::default()
        };
        self.threads.push(Thread::with(arena, self.program, had, 0));
    }

    /// The place of one more thread.
    pub fn next(&mut self) -> &mut Thread<'p> {
        if self.taken.end == self.threads.len() {
            self.add(Arena::default(), 0);
        }
        self.taken.end += 1;
        &mut self.threads[self.taken.end - 1]
    }

    /// The places of so many threads of one group, by their numbers in it: most of the bytes are as they begin with them.
    pub fn group(&mut self, threads: u32) -> &mut [Thread<'p>] {
        self.taken = 0..threads as usize;
        while self.taken.end > self.threads.len() {
            self.add(Arena::default(), 0);
        }
        self.taken()
    }

    /// Those of them that have these numbers, which follow each other.
    pub fn take(&mut self, ids: &[ThreadId]) -> &mut [Thread<'p>] {
        let first = ids.first().map_or(0, |id| id.local as usize);
        self.taken = first..first + ids.len();
        self.taken()
    }

    /// The thread in a place, which another one takes.
    pub fn hand_over(&mut self, place: usize) -> Thread<'p> {
        let next = Thread::with(Arena::default(), self.program, ThreadId::default(), 0);
        std::mem::replace(&mut self.threads[place], next)
    }

    /// The threads that have begun.
    pub fn taken(&mut self) -> &mut [Thread<'p>] {
        &mut self.threads[self.taken.clone()]
    }

    /// They have ended.
    pub fn leave(&mut self) {
        self.taken = 0..0;
    }

    /// Leaves the memory to whoever is next.
    pub fn give_back(self, spare: &mut Spare) {
        let threads = self.threads.into_iter();
        spare
            .arenas
            .extend(threads.map(|thread| (thread.arena, thread.id.local)));
    }
}

/// What the threads of one number begin with.
pub(super) struct Prepared {
    arena: Arena,
    /// Bytes of it that the launch has given.
    given: Vec<Range<u32>>,
    /// How they begin there.
    pub begins: Begins,
    /// What of it a thread must find in the memory of another one.
    reset: OnceCell<Arc<Reset>>,
    /// Its rows, where the other one had another number.
    rows: RowsOfOther,
    /// Its rows, where it had the same number and the header is filled in: where they begin, and what is in them.
    own: Vec<Row>,
}

impl Prepared {
    /// The bytes that they begin with.
    pub fn bytes(&self) -> &[u8] {
        &self.arena
    }

    /// What threads begin with in the bytes of others of their number; the grid fills in their headers.
    pub fn beginning(&self, grid: &Grid<'_>, local: u32) -> Beginning<'_> {
        let number = grid.header(ThreadId {
            local,
            ..ThreadId::default()
        });
        let dword = |n: usize| {
            let own = self.arena.get(4 * n..).and_then(|rest| rest.first_chunk());
            u32::from_le_bytes(own.copied().unwrap_or_default())
        };
        let header = std::array::from_fn(|n| match dword(n) {
            0 if grid.fills(n) => number[n],
            own => own,
        });
        let Begins { mask, executed, .. } = self.begins;
        // What the number does not say the group does.
        let of_group = |n| dword(n) == 0 && grid.fills(n) && n != NUMBER;
        Beginning::new((mask, executed), (&self.own, &self.arena), header, of_group)
    }
}

/// The dword of a header that has the number of a thread in its group.
const NUMBER: usize = 2;

/// Makes a thread of bytes that it may begin in. Inlined, and its name given to nobody else, so that this is not stored in
/// parts and loaded as a whole ([`Context::finish_all`]).
///
/// * `kept`: somebody looks at its bytes in the end.
#[inline(always)]
pub(super) fn begin(thread: &mut Thread<'_>, id: ThreadId, begins: Begins, kept: bool) {
    let (pc, mode) = begins.at;
    thread.begin(id, begins.mask, mode);
    (thread.frame.pc, thread.executed, thread.kept) = (pc, begins.executed, kept);
}

/// Rows that a thread must find in the memory of one of another number.
#[derive(Default)]
struct RowsOfOther {
    rows: Vec<u32>,
    /// How many rows were known to be apart.
    apart: Option<usize>,
}

impl RowsOfOther {
    /// Those that a run may change, and those in which numbers differ.
    #[inline]
    fn of_other(&mut self, reset: &Reset, apart: &BTreeSet<u32>) -> &[u32] {
        if self.apart != Some(apart.len()) {
            self.apart = Some(apart.len());
            let is_own = |row: &u32| apart.contains(row) || reset.rows_of_same.contains(row);
            let rows = reset.rows_of_any.iter().copied();
            self.rows = rows.filter(is_own).collect();
        }
        &self.rows
    }
}

/// Threads of a group whose beginnings a worker keeps, and bytes of all of them.
const MOST_PREPARED: (u32, usize) = (64, 1 << 24);

/// Start values by arena offset, names resolved and sizes checked.
pub(super) fn start_values<'b>(
    program: &Program,
    bindings: &'b Bindings,
) -> Result<Vec<(Symbol, &'b [u8])>, Box<Trap>> {
    let mut starts = Vec::new();
    for (name, bytes) in &bindings.variables {
        let Some(&symbol) = program.symbols.get(name) else {
            let diagnostic = Diagnostic::with_message(
                Code::E0605,
                format!("kernel `{}` has no variable `{name}`", program.name),
            );
            return Err(Trap::outside(diagnostic));
        };
        if bytes.len() > symbol.bytes() as usize {
            let diagnostic = Diagnostic::with_message(
                Code::E0606,
                format!("`{name}` has {} bytes, not {}", symbol.bytes(), bytes.len()),
            )
            .note(format!("{} elements as declared", symbol.elements));
            return Err(Trap::outside(diagnostic));
        }
        starts.push((symbol, &bytes[..]));
    }
    Ok(starts)
}

/// Whether threads of one number may begin with a copy of the same bytes and a header of their own.
pub(super) fn alike(program: &Program, grid: &Grid<'_>, starts: &[(Symbol, &[u8])]) -> bool {
    let header = program.platform.grf_bytes();
    let bytes = program.image.len().checked_mul(grid.threads as usize);
    let few = grid.threads <= MOST_PREPARED.0 && bytes.is_some_and(|all| all <= MOST_PREPARED.1);
    // The header is seen and set nowhere else.
    let inputs = program
        .inputs
        .iter()
        .all(|i| i.payload >= header && i.arena >= header);
    grid.alike
        && grid.partial.is_none()
        && few
        && inputs
        && starts.iter().all(|(s, _)| s.offset >= header)
}

impl<O: Observer, F: Fn(ThreadId) -> O + Sync> Context<'_, F> {
    /// Begins a thread in the place of one that has ended, with payload, header and start values.
    #[inline(always)]
    pub(super) fn start(
        &self,
        thread: &mut Thread<'_>,
        id: ThreadId,
        spare: &mut Spare,
        observer: &mut O,
    ) {
        if self.wants >= Wants::Steps || !self.alike {
            return self.start_alone(thread, id.index, &mut spare.start, observer);
        }
        let (begins, kept) = self.renew(thread, id, spare);
        begin(thread, id, begins, kept);
        if self.wants == Wants::Doubts
            && let Some(Some(prepared)) = spare.prepared.get(id.local as usize)
        {
            self.tell_start(id, begins.mask, &prepared.given, observer);
        }
    }

    /// Tells an observer what its thread begins with.
    fn tell_start(&self, id: ThreadId, lanes: u32, given: &[Range<u32>], observer: &mut O) {
        observer.started(&Start {
            thread: id,
            program: self.program,
            lanes,
            group_threads: self.grid.threads_of(id),
            slm_used: self.options.slm_used.unwrap_or(u32::MAX),
            told: self.wants,
            given,
        });
    }

    /// How threads begin: as that one does of which it is known, else as the first one of a group.
    pub(super) fn begins<'s>(&self, group: u64, spare: &'s mut Spare) -> &'s Prepared {
        if spare.prepared.iter().flatten().next().is_none() {
            let first = group * u64::from(self.grid.threads);
            self.prepare(first as u32, spare);
        }
        let mut known = spare.prepared.iter().flatten();
        known.next().expect("one was just prepared")
    }

    /// What a thread of these numbers, in the run and in its group, begins with; and the rows in which others differ.
    #[inline(always)]
    pub(super) fn prepared<'s>(
        &self,
        index: u32,
        local: u32,
        spare: &'s mut Spare,
    ) -> (&'s mut Prepared, &'s BTreeSet<u32>) {
        let at = local as usize;
        if spare.prepared.get(at).is_none_or(Option::is_none) {
            self.prepare(index, spare);
        }
        let prepared = spare.prepared[at].as_mut();
        (prepared.expect("it was just prepared"), &spare.apart)
    }

    /// Puts what a thread begins with into the bytes of one that has ended, if any has. Says how it begins, and whether
    /// somebody looks at its bytes in the end.
    #[inline(always)]
    pub(super) fn renew(
        &self,
        thread: &mut Thread<'_>,
        id: ThreadId,
        spare: &mut Spare,
    ) -> (Begins, bool) {
        let (prepared, apart) = self.prepared(id.index, id.local, spare);
        let image = &prepared.arena;
        let (arena, had) = (&mut thread.arena, thread.id.local);
        let kept = self.keeps(id.index);
        // Whoever looks at registers in the end sees those that were never written, too.
        if arena.is_empty() || kept {
            arena.fill(&image[..self.program.image.len()]);
        } else {
            let reset = self.reset_of(prepared.begins, &prepared.reset);
            let rows = match had == id.local {
                true => &reset.rows_of_same[..],
                false => prepared.rows.of_other(reset, apart),
            };
            arena.refresh_rows(image, rows);
            self.spoil(reset, arena, image);
        }
        self.grid.fill(id, &mut arena[..self.header]);
        (prepared.begins, kept)
    }

    /// What a thread that begins like this must find, looked up once.
    #[inline(always)]
    fn reset_of<'r>(&self, begins: Begins, reset: &'r OnceCell<Arc<Reset>>) -> &'r Reset {
        reset.get_or_init(|| self.known.reset(self.program, begins))
    }

    /// In builds for tests: a thread finds what it may look at, and something else wherever it does not.
    fn spoil(&self, reset: &Reset, arena: &mut [u8], image: &[u8]) {
        if cfg!(debug_assertions) {
            let mut ranges = reset.of_any.iter().cloned();
            let is_fresh = |range: Range<usize>| arena[range.clone()] == image[range];
            assert!(
                ranges.all(is_fresh),
                "a thread finds what another one has left"
            );
            reset.spoil(&mut arena[..self.program.image.len()]);
        }
    }

    /// Readies threads of a group for those that begin in their bytes, as often as they are told to.
    pub(super) fn settle(&self, threads: &mut [Thread<'_>], group: u64, spare: &mut Spare) {
        for (id, thread) in self.grid.ids(group).zip(threads.iter_mut()) {
            let local = id.local;
            if thread.arena.is_empty() || thread.id.local != local {
                self.renew(thread, id, spare);
                thread.id.local = local;
            }
            let prepared = self.prepared(id.index, local, spare).0;
            if prepared.own.is_empty() {
                let reset = self.reset_of(prepared.begins, &prepared.reset);
                prepared.own = prepared.arena.rows(&reset.rows_of_ops);
            }
        }
    }

    /// A thread begins where others of its number have.
    pub(super) fn begin_again(
        &self,
        standing: &mut Standing<'_, '_>,
        prepared: &Prepared,
        id: ThreadId,
    ) {
        let image = &prepared.arena[..self.program.image.len()];
        let image = self.keeps(id.index).then_some(image);
        let header = self.grid.header(id);
        let bytes = standing.begin(id.local as usize, &header, image);
        if let (None, Some(reset), true) = (image, prepared.reset.get(), cfg!(debug_assertions)) {
            let mut fresh = prepared.arena.clone();
            self.grid.fill(id, &mut fresh[..self.header]);
            self.spoil(reset, bytes, &fresh);
        }
    }

    /// Works out what a thread, and all that have its number in their groups, begin with.
    #[inline(never)]
    fn prepare(&self, index: u32, spare: &mut Spare) {
        let (id, start) = (self.grid.thread(index), &mut spare.start);
        let at = id.local as usize;
        if spare.prepared.len() <= at {
            spare.prepared.resize_with(at + 1, || None);
        }
        self.grid.start(self.program, id, start);
        let mut thread = Thread::new(self.program, id, start.mask);
        let mut given = Vec::new();
        self.place(&mut thread, start, |range| given.push(range));
        thread.load_control(&self.known.code);
        // Who counts sees each op.
        if matches!(self.wants, Wants::Nothing | Wants::Doubts) && self.options.limit > BLOCK {
            lockstep::set_mode(&mut thread, &self.known.code);
        }
        let begins = Begins {
            at: (thread.frame.pc, thread.mode),
            mask: start.mask,
            executed: thread.executed,
        };
        let arena = thread.arena;
        if let Some(first) = spare.prepared.iter().flatten().next() {
            spare.apart.extend(arena.rows_apart(&first.arena));
        }
        spare.prepared[at] = Some(Prepared {
            begins,
            arena,
            given,
            reset: OnceCell::new(),
            rows: RowsOfOther::default(),
            own: Vec::new(),
        });
    }

    /// The same for a thread whose payload is asked for.
    fn start_alone(
        &self,
        thread: &mut Thread<'_>,
        index: u32,
        start: &mut ThreadStart,
        observer: &mut O,
    ) {
        let id = self.grid.thread(index);
        self.grid.start(self.program, id, start);
        self.grid.fill(id, &mut start.payload);
        thread.arena.fill(&self.program.image);
        thread.begin(id, start.mask, FloatMode::default());
        let mut given = Vec::new();
        self.place(thread, start, |range| {
            if self.wants >= Wants::Doubts {
                given.push(range);
            }
        });
        thread.load_control(&self.known.code);
        if self.wants >= Wants::Doubts {
            self.tell_start(id, start.mask, &given, observer);
        }
    }

    /// Puts payload and start values where they belong, and tells which bytes they are.
    fn place(
        &self,
        thread: &mut Thread<'_>,
        start: &ThreadStart,
        mut given: impl FnMut(Range<u32>),
    ) {
        let (payload, arena) = (&start.payload, &mut thread.arena);
        let header = self.program.platform.grf_bytes() as usize;
        let header = payload.len().min(header);
        arena[..header].copy_from_slice(&payload[..header]);
        for input in &self.program.inputs {
            let from = (input.payload as usize).min(payload.len());
            let to = (from + input.size as usize).min(payload.len());
            arena[input.arena as usize..][..to - from].copy_from_slice(&payload[from..to]);
            given(input.arena..input.arena + (to - from) as u32);
        }
        // The dispatch mask: vISA text reference 3, %sr0 element 2.
        if let Some(at) = self.dispatch_mask {
            arena[at..at + 4].copy_from_slice(&start.mask.to_le_bytes());
        }
        for (symbol, bytes) in self.starts {
            arena[symbol.offset as usize..][..bytes.len()].copy_from_slice(bytes);
            // Fewer bytes than the variable has say that the rest is zero.
            given(symbol.offset..symbol.offset + symbol.bytes());
        }
    }
}
