//! Records: one instruction, label or subroutine each.

use super::bytes::{Reader, put};
use super::layout::{Kind, Layout, Number, layout};
use super::names::Names;
use super::operand::{raw, read_raw, read_vector, unplaced, vector};
use super::{Malformed, Version};
use crate::base::order;
use crate::isa::{
    AtomicOp, AvsControl, AvsMode, ChannelMask, Condition, Exec, ExecUse, MediaMode, OPCODES,
    OpInfo, Opcode, Slot, SuffixSlot, UnormFormat,
};
use crate::message::parameters::{Parameter, order};
use crate::message::request::SamplerOp;
use crate::syntax::ast::{Instruction, Operand, Predicate, PredicateGroup, Statement, Suffix};

/// Begins a subroutine.
const SUBROUTINE: u8 = 0x30;
/// Begins a block.
const LABEL: u8 = 0x31;

/// A field of a record with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name on the instruction's page.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

fn field(name: impl Into<String>, value: u64, count: usize) -> Field {
    let mut bytes = Vec::new();
    put(&mut bytes, value, count);
    Field {
        name: name.into(),
        bytes,
    }
}

/// The record of a label, which begins a subroutine or a block.
pub(super) fn label(number: u32, subroutine: bool) -> Vec<Field> {
    let code = if subroutine { SUBROUTINE } else { LABEL };
    vec![
        field("opcode", code.into(), 1),
        field("Label", number.into(), 2),
    ]
}

/// The opcode, of one byte or two.
fn opcode(row: &OpInfo) -> Field {
    let mut opcode = field("opcode", row.code.into(), 1);
    if row.code == SVM {
        opcode.bytes.push(row.sub as u8);
    }
    opcode
}

/// The opcode with a second byte.
const SVM: u16 = 0x4e;
/// The opcode of `resinfo` and `sampleinfo`.
const INFO: u16 = 0x70;

/// Execution size and mask. Source: vISA binary reference 2.1.
fn exec_byte(exec: Exec) -> u64 {
    let size = exec.size.max(1).trailing_zeros();
    let mask = u32::from(exec.offset / 4) + 8 * u32::from(exec.no_mask);
    (size | mask << 4).into()
}

fn exec_of(byte: u8) -> Option<Exec> {
    (byte & 0xf <= 5).then(|| Exec {
        size: 1 << (byte & 0xf),
        offset: (byte >> 4 & 7) * 4,
        no_mask: byte >> 7 != 0,
    })
}

/// The record of an instruction, field by field.
///
/// # Errors
/// A sentence: the reference has no record for it, or a part of it does not fit.
pub fn encode(
    instruction: &Instruction,
    names: &Names,
    version: Version,
) -> Result<Vec<Field>, String> {
    let row = instruction.opcode.node.info();
    let fields = layout(row, version);
    let fields =
        fields.ok_or_else(|| format!("no record of `{}` is known to the bit", row.mnemonic))?;
    if instruction
        .paired
        .as_ref()
        .is_some_and(|p| p.node.var.node != "%null")
    {
        return Err("a paired surface is of newer text".to_string());
    }
    let writer = Writer {
        version,
        instruction,
        row,
        names,
    };
    let mut all = vec![opcode(row)];
    for (name, kind) in fields {
        writer.put(&mut all, name, kind)?;
    }
    Ok(all)
}

struct Writer<'i> {
    version: Version,
    instruction: &'i Instruction,
    row: &'i OpInfo,
    names: &'i Names,
}

