//! The Maxwell texture header: 256 bits that say what a texture is and where it lies.
//!
//! Three of its five layouts are modelled, told apart by HEADER_VERSION; the same bits mean different
//! things under each:
//!
//! ```text
//!  dword    7        6        5        4        3        2        1        0
//!  ┌─────────────────┬────────┬────────┬────────┬────────┬────────┬────────────────┐
//!  │ samples  view   │ depth  │ type   │ levels │version │        │ address  types │
//!  │ lod clamp       │ height │ width  │ block  │ address│ address│ swizzle        │
//!  └─────────────────┴────────┴────────┴────────┴────────┴────────┴────────────────┘
//!    BLOCKLINEAR  block height and depth in 104:99, address in units of 512 bytes
//!    PITCH        bytes from row to row in 111:96, address in units of 32 bytes
//!    ONE_D_BUFFER 32 bits of width, address in bytes, nothing else
//! ```
//!
//! [`FIELDS`] is the layout; [`Header`] is its meaning. A header that asks for something visim does not
//! model, or that no hardware defines, is refused by the name of the field ([`HeaderProblem`]).
//!
//! Source: TLD reference 4.1 and 4.2. The older layouts of Fermi and Kepler put the same ideas at other
//! bits, and Hopper introduced another: they are not accepted.

mod fields;
mod kinds;

pub use fields::{FIELDS, HeaderField, dump};
pub use kinds::{DataType, Layout, MultiSample, Swizzle, TextureType};

use super::block_linear::Block;
use super::component::{self, Components};
use fields::*;
use std::fmt;

/// A header as the pool holds it: dwords in memory order.
pub type Words = [u32; 8];

/// Bytes of a header.
pub const HEADER_BYTES: u64 = 32;

/// What a texture is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Memory layout.
    pub layout: Layout,
    /// Component sizes.
    pub components: Components,
    /// How R, G, B, A are read; those of absent components play no part.
    pub types: [DataType; 4],
    /// What X, Y, Z, W take.
    pub sources: [Swizzle; 4],
    /// Shape.
    pub texture_type: TextureType,
    /// First byte, 48 bits.
    pub address: u64,
    /// Texels (pixels of a multisampled image) across, 1 at least.
    pub width: u64,
    /// Rows; 1 for a buffer.
    pub height: u32,
    /// Slices of a THREE_D texture or layers of an array; 1 for a buffer.
    pub depth: u32,
    /// Last level of the image.
    pub max_mip_level: u8,
    /// First and last level that may be fetched.
    pub view: [u8; 2],
    /// Samples.
    pub samples: MultiSample,
    /// Colours are stored through the sRGB curve.
    pub srgb: bool,
    /// SPARSE_ENABLE of the first Maxwell class; residency is a property of memory, so no effect.
    pub sparse: bool,
    /// DEPTH_TEXTURE: no effect on TLD, whose depth compare is off.
    pub depth_texture: bool,
    /// SECTOR_PROMOTION: no effect on values.
    pub sector_promotion: u8,
    /// NORMALIZED_COORDS: no effect on TLD.
    pub normalized: bool,
}

impl Default for Header {
    /// A 1×1 RGBA8 UNORM two-dimensional block-linear texture at address 0.
    fn default() -> Header {
        Header {
            layout: Layout::BlockLinear {
                block: Block::default(),
            },
            components: Components::A8B8G8R8,
            types: [DataType::Unorm; 4],
            sources: [Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::A],
            texture_type: TextureType::TwoD,
            address: 0,
            width: 1,
            height: 1,
            depth: 1,
            max_mip_level: 0,
            view: [0, 0],
            samples: MultiSample::Mode1x1,
            srgb: false,
            sparse: false,
            depth_texture: false,
            sector_promotion: 0,
            normalized: true,
        }
    }
}

/// Why a header is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderProblem {
    /// The field to look at.
    pub field: &'static str,
    /// Its value.
    pub value: u64,
    /// What is wrong with it, continuing "FIELD is VALUE: …".
    pub what: String,
    /// Defined by the hardware, but not modelled; otherwise no hardware defines it.
    pub defined: bool,
}

impl HeaderProblem {
    fn new(
        field: &HeaderField,
        value: u64,
        defined: bool,
        what: impl Into<String>,
    ) -> HeaderProblem {
        HeaderProblem {
            field: field.name,
            value,
            what: what.into(),
            defined,
        }
    }
}

impl fmt::Display for HeaderProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {:#x}: {}", self.field, self.value, self.what)
    }
}

