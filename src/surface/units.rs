//! What the fields of a surface state can say: offsets, alignments and QPitch count units, and only some
//! values have a code. A description that says more has no packed state on any machine.
//!
//! Source: surface reference 3.1 "X Offset, Y Offset", 3.2, 3.5, 5.2, 5.4.

use super::layout::Layout;
use super::{Description, Generation, Invalid, SampleStorage, Tiling};
use crate::diagnostic::Code;

impl Description {
    /// Texels that one step of the X Offset field counts, and rows of the Y Offset field.
    pub(super) fn offset_units(&self) -> (u32, u32) {
        match self.generation <= Generation::Gen75 {
            true => (4, 2),
            false => (4, 4),
        }
    }

    /// Checks what the fields of the state can hold.
    pub(super) fn check_units(&self) -> Result<(), Invalid> {
        let (x, y) = self.offset_units();
        for (name, value, unit) in [
            ("X Offset", self.x_offset, x),
            ("Y Offset", self.y_offset, y),
        ] {
            if !value.is_multiple_of(unit) {
                let what = format!("an {name} of {value}; the state counts units of {unit}");
                return Err(Invalid::new(Code::E0749, what));
            }
        }
        self.check_align()?;
        self.check_qpitch()
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
        let (across, down): (&[u32], &[u32]) = match self.generation {
            Generation::Gen4 | Generation::Gen5 => (&[fixed.0], &[fixed.1]),
            Generation::Gen6 | Generation::Gen7 | Generation::Gen75
                if self.format.is_compressed() =>
            {
                (&[fixed.0], &[fixed.1])
            }
            Generation::Gen6 => (&[4], &[2, 4]),
            // Stencil has an alignment of its own.
            Generation::Gen7 | Generation::Gen75 if self.tiling == Tiling::W => (&[8], &[8]),
            Generation::Gen7 | Generation::Gen75 => (&[4, 8], &[2, 4]),
            _ => (&[4, 8, 16], &[4, 8, 16]),
        };
        if across.contains(&i) && down.contains(&j) {
            return Ok(());
        }
        let what = format!(
            "an image alignment of {i}×{j}; {} has {} across and {} down for {}",
            self.generation,
            some(across),
            some(down),
            self.format
        );
        Err(Invalid::new(Code::E0749, what))
    }

    fn check_qpitch(&self) -> Result<(), Invalid> {
        let Some(rows) = self.qpitch else {
            return Ok(());
        };
        let fail = |what| Err(Invalid::new(Code::E0749, what));
        if self.generation < Generation::Gen8 {
            return fail(format!(
                "a QPitch of {rows}; {} has no field for it, its slices are as far apart as sizes say",
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
        match self.generation == Generation::Gen8 && self.format.is_compressed() {
            true => rows.saturating_mul(u32::from(self.format.block.1)),
            false => rows,
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
                Err(Invalid::new(Code::E0758, what))
            }
            _ => Ok(()),
        }
    }
}
