//! What a client asks of a run that stands still, and what it is told.

use super::super::debug::{Shown, variables};
use super::wire::{Incoming, Writer};
use crate::check::Checked;
use crate::debug::{
    Condition, Face, Frame, Go, Kind, Location, Pause, Place, Stops, Until, Why, texel,
};
use crate::diagnostic::{Diagnostic, render_all};
use crate::explain::stepped::Messages;
use crate::finalizer::Release;
use crate::program::SymbolClass;
use crate::source::{Source, Span};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::Receiver;

/// What the adapter can do.
pub fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true, "supportsConditionalBreakpoints": true,
        "supportsDataBreakpoints": true, "supportsFunctionBreakpoints": true, "supportsStepBack": true,
        "supportsEvaluateForHovers": true,
        "supportsTerminateRequest": true, "supportsExceptionInfoRequest": true,
    })
}

/// Answers requests after the end of a run, until the client goes.
pub fn wait_for_the_end(messages: &mut Receiver<Incoming>, writer: &mut Writer) {
    while let Ok(read) = messages.recv() {
        match read {
            Incoming::Message(request) => {
                let ends = ends(&request);
                let answer = match ends {
                    true => Ok(Value::Null),
                    false => Err("the program has ended".to_string()),
                };
                writer.answer(&request, answer);
                if ends {
                    return;
                }
            }
            Incoming::Broken(_) => {}
            Incoming::End(_) => return,
        }
    }
}

fn ends(request: &Value) -> bool {
    request["command"] == "disconnect" || request["command"] == "terminate"
}

/// What a reference of the client stands for, until the run goes on.
#[derive(Clone)]
enum Reference {
    Registers(u32),
    Predicates(u32),
    Surfaces,
    Messages,
    /// The elements of a place.
    Elements(u32, Place),
}

/// A client, between it and the run.
pub struct Adapter<'a> {
    launch: &'a Value,
    messages: &'a mut Receiver<Incoming>,
    writer: Writer,
    source: &'a Source,
    /// The text, where it is vISA, and whose messages it has.
    text: Option<(&'a Checked, Release)>,
    /// What has come and is not answered.
    queue: VecDeque<Incoming>,
    references: Vec<Reference>,
    /// The stops of the text, each with the number of its file, of functions, and of data.
    lines: Vec<(usize, u32)>,
    functions: Vec<u32>,
    data: Vec<u32>,
    last: Go,
    /// Whether the client asked for a pause.
    wanted: bool,
    /// Why the instruction that is next cannot run.
    trap: Option<Box<Diagnostic>>,
    /// The launch is answered.
    pub started: bool,
}

type Answer = Result<Value, String>;

impl Face for Adapter<'_> {
    fn paused(&mut self, pause: &mut Pause<'_>) -> Go {
        self.references.clear();
        self.trap = None;
        if !self.started {
            self.started = true;
            let launch = self.launch;
            self.writer.answer(launch, Ok(Value::Null));
            self.writer.event("initialized", json!({}));
            let stays = launch["arguments"]["stopOnEntry"] == true;
            return match self.configure(pause) {
                false => Go::Quit,
                true if stays => {
                    self.tell("entry", pause, "");
                    self.serve(pause)
                }
                true => self.go(Go::Forward(Until::Stop)),
            };
        }
        match &pause.why {
            Why::Ended => return Go::Quit,
            Why::Start => self.tell("entry", pause, ""),
            Why::Beginning => self.tell("entry", pause, "this is the start of the run"),
            Why::Step => self.tell("step", pause, ""),
            Why::Interrupted if !self.wanted => {
                return match self.answer_all(pause) {
                    Some(go) => go,
                    None => self.last,
                };
            }
            Why::Interrupted => {
                self.wanted = false;
                self.tell("pause", pause, "");
            }
            Why::Stops(met) => {
                let data = met.iter().any(|(id, _)| self.data.contains(id));
                let words: Vec<&str> = met.iter().map(|(_, why)| why.as_str()).collect();
                let reason = if data {
                    "data breakpoint"
                } else {
                    "breakpoint"
                };
                let words = words.join("; ");
                self.tell(reason, pause, &words);
            }
            Why::Trapped(diagnostic) => {
                self.trap = Some(diagnostic.clone());
                let text = render_all(std::slice::from_ref(diagnostic), self.source, false);
                self.writer.output("stderr", &text);
                let message = diagnostic.message.clone();
                self.tell("exception", pause, &message);
            }
        }
        self.serve(pause)
    }

    fn interrupted(&mut self, _: &mut Stops) -> Option<Go> {
        while let Ok(read) = self.messages.try_recv() {
            self.queue.push_back(read);
        }
        let gone = |read: &Incoming| match read {
            Incoming::Message(request) => ends(request),
            Incoming::Broken(_) => false,
            Incoming::End(_) => true,
        };
        if self.queue.iter().any(gone) || self.writer.closed {
            self.answer_the_end();
            return Some(Go::Quit);
        }
        let pauses =
            |read: &Incoming| matches!(read, Incoming::Message(r) if r["command"] == "pause");
        if self.queue.iter().any(pauses) {
            self.wanted = true;
        }
        // On the way back the place to go on from is another one.
        let answers = self.wanted || matches!(self.last, Go::Forward(_));
        (answers && !self.queue.is_empty()).then_some(Go::Pause)
    }
}

