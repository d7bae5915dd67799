//! Operands: vector operands with their tag, raw operands. Source: vISA binary reference 2.

use super::Malformed;
use super::bytes::{Reader, put};
use super::names::Names;
use crate::isa::{Modifier, Slot, Type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{General, Immediate, Indirect, Name, Operand, Raw, Region};

/// Numbers of the types.
const TYPES: &[(Type, u8)] = &[
    (Type::Ud, 0),
    (Type::D, 1),
    (Type::Uw, 2),
    (Type::W, 3),
    (Type::Ub, 4),
    (Type::B, 5),
    (Type::Df, 6),
    (Type::F, 7),
    (Type::V, 8),
    (Type::Vf, 9),
    (Type::Bool, 10),
    (Type::Uq, 11),
    (Type::Uv, 12),
    (Type::Q, 13),
    (Type::Hf, 14),
    (Type::Bf, 15),
];

/// Steps of regions by their code; 0 is none.
const STEPS: [u32; 7] = [0, 1, 2, 4, 8, 16, 32];

/// Classes in bits 2:0 of the tag.
const GENERAL: u8 = 0;
const ADDRESS: u8 = 1;
const PREDICATE: u8 = 2;
const INDIRECT: u8 = 3;
const IMMEDIATE: u8 = 5;
const STATE: u8 = 6;
/// The modifier of a destination that saturates.
const SATURATED: u8 = 4;

/// A byte of `(~)`; the others have the numbers of [`Modifier`].
const NOT: u8 = 5;

/// Bytes of a register as origins count them, whatever the platform's are.
const ROW: i64 = 32;

pub(super) fn type_number(ty: Type) -> u8 {
    TYPES.iter().find(|row| row.0 == ty).map_or(0, |row| row.1)
}

pub(super) fn type_of(number: u8) -> Option<Type> {
    TYPES.iter().find(|row| row.1 == number).map(|row| row.0)
}

fn step(value: u32) -> Result<u64, String> {
    let at = STEPS.iter().position(|&known| known == value);
    at.map(|at| at as u64 + 1)
        .ok_or_else(|| format!("a step of {value} has no number"))
}

fn region(region: &Region) -> Result<u64, String> {
    Ok(match *region {
        Region::Destination { stride } => step(stride)? << 8,
        Region::Source {
            vertical,
            width,
            horizontal,
        } => step(vertical)? | step(width)? << 4 | step(horizontal)? << 8,
        Region::MultiAddress { width, horizontal } => step(width)? << 4 | step(horizontal)? << 8,
    })
}

fn modifier(modifier: Option<Modifier>) -> u8 {
    match modifier {
        None => 0,
        Some(Modifier::Abs) => 1,
        Some(Modifier::Neg) => 2,
        Some(Modifier::NegAbs) => 3,
        Some(Modifier::Not) => NOT,
    }
}

/// The number of a name, or which is unknown.
fn known(number: Option<u32>, name: &str) -> Result<u64, String> {
    number
        .map(u64::from)
        .ok_or_else(|| format!("`{name}` is not declared"))
}

/// A vector operand.
///
/// # Errors
/// A sentence: it has no binary form.
pub(super) fn vector(operand: &Operand, saturates: bool, names: &Names) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let tag = |class: u8, modifier: u8| u64::from(class | modifier << 3);
    match operand {
        Operand::General(general) => {
            let how = if saturates {
                SATURATED
            } else {
                modifier(general.modifier)
            };
            put(&mut out, tag(GENERAL, how), 1);
            origin(
                &mut out,
                &general.var.node,
                (general.row, general.column),
                names,
            )?;
            put(&mut out, region(&general.region.node)?, 2);
        }
        Operand::AddressOf { var, offset } => match names.surface_number(&var.node) {
            Some(surface) if names.general_number(&var.node).is_none() => {
                state(&mut out, (0, surface), 0);
            }
            _ => {
                let ty = names.general_type(&var.node).unwrap_or(Type::Ub);
                let size = i64::from(ty.bytes());
                if *offset < 0 || offset % size != 0 {
                    return Err(format!("an address {offset} bytes into `{}`", var.node));
                }
                put(&mut out, tag(GENERAL, 0), 1);
                let place = ((offset / ROW) as u32, (offset % ROW / size) as u32);
                origin(&mut out, &var.node, place, names)?;
                put(&mut out, 0x121, 2);
            }
        },
        Operand::Address {
            var,
            element,
            stride,
        } => {
            put(&mut out, tag(ADDRESS, u8::from(saturates) * SATURATED), 1);
            put(
                &mut out,
                known(names.address_number(&var.node), &var.node)?,
                2,
            );
            put(&mut out, (*element).into(), 1);
            let width = stride.max(&1).trailing_zeros();
            put(&mut out, width.into(), 1);
        }
        Operand::Predicate(var) => {
            put(&mut out, tag(PREDICATE, 0), 1);
            put(
                &mut out,
                known(names.predicate_number(&var.node), &var.node)?,
                2,
            );
        }
        Operand::Indirect(indirect) => {
            let how = if saturates {
                SATURATED
            } else {
                modifier(indirect.modifier)
            };
            put(&mut out, tag(INDIRECT, how), 1);
            let address = &indirect.address.node;
            put(&mut out, known(names.address_number(address), address)?, 2);
            put(&mut out, indirect.element.into(), 1);
            put(&mut out, i64::from(indirect.offset).cast_unsigned(), 2);
            put(&mut out, type_number(indirect.ty).into(), 1);
            put(&mut out, region(&indirect.region.node)?, 2);
        }
        Operand::Immediate(immediate) => {
            put(&mut out, tag(IMMEDIATE, 0), 1);
            put(&mut out, type_number(immediate.ty).into(), 1);
            let (bits, count) = extended(*immediate);
            put(&mut out, bits, count);
        }
        Operand::State { var, element } => {
            let surface = names.surface_number(&var.node).map(|number| (0, number));
            let sampler = || names.sampler_number(&var.node).map(|number| (1, number));
            let number = surface.or_else(sampler);
            let number = number.ok_or_else(|| format!("`{}` is not declared", var.node))?;
            state(&mut out, number, *element);
        }
        _ => return Err("an operand of newer text".to_string()),
    }
    Ok(out)
}

