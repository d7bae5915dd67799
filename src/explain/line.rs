//! One line of a program, followed from its operands to what it writes.

use super::bits::{self, ListedPart, descriptors};
use super::stepped::record::Packing;
use super::{contradictions, operands};
use crate::check::{Checked, Step, Unit, VarId, rules_for};
use crate::exec::Observer;
use crate::exec::observer::{At, Running};
use crate::finalizer::{Context, Flow, Lowered, Release, Run, messages};
use crate::isa::Opcode;
use crate::message::fields::{self, Layout};
use crate::message::{Request, text};
use crate::sampler::sample::Taken;
use crate::source::{Source, Span, Spanned};
use crate::syntax::ast::Instruction;
use serde_json::{Value as Json, json};
use std::fmt;

/// What is known of a line before it runs.
#[derive(Debug)]
pub struct Line {
    /// Its number, from 1 on.
    pub number: usize,
    /// The statement.
    pub text: String,
    /// What the instruction does, in a sentence.
    pub does: &'static str,
    /// The section that defines it.
    pub section: &'static str,
    /// Position and operand, in text order.
    pub operands: Vec<(String, String)>,
    /// Which byte of the destination is which channel, pixel or gap, if the instruction is one that is drawn.
    pub destination: Vec<Packing>,
    /// What the pages say in two ways of this instruction, and which of them visim follows.
    pub contradictions: Vec<&'static str>,
    /// Lanes, if the instruction has an execution part.
    pub lanes: Option<String>,
    /// What was looked at before it was found good, as [`rules_for`] lists it.
    pub checked: Vec<String>,
    /// Each message it becomes: its name, and its words by field where they are known before the run.
    pub messages: Vec<Sent>,
    /// Native instructions of extended math: `math.inv (16|M0)`.
    pub native: Vec<String>,
    /// Why it becomes none, if it should.
    pub refused: Option<String>,
    /// Where it is.
    pub span: Span,
}

/// A message, as far as it is known before the run.
#[derive(Debug)]
pub struct Sent {
    /// Whether the mask is ignored, and the predicate: `(W)`, `(~f0.0)`; empty without either.
    pub guard: String,
    /// `send`, `sends` ….
    pub mnemonic: String,
    /// Lanes and the first mask bit: `(16|M8)`.
    pub lanes: String,
    /// The shared function that receives it.
    pub receiver: &'static str,
    /// Registers sent, in both payloads, and written back.
    pub lengths: String,
    /// The descriptors by field.
    pub parts: Vec<ListedPart>,
    /// Descriptors that are known at run time alone: which, and the sum.
    pub sums: Vec<(&'static str, String)>,
    /// The dwords of the header: a number, or what is put there at run time.
    pub header: Vec<String>,
    /// Fields of the header's known dwords, by dword.
    pub header_fields: Vec<(usize, String)>,
    /// Registers after the header and of the second payload: which bytes of which variables.
    pub payload: Vec<String>,
    /// Where the response goes, by variable: bytes of it and of the response.
    pub write_back: Vec<String>,
}

/// A line with what it was made of.
pub struct Followed<'c> {
    /// What is known of it.
    pub line: Line,
    /// Its messages.
    pub lowered: Lowered,
    /// The body that it is in.
    pub unit: &'c Unit,
    /// The fields of its one payload register, of a block message of the media sampler.
    pub payload: Option<&'static Layout>,
}

/// The instruction on a one-based line, if there is one that passed every check.
pub fn follow(source: &Source, checked: &Checked, line: usize, release: Release) -> Option<Line> {
    let mut found = walk(source, checked, release, move |number| number == line);
    found.next().map(|followed| followed.line)
}

/// Every instruction that passed the checks, in text order.
pub fn lines<'c>(
    source: &'c Source,
    checked: &'c Checked,
    release: Release,
) -> impl Iterator<Item = Followed<'c>> + 'c {
    walk(source, checked, release, |_| true)
}

/// One walk over all units: what a line becomes depends on those in front of it in its unit.
fn walk<'c>(
    source: &'c Source,
    checked: &'c Checked,
    release: Release,
    wanted: impl Fn(usize) -> bool + Copy + 'c,
) -> impl Iterator<Item = Followed<'c>> + 'c {
    checked.units.iter().flat_map(move |unit| {
        let mut context = Context::new(release);
        unit.steps.iter().filter_map(move |step| {
            let Step::Instruction(instruction) = step else {
                context.forget();
                return None;
            };
            let number = source.line_of(instruction.span.start);
            let line = wanted(number).then(|| one(source, checked, unit, instruction, &context));
            context.observe(unit, &instruction.node, checked.platform);
            line
        })
    })
}

