//! The picture of the samples is computed, so that anybody may copy it and every texel has a reason.
//!
//! A landscape of the kinds of content that scalers and block reads differ on: smooth gradients (sky),
//! texture (grass, rock), thin bright lines (the reflection), hard edges (house, fence) and lettering
//! (the sign). Integers only, so that it is the same on every host. `BLESS=1` writes the files.

use std::path::Path;

const WIDTH: i32 = 256;
const HEIGHT: i32 = 192;
const SHORE: i32 = 128;
const GRASS: i32 = 162;

type Colour = [i32; 3];

/// 0..=255, scattered evenly over the integer grid.
fn hash(x: i32, y: i32, seed: i32) -> i32 {
    let mut h = (x as u32).wrapping_mul(0x9e37_79b1)
        ^ (y as u32).wrapping_mul(0x85eb_ca77)
        ^ (seed as u32).wrapping_mul(0xc2b2_ae3d);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2c1b_3c6d);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297a_2d39);
    (h >> 24) as i32
}

/// Noise of one wavelength, `cell` texels, bilinear between the grid points; 0..=255.
fn wave(x: i32, y: i32, cell: i32, seed: i32) -> i32 {
    let (cx, cy) = (x.div_euclid(cell), y.div_euclid(cell));
    let (fx, fy) = (x.rem_euclid(cell), y.rem_euclid(cell));
    let row = |y: i32| hash(cx, y, seed) * (cell - fx) + hash(cx + 1, y, seed) * fx;
    (row(cy) * (cell - fy) + row(cy + 1) * fy) / (cell * cell)
}

/// Noise of several wavelengths, long ones strong; 0..=255.
fn texture(x: i32, y: i32, seed: i32) -> i32 {
    (wave(x, y, 32, seed) * 8
        + wave(x, y, 16, seed + 1) * 4
        + wave(x, y, 8, seed + 2) * 2
        + wave(x, y, 4, seed + 3)
        + hash(x, y, seed + 4))
        / 16
}

/// `a` at 0, `b` at `of`.
fn mix(a: Colour, b: Colour, part: i32, of: i32) -> Colour {
    let part = part.clamp(0, of);
    std::array::from_fn(|k| (a[k] * (of - part) + b[k] * part) / of)
}

fn sky(x: i32, y: i32) -> Colour {
    let colour = mix([58, 116, 206], [250, 206, 158], y, SHORE);
    let cloud = texture(x, y * 3, 10) - 118;
    let colour = mix(colour, [252, 248, 244], cloud, 90);
    let (dx, dy) = (x - 186, y - 54);
    let far = dx * dx + dy * dy;
    if far < 15 * 15 {
        [255, 246, 208]
    } else {
        mix([255, 236, 190], colour, far, 60 * 60)
    }
}

/// Row of the ridge above column `x`.
fn ridge(x: i32, seed: i32, base: i32, height: i32) -> i32 {
    base - height
        * (wave(x, 0, 64, seed) * 4 + wave(x, 0, 24, seed + 1) * 2 + wave(x, 0, 7, seed + 2))
        / (7 * 255)
}

fn land(x: i32, y: i32) -> Colour {
    let far = ridge(x, 40, 120, 92);
    let near = ridge(x + 300, 50, 134, 40);
    if y >= near {
        let shade = texture(x * 2, y * 2, 60);
        mix([22, 44, 32], [88, 112, 58], shade, 255)
    } else if y >= far {
        let rock = mix(
            [70, 74, 96],
            [146, 140, 148],
            texture(x * 2, y * 2, 70),
            255,
        );
        let snow = 16 - (y - far) + (wave(x, y, 5, 80) - 128) / 10;
        if snow > 0 {
            mix(rock, [246, 248, 252], 200, 255)
        } else {
            rock
        }
    } else {
        sky(x, y)
    }
}

fn house(x: i32, y: i32) -> Option<Colour> {
    let (x, y) = (x - 34, y - 92);
    if (0..60).contains(&x) && (0..20).contains(&y) && (x - 30).abs() <= 4 + y * 3 / 2 {
        let tile = (y % 4 == 3) || ((x + y / 4 * 3) % 6 == 0);
        return Some(if tile { [84, 34, 28] } else { [134, 54, 42] });
    }
    if !(4..56).contains(&x) || !(20..44).contains(&y) {
        return None;
    }
    if (24..36).contains(&x) && y >= 26 {
        return Some(if x == 33 && y == 36 {
            [240, 210, 90]
        } else {
            [72, 48, 30]
        });
    }
    for left in [9, 41] {
        let (wx, wy) = (x - left, y - 26);
        if (0..10).contains(&wx) && (0..10).contains(&wy) {
            let frame = wx % 9 == 0 || wy % 9 == 0 || wx == 5 || wy == 5;
            return Some(if frame {
                [250, 250, 246]
            } else {
                [92 + wy * 8, 140 + wy * 6, 178]
            });
        }
    }
    let mortar = y % 4 == 0 || (x + (y / 4 % 2) * 4) % 8 == 0;
    Some(if mortar {
        [206, 190, 170]
    } else {
        [176 + hash(x / 8, y / 4, 90) / 10, 104, 82]
    })
}

