//! What instructions of 512 bits with masks do, by those of 256 bits without: half after half, and what is masked by a blend.
//!
//! ```text
//!  add dst {k}, a, b     t ← a.0 + b.0, dst.0 ← lanes of k ? t : dst.0; the same with .1
//!  compare k, a, b       slots of lanes
//!  scatter, narrow       lane after lane, where not all run
//! ```
//!
//! Each does what its AVX-512 instruction does, in all lanes; where that has a rule for what its callers do not use, it says so.

use super::super::assembler::{ARENA_BIAS, Assembler, Gpr, Len, Mask, Reg, Rm, Vector, mxcsr};
use super::vex::{At, From, Op};
use super::{FILE, MXCSR};
use crate::exec::state::float_mode::Rounding;

/// What an instruction makes: its register, the lanes in which it does, and whether others become zero or stay.
pub type To = (Reg, Mask, bool);

/// Lanes of any half that a shuffle in quarters has put in turns are in order again.
pub const IN_ORDER: u8 = 0xd8;

/// How instructions that are the same for each half take their operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Both,
    Second,
    /// What is there, too.
    Fused,
}

/// Instructions that are the same for each half, and whether lanes are qwords.
fn same(vector: Vector) -> Option<(Op, Takes, bool)> {
    let Vector(prefix, map, wide, opcode) = vector;
    let qwords = wide == 1;
    let plain = Op(prefix, map, 0, opcode);
    let named = Op(prefix, map, wide, opcode);
    Some(match vector {
        Vector::ADDPS
        | Vector::SUBPS
        | Vector::MULPS
        | Vector::DIVPS
        | Vector::MINPS
        | Vector::MAXPS
        | Vector::DIVPD
        | Vector::ADDPD
        | Vector::SUBPD
        | Vector::MULPD
        | Vector::MINPD
        | Vector::MAXPD
        | Vector::PADDQ
        | Vector::PSUBQ
        | Vector::PANDQ
        | Vector::PORQ
        | Vector::PXORQ
        | Vector::PADDD
        | Vector::PSUBD
        | Vector::PMULLD
        | Vector::PANDD
        | Vector::PORD
        | Vector::PXORD
        | Vector::PSHUFB
        | Vector::PMADDWD
        | Vector::PMINSD
        | Vector::PMAXSD
        | Vector::PMINUD
        | Vector::PMAXUD
        | Vector::PMULUDQ
        | Vector::PMULDQ
        | Vector::UNPCKLPS
        | Vector::UNPCKHPS
        | Vector::UNPCKLPD
        | Vector::UNPCKHPD => (plain, Takes::Both, qwords),
        Vector::PSLLVD | Vector::PSRLVD | Vector::PSRAVD | Vector::PSLLVQ | Vector::PSRLVQ => {
            (named, Takes::Both, qwords)
        }
        Vector::SQRTPS
        | Vector::SQRTPD
        | Vector::CVTDQ2PS
        | Vector::CVTTPS2DQ
        | Vector::PABSD
        | Vector::MOVSHDUP
        | Vector::RNDSCALEPS
        | Vector::RNDSCALEPD => (plain, Takes::Second, qwords),
        Vector::FMADD231PS
        | Vector::FMSUB231PS
        | Vector::FNMADD231PS
        | Vector::FNMSUB231PS
        | Vector::FNMADD213PD
        | Vector::FNMADD231PD
        | Vector::FMADD231PD => (named, Takes::Fused, qwords),
        _ => return None,
    })
}