fn origin(
    out: &mut Vec<u8>,
    name: &str,
    (row, column): (u32, u32),
    names: &Names,
) -> Result<(), String> {
    put(out, known(names.general_number(name), name)?, 4);
    for place in [row, column] {
        if place > 0xff {
            return Err(format!(
                "row and column fit into a byte each, {place} does not"
            ));
        }
        put(out, place.into(), 1);
    }
    Ok(())
}

fn state(out: &mut Vec<u8>, (kind, number): (u64, u32), element: u32) {
    put(out, u64::from(STATE), 1);
    put(out, kind, 1);
    put(out, number.into(), 2);
    put(out, element.into(), 1);
}

/// The bits of an immediate, extended from its width as its type says, and their bytes.
fn extended(immediate: Immediate) -> (u64, usize) {
    let bits = immediate.value_bits();
    match immediate.ty {
        Type::Df | Type::Q | Type::Uq => (bits, 8),
        Type::W => (u64::from(i32::from(bits as u16 as i16).cast_unsigned()), 4),
        Type::B => (u64::from(i32::from(bits as u8 as i8).cast_unsigned()), 4),
        _ => (bits, 4),
    }
}

/// Reads a vector operand at a slot, and whether it saturates.
pub(super) fn read_vector(
    reader: &mut Reader<'_>,
    slot: Slot,
    names: &Names,
) -> Result<(Operand, bool), Malformed> {
    let fault = *reader;
    let tag = reader.byte()?;
    let (class, how) = (tag & 7, tag >> 3 & 7);
    if tag >> 6 != 0 {
        return Err(fault.fault(format!("no operand begins with {tag:#04x}")));
    }
    let written = matches!(
        slot,
        Slot::Dst
            | Slot::DstMov
            | Slot::DstOrPred
            | Slot::DstPred
            | Slot::DstAddress
            | Slot::StateOrDst
    );
    let saturates = written && how == SATURATED;
    let sign = match how {
        0 => None,
        1 => Some(Modifier::Abs),
        2 => Some(Modifier::Neg),
        3 => Some(Modifier::NegAbs),
        SATURATED if written => None,
        NOT => Some(Modifier::Not),
        _ => return Err(fault.fault(format!("no modifier {how}"))),
    };
    let operand = match class {
        GENERAL => {
            let var = general(reader, names)?;
            let (row, column) = (reader.byte()?.into(), reader.byte()?.into());
            let region = read_region(reader, written)?;
            if slot == Slot::AddressBase {
                let size = i64::from(names.general_type(&var.node).map_or(1, Type::bytes));
                let offset = ROW * i64::from(row) + size * i64::from(column);
                Operand::AddressOf { var, offset }
            } else {
                Operand::General(General {
                    modifier: sign,
                    var,
                    row,
                    column,
                    region,
                })
            }
        }
        ADDRESS => {
            let number = reader.word()?;
            let var = names.address_name(number.into());
            let var = var.ok_or_else(|| fault.fault(format!("no address variable {number}")))?;
            let (element, width) = (reader.byte()?, reader.byte()?);
            if width > 4 {
                return Err(fault.fault(format!("no width of addresses {width}")));
            }
            Operand::Address {
                var: unplaced(var),
                element: element.into(),
                stride: 1 << width,
            }
        }
        PREDICATE => {
            let value = reader.word()?;
            let number = u32::from(value & 0xfff);
            let var = names.predicate_name(number);
            let var = var.ok_or_else(|| fault.fault(format!("no predicate {number}")))?;
            Operand::Predicate(unplaced(var))
        }
        INDIRECT => {
            let number = reader.word()?;
            let address = names.address_name(number.into());
            let address =
                address.ok_or_else(|| fault.fault(format!("no address variable {number}")))?;
            let element = reader.byte()?.into();
            let offset = i32::from(reader.word()?.cast_signed());
            let ty = read_type(reader)?;
            Operand::Indirect(Indirect {
                modifier: sign,
                address: unplaced(address),
                element,
                offset,
                region: read_region(reader, written)?,
                ty,
            })
        }
        IMMEDIATE => {
            let ty = read_type(reader)?;
            let count = match ty {
                Type::Df | Type::Q | Type::Uq => 8,
                _ => 4,
            };
            let bits = reader.number(count)?;
            Operand::Immediate(Immediate { bits, ty })
        }
        STATE => {
            let kind = reader.byte()?;
            let number = u32::from(reader.word()?);
            let element = reader.byte()?.into();
            let name = match kind {
                0 => names.surface_name(number),
                1 => names.sampler_name(number),
                _ => None,
            };
            let name = name.ok_or_else(|| fault.fault(format!("no state {kind}, {number}")))?;
            match slot {
                Slot::AddressBase => Operand::AddressOf {
                    var: unplaced(name),
                    offset: 0,
                },
                _ => Operand::State {
                    var: unplaced(name),
                    element,
                },
            }
        }
        _ => return Err(fault.fault(format!("no class of operands {class}"))),
    };
    Ok((operand, saturates))
}

