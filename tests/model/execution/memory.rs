//! Surface memory, 64-bit addresses, scratch.

use super::{DECLS, as_dwords, dwords, program, run_with, surface};
use std::sync::Arc;
use visim::internals::launch::{Bindings, FlatRange};
use visim::internals::surface::{Description, Format, Generation, Memory, Surface};

const MORE: &str = "
.decl OFF v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=32 align=GRF
.decl R v_type=G type=ud num_elts=32 align=GRF
.decl T6 v_type=T num_elts=1
";

fn buffer(bytes: &[u8]) -> Arc<Surface> {
    let memory = Arc::new(Memory::from_bytes(bytes));
    let description = Description::buffer(Format::R8_UINT, bytes.len() as u32);
    Arc::new(Surface::new(description, memory).expect("a buffer"))
}

/// Runs a body over 64 bytes 0, 1, 2 … at T6; the dwords of R and the bytes afterwards.
fn run(body: &str, set: &[(&str, Vec<u8>)]) -> (Vec<u32>, Vec<u8>) {
    let program = program(&format!("{DECLS}{MORE}{body}"));
    let surface = buffer(&(0..64).collect::<Vec<u8>>());
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::clone(&surface));
    bindings.memory.push(FlatRange {
        address: 0x1_0000_0000,
        memory: Arc::clone(surface.memory()),
    });
    for (name, bytes) in set {
        bindings.variables.insert(name.to_string(), bytes.clone());
    }
    let outcome = run_with(&program, &bindings).unwrap_or_else(|trap| panic!("{trap:#?}"));
    let r = as_dwords(outcome.threads[0].bytes(&program, "R").expect("R"));
    (r, surface.memory().to_vec())
}

#[test]
fn gathers_read_elements_and_zero_outside() {
    let off = [("OFF", dwords([0, 4, 62, 64, 1, 2, 3, -1]))];
    let (r, _) = run("gather_scaled.2 (M1, 8) T6 0x0:ud OFF.0 R.0\n", &off);
    assert_eq!(
        r[..8],
        [0x0100, 0x0504, 0x3f3e, 0, 0x0201, 0x0302, 0x0403, 0]
    );
    // The plain form counts elements, and so does its base: byte 2·(1 + 4) = 10.
    let (r, _) = run("gather.2 (M1, 8) T6 0x1:ud OFF.0 R.0\n", &off);
    assert_eq!(r[1], 0x0b0a);
    // Channels R and B: dwords 0 and 2 after each offset, each in a register of its own.
    let (r, _) = run("gather4_scaled.RB (M1, 8) T6 0x4:ud OFF.0 R.0\n", &off);
    assert_eq!((r[0], r[8]), (0x0706_0504, 0x0f0e_0d0c));
    assert_eq!((r[1], r[9]), (0x0b0a_0908, 0x1312_1110));
}

#[test]
fn scatters_write_active_lanes_only() {
    let set = [
        ("OFF", dwords([0, 8, 16, 24, 64, 0, 0, 0])),
        ("V", dwords([0x11, 0x22, 0x33, 0x44, 0x55])),
    ];
    let body = "setp (M1_NM, 8) P1 0x1b:uw
(P1) scatter_scaled.1 (M1, 8) T6 0x1:ud OFF.0 V.0
";
    let (_, memory) = run(body, &set);
    // Lanes 0, 1, 3, 4; lane 4 lies outside.
    assert_eq!(memory[..4], [0, 0x11, 2, 3]);
    assert_eq!(memory[9], 0x22);
    assert_eq!(memory[17], 17);
    assert_eq!(memory[25], 0x44);
}

