//! vISA message instructions as Intel's finalizer prints them: hardware `send`s, bit for bit.
//!
//! A reader: nothing to its left knows it. [`messages`] takes one instruction and gives its sends by name:
//! descriptor and header dwords as [`Value`]s (constants where the program fixes them), payload registers as
//! [`Run`]s, and which response bytes reach which bytes of the destination. Numbers come out of it when the
//! registers are known ([`Value::evaluate`]); what they ask is then [`crate::message::decode`]'s to say.
//!
//! ```text
//!  instruction ─ block, sampler, … ─▶ Request ─ message::encode ─▶ template
//!                                 └─▶ operands ───────────────────────┴─ plan, quirks ─▶ Send
//! ```
//!
//! Bits, header rules and lengths are those of [`crate::message`]; where the finalizer does more, or other, a
//! row of [`quirks`] says so, with the [`Release`]s that do.
//!
//! Where to start reading: `block` has the smallest family, `sampler` the richest; `plan` makes a send of a
//! message, [`payload`] one or two payloads of its operands. `json` prints what the lowering corpus holds.

mod block;
mod context;
pub mod flow;
mod gen5;
mod guard;
pub mod json;
mod lsc;
mod math;
mod media_sampler;
mod operand;
mod output;
pub mod payload;
mod plan;
pub mod quirks;
mod raw;
pub mod release;
mod sampler;
mod scattered;
mod sync;
pub mod value;

pub use context::Context;
pub use flow::Flow;
pub use payload::PayloadPart;
pub use release::Release;
pub use value::{Leaf, Op, Run, Value};

use crate::check::{Unit, VarId};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{AtomicOp, Exec, Family, Opcode, Platform};
use crate::message::{SamplerOp, Sfid};
use crate::syntax::ast::{Instruction, Predicate, Suffix};

/// One `send`.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// As the platform writes it: `send`, `sends`, `sendc.rc`.
    pub mnemonic: String,
    /// Lanes, first mask bit, whether the mask is ignored.
    pub exec: Exec,
    /// The predicate that reaches the send.
    pub predicate: Option<Predicate<VarId>>,
    /// Receiver.
    pub sfid: Sfid,
    /// Descriptor.
    pub desc: Value,
    /// Extended descriptor.
    pub ex_desc: Value,
    /// Registers of the first payload, header included; as the descriptor holds it.
    pub message_length: u32,
    /// Registers of the second payload, as its field holds it.
    pub extended_length: u32,
    /// Registers written back, as the descriptor holds it.
    pub response_length: u32,
    /// The descriptor's header bit.
    pub header_present: bool,
    /// Header dwords, a whole register of them; empty without a header.
    pub header: Vec<Value>,
    /// Registers of the first payload after the header.
    pub first: Vec<Vec<Run>>,
    /// Registers of the second payload.
    pub second: Vec<Vec<Run>>,
    /// Where the response goes.
    pub destination: Destination,
    /// The thread ends with it.
    pub eot: bool,
    /// Options of the instruction, as a listing has them in braces; but for the end of the thread.
    pub options: Vec<&'static str>,
    /// A list names the registers of its payload one by one. Source: Xe2 messages reference 4.
    pub gathers: bool,
    /// Operands beside a descriptor of 47 bits: addresses of states, or the base of addresses.
    /// Source: Xe2 messages reference 6 and 8.
    pub indirect: Vec<Value>,
}

impl Send {
    /// Printed by the name of its operation, as messages of the load/store pipe are.
    pub fn mnemonic_is_own(&self) -> bool {
        !self.mnemonic.starts_with("send")
    }

    /// The registers of both payloads that the lengths count, the header left out: what a length which has
    /// wrapped does not count is not sent.
    pub fn counted(&self) -> [&[Vec<Run>]; 2] {
        let behind_header = self
            .message_length
            .saturating_sub(self.header_present.into());
        let counted = |registers: &[Vec<Run>], length: u32| registers.len().min(length as usize);
        [
            &self.first[..counted(&self.first, behind_header)],
            &self.second[..counted(&self.second, self.extended_length)],
        ]
    }
}