/// A node that no text has.
pub(super) fn unplaced<T>(node: T) -> Spanned<T> {
    Spanned::new(node, Span::default())
}

fn general(reader: &mut Reader<'_>, names: &Names) -> Result<Spanned<Name>, Malformed> {
    let fault = *reader;
    let number = reader.dword()?;
    let name = names.general_name(number);
    let name = name.ok_or_else(|| fault.fault(format!("no general variable {number}")))?;
    Ok(unplaced(name))
}

fn read_type(reader: &mut Reader<'_>) -> Result<Type, Malformed> {
    let fault = *reader;
    let number = reader.byte()?;
    type_of(number & 0xf)
        .filter(|_| number < 16)
        .ok_or_else(|| fault.fault(format!("no type {number}")))
}

fn read_region(reader: &mut Reader<'_>, written: bool) -> Result<Spanned<Region>, Malformed> {
    let fault = *reader;
    let code = reader.word()?;
    let field = |low: u16| -> Result<Option<u32>, Malformed> {
        match usize::from(code >> low & 0xf) {
            0 => Ok(None),
            at => match STEPS.get(at - 1) {
                Some(step) => Ok(Some(*step)),
                None => Err(fault.fault(format!("no region {code:#06x}"))),
            },
        }
    };
    let region = match (field(0)?, field(4)?, field(8)?) {
        (None, None, Some(stride)) if written => Region::Destination { stride },
        (None, Some(width), Some(horizontal)) => Region::MultiAddress { width, horizontal },
        (Some(vertical), Some(width), Some(horizontal)) => Region::Source {
            vertical,
            width,
            horizontal,
        },
        _ => return Err(fault.fault(format!("no region {code:#06x}"))),
    };
    Ok(unplaced(region))
}

/// A raw operand. Source: vISA binary reference 2.4.
pub(super) fn raw(raw: &Raw, names: &Names) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let name = &raw.var.node;
    put(&mut out, known(names.general_number(name), name)?, 4);
    if raw.offset > 0xffff {
        return Err(format!(
            "an offset fits into 16 bits, {} does not",
            raw.offset
        ));
    }
    put(&mut out, raw.offset.into(), 2);
    Ok(out)
}

pub(super) fn read_raw(reader: &mut Reader<'_>, names: &Names) -> Result<Raw, Malformed> {
    let var = general(reader, names)?;
    let offset = reader.word()?.into();
    Ok(Raw { var, offset })
}
