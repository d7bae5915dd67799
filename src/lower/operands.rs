//! Operands become byte offsets: the one place that adds rows, columns and strides.

use super::layout::{Extent, Layout};
use crate::check::{Storage, Unit, VarId};
use crate::isa::{Exec, Platform, Type};
use crate::program::{Dest, Group, Guard, Indirect, Lanes, Raw, Region, Source};
use crate::syntax::ast::{self, Immediate, Operand, PredicateGroup};
use std::ops::Range;

/// What lowering knows of the unit at hand.
pub struct Scope<'a> {
    /// The checked body.
    pub unit: &'a Unit,
    /// Parallel to its variables.
    pub places: &'a [Extent],
    /// The arena, for constants.
    pub layout: &'a mut Layout,
    /// The platform it is lowered for.
    pub platform: Platform,
    /// Bytes of a register.
    pub grf: u32,
}

/// Id of `%null` in every unit.
pub const NULL: VarId = VarId(0);

/// `%scratchloc`: built-in variables are in the order of their ids.
const SCRATCH_HANDLE: VarId = VarId(21);

/// The lanes of an execution part; a single unmasked lane if there is none.
pub fn lanes(exec: Option<&Exec>) -> Lanes {
    exec.map_or(SCALAR, |e| Lanes {
        count: e.size.clamp(1, 32) as u8,
        offset: e.offset,
        no_mask: e.no_mask,
    })
}

/// One lane that always runs: how the scalar operands of messages are read.
pub const SCALAR: Lanes = Lanes {
    count: 1,
    offset: 0,
    no_mask: true,
};

/// Element offsets of a region, lane by lane. Source: vISA text reference 4.4.
fn element(region: ast::Region, lane: u32) -> u64 {
    let lane = u64::from(lane);
    match region {
        ast::Region::Destination { stride } => lane * u64::from(stride),
        ast::Region::Source {
            vertical,
            width,
            horizontal,
        } => {
            let width = u64::from(width.max(1));
            lane / width * u64::from(vertical) + lane % width * u64::from(horizontal)
        }
        ast::Region::MultiAddress { width, horizontal } => {
            lane % u64::from(width.max(1)) * u64::from(horizontal)
        }
    }
}

/// The plainest form of a list of byte offsets.
fn classify(offsets: Vec<u32>, size: u32, destination: bool) -> Region {
    let first = offsets[0];
    if offsets.len() == 1 {
        return if destination {
            Region::Dense(first)
        } else {
            Region::Scalar(first)
        };
    }
    if offsets[1] < first {
        return Region::List(offsets.into());
    }
    let stride = offsets[1] - first;
    let even = offsets
        .iter()
        .enumerate()
        .all(|(i, &o)| u64::from(o) == u64::from(first) + i as u64 * u64::from(stride));
    match stride {
        _ if !even => Region::List(offsets.into()),
        0 if !destination => Region::Scalar(first),
        s if s == size => Region::Dense(first),
        stride => Region::Strided {
            offset: first,
            stride,
        },
    }
}

