//! LSC messages, on DG2: registers of 32 bytes.

use super::{DECLS, as_dwords, dwords, program_for, run_with};
use std::sync::Arc;
use visim::internals::isa::Platform;
use visim::internals::launch::{Bindings, FlatRange};
use visim::internals::surface::{Description, Format, Memory, Surface};

const MORE: &str = "
.decl A64 v_type=G type=uq num_elts=8 align=GRF
.decl A32 v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=32 align=GRF
.decl NEW v_type=G type=ud num_elts=32 align=GRF
.decl R v_type=G type=ud num_elts=32 align=GRF
";

/// Where the bytes 0, 1, 2 … 63 lie; the same at surface 3.
const BASE: u64 = 0x1_0000_0000;

fn addresses(offsets: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let bytes = offsets.into_iter().map(|o| (BASE + o).to_le_bytes());
    bytes.flatten().collect()
}

/// The dwords of R and the memory afterwards.
fn run(body: &str, set: &[(&str, Vec<u8>)]) -> (Vec<u32>, Vec<u8>) {
    let program = program_for(Platform::Dg2, &format!("{DECLS}{MORE}{body}\n"));
    let memory = Arc::new(Memory::from_bytes(&(0..64).collect::<Vec<u8>>()));
    let surface = Surface::new(
        Description::buffer(Format::R8_UINT, 64),
        Arc::clone(&memory),
    );
    let mut bindings = Bindings::default();
    bindings
        .surfaces
        .insert(3, Arc::new(surface.expect("a buffer")));
    bindings.memory.push(FlatRange {
        address: BASE,
        memory: Arc::clone(&memory),
    });
    for (name, bytes) in set {
        bindings.variables.insert(name.to_string(), bytes.clone());
    }
    let outcome = run_with(&program, &bindings).unwrap_or_else(|trap| panic!("{trap:#?}"));
    let r = as_dwords(outcome.threads[0].bytes(&program, "R").expect("R"));
    (r, memory.to_vec())
}

#[test]
fn components_lie_in_rows_of_registers() {
    let set = [("A64", addresses((0..8).map(|lane| 4 * lane)))];
    let (r, _) = run("lsc_load.ugm.ca.ca (M1, 8) R:d32x2 flat[A64+0x4]:a64", &set);
    // Lane 1: bytes 8.. and 12..; its second component is one register (8 dwords) further on.
    assert_eq!((r[1], r[9]), (0x0b0a_0908, 0x0f0e_0d0c));
    // A quad reads the named components only, without gaps between rows.
    let (r, _) = run("lsc_load_quad.ugm (M1, 8) R:d32.xz flat[A64]:a64", &set);
    assert_eq!((r[1], r[9]), (0x0706_0504, 0x0f0e_0d0c));
}

#[test]
fn small_elements_fill_dwords() {
    let set = [("A64", addresses((0..8).map(|lane| lane + 1)))];
    let (r, _) = run("lsc_load.ugm (M1, 8) R:d8c32 flat[A64]:a64", &set);
    assert_eq!(r[..3], [1, 2, 3]);
    let (r, _) = run("lsc_load.ugm (M1, 8) R:d16c32 flat[A64]:a64", &set);
    assert_eq!(r[..2], [0x0201, 0x0302]);
    let (r, _) = run("lsc_load.ugm (M1, 8) R:d16c32h flat[A64]:a64", &set);
    assert_eq!(r[..2], [0x0201_0000, 0x0302_0000]);
    let store = [
        ("A64", addresses((0..8).map(|lane| 2 * lane))),
        ("V", dwords((0..8).map(|lane| 0x1111_0100 + lane))),
    ];
    let (_, memory) = run("lsc_store.ugm (M1, 8) flat[A64]:a64 V:d8c32", &store);
    assert_eq!(memory[..5], [0, 1, 1, 3, 2]);
}

#[test]
fn transposed_elements_follow_each_other() {
    let set = [("A64", addresses([16]))];
    let (r, _) = run("lsc_load.ugm (M1_NM, 1) R:d32x4t flat[A64]:a64", &set);
    assert_eq!(r[..4], [0x1312_1110, 0x1716_1514, 0x1b1a_1918, 0x1f1e_1d1c]);
    let set = [("A64", addresses([8])), ("V", dwords([7, 9]))];
    let (_, memory) = run("lsc_store.ugm (M1_NM, 1) flat[A64]:a64 V:d32x2t", &set);
    assert_eq!(memory[8..16], [7, 0, 0, 0, 9, 0, 0, 0]);
}

