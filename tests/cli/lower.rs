//! `visim lower` and `visim decode` from the outside: JSON that compares by plain difference, text for
//! people, the switch between releases of the finalizer.

use pretty_assertions::assert_eq;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn visim(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    command.args(words).output().expect("visim starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus/lowering")
        .join(name)
}

/// Why a line of ours is not the corpus's: what no rule of the reference states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// Nothing but what the disassembler remarks beside a send.
    Remark,
    /// Native instructions of math are with the registers the finalizer gave out.
    Registers,
    /// What lay in a register that the program does not fill: `stale:`.
    Stale,
    /// The corpus counts a split instruction of math to the one before.
    Split,
}

/// Why the lowered text of a case is not the recorded one; nothing if it is, line by line.
fn reason(got: &str, wanted: &str) -> Result<Option<Reason>, String> {
    if got == wanted {
        return Ok(None);
    }
    let plain = |json: &str| -> Vec<String> {
        // The corpus does not name the release, which is the same for all of it.
        let ours = ["\"comment\": ", "\"finalizer\": "];
        let lines = json
            .lines()
            .filter(|l| !ours.iter().any(|key| l.contains(key)));
        lines.map(str::to_string).collect()
    };
    let (ours, theirs) = (plain(got), plain(wanted));
    if wanted.contains("\"instructions\": []") {
        return Ok(Some(Reason::Split));
    }
    if ours == theirs {
        return Ok(Some(Reason::Remark));
    }
    if wanted.contains("\"native\"") {
        let other: Vec<&String> = ours.iter().filter(|l| !theirs.contains(l)).collect();
        let native =
            |l: &&String| l.contains("\"native\"") || l.trim_start().starts_with("\"math.");
        return match other.iter().all(native) {
            true => Ok(Some(Reason::Registers)),
            false => Err(format!("{other:?}")),
        };
    }
    let pairs = || theirs.iter().zip(&ours).filter(|(a, b)| a != b);
    match ours.len() == theirs.len() && pairs().all(|(a, _)| a.contains("stale:")) {
        true => Ok(Some(Reason::Stale)),
        false => Err(format!("{:?}", pairs().collect::<Vec<_>>())),
    }
}

/// Every file of the corpus that has a text, counted by what sets it apart.
#[test]
fn json_compares_with_the_corpus_by_plain_difference() {
    let mut counts: BTreeMap<Option<Reason>, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in recorded() {
        let wanted = std::fs::read_to_string(&path).expect("a readable file");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut words = name.rsplit('.').skip(1);
        let (platform, case) = (words.next().unwrap_or_default(), words.next());
        let file = path.with_file_name(format!("{}.visaasm", case.unwrap_or_default()));
        if !file.exists() {
            continue;
        }
        let file = file.to_string_lossy();
        let mut command = vec![
            "--format",
            "json",
            "lower",
            "--allow-removed",
            "--platform",
            platform,
            &file,
        ];
        command.extend(file.ends_with("eot.visaasm").then_some("--eot"));
        match reason(&said(&visim(&command)), &wanted) {
            Ok(reason) => *counts.entry(reason).or_default() += 1,
            Err(lines) => wrong.push(format!("{name}: {lines}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let expected = [
        (Some(Reason::Remark), 909),
        (Some(Reason::Registers), 39),
        (Some(Reason::Stale), 4),
        (Some(Reason::Split), 1),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
}

/// The recorded files: `<group>/<case>.<PLATFORM>.json`.
fn recorded() -> Vec<PathBuf> {
    let folder = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).expect("a folder of the corpus");
        let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        paths.sort();
        paths
    };
    let groups = folder(&corpus("")).into_iter().filter(|p| p.is_dir());
    let files = groups.flat_map(|group| folder(&group));
    files
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .collect()
}

#[test]
fn a_descriptor_is_taken_apart_by_hand() {
    let output = visim(&["decode", "0x02490000", "0xC"]);
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("31:29 28:25 24:20 19 18:14"), "{text}");
    assert!(text.contains("18:14  message type"), "{text}");
    assert!(
        text.contains("request (1+0 registers out, 4 back"),
        "{text}"
    );
}

#[test]
fn bits_that_mean_nothing_are_named() {
    let output = visim(&["decode", "0x82490000", "0xC"]);
    assert_eq!(output.status.code(), Some(1));
    let text = said(&output);
    assert!(
        text.contains("no request: bit 31 of message descriptor"),
        "{text}"
    );
    let output = visim(&["decode", "0x02490000", "0x8000000C"]);
    let text = said(&output);
    assert!(
        text.contains("no request: bit 31 of extended descriptor"),
        "{text}"
    );
}

#[test]
fn a_word_that_may_be_read_two_ways_is_asked_for_again() {
    for (word, wanted) in [
        (
            "02490000",
            "write 0x02490000 if it is hexadecimal, 0x25fe90 if it is decimal",
        ),
        (
            "12",
            "write 0x12 if it is hexadecimal, 0xc if it is decimal",
        ),
        ("0249000c", "write 0x0249000c"),
        ("c", "write 0xc"),
        ("0x102490000", "expected a 32-bit number"),
        ("0x+2", "expected a 32-bit number"),
        ("", "expected a 32-bit number"),
    ] {
        let output = visim(&["decode", "0x02490000", word]);
        assert_eq!(output.status.code(), Some(2), "{word}");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.contains(wanted), "{word}: {errors}");
    }
    assert!(visim(&["decode", "0x02427005", "2"]).status.success());
}

