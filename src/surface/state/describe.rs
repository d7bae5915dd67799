//! From a packed surface state to the description of a surface.

use super::super::{
    Description, Format, Generation, Invalid, Kind, LineStride, MipLayout, SampleStorage, Select,
    Tiling,
};
use super::field::Structure;
use super::tables::{SURFACE_GEN5, SURFACE_GEN9};
use crate::diagnostic::Code;
use crate::isa::generations::ArraySpacing;

/// The structure that describes surfaces of a generation.
///
/// # Errors
/// `N0752` for Gen7 and Gen7.5, whose layout is not known here.
pub fn structure(generation: Generation) -> Result<&'static Structure, Invalid> {
    let all = [SURFACE_GEN5, SURFACE_GEN9].into_iter();
    let mut known = all.filter(|structure| structure.generations.contains(generation));
    known.next().ok_or_else(|| {
        let what = "the surface state of Gen7 is not known to visim";
        Invalid::new(Code::N0752, what)
    })
}

/// What a packed surface state describes; the base address becomes the offset in the surface's memory.
///
/// Gen4 to Gen6 (6 dwords) and Gen8, Gen9 (16 dwords). Compressed auxiliary surfaces, rotation and mip
/// tails are not modelled. The control words of samples lie in a surface of their own, [`control_words`].
///
/// # Errors
/// [`Invalid`] with the first rule that is broken: for a generation whose layout is not known here, a
/// reserved format or surface type, and for what is not modelled; [`super::rules::check`] lists all.
/// Sizes, pitch and alignment are checked by [`Surface::new`](super::super::Surface::new), before it
/// allocates.
///
/// Source: surface reference 5.2 and 5.4.
pub fn describe(generation: Generation, words: &[u32]) -> Result<Description, Invalid> {
    let structure = structure(generation)?;
    let old = structure.dwords == SURFACE_GEN5.dwords;
    let get = |name: &str| structure.get(words, name);
    let number = |name: &str| get(name) as u32;
    let kind = match number("Surface Type") {
        0 => Kind::D1,
        1 => Kind::D2,
        2 => Kind::D3,
        3 => Kind::Cube,
        4 => Kind::Buffer,
        5 if !old => Kind::Buffer,
        7 => {
            return Ok(Description {
                generation,
                ..Description::null()
            });
        }
        other => {
            let what = format!("surface type {other} is reserved");
            return Err(Invalid::new(Code::E0748, what));
        }
    };
    let format = format(number("Surface Format") as u16)?;
    let (width, height, depth) = (
        number("Width") + 1,
        number("Height") + 1,
        number("Depth") + 1,
    );
    let mut d = Description {
        kind,
        generation,
        depth,
        pitch: number("Surface Pitch") + 1,
        base: get("Surface Base Address"),
        levels: number("MIP Count / LOD") + 1,
        min_lod: number("Surface Min LOD"),
        min_array_element: number("Minimum Array Element"),
        x_offset: 4 * number("X Offset"),
        y_offset: if old { 2 } else { 4 } * number("Y Offset"),
        line_stride: LineStride::from_fields(
            number("Vertical Line Stride"),
            number("Vertical Line Stride Offset"),
        ),
        ..Description::d2(format, width, height)
    };
    if old {
        d.render_reads = get("Render Cache Read Write Mode") == 1;
    }
    if kind == Kind::Buffer {
        let (h, w) = (number("Height"), number("Width"));
        let depth_at = if old { 20 } else { 21 };
        d.width = (number("Depth") << depth_at | h << 7 | w & 0x7f).saturating_add(1);
        (d.height, d.depth, d.levels, d.min_lod) = (1, 1, 1, 0);
        if old && get("Tiled Surface") == 1 || !old && get("Tile Mode") != 0 {
            return Err(Invalid::new(Code::E0745, "buffers are linear"));
        }
        return Ok(d);
    }
    if old {
        describe_old(&mut d, get("Tiled Surface") == 1, &get)?;
    } else {
        describe_new(&mut d, &get)?;
    }
    Ok(d)
}

