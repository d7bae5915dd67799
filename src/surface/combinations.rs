//! Sizes of a description, and what may not stand together in it.
//!
//! Source: surface reference 3 and 5; PRM 4.10.2.1.

use super::format::Kind as FormatKind;
use super::{Description, Invalid, Kind, MipLayout, Tiling};
use crate::diagnostic::Code;

/// The most rows that the fifteen bits of the QPitch field can say. Source: surface reference 5.4.
const MOST_QPITCH: u32 = 0x7fff << 2;

/// Rules that were looked at, and those that are broken.
struct Rules(Vec<Invalid>);

impl Rules {
    /// One rule: `keys` are what a directive says of it, `help` mends it.
    fn rule(
        &mut self,
        holds: bool,
        code: Code,
        keys: &'static [&'static str],
        help: &str,
        what: impl FnOnce() -> String,
    ) {
        if !holds {
            self.0.push(Invalid::new(code, what()).mend(keys, help));
        }
    }
}

/// Counts of samples in words: `1 sample`, `1, 4 or 8 samples`.
fn samples(counts: &[u32]) -> String {
    match counts {
        [] | [1] => "1 sample".to_string(),
        [few @ .., last] => {
            let few: Vec<String> = few.iter().map(u32::to_string).collect();
            format!("{} or {last} samples", few.join(", "))
        }
    }
}

impl Description {
    /// Every rule of sizes that is broken.
    pub(super) fn sizes(&self) -> Vec<Invalid> {
        let early = self.generation.short_surface_state;
        let (side, slices, levels) = match early {
            true => (8192, 512, 14),
            false => (16384, 2048, 15),
        };
        let (side, slices) = match self.kind {
            Kind::D3 => (2048, 2048),
            _ => (side, slices),
        };
        let element = self.min_array_element;
        let mut rules = Rules(Vec::new());
        let mut size = |name: &str, keys, value: u32, least: u32, most: u32| {
            let help = format!("a {name} from {least} to {most}");
            let holds = (least..=most).contains(&value);
            rules.rule(holds, Code::E0740, keys, &help, || {
                format!("a {name} of {value}; {least} to {most} is allowed")
            });
        };
        size("width", &["size"], self.width, 1, side);
        size("height", &["size"], self.height, 1, side);
        size("depth", &["slices", "size"], self.depth, 1, slices);
        size(
            "minimum array element",
            &["element"],
            element,
            0,
            slices - 1,
        );
        let qpitch = self.qpitch_field(self.qpitch.unwrap_or(0));
        size("QPitch", &["qpitch"], qpitch, 0, MOST_QPITCH);
        let deep = if self.kind == Kind::D3 { self.depth } else { 1 };
        let longest = self.width.max(self.height).max(deep).max(1);
        let possible = longest.ilog2() + 1;
        let asked = self.min_lod.saturating_add(self.levels);
        let most = possible.min(levels).saturating_sub(self.min_lod);
        let help = match most {
            0 => format!("a first level from 0 to {}", possible - 1),
            most => format!("at most {most} levels from level {} on", self.min_lod),
        };
        let holds = self.levels > 0 && self.levels <= levels && asked <= possible;
        let keys = &["levels", "mips", "min_lod"];
        rules.rule(holds, Code::E0741, keys, &help, || {
            format!(
                "{asked} levels; a surface of {}×{}×{deep} texels has {possible}",
                self.width, self.height
            )
        });
        rules.0
    }

