//! Bytes of instructions of 128 and 256 bits. Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2,
//! 2.3 (VEX).

use super::super::assembler::{Assembler, Gpr};

/// What tells them from each other: prefix (0, 66, F3, F2), map (0F, 0F38, 0F3A), W and opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op(pub u8, pub u8, pub u8, pub u8);

macro_rules! ops {
    ($($name:ident = $prefix:literal $map:literal $wide:literal $opcode:literal;)+) => {
        impl Op {
            $(pub const $name: Op = Op($prefix, $map, $wide, $opcode);)+
        }
    };
}

ops! {
    LOAD = 0 1 0 0x10;
    STORE = 0 1 0 0x11;
    STORE_DWORD = 2 1 0 0x11;
    STORE_QWORD = 3 1 0 0x11;
    COPY = 0 1 0 0x28;
    AND = 0 1 0 0x54;
    AND_NOT = 0 1 0 0x55;
    OR = 0 1 0 0x56;
    XOR = 0 1 0 0x57;
    BLEND = 1 3 0 0x4a;
    BLEND_BY = 1 3 0 0x0c;
    EQUAL = 1 1 0 0x76;
    EQUAL_QWORDS = 1 2 0 0x29;
    GREATER = 1 1 0 0x66;
    GREATER_QWORDS = 1 2 0 0x37;
    LEAST = 1 2 0 0x3b;
    MOST = 1 2 0 0x3f;
    SIGNED_LEAST = 1 2 0 0x39;
    SIGNED_MOST = 1 2 0 0x3d;
    SUBTRACT = 1 1 0 0xfa;
    ADD_QWORDS = 1 1 0 0xd4;
    SUBTRACT_QWORDS = 1 1 0 0xfb;
    MULTIPLY = 1 1 0 0xf4;
    SHIFT_BY = 1 1 0 0x72;
    SHIFT_QWORDS_BY = 1 1 0 0x73;
    SHIFT_LEFT = 1 2 0 0x47;
    SHIFT_RIGHT = 1 2 0 0x45;
    SHIFT_QWORDS_RIGHT = 1 2 1 0x45;
    SIGNS = 0 1 0 0x50;
    SIGNS_OF_QWORDS = 1 1 0 0x50;
    TEST_SIGNS = 1 2 0 0x0e;
    BROADCAST = 1 2 0 0x18;
    BROADCAST_QWORD = 1 2 0 0x19;
    FROM_GPR = 1 1 0 0x6e;
    FROM_GPR_WIDE = 1 1 1 0x6e;
    TO_GPR = 1 1 0 0x7e;
    TO_GPR_WIDE = 1 1 1 0x7e;
    LOAD_LANES = 1 2 0 0x2c;
    STORE_LANES = 1 2 0 0x2e;
    GATHER = 1 2 0 0x90;
    GATHER_QWORDS = 1 2 1 0x90;
    INSERT = 1 3 0 0x18;
    EXTRACT = 1 3 0 0x19;
    QUARTERS = 1 3 0 0x06;
    ORDER_QWORDS = 1 3 1 0x00;
    ORDER = 1 2 0 0x36;
    SHUFFLE = 0 1 0 0xc6;
    PACK_DWORDS = 1 2 0 0x2b;
    PACK_WORDS = 1 1 0 0x67;
    ALIGN = 1 3 0 0x0f;
    STORE_BYTE = 1 3 0 0x14;
    STORE_LOW_QWORD = 1 1 0 0xd6;
    COMPARE = 0 1 0 0xc2;
    COMPARE_DOUBLES = 1 1 0 0xc2;
    TO_SINGLES = 0 1 0 0x5b;
    TO_INTEGERS = 2 1 0 0x5b;
    ADD_SINGLES = 0 1 0 0x58;
    SUBTRACT_SINGLES = 0 1 0 0x5c;
    MULTIPLY_SINGLES = 0 1 0 0x59;
    ADD_DOUBLES = 1 1 0 0x58;
    SUBTRACT_DOUBLES = 1 1 0 0x5c;
    DIVIDE_DOUBLES = 1 1 0 0x5e;
    ROOT_OF_DOUBLES = 1 1 0 0x51;
    ROUND_DOUBLES = 1 3 0 0x09;
    DOUBLE_TO_QWORD = 3 1 1 0x2c;
    DOUBLES_TO_DWORDS = 1 1 0 0xe6;
    DOUBLES_TO_SINGLES = 1 1 0 0x5a;
    TO_HALVES = 1 3 0 0x1d;
}

impl Op {
    /// Puts one dword, or one qword, into all lanes.
    pub const fn broadcast(qwords: bool) -> Op {
        if qwords {
            Op::BROADCAST_QWORD
        } else {
            Op::BROADCAST
        }
    }

