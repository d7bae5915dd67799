//! Where a run stops: in front of instructions, when registers change, when memory is written.

use super::place::{Condition, Place};
use crate::check::{Checked, Step};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::observer::{Access, AccessKind, SpaceName, Spot};
use crate::exec::{Bindings, ThreadId};
use crate::harness::words::nearest;
use crate::program::{Op, Program};
use crate::source::{Source, Span};
use crate::surface::{Surface, TexelPosition};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// A place to stop at, by its number from 1 on.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Its number; none other has it.
    pub id: u32,
    /// What is waited for.
    pub kind: Kind,
    /// What has to hold, too.
    pub condition: Option<Condition>,
    /// The only thread that stops, by its number in launch order.
    pub thread: Option<u32>,
    /// As it is listed.
    pub text: String,
}

/// What a [`Stop`] waits for.
#[derive(Clone, Debug)]
pub enum Kind {
    /// One of these ops is next.
    Ops(BTreeSet<u32>),
    /// A register has changed.
    Register(Place),
    /// A surface is written; where a texel is named, its bytes have changed.
    Surface {
        /// Its binding table index.
        index: u32,
        /// Column and row.
        texel: Option<[u32; 2]>,
    },
    /// Bytes of memory that is no surface are written.
    Memory {
        /// Which memory.
        space: SpaceName,
        /// Which bytes.
        bytes: Range<u64>,
    },
}

/// The places of a program where instructions begin.
#[derive(Clone, Debug)]
pub struct Location {
    /// Their ops.
    pub ops: BTreeSet<u32>,
    /// The line, one-based.
    pub line: usize,
}

impl Location {
    /// The instructions that start on a line.
    ///
    /// # Errors
    /// `E0961`, which names the next line that has one.
    ///
    /// * `written`: where the line was named.
    pub fn of_line(
        program: &Program,
        source: &Source,
        line: usize,
        written: Span,
    ) -> Result<Location, Box<Diagnostic>> {
        let wrong = |why: String| Box::new(Diagnostic::new(Code::E0961).at(written, why));
        let Some(span) = source.line_span(line) else {
            let all = source.text().lines().count();
            return Err(wrong(format!("the text has {all} lines")));
        };
        if let Some(found) = Location::of_span(program, source, span) {
            return Ok(found);
        }
        let starts = starts(program);
        let next = starts
            .iter()
            .map(|(_, at)| *at)
            .filter(|at| *at >= span.end)
            .min();
        Err(match next {
            Some(at) => {
                let next = source.line_of(at);
                let wrong = wrong("no instruction of the program starts there".to_string());
                Box::new(wrong.help(format!("the next is on line {next}")))
            }
            None => wrong("no instruction of the program starts there or after it".to_string()),
        })
    }

    /// The instructions that start in a part of the text.
    pub fn of_span(program: &Program, source: &Source, span: Span) -> Option<Location> {
        let starts = starts(program);
        let ops = starts
            .iter()
            .filter(|(_, at)| span.range().contains(&(*at as usize)));
        let ops: BTreeSet<u32> = ops.map(|(pc, _)| *pc).collect();
        let line = source.line_of(span.start);
        (!ops.is_empty()).then_some(Location { ops, line })
    }

    /// The op that is next after a byte of the text.
    pub fn behind(program: &Program, source: &Source, byte: u32) -> Option<Location> {
        let starts = starts(program);
        let (pc, at) = starts
            .iter()
            .filter(|(_, at)| *at >= byte)
            .min_by_key(|(_, at)| *at)?;
        Some(Location {
            ops: BTreeSet::from([*pc]),
            line: source.line_of(*at),
        })
    }

