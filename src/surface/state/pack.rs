//! From the description of a surface to its packed state: what a driver would write.

use super::super::{
    Description, Format, Invalid, Kind, LineStride, MipLayout, SampleStorage, Tiling,
};
use super::describe::{CONTROL_WORDS, FACES, structure};
use super::tables::SURFACE_GEN5;
use crate::diagnostic::Code;

/// Words under construction, with the first value that did not fit.
struct Writer {
    structure: &'static super::Structure,
    words: Vec<u32>,
    broken: Option<Invalid>,
}

impl Writer {
    fn put(&mut self, name: &str, value: u64) {
        let put = self.structure.put(&mut self.words, name, value);
        self.broken = self.broken.take().or(put.err());
    }

    /// A size, stored less one.
    fn less_one(&mut self, name: &str, value: u32) {
        self.put(name, u64::from(value).saturating_sub(1));
    }

    fn refuse(&mut self, code: Code, what: impl Into<String>) {
        let broken = Invalid::new(code, what);
        self.broken = self.broken.take().or(Some(broken));
    }
}

/// The packed state of a described surface: [`describe`](super::describe()) gives the description back.
///
/// The description is taken as it is; fill in its pitch first ([`Surface::description`] has it).
///
/// # Errors
/// [`Invalid`] if a value does not fit the structure of the generation, or the structure has no place for
/// it: `bit6_swizzle`, planar formats before Gen8, media widths.
///
/// Source: surface reference 5.2 and 5.4.
///
/// [`Surface::description`]: super::super::Surface::description
pub fn pack(d: &Description) -> Result<Vec<u32>, Invalid> {
    let structure = structure(d.generation)?;
    let mut to = Writer {
        structure,
        words: vec![0; structure.dwords],
        broken: None,
    };
    let old = structure.dwords == SURFACE_GEN5.dwords;
    to.put(
        "Surface Type",
        match d.kind {
            Kind::D1 => 0,
            Kind::D2 => 1,
            Kind::D3 => 2,
            Kind::Cube => 3,
            Kind::Buffer => 4,
            Kind::Null => 7,
        },
    );
    let format = if d.kind == Kind::Null {
        Format::R8G8B8A8_UNORM
    } else {
        d.format
    };
    match format.origin {
        super::super::format::Origin::Media => {
            let what = format!("{format} is a format of media surface states only");
            to.refuse(Code::E0746, what);
        }
        _ => to.put("Surface Format", u64::from(format.code)),
    }
    if d.kind != Kind::Null {
        to.put("Surface Base Address", d.base);
        to.less_one("Surface Pitch", d.pitch);
        if old {
            to.put("Render Cache Read Write Mode", d.render_reads.into());
        }
        match d.kind {
            Kind::Buffer => buffer(&mut to, d, old),
            _ => image(&mut to, d, old),
        }
    }
    match to.broken {
        Some(broken) => Err(broken),
        None => Ok(to.words),
    }
}

/// Entries less one, spread over three fields.
fn buffer(to: &mut Writer, d: &Description, old: bool) {
    let entries = u64::from(d.width.saturating_sub(1));
    let depth_at = if old { 20 } else { 21 };
    to.put("Width", entries & 0x7f);
    to.put("Height", entries >> 7 & ((1 << (depth_at - 7)) - 1));
    to.put("Depth", entries >> depth_at);
}

fn image(to: &mut Writer, d: &Description, old: bool) {
    to.less_one("Width", d.width);
    to.less_one("Height", d.height);
    to.less_one("Depth", d.depth);
    to.less_one("MIP Count / LOD", d.levels);
    to.put("Surface Min LOD", u64::from(d.min_lod));
    to.put("Minimum Array Element", u64::from(d.min_array_element));
    to.put("Vertical Line Stride", u64::from(d.line_stride.skips()));
    let bottom = d.line_stride == LineStride::BottomField;
    to.put("Vertical Line Stride Offset", u64::from(bottom));
    to.broken = to.broken.take().or(d.units().into_iter().next());
    let [(x, _), (y, _)] = d.offset_fields();
    to.put("X Offset", u64::from(d.x_offset / x));
    to.put("Y Offset", u64::from(d.y_offset / y));
    if d.kind == Kind::Cube {
        for (face, name) in FACES.iter().enumerate() {
            to.put(name, u64::from(d.sampled.cube_faces >> face & 1));
        }
    }
    if d.bit6_swizzle {
        to.refuse(
            Code::E0745,
            "swizzled addresses are not part of a surface state",
        );
    }
    match old {
        true => image_old(to, d),
        false => image_new(to, d),
    }
}

