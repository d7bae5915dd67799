//! Runs in which the sanitizer looks for doubts first, most of which is native code by then: one thread of many does what
//! is reported, or none does.

use std::path::Path;
use visim::internals::harness::session::{Options, file_layer, start_watched};
use visim::internals::observe::{Sanitizer, Watcher};
use visim::internals::source::Source;

/// What is found in a program, told in full, and whether its steps were looked at.
fn found(text: &str, sanitizer: Sanitizer) -> (String, bool) {
    let (layer, said) = file_layer(Source::new("doubts.visa", text.to_string()), Path::new("."));
    let watcher = Watcher {
        sanitizer: Some(sanitizer),
        ..Watcher::default()
    };
    let ran = start_watched(&[layer], said, &Options::default(), |_| watcher.thread());
    let said = ran.map_or_else(
        |refused| format!("{:#?}", refused.problems),
        |_| String::new(),
    );
    let told = format!("{said}{:#?}", watcher.diagnostics());
    let steps = watcher.sanitizer.is_some_and(|own| own.has_doubted());
    (told, steps)
}

/// Holds a program in which nobody is thread `ODD` against the same in which somebody is.
#[track_caller]
fn only_if_odd(text: &str, odd: &str, code: &str) {
    let clean = text.replace("ODD", "0xffff");
    assert_eq!(
        found(&clean, Sanitizer::default()),
        ("[]".to_string(), false)
    );
    let text = text.replace("ODD", odd);
    let (doubts, looked) = found(&text, Sanitizer::default());
    let (steps, _) = found(&text, Sanitizer::step_by_step());
    assert_eq!(doubts, steps);
    assert!(looked && steps.contains(code), "{steps}");
}

/// Groups of a thread, each with sixteen dwords of a surface; one of them does something before its message.
fn with(change: &str, message: &str) -> String {
    format!(
        "// PLATFORM skl
// GROUPS 64,1,1
// THREADS 1,1
// SURFACE T6: R8_UNORM 64x64, byte(x,y) = x + y
.version 4.1
.kernel \"doubts\"
.kernel_attr SimdSize=16
.decl R0 v_type=G type=ud num_elts=8 alias=<%r0, 0>
.decl A v_type=G type=ud num_elts=16 align=GRF
.decl B v_type=G type=ud num_elts=16 align=GRF
.decl W v_type=G type=uw num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=1 align=dword
.decl P v_type=P num_elts=1
.decl T6 v_type=T num_elts=1
    mov (M1, 8) W(0,0)<1> 0x76543210:uv
    mov (M1, 8) W(0,8)<1> 0xfedcba98:uv
    mov (M1, 16) B(0,0)<1> W(0,0)<1;1,0>
    shl (M1, 16) A(0,0)<1> B(0,0)<1;1,0> 0x2:ud
    shl (M1_NM, 1) X(0,0)<1> R0(0,1)<0;1,0> 0x6:ud
    add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> X(0,0)<0;1,0>
    cmp.eq (M1_NM, 1) P R0(0,1)<0;1,0> ODD:ud
    (P) {change}
    {message}
    add (M1, 16) B(0,0)<1> B(0,0)<1;1,0> 0x1:ud
    ret (M1, 1)
"
    )
}

const GATHER: &str = "gather4_scaled.R (M1, 16) T6 0x0:ud A.0 B.0";
const SCATTER: &str = "scatter4_scaled.R (M1, 16) T6 0x0:ud A.0 B.0";

#[test]
fn one_lane_of_one_thread_is_misaligned() {
    let change = "add (M1_NM, 1) A(0,5)<1> A(0,5)<0;1,0> 0x1:ud";
    only_if_odd(&with(change, GATHER), "60", "U0675");
    only_if_odd(&with(change, SCATTER), "60", "U0675");
}

#[test]
fn one_lane_of_one_thread_is_outside() {
    let change = "mov (M1_NM, 1) A(0,5)<1> 0x1000:ud";
    only_if_odd(&with(change, GATHER), "60", "U0674");
    only_if_odd(&with(change, SCATTER), "60", "U0674");
}

#[test]
fn two_lanes_of_one_thread_disagree() {
    let change = "mov (M1_NM, 1) A(0,5)<1> A(0,4)<0;1,0>";
    only_if_odd(&with(change, SCATTER), "60", "U0679");
    let narrow = "scatter_scaled.1 (M1, 16) T6 0x0:ud A.0 B.0";
    only_if_odd(&with(change, narrow), "60", "U0679");
}

