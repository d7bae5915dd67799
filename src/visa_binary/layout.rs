//! The fields of each record after its opcode. Where a row of the instruction table has the usual shape (execution
//! size, predicate, vector operands in the order of the text) the row says it; the others are listed.
//!
//! Source: vISA binary reference 3; the Format tables of the vISA pages.

use super::Version;
use crate::isa::{ExecUse, OpInfo, Opcode, PredicateUse, Slot};

/// What a field holds. A number in parentheses is the operand's, in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Execution size and mask.
    Exec,
    /// The predicate in front.
    Pred,
    /// A vector operand.
    Vector(usize),
    /// One of three scalars in parentheses.
    Triple(usize, usize),
    /// A raw operand.
    Raw(usize),
    /// A surface's number.
    Surface(usize),
    /// A sampler's number.
    Sampler(usize),
    /// A label's number.
    Label(usize),
    /// Number of labels.
    LabelCount(usize),
    /// The labels.
    Labels(usize),
    /// Number of parameters from an operand on.
    ParamCount(usize),
    /// Parameters from an operand on.
    Params(usize),
    /// The index of a string.
    Text(usize),
    /// The number of a variable of any class.
    Variable(usize),
    /// The operands of a render target write after its surface, those that its mode has.
    Target(usize),
    /// Something that is a number of so many bytes.
    Value(Number, usize),
}

/// A field that is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// `.RGBA`.
    Channels,
    /// The same, and bit 4 for 16 pixels.
    ChannelsAndPixels,
    /// The number of one channel.
    Channel,
    /// `.RGBA.16-full`.
    ChannelsAndFormat,
    /// `.eq`.
    Relation,
    /// The sub-opcode of the row.
    Sub,
    /// The operation of the 3D sampler with its flags.
    Operation,
    /// `.nomod`.
    MediaMode,
    /// Width, height of a block.
    Width(usize),
    Height(usize),
    /// A plain number among the operands.
    Plain(usize),
    /// First and second of a pair.
    First(usize),
    Second(usize),
    /// Owords as a power of two.
    Owords,
    /// The same, and bit 3 where the address is unaligned.
    OwordsAndAlignment,
    /// `.mod`.
    Mod,
    /// `.1 .2 .4` as powers of two.
    ElementBytes,
    /// Elements and execution mask of `gather`.
    Elements,
    /// `.B.C`.
    BlockBytes,
    BlockCount,
    /// Always zero.
    Zero,
    /// `.add`.
    Atomic,
    /// Output control of AVS.
    AvsControl(usize),
    /// Block shape of AVS.
    AvsMode(usize),
    /// Flags of a fence.
    Fence,
    /// `.10.2.1.0`: one of the numbers.
    SendSize(usize),
    /// End of `lifetime`, class of the variable.
    Lifetime(usize),
    /// `.xHH`.
    Boolean,
    /// Flags of a render target write.
    TargetMode,
}

