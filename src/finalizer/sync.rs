//! Barriers, fences, cache flush, end of thread. Source: lowering reference 15 and 18.8.

use super::plan::{Base, Copies, Plan};
use super::release::Release;
use super::{Lowering, Op, PayloadPart, Result, Run, Value, quirks};
use crate::diagnostic::Code;
use crate::isa::Opcode;
use crate::isa::platforms::Dialect;
use crate::isa::slots::{LSC_FENCE_OPS, LSC_FENCE_SCOPES};
use crate::message::dataport::fence_flush;
use crate::message::fields::fence as c;
use crate::message::{Fence, LscFence, Request, Sfid};
use crate::syntax::ast::{LscFunction, Suffix};

/// Flag letters of a fence in the order of their bits; I S C R choose the L3 partitions.
const COMMIT: u8 = 1;
const FLAG_R: u8 = 1 << 4;
const FLAG_L1: u8 = 1 << 5;
/// I, S, C and R, moved to bit 0.
pub(super) const PARTITIONS: u8 = 0xf;

impl Lowering<'_> {
    /// A message without lanes that takes r0 along.
    fn r0(&self, request: Request, lanes: u32) -> Result<Plan> {
        let len = self.grf();
        let r0 = vec![Run::Dispatch { offset: 0, len }];
        let plan = self.plan(request)?.block(lanes);
        Ok(plan.of(vec![PayloadPart::from_runs(r0, len)]))
    }

    /// A message whose header is r0 and all there is.
    fn r0_header(&self, request: Request) -> Result<Plan> {
        let mut plan = self.plan(request)?.block(8);
        plan.header = Some(Base::R0);
        Ok(answered(plan))
    }

    /// The flag letters of a fence.
    pub fn fence_flags(&self) -> u8 {
        let flags = self.instruction.suffix(|s| match s {
            Suffix::FenceFlags(flags) => Some(*flags),
            _ => None,
        });
        flags.unwrap_or(0)
    }

    /// A fence of the load/store pipe: r0 goes, and a register comes back when it is done.
    fn pipe_fence(&mut self, sfid: Sfid, flush: u32, scope: u32) -> Result<()> {
        let request = Request::LscFence(LscFence { sfid, flush, scope });
        let plan = self.r0(request, 1)?;
        self.send(answered(plan))
    }
}

/// What comes back says only that it is done.
fn answered(mut plan: Plan) -> Plan {
    if plan.response > 0 {
        plan.copies = Copies::Bytes(Vec::new());
    }
    plan
}

/// `barrier` and `sbarrier.signal`: the thread's identification goes to the gateway.
pub(super) fn barrier(cx: &mut Lowering) -> Result<()> {
    if cx.platform.dialect.state_addresses() {
        let plan = cx.r0(Request::Barrier, 1)?;
        return cx.send(plan);
    }
    let grf = cx.grf();
    let mut plan = cx.plan(Request::Barrier)?.block(1);
    plan.parts = vec![match cx.platform.barrier_mask {
        Some(mask) => {
            let word = Value::call(Op::And, Value::Dispatch(2), Value::Const(mask));
            PayloadPart::dwords(vec![word; (grf / 4) as usize], grf)
        }
        None => {
            let id = Run::Dispatch { offset: 11, len: 1 };
            // From Xe2 on the OpenCL compiler asks for active threads only. Source: Xe2 messages reference 12.
            let active =
                cx.platform.dialect == Dialect::Xe2 && cx.context.release >= Release::R2_40;
            let flags = Run::Value {
                value: Value::Const(if active { 0x100 } else { 0 }),
                size: 2,
            };
            PayloadPart::from_runs(vec![Run::Undefined { len: 8 }, flags, id.clone(), id], grf)
        }
    }];
    cx.send(plan)
}

/// `fence_global` and `fence_local`.
pub(super) fn fence(cx: &mut Lowering) -> Result<()> {
    let local = cx.instruction.opcode.node == Opcode::FenceLocal;
    let flags = cx.fence_flags();
    if cx.platform.lsc.is_some() {
        if flags & !FLAG_R != 0 {
            cx.follow(&quirks::FENCE_FLAGS, "only R reaches the message");
        }
        let (flush, scope) = fence_flush(local, flags & FLAG_R != 0, cx.platform);
        let functions: &[Sfid] = match local {
            true => &[Sfid::Slm],
            false => &[Sfid::Ugm, Sfid::Tgm],
        };
        return functions
            .iter()
            .try_for_each(|&sfid| cx.pipe_fence(sfid, flush, scope));
    }
    let plan = cx.r0_header(Request::Fence(Fence {
        // A platform without the port fences both.
        local: local && cx.platform.slm_port,
        commit: flags & COMMIT != 0,
        l3: u32::from(flags >> 1) & c::L3.max(),
        l1: flags & FLAG_L1 != 0,
    }))?;
    cx.send(plan)
}

/// `lsc_fence`: its words are the message's codes.
pub(super) fn lsc_fence(cx: &mut Lowering) -> Result<()> {
    let code = |words: &[&str], word: &str| words.iter().position(|w| *w == word);
    let codes = cx.instruction.suffix(|s| match s {
        Suffix::LscFence { op, scope } => {
            code(LSC_FENCE_OPS, op).zip(code(LSC_FENCE_SCOPES, scope))
        }
        _ => None,
    });
    let function = cx.instruction.suffix(|s| match s {
        Suffix::LscFunction(function) => Some(*function),
        _ => None,
    });
    let (Some((flush, scope)), Some(function)) = (codes, function) else {
        return cx.refuse(
            Code::E0380,
            "a function, an operation and a scope are missing",
        );
    };
    let sfid = match function {
        LscFunction::Ugm => Sfid::Ugm,
        LscFunction::Ugml => Sfid::Ugml,
        LscFunction::Slm => Sfid::Slm,
        LscFunction::Tgm => Sfid::Tgm,
    };
    cx.pipe_fence(sfid, flush as u32, scope as u32)
}

/// `sampler_cache_flush`: not `(W)`, although its lanes mean nothing.
pub(super) fn flush(cx: &mut Lowering) -> Result<()> {
    let mut plan = match cx.platform.dialect.state_addresses() {
        true => {
            let plan = cx.plan(Request::SamplerFlush)?.block(16);
            answered(plan.of(vec![PayloadPart::absent(1, cx.grf())]))
        }
        false => cx.r0_header(Request::SamplerFlush)?,
    };
    plan.exec.no_mask = false;
    cx.send(plan)
}

/// `ret` that ends the thread.
pub(super) fn end_of_thread(cx: &mut Lowering) -> Result<()> {
    let plan = cx.r0(Request::EndOfThread, 8)?;
    cx.send(plan)
}
