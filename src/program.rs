//! What runs: ops whose operands are byte offsets into one arena per hardware thread.
//!
//! Everything a thread can touch by name lies in the arena, so that reading an operand is adding
//! numbers that lowering has already added:
//!
//! ```text
//! 0          built-ins: %r0 is register 0, %thread_x and the group ids are views of it
//! ...        variables whose address is taken, low so that 16-bit addresses reach them
//! ...        all other general variables          <- general_bytes: indirect operands end here
//! ...        address elements (2 bytes), predicates (4 bytes), surface and sampler indices (4 bytes)
//! ...        constants: immediates, already spread over lanes; a zero that outside reads see
//! ...        the sink that outside writes and %null fall into
//! ```
//!
//! A [`Region`] tells how lanes walk; dense and scalar ones have their own variants because fast
//! loops want them. Not here: what an op computes ([`crate::exec`]) and how text becomes ops
//! ([`crate::lower`]).

mod in_flight;
mod memo;
mod names;
mod operand;
mod send;

pub use in_flight::registers;
pub use memo::Memo;
pub use names::Text;
pub use operand::{Dest, Group, Guard, Indirect, Lanes, Raw, Region, Source};
pub use send::{ExtendedWord, MOST_PARAMS, Operands, Params, RawMessage, Registers, Send};

use crate::isa::{Condition, Opcode, Platform, Type};
use crate::source::Span;
use indexmap::IndexMap;
use std::ops::Range;

/// A kernel, ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// The platform it was checked for.
    pub platform: Platform,
    /// The text it was written in.
    pub text: Text,
    /// The instructions of the kernel, then those of the functions it may call.
    pub ops: Vec<Op>,
    /// Where each op is in the text; parallel to `ops`.
    pub sites: Vec<Site>,
    /// Variables of the kernel by name in declaration order, built-ins first under their `%` names.
    pub symbols: IndexMap<String, Symbol>,
    /// The arena at thread start: constants and initial indices in place, everything else zero.
    pub image: Vec<u8>,
    /// Bytes that indirect operands can reach.
    pub general_bytes: u32,
    /// Payload bytes that start variables.
    pub inputs: Vec<Input>,
    /// How many execution-mask bits start as 1.
    pub simd_size: u32,
    /// Bytes of shared local memory the text asks for.
    pub slm_bytes: u32,
    /// Functions of the file; [`Op::CallFunction`] names them by index.
    pub functions: Vec<Function>,
    /// Where outside writes and those to `%null` fall.
    pub sink: u32,
    /// The zero that outside reads and those of `%null` see.
    pub zero: u32,
    /// What the bytes of the arena are: one entry for each variable that owns bytes, by offset.
    pub owners: Vec<Owner>,
    /// Surface index variables (arena offset, name) for messages about unbound surfaces.
    pub surface_names: Vec<(u32, String)>,
    /// Sampler index variables (arena offset, name).
    pub sampler_names: Vec<(u32, String)>,
    /// What its first run has found out; it is not changed after that.
    pub memo: Memo,
}

/// Where an op is in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The whole instruction.
    pub span: Span,
    /// The instruction.
    pub opcode: Opcode,
}

/// A function body inside [`Program::ops`].
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// First op.
    pub entry: u32,
    /// Its own variables in the arena; saved when it is entered, restored when it returns, so that
    /// recursion works.
    pub frame: Vec<std::ops::Range<u32>>,
}

/// A variable that owns bytes of the arena; aliases own none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub range: std::ops::Range<u32>,
    /// Storage class.
    pub class: SymbolClass,
    /// The declaration; empty for built-ins.
    pub declared: Span,
    /// Built in, not declared.
    pub predefined: bool,
    /// The function it belongs to, an index into [`Program::functions`]; `None`: the kernel.
    pub function: Option<u32>,
}

/// A variable by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Storage class.
    pub class: SymbolClass,
    /// Arena offset of element 0.
    pub offset: u32,
    /// Number of elements (bits for a predicate).
    pub elements: u32,
}

