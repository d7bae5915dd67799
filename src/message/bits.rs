//! A message as the hardware sees it, and the way from and to a [`Request`].
//!
//! The law: `decode(encode(request)) == request`. Bits no table of [`super::fields`] explains are
//! refused by name, so a wrong descriptor never passes as a right one.

use super::Sfid;
use super::fields::{Field, Layout, TooWide, outer};
use super::request::Request;
use crate::isa::Platform;

/// A message: descriptors, and the registers that say what is asked.
///
/// Per-lane parameters and data are not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Receiver.
    pub sfid: Sfid,
    /// The descriptor.
    pub desc: u32,
    /// The extended descriptor.
    pub ex_desc: u32,
    /// Registers of the second payload; part of `ex_desc` up to Gen12.
    pub extended_length: u32,
    /// The thread ends with this message.
    pub eot: bool,
    /// `M0.0..M0.7` if there is a header, else zeros.
    pub header: [u32; 8],
    /// `M1.0..M1.7` of block messages of the sampler, else zeros.
    pub payload: [u32; 8],
}

/// What does not follow from the request: how the payload lies in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageForm {
    /// The first register is a header.
    pub header: bool,
    /// Registers of the first payload, header included.
    pub first: u32,
    /// Registers of the second payload.
    pub second: u32,
    /// Registers written back.
    pub response: u32,
}

/// A decoded message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decoded {
    /// What is asked.
    pub request: Request,
    /// How it lies in registers.
    pub form: MessageForm,
}

/// Why a request has no bits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A value has too many bits.
    #[error(transparent)]
    TooWide(#[from] TooWide),
    /// The platform cannot be asked this.
    #[error("{platform} has no message for {what}")]
    Absent {
        /// The request.
        what: &'static str,
        /// The platform.
        platform: Platform,
    },
    /// The request needs a header, or its lengths do not fit together.
    #[error("{0}")]
    Unencodable(String),
    /// No message of the platform is modelled.
    #[error("the messages of {platform} are not modelled ({section})")]
    Unmodelled {
        /// The platform.
        platform: Platform,
        /// Where they are stated.
        section: &'static str,
    },
}

/// Why bits are not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A bit that no field explains.
    #[error("bit {bit} of {part} dword {dw} is not known")]
    UnknownBit {
        /// Which part of the message.
        part: &'static str,
        /// Its dword.
        dw: usize,
        /// The lowest such bit.
        bit: u32,
    },
    /// A field holds a value without meaning.
    #[error("{} ({}) holds {value}, which has no meaning here", field.name, field.position())]
    Reserved {
        /// The field.
        field: Field,
        /// Its value.
        value: u32,
    },
    /// A form of a media block that is known by name alone: M0.2 has bits beyond those of the mode NORMAL.
    #[error(
        "M0.2 bit {0} of a media block: only message mode NORMAL is modelled, neither PIXEL_MASK nor color processing (PRM 5.10.5)"
    )]
    MediaMode(u32),
    /// A function of `sample_8x8` of Gen8 and Gen9 beside the scaler, by its name.
    #[error(
        "the function {0} of sample_8x8 is not modelled, only the scaler is (AVS reference 10)"
    )]
    MediaFunction(&'static str),
    /// A block message of Gen5's sampler that the published manual has lost.
    #[error(
        "the manual's row of type {0} is not in the published text (PRM 4.11.1.3.2; lowering reference 18.4)"
    )]
    SamplerBlock(u32),
    /// No message of this type at this function.
    #[error("{} knows no message type {value}", sfid.name())]
    UnknownType {
        /// Receiver.
        sfid: Sfid,
        /// The type.
        value: u32,
    },
    /// A message of the load/store pipe that visim does not model.
    #[error(
        "opcode {opcode} of {} is not modelled (Xe2 messages reference 7)", sfid.name()
    )]
    LoadStore {
        /// Receiver.
        sfid: Sfid,
        /// The opcode.
        opcode: u32,
    },
    /// The receiver is not modelled.
    #[error("messages to {} are not modelled", .0.name())]
    UnknownFunction(Sfid),
    /// Lengths that no request of this kind has.
    #[error("{0}")]
    Length(String),
    /// A message that the platform's function has no more.
    #[error("{platform} has no {what}: {instead}")]
    Gone {
        /// The message.
        what: &'static str,
        /// The platform.
        platform: Platform,
        /// Who has it there, and where that is reported.
        instead: &'static str,
    },
    /// No message of the platform is modelled.
    #[error("the messages of {platform} are not modelled ({section})")]
    Unmodelled {
        /// The platform.
        platform: Platform,
        /// Where they are stated.
        section: &'static str,
    },
}