impl Writer<'_> {
    fn operand(&self, at: usize) -> Result<&Operand, String> {
        let operand = self.instruction.operands.get(at);
        operand
            .map(|operand| &operand.node)
            .ok_or_else(|| "an operand is missing".to_string())
    }

    /// What the pages' Format tables call the parameters of a sampler message, operand `at` and those behind it:
    /// `U`, `V`, `Lod`, …
    fn parameter_words(&self, at: usize) -> Vec<String> {
        let ty = match self.operand(at) {
            Ok(Operand::Raw(first)) => self.names.general_type(&first.var.node),
            _ => None,
        };
        let short = ty.is_some_and(|ty| ty.bytes() == 2);
        let order = SamplerOp::of_instruction(self.row).map_or(&[][..], |op| order(op, short));
        let word = |parameter: &Parameter| {
            let (first, rest) = parameter.name().split_at(1);
            first.to_uppercase() + rest
        };
        order.iter().map(word).collect()
    }

    fn suffix<T>(&self, pick: impl Fn(&Suffix) -> Option<T>) -> Option<T> {
        self.instruction.suffix(pick)
    }

    fn exec(&self) -> Exec {
        let exec = self.instruction.exec.as_ref();
        exec.map_or(EIGHT, |exec| exec.node)
    }

    fn put(&self, all: &mut Vec<Field>, name: &str, kind: Kind) -> Result<(), String> {
        let names = self.names;
        let known = |number: Option<u32>, what: &str| {
            number.ok_or_else(|| format!("`{what}` is not declared"))
        };
        match kind {
            Kind::Exec => all.push(field(name, exec_byte(self.exec()), 1)),
            Kind::Pred => {
                let value = match &self.instruction.predicate {
                    None => 0,
                    Some(predicate) => {
                        let Predicate {
                            var,
                            inverted,
                            group,
                        } = &predicate.node;
                        let number = known(names.predicate_number(var), var)?;
                        let group = match group {
                            None => 0,
                            Some(PredicateGroup::Any) => 1,
                            Some(PredicateGroup::All) => 2,
                        };
                        number | group << 13 | u32::from(*inverted) << 15
                    }
                };
                all.push(field(name, value.into(), 2));
            }
            Kind::Vector(at) => {
                let saturates = at == 0 && self.instruction.has(&Suffix::Saturate);
                all.push(Field {
                    name: name.into(),
                    bytes: vector(self.operand(at)?, saturates, names)?,
                });
            }
            Kind::Triple(at, which) => {
                let Operand::Triple(three) = self.operand(at)? else {
                    return Err("three scalars are missing".to_string());
                };
                all.push(Field {
                    name: name.into(),
                    bytes: vector(&three[which].node, false, names)?,
                });
            }
            Kind::Raw(at) => match self.operand(at)? {
                Operand::Raw(operand) => all.push(Field {
                    name: name.into(),
                    bytes: raw(operand, names)?,
                }),
                _ => return Err("a raw operand is missing".to_string()),
            },
            Kind::Surface(at) => match self.operand(at)? {
                Operand::Surface(var) => {
                    let number = known(names.surface_number(&var.node), &var.node)?;
                    all.push(field(name, number.into(), 1));
                }
                _ => return Err("a surface by an index is of newer text".to_string()),
            },
            Kind::Sampler(at) => match self.operand(at)? {
                Operand::Sampler(var) => {
                    let number = known(names.sampler_number(&var.node), &var.node)?;
                    all.push(field(name, number.into(), 1));
                }
                _ => return Err("a sampler by an index is of newer text".to_string()),
            },
            Kind::Label(at) => match self.operand(at)? {
                Operand::Label(label) => {
                    let number = known(names.label_number(label), label)?;
                    all.push(field(name, number.into(), 2));
                }
                _ => return Err("a label is missing".to_string()),
            },
            Kind::LabelCount(at) => all.push(field(name, self.labels(at)?.len() as u64, 1)),
            Kind::Labels(at) => {
                for (n, label) in self.labels(at)?.iter().enumerate() {
                    let number = known(names.label_number(&label.node), &label.node)?;
                    all.push(field(format!("{name}{n}"), number.into(), 2));
                }
            }
            Kind::ParamCount(at) => {
                let count = self.instruction.operands.len().saturating_sub(at);
                all.push(field(name, count as u64, 1));
            }
            Kind::Params(at) => {
                let words = self.parameter_words(at);
                for (n, operand) in self.instruction.operands.iter().skip(at).enumerate() {
                    let Operand::Raw(operand) = &operand.node else {
                        return Err("a raw operand is missing".to_string());
                    };
                    let word = words.get(n).cloned();
                    all.push(Field {
                        name: word.unwrap_or_else(|| format!("{name}{n}")),
                        bytes: raw(operand, names)?,
                    });
                }
            }
            Kind::Target(at) => {
                let rest = self.instruction.operands.get(at..).unwrap_or_default();
                if rest.len() != TARGET.len() {
                    return Err("a render target write with other parts".to_string());
                }
                for (part, operand) in TARGET.iter().zip(rest) {
                    let Operand::Raw(operand) = &operand.node else {
                        return Err("a raw operand is missing".to_string());
                    };
                    all.push(Field {
                        name: (*part).into(),
                        bytes: raw(operand, names)?,
                    });
                }
            }
            Kind::Text(at) => match self.operand(at)? {
                Operand::Text(text) => {
                    let index = names.strings.get_index_of(text.as_str());
                    let index = index.ok_or("the string is not among those of the object")?;
                    all.push(field(name, index as u64, 4));
                }
                _ => return Err("a text is missing".to_string()),
            },
            Kind::Variable(at) => {
                let (_, number) = self.variable(at)?;
                all.push(field(name, number.into(), 4));
            }
            Kind::Value(number, count) => {
                let value = self.number(number)?;
                if count < 8 && value >> (8 * count) != 0 {
                    return Err(format!("{name} has {count} bytes, {value} does not fit"));
                }
                all.push(field(name, value, count));
            }
        }
        Ok(())
    }

    fn labels(&self, at: usize) -> Result<&[crate::source::Spanned<String>], String> {
        match self.operand(at)? {
            Operand::Labels(labels) => Ok(labels),
            _ => Err("labels are missing".to_string()),
        }
    }

    /// The class and number of the variable of `lifetime`.
    fn variable(&self, at: usize) -> Result<(u64, u32), String> {
        let Operand::Variable(var) = self.operand(at)? else {
            return Err("a variable is missing".to_string());
        };
        let name = &var.node;
        let general = self.names.general_number(name).map(|n| (0, n));
        let address = || self.names.address_number(name).map(|n| (1, n));
        let predicate = || self.names.predicate_number(name).map(|n| (2, n));
        let found = general.or_else(address).or_else(predicate);
        found.ok_or_else(|| format!("`{name}` is not declared"))
    }

    fn plain(&self, at: usize) -> Result<u64, String> {
        match self.operand(at)? {
            Operand::Number(value) => Ok(*value),
            _ => Err("a plain number is missing".to_string()),
        }
    }

    fn number(&self, number: Number) -> Result<u64, String> {
        let channels = || self.instruction.channels().unwrap_or(ChannelMask::RGBA);
        Ok(match number {
            Number::Channels => channels().0.into(),
            Number::ChannelsAndPixels => {
                u64::from(channels().0) | u64::from(self.exec().size == 16) << 4
            }
            Number::Channel => channels().0.trailing_zeros().into(),
            Number::ChannelsAndFormat => {
                let format = self.suffix(|s| match s {
                    Suffix::UnormFormat(format) => Some(*format),
                    _ => None,
                });
                let format = format.unwrap_or(UnormFormat::Full16);
                u64::from(channels().0) | u64::from(format.value()) << 4
            }
            Number::Relation => {
                let relation = self.suffix(|s| match s {
                    Suffix::Condition(condition) => Some(condition.value()),
                    _ => None,
                });
                relation.unwrap_or(0).into()
            }
            Number::Sub => match self.row.opcode {
                // Bit 0 of the modifiers is the condition, bit 1 the end of the thread.
                Opcode::RawSendsEot => 2,
                Opcode::RawSendsc => 1,
                Opcode::RawSendscEot => 3,
                // The wait is 0, the signal 1.
                Opcode::SbarrierSignal => 1,
                Opcode::SbarrierWait => 0,
                _ => self.row.sub.into(),
            },
            Number::Operation => {
                let flag = |suffix: Suffix| u64::from(self.instruction.has(&suffix));
                let flags = [Suffix::PixelNullMask, Suffix::Cps, Suffix::DivS].map(flag);
                let flags = flags[0] | flags[1] << 1 | flags[2] << 2;
                u64::from(self.row.sub) | flags << flags_at(self.version)
            }
            Number::MediaMode => {
                let mode = self.suffix(|s| match s {
                    Suffix::MediaMode(mode) => Some(mode.value()),
                    _ => None,
                });
                mode.unwrap_or(0).into()
            }
            Number::Width(at) | Number::Height(at) => match (self.operand(at)?, number) {
                (Operand::Block { width, .. }, Number::Width(_)) => *width,
                (Operand::Block { height, .. }, _) => *height,
                _ => return Err("a block is missing".to_string()),
            },
            Number::Plain(at) => self.plain(at)?,
            Number::First(at) | Number::Second(at) => match (self.operand(at)?, number) {
                (Operand::Pair(first, _), Number::First(_)) => *first,
                (Operand::Pair(_, second), _) => *second,
                _ => return Err("a pair of numbers is missing".to_string()),
            },
            Number::Owords => self.exec().size.max(1).trailing_zeros().into(),
            Number::OwordsAndAlignment => {
                let owords = u64::from(self.exec().size.max(1).trailing_zeros());
                owords | u64::from(self.instruction.has(&Suffix::Aligned(false))) << 3
            }
            Number::Mod => self.instruction.has(&Suffix::Mod).into(),
            Number::ElementBytes => {
                let bytes = self.suffix(|s| match s {
                    Suffix::ElementBytes(bytes) => Some(*bytes),
                    _ => None,
                });
                bytes.unwrap_or(1).max(1).trailing_zeros().into()
            }
            Number::Elements => {
                let exec = self.exec();
                let count = match exec.size {
                    8 => 0,
                    16 => 1,
                    1 => 2,
                    other => return Err(format!("{other} elements have no number")),
                };
                count | exec_byte(exec) >> 4 << 4
            }
            Number::BlockBytes | Number::BlockCount => {
                let blocks = self.suffix(|s| match s {
                    Suffix::Blocks { bytes, count } => Some((*bytes, *count)),
                    _ => None,
                });
                let (bytes, count) = blocks.unwrap_or((1, 1));
                match number {
                    Number::BlockCount => count.max(1).trailing_zeros().into(),
                    _ => match bytes {
                        1 => 0,
                        4 => 1,
                        8 => 3,
                        other => return Err(format!("blocks of {other} bytes have no number")),
                    },
                }
            }
            Number::Zero => 0,
            Number::Atomic => {
                let op = self.suffix(|s| match s {
                    Suffix::AtomicOp(op) => Some(op.value()),
                    _ => None,
                });
                let bits = self.suffix(|s| match s {
                    Suffix::Bits(bits) => Some(*bits),
                    _ => None,
                });
                let width = match bits {
                    Some(16) => 1 << 5,
                    Some(64) => 1 << 6,
                    _ => 0,
                };
                u64::from(op.unwrap_or(0)) | width
            }
            Number::AvsControl(at) => match self.operand(at)? {
                Operand::AvsControl(control) => control.value().into(),
                _ => return Err("an output control is missing".to_string()),
            },
            Number::AvsMode(at) => match self.operand(at)? {
                Operand::AvsMode(mode) => mode.value().into(),
                _ => return Err("a block shape is missing".to_string()),
            },
            Number::Fence => {
                let flags = self.suffix(|s| match s {
                    Suffix::FenceFlags(flags) => Some(u64::from(*flags)),
                    _ => None,
                });
                let flags = flags.unwrap_or(0);
                match self.row.opcode {
                    Opcode::FenceSw => 1 << 7,
                    // Bit 5 is local memory, bit 6 the L1 cache.
                    op => {
                        let local = u64::from(op == Opcode::FenceLocal) << 5;
                        flags & 0x1f | local | (flags >> 5 & 1) << 6
                    }
                }
            }
            Number::SendSize(at) => {
                let sizes = self.suffix(|s| match s {
                    Suffix::SendSizes(sizes) => sizes.get(at).copied(),
                    _ => None,
                });
                sizes.ok_or("the sizes of the message are missing")?.into()
            }
            Number::Lifetime(at) => {
                let (class, _) = self.variable(at)?;
                u64::from(self.row.opcode == Opcode::LifetimeEnd) | class << 4
            }
            Number::Boolean => {
                let function = self.suffix(|s| match s {
                    Suffix::BooleanFunction(function) => Some(*function),
                    _ => None,
                });
                function.unwrap_or(0).into()
            }
            Number::TargetMode => {
                let flags = self.suffix(|s| match s {
                    Suffix::TargetFlags(flags) => Some(flags.len()),
                    _ => None,
                });
                if flags.is_some_and(|count| count > 0) {
                    return Err("the bits of these flags were not seen".to_string());
                }
                0
            }
        })
    }
}

