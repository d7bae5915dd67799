//! vISA message instructions become hardware `send`s, bit for bit as Intel's finalizer emits them.
//!
//! [`messages`] takes one instruction and gives its sends by name: descriptor and header dwords as
//! [`Value`]s (constants where the program fixes them), payload registers as [`Run`]s, and which
//! response bytes reach which bytes of the destination. Numbers come out of it when the registers are
//! known ([`Value::evaluate`]); the typed question is then [`crate::message::decode`]'s.
//!
//! ```text
//!  instruction ─ media, sampler, … ─▶ Send ─ evaluate ─▶ Message ─ decode ─▶ Request
//! ```
//!
//! Where to start reading: `media` is the smallest family, `sampler` the richest; [`payload`]
//! tells how operands become one or two payloads. `json` prints what the lowering corpus holds,
//! `text` prints for people.
//!
//! Faults of the finalizer (lowering reference 21) are followed, with a warning, unless
//! [`Compat::Later`] asks for what later releases do (section 20). [`faults`] lists them.

mod context;
pub mod faults;
pub mod flow;
mod gen5;
mod guard;
pub mod json;
mod math;
mod media;
mod media_sampler;
mod operand;
mod output;
pub mod payload;
mod raw;
mod sampler;
mod surface_memory;
mod svm;
mod sync;
pub mod value;

pub use context::Context;
pub use flow::Flow;
pub use payload::Part;
pub use value::{Leaf, Op, Run, Value};

use crate::check::{Storage, Unit, VarId};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Exec, Family, Opcode, Platform};
use crate::message::Sfid;
use crate::message::bits::{Form, descriptor};
use crate::message::extended::{Extended, extended_descriptor};
use crate::message::fields::outer as fields;
use crate::syntax::ast::{Instruction, Predicate};

/// Which release of the finalizer is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compat {
    /// Release 1.0.12504.6, faults included: what the lowering corpus holds.
    #[default]
    Finalizer,
    /// What later releases do where they differ. Source: lowering reference 20.
    Later,
}

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
    /// Registers of the first payload behind the header.
    pub first: Vec<Vec<Run>>,
    /// Registers of the second payload.
    pub second: Vec<Vec<Run>>,
    /// Where the response goes.
    pub destination: Destination,
    /// The thread ends with it.
    pub eot: bool,
    /// Options of the instruction, as a listing has them in braces; but for the end of the thread.
    pub options: Vec<&'static str>,
}

impl Send {
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
/// ([`Context::observe`]).
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
    let mut cx = Lowering {
        unit,
        instruction,
        context,
        platform,
        lowered: Lowered::default(),
    };
    if platform == Platform::Ilk {
        gen5::lower(&mut cx)?;
        return Ok(cx.lowered);
    }
    math::lower(&mut cx);
    match instruction.opcode.node {
        Opcode::MediaLd | Opcode::MediaSt => media::lower(&mut cx)?,
        Opcode::Avs => media_sampler::avs(&mut cx)?,
        Opcode::SampleUnorm => media_sampler::unorm(&mut cx)?,
        Opcode::Sample | Opcode::Load => media_sampler::legacy(&mut cx)?,
        Opcode::Resinfo | Opcode::Sampleinfo => sampler::info(&mut cx)?,
        Opcode::OwordLd | Opcode::OwordLdUnaligned | Opcode::OwordSt => {
            surface_memory::oword(&mut cx)?;
        }
        Opcode::Gather | Opcode::Scatter => surface_memory::unscaled(&mut cx)?,
        Opcode::GatherScaled
        | Opcode::ScatterScaled
        | Opcode::Gather4Scaled
        | Opcode::Scatter4Scaled => surface_memory::scaled(&mut cx)?,
        Opcode::Gather4Typed | Opcode::Scatter4Typed => surface_memory::typed(&mut cx)?,
        Opcode::DwordAtomic | Opcode::TypedAtomic | Opcode::SvmAtomic => {
            surface_memory::atomic(&mut cx)?;
        }
        Opcode::SvmBlockLd | Opcode::SvmBlockSt => svm::block(&mut cx)?,
        Opcode::SvmGather | Opcode::SvmScatter => svm::scattered(&mut cx)?,
        Opcode::SvmGather4Scaled | Opcode::SvmScatter4Scaled => svm::scaled(&mut cx)?,
        Opcode::RtWrite3d => output::target(&mut cx)?,
        Opcode::UrbWrite3d => output::urb(&mut cx)?,
        Opcode::Barrier | Opcode::SbarrierSignal => sync::barrier(&mut cx)?,
        Opcode::FenceGlobal | Opcode::FenceLocal => sync::fence(&mut cx)?,
        Opcode::LscFence => sync::lsc_fence(&mut cx)?,
        Opcode::SamplerCacheFlush => sync::flush(&mut cx)?,
        Opcode::Ret if context.ends_thread(unit) => sync::end_of_thread(&mut cx)?,
        Opcode::RawSend
        | Opcode::RawSendc
        | Opcode::RawSends
        | Opcode::RawSendsEot
        | Opcode::RawSendsc
        | Opcode::RawSendscEot => raw::lower(&mut cx)?,
        op if sampler::is_3d(op) => sampler::lower(&mut cx)?,
        Opcode::Invm | Opcode::Rsqtm | Opcode::Sqrtm | Opcode::Divm => {
            return cx.refuse(
                Code::N0380,
                "the steps of this macro of the math unit are not modelled",
            );
        }
        op if op.info().family == Family::Lsc => {
            return cx.refuse(
                Code::N0380,
                format!("the references state the descriptors of lsc_fence alone, none of {op}"),
            );
        }
        op if op.info().family == Family::Vme => {
            return cx.refuse(
                Code::N0380,
                format!("no reference states the messages of motion estimation: {op}"),
            );
        }
        Opcode::QwGather | Opcode::QwScatter => {
            return cx.refuse(
                Code::N0380,
                "no reference states the messages of scattered qwords",
            );
        }
        Opcode::NbarrierSignal => {
            return cx.refuse(
                Code::N0380,
                "no reference states the message of a named barrier",
            );
        }
        _ => {}
    }
    Ok(cx.lowered)
}