impl DecodeError {
    /// What is wrong: there is no such message, or one that the manual names cannot have these bits.
    pub fn title(&self) -> &'static str {
        let names_none = match self {
            DecodeError::UnknownType { .. } => true,
            DecodeError::Reserved { field, .. } => {
                field.name.contains("type") || field.name.contains("opcode")
            }
            _ => false,
        };
        match names_none {
            true => "no message has these bits",
            false => "the message cannot have these bits",
        }
    }

    /// Whether the message is defined, and only visim has no place for it.
    pub const fn is_unmodelled(&self) -> bool {
        matches!(
            self,
            DecodeError::MediaMode(_)
                | DecodeError::MediaFunction(_)
                | DecodeError::SamplerBlock(_)
                | DecodeError::LoadStore { .. }
                | DecodeError::UnknownFunction(_)
                | DecodeError::Unmodelled { .. }
        )
    }
}

/// A message under construction: what the families fill in.
pub(super) struct Draft {
    pub sfid: Sfid,
    pub control: u32,
    pub params16: bool,
    pub return16: bool,
    /// The sixth bit of a sampler's message type.
    pub type_high: u32,
    pub header: [u32; 8],
    pub payload: [u32; 8],
    pub target: u32,
    pub coarse: bool,
    pub alpha: bool,
    pub null_target: bool,
    pub eot: bool,
}

impl Draft {
    pub fn new(sfid: Sfid) -> Draft {
        Draft {
            sfid,
            control: 0,
            params16: false,
            return16: false,
            type_high: 0,
            header: [0; 8],
            payload: [0; 8],
            target: 0,
            coarse: false,
            alpha: false,
            null_target: false,
            eot: false,
        }
    }

    /// Writes a field of the function control.
    pub fn put(&mut self, field: Field, value: u32) -> Result<(), TooWide> {
        field.put(std::slice::from_mut(&mut self.control), value)
    }
}

/// Registers that hold `bytes`, one at least.
pub const fn rows(bytes: u32, platform: Platform) -> u32 {
    let rows = bytes.div_ceil(platform.grf_bytes());
    if rows == 0 { 1 } else { rows }
}

/// The descriptor from its outer fields and a function control.
///
/// # Errors
/// [`TooWide`] for a length that its field cannot hold.
pub fn descriptor(form: &MessageForm, control: u32) -> Result<u32, TooWide> {
    let mut desc = [0];
    outer::CONTROL.put(&mut desc, control)?;
    outer::HEADER.put(&mut desc, form.header.into())?;
    outer::RESPONSE.put(&mut desc, form.response)?;
    outer::LENGTH.put(&mut desc, form.first)?;
    Ok(desc[0])
}

/// Refuses bits that no field of the layout explains, in every word the slice has.
pub(super) fn refuse_unknown(layout: &Layout, words: &[u32]) -> Result<(), DecodeError> {
    for (dw, word) in words.iter().enumerate() {
        let unknown = word & !layout.known(dw);
        if unknown != 0 {
            return Err(DecodeError::UnknownBit {
                part: layout.name,
                dw,
                bit: unknown.trailing_zeros(),
            });
        }
    }
    Ok(())
}

/// Refuses unknown bits of one dword of a header, whose other dwords the function does not read.
pub(super) fn refuse_unknown_in(
    layout: &Layout,
    words: &[u32; 8],
    dw: usize,
) -> Result<(), DecodeError> {
    let unknown = words[dw] & !layout.known(dw);
    if unknown == 0 {
        return Ok(());
    }
    Err(DecodeError::UnknownBit {
        part: layout.name,
        dw,
        bit: unknown.trailing_zeros(),
    })
}

/// Refuses the forms of a media block other than NORMAL. The published manual speaks of their fields
/// (Message Mode, Color Processing Enable, Message Format) and leaves out their bits; those of NORMAL
/// are height and width alone, and the bits between them are ignored: what lies above the height is taken
/// to be a mode of the data port of Gen7.5 and later. Gen5 has NORMAL alone, and ignores those bits.
/// Source: PRM 5.10.5.2, 5.10.5.3.
pub(super) fn refuse_media_modes(layout: &Layout, header: &[u32; 8]) -> Result<(), DecodeError> {
    match header[2] & !layout.known(2) {
        0 => Ok(()),
        other => Err(DecodeError::MediaMode(other.trailing_zeros())),
    }
}

/// Refuses a value without meaning.
pub(super) fn reserved<T>(field: Field, value: u32, known: Option<T>) -> Result<T, DecodeError> {
    known.ok_or(DecodeError::Reserved { field, value })
}

/// Refuses the outer bits only sampler and render target messages have.
pub(super) fn refuse_data_size(message: &Message) -> Result<(), DecodeError> {
    for field in [outer::PARAMS16, outer::RETURN16] {
        let value = field.get(&[message.desc]);
        if value != 0 {
            return Err(DecodeError::Reserved { field, value });
        }
    }
    Ok(())
}

impl MessageForm {
    /// The form of a message with a header of one register and nothing else.
    pub const fn header_only(response: u32) -> MessageForm {
        MessageForm {
            header: true,
            first: 1,
            second: 0,
            response,
        }
    }

    /// Registers of both payloads.
    pub const fn registers(&self) -> u32 {
        self.first.saturating_add(self.second)
    }
}
