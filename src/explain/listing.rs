//! The sends of a listing: what Intel's assemblers and disassemblers print, line by line.
//!
//! ```text
//!  Gen9, Gen11  (W) send  (16|M0)    r10:w r10     0xC    0x04205E00  {…} // wr:2+0, rd:2; …
//!               sends     (16|M0)    null  r90 r10 0x8C   0x04025EFE
//!  Gen12        send.dc1  (16|M0)    r10   r10 null:0 0x0 0x04205E00
//!  with LSC     load.ugm.d32.a64 (16|M0) r10:2 [r12:4] {…}  // ex_desc:0x0; desc:0x4200580
//!  Xe3p         sendg.ugm (1|M0)     null  r0:1 null:0    0x84
//!                                                  │      └ the descriptor, or a0.0
//!                                                  └ the extended one, or a0.2
//! ```
//!
//! Everything else in the listing is passed over: other instructions, labels, comments. Nothing here knows what a
//! descriptor says. Source: lowering reference 1.2; Xe2 messages reference 2 and 8.

use crate::isa::Platform;
use crate::message::Sfid;
use crate::message::text::receiver;

/// A word of a message, as the listing has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// A number.
    Known(u64),
    /// The register that holds it when the instruction runs.
    Register(String),
}

impl Word {
    fn of(text: &str) -> Option<Word> {
        if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            return u64::from_str_radix(digits, 16).ok().map(Word::Known);
        }
        let register = text.split_once('.').map_or(text, |(name, _)| name);
        matches!(register, "a0" | "s0").then(|| Word::Register(text.to_string()))
    }
}

/// A send of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSend {
    /// Its line, from 1 on.
    pub line: usize,
    /// The line without blanks around it.
    pub text: String,
    /// Who receives the message, if mnemonic or extended descriptor say it.
    pub receiver: Option<Sfid>,
    /// The descriptor; none where the line has no word that could be one.
    pub desc: Option<Word>,
    /// The extended descriptor. Where it is a number and the mnemonic names the receiver, what the instruction says instead
    /// of it is in it: receiver, end of thread, registers of the second payload.
    pub ex_desc: Option<Word>,
    /// What the instruction says instead of an extended descriptor, at its places there.
    pub own: u32,
}

/// The platform that a listing names, as `//.platform DG2`.
pub fn platform(text: &str) -> Option<Platform> {
    let name = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("//.platform"))?;
    Platform::from_name(name.trim())
}

/// The sends of a listing, in its order.
pub fn sends(text: &str, platform: Platform) -> Vec<ListedSend> {
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(at, line)| send(line, at + 1, platform))
        .collect()
}

/// The send of a line, if it is one.
fn send(line: &str, number: usize, platform: Platform) -> Option<ListedSend> {
    let (code, comment) = match line.split_once("//") {
        Some((code, comment)) => (code, comment),
        None => (line, ""),
    };
    // Options, as {EOT,A@1,$0}, are no operands; neither is where the instruction lies, as /* [0010] */.
    let (code, options) = code.split_once('{').unwrap_or((code, ""));
    let code = code.rsplit("*/").next().unwrap_or_default();
    let mut words = code.split_whitespace().skip_while(|word| {
        // (W), (f0.0), (W&~f0.0.any8h), `L0:`
        word.starts_with('(') || word.ends_with(':') || word.ends_with(')')
    });
    let mnemonic = words.next()?;
    let mut parts = mnemonic.split('.');
    let base = parts.next()?;
    let named = parts.find_map(Sfid::named);
    let described = words_of(comment);
    let operands: Vec<&str> = words.collect();
    let pipe = ["load", "store", "atomic", "fence"];
    let (desc, ex_desc) = match base {
        "send" | "sendc" | "sends" | "sendsc" => {
            // At least lanes, destination and source come before.
            let last = operands.get(3..)?.iter().rev();
            let mut last = last.map(|word| Word::of(word));
            (last.next().flatten(), last.next().flatten())
        }
        "sendg" | "sendgc" | "sendgx" | "sendgxc" => {
            (operands.last().and_then(|word| Word::of(word)), None)
        }
        _ if named.is_some() && pipe.iter().any(|name| base.starts_with(name)) => described,
        _ => return None,
    };
    let own = named.and_then(|sfid| sfid.number(platform));
    let own = own.map_or(0, |number| {
        let end = options.split([',', '}']).any(|option| option == "EOT");
        u32::from(number) | u32::from(end) << 5 | second(&operands) << 6
    });
    let ex_desc = ex_desc.map(|word| match word {
        // Its low four bits are no receiver then.
        Word::Known(word) if own != 0 => Word::Known(word & !0xf | u64::from(own)),
        word => word,
    });
    let receiver = named.or_else(|| match ex_desc {
        Some(Word::Known(word)) => receiver(u32::try_from(word).ok()?, platform),
        _ => None,
    });
    Some(ListedSend {
        line: number,
        text: line.trim().to_string(),
        receiver,
        desc,
        ex_desc,
        own,
    })
}