/// The result of a lowering step; the diagnostic is boxed because it is large and rare.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// One instruction being lowered.
struct Lowering<'a> {
    unit: &'a Unit,
    instruction: &'a Instruction<VarId>,
    context: &'a Context,
    platform: Platform,
    lowered: Lowered,
}

/// What the families decide of a send; [`Lowering::send`] adds what all of them share.
struct Plan {
    sfid: Sfid,
    /// Descriptor: function control and the outer bits 29 and 30; lengths are added.
    control: Value,
    exec: Exec,
    predicated: bool,
    header: Option<Vec<Value>>,
    /// Parts behind the header, and how many of them belong to the first payload.
    parts: Vec<Part>,
    first: usize,
    response: u32,
    destination: Destination,
    /// Added to the extended descriptor at run time (bindless surfaces).
    surface_handle: Option<Value>,
    extended: Extended,
    /// `sendc`, `sendsc`.
    conditional: bool,
    /// Written with two sources even when the second is null.
    two_sources: bool,
    /// The parts are copied together wherever they lie.
    copied: bool,
    options: Vec<&'static str>,
}

impl Plan {
    fn new(sfid: Sfid, control: Value, exec: Exec) -> Plan {
        Plan {
            sfid,
            control,
            exec,
            predicated: true,
            header: None,
            parts: Vec::new(),
            first: 0,
            response: 0,
            destination: Destination::Null,
            surface_handle: None,
            extended: Extended::default(),
            conditional: false,
            two_sources: false,
            copied: false,
            options: Vec::new(),
        }
    }
}

/// The greatest second length from Gen11 on. Source: lowering reference 1.3.
const SECOND_LENGTH_OF_GEN11: u32 = 0x1f;