#[test]
fn atomics_serve_lanes_one_after_the_other() {
    let set = [
        ("OFF", dwords([4; 8])),
        ("V", dwords([1, 2, 3, 4, 5, 6, 7, 8])),
    ];
    let body = "dword_atomic.add (M1, 8) T6 OFF.0 V.0 %null.0 R.0\n";
    let (r, memory) = run(body, &set);
    let start = 0x0706_0504;
    let wanted: Vec<u32> = [0, 1, 3, 6, 10, 15, 21, 28].map(|n| start + n).to_vec();
    assert_eq!(r[..8], wanted[..]);
    assert_eq!(memory[4..8], (start + 36).to_le_bytes());
    // cmpxchg: source 0 is new, source 1 is compared.
    let body = "mov (M1, 8) R(0,0)<1> 0x7060504:ud
mov (M1, 8) V(1,0)<1> 0x7060504:ud
dword_atomic.cmpxchg (M1, 1) T6 OFF.0 V.0 V.32 %null.0
";
    let (_, memory) = run(body, &set);
    assert_eq!(memory[4..8], [1, 0, 0, 0]);
}

#[test]
fn blocks_of_owords_move_whole() {
    let (r, _) = run("oword_ld (2) T6 0x1:ud R.0\n", &[]);
    let wanted: Vec<u8> = (16..48).collect();
    assert_eq!(r[..8], as_dwords(&wanted)[..]);
    let (r, _) = run("oword_ld_unaligned (1) T6 0x4:ud R.0\n", &[]);
    assert_eq!(r[0], 0x0706_0504);
    let (_, memory) = run(
        "oword_st (1) T6 0x3:ud V.0\n",
        &[("V", dwords([1, 2, 3, 4]))],
    );
    assert_eq!(memory[48..], dwords([1, 2, 3, 4])[..]);
}

#[test]
fn addresses_of_64_bits_reach_the_same_bytes() {
    let address = |offset: u64| (0x1_0000_0000u64 + offset).to_le_bytes();
    let addresses: Vec<u8> = [0, 8, 16, 24].into_iter().flat_map(address).collect();
    let set = [("V", addresses)];
    // Two blocks of four bytes for each of four lanes: block j of lane i at element 4·j + i.
    let (r, _) = run("svm_gather.4.2 (M1, 4) V.0 R.0\n", &set);
    assert_eq!(r[..4], [0x0302_0100, 0x0b0a_0908, 0x1312_1110, 0x1b1a_1918]);
    assert_eq!(r[4], 0x0706_0504);
    let (r, _) = run(
        "svm_block_ld (1) V(0,0)<0;1,0> R.0\n"
            .replace("V(", "Q(")
            .as_str(),
        &[("Q", address(16).to_vec())],
    );
    assert_eq!(r[0], 0x1312_1110);
    let program = program(&format!("{DECLS}{MORE}svm_gather.4.1 (M1, 4) V.0 R.0\n"));
    let trap = run_with(&program, &Bindings::default()).expect_err("no memory");
    assert_eq!(trap.diagnostic.code.to_string(), "E0608");
}

/// What is stored follows from the blocks, although the message of such a scatter counts by the type.
#[test]
fn scatters_store_their_blocks_whatever_the_type_of_the_data() {
    let address = |lane: u64| (0x1_0000_0000u64 + 16 * lane).to_le_bytes();
    let data: Vec<u8> = (100..132).collect();
    for (ty, blocks, bytes) in [
        ("uq", "4.1", 4),
        ("ud", "8.1", 8),
        ("ub", "4.2", 8),
        ("ub", "1.4", 4),
        ("uw", "1.8", 8),
    ] {
        let elements = match ty {
            "uq" => 4,
            "ud" => 8,
            "uw" => 16,
            _ => 32,
        };
        let set = [
            ("V", (0..4).flat_map(address).collect()),
            ("DATA", data.clone()),
        ];
        let body = format!(
            ".decl DATA v_type=G type={ty} num_elts={elements} align=GRF
svm_scatter.{blocks} (M1, 4) V.0 DATA.0
"
        );
        let (_, memory) = run(&body, &set);
        for lane in 0..4 {
            let wanted: Vec<u8> = match blocks {
                // Two blocks: the second follows the first of all four lanes.
                "4.2" => [4 * lane, 16 + 4 * lane]
                    .into_iter()
                    .flat_map(|at| data[at..at + 4].to_vec())
                    .collect(),
                _ => data[bytes * lane..][..bytes].to_vec(),
            };
            assert_eq!(memory[16 * lane..][..bytes], wanted, "{ty} {blocks} {lane}");
        }
    }
}

