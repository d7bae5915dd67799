//! Blocks of memory: media blocks, owords at surfaces and at 64-bit addresses.
//!
//! ```text
//!  media   M0 .0 X   .1 Y   .2 size of the block, others as r0
//!  oword   M0 .2 offset                          svm   M0 .0 and .1 address
//! ```
//!
//! Source: lowering reference 2, 8, 13 and 18.5; vISA MEDIA_LD.

use super::plan::{Base, Copies};
use super::{Lowering, Op, PayloadPart, Result, Run, Value, quirks};
use crate::diagnostic::Code;
use crate::isa::{ChannelMask, MediaMode, Opcode, Type};
use crate::message::bits::rows;
use crate::message::dataport::STATELESS;
use crate::message::fields::{media_block_header, offset_header, svm_block_header};
use crate::message::{
    Access, DataPath, FieldSelect, Lsc, LscData, LscModel, LscOp, MediaBlock, OwordBlock, Request,
    Sfid, Strided, SvmBlock,
};
use crate::syntax::ast::{Operand, Suffix};

/// `media_ld` and `media_st`. Gen5 has no block as wide as vISA's: it sends two, whose rows interleave.
pub(super) fn media(cx: &mut Lowering) -> Result<()> {
    let read = cx.instruction.opcode.node == Opcode::MediaLd;
    let (width, height) = match cx.operand(0) {
        Some(Operand::Block { width, height })
            if (1..=64).contains(width) && (1..=64).contains(height) =>
        {
            (*width as u32, *height as u32)
        }
        _ => return cx.refuse(Code::E0380, "a block of 1 to 64 bytes by 1 to 64 rows"),
    };
    let mode = cx.instruction.suffix(|s| match s {
        Suffix::MediaMode(mode) => Some(*mode),
        _ => None,
    });
    let field = match mode {
        Some(MediaMode::Top | MediaMode::TopMod) => FieldSelect::Top,
        Some(MediaMode::Bottom | MediaMode::BottomMod) => FieldSelect::Bottom,
        _ => FieldSelect::State,
    };
    let place = cx.raw(5);
    if place.is_none() && !read && cx.platform.is_gen5() {
        return cx.refuse(Code::E0380, "the data are %null");
    }
    let all = MediaBlock {
        surface: 0,
        field,
        x: 0,
        y: 0,
        width,
        height,
        path: DataPath::DEFAULT,
    };
    let widest = MediaBlock::widest(cx.platform);
    for left in (0..width).step_by(widest as usize) {
        let block = MediaBlock {
            width: widest.min(width - left),
            ..all
        };
        let request = match read {
            true => Request::MediaRead(block),
            false => Request::MediaWrite(block),
        };
        let lanes = if read { cx.platform.native_lanes() } else { 8 };
        let mut plan = cx.plan(request)?.block(lanes);
        plan.surface = Some(cx.surface(1));
        plan.plane = match cx.operand(2) {
            Some(Operand::Number(plane)) if *plane < 4 => *plane as u32,
            _ => 0,
        };
        plan.header = Some(Base::R0);
        plan.put(media_block_header::X, cx.scalar(3).plus(left));
        plan.put(media_block_header::Y, cx.scalar(4));
        plan.put(media_block_header::WIDTH, Value::Const(0));
        let piece = |row: u32| [row * all.pitch() + left, row * block.pitch(), block.pitch()];
        let whole = block.width == width;
        match place {
            Some(place) if !read && whole => plan.parts = vec![cx.part(place, block.bytes())],
            Some(place) if !read => {
                let bytes = |[offset, _, len]: [u32; 3]| Run::Bytes {
                    root: place.root,
                    offset: place.at + offset,
                    len,
                };
                let runs = (0..height).map(|row| bytes(piece(row))).collect();
                plan.parts = vec![PayloadPart::from_runs(runs, cx.grf())];
            }
            _ => plan.place = place.filter(|_| read),
        }
        if !whole || cx.platform.is_gen5() && read && block.bytes() < cx.grf() {
            plan.copies = Copies::Bytes((0..height).map(piece).collect());
        }
        cx.send(plan)?;
    }
    Ok(())
}

/// Lanes of a block message by its owords. Source: lowering reference 8.
const fn oword_lanes(owords: u32) -> u32 {
    match owords {
        1 => 4,
        2 => 8,
        _ => 16,
    }
}

const fn access(write: bool) -> Access {
    if write { Access::Write } else { Access::Read }
}

