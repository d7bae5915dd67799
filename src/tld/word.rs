//! The 64-bit word of the instruction, and the phase bits of the control word beside it.
//!
//! ```text
//! 63     57 56 55 54 53 51 50 49 48         36 35 34  31 30 28 27   20 19 18 16 15    8 7     0
//! ┌────────┬──┬──┬──┬─────┬──┬──┬─────────────┬──┬──────┬─────┬───────┬──┬─────┬───────┬───────┐
//! │1101110 │ B│LL│CL│ Ps  │MS│ND│   index     │AO│ mask │ dim │  Rb   │ !│guard│  Ra   │  Rd   │
//! └────────┴──┴──┴──┴─────┴──┴──┴─────────────┴──┴──────┴─────┴───────┴──┴─────┴───────┴───────┘
//! ```
//!
//! Source: TLD reference 1.4.

use crate::base::bits::Field;

use super::instruction::{Dim, Guard, Handle, Lod, Phase, Pred, Reg, Tld};

macro_rules! fields {
    ($($name:ident $text:literal $lo:literal $hi:literal $doc:literal)+) => {
        $(const $name: Field = Field::new($text, 0, $hi, $lo, $doc);)+

        /// The fields from bit 0 upwards, without a gap.
        pub static FIELDS: &[Field] = &[$($name),+];
    };
}

fields! {
    RD "Rd" 0 7 "first result register, 255 = RZ"
    RA "Ra" 8 15 "first coordinate register, 255 = RZ"
    GUARD "guard" 16 18 "guard predicate, 7 = PT"
    NEGATED "guard negated" 19 19 "execute when the guard is false"
    RB "Rb" 20 27 "first register of the other operands, 255 = RZ"
    DIM "dim" 28 30 "coordinate description"
    MASK "mask" 31 34 "components returned, lowest bit = R"
    AOFFI ".AOFFI" 35 35 "offsets in Rb"
    INDEX "index" 36 48 "word of the texture bank; ignored with .B"
    NODEP ".NODEP" 49 49 "no derivative depends on the result"
    MS ".MS" 50 50 "sample number in Rb"
    PS "Ps" 51 53 "sparse predicate, 7 = PT"
    CL ".CL" 54 54 "clamp to the edge"
    LOD "lod" 55 55 "0 = .LZ, 1 = .LL"
    BINDLESS ".B" 56 56 "handle in Rb"
    OPCODE "opcode" 57 63 "1101110 = TLD"
}

/// The opcode bits of TLD.
const TLD: u64 = 0b110_1110;

/// The word of `tld`. Its phase is not part of it: see [`phase_bits`].
pub fn encode(tld: &Tld) -> u64 {
    let values: [(Field, u64); 16] = [
        (RD, tld.rd.0.into()),
        (RA, tld.ra.0.into()),
        (GUARD, tld.guard.pred.number().into()),
        (NEGATED, tld.guard.negated.into()),
        (RB, tld.rb.0.into()),
        (DIM, tld.dim as u64),
        (MASK, tld.mask.into()),
        (AOFFI, tld.aoffi.into()),
        (INDEX, tld.handle.index().into()),
        (NODEP, tld.nodep.into()),
        (MS, tld.ms.into()),
        (PS, tld.ps.number().into()),
        (CL, tld.cl.into()),
        (LOD, (tld.lod == Lod::Given).into()),
        (BINDLESS, (tld.handle == Handle::Bindless).into()),
        (OPCODE, TLD),
    ];
    let mut words = [0; 2];
    for (field, value) in values {
        field.set_raw(&mut words, value);
    }
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// The word as the dwords that its [`FIELDS`] count in.
pub const fn dwords(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// The instruction in `word`, without its phase; `None` if the opcode is not TLD's.
///
/// With `.B` the index field plays no part and is dropped, so `encode(decode(w))` is `w` with those
/// bits cleared.
pub fn decode(word: u64) -> Option<Tld> {
    let words = dwords(word);
    if OPCODE.raw(&words) != TLD {
        return None;
    }
    let flag = |field: Field| field.raw(&words) == 1;
    let byte = |field: Field| field.raw(&words) as u8;
    Some(Tld {
        guard: Guard {
            pred: Pred::new(byte(GUARD)),
            negated: flag(NEGATED),
        },
        handle: if flag(BINDLESS) {
            Handle::Bindless
        } else {
            Handle::Bound(INDEX.raw(&words) as u16)
        },
        lod: if flag(LOD) { Lod::Given } else { Lod::Zero },
        aoffi: flag(AOFFI),
        ms: flag(MS),
        cl: flag(CL),
        nodep: flag(NODEP),
        phase: Phase::None,
        ps: Pred::new(byte(PS)),
        rd: Reg(byte(RD)),
        ra: Reg(byte(RA)),
        rb: Reg(byte(RB)),
        dim: Dim::ALL[usize::from(byte(DIM))],
        mask: byte(MASK),
    })
}

/// The three 21-bit control fields of a control word: one for each instruction that follows it.
///
/// From the low end: stall 3:0, yield 4, write barrier 7:5, read barrier 10:8, wait mask 16:11, reuse
/// 20:17.
pub const fn controls(word: u64) -> [u32; 3] {
    const MASK: u64 = (1 << 21) - 1;
    [
        (word & MASK) as u32,
        (word >> 21 & MASK) as u32,
        (word >> 42 & MASK) as u32,
    ]
}

/// The phase that a TLD's control field asks for: reuse bits 17 and 18.
pub const fn phase_of(control: u32) -> Phase {
    match control >> 17 & 3 {
        0 => Phase::None,
        1 => Phase::T,
        2 => Phase::P,
        _ => Phase::Invalid,
    }
}

/// The reuse bits that ask for `phase`, in place in a control field.
pub const fn phase_bits(phase: Phase) -> u32 {
    (phase as u32) << 17
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cover_the_word() {
        let mut next = 0;
        for field in FIELDS {
            assert_eq!(field.lo, next, "{}", field.name);
            next = field.hi + 1;
        }
        assert_eq!(next, 64);
    }

    /// TLD reference 1.4: `TLD.LZ.AOFFI.T R20, R46, R50, 0x50, 1D, 0xf`.
    #[test]
    fn the_worked_word() {
        let tld = decode(0xdc38_050f_8327_2e14).unwrap();
        let expected = Tld {
            aoffi: true,
            rd: Reg(20),
            ra: Reg(46),
            rb: Reg(50),
            handle: Handle::Bound(0x50),
            ..Tld::default()
        };
        assert_eq!(tld, expected);
        assert_eq!(encode(&tld), 0xdc38_050f_8327_2e14);
        assert_eq!(decode(0xdf38_050f_8327_2e14), None);
    }

    #[test]
    fn phases_sit_in_the_reuse_bits() {
        for phase in [Phase::None, Phase::T, Phase::P, Phase::Invalid] {
            assert_eq!(phase_of(phase_bits(phase)), phase);
        }
        assert_eq!(controls(1 << 17 | 1 << (21 + 18)), [1 << 17, 1 << 18, 0]);
    }
}
