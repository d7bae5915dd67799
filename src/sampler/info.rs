//! `resinfo` and `sampleinfo`: what the sampler tells of a surface without reading it.
//!
//! Source: surface reference 4.14; vISA text reference 5.8; PRM 4.11.1.4.

use super::params::Params;
use super::{Channels, Lanes, finish, lane_mask};
use crate::message::{Parameter, SamplerOp, SamplerRequest};
use crate::surface::format::Returns;
use crate::surface::texel::Rgba;
use crate::surface::{Description, Kind, Surface};

/// Answers for every active lane; only enabled channels are written. Numbers are unsigned integers; before
/// Cantiga (Gen4) `resinfo` gives them as floats (PRM 4.11.1.4).
pub fn info(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
) {
    let d = surface.description();
    let given = Params::new(request, params);
    let mut texels = [[0; 4]; 32];
    for (lane, texel) in texels.iter_mut().enumerate() {
        *texel = match (d.kind, request.op) {
            (Kind::Null, _) => [0; 4],
            (_, SamplerOp::Resinfo) => {
                let lod = given.lanes(Parameter::Lod).map_or(0, |lods| lods[lane]);
                let lod = if given.is_narrow() { lod & 0xffff } else { lod };
                let size = size(d, lod);
                match d.generation.resinfo_floats {
                    true => size.map(|n| (n as f32).to_bits()),
                    false => size,
                }
            }
            _ => [d.samples, 0, 0, d.sampled.positions],
        };
    }
    let active = active & lane_mask(request.lanes);
    finish(request, Returns::AsUint, &texels, active, out);
}

/// Texels across, down and deep of a level, and the number of levels; zeros for a level that is not there.
fn size(d: &Description, lod: u32) -> Rgba {
    if d.kind == Kind::Buffer {
        return [d.width, 0, 0, 0];
    }
    if lod >= d.levels {
        return [0, 0, 0, d.levels];
    }
    let at = |n: u32| (n >> (lod + d.min_lod)).max(1);
    // Up to Gen6 no bit tells an array of one slice from no array: a Depth field of 0 is returned as it is.
    let slices = match (d.generation.short_surface_state, d.depth) {
        (true, 1) => 0,
        (_, depth) => depth,
    };
    let (r, g, b) = match d.kind {
        Kind::D1 => (at(d.width), slices, 0),
        Kind::D3 => (at(d.width), at(d.height), at(d.depth)),
        Kind::Cube => {
            let cubes = if d.array && !d.generation.short_surface_state {
                d.depth
            } else {
                0
            };
            (at(d.width), at(d.height), cubes)
        }
        _ => (at(d.width), at(d.height), slices),
    };
    [r, g, b, d.levels]
}
