//! The fix and the section of every rule of surfaces and states, by code; a rule of a code with many says
//! its own fix where it is held.

use crate::diagnostic::Code;

/// What a rule is reported with.
#[derive(Clone, Copy, Debug)]
pub struct Fix {
    /// The rule's code.
    pub code: Code,
    /// What a directive says of it, the likeliest first: keys, or `size` and `format`.
    pub keys: &'static [&'static str],
    /// How to fix it.
    pub help: &'static str,
    /// Where it is.
    pub see: &'static str,
}

const fn row(
    code: Code,
    keys: &'static [&'static str],
    help: &'static str,
    see: &'static str,
) -> Fix {
    Fix {
        code,
        keys,
        help,
        see,
    }
}

/// One row for each code.
#[rustfmt::skip]
pub static FIXES: &[Fix] = &[
    row(Code::L0606, &["size"], "a smaller surface", "visim's own limit: all surfaces and buffers of a run"),
    row(Code::L0713, &["size", "slices"], "fewer texels, levels, slices or samples", "visim's own limit: 1 GiB to a surface"),
    row(Code::E0740, &["size"], "a size in the given range", "surface reference 5.2, 5.4; PRM 4.10.2.1, \"Width\", \"Height\", \"Depth\""),
    row(Code::E0741, &["levels", "mips", "min_lod"], "fewer levels", "surface reference 3.2; PRM 4.10.2.1, \"MIP Count\", \"Surface Min LOD\""),
    row(Code::E0742, &["pitch", "tiling"], "omit the pitch (0): the smallest legal one is used", "surface reference 3.1; PRM 4.10.2.1, \"Surface Pitch\""),
    row(Code::E0743, &["tiling"], "a multiple of 0x1000", "surface reference 3.1; PRM 4.10.2.1, \"Surface Base Address\""),
    row(Code::E0744, &["size", "kind"], "equal width and height", "surface reference 3.5; PRM 4.10.2.1, \"Width\""),
    row(Code::E0745, &["kind"], "remove one of the two", "surface reference 3, 5.2, 5.4; PRM 4.10.2.1, programming notes"),
    row(Code::E0746, &["format"], "name another format", "surface reference 1.1, 3.1; PRM 4.10.2.1.1"),
    row(Code::E0747, &["size", "pitch"], "give more memory, or a smaller surface", "surface reference 3.9"),
    row(Code::E0748, &[], "one of the defined values", "surface reference 5; PRM 4.10"),
    row(Code::E0749, &[], "a value in the given range", "surface reference 5; PRM 4.10"),
    row(Code::E0750, &[], "give all dwords of the structure for the intended generation", "surface reference 5"),
    row(Code::W0751, &[], "clear them, or name the generation that has them", "surface reference 5"),
    row(Code::N0752, &[], "omit it, if the program does not need it", "surface reference 3, 5"),
    row(Code::W0753, &[], "write what the note requires", "PRM 4.10.2.1, 4.10.3, programming notes"),
    row(Code::E0754, &[], "the offset of a state from Surface State Base, aligned and inside", "surface reference 5.1"),
    row(Code::E0755, &["size", "format"], "sizes and places of planes that the subsampling divides", "surface reference 3.8, 5.3"),
    row(Code::E0756, &[], "CLAMP on every axis and mip filter none, or normalized coordinates", "surface reference 4.2, 5.5; PRM 4.2.4, 4.10.3"),
    row(Code::E0758, &["qpitch"], "omit QPitch (0): the slices are packed", "surface reference 3.5; PRM of Gen8 and Gen9, \"Surface QPitch\""),
    row(Code::W0759, &[], "each plane after the rows of those before it", "surface reference 3.8, 5.3, 5.4"),
    row(Code::E0780, &[], "write it for a generation whose state has the field", "AVS reference 3; PRM 4.10.3"),
    row(Code::E0781, &[], "a value that the note allows", "AVS reference 3; PRM 4.10.3, programming notes"),
];

/// The row of a code.
pub fn fix_for(code: Code) -> Option<&'static Fix> {
    FIXES.iter().find(|row| row.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_states_has_one_row() {
        for info in crate::diagnostic::CODES {
            let of_states = info.name[1..].starts_with("074") || info.name[1..].starts_with("075");
            let elsewhere = info.code == Code::E0757;
            let rows = FIXES.iter().filter(|row| row.code == info.code).count();
            assert!(rows <= 1, "{}", info.name);
            assert!(
                rows == 1 || !of_states || elsewhere,
                "{} has no row",
                info.name
            );
        }
    }
}
