//! Render target and URB writes. Source: lowering reference 14 and 15.
//!
//! ```text
//!  target   [header r0, second header] [source-0 alpha] [omask] R G B A [depth] [stencil]
//!  urb      handles | [per-slot offsets] [mask << 16] data
//! ```

use super::operand::RawOperand;
use super::plan::{Base, Layout};
use super::{Lowering, Op, PayloadPart, Result, Run, Value, quirks};
use crate::diagnostic::Code;
use crate::isa::Type;
use crate::lower::has_ignored_operand;
use crate::message::bits::rows;
use crate::message::fields::{extended_gen11 as ex, render_target_header as h, urb as c};
use crate::message::{Request, TargetWrite, UrbWrite};
use crate::syntax::ast::{Name, Operand, Suffix};

/// The operands of a render target write, found by its flags.
pub(super) struct Target {
    flags: Vec<Name>,
    pub second_header: Option<RawOperand>,
    counter: Option<Value>,
    pub index: Option<Value>,
    alpha: Option<usize>,
    omask: Option<usize>,
    pub colours: [usize; 4],
    pub depth: Option<usize>,
    stencil: Option<usize>,
}

impl Target {
    /// Reads them. Refused if colours are missing.
    pub fn read(cx: &Lowering) -> Result<Target> {
        let flags = cx.instruction.suffix(|s| match s {
            Suffix::TargetFlags(flags) => Some(flags.clone()),
            _ => None,
        });
        let flags = flags.unwrap_or_default();
        let has = |word: &str| flags.iter().any(|f| *f == *word);
        let ignored = has_ignored_operand(has, cx.instruction.operands.len());
        let mut next = 2 + usize::from(ignored)..;
        let mut take = |wanted: bool| wanted.then(|| next.next()).flatten();
        let counter = take(has("CPS")).map(|i| cx.scalar(i));
        let index = take(has("RTI")).map(|i| cx.scalar(i));
        let alpha = take(has("A"));
        let omask = take(has("O"));
        let colours = [(); 4].map(|()| take(true).unwrap_or(0));
        let depth = take(has("Z"));
        let stencil = take(has("ST"));
        let last = cx.instruction.operands.get(colours[3]).map(|o| &o.node);
        if matches!(last, None | Some(Operand::Immediate(_))) {
            return cx.refuse(
                Code::E0380,
                "four colour operands are required after the flags",
            );
        }
        Ok(Target {
            second_header: cx.raw(1),
            counter,
            index,
            alpha,
            omask,
            colours,
            depth,
            stencil,
            flags,
        })
    }

    /// The types of the colours that are given.
    pub fn types(&self, cx: &Lowering) -> Vec<Type> {
        self.colours
            .iter()
            .filter_map(|i| Some(cx.raw(*i)?.ty))
            .collect()
    }

    /// Whether a flag is set.
    pub fn has(&self, word: &str) -> bool {
        self.flags.iter().any(|flag| *flag == *word)
    }

    /// Whether the colours are half floats: the first decides, also when it is absent.
    pub fn is_half(&self, cx: &Lowering) -> bool {
        let first = cx.raw(self.colours[0]);
        first.is_some_and(|place| place.ty == Type::Hf)
    }
}

