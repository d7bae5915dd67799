//! The parameters of a message, found by what they mean.

use super::Lanes;
use crate::message::parameters::Packing;
use crate::message::{Parameter, SamplerRequest, parameters};
use crate::surface::float::half_to_f32;

/// Lanes of parameters in the order of a message, with what was left out reading 0.
#[derive(Clone, Copy)]
pub struct Params<'p> {
    params: &'p [Lanes],
    order: &'static [Parameter],
    narrow: bool,
}

impl<'p> Params<'p> {
    /// Names the parameters of a message: `request.params` of them, in vISA's order.
    pub fn new(request: &SamplerRequest, params: &'p [Lanes]) -> Params<'p> {
        let count = params.len().min(request.params as usize);
        Params {
            params: &params[..count],
            order: parameters::order(request.op, request.params16),
            narrow: request.params16,
        }
    }

    /// Whether the message's parameters are 16-bit.
    pub const fn is_narrow(&self) -> bool {
        self.narrow
    }

    /// The lanes of a parameter as they were sent.
    pub fn lanes(&self, parameter: Parameter) -> Option<&'p Lanes> {
        let at = self.order.iter().position(|p| *p == parameter)?;
        self.params.get(at)
    }

    /// The packed parameter, if the message has one.
    pub fn packed(&self) -> Option<(Parameter, &'p Lanes)> {
        let mut sent = self.order.iter().zip(self.params);
        sent.find(|(p, _)| Packing::of(**p).is_some())
            .map(|(p, lanes)| (*p, lanes))
    }

    /// A parameter as the number it is sent as: f, or hf.
    pub fn float(&self, parameter: Parameter, lane: usize) -> f32 {
        match self.lanes(parameter) {
            Some(lanes) if self.narrow => f32::from_bits(half_to_f32(lanes[lane] as u16)),
            Some(lanes) => f32::from_bits(lanes[lane]),
            None => 0.0,
        }
    }

    /// An integer parameter: 32-bit ones are signed (PRM 4.11.1), 16-bit ones unsigned.
    pub fn integer(&self, parameter: Parameter, lane: usize) -> i64 {
        match self.lanes(parameter) {
            Some(lanes) if self.narrow => i64::from(lanes[lane] & 0xffff),
            Some(lanes) => i64::from(lanes[lane].cast_signed()),
            None => 0,
        }
    }
}
