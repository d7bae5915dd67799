//! Results of float instructions, by kind: doubles, arithmetic, several products in one, math.
//!
//! Halves and singles are computed as doubles that round once more without harm: where a double is not exact,
//! its last bit says so.

use super::{Bits, HALF_MIN, floats, flush_below, from_floats};
use crate::exec::compute::alu;
use crate::exec::compute::exact::Exact;
use crate::exec::compute::float;
use crate::exec::state::float_mode::Rounding;
use crate::exec::state::lanes::MAX_LANES;
use crate::exec::state::thread::Thread;
use crate::isa::{Family, Opcode, Type};
use crate::math::{self, unit};
use crate::message;
use crate::program::Alu;

/// A value for each lane.
type Values = [f64; MAX_LANES];

/// An instruction with its first two sources read.
struct Work<'a> {
    thread: &'a Thread<'a>,
    op: &'a Alu,
    count: usize,
    a: Values,
    b: Values,
}

/// Bits of the destination type, one for each lane.
pub(super) fn float_results(thread: &Thread<'_>, op: &Alu, count: usize) -> Bits {
    let source = |k| read(thread, op, k, count);
    let work = Work {
        thread,
        op,
        count,
        a: source(0),
        b: source(1),
    };
    let mut out = work
        .double()
        .or_else(|| work.arithmetic())
        .or_else(|| work.combined())
        .unwrap_or_else(|| work.math());
    // Choosing changes no bits.
    let computes = !matches!(op.opcode, Opcode::Min | Opcode::Max);
    if computes {
        work.name_nans(&mut out);
    }
    from_floats(&out, op.dst.ty, op.saturate, thread.mode, computes, count)
}

/// Source `k`; zeros where the instruction has none.
fn read(thread: &Thread<'_>, op: &Alu, k: usize, count: usize) -> Values {
    let Some(source) = op.src.get(k) else {
        return [0.0; MAX_LANES];
    };
    let mut values = floats(thread, source, count, true);
    let math = op.opcode.info().family == Family::Math;
    if math && source.ty == Type::Hf && !thread.mode.keep_half {
        // Math functions flush half denormals: vISA text reference 6.5.
        for v in &mut values[..count] {
            *v = flush_below(*v, HALF_MIN);
        }
    }
    values
}