/// `oword_ld`, `oword_ld_unaligned`, `oword_st`. Source: lowering reference 8.
pub(super) fn oword(cx: &mut Lowering) -> Result<()> {
    let (opcode, owords) = (cx.instruction.opcode.node, cx.lanes());
    let write = opcode == Opcode::OwordSt;
    let mut plan = cx.plan(Request::Oword(OwordBlock {
        surface: 0,
        access: access(write),
        owords,
        high: false,
        unaligned: opcode == Opcode::OwordLdUnaligned,
        offset: 0,
        path: DataPath::DEFAULT,
    }))?;
    plan = plan.block(oword_lanes(owords));
    plan.surface = Some(cx.surface(0));
    // vISA counts owords, Gen5 bytes. Source: lowering reference 18.5.
    let gen5 = cx.platform.is_gen5();
    let offset = Value::call(
        Op::Shl,
        cx.scalar(1),
        Value::Const(if gen5 { 4 } else { 0 }),
    );
    plan.put(offset_header::GLOBAL, offset);
    plan.header = Some(if gen5 { Base::R0 } else { Base::Undefined });
    if cx.is_named(0, STATELESS) && !gen5 {
        cx.scratch(&mut plan);
    }
    data(cx, &mut plan, 2, owords, write);
    cx.send(plan)
}

/// `svm_block_ld` and `svm_block_st`. Source: lowering reference 13.
pub(super) fn svm(cx: &mut Lowering) -> Result<()> {
    let (owords, write) = (cx.lanes(), cx.instruction.opcode.node == Opcode::SvmBlockSt);
    // Parts that have the messages of another stay with the data cache.
    if !write && cx.has(&quirks::SVM_BLOCK_LSC) && cx.asked == cx.platform {
        return pipe_block(cx, owords);
    }
    let mut plan = cx.plan(Request::SvmBlock(SvmBlock {
        access: access(write),
        owords,
        // Of text the finalizer's reader takes no `.unaligned`; the subtype is that of the binary form.
        unaligned: cx.instruction.has(&Suffix::Aligned(false)),
        address: 0,
    }))?;
    plan = plan.block(oword_lanes(owords).max(if write { 8 } else { 4 }));
    plan.header = Some(Base::Undefined);
    let [low, high] = address(cx);
    plan.put(svm_block_header::ADDRESS_LOW, low);
    plan.put(svm_block_header::ADDRESS_HIGH, high);
    data(cx, &mut plan, 1, owords, write);
    cx.send(plan)
}

/// `svm_block_ld` as a load of one lane with consecutive dwords. Source: Xe2 messages reference 2 row 6.
fn pipe_block(cx: &mut Lowering, owords: u32) -> Result<()> {
    let place = cx.raw(1);
    let vector = 4 * owords;
    let request = Request::Lsc(Lsc {
        sfid: Sfid::Ugm,
        model: LscModel::Flat,
        op: LscOp::Load,
        data: LscData::D32,
        vector,
        transposed: true,
        channels: ChannelMask(0),
        returns: place.is_some(),
        address_bits: 64,
        extend: None,
        scale: 1,
        offset: 0,
        lanes: 1,
        coordinates: 1,
        cache: 0,
        strided: Strided::default(),
    });
    let mut plan = cx.plan(request)?.block(1);
    plan.parts = vec![PayloadPart::dwords(address(cx), cx.grf())];
    plan.place = place;
    plan.name = Some(format!("load.ugm.d32x{vector}t.a64"));
    cx.send(plan)
}

/// The registers of owords. After the header of the same payload only the owords are copied, in place all
/// there is.
fn data(cx: &Lowering, plan: &mut super::plan::Plan, at: usize, owords: u32, write: bool) {
    let place = cx.raw(at);
    if !write {
        plan.place = place;
        return;
    }
    let bytes = match (&plan.request, cx.platform.split_send) {
        (Request::Oword(_), false) if !cx.platform.is_gen5() => 16 * owords,
        _ => rows(16 * owords, cx.platform) * cx.grf(),
    };
    plan.parts = place.into_iter().map(|p| cx.part(p, bytes)).collect();
}

/// The two dwords of a scalar address.
fn address(cx: &Lowering) -> [Value; 2] {
    let operand = cx.operand(0);
    if let Some(Operand::Immediate(immediate)) = operand {
        let bits = immediate.value_bits();
        return [Value::Const(bits as u32), Value::Const((bits >> 32) as u32)];
    }
    match operand.map(|o| cx.element(o)) {
        Some(Value::Element { root, offset, ty }) if ty.bytes() == 8 => {
            [0, 4].map(|at| Value::Element {
                root,
                offset: offset + at,
                ty: Type::Ud,
            })
        }
        // Narrower addresses are extended with zeros.
        Some(value) => [value.widened(), Value::Const(0)],
        None => [Value::Undefined, Value::Undefined],
    }
}
