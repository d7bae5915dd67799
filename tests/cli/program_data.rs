//! Constants and globals of a program, and the pointers among them.

use super::folder::{folder, holds, said};
use object::{Object, ObjectSection, ObjectSymbol};
use std::path::PathBuf;
use tempfile::TempDir;
use visim::internals::launch::kernel::binary;

fn samples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/kernels")
}

/// The text of lesson 60 and its program, as `change` leaves it.
fn lesson(change: impl Fn(&mut Vec<u8>)) -> TempDir {
    let folder = folder(&[]);
    let mut program = std::fs::read(samples().join("51-curves.zebin")).expect("the program");
    change(&mut program);
    std::fs::write(folder.path().join("k.bin"), program).expect("written");
    std::fs::copy(
        samples().join("51-curves.visaasm"),
        folder.path().join("k.visaasm"),
    )
    .expect("copied");
    folder
}

const RUN: [&str; 6] = [
    "run",
    "k.visaasm",
    "--global",
    "8",
    "--arg",
    "out=buffer:o.bin:size=32",
];

/// Byte offset in the file of a section of lesson 60.
fn section(program: &[u8], name: &str) -> usize {
    let file = object::File::parse(program).expect("ELF");
    let section = file.section_by_name(name).and_then(|s| s.file_range());
    section.expect(name).0 as usize
}

#[test]
fn pointers_of_a_program_lead_where_it_says() {
    let folder = lesson(|_| ());
    for more in [&[][..], &["--zebin", "k.bin"], &["--sanitize"]] {
        said(&folder, &[&RUN[..], more].concat(), 0);
        let written = std::fs::read(folder.path().join("o.bin")).expect("written");
        let floats: Vec<f32> = written
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect();
        // rise[i / 2] of even work-items, fall[1 + i / 2] of odd ones, and 0.5.
        assert_eq!(floats, [1.5, 30.5, 2.5, 20.5, 3.5, 10.5, 4.5, 0.5]);
    }
    // Of a description without data and a program the program is taken, wherever it is in the folder.
    let program = std::fs::read(folder.path().join("k.bin")).expect("the program");
    let file = object::File::parse(&program[..]).expect("ELF");
    let text = file.section_by_name(".ze_info").and_then(|s| s.data().ok());
    std::fs::write(folder.path().join("a.zeinfo"), text.expect(".ze_info")).expect("written");
    said(&folder, &RUN, 0);
    std::fs::remove_file(folder.path().join("k.bin")).expect("removed");
    let told = said(&folder, &[&RUN[..], &["--platform", "pvc"]].concat(), 1);
    holds(&told, &["E0652", "nothing at hand has `curves`", "--zebin"]);
}

#[test]
fn pointers_that_lead_nowhere_are_refused() {
    // An entry: 8 bytes of place, 4 of kind, 4 of symbol.
    let relocation = |program: &[u8]| section(program, ".rel.data.const");
    let set = |program: &mut Vec<u8>, at: usize, value: u32| {
        program[at..at + 4].copy_from_slice(&value.to_le_bytes());
    };
    let refused = |change: &dyn Fn(&mut Vec<u8>), words: &[&str]| {
        let told = said(
            &lesson(change),
            &[&RUN[..], &["--zebin", "k.bin"]].concat(),
            2,
        );
        holds(&told, words);
        holds(&told, &["in k.bin"]);
    };
    let place = |program: &mut Vec<u8>| set(program, relocation(program), 49);
    refused(
        &place,
        &[
            "E0640",
            "a pointer at byte 49 of the program's constants, which have 56",
        ],
    );
    let kind = |program: &mut Vec<u8>| set(program, relocation(program) + 8, 2);
    refused(
        &kind,
        &[
            "N0640",
            "an address in the program's constants of another kind",
        ],
    );
    let function = |program: &mut Vec<u8>| {
        let file = object::File::parse(&program[..]).expect("ELF");
        let kernel = file.symbols().find(|s| s.name() == Ok("bend"));
        let index = kernel.expect("the kernel").index().0 as u32;
        set(program, relocation(program) + 12, index);
    };
    refused(
        &function,
        &[
            "E0652",
            "the program's constants point to `bend`, which is not data",
        ],
    );
    let nobody = |program: &mut Vec<u8>| set(program, relocation(program) + 12, 1 << 20);
    refused(&nobody, &["E0652", "point to ``"]);
}

