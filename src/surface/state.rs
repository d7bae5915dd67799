//! Binary state structures: fields by name, and surfaces from their packed state.
//!
//! A structure is a table of [`StateField`]s; reading and writing a field is one rule for all. Bits that no
//! field names are reserved: ignored when read, zero when written.
//!
//! Source: surface reference 5; field names as Mesa's genxml has them.

use super::{
    Description, Format, Generation, Invalid, Kind, LineStride, MipLayout, SampleStorage, Tiling,
};

/// How the bits of a field stand for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An unsigned number; sizes are stored less one and given so.
    Plain,
    /// A two's complement number.
    Signed,
    /// Unsigned with this many fraction bits.
    Fixed(u32),
    /// Signed with this many fraction bits.
    SignedFixed(u32),
    /// An address whose low bits, those below the field, are zero.
    Address,
    /// A 32-bit float.
    Float,
}

/// A field of a state structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateField {
    /// Name.
    pub name: &'static str,
    /// Dword.
    pub dw: u32,
    /// Highest and lowest bit in that dword; a field of 64 bits runs on into the next.
    pub bits: (u32, u32),
    /// How its bits are read.
    pub number: Number,
}

const fn field(name: &'static str, dw: u32, high: u32, low: u32) -> StateField {
    StateField {
        name,
        dw,
        bits: (high, low),
        number: Number::Plain,
    }
}

const fn as_number(number: Number, field: StateField) -> StateField {
    StateField { number, ..field }
}

impl StateField {
    /// The bits of the field.
    pub fn raw(&self, words: &[u32]) -> u64 {
        let (high, low) = self.bits;
        let word = |i: u32| words.get(i as usize).copied().map_or(0, u64::from);
        let all = word(self.dw) | word(self.dw + 1) << 32;
        all >> low & ((1u128 << (high - low + 1)) - 1) as u64
    }

    /// Sets the bits of the field; bits of `raw` that do not fit are dropped.
    pub fn set_raw(&self, words: &mut [u32], raw: u64) {
        let (high, low) = self.bits;
        let mask = ((1u128 << (high - low + 1)) - 1) << low;
        let value = (u128::from(raw) << low) & mask;
        for (i, shift) in [(self.dw, 0), (self.dw + 1, 32)] {
            if let Some(word) = words.get_mut(i as usize) {
                *word = *word & !((mask >> shift) as u32) | (value >> shift) as u32;
            }
        }
    }

    /// The value of the field: exact, for every field but 64-bit addresses above 2^53.
    pub fn value(&self, words: &[u32]) -> f64 {
        let raw = self.raw(words);
        let width = self.bits.0 - self.bits.1 + 1;
        let signed = || ((raw << (64 - width)) as i64 >> (64 - width)) as f64;
        let scale = |fraction: u32| f64::from(1u32 << fraction);
        match self.number {
            Number::Plain => raw as f64,
            Number::Signed => signed(),
            Number::Fixed(fraction) => raw as f64 / scale(fraction),
            Number::SignedFixed(fraction) => signed() / scale(fraction),
            Number::Address => (raw << self.bits.1) as f64,
            Number::Float => f64::from(f32::from_bits(raw as u32)),
        }
    }

    /// Sets the value of the field, rounded down to its precision and cut to its width.
    pub fn set_value(&self, words: &mut [u32], value: f64) {
        let scaled = |fraction: u32| (value * f64::from(1u32 << fraction)).floor() as i64 as u64;
        let raw = match self.number {
            Number::Plain => value as u64,
            Number::Signed => value as i64 as u64,
            Number::Fixed(fraction) | Number::SignedFixed(fraction) => scaled(fraction),
            Number::Address => value as u64 >> self.bits.1,
            Number::Float => u64::from((value as f32).to_bits()),
        };
        self.set_raw(words, raw);
    }
}

