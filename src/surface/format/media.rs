//! Format codes of the media surface state, which each generation gives its own meaning.
//!
//! Source: PRM 4.10.2.2; surface reference 5.3; AVS reference 3.3.

use super::Format;
use crate::isa::generations::Generation::{self, *};
use crate::isa::generations::{Span, from};

/// Code, generations, name. Names without a row in the format table are known, not modelled.
#[rustfmt::skip]
const CODES: &[(u16, Span, &str)] = &[
    (0, from(Gen5), "YCRCB_NORMAL"),
    (1, from(Gen5), "YCRCB_SWAPUVY"),
    (2, from(Gen5), "YCRCB_SWAPUV"),
    (3, from(Gen5), "YCRCB_SWAPY"),
    (4, from(Gen5), "PLANAR_420_8"),
    (5, from(Gen5).until(Gen6), "PLANAR_411_8"),
    (6, from(Gen5).until(Gen6), "PLANAR_422_8"),
    (7, from(Gen5).until(Gen6), "STMM_DN_STATISTICS"),
    // Of the video analytics functions: luma of 8 bits, of 16 signed, of 16.
    (5, from(Gen8), "Y8_UNORM_VA"),
    (6, from(Gen8), "Y16_SNORM"),
    (7, from(Gen8), "Y16_UNORM"),
    (8, from(Gen5), "R10G10B10A2_UNORM"),
    (9, from(Gen5), "R8G8B8A8_UNORM"),
    (10, from(Gen5), "R8B8_UNORM"),
    (11, from(Gen5), "R8_UNORM"),
    (12, from(Gen5), "Y8_UNORM"),
    (13, from(Gen8), "A8Y8U8V8_UNORM"),
    (14, from(Gen8), "B8G8R8A8_UNORM"),
    (15, from(Gen8), "R16G16B16A16_UNORM"),
    (16, from(Gen8), "Y1_UNORM"),
    (17, from(Gen8), "Y32_UNORM"),
    (18, from(Gen9), "PLANAR_422_8"),
];

/// The codes of a generation and their names.
pub fn codes(generation: Generation) -> impl Iterator<Item = (u16, &'static str)> {
    CODES
        .iter()
        .filter(move |(_, generations, _)| generations.contains(generation))
        .map(|&(code, _, name)| (code, name))
}

/// What the manuals call a code; `None` if it is reserved.
pub fn name(generation: Generation, code: u16) -> Option<&'static str> {
    codes(generation).find(|row| row.0 == code).map(|row| row.1)
}

/// The code of a name, in any letter case.
pub fn code(generation: Generation, name: &str) -> Option<u16> {
    codes(generation)
        .find(|row| row.1.eq_ignore_ascii_case(name))
        .map(|row| row.0)
}

impl Format {
    /// The format with this code of a media surface state; `None` if it is reserved or not modelled.
    ///
    /// Source: surface reference 5.3; AVS reference 3.3.
    pub fn from_media_code(generation: Generation, code: u16) -> Option<Format> {
        Format::named(name(generation, code)?)
    }

    /// The code of this format in a media surface state.
    pub fn media_code(self, generation: Generation) -> Option<u16> {
        code(generation, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_unique_in_a_generation() {
        // PRM 4.10.2.2: 0 to 12; AVS reference 3.3 adds 13 to 17, and 18 with Gen9.
        for (generation, count) in [(Gen5, 13), (Gen6, 13), (Gen8, 18), (Gen9, 19)] {
            let all: Vec<u16> = codes(generation).map(|row| row.0).collect();
            let mut sorted = all.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..count).collect::<Vec<u16>>(), "{generation:?}");
            for at in all {
                let found = name(generation, at).unwrap();
                assert_eq!(code(generation, found), Some(at), "{generation:?} {found}");
            }
        }
    }
}
