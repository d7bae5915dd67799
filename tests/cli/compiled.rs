//! What the compiler leaves beside a text: functions in files of their own, programs for other devices, texts of
//! other widths, symbols.

use super::folder::{folder, holds, said};
use super::kernel::{writes, zeinfo};
use std::path::Path;

/// A kernel that calls a function.
const CALLS: &str = "\
.version 4.1
.kernel \"calls\"
.funcdecl \"twice\"
.decl V32 v_type=G type=d num_elts=8 align=GRF
.decl A v_type=G type=d num_elts=8 align=GRF alias=<%arg, 0>
.decl R v_type=G type=d num_elts=8 align=GRF alias=<%retval, 0>
.kernel_attr SimdSize=8
    mov (M1, 8) A(0,0)<1> 0x15:d
    fcall (M1, 8) twice 1 1
    mov (M1, 8) V32(0,0)<1> R(0,0)<1;1,0>
    ret (M1, 1)
";

/// The function, as the compiler prints it: with a version of its own. `more` is on line 8.
fn twice(more: &str) -> String {
    format!(
        "\
.version 4.1
.global_function \"twice\"
.decl A v_type=G type=d num_elts=8 align=GRF alias=<%arg, 0>
.decl R v_type=G type=d num_elts=8 align=GRF alias=<%retval, 0>
.decl N v_type=G type=uq num_elts=8 align=GRF
.kernel_attr SimdSize=8
    mov (M1, 8) N(0,0)<1> 0x0:uq
    {more}
    add (M1, 8) R(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>
    fret (M1, 8)
"
    )
}

#[test]
fn functions_beside_a_text_are_taken_and_told() {
    let files = [("k.visaasm", CALLS), ("k_f0.visaasm", &twice(""))];
    let folder = folder(&files);
    let run = ["run", "k.visaasm", "--dump", "V32"];
    let told = said(&folder, &run, 0);
    holds(&told, &["42", "with the functions of k_f0.visaasm"]);
    let json = said(&folder, &[&run[..], &["--format", "json"]].concat(), 0);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["functions"], serde_json::json!(["k_f0.visaasm"]));
    let traced = said(&folder, &[&run[..], &["--trace"]].concat(), 0);
    holds(
        &traced,
        &["step 1 line 8: mov", "step 3 k_f0.visaasm line 7: mov"],
    );
    // A text of that name that is not a dump of the compiler, or has no number, is nobody's function.
    for name in ["k_f0.visa", "k_fx.visaasm", "k_f.visaasm"] {
        std::fs::rename(folder.path().join("k_f0.visaasm"), folder.path().join(name))
            .expect("renamed");
        let refused = said(&folder, &run, 1);
        holds(
            &refused,
            &["E0602", "no text at hand has `twice`", "--functions"],
        );
        let named = said(&folder, &[&run[..], &["--functions", name]].concat(), 0);
        holds(&named, &["42"]);
        assert!(!named.contains("with the functions"), "{named}");
        std::fs::rename(folder.path().join(name), folder.path().join("k_f0.visaasm"))
            .expect("renamed");
    }
    let gone = said(
        &folder,
        &["run", "k.visaasm", "--functions", "g.visaasm"],
        2,
    );
    holds(&gone, &["E0702", "g.visaasm"]);
}

#[test]
fn functions_that_kernels_share_are_taken_too() {
    let shared = "p_simd8_Intel_Symbol_Table_Void_Program_f0.visaasm";
    let folder = folder(&[
        ("p_simd8_entry_0001.visaasm", CALLS),
        (shared, &twice("")),
        (
            "p_simd16_Intel_Symbol_Table_Void_Program_f0.visaasm",
            "no text",
        ),
    ]);
    let run = ["run", "p_simd8_entry_0001.visaasm", "--dump", "V32"];
    let told = said(&folder, &run, 0);
    holds(&told, &["42", &format!("with the functions of {shared}")]);
}

#[test]
fn what_is_wrong_in_a_function_is_told_with_its_file_and_line() {
    let folder = folder(&[("k.visaasm", CALLS)]);
    for (more, options, code, words) in [
        ("mvo (M1, 8) R(0,0)<1> 0x1:d", &[][..], 1, &["E0102"][..]),
        (
            "mov (M1, 8) Q(0,0)<1> 0x1:d",
            &[],
            1,
            &["E0202", "Q is not declared"],
        ),
        (
            "svm_gather.4.1 (M1, 8) N.0 R.0",
            &[],
            1,
            &["E0608", "no memory at address 0x0"],
        ),
        (
            "mov (M1, 8) R(0,0)<1> R(0,0)<1;1,0>",
            &["--sanitize"],
            1,
            &["U0670"],
        ),
    ] {
        let function = folder.path().join("k_f0.visaasm");
        std::fs::write(function, twice(more)).expect("written");
        let run = [&["run", "k.visaasm"], options].concat();
        let told = said(&folder, &run, code);
        holds(&told, &["k_f0.visaasm:8:"]);
        holds(&told, words);
        let json = said(&folder, &[&run[..], &["--format", "json"]].concat(), code);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let found = json["diagnostics"].as_array().expect("a list");
        let place = |d: &serde_json::Value| d["file"] == "k_f0.visaasm" && d["line"] == 8;
        assert!(found.iter().any(place), "{json}");
    }
    // Two at once, each in its own file.
    let kernel = CALLS.replace("0x15:d", "0x15:dd");
    std::fs::write(folder.path().join("k.visaasm"), kernel).expect("written");
    std::fs::write(folder.path().join("k_f0.visaasm"), twice("mvo")).expect("written");
    let both = said(&folder, &["run", "k.visaasm"], 1);
    holds(&both, &["k.visaasm:8:", "k_f0.visaasm:8:"]);
}

