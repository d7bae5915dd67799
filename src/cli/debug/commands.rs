//! The commands of the prompt.

use super::super::output::print;
use super::super::{signals, watch};
use super::input::{Input, PROMPT, Read1};
use super::picture;
use super::show::{Shown, place_rows, variables};
use crate::debug::{
    Condition, Face, Go, Kind, Location, Pause, Place, Stops, ThreadView, Until, Why,
};
use crate::diagnostic::{Code, Diagnostic, counted, render_all};
use crate::exec::observer::SpaceName;
use crate::explain::line::follow;
use crate::explain::stepped::Messages;
use crate::files::Writes;
use crate::finalizer::Release;
use crate::harness::bind;
use crate::harness::front::Front;
use crate::harness::grants;
use crate::harness::values::View;
use crate::harness::words::nearest;
use crate::isa::Type;
use crate::launch::Grid;
use crate::program::{Op, Symbol, SymbolClass};
use crate::source::{Source, Span, Spanned, printable};
use crate::surface::file::encode_picture;
use crate::surface::{Image, Picture, Surface};
use crate::video::Stop as Signal;
use std::io;
use std::path::Path;
use std::sync::Arc;

type Wrong = Box<Diagnostic>;
/// How the run goes on; `None`: it does not yet.
type Done = Result<Option<Go>, Wrong>;

/// A command.
struct Command {
    name: &'static str,
    /// The short forms of other debuggers.
    short: &'static [&'static str],
    /// What follows it.
    takes: &'static str,
    help: &'static str,
    act: fn(&mut Terminal<'_>, &mut Pause<'_>, Rest<'_>) -> Done,
}

/// What follows the command, and where in the line.
#[derive(Clone, Copy)]
struct Rest<'t> {
    text: &'t str,
    base: u32,
}

impl<'t> Rest<'t> {
    fn span(&self) -> Span {
        // A command with nothing behind it is pointed at itself.
        let end = self.base + self.text.len() as u32;
        Span::new(self.base.min(end.saturating_sub(1)), end)
    }

    /// The first word, and what is behind it.
    fn word(&self) -> (&'t str, Rest<'t>) {
        let end = self
            .text
            .find(char::is_whitespace)
            .unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        let trimmed = rest.trim_start();
        let base = self.base + (self.text.len() - trimmed.len()) as u32;
        (
            word,
            Rest {
                text: trimmed,
                base,
            },
        )
    }

    /// In front of a word that stands alone, and behind it.
    fn split(&self, word: &str) -> (Rest<'t>, Option<Rest<'t>>) {
        let padded = format!(" {word} ");
        let at = match self.text.starts_with(&padded[1..]) {
            true => Some((0, padded.len() - 1)),
            false => self.text.find(&padded).map(|at| (at, padded.len())),
        };
        let Some((at, len)) = at else {
            return (*self, None);
        };
        let front = Rest {
            text: self.text[..at].trim_end(),
            ..*self
        };
        let text = &self.text[at + len..];
        let behind = Rest {
            text: text.trim(),
            base: self.base + (at + len + text.len() - text.trim_start().len()) as u32,
        };
        (front, Some(behind))
    }

    fn wrong(&self, code: Code, what: impl Into<String>) -> Wrong {
        Box::new(Diagnostic::new(code).at(self.span(), what))
    }
}

macro_rules! commands {
    ($($name:literal $short:tt $takes:literal $help:literal $act:path)+) => {
        const COMMANDS: &[Command] = &[$(Command {
            name: $name, short: &$short, takes: $takes, help: $help, act: |terminal, pause, rest| $act(terminal, pause, rest),
        }),+];
    };
}