fn one<'c>(
    source: &Source,
    checked: &Checked,
    unit: &'c Unit,
    instruction: &Spanned<Instruction<VarId>>,
    context: &Context,
) -> Followed<'c> {
    let info = instruction.opcode.node.info();
    let names = operands::words(unit, &instruction.node);
    let slot = |index: usize| {
        names
            .get(index)
            .or(names.last())
            .cloned()
            .unwrap_or_default()
    };
    let written = instruction.operands.iter().enumerate();
    let written = written.map(|(i, o)| (slot(i), source.slice(o.span).to_string()));
    let (lowered, refused) = match messages(unit, &instruction.node, context, checked.platform) {
        Ok(lowered) => (lowered, None),
        Err(diagnostic) => (Lowered::default(), Some(diagnostic.message)),
    };
    let sends = 0..lowered.sends.len();
    let line = Line {
        number: source.line_of(instruction.span.start),
        text: source.slice(instruction.span).trim().to_string(),
        does: info.doc,
        section: info.family.section(),
        operands: written.collect(),
        destination: operands::destination(unit, &instruction.node, checked.platform.grf_bytes()),
        lanes: instruction.exec.as_ref().map(|e| e.node.to_string()),
        checked: rules_for(&instruction.node),
        contradictions: contradictions::of(&instruction.node),
        messages: sends
            .map(|s| {
                sent(
                    &lowered,
                    s,
                    unit,
                    checked,
                    payload_layout(instruction.opcode.node),
                )
            })
            .collect(),
        native: lowered.native.clone(),
        refused,
        span: instruction.span,
    };
    Followed {
        line,
        lowered,
        unit,
        payload: payload_layout(instruction.opcode.node),
    }
}

/// Send number `number` of an instruction.
fn sent(
    lowered: &Lowered,
    number: usize,
    unit: &Unit,
    checked: &Checked,
    fields_of: Option<&Layout>,
) -> Sent {
    let send = &lowered.sends[number];
    let (guard, lanes) = send.around(unit, checked.platform);
    let (desc, ex_desc) = (send.desc.constant_part(), send.ex_desc.constant_part());
    let (desc, ex_desc) = (desc.unwrap_or(0), ex_desc.unwrap_or(0));
    let flow = Flow::named(unit);
    let words = [
        ("descriptor", &send.desc),
        ("extended descriptor", &send.ex_desc),
    ];
    let words = words
        .into_iter()
        .filter(|(_, value)| value.constant().is_none());
    // Beside a descriptor of 47 bits: addresses of states, or what addresses are counted from.
    let beside = send.indirect.iter().map(|value| ("address", value));
    let sums = words.chain(beside);
    let sums = sums.map(|(name, value)| (name, flow.text(value))).collect();
    let layout = bits::header(send.sfid, desc, checked.platform);
    let header_fields = send.header.iter().enumerate().filter_map(|(dw, value)| {
        let layout = layout.filter(|l| l.known(dw) != 0)?;
        Some((dw, text::word(layout, dw, value.constant()?)))
    });
    let grf = checked.platform.grf_bytes();
    let registers = |part: &'static str, registers: &[Vec<Run>]| {
        let row = |r: &Vec<Run>| format!("{part}  {}", flow.register(r));
        registers.iter().map(row).collect::<Vec<_>>()
    };
    let [first, second] = send.counted();
    let mut payload = match (fields_of, first) {
        (Some(layout), [m1]) => dwords(layout, m1, &flow),
        _ => registers("first", first),
    };
    payload.extend(registers("second", second));
    // Numbers of responses count from this instruction on.
    let this = format!("=S{number}[");
    let write_back = flow.writes(lowered).into_iter().flat_map(|(var, runs)| {
        let name = unit.variable(var).name.clone();
        let own = runs.into_iter().filter(|run| run.contains(&this));
        own.map(move |run| format!("{name}{run}"))
            .collect::<Vec<_>>()
    });
    Sent {
        receiver: send.sfid.name(),
        lengths: format!(
            "{} + {} registers of {grf} bytes{}, {} back",
            send.message_length,
            send.extended_length,
            if send.gathers {
                ", listed one by one"
            } else {
                ""
            },
            send.response_length
        ),
        payload,
        write_back: write_back.collect(),
        guard,
        mnemonic: send.mnemonic.clone(),
        lanes,
        parts: descriptors(desc, ex_desc, Some(send.sfid), checked.platform),
        sums,
        header_fields: header_fields.collect(),
        header: send.header.iter().map(|v| flow.text(v)).collect(),
    }
}

