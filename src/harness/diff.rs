//! Two programs that are given the same, and held against each other: the memory that each leaves, the first byte that
//! differs, what each thread did that wrote it last, and the smallest launch that still differs.
//!
//! Memory is paired by argument number (launches) or binding table index. Registers of different texts have nothing in
//! common, and are not looked at; variables of one text that runs without a launch are.

use super::bind::{Layer, Problem};
use super::kernel::Refused;
use super::launch::Launch;
use super::session::{self, Options};
use crate::exec::observer::{AccessKind, SpaceName};
use crate::isa::Platform;
use crate::launch::kernel::values::split_mix;
use crate::launch::kernel::{Argument, Size};
use crate::observe::space;
use crate::observe::trace::{Event, TraceOptions, Tracer};
use crate::program::{Symbol, SymbolClass};
use crate::source::Source;
use crate::surface::{Memory, Surface};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Runs that shrinking may take.
const MOST_RUNS: u32 = 200;
/// Instructions that are told of a thread.
const LAST: usize = 12;
/// Pieces that contents are cut into at most, to find those that matter.
const MOST_PIECES: usize = 64;

/// A program to run, and how.
pub struct Side {
    /// How it is called.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The text first, options behind it.
    pub layers: Vec<Layer>,
    /// The kernel, where one is named.
    pub kernel: Option<String>,
    /// The platform, where one is named.
    pub platform: Option<Platform>,
    /// Messages go through their bits.
    pub through_bits: bool,
    /// The other side has the same text, so that variables are compared, too.
    pub same_text: bool,
    /// How it runs, all else as usual.
    pub options: Options,
}

/// What both sides are given in place of what files say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Work-items, and those of a group.
    pub size: Option<([u32; 3], [u32; 3])>,
    /// Contents of memory by argument number or binding table index.
    pub contents: BTreeMap<u32, Vec<u8>>,
    /// Contents that are not listed come from this seed.
    pub random: Option<u64>,
}

/// Memory that both sides have.
#[derive(Clone)]
enum Held {
    Memory(Arc<Memory>),
    Surface(Arc<Surface>),
}

impl Held {
    fn memory(&self) -> &Memory {
        match self {
            Held::Memory(memory) => memory,
            Held::Surface(surface) => surface.memory(),
        }
    }
}

/// Memory before and after a run, or a variable after it.
pub struct Place {
    /// Argument number or binding table index; none of a variable.
    pub number: Option<u32>,
    /// How it is called in messages.
    pub name: String,
    /// What it held.
    pub before: Vec<u8>,
    /// What it holds.
    pub after: Vec<u8>,
}

/// A run that came to its end.
#[derive(Default)]
pub struct Ran {
    /// The memory, by number.
    pub places: Vec<Place>,
    /// The sizes, of a launch.
    pub size: Option<Size>,
    /// The kernel's name, of a launch.
    pub kernel: Option<String>,
    /// The arguments, of a launch.
    pub arguments: Vec<Argument>,
    /// The last instructions of the thread that last wrote the byte asked for.
    pub trace: Vec<String>,
}

/// Why there is no run to compare.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// The launch cannot be prepared.
    Launch(Refused),
    /// The text is wrong, or the run trapped.
    Run(Vec<Problem>),
}

impl Stopped {
    /// Codes of what is fatal.
    fn codes(&self) -> Vec<String> {
        match self {
            Stopped::Launch(refused) => vec![refused.code.to_string()],
            Stopped::Run(problems) => {
                let fatal = problems.iter().map(|p| &p.diagnostic);
                let fatal = fatal.filter(|d| d.class().is_fatal());
                fatal.map(|d| d.code.to_string()).collect()
            }
        }
    }
}

/// How two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// In the bytes of memory.
    Bytes {
        /// Its number; none of a variable.
        number: Option<u32>,
        /// How it is called.
        name: String,
        /// The first byte that differs.
        first: usize,
        /// Bytes that differ.
        count: usize,
        /// Bytes in all.
        all: usize,
        /// Four bytes of each side, from the dword on in which the first lies.
        dwords: [u32; 2],
    },
    /// One has memory that the other has not, or of another size.
    Memory(String),
    /// One stops, or they stop for different reasons: what each does.
    Stops([String; 2]),
}

