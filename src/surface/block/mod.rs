//! Block-compressed formats: one texel out of a block.
//!
//! * `bc`: BC1 to BC5, as measured on Intel hardware. * `bptc`: BC6H and BC7. * `fxt1`: FXT1.
//!
//! ETC, EAC and ASTC are not decoded (surface reference 2.10 makes them optional).

mod bc;
mod bptc;
mod fxt1;
mod tables;

pub use bc::bc1_palette;

use super::CellBytes;
use super::format::{Format, SubKind};
use super::texel::Rgba;

/// Decodes the texel at column and row of a block.
#[derive(Clone, Copy, Debug)]
pub enum BlockDecoder {
    /// To 8-bit R, G, B, A codes, which may still go through the sRGB curve.
    Codes(fn(&CellBytes, u32, u32) -> [u8; 4]),
    /// To f32 patterns.
    Numbers(fn(&CellBytes, u32, u32) -> Rgba),
}

/// The decoder of a format; `None` if the format is not block-compressed or not modelled.
pub fn decoder(format: Format) -> Option<BlockDecoder> {
    let signed = format.name.ends_with("SNORM") || format.name.ends_with("SF16");
    Some(match (format.subkind, signed) {
        (SubKind::Bc1, _) => BlockDecoder::Codes(bc::bc1),
        (SubKind::Bc2, _) => BlockDecoder::Codes(bc::bc2),
        (SubKind::Bc3, _) => BlockDecoder::Codes(bc::bc3),
        (SubKind::Bc4, false) => BlockDecoder::Numbers(bc::bc4_unorm),
        (SubKind::Bc4, true) => BlockDecoder::Numbers(bc::bc4_snorm),
        (SubKind::Bc5, false) => BlockDecoder::Numbers(bc::bc5_unorm),
        (SubKind::Bc5, true) => BlockDecoder::Numbers(bc::bc5_snorm),
        (SubKind::Bc6h, false) => BlockDecoder::Numbers(bptc::bc6h_unsigned),
        (SubKind::Bc6h, true) => BlockDecoder::Numbers(bptc::bc6h_signed),
        (SubKind::Bc7, _) => BlockDecoder::Codes(bptc::bc7),
        (SubKind::Fxt1, _) => BlockDecoder::Codes(fxt1::fxt1),
        _ => return None,
    })
}

/// The low 128 bits of a cell.
fn bits128(cell: &CellBytes) -> u128 {
    u128::from_le_bytes(std::array::from_fn(|i| cell[i]))
}

/// `count` bits from bit `from` on; 16 at most.
fn field(bits: u128, from: u32, count: u32) -> u32 {
    (bits >> from) as u32 & ((1 << count) - 1)
}

/// 5 bits to 8 by replication.
fn expand5(v: u32) -> u32 {
    v << 3 | v >> 2
}

/// 6 bits to 8 by replication.
fn expand6(v: u32) -> u32 {
    v << 2 | v >> 4
}
