//! The faults of the finalizer, one by one: the message shows it, a warning says so, the switch for later
//! releases fix what they fix, and a run does what the instruction means.

pub mod examples;

use examples::{EXAMPLES, Example, Run, program};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use visim::internals::check::{CheckOptions, Step, check};
use visim::internals::diagnostic::{Code, Diagnostic};
use visim::internals::finalizer::quirks::{DIFFERENCES, Outcome, QUIRKS, Quirk};
use visim::internals::finalizer::{Context, Lowered, Release, messages};
use visim::internals::isa::Platform;
use visim::internals::source::Source;
use visim::internals::syntax::{ParseOptions, parse};

fn platform(example: &Example) -> Platform {
    Platform::from_name(example.platform).expect("a platform")
}

/// The statement's messages; `Err` if it is refused.
fn lowered(example: &Example, release: Release) -> Result<Lowered, Box<Diagnostic>> {
    let platform = platform(example);
    let source = Source::new("k.visa", program(example.statement, true));
    let options = ParseOptions {
        grf_bytes: platform.grf_bytes(),
    };
    let parsed = parse(&source, &options);
    let options = CheckOptions {
        platform,
        finalizer: true,
        allow_removed: true,
    };
    let (checked, said) = check(&parsed.module, &options);
    let mut said = parsed.diagnostics.into_iter().chain(said);
    if let Some(fatal) = said.find(|d| d.class().is_fatal()) {
        return Err(Box::new(fatal));
    }
    let unit = checked.units.first().expect("a kernel");
    let mut context = Context::new(release);
    let mut all = Lowered::default();
    for step in &unit.steps {
        let Step::Instruction(instruction) = step else {
            context.enter();
            continue;
        };
        let one = messages(unit, &instruction.node, &context, platform)?;
        context.observe(unit, &instruction.node, platform);
        all.sends.extend(one.sends);
        all.warnings.extend(one.warnings);
    }
    Ok(all)
}

fn warns(lowered: &Lowered, fault: &Quirk) -> bool {
    let same = |d: &Diagnostic| {
        d.code == Code::W0380 && d.notes == [fault.note] && d.see.as_deref() == Some(fault.see)
    };
    lowered.warnings.iter().any(same)
}

fn named(name: &str) -> &'static Quirk {
    let fault = QUIRKS.iter().find(|f| f.name == name);
    fault.unwrap_or_else(|| panic!("no fault {name}"))
}

