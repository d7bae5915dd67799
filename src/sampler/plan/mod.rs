//! Messages that are the same each time but for their coordinates: all else is worked out once, and texels
//! go from memory to registers.
//!
//! ```text
//!  once       surface, state, message ─▶ axes or bounds, plane, a function for the element and the lanes
//!  each time, for the threads that send it together
//!             registers of U and V ─▶ byte offsets ─▶ texels ─▶ registers of channels
//! ```
//!
//! For samples of one level with the nearest texel (`nearest`) or the four around (`linear`), and for loads
//! (`nearest` as well). From byte offsets to texels the element's function leads, all else is compiled once for a
//! number of lanes. All lanes are served; whoever has some that are off keeps their bytes. Results are those of
//! [`sample::reference()`](super::sample::reference()) and [`fetch::load_reference`]: laws compare them.

mod linear;
mod nearest;

use super::coordinate::Axis;
use super::lanes::{Block, by_lane, dwords};
use super::plane::Plane;
use super::sample::LanePlan;
use super::sample::border;
use super::settings::{Address, SamplerState};
use super::texels::Elements;
use super::{axis, fetch, sample};
use crate::math::simd::{self, Wide};
use crate::message::{ReturnFormat, SamplerRequest};
use crate::surface::channels::{self, Numbers, Packed};
use crate::surface::{Format, Kind, Memory, Surface};

/// Where a message's registers lie among the bytes of a thread; each holds a dword for every lane.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// First coordinate.
    pub u: usize,
    /// Second coordinate; without one it is 0.
    pub v: Option<usize>,
    /// The first channel that is returned.
    pub to: usize,
    /// Bytes from one channel to the next.
    pub pitch: usize,
}

impl Places {
    /// Whether the first half of the lanes, written before the second is read, lands on coordinates of the second.
    fn mixes_halves(&self, channels: u32) -> bool {
        let half = 4 * TOGETHER;
        let rows = (0..channels as usize).map(|row| self.to + row * self.pitch);
        let mut coordinates = rows.flat_map(|to| [Some(self.u), self.v].map(|from| (to, from)));
        coordinates.any(|(to, from)| {
            from.is_some_and(|from| to < from + 2 * half && from + half < to + half)
        })
    }
}

/// What is worked out once for a message that many threads send with other coordinates.
#[derive(Clone, Copy)]
pub enum SamplePlan {
    /// Registers of coordinates become registers of channels.
    Registers(RegisterPlan),
    /// Levels and borders depend on coordinates: lanes are read, grouped and served by kernels.
    Lanes(LanePlan),
}

impl SamplePlan {
    /// The plan of a sample, and what native code has to know; `None` where only the reference serves it. `places` is
    /// `None` where its registers are not whole.
    pub fn sample(
        surface: &Surface,
        state: &SamplerState,
        request: &SamplerRequest,
        places: Option<Places>,
    ) -> Option<(SamplePlan, Option<TexelBytes>)> {
        let inside = places.and_then(|at| RegisterPlan::inside(surface, state, request, at));
        let border = || border::colour(&state.border, surface.format());
        let nearest = inside.and_then(|plan| plan.texel_bytes(surface, border));
        let plan = match inside.filter(RegisterPlan::serves) {
            Some(plan) => SamplePlan::Registers(plan),
            None => SamplePlan::Lanes(LanePlan::new(surface, state, request)?),
        };
        Some((plan, nearest))
    }
}

/// A message that reads one texel of up to four dwords for each lane, a sample or a load, or weighs the four around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TexelBytes {
    /// Byte of the first texel in the memory of the surface.
    pub start: usize,
    /// What coordinates are multiplied with; nothing of a load.
    pub scales: [f32; 2],
    /// Bits of the last texel along each axis, as floats; of a load how many there are, as integers.
    pub last: [u32; 2],
    /// What is outside, along each axis.
    pub outside: [Outside; 2],
    /// The colour of texels outside, where it is that.
    pub border: [u32; 4],
    /// Bytes from a texel to the next one along each axis.
    pub steps: [u32; 2],
    /// Where channels are in it.
    pub packed: Packed,
    /// Of four texels: along each axis the parts of a 256th from which on it is rounded up.
    pub weighed: Option<[f32; 2]>,
}

