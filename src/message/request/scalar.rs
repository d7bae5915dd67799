//! The fields of a request that are values of the moment: an instruction has an operand for each.

use super::{LscOp, Request, Typed};

/// A value that all lanes of a message share, and that an operand gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names are the operands' own.
pub enum Scalar {
    /// Left edge of a media block in bytes.
    X,
    /// Top edge in rows.
    Y,
    U,
    V,
    DeltaU,
    DeltaV,
    U2d,
    V2d,
    /// Reorder hint of the scaler.
    GroupId,
    /// Row offset in units of four rows.
    VerticalBlock,
    /// Bit 0 clear: the filter is bypassed (AVS reference D1).
    IefBypass,
    /// Bits 3–0 R, 7–4 V, 11–8 U.
    TexelOffsets,
    /// Where a block begins, in the unit of its message.
    Offset,
    /// Where a block of memory begins.
    Address,
    /// Bytes of a row of the surface of a 2D block, less one.
    SurfaceWidth,
    /// Its rows, less one.
    SurfaceHeight,
    /// Its bytes from row to row, less one.
    SurfacePitch,
    /// Bytes from lane to lane.
    Stride,
    /// Index or handle of a surface, in a general register.
    Surface,
    /// Added to every lane's offset, in the same unit: part of the payload, not of the request.
    GlobalOffset,
    /// Added to every lane's 64-bit offset: part of the payload, not of the request.
    BaseAddress,
}

impl Scalar {
    /// The operand's name on its page.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::X => "x offset",
            Scalar::Y => "y offset",
            Scalar::U => "u",
            Scalar::V => "v",
            Scalar::DeltaU => "deltaU",
            Scalar::DeltaV => "deltaV",
            Scalar::U2d => "u2d",
            Scalar::V2d => "v2d",
            Scalar::GroupId => "groupID",
            Scalar::VerticalBlock => "verticalBlockNumber",
            Scalar::IefBypass => "IEFBypass",
            Scalar::TexelOffsets => "texel offsets",
            Scalar::Offset => "offset",
            Scalar::Address => "address",
            Scalar::SurfaceWidth => "surface width",
            Scalar::SurfaceHeight => "surface height",
            Scalar::SurfacePitch => "surface pitch",
            Scalar::Stride => "stride",
            Scalar::Surface => "surface index",
            Scalar::GlobalOffset => "global offset",
            Scalar::BaseAddress => "base address",
        }
    }

    /// Whether its bits are those of a float.
    pub const fn is_float(self) -> bool {
        use Scalar::*;
        matches!(self, U | V | DeltaU | DeltaV | U2d | V2d)
    }

    /// Whether it is added to the address of every lane.
    pub const fn is_base(self) -> bool {
        matches!(self, Scalar::GlobalOffset | Scalar::BaseAddress)
    }
}

impl Request {
    /// Fills a field that the request has; of floats `bits` are the bits.
    #[inline]
    pub fn set(&mut self, scalar: Scalar, bits: u64) {
        let (word, float) = (bits as u32, f32::from_bits(bits as u32));
        match (self, scalar) {
            (Request::MediaRead(r) | Request::MediaWrite(r), Scalar::X) => r.x = word as i32,
            (Request::MediaRead(r) | Request::MediaWrite(r), Scalar::Y) => r.y = word as i32,
            (Request::Sampler(r), Scalar::TexelOffsets) => r.offsets = texel_offsets(word),
            (Request::Avs(r), Scalar::U) => r.u = float,
            (Request::Avs(r), Scalar::V) => r.v = float,
            (Request::Avs(r), Scalar::DeltaU) => r.delta_u = float,
            (Request::Avs(r), Scalar::DeltaV) => r.delta_v = float,
            (Request::Avs(r), Scalar::U2d) => r.u2d = float,
            (Request::Avs(r), Scalar::V2d) => r.v2d = float,
            (Request::Avs(r), Scalar::GroupId) => r.group_id = word,
            (Request::Avs(r), Scalar::VerticalBlock) => r.vertical_block = word,
            (Request::Avs(r), Scalar::IefBypass) => r.ief_bypass = word & 1 == 0,
            (Request::Unorm(r), Scalar::U) => r.u = float,
            (Request::Unorm(r), Scalar::V) => r.v = float,
            (Request::Unorm(r), Scalar::DeltaU) => r.delta_u = float,
            (Request::Unorm(r), Scalar::DeltaV) => r.delta_v = float,
            (Request::Oword(r), Scalar::Offset) => r.offset = word,
            (Request::SvmBlock(r), Scalar::Address) => r.address = bits,
            (Request::Lsc(r), Scalar::Address) => r.strided.base = bits,
            (Request::Lsc(r), Scalar::Surface) => {
                if let Some(surface) = r.model.surface_mut() {
                    *surface = word;
                }
            }
            (Request::Lsc(r), Scalar::Stride) => r.strided.stride = word,
            (Request::LscBlock2d(r), Scalar::Address) => r.address = bits,
            (Request::LscBlock2d(r), Scalar::SurfaceWidth) => r.surface_width = word,
            (Request::LscBlock2d(r), Scalar::SurfaceHeight) => r.surface_height = word,
            (Request::LscBlock2d(r), Scalar::SurfacePitch) => r.surface_pitch = word,
            (Request::LscBlock2d(r), Scalar::X) => r.x = word as i32,
            (Request::LscBlock2d(r), Scalar::Y) => r.y = word as i32,
            _ => {}
        }
    }