/// What `sample` and `load` have where the text says nothing.
const EIGHT: Exec = Exec {
    size: 8,
    offset: 0,
    no_mask: false,
};

/// Operands of a render target write without flags.
const TARGET: [&str; 5] = ["Header", "R", "G", "B", "A"];

/// Flags of a 3D operation from this bit on; before 4.0 from bit 5.
const FLAGS: u32 = 8;

/// Reads a record.
///
/// # Errors
/// [`Malformed`]: no record begins so, or it is cut short.
pub fn decode(
    bytes: &[u8],
    names: &Names,
    version: Version,
) -> Result<(Statement, usize), Malformed> {
    let mut reader = Reader::new(bytes, 0);
    let statement = read(&mut reader, names, version)?;
    Ok((statement, reader.at))
}

/// What was read of a record's fields.
struct Parts {
    exec: Option<Exec>,
    predicate: Option<Predicate>,
    saturates: bool,
    /// By operand.
    operands: Vec<Option<Operand>>,
    numbers: Vec<(Number, u64)>,
    count: usize,
}

pub(super) fn read(
    reader: &mut Reader<'_>,
    names: &Names,
    version: Version,
) -> Result<Statement, Malformed> {
    let start = *reader;
    let code = reader.byte()?;
    if matches!(code, SUBROUTINE | LABEL) {
        let number = reader.word()?;
        let label = names.label_name(number.into());
        let label = label.ok_or_else(|| start.fault(format!("no label {number}")))?;
        return Ok(Statement::Label(unplaced(label)));
    }
    let unknown = |what: String| start.fault(what);
    let mut rows = OPCODES
        .iter()
        .filter(|row| row.code == u16::from(code))
        .collect::<Vec<_>>();
    if u16::from(code) == SVM {
        let sub = reader.byte()?;
        rows.retain(|row| row.sub == u16::from(sub));
    }
    // The operation comes first, and one of them has no LOD.
    if u16::from(code) == INFO {
        let op = { *reader }.byte()?;
        rows.retain(|row| row.sub == u16::from(op));
    }
    // One row of several with a code tells where the others are told apart.
    let first = rows
        .iter()
        .find_map(|row| Some((*row, layout(row, version)?)));
    let Some((first, fields)) = first else {
        return Err(unknown(format!("no record begins with {code:#04x}")));
    };
    let mut parts = Parts {
        exec: None,
        predicate: None,
        saturates: false,
        operands: vec![None; first.slots.len().max(1) + 1],
        numbers: Vec::new(),
        count: 0,
    };
    for (name, kind) in &fields {
        part(reader, &mut parts, (name, *kind), first, names)?;
    }
    let row = told_apart(&rows, &parts, version);
    let row = row.ok_or_else(|| unknown(format!("no instruction {code:#04x} has these fields")))?;
    instruction(row, &fields, parts, version)
        .map(Statement::Instruction)
        .map_err(unknown)
}