#[test]
fn scratch_belongs_to_the_thread() {
    let set = [
        ("OFF", dwords([0, 4, 8, 12, 16, 20, 24, 28])),
        ("V", dwords([1, 2, 3, 4, 5, 6, 7, 8])),
    ];
    let body = "scatter4_scaled.R (M1, 8) %scratch 0x100:ud OFF.0 V.0
gather4_scaled.R (M1, 8) %scratch 0x104:ud OFF.0 R.0
";
    let (r, _) = run(body, &set);
    assert_eq!(r[..8], [2, 3, 4, 5, 6, 7, 8, 0]);
}

#[test]
fn typed_messages_convert() {
    let program = program(&format!(
        "{DECLS}{MORE}
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=32 align=GRF
.decl G v_type=G type=f num_elts=32 align=GRF
mov (M1, 8) X(0,0)<1> 0x76543210:uv
mov (M1, 8) OFF(0,0)<1> 0x1:ud
mov (M1, 8) F(0,0)<1> 0x3f800000:f
mov (M1, 8) F(1,0)<1> 0x3e4ccccd:f
scatter4_typed.RGBA (M1, 8) T6 X.0 OFF.0 %null.0 %null.0 F.0
gather4_typed.G (M1, 8) T6 X.0 OFF.0 %null.0 %null.0 G.0
"
    ));
    let described = Description {
        // Typed reads of the format begin here.
        generation: Generation::Gen11,
        ..Description::d2(Format::R8G8B8A8_UNORM, 4, 2)
    };
    let target = Surface::zeroed(described).expect("surface");
    let target = Arc::new(target);
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::clone(&target));
    let outcome = run_with(&program, &bindings).unwrap_or_else(|trap| panic!("{trap:#?}"));
    // 0.2 · 255 = 51; lanes 4..8 are outside.
    let bytes = target.memory().to_vec();
    assert_eq!(bytes[16..24], [255, 51, 0, 0, 255, 51, 0, 0]);
    assert_eq!(bytes[..16], [0; 16]);
    let g = as_dwords(outcome.threads[0].bytes(&program, "G").expect("G"));
    assert_eq!(f32::from_bits(g[3]), 0.2);
    assert_eq!(g[4], 0);
}

/// Raw messages with descriptors put together by hand from the lowering reference 2.1 and 10.
#[test]
fn raw_messages_are_decoded_and_served() {
    let texels: Vec<u8> = (0..64).collect();
    let bound = surface(Format::R8_UNORM, 16, 4, texels);
    let program = program(
        ".decl H v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=1 align=GRF
mov (M1, 1) H(0,0)<1> 0x4:ud
mov (M1, 1) H(0,1)<1> 0x1:ud
mov (M1, 1) H(0,2)<1> 0x10007:ud
raw_send (M1, 8) 0xc 1 1 0x2190006:ud H.0 D.0
mov (M1, 8) O(0,0)<1> 0x76543210:uv
shl (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 0x2:ud
mov (M1, 1) N(0,0)<1> 0x2026e06:ud
raw_sends.12.1.1.0 (M1, 8) 0x4c:ud N(0,0)<0;1,0> O.0 D.0 %null.0
",
    );
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::clone(&bound));
    let outcome = run_with(&program, &bindings).expect("runs");
    // Eight bytes by two rows from (4, 1): bytes 20..28 and 36..44; then dword i goes to byte 4i.
    let block: Vec<u8> = (20..28).chain(36..44).collect();
    let read = outcome.threads[0].bytes(&program, "D").expect("D");
    assert_eq!(read[..16], block[..]);
    assert_eq!(bound.memory().to_vec()[..16], block[..]);
}