/// The format with this value of the Surface Format field.
fn format(code: u16) -> Result<Format, Invalid> {
    let reserved = || {
        Invalid::new(
            Code::E0748,
            format!("surface format {code:#05x} is reserved"),
        )
    };
    let format = Format::from_code(code).ok_or_else(reserved)?;
    match format.is_reserved() {
        true => Err(reserved()),
        false => Ok(format),
    }
}

/// `N0752` if a field has another value than the only one that is modelled.
fn only_zero(get: &dyn Fn(&str) -> u64, name: &str) -> Result<(), Invalid> {
    match get(name) {
        0 => Ok(()),
        other => {
            let what = format!("{name} {other} is not modelled");
            Err(Invalid::new(Code::N0752, what))
        }
    }
}

fn describe_old(
    d: &mut Description,
    tiled: bool,
    get: &dyn Fn(&str) -> u64,
) -> Result<(), Invalid> {
    only_zero(get, "Render Target Rotation")?;
    if SURFACE_GEN5.has(d.generation, "Data Return Format") {
        only_zero(get, "Data Return Format")?;
    }
    d.tiling = match (tiled, get("Tile Walk")) {
        (false, _) => Tiling::Linear,
        (true, 0) => Tiling::X,
        (true, _) => Tiling::Y,
    };
    d.array = d.kind != Kind::D3 && d.depth > 1;
    if get("MIP Map Layout Mode") == 1 {
        d.mip_layout = MipLayout::Right;
    }
    if d.kind == Kind::Cube {
        d.sampled.cube_average = get("Cube Map Corner Mode") == 1;
        d.sampled.cube_faces = cube_faces(get);
    }
    d.write_disable = write_disable(get("Color Buffer Component Write Disables") as u8);
    d.blend = get("Color Blend Enable") == 1;
    if SURFACE_GEN5.has(d.generation, "Number of Multisamples") {
        d.samples = 1 << get("Number of Multisamples");
        if d.samples > 1 {
            // The only storage on Gen6: surface reference 3.7.
            d.storage = SampleStorage::Interleaved;
        }
        if !d.format.is_compressed() {
            let rows = match get("Surface Vertical Alignment") {
                1 => 4,
                _ => 2,
            };
            d.align = Some((4, rows));
        }
    }
    Ok(())
}

/// Whether the auxiliary surface holds the control words of samples. Source: surface reference 5.4.
fn has_control_words(d: &Description, get: &dyn Fn(&str) -> u64) -> bool {
    get("Auxiliary Surface Mode") == CONTROL_WORDS && d.control_words().is_some()
}

/// Auxiliary Surface Mode of a multisampled surface with control words.
pub(super) const CONTROL_WORDS: u64 = 1;

/// The surface of control words beside a multisampled surface, `None` if it has none. Its base address is,
/// like that of [`describe()`], the one in the words.
///
/// # Errors
/// As [`describe()`].
///
/// Source: surface reference 3.7, 5.4.
pub fn control_words(
    generation: Generation,
    words: &[u32],
) -> Result<Option<Description>, Invalid> {
    let structure = structure(generation)?;
    let get = |name: &str| structure.get(words, name);
    let d = describe(generation, words)?;
    let Some(asked) = d.control_words().filter(|_| has_control_words(&d, &get)) else {
        return Ok(None);
    };
    let base = structure.field("Auxiliary Surface Base Address");
    let rows = 4 * get("Auxiliary Surface QPitch") as u32;
    Ok(Some(Description {
        base: base.map_or(0, |f| f.raw(words) << f.shift()),
        // Tiles of 128 bytes.
        pitch: 128 * (get("Auxiliary Surface Pitch") as u32 + 1),
        qpitch: (rows > 0).then_some(rows),
        ..asked
    }))
}

/// The field's order is A, R, G, B from the high bit; ours R, G, B, A from the low one. It is its own
/// inverse on neither side, so [`super::pack`] has the way back. Source: surface reference 5.2.
fn write_disable(field: u8) -> u8 {
    let bit = |from: u8, to: u8| (field >> from & 1) << to;
    bit(2, 0) | bit(1, 1) | bit(0, 2) | bit(3, 3)
}

