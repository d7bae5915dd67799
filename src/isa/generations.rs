//! The time line of the hardware.
//!
//! ```text
//!  Gen4 … Gen7.5   Gen8 … Gen11   Gen12        Xe-HPG  Xe-HPC  Xe-LPG  Xe-LPG+   Xe2   Xe3   Xe3p
//!                                 12.0 …       12.55   12.60   12.70   12.74     20    30    35
//! ```
//!
//! Tables have columns of generations: the first one, or a [`Span`]. Code asks for a fact of a generation
//! (`generation.array_spacing`) or of a platform ([`super::platforms`]) and names neither; `tests/layers.rs` sees to
//! it.
//!
//! Source: surface reference 1.1 and 3; Xe2 reference 1.

use std::fmt;
use std::ops::Deref;

/// A hardware generation. The order is that of time; of the later ones that of their IP versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // the names say it; Gen75 is Gen7.5
pub enum Generation {
    Gen4, Gen5, Gen6, Gen7, Gen75, Gen8, #[default] Gen9, Gen10, Gen11, Gen12,
    XeHpg, XeHpc, XeLpg, XeLpgPlus, Xe2, Xe3, Xe3p,
}
use Generation::*;

/// Some of the generations, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(u32);

/// A generation and all later ones.
pub const fn from(first: Generation) -> Span {
    Span(u32::MAX << first as u32)
}

/// A generation and all earlier ones.
pub const fn until(last: Generation) -> Span {
    Span(!(u32::MAX << (last as u32) << 1))
}

impl Span {
    /// Every generation.
    pub const EVERY: Span = Span(u32::MAX);
    /// No generation.
    pub const NONE: Span = Span(0);

    /// One generation.
    pub const fn only(generation: Generation) -> Span {
        from(generation).until(generation)
    }

    /// The oldest of them.
    pub const fn first(self) -> Option<Generation> {
        let mut at = 0;
        while at < ALL.len() {
            if self.contains(ALL[at]) {
                return Some(ALL[at]);
            }
            at += 1;
        }
        None
    }

    /// Without what comes after `last`.
    pub const fn until(self, last: Generation) -> Span {
        Span(self.0 & until(last).0)
    }

    /// Without one generation in between.
    pub const fn except(self, generation: Generation) -> Span {
        Span(self.0 & !(1 << generation as u32))
    }

    /// Whether a generation is one of them.
    #[inline]
    pub const fn contains(self, generation: Generation) -> bool {
        self.0 >> generation as u32 & 1 != 0
    }
}

/// Which units images are aligned to, across and down. Source: surface reference 3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageAlignment {
    /// 4x2 texels, or a compressed block.
    Fixed,
    /// 4x2 or 4x4; a compressed block.
    Down,
    /// 4 or 8 by 2 or 4; stencil 8x8; a compressed block.
    Both,
    /// 4, 8 or 16 both ways; without a choice a compressed block.
    Wide,
    /// 4, 8 or 16 elements both ways, compressed or not.
    Elements,
}

/// How far apart the slices of an array lie where nothing says. Source: surface reference 3.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArraySpacing {
    /// Level 0, level 1 and eleven alignment units, whether there are levels or not.
    Full,
    /// Level 0, level 1 and twelve alignment units; packed without levels.
    FullOfLevels,
    /// Packed; Surface QPitch says otherwise in rows of texels.
    QPitchTexels,
    /// Packed; Surface QPitch says otherwise in rows of elements.
    QPitchElements,
}

/// Filtering at the corners of cubes. Source: surface reference 5.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CubeCorners {
    /// Of one face.
    Replicate,
    /// As the surface state says.
    ByState,
    /// The average of three faces.
    Average,
}

/// The response of the `deinterlace` message, which is gone from Gen8 on. Source: AVS reference 5.9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeinterlaceResponse {
    /// Ironlake.
    Gen5,
    /// Sandy Bridge.
    Gen6,
    /// Ivy Bridge and Haswell.
    Gen7,
}

