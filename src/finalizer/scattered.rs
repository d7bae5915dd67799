//! Elements at offsets and addresses: gather and scatter, typed texels, atomics.
//!
//! ```text
//!  gather     [header] offsets                  global offset in M0.2
//!  scatter    [header] offsets data             one block, copied together
//!  scaled     offsets + global offset | data
//!  typed      u [v [r [lod]]] | data            trailing coordinates absent
//!  atomic     offsets | sources                 cmpxchg takes compare, then new
//!  svm        addresses, 8 bytes for each lane | data
//! ```
//!
//! Source: lowering reference 9 to 13 and 18.5.

use super::operand::RawOperand;
use super::plan::{Base, Layout, Plan};
use super::{Lowering, Op, PayloadPart, Result, Run, Value, quirks};
use crate::diagnostic::Code;
use crate::isa::{AtomicOp, ChannelMask, Opcode, Type};
use crate::message::bits::rows;
use crate::message::dataport::{SLM, STATELESS, same_code};
use crate::message::fields::offset_header;
use crate::message::{Access, Atomic, DataPath, Request, Scattered, SvmScattered, Typed, Untyped};
use crate::syntax::ast::Suffix;

/// Sixteen enabled pixels, `M0.7` of a header of Gen8. Source: lowering reference 10.
const PIXELS: u32 = 0xffff;
/// Bits of r0.5 that hold the thread's scratch base. Source: lowering reference 1.9.
const SCRATCH_BASE: u32 = 0x3ff;

const fn access(write: bool) -> Access {
    if write { Access::Write } else { Access::Read }
}

/// The lanes that a message of these has a code for.
const fn coded(lanes: u32) -> u32 {
    if lanes > 8 { 16 } else { 8 }
}

fn shifted(value: Value, by: u32) -> Value {
    Value::call(Op::Shl, value, Value::Const(by))
}

impl Lowering<'_> {
    /// Lanes a scattered message speaks of: sizes below native count as native.
    pub fn message_lanes(&self) -> u32 {
        self.lanes().max(self.platform.native_lanes())
    }

    /// The same of scaled ones: on registers of sixteen lanes sixteen, as their code says.
    pub fn scaled_lanes(&self) -> u32 {
        match self.platform.native_lanes() {
            16 => 16,
            _ => self.message_lanes(),
        }
    }

    /// One computed dword for each lane of an operand, in the registers `lanes` lanes take.
    pub fn computed(
        &self,
        place: RawOperand,
        lanes: u32,
        compute: impl Fn(Value) -> Value,
    ) -> PayloadPart {
        let es = self.lanes().min(lanes);
        let value = |lane| Run::Value {
            value: compute(place.dword(lane)),
            size: 4,
        };
        let mut runs: Vec<Run> = (0..es).map(value).collect();
        runs.push(Run::Undefined {
            len: 4 * lanes.saturating_sub(es),
        });
        PayloadPart::from_runs(runs, self.grf())
    }

    /// The header of zeros that Gen8 requires where later parts want none; `M0.7` enables pixels.
    /// Source: lowering reference 10; which messages have it was seen in the finalizer.
    fn zero_header(&self, plan: &mut Plan, pixels: u32) {
        if self.platform.optional_header {
            plan.header = Some(Base::Zeros);
            plan.terms.push((7, Value::Const(pixels)));
        }
    }

    /// Header of the messages at the thread's scratch memory. Source: lowering reference 8, 9.
    pub fn scratch(&self, plan: &mut Plan) {
        if self.platform.lsc.is_some() {
            plan.header = Some(Base::Zeros);
        } else {
            plan.header = Some(Base::Undefined);
            let base = Value::call(Op::And, Value::Dispatch(5), Value::Const(SCRATCH_BASE));
            plan.terms.push((offset_header::BASE.dw, base));
        }
    }

    /// The operand, or a refusal that names it.
    fn given(&self, at: usize, what: &str) -> Result<RawOperand> {
        match self.raw(at) {
            Some(place) => Ok(place),
            None => self.refuse(Code::E0380, format!("the {what} are %null")),
        }
    }

    /// Bytes of an element: the suffix of gather and scatter.
    fn element_bytes(&self) -> u32 {
        let bytes = self.instruction.suffix(|s| match s {
            Suffix::ElementBytes(bytes) => Some(*bytes),
            _ => None,
        });
        bytes.unwrap_or(4)
    }

    /// Completes a message: whatever `part` makes of the data goes, or registers come back.
    fn moved(
        &mut self,
        mut plan: Plan,
        write: bool,
        at: usize,
        part: impl FnOnce(&Self, RawOperand) -> PayloadPart,
    ) -> Result<()> {
        if write {
            let data = self.given(at, "data")?;
            plan.parts.push(part(self, data));
        } else {
            // Registers come back even to `%null`: lowering reference 1.10 has a response of 0 for that, the
            // finalizer writes one for samples, blocks and atomics only.
            plan.place = self.raw(at);
        }
        self.send(plan)
    }
}