/// A field: its name on the page, what it holds.
pub(super) type Layout = Vec<(&'static str, Kind)>;

use Kind::*;
use Number::*;

const fn ub(number: Number) -> Kind {
    Kind::Value(number, 1)
}

const fn uw(number: Number) -> Kind {
    Kind::Value(number, 2)
}

const fn ud(number: Number) -> Kind {
    Kind::Value(number, 4)
}

const EXEC: (&str, Kind) = ("Exec_size", Exec);
const PRED: (&str, Kind) = ("Pred", Pred);

/// The record of a row; `None` where the reference has none, or not to the bit.
#[rustfmt::skip]
pub(super) fn layout(row: &OpInfo, version: Version) -> Option<Layout> {
    use Opcode as O;
    let operation = if version.wide_operations() { uw(Operation) } else { ub(Operation) };
    let listed: &[(&'static str, Kind)] = match row.opcode {
        O::Min | O::Max => &[EXEC, ("Op", ub(Sub)), ("Dst", Vector(0)), ("Src0", Vector(1)), ("Src1", Vector(2))],
        O::Cmp => &[EXEC, ("Rel_op", ub(Relation)), ("Dst", Vector(0)), ("Src0", Vector(1)), ("Src1", Vector(2))],
        O::Bfn => &[EXEC, PRED, ("Dst", Vector(0)), ("Src0", Vector(1)), ("Src1", Vector(2)), ("Src2", Vector(3)),
            ("BooleanFuncCtrl", ub(Boolean))],
        O::Jmp | O::Call | O::Goto => &[EXEC, PRED, ("Label", Label(0))],
        O::Ret | O::Fret => &[EXEC, PRED],
        O::OwordLd | O::OwordLdUnaligned => &[("Size", ub(Owords)), ("Is_modified", ub(Mod)), ("Surface", Surface(0)),
            ("Offset", Vector(1)), ("Dst", Raw(2))],
        O::OwordSt => &[("Size", ub(Owords)), ("Surface", Surface(0)), ("Offset", Vector(1)), ("Src", Raw(2))],
        O::MediaLd | O::MediaSt => &[("Modifiers", ub(MediaMode)), ("Surface", Surface(1)), ("Plane", ub(Plain(2))),
            ("Block_width", ub(Width(0))), ("Block_height", ub(Height(0))), ("X_offset", Vector(3)),
            ("Y_offset", Vector(4)), if_written(row, "Dst", "Src", 5)],
        O::Gather => &[("Elt_size", ub(ElementBytes)), ("Is_modified", ub(Zero)), ("Num_elts", ub(Elements)),
            ("Surface", Surface(0)), ("Global_offset", Vector(1)), ("Element_offset", Raw(2)), ("Dst", Raw(3))],
        O::Scatter => &[("Elt_size", ub(ElementBytes)), ("Num_elts", ub(Elements)), ("Surface", Surface(0)),
            ("Global_offset", Vector(1)), ("Element_offset", Raw(2)), ("Src", Raw(3))],
        O::Sample => &[("Channels", ub(ChannelsAndPixels)), ("Sampler", Sampler(0)), ("Surface", Surface(1)),
            ("U", Raw(2)), ("V", Raw(3)), ("R", Raw(4)), ("Dst", Raw(5))],
        O::SampleUnorm => &[("Channel_mask", ub(ChannelsAndFormat)), ("Sampler", Sampler(0)), ("Surface", Surface(1)),
            ("U_offset", Vector(2)), ("V_offset", Vector(3)), ("DeltaU", Vector(4)), ("DeltaV", Vector(5)),
            ("Dst", Raw(6))],
        O::Load => &[("Channels", ub(ChannelsAndPixels)), ("Surface", Surface(0)), ("U", Raw(1)), ("V", Raw(2)),
            ("R", Raw(3)), ("Dst", Raw(4))],
        O::Avs => &[("Channels", ub(Channels)), ("Sampler", Sampler(0)), ("Surface", Surface(1)),
            ("U_offset", Vector(2)), ("V_offset", Vector(3)), ("DeltaU", Vector(4)), ("DeltaV", Vector(5)),
            ("u2d", Vector(6)), ("groupID", Vector(7)), ("verticalBlockNumber", Vector(8)),
            ("cntrl", ub(AvsControl(9))), ("v2d", Vector(10)), ("execMode", ub(AvsMode(11))),
            ("IEFBypass", Vector(12)), ("Dst", Raw(13))],
        O::Gather4Typed | O::Scatter4Typed => &[EXEC, PRED, ("Channels", ub(Channels)), ("Surface", Surface(0)),
            ("U", Raw(1)), ("V", Raw(2)), ("R", Raw(3)), ("LOD", Raw(4)), if_written(row, "Dst", "Src", 5)],
        O::SvmBlockLd | O::SvmBlockSt => &[("Properties", ub(OwordsAndAlignment)), ("Address", Vector(0)),
            if_written(row, "Dst", "Src", 1)],
        O::SvmGather | O::SvmScatter => &[EXEC, PRED, ("Block_size", ub(BlockBytes)), ("Num_blocks", ub(BlockCount)),
            ("Addresses", Raw(0)), if_written(row, "Dst", "Src", 1)],
        O::SvmAtomic => &[EXEC, PRED, ("Op", ub(Atomic)), ("Addresses", Raw(0)), ("Src0", Raw(2)), ("Src1", Raw(3)),
            ("Dst", Raw(1))],
        O::SvmGather4Scaled | O::SvmScatter4Scaled => &[EXEC, PRED, ("Channels", ub(Channels)), ("Scale", uw(Zero)),
            ("Address", Vector(0)), ("Element_offset", Raw(1)), if_written(row, "Dst", "Src", 2)],
        O::Ifcall => &[EXEC, PRED, ("Func_addr", Vector(0)), ("Arg_size", ub(Plain(1))), ("Return_size", ub(Plain(2)))],
        O::File => &[("File_name", Text(0))],
        O::Loc => &[("Line_number", ud(Plain(0)))],
        O::VmeIme => &[("StreamMode", ub(First(0))), ("SearchCtrl", ub(Second(0))), ("UNIInput", Raw(2)),
            ("IMEInput", Raw(3)), ("Surface", Surface(1)), ("Ref0", Raw(4)), ("Ref1", Raw(5)), ("CostCenter", Raw(6)),
            ("Output", Raw(7))],
        O::VmeSic => &[("UNIInput", Raw(1)), ("SICInput", Raw(2)), ("Surface", Surface(0)), ("Output", Raw(3))],
        O::VmeFbr => &[("UNIInput", Raw(2)), ("FBRInput", Raw(3)), ("Surface", Surface(1)),
            ("FBRMbMode", Triple(0, 0)), ("FBRSubMbShape", Triple(0, 1)), ("FBRSubPredMode", Triple(0, 2)),
            ("Output", Raw(4))],
        O::Barrier | O::SamplerCacheFlush | O::Yield => &[],
        O::Wait => &[("Mask", Vector(0))],
        O::FenceGlobal | O::FenceLocal | O::FenceSw => &[("Mask", ub(Fence))],
        O::RawSend | O::RawSendc => &[("Modifiers", ub(Sub)), EXEC, PRED, ("ExMsgDesc", ud(Plain(0))),
            ("NumSrc", ub(Plain(1))), ("NumDst", ub(Plain(2))), ("Desc", Vector(3)), ("Src", Raw(4)), ("Dst", Raw(5))],
        O::Switchjmp => &[EXEC, ("Num_labels", LabelCount(1)), ("Index", Vector(0)), ("Label", Labels(1))],
        O::Resinfo => &[("Op", ub(Sub)), EXEC, ("Channels", ub(Channels)), ("Surface", Surface(0)), ("LOD", Raw(1)),
            ("Dst", Raw(2))],
        O::Sampleinfo => &[("Op", ub(Sub)), EXEC, ("Channels", ub(Channels)), ("Surface", Surface(0)), ("Dst", Raw(1))],
        O::RtWrite3d => &[EXEC, PRED, ("Mode", uw(TargetMode)), ("Surface", Surface(0)), ("", Target(1))],
        O::UrbWrite3d => &[EXEC, PRED, ("Num_out", ub(Plain(0))), ("Channel_mask", Raw(2)),
            ("Global_offset", uw(Plain(1))), ("URB_handle", Raw(3)), ("Per_slot_offset", Raw(4)), ("Vertex_data", Raw(5))],
        O::TypedAtomic => &[("Op", ub(Atomic)), EXEC, PRED, ("Surface", Surface(0)), ("U", Raw(1)), ("V", Raw(2)),
            ("R", Raw(3)), ("LOD", Raw(4)), ("Src0", Raw(5)), ("Src1", Raw(6)), ("Dst", Raw(7))],
        O::DwordAtomic => &[("Op", ub(Atomic)), EXEC, PRED, ("Surface", Surface(0)), ("Element_offset", Raw(1)),
            ("Src0", Raw(2)), ("Src1", Raw(3)), ("Dst", Raw(4))],
        O::Gather4Scaled | O::Scatter4Scaled => &[EXEC, PRED, ("Channels", ub(Channels)), ("Scale", uw(Zero)),
            ("Surface", Surface(0)), ("Offset", Vector(1)), ("Element_offset", Raw(2)), if_written(row, "Dst", "Src", 3)],
        O::GatherScaled | O::ScatterScaled => &[EXEC, PRED, ("Block_size", ub(Zero)), ("Num_blocks", ub(ElementBytes)),
            ("Scale", uw(Zero)), ("Surface", Surface(0)), ("Offset", Vector(1)), ("Element_offset", Raw(2)),
            if_written(row, "Dst", "Src", 3)],
        O::RawSends | O::RawSendsEot | O::RawSendsc | O::RawSendscEot => &[("Modifiers", ub(Sub)), EXEC, PRED,
            ("NumSrc0", ub(SendSize(1))), ("NumSrc1", ub(SendSize(2))), ("NumDst", ub(SendSize(3))),
            ("SFID", ub(SendSize(0))), ("ExMsgDesc", Vector(0)), ("Desc", Vector(1)), ("Src0", Raw(2)),
            ("Src1", Raw(3)), ("Dst", Raw(4))],
        O::LifetimeStart | O::LifetimeEnd => &[("properties", ub(Lifetime(0))), ("variable", Variable(0))],
        O::SbarrierSignal | O::SbarrierWait => &[("Mode", ub(Sub))],
        _ if row.code == 0x6d => &[("Op", operation), EXEC, PRED, ("Channels", ub(Channels)), ("Aoffimmi", Vector(0)),
            ("Sampler", Sampler(1)), ("Surface", Surface(2)), ("Dst", Raw(3)), ("NumParams", ParamCount(4)),
            ("P", Params(4))],
        _ if row.code == 0x6e => &[("Op", operation), EXEC, PRED, ("Channels", ub(Channels)), ("Aoffimmi", Vector(0)),
            ("Surface", Surface(1)), ("Dst", Raw(2)), ("NumParams", ParamCount(3)), ("P", Params(3))],
        _ if row.code == 0x6f => &[("Op", operation), EXEC, PRED, ("Src_channel", ub(Channel)), ("Aoffimmi", Vector(0)),
            ("Sampler", Sampler(1)), ("Surface", Surface(2)), ("Dst", Raw(3)), ("NumParams", ParamCount(4)),
            ("P", Params(4))],
        _ => return usual(row),
    };
    Some(listed.to_vec())
}

const fn if_written(
    row: &OpInfo,
    dst: &'static str,
    src: &'static str,
    at: usize,
) -> (&'static str, Kind) {
    let written = matches!(row.slots[at], Slot::RawDst);
    (if written { dst } else { src }, Raw(at))
}

/// Execution size, predicate, vector operands.
fn usual(row: &OpInfo) -> Option<Layout> {
    const SOURCES: [&str; 4] = ["Src0", "Src1", "Src2", "Src3"];
    let vector = |slot: &Slot| {
        matches!(
            slot,
            Slot::Dst
                | Slot::DstMov
                | Slot::DstOrPred
                | Slot::DstPred
                | Slot::DstAddress
                | Slot::StateOrDst
                | Slot::Src
                | Slot::SrcMov
                | Slot::SrcOrPred
                | Slot::AddressBase
                | Slot::StateOrSrc
        )
    };
    // What the page of `invm` and its like calls PredDst is no operand of the text.
    let unlike = matches!(row.opcode, Opcode::Invm | Opcode::Rsqtm) || row.code > 0xff;
    if row.exec != ExecUse::Lanes || unlike || !row.slots.iter().all(vector) {
        return None;
    }
    let mut fields = vec![EXEC];
    if matches!(
        row.predicate,
        PredicateUse::Optional | PredicateUse::Required
    ) {
        fields.push(PRED);
    }
    let second = match row.opcode {
        Opcode::Addc => "Carry",
        Opcode::Subb => "Borrow",
        _ => "Src0",
    };
    for at in 0..row.slots.len() {
        let carries = usize::from(second != "Src0");
        let name = match at {
            0 => "Dst",
            1 => second,
            at => SOURCES[at - 1 - carries],
        };
        fields.push((name, Vector(at)));
    }
    Some(fields)
}