#[test]
fn a_receiver_that_is_left_out_is_looked_for() {
    for (platform, ex_desc, wanted) in [
        (
            "dg2",
            "0x0",
            "  with 0xc, to dc1: untyped: surface 5, access write",
        ),
        (
            "skl",
            "0x40",
            "  with 0x4c, to dc1: untyped: surface 5, access write",
        ),
    ] {
        let arguments = ["decode", "0x02026e05", ex_desc, "--platform", platform];
        let text = said(&visim(&arguments));
        assert!(text.contains("no request: "), "{text}");
        assert!(text.contains(wanted), "{text}");
        assert!(
            text.contains("low four bits of the extended descriptor"),
            "{text}"
        );
    }
    let text = said(&visim(&["decode", "0x3ff00000", "0x0"]));
    assert!(text.contains("no other knows this message"), "{text}");
    let json = said(&visim(&["decode", "0x02026e05", "0x0", "--format", "json"]));
    assert!(json.contains("{\"receiver\":\"dc1\""), "{json}");
}

#[test]
fn lengths_that_do_not_fit_are_told_on_ironlake_too() {
    // DWord scattered read of eight lanes: header and offsets out, a register back (lowering reference 18.5).
    let text = said(&visim(&[
        "decode",
        "0x06287200",
        "0x4",
        "--platform",
        "ilk",
    ]));
    assert!(
        text.contains("it has 2 registers out, the descriptor counts 3"),
        "{text}"
    );
    assert!(
        text.contains("it has 1 register back, the descriptor counts 2"),
        "{text}"
    );
    // Two operands of `pow`, sent one.
    let text = said(&visim(&[
        "decode",
        "0x0210000a",
        "0x1",
        "--platform",
        "ilk",
    ]));
    assert!(
        text.contains("it has 2 registers out, the descriptor counts 1"),
        "{text}"
    );
    let text = said(&visim(&[
        "decode",
        "0x04187200",
        "0x4",
        "--platform",
        "ilk",
    ]));
    assert!(!text.contains("it has"), "{text}");
}

#[test]
fn people_see_the_ruler_and_the_fields_of_the_header() {
    let file = std::env::temp_dir().join(format!("visim-lower-{}.visa", std::process::id()));
    let text = ".version 4.1
.kernel \"k\"
.decl V34 v_type=G type=ub num_elts=256 align=GRF
.decl F0 v_type=G type=f num_elts=64 align=GRF
.decl A0 v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
movs (M1_NM, 1) T6(0) 0x5:ud
media_ld.nomod (4,2) T6 1 0x8:ud 0x2:ud V34.0
(!P1.all) load_lz.R (M5, 8) 0x0:uw T6 F0.0 A0.0
sqrt (M1, 8) F0(0,0)<1> F0(0,0)<8;8,1>
ret (M1, 1)
";
    std::fs::write(&file, text).expect("a file can be written");
    let path = file.to_string_lossy().into_owned();
    let shown = said(&visim(&["lower", &path]));
    for wanted in [
        "release 1.0.12504 of Intel's finalizer, as `.version` and platform suggest",
        "media_ld.nomod (4,2) T6 1 0x8:ud 0x2:ud V34.0\n(W) send (8|M0) to dc1: 1 + 0 registers",
        "(~f0.0.all8h) send (8|M16) to sampler: 1 + 0 registers",
        "function control       0x10006",
        "30 29 28:25 24:20 19",
        "M0.2  0x10003",
        "21:16  height-1",
        "write-back  V34[0..7]=S0[0..7]",
        "math.sqt (8|M0)",
    ] {
        assert!(shown.contains(wanted), "no `{wanted}` in\n{shown}");
    }
    // Later releases write whole registers (lowering reference 20).
    let later = said(&visim(&["lower", "--compat", "2.40", &path]));
    assert!(
        later.contains("write-back  V34[0..31]=S0[0..31]"),
        "{later}"
    );
    std::fs::remove_file(&file).expect("it was written");
}

