//! What may not occur together in a sampler state.
//!
//! Source: PRM 4.10.3; surface reference 4.2, 4.3, 4.10.
#![doc = include_str!("rules.md")]

use super::tables::{MONO_FILTER, structure};
use crate::diagnostic::Code;
use crate::surface::{Generation, Invalid};

/// Every rule that a packed state breaks: single fields, then combinations.
pub fn check(generation: Generation, words: &[u32]) -> Vec<Invalid> {
    let structure = structure(generation);
    let mut broken = structure.check(generation, words);
    if broken.iter().any(|b| b.code == Code::E0750) {
        return broken;
    }
    let get = |name: &str| structure.get(words, name);
    let mut rule = |ok: bool, code: Code, what: &str| {
        if !ok {
            broken.push(Invalid::new(code, what));
        }
    };
    if get("Non-normalized Coordinate Enable") == 1 {
        // CLAMP, CLAMP_BORDER, HALF_BORDER.
        let flat = |axis: &str| matches!(get(&format!("TC{axis} Address Control Mode")), 2 | 4 | 6);
        rule(
            ["X", "Y", "Z"].into_iter().all(flat),
            Code::E0756,
            "coordinates that are not normalized need CLAMP or CLAMP_BORDER on every axis",
        );
        rule(
            get("Mip Mode Filter") == 0,
            Code::E0756,
            "coordinates that are not normalized need mip filter none",
        );
    }
    rule(
        get("Texture Border Color Mode") == 0,
        Code::N0752,
        "Texture Border Color Mode DX9 is not modelled",
    );
    let mono = [get("Mag Mode Filter"), get("Min Mode Filter")].contains(&6);
    if mono && !MONO_FILTER.generations.contains(generation) {
        let size = [
            get("Monochrome Filter Width"),
            get("Monochrome Filter Height"),
        ];
        rule(
            size.iter().all(|n| (1..=7).contains(n)),
            Code::E0749,
            "the monochrome filter is 1 to 7 texels wide and high",
        );
    }
    let least = structure.field("Min LOD").map_or(0.0, |f| f.value(words));
    let most = structure.field("Max LOD").map_or(0.0, |f| f.value(words));
    rule(
        least <= most,
        Code::W0753,
        "Min LOD is greater than Max LOD; Min LOD decides",
    );
    broken
}
