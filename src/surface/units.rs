//! What the fields of a surface state can say: offsets, alignments and QPitch count units, and only some
//! values have a code. A description that says more has no packed state on any machine.
//!
//! Source: surface reference 3.1 "X Offset, Y Offset", 3.2, 3.5, 5.2, 5.4.

use super::layout::Layout;
use super::{Description, Invalid, SampleStorage, Tiling};
use crate::diagnostic::Code;
use crate::isa::generations::{ArraySpacing, ImageAlignment};

/// Where the offsets are listed.
const OFFSETS: &str = "surface reference 3.1, 5.2, 5.4; PRM 4.10.2.1, \"X Offset\", \"Y Offset\"";

/// A name with its article: `an X Offset`, `a Y Offset`.
fn a(name: &str) -> String {
    match name.starts_with("X ") {
        true => format!("an {name}"),
        false => format!("a {name}"),
    }
}

impl Description {
    /// What one step of a field counts, and the most that the field can say: texels for X Offset, which has
    /// seven bits, and rows for Y Offset, which has four up to Gen7.5 and three later.
    ///
    /// A media state of Gen8 or Gen9 has a fourth bit, but no tile of it has more than 32 rows.
    pub(super) fn offset_fields(&self) -> [(u32, u32); 2] {
        match self.generation.short_y_offset {
            true => [(4, 4 * 0x7f), (2, 2 * 0xf)],
            false => [(4, 4 * 0x7f), (4, 4 * 0x7)],
        }
    }

    /// What the fields of the state cannot hold.
    pub(super) fn units(&self) -> Vec<Invalid> {
        let [x, y] = self.offset_fields();
        let offset = |name: &str, keys, value: u32, (unit, most): (u32, u32)| {
            let (code, what, help) = if value > most {
                let what = format!(
                    "{} of {value}; {} has 0 to {most}, in steps of {unit}",
                    a(name),
                    self.generation
                );
                (Code::E0740, what, format!("{name} 0 to {most}"))
            } else {
                let what = format!("{} of {value}; the state counts units of {unit}", a(name));
                let (low, high) = (value / unit * unit, value.next_multiple_of(unit));
                (Code::E0749, what, format!("{name} {low} or {high}"))
            };
            let broken = value > most || !value.is_multiple_of(unit);
            broken.then(|| {
                let place = Invalid::new(code, what).fix(keys, help);
                Invalid {
                    see: OFFSETS,
                    ..place
                }
            })
        };
        [
            offset("X Offset", &["x"], self.x_offset, x),
            offset("Y Offset", &["y"], self.y_offset, y),
            self.check_field().err(),
            self.check_align().err(),
            self.check_qpitch().err(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Source: surface reference 3.1, "X Offset, Y Offset".
    fn check_field(&self) -> Result<(), Invalid> {
        let field = self.generation.field_y_offset && self.line_stride.skips();
        if !field || self.y_offset.is_multiple_of(4) {
            return Ok(());
        }
        let what = format!(
            "a Y Offset of {}; that of a field is a multiple of 4 rows",
            self.y_offset
        );
        let help = "a Y Offset of 4, 8, 12 …, or all lines (lines=frame)";
        Err(Invalid::new(Code::E0745, what).fix(&["y"], help))
    }

    fn check_align(&self) -> Result<(), Invalid> {
        let Some((i, j)) = self.align else {
            return Ok(());
        };
        let fixed = Description {
            align: None,
            ..self.clone()
        };
        let fixed = fixed.alignment();
        let some = |list: &[u32]| {
            list.iter()
                .map(u32::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        use ImageAlignment::*;
        let (across, down): (&[u32], &[u32]) = match self.generation.image_alignment {
            Wide | Elements => (&[4, 8, 16], &[4, 8, 16]),
            Fixed | Down | Both if self.format.is_compressed() => (&[fixed.0], &[fixed.1]),
            Fixed => (&[fixed.0], &[fixed.1]),
            Down => (&[4], &[2, 4]),
            // Stencil has an alignment of its own.
            Both if self.tiling == Tiling::W => (&[8], &[8]),
            Both => (&[4, 8], &[2, 4]),
        };
        // The fields of such a state are ignored, and may have any of their values.
        let in_a_row = self.is_in_a_row() && (i, j) == super::rules::IN_A_ROW;
        if in_a_row || across.contains(&i) && down.contains(&j) {
            return Ok(());
        }
        let what = format!(
            "an image alignment of {i}×{j}; {} has {} across and {} down for {}",
            self.generation,
            some(across),
            some(down),
            self.format
        );
        let help = format!("omit it: {}×{} is used", fixed.0, fixed.1);
        Err(Invalid::new(Code::E0749, what).fix(&["align"], help))
    }

    fn check_qpitch(&self) -> Result<(), Invalid> {
        let Some(rows) = self.qpitch else {
            return Ok(());
        };
        let fail = |what| {
            let help = "omit QPitch: the slices are packed, or as far apart as the sizes require";
            Err(Invalid::new(Code::E0749, what).fix(&["qpitch"], help))
        };
        let spacing = self.generation.array_spacing;
        if matches!(spacing, ArraySpacing::Full | ArraySpacing::FullOfLevels) {
            return fail(format!(
                "a QPitch of {rows}; {} has no field for it, its slices are as far apart as the sizes require",
                self.generation
            ));
        }
        let rows = self.qpitch_field(rows);
        match rows.is_multiple_of(4) {
            true => Ok(()),
            false => fail(format!("a QPitch of {rows}; the state counts units of 4")),
        }
    }

    /// The rows that the QPitch field of the state means, from element rows: on Gen8 those of texels.
    pub(super) fn qpitch_field(&self, rows: u32) -> u32 {
        match self.generation.array_spacing {
            ArraySpacing::QPitchTexels if self.format.is_compressed() => {
                rows.saturating_mul(u32::from(self.format.block.1))
            }
            _ => rows,
        }
    }

    /// Slices that a QPitch places share no texel.
    ///
    /// Source: surface reference 3.5; PRM of Gen8 and Gen9, SURFACE_STATE, "Surface QPitch": large enough
    /// that the slices of an array do not overlap.
    pub(super) fn check_slices(&self, layout: &Layout, slices: u32) -> Result<(), Invalid> {
        let many = slices > 1 || self.samples > 1 && self.storage == SampleStorage::Array;
        match self.qpitch {
            Some(given) if many && given < layout.apart => {
                let what = format!(
                    "slices {given} {unit} apart; each has {} {unit}, and they would share bytes",
                    layout.apart,
                    unit = if layout.in_a_row { "texels" } else { "rows" },
                );
                let least = layout.apart.next_multiple_of(4);
                let field = self.qpitch_field(least) / 4;
                let help = format!(
                    "a QPitch of {least} (a packed state counts fours, {field}), or none: the slices are packed"
                );
                Err(Invalid::new(Code::E0758, what).fix(&["qpitch"], help))
            }
            _ => Ok(()),
        }
    }
}