impl<'a> Adapter<'a> {
    /// An adapter of a launch that is not answered yet.
    pub fn new(
        launch: &'a Value,
        messages: &'a mut Receiver<Incoming>,
        writer: Writer,
        source: &'a Source,
        text: Option<(&'a Checked, Release)>,
    ) -> Adapter<'a> {
        Adapter {
            launch,
            messages,
            writer,
            source,
            text,
            queue: VecDeque::new(),
            references: Vec::new(),
            lines: Vec::new(),
            functions: Vec::new(),
            data: Vec::new(),
            last: Go::Forward(Until::Stop),
            wanted: false,
            trap: None,
            started: false,
        }
    }

    /// The way to the client.
    pub fn into_writer(self) -> Writer {
        self.writer
    }

    fn answer_the_end(&mut self) {
        for read in std::mem::take(&mut self.queue) {
            if let Incoming::Message(request) = read {
                let answer = match ends(&request) {
                    true => Ok(Value::Null),
                    false => Err("the session ends".to_string()),
                };
                self.writer.answer(&request, answer);
            }
        }
    }

    fn tell(&mut self, reason: &str, pause: &Pause<'_>, text: &str) {
        let thread = pause.here.map_or(0, |here| here.at.thread.index);
        let mut body = json!({ "reason": reason, "threadId": u64::from(thread) + 1, "allThreadsStopped": true });
        if !text.is_empty() {
            body["text"] = json!(text);
            body["description"] = json!(text);
        }
        self.writer.event("stopped", body);
    }

    fn go(&mut self, go: Go) -> Go {
        self.last = go;
        go
    }

    fn next(&mut self) -> Incoming {
        match self.queue.pop_front() {
            Some(read) => read,
            None => self.messages.recv().unwrap_or(Incoming::End(None)),
        }
    }

    /// Until the client has set its stops. False if it goes.
    fn configure(&mut self, pause: &mut Pause<'_>) -> bool {
        loop {
            match self.next() {
                Incoming::Message(request) if request["command"] == "configurationDone" => {
                    self.writer.answer(&request, Ok(Value::Null));
                    return true;
                }
                Incoming::End(_) => return false,
                read => {
                    if self.take(read, pause) == Some(Go::Quit) {
                        return false;
                    }
                }
            }
        }
    }

    /// Answers until the run is to go on.
    fn serve(&mut self, pause: &mut Pause<'_>) -> Go {
        loop {
            let read = self.next();
            if let Some(go) = self.take(read, pause) {
                return self.go(go);
            }
        }
    }

    /// Answers what has come while threads ran.
    fn answer_all(&mut self, pause: &mut Pause<'_>) -> Option<Go> {
        while let Some(read) = self.queue.pop_front() {
            if let Some(Go::Quit) = self.take(read, pause) {
                return Some(Go::Quit);
            }
        }
        None
    }

