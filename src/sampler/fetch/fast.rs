//! Loads whose lanes lie on one image: bounds, offsets and decoding in vector code.

use super::super::element::{Element, Use, merge, with_element};
use super::super::given::Given;
use super::super::plane::Plane;
use super::super::{Channels, Lanes, lane_mask};
use super::{Kernel, outside_alpha};
use crate::message::{Parameter, ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::{Kind, Memory, Surface};

/// Serves the load if all its active lanes read one level and slice of a plain surface.
pub(super) fn load(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
) -> Option<Kernel> {
    let d = surface.description();
    let plain = matches!(request.op, SamplerOp::Ld | SamplerOp::LdLz)
        && !request.params16
        && request.returns == ReturnFormat::Bits32
        && matches!(d.kind, Kind::D1 | Kind::D2);
    if !plain || active == 0 {
        return None;
    }
    let given = Given::new(request, params);
    let zero = [0; 32];
    let lanes_of = |p: Parameter| given.lanes(p).unwrap_or(&zero);
    let lod = same(lanes_of(Parameter::Lod), active)?;
    if lod >= d.levels {
        return None;
    }
    let slice = match (d.array, d.kind) {
        (false, _) => 0,
        (true, Kind::D1) => same(lanes_of(Parameter::V), active)?,
        (true, _) => same(lanes_of(Parameter::R), active)?,
    };
    if d.array && slice >= d.slices() {
        return None;
    }
    let plane = Plane::new(surface, lod + d.min_lod, slice)?;
    let flat = d.kind == Kind::D1;
    let job = Job {
        memory: surface.memory(),
        plane: &plane,
        u: lanes_of(Parameter::U),
        v: if flat { &zero } else { lanes_of(Parameter::V) },
        moved: [
            i32::from(request.offsets[0]),
            if flat {
                0
            } else {
                i32::from(request.offsets[1])
            },
        ],
        outside: [0, 0, 0, outside_alpha(surface)],
        count: request.lanes as usize,
        channels: request.channels.0,
        active,
        whole: active == lane_mask(request.lanes),
        out,
    };
    with_element(surface.format(), job)?;
    Some(Kernel::Plane(surface.format()))
}

/// The value that all active lanes share.
fn same(lanes: &Lanes, active: u32) -> Option<u32> {
    let first = lanes[active.trailing_zeros() as usize & 31];
    let mut others = lanes.iter().enumerate();
    others
        .all(|(lane, value)| active >> lane & 1 == 0 || *value == first)
        .then_some(first)
}

struct Job<'a> {
    memory: &'a Memory,
    plane: &'a Plane,
    u: &'a Lanes,
    v: &'a Lanes,
    moved: [i32; 2],
    outside: [u32; 4],
    count: usize,
    channels: u8,
    active: u32,
    whole: bool,
    out: &'a mut Channels,
}

/// The most bytes a run of 32 elements has.
const RUN: usize = 32 * 16;

impl Use for Job<'_> {
    type Result = ();

    fn run<E: Element>(self) {
        let count = self.count.min(32);
        let (width, height) = self.plane.size;
        let [du, dv] = self.moved;
        let (mut x, mut y, mut inside) = ([0; 32], [0; 32], [0u32; 32]);
        for lane in 0..32 {
            // What wraps around is far outside either way: sizes are at most 16384, offsets at most 8.
            let (u, v) = (self.u[lane].cast_signed(), self.v[lane].cast_signed());
            let (u, v) = (
                u.wrapping_add(du).cast_unsigned(),
                v.wrapping_add(dv).cast_unsigned(),
            );
            let within = u < width && v < height;
            // Lanes outside read texel 0, whose result nobody sees.
            (x[lane], y[lane]) = if within { (u, v) } else { (0, 0) };
            inside[lane] = u32::from(within);
        }
        self.plane.columns(&mut x);
        self.plane.rows(&mut y);
        let mut at = [0; 32];
        for lane in 0..32 {
            at[lane] = x[lane] + y[lane];
        }
        let start = self.plane.start;
        let mut words = [E::Word::default(); 32];
        let (first, rest) = (at[0], &at[..count]);
        let steps = rest.iter().zip(0u32..);
        let misses = steps.fold(0, |all, (&at, n)| {
            all | (at ^ first.wrapping_add(n * E::BYTES))
        });
        if misses == 0 {
            // Neighbours in memory: one read.
            let mut bytes = [0; RUN];
            let bytes = &mut bytes[..count * E::BYTES as usize];
            self.memory.read(start + first as usize, bytes);
            for (lane, word) in words.iter_mut().enumerate().take(count) {
                *word = E::take(bytes, lane * E::BYTES as usize);
            }
        } else {
            for (word, &at) in words.iter_mut().zip(rest) {
                *word = E::load(self.memory, start + at as usize);
            }
        }
        let all_inside = inside[..count].iter().fold(1, |all, one| all & one) == 1;
        if self.whole && self.channels == 0xf && all_inside {
            return E::spread(&words, count, self.out);
        }
        let mut decoded = [[0; 32]; 4];
        E::spread(&words, count, &mut decoded);
        for (channel, outside) in decoded.iter_mut().zip(self.outside) {
            for (value, inside) in channel.iter_mut().zip(&inside) {
                if *inside == 0 {
                    *value = outside;
                }
            }
        }
        merge(&decoded, self.channels, self.active, self.out);
    }
}
