//! Every message type of PRM 4.11, 5.10 and 6.1, and whether it runs.
//!
//! A row names an example of the message: a descriptor for Ironlake, a vISA statement for Gen9. Tests run
//! both and hold what happens against the state given here, and the table below against this one.
#![doc = include_str!("messages.md")]

use std::fmt::Write;

/// What visim does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Served.
    Runs,
    /// Refused by name, for this reason.
    Refused(&'static str),
    /// The platform has no such message.
    Absent(&'static str),
}

/// A message type.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The section that lists it.
    pub section: &'static str,
    /// Its name there.
    pub name: &'static str,
    /// Ironlake: receiver and descriptor of an example; the payload begins with a header if bit 19 is set.
    pub gen5: Option<(&'static str, u32)>,
    /// State on Ironlake.
    pub on_gen5: State,
    /// Gen9: a statement that sends it, on the surfaces and variables of the test.
    pub gen9: Option<&'static str>,
    /// State on Gen9.
    pub on_gen9: State,
}

const RUNS: State = State::Runs;
const NO_MODES: State = State::Absent(
    "the manual names these modes, and has M0.2 31:22 ignored in NORMAL, the one that runs: PRM 5.10.5.2",
);
const NO_CODE: State = State::Absent("no encoding on Ironlake: lowering reference 18.5");
const GEN5_ONLY: State = State::Absent("Gen5 only");
const MATH: State = State::Absent("no message since Gen6: the instruction `math`");

const fn row(
    section: &'static str,
    name: &'static str,
    (gen5, on_gen5): (Option<(&'static str, u32)>, State),
    (gen9, on_gen9): (Option<&'static str>, State),
) -> Row {
    Row {
        section,
        name,
        gen5,
        on_gen5,
        gen9,
        on_gen9,
    }
}

const fn ilk(receiver: &'static str, desc: u32) -> (Option<(&'static str, u32)>, State) {
    (Some((receiver, desc)), RUNS)
}

const fn refused<T: Copy>(example: T, why: State) -> (Option<T>, State) {
    (Some(example), why)
}

const fn skl(statement: &'static str) -> (Option<&'static str>, State) {
    (Some(statement), RUNS)
}

const fn none<T>(why: State) -> (Option<T>, State) {
    (None, why)
}

/// Targets of visim do not blend.
const UNBLENDED: State = State::Refused("undefined without Color Buffer Blend Enable: PRM 5.7.2");

/// The table.
#[rustfmt::skip]
pub static MESSAGES: &[Row] = &[
//  section     name                          Ironlake                                           Gen9
row("4.11.1.3", "sample",                     ilk("smpl", 0x0649_0001), skl("sample_3d.RGBA (M1, 8) 0x0:uw S0 T6 D.0 F.0 F.32")),
row("4.11.1.3", "sample_b",                   ilk("smpl", 0x0c49_1001), skl("sample_b.RGBA (M1, 8) 0x0:uw S0 T6 D.0 F.0 F.32 F.64")),
row("4.11.1.3", "sample_l",                   ilk("smpl", 0x0c49_2001), skl("sample_l.RGBA (M1, 8) 0x0:uw S0 T6 D.0 F.0 F.32 F.64")),
row("4.11.1.3", "sample_c",                   ilk("smpl", 0x0c49_3005), skl("sample_c.R (M1, 8) 0x0:uw S0 T5 D.0 F.0 F.32 F.64")),
row("4.11.1.3", "sample_d (sample_g before)", ilk("smpl", 0x1649_4001), skl("sample_d.RGBA (M1, 8) 0x0:uw S0 T6 D.0 F.0 F.32 F.64 F.96 F.0 F.32")),
row("4.11.1.3", "sample_b_c",                 ilk("smpl", 0x0e49_5005), skl("sample_b_c.R (M1, 8) 0x0:uw S0 T5 D.0 F.0 F.32 F.64 F.96")),
row("4.11.1.3", "sample_l_c",                 ilk("smpl", 0x0e49_6005), skl("sample_l_c.R (M1, 8) 0x0:uw S0 T5 D.0 F.0 F.32 F.64 F.96")),
row("4.11.1.3", "ld",                         ilk("smpl", 0x0649_7001),                          skl("load_3d.RGBA (M1, 8) 0x0:uw T6 D.0 S.0 S.32 S.64")),
row("4.11.1.3", "load4",                      ilk("smpl", 0x0449_8001), skl("sample4.R (M1, 8) 0x0:uw S0 T6 D.0 F.0 F.32")),
row("4.11.1.3", "LOD",                        ilk("smpl", 0x0449_9001), skl("lod.RG (M1, 8) 0x0:uw S0 T6 D.0 F.0 F.32")),
row("4.11.1.3", "resinfo",                    ilk("smpl", 0x0449_a001), skl("resinfo.RGBA (M1, 8) T6 S.0 D.0")),
row("4.11.1.3", "sampleinfo",                 ilk("smpl", 0x0249_b001), skl("sampleinfo.R (M1, 8) T6 D.0")),
row("4.11.1.3", "sample+killpix",             ilk("smpl", 0x0659_c001), none(State::Absent("no vISA instruction sends it: lowering reference 3.1"))),
row("4.11.1.4", "sample2dms",                 none(State::Absent("no type of its own in the table of 4.11.1.3.2")), none(State::Absent("no vISA instruction: samples are loaded"))),
row("4.11.1.4", "ld2dms",                     none(State::Absent("no type of its own in the table of 4.11.1.3.2")), skl("load_2dms_w.R (M1, 8) 0x0:uw T9 D.0 S.0 S.32 S.64 S.96 S.0")),
row("4.11.1.4", "ld_mcs",                     none(State::Absent("no type of its own in the table of 4.11.1.3.2")), skl("load_mcs.R (M1, 8) 0x0:uw T9 D.0 S.0 S.32")),
row("4.11.1.5", "gather4",                    none(State::Absent("named, but without a type on Ironlake: lowering reference 18.3")), skl("sample4.R (M1, 8) 0x0:uw S0 T6 D.0 F.0 F.32")),
row("4.11.1.8", "SIMD4x2 forms",              ilk("smpl", 0x0418_7001),  none(GEN5_ONLY)),
row("4.11.1.9", "sample_unorm",               ilk("smpl", 0x048b_c001),                           skl("sample_unorm.RGBA.16-full S0 T6 0.0:f 0.0:f 0.125:f 0.25:f D.0")),
row("4.11.1.9", "sample_unorm_RG",            ilk("smpl", 0x044b_1001),                           none(GEN5_ONLY)),
row("4.11.1.9", "sample_unorm_RG+killpix",    ilk("smpl", 0x045b_3001),                           none(GEN5_ONLY)),
row("4.11.1.9", "sample_8x8",                 ilk("smpl", 0x050b_b001),                           skl("avs.RGBA S0 T6 0.0:f 0.0:f 0.0625:f 0.25:f 0.0:f 0:ud 0:ud AVS_16_FULL 0.0:f AVS_8x4 0:ub D.0")),
row("4.11.1.9", "deinterlace",                ilk("smpl", 0x049b_8006),                           none(GEN5_ONLY)),
row("5.10.3",   "OWord Block Read",           ilk("read",  0x0218_4202),                         skl("oword_ld (2) T7 0x0:ud D.0")),
row("5.10.3",   "OWord Block Write",          ilk("write", 0x0418_8202),                         skl("oword_st (2) T7 0x0:ud S.0")),
row("5.10.2",   "Unaligned OWord Block Read", none(NO_CODE),                                     skl("oword_ld_unaligned (2) T7 0x4:ud D.0")),
row("5.10.4",   "OWord Dual Block Read",      ilk("read",  0x0418_5002),                         none(State::Absent("no vISA instruction sends it: lowering reference 8"))),
row("5.10.4",   "OWord Dual Block Write",     ilk("write", 0x0618_9002),                         none(State::Absent("no vISA instruction sends it: lowering reference 8"))),
row("5.10.5",   "Media Block Read",           ilk("read",  0x0218_6001),                         skl("media_ld.nomod (4,1) T6 0 0x0:ud 0x0:ud D.0")),
row("5.10.5",   "Media Block Write",          ilk("write", 0x0418_a001),                         skl("media_st.nomod (4,1) T6 0 0x0:ud 0x0:ud S.0")),
row("5.10.5",   "Media Block with color processing or pixel mask", none(NO_MODES), none(State::Absent("no vISA instruction sends it: PRM 5.10.5.2"))),
row("5.10.6",   "DWord Scattered Read",       ilk("read",  0x0418_7202),                         skl("gather.4 (M1, 8) T7 0x0:ud S.0 D.0")),
row("5.10.6",   "DWord Scattered Write",      ilk("write", 0x0618_b202),                         skl("scatter.4 (M1, 8) T7 0x0:ud S.0 S.32")),
row("5.10.2",   "Byte Scattered Read",        none(NO_CODE),                                     skl("gather_scaled.1 (M1, 8) T7 0x0:ud S.0 D.0")),
row("5.10.2",   "Byte Scattered Write",       none(NO_CODE),                                     skl("scatter_scaled.1 (M1, 8) T7 0x0:ud S.0 S.32")),
row("5.10.2",   "Untyped Surface Read",       none(NO_CODE),                                     skl("gather4_scaled.RG (M1, 8) T7 0x0:ud S.0 D.0")),
row("5.10.2",   "Untyped Surface Write",      none(NO_CODE),                                     skl("scatter4_scaled.RG (M1, 8) T7 0x0:ud S.0 S.32")),
row("5.10.2",   "Untyped Atomic Operation",   none(NO_CODE),                                     skl("dword_atomic.add (M1, 8) T7 S.0 S.32 %null.0 D.0")),
row("5.10.2",   "Scratch Block Read",         none(NO_CODE),                                     none(State::Absent("no vISA instruction sends it and lowering reference 8 has no bits for it, so its type is refused; `oword_ld %scratch` reads the same memory"))),
row("5.10.2",   "Scratch Block Write",        none(NO_CODE),                                     none(State::Absent("no vISA instruction sends it and lowering reference 8 has no bits for it, so its type is refused; `oword_st %scratch` writes the same memory"))),
row("5.10.2",   "Memory Fence",               none(NO_CODE),                                     skl("fence_global.E")),
row("5.10.2",   "Typed Surface Read",         none(NO_CODE),                                     skl("gather4_typed.RGBA (M1, 8) T8 S.0 S.32 %null.0 %null.0 D.0")),
row("5.10.2",   "Typed Surface Write",        none(NO_CODE),                                     skl("scatter4_typed.RGBA (M1, 8) T6 S.0 S.32 %null.0 %null.0 S.64")),
row("5.10.2",   "Typed Atomic Operation",     none(NO_CODE),                                     skl("typed_atomic.add (M1, 8) T8 S.0 S.32 %null.0 %null.0 S.64 %null.0 D.0")),
row("5.10.7",   "Render Target Write, SIMD16", ilk("write", 0x1418_c801),                        skl("rt_write_3d (M1, 16) T6 S.0 S.0 S.64 S.128 S.192")),
row("5.10.7",   "Render Target Write, SIMD16 replicated data", ilk("write", 0x0618_c904),        none(State::Absent("no vISA instruction sends it: lowering reference 14"))),
row("5.10.7",   "Render Target Write, SIMD8 dual source, subspans 0 and 1", refused(("write", 0x1418_ca01), UNBLENDED), none(State::Absent("no vISA instruction sends it: lowering reference 14"))),
row("5.10.7",   "Render Target Write, SIMD8 dual source, subspans 2 and 3", refused(("write", 0x1418_cb01), UNBLENDED), none(State::Absent("no vISA instruction sends it: lowering reference 14"))),
row("5.10.7",   "Render Target Write, SIMD8", ilk("write", 0x0c18_cc01),                         skl("rt_write_3d (M1, 8) T6 S.0 S.0 S.32 S.64 S.96")),
row("5.10.7",   "Render Target Write to a multisampled surface", none(State::Absent("surfaces of Ironlake have one sample: surface reference 5.2")), refused("rt_write_3d (M1, 8) T9 S.0 S.0 S.32 S.64 S.96", State::Refused("one sample is modelled: PRM 5.10.7"))),
row("5.10.8",   "Render Target UNORM Read",   ilk("read",  0x0248_4801),                         none(GEN5_ONLY)),
row("5.10.8",   "Render Target UNORM Write",  ilk("write", 0x0a18_e001),                         none(GEN5_ONLY)),
row("5.10.9",   "Streamed Vertex Buffer Write", ilk("write", 0x0218_d002),                       none(GEN5_ONLY)),
row("5.10.10",  "AVC Loop Filter Read",       ilk("read",  0x0288_5802),                         none(GEN5_ONLY)),
row("5.10.11",  "Flush Render Cache",         ilk("write", 0x0218_f000),                         none(GEN5_ONLY)),
row("5.10.2.3", "Write Commit",               ilk("write", 0x0418_8002),                         none(State::Absent("of a fence only: `fence_global.E`"))),
row("6.1",      "INV",                        ilk("math", 0x0210_0001),                          none(MATH)),
row("6.1",      "LOG",                        ilk("math", 0x0210_0002),                          none(MATH)),
row("6.1",      "EXP",                        ilk("math", 0x0210_0003),                          none(MATH)),
row("6.1",      "SQRT",                       ilk("math", 0x0210_0004),                          none(MATH)),
row("6.1",      "RSQ",                        ilk("math", 0x0210_0005),                          none(MATH)),
row("6.1",      "SIN",                        ilk("math", 0x0210_0006),                          none(MATH)),
row("6.1",      "COS",                        ilk("math", 0x0210_0007),                          none(MATH)),
row("6.1",      "SINCOS",                     ilk("math", 0x0220_0008),                          none(MATH)),
row("6.1",      "POW",                        ilk("math", 0x0410_000a),                          none(MATH)),
row("6.1",      "INT DIV, quotient and remainder", ilk("math", 0x0420_000b),                     none(MATH)),
row("6.1",      "INT DIV, quotient",          ilk("math", 0x0410_000c),                          none(MATH)),
row("6.1",      "INT DIV, remainder",         ilk("math", 0x0410_000d),                          none(MATH)),
];

/// The table as people read it.
pub fn markdown() -> String {
    let mut text = String::from("| PRM | message | Ironlake | Gen9 |\n| --- | --- | --- | --- |\n");
    for row in MESSAGES {
        let gen5 = row
            .gen5
            .map(|(receiver, desc)| format!("`{receiver} {desc:#010x}`"));
        let gen9 = row.gen9.map(|statement| {
            let mnemonic = statement.split([' ', '.']).next().unwrap_or_default();
            format!("`{mnemonic}`")
        });
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            row.section,
            row.name,
            cell(row.on_gen5, gen5),
            cell(row.on_gen9, gen9)
        );
    }
    text
}

fn cell(state: State, example: Option<String>) -> String {
    let example = example.map_or(String::new(), |e| format!(", as {e}"));
    match state {
        State::Runs => format!("runs{example}"),
        State::Refused(why) => format!("refused: {why}"),
        State::Absent(why) => format!("absent: {why}"),
    }
}
