//! TLDS, the short form: refused by name, with the TLD that does the same.
//!
//! TLDS names scalar registers and two destination pairs, TLD names vectors. The equivalent therefore
//! may need its operands moved together first; the help shows the moves.
//!
//! ```text
//! TLDS.LL RZ, R0, R4, R9, 0x50, 2D, RG ;    s, t in R4, R5    LOD in R9    R, G to R0, R1
//! TLD.LL R0, R4, R9, 0x50, 2D, 0x3 ;        the same in one instruction
//! ```
//!
//! Source: TLD reference 8.1.

use super::instruction::{Dim, Handle, Lod, Phase, Reg, Tld};
use super::packing::{self, Param};
use crate::diagnostic::Code;
use crate::syntax::error::{Read, problem, refuse};

/// A form of TLDS: level, offsets, sample, description, and what its two source operands hold.
struct TldsForm {
    lod: Lod,
    aoffi: bool,
    ms: bool,
    dim: Dim,
    a: &'static [Param],
    b: &'static [Param],
}

macro_rules! forms {
    ($($lod:ident $aoffi:literal $ms:literal $dim:ident [$($a:ident)*] [$($b:ident)*];)+) => {
        &[$(TldsForm {
            lod: Lod::$lod, aoffi: $aoffi, ms: $ms, dim: Dim::$dim,
            a: &[$(Param::$a),*], b: &[$(Param::$b),*],
        }),+]
    };
}

/// The forms there are. Source: TLD reference 8.1, table.
#[rustfmt::skip]
const FORMS: &[TldsForm] = forms! {
//  level  offsets sample dim     Ra, Ra+1  Rb, Rb+1
    Zero   false   false  D1      [S]       [];
    Given  false   false  D1      [S]       [Lod];
    Zero   false   false  D2      [S]       [T];
    Zero   true    false  D2      [S T]     [Offsets];
    Given  false   false  D2      [S T]     [Lod];
    Zero   false   true   D2      [S T]     [Sample];
    Zero   false   false  D3      [S T]     [R];
    Zero   false   false  Array2D [Array S] [T];
    Given  true    false  D2      [S T]     [Lod Offsets];
};

/// What was written, as far as it could be read.
struct Short {
    nodep: bool,
    phase: Phase,
    rd2: Reg,
    rd: Reg,
    a: Reg,
    b: Reg,
    index: u16,
    mask: u8,
}

/// Refuses the TLDS that starts at `input`, up to its `;`.
pub(super) fn refuse_tlds<T>(input: &str) -> Read<'_, T> {
    let length = input.find([';', '}']).unwrap_or(input.len());
    let text = input[..length].trim_end();
    let diagnostic = problem(Code::N0814, "TLDS is not modelled", "the short form of TLD")
        .note(
            "TLDS names its operands one by one and its results in two pairs; TLD names vectors. \
             Registers that have to be chosen below are ones the statement does not name",
        )
        .see("TLD reference 8.1");
    let diagnostic = match equivalent(text) {
        Some(lines) => diagnostic.help(lines.join("\n")),
        None => diagnostic,
    };
    refuse(input, text.len(), diagnostic)
}

/// The moves and the TLD that do what `text` does; `None` if it does not read as TLDS, or returns
/// 16-bit halves, which no TLD does.
fn equivalent(text: &str) -> Option<Vec<String>> {
    let (mnemonic, operands) = text.split_once([' ', '\t'])?;
    let mut modifiers = mnemonic.strip_prefix("TLDS")?.split('.').skip(1).peekable();
    let mut next = |wanted: &[&str]| modifiers.next_if(|m| wanted.contains(m));
    let lod = match next(&["LZ", "LL"])? {
        "LZ" => Lod::Zero,
        _ => Lod::Given,
    };
    let aoffi = next(&["AOFFI"]).is_some();
    let ms = next(&["MS"]).is_some();
    let nodep = next(&["NODEP"]).is_some();
    let phase = match next(&["T", "P"]) {
        Some("T") => Phase::T,
        Some(_) => Phase::P,
        None => Phase::None,
    };
    if modifiers.next().is_some() {
        return None;
    }
    let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
    let &[rd2, rd, a, b, index, dim, letters] = operands.as_slice() else {
        return None;
    };
    let form = FORMS
        .iter()
        .find(|f| (f.lod, f.aoffi, f.ms, f.dim.name()) == (lod, aoffi, ms, dim))?;
    let short = Short {
        nodep,
        phase,
        rd2: reg(rd2)?,
        rd: reg(rd)?,
        a: reg(a)?,
        b: reg(b)?,
        index: number(index)?,
        mask: letter_mask(letters)?,
    };
    Some(rewrite(form, &short))
}

fn reg(text: &str) -> Option<Reg> {
    match text.strip_prefix('R')? {
        "Z" => Some(Reg::RZ),
        digits => digits.parse().ok().filter(|&n| n < 255).map(Reg),
    }
}

fn number(text: &str) -> Option<u16> {
    let value = match text.strip_prefix("0x") {
        Some(hex) => u16::from_str_radix(hex, 16),
        None => text.parse(),
    };
    value.ok().filter(|&v| v <= 0x1fff)
}

