//! Data types, execution sizes and the small closed vocabularies of vISA operands and suffixes.

use serde::{Serialize, Serializer};
use std::fmt;

/// A vISA data type. Source: vISA text reference 1.4 and 2.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Unsigned 32-bit.
    Ud,
    /// Signed 32-bit.
    D,
    /// Unsigned 16-bit.
    Uw,
    /// Signed 16-bit.
    W,
    /// Unsigned 8-bit.
    Ub,
    /// Signed 8-bit.
    B,
    /// Unsigned 64-bit.
    Uq,
    /// Signed 64-bit.
    Q,
    /// IEEE single.
    F,
    /// IEEE half.
    Hf,
    /// The upper half of a single, of newer text. Source: Xe2 reference 2.
    Bf,
    /// IEEE double.
    Df,
    /// Lexed only: boolean operands do not exist, and declaring one is an error.
    Bool,
    /// Immediate only: eight signed 4-bit values, read as `w`.
    V,
    /// Immediate only: eight unsigned 4-bit values, read as `uw`.
    Uv,
    /// Immediate only: four 8-bit restricted floats, read as `f`.
    Vf,
}

impl Type {
    /// Every type with its spelling, longest first where one is a prefix of another.
    pub const ALL: &'static [(Type, &'static str)] = &[
        (Type::Ud, "ud"),
        (Type::Uw, "uw"),
        (Type::Ub, "ub"),
        (Type::Uq, "uq"),
        (Type::Uv, "uv"),
        (Type::Hf, "hf"),
        (Type::Bf, "bf"),
        (Type::Df, "df"),
        (Type::Vf, "vf"),
        (Type::Bool, "bool"),
        (Type::D, "d"),
        (Type::W, "w"),
        (Type::B, "b"),
        (Type::Q, "q"),
        (Type::F, "f"),
        (Type::V, "v"),
    ];

    /// The lower-case spelling.
    pub fn name(self) -> &'static str {
        Type::ALL
            .iter()
            .find(|(t, _)| *t == self)
            .map_or("?", |(_, n)| n)
    }

    /// Reads a spelling in either case.
    pub fn from_name(name: &str) -> Option<Type> {
        Type::ALL
            .iter()
            .find(|(_, n)| n.eq_ignore_ascii_case(name))
            .map(|(t, _)| *t)
    }

    /// Size of one element in bytes. Vector immediates count as their element type.
    pub const fn bytes(self) -> u32 {
        match self {
            Type::Ub | Type::B | Type::Bool => 1,
            Type::Uw | Type::W | Type::Hf | Type::Bf | Type::V | Type::Uv => 2,
            Type::Ud | Type::D | Type::F | Type::Vf => 4,
            Type::Uq | Type::Q | Type::Df => 8,
        }
    }

    /// `f`, `hf`, `bf`, `df` and the float vector immediate.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F | Type::Hf | Type::Bf | Type::Df | Type::Vf)
    }

    /// Every integer type, the integer vector immediates included.
    pub const fn is_integer(self) -> bool {
        !self.is_float() && !matches!(self, Type::Bool)
    }

    /// Integer types that hold negative values.
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::D | Type::W | Type::B | Type::Q | Type::V)
    }

    /// The type an instruction computes with: vector immediates act as their element type.
    pub const fn element(self) -> Type {
        match self {
            Type::V => Type::W,
            Type::Uv => Type::Uw,
            Type::Vf => Type::F,
            other => other,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The execution part `(M5_NM, 16)`. Source: vISA text reference 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Exec {
    /// Number of lanes as written; the check allows 1, 2, 4, 8, 16 and 32.
    pub size: u32,
    /// First execution-mask bit, 4(k−1) for `Mk`.
    pub offset: u8,
    /// The execution mask is ignored (`_NM`).
    pub no_mask: bool,
}

impl fmt::Display for Exec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let no_mask = if self.no_mask { "_NM" } else { "" };
        write!(f, "(M{}{no_mask}, {})", self.offset / 4 + 1, self.size)
    }
}

