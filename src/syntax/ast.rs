//! The module as it was written: one [`Line`] for each line of text, comments kept.
//!
//! Names are text here ([`Name`]); [`crate::check`] replaces them by [`crate::check::VarId`]s, which
//! is why instructions and operands are generic over how a variable is named.

use crate::isa::{
    AtomicOp, AvsControl, AvsMode, ChannelMask, Condition, Exec, Extension, MediaMode, Modifier,
    Opcode, Type, UnormFormat,
};
use crate::source::{Span, Spanned};

/// A variable, surface, sampler or predicate name as written, `%` included.
pub type Name = String;

/// A whole file.
///
/// Two modules are equal if their lines are.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The lines in order; a line that does not parse is absent.
    pub lines: Vec<Line>,
    /// Names whose `.decl` does not parse: their uses are no second mistake.
    pub unread: Vec<String>,
}

impl PartialEq for Module {
    fn eq(&self, other: &Module) -> bool {
        self.lines == other.lines
    }
}

/// One logical line (a `\` or a block comment may join several text lines).
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it says; `None` for a blank or comment-only line.
    pub statement: Option<Spanned<Statement>>,
    /// Its comment with its marks (`// …`, `/* … */`), if any.
    pub comment: Option<Spanned<String>>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `.version major.minor`.
    Version {
        /// Before the dot.
        major: u32,
        /// After the dot.
        minor: u32,
    },
    /// `.kernel "name"`.
    Kernel(Spanned<Name>),
    /// `.global_function "name"`.
    GlobalFunction(Spanned<Name>),
    /// `.funcdecl "name"`.
    FuncDecl(Spanned<Name>),
    /// `.function name`.
    Function(Spanned<Name>),
    /// `.kernel_attr name[=value]`.
    Attribute {
        /// What is set.
        name: Spanned<Name>,
        /// To what; `None` where no value is written.
        value: Option<AttributeValue>,
    },
    /// `.decl`.
    Declaration(Declaration),
    /// `.input` and its relatives.
    Input(Input),
    /// `name:`.
    Label(Spanned<Name>),
    /// `{`.
    OpenScope,
    /// `}`.
    CloseScope,
    /// An instruction.
    Instruction(Instruction),
}

/// The value of a kernel or variable attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// A number.
    Number(i64),
    /// Quoted text.
    Text(String),
}

/// `.decl NAME v_type=…`.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The declared name.
    pub name: Spanned<Name>,
    /// Number of elements.
    pub elements: Spanned<u64>,
    /// Storage class and what goes with it.
    pub class: DeclarationClass,
    /// `attrs={…}`.
    pub attributes: Vec<(Spanned<Name>, Option<AttributeValue>)>,
}

/// Storage class of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclarationClass {
    /// `v_type=G`.
    General {
        /// Element type.
        ty: Spanned<Type>,
        /// Keyword or power of two as bytes; `None` when not written.
        align: Option<Spanned<Align>>,
        /// `alias=<base, offset>`.
        alias: Option<Alias>,
    },
    /// `v_type=A`.
    Address,
    /// `v_type=P`.
    Predicate,
    /// `v_type=S`.
    Sampler {
        /// `v_name=`, where it is written.
        v_name: Option<Spanned<Name>>,
    },
    /// `v_type=T`.
    Surface {
        /// `v_name=`, where it is written.
        v_name: Option<Spanned<Name>>,
    },
}

/// `alias=<BASE, OFFSET>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// The variable whose bytes are viewed.
    pub base: Spanned<Name>,
    /// Byte offset in it.
    pub offset: Spanned<u64>,
}

/// Alignment keywords. `GRF` depends on the platform, so it stays a word here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// `byte word dword qword oword hword`, `wordx32 wordx64`, or a number: that many bytes.
    Bytes(u32),
    /// `GRF`.
    Grf,
    /// `GRFx2`, `2GRF`.
    GrfX2,
}

/// `.input NAME [offset=…] [size=…]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// `input`, `parameter`, `implicit_LOCAL_SIZE` …: the directive without its dot.
    pub directive: Name,
    /// The variable that receives the bytes.
    pub name: Spanned<Name>,
    /// Byte offset in the payload.
    pub offset: Option<Spanned<u64>>,
    /// Size in bytes.
    pub size: Option<Spanned<u64>>,
}