#[test]
fn lanes_of_both_halves_disagree() {
    let text = "// PLATFORM pvc
// GROUPS 64,1,1
// THREADS 1,1
// SURFACE T6: R8_UNORM 128x64, byte(x,y) = x + y
.version 4.1
.kernel \"doubts\"
.kernel_attr SimdSize=32
.decl R0 v_type=G type=ud num_elts=16 alias=<%r0, 0>
.decl A v_type=G type=ud num_elts=32 align=GRF
.decl B v_type=G type=ud num_elts=32 align=GRF
.decl W v_type=G type=uw num_elts=32 align=GRF
.decl X v_type=G type=ud num_elts=1 align=dword
.decl P v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
    mov (M1, 8) W(0,0)<1> 0x76543210:uv
    add (M1, 8) W(0,8)<1> W(0,0)<1;1,0> 0x8:uw
    add (M1, 16) W(0,16)<1> W(0,0)<1;1,0> 0x10:uw
    mov (M1, 32) B(0,0)<1> W(0,0)<1;1,0>
    shl (M1, 32) A(0,0)<1> B(0,0)<1;1,0> 0x2:ud
    shl (M1_NM, 1) X(0,0)<1> R0(0,1)<0;1,0> 0x7:ud
    add (M1, 32) A(0,0)<1> A(0,0)<1;1,0> X(0,0)<0;1,0>
    cmp.eq (M1_NM, 16) P R0(0,1)<0;1,0> ODD:ud
    (P) add (M1_NM, 16) A(1,0)<1> A(1,0)<1;1,0> 0xffffffd0:ud
    lsc_store.ugm (M1, 32) bti(0x6)[A]:a32 B:d32
    ret (M1, 1)
";
    only_if_odd(text, "60", "U0679");
}

#[test]
fn one_thread_of_one_group_writes_no_shared_memory() {
    let text = "// PLATFORM skl
// GROUPS 16,1,1
// THREADS 16,1
.version 4.1
.kernel \"doubts\"
.kernel_attr SimdSize=16
.kernel_attr SLMSize=1
.decl R0 v_type=G type=ud num_elts=8 alias=<%r0, 0>
.decl A v_type=G type=ud num_elts=16 align=GRF
.decl B v_type=G type=ud num_elts=16 align=GRF
.decl C v_type=G type=ud num_elts=16 align=GRF
.decl W v_type=G type=uw num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=1 align=dword
.decl P v_type=P num_elts=1
    mov (M1, 8) W(0,0)<1> 0x76543210:uv
    mov (M1, 8) W(0,8)<1> 0xfedcba98:uv
    mov (M1, 16) B(0,0)<1> W(0,0)<1;1,0>
    shl (M1, 16) A(0,0)<1> B(0,0)<1;1,0> 0x2:ud
    shl (M1_NM, 1) X(0,0)<1> R0(0,2)<0;1,0> 0x6:ud
    add (M1, 16) C(0,0)<1> A(0,0)<1;1,0> X(0,0)<0;1,0>
    add (M1_NM, 1) X(0,0)<1> R0(0,1)<0;1,0> R0(0,2)<0;1,0>
    cmp.eq (M1_NM, 1) P X(0,0)<0;1,0> ODD:ud
    (P) jmp (M1, 1) written
    scatter4_scaled.R (M1, 16) %slm 0x0:ud C.0 B.0
written:
    barrier
    xor (M1, 16) C(0,0)<1> C(0,0)<1;1,0> 0x3c0:ud
    gather4_scaled.R (M1, 16) %slm 0x0:ud C.0 B.0
    add (M1, 16) B(0,0)<1> B(0,0)<1;1,0> 0x1:ud
    ret (M1, 1)
";
    only_if_odd(text, "30", "U0680");
}

#[test]
fn what_memory_had_is_there_again_when_steps_are_looked_at() {
    let change = "mov (M1_NM, 1) A(0,5)<1> 0x1000:ud";
    let again = format!(
        "{GATHER}
    add (M1, 16) B(0,0)<1> B(0,0)<1;1,0> 0x1:ud
    {SCATTER}"
    );
    // Each dword counts the times that it was reached.
    let text = with(change, &again).replace("ODD", "60");
    let (layer, said) = file_layer(Source::new("doubts.visa", text), Path::new("."));
    let run = |sanitizer| {
        let watcher = Watcher {
            sanitizer,
            ..Watcher::default()
        };
        let layers = [layer.clone()];
        let ran = start_watched(&layers, said.clone(), &Options::default(), |_| {
            watcher.thread()
        });
        let session = ran.unwrap_or_else(|refused| panic!("{:?}", refused.problems));
        let surface = session.bindings.surfaces.values().next();
        surface.expect("T6").memory().to_vec()
    };
    assert_eq!(run(Some(Sanitizer::default())), run(None));
}