/// A device program for a core that describes the kernel: patch tokens 22 (local ids) and 23 (8 lanes).
fn program(core: u32) -> Vec<u8> {
    let dwords = |list: &[u32]| -> Vec<u8> { list.iter().flat_map(|n| n.to_le_bytes()).collect() };
    let mut ids = vec![22, 4 * 17, 0, 1, 1, 1];
    ids.resize(17, 0);
    let lanes = [23, 4 * 6, 0, 0, 0, 8];
    let list = [dwords(&ids), dwords(&lanes)].concat();
    let mut kernel = vec![0; 10];
    (kernel[3], kernel[4]) = (4, list.len() as u32);
    let header = [0x494e_5443, 1053, core, 8, 1, 0, 0];
    [dwords(&header), dwords(&kernel), b"k\0\0\0".to_vec(), list].concat()
}

#[test]
fn texts_and_descriptions_of_different_devices_are_refused() {
    let folder = folder(&[("k.visaasm", &writes("")), ("k.zeinfo", &zeinfo(8, ""))]);
    let run = [
        "run",
        "k.visaasm",
        "--global",
        "8",
        "--arg",
        "0=buffer:size=32",
    ];
    let on = |more: &[&str], code| said(&folder, &[&run[..], more].concat(), code);
    // The description does not say for which device it is, but registers of pvc have 64 bytes.
    on(&["--platform", "skl"], 0);
    let large = on(&["--platform", "pvc"], 1);
    holds(
        &large,
        &[
            "E0650",
            "32 bytes from register byte 32 on into `X`",
            "r0 has 64 bytes on pvc",
        ],
    );
    // A row of local ids and an argument that lie elsewhere.
    for (from, to, words) in [
        (
            ".input X offset=32 size=32",
            ".input X offset=48 size=32",
            "a row of local ids takes bytes 32 to 63",
        ),
        (
            ".input P offset=160 size=8",
            ".input P offset=166 size=8",
            "a part of the payload takes bytes 160 to 167",
        ),
    ] {
        let moved = writes("").replace(from, to);
        std::fs::write(folder.path().join("moved.visaasm"), moved).expect("written");
        let run = [
            "run",
            "moved.visaasm",
            "--zebin",
            "k.zeinfo",
            "--global",
            "8",
            "--arg",
            "0=buffer:size=32",
        ];
        holds(&said(&folder, &run, 1), &["E0650", words]);
    }
    // A program says for which.
    let bare = writes("").replace(".input P offset=160 size=8\n", "");
    std::fs::write(folder.path().join("b.visaasm"), bare).expect("written");
    std::fs::remove_file(folder.path().join("k.zeinfo")).expect("removed");
    let run = ["run", "b.visaasm", "--global", "8", "--zebin", "k.bin"];
    for (core, platform) in [
        (11, "bdw"),
        (12, "skl"),
        (15, "icl"),
        (18, "tgl"),
        (0xc07, "dg2"),
    ] {
        std::fs::write(folder.path().join("k.bin"), program(core)).expect("written");
        said(&folder, &run, 0);
        said(&folder, &[&run[..], &["--platform", platform]].concat(), 0);
        let other = if platform == "skl" { "dg2" } else { "skl" };
        let refused = said(&folder, &[&run[..], &["--platform", other]].concat(), 2);
        let words = format!("compiled for {platform}, --platform says {other}");
        holds(
            &refused,
            &["E0650", &words, &format!("--platform {platform}")],
        );
    }
    // One that nobody has seen is named with what may be done.
    std::fs::write(folder.path().join("k.bin"), program(77)).expect("written");
    holds(
        &said(&folder, &run, 2),
        &["E0651", "core 77", "--platform ?"],
    );
    said(&folder, &[&run[..], &["--platform", "tgl"]].concat(), 0);
}