impl Scope<'_> {
    fn place(&self, var: VarId) -> Extent {
        self.places[var.0 as usize]
    }

    fn element_type(&self, var: VarId) -> Type {
        match self.unit.variable(var).storage {
            Storage::General { ty, .. } => ty,
            Storage::Address { .. } => Type::Uw,
            _ => Type::Ud,
        }
    }

    /// Byte offsets of lanes whose first element is `first`; those outside the variable become
    /// `outside`. Source: vISA text reference 4.4, "Reaching past the variable's end".
    fn region(
        &self,
        place: Extent,
        first: u64,
        size: u32,
        region: ast::Region,
        lanes: Lanes,
        destination: bool,
    ) -> Region {
        let outside = if destination {
            self.layout.sink
        } else {
            self.layout.zero
        };
        let offsets = (0..u32::from(lanes.count))
            .map(|lane| {
                let byte = u64::from(place.offset)
                    + (first + element(region, lane)).saturating_mul(u64::from(size));
                if byte + u64::from(size) <= u64::from(place.end) {
                    byte as u32
                } else {
                    outside
                }
            })
            .collect();
        classify(offsets, size, destination)
    }

    fn general(&self, g: &ast::General<VarId>, lanes: Lanes, destination: bool) -> (Region, Type) {
        let ty = self.element_type(g.var.node);
        if g.var.node == NULL {
            let region = if destination {
                Region::Strided {
                    offset: self.layout.sink,
                    stride: 0,
                }
            } else {
                Region::Scalar(self.layout.zero)
            };
            return (region, ty);
        }
        let size = ty.bytes();
        let first = u64::from(g.row) * u64::from(self.grf / size) + u64::from(g.column);
        let place = self.place(g.var.node);
        (
            self.region(place, first, size, g.region.node, lanes, destination),
            ty,
        )
    }

    fn indirect(&self, i: &ast::Indirect<VarId>, lanes: Lanes) -> Region {
        let place = self.place(i.address.node);
        let size = i.ty.bytes();
        let lanes = 0..u32::from(lanes.count);
        let address = lanes
            .clone()
            .map(|lane| {
                let row = match i.region.node {
                    ast::Region::MultiAddress { width, .. } => lane / width.max(1),
                    _ => 0,
                };
                let at = u64::from(place.offset) + 2 * (u64::from(i.element) + u64::from(row));
                // An address element outside the variable reads as 0, as any element does.
                if at + 2 <= u64::from(place.end) {
                    at as u32
                } else {
                    self.layout.zero
                }
            })
            .collect();
        let displacement = lanes
            .map(|lane| {
                let step = element(i.region.node, lane).saturating_mul(u64::from(size));
                i.offset
                    .saturating_add(i32::try_from(step).unwrap_or(i32::MAX))
            })
            .collect();
        Region::Indirect(Box::new(Indirect {
            address,
            displacement,
        }))
    }

    /// An immediate, spread over lanes where it is a vector. Source: vISA text reference 1.4.
    fn immediate(&mut self, imm: Immediate) -> (Region, Type) {
        let bits = imm.value_bits();
        let lanes = |element: &dyn Fn(usize) -> Vec<u8>| (0..32).flat_map(element).collect();
        let bytes: Vec<u8> = match imm.ty {
            Type::V => lanes(&|i| {
                let nibble = (bits >> (4 * (i % 8)) & 0xf) as i16;
                let value = if nibble >= 8 { nibble - 16 } else { nibble };
                value.to_le_bytes().to_vec()
            }),
            Type::Uv => lanes(&|i| {
                ((bits >> (4 * (i % 8)) & 0xf) as u16)
                    .to_le_bytes()
                    .to_vec()
            }),
            Type::Vf => lanes(&|i| {
                restricted_float((bits >> (8 * (i % 4))) as u8)
                    .to_le_bytes()
                    .to_vec()
            }),
            ty => bits.to_le_bytes()[..ty.bytes() as usize].to_vec(),
        };
        let offset = self.layout.constant(bytes);
        let region = match imm.ty {
            Type::V | Type::Uv | Type::Vf => Region::Dense(offset),
            _ => Region::Scalar(offset),
        };
        (region, imm.ty.element())
    }

    /// Where a constant dword lies.
    pub fn dword(&mut self, value: u32) -> u32 {
        self.layout.constant(value.to_le_bytes().to_vec())
    }

    /// A source operand read by `lanes`; `None` for an operand that has no value.
    pub fn source(&mut self, operand: &Operand<VarId>, lanes: Lanes) -> Option<Source> {
        let ((region, ty), modifier) = match operand {
            Operand::General(g) => (self.general(g, lanes, false), g.modifier),
            Operand::Indirect(i) => ((self.indirect(i, lanes), i.ty), i.modifier),
            Operand::Immediate(imm) => (self.immediate(*imm), None),
            Operand::Address {
                var,
                element,
                stride,
            } => (
                self.index(var.node, *element, *stride, Type::Uw, lanes, false),
                None,
            ),
            Operand::State { var, element } => (
                self.index(var.node, *element, 1, Type::Ud, lanes, false),
                None,
            ),
            Operand::AddressOf { var, offset } => {
                (self.address_of(self.place(var.node), *offset), None)
            }
            Operand::Predicate(var) => (
                (Region::Scalar(self.place(var.node).offset), Type::Ud),
                None,
            ),
            _ => return None,
        };
        Some(Source {
            region,
            ty,
            modifier,
        })
    }

    /// Elements of an address or state variable from `element` on, `stride` apart.
    fn index(
        &mut self,
        var: VarId,
        element: u32,
        stride: u32,
        ty: Type,
        lanes: Lanes,
        write: bool,
    ) -> (Region, Type) {
        let region = ast::Region::Destination { stride };
        let place = self.place(var);
        let size = ty.bytes();
        let region = self.region(place, element.into(), size, region, lanes, write);
        (region, ty)
    }

    /// The address of a byte as a 16-bit constant. Source: vISA text reference 4.6.
    fn address_of(&mut self, place: Extent, offset: i64) -> (Region, Type) {
        let address = i64::from(place.offset).wrapping_add(offset) as u16;
        let at = self.layout.constant(address.to_le_bytes().to_vec());
        (Region::Scalar(at), Type::Uw)
    }

    /// Source 0 of `addr_add`: a general operand stands for its address, not for its value.
    pub fn address_base(&mut self, operand: &Operand<VarId>, lanes: Lanes) -> Option<Source> {
        let Operand::General(g) = operand else {
            return self.source(operand, lanes);
        };
        let size = self.element_type(g.var.node).bytes();
        let element = i64::from(g.row) * i64::from(self.grf / size) + i64::from(g.column);
        let (region, ty) = self.address_of(self.place(g.var.node), element * i64::from(size));
        Some(Source {
            region,
            ty,
            modifier: None,
        })
    }

    /// A destination operand written by `lanes`.
    pub fn dest(&mut self, operand: &Operand<VarId>, lanes: Lanes) -> Option<Dest> {
        let (region, ty) = match operand {
            Operand::General(g) => self.general(g, lanes, true),
            Operand::Indirect(i) => (self.indirect(i, lanes), i.ty),
            Operand::Address {
                var,
                element,
                stride,
            } => self.index(var.node, *element, *stride, Type::Uw, lanes, true),
            Operand::State { var, element } => {
                self.index(var.node, *element, 1, Type::Ud, lanes, true)
            }
            _ => return None,
        };
        Some(Dest { region, ty })
    }

    /// The registers of a raw operand; `None` for `%null`.
    pub fn raw(&self, operand: &Operand<VarId>) -> Option<Raw> {
        let (var, offset) = match operand {
            Operand::Raw(raw) => (raw.var.node, raw.offset),
            Operand::Origin { var, row, column } => {
                let size = self.element_type(var.node).bytes();
                let row = row.saturating_mul(self.grf);
                (var.node, row.saturating_add(column.saturating_mul(size)))
            }
            _ => return None,
        };
        if var == NULL {
            return None;
        }
        let place = self.place(var);
        Some(Raw {
            offset: place.offset.saturating_add(offset),
            end: place.end,
            ty: self.element_type(var),
        })
    }

    /// The registers a message fills: those of `%null` take nothing.
    pub fn filled(&self, operand: &Operand<VarId>) -> Raw {
        self.raw(operand).unwrap_or(Raw::NOWHERE)
    }

    /// The registers a message writes to memory, or fills from there.
    pub fn moved(&self, operand: &Operand<VarId>, write: bool) -> Option<Raw> {
        match write {
            true => self.raw(operand),
            false => Some(self.filled(operand)),
        }
    }

    /// The first element of a register operand, or a constant, for all lanes: parts of an LSC address.
    pub fn first_element(&mut self, operand: &Operand<VarId>) -> Option<Source> {
        let (offset, ty) = match operand {
            Operand::Number(value) => {
                (self.layout.constant(value.to_le_bytes().to_vec()), Type::Uq)
            }
            other => {
                let raw = self.raw(other)?;
                // Outside its variable an element reads as 0.
                let inside = raw.offset.saturating_add(raw.ty.bytes()) <= raw.end;
                (if inside { raw.offset } else { self.layout.zero }, raw.ty)
            }
        };
        Some(Source {
            region: Region::Scalar(offset),
            ty,
            modifier: None,
        })
    }

    /// The first element of a register as one of this type; outside its variable it reads as 0.
    pub fn first_element_as(&mut self, operand: &Operand<VarId>, ty: Type) -> Option<Source> {
        let raw = self.raw(operand)?;
        let inside = raw.offset.saturating_add(ty.bytes()) <= raw.end;
        Some(Source {
            region: Region::Scalar(if inside { raw.offset } else { self.layout.zero }),
            ty,
            modifier: None,
        })
    }

    /// A constant of 64 bits.
    pub fn constant(&mut self, value: u64) -> Source {
        Source {
            region: Region::Scalar(self.layout.constant(value.to_le_bytes().to_vec())),
            ty: Type::Uq,
            modifier: None,
        }
    }

    /// Where zeros lie.
    pub fn zero(&self) -> u32 {
        self.layout.zero
    }

    /// Whether an operand holds the handle of the thread's scratch memory.
    pub fn is_scratch(&self, operand: &Operand<VarId>) -> bool {
        let scratch = self.place(SCRATCH_HANDLE).offset;
        self.raw(operand).is_some_and(|raw| raw.offset == scratch)
    }

    /// The arena offset of a bare surface, sampler or predicate.
    pub fn slot(&self, operand: &Operand<VarId>) -> Option<u32> {
        match operand {
            Operand::Surface(var) | Operand::Sampler(var) | Operand::Predicate(var) => {
                Some(self.place(var.node).offset)
            }
            // The address of a state: its lower dword names it. Xe2 reference 3.2.
            Operand::StatePair {
                base,
                element,
                index: 0,
            } if matches!(
                self.unit.variable(base.node).storage,
                Storage::General { .. }
            ) =>
            {
                let (row, column) = element.unwrap_or_default();
                let var = *base;
                let raw = self.raw(&Operand::Origin { var, row, column })?;
                (raw.offset.saturating_add(4) <= raw.end).then_some(raw.offset)
            }
            _ => None,
        }
    }

    /// All bytes of a variable that is named whole.
    pub fn whole(&self, operand: &Operand<VarId>) -> Option<Range<u32>> {
        let Operand::Variable(var) = operand else {
            return None;
        };
        let Extent { offset, end, .. } = self.place(var.node);
        Some(offset..end)
    }

    /// The predicate in front.
    pub fn guard(&self, predicate: &ast::Predicate<VarId>) -> Guard {
        let bits = match self.unit.variable(predicate.var).storage {
            Storage::Predicate { bits } => bits.clamp(1, 32) as u8,
            _ => 32,
        };
        Guard {
            offset: self.place(predicate.var).offset,
            bits,
            inverted: predicate.inverted,
            group: match predicate.group {
                None => Group::Each,
                Some(PredicateGroup::Any) => Group::Any,
                Some(PredicateGroup::All) => Group::All,
            },
        }
    }
}

