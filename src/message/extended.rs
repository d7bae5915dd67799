//! The extended descriptor: who receives a message, and what that one reads there.
//!
//! ```text
//!   20 null target   15 source-0 alpha   14:12 target   11 coarse   10:6 second length   5 end   3:0 receiver
//! ```
//!
//! Length, end and receiver move into the instruction on later parts. Source: lowering reference 1.3.

use super::Sfid;
use super::bits::{DecodeError, Message, refuse_unknown, reserved};
use super::fields::{self, Field, Layout, extended_gen11 as ex};
use crate::isa::Platform;
use crate::isa::platforms::ExtendedDescriptor;

/// What an extended descriptor says besides the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extended {
    /// Registers of the second payload.
    pub length: u32,
    /// End of thread.
    pub eot: bool,
    /// Coarse pixel.
    pub coarse: bool,
    /// Render target index.
    pub target: u32,
    /// The payload begins with source-0 alpha.
    pub alpha: bool,
    /// Nothing is written.
    pub null_target: bool,
}

/// What a receiver reads besides its number; all other bits are 0 in its messages.
///
/// A second payload goes where parameters or data may be many. Coarse pixels are the sampler's to know
/// (lowering reference 3.8), target, alpha and null target the render cache's (14). Who may end a thread
/// is PRM 2.6.8: the spawner, the gateway, and what takes the last word of a pixel or a vertex.
#[rustfmt::skip]
static READ: &[(Sfid, &[Field])] = &[
    (Sfid::Sampler, &[ex::LENGTH, ex::COARSE]),
    (Sfid::Dc0,     &[ex::LENGTH]),
    (Sfid::Dc1,     &[ex::LENGTH]),
    (Sfid::Rc,      &[ex::LENGTH, ex::EOT, ex::TARGET, ex::ALPHA, ex::NULL_TARGET]),
    (Sfid::Urb,     &[ex::LENGTH, ex::EOT]),
    (Sfid::Gateway, &[ex::EOT]),
    (Sfid::Ts,      &[ex::EOT]),
    (Sfid::Tgm,     &[]),
    (Sfid::Slm,     &[]),
    (Sfid::Ugm,     &[]),
    (Sfid::Ugml,    &[]),
];

/// The layout of extended descriptors on a platform.
pub fn extended_layout(platform: Platform) -> &'static Layout {
    match platform.extended_descriptor {
        ExtendedDescriptor::Gen5 => &fields::extended_gen5::LAYOUT,
        ExtendedDescriptor::Gen9 => &fields::extended_gen9::LAYOUT,
        ExtendedDescriptor::Gen11 => &ex::LAYOUT,
        ExtendedDescriptor::Gen12 => &fields::extended_gen12::LAYOUT,
        ExtendedDescriptor::XeHpg => &fields::extended_xehpg::LAYOUT,
    }
}

/// The layout of extended descriptors in texts: those of a part whose instruction names function and lengths are
/// written as Gen11's.
pub fn extended_text_layout(platform: Platform) -> &'static Layout {
    match platform.extended_descriptor.function_in_instruction() {
        true => &ex::LAYOUT,
        false => extended_layout(platform),
    }
}

/// The second length's field on a platform, or that of the instruction, which is as wide.
pub fn length_field(platform: Platform) -> Field {
    match platform.extended_descriptor {
        ExtendedDescriptor::Gen5 | ExtendedDescriptor::Gen9 => fields::extended_gen9::LENGTH,
        _ => ex::LENGTH,
    }
}

/// An extended descriptor of a raw message with the second length that its text gives: up to Gen12 both are
/// joined in its field, as was seen in the finalizer; later parts have the length in the instruction.
pub fn with_second_length(word: u32, length: u32, platform: Platform) -> u32 {
    if platform.extended_descriptor.length_in_instruction() {
        return word;
    }
    let field = length_field(platform);
    word | length << field.lo & field.mask()
}

/// The extended descriptor: receiver and second length are in it up to Gen11 and Gen12.
///
/// The length is cut to its field, as the finalizer does. Source: lowering reference 1.3.
pub fn extended_descriptor(sfid: Sfid, extended: &Extended, platform: Platform) -> u32 {
    let layout = extended_layout(platform);
    let number = u32::from(sfid.number(platform).unwrap_or(0));
    let length = length_field(platform);
    let all = [
        (ex::SFID, number),
        (length, extended.length),
        (ex::EOT, extended.eot.into()),
        (ex::COARSE, extended.coarse.into()),
        (ex::TARGET, extended.target),
        (ex::ALPHA, extended.alpha.into()),
        (ex::NULL_TARGET, extended.null_target.into()),
    ];
    let there = |field: &Field| layout.fields.contains(field);
    all.iter()
        .filter(|(field, _)| there(field))
        .fold(0, |word, (field, value)| {
            word | (value & field.max()) << field.lo
        })
}

/// Receiver, second length and end of thread, where the extended descriptor has them, are those of the message.
pub(super) fn says_the_same(message: &Message, platform: Platform) -> Result<(), DecodeError> {
    let layout = extended_layout(platform);
    let number = message.sfid.number(platform).map(u32::from);
    for (field, wanted) in [
        (ex::SFID, number),
        (length_field(platform), Some(message.extended_length)),
        (ex::EOT, Some(message.eot.into())),
    ] {
        if layout.fields.contains(&field) {
            let value = field.get(&[message.ex_desc]);
            reserved(field, value, (wanted == Some(value)).then_some(()))?;
        }
    }
    Ok(())
}