/// Where a response goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Nothing is written.
    Null,
    /// Straight into a variable, at a byte offset.
    Variable(VarId, u32),
    /// Into a temporary; [`Lowered::writes`] tells which bytes are copied on.
    Temporary,
}

/// Bytes of a response that reach a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The destination operand's variable.
    pub var: VarId,
    /// First byte in it.
    pub offset: u32,
    /// Which send of the instruction.
    pub send: usize,
    /// First byte of its response.
    pub response: u32,
    /// How many bytes.
    pub len: u32,
}

/// Bytes of a variable that native instructions compute: one lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Computed {
    /// The destination operand's variable.
    pub var: VarId,
    /// First byte in it.
    pub offset: u32,
    /// How many bytes.
    pub size: u32,
    /// What they are.
    pub formula: Formula,
    /// Under a predicate, which may be inverted, only where that is on.
    pub inverted: Option<bool>,
}

/// A value of the native instructions, by the names of their functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// An operand.
    Value(Value),
    /// A function of others.
    Call(&'static str, Vec<Formula>),
}

/// What an instruction becomes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lowered {
    /// Its sends in order.
    pub sends: Vec<Send>,
    /// Which response bytes reach the destination, later ones overwriting earlier ones.
    pub writes: Vec<Write>,
    /// Native instructions of extended math, `math.inv (16|M0)`; no messages since Gen6.
    pub native: Vec<String>,
    /// What those leave in the destination, lane by lane.
    pub computed: Vec<Computed>,
    /// Where the finalizer's behaviour surprises.
    pub warnings: Vec<Diagnostic>,
}

/// Lowers one instruction to its sends; an instruction that needs none gives an empty list.
///
/// `context` knows which surface and sampler variables hold constants at this point
/// ([`Context::observe`]), and the release that is followed.
///
/// # Errors
/// One diagnostic if the instruction cannot become a message on this platform.
///
/// Source: lowering reference, sections 1 to 18.
pub fn messages(
    unit: &Unit,
    instruction: &Instruction<VarId>,
    context: &Context,
    platform: Platform,
) -> Result<Lowered> {
    let (asked, platform) = (platform, platform.messages());
    let mut cx = Lowering {
        unit,
        instruction,
        context,
        asked,
        platform,
        lowered: Lowered::default(),
    };
    cx.lower()?;
    Ok(cx.lowered)
}

/// The result of a lowering step; the diagnostic is boxed because it is large and rare.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// One instruction being lowered.
struct Lowering<'a> {
    unit: &'a Unit,
    instruction: &'a Instruction<VarId>,
    context: &'a Context,
    /// The platform of the text.
    asked: Platform,
    /// The one whose messages it has.
    platform: Platform,
    lowered: Lowered,
}