/// The compiler leaves the programs of all devices in one folder, where the first by name is no better than others.
#[test]
fn of_programs_beside_a_text_that_of_its_device_is_taken() {
    let folder = folder(&[("k.visaasm", &writes(""))]);
    for (name, core) in [("a.bin", 0xc08), ("b.bin", 12), ("c.bin", 18)] {
        std::fs::write(folder.path().join(name), program(core)).expect("written");
    }
    let run = ["run", "k.visaasm", "--global", "8"];
    for platform in [None, Some("skl"), Some("tgl")] {
        let asked = platform.map(|p| ["--platform", p]);
        let asked = asked.as_ref().map_or(&[][..], |a| &a[..]);
        said(&folder, &[&run[..], asked].concat(), 0);
    }
    let other = said(&folder, &[&run[..], &["--platform", "pvc"]].concat(), 1);
    holds(&other, &["E0650", "r0 has 64 bytes on pvc"]);
    let none = said(&folder, &[&run[..], &["--platform", "dg2"]].concat(), 2);
    holds(&none, &["E0650", "--platform says dg2"]);
}

#[test]
fn a_launch_file_knows_the_texts_of_its_devices() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/kernels/int_sat_arith");
    let file = |name: &str| corpus.join(name).display().to_string();
    let folder = folder(&[]);
    let run = [
        "run",
        &file("kernel.skl.visaasm"),
        "--launch",
        &file("launch.json"),
        "--platform",
    ];
    said(&folder, &[&run[..], &["skl"]].concat(), 0);
    let refused = said(&folder, &[&run[..], &["dg2"]].concat(), 2);
    holds(
        &refused,
        &["E0650", "is the text for skl, --platform says dg2"],
    );
    // One that the launch does not have: what is proposed is the one of the text, or those that there are.
    let refused = said(&folder, &[&run[..], &["icl"]].concat(), 2);
    holds(&refused, &["E0645", "no device icl", "--platform skl\n"]);
    std::fs::copy(
        corpus.join("kernel.skl.visaasm"),
        folder.path().join("k.visaasm"),
    )
    .expect("copied");
    let run = ["run", "k.visaasm", "--launch", &file("launch.json")];
    let refused = said(&folder, &run, 2);
    holds(
        &refused,
        &["E0645", "no device for `k.visaasm`", "--platform skl"],
    );
    said(&folder, &[&run[..], &["--platform", "skl"]].concat(), 0);
}

#[test]
fn a_text_that_the_compiler_gave_up_leads_to_the_one_that_it_kept() {
    let wide = writes("").replace("SimdSize=8", "SimdSize=16");
    let names = ["k_simd16_entry_0001.visaasm", "k_simd8_entry_0001.visaasm"];
    let kept = writes("");
    let folder = folder(&[
        (names[0], &wide),
        (names[1], &kept),
        ("k.zeinfo", &zeinfo(8, "")),
    ]);
    let arguments = ["--global", "8", "--arg", "0=buffer:size=32"];
    said(&folder, &[&["run", names[1]], &arguments[..]].concat(), 0);
    for (more, code) in [(&[][..], 2), (&["--zebin", "k.zeinfo"], 1)] {
        let run = [&["run", names[0]], &arguments[..], more].concat();
        let refused = said(&folder, &run, code);
        let words = "the text is for 16 lanes, the description for 8";
        holds(
            &refused,
            &["E0645", words, "visim run k_simd8_entry_0001.visaasm"],
        );
    }
}

#[test]
fn texts_of_a_program_have_addresses_and_what_has_none_is_named() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled");
    let folder = folder(&[]);
    for name in ["told.visaasm", "told.bin"] {
        std::fs::copy(from.join(name), folder.path().join(name)).expect("copied");
    }
    let run = [
        "run",
        "told.visaasm",
        "--zebin",
        "told.bin",
        "--global",
        "32",
        "--local",
        "32",
        "--arg",
        "0=buffer:o.bin:size=128",
        "--format",
        "json",
    ];
    // The program names tgllp by a product number of its own.
    holds(
        &said(&folder, &[&run[..], &["--platform", "tgl"]].concat(), 0),
        &["\"printf\":\"1\\n\""],
    );
    let refused = said(&folder, &[&run[..], &["--platform", "skl"]].concat(), 2);
    holds(&refused, &["E0650", "compiled for tgl"]);
    let written = std::fs::read(folder.path().join("o.bin")).expect("written");
    let wanted: Vec<u8> = (1..=32_u32).flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(written, wanted);
    let text = std::fs::read_to_string(folder.path().join("told.visaasm")).expect("read");
    let other = text.replacen("faddr \".str\"", "faddr \".strange\"", 1);
    std::fs::write(folder.path().join("told.visaasm"), other).expect("written");
    holds(
        &said(&folder, &run, 1),
        &["E0652", "nothing at hand has `.strange`"],
    );
}

/// Remarks are for who writes a text; of a compiler's own they are noise, and more so in front of what went wrong.
#[test]
fn a_fault_of_a_compiled_kernel_stands_alone() {
    let body =
        "    asr (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 0x1:ud\n    svm_scatter.4.1 (M1, 8) Q.0 O.0";
    let folder = folder(&[("k.visaasm", &writes(body)), ("k.zeinfo", &zeinfo(8, ""))]);
    holds(&said(&folder, &["check", "k.visaasm"], 0), &["W0427"]);
    let run = ["run", "k.visaasm", "--global", "8", "--arg", "0=null"];
    for more in [&[][..], &["--stats"]] {
        let told = said(&folder, &[&run[..], more].concat(), 1);
        assert!(
            told.contains("E0608") && !told.contains("warning"),
            "{told}"
        );
    }
}