/// Storage class of a [`Symbol`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolClass {
    /// General, elements of this type.
    General(Type),
    /// 16-bit addresses.
    Address,
    /// Bits of one dword.
    Predicate,
    /// Binding table indices, a dword each.
    Surface,
    /// Sampler indices, a dword each.
    Sampler,
}

impl SymbolClass {
    /// The type as which its bytes are shown, where none is asked for.
    pub fn default_type(self) -> Type {
        match self {
            SymbolClass::General(ty) => ty,
            SymbolClass::Address => Type::Uw,
            SymbolClass::Predicate | SymbolClass::Surface | SymbolClass::Sampler => Type::Ud,
        }
    }
}

impl Symbol {
    /// Bytes it takes in the arena.
    pub fn bytes(&self) -> u32 {
        match self.class {
            SymbolClass::General(ty) => ty.bytes() * self.elements,
            SymbolClass::Address => 2 * self.elements,
            SymbolClass::Predicate => 4,
            SymbolClass::Surface | SymbolClass::Sampler => 4 * self.elements,
        }
    }

    /// Its bytes as a range of the arena.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.offset as usize..(self.offset + self.bytes()) as usize
    }
}

/// Payload bytes that start a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The variable.
    pub name: String,
    /// Where it lies in the arena.
    pub arena: u32,
    /// Where its bytes lie in the payload; byte 0 is byte 0 of `%r0`.
    pub payload: u32,
    /// Bytes.
    pub size: u32,
}

/// An instruction that computes each destination element from source elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Alu {
    /// What is computed.
    pub opcode: Opcode,
    /// Which lanes.
    pub lanes: Lanes,
    /// The predicate; selects on `sel`, masks elsewhere.
    pub guard: Option<Guard>,
    /// Where results go.
    pub dst: Dest,
    /// A second destination: carry, borrow, or the high halves of `madw`.
    pub dst2: Option<Dest>,
    /// The predicate that receives the overflow of each active lane, by its arena offset: `add3.o`.
    pub overflow: Option<u32>,
    /// Where values come from, in text order.
    pub src: Vec<Source>,
    /// `.sat`.
    pub saturate: bool,
    /// The boolean function of `bfn`.
    pub function: u8,
    /// What the dwords of B and of A hold, of `dpas`.
    pub precisions: Option<[Precision; 2]>,
}

impl Alu {
    /// The predicate of lanes that write nothing where it is false: that of `sel` chooses, and masks none.
    pub fn mask_guard(&self) -> Option<Guard> {
        self.guard.filter(|_| self.opcode != Opcode::Sel)
    }
}

/// What a dword of a matrix of `dpas` holds. Source: vISA text reference 5.2; vISA DPAS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Eight unsigned values of 4 bits.
    U4,
    /// Eight signed values of 4 bits.
    S4,
    /// Four unsigned bytes.
    U8,
    /// Four signed bytes.
    S8,
    /// Two bfloats.
    Bf,
    /// Two halves.
    Hf,
    /// A float of 19 bits.
    Tf32,
}

impl Precision {
    /// Reads a word of the suffix; `None` for values of 2 bits, whose places in a dword the documents leave open.
    pub fn from_name(name: &str) -> Option<Precision> {
        use Precision::*;
        let all = [
            ("u4", U4),
            ("s4", S4),
            ("u8", U8),
            ("s8", S8),
            ("bf", Bf),
            ("hf", Hf),
            ("tf32", Tf32),
        ];
        all.iter().find(|(n, _)| *n == name).map(|(_, p)| *p)
    }

    /// Values of a dword.
    pub const fn parts(self) -> u32 {
        match self {
            Precision::U4 | Precision::S4 => 8,
            Precision::U8 | Precision::S8 => 4,
            Precision::Bf | Precision::Hf => 2,
            Precision::Tf32 => 1,
        }
    }

    /// A float.
    pub const fn is_float(self) -> bool {
        matches!(self, Precision::Bf | Precision::Hf | Precision::Tf32)
    }

    /// A signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Precision::S4 | Precision::S8)
    }
}