/// An instruction; `Var` is how it names variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction<Var = Name> {
    /// The mnemonic and where it is.
    pub opcode: Spanned<Opcode>,
    /// The predicate in front.
    pub predicate: Option<Spanned<Predicate<Var>>>,
    /// Suffixes in text order.
    pub suffixes: Vec<Spanned<Suffix>>,
    /// The execution part. For the counted forms (`oword_ld (8)`) its size is the count.
    pub exec: Option<Spanned<Exec>>,
    /// Operands, one for each slot of the row in order; absent optional ones are filled in
    /// ([`Operand::Number`] 0 for a plane). [`crate::isa::Slot::Params`] adds as many as were written,
    /// [`crate::isa::Slot::SamplerAndSurface`] two: sampler, then surface.
    pub operands: Vec<Spanned<Operand<Var>>>,
    /// The paired surface that the 3D sampler messages of text from version 4.2 on name after the
    /// destination; `%null.0` says that there is none.
    pub paired: Option<Spanned<Raw<Var>>>,
}

/// `(!P1.any)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate<Var = Name> {
    /// The predicate variable.
    pub var: Var,
    /// Written with `!`.
    pub inverted: bool,
    /// `.any`, `.all`.
    pub group: Option<PredicateGroup>,
}

/// How a predicate's lanes are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateGroup {
    /// True for every lane if any bit is set.
    Any,
    /// True for every lane if all bits are set.
    All,
}

/// A suffix with its value.
#[derive(Clone, Debug, PartialEq)]
pub enum Suffix {
    /// `.sat`.
    Saturate,
    /// `.eq` ….
    Condition(Condition),
    /// `.nomod` ….
    MediaMode(MediaMode),
    /// `.RGBA` ….
    Channels(ChannelMask),
    /// `.pixel_null_mask`.
    PixelNullMask,
    /// `.cps`.
    Cps,
    /// `.divS`.
    DivS,
    /// `.add` … of the atomics.
    AtomicOp(AtomicOp),
    /// `.16` or `.64`.
    Bits(u8),
    /// `.1 .2 .4`: bytes of an element.
    ElementBytes(u32),
    /// `.B.C`: bytes of a block, blocks for each lane.
    Blocks {
        /// Bytes of a block.
        bytes: u32,
        /// Blocks of each lane.
        count: u32,
    },
    /// `.xHH`.
    BooleanFunction(u8),
    /// `.EISCRL1`: bit 0 E, 1 I, 2 S, 3 C, 4 R, 5 L1.
    FenceFlags(u8),
    /// `.16-full` ….
    UnormFormat(UnormFormat),
    /// `.A.B.d.r` of `dpas`.
    Systolic {
        /// Precision of the second operand.
        a: Name,
        /// Precision of the third operand.
        b: Name,
        /// Systolic depth.
        depth: u32,
        /// Repeat count.
        rows: u32,
    },
    /// Plain numbers of `raw_sends`.
    SendSizes(Vec<u32>),
    /// `.aligned`, `.unaligned`.
    Aligned(bool),
    /// `.mod`.
    Mod,
    /// `.ugm` ….
    LscFunction(LscFunction),
    /// `.ca.ca`, one word for each cache level.
    LscCache(Vec<Name>),
    /// `.none.group`.
    LscFence {
        /// What is flushed.
        op: Name,
        /// How far.
        scope: Name,
    },
    /// `.<A,RTI>`: the words between the brackets.
    TargetFlags(Vec<Name>),
    /// `.uniform`, `.noreturn`.
    CallFlags(Vec<Name>),
    /// `.ov`, `.msaa` of an LSC message.
    LscFlags(Vec<Name>),
    /// One word of a closed set that only its slot knows: `.b32` of `lfsr`, `.ugm` of `raw_sendg`.
    Word(Name),
    /// `.hftoint4.mode0.rne` of `dnscl`: what becomes what, which half is kept, how it is rounded.
    Downscale {
        /// What becomes what.
        conversion: Name,
        /// Which half is kept.
        mode: Name,
        /// How it is rounded.
        rounding: Name,
    },
}

/// Shared function of an LSC message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LscFunction {
    /// Global.
    Ugm,
    /// Global, L3 only.
    Ugml,
    /// Shared local memory.
    Slm,
    /// Typed.
    Tgm,
}

