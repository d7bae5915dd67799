//! Messages of a program: the request template and the registers that are read and written.

use super::{Guard, Lanes, Raw, Source};
use crate::isa::UnormFormat;
use crate::message::request::{Request, Scalar};

/// A message: its request template and the registers it reads and writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// Which lanes; block messages ignore them.
    pub lanes: Lanes,
    /// The predicate.
    pub guard: Option<Guard>,
    /// Arena offset of the surface index; `None` where there is no surface.
    pub surface: Option<u32>,
    /// Arena offset of the sampler index.
    pub sampler: Option<u32>,
    /// What is asked; fields that operands give are filled in when it runs.
    pub request: Request,
    /// The operands.
    pub operands: Operands,
}

/// A message as its descriptors have it: what is asked is known when it runs. Source: vISA text reference 5.12.
#[derive(Clone, Debug, PartialEq)]
pub struct RawMessage {
    /// Which lanes.
    pub lanes: Lanes,
    /// The predicate.
    pub guard: Option<Guard>,
    /// The receiver, where the text names it beside the extended descriptor.
    pub function: Option<u32>,
    /// Extended descriptor.
    pub ex_desc: ExtendedWord,
    /// Descriptor.
    pub desc: Source,
    /// Registers of the first and second payload and of the response, as the text says.
    pub lengths: [u32; 3],
    /// First and second payload.
    pub payload: [Option<Raw>; 2],
    /// Response.
    pub dst: Option<Raw>,
    /// The thread ends with it.
    pub eot: bool,
    /// Both descriptors are in the text, where the check has seen them.
    pub constant: bool,
    /// General registers that operands waited for since the message before, a bit for each; none where the
    /// check has seen all lengths.
    pub waited: Option<u128>,
}

/// Where an extended descriptor is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExtendedWord {
    /// In the text.
    Known(u32),
    /// In an operand.
    Operand(Source),
}

/// What feeds a [`Request`] and takes its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Operands {
    /// Operands that fill fields of the request, in the order of the text.
    pub scalars: Box<[(Scalar, Source)]>,
    /// The registers beside it.
    pub registers: Registers,
}

impl Operands {
    /// What is added to the address of every lane.
    pub fn bases(&self) -> impl Iterator<Item = &Source> {
        let bases = self.scalars.iter().filter(|(scalar, _)| scalar.is_base());
        bases.map(|(_, source)| source)
    }
}

/// Parameters of a message at most: vISA text reference 5.8.
pub const MOST_PARAMS: usize = 15;

/// The registers of a message, part by part as its [`Layout`](crate::message::Layout) has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Registers {
    /// What says where or what for each lane: parameters, coordinates, addresses, in vISA's order.
    pub params: Params,
    /// Bytes that one unit of an offset means.
    pub unit: u32,
    /// Bytes of a lane's offset or address.
    pub address_bytes: u32,
    /// The register with the pixels' places, of a render target write.
    pub header: Option<Raw>,
    /// What is written: rows of data in the first; operands of an atomic in the order of the payload; R, G, B, A.
    pub data: [Option<Raw>; 4],
    /// Where the answer goes; `None` for `%null`.
    pub answer: Option<Raw>,
    /// Channels not asked for keep their places among four: SIMD8 on Gen5 (PRM 4.11.2.2).
    pub in_place: bool,
    /// Elements of `sample_unorm`, which its bits do not tell (D10).
    pub elements: UnormFormat,
    /// Registers that the descriptor of a raw message asks for: its block is returned as the part returns it, not
    /// as vISA has it (D11).
    pub response: Option<u32>,
}

impl Registers {
    /// None at all.
    pub const NONE: Registers = Registers {
        params: Params {
            registers: [None; MOST_PARAMS],
            count: 0,
        },
        unit: 1,
        address_bytes: 4,
        header: None,
        data: [None; 4],
        answer: None,
        in_place: false,
        elements: UnormFormat::Full16,
        response: None,
    };

    /// Parameters alone; those beyond [`MOST_PARAMS`] are dropped, which the check has refused.
    pub fn of_params(params: impl IntoIterator<Item = Option<Raw>>) -> Registers {
        let mut registers = Registers::NONE;
        let list = &mut registers.params;
        for (to, from) in list.registers.iter_mut().zip(params) {
            *to = from;
            list.count += 1;
        }
        registers
    }

    /// The parameters; `None` is zeros.
    pub fn params(&self) -> &[Option<Raw>] {
        &self.params.registers[..usize::from(self.params.count)]
    }
}

/// Parameters of a message, without memory of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    registers: [Option<Raw>; MOST_PARAMS],
    count: u8,
}