#[test]
fn a_thread_of_any_group_can_be_watched() {
    let text = ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";
    let folder = folder(&[("k.visa", text)]);
    let run = ["run", "k.visa", "--groups", "3,2,2", "--threads", "2,1"];
    // By number, by thread and group, by group and thread.
    for thread in ["15", "1,7", "1,0,1,1", "1@7", "1@1,0,1"] {
        let traced = said(
            &folder,
            &[&run[..], &["--trace", "--thread", thread]].concat(),
            0,
        );
        holds(&traced, &["thread 15 step 1"]);
        assert_eq!(traced.matches("step 1").count(), 1, "{traced}");
        let stopped = said(
            &folder,
            &[&run[..], &["--break-thread", thread]].concat(),
            0,
        );
        holds(&stopped, &["thread 15 (group 1,0,1, thread 1 of it)"]);
    }
    for (thread, words) in [
        ("24", "the run has 24 threads"),
        ("2,0", "a row has 2 threads"),
        ("0,12", "the run has 24 threads"),
        ("3,0,0,0", "there are 3 by 2 by 2 groups of 2 threads"),
        ("1,0,1", "a thread and its group"),
        ("0@12", "3 by 2 by 2 groups of 2 threads"),
        ("0@1,0", "a thread and its group"),
        (
            "4294967295,4294967295,4294967295,4294967295",
            "3 by 2 by 2 groups",
        ),
    ] {
        let refused = said(
            &folder,
            &[&run[..], &["--trace", "--thread", thread]].concat(),
            2,
        );
        holds(&refused, &["E0901", words]);
    }
}