    /// Every rule of fields together that is broken.
    pub(super) fn combinations(&self) -> Vec<Invalid> {
        use Code::{E0743, E0744, E0745, E0746, N0752};
        let format = self.format;
        let plain_2d = self.kind == Kind::D2 && !self.array;
        let multisampled = self.samples > 1;
        let several = format.is_compressed() || format.is_planar() || format.cell().across > 1;
        let mut rules = Rules(Vec::new());
        let mut rule = |holds, code, keys, help: &str, what: &dyn Fn() -> String| {
            rules.rule(holds, code, keys, help, what);
        };
        rule(
            self.array || self.kind == Kind::D3 || self.depth == 1,
            E0745,
            &["size", "kind"],
            "make it an array (slices=), or a 3D surface (kind=3d)",
            &|| "several slices need an array surface".into(),
        );
        rule(
            self.kind != Kind::D3 || !self.array,
            E0745,
            &["slices", "kind"],
            "give the depth as the third size, and no slices",
            &|| "a 3D surface is no array".into(),
        );
        // The hardware adds it to the R of a render target and bounds that by Render Target View Extent.
        rule(
            self.kind != Kind::D3 || self.min_array_element == 0,
            N0752,
            &["element"],
            "a Minimum Array Element of 0",
            &|| {
                "the Minimum Array Element of a 3D surface is the least R of a render target, and a view of a part of R is not modelled".into()
            },
        );
        rule(
            self.kind != Kind::D1 || self.height == 1,
            E0745,
            &["size", "kind"],
            "a height of 1, or a 2D surface",
            &|| "a 1D surface has height 1".into(),
        );
        rule(
            self.kind != Kind::Cube || self.width == self.height,
            E0744,
            &["size", "kind"],
            "width and height alike",
            &|| {
                format!(
                    "faces of {}×{} texels; those of a cube are square",
                    self.width, self.height
                )
            },
        );
        let early = self.generation.short_surface_state;
        rule(
            self.kind != Kind::Cube || !early || self.depth == 1,
            E0745,
            &["slices", "kind", "gen"],
            "one cube, or a generation from Gen7 on",
            &|| format!("{} cubes; arrays of them begin with Gen7", self.depth),
        );
        rule(
            self.kind != Kind::Cube || !early || self.min_array_element == 0,
            E0745,
            &["element"],
            "a Minimum Array Element of 0",
            &|| {
                format!(
                    "a Minimum Array Element of {}; that of a cube is 0 up to Gen6",
                    self.min_array_element
                )
            },
        );
        let counts = self.generation.samples;
        rule(
            counts.contains(&self.samples),
            E0745,
            &["samples", "gen"],
            &format!("{}, or another generation", samples(counts)),
            &|| {
                format!(
                    "{} samples; {} has {}",
                    self.samples,
                    self.generation,
                    samples(counts)
                )
            },
        );
        rule(
            !multisampled || self.kind == Kind::D2 && self.min_lod.saturating_add(self.levels) == 1,
            E0745,
            &["samples", "levels", "mips", "min_lod", "kind"],
            "one sample, or a 2D surface of one level",
            &|| "multisampled surfaces are 2D and have one level".into(),
        );
        rule(
            !multisampled || !several,
            E0746,
            &["format", "samples"],
            "a format of single texels, as R8G8B8A8_UNORM, or one sample",
            &|| "multisampled surfaces have a format of single texels".into(),
        );
        rule(
            !self.line_stride.skips() || plain_2d && !format.is_compressed(),
            E0745,
            &["lines"],
            "all lines (lines=frame), or a 2D surface that is no array",
            &|| {
                "skipping lines needs a 2D surface that is no array and not block-compressed".into()
            },
        );
        rule(
            self.mip_layout == MipLayout::Below || plain_2d && early,
            E0745,
            &["below"],
            "mip layout BELOW",
            &|| "mip layout RIGHT needs a 2D surface that is no array, up to Gen6".into(),
        );
        let offset = self.x_offset != 0 || self.y_offset != 0;
        rule(
            // Planes are of 8 and 16 bits.
            !offset || format.is_planar() || matches!(format.bits, 8 | 16 | 32 | 64 | 128),
            E0745,
            &["x", "y", "format"],
            "no offsets, or a format of 8, 16, 32, 64 or 128 bits",
            &|| {
                format!(
                    "X Offset and Y Offset need a format of 8, 16, 32, 64 or 128 bits; {format} has {}",
                    format.bits
                )
            },
        );
        rule(
            !early || format.kind != FormatKind::Mono || self.min_lod == 0,
            E0745,
            &["min_lod"],
            "a Surface Min LOD of 0",
            &|| "the Surface Min LOD of MONO8 is 0".into(),
        );
        rule(
            !multisampled || !early || format.bits <= 64 && format.kind != FormatKind::Yuv,
            E0745,
            &["samples", "format"],
            "one sample, or a format of at most 64 bits",
            &|| "a multisampled surface has at most 64 bits to a texel, and no YUV".into(),
        );
        let standard = matches!(self.tiling, Tiling::Yf | Tiling::Ys);
        rule(
            !standard || self.generation.standard_tiling,
            E0745,
            &["tiling", "gen"],
            "tiling Y, or Gen9",
            &|| "tilings Yf and Ys begin with Gen9".into(),
        );
        // Their shapes for several samples and for 3D are out of scope: surface reference 3.1.
        rule(
            !standard || self.kind != Kind::D3 && !multisampled,
            N0752,
            &["tiling"],
            "tiling Y",
            &|| "tilings Yf and Ys of a 3D or multisampled surface are not modelled".into(),
        );
        rule(
            !self.bit6_swizzle || self.tiling.is_swizzled(),
            E0745,
            &["swizzle", "tiling"],
            "tiling X or Y, or no swizzle",
            &|| {
                format!(
                    "swizzled addresses of tiling {:?}; only those of X and Y are",
                    self.tiling
                )
            },
        );
        rule(
            !format.is_packed_422() || self.width.is_multiple_of(2),
            E0746,
            &["size"],
            "an even width",
            &|| format!("a width of {}; {format} stores pairs of texels", self.width),
        );
        rule(
            format.name != "MONO8" || self.width.is_multiple_of(32),
            E0746,
            &["size"],
            "a width of 32, 64, 96 …",
            &|| format!("a width of {}; MONO8 needs a multiple of 32", self.width),
        );
        rule(
            self.tiling == Tiling::Linear || self.base.is_multiple_of(4096),
            E0743,
            &["tiling"],
            "a multiple of 0x1000; X Offset and Y Offset move the origin inside a tile",
            &|| {
                format!(
                    "a tiled surface at byte {}; a multiple of 4096 is needed",
                    self.base
                )
            },
        );
        rules.0
    }
}
