//! Reads the text, one instruction to a line; blanks separate its parts.

use pretty_assertions::assert_eq;
use visim::internals::diagnostic::{Code, Diagnostic};
use visim::internals::sends::line::Line;
use visim::internals::sends::parse::{canonical, parse};
use visim::internals::source::Source;

fn read(text: &str) -> (Vec<Line>, Vec<Diagnostic>) {
    parse(&Source::new("test.send", text))
}

#[test]
fn what_is_left_out_is_filled_in() {
    let text = "mul (8)  m4    r20    r19 // as in the manual\n\
                mov (8)  m6    r21\n\
                mov (1) m3.2 0x10:ud\n\
                (-f0) add.sat (16) r4 -r2<0;1,0> (abs)r6:f {NoMask}\n\
                cmp.ge.f0.0 (8) null r1:d -3\n\
                send (8) r30   m3     r0   read 0x02186001\n\
                send (8) null m15<1> r0<8;8,1> 0x27 0x2000000\n";
    let (lines, found) = read(text);
    assert_eq!(found, []);
    let printed: Vec<String> = lines.iter().map(|l| l.node.to_string()).collect();
    assert_eq!(
        printed,
        [
            "mul (8) m4<1>:f r20<8;8,1>:f r19<8;8,1>:f",
            "mov (8) m6<1>:f r21<8;8,1>:f",
            "mov (1) m3.2<1>:ud 0x10:ud",
            "(-f0.0) add.sat (16) r4<1>:f -r2<0;1,0>:f (abs)r6<8;8,1>:f {NoMask}",
            "cmp.ge.f0.0 (8) null r1<8;8,1>:d -3:d",
            "send (8) r30 m3 r0 read 0x02186001",
            "send (8) null m15 r0 ts 0x02000000 {EOT}",
        ]
    );
    let again = read(&printed.join("\n"));
    let nodes = |lines: &[Line]| lines.iter().map(|l| l.node).collect::<Vec<_>>();
    assert_eq!(nodes(&again.0), nodes(&lines));
}

#[test]
fn comments_stay_where_they_are() {
    let source = Source::new("a.send", "// first\n\n  mov (8) m1 r2   // why\nnop");
    assert_eq!(
        canonical(&source).0,
        "// first\n\nmov (8) m1<1>:f r2<8;8,1>:f   // why\nnop"
    );
}

#[test]
fn the_first_example_of_the_manual_is_translated() {
    let (_, found) = read("send (16) r5 m3 r0 0x01110001");
    assert_eq!(found[0].code, Code::E0936);
    assert_eq!(found[0].help.as_deref(), Some("… math 0x02100001"));
}

#[test]
fn no_line_panics() {
    let words = [
        "mov",
        "(8)",
        "r0",
        "m3",
        "send",
        "null",
        "0x7",
        "{EOT}",
        "(f0.0)",
        "r127.31<32;16,4>:ud",
        "<",
        ">",
        ":",
        "-",
        "(abs)",
        "a0.0",
        "cmp.g.f0.0",
        "1e99:f",
        "é",
        "{",
        "}",
        "r.",
        "m.1",
        "99999999999999999999",
        "0xfffffffff",
        "(",
        "(16)",
        "math",
        "nop",
        "mul.sat",
        ".",
    ];
    let mut x = 7_u32;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..6 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text += words[x as usize / 65_536 % words.len()];
            text += if x & 0x100 == 0 { " " } else { "" };
        }
        let _ = visim::internals::sends::program(&Source::new("fuzz.send", text));
    }
}
