//! The finalizer's listing, followed far enough to know what every byte of every payload holds.

use super::sides::{Side, Theirs};
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use visim::isa::Platform;
use visim::lower::messages::flow::Cell;

/// Runs the finalizer and follows its listing.
pub fn finalize(text: &str, platform: Platform) -> Result<Option<Side<Theirs>>, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(folder.path().join("k.visaasm"), text).map_err(|e| e.to_string())?;
    let name = Platform::ALL
        .iter()
        .find(|p| p.0 == platform)
        .map_or("", |p| p.2);
    let output = Command::new("GenX_IR")
        .args(["k.visaasm", "-platform", name, "-output", "-binary"])
        .args(["-noschedule", "-nocompaction"])
        .current_dir(folder.path())
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Ok(None);
    }
    Ok(listing(folder.path()).map(|text| Machine::new(platform).run(&text)))
}

fn listing(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    let path = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .find(|p| p.extension().is_some_and(|e| e == "asm"))?;
    std::fs::read_to_string(path).ok()
}

/// Registers as the listing moves bytes among them.
struct Machine {
    grf: u32,
    platform: Platform,
    inputs: Vec<(Rc<str>, u32, u32)>,
    memory: HashMap<u32, Cell>,
    address: HashMap<u32, Cell>,
    sends: Vec<Theirs>,
    native: Vec<String>,
}

/// `r12.3<8;8,1>:ud`, an address register, or an immediate.
enum Operand {
    Register {
        byte: u32,
        region: Vec<u32>,
        size: u32,
    },
    Address {
        byte: u32,
        size: u32,
    },
    Immediate {
        value: u32,
        size: u32,
        signed: bool,
    },
    Other,
}

fn type_size(ty: &str) -> u32 {
    match ty {
        "ub" | "b" => 1,
        "uw" | "w" | "hf" => 2,
        "uq" | "q" | "df" => 8,
        _ => 4,
    }
}

impl Machine {
    fn new(platform: Platform) -> Machine {
        Machine {
            grf: platform.grf_bytes(),
            platform,
            inputs: Vec::new(),
            memory: HashMap::new(),
            address: HashMap::new(),
            sends: Vec::new(),
            native: Vec::new(),
        }
    }

    fn run(mut self, listing: &str) -> Side<Theirs> {
        let mut prolog = false;
        for line in listing.lines() {
            if let Some(row) = line.strip_prefix("// | ") {
                self.input(row);
            }
            if line.starts_with("// B") {
                prolog = false;
            }
            if line.trim_end().ends_with("_prolog:") {
                prolog = true;
            }
            let (code, comment) = line.split_once("//").unwrap_or((line, ""));
            let code = with_bits(code.trim(), comment);
            if !code.is_empty() && !code.ends_with(':') && !prolog {
                self.step(&code);
            }
        }
        Side {
            sends: self.sends,
            native: self.native,
        }
    }

