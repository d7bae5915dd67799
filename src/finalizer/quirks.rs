//! What Intel's finalizer does beyond the rules of the hardware, as one table.
//!
//! A row says in which releases and on which platforms a quirk is seen, and what it does to a message that
//! [`encode`](crate::message::encode) has made; nothing of it is in `encode`. What surprises is followed with
//! a warning `W0380` of the row's words and section. A run never goes through these messages: it does what the
//! instruction means. [`DIFFERENCES`] walks lowering reference 21 and says for each row where it went. Tests
//! hold an example of each quirk that warns against both lists.

use super::context::{Sampler, Surface};
use super::output::Target;
use super::plan::{Copies, Layout, Plan};
use super::release::{Release, Release::R1_0_12504, Release::R1_0_17791, Release::R2_40};
use super::{Lowering, PayloadPart, Run, Value, sync};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{AvsMode, Opcode, Platform, UnormFormat};
use crate::message::bits::rows;
use crate::message::dataport::{SLM, STATELESS, is_float};
use crate::message::fields::{
    self, extended_gen11 as ex, fence, media_block, offset_header, outer,
    render_target_header as target, svm_block,
};
use crate::message::{Access, Request, ReturnFormat, SamplerOp};
use crate::syntax::ast::Suffix;

/// What a quirk does to a message; the label of the warning where it surprises.
type Apply = fn(&mut Lowering, &mut Plan) -> Option<String>;

/// A place where the finalizer does more, or other, than the rules say.
pub struct Quirk {
    /// Short name.
    pub name: &'static str,
    /// What is odd about the message; empty if no warning is needed.
    pub note: &'static str,
    /// The section that describes it.
    pub see: &'static str,
    /// The last release that has it; none if all have. One that comes later begins with [`Quirk::first`].
    pub last: Option<Release>,
    /// The first release that has it.
    pub first: Release,
    /// Platforms by name: `skl icl`, `icl..`, `..skl`; all if empty.
    pub platforms: &'static str,
    pub(super) apply: Apply,
}

impl std::fmt::Debug for Quirk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Quirk {
    /// Whether a release has it on a platform.
    pub fn is_seen(&self, release: Release, platform: Platform) -> bool {
        let released = self.first <= release && self.last.is_none_or(|last| release <= last);
        released && !platform.is_gen5() && self.is_on(platform)
    }

    fn is_on(&self, platform: Platform) -> bool {
        let place = |name: &str| Platform::from_name(name).map(Platform::place);
        let here = Some(platform.place());
        let covers = |word: &str| match word.split_once("..") {
            Some((from, to)) => {
                (from.is_empty() || place(from) <= here) && (to.is_empty() || here <= place(to))
            }
            None => place(word) == here,
        };
        self.platforms.is_empty() || self.platforms.split(' ').any(covers)
    }
}