/// Sections of zeros follow the data that have values: as the compiler declares them, without bytes in the file.
#[test]
fn zeros_of_a_program_follow_its_data() {
    let zeros = |size: u64| {
        move |program: &mut Vec<u8>| {
            // The texts of options become zeros after the globals.
            let names = section(program, ".strtab");
            let name = b".misc.buildOptions";
            let at = program[names..].windows(name.len()).position(|w| w == name);
            let at = names + at.expect("its name");
            program[at..at + name.len()].copy_from_slice(b".bss.global\0\0\0\0\0\0\0");
            let headers = u64::from_le_bytes(program[40..48].try_into().expect("8 bytes")) as usize;
            let count = usize::from(u16::from_le_bytes([program[60], program[61]]));
            let header = (0..count).map(|n| headers + 64 * n).find(|&h| {
                let name = u32::from_le_bytes(program[h..h + 4].try_into().expect("4 bytes"));
                names + name as usize == at
            });
            let header = header.expect("its header");
            program[header + 4..header + 8].copy_from_slice(&8_u32.to_le_bytes());
            program[header + 32..header + 40].copy_from_slice(&size.to_le_bytes());
        }
    };
    let read = |size: u64| {
        let folder = lesson(zeros(size));
        let program = std::fs::read(folder.path().join("k.bin")).expect("the program");
        binary::read(&program, "bend")
    };
    // 0.5, four bytes of padding and a pointer come first.
    let data = read(100).expect("it reads").data;
    assert_eq!(data.globals.map(|g| g.len()), Some(116));
    let large = read(1 << 40).expect_err("too large");
    assert_eq!(large.code, visim::internals::diagnostic::Code::L0640);
}

/// Two pointers deep in constants that a launch file hands over as they are.
#[test]
fn pointers_of_a_launch_file_are_told_to_lead_nowhere() {
    let folder = folder(&[]);
    let text = "\
.version 4.1
.kernel \"k\"
.decl P v_type=G type=uq num_elts=1 align=qword
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl O v_type=G type=ud num_elts=8 align=GRF
.input P offset=64 size=8
.kernel_attr SimdSize=8
    mov (M1, 8) A(0,0)<1> P(0,0)<0;1,0>
    svm_gather.8.1 (M1, 8) A.0 Q.0
    svm_gather.4.1 (M1, 8) Q.0 O.0
    ret (M1, 1)
";
    std::fs::write(folder.path().join("k.visaasm"), text).expect("written");
    std::fs::write(folder.path().join("c.bin"), 16_u64.to_le_bytes()).expect("written");
    let launch = |data: &str| {
        let device = format!(
            r#"{{"visaasm": "k.visaasm", "simd": 8, "cross_thread_base": 64, {data}
                "payload": [{{"kind": "const_base", "offset": 0, "size": 8}}]}}"#
        );
        let json = format!(r#"{{"global_size": [8], "args": [], "devices": {{"skl": {device}}}}}"#);
        std::fs::write(folder.path().join("l.json"), json).expect("written");
        said(&folder, &["run", "k.visaasm", "--launch", "l.json"], 1)
    };
    let told = launch(r#""const_data": "c.bin","#);
    holds(
        &told,
        &[
            "E0608",
            "no memory at address 0x10",
            "pointers in the program's constants",
            "--zebin",
        ],
    );
    // Data that nobody names hold no pointers.
    let told = launch("");
    assert!(
        told.contains("E0608") && !told.contains("pointers in"),
        "{told}"
    );
}

/// A program with bytes changed is read or refused.
#[test]
fn changed_programs_are_read_or_refused() {
    let whole = std::fs::read(samples().join("51-curves.zebin")).expect("the program");
    // What is read of it is from the data on; the native code and the source in front of it do not matter.
    let parts = [
        section(&whole, ".data.const")..section(&whole, ".spv"),
        section(&whole, ".note.intelgt.metrics")..whole.len(),
        0..64,
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below
    };
    let (mut read, mut refused) = (0, 0);
    for _ in 0..4000 {
        let mut program = whole.clone();
        for _ in 0..=next(3) {
            let part = parts[next(parts.len())].clone();
            program[part.start + next(part.len())] =
                [0, 1, 0x7f, 0x80, 0xff, next(256) as u8][next(6)];
        }
        match binary::read(&program, "bend") {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
        let _ = binary::platform(&program);
    }
    assert!(
        read > 100 && refused > 100,
        "{read} read, {refused} refused"
    );
}
