//! The texels around a position, and their weighted sum.
//!
//! ```text
//!        i0        i1                    weight of (i1, j0): beta_u · (256 − beta_v)
//!   j0   ┌────┬────┐
//!        │    │    │   •  position, half a texel less than the pixel's
//!   j1   ├───•┼────┤
//!        │    │    │
//!        └────┴────┘
//! ```
//!
//! Source: surface reference 4.5, 4.7, 4.8, 4.10, 4.11.

use super::super::coordinate::Axis;
use super::super::settings::{Address, Filter, KeyMode, Reduction};
use super::super::texels::select;
use super::pixel::Pixel;
use super::{Sampling, Taken, TexelObserver, border, cube, key, lod, shadow};
use crate::message::Parameter;
use crate::surface::Kind;
use crate::surface::format::{Kind as Numbers, Returns};
use crate::surface::texel::Rgba;

/// How a level is read.
pub(super) struct Reads {
    pub filter: Filter,
    pub round: [bool; 3],
    pub anisotropy: Option<lod::Anisotropy>,
}

/// The sum of texels so far.
pub(super) struct Sum {
    total: [f64; 4],
    reduction: Reduction,
}

impl Sum {
    fn add(&mut self, value: [f64; 4], weight: f64) {
        for (total, v) in self.total.iter_mut().zip(value) {
            *total = match self.reduction {
                Reduction::Standard => *total + v * weight,
                Reduction::Minimum => total.min(v),
                Reduction::Maximum => total.max(v),
            };
        }
    }

    /// The one rounding of a sample.
    pub(super) fn rounded(&self) -> Rgba {
        self.total.map(rounded)
    }
}

/// f64 to f32 once; a NaN is the quiet one on every host.
pub(super) fn rounded(v: f64) -> u32 {
    if v.is_nan() {
        return crate::surface::float::NAN;
    }
    (v as f32).to_bits()
}

/// A position on a level: index of the first texel and weight of the second one, along each axis.
#[derive(Clone, Copy)]
struct Position {
    axes: [Axis; 3],
    first: [i64; 3],
    beta: [i64; 3],
}