/// `gather` and `scatter`: offsets count elements. Source: lowering reference 9.
pub(super) fn unscaled(cx: &mut Lowering) -> Result<()> {
    let write = cx.instruction.opcode.node == Opcode::Scatter;
    let (bytes, es, gen5) = (cx.element_bytes(), cx.lanes(), cx.platform.is_gen5());
    if gen5 && bytes != 4 {
        return cx.refuse(Code::E0380, "Ironlake scatters dwords only");
    }
    let (slm, scratch) = (cx.is_named(0, SLM), cx.is_named(0, STATELESS));
    let offsets = cx.given(2, "offsets")?;
    let global = cx.scalar(1);
    let lanes = coded(es);
    // Dwords of shared local memory travel as untyped messages, at byte offsets.
    let untyped = slm && bytes == 4;
    // One lane of them counts as one, where others count as eight: seen in the finalizer.
    let lone = untyped && es == 1;
    // Gen8 hands over the global offset of bytes and words of shared local memory as it does elsewhere,
    // and has a header for scratch memory whatever the offset: seen in the finalizer.
    let gen8 = cx.platform.optional_header;
    let folded = slm && (untyped || !gen8);
    let word = u32::from(bytes == 2);
    let part = match (folded, bytes) {
        (true, 4) => cx.computed(offsets, lanes, |v| {
            Value::call(Op::Add, shifted(v, 2), shifted(global.clone(), 2))
        }),
        (true, 2) => cx.computed(offsets, lanes, |v| {
            shifted(Value::call(Op::Add, v, global.clone()), 1)
        }),
        (true, _) if global != Value::Const(0) => {
            cx.computed(offsets, lanes, |v| Value::call(Op::Add, v, global.clone()))
        }
        (false, 2) => cx.computed(offsets, lanes, |v| shifted(v, 1)),
        (false, 4) if gen5 => cx.computed(offsets, lanes, |v| shifted(v, 2)),
        _ => cx.part(offsets, 4 * lanes),
    };
    let header = !folded && (global != Value::Const(0) || gen8 && scratch) || gen5;
    let scattered = Scattered {
        surface: 0,
        access: access(write),
        element_bytes: bytes,
        lanes,
        global: header.then_some(0),
        path: DataPath::DEFAULT,
    };
    let mut plan = cx.plan(match (untyped, bytes) {
        (true, _) => Request::Untyped(Untyped {
            surface: 0,
            access: access(write),
            lanes: if lone { 16 } else { lanes },
            channels: ChannelMask(1),
        }),
        (false, 4) => Request::DwordScattered(scattered),
        (false, _) => Request::ByteScattered(scattered),
    })?;
    plan.surface = Some(cx.surface(0));
    plan.parts = vec![part];
    if header {
        plan.header = Some(Base::R0);
        if scratch && !gen5 {
            cx.scratch(&mut plan);
        }
        plan.put(
            offset_header::GLOBAL,
            shifted(global, if gen5 { 2 } else { word }),
        );
    }
    // Parts of a register count as none (`quirks::PART_OF_REGISTER`).
    plan.response = match write {
        true => 0,
        false => 4 * if lone { 1 } else { lanes } / cx.grf(),
    };
    if write && !untyped {
        (plan.layout, plan.copied) = (Layout::Together, true);
    }
    if gen5 && write && cx.raw(3).is_none() {
        return cx.send(plan);
    }
    cx.moved(plan, write, 3, |cx, data| cx.part(data, 4 * lanes))
}

