//! Memory that backs surfaces, shared by all hardware threads of a run.

use visim::internals::surface::memory::Memory;
#[test]
fn every_offset_and_length_round_trips_and_keeps_its_neighbours() {
    for offset in 0..17 {
        for len in 0..20 {
            let memory = Memory::from_bytes(&[0xee; 40]);
            let bytes: Vec<u8> = (1..=len as u8).collect();
            memory.write(offset, &bytes);
            let mut back = vec![0; len];
            memory.read(offset, &mut back);
            assert_eq!(back, bytes, "{offset}+{len}");
            let mut expected = vec![0xee; 40];
            expected[offset..offset + len].copy_from_slice(&bytes);
            assert_eq!(memory.to_vec(), expected, "{offset}+{len}");
        }
    }
}

#[test]
fn whole_rows_are_copied_or_left() {
    let bytes: Vec<u8> = (0..96).collect();
    let memory = Memory::from_bytes(&bytes);
    let mut out = [0; 32];
    assert_eq!(memory.read_rows(8, 24, 2, &mut out), Some(()));
    assert_eq!((&out[..16], &out[16..]), (&bytes[8..24], &bytes[32..48]));
    // The last row may end with the memory.
    assert_eq!(memory.read_rows(32, 24, 3, &mut [0; 48]), Some(()));
    for stride in (8..72).step_by(8) {
        let bytes: Vec<u8> = (0..240).collect();
        let (from, to) = (Memory::from_bytes(&bytes), Memory::zeroed(240));
        let mut rows = vec![0; 3 * stride];
        assert_eq!(from.read_rows(16, 72, 3, &mut rows), Some(()));
        assert_eq!(to.write_rows(16, 72, 3, &rows), Some(()));
        let kept = (0..240usize).map(|at| match at.checked_sub(16) {
            Some(at) if at % 72 < stride && at / 72 < 3 => at as u8 + 16,
            _ => 0,
        });
        assert_eq!(to.to_vec(), kept.collect::<Vec<u8>>(), "{stride}");
    }
    for (offset, pitch, rows, length) in [
        (40, 24, 3, 48), // beyond the end
        (4, 24, 2, 32),  // not at a word
        (8, 20, 2, 32),  // nor the next row
        (8, 24, 2, 24),  // nor a row's end
        (8, 8, 2, 32),   // rows that overlap
        (8, 24, 0, 0),   // no row
        (8, usize::MAX - 7, 2, 32),
    ] {
        let mut out = vec![0xee; length];
        assert_eq!(memory.read_rows(offset, pitch, rows, &mut out), None);
        assert_eq!(out, vec![0xee; length]);
    }
}

#[test]
fn atomic_updates_touch_their_own_dword_only() {
    let memory = Memory::from_bytes(&[1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(memory.update_u32(4, |v| v + 5), 2);
    assert_eq!(memory.to_vec(), [1, 0, 0, 0, 7, 0, 0, 0]);
}