/// A set of the channels R, G, B, A: bit 0 is R.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelMask(pub u8);

impl ChannelMask {
    /// Red alone.
    pub const R: ChannelMask = ChannelMask(1);
    /// All four channels.
    pub const RGBA: ChannelMask = ChannelMask(0xf);

    /// Whether channel `index` (0 = R) is enabled.
    pub const fn has(self, index: usize) -> bool {
        self.0 >> index & 1 != 0
    }

    /// How many channels are enabled.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The enabled channel numbers in RGBA order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&c| self.has(c))
    }
}

impl fmt::Display for ChannelMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|c| f.write_str(&"RGBA"[c..=c]))
    }
}

impl Serialize for ChannelMask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// How an address of 32 bits is extended. Source: Xe2 reference 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extension {
    /// `a32s`: by its sign.
    Signed,
    /// `a32u`: by zeros.
    Unsigned,
}

impl Extension {
    /// Each with the letter that ends the address size.
    pub const ALL: [(Extension, char); 2] = [(Extension::Signed, 's'), (Extension::Unsigned, 'u')];

    /// The letter that ends the address size.
    pub const fn letter(self) -> char {
        match self {
            Extension::Signed => 's',
            Extension::Unsigned => 'u',
        }
    }
}

/// Makes a closed vocabulary: an enum, its spellings and its numbers, each stated once.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl $name {
            /// Every value with its number in the binary form and its spelling.
            pub const ALL: &'static [($name, u8, &'static str)] = &[$(($name::$variant, $value, $text)),+];

            /// The number in the binary form.
            pub const fn value(self) -> u8 {
                match self { $($name::$variant => $value),+ }
            }

            /// The spelling in text.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// Reads a spelling.
            pub fn from_name(text: &str) -> Option<$name> {
                $name::ALL.iter().find(|(_, _, n)| *n == text).map(|(v, _, _)| *v)
            }

            /// Reads a number of the binary form.
            pub fn from_value(value: u8) -> Option<$name> {
                $name::ALL.iter().find(|(_, n, _)| *n == value).map(|(v, _, _)| *v)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

vocabulary! {
    /// The relation of `cmp`. Source: vISA text reference 5.1.
    Condition {
        /// Equal.
        Eq = 0 "eq",
        /// Not equal.
        Ne = 1 "ne",
        /// Greater.
        Gt = 2 "gt",
        /// Greater or equal.
        Ge = 3 "ge",
        /// Less.
        Lt = 4 "lt",
        /// Less or equal.
        Le = 5 "le",
    }
}

vocabulary! {
    /// The modifier of `media_ld` and `media_st`. Source: vISA MEDIA_LD, "Modifiers".
    MediaMode {
        /// Plain.
        NoMod = 0 "nomod",
        /// As plain; accepted for old text.
        Modified = 1 "modified",
        /// Top field: line stride 1, first line 0.
        Top = 2 "top",
        /// Bottom field: line stride 1, first line 1.
        Bottom = 3 "bottom",
        /// As `top`; `media_ld` only.
        TopMod = 4 "top_mod",
        /// As `bottom`; `media_ld` only.
        BottomMod = 5 "bottom_mod",
    }
}

vocabulary! {
    /// Output format control of AVS. Source: vISA AVS, "cntrl".
    AvsControl {
        /// Two bytes for each pixel.
        Full16 = 0 "AVS_16_FULL",
        /// Two bytes; R and B at even pixels only.
        DownSample16 = 1 "AVS_16_DOWN_SAMPLE",
        /// One byte for each pixel.
        Full8 = 2 "AVS_8_FULL",
        /// One byte; R and B at even pixels only.
        DownSample8 = 3 "AVS_8_DOWN_SAMPLE",
    }
}

vocabulary! {
    /// Block shape of AVS. Source: vISA AVS, "execMode".
    AvsMode {
        /// 16 columns by 4 rows.
        M16x4 = 0 "AVS_16x4",
        /// 8 columns by 4 rows; absent from Intel's own assembler.
        M8x4 = 1 "AVS_8x4",
        /// 16 columns by 8 rows.
        M16x8 = 2 "AVS_16x8",
        /// 4 columns by 4 rows; absent from Intel's own assembler.
        M4x4 = 3 "AVS_4x4",
    }
}

impl Condition {
    /// The relation of the same two, the second one first.
    pub const fn exchanged(self) -> Condition {
        match self {
            Condition::Gt => Condition::Lt,
            Condition::Ge => Condition::Le,
            Condition::Lt => Condition::Gt,
            Condition::Le => Condition::Ge,
            same => same,
        }
    }
}

impl AvsMode {
    /// Columns and rows of the block.
    pub const fn size(self) -> (u32, u32) {
        match self {
            AvsMode::M16x4 => (16, 4),
            AvsMode::M8x4 => (8, 4),
            AvsMode::M16x8 => (16, 8),
            AvsMode::M4x4 => (4, 4),
        }
    }
}

impl AvsControl {
    /// Bytes of one element.
    pub const fn element_bytes(self) -> u32 {
        match self {
            AvsControl::Full16 | AvsControl::DownSample16 => 2,
            AvsControl::Full8 | AvsControl::DownSample8 => 1,
        }
    }

    /// Whether R and B are returned at even pixels only.
    pub const fn decimates(self) -> bool {
        matches!(self, AvsControl::DownSample16 | AvsControl::DownSample8)
    }
}

vocabulary! {
    /// Output format of `sample_unorm`. Source: vISA text reference 5.7.
    UnormFormat {
        /// Two bytes for each pixel.
        Full16 = 0 "16-full",
        /// Two bytes; R and B at even pixels only.
        DownSampled16 = 1 "16-downsampled",
        /// One byte for each pixel.
        Full8 = 2 "8-full",
        /// One byte; R and B at even pixels only.
        DownSampled8 = 3 "8-downsampled",
    }
}

vocabulary! {
    /// Operation of `dword_atomic`, `typed_atomic`, `svm_atomic`. Source: vISA text reference 5.9.
    AtomicOp {
        /// old + src0.
        Add = 0 "add",
        /// old − src0.
        Sub = 1 "sub",
        /// old + 1.
        Inc = 2 "inc",
        /// old − 1.
        Dec = 3 "dec",
        /// Unsigned minimum.
        Min = 4 "min",
        /// Unsigned maximum.
        Max = 5 "max",
        /// src0.
        Xchg = 6 "xchg",
        /// old == src1 ? src0 : old.
        CmpXchg = 7 "cmpxchg",
        /// old & src0.
        And = 8 "and",
        /// old | src0.
        Or = 9 "or",
        /// old ^ src0.
        Xor = 10 "xor",
        /// Signed minimum.
        MinSint = 11 "minsint",
        /// Signed maximum.
        MaxSint = 12 "maxsint",
        /// Float maximum.
        FMax = 16 "fmax",
        /// Float minimum.
        FMin = 17 "fmin",
        /// Float compare and write.
        FCmpWr = 18 "fcmpwr",
        /// Float old + src0.
        FAdd = 19 "fadd",
        /// Float old − src0.
        FSub = 20 "fsub",
    }
}

vocabulary! {
    /// Source modifier. Source: vISA text reference 4.5.
    Modifier {
        /// Negated.
        Neg = 1 "(-)",
        /// Absolute value.
        Abs = 2 "(abs)",
        /// Negated absolute value.
        NegAbs = 3 "(-abs)",
        /// Bitwise complement.
        Not = 4 "(~)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn execution_part_prints_as_the_compiler_writes_it() {
        assert_eq!(
            Exec {
                size: 16,
                offset: 16,
                no_mask: true
            }
            .to_string(),
            "(M5_NM, 16)"
        );
        assert_eq!(ChannelMask(0b1010).to_string(), "GA");
    }
}
