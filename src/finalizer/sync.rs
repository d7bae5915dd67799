//! Barriers, fences, cache flush, end of thread. Source: lowering reference 15.

use super::{Lowering, Part, Plan, Result, Run, Value, faults, unmasked};
use crate::diagnostic::Code;
use crate::isa::slots::{LSC_FENCE_OPS, LSC_FENCE_SCOPES};
use crate::isa::{Opcode, Platform};
use crate::message::Sfid;
use crate::message::dataport::{SLM, fence_flush, lsc_fence_control, types};
use crate::message::fields::{self, fence as c};
use crate::message::sampler::{BLOCK_MODE, FLUSH_TYPE, function_control};
use crate::syntax::ast::{LscFunction, Suffix};

/// Flag letters of a fence in the order of their bits.
const COMMIT: u8 = 1;
const FLAG_R: u8 = 1 << 4;
const FLAG_L1: u8 = 1 << 5;

/// `barrier` and `sbarrier.signal`: the thread's identification goes to the gateway.
pub(super) fn barrier(cx: &mut Lowering) -> Result<()> {
    let grf = cx.grf();
    // Which bits of r0.2 tell the barrier.
    let mask = match cx.platform {
        Platform::Ilk | Platform::Bdw => Some(0x0f00_0000),
        Platform::Skl => Some(0x8f00_0000),
        Platform::Icl | Platform::Tgl => Some(0x7f00_0000),
        Platform::Dg2 | Platform::Pvc => None,
    };
    let part = match mask {
        Some(mask) => {
            let word = Value::call(super::Op::And, Value::Dispatch(2), Value::Const(mask));
            Part::dwords(vec![word; (grf / 4) as usize], grf)
        }
        None => {
            let id = Run::Dispatch { offset: 11, len: 1 };
            let zeros = Run::Value {
                value: Value::Const(0),
                size: 2,
            };
            Part::from_runs(vec![Run::Undefined { len: 8 }, zeros, id.clone(), id], grf)
        }
    };
    let control = Value::Const(types::BARRIER << fields::gateway::OPCODE.lo);
    let mut plan = Plan::new(Sfid::Gateway, control, unmasked(1));
    plan.predicated = false;
    plan.parts = vec![part];
    plan.first = 1;
    cx.send(plan);
    Ok(())
}

/// `fence_global` and `fence_local`.
pub(super) fn fence(cx: &mut Lowering) -> Result<()> {
    let local = cx.instruction.opcode.node == Opcode::FenceLocal;
    let flags = cx
        .instruction
        .suffix(|s| match s {
            Suffix::FenceFlags(flags) => Some(*flags),
            _ => None,
        })
        .unwrap_or(0);
    if cx.platform >= Platform::Dg2 {
        let functions: &[Sfid] = if local {
            &[Sfid::Slm]
        } else {
            &[Sfid::Ugm, Sfid::Tgm]
        };
        if flags & !FLAG_R != 0 {
            cx.follow(&faults::FENCE_FLAGS, "only R reaches the message");
        }
        let read_write = flags & FLAG_R != 0;
        let (flush, scope) = fence_flush(local, read_write, cx.platform);
        for &sfid in functions {
            pipe_fence(cx, sfid, lsc_fence_control(flush, scope));
        }
        return Ok(());
    }
    let commit = flags & COMMIT != 0;
    // I S C R choose the L3 partitions: bits 1 to 4 of the flags.
    let mut l3 = u32::from(flags >> 1) & c::L3.max();
    if cx.platform == Platform::Tgl && l3 != 0 {
        l3 = 0;
        cx.follow(
            &faults::FENCE_FLAGS,
            "I, S, C and R do not reach the message",
        );
    }
    let binding = if local && cx.platform >= Platform::Icl {
        SLM
    } else {
        0
    };
    let control = types::FENCE << c::TYPE.lo
        | u32::from(commit) << c::COMMIT.lo
        | l3 << c::L3.lo
        | u32::from(flags & FLAG_L1 != 0) << c::L1.lo
        | binding;
    let mut plan = Plan::new(Sfid::Dc0, Value::Const(control), unmasked(8));
    plan.predicated = false;
    plan.header = Some(cx.r0_header());
    plan.response = commit.into();
    if commit {
        plan.destination = super::Destination::Temporary;
    }
    cx.send(plan);
    Ok(())
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
            "a function, an operation and a scope are wanted",
        );
    };
    let sfid = match function {
        LscFunction::Ugm => Sfid::Ugm,
        LscFunction::Ugml => Sfid::Ugml,
        LscFunction::Slm => Sfid::Slm,
        LscFunction::Tgm => Sfid::Tgm,
    };
    pipe_fence(cx, sfid, lsc_fence_control(flush as u32, scope as u32));
    Ok(())
}

/// A fence of the load/store pipe: r0 goes, and a register comes back when it is done.
fn pipe_fence(cx: &mut Lowering, sfid: Sfid, control: u32) {
    let mut plan = Plan::new(sfid, Value::Const(control), unmasked(1));
    plan.predicated = false;
    plan.parts = vec![r0(cx)];
    plan.first = 1;
    plan.response = 1;
    plan.destination = super::Destination::Temporary;
    cx.send(plan);
}

/// `sampler_cache_flush`: not `(W)`, although its lanes mean nothing.
pub(super) fn flush(cx: &mut Lowering) -> Result<()> {
    let mut exec = unmasked(8);
    exec.no_mask = false;
    let control = Value::Const(function_control(BLOCK_MODE, FLUSH_TYPE));
    let mut plan = Plan::new(Sfid::Sampler, control, exec);
    plan.predicated = false;
    plan.header = Some(cx.r0_header());
    plan.response = 1;
    plan.destination = super::Destination::Temporary;
    cx.send(plan);
    Ok(())
}

/// `ret` that ends the thread.
pub(super) fn end_of_thread(cx: &mut Lowering) -> Result<()> {
    let (sfid, control) = if cx.platform >= Platform::Dg2 {
        (Sfid::Gateway, fields::gateway::END.mask())
    } else {
        (Sfid::Ts, fields::spawner::CHILD.mask())
    };
    let mut plan = Plan::new(sfid, Value::Const(control), unmasked(8));
    plan.predicated = false;
    plan.parts = vec![r0(cx)];
    plan.first = 1;
    plan.extended.eot = true;
    cx.send(plan);
    Ok(())
}

/// The dispatch header as a payload register.
fn r0(cx: &Lowering) -> Part {
    let len = cx.grf();
    Part::from_runs(vec![Run::Dispatch { offset: 0, len }], len)
}