/// Reads one field.
fn part(
    reader: &mut Reader<'_>,
    parts: &mut Parts,
    (name, kind): (&str, Kind),
    row: &OpInfo,
    names: &Names,
) -> Result<(), Malformed> {
    let start = *reader;
    let fault = |what: String| start.fault(format!("{name}: {what}"));
    let mut set = |at: usize, operand: Operand| {
        if parts.operands.len() <= at {
            parts.operands.resize(at + 1, None);
        }
        parts.operands[at] = Some(operand);
    };
    let slot = |at: usize| row.slots.get(at).copied().unwrap_or(Slot::Src);
    match kind {
        Kind::Exec => {
            let byte = reader.byte()?;
            let exec = exec_of(byte);
            parts.exec = Some(exec.ok_or_else(|| fault(format!("no size {byte:#04x}")))?);
        }
        Kind::Pred => {
            let value = u32::from(reader.word()?);
            if value != 0 {
                let number = value & 0xfff;
                let var = names.predicate_name(number);
                let group = match value >> 13 & 3 {
                    0 => None,
                    1 => Some(PredicateGroup::Any),
                    2 => Some(PredicateGroup::All),
                    _ => return Err(fault(format!("no group in {value:#06x}"))),
                };
                parts.predicate = Some(Predicate {
                    var: var.ok_or_else(|| fault(format!("no predicate {number}")))?,
                    inverted: value >> 15 != 0,
                    group,
                });
            }
        }
        Kind::Vector(at) => {
            let (operand, saturates) = read_vector(reader, slot(at), names)?;
            parts.saturates |= saturates;
            set(at, operand);
        }
        Kind::Triple(at, which) => {
            let (operand, _) = read_vector(reader, Slot::Scalar, names)?;
            let operand = unplaced(operand);
            match (&mut parts.operands[at], which) {
                (Some(Operand::Triple(three)), _) => three[which] = operand,
                (place, _) => {
                    *place = Some(Operand::Triple(Box::new(std::array::from_fn(|_| {
                        operand.clone()
                    }))));
                }
            }
        }
        Kind::Raw(at) => set(at, Operand::Raw(read_raw(reader, names)?)),
        Kind::Surface(at) => {
            let number = reader.byte()?.into();
            let surface = names.surface_name(number);
            let surface = surface.ok_or_else(|| fault(format!("no surface {number}")))?;
            set(at, Operand::Surface(unplaced(surface)));
        }
        Kind::Sampler(at) => {
            let number = reader.byte()?.into();
            let sampler = names.sampler_name(number);
            let sampler = sampler.ok_or_else(|| fault(format!("no sampler {number}")))?;
            set(at, Operand::Sampler(unplaced(sampler)));
        }
        Kind::Label(at) => {
            let number = reader.word()?.into();
            let label = names.label_name(number);
            let label = label.ok_or_else(|| fault(format!("no label {number}")))?;
            set(at, Operand::Label(label));
        }
        Kind::LabelCount(_) => parts.count = reader.byte()?.into(),
        Kind::Labels(at) => {
            let mut labels = Vec::new();
            for _ in 0..parts.count {
                let number = reader.word()?.into();
                let label = names.label_name(number);
                labels.push(unplaced(
                    label.ok_or_else(|| fault(format!("no label {number}")))?,
                ));
            }
            set(at, Operand::Labels(labels));
        }
        Kind::ParamCount(_) => parts.count = reader.byte()?.into(),
        Kind::Params(at) => {
            for n in 0..parts.count {
                let operand = Operand::Raw(read_raw(reader, names)?);
                set(at + n, operand);
            }
            parts.operands.truncate(at + parts.count);
        }
        Kind::Target(at) => {
            for n in 0..TARGET.len() {
                let operand = Operand::Raw(read_raw(reader, names)?);
                set(at + n, operand);
            }
        }
        Kind::Text(at) => {
            let index = reader.dword()?;
            let text = names.string_at(index);
            set(
                at,
                Operand::Text(text.ok_or_else(|| fault(format!("no string {index}")))?),
            );
        }
        Kind::Variable(at) => {
            let number = reader.dword()?;
            let properties = parts.numbers.last().map_or(0, |(_, value)| *value);
            let variable = match properties >> 4 & 3 {
                0 => names.general_name(number),
                1 => names.address_name(number),
                2 => names.predicate_name(number),
                _ => None,
            };
            let variable = variable.ok_or_else(|| fault(format!("no variable {number}")))?;
            set(at, Operand::Variable(unplaced(variable)));
        }
        Kind::Value(number, count) => parts.numbers.push((number, reader.number(count)?)),
    }
    Ok(())
}