/// Registers of the second payload, as in `r10:2`: the operand after the address in brackets, or after destination and
/// source.
fn second(operands: &[&str]) -> u32 {
    let address = operands.iter().position(|word| word.starts_with('['));
    let operand = operands.get(address.map_or(3, |at| at + 1));
    let length = operand.and_then(|word| word.split_once(':')?.1.parse().ok());
    length.unwrap_or(0)
}

/// The descriptors that a comment names, as `ex_desc:0x0; desc:0x4200580`.
fn words_of(comment: &str) -> (Option<Word>, Option<Word>) {
    let word = |key: &str| {
        let words = comment.split([' ', ';', ',']);
        let mut values = words.filter_map(|word| word.trim().strip_prefix(key)?.strip_prefix(':'));
        values.next().and_then(Word::of)
    };
    (word("desc"), word("ex_desc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str, name: &str) -> ListedSend {
        let platform = Platform::from_name(name).unwrap();
        send(line, 1, platform).unwrap_or_else(|| panic!("no send: {line}"))
    }

    #[test]
    fn every_dialect_has_its_words() {
        for (platform, line, receiver, desc, ex_desc) in [
            (
                "skl",
                "(W) send (16|M0) r10:w r10 0xC 0x04205E00 // $49",
                Sfid::Dc1,
                0x0420_5e00,
                Some(0xc),
            ),
            (
                "skl",
                "L8: sends (16|M0) null:w r90 r10 0x8C 0x04025EFE",
                Sfid::Dc1,
                0x0402_5efe,
                Some(0x8c),
            ),
            (
                "dg2",
                "(f0.0) send.dc1 (16|M0) null r9 r10:2 0x0 0x04025EFE {$1}",
                Sfid::Dc1,
                0x0402_5efe,
                Some(0x8c),
            ),
            (
                "dg2",
                "/* [00000010] */ load.ugm.d32.a64 (16|M0) r10:2 [r12:4] {A@1} // ex_desc:0x0; desc:0x4200580 // $1",
                Sfid::Ugm,
                0x0420_0580,
                Some(0xf),
            ),
            (
                "dg2",
                "store.ugm.d32.a64 (16|M0) [r12:4] r10:2 // ex_desc:0x0; desc:0x8000584",
                Sfid::Ugm,
                0x0800_0584,
                Some(0x8f),
            ),
            (
                "dg2",
                "(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,$4}",
                Sfid::Gateway,
                0x0200_0010,
                Some(0x23),
            ),
            (
                "cri",
                "(W) sendg.gtwy (1|M0) null r0:1 null:0 0x84 {A@1,$0}",
                Sfid::Gateway,
                0x84,
                None,
            ),
        ] {
            let send = one(line, platform);
            assert_eq!(send.receiver, Some(receiver), "{line}");
            assert_eq!(send.desc, Some(Word::Known(desc)), "{line}");
            assert_eq!(send.ex_desc, ex_desc.map(Word::Known), "{line}");
        }
    }

    #[test]
    fn words_in_registers_are_named() {
        let send = one("send.smpl (32|M0) r20 r7 r16:4 a0.2 a0.0 {ExBSO}", "dg2");
        assert_eq!(send.desc, Some(Word::Register("a0.0".into())));
        assert_eq!(send.ex_desc, Some(Word::Register("a0.2".into())));
    }

    #[test]
    fn other_lines_are_passed_over() {
        let platform = Platform::default();
        for line in [
            "",
            "// send (8) r1",
            "mov (8|M0) r1.0<1>:d r2.0<8;8,1>:d",
            "L0:",
            "sync.nop null",
        ] {
            assert_eq!(send(line, 1, platform), None, "{line}");
        }
    }
}
