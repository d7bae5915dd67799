//! What the manuals forbid in the scaler's states. Source: PRM 4.10.3, 4.10.4; AVS reference 3.2.

use super::fields::{SAMPLE_8X8_GEN5, TABLES_GEN5, coefficients, structure};
use crate::diagnostic::Code;
use crate::surface::{Format, Generation, Invalid};

/// Every rule that a state for `sample_8x8` breaks: reserved bits and values, ranges, and what contradicts
/// itself.
///
/// # Errors
/// `N0752` for a generation without a known structure.
pub fn check(generation: Generation, words: &[u32]) -> Result<Vec<Invalid>, Invalid> {
    let structure = structure(generation)?;
    let mut broken = structure.check(generation, words);
    let get = |name: &str| structure.get(words, name);
    let old = structure.name == SAMPLE_8X8_GEN5.name;
    let bypassed = get("IEF Bypass") == 1;
    if old && !bypassed && get("IEF Filter Type") == 0 && get("IEF Filter Size") == 0 {
        let what = "the combination is a filter of 5x5";
        broken.push(Invalid::new(Code::E0781, what));
    }
    if get("Skin Tone Tuned IEF Enable") == 1 {
        let what = "the places of the numbers of skin tone are not known to visim";
        broken.push(Invalid::new(Code::N0752, what));
    }
    Ok(broken)
}

/// Every rule that SAMPLER_8x8_STATE breaks: reserved bits, ranges of coefficients, and, if the format of
/// the surface is known, outer taps that must be zero for it.
pub fn check_tables(words: &[u32], format: Option<Format>) -> Vec<Invalid> {
    let own = TABLES_GEN5.generations.first().unwrap_or_default();
    let mut broken = TABLES_GEN5.check(own, words);
    let deep =
        format.is_some_and(|f| [Format::R10G10B10A2_UNORM, Format::R8G8B8A8_UNORM].contains(&f));
    for coefficient in coefficients(TABLES_GEN5) {
        let value = coefficient.value(words);
        let range = match coefficient.tap {
            0 | 7 => -16..=15,
            1 | 6 => -32..=31,
            2 | 5 => -64..=63,
            _ => 0..=127,
        };
        let outer = matches!(coefficient.tap, 0 | 1 | 6 | 7);
        let name = coefficient.name();
        if !range.contains(&value) {
            let (from, to) = (range.start(), range.end());
            let what = format!("{name} is {value}; {from} to {to} are allowed");
            broken.push(Invalid::new(Code::E0781, what));
        } else if deep && outer && value != 0 {
            let what = format!("{name} is {value}; 32-bit RGB formats need 0");
            broken.push(Invalid::new(Code::E0781, what));
        }
    }
    broken
}
