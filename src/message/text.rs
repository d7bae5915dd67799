//! Messages for people: descriptors and headers, field by field.
//!
//! ```text
//! descriptor 0x02490000
//!   31 30 29 28   25 24       20 19 18                                  0
//!    0  0  0  0001    00100       1  001 0000000000000000
//!   28:25  message length     1  registers of the first payload, header included
//! ```
//!
//! The names and meanings are those of [`super::fields`]; bits no field explains are said to be so.

use super::bits::{DecodeError, Message, MessageForm, refuse_unknown};
use super::codec::decode;
use super::default_lengths::{counts_by_header, odd_lengths};
use super::extended::{extended_layout, extended_text_layout};
use super::fields::{
    Field, Layout, extended_gen11, extended_lsc, extended_lsc_block2d, extended_lsc_bti,
    lsc as lsc_fields, outer, outer_gen5, sampler_xe2,
};
use super::request::Request;
use super::{Sfid, dataport, gen5, lsc};
use crate::base::order;
use crate::isa::Platform;
use std::fmt::Write;

/// One line for each field of a word: bits, name, value, meaning; then what no field explains.
pub fn word(layout: &Layout, dw: usize, value: u32) -> String {
    word_of(layout.name, layout.fields, dw, value)
}

/// The same of some fields of the part `name`.
fn word_of(name: &str, fields: &[Field], dw: usize, value: u32) -> String {
    let mut text = String::new();
    let mut words = vec![0; dw + 1];
    words[dw] = value;
    for field in fields.iter().filter(|f| f.dw == dw) {
        let _ = writeln!(text, "  {}", field.line(&words, 22));
    }
    let unknown = fields.iter().fold(value, |bits, f| bits & !f.mask_in(dw));
    if unknown != 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {unknown:#010x}  in no field of the {name}");
    }
    text
}

/// The fields of a layout that messages to a function have on a platform: what all descriptors share has some that
/// the sampler and the render cache alone read, and the load/store pipe some that came later.
/// All of them where the function is not known.
///
/// Source: lowering reference 1.2, 1.3; Xe2 messages reference 7.
pub fn fields_of(layout: &Layout, sfid: Option<Sfid>, platform: Platform) -> Vec<Field> {
    use extended_gen11 as ex;
    let Some(sfid) = sfid else {
        return layout.fields.to_vec();
    };
    let pipe = platform.lsc;
    let sampler = sfid == Sfid::Sampler;
    let target = sfid == Sfid::Rc;
    let offsets = pipe.is_none_or(|pipe| pipe.immediate_offsets);
    let policies = pipe.is_none_or(|pipe| pipe.cache_bits > 3);
    let owned: [(&[Field], bool); 5] = [
        (&[outer::RETURN16], sampler || target),
        (&[outer::PARAMS16], sampler && platform.sampler.params16),
        (
            &[ex::NULL_TARGET, ex::ALPHA, ex::TARGET, ex::COARSE],
            target,
        ),
        (
            &[
                extended_lsc::OFFSET,
                extended_lsc_bti::OFFSET,
                extended_lsc_block2d::X,
                extended_lsc_block2d::Y,
            ],
            offsets,
        ),
        (&[lsc_fields::CACHE_LOW], policies),
    ];
    let lacking = |field: &&Field| {
        owned
            .iter()
            .any(|(fields, has)| !has && fields.contains(field))
    };
    layout
        .fields
        .iter()
        .filter(|f| !lacking(f))
        .copied()
        .collect()
}

/// The 32 bits in groups by field, the highest first, with a ruler above.
///
/// ```text
///   31 30 29 28:25 24:20 19 18:0
///    0  0  0  0001 00100  1 0010000000000000000
/// ```
pub fn ruler(fields: &[Field], value: u32) -> String {
    let mut groups: Vec<(u32, u32)> = fields.iter().map(|f| (f.hi, f.lo)).collect();
    order::sort_by(&mut groups, |a, b| b.cmp(a));
    // Gaps between fields are groups of their own.
    let mut all = Vec::new();
    let mut next = 32;
    for (hi, lo) in groups {
        if hi + 1 < next {
            all.push((next - 1, hi + 1));
        }
        all.push((hi, lo));
        next = lo;
    }
    if next > 0 {
        all.push((next - 1, 0));
    }
    let (mut top, mut bottom) = (String::new(), String::new());
    for (hi, lo) in all {
        let name = if hi == lo {
            hi.to_string()
        } else {
            format!("{hi}:{lo}")
        };
        let width = (hi - lo + 1) as usize;
        let bits = format!("{:0width$b}", value >> lo & (u32::MAX >> (31 + lo - hi)));
        let columns = name.len().max(bits.len());
        let _ = write!(top, " {name:>columns$}");
        let _ = write!(bottom, " {bits:>columns$}");
    }
    format!(" {top}\n {bottom}\n")
}

/// The receiver that an extended descriptor names: its low four bits, on every platform, as the text
/// of raw sends has it.
pub fn receiver(ex_desc: u32, platform: Platform) -> Option<Sfid> {
    Sfid::from_number(extended_gen11::SFID.get(&[ex_desc]), platform)
}

