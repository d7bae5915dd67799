//! What one lane of a sample asks: coordinates, slice, level of detail.

use super::super::settings::Filter;
use super::{Sampling, Watch, coordinate, cube, lod};
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

impl<W: Watch> Sampling<'_, W> {
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
        [Parameter::U, Parameter::V, Parameter::R].map(|p| f64::from(self.given.float(p, lane)))
    }

    /// Whether the message brings its own gradients.
    fn has_gradients(&self) -> bool {
        matches!(self.request.op, SamplerOp::SampleD | SamplerOp::SampleDC)
    }

    pub(super) fn pixel(&self, lane: usize) -> Pixel {
        let d = self.d;
        let at = self.direction(lane);
        let index = |p: Parameter| match d.array {
            true => coordinate::slice(self.given.float(p, lane), d.depth),
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
            Kind::D2 => pixel.slice = index(Parameter::R),
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
            let bits = self.given.lanes(p).map_or(0, |lanes| lanes[lane]);
            i64::from((bits << 26).cast_signed() >> 26)
        };
        let [u, v, r] = self.request.offsets.map(i64::from);
        let [pu, pv, pr] = self.packed(lane).map_or([0; 3], |bits| {
            [8, 4, 0].map(|low| i64::from((bits << (28 - low)).cast_signed() >> 28))
        });
        [
            u + own(Parameter::OffU) + pu,
            v + own(Parameter::OffV) + pv,
            r + pr,
        ]
    }

    /// The parameter of `sample_po…` that holds texel offsets in its low twelve bits, U 11:8, V 7:4, R 3:0:
    /// the layout of the message header. That the remaining bits are the float it is packed with is a model
    /// choice; the pages name the pair and no bits.
    fn packed(&self, lane: usize) -> Option<u32> {
        use Parameter::*;
        let lanes = [OffUvr, BiasOff, LodOff, LodOffUv];
        let mut lanes = lanes.into_iter().filter_map(|p| self.given.lanes(p));
        lanes.next().map(|lanes| lanes[lane])
    }

    /// The float beside packed offsets.
    fn packed_float(&self, lane: usize) -> f32 {
        f32::from_bits(self.packed(lane).unwrap_or(0) & !0xfff)
    }

    /// The level of detail with its biases, before any clamp, and the footprint of the anisotropic
    /// filter if there are gradients and a filter that wants it.
    pub(super) fn lod(&self, lane: usize, pixel: &Pixel) -> (i32, Option<lod::Anisotropy>) {
        use SamplerOp::*;
        let bias = self.state.lod_bias;
        match self.request.op {
            SampleL | SampleLC | Gather4L | Gather4LC => {
                let level = lod::fixed(self.given.float(Parameter::Lod, lane));
                return (bias + level, None);
            }
            SamplePoL | SamplePoLC => return (bias + lod::fixed(self.packed_float(lane)), None),
            SampleLz | SampleCLz | Gather4 | Gather4C | Gather4Po | Gather4PoC => {
                return (bias, None);
            }
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
            SampleB | SampleBC | Gather4B => lod::bias(self.given.float(Parameter::Bias, lane)),
            SamplePoB => lod::bias(self.packed_float(lane)),
            _ => 0,
        };
        (computed + bias + own, anisotropy)
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
                .map(|row| row.map(|p| f64::from(self.given.float(p, lane))));
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
