//! What a surface state says to the sampler beyond where texels lie.

/// What an output channel of the sampler is taken from. Source: surface reference 1.2, 5.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // names say it
pub enum Select { Zero, One, Red, Green, Blue, Alpha }

impl Select {
    /// The value of a Shader Channel Select field; 2 and 3 are reserved.
    pub const fn from_code(code: u32) -> Option<Select> {
        Some(match code {
            0 => Select::Zero,
            1 => Select::One,
            4 => Select::Red,
            5 => Select::Green,
            6 => Select::Blue,
            7 => Select::Alpha,
            _ => return None,
        })
    }

    /// The value of the field.
    pub const fn code(self) -> u32 {
        match self {
            Select::Zero => 0,
            Select::One => 1,
            Select::Red => 4,
            Select::Green => 5,
            Select::Blue => 6,
            Select::Alpha => 7,
        }
    }

    /// Every channel as it is.
    pub const PLAIN: [Select; 4] = [Select::Red, Select::Green, Select::Blue, Select::Alpha];
}

/// Switches of the surface state that only sampling sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// Enabled cube faces, bit n for face n: +X, −X, +Y, −Y, +Z, −Z. A disabled face is all border.
    pub cube_faces: u8,
    /// Gen5: the texel missing at a corner of a cube is the mean of the other three (CUBE_AVERAGE), else
    /// the opposite one. Gen4 has only the latter, Gen6 and later the former (surface reference 4.5).
    pub cube_average: bool,
    /// Source of each output channel, Gen7.5 and later.
    pub select: [Select; 4],
    /// Raises the sampler's minimum LOD; 1/256 levels.
    pub resource_min_lod: u32,
    /// Level at which magnification ends; 1/256 levels. Gen8 and later; the sampler state has it before.
    pub base_level: u32,
    /// Sample position palette index, which `sampleinfo` returns.
    pub positions: u32,
}

impl Default for Sampled {
    fn default() -> Sampled {
        Sampled {
            cube_faces: 0x3f,
            cube_average: false,
            select: Select::PLAIN,
            resource_min_lod: 0,
            base_level: 0,
            positions: 0,
        }
    }
}
