//! Sampler messages: the 3D sampler, AVS, `sample_unorm` and the old `sample` and `load`.
//!
//! Source: vISA 3D_LOAD; vISA AVS; vISA text reference 5.7, 5.8, 7.2 to 7.5; lowering reference 3.

use super::VarId;
use super::blocks::media_surface;
use super::operand_size::{from_new_registers, must_hold};
use super::rules::NULL;
use super::rules::{Context, Found};
use crate::diagnostic::Code;
use crate::isa::predefined::BINDLESS_SAMPLER;
use crate::isa::{ChannelMask, Family, Opcode, Slot, Type, UnormFormat};
use crate::message::{SamplerOp, parameters};
use crate::source::Span;
use crate::syntax::ast::{Immediate, Operand, Suffix};

/// The parameters of a 3D sampler instruction in text order. Trailing ones may be left out.
///
/// `words` tells the 16-bit form of `load_2dms_w`, which takes the 64-bit MCS value in four parts.
pub fn parameters(opcode: Opcode, words: bool) -> Vec<&'static str> {
    let op = match opcode.info().family {
        Family::Sampler3d => SamplerOp::of_instruction(opcode.info()),
        _ => None,
    };
    let order = op.map_or(&[][..], |op| parameters::order(op, words));
    order.iter().map(|p| p.name()).collect()
}

fn is_load(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Load3d | Opcode::LoadLz | Opcode::LoadL | Opcode::LoadMcs | Opcode::Load2dmsW
    )
}

/// The page a rule about 3D sampler operands comes from.
const PAGE: &str = "vISA 3D_LOAD";

/// `sample_…`, `load_…`, `sample4…`, `resinfo`, `sampleinfo`.
pub(super) fn sampler_3d(cx: &Context<'_>, found: &mut Found<'_>) {
    let opcode = cx.opcode();
    sampler_lanes(cx, found, &[8, 16, 32]);
    some_channel(cx, found);
    let slot = |wanted: fn(Slot) -> bool| {
        let slots = opcode.info().slots;
        slots.iter().position(|s| wanted(*s))
    };
    if let Some(surface) = slot(|s| s == Slot::Surface) {
        sampled_surface(cx, found, surface);
    }
    cps(cx, found);
    texel_offsets(cx, found);
    let Some(dst) = slot(|s| s == Slot::RawDst) else {
        return;
    };
    sampler_destination(cx, found, dst);
    if let Some(first) = slot(|s| matches!(s, Slot::Params { .. })) {
        parameters_fit(cx, found, first);
    }
    if opcode == Opcode::Resinfo {
        let bytes = u64::from(cx.lanes()) * 4;
        let sum = format!(
            "one level of detail for each lane: {} * 4 = {bytes}",
            cx.lanes()
        );
        must_hold(cx, found, 1, bytes, false, &sum);
    }
}

/// The lane counts a sampler message has.
fn sampler_lanes(cx: &Context<'_>, found: &mut Found<'_>, legal: &[u32]) {
    let Some(exec) = cx.instruction.exec else {
        return;
    };
    if legal.contains(&exec.size) || !matches!(exec.size, 1 | 2 | 4 | 8 | 16 | 32) {
        return;
    }
    let opcode = cx.opcode();
    let list: Vec<String> = legal.iter().map(u32::to_string).collect();
    let near = legal.iter().find(|l| **l >= exec.size).or(legal.last());
    let d = cx
        .page_rule(Code::E0330, format!("{opcode} does not work on {} lanes", exec.size))
        .at(exec.span, format!("lanes are {}", list.join(", ")))
        .note("the hardware would read lanes that were not prepared; Intel's assembler does not check it")
        .help(match cx.opcode().info().exec {
            crate::isa::ExecUse::Lanes => format!("(M1, {})", near.unwrap_or(&8)),
            _ => format!("({})", near.unwrap_or(&8)),
        })
        .see("vISA 3D_LOAD, \"Exec_size\"");
    found.push(d);
}

fn some_channel(cx: &Context<'_>, found: &mut Found<'_>) {
    if cx.instruction.channels().is_some_and(|c| c.count() == 0) {
        let d = cx
            .complaint(Code::E0340, "no channel is enabled")
            .at(cx.mnemonic(), "at least one of R, G, B, A")
            .help(format!("{}.RGBA", cx.opcode()))
            .see("vISA 3D_LOAD, \"Channels\"");
        found.push(d);
    }
}