/// What texts have in an extended descriptor for the instruction: receiver, end of thread, second length.
const NAMED_BY_INSTRUCTION: u32 = 0xfff;

/// Explains a descriptor and its extended descriptor: every field by name, then the request they
/// make if they make one. The header counts as zeros, so what it would say is left open.
///
/// `ex_desc` names the receiver in its low four bits, also on platforms where the instruction does.
///
/// Source: lowering reference 1.2, 1.3, 1.4.
pub fn explain_descriptor(desc: u32, ex_desc: u32, platform: Platform) -> String {
    let mut text = String::new();
    let sfid = receiver(ex_desc, platform);
    let name = sfid.map_or("an unknown function", Sfid::name);
    let _ = writeln!(text, "descriptor {desc:#010x} to {name} on {platform}");
    if let Some([layout, extended]) = sfid.and_then(|sfid| lsc::layouts(sfid, desc, platform)) {
        // Lengths and cache control are where other messages have a header bit.
        let fields = fields_of(layout, sfid, platform);
        text += &ruler(&fields, desc);
        let _ = writeln!(text, "{} ({})", layout.name, layout.source);
        text += &word_of(layout.name, &fields, 0, desc);
        let _ = writeln!(text, "extended descriptor {ex_desc:#010x}");
        let fields = fields_of(extended, sfid, platform);
        text += &word_of(extended.name, &fields, 0, ex_desc & !NAMED_BY_INSTRUCTION);
        return text + &asked(desc, ex_desc, platform);
    }
    if let Some(section) = platform.dialect.unmodelled() {
        let why = DecodeError::Unmodelled { platform, section };
        return format!("{text}no request: {why}\n");
    }
    let control = outer::CONTROL.get(&[desc]);
    let layout = sfid.and_then(|sfid| control_layout(sfid, desc, platform));
    // The fields of the function control take the place of the one that holds them all.
    let outer = outer_layout(platform);
    let shared = fields_of(outer, sfid, platform);
    let whole = shared.iter();
    let inner = layout.map_or(&[][..], |l| l.fields);
    let fields: Vec<Field> = whole
        .filter(|f| **f != outer::CONTROL || layout.is_none())
        .chain(inner)
        .copied()
        .collect();
    text += &ruler(&fields, desc);
    let own = layout.map_or(0, |layout| layout.known(0) & !outer.known(0));
    text += &word_of(outer.name, &shared, 0, desc & !own);
    if let Some(layout) = layout {
        let control = control | desc & own;
        let _ = writeln!(text, "{} {control:#x} ({})", layout.name, layout.source);
        text += &word(layout, 0, control);
    }
    // Where the instruction names receiver and lengths, the word is read as Gen11 writes it.
    let extended = extended_text_layout(platform);
    let _ = writeln!(text, "extended descriptor {ex_desc:#010x}");
    let fields = fields_of(extended, sfid, platform);
    text += &word_of(extended.name, &fields, 0, ex_desc);
    text + &asked(desc, ex_desc, platform)
}

/// What the descriptors ask, in words.
fn asked(desc: u32, ex_desc: u32, platform: Platform) -> String {
    let mut text = String::new();
    match request(desc, ex_desc, platform) {
        Ok(read) => {
            let MessageForm {
                header,
                first,
                second,
                response,
            } = read.form;
            let open = if header {
                ", the header taken as zeros"
            } else {
                ""
            };
            let asked = read.asked;
            let _ = writeln!(
                text,
                "request ({first}+{second} registers out, {response} back{open})\n  {asked}"
            );
            for odd in read.odd {
                let _ = writeln!(text, "  it has {odd}");
            }
            if read.starred {
                text += "  the manual stars this message and does not say why (W0946; PRM 4.11.1.3.2)\n";
            }
        }
        Err(why) => {
            let _ = writeln!(text, "no request: {why}");
            if names_nobody(ex_desc, platform) {
                text += &receivers(desc, ex_desc, platform);
            }
        }
    }
    text
}

/// How the receiver is named, and what others would be asked.
fn receivers(desc: u32, ex_desc: u32, platform: Platform) -> String {
    let mut text = String::from(
        "  the low four bits of the extended descriptor name the receiver here, on parts whose instruction has it too",
    );
    let meant = meant(desc, ex_desc, platform);
    text += if meant.is_empty() {
        "; no other knows this message\n"
    } else {
        ":\n"
    };
    for (sfid, asked) in meant {
        let number = sfid.number(platform).map_or(0, u32::from);
        let word = ex_desc & !extended_gen11::SFID.mask() | number;
        let _ = writeln!(text, "  with {word:#x}, to {}: {asked}", sfid.name());
    }
    text
}

fn names_nobody(ex_desc: u32, platform: Platform) -> bool {
    matches!(receiver(ex_desc, platform), None | Some(Sfid::Null))
}

/// The receivers that know the message of a pair of descriptors, and what it asks of them, where the extended one
/// names none; else nothing.
pub fn meant(desc: u32, ex_desc: u32, platform: Platform) -> Vec<(Sfid, String)> {
    let numbers = (0..=extended_gen11::SFID.max()).filter(|_| names_nobody(ex_desc, platform));
    let known = numbers.filter_map(|number| {
        let word = ex_desc & !extended_gen11::SFID.mask() | number;
        let sfid = receiver(word, platform)?;
        Some((sfid, request(desc, word, platform).ok()?.asked))
    });
    known.collect()
}

