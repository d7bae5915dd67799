//! To a [`Program`]: registers get places in the arena, sends become raw messages.
//!
//! ```text
//!  0      r0 … r127      r0 holds the thread's header
//!  4096   m0 … m15
//!  4608   f0, a0, cr0, the indices T<n> of surfaces that descriptors name and S<n> of samplers
//!  …      constants, then where writes to null fall
//! ```

use super::line::{
    Action, Descriptor, Dst, File, GENERAL, Instruction, Line, MESSAGE, REGISTER, Register, Send,
    Src,
};
use super::scoreboard::waited;
use crate::base::order;
use crate::isa::{Modifier, Opcode, Platform, Type};
use crate::message::Sfid;
use crate::message::fields::{gen5_read, gen5_sampler, outer};
use crate::message::gen5::sampler_block;
use crate::program::{
    Alu, CompareDest, Dest, ExtendedWord, Group, Guard, Lanes, Memo, Op, Owner, Program, Raw,
    RawMessage, Region, Site, Source, Symbol, SymbolClass, Text,
};
use crate::source::Span;
use indexmap::IndexMap;
use std::ops::Range;

const MESSAGES: u32 = GENERAL * REGISTER;
const FLAG: u32 = MESSAGES + MESSAGE * REGISTER;
const ADDRESS: u32 = FLAG + 4;
const CONTROL: u32 = ADDRESS + 4;
const SURFACES: u32 = CONTROL + 4;

const CONTROL_NAME: &str = "%cr0";

/// Lowers a checked program.
pub fn lower(lines: &[Line]) -> Program {
    let mut builder = Builder {
        image: vec![0; SURFACES as usize],
        ops: Vec::new(),
        sites: Vec::new(),
    };
    let mut symbols = IndexMap::new();
    let mut add = |name: String, class, offset, elements| {
        symbols.insert(
            name,
            Symbol {
                class,
                offset,
                elements,
            },
        );
    };
    for n in 0..GENERAL {
        add(
            format!("r{n}"),
            SymbolClass::General(Type::Ud),
            n * REGISTER,
            8,
        );
    }
    for n in 0..MESSAGE {
        let offset = MESSAGES + n * REGISTER;
        add(format!("m{n}"), SymbolClass::General(Type::Ud), offset, 8);
    }
    add("f0".into(), SymbolClass::Predicate, FLAG, 16);
    add("a0".into(), SymbolClass::General(Type::Ud), ADDRESS, 1);
    // As vISA has it: execution finds the float mode by this name.
    add(
        CONTROL_NAME.into(),
        SymbolClass::General(Type::Ud),
        CONTROL,
        1,
    );
    let mut names = Vec::new();
    for surface in surfaces(lines) {
        let offset = builder.constant(surface.into());
        add(format!("T{surface}"), SymbolClass::Surface, offset, 1);
        names.push((offset, format!("T{surface}")));
    }
    let samples = lines.iter().any(
        |line| matches!(&line.node.action, Action::Send(send) if send.receiver == Sfid::Sampler),
    );
    let mut samplers = Vec::new();
    for sampler in (0..16).filter(|_| samples) {
        let offset = builder.constant(sampler);
        add(format!("S{sampler}"), SymbolClass::Sampler, offset, 1);
        samplers.push((offset, format!("S{sampler}")));
    }
    let owners = owners(&symbols);
    let zero = builder.constant(0);
    let sink = builder.image.len() as u32;
    builder.image.resize(sink as usize + 64, 0);
    let waited = waited(lines);
    for (number, line) in lines.iter().enumerate() {
        let waited = waited.as_ref().map(|list| list[number]);
        builder.line(&line.node, line.span, sink, waited);
    }
    Program {
        name: "main".into(),
        platform: Platform::OF_SENDS,
        text: Text::Sends,
        ops: builder.ops,
        sites: builder.sites,
        symbols,
        image: builder.image,
        general_bytes: MESSAGES,
        inputs: Vec::new(),
        simd_size: 16,
        slm_bytes: 0,
        functions: Vec::new(),
        sink,
        zero,
        owners,
        memo: Memo::default(),
        surface_names: names,
        sampler_names: samplers,
    }
}