/// What surfaces and the sampler ask of a generation.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The number that texts use (`gen=7.5`); the name of those without one.
    pub name: &'static str,
    /// SURFACE_STATE has 6 dwords: 13 bits for a size, 17 for a pitch, no bit for arrays, mip layout RIGHT.
    pub short_surface_state: bool,
    /// Sample counts of surfaces.
    pub samples: &'static [u32],
    /// Units of images.
    pub image_alignment: ImageAlignment,
    /// Distance of slices.
    pub array_spacing: ArraySpacing,
    /// Slices of 3D surfaces lie in rows of 1, 2, 4 … per level; later one below the other.
    pub volumes_in_grid: bool,
    /// So do the faces of cubes.
    pub cubes_in_grid: bool,
    /// Images are padded in elements, and levels of 1D surfaces lie in one row; earlier they are padded in texels.
    pub pads_elements: bool,
    /// Tilings Yf and Ys.
    pub standard_tiling: bool,
    /// Y Offset counts units of two rows in four bits; later of four rows in three bits.
    pub short_y_offset: bool,
    /// The Y Offset of a field is a multiple of four rows.
    pub field_y_offset: bool,
    /// Y-tiled render targets of 128 bits are defined.
    pub wide_y_targets: bool,
    /// Corners of cubes.
    pub cube_corners: CubeCorners,
    /// `resinfo` returns floats.
    pub resinfo_floats: bool,
    /// One palette, of 16 opaque colours; later 256 with alpha.
    pub short_palette: bool,
    /// `sample` refuses integers, and comparisons refuse arrays. Source: PRM 4.11.1.4.
    pub loads_integers_only: bool,
    /// MinLOD and MaxLOD limit computed levels by their integer bits; later they limit the level of detail with its
    /// fraction. Source: PRM 4.2.2; surface reference 4.6.
    pub integer_level_limits: bool,
    /// The reference of a shadow comparison is not cut to 0 … 1. Source: PRM 4.4; surface reference 4.12.
    pub free_shadow_reference: bool,
    /// OWord and DWord messages hold a buffer's elements for 16 bytes each, whatever its pitch. Source: PRM 5.10.3,
    /// 5.10.6.
    pub elements_of_owords: bool,
    /// The response of `deinterlace`.
    pub deinterlace: DeinterlaceResponse,
}

const GEN4: Facts = Facts {
    name: "4",
    short_surface_state: true,
    samples: &[1],
    image_alignment: ImageAlignment::Fixed,
    array_spacing: ArraySpacing::Full,
    volumes_in_grid: true,
    cubes_in_grid: true,
    pads_elements: false,
    standard_tiling: false,
    short_y_offset: true,
    field_y_offset: false,
    wide_y_targets: false,
    cube_corners: CubeCorners::Replicate,
    resinfo_floats: true,
    short_palette: true,
    loads_integers_only: true,
    integer_level_limits: true,
    free_shadow_reference: true,
    elements_of_owords: true,
    deinterlace: DeinterlaceResponse::Gen5,
};

const GEN5: Facts = Facts {
    name: "5",
    cubes_in_grid: false,
    field_y_offset: true,
    cube_corners: CubeCorners::ByState,
    resinfo_floats: false,
    short_palette: false,
    ..GEN4
};

const GEN6: Facts = Facts {
    name: "6",
    samples: &[1, 4],
    image_alignment: ImageAlignment::Down,
    field_y_offset: false,
    cube_corners: CubeCorners::Average,
    loads_integers_only: false,
    elements_of_owords: false,
    deinterlace: DeinterlaceResponse::Gen6,
    ..GEN5
};

const GEN7: Facts = Facts {
    name: "7",
    short_surface_state: false,
    samples: &[1, 2, 4, 8, 16],
    image_alignment: ImageAlignment::Both,
    array_spacing: ArraySpacing::FullOfLevels,
    wide_y_targets: true,
    integer_level_limits: false,
    free_shadow_reference: false,
    deinterlace: DeinterlaceResponse::Gen7,
    ..GEN6
};