/// The layout of what all descriptors of a platform have.
pub fn outer_layout(platform: Platform) -> &'static Layout {
    match platform.is_gen5() {
        true => &outer_gen5::LAYOUT,
        false => &outer::LAYOUT,
    }
}

/// The layout of a message's function control, or none if the message is not known.
pub fn control_layout(sfid: Sfid, desc: u32, platform: Platform) -> Option<&'static Layout> {
    match platform.is_gen5() {
        true => gen5::layout(sfid),
        false if sfid == Sfid::Sampler && platform.sampler.six_bit_types => {
            Some(&sampler_xe2::LAYOUT)
        }
        false => dataport::layout(sfid, outer::CONTROL.get(&[desc])),
    }
}

/// What a pair of descriptors asks.
#[derive(Clone, Debug)]
pub struct Read {
    /// Its lengths.
    pub form: MessageForm,
    /// The request in words.
    pub asked: String,
    /// Where the lengths are not those of the request ([`odd_lengths`]); nothing where the header decides.
    pub odd: Vec<String>,
    /// The manual stars the message ([`gen5::is_starred`]).
    pub starred: bool,
}

/// The lengths and the request that a pair of descriptors makes; the header counts as zeros.
///
/// # Errors
/// [`DecodeError`] naming the bit, field or length that makes no sense.
pub fn request(desc: u32, ex_desc: u32, platform: Platform) -> Result<Read, DecodeError> {
    let message = message(desc, ex_desc, platform)?;
    let decoded = decode(&message, platform)?;
    let starred = platform.is_gen5()
        && matches!(&decoded.request, Request::Sampler(sampled) if gen5::is_starred(sampled.op));
    Ok(Read {
        starred,
        form: decoded.form,
        asked: decoded.request.to_string(),
        odd: match counts_by_header(&decoded) {
            true => Vec::new(),
            false => odd_lengths(&decoded, platform),
        },
    })
}

/// The message of a pair of descriptors, the extended one with receiver, end of thread and second length on
/// every platform; its registers are zeros.
///
/// # Errors
/// [`DecodeError`] for a receiver or a bit of the extended descriptor that the platform has not.
pub fn message(desc: u32, ex_desc: u32, platform: Platform) -> Result<Message, DecodeError> {
    let Some(sfid) = receiver(ex_desc, platform) else {
        let value = extended_gen11::SFID.get(&[ex_desc]);
        return Err(DecodeError::Reserved {
            field: extended_gen11::SFID,
            value,
        });
    };
    let layout = extended_layout(platform);
    if lsc::is_meant(sfid, desc) {
        return Ok(Message {
            sfid,
            desc,
            ex_desc: ex_desc & !NAMED_BY_INSTRUCTION,
            extended_length: extended_gen11::LENGTH.get(&[ex_desc]),
            eot: false,
            header: [0; 8],
            payload: [0; 8],
        });
    }
    let named = extended_text_layout(platform);
    refuse_unknown(named, &[ex_desc])?;
    let length = named
        .fields
        .iter()
        .find(|f| f.name == extended_gen11::LENGTH.name)
        .map_or(0, |f| f.get(&[ex_desc]));
    Ok(Message {
        sfid,
        desc,
        ex_desc: ex_desc & layout.known(0),
        extended_length: length,
        eot: extended_gen11::EOT.get(&[ex_desc]) != 0,
        header: [0; 8],
        payload: [0; 8],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_read_explains_itself() {
        // The message of `media_ld.bottom (8,4)` at binding 3 on Skylake: one register out and back.
        let text = explain_descriptor(0x0219_0703, 0xc, Platform::Skl);
        assert!(
            text.starts_with("descriptor 0x02190703 to dc1 on skl\n"),
            "{text}"
        );
        assert!(
            text.contains("  28:25  message length         1 "),
            "{text}"
        );
        assert!(
            text.contains("  18:14  message type           4        4 read, 10 write"),
            "{text}"
        );
        assert!(text.contains("request (1+0 registers out, 1 back, the header taken as zeros)"));
        assert!(
            text.contains("media read: surface 3, field bottom"),
            "{text}"
        );
    }

    #[test]
    fn the_ruler_names_gaps() {
        let fields = [Field::new("a", 0, 7, 4, ""), Field::new("b", 0, 31, 31, "")];
        assert_eq!(
            ruler(&fields, 0x8000_00a5),
            "  31                    30:8  7:4  3:0\n   1 00000000000000000000000 1010 0101\n"
        );
    }

    #[test]
    fn any_descriptor_is_explained() {
        let mut x = 1_u32;
        for _ in 0..4000 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let modelled = |p: &&Platform| p.dialect.unmodelled().is_none();
            for &platform in Platform::ALL.iter().filter(modelled) {
                assert!(explain_descriptor(x, x.rotate_left(13), platform).len() > 200);
            }
        }
    }
}