    /// What follows a label, and where a function begins.
    ///
    /// * `checked`: the text, where it is vISA, for its labels.
    /// * `written`: where the name was given.
    ///
    /// # Errors
    /// `E0961`, which names the nearest one.
    pub fn named(
        program: &Program,
        source: &Source,
        checked: Option<&Checked>,
        name: &str,
        written: Span,
    ) -> Result<Location, Box<Diagnostic>> {
        let wrong = |why: &str| Box::new(Diagnostic::new(Code::E0961).at(written, why));
        if let Some(function) = program.functions.iter().find(|f| f.name == name) {
            let found = Location::of_op(program, source, function.entry);
            return found.ok_or_else(|| wrong("the function is empty"));
        }
        let steps = checked
            .iter()
            .flat_map(|c| &c.units)
            .flat_map(|unit| &unit.steps);
        let labels = steps.filter_map(|step| match step {
            Step::Label(name) | Step::Function(name) => Some((name.node.as_str(), name.span.start)),
            Step::Instruction(_) => None,
        });
        let labels: Vec<(&str, u32)> = labels.collect();
        if let Some((_, at)) = labels.iter().find(|(label, _)| *label == name) {
            let found = Location::behind(program, source, *at);
            return found.ok_or_else(|| wrong("no instruction of the program is behind it"));
        }
        let names = labels.iter().map(|(name, _)| *name);
        let names = names.chain(program.functions.iter().map(|f| f.name.as_str()));
        let unknown = wrong("expected a line, a label, a function or *OP");
        Err(match nearest(name, names) {
            Some(near) => Box::new(unknown.help(format!("did you mean `{near}`?"))),
            None => unknown,
        })
    }

    /// An op by its number.
    pub fn of_op(program: &Program, source: &Source, pc: u32) -> Option<Location> {
        let site = program.site(pc)?;
        Some(Location {
            ops: BTreeSet::from([first_instruction(program, pc)]),
            line: source.line_of(site.span.start),
        })
    }
}

/// The op that is told first of those from `pc` on: what only keeps the books is not.
pub fn first_instruction(program: &Program, pc: u32) -> u32 {
    let ops = program.ops.iter().skip(pc as usize);
    let skipped = ops.take_while(|op| matches!(op, Op::ReadState | Op::LoadControl));
    pc + skipped.count() as u32
}

/// The first op of each instruction, and where that begins in the text.
fn starts(program: &Program) -> Vec<(u32, u32)> {
    let mut starts: Vec<(u32, u32)> = Vec::new();
    let mut before = None;
    for (pc, (site, op)) in (0..).zip(program.sites.iter().zip(&program.ops)) {
        if matches!(op, Op::ReadState | Op::LoadControl) || site.span == Span::default() {
            continue;
        }
        if before != Some(site.span) {
            starts.push((pc, site.span.start));
        }
        before = Some(site.span);
    }
    starts
}

/// All places to stop at, and what is remembered of the run for them.
#[derive(Debug, Default)]
pub struct Stops {
    list: Vec<Stop>,
    next: u32,
    /// What was there when it was looked at last, by stop and thread.
    seen: HashMap<(u32, Option<u32>), Vec<u8>>,
    /// Memory that was written since the last instruction: the stop and what to say.
    written: Vec<(u32, String)>,
}

/// What is known where a run may stop.
pub struct Moment<'m> {
    /// The thread.
    pub thread: ThreadId,
    /// The op that is next.
    pub pc: u32,
    /// Its registers.
    pub arena: &'m [u8],
    /// What is bound.
    pub bindings: &'m Bindings,
}

impl Stops {
    /// Adds one; its number comes back.
    pub fn add(
        &mut self,
        kind: Kind,
        condition: Option<Condition>,
        thread: Option<u32>,
        text: String,
    ) -> u32 {
        self.next += 1;
        let id = self.next;
        self.list.push(Stop {
            id,
            kind,
            condition,
            thread,
            text,
        });
        id
    }

    /// Takes one away. False if there is none of this number.
    pub fn remove(&mut self, id: u32) -> bool {
        let before = self.list.len();
        self.list.retain(|stop| stop.id != id);
        self.list.len() < before
    }

    /// All of them.
    pub fn list(&self) -> &[Stop] {
        &self.list
    }

    /// The run begins anew.
    pub(super) fn begin(&mut self) {
        self.seen.clear();
        self.written.clear();
    }