const GEN8: Facts = Facts {
    name: "8",
    image_alignment: ImageAlignment::Wide,
    array_spacing: ArraySpacing::QPitchTexels,
    short_y_offset: false,
    deinterlace: DeinterlaceResponse::Gen5,
    ..GEN7
};

/// The layouts of later parts are not published in the surface reference: Gen9's are taken.
const GEN9: Facts = Facts {
    name: "9",
    image_alignment: ImageAlignment::Elements,
    array_spacing: ArraySpacing::QPitchElements,
    volumes_in_grid: false,
    pads_elements: true,
    standard_tiling: true,
    ..GEN8
};

const fn as_gen9(name: &'static str) -> Facts {
    Facts { name, ..GEN9 }
}

/// The generations, oldest first.
const ALL: &[Generation] = &[
    Gen4, Gen5, Gen6, Gen7, Gen75, Gen8, Gen9, Gen10, Gen11, Gen12, XeHpg, XeHpc, XeLpg, XeLpgPlus,
    Xe2, Xe3, Xe3p,
];

static ROWS: [Facts; ALL.len()] = [
    GEN4,
    GEN5,
    GEN6,
    GEN7,
    Facts {
        name: "7.5",
        ..GEN7
    },
    GEN8,
    GEN9,
    as_gen9("10"),
    as_gen9("11"),
    as_gen9("12"),
    as_gen9("Xe-HPG"),
    as_gen9("Xe-HPC"),
    as_gen9("Xe-LPG"),
    as_gen9("Xe-LPG+"),
    as_gen9("Xe2"),
    as_gen9("Xe3"),
    as_gen9("Xe3p"),
];

impl Generation {
    /// The newest.
    pub const LATEST: Generation = Xe3p;

    /// The generations of the surface reference, with their numbers in texts.
    pub fn numbered() -> impl Iterator<Item = (&'static str, Generation)> + Clone {
        let all = ALL.iter().take_while(|generation| **generation <= Gen12);
        all.map(|generation| (generation.name, *generation))
    }

    /// The address of the volume of the Programmer's Reference Manual that has the messages; where none is published,
    /// that of the generation before.
    pub const fn message_manual(self) -> &'static str {
        match self {
            Gen4 | Gen5 | Gen6 | Gen7 | Gen75 => "https://www.x.org/docs/intel/HD/",
            Gen8 => {
                "https://www.x.org/docs/intel/BDW/intel-gfx-prm-osrc-bdw-vol07-3d_media_gpgpu_0.pdf"
            }
            Gen9 | Gen10 | Gen11 => {
                "https://01.org/sites/default/files/documentation/intel-gfx-prm-osrc-skl-vol07-3d_media_gpgpu.pdf"
            }
            _ => "https://www.x.org/docs/intel/DG1/intel-gfx-prm-osrc-dg1-vol09-renderengine.pdf",
        }
    }
}

impl Deref for Generation {
    type Target = Facts;

    #[inline]
    fn deref(&self) -> &Facts {
        &ROWS[*self as usize]
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbered = self.name.starts_with(|c: char| c.is_ascii_digit());
        write!(f, "{}{}", if numbered { "Gen" } else { "" }, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_open_at_one_end() {
        assert!(from(Gen9).contains(Xe3p) && !from(Gen9).contains(Gen8));
        assert!(until(Gen9).contains(Gen4) && !until(Gen9).contains(Gen10));
        let middle = from(XeHpg).until(Xe2).except(XeLpg);
        let all = [Gen12, XeHpg, XeHpc, XeLpg, XeLpgPlus, Xe2, Xe3];
        let has = all.map(|generation| middle.contains(generation));
        assert_eq!(has, [false, true, true, false, true, true, false]);
        assert_eq!(middle.first(), Some(XeHpg));
        assert_eq!(Span::NONE.first(), None);
        assert_eq!(Xe2.to_string() + " " + &Gen75.to_string(), "Xe2 Gen7.5");
        assert!(Span::EVERY.contains(Gen4) && !Span::NONE.contains(Xe3p));
    }
}