impl<W: TexelObserver> Sampling<'_, W> {
    pub(super) fn sum(&self) -> Sum {
        let reduction = self.state.reduction;
        let start = match reduction {
            Reduction::Standard => 0.0,
            Reduction::Minimum => f64::INFINITY,
            Reduction::Maximum => f64::NEG_INFINITY,
        };
        Sum {
            total: [start; 4],
            reduction,
        }
    }

    /// The pixel's position on a level, `shift` texels of the most detailed level away.
    fn position(
        &self,
        pixel: &Pixel,
        level: u32,
        shift: [f64; 2],
        round: [bool; 3],
        linear: bool,
    ) -> Position {
        let size = self.size(level);
        let whole = self.size(self.d.min_lod);
        let axes: [Axis; 3] = std::array::from_fn(|axis| Axis {
            size: size[axis],
            mode: match self.d.kind {
                // Modes other than CUBE stay on the face (model choice, surface reference 4.4).
                Kind::Cube => Address::Clamp,
                _ => self.state.address[axis],
            },
            round: round[axis],
            unnormalized: self.state.unnormalized,
        });
        let (mut first, mut beta) = ([0; 3], [0; 3]);
        for axis in 0..self.axes() {
            let moved = shift
                .get(axis)
                .map_or(0.0, |texels| match self.state.unnormalized {
                    true => *texels,
                    false => texels / f64::from(whole[axis]),
                });
            let q = i64::from(axes[axis].position(pixel.at[axis] + moved, linear));
            first[axis] = (q >> 8) + pixel.offsets[axis];
            beta[axis] = q & 255;
            // One texel never leaves its face, be faces joined or not: surface reference 4.2.
            if !linear && self.d.kind == Kind::Cube {
                first[axis] = first[axis].clamp(0, i64::from(axes[axis].size) - 1);
            }
        }
        Position { axes, first, beta }
    }

    /// The texel a pixel lies in, unchanged.
    pub(super) fn nearest(&mut self, pixel: &Pixel, level: u32, round: [bool; 3]) -> Rgba {
        let at = self.position(pixel, level, [0.0; 2], round, false);
        self.texel(pixel, level, &at, [0; 3], 1.0)
    }

    /// Adds what one level gives.
    pub(super) fn level(
        &mut self,
        pixel: &Pixel,
        level: u32,
        reads: &Reads,
        weight: f64,
        sum: &mut Sum,
    ) {
        match (reads.filter, &reads.anisotropy) {
            (Filter::Mono, _) => self.mono(pixel, level, weight, sum),
            (Filter::Nearest, _) => {
                let at = self.position(pixel, level, [0.0; 2], reads.round, false);
                let rgba = self.texel(pixel, level, &at, [0; 3], weight);
                sum.add(self.numbers(rgba), weight);
            }
            (_, None) => self.linear(pixel, level, [0.0; 2], reads.round, weight, sum),
            (_, Some(anisotropy)) => {
                for i in 0..anisotropy.taps {
                    let (shift, part) = anisotropy.tap(i);
                    self.linear(pixel, level, shift, reads.round, weight * part, sum);
                }
            }
        }
    }

    /// Two, four or eight texels by distance; those of weight 0 take no part.
    fn linear(
        &mut self,
        pixel: &Pixel,
        level: u32,
        shift: [f64; 2],
        round: [bool; 3],
        weight: f64,
        sum: &mut Sum,
    ) {
        let at = self.position(pixel, level, shift, round, true);
        let axes = self.axes();
        let mut own = self.sum();
        let scale = 256f64.powi(axes as i32);
        for corner in 0..1u32 << axes {
            // a fastest, then b, then c.
            let step: [i64; 3] = std::array::from_fn(|axis| i64::from(corner >> axis & 1));
            let parts = (0..axes).map(|axis| match step[axis] {
                0 => 256 - at.beta[axis],
                _ => at.beta[axis],
            });
            let part: i64 = parts.product();
            if part == 0 {
                continue;
            }
            let part = part as f64;
            let value = self.footprint_texel(pixel, level, &at, step, weight * part / scale);
            own.add(value, part);
        }
        match own.reduction {
            Reduction::Standard => sum.add(own.total.map(|v| v / scale), weight),
            _ => sum.add(own.total, weight),
        }
    }

    /// A texel of a linear footprint as numbers, a cube's missing corner made up.
    fn footprint_texel(
        &mut self,
        pixel: &Pixel,
        level: u32,
        at: &Position,
        step: [i64; 3],
        weight: f64,
    ) -> [f64; 4] {
        if !self.is_corner(at, step) {
            let rgba = self.texel(pixel, level, at, step, weight);
            return self.numbers(rgba);
        }
        let [a, b, _] = step;
        let other = |a: i64, b: i64| [a, b, 0];
        if !self.average {
            // CUBE_REPLICATE: the opposite texel of the four.
            let rgba = self.texel(pixel, level, at, other(1 - a, 1 - b), weight);
            return self.numbers(rgba);
        }
        let mut mean = [0.0; 4];
        for step in [other(1 - a, b), other(a, 1 - b), other(1 - a, 1 - b)] {
            let rgba = self.texel(pixel, level, at, step, weight / 3.0);
            let value = self.numbers(rgba);
            for (mean, v) in mean.iter_mut().zip(value) {
                *mean += v;
            }
        }
        mean.map(|v| v / 3.0)
    }

    /// Whether a footprint lies around the corner of a joined cube's face and this is the texel that no
    /// face has: outside both ways, the opposite one inside.
    fn is_corner(&self, at: &Position, step: [i64; 3]) -> bool {
        let inside = |axis: usize, step: i64| {
            (0..i64::from(at.axes[axis].size)).contains(&(at.first[axis] + step))
        };
        let crosses = |axis: usize| !inside(axis, step[axis]) && inside(axis, 1 - step[axis]);
        self.joined && crosses(0) && crosses(1)
    }

    fn numbers(&self, rgba: Rgba) -> [f64; 4] {
        rgba.map(|bits| match self.surface.format().returns {
            Returns::AsFloat => f64::from(f32::from_bits(bits)),
            Returns::AsSint => f64::from(bits.cast_signed()),
            _ => f64::from(bits),
        })
    }

    /// One texel after address control, chroma key and shadow compare.
    fn texel(
        &mut self,
        pixel: &Pixel,
        level: u32,
        at: &Position,
        step: [i64; 3],
        weight: f64,
    ) -> Rgba {
        let place = self.place(pixel, at, step);
        let (mut rgba, mut slice) = ([0; 4], pixel.slice);
        if place.is_none() {
            rgba = border::colour(&self.state.border, self.surface.format());
        }
        if let Some((x, y, s)) = place {
            slice = s;
            // Every level and slice here exists, and the format has been checked.
            rgba = self
                .surface
                .load_texel(level, s, x, y, 0)
                .unwrap_or_default();
            if let Some(key) = &self.key
                && key::matches(key, self.surface, level, s, x, y)
            {
                match key.mode {
                    KeyMode::Kill => self.killed = true,
                    KeyMode::Black => rgba = [0; 4],
                }
            }
        }
        if self.request.op.compares() {
            let format = self.surface.format();
            let reference = self.params.float(Parameter::Ref, self.lane);
            let reference = match self.d.generation.free_shadow_reference {
                true => reference,
                false => shadow::reference(format, reference),
            };
            rgba = shadow::compare(self.state.shadow, format, rgba, reference);
        }
        rgba = self.selected(rgba);
        if W::ACTIVE {
            let taken = Taken {
                level,
                slice,
                at: place.map(|(x, y, _)| (x, y)),
                outside: self.outside(at, step),
                sample: 0,
                weight,
                rgba: self.numbers(rgba),
            };
            self.watch.texel(self.lane, taken);
        }
        rgba
    }

    /// The channels the surface state asks for.
    fn selected(&self, rgba: Rgba) -> Rgba {
        select(self.surface, rgba)
    }

    /// Where a texel lies: column, row and slice; `None` is the border.
    fn place(&self, pixel: &Pixel, at: &Position, step: [i64; 3]) -> Option<(u32, u32, u32)> {
        let t: [i64; 3] = std::array::from_fn(|axis| at.first[axis] + step[axis]);
        if self.d.kind == Kind::Cube {
            let enabled = |face: u32| self.d.sampled.cube_faces >> face & 1 == 1;
            if !enabled(pixel.face) {
                return None;
            }
            let size = at.axes[0].size;
            if !self.joined {
                let clamp = |axis: usize| at.axes[axis].index(t[axis]);
                return Some((clamp(0)?, clamp(1)?, pixel.slice));
            }
            // The corner of a footprint never comes here: `footprint_texel` has replaced it.
            let (face, x, y) = cube::across_edge(pixel.face, t[0], t[1], size);
            let slice = pixel.slice - pixel.face + face;
            return enabled(face).then_some((x, y, slice));
        }
        let index = |axis: usize| at.axes[axis].index(t[axis]);
        let x = index(0)?;
        match self.d.kind {
            Kind::D1 => Some((x, 0, pixel.slice)),
            Kind::D3 => Some((x, index(1)?, index(2)?)),
            _ => Some((x, index(1)?, pixel.slice)),
        }
    }

    /// Column, row and slice of a texel of a footprint as they are in front of address control, if they lie outside.
    /// Faces of a cube go on at each other.
    fn outside(&self, at: &Position, step: [i64; 3]) -> Option<[i64; 3]> {
        let axes = match self.d.kind {
            Kind::Cube => 0,
            Kind::D1 => 1,
            Kind::D3 => 3,
            _ => 2,
        };
        let asked: [i64; 3] = std::array::from_fn(|axis| match axis < axes {
            true => at.first[axis] + step[axis],
            false => 0,
        });
        let is_inside = |axis: usize| (0..i64::from(at.axes[axis].size)).contains(&asked[axis]);
        (!(0..axes).all(is_inside)).then_some(asked)
    }

    /// Four texels of one channel: lower left, lower right, upper right, upper left.
    pub(super) fn gather(&mut self, pixel: &Pixel, level: u32) -> Rgba {
        let channel = self.request.channels.0.trailing_zeros() as usize & 3;
        let at = self.position(pixel, level, [0.0; 2], self.state.round_mag, true);
        let lower = i64::from(self.axes() > 1);
        [[0, lower], [1, lower], [1, 0], [0, 0]].map(|[a, b]| {
            let step = [a, b, 0];
            if !self.is_corner(&at, step) {
                return self.texel(pixel, level, &at, step, 1.0)[channel];
            }
            let value = self.footprint_texel(pixel, level, &at, step, 1.0)[channel];
            match self.surface.format().returns {
                Returns::AsFloat => rounded(value),
                Returns::AsSint => (value as i32).cast_unsigned(),
                _ => value as u32,
            }
        })
    }

    /// The box filter of one-bit texels: four sums of N_u·N_v texels, by distance.
    fn mono(&mut self, pixel: &Pixel, level: u32, weight: f64, sum: &mut Sum) {
        let (nu, nv) = self.state.mono;
        let mut at = self.position(pixel, level, [0.0; 2], [true; 3], false);
        for (axis, n) in [(0, nu), (1, nv)] {
            let corner = pixel.at[axis] * f64::from(at.axes[axis].size) - f64::from(n) / 2.0;
            // A cast of NaN gives 0.
            let q = (corner * 256.0 + 0.5).floor().clamp(-1e9, 1e9) as i64;
            (at.first[axis], at.beta[axis]) = ((q >> 8) + pixel.offsets[axis], q & 255);
        }
        let (nu, nv) = (i64::from(nu), i64::from(nv));
        let scale = f64::from(65536u32) * (nu * nv) as f64;
        // How much of column i counts: the whole of it inside, a part at both ends.
        let part = |i: i64, n: i64, beta: i64| match i {
            0 => 256 - beta,
            i if i == n => beta,
            _ => 256,
        };
        let mut total = 0;
        for j in 0..=nv {
            for i in 0..=nu {
                let share = part(i, nu, at.beta[0]) * part(j, nv, at.beta[1]);
                if share == 0 {
                    continue;
                }
                let rgba = self.texel(pixel, level, &at, [i, j, 0], weight * share as f64 / scale);
                // One bit: 0.0 or 1.0.
                if self.numbers(rgba)[0] != 0.0 {
                    total += share;
                }
            }
        }
        debug_assert!(self.surface.format().kind == Numbers::Mono);
        sum.add([total as f64 / scale; 4], weight);
    }
}
