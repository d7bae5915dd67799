//! What is looked at: a variable, a region or lane of it, and conditions on them.
//!
//! ```text
//!  V34   V34.8:d   V34(1,0)<8;8,1>:f x 16   V34:hex   P1 lane 2   V34 lane 3 > 7
//! ```

use crate::diagnostic::{Code, Diagnostic, counted};
use crate::harness::bind;
use crate::harness::values::{Number, NumberFormat, View, bits, number};
use crate::isa::Type;
use crate::program::{Program, Symbol, SymbolClass};
use crate::source::{Span, Spanned};
use std::cmp::Ordering;

/// Elements of a variable and how they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// As it was asked for.
    pub text: String,
    /// Type and spelling of an element, bytes of a row.
    pub view: View,
    /// Where each element lies in the arena; of a predicate its dword, for each lane.
    elements: Vec<u32>,
    /// The lanes of a predicate.
    predicate: bool,
    /// The number of the first element.
    first: u32,
}

/// A comparison with a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it was asked for.
    pub text: String,
    place: Place,
    every: bool,
    operator: Operator,
    value: Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

const OPERATORS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

/// Elements that a region may have.
const MOST_ELEMENTS: u64 = 4096;

type Wrong = Box<Diagnostic>;

impl Place {
    /// Reads a place.
    ///
    /// * `base`: where `text` begins in the line that mistakes are shown in.
    /// * `function`: that of the thread at hand, whose variables come before those of the kernel.
    ///
    /// # Errors
    /// `E0962`; `E0704`, `E0705`: there is no such variable, or it ends before.
    pub fn read(
        text: &str,
        base: u32,
        program: &Program,
        function: Option<u32>,
    ) -> Result<Place, Wrong> {
        let mut cursor = Cursor { text, at: 0, base };
        let place = cursor.place(program, function)?;
        cursor.end()?;
        Ok(place)
    }

    /// Its bytes, element after element; of a predicate a byte for each lane.
    pub fn bytes(&self, arena: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.elements.len() * self.size());
        for k in 0..self.elements.len() {
            bytes.extend(self.element(k, arena));
        }
        bytes
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Bytes of one of [`Place::bytes`].
    pub fn size(&self) -> usize {
        match self.predicate {
            true => 1,
            false => self.view.ty.bytes() as usize,
        }
    }

    /// The number of the element that [`Place::bytes`] has in this place.
    pub fn number(&self, k: usize) -> usize {
        self.first as usize + k
    }

    /// Whether it is lanes of a predicate.
    pub fn is_predicate(&self) -> bool {
        self.predicate
    }

    fn element(&self, k: usize, arena: &[u8]) -> Vec<u8> {
        let at = self.elements[k] as usize;
        if self.predicate {
            let word = arena.get(at..at + 4).map_or(0, bits);
            return vec![(word >> (self.number(k) & 31) & 1) as u8];
        }
        let bytes = arena.get(at..at + self.size());
        bytes.map_or_else(|| vec![0; self.size()], <[u8]>::to_vec)
    }

    /// One element as text.
    pub fn word(&self, bytes: &[u8]) -> String {
        match self.predicate {
            true => bytes[0].to_string(),
            false => self.view.element(bytes),
        }
    }

    /// All elements as text.
    pub fn words(&self, arena: &[u8]) -> Vec<String> {
        let bytes = self.bytes(arena);
        bytes
            .chunks_exact(self.size())
            .map(|e| self.word(e))
            .collect()
    }

    /// What differs between two of [`Place::bytes`], a few elements of it.
    pub fn change(&self, old: &[u8], new: &[u8]) -> String {
        const MOST: usize = 4;
        let size = self.size();
        let pairs = old.chunks_exact(size).zip(new.chunks_exact(size));
        let changed: Vec<String> = pairs
            .enumerate()
            .filter(|(_, (old, new))| old != new)
            .map(|(k, (old, new))| {
                let (old, new) = (self.word(old), self.word(new));
                format!("[{}] {old} -> {new}", self.number(k))
            })
            .collect();
        let more = match changed.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(", {more} more"),
        };
        let shown: Vec<&str> = changed.iter().take(MOST).map(String::as_str).collect();
        shown.join(", ") + &more
    }
}