/// What releases differ in, as both were seen to print it. Source: Xe2 reference 2.
#[test]
fn releases_differ_where_they_were_seen_to() {
    let block = "media_ld.nomod (5,3) T6 0 0x0:ud 0x0:ud V34.0";
    let words = "media_ld.nomod (5,3) T6 0 0x0:ud 0x0:ud W0.0";
    let bindless = "media_ld.nomod (16,2) %bss 1 0x0:ud 0x0:ud V34.0";
    let masked = "gather4_scaled.R (M5_NM, 8) T6 0x0:ud A0.0 V34.0";
    let under = "(P1) gather4_scaled.R (M5_NM, 16) T6 0x0:ud A0.0 V34.0";
    let load = "svm_block_ld (2) A0(0,0)<0;1,0> V34.0";
    let store = "svm_block_st (2) A0(0,0)<0;1,0> V34.0";
    for (platform, statement, key, first, later) in [
        ("skl", block, "mnemonic", "\"send\"", "\"sends\""),
        ("tgl", block, "mnemonic", "\"send.dc1\"", "\"send.dc1\""),
        ("tgl", block, "dst", "\"temp\"", "\"V34+0\""),
        ("tgl", words, "exec_size", "8", "16"),
        (
            "tgl",
            bindless,
            "desc_fixed_bits",
            "\"0x02190001\"",
            "\"0x021900FC\"",
        ),
        ("tgl", masked, "mask_offset", "\"M16\"", "\"M0\""),
        ("skl", under, "mask_offset", "\"M16\"", "\"M16\""),
        ("pvc", load, "desc", "\"0x021D02FF\"", "\"0x021D0AFF\""),
        ("skl", store, "desc", "\"0x020D42FF\"", "\"0x020D42FF\""),
        (
            "dg2",
            "fence_global",
            "desc",
            "\"0x0210171F\"",
            "\"0x0210161F\"",
        ),
        (
            "pvc",
            "fence_global",
            "desc",
            "\"0x0210071F\"",
            "\"0x0210061F\"",
        ),
        (
            "dg2",
            "lsc_fence.ugm.invalidate.gpu",
            "desc",
            "\"0x0210271F\"",
            "\"0x0210261F\"",
        ),
        ("skl", "ret (M1, 1)", "exec_size", "8", "1"),
    ] {
        for (release, wanted) in [("1.0.12504", first), ("1.0.17791", later), ("2.40", later)] {
            let send = first_send_of("release", platform, statement, &["--compat", release]);
            assert_eq!(
                send[key].to_string(),
                wanted,
                "{release} {platform} {statement}"
            );
        }
    }
}

/// Up to Gen8 a response without a header has four channels: every other set has a header, in a run as well.
/// Source: lowering reference 3.4; seen in the finalizer.
#[test]
fn gen8_has_a_header_for_every_channel_set_but_the_full_one() {
    for (platform, channels, wanted) in [
        ("bdw", "R", "0x061A7000"),
        ("bdw", "RGB", "0x063A7000"),
        ("bdw", "RGBA", "0x04427000"),
        ("skl", "RGB", "0x04327000"),
    ] {
        let statement = format!("load_3d.{channels} (M1, 8) 0x0:uw T6 V34.0 A0.0 A0.32");
        let send = first_send("gen8", platform, &statement);
        assert_eq!(
            send["desc_fixed_bits"], wanted,
            "{platform} {channels}: {send}"
        );
    }
}

/// A program of sends holds messages already.
#[test]
fn programs_of_sends_are_not_lowered() {
    let done = visim(&["lower", "tests/cases/sends/gateway.send"]);
    assert!(!done.status.success());
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(
        complaint.contains("visim explain tests/cases/sends/gateway.send:LINE"),
        "{complaint}"
    );
}

/// A file of its own with these statements; the name goes into the file's.
fn program(name: &str, statements: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("visim-{name}-{}.visa", std::process::id()));
    let text = format!(
        ".version 4.1
.kernel \"k\"
.decl V34 v_type=G type=ud num_elts=64 align=GRF
.decl A0 v_type=G type=ud num_elts=64 align=GRF
.decl F0 v_type=G type=f num_elts=64 align=GRF
.decl W0 v_type=G type=uw num_elts=128 align=GRF alias=<V34,0>
.decl H0 v_type=G type=hf num_elts=128 align=GRF alias=<F0,0>
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
.decl S0 v_type=S num_elts=1
.input V34 offset=32 size=256
.input A0 offset=288 size=256
.input F0 offset=544 size=256
{statements}
ret (M1, 1)
"
    );
    std::fs::write(&file, text).expect("a file can be written");
    file
}

#[test]
fn json_keeps_the_keys_of_the_corpus_beside_warnings() {
    for (case, platform) in [
        ("raw/raw_send_regdesc", "SKL"),
        ("raw/raw_sends_regdesc", "SKL"),
        ("raw/raw_sends_regdesc", "TGLLP"),
        ("rt/rt_write_ST_M1_8_f", "SKL"),
        ("rt/rt_write_plain_M1_16_f", "PVC"),
    ] {
        let path = corpus(&format!("{case}.{platform}.json"));
        let wanted = std::fs::read_to_string(&path).expect("the case is there");
        let wanted: serde_json::Value = serde_json::from_str(&wanted).expect("it is JSON");
        let file = corpus(&format!("{case}.visaasm"));
        let file = file.to_string_lossy();
        let output = visim(&["--format", "json", "lower", "--platform", platform, &file]);
        let got: serde_json::Value = serde_json::from_str(&said(&output)).expect("it is JSON");
        let keys = |v: &serde_json::Value| -> Vec<String> {
            v.as_object()
                .into_iter()
                .flatten()
                .map(|f| f.0.clone())
                .collect()
        };
        let mut all = keys(&wanted);
        all.push("finalizer".into());
        all.sort();
        assert_eq!(keys(&got), all, "{case}");
        let (ours, theirs) = (&got["instructions"][0], &wanted["instructions"][0]);
        assert_eq!(keys(ours), keys(theirs), "{case}");
        let (ours, theirs) = (&ours["sends"][0], &theirs["sends"][0]);
        assert_eq!(keys(ours), keys(theirs), "{case}");
        for key in [
            "desc",
            "desc_fixed_bits",
            "dst",
            "ex_desc",
            "ex_message_length",
            "header_present",
            "message_length",
            "response_length",
            "sfid",
            "sfid_num",
        ] {
            assert_eq!(ours[key], theirs[key], "{case}.{platform} {key}");
        }
    }
}