impl Lowering<'_> {
    fn grf(&self) -> u32 {
        self.platform.grf_bytes()
    }

    /// Whether payloads may be split. Source: lowering reference 1.1.
    fn splits(&self) -> bool {
        self.platform > Platform::Bdw
    }

    /// Refuses the instruction.
    pub(super) fn refuse<T>(&self, code: Code, why: impl Into<String>) -> Result<T> {
        Err(Box::new(
            Diagnostic::new(code)
                .at(self.instruction.opcode.span, why)
                .see(section(self.instruction.opcode.node, self.platform)),
        ))
    }

    /// Lays the parts out by the walk of section 1.8: header first, then as they come.
    fn lay_out(&self, plan: &mut Plan) {
        if !self.splits() {
            plan.first = plan.parts.len();
            return;
        }
        plan.first = match &plan.header {
            // The header is a register of its own: whatever follows it is the second payload.
            Some(_) => {
                let broken = plan.parts.first().is_some_and(|p| p.null);
                if broken { plan.parts.len() } else { 0 }
            }
            None => payload::split_point(&plan.parts, self.grf()),
        };
    }

    /// Completes a send and appends it.
    fn send(&mut self, mut plan: Plan) {
        let place = self.settle(&mut plan);
        let header_rows = u32::from(plan.header.is_some());
        let mut parts = plan.parts.into_iter();
        let first: Vec<_> = parts
            .by_ref()
            .take(plan.first)
            .flat_map(|p| p.registers)
            .collect();
        let second: Vec<_> = parts.flat_map(|p| p.registers).collect();
        // Too great lengths wrap in their fields, as the finalizer lets them.
        if let Some(asked) = self.instruction.exec.as_ref().map(|e| e.node)
            && asked.size < 8
            && plan.exec.size == asked.size
            && plan.exec.offset != asked.offset
        {
            let label = format!("{} lanes at lane {}", asked.size, asked.offset);
            self.follow(&faults::MASK_FALLS_BACK, label);
        }
        let lengths = [
            header_rows + first.len() as u32,
            second.len() as u32,
            plan.response,
        ];
        let [most, most_second, most_response] = [0xf, self.second_length_bits(), 0x1f];
        let wraps = lengths[0] > most || lengths[2] > most_response;
        if wraps || lengths[1] > most_second {
            let [first, second, response] = lengths;
            let label = format!("{first} and {second} registers out, {response} back");
            // Gen11 has room for the bit that is cut off.
            let room = self.platform == Platform::Icl && !wraps && second <= SECOND_LENGTH_OF_GEN11;
            let fault = match room {
                true => &faults::SECOND_LENGTH_CUT,
                false => &faults::LENGTH_WRAPS,
            };
            self.follow(fault, label);
        }
        let form = Form {
            header: plan.header.is_some() && !plan.sfid.is_lsc(),
            first: lengths[0] & most,
            second: lengths[1] & most_second,
            response: lengths[2] & most_response,
        };
        let outer = descriptor(&form, 0).unwrap_or_default();
        let bindless = plan.surface_handle.is_some();
        // Beside a handle of later parts stands no bit; what it would say is an option.
        let alone = bindless && self.platform >= Platform::Dg2;
        let extended = Extended {
            length: form.second,
            coarse: plan.extended.coarse && !alone,
            ..plan.extended
        };
        let ex_bits = extended_descriptor(plan.sfid, &extended, self.platform);
        let mut options = plan.options;
        if alone {
            options.push("ExBSO");
            // What the extended descriptor has elsewhere.
            options.extend(plan.extended.coarse.then_some("CPS"));
        }
        options.extend(place.and_then(|place| self.preemption(place)));
        let ex_desc = match plan.surface_handle {
            // The function stands in the sum also where the instruction names it (Gen12).
            Some(handle) if self.platform == Platform::Tgl => {
                let number = plan.sfid.number(self.platform).unwrap_or(0);
                handle.plus(ex_bits | u32::from(number))
            }
            Some(handle) => handle.plus(ex_bits),
            None => Value::Const(ex_bits),
        };
        let mnemonic = self.mnemonic(
            plan.sfid,
            plan.conditional,
            // An extended descriptor in a register is a form of the two-source instruction alone.
            !second.is_empty() || plan.two_sources || bindless,
        );
        let mut desc = add_constant(plan.control, outer);
        // Gen8 has 29 bits for a constant descriptor, those above are lost: seen in the finalizer.
        let high = fields::PARAMS16.mask() | fields::RETURN16.mask();
        if let (Value::Const(word), Platform::Bdw) = (&mut desc, self.platform)
            && *word & high != 0
        {
            let label = format!("bits 29 and 30 of {word:#010x}");
            *word &= !high;
            self.follow(&faults::GEN8_HIGH_BITS, label);
        }
        self.lowered.sends.push(Send {
            mnemonic,
            exec: plan.exec,
            predicate: if plan.predicated {
                self.instruction.predicate.as_ref().map(|p| p.node.clone())
            } else {
                None
            },
            sfid: plan.sfid,
            desc,
            ex_desc,
            message_length: form.first,
            extended_length: form.second,
            response_length: form.response,
            header_present: form.header,
            header: plan.header.unwrap_or_default(),
            first,
            second,
            destination: plan.destination,
            eot: extended.eot,
            options,
        });
    }

    /// The bits of the second length that the finalizer writes: on Gen11 those of Gen9, though its field has one
    /// more. Source: lowering reference 1.3; seen in the finalizer.
    fn second_length_bits(&self) -> u32 {
        match self.platform {
            Platform::Icl if self.faulty() => 0xf,
            platform if platform <= Platform::Skl => 0xf,
            _ => SECOND_LENGTH_OF_GEN11,
        }
    }

    /// Payloads that travel where they lie bring the bytes behind their lanes along. The result is where
    /// the first one lies, if it does.
    fn settle(&self, plan: &mut Plan) -> Option<(VarId, u32)> {
        let (first, second) = plan.parts.split_at_mut(plan.first);
        let alone = !plan.copied && (plan.header.is_none() || first.is_empty());
        let settled = |piece: &mut [Part]| {
            let place = payload::in_place(piece, self.grf()).filter(|_| alone)?;
            payload::fill(piece, self.unit.variable(place.0).storage.bytes());
            Some(place)
        };
        // An operand in the variable of the one before, no further on, is copied as well.
        let back = match (first.last(), second.first()) {
            (Some(before), Some(here)) => payload::steps_back(before, here),
            _ => false,
        };
        if !back {
            settled(second);
        }
        settled(first)
    }

    /// A message of Gen11 whose first payload is `r2` must not be interrupted. Which register a payload
    /// is is known of inputs, where they travel in place. Source: lowering reference 3.8; that it is `r2`
    /// was seen in the finalizer.
    fn preemption(&self, (root, offset): (VarId, u32)) -> Option<&'static str> {
        let input = self.unit.inputs.iter().find(|input| {
            let storage = &self.unit.variable(input.var).storage;
            matches!(storage, Storage::General { root: owner, offset: 0, .. } if *owner == root)
        })?;
        let register = input.offset.saturating_add(offset) / self.grf();
        (self.platform == Platform::Icl && register == 2).then_some("NoPreempt")
    }

    /// Source: lowering reference 1.5.
    fn mnemonic(&self, sfid: Sfid, conditional: bool, two: bool) -> String {
        let c = if conditional { "c" } else { "" };
        match self.platform {
            Platform::Ilk | Platform::Bdw => format!("send{c}"),
            Platform::Skl | Platform::Icl => format!("send{}{c}", if two { "s" } else { "" }),
            _ => format!("send{c}.{}", sfid.suffix()),
        }
    }

    /// A header that is a copy of r0, a whole register of it.
    fn r0_header(&self) -> Vec<Value> {
        (0..self.grf() / 4).map(Value::Dispatch).collect()
    }

    /// A header of which nothing is defined yet.
    fn empty_header(&self) -> Vec<Value> {
        vec![Value::Undefined; (self.grf() / 4) as usize]
    }
}

