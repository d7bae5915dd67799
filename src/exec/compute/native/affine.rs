//! Lanes that are evenly apart, as the numbers of threads in a group are: of such a row a register has lane 0 alone, and what
//! is computed from it is computed for that one (`lane_zero`).
//!
//! ```text
//!  words r1: n, n + 1, n + 2 …     as they were in the thread for which code was made: others are looked at
//!  mov  V1 ← r1       xmm7  lane 0 of V1; lane i has i more
//!  add  V2 ← V1 a     xmm8  xmm7 + a; the same
//!  cmp  P  ← V2 b     zmm9  all lanes of V2, beside xmm8
//!  goto …             the arena gets V1 and V2; where all ways have them, lane 0 is loaded from it again
//!  shl  V3 ← V2 2     xmm10 lane 0; lane i has 4 i more
//!  load V4 ← [V3]     in order: nothing is asked but whether the first and the last one are inside
//! ```
//!
//! Threads in which the rows are other ones enter code that knows nothing of them.

use super::assembler::{Len, Reg, Rm, Vector};
use super::emit::{Emitter, REGISTERS};
use super::held::Held;
use super::lane_zero::{Op, Other};
use super::order::Elements;
use super::region::{Item, Region};
use super::select::{Bytes, Kind};

/// What the lanes of a row are more than lane 0 of a register: `first + i * step`, modulo 2^32 for dwords, 2^64 for qwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    pub first: u64,
    pub step: u64,
    /// Bytes of an element, 4 or 8.
    pub bytes: u32,
}

/// What a row of the arena consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Words that become dwords, by their sign.
    Word(bool),
    Dword,
    Qword,
}

/// A row of the arena whose lanes are evenly apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffineRow {
    row: Bytes,
    element: Element,
    /// Arena offset of the element that lane 0 of the register is.
    base: u32,
    apart: Affine,
}

/// The register for all lanes of such a row, while it is stored.
pub const ALL_LANES: Reg = REGISTERS - 1;

/// Bytes of the header of a thread, which is what the group says.
const HEADER: u32 = 32;

impl Affine {
    /// What lane `i` has more, modulo the size of an element.
    pub const fn of_lane(self, lane: u64) -> u64 {
        let own = self.first.wrapping_add(lane.wrapping_mul(self.step));
        match self.bytes {
            8 => own,
            _ => own & u32::MAX as u64,
        }
    }

    /// The same as a number with a sign.
    pub const fn signed(self, lane: u64) -> i64 {
        match self.bytes {
            8 => self.of_lane(lane).cast_signed(),
            _ => (self.of_lane(lane) as u32).cast_signed() as i64,
        }
    }

    /// How much more each lane has than the one before, as such a number.
    pub const fn signed_step(self) -> i64 {
        match self.bytes {
            8 => self.step.cast_signed(),
            _ => (self.step as u32).cast_signed() as i64,
        }
    }

    /// A row of lanes, as a register has it.
    fn row(self) -> [u32; 16] {
        std::array::from_fn(|n| match (self.bytes, n % 2) {
            (8, 0) => self.of_lane(n as u64 / 2) as u32,
            (8, _) => (self.of_lane(n as u64 / 2) >> 32) as u32,
            _ => self.of_lane(n as u64) as u32,
        })
    }

    /// The same values, from another first one.
    pub const fn from(self, first: u64) -> Affine {
        Affine { first, ..self }
    }

    pub fn map(self, with: impl Fn(u64) -> u64) -> Affine {
        Affine {
            first: with(self.first),
            step: with(self.step),
            ..self
        }
    }
}

impl Element {
    /// The element of dwords or qwords.
    pub const fn of(bytes: u32) -> Element {
        match bytes {
            8 => Element::Qword,
            _ => Element::Dword,
        }
    }

    pub const fn bytes(self) -> u32 {
        match self {
            Element::Word(_) => 2,
            Element::Dword => 4,
            Element::Qword => 8,
        }
    }
}

/// The rows of words of a region that are evenly apart in a thread, of those that become dwords and that no op before has
/// written.
pub fn roots(region: &Region, thread: &[u8]) -> Vec<AffineRow> {
    let mut roots: Vec<AffineRow> = Vec::new();
    let mut of_first_lanes: Vec<Bytes> = Vec::new();
    let mut written: Vec<Bytes> = Vec::new();
    for (item, touched) in region.items.iter().zip(&region.touched) {
        if let Item::Inst(inst) = item {
            for (row, signed, lane) in inst.widened() {
                // The second half of lanes is measured from where the first one is.
                let is_before = |own: &&Bytes| lane > 0 && own.at + own.len == row.at;
                let base = of_first_lanes.iter().find(is_before).unwrap_or(&row).at;
                of_first_lanes.extend((lane == 0).then_some(row));
                let is_old = row.at < HEADER || written.iter().any(|own| own.overlaps(row));
                let known = |own: &AffineRow| own.is(row, Element::Word(signed));
                if !is_old && !roots.iter().any(known) {
                    roots.extend(AffineRow::seen(thread, row, signed, base));
                }
            }
        }
        written.extend(&touched[1]);
    }
    roots
}