/// What lanes outside the map get along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The texel at the edge.
    Edge = 0,
    /// Another one.
    Another = 1,
    /// The border colour.
    Border = 2,
}

/// What a message does with the coordinates of its lanes.
#[derive(Clone, Copy)]
pub struct RegisterPlan {
    find: Find,
    plane: Plane,
    channels: u8,
    lanes: usize,
    places: Places,
    linear: bool,
    wide: Wide,
    /// `None` where native code alone knows the format.
    texels: Option<Texels>,
}

/// How texels are fetched, for as many lanes as are served together.
#[derive(Clone, Copy)]
enum Texels {
    Eight(Elements<8>),
    Sixteen(Elements<TOGETHER>),
}

impl Texels {
    /// Those of a message with so many lanes that asks for `channels`.
    fn new(format: Format, lanes: u32, channels: u8) -> Option<Texels> {
        Some(match lanes {
            8 => Texels::Eight(asked(Elements::of(format)?, channels)),
            16 | 32 => Texels::Sixteen(asked(Elements::of(format)?, channels)),
            _ => return None,
        })
    }
}

/// Elements of which only the channels that are asked for are weighed.
fn asked<const N: usize>(mut elements: Elements<N>, channels: u8) -> Elements<N> {
    elements.decoding.stored &= channels;
    elements
}

/// How coordinates find their texels.
#[derive(Clone, Copy)]
enum Find {
    /// A sample, by floats.
    Sampled {
        axes: [Axis; 2],
        /// How many axes there are.
        used: usize,
        /// Texels that are added along each.
        moved: [i32; 2],
    },
    /// A load, by integers.
    Loaded(Bounds),
}

/// What a load may read.
#[derive(Clone, Copy)]
struct Bounds {
    /// Texels across and down.
    size: (u32, u32),
    /// What is added to coordinates. What wraps around is far outside either way: sizes are at most 2^27,
    /// offsets at most 8.
    moved: [u32; 2],
    /// The result outside.
    outside: [u32; 4],
}

/// Lanes of a message that has a plan, at most.
const MOST_LANES: usize = 32;

/// Lanes that are served together; those of longer messages are served in halves.
const TOGETHER: usize = 16;

impl RegisterPlan {
    /// Plans a sample; `None` where it depends on more than coordinates, reads more than one level, or
    /// may meet the border.
    pub fn sample(
        surface: &Surface,
        state: &SamplerState,
        request: &SamplerRequest,
        places: Places,
    ) -> Option<RegisterPlan> {
        let plan = RegisterPlan::inside(surface, state, request, places);
        plan.filter(RegisterPlan::serves)
    }

    /// Whether it knows the format, and every coordinate has a texel.
    pub fn serves(&self) -> bool {
        self.texels.is_some() && self.never_leaves()
    }

    /// Whether every coordinate has a texel.
    fn never_leaves(&self) -> bool {
        match &self.find {
            Find::Sampled { axes, used, .. } => axes[..*used].iter().all(Axis::never_leaves),
            Find::Loaded(_) => true,
        }
    }

    /// As [`RegisterPlan::sample`], for lanes that do not meet the border.
    fn inside(
        surface: &Surface,
        state: &SamplerState,
        request: &SamplerRequest,
        places: Places,
    ) -> Option<RegisterPlan> {
        if !is_plain(request) {
            return None;
        }
        let common = sample::lane_invariant(surface, state, request)?;
        let plane = Plane::new(surface, common.level, 0)?;
        let [across, down, _] = request.offsets.map(i32::from);
        let moved = [across, down];
        let mut along = common.axes.iter().zip(moved).take(common.used);
        if !along.all(|(axis, by)| axis::may_move(axis, by)) {
            return None;
        }
        let find = Find::Sampled {
            axes: common.axes,
            used: common.used,
            moved,
        };
        RegisterPlan::new(surface, request, (find, plane, places), common.linear)
    }

    /// Plans a load; `None` where it depends on more than coordinates and a level of detail, which is `level` on all
    /// lanes.
    pub fn load(
        surface: &Surface,
        request: &SamplerRequest,
        level: u32,
        places: Places,
    ) -> Option<RegisterPlan> {
        let plan = RegisterPlan::of_load(surface, request, level, places);
        plan.filter(RegisterPlan::serves)
    }