impl Parts {
    fn number(&self, wanted: Number) -> Option<u64> {
        let found = self.numbers.iter().find(|(number, _)| *number == wanted);
        found.map(|(_, value)| *value)
    }
}

/// Where the flags of a 3D operation begin.
const fn flags_at(version: Version) -> u32 {
    if version.wide_operations() { FLAGS } else { 5 }
}

/// The row of those with one code that the fields mean.
fn told_apart<'r>(rows: &[&'r OpInfo], parts: &Parts, version: Version) -> Option<&'r OpInfo> {
    let of = |opcode: Opcode| rows.iter().copied().find(|row| row.opcode == opcode);
    let sub = |sub: u64| rows.iter().copied().find(|row| u64::from(row.sub) == sub);
    if let Some(operation) = parts.number(Number::Operation) {
        return sub(operation & ((1 << flags_at(version)) - 1));
    }
    if let Some(mask) = parts.number(Number::Fence) {
        return match (mask >> 7 & 1, mask >> 5 & 1) {
            (1, _) => of(Opcode::FenceSw),
            (_, 1) => of(Opcode::FenceLocal),
            _ => of(Opcode::FenceGlobal),
        };
    }
    if let Some(properties) = parts.number(Number::Lifetime(0)) {
        return match properties & 1 {
            0 => of(Opcode::LifetimeStart),
            _ => of(Opcode::LifetimeEnd),
        };
    }
    let Some(value) = parts.number(Number::Sub) else {
        return rows.first().copied();
    };
    match rows.first()?.code {
        0x7a => of(match value {
            0 => Opcode::RawSends,
            1 => Opcode::RawSendsc,
            2 => Opcode::RawSendsEot,
            3 => Opcode::RawSendscEot,
            _ => return None,
        }),
        0x7c => of(match value {
            0 => Opcode::SbarrierWait,
            1 => Opcode::SbarrierSignal,
            _ => return None,
        }),
        _ => sub(value),
    }
}