commands! {
    "step" ["s"] "[N]" "run N instructions of the thread, into functions" Terminal::step
    "next" ["n"] "[N]" "the same, over functions that it calls" Terminal::next
    "finish" [] "" "run until the function at hand has returned" Terminal::finish
    "continue" ["c"] "" "run until a stop or to the end" Terminal::go_on
    "until" ["u"] "PLACE | thread T" "run until a line, label or function, or until thread T is next" Terminal::until
    "back" ["rs"] "[N]" "go back N instructions of the thread" Terminal::back
    "rnext" ["rn"] "" "go back one instruction, over functions that it has called" Terminal::rnext
    "rcontinue" ["rc"] "" "go back to the last stop, or to the start" Terminal::rcontinue
    "start" ["restart"] "" "go back in front of the first instruction" Terminal::start
    "break" ["b"] "PLACE [thread T] [if CONDITION]" "stop in front of a line, FILE:LINE, label, function or *OP: break 32 if V34 lane 3 > 7" Terminal::add_break
    "watch" ["w"] "VARIABLE | surface NAME [X,Y] | memory ADDRESS [N] | slm BYTE [N] [if CONDITION]" "stop when a register changes or memory is written" Terminal::watch
    "delete" ["d"] "[N]" "take away stop N, or all" Terminal::delete
    "stops" ["info"] "" "list where the run stops" Terminal::stops
    "print" ["p"] "VARIABLE[(R,C)][<V;W,H>][:TYPE] [x N] [lane N] | SURFACE [X,Y]" "print registers, or bytes of a surface: print V34(1,0)<8;8,1>:f x 16" Terminal::print
    "variables" ["vars"] "[*]" "list the variables of the kernel; with * built-in ones, too" Terminal::variables
    "surfaces" ["surface"] "[NAME]" "list the surfaces that are bound, or show one" Terminal::surfaces
    "picture" ["pic"] "SURFACE [FILE.png]" "show a surface, or write it to a file" Terminal::picture
    "message" ["m"] "" "take the next message apart: descriptor, header, payload" Terminal::message
    "list" ["l"] "[LINE]" "print the text around the place at hand, or around a line" Terminal::list
    "where" ["bt", "backtrace"] "" "the functions that the thread is in" Terminal::backtrace
    "threads" [] "" "list the threads of the group" Terminal::threads
    "thread" ["t"] "[T]" "look at the registers of a thread that waits: N, X,Y or X,Y,Z,N" Terminal::thread
    "help" ["h", "?"] "[COMMAND]" "list the commands, or tell of one" Terminal::help
    "quit" ["q", "exit"] "" "end the session" Terminal::quit
}

/// A person, or a list of commands.
pub struct Terminal<'t> {
    source: &'t Source,
    front: Option<(&'t Front, Release)>,
    grid: Grid<'t>,
    input: Input,
    colour: bool,
    signal: Signal,
    /// The command that an empty line repeats.
    last: String,
    /// How often the command is to be carried out again.
    more: Option<(u64, Go)>,
    /// The thread that is looked at, where it is not the one that is next.
    looked: Option<u32>,
    said: String,
    /// The first command that was wrong, where nobody can mend it.
    pub wrong: Option<(Wrong, Source)>,
    /// Why nothing more can be printed.
    pub failed: Option<io::Error>,
}

impl Face for Terminal<'_> {
    fn paused(&mut self, pause: &mut Pause<'_>) -> Go {
        if let Some((left, go)) = self.more.take()
            && left > 0
            && matches!(pause.why, Why::Step)
        {
            self.more = Some((left - 1, go));
            return go;
        }
        self.more = None;
        self.looked = None;
        self.arrive(pause);
        loop {
            self.flush();
            let (line, echo) = match self.input.line() {
                Read1::Line(line, echo) => (line, echo),
                Read1::Nothing => {
                    self.say("quit ends the session\n");
                    continue;
                }
                Read1::End => return Go::Quit,
            };
            let line = line.trim();
            if line.starts_with('#') || (line.is_empty() && echo) {
                continue;
            }
            if echo {
                self.say(&format!("{PROMPT}{line}\n"));
            }
            let line = match line.is_empty() {
                true => self.last.clone(),
                false => line.to_string(),
            };
            match self.carry_out(&line, pause) {
                Ok(None) => {}
                Ok(Some(go)) => {
                    self.flush();
                    if self.failed.is_some() {
                        return Go::Quit;
                    }
                    self.signal = Signal::default();
                    signals::stop_first(&self.signal);
                    return go;
                }
                Err(wrong) if self.input.is_terminal() => {
                    let text = Source::new("command", &line[..]);
                    self.paint(&render_all(&[*wrong], &text, self.colour));
                }
                Err(wrong) => {
                    self.flush();
                    self.wrong = Some((wrong, Source::new("command", line)));
                    return Go::Quit;
                }
            }
        }
    }

    fn interrupted(&mut self, _: &mut Stops) -> Option<Go> {
        self.signal.is_asked().then_some(Go::Pause)
    }
}