/// SURFACE_STATE of Gen4 to Gen6: 6 dwords. Source: surface reference 5.2.
#[rustfmt::skip]
pub const SURFACE_GEN5: &[StateField] = &[
    field("Surface Type", 0, 31, 29),
    field("Data Return Format", 0, 27, 27),
    field("Surface Format", 0, 26, 18),
    field("Color Buffer Component Write Disables", 0, 17, 14),
    field("Color Blend Enable", 0, 13, 13),
    field("Vertical Line Stride", 0, 12, 12),
    field("Vertical Line Stride Offset", 0, 11, 11),
    field("MIP Map Layout Mode", 0, 10, 10),
    field("Cube Map Corner Mode", 0, 9, 9),
    field("Render Cache Read Write Mode", 0, 8, 8),
    field("Media Boundary Pixel Mode", 0, 7, 6),
    field("Cube Face Enable - Negative X", 0, 5, 5),
    field("Cube Face Enable - Positive X", 0, 4, 4),
    field("Cube Face Enable - Negative Y", 0, 3, 3),
    field("Cube Face Enable - Positive Y", 0, 2, 2),
    field("Cube Face Enable - Negative Z", 0, 1, 1),
    field("Cube Face Enable - Positive Z", 0, 0, 0),
    as_number(Number::Address, field("Surface Base Address", 1, 31, 0)),
    field("Height", 2, 31, 19),
    field("Width", 2, 18, 6),
    field("MIP Count / LOD", 2, 5, 2),
    field("Render Target Rotation", 2, 1, 0),
    field("Depth", 3, 31, 21),
    field("Surface Pitch", 3, 19, 3),
    field("Tiled Surface", 3, 1, 1),
    field("Tile Walk", 3, 0, 0),
    field("Surface Min LOD", 4, 31, 28),
    field("Minimum Array Element", 4, 27, 17),
    field("Render Target View Extent", 4, 16, 8),
    // Gen6 only.
    field("Number of Multisamples", 4, 6, 4),
    field("X Offset", 5, 31, 25),
    // Gen6 only: 0 = 2, 1 = 4.
    field("Surface Vertical Alignment", 5, 24, 24),
    field("Y Offset", 5, 23, 20),
];