/// The instruction that the parts make.
fn instruction(
    row: &OpInfo,
    fields: &Layout,
    mut parts: Parts,
    version: Version,
) -> Result<Instruction, String> {
    let bit = |value: u64, at: u32| value >> at & 1 != 0;
    let mut mask = None;
    let mut suffixes = Vec::new();
    let mut exec = parts.exec;
    let numbers = std::mem::take(&mut parts.numbers);
    let operand = |parts: &mut Parts, at: usize, operand: Operand| {
        if parts.operands.len() <= at {
            parts.operands.resize(at + 1, None);
        }
        parts.operands[at] = Some(operand);
    };
    let lanes = |size: u32| Exec { size, ..EIGHT };
    let power = |value: u64| -> Result<u32, String> {
        u32::try_from(value)
            .ok()
            .filter(|&value| value < 8)
            .map(|value| 1 << value)
            .ok_or_else(|| format!("{value} is no power of two"))
    };
    for &(number, value) in &numbers {
        let byte = value as u8;
        match number {
            Number::Channels => mask = Some(byte & 0xf),
            Number::ChannelsAndPixels => {
                mask = Some(byte & 0xf);
                exec = Some(lanes(if bit(value, 4) { 16 } else { 8 }));
            }
            Number::Channel => mask = Some(1 << (byte & 3)),
            Number::ChannelsAndFormat => {
                mask = Some(byte & 0xf);
                let format = UnormFormat::from_value(byte >> 4).ok_or("no output format")?;
                suffixes.push(Suffix::UnormFormat(format));
            }
            Number::Relation => {
                let relation = Condition::from_value(byte).ok_or("no relation")?;
                suffixes.push(Suffix::Condition(relation));
            }
            Number::Operation => {
                let flags = value >> flags_at(version);
                let all = [Suffix::PixelNullMask, Suffix::Cps, Suffix::DivS];
                let there = all.into_iter().zip(0..).filter(|(_, at)| bit(flags, *at));
                suffixes.extend(there.map(|(suffix, _)| suffix));
            }
            Number::MediaMode => {
                let mode = MediaMode::from_value(byte).ok_or("no modifier of a media block")?;
                suffixes.push(Suffix::MediaMode(mode));
            }
            Number::Width(at) => {
                let height = numbers.iter().find(|(n, _)| matches!(n, Number::Height(_)));
                let block = Operand::Block {
                    width: value,
                    height: height.map_or(0, |(_, height)| *height),
                };
                operand(&mut parts, at, block);
            }
            Number::Plain(at) => operand(&mut parts, at, Operand::Number(value)),
            Number::First(at) => {
                let second = numbers.iter().find(|(n, _)| matches!(n, Number::Second(_)));
                let second = second.map_or(0, |(_, second)| *second);
                operand(&mut parts, at, Operand::Pair(value, second));
            }
            Number::Owords => exec = Some(lanes(power(value)?)),
            Number::OwordsAndAlignment => {
                exec = Some(lanes(power(value & 7)?));
                suffixes.extend(bit(value, 3).then_some(Suffix::Aligned(false)));
            }
            Number::Mod => suffixes.extend((value != 0).then_some(Suffix::Mod)),
            Number::ElementBytes => suffixes.push(Suffix::ElementBytes(power(value)?)),
            Number::Elements => {
                let size = match value & 3 {
                    0 => 3,
                    1 => 4,
                    2 => 0,
                    _ => return Err("no number of elements".to_string()),
                };
                exec = exec_of(byte & 0xf0 | size);
            }
            Number::BlockBytes => {
                let count = numbers.iter().find(|(n, _)| *n == Number::BlockCount);
                let bytes = match value {
                    0 => 1,
                    1 => 4,
                    // The page has 3, and 2 has no other meaning.
                    2 | 3 => 8,
                    _ => return Err("no size of blocks".to_string()),
                };
                let count = power(count.map_or(0, |(_, count)| *count))?;
                suffixes.push(Suffix::Blocks { bytes, count });
            }
            Number::Atomic => {
                let op = AtomicOp::from_value(byte & 0x1f).ok_or("no atomic operation")?;
                suffixes.push(Suffix::AtomicOp(op));
                suffixes.extend(bit(value, 5).then_some(Suffix::Bits(16)));
                suffixes.extend(bit(value, 6).then_some(Suffix::Bits(64)));
            }
            Number::AvsControl(at) => {
                let control = AvsControl::from_value(byte).ok_or("no output control")?;
                operand(&mut parts, at, Operand::AvsControl(control));
            }
            Number::AvsMode(at) => {
                let mode = AvsMode::from_value(byte).ok_or("no block shape")?;
                operand(&mut parts, at, Operand::AvsMode(mode));
            }
            Number::Fence => {
                let flags = byte & 0x1f | (byte >> 6 & 1) << 5;
                suffixes.extend((flags != 0).then_some(Suffix::FenceFlags(flags)));
            }
            Number::SendSize(0) => {
                let size = |at: usize| {
                    let found = numbers.iter().find(|(n, _)| *n == Number::SendSize(at));
                    found.map_or(0, |(_, value)| *value as u32)
                };
                suffixes.push(Suffix::SendSizes((0..4).map(size).collect()));
            }
            Number::Boolean => suffixes.push(Suffix::BooleanFunction(byte)),
            Number::TargetMode if value != 0 => {
                return Err("a render target write with other parts".to_string());
            }
            Number::Zero if value != 0 => return Err(format!("{value} where a zero belongs")),
            Number::Zero
            | Number::TargetMode
            | Number::Sub
            | Number::Height(_)
            | Number::Second(_)
            | Number::BlockCount
            | Number::SendSize(_)
            | Number::Lifetime(_) => {}
        }
    }
    if let Some(mask) = mask.map(ChannelMask) {
        if mask.0 == 0 {
            return Err("no channel is enabled".to_string());
        }
        suffixes.push(Suffix::Channels(mask));
    }
    if parts.saturates {
        suffixes.push(Suffix::Saturate);
    }
    order::sort_by_key(&mut suffixes, |suffix| place(row, suffix));
    // A second kind of operand at the end, with nothing in it.
    let whole = parts
        .operands
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |last| last + 1);
    parts.operands.truncate(whole);
    let operands: Option<Vec<Operand>> = parts.operands.into_iter().collect();
    let operands = operands.ok_or_else(|| format!("{} fields are not enough", fields.len()))?;
    let operands: Vec<_> = operands.into_iter().map(unplaced).collect();
    if row.exec == ExecUse::None {
        exec = None;
    }
    Ok(Instruction {
        opcode: unplaced(row.opcode),
        predicate: parts.predicate.map(unplaced),
        suffixes: suffixes.into_iter().map(unplaced).collect(),
        exec: exec.map(unplaced),
        operands,
        paired: None,
    })
}

/// Where a suffix stands in the text of a row.
fn place(row: &OpInfo, suffix: &Suffix) -> usize {
    let slot = |slot: &SuffixSlot| match suffix {
        Suffix::Saturate => *slot == SuffixSlot::Saturate,
        Suffix::Condition(_) => *slot == SuffixSlot::Condition,
        Suffix::MediaMode(_) => *slot == SuffixSlot::MediaMode,
        Suffix::Channels(_) => matches!(slot, SuffixSlot::Channels | SuffixSlot::Channel),
        Suffix::PixelNullMask => *slot == SuffixSlot::PixelNullMask,
        Suffix::Cps => *slot == SuffixSlot::Cps,
        Suffix::DivS => *slot == SuffixSlot::DivS,
        Suffix::AtomicOp(_) => *slot == SuffixSlot::AtomicOp,
        Suffix::Bits(_) => matches!(slot, SuffixSlot::Bits16 | SuffixSlot::Bits16Or64),
        Suffix::UnormFormat(_) => *slot == SuffixSlot::UnormFormat,
        _ => true,
    };
    row.suffixes
        .iter()
        .position(slot)
        .unwrap_or(row.suffixes.len())
}