    /// `A0 | :f x 16 | 64 | r2 | general |`
    fn input(&mut self, row: &str) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [name, _, bytes, at, ..] = columns[..] else {
            return;
        };
        let (register, offset) = at.split_once('+').unwrap_or((at, "0"));
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        };
        if let (Some(bytes), Some(register), Some(offset)) = (
            number(bytes),
            register.strip_prefix('r').and_then(number),
            number(offset),
        ) {
            self.inputs
                .push((name.into(), register * self.grf + offset, bytes));
        }
    }

    fn read(&self, byte: u32) -> Cell {
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

    fn operand(&self, word: &str) -> Operand {
        let (text, ty) = word.rsplit_once(':').unwrap_or((word, "ud"));
        let size = type_size(ty);
        if let Some(hex) = text.trim_start_matches('-').strip_prefix("0x") {
            let value = u64::from_str_radix(hex, 16).unwrap_or(0) as u32;
            let value = if text.starts_with('-') {
                value.wrapping_neg()
            } else {
                value
            };
            if matches!(ty, "v" | "uv" | "vf") {
                return Operand::Other;
            }
            return Operand::Immediate {
                value,
                size,
                signed: matches!(ty, "w" | "b" | "d" | "q"),
            };
        }
        if let Ok(value) = text.parse::<i64>()
            && !matches!(ty, "f" | "hf" | "df")
        {
            return Operand::Immediate {
                value: value as u32,
                size,
                signed: true,
            };
        }
        let (place, region) = match text.split_once('<') {
            Some((place, region)) => (place, region.trim_end_matches('>')),
            None => (text, ""),
        };
        let region = region
            .split([';', ','])
            .filter_map(|n| n.parse().ok())
            .collect();
        let (file, rest) = place.split_at(usize::from(!place.is_empty()));
        let (number, sub) = rest.split_once('.').unwrap_or((rest, "0"));
        match (file, number.parse::<u32>(), sub.parse::<u32>()) {
            ("r", Ok(number), Ok(sub)) => Operand::Register {
                byte: number * self.grf + sub * size,
                region,
                size,
            },
            ("a", Ok(_), Ok(sub)) => Operand::Address {
                byte: sub * size,
                size,
            },
            _ => Operand::Other,
        }
    }

    /// The bytes of one lane of a source, and whether its type has a sign.
    fn lane(&self, operand: &Operand, lane: u32) -> Option<Vec<Cell>> {
        match operand {
            Operand::Register { byte, region, size } => {
                let element = match region[..] {
                    [v, w, h] => {
                        let w = w.max(1);
                        lane / w * v + lane % w * h
                    }
                    [stride] => lane * stride,
                    _ => 0,
                };
                Some(
                    (0..*size)
                        .map(|i| self.read(byte + element * size + i))
                        .collect(),
                )
            }
            Operand::Address { byte, size } => Some(
                (0..*size)
                    .map(|i| {
                        self.address
                            .get(&(byte + i))
                            .cloned()
                            .unwrap_or(Cell::Undefined)
                    })
                    .collect(),
            ),
            Operand::Immediate {
                value,
                size,
                signed,
            } => {
                let mut bytes = value.to_le_bytes().to_vec();
                bytes.truncate(*size as usize);
                let fill = if *signed && bytes.last().is_some_and(|b| *b > 127) {
                    0xff
                } else {
                    0
                };
                bytes.resize(8, fill);
                Some(bytes.into_iter().map(Cell::Constant).collect())
            }
            Operand::Other => None,
        }
    }

    fn step(&mut self, code: &str) {
        let (guard, rest) = match code.strip_prefix('(') {
            Some(rest) => rest.split_once(')').unwrap_or(("", rest)),
            None => ("", code),
        };
        let rest = rest.trim();
        let rest = rest.split('{').next().unwrap_or(rest);
        let mut words = rest.split_whitespace();
        let Some(op) = words.next() else { return };
        let Some(exec) = words.next().and_then(|w| w.strip_prefix('(')) else {
            return;
        };
        let (size, offset) = exec
            .trim_end_matches(')')
            .split_once("|M")
            .unwrap_or((exec, "0"));
        let (size, offset) = (size.parse().unwrap_or(1), offset.parse().unwrap_or(0));
        let words: Vec<&str> = words.collect();
        if op.starts_with("send") {
            self.send(code, guard, op, size, offset, &words);
            return;
        }
        if op.starts_with("math.") {
            let all = if guard.contains('W') { "(W) " } else { "" };
            let sat = if words[0].starts_with("(sat)") {
                " (sat)"
            } else {
                ""
            };
            self.native
                .push(format!("{all}{op} ({size}|M{offset}){sat}"));
        }
        let [to, sources @ ..] = &words[..] else {
            return;
        };
        let to = self.operand(to);
        let sources: Vec<Operand> = sources.iter().map(|s| self.operand(s)).collect();
        let predicated = guard.contains('f');
        let mut results = Vec::new();
        for lane in 0..size {
            let cells: Option<Vec<Vec<Cell>>> =
                sources.iter().map(|s| self.lane(s, lane)).collect();
            results.push(cells.filter(|_| !predicated));
        }
        self.write(op, &to, results);
    }

    fn write(&mut self, op: &str, to: &Operand, results: Vec<Option<Vec<Vec<Cell>>>>) {
        let (byte, size, stride) = match to {
            Operand::Register { byte, region, size } => {
                (*byte, *size, region.first().copied().unwrap_or(1))
            }
            Operand::Address { byte, size } => (*byte, *size, 1),
            _ => return,
        };
        for (lane, sources) in results.into_iter().enumerate() {
            let at = byte + lane as u32 * stride * size;
            let cells = value(op, sources, size);
            for (i, cell) in cells.into_iter().enumerate() {
                let at = at + i as u32;
                if matches!(to, Operand::Address { .. }) {
                    self.address.insert(at, cell);
                } else {
                    self.memory.insert(at, cell);
                }
            }
        }
    }

    fn send(&mut self, code: &str, guard: &str, op: &str, size: u32, offset: u8, words: &[&str]) {
        let (to, first, second, ex_desc, desc) = match words {
            [to, first, ex, desc] => (*to, *first, "null", *ex, *desc),
            [to, first, second, ex, desc, ..] => (*to, *first, *second, *ex, *desc),
            _ => return,
        };
        let number = |word: &str| {
            let hex = word.strip_prefix("0x")?;
            u32::from_str_radix(hex, 16).ok()
        };
        let constant = |word: &str| {
            number(word).or_else(|| {
                let sub: u32 = word.strip_prefix("a0.")?.parse().ok()?;
                let bytes: Option<Vec<u8>> = (0..4)
                    .map(|i| match self.address.get(&(sub * 4 + i)) {
                        Some(Cell::Constant(b)) => Some(*b),
                        _ => None,
                    })
                    .collect();
                Some(u32::from_le_bytes(bytes?.try_into().ok()?))
            })
        };
        let (desc, ex_desc) = (constant(desc), constant(ex_desc));
        let (second, length) = second.split_once(':').unwrap_or((second, ""));
        let register = |word: &str| -> Option<u32> {
            let word = word.split(':').next()?;
            word.strip_prefix('r')?.split('.').next()?.parse().ok()
        };
        let second_length = match (length.parse(), register(second)) {
            (Ok(length), _) => length,
            (_, None) => 0,
            (_, Some(_)) => {
                let mask = if self.platform <= Platform::Skl {
                    0xf
                } else {
                    0x1f
                };
                ex_desc.map_or(0, |word| word >> 6 & mask)
            }
        };
        let contents = |start: Option<u32>, count: u32| -> Vec<Vec<Cell>> {
            let Some(start) = start else {
                return Vec::new();
            };
            (start..start + count)
                .map(|r| (0..self.grf).map(|i| self.read(r * self.grf + i)).collect())
                .collect()
        };
        // A length in a register is not known: more registers than needed do no harm.
        let first_length = desc.map_or(15, |d| d >> 25 & 0xf);
        let registers = [
            contents(register(first), first_length),
            contents(register(second), second_length),
        ];
        let response = desc.map_or(0, |d| d >> 20 & 0x1f);
        let name: Rc<str> = format!("S{}", self.sends.len()).into();
        if let Some(start) = register(to) {
            for i in 0..response * self.grf {
                self.memory
                    .insert(start * self.grf + i, Cell::Stream(name.clone(), i));
            }
        }
        self.sends.push(Theirs {
            text: code.into(),
            mnemonic: op.into(),
            size,
            offset,
            no_mask: guard.contains('W'),
            predicate: guard.contains('f').then(|| guard.contains('~')),
            desc,
            ex_desc,
            second_length,
            options: options(code),
            registers,
        });
    }
}

