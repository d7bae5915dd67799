//! `grammar/sends.ebnf` is read production by production, and programs made of sends survive anything.

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use visim::internals::harness::case::{self, Rules, Test};
use visim::internals::harness::session::Options;
use visim::internals::sends::{canonical, parse};
use visim::internals::source::Source;

const GRAMMAR: &str = include_str!("../../../grammar/sends.ebnf");

#[test]
fn every_production_has_examples_and_each_is_read() {
    let mut open: Option<(&str, usize)> = None;
    let (mut defined, mut used) = (BTreeSet::new(), BTreeSet::new());
    for line in GRAMMAR.lines() {
        if let Some(example) = line.strip_prefix("#> ") {
            let source = Source::new("example", example);
            let (lines, found) = parse(&source);
            assert!(found.is_empty(), "{example}: {found:?}");
            let printed = canonical(&source).0;
            let again = parse(&Source::new("again", printed.clone())).0;
            assert_eq!(again[0].node, lines[0].node, "{printed}");
            open.as_mut().expect("an example is below its production").1 += 1;
        } else if let Some((name, right)) = line.split_once(" = ")
            && !line.starts_with("//")
        {
            if let Some((name, 0)) = open {
                panic!("{name} has no example");
            }
            open = Some((name, 0));
            defined.insert(name);
            // Every second piece between quotes or slashes is text that stands for itself.
            for outside in right.split(['"', '/']).step_by(2) {
                used.extend(
                    outside
                        .split_whitespace()
                        .filter(|w| w.chars().all(char::is_alphabetic)),
                );
            }
        }
    }
    assert!(open.is_some_and(|(_, examples)| examples > 0));
    let missing: Vec<_> = used.difference(&defined).collect();
    assert!(missing.is_empty(), "not defined: {missing:?}");
    let unused: Vec<_> = defined
        .difference(&used)
        .filter(|n| **n != "line")
        .collect();
    assert!(unused.is_empty(), "never used: {unused:?}");
}

/// Messages with any function, descriptor, header and payload end in a result or a diagnostic, and change no
/// surface that they do not name.
fn survives(receiver: u8, desc: u32, words: [u32; 16], mask: u8) -> Result<(), TestCaseError> {
    let receivers = ["smpl", "read", "write", "math", "gtwy", "ts", "urb", "null"];
    let receiver = receivers[usize::from(receiver) % receivers.len()];
    // Bindings 1 to 4 exist, 255 is stateless memory; the next surface must stay as it is.
    let desc = desc & 0x1fff_ff00 | [1, 2, 3, 4, 255][desc as usize % 5];
    let response = desc >> 20 & 0x1f;
    let dst = if response > 0 { "r40" } else { "null" };
    let row = |at: usize| {
        let words: Vec<String> = words[8 * at..8 * at + 8]
            .iter()
            .map(u32::to_string)
            .collect();
        words.join(" ")
    };
    let text = format!(
        "// SURFACE T1: R8G8B8A8_UNORM 16x16\n\
         // SURFACE T2: R32G32B32A32_FLOAT 64x1 kind=buffer\n\
         // SURFACE T3: R8_UNORM 64x8 tiling=X\n\
         // SURFACE T4: R32G32B32_FLOAT 8x1 kind=buffer\n\
         // SURFACE T9: R8_UNORM 16x4, byte(x,y) = x + 16*y\n\
         // EXPECT T9 bytes:\n//   00 01 02 03 04 05 06 07\n//   10 11 12 13 14 15 16 17\n\
         // SET r10 = {}:ud\n// SET r11 = {}:ud\n\
         mov (8) m1:ud r10:ud {{NoMask}}\nmov (8) m2:ud r11:ud {{NoMask}}\n\
         mov (8) m3:ud r11:ud {{NoMask}}\nmov (1) r9:ud {mask}:ud {{NoMask}}\n\
         cmp.ne.f0.0 (8) null r9<0;1,0>:ud r10:ud\nmov (1) r8:ud 0:ud\n\
         mov (1) a0.0 {desc}:ud\n\
         (f0.0) send (16) {dst} m1 null {receiver} a0.0\n\
         send (16) r60 m7 r0 read 0x02186009\n\
         send (8) null m15 r0 ts 0x02000000 {{EOT}}\n",
        row(0),
        row(1),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fuzz.send");
    fs::write(&path, &text).expect("written");
    // Programs that end are enough.
    let rules = Rules {
        allow_empty: true,
        ..Rules::default()
    };
    let verdict = case::run_as(&path, &Test::of(&path, &rules), &Options::default());
    // What is wrong is said with a code, never by a broken directive of this test.
    for diagnostic in &verdict.diagnostics {
        let name = diagnostic.code.info().name;
        prop_assert!(
            !name.starts_with("E07") && !name.starts_with("E01"),
            "{name}\n{text}"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_message_is_served_or_refused(
        receiver: u8, desc: u32, words: [u32; 16], small: bool, mask: u8,
    ) {
        // Half of the headers are small numbers, which reach further into the messages.
        let words = if small { words.map(|w| w & 0x0007_001f) } else { words };
        survives(receiver, desc, words, mask)?;
    }
}