impl<'t> Terminal<'t> {
    /// Carries out what `input` has.
    pub fn new(
        source: &'t Source,
        front: Option<(&'t Front, Release)>,
        grid: Grid<'t>,
        input: Input,
        colour: bool,
    ) -> Terminal<'t> {
        Terminal {
            source,
            front,
            grid,
            input,
            colour,
            signal: Signal::default(),
            last: String::new(),
            more: None,
            looked: None,
            said: String::new(),
            wrong: None,
            failed: None,
        }
    }

    /// Says text, in which names of the program may have control characters.
    fn say(&mut self, text: &str) {
        self.said.push_str(&printable(text));
    }

    /// Says text that has colours of its own, and nothing else that a terminal obeys.
    fn paint(&mut self, text: &str) {
        self.said.push_str(text);
    }

    fn flush(&mut self) {
        let said = std::mem::take(&mut self.said);
        if let Err(error) = print(said.as_bytes()) {
            self.failed.get_or_insert(error);
        }
    }

    fn shown<'p>(&self, pause: &Pause<'p>) -> Shown<'p>
    where
        't: 'p,
    {
        Shown {
            source: self.source,
            program: pause.program,
        }
    }

    /// Says why and where the run stands still.
    fn arrive(&mut self, pause: &Pause<'_>) {
        let shown = self.shown(pause);
        match &pause.why {
            Why::Start => {
                let program = pause.program;
                let (ops, threads) = (counted(program.ops.len() as u64, "op"), self.grid.threads());
                let threads = counted(threads, "thread");
                self.say(&format!(
                    "kernel {} for {}: {ops}, {threads}; help lists the commands\n",
                    program.name, program.platform.name
                ));
            }
            Why::Step => {}
            Why::Stops(met) => {
                for (id, why) in met {
                    self.say(&format!("stop {id}: {why}\n"));
                }
            }
            Why::Interrupted => self.say("interrupted\n"),
            Why::Beginning => self.say("this is the start of the run\n"),
            Why::Trapped(diagnostic) => {
                let text = render_all(std::slice::from_ref(diagnostic), self.source, self.colour);
                self.paint(&text);
                self.say("the instruction that is next cannot run; back goes back\n");
            }
            Why::Ended => {
                let done = counted(pause.done, "instruction");
                self.say(&format!(
                    "all threads have ended, after {done}; back goes back, quit ends the session\n"
                ));
            }
        }
        if let (Some(ran), true) = (pause.ran, matches!(pause.why, Why::Step | Why::Stops(_))) {
            let text = shown.ran(ran);
            self.say(&text);
        }
        if let Some(here) = &pause.here {
            let depth = pause.threads.get(&here.at.thread.index);
            if let Some(frame) = depth.and_then(|view| view.stack.last()) {
                let function = shown.function(Some(frame));
                self.say(&format!("in {function}\n"));
            }
            let text = shown.place(here.at, here.on.mask, self.colour);
            self.paint(&text);
        }
    }

    fn carry_out(&mut self, line: &str, pause: &mut Pause<'_>) -> Done {
        let whole = Rest {
            text: line,
            base: 0,
        };
        let (word, rest) = whole.word();
        if word.is_empty() {
            return Ok(None);
        }
        let command = find(word).map_err(|what| {
            let at = Span::new(0, word.len() as u32);
            Box::new(Diagnostic::new(Code::E0960).at(at, what.0).help(what.1))
        })?;
        self.last = match command.name {
            "step" | "next" | "back" | "rnext" | "continue" | "rcontinue" => line.to_string(),
            _ => String::new(),
        };
        if command.takes.is_empty() && !rest.text.is_empty() {
            return Err(rest.wrong(Code::E0960, format!("`{}` takes nothing", command.name)));
        }
        (command.act)(self, pause, rest)
    }

    /// The thread that is next.
    fn next_thread(pause: &Pause<'_>, rest: Rest<'_>) -> Result<u32, Wrong> {
        match &pause.here {
            Some(here) => Ok(here.at.thread.index),
            None => Err(rest.wrong(
                Code::E0960,
                "all threads have ended: `back` or `start` goes back",
            )),
        }
    }

    fn depth(pause: &Pause<'_>, thread: u32) -> usize {
        pause
            .threads
            .get(&thread)
            .map_or(0, |view| view.stack.len())
    }

    fn times(&mut self, rest: Rest<'_>, go: Go) -> Done {
        let times = match rest.text {
            "" => Some(1),
            text => text.parse::<u64>().ok().filter(|n| *n > 0),
        };
        let Some(times) = times else {
            return Err(rest.wrong(Code::E0960, "expected how often, a number of 1 or more"));
        };
        self.more = Some((times - 1, go));
        Ok(Some(go))
    }

    fn step(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let thread = Self::next_thread(pause, rest)?;
        self.times(rest, Go::Forward(Until::Step(thread)))
    }

    fn next(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let thread = Self::next_thread(pause, rest)?;
        let depth = Self::depth(pause, thread);
        self.times(rest, Go::Forward(Until::Over { thread, depth }))
    }

    fn finish(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let thread = Self::next_thread(pause, rest)?;
        match Self::depth(pause, thread).checked_sub(1) {
            Some(depth) => Ok(Some(Go::Forward(Until::Over { thread, depth }))),
            None => Err(rest.wrong(Code::E0960, "the thread is in no function")),
        }
    }

    fn go_on(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        Self::next_thread(pause, rest)?;
        Ok(Some(Go::Forward(Until::Stop)))
    }

    fn until(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        Self::next_thread(pause, rest)?;
        if let Some(thread) = rest.text.strip_prefix("thread ") {
            let thread = self.thread_of(thread, rest)?;
            return Ok(Some(Go::Forward(Until::Thread(thread))));
        }
        let place = self.location(pause, rest)?;
        let first = place.ops.first().copied().unwrap_or(0);
        Ok(Some(Go::Forward(Until::Op(first))))
    }

    fn back(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let thread = pause.here.map_or(0, |here| here.at.thread.index);
        self.times(rest, Go::Back(Until::Step(thread)))
    }

    fn rnext(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let thread = Self::next_thread(pause, rest)?;
        let depth = Self::depth(pause, thread);
        Ok(Some(Go::Back(Until::Over { thread, depth })))
    }

    fn rcontinue(&mut self, _: &mut Pause<'_>, _: Rest<'_>) -> Done {
        Ok(Some(Go::Back(Until::Stop)))
    }

    fn start(&mut self, _: &mut Pause<'_>, _: Rest<'_>) -> Done {
        Ok(Some(Go::Start))
    }

    fn quit(&mut self, _: &mut Pause<'_>, _: Rest<'_>) -> Done {
        Ok(Some(Go::Quit))
    }

    fn thread_of(&self, text: &str, rest: Rest<'_>) -> Result<u32, Wrong> {
        watch::thread("thread", text.trim(), &self.grid).map_err(|mistake| {
            let why = mistake
                .0
                .labels
                .first()
                .map_or(String::new(), |l| l.text.clone());
            rest.wrong(Code::E0901, why)
        })
    }

    /// A line, a label, a function or an op.
    fn location(&self, pause: &Pause<'_>, rest: Rest<'_>) -> Result<Location, Wrong> {
        let (program, source) = (pause.program, self.source);
        let text = rest.text;
        if let Ok(line) = text.parse::<usize>() {
            return Location::of_line(program, source, line, rest.span());
        }
        if let Some(op) = text.strip_prefix('*') {
            let pc = op.parse().ok();
            let found = pc.and_then(|pc| Location::of_op(program, source, pc));
            let all = program.ops.len();
            return found.ok_or_else(|| {
                rest.wrong(
                    Code::E0961,
                    format!("the program has ops *0 to *{}", all - 1),
                )
            });
        }
        if let Some((file, line)) = text.rsplit_once(':') {
            let own = |name: &str| Path::new(name).file_name() == Path::new(file).file_name();
            let number = source.names().position(own);
            let span = number.zip(line.parse().ok());
            let span = span.and_then(|(number, line)| source.line_span_in(number, line));
            let found = span.and_then(|span| Location::of_span(program, source, span));
            return found.ok_or_else(|| {
                rest.wrong(Code::E0961, "no instruction of the program starts there")
            });
        }
        let checked = self.front.as_ref().map(|(front, _)| &front.checked);
        Location::named(program, source, checked, text, rest.span())
    }

    fn add_break(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let (front, condition) = rest.split("if");
        let (place, thread) = front.split("thread");
        let location = match (place.text, &pause.here) {
            ("", Some(here)) => Location::of_op(pause.program, self.source, here.at.pc)
                .ok_or_else(|| rest.wrong(Code::E0961, "the place at hand is not in the text"))?,
            _ => self.location(pause, place)?,
        };
        let thread = thread
            .map(|rest| self.thread_of(rest.text, rest))
            .transpose()?;
        let function = self.function(pause);
        let condition = condition
            .map(|rest| Condition::read(rest.text, rest.base, pause.program, function))
            .transpose()?;
        let mut text = format!("line {}", location.line);
        if place.text.parse::<usize>().is_err() && !place.text.is_empty() {
            text = format!("{} ({text})", place.text);
        }
        if let Some(thread) = thread {
            text.push_str(&format!(" in thread {thread}"));
        }
        if let Some(condition) = &condition {
            text.push_str(&format!(" if {}", condition.text));
        }
        self.added(pause, Kind::Ops(location.ops), condition, thread, text)
    }

    fn added(
        &mut self,
        pause: &mut Pause<'_>,
        kind: Kind,
        condition: Option<Condition>,
        thread: Option<u32>,
        text: String,
    ) -> Done {
        let id = pause.stops.add(kind, condition, thread, text.clone());
        self.say(&format!("stop {id}: {text}\n"));
        Ok(None)
    }

    /// The function of the thread that is looked at.
    fn function(&self, pause: &Pause<'_>) -> Option<u32> {
        let here = pause.here.map(|here| here.at.thread.index);
        let view = self
            .looked
            .or(here)
            .and_then(|thread| pause.threads.get(&thread));
        view.and_then(|view| view.stack.last())
            .and_then(|frame| frame.function)
    }

    fn watch(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let (rest, condition) = rest.split("if");
        let function = self.function(pause);
        let condition = condition
            .map(|rest| Condition::read(rest.text, rest.base, pause.program, function))
            .transpose()?;
        let (kind, mut text) = self.watched(pause, rest)?;
        if let Some(condition) = &condition {
            text.push_str(&format!(" if {}", condition.text));
        }
        self.added(pause, kind, condition, None, text)
    }

    /// What is waited for, and as it is listed.
    fn watched(&self, pause: &Pause<'_>, rest: Rest<'_>) -> Result<(Kind, String), Wrong> {
        let (word, behind) = rest.word();
        match word {
            "surface" => {
                let (name, behind) = behind.word();
                let (index, surface) = self.surface(pause, name, rest)?;
                let texel = match behind.text {
                    "" => None,
                    text => Some(texel(text, &surface, behind)?),
                };
                let text = match texel {
                    Some([x, y]) => format!("surface {name} at {x},{y}"),
                    None => format!("surface {name}"),
                };
                Ok((Kind::Surface { index, texel }, text))
            }
            "memory" | "slm" => {
                let (start, length) = behind.word();
                let number = |text: &str| match text.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16).ok(),
                    None => text.parse().ok(),
                };
                let length_of = match length.text {
                    "" => Some(4),
                    text => number(text),
                };
                let bytes = number(start).zip(length_of);
                let bytes = bytes.and_then(|(start, n)| Some(start..start.checked_add(n.max(1))?));
                let Some(bytes) = bytes else {
                    return Err(behind.wrong(
                        Code::E0962,
                        "expected an address and a number of bytes: 0x1000 16",
                    ));
                };
                let space = match word {
                    "slm" => SpaceName::Shared,
                    _ => SpaceName::Flat,
                };
                let text = format!("{word} {:#x}..{:#x}", bytes.start, bytes.end);
                Ok((Kind::Memory { space, bytes }, text))
            }
            _ => {
                let place = Place::read(rest.text, rest.base, pause.program, self.function(pause))?;
                let text = place.text.clone();
                Ok((Kind::Register(place), text))
            }
        }
    }

    fn delete(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        if rest.text.is_empty() {
            let all: Vec<u32> = pause.stops.list().iter().map(|stop| stop.id).collect();
            all.into_iter().for_each(|id| {
                pause.stops.remove(id);
            });
            return Ok(None);
        }
        match rest.text.parse().is_ok_and(|id| pause.stops.remove(id)) {
            true => Ok(None),
            false => Err(rest.wrong(
                Code::E0961,
                "there is no stop of this number; `stops` lists them",
            )),
        }
    }

    fn stops(&mut self, pause: &mut Pause<'_>, _: Rest<'_>) -> Done {
        for stop in pause.stops.list() {
            self.say(&format!("{:>3}  {}\n", stop.id, stop.text));
        }
        if pause.stops.list().is_empty() {
            self.say("none; break and watch add one\n");
        }
        Ok(None)
    }

    /// The registers that are looked at.
    fn arena<'a>(&self, pause: &'a Pause<'_>, rest: Rest<'_>) -> Result<&'a [u8], Wrong> {
        let waits = |thread| {
            pause
                .threads
                .get(&thread)
                .and_then(|view: &ThreadView| view.waits.as_deref())
        };
        let here = pause.here.as_ref().map(|here| here.arena);
        let arena = self.looked.and_then(waits).or(here);
        arena.ok_or_else(|| {
            rest.wrong(
                Code::E0962,
                "all threads have ended: `back` goes to where they had registers",
            )
        })
    }

    fn print(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let (name, behind) = rest.word();
        let symbol = pause.program.symbols.get(name);
        if symbol.is_some_and(|s| s.class == SymbolClass::Surface) {
            let (_, surface) = self.surface(pause, name, rest)?;
            return self.print_surface(name, &surface, behind);
        }
        let place = Place::read(rest.text, rest.base, pause.program, self.function(pause))?;
        let arena = self.arena(pause, rest)?;
        let text = place_rows(&place, arena);
        self.say(&text);
        Ok(None)
    }

    /// The bytes of a surface around a texel, or its first ones.
    fn print_surface(&mut self, name: &str, surface: &Surface, at: Rest<'_>) -> Done {
        const ROWS: u32 = 8;
        // What fits a terminal.
        let columns = (96 / (2 * surface.cell_bytes() + 1)).max(1);
        let (width, height, _) = surface.level_size(0);
        let [x, y] = match at.text {
            "" => [0, 0],
            text => texel(text, surface, at)?,
        };
        let d = surface.description();
        self.say(&format!(
            "{name}: {} by {} {}, texel after texel from {x},{y}\n",
            width, height, d.format
        ));
        let view = View::of(Type::Ub, u32::MAX);
        for row in y..(y + ROWS).min(height) {
            let texels = (x..(x + columns).min(width)).filter_map(|x| {
                let bytes = crate::debug::texel(surface, [x, row])?;
                let word: Vec<String> = bytes
                    .iter()
                    .map(|b| view.element(std::slice::from_ref(b)))
                    .collect();
                Some(word.concat())
            });
            let texels: Vec<String> = texels.collect();
            self.say(&format!("  {row:>4}  {}\n", texels.join(" ")));
        }
        Ok(None)
    }

    fn variables(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let own = |symbol: &Symbol| {
            let owner = pause.program.owner(symbol.offset);
            owner.is_none_or(|owner| !owner.predefined)
        };
        for (name, symbol) in variables(pause.program, |_| true) {
            if rest.text != "*" && !own(&symbol) {
                continue;
            }
            let kind = match symbol.class {
                SymbolClass::General(ty) => ty.to_string(),
                SymbolClass::Address => "address".to_string(),
                SymbolClass::Predicate => "predicate".to_string(),
                SymbolClass::Surface => "surface".to_string(),
                SymbolClass::Sampler => "sampler".to_string(),
            };
            self.say(&format!("  {name:<16} {:>5} {kind}\n", symbol.elements));
        }
        Ok(None)
    }

    fn surface(
        &self,
        pause: &Pause<'_>,
        name: &str,
        rest: Rest<'_>,
    ) -> Result<(u32, Arc<Surface>), Wrong> {
        let index =
            bind::surface_index(pause.program, &Spanned::new(name.to_string(), rest.span()))?;
        match pause.bindings.surfaces.get(&index) {
            Some(surface) => Ok((index, Arc::clone(surface))),
            None => Err(Box::new(
                Diagnostic::new(Code::E0703).at(rest.span(), format!("`{name}` is not bound")),
            )),
        }
    }

    fn surfaces(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        if !rest.text.is_empty() {
            return self.picture(pause, rest);
        }
        for (index, surface) in &pause.bindings.surfaces {
            let named = variables(pause.program, |class| class == SymbolClass::Surface);
            let names = named.iter().filter(|(_, symbol)| {
                let first = pause
                    .program
                    .image
                    .get(symbol.offset as usize..)
                    .and_then(<[u8]>::first_chunk);
                first.is_some_and(|bytes| u32::from_le_bytes(*bytes) == *index)
            });
            let names: Vec<&str> = names.map(|(name, _)| *name).collect();
            let (width, height, depth) = surface.level_size(0);
            let format = surface.format();
            self.say(&format!(
                "  {index:>3}  {:<8} {width} by {height} by {depth} {format}\n",
                names.join(" ")
            ));
        }
        if pause.bindings.surfaces.is_empty() {
            self.say("none is bound\n");
        }
        Ok(None)
    }

    fn picture(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let (name, file) = rest.word();
        let (_, surface) = self.surface(pause, name, rest)?;
        let shown = Picture::shown(&surface, Image::default(), None);
        let (picture, range) = shown.map_err(|why| rest.wrong(Code::E0962, why.what))?;
        let values = match range {
            (0.0, 1.0) => String::new(),
            (low, high) => format!(", {low} is black and {high} white"),
        };
        if file.text.is_empty() {
            let text = picture::lines(&picture, self.colour);
            let (width, height) = (picture.width, picture.height);
            self.say(&format!("{name}: {width} by {height}{values}\n"));
            self.paint(&text);
            return Ok(None);
        }
        let bytes = encode_picture(&picture).map_err(|why| rest.wrong(Code::E0702, why))?;
        let path = Path::new(file.text);
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut writes = Writes::default();
        writes.spare(Path::new(self.source.name()));
        let written = grants::may_write(folder, path).map_err(|e| e.to_string());
        let written = written.and_then(|()| {
            let added = writes.add(path, &bytes);
            added
                .and_then(|()| writes.commit())
                .map_err(|e| e.to_string())
        });
        written.map_err(|why| file.wrong(Code::E0702, why))?;
        self.say(&format!(
            "wrote {}, {} by {}{values}\n",
            path.display(),
            picture.width,
            picture.height
        ));
        Ok(None)
    }

    fn message(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let Some(here) = &pause.here else {
            return Err(rest.wrong(Code::E0960, "there is no instruction at hand"));
        };
        let ops = pause
            .program
            .ops
            .iter()
            .enumerate()
            .skip(here.at.pc as usize);
        let mut sends = ops.filter(|(_, op)| matches!(op, Op::Send(_) | Op::RawSend(_)));
        let Some((pc, _)) = sends.next() else {
            self.say("no message is behind this place\n");
            return Ok(None);
        };
        let line = self.shown(pause).line(pc as u32);
        let first = pause.program.sites.get(pc).map(|site| site.span);
        let here_span = pause.program.site(here.at.pc).map(|site| site.span);
        if first.is_some() && first == here_span {
            // Of the instruction that is next everything is known.
            let text = self
                .front
                .as_ref()
                .map(|(front, release)| (&front.checked, *release));
            let mut messages = Messages::new(pause.program, self.source, text);
            if let Some(text) = messages.text(pc as u32, here.on.mask, here.arena) {
                self.say(&format!(
                    "line {line}: {}\n{text}",
                    self.shown(pause).instruction(pc as u32)
                ));
                return Ok(None);
            }
        }
        let followed = self.front.as_ref().and_then(|(front, release)| {
            let followed = follow(self.source, &front.checked, line, *release)?;
            Some(format!(
                "{followed}until {line} and message again has the values\n"
            ))
        });
        match followed {
            Some(followed) => self.say(&format!("line {line}: {followed}")),
            None => self.say(&format!("the next message is that of line {line}\n")),
        }
        Ok(None)
    }

    fn list(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        const AROUND: usize = 5;
        let here = pause.here.map(|here| self.shown(pause).line(here.at.pc));
        let line = match (rest.text, here) {
            ("", here) => here.unwrap_or(1),
            (text, _) => match text.parse::<usize>() {
                Ok(line) if self.source.line_span(line).is_some() => line,
                _ => self.location(pause, rest)?.line,
            },
        };
        let stops: Vec<usize> = pause
            .stops
            .list()
            .iter()
            .filter_map(|stop| match &stop.kind {
                Kind::Ops(ops) => ops.first().map(|pc| self.shown(pause).line(*pc)),
                _ => None,
            })
            .collect();
        for number in line.saturating_sub(AROUND).max(1)..=line + AROUND {
            if self.source.line_span(number).is_none() {
                break;
            }
            let mark = match (here == Some(number), stops.contains(&number)) {
                (true, _) => '>',
                (false, true) => '*',
                (false, false) => ' ',
            };
            let text =
                crate::source::printable(self.source.line_text(number).trim_end()).into_owned();
            self.say(&format!("{mark}{number:>5}  {text}\n"));
        }
        Ok(None)
    }

    fn backtrace(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        let thread = Self::next_thread(pause, rest)?;
        let thread = self.looked.unwrap_or(thread);
        if let Some(view) = pause.threads.get(&thread) {
            let text = self.shown(pause).stack(view.at, &view.stack);
            self.say(&text);
        }
        Ok(None)
    }

    fn threads(&mut self, pause: &mut Pause<'_>, _: Rest<'_>) -> Done {
        let shown = self.shown(pause);
        for view in pause.threads.values() {
            let text = shown.thread(view, pause.here.as_ref());
            self.say(&text);
        }
        let rest = self
            .grid
            .threads()
            .saturating_sub(pause.threads.len() as u64);
        if rest > 0 {
            let rest = counted(rest, "thread");
            self.say(&format!(
                "{rest} more: not begun, or of groups that have ended\n"
            ));
        }
        Ok(None)
    }

    fn thread(&mut self, pause: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        if rest.text.is_empty() {
            return self.threads(pause, rest);
        }
        let thread = self.thread_of(rest.text, rest)?;
        let here = pause.here.map(|here| here.at.thread.index);
        if here == Some(thread) {
            self.looked = None;
        } else if pause
            .threads
            .get(&thread)
            .is_some_and(|view| view.waits.is_some())
        {
            self.looked = Some(thread);
        } else {
            let wrong = rest.wrong(
                Code::E0960,
                "only a thread that is next or waits at a barrier has registers to look at",
            );
            return Err(Box::new(
                wrong.help(format!("until thread {thread}, or start and then that")),
            ));
        }
        if let Some(view) = pause.threads.get(&thread) {
            let text = self.shown(pause).place(view.at, view.on.mask, self.colour);
            self.say(&text);
        }
        Ok(None)
    }

    fn help(&mut self, _: &mut Pause<'_>, rest: Rest<'_>) -> Done {
        if rest.text.is_empty() {
            let names: Vec<String> = COMMANDS.iter().map(|c| c.name.to_string()).collect();
            let width = names.iter().map(String::len).max().unwrap_or(0);
            for command in COMMANDS {
                let short = match command.short.first() {
                    Some(short) => format!("{short:<3}"),
                    None => "   ".to_string(),
                };
                self.say(&format!(
                    "  {:<width$} {short} {}\n",
                    command.name, command.help
                ));
            }
            return Ok(None);
        }
        let command = find(rest.text).map_err(|(what, help)| {
            Box::new(
                Diagnostic::new(Code::E0960)
                    .at(rest.span(), what)
                    .help(help),
            )
        })?;
        let short = match command.short {
            [] => String::new(),
            short => format!(" (also {})", short.join(", ")),
        };
        self.say(&format!(
            "{} {}{short}\n  {}\n",
            command.name, command.takes, command.help
        ));
        Ok(None)
    }
}

