//! Messages that a program gives by their descriptors and registers: those of programs made of sends.

use super::layouts::Layouts;
use super::record::{Message, Piece, Register};
use crate::explain::bits::descriptors;
use crate::message::text::receiver;
use crate::program::{ExtendedWord, Program, Raw, RawMessage, Region, Source};

/// The message of an op; none where it is known at run time alone who receives it.
pub fn message(message: &RawMessage, program: &Program, layouts: &mut Layouts) -> Vec<Message> {
    let ex_desc = match &message.ex_desc {
        ExtendedWord::Known(word) => Some(*word),
        ExtendedWord::Operand(source) => constant(source, program),
    };
    let desc = constant(&message.desc, program);
    let platform = program.platform;
    let number = message.function.or(ex_desc);
    let Some(sfid) = number.and_then(|n| receiver(n, platform)) else {
        return Vec::new();
    };
    let parts = descriptors(
        desc.unwrap_or(0),
        ex_desc.unwrap_or(0),
        Some(sfid),
        platform,
    );
    let [first, second, back] = message.lengths;
    let mut registers = Vec::new();
    for (part, (raw, count)) in ["first payload", "second payload"]
        .iter()
        .zip(message.payload.iter().zip([first, second]))
    {
        for n in 0..count {
            registers.extend(raw.as_ref().map(|raw| register(part, raw, n, program)));
        }
    }
    let known = desc.is_some() && ex_desc.is_some();
    vec![Message {
        title: format!(
            "send to {}: {first} + {second} registers, {back} back",
            sfid.name()
        ),
        receiver: sfid.name().to_owned(),
        parts: match known {
            true => parts.iter().map(|part| layouts.part(part)).collect(),
            false => Vec::new(),
        },
        sums: match known {
            true => Vec::new(),
            false => vec!["the descriptor is in a register".to_owned()],
        },
        registers,
        answer: Vec::new(),
    }]
}

/// The number of an operand that is a constant.
fn constant(source: &Source, program: &Program) -> Option<u32> {
    let at = match source.region {
        Region::Scalar(at) | Region::Dense(at) | Region::Strided { offset: at, .. } => at,
        _ => return None,
    };
    let bytes = program
        .is_constant(at)
        .then(|| program.image.get(at as usize..))?;
    bytes?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

/// Register `n` of a payload.
fn register(part: &str, raw: &Raw, n: u32, program: &Program) -> Register {
    let grf = program.platform.grf_bytes();
    let at = raw.offset + n * grf;
    let owner = program.owner(at);
    let text = owner.map_or_else(
        || "undefined".to_owned(),
        |o| {
            let first = at - o.range.start;
            format!("{}[{first}..{}]", o.name, first + grf - 1)
        },
    );
    Register {
        part: part.to_owned(),
        layout: None,
        pieces: vec![Piece {
            bytes: grf,
            text,
            at: Some(at),
            value: None,
            computed: false,
        }],
    }
}
