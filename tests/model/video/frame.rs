//! Frames as the `deinterlace` message reads them, whatever they were, and back.

use visim::internals::video::colour::Range;
use visim::internals::video::frame::{Change, video};
use visim::internals::video::picture::{Picture, Sampling};
fn picture(width: u32, height: u32, sampling: Sampling, code: impl Fn(usize) -> u8) -> Picture {
    let mut picture = Picture::new(width, height, sampling).unwrap();
    for plane in &mut picture.planes {
        plane
            .iter_mut()
            .enumerate()
            .for_each(|(i, out)| *out = code(i));
    }
    picture
}

#[test]
fn grey_pictures_and_video_come_back_as_they_went_in() {
    let grey = |i: usize| {
        if i % 4 == 3 {
            200 + (i % 50) as u8
        } else {
            (i / 4 * 7) as u8
        }
    };
    for (sampling, code) in [
        (Sampling::Rgba, &grey as &dyn Fn(usize) -> u8),
        (Sampling::S420, &|i| i as u8),
        (Sampling::S422, &|i| i as u8),
        (Sampling::Grey, &|i| i as u8),
    ] {
        for (width, height) in [(1, 1), (5, 3), (6, 4), (1, 6)] {
            let picture = picture(width, height, sampling, code);
            let (frame, original) = video(&picture, Change::All).unwrap();
            if sampling != Sampling::Grey {
                assert_eq!((frame.width % 2, frame.height % 2), (0, 0));
            }
            assert_eq!(
                original.back(&frame).unwrap(),
                picture,
                "{sampling:?} {width}x{height}"
            );
        }
    }
}

#[test]
fn colours_stay_where_luma_is_changed() {
    let mixed = |i: usize| (i * 73 % 251) as u8;
    for sampling in [Sampling::Rgba, Sampling::S444] {
        let picture = picture(7, 3, sampling, mixed);
        let (mut frame, original) = video(&picture, Change::Luma).unwrap();
        assert_eq!(original.back(&frame).unwrap(), picture, "{sampling:?}");
        // Luma 9 darker; what becomes of chroma is not looked at.
        frame.planes[0]
            .iter_mut()
            .for_each(|code| *code = code.saturating_sub(9));
        frame.planes[1].fill(0);
        let made = original.back(&frame).unwrap();
        match sampling {
            Sampling::S444 => assert_eq!(made.planes[1..], picture.planes[1..]),
            _ => {
                let [r, g, b, a] = [0, 1, 2, 3].map(|i| picture.planes[0][4 * 4 + i]);
                let y = Range::Full.ycc([r, g, b])[0];
                assert!(y >= 9 && r.min(g).min(b) >= 9);
                assert_eq!(made.planes[0][4 * 4..][..4], [r - 9, g - 9, b - 9, a]);
            }
        }
    }
}

#[test]
fn colours_made_of_fields_come_back_nearly() {
    // Pure red, alpha 255; the arithmetic is in the tests of colours.
    let red = picture(
        2,
        1,
        Sampling::Rgba,
        |i| if i % 4 % 3 == 0 { 255 } else { 0 },
    );
    let (frame, original) = video(&red, Change::All).unwrap();
    let codes: Vec<u8> = frame.planes.iter().map(|plane| plane[0]).collect();
    assert_eq!(codes, [77, 85, 255]);
    assert_eq!(
        original.back(&frame).unwrap().planes[0][..4],
        [255, 1, 1, 255]
    );
}