/// What tells its coordinates by its length, and blocks at 64-bit addresses: lowering reference 12.2, 13.
#[test]
fn raw_messages_count_what_they_bring() {
    let bound = surface(Format::R32_UINT, 4, 2, vec![0; 32]);
    // u = lane, v = 1 of lanes 0 to 3; adds 10 to 13 and brings back the zeros that were there.
    let body = ".decl M v_type=G type=ud num_elts=24 align=GRF
.decl R v_type=G type=ud num_elts=8 align=GRF
mov (M1, 8) M(0,0)<1> 0x76543210:uv
mov (M1, 8) M(1,0)<1> 0x1:ud
add (M1, 8) M(2,0)<1> M(0,0)<1;1,0> 0xa:ud
mov (M1, 8) R(0,0)<1> 0xff:ud
raw_send (M1, 8) 0xc 3 1 0x611a706:ud M.0 R.0
";
    let atomic = program(body);
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::clone(&bound));
    let outcome = run_with(&atomic, &bindings).unwrap_or_else(|trap| panic!("{trap:#?}"));
    let after = as_dwords(&bound.memory().to_vec());
    assert_eq!(after, [0, 0, 0, 0, 10, 11, 12, 13]);
    assert_eq!(
        as_dwords(outcome.threads[0].bytes(&atomic, "R").expect("R"))[..4],
        [0; 4]
    );
    // svm_scatter.4.2 of eight lanes: block j of lane i is element 8 j + i.
    let address = |lane: u64| (0x1_0000_0000u64 + 8 * lane).to_le_bytes();
    let addresses = (0..8).flat_map(address).collect();
    let data = (0..16).flat_map(|n: u32| n.to_le_bytes()).collect();
    let set = [("Q8", addresses), ("WORDS", data)];
    let body = ".decl Q8 v_type=G type=uq num_elts=8 align=GRF
.decl WORDS v_type=G type=ud num_elts=16 align=GRF
raw_sends.12.2.2.0 (M1, 8) 0x8c:ud 0x40685ff:ud Q8.0 WORDS.0 %null.0
";
    let (_, memory) = run(body, &set);
    let wanted: Vec<u8> = (0..8).flat_map(|i| dwords([i, 8 + i])).collect();
    assert_eq!(memory, wanted);
}

/// A message that is known and not modelled is refused by its name: URB write, lowering reference 15.
#[test]
fn a_raw_message_that_is_not_modelled_is_named() {
    let program = program(&format!(
        "{DECLS}raw_send (M1, 8) 0x6 2 0 0x4080007:ud A.0 %null.0\n"
    ));
    let trap = run_with(&program, &Bindings::default()).expect_err("not modelled");
    assert_eq!(trap.diagnostic.code.to_string(), "N0601");
    assert_eq!(
        trap.diagnostic.message,
        "the raw message URB write is not modelled"
    );
    assert_eq!(
        trap.diagnostic.notes[0],
        "descriptor 0x04080007: urb: offset 0, per slot no, masked no"
    );
}

/// Any descriptor at all is served or refused, without a panic.
#[test]
fn no_descriptor_panics() {
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 32) as u32
    };
    let mut served = 0;
    for function in [2, 10, 12] {
        let program = program(&format!(
            ".decl H v_type=G type=ud num_elts=64 align=GRF
.decl D v_type=G type=ud num_elts=256 align=GRF
.decl N v_type=G type=ud num_elts=1 align=GRF
raw_sends.{function}.8.8.8 (M1, 16) {:#x}:ud N(0,0)<0;1,0> H.0 D.0 D.0
",
            8 << 6 | function
        ));
        for _ in 0..1500 {
            // Bindings 0..8, and lengths that often fit.
            let desc = random() & 0x1fff_ff07;
            let mut bindings = Bindings::default();
            let header: Vec<i64> = (0..64).map(|_| i64::from(random() & 0x3f_f03f)).collect();
            bindings.variables.insert("H".into(), dwords(header));
            bindings
                .variables
                .insert("N".into(), dwords([i64::from(desc)]));
            let bound = surface(Format::R8G8B8A8_UINT, 16, 4, vec![7; 256]);
            bindings.surfaces.insert(desc & 7, bound);
            served += u32::from(run_with(&program, &bindings).is_ok());
        }
    }
    assert!(served > 40, "{served} messages were served");
}