/// Instructions that make lanes of several bytes of less, and how many bytes those of a half are made of.
fn widens(vector: Vector) -> Option<(Op, u8, bool)> {
    let Vector(prefix, map, _, opcode) = vector;
    let bytes = match vector {
        Vector::PMOVZXBD | Vector::PMOVSXBD | Vector::PMOVZXWQ | Vector::PMOVSXWQ => 8,
        Vector::PMOVZXWD | Vector::PMOVSXWD | Vector::PMOVZXDQ | Vector::PMOVSXDQ => 16,
        Vector::CVTPS2PD | Vector::CVTDQ2PD | Vector::CVTPH2PS => 16,
        Vector::PMOVZXBQ | Vector::PMOVSXBQ => 4,
        _ => return None,
    };
    let qwords = matches!(
        vector,
        Vector::PMOVZXWQ
            | Vector::PMOVSXWQ
            | Vector::PMOVZXDQ
            | Vector::PMOVSXDQ
            | Vector::CVTPS2PD
            | Vector::CVTDQ2PD
            | Vector::PMOVZXBQ
            | Vector::PMOVSXBQ
    );
    Some((Op(prefix, map, 0, opcode), bytes, qwords))
}

/// How many halves there are of a length.
pub fn halves(len: Len) -> u8 {
    if len == Len::Z { 2 } else { 1 }
}

/// Whether bytes are seen by nobody else, so that those of lanes that are off may be read and stored again.
pub fn is_own(rm: Rm) -> bool {
    !matches!(
        rm,
        Rm::Window(_) | Rm::WindowEach(_) | Rm::WindowLanes(..) | Rm::SiteEach(_)
    )
}

/// Whether it is one element for all lanes.
fn is_each(rm: Rm) -> bool {
    matches!(
        rm,
        Rm::Each(_) | Rm::Const(_) | Rm::Const64(_) | Rm::WindowEach(_) | Rm::SiteEach(_)
    )
}