    fn take(&mut self, read: Incoming, pause: &mut Pause<'_>) -> Option<Go> {
        let request = match read {
            Incoming::Message(request) => request,
            Incoming::Broken(why) => {
                self.writer.output("stderr", &format!("{why}\n"));
                return None;
            }
            Incoming::End(_) => return Some(Go::Quit),
        };
        if request["type"] != "request" {
            self.writer
                .output("stderr", "a message that is no request\n");
            return None;
        }
        let resumes = resumes(&request, pause);
        let answer = match (&resumes, ends(&request)) {
            (Some(_), _) => Ok(json!({ "allThreadsContinued": true })),
            (None, true) => Ok(Value::Null),
            (None, false) => self.answer(&request, pause),
        };
        self.writer.answer(&request, answer);
        match ends(&request) {
            true => Some(Go::Quit),
            false => resumes,
        }
    }

    fn answer(&mut self, request: &Value, pause: &mut Pause<'_>) -> Answer {
        let arguments = &request["arguments"];
        match request["command"].as_str().unwrap_or_default() {
            "setBreakpoints" => Ok(self.set_lines(arguments, pause)),
            "dataBreakpointInfo" => Ok(self.data_info(arguments, pause)),
            "setDataBreakpoints" => Ok(self.set_data(arguments, pause)),
            "setFunctionBreakpoints" => Ok(self.set_functions(arguments, pause)),
            "setExceptionBreakpoints" => Ok(json!({ "breakpoints": [] })),
            "source" => self.text_of(arguments),
            "threads" => Ok(self.threads(pause)),
            "stackTrace" => self.stack(arguments, pause),
            "scopes" => Ok(self.scopes(arguments)),
            "variables" => self.variables(arguments, pause),
            "evaluate" => self.evaluate(arguments, pause),
            "exceptionInfo" => match &self.trap {
                Some(trap) => Ok(json!({
                    "exceptionId": trap.code.to_string(), "description": trap.message, "breakMode": "always",
                })),
                None => Err("nothing is wrong with the instruction that is next".to_string()),
            },
            "pause" | "configurationDone" => Ok(Value::Null),
            other => Err(format!("visim does not know the request `{other}`")),
        }
    }

    fn set_lines(&mut self, arguments: &Value, pause: &mut Pause<'_>) -> Value {
        let file = self.file_of(&arguments["source"]);
        if let Some(file) = file {
            self.lines.retain(|(of, id)| {
                if *of == file {
                    pause.stops.remove(*id);
                }
                *of != file
            });
        }
        let set = asked(arguments).into_iter().map(|asked| match file {
            Some(file) => self.set_line(file, &asked, pause),
            None => refused("this is not the program that runs".to_string()),
        });
        let set: Vec<Value> = set.collect();
        json!({ "breakpoints": set })
    }

    /// The number of the text that a client means: by its reference, or by the name of its file.
    fn file_of(&self, source: &Value) -> Option<usize> {
        let names: Vec<&str> = self.source.names().collect();
        if let Some(number) = source["sourceReference"].as_u64().filter(|n| *n > 0) {
            let number = usize::try_from(number - 1).ok()?;
            return (number < names.len()).then_some(number);
        }
        let file = |path: &str| Path::new(path).file_name().map(|name| name.to_os_string());
        let path = source["path"].as_str().or(source["name"].as_str())?;
        names.iter().position(|name| file(name) == file(path))
    }

    /// A text as the client is told of it: with a reference where it is not what a file of that name holds, as of a
    /// compiled program.
    fn source_at(&self, offset: u32) -> Value {
        let number = self.source.file_of(offset);
        let name = self.source.name_at(offset);
        let own = self.text_by_number(number);
        let path = std::fs::canonicalize(name);
        let path = path.map_or_else(|_| name.to_string(), |p| p.display().to_string());
        let file = Path::new(name).file_name();
        let file = file.map_or(name.into(), |file| file.to_string_lossy().into_owned());
        // Only files are read, a pipe would wait.
        let held = Path::new(name)
            .is_file()
            .then(|| std::fs::read_to_string(name));
        let held = held.and_then(Result::ok);
        let same = held.is_some_and(|text| text.trim_end() == own.trim_end());
        match same {
            true => json!({ "name": file, "path": path }),
            false => json!({ "name": format!("{file}.visaasm"), "sourceReference": number + 1 }),
        }
    }

