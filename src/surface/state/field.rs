//! Fields of state structures: where their bits lie, what they stand for, which values are allowed.
//!
//! A [`Structure`] is a table of [`StateField`]s. Reading, writing, printing and the rules about reserved
//! bits, reserved values and ranges are one mechanism over that table, for surfaces and samplers alike.

use super::super::format::media;
use super::super::{Format, Generation, Invalid};
use crate::diagnostic::Code;

/// How the bits of a field stand for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An unsigned number; sizes are stored less one and given so.
    Plain,
    /// A two's complement number.
    Signed,
    /// Unsigned with this many fraction bits.
    Fixed(u32),
    /// Signed with this many fraction bits.
    SignedFixed(u32),
    /// An address whose low bits, those below the field, are zero.
    Address,
    /// A 32-bit float.
    Float,
}

/// What the values of a field mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The number itself.
    Value,
    /// One more than the number, in this unit.
    LessOne(&'static str),
    /// A list of names; other values are reserved.
    Names(&'static [(u32, &'static str)]),
    /// A value of the Surface Format field.
    Format,
    /// A format code of the media surface state of this generation.
    MediaFormat(Generation),
}

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
    /// Name.
    pub name: &'static str,
    /// Dword.
    pub dw: u32,
    /// Highest and lowest bit in that dword; a field of 64 bits runs on into the next.
    pub bits: (u32, u32),
    /// How its bits are read.
    pub number: Number,
    /// What they mean.
    pub meaning: Meaning,
    /// Greatest stored value that is allowed.
    pub most: u64,
    /// First and last generation that has it.
    pub generations: (Generation, Generation),
    /// When it has its place.
    pub only: Only,
}