    /// Stores one of them.
    pub const fn store_one(qwords: bool) -> Op {
        if qwords {
            Op::STORE_QWORD
        } else {
            Op::STORE_DWORD
        }
    }
}

/// A place in memory, by numbers of registers.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// So many bytes behind where a register points to; `rsp` may be one, `r12` not.
    Base(u8, i32),
    /// The same, and the other register further.
    Sum(u8, u8, i32),
    /// For each lane its dword of a vector register further.
    Lanes(u8, u8, i32),
    /// Constants, from this dword on.
    Pool(usize),
}

/// The last operand.
#[derive(Clone, Copy, Debug)]
pub enum From {
    /// A vector register, or a general one.
    Slot(u8),
    Memory(At),
}

impl Assembler {
    /// An instruction of 256 bits, or of 128 where it is not long.
    ///
    /// * `a`: the first source; 0 where there is none.
    pub fn vex(&mut self, op: Op, long: bool, reg: u8, a: u8, b: From) {
        self.vex_with(op, long, reg, a, b, None);
    }

    /// The same with a number behind it.
    pub fn vex_by(&mut self, op: Op, long: bool, reg: u8, a: u8, b: From, number: u8) {
        self.vex_with(op, long, reg, a, b, Some(number));
    }

    pub fn vex_with(&mut self, op: Op, long: bool, reg: u8, a: u8, b: From, number: Option<u8>) {
        let Op(prefix, map, wide, opcode) = op;
        let (index, base) = match b {
            From::Slot(slot) => (0, slot),
            From::Memory(At::Base(base, _)) => (0, base),
            From::Memory(At::Sum(base, index, _) | At::Lanes(base, index, _)) => (index, base),
            From::Memory(At::Pool(_)) => (0, 0),
        };
        let off = |register: u8| u8::from(register < 8);
        let rest = (!a & 15) << 3 | u8::from(long) << 2 | prefix;
        if map == 1 && wide == 0 && index < 8 && base < 8 {
            self.extend(&[0xc5, off(reg) << 7 | rest]);
        } else {
            let named = off(reg) << 7 | off(index) << 6 | off(base) << 5 | map;
            self.extend(&[0xc4, named, wide << 7 | rest]);
        }
        self.byte(opcode);
        self.operand(reg, b, usize::from(number.is_some()));
        if let Some(number) = number {
            self.byte(number);
        }
    }

    /// The byte that names registers, and what follows it.
    ///
    /// * `behind`: bytes that come behind it.
    fn operand(&mut self, reg: u8, from: From, behind: usize) {
        let reg = (reg & 7) << 3;
        match from {
            From::Slot(slot) => self.byte(0xc0 | reg | slot & 7),
            From::Memory(At::Base(base, at)) => {
                let short = i8::try_from(at).ok();
                self.byte(if short.is_some() { 0x40 } else { 0x80 } | reg | base & 7);
                if base & 7 == 4 {
                    self.byte(0x24);
                }
                match short {
                    Some(short) => self.byte(short.cast_unsigned()),
                    None => self.dword(at.cast_unsigned()),
                }
            }
            From::Memory(At::Sum(base, index, at) | At::Lanes(base, index, at)) => {
                self.extend(&[0x80 | reg | 4, (index & 7) << 3 | base & 7]);
                self.dword(at.cast_unsigned());
            }
            From::Memory(At::Pool(constant)) => {
                self.byte(reg | 5);
                self.use_constant(constant, behind);
            }
        }
    }

    /// An instruction of a general register and memory.
    pub fn gpr_at(&mut self, opcode: &[u8], wide: bool, reg: Gpr, at: At) {
        let reg = reg as u8;
        let (index, base) = match at {
            At::Base(base, _) => (0, base),
            At::Sum(base, index, _) | At::Lanes(base, index, _) => (index, base),
            At::Pool(_) => (0, 0),
        };
        let rex = u8::from(wide) << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3;
        self.byte(0x40 | rex);
        self.extend(opcode);
        self.operand(reg, From::Memory(at), 0);
    }

    /// Turns the low dword of a register; flags stay.
    pub fn rotate_right(&mut self, reg: Gpr, by: u8) {
        // rorx
        let reg = reg as u8;
        let off = u8::from(reg < 8);
        self.extend(&[0xc4, off << 7 | 1 << 6 | off << 5 | 3, 0x7b, 0xf0]);
        self.extend(&[0xc0 | (reg & 7) << 3 | reg & 7, by]);
    }

    /// Adds dwords of two registers from 8 on, but `r13` as the first; flags stay.
    pub fn sum_of(&mut self, to: Gpr, other: Gpr) {
        // lea to, [to + other]
        let (to, other) = (to as u8, other as u8);
        debug_assert!(to >= 8 && other >= 8 && to != 13);
        self.extend(&[0x47, 0x8d, (to & 7) << 3 | 4, (other & 7) << 3 | to & 7]);
    }
}