    fn text_by_number(&self, number: usize) -> String {
        let lines = (1..).map_while(|line| self.source.line_span_in(number, line));
        let spans: Vec<Span> = lines.collect();
        let whole = spans.first().zip(spans.last());
        whole.map_or_else(String::new, |(first, last)| {
            self.source.slice(first.to(*last)).to_string()
        })
    }

    /// The text of a reference.
    fn text_of(&self, arguments: &Value) -> Answer {
        let mut source = arguments["source"].clone();
        if !arguments["sourceReference"].is_null() {
            source = json!({ "sourceReference": arguments["sourceReference"] });
        }
        let number = self.file_of(&source).ok_or("there is no such text")?;
        Ok(json!({ "content": self.text_by_number(number) }))
    }

    fn set_line(&mut self, file: usize, asked: &Value, pause: &mut Pause<'_>) -> Value {
        let line = asked["line"]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(0);
        let Some(span) = self.source.line_span_in(file, line) else {
            return refused("the text has no such line".to_string());
        };
        // A line without an instruction stands for the next one that has one.
        let Some(place) = Location::behind(pause.program, self.source, span.start) else {
            return refused("no instruction of the program starts there or after it".to_string());
        };
        let here = Location::of_span(pause.program, self.source, span).unwrap_or(place);
        let condition = match condition(asked, pause) {
            Ok(condition) => condition,
            Err(why) => return refused(why),
        };
        let line = here.line;
        let id = pause
            .stops
            .add(Kind::Ops(here.ops), condition, None, format!("line {line}"));
        self.lines.push((file, id));
        json!({ "verified": true, "id": id, "line": line })
    }

    /// Stops at functions and labels.
    fn set_functions(&mut self, arguments: &Value, pause: &mut Pause<'_>) -> Value {
        self.functions.drain(..).for_each(|id| {
            pause.stops.remove(id);
        });
        let set = asked(arguments).into_iter().map(|asked| {
            let name = asked["name"].as_str().unwrap_or_default();
            let checked = self.text.map(|(checked, _)| checked);
            let place = Location::named(pause.program, self.source, checked, name, Span::default());
            let place = place.map_err(|wrong| sentence(&wrong));
            let both = place.and_then(|place| Ok((place, condition(&asked, pause)?)));
            match both {
                Ok((place, condition)) => {
                    let line = place.line;
                    let kind = Kind::Ops(place.ops);
                    let id = pause.stops.add(kind, condition, None, name.to_string());
                    self.functions.push(id);
                    json!({ "verified": true, "id": id, "line": line })
                }
                Err(why) => refused(why),
            }
        });
        let set: Vec<Value> = set.collect();
        json!({ "breakpoints": set })
    }

    fn data_info(&self, arguments: &Value, pause: &Pause<'_>) -> Value {
        let name = arguments["name"].as_str().unwrap_or_default();
        // An element of a register comes by its number.
        let element = || {
            let number = arguments["variablesReference"].as_u64()?;
            let index = usize::try_from(number).ok()?.checked_sub(1)?;
            let Reference::Elements(_, place) = self.references.get(index)? else {
                return None;
            };
            let lane = name.strip_prefix('[')?.strip_suffix(']')?;
            Some(format!("{} lane {lane}", place.text))
        };
        let name = &element().unwrap_or_else(|| name.to_string())[..];
        match data_kind(name, pause) {
            Ok(_) => json!({ "dataId": name, "description": name, "accessTypes": ["write"] }),
            Err(why) => json!({ "dataId": null, "description": why }),
        }
    }

    fn set_data(&mut self, arguments: &Value, pause: &mut Pause<'_>) -> Value {
        self.data.drain(..).for_each(|id| {
            pause.stops.remove(id);
        });
        let set = asked(arguments).into_iter().map(|asked| {
            let name = asked["dataId"].as_str().unwrap_or_default();
            let both =
                data_kind(name, pause).and_then(|kind| Ok((kind, condition(&asked, pause)?)));
            match both {
                Ok((kind, condition)) => {
                    let id = pause.stops.add(kind, condition, None, name.to_string());
                    self.data.push(id);
                    json!({ "verified": true, "id": id })
                }
                Err(why) => refused(why),
            }
        });
        let set: Vec<Value> = set.collect();
        json!({ "breakpoints": set })
    }