    /// The binding table index, of those that have one.
    pub const fn surface_mut(&mut self) -> Option<&mut u32> {
        Some(match self {
            Request::MediaRead(r) | Request::MediaWrite(r) => &mut r.surface,
            Request::Sampler(r) => &mut r.surface,
            Request::Avs(r) => &mut r.surface,
            Request::Unorm(r) => &mut r.surface,
            Request::Scale8x8(r) => &mut r.surface,
            Request::Deinterlace(r) => &mut r.surface,
            Request::Oword(r) => &mut r.surface,
            Request::ByteScattered(r) | Request::DwordScattered(r) => &mut r.surface,
            Request::Untyped(r) => &mut r.surface,
            Request::Typed(r) => &mut r.surface,
            Request::Atomic(r) | Request::TypedAtomic(r) => &mut r.surface,
            Request::Target(r) => &mut r.surface,
            Request::Lsc(r) => return r.model.surface_mut(),
            _ => return None,
        })
    }

    /// The sampler index, of those that have one.
    pub const fn sampler_mut(&mut self) -> Option<&mut u32> {
        Some(match self {
            Request::Sampler(r) => &mut r.sampler,
            Request::Avs(r) => &mut r.sampler,
            Request::Unorm(r) => &mut r.sampler,
            Request::Scale8x8(r) => &mut r.sampler,
            Request::Deinterlace(r) => &mut r.sampler,
            _ => return None,
        })
    }

    /// Whether it is served as a whole, whatever lanes are on.
    pub const fn is_block(&self) -> bool {
        matches!(
            self,
            Request::MediaRead(_)
                | Request::MediaWrite(_)
                | Request::Avs(_)
                | Request::Unorm(_)
                | Request::Scale8x8(_)
                | Request::Deinterlace(_)
                | Request::Oword(_)
                | Request::SvmBlock(_)
                | Request::Target(_)
        )
    }

    /// Whether what lies in registers is one element, or several, for each lane.
    pub const fn is_by_lane(&self) -> bool {
        match self {
            Request::LscBlock2d(_) => false,
            Request::Lsc(r) => !r.transposed && !matches!(r.op, LscOp::ReadState),
            request => !request.is_block(),
        }
    }

    /// The texels that are read or written, by either pipe.
    pub fn typed(&self) -> Option<Typed> {
        match self {
            Request::Typed(r) => Some(*r),
            Request::Lsc(r) => r.typed(),
            _ => None,
        }
    }

    /// The atomic operation, if it is one of the data port.
    pub const fn atomic(&self) -> Option<&super::Atomic> {
        match self {
            Request::Atomic(r) | Request::TypedAtomic(r) | Request::SvmAtomic(r) => Some(r),
            _ => None,
        }
    }

    /// Whether it reads and writes in one step.
    pub const fn is_atomic(&self) -> bool {
        let pipe = matches!(self, Request::Lsc(r) if r.op.is_atomic());
        self.atomic().is_some() || pipe
    }
}

/// Bits 11:8, 7:4, 3:0 as signed offsets U, V, R. Source: vISA text reference 5.8, aoffimmi.
pub fn texel_offsets(bits: u32) -> [i8; 3] {
    let field = |low: u32| ((bits >> low) as u8) << 4;
    [8, 4, 0].map(|low| field(low) as i8 >> 4)
}
