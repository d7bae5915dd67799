//! Bit fields: which bits of some 32-bit words hold a value, and how the value is written for people.
//!
//! Message descriptors and headers, state structures, the TLD instruction word and the texture header are
//! all tables of [`Field`]s. Reading, writing, printing and parsing a value are one mechanism, so what
//! encodes a field, what explains it and what refuses it cannot disagree.
//!
//! ```text
//!  dw 0                     dw 1
//!  31         ...        0  31         ...        0
//!       └ hi     lo ┘            hi of a field may pass 31: it runs on into the next dword
//! ```

use std::fmt;

/// How the bits of a field represent a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An unsigned number.
    Plain,
    /// A two's complement number.
    Signed,
    /// Unsigned with this many fraction bits.
    Fixed(u32),
    /// Signed with this many fraction bits.
    SignedFixed(u32),
    /// Unsigned, in units of this power of two.
    Scaled(u32),
    /// An address whose low bits, those below the field, are zero.
    Address,
    /// A 32-bit float.
    Float,
}

/// Codes that have names, where a list in the table of fields would repeat another table.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// What the codes select: `a format`.
    pub what: &'static str,
    /// The name of a code; `None` if it is reserved.
    pub name: fn(u64) -> Option<&'static str>,
    /// The code of a name, in any letter case.
    pub code: fn(&str) -> Option<u64>,
}

/// What the values of a field mean.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// The number itself.
    Value,
    /// One more than the number, in this unit.
    LessOne(&'static str),
    /// The number is the base-2 logarithm of a count of this unit.
    Log2(&'static str),
    /// A list of names; other values are reserved.
    Names(&'static [(u32, &'static str)]),
    /// Codes of another table.
    Codes(&'static Codes),
}

/// Neighbouring bits of a sequence of 32-bit words.
#[derive(Clone, Copy)]
pub struct Field {
    /// As the manuals name it.
    pub name: &'static str,
    /// Word from which the bits are counted.
    pub dw: usize,
    /// Lowest bit.
    pub lo: u32,
    /// Highest bit; from 32 on it lies in a later word. A field has 64 bits at most.
    pub hi: u32,
    /// Meaning, units included.
    pub doc: &'static str,
    /// How its bits are read.
    pub number: Number,
    /// What its values mean.
    pub meaning: Meaning,
}

/// Two fields are one if they have the same name and the same bits.
impl PartialEq for Field {
    fn eq(&self, other: &Field) -> bool {
        let key = |f: &Field| (f.name, f.dw, f.lo, f.hi);
        key(self) == key(other)
    }
}

impl Eq for Field {}

/// `Surface Type (dword 0, bits 31:29)`.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (dword {}, {})", self.name, self.dw, self.position())
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A value that does not fit its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} does not fit {} ({})", value, field.name, field.position())]
pub struct TooWide {
    /// The field.
    pub field: Field,
    /// The value.
    pub value: u64,
}

impl Field {
    /// An unsigned number in bits `hi` to `lo` of word `dw`.
    pub const fn new(name: &'static str, dw: usize, hi: u32, lo: u32, doc: &'static str) -> Field {
        assert!(lo <= hi && hi - lo < 64, "a field has 1 to 64 bits");
        Field {
            name,
            dw,
            lo,
            hi,
            doc,
            number: Number::Plain,
            meaning: Meaning::Value,
        }
    }

    /// The same bits, read as this kind of number.
    pub const fn number(self, number: Number) -> Field {
        Field { number, ..self }
    }

    /// The same bits with this meaning.
    pub const fn means(self, meaning: Meaning) -> Field {
        Field { meaning, ..self }
    }

    /// Number of bits.
    pub const fn width(self) -> u32 {
        self.hi - self.lo + 1
    }

    /// The greatest stored value.
    pub const fn limit(self) -> u64 {
        u64::MAX >> (64 - self.width())
    }

    /// The greatest stored value of a field of one word.
    pub const fn max(self) -> u32 {
        self.limit() as u32
    }

    /// The field's bits within its word.
    pub const fn mask(self) -> u32 {
        self.mask_in(self.dw)
    }

    /// The field's bits within word `dw`.
    pub const fn mask_in(self, dw: usize) -> u32 {
        if dw < self.dw || dw > self.dw + self.hi as usize / 32 {
            return 0;
        }
        (((self.limit() as u128) << self.lo) >> (32 * (dw - self.dw))) as u32
    }

