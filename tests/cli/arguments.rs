//! What a compiled kernel is given: memory, images, group sizes, and mistakes in them.

use super::folder::{folder, holds, said};
use super::kernel::{writes, zeinfo};

#[test]
fn memory_that_is_missing_is_told_by_the_argument() {
    let address =
        "    add (M1, 8) Q(0,0)<1> P(0,0)<0;1,0> 0x24:uq\n    svm_scatter.4.1 (M1, 8) Q.0 O.0";
    let surface = "    movs (M1_NM, 1) T6(0) 0x0:ud\n    mov (M1, 8) O(0,0)<1> 0x0:ud\n    \
                   scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 O.0";
    for (body, argument, words) in [
        (
            address,
            "buffer:size=32",
            "argument 0, `out`, has 32 bytes at 0x1000000000: the access begins 4 bytes past its end",
        ),
        (
            address,
            "buffer:size=36",
            "the access begins right past its end",
        ),
        (address, "buffer:size=38", "2 of them lie past its end"),
        (address, "null", "argument 0, `out`, is null"),
        (address, "buffer:size=35", "begins 1 byte past its end"),
        (
            surface,
            "null",
            "give argument 0, `out`, memory: it is null",
        ),
    ] {
        let folder = folder(&[("k.visaasm", &writes(body)), ("k.zeinfo", &zeinfo(8, ""))]);
        let argument = format!("out={argument}");
        let run = ["run", "k.visaasm", "--global", "8", "--arg", &argument];
        holds(&said(&folder, &run, 1), &[words]);
    }
}

#[test]
fn a_group_size_that_nobody_gives_is_found() {
    let asks = "      required_work_group_size: [16, 1, 1]\n";
    for (zeinfo, global, threads) in [
        (zeinfo(8, ""), 64, 8),
        (zeinfo(8, asks), 64, 8),
        (zeinfo(8, ""), 12, 2),
    ] {
        let json = format!(
            r#"{{"global_size": [{global}], "args": [{{"kind": "buffer", "bytes": 32}}]}}"#
        );
        let folder = folder(&[
            ("k.visaasm", &writes("")),
            ("k.zeinfo", &zeinfo),
            ("l.json", &json),
        ]);
        let size = global.to_string();
        for given in [
            &["--launch", "l.json"][..],
            &["--global", &size, "--arg", "0=buffer:size=32"],
        ] {
            let run = [&["run", "k.visaasm", "--format", "json"], given].concat();
            let told = said(&folder, &run, 0);
            let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
            assert_eq!(told["threads"], threads, "{given:?}");
        }
    }
}

/// What a kernel cannot write goes to no file: the zeros of an argument would take the place of what lies there.
#[test]
fn an_argument_that_is_only_read_is_no_output() {
    let described = |access: &str, space: &str| {
        let own = format!(
            "      - arg_type: arg_bypointer
        offset: 0
        size: 0
        arg_index: 1
        addrmode: stateful
        addrspace: {space}
{access}    per_thread_payload_arguments:"
        );
        let zeinfo = zeinfo(8, "").replace("    per_thread_payload_arguments:", &own);
        let zeinfo = zeinfo.replace(
            "kernels_misc_info:",
            "      - bti_value: 1\n        arg_index: 1\nkernels_misc_info:",
        );
        format!("{zeinfo}      - index: 1\n        name: from\n")
    };
    let image = "        image_type: image_2d\n";
    let kept = [7; 4 * 4 * 4];
    for (space, kind, given, instead) in [
        (
            "image",
            image,
            "image:keep.bin:size=4x4",
            "from=image:in=keep.bin:size=4x4",
        ),
        (
            "image",
            image,
            "image:size=4x4:out=keep.bin",
            "from=image:size=4x4",
        ),
        (
            "image",
            image,
            "image:size=4x4:keep.bin:in=b.bin",
            "from=image:size=4x4:in=b.bin",
        ),
        (
            "image",
            image,
            "image:keep.png:size=4x4:order=R",
            "from=image:keep.png:order=R",
        ),
        (
            "global",
            "",
            "buffer:keep.bin:size=64",
            "from=buffer:keep.bin",
        ),
        (
            "global",
            "",
            "buffer:b.bin:out=keep.bin",
            "from=buffer:b.bin",
        ),
    ] {
        let folder = folder(&[("k.visaasm", &writes(""))]);
        for name in ["keep.bin", "b.bin"] {
            std::fs::write(folder.path().join(name), kept).expect("written");
        }
        let run = |access: &str, given: &str, code| {
            let zeinfo = described(&format!("{access}{kind}"), space);
            std::fs::write(folder.path().join("k.zeinfo"), zeinfo).expect("written");
            let own = format!("from={given}");
            let run = ["run", "k.visaasm", "--global", "8", "--arg"];
            said(
                &folder,
                &[&run[..], &["out=buffer:size=32", "--arg", &own]].concat(),
                code,
            )
        };
        let readonly = "        access_type: readonly\n";
        let help = format!("--arg {instead}\n");
        let told = run(readonly, given, 2);
        holds(
            &told,
            &[
                "E0642",
                "argument 1, `from`, is only read by the kernel",
                &help,
            ],
        );
        let now = std::fs::read(folder.path().join("keep.bin")).expect("kept");
        assert_eq!(now, kept, "{given}");
        if !instead.contains("png") {
            run(readonly, instead.trim_start_matches("from="), 0);
        }
        // What nobody says is not a reason to refuse.
        run("", given, 0);
        run("        access_type: readwrite\n", given, 0);
    }
    // A launch file may say it as well.
    let folder = folder(&[
        ("k.visaasm", &writes("")),
        ("k.zeinfo", &described("", "image")),
        (
            "l.json",
            r#"{"global_size": [8], "args": [{"kind": "buffer", "bytes": 32}, {"kind": "image",
                "access": "read_only", "image": {"order": "R", "channel": "UNORM_INT8", "width": 4, "height": 4}}]}"#,
        ),
    ]);
    let run = [
        "run",
        "k.visaasm",
        "--launch",
        "l.json",
        "--arg",
        "1=image:o.bin:size=4x4",
    ];
    holds(
        &said(&folder, &run, 2),
        &["E0642", "is only read by the kernel"],
    );
}

