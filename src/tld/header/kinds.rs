//! What the coded fields of a header choose between.
//!
//! Source: TLD reference 4.1 and 4.2.

use super::super::block_linear::Block;
use std::fmt;

/// Where a texture's texels are and how their addresses are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// ONE_D_BUFFER: texels one after the other, from any byte.
    Buffer,
    /// PITCH: rows at a fixed distance in bytes.
    Pitch {
        /// Bytes from one row to the next, a multiple of 32.
        pitch: u32,
    },
    /// BLOCKLINEAR: [`crate::tld::block_linear`].
    BlockLinear {
        /// Block of level 0; smaller levels use less.
        block: Block,
    },
}

impl Layout {
    /// The name and HEADER_VERSION.
    pub const fn version(self) -> (&'static str, u64) {
        match self {
            Layout::Buffer => ("ONE_D_BUFFER", 0),
            Layout::Pitch { .. } => ("PITCH", 2),
            Layout::BlockLinear { .. } => ("BLOCKLINEAR", 3),
        }
    }

    pub(super) const fn letter(self) -> char {
        match self {
            Layout::Buffer => 'O',
            Layout::Pitch { .. } => 'P',
            Layout::BlockLinear { .. } => 'B',
        }
    }
}

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $text:literal)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // the names are the class header's
        pub enum $name { $($variant),+ }

        impl $name {
            /// Every value, at the index that is its code.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// The class header's name.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

codes! {
    /// How a component's bits are read.
    DataType {
        Reserved "reserved 0" Snorm "SNORM" Unorm "UNORM" Sint "SINT" Uint "UINT"
        SnormForceFp16 "SNORM_FORCE_FP16" UnormForceFp16 "UNORM_FORCE_FP16" Float "FLOAT"
    }
}

codes! {
    /// What an output takes: a component or a constant.
    Swizzle {
        Zero "ZERO" Reserved "reserved 1" R "R" G "G" B "B" A "A" OneInt "ONE_INT" OneFloat "ONE_FLOAT"
    }
}

codes! {
    /// The shape of the texture.
    TextureType {
        OneD "ONE_D" TwoD "TWO_D" ThreeD "THREE_D" Cubemap "CUBEMAP" OneDArray "ONE_D_ARRAY"
        TwoDArray "TWO_D_ARRAY" OneDBuffer "ONE_D_BUFFER" TwoDNoMipmap "TWO_D_NO_MIPMAP"
        CubemapArray "CUBEMAP_ARRAY"
    }
}

codes! {
    /// How many samples a texel has and where they are in its grid.
    MultiSample {
        Mode1x1 "MODE_1X1" Mode2x1 "MODE_2X1" Mode2x2 "MODE_2X2" Mode4x2 "MODE_4X2"
        Mode4x2D3d "MODE_4X2_D3D" Mode2x1D3d "MODE_2X1_D3D"
    }
}

impl TextureType {
    /// Number of coordinates a fetch gives; 0 for cubes, which TLD cannot read.
    ///
    /// Source: TLD reference 3.3.
    pub const fn coordinates(self) -> u8 {
        match self {
            TextureType::OneD | TextureType::OneDArray | TextureType::OneDBuffer => 1,
            TextureType::TwoD | TextureType::TwoDArray | TextureType::TwoDNoMipmap => 2,
            TextureType::ThreeD => 3,
            TextureType::Cubemap | TextureType::CubemapArray => 0,
        }
    }

    /// Whether its depth field counts layers.
    pub const fn is_array(self) -> bool {
        matches!(self, TextureType::OneDArray | TextureType::TwoDArray)
    }
}

impl MultiSample {
    /// Width and height of the sample grid of a texel.
    pub const fn grid(self) -> [u64; 2] {
        match self {
            MultiSample::Mode1x1 => [1, 1],
            MultiSample::Mode2x1 | MultiSample::Mode2x1D3d => [2, 1],
            MultiSample::Mode2x2 => [2, 2],
            MultiSample::Mode4x2 | MultiSample::Mode4x2D3d => [4, 2],
        }
    }

    /// Where each sample is in the grid, in order. Source: TLD reference 4.6.
    pub const fn places(self) -> &'static [[u64; 2]] {
        match self {
            MultiSample::Mode1x1 => &[[0, 0]],
            MultiSample::Mode2x1 => &[[0, 0], [1, 0]],
            MultiSample::Mode2x1D3d => &[[1, 0], [0, 0]],
            MultiSample::Mode2x2 => &[[0, 0], [1, 0], [0, 1], [1, 1]],
            MultiSample::Mode4x2 => &[
                [0, 0],
                [1, 0],
                [2, 0],
                [3, 0],
                [0, 1],
                [1, 1],
                [2, 1],
                [3, 1],
            ],
            MultiSample::Mode4x2D3d => &[
                [2, 0],
                [1, 1],
                [3, 1],
                [1, 0],
                [0, 1],
                [0, 0],
                [2, 1],
                [3, 0],
            ],
        }
    }
}