impl Condition {
    /// Reads a condition; see [`Place::read`].
    ///
    /// # Errors
    /// As [`Place::read`].
    pub fn read(
        text: &str,
        base: u32,
        program: &Program,
        function: Option<u32>,
    ) -> Result<Condition, Wrong> {
        let mut cursor = Cursor { text, at: 0, base };
        let place = cursor.place(program, function)?;
        let every = cursor.eat_word("all");
        if !every {
            cursor.eat_word("any");
        }
        cursor.blanks();
        let from = cursor.at;
        let found = OPERATORS.iter().find(|(word, _)| cursor.eat(word));
        let Some(&(_, operator)) = found else {
            return Err(cursor.wrong(from, "expected one of == != < <= > >= and a number"));
        };
        cursor.blanks();
        let from = cursor.at;
        let word = cursor.take(|c| !c.is_whitespace());
        let value = constant(word);
        let Some(value) = value else {
            return Err(cursor.wrong(from, "expected a number such as 7, -1, 0x1f or 2.5"));
        };
        cursor.end()?;
        Ok(Condition {
            text: text.trim().to_string(),
            place,
            every,
            operator,
            value,
        })
    }

    /// Whether it holds.
    pub fn holds(&self, arena: &[u8]) -> bool {
        let bytes = self.place.bytes(arena);
        let mut elements = bytes.chunks_exact(self.place.size());
        let ty = match self.place.predicate {
            true => Type::Ub,
            false => self.place.view.ty,
        };
        let mut one = |element: &[u8]| self.compares(number(ty, bits(element)));
        match self.every {
            true => elements.all(&mut one),
            false => elements.any(&mut one),
        }
    }

    fn compares(&self, element: Number) -> bool {
        let order = match (element, self.value) {
            (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
            (a, b) => float(a).partial_cmp(&float(b)),
        };
        match self.operator {
            Operator::Equal => order == Some(Ordering::Equal),
            Operator::Unequal => order != Some(Ordering::Equal),
            Operator::Less => order == Some(Ordering::Less),
            Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
            Operator::Greater => order == Some(Ordering::Greater),
            Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        }
    }
}

fn float(value: Number) -> f64 {
    match value {
        Number::Integer(value) => value as f64,
        Number::Float(value) => value,
    }
}

/// A number as a condition has it.
fn constant(word: &str) -> Option<Number> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, word),
    };
    let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    match hex {
        Some(hex) => {
            let value = u64::from_str_radix(hex, 16).ok()?;
            Some(Number::Integer(sign * i128::from(value)))
        }
        None => match word.parse::<i64>() {
            Ok(value) => Some(Number::Integer(value.into())),
            Err(_) => word.parse().ok().map(Number::Float),
        },
    }
}

