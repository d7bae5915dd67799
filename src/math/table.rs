//! The functions of the extended math unit: operands, results, rounds and errors as the manual states them.
//!
//! Source: PRM 6.1.1.1, 6.2, 6.3.

/// A function of the unit; the number is its code in the descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// Reciprocal.
    Inv = 1,
    /// Base 2 logarithm.
    Log = 2,
    /// 2 to the power of.
    Exp = 3,
    /// Square root.
    Sqrt = 4,
    /// Reciprocal square root.
    Rsqrt = 5,
    /// Sine of radians.
    Sin = 6,
    /// Cosine of radians.
    Cos = 7,
    /// Sine, then cosine.
    SinCos = 8,
    /// The absolute value of operand 0 to the power of operand 1.
    Pow = 10,
    /// Integer quotient, then remainder: operand 1 by operand 0.
    IntDivBoth = 11,
    /// Integer quotient.
    Quotient = 12,
    /// Integer remainder.
    Remainder = 13,
}

/// How far a result may be from the true value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Units in the last place.
    Ulp(f64),
    /// Of the true value.
    Relative {
        /// In full precision.
        full: f64,
        /// In partial precision.
        partial: f64,
    },
    /// Absolute, for operands up to `range`.
    Absolute {
        /// The distance.
        error: f64,
        /// The greatest magnitude of the operand it holds for.
        range: f64,
    },
    /// Integers.
    Exact,
}

/// Rounds through the unit for one element, of about 22 clocks each. Source: PRM 6.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Fewest.
    pub least: u32,
    /// Most operands take so many.
    pub typical: u32,
    /// Most.
    pub most: u32,
}

const fn rounds(count: u32) -> Rounds {
    Rounds {
        least: count,
        typical: count,
        most: count,
    }
}

const fn varied(least: u32, typical: u32, most: u32) -> Rounds {
    Rounds {
        least,
        typical,
        most,
    }
}

/// What the PRM says of a function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionInfo {
    /// The function.
    pub function: Function,
    /// Its name in the PRM.
    pub name: &'static str,
    /// Operands of each element.
    pub operands: u32,
    /// Results of each element.
    pub results: u32,
    /// Rounds in full precision.
    pub full: Rounds,
    /// Rounds in partial precision, which ALT mode alone has.
    pub partial: Rounds,
    /// Its stated error.
    pub bound: Bound,
    /// The section.
    pub section: &'static str,
}

const ULP: Bound = Bound::Ulp(1.0);
/// 2^-21 and 2^-10.
const LOGARITHMIC: Bound = Bound::Relative {
    full: 1.0 / 2_097_152.0,
    partial: 1.0 / 1024.0,
};
/// 2^-15.
const POWER: Bound = Bound::Relative {
    full: 1.0 / 32768.0,
    partial: 1.0 / 32768.0,
};
const CIRCULAR: Bound = Bound::Absolute {
    error: 0.0008,
    range: 100.0 * std::f64::consts::PI,
};

const fn row(
    function: Function,
    name: &'static str,
    [operands, results]: [u32; 2],
    [full, partial]: [Rounds; 2],
    bound: Bound,
    section: &'static str,
) -> FunctionInfo {
    FunctionInfo {
        function,
        name,
        operands,
        results,
        full,
        partial,
        bound,
        section,
    }
}

/// Every function, in the order of the codes.
///
/// EXP has fewer rounds in partial precision by the table and as many by the note beside it; the table
/// counts. SINCOS is a sine and a cosine back to back; so, without a word of the PRM, is INT DIV with
/// two results.
#[rustfmt::skip]
pub static FUNCTIONS: &[FunctionInfo] = &[
//  function              name                  in out   full                partial             error        section
row(Function::Inv,        "INV",                [1, 1], [rounds(1),         rounds(1)],         ULP,          "PRM 6.3.1"),
row(Function::Log,        "LOG",                [1, 1], [rounds(3),         rounds(2)],         LOGARITHMIC,  "PRM 6.3.2"),
row(Function::Exp,        "EXP",                [1, 1], [rounds(4),         rounds(3)],         LOGARITHMIC,  "PRM 6.3.3"),
row(Function::Sqrt,       "SQRT",               [1, 1], [rounds(3),         rounds(3)],         ULP,          "PRM 6.3.4"),
row(Function::Rsqrt,      "RSQ",                [1, 1], [rounds(2),         rounds(2)],         ULP,          "PRM 6.3.5"),
row(Function::Sin,        "SIN",                [1, 1], [varied(5, 6, 12),  varied(5, 6, 12)],  CIRCULAR,     "PRM 6.3.7"),
row(Function::Cos,        "COS",                [1, 1], [varied(5, 6, 12),  varied(5, 6, 12)],  CIRCULAR,     "PRM 6.3.8"),
row(Function::SinCos,     "SINCOS",             [1, 2], [varied(10, 12, 24), varied(10, 12, 24)], CIRCULAR,   "PRM 6.3.9"),
row(Function::Pow,        "POW",                [2, 1], [rounds(8),         rounds(8)],         POWER,        "PRM 6.3.6"),
row(Function::IntDivBoth, "INT DIV",            [2, 2], [rounds(7),         rounds(7)],         Bound::Exact, "PRM 6.3.10"),
row(Function::Quotient,   "INT DIV, quotient",  [2, 1], [rounds(3),         rounds(3)],         Bound::Exact, "PRM 6.3.10"),
row(Function::Remainder,  "INT DIV, remainder", [2, 1], [rounds(4),         rounds(4)],         Bound::Exact, "PRM 6.3.10"),
];

impl serde::Serialize for Function {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.info().name)
    }
}

impl Function {
    /// The function of a descriptor's code; codes 0, 9, 14 and 15 are reserved.
    pub fn from_code(code: u32) -> Option<Function> {
        let mut all = FUNCTIONS.iter().map(|row| row.function);
        all.find(|function| *function as u32 == code)
    }

    /// Its row of the table.
    pub fn info(self) -> &'static FunctionInfo {
        let code = self as usize;
        // Code 9 has no row, so the rows from POW on are two places before their code.
        &FUNCTIONS[if code > 9 { code - 2 } else { code - 1 }]
    }

    /// Two operands for each element: such messages have 8 channels at most.
    pub fn takes_two(self) -> bool {
        self.info().operands == 2
    }

    /// Results for each element.
    pub fn results(self) -> u32 {
        self.info().results
    }

    /// Operands and results are integers.
    pub fn divides_integers(self) -> bool {
        self.info().bound == Bound::Exact
    }
}