/// The `_scaled` forms: byte offsets, the global one added to every lane.
/// Source: lowering reference 10.
pub(super) fn scaled(cx: &mut Lowering) -> Result<()> {
    let op = cx.instruction.opcode.node;
    let write = matches!(op, Opcode::ScatterScaled | Opcode::Scatter4Scaled);
    let four = matches!(op, Opcode::Gather4Scaled | Opcode::Scatter4Scaled);
    let lanes = cx.scaled_lanes();
    let channels = cx.channels(ChannelMask(1));
    let request = match four {
        true => Request::Untyped(Untyped {
            surface: 0,
            access: access(write),
            lanes: coded(lanes),
            channels,
        }),
        false => Request::ByteScattered(Scattered {
            surface: 0,
            access: access(write),
            element_bytes: cx.element_bytes(),
            lanes: coded(lanes),
            global: None,
            path: DataPath::DEFAULT,
        }),
    };
    let offsets = cx.given(2, "offsets")?;
    let global = cx.scalar(1);
    let part = match global {
        Value::Const(0) => cx.part(offsets, 4 * lanes),
        global => cx.computed(offsets, lanes, |v| Value::call(Op::Add, v, global.clone())),
    };
    let mut plan = cx.plan(request)?.of(vec![part]);
    plan.surface = Some(cx.surface(0));
    if four && cx.is_named(0, STATELESS) {
        cx.zero_header(&mut plan, PIXELS);
    } else if !four && !cx.is_named(0, SLM) {
        cx.zero_header(&mut plan, 0);
    }
    let count = if four { channels.count() } else { 1 };
    let registers = count * rows(4 * lanes, cx.platform);
    plan.response = if write { 0 } else { registers };
    cx.moved(plan, write, 3, |cx, data| {
        cx.part(data, registers * cx.grf())
    })
}

/// Coordinates u v r lod, as far as the last one given. Source: lowering reference 11.
fn coordinates(cx: &mut Lowering, first: usize, bytes: u32) -> Vec<PayloadPart> {
    let given: [Option<RawOperand>; 4] = std::array::from_fn(|i| cx.raw(first + i));
    let [_, v, r, lod] = given.map(|place| place.is_some());
    // An absent v in front of a last r is left out, and r takes its place.
    if r && !v && !lod {
        cx.follow(&quirks::ABSENT_V, "r takes the place of v");
    }
    let kept = given.into_iter().zip([true, v || lod, r || lod, lod]);
    kept.filter(|(_, kept)| *kept)
        .map(|(place, _)| match place {
            Some(place) => cx.part(place, bytes),
            None => PayloadPart::absent(rows(bytes, cx.platform), cx.grf()),
        })
        .collect()
}

/// `gather4_typed` and `scatter4_typed`. Source: lowering reference 11.
pub(super) fn typed(cx: &mut Lowering) -> Result<()> {
    let write = cx.instruction.opcode.node == Opcode::Scatter4Typed;
    let es = cx.lanes();
    let channels = cx.channels(ChannelMask::RGBA);
    let parts = coordinates(cx, 1, 4 * es);
    if parts.iter().all(|part| part.null) {
        return cx.refuse(Code::E0380, "no coordinate is given");
    }
    let request = Request::Typed(Typed {
        surface: 0,
        access: access(write),
        channels,
        coordinates: parts.len() as u32,
    });
    let mut plan = cx.plan(request)?.of(parts);
    plan.surface = Some(cx.surface(0));
    cx.zero_header(&mut plan, PIXELS);
    // The registers are counted together, half ones of fewer lanes than native are lost.
    let all = 4 * es * channels.count();
    let bytes = if es >= cx.platform.native_lanes() {
        all
    } else {
        4 * es
    };
    let registers = (all / cx.grf()).max(1);
    cx.moved(plan, write, 5, |cx, data| cx.padded(data, bytes, registers))
}

/// The sources in message order: compare-and-exchange takes compare, then new.
/// Source: lowering reference 12.1.
fn sources(cx: &Lowering, op: AtomicOp, at: usize) -> Vec<RawOperand> {
    let mut places: Vec<RawOperand> = [cx.raw(at), cx.raw(at + 1)].into_iter().flatten().collect();
    if op == AtomicOp::CmpXchg {
        places.reverse();
    }
    places
}