/// Where a line is read.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
    base: u32,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// A word of letters, with blanks in front.
    fn eat_word(&mut self, word: &str) -> bool {
        let before = self.at;
        self.blanks();
        let found = self.take(|c| c.is_ascii_alphanumeric()) == word;
        if !found {
            self.at = before;
        }
        found
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn number(&mut self) -> Result<u32, Wrong> {
        self.blanks();
        let from = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        let number = digits.parse().ok();
        self.blanks();
        number.ok_or_else(|| self.wrong(from, "expected a number"))
    }

    fn expect(&mut self, word: &str) -> Result<(), Wrong> {
        match self.eat(word) {
            true => Ok(()),
            false => Err(self.wrong(self.at, &format!("expected `{word}`"))),
        }
    }

    fn wrong(&self, from: usize, what: &str) -> Wrong {
        let end = from.max(self.at).min(self.text.len());
        let end = match end == from {
            // Something to point at.
            true => self.text.len().max(from),
            false => end,
        };
        let span = Span::new(self.base + from as u32, self.base + end as u32);
        Box::new(Diagnostic::new(Code::E0962).at(span, what))
    }

    fn end(&mut self) -> Result<(), Wrong> {
        self.blanks();
        match self.rest().is_empty() {
            true => Ok(()),
            false => Err(self.wrong(self.at, "nothing can follow here")),
        }
    }

    fn place(&mut self, program: &Program, function: Option<u32>) -> Result<Place, Wrong> {
        self.blanks();
        let start = self.at;
        let name = self.take(|c| c.is_alphanumeric() || "_%$@?".contains(c));
        if name.is_empty() {
            return Err(self.wrong(start, "expected the name of a variable"));
        }
        let symbol = self.symbol(start, name, program, function)?;
        let grf = program.platform.grf_bytes();
        let mut place = Place {
            text: String::new(),
            view: View::of(symbol.class.default_type(), grf),
            elements: Vec::new(),
            predicate: symbol.class == SymbolClass::Predicate,
            first: 0,
        };
        let (mut byte, mut element) = (0_u64, None);
        if self.eat(".") {
            byte = self.number()?.into();
        } else if self.eat("(") {
            let row = self.number()?;
            let mut column = None;
            if self.eat(",") {
                column = Some(self.number()?);
            }
            self.expect(")")?;
            element = Some((row, column));
        }
        let region = match self.eat("<") {
            false => None,
            true => {
                let v = self.number()?;
                self.expect(";")?;
                let w = self.number()?;
                self.expect(",")?;
                let h = self.number()?;
                self.expect(">")?;
                Some([v, w.max(1), h])
            }
        };
        while self.eat(":") {
            let from = self.at;
            let word = self.take(|c| c.is_ascii_alphanumeric());
            if let Some((form, ty)) = NumberFormat::from_word(word) {
                place.view.form = form;
                place.view.ty = ty.unwrap_or(place.view.ty);
            } else if let Some(ty) = Type::from_name(word).filter(|ty| *ty != Type::Bool) {
                place.view = View::of(ty, grf);
            } else {
                return Err(self.wrong(
                    from,
                    "expected a type such as d, uw or f, or hex, dec, float",
                ));
            }
            place.predicate = false;
        }
        let size = u64::from(place.view.ty.bytes());
        byte += match element {
            None => 0,
            // A column alone counts elements, as in vISA text.
            Some((column, None)) => u64::from(column) * size,
            Some((row, Some(column))) => u64::from(row) * u64::from(grf) + u64::from(column) * size,
        };
        let room = u64::from(symbol.bytes());
        let mut count = match (region, place.predicate) {
            (_, true) => u64::from(symbol.elements),
            (None, false) if element.is_some() => 1,
            (None, false) => room.saturating_sub(byte) / size,
            (Some(_), false) => u64::from(program.simd_size.max(1)),
        };
        if self.eat_word("x") {
            count = self.number()?.into();
        }
        let mut lane = None;
        if self.eat_word("lane") {
            lane = Some(self.number()?);
        }
        let [v, w, h] = region.unwrap_or([1, 1, 0]);
        let offset = |k: u64| {
            let (row, column) = (k / u64::from(w), k % u64::from(w));
            byte + (row * u64::from(v) + column * u64::from(h)) * size
        };
        if let Some(lane) = lane {
            (place.first, count) = (lane, u64::from(lane) + 1);
        }
        if count > MOST_ELEMENTS && region.is_some() {
            let what = format!("a region of {count} elements; {MOST_ELEMENTS} are shown at most");
            return Err(self.wrong(start, &what));
        }
        let numbers = u64::from(place.first)..count;
        let outside = match place.predicate {
            true => count > u64::from(symbol.elements),
            false => count == 0 || numbers.clone().any(|k| offset(k) + size > room),
        };
        if outside {
            let all = match place.predicate {
                true => counted(symbol.elements, "lane"),
                false => counted(room, "byte"),
            };
            let what = format!("this lies outside of `{name}`, which has {all}");
            return Err(self.wrong(start, &what));
        }
        place.elements = match place.predicate {
            true => numbers.map(|_| symbol.offset).collect(),
            false => numbers.map(|k| symbol.offset + offset(k) as u32).collect(),
        };
        place.text = self.text[start..self.at].trim_end().to_string();
        Ok(place)
    }

    /// A variable of the function at hand, else one of the kernel.
    fn symbol(
        &self,
        start: usize,
        name: &str,
        program: &Program,
        function: Option<u32>,
    ) -> Result<Symbol, Wrong> {
        let own = program.owners.iter();
        let own = own.filter(|o| function.is_some() && o.function == function);
        if let Some(owner) = own.rev().find(|o| o.name == name) {
            let bytes = owner.range.end - owner.range.start;
            let elements = match owner.class {
                SymbolClass::General(ty) => bytes / ty.bytes(),
                SymbolClass::Address => bytes / 2,
                SymbolClass::Predicate => 32,
                SymbolClass::Surface | SymbolClass::Sampler => bytes / 4,
            };
            return Ok(Symbol {
                class: owner.class,
                offset: owner.range.start,
                elements,
            });
        }
        let span = Span::new(self.base + start as u32, self.base + self.at as u32);
        bind::symbol(program, &Spanned::new(name.to_string(), span))
    }
}