/// An operand; `Var` is how it names variables.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<Var = Name> {
    /// General operand, source or destination by its region.
    General(General<Var>),
    /// Indirect operand, source or destination by its region.
    Indirect(Indirect<Var>),
    /// Immediate.
    Immediate(Immediate),
    /// `&V`, `&V[off]`; `&T6`.
    AddressOf {
        /// The variable.
        var: Spanned<Var>,
        /// What is added to its address, in bytes.
        offset: i64,
    },
    /// `A0(k)<w>`.
    Address {
        /// The variable.
        var: Spanned<Var>,
        /// Which element.
        element: u32,
        /// Elements from lane to lane.
        stride: u32,
    },
    /// A bare predicate.
    Predicate(Spanned<Var>),
    /// `V.off`.
    Raw(Raw<Var>),
    /// `T6(0)`, `S0(0)`.
    State {
        /// The variable.
        var: Spanned<Var>,
        /// Which element.
        element: u32,
    },
    /// A bare surface name.
    Surface(Spanned<Var>),
    /// A bare sampler name.
    Sampler(Spanned<Var>),
    /// `(Var, index)` or `Var(r,c)<0;1,0>[index]`: a sampler or surface of newer text, by a base address
    /// and an index from it.
    StatePair {
        /// The variable with the base address.
        base: Spanned<Var>,
        /// Row and column of the element that holds it; `None` in the form with parentheses.
        element: Option<(u32, u32)>,
        /// Which state from the base address on.
        index: u32,
    },
    /// A label or function name.
    Label(Name),
    /// `(L0, L1)`.
    Labels(Vec<Spanned<Name>>),
    /// A plain number.
    Number(u64),
    /// `(16,4)`: width in bytes, height in rows, not reduced.
    Block {
        /// In bytes.
        width: u64,
        /// In rows.
        height: u64,
    },
    /// Output control of AVS.
    AvsControl(AvsControl),
    /// Block shape of AVS.
    AvsMode(AvsMode),
    /// Quoted text.
    Text(String),
    /// A bare variable (`lifetime`).
    Variable(Spanned<Var>),
    /// `V(r,c)` without a region.
    Origin {
        /// The variable.
        var: Spanned<Var>,
        /// Register row.
        row: u32,
        /// Element in the row.
        column: u32,
    },
    /// `V:d32x2t`.
    LscData(LscData<Var>),
    /// `flat[V+0x10]:a64`.
    LscAddress(Box<LscAddress<Var>>),
    /// `(a, b)`.
    Pair(u64, u64),
    /// `(s, s, s)`.
    Triple(Box<[Spanned<Operand<Var>>; 3]>),
    /// `V.off/bytes`: a payload of `raw_sendg` with its length.
    Payload(Raw<Var>, u32),
}

/// `V(r,c)<…>`.
#[derive(Clone, Debug, PartialEq)]
pub struct General<Var = Name> {
    /// Source modifier.
    pub modifier: Option<Modifier>,
    /// The variable.
    pub var: Spanned<Var>,
    /// Register row.
    pub row: u32,
    /// Element in the row; may exceed the row.
    pub column: u32,
    /// How lanes walk.
    pub region: Spanned<Region>,
}

/// How the lanes of an operand walk through its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// `<h>` of a destination.
    Destination {
        /// Elements from lane to lane.
        stride: u32,
    },
    /// `<v;w,h>` of a source.
    Source {
        /// Elements from row to row.
        vertical: u32,
        /// Lanes of a row.
        width: u32,
        /// Elements from lane to lane in a row.
        horizontal: u32,
    },
    /// `<w,h>` of an indirect source with one address for each row.
    MultiAddress {
        /// Lanes of a row.
        width: u32,
        /// Elements from lane to lane in a row.
        horizontal: u32,
    },
}

/// `r[A0(k),off]<…>:t`.
#[derive(Clone, Debug, PartialEq)]
pub struct Indirect<Var = Name> {
    /// Source modifier.
    pub modifier: Option<Modifier>,
    /// The address variable.
    pub address: Spanned<Var>,
    /// Its element.
    pub element: u32,
    /// Signed byte offset.
    pub offset: i32,
    /// How lanes walk.
    pub region: Spanned<Region>,
    /// Element type.
    pub ty: Type,
}

/// `value:type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Immediate {
    /// The stored bits as Intel's reader keeps them: *not* masked to the type (`-1:w` is
    /// 0xffffffff). [`Immediate::value_bits`] masks.
    pub bits: u64,
    /// The type.
    pub ty: Type,
}

impl Immediate {
    /// The bits truncated to the type's width; vector immediates keep all 32.
    pub const fn value_bits(self) -> u64 {
        match self.ty {
            Type::V | Type::Uv | Type::Vf => self.bits & 0xffff_ffff,
            ty => match ty.bytes() {
                8 => self.bits,
                n => self.bits & ((1 << (8 * n)) - 1),
            },
        }
    }
}

/// `V.off`.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw<Var = Name> {
    /// The variable; `%null` means absent.
    pub var: Spanned<Var>,
    /// Byte offset.
    pub offset: u32,
}

