//! Formulas that fill a surface: `byte(x,y) = (x + 64*y) mod 256`.
//!
//! `x` is the byte of a row, `y` the row; the value is taken modulo 256. Whole numbers only, `/` rounds
//! down, and both operands of `mod` and `/` count as they are, so that a formula has no exceptions:
//! a division by zero is zero.
//!
//! ```text
//! formula = "byte(x,y)" "=" sum
//! sum     = product { ( "+" | "-" | "xor" | "and" | "or" ) product }
//! product = value { ( "*" | "/" | "mod" ) value }
//! value   = NUMBER | "x" | "y" | "(" sum ")" | "-" value
//! ```

use crate::source::{Span, Spanned};

/// A formula, ready to be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// The byte of the row.
    X,
    /// The row.
    Y,
    /// A number.
    Number(i64),
    /// Two formulas and what joins them.
    Joined(char, Box<Formula>, Box<Formula>),
}

/// A formula that cannot be read: where, and what was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where.
    pub span: Span,
    /// What was wanted there.
    pub wanted: &'static str,
}

/// Formulas nest no deeper than this.
const MOST_DEEP: usize = 64;

impl Formula {
    /// Reads `byte(x,y) = …`.
    pub fn read(text: &Spanned<String>) -> Result<Formula, Unreadable> {
        let mut reader = Reader {
            text: &text.node,
            base: text.span.start,
            at: 0,
            deep: 0,
        };
        for (word, wanted) in [
            ("byte", "`byte(x,y) = …`"),
            ("(", "`(x,y)`"),
            ("x", "`x`"),
            (",", "`,`"),
            ("y", "`y`"),
            (")", "`)`"),
            ("=", "`=`"),
        ] {
            if !reader.take(word) {
                return Err(reader.wanted(wanted));
            }
        }
        let formula = reader.sum()?;
        reader.blanks();
        if reader.at < text.node.len() {
            return Err(reader.wanted("an operator: + - * / mod xor and or"));
        }
        Ok(formula)
    }

    /// The value at byte `x` of row `y`; arithmetic wraps at 64 bits.
    pub fn at(&self, x: i64, y: i64) -> i64 {
        match self {
            Formula::X => x,
            Formula::Y => y,
            Formula::Number(value) => *value,
            Formula::Joined(operator, a, b) => {
                let (a, b) = (a.at(x, y), b.at(x, y));
                match operator {
                    '+' => a.wrapping_add(b),
                    '-' => a.wrapping_sub(b),
                    '*' => a.wrapping_mul(b),
                    '/' if b == 0 => 0,
                    '/' => a.wrapping_div_euclid(b),
                    '%' if b == 0 => 0,
                    '%' => a.wrapping_rem_euclid(b),
                    '^' => a ^ b,
                    '&' => a & b,
                    _ => a | b,
                }
            }
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    base: u32,
    at: usize,
    deep: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes a word or sign; a word ends where no letter or digit follows.
    fn take(&mut self, word: &str) -> bool {
        self.blanks();
        let Some(tail) = self.rest().strip_prefix(word) else {
            return false;
        };
        let letters = word.bytes().all(|b| b.is_ascii_alphabetic());
        if letters && tail.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return false;
        }
        self.at += word.len();
        true
    }

    fn wanted(&mut self, wanted: &'static str) -> Unreadable {
        self.blanks();
        let start = self.base + self.at as u32;
        let len = self.rest().chars().next().map_or(0, char::len_utf8) as u32;
        Unreadable {
            span: Span::new(start, start + len),
            wanted,
        }
    }

    fn joined(
        &mut self,
        operators: &[(&str, char)],
        part: fn(&mut Self) -> Result<Formula, Unreadable>,
    ) -> Result<Formula, Unreadable> {
        let mut left = part(self)?;
        while let Some(&(_, operator)) = operators.iter().find(|(word, _)| self.take(word)) {
            let right = part(self)?;
            left = Formula::Joined(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Formula, Unreadable> {
        let operators = [
            ("+", '+'),
            ("-", '-'),
            ("xor", '^'),
            ("and", '&'),
            ("or", '|'),
        ];
        self.joined(&operators, Self::product)
    }

    fn product(&mut self) -> Result<Formula, Unreadable> {
        self.joined(&[("*", '*'), ("/", '/'), ("mod", '%')], Self::nested)
    }

    fn nested(&mut self) -> Result<Formula, Unreadable> {
        self.deep += 1;
        if self.deep > MOST_DEEP {
            return Err(self.wanted("a formula that nests less deeply"));
        }
        let value = self.value();
        self.deep -= 1;
        value
    }

    fn value(&mut self) -> Result<Formula, Unreadable> {
        if self.take("(") {
            let inner = self.sum()?;
            return match self.take(")") {
                true => Ok(inner),
                false => Err(self.wanted("`)`")),
            };
        }
        if self.take("-") {
            let zero = Box::new(Formula::Number(0));
            return Ok(Formula::Joined('-', zero, Box::new(self.nested()?)));
        }
        if self.take("x") {
            return Ok(Formula::X);
        }
        if self.take("y") {
            return Ok(Formula::Y);
        }
        self.blanks();
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest()[..digits].parse().ok();
        let Some(number) = number else {
            return Err(self.wanted("a number, `x`, `y` or `(`"));
        };
        self.at += digits;
        Ok(Formula::Number(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Formula, Unreadable> {
        Formula::read(&Spanned::new(
            text.to_string(),
            Span::new(0, text.len() as u32),
        ))
    }

    #[test]
    fn products_bind_tighter_than_sums() {
        let formula = read("byte(x, y) = (x - x mod 4)/4 + 64*(x mod 4) xor y").expect("readable");
        for (x, y) in [(0, 0), (7, 3), (255, 64)] {
            assert_eq!(formula.at(x, y), (((x - x % 4) / 4) + 64 * (x % 4)) ^ y);
        }
        assert_eq!(
            read("byte(x,y) = 1 / (x - 5)").expect("readable").at(5, 0),
            0
        );
        assert_eq!(read("byte(x,y) = -1").expect("readable").at(0, 0), -1);
    }

    #[test]
    fn mistakes_are_found_where_they_stand() {
        for (text, at) in [
            ("bite(x,y)=1", 0),
            ("byte(x,y) = x +", 15),
            ("byte(x,y) = z", 12),
            ("byte(x,y)=1 2", 12),
        ] {
            assert_eq!(read(text).expect_err(text).span.start, at, "{text}");
        }
        assert!(read(&format!("byte(x,y) = {}", "(".repeat(100_000))).is_err());
        assert!(read(&format!("byte(x,y) = {}", "-".repeat(100_000))).is_err());
    }
}