/// Every register and index owns its bytes; r0 and cr0 are what the thread starts with.
fn owners(symbols: &IndexMap<String, Symbol>) -> Vec<Owner> {
    let mut owners: Vec<Owner> = symbols
        .iter()
        .map(|(name, symbol)| Owner {
            name: name.clone(),
            range: symbol.offset..symbol.offset + symbol.bytes(),
            class: symbol.class,
            declared: Span::default(),
            predefined: [0, CONTROL].contains(&symbol.offset),
            function: None,
        })
        .collect();
    order::sort_by_key(&mut owners, |owner| owner.range.start);
    owners
}

/// Binding table indices that descriptors in the text name, sorted; all if a descriptor is made at run time.
fn surfaces(lines: &[Line]) -> Vec<u32> {
    let made = lines.iter().any(|line| {
        matches!(&line.node.action, Action::Send(send) if send.descriptor == Descriptor::Address)
    });
    if made {
        return (0..=255).collect();
    }
    let mut list: Vec<u32> = lines
        .iter()
        .filter_map(|line| match &line.node.action {
            Action::Send(send) => bindings(send),
            _ => None,
        })
        .flatten()
        .collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// The binding table indices of a send; every function that has one keeps it in the low byte.
fn bindings(send: &Send) -> Option<Range<u32>> {
    let has = matches!(
        send.receiver,
        Sfid::Sampler | Sfid::DataRead | Sfid::DataWrite
    );
    match send.descriptor {
        Descriptor::Known(desc) if has => {
            let first = gen5_read::BINDING.get(&[desc]);
            let block = send.receiver == Sfid::Sampler && gen5_sampler::SIMD_MODE.get(&[desc]) == 3;
            let count = match block {
                true => sampler_block::surfaces(gen5_sampler::TYPE.get(&[desc])),
                false => 1,
            };
            Some(first..first + count)
        }
        _ => None,
    }
}

struct Builder {
    image: Vec<u8>,
    ops: Vec<Op>,
    sites: Vec<Site>,
}

/// The arena offset of a register's element.
fn offset(at: Register, ty: Type) -> u32 {
    let base = match at.file {
        File::General => 0,
        File::Message => MESSAGES,
    };
    base + at.number * REGISTER + at.sub * ty.bytes()
}

impl Builder {
    fn constant(&mut self, bits: u64) -> u32 {
        let at = self.image.len().next_multiple_of(8);
        self.image.resize(at, 0);
        self.image.extend(bits.to_le_bytes());
        at as u32
    }

    fn push(&mut self, op: Op, span: Span, opcode: Opcode) {
        self.ops.push(op);
        self.sites.push(Site { span, opcode });
    }

    fn line(&mut self, i: &Instruction, span: Span, sink: u32, waited: Option<u128>) {
        let lanes = Lanes {
            count: i.lanes as u8,
            offset: 0,
            no_mask: i.no_mask,
        };
        let guard = i.predicate.map(|p| Guard {
            offset: FLAG,
            bits: 16,
            inverted: p.inverted,
            group: Group::Each,
        });
        match &i.action {
            Action::Nop => self.push(Op::Nothing, span, Opcode::Mov),
            Action::Alu {
                opcode,
                saturate,
                dst: (dst, ty),
                src,
                sources,
            } => {
                let src = src[..*sources]
                    .iter()
                    .map(|s| self.source(s, i.lanes))
                    .collect();
                let alu = Alu {
                    opcode: *opcode,
                    lanes,
                    guard,
                    dst: Dest {
                        region: destination(*dst, *ty, sink),
                        ty: *ty,
                    },
                    dst2: None,
                    overflow: None,
                    src,
                    saturate: *saturate,
                    function: 0,
                    precisions: None,
                };
                self.push(Op::Alu(Box::new(alu)), span, *opcode);
                if *dst == Dst::Control {
                    self.push(Op::LoadControl, span, *opcode);
                }
            }
            Action::Compare { condition, src } => {
                let src = [self.source(&src[0], i.lanes), self.source(&src[1], i.lanes)];
                let op = Op::Compare {
                    relation: *condition,
                    lanes,
                    dst: CompareDest::Predicate(FLAG),
                    src: Box::new(src),
                };
                self.push(op, span, Opcode::Cmp);
            }
            Action::Send(send) => self.send(send, lanes, guard, span, waited),
        }
    }

    fn source(&mut self, (src, ty): &(Src, Type), lanes: u32) -> Source {
        let (region, modifier) = match *src {
            Src::Control => (Region::Scalar(CONTROL), None),
            Src::Immediate(bits) => (Region::Scalar(self.constant(bits)), None),
            Src::Register {
                at,
                region: (v, w, h),
                negate,
                abs,
            } => {
                let first = offset(at, *ty);
                let place = |lane: u32| first + (lane / w * v + lane % w * h) * ty.bytes();
                let region = if (0..lanes).all(|lane| place(lane) == first) {
                    Region::Scalar(first)
                } else {
                    Region::List((0..lanes).map(place).collect())
                };
                let modifier = match (negate, abs) {
                    (false, false) => None,
                    (true, false) => Some(Modifier::Neg),
                    (false, true) => Some(Modifier::Abs),
                    (true, true) => Some(Modifier::NegAbs),
                };
                (region, modifier)
            }
        };
        Source {
            region,
            ty: *ty,
            modifier,
        }
    }

    fn send(
        &mut self,
        send: &Send,
        lanes: Lanes,
        guard: Option<Guard>,
        span: Span,
        waited: Option<u128>,
    ) {
        let message = MESSAGES + send.message * REGISTER;
        if let Some(register) = send.implied {
            // "Always 1 register regardless of specified execution size", and of masks.
            let dense = |offset| Region::Dense(offset);
            let implied = Alu {
                opcode: Opcode::Mov,
                lanes: Lanes {
                    count: 8,
                    offset: 0,
                    no_mask: true,
                },
                guard: None,
                dst: Dest {
                    region: dense(message),
                    ty: Type::Ud,
                },
                dst2: None,
                overflow: None,
                src: vec![Source {
                    region: dense(register * REGISTER),
                    ty: Type::Ud,
                    modifier: None,
                }],
                saturate: false,
                function: 0,
                precisions: None,
            };
            self.push(Op::Alu(Box::new(implied)), span, Opcode::Mov);
        }
        let (desc, [first, response]) = match send.descriptor {
            Descriptor::Known(word) => {
                let lengths = [outer::LENGTH, outer::RESPONSE].map(|f| f.get(&[word]));
                (self.constant(word.into()), lengths)
            }
            // The lengths are known when the word is.
            Descriptor::Address => (ADDRESS, [MESSAGE - send.message, 16]),
        };
        let number = u32::from(send.receiver.number(Platform::OF_SENDS).unwrap_or(0));
        // An end of thread in a register's descriptor is not seen: PRM 2.6.11.
        let eot = send.eot && send.descriptor != Descriptor::Address;
        let raw = RawMessage {
            lanes,
            guard,
            function: None,
            ex_desc: ExtendedWord::Known(number),
            desc: Source {
                region: Region::Scalar(desc),
                ty: Type::Ud,
                modifier: None,
            },
            lengths: [first, 0, response],
            payload: [
                Some(Raw {
                    offset: message,
                    end: FLAG,
                    ty: Type::Ud,
                }),
                None,
            ],
            dst: send.dst.map(|register| Raw {
                offset: register * REGISTER,
                end: MESSAGES,
                ty: Type::Ud,
            }),
            eot,
            constant: true,
            waited,
        };
        self.push(Op::RawSend(Box::new(raw)), span, Opcode::RawSend);
    }
}

fn destination(dst: Dst, ty: Type, sink: u32) -> Region {
    match dst {
        Dst::Null => Region::Strided {
            offset: sink,
            stride: 0,
        },
        Dst::Address => Region::Dense(ADDRESS),
        Dst::Control => Region::Dense(CONTROL),
        Dst::Register { at, stride: 1 } => Region::Dense(offset(at, ty)),
        Dst::Register { at, stride } => Region::Strided {
            offset: offset(at, ty),
            stride: stride * ty.bytes(),
        },
    }
}