fn letter_mask(letters: &str) -> Option<u8> {
    let bits = letters.chars().map(|c| "RGBA".find(c));
    bits.into_iter()
        .try_fold(0, |mask, bit| Some(mask | 1u8 << bit?))
}

fn rewrite(form: &TldsForm, short: &Short) -> Vec<String> {
    let place = |params: &'static [Param], first: Reg| {
        params
            .iter()
            .enumerate()
            .map(move |(i, &p)| (p, first.plus(i as u8).unwrap_or(Reg::RZ)))
    };
    let held: Vec<(Param, Reg)> = place(form.a, short.a)
        .chain(place(form.b, short.b))
        .collect();
    let holder = |param| held.iter().find(|h| h.0 == param).map_or(Reg::RZ, |h| h.1);
    let base = Tld {
        handle: Handle::Bound(short.index),
        lod: form.lod,
        aoffi: form.aoffi,
        ms: form.ms,
        nodep: short.nodep,
        phase: short.phase,
        dim: form.dim,
        mask: short.mask,
        ..Tld::default()
    };
    // Registers the statement does not name are free to choose for the vectors that have to be made.
    let results = base.results();
    let spread = [
        (short.rd, 2.min(results)),
        (short.rd2, results.saturating_sub(2)),
    ];
    let mut taken: Vec<u8> = held.iter().map(|h| h.1.0).collect();
    for (first, count) in spread {
        taken.extend((0..count).filter_map(|i| first.plus(i)).map(|r| r.0));
    }
    let mut lines = Vec::new();
    let gather = |wanted: Vec<Param>, lines: &mut Vec<String>, taken: &mut Vec<u8>| {
        let from: Vec<Reg> = wanted.into_iter().map(holder).collect();
        let Some(&first) = from.first() else {
            return Reg::RZ;
        };
        if is_vector(&from) {
            return first;
        }
        let vector = free(taken, from.len() as u8);
        for (i, source) in from.into_iter().enumerate() {
            let to = vector.plus(i as u8).unwrap_or(Reg::RZ);
            taken.push(to.0);
            lines.push(format!("MOV {to}, {source} ;"));
        }
        vector
    };
    let ra = gather(packing::ra(base.dim).to_vec(), &mut lines, &mut taken);
    let rb = gather(packing::rb(&base).collect(), &mut lines, &mut taken);
    let wanted: Vec<Reg> = spread
        .iter()
        .flat_map(|&(first, count)| (0..count).map(move |i| first.plus(i).unwrap_or(Reg::RZ)))
        .collect();
    let whole = is_vector(&wanted) || wanted.iter().all(|r| r.is_rz());
    let rd = if whole {
        short.rd
    } else {
        free(&taken, results)
    };
    lines.push(format!("{} ;", Tld { rd, ra, rb, ..base }));
    if !whole {
        for (i, to) in wanted.into_iter().enumerate() {
            let from = rd.plus(i as u8).unwrap_or(Reg::RZ);
            lines.push(format!("MOV {to}, {from} ;"));
        }
    }
    lines
}

/// Whether the registers follow one another from a properly aligned first.
fn is_vector(regs: &[Reg]) -> bool {
    let Some(&first) = regs.first() else {
        return true;
    };
    let aligned = first.0.is_multiple_of(packing::alignment(regs.len()));
    let in_a_row = regs
        .iter()
        .enumerate()
        .all(|(i, &r)| first.plus(i as u8) == Some(r));
    aligned && in_a_row
}

/// The lowest aligned vector of `count` registers that touches none of `taken`.
fn free(taken: &[u8], count: u8) -> Reg {
    let step = packing::alignment(count.into());
    let starts = (0..=250u8).step_by(step.into());
    let mut free = starts.filter(|&s| (s..s + count.max(1)).all(|r| !taken.contains(&r)));
    // A statement names at most a dozen registers of 255.
    Reg(free.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_in_place_need_no_moves() {
        let lines = equivalent("TLDS.LL.NODEP.T RZ, R0, R4, R9, 0x50, 2D, RG").unwrap();
        assert_eq!(lines, ["TLD.LL.NODEP.T R0, R4, R9, 0x50, 2D, 0x3 ;"]);
        let lines = equivalent("TLDS.LZ R2, R0, R4, R5, 0x8, 2D, RGBA").unwrap();
        assert_eq!(lines, ["TLD.LZ R0, R4, 0x8, 2D, 0xf ;"]);
    }

    #[test]
    fn scattered_operands_are_moved_together() {
        let lines = equivalent("TLDS.LZ R8, R0, R4, R7, 0x8, 2D, RGB").unwrap();
        let expected = [
            "MOV R2, R4 ;",
            "MOV R3, R7 ;",
            "TLD.LZ R12, R2, 0x8, 2D, 0x7 ;",
            "MOV R0, R12 ;",
            "MOV R1, R13 ;",
            "MOV R8, R14 ;",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn halves_have_no_equivalent() {
        assert_eq!(equivalent("TLDS.F16.LZ RZ, R0, R4, RZ, 0x8, 1D, RG"), None);
        assert_eq!(equivalent("TLDS.LZ nonsense"), None);
    }
}