/// What can be sampled: a surface of the kernel's own, or the bindless one.
fn sampled_surface(cx: &Context<'_>, found: &mut Found<'_>, index: usize) {
    if let Some((_, 4, _)) = cx.surface(index) {
        return;
    }
    media_surface(cx, found, index);
}

fn cps(cx: &Context<'_>, found: &mut Found<'_>) {
    use Opcode::*;
    let Some(suffix) = cx
        .instruction
        .suffixes
        .iter()
        .find(|s| s.node == Suffix::Cps)
    else {
        return;
    };
    let opcode = cx.opcode();
    let may = matches!(
        opcode,
        Sample3d | SampleB | SampleC | SampleBC | Lod | SamplePo | SamplePoB | SamplePoC
    );
    let lanes = cx.lanes();
    let (title, why, help) = match (may, lanes) {
        (true, 8 | 16) => return,
        (true, _) => (
            format!("coarse pixel shading does not work on {lanes} lanes"),
            "8 or 16 lanes".to_string(),
            "(M1, 16)".to_string(),
        ),
        _ => (
            format!("{opcode} takes no .cps"),
            "only sample_3d, sample_b, sample_c, sample_b_c and lod".to_string(),
            format!("{opcode}   // without .cps"),
        ),
    };
    let d = cx
        .complaint(Code::E0339, title)
        .at(suffix.span, why)
        .note("coarse pixel shading scales the gradients between neighbouring lanes; operations without them have no use for it")
        .help(help)
        .see("vISA text reference 7.2, rules 2 and 3");
    found.push(d);
}

/// `aoffimmi`: an immediate of type uw, three signed 4-bit offsets.
fn texel_offsets(cx: &Context<'_>, found: &mut Found<'_>) {
    let Some((operand, span)) = cx
        .with_slots()
        .find(|(slot, _)| *slot == Slot::Offsets)
        .map(|(_, o)| (&o.node, o.span))
    else {
        return;
    };
    let section = "vISA 3D_LOAD, \"Aoffimmi\"";
    let Operand::Immediate(offsets) = operand else {
        let d = cx
            .page_rule(Code::E0332, "texel offsets are not an immediate")
            .at(span, "read at run time")
            .note("the offsets are part of the message descriptor's header and known when the text is assembled")
            .help("0x0:uw")
            .see(section);
        return found.push(d);
    };
    let bits = offsets.value_bits();
    // What the type cuts off is asked for all the same, unless it only repeats a sign.
    let wide = offsets.bits >> 16 & 0xffff;
    if offsets.ty != Type::Uw {
        let d = cx
            .page_rule(
                Code::E0333,
                format!("texel offsets are {}, not uw", offsets.ty),
            )
            .at(span, format!("type {}", offsets.ty))
            .note("the page says: must have type UW; Intel's reader accepts any type and keeps 16 bits")
            .help(format!("0x{:x}:uw", bits & 0xfff))
            .see(section);
        return found.push(d);
    }
    if bits >> 12 != 0 || !matches!(wide, 0 | 0xffff) {
        let nibble = |at: u32| ((bits >> at & 0xf) as i64 ^ 8) - 8;
        let d = cx
            .page_rule(Code::E0334, "texel offsets use reserved bits")
            .at(
                span,
                match bits >> 12 {
                    0 => format!("bits 31..=16 are {wide:#x}"),
                    reserved => format!("bits 15..=12 are {reserved:#x}"),
                },
            )
            .note(format!(
                "bits 3..=0 R, 7..=4 V, 11..=8 U, each -8..=7: this says U {}, V {}, R {}; bits 15..=12 must be zero",
                nibble(8),
                nibble(4),
                nibble(0)
            ))
            .help(format!("0x{:x}:uw", bits & 0xfff))
            .see(section);
        found.push(d);
    }
}