/// Kinds of images are in the description; what is given is checked against them, and they decide where nothing is said.
#[test]
fn images_are_of_the_kind_that_the_kernel_was_compiled_for() {
    let described = |kind: &str| {
        let image = format!(
            "      - arg_type: arg_bypointer
        offset: 0
        size: 0
        arg_index: 1
        addrmode: stateful
        addrspace: image
        access_type: readonly
        image_type: image_{kind}
    per_thread_payload_arguments:"
        );
        let zeinfo = zeinfo(8, "").replace("    per_thread_payload_arguments:", &image);
        format!("{zeinfo}      - index: 1\n        name: from\n")
    };
    let folder = folder(&[("k.visaasm", &writes(""))]);
    let run = |kind: &str, given: &str, code| {
        std::fs::write(folder.path().join("k.zeinfo"), described(kind)).expect("written");
        let image = format!("from={given}");
        let run = [
            "run",
            "k.visaasm",
            "--global",
            "8",
            "--arg",
            "out=buffer:size=32",
        ];
        said(&folder, &[&run[..], &["--arg", &image]].concat(), code)
    };
    for (kind, given) in [
        ("2d_array_depth", "image:size=4x4x3"),
        (
            "2d_array_depth",
            "image:size=4x4x3:type=2d_array_depth:order=DEPTH:channel=FLOAT",
        ),
        ("2d_depth", "image:size=4x4:type=2d:order=R:channel=FLOAT"),
        ("2d_media_block", "image:size=4x4:type=2d"),
        ("2d", "image:size=4x4:type=2d_media"),
        ("2d", "image:size=4x4"),
        ("3d", "image:size=4x4x4"),
        ("buffer", "image:size=4"),
        ("buffer", "image:size=4:type=1d_buffer"),
    ] {
        run(kind, given, 0);
    }
    let takes = "argument 1, `from`, is an image of type";
    for (kind, given, code, words) in [
        (
            "2d_array_depth",
            "image:size=4x4:type=2d",
            "E0642",
            &[
                takes,
                "the kernel takes 2d_array_depth",
                "type=2d_array_depth order=DEPTH channel=FLOAT",
            ][..],
        ),
        (
            "2d_array",
            "image:size=4x4:type=2d",
            "E0642",
            &[
                "the kernel takes 2d_array",
                "type=2d_array, or leave the type out",
            ],
        ),
        (
            "3d",
            "image:size=4x4x2:type=2d_array",
            "E0642",
            &["the kernel takes 3d"],
        ),
        (
            "1d",
            "image:size=4:type=1d_buffer",
            "E0642",
            &["the kernel takes 1d"],
        ),
        (
            "2d_depth",
            "image:size=4x4:type=2d",
            "E0642",
            &["order RGBA", "one channel, of order DEPTH"],
        ),
        (
            "2d",
            "image:size=4x4:type=2d_depth",
            "E0642",
            &["for colours, not for depths"],
        ),
        (
            "1d",
            "image:size=4x4",
            "E0642",
            &[
                "an image of type 1d has 1 size",
                "requires an image of type 1d",
            ],
        ),
        (
            "3d",
            "buffer:size=4",
            "E0642",
            &["is a buffer, the kernel takes an image"],
        ),
        (
            "2d_msaa",
            "image:size=4x4",
            "N0640",
            &["an image of type 2d_msaa, which is not modelled"],
        ),
    ] {
        let told = run(kind, given, 2);
        holds(&told, &[code]);
        holds(&told, words);
    }
    // What is proposed for a missing one can be given.
    std::fs::write(folder.path().join("texels.bin"), [0; 64 * 48 * 4 * 4]).expect("written");
    for (kind, wanted) in [
        ("buffer", "image:size=64:in=texels.bin"),
        ("3d", "image:size=64x48x4:in=texels.bin"),
        ("2d", "image:in.png"),
    ] {
        let told = run(kind, "int:5", 2);
        holds(&told, &["is a value, the kernel takes an image", wanted]);
    }
    run("3d", "image:size=64x48x4:in=texels.bin", 0);
    // What a launch file says is held as well, and may leave the type out.
    std::fs::write(folder.path().join("k.zeinfo"), described("1d_array")).expect("written");
    for (image, code, words) in [
        (r#""width": 4, "layers": 3"#, 0, &[][..]),
        (r#""width": 4, "layers": 3, "height": 1"#, 0, &[]),
        (
            r#""type": "2d_array", "width": 4, "height": 2, "layers": 3"#,
            2,
            &["E0642", "the kernel takes 1d_array"],
        ),
        (
            r#""type": "2d_array", "width": 4, "layers": 3"#,
            2,
            &["E0644", "`height` of the image is missing"],
        ),
        (
            r#""width": 4"#,
            2,
            &[
                "E0644",
                "`layers` of the image is missing: it is of type 1d_array",
                "argument 1",
            ],
        ),
        (
            r#""width": 4, "layers": 3, "height": 2"#,
            2,
            &["E0644", "an image of type 1d_array has no `height`"],
        ),
        (
            r#""layers": 3"#,
            2,
            &["E0644", "`width` of the image is missing"],
        ),
    ] {
        let image = format!(r#"{{"order": "R", "channel": "FLOAT", {image}}}"#);
        let args =
            format!(r#"{{"kind": "buffer", "bytes": 32}}, {{"kind": "image", "image": {image}}}"#);
        let json = format!(r#"{{"global_size": [8], "args": [{args}]}}"#);
        std::fs::write(folder.path().join("l.json"), json).expect("written");
        let run = ["run", "k.visaasm", "--launch", "l.json"];
        holds(&said(&folder, &run, code), words);
    }
}

#[test]
fn a_group_size_that_was_compiled_in_is_kept_by_fixes() {
    let asks = "      required_work_group_size: [16, 1, 1]\n";
    let folder = folder(&[("k.visaasm", &writes("")), ("k.zeinfo", &zeinfo(8, asks))]);
    let run = |sizes: &[&str]| {
        let run = ["run", "k.visaasm", "--arg", "out=buffer:size=32"];
        said(&folder, &[&run[..], sizes].concat(), 2)
    };
    for (sizes, words) in [
        (
            &["--global", "1"][..],
            &[
                "1 work-item cannot be split into groups of 16",
                "--global 16\n",
            ][..],
        ),
        (
            &["--global", "40"],
            &[
                "40 work-items",
                "for groups of 16 and takes no others",
                "--global 32, or --global 48",
            ],
        ),
        (&["--global", "40x2"], &["--global 32x2, or --global 48x2"]),
        (&["--global", "16x0"], &["0 work-items", "--global 16x1\n"]),
        (
            &["--global", "32", "--local", "8"],
            &["groups of 8 for this kernel", "--local 16, or leave"],
        ),
    ] {
        let told = run(sizes);
        holds(&told, &["E0641"]);
        holds(&told, words);
    }
    // What is proposed works.
    let run = [
        "run",
        "k.visaasm",
        "--arg",
        "out=buffer:size=32",
        "--global",
        "32x2",
        "--local",
        "16x1",
    ];
    said(&folder, &run, 0);
}

/// Mistakes in options: each names the option or argument, and what would do.
#[test]
fn mistyped_options_of_a_launch_are_told_with_what_would_do() {
    let folder = folder(&[("k.visaasm", &writes("")), ("k.zeinfo", &zeinfo(8, ""))]);
    let told = |more: &[&str]| said(&folder, &[&["run", "k.visaasm"], more].concat(), 2);
    let sizes: [(&[&str], &[&str]); 8] = [
        (
            &["--global", "8*4"],
            &["`8*4` is not a size", "--global 64x48"],
        ),
        (&["--global", "8X4"], &["`8X4` is not a size"]),
        (&["--global", "8x4x1x1"], &["one to three numbers"]),
        (&["--global", "99999999999"], &["at most 32 bits"]),
        (
            &["--global", "8", "--local", "x8"],
            &["`x8`", "--local 64x48"],
        ),
        (
            &["--global", "8", "--offset", "1,a"],
            &["`1,a`", "--offset 64x48"],
        ),
        (
            &["--global", "8", "--local", "8x2"],
            &[
                "1 work-item cannot be split into groups of 2",
                "--local 8x1\n",
            ],
        ),
        (
            &["--global", "8192", "--local", "8192"],
            &["at most 4096 are possible", "a smaller --local"],
        ),
    ];
    for (options, words) in sizes {
        let told = told(&[&["--arg", "out=buffer:size=32"], options].concat());
        holds(&told, &["E0641"]);
        holds(&told, words);
    }
    let arguments: [(&str, &[&str]); 12] = [
        (
            "out=buffer:sze=32",
            &["E0642", "`sze=32`", "did you mean size=?"],
        ),
        (
            "out=buffer:size=32KB",
            &["E0642", "`32KB` is not a number of bytes"],
        ),
        (
            "out=image:size=4x4:tpye=2d",
            &["E0642", "did you mean type=?"],
        ),
        ("out=image:size=4x4:type=2D", &["E0644", "did you mean 2d?"]),
        (
            "out=image:size=4x4:order=rgba",
            &["E0644", "did you mean RGBA?"],
        ),
        (
            "out=image:size=4x4:channel=X",
            &["E0644", "one of SNORM_INT8"],
        ),
        (
            "out=image:size=4",
            &["E0642", "an image of type 2d has 2 sizes", "size=4x1"],
        ),
        (
            "out=image:o.jpg:size=4x4",
            &["E0642", "not written as .jpg", "o.png"],
        ),
        (
            "out=float4",
            &["E0642", "`float4` has no value", "float4:1,2,3,4"],
        ),
        (
            "out=float2:1:2",
            &["E0642", "`1:2` is not a float", "float2:1,2"],
        ),
        (
            "out=flaot2:1,2",
            &["E0642", "`flaot2`", "did you mean float2?"],
        ),
        ("out=image:photo.tga", &["E0642", ".png", "`size=`"]),
    ];
    for (argument, words) in arguments {
        holds(&told(&["--global", "8", "--arg", argument]), words);
    }
    std::fs::write(folder.path().join("k.ar"), "!<arch>\npad_0/").expect("written");
    let archive = told(&["--global", "8", "--zebin", "k.ar"]);
    holds(
        &archive,
        &["E0640", "no program for a GPU of Intel", "ocloc wrote"],
    );
    // A description of another kernel, or of none.
    for (text, words) in [
        (
            zeinfo(8, "").replace("name: k\n", "name: other\n"),
            "its kernels: other",
        ),
        (
            zeinfo(8, "").replace("- name: k\n", "- nme: k\n"),
            "describes no kernel at all",
        ),
        (
            zeinfo(8, "").replace("buffer_address", "buffer_adress"),
            "did you mean `buffer_address`?",
        ),
        (
            zeinfo(8, "").replace("offset: 32", "ofset: 32"),
            "`buffer_address` of the payload has no `offset`",
        ),
    ] {
        std::fs::write(folder.path().join("d.zeinfo"), text).expect("written");
        let told = told(&["--global", "8", "--zebin", "d.zeinfo"]);
        holds(&told, &["in d.zeinfo", words]);
    }
}

/// Mistakes in a launch file that have nothing to do with its syntax.
#[test]
fn mistakes_in_a_launch_file_are_told_before_anything_runs() {
    let folder = folder(&[
        ("k.visaasm", &writes("")),
        ("k.zeinfo", &zeinfo(8, "")),
        ("o.bin", "12345678"),
    ]);
    let device = |more: &str| {
        format!(
            r#""devices": {{"skl": {{"visaasm": "k.visaasm", "simd": 8, "local_ids": true, {more}}}}}"#
        )
    };
    let payload = r#""payload": [{"kind": "buffer_adress", "offset": 32, "size": 8}]"#;
    let cases: [(&str, &str, &[&str]); 11] = [
        (
            r#"{"kind": "buffer", "bytes": 0}"#,
            "",
            &["E0642", "a buffer has 1 byte at least"],
        ),
        (
            r#"{"kind": "local", "size": 0}"#,
            "",
            &["E0642", "local memory has 1 byte at least"],
        ),
        (
            r#"{"kind": "local"}"#,
            "",
            &["E0642", "`size` is missing, the bytes of local memory"],
        ),
        (
            r#"{"kind": "local", "size": 8}"#,
            r#""outputs": [{"arg": 0, "file": "o.bin", "dtype": "u8"}]"#,
            &["E0640", "argument 0 is of kind local"],
        ),
        (
            "",
            r#""outputs": [{"arg": 0, "file": "p.bin", "dtype": "u8"}]"#,
            &["E0702", "p.bin", "what output 0 of the launch expects"],
        ),
        (
            "",
            r#""outputs": [{"arg": 0, "file": "o.bin", "dtype": "u8", "compare": {"mod": "exact"}}]"#,
            &["E0640", "did you mean `mode`?"],
        ),
        (
            "",
            r#""devices": {"sky": {"visaasm": "k.visaasm"}}"#,
            &[
                "E0645",
                "does not know the platform `sky`",
                "did you mean skl?",
            ],
        ),
        (
            "",
            &device(r#""cros_thread_base": 128"#),
            &[
                "E0640",
                "not a field of device skl",
                "did you mean `cross_thread_base`?",
            ],
        ),
        (
            "",
            &device(r#""payload": [{"kind": "work_dim", "ofset": 32, "size": 8}]"#),
            &[
                "E0640",
                "`payload` 0 of device skl",
                "did you mean `offset`?",
            ],
        ),
        (
            "",
            &device(payload),
            &["N0640", "did you mean `buffer_address`?", "device skl"],
        ),
        (
            "",
            &device(r#""surfaces": [{"bti": 0, "kind": "buffr"}]"#),
            &["E0640", "`buffr` is not a kind of surface"],
        ),
    ];
    for (argument, more, words) in cases {
        let argument = if argument.is_empty() {
            r#"{"kind": "buffer", "bytes": 8}"#
        } else {
            argument
        };
        let comma = if more.is_empty() { "" } else { ", " };
        let json = format!(r#"{{"global_size": [8], "args": [{argument}]{comma}{more}}}"#);
        std::fs::write(folder.path().join("l.json"), json).expect("written");
        holds(
            &said(&folder, &["run", "k.visaasm", "--launch", "l.json"], 2),
            words,
        );
    }
}

/// A description that was cut off says nothing of an index that the text uses.
#[test]
fn a_surface_that_no_description_knows_is_told_as_such() {
    let body = "    movs (M1_NM, 1) T6(0) 0x7:ud\n    mov (M1, 8) O(0,0)<1> 0x0:ud\n    \
                scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 O.0";
    let folder = folder(&[("k.visaasm", &writes(body)), ("k.zeinfo", &zeinfo(8, ""))]);
    let run = [
        "run",
        "k.visaasm",
        "--global",
        "8",
        "--arg",
        "out=buffer:size=32",
    ];
    holds(
        &said(&folder, &run, 1),
        &[
            "E0603",
            "the compiler's description has no argument at this index",
        ],
    );
}

/// Of several kernels in a text the one that a launch names is run.
#[test]
fn a_launch_runs_the_kernel_that_it_names() {
    let second = writes("").replace("\"k\"", "\"other\"");
    let second = second.replace(".version 4.1\n", "");
    let text = writes("").replace(".input P offset=160 size=8\n", "") + &second;
    let zeinfo = zeinfo(8, "").replace("name: k\n", "name: other\n");
    let json =
        r#"{"kernel": "other", "global_size": [8], "args": [{"kind": "buffer", "bytes": 32}]}"#;
    let folder = folder(&[
        ("k.visaasm", &text),
        ("k.zeinfo", &zeinfo),
        ("l.json", json),
    ]);
    let told = said(
        &folder,
        &["run", "k.visaasm", "--launch", "l.json", "--format", "json"],
        0,
    );
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["kernel"], "other");
}