#[test]
fn a_warning_about_a_lowered_program_is_on_standard_error() {
    let file = corpus("rt/rt_write_plain_M1_8_f.visaasm");
    let file = file.to_string_lossy();
    let output = visim(&["--format", "json", "lower", "--platform", "pvc", &file]);
    assert!(!said(&output).contains("diagnostics"), "{}", said(&output));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("one colour arrives"), "{errors}");
}

/// Gathers and what is reported of a surface come back even to `%null`, in the lengths the finalizer was seen to give;
/// samples and blocks do not.
#[test]
fn only_some_answers_to_null_have_no_length() {
    for (name, statement, desc) in [
        (
            "wide",
            "gather4_scaled.RGBA (M1, 16) T6 0x0:ud A0.0 %null.0",
            "0x048050",
        ),
        (
            "scaled",
            "gather_scaled.4 (M1, 8) T6 0x0:ud A0.0 %null.0",
            "0x021108",
        ),
        (
            "dwords",
            "gather.4 (M1, 8) T6 0x0:ud A0.0 %null.0",
            "0x0210C2",
        ),
        ("svm", "svm_gather.4.1 (M1, 8) V34.0 %null.0", "0x041401FF"),
        ("info", "resinfo.RGBA (M1, 8) T6 A0.0 %null.0", "0x0242A0"),
        ("load", "load_3d.R (M1, 8) 0x0:uw T6 %null.0 A0.0", "0x0202"),
    ] {
        let file = program(&format!("null-{name}"), statement);
        let output = visim(&["--format", "json", "lower", &file.to_string_lossy()]);
        let said = said(&output);
        assert!(
            said.contains(&format!("\"desc_fixed_bits\": \"{desc}")),
            "{name}: {said}"
        );
        std::fs::remove_file(&file).expect("it was written");
    }
}

/// From Gen12 on the end of a thread is the instruction's, and the bit of `raw_sends` says nothing.
#[test]
fn the_end_of_a_thread_is_where_the_platform_has_it() {
    let two = "raw_sends.7.1.0.0 (M1_NM, 8) 0x27:ud 0x02000010:ud A0.0 %null.0 %null.0";
    let one = "raw_send (M1_NM, 8) 0x27 1 0 0x02000010:ud A0.0 %null.0";
    let named = "raw_sends_eot.7.1.0.0 (M1_NM, 8) 0x7:ud 0x02000010:ud A0.0 %null.0 %null.0";
    for (platform, statement, ends) in [
        ("skl", two, true),
        ("icl", two, true),
        ("tgl", two, false),
        ("dg2", two, false),
        ("tgl", one, true),
        ("dg2", one, true),
        ("dg2", named, true),
    ] {
        let file = program(&format!("end-{platform}-{ends}"), statement);
        let path = file.to_string_lossy().into_owned();
        let words = [
            "--format",
            "json",
            "lower",
            "--eot",
            "--platform",
            platform,
            &path,
        ];
        let unit: serde_json::Value =
            serde_json::from_str(&said(&visim(&words))).expect("it is JSON");
        let send = &unit["instructions"][0]["sends"][0];
        assert_eq!(send["eot"], ends, "{platform}: {statement}");
        std::fs::remove_file(&file).expect("it was written");
    }
}

/// Up to Gen12 the second length of the text joins that of a constant extended descriptor; both as the
/// finalizer prints them.
#[test]
fn the_second_length_of_raw_sends_is_put_into_the_extended_descriptor() {
    for (platform, word, ex_desc, length) in [
        ("icl", "0xc", "0x0000008C", 2),
        ("icl", "0x4c", "0x000000CC", 3),
        ("tgl", "0xc", "0x00000080", 2),
        ("tgl", "0x4c", "0x000000C0", 3),
        ("dg2", "0xc", "0x00000000", 2),
    ] {
        let statement =
            format!("raw_sends.12.1.2.0 (M1_NM, 8) {word}:ud 0x02025c05:ud A0.0 V34.0 %null.0");
        let file = program(&format!("second-{platform}-{word}"), &statement);
        let path = file.to_string_lossy().into_owned();
        let output = visim(&["--format", "json", "lower", "--platform", platform, &path]);
        let unit: serde_json::Value = serde_json::from_str(&said(&output)).expect("it is JSON");
        let send = &unit["instructions"][0]["sends"][0];
        assert_eq!(send["ex_desc"], ex_desc, "{platform}: {word}");
        assert_eq!(send["ex_message_length"], length, "{platform}: {word}");
        std::fs::remove_file(&file).expect("it was written");
    }
}

#[test]
fn raw_sends_lower_on_ironlake() {
    let file = program(
        "raw",
        "raw_send (M1_NM, 8) 0x4 1 1 0x02186000:ud A0.0 V34.0",
    );
    let output = visim(&["lower", "--platform", "ilk", &file.to_string_lossy()]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said(&output).contains("0x02186000"),
        "{}{errors}",
        said(&output)
    );
    std::fs::remove_file(&file).expect("it was written");
}

/// What `visim lower --format json` makes of the first send of a statement.
fn first_send(name: &str, platform: &str, statement: &str) -> serde_json::Value {
    first_send_of(name, platform, statement, &[])
}

