//! Untyped access: bytes at offsets, and what atomic operations make of them.

use visim::internals::dataport::untyped::{AtomicType, Window, apply};
use visim::internals::isa::AtomicOp;
use visim::internals::surface::{Memory, Surface};
#[test]
fn outside_reads_zero_and_writes_nowhere() {
    let memory = Memory::from_bytes(&[1, 2, 3, 4]);
    let window = Window::whole(&memory);
    let mut out = [9; 4];
    window.read(2, &mut out);
    assert_eq!(out, [3, 4, 0, 0]);
    window.read(u64::MAX, &mut out);
    assert_eq!(out, [0; 4]);
    window.write(3, &[7, 8]);
    assert_eq!(memory.to_vec(), [1, 2, 3, 7]);
}

/// What lies after a picture in the same memory is not the picture's.
#[test]
fn a_surface_ends_before_its_memory() {
    use visim::internals::surface::{Description, Format};
    let memory = std::sync::Arc::new(Memory::from_bytes(&[1; 40]));
    let shape = Description {
        base: 8,
        ..Description::d2(Format::R8_UNORM, 4, 4)
    };
    let surface = Surface::new(shape, memory).unwrap();
    let window = Window::of(&surface);
    assert_eq!(window.len(), 16);
    window.write(12, &[7; 8]);
    let mut out = [9; 8];
    window.read(12, &mut out);
    assert_eq!(out, [7, 7, 7, 7, 0, 0, 0, 0]);
    assert_eq!(surface.memory().to_vec()[20..28], [7, 7, 7, 7, 1, 1, 1, 1]);
}

#[test]
fn atomics_return_the_old_value() {
    let memory = Memory::from_bytes(&[5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    let window = Window::whole(&memory);
    assert_eq!(
        window.atomic(AtomicOp::Add, AtomicType::of_bits(32), 0, [3, 0]),
        5
    );
    assert_eq!(
        window.atomic(AtomicOp::CmpXchg, AtomicType::of_bits(32), 0, [1, 8]),
        8
    );
    assert_eq!(
        window.atomic(AtomicOp::MaxSint, AtomicType::of_bits(32), 4, [2, 0]),
        0xffff_ffff
    );
    assert_eq!(
        window.atomic(AtomicOp::Inc, AtomicType::of_bits(16), 6, [0, 0]),
        0
    );
    assert_eq!(
        window.atomic(AtomicOp::Inc, AtomicType::of_bits(32), 8, [0, 0]),
        0
    );
    assert_eq!(memory.to_vec(), [1, 0, 0, 0, 2, 0, 1, 0]);
    let one = u64::from(1.5f32.to_bits());
    assert_eq!(
        apply(AtomicOp::FAdd, AtomicType::of_bits(32), one, [one, 0]),
        u64::from(3f32.to_bits())
    );
}
