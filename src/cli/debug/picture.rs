//! Surfaces as pictures in a terminal: two pixels a character in colour, or shades of grey as letters.

use crate::surface::Picture;
use std::fmt::Write;

/// Characters across at most.
const ACROSS: u32 = 72;
/// Rows of characters at most.
const DOWN: u32 = 36;
/// From dark to light.
const SHADES: &[u8] = b" .:-=+*#%@";

/// A picture as lines of text.
pub fn lines(picture: &Picture, colour: bool) -> String {
    if picture.width == 0 || picture.height == 0 {
        return String::new();
    }
    // A character is about twice as high as wide.
    let (most_x, most_y) = (ACROSS, 2 * DOWN);
    let larger = (most_x / 2 / picture.width).min(most_y / 2 / picture.height);
    if larger > 1 {
        return lines(&enlarged(picture, larger), colour);
    }
    let shrinks = |size: u32, most: u32| size.div_ceil(most).max(1);
    let step = shrinks(picture.width, most_x).max(shrinks(picture.height, most_y));
    let (width, height) = (picture.width.div_ceil(step), picture.height.div_ceil(step));
    let pixel = |x: u32, y: u32| average(picture, [x * step, y * step], step);
    let mut text = String::new();
    for row in 0..height.div_ceil(2) {
        for x in 0..width {
            let upper = pixel(x, 2 * row);
            let lower = (2 * row + 1 < height).then(|| pixel(x, 2 * row + 1));
            match colour {
                true => {
                    let [r, g, b] = upper;
                    let _ = write!(text, "\x1b[38;2;{r};{g};{b}m");
                    if let Some([r, g, b]) = lower {
                        let _ = write!(text, "\x1b[48;2;{r};{g};{b}m");
                    }
                    text.push('\u{2580}');
                    text.push_str("\x1b[0m");
                }
                false => {
                    let other = lower.unwrap_or(upper);
                    let sum = |[r, g, b]: [u8; 3]| {
                        77 * u32::from(r) + 150 * u32::from(g) + 29 * u32::from(b)
                    };
                    let luma = (sum(upper) + sum(other)) / 512;
                    let shade = luma as usize * (SHADES.len() - 1) / 255;
                    text.push(SHADES[shade.min(SHADES.len() - 1)].into());
                }
            }
        }
        let end = text.trim_end_matches(' ').len();
        text.truncate(end);
        text.push('\n');
    }
    text
}

/// A picture with squares for pixels.
fn enlarged(picture: &Picture, times: u32) -> Picture {
    let (width, height) = (picture.width * times, picture.height * times);
    let pixel = |x: u32, y: u32| {
        picture.pixels[(y / times) as usize * picture.width as usize + (x / times) as usize]
    };
    Picture {
        width,
        height,
        pixels: (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .map(|(x, y)| pixel(x, y))
            .collect(),
    }
}

/// The mean of a square of pixels, in 8 bits.
fn average(picture: &Picture, [x, y]: [u32; 2], step: u32) -> [u8; 3] {
    let (mut sum, mut count) = ([0_u64; 3], 0);
    for row in y..(y + step).min(picture.height) {
        for column in x..(x + step).min(picture.width) {
            let at = row as usize * picture.width as usize + column as usize;
            let pixel = picture.pixels[at];
            sum.iter_mut()
                .zip(pixel)
                .for_each(|(sum, v)| *sum += u64::from(v >> 8));
            count += 1;
        }
    }
    sum.map(|sum| (sum / u64::max(count, 1)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_is_heavy_and_large_pictures_shrink() {
        let grey = |v: u16| [v, v, v, u16::MAX];
        let picture = Picture {
            width: 2,
            height: 2,
            pixels: vec![grey(0), grey(u16::MAX), grey(0), grey(u16::MAX)],
        };
        let text = lines(&picture, false);
        let row = format!("{}{}", " ".repeat(18), "@".repeat(18));
        assert_eq!(text, format!("{row}\n").repeat(18));
        let large = Picture {
            width: 720,
            height: 720,
            pixels: vec![grey(u16::MAX); 720 * 720],
        };
        let text = lines(&large, false);
        assert_eq!(
            (text.lines().count(), text.lines().next().map(str::len)),
            (36, Some(72))
        );
    }
}
