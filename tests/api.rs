//! The library's face as a program outside the crate uses it.

use pretty_assertions::assert_eq;
use visim::{InMemory, Module, Platform, Report, Simulator, Source, Surface};

/// A host's own bytes as a surface, one media block of it, the registers that came back.
#[test]
fn media_ld_of_bytes_that_the_host_has() -> Result<(), Report> {
    let text = r#".version 4.1
.kernel "block"
.decl V34 v_type=G type=ub num_elts=32 align=GRF
.decl T6 v_type=T num_elts=1
    media_ld.nomod (5,4) T6 0 3:ud 1:ud V34.0
    ret (M1, 1)
"#;
    let picture: Vec<u8> = (0..=255).collect();
    let outcome = Simulator::new(Source::new("block.visa", text))
        .surface("T6", &Surface::from_rows("R8_UNORM 16x16", picture))
        .run()?;
    // Row 1 begins with byte 16; a row of 5 bytes takes 8 in registers.
    let rows = outcome.register("V34").expect("declared").chunks(8);
    let firsts: Vec<u8> = rows.map(|row| row[0]).collect();
    assert_eq!(firsts, [19, 35, 51, 67]);
    Ok(())
}

const COPY: &str = r#".version 4.1
.kernel "copy"
.decl V32 v_type=G type=ub num_elts=32 align=GRF
.decl V33 v_type=G type=ud num_elts=2 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
// SURFACE T6: raw in.raw R8_UNORM 16x8
    mov (M1, 1) V33(0,0)<1> %thread_x(0,0)<0;1,0>
    mov (M1, 1) V33(0,1)<1> %thread_y(0,0)<0;1,0>
    shl (M1, 1) V33(0,0)<1> V33(0,0)<0;1,0> 3:ud
    shl (M1, 1) V33(0,1)<1> V33(0,1)<0;1,0> 2:ud
    media_ld.nomod (8,4) T6 0 V33(0,0)<0;1,0> V33(0,1)<0;1,0> V32.0
    media_st.nomod (8,4) T7 0 V33(0,0)<0;1,0> V33(0,1)<0;1,0> V32.0
    ret (M1, 1)
"#;

#[test]
fn files_come_from_where_the_host_says_and_nowhere_else() -> Result<(), Report> {
    let source = Source::new("copy.visa", COPY);
    let blank = Surface::new("R8_UNORM 16x8");
    let run = Simulator::new(source).surface("T7", &blank).threads(2, 2);
    let refused = run.run().expect_err("no files");
    let codes: Vec<String> = refused.diagnostics().map(|d| d.code.to_string()).collect();
    assert_eq!(codes, ["E0702"]);
    assert!(refused.to_string().contains("copy.visa:7:"), "{refused}");
    let picture: Vec<u8> = (0..128).map(|n| n ^ 0x55).collect();
    let mut files = InMemory::default();
    files.insert("in.raw", picture.clone());
    let outcome = run.files(files).jobs(2).run()?;
    assert_eq!(outcome.surface("T7").expect("bound").rows(), picture);
    assert_eq!(outcome.thread_count(), 4);
    Ok(())
}

#[test]
fn a_surface_of_one_run_goes_into_the_next() -> Result<(), Report> {
    let module = Module::parse(&Source::new("copy.visa", COPY))?;
    let program = module.program("copy", Platform::default())?;
    let texels: Vec<u8> = (0..128).collect();
    let first = Simulator::of(&program)
        .surface("T6", &Surface::from_rows("R8_UNORM 16x8", texels))
        .surface("T7", &Surface::new("R8_UNORM 16x8"))
        .run()?;
    let half = first.surface("T7").expect("bound");
    assert_eq!((half.rows()[7], half.rows()[8]), (7, 0));
    let second = Simulator::of(&program)
        .surface("T6", &half)
        .surface("T7", &half)
        .threads(2, 2)
        .run()?;
    assert_eq!(second.surface("T7").expect("bound").rows(), half.rows());
    Ok(())
}

#[test]
fn what_is_given_wrongly_is_shown_at_the_call() {
    let run = |words: &str, rows: Vec<u8>| {
        let surface = Surface::from_rows(words, rows);
        let source = Source::new("copy.visa", COPY.replace("// SURFACE", "// surface"));
        let run = Simulator::new(source).surface("T6", &surface);
        run.run().expect_err("refused").to_string()
    };
    let short = run("R8_UNORM 16x8", vec![0; 127]);
    assert!(
        short.contains("128 bytes of texels, not the 127"),
        "{short}"
    );
    assert!(short.contains("Simulator::surface:1:1"), "{short}");
    let unknown = run("R8_UNROM 16x8", vec![0; 128]);
    assert!(unknown.contains("R8_UNORM"), "{unknown}");
}

/// `?` takes a report into whatever error a host has.
#[test]
fn a_report_is_an_error() {
    fn host() -> Result<(), Box<dyn std::error::Error>> {
        Module::parse(&Source::new("k.visa", "frobnicate\n"))?;
        Ok(())
    }
    assert!(
        host()
            .expect_err("refused")
            .to_string()
            .contains("k.visa:1:1")
    );
}

/// A compiled kernel from bytes: its arguments by name, what it wrote and printed, and what is wrong.
#[test]
fn a_compiled_kernel_runs_on_bytes_of_the_host() {
    let program = include_bytes!("compiled/carried.bin");
    let values: Vec<u8> = (1..=4_u32).flat_map(u32::to_le_bytes).collect();
    let twice = Simulator::compiled("carried.bin", program)
        .kernel("twice")
        .global(&[4])
        .buffer("in", &values)
        .buffer("1", &[0; 16]);
    let doubled: Vec<u8> = (1..=4_u32).flat_map(|n| (2 * n).to_le_bytes()).collect();
    for _ in 0..2 {
        let outcome = twice.run().expect("it runs");
        assert_eq!(outcome.argument("out"), Some(doubled.clone()));
        assert_eq!(outcome.argument("1"), Some(doubled.clone()));
        assert_eq!(outcome.argument("in"), Some(values.clone()));
        assert_eq!(outcome.argument("none"), None);
        assert_eq!(outcome.printed(), "");
    }
    let archive = Simulator::compiled("carried.ar", include_bytes!("compiled/carried.ar"));
    for (run, words) in [
        (archive.clone(), "several devices"),
        (
            Simulator::compiled("k", b"no program"),
            "no program for a GPU",
        ),
        (twice.clone().kernel("thrice"), "no kernel `thrice`"),
        (twice.clone().buffer("inn", &[]), "no argument `inn`"),
        (twice.clone().global(&[]), "work-items"),
        (
            Simulator::compiled("carried.bin", program).global(&[4]),
            "several kernels",
        ),
    ] {
        let report = run.run().expect_err(words).to_string();
        assert!(report.contains(words), "{report}");
    }
    let sums = archive
        .platform(Platform::from_name("dg2").expect("known"))
        .kernel("sums");
    let outcome = sums
        .global(&[4])
        .buffer("out", &[0; 16])
        .run()
        .expect("it runs");
    let out = outcome.argument("out").expect("memory");
    assert_eq!([out[0], out[4], out[8], out[12]], [0, 1, 3, 6]);
}