/// The same with options of its own.
fn first_send_of(
    name: &str,
    platform: &str,
    statement: &str,
    options: &[&str],
) -> serde_json::Value {
    let file = program(name, statement);
    let path = file.to_string_lossy().into_owned();
    let mut words = vec![
        "--format",
        "json",
        "lower",
        "--eot",
        "--platform",
        platform,
        &path,
    ];
    words.extend(options);
    let output = visim(&words);
    std::fs::remove_file(&file).expect("it was written");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let unit: serde_json::Value =
        serde_json::from_str(&said(&output)).unwrap_or_else(|why| panic!("{why}: {errors}"));
    unit["instructions"][0]["sends"][0].clone()
}

/// The flag keeps its width, whatever the lanes of the message are. Source: lowering reference 1.7.
#[test]
fn any_and_all_of_a_flag_stand_on_the_send_with_the_width_of_the_flag() {
    for (platform, guard, lanes, wanted) in [
        ("skl", "P1", 16, "f0.0"),
        ("skl", "P1.any", 16, "f0.0.any16h"),
        ("skl", "!P1.all", 16, "~f0.0.all16h"),
        ("tgl", "P1.any", 8, "f0.0.any16h"),
        ("pvc", "!P1.all", 16, "~f0.0.all"),
        ("pvc", "P1.any", 8, "f0.0"),
    ] {
        let scatter = "scatter4_scaled.R";
        let statement = format!("({guard}) {scatter} (M1, {lanes}) T6 0x0:ud A0.0 V34.0");
        let send = first_send("guarded", platform, &statement);
        assert_eq!(send["predicate"], wanted, "{platform} {statement}");
    }
}

/// Small things that the finalizer was seen to do.
#[test]
fn messages_are_the_finalizer_s_in_the_small_too() {
    for (platform, statement, key, wanted) in [
        // The instruction that ends the thread sets the bit of the descriptor.
        (
            "skl",
            "raw_sends_eot.7.1.1.0 (M1_NM, 8) 0x47:ud 0x2000010:ud A0.0 A0.32 %null.0",
            "ex_desc",
            "0x00000067",
        ),
        (
            "tgl",
            "raw_sends_eot.7.1.1.0 (M1_NM, 8) 0x47:ud 0x2000010:ud A0.0 A0.32 %null.0",
            "ex_desc",
            "0x00000040",
        ),
        (
            "dg2",
            "raw_sends.12.1.1.0 (M1, 8) A0(0,0)<0;1,0> 0x2026e06:ud A0.0 A0.32 %null.0",
            "options",
            "ExBSO",
        ),
        // Two sources also where part of a register counts as none.
        (
            "skl",
            "scatter.4 (M1, 1) %slm 0x0:ud A0.0 A0.32",
            "mnemonic",
            "sends",
        ),
        // The handle of a bindless surface is added to the descriptor, and nothing to the other.
        (
            "skl",
            "avs.R %bss S0 0.0:f 0.0:f 0.5:f 0.5:f 0.0:f 0:ud 0:ud AVS_8_FULL 0.0:f AVS_16x4 0:ub W0.0",
            "ex_desc",
            "0x00000002",
        ),
        (
            "skl",
            "media_ld.nomod (4,4) %scratch 2 0x0:ud 0x0:ud V34.0",
            "desc",
            "0x021900FF",
        ),
        // An absent parameter has its register, and all go together.
        (
            "skl",
            "load_3d.RG (M1, 8) 0x0:uw T6 V34.0 A0.0 %null.0 A0.32",
            "desc_fixed_bits",
            "0x06227000",
        ),
    ] {
        let send = first_send("small", platform, statement);
        assert_eq!(send[key], wanted, "{platform} {statement}: {send}");
    }
}

/// The second slot group is that of lanes 16 to 31 as one. Source: lowering reference 14.
#[test]
fn a_target_write_of_the_last_lanes_names_the_first_slot_group() {
    for (mask, wanted) in [
        ("M1", "0x08030400"),
        ("M5", "0x08030C00"),
        ("M7", "0x08030400"),
    ] {
        let statement = format!("rt_write_3d ({mask}, 8) T6 A0.0 F0.0 F0.0 F0.0 F0.0");
        assert_eq!(
            first_send("slots", "skl", &statement)["desc_fixed_bits"],
            wanted,
            "{mask}"
        );
    }
}

/// Bytes of the operand's type are counted. Source: lowering reference 13.
#[test]
fn a_scatter_of_small_elements_sends_less_than_its_blocks() {
    for (statement, wanted) in [
        ("svm_scatter.1.8 (M1, 8) A0.0 V34.0", 1),
        ("svm_scatter.1.8 (M1, 16) A0.0 V34.0", 2),
        ("svm_scatter.8.1 (M1, 8) A0.0 V34.0", 1),
        ("svm_scatter.1.4 (M1, 16) A0.0 W0.0", 1),
    ] {
        let send = first_send("scatter", "skl", statement);
        assert_eq!(send["ex_message_length"], wanted, "{statement}");
    }
}