/// `rt_write_3d`. Source: lowering reference 14.
pub(super) fn target(cx: &mut Lowering) -> Result<()> {
    let target = Target::read(cx)?;
    let has = |word: &str| target.has(word);
    let (es, grf, half) = (cx.lanes(), cx.grf(), target.is_half(cx));
    let constant = target.index.as_ref().map(|index| index.constant());
    let header = target.alpha.is_some()
        || match constant {
            None => false,
            Some(None) => true,
            // Later extended descriptors hold it.
            Some(Some(index)) => index != 0 && cx.has(&quirks::INDEX_IN_HEADER),
        };
    // What the payload holds is said in a header alone.
    let in_header = |operand: Option<usize>| header && operand.is_some();
    let index = constant.flatten().filter(|_| !header).unwrap_or(0);
    let exec = cx.exec(es);
    let mut plan = cx.plan_with_header(
        Request::Target(TargetWrite {
            surface: 0,
            lanes: if es > 8 { 16 } else { 8 },
            second_half: exec.offset == 16,
            last: has("LRTW"),
            per_sample: has("PS"),
            coarse: has("CM"),
            half,
            target: index & ex::TARGET.max(),
            alpha: in_header(target.alpha),
            omask: in_header(target.omask),
            depth: in_header(target.depth),
            stencil: in_header(target.stencil),
            null: has("NULLRT") && cx.platform.null_target,
            eot: false,
        }),
        header,
    )?;
    plan.surface = Some(cx.surface(0));
    (plan.conditional, plan.two_sources) = (true, true);
    plan.counter = target.counter.clone();
    plan.layout = Layout::Together;
    // Colours: 32 bits for each lane, or 16; two registers for eight lanes where one holds sixteen.
    let wide = |bytes: u32| match (es, bytes, grf) {
        (8, 4, 64) => 2,
        _ => rows(es * bytes, cx.platform),
    };
    let bytes = if half { 2 } else { 4 };
    let part = |i: usize, rows: u32, bytes: u32| match cx.raw(i) {
        Some(place) => cx.padded(place, es * bytes, rows),
        None => PayloadPart::absent(rows, grf),
    };
    let parts = &mut plan.parts;
    parts.extend(target.alpha.map(|i| part(i, wide(bytes), bytes)));
    parts.extend(target.omask.map(|i| part(i, 1, 2)));
    parts.extend(target.colours.map(|i| part(i, wide(bytes), bytes)));
    // Beside 16-bit colours depth is counted as on registers of 32 bytes.
    let depth_rows = if half { es.div_ceil(8) } else { wide(4) };
    parts.extend(target.depth.map(|i| part(i, depth_rows, 4)));
    // One register of stencil, whatever the lanes, copied like a colour.
    parts.extend(target.stencil.map(|i| part(i, 1, bytes)));
    if header {
        // Only the eight dwords of r0 are copied, also into a register of sixteen.
        plan.header = Some(Base::R0Low);
        plan.put(h::ALPHA, Value::Dispatch(0));
        if let Some(index) = target.index.filter(|index| index.constant() != Some(0)) {
            plan.put(h::INDEX, index);
        }
        // A predicate goes into the header and leaves the send.
        plan.predicate = None;
        plan.layout = Layout::Joined(0);
        if let Some(place) = target.second_header {
            plan.parts.insert(0, second_header(cx, place));
            plan.layout = Layout::Joined(1);
        }
    }
    cx.send(plan)
}

/// The operand, with the predicate's bits in `M1.7`. Source: lowering reference 14.
fn second_header(cx: &Lowering, place: RawOperand) -> PayloadPart {
    let grf = cx.grf();
    if cx.instruction.predicate.is_none() {
        return cx.part(place, grf);
    }
    let flag = 4 * h::FLAG.dw as u32 % 32;
    let bytes = |offset: u32, len: u32| Run::Bytes {
        root: place.root,
        offset: place.at + offset,
        len,
    };
    let word = Run::Value {
        value: Value::Flag,
        size: 2,
    };
    let runs = vec![bytes(0, flag), word, bytes(flag + 2, 32 - flag - 2)];
    PayloadPart::from_runs(runs, grf)
}

/// `urb_write_3d`. Source: lowering reference 15.
pub(super) fn urb(cx: &mut Lowering) -> Result<()> {
    let (Some(count), Some(offset)) = (cx.number(0), cx.number(1)) else {
        return cx.refuse(Code::E0380, "a count and an offset are missing");
    };
    if count == 0 || count > 8 || offset > c::OFFSET.max() {
        return cx.refuse(Code::E0380, "1 to 8 values at an offset below 2048");
    }
    let (mask, slot, data) = (cx.raw(2), cx.raw(4), cx.raw(5));
    let Some(handle) = cx.raw(3) else {
        return cx.refuse(Code::E0380, "the handles are %null");
    };
    let es = cx.lanes();
    let mut plan = cx.plan(Request::Urb(UrbWrite {
        offset,
        per_slot: slot.is_some(),
        masked: mask.is_some(),
        eot: false,
    }))?;
    plan.header = Some(Base::Operand(handle));
    plan.parts.extend(slot.map(|slot| cx.part(slot, 4 * es)));
    let shifted = |v: Value| Value::call(Op::Shl, v, Value::Const(16));
    plan.parts
        .extend(mask.map(|mask| cx.computed(mask, es, shifted)));
    let values = count * rows(4 * es, cx.platform);
    plan.parts
        .extend(data.map(|data| cx.part(data, values * cx.grf())));
    cx.send(plan)
}
