//! What may not occur together in a surface state, beyond the values of single fields.
//!
//! Source: PRM 4.10.2.1, "Programming Notes" of each field; surface reference 5.2 and 5.4.

use super::super::format::Kind as FormatKind;
use super::super::{Description, Format, Generation, Invalid, Kind, Surface, Tiling};
use super::describe::{control_words, describe, structure};
use super::field::Structure;
use super::tables::SURFACE_GEN5;
use crate::diagnostic::Code;
use crate::isa::generations::CubeCorners;

/// Every rule that a packed state breaks: single fields, combinations, then what the surface itself must
/// obey (sizes, pitch, base, levels). No memory is allocated.
///
/// Codes of class warning are programming notes that visim models all the same.
pub fn check(generation: Generation, words: &[u32]) -> Vec<Invalid> {
    let structure = match structure(generation) {
        Ok(structure) => structure,
        Err(broken) => return vec![broken],
    };
    let mut broken = structure.check(generation, words);
    if broken.iter().any(|b| b.code == Code::E0750) {
        return broken;
    }
    match describe(generation, words) {
        Ok(description) => {
            combinations(structure, &description, words, &mut broken);
            extend(&mut broken, description);
            if let Ok(Some(control)) = control_words(generation, words) {
                broken.extend(Surface::broken(at_home(control)));
            }
        }
        // A reserved value has been said already, with the field's place.
        Err(why) if broken.iter().any(|b| b.code == why.code) => {}
        Err(why) => broken.push(why),
    }
    broken
}

/// With what the surface itself must obey, and what of its planes deserves to be said.
pub(super) fn extend(broken: &mut Vec<Invalid>, description: Description) {
    let description = at_home(description);
    let rules = Surface::broken(description.clone());
    if rules.is_empty() {
        broken.extend(description.shared_planes());
    }
    broken.extend(rules);
}

/// The base is an address in a space of its own here: only its alignment counts.
pub(super) fn at_home(description: Description) -> Description {
    Description {
        base: description.base % 4096,
        ..description
    }
}

fn combinations(structure: &Structure, d: &Description, words: &[u32], broken: &mut Vec<Invalid>) {
    let get = |name: &str| structure.get(words, name);
    let mut rule = |ok: bool, code: Code, what: &str| {
        if !ok {
            broken.push(Invalid::new(code, what));
        }
    };
    let old = structure.dwords == SURFACE_GEN5.dwords;
    if d.kind == Kind::Null {
        let format = get("Surface Format") as u16;
        let plain = format == Format::R8G8B8A8_UNORM.code;
        rule(
            plain,
            Code::W0753,
            "the format of a null surface is R8G8B8A8_UNORM",
        );
        return;
    }
    let plain_2d = d.kind == Kind::D2 && !d.array;
    rule(
        // Lines that are skipped are a rule of surfaces.
        plain_2d || d.line_stride.skips() || get("Vertical Line Stride Offset") == 0,
        Code::E0745,
        "Vertical Line Stride and its offset are for 2D surfaces that are not arrays",
    );
    let linear = d.tiling == Tiling::Linear;
    let offset = d.x_offset != 0 || d.y_offset != 0;
    rule(
        !(linear && offset) || d.kind == Kind::Buffer,
        Code::W0753,
        "X Offset and Y Offset of a linear surface are 0",
    );
    if old {
        combinations_old(d, &get, &mut rule);
    } else {
        combinations_new(d, &get, &mut rule);
    }
}

type Rule<'a> = dyn FnMut(bool, Code, &str) + 'a;

fn combinations_old(d: &Description, get: &dyn Fn(&str) -> u64, rule: &mut Rule<'_>) {
    let cube = d.kind == Kind::Cube;
    // Fields count from zero.
    let (width, depth) = (get("Width"), get("Depth"));
    rule(
        d.kind != Kind::Buffer || width <= 127 && depth <= 127,
        Code::E0749,
        "Width and Depth of a buffer hold seven bits of its number of entries",
    );
    rule(
        d.kind != Kind::Buffer || get("MIP Count / LOD") == 0,
        Code::E0745,
        "MIP Count / LOD of a buffer is 0: a buffer has no MIP levels",
    );
    let average = get("Cube Map Corner Mode") == 1;
    rule(
        !average || cube && d.generation.cube_corners == CubeCorners::ByState,
        Code::E0745,
        "corner mode AVERAGE is for cubes, on Ironlake",
    );
    let faces = [
        "Negative X",
        "Positive X",
        "Negative Y",
        "Positive Y",
        "Negative Z",
        "Positive Z",
    ];
    let all = faces
        .iter()
        .all(|f| get(&format!("Cube Face Enable - {f}")) == 1);
    rule(
        !(average && cube) || all,
        Code::E0745,
        "corner mode AVERAGE needs all six faces enabled",
    );
    rule(
        get("Color Buffer Component Write Disables") == 0 || d.format.kind != FormatKind::Yuv,
        Code::E0745,
        "YUV surfaces are written with all components",
    );
    // The origin lies inside the first tile: PRM 4.10.2.1, X Offset and Y Offset, "Range".
    let tile = d.tiling.tile(d.format.bits.into());
    if let (Some((width, rows)), Tiling::X | Tiling::Y) = (tile, d.tiling) {
        let columns = width.div_ceil(u32::from(d.format.bits / 8).max(1));
        rule(
            d.x_offset + 4 <= columns && d.y_offset + 2 <= rows,
            Code::W0753,
            &format!(
                "X Offset and Y Offset are inside a tile: at most {} texels and {} rows",
                columns.saturating_sub(4),
                rows - 2
            ),
        );
    }
}

fn combinations_new(d: &Description, get: &dyn Fn(&str) -> u64, rule: &mut Rule<'_>) {
    rule(
        get("Tiled Resource Mode") == 0 || get("Tile Mode") == 3,
        Code::E0745,
        "Tiled Resource Mode needs Tile Mode Y",
    );
    if d.kind == Kind::Buffer {
        rule(
            get("Width") <= 127,
            Code::E0749,
            "the Width of a buffer holds seven bits of its number of entries",
        );
        return;
    }
    for name in ["Surface Horizontal Alignment", "Surface Vertical Alignment"] {
        rule(
            get(name) != 0 || d.is_in_a_row(),
            Code::W0753,
            &format!("{name} 0 is reserved; 4 is used"),
        );
    }
    let array = d.array && d.qpitch.is_none() && d.slices() > 1;
    rule(
        !array,
        Code::W0753,
        "an array requires a Surface QPitch; the slices are packed",
    );
}
