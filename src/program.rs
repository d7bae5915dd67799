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
mod names;

pub use in_flight::registers;
pub use names::Text;

use crate::isa::{
    AtomicOp, AvsControl, AvsMode, ChannelMask, Condition, Modifier, Opcode, Platform, Type,
    UnormFormat,
};
use crate::message::request::{FieldSelect, SamplerRequest};
use crate::source::Span;
use indexmap::IndexMap;

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
    /// Where each op stands in the text; parallel to `ops`.
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
}

/// Where an op stands in the text.
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
    /// The declaration; empty for built-ins and for the code of libraries.
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

/// Which lanes an op runs on. Source: vISA text reference 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Lanes of the instruction, 1..=32.
    pub count: u8,
    /// Execution-mask and predicate bit of lane 0.
    pub offset: u8,
    /// The execution mask is ignored.
    pub no_mask: bool,
}

impl Lanes {
    /// One bit for each lane of the instruction, starting at bit 0.
    pub const fn all(self) -> u32 {
        if self.count >= 32 {
            u32::MAX
        } else {
            (1 << self.count) - 1
        }
    }
}

/// The predicate in front of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Arena offset of the predicate's dword.
    pub offset: u32,
    /// Declared bits.
    pub bits: u8,
    /// Written with `!`.
    pub inverted: bool,
    /// How bits are combined.
    pub group: Group,
}

impl Guard {
    /// The bits of the variable.
    pub const fn declared(self) -> u32 {
        match self.bits {
            1..32 => (1 << self.bits) - 1,
            0 => 1,
            _ => u32::MAX,
        }
    }

    /// What the predicate says for each lane of an instruction when its dword is `bits`.
    ///
    /// `any` and `all` look at every declared bit: launch reference 10, point 1, which kernels
    /// confirm; the text reference 4.2 says bits o … o+N−1. Both agree when the sizes do.
    #[inline]
    pub const fn lanes(self, lanes: Lanes, bits: u32) -> u32 {
        let (all, declared) = (lanes.all(), self.declared());
        let mask = match self.group {
            Group::Each => bits >> lanes.offset & all,
            Group::Any if bits & declared != 0 => all,
            Group::All if bits & declared == declared => all,
            Group::Any | Group::All => 0,
        };
        if self.inverted { !mask & all } else { mask }
    }
}

/// How the lanes of a predicate are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Each lane its own bit.
    Each,
    /// Any bit of the variable.
    Any,
    /// All bits of the variable.
    All,
}

/// How the lanes of an operand find their bytes in the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// Every lane reads the same element.
    Scalar(u32),
    /// Lane *i* at `offset + i * size`.
    Dense(u32),
    /// Lane *i* at `offset + i * stride`; `stride` in bytes.
    Strided { offset: u32, stride: u32 },
    /// Lane *i* at the *i*-th offset; lanes outside the variable point at the zero or the sink.
    List(Box<[u32]>),
    /// Through address elements.
    Indirect(Box<Indirect>),
}

/// An operand reached through address elements. Source: vISA text reference 4.6.
///
/// ```text
/// lane i at  A[lane_address[i]] + displacement[i]      both bytes; outside general_bytes: zero, or nowhere
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indirect {
    /// Arena offset of the address element each lane uses.
    pub address: Box<[u32]>,
    /// What is added to it: the operand's offset and the lane's place in the region.
    pub displacement: Box<[i32]>,
}

/// Where values come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// How lanes find their element.
    pub region: Region,
    /// The element type; never a vector immediate, which are spread into constants.
    pub ty: Type,
    /// Source modifier.
    pub modifier: Option<Modifier>,
}

/// Where values go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dest {
    /// How lanes find their element; never [`Region::Scalar`].
    pub region: Region,
    /// The element type.
    pub ty: Type,
}

/// A run of registers that a message reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// First byte in the arena.
    pub offset: u32,
    /// One past the last byte of the root variable: reads behind it give zero, writes vanish.
    pub end: u32,
    /// Element type of the variable.
    pub ty: Type,
}