/// Where `cmp` writes.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareDest {
    /// Bits of the predicate at this arena offset.
    Predicate(u32),
    /// All ones or zeros.
    General(Dest),
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Arithmetic, logic, moves, selection, math.
    Alu(Box<Alu>),
    /// `cmp`.
    Compare {
        /// The relation that is tested.
        relation: Condition,
        /// Which lanes.
        lanes: Lanes,
        /// Where it is written.
        dst: CompareDest,
        /// What is read, in text order.
        src: Box<[Source; 2]>,
    },
    /// `setp`.
    SetPredicate {
        /// Which lanes.
        lanes: Lanes,
        /// Where it is written.
        dst: u32,
        /// What is read, in text order.
        src: Source,
        /// Bits of one value, regardless of masks.
        scalar: bool,
    },
    /// `and or xor not` of predicates; `not` has its source twice.
    PredicateLogic {
        /// What is computed.
        opcode: Opcode,
        /// Which lanes.
        lanes: Lanes,
        /// Where it is written.
        dst: u32,
        /// What is read, in text order.
        src: [u32; 2],
    },
    /// Branches; targets are op indices.
    Goto {
        /// Which lanes.
        lanes: Lanes,
        /// The predicate.
        guard: Option<Guard>,
        /// The op it goes to.
        target: u32,
    },
    /// `jmp`: all lanes together.
    Jump {
        /// Which lanes.
        lanes: Lanes,
        /// The predicate.
        guard: Option<Guard>,
        /// The op it goes to.
        target: u32,
    },
    /// `switchjmp`.
    Switch {
        /// Which lanes.
        lanes: Lanes,
        /// Which target, from 0.
        index: Source,
        /// The ops it may go to.
        targets: Box<[u32]>,
    },
    /// `call`.
    Call {
        /// Which lanes.
        lanes: Lanes,
        /// The predicate.
        guard: Option<Guard>,
        /// The op it goes to.
        target: u32,
    },
    /// `fcall` to [`Program::functions`].
    CallFunction {
        /// Which lanes.
        lanes: Lanes,
        /// The predicate.
        guard: Option<Guard>,
        /// An index into [`Program::functions`].
        function: u32,
    },
    /// `ifcall` through an address that `faddr` gave.
    CallIndirect {
        /// Which lanes.
        lanes: Lanes,
        /// The predicate.
        guard: Option<Guard>,
        /// What `faddr` gave.
        address: Source,
    },
    /// `ret`, `fret`, and the end that every body has.
    Return {
        /// Which lanes.
        lanes: Lanes,
        /// The predicate.
        guard: Option<Guard>,
    },
    /// A message.
    Send(Box<Send>),
    /// `raw_send`, `raw_sends`.
    RawSend(Box<RawMessage>),
    /// `barrier`, or the two halves of a split or named one.
    Barrier(Barrier),
    /// Brings `%ce0` and `%tsc` up to date for the op after it. Not an instruction of its own:
    /// neither counted nor observed.
    ReadState,
    /// Reads the float mode from `%cr0` after the op in front of it; not counted either.
    LoadControl,
    /// Fences, hints, debug lines: no effect on results.
    Nothing,
    /// `lifetime.start`, `lifetime.end`: nothing is promised of these arena bytes from here on. They stay.
    Lifetime(Range<u32>),
    /// Legal, but not modelled: a diagnostic when it is reached.
    Unsupported,
    /// A message that takes registers of `%null`: a diagnostic when it is reached.
    TakesNull,
}

/// Which part of a barrier.
#[derive(Clone, Debug, PartialEq)]
pub enum Barrier {
    /// Arrive and wait.
    Whole,
    /// Arrive.
    Signal,
    /// Wait.
    Wait,
    /// Arrive at a named barrier.
    NamedSignal(Box<NamedSignal>),
    /// Wait at the named barrier of this number.
    NamedWait(Box<Source>),
}

/// `nbarrier.signal`. Source: vISA text reference 5.13.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSignal {
    /// Number of the barrier.
    pub id: Source,
    /// What the thread comes as; `None`: it produces and consumes.
    pub role: Option<Source>,
    /// Threads that take part: producers, consumers.
    pub threads: [Source; 2],
}