    fn threads(&self, pause: &Pause<'_>) -> Value {
        let threads: Vec<Value> = pause
            .threads
            .values()
            .filter(|view| !view.ended)
            .map(|view| json!({ "id": u64::from(view.at.thread.index) + 1, "name": view.at.thread.to_string() }))
            .collect();
        json!({ "threads": threads })
    }

    fn stack(&self, arguments: &Value, pause: &Pause<'_>) -> Answer {
        let thread = thread_of(&arguments["threadId"]).ok_or("there is no such thread")?;
        let view = pause
            .threads
            .get(&thread)
            .ok_or("there is no such thread")?;
        let shown = Shown {
            source: self.source,
            program: pause.program,
        };
        let mut frames = Vec::new();
        let mut pc = view.at.pc;
        for depth in (0..=view.stack.len()).rev() {
            let frame: Option<&Frame> = depth.checked_sub(1).and_then(|d| view.stack.get(d));
            frames.push(json!({
                "id": u64::from(thread) + 1 + ((view.stack.len() - depth) as u64) * (1 << 32),
                "name": shown.function(frame), "line": shown.line(pc), "column": 1,
                "source": self.source_at(pause.program.site(pc).map_or(0, |site| site.span.start)),
            }));
            pc = frame.map_or(pc, |frame| frame.call);
        }
        let all = frames.len();
        let from = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
        let levels = arguments["levels"]
            .as_u64()
            .filter(|n| *n > 0)
            .unwrap_or(u64::MAX);
        let frames: Vec<Value> = frames
            .into_iter()
            .skip(from)
            .take(usize::try_from(levels).unwrap_or(all))
            .collect();
        Ok(json!({ "stackFrames": frames, "totalFrames": all }))
    }

    fn reference(&mut self, reference: Reference) -> usize {
        self.references.push(reference);
        self.references.len()
    }

    fn scopes(&mut self, arguments: &Value) -> Value {
        let frame = arguments["frameId"].as_u64().unwrap_or(1);
        let thread = (frame & 0xffff_ffff).saturating_sub(1) as u32;
        let all = [
            ("Registers", Reference::Registers(thread)),
            ("Predicates", Reference::Predicates(thread)),
            ("Surfaces", Reference::Surfaces),
            ("Messages", Reference::Messages),
        ];
        let scopes = all.map(|(name, reference)| {
            json!({ "name": name, "variablesReference": self.reference(reference), "expensive": false })
        });
        json!({ "scopes": scopes })
    }