fn image_old(to: &mut Writer, d: &Description) {
    let (tiled, walk) = match d.tiling {
        Tiling::Linear => (0, 0),
        Tiling::X => (1, 0),
        Tiling::Y => (1, 1),
        other => {
            let what = format!("tiling {other:?} has no place in this state");
            return to.refuse(Code::E0745, what);
        }
    };
    to.put("Tiled Surface", tiled);
    to.put("Tile Walk", walk);
    to.put(
        "MIP Map Layout Mode",
        u64::from(d.mip_layout == MipLayout::Right),
    );
    if d.kind == Kind::Cube {
        to.put("Cube Map Corner Mode", u64::from(d.sampled.cube_average));
    }
    let bit = |from: u8, at: u8| u64::from(d.write_disable >> from & 1) << at;
    let disables = bit(0, 2) | bit(1, 1) | bit(2, 0) | bit(3, 3);
    to.put("Color Buffer Component Write Disables", disables);
    to.put("Color Blend Enable", d.blend.into());
    if SURFACE_GEN5.has(d.generation, "Number of Multisamples") {
        to.put("Number of Multisamples", u64::from(d.samples.ilog2()));
        let tall = d.align.is_some_and(|a| a.1 == 4) && !d.format.is_compressed();
        to.put("Surface Vertical Alignment", u64::from(tall));
    } else if d.samples > 1 {
        to.refuse(Code::E0745, "several samples have no place in this state");
    }
    if d.format.is_planar() {
        to.refuse(Code::E0746, "planar formats have no place in this state");
    }
}

fn image_new(to: &mut Writer, d: &Description) {
    let (mode, resource) = match d.tiling {
        Tiling::Linear => (0, 0),
        Tiling::W => (1, 0),
        Tiling::X => (2, 0),
        Tiling::Y => (3, 0),
        Tiling::Yf => (3, 1),
        Tiling::Ys => (3, 2),
    };
    to.put("Tile Mode", mode);
    to.put("Tiled Resource Mode", resource);
    // No level lies in a tail: those are not modelled.
    to.put("Mip Tail Start LOD", if resource > 0 { 15 } else { 0 });
    to.put("Surface Array", u64::from(d.array));
    to.put(
        "Number of Multisamples",
        u64::from(d.samples.max(1).ilog2()),
    );
    let interleaved = d.storage == SampleStorage::Interleaved && d.samples > 1;
    to.put(
        "Multisampled Surface Storage Format",
        u64::from(interleaved),
    );
    // What is ignored has the least value that is not reserved.
    let (i, j) = match d.is_in_a_row() {
        true => (4, 4),
        false => d.alignment(),
    };
    for (name, unit) in [
        ("Surface Horizontal Alignment", i),
        ("Surface Vertical Alignment", j),
    ] {
        match unit {
            4 | 8 | 16 => to.put(name, u64::from(unit.ilog2() - 1)),
            // Blocks of later formats that the generation has not.
            _ => {
                let what = format!("an image alignment of {i}×{j}; the state knows 4, 8 and 16");
                to.refuse(Code::E0749, what);
            }
        }
    }
    if let Some(rows) = d.qpitch {
        to.put("Surface QPitch", u64::from(d.qpitch_field(rows) / 4));
    }
    if let Some(words) = &d.mcs {
        let words = words.description();
        to.put("Auxiliary Surface Mode", CONTROL_WORDS);
        to.put("Auxiliary Surface Base Address", words.base >> 12);
        to.less_one("Auxiliary Surface Pitch", words.pitch / 128);
        to.put(
            "Auxiliary Surface QPitch",
            u64::from(words.qpitch.unwrap_or(0) / 4),
        );
    }
    if let Some(planes) = d.planes {
        to.put("Separate UV Plane Enable", u64::from(!planes.interleaved));
        to.put("X Offset for U or UV Plane", u64::from(planes.u.0));
        to.put("Y Offset for U or UV Plane", u64::from(planes.u.1));
        to.put("X Offset for V Plane", u64::from(planes.v.0));
        to.put("Y Offset for V Plane", u64::from(planes.v.1));
        if planes.half_pitch {
            to.refuse(Code::E0745, "half chroma pitch has no place in this state");
        }
    }
    let sampled = &d.sampled;
    for (name, select) in ["Red", "Green", "Blue", "Alpha"].iter().zip(sampled.select) {
        to.put(
            &format!("Shader Channel Select {name}"),
            u64::from(select.code()),
        );
    }
    to.put("Resource Min LOD", u64::from(sampled.resource_min_lod));
    to.put("Base Mip Level", u64::from(sampled.base_level / 128));
    to.put(
        "Multisample Position Palette Index",
        u64::from(sampled.positions),
    );
    for (name, value) in ["Red", "Green", "Blue", "Alpha"].iter().zip(d.clear_colour) {
        to.put(&format!("{name} Clear Color"), u64::from(value));
    }
}