/// What stands in braces behind a send: `{Serialize,ExBSO,A@1,$2}` without what it waits for.
fn options(code: &str) -> Vec<String> {
    let braces = code
        .rsplit_once('{')
        .and_then(|(_, rest)| rest.split_once('}'));
    let words = braces.map_or("", |(words, _)| words).split(',');
    let waits = |word: &&str| word.contains('@') || word.starts_with('$');
    let said = words
        .map(str::trim)
        .filter(|w| !w.is_empty() && !waits(w) && *w != "EOT");
    said.map(str::to_string).collect()
}

/// Float immediates stand as decimals, their bits in the comment: `0.0:f … // (0x00000000:f)`.
fn with_bits(code: &str, comment: &str) -> String {
    let mut bits = comment.split('(').filter_map(|part| {
        let (hex, ty) = part.split_once(')')?.0.split_once(':')?;
        hex.starts_with("0x").then(|| format!("{hex}:{ty}"))
    });
    let is_float = |word: &str| {
        let Some((number, ty)) = word.rsplit_once(':') else {
            return false;
        };
        matches!(ty, "f" | "hf" | "df") && number.parse::<f64>().is_ok()
    };
    let words: Vec<String> = code
        .split_whitespace()
        .map(|word| match is_float(word).then(|| bits.next()).flatten() {
            Some(bits) => bits,
            None => word.to_string(),
        })
        .collect();
    words.join(" ")
}

/// What an operation leaves in an element of `size` bytes.
fn value(op: &str, sources: Option<Vec<Vec<Cell>>>, size: u32) -> Vec<Cell> {
    let unknown = || {
        let text: Rc<str> = "*".into();
        (0..size).map(|i| Cell::Computed(text.clone(), i)).collect()
    };
    let Some(sources) = sources else {
        return unknown();
    };
    let number = |cells: &[Cell]| -> Option<u32> {
        let mut bytes = [0; 4];
        for (to, cell) in bytes.iter_mut().zip(cells) {
            match cell {
                Cell::Constant(b) => *to = *b,
                _ => return None,
            }
        }
        Some(u32::from_le_bytes(bytes))
    };
    let constant = |n: u32| {
        let bytes = u64::from(n).to_le_bytes();
        bytes
            .iter()
            .take(size as usize)
            .map(|b| Cell::Constant(*b))
            .collect()
    };
    match (op, &sources[..]) {
        ("mov", [from]) if from.len() == size as usize => from.clone(),
        // Constants are given extended to eight bytes.
        ("mov", [from]) if from.len() == 8 && number(from).is_some() => {
            from.iter().take(size as usize).cloned().collect()
        }
        (_, [a, b]) => match (op, number(a), number(b)) {
            ("add", Some(a), Some(b)) => constant(a.wrapping_add(b)),
            ("or", Some(a), Some(b)) => constant(a | b),
            ("and", Some(a), Some(b)) => constant(a & b),
            ("shl", Some(a), Some(b)) => constant(a.wrapping_shl(b)),
            _ => unknown(),
        },
        _ => unknown(),
    }
}
