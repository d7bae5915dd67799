//! What the sanitizer tells: each kind of finding names the instruction, the lane, the thread, and where
//! the value or the address came from.
//!
//! Each program runs on two threads of one group, of which thread 1 alone comes to the faulty line.

use std::path::Path;
use visim::internals::diagnostic::render;
use visim::internals::harness::session::{Options, file_layer, start_watched};
use visim::internals::observe::{Sanitizer, Watcher};
use visim::internals::source::Source;

/// A group of two threads, the first of which goes straight to the end.
const BEFORE: &str = "\
// GROUPS 1,1,1
// THREADS 2,1
// SURFACE T6: R8_UNORM 64x8, byte(x,y) = x + y
.version 4.1
.kernel \"found\"
.kernel_attr SLMSize=1
.decl R0 v_type=G type=ud num_elts=8 alias=<%r0, 0>
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl BB v_type=G type=ub num_elts=32 alias=<B, 0>
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl AB v_type=G type=ub num_elts=32 alias=<A, 0>
.decl CW v_type=G type=uw num_elts=16 alias=<C, 0>
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl W v_type=G type=ud num_elts=16 align=GRF
.decl I v_type=G type=ud num_elts=1 align=dword
.decl P0 v_type=P num_elts=1
.decl P1 v_type=P num_elts=8
.decl A0 v_type=A num_elts=1
.decl T6 v_type=T num_elts=1
.input I offset=64
    cmp.eq (M1_NM, 1) P0 R0(0,2)<0;1,0> 0x0:ud
    (P0) jmp (M1, 1) done
";

/// What a program's one finding must be.
struct Wanted<'a> {
    code: &'a str,
    /// How the line begins that it labels.
    at: &'a str,
    /// How the lines begin that it points back to.
    from: &'a [&'a str],
    /// What it says.
    words: &'a [&'a str],
}