    fn variables(&mut self, arguments: &Value, pause: &Pause<'_>) -> Answer {
        let number = arguments["variablesReference"]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok());
        let reference = number
            .and_then(|n| self.references.get(n.checked_sub(1)?))
            .cloned();
        let reference =
            reference.ok_or("there is no such reference; they end when the run goes on")?;
        let variables = match reference {
            Reference::Registers(thread) => self.registers(thread, false, pause),
            Reference::Predicates(thread) => self.registers(thread, true, pause),
            Reference::Surfaces => surfaces(pause),
            Reference::Messages => {
                let asked = pause.ran.map_or(&[][..], |ran| &ran.messages);
                let asked = asked
                    .iter()
                    .map(|text| json!({ "name": "asked", "value": text, "variablesReference": 0 }));
                let next = self
                    .next_message(pause)
                    .into_iter()
                    .map(|text| json!({ "name": "next", "value": text, "variablesReference": 0 }));
                asked.chain(next).collect()
            }
            Reference::Elements(thread, place) => {
                let words = arena(thread, pause)
                    .map(|arena| place.words(arena))
                    .unwrap_or_default();
                let words = words.iter().enumerate();
                let named = words.map(|(k, word)| {
                    json!({ "name": format!("[{}]", place.number(k)), "value": word, "variablesReference": 0 })
                });
                named.collect()
            }
        };
        let from = arguments["start"]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(0);
        let count = arguments["count"]
            .as_u64()
            .filter(|n| *n > 0)
            .unwrap_or(u64::MAX);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let variables: Vec<Value> = variables.into_iter().skip(from).take(count).collect();
        Ok(json!({ "variables": variables }))
    }

    /// The messages that the next instruction is about to send, field by field.
    fn next_message(&self, pause: &Pause<'_>) -> Option<String> {
        let here = pause.here?;
        let mut messages = Messages::new(pause.program, self.source, self.text);
        messages.text(here.at.pc, here.on.mask, here.arena)
    }

    fn registers(&mut self, thread: u32, predicates: bool, pause: &Pause<'_>) -> Vec<Value> {
        let wanted = |class| match class {
            SymbolClass::Predicate => predicates,
            SymbolClass::General(_) | SymbolClass::Address => !predicates,
            _ => false,
        };
        let Some(arena) = arena(thread, pause) else {
            return Vec::new();
        };
        let named = variables(pause.program, wanted);
        let places = named
            .iter()
            .filter_map(|(name, _)| Place::read(name, 0, pause.program, None).ok());
        let places: Vec<Place> = places.collect();
        places
            .into_iter()
            .map(|place| self.value(thread, place, arena))
            .collect()
    }

    /// A place as the client sees it.
    fn value(&mut self, thread: u32, place: Place, arena: &[u8]) -> Value {
        const MOST: usize = 32;
        let words = place.words(arena);
        let more = if words.len() > MOST { " …" } else { "" };
        let shown: Vec<&str> = words.iter().take(MOST).map(String::as_str).collect();
        let (name, count) = (place.text.clone(), words.len());
        let ty = match place.is_predicate() {
            true => "predicate".to_string(),
            false => place.view.ty.to_string(),
        };
        let reference = match count {
            0 | 1 => 0,
            _ => self.reference(Reference::Elements(thread, place)),
        };
        json!({
            "name": name, "value": format!("{}{more}", shown.join(" ")), "type": ty, "variablesReference": reference,
            "indexedVariables": if reference > 0 { count } else { 0 }, "evaluateName": name,
        })
    }

    fn evaluate(&mut self, arguments: &Value, pause: &Pause<'_>) -> Answer {
        let text = arguments["expression"]
            .as_str()
            .ok_or("`expression` is a text")?;
        if let Ok(Kind::Surface { index, texel: at }) = data_kind(text, pause) {
            let surface = pause.bindings.surfaces.get(&index);
            let bytes = surface.and_then(|surface| texel(surface, at.unwrap_or_default()));
            let bytes = bytes.ok_or("this surface has no texels")?;
            let bytes: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
            return Ok(json!({ "result": bytes.join(" "), "variablesReference": 0 }));
        }
        let frame = arguments["frameId"].as_u64();
        let here = pause.here.map(|here| here.at.thread.index);
        let thread = frame
            .map(|id| (id & 0xffff_ffff).saturating_sub(1) as u32)
            .or(here)
            .unwrap_or(0);
        let arena = arena(thread, pause).ok_or(
            "this thread has no registers to look at: it is neither next nor at a barrier",
        )?;
        let function = pause
            .threads
            .get(&thread)
            .and_then(|view| view.stack.last())
            .and_then(|frame| frame.function);
        if let Ok(condition) = Condition::read(text, 0, pause.program, function) {
            return Ok(
                json!({ "result": condition.holds(arena).to_string(), "type": "bool", "variablesReference": 0 }),
            );
        }
        let place =
            Place::read(text, 0, pause.program, function).map_err(|wrong| sentence(&wrong))?;
        let mut value = self.value(thread, place, arena);
        if let Some(fields) = value.as_object_mut()
            && let Some(result) = fields.remove("value")
        {
            fields.insert("result".to_string(), result);
        }
        Ok(value)
    }
}

/// The stops that a request lists.
fn asked(arguments: &Value) -> Vec<Value> {
    let all = arguments["breakpoints"].as_array();
    all.cloned().unwrap_or_default()
}

/// A stop that cannot be.
fn refused(why: String) -> Value {
    json!({ "verified": false, "message": why })
}