impl Assembler {
    /// A vector instruction with a mask, on a host without AVX-512.
    pub fn narrow(&mut self, vector: Vector, len: Len, to: To, a: Reg, b: Rm, number: Option<u8>) {
        let long = len != Len::X;
        // A mask that is known to have all lanes is none.
        let to = if self.is_all(to.1) {
            (to.0, 0, to.2)
        } else {
            to
        };
        if let Some((op, takes, qwords)) = same(vector) {
            self.each_half(op, len, (to, qwords), (a, takes), b, number);
        } else if let Some(widened) = widens(vector) {
            self.widen(widened, len, to, b);
        } else {
            match vector {
                Vector::LOAD => self.load_vector(len, (to, false), b),
                Vector::LOAD_QWORDS => self.load_vector(len, (to, true), b),
                Vector::STORE => self.store_vector(len, (to, false), b),
                Vector::STORE_QWORDS => self.store_vector(len, (to, true), b),
                Vector::STORE_ONE | Vector::STORE_ONE_QWORD => {
                    self.store_one(vector == Vector::STORE_ONE_QWORD, to, b);
                }
                Vector::BROADCAST | Vector::SPREAD => self.spread(len, (to, false), b),
                Vector::BROADCAST_QWORD | Vector::SPREAD_QWORD => self.spread(len, (to, true), b),
                Vector::FROM_GPR => self.spread_gpr(len, (to, false), b),
                Vector::FROM_GPR_WIDE => self.spread_gpr(len, (to, true), b),
                Vector::TO_GPR | Vector::TO_GPR_WIDE => {
                    let from = self.half(to.0, 0);
                    let op = match vector {
                        Vector::TO_GPR => Op::TO_GPR,
                        _ => Op::TO_GPR_WIDE,
                    };
                    self.vex(op, false, from, 0, From::Slot(register(b)));
                }
                Vector::PBLENDMD => {
                    let shared = self.shared(b, false);
                    for half in 0..halves(len) {
                        let other = self.half(a, half);
                        let chosen = self.second(b, shared, half);
                        if to.1 == 0 {
                            let to = self.new_half(to.0, half);
                            self.move_to(to, chosen, long);
                            continue;
                        }
                        let lanes = self.lanes(to.1, false, half);
                        let to = self.new_half(to.0, half);
                        self.vex_by(Op::BLEND, long, to, other, chosen, lanes << 4);
                    }
                    self.done(to.0, len);
                }
                Vector::PMOVM2D => {
                    let mask = register(b);
                    for half in 0..halves(len) {
                        let lanes = self.lanes(mask, false, half);
                        let to = self.new_half(to.0, half);
                        self.vex(Op::COPY, long, to, 0, From::Slot(lanes));
                    }
                    self.done(to.0, len);
                }
                Vector::PTERNLOGD | Vector::PTERNLOGQ => {
                    let qwords = vector == Vector::PTERNLOGQ;
                    self.logic(len, (to, qwords), a, b, number.unwrap_or(0));
                }
                Vector::SHIFT_BY => self.shift_by(len, (a, to.1, to.2), to.0, b, number),
                Vector::SHIFT_WORDS_BY => {
                    let op = Op(1, 1, 0, 0x71);
                    self.shift_each(op, len, (a, to.1, to.2, false), to.0, b, number);
                }
                Vector::SHIFT_QWORDS_BY => {
                    let op = Op::SHIFT_QWORDS_BY;
                    self.shift_each(op, len, (a, to.1, to.2, true), to.0, b, number);
                }
                Vector::SHIFT_QWORDS_SIGNED_BY => {
                    let count = number.unwrap_or(0) & 63;
                    self.shift_signed(len, (a, to.1, to.2), b, Ok(count));
                }
                Vector::PSRAVQ => {
                    self.shift_signed(len, to, Rm::Reg(a), Err(b));
                }
                Vector::PROLVD | Vector::PRORVD => {
                    self.rotate(len, to, a, b, vector == Vector::PROLVD);
                }
                Vector::PLZCNTD => self.leading_zeros(len, to, b),
                Vector::PMULLQ => self.multiply_qwords(len, to, a, b),
                Vector::CMPPS | Vector::CMPPD => {
                    let qwords = vector == Vector::CMPPD;
                    let op = if qwords {
                        Op::COMPARE_DOUBLES
                    } else {
                        Op::COMPARE
                    };
                    let shared = self.shared(b, qwords);
                    let mut slots = Vec::new();
                    for half in 0..halves(len) {
                        let a = self.half(a, half);
                        let b = self.second(b, shared, half);
                        let slot = self.spare();
                        self.vex_by(op, long, slot, a, b, number.unwrap_or(0));
                        self.in_lanes(to.1, qwords, half, slot);
                        slots.push(slot);
                    }
                    self.mask_becomes(to.0, qwords, &slots);
                }
                Vector::PCMPD | Vector::PCMPUD | Vector::PCMPQ | Vector::PCMPUQ => {
                    let signed = matches!(vector, Vector::PCMPD | Vector::PCMPQ);
                    let qwords = matches!(vector, Vector::PCMPQ | Vector::PCMPUQ);
                    self.compare(len, (to, qwords), a, b, (signed, number.unwrap_or(0)));
                }
                Vector::PTESTMD | Vector::PTESTNMD => {
                    self.test_bits(len, (to, false), a, b, vector == Vector::PTESTMD);
                }
                Vector::PTESTMQ | Vector::PTESTNMQ => {
                    self.test_bits(len, (to, true), a, b, vector == Vector::PTESTMQ);
                }
                Vector::FPCLASSPS => self.classes(len, (to, false), b, number.unwrap_or(0)),
                Vector::FPCLASSPD => self.classes(len, (to, true), b, number.unwrap_or(0)),
                Vector::INSERT_HALF => {
                    let inserted = self.half(register(b), 0);
                    let number = number.unwrap_or(0) & 1;
                    let kept = self.half(a, 1 - number);
                    let slots = [self.spare(), self.spare()];
                    self.vex(Op::COPY, true, slots[0], 0, From::Slot(kept));
                    self.vex(Op::COPY, true, slots[1], 0, From::Slot(inserted));
                    self.becomes(to.0, 1 - number, slots[0]);
                    self.becomes(to.0, number, slots[1]);
                }
                Vector::EXTRACT_HALF => {
                    let from = self.half(to.0, number.unwrap_or(0) & 1);
                    let slot = self.spare();
                    self.vex(Op::COPY, true, slot, 0, From::Slot(from));
                    self.becomes(register(b), 0, slot);
                    self.clear_upper(register(b));
                }
                Vector::GATHER => self.gather(len, to, b),
                Vector::GATHER_QWORDS => self.gather_qwords(to, b),
                Vector::SCATTER => self.scatter(len, to, b, 4),
                Vector::SCATTER_QWORDS => self.scatter(len, to, b, 8),
                Vector::PMOVDW => self.narrow_dwords(len, to, b, 2),
                Vector::PMOVDB => self.narrow_dwords(len, to, b, 1),
                Vector::PMOVQD => {
                    let slot = self.low_dwords(to.0, len);
                    self.becomes(register(b), 0, slot);
                    self.clear_upper(register(b));
                }
                Vector::CVTPD2PS => self.shorten(Op::DOUBLES_TO_SINGLES, len, to, b),
                Vector::CVTTPD2DQ => self.shorten(Op::DOUBLES_TO_DWORDS, len, to, b),
                Vector::CVTPS2PH => self.halves_of_singles(len, to, b, number.unwrap_or(0)),
                Vector::CVTTPD2UDQ => self.doubles_to_unsigned(len, to, b),
                Vector::CVTTPD2QQ => self.doubles_to_qwords_at(len, to, b, true),
                Vector::CVTTPD2UQQ => self.doubles_to_qwords_at(len, to, b, false),
                Vector::CVTQQ2PD => self.doubles_of_qwords(len, to, b, true),
                Vector::CVTUQQ2PD => self.doubles_of_qwords(len, to, b, false),
                Vector::CVTUDQ2PD => self.doubles_of_unsigned(len, to, b),
                Vector::CVTUDQ2PS => self.singles_of_unsigned(len, to, b),
                Vector::CVTTPS2UDQ => self.singles_to_unsigned(len, to, b),
                Vector::GETEXPPD => self.exponents(len, to, b),
                Vector::GETMANTPD => self.mantissas(len, to, b),
                Vector::RSQRT14PD => {
                    let one = self.each_qword(1f64.to_bits());
                    for half in 0..halves(len) {
                        let from = self.half(register(b), half);
                        let to = self.new_half(to.0, half);
                        self.vex(Op::ROOT_OF_DOUBLES, long, to, 0, From::Slot(from));
                        self.vex(Op::DIVIDE_DOUBLES, long, to, one, From::Slot(to));
                    }
                    self.done(to.0, len);
                }
                Vector::FIXUPIMMPS => self.ends_of_roots(len, to, a),
                Vector::PERMD => self.order_dwords(len, to, a, b),
                Vector::PERMI2D => self.choose_dwords(to, a, b),
                Vector::PERMI2Q => self.choose_qwords(to, a, b),
                Vector::SHUFF32X4 => {
                    let (b, number) = (register(b), number.unwrap_or(0));
                    let quarter = |n: u8| number >> (2 * n) & 3;
                    let slots = [(a, 0), (b, 2)].map(|(from, first)| {
                        let [low, high] = [quarter(first), quarter(first + 1)];
                        let [one, two] = [low, high].map(|n| self.half(from, n / 2));
                        let slot = self.spare();
                        let number = low & 1 | (2 | high & 1) << 4;
                        self.vex_by(Op::QUARTERS, true, slot, one, From::Slot(two), number);
                        slot
                    });
                    self.becomes(to.0, 0, slots[0]);
                    self.becomes(to.0, 1, slots[1]);
                }
                Vector::ALIGN => self.next_lanes(len, to, a, register(b), number),
                _ => self.lacks = true,
            }
        }
        self.release();
    }

