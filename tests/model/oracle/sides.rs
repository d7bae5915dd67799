//! Our sends and theirs, and what it means that they agree.

use super::machine::{constant, number, word};
use super::programs::{TARGET_HEADER, flag_bits};
use std::fmt;
use visim::internals::check::{CheckOptions, Step, check};
use visim::internals::diagnostic::{any_fatal, render_all};
use visim::internals::finalizer::flow::Cell;
use visim::internals::finalizer::{Context, Flow, Leaf, Op, Release, Run, Send, Value, messages};
use visim::internals::isa::{Platform, Type};
use visim::internals::source::Source;
use visim::internals::syntax::{ParseOptions, parse};

/// What a side makes of a program.
pub struct Side<S> {
    pub sends: Vec<S>,
    /// Extended math in order: `math.inv (16|M0)`.
    pub native: Vec<String>,
    /// What of the listing is not followed.
    pub strange: Vec<String>,
}

/// A descriptor, in the instruction or in a register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    pub constant: bool,
    /// What it is in this run.
    pub value: Option<u32>,
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => write!(f, "{value:#010x}")?,
            None => f.write_str("anything")?,
        }
        f.write_str(if self.constant { "" } else { " in a register" })
    }
}

/// What our values are in this run.
struct Known<'a> {
    flow: &'a Flow<'a>,
    /// The predicate's bits.
    flag: u32,
}

impl Known<'_> {
    fn cells(&self, register: &[Run]) -> Vec<Cell> {
        let cells = register.iter().flat_map(|run| match run {
            Run::Value { value, size } => self.value(value, *size),
            _ => self.flow.cells(std::slice::from_ref(run)),
        });
        cells.collect()
    }

    /// A value as bytes; what is only moved keeps its name.
    fn value(&self, value: &Value, size: u32) -> Vec<Cell> {
        let run = Run::Value {
            value: value.clone(),
            size,
        };
        let cells = self.flow.cells(&[run]);
        match cells.first() {
            Some(Cell::Computed(..)) => match (self.number(value), size) {
                (Some(number), ..=4) => constant(number.into(), size),
                (Some(low), _) => self.wide(value, low),
                (None, _) => vec![Cell::Undefined; size as usize],
            },
            _ => cells,
        }
    }

    /// A 64-bit address and what is added to it.
    fn wide(&self, value: &Value, low: u32) -> Vec<Cell> {
        let high = match value {
            Value::Call(Op::Add, of) => match &of[0] {
                Value::Element { root, offset, .. } => {
                    let half = |at| Value::Element {
                        root: *root,
                        offset: offset + at,
                        ty: Type::Ud,
                    };
                    let carry = self.number(&half(0)).is_some_and(|before| low < before);
                    self.number(&half(4))
                        .map(|high| high.wrapping_add(carry.into()))
                }
                _ => None,
            },
            _ => None,
        };
        match high {
            Some(high) => constant(u64::from(high) << 32 | u64::from(low), 8),
            None => vec![Cell::Undefined; 8],
        }
    }

    fn descriptor(&self, value: &Value) -> Descriptor {
        Descriptor {
            constant: value.constant().is_some(),
            value: self.number(value),
        }
    }

    /// The number a value is; none if nothing defines a part of it.
    fn number(&self, value: &Value) -> Option<u32> {
        let mut defined = *value != Value::Undefined;
        let number = value.evaluate(&mut |leaf| {
            let bytes = match leaf {
                Leaf::Dispatch(dw) => word(&self.flow.cells(&[Run::Dispatch {
                    offset: 4 * dw,
                    len: 4,
                }])),
                Leaf::Element(root, offset, ty) => {
                    let len = ty.bytes();
                    let run = Run::Bytes { root, offset, len };
                    let unused = 64 - 8 * len;
                    word(&self.flow.cells(&[run])).map(|word| match ty {
                        Type::B | Type::W | Type::D => ((word << unused) as i64 >> unused) as u64,
                        _ => word,
                    })
                }
                Leaf::Flag => Some(self.flag.into()),
                Leaf::State(..) | Leaf::Indirect(..) => None,
            };
            defined &= bytes.is_some();
            bytes.unwrap_or(0) as u32
        });
        defined.then_some(number)
    }
}