/// The condition of a stop, if it has one.
fn condition(asked: &Value, pause: &Pause<'_>) -> Result<Option<Condition>, String> {
    let text = asked["condition"]
        .as_str()
        .filter(|text| !text.trim().is_empty());
    let condition = text.map(|text| Condition::read(text, 0, pause.program, None));
    condition.transpose().map_err(|wrong| sentence(&wrong))
}

/// How a request lets the run go on.
fn resumes(request: &Value, pause: &Pause<'_>) -> Option<Go> {
    let thread = pause.here.map_or(0, |here| here.at.thread.index);
    let depth = pause
        .threads
        .get(&thread)
        .map_or(0, |view| view.stack.len());
    Some(match request["command"].as_str()? {
        "continue" => Go::Forward(Until::Stop),
        "next" => Go::Forward(Until::Over { thread, depth }),
        "stepIn" => Go::Forward(Until::Step(thread)),
        "stepOut" => match depth.checked_sub(1) {
            Some(depth) => Go::Forward(Until::Over { thread, depth }),
            None => Go::Forward(Until::Stop),
        },
        "stepBack" => Go::Back(Until::Over { thread, depth }),
        "reverseContinue" => Go::Back(Until::Stop),
        _ => return None,
    })
}

fn thread_of(id: &Value) -> Option<u32> {
    u32::try_from(id.as_u64()?.checked_sub(1)?).ok()
}

/// The registers of a thread, where there are some to look at.
fn arena<'p>(thread: u32, pause: &'p Pause<'_>) -> Option<&'p [u8]> {
    let here = pause
        .here
        .as_ref()
        .filter(|here| here.at.thread.index == thread);
    let waits = || pause.threads.get(&thread)?.waits.as_deref();
    here.map(|here| here.arena).or_else(waits)
}

/// What a data breakpoint waits for: a register, `T7` or `T7 3,0`.
fn data_kind(name: &str, pause: &Pause<'_>) -> Result<Kind, String> {
    let (first, at) = name.split_once(' ').unwrap_or((name, ""));
    let symbol = pause.program.symbols.get(first);
    if symbol.is_none_or(|symbol| symbol.class != SymbolClass::Surface) {
        let place = Place::read(name, 0, pause.program, None);
        return place.map(Kind::Register).map_err(|wrong| sentence(&wrong));
    }
    let index = symbol.and_then(|symbol| {
        let bytes = pause.program.image.get(symbol.offset as usize..)?;
        Some(u32::from_le_bytes(*bytes.first_chunk()?))
    });
    let index = index.ok_or("there is no such surface")?;
    let surface = pause
        .bindings
        .surfaces
        .get(&index)
        .ok_or("it is not bound")?;
    let texel = match at.split_once(',') {
        None => None,
        Some((x, y)) => {
            let at = x.trim().parse().ok().zip(y.trim().parse().ok());
            let at = at
                .map(|(x, y)| [x, y])
                .filter(|at| texel(surface, *at).is_some());
            Some(at.ok_or("this is no texel of the surface")?)
        }
    };
    Ok(Kind::Surface { index, texel })
}

fn surfaces(pause: &Pause<'_>) -> Vec<Value> {
    let all = pause.bindings.surfaces.iter();
    let all = all.map(|(index, surface)| {
        let (width, height, depth) = surface.level_size(0);
        let name = pause.program.surface_names.iter().find(|(at, _)| {
            let bytes = pause
                .program
                .image
                .get(*at as usize..)
                .and_then(<[u8]>::first_chunk);
            bytes.is_some_and(|bytes| u32::from_le_bytes(*bytes) == *index)
        });
        let name = name.map_or_else(|| index.to_string(), |(_, name)| name.clone());
        let value = format!("{width} by {height} by {depth} {}", surface.format());
        json!({ "name": name, "value": value, "variablesReference": 0 })
    });
    all.collect()
}

/// What is wrong, in one line.
fn sentence(wrong: &Diagnostic) -> String {
    let label = wrong
        .labels
        .first()
        .map_or(wrong.message.as_str(), |label| label.text.as_str());
    match &wrong.help {
        Some(help) => format!("{}: {label}; {help}", wrong.code),
        None => format!("{}: {label}", wrong.code),
    }
}
