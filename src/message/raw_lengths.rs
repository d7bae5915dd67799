//! The registers of a raw message: those its text counts, those its descriptors count, and those that what it
//! asks takes.
//!
//! ```text
//!  raw_sends.12.1.1.0 (M1, 8) 0x4c 0x02026e06 A.0 B.0 %null.0
//!               │ │ │           │   │      28:25 first payload, 24:20 response
//!               │ │ │           └ 9:6 second payload, up to Gen12
//!               └ by the text ┘
//! ```
//!
//! The message is the descriptors'. Source: vISA text reference 5.12; lowering reference 1.2, 1.3, 17.

use super::Sfid;
use super::bits::Decoded;
use super::codec::decode;
use super::default_lengths::{lane_bytes, lanes};
use super::extended::{length_field, with_second_length};
use super::fields::{Field, extended_gen11 as ex, outer};
use super::request::Request;
use super::text;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::Platform;
use crate::isa::platforms::ExtendedDescriptor;

/// What a raw message says of its registers, as far as that is known.
#[derive(Clone, Debug, Default)]
pub struct RawWords {
    /// The receiver, where the text names it.
    pub function: Option<u32>,
    /// The extended descriptor as the text has it.
    pub ex_desc: Option<u32>,
    /// The descriptor.
    pub desc: Option<u32>,
    /// By the text: out, out after them, back. The second is absent from the form with one source.
    pub lengths: [Option<u32>; 3],
    /// The instruction ends the thread.
    pub eot: bool,
    /// Lanes of the instruction.
    pub lanes: u32,
}

/// Registers of a message that are in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawPart {
    /// The first payload.
    First,
    /// The second.
    Second,
    /// What comes back.
    Response,
}

impl RawPart {
    /// All of them, in the order of the lengths.
    pub const ALL: [RawPart; 3] = [RawPart::First, RawPart::Second, RawPart::Response];
}

/// The extended descriptor of the form with one source: only Gen12 has room for a second length in it.
/// Source: lowering reference 17.
pub fn of_one_source(word: u32, platform: Platform) -> u32 {
    match platform.extended_descriptor {
        ExtendedDescriptor::Gen12 => word,
        _ => word & !ex::LENGTH.mask(),
    }
}

/// Registers of the second payload: the extended descriptor's up to Gen12, then the text's.
pub fn second_length(word: u32, text: u32, platform: Platform) -> u32 {
    match platform.extended_descriptor.length_in_instruction() {
        true => text,
        false => length_field(platform).get(&[word]),
    }
}

impl RawWords {
    const fn split(&self) -> bool {
        self.lengths[1].is_some()
    }

    /// The extended descriptor as a decoder requires it: with its receiver, its end of thread and its second
    /// length, wherever those are.
    fn word(&self, platform: Platform) -> Option<u32> {
        let mut word = self.ex_desc?;
        if let Some(function) = self.function {
            word = word & !ex::SFID.mask() | function & ex::SFID.mask();
        }
        let elsewhere = platform.extended_descriptor.length_in_instruction();
        word = match (self.lengths[1], elsewhere) {
            (Some(second), true) => {
                word & !ex::LENGTH.mask() | second << ex::LENGTH.lo & ex::LENGTH.mask()
            }
            (Some(second), _) => with_second_length(word, second, platform),
            (None, _) => of_one_source(word, platform),
        };
        Some(match self.eot {
            true => word | ex::EOT.mask(),
            false => word,
        })
    }

    /// What is asked, if both descriptors are known and mean something that visim models; Gen5 has its own.
    pub fn decoded(&self, platform: Platform) -> Option<Decoded> {
        let message = text::message(self.desc?, self.word(platform)?, platform).ok()?;
        (!platform.is_gen5()).then(|| decode(&message, platform).ok())?
    }

    /// Registers of a part, as the descriptors have it; `None` where those are not known.
    pub fn registers(&self, part: RawPart, platform: Platform) -> Option<u32> {
        let field = |field: Field| self.desc.map(|word| field.get(&[word]));
        match part {
            RawPart::First => field(outer::LENGTH),
            RawPart::Response => field(outer::RESPONSE),
            RawPart::Second => {
                let word = self.word(platform)?;
                Some(second_length(word, self.lengths[1]?, platform))
            }
        }
    }

    /// Where the text counts other registers than the descriptors.
    pub fn text_vs_descriptor(&self, platform: Platform) -> Vec<String> {
        let field = |word: Option<u32>, field: Field| word.map(|word| field.get(&[word]));
        let [sent, second, received] = self.lengths;
        // A second length that the descriptor has not is the text's to join, as far as there is room.
        let room = length_field(platform);
        let joined = self.registers(RawPart::Second, platform);
        let beyond = match second {
            Some(second) if second > room.max() => joined,
            _ => field(self.ex_desc, room).filter(|n| *n != 0),
        };
        let pairs = [
            ("sent", sent.zip(field(self.desc, outer::LENGTH))),
            ("sent after them", second.zip(beyond)),
            ("received", received.zip(field(self.desc, outer::RESPONSE))),
        ];
        // Of one source fewer than the descriptor has is an error of its own.
        let differs = |&(text, bits): &(u32, u32)| text > bits || self.split() && text < bits;
        let remarks = pairs.into_iter().filter_map(|(what, pair)| {
            let (text, bits) = pair.filter(differs)?;
            Some(format!("{text} {what}, {bits} by the descriptor"))
        });
        remarks.collect()
    }