    /// The stored value of a field of one word; a word that is not there reads as 0.
    pub fn get(self, words: &[u32]) -> u32 {
        if self.hi < 32 {
            words
                .get(self.dw)
                .map_or(0, |word| word >> self.lo & self.max())
        } else {
            self.raw(words) as u32
        }
    }

    /// The stored value; words that are not there read as 0.
    pub fn raw(self, words: &[u32]) -> u64 {
        let word = |i: usize| words.get(self.dw + i).map_or(0, |word| u128::from(*word));
        let all = word(0) | word(1) << 32 | word(2) << 64;
        (all >> self.lo) as u64 & self.limit()
    }

    /// Stores a value.
    ///
    /// # Errors
    /// [`TooWide`] if the value has more bits than the field, or there is no such word.
    pub fn put(self, words: &mut [u32], value: u32) -> Result<(), TooWide> {
        self.put_raw(words, value.into())
    }

    /// Stores a value of up to 64 bits.
    ///
    /// # Errors
    /// As [`Field::put`].
    pub fn put_raw(self, words: &mut [u32], value: u64) -> Result<(), TooWide> {
        if value > self.limit() || self.dw + self.hi as usize / 32 >= words.len() {
            return Err(TooWide { field: self, value });
        }
        self.set_raw(words, value);
        Ok(())
    }

    /// Stores a value; bits that do not fit are dropped.
    pub fn set_raw(self, words: &mut [u32], value: u64) {
        let value = u128::from(value & self.limit()) << self.lo;
        for (i, word) in words.iter_mut().skip(self.dw).take(3).enumerate() {
            let mask = self.mask_in(self.dw + i);
            *word = *word & !mask | (value >> (32 * i)) as u32 & mask;
        }
    }

    /// The value: exact, for every field but 64-bit addresses above 2^53.
    pub fn value(self, words: &[u32]) -> f64 {
        let raw = self.raw(words);
        let signed = || ((raw << (64 - self.width())) as i64 >> (64 - self.width())) as f64;
        let scale = |fraction: u32| f64::from(1u32 << fraction);
        match self.number {
            Number::Plain => raw as f64,
            Number::Signed => signed(),
            Number::Fixed(fraction) => raw as f64 / scale(fraction),
            Number::SignedFixed(fraction) => signed() / scale(fraction),
            Number::Scaled(_) | Number::Address => (raw << self.shift()) as f64,
            Number::Float => f64::from(f32::from_bits(raw as u32)),
        }
    }

    /// Sets the value, rounded down to the field's precision and cut to its width.
    pub fn set_value(self, words: &mut [u32], value: f64) {
        let scaled = |fraction: u32| (value * f64::from(1u32 << fraction)).floor() as i64 as u64;
        let raw = match self.number {
            Number::Plain => value as u64,
            Number::Signed => value as i64 as u64,
            Number::Fixed(fraction) | Number::SignedFixed(fraction) => scaled(fraction),
            Number::Scaled(_) | Number::Address => value as u64 >> self.shift(),
            Number::Float => u64::from((value as f32).to_bits()),
        };
        self.set_raw(words, raw);
    }

    /// Low bits of the value that are zero and not stored.
    pub const fn shift(self) -> u32 {
        match self.number {
            Number::Address => self.lo,
            Number::Scaled(power) => power,
            _ => 0,
        }
    }

    /// The least and the greatest number of steps that the bits can represent, and the steps per unit.
    pub fn steps(self) -> (i64, i64, u32) {
        let most = self.limit() as i64;
        match self.number {
            Number::SignedFixed(fraction) => (-(most >> 1) - 1, most >> 1, 1 << fraction),
            Number::Signed => (-(most >> 1) - 1, most >> 1, 1),
            Number::Fixed(fraction) => (0, most, 1 << fraction),
            _ => (0, most, 1),
        }
    }

    /// The bits that represent a number; `None` for one out of range or between two steps.
    pub fn of_value(self, value: f64) -> Option<u64> {
        let (least, most, steps) = self.steps();
        let scaled = value * f64::from(steps);
        let fits = scaled.fract() == 0.0 && (least as f64..=most as f64).contains(&scaled);
        fits.then_some(scaled as i64 as u64 & self.limit())
    }

