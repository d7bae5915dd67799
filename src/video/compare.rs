//! Input, output and their difference side by side.
//!
//! ```text
//!  ┌───────┬────────────┬────────────┐     the input is repeated or thinned out to the output's size
//!  │ input │   output   │ difference │     difference: grey is none, four times as strong
//!  └───────┴────────────┴────────────┘
//! ```

use super::VideoError;
use super::colour::Range;
use super::files::Draft;
use super::picture::Picture;
use std::path::Path;

/// How much differences are stretched.
const GAIN: i32 = 4;

/// R, G, B, A of the three pictures side by side, and their size.
pub fn side_by_side(input: &Picture, output: &Picture, range: Range) -> (Vec<u8>, (u32, u32)) {
    let (width, height) = (output.width, output.height);
    let (from, to) = (input.rgb(range), output.rgb(range));
    let mut bytes = Vec::with_capacity(3 * 4 * to.len());
    for y in 0..height {
        let source = |x: u32| {
            let (x, y) = (
                nearest(x, width, input.width),
                nearest(y, height, input.height),
            );
            from[(y * input.width + x) as usize]
        };
        let row = &to[(y * width) as usize..][..width as usize];
        bytes.extend((0..width).flat_map(|x| opaque(source(x))));
        bytes.extend(row.iter().flat_map(|&pixel| opaque(pixel)));
        bytes.extend((0..width).zip(row).flat_map(|(x, pixel)| {
            let before = source(x);
            opaque(std::array::from_fn(|c| {
                let difference = i32::from(pixel[c]) - i32::from(before[c]);
                (128 + GAIN * difference).clamp(0, 255) as u8
            }))
        }));
    }
    (bytes, (3 * width, height))
}

/// The pixel of `from` pixels below pixel `at` of `to`.
fn nearest(at: u32, to: u32, from: u32) -> u32 {
    (u64::from(at) * u64::from(from) / u64::from(to)) as u32
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

/// [`side_by_side`] as a PNG that waits for its name.
///
/// # Errors
/// It cannot be written.
pub fn draft(
    path: &Path,
    (input, output): (&Picture, &Picture),
    range: Range,
) -> Result<Draft, VideoError> {
    let (bytes, size) = side_by_side(input, output, range);
    Draft::png(path, &bytes, size)
}

#[cfg(test)]
mod tests {
    use super::super::picture::Sampling;
    use super::*;

    #[test]
    fn differences_are_four_times_as_strong() {
        let mut input = Picture::new(1, 1, Sampling::Grey).unwrap();
        let mut output = Picture::new(2, 1, Sampling::Grey).unwrap();
        input.planes[0] = vec![100];
        output.planes[0] = vec![100, 110];
        let (bytes, size) = side_by_side(&input, &output, Range::Video);
        assert_eq!(size, (6, 1));
        let reds: Vec<u8> = bytes.iter().step_by(4).copied().collect();
        assert_eq!(reds, [100, 100, 100, 110, 128, 168]);
    }
}
