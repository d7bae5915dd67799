//! Refusals: small texts with the code, the line and the words they must be answered with.
//!
//! Each code of 02xx to 05xx has at least one row; the last test says which have none.

use super::{CheckOptions, Storage, check};
use crate::diagnostic::{CODES, Code, Diagnostic, any_fatal, render};
use crate::isa::Platform;
use crate::source::Source;
use crate::syntax::{ParseOptions, parse};

/// What every body below may use.
const DECLARATIONS: &str = "\
.version 4.1
.kernel \"k\"
.decl D v_type=G type=d num_elts=128 align=GRF
.decl E v_type=G type=d num_elts=128 align=GRF
.decl U v_type=G type=ud num_elts=128 align=GRF
.decl F v_type=G type=f num_elts=128 align=GRF
.decl H v_type=G type=hf num_elts=128 align=GRF
.decl W v_type=G type=w num_elts=128 align=GRF
.decl UW v_type=G type=uw num_elts=256 align=GRF
.decl UB v_type=G type=ub num_elts=512 align=GRF
.decl Q v_type=G type=uq num_elts=64 align=GRF
.decl SMALL v_type=G type=ud num_elts=8 align=GRF
.decl ONE v_type=G type=ud num_elts=1 align=dword
.decl IN v_type=G type=ud num_elts=64 alias=<U, 16>
.decl A0 v_type=A num_elts=8
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=8
.decl P3 v_type=P num_elts=32
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
";

fn diagnostics(text: &str, platform: Platform) -> (Source, Vec<Diagnostic>) {
    let source = Source::new("case.visa", text);
    let options = ParseOptions {
        grf_bytes: platform.grf_bytes(),
    };
    let parsed = parse(&source, &options);
    if any_fatal(&parsed.diagnostics) {
        return (source, parsed.diagnostics);
    }
    let (_, found) = check(
        &parsed.module,
        &CheckOptions {
            platform,
            ..CheckOptions::default()
        },
    );
    (source, found)
}

