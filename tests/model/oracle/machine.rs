//! Registers as the finalizer's listing moves bytes among them, in one run with inputs of our own.
//!
//! A byte is followed by name as long as it is only moved; what is computed is computed, on inputs that
//! [`in_this_run`] gives. So two ways to the same sum compare equal, whatever they are called.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use visim::internals::finalizer::flow::Cell;
use visim::internals::surface::float::half_to_f32;

/// What an input or a response holds in this run: anything, but for the numbers of surfaces and
/// samplers and the handles in `C0`, which leave the other fields of a descriptor as they are.
pub fn in_this_run(name: &str, at: u32) -> u8 {
    if name == "C0" {
        let numbers = [17, 2, 11, 6, 5, 19, 3, 24];
        return match at % 4 {
            0 => numbers[at as usize / 4 % numbers.len()],
            _ => 0,
        };
    }
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = name.bytes().fold(0x811c_9dc5, step);
    let hash = at.to_le_bytes().into_iter().fold(hash, step);
    (hash ^ hash >> 15) as u8
}

/// The byte that a cell is; nothing if nothing defines it.
pub fn number(cell: &Cell) -> Option<u8> {
    match cell {
        Cell::Stream(name, at) => Some(in_this_run(name, *at)),
        Cell::Constant(byte) => Some(*byte),
        Cell::Computed(..) | Cell::Undefined => None,
    }
}

/// The number that neighbouring cells are, the lowest byte first.
pub fn word(cells: &[Cell]) -> Option<u64> {
    let bytes = cells.iter().rev().map(number);
    bytes
        .into_iter()
        .try_fold(0, |word, byte| Some(word << 8 | u64::from(byte?)))
}

/// A number as `size` cells.
pub fn constant(value: u64, size: u32) -> Vec<Cell> {
    let bytes = value.to_le_bytes();
    bytes
        .iter()
        .take(size as usize)
        .map(|b| Cell::Constant(*b))
        .collect()
}

/// A type of the listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// Bytes.
    pub size: u32,
    pub signed: bool,
    pub float: bool,
}

impl Type {
    pub fn of(name: &str) -> Type {
        Type {
            size: match name {
                "ub" | "b" => 1,
                "uw" | "w" | "hf" => 2,
                "uq" | "q" | "df" => 8,
                _ => 4,
            },
            signed: matches!(name, "b" | "w" | "d" | "q"),
            float: matches!(name, "hf" | "f" | "df"),
        }
    }

    /// The number in an element, extended by its sign.
    fn extend(self, word: u64) -> i64 {
        let unused = 64 - 8 * self.size;
        match self.signed {
            true => (word << unused) as i64 >> unused,
            false => (word << unused >> unused) as i64,
        }
    }
}

/// `r12.3<8;8,1>:ud`, an address or a flag register, or an immediate.
pub enum Operand {
    Register {
        byte: u32,
        region: Vec<u32>,
        ty: Type,
        sign: Sign,
    },
    Address {
        byte: u32,
        ty: Type,
    },
    /// First bit; lanes are bits after it.
    Flag {
        bit: u32,
        ty: Type,
    },
    Immediate {
        value: u64,
        ty: Type,
    },
    Other,
}

/// A source modifier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Plain,
    Negated,
    Positive,
    Complement,
}

/// The predicate in front of an instruction: first flag bit, inverted.
pub type Guard = Option<(u32, bool)>;

/// One instruction that is not a send.
pub struct Step<'a> {
    pub op: &'a str,
    pub lanes: u32,
    /// The flag bits of its first lane are so far after the flag's own.
    pub offset: u32,
    pub guard: Guard,
    /// Condition and first flag bit.
    pub condition: Option<(&'a str, u32)>,
    pub to: Operand,
    pub sources: Vec<Operand>,
}

pub struct Machine {
    pub grf: u32,
    /// Name, first byte, bytes.
    inputs: Vec<(Rc<str>, u32, u32)>,
    memory: HashMap<u32, Cell>,
    address: HashMap<u32, Cell>,
    flags: HashMap<u32, Option<bool>>,
    /// Operations that are not followed; what they leave counts as undefined.
    pub strange: BTreeSet<String>,
}

impl Machine {
    pub fn new(grf: u32) -> Machine {
        Machine {
            grf,
            inputs: Vec::new(),
            memory: HashMap::new(),
            address: HashMap::new(),
            flags: HashMap::new(),
            strange: BTreeSet::new(),
        }
    }

