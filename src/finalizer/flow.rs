//! Where bytes come from, across the sends of a unit, and how that is written.
//!
//! ```text
//!  r0.3          a dword of the dispatch header        A0[32..63]  bytes of an input
//!  S0[0..31]     bytes of the response of send 0       0x1F        a constant
//!  add(A0+4,..)  a computed dword                      undef*4B    nothing defined it
//! ```
//!
//! The spelling is that of the lowering corpus, so that both compare by plain difference.

use super::{Computed, Formula, Lowered, Run, Value};
use crate::check::{Storage, Unit, VarId};
use crate::isa::Type;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// One byte of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A byte of something that was there before: name and position.
    Stream(Rc<str>, u32),
    /// A known byte.
    Constant(u8),
    /// A byte of a computed element: its text and position.
    Computed(Rc<str>, u32),
    /// Nothing defined it.
    Undefined,
}

/// The bytes of all variables while walking through a unit.
#[derive(Clone, Debug)]
pub struct Flow<'a> {
    unit: &'a Unit,
    /// Responses and results that reached variables: owner and byte → what is there.
    written: HashMap<(VarId, u32), Cell>,
    /// Number of the next send.
    sends: usize,
    /// Every variable holds its own bytes, not only inputs.
    named: bool,
}

impl<'a> Flow<'a> {
    /// Inputs hold their own bytes, all other variables nothing.
    pub fn new(unit: &'a Unit) -> Flow<'a> {
        Flow {
            unit,
            written: HashMap::new(),
            sends: 0,
            named: false,
        }
    }

    /// Every variable holds its own bytes: what one instruction looks like by itself.
    pub fn named(unit: &'a Unit) -> Flow<'a> {
        Flow {
            named: true,
            ..Flow::new(unit)
        }
    }

    /// Number of the next send of the unit.
    pub const fn next_send(&self) -> usize {
        self.sends
    }

    /// Takes note of what an instruction's responses and the math unit's results write.
    pub fn apply(&mut self, lowered: &Lowered) {
        let mut results = Vec::new();
        for write in &lowered.writes {
            let name: Rc<str> = format!("S{}", self.sends + write.send).into();
            let cells = (write.response..).take(write.len as usize);
            let cells = cells.map(|at| Cell::Stream(name.clone(), at));
            results.push((write.var, write.offset, cells.collect::<Vec<_>>()));
        }
        for lane in &lowered.computed {
            let cells = match self.computed(lane) {
                Some(text) => (0..lane.size)
                    .map(|i| Cell::Computed(text.clone(), i))
                    .collect(),
                None => vec![Cell::Undefined; lane.size as usize],
            };
            results.push((lane.var, lane.offset, cells));
        }
        for (var, at, cells) in results {
            if let Storage::General { root, offset, .. } = self.unit.variable(var).storage {
                let first = offset.wrapping_add(at);
                let bytes = (0..).map(|byte| (root, first.wrapping_add(byte)));
                self.written.extend(bytes.zip(cells));
            }
        }
        self.sends += lowered.sends.len();
    }

    /// What a byte of a variable holds.
    fn byte(&self, root: VarId, offset: u32) -> Cell {
        if let Some(cell) = self.written.get(&(root, offset)) {
            return cell.clone();
        }
        let variable = self.unit.variable(root);
        let input = self
            .unit
            .inputs
            .iter()
            .any(|i| match &self.unit.variable(i.var).storage {
                Storage::General {
                    root: owner,
                    offset: at,
                    ..
                } => *owner == root && (*at..at.saturating_add(i.size)).contains(&offset),
                _ => false,
            });
        if variable.predefined {
            let name = variable.name.trim_start_matches('%');
            Cell::Stream(name.into(), offset)
        } else if input || self.named {
            Cell::Stream(variable.name.as_str().into(), offset)
        } else {
            Cell::Undefined
        }
    }

    /// The bytes of an element, one by one.
    fn element(&self, root: VarId, offset: u32, ty: Type) -> Vec<Cell> {
        (0..ty.bytes())
            .map(|i| self.byte(root, offset.wrapping_add(i)))
            .collect()
    }

    /// The bytes of a payload register.
    pub fn cells(&self, register: &[Run]) -> Vec<Cell> {
        let mut cells = Vec::new();
        for run in register {
            match run {
                Run::Bytes { root, offset, len } => {
                    cells.extend((0..*len).map(|i| self.byte(*root, offset.wrapping_add(i))));
                }
                Run::Dispatch { offset, len } => {
                    let name: Rc<str> = "r0".into();
                    cells.extend((0..*len).map(|i| Cell::Stream(name.clone(), offset + i)));
                }
                Run::Undefined { len } => {
                    cells.extend((0..*len).map(|_| Cell::Undefined));
                }
                Run::Value { value, size } => self.value_cells(value, *size, &mut cells),
            }
        }
        cells
    }

    fn value_cells(&self, value: &Value, size: u32, cells: &mut Vec<Cell>) {
        match value {
            Value::Const(n) => {
                let bytes = u64::from(*n).to_le_bytes();
                cells.extend(bytes.iter().take(size as usize).map(|b| Cell::Constant(*b)));
            }
            Value::Dispatch(dw) => {
                let name: Rc<str> = "r0".into();
                cells.extend((0..size).map(|i| Cell::Stream(name.clone(), 4 * dw + i)));
            }
            Value::Element { root, offset, ty } if ty.bytes() == size => {
                cells.extend(self.element(*root, *offset, *ty));
            }
            Value::Undefined => cells.extend((0..size).map(|_| Cell::Undefined)),
            other => {
                let text: Rc<str> = self.text(other).into();
                cells.extend((0..size).map(|i| Cell::Computed(text.clone(), i)));
            }
        }
    }

    /// A value in words.
    pub fn text(&self, value: &Value) -> String {
        match value {
            Value::Const(n) => format!("0x{n:X}"),
            Value::Dispatch(dw) => format!("r0.{dw}"),
            Value::Element { root, offset, ty } => fused(&self.element(*root, *offset, *ty)),
            Value::Indirect {
                address,
                element,
                offset,
                ty,
            } => {
                let name = &self.unit.variable(*address).name;
                format!("r[{name}({element}),{offset}]:{ty}")
            }
            Value::State { var, element } => {
                let name = &self.unit.variable(*var).name;
                if *element == 0 {
                    name.clone()
                } else {
                    format!("{name}({element})")
                }
            }
            Value::Widen(ty, of) => format!("{ty}({})", self.text(of)),
            Value::Convert(from, to, of) => format!("{to}_from_{from}({})", self.text(of)),
            Value::Modified(how, _, of) => format!("{how}({})", self.text(of)),
            Value::Call(op, args) => {
                format!(
                    "{}({},{})",
                    op.name(),
                    self.text(&args[0]),
                    self.text(&args[1])
                )
            }
            // The finalizer tests the bit into a flag and selects.
            Value::HandleBit(_, flag) => format!("sel(f{flag}.0,0x100,0x0)"),
            Value::Flag => "f0.0".into(),
            Value::Undefined => "undef".into(),
        }
    }

    /// A payload register in words.
    pub fn register(&self, register: &[Run]) -> String {
        describe(&self.cells(register))
    }

    /// What an instruction writes, by variable: `[0..31]=S0[0..31]`.
    pub fn writes(&self, lowered: &Lowered) -> Vec<(VarId, Vec<String>)> {
        let mut variables: Vec<(VarId, BTreeMap<u32, Cell>)> = Vec::new();
        let mut put = |var: VarId, at: u32, cell: Cell| {
            let known = variables.iter().position(|v| v.0 == var);
            let known = known.unwrap_or_else(|| {
                variables.push((var, BTreeMap::new()));
                variables.len() - 1
            });
            variables[known].1.insert(at, cell);
        };
        for w in &lowered.writes {
            let name: Rc<str> = format!("S{}", self.sends + w.send).into();
            for i in 0..w.len {
                put(
                    w.var,
                    w.offset + i,
                    Cell::Stream(name.clone(), w.response + i),
                );
            }
        }
        for lane in &lowered.computed {
            let text = self.computed(lane);
            for i in 0..lane.size {
                let cell = match &text {
                    Some(text) => Cell::Computed(text.clone(), i),
                    None => Cell::Undefined,
                };
                put(lane.var, lane.offset + i, cell);
            }
        }
        let runs = |(var, bytes): (VarId, BTreeMap<u32, Cell>)| (var, runs(&bytes));
        variables.into_iter().map(runs).collect()
    }

    /// A lane in words; nothing if its steps are not followed.
    fn computed(&self, lane: &Computed) -> Option<Rc<str>> {
        if lane.formula == Formula::Value(Value::Undefined) {
            return None;
        }
        let text = self.formula(&lane.formula);
        let Some(inverted) = lane.inverted else {
            return Some(text.into());
        };
        let Storage::General {
            root, offset, ty, ..
        } = self.unit.variable(lane.var).storage
        else {
            return Some(text.into());
        };
        let before = fused(&self.element(root, offset.wrapping_add(lane.offset), ty));
        let sign = if inverted { "~" } else { "" };
        Some(format!("sel({sign}f0.0,{text},{before})").into())
    }

    fn formula(&self, formula: &Formula) -> String {
        match formula {
            Formula::Value(value) => self.text(value),
            Formula::Call(name, of) => {
                let of: Vec<String> = of.iter().map(|f| self.formula(f)).collect();
                format!("{name}({})", of.join(","))
            }
        }
    }
}

/// Written bytes as runs: `[0..31]=S0[0..31]`.
fn runs(bytes: &BTreeMap<u32, Cell>) -> Vec<String> {
    let bytes: Vec<(u32, Cell)> = bytes.iter().map(|(at, cell)| (*at, cell.clone())).collect();
    let mut runs = Vec::new();
    for stretch in bytes.chunk_by(|a, b| a.0 + 1 == b.0) {
        let cells: Vec<Cell> = stretch.iter().map(|b| b.1.clone()).collect();
        let mut at = stretch[0].0;
        for piece in pieces(&cells) {
            let len = length(&piece);
            runs.push(format!("[{at}..{}]={piece}", at + len - 1));
            at += len;
        }
    }
    runs
}

/// Bytes that a piece stands for. Of lanes folded into one the first is counted, as the corpus has it.
fn length(piece: &str) -> u32 {
    let number = |text: &str| text.parse::<u32>().ok();
    let range = piece.rsplit_once('[').and_then(|(_, range)| {
        let (from, to) = range.strip_suffix(']')?.split_once("..")?;
        Some(number(to)? + 1 - number(from)?)
    });
    let counted = piece.rsplit_once([':', '*']);
    let bytes = counted.and_then(|(_, size)| number(size.strip_suffix('B')?));
    range.or(bytes).unwrap_or(4)
}

/// One element from its bytes: `A0+4`, `r0.3`, `A0+2:uw`.
fn fused(cells: &[Cell]) -> String {
    let size = cells.len() as u32;
    let suffix = match size {
        4 => String::new(),
        1 => ":ub".into(),
        2 => ":uw".into(),
        8 => ":uq".into(),
        n => format!(":{n}B"),
    };
    let (name, at) = match cells.first() {
        Some(Cell::Stream(name, at)) => (name, at),
        // A result of the math unit.
        Some(Cell::Computed(text, 0)) => return text.to_string(),
        _ => return "undef".into(),
    };
    let run = cells
        .iter()
        .zip(*at..)
        .all(|(cell, position)| matches!(cell, Cell::Stream(n, p) if n == name && *p == position));
    let is_response = name.starts_with('S') && name[1..].parse::<u32>().is_ok();
    if !run {
        "mixed".into()
    } else if &**name == "r0" && at.is_multiple_of(size) {
        format!("r0.{}{suffix}", at / size)
    } else if is_response && size != 4 {
        format!("{name}+{at}:{size}B")
    } else {
        format!("{name}+{at}{suffix}")
    }
}

/// Bytes in words, equal neighbours gathered.
pub fn describe(cells: &[Cell]) -> String {
    pieces(cells).join(" | ")
}

fn pieces(cells: &[Cell]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut i = 0;
    while let Some(cell) = cells.get(i) {
        let rest = &cells[i..];
        let len = match cell {
            Cell::Stream(name, at) => {
                let len = run_of(
                    rest,
                    |c, k| matches!(c, Cell::Stream(n, p) if n == name && *p == at + k),
                );
                pieces.push(format!("{name}[{at}..{}]", at + len as u32 - 1));
                len
            }
            Cell::Undefined => {
                let len = run_of(rest, |c, _| *c == Cell::Undefined);
                pieces.push(format!("undef*{len}B"));
                len
            }
            Cell::Constant(_) => {
                let len = run_of(rest, |c, _| matches!(c, Cell::Constant(_)));
                pieces.extend(constants(&rest[..len], i));
                len
            }
            Cell::Computed(text, at) => {
                let len = run_of(
                    rest,
                    |c, k| matches!(c, Cell::Computed(t, p) if t == text && *p == at + k),
                );
                if *at == 0 && len == 4 {
                    pieces.push(text.to_string());
                } else {
                    pieces.push(format!("{text}:{len}B"));
                }
                len
            }
        };
        i += len;
    }
    merge_lanes(&pieces)
}

/// How many cells from the start fit, one at least.
fn run_of(cells: &[Cell], fits: impl Fn(&Cell, u32) -> bool) -> usize {
    cells
        .iter()
        .zip(0..)
        .take_while(|(c, k)| fits(c, *k))
        .count()
        .max(1)
}

/// Constant bytes as dwords where aligned, words and bytes elsewhere; repetitions counted.
fn constants(cells: &[Cell], start: usize) -> Vec<String> {
    let mut words: Vec<(u32, usize)> = Vec::new();
    let mut k = 0;
    while k < cells.len() {
        let (at, left) = (start + k, cells.len() - k);
        let step = if at.is_multiple_of(4) && left >= 4 {
            4
        } else if at.is_multiple_of(2) && left >= 2 {
            2
        } else {
            1
        };
        let value = cells[k..k + step].iter().rev().fold(0, |v, c| match c {
            Cell::Constant(b) => v << 8 | u32::from(*b),
            _ => v,
        });
        words.push((value, step));
        k += step;
    }
    words
        .chunk_by(|a, b| a == b)
        .map(|same| {
            let (value, step) = same[0];
            let suffix = match step {
                4 => "",
                2 => ":uw",
                _ => ":ub",
            };
            match same.len() {
                1 => format!("0x{value:X}{suffix}"),
                n => format!("0x{value:X}{suffix}*{n}"),
            }
        })
        .collect()
}

/// Folds one expression over neighbouring lanes: `f(A+0) f(A+4)` become `f(A[0..7])`.
fn merge_lanes(pieces: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < pieces.len() {
        let mut best = (1, pieces[i].clone());
        for (head, at, suffix, tail) in positions(&pieces[i]) {
            let step = if suffix.is_empty() { 4 } else { 8 };
            let lanes = pieces[i..]
                .iter()
                .zip(0..)
                .take_while(|(p, k)| **p == format!("{head}+{}{suffix}{tail}", at + step * k))
                .count();
            if lanes > best.0 {
                let last = at + step * lanes as u32 - 1;
                best = (lanes, format!("{head}[{at}..{last}]{suffix}{tail}"));
            }
        }
        i += best.0;
        out.push(best.1);
    }
    out
}

/// Every `name+number` inside a call: text before, number, `:uq` or nothing, text after.
fn positions(piece: &str) -> Vec<(&str, u32, &str, &str)> {
    let mut found = Vec::new();
    if !piece.contains('(') || piece.ends_with('B') && !piece.contains(":uq") {
        return found;
    }
    for (i, _) in piece.match_indices('+') {
        let (head, rest) = (&piece[..i], &piece[i + 1..]);
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        let Ok(at) = rest[..digits].parse() else {
            continue;
        };
        let rest = &rest[digits..];
        let (suffix, tail) = rest.split_at(if rest.starts_with(":uq") { 3 } else { 0 });
        let ends = !tail.starts_with(|c: char| c.is_alphanumeric() || c == ':' || c == '_');
        if ends || suffix == ":uq" {
            found.push((head, at, suffix, tail));
        }
    }
    found
}