impl Work<'_> {
    fn source(&self, k: usize) -> Values {
        read(self.thread, self.op, k, self.count)
    }

    /// A function of the first two sources, lane by lane.
    fn each(&self, f: impl Fn(f64, f64) -> f64) -> Values {
        let mut out = [0.0; MAX_LANES];
        let sources = self.a.iter().zip(&self.b);
        for (out, (a, b)) in out[..self.count].iter_mut().zip(sources) {
            *out = f(*a, *b);
        }
        out
    }

    /// A function of the first three sources.
    fn each3(&self, f: impl Fn(f64, f64, f64) -> f64) -> Values {
        let c = self.source(2);
        let mut out = [0.0; MAX_LANES];
        let sources = self.a.iter().zip(&self.b).zip(&c);
        for (out, ((a, b), c)) in out[..self.count].iter_mut().zip(sources) {
            *out = f(*a, *b, *c);
        }
        out
    }

    /// What doubles have of their own: each result is rounded here, in the mode at hand. The direct
    /// functions are those of IEEE, whatever the name.
    fn double(&self) -> Option<Values> {
        if self.op.dst.ty != Type::Df {
            return None;
        }
        let rounding = self.thread.mode.rounding;
        // Hosts round to nearest themselves.
        let sum = |a, b, c, nearest: f64| match rounding {
            Rounding::Nearest => nearest,
            _ => Exact::new(a, b, c).map_or(nearest, |sum| sum.rounded(rounding)),
        };
        let rounded = |(nearest, error)| float::direct_double(nearest, error, rounding);
        Some(match self.op.opcode {
            Opcode::Add => self.each(|a, b| sum(a, 1.0, b, a + b)),
            Opcode::Mul => self.each(|a, b| sum(a, b, 0.0f64.copysign(a * b), a * b)),
            Opcode::Mad => self.each3(|a, b, c| sum(a, b, c, a.mul_add(b, c))),
            Opcode::Inv | Opcode::Invm => self.each(|a, _| rounded(quotient(1.0, a))),
            Opcode::Div | Opcode::Divm => self.each(|a, b| rounded(quotient(a, b))),
            Opcode::Sqrt | Opcode::Sqrtm => self.each(|a, _| {
                let root = a.sqrt();
                rounded((root, short_of(-root, root, a)))
            }),
            _ => return None,
        })
    }

    /// A sum that is rounded to odd. One of opposites is negative where rounding goes down.
    fn sum(&self, a: f64, b: f64) -> f64 {
        let sum = float::add_odd(a, b);
        let down = self.thread.mode.rounding == Rounding::Down;
        if down && sum == 0.0 && (a.is_sign_negative() || b.is_sign_negative()) {
            return -0.0;
        }
        sum
    }

    /// Sums, products, choices, whole numbers. Source: vISA text reference 5.2.
    fn arithmetic(&self) -> Option<Values> {
        Some(match self.op.opcode {
            Opcode::Add => self.each(|a, b| self.sum(a, b)),
            Opcode::Mul => self.each(|a, b| a * b),
            // The product of two singles is exact.
            Opcode::Mad => self.each3(|a, b, c| self.sum(a * b, c)),
            Opcode::Min => self.each(alu::min_float),
            Opcode::Max => self.each(alu::max_float),
            Opcode::Frc => self.each(|a, _| alu::fraction(a)),
            Opcode::Rndd => self.each(|a, _| a.floor()),
            Opcode::Rndu => self.each(|a, _| a.ceil()),
            Opcode::Rnde => self.each(|a, _| a.round_ties_even()),
            Opcode::Rndz => self.each(|a, _| a.trunc()),
            _ => return None,
        })
    }

    /// Several products in one: interpolation, lines and planes, dot products. Source: the same.
    fn combined(&self) -> Option<Values> {
        let (a, b) = (&self.a, &self.b);
        let mut out = [0.0; MAX_LANES];
        match self.op.opcode {
            Opcode::Lrp => return Some(self.each3(alu::interpolate)),
            // p, q, u: lowering has taken source 0 apart.
            Opcode::Line => return Some(self.each3(|p, q, u| self.sum(p * u, q))),
            Opcode::Plane => {
                // p, q, r, u, v: p·u + q·v + r.
                let (r, u, v) = (self.source(2), self.source(3), self.source(4));
                for i in 0..self.count {
                    out[i] = self.sum(self.sum(a[i] * u[i], b[i] * v[i]), r[i]);
                }
            }
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph => {
                for group in (0..self.count).step_by(4) {
                    let product = |k: usize| match (self.op.opcode, k) {
                        (Opcode::Dph, 3) => b[group + 3],
                        _ => a[group + k] * b[group + k],
                    };
                    let terms = match self.op.opcode {
                        Opcode::Dp2 => 2,
                        Opcode::Dp3 => 3,
                        _ => 4,
                    };
                    let sum = (1..terms).fold(product(0), |sum, k| self.sum(sum, product(k)));
                    out[group..group + 4].fill(sum);
                }
            }
            _ => return None,
        }
        Some(out)
    }

    /// Math functions of singles and halves. Source: vISA text reference 5.4.
    fn math(&self) -> Values {
        let mode = self.thread.mode;
        match self.op.opcode {
            // Source 0 times the reciprocal, which is rounded by itself: vISA text reference 6.5.
            Opcode::Div => {
                self.each(|a, b| a * f64::from(float::finish_single(math::inv(b), mode)))
            }
            Opcode::Divm => self.each(math::div),
            Opcode::Invm => self.each(|a, _| math::inv(a)),
            Opcode::Sqrtm => self.each(|a, _| math::sqrt(a)),
            Opcode::Rsqtm => self.each(|a, _| math::rsqrt(a)),
            Opcode::Tanh => self.each(|a, _| math::tanh(a)),
            Opcode::Sigm => self.each(|a, _| math::sigm(a)),
            opcode => {
                let Some(function) = message::math::function(opcode) else {
                    unreachable!("lowering lets no float `{opcode}` through")
                };
                // ALT mode is one of singles: vISA text reference 6.9.
                let alt = mode.alt && self.op.dst.ty == Type::F;
                self.each(|a, b| unit::value(function, alt, a, b))
            }
        }
    }

    /// Gives each NaN among the results the payload that the sources ask for.
    fn name_nans(&self, out: &mut Values) {
        let results = out[..self.count].iter_mut().enumerate();
        for (i, out) in results.filter(|(_, v)| v.is_nan()) {
            let sources: [f64; 3] = std::array::from_fn(|k| match k {
                0 => self.a[i],
                1 if self.op.src.len() > 1 => self.b[i],
                2 if self.op.src.len() > 2 => self.source(2)[i],
                _ => 0.0,
            });
            *out = float::nan_of(&sources);
        }
    }
}

/// A quotient of doubles and what it is short of, as a sign.
fn quotient(a: f64, b: f64) -> (f64, f64) {
    let nearest = a / b;
    if nearest.is_infinite() && a.is_finite() && b != 0.0 {
        return (nearest, -nearest);
    }
    let rest = short_of(-nearest, b, a);
    (nearest, if b.is_sign_negative() { -rest } else { rest })
}

/// The sign of `a · b + c`; 0 where one of them is not finite.
fn short_of(a: f64, b: f64, c: f64) -> f64 {
    Exact::new(a, b, c).map_or(0.0, |rest| rest.sign())
}