/// The fields of the one payload register of a block message of the media sampler.
fn payload_layout(opcode: Opcode) -> Option<&'static Layout> {
    match opcode {
        Opcode::Avs => Some(&fields::avs_payload::LAYOUT),
        Opcode::SampleUnorm => Some(&fields::unorm_payload::LAYOUT),
        _ => None,
    }
}

/// `M1` dword by dword: the value, then its fields, by name alone where the value is known at run time only.
fn dwords(layout: &Layout, m1: &[Run], flow: &Flow) -> Vec<String> {
    let mut rows = Vec::new();
    for (dw, run) in m1.iter().enumerate() {
        let known = match run {
            Run::Value { value, .. } => value.constant(),
            _ => None,
        };
        rows.push(format!(
            "M1.{dw}  {}",
            flow.register(std::slice::from_ref(run))
        ));
        match known {
            Some(value) if layout.known(dw) != 0 => {
                rows.extend(text::word(layout, dw, value).lines().map(str::to_owned));
            }
            _ => {
                let named = layout.fields.iter().filter(|f| f.dw == dw);
                rows.extend(named.map(|f| format!("  {}  {}, at run time", f.position(), f.name)));
            }
        }
    }
    rows
}

impl Line {
    /// The same as fields.
    pub fn json(&self) -> Json {
        let parts = |parts: &[ListedPart]| parts.iter().map(ListedPart::json).collect::<Vec<_>>();
        json!({
            "statement": self.text,
            "does": self.does,
            "section": self.section,
            "lanes": self.lanes,
            "operands": self.operands.iter()
                .map(|(slot, text)| json!({ "slot": slot, "text": text })).collect::<Vec<_>>(),
            "destination": operands::packed(&self.destination),
            "contradictions": self.contradictions,
            "checked": self.checked,
            "messages": self.messages.iter().map(|sent| json!({
                "guard": sent.guard,
                "mnemonic": sent.mnemonic,
                "lanes": sent.lanes,
                "receiver": sent.receiver,
                "parts": parts(&sent.parts),
                "header": sent.header,
                "payload": sent.payload,
                "write_back": sent.write_back,
            })).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.text)?;
        writeln!(f, "does      {}", self.does)?;
        writeln!(f, "defined   {}", self.section)?;
        if let Some(lanes) = &self.lanes {
            writeln!(f, "lanes     {lanes}")?;
        }
        for (slot, text) in &self.operands {
            writeln!(f, "operand   {slot:<24} {text}")?;
        }
        let becomes = operands::packed(&self.destination);
        let lists = [
            ("becomes", becomes.as_slice()),
            ("checked", self.checked.as_slice()),
        ];
        for (word, rows) in lists {
            for (number, what) in rows.iter().enumerate() {
                let head = if number == 0 { word } else { "" };
                writeln!(f, "{head:<9} {what}")?;
            }
        }
        for what in &self.contradictions {
            writeln!(f, "pages     {what}")?;
        }
        for sent in &self.messages {
            writeln!(f, "\nmessage   {}", sent.head())?;
            write!(f, "{sent}")?;
        }
        for line in &self.native {
            writeln!(f, "native    {line}")?;
        }
        if let Some(why) = &self.refused {
            writeln!(f, "message   none: {why}")?;
        }
        Ok(())
    }
}

impl Sent {
    /// As a listing begins it, then receiver and lengths.
    pub fn head(&self) -> String {
        let Sent {
            guard,
            mnemonic,
            lanes,
            receiver,
            lengths,
            ..
        } = self;
        let space = if guard.is_empty() { "" } else { " " };
        format!("{guard}{space}{mnemonic} {lanes} to {receiver}: {lengths}")
    }
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            write!(f, "{part}")?;
        }
        for (name, sum) in &self.sums {
            writeln!(f, "{name} at run time: {sum}")?;
        }
        for (dword, text) in self.header.iter().enumerate() {
            writeln!(f, "  M0.{dword}  {text}")?;
            for (_, fields) in self.header_fields.iter().filter(|(dw, _)| *dw == dword) {
                for line in fields.lines() {
                    writeln!(f, "      {line}")?;
                }
            }
        }
        for register in &self.payload {
            match register.starts_with([' ', 'M']) {
                true => writeln!(f, "  {register}")?,
                false => writeln!(f, "  payload, {register}")?,
            }
        }
        for bytes in &self.write_back {
            writeln!(f, "  write-back  {bytes}")?;
        }
        Ok(())
    }
}