/// Reads what the receiver reads, and refuses what it does not. Length and end of thread, which later
/// parts have in the instruction, are those of the message; where the word has them too it must say the same.
pub(super) fn decode_extended(
    message: &Message,
    platform: Platform,
) -> Result<Extended, DecodeError> {
    let layout = extended_layout(platform);
    let word = [message.ex_desc];
    refuse_unknown(layout, &word)?;
    says_the_same(message, platform)?;
    let extended = Extended {
        length: message.extended_length,
        eot: message.eot,
        coarse: ex::COARSE.get(&word) != 0,
        target: ex::TARGET.get(&word),
        alpha: ex::ALPHA.get(&word) != 0,
        null_target: ex::NULL_TARGET.get(&word) != 0,
    };
    // Receivers that are not modelled are refused by name.
    let Some((_, read)) = READ.iter().find(|row| row.0 == message.sfid) else {
        return Ok(extended);
    };
    for (field, value) in [
        (ex::NULL_TARGET, extended.null_target.into()),
        (ex::ALPHA, extended.alpha.into()),
        (ex::TARGET, extended.target),
        (ex::COARSE, extended.coarse.into()),
        (ex::LENGTH, extended.length),
        (ex::EOT, extended.eot.into()),
    ] {
        let second = field == ex::LENGTH && !platform.split_send;
        if value != 0 && (second || !read.contains(&field)) {
            let field = if field == ex::LENGTH {
                length_field(platform)
            } else {
                field
            };
            return reserved(field, value, None);
        }
    }
    Ok(extended)
}

#[cfg(test)]
mod tests {
    use crate::isa::Platform;
    use crate::message::text::request;

    /// Bits that the receiver of the message does not read, by name.
    #[test]
    fn what_a_receiver_does_not_read_is_refused_by_name() {
        let (block, barrier, end) = (0x0219_0703, 0x0200_0004, 0x0200_0010);
        for (platform, desc, ex_desc, wanted) in [
            (
                Platform::Skl,
                block,
                0x10_000c,
                "null render target (bit 20) holds 1",
            ),
            (
                Platform::Icl,
                block,
                0x00_800c,
                "source-0 alpha (bit 15) holds 1",
            ),
            (
                Platform::Tgl,
                block,
                0x00_300c,
                "render target index (bits 14:12) holds 3",
            ),
            (
                Platform::Pvc,
                block,
                0x00_080c,
                "coarse pixel (bit 11) holds 1",
            ),
            (
                Platform::Skl,
                block,
                0x00_002c,
                "end of thread (bit 5) holds 1",
            ),
            (
                Platform::Tgl,
                block,
                0x00_002c,
                "end of thread (bit 5) holds 1",
            ),
            (
                Platform::Skl,
                block,
                0x00_004c,
                "a second payload of 1 registers",
            ),
            (
                Platform::Bdw,
                0x0202_6e06,
                0x00_004c,
                "extended length (bits 9:6) holds 1",
            ),
            (
                Platform::Skl,
                barrier,
                0x00_0043,
                "extended length (bits 9:6) holds 1",
            ),
            (
                Platform::Icl,
                barrier,
                0x00_0403,
                "extended length (bits 10:6) holds 16",
            ),
            (
                Platform::Skl,
                barrier,
                0x00_0023,
                "end of thread (bit 5) holds 1",
            ),
            (
                Platform::Skl,
                end,
                0x00_0007,
                "end of thread (bit 5) holds 0",
            ),
            (
                Platform::Dg2,
                end,
                0x00_0003,
                "end of thread (bit 5) holds 0",
            ),
            (
                Platform::Skl,
                0x0200_0011,
                0x00_0027,
                "opcode (bit 0) holds 1",
            ),
            (
                Platform::Skl,
                0x023e_c305,
                0x00_0802,
                "coarse pixel (bit 11) holds 1",
            ),
            (
                Platform::Ilk,
                0x0201_0000,
                0x00_0003,
                "bit 16 of gateway function control",
            ),
            (
                Platform::Ilk,
                0x0200_0010,
                0x00_0003,
                "thread end (bit 4) holds 1",
            ),
            (
                Platform::Ilk,
                0x0200_0000,
                0x00_0007,
                "end of thread (bit 5) holds 0",
            ),
            (
                Platform::Ilk,
                0x0200_0010,
                0x00_0027,
                "request (bit 1) holds 0",
            ),
        ] {
            let why = request(desc, ex_desc, platform)
                .expect_err(wanted)
                .to_string();
            assert!(
                why.starts_with(wanted),
                "{platform} {desc:#x} {ex_desc:#x}: {why}"
            );
        }
    }

    #[test]
    fn what_a_receiver_reads_is_told() {
        for (platform, desc, ex_desc, wanted) in [
            (Platform::Skl, 0x0242_7005, 0x802, "coarse yes"),
            (Platform::Skl, 0x0c03_1406, 0x10_0005, "null yes"),
            (Platform::Skl, 0x0c03_1406, 0x00_8005, "alpha yes"),
            (Platform::Icl, 0x0c03_1406, 0x00_3005, "target 3"),
            (Platform::Skl, 0x0c03_1406, 0x00_0025, "eot yes"),
        ] {
            let refused = request(desc, ex_desc, platform).expect(wanted).asked;
            assert!(
                refused.contains(wanted),
                "{platform} {ex_desc:#x}: {refused}"
            );
        }
    }
}