    /// The register's upper half is zero, if what was made has none.
    pub fn done(&mut self, to: Reg, len: Len) {
        if len != Len::Z {
            self.clear_upper(to);
        }
    }

    /// A place of an operand, for a half of which so many bytes are read.
    pub fn place_of(&mut self, rm: Rm, half: u8, bytes: u8) -> At {
        let ahead = i32::from(half) * i32::from(bytes);
        let of = |base: Gpr, at: u32| At::Base(base as u8, at.cast_signed().wrapping_add(ahead));
        let in_arena = |at: u32| at.wrapping_sub(ARENA_BIAS);
        let (rcx, rdx) = (Gpr::Rcx as u8, Gpr::Rdx as u8);
        match rm {
            Rm::Row(at) => of(Gpr::Rsi, in_arena(at)),
            Rm::Each(at) => At::Base(Gpr::Rsi as u8, in_arena(at).cast_signed()),
            Rm::SiteEach(at) => At::Base(Gpr::Rax as u8, at.cast_signed()),
            Rm::At(base, at) => of(base, at),
            Rm::Frame(at) => At::Base(4, at.cast_signed() + ahead),
            Rm::Window(at) => At::Sum(rcx, rdx, at.cast_signed().wrapping_add(ahead)),
            Rm::WindowEach(at) => At::Sum(rcx, rdx, at.cast_signed()),
            Rm::WindowLanes(offsets, at) => At::Lanes(rcx, offsets, at.cast_signed()),
            Rm::RowLanes(offsets, at, _) => {
                At::Lanes(Gpr::Rsi as u8, offsets, in_arena(at).cast_signed())
            }
            Rm::Const(dword) => At::Pool(self.constant(&[dword])),
            Rm::Const64(qword) => At::Pool(self.constant(&[qword as u32, (qword >> 32) as u32])),
            Rm::Steps(_) | Rm::List(_) | Rm::ByteOfEach(_) => {
                let constant = self.list(rm);
                At::Pool(constant + usize::from(half) * usize::from(bytes) / 4)
            }
            Rm::Reg(_) | Rm::Down(_) => unreachable!("a register is no place"),
        }
    }

