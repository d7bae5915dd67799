//! Where the channels of a texel are, for formats whose channels are alike: what native code has to know of a format. Source:
//! surface reference 2.

use super::Format;
use super::format::{ChannelType, Colour, Kind};

/// 1.0.
const ONE: u32 = 1f32.to_bits();

/// Where channels are in a texel of up to four dwords, each within one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packed {
    /// The byte of the dword that has each.
    pub places: [u16; 4],
    /// Its lowest bit there; 32 for one that is not there.
    pub shifts: [u32; 4],
    /// The bits of one at the lowest place.
    pub mask: u32,
    /// What they stand for.
    pub numbers: Numbers,
    /// Whether they may be weighed: they stand for numbers that are no integers.
    pub blends: bool,
    /// Bits of what a channel is that is not there; 0 for others.
    pub absent: [u32; 4],
}

/// What the bits of a channel stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Themselves.
    AsTheyAre,
    /// Bytes: v/255.
    Bytes,
    /// Words: v/65535.
    Words,
    /// Halves.
    Halves,
    /// Signed integers of less than a dword.
    Signed,
    /// Signed bytes: v/127, -1 at least.
    SignedBytes,
    /// Signed words: v/32767, -1 at least.
    SignedWords,
}

impl Packed {
    /// Bytes up to the end of the last dword that has a channel.
    pub fn bytes(&self) -> u32 {
        4 + u32::from(self.places.into_iter().max().unwrap_or(0))
    }
}

/// The channels of a format, if they are alike and lie within dwords.
pub fn packed(format: Format) -> Option<Packed> {
    use ChannelType::{Float, Sint, Snorm, Uint, Unorm};
    let cell = format.cell();
    let plain = matches!(
        format.kind,
        Kind::Unorm | Kind::Snorm | Kind::Uint | Kind::Sint | Kind::Float
    );
    let plain = plain && format.colour != Colour::SrgbCurve && (cell.across, cell.down) == (1, 1);
    let stored = format.channels.into_iter();
    let mut stored = stored.filter(|c| c.bits > 0 && c.name != b'X');
    let first = stored.next().filter(|_| plain)?;
    if !stored.all(|c| (c.ty, c.bits) == (first.ty, first.bits)) {
        return None;
    }
    let numbers = match (first.ty, first.bits) {
        (Uint, 8 | 16 | 32) | (Sint | Float, 32) => Numbers::AsTheyAre,
        (Unorm, 8) => Numbers::Bytes,
        (Unorm, 16) => Numbers::Words,
        (Float, 16) => Numbers::Halves,
        (Sint, 8 | 16) => Numbers::Signed,
        (Snorm, 8) => Numbers::SignedBytes,
        (Snorm, 16) => Numbers::SignedWords,
        _ => return None,
    };
    let one = if matches!(first.ty, Uint | Sint) {
        1
    } else {
        ONE
    };
    let (mut places, mut shifts, mut absent) = ([0; 4], [32; 4], [0; 4]);
    for (c, letter) in format.out.into_iter().enumerate() {
        match letter {
            b'0' => {}
            b'1' => absent[c] = one,
            letter => {
                let channel = format.channel(letter)?;
                (places[c], shifts[c]) = (channel.shift / 32 * 4, u32::from(channel.shift % 32));
                if shifts[c] + u32::from(channel.bits) > 32 {
                    return None;
                }
            }
        }
    }
    Some(Packed {
        places,
        shifts,
        mask: u32::MAX >> (32 - first.bits),
        numbers,
        blends: matches!(first.ty, Unorm | Snorm | Float),
        absent,
    })
}