/// RENDER_SURFACE_STATE of Gen9 (Gen8: Surface Format has 9 bits): 16 dwords. Source: surface reference 5.4.
#[rustfmt::skip]
pub const SURFACE_GEN9: &[StateField] = &[
    field("Surface Type", 0, 31, 29),
    field("Surface Array", 0, 28, 28),
    field("Surface Format", 0, 27, 18),
    field("Surface Vertical Alignment", 0, 17, 16),
    field("Surface Horizontal Alignment", 0, 15, 14),
    field("Tile Mode", 0, 13, 12),
    field("Vertical Line Stride", 0, 11, 11),
    field("Vertical Line Stride Offset", 0, 10, 10),
    field("Sampler L2 Bypass Mode Disable", 0, 9, 9),
    field("Render Cache Read Write Mode", 0, 8, 8),
    field("Media Boundary Pixel Mode", 0, 7, 6),
    field("Cube Face Enable - Negative X", 0, 5, 5),
    field("Cube Face Enable - Positive X", 0, 4, 4),
    field("Cube Face Enable - Negative Y", 0, 3, 3),
    field("Cube Face Enable - Positive Y", 0, 2, 2),
    field("Cube Face Enable - Negative Z", 0, 1, 1),
    field("Cube Face Enable - Positive Z", 0, 0, 0),
    field("MOCS", 1, 30, 24),
    as_number(Number::Fixed(1), field("Base Mip Level", 1, 23, 19)),
    field("Surface QPitch", 1, 14, 0),
    field("Height", 2, 29, 16),
    field("Width", 2, 13, 0),
    field("Depth", 3, 31, 21),
    field("Surface Pitch", 3, 17, 0),
    field("Render Target And Sample Unorm Rotation", 4, 30, 29),
    field("Minimum Array Element", 4, 28, 18),
    field("Render Target View Extent", 4, 17, 7),
    field("Multisampled Surface Storage Format", 4, 6, 6),
    field("Number of Multisamples", 4, 5, 3),
    field("Multisample Position Palette Index", 4, 2, 0),
    field("X Offset", 5, 31, 25),
    field("Y Offset", 5, 23, 21),
    field("EWA Disable For Cube", 5, 20, 20),
    field("Tiled Resource Mode", 5, 19, 18),
    field("Coherency Type", 5, 14, 14),
    field("Mip Tail Start LOD", 5, 11, 8),
    field("Surface Min LOD", 5, 7, 4),
    field("MIP Count / LOD", 5, 3, 0),
    field("Auxiliary Surface Mode", 6, 2, 0),
    field("Auxiliary Surface Pitch", 6, 11, 3),
    field("Auxiliary Surface QPitch", 6, 30, 16),
    // The planar alternative of the two above.
    field("Separate UV Plane Enable", 6, 31, 31),
    field("X Offset for U or UV Plane", 6, 29, 16),
    field("Y Offset for U or UV Plane", 6, 13, 0),
    field("Memory Compression Mode", 7, 31, 31),
    field("Memory Compression Enable", 7, 30, 30),
    field("Shader Channel Select Red", 7, 27, 25),
    field("Shader Channel Select Green", 7, 24, 22),
    field("Shader Channel Select Blue", 7, 21, 19),
    field("Shader Channel Select Alpha", 7, 18, 16),
    as_number(Number::Fixed(8), field("Resource Min LOD", 7, 11, 0)),
    as_number(Number::Address, field("Surface Base Address", 8, 63, 0)),
    field("X Offset for V Plane", 11, 29, 16),
    field("Y Offset for V Plane", 11, 13, 0),
    field("Red Clear Color", 12, 31, 0),
    field("Green Clear Color", 13, 31, 0),
    field("Blue Clear Color", 14, 31, 0),
    field("Alpha Clear Color", 15, 31, 0),
];

/// BINDING_TABLE_STATE of Gen8 and later: one dword. Source: surface reference 5.1.
pub const BINDING_GEN9: &[StateField] = &[as_number(
    Number::Address,
    field("Surface State Pointer", 0, 31, 6),
)];

/// BINDING_TABLE_STATE up to Gen7.5.
pub const BINDING_GEN5: &[StateField] = &[as_number(
    Number::Address,
    field("Surface State Pointer", 0, 31, 5),
)];

/// The field of this name.
pub fn named(fields: &[StateField], name: &str) -> Option<StateField> {
    fields.iter().copied().find(|f| f.name == name)
}

/// What a packed surface state describes; the base address becomes the offset in the surface's memory.
///
/// Gen4 to Gen6 (6 dwords) and Gen8, Gen9 (16 dwords). Compressed auxiliary surfaces, rotation and mip
/// tails are not modelled.
///
/// # Errors
/// [`Invalid`] for a generation whose layout is not known here, a reserved format or surface type, and for
/// what is not modelled. Sizes are checked later, by [`Surface::new`](super::Surface::new).
///
/// Source: surface reference 5.2 and 5.4.
pub fn describe(generation: Generation, words: &[u32]) -> Result<Description, Invalid> {
    let old = match generation {
        Generation::Gen4 | Generation::Gen5 | Generation::Gen6 => true,
        Generation::Gen8 | Generation::Gen9 => false,
        Generation::Gen7 | Generation::Gen75 => {
            return Err(Invalid::new(
                "the surface state of Gen7 is not known to visim",
            ));
        }
    };
    let fields = if old { SURFACE_GEN5 } else { SURFACE_GEN9 };
    let get = |name: &str| named(fields, name).map_or(0, |f| f.raw(words));
    let number = |name: &str| get(name) as u32;
    let code = number("Surface Format") as u16;
    let Some(format) = Format::from_code(code) else {
        return Err(Invalid::new(format!(
            "surface format {code:#05x} is reserved"
        )));
    };
    let kind = match number("Surface Type") {
        0 => Kind::D1,
        1 => Kind::D2,
        2 => Kind::D3,
        3 => Kind::Cube,
        4 | 5 => Kind::Buffer,
        7 => {
            return Ok(Description {
                generation,
                ..Description::null()
            });
        }
        other => return Err(Invalid::new(format!("surface type {other} is reserved"))),
    };
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
        line_stride: match (
            number("Vertical Line Stride"),
            number("Vertical Line Stride Offset"),
        ) {
            (0, _) => LineStride::Frame,
            (_, 0) => LineStride::TopField,
            (_, _) => LineStride::BottomField,
        },
        ..Description::d2(format, width, height)
    };
    if kind == Kind::Buffer {
        let (h, w) = (number("Height"), number("Width"));
        let (depth_at, width_mask) = if old { (20, 0x7f) } else { (21, 0x7f) };
        d.width = (number("Depth") << depth_at | h << 7 | w & width_mask).saturating_add(1);
        (d.height, d.depth, d.levels) = (1, 1, 1);
        return Ok(d);
    }
    if old {
        describe_old(&mut d, get("Tiled Surface") == 1, &get);
    } else {
        describe_new(&mut d, &get)?;
    }
    Ok(d)
}

