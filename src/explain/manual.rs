//! Where the published manuals are that define instructions and messages.
//!
//! Intel's graphics compiler has a page of vISA for each opcode; the bits of messages are in the volumes of the
//! Programmer's Reference Manual of a part. What those leave open is in references of this project, which have no
//! address.

use crate::isa::{Family, Opcode, Platform};

/// The folder of the pages of vISA.
const PAGES: &str =
    "https://github.com/intel/intel-graphics-compiler/blob/master/documentation/visa/instructions/";

/// The address of the page of an instruction; `None` where there is none.
pub fn page(opcode: Opcode) -> Option<String> {
    let info = opcode.info();
    // No binary holds what is counted from 0x100 on.
    if info.code >= 0x100 {
        return None;
    }
    let name = match info.code {
        0x4e => match info.sub {
            6 => "SVM_GATHER4_SCALED",
            7 => "SVM_SCATTER4_SCALED",
            _ => return Some(address(&info.mnemonic.to_ascii_uppercase())),
        },
        0x33 if info.sub == 1 => "FCCALL",
        0x45 => "MIN_MAX",
        0x5a => "CACHE_FLUSH",
        0x5c => "FENCE",
        0x5d => "RAW_SEND",
        0x60 => "NBARRIER",
        0x6b => "PLN",
        0x6d => "3D_SAMPLE",
        0x6e => "3D_LOAD",
        0x6f => "3D_SAMPLE4",
        0x70 => "INFO",
        0x71 => "RT_WRITE",
        0x72 => "URB_WRITE",
        0x7a => "RAW_SENDS",
        0x7b => "LIFETIME",
        0x7c => "SBARRIER",
        0x8b => "LSC_FENCE",
        0x92 => "ADD3O",
        _ if info.family == Family::Lsc => "LSC_UNTYPED",
        _ if LISTED.contains(&info.mnemonic) => {
            return Some(address(&info.mnemonic.to_ascii_uppercase()));
        }
        _ => return None,
    };
    Some(address(name))
}

fn address(name: &str) -> String {
    format!("{PAGES}{name}.md")
}

/// Instructions whose page has their own name.
#[rustfmt::skip]
const LISTED: &[&str] = &[
    "add", "add3", "addc", "addr_add", "and", "asr", "avg", "avs", "barrier", "bfe", "bfi", "bfn", "bfrev", "call",
    "cbit", "cmp", "cos", "div", "divm", "dp4a", "dpas", "dword_atomic", "exp", "faddr", "fbh", "fbl", "fcall", "frc",
    "fret", "gather", "gather4_scaled", "gather4_typed", "gather_scaled", "goto", "ifcall", "inv", "invm", "jmp", "log",
    "lrp", "lzd", "mad", "madw", "media_ld", "media_st", "mod", "mov", "movs", "mul", "mulh", "not", "or", "oword_ld",
    "oword_ld_unaligned", "oword_st", "pow", "qw_gather", "qw_scatter", "ret", "rndd", "rnde", "rndu", "rndz", "rol",
    "ror", "rsqtm", "sad2", "sad2add", "sample_unorm", "scatter4_scaled", "scatter4_typed", "scatter_scaled", "sel",
    "setp", "shl", "shr", "sin", "sqrtm", "srnd", "subb", "switchjmp", "typed_atomic", "vme_fbr", "vme_ime", "vme_sic",
    "wait", "xor", "yield",
];

/// The address of the volume that has the messages of a platform.
pub fn messages(platform: Platform) -> &'static str {
    platform.generation.message_manual()
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::isa::{OPCODES, Opcode};

    #[test]
    fn pages_are_those_of_the_opcode() {
        let named =
            |opcode: Opcode| page(opcode).and_then(|p| Some(p.rsplit_once('/')?.1.to_owned()));
        let all = [
            Opcode::SampleLz,
            Opcode::Add,
            Opcode::SvmGather4Scaled,
            Opcode::Dp2,
        ];
        let all = all.map(named);
        let wanted =
            ["3D_SAMPLE.md", "ADD.md", "SVM_GATHER4_SCALED.md"].map(|n| Some(n.to_owned()));
        assert_eq!(all[..3], wanted);
        assert_eq!(all[3], None);
        // Most instructions have one.
        let without = OPCODES.iter().filter(|row| page(row.opcode).is_none());
        let without: Vec<&str> = without.map(|row| row.mnemonic).collect();
        assert!(without.len() < 40, "{without:?}");
    }
}
