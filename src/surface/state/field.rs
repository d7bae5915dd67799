//! Fields of state structures: where their bits lie, what they stand for, which values are allowed.
//!
//! A [`Structure`] is a table of [`StateField`]s. Reading, writing, printing and the rules about reserved
//! bits, reserved values and ranges are one mechanism over that table, for surfaces and samplers alike.

use super::super::{Generation, Invalid};
use crate::diagnostic::Code;
use crate::isa::Span;

pub use crate::base::bits::{Codes, Field, Meaning, Number};

/// When a field has its place: the planar formats put others over the auxiliary surface's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// Always.
    Always,
    /// With a planar format.
    Planar,
    /// With any other.
    NotPlanar,
}

/// A field of a state structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateField {
    /// Its bits, counted in one dword; a field of 64 bits runs on into the next.
    pub field: Field,
    /// Greatest stored value that is allowed.
    pub most: u64,
    /// The generations that have it.
    pub generations: Span,
    /// When it has its place.
    pub only: Only,
}

impl std::ops::Deref for StateField {
    type Target = Field;

    fn deref(&self) -> &Field {
        &self.field
    }
}

/// A field of plain numbers that any generation has.
pub(crate) const fn field(name: &'static str, dw: usize, high: u32, low: u32) -> StateField {
    StateField {
        field: Field::new(name, dw, high, low, ""),
        most: u64::MAX,
        generations: Span::EVERY,
        only: Only::Always,
    }
}

/// Rows that several structures have in common, followed by rows of one; `ALL` is their number.
pub(crate) const fn followed_by<const A: usize, const B: usize, const ALL: usize>(
    shared: [StateField; A],
    own: [StateField; B],
) -> [StateField; ALL] {
    assert!(A + B == ALL, "as many rows as there are");
    let mut all = [shared[0]; ALL];
    let mut row = 0;
    while row < ALL {
        all[row] = if row < A { shared[row] } else { own[row - A] };
        row += 1;
    }
    all
}

impl StateField {
    pub(crate) const fn number(self, number: Number) -> StateField {
        let field = self.field.number(number);
        StateField { field, ..self }
    }

    pub(crate) const fn names(self, names: &'static [(u32, &'static str)]) -> StateField {
        self.means(Meaning::Names(names))
    }

    pub(crate) const fn means(self, meaning: Meaning) -> StateField {
        let field = self.field.means(meaning);
        StateField { field, ..self }
    }

    pub(crate) const fn at_most(self, most: u64) -> StateField {
        StateField { most, ..self }
    }

    pub(crate) const fn in_generations(self, generations: Span) -> StateField {
        StateField {
            generations,
            ..self
        }
    }

    pub(crate) const fn only(self, only: Only) -> StateField {
        StateField { only, ..self }
    }

    /// Sets the bits of the field.
    ///
    /// # Errors
    /// `E0749` if the value has more bits than the field.
    pub fn put(&self, words: &mut [u32], raw: u64) -> Result<(), Invalid> {
        if raw > self.limit() {
            return Err(self.out_of_range(raw, self.limit()));
        }
        self.set_raw(words, raw);
        Ok(())
    }

    /// What the field takes, in words: `0 to 13, in steps of 1/64`.
    pub fn takes(&self) -> String {
        let (least, most, steps) = self.steps();
        let most = u64::try_from(most).unwrap_or(u64::MAX).min(self.most);
        let number = |n: f64| n / f64::from(steps);
        let (from, to) = (number(least as f64), number(most as f64));
        match (self.meaning, self.number) {
            (Meaning::Names(names), _) => {
                let names: Vec<&str> = names.iter().map(|n| n.1).collect();
                format!("one of {}", names.join(", "))
            }
            (Meaning::Codes(codes), _) => format!("the name of {}, or its code", codes.what),
            (Meaning::LessOne(unit), _) => format!("1 to {} {unit}", most.saturating_add(1)),
            (_, Number::Address) => format!("a multiple of {:#x}", 1u64 << self.lo),
            (_, Number::Float) => "a number".to_string(),
            _ if steps > 1 => format!("{from} to {to}, in steps of 1/{steps}"),
            _ => format!("{least} to {most}"),
        }
    }

    /// The stored bits of a value as [`Field::spelled`] writes it, or of a number.
    ///
    /// # Errors
    /// `E0749` for a value that the field cannot hold.
    pub fn parsed(&self, text: &str) -> Result<u64, Invalid> {
        let raw = self.parse(text).ok_or_else(|| {
            let what = format!("{} cannot be `{}`", self.field, text.trim());
            Invalid::new(Code::E0749, what).fix(&[], self.takes())
        })?;
        if raw > self.limit() {
            return Err(self.out_of_range(raw, self.limit()));
        }
        Ok(raw)
    }

    fn out_of_range(&self, raw: u64, most: u64) -> Invalid {
        let shown = |raw: u64| raw as f64 / f64::from(self.steps().2);
        let (value, most) = (shown(raw), shown(most));
        let what = format!("{} is {value}; 0 to {most} is allowed", self.field);
        Invalid::new(Code::E0749, what).in_dword(self.dw as u32)
    }

    /// The rule about its values alone that is broken, if one is.
    fn check(&self, words: &[u32]) -> Option<Invalid> {
        let raw = self.raw(words);
        if raw > self.most {
            return Some(self.out_of_range(raw, self.most));
        }
        let Meaning::Names(names) = self.meaning else {
            return None;
        };
        if names.iter().any(|n| u64::from(n.0) == raw) {
            return None;
        }
        let known: Vec<String> = names
            .iter()
            .map(|(n, name)| format!("{n} {name}"))
            .collect();
        let what = format!("{} is {raw}; {} are known", self.field, known.join(", "));
        Some(Invalid::new(Code::E0748, what).in_dword(self.dw as u32))
    }
}

