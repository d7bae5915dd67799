//! BC6H and BC7.
//!
//! Source: surface reference 2.8; Khronos Data Format Specification, BPTC chapter.

use std::sync::LazyLock;

use super::super::CellBytes;
use super::super::float::half_to_f32;
use super::super::texel::Rgba;
use super::tables::{
    ANCHOR2, ANCHOR3_1, ANCHOR3_2, BC6H_MODES, BC7_MODES, PARTITION2, PARTITION3, WEIGHTS,
};
use super::{bits128, field};

const ONE: u32 = 0x3f80_0000;

/// Subset of texel `t`, and the anchors of all subsets.
fn partition(subsets: u8, number: usize, t: usize) -> (usize, [usize; 3]) {
    let none = usize::MAX;
    match subsets {
        1 => (0, [0, none, none]),
        2 => (
            usize::from(PARTITION2[number][t] - b'0'),
            [0, ANCHOR2[number].into(), none],
        ),
        _ => (
            usize::from(PARTITION3[number][t] - b'0'),
            [0, ANCHOR3_1[number].into(), ANCHOR3_2[number].into()],
        ),
    }
}

/// The index of texel `t` among indices of `width` bits from `at` on; one bit less at anchors.
fn index(bits: u128, at: u32, width: u32, t: usize, anchors: &[usize]) -> usize {
    let before = anchors.iter().filter(|a| **a < t).count() as u32;
    let short = u32::from(anchors.contains(&t));
    field(bits, at + width * t as u32 - before, width - short) as usize
}

fn weigh(width: u32, index: usize, a: i32, b: i32) -> i32 {
    let w = i32::from(WEIGHTS[width as usize - 2][index]);
    ((64 - w) * a + w * b + 32) >> 6
}

pub fn bc7(cell: &CellBytes, x: u32, y: u32) -> [u8; 4] {
    let bits = bits128(cell);
    let number = cell[0].trailing_zeros();
    if number > 7 {
        return [0; 4];
    }
    let mode = &BC7_MODES[number as usize];
    let mut at = number + 1;
    let mut take = |count: u8| {
        let value = field(bits, at, count.into());
        at += u32::from(count);
        value
    };
    let shape = take(mode.partition) as usize;
    let rotation = take(mode.rotation);
    let selection = take(mode.selection);
    let ends = 2 * usize::from(mode.subsets);
    // Channel-major: all endpoints of R, then G, B, A.
    let mut ends_of = [[255u32; 4]; 6];
    for channel in 0..4 {
        let width = if channel == 3 {
            mode.alpha
        } else {
            mode.colour
        };
        if width > 0 {
            for end in ends_of.iter_mut().take(ends) {
                end[channel] = take(width);
            }
        }
    }
    let mut p = [0; 6];
    match mode.p_bits {
        1 => p.iter_mut().take(ends).for_each(|p| *p = take(1)),
        2 => {
            for pair in 0..ends / 2 {
                let bit = take(1);
                (p[2 * pair], p[2 * pair + 1]) = (bit, bit);
            }
        }
        _ => {}
    }
    for (end, p) in ends_of.iter_mut().zip(p).take(ends) {
        for (channel, value) in end.iter_mut().enumerate() {
            let mut width = if channel == 3 {
                mode.alpha
            } else {
                mode.colour
            };
            if width == 0 {
                continue;
            }
            if mode.p_bits > 0 {
                *value = *value << 1 | p;
                width += 1;
            }
            let left = *value << (8 - width);
            *value = left | left >> width;
        }
    }

    let t = (4 * y + x) as usize;
    let (subset, anchors) = partition(mode.subsets, shape, t);
    let anchors = &anchors[..mode.subsets.into()];
    let [first, second] = mode.index.map(u32::from);
    let primary = (first, index(bits, at, first, t, anchors));
    let secondary = match second {
        0 => primary,
        width => {
            let after = at + 16 * first - anchors.len() as u32;
            (width, index(bits, after, width, t, &[0]))
        }
    };
    let (colour, alpha) = if selection == 1 {
        (secondary, primary)
    } else {
        (primary, secondary)
    };
    let (a, b) = (ends_of[2 * subset], ends_of[2 * subset + 1]);
    let mut rgba: [u8; 4] = std::array::from_fn(|channel| {
        let (width, index) = if channel == 3 { alpha } else { colour };
        weigh(width, index, a[channel] as i32, b[channel] as i32) as u8
    });
    if rotation > 0 {
        rgba.swap(3, rotation as usize - 1);
    }
    rgba
}