    pub fn input(&mut self, name: &str, byte: u32, bytes: u32) {
        self.inputs.push((name.into(), byte, bytes));
    }

    pub fn read(&self, byte: u32) -> Cell {
        if let Some(cell) = self.memory.get(&byte) {
            return cell.clone();
        }
        if byte < self.grf {
            return Cell::Stream("r0".into(), byte);
        }
        for (name, start, bytes) in &self.inputs {
            if (*start..start + bytes).contains(&byte) {
                return Cell::Stream(name.clone(), byte - start);
            }
        }
        Cell::Undefined
    }

    pub fn put(&mut self, byte: u32, cell: Cell) {
        self.memory.insert(byte, cell);
    }

    /// The dword in an address register.
    pub fn address(&self, byte: u32) -> Vec<Cell> {
        let cell = |i| self.address.get(&(byte + i)).cloned();
        (0..4).map(|i| cell(i).unwrap_or(Cell::Undefined)).collect()
    }

    /// The bytes of one lane of a source.
    fn lane(&self, operand: &Operand, lane: u32) -> Option<(Vec<Cell>, Type)> {
        match operand {
            Operand::Register {
                byte, region, ty, ..
            } => {
                let element = match region[..] {
                    [v, w, h] => {
                        let w = w.max(1);
                        lane / w * v + lane % w * h
                    }
                    [stride] => lane * stride,
                    _ => 0,
                };
                let at = byte + element * ty.size;
                Some(((0..ty.size).map(|i| self.read(at + i)).collect(), *ty))
            }
            Operand::Address { byte, ty } => {
                let cells = self.address(*byte);
                Some((cells[..ty.size as usize].to_vec(), *ty))
            }
            Operand::Flag { bit, ty } => {
                let bits = (0..8 * ty.size).map(|i| self.flag(bit + i));
                let word = bits
                    .rev()
                    .try_fold(0, |w, bit| Some(w << 1 | u64::from(bit?)));
                let unknown = vec![Cell::Undefined; ty.size as usize];
                Some((word.map_or(unknown, |w| constant(w, ty.size)), *ty))
            }
            Operand::Immediate { value, ty } => Some((constant(*value, ty.size), *ty)),
            Operand::Other => None,
        }
    }

    fn flag(&self, bit: u32) -> Option<bool> {
        self.flags.get(&bit).copied().flatten()
    }

    /// Runs an instruction, lane by lane: all sources are read before anything is written.
    pub fn step(&mut self, step: &Step) {
        let lanes: Vec<Vec<Cell>> = (0..step.lanes)
            .map(|lane| self.result(step, lane))
            .collect();
        for (lane, cells) in (0..).zip(lanes) {
            let bit = step.offset + lane;
            if let Some((condition, first)) = step.condition {
                let holds = word(&cells).and_then(|w| self.condition(step, condition, w));
                self.flags.insert(first + bit, holds);
            }
            let on = match step.guard {
                Some((first, inverted)) if step.op != "sel" => {
                    self.flag(first + bit).map(|on| on != inverted)
                }
                _ => Some(true),
            };
            // What a lane that is off has in a payload is nobody's to say.
            let cells = match on {
                Some(true) => cells,
                _ => vec![Cell::Undefined; cells.len()],
            };
            self.write(&step.to, lane, cells);
        }
    }

    fn write(&mut self, to: &Operand, lane: u32, cells: Vec<Cell>) {
        match to {
            Operand::Register {
                byte, region, ty, ..
            } => {
                let stride = region.first().copied().unwrap_or(1);
                let at = byte + lane * stride * ty.size;
                self.memory.extend((at..).zip(cells));
            }
            Operand::Address { byte, ty } => {
                self.address.extend((byte + lane * ty.size..).zip(cells));
            }
            Operand::Flag { bit, ty } => {
                let value = word(&cells);
                for i in 0..8 * ty.size {
                    self.flags.insert(bit + i, value.map(|v| v >> i & 1 != 0));
                }
            }
            Operand::Immediate { .. } | Operand::Other => {}
        }
    }

