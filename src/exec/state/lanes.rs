//! Reading and writing lanes: regions become arrays of values, one loop for each kind of region.

use crate::program::{Indirect, Region};

/// The greatest number of lanes.
pub const MAX_LANES: usize = 32;

/// The arena offset an indirect lane points to; `None` outside the general bytes.
/// Source: vISA text reference 4.6.
#[inline]
pub fn indirect_offset(
    arena: &[u8],
    indirect: &Indirect,
    lane: usize,
    size: u32,
    general_bytes: u32,
) -> Option<usize> {
    let at = *indirect.address.get(lane)? as usize;
    let address = i64::from(u16::from_le_bytes([arena[at], arena[at + 1]]));
    let byte = address + i64::from(*indirect.displacement.get(lane)?);
    (byte >= 0 && byte + i64::from(size) <= i64::from(general_bytes)).then_some(byte as usize)
}

#[inline]
fn element<const B: usize>(arena: &[u8], at: usize) -> [u8; B] {
    let mut bytes = [0; B];
    bytes.copy_from_slice(&arena[at..at + B]);
    bytes
}

/// Reads `count` elements of `B` bytes and turns each into a value.
#[inline]
pub fn read<const B: usize, T: Copy>(
    arena: &[u8],
    region: &Region,
    general_bytes: u32,
    count: usize,
    out: &mut [T; MAX_LANES],
    value: impl Fn([u8; B]) -> T,
) {
    let out = &mut out[..count];
    match region {
        Region::Scalar(at) => out.fill(value(element(arena, *at as usize))),
        Region::Dense(at) => {
            let at = *at as usize;
            let (elements, _) = arena[at..at + count * B].as_chunks::<B>();
            for (out, bytes) in out.iter_mut().zip(elements) {
                *out = value(*bytes);
            }
        }
        Region::Strided { offset, stride } => {
            let mut at = *offset as usize;
            for out in out {
                *out = value(element(arena, at));
                at += *stride as usize;
            }
        }
        Region::List(offsets) => {
            for (out, at) in out.iter_mut().zip(offsets) {
                *out = value(element(arena, *at as usize));
            }
        }
        Region::Indirect(indirect) => {
            for (lane, out) in out.iter_mut().enumerate() {
                let at = indirect_offset(arena, indirect, lane, B as u32, general_bytes);
                *out = value(at.map_or([0; B], |at| element(arena, at)));
            }
        }
    }
}

/// Writes the lanes of `mask`; other bytes keep their content.
#[inline]
pub fn write<const B: usize, T: Copy>(
    arena: &mut [u8],
    region: &Region,
    general_bytes: u32,
    count: usize,
    mask: u32,
    values: &[T; MAX_LANES],
    bytes: impl Fn(T) -> [u8; B],
) {
    let whole = mask.count_ones() as usize == count;
    match region {
        Region::Dense(at) if whole => {
            let at = *at as usize;
            let (elements, _) = arena[at..at + count * B].as_chunks_mut::<B>();
            for (element, value) in elements.iter_mut().zip(values) {
                *element = bytes(*value);
            }
        }
        Region::Indirect(indirect) => {
            // All addresses are read before anything is written; they lie after the general bytes,
            // where no indirect write reaches, so reading them lane by lane is the same.
            for lane in active(mask, count) {
                if let Some(at) = indirect_offset(arena, indirect, lane, B as u32, general_bytes) {
                    arena[at..at + B].copy_from_slice(&bytes(values[lane]));
                }
            }
        }
        _ => {
            for lane in active(mask, count) {
                let at = match region {
                    Region::Dense(at) => *at as usize + lane * B,
                    Region::Scalar(at) => *at as usize,
                    Region::Strided { offset, stride } => {
                        *offset as usize + lane * *stride as usize
                    }
                    Region::List(offsets) => offsets[lane] as usize,
                    Region::Indirect(_) => continue,
                };
                arena[at..at + B].copy_from_slice(&bytes(values[lane]));
            }
        }
    }
}

/// The lanes of a mask below `count`.
#[inline]
pub fn active(mask: u32, count: usize) -> impl Iterator<Item = usize> {
    (0..count).filter(move |&lane| mask >> lane & 1 != 0)
}