/// The layout that HEADER_VERSION and the fields under it name.
fn layout(words: &Words) -> Result<Layout, HeaderProblem> {
    match VERSION.get(words) {
        0 => Ok(Layout::Buffer),
        2 => Ok(Layout::Pitch {
            pitch: PITCH.get(words) as u32,
        }),
        3 => Ok(Layout::BlockLinear {
            block: Block {
                height: BLOCK_HEIGHT.get(words) as u32,
                depth: BLOCK_DEPTH.get(words) as u32,
            },
        }),
        v @ (1 | 4) => Err(HeaderProblem::new(
            &VERSION,
            v,
            true,
            "a layout with a colour key is not modelled",
        )),
        v => Err(HeaderProblem::new(
            &VERSION,
            v,
            false,
            "0 ONE_D_BUFFER, 2 PITCH and 3 BLOCKLINEAR are the layouts",
        )),
    }
}

/// Bytes in memory order as dwords.
pub fn words_of(bytes: [u8; 32]) -> Words {
    std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|j| bytes[4 * i + j])))
}

/// Dwords as bytes in memory order.
pub fn bytes_of(words: Words) -> [u8; 32] {
    std::array::from_fn(|i| words[i / 4].to_le_bytes()[i % 4])
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// Every field that keeps it from being fetched.
    pub fn decode(words: &Words) -> Result<Header, Vec<HeaderProblem>> {
        let layout = layout(words).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        for field in FIELDS {
            let value = field.get(words);
            if field.doc == MUST_BE_ZERO && field.layouts.contains(layout.letter()) && value != 0 {
                problems.push(HeaderProblem::new(field, value, true, "only 0 is modelled"));
            }
        }
        let mut coded = |field: &HeaderField, known: usize, rule: &str| {
            let value = field.get(words);
            let inside = value < known as u64;
            if !inside {
                problems.push(HeaderProblem::new(field, value, false, rule));
            }
            if inside { value as usize } else { 0 }
        };
        let texture_type = TextureType::ALL[coded(
            &TEXTURE_TYPE,
            TextureType::ALL.len(),
            "0 to 8 are texture types",
        )];
        let flat = layout == Layout::Buffer;
        let samples = if flat {
            MultiSample::Mode1x1
        } else {
            MultiSample::ALL[coded(
                &SAMPLES,
                MultiSample::ALL.len(),
                "0 to 5 are the sample modes modelled",
            )]
        };
        let components = match component::Components::from_code(COMPONENTS.get(words) as u8) {
            Ok(components) => components,
            Err((defined, name)) => {
                let what = if defined {
                    format!("{name} is not modelled")
                } else {
                    "no component sizes have this code".to_owned()
                };
                let code = COMPONENTS.get(words);
                problems.push(HeaderProblem::new(&COMPONENTS, code, defined, what));
                Components::A8B8G8R8
            }
        };
        let one_if_flat = |field: &HeaderField| {
            if flat { 1 } else { field.get(words) + 1 }
        };
        let zero_if_flat = |field: &HeaderField| if flat { 0 } else { field.get(words) };
        let header = Header {
            layout,
            components,
            types: TYPES.map(|f| DataType::ALL[f.get(words) as usize]),
            sources: SOURCES.map(|f| Swizzle::ALL[f.get(words) as usize]),
            texture_type,
            address: match layout {
                Layout::Buffer => ADDRESS_O.get(words),
                Layout::Pitch { .. } => ADDRESS_P.get(words),
                Layout::BlockLinear { .. } => ADDRESS_B.get(words),
            },
            width: match flat {
                true => WIDTH_O_HIGH.get(words) << 16 | WIDTH_O.get(words),
                false => WIDTH.get(words),
            } + 1,
            height: one_if_flat(&HEIGHT) as u32,
            depth: one_if_flat(&DEPTH) as u32,
            max_mip_level: zero_if_flat(&MAX_MIP) as u8,
            view: [zero_if_flat(&VIEW_MIN) as u8, zero_if_flat(&VIEW_MAX) as u8],
            samples,
            srgb: SRGB.get(words) == 1,
            sparse: matches!(layout, Layout::BlockLinear { .. }) && SPARSE.get(words) == 1,
            depth_texture: zero_if_flat(&DEPTH_TEXTURE) == 1,
            sector_promotion: PROMOTION.get(words) as u8,
            normalized: zero_if_flat(&NORMALIZED) == 1,
        };
        let border = BORDER_SIZE.get(words);
        if !flat && border != 7 {
            let what = "border texels stored in memory are not modelled; 7 takes the sampler's";
            problems.push(HeaderProblem::new(&BORDER_SIZE, border, border < 4, what));
        }
        if problems.is_empty() {
            header.check(&mut problems);
        }
        if problems.is_empty() {
            Ok(header)
        } else {
            Err(problems)
        }
    }

    /// The rules that look at more than one field.
    fn check(&self, problems: &mut Vec<HeaderProblem>) {
        let mut refuse = |field: &HeaderField, value: u64, defined: bool, what: String| {
            problems.push(HeaderProblem::new(field, value, defined, what));
        };
        for (field, source) in SOURCES.iter().zip(self.sources) {
            if source == Swizzle::Reserved {
                refuse(
                    field,
                    source as u64,
                    false,
                    "no source has this code".into(),
                );
            }
        }
        for (field, (ty, channel)) in TYPES
            .iter()
            .zip(self.types.into_iter().zip(self.components.sizes()))
        {
            if let Some((defined, what)) = component::refusal(self.components, ty, channel) {
                refuse(field, ty as u64, defined, what);
            }
        }
        if let Layout::BlockLinear { block } = self.layout {
            for (field, value) in [(&BLOCK_HEIGHT, block.height), (&BLOCK_DEPTH, block.depth)] {
                if value > 5 {
                    refuse(field, value.into(), false, "at most 5, 32 GOBs".into());
                }
            }
        }
        let shape = self.texture_type;
        let code = shape as u64;
        if (self.layout == Layout::Buffer) != (shape == TextureType::OneDBuffer) {
            let what = format!(
                "{shape} does not go with the layout {}",
                self.layout.version().0
            );
            refuse(&TEXTURE_TYPE, code, false, what);
        }
        if let Layout::Pitch { .. } = self.layout {
            let deep = self.depth > 1 && (shape == TextureType::ThreeD || shape.is_array());
            if deep {
                let what = format!("PITCH has one layer, {shape} here has {}", self.depth);
                refuse(&TEXTURE_TYPE, code, false, what);
            }
            if self.max_mip_level > 0 {
                let levels = u64::from(self.max_mip_level);
                refuse(&MAX_MIP, levels, false, "PITCH has one level".into());
            }
        }
        if self.components == Components::R32_G32_B32 && self.layout != Layout::Buffer {
            let code = self.components.code().into();
            let what = "12-byte texels are for buffers only".into();
            refuse(&COMPONENTS, code, false, what);
        }
        if self.samples != MultiSample::Mode1x1 && shape.coordinates() != 2 {
            let what = format!("{} samples need a two-dimensional texture", self.samples);
            refuse(&SAMPLES, self.samples as u64, false, what);
        }
    }

    /// The bits of this header.
    ///
    /// Values a layout has no room for are cut to its field, as `decode` would show; what it has no
    /// field for is dropped.
    pub fn encode(&self) -> Words {
        let mut words = [0; 8];
        let letter = self.layout.letter();
        let mut put = |field: &HeaderField, value: u64| {
            if field.layouts.contains(letter) {
                field.set(&mut words, value);
            }
        };
        put(&VERSION, self.layout.version().1);
        put(&COMPONENTS, self.components.code().into());
        for (field, ty) in TYPES.iter().zip(self.types) {
            put(field, ty as u64);
        }
        for (field, source) in SOURCES.iter().zip(self.sources) {
            put(field, source as u64);
        }
        for field in [&ADDRESS_B, &ADDRESS_P, &ADDRESS_O] {
            put(field, self.address);
        }
        if let Layout::BlockLinear { block } = self.layout {
            put(&BLOCK_HEIGHT, block.height.into());
            put(&BLOCK_DEPTH, block.depth.into());
        }
        if let Layout::Pitch { pitch } = self.layout {
            put(&PITCH, pitch.into());
        }
        put(&SPARSE, self.sparse.into());
        put(&DEPTH_TEXTURE, self.depth_texture.into());
        put(&MAX_MIP, self.max_mip_level.into());
        put(&WIDTH, self.width.wrapping_sub(1));
        put(&WIDTH_O, self.width.wrapping_sub(1));
        put(&WIDTH_O_HIGH, self.width.wrapping_sub(1) >> 16);
        put(&SRGB, self.srgb.into());
        put(&TEXTURE_TYPE, self.texture_type as u64);
        put(&PROMOTION, self.sector_promotion.into());
        put(&BORDER_SIZE, 7);
        put(&HEIGHT, self.height.wrapping_sub(1).into());
        put(&DEPTH, self.depth.wrapping_sub(1).into());
        put(&NORMALIZED, self.normalized.into());
        put(&VIEW_MIN, self.view[0].into());
        put(&VIEW_MAX, self.view[1].into());
        put(&SAMPLES, self.samples as u64);
        words
    }
}