    /// As [`RegisterPlan::load`], for formats too that native code alone [serves](RegisterPlan::serves).
    pub fn of_load(
        surface: &Surface,
        request: &SamplerRequest,
        level: u32,
        places: Places,
    ) -> Option<RegisterPlan> {
        if !is_plain(request) {
            return None;
        }
        let (plane, size, outside) = fetch::lane_invariant(surface, request, level)?;
        let [across, down, _] = request.offsets.map(|by| i32::from(by).cast_unsigned());
        let has_rows = matches!(surface.kind(), Kind::D2);
        let bounds = Bounds {
            size,
            moved: [across, if has_rows { down } else { 0 }],
            outside,
        };
        let places = Places {
            v: places.v.filter(|_| has_rows),
            ..places
        };
        RegisterPlan::new(
            surface,
            request,
            (Find::Loaded(bounds), plane, places),
            false,
        )
    }

    fn new(
        surface: &Surface,
        request: &SamplerRequest,
        (find, plane, places): (Find, Plane, Places),
        linear: bool,
    ) -> Option<RegisterPlan> {
        let lanes = request.lanes;
        if lanes as usize > TOGETHER && places.mixes_halves(request.returned_channels()) {
            return None;
        }
        let channels = request.channels.0 & 0xf;
        Some(RegisterPlan {
            find,
            plane,
            channels,
            lanes: lanes as usize,
            places,
            linear,
            wide: simd::wide()?,
            texels: Texels::new(surface.format(), lanes, channels),
        })
    }

    /// What native code has to know, if each lane gets the texel it is in, or loads one, or weighs four.
    ///
    /// * `border`: the colour of texels outside.
    pub fn texel_bytes(
        &self,
        surface: &Surface,
        border: impl FnOnce() -> [u32; 4],
    ) -> Option<TexelBytes> {
        let (mut outside, mut weighed) = ([Outside::Edge; 2], None);
        let (size, scales, last) = match &self.find {
            Find::Sampled {
                axes,
                used: 2,
                moved: [0, 0],
            } => {
                let rounds = axes
                    .each_ref()
                    .map(|axis| if axis.round { 0.5 } else { 2.0 });
                if self.linear {
                    weighed = Some([rounds[0], rounds[1]]);
                } else if axes[..2].iter().any(|axis| axis.round) {
                    return None;
                }
                // Inside the map all modes do the same.
                outside = axes.each_ref().map(|axis| match axis.mode {
                    Address::Clamp => Outside::Edge,
                    Address::Border => Outside::Border,
                    _ => Outside::Another,
                });
                let size = axes.each_ref().map(|axis| axis.size);
                let scales = axes.each_ref().map(|axis| match axis.unnormalized {
                    true => 1.0,
                    false => axis.size as f32,
                });
                let last = size.map(|size| (size.saturating_sub(1) as f32).to_bits());
                (size, scales, last)
            }
            Find::Loaded(Bounds {
                size,
                moved: [0, 0],
                ..
            }) => (<[u32; 2]>::from(*size), [0.0; 2], (*size).into()),
            _ => return None,
        };
        if self.places.v.is_none() || size.contains(&0) {
            return None;
        }
        let (start, steps) = self.plane.linear()?;
        // A texel is read as whole dwords, be it the last one.
        let end = (start as u64)
            + u64::from(size[0] - 1) * u64::from(steps[0])
            + u64::from(size[1] - 1) * u64::from(steps[1]);
        // Offsets leave bits for what is outside.
        let packed = channels::packed(surface.format())?;
        let end = end + u64::from(packed.bytes());
        let inside = end <= surface.memory().readable() as u64 && end < 1 << 30;
        let inside = inside && (packed.blends || weighed.is_none());
        let border = match outside.contains(&Outside::Border) {
            true => border(),
            false => [0; 4],
        };
        // Bytes are weighed exactly, which a border must not change: it is what a texel of zeros is.
        if weighed.is_some() && packed.numbers == Numbers::Bytes && border != packed.absent {
            for outside in outside.iter_mut().filter(|own| **own == Outside::Border) {
                *outside = Outside::Another;
            }
        }
        inside.then_some(TexelBytes {
            start,
            scales,
            last,
            border,
            outside,
            steps,
            packed,
            weighed,
        })
    }

