//! Progressive frames from fields: averages, diagonals, motion, doubled chroma.

use visim::internals::sampler::deinterlace::fields::{
    Channel, Frames, Output, Weave, double_columns, double_rows,
};
use visim::internals::sampler::deinterlace::motion::PAIRS;
use visim::internals::sampler::deinterlace::{DeinterlaceState, Plane};
fn state() -> DeinterlaceState {
    DeinterlaceState::default()
}

fn flat(code: u8) -> Plane {
    Plane::from_fn(6, 4, |_, _| code)
}

#[test]
fn vertical_neighbours_are_averaged() {
    let plane = Plane::from_fn(6, 4, |_, y| [10, 0, 21, 0][y as usize]);
    let made = |state: &DeinterlaceState| {
        let frames = Frames {
            channel: Channel::Luma,
            previous: None,
            current: &plane,
        };
        let output = (Output::CurrentFirst, Weave::No);
        [0, 1, 2, 3].map(|y| frames.row(state, output, (0, y), &[0; PAIRS])[2])
    };
    // Row 1: (10 + 21 + 1) >> 1 = 16; row 3 has row 2 on both sides.
    assert_eq!(made(&state()), [10, 16, 21, 21]);
    let bottom_first = DeinterlaceState {
        top_first: false,
        ..state()
    };
    assert_eq!(made(&bottom_first), [0, 0, 0, 0]);
}

#[test]
fn motion_decides_between_space_and_time() {
    let (previous, current) = (flat(40), flat(81));
    let luma_at = |motion: u8, output, weave| {
        let made = |channel| {
            let frames = Frames {
                channel,
                previous: Some(&previous),
                current: &current,
            };
            [0, 1].map(|y| frames.row(&state(), (output, weave), (0, y), &[motion; PAIRS])[1])
        };
        // Without edges chroma is made the same way.
        assert_eq!(made(Channel::Luma), made(Channel::Chroma));
        made(Channel::Luma)
    };
    use Output::{CurrentFirst, PreviousSecond};
    // Still: (40 + 81 + 1) >> 1 = 61. Moving: the own field only.
    assert_eq!(luma_at(0, CurrentFirst, Weave::No), [81, 61]);
    assert_eq!(luma_at(255, CurrentFirst, Weave::No), [81, 81]);
    assert_eq!(luma_at(0, PreviousSecond, Weave::No), [61, 40]);
    // Motion 128 weighs 10/32: (81 * 10 + 61 * 22 + 16) >> 5 = 67.
    assert_eq!(luma_at(128, CurrentFirst, Weave::No), [81, 67]);
    assert_eq!(luma_at(255, CurrentFirst, Weave::Before), [81, 40]);
    assert_eq!(luma_at(255, PreviousSecond, Weave::After), [81, 40]);
}

#[test]
fn chroma_is_doubled_inside_its_field() {
    // Chroma rows 0, 8 (top), 100, 108 (bottom) interleaved: 0 100 8 108.
    let chroma = Plane::from_fn(1, 4, |_, y| [0, 100, 8, 108][y as usize]);
    let rows = double_rows(&chroma);
    // Top field rows 0..3: m = 0: (3*0 + 0 + 2)/4 = 0, (0 + 8 + 2)/4 = 2; m = 1: (24 + 0 + 2)/4 = 6,
    // (24 + 8 + 2)/4 = 8.
    assert_eq!([0, 2, 4, 6].map(|y| rows.at(0, y)), [0, 2, 6, 8]);
    assert_eq!([1, 3, 5, 7].map(|y| rows.at(0, y)), [100, 102, 106, 108]);
    let columns = double_columns(&Plane::from_fn(2, 1, |x, _| [10, 13][x as usize]));
    assert_eq!([0, 1, 2, 3].map(|x| columns.at(x, 0)), [10, 12, 13, 13]);
}
