//! Faults of the finalizer, as one table: what is followed bit for bit, and the warning that says so.
//!
//! Whoever makes a faulty message calls `Lowering::follow` with the row; the warning `W0380` then has
//! the row's words and section. A run never goes through these messages: it does what the instruction
//! means. [`DIFFERENCES`] walks lowering reference 21 and tells for each row where it went. Tests hold
//! an example of each against both lists.

use super::{Compat, Lowering};
use crate::diagnostic::{Code, Diagnostic};

/// A place where the message is not what the documents promise.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// Short name.
    pub name: &'static str,
    /// What is wrong with the message.
    pub note: &'static str,
    /// Where it is told.
    pub see: &'static str,
    /// [`Compat::Later`] does not have it.
    pub mended: bool,
}

macro_rules! faults {
    ($($(#[doc = $doc:literal])* $name:ident $see:literal $later:ident: $note:literal;)*) => {
        $($(#[doc = $doc])* pub static $name: Fault = Fault {
            name: stringify!($name),
            note: $note,
            see: concat!("lowering reference ", $see),
            mended: matches!(Later::$later, Later::Mended),
        };)*
        /// All of them.
        pub static FAULTS: &[&Fault] = &[$(&$name),*];
    };
}

/// What [`Compat::Later`] does about a fault.
enum Later {
    /// The same.
    Same,
    /// Another message, or a refusal where none is stated.
    Mended,
}

faults! {
    /// A length greater than its field.
    LENGTH_WRAPS "1.3, 1.10" Same:
        "the finalizer cuts a length to its field: 4 bits, 5 of a response and of a second payload from icl on";
    /// A second payload of 16 registers on Gen11.
    SECOND_LENGTH_CUT "1.3; seen in the finalizer" Mended:
        "the second length of icl has five bits, and the finalizer writes four of them";
    /// Bits 29 and 30 of a constant descriptor.
    GEN8_HIGH_BITS "1.2" Same:
        "Gen8 has 29 bits for a constant descriptor: that data or parameters are 16-bit is lost";
    /// A bindless surface added to the descriptor.
    HANDLE_IN_DESCRIPTOR "1.6; seen in the finalizer" Same:
        "the bindless handle is added to the descriptor, the extended descriptor does not have it";
    /// The mask offset of fewer lanes than the message has.
    MASK_FALLS_BACK "1.7; seen in the finalizer" Same:
        "the mask offset is no multiple of the message's lanes and becomes M0";
    /// The plane of a `media_st` to a bindless surface, and of `%scratch`.
    PLANE_FORGOTTEN "2.7; seen in the finalizer" Same:
        "a write to a bindless surface does not add the plane, nor does any block of stateless memory";
    /// A bindless `media_ld`.
    MEDIA_BINDLESS "2.7" Mended:
        "the handle is added to a descriptor without binding 252; the extended descriptor is not used";
    /// Plane and binding together exceed 255.
    PLANE_CARRIES "2.7, 21 row 6" Same:
        "the plane is added to the binding, and the sum carries into the neighbouring field";
    /// Whole registers of a media block.
    MEDIA_WHOLE "2.5, 21 row 7" Same:
        "a block of one register or more is written as whole registers, past its last byte";
    /// The pitch of 64-bit types.
    MEDIA_PITCH "2.4, 21 row 8" Mended:
        "the pitch is counted in whole 64-bit elements; a type of 4 bytes or less has the right one";
    /// Fewer lanes than native.
    FEW_LANES "3.1, 21 row 12" Same:
        "sizes below the native one get the wide SIMD mode: lanes nobody prepared are read";
    /// More lanes than the widest mode has.
    MANY_LANES "3.1, 21 row 12" Same:
        "one message with the sixteen-lane mode: not executable on hardware";
    /// Sampler index above 15 without the flag.
    SAMPLER_CARRIES "3.5, 21 row 16" Same:
        "the index has four bits; the finalizer adds it, and it carries into the message type";
    /// A bindless sampler and the flag for many samplers together.
    HANDLE_AS_INDEX "3.5; seen in the finalizer" Same:
        "bit 15 of the offsets makes an index of the bindless sampler's handle";
    /// A predicated message that is split.
    SPLIT_PREDICATE "3.7, 21 row 26" Mended:
        "the moves behind a split message are not predicated: lanes that the predicate turns off receive undefined temporaries";
    /// Any and all in front of a message that is split.
    SPLIT_GROUP "1.7, 3.7; seen in the finalizer" Same:
        "the second half of a split message has the predicate without its any or all";
    /// The null mask of a split message with 16-bit results.
    NULL_MASK_STRAYS "3.7; seen in the finalizer" Same:
        "with 16-bit results the second half's part of the null mask is moved a register too early";
    /// `.cps` before Gen12.
    CPS_LOST "3.8, 21 row 25" Same:
        "coarse pixel shading does not reach the message on skl and icl";
    /// `.divS`.
    DIVERGENT "3.8, 21 row 24" Same:
        "the finalizer takes .divS for a uniform sampler: no loop over the lanes' indices, and no {Serialize}";
    /// The channel of gather4_c.
    GATHER_CHANNEL "4, 21 row 17" Same:
        "the header of the shadow forms has no channel: the hardware gathers R";
    /// gather4_po where it does not exist.
    GATHER_PO "4" Mended:
        "the finalizer treats it as an ordinary sample: one channel comes back";
    /// The output format of sample_unorm.
    UNORM_FORMAT "6.1, 21 row 19" Same:
        "the output format is not in the message: 16 bits come back for every pixel";
    /// Eight lanes of the old `sample` and `load`.
    EIGHT_LANES "6.2, 21 row 20" Same:
        "eight lanes always ask for four channels: masked ones are skipped, the last registers keep what they held";
    /// The IEF bit of AVS.
    AVS_IEF "7.2, 21 row 2; AVS reference D1" Same:
        "the page bypasses the filter for 0, the hardware for 1, and the bit is copied as it is";
    /// Response lengths of AVS.
    AVS_LENGTH "7.3, 21 rows 3 and 5; AVS reference D2" Same:
        "16x8 counts every channel twice, 32 registers and more wrap, 16 bytes count as 0";
    /// Response lengths of decimated chroma.
    AVS_CHROMA "7.3, 21 row 4" Same:
        "R and B have even pixels only, the response length counts all of them";
    /// Offsets in shared local memory of Gen8.
    GEN8_SLM_OFFSET "9; seen in the finalizer" Same:
        "a constant byte offset into shared local memory is multiplied by four in the header of Gen8";
    /// Part of a register counts as none.
    PART_OF_REGISTER "9, 13; seen in the finalizer" Same:
        "the lanes fill part of a register, and the lengths say none";
    /// `scatter` on registers of 64 bytes.
    SCATTER_STRAYS "9, 21 row 29" Mended:
        "the finalizer copies the data one register too far on 64-byte registers";
    /// Thirty-two lanes of a scattered message.
    SCATTERED_LANES "10" Same:
        "one message with the sixteen-lane code: half the lanes are not executed";
    /// Sixteen lanes of a typed message.
    TYPED_LANES "11, 12.2" Same:
        "the message keeps the eight-lane code";
    /// An absent v.
    ABSENT_V "11; seen in the finalizer" Same:
        "v is %null and no register is kept free for it; a register of zeros as v has its place";
    /// Float atomics on typed surfaces.
    TYPED_FLOAT_ATOMIC "12.2; seen in the finalizer" Same:
        "typed surfaces have no float atomics; the integer message is sent";
    /// A scatter of elements smaller or larger than its blocks.
    SCATTER_BY_TYPE "13; seen in the finalizer" Same:
        "a scatter's data are counted by the operand's type: of a type smaller than the blocks only a part is sent, of a larger one more than there is";
    /// Depth and stencil together.
    DEPTH_STENCIL "14" Same:
        "depth and stencil together set the depth bit alone";
    /// Sixteen lanes of stencil.
    STENCIL_LANES "14; seen in the finalizer" Same:
        "the stencil of sixteen lanes is copied past the one register it has";
    /// The first colour decides the type.
    FIRST_COLOUR "14; seen in the finalizer" Same:
        "the first colour decides whether all are 16-bit, also when it is %null";
    /// `<SI>`.
    STENCIL_INPUT "21 row 23" Same:
        "nothing of the flag or its operand reaches the message";
    /// Eight-lane colours on registers of 64 bytes.
    COLOURS_STRAY "14, 21 row 29" Mended:
        "the finalizer copies all colours onto one register on 64-byte registers";
    /// The second header of a render target write on registers of 64 bytes.
    SECOND_HEADER "14, 21 row 29" Same:
        "the header is one register of 64 bytes, and the operand that belongs into its second half is lost";
    /// Colours behind an absent one on registers of 64 bytes.
    COLOURS_SHIFT "14, 21 row 29; seen in the finalizer" Same:
        "an absent colour takes two registers, and what lies behind it is sent a register too far";
    /// Per-slot offsets of the URB on registers of 64 bytes.
    SLOTS_STRAY "15; seen in the finalizer" Mended:
        "on 64-byte registers what follows the per-slot offsets is copied over them";
    /// Bits of a raw message's extended descriptor.
    RAW_BITS_LOST "1.3, 17; seen in the finalizer" Same:
        "the instruction has no room for all bits of a constant extended descriptor: those are lost, all of them from tgl on if there is one source";
    /// Flags of a fence.
    FENCE_FLAGS "15; seen in the finalizer" Same:
        "Gen12 drops the flags that choose L3 partitions, later parts all but R";
}

impl Lowering<'_> {
    /// Says that a fault is followed; `label` has the values at hand.
    pub(super) fn follow(&mut self, fault: &Fault, label: impl Into<String>) {
        let warning = Diagnostic::new(Code::W0380)
            .at(self.instruction.opcode.span, label)
            .note(fault.note)
            .see(fault.see);
        let told = self
            .lowered
            .warnings
            .iter()
            .any(|w| w.notes == warning.notes);
        if !told {
            self.lowered.warnings.push(warning);
        }
    }

    /// Whether a fault that later releases mend is followed.
    pub(super) fn faulty(&self) -> bool {
        self.context.compat == Compat::Finalizer
    }
}

/// Where a row of lowering reference 21 went.
#[derive(Debug)]
pub enum Outcome {
    /// The message is followed and `W0380` says so.
    Followed(&'static [&'static Fault]),
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