impl AffineRow {
    /// Whether it is that row.
    fn is(&self, row: Bytes, element: Element) -> bool {
        (self.row.at, self.row.len, self.element) == (row.at, row.len, element)
    }

    /// A row of words, if they are evenly apart: measured from a word.
    fn seen(thread: &[u8], row: Bytes, signed: bool, base: u32) -> Option<AffineRow> {
        let words = (0..row.len / 2).map(|n| word(thread, row.at + 2 * n, signed));
        let words = words.collect::<Option<Vec<i64>>>()?;
        let step = words.get(1)? - words[0];
        let element = Element::Word(signed);
        let first = words[0] - word(thread, base, signed)?;
        let apart = Affine {
            first: u64::from(first as u32),
            step: u64::from(step as u32),
            bytes: 4,
        };
        let even = words.windows(2).all(|pair| pair[1] - pair[0] == step);
        even.then_some(AffineRow {
            row,
            element,
            base,
            apart,
        })
    }

    /// Whether the row of a thread is so.
    fn is_in(&self, thread: &[u8]) -> bool {
        let Element::Word(signed) = self.element else {
            return false;
        };
        let words = thread.get(self.row.at as usize..).unwrap_or_default();
        let words = words.get(..self.row.len as usize).unwrap_or_default();
        let Some(base) = word(thread, self.base, signed) else {
            return false;
        };
        // What the last one has is what it has as a number: those between have as well, modulo 2^16.
        let (first, step) = (self.apart.signed(0), self.apart.signed_step());
        let last = base + first + i64::from(self.row.len / 2 - 1) * step;
        let bounds = match signed {
            true => i64::from(i16::MIN)..=i16::MAX.into(),
            false => 0..=u16::MAX.into(),
        };
        let (start, step) = ((base + first) as u16, step as u16);
        let inside = bounds.contains(&(base + first)) && bounds.contains(&last);
        inside
            && words
                .chunks_exact(2)
                .zip(0u16..)
                .fold(true, |all, (own, lane)| {
                    let expected = start.wrapping_add(lane.wrapping_mul(step));
                    all & (own == expected.to_le_bytes())
                })
    }

    /// Whether what it says of the arena ends where these bytes are written.
    fn ends(&mut self, written: Bytes) -> bool {
        if self.row.overlaps(written) {
            return true;
        }
        let base = Bytes {
            at: self.base,
            len: self.element.bytes(),
            kind: Kind::Other,
        };
        if self.base != self.row.at && base.overlaps(written) {
            // Its own lane 0 is still there.
            self.base = self.row.at;
            self.apart.first = 0;
        }
        false
    }
}

/// A word of a thread, by its sign.
fn word(thread: &[u8], at: u32, signed: bool) -> Option<i64> {
    let own = thread.get(at as usize..)?.first_chunk().copied()?;
    Some(match signed {
        true => i16::from_le_bytes(own).into(),
        false => u16::from_le_bytes(own).into(),
    })
}

/// Whether rows of a thread are as they were seen.
pub fn are_in(roots: &[AffineRow], thread: &[u8]) -> bool {
    roots.iter().all(|root| root.is_in(thread))
}

/// Rows that are so wherever those and these are.
pub fn meet(rows: &mut Vec<AffineRow>, others: &[AffineRow]) {
    rows.retain(|row| others.contains(row));
}

/// Nothing is said any more of rows that overlap these bytes, or is measured from there.
pub fn write(rows: &mut Vec<AffineRow>, written: Bytes) {
    rows.retain_mut(|row| !row.ends(written));
}

/// Whether an op reads one of these rows.
pub fn are_read(rows: &[AffineRow], read: &[Bytes]) -> bool {
    rows.iter().any(|own| {
        let is_it = |read: &Bytes| (read.at, read.len) == (own.row.at, own.row.len);
        read.iter().any(is_it)
    })
}

impl Emitter {
    /// What is known of the lanes of a row.
    pub fn affine_of(&self, row: Bytes, element: Element) -> Option<Affine> {
        if !self.affine || self.pin(row).is_some() {
            return None;
        }
        let held = self.held_affine(row, element).map(|(_, affine)| affine);
        let known = || self.affine_rows.iter().find(|own| own.is(row, element));
        held.or_else(|| known().map(|own| own.apart))
    }

