//! Scaling and sharpening frames by AVS messages of 16x8 pixels.

use visim::internals::sampler::avs::IefState;
use visim::internals::video::picture::{Picture, Sampling};
use visim::internals::video::scale::{Filter, Options, Scale, Siting};
fn filled(width: u32, height: u32, sampling: Sampling) -> Picture {
    let mut picture = Picture::new(width, height, sampling).unwrap();
    for plane in &mut picture.planes {
        for (i, byte) in plane.iter_mut().enumerate() {
            *byte = (i * 37 % 251) as u8;
        }
    }
    picture
}

#[test]
fn one_to_one_is_the_identity_at_any_size() {
    for sampling in [
        Sampling::Grey,
        Sampling::S420,
        Sampling::S422,
        Sampling::Rgba,
    ] {
        for (width, height) in [(1, 1), (17, 9), (64, 16), (3, 40)] {
            let picture = filled(width, height, sampling);
            for filter in [Filter::Polyphase, Filter::Lanczos, Filter::Bilinear] {
                let options = Options {
                    filter,
                    ..Options::default()
                };
                let scale = Scale::new(&options, (width, height)).unwrap();
                assert_eq!(
                    scale.run(&picture).unwrap(),
                    picture,
                    "{sampling:?} {width}x{height}"
                );
            }
        }
    }
}

#[test]
fn chroma_keeps_its_place_among_the_pixels() {
    // A slope of 3 codes a pixel across and 2 down, as chroma sees it where it lies, away from the edges.
    let slope = |x: f64, y: f64| 20.0 + 3.0 * x + 2.0 * y;
    for siting in [Siting::Centre, Siting::Left, Siting::Corner] {
        let (right, below) = siting.distance();
        let at = |k: usize, d: f64| 2.0 * k as f64 + d;
        let mut picture = Picture::new(37, 30, Sampling::S420).unwrap();
        for plane in &mut picture.planes[1..] {
            for (i, code) in plane.iter_mut().enumerate() {
                *code = slope(at(i % 19, right), at(i / 19, below)) as u8;
            }
        }
        for size in [(12, 10), (74, 90), (37, 10), (55, 30)] {
            let options = Options {
                size: Some(size),
                filter: Filter::Bilinear,
                siting,
                ..Options::default()
            };
            let made = Scale::new(&options, (37, 30))
                .unwrap()
                .run(&picture)
                .unwrap();
            let columns = size.0.div_ceil(2) as usize;
            let (across, down) = (37.0 / f64::from(size.0), 30.0 / f64::from(size.1));
            let mut compared = 0;
            for (i, &code) in made.planes[1].iter().enumerate() {
                let x = at(i % columns, right) * across;
                let y = at(i / columns, below) * down;
                if x < 35.0 && y < 27.0 {
                    let wanted = slope(x, y);
                    assert!(
                        (f64::from(code) - wanted).abs() <= 1.5,
                        "{siting:?} {size:?} {x} {y}"
                    );
                    compared += 1;
                }
            }
            assert!(compared > 15, "{compared}");
        }
    }
}

#[test]
fn a_flat_frame_stays_flat() {
    let mut picture = Picture::new(30, 22, Sampling::S420).unwrap();
    picture.planes.iter_mut().for_each(|plane| plane.fill(99));
    for size in [(15, 11), (61, 44), (30, 22)] {
        let options = Options {
            size: Some(size),
            adaptive: true,
            sharpen: Some(IefState::default()),
            ..Options::default()
        };
        let made = Scale::new(&options, (30, 22))
            .unwrap()
            .run(&picture)
            .unwrap();
        assert!(
            made.planes.iter().flatten().all(|&code| code == 99),
            "{size:?}"
        );
    }
}