/// Column and row of a texel.
fn texel(text: &str, surface: &Surface, rest: Rest<'_>) -> Result<[u32; 2], Wrong> {
    let (width, height, _) = surface.level_size(0);
    let pair = text.split_once(',');
    let pair = pair.and_then(|(x, y)| Some([x.trim().parse().ok()?, y.trim().parse().ok()?]));
    pair.filter(|[x, y]| *x < width && *y < height)
        .ok_or_else(|| {
            rest.wrong(
                Code::E0962,
                format!("expected a column below {width} and a row below {height}, as 3,0"),
            )
        })
}

/// A command by its name, a short form, or the beginning of one name alone.
fn find(word: &str) -> Result<&'static Command, (String, String)> {
    let exact = COMMANDS
        .iter()
        .find(|c| c.name == word || c.short.contains(&word));
    if let Some(command) = exact {
        return Ok(command);
    }
    let begins: Vec<&Command> = COMMANDS
        .iter()
        .filter(|c| c.name.starts_with(word))
        .collect();
    match begins[..] {
        [command] => Ok(command),
        [] => {
            let names = COMMANDS.iter().map(|c| c.name);
            let near = nearest(word, names);
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`help` lists the commands".to_string(),
            };
            Err((format!("`{word}` is no command"), help))
        }
        _ => {
            let names: Vec<&str> = begins.iter().map(|c| c.name).collect();
            Err((
                format!("`{word}` may be {}", names.join(", ")),
                "a letter more tells".to_string(),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_by_name_short_form_and_beginning() {
        let name = |word: &str| find(word).map(|c| c.name).map_err(|e| e.1);
        assert_eq!(name("s"), Ok("step"));
        assert_eq!(name("cont"), Ok("continue"));
        assert_eq!(name("bt"), Ok("where"));
        assert_eq!(name("stpe"), Err("did you mean `step`?".to_string()));
        assert_eq!(name("xyzzy"), Err("`help` lists the commands".to_string()));
        let short: Vec<_> = COMMANDS.iter().flat_map(|c| c.short).collect();
        assert!(short.iter().all(|word| find(word).is_ok()));
    }
}