/// Watches one line: what it asks of shared functions and what it writes.
#[derive(Debug)]
pub struct LineObserver {
    /// The line's statement.
    pub span: Span,
    /// Requests, the first few.
    pub requests: Vec<Request>,
    /// Arena offset and bytes of each write, the first few.
    pub writes: Vec<(u32, Vec<u8>)>,
    /// How often the line ran.
    pub runs: u64,
    /// Texels that the first run sampled, lane by lane.
    pub texels: Vec<(usize, Taken)>,
}

impl LineObserver {
    /// A watch for the statement at `span`.
    pub fn new(span: Span) -> LineObserver {
        LineObserver {
            span,
            requests: Vec::new(),
            writes: Vec::new(),
            runs: 0,
            texels: Vec::new(),
        }
    }

    /// The sampled texels of each lane, or of the one that is asked for, and what they add up to.
    pub fn samples(&self, lane: Option<u8>) -> Vec<Sampled<'_>> {
        let lanes = self.texels.chunk_by(|a, b| a.0 == b.0);
        let lanes = lanes.filter(|texels| lane.is_none_or(|lane| texels[0].0 == lane as usize));
        let sampled = lanes.map(|texels| {
            let mut sum = [0.0; 4];
            for (_, taken) in texels {
                for (sum, v) in sum.iter_mut().zip(taken.rgba) {
                    // A weight of 0 lets nothing through, infinities neither; there are none here.
                    *sum += taken.weight * v;
                }
            }
            Sampled { texels, sum }
        });
        sampled.collect()
    }
}

/// One lane of a sample: the texels it took, and their weighted sum, which the message rounds once.
///
/// gather4 sums nothing: its four texels have weight 1 each.
#[derive(Debug)]
pub struct Sampled<'w> {
    texels: &'w [(usize, Taken)],
    sum: [f64; 4],
}

impl Sampled<'_> {
    /// Whether the weights are parts of one.
    fn is_sum(&self) -> bool {
        let weights: f64 = self.texels.iter().map(|(_, taken)| taken.weight).sum();
        (weights - 1.0).abs() < 1e-9
    }

    /// The same as fields.
    pub fn json(&self) -> Json {
        let texels = self.texels.iter().map(|(_, taken)| {
            json!({
                "level": taken.level,
                "slice": taken.slice,
                "at": taken.at.map(|(x, y)| [x, y]),
                "weight": taken.weight,
                "rgba": taken.rgba,
            })
        });
        json!({
            "lane": self.texels.first().map(|t| t.0),
            "texels": texels.collect::<Vec<_>>(),
            "sum": self.is_sum().then_some(self.sum),
        })
    }
}

impl fmt::Display for Sampled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let channels = |rgba: [f64; 4]| rgba.map(|v| format!("{v:>9.6}")).join(" ");
        for (n, (lane, taken)) in self.texels.iter().enumerate() {
            let head = match n {
                0 => format!("lane {lane}"),
                _ => String::new(),
            };
            let place = match taken.at {
                Some((x, y)) => format!("({x}, {y})"),
                None => "border".to_string(),
            };
            writeln!(
                f,
                "{head:<9} level {} slice {} {place:<12} weight {:.6}  {}",
                taken.level,
                taken.slice,
                taken.weight,
                channels(taken.rgba)
            )?;
        }
        if self.is_sum() {
            writeln!(f, "{:<9} {:<43}sum  {}", "", "", channels(self.sum))?;
        }
        Ok(())
    }
}

/// A loop may run the line without end; the first times tell what there is to tell.
const MOST: usize = 8;

/// Sixteen taps of eight texels for each of 32 lanes are more than anyone reads.
const MOST_TEXELS: usize = 1024;

impl Observer for LineObserver {
    fn before(&mut self, at: At, _: &crate::program::Op, _: Running, _: &[u8]) {
        self.runs += u64::from(at.site.span == self.span);
    }

    fn wrote(&mut self, at: At, offset: u32, bytes: &[u8]) {
        if at.site.span == self.span && self.writes.len() < MOST {
            self.writes.push((offset, bytes.to_vec()));
        }
    }

    fn texel(&mut self, at: At, lane: usize, taken: &Taken) {
        if at.site.span == self.span && self.runs == 1 && self.texels.len() < MOST_TEXELS {
            self.texels.push((lane, *taken));
        }
    }

    fn message(&mut self, at: At, request: &Request) {
        if at.site.span == self.span && self.requests.len() < MOST {
            self.requests.push(*request);
        }
    }
}