/// Five columns by seven rows for each letter of the sign, a bit for each dot, leftmost bit first.
const LETTERS: [[u8; 7]; 5] = [
    [
        0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01010, 0b00100,
    ],
    [
        0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110,
    ],
    [
        0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110,
    ],
    [
        0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110,
    ],
    [
        0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001,
    ],
];

fn sign(x: i32, y: i32) -> Option<Colour> {
    let (x, y) = (x - 156, y - 132);
    if (33..37).contains(&x) && (24..48).contains(&y) {
        return Some([96, 70, 46]);
    }
    if !(0..70).contains(&x) || !(0..24).contains(&y) {
        return None;
    }
    if x == 0 || x == 69 || y == 0 || y == 23 {
        return Some([60, 44, 30]);
    }
    let (dx, dy) = ((x - 6) / 2, (y - 5) / 2);
    if x >= 6 && y >= 5 && dy < 7 && dx < 30 && dx % 6 < 5 {
        let row = LETTERS[(dx / 6) as usize][dy as usize];
        if row >> (4 - dx % 6) & 1 == 1 {
            return Some([24, 24, 32]);
        }
    }
    Some([244, 236, 214])
}

fn fence(x: i32, y: i32) -> Option<Colour> {
    if x > 140 || !(148..176).contains(&y) {
        return None;
    }
    let post = x % 14 < 3 && y - 148 >= (x % 14 - 1).abs() * 2;
    let rail = (155..157).contains(&y) || (166..168).contains(&y);
    (post || rail).then_some(if post {
        [236, 232, 222]
    } else {
        [206, 200, 188]
    })
}

fn colour(x: i32, y: i32) -> Colour {
    if let Some(colour) = sign(x, y).or_else(|| fence(x, y)).or_else(|| house(x, y)) {
        return colour;
    }
    if y >= GRASS + (wave(x, 0, 20, 100) - 128) / 24 {
        let blade = texture(x * 5, y * 2, 110);
        return mix([18, 60, 16], [146, 178, 62], blade, 255);
    }
    if y < SHORE {
        return land(x, y);
    }
    // The lake mirrors what is above it, wavering and darker, with glints below the sun.
    let waver = (wave(x, y * 6, 9, 120) - 128) / 22;
    let mirrored = land(x + waver, 2 * SHORE - y);
    let water = mix(mirrored, [24, 60, 96], 110, 255);
    let glint = (x - 186).abs() < 14 + (y - SHORE) / 2 && hash(x / 5, y, 130) > 190;
    if glint {
        mix(water, [255, 244, 214], 190, 255)
    } else {
        water
    }
}

fn photo() -> Vec<u8> {
    let mut bytes = Vec::new();
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let colour = colour(x, y);
            bytes.extend(colour.map(|c| c.clamp(0, 255) as u8));
            bytes.push(255);
        }
    }
    bytes
}

/// Every fourth texel of the photo as NV12: 64 by 48 luma bytes, then 32 by 24 pairs of Cb and Cr.
///
/// Full-range BT.601 in 1/256, rounded; chroma is the average of two by two texels.
fn nv12(photo: &[u8]) -> Vec<u8> {
    let (width, height) = (WIDTH / 4, HEIGHT / 4);
    let rgb = |x: i32, y: i32| -> [i32; 3] {
        let at = ((y * 4 * WIDTH + x * 4) * 4) as usize;
        std::array::from_fn(|k| i32::from(photo[at + k]))
    };
    let dot = |c: [i32; 3], k: [i32; 3]| c[0] * k[0] + c[1] * k[1] + c[2] * k[2];
    let mut bytes = Vec::new();
    for y in 0..height {
        for x in 0..width {
            bytes.push(((dot(rgb(x, y), [77, 150, 29]) + 128) >> 8) as u8);
        }
    }
    for y in (0..height).step_by(2) {
        for x in (0..width).step_by(2) {
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| rgb(x + dx, y + dy));
            let mean: [i32; 3] =
                std::array::from_fn(|k| four.iter().map(|c| c[k]).sum::<i32>() / 4);
            for k in [[-43, -85, 128], [128, -107, -21]] {
                bytes.push((((dot(mean, k) + 128) >> 8) + 128).clamp(0, 255) as u8);
            }
        }
    }
    bytes
}

#[test]
fn the_pictures_of_the_samples_are_what_this_file_computes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/images");
    let (png, raw) = (folder.join("photo.png"), folder.join("photo-64x48.nv12"));
    let photo = photo();
    let planes = nv12(&photo);
    if std::env::var_os("BLESS").is_some() {
        let rgb: Vec<u8> = photo.chunks(4).flat_map(|c| &c[..3]).copied().collect();
        image::save_buffer(
            &png,
            &rgb,
            WIDTH as u32,
            HEIGHT as u32,
            image::ColorType::Rgb8,
        )
        .expect("the picture is written");
        std::fs::write(&raw, &planes).expect("the planes are written");
    }
    let found = image::open(&png).expect("the picture is there").to_rgba8();
    assert_eq!(
        (found.width(), found.height()),
        (WIDTH as u32, HEIGHT as u32)
    );
    let differs = found.as_raw().iter().zip(&photo).position(|(a, b)| a != b);
    assert_eq!(differs, None, "first differing byte");
    assert_eq!(std::fs::read(&raw).expect("the planes are there"), planes);
}