#[test]
fn other_memories_have_short_addresses() {
    let set = [("A32", dwords([8, 60, 64, 0, 0, 0, 0, 0]))];
    // A surface reads 0 outside.
    let (r, _) = run("lsc_load.ugm (M1, 8) R:d32 bti(0x3)[A32]:a32", &set);
    assert_eq!(r[..3], [0x0b0a_0908, 0x3f3e_3d3c, 0]);
    // A thread's scratch keeps what was stored, whatever the handle.
    let set = [
        ("A32", dwords((0..8).map(|l| 4 * l))),
        ("V", dwords(40..48)),
    ];
    let body = "lsc_store.ugm (M1, 8) ss(NEW)[A32]:a32 V:d32
lsc_load.ugm (M1, 8) R:d32 ss(NEW)[A32]:a32";
    assert_eq!(run(body, &set).0[..2], [40, 41]);
}

#[test]
fn atomics_hand_back_the_old_value() {
    let set = [("A64", addresses([0; 8])), ("V", dwords([1; 8]))];
    let (r, memory) = run(
        "lsc_atomic_iadd.ugm (M1, 8) R:d32 flat[A64]:a64 V %null",
        &set,
    );
    assert_eq!(r[..3], [0x0302_0100, 0x0302_0101, 0x0302_0102]);
    assert_eq!(memory[0], 8);
    // Source 1 is compared, source 2 is new.
    let set = [
        ("A64", addresses([0, 4, 8, 12, 16, 20, 24, 28])),
        ("V", dwords([0x0302_0100; 8])),
        ("NEW", dwords([77; 8])),
    ];
    let (r, memory) = run(
        "lsc_atomic_icas.ugm (M1, 8) R:d32 flat[A64]:a64 V NEW",
        &set,
    );
    assert_eq!(r[..2], [0x0302_0100, 0x0706_0504]);
    assert_eq!(memory[..5], [77, 0, 0, 0, 4]);
}

/// Bytes of registers that a 2D block leaves, on PVC: registers of 64 bytes.
fn block(body: &str, set: &[(&str, u32)]) -> (Vec<u8>, Vec<u8>) {
    let decls = "
.decl BASE v_type=G type=uq num_elts=1 align=GRF
.decl W v_type=G type=ud num_elts=1 align=GRF
.decl H v_type=G type=ud num_elts=1 align=GRF
.decl P v_type=G type=ud num_elts=1 align=GRF
.decl X v_type=G type=d num_elts=1 align=GRF
.decl Y v_type=G type=d num_elts=1 align=GRF
.decl D v_type=G type=ub num_elts=1024 align=GRF
";
    let program = program_for(Platform::Pvc, &format!("{decls}{body}\n"));
    // Byte x of row y is 16 y + x, 16 bytes a row.
    let memory = Arc::new(Memory::from_bytes(&(0..=255).collect::<Vec<u8>>()));
    let mut bindings = Bindings::default();
    bindings.memory.push(FlatRange {
        address: BASE,
        memory: Arc::clone(&memory),
    });
    let mut give = |name: &str, bytes: Vec<u8>| bindings.variables.insert(name.to_string(), bytes);
    give("BASE", BASE.to_le_bytes().to_vec());
    // Twelve bytes by ten rows of the memory.
    for (name, value) in [("W", 11), ("H", 9), ("P", 15)].iter().chain(set) {
        give(name, value.to_le_bytes().to_vec());
    }
    let outcome = run_with(&program, &bindings).unwrap_or_else(|trap| panic!("{trap:#?}"));
    let d = outcome.threads[0].bytes(&program, "D").expect("D");
    (d.to_vec(), memory.to_vec())
}

const BLOCK: &str = "flat[BASE,W,H,P,X,Y]";

