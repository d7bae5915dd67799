//! How a block of the `deinterlace` message lies in registers, for each generation that has it.
//!
//! ```text
//!  deinterlaced, 16x4                                  denoised only, 16x8
//!  W0 W1  previous second field: luma rows 01, 23      W0..W3  luma rows 01 23 45 67
//!  W2 W3  its chroma                                   W4      statistics
//!  W4 W5  current first field: luma                    W5..W8  chroma, 4:2:2 only
//!  W6 W7  its chroma
//!  W8     motion    W9 statistics
//!  W10    current second field, denoised: luma, W11 chroma
//! ```
//!
//! A luma register is two rows of 16 pixels, a chroma register two rows of eight (Cr, Cb) pairs.
//! Source: AVS reference 5.9; PRM 4.11.2.4.

use super::DeinterlaceState;
use super::block::{Block, Samples, Statistics};
use super::denoise::Block4x4;
use crate::isa::generations::DeinterlaceResponse;
use crate::surface::Format;

/// One register.
pub type Register = [u8; 32];

/// How the chroma of a frame lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// 4:2:2 beside luma.
    Packed422,
    /// 4:2:2 in planes of its own.
    Planar422,
    /// 4:2:0 or 4:1:1, or none.
    Other,
}

impl Input {
    /// That of a format.
    pub fn of(format: Format) -> Input {
        match format {
            Format::PLANAR_422_8 => Input::Planar422,
            format if format.is_packed_422() => Input::Packed422,
            _ => Input::Other,
        }
    }
}

/// Registers returned. Source: PRM 4.11.2.4: with the deinterlacer off "9 for a 4:2:2 input format, or 5 for other
/// formats", packed or not; with both on Gen7 has one more for packed 4:2:2 alone.
pub const fn response(
    state: &DeinterlaceState,
    layout: DeinterlaceResponse,
    input: Input,
) -> usize {
    if !state.di_enable {
        return if matches!(input, Input::Other) { 5 } else { 9 };
    }
    let packed = matches!(input, Input::Packed422);
    match (layout, state.dn_enable) {
        (DeinterlaceResponse::Gen5, false) => 9,
        (_, false) => 10,
        (DeinterlaceResponse::Gen7, true) => 11 + packed as usize,
        (_, true) => 12,
    }
}

/// The registers of a block; those that are returned without content are `None`: the hardware promises
/// nothing for them, and visim leaves them alone.
pub fn registers(
    state: &DeinterlaceState,
    block: &Block,
    layout: DeinterlaceResponse,
    input: Input,
) -> Vec<Option<Register>> {
    let luma = |samples: &Samples, first: usize| two(samples.luma[first], samples.luma[first + 1]);
    let chroma =
        |samples: &Samples, first: usize| two(pairs(samples, first), pairs(samples, first + 1));
    let statistics = statistics(&block.statistics, state, layout);
    let mut out = Vec::with_capacity(12);
    if state.di_enable {
        for samples in [block.previous.as_ref(), Some(&block.current)] {
            out.extend([0, 2].map(|first| samples.map(|s| luma(s, first))));
            out.extend([0, 2].map(|first| samples.map(|s| chroma(s, first))));
        }
        let mut stmm = [0; 32];
        for (out, row) in stmm.chunks_exact_mut(8).zip(&block.stmm) {
            out.copy_from_slice(row);
        }
        out.push(Some(stmm));
        out.push(Some(statistics));
        // The rows of the second field.
        let first = 1 - state.first_field() as usize;
        let denoised = &block.denoised;
        out.push(Some(two(denoised.luma[first], denoised.luma[first + 2])));
        out.push(Some(two(
            pairs(denoised, first),
            pairs(denoised, first + 2),
        )));
    } else {
        let samples = &block.current;
        out.extend([0, 2, 4, 6].map(|first| Some(luma(samples, first))));
        out.push(Some(statistics));
        out.extend([0, 2, 4, 6].map(|first| Some(chroma(samples, first))));
    }
    out.truncate(response(state, layout, input));
    out
}

fn two(first: [u8; 16], second: [u8; 16]) -> Register {
    let mut register = [0; 32];
    register[..16].copy_from_slice(&first);
    register[16..].copy_from_slice(&second);
    register
}

/// A chroma row as (Cr, Cb) bytes.
fn pairs(samples: &Samples, row: usize) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (out, [cb, cr]) in bytes.chunks_exact_mut(2).zip(samples.chroma[row]) {
        out.copy_from_slice(&[cr, cb]);
    }
    bytes
}

/// The statistics register. Values of a function that is off are 0 already.
pub fn statistics(
    found: &Statistics,
    state: &DeinterlaceState,
    layout: DeinterlaceResponse,
) -> Register {
    let mut dw = [0u32; 8];
    let v = &found.variances;
    let noise = u32::from(found.noise);
    let words = |high: u16, low: u16| u32::from(high) << 16 | u32::from(low);
    let sum = |half: usize, pick: fn(&Block4x4) -> i32| {
        let sum: i32 = found.sums[half].iter().map(pick).sum();
        sum.clamp(0, 0xffff) as u16
    };
    dw[0] = u32::from_le_bytes(found.history[0]);
    match (layout, state.di_enable) {
        (DeinterlaceResponse::Gen5, _) => dw[1] = noise,
        (DeinterlaceResponse::Gen6, true) => {
            dw[1] = u32::from(v.cb_pt) << 16 | u32::from(v.motion) << 8 | noise;
            dw[2] = words(v.ct_cb, v.ct_pb);
            dw[3] = words(v.ct_pt, v.cb_pb);
        }
        (DeinterlaceResponse::Gen7, true) => {
            dw[1] = u32::from_le_bytes([found.noise, v.motion, v.fitting, v.tearing]);
            dw[3] = words(v.ct_pb, v.cb_pt);
            dw[4] = words(v.cb_pb, v.ct_cb);
            dw[5] = words(sum(0, |b| b.svcm), v.ct_pt);
            dw[6] = words(sum(0, |b| b.stad), sum(0, |b| b.shcm));
        }
        (DeinterlaceResponse::Gen6, false) => {
            dw[1] = u32::from_le_bytes(found.history[1]);
            dw[2] = noise;
        }
        (DeinterlaceResponse::Gen7, false) => {
            dw[1] = u32::from_le_bytes(found.history[1]);
            dw[2] = noise;
            dw[4] = words(sum(1, |b| b.shcm), sum(1, |b| b.svcm));
            dw[5] = words(sum(0, |b| b.svcm), sum(1, |b| b.stad));
            dw[6] = words(sum(0, |b| b.stad), sum(0, |b| b.shcm));
        }
    }
    if layout == DeinterlaceResponse::Gen6 {
        // A byte for each column of 4x4 blocks, the first in the highest; two of them without fields.
        let bytes = |pick: fn(&Block4x4) -> i32| {
            let column = |i: usize| pick(&found.sums[0][i]) + pick(&found.sums[1][i]);
            u32::from_be_bytes(std::array::from_fn(|i| column(i).clamp(0, 255) as u8))
        };
        dw[4] = bytes(|b| b.svcm);
        dw[5] = bytes(|b| b.shcm);
        dw[6] = bytes(|b| b.stad);
    }
    if layout > DeinterlaceResponse::Gen5 {
        dw[7] = words(found.at.1, found.at.0);
    }
    let mut register = [0; 32];
    for (out, dw) in register.chunks_exact_mut(4).zip(dw) {
        out.copy_from_slice(&dw.to_le_bytes());
    }
    register
}
