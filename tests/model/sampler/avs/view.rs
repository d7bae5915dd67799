//! A surface as the media sampler sees it: planes of texels, and which channel sits where.

use super::plain;
use visim::internals::sampler::avs::view::{A, B, Depth, Edge, G, R, decode};
use visim::internals::surface::{Format, Memory};
#[test]
fn edges_repeat_or_reflect() {
    let clamp: Vec<i32> = (-3..6).map(|i| Edge::Clamp.resolve(i, 3)).collect();
    assert_eq!(clamp, [0, 0, 0, 0, 1, 2, 2, 2, 2]);
    let mirror: Vec<i32> = (-4..8).map(|i| Edge::Mirror.resolve(i, 3)).collect();
    assert_eq!(mirror, [2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]);
    assert_eq!(Edge::Mirror.resolve(i32::MIN, 1), 0);
    assert_eq!(Edge::Clamp.resolve(i32::MAX, 1), 0);
}

#[test]
fn ten_bits_are_shifted_by_six_and_two_bits_widened() {
    // R = 3ffh, G = 1, B = 2, A = 2: 2 * 85 = aah.
    let dword = 0x3ffu32 | 1 << 10 | 2 << 20 | 2 << 30;
    assert_eq!(
        decode(Depth::Ten, &dword.to_le_bytes()),
        [0xffc0, 0x40, 0x80, 0xaa00]
    );
    let words = decode(Depth::Word, &[1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(words, [0x0201, 0x0403, 0x0605, 0x0807]);
}

#[test]
fn packed_video_is_seen_as_luma_pairs_and_chroma_quads() {
    let memory = Memory::from_bytes(&[10, 20, 11, 30, 12, 21, 13, 31]);
    let view = plain(&memory, Format::YCRCB_NORMAL, (4, 1), 8);
    let at = |channel, x| {
        let (plane, component) = view.place(channel).unwrap();
        view.texel(plane, x, 0)[component] >> 8
    };
    assert_eq!([at(G, 0), at(G, 1), at(G, 2), at(G, 3)], [10, 11, 12, 13]);
    assert_eq!([at(B, 0), at(B, 1), at(R, 0), at(R, 1)], [20, 21, 30, 31]);
    assert_eq!(view.place(A), None);
}

#[test]
fn beyond_the_memory_is_zero() {
    let memory = Memory::from_bytes(&[1, 2, 3]);
    let view = plain(&memory, Format::Y8_UNORM, (2, 2), 2);
    let mut row = [9; 2];
    view.read(&view.planes()[0], 0, 1, &mut row);
    assert_eq!(row, [3, 0]);
    view.read(&view.planes()[0], usize::MAX, 1, &mut row);
    assert_eq!(row, [0, 0]);
}