    /// The slot of an operand that is the same in all lanes.
    pub fn shared(&mut self, rm: Rm, qwords: bool) -> Option<u8> {
        match rm {
            Rm::Const(dword) => Some(self.each(dword)),
            Rm::Const64(qword) => Some(self.each_qword(qword)),
            _ if is_each(rm) => {
                let from = From::Memory(self.place_of(rm, 0, 0));
                Some(self.spread_from(from, qwords))
            }
            _ => None,
        }
    }

    /// The second operand of a half.
    pub fn second(&mut self, rm: Rm, shared: Option<u8>, half: u8) -> From {
        match (rm, shared) {
            (_, Some(slot)) => From::Slot(slot),
            (Rm::Reg(reg) | Rm::Down(reg), None) => self.half_anywhere(reg, half),
            (rm, None) => From::Memory(self.place_of(rm, half, 32)),
        }
    }

    /// The same, in a slot.
    pub fn second_in_slot(&mut self, rm: Rm, shared: Option<u8>, half: u8, len: Len) -> u8 {
        if let (Rm::Reg(reg) | Rm::Down(reg), None) = (rm, shared) {
            return self.half(reg, half);
        }
        match self.second(rm, shared, half) {
            From::Slot(slot) => slot,
            from => {
                let slot = self.spare();
                self.vex(Op::LOAD, len != Len::X, slot, 0, from);
                slot
            }
        }
    }

    pub fn move_to(&mut self, to: u8, from: From, long: bool) {
        let op = match from {
            From::Slot(_) => Op::COPY,
            From::Memory(_) => Op::LOAD,
        };
        self.vex(op, long, to, 0, from);
    }

    /// Makes a half of a register by one instruction, or by several the last of which alone writes.
    pub fn put(
        &mut self,
        ((to, mask, zero), qwords): (To, bool),
        half: u8,
        long: bool,
        make: impl FnOnce(&mut Self, u8),
    ) {
        if mask == 0 {
            let slot = self.new_half(to, half);
            return make(self, slot);
        }
        let slot = self.spare();
        make(self, slot);
        self.put_slot(((to, mask, zero), qwords), half, long, slot);
    }