/// One 8-bit restricted float: sign(7), exponent(6–4, bias 3), mantissa(3–0).
/// Source: vISA text reference 1.4.
fn restricted_float(byte: u8) -> f32 {
    let sign = if byte & 0x80 != 0 { -1.0 } else { 1.0 };
    if byte & 0x7f == 0 {
        return 0.0 * sign;
    }
    let exponent = i32::from(byte >> 4 & 7) - 3;
    let mantissa = 1.0 + f32::from(byte & 0xf) / 16.0;
    // 2^exponent, -3..=4, built from its bits: exact.
    let scale = f32::from_bits(((127 + exponent) as u32) << 23);
    sign * scale * mantissa
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_take_their_plainest_form() {
        assert_eq!(classify(vec![8, 12, 16, 20], 4, false), Region::Dense(8));
        assert_eq!(classify(vec![8, 8, 8, 8], 4, false), Region::Scalar(8));
        let strided = Region::Strided {
            offset: 8,
            stride: 8,
        };
        assert_eq!(classify(vec![8, 16, 24, 32], 4, false), strided);
        let list = vec![0, 4, 16, 20];
        assert_eq!(classify(list.clone(), 4, false), Region::List(list.into()));
    }

    #[test]
    fn source_region_walks_rows_of_width_w() {
        // <16;8,2>: lanes 0..8 take even elements, lane 8 starts row 1 at element 16.
        let region = ast::Region::Source {
            vertical: 16,
            width: 8,
            horizontal: 2,
        };
        let elements: Vec<u64> = (0..10).map(|l| element(region, l)).collect();
        assert_eq!(elements, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    }

    #[test]
    fn restricted_floats_follow_their_formula() {
        // 0x30: exponent field 3 = 2^0, mantissa 0: 1.0; 0xb0: −1.0; 0x48: 2 · 1.5 = 3; 0x01: 2^-3 · 17/16.
        assert_eq!(restricted_float(0x30), 1.0);
        assert_eq!(restricted_float(0xb0), -1.0);
        assert_eq!(restricted_float(0x48), 3.0);
        assert_eq!(restricted_float(0x01), 0.132_812_5);
        assert_eq!(restricted_float(0x80).to_bits(), 0x8000_0000);
    }
}
