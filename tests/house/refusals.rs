//! What `visim` refuses on the command line, by code and words; and that every code is refused by some
//! test and raised somewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use visim::internals::diagnostic::CODES;
use visim::internals::exec::Bindings;
use visim::internals::launch::{Grid, RunOptions, Silent, run};

/// What the programs below may use, on six lines.
const HEAD: &str = "\
.version 4.1
.kernel \"k\"
.decl U v_type=G type=ud num_elts=64 align=GRF
.decl UB v_type=G type=ub num_elts=256 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
";

/// Body of a program (or a whole `.tld` file, where the command takes one), arguments, code, words.
type Row = (
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static str,
);

#[rustfmt::skip]
const REFUSALS: &[Row] = &[
    ("mov (M1, 8) U(0,300)<1> 0x1:ud", &["check", "k.visa"], "W0116", "read as 44"),
    ("", &["run", "k.visa", "--kernel", "nothing"], "E0601", "kernels of this file: k"),
    (".funcdecl \"f\"\nfcall (M1, 16) f 1 1", &["run", "k.visa"], "E0602", "no text at hand has `f`"),
    (".funcdecl \"f\"\nfcall (M1, 16) \"f\" 1 1", &["check", "k.visa"], "E0101", "expected a label"),
    ("media_ld.top (4,2) T6 0 0x0:ud 0x0:ud UB.0", &["run", "k.visa", "--surface", "T6=new:4x5:R8_UINT"], "U0601", "5 rows"),
    ("breakpoint", &["run", "k.visa"], "N0601", "breakpoint"),
    ("load_lz.R (M1, 8) 0x0:uw (T6, 1) U.0 U.0", &["run", "k.visa"], "N0601", "load_lz"),
    ("nbarrier.wait 0x1:ub", &["run", "--platform", "pvc", "k.visa"], "E0690", "only consumers wait"),
    ("nbarrier.signal 0x1:ub 0x2:ub\nnbarrier.wait 0x1:ub", &["run", "--platform", "pvc", "k.visa"], "E0691", "1 of 2 producers"),
    ("loop:\ngoto (M1, 1) loop", &["run", "k.visa", "--max-steps", "1000"], "L0602", "1000"),
    ("loop:\ngoto (M1, 1) loop", &["run", "k.visa", "--max-total-steps", "1000"], "L0607", "of all threads"),
    ("", &["run", "k.visa", "--surface", "T6=new:8192x8192:R8_UNORM", "--max-memory", "32M"], "L0606", "67108864 bytes more"),
    ("load_lz.R (M1, 8) 0x0:uw T6 U.0 U.0", &["run", "k.visa"], "E0603", "T6"),
    ("", &["run", "k.visa", "--threads", "4096,4097"], "L0603", "the limit is"),
    ("", &["run", "k.visa", "--threads", "64,64", "--jobs", "3000"], "W0980", "1024 host threads run in place of 3000"),
    (".kernel_attr SLMSize=1000", &["run", "k.visa"], "L0684", "1024000 bytes are asked for"),
    ("", &["run", "k.visa", "--break", "3"], "E0900", "the next is on line 8"),
    ("", &["run", "k.visa", "--break", "99"], "E0900", "no line 99"),
    ("", &["run", "k.visa", "--break", "8", "--print", "UV"], "E0704", "UV"),
    ("", &["run", "k.visa", "--trace", "--thread", "1,0"], "E0901", "a row has 1 thread\n"),
    ("", &["run", "k.visa", "--break-thread", "first"], "E0901", "such as 3,0"),
    ("avs.R S0 T6 0x0:f 0x0:f 0x0:f 0x0:f 0x0:f 0x0:ud 0x0:ud AVS_8_FULL 0x0:f AVS_16x4 0x0:ub UB.0", &["run", "k.visa", "--surface", "T6=new:8x8:Y8_UNORM"], "E0604", "index 0"),
    ("call (M1, 16) f\nret (M1, 1)\n.function \"f\"\nf:\ncall (M1, 16) f", &["run", "k.visa"], "L0604", "nested"),
    ("scatter_scaled.4 (M1, 8) %scratch 0x7fffff00:ud U.0 U.0", &["run", "k.visa"], "L0605", "0x7fffff00"),
    ("svm_block_ld (4) 0x1000:uq %null.0", &["run", "k.visa"], "E0608", "0x1000"),
    ("gather4_scaled.R (M1, 8) T6 0x0:ud U.0 %null.0", &["run", "k.visa"], "E0603", "T6"),
    ("media_ld.top (4,2) T6 0 0x0:ud 0x0:ud %null.0", &["run", "k.visa", "--surface", "T6=new:4x5:R8_UINT"], "U0601", "5 rows"),
    ("gather4_typed.R (M1, 8) T6 U.0 U.0 %null.0 %null.0 %null.0", &["run", "k.visa", "--surface", "T6=new:8x8:BC1_UNORM"], "E0607", "BC1_UNORM"),
    ("raw_send (M1, 8) 0xc 2 1 0x04146eff:ud U.0 %null.0", &["run", "k.visa"], "E0608", "address 0x0"),
    ("oword_st (4) T6 0x0:ud %null.0", &["run", "k.visa"], "U0322", "oword_st takes registers of %null"),
    ("gather4_scaled.R (M1, 8) T6 0x0:ud %null.0 U.0", &["run", "k.visa"], "U0322", "gather4_scaled takes"),
    ("raw_sends.12.1.1.0 (M1, 8) 0x4c:ud 0x02026e06:ud U.0 %null.0 %null.0", &["run", "k.visa"], "U0322", "the raw message untyped surface takes 1 register of %null"),
    (".decl N v_type=G type=ud num_elts=8 align=GRF\nmov (M1, 1) N(0,0)<1> 0x04205e06:ud\nraw_send (M1, 16) 0xc 2 2 N(0,0)<0;1,0> N.0 U.0", &["run", "k.visa"], "U0321", "32 bytes from here to the end, 64 are moved"),
    (".decl N v_type=G type=ud num_elts=8 align=GRF\nmov (M1, 1) N(0,0)<1> 0x04205e06:ud\nraw_send (M1, 16) 0xc 2 2 N(0,0)<0;1,0> U.0 N.0", &["run", "k.visa"], "U0320", "num_elts=16   // on N"),
    (".decl N v_type=G type=ud num_elts=8 align=GRF\nmov (M1, 1) N(0,0)<1> 0x6000600:ud\nraw_send (M1, 8) 0x4 3 0 N(0,0)<0;1,0> N.0 %null.0", &["run", "--platform", "ilk", "k.visa"], "U0321", "32 bytes from here to the end, 96 are moved"),
    (".decl N v_type=G type=ud num_elts=8 align=GRF\nmov (M1, 1) N(0,0)<1> 0x04205e06:ud\nraw_send (M1, 16) 0xc 1 1 N(0,0)<0;1,0> U.0 U.64", &["run", "k.visa", "--surface", "T6=new:8x1:R32_UINT"], "W0385", "1 sent, 2 by the descriptor; 1 received, 2 by the descriptor"),
    (".decl N v_type=G type=ud num_elts=8 align=GRF\nmov (M1, 1) N(0,0)<1> 0x04105e06:ud\nraw_send (M1, 16) 0xc 2 1 N(0,0)<0;1,0> U.0 U.64", &["run", "k.visa", "--surface", "T6=new:8x1:R32_UINT"], "W0386", "2 registers back, the descriptor counts 1"),
    (".decl N v_type=G type=ud num_elts=8 align=GRF\nmov (M1, 1) N(0,0)<1> 0x02106e06:ud\nraw_send (M1, 16) 0xc 1 1 N(0,0)<0;1,0> U.0 U.64", &["run", "k.visa", "--surface", "T6=new:8x1:R32_UINT"], "W0387", "16 lanes, the message has 8"),
    (".decl N v_type=G type=ud num_elts=8 align=GRF\nmov (M1, 1) N(0,0)<1> 0x4c:ud\nraw_sends.12.1.2.0 (M1, 8) N(0,0)<0;1,0> 0x02026e06:ud U.0 U.64 %null.0", &["run", "k.visa", "--surface", "T6=new:8x1:R32_UINT"], "W0385", "2 sent after them, 1 by the descriptor"),
    ("raw_send (M1, 8) 0xf 2 1 0x0410059b:ud U.0 U.64", &["run", "--platform", "dg2", "k.visa"], "N0601", "opcode 27 of ugm is not modelled (Xe2 messages reference 7)"),
    ("raw_send (M1, 8) 0x1c 1 1 0x02106e06:ud U.0 U.64", &["run", "k.visa"], "N0601", "extended descriptor 0x1c: bit 4 of extended descriptor"),
    ("raw_send (M1, 16) 0xc 1 2 0x02205e06:ud U.0 U.64", &["run", "k.visa"], "U0323", "untyped surface has 1 register where it takes 2"),
    ("mov (M1, 1) U(0,0)<1> 0xa:ud\nraw_sends.12.1.0.1 (M1, 8) U(0,0)<0;1,0> 0x02106e06:ud U.0 %null.0 U.64", &["run", "k.visa"], "U0324", "12 (dc1) by the text, 10 (dc0) by the extended descriptor"),
    ("mov (M1, 8) U(0,0)<1> 0x0:ud\nmov (M1, 1) U(0,2)<1> 0x3f003f:ud\nraw_send (M1, 8) 0xc 1 2 0x02290006:ud U.0 U.64", &["run", "k.visa"], "E0312", "64 by 64 bytes; with rows of 64 they are 4096"),
    ("mov (M1, 8) U(0,0)<1> 0x0:ud\nmov (M1, 1) U(0,2)<1> 0x1001f:ud\nraw_send (M1, 8) 0xc 1 1 0x02190006:ud U.0 U.64", &["run", "k.visa", "--surface", "T6=new:64x8:R8_UNORM"], "W0386", "2 registers back, the descriptor counts 1"),
    (".decl N v_type=G type=ud num_elts=8 align=GRF\nmov (M1, 8) U(0,0)<1> 0x0:ud\nmov (M1, 1) U(0,2)<1> 0x1001f:ud\nraw_sends.12.1.0.2 (M1, 8) 0xc:ud 0x02290006:ud U.0 %null.0 N.0", &["run", "k.visa"], "U0320", "32 bytes from here to the end, 64 are moved"),
    ("typed_atomic.add (M1, 8) T6 U.0 %null.0 %null.0 %null.0 %null.0 %null.0 U.0", &["run", "k.visa"], "U0322", "typed_atomic takes"),
    ("lsc_load_quad.tgm (M1, 8) %null:d32.x bti(0x6)[U,U]:a32", &["run", "--platform", "dg2", "k.visa"], "E0603", "index 6"),
    ("scatter4_typed.RGBA (M1, 8) T6 U.0 U.0 %null.0 %null.0 U.0", &["run", "k.visa", "--surface", "T6=new:8x8:BC1_UNORM"], "E0607", "BC1_UNORM"),
    ("// SURFACE T6 R8_UNORM 4x4", &["check", "k.visa"], "E0701", "SURFACE"),
    ("", &["run", "k.visa", "--threads", "100000,100000"], "E0701", "--threads"),
    ("", &["run", "k.visa", "--surface", "T6=missing.png:R8_UNORM"], "E0702", "missing.png"),
    ("", &["run", "k.visa", "--surface", "T6=raw:k.visa:R8_UNORM:640x480"], "E0702", "307200"),
    ("", &["run", "k.visa", "--surface", "T6=new:8x8:R8_UINT:gen=9:slices=3:qpitch=4"], "E0758", "each has 8 rows"),
    ("", &["run", "k.visa", "--surface", "T6=new:8x8:R8_UINT:gen=9:slices=3:qpitch=0"], "E0758", "each has 8 rows"),
    ("", &["run", "k.visa", "--surface", "T6=new:8x8:R8_UINT:gen=9:qpitch=10"], "E0749", "units of 4"),
    ("", &["run", "k.visa", "--surface", "T6=new:8x8:R8_UINT:gen=9:align=3x3"], "E0749", "4, 8, 16"),
    ("", &["run", "k.visa", "--surface", "T6=new:8x8:R8_UINT:gen=9:x=3"], "E0749", "units of 4"),
    ("", &["run", "k.visa", "--surface", "T6=raw:k.visa:R8_UINT:8x8:kind=null"], "E0702", "null surface"),
    ("", &["run", "k.visa", "--surface", "T6=k.png:kind=null"], "E0705", "null surface"),
    ("", &["run", "k.visa", "--dump", "T6"], "E0703", "`T6` is not bound"),
    ("", &["run", "k.visa", "--dump", "UV"], "E0704", "UV"),
    ("", &["run", "k.visa", "--surface", "U=new:4x4:R8_UNORM"], "E0705", "not a surface"),
    ("", &["run", "k.visa", "--surface", "T6=new:4x4:R8_UNROM"], "E0705", "R8_UNORM"),
    ("", &["run", "k.visa", "--dump", "U@3,0"], "E0705", "1 by 1 threads"),
    ("", &["run", "k.visa", "--set", "S0=1 2:ud"], "E0706", "byte 8"),
    ("", &["run", "k.visa", "--set", "UB=256:ub"], "E0706", "256"),
    ("// EXPECT U ud:\n//   1 ..", &["test", "k.visa"], "E0710", "found 0"),
    ("add (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x1:ud //~ E0401", &["test", "k.visa"], "E0711", "E0401"),
    ("// known-failing because: it was once wrong", &["test", "k.visa"], "E0712", "known failure passes"),
    ("", &["run", "k.visa", "--surface", "T6=new:16384x16384:R32G32B32A32_FLOAT"], "L0713", "16384"),
    ("", &["run", "k.visa", "--launch", "k.visa"], "E0640", "line 1"),
    ("", &["run", "k.visa", "--global", "32"], "E0640", "describes kernel `k`"),
    ("", &["run", "k.visa", "--launch", "launch.json", "--global", "33", "--local", "32"], "E0641", "33 work-items"),
    ("", &["run", "k.visa", "--launch", "launch.json", "--arg", "0=int:5"], "E0642", "the kernel takes a buffer"),
    ("", &["run", "k.visa", "--launch", "launch.json", "--arg", "n=int:5"], "E0643", "`n`"),
    ("", &["run", "k.visa", "--launch", "launch.json", "--arg", "0=image:size=4x4:order=XYZ"], "E0644", "XYZ"),
    ("faddr tab U(0,0)<1>", &["run", "k.visa"], "E0652", "nothing at hand has `tab`"),
    ("", &["run", "k.visa", "--launch", "narrow.json"], "E0645", "32 lanes, the description for 16"),
    ("", &["run", "k.visa", "--launch", "expected.json"], "E0646", "8 bytes expected, 4 there"),
    (
        ".decl Q v_type=G type=uq num_elts=1 align=GRF\nmov (M1_NM, 1) Q(0,0)<1> 0xb000000000:uq\nmov (M1_NM, 1) U(0,0)<1> 0xc:ud\nsvm_scatter.4.1 (M1_NM, 1) Q.0 U.0",
        &["run", "k.visa", "--launch", "prints.json"], "W0647", "printf wrote 8 bytes",
    ),
    ("", &["run", "k.visa", "--launch", "launch.json", "--surface", "T6=new:8x8:R8_UNORM"], "W0653", "at binding table index 6"),
    (
        "movs (M1_NM, 1) %bss(0) 0x0:ud\nload_lz.R (M1, 8) 0x0:uw %bss U.0 U.0",
        &["run", "k.visa", "--launch", "launch.json"], "N0640", "the address of its state",
    ),
    ("", &["run", "k.visa", "--launch", "later.json"], "N0640", "implicit_arg_buffer"),
    ("", &["run", "k.visa", "--launch", "pointers.json"], "N0640", "an address of 4 bytes"),
    ("", &["run", "k.visa", "--launch", "launch.json", "--arg", "0=buffer:size=9999999999"], "L0640", "9999999999"),
    ("// SURFACES T6: R8_UNORM 4x4", &["check", "k.visa"], "W0714", "SURFACE"),
    ("// SURFACE T3: R8_UINT 8x8 bank=0x28\nTLD.LZ R0, R4, 0x28, 2D, 0xf ;", &["compare", "loads.visa", "k.tld"], "L0721", "load 257"),
    ("", &["run", "k.visa", "--surface", "T6=new:64x32:R8_UNORM:levels=8"], "E0741", "has 7"),
    ("", &["run", "k.visa", "--surface", "T6=new:64x32:R8_UNORM:kind=cube"], "E0744", "64×32"),
    ("", &["state", "surface", "38dc003f", "00000000"], "E0750", "6 dwords"),
    ("", &["state", "sampler", "00014000", "00000000", "00000000", "00000000"], "E0748", "Min Mode Filter"),
    ("", &["state", "media", "00000000", "003803c0", "48000078", "00000006", "00000000"], "W0759", "share byte 0x60"),
    ("", &["state", "sampler", "40000000", "00000000", "00000000", "00000000"], "W0751", "dword 0"),
    ("", &["state", "surface", "--gen", "7", "00000000"], "N0752", "Gen7"),
    ("", &["state", "sampler", "--gen", "9", "00000000", "00000000", "00000000", "00000400"], "E0756", "every axis"),
    ("", &["state", "command", "79110000", "00000001"], "E0749", "1 to 7"),
    ("", &["state", "sample-8x8", "--set", "IEF Bypass=0"], "E0781", "5x5"),
    ("", &["state", "sample-8x8", "--gen", "6", "00000000"], "N0752", "Gen6"),
    ("", &["state", "sampler-8x8", "--set", "Table 1X Filter Coefficient[2,3]=-0.5"], "E0781", "[2,3] is -32"),
    ("", &["state", "deinterlace", "--set", "DI Enable=1"], "E0781", "2^0"),
    ("", &["state", "deinterlace", "--gen", "8", "00000000"], "N0752", "Gen8"),
    ("", &["state", "media", "--set", "Width=9000"], "E0749", "Width"),
    ("", &["state", "media", "--set", "Breadth=9"], "E0749", "no field Breadth"),
    ("avs.R S0 T6 0x0:f 0x0:f 0x0:f 2.0:f 0x0:f 0x0:ud 0x0:ud AVS_8_FULL 0x0:f AVS_16x4 0x0:ub UB.0", &["run", "k.visa", "--surface", "T6=new:8x8:Y8_UNORM", "--sampler", "S0=avs"], "W0882", "16 texels"),
    ("sample_unorm.R.16-full S0 T6 0.0:f 0.0:f 1.0:f 0.0:f UB.0", &["run", "k.visa", "--surface", "T6=new:8x8:R8_UNORM", "--sampler", "S0=unorm"], "W0883", "8 texels"),
    ("", &["run", "k.visa", "--surface", "T6=new:4x4:R8_UNORM", "--save", "T6 level=1 = x.png"], "E0757", "no level 1"),
    ("TLD.LZ R0, R4 ;", &["check", "k.tld"], "E0801", "R4 ;"),
    ("TLD.LZ.XX R0, R4, 0x28, 2D, 0xf ;", &["check", "k.tld"], "E0802", "XX"),
    ("TLD.LZ R300, R4, 0x28, 2D, 0xf ;", &["check", "k.tld"], "E0804", "R300"),
    ("TLD.LZ R0, R4, 0x28, 2D, 0x1f ;", &["check", "k.tld"], "E0805", "4 bits"),
    ("TLD.LZ.T R0, R4, 0x28, CUBE, 0xf ;", &["check", "k.tld"], "E0806", "CUBE"),
    ("TLD.LL.MS R0, R4, 0x28, 2D, 0xf ;", &["check", "k.tld"], "E0807", ".LZ"),
    ("TLD.LZ.MS.CL R0, R4, 0x28, 2D, 0xf ;", &["check", "k.tld"], "E0808", ".CL"),
    ("TLD.LZ.MS R0, R4, R5, 0x28, 3D, 0xf ;", &["check", "k.tld"], "E0809", "ARRAY_2D"),
    ("/*0008*/ TLD.LZ R0, R4, 0x28, 2D, 0xf ; /* 0xdd38002f80070400 */", &["check", "k.tld"], "W0813", "word"),
    ("TEX R0, R4, 0x28, 2D, 0xf ;", &["check", "k.tld"], "N0816", "only TLD"),
    ("// SURFACE T3: R8_UINT 8x8 bank=0x28\n// KERNEL k\nTLD.LZ R0, R4, 0x28, 2D, 0xf ;", &["run", "k.tld"], "W0715", "KERNEL has no meaning"),
    ("", &["run", "k.visa", "--surface", "256=new:4x4:R8_UNORM"], "E0705", "indices go from 0 to 255"),
    ("// SURFACE T3: R8_UINT 8x8 bank=0x28\nTLD.LZ R0, R4, 0x29, 2D, 0xf ;", &["run", "k.tld"], "E0821", "header"),
    ("typed_atomic.fadd (M1, 8) T6 U.0 %null.0 %null.0 %null.0 U.0 %null.0 %null.0", &["lower", "k.visa"], "W0380", "differs from the reference"),
    ("media_ld.nomod (4,2) T6 0 0x0:ud 0x0:ud UB.0\n// SURFACE T6: R8_UINT 128x8 tiling=X swizzle=on", &["run", "k.visa", "--through-bits"], "W0391", "swizzled addresses"),
    ("rt_write_3d (M1, 8) T6 U.0 U.0", &["lower", "k.visa"], "E0380", "four colour operands"),
    ("sample_po.R (M1, 8) 0x0:uw S0 T6 U.0 U.0", &["lower", "k.visa"], "N0380", "newer platforms"),
];

