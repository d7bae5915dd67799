//! Render target UNORM blocks: 8 by 4 pixels of four bytes, two channels to a register.

use pretty_assertions::assert_eq;
use visim::internals::dataport::buffer::Register;
use visim::internals::dataport::touch::TouchLog;
use visim::internals::dataport::unorm::{Corner, mask_bit};
use visim::internals::diagnostic::Class;
use visim::internals::message::FieldSelect;
use visim::internals::surface::{Description, Format, Refused, Surface};

/// Without an observer.
fn read(surface: &Surface, corner: Corner) -> Result<[Register; 4], Refused> {
    visim::internals::dataport::unorm::read(surface, corner, TouchLog::NONE)
}

fn write(
    surface: &Surface,
    corner: Corner,
    mask: u32,
    registers: &[Register; 4],
) -> Result<(), Refused> {
    visim::internals::dataport::unorm::write(surface, corner, mask, registers, TouchLog::NONE)
}

const CORNER: Corner = Corner {
    x: 0,
    y: 0,
    field: FieldSelect::State,
};

/// Byte n of a surface of 8×4 pixels is n.
fn counted() -> Surface {
    let surface = Surface::zeroed(Description::d2(Format::R8G8B8A8_UNORM, 8, 4)).unwrap();
    let bytes: Vec<u8> = (0..128).collect();
    for y in 0..4 {
        let row = surface.address(0, y);
        surface.memory().write(row, &bytes[32 * y as usize..][..32]);
    }
    surface
}

#[test]
fn the_mask_follows_the_table_of_the_manual() {
    let rows: Vec<Vec<u32>> = (0..4)
        .map(|y| (0..8).map(|x| mask_bit(x, y)).collect())
        .collect();
    assert_eq!(
        rows,
        [
            [0, 1, 4, 5, 16, 17, 20, 21],
            [2, 3, 6, 7, 18, 19, 22, 23],
            [8, 9, 12, 13, 24, 25, 28, 29],
            [10, 11, 14, 15, 26, 27, 30, 31],
        ]
    );
}

#[test]
fn two_channels_share_a_register() {
    let registers = read(&counted(), CORNER).unwrap();
    // W0.0: pixel 1 channel 1, 0, pixel 0 channel 1, 0; pixel n is at byte 4 n.
    assert_eq!(registers[0][..4], [0, 1, 4, 5]);
    // W0.2: pixels 9 and 8, W0.4: 5 and 4, W0.7: 15 and 14.
    assert_eq!(registers[0][8..12], [32, 33, 36, 37]);
    assert_eq!(registers[0][16..20], [16, 17, 20, 21]);
    assert_eq!(registers[0][28..], [56, 57, 60, 61]);
    // W1.0: pixels 17 and 16; W2.0: channels 3/2 of pixels 1 and 0; W3.7: pixels 31 and 30.
    assert_eq!(registers[1][..4], [64, 65, 68, 69]);
    assert_eq!(registers[2][..4], [2, 3, 6, 7]);
    assert_eq!(registers[3][28..], [122, 123, 126, 127]);
}

#[test]
fn what_was_read_is_written_back_by_the_mask() {
    let source = counted();
    let registers = read(&source, CORNER).unwrap();
    let copy = Surface::zeroed(source.description().clone()).unwrap();
    write(&copy, CORNER, u32::MAX, &registers).unwrap();
    assert_eq!(copy.to_rows(), source.to_rows());
    let one = Surface::zeroed(source.description().clone()).unwrap();
    // Bit 25 is pixel x = 5, y = 2, which is pixel 21.
    write(&one, CORNER, 1 << 25, &registers).unwrap();
    let rows = one.to_rows();
    assert_eq!(rows[84..88], [84, 85, 86, 87]);
    assert_eq!(rows.iter().filter(|&&b| b != 0).count(), 4);
}

#[test]
fn outside_is_zero_and_dropped() {
    let surface = counted();
    let beside = Corner { x: -8, ..CORNER };
    assert_eq!(read(&surface, beside).unwrap(), [[0; 32]; 4]);
    write(&surface, beside, u32::MAX, &[[9; 32]; 4]).unwrap();
    assert_eq!(surface.to_rows(), counted().to_rows());
    let far = Corner {
        x: i32::MAX & !7,
        y: i32::MIN,
        ..CORNER
    };
    assert_eq!(read(&surface, far).unwrap(), [[0; 32]; 4]);
}

#[test]
fn restrictions_are_refused() {
    let class = |s: &Surface, c| read(s, c).unwrap_err().class;
    assert_eq!(
        class(&counted(), Corner { x: 4, ..CORNER }),
        Class::Undefined
    );
    assert_eq!(
        class(&counted(), Corner { y: 2, ..CORNER }),
        Class::Undefined
    );
    let float = Surface::zeroed(Description::d2(Format::R32_FLOAT, 8, 4)).unwrap();
    assert_eq!(class(&float, CORNER), Class::Error);
    let buffer = Surface::zeroed(Description::buffer(Format::R8G8B8A8_UNORM, 8)).unwrap();
    assert_eq!(class(&buffer, CORNER), Class::Error);
}
