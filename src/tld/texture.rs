//! A header made ready: where each level lies and how a texel becomes components.
//!
//! Resolved once per header, so that a fetch adds and multiplies but decides nothing.

use super::block_linear::{self, Block, Extent, Level};
use super::component::Decoder;
use super::header::{Header, Layout, Swizzle, TextureType};

/// A texture that can be fetched from.
#[derive(Clone, Debug)]
pub struct Texture {
    header: Header,
    /// Offset and layout of each level of a layer; one for the linear layouts.
    levels: Vec<(u64, Level)>,
    layer_pitch: u64,
    decoder: Decoder,
}

impl Texture {
    /// Lays out what `header`, accepted by [`Header::decode`], describes.
    pub fn new(header: Header) -> Texture {
        let (levels, layer_pitch) = match header.layout {
            Layout::BlockLinear { block } => block_linear::layer(
                |level| {
                    let [w, h, d] = extent(&header, level);
                    let [sx, sy] = header.samples.grid();
                    [w * sx, h * sy, d]
                },
                header.components.bytes() as u64,
                block,
                header.max_mip_level.into(),
            ),
            Layout::Pitch { .. } | Layout::Buffer => {
                (vec![(0, Level::new([1, 1, 1], 1, Block::default()))], 0)
            }
        };
        Texture {
            decoder: Decoder::new(header.components, header.types, header.srgb),
            header,
            levels,
            layer_pitch,
        }
    }

    /// The header it was made from.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Texels of `level` across, down and deep.
    pub fn extent(&self, level: u32) -> Extent {
        extent(&self.header, level)
    }

    /// Bytes from one layer to the next; 0 for the linear layouts, which have one.
    pub fn layer_pitch(&self) -> u64 {
        self.layer_pitch
    }

    /// Offset from the layer's first byte, and layout, of each level.
    pub fn levels(&self) -> &[(u64, Level)] {
        &self.levels
    }

    /// Bytes from the header's address to the end of the last texel's block, row or texel.
    pub fn bytes(&self) -> u64 {
        let [w, h, _] = self.extent(0);
        let [sx, sy] = self.header.samples.grid();
        let texel = self.header.components.bytes() as u64;
        match self.header.layout {
            Layout::Buffer => w * texel,
            Layout::Pitch { pitch } => (h * sy - 1) * u64::from(pitch) + w * sx * texel,
            Layout::BlockLinear { .. } => {
                let layers = if self.header.texture_type.is_array() {
                    self.header.depth.into()
                } else {
                    1
                };
                self.layer_pitch * layers
            }
        }
    }

    /// The first byte of a texel's sample.
    ///
    /// * `level`, `layer`, `at`, `sample`: inside what the header describes.
    pub fn address(&self, level: u32, layer: u64, at: Extent, sample: u32) -> u64 {
        let [sx, sy] = self.header.samples.grid();
        let [ox, oy] = self.header.samples.places()[sample as usize];
        let (x, y, z) = (at[0] * sx + ox, at[1] * sy + oy, at[2]);
        let column = x * self.header.components.bytes() as u64;
        let offset = match self.header.layout {
            Layout::Buffer => column,
            Layout::Pitch { pitch } => y * u64::from(pitch) + column,
            Layout::BlockLinear { .. } => {
                let (start, level) = &self.levels[level as usize];
                layer * self.layer_pitch + start + level.offset(column, y, z)
            }
        };
        self.header.address + offset
    }

    /// R, G, B, A of a texel, as the 32 bits a register receives.
    ///
    /// * `bytes`: as many as the component sizes say.
    pub fn decode(&self, bytes: &[u8]) -> [u32; 4] {
        self.decoder.decode(bytes)
    }

    /// X, Y, Z, W: what each source takes from R, G, B, A or from its constant.
    pub fn swizzle(&self, components: [u32; 4]) -> [u32; 4] {
        self.header.sources.map(|source| match source {
            Swizzle::Zero | Swizzle::Reserved => 0,
            Swizzle::R => components[0],
            Swizzle::G => components[1],
            Swizzle::B => components[2],
            Swizzle::A => components[3],
            Swizzle::OneInt => 1,
            Swizzle::OneFloat => 1f32.to_bits(),
        })
    }
}

/// Texels of `level`: a one-dimensional texture has one row, and only THREE_D has slices.
fn extent(header: &Header, level: u32) -> Extent {
    let height = match header.texture_type.coordinates() {
        1 => 1,
        _ => u64::from(header.height),
    };
    let depth = match header.texture_type {
        TextureType::ThreeD => u64::from(header.depth),
        _ => 1,
    };
    [header.width, height, depth].map(|size| block_linear::shrunk(size, level))
}