macro_rules! quirks {
    ($($(#[doc = $doc:literal])* $name:ident $see:literal [$($first:ident)? .. $($last:ident)?] $on:literal $apply:path, $note:literal;)*) => {
        $($(#[doc = $doc])* pub static $name: Quirk = Quirk {
            name: stringify!($name),
            note: $note,
            see: concat!("lowering reference ", $see),
            first: [$($first,)? R1_0_12504][0],
            last: quirks!(@last $($last)?),
            platforms: $on,
            apply: $apply,
        };)*
        /// All of them, in the order in which they are applied.
        pub static QUIRKS: &[&Quirk] = &[$(&$name),*];
    };
    (@last) => { None };
    (@last $last:ident) => { Some($last) };
}

quirks! {
    /// A length greater than its field.
    LENGTH_WRAPS "1.3, 1.10" [..] "" asked_inline,
        "the finalizer cuts a length to its field: 4 bits, 5 of a response and of a second payload from icl on";
    /// A second payload of 16 registers on Gen11.
    SECOND_LENGTH_CUT "1.3; seen in the finalizer" [..] "icl" asked_inline,
        "the second length of icl has five bits, and the finalizer writes four of them";
    /// Bits 29 and 30 of a constant descriptor.
    GEN8_HIGH_BITS "1.2" [..] "bdw" gen8_high_bits,
        "Gen8 has 29 bits for a constant descriptor: that data or parameters are 16-bit is lost";
    /// A media message with two sources, of which the second is null.
    MEDIA_TWO_SOURCES "20; Xe2 reference 2 row 2" [R1_0_17791..] "skl icl" media_two_sources, "";
    /// A bindless `media_ld`.
    MEDIA_BINDLESS "2.7" [..R1_0_12504] "" media_bindless,
        "the handle is added to a descriptor without binding 252; the extended descriptor is not used";
    /// A bindless surface added to the descriptor.
    HANDLE_IN_DESCRIPTOR "1.6; seen in the finalizer" [..] "" handle_in_descriptor,
        "the bindless handle is added to the descriptor, the extended descriptor does not have it";
    /// The mask offset of fewer lanes than the message has.
    MASK_FALLS_BACK "1.7; seen in the finalizer" [..] "" mask_falls_back,
        "the mask offset is not a multiple of the message's lanes and becomes M0";
    /// A mask that is ignored has no offset, but where a predicate needs one.
    NO_MASK_OFFSET "1.7; Xe2 reference 2 row 7" [R1_0_17791..] "" no_mask_offset, "";
    /// The plane of a `media_st` to a bindless surface, and of `%scratch`.
    PLANE_FORGOTTEN "2.7; seen in the finalizer" [..] "" plane_forgotten,
        "a write to a bindless surface does not add the plane, nor does any block of stateless memory";
    /// Plane and binding together exceed 255.
    PLANE_CARRIES "2.7, 21 row 6" [..] "" plane_carries,
        "the plane is added to the binding, and the sum carries into the neighbouring field";
    /// The pitch of 64-bit types.
    MEDIA_PITCH "2.4, 21 row 8" [..] "" media_pitch,
        "the pitch is counted in whole 64-bit elements; a type of 4 bytes or less has the right one";
    /// A block smaller than a register goes through a temporary.
    MEDIA_TEMPORARY "2.5; Xe2 reference 2 row 3" [..R1_0_12504] "" media_temporary, "";
    /// Words that are read in place have twice the lanes.
    MEDIA_LANES "2.6" [..] "" media_lanes, "";
    /// Whole registers of a media block.
    MEDIA_WHOLE "2.5, 21 row 7" [..] "" media_whole,
        "a block of one register or more is written as whole registers, past its last byte";
    /// Fewer lanes than native.
    FEW_LANES "3.1, 21 row 12" [..] "..nvl-s" few_lanes,
        "sizes below the native one get the wide SIMD mode: lanes that were never prepared are read";
    /// More lanes than the widest mode has.
    MANY_LANES "3.1, 21 row 12" [..] "..nvl-s" many_lanes,
        "one message with the sixteen-lane mode: not executable on hardware";
    /// Sampler index above 15 without the flag.
    SAMPLER_CARRIES "3.5, 21 row 16" [..] "" sampler_carries,
        "the index has four bits; the finalizer adds it, and it carries into the message type";
    /// A bindless sampler and the flag for many samplers together.
    HANDLE_AS_INDEX "3.5; seen in the finalizer" [..] "" asked_inline,
        "bit 15 of the offsets makes an index of the bindless sampler's handle";
    /// Bit 4 of a bindless sampler's handle is tested, and the index is 1 for it.
    HANDLE_BIT "1.6" [..] "skl" asked_inline, "";
    /// The lowest bit of the sampler state pointer is cleared.
    POINTER_BIT "1.9" [..] "icl.." asked_inline, "";
    /// Every message with a sampler has a header: the compiler asks for it, against a fault of preemption.
    SAMPLER_HEADER "3.4; Xe2 messages reference 5" [R2_40..] "bmg..nvl-s" asked_inline, "";
    /// A header in one block with its parameters is copied by their lanes.
    HEADER_LANES "1.9; seen in the finalizer" [..] "bdw" header_lanes, "";
    /// The level of the old `load` is the second parameter.
    LEVEL_SECOND "6.2; seen in the finalizer" [..] "bdw" asked_inline, "";
    /// A predicated message that is split.
    SPLIT_PREDICATE "3.7, 21 row 26" [..R1_0_17791] "" split_predicate,
        "the moves after a split message are not predicated: lanes that the predicate turns off receive undefined temporaries";
    /// Any and all on a message that is split.
    SPLIT_GROUP "1.7, 3.7; seen in the finalizer" [..] "" split_group,
        "the second half of a split message has the predicate without its any or all";
    /// The null mask of a split message with 16-bit results.
    NULL_MASK_STRAYS "3.7; seen in the finalizer" [..] "" null_mask_strays,
        "with 16-bit results the second half's part of the null mask is moved a register too early";
    /// `.cps` before Gen12.
    CPS_LOST "3.8, 21 row 25" [..] "..icl" cps_lost,
        "coarse pixel shading does not reach the message on skl and icl";
    /// The bit of `.cps` in a message of one payload.
    CPS_STRAYS "3.8; seen in the finalizer" [..] "icl" asked_inline, "";
    /// Lanes of one sample may differ in their sampler, but for `sample4` and loads.
    SERIALIZE "3.8; which messages, seen in the finalizer" [..] "tgl dg2" serialize, "";
    /// A message whose first payload is `r2`.
    NO_PREEMPTION "3.8; seen in the finalizer" [..] "icl" asked_inline, "";
    /// `.divS`.
    DIVERGENT "3.8, 21 row 24" [..] "" divergent,
        "the finalizer takes .divS for a uniform sampler: no loop over the lanes' indices, and no {Serialize}";
    /// The channel of gather4_c.
    GATHER_CHANNEL "4, 21 row 17" [..] "" gather_channel,
        "the header of the shadow forms has no channel: the hardware gathers R";
    /// gather4_po where it does not exist.
    GATHER_PO "4" [..] "..arl" gather_po,
        "the finalizer treats it as an ordinary sample: one channel comes back";
    /// The output format of sample_unorm.
    UNORM_FORMAT "6.1, 21 row 19" [..] "" unorm_format,
        "the output format is not in the message: 16 bits come back for every pixel";
    /// Eight lanes of the old `sample` and `load`.
    EIGHT_LANES "6.2, 21 row 20" [..] "" eight_lanes,
        "eight lanes always ask for four channels: masked ones are skipped, the last registers keep what they held";
    /// Response lengths of AVS.
    AVS_LENGTH "7.3, 21 rows 3 and 5; AVS reference D2" [..] "" avs_length,
        "16x8 counts every channel twice, 32 registers and more wrap, 16 bytes count as 0";
    /// Response lengths of decimated chroma.
    AVS_CHROMA "7.3, 21 row 4" [..] "" avs_chroma,
        "R and B have even pixels only, the response length counts all of them";
    /// The IEF bit of AVS.
    AVS_IEF "7.2, 21 row 2; AVS reference D1" [..] "" avs_ief,
        "the page bypasses the filter for 0, the hardware for 1, and the bit is copied as it is";
    /// Offsets in shared local memory of Gen8.
    GEN8_SLM_OFFSET "9; seen in the finalizer" [..] "bdw" gen8_slm_offset,
        "a constant byte offset into shared local memory is multiplied by four in the header of Gen8";
    /// Part of a register counts as none.
    PART_OF_REGISTER "9, 13; seen in the finalizer" [..] "" part_of_register,
        "the lanes fill part of a register, and the lengths say none";
    /// `scatter` on registers of 64 bytes.
    SCATTER_STRAYS "9, 21 row 29" [..] "pvc" scatter_strays,
        "the finalizer copies the data one register too far on 64-byte registers";
    /// Thirty-two lanes of a scattered message.
    SCATTERED_LANES "10" [..] "" scattered_lanes,
        "one message with the sixteen-lane code: half the lanes are not executed";
    /// Sixteen lanes of a typed message.
    TYPED_LANES "11, 12.2" [..] "" typed_lanes,
        "the message keeps the eight-lane code";
    /// An absent v.
    ABSENT_V "11; seen in the finalizer" [..] "" asked_inline,
        "v is %null and no register is kept free for it; a register of zeros as v has its place";
    /// Float atomics on typed surfaces.
    TYPED_FLOAT_ATOMIC "12.2; seen in the finalizer" [..] "" typed_float_atomic,
        "typed surfaces have no float atomics; the integer message is sent";
    /// An aligned block at a 64-bit address is marked, as the unaligned one was before.
    SVM_BLOCK_MARKED "13; Xe2 reference 2 row 6" [R1_0_17791..] "" svm_block_marked, "";
    /// An aligned block at a 64-bit address is read by the load/store pipe.
    SVM_BLOCK_LSC "13; Xe2 reference 2 row 6" [R1_0_17791..] "dg2" asked_inline, "";
    /// A scatter of elements smaller or larger than its blocks.
    SCATTER_BY_TYPE "13; seen in the finalizer" [..] "" scatter_by_type,
        "a scatter's data are counted by the operand's type: of a type smaller than the blocks only a part is sent, of a larger one more than there is";
    /// The first colour decides the type.
    FIRST_COLOUR "14; seen in the finalizer" [..] "" first_colour,
        "the first colour decides whether all are 16-bit, also when it is %null";
    /// `<SI>`.
    STENCIL_INPUT "21 row 23" [..] "" stencil_input,
        "nothing of the flag or its operand reaches the message";
    /// A constant target index other than 0 in the header.
    INDEX_IN_HEADER "14" [..] "..skl" asked_inline, "";
    /// Depth and stencil together.
    DEPTH_STENCIL "14" [..] "" depth_stencil,
        "depth and stencil together set the depth bit alone";
    /// Sixteen lanes of stencil.
    STENCIL_LANES "14; seen in the finalizer" [..] "" stencil_lanes,
        "the stencil of sixteen lanes is copied past the one register it has";
    /// The second header of a render target write on registers of 64 bytes.
    SECOND_HEADER "14, 21 row 29" [..] "pvc" second_header,
        "the header is one register of 64 bytes, and the operand that belongs into its second half is lost";
    /// Eight-lane colours on registers of 64 bytes.
    COLOURS_STRAY "14, 21 row 29" [..R1_0_12504] "pvc" colours_stray,
        "the finalizer copies all colours onto one register on 64-byte registers";
    /// Colours after an absent one on registers of 64 bytes.
    COLOURS_SHIFT "14, 21 row 29; seen in the finalizer" [..] "pvc" colours_shift,
        "an absent colour takes two registers, and what follows it is sent a register too far";
    /// Per-slot offsets of the URB on registers of 64 bytes.
    SLOTS_STRAY "15; seen in the finalizer" [..R1_0_12504] "pvc" slots_stray,
        "on 64-byte registers what follows the per-slot offsets is copied over them";
    /// The address size of a fence.
    FENCE_ADDRESS "15; Xe2 reference 2 row 5" [R1_0_17791..] "..nvl-s" fence_address, "";
    /// Flags of a fence.
    FENCE_FLAGS "15; seen in the finalizer" [..] "tgl.." fence_flags,
        "Gen12 drops the flags that choose L3 partitions, later parts all but R";
    /// Division of floats and powers in steps.
    MATH_STEPS "16; seen in the finalizer" [..] "tgl.." asked_inline, "";
    /// Half floats are computed as floats.
    MATH_HALF "16; seen in the finalizer" [..] "bdw" asked_inline, "";
    /// The end of a thread has one lane.
    END_LANES "20; Xe2 reference 2 row 4" [R1_0_17791..] "" end_lanes, "";
    /// Bits of a raw message's extended descriptor.
    RAW_BITS_LOST "1.3, 17; seen in the finalizer" [..] "" asked_inline,
        "the instruction has no room for all bits of a constant extended descriptor: those are lost, all of them from tgl on if there is one source";
}

impl Lowering<'_> {
    /// Whether the release has a quirk on the platform.
    pub(super) fn has(&self, quirk: &Quirk) -> bool {
        quirk.is_seen(self.context.release, self.platform)
    }

    /// Says that a quirk is followed, where the release has it; `label` has the values at hand.
    pub(super) fn follow(&mut self, quirk: &Quirk, label: impl Into<String>) {
        if self.has(quirk) {
            self.warn(quirk, label);
        }
    }

    /// Says that a quirk is followed.
    pub(super) fn warn(&mut self, quirk: &Quirk, label: impl Into<String>) {
        if quirk.note.is_empty() {
            return;
        }
        let warning = Diagnostic::new(Code::W0380)
            .at(self.instruction.opcode.span, label)
            .note(quirk.note)
            .see(quirk.see);
        let mut reported = self.lowered.warnings.iter();
        if !reported.any(|w| w.notes == warning.notes) {
            self.lowered.warnings.push(warning);
        }
    }
}

/// The message itself shows it: nothing is left to do.
fn when(odd: bool, label: impl Into<String>) -> Option<String> {
    odd.then(|| label.into())
}

/// The code that lays out the message asks for this one.
fn asked_inline(_: &mut Lowering, _: &mut Plan) -> Option<String> {
    None
}

const fn is_media(request: &Request) -> bool {
    matches!(request, Request::MediaRead(_) | Request::MediaWrite(_))
}

const fn is_bindless(plan: &Plan) -> bool {
    matches!(plan.surface, Some(Surface::Bindless(_)))
}

/// Clears bits of the descriptor; whether some were set.
const fn clear(word: &mut u32, bits: u32) -> bool {
    let set = *word & bits != 0;
    *word &= !bits;
    set
}

fn gen8_high_bits(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let word = plan.template.desc;
    let number = |value: &Value| value.constant().is_some();
    let known = match (&plan.surface, &plan.sampler) {
        (Some(Surface::Number(surface)), _) if !number(surface) => false,
        (_, Some(Sampler::Index(index) | Sampler::Shifted(index))) => number(index),
        _ => true,
    };
    let lost = outer::PARAMS16.mask() | outer::RETURN16.mask();
    let cut = known && clear(&mut plan.template.desc, lost);
    when(cut, format!("bits 29 and 30 of {word:#010x}"))
}

fn media_two_sources(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    plan.two_sources |= is_media(&plan.request);
    None
}

fn media_bindless(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let (Request::MediaRead(_), Some(Surface::Bindless(handle))) = (&plan.request, &plan.surface)
    else {
        return None;
    };
    plan.surface = Some(Surface::Number(handle.clone()));
    when(true, "the surface is the bindless one")
}

fn handle_in_descriptor(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let added = match cx.instruction.opcode.node {
        Opcode::Avs | Opcode::RtWrite3d | Opcode::Scatter => true,
        Opcode::Gather => plan.header.is_none(),
        _ => false,
    };
    match &plan.surface {
        Some(Surface::Bindless(handle)) if added => {
            plan.surface = Some(Surface::Number(handle.clone()));
            when(true, "the surface is the bindless one")
        }
        _ => None,
    }
}

fn mask_falls_back(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let asked = cx.instruction.exec.as_ref()?.node;
    // The mask of a scaled message is chosen for the lanes of the message.
    let lanes = match cx.instruction.opcode.node {
        Opcode::ScatterScaled | Opcode::Gather4Scaled | Opcode::Scatter4Scaled => cx.scaled_lanes(),
        _ => 1,
    };
    if !u32::from(plan.exec.offset).is_multiple_of(lanes) {
        (plan.exec.offset, plan.exec.no_mask) = (0, false);
        return when(true, format!("{} lanes", asked.size));
    }
    let back = asked.size < 8 && plan.exec.size == asked.size && plan.exec.offset != asked.offset;
    when(
        back,
        format!("{} lanes at lane {}", asked.size, asked.offset),
    )
}

fn no_mask_offset(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    if plan.exec.no_mask && plan.predicate.is_none() {
        plan.exec.offset = 0;
    }
    None
}

fn plane_forgotten(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let plane = plan.plane;
    if !is_media(&plan.request) || !cx.is_named(1, STATELESS) && !is_bindless(plan) {
        return None;
    }
    plan.plane = 0;
    when(plane > 0, format!("plane {plane}"))
}

fn plane_carries(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let Some(Surface::Number(Value::Const(binding))) = plan.surface else {
        return None;
    };
    let sum = binding.saturating_add(plan.plane);
    let carries = is_media(&plan.request) && sum > media_block::BINDING.max();
    when(carries, format!("{binding} + {}", plan.plane))
}

/// Bytes of a media block as the finalizer counts them.
fn media_bytes(cx: &Lowering, plan: &Plan) -> Option<u32> {
    let (Request::MediaRead(block) | Request::MediaWrite(block)) = &plan.request else {
        return None;
    };
    let elements = block.width.next_multiple_of(4) / 8;
    let wide = cx.raw(5).is_some_and(|place| place.ty.bytes() == 8);
    Some(match (wide && cx.has(&MEDIA_PITCH), elements) {
        (true, 0) => 0,
        (true, _) => elements.next_power_of_two() * 8 * block.height,
        (false, _) => block.bytes(),
    })
}

fn media_pitch(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let (Request::MediaRead(block) | Request::MediaWrite(block)) = plan.request else {
        return None;
    };
    let bytes = media_bytes(cx, plan).unwrap_or_default();
    if bytes == block.bytes() {
        return None;
    }
    let registers = bytes.div_ceil(cx.grf());
    match plan.request {
        Request::MediaRead(_) => plan.response = registers,
        _ => {
            let data = cx.raw(5).filter(|_| bytes > 0);
            plan.parts = data.map(|data| cx.part(data, bytes)).into_iter().collect();
        }
    }
    when(
        true,
        format!(
            "{bytes} bytes of registers for a block {} wide",
            block.width
        ),
    )
}

fn media_temporary(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    if let (Request::MediaRead(_), Some(bytes)) = (&plan.request, media_bytes(cx, plan))
        && bytes < cx.grf()
    {
        plan.copies = Copies::Bytes(vec![[0, 0, bytes]]);
    }
    None
}

fn media_lanes(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let direct = matches!(
        (&plan.request, &plan.copies),
        (Request::MediaRead(_), Copies::Registers)
    );
    if direct && cx.raw(5).is_some_and(|place| place.ty.bytes() == 2) {
        plan.exec.size *= 2;
    }
    None
}

fn media_whole(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let (Request::MediaRead(_), Copies::Registers, Some(bytes)) =
        (&plan.request, &plan.copies, media_bytes(cx, plan))
    else {
        return None;
    };
    let all = plan.response * cx.grf();
    when(all > bytes, format!("{all} bytes for a block of {bytes}"))
}

/// Whether the instruction is one of the 3D sampler and INFO.
fn samples(cx: &Lowering) -> bool {
    cx.instruction.opcode.node.info().family == crate::isa::Family::Sampler3d
}

fn few_lanes(cx: &mut Lowering, _: &mut Plan) -> Option<String> {
    let lanes = cx.lanes();
    when(
        samples(cx) && lanes < cx.platform.native_lanes(),
        format!("{lanes} lanes"),
    )
}

fn many_lanes(cx: &mut Lowering, _: &mut Plan) -> Option<String> {
    let lanes = cx.lanes();
    when(
        samples(cx) && lanes > 2 * cx.platform.native_lanes(),
        format!("{lanes} lanes"),
    )
}

fn sampler_carries(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    match plan.sampler {
        Some(Sampler::Index(Value::Const(index))) if samples(cx) => when(
            index > fields::sampler::SAMPLER.max(),
            format!("sampler {index}"),
        ),
        _ => None,
    }
}

fn header_lanes(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    // Halves are copied whole.
    if samples(cx) && !is_half(cx, plan) {
        plan.header_lanes = cx.lanes();
    }
    None
}

/// Whether the message is one of two of a 3D sampler instruction.
fn is_half(cx: &Lowering, plan: &Plan) -> bool {
    samples(cx) && matches!(plan.copies, Copies::Bytes(_))
}

fn split_predicate(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let undefined = is_half(cx, plan) && plan.predicate.is_some() && plan.place.is_some();
    when(undefined, "two messages")
}

fn split_group(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    if !is_half(cx, plan) || cx.lowered.sends.is_empty() {
        return None;
    }
    let group = plan.predicate.as_mut().and_then(|p| p.group.take());
    when(group.is_some(), "the second of two messages")
}

fn null_mask_strays(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let strays = match plan.request {
        Request::Sampler(r) => r.pixel_null_mask && r.returns == ReturnFormat::Bits16,
        _ => false,
    };
    if !strays || !is_half(cx, plan) || cx.lowered.sends.is_empty() || plan.response == 0 {
        return None;
    }
    if let Copies::Bytes(copies) = &mut plan.copies
        && let Some([to, _, _]) = copies.last_mut()
    {
        *to -= cx.grf();
    }
    when(true, "bits of the second half go over the last channel")
}

/// In a message of one payload Gen11 has the bit of `.cps` after all, at the top of the extended descriptor,
/// where nothing reads it: seen in the finalizer.
fn cps_lost(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    if is_bindless(plan) || !clear(&mut plan.template.ex_desc, ex::COARSE.mask()) {
        return None;
    }
    if cx.has(&CPS_STRAYS) && cx.lay_out(plan) == plan.parts.len() {
        plan.template.ex_desc |= 1 << 31;
    }
    when(samples(cx), ".cps")
}

fn serialize(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let varying = plan.sampler.is_some() && !cx.instruction.has(&Suffix::DivS);
    match plan.request {
        Request::Sampler(r) if varying && samples(cx) && !gathers(cx) && r.op.uses_sampler() => {
            plan.options.push("Serialize");
        }
        _ => {}
    }
    None
}

fn gathers(cx: &Lowering) -> bool {
    cx.sampler_op().is_some_and(SamplerOp::is_gather)
}

fn divergent(cx: &mut Lowering, _: &mut Plan) -> Option<String> {
    when(samples(cx) && cx.instruction.has(&Suffix::DivS), ".divS")
}

fn gather_channel(cx: &mut Lowering, _: &mut Plan) -> Option<String> {
    let channels = cx.instruction.channels()?;
    let shadow = cx.sampler_op().is_some_and(SamplerOp::names_no_channel);
    let lost = samples(cx) && shadow && channels.0 != 1;
    when(lost, format!("channel {channels} is not in the message"))
}

fn gather_po(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    match cx.sampler_op() {
        Some(op) if op.has_separate_offsets() && !cx.platform.sampler.gather4_po => {
            let mut desc = [plan.template.desc];
            let _ = fields::sampler::TYPE.put(&mut desc, op.code());
            plan.template.desc = desc[0];
            when(true, format!("{} has no such message", cx.platform))
        }
        _ => None,
    }
}

fn unorm_format(cx: &mut Lowering, _: &mut Plan) -> Option<String> {
    let format = cx.instruction.suffix(|s| match s {
        Suffix::UnormFormat(format) => Some(*format),
        _ => None,
    });
    format
        .filter(|f| *f != UnormFormat::Full16)
        .map(|f| f.to_string())
}

fn eight_lanes(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let old = matches!(cx.instruction.opcode.node, Opcode::Sample | Opcode::Load);
    let es = cx.instruction.exec.as_ref().map_or(8, |e| e.node.size);
    if !old || es > 8 {
        return None;
    }
    plan.response = 4 * 32 / cx.grf();
    let channels = cx
        .instruction
        .channels()
        .unwrap_or(crate::isa::ChannelMask::RGBA);
    when(channels.0 != 0xf, format!("{channels} of eight lanes"))
}

fn avs_length(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let Request::Avs(asked) = &plan.request else {
        return None;
    };
    let doubled = if asked.mode == AvsMode::M16x8 { 2 } else { 1 };
    let bytes = asked.bytes();
    let response = bytes * doubled / cx.grf();
    plan.response = response & outer::RESPONSE.max();
    let registers = plan.response;
    let odd = response * cx.grf() != bytes || response != registers;
    when(
        odd,
        format!("{bytes} bytes come back, the response length says {registers} registers"),
    )
}

fn avs_chroma(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    match &plan.request {
        Request::Avs(asked) => {
            let (w, h) = asked.mode.size();
            let halved = asked.control.decimates() && asked.channels.0 & 0b101 != 0;
            when(halved, format!("{} of {w} by {h} pixels", asked.channels))
        }
        _ => None,
    }
}

fn avs_ief(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let avs = matches!(plan.request, Request::Avs(_));
    when(avs, "the bit in M1.7 is the instruction's own")
}

fn gen8_slm_offset(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let bytes = matches!(&plan.request, Request::ByteScattered(r) if r.element_bytes == 1);
    let unscaled = matches!(cx.instruction.opcode.node, Opcode::Gather | Opcode::Scatter);
    for (dw, value) in &mut plan.terms {
        if let Value::Const(offset @ 1..) = value
            && *dw == offset_header::GLOBAL.dw
            && bytes
            && unscaled
            && cx.is_named(0, SLM)
        {
            *offset <<= 2;
            return when(true, "the global offset in M0.2");
        }
    }
    None
}

fn part_of_register(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let lanes = cx.lanes();
    let (small, emptied) = match cx.instruction.opcode.node {
        // One lane of untyped ones counts as one.
        Opcode::Gather | Opcode::Scatter => {
            let lone = lanes == 1 && matches!(plan.request, Request::Untyped(_));
            let counted = if lone { 1 } else { lanes.max(8) };
            (4 * counted < cx.grf(), true)
        }
        Opcode::SvmGather4Scaled | Opcode::SvmScatter4Scaled => (4 * lanes < cx.grf(), false),
        _ => (false, false),
    };
    if small && emptied {
        plan.parts
            .iter_mut()
            .for_each(|part| part.registers.clear());
        // Also then an untyped scatter has two sources.
        let untyped = matches!(&plan.request, Request::Untyped(r) if r.access == Access::Write);
        plan.two_sources = untyped && cx.lay_out(plan) < plan.parts.len();
    }
    when(small, format!("{lanes} lanes"))
}

fn scatter_strays(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let copied = matches!(
        plan.request,
        Request::ByteScattered(_) | Request::DwordScattered(_)
    );
    if cx.instruction.opcode.node != Opcode::Scatter || !copied {
        return None;
    }
    if let Some(data) = plan.parts.last_mut() {
        *data = PayloadPart::absent(data.rows(), cx.grf());
    }
    when(true, "the data are not in the message")
}

fn scattered_lanes(cx: &mut Lowering, _: &mut Plan) -> Option<String> {
    use Opcode::*;
    let lanes = cx.lanes();
    let scaled = matches!(
        cx.instruction.opcode.node,
        GatherScaled | ScatterScaled | Gather4Scaled | Scatter4Scaled
    );
    when(scaled && lanes > 16, format!("{lanes} lanes"))
}

fn typed_lanes(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let lanes = cx.lanes();
    let typed = matches!(plan.request, Request::Typed(_) | Request::TypedAtomic(_));
    when(
        typed && lanes > cx.platform.native_lanes(),
        format!("{lanes} lanes"),
    )
}

fn typed_float_atomic(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let op = cx.atomic_op().filter(|op| is_float(*op));
    match (&plan.request, op) {
        (Request::TypedAtomic(_), Some(op)) => when(
            true,
            format!("the message means another operation than {op}"),
        ),
        _ => None,
    }
}

fn svm_block_marked(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    if let Request::SvmBlock(r) = &plan.request
        && r.access == Access::Read
    {
        plan.template.desc |= 1 << svm_block::SUBTYPE.lo;
    }
    None
}

/// The data of a scatter by the operand's type: four or eight bytes as one element, fewer as a dword.
fn scatter_by_type(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let (Request::SvmScattered(r), Some(data)) = (&plan.request, cx.raw(1)) else {
        return None;
    };
    if r.access == Access::Read {
        return None;
    }
    let sent = match (r.block_bytes, r.blocks) {
        (1, 1 | 2) => 4,
        (1, _) => data.ty.bytes(),
        (_, count) => count * data.ty.bytes(),
    };
    let counted = rows(sent * cx.message_lanes(), cx.platform);
    let registers = plan.parts.last().map_or(0, PayloadPart::rows);
    let part = cx.part(data, counted * cx.grf());
    plan.parts.truncate(1);
    plan.parts.push(part);
    let label = format!("{counted} registers are sent, the blocks fill {registers}");
    when(counted != registers, label)
}

fn first_colour(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let Request::Target(r) = plan.request else {
        return None;
    };
    let target = Target::read(cx).ok()?;
    let other = target
        .types(cx)
        .iter()
        .any(|ty| (*ty == crate::isa::Type::Hf) != r.half);
    let bits = if r.half { 16 } else { 32 };
    when(other, format!("all colours are sent as {bits} bits"))
}

/// Whether a render target write has a flag.
fn target_has(cx: &Lowering, word: &str) -> bool {
    let flags = cx.instruction.suffix(|s| match s {
        Suffix::TargetFlags(flags) => Some(flags.iter().any(|flag| *flag == *word)),
        _ => None,
    });
    flags.unwrap_or(false)
}

fn stencil_input(cx: &mut Lowering, _: &mut Plan) -> Option<String> {
    when(target_has(cx, "SI"), "<SI>")
}

fn depth_stencil(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let both = target_has(cx, "Z") && target_has(cx, "ST") && plan.header.is_some();
    if both {
        clear(
            &mut plan.template.header[target::STENCIL.dw],
            target::STENCIL.mask(),
        );
    }
    when(both, "the stencil's bit in M0.0 is 0")
}

fn stencil_lanes(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let Request::Target(r) = plan.request else {
        return None;
    };
    let lanes = cx.lanes();
    let bytes = lanes * if r.half { 2 } else { 4 };
    when(
        target_has(cx, "ST") && bytes > cx.grf(),
        format!("stencil of {lanes} lanes"),
    )
}

fn second_header(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let (Request::Target(_), Layout::Joined(1)) = (&plan.request, plan.layout) else {
        return None;
    };
    plan.parts.remove(0);
    plan.layout = Layout::Joined(0);
    when(true, "the second header register")
}

/// Colours and depth of eight lanes are all copied onto one register: what arrives is the last one. An
/// absent one moves the place on by a register, as does a mask, which has a register of its own.
/// Source: lowering reference 14, PVC; how the place moves was seen in the finalizer.
fn colours_stray(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let grf = cx.grf();
    let Request::Target(r) = plan.request else {
        return None;
    };
    if cx.lanes() >= cx.platform.native_lanes() {
        return None;
    }
    let parts = &mut plan.parts;
    if r.half {
        let both = target_has(cx, "Z") && target_has(cx, "ST");
        let [.., depth, stencil] = &mut parts[..] else {
            return None;
        };
        if both {
            // Eight lanes of depth leave the place where it is.
            depth.registers[0].clone_from(&stencil.registers[0]);
            *stencil = PayloadPart::absent(1, grf);
        }
        return when(both, "the stencil is copied over the depth");
    }
    let count = parts.iter().map(PayloadPart::rows).sum::<u32>() as usize;
    let mut registers = vec![vec![Run::Undefined { len: grf }]; count];
    let mut at = 0;
    for part in parts.iter() {
        if let (false, Some(register)) = (part.null, registers.get_mut(at)) {
            register.clone_from(&part.registers[0]);
        }
        at += usize::from(part.null || part.rows() == 1);
    }
    for part in parts.iter_mut() {
        let rest = registers.split_off(part.registers.len());
        part.registers = std::mem::replace(&mut registers, rest);
    }
    when(true, "one colour arrives")
}

fn colours_shift(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let Request::Target(r) = plan.request else {
        return None;
    };
    if cx.lanes() < cx.platform.native_lanes() || r.half {
        return None;
    }
    let absent = plan.parts.iter().any(|part| part.null);
    let registers: u32 = plan.parts.iter().map(PayloadPart::rows).sum();
    for part in plan.parts.iter_mut().filter(|part| part.null) {
        *part = PayloadPart::absent(2, cx.grf());
    }
    let mut left = registers as usize;
    for part in &mut plan.parts {
        part.registers.truncate(left);
        left -= part.registers.len();
    }
    when(absent, "a colour is %null")
}

/// Of registers that the lanes do not fill only their lanes are copied, and the offsets' register is counted
/// and not kept free.
fn slots_stray(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let (bytes, grf) = (4 * cx.lanes(), cx.grf());
    let Request::Urb(r) = &plan.request else {
        return None;
    };
    if bytes >= grf {
        return None;
    }
    if let (true, Some(data)) = (r.per_slot || r.masked, cx.raw(5))
        && let Some(part) = plan.parts.last_mut()
    {
        let register = |at: u32| {
            let lanes = Run::Bytes {
                root: data.root,
                offset: data.at + at * grf,
                len: bytes,
            };
            vec![lanes, Run::Undefined { len: grf - bytes }]
        };
        part.registers = (0..part.rows()).map(register).collect();
    }
    if !r.per_slot {
        return None;
    }
    plan.parts.remove(0);
    plan.parts.push(PayloadPart::absent(1, grf));
    when(true, "the offsets are not in the message")
}

fn fence_address(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    if let Request::LscFence(_) = plan.request {
        clear(&mut plan.template.desc, fields::lsc_fence::WIDE.mask());
    }
    None
}

fn fence_flags(cx: &mut Lowering, plan: &mut Plan) -> Option<String> {
    let Request::Fence(_) = plan.request else {
        return None;
    };
    let chosen = cx.fence_flags() >> 1 & sync::PARTITIONS != 0;
    clear(&mut plan.template.desc, fence::L3.mask());
    when(chosen, "I, S, C and R do not reach the message")
}

fn end_lanes(_: &mut Lowering, plan: &mut Plan) -> Option<String> {
    if plan.request == Request::EndOfThread {
        plan.exec.size = 1;
    }
    None
}
/// Where a row of lowering reference 21 went.
#[derive(Debug)]
pub enum Outcome {
    /// The message is followed and `W0380` says so.
    Followed(&'static [&'static Quirk]),
    /// The checker has a code of its own: an error for running, a remark where the finalizer goes on.
    Checked(&'static [Code]),
    /// Both readings are the same message.
    Same(&'static str),
}

/// A row of lowering reference 21.
#[derive(Debug)]
pub struct Difference {
    /// Its number.
    pub row: u32,
    /// What became of it.
    pub outcome: Outcome,
}

const fn row(row: u32, outcome: Outcome) -> Difference {
    Difference { row, outcome }
}

use Outcome::{Checked, Followed, Same};

/// Lowering reference 21, row by row.
#[rustfmt::skip]
pub static DIFFERENCES: &[Difference] = &[
    row(1, Checked(&[Code::W0341])),
    row(2, Followed(&[&AVS_IEF])),
    row(3, Followed(&[&AVS_LENGTH])),
    row(4, Followed(&[&AVS_CHROMA])),
    row(5, Followed(&[&AVS_LENGTH])),
    row(6, Followed(&[&PLANE_CARRIES])),
    row(7, Followed(&[&MEDIA_WHOLE])),
    row(8, Followed(&[&MEDIA_PITCH])),
    row(9, Same("a pitch of at least 4, as the page says")),
    row(10, Same("64 bytes, as the page says; the five bits are Gen5's own")),
    row(11, Checked(&[Code::W0309, Code::W0310])),
    row(12, Followed(&[&FEW_LANES, &MANY_LANES])),
    row(13, Checked(&[Code::E0336, Code::E0337])),
    row(14, Checked(&[Code::E0403])),
    row(15, Checked(&[Code::E0334])),
    row(16, Followed(&[&SAMPLER_CARRIES])),
    row(17, Followed(&[&GATHER_CHANNEL])),
    row(18, Same("no header means all channels; the register of zeros is never read")),
    row(19, Followed(&[&UNORM_FORMAT])),
    row(20, Followed(&[&EIGHT_LANES])),
    row(21, Checked(&[Code::W0351])),
    row(22, Same("visim reads the page's word, and sends what the binary form sends for it")),
    row(23, Followed(&[&STENCIL_INPUT])),
    row(24, Followed(&[&DIVERGENT])),
    row(25, Followed(&[&CPS_LOST])),
    row(26, Followed(&[&SPLIT_PREDICATE])),
    row(27, Same("a rule of Gen5 alone; its lowering has it")),
    row(28, Same("a rule of Gen5 alone; its lowering shifts the offsets")),
    row(29, Followed(&[&SCATTER_STRAYS, &COLOURS_STRAY, &SECOND_HEADER, &COLOURS_SHIFT])),
    row(30, Same("of the binary form, which visim neither reads nor writes")),
];