/// The section that says what the instruction becomes.
fn section(op: Opcode, platform: Platform) -> &'static str {
    let family = op.info().family;
    if family == Family::RawMessage {
        return "lowering reference 17";
    }
    if platform == Platform::Ilk {
        return match op {
            Opcode::Avs | Opcode::SampleUnorm => "lowering reference 18.4",
            Opcode::Resinfo | Opcode::Sampleinfo => "lowering reference 18.2",
            Opcode::Ret => "lowering reference 18.8",
            op if sampler::is_3d(op) => "lowering reference 18.3",
            _ => family.on_ironlake(),
        };
    }
    match op {
        Opcode::MediaLd | Opcode::MediaSt => "lowering reference 2",
        Opcode::Resinfo | Opcode::Sampleinfo => "lowering reference 5",
        Opcode::SampleUnorm | Opcode::Sample | Opcode::Load => "lowering reference 6",
        Opcode::Avs => "lowering reference 7",
        Opcode::OwordLd | Opcode::OwordLdUnaligned | Opcode::OwordSt => "lowering reference 8",
        Opcode::Gather | Opcode::Scatter => "lowering reference 9",
        Opcode::GatherScaled
        | Opcode::ScatterScaled
        | Opcode::Gather4Scaled
        | Opcode::Scatter4Scaled => "lowering reference 10",
        Opcode::Gather4Typed | Opcode::Scatter4Typed => "lowering reference 11",
        Opcode::DwordAtomic | Opcode::TypedAtomic | Opcode::SvmAtomic => "lowering reference 12",
        Opcode::RtWrite3d => "lowering reference 14",
        op if sampler::is_3d(op) => "lowering reference 3",
        _ => match family {
            Family::Svm => "lowering reference 13",
            Family::Math => "lowering reference 16",
            Family::Lsc => "lowering reference 15 and 20; vISA text reference 5.11",
            Family::Vme => "vISA text reference 5.13",
            _ => "lowering reference 15",
        },
    }
}

/// Adds constant bits into the constant term of a sum, so that it stays one term.
fn add_constant(value: Value, bits: u32) -> Value {
    match value {
        Value::Const(n) => Value::Const(n.wrapping_add(bits)),
        Value::Call(Op::Add, args) => {
            let [a, b] = *args;
            if b.constant().is_some() {
                Value::call(Op::Add, a, add_constant(b, bits))
            } else if a.constant_part().is_some() {
                Value::call(Op::Add, add_constant(a, bits), b)
            } else {
                Value::call(Op::Add, a, b).plus(bits)
            }
        }
        other => other.plus(bits),
    }
}

/// Ignores the mask, whatever the source says. Source: lowering reference 1.7.
const fn unmasked(size: u32) -> Exec {
    Exec {
        size,
        offset: 0,
        no_mask: true,
    }
}
