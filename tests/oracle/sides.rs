//! Our sends and theirs, and what it means that they agree.

use super::programs::TARGET_HEADER;
use visim::check::{CheckOptions, Step, check};
use visim::diagnostic::{any_fatal, render_all};
use visim::isa::Platform;
use visim::lower::messages::flow::Cell;
use visim::lower::messages::{Compat, Context, Flow, Op, Run, Send, Value, messages};
use visim::source::Source;
use visim::syntax::{ParseOptions, parse};

/// What a side makes of a program.
pub struct Side<S> {
    pub sends: Vec<S>,
    /// Extended math in order: `math.inv (16|M0)`.
    pub native: Vec<String>,
}

/// Our send, its bytes named.
pub struct Ours {
    pub visa: String,
    send: Send,
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
        },
    );
    let mut said = parsed.diagnostics;
    said.extend(more);
    if any_fatal(&said) {
        said.retain(|d| d.class().is_fatal());
        return Err(render_all(&said, &source, false));
    }
    let unit = checked.units.first().ok_or("no kernel")?;
    let mut context = Context::new(Compat::Finalizer);
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
        for send in &lowered.sends {
            let dword = |value: &Value| {
                let mut cells = flow.cells(&[Run::Value {
                    value: value.clone(),
                    size: 4,
                }]);
                // Of a cleared bit 0 only the low word is computed.
                if let Value::Call(Op::And, args) = value
                    && let [Value::Dispatch(dw), Value::Const(0xffff_fffe)] = **args
                {
                    for (i, cell) in cells.iter_mut().enumerate().skip(2) {
                        *cell = Cell::Stream("r0".into(), 4 * dw + i as u32);
                    }
                }
                cells
            };
            let cells = |registers: &[Vec<Run>]| registers.iter().map(|r| flow.cells(r)).collect();
            sends.push(Ours {
                visa: source.line_text(source.line_of(i.span.start)).trim().into(),
                header: send.header.iter().flat_map(dword).collect(),
                payload: [cells(&send.first), cells(&send.second)],
                send: send.clone(),
            });
        }
        flow.apply(&lowered);
    }
    Ok(Side { sends, native })
}

/// Their send.
pub struct Theirs {
    pub text: String,
    pub mnemonic: String,
    pub size: u32,
    pub offset: u8,
    pub no_mask: bool,
    pub predicate: Option<bool>,
    pub desc: Option<u32>,
    pub ex_desc: Option<u32>,
    pub second_length: u32,
    /// What stands in braces, but for dependencies and the end of the thread.
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
    let guard = s.predicate.as_ref().map(|p| p.inverted);
    same(
        "predicate",
        format!("{guard:?}"),
        format!("{:?}", theirs.predicate),
    )?;
    let hex = |n: Option<u32>| n.map_or("in a register".into(), |n| format!("{n:#010x}"));
    same("desc", hex(s.desc.constant()), hex(theirs.desc))?;
    same("ex_desc", hex(s.ex_desc.constant()), hex(theirs.ex_desc))?;
    // With the extended descriptor in a register the second length is ours to believe, as are all
    // with the descriptor in one.
    if s.ex_desc.constant().is_some() {
        let (ours, theirs) = (s.extended_length, theirs.second_length);
        same("second length", ours.to_string(), theirs.to_string())?;
    }
    // Which payloads the finalizer puts into r2 by itself is not known, inputs that are there are.
    let settled = |o: &str| o != "NoPreempt" || s.options.contains(&"NoPreempt");
    let ours_said: Vec<&str> = s.options.clone();
    let theirs_said: Vec<&str> = theirs.options.iter().map(String::as_str).collect();
    let theirs_said: Vec<&str> = theirs_said.into_iter().filter(|o| settled(o)).collect();
    same("options", ours_said.join(","), theirs_said.join(","))?;
    // On PVC the second header register is copied behind the one register that the header has, over what
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
        let mut header = header.clone();
        // A barrier keeps the finalizer from knowing the sampler's number: it computes the pointer.
        if many_samplers(&ours.visa) {
            let pointer = header.iter_mut().skip(12).take(4);
            for cell in pointer.filter(|cell| matches!(cell, Cell::Computed(..))) {
                *cell = Cell::Undefined;
            }
        }
        let part = |cells: &[Cell]| cells.get(read.clone()).unwrap_or_default().to_vec();
        equal("header", &part(&ours.header), &part(&header))?;
    }
    for (i, (a, b)) in ours.payload[0].iter().zip(first).enumerate() {
        equal(&format!("src0 register {i}"), a, b)?;
    }
    for (i, (a, b)) in ours.payload[1].iter().zip(second).enumerate() {
        equal(&format!("src1 register {i}"), a, b)?;
    }
    Ok(())
}

/// Whether the flag for samplers above 15 is set in the offsets.
fn many_samplers(statement: &str) -> bool {
    let offsets = statement
        .split_whitespace()
        .filter_map(|word| word.strip_suffix(":uw"));
    offsets
        .into_iter()
        .any(|word| word.len() == 6 && word.starts_with("0x8"))
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

/// Undefined bytes agree with anything, computed ones with computed ones.
fn equal(what: &str, ours: &[Cell], theirs: &[Cell]) -> Result<(), String> {
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        let agree = match (a, b) {
            (Cell::Undefined, _) | (_, Cell::Undefined) => true,
            (Cell::Computed(..), Cell::Computed(..)) => true,
            (a, b) => a == b,
        };
        if !agree {
            return Err(format!("{what} byte {i}: {a:?}, not {b:?}"));
        }
    }
    Ok(())
}