#[test]
fn numbers_that_cannot_be_are_told() {
    let folder = folder(&[("k.visa", ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n")]);
    let refused = said(&folder, &["run", "k.visa", "--jobs", "0"], 2);
    holds(&refused, &["at least 1"]);
    let most = "4294967295,4294967295,4294967295";
    let refused = said(&folder, &["run", "k.visa", "--groups", most], 1);
    holds(&refused, &["L0603", "more than 64 bits count"]);
}

/// A text with what the described device lacks: another device cannot be asked for, another description can.
#[test]
fn fixes_for_a_missing_instruction_keep_to_the_described_device() {
    let body = "    add3 (M1, 8) O(0,0)<1> O(0,0)<1;1,0> O(0,0)<1;1,0> 0x1:ud";
    let bare = writes(body).replace(".input P offset=160 size=8\n", "");
    let folder = folder(&[("k.visaasm", &bare)]);
    std::fs::write(folder.path().join("early.bin"), program(12)).expect("written");
    let run = ["run", "k.visaasm", "--global", "8"];
    let told = said(&folder, &run, 1);
    holds(
        &told,
        &[
            "E0428",
            "skl has no add3",
            "the compiler's description is for skl",
            "a text compiled for skl",
        ],
    );
    assert!(!told.contains("--platform"), "{told}");
    // Of two descriptions that of a device with the instruction is taken.
    std::fs::write(folder.path().join("later.bin"), program(0xc07)).expect("written");
    said(&folder, &run, 0);
    // Nothing described: a platform may be asked for.
    std::fs::write(folder.path().join("k.visa"), &bare).expect("written");
    let told = said(&folder, &["run", "k.visa", "--platform", "skl"], 1);
    holds(&told, &["E0428", "--platform dg2"]);
}

/// A text does not name its device, but the native code that the compiler leaves beside it does.
#[test]
fn native_code_beside_a_text_names_its_device() {
    let bare = writes("").replace(".input P offset=160 size=8\n", "");
    let folder = folder(&[("k.visaasm", &bare)]);
    let native = |platform: &str| {
        let text = format!("//.kernel k\n//.platform {platform}\n//.thread_config numGRF=128\n");
        std::fs::write(folder.path().join("k.asm"), text).expect("written");
    };
    let run = ["run", "k.visaasm", "--global", "8"];
    let on = |more: &[&str], code| said(&folder, &[&run[..], more].concat(), code);
    std::fs::write(folder.path().join("skl.bin"), program(12)).expect("written");
    on(&[], 0);
    native("SKL");
    on(&[], 0);
    native("TGLLP");
    for more in [&[][..], &["--zebin", "skl.bin"]] {
        let told = on(more, 2);
        holds(
            &told,
            &[
                "E0650",
                "the text is for tgl, as k.asm says",
                "is for skl",
                "--platform tgl",
            ],
        );
    }
    // Of two programs that of the text is taken.
    std::fs::write(folder.path().join("tgl.bin"), program(18)).expect("written");
    on(&[], 0);
    holds(&on(&["--platform", "skl"], 2), &["E0650"]);
    // One that visim does not know says nothing.
    native("XE9");
    on(&["--platform", "skl"], 0);
    // A description that names no device is read for that of the text.
    for name in ["skl.bin", "tgl.bin"] {
        std::fs::remove_file(folder.path().join(name)).expect("removed");
    }
    std::fs::write(folder.path().join("k.zeinfo"), zeinfo(8, "")).expect("written");
    let body = "    add3 (M1, 8) O(0,0)<1> O(0,0)<1;1,0> O(0,0)<1;1,0> 0x1:ud";
    std::fs::write(folder.path().join("k.visaasm"), writes(body)).expect("written");
    let argument = ["--arg", "out=buffer:size=32"];
    native("DG2");
    on(&argument, 0);
    native("PVCXT");
    holds(&on(&argument, 1), &["E0650", "r0 has 64 bytes on pvcxt"]);
    native("SKL");
    holds(&on(&argument, 1), &["E0428", "skl has no add3"]);
}

/// Programs that carry their own text: one for a device, an archive for two, one inside a host program.
#[test]
fn a_program_that_carries_its_text_runs_alone() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled");
    let folder = folder(&[]);
    let put = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    };
    let whole = std::fs::read(from.join("carried.bin")).expect("there");
    put("k.bin", &whole);
    put(
        "k.ar",
        &std::fs::read(from.join("carried.ar")).expect("there"),
    );
    put(
        "host",
        &[&b"\x7fELF\x02\x01\x01 of the host"[..], &whole].concat(),
    );
    put("short.bin", &whole[..whole.len() / 2]);
    put("host.only", b"\x7fELF\x02\x01\x01 of the host");
    let twice = ["--kernel", "twice", "--global", "4"];
    let given = [
        "--arg",
        "in=buffer:in.bin",
        "--arg",
        "out=buffer:out.bin:size=16",
    ];
    put("in.bin", &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
    let run =
        |file: &str, more: &[&str], code| said(&folder, &[&["run", file], more].concat(), code);
    let written = |name: &str| {
        let bytes = std::fs::read(folder.path().join(name)).expect("written");
        bytes.chunks_exact(4).map(|b| b[0]).collect::<Vec<u8>>()
    };
    for (file, platform) in [
        ("k.bin", None),
        ("host", None),
        ("k.ar", Some("bmg")),
        ("k.ar", Some("dg2")),
        // A part of the same generation.
        ("k.bin", Some("lnl")),
    ] {
        let asked = platform.map(|p| ["--platform", p]);
        let asked = asked.as_ref().map_or(&[][..], |a| &a[..]);
        run(file, &[&twice[..], &given, asked].concat(), 0);
        assert_eq!(written("out.bin"), [2, 4, 6, 8], "{file}");
        std::fs::remove_file(folder.path().join("out.bin")).expect("removed");
    }
    // With the function that it calls.
    let sums = [
        "--kernel",
        "sums",
        "--global",
        "5",
        "--arg",
        "out=buffer:sums.bin:size=20",
    ];
    run("k.bin", &sums, 0);
    assert_eq!(written("sums.bin"), [0, 1, 3, 6, 10]);
    // What is missing or wrong is said.
    let none: &[&str] = &["--global", "4"];
    for (file, more, words) in [
        (
            "k.bin",
            none,
            &["E0601", "several kernels", "twice, sums", "--kernel twice"][..],
        ),
        (
            "k.bin",
            &["--kernel", "thrice", "--global", "4"],
            &["no kernel `thrice`", "twice, sums"],
        ),
        ("k.bin", &["--kernel", "twice"], &["E0641", "--global"]),
        (
            "k.bin",
            &["--kernel", "twice", "--platform", "skl"],
            &["no program for skl", "it has bmg"],
        ),
        (
            "k.ar",
            &twice,
            &["several devices", "bmg, dg2", "--platform bmg"],
        ),
        ("short.bin", &twice, &["cannot be read", "cut off"]),
        ("host.only", &twice, &["no program for a GPU of Intel"]),
    ] {
        holds(&run(file, more, 2), words);
    }
    // It is not text that could be put in its place.
    holds(
        &said(&folder, &["fmt", "--write", "k.bin"], 2),
        &["is a compiled program"],
    );
    assert_eq!(
        std::fs::read(folder.path().join("k.bin")).expect("there"),
        whole
    );
    holds(
        &said(&folder, &["fmt", "k.bin"], 0),
        &[".kernel \"twice\"", ".global_function \"triangle\""],
    );
    // The other commands read the same text.
    said(&folder, &["check", "k.bin", "host"], 0);
    holds(
        &said(&folder, &["lower", "k.bin"], 0),
        &["k.bin:twice.visaasm:", "to ugm"],
    );
}

/// A text says in its last lines what it was compiled for: every command reads it so.
#[test]
fn a_text_of_a_compiler_names_its_own_platform() {
    let text = ".version 4.2\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=16 align=GRF\n\
                \x20   add3 (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0> 0x1:ud\n    ret (M1, 1)\n\n\
                //Platform: XE2\n//CISA version 4.2\n";
    let folder = folder(&[("k.visaasm", text)]);
    said(&folder, &["check", "k.visaasm"], 0);
    said(&folder, &["run", "k.visaasm"], 0);
    said(&folder, &["test", "--allow-empty", "k.visaasm"], 0);
    holds(
        &said(&folder, &["check", "k.visaasm", "--platform", "skl"], 1),
        &["skl has no add3"],
    );
}

/// Drivers allocate whole pages: what is read past the end of a buffer is zero up to there, and a finding.
#[test]
fn reads_past_the_end_of_a_buffer_are_zero_up_to_its_page() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled");
    let folder = folder(&[]);
    std::fs::copy(from.join("carried.bin"), folder.path().join("k.bin")).expect("copied");
    std::fs::write(folder.path().join("in.bin"), [1, 0, 0, 0, 2, 0, 0, 0]).expect("written");
    let run = ["run", "k.bin", "--kernel", "twice", "--global", "4"];
    let run = |output: &str, more: &[&str], code| {
        let given = ["--arg", "in=buffer:in.bin", "--arg", output];
        said(&folder, &[&run[..], &given, more].concat(), code)
    };
    run("out=buffer:out.bin:size=16", &[], 0);
    let bytes = std::fs::read(folder.path().join("out.bin")).expect("written");
    assert_eq!(bytes, [2, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let found = run("out=buffer:out.bin:size=16", &["--sanitize"], 1);
    holds(
        &found,
        &[
            "U0674",
            "`in`, has 8 bytes",
            "right past its end",
            "last page read as zero",
        ],
    );
    // Writes past the end stay errors.
    holds(
        &run("out=buffer:out.bin:size=12", &[], 1),
        &["E0608", "`out`, has 12 bytes"],
    );
}

/// The last groups of a range may have fewer work-items: sizes, numbers and sums of each are those of a plain model.
#[test]
fn groups_are_cut_off_at_the_end_of_a_range() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled");
    let folder = folder(&[]);
    for file in ["groups.bin", "groups.launch.json"] {
        std::fs::copy(from.join(file), folder.path().join(file)).expect("copied");
    }
    for more in [
        &["--jobs", "1"][..],
        &["--jobs", "4", "--native", "never"],
        &["--native", "always"],
        &["--stats", "--check-races"],
    ] {
        let output = said(&folder, &[&["run", "groups.bin"], more].concat(), 0);
        holds(&output, &["argument 0, `out`: 5600 bytes, as expected"]);
    }
    let path = folder.path().join("groups.launch.json");
    let text = std::fs::read_to_string(&path).expect("a description");
    let full = text.replace("\"partial_groups\": true", "\"partial_groups\": false");
    std::fs::write(&path, full).expect("written");
    let refused = said(&folder, &["run", "groups.bin"], 2);
    holds(
        &refused,
        &["E0641", "10 work-items cannot be split into groups of 4"],
    );
}

/// Texts that are all called `kernel` belong to the native code in front of them.
#[test]
fn kernels_without_names_are_known_by_their_order() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled");
    let folder = folder(&[]);
    for file in ["names.bin", "names.launch.json"] {
        std::fs::copy(from.join(file), folder.path().join(file)).expect("copied");
    }
    for name in ["first", "second"] {
        let launch = format!("names.launch.json::{name}");
        let output = said(&folder, &["run", "names.bin", "--launch", &launch], 0);
        holds(&output, &["argument 0: 40 bytes, as expected"]);
    }
}

/// OpenCL C goes through the compiler that is named; what it made is kept, by its text, device and options.
#[cfg(unix)]
#[test]
fn opencl_is_compiled_by_the_compiler_that_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let compiled = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled/carried.bin");
    let folder = folder(&[
        ("k.cl", "kernel void twice() {}\n"),
        ("bad.cl", "broken\n"),
        ("k.visa", ""),
    ]);
    // Takes the arguments as ocloc does, and notes that it ran.
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> {}/ran\ntouch stray\n\
         while [ $# -gt 0 ]; do case $1 in -file) f=$2;; -output) o=$2;; -out_dir) d=$2;; esac; shift; done\n\
         grep -q broken $f && {{ echo \"$f:1:1: error: expected a declaration\"; exit 1; }}\n\
         cp {} $d/$o.bin\n",
        folder.path().display(),
        compiled.display()
    );
    let fake = folder.path().join("fake-ocloc");
    std::fs::write(&fake, script).expect("written");
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).expect("set");
    let with = |compiler: &Path, arguments: &[&str], code: i32| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_visim"));
        let command = command.args(arguments).current_dir(folder.path());
        let command = command
            .env("VISIM_OCLOC", compiler)
            .env("XDG_CACHE_HOME", folder.path().join("cache"));
        let output = command.output().expect("visim starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{said}");
        said
    };
    let run = [
        "run", "k.cl", "--device", "bmg", "--kernel", "sums", "--global", "3",
    ];
    let run = [&run[..], &["--arg", "out=buffer:o.bin:size=12"]].concat();
    let ran = || std::fs::read_to_string(folder.path().join("ran")).unwrap_or_default();
    with(&fake, &run, 0);
    with(&fake, &run, 0);
    assert_eq!(ran().lines().count(), 1, "{}", ran());
    with(
        &fake,
        &[&run[..], &["--", "-cl-std=CL3.0", "-DN=4"]].concat(),
        0,
    );
    let last = ran().lines().last().map(str::to_string).unwrap_or_default();
    // It runs elsewhere, and finds headers where visim was started.
    let options = format!("-options -cl-std=CL3.0 -DN=4 -I{}", folder.path().display());
    assert!(
        last.contains("-device bmg") && last.ends_with(&options),
        "{last}"
    );
    assert!(!folder.path().join("stray").exists());
    let bytes = std::fs::read(folder.path().join("o.bin")).expect("written");
    assert_eq!(bytes, [0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0]);
    for (arguments, words) in [
        (
            &["run", "bad.cl", "--device", "bmg"][..],
            &[
                "E0653",
                "bad.cl does not compile for bmg",
                "expected a declaration",
            ][..],
        ),
        (
            &["run", "k.cl"],
            &["E0653", "none is named", "--device bmg"],
        ),
        (
            &["run", "k.visa", "--device", "bmg"],
            &["E0653", "is not OpenCL C", "--platform"],
        ),
        (
            &["run", "none.cl", "--device", "bmg"],
            &["E0702", "none.cl"],
        ),
    ] {
        holds(&with(&fake, arguments, 2), words);
    }
    let missing = with(
        &folder.path().join("no-such"),
        &["run", "k.cl", "--device", "dg2"],
        2,
    );
    holds(&missing, &["E0653", "cannot be started"]);
}