/// Data operand of an LSC message: `V[.off]:d32x2t`, `V:d32.xy`, or of a 2D block `V:d32.2x8x8nn`.
#[derive(Clone, Debug, PartialEq)]
pub struct LscData<Var = Name> {
    /// The registers; `%null` alone is absent.
    pub raw: Raw<Var>,
    /// `d32`, `d8c32` … as written; empty in a typed 2D block, which has none.
    pub element: Name,
    /// `xN`, 1 when not written.
    pub vector: u32,
    /// `t`.
    pub transposed: bool,
    /// `.xyzw` of the quad forms.
    pub channels: Option<ChannelMask>,
    /// Blocks, width, height, and whether transposed and VNNI-transformed, of the 2D block forms.
    pub block: Option<LscBlock>,
}

/// Shape of an LSC 2D block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LscBlock {
    /// Number of blocks side by side.
    pub blocks: u32,
    /// Width in elements.
    pub width: u32,
    /// Height in rows.
    pub height: u32,
    /// `t` in the first letter.
    pub transposed: bool,
    /// `t` in the second letter.
    pub vnni: bool,
}

/// Address operand of an LSC message.
#[derive(Clone, Debug, PartialEq)]
pub struct LscAddress<Var = Name> {
    /// `flat`, `bti(…)` …
    pub model: LscModel<Var>,
    /// `index` of `bti(x,index)`, 0 when not written.
    pub index: u32,
    /// Scale in front of the address, 1 when not written.
    pub scale: u32,
    /// One part; several for typed, strided and 2D block addresses. Empty without brackets.
    pub parts: Vec<LscPart<Var>>,
    /// `(x,y)` after a 2D block whose surface and position lie in one register.
    pub block_offset: Option<(i32, i32)>,
    /// 16, 32 or 64; 0 when not written (2D block, and what has no address of its own).
    pub bits: u32,
    /// How a 32-bit address becomes one of 64 bits before it is scaled: `a32s`, `a32u`.
    pub extend: Option<Extension>,
}

/// One part of an LSC address with the constant after it.
#[derive(Clone, Debug, PartialEq)]
pub struct LscPart<Var = Name> {
    /// [`Operand::Raw`] one address for each lane, or the first element of a variable named alone;
    /// [`Operand::Origin`] the element `V(r,c)`; [`Operand::Number`] a constant.
    pub operand: Spanned<Operand<Var>>,
    /// What is added, 0 when not written.
    pub offset: i64,
}

/// Address model of an LSC message. Its operand is an element of a variable or a constant, as in
/// [`LscPart`].
#[derive(Clone, Debug, PartialEq)]
pub enum LscModel<Var = Name> {
    /// `flat`.
    Flat,
    /// `flat(base)`, of newer text.
    FlatBase(Spanned<Operand<Var>>),
    /// `bti(…)`.
    Bti(Spanned<Operand<Var>>),
    /// `ss(…)`.
    Ss(Spanned<Operand<Var>>),
    /// `bss(…)`.
    Bss(Spanned<Operand<Var>>),
    /// `surf(…)`.
    Surf(Spanned<Operand<Var>>),
    /// `arg`.
    Arg,
}

impl<Var> LscAddress<Var> {
    /// The constant after the first part, in bytes; what an address of one part has.
    pub fn offset(&self) -> i64 {
        self.parts.first().map_or(0, |part| part.offset)
    }
}

impl<Var> LscModel<Var> {
    /// What is in the parentheses.
    pub const fn operand(&self) -> Option<&Spanned<Operand<Var>>> {
        match self {
            LscModel::Flat | LscModel::Arg => None,
            LscModel::FlatBase(o)
            | LscModel::Bti(o)
            | LscModel::Ss(o)
            | LscModel::Bss(o)
            | LscModel::Surf(o) => Some(o),
        }
    }
}

impl<Var> Instruction<Var> {
    /// The channel suffix.
    pub fn channels(&self) -> Option<ChannelMask> {
        self.suffix(|s| match s {
            Suffix::Channels(c) => Some(*c),
            _ => None,
        })
    }

    /// The first suffix that `pick` accepts.
    pub fn suffix<T>(&self, pick: impl Fn(&Suffix) -> Option<T>) -> Option<T> {
        self.suffixes.iter().find_map(|s| pick(&s.node))
    }

    /// Whether the suffix is there.
    pub fn has(&self, suffix: &Suffix) -> bool {
        self.suffixes.iter().any(|s| s.node == *suffix)
    }

    /// From the mnemonic to the last operand.
    pub fn span(&self) -> Span {
        let start = self.predicate.as_ref().map_or(self.opcode.span, |p| p.span);
        self.operands
            .iter()
            .fold(start.to(self.opcode.span), |all, o| all.to(o.span))
    }
}