/// Destination of a bit of a BC6H block: channel (or partition, 3), endpoint, bit.
type Target = (u8, u8, u8);

/// The bits of each BC6H mode, spelled out.
static BC6H_BITS: LazyLock<Vec<Vec<Target>>> =
    LazyLock::new(|| BC6H_MODES.iter().map(|mode| targets(mode.bits)).collect());

fn targets(text: &str) -> Vec<Target> {
    let number = |digits: &str| digits.parse::<u8>().expect("our own table");
    let mut targets = Vec::new();
    for word in text.split(' ') {
        let (name, bits) = word.split_once('.').expect("our own table");
        let (channel, endpoint) = match name.split_at(1) {
            ("R", e) => (0, number(e)),
            ("G", e) => (1, number(e)),
            ("B", e) => (2, number(e)),
            ("P", _) => (3, 0),
            _ => (4, 0),
        };
        let (first, last) = bits.split_once('-').unwrap_or((bits, bits));
        let (first, last) = (number(first), number(last));
        let run: Vec<u8> = match first <= last {
            true => (first..=last).collect(),
            false => (last..=first).rev().collect(),
        };
        targets.extend(run.into_iter().map(|bit| (channel, endpoint, bit)));
    }
    targets
}

/// The low `bits` of a number as a signed one.
fn sign_extend(v: i32, bits: u32) -> i32 {
    v << (32 - bits) >> (32 - bits)
}

fn unquantize(v: i32, bits: u32, signed: bool) -> i32 {
    if !signed {
        return match v {
            v if bits >= 15 => v,
            0 => 0,
            v if v == (1 << bits) - 1 => 0xffff,
            v => ((v << 15) + 0x4000) >> (bits - 1),
        };
    }
    let a = v.abs();
    v.signum()
        * match a {
            _ if bits >= 16 => a,
            0 => 0,
            a if a >= (1 << (bits - 1)) - 1 => 0x7fff,
            a => ((a << 15) + 0x4000) >> (bits - 1),
        }
}

fn bc6h(cell: &CellBytes, x: u32, y: u32, signed: bool) -> Rgba {
    let bits = bits128(cell);
    let number = if cell[0] & 3 < 2 {
        cell[0] & 3
    } else {
        cell[0] & 31
    };
    let Some(which) = BC6H_MODES.iter().position(|mode| mode.number == number) else {
        return [0, 0, 0, ONE];
    };
    let (mode, targets) = (&BC6H_MODES[which], &BC6H_BITS[which]);
    let mut ends = [[0i32; 3]; 4];
    let mut shape = 0;
    for (at, &(channel, endpoint, bit)) in targets.iter().enumerate() {
        let value = field(bits, at as u32, 1);
        match channel {
            0..=2 => ends[endpoint as usize][channel as usize] |= (value << bit) as i32,
            3 => shape |= (value as usize) << bit,
            _ => {}
        }
    }
    let subsets = if mode.partition > 0 { 2 } else { 1 };
    let width = u32::from(mode.endpoint);
    let [base, others @ ..] = &mut ends;
    for channel in 0..3 {
        if signed {
            base[channel] = sign_extend(base[channel], width);
        }
        for end in others.iter_mut() {
            let mut value = end[channel];
            if mode.transformed {
                value = sign_extend(value, mode.delta[channel].into()) + base[channel];
                value &= ((1i64 << width) - 1) as i32;
            }
            end[channel] = if signed {
                sign_extend(value, width)
            } else {
                value
            };
        }
    }
    let t = (4 * y + x) as usize;
    let (subset, anchors) = partition(subsets, shape, t);
    let index_bits = if subsets == 2 { 3 } else { 4 };
    let index = index(
        bits,
        targets.len() as u32,
        index_bits,
        t,
        &anchors[..subsets.into()],
    );
    let channel = |channel: usize| {
        let end = |which: usize| unquantize(ends[2 * subset + which][channel], width, signed);
        let c = weigh(index_bits, index, end(0), end(1));
        let half = match (signed, c < 0) {
            (false, _) => (c * 31) >> 6,
            (true, true) => 0x8000 | ((-c * 31) >> 5),
            (true, false) => (c * 31) >> 5,
        };
        half_to_f32(half as u16)
    };
    [channel(0), channel(1), channel(2), ONE]
}

pub fn bc6h_unsigned(cell: &CellBytes, x: u32, y: u32) -> Rgba {
    bc6h(cell, x, y, false)
}

pub fn bc6h_signed(cell: &CellBytes, x: u32, y: u32) -> Rgba {
    bc6h(cell, x, y, true)
}