/// A compiler that is there may lack the libraries that it loads: what it says, and the package that has them.
#[cfg(unix)]
#[test]
fn a_compiler_without_its_libraries_is_found_out() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[("k.cl", "kernel void twice() {}\n")]);
    let fake = folder.path().join("fake-ocloc");
    let script = "#!/bin/sh\n\
        [ $2 = --help ] && { echo '<device_type> can be: dg2, bmg, ip version or hexadecimal value'; exit 0; }\n\
        echo 'Error! Loading of FCL library has failed! Filename: libigdfcl.so.2'; exit 250\n";
    std::fs::write(&fake, script).expect("written");
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).expect("set");
    let by = |compiler: &Path, arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_visim"));
        let command = command.args(arguments).current_dir(folder.path());
        let command = command
            .env("VISIM_OCLOC", compiler)
            .env("PATH", folder.path())
            .env("XDG_CACHE_HOME", folder.path().join("cache"));
        let output = command.output().expect("visim starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&said).into_owned()
    };
    // A name alone is one of PATH.
    for compiler in [fake.as_path(), Path::new("fake-ocloc")] {
        holds(
            &by(compiler, &["opencl", "--check"]),
            &["builds    dg2 bmg\n", "Filename: libigdfcl.so.2", "libigc2"],
        );
        holds(
            &by(compiler, &["run", "k.cl", "--device", "bmg"]),
            &["E0653", "Filename: libigdfcl.so.2", "libigc2"],
        );
    }
    // One that is not there, or is something else, is no compiler.
    for other in ["no-such", "./no-such", "./k.cl"] {
        let said = by(Path::new(other), &["opencl", "--check"]);
        holds(&said, &["builds    for no device: it is not there"]);
    }
    let older = "#!/bin/sh\necho 'Error: Cannot get HW Info for device ptl.'; exit 223\n";
    std::fs::write(&fake, older).expect("written");
    holds(
        &by(&fake, &["run", "k.cl", "--device", "ptl"]),
        &[
            "E0653",
            "Cannot get HW Info",
            "does not build for the device",
        ],
    );
}