/// Two registers of header, colours of slots 0 to 7, then of slots 8 to 15. Source: PRM 5.10.7.10.
#[test]
fn a_render_target_write_on_ironlake_has_its_own_order() {
    let send = first_send(
        "target-16",
        "ilk",
        "(!P1) rt_write_3d.<LRTW><Z> (M1, 16) T6 A0.0 F0.0 F0.64 %null.0 F0.192 A0.64",
    );
    assert_eq!(send["desc_fixed_bits"], "0x18084800");
    assert_eq!(send["ex_desc"], "0x00000005");
    assert_eq!(send["header"][0], "and(r0.0,or(not(f0.0),0xFFFF0000))");
    assert_eq!(send["predicate"], serde_json::Value::Null);
    let payload = [
        "src0: A0[0..23] | or(A0+24,0x20000000) | A0[28..31]",
        "src0: F0[0..31]",
        "src0: F0[64..95]",
        "src0: undef*32B",
        "src0: F0[192..223]",
        "src0: F0[32..63]",
        "src0: F0[96..127]",
        "src0: undef*32B",
        "src0: F0[224..255]",
        "src0: A0[64..95]",
        "src0: A0[96..127]",
    ];
    assert_eq!(send["payload"], serde_json::json!(payload));
    let send = first_send(
        "target-8",
        "ilk",
        "rt_write_3d (M1, 8) T6 A0.0 F0.0 F0.32 F0.64 F0.96",
    );
    assert_eq!(send["desc_fixed_bits"], "0x0C084400");
    assert_eq!(send["payload"][4], "src0: F0[96..127]");
    // Slots 8 to 15 have no message of eight.
    let send = first_send(
        "target-high",
        "ilk",
        "rt_write_3d (M3, 8) T6 A0.0 F0.0 F0.32 F0.64 F0.96",
    );
    assert_eq!(send["desc_fixed_bits"], "0x14084000");
    assert_eq!(send["header"][0], "and(r0.0,0xFFFFFF00)");
    assert_eq!(send["payload"][1], "src0: undef*32B");
    assert_eq!(send["payload"][5], "src0: F0[0..31]");
}

/// Lanes 0 to 7 enable the dwords of the first and third register, 8 to 15 those of the second and fourth.
/// Source: PRM 5.10.3, "Execution Mask".
#[test]
fn blocks_of_four_and_eight_owords_have_sixteen_lanes_on_ironlake() {
    for (owords, lanes) in [(2, 8), (4, 16), (8, 16)] {
        for access in ["oword_ld", "oword_st"] {
            let statement = format!("{access} ({owords}) T6 0x0:ud F0.0");
            let send = first_send(&format!("{access}-{owords}"), "ilk", &statement);
            assert_eq!(send["exec_size"], lanes, "{statement}: {send}");
        }
    }
}

/// What Ironlake has in 32 bits only is converted around the message. Source: lowering reference 18.3.
#[test]
fn sixteen_bits_are_converted_around_the_messages_of_ironlake() {
    let statement = "load_3d.RG (M1, 8) 0x0:uw T6 W0.0 H0.0 W0.32";
    let send = first_send("narrow", "ilk", statement);
    let lanes = |name: &str, f: &str, at: u32| {
        let lane = |i: u32| format!("{f}({name}+{}:uw)", at + 2 * i);
        let lanes: Vec<String> = (0..8).map(lane).collect();
        format!("src0: {}", lanes.join(" | "))
    };
    let payload = [lanes("F0", "f_from_hf", 0), lanes("V34", "uw", 32)];
    assert_eq!(send["payload"], serde_json::json!(payload));
    assert_eq!(send["response_length"], 4);
    assert_eq!(send["dst"], "temp");
}

/// What the references state of the load/store pipe: its fences. Other messages are refused by name.
#[test]
fn fences_of_the_load_store_pipe_lower() {
    for (name, statement, desc, sfid) in [
        ("ugm", "lsc_fence.ugm.invalidate.gpu", "0x0210271F", "ugm"),
        (
            "ugml",
            "lsc_fence.ugml.flushl3.sysacq",
            "0x02105D1F",
            "ugml",
        ),
        ("tgm", "lsc_fence.tgm.evict.gpu", "0x0210171F", "tgm"),
        ("slm", "lsc_fence.slm.none.group", "0x0210011F", "slm"),
    ] {
        let send = first_send(name, "pvc", statement);
        assert_eq!((&send["desc"], &send["sfid"]), (&desc.into(), &sfid.into()));
    }
    let send = first_send("load", "dg2", "lsc_load.ugm (M1, 16) V34:d32 flat[A0]:a32");
    assert_eq!(send["desc"], "0x04200500");
    let file = program(
        "status",
        "lsc_load_status.ugm (M1, 16) V34:d32 flat[A0]:a32",
    );
    let output = visim(&["lower", "--platform", "dg2", &file.to_string_lossy()]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("N0380"), "{errors}");
    assert!(errors.contains("the bits of this message"), "{errors}");
    assert!(errors.contains("Xe2 messages reference 7"), "{errors}");
    std::fs::remove_file(&file).expect("it was written");
}