/// Platform, body (or a whole file, if it starts with a dot), code, words of title, label or note.
type Row = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const REFUSALS: &[Row] = &[
    // Names, declarations, inputs.
    ("skl", ".version 4.1\n.decl X v_type=G type=ud num_elts=8", "E0201", "no kernel has been opened"),
    ("skl", "mov (M1, 8) Z9(0,0)<1> 0x1:d", "E0202", "Z9 is not declared"),
    ("skl", "media_ld.nomod (16,4) T0 0 0x0:ud 0x0:ud D.0", "E0202", "which this instruction does not take"),
    ("skl", "mov (M1, 8) X(0,0)<1> 0x1:d\n.decl X v_type=G type=d num_elts=8", "E0202", "earlier line"),
    ("skl", "{\n.decl X v_type=G type=d num_elts=8\n}\nmov (M1, 8) X(0,0)<1> 0x1:d", "E0202", "has ended"),
    ("skl", ".decl D v_type=P num_elts=8", "E0203", "D is declared twice"),
    ("skl", ".decl V7 v_type=G type=ud num_elts=8", "E0204", "is another name of %r0"),
    ("skl", ".decl X v_type=G type=ud num_elts=0", "E0205", "1 to 65535, not 0"),
    ("skl", ".decl X v_type=G type=ud num_elts=65536", "E0205", "65536"),
    ("skl", ".decl X v_type=A num_elts=17", "E0205", "1 to 16"),
    ("skl", ".decl X v_type=P num_elts=12", "E0205", "1, 2, 4, 8, 16 or 32"),
    ("skl", ".decl X v_type=T num_elts=129", "E0205", "1 to 128"),
    ("skl", ".decl X v_type=G type=bool num_elts=8", "E0206", "cannot be boolean"),
    ("skl", ".decl X v_type=G type=vf num_elts=8", "E0206", "immediates only"),
    ("skl", ".decl X v_type=G type=ud num_elts=1 alias=<P1, 0>", "E0207", "a predicate"),
    ("skl", ".decl X v_type=G type=ud num_elts=8 alias=<SMALL, 32>", "E0208", "offset 32 in 32 bytes"),
    ("skl", ".decl X v_type=G type=ud num_elts=16 alias=<SMALL, 16>\n.decl Y v_type=G type=ud num_elts=8 alias=<X, 32>", "E0208", "byte 16 + 32 of 32"),
    ("skl", ".decl X v_type=G type=uw num_elts=4\n.decl Y v_type=G type=ud num_elts=2 alias=<X, 0>", "E0209", "aligned to 2 bytes"),
    ("skl", ".decl X v_type=G type=ud num_elts=8 attrs={Sticky}", "E0210", "Sticky"),
    ("skl", ".input P1 offset=32", "E0212", "a predicate"),
    ("skl", ".input V7 offset=32", "E0212", "built-in"),
    ("skl", ".input SMALL offset=32 size=16", "E0213", "16 bytes, the variable has 32"),
    ("skl", ".input SMALL offset=32\n.input F offset=48", "E0214", "share 48..=63 with SMALL"),
    ("skl", ".decl X v_type=G type=ud num_elts=4\n.input X offset=56", "E0215", "bytes 56..72"),
    ("skl", ".input SMALL offset=70000", "E0216", "byte 70000"),
    ("skl", "}", "E0217", "not opened"),
    ("skl", "{", "E0217", "never closed"),
    ("skl", ".kernel_attr SimdSize=12", "E0218", "0, 1, 8, 16 or 32"),
    ("skl", ".kernel_attr SimdSice=16", "W0219", "SimdSice"),
    ("skl", ".kernel_attr SLMSize=1\n.kernel_attr SLMSize=2", "E0220", "given again"),
    ("skl", ".version 3.6\n.kernel \"k\"", "W0221", "3.6"),
    ("skl", ".decl X v_type=G type=ud num_elts=16 alias=<SMALL, 0>", "W0222", "bytes 0..64 of a variable of 32"),
    ("pvc", ".decl X v_type=G type=ud num_elts=193 alias=<%retval, 0>", "W0222", "bytes 0..772 of a variable of 768"),
    ("skl", "add (M1, 8) D(0,0)<1> T6(0,0)<1;1,0> 0x1:d", "E0223", "T6 is a surface, not a general variable"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw S0 F.0 U.0", "E0223", "S0 is a sampler, not a surface"),
    // Media blocks.
    ("skl", "media_ld.nomod (16,4) %slm 0 0x0:ud 0x0:ud D.0", "E0301", "shared local memory"),
    ("skl", "media_ld.nomod (16,4) %scratch 0 0x0:ud 0x0:ud D.0", "E0301", "T5(stateless): no"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw %slm F.0 U.0", "E0301", "%slm"),
    ("skl", "gather4_typed.R (M1, 8) %slm U.0 U.32 %null.0 %null.0 F.0", "E0301", "without a format"),
    ("skl", "sample_unorm.R.16-full S0 T1 0x0:f 0x0:f 0x0:f 0x0:f UW.0", "E0301", "a built-in surface"),
    ("skl", "media_st.top_mod (16,4) T6 0 0x0:ud 0x0:ud D.0", "E0302", "top_mod"),
    ("skl", "media_ld.nomod (16,4) T6 4 0x0:ud 0x0:ud D.0", "E0303", "plane 4 does not exist"),
    ("skl", "media_ld.nomod (65,1) T6 0 0x0:ud 0x0:ud D.0", "E0304", "65 bytes wide, 1 to 64"),
    ("skl", "media_ld.nomod (0,1) T6 0 0x0:ud 0x0:ud D.0", "E0304", "0 bytes wide"),
    ("skl", "media_ld.nomod (260,1) T6 0 0x0:ud 0x0:ud D.0", "E0304", "low 8 bits, 4"),
    ("skl", "media_ld.nomod (4,65) T6 0 0x0:ud 0x0:ud D.0", "E0305", "65 rows high"),
    ("skl", "media_ld.nomod (16,4) T1 0 0x0:ud 0x0:ud D.0", "W0306", "reserved surface T1"),
    ("skl", "media_ld.nomod (16,4) T6 0 0xfffffff8:d 0x0:ud D.0", "W0307", "x offset is d"),
    ("skl", "media_ld.nomod (16,4) T6 0 0x0:ud F(0,0)<0;1,0> D.0", "E0308", "y offset is f"),
    ("skl", "media_st.nomod (3,1) T6 0 0x0:ud 0x0:ud D.0", "W0309", "3 mod 4 = 3"),
    ("skl", "media_st.nomod (4,1) T6 0 0x6:ud 0x0:ud D.0", "W0310", "6 mod 4 = 2"),
    ("skl", "media_ld.nomod (48,8) T6 0 0x0:ud 0x0:ud D.0", "E0312", "at most 4 rows, not 8"),
    ("skl", "media_ld.nomod (16,17) T6 0 0x0:ud 0x0:ud D.0", "E0312", "(16,1) at y+16"),
    ("skl", "media_ld.nomod (32,2) T6 0 0x0:ud 0x0:ud SMALL.0", "U0320", "32 bytes from here to the end, 64 are moved"),
    ("skl", ".decl QW v_type=G type=uq num_elts=1 align=qword\nsvm_block_st (1) 0x0:uq QW.0", "W0322", "8 bytes from here to the end, 16 are moved"),
    ("skl", ".decl QW v_type=G type=uq num_elts=1 align=qword\nsvm_block_st (4) 0x0:uq QW.0", "U0321", "64 are moved"),
    ("skl", "media_st.nomod (32,2) T6 0 0x0:ud 0x0:ud SMALL.0", "U0321", "64 are moved"),
    // Sampler.
    ("skl", "load_lz.RG (M1, 8) 0x0:uw T6 SMALL.0 U.0", "U0320", "2 * 32 = 64"),
    ("skl", "load_lz.R (M1, 16) 0x0:uw T6 F.0 SMALL.0", "U0321", "u: 16 lanes"),
    ("skl", "load_lz.pixel_null_mask.R (M1, 8) 0x0:uw T6 SMALL.0 U.0", "U0320", "1 * 32 + 4 = 36"),
    ("skl", "avs.RGBA S0 T6 0x0:f 0x0:f 0x0:f 0x0:f 0x0:f 0x0:ud 0x0:ud AVS_16_FULL 0x0:f AVS_16x8 0x1:ub UW.0", "U0320", "1024"),
    ("skl", "load_lz.R (M1, 4) 0x0:uw T6 F.0 U.0", "E0330", "8, 16, 32"),
    ("skl", "sample.R (32) S0 T6 F.0 F.128 F.256 F.384", "E0330", "8, 16"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw T6 F.0 SMALL.0 U.0 U.32 U.64", "E0335", "at most 3 parameters, not 4"),
    ("skl", "load_lz.R (M1, 8) ONE(0,0)<0;1,0> T6 F.0 U.0", "E0332", "not an immediate"),
    ("skl", "load_lz.R (M1, 8) 0x0:ud T6 F.0 U.0", "E0333", "ud, not uw"),
    ("skl", "load_lz.R (M1, 8) 0x8810:uw T6 F.0 U.0", "E0334", "U -8, V 1, R 0"),
    ("skl", ".version 4.2\n.kernel \"k\"\n.decl F v_type=G type=f num_elts=32\n.decl U v_type=G type=ud num_elts=32\n.decl T6 v_type=T num_elts=1\nload_lz.R (M1, 8) 0x0:uw T6 F.0 F.32 U.0 U.32 U.64", "E0331", "from version 4.2 on, the operand after the destination is a paired surface"),
    ("skl", "sample_lz.R (M1, 8) 0x0:uw S0 T6 F.0 U.0", "E0336", "ud, expected f or hf"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw T6 F.0 F.64", "E0336", "f, expected ud or uw"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw T6 F.0 U.0 UW.0", "E0337", "uw"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw T6 UB.0 U.0", "E0338", "UB is ub"),
    ("skl", "sample_l.cps.R (M1, 8) 0x0:uw S0 T6 F.0 F.64 F.96", "E0339", "sample_l takes no .cps"),
    ("skl", "sample_3d.cps.R (M1, 32) 0x0:uw S0 T6 F.0 F.128", "E0339", "32 lanes"),
    ("skl", "load_2dms_w.R (M1, 8) 0x0:uw T6 F.0 UW.0", "W0346", "icl and later"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw T6 F.0 D.0", "W0342", "d, not ud"),
    ("skl", "avs.R S0 T6 0x0:f 0x0:f 0x0:f 0x0:f 0x0:f 0x0:ud 0x0:ud AVS_16_FULL 0x0:f AVS_16x4 0x1:ub UW.0", "W0341", "before the surface"),
    ("skl", "avs.R S0 T6 0x0:ud 0x0:f 0x0:f 0x0:f 0x0:f 0x0:ud 0x0:ud AVS_16_FULL 0x0:f AVS_16x4 0x1:ub UW.0", "E0343", "u_offset of avs is ud, not f"),
    ("skl", "avs.R S0 T6 0x0:f 0x0:f 0x0:f 0x0:f 0x0:f 0x0:ud 0x0:ud AVS_16_FULL 0x0:f AVS_16x4 0x1:ud UW.0", "W0344", "IEFBypass of avs is ud, not ub"),
    ("skl", "avs.R S31 T6 0x0:f 0x0:f 0x0:f 0x0:f 0x0:f 0x0:ud 0x0:ud AVS_16_FULL 0x0:f AVS_16x4 0x1:ub UW.0", "E0345", "S31"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw T6 F.0 UW.0", "W0346", "16-bit"),
    // Memory.
    ("skl", "oword_ld (3) T6 0x0:ud D.0", "E0350", "3 owords"),
    ("skl", "svm_gather.2.1 (M1, 8) Q.0 D.0", "E0353", "2 bytes by 1"),
    ("skl", "gather_scaled.8 (M1, 8) T6 0x0:ud U.0 D.0", "E0354", "8 bytes"),
    ("skl", "oword_ld (16) T6 0x0:ud D.0", "W0351", "256 bytes"),
    ("skl", "oword_ld (4) %slm 0x0:ud D.0", "E0352", "icl and later"),
    ("skl", "oword_ld (4) T6 0x0:ud SMALL.0", "U0320", "4 owords of 16 bytes are 64"),
    ("skl", "gather.4 (M1, 4) T6 0x0:ud U.0 D.0", "E0355", "1, 8 or 16"),
    ("skl", "gather.1 (M1, 8) T6 0x0:ud U.0 UB.0", "E0356", "1 bytes in an element"),
    ("skl", "dword_atomic.inc (M1, 8) T6 U.0 U.32 %null.0 U.64", "E0357", "inc uses 0"),
    ("skl", "dword_atomic.cmpxchg (M1, 8) T6 U.0 U.32 %null.0 U.64", "E0357", "needs source 1"),
    ("skl", "dword_atomic.add (M1, 8) T6 U.0 F.0 %null.0 U.64", "E0358", "f, expected d or ud"),
    ("skl", "dword_atomic.add (M1, 8) T6 D.0 U.0 %null.0 U.64", "E0360", "type d"),
    ("skl", "dword_atomic.minsint (M1, 8) T6 U.0 U.64 %null.0 %null.0", "E0358", "expected d"),
    ("skl", "dword_atomic.inc (M1, 8) T6 U.0 %null.0 %null.0 D.0", "E0358", "expected ud"),
    ("skl", "svm_gather4scaled.R (M1, 16) Q(0,0)<1;1,0> U.0 D.0", "E0431", "0..128"),
    ("skl", "addc (M1, 8) U(0,0)<1> U(0,8)<1> U(0,0)<1;1,0> 0x1:d", "E0421", "expected ud"),
    ("skl", "cmp.eq (M1, 8) r[A0(0),0]<1>:d D(0,0)<1;1,0> 0x1:d", "E0434", "indirect"),
    ("skl", "movs (M1_NM, 1) D(0,0)<1> U(0,0)<0;1,0>", "E0434", "no state"),
    ("pvc", "srnd (M1_NM, 16) H(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>", "E0428", "pvc has no srnd"),
    ("skl", "(P1) mov.sat (M1, 1) U(0,0)<1> P1", "W0433", "a predicate in front"),
    ("skl", "dword_atomic.add (M1, 8) T6 UW.0 U.0 %null.0 U.64", "E0360", "type uw"),
    ("dg2", "lsc_load.ugm.ca.wb.ca (M1, 16) U:d32 flat[Q]:a64", "E0362", "a load does not take"),
    ("dg2", "lsc_fence.slm.evict.gpu", "E0363", ".evict.gpu"),
    ("dg2", "lsc_load.tgm (M1, 16) U:d32 flat[U]:a32", "E0364", "quads"),
    ("dg2", "lsc_load.ugm (M1, 16) U:d32x8t flat[Q]:a64", "E0365", "16 lanes"),
    ("dg2", "lsc_store_quad.ugm (M1, 16) flat[Q]:a64 U:d32.xz", "E0366", "gap"),
    ("dg2", "lsc_load.ugm.wb.wb (M1, 16) U:d32 flat[Q]:a64", "E0362", "a load takes"),
    ("dg2", "lsc_store.ugm.ca.ca (M1, 16) flat[Q]:a64 U:d32", "E0362", "a store takes"),
    ("dg2", "lsc_atomic_iinc.ugm.ca.ca (M1, 16) U:d32 flat[Q]:a64 %null %null", "E0362", "an atomic takes"),
    ("dg2", "lsc_load_quad.tgm.ca.ca (M1, 16) U:d32.x bti(4)[U]:a32", "E0362", "this shared function"),
    ("dg2", "lsc_load.ugm.ca (M1, 16) U:d32 flat[Q]:a64", "E0362", "in pairs"),
    ("dg2", "lsc_load.ugm (M1, 8) U:d8x4 flat[Q]:a64", "E0367", "d8x4"),
    ("dg2", "lsc_load.ugm (M1, 8) U:d16c32x2 flat[Q]:a64", "E0367", "converted"),
    ("dg2", "lsc_load.ugm (M1, 8) U:d32x5 flat[Q]:a64", "E0367", "d32x5"),
    ("dg2", "lsc_load.ugml (M1, 8) U:d32x3 flat[Q]:a64", "E0367", "d32x3"),
    ("dg2", "lsc_atomic_iadd.ugm (M1, 8) U:d8 flat[Q]:a64 U %null", "E0367", "atomics work on"),
    ("dg2", "lsc_atomic_iadd.ugm (M1, 8) U:d32x2 flat[Q]:a64 U %null", "E0367", "one element"),
    ("dg2", "lsc_atomic_iadd.slm (M1, 8) U:d64 flat[U]:a32 U %null", "E0367", "icas only"),
    ("dg2", "lsc_load.slm (M1, 8) U:d32 bti(1)[U]:a32", "E0368", "not a surface"),
    ("dg2", "lsc_load.slm (M1, 8) U:d32 flat[U]:a64", "E0368", "64-bit addresses on .slm"),
    ("dg2", "lsc_load.ugm (M1, 8) U:d32 flat[U]:a16", "E0368", "16-bit addresses on .ugm"),
    ("dg2", "lsc_load_quad.tgm (M1, 8) U:d32.x flat[U]:a32", "E0368", "is a surface"),
    ("dg2", "lsc_load.ugm (M1, 8) U:d32 flat[U,U]:a32", "E0368", "2 parts"),
    ("dg2", "lsc_load.ugm (M1, 8) U:d32 flat[%null]:a32", "E0368", "%null holds no"),
    ("dg2", "lsc_atomic_iinc.ugm (M1, 8) U:d32 flat[Q]:a64 U %null", "E0369", "has no source 1"),
    ("dg2", "lsc_atomic_icas.ugm (M1, 8) U:d32 flat[Q]:a64 U %null", "E0369", "needs source 2"),
    ("pvc", "lsc_load_block2d.ugm (M1_NM, 1) U:d32.32x8nn flat[Q,U,U,U,U,U]", "E0370", "128 bytes"),
    ("pvc", "lsc_load_block2d.ugm (M1_NM, 1) U:d8.16x33nn flat[Q,U,U,U,U,U]", "E0370", "33 rows"),
    ("pvc", "lsc_load_block2d.ugm (M1_NM, 1) U:d16.3x8x8nn flat[Q,U,U,U,U,U]", "E0370", "3 blocks of d16"),
    ("pvc", "lsc_load_block2d.ugm (M1_NM, 1) U:d64.2x4x8nn flat[Q,U,U,U,U,U]", "E0370", "2 blocks of d64"),
    ("pvc", "lsc_store_block2d.ugm (M1_NM, 1) flat[Q,U,U,U,U,U] U:d8.2x16x8nn", "E0370", "a store has one"),
    ("pvc", "lsc_store_block2d.ugm (M1_NM, 1) flat[Q,U,U,U,U,U] U:d8.16x8nt", "E0370", "VNNI"),
    ("pvc", "lsc_load_block2d.ugm (M1_NM, 1) U:d8c32.16x8nn flat[Q,U,U,U,U,U]", "E0370", "converts"),
    ("dg2", "lsc_store.ugm (M1, 8) flat[Q]:a64 %null:d32", "E0371", "%null"),
    ("pvc", "lsc_store_block2d.ugm (M1, 1) flat[Q,0x3f,0x7,0x3f,0x0,0x0] %null:d32.8x8nn", "E0371", "%null"),
    ("dg2", "lsc_load.ugm (M1, 32) U:d32x4 flat[Q]:a64", "E0372", "16 registers of 32"),
    ("dg2", "lsc_load.ugm (M1, 16) SMALL:d32 flat[Q]:a64", "U0320", "64 are moved"),
    ("dg2", "lsc_store.ugm (M1, 16) flat[Q]:a64 SMALL:d32", "U0321", "64 are moved"),
    ("skl", "raw_send (M1, 8) 0xc 0 0 0x2480400:ud U.0 U.32", "E0373", "1 to 15"),
    ("skl", "raw_send (M1, 8) 0xc 1 17 0x2480400:ud U.0 U.32", "E0373", "0 to 16"),
    ("skl", "raw_send (M1, 8) 0xc 2 5 0x2480400:ud U.0 U.32", "W0385", "2 sent, 1 by the descriptor; 5 received, 4 by"),
    ("skl", "raw_sends.12.1.2.4 (M1, 8) 0x4c:ud 0x2480400:ud U.0 U.32 U.64", "W0385", "2 sent after them, 1 by"),
    ("skl", "raw_send (M1, 16) 0xc 2 1 0x04105e05:ud U.0 U.64", "W0386", "2 registers back, the descriptor counts 1"),
    ("skl", "raw_sends.12.1.1.1 (M1, 8) 0x4c:ud 0x02106e05:ud U.0 U.32 U.64", "W0386", "1 register out, the descriptors count 2"),
    ("skl", "raw_sends.12.1.17.0 (M1, 8) 0xc:ud 0x02026e05:ud U.0 U.32 %null.0", "W0385", "17 sent after them, 1 by"),
    ("skl", "raw_sends.12.1.1.0 (M1, 8) 0x4a:ud 0x02026e05:ud U.0 U.32 %null.0", "U0324", "12 (dc1) by the text, 10 (dc0) by"),
    ("skl", "raw_send (M1, 16) 0xc 1 1 0x02106e05:ud U.0 U.64", "W0387", "16 lanes, the message has 8"),
    ("skl", "raw_send (M1, 16) 0xc 2 2 0x04205e05:ud SMALL.0 U.64", "U0321", "32 bytes from here to the end, 64 are moved"),
    ("skl", "raw_send (M1, 16) 0xc 2 2 0x04205e05:ud U.0 SMALL.0", "U0320", "the response has 2 registers of 32 bytes: 64"),
    ("skl", "raw_send (M1, 8) 0xc 1 1 0x02106e05:ud U.0 U.512", "U0320", "0 bytes from here to the end, 32 are moved"),
    ("skl", "raw_sends.12.1.2.0 (M1, 8) 0x8c:ud 0x02026c05:ud U.0 SMALL.0 %null.0", "U0321", "the second payload has 2 registers of 32 bytes: 64"),
    ("pvc", "raw_send (M1, 16) 0xc 1 1 0x02106e05:ud SMALL.0 U.64", "U0321", "32 bytes from here to the end, 64 are moved"),
    ("skl", ".decl FOUR v_type=G type=ud num_elts=4 align=GRF\nraw_send (M1, 8) 0xc 1 1 0x02106e05:ud U.0 FOUR.0", "U0320", "16 bytes from here to the end, 32 are moved"),
    ("skl", ".decl IN2 v_type=G type=ud num_elts=16 align=GRF alias=<U, 480>\nraw_send (M1, 16) 0xc 2 2 0x04205e05:ud U.0 IN2.0", "U0320", "32 bytes from here to the end, 64 are moved"),
    ("skl", "raw_send (M1, 8) 0xc 1 3 0x2480400:ud U.0 U.32", "E0373", "the descriptor says 4"),
    ("skl", "vme_ime (4, 0) T6 U.0 U.32 U.64 U.96 U.128 U.160", "E0374", "stream mode 4"),
    ("skl", "vme_ime (0, 2) T6 U.0 U.32 U.64 U.96 U.128 U.160", "E0374", "search control 2"),
    ("skl", "urb_write_3d (M1, 8) 9 0 %null.0 U.0 %null.0 U.32", "E0375", "registers 9"),
    ("skl", "urb_write_3d (M1, 8) 4 2048 %null.0 U.0 %null.0 U.32", "E0375", "global offset 2048"),
    ("skl", "urb_write_3d (M1, 16) 4 0 %null.0 U.0 %null.0 U.32", "E0375", "16 lanes"),
    ("skl", "rt_write_3d (M1, 8) T6 U.0", "E0376", "nothing after"),
    ("skl", "svm_atomic.fadd (M1, 8) Q.0 %null.0 U.0 %null.0", "W0377", "ud, expected f"),
    // Execution part, operands, types.
    ("skl", "mov (M1, 3) D(0,0)<1> 0x1:d", "E0401", "3 is not an execution size"),
    ("dg2", "dpas.s8.s8.8.8 (M1, 16) U.0 U.0 U.0 U(0,0)", "E0401", "dpas runs on 8 lanes"),
    ("pvc", "dpas.s8.s8.8.8 (M1, 8) U.0 U.0 U.0 U(0,0)", "E0401", "dpas runs on 16 lanes"),
    ("skl", "mov (M7, 16) D(0,0)<1> 0x1:d", "E0402", "24 + 16 = 40"),
    ("skl", "mov (M2, 8) D(0,0)<1> 0x1:d", "E0403", "4 mod 8 = 4"),
    ("skl", "(P1) cmp.eq (M1, 8) P1 D(0,0)<1;1,0> 0x0:d", "E0404", "cmp takes no predicate"),
    ("skl", "(P1) media_ld.nomod (16,4) T6 0 0x0:ud 0x0:ud D.0", "E0404", "media_ld takes no predicate"),
    ("dg2", "add3.o (M1, 8) D(0,0)<1> D(0,0)<1;1,0> D(0,0)<1;1,0> 0x1:d", "E0405", "add3.o needs a predicate"),
    ("skl", "(P1) min (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x0:d", "W0406", "min"),
    ("skl", "(P2) mov (M1, 16) D(0,0)<1> 0x1:d", "W0407", "8 bits, lanes 0..=15"),
    ("skl", "mov (M1, 8) D(0,0)<0> 0x1:d", "E0408", "every lane to one element"),
    ("skl", "mov (M1, 8) D(0,0)<1> E(0,0)<3;1,0>", "E0409", "3 is not a vertical stride"),
    ("skl", "mov (M1, 8) D(0,0)<1> E(0,0)<4;3,1>", "E0409", "3 is not a region width"),
    ("skl", "mov (M1, 8) D(0,0)<1> E(0,0)<8;4,3>", "E0409", "3 is not a horizontal stride"),
    ("skl", "mov (M1, 4) D(0,0)<1> E(0,0)<8;8,1>", "E0410", "width 8, 4 lanes"),
    ("skl", "mov (M1, 32) D(0,0)<1> r[A0(0),0]<1,0>:d", "E0411", "32 rows"),
    ("skl", "mov (M1, 16) SMALL(0,0)<1> 0x1:ud", "W0413", "bytes 0..64 of 32"),
    ("skl", "add (M1, 8) D(0,0)<1> (~)E(0,0)<1;1,0> 0x1:d", "E0414", "(~) belongs to"),
    ("skl", "and (M1, 8) D(0,0)<1> (-)E(0,0)<1;1,0> 0x1:d", "E0414", "(-) does not apply to and"),
    ("skl", "mov (M1, 8) D(0,0)<1> r[A0(9),0]<1;1,0>:d", "E0415", "no element 9"),
    ("skl", "movs (M1, 1) T6(2) 0x1:ud", "E0415", "no element 2"),
    ("skl", "mov (M1, 8) D(0,0)<1> 0x1:bool", "E0416", ":bool"),
    ("skl", "mod.sat (M1, 8) D(0,0)<1> E(0,0)<1;1,0> 0x3:d", "E0417", "mod"),
    ("skl", "mov (M1, 8) %r0(0,0)<1> 0x1:ud", "E0418", "%r0 is read-only"),
    ("skl", "mov (M1, 1) %tsc(0,0)<1> 0x1:ud", "E0418", "only element 4"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw T6 %r0.0 U.0", "E0418", "%r0 is read-only"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw T6 F.4 U.0", "E0419", "4 mod 32 = 4"),
    ("skl", "load_lz.R (M1, 8) 0x0:uw T6 F.0 IN.0", "E0419", "starts at byte 16"),
    ("skl", "lifetime.start SMALL\nraw_send (M1, 8) 0xc 1 0 0x2480400:ud SMALL.32 %null.0", "W0420", "byte 32 of 32"),
    ("skl", "and (M1, 8) F(0,0)<1> F(0,0)<1;1,0> F(1,0)<1;1,0>", "E0421", "and does not take f"),
    ("skl", "lzd (M1, 8) U(0,0)<1> F(0,0)<1;1,0>", "E0421", "source 0 is f"),
    ("skl", "lzd (M1, 8) U(0,0)<1> D(0,0)<1;1,0>", "E0421", "source 0 is d, expected ud"),
    ("skl", "mul (M1, 4) Q(0,0)<1> Q(0,0)<1;1,0> 0x3:ud", "E0421", "anything but uq and q"),
    ("skl", "add (M1, 8) F(0,0)<1> D(0,0)<1;1,0> 0x1:d", "E0422", "mixes f and d"),
    ("skl", "mov (M1, 8) U(0,0)<1> P1", "W0433", "8 lanes"),
    ("skl", "mov (M1_NM, 1) UW(0,0)<1> P3", "E0423", "32 bits into uw"),
    ("skl", "addr_add (M1_NM, 1) A0(0)<1> &%r0 0x8:uw", "E0424", "%r0 has no address"),
    ("skl", "addr_add (M1, 8) A0(0)<1> &U UW(0,4)<4;1,0>", "E0431", "bytes 8..66"),
    ("skl", "addr_add (M1, 4) A0(0)<1> &U UW(1,0)<32;1,0>", "E0431", "bytes 0..194"),
    ("skl", "lifetime.start %r0", "E0432", "%r0 has no lifetime"),
    ("skl", "cmp.lt (M1, 8) W(0,0)<1> F(0,0)<1;1,0> F(1,0)<1;1,0>", "W0425", "f into w"),
    ("skl", "and (M1, 8) P1 P2 D(0,0)<1;1,0>", "E0426", "the destination is a predicate"),
    ("skl", "asr (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x1:ud", "W0427", "asr of ud"),
    ("skl", "rol (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x1:ud", "E0428", "icl and later"),
    ("skl", "add3 (M1, 8) D(0,0)<1> E(0,0)<1;1,0> E(1,0)<1;1,0> 0x1:d", "E0428", "add twice"),
    ("tgl", "sad2 (M1, 8) UW(0,0)<1> UB(0,0)<1;1,0> UB(1,0)<1;1,0>", "E0428", "last platform that has it is icl"),
    ("dg2", "div (M1, 8) D(0,0)<1> E(0,0)<1;1,0> 0x3:d", "E0428", "div of integers"),
    ("tgl", "shl (M1, 4) Q(0,0)<1> Q(0,0)<1;1,0> 0x3:ud", "W0429", "64-bit shl"),
    ("pvc", "load_lz.R (M1, 16) 0x0:uw T6 F.0 U.0", "W0430", "no sampler"),
    // Flow.
    ("skl", "goto (M1, 8) nowhere", "E0501", "no such label"),
    ("skl", "here:\nhere:", "E0502", "defined again"),
    ("skl", "fcall (M1, 16) helper 1 1", "E0503", "no .funcdecl"),
    ("skl", ".function \"twice\"\ntwice:\ngoto (M1, 8) twice", "E0504", "a function, not a label"),
    ("skl", "spot:\ncall (M1, 8) spot", "E0504", "a label, not a subroutine"),
    ("skl", "mov (M1, 8) D(0,0)<1> 0x1:d\n.function \"twice\"\nret (M1, 1)", "W0505", "twice"),
    ("skl", ".funcdecl \"helper\"\nfcall (M1, 16) helper 40 1", "E0507", "at most 32"),
];

fn text_of(body: &str) -> String {
    match body.starts_with(".version") {
        true => body.to_string(),
        false => format!("{DECLARATIONS}{body}\n"),
    }
}

#[test]
fn refusals_say_what_and_where() {
    let mut wrong = Vec::new();
    for (platform, body, code, words) in REFUSALS {
        let platform = Platform::from_name(platform).unwrap();
        let (source, found) = diagnostics(&text_of(body), platform);
        let hit = found
            .iter()
            .find(|d| d.code.to_string() == *code && render(d, &source, false).contains(words));
        if hit.is_none() {
            let all: String = found.iter().map(|d| render(d, &source, false)).collect();
            wrong.push(format!("{body}\nwanted {code} \"{words}\", got\n{all}"));
        }
        for d in found.iter().filter(|_| hit.is_some()) {
            let complete = d.span().is_some() && d.see.is_some() && !d.labels.is_empty();
            assert!(complete, "{body}: {} lacks a place or a section", d.code);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The reader of text answers these before a check sees them; they guard trees made by hand.
const NOT_FROM_TEXT: &[&str] = &["E0211", "E0340", "E0506"];

#[test]
fn every_code_has_a_refusal() {
    let here = |name: &str| matches!(&name[1..3], "02" | "03" | "04" | "05");
    let missing: Vec<&str> = CODES
        .iter()
        .map(|c| c.name)
        .filter(|name| here(name) && !NOT_FROM_TEXT.contains(name))
        // 0380 and on are found by lowering.
        .filter(|name| !("0380"..="0399").contains(&&name[1..]))
        // Reported by a run: tests/house/refusals.rs.
        .filter(|name| !["U0322", "U0323"].contains(name))
        // Of a whole text: tests/cli/trust.rs.
        .filter(|name| *name != "L0224")
        // Below, with the option that it needs.
        .filter(|name| !["W0347", "W0434"].contains(name))
        .filter(|name| !REFUSALS.iter().any(|row| row.2 == *name))
        .collect();
    assert!(missing.is_empty(), "no refusal for {missing:?}");
}

#[test]
fn what_the_finalizer_does_not_look_at_is_a_remark_where_its_reading_is_asked_for() {
    for statement in [
        "load_lz.R (M1, 8) 0xf000:uw T6 F.0 U.0",
        "media_ld.nomod (16,4) %scratch 0 0x0:ud 0x0:ud D.0",
        "typed_atomic.inc (M1, 8) %slm U.0 %null.0 %null.0 %null.0 %null.0 %null.0 U.0",
        "typed_atomic.inc (M1, 8) %scratch U.0 %null.0 %null.0 %null.0 %null.0 %null.0 U.0",
    ] {
        let source = Source::new("case.visa", text_of(statement));
        let module = parse(&source, &ParseOptions::default()).module;
        let of = |finalizer| {
            let platform = Platform::Skl;
            let options = CheckOptions {
                platform,
                finalizer,
                ..CheckOptions::default()
            };
            check(&module, &options).1
        };
        assert!(any_fatal(&of(false)), "{statement}: {:?}", of(false));
        assert!(!any_fatal(&of(true)), "{statement}: {:?}", of(true));
        assert!(
            of(true).iter().any(|d| d.code == Code::W0347),
            "{statement}"
        );
    }
}

#[test]
fn a_second_length_that_the_instruction_has_no_room_for_is_not_counted() {
    let text = text_of("raw_send (M1, 8) 0x4c 1 1 0x02106e05:ud U.0 U.32");
    for (platform, counted) in [
        (Platform::Skl, false),
        (Platform::Icl, false),
        (Platform::Tgl, true),
        (Platform::Dg2, false),
    ] {
        let (_, found) = diagnostics(&text, platform);
        let remarked = found.iter().any(|d| d.code == Code::W0386);
        assert_eq!(remarked, counted, "{platform}: {found:?}");
    }
}

#[test]
fn the_media_block_diagnostic_reads_as_the_manual_of_style_shows_it() {
    let text = "\
.version 4.1
.kernel \"k\"
.decl T6 v_type=T num_elts=1
.decl V32 v_type=G type=ud num_elts=1 align=dword
.decl V33 v_type=G type=ud num_elts=1 align=dword
.decl V34 v_type=G type=ub num_elts=512 align=GRF
media_ld.nomod (48,8) T6 0 V32(0,0)<0;1,0> V33(0,0)<0;1,0> V34.0
";
    let (source, found) = diagnostics(text, Platform::Skl);
    assert_eq!(found.len(), 1, "{found:?}");
    pretty_assertions::assert_eq!(
        render(&found[0], &source, false),
        "\
error[E0312]: media block does not fit one data-port message
  ┌─ case.visa:7:16
  │
7 │ media_ld.nomod (48,8) T6 0 V32(0,0)<0;1,0> V33(0,0)<0;1,0> V34.0
  │                ^^^^^^ 48 bytes wide allows at most 4 rows, not 8
  │
  = a 33..=64-byte row occupies 64 bytes of register; 8 rows would need 512 bytes, the limit is 256
  = help: read it as two blocks, (48,4) at y and (48,4) at y+4
  = see: vISA MEDIA_LD, table \"Legal width/height combination\"

"
    );
}

#[test]
fn one_mistake_gives_one_diagnostic() {
    // The declaration is wrong; its uses are not worth another word.
    let body = ".decl X v_type=G type=ud num_elts=0\nmov (M1, 8) X(0,0)<1> 0x1:ud\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:ud";
    let (_, found) = diagnostics(&text_of(body), Platform::Skl);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn names_aliases_and_inputs_are_resolved() {
    let text = "\
.version 4.1
.kernel \"k\"
.decl A v_type=G type=ud num_elts=32 align=GRF
.decl B v_type=G type=f num_elts=16 alias=<A, 32>
.decl C v_type=G type=ub num_elts=8 alias=<B, 36>
.decl S0 v_type=S num_elts=1
.decl X v_type=T num_elts=1
.decl Y v_type=T num_elts=1
.decl k v_type=G type=uw num_elts=1
.input Y offset=32
.input k
.input A
{
.decl A v_type=G type=d num_elts=8
mov (M1, 8) A(0,0)<1> 0x1:d
}
ret (M1, 1)
";
    let source = Source::new("case.visa", text);
    let parsed = parse(&source, &ParseOptions::default());
    let (checked, found) = check(&parsed.module, &CheckOptions::default());
    assert!(found.is_empty(), "{found:?}");
    let unit = &checked.units[0];
    let storage = |name: &str| unit.variable(unit.names[name]).storage.clone();
    let Storage::General { root, offset, .. } = storage("C") else {
        panic!("C is general");
    };
    // 32 bytes into A, then 36 more.
    assert_eq!((root, offset), (unit.names["A"], 68));
    let surface = |index| Storage::Surface { elements: 1, index };
    assert_eq!((storage("X"), storage("Y")), (surface(6), surface(7)));
    assert_eq!(unit.names["%r0"], unit.names["V7"]);
    // Y at 32; k after it at 36; A requires a register of its own.
    let places: Vec<(u32, u32)> = unit.inputs.iter().map(|i| (i.offset, i.size)).collect();
    assert_eq!(places, [(32, 4), (36, 2), (64, 128)]);
    assert_eq!(unit.steps.len(), 2);
}

#[test]
fn hostile_modules_take_linear_time() {
    use std::fmt::Write;
    let n = 20_000;
    let mut text = String::from(
        ".version 4.1\n.kernel \"k\"\n.decl V_0 v_type=G type=ub num_elts=65535 align=GRF\n",
    );
    for i in 1..n {
        writeln!(
            text,
            ".decl V_{i} v_type=G type=ub num_elts=65535 alias=<V_{}, 1>",
            i - 1
        )
        .unwrap();
    }
    text.push_str(&"{\n".repeat(n));
    for i in 0..n {
        writeln!(text, "mov (M1, 1) unknown{i}(0,0)<1> 0x1:ub").unwrap();
        writeln!(text, ".input V_{i} offset={}", i % 70_000).unwrap();
    }
    let start = std::time::Instant::now();
    let source = Source::new("hostile", text);
    let parsed = parse(&source, &ParseOptions::default());
    let (_, found) = check(&parsed.module, &CheckOptions::default());
    assert!(found.len() > n);
    // Quadratic work would take minutes.
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