    /// A half of a register is what a spare slot holds, in lanes of the mask.
    pub fn put_slot(
        &mut self,
        ((to, mask, zero), qwords): (To, bool),
        half: u8,
        long: bool,
        slot: u8,
    ) {
        if mask == 0 {
            return self.becomes(to, half, slot);
        }
        let lanes = self.lanes(mask, qwords, half);
        if zero {
            self.vex(Op::AND, long, slot, slot, From::Slot(lanes));
        } else {
            let old = self.half(to, half);
            self.vex_by(Op::BLEND, long, slot, old, From::Slot(slot), lanes << 4);
        }
        self.becomes(to, half, slot);
    }

    /// Lanes of a slot become zero that a mask does not have.
    pub fn in_lanes(&mut self, mask: Mask, qwords: bool, half: u8, slot: u8) {
        if mask != 0 {
            let lanes = self.lanes(mask, qwords, half);
            self.vex(Op::AND, true, slot, slot, From::Slot(lanes));
        }
    }

    fn each_half(
        &mut self,
        op: Op,
        len: Len,
        (to, qwords): (To, bool),
        (a, takes): (Reg, Takes),
        b: Rm,
        number: Option<u8>,
    ) {
        let long = len != Len::X;
        let down = matches!(b, Rm::Down(_));
        let is_operand = a == to.0 || matches!(b, Rm::Reg(reg) | Rm::Down(reg) if reg == to.0);
        if to.1 == 0 && takes != Takes::Fused && !is_operand {
            self.renew(to.0);
        }
        let shared = self.shared(b, qwords);
        for half in 0..halves(len) {
            let first = match takes {
                Takes::Second => 0,
                _ => self.half(a, half),
            };
            let second = self.second(b, shared, half);
            if takes == Takes::Fused {
                let old = self.half(to.0, half);
                if to.1 == 0 {
                    let slot = self.new_half(to.0, half);
                    self.rounded(down, |own| own.vex(op, long, slot, first, second));
                    continue;
                }
                let slot = self.spare();
                self.vex(Op::COPY, long, slot, 0, From::Slot(old));
                self.rounded(down, |own| own.vex(op, long, slot, first, second));
                self.put_slot((to, qwords), half, long, slot);
                continue;
            }
            self.put((to, qwords), half, long, |own, slot| {
                own.rounded(down, |own| {
                    own.vex_with(op, long, slot, first, second, number)
                });
            });
        }
        self.done(to.0, len);
    }

    /// Has an instruction round down.
    pub fn rounded(&mut self, down: bool, make: impl FnOnce(&mut Self)) {
        if !down {
            return make(self);
        }
        let kept = At::Base(FILE as u8, MXCSR);
        let constant = self.constant(&[mxcsr(Rounding::Down)]);
        // stmxcsr, ldmxcsr
        self.gpr_at(&[0x0f, 0xae], false, Gpr::Rbx, kept);
        self.gpr_at(&[0x0f, 0xae], false, Gpr::Rdx, At::Pool(constant));
        make(self);
        self.gpr_at(&[0x0f, 0xae], false, Gpr::Rdx, kept);
    }
}

/// The number of the register that an operand is.
pub fn register(rm: Rm) -> u8 {
    match rm {
        Rm::Reg(reg) | Rm::Down(reg) => reg,
        _ => unreachable!("its operand is a register"),
    }
}

/// That of the register that has the offsets of lanes.
pub fn offsets(rm: Rm) -> Reg {
    match rm {
        Rm::WindowLanes(offsets, _) | Rm::RowLanes(offsets, ..) => offsets,
        _ => unreachable!("lanes have offsets"),
    }
}

/// A place whose offsets are in a slot.
pub fn lanes_at(at: At, offsets: u8) -> At {
    match at {
        At::Lanes(base, _, at) => At::Lanes(base, offsets, at),
        other => other,
    }
}