/// What Ironlake has no message for is refused before anything is lowered or run.
#[test]
fn ironlake_lacks_what_its_messages_do_not_do() {
    for (name, statement, section) in [
        (
            "atomic",
            "dword_atomic.add (M1, 8) T6 A0.0 A0.32 %null.0 V34.0",
            "18.5",
        ),
        ("bytes", "gather.1 (M1, 8) T6 0x0:ud A0.0 V34.0", "18.5"),
        (
            "scaled",
            "gather_scaled.4 (M1, 8) T6 0x0:ud A0.0 V34.0",
            "18.5",
        ),
        (
            "typed",
            "gather4_typed.R (M1, 8) T6 A0.0 %null.0 %null.0 %null.0 V34.0",
            "18.5",
        ),
        (
            "gather4",
            "sample4.R (M1, 8) 0x0:uw S0 T6 F0.0 F0.32 F0.64",
            "18.3",
        ),
        (
            "null-mask",
            "load_3d.pixel_null_mask.R (M1, 8) 0x0:uw T6 V34.0 A0.0",
            "18.3",
        ),
        ("fence", "fence_global", "18"),
        (
            "two-payloads",
            "raw_sends.12.1.1.0 (M1, 8) 0x4c:ud 0x2026e06:ud A0.0 V34.0 %null.0",
            "18",
        ),
        (
            "null-target",
            "rt_write_3d.<NULLRT> (M1, 8) T6 A0.0 F0.0 F0.0 F0.0 F0.0",
            "18.6",
        ),
    ] {
        let file = program(name, statement);
        for command in ["check", "run", "lower"] {
            let output = visim(&[command, "--platform", "ilk", &file.to_string_lossy()]);
            let shown = said(&output) + &String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{command} {name}: {shown}");
            assert!(shown.contains("E0428"), "{command} {name}: {shown}");
            let wanted = format!("lowering reference {section}\n");
            assert!(shown.contains(&wanted), "{command} {name}: {shown}");
        }
        std::fs::remove_file(&file).expect("it was written");
    }
}

/// `sample` and `load` have Gen5's own parameter order: the level of a load is last.
#[test]
fn the_oldest_sampler_instructions_lower_on_ironlake() {
    let load = first_send("old-load", "ilk", "load.R (8) T6 A0.0 A0.32 A0.64 F0.0");
    assert_eq!(load["desc_fixed_bits"], "0x0A497000");
    assert_eq!(load["header"][2], "0xE000");
    assert_eq!(load["payload"][2], "src0: A0[64..95]");
    assert_eq!(load["payload"][3], "src0: 0x0*8");
    let sample = first_send(
        "old-sample",
        "ilk",
        "sample.RGBA (16) S0 T6 F0.0 F0.0 F0.0 F0.0",
    );
    assert_eq!(sample["desc_fixed_bits"], "0x128A0000");
}

#[test]
fn a_refusal_names_its_section() {
    for (name, platform, statement, section) in [
        (
            "sqrtm",
            "skl",
            "sqrtm (M1, 8) F0(0,0)<1> F0(0,0)<8;8,1>",
            "16",
        ),
        (
            "sqrtm-ilk",
            "ilk",
            "sqrtm (M1, 8) F0(0,0)<1> F0(0,0)<8;8,1>",
            "18.7",
        ),
        (
            "divm",
            "skl",
            "divm (M1, 8) F0(0,0)<1> F0(0,0)<8;8,1> F0(0,8)<8;8,1>",
            "16",
        ),
        (
            "target",
            "ilk",
            "rt_write_3d (M1, 8) T6 %null.0 F0.0 F0.0 F0.0 F0.0",
            "18.6",
        ),
    ] {
        let file = program(name, statement);
        let output = visim(&["lower", "--platform", platform, &file.to_string_lossy()]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{name}: {errors}");
        let wanted = format!("lowering reference {section}\n");
        assert!(errors.contains(&wanted), "{name}: {errors}");
        std::fs::remove_file(&file).expect("it was written");
    }
}

#[test]
fn a_raw_send_runs_by_the_bits_of_its_descriptors() {
    let run = |name: &str, statements: &str| {
        let file = program(name, statements);
        let path = file.to_string_lossy().into_owned();
        let output = visim(&["run", "--platform", "skl", &path]);
        std::fs::remove_file(&file).expect("it was written");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), errors)
    };
    // The thread ends with the first message: the second one, too short, is not reached.
    let end = "raw_send (M1_NM, 8) 0x27 1 0 0x02000010:ud A0.0 %null.0";
    let short = "raw_send (M1, 8) 0xA 1 1 0x02190000:ud A0.0 V34.0";
    let (code, errors) = run("ends", &format!("{end}\n{short}"));
    assert_eq!(code, Some(0), "{errors}");
    // Its bit counts in a register too, as long as it is the descriptor's.
    let set = "mov (M1_NM, 1) V34(0,0)<1> 0x27:ud";
    let end = "raw_sends.7.1.0.0 (M1_NM, 8) V34(0,0)<0;1,0> 0x02000010:ud A0.0 %null.0 %null.0";
    let (code, errors) = run("ends-late", &format!("{set}\n{end}\n{short}"));
    assert_eq!(code, Some(0), "{errors}");
    let (code, errors) = run("short", short);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("1 register where it takes 2"), "{errors}");
}

