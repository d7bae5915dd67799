//! What one lane of a sample asks: coordinates, slice, level of detail.

use super::super::coordinate;
use super::super::settings::Filter;
use super::{Sampling, TexelObserver, cube, lod};
use crate::message::parameters::Packing;
use crate::message::{Parameter, SamplerOp};
use crate::surface::Kind;

/// Where a lane samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pixel {
    /// Coordinates of the axes that are sampled, on the face of a cube.
    pub at: [f64; 3],
    /// Array slice, or face; 0 for 3D.
    pub slice: u32,
    /// Face of a cube.
    pub face: u32,
    /// Texel offsets of the message and of the lane.
    pub offsets: [i64; 3],
}

impl<W: TexelObserver> Sampling<'_, W> {
    /// Axes that are sampled.
    pub(super) fn axes(&self) -> usize {
        match self.d.kind {
            Kind::D1 => 1,
            Kind::D3 => 3,
            _ => 2,
        }
    }

    /// Texels of a level along each axis; 1 for those not sampled.
    pub(super) fn size(&self, level: u32) -> [u32; 3] {
        let d = self.d;
        let size = |n: u32| (n >> level).max(1);
        let all = [size(d.width), size(d.height), size(d.depth)];
        std::array::from_fn(|axis| if axis < self.axes() { all[axis] } else { 1 })
    }

    fn direction(&self, lane: usize) -> [f64; 3] {
        let [u, v, r] = [Parameter::U, Parameter::V, Parameter::R]
            .map(|p| f64::from(self.params.float(p, lane)));
        match self.packed {
            Some((p, lanes)) if Packing::has_index(p) => {
                [u, v, f64::from(lanes[lane] & Packing::INDEX)]
            }
            _ => [u, v, r],
        }
    }

    /// Whether the message brings its own gradients.
    fn has_gradients(&self) -> bool {
        use SamplerOp::*;
        matches!(
            self.request.op,
            SampleD | SampleDC | SampleDCMlod | SamplePoD | SamplePoDC
        )
    }

    pub(super) fn pixel(&self, lane: usize) -> Pixel {
        let d = self.d;
        let at = self.direction(lane);
        let index = |p: Parameter| match d.array {
            true => coordinate::slice(self.params.float(p, lane), d.depth),
            false => 0,
        };
        let mut pixel = Pixel {
            at,
            slice: 0,
            face: 0,
            offsets: self.offsets(lane),
        };
        match d.kind {
            Kind::D1 => pixel.slice = index(Parameter::V),
            Kind::D2 if d.array => pixel.slice = coordinate::slice(at[2] as f32, d.depth),
            Kind::D2 => {}
            Kind::Cube => {
                let on = if self.has_gradients() {
                    // u and v lie on the face already, −1 to 1; r is its number.
                    cube::OnFace {
                        face: coordinate::slice(at[2] as f32, 6),
                        u: (at[0] + 1.0) / 2.0,
                        v: (at[1] + 1.0) / 2.0,
                    }
                } else {
                    cube::place(at)
                };
                pixel.at = [on.u, on.v, 0.0];
                pixel.face = on.face;
                pixel.slice = 6 * index(Parameter::Ai) + on.face;
            }
            _ => {}
        }
        pixel
    }

    /// Texel offsets: those of the message, and the lane's own, of which six bits count (as the graphics
    /// interface that has them defines; a model choice).
    pub(super) fn offsets(&self, lane: usize) -> [i64; 3] {
        let own = |p: Parameter| {
            let bits = self.params.lanes(p).map_or(0, |lanes| lanes[lane]);
            i64::from((bits << 26).cast_signed() >> 26)
        };
        let [u, v, r] = self.request.offsets.map(i64::from);
        let packed = self.packed.and_then(|(p, lanes)| {
            let packing = Packing::of(p).filter(|packing| packing.width > 0)?;
            Some(packing.offsets(lanes[lane]))
        });
        let [pu, pv, pr] = packed.unwrap_or([0; 3]);
        [
            u + own(Parameter::OffU) + pu,
            v + own(Parameter::OffV) + pv,
            r + pr,
        ]
    }

    /// The float beside what is packed.
    fn packed_float(&self, lane: usize) -> f32 {
        let bits = self.packed.map_or(0, |(_, lanes)| lanes[lane]);
        f32::from_bits(bits & !Packing::INDEX)
    }

    /// The least level of detail that the message asks for.
    fn least(&self, lane: usize) -> Option<i32> {
        use SamplerOp::*;
        match self.request.op {
            // Only a 2D array has an index in the low bits; else all are the level's.
            SampleDCMlod if self.d.array && self.d.kind == Kind::D2 => {
                Some(lod::fixed(self.packed_float(lane)))
            }
            SampleDCMlod => Some(lod::fixed(self.params.float(Parameter::MlodR, lane))),
            SampleMlod | SampleCMlod | SamplePoC | SamplePoD => {
                self.params.lanes(Parameter::Mlod)?;
                Some(lod::fixed(self.params.float(Parameter::Mlod, lane)))
            }
            _ => None,
        }
    }

    /// The level of detail with its biases, before any clamp, and the footprint of the anisotropic
    /// filter if there are gradients and a filter that requires it.
    pub(super) fn lod(&self, lane: usize, pixel: &Pixel) -> (i32, Option<lod::Anisotropy>) {
        use SamplerOp::*;
        let bias = self.state.lod_bias;
        match self.request.op {
            SampleL | SampleLC | Gather4L | Gather4LC => {
                let level = lod::fixed(self.params.float(Parameter::Lod, lane));
                return (bias + level, None);
            }
            SamplePoL | SamplePoLC | Gather4PoL | Gather4PoLC => {
                return (bias + lod::fixed(self.packed_float(lane)), None);
            }
            SampleLz | SampleCLz | SamplePoLz | SamplePoCLz | Gather4 | Gather4C | Gather4Po
            | Gather4PoC => return (bias, None),
            // Two samples in one register have no neighbours: surface reference 4.6.
            _ if self.request.lanes == 2 && !self.has_gradients() => return (bias, None),
            _ => {}
        }
        let [dx, dy] = self.gradients(lane, pixel);
        let state = self.state;
        let wants = state.min == Filter::Anisotropic || state.mag == Filter::Anisotropic;
        let anisotropy = (wants && self.filters && self.d.kind != Kind::D3)
            .then(|| lod::Anisotropy::new(dx, dy, state.max_anisotropy));
        let computed = match &anisotropy {
            Some(anisotropy) => anisotropy.lod,
            None => lod::from_gradients(dx, dy),
        };
        let own = match self.request.op {
            SampleB | SampleBC | Gather4B => lod::bias(self.params.float(Parameter::Bias, lane)),
            SamplePoB | SamplePoBC | Gather4PoB => lod::bias(self.packed_float(lane)),
            _ => 0,
        };
        let level = computed + bias + own;
        (
            self.least(lane).map_or(level, |least| level.max(least)),
            anisotropy,
        )
    }

    /// Change of position to the right neighbour and to the one below, in texels of the most detailed
    /// level. All pixels of a group of 2×2 share it.
    fn gradients(&self, lane: usize, pixel: &Pixel) -> [[f64; 3]; 2] {
        let size = self.size(self.d.min_lod).map(f64::from);
        let scale = if self.state.unnormalized {
            [1.0; 3]
        } else {
            size
        };
        let axes = self.axes();
        let scaled = |d: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|axis| {
                if axis < axes {
                    d[axis] * scale[axis]
                } else {
                    0.0
                }
            })
        };
        let cube = self.d.kind == Kind::Cube;
        if self.has_gradients() {
            use Parameter::*;
            let sent = [[Dudx, Dvdx, Drdx], [Dudy, Dvdy, Drdy]]
                .map(|row| row.map(|p| f64::from(self.params.float(p, lane))));
            // Places on a face run from −1 to 1: half the scale.
            let half = if cube { 0.5 } else { 1.0 };
            return sent.map(|d| scaled(d).map(|v| v * half));
        }
        let first = lane & !3;
        let own = self.direction(first);
        let change = [1, 2].map(|n| {
            let other = self.direction(first + n);
            std::array::from_fn(|axis| other[axis] - own[axis])
        });
        if !cube {
            return change.map(scaled);
        }
        let face = cube::face(own).unwrap_or(pixel.face);
        let (s, t, major) = cube::components(face, own);
        change.map(|d| {
            let (ds, dt, dm) = cube::components(face, d);
            let along = |dc: f64, c: f64| 0.5 * size[0] * (dc * major - c * dm) / (major * major);
            [along(ds, s), along(dt, t), 0.0]
        })
    }
}
