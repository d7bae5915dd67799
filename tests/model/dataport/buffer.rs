//! Buffers as the messages of Gen5 see them: oword blocks, pairs of them, scattered dwords, vertices.

use pretty_assertions::assert_eq;
use visim::internals::dataport::buffer::{
    Buffer, Owords, Register, read_dual, read_dwords, read_owords, write_dual, write_dwords,
    write_owords,
};
use visim::internals::dataport::touch::TouchLog;
use visim::internals::diagnostic::Class;
use visim::internals::surface::{Description, Format, Memory, Refused, Surface};

/// Without an observer.
fn write_vertex(surface: &Surface, index: u32, rgba: [u32; 4], mask: u32) -> Result<(), Refused> {
    visim::internals::dataport::buffer::write_vertex(surface, index, rgba, mask, TouchLog::NONE)
}

/// `owords` owords of 0, 1, 2 … modulo 256.
fn counted(owords: u32) -> Surface {
    let format = Format::R32G32B32A32_FLOAT;
    let surface = Surface::zeroed(Description::buffer(format, owords)).unwrap();
    let bytes: Vec<u8> = (0..16 * owords).map(|i| i as u8).collect();
    surface.memory().write(0, &bytes);
    surface
}

fn buffer(surface: &Surface) -> Buffer<'_> {
    Buffer::of(surface, 16, "").unwrap()
}

const OLD: Register = [0xee; 32];

/// Puts owords into registers.
fn into(registers: &mut [Register]) -> impl FnMut(usize, &[u8; 16]) {
    |at, oword| registers[at / 32][at % 32..][..16].copy_from_slice(oword)
}

/// The first byte of each oword of a register.
fn firsts(registers: &[Register]) -> Vec<[u8; 2]> {
    registers.iter().map(|r| [r[0], r[16]]).collect()
}

#[test]
fn mask_groups_of_four_bring_whole_owords() {
    let surface = counted(8);
    let block = Owords {
        offset: 0,
        count: 8,
        high: false,
    };
    let mut registers = [OLD; 4];
    // Lane 5 enables the upper oword of W0 and W2, lane 8 the lower one of W1 and W3.
    read_owords(
        &buffer(&surface),
        block,
        1 << 5 | 1 << 8,
        into(&mut registers),
    )
    .unwrap();
    assert_eq!(
        firsts(&registers),
        [[0xee, 16], [32, 0xee], [0xee, 80], [96, 0xee]]
    );
}

#[test]
fn one_oword_goes_to_either_half_and_outside_is_zero() {
    let surface = counted(2);
    let mut block = Owords {
        offset: 16,
        count: 1,
        high: true,
    };
    let mut registers = [OLD];
    read_owords(&buffer(&surface), block, 0xf0, into(&mut registers)).unwrap();
    assert_eq!(firsts(&registers), [[0xee, 16]]);
    block.offset = 32;
    read_owords(&buffer(&surface), block, 0x80, into(&mut registers)).unwrap();
    assert_eq!(firsts(&registers), [[0xee, 0]]);
    // The mask of the other half enables nothing.
    block.offset = 0;
    registers = [OLD];
    read_owords(&buffer(&surface), block, 0x0f, into(&mut registers)).unwrap();
    assert_eq!(registers, [OLD]);
}

#[test]
fn writes_mask_each_dword_and_are_dropped_outside() {
    let surface = counted(2);
    let block = Owords {
        offset: 16,
        count: 2,
        high: false,
    };
    // Dword 1 of the first oword; all of the second, which lies after the buffer.
    write_owords(&buffer(&surface), block, 0xf2, &[[0xaa; 32]]).unwrap();
    let bytes = surface.memory().to_vec();
    assert_eq!(
        bytes[16..28],
        [16, 17, 18, 19, 0xaa, 0xaa, 0xaa, 0xaa, 24, 25, 26, 27]
    );
}

#[test]
fn what_runs_past_32_bits_does_not_come_back_to_byte_0() {
    let surface = counted(2);
    let block = Owords {
        offset: 0xffff_fff0,
        count: 2,
        high: false,
    };
    write_owords(&buffer(&surface), block, 0xff, &[[0xaa; 32]]).unwrap();
    write_dual(
        &buffer(&surface),
        [0xffff_fff0; 2],
        4,
        0x0f,
        &[[0xaa; 32]; 4],
    )
    .unwrap();
    let mut registers = [[9; 32]];
    read_owords(&buffer(&surface), block, 0xff, into(&mut registers)).unwrap();
    assert_eq!(registers, [[0; 32]]);
    let mut registers = [[9; 32]; 4];
    read_dual(
        &buffer(&surface),
        [0xffff_fff0; 2],
        4,
        0xff,
        into(&mut registers),
    )
    .unwrap();
    assert_eq!(registers, [[0; 32]; 4]);
    let whole = Owords { offset: 0, ..block };
    let mut registers = [[9; 32]];
    read_owords(&buffer(&surface), whole, 0xff, into(&mut registers)).unwrap();
    assert_eq!(registers, [counting()]);
}