/// A folder as the compiler leaves it: a kernel of two widths, of which one is described, and another kernel.
fn dumps() -> tempfile::TempDir {
    let folder = folder(&[]);
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/kernels");
    let copy = |from: &str, to: &str| {
        std::fs::copy(kernels.join(from), folder.path().join(to)).expect("copied");
    };
    copy("28-sums.visaasm", "OCL_asm1_simd32_entry_0001.visaasm");
    copy("28-sums.zeinfo", "OCL_asm1.zeinfo");
    copy("29-zoom.visaasm", "OCL_asm2_simd32_entry_0001.visaasm");
    copy("29-zoom.zeinfo", "OCL_asm2.zeinfo");
    for file in ["28-sums.launch.json", "28-in.bin", "28-out.bin"] {
        copy(file, file);
    }
    let kept = std::fs::read_to_string(kernels.join("28-sums.visaasm")).expect("the text");
    assert!(kept.contains("SimdSize=32"), "the width that was kept");
    let given_up = kept.replace("SimdSize=32", "SimdSize=16");
    let other = folder.path().join("OCL_asm1_simd16_entry_0001.visaasm");
    std::fs::write(other, given_up).expect("written");
    folder
}

#[test]
fn of_a_folder_of_dumps_the_width_that_was_kept_runs() {
    let folder = dumps();
    let launch = ["--launch", "28-sums.launch.json"];
    let run = [&["run", ".", "--kernel", "sums"][..], &launch].concat();
    let ran = said(&folder, &run, 0);
    holds(&ran, &["OCL_asm1_simd32_entry_0001.visaasm", "as expected"]);
    let several = said(&folder, &["run", "."], 2);
    holds(&several, &["E0601", "sums, zoom", "--kernel sums"]);
    let unknown = said(&folder, &["run", ".", "--kernel", "sum"], 2);
    holds(&unknown, &["E0601", "did you mean sums?"]);
    // The native code beside a text names its device.
    for width in [16, 32] {
        let native = format!("OCL_asm1_simd{width}_entry_0001.asm");
        std::fs::write(folder.path().join(native), "//.platform SKL\n").expect("written");
    }
    let other = ["run", ".", "--kernel", "sums", "--platform", "bmg"];
    let other = said(&folder, &other, 2);
    holds(&other, &["E0640", "no text of `sums` for bmg"]);
    let empty = super::folder::folder(&[("notes.txt", "no text")]);
    holds(
        &said(&empty, &["check", "."], 2),
        &["E0640", "no .visaasm text"],
    );
}