/// A field of plain numbers that any generation has.
pub(crate) const fn field(name: &'static str, dw: u32, high: u32, low: u32) -> StateField {
    StateField {
        name,
        dw,
        bits: (high, low),
        number: Number::Plain,
        meaning: Meaning::Value,
        most: u64::MAX,
        generations: (Generation::Gen4, Generation::Gen9),
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
        StateField { number, ..self }
    }

    pub(crate) const fn names(self, names: &'static [(u32, &'static str)]) -> StateField {
        StateField {
            meaning: Meaning::Names(names),
            ..self
        }
    }

    pub(crate) const fn means(self, meaning: Meaning) -> StateField {
        StateField { meaning, ..self }
    }

    pub(crate) const fn at_most(self, most: u64) -> StateField {
        StateField { most, ..self }
    }

    pub(crate) const fn in_generations(self, from: Generation, to: Generation) -> StateField {
        StateField {
            generations: (from, to),
            ..self
        }
    }

    pub(crate) const fn only(self, only: Only) -> StateField {
        StateField { only, ..self }
    }

    /// Number of bits.
    pub const fn width(&self) -> u32 {
        self.bits.0 - self.bits.1 + 1
    }

    /// The bits of the field.
    pub fn raw(&self, words: &[u32]) -> u64 {
        let word = |i: u32| words.get(i as usize).copied().map_or(0, u64::from);
        let all = word(self.dw) | word(self.dw + 1) << 32;
        all >> self.bits.1 & ((1u128 << self.width()) - 1) as u64
    }

    /// Sets the bits of the field; bits of `raw` that do not fit are dropped.
    pub fn set_raw(&self, words: &mut [u32], raw: u64) {
        let mask = ((1u128 << self.width()) - 1) << self.bits.1;
        let value = (u128::from(raw) << self.bits.1) & mask;
        for (i, shift) in [(self.dw, 0), (self.dw + 1, 32)] {
            if let Some(word) = words.get_mut(i as usize) {
                *word = *word & !((mask >> shift) as u32) | (value >> shift) as u32;
            }
        }
    }

    /// Sets the bits of the field.
    ///
    /// # Errors
    /// `E0749` if the value has more bits than the field.
    pub fn put(&self, words: &mut [u32], raw: u64) -> Result<(), Invalid> {
        if u128::from(raw) >> self.width() != 0 {
            return Err(self.out_of_range(raw, ((1u128 << self.width()) - 1) as u64));
        }
        self.set_raw(words, raw);
        Ok(())
    }

    /// The value of the field: exact, for every field but 64-bit addresses above 2^53.
    pub fn value(&self, words: &[u32]) -> f64 {
        let raw = self.raw(words);
        let signed = || ((raw << (64 - self.width())) as i64 >> (64 - self.width())) as f64;
        let scale = |fraction: u32| f64::from(1u32 << fraction);
        match self.number {
            Number::Plain => raw as f64,
            Number::Signed => signed(),
            Number::Fixed(fraction) => raw as f64 / scale(fraction),
            Number::SignedFixed(fraction) => signed() / scale(fraction),
            Number::Address => (raw << self.bits.1) as f64,
            Number::Float => f64::from(f32::from_bits(raw as u32)),
        }
    }

    /// Sets the value of the field, rounded down to its precision and cut to its width.
    pub fn set_value(&self, words: &mut [u32], value: f64) {
        let scaled = |fraction: u32| (value * f64::from(1u32 << fraction)).floor() as i64 as u64;
        let raw = match self.number {
            Number::Plain => value as u64,
            Number::Signed => value as i64 as u64,
            Number::Fixed(fraction) | Number::SignedFixed(fraction) => scaled(fraction),
            Number::Address => value as u64 >> self.bits.1,
            Number::Float => u64::from((value as f32).to_bits()),
        };
        self.set_raw(words, raw);
    }

    /// Its value in words: `2D`, `37 texels`, `1.25`, `0x12345000`.
    pub fn spelled(&self, words: &[u32]) -> String {
        let raw = self.raw(words);
        match (self.meaning, self.number) {
            (Meaning::LessOne(unit), _) => format!("{} {unit}", raw + 1),
            (Meaning::Names(names), _) => {
                let name = names.iter().find(|n| u64::from(n.0) == raw);
                name.map_or("reserved".to_string(), |n| n.1.to_string())
            }
            (Meaning::Format, _) => {
                Format::from_code(raw as u16).map_or("reserved".to_string(), |f| f.name.to_string())
            }
            (Meaning::MediaFormat(generation), _) => media::name(generation, raw as u16)
                .unwrap_or("reserved")
                .to_string(),
            (Meaning::Value, Number::Address) => format!("{:#x}", raw << self.bits.1),
            (Meaning::Value, _) => self.value(words).to_string(),
        }
    }

    /// The least and the greatest number of steps that the bits can say, and how many steps make one.
    fn steps(&self) -> (i64, i64, u32) {
        let mask = ((1u128 << self.width()) - 1) as i64;
        match self.number {
            Number::SignedFixed(fraction) => (-(mask >> 1) - 1, mask >> 1, 1 << fraction),
            Number::Signed => (-(mask >> 1) - 1, mask >> 1, 1),
            Number::Fixed(fraction) => (0, mask, 1 << fraction),
            _ => (0, mask, 1),
        }
    }

    /// The bits that stand for a number; `None` for one that has more, or lies between two steps.
    pub fn of_value(&self, value: f64) -> Option<u64> {
        let (least, most, steps) = self.steps();
        let scaled = value * f64::from(steps);
        let fits = scaled.fract() == 0.0 && (least as f64..=most as f64).contains(&scaled);
        let mask = ((1u128 << self.width()) - 1) as u64;
        fits.then_some(scaled as i64 as u64 & mask)
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
            (Meaning::Format | Meaning::MediaFormat(_), _) => {
                "the name of a format, or its code".to_string()
            }
            (Meaning::LessOne(unit), _) => format!("1 to {} {unit}", most.saturating_add(1)),
            (_, Number::Address) => format!("a multiple of {:#x}", 1u64 << self.bits.1),
            (_, Number::Float) => "a number".to_string(),
            _ if steps > 1 => format!("{from} to {to}, in steps of 1/{steps}"),
            _ => format!("{least} to {most}"),
        }
    }

    /// The bits that stand for a value in words, as [`StateField::spelled`] writes it, or for a number.
    ///
    /// # Errors
    /// `E0749` for a value that the field cannot hold.
    pub fn parsed(&self, text: &str) -> Result<u64, Invalid> {
        let text = text.trim();
        let wrong = || {
            let what = format!("{} cannot be `{text}`", self.place());
            Invalid::new(Code::E0749, what).mend(&[], self.takes())
        };
        let whole = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let named = match self.meaning {
            Meaning::Names(names) => names
                .iter()
                .find(|n| n.1.eq_ignore_ascii_case(text))
                .map(|n| n.0.into()),
            Meaning::Format => Format::named(text).map(|f| f.code.into()),
            Meaning::MediaFormat(generation) => media::code(generation, text).map(u64::from),
            _ => None,
        };
        let mask = ((1u128 << self.width()) - 1) as u64;
        let raw = match (named, self.meaning, self.number) {
            (Some(code), ..) => code,
            (None, Meaning::LessOne(_), _) => {
                let number = text.split(' ').next().and_then(whole);
                number.and_then(|n| n.checked_sub(1)).ok_or_else(wrong)?
            }
            (None, Meaning::Value, Number::Address) => {
                let address = whole(text).ok_or_else(wrong)?;
                let low = self.bits.1;
                let aligned = address >> low << low == address;
                aligned.then_some(address >> low).ok_or_else(wrong)?
            }
            (None, Meaning::Value, Number::Float) => {
                f32::to_bits(text.parse().map_err(|_| wrong())?).into()
            }
            (None, _, Number::Plain) => whole(text).ok_or_else(wrong)?,
            (None, Meaning::Value, _) => {
                let value: f64 = text.parse().map_err(|_| wrong())?;
                self.of_value(value).ok_or_else(wrong)?
            }
            _ => return Err(wrong()),
        };
        if raw > mask {
            return Err(self.out_of_range(raw, mask));
        }
        Ok(raw)
    }

    /// `Surface Type (dword 0, bits 31:29)`.
    pub fn place(&self) -> String {
        let (high, low) = self.bits;
        match high == low {
            true => format!("{} (dword {}, bit {high})", self.name, self.dw),
            false => format!("{} (dword {}, bits {high}:{low})", self.name, self.dw),
        }
    }

    fn out_of_range(&self, raw: u64, most: u64) -> Invalid {
        let shown = |raw: u64| raw as f64 / f64::from(self.steps().2);
        let (value, most) = (shown(raw), shown(most));
        let what = format!("{} is {value}; 0 to {most} is allowed", self.place());
        Invalid::new(Code::E0749, what).in_dword(self.dw)
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
        let what = format!("{} is {raw}; {} are known", self.place(), known.join(", "));
        Some(Invalid::new(Code::E0748, what).in_dword(self.dw))
    }
}

/// A state structure.
#[derive(Debug)]
pub struct Structure {
    /// As the manuals call it.
    pub name: &'static str,
    /// First and last generation that has it.
    pub generations: (Generation, Generation),
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
            let (from, to) = f.generations;
            (from..=to).contains(&generation.in_memory())
                && match f.only {
                    Only::Always => true,
                    Only::Planar => planar,
                    Only::NotPlanar => !planar,
                }
        })
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
            let odd = *word & !self.known(generation, words, dw as u32);
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
    fn known(&self, generation: Generation, words: &[u32], dw: u32) -> u32 {
        self.present(generation, words).fold(0, |bits, f| {
            let mask = ((1u128 << f.width()) - 1) << f.bits.1;
            bits | match dw.checked_sub(f.dw) {
                Some(0) => mask as u32,
                Some(1) => (mask >> 32) as u32,
                _ => 0,
            }
        })
    }
}