#[test]
fn rows_of_a_block_lie_one_behind_the_other() {
    // Three bytes by two rows from (2, 1): each row takes four bytes, the fourth is 0.
    let set = [("X", 2), ("Y", 1)];
    let (d, _) = block(
        &format!("lsc_load_block2d.ugm (M1_NM, 1) D:d8.3x2nn {BLOCK}"),
        &set,
    );
    assert_eq!(d[..8], [0x12, 0x13, 0x14, 0, 0x22, 0x23, 0x24, 0]);
    // The next block begins with a register of its own, at the column after the first one's last.
    let (d, _) = block(
        &format!("lsc_load_block2d.ugm (M1_NM, 1) D:d8.2x4x2nn {BLOCK}"),
        &set,
    );
    assert_eq!(d[..4], [0x12, 0x13, 0x14, 0x15]);
    assert_eq!(d[64..72], [0x16, 0x17, 0x18, 0x19, 0x26, 0x27, 0x28, 0x29]);
    // Columns count elements; constants after them are added.
    let text = "lsc_load_block2d.ugm (M1_NM, 1) D:d16.2x1nn flat[BASE,W,H,P,X+1,Y-1]";
    let (d, _) = block(text, &set);
    assert_eq!(d[..4], [0x06, 0x07, 0x08, 0x09]);
}

#[test]
fn transposed_and_packed_blocks_lie_by_columns() {
    let set = [("X", 0), ("Y", 0)];
    // Columns of three dwords: from column to column four of them.
    let (d, _) = block(
        &format!("lsc_load_block2d.ugm (M1_NM, 1) D:d32.2x3tn {BLOCK}"),
        &set,
    );
    assert_eq!(d[..4], [0x00, 0x01, 0x02, 0x03]);
    assert_eq!(d[4..8], [0x10, 0x11, 0x12, 0x13]);
    assert_eq!(d[12..20], [0, 0, 0, 0, 0x04, 0x05, 0x06, 0x07]);
    // VNNI: the words of two rows fill a dword, four rows of bytes another one.
    let (d, _) = block(
        &format!("lsc_load_block2d.ugm (M1_NM, 1) D:d16.2x2nt {BLOCK}"),
        &set,
    );
    assert_eq!(d[..8], [0x00, 0x01, 0x10, 0x11, 0x02, 0x03, 0x12, 0x13]);
    let (d, _) = block(
        &format!("lsc_load_block2d.ugm (M1_NM, 1) D:d8.2x4nt {BLOCK}"),
        &set,
    );
    assert_eq!(d[..8], [0x00, 0x10, 0x20, 0x30, 0x01, 0x11, 0x21, 0x31]);
    // Both: the words of two columns of a row fill a dword, rows follow each other.
    let (d, _) = block(
        &format!("lsc_load_block2d.ugm (M1_NM, 1) D:d16.2x2tt {BLOCK}"),
        &set,
    );
    assert_eq!(d[..8], [0x00, 0x01, 0x02, 0x03, 0x10, 0x11, 0x12, 0x13]);
}

#[test]
fn what_lies_outside_a_block_surface_is_zero_and_not_stored() {
    // From one byte in front of the surface to after its ninth row.
    let set = [("X", u32::MAX), ("Y", 9)];
    let (d, _) = block(
        &format!("lsc_load_block2d.ugm (M1_NM, 1) D:d8.4x2nn {BLOCK}"),
        &set,
    );
    assert_eq!(d[..8], [0, 0x90, 0x91, 0x92, 0, 0, 0, 0]);
    // Byte 11 of a row is the last one of the surface, though memory goes on.
    let body = format!(
        "mov (M1_NM, 32) D(0,0)<1> 0xff:ub\nlsc_store_block2d.ugm (M1_NM, 1) {BLOCK} D:d8.4x2nn"
    );
    let (_, memory) = block(&body, &[("X", 10), ("Y", 9)]);
    let mut wanted: Vec<u8> = (0..=255).collect();
    wanted[16 * 9 + 10..16 * 9 + 12].fill(0xff);
    assert_eq!(memory, wanted);
    // A load to nowhere reads nothing.
    let text = "lsc_load_block2d.ugm (M1_NM, 1) %null:d8.4x2nn flat[0x0,W,H,P,X,Y]";
    block(text, &set);
}