/// Type and size of what the sampler returns.
fn sampler_destination(cx: &Context<'_>, found: &mut Found<'_>, index: usize) {
    let Some((raw, span)) = cx.raw(index) else {
        return;
    };
    let Some(ty) = cx.var_type(raw.var.node) else {
        return;
    };
    let opcode = cx.opcode();
    let info = matches!(opcode, Opcode::Resinfo | Opcode::Sampleinfo);
    if !matches!(
        ty,
        Type::Hf | Type::F | Type::W | Type::Uw | Type::D | Type::Ud
    ) {
        // Intel's finalizer refuses 64-bit results as well; bytes it returns as dwords.
        let title = format!("{opcode} does not return {ty}");
        let d = match ty.bytes() {
            8 => cx.complaint(Code::E0338, title),
            _ => cx.page_rule(Code::E0338, title),
        };
        let d = d
            .at(span, format!("{} is {ty}", cx.name(raw.var.node)))
            .note("results are hf, f, w, uw, d or ud")
            .help("alias it as one of these types")
            .see("vISA 3D_LOAD, \"Dst\"");
        return found.push(d);
    }
    let (grf, lanes) = (u64::from(cx.grf), u64::from(cx.lanes()));
    let element = match info {
        true => 4,
        false => u64::from(ty.bytes()),
    };
    let four = opcode
        .info()
        .suffixes
        .contains(&crate::isa::SuffixSlot::Channel);
    let channels = match four {
        true => 4,
        false => u64::from(cx.instruction.channels().map_or(4, ChannelMask::count)),
    };
    let row = (lanes * element).next_multiple_of(grf);
    let null_mask = cx.instruction.has(&Suffix::PixelNullMask);
    let (bytes, sum) = match null_mask {
        true => (
            channels * row + 4,
            format!(
                "{channels} channels of {row} bytes, then the null mask: {channels} * {row} + 4 = {}",
                channels * row + 4
            ),
        ),
        false => from_new_registers((channels, "channel"), lanes, element, grf),
    };
    must_hold(cx, found, index, bytes, true, &sum);
}