    /// What one lane leaves.
    fn result(&mut self, step: &Step, lane: u32) -> Vec<Cell> {
        let to = match &step.to {
            Operand::Register { ty, .. }
            | Operand::Address { ty, .. }
            | Operand::Flag { ty, .. } => *ty,
            _ => Type::of("ud"),
        };
        let unknown = vec![Cell::Undefined; to.size as usize];
        let sources: Option<Vec<_>> = step.sources.iter().map(|s| self.lane(s, lane)).collect();
        let Some(sources) = sources.filter(|_| !step.op.starts_with("math.")) else {
            return unknown;
        };
        let plain = |i: usize| !matches!(step.sources[i], Operand::Register { sign, .. } if sign != Sign::Plain);
        let chosen = match (step.op, step.guard) {
            ("mov", _) if sources.len() == 1 => Some(0),
            ("sel", Some((first, inverted))) if sources.len() == 2 => {
                let Some(on) = self.flag(first + step.offset + lane) else {
                    return unknown;
                };
                Some(usize::from(on == inverted))
            }
            _ => None,
        };
        // Bytes that only move keep their names.
        if let Some(i) = chosen
            && plain(i)
            && sources[i].1.size == to.size
            && sources[i].1.float == to.float
        {
            return sources[i].0.clone();
        }
        let signs = step.sources.iter().map(|source| match source {
            Operand::Register { sign, .. } => *sign,
            _ => Sign::Plain,
        });
        // The finalizer leaves sources of type f behind where it has passed over a move of bits.
        let bitwise = matches!(step.op, "shl" | "shr" | "and" | "or" | "xor" | "not");
        let values: Option<Vec<i64>> = sources
            .iter()
            .zip(signs)
            .map(|((cells, ty), sign)| match bitwise {
                true => value(
                    cells,
                    Type {
                        float: to.float,
                        ..*ty
                    },
                    sign,
                    to,
                ),
                false => value(cells, *ty, sign, to),
            })
            .collect();
        let Some(values) = values else {
            return unknown;
        };
        let value = match (step.op, chosen, &values[..]) {
            (_, Some(i), values) => values[i],
            ("cmp", _, [a, b]) => a.wrapping_sub(*b),
            ("add", _, [a, b]) => a.wrapping_add(*b),
            ("or", _, [a, b]) => a | b,
            ("and", _, [a, b]) => a & b,
            ("not", _, [a]) => !a,
            ("mul", _, [a, b]) => a.wrapping_mul(*b),
            // By the low five bits, of dwords.
            ("shl", _, [a, b]) => a.wrapping_shl(*b as u32 & if to.size == 8 { 63 } else { 31 }),
            ("shr", _, [a, b]) => ((*a as u64) >> (b & 31)) as i64,
            ("asr", _, [a, b]) => a >> (b & 31),
            _ => {
                self.strange.insert(step.op.into());
                return unknown;
            }
        };
        let size = if step.op == "cmp" { 8 } else { to.size };
        constant(value as u64, size)
    }

    /// Whether a condition holds of a result; of a comparison, of its difference.
    fn condition(&mut self, step: &Step, condition: &str, word: u64) -> Option<bool> {
        let value = match &step.to {
            _ if step.op == "cmp" => word as i64,
            Operand::Register { ty, .. } => ty.extend(word),
            _ => word as i64,
        };
        Some(match condition {
            "gt" => value > 0,
            "ge" => value >= 0,
            "lt" => value < 0,
            "le" => value <= 0,
            "ne" | "nz" => value != 0,
            "eq" | "ze" => value == 0,
            _ => {
                self.strange.insert(format!("({condition})"));
                return None;
            }
        })
    }
}

/// A source as a number; one that becomes a float, or of a float an integer, as the bits of that.
fn value(cells: &[Cell], ty: Type, sign: Sign, to: Type) -> Option<i64> {
    let word = word(cells)?;
    let value = match (ty.float, to.float) {
        (true, true) if ty.size == 2 && to.size == 4 => i64::from(half_to_f32(word as u16)),
        (false, true) if to.size == 4 => i64::from((ty.extend(word) as f32).to_bits()),
        (true, false) => {
            let single = match ty.size {
                2 => f32::from_bits(half_to_f32(word as u16)),
                4 => f32::from_bits(word as u32),
                _ => return None,
            };
            match to.signed {
                true => i64::from(single as i32),
                false => i64::from(single as u32),
            }
        }
        (a, b) if a == b => ty.extend(word),
        _ => return None,
    };
    Some(match sign {
        Sign::Plain => value,
        Sign::Negated => value.wrapping_neg(),
        Sign::Positive => value.wrapping_abs(),
        Sign::Complement => !value,
    })
}