impl Raw {
    /// The same registers from `bytes` further on.
    pub const fn skip(self, bytes: u32) -> Raw {
        Raw {
            offset: self.offset.saturating_add(bytes),
            ..self
        }
    }
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
        relation: Condition,
        lanes: Lanes,
        dst: CompareDest,
        src: Box<[Source; 2]>,
    },
    /// `setp`. `scalar`: bits of one value, regardless of masks.
    SetPredicate {
        lanes: Lanes,
        dst: u32,
        src: Source,
        scalar: bool,
    },
    /// `and or xor not` of predicates; `not` has its source twice.
    PredicateLogic {
        opcode: Opcode,
        lanes: Lanes,
        dst: u32,
        src: [u32; 2],
    },
    /// Branches; targets are op indices.
    Goto {
        lanes: Lanes,
        guard: Option<Guard>,
        target: u32,
    },
    /// `jmp`: all lanes together.
    Jump {
        lanes: Lanes,
        guard: Option<Guard>,
        target: u32,
    },
    /// `switchjmp`.
    Switch {
        lanes: Lanes,
        index: Source,
        targets: Box<[u32]>,
    },
    /// `call`.
    Call {
        lanes: Lanes,
        guard: Option<Guard>,
        target: u32,
    },
    /// `fcall` to [`Program::functions`].
    CallFunction {
        lanes: Lanes,
        guard: Option<Guard>,
        function: u32,
    },
    /// `ifcall` through an address that `faddr` gave.
    CallIndirect {
        lanes: Lanes,
        guard: Option<Guard>,
        address: Source,
    },
    /// `ret`, `fret`, and the end that every body has.
    Return { lanes: Lanes, guard: Option<Guard> },
    /// A message.
    Send(Box<Send>),
    /// `barrier`, or the two halves of a split or named one.
    Barrier(Barrier),
    /// Brings `%ce0` and `%tsc` up to date for the op behind it. Not an instruction of its own:
    /// neither counted nor observed.
    ReadState,
    /// Reads the float mode from `%cr0` after the op in front of it; not counted either.
    LoadControl,
    /// Fences, hints, debug lines: no effect on results.
    Nothing,
    /// Legal, but not modelled: a diagnostic when it is reached.
    Unsupported,
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
}

/// A message: its request template and the registers it reads and writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// Which lanes; block messages ignore them.
    pub lanes: Lanes,
    /// The predicate.
    pub guard: Option<Guard>,
    /// Arena offset of the surface index; `None` where there is no surface.
    pub surface: Option<u32>,
    /// Arena offset of the sampler index.
    pub sampler: Option<u32>,
    /// What is asked.
    pub body: SendBody,
}

/// A message as its descriptors tell it. Source: vISA text reference 5.12.
#[derive(Clone, Debug, PartialEq)]
pub struct RawMessage {
    /// The receiver, where the text names it beside the extended descriptor.
    pub function: Option<u32>,
    /// Extended descriptor.
    pub ex_desc: ExtendedWord,
    /// Descriptor.
    pub desc: Source,
    /// Registers of the first and second payload and of the response, as the text says.
    pub lengths: [u32; 3],
    /// First and second payload.
    pub payload: [Option<Raw>; 2],
    /// Response.
    pub dst: Option<Raw>,
    /// The thread ends with it.
    pub eot: bool,
    /// General registers that operands waited for since the message before, a bit for each; none where the
    /// check has seen all lengths.
    pub waited: Option<u128>,
}

/// Where an extended descriptor stands.
#[derive(Clone, Debug, PartialEq)]
pub enum ExtendedWord {
    /// In the text.
    Known(u32),
    /// In an operand.
    Operand(Source),
}