/// A state structure.
#[derive(Debug)]
pub struct Structure {
    /// As the manuals call it.
    pub name: &'static str,
    /// The generations that have it.
    pub generations: Span,
    /// Its length.
    pub dwords: usize,
    /// Where it is defined.
    pub source: &'static str,
    /// Its fields, the highest bit of the first dword first.
    pub fields: &'static [StateField],
    /// Whether the words have a planar format; see [`Only`].
    pub planar: fn(&[u32]) -> bool,
}

impl Structure {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&'static StateField> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// The stored value of the field of this name; 0 if there is none.
    pub fn get(&self, words: &[u32], name: &str) -> u64 {
        self.field(name).map_or(0, |f| f.raw(words))
    }

    /// Stores a value in the field of this name.
    ///
    /// # Errors
    /// `E0749` if it does not fit.
    pub fn put(&self, words: &mut [u32], name: &str, raw: u64) -> Result<(), Invalid> {
        self.field(name).map_or(Ok(()), |f| f.put(words, raw))
    }

    /// The fields that have their place in these words.
    pub fn present(
        &self,
        generation: Generation,
        words: &[u32],
    ) -> impl Iterator<Item = &'static StateField> {
        let planar = (self.planar)(words);
        self.fields.iter().filter(move |f| {
            f.generations.contains(generation)
                && match f.only {
                    Only::Always => true,
                    Only::Planar => planar,
                    Only::NotPlanar => !planar,
                }
        })
    }

    /// Whether the structure of a generation has a field of this name.
    pub fn has(&self, generation: Generation, name: &str) -> bool {
        let mut named = self.fields.iter().filter(|f| f.name == name);
        named.any(|f| f.generations.contains(generation))
    }

    /// Every rule that looks at one field: the length, reserved bits, reserved values, ranges.
    pub fn check(&self, generation: Generation, words: &[u32]) -> Vec<Invalid> {
        let mut broken = Vec::new();
        // Zeros may fill an element up to its alignment.
        let (own, rest) = words.split_at(words.len().min(self.dwords));
        if own.len() < self.dwords || rest.iter().any(|word| *word != 0) {
            let what = format!(
                "{} has {} dwords, not {}",
                self.name,
                self.dwords,
                words.len()
            );
            broken.push(Invalid::new(Code::E0750, what));
            return broken;
        }
        for (dw, word) in own.iter().enumerate() {
            let odd = *word & !self.known(generation, words, dw);
            if odd != 0 {
                let what = format!("dword {dw} of {} has reserved bits {odd:#010x}", self.name);
                broken.push(Invalid::new(Code::W0751, what).in_dword(dw as u32));
            }
        }
        broken.extend(
            self.present(generation, words)
                .filter_map(|f| f.check(words)),
        );
        broken
    }

    /// The bits of dword `dw` that some field holds.
    fn known(&self, generation: Generation, words: &[u32], dw: usize) -> u32 {
        self.present(generation, words)
            .fold(0, |bits, f| bits | f.mask_in(dw))
    }
}