/// Our send, its bytes named.
pub struct Ours {
    pub visa: String,
    send: Send,
    guard: Option<String>,
    desc: Descriptor,
    ex_desc: Descriptor,
    header: Vec<Cell>,
    payload: [Vec<Vec<Cell>>; 2],
}

pub fn lower(text: &str, platform: Platform) -> Result<Side<Ours>, String> {
    let source = Source::new("k.visaasm", text);
    let options = ParseOptions {
        grf_bytes: platform.grf_bytes(),
    };
    let parsed = parse(&source, &options);
    let (checked, more) = check(
        &parsed.module,
        &CheckOptions {
            platform,
            finalizer: true,
            allow_removed: true,
        },
    );
    let mut said = parsed.diagnostics;
    said.extend(more);
    if any_fatal(&said) {
        said.retain(|d| d.class().is_fatal());
        return Err(render_all(&said, &source, false));
    }
    let unit = checked.units.first().ok_or("no kernel")?;
    let mut context = Context::new(Release::R1_0_12504);
    let mut flow = Flow::new(unit);
    let mut sends = Vec::new();
    let mut native = Vec::new();
    for step in &unit.steps {
        let Step::Instruction(i) = step else {
            context.enter();
            continue;
        };
        let lowered = messages(unit, &i.node, &context, platform)
            .map_err(|d| render_all(&[*d], &source, false))?;
        context.observe(unit, &i.node, platform);
        let math = lowered.native.iter().filter(|n| n.contains("math."));
        native.extend(math.cloned());
        let flag = i.node.predicate.as_ref();
        let known = Known {
            flow: &flow,
            flag: flag.map_or(0, |p| flag_bits(&unit.variable(p.node.var).name)),
        };
        for send in &lowered.sends {
            let cells = |registers: &[Vec<Run>]| registers.iter().map(|r| known.cells(r)).collect();
            let header = send.header.iter().flat_map(|value| known.value(value, 4));
            sends.push(Ours {
                visa: source.line_text(source.line_of(i.span.start)).trim().into(),
                guard: send.guard(unit, platform),
                desc: known.descriptor(&send.desc),
                ex_desc: known.descriptor(&send.ex_desc),
                header: header.collect(),
                payload: [cells(&send.first), cells(&send.second)],
                send: send.clone(),
            });
        }
        flow.apply(&lowered);
    }
    Ok(Side {
        sends,
        native,
        strange: Vec::new(),
    })
}

/// Their send.
pub struct Theirs {
    pub text: String,
    pub mnemonic: String,
    pub size: u32,
    pub offset: u32,
    pub no_mask: bool,
    /// `~f0.0.any16h`
    pub predicate: Option<String>,
    pub desc: Descriptor,
    pub ex_desc: Descriptor,
    /// Not known of an extended descriptor that is.
    pub second_length: Option<u32>,
    /// What is in braces, but for dependencies and the end of the thread.
    pub options: Vec<String>,
    pub registers: [Vec<Vec<Cell>>; 2],
}