#[test]
fn each_fault_is_shown_and_told() {
    let mut wrong = Vec::new();
    for example in EXAMPLES {
        let fault = named(example.fault);
        let lowered = match lowered(example, Release::R1_0_12504) {
            Ok(lowered) => lowered,
            Err(why) => {
                wrong.push(format!("{}: {why:?}", fault.name));
                continue;
            }
        };
        if !warns(&lowered, fault) {
            wrong.push(format!("{}: warned {:?}", fault.name, lowered.warnings));
        }
        let send = &lowered.sends[0];
        let desc = send.desc.constant();
        let desc = desc.map_or("computed".to_string(), |d| format!("{d:#010x}"));
        let (first, second, back) = (
            send.message_length,
            send.extended_length,
            send.response_length,
        );
        let message = format!("{desc} {first}+{second}>{back}");
        if message != example.message {
            wrong.push(format!("{}: \"{message}\"", fault.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn later_releases_mend_what_they_mend() {
    for example in EXAMPLES {
        let fault = named(example.fault);
        // Refused is fixed too: the later message is not stated.
        let later = lowered(example, Release::R2_40).ok();
        let told = later.as_ref().is_some_and(|l| warns(l, fault));
        assert_eq!(told, fault.last.is_none(), "{}", fault.name);
    }
}

#[test]
fn each_fault_has_an_example() {
    let shown: BTreeSet<&str> = EXAMPLES.iter().map(|e| e.fault).collect();
    let warned = QUIRKS.iter().filter(|quirk| !quirk.note.is_empty());
    let all: BTreeSet<&str> = warned.map(|quirk| quirk.name).collect();
    assert_eq!(shown, all);
}

/// Registers and surface after a run, or the code it stops with.
///
/// The surface is one that suits `example`.
fn ran(folder: &Path, platform: &str, example: &str, statement: &str) -> Result<String, String> {
    let at_offsets = [
        "gather.",
        "gather_",
        "gather4_scaled",
        "scatter.",
        "scatter_",
    ];
    let surface = match example {
        s if at_offsets.iter().any(|op| s.contains(op)) => {
            "R32_UINT 64x1 kind=buffer, dword(x,y) = 1000 + x"
        }
        s if s.contains("typed_") || s.contains("_typed") => {
            "R32_UINT 16x16, dword(x,y) = x + 16*y"
        }
        s if s.starts_with("avs") => "Y8_UNORM 64x64, byte(x,y) = 3*x + 5*y",
        s if s.contains("sample4_c") => "R32_FLOAT 16x16, float(x,y) = x/16",
        _ => "R8G8B8A8_UNORM 16x16, byte(x,y) = x + 16*y",
    };
    let surface = match statement.contains("%slm") {
        true => "// SLM 4096\n".to_string(),
        false if statement.contains("T6") => format!("// SURFACE T6: {surface}\n"),
        // The number in the descriptors of raw messages.
        false if statement.starts_with("raw_send") => format!("// SURFACE 0: {surface}\n"),
        false => String::new(),
    };
    let sampler = match statement {
        s if s.starts_with("avs") => "// SAMPLER S7: avs table0x=bilinear\n",
        s if s.starts_with("sample_unorm") => "// SAMPLER S7: unorm\n",
        s if s.contains("S7") => "// SAMPLER S7: filter=linear\n",
        _ => "",
    };
    let numbers = |from: u32, step: u32| {
        let all: Vec<String> = (0..32).map(|i| (from + step * i).to_string()).collect();
        all.join(" ")
    };
    let half = |numbers: &str| numbers.split(' ').take(16).collect::<Vec<_>>().join(" ");
    let text = format!(
        "{surface}{sampler}// SET A0 = {}:ud\n// SET A1 = {}:ud\n// SET A4 = {}:ud\n// SET A5 = {}:ud\n\
         // SET L0 = {}:ud\n// SET F0 = {}:f\n// SET F1 = {}:f\n// SET F2 = {}:f\n// SET F5 = {}:f\n{}",
        half(&numbers(0, 1)),
        half(&numbers(3, 0)),
        // A0 in bytes of dwords.
        half(&numbers(0, 4)),
        half(&numbers(0, 1)),
        numbers(0, 1),
        half(&numbers(1, 0)).replace('1', "0.25"),
        half(&numbers(1, 0)).replace('1', "0.75"),
        half(&numbers(1, 0)).replace('1', "0.5"),
        half(&numbers(0, 0)),
        program(statement, false)
    );
    let file = folder.join("k.visa");
    std::fs::write(&file, text).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    command.args(["run", "--platform", platform, "--dump", "VU:hex:32"]);
    if surface.contains("T6") {
        command.args(["--dump", "T6:hex:32"]);
    }
    let output = command.arg(&file).output().expect("visim starts");
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = said
        .split(['[', ']'])
        .nth(1)
        .unwrap_or_default()
        .to_string();
    Err(format!("{code}\n{said}"))
}

#[test]
fn a_run_does_what_the_instruction_means() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = Vec::new();
    for example in EXAMPLES {
        let run = |platform, statement| ran(folder.path(), platform, example.statement, statement);
        match (&example.run, run(example.platform, example.statement)) {
            (Run::Nothing(why), _) => assert!(!why.is_empty(), "{}", example.fault),
            (Run::Stops(code), Err(said)) if said.starts_with(code) => {}
            (Run::Like(_) | Run::On(_), Ok(left)) => {
                let right = match example.run {
                    Run::Like(plain) => run(example.platform, plain),
                    Run::On(platform) => run(platform, example.statement),
                    _ => continue,
                };
                // Zeros would be equal for the wrong reason.
                let some = left.contains(|c: char| c.is_ascii_digit() && c != '0');
                if right.as_ref() != Ok(&left) || !some {
                    wrong.push(format!("{}:\n{left}\n{right:?}", example.fault));
                }
            }
            (_, found) => wrong.push(format!("{}: {found:?}", example.fault)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_row_of_the_differences_went_somewhere() {
    let rows: Vec<u32> = DIFFERENCES.iter().map(|d| d.row).collect();
    assert_eq!(rows, (1..=30).collect::<Vec<u32>>());
    for difference in DIFFERENCES {
        let row = difference.row;
        match difference.outcome {
            // The row's number is in the words of each warning.
            Outcome::Followed(faults) => {
                for fault in faults {
                    let words: Vec<&str> = fault.see.split([' ', ',', ';']).collect();
                    assert!(
                        words.contains(&row.to_string().as_str()),
                        "{row}: {fault:?}"
                    );
                }
            }
            Outcome::Checked(codes) => assert!(!codes.is_empty(), "{row}"),
            Outcome::Same(why) => assert!(!why.is_empty(), "{row}"),
        }
    }
}

/// A statement for each row that the checker has a code for.
#[rustfmt::skip]
const CHECKED: &[(u32, &str, &str)] = &[
    (1, "W0341", "avs.R S7 T6 F0(0,0)<0;1,0> F0(0,0)<0;1,0> F0(0,1)<0;1,0> F0(0,1)<0;1,0> F0(0,2)<0;1,0> 0x0:ud 0x0:ud AVS_8_FULL F0(0,2)<0;1,0> AVS_16x4 0x1:ub VB.0"),
    (11, "W0309", "media_st.nomod (6,2) T6 0 0x0:ud 0x0:ud VB.0"),
    (11, "W0310", "media_st.nomod (8,2) T6 0 0x2:ud 0x0:ud VB.0"),
    (13, "E0336", "load_lz.R (M1, 8) 0x0:uw T6 VU.0 F0.0"),
    (13, "E0337", "load_3d.R (M1, 8) 0x0:uw T6 VU.0 A0.0 W1.0"),
    (14, "E0403", "load_lz.R (M2, 8) 0x0:uw T6 VU.0 A0.0"),
    (15, "E0334", "load_lz.R (M1, 8) 0x1000:uw T6 VU.0 A0.0"),
    (21, "W0351", "oword_ld (16) T6 0x0:ud VU.0"),
];

#[test]
fn what_the_checker_says_of_the_other_rows() {
    let said = |statement: &str, finalizer: bool| -> Vec<Diagnostic> {
        let source = Source::new("k.visa", program(statement, true));
        let parsed = parse(&source, &ParseOptions::default());
        let options = CheckOptions {
            platform: Platform::Skl,
            finalizer,
            allow_removed: true,
        };
        let (_, more) = check(&parsed.module, &options);
        parsed.diagnostics.into_iter().chain(more).collect()
    };
    let mut shown: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (row, code, statement) in CHECKED {
        let codes: Vec<String> = said(statement, false)
            .iter()
            .map(|d| d.code.to_string())
            .collect();
        assert!(
            codes.contains(&code.to_string()),
            "{row} {statement}: {codes:?}"
        );
        // What the finalizer takes it takes here too, with a remark.
        let finalizer = said(statement, true);
        assert!(
            !finalizer.iter().any(|d| d.class().is_fatal()),
            "{statement}"
        );
        assert!(!finalizer.is_empty(), "{statement}");
        shown.entry(*row).or_default().push(code.to_string());
    }
    let mut listed = BTreeMap::new();
    for difference in DIFFERENCES {
        if let Outcome::Checked(codes) = difference.outcome {
            let codes: Vec<String> = codes.iter().map(Code::to_string).collect();
            listed.insert(difference.row, codes);
        }
    }
    assert_eq!(shown, listed);
}