/// What a [`Send`] asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum SendBody {
    /// `media_ld`, `media_st`.
    Media {
        /// `media_st`.
        write: bool,
        /// Lines touched.
        field: FieldSelect,
        /// Added to the surface index.
        plane: u32,
        /// Bytes.
        width: u32,
        /// Rows.
        height: u32,
        /// Left edge in bytes.
        x: Source,
        /// Top edge in rows.
        y: Source,
        /// The block.
        data: Raw,
    },
    /// The 3D sampler family.
    Sampler {
        /// Surface, sampler and offsets are filled in when it runs.
        template: SamplerRequest,
        /// Texel offsets: bits 3–0 R, 7–4 V, 11–8 U; INFO messages have none.
        offsets: Option<Source>,
        /// Parameters, one element for each lane; `None` for `%null`.
        params: Vec<Option<Raw>>,
        /// Result; `None` for `%null`.
        dst: Option<Raw>,
    },
    /// `avs`.
    Avs {
        /// Channels returned.
        channels: ChannelMask,
        /// Element size and chroma decimation.
        control: AvsControl,
        /// Block shape.
        mode: AvsMode,
        /// `u v deltaU deltaV u2d v2d`.
        coordinates: Box<[Source; 6]>,
        /// Reorder hint.
        group_id: Source,
        /// Row offset in units of four rows.
        vertical_block: Source,
        /// Bit 0 clear: the filter is bypassed (AVS reference D1).
        ief_bypass: Source,
        /// Result.
        dst: Raw,
    },
    /// `sample_unorm`.
    Unorm {
        /// Channels returned.
        channels: ChannelMask,
        /// Element format.
        format: UnormFormat,
        /// `u v deltaU deltaV`.
        coordinates: Box<[Source; 4]>,
        /// Result.
        dst: Raw,
    },
    /// `oword_ld`, `oword_ld_unaligned`, `oword_st`.
    Oword {
        write: bool,
        count: u32,
        unaligned: bool,
        offset: Source,
        data: Raw,
    },
    /// `gather scatter`, their scaled forms and those of qwords: one element, or up to four dwords.
    Scatter {
        /// Memory is written.
        write: bool,
        /// Bytes of an element: 1, 2 or 4; 8 with one channel, the first.
        bytes: u32,
        /// Enabled dwords; only bit 0 except for the `4` forms.
        channels: ChannelMask,
        /// What one unit of the per-lane offset is, in bytes.
        scale: u32,
        /// Added to every lane's offset, in the same unit.
        base: Source,
        /// Per-lane offsets.
        offsets: Raw,
        /// Data.
        data: Raw,
    },
    /// `gather4_typed`, `scatter4_typed`.
    Typed {
        write: bool,
        channels: ChannelMask,
        coordinates: [Option<Raw>; 4],
        data: Raw,
    },
    /// `dword_atomic`: `bits` 16 or 32.
    Atomic {
        op: AtomicOp,
        bits: u8,
        offsets: Raw,
        src: [Option<Raw>; 2],
        dst: Option<Raw>,
    },
    /// `typed_atomic`.
    TypedAtomic {
        op: AtomicOp,
        bits: u8,
        coordinates: [Option<Raw>; 4],
        src: [Option<Raw>; 2],
        dst: Option<Raw>,
    },
    /// `svm_block_ld`, `svm_block_st`.
    SvmBlock {
        write: bool,
        count: u32,
        address: Source,
        data: Raw,
    },
    /// `svm_gather`, `svm_scatter`: `count` blocks of `bytes` for each lane.
    SvmScatter {
        write: bool,
        bytes: u32,
        count: u32,
        addresses: Raw,
        data: Raw,
    },
    /// `svm_gather4scaled`, `svm_scatter4scaled`.
    SvmScatter4 {
        write: bool,
        channels: ChannelMask,
        base: Source,
        offsets: Raw,
        data: Raw,
    },
    /// The LSC messages for bytes.
    Lsc(Box<Lsc>),
    /// `rt_write_3d`.
    Target {
        /// The register with the pixels' places.
        header: Option<Raw>,
        /// R, G, B, A.
        colours: [Option<Raw>; 4],
        /// The last target.
        last: bool,
        /// Nothing is written.
        null: bool,
        /// What the flags ask for that is not modelled.
        unmodelled: Option<&'static str>,
    },
    /// `raw_send`, `raw_sends`: what is asked is known when it runs.
    Raw(Box<RawMessage>),
    /// `svm_atomic`: `bits` 16, 32 or 64.
    SvmAtomic {
        op: AtomicOp,
        bits: u8,
        addresses: Raw,
        src: [Option<Raw>; 2],
        dst: Option<Raw>,
    },
}

/// An LSC message for bytes. Source: vISA text reference 5.11.
#[derive(Clone, Debug, PartialEq)]
pub struct Lsc {
    /// Which memory.
    pub place: LscPlace,
    /// What is done.
    pub action: LscAction,
    /// Bytes of an element in memory.
    pub memory_bytes: u32,
    /// Bytes of an element in registers.
    pub register_bytes: u32,
    /// The value stands in the upper half of its dword.
    pub high: bool,
    /// Components that follow each other in memory.
    pub vector: u32,
    /// One lane, whose components are consecutive elements of the registers.
    pub transposed: bool,
    /// Components of a quad by bit; 0 for the other forms.
    pub channels: ChannelMask,
    /// Addresses, one for each lane; the common base of the strided forms.
    pub addresses: Raw,
    /// 16, 32 or 64.
    pub address_bits: u32,
    /// Bytes from lane to lane, of the strided forms.
    pub stride: Option<Raw>,
    /// What addresses are multiplied with.
    pub scale: u32,
    /// What is added.
    pub offset: i64,
    /// Loaded or stored values; the old ones of atomics.
    pub data: Option<Raw>,
    /// Operands of atomics.
    pub src: [Option<Raw>; 2],
}

/// Which memory an LSC message means.
#[derive(Clone, Debug, PartialEq)]
pub enum LscPlace {
    /// 64-bit addresses.
    Flat,
    /// Shared local memory.
    Shared,
    /// The thread's scratch memory.
    Scratch,
    /// A surface by its binding table index.
    Table(Source),
}

/// What an LSC message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LscAction {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads in one step.
    AtomicLoad,
    /// Reads and writes in one step.
    Atomic(AtomicOp),
}