impl Lowering<'_> {
    fn lower(&mut self) -> Result<()> {
        use Opcode::*;
        let cx = self;
        if cx.platform.is_gen5() {
            return gen5::lower(cx);
        }
        math::lower(cx);
        match cx.instruction.opcode.node {
            MediaLd | MediaSt => block::media(cx),
            OwordLd | OwordLdUnaligned | OwordSt => block::oword(cx),
            SvmBlockLd | SvmBlockSt => block::svm(cx),
            Avs => media_sampler::avs(cx),
            SampleUnorm => media_sampler::unorm(cx),
            Sample | Load => media_sampler::legacy(cx),
            Gather | Scatter => scattered::unscaled(cx),
            GatherScaled | ScatterScaled | Gather4Scaled | Scatter4Scaled => scattered::scaled(cx),
            Gather4Typed | Scatter4Typed => scattered::typed(cx),
            DwordAtomic | TypedAtomic | SvmAtomic => scattered::atomic(cx),
            SvmGather | SvmScatter => scattered::svm(cx),
            SvmGather4Scaled | SvmScatter4Scaled => scattered::svm_scaled(cx),
            RtWrite3d => output::target(cx),
            UrbWrite3d => output::urb(cx),
            Barrier | SbarrierSignal => sync::barrier(cx),
            FenceGlobal | FenceLocal => sync::fence(cx),
            LscFence => sync::lsc_fence(cx),
            SamplerCacheFlush => sync::flush(cx),
            Ret if cx.context.ends_thread(cx.unit) => sync::end_of_thread(cx),
            op if op.info().family == Family::RawMessage => raw::lower(cx),
            op if op.info().family == Family::Sampler3d => sampler::lower(cx),
            op if op.info().family == Family::Lsc => lsc::lower(cx),
            op => match unmodelled(op) {
                Some(why) => cx.refuse(Code::N0380, why),
                None => Ok(()),
            },
        }
    }

    fn grf(&self) -> u32 {
        self.platform.grf_bytes()
    }

    /// Refuses the instruction.
    fn refuse<T>(&self, code: Code, why: impl Into<String>) -> Result<T> {
        Err(Box::new(
            Diagnostic::new(code)
                .at(self.instruction.opcode.span, why)
                .see(section(self.instruction.opcode.node, self.platform)),
        ))
    }

    /// The operation of a 3D sampler instruction.
    fn sampler_op(&self) -> Option<SamplerOp> {
        let row = self.instruction.opcode.node.info();
        SamplerOp::of_instruction(row).filter(|_| row.family == Family::Sampler3d)
    }

    /// The operation of an atomic.
    fn atomic_op(&self) -> Option<AtomicOp> {
        self.instruction.suffix(|s| match s {
            Suffix::AtomicOp(op) => Some(*op),
            _ => None,
        })
    }
}

/// Why an instruction that sends has no message here.
fn unmodelled(op: Opcode) -> Option<String> {
    use Opcode::{Divm, Invm, NbarrierSignal, QwGather, QwScatter, Rsqtm, Sqrtm};
    Some(match op {
        Invm | Rsqtm | Sqrtm | Divm => {
            "the steps of this macro of the math unit are not modelled".into()
        }
        QwGather | QwScatter => "no reference states the messages of scattered qwords".into(),
        NbarrierSignal => "no reference states the message of a named barrier".into(),
        op if op.info().family == Family::Vme => {
            format!("no reference states the messages of motion estimation: {op}")
        }
        _ => return None,
    })
}

/// The section that says what the instruction becomes.
fn section(op: Opcode, platform: Platform) -> &'static str {
    use Opcode::*;
    let family = op.info().family;
    let gen5 = platform.is_gen5();
    match op {
        _ if family == Family::RawMessage => "lowering reference 17",
        Avs | SampleUnorm if gen5 => "lowering reference 18.4",
        Resinfo | Sampleinfo if gen5 => "lowering reference 18.2",
        Ret if gen5 => "lowering reference 18.8",
        _ if gen5 => family.on_ironlake(),
        MediaLd | MediaSt => "lowering reference 2",
        Resinfo | Sampleinfo => "lowering reference 5",
        SampleUnorm | Sample | Load => "lowering reference 6",
        Avs => "lowering reference 7",
        OwordLd | OwordLdUnaligned | OwordSt => "lowering reference 8",
        Gather | Scatter => "lowering reference 9",
        GatherScaled | ScatterScaled | Gather4Scaled | Scatter4Scaled => "lowering reference 10",
        Gather4Typed | Scatter4Typed => "lowering reference 11",
        DwordAtomic | TypedAtomic | SvmAtomic => "lowering reference 12",
        RtWrite3d => "lowering reference 14",
        _ => match family {
            Family::Sampler3d => "lowering reference 3",
            Family::Svm => "lowering reference 13",
            Family::Math => "lowering reference 16",
            Family::Lsc => "Xe2 messages reference 7; vISA text reference 5.11",
            Family::Vme => "vISA text reference 5.13",
            _ => "lowering reference 15",
        },
    }
}