fn describe_old(d: &mut Description, tiled: bool, get: &dyn Fn(&str) -> u64) {
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
        (d.array, d.depth) = (false, 1);
    }
    if d.generation == Generation::Gen6 {
        d.samples = 1 << get("Number of Multisamples");
        if d.samples > 1 {
            // The only storage on Gen6: surface reference 3.7.
            d.storage = SampleStorage::Interleaved;
        }
        if !d.format.is_compressed() {
            d.align = Some((
                4,
                if get("Surface Vertical Alignment") == 1 {
                    4
                } else {
                    2
                },
            ));
        }
    }
}

fn describe_new(d: &mut Description, get: &dyn Fn(&str) -> u64) -> Result<(), Invalid> {
    for (name, allowed) in [
        ("Render Target And Sample Unorm Rotation", 0),
        ("Auxiliary Surface Mode", 0),
        ("Memory Compression Enable", 0),
    ] {
        // Planar formats have other fields in the auxiliary dword.
        let planar = name.starts_with("Auxiliary") && d.format.is_planar();
        if get(name) != allowed && !planar {
            return Err(Invalid::new(format!(
                "{name} {} is not modelled",
                get(name)
            )));
        }
    }
    d.tiling = match (get("Tile Mode"), get("Tiled Resource Mode")) {
        (0, _) => Tiling::Linear,
        (1, _) => Tiling::W,
        (2, _) => Tiling::X,
        (_, 0) => Tiling::Y,
        (_, 1) => Tiling::Yf,
        (_, _) => Tiling::Ys,
    };
    d.array = get("Surface Array") == 1 && d.kind != Kind::D3;
    if !d.array && d.kind != Kind::D3 {
        d.depth = 1;
    }
    d.samples = 1 << get("Number of Multisamples").min(5);
    if get("Multisampled Surface Storage Format") == 1 && d.samples > 1 {
        d.storage = SampleStorage::Interleaved;
    }
    let unit = |field: u64| if field == 0 { 4 } else { 2 << field as u32 };
    d.align = Some((
        unit(get("Surface Horizontal Alignment")),
        unit(get("Surface Vertical Alignment")),
    ));
    // A QPitch of 0 says nothing: a single slice needs none.
    let qpitch = 4 * get("Surface QPitch") as u32;
    d.qpitch = match (qpitch, d.format.is_compressed()) {
        (0, _) => None,
        // Gen8 counts texel rows, Gen9 element rows.
        (rows, true) if d.generation == Generation::Gen8 => {
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
    d.clear_colour =
        ["Red", "Green", "Blue", "Alpha"].map(|c| get(&format!("{c} Clear Color")) as u32);
    Ok(())
}