    /// Where the descriptors count other registers than what they ask for has.
    pub fn beside_request(&self, platform: Platform) -> Vec<String> {
        let (Some(desc), Some(word)) = (self.desc, self.word(platform)) else {
            return Vec::new();
        };
        // What means nothing stops a run.
        text::request(desc, word, platform).map_or_else(|_| Vec::new(), |read| read.odd)
    }

    /// As [`beside_lanes`].
    pub fn beside_lanes(&self, platform: Platform) -> Vec<String> {
        let decoded = self.decoded(platform);
        decoded.map_or_else(Vec::new, |decoded| {
            beside_lanes(&decoded.request, self.lanes, platform)
        })
    }
}

/// Two receivers of one message: up to Gen11 the extended descriptor's is sent, later the text's.
/// Source: lowering reference 1.3; what the finalizer was seen to emit.
pub fn receivers(function: Option<u32>, ex_desc: u32, platform: Platform) -> Option<String> {
    let (text, bits) = (function?, ex::SFID.get(&[ex_desc]));
    let named = |number: u32| {
        let sfid = Sfid::from_number(number, platform);
        let name = sfid.map_or("an unknown function", Sfid::name);
        format!("{number} ({name})")
    };
    let differ = !platform.extended_descriptor.function_in_instruction() && text != bits;
    differ.then(|| {
        format!(
            "{} by the text, {} by the extended descriptor",
            named(text),
            named(bits)
        )
    })
}

/// Lanes of an instruction that its message has none for. Those of the message beyond the instruction's are
/// off, which is not a fault.
pub fn beside_lanes(request: &Request, given: u32, platform: Platform) -> Vec<String> {
    let fewer = lanes(request, platform).filter(|lanes| given > *lanes);
    let remarks = fewer.map(|lanes| format!("{given} lanes, the message has {lanes}"));
    remarks.into_iter().collect()
}

/// The remark on what is counted otherwise, named by its code; `None` if nothing is. Who says it adds the place.
pub fn remark(code: Code, mnemonic: &str, labels: &[String]) -> Option<Diagnostic> {
    if labels.is_empty() {
        return None;
    }
    let (what, note, see) = match code {
        Code::W0385 => (
            "counts other registers than its descriptor",
            "the message is the descriptor's; the text's numbers say which registers it may use. Second lengths are joined up to Gen12, later the text's is sent",
            "vISA text reference 5.12; lowering reference 17",
        ),
        Code::W0386 => (
            "counts other registers than its message has",
            "what the hardware does with registers that do not come, or come unasked, is not defined",
            "lowering reference 1.2 and 1.10",
        ),
        _ => (
            "runs on more lanes than its message has",
            "lanes beyond those of the message are not served",
            "lowering reference 17; the lanes of each message: 3 and 8 to 14",
        ),
    };
    let remark = Diagnostic::with_message(code, format!("{mnemonic} {what}"));
    Some(remark.note(note).see(see))
}

/// The arithmetic of the bytes of a part that are [`lacking`].
pub fn sum(part: RawPart, registers: u32, bytes: u32, platform: Platform) -> String {
    let what = match part {
        RawPart::First => "the first payload",
        RawPart::Second => "the second payload",
        RawPart::Response => "the response",
    };
    let grf = platform.grf_bytes();
    let used = match bytes < registers.saturating_mul(grf) {
        true => format!(", of which {bytes} are used"),
        false => String::new(),
    };
    let (all, registers) = (registers * grf, spelled(registers));
    format!("{what} has {registers} of {grf} bytes: {all}{used}")
}

/// `1 register`, `2 registers`.
pub fn spelled(registers: u32) -> String {
    match registers {
        1 => "1 register".to_string(),
        n => format!("{n} registers"),
    }
}

/// Bytes of registers that a part of a message takes, if that is more than are `there`: `registers` whole ones,
/// of the last one what is used. After the lanes of the instruction nothing is, and of a header eight dwords are
/// read. A media block is as large as its header says, the smallest while that is zeros.
///
/// Where the request is unknown a part fits if it has all registers, the last one whole or not.
pub fn lacking(
    decoded: Option<&Decoded>,
    part: RawPart,
    registers: u32,
    lanes: u32,
    platform: Platform,
    there: u64,
) -> Option<u32> {
    let grf = platform.grf_bytes();
    let before = registers.checked_sub(1)?.saturating_mul(grf);
    let last = match (decoded, platform.is_gen5()) {
        (_, true) => grf,
        (None, _) => match there > u64::from(before) {
            true => return None,
            false => grf,
        },
        (Some(decoded), _) => match (decoded.request, part) {
            _ if part == RawPart::First && decoded.form.header && registers == 1 => 32,
            (Request::Oword(r), _) if r.high => 32,
            (Request::Oword(r), _) => (r.owords * 16).wrapping_sub(1) % grf + 1,
            (Request::SvmBlock(r), _) => (r.owords * 16).wrapping_sub(1) % grf + 1,
            (Request::MediaRead(r) | Request::MediaWrite(r), _) => {
                r.bytes().wrapping_sub(1) % grf + 1
            }
            (request, _) => {
                let lane = lane_bytes(&request, part, platform);
                lane.map_or(32, |lane| lanes.saturating_mul(lane))
            }
        },
    };
    let bytes = before.saturating_add(last.min(grf));
    (u64::from(bytes) > there).then_some(bytes)
}
