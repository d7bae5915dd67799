//! Loads in vector code: bounds, offsets and channels of all lanes that read one image.

use super::super::given::Given;
use super::super::lanes::{self, by_lane, merge, window};
use super::super::plane::Plane;
use super::super::sample::select;
use super::super::texels::{Image, Texels, Use, Way, with_texels};
use super::super::{Channels, Lanes, lane_mask, narrowed};
use super::{Settled, outside_alpha};
use crate::message::{Parameter, ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::{Kind, Surface};

/// Serves the load if it is one of plain texels; says how texels were fetched.
pub(super) fn load(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
) -> Option<Way> {
    let d = surface.description();
    let plain = matches!(request.op, SamplerOp::Ld | SamplerOp::LdLz) && d.samples == 1;
    if !plain || active == 0 {
        return None;
    }
    let loader = Loader {
        surface,
        request,
        given: Given::new(request, params),
        outside: select(surface, [0, 0, 0, outside_alpha(surface)]),
        active,
    };
    let way = match request.lanes {
        0..=8 => loader.lanes::<8>(0, out)?,
        9..=16 => loader.lanes::<16>(0, out)?,
        _ => {
            let first = loader.lanes::<16>(0, out)?;
            loader.lanes::<16>(16, out)?.or(first)
        }
    };
    if request.returns == ReturnFormat::Bits16 {
        let active = active & lane_mask(request.lanes);
        narrowed(request, surface.format().returns, active, out);
    }
    // Where every lane names a level or slice that is not there, nothing is fetched.
    Some(way.unwrap_or(Way::Elements))
}

/// The image that all lanes of a load read, its size, and what they get outside; `None` if parameters tell
/// levels or slices apart, or texels are no elements.
pub fn settled(surface: &Surface, request: &SamplerRequest) -> Option<Settled> {
    let d = surface.description();
    let flat = matches!(d.kind, Kind::Buffer | Kind::D1 | Kind::D2);
    if request.op != SamplerOp::LdLz || !flat || d.array {
        return None;
    }
    super::check(surface, request.op).ok()?;
    let plane = Plane::new(surface, d.min_lod, 0)?;
    // The plane's channels are as they are stored.
    Some((
        plane,
        sizes(surface, d.min_lod),
        [0, 0, 0, outside_alpha(surface)],
    ))
}

/// A load of plain texels.
struct Loader<'a> {
    surface: &'a Surface,
    request: &'a SamplerRequest,
    given: Given<'a>,
    outside: [u32; 4],
    active: u32,
}