    /// Whether memory is of interest.
    pub(super) fn watch_memory(&self) -> bool {
        let of_memory =
            |stop: &Stop| matches!(stop.kind, Kind::Surface { .. } | Kind::Memory { .. });
        self.list.iter().any(of_memory)
    }

    /// A thread is about to touch memory.
    pub(super) fn access(&mut self, thread: ThreadId, line: usize, access: &Access<'_>) {
        if access.kind == AccessKind::Read {
            return;
        }
        for stop in &self.list {
            if stop.thread.is_some_and(|own| own != thread.index) {
                continue;
            }
            let hit = match &stop.kind {
                Kind::Surface { index, .. } => access.space == SpaceName::Surface(*index),
                Kind::Memory { space, bytes } => {
                    let Spot::Byte(at) = access.spot else {
                        continue;
                    };
                    let end = at.saturating_add(access.bytes.into());
                    access.space == *space && at < bytes.end && bytes.start < end
                }
                Kind::Ops(_) | Kind::Register(_) => false,
            };
            if hit && !self.written.iter().any(|(id, _)| *id == stop.id) {
                let lane = access
                    .lane
                    .map_or(String::new(), |lane| format!(", lane {lane}"));
                let what = format!(
                    "{} was written by thread {} in line {line}{lane}",
                    stop.text, thread.index
                );
                self.written.push((stop.id, what));
            }
        }
    }

    /// The stops that are met in front of an instruction: number and reason.
    pub(super) fn met(&mut self, now: &Moment<'_>) -> Vec<(u32, String)> {
        let mut met = Vec::new();
        let written = std::mem::take(&mut self.written);
        for stop in &self.list {
            let said = written.iter().find(|(id, _)| *id == stop.id);
            let why = match &stop.kind {
                Kind::Ops(ops) => ops.contains(&now.pc).then(|| stop.text.clone()),
                Kind::Register(place) => {
                    let new = place.bytes(now.arena);
                    let key = (stop.id, Some(now.thread.index));
                    changed(&mut self.seen, key, new)
                        .map(|(old, new)| format!("{}: {}", stop.text, place.change(&old, &new)))
                }
                Kind::Surface {
                    index,
                    texel: Some(at),
                } => {
                    // Only a write changes it.
                    let key = (stop.id, None);
                    let first = !self.seen.contains_key(&key);
                    let surface = now
                        .bindings
                        .surfaces
                        .get(index)
                        .filter(|_| first || said.is_some());
                    let new = surface.and_then(|surface| texel(surface, *at));
                    let change = new.and_then(|new| changed(&mut self.seen, key, new));
                    change.map(|(old, new)| {
                        let what = said.map_or(&stop.text, |(_, what)| what);
                        format!("{what}: {} -> {}", hex(&old), hex(&new))
                    })
                }
                _ => said.map(|(_, what)| what.clone()),
            };
            let wanted = match &stop.kind {
                Kind::Ops(_) | Kind::Register(_) => {
                    stop.thread.is_none_or(|own| own == now.thread.index)
                }
                _ => true,
            };
            let holds = stop.condition.as_ref().is_none_or(|c| c.holds(now.arena));
            if let Some(why) = why.filter(|_| wanted && holds) {
                met.push((stop.id, why));
            }
        }
        met
    }
}

/// What was there before, if it was something else.
fn changed(
    seen: &mut HashMap<(u32, Option<u32>), Vec<u8>>,
    key: (u32, Option<u32>),
    new: Vec<u8>,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let old = seen.insert(key, new.clone())?;
    (old != new).then_some((old, new))
}

/// The bytes of a texel; `None` outside of the surface.
pub fn texel(surface: &Surface, [x, y]: [u32; 2]) -> Option<Vec<u8>> {
    let (width, height, _) = surface.level_size(0);
    if x >= width || y >= height {
        return None;
    }
    let at = surface.place(TexelPosition {
        level: 0,
        slice: 0,
        x,
        y,
        sample: 0,
    });
    Some(surface.read_cell(at)[..surface.cell_bytes() as usize].to_vec())
}

fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    bytes.join(" ")
}
