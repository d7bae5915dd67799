//! The finalizer's listing: its lines as steps of a [`Machine`], its sends.

use super::machine::{self, Machine, Operand, Sign, Step, Type};
use super::sides::{Descriptor, Side, Theirs};
use std::path::Path;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};
use visim::internals::finalizer::flow::Cell;
use visim::internals::isa::Platform;

/// How long the finalizer may take, which needs some hundredths of a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs the finalizer and follows its listing.
pub fn finalize(text: &str, platform: Platform) -> Result<Option<Side<Theirs>>, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(folder.path().join("k.visaasm"), text).map_err(|e| e.to_string())?;
    let mut finalizer = Command::new("GenX_IR")
        .args([
            "k.visaasm",
            "-platform",
            platform.finalizer,
            "-output",
            "-binary",
        ])
        .args(["-noschedule", "-nocompaction"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())?;
    // Some programs it never ends with.
    let end = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = finalizer.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if Instant::now() > end {
            finalizer.kill().map_err(|e| e.to_string())?;
            break finalizer.wait().map_err(|e| e.to_string())?;
        }
        std::thread::sleep(Duration::from_millis(4));
    };
    if !status.success() {
        return Ok(None);
    }
    Ok(listing(folder.path()).map(|text| Listing::new(platform).run(&text)))
}

fn listing(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    let path = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .find(|p| p.extension().is_some_and(|e| e == "asm"))?;
    std::fs::read_to_string(path).ok()
}

/// The listing line by line, and what came of it.
struct Listing {
    platform: Platform,
    machine: Machine,
    sends: Vec<Theirs>,
    native: Vec<String>,
}

