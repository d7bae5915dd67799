//! Loads in vector code: bounds, offsets and channels of all lanes that read one image.

use super::super::lanes::merge;
use super::super::params::Params;
use super::super::plane::Plane;
use super::super::texels::select;
use super::super::texels::{Coordinate, FetchPath, Load, Reader};
use super::super::{Channels, Lanes, lane_mask, narrowed};
use super::{LaneInvariant, outside_alpha};
use crate::math::simd;
use crate::message::{Parameter, ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::{Kind, Surface};

/// Serves the load if it is one of plain texels; says how texels were fetched.
pub(super) fn load(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
) -> Option<FetchPath> {
    let d = surface.description();
    let plain = matches!(request.op, SamplerOp::Ld | SamplerOp::LdLz) && d.samples == 1;
    if !plain || active == 0 {
        return None;
    }
    let loader = Loader {
        surface,
        request,
        given: Params::new(request, params),
        outside: select(surface, [0, 0, 0, outside_alpha(surface)]),
        active,
    };
    let path = match request.lanes {
        0..=8 => loader.serve::<8>(out)?,
        _ => loader.serve::<16>(out)?,
    };
    if request.returns == ReturnFormat::Bits16 {
        let active = active & lane_mask(request.lanes);
        narrowed(request, surface.format().returns, active, out);
    }
    // Where every lane names a level or slice that is not there, nothing is fetched.
    Some(path.unwrap_or(FetchPath::Elements))
}

/// The image that all lanes of a load read, its size, and what they get outside; `None` if parameters tell
/// slices apart, texels are not elements, or there is no such level.
///
/// * `level`: the level of detail of all lanes, 0 of operations without one.
pub fn lane_invariant(
    surface: &Surface,
    request: &SamplerRequest,
    level: u32,
) -> Option<LaneInvariant> {
    let d = surface.description();
    let flat = matches!(d.kind, Kind::Buffer | Kind::D1 | Kind::D2);
    let plain = matches!(request.op, SamplerOp::Ld | SamplerOp::LdLz);
    if !plain || !flat || d.array || level >= d.levels {
        return None;
    }
    super::check(surface, request.op).ok()?;
    let level = level + d.min_lod;
    let plane = Plane::new(surface, level, 0)?;
    // The plane's channels are as they are stored.
    Some((
        plane,
        sizes(surface, level),
        [0, 0, 0, outside_alpha(surface)],
    ))
}

/// A load of plain texels.
struct Loader<'a> {
    surface: &'a Surface,
    request: &'a SamplerRequest,
    given: Params<'a>,
    outside: [u32; 4],
    active: u32,
}

impl Loader<'_> {
    /// Serves all lanes, `N` at a time; the inner `None` is said where nothing is fetched.
    fn serve<const N: usize>(&self, out: &mut Channels) -> Option<Option<FetchPath>> {
        let mut reader = Reader::<N>::new(self.surface, simd::wide()?);
        let mut path = None;
        for base in (0..self.request.lanes as usize).step_by(N) {
            path = self.lanes(base, &mut reader, out)?.or(path);
        }
        Some(path)
    }

    /// A parameter as integers: 32-bit ones are signed, 16-bit ones unsigned.
    #[inline(always)]
    fn parameter<const N: usize>(&self, p: Parameter, base: usize) -> [u32; N] {
        self.coordinate(p, None).texels(base)
    }

    /// A parameter, moved along an axis by the message's offset.
    #[inline(always)]
    fn coordinate(&self, p: Parameter, axis: Option<usize>) -> Coordinate<'_> {
        Coordinate {
            lanes: self.given.lanes(p),
            mask: if self.given.is_narrow() {
                0xffff
            } else {
                u32::MAX
            },
            offset: axis.map_or(0, |axis| {
                i32::from(self.request.offsets[axis]).cast_unsigned()
            }),
        }
    }

    /// Serves `N` lanes from `base` on, image by image; the inner `None` is said where nothing is fetched.
    fn lanes<const N: usize>(
        &self,
        base: usize,
        reader: &mut Reader<'_, N>,
        out: &mut Channels,
    ) -> Option<Option<FetchPath>> {
        let d = self.surface.description();
        let mut rest = self.active >> base & (u32::MAX >> (32 - N as u32));
        if rest == 0 {
            return Some(None);
        }
        if self.request.op == SamplerOp::LdLz && !d.array && d.kind != Kind::D3 {
            // All lanes name level 0 of the only slice.
            let path = self.image(reader, (0, 0), rest, base, out)?;
            return Some(Some(path));
        }
        let level = match self.request.op {
            SamplerOp::Ld => self.parameter(Parameter::Lod, base),
            _ => [0; N],
        };
        // Slices beside each other are named by numbers; without any, all lanes read slice 0.
        let (slice, slices) = match (d.kind, d.array) {
            (Kind::Buffer, _) => ([0; N], 1),
            (Kind::D3, _) => (
                self.coordinate(Parameter::R, Some(2)).texels(base),
                u32::MAX,
            ),
            (Kind::D1, true) => (self.parameter(Parameter::V, base), d.slices()),
            (_, true) => (self.parameter(Parameter::R, base), d.slices()),
            (_, false) => ([0; N], 1),
        };
        let mut path = None;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & (N - 1);
            let (own_level, own_slice) = (level[lane], slice[lane]);
            let differs = (0..N).fold(0, |all, n| {
                all | (level[n] ^ own_level) | (slice[n] ^ own_slice)
            });
            let own = match differs {
                0 => rest,
                _ => {
                    let same = |n: &usize| (level[*n], slice[*n]) == (own_level, own_slice);
                    (0..N).filter(same).fold(0, |own, n| own | 1 << n) & rest
                }
            };
            rest &= !own;
            let known = own_level < d.levels && {
                let deep = (d.depth >> (own_level + d.min_lod)).max(1);
                own_slice < if d.kind == Kind::D3 { deep } else { slices }
            };
            if known {
                path = Some(self.image(reader, (own_level, own_slice), own, base, out)?);
            } else {
                let block = self.outside.map(|v| [v; N]);
                merge(&block, base, self.request.channels.0, own << base, out);
            }
        }
        Some(path)
    }

    /// Serves the lanes `own` from `base` on, which read one level of one slice.
    fn image<const N: usize>(
        &self,
        reader: &mut Reader<'_, N>,
        (level, slice): (u32, u32),
        own: u32,
        base: usize,
        out: &mut Channels,
    ) -> Option<FetchPath> {
        let d = self.surface.description();
        let level = level + d.min_lod;
        let (_, path) = reader.turn_to(level, slice)?;
        let flat = matches!(d.kind, Kind::Buffer | Kind::D1);
        let load = Load {
            size: sizes(self.surface, level),
            x: self.coordinate(Parameter::U, Some(0)),
            y: match flat {
                true => Coordinate::ORIGIN,
                false => self.coordinate(Parameter::V, Some(1)),
            },
            outside: self.outside,
            base,
            channels: self.request.channels.0,
            active: own << base,
        };
        reader.load(&load, out);
        Some(path)
    }
}

/// Texels of a level across and down.
fn sizes(surface: &Surface, level: u32) -> (u32, u32) {
    let d = surface.description();
    let size = |n: u32| (n >> level).max(1);
    match d.kind {
        Kind::Buffer | Kind::D1 => (size(d.width), 1),
        _ => (size(d.width), size(d.height)),
    }
}