/// `dword_atomic`, `typed_atomic`, `svm_atomic`. Source: lowering reference 12.
pub(super) fn atomic(cx: &mut Lowering) -> Result<()> {
    let bits = cx.instruction.suffix(|s| match s {
        Suffix::Bits(bits) => Some(u32::from(*bits)),
        _ => None,
    });
    let (Some(op), bits) = (cx.atomic_op(), bits.unwrap_or(32)) else {
        return cx.refuse(Code::E0380, "the operation is missing");
    };
    let (es, lanes, opcode) = (cx.lanes(), cx.message_lanes(), cx.instruction.opcode.node);
    let returned = match opcode {
        Opcode::TypedAtomic => cx.raw(7),
        Opcode::SvmAtomic => cx.raw(1),
        _ => cx.raw(4),
    };
    let asked = Atomic {
        surface: 0,
        op,
        bits,
        lanes: 8,
        returns: returned.is_some(),
    };
    // Only dword atomics count the lanes; the others return one register, or two of 64-bit data.
    let narrow = if bits == 64 { 2 } else { 1 };
    let (request, parts, registers) = match opcode {
        Opcode::TypedAtomic => {
            let mut parts = coordinates(cx, 1, 4 * es);
            parts.extend(sources(cx, op, 5).into_iter().map(|p| cx.part(p, 4 * es)));
            // Of a float one the integer message is sent (`quirks::TYPED_FLOAT_ATOMIC`).
            let asked = Atomic {
                op: same_code(op),
                ..asked
            };
            (Request::TypedAtomic(asked), parts, narrow)
        }
        Opcode::SvmAtomic => {
            let addresses = cx.given(0, "addresses")?;
            let mut parts = vec![cx.part(addresses, 8 * lanes)];
            // The sources are counted by their type, not by the operation's width: as many registers as the
            // message has lanes, of which a copy fills those there are.
            let wide = cx.raw(2).is_some_and(|p| p.ty.bytes() == 8);
            let each = if wide { 8 } else { 4 };
            let count = rows(lanes * each, cx.platform);
            let sources = sources(cx, op, 2).into_iter();
            parts.extend(sources.map(|p| cx.padded(p, es * each, count)));
            let asked = Atomic {
                surface: STATELESS,
                ..asked
            };
            (Request::SvmAtomic(asked), parts, narrow)
        }
        _ => {
            let offsets = cx.given(1, "offsets")?;
            let all = [offsets].into_iter().chain(sources(cx, op, 2));
            let parts = all.map(|p| cx.part(p, 4 * lanes)).collect();
            let asked = Atomic {
                lanes: coded(lanes),
                ..asked
            };
            (Request::Atomic(asked), parts, rows(4 * lanes, cx.platform))
        }
    };
    let mut plan = cx.plan(request)?.of(parts);
    if opcode != Opcode::SvmAtomic {
        plan.surface = Some(cx.surface(0));
    }
    if opcode == Opcode::DwordAtomic && cx.is_named(0, STATELESS) {
        cx.zero_header(&mut plan, PIXELS);
    }
    plan.response = if returned.is_some() { registers } else { 0 };
    plan.place = returned;
    cx.send(plan)
}

/// `svm_gather` and `svm_scatter`. Source: lowering reference 13.
pub(super) fn svm(cx: &mut Lowering) -> Result<()> {
    let write = cx.instruction.opcode.node == Opcode::SvmScatter;
    let blocks = cx.instruction.suffix(|s| match s {
        Suffix::Blocks { bytes, count } => Some((*bytes, *count)),
        _ => None,
    });
    let Some((bytes, count)) = blocks else {
        return cx.refuse(Code::E0380, "the block size is missing");
    };
    let lanes = cx.message_lanes();
    let request = Request::SvmScattered(SvmScattered {
        access: access(write),
        block_bytes: bytes,
        blocks: count,
        lanes: coded(lanes),
    });
    let addresses = cx.given(0, "addresses")?;
    let mut plan = cx.plan(request)?.of(vec![cx.part(addresses, 8 * lanes)]);
    let registers = rows((bytes * count).max(4) * lanes, cx.platform);
    plan.response = if write { 0 } else { registers };
    cx.moved(plan, write, 1, |cx, data| {
        cx.part(data, registers * cx.grf())
    })
}

/// `svm_gather4scaled` and `svm_scatter4scaled`. Source: lowering reference 13.
pub(super) fn svm_scaled(cx: &mut Lowering) -> Result<()> {
    let write = cx.instruction.opcode.node == Opcode::SvmScatter4Scaled;
    let es = cx.lanes();
    let channels = cx.channels(ChannelMask(1));
    let request = Request::SvmUntyped(Untyped {
        surface: STATELESS,
        access: access(write),
        lanes: if es == 8 { 8 } else { 16 },
        channels,
    });
    let addresses = cx.given(1, "addresses")?;
    let part = match cx.scalar(0) {
        Value::Const(0) => cx.part(addresses, 8 * es),
        offset => {
            let sum = |lane: u32| Run::Value {
                value: Value::call(
                    Op::Add,
                    Value::Element {
                        root: addresses.root,
                        offset: addresses.at + 8 * lane,
                        ty: Type::Uq,
                    },
                    offset.clone(),
                ),
                size: 8,
            };
            PayloadPart::from_runs((0..es).map(sum).collect(), cx.grf())
        }
    };
    let mut plan = cx.plan(request)?.of(vec![part]);
    // Parts of a register count as none (`quirks::PART_OF_REGISTER`): sizes below native lose their response,
    // and data are counted all channels together.
    plan.response = if write {
        0
    } else {
        channels.count() * (4 * es / cx.grf())
    };
    let registers = (4 * es * channels.count() / cx.grf()).max(1);
    cx.moved(plan, write, 2, |cx, data| {
        cx.part(data, registers * cx.grf())
    })
}
