//! Sizes of a description, and the combinations of fields that are not allowed.
//!
//! Source: surface reference 3 and 5; PRM 4.10.2.1.

use super::format::Kind as FormatKind;
use super::{Description, Invalid, Kind, MipLayout, Tiling};
use crate::diagnostic::Code::{self, E0743, E0744, E0745, E0746, N0752};

/// The most rows that the fifteen bits of the QPitch field can represent. Source: surface reference 5.4.
const MOST_QPITCH: u32 = 0x7fff << 2;

/// A rule about several fields.
struct Rule {
    /// What has to hold.
    requires: fn(&Description) -> bool,
    /// The code of the rule.
    code: Code,
    /// The keys of a directive to blame, the likeliest first.
    keys: &'static [&'static str],
    /// What is wrong; `{width}` and other names in braces become values, see [`Description::fill`].
    what: &'static str,
    /// What fixes it, with the same names.
    help: &'static str,
}

const fn rule(
    requires: fn(&Description) -> bool,
    code: Code,
    keys: &'static [&'static str],
    what: &'static str,
    help: &'static str,
) -> Rule {
    Rule {
        requires,
        code,
        keys,
        what,
        help,
    }
}

/// Every rule about several fields, in the order in which they are reported.
#[rustfmt::skip]
static RULES: &[Rule] = &[
    rule(|d| d.array || d.kind == Kind::D3 || d.depth == 1, E0745, &["size", "kind"],
        "several slices require an array surface",
        "make it an array (slices=), or a 3D surface (kind=3d)"),
    rule(|d| d.kind != Kind::D3 || !d.array, E0745, &["slices", "kind"],
        "a 3D surface cannot be an array",
        "give the depth as the third size, and no slices"),
    // The hardware adds it to the R of a render target and bounds that by Render Target View Extent.
    rule(|d| d.kind != Kind::D3 || d.min_array_element == 0, N0752, &["element"],
        "the Minimum Array Element of a 3D surface is the least R of a render target, and a view of a part of R is not modelled",
        "a Minimum Array Element of 0"),
    rule(|d| d.kind != Kind::D1 || d.height == 1, E0745, &["size", "kind"],
        "a 1D surface has height 1",
        "a height of 1, or a 2D surface"),
    rule(|d| d.kind != Kind::Cube || d.width == d.height, E0744, &["size", "kind"],
        "faces of {width}×{height} texels; those of a cube are square",
        "equal width and height"),
    rule(|d| d.kind != Kind::Cube || !d.is_early() || d.depth == 1, E0745, &["slices", "kind", "gen"],
        "{depth} cubes; arrays of them begin with Gen7",
        "one cube, or a generation from Gen7 on"),
    rule(|d| d.kind != Kind::Cube || !d.is_early() || d.min_array_element == 0, E0745, &["element"],
        "a Minimum Array Element of {element}; that of a cube is 0 up to Gen6",
        "a Minimum Array Element of 0"),
    rule(|d| d.sample_counts().contains(&d.samples), E0745, &["samples", "gen"],
        "{samples} samples; {generation} has {counts}",
        "{counts}, or another generation"),
    rule(|d| d.samples <= 1 || d.kind == Kind::D2 && d.min_lod.saturating_add(d.levels) == 1, E0745,
        &["samples", "levels", "mips", "min_lod", "kind"],
        "multisampled surfaces are 2D and have one level",
        "one sample, or a 2D surface of one level"),
    rule(|d| d.samples <= 1 || !d.format.is_compressed() && !d.format.is_planar() && d.format.cell().across <= 1,
        E0746, &["format", "samples"],
        "multisampled surfaces have a format of single texels",
        "a format of single texels, as R8G8B8A8_UNORM, or one sample"),
    rule(|d| !d.line_stride.skips() || d.is_plain_2d() && !d.format.is_compressed(), E0745, &["lines"],
        "skipping lines requires a 2D surface that is neither an array nor block-compressed",
        "all lines (lines=frame), or a 2D surface that is not an array"),
    rule(|d| d.mip_layout == MipLayout::Below || d.is_plain_2d() && d.is_early(), E0745, &["below"],
        "mip layout RIGHT requires a 2D surface that is not an array, up to Gen6",
        "mip layout BELOW"),
    // Planes are of 8 and 16 bits.
    rule(|d| d.x_offset == 0 && d.y_offset == 0 || d.format.is_planar() || matches!(d.format.bits, 8 | 16 | 32 | 64 | 128),
        E0745, &["x", "y", "format"],
        "X Offset and Y Offset require a format of 8, 16, 32, 64 or 128 bits; {format} has {bits}",
        "no offsets, or a format of 8, 16, 32, 64 or 128 bits"),
    rule(|d| !d.is_early() || d.format.kind != FormatKind::Mono || d.min_lod == 0, E0745, &["min_lod"],
        "the Surface Min LOD of MONO8 is 0",
        "a Surface Min LOD of 0"),
    rule(|d| d.samples <= 1 || !d.is_early() || d.format.bits <= 64 && d.format.kind != FormatKind::Yuv, E0745,
        &["samples", "format"],
        "a multisampled surface has at most 64 bits per texel, and no YUV",
        "one sample, or a format of at most 64 bits"),
    rule(|d| !d.has_standard_tiling() || d.generation.standard_tiling, E0745, &["tiling", "gen"],
        "tilings Yf and Ys begin with Gen9",
        "tiling Y, or Gen9"),
    // Their shapes for several samples and for 3D are out of scope: surface reference 3.1.
    rule(|d| !d.has_standard_tiling() || d.kind != Kind::D3 && d.samples <= 1, N0752, &["tiling"],
        "tilings Yf and Ys of a 3D or multisampled surface are not modelled",
        "tiling Y"),
    rule(|d| !d.bit6_swizzle || d.tiling.is_swizzled(), E0745, &["swizzle", "tiling"],
        "tiling {tiling} has no swizzled addresses; only X and Y have",
        "tiling X or Y, or no swizzle"),
    rule(|d| d.format.name != "MONO8" || d.width.is_multiple_of(32), E0746, &["size"],
        "a width of {width}; MONO8 requires a multiple of 32",
        "a width of 32, 64, 96 …"),
    rule(|d| d.tiling == Tiling::Linear || d.base.is_multiple_of(4096), E0743, &["tiling"],
        "a tiled surface at byte {base}; a multiple of 4096 is required",
        "a multiple of 0x1000; X Offset and Y Offset move the origin inside a tile"),
];

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
        let early = self.is_early();
        let (side, slices, levels) = match early {
            true => (8192, 512, 14),
            false => (16384, 2048, 15),
        };
        let (side, slices) = match self.kind {
            Kind::D3 => (2048, 2048),
            _ => (side, slices),
        };
        let element = self.min_array_element;
        let mut broken = Vec::new();
        let mut size = |name: &str, keys, value: u32, least: u32, most: u32| {
            let help = format!("a {name} from {least} to {most}");
            let holds = (least..=most).contains(&value);
            if !holds {
                let what = format!("a {name} of {value}; {least} to {most} is allowed");
                broken.push(Invalid::new(Code::E0740, what).fix(keys, help));
            }
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
        if !holds {
            let (width, height) = (self.width, self.height);
            let what = format!(
                "{asked} levels; a surface of {width}×{height}×{deep} texels has {possible}"
            );
            broken.push(Invalid::new(Code::E0741, what).fix(keys, help));
        }
        broken
    }

    /// Every rule about several fields that is broken.
    pub(super) fn combinations(&self) -> Vec<Invalid> {
        let broken = RULES.iter().filter(|rule| !(rule.requires)(self));
        let invalid = |rule: &Rule| {
            Invalid::new(rule.code, self.fill(rule.what)).fix(rule.keys, self.fill(rule.help))
        };
        broken.map(invalid).collect()
    }

    /// A text of [`RULES`] with its names replaced by the values of this description.
    fn fill(&self, text: &str) -> String {
        let values = [
            ("{width}", self.width.to_string()),
            ("{height}", self.height.to_string()),
            ("{depth}", self.depth.to_string()),
            ("{element}", self.min_array_element.to_string()),
            ("{samples}", self.samples.to_string()),
            ("{counts}", samples(self.sample_counts())),
            ("{generation}", self.generation.to_string()),
            ("{format}", self.format.to_string()),
            ("{bits}", self.format.bits.to_string()),
            ("{tiling}", format!("{:?}", self.tiling)),
            ("{base}", self.base.to_string()),
        ];
        let filled = values.iter();
        filled.fold(text.to_string(), |text, (name, value)| {
            text.replace(name, value)
        })
    }

    /// Of the generations whose state has six dwords and smaller fields.
    fn is_early(&self) -> bool {
        self.generation.short_surface_state
    }

    fn is_plain_2d(&self) -> bool {
        self.kind == Kind::D2 && !self.array
    }

    fn has_standard_tiling(&self) -> bool {
        matches!(self.tiling, Tiling::Yf | Tiling::Ys)
    }

    /// The numbers of samples that the generation supports.
    fn sample_counts(&self) -> &'static [u32] {
        self.generation.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_rules_have_values_for_all_their_names() {
        let description = Description::d2(super::super::Format::R8_UNORM, 4, 4);
        for rule in RULES {
            for text in [rule.what, rule.help] {
                assert!(!description.fill(text).contains(['{', '}']), "{text}");
            }
        }
    }
}