    /// The register of lane 0, if there is one.
    fn held_affine(&self, row: Bytes, element: Element) -> Option<(Reg, Affine)> {
        let of = |held: &&Held| {
            let width = held.affine.map(|own| Element::of(own.bytes));
            held.bytes == row && width == Some(element)
        };
        let held = self.held.iter().find(of)?;
        Some((held.reg, held.affine?))
    }

    /// A register has lane 0 of a row of which that is known, and is busy.
    pub fn hold_affine(&mut self, row: Bytes, element: Element) -> Option<(Reg, Affine)> {
        if let Some((reg, affine)) = self.held_affine(row, element) {
            self.busy.push(reg);
            return Some((reg, affine));
        }
        let mut known = self.affine_rows.iter();
        let known = *known.find(|own| own.is(row, element))?;
        let reg = self.make(Op::Load(element), 0, Other::Each(known.base));
        if !matches!(element, Element::Word(_)) {
            self.hold(row, reg);
            self.held.last_mut()?.affine = Some(known.apart);
        }
        Some((reg, known.apart))
    }

    /// Where elements are evenly apart in all lanes, and registers have lane 0 of each row: the one of the first row, and what
    /// lanes have more; the first one no more or less than one instruction can add.
    pub fn affine_elements(&self, of: Elements) -> Option<(Reg, Affine)> {
        let element = Element::of(of.bytes);
        let mut rows = (0..).zip(of.rows());
        let (_, first) = rows.next()?;
        let (reg, affine) = self.held_affine(first, element)?;
        if of.bytes == 8 && i32::try_from(affine.signed(0)).is_err() {
            return None;
        }
        let lanes = u64::from(64 / of.bytes);
        let goes_on = |(n, row): (u64, Bytes)| {
            let own = self.held_affine(row, element);
            let first = affine.of_lane(n * lanes);
            own.is_some_and(|(other, own)| {
                other == reg && own.step == affine.step && own.of_lane(0) == first
            })
        };
        rows.all(goes_on).then_some((reg, affine))
    }

    /// All lanes of a row go to a register.
    pub fn spread_affine(&mut self, from: Reg, affine: Affine, to: Reg) {
        let (spread, add) = match affine.bytes {
            8 => (Vector::SPREAD_QWORD, Vector::PADDQ),
            _ => (Vector::SPREAD, Vector::PADDD),
        };
        self.code.vector(spread, Len::Z, to, 0, Rm::Reg(from));
        if (affine.first, affine.step) != (0, 0) {
            let apart = Rm::List(affine.row());
            self.code.vector(add, Len::Z, to, to, apart);
        }
    }

    /// Registers have all lanes of rows that an op reads. What it writes the arena has.
    pub fn make_all_lanes(&mut self, [read, written]: &[Vec<Bytes>; 2]) {
        if !self.affine {
            return;
        }
        self.save(|held| held.affine.is_some() && written.contains(&held.bytes));
        for &row in read {
            let is_it = |held: &Held| held.affine.is_some() && held.bytes == row;
            let Some(&Held { reg, .. }) = self.held.iter().find(|held| is_it(held)) else {
                continue;
            };
            if self.holder(row).is_some() {
                continue;
            }
            self.busy.push(reg);
            let to = self.take();
            // It may have been stored, but is not gone: its register is busy.
            let Some(held) = self.held.iter_mut().find(|held| is_it(held)) else {
                continue;
            };
            let all = Held {
                reg: to,
                affine: None,
                ..*held
            };
            held.unsaved = false;
            let affine = held.affine;
            self.close_way();
            self.held.push(all);
            if let Some(affine) = affine {
                self.spread_affine(reg, affine, to);
            }
        }
    }

    /// The rows that are evenly apart once the arena has all that registers have.
    pub fn affine_rows_here(&self) -> Vec<AffineRow> {
        let mut rows = self.affine_rows.clone();
        let held = || self.held.iter().filter(|held| held.affine.is_some());
        for own in held() {
            let Some(apart) = own.affine else { continue };
            if rows.iter().any(|row| row.row == own.bytes) {
                continue;
            }
            // Measured from the first one of those that have the same register.
            let first = held().find(|held| held.reg == own.reg);
            let Some((from, base)) = first.and_then(|held| Some((held.affine?, held.bytes.at)))
            else {
                continue;
            };
            let (base, first) = match from.bytes == apart.bytes {
                true => (base, apart.first.wrapping_sub(from.first)),
                false => (own.bytes.at, 0),
            };
            let in_element = |n: u64| match apart.bytes {
                8 => n,
                _ => n & u64::from(u32::MAX),
            };
            rows.push(AffineRow {
                row: own.bytes,
                element: Element::of(apart.bytes),
                base,
                apart: apart.from(first).map(in_element),
            });
        }
        rows
    }
}