/// Xe3p has one descriptor of 47 bits, and the second number names the receiver.
#[test]
fn descriptors_of_47_bits_are_taken_apart() {
    let output = visim(&["decode", "0x0048C0000780", "2", "--platform", "cri"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    for line in [
        "41:38  U offset               1",
        "10:7  channels               15",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let output = visim(&["decode", "0x0048C0000780", "2", "--platform", "bmg"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("has 32 bits"), "{text}");
    let output = visim(&["decode", "0xFFFFFFFFFFFF", "2", "--platform", "cri"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("47 bits at most"), "{text}");
}

/// What the hardware has lost is refused with the option that takes it all the same.
#[test]
fn lost_instructions_run_where_they_are_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.visa");
    let text = ".version 4.2\n.kernel \"k\"\n.decl V v_type=G type=ub num_elts=64 align=GRF\n\
                .decl T6 v_type=T num_elts=1 v_name=T006\n.function \"k\"\nk:\n\
                // SURFACE T6: R8_UINT 8x4\n\
                media_ld.nomod (8,4) T6 0 0x0:ud 0x0:ud V.0\nret (M1, 1)\n";
    std::fs::write(&file, text).expect("written");
    let file = file.to_string_lossy();
    let run = |more: &[&str]| {
        let mut words = vec!["run", &file, "--platform", "bmg"];
        words.extend(more);
        visim(&words)
    };
    let output = run(&[]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("E0428") && text.contains("--allow-removed"),
        "{text}"
    );
    let output = run(&["--allow-removed"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("W0434"), "{text}");
}

/// Item 17 of the audit: the descriptor of the load/store pipe is read as such, the receiver of Gen12 and later may
/// stand outside the extended descriptor, and Ironlake's words have Ironlake's fields.
#[test]
fn w17_decode_knows_the_receiver_and_the_fields_of_the_platform() {
    let words = [
        "decode",
        "--platform",
        "dg2",
        "--to",
        "ugm",
        "0x64607502",
        "0x05000000",
    ];
    let text = said(&visim(&words));
    assert!(text.contains("30:29  address type           3"), "{text}");
    assert!(text.contains("bti 5, op load_quad"), "{text}");
    let same = visim(&["decode", "--platform", "dg2", "0x64607502", "0x0500000f"]);
    assert_eq!(text.lines().next(), said(&same).lines().next());

    let text = said(&visim(&[
        "decode",
        "--platform",
        "ilk",
        "--to",
        "read",
        "0x02186001",
    ]));
    assert!(
        text.contains("dataread on ilk") && !text.contains("16-bit"),
        "{text}"
    );
    assert!(!text.contains("null render target"), "{text}");

    // Nor what later samplers ask, and the star of the manual is told.
    let starred = visim(&["decode", "--platform", "ilk", "0x04418001", "0x2"]);
    let text = said(&starred);
    for later in ["pixel null mask", "params16", "returns", "16-bit"] {
        assert!(!text.contains(later), "{later}: {text}");
    }
    assert!(text.contains("gather4") && text.contains("W0946"), "{text}");

    // Fields belong to a receiver and to a generation.
    let gateway = said(&visim(&[
        "decode",
        "--platform",
        "dg2",
        "--to",
        "gtwy",
        "0x02000004",
    ]));
    assert!(
        !gateway.contains("16-bit") && !gateway.contains("target"),
        "{gateway}"
    );
    let load = ["decode", "--platform", "dg2", "--to", "ugm", "0x02100580"];
    let load = said(&visim(&load));
    assert!(
        load.contains("vector size") && !load.contains("offset") && !load.contains("Xe2 on"),
        "{load}"
    );
    let load = said(&visim(&[
        "decode",
        "--platform",
        "lnl",
        "--to",
        "ugm",
        "0x02100580",
    ]));
    assert!(load.contains("offset"), "{load}");

    let refused = [
        (
            &["--platform", "bmg", "--to", "vme", "0x1"][..],
            "bmg has no function `vme`",
        ),
        (
            &["--platform", "bmg", "--to", "ugn", "0x1"],
            "no function is named so",
        ),
        (
            &["--platform", "tgl", "--to", "dc1", "0x02190001", "0xa"],
            "the extended descriptor names dc0, --to dc1",
        ),
    ];
    for (words, why) in refused {
        let output = visim(&[&["decode"], words].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_ne!(output.status.code(), Some(0), "{text}");
        assert!(text.contains(why), "{text}");
    }
}

/// Sends of a listing, of which others are passed over.
#[test]
fn sends_of_listings_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.asm");
    let text = "//.platform DG2\nL0:\n        mov (8|M0) r1.0<1>:d r2.0<8;8,1>:d\n\
        (W) send.dc1 (16|M0) null r9 r10:2 0x0 0x04025EFE {$1} // wr:2+2, rd:0\n\
        send.smpl (32|M0) r20 r7 r16:4 a0.2 a0.0 {ExBSO,$2}\n\
        (W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,$4}\n";
    std::fs::write(&path, text).expect("written");
    let path = path.display().to_string();
    let brief = said(&visim(&["decode", &path, "--brief"]));
    for line in [
        "k.asm:4: dc1: untyped: surface 254, access write, lanes 16, channels R",
        "k.asm:5: sampler: the descriptor is in a0.0 when the send runs",
        "3 sends on dg2: 1 dc1, 1 gateway, 1 sampler",
    ] {
        assert!(brief.contains(line), "{line} is not in\n{brief}");
    }
    let whole = said(&visim(&["decode", &path]));
    assert!(whole.contains("10:6  extended length        2"), "{whole}");
    let json = said(&visim(&["decode", &path, "--format", "json"]));
    assert!(json.contains("\"line\":4"), "{json}");
    std::fs::write(&path, "mov (8|M0) r1.0<1>:d r2.0<8;8,1>:d\n").expect("written");
    let output = visim(&["decode", &path]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("has no send"), "{errors}");
    let output = visim(&["decode", "0x02490000"]);
    assert_eq!(output.status.code(), Some(2));
}