impl Side {
    /// Runs the program.
    ///
    /// * `launch`: asked for by options, or found beside the first of the two.
    /// * `watched`: a byte of memory whose last writer is told in [`Ran::trace`].
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn run(
        &self,
        launch: &Launch,
        given: &Given,
        watched: Option<(u32, usize)>,
    ) -> Result<Ran, Stopped> {
        let mut layers = self.layers.clone();
        let source = layers[0].source.clone();
        let (global, local) = given.size.unwrap_or_default();
        let sizes = |own: &'_ [u32; 3]| match given.size {
            Some(_) => own.to_vec(),
            None => Vec::new(),
        };
        let local = match local {
            [0, ..] => Vec::new(),
            own => sizes(&own),
        };
        let launch = launch.clone().with(&sizes(&global), &local, &[]);
        let launched = launch.prepare(&source, &self.path, self.kernel.as_deref(), self.platform);
        let launched = launched.map_err(Stopped::Launch)?;
        let mut ran = Ran::default();
        let held: Arc<Mutex<BTreeMap<u32, Held>>> = Arc::default();
        if let Some(launched) = &launched {
            layers[0].source = launched.source.clone();
            layers.push(Layer::of_platform(launched.platform));
            layers.extend(launched.kernel.as_deref().map(Layer::of_kernel));
            ran.size = Some(launched.size);
            ran.kernel.clone_from(&launched.kernel);
            let names = &launched.prepared.description.names;
            for (number, argument) in (0..).zip(launched.arguments()) {
                let own = match argument {
                    Argument::Buffer(buffer) => Held::Memory(buffer.memory.clone()),
                    Argument::Image(image) => Held::Surface(image.surface.clone()),
                    _ => continue,
                };
                let name = match names.get(&number) {
                    Some(name) => format!("argument {number}, `{name}`"),
                    None => format!("argument {number}"),
                };
                ran.places.push(given.fill(number, name, &own));
                lock(&held).insert(number, own);
            }
        }
        let found: Arc<Mutex<Vec<Place>>> = Arc::default();
        let before = {
            let (held, found, given) = (held.clone(), found.clone(), given.clone());
            let compiled = launched.is_some();
            move |program: &crate::program::Program, bindings: &crate::exec::Bindings| {
                for (&number, surface) in bindings.surfaces.iter().filter(|_| !compiled) {
                    let own = Held::Surface(surface.clone());
                    let name = space(program, SpaceName::Surface(number));
                    lock(&found).push(given.fill(number, name, &own));
                    lock(&held).insert(number, own);
                }
            }
        };
        let options = Options {
            launch: launched.as_ref().map(|l| l.prepared.clone()),
            through_bits: self.through_bits,
            before: Some(Arc::new(before)),
            keep_all: self.same_text && launched.is_none(),
            ..self.options.clone()
        };
        let stopped = |refused: session::Refused| Stopped::Run(refused.problems);
        match watched {
            None => {
                let session = session::start(&layers, Vec::new(), &options).map_err(stopped)?;
                if options.keep_all {
                    ran.places.extend(variables(&session));
                }
            }
            Some(at) => ran.trace = traced(&layers, &options, at, &held).map_err(stopped)?,
        }
        ran.arguments = launched.map_or(Vec::new(), |l| l.arguments().to_vec());
        ran.places.append(&mut lock(&found));
        for place in &mut ran.places {
            let number = place.number.unwrap_or(u32::MAX);
            if let Some(own) = lock(&held).get(&number) {
                place.after = own.memory().to_vec();
            }
        }
        Ok(ran)
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The variables that a text declares, of each thread.
fn variables(session: &session::Session) -> Vec<Place> {
    let symbols = session.program.symbols.iter();
    let declared = symbols.filter(|(name, symbol)| {
        // V0 to V31 are the built-in ones: vISA text reference 1.2.
        let number = name.strip_prefix('V').and_then(|n| n.parse::<u32>().ok());
        let built_in = name.starts_with('%') || number.is_some_and(|n| n < 32);
        matches!(symbol.class, SymbolClass::General(_)) && !built_in
    });
    let of = |(name, symbol): (&String, &Symbol)| {
        let each = session.outcome.threads.iter().map(|registers| Place {
            number: None,
            name: format!("variable `{name}` of {}", registers.thread),
            before: Vec::new(),
            after: registers.symbol(symbol).to_vec(),
        });
        each.collect::<Vec<_>>()
    };
    declared.flat_map(of).collect()
}

/// Runs with an eye on four bytes of memory; the last instructions of the thread that last changed them.
fn traced(
    layers: &[Layer],
    options: &Options,
    (number, byte): (u32, usize),
    held: &Mutex<BTreeMap<u32, Held>>,
) -> Result<Vec<String>, session::Refused> {
    struct Seen {
        recent: BTreeMap<u32, VecDeque<String>>,
        value: Option<Vec<u8>>,
        last: Vec<String>,
    }
    let source = &layers[0].source;
    let seen = Mutex::new(Seen {
        recent: BTreeMap::new(),
        value: None,
        last: Vec::new(),
    });
    let sink = |_: &crate::program::Program, event: Event| {
        let Event::Instruction(i) = event else { return };
        let mut seen = lock(&seen);
        let thread = i.at.thread.index;
        let recent = seen.recent.entry(thread).or_default();
        if recent.len() == LAST {
            recent.pop_front();
        }
        recent.push_back(line(source, &i));
        if i.memory.iter().all(|m| m.kind == AccessKind::Read) {
            return;
        }
        let value = lock(held).get(&number).map(|own| four(own.memory(), byte));
        if seen.value != value {
            seen.value = value;
            let mut told = vec![format!("{}, step {}", i.at.thread, i.at.step)];
            told.extend(seen.recent.get(&thread).into_iter().flatten().cloned());
            seen.last = told;
        }
    };
    let trace = TraceOptions {
        instructions: true,
        most_instructions: u64::MAX,
        ..TraceOptions::default()
    };
    let tracer = Tracer::new(trace, sink);
    session::start_watched(layers, Vec::new(), options, |_| tracer.thread())?;
    drop(tracer);
    Ok(seen
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .last)
}

/// The dword of a byte, or what there is of it.
fn four(memory: &Memory, byte: usize) -> Vec<u8> {
    let from = byte / 4 * 4;
    let mut bytes = vec![0; memory.len().saturating_sub(from).min(4)];
    memory.read(from, &mut bytes);
    bytes
}

/// An instruction and what it wrote, or gave to memory.
fn line(source: &Source, i: &crate::observe::trace::Instruction) -> String {
    let span = i.at.site.span;
    let text = source.text().get(span.range()).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut line = format!("{:>5} {}", source.line_of(span.start), words.join(" "));
    let stored = i.memory.iter().any(|m| m.kind != AccessKind::Read);
    let value = match i.writes.last() {
        Some((_, after)) => Some(after),
        None if stored => i.reads.last(),
        None => None,
    };
    if let Some(value) = value {
        let size = value.ty.bytes() as usize;
        let some = &value.bytes[..value.bytes.len().min(4 * size)];
        let view = super::values::View::of(value.ty, u32::MAX);
        let more = if some.len() < value.bytes.len() {
            " …"
        } else {
            ""
        };
        line.push_str(&format!("  = {}{more}", view.row(some, 0)));
    }
    line
}

impl Given {
    /// Puts contents into memory; the place, with them.
    fn fill(&self, number: u32, name: String, own: &Held) -> Place {
        let memory = own.memory();
        let bytes = match (self.contents.get(&number), self.random) {
            (Some(bytes), _) if bytes.len() == memory.len() => Some(bytes.clone()),
            (_, Some(seed)) => Some(random(seed, number, memory.len())),
            _ => None,
        };
        if let Some(bytes) = &bytes {
            memory.write(0, bytes);
        }
        Place {
            number: Some(number),
            name,
            before: bytes.unwrap_or_else(|| memory.to_vec()),
            after: Vec::new(),
        }
    }
}

/// Contents of a seed: dwords that are small floats, small integers or any bits, as the seed has it, so that programs on
/// either kind of number find some that mean something.
fn random(seed: u64, number: u32, len: usize) -> Vec<u8> {
    let mut state = seed ^ u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let kind = split_mix(&mut state) % 3;
    let mut bytes = Vec::with_capacity(len + 3);
    while bytes.len() < len {
        let bits = split_mix(&mut state);
        let dword = match kind {
            // Sixteenths from -8 to 8.
            0 => (((bits % 257) as f32 - 128.0) / 16.0).to_bits(),
            1 => (bits % 256) as u32,
            _ => bits as u32,
        };
        bytes.extend(dword.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// How two runs that were given the same differ; `None` if they do not.
pub fn compare(a: &Result<Ran, Stopped>, b: &Result<Ran, Stopped>) -> Option<Difference> {
    let (a, b) = match (a, b) {
        (Ok(a), Ok(b)) => (a, b),
        (a, b) => {
            let codes = |side: &Result<Ran, Stopped>| match side {
                Ok(_) => "runs to its end".to_string(),
                Err(stopped) => format!("stops: {}", stopped.codes().join(", ")),
            };
            let said = [codes(a), codes(b)];
            return (said[0] != said[1]).then_some(Difference::Stops(said));
        }
    };
    let same = |one: &Place, other: &Place| match one.number {
        Some(number) => other.number == Some(number),
        None => other.number.is_none() && other.name == one.name,
    };
    let alone = |one: &&Place| !a.places.iter().any(|other| same(one, other));
    if let Some(one) = b.places.iter().find(alone) {
        return Some(Difference::Memory(format!("only one has {}", one.name)));
    }
    for own in &a.places {
        let Some(other) = b.places.iter().find(|other| same(own, other)) else {
            return Some(Difference::Memory(format!("only one has {}", own.name)));
        };
        if own.after.len() != other.after.len() {
            let (ours, theirs) = (own.after.len(), other.after.len());
            let what = format!("{} has {ours} and {theirs} bytes", own.name);
            return Some(Difference::Memory(what));
        }
        let pairs = own.after.iter().zip(&other.after).enumerate();
        let mut differing = pairs.filter(|(_, (a, b))| a != b).map(|(at, _)| at);
        if let Some(first) = differing.next() {
            let dword = |bytes: &[u8]| {
                let from = first / 4 * 4;
                let four = &bytes[from..bytes.len().min(from + 4)];
                four.iter().rev().fold(0, |all, &b| all << 8 | u32::from(b))
            };
            return Some(Difference::Bytes {
                number: own.number,
                name: own.name.clone(),
                first,
                count: 1 + differing.count(),
                all: own.after.len(),
                dwords: [dword(&own.after), dword(&other.after)],
            });
        }
    }
    None
}

/// The smallest launch that still differs, as far as halving finds it: fewer work-items, then zeros in place of
/// contents.
///
/// * `from`: what differs, with the contents of all memory.
/// * `size`: its sizes, of a launch.
/// * `differs`: whether the two still differ.
pub fn shrink(from: Given, size: Option<Size>, mut differs: impl FnMut(&Given) -> bool) -> Given {
    let mut best = from;
    let mut runs = 0;
    let mut keeps = |next: Given, best: &mut Given| {
        let smaller = runs < MOST_RUNS && {
            runs += 1;
            differs(&next)
        };
        if smaller {
            *best = next;
        }
        smaller
    };
    if let Some(size) = size {
        let local = size.local.map(|n| n.max(1));
        let mut global = size.global;
        for d in 0..3 {
            while global[d] > local[d] {
                let mut half = global;
                half[d] = (global[d] / 2).div_ceil(local[d]).max(1) * local[d];
                let next = Given {
                    size: Some((half, size.local)),
                    ..best.clone()
                };
                if half == global || !keeps(next, &mut best) {
                    break;
                }
                global = half;
            }
        }
    }
    let numbers: Vec<u32> = best.contents.keys().copied().collect();
    for number in numbers {
        let len = best.contents[&number].len();
        let mut pieces = 1;
        while pieces <= MOST_PIECES.min(len) {
            let piece = len.div_ceil(pieces);
            for from in (0..len).step_by(piece) {
                let mut next = best.clone();
                let own = next.contents.entry(number).or_default();
                let part = &mut own[from..len.min(from + piece)];
                if part.iter().any(|&byte| byte != 0) {
                    part.fill(0);
                    let whole = keeps(next, &mut best) && pieces == 1;
                    if whole {
                        pieces = MOST_PIECES;
                    }
                }
            }
            pieces *= 2;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two programs that differ where byte 9 is 7 and at least 16 work-items run.
    #[test]
    fn what_does_not_matter_goes() {
        let from = Given {
            size: None,
            contents: BTreeMap::from([(0, vec![7; 64]), (1, vec![1; 8])]),
            random: None,
        };
        let size = Size {
            work_dim: 1,
            global: [128, 1, 1],
            local: [8, 1, 1],
            offset: [0; 3],
            partial: false,
        };
        let least = shrink(from, Some(size), |given| {
            let global = given.size.map_or(128, |(global, _)| global[0]);
            given.contents[&0][9] == 7 && global >= 16
        });
        assert_eq!(least.size, Some(([16, 1, 1], [8, 1, 1])));
        let mut wanted = vec![0; 64];
        wanted[9] = 7;
        assert_eq!(least.contents[&0], wanted);
        assert_eq!(least.contents[&1], [0; 8]);
    }

    #[test]
    fn contents_of_a_seed_are_the_same_each_time() {
        assert_eq!(random(3, 1, 10), random(3, 1, 10));
        assert_ne!(random(3, 1, 16), random(4, 1, 16));
        assert_eq!(random(3, 1, 7).len(), 7);
    }
}