/// A program that loads 257 texels, one after the other.
fn many_loads() -> String {
    let load = "load_lz.R (M1, 1) 0x0:uw T6 U.0 U.0\n";
    format!(
        "// SURFACE T6: R8_UINT 8x8\n{HEAD}{}",
        load.repeat(257).replace("(M1, 1)", "(M1, 8)")
    )
}

/// A launch of the program for so many lanes, its argument a buffer of 4 bytes that is handed over as
/// `kind`, with outputs.
fn launch(simd: u32, kind: &str, outputs: &str) -> String {
    let piece = format!(r#"{{"kind": "{kind}", "offset": 0, "size": 8, "arg": 0}}"#);
    format!(
        r#"{{"global_size": [32], "local_size": [32], "args": [{{"kind": "buffer", "bytes": 4}}],
            "outputs": [{outputs}], "devices": {{"skl": {{"visaasm": "k.visa", "simd": {simd},
            "cross_thread_base": 64, "payload": [{piece}]}}}}}}"#
    )
}

#[test]
fn refusals_of_the_command_line_have_their_codes() {
    let folder = tempfile::tempdir().expect("a folder");
    let expects = r#"{"arg": 0, "file": "eight.bin", "dtype": "u8"}"#;
    for (name, text) in [
        ("launch.json", launch(32, "buffer_address", "")),
        ("narrow.json", launch(16, "buffer_address", "")),
        ("prints.json", launch(32, "printf_buffer", "")),
        (
            "pointers.json",
            launch(32, "buffer_address", "").replace(r#""size": 8"#, r#""size": 4"#),
        ),
        ("later.json", launch(32, "implicit_arg_buffer", "")),
        ("expected.json", launch(32, "buffer_address", expects)),
        ("eight.bin", "12345678".to_string()),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    std::fs::write(folder.path().join("loads.visa"), many_loads()).expect("written");
    let mut wrong = Vec::new();
    for (body, arguments, code, words) in REFUSALS {
        std::fs::write(folder.path().join("k.tld"), format!("{body}\n")).expect("written");
        let program = format!("{HEAD}{body}\n    ret (M1, 1)\n");
        std::fs::write(folder.path().join("k.visa"), program).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
        let output = command.args(*arguments).current_dir(folder.path()).output();
        let output = output.expect("visim starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        if !said.contains(&format!("[{code}]")) || !said.contains(words) {
            wrong.push(format!(
                "{arguments:?} {body}\nwanted {code} \"{words}\", said\n{said}"
            ));
        }
        // A remark lets the program pass; everything else is an exit code of its own.
        let expected = if code.starts_with('W') {
            Some(0)
        } else {
            output.status.code().filter(|c| matches!(c, 1 | 2))
        };
        if output.status.code() != expected {
            wrong.push(format!(
                "{arguments:?} {body}\nexit code {:?}",
                output.status.code()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What no text reaches, because the layers above decide it first, the library answers as well.
#[test]
fn bindings_made_by_hand_are_refused_too() {
    use visim::internals::check::{CheckOptions, check};
    use visim::internals::lower::{LowerOptions, lower};
    use visim::internals::source::Source;
    use visim::internals::syntax::{ParseOptions, parse};

    let lowered = |text: &str| {
        let parsed = parse(&Source::new("k.visa", text), &ParseOptions::default());
        let (checked, _) = check(&parsed.module, &CheckOptions::default());
        lower(&checked, "", &LowerOptions::default())
    };
    let program = lowered(&format!("{HEAD}ret (M1, 1)\n")).expect("lowers");
    let refused = |name: &str, bytes: usize| {
        let mut bindings = Bindings::default();
        bindings.variables.insert(name.to_string(), vec![0; bytes]);
        let options = RunOptions::default();
        let trap = run(&program, &bindings, &Grid::single(), &options, |_| Silent);
        trap.err().map(|t| t.diagnostic.code.to_string())
    };
    assert_eq!(refused("U", 256), None);
    assert_eq!(refused("W", 4).as_deref(), Some("E0605"));
    assert_eq!(refused("U", 257).as_deref(), Some("E0606"));
    // 140 variables of half a megabyte.
    let declaration = |i: usize| format!(".decl Q{i} v_type=G type=uq num_elts=65535 align=GRF\n");
    let large: String = (0..140).map(declaration).collect();
    let found = lowered(&format!("{HEAD}{large}ret (M1, 1)\n")).expect_err("too large");
    assert_eq!(found[0].code.to_string(), "L0601");
}

/// Codes that only trees, states or descriptions made by hand lead to, or whose cases are data of the
/// suites.
const WITHOUT_A_CASE: &[(&str, &str)] = &[
    ("N0602", "formats of later parts, which are not decoded"),
    (
        "E0803",
        "operands of a TLD statement that are read but do not fit",
    ),
    ("N0820", "texture headers as 32 bytes: the tld suite"),
    ("E0822", "texture headers as 32 bytes: the tld suite"),
];

/// Codes that are listed ahead of the check that raises them. This list only shrinks.
const AHEAD: &[&str] = &[];

/// All text of files below `folder`, by path.
fn texts(folder: &Path, all: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts(&path, all);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            all.insert(path, text);
        }
    }
}

#[test]
fn every_code_is_raised_and_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut sources, mut tests) = (BTreeMap::new(), BTreeMap::new());
    texts(&root.join("src"), &mut sources);
    for folder in [
        "tests/cases",
        "tests/cli",
        "tests/house",
        "tests/model",
        "tests/suites",
        "samples",
    ] {
        texts(&root.join(folder), &mut tests);
    }
    let mut code_that_runs = String::new();
    for (path, text) in sources {
        let is_test = path.ends_with("tests.rs") || path.ends_with("laws.rs");
        let (code, test) = match text.split_once("#[cfg(test)]\nmod tests") {
            _ if is_test => ("", text.as_str()),
            Some((code, test)) => (code, test),
            None => (text.as_str(), ""),
        };
        if !path.ends_with("diagnostic/codes.rs") {
            code_that_runs.push_str(code);
        }
        tests.insert(path, test.to_string());
    }
    let raised =
        |name: &str| AHEAD.contains(&name) || code_that_runs.contains(&format!("Code::{name}"));
    let unraised: Vec<&str> = CODES
        .iter()
        .map(|c| c.name)
        .filter(|n| !raised(n))
        .collect();
    assert!(unraised.is_empty(), "listed and never raised: {unraised:?}");
    let known = |name: &str| WITHOUT_A_CASE.iter().any(|(n, _)| *n == name);
    let tested = |name: &str| known(name) || tests.values().any(|text| text.contains(name));
    let missing: Vec<&str> = CODES
        .iter()
        .map(|c| c.name)
        .filter(|n| !tested(n))
        .collect();
    assert!(
        missing.is_empty(),
        "no case and no refusal names {missing:?}"
    );
}