#[test]
fn dual_blocks_take_an_offset_for_each_half() {
    let surface = counted(8);
    let mut registers = [OLD; 4];
    read_dual(&buffer(&surface), [16, 64], 4, 0x11, into(&mut registers)).unwrap();
    assert_eq!(
        firsts(&registers),
        [[16, 64], [32, 80], [48, 96], [64, 112]]
    );
    registers = [OLD; 4];
    read_dual(&buffer(&surface), [0, 48], 1, 0x20, into(&mut registers)).unwrap();
    assert_eq!(firsts(&registers[..2]), [[0xee, 48], [0xee, 0xee]]);
    let overlap = write_dual(&buffer(&surface), [0, 0], 1, 0xff, &[counting()]);
    assert_eq!(overlap.unwrap_err().class, Class::Undefined);
    // Disjoint lanes of the same oword do not meet.
    write_dual(&buffer(&surface), [0, 0], 1, 0b0001_1110, &[[7; 32]]).unwrap();
    assert_eq!(surface.memory().to_vec()[..16], [7; 16]);
}

fn counting() -> Register {
    std::array::from_fn(|i| i as u8)
}

#[test]
fn scattered_dwords_follow_their_lanes() {
    let surface = counted(4);
    let buffer = buffer(&surface);
    let mut data = [9; 8];
    let offsets = [0, 6, 60, 64, u32::MAX, 0, 0, 0];
    read_dwords(&buffer, &offsets, 0x1f, &mut data).unwrap();
    // Byte 6 is in the dword at 4; 64 and beyond are outside.
    assert_eq!(data, [0x0302_0100, 0x0706_0504, 0x3f3e_3d3c, 0, 0, 9, 9, 9]);
    write_dwords(&buffer, &[8, 8], 0b01, &[1, 2]).unwrap();
    assert_eq!(surface.memory().to_vec()[8..12], [1, 0, 0, 0]);
    let twice = write_dwords(&buffer, &[8, 8], 0b11, &[1, 2]).unwrap_err();
    assert_eq!(twice.class, Class::Undefined);
    assert_eq!(write_dwords(&buffer, &[8, 8], 0b11, &[2, 2]), Ok(()));
}

#[test]
fn stateless_memory_begins_at_its_base_and_is_limited() {
    let memory = Memory::zeroed(64);
    let buffer = Buffer::stateless(&memory, 32);
    write_dwords(&buffer, &[4], 1, &[5]).unwrap();
    assert_eq!(memory.to_vec()[36], 5);
    let past = write_dwords(&buffer, &[32], 1, &[5]).unwrap_err();
    assert_eq!(past.class, Class::Limit);
    assert!(write_dwords(&Buffer::stateless(&memory, 1 << 20), &[0], 1, &[5]).is_err());
}

#[test]
fn a_vertex_has_the_channels_of_its_format() {
    let format = Format::named("R32G32B32_FLOAT").unwrap();
    let surface = Surface::zeroed(Description::buffer(format, 3)).unwrap();
    let rgba = [1, 2, 3, 4];
    write_vertex(&surface, 1, rgba, 0b1101).unwrap();
    let dwords = |s: &Surface| {
        let bytes = s.memory().to_vec();
        bytes.chunks(4).map(|b| b[0]).collect::<Vec<_>>()
    };
    assert_eq!(dwords(&surface), [0, 0, 0, 1, 0, 3, 0, 0, 0]);
    write_vertex(&surface, 3, rgba, 0xf).unwrap();
    assert_eq!(dwords(&surface), [0, 0, 0, 1, 0, 3, 0, 0, 0]);
    assert_eq!(write_vertex(&Surface::null(), 9, rgba, 0xf), Ok(()));
    let unorm = Surface::zeroed(Description::buffer(Format::R8G8B8A8_UNORM, 3)).unwrap();
    assert!(write_vertex(&unorm, 0, rgba, 0xf).is_err());
}