impl Listing {
    fn new(platform: Platform) -> Listing {
        Listing {
            platform,
            machine: Machine::new(platform.grf_bytes()),
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
            strange: self.machine.strange.into_iter().collect(),
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
            let byte = register * self.machine.grf + offset;
            self.machine.input(name, byte, bytes);
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
        let (lanes, offset) = exec
            .trim_end_matches(')')
            .split_once("|M")
            .unwrap_or((exec, "0"));
        let (lanes, offset) = (lanes.parse().unwrap_or(1), offset.parse().unwrap_or(0));
        let words: Vec<&str> = words.collect();
        if op.starts_with("send") {
            self.send(code, guard, op, lanes, offset, &words);
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
                .push(format!("{all}{op} ({lanes}|M{offset}){sat}"));
        }
        // `(ne)f0.1 null<1>:ud …`
        let (condition, words) = match &words[..] {
            [first, rest @ ..] if first.starts_with('(') && first.contains(")f") => {
                let both = first[1..].split_once(')');
                (both.and_then(|(name, at)| Some((name, flag(at)?))), rest)
            }
            all => (None, all),
        };
        let [to, sources @ ..] = words else { return };
        // What a program only waits with.
        if matches!(op.split('.').next(), Some("nop" | "sync" | "wait")) {
            return;
        }
        let grf = self.machine.grf;
        self.machine.step(&Step {
            op,
            lanes,
            offset,
            guard: predicate(guard).and_then(|text| {
                let inverted = text.starts_with('~');
                Some((flag(text.trim_start_matches('~'))?, inverted))
            }),
            condition,
            to: operand(to, grf),
            sources: sources.iter().map(|s| operand(s, grf)).collect(),
        });
    }

    fn send(&mut self, code: &str, guard: &str, op: &str, size: u32, offset: u32, words: &[&str]) {
        let (to, first, second, ex_desc, desc) = match words {
            [to, first, ex, desc] => (*to, *first, "null", *ex, *desc),
            [to, first, second, ex, desc, ..] => (*to, *first, *second, *ex, *desc),
            _ => return,
        };
        let (desc, ex_desc) = (self.descriptor(desc), self.descriptor(ex_desc));
        let (second, length) = second.split_once(':').unwrap_or((second, ""));
        let register = |word: &str| -> Option<u32> {
            let word = word.split(':').next()?;
            word.strip_prefix('r')?.split('.').next()?.parse().ok()
        };
        let second_length = match (length.parse(), register(second)) {
            (Ok(length), _) => Some(length),
            (_, None) => Some(0),
            (_, Some(_)) => {
                let mask = if self.platform.place() <= Platform::Skl.place() {
                    0xf
                } else {
                    0x1f
                };
                ex_desc.value.map(|word| word >> 6 & mask)
            }
        };
        let grf = self.machine.grf;
        let contents = |start: Option<u32>, count: u32| -> Vec<Vec<Cell>> {
            let rows = start.map_or(0..0, |start| start..start + count);
            let row = |r: u32| (0..grf).map(|i| self.machine.read(r * grf + i)).collect();
            rows.map(row).collect()
        };
        // Of a descriptor that is wholly in a register the lengths are not known: more registers than
        // needed do no harm.
        let first_length = match desc.constant {
            true => desc.value.map_or(0, |d| d >> 25 & 0xf),
            false => 15,
        };
        let registers = [
            contents(register(first), first_length),
            contents(register(second), second_length.unwrap_or(0)),
        ];
        let response = desc.value.map_or(0, |d| d >> 20 & 0x1f);
        let name: Rc<str> = format!("S{}", self.sends.len()).into();
        if let Some(start) = register(to) {
            for i in 0..response * grf {
                let cell = Cell::Stream(name.clone(), i);
                self.machine.put(start * grf + i, cell);
            }
        }
        self.sends.push(Theirs {
            text: code.into(),
            mnemonic: op.into(),
            size,
            offset,
            no_mask: guard.split('&').any(|word| word == "W"),
            predicate: predicate(guard).map(str::to_string),
            desc,
            ex_desc,
            second_length,
            options: options(code),
            registers,
        });
    }

    /// A descriptor: an immediate, or the dword of an address register.
    fn descriptor(&self, word: &str) -> Descriptor {
        if let Some(hex) = word.strip_prefix("0x") {
            return Descriptor {
                constant: true,
                value: u32::from_str_radix(hex, 16).ok(),
            };
        }
        let sub = word
            .strip_prefix("a0.")
            .and_then(|sub| sub.parse::<u32>().ok());
        let value = sub.and_then(|sub| machine::word(&self.machine.address(4 * sub)));
        Descriptor {
            constant: false,
            value: value.map(|v| v as u32),
        }
    }
}

/// The part of `W&~f0.1.any8h` that names a flag.
fn predicate(guard: &str) -> Option<&str> {
    guard
        .split('&')
        .find(|word| word.trim_start_matches('~').starts_with('f'))
}

/// The first bit of a flag register, `f0.1`; none of a group of lanes, `f0.0.any8h`.
fn flag(text: &str) -> Option<u32> {
    let (register, sub) = text.strip_prefix('f')?.split_once('.')?;
    let number = |text: &str| text.parse::<u32>().ok();
    Some(32 * number(register)? + 16 * number(sub)?)
}

fn operand(word: &str, grf: u32) -> Operand {
    let word = word.trim_start_matches("(sat)");
    let (text, name) = word.rsplit_once(':').unwrap_or((word, "ud"));
    let ty = Type::of(name);
    if matches!(name, "v" | "uv" | "vf") {
        return Operand::Other;
    }
    if let Some(hex) = text.trim_start_matches('-').strip_prefix("0x") {
        let value = u64::from_str_radix(hex, 16).unwrap_or(0);
        let value = match text.starts_with('-') {
            true => value.wrapping_neg(),
            false => value,
        };
        return Operand::Immediate { value, ty };
    }
    if let (Ok(value), false) = (text.parse::<i64>(), ty.float) {
        let value = value as u64;
        return Operand::Immediate { value, ty };
    }
    let (sign, text) = match text {
        t if t.starts_with("(abs)") => (Sign::Positive, &t[5..]),
        t if t.starts_with('-') => (Sign::Negated, &t[1..]),
        t if t.starts_with('~') => (Sign::Complement, &t[1..]),
        t => (Sign::Plain, t),
    };
    let (place, region) = match text.split_once('<') {
        Some((place, region)) => (place, region.trim_end_matches('>')),
        None => (text, ""),
    };
    if let Some(bit) = flag(place) {
        return Operand::Flag { bit, ty };
    }
    let region = region
        .split([';', ','])
        .filter_map(|n| n.parse().ok())
        .collect();
    let (file, rest) = place.split_at(usize::from(!place.is_empty()));
    let (number, sub) = rest.split_once('.').unwrap_or((rest, "0"));
    match (file, number.parse::<u32>(), sub.parse::<u32>()) {
        ("r", Ok(number), Ok(sub)) => Operand::Register {
            byte: number * grf + sub * ty.size,
            region,
            ty,
            sign,
        },
        ("a", Ok(_), Ok(sub)) => Operand::Address {
            byte: sub * ty.size,
            ty,
        },
        _ => Operand::Other,
    }
}

/// What is in braces after a send: `{Serialize,ExBSO,A@1,$2}` without what it waits for.
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

/// Float immediates are as decimals, their bits in the comment: `0.0:f … // (0x00000000:f)`.
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