    /// Reads from the memory of the surface on all lanes of the message, for the bytes of each thread, if it
    /// [serves](RegisterPlan::serves) it.
    #[inline]
    pub fn serve(&self, memory: &Memory, threads: &mut [&mut [u8]]) {
        debug_assert!(self.texels.is_some(), "code alone knows the format");
        match &self.texels {
            Some(Texels::Eight(elements)) => self.serve_with(elements, memory, threads),
            Some(Texels::Sixteen(elements)) => {
                self.serve_with(elements, memory, threads);
                if self.lanes > TOGETHER {
                    self.upper_half().serve_with(elements, memory, threads);
                }
            }
            None => {}
        }
    }

    fn serve_with<const N: usize>(
        &self,
        elements: &Elements<N>,
        memory: &Memory,
        threads: &mut [&mut [u8]],
    ) {
        // Integers are never blended.
        let blends = self.linear && elements.decoding.blends;
        for registers in threads {
            let block = match blends {
                true => linear::block(self, elements, memory, registers),
                false => nearest::block(self, elements.fetch, memory, registers),
            };
            self.wide.run(
                #[inline(always)]
                || self.put(registers, &block),
            );
        }
    }

    /// The plan of the lanes behind the first [`TOGETHER`].
    fn upper_half(&self) -> RegisterPlan {
        let bytes = 4 * TOGETHER;
        let Places { u, v, to, pitch } = self.places;
        RegisterPlan {
            places: Places {
                u: u + bytes,
                v: v.map(|v| v + bytes),
                to: to + bytes,
                pitch,
            },
            ..*self
        }
    }

    /// As [`RegisterPlan::serve`], where lanes are off: their channels stay what they were.
    ///
    /// * `masks`: of each thread, a bit set for each lane that is on.
    pub fn serve_some(&self, memory: &Memory, threads: &mut [&mut [u8]], masks: &[u32]) {
        let Places { to, pitch, .. } = self.places;
        let rows = self.channels.count_ones() as usize;
        for (registers, mask) in threads.iter_mut().zip(masks) {
            let mut kept = [[0; 4 * MOST_LANES]; 4];
            let kept = &mut kept[..rows];
            for (row, kept) in kept.iter_mut().enumerate() {
                let kept = &mut kept[..4 * self.lanes];
                kept.copy_from_slice(&registers[to + row * pitch..][..4 * self.lanes]);
            }
            self.serve(memory, std::slice::from_mut(registers));
            for (row, kept) in kept.iter().enumerate() {
                let (slots, _) =
                    registers[to + row * pitch..][..4 * self.lanes].as_chunks_mut::<4>();
                for (lane, (slot, kept)) in
                    slots.iter_mut().zip(kept.as_chunks::<4>().0).enumerate()
                {
                    *slot = if mask >> lane & 1 != 0 { *slot } else { *kept };
                }
            }
        }
    }

    /// U and V of a thread.
    #[inline(always)]
    fn coordinates<const N: usize>(&self, registers: &[u8]) -> [[u32; N]; 2] {
        // Without a branch, after which the compiler would take vectors apart.
        let v: [u32; N] = dwords(registers, self.places.v.unwrap_or(self.places.u));
        let kept = if self.places.v.is_some() { u32::MAX } else { 0 };
        [
            dwords(registers, self.places.u),
            by_lane(|lane| v[lane] & kept),
        ]
    }

    /// Writes the channels that are asked for.
    #[inline(always)]
    fn put<const N: usize>(&self, registers: &mut [u8], block: &Block<N>) {
        let mut to = self.places.to;
        for (c, channel) in block.iter().enumerate() {
            if self.channels >> c & 1 == 1 {
                let (slots, _) = registers[to..to + 4 * N].as_chunks_mut::<4>();
                for (slot, value) in slots.iter_mut().zip(channel) {
                    *slot = value.to_le_bytes();
                }
                to += self.places.pitch;
            }
        }
    }
}

/// Whether a message asks for channels of 32 bits and nothing else, by parameters of 32 bits.
fn is_plain(request: &SamplerRequest) -> bool {
    !request.params16 && !request.pixel_null_mask && request.returns == ReturnFormat::Bits32
}
