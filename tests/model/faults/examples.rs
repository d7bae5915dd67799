//! An example of each fault that is followed: the message the finalizer makes of it, and what a run of
//! the same statement does.

/// What a run does.
pub enum Run {
    /// The same as another statement, which has no fault.
    Like(&'static str),
    /// The same as this statement on a platform without the fault.
    On(&'static str),
    /// It stops with this code.
    Stops(&'static str),
    /// Nothing to compare, for this reason.
    Nothing(&'static str),
}

use Run::{Like, Nothing, On, Stops};

pub struct Example {
    /// Name in the table of faults.
    pub fault: &'static str,
    pub platform: &'static str,
    /// Perhaps after a `movs`.
    pub statement: &'static str,
    /// First message: descriptor or `computed`, registers of both payloads, registers back.
    pub message: &'static str,
    pub run: Run,
}

const fn example(
    fault: &'static str,
    platform: &'static str,
    statement: &'static str,
    message: &'static str,
    run: Run,
) -> Example {
    Example {
        fault,
        platform,
        statement,
        message,
        run,
    }
}

const HANDLE: Run = Nothing("no directive binds a bindless handle");
const TARGET: Run = Stops("N0602");

/// `V*` are one destination in several types, `A* F* H* L0 Q0 D0` inputs; `T6` and `S7` hold 5 and 3.
#[rustfmt::skip]
pub const EXAMPLES: &[Example] = &[
    example("LENGTH_WRAPS", "bdw", "rt_write_3d.<A><O><Z><ST> (M1, 16) T6 A0.0 F0.0 W1.0 F1.0 F2.0 F3.0 F4.0 F5.0 A4.0", "0x000b0005 0+0>0", TARGET),
    example("SECOND_LENGTH_CUT", "icl", "svm_scatter.4.8 (M1, 16) Q0.0 D0.0", "0x08069dff 4+0>0", Stops("E0608")),
    example("GEN8_HIGH_BITS", "bdw", "load_3d.RGBA (M1, 8) 0x0:uw T6 VW.0 A0.0", "0x02427005 1+0>4", Nothing("a run asks for 16 bits")),
    example("HANDLE_IN_DESCRIPTOR", "skl", "gather.4 (M1, 8) %bss 0x0:ud A0.0 VU.0", "computed 1+0>1", HANDLE),
    example("MASK_FALLS_BACK", "pvc", "gather4_scaled.R (M3, 8) T6 0x0:ud A0.0 VU.0", "0x02105e05 1+0>1", On("skl")),
    example("PLANE_FORGOTTEN", "skl", "media_st.nomod (16,2) %bss 1 0x0:ud 0x0:ud D0.0", "0x020a80fc 1+1>0", HANDLE),
    example("MEDIA_BINDLESS", "skl", "media_ld.nomod (16,2) %bss 0 0x0:ud 0x0:ud VU.0", "computed 1+0>1", HANDLE),
    example("PLANE_CARRIES", "skl", "movs (M1_NM, 1) T6(0) 254:ud\n    media_ld.nomod (16,2) T6 2 0x0:ud 0x0:ud VU.0", "0x02190100 1+0>1", Stops("E0603")),
    example("MEDIA_WHOLE", "skl", "media_ld.nomod (9,5) T6 0 0x0:ud 0x0:ud VU.0", "0x02390005 1+0>3", Like("media_ld.nomod (9,5) T6 0 0x0:ud 0x0:ud VB.0")),
    example("MEDIA_PITCH", "skl", "media_ld.nomod (4,2) T6 0 0x0:ud 0x0:ud VQ.0", "0x02090005 1+0>0", Like("media_ld.nomod (4,2) T6 0 0x0:ud 0x0:ud VU.0")),
    example("FEW_LANES", "skl", "load_3d.RGBA (M1, 4) 0x0:uw T6 VU.0 A0.0", "0x02447005 1+0>4", Stops("E0330")),
    example("MANY_LANES", "skl", "load_3d.R (M1, 32) 0x0:uw T6 VU.0 L0.0", "0x08447005 4+0>4", Like("load_lz.R (M1, 32) 0x0:uw T6 VU.0 L0.0")),
    example("SAMPLER_CARRIES", "skl", "movs (M1_NM, 1) S7(0) 20:ud\n    sample_lz.RGBA (M1, 8) 0x0:uw S7 T6 VF.0 F0.0", "0x02439405 1+0>4", Stops("E0604")),
    example("HANDLE_AS_INDEX", "skl", "sample_lz.R (M1, 8) 0x8000:uw S31 T6 VF.0 F0.0", "computed 1+1>1", Stops("E0334")),
    example("SPLIT_PREDICATE", "skl", "(P1) sample_d.RG (M1, 16) 0x0:uw S7 T6 VF.0 F0.0 F5.0 F5.0 F1.0 F5.0", "0x0a224305 5+0>2", Like("(P1) sample_lz.RG (M1, 16) 0x0:uw S7 T6 VF.0 F0.0 F1.0")),
    example("SPLIT_GROUP", "skl", "(P1.any) sample_d.RG (M1, 16) 0x0:uw S7 T6 VF.0 F0.0 F5.0 F5.0 F1.0 F5.0", "0x0a224305 5+0>2", Like("(P1.any) sample_lz.RG (M1, 16) 0x0:uw S7 T6 VF.0 F0.0 F1.0")),
    example("NULL_MASK_STRAYS", "skl", "sample_d.pixel_null_mask.RG (M1, 16) 0x0:uw S7 T6 VH.0 F0.0 F5.0 F5.0 F1.0 F5.0", "0x4c3a4305 6+0>3", Like("sample_lz.pixel_null_mask.RG (M1, 16) 0x0:uw S7 T6 VH.0 F0.0 F1.0")),
    example("CPS_LOST", "icl", "sample_3d.cps.RGBA (M1, 8) 0x0:uw S7 T6 VF.0 F0.0 F1.0", "0x02420305 1+1>4", Like("sample_3d.RGBA (M1, 8) 0x0:uw S7 T6 VF.0 F0.0 F1.0")),
    example("DIVERGENT", "skl", "sample_lz.divS.RGBA (M1, 8) 0x0:uw S7 T6 VF.0 F0.0 F1.0", "0x02438305 1+1>4", Like("sample_lz.RGBA (M1, 8) 0x0:uw S7 T6 VF.0 F0.0 F1.0")),
    example("GATHER_CHANNEL", "skl", "sample4_c.G (M1, 8) 0x0:uw S7 T6 VF.0 F0.0 F1.0 F2.0", "0x024b0305 1+3>4", Nothing("a depth surface has one channel, and a run gathers the one named")),
    example("GATHER_PO", "dg2", "sample4_po.R (M1, 16) 0x0:uw S7 T6 VF.0 F0.0 F1.0", "0x04251305 2+2>2", Stops("E0428")),
    example("UNORM_FORMAT", "skl", "sample_unorm.R.8-full S7 T6 F0(0,0)<0;1,0> F0(0,0)<0;1,0> F0(0,1)<0;1,0> F0(0,1)<0;1,0> VW.0", "0x042ec305 2+0>2", Nothing("eight bits a pixel: the law of messages through bits and the scaler suite")),
    example("EIGHT_LANES", "skl", "load.R (8) T6 A0.0 A1.0 A2.0 VU.0", "0x0a4a7005 5+0>4", Like("load_3d.R (M1, 8) 0x0:uw T6 VU.0 A0.0 A1.0")),
    example("AVS_IEF", "skl", "avs.R T6 S7 F0(0,0)<0;1,0> F0(0,0)<0;1,0> F0(0,1)<0;1,0> F0(0,1)<0;1,0> F0(0,2)<0;1,0> 0x0:ud 0x0:ud AVS_8_FULL F0(0,2)<0;1,0> AVS_16x4 0x1:ub VB.0", "0x042eb305 2+0>2", Nothing("decision D1 of the AVS reference: the law of messages through bits")),
    example("AVS_LENGTH", "skl", "avs.R T6 S7 F0(0,0)<0;1,0> F0(0,0)<0;1,0> F0(0,1)<0;1,0> F0(0,1)<0;1,0> F0(0,2)<0;1,0> 0x0:ud 0x0:ud AVS_8_FULL F0(0,2)<0;1,0> AVS_16x8 0x1:ub VB.0", "0x048eb305 2+0>8", Nothing("128 bytes arrive: the scaler suite")),
    example("AVS_CHROMA", "skl", "avs.RGBA T6 S7 F0(0,0)<0;1,0> F0(0,0)<0;1,0> F0(0,1)<0;1,0> F0(0,1)<0;1,0> F0(0,2)<0;1,0> 0x0:ud 0x0:ud AVS_8_DOWN_SAMPLE F0(0,2)<0;1,0> AVS_16x4 0x1:ub VB.0", "0x048eb305 2+0>8", Nothing("even pixels of R and B: the scaler suite")),
    example("GEN8_SLM_OFFSET", "bdw", "gather.1 (M1, 8) %slm 0x10:ud A0.0 VU.0", "0x041900fe 2+0>1", Like("gather_scaled.1 (M1, 8) %slm 0x10:ud A0.0 VU.0")),
    example("PART_OF_REGISTER", "pvc", "gather.4 (M1, 8) T6 0x0:ud A0.0 VU.0", "0x0000c205 0+0>0", On("skl")),
    example("SCATTER_STRAYS", "pvc", "scatter.4 (M1, 16) T6 0x0:ud A0.0 A1.0", "0x0402c305 2+0>0", On("skl")),
    example("SCATTERED_LANES", "skl", "gather4_scaled.R (M1, 32) T6 0x0:ud L0.0 VU.0", "0x08405e05 4+0>4", Like("gather_scaled.4 (M1, 32) T6 0x0:ud L0.0 VU.0")),
    example("TYPED_LANES", "skl", "gather4_typed.R (M1, 16) T6 A0.0 A1.0 %null.0 %null.0 VU.0", "0x04115e05 2+2>1", Like("load_3d.R (M1, 16) 0x0:uw T6 VU.0 A0.0 A1.0")),
    example("ABSENT_V", "skl", "gather4_typed.R (M1, 8) T6 A0.0 %null.0 A1.0 %null.0 VU.0", "0x02115e05 1+1>1", Like("gather4_typed.R (M1, 8) T6 A0.0 A2.0 A1.0 %null.0 VU.0")),
    example("TYPED_FLOAT_ATOMIC", "skl", "typed_atomic.fadd (M1, 8) T6 A0.0 %null.0 %null.0 %null.0 F0.0 %null.0 VF.0", "0x0211a405 1+1>1", Nothing("a run adds floats, which no other instruction does on texels: the case typed-float-atomic")),
    example("SCATTER_BY_TYPE", "skl", "svm_scatter.8.1 (M1, 8) Q0.0 D0.0", "0x040682ff 2+1>0", Stops("E0608")),
    example("DEPTH_STENCIL", "skl", "rt_write_3d.<A><Z><ST> (M1, 8) T6 A3.0 F4.0 F0.0 F1.0 F2.0 F3.0 F5.0 A4.0", "0x040b0405 2+7>0", TARGET),
    example("STENCIL_LANES", "skl", "rt_write_3d.<ST> (M1, 16) T6 A3.0 F0.0 F1.0 F2.0 F3.0 A4.0", "0x12030005 9+0>0", TARGET),
    example("FIRST_COLOUR", "skl", "rt_write_3d (M1, 8) T6 A3.0 %null.0 H0.0 H1.0 H2.0", "0x08030405 4+0>0", Like("rt_write_3d (M1, 8) T6 A3.0 %null.0 F5.0 F5.0 F5.0")),
    example("STENCIL_INPUT", "skl", "rt_write_3d.<SI> (M1, 8) T6 A3.0 F4.0 F0.0 F1.0 F2.0 F3.0", "0x08030405 4+0>0", Like("rt_write_3d (M1, 8) T6 A3.0 F0.0 F1.0 F2.0 F3.0")),
    example("COLOURS_STRAY", "pvc", "rt_write_3d (M1, 8) T6 A3.0 F0.0 F1.0 F2.0 F3.0", "0x10030405 8+0>0", On("skl")),
    example("SECOND_HEADER", "pvc", "rt_write_3d.<A> (M1, 16) T6 A3.0 F4.0 F0.0 F1.0 F2.0 F3.0", "0x020b0005 1+5>0", TARGET),
    example("COLOURS_SHIFT", "pvc", "rt_write_3d (M1, 16) T6 A3.0 F0.0 %null.0 F2.0 F3.0", "0x08030005 4+0>0", On("skl")),
    example("SLOTS_STRAY", "pvc", "urb_write_3d (M1, 8) 1 0 %null.0 A0.0 A2.0 D0.0", "0x020a0007 1+2>0", Stops("N0601")),
    example("RAW_BITS_LOST", "skl", "raw_sends.2.1.1.4 (M1, 8) 0x842:ud 0x02427000:ud A0.0 A1.0 VU.0", "0x02427000 1+1>4", Like("raw_sends.2.1.1.4 (M1, 8) 0x42:ud 0x02427000:ud A0.0 A1.0 VU.0")),
    example("FENCE_FLAGS", "tgl", "fence_global.EISCR", "0x0219e000 1+0>1", Like("fence_global.E")),
];

/// What the statement is in. For a listing the numbers of surface and sampler are set, a run binds
/// them by name.
pub fn program(statement: &str, numbers: bool) -> String {
    let mut t = String::from(".version 4.1\n.kernel \"k\"\n");
    let mut declare = |name: &str, ty: &str, count: u32, tail: &str| {
        t += &format!(".decl {name} v_type=G type={ty} num_elts={count} align=GRF{tail}\n");
    };
    for i in 0..6 {
        declare(&format!("A{i}"), "ud", 16, "");
        declare(&format!("F{i}"), "f", 16, "");
    }
    for i in 0..3 {
        declare(&format!("H{i}"), "hf", 32, "");
    }
    declare("L0", "ud", 32, "");
    declare("Q0", "uq", 16, "");
    declare("D0", "f", 128, "");
    declare("VF", "f", 160, "");
    for (name, ty, count) in [
        ("VU", "ud", 160),
        ("VH", "hf", 320),
        ("VW", "uw", 320),
        ("VB", "ub", 640),
        ("VQ", "uq", 80),
    ] {
        declare(name, ty, count, " alias=<VF,0>");
    }
    declare("W1", "uw", 32, " alias=<A1,0>");
    t += ".decl P1 v_type=P num_elts=16\n.decl T6 v_type=T num_elts=1\n.decl S7 v_type=S num_elts=1\n";
    let inputs = [
        ("A0", 64),
        ("A1", 64),
        ("A2", 64),
        ("A3", 64),
        ("A4", 64),
        ("A5", 64),
        ("F0", 64),
        ("F1", 64),
        ("F2", 64),
        ("F3", 64),
        ("F4", 64),
        ("F5", 64),
        ("H0", 64),
        ("H1", 64),
        ("H2", 64),
        ("L0", 128),
        ("Q0", 128),
        ("D0", 512),
    ];
    let mut offset = 64;
    for (name, size) in inputs {
        t += &format!(".input {name} offset={offset} size={size}\n");
        offset += size;
    }
    t += ".kernel_attr Target=\"cm\"\n.function \"main\"\nmain:\n";
    if numbers {
        t += "    movs (M1_NM, 1) T6(0) 5:ud\n    movs (M1_NM, 1) S7(0) 3:ud\n";
    }
    t += "    cmp.gt (M1, 16) P1 A5(0,0)<8;8,1> 0x3:ud\n";
    t + &format!("    {statement}\n    ret (M1, 1)\n")
}