/// The face enables in the order of slices. Source: surface reference 4.4, 5.2.
pub(super) const FACES: [&str; 6] = [
    "Cube Face Enable - Positive X",
    "Cube Face Enable - Negative X",
    "Cube Face Enable - Positive Y",
    "Cube Face Enable - Negative Y",
    "Cube Face Enable - Positive Z",
    "Cube Face Enable - Negative Z",
];

/// Bit n for face n.
fn cube_faces(get: &dyn Fn(&str) -> u64) -> u8 {
    let faces = FACES.iter().enumerate();
    faces.fold(0, |all, (n, name)| all | (get(name) as u8) << n)
}

fn describe_new(d: &mut Description, get: &dyn Fn(&str) -> u64) -> Result<(), Invalid> {
    only_zero(get, "Render Target And Sample Unorm Rotation")?;
    only_zero(get, "Memory Compression Enable")?;
    d.samples = 1 << get("Number of Multisamples").min(5);
    if get("Multisampled Surface Storage Format") == 1 && d.samples > 1 {
        d.storage = SampleStorage::Interleaved;
    }
    // Planar formats have other fields in the auxiliary dword.
    if !d.format.is_planar() && !has_control_words(d, get) {
        only_zero(get, "Auxiliary Surface Mode")?;
    }
    d.tiling = match (get("Tile Mode"), get("Tiled Resource Mode")) {
        (0, _) => Tiling::Linear,
        (1, _) => Tiling::W,
        (2, _) => Tiling::X,
        (_, 0) => Tiling::Y,
        (_, 1) => Tiling::Yf,
        (_, _) => Tiling::Ys,
    };
    if matches!(d.tiling, Tiling::Yf | Tiling::Ys) {
        // The field is 15 where there is no tail; smaller starts matter only if levels reach it.
        let (levels, tail) = (u64::from(d.min_lod + d.levels), get("Mip Tail Start LOD"));
        if d.levels > 1 && tail < levels {
            let what = format!("a mip tail from level {tail} on is not modelled");
            return Err(Invalid::new(Code::N0752, what));
        }
    }
    d.array = get("Surface Array") == 1 && d.kind != Kind::D3;
    if !d.array && d.kind != Kind::D3 {
        d.depth = 1;
    }
    let unit = |field: u64| if field == 0 { 4 } else { 2 << field as u32 };
    let fields = ["Surface Horizontal Alignment", "Surface Vertical Alignment"].map(get);
    d.align = (!d.is_in_a_row()).then(|| fields.map(unit).into());
    // A QPitch of 0 says nothing: a single slice needs none.
    let qpitch = 4 * get("Surface QPitch") as u32;
    d.qpitch = match (qpitch, d.format.is_compressed()) {
        (0, _) => None,
        // Gen8 counts texel rows, Gen9 element rows.
        (rows, true) if d.generation.array_spacing == ArraySpacing::QPitchTexels => {
            Some(rows / u32::from(d.format.block.1))
        }
        (rows, _) => Some(rows),
    };
    if let Some(planes) = &mut d.planes {
        planes.interleaved = get("Separate UV Plane Enable") == 0;
        planes.u = (
            get("X Offset for U or UV Plane") as u32,
            get("Y Offset for U or UV Plane") as u32,
        );
        planes.v = (
            get("X Offset for V Plane") as u32,
            get("Y Offset for V Plane") as u32,
        );
    }
    if d.kind == Kind::Cube {
        d.sampled.cube_faces = cube_faces(get);
    }
    d.sampled.resource_min_lod = get("Resource Min LOD") as u32;
    // u4.1 in 1/256 levels.
    d.sampled.base_level = 128 * get("Base Mip Level") as u32;
    d.sampled.positions = get("Multisample Position Palette Index") as u32;
    for (place, channel) in (d.sampled.select.iter_mut()).zip(["Red", "Green", "Blue", "Alpha"]) {
        let code = get(&format!("Shader Channel Select {channel}")) as u32;
        *place = Select::from_code(code).ok_or_else(|| {
            let what = format!("shader channel select {code} is reserved");
            Invalid::new(Code::E0748, what)
        })?;
    }
    d.clear_colour =
        ["Red", "Green", "Blue", "Alpha"].map(|c| get(&format!("{c} Clear Color")) as u32);
    Ok(())
}