/// The variables of the raw operands from operand `first` on, each once.
fn parameter_names(cx: &Context<'_>, first: usize) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (raw, _) in (first..cx.instruction.operands.len()).filter_map(|i| cx.raw(i)) {
        let name = cx.name(raw.var.node);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Number, type and size of the parameters from operand `first` on.
fn parameters_fit(cx: &Context<'_>, found: &mut Found<'_>, first: usize) {
    if let Some(paired) = &cx.instruction.paired
        && paired.node.var.node != NULL
        && !cx.platform.sampler.paired_surface
    {
        return paired_surface(cx, found, paired.node.var.node, paired.span);
    }
    let opcode = cx.opcode();
    let written = cx.instruction.operands.len().saturating_sub(first);
    let typed: Vec<(usize, Type, Span)> = (first..first + written)
        .filter_map(|i| {
            let (raw, span) = cx.raw(i)?;
            Some((i, cx.var_type(raw.var.node)?, span))
        })
        .collect();
    let Some(&(_, lead, lead_span)) = typed.first() else {
        return;
    };
    let words = lead.bytes() == 2;
    let names = parameters(opcode, words);
    if !names.is_empty() && written > names.len() {
        let extra = cx.instruction.operands[first + names.len()].span;
        let d = cx
            .page_rule(
                Code::E0335,
                format!(
                    "{opcode} has at most {} parameters, not {written}",
                    names.len()
                ),
            )
            .at(
                extra,
                format!("parameter {} has no meaning", names.len() + 1),
            )
            .note(format!(
                "in order: {}; trailing ones may be left out and count as 0",
                names.join(" ")
            ))
            .help("leave it out")
            .see("vISA 3D_LOAD, table of parameters");
        return found.push(d);
    }
    let load = is_load(opcode);
    // The page says UD or UW; the compiler itself prints d for ud and w for uw.
    let unsigned = |ty: Type| match ty {
        Type::D if load => Type::Ud,
        Type::W if load => Type::Uw,
        other => other,
    };
    let fine = |ty: Type| match load {
        true => matches!(unsigned(ty), Type::Ud | Type::Uw),
        false => matches!(ty, Type::F | Type::Hf),
    };
    if let Some(&(_, ty, span)) = typed.iter().find(|(_, ty, _)| !fine(*ty)) {
        let wanted = if load { "ud or uw" } else { "f or hf" };
        let d = cx
            .page_rule(
                Code::E0336,
                format!("{opcode} does not take parameters of type {ty}"),
            )
            .at(span, format!("{ty}, expected {wanted}"))
            .note(match load {
                true => "texel addresses are integers; Intel's assembler does not look at the type",
                false => "coordinates are floats; Intel's assembler does not look at the type",
            })
            .help(if load {
                "alias it as ud"
            } else {
                "mov it into a variable of type f first"
            })
            .see(PAGE);
        return found.push(d);
    }
    if let Some(&(_, ty, span)) = typed
        .iter()
        .find(|(_, ty, _)| unsigned(*ty) != unsigned(lead))
    {
        let d = cx
            .page_rule(Code::E0337, format!("parameters of {opcode} have different types"))
            .at(span, ty.name())
            .and_at(lead_span, lead.name())
            .note("all parameters have the same type; the first one decides whether the message is a 16-bit one")
            .help(format!("type={lead}"))
            .see("vISA 3D_LOAD, \"All operands must have the same type\"");
        return found.push(d);
    }
    if words && !cx.platform.sampler.params16 {
        let d = cx
            .complaint(Code::W0346, format!("{} has no 16-bit sampler parameters", cx.platform))
            .at(lead_span, format!("{lead}; icl and later have them"))
            .note("the message bit for 16-bit parameters appears with icl, and with it the MCS value in four words; Intel's finalizer sets it everywhere, and visim reads the parameters as 16-bit")
            .help(format!(
                "type={}, 4 bytes for each lane   // on every variable of the parameters: {}",
                if load { "ud" } else { "f" },
                parameter_names(cx, first)
            ))
            .see("vISA 3D_LOAD, \"ld2dms_w (type UW) ICLLP+\"; vISA text reference 5.14");
        found.push(d);
    }
    if let Some(&(_, ty, span)) = typed.iter().find(|(_, ty, _)| unsigned(*ty) != *ty)
        && !found.remarked.signed_loads
    {
        found.remarked.signed_loads = true;
        let d = cx
            .complaint(Code::W0342, format!("texel address is {ty}, not {}", unsigned(ty)))
            .at(span, format!("{ty}; reported once for this kernel"))
            .note("the page requires UD or UW; Intel's compiler prints its signed variables unchanged, and the bits are the same")
            .help(format!("type={}", unsigned(ty)))
            .see("vISA 3D_LOAD, \"All operands must have the same type, either UD or UW\"");
        found.push(d);
    }
    let lanes = u64::from(cx.lanes());
    for (i, ty, _) in typed {
        let bytes = lanes * u64::from(ty.bytes());
        let name = names.get(i - first).copied().unwrap_or("parameter");
        let sum = format!(
            "{name}: {lanes} lanes of {} bytes are {bytes} bytes",
            ty.bytes()
        );
        must_hold(cx, found, i, bytes, false, &sum);
    }
}

/// From version 4.2 on the operand after the destination is a paired surface.
fn paired_surface(cx: &Context<'_>, found: &mut Found<'_>, var: VarId, span: Span) {
    let d = cx
        .complaint(
            Code::E0331,
            format!("{} has no paired surfaces", cx.platform),
        )
        .at(span, cx.name(var))
        .note("from version 4.2 on, the operand after the destination is a paired surface")
        .help("%null.0")
        .see("vISA text reference 7.2, rule 4");
    found.push(d);
}

/// `avs`, `sample_unorm`, `sample`, `load`.
pub(super) fn media_sampler(cx: &Context<'_>, found: &mut Found<'_>) {
    some_channel(cx, found);
    match cx.opcode() {
        Opcode::Avs => avs(cx, found),
        Opcode::SampleUnorm => sample_unorm(cx, found),
        _ => old_sampler(cx, found),
    }
}

/// Both orders are read; the page's is one that no assembler of Intel reads. Source: AVS reference 1.1, D12.
fn avs_order(cx: &Context<'_>, found: &mut Found<'_>) {
    let (Some(sampler), Some(surface)) = (cx.operand(0), cx.operand(1)) else {
        return;
    };
    if sampler.span.start < surface.span.start && !found.remarked.sampler_first {
        found.remarked.sampler_first = true;
        let order = match (&surface.node, &sampler.node) {
            (Operand::Surface(surface), Operand::Sampler(sampler)) => {
                format!(
                    "avs … {} {} …, as compilers write it",
                    cx.name(surface.node),
                    cx.name(sampler.node)
                )
            }
            _ => "the surface, then the sampler, as compilers write it".to_string(),
        };
        let remark = cx
            .complaint(Code::W0341, "AVS names the sampler before the surface")
            .at(sampler.span, "sampler")
            .note("the page writes the sampler first; Intel's assembler reads the surface first, visim both")
            .help(order)
            .see("vISA AVS, \"Text\"; AVS reference D12");
        found.push(remark);
    }
}

/// The message has 23 bits for the group. Source: AVS reference 1.1.
fn avs_group(cx: &Context<'_>, found: &mut Found<'_>) {
    const BITS: u32 = 23;
    let Some(operand) = cx.operand(7) else { return };
    let Operand::Immediate(group) = &operand.node else {
        return;
    };
    let value = group.value_bits();
    if !group.ty.is_integer() || value >> BITS == 0 {
        return;
    }
    let kept = value & ((1 << BITS) - 1);
    let wide = cx
        .complaint(Code::W0116, "groupID is wider than its field")
        .at(
            operand.span,
            format!("{value:#x} has more than {BITS} bits"),
        )
        .note("in the message its upper bits are those of execMode; visim ignores the group")
        .help(format!("{kept:#x}:ud"))
        .see("vISA AVS, \"groupID\"; AVS reference 1.1");
    found.push(wide);
}

/// Operands: sampler, surface, u, v, deltaU, deltaV, u2d, groupID, block, CNTRL, v2d, MODE, IEF, dst.
fn avs(cx: &Context<'_>, found: &mut Found<'_>) {
    declared_sampler(cx, found, 0);
    media_surface(cx, found, 1);
    avs_order(cx, found);
    let wanted = [
        (2, "u_offset", Type::F),
        (3, "v_offset", Type::F),
        (4, "deltaU", Type::F),
        (5, "deltaV", Type::F),
        (6, "u2d", Type::F),
        (7, "groupID", Type::Ud),
        (8, "verticalBlockNumber", Type::Ud),
        (10, "v2d", Type::F),
        (12, "IEFBypass", Type::Ub),
    ];
    for (index, name, wanted) in wanted {
        let Some((ty, span)) = cx
            .operand(index)
            .and_then(|o| Some((cx.type_of(&o.node)?, o.span)))
        else {
            continue;
        };
        if ty == wanted {
            continue;
        }
        // An integer of another width still says the same number; a float for an integer does not.
        let code = match (wanted, ty.is_integer()) {
            (Type::Ud | Type::Ub, true) => Code::W0344,
            _ => Code::E0343,
        };
        let title = format!("{name} of avs is {ty}, not {wanted}");
        // What is to be a float the finalizer converts; it adds up a group in floats.
        let converted = ty.bytes() <= 4 && (wanted == Type::F || index == 8);
        let mut d = match code {
            Code::E0343 if converted => cx.page_rule(code, title),
            _ => cx.complaint(code, title),
        };
        d = d
            .at(span, format!("type {ty}"))
            .note(format!(
                "the page says: must have type {}; Intel's assembler does not check it",
                wanted.name().to_uppercase()
            ))
            .see(format!("vISA AVS, \"{name}\""));
        d = match cx.operand(index).map(|o| &o.node) {
            Some(Operand::Immediate(i)) if wanted != Type::F && ty.is_integer() => {
                d.help(format!("0x{:x}:{wanted}", i.value_bits()))
            }
            Some(Operand::Immediate(i)) if wanted == Type::F => match number(i) {
                Some(n) => d.help(format!("0x{:x}:f, which is {n}", n.to_bits())),
                None => d.help("give it as f"),
            },
            _ => d.help(format!("mov it into a variable of type {wanted} first")),
        };
        found.push(d);
    }
    avs_group(cx, found);
    let (Some(&Operand::AvsControl(control)), Some(&Operand::AvsMode(mode))) = (
        cx.operand(9).map(|o| &o.node),
        cx.operand(11).map(|o| &o.node),
    ) else {
        return;
    };
    let (columns, rows) = mode.size();
    let pixels = u64::from(columns * rows);
    // With output shuffle, which only the sampler's state tells, one of R and B keeps room for the
    // other in this one format (AVS reference 2.1): what is there without it has to be there.
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    let elements: u64 = channels
        .iter()
        .map(|c| match control.decimates() && c % 2 == 0 {
            true => pixels / 2,
            false => pixels,
        })
        .sum();
    let bytes = elements * u64::from(control.element_bytes());
    let sum = format!(
        "{mode} has {pixels} pixels, {channels} in {control} take {elements} elements of {} bytes: {bytes}",
        control.element_bytes()
    );
    must_hold(cx, found, 13, bytes, true, &sum);
}

/// Operands: sampler, surface, u, v, deltaU, deltaV, dst.
fn sample_unorm(cx: &Context<'_>, found: &mut Found<'_>) {
    declared_sampler(cx, found, 0);
    declared_surface(cx, found, 1);
    let Some(format) = cx.instruction.suffix(|s| match s {
        Suffix::UnormFormat(f) => Some(*f),
        _ => None,
    }) else {
        return;
    };
    let (element, halves) = match format {
        UnormFormat::Full16 => (2, false),
        UnormFormat::DownSampled16 => (2, true),
        UnormFormat::Full8 => (1, false),
        UnormFormat::DownSampled8 => (1, true),
    };
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    let elements: u64 = channels
        .iter()
        .map(|c| if halves && c % 2 == 0 { 16 } else { 32 })
        .sum();
    let bytes = elements * element;
    let sum = format!(
        "32 pixels; {channels} in {format} take {elements} elements of {element} bytes: {bytes}"
    );
    must_hold(cx, found, 6, bytes, true, &sum);
}

fn old_sampler(cx: &Context<'_>, found: &mut Found<'_>) {
    sampler_lanes(cx, found, &[8, 16]);
    let slots = cx.opcode().info().slots;
    if let Some(sampler) = slots.iter().position(|s| *s == Slot::Sampler) {
        declared_sampler(cx, found, sampler);
    }
    if let Some(surface) = slots.iter().position(|s| *s == Slot::Surface) {
        declared_surface(cx, found, surface);
    }
    let lanes = cx.instruction.exec.map_or(8, |e| u64::from(e.size));
    let channels = u64::from(cx.instruction.channels().map_or(4, ChannelMask::count));
    for (index, slot) in slots.iter().enumerate() {
        let (bytes, written, sum) = match slot {
            Slot::RawSrc => (lanes * 4, false, format!("{lanes} lanes of 4 bytes")),
            Slot::RawDst => (
                lanes * 4 * channels,
                true,
                format!(
                    "{channels} channels of {lanes} lanes, 4 bytes each: {}",
                    lanes * 4 * channels
                ),
            ),
            _ => continue,
        };
        must_hold(cx, found, index, bytes, written, &sum);
    }
}

fn declared_sampler(cx: &Context<'_>, found: &mut Found<'_>, index: usize) {
    let Some((Operand::Sampler(var), span)) = cx.operand(index).map(|o| (&o.node, o.span)) else {
        return;
    };
    if cx.unit.variable(var.node).predefined {
        let opcode = cx.opcode();
        let d = cx
            .complaint(
                Code::E0345,
                format!("{opcode} does not take {BINDLESS_SAMPLER}"),
            )
            .at(span, "the bindless sampler")
            .note("the sampler is a declared one")
            .help(".decl S0 v_type=S num_elts=1")
            .see("vISA text reference 7.4, rule 2");
        found.push(d);
    }
}

fn declared_surface(cx: &Context<'_>, found: &mut Found<'_>, index: usize) {
    let Some((var, _, span)) = cx.surface(index) else {
        return;
    };
    if cx.unit.variable(var).predefined && var != NULL {
        let (opcode, name) = (cx.opcode(), cx.name(var));
        let d = cx
            .complaint(Code::E0301, format!("{opcode} does not work on {name}"))
            .at(span, "a built-in surface")
            .note("the surface is a declared one")
            .help(".decl T6 v_type=T num_elts=1")
            .see("vISA text reference 7.5");
        found.push(d);
    }
}

/// The number of an immediate of up to 32 bits as a float.
fn number(immediate: &Immediate) -> Option<f32> {
    let bits = immediate.value_bits();
    Some(match immediate.ty {
        Type::Ub | Type::Uw | Type::Ud => bits as f32,
        Type::B => bits as i8 as f32,
        Type::W => bits as i16 as f32,
        Type::D => bits as i32 as f32,
        Type::Hf => half::f16::from_bits(bits as u16).to_f32(),
        _ => return None,
    })
}