#[test]
fn a_launch_beside_a_kernel_makes_it_a_test() {
    let folder = dumps();
    let path = |name: &str| folder.path().join(name);
    std::fs::remove_file(path("OCL_asm1_simd16_entry_0001.visaasm")).expect("removed");
    std::fs::rename(path("28-sums.launch.json"), path("launch.json")).expect("renamed");
    // The description of the folder is that of texts that the compiler describes by their own name.
    std::fs::rename(
        path("OCL_asm1_simd32_entry_0001.visaasm"),
        path("OCL_asm1.visaasm"),
    )
    .expect("renamed");
    for name in ["OCL_asm2_simd32_entry_0001.visaasm", "OCL_asm2.zeinfo"] {
        std::fs::remove_file(path(name)).expect("removed");
    }
    let passed = said(&folder, &["test", "."], 0);
    holds(&passed, &["OCL_asm1.visaasm ... ok", "1 passed"]);
    std::fs::write(path("28-out.bin"), [0; 8]).expect("written");
    let failed = said(&folder, &["test", "."], 1);
    holds(&failed, &["E0646", "argument 1, `out`"]);
    // A comment names the launch as well.
    let text = std::fs::read_to_string(path("OCL_asm1.visaasm")).expect("the text");
    std::fs::rename(path("launch.json"), path("other.json")).expect("renamed");
    let named = format!("// LAUNCH other.json\n{text}");
    std::fs::write(path("OCL_asm1.visaasm"), named).expect("written");
    holds(&said(&folder, &["run", "OCL_asm1.visaasm"], 1), &["E0646"]);
    std::fs::remove_file(path("other.json")).expect("removed");
    let missing = said(&folder, &["test", "OCL_asm1.visaasm"], 1);
    holds(&missing, &["E0702", "other.json"]);
}

#[test]
fn lines_of_compiled_kernels_are_explained_and_drawn_in_their_launch() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/kernels");
    let out = folder(&[]);
    let text = std::fs::read_to_string(kernels.join("29-zoom.visaasm")).expect("the text");
    let line = text
        .lines()
        .position(|l| l.trim_start().contains("sample_lz"));
    let line = line.expect("a line that samples") + 1;
    let subject = format!("{}:{line}", kernels.join("29-zoom.visaasm").display());
    let image = format!(
        "src=image:{}",
        kernels.join("../images/photo.png").display()
    );
    let launch = [
        "--global",
        "32x24",
        "--arg",
        &image,
        "--arg",
        "dst=image:size=32x24",
        "--arg",
        "how=sampler:clamp_to_edge:linear:normalized",
        "--arg",
        "part=hex:0000dc420000c8420000803e00000000",
    ];
    let explained = said(&out, &[&["explain", &subject], &launch[..]].concat(), 0);
    holds(&explained, &["sample_lz", "result    in "]);
    let draw = [&["picture", &subject, "-o", "zoom.svg"], &launch[..]].concat();
    holds(&said(&out, &draw, 0), &["wrote zoom.svg"]);
    // Without its arguments the kernel has none of its surfaces.
    holds(&said(&out, &draw[..4], 1), &["E0603"]);
}

#[test]
fn programs_with_patch_tokens_print_too() {
    let compiled = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled");
    let folder = folder(&[]);
    for name in ["said.visaasm", "said.progbin"] {
        std::fs::copy(compiled.join(name), folder.path().join(name)).expect("copied");
    }
    let run = [
        "run",
        "said.visaasm",
        "--global",
        "8",
        "--arg",
        "0=buffer:size=32",
    ];
    let ran = said(&folder, &run, 0);
    holds(&ran, &["0: word 0,7 0.00\n1: word 1,7 0.50\n"]);
}