impl Loader<'_> {
    /// A parameter as integers: 32-bit ones are signed, 16-bit ones unsigned.
    #[inline(always)]
    fn parameter<const N: usize>(&self, p: Parameter, base: usize) -> [u32; N] {
        let Some(lanes) = self.given.lanes(p) else {
            return [0; N];
        };
        let lanes = window(lanes, base);
        match self.given.is_narrow() {
            true => by_lane(|lane| lanes[lane] & 0xffff),
            false => lanes,
        }
    }

    /// Coordinates along an axis, moved by the message's offset. What wraps around is far outside either
    /// way: sizes are at most 2^27, offsets at most 8.
    #[inline(always)]
    fn moved<const N: usize>(&self, p: Parameter, axis: usize, base: usize) -> [u32; N] {
        let offset = i32::from(self.request.offsets[axis]).cast_unsigned();
        let c = self.parameter::<N>(p, base);
        by_lane(|lane| c[lane].wrapping_add(offset))
    }

    /// Serves lanes `base` and following, image by image; the inner `None` is said where nothing is fetched.
    fn lanes<const N: usize>(&self, base: usize, out: &mut Channels) -> Option<Option<Way>> {
        let d = self.surface.description();
        let mut rest = self.active >> base & (u32::MAX >> (32 - N as u32));
        if rest == 0 {
            return Some(None);
        }
        if self.request.op == SamplerOp::LdLz && !d.array && d.kind != Kind::D3 {
            // All lanes name level 0 of the only slice.
            let way = self.image::<N>((0, 0), rest, base, out)?;
            return Some(Some(way));
        }
        let level = match self.request.op {
            SamplerOp::Ld => self.parameter::<N>(Parameter::Lod, base),
            _ => [0; N],
        };
        // Slices beside each other are named by numbers; without any, all lanes read slice 0.
        let (slice, slices) = match (d.kind, d.array) {
            (Kind::Buffer, _) => ([0; N], 1),
            (Kind::D3, _) => (self.moved::<N>(Parameter::R, 2, base), u32::MAX),
            (Kind::D1, true) => (self.parameter::<N>(Parameter::V, base), d.slices()),
            (_, true) => (self.parameter::<N>(Parameter::R, base), d.slices()),
            (_, false) => ([0; N], 1),
        };
        let mut way = None;
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
                way = Some(self.image::<N>((own_level, own_slice), own, base, out)?);
            } else {
                let block = self.outside.map(|v| [v; N]);
                merge(&block, base, self.request.channels.0, own << base, out);
            }
        }
        Some(way)
    }

    /// Serves the lanes `own` from `base` on, which read one level of one slice.
    fn image<const N: usize>(
        &self,
        (level, slice): (u32, u32),
        own: u32,
        base: usize,
        out: &mut Channels,
    ) -> Option<Way> {
        let d = self.surface.description();
        let image = Image {
            surface: self.surface,
            level: level + d.min_lod,
            slice,
        };
        let place = |p: Parameter, axis: usize| Coordinate {
            lanes: self.given.lanes(p),
            mask: if self.given.is_narrow() {
                0xffff
            } else {
                u32::MAX
            },
            offset: i32::from(self.request.offsets[axis]).cast_unsigned(),
        };
        let flat = matches!(d.kind, Kind::Buffer | Kind::D1);
        let job = Job::<N> {
            size: sizes(self.surface, image.level),
            x: place(Parameter::U, 0),
            y: match flat {
                true => Coordinate::ORIGIN,
                false => place(Parameter::V, 1),
            },
            outside: self.outside,
            base,
            channels: self.request.channels.0,
            active: own << base,
            out,
        };
        with_texels(image, job).map(|((), way)| way)
    }
}

/// A coordinate as it was sent, and what is added. What wraps around is far outside either way: sizes are
/// at most 2^27, offsets at most 8.
#[derive(Clone, Copy)]
struct Coordinate<'a> {
    lanes: Option<&'a Lanes>,
    /// The bits of 16-bit parameters, which are unsigned.
    mask: u32,
    offset: u32,
}

impl Coordinate<'_> {
    /// Where there is no such axis.
    const ORIGIN: Coordinate<'static> = Coordinate {
        lanes: None,
        mask: 0,
        offset: 0,
    };

    #[inline(always)]
    fn texels<const N: usize>(&self, base: usize) -> [u32; N] {
        let lanes = self.lanes.map_or([0; N], |lanes| window(lanes, base));
        by_lane(|lane| (lanes[lane] & self.mask).wrapping_add(self.offset))
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

/// Texels of an image by column and row, for the lanes `active` among `N` from `base` on.
struct Job<'a, const N: usize> {
    size: (u32, u32),
    x: Coordinate<'a>,
    y: Coordinate<'a>,
    outside: [u32; 4],
    base: usize,
    channels: u8,
    active: u32,
    out: &'a mut Channels,
}

impl<const N: usize> Use for Job<'_, N> {
    type Result = ();

    #[inline(always)]
    fn run<T: Texels, const FUSED: bool>(self, mut texels: T) {
        let (width, height) = self.size;
        let (x, y) = (self.x.texels::<N>(self.base), self.y.texels::<N>(self.base));
        let inside: [u32; N] = by_lane(|lane| {
            let within = (x[lane] < width) & (y[lane] < height);
            0u32.wrapping_sub(u32::from(within))
        });
        // Lanes outside read texel 0, whose result nobody sees.
        let mut x: [u32; N] = by_lane(|lane| x[lane] & inside[lane]);
        let mut y: [u32; N] = by_lane(|lane| y[lane] & inside[lane]);
        texels.columns(&mut x);
        texels.rows(&mut y);
        let words = texels.fetch(&x, &y);
        let mut block = lanes::spread::<T::Element, N>(&words);
        let all = inside.iter().fold(u32::MAX, |all, one| all & one);
        if all == 0 {
            for (channel, outside) in block.iter_mut().zip(self.outside) {
                for (value, inside) in channel.iter_mut().zip(&inside) {
                    *value = *value & inside | outside & !inside;
                }
            }
        }
        merge(&block, self.base, self.channels, self.active, self.out);
    }
}