/// Runs `body` after the preamble, up to `done:` or its own end, and holds its one finding against `wanted`.
#[track_caller]
fn finds(wanted: &Wanted<'_>, body: &str) {
    let after = match body.contains("done:") {
        true => "",
        false => "done:\n    ret (M1, 1)\n",
    };
    let text = format!("{BEFORE}{body}{after}");
    let source = Source::new("found.visa", text);
    let (layer, said) = file_layer(source.clone(), Path::new("."));
    let watcher = Watcher {
        sanitizer: Some(Sanitizer::default()),
        ..Watcher::default()
    };
    let ran = start_watched(&[layer], said, &Options::default(), |_| watcher.thread());
    // Addresses without memory end the run as well.
    for problem in ran.err().into_iter().flat_map(|refused| refused.problems) {
        let text = render(&problem.diagnostic, &source, false);
        let fatal = problem.diagnostic.class().is_fatal();
        assert!(!fatal || text.contains("E0608"), "{text}");
    }
    let all = watcher.diagnostics();
    let texts: Vec<_> = all.iter().map(|d| render(d, &source, false)).collect();
    let ([one], [text]) = (&all[..], &texts[..]) else {
        panic!("{} findings\n{}", all.len(), texts.join("\n"));
    };
    assert_eq!(one.code.to_string(), wanted.code, "{text}");
    let mut labels = one.labels.iter().map(|label| {
        let line = source.line_column(label.span.start).0;
        source.line_text(line).trim_start()
    });
    let at = labels.next().unwrap_or("nothing");
    assert!(at.starts_with(wanted.at), "{at}\n{text}");
    let from: Vec<_> = labels.collect();
    let same = from.len() == wanted.from.len()
        && from.iter().zip(wanted.from).all(|(a, b)| a.starts_with(b));
    assert!(same, "{from:?}\n{text}");
    for words in wanted.words {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
    let thread = "thread 1 (group 0,0,0, thread 1 of it)";
    assert!(text.contains(thread), "{text}");
}

#[test]
fn registers_that_nothing_has_written_by_byte_and_lane() {
    let wanted = Wanted {
        code: "U0670",
        at: "add",
        from: &[".decl A", "mov (M1, 4) A"],
        words: &[
            "source 0 reads bytes 16..=19 of `A` in lane 4",
            "4 times in all, in lanes 0xf0",
            "declared here, and undefined until written",
            "writes byte 15 of `A`, but not these",
        ],
    };
    let body = "
    mov (M1, 4) A(0,0)<1> 0x3:ud
    add (M1, 8) B(0,0)<1> A(0,0)<1;1,0> 0x1:ud
";
    finds(&wanted, body);
    // A byte of a dword.
    let wanted = Wanted {
        code: "U0670",
        at: "add",
        from: &[".decl B", "mov (M1, 1) BB"],
        words: &["source 0 reads bytes 0..=3 of `B`", "writes byte 1 of `B`"],
    };
    let body = "
    mov (M1, 1) BB(0,0)<1> 0x3:ub
    mov (M1, 1) BB(0,1)<1> 0x3:ub
    add (M1, 1) A(0,0)<1> B(0,0)<0;1,0> 0x1:ud
";
    finds(&wanted, body);
    let wanted = Wanted {
        code: "U0670",
        at: "mov (M1, 1) A",
        from: &[],
        words: &["`I` is an input that this launch does not give"],
    };
    finds(&wanted, "    mov (M1, 1) A(0,0)<1> I(0,0)<0;1,0>\n");
}

#[test]
fn predicate_bits_that_nothing_has_written() {
    let wanted = Wanted {
        code: "U0672",
        at: "(P1) mov",
        from: &[".decl P1"],
        words: &["the predicate goes by bits 0xf0 of `P1`"],
    };
    let body = "
    mov (M1, 8) A(0,0)<1> 0x3:ud
    cmp.eq (M1, 4) P1 A(0,0)<1;1,0> 0x3:ud
    (P1) mov (M1, 8) B(0,0)<1> 0x1:ud
";
    finds(&wanted, body);
}

#[test]
fn bytes_that_a_message_left_undefined() {
    let wanted = Wanted {
        code: "U0671",
        at: "mov (M1, 16)",
        from: &["media_ld"],
        words: &[
            "source 0 reads byte 12 of `B` in lane 12",
            "this message leaves them undefined",
            "in lanes 0xf000",
        ],
    };
    let body = "
    media_ld.nomod (12,1) T6 0 0x0:ud 0x0:ud B.0
    mov (M1, 16) W(0,0)<1> BB(0,0)<1;1,0>
";
    finds(&wanted, body);
    // Undefined bytes that a message sends on.
    let wanted = Wanted {
        code: "U0671",
        at: "scatter_scaled.4",
        from: &["gather_scaled.1"],
        words: &["the data reads bytes 0..=3 of `B` in lane 0"],
    };
    let body = "
    mul (M1, 8) A(0,0)<1> 0x76543210:uv 0x4:uw
    gather_scaled.1 (M1, 8) T6 0x0:ud A.0 B.0
    scatter_scaled.4 (M1, 8) T6 0x0:ud A.0 B.0
";
    finds(&wanted, body);
}

#[test]
fn memory_of_groups_and_threads_that_nothing_has_written() {
    let wanted = Wanted {
        code: "U0680",
        at: "add",
        from: &["gather_scaled.4"],
        words: &[
            "source 0 reads bytes 4..=7 of `B` in lane 1",
            "loaded here, first from byte 0x4 of shared local memory",
        ],
    };
    let body = "
    mul (M1, 8) A(0,0)<1> 0x76543210:uv 0x4:uw
    mov (M1, 1) C(0,0)<1> 0x5:ud
    scatter_scaled.4 (M1, 1) %slm 0x0:ud A.0 C.0
    gather_scaled.4 (M1, 8) %slm 0x0:ud A.0 B.0
    add (M1, 8) C(0,0)<1> B(0,0)<1;1,0> 0x1:ud
";
    finds(&wanted, body);
    let wanted = Wanted {
        code: "U0680",
        at: "dword_atomic.inc",
        from: &["mul"],
        words: &[
            "lane 0 reads 4 bytes from byte 0x0 of shared local memory",
            "the offsets, bytes 0..=3 of `A`, written here",
            "in lanes 0xff",
        ],
    };
    let body = "
    mul (M1, 8) A(0,0)<1> 0x76543210:uv 0x4:uw
    dword_atomic.inc (M1, 8) %slm A.0 %null.0 %null.0 B.0
";
    finds(&wanted, body);
}

#[test]
fn variables_whose_lifetime_starts_or_ends() {
    for line in ["lifetime.start", "lifetime.end"] {
        let wanted = Wanted {
            code: "U0670",
            at: "add",
            from: &[line],
            words: &[
                "source 0 reads bytes 16..=19 of `A` in lane 4",
                "it is undefined from here on",
                "in lanes 0xf0",
            ],
        };
        // What is written after the line is defined again.
        let body = format!(
            "
    mov (M1, 8) A(0,0)<1> 0x3:ud
    mov (M1, 8) C(0,0)<1> A(0,0)<1;1,0>
    {line} A
    mov (M1, 4) A(0,0)<1> 0x4:ud
    add (M1, 8) B(0,0)<1> A(0,0)<1;1,0> 0x1:ud
"
        );
        finds(&wanted, &body);
    }
    let wanted = Wanted {
        code: "U0672",
        at: "(P1) mov",
        from: &["lifetime.end"],
        words: &["the predicate goes by bits 0xff of `P1`"],
    };
    let body = "
    setp (M1, 8) P1 0xf:ud
    lifetime.end P1
    (P1) mov (M1, 8) B(0,0)<1> 0x1:ud
";
    finds(&wanted, body);
}

#[test]
fn results_that_are_undefined() {
    let wanted = Wanted {
        code: "U0671",
        at: "add",
        from: &["sad2"],
        words: &[
            "source 0 reads bytes 2..=3 of `C` in lane 1",
            "this instruction leaves them undefined",
            "in lanes 0xaa",
        ],
    };
    // The even lanes are fine.
    let body = "
    mov (M1, 8) A(0,0)<1> 0x3:ud
    sad2 (M1, 8) CW(0,0)<1> AB(0,0)<1;1,0> AB(0,8)<1;1,0>
    mov (M1, 4) B(0,0)<1> CW(0,0)<2;1,0>
    add (M1, 8) B(0,0)<1> CW(0,0)<1;1,0> 0x1:ud
";
    finds(&wanted, body);
    for divide in ["div", "mod"] {
        let wanted = Wanted {
            code: "U0671",
            at: "mov (M1, 8) W",
            from: &[divide],
            words: &["source 0 reads bytes 8..=11 of `B` in lane 2"],
        };
        let body = format!(
            "
    mov (M1, 8) A(0,0)<1> 0x3:ud
    mov (M1, 1) A(0,2)<1> 0x0:ud
    {divide} (M1, 8) B(0,0)<1> 0x9:ud A(0,0)<1;1,0>
    mov (M1, 2) W(0,0)<1> B(0,0)<1;1,0>
    mov (M1, 8) W(0,0)<1> B(0,0)<1;1,0>
"
        );
        finds(&wanted, &body);
    }
}

#[test]
fn atomics_that_use_or_replace_what_was_there() {
    let offsets = "    mul (M1, 8) A(0,0)<1> 0x76543210:uv 0x4:uw\n";
    let wanted = Wanted {
        code: "U0680",
        at: "add",
        from: &["dword_atomic.xchg"],
        words: &["loaded here, first from byte 0x10 of shared local memory"],
    };
    // The first one takes nothing; what the second one hands over was put there by the first.
    let body = format!(
        "{offsets}
    dword_atomic.xchg (M1, 4) %slm A.0 A.0 %null.0 %null.0
    dword_atomic.xchg (M1, 8) %slm A.0 A.0 %null.0 B.0
    gather_scaled.4 (M1, 8) %slm 0x0:ud A.0 C.0
    add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x1:ud
    add (M1, 8) C(0,0)<1> B(0,0)<1;1,0> 0x1:ud
"
    );
    finds(&wanted, &body);
    let wanted = Wanted {
        code: "U0680",
        at: "dword_atomic.add",
        from: &["mul"],
        words: &["lane 0 reads 4 bytes from byte 0x0 of shared local memory"],
    };
    let body = format!("{offsets}    dword_atomic.add (M1, 8) %slm A.0 A.0 %null.0 %null.0\n");
    finds(&wanted, &body);
}

#[test]
fn operands_that_reach_outside_their_variable() {
    let wanted = Wanted {
        code: "U0673",
        at: "mov (M1, 8) B(0,0)<1> A",
        from: &[],
        words: &["source 0 is outside its variable in lane 4"],
    };
    let body = "
    mov (M1, 8) A(0,0)<1> 0x3:ud
    mov (M1, 8) B(0,0)<1> A(0,4)<1;1,0>
";
    finds(&wanted, body);
    let wanted = Wanted {
        code: "U0673",
        at: "mov (M1, 8) B(0,4)",
        from: &[],
        words: &["the destination is outside its variable in lane 4"],
    };
    finds(&wanted, "    mov (M1, 8) B(0,4)<1> 0x3:ud\n");
    // Through an address, which was made elsewhere.
    let wanted = Wanted {
        code: "U0673",
        at: "mov (M1, 1) C",
        from: &["addr_add"],
        words: &[
            "source 0 points outside the registers in",
            "the address of source 0, bytes 0..=1 of `A0`, written here",
        ],
    };
    let body = "
    addr_add (M1, 1) A0(0)<1> &A[0] 0x7000:w
    mov (M1, 1) C(0,0)<1> r[A0(0),0]<0;1,0>:ud
";
    finds(&wanted, body);
    let wanted = Wanted {
        code: "U0673",
        at: "mov (M1, 1) r[",
        from: &["addr_add"],
        words: &["the destination points outside the registers in lane 0"],
    };
    let body = "
    addr_add (M1, 1) A0(0)<1> &A[0] 0x7000:w
    mov (M1, 1) r[A0(0),0]<1>:ud 0x1:ud
";
    finds(&wanted, body);
}

#[test]
fn surfaces_outside_their_size() {
    let offsets = "
    mov (M1, 8) B(0,0)<1> 0x1:ud
    mov (M1, 8) A(0,0)<1> 0x8:ud
    mov (M1, 1) A(0,3)<1> 0x1fe:ud
";
    for (message, does) in [
        ("gather_scaled.4 (M1, 8) T6 0x0:ud A.0 B.0", "read as zero"),
        (
            "scatter_scaled.4 (M1, 8) T6 0x0:ud A.0 B.0",
            "are not written",
        ),
    ] {
        let wanted = Wanted {
            code: "U0674",
            at: message,
            from: &["mov (M1, 1) A(0,3)"],
            words: &[
                "2 of 4 bytes from byte 0x1fe of surface 6 (`T6`) exist, in lane 3",
                does,
                "the offsets, bytes 12..=15 of `A`, written here",
            ],
        };
        finds(&wanted, &format!("{offsets}    {message}\n"));
    }
    // A block of bytes, told for all lanes together.
    let wanted = Wanted {
        code: "U0674",
        at: "media_st",
        from: &["mov (M1, 1) A"],
        words: &[
            "0 of 8 bytes from byte column 64, row 0 of surface 6 (`T6`) exist, in all lanes",
            "the x offset, bytes 0..=3 of `A`, written here",
        ],
    };
    let body = "
    mov (M1, 8) B(0,0)<1> 0x1:ud
    mov (M1, 1) A(0,0)<1> 0x38:ud
    media_st.nomod (16,1) T6 0 A(0,0)<0;1,0> 0x0:ud B.0
";
    finds(&wanted, body);
}

#[test]
fn addresses_without_memory() {
    let wanted = Wanted {
        code: "U0674",
        at: "svm_gather",
        from: &["mov (M1, 8) Q"],
        words: &[
            "0 of 4 bytes from byte 0x100000 of memory at 64-bit addresses exist, in lane 0",
            "the run stops here",
            "the addresses, bytes 0..=7 of `Q`, written here",
        ],
    };
    let body = "
    mov (M1, 8) Q(0,0)<1> 0x100000:ud
    svm_gather.4.1 (M1, 8) Q.0 B.0
";
    finds(&wanted, body);
}

#[test]
fn addresses_that_are_no_multiple() {
    let wanted = Wanted {
        code: "U0675",
        at: "gather4_scaled",
        from: &["add (M1, 8) A"],
        words: &[
            "byte 0x2 of surface 6 (`T6`) is accessed in lane 0",
            "a multiple of 4 is required",
            "the offsets, bytes 0..=3 of `A`, written here",
            "in lanes 0xff",
        ],
    };
    let body = "
    mul (M1, 8) A(0,0)<1> 0x76543210:uv 0x4:uw
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud
    gather4_scaled.R (M1, 8) T6 0x0:ud A.0 B.0
";
    finds(&wanted, body);
}

#[test]
fn media_writes_beside_a_dword() {
    let wanted = Wanted {
        code: "U0675",
        at: "media_st",
        from: &["mov (M1, 1) A(0,0)"],
        words: &[
            "byte column 2, row 3 of surface 6 (`T6`) is accessed in all lanes",
            "a multiple of 4 is required",
            "the x offset, bytes 0..=3 of `A`, written here",
        ],
    };
    // Reads start anywhere, and writes at a dword.
    let body = "
    mov (M1, 8) B(0,0)<1> 0x1:ud
    mov (M1, 1) A(0,0)<1> 0x2:ud
    mov (M1, 1) A(0,1)<1> 0x4:ud
    media_ld.nomod (4,2) T6 0 A(0,0)<0;1,0> 0x3:ud C.0
    media_st.nomod (4,2) T6 0 A(0,1)<0;1,0> 0x3:ud B.0
    media_st.nomod (4,2) T6 0 A(0,0)<0;1,0> 0x3:ud B.0
";
    finds(&wanted, body);
}

#[test]
fn lanes_that_write_different_values_to_one_place() {
    let wanted = Wanted {
        code: "U0679",
        at: "scatter_scaled.4",
        from: &["mov (M1, 8) A"],
        words: &["lanes 0 and 1 write different values to byte 0x8 of surface 6 (`T6`)"],
    };
    let body = "
    mov (M1, 8) A(0,0)<1> 0x8:ud
    mov (M1, 8) B(0,0)<1> 0x76543210:v
    scatter_scaled.4 (M1, 8) T6 0x0:ud A.0 B.0
";
    finds(&wanted, body);
}

#[test]
fn results_and_payloads_in_flight_that_overlap() {
    let wanted = Wanted {
        code: "U0678",
        at: "addc",
        from: &[],
        words: &["the two results overlap: bytes 0..=3 of `B` and bytes 0..=3 of `B`"],
    };
    let body = "
    mov (M1, 8) A(0,0)<1> 0x1:ud
    addc (M1, 8) B(0,0)<1> B(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>
";
    finds(&wanted, body);
    // A read of surface 6 whose answer comes down on the offsets.
    let wanted = Wanted {
        code: "U0678",
        at: "raw_send",
        from: &[],
        words: &["the response and the payload overlap: bytes 0..=31 of `A`"],
    };
    let body = "
    mul (M1, 8) A(0,0)<1> 0x76543210:uv 0x4:uw
    raw_send (M1, 8) 0xc 1 1 0x2106e06:ud A.0 A.0
";
    finds(&wanted, body);
    // A write whose offsets are its data.
    let wanted = Wanted {
        code: "U0678",
        at: "raw_sends",
        from: &[],
        words: &["the two payloads overlap: bytes 0..=31 of `A` and bytes 0..=31 of `A`"],
    };
    let body = "
    mul (M1, 8) A(0,0)<1> 0x76543210:uv 0x4:uw
    raw_sends.12.1.1.0 (M1, 8) 0x4c:ud 0x2026e06:ud A.0 A.0 %null.0
";
    finds(&wanted, body);
}

#[test]
fn barriers_that_threads_do_not_share() {
    // Thread 0 has ended when thread 1 waits.
    let wanted = Wanted {
        code: "U0677",
        at: "barrier",
        from: &[],
        words: &["thread 0 (group 0,0,0, thread 0 of it) ended without coming to it"],
    };
    finds(&wanted, "    barrier\n");
    // Each at a barrier of its own.
    let wanted = Wanted {
        code: "U0676",
        at: "barrier",
        from: &["barrier"],
        words: &["thread 0 (group 0,0,0, thread 0 of it) waits here"],
    };
    let body = "
    barrier
    jmp (M1, 1) end
done:
    barrier
end:
    ret (M1, 1)
";
    finds(&wanted, body);
}

#[test]
fn barriers_that_lanes_of_a_thread_do_not_share() {
    let wanted = Wanted {
        code: "U0693",
        at: "barrier",
        from: &["(P1) goto"],
        words: &["lanes 0xffffff0f of 0xffffffff reach this barrier"],
    };
    // All lanes take the first branch together.
    let body = "
    setp (M1, 8) P1 0xf0:ud
    goto (M1, 32) on
on:
    (P1) goto (M1, 8) around
done:
    barrier
around:
    barrier
    ret (M1, 1)
";
    finds(&wanted, body);
}
