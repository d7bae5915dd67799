//! The same picture in other planes.

use visim::internals::video::colour::Range;
use visim::internals::video::picture::{Picture, Sampling};
#[test]
fn chroma_rows_are_averaged_or_doubled() {
    let mut picture = Picture::new(2, 3, Sampling::S422).unwrap();
    picture.planes[1] = vec![10, 13, 20];
    let halved = picture.resampled(Sampling::S420, Range::Video);
    // (10 + 13 + 1) / 2 = 12; the last row has no partner.
    assert_eq!(halved.planes[1], [12, 20]);
    let doubled = halved.resampled(Sampling::S422, Range::Video);
    assert_eq!(doubled.planes[1], [12, 12, 20]);
}

#[test]
fn chroma_columns_are_averaged_or_doubled() {
    let mut picture = Picture::new(3, 1, Sampling::S444).unwrap();
    picture.planes[2] = vec![10, 13, 20];
    let halved = picture.resampled(Sampling::S422, Range::Video);
    assert_eq!(halved.planes[2], [12, 20]);
    let doubled = halved.resampled(Sampling::S444, Range::Video);
    assert_eq!(doubled.planes[2], [12, 12, 20]);
}

#[test]
fn every_planes_become_every_others() {
    use Sampling::{Grey, Rgba, S420, S422, S444};
    for from in [Grey, Rgba, S420, S422, S444] {
        for to in [Grey, Rgba, S420, S422, S444] {
            let mut picture = Picture::new(5, 3, from).unwrap();
            // A grey that both ranges keep.
            for (i, plane) in picture.planes.iter_mut().enumerate() {
                plane.fill(if i == 0 { 126 } else { 128 });
            }
            let made = picture.clone().resampled(to, Range::Full);
            let sizes = made.planes.iter().map(Vec::len);
            let wanted = to.planes(5, 3).into_iter();
            assert!(sizes.eq(wanted.map(|(w, h)| (w * h) as usize * to.texel_bytes())));
            let mut back = made.resampled(from, Range::Full);
            if from == Rgba && to != Rgba {
                back.planes[0]
                    .iter_mut()
                    .skip(3)
                    .step_by(4)
                    .for_each(|a| *a = 126);
            }
            assert_eq!(back, picture, "{from:?} {to:?}");
        }
    }
}