pub fn agree(ours: &Ours, theirs: &Theirs) -> Result<(), String> {
    let s = &ours.send;
    let same = |what: &str, ours: String, theirs: String| {
        if ours == theirs {
            Ok(())
        } else {
            Err(format!("{what}: {ours}, not {theirs}"))
        }
    };
    same("mnemonic", s.mnemonic.clone(), theirs.mnemonic.clone())?;
    same("lanes", s.exec.size.to_string(), theirs.size.to_string())?;
    same("mask", s.exec.offset.to_string(), theirs.offset.to_string())?;
    same(
        "(W)",
        s.exec.no_mask.to_string(),
        theirs.no_mask.to_string(),
    )?;
    same("predicate", guard(&ours.guard), guard(&theirs.predicate))?;
    // A constant may go through a register: after a barrier, and where it has more bits than the
    // instruction.
    for (what, a, b) in [
        ("desc", ours.desc, theirs.desc),
        ("ex_desc", ours.ex_desc, theirs.ex_desc),
    ] {
        let moved = a.constant && !b.constant && a.value == b.value;
        if !moved {
            same(what, a.to_string(), b.to_string())?;
        }
    }
    // With the extended descriptor of a raw message in a register the second length is the text's to say.
    let told = ours.ex_desc.constant || !ours.visa.contains("raw_send");
    if let (true, Some(theirs)) = (told, theirs.second_length) {
        let ours = s.extended_length;
        same("second length", ours.to_string(), theirs.to_string())?;
    }
    // Which payloads the finalizer puts into r2 by itself is not known, inputs that are there are.
    let settled = |o: &str| o != "NoPreempt" || s.options.contains(&"NoPreempt");
    let ours_said: Vec<&str> = s.options.clone();
    let theirs_said: Vec<&str> = theirs.options.iter().map(String::as_str).collect();
    let theirs_said: Vec<&str> = theirs_said.into_iter().filter(|o| settled(o)).collect();
    same("options", ours_said.join(","), theirs_said.join(","))?;
    // On PVC the second header register is copied after the one register that the header has, over what
    // the register allocator keeps there: a part of the payload, or what is yet to be copied.
    let stray = ours.visa.contains("rt_write_3d") && s.header.len() == 16;
    let equal = |what: &str, ours: &[Cell], theirs: &[Cell]| match stray {
        true => equal(what, ours, &without_stray(theirs)),
        false => equal(what, ours, theirs),
    };
    let [first, second] = &theirs.registers;
    let mut first = first.iter();
    // A length that has wrapped to 0 shows no registers.
    if s.header_present
        && let Some(header) = first.next()
    {
        // Scattered messages read M0.2 alone; the finalizer lets the rest keep what a neighbouring
        // media header left there.
        let gathers = ours.visa.contains("gather.") || ours.visa.contains("scatter.");
        let read = if gathers { 8..12 } else { 0..ours.header.len() };
        let part = |cells: &[Cell]| cells.get(read.clone()).unwrap_or_default().to_vec();
        equal("header", &part(&ours.header), &part(header))?;
    }
    for (i, (a, b)) in ours.payload[0].iter().zip(first).enumerate() {
        equal(&format!("src0 register {i}"), a, b)?;
    }
    for (i, (a, b)) in ours.payload[1].iter().zip(second).enumerate() {
        equal(&format!("src1 register {i}"), a, b)?;
    }
    Ok(())
}

/// Where the second header register went, its 32 bytes, with a predicate's bits among them, count as
/// undefined.
fn without_stray(cells: &[Cell]) -> Vec<Cell> {
    let strays = |cell: &Cell| matches!(cell, Cell::Stream(name, _) if **name == *TARGET_HEADER);
    let mut kept = cells.to_vec();
    if cells.iter().any(strays) {
        kept.iter_mut()
            .take(32)
            .for_each(|cell| *cell = Cell::Undefined);
    }
    kept
}

/// A predicate without the number of its flag register, which is the register allocator's to choose.
fn guard(text: &Option<String>) -> String {
    let Some(text) = text else {
        return "none".into();
    };
    let (sign, rest) = text.split_at(usize::from(text.starts_with('~')));
    let mut parts = rest.splitn(3, '.').skip(2);
    format!("{sign}f {}", parts.next().unwrap_or("each"))
}

/// Undefined bytes agree with anything, as do results of the math unit; moved ones by name, computed ones by what they are.
fn equal(what: &str, ours: &[Cell], theirs: &[Cell]) -> Result<(), String> {
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        let agree = match (a, b) {
            (Cell::Undefined | Cell::Computed(..), _) | (_, Cell::Undefined) => true,
            (Cell::Stream(..), Cell::Stream(..)) => a == b,
            (a, b) => number(a) == number(b),
        };
        if !agree {
            return Err(format!("{what} byte {i}: {a:?}, not {b:?}"));
        }
    }
    Ok(())
}