    /// The name of a stored value; `None` if it is reserved or its field has no names.
    pub fn name_of(self, raw: u64) -> Option<&'static str> {
        match self.meaning {
            Meaning::Names(names) => names.iter().find(|n| u64::from(n.0) == raw).map(|n| n.1),
            Meaning::Codes(codes) => (codes.name)(raw),
            _ => None,
        }
    }

    /// The value for people: `2D`, `37 texels`, `1.25`, `0x12345000`.
    pub fn spelled(self, words: &[u32]) -> String {
        let raw = self.raw(words);
        match (self.meaning, self.number) {
            (Meaning::LessOne(unit), _) => format!("{} {unit}", raw + 1),
            (Meaning::Log2(unit), _) => match raw {
                0 => format!("1 {unit}"),
                _ => format!("{} {unit}s", 1u128 << raw),
            },
            (Meaning::Names(_) | Meaning::Codes(_), _) => {
                self.name_of(raw).unwrap_or("reserved").to_string()
            }
            (Meaning::Value, Number::Address) => format!("{:#x}", raw << self.lo),
            (Meaning::Value, _) => self.value(words).to_string(),
        }
    }

    /// The stored bits of a value that [`Field::spelled`] writes, or of a number. `None` if it is neither.
    ///
    /// The result may have more bits than the field.
    pub fn parse(self, text: &str) -> Option<u64> {
        let text = text.trim();
        let whole = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let first_number = || text.split(' ').next().and_then(whole);
        let named = match self.meaning {
            Meaning::Names(names) => names
                .iter()
                .find(|n| n.1.eq_ignore_ascii_case(text))
                .map(|n| n.0.into()),
            Meaning::Codes(codes) => (codes.code)(text),
            _ => None,
        };
        if named.is_some() {
            return named;
        }
        match (self.meaning, self.number) {
            (Meaning::LessOne(_), _) => first_number()?.checked_sub(1),
            (Meaning::Log2(_), _) => {
                let count = first_number()?;
                count.is_power_of_two().then(|| count.ilog2().into())
            }
            (Meaning::Value, Number::Address | Number::Scaled(_)) => {
                let value = whole(text)?;
                let low = self.shift();
                (value >> low << low == value).then_some(value >> low)
            }
            (Meaning::Value, Number::Float) => Some(text.parse::<f32>().ok()?.to_bits().into()),
            (_, Number::Plain) => whole(text),
            (Meaning::Value, _) => self.of_value(text.parse().ok()?),
            _ => None,
        }
    }

    /// `bits 31:29`, or `bit 19`, for sentences.
    pub fn position(self) -> String {
        match self.lo == self.hi {
            true => format!("bit {}", self.lo),
            false => format!("bits {}:{}", self.hi, self.lo),
        }
    }

    /// `31:29`, or `19` for a field of one bit.
    pub fn bits(self) -> String {
        match self.lo == self.hi {
            true => self.lo.to_string(),
            false => format!("{}:{}", self.hi, self.lo),
        }
    }

    /// A stored value for people: short fields in decimal, long ones in hexadecimal.
    pub fn display(self, value: u64) -> String {
        if self.width() > 8 {
            format!("{value:#x}")
        } else {
            value.to_string()
        }
    }

    /// One line: bits, name padded to `columns`, stored value, and what it means.
    ///
    /// ```text
    /// 28:25  message length         1        registers of the first payload, header included
    /// 31:29  Surface Type           1        2D
    /// ```
    pub fn line(self, words: &[u32], columns: usize) -> String {
        let (bits, name) = (self.bits(), self.name);
        let stored = self.display(self.raw(words));
        let mut meaning = match (self.meaning, self.number) {
            (Meaning::Value, Number::Plain) => String::new(),
            _ => self.spelled(words),
        };
        if !meaning.is_empty() && !self.doc.is_empty() {
            meaning += "  ";
        }
        meaning += self.doc;
        let line = format!("{bits:>5}  {name:<columns$} {stored:<8} {meaning}");
        line.trim_end().to_string()
    }
}

/// The fields of one part of a message or state.
#[derive(Debug)]
pub struct Layout {
    /// What the part is.
    pub name: &'static str,
    /// Where the layout is defined.
    pub source: &'static str,
    /// Its fields, highest bit of the first word first.
    pub fields: &'static [Field],
}

impl Layout {
    /// The bits of word `dw` that some field explains.
    pub fn known(&self, dw: usize) -> u32 {
        self.fields.iter().fold(0, |bits, f| bits | f.mask_in(dw))
    }
}
