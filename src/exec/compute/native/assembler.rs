//! Bytes of instructions: the few general ones that branches require, and vector instructions with masks.
//!
//! One function encodes all vector instructions: what differs is their [`Vector`]. Source: Intel 64 and IA-32
//! Architectures Software Developer's Manual, volume 2, 2.1 (REX), 2.3 (VEX), 2.7 (EVEX).

use super::narrow::{BITS, MORE_BITS, Narrow, Needed};
use crate::exec::state::float_mode::Rounding;
use std::collections::HashMap;

/// A general register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Gpr {
    Rax = 0,
    Rcx = 1,
    Rdx = 2,
    Rbx = 3,
    Rbp = 5,
    Rsi = 6,
    Rdi = 7,
    R8 = 8,
    R9 = 9,
    R10 = 10,
    R11 = 11,
    R12 = 12,
    R13 = 13,
    R14 = 14,
    R15 = 15,
}

/// The stack pointer, as addresses have it; as an index it stands for none.
const RSP: u8 = 4;

/// How far `rsi` points into the arena: displacements of a byte count whole registers, before and after it.
pub const ARENA_BIAS: u32 = 128 * 64;

/// Bytes of the frame of what is done lane after lane: three registers of 16 lanes and a few dwords.
const FRAME: u32 = 208;

/// MXCSR that rounds in a direction, keeps denormals and takes no exception.
pub const fn mxcsr(rounding: Rounding) -> u32 {
    match rounding {
        Rounding::Nearest => 0x1f80,
        Rounding::Down => 0x3f80,
        Rounding::Up => 0x5f80,
        Rounding::Zero => 0x7f80,
    }
}

/// A vector register, 0 to 31.
pub type Reg = u8;

/// A mask register, 0 to 7; as the mask of an instruction 0 stands for all lanes.
pub type Mask = u8;

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(usize);

/// The last operand of a vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rm {
    /// A register.
    Reg(Reg),
    /// A register, all 512 bits; the result is rounded down.
    Down(Reg),
    /// Bytes of the arena from here on.
    Row(u32),
    /// One element of the arena for all lanes.
    Each(u32),
    /// This dword in all lanes.
    Const(u32),
    /// This qword in all lanes.
    Const64(u64),
    /// So much more in each lane than in the one before, 0 in the first, modulo 2^32.
    Steps(u32),
    /// These dwords.
    List([u32; 16]),
    /// The control that puts this byte of each dword in its lowest place, with zeros above.
    ByteOfEach(u32),
    /// Bytes of the arena for each lane: from this offset on, and the lane's dword of this register further; none is at
    /// this many bytes or more.
    RowLanes(Reg, u32, u32),
    /// Bytes of a window: at `rcx` and `rdx` together, and this.
    Window(u32),
    /// One element of a window for all lanes, at the same place.
    WindowEach(u32),
    /// Bytes of the frame that was opened.
    Frame(u32),
    /// One element for all lanes of what `rax` points to: what is known of a sampler message.
    SiteEach(u32),
    /// Bytes from so many behind what a register points to, but `r12`.
    At(Gpr, u32),
    /// Bytes of a window for each lane: at `rcx`, the lane's dword of this register, and this.
    WindowLanes(Reg, u32),
}

/// Length of a vector: 128, 256, 512 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Len {
    X = 0,
    Y = 1,
    Z = 2,
}

impl Len {
    /// Bytes of a register.
    pub const fn bytes(self) -> u32 {
        16 << self as u8
    }
}

/// What tells vector instructions from each other: prefix (0, 66, F3, F2), map (0F, 0F38, 0F3A), W and opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector(pub u8, pub u8, pub u8, pub u8);

macro_rules! vectors {
    ($($name:ident = $prefix:literal $map:literal $wide:literal $opcode:literal;)+) => {
        impl Vector {
            $(pub const $name: Vector = Vector($prefix, $map, $wide, $opcode);)+
        }
    };
}

vectors! {
    ADDPS = 0 1 0 0x58;
    SUBPS = 0 1 0 0x5c;
    MULPS = 0 1 0 0x59;
    DIVPS = 0 1 0 0x5e;
    MINPS = 0 1 0 0x5d;
    MAXPS = 0 1 0 0x5f;
    SQRTPS = 0 1 0 0x51;
    FMADD231PS = 1 2 0 0xb8;
    FMSUB231PS = 1 2 0 0xba;
    FNMADD231PS = 1 2 0 0xbc;
    FNMSUB231PS = 1 2 0 0xbe;
    RNDSCALEPS = 1 3 0 0x08;
    CMPPS = 0 1 0 0xc2;
    CVTPS2PD = 0 1 0 0x5a;
    CVTPD2PS = 1 1 1 0x5a;
    DIVPD = 1 1 1 0x5e;
    ADDPD = 1 1 1 0x58;
    SUBPD = 1 1 1 0x5c;
    MULPD = 1 1 1 0x59;
    MINPD = 1 1 1 0x5d;
    MAXPD = 1 1 1 0x5f;
    CMPPD = 1 1 1 0xc2;
    FNMADD213PD = 1 2 1 0xac;
    FNMADD231PD = 1 2 1 0xbc;
    RSQRT14PD = 1 2 1 0x4e;
    RNDSCALEPD = 1 3 1 0x09;
    GETEXPPD = 1 2 1 0x42;
    GETMANTPD = 1 3 1 0x26;
    CVTTPD2QQ = 1 1 1 0x7a;
    FPCLASSPS = 1 3 0 0x66;
    FIXUPIMMPS = 1 3 0 0x54;
    FPCLASSPD = 1 3 1 0x66;
    FMADD231PD = 1 2 1 0xb8;
    SQRTPD = 1 1 1 0x51;
    CVTDQ2PD = 2 1 0 0xe6;
    CVTQQ2PD = 2 1 1 0xe6;
    CVTUQQ2PD = 2 1 1 0x7a;
    CVTTPD2UQQ = 1 1 1 0x78;
    CVTTPD2DQ = 1 1 1 0xe6;
    CVTTPD2UDQ = 0 1 1 0x78;
    CVTUDQ2PD = 2 1 0 0x7a;
    PADDQ = 1 1 1 0xd4;
    PANDQ = 1 1 1 0xdb;
    SHIFT_QWORDS_BY = 1 1 1 0x73;
    SHIFT_QWORDS_SIGNED_BY = 1 1 1 0x72;
    PCMPUQ = 1 3 1 0x1e;
    PCMPQ = 1 3 1 0x1f;
    CVTDQ2PS = 0 1 0 0x5b;
    CVTUDQ2PS = 3 1 0 0x7a;
    CVTTPS2DQ = 2 1 0 0x5b;
    CVTTPS2UDQ = 0 1 0 0x78;
    CVTPH2PS = 1 2 0 0x13;
    CVTPS2PH = 1 3 0 0x1d;
    LOAD = 0 1 0 0x10;
    STORE = 0 1 0 0x11;
    STORE_ONE = 2 1 0 0x11;
    LOAD_QWORDS = 2 1 1 0x6f;
    STORE_QWORDS = 2 1 1 0x7f;
    STORE_ONE_QWORD = 3 1 1 0x11;
    BROADCAST = 1 2 0 0x18;
    BROADCAST_QWORD = 1 2 1 0x19;
    PADDD = 1 1 0 0xfe;
    PSUBD = 1 1 0 0xfa;
    PMULLD = 1 2 0 0x40;
    PANDD = 1 1 0 0xdb;
    PORD = 1 1 0 0xeb;
    PXORD = 1 1 0 0xef;
    PABSD = 1 2 0 0x1e;
    PLZCNTD = 1 2 0 0x44;
    PSLLVD = 1 2 0 0x47;
    PSRLVD = 1 2 0 0x45;
    PSHUFB = 1 2 0 0x00;
    PSRAVD = 1 2 0 0x46;
    PROLVD = 1 2 0 0x15;
    PRORVD = 1 2 0 0x14;
    SHIFT_BY = 1 1 0 0x72;
    SHIFT_WORDS_BY = 1 1 0 0x71;
    PMADDWD = 1 1 0 0xf5;
    PMINSD = 1 2 0 0x39;
    PMAXSD = 1 2 0 0x3d;
    PMINUD = 1 2 0 0x3b;
    PMAXUD = 1 2 0 0x3f;
    PTERNLOGD = 1 3 0 0x25;
    PTERNLOGQ = 1 3 1 0x25;
    PCMPD = 1 3 0 0x1f;
    PCMPUD = 1 3 0 0x1e;
    PTESTNMD = 2 2 0 0x27;
    PTESTNMQ = 2 2 1 0x27;
    PBLENDMD = 1 2 0 0x64;
    PMOVM2D = 2 2 0 0x38;
    PMOVZXBD = 1 2 0 0x31;
    PMOVSXBD = 1 2 0 0x21;
    PMOVZXWD = 1 2 0 0x33;
    PMOVSXWD = 1 2 0 0x23;
    PMOVZXDQ = 1 2 0 0x35;
    PMOVZXBQ = 1 2 0 0x32;
    PMOVSXBQ = 1 2 0 0x22;
    PMOVZXWQ = 1 2 0 0x34;
    PMOVSXWQ = 1 2 0 0x24;
    PMOVDW = 2 2 0 0x33;
    PMOVDB = 2 2 0 0x31;
    PMOVQD = 2 2 0 0x35;
    INSERT_HALF = 1 3 1 0x1a;
    EXTRACT_HALF = 1 3 1 0x1b;
    FROM_GPR = 1 2 0 0x7c;
    FROM_GPR_WIDE = 1 2 1 0x7c;
    TO_GPR = 1 1 0 0x7e;
    TO_GPR_WIDE = 1 1 1 0x7e;
    SPREAD = 1 2 0 0x58;
    SPREAD_QWORD = 1 2 1 0x59;
    MOVSHDUP = 2 1 0 0x16;
    GATHER = 1 2 0 0x90;
    SCATTER = 1 2 0 0xa0;
    GATHER_QWORDS = 1 2 1 0x90;
    SCATTER_QWORDS = 1 2 1 0xa0;
    PSUBQ = 1 1 1 0xfb;
    PMULLQ = 1 2 1 0x40;
    PMULUDQ = 1 1 1 0xf4;
    PMULDQ = 1 2 1 0x28;
    PORQ = 1 1 1 0xeb;
    PXORQ = 1 1 1 0xef;
    PSLLVQ = 1 2 1 0x47;
    PSRLVQ = 1 2 1 0x45;
    PSRAVQ = 1 2 1 0x46;
    PMOVSXDQ = 1 2 0 0x25;
    UNPCKLPS = 0 1 0 0x14;
    UNPCKHPS = 0 1 0 0x15;
    UNPCKLPD = 1 1 1 0x14;
    UNPCKHPD = 1 1 1 0x15;
    SHUFF32X4 = 1 3 0 0x23;
    ALIGN = 1 3 0 0x03;
    PTESTMD = 1 2 0 0x27;
    PTESTMQ = 1 2 1 0x27;
    PERMB = 1 2 0 0x8d;
    PERMD = 1 2 0 0x36;
    PERMI2D = 1 2 0 0x76;
    PERMI2Q = 1 2 1 0x76;
    LOAD_BYTES = 3 1 0 0x6f;
    STORE_BYTES = 3 1 0 0x7f;
    PMOVUSDB = 2 2 0 0x11;
    PDPBUSD = 1 2 0 0x50;
    PDPWSSD = 1 2 0 0x52;
    PSHLDD = 1 3 0 0x71;
}

impl Vector {
    /// The bytes that a displacement of one byte counts; `None` for those of which it is not known here. Source: volume 2,
    /// 2.7.5, "Compressed Displacement".
    fn unit(self, len: Len, broadcast: bool) -> Option<i32> {
        let Vector(_, map, wide, _) = self;
        let element = 4 << wide;
        Some(match self {
            _ if broadcast => element,
            Vector::BROADCAST
            | Vector::BROADCAST_QWORD
            | Vector::STORE_ONE
            | Vector::STORE_ONE_QWORD => element,
            Vector::CVTPS2PD | Vector::CVTDQ2PD | Vector::CVTUDQ2PD => return None,
            // Of the first map all others have whole registers.
            _ if map == 1 => len.bytes().cast_signed(),
            Vector::FMADD231PS
            | Vector::FMSUB231PS
            | Vector::FNMADD231PS
            | Vector::FNMSUB231PS
            | Vector::PMULLD
            | Vector::PCMPD
            | Vector::PCMPUD => len.bytes().cast_signed(),
            _ => return None,
        })
    }
}

/// An instruction of two general registers, or a register and a number.
#[derive(Clone, Copy, Debug)]
pub enum Alu {
    Add = 0,
    Or = 1,
    And = 4,
    Sub = 5,
    Xor = 6,
    Cmp = 7,
}

/// When a branch is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum If {
    Below = 2,
    AboveOrEqual = 3,
    Zero = 4,
    NotZero = 5,
    Above = 7,
    Less = 12,
    Greater = 15,
}

/// What a general register is loaded from or stored to: the arena of a thread or what is told of it.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A byte of the arena.
    Arena(u32),
    /// A byte of [`super::call::Context`].
    Context(u32),
    /// A byte of what `rcx` points to: windows and what is known of them.
    Table(u32),
    /// A byte of what `rax` points to: what is known of a sampler message.
    Site(u32),
    /// A byte of what a register points to, but `r12`.
    At(Gpr, u32),
}

/// Where code begins that is seldom run, until it is known how much is run often.
const SELDOM: usize = 1 << 31;

/// Code that grows.
#[derive(Default)]
pub struct Assembler {
    /// What is made now: code that is run often, or that is seldom run, which lies behind all of the other.
    bytes: Vec<u8>,
    pub is_seldom: bool,
    /// The other one of both; they change places.
    other: Vec<u8>,
    labels: Vec<Option<usize>>,
    /// Where of registers and masks not all are read.
    pub needed: Vec<(Label, Needed)>,
    /// Four bytes before the given one, relative to it, and the label.
    jumps: Vec<(usize, Label)>,
    /// The same for constants: where the four bytes are, where the instruction ends, which.
    uses: Vec<(usize, usize, usize)>,
    /// Constants, by dword; those of a qword follow each other.
    pool: Vec<u32>,
    /// Where in it each is.
    constants: HashMap<Vec<u32>, usize>,
    /// Bytes of an arena that the code may touch.
    pub reach: u32,
    /// How many hints it may read.
    pub hints: u32,
    /// For hosts without AVX-512, with what their registers hold: where code is made now, and in the other one of both.
    pub narrows: bool,
    pub narrow: Narrow,
    aside: Narrow,
    /// Branches to labels that are placed later, and what slots hold there.
    pub branches: HashMap<Label, Vec<(usize, Narrow)>>,
    /// Labels where slots hold something, and where those go on who have made them do so.
    pub joined: HashMap<Label, (Narrow, Label)>,
    /// Behind a branch that is always taken, if nothing comes in between.
    pub ended: usize,
    /// Something was asked for that such hosts cannot do: it is no code.
    pub lacks: bool,
}

impl Assembler {
    /// Where the next byte goes; from [`SELDOM`] on in the code that is seldom run.
    pub fn here(&self) -> usize {
        let first = if self.is_seldom { SELDOM } else { 0 };
        first + self.bytes.len()
    }

    /// Goes on in the code that is seldom run, until [`Assembler::often`]; what comes before does not run into it.
    pub fn seldom(&mut self) {
        self.aside = std::mem::take(&mut self.narrow);
        self.switch(true);
        self.ended = self.here();
    }

    /// Goes on where it was.
    pub fn often(&mut self) {
        self.switch(false);
        self.narrow = std::mem::take(&mut self.aside);
    }

    /// Whether what is made is seldom run.
    pub fn is_seldom(&self) -> bool {
        self.is_seldom
    }

    pub fn switch(&mut self, is_seldom: bool) {
        debug_assert_ne!(self.is_seldom, is_seldom);
        std::mem::swap(&mut self.bytes, &mut self.other);
        self.is_seldom = is_seldom;
    }

    /// The offset of a place in all of the code.
    fn resolve(&self, place: usize) -> usize {
        debug_assert!(!self.is_seldom, "it is known how much is run often");
        match place.checked_sub(SELDOM) {
            Some(at) => self.bytes.len() + at,
            None => place,
        }
    }

    /// A label that is placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places a label here.
    pub fn bind(&mut self, label: Label) {
        match self.narrows {
            true => self.bind_narrow(label),
            false => self.place(label),
        }
    }

    /// A branch that is made leads to a label.
    pub fn branch_to(&mut self, branch: usize, label: Label) {
        self.jumps.push((branch, label));
    }

    /// Whether it is known where a label is.
    pub fn is_placed(&self, label: Label) -> bool {
        self.labels[label.0].is_some()
    }

    /// A label is here, whatever slots hold.
    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.here());
    }

    /// Where a label is, once everything is placed.
    pub fn offset(&self, label: Label) -> usize {
        let place = self.labels[label.0].expect("labels are placed before they are asked for");
        self.resolve(place)
    }

    /// The code, its constants behind it.
    pub fn finish(&mut self) -> Vec<u8> {
        debug_assert!(self.branches.is_empty(), "all labels are placed");
        let jumps = self.jumps.iter().map(|&(end, label)| {
            let target = self.offset(label);
            (self.resolve(end), target)
        });
        let jumps: Vec<(usize, usize)> = jumps.collect();
        let uses = self.uses.iter().map(|&(at, end, constant)| {
            let [at, end] = [at, end].map(|place| self.resolve(place));
            (at, end, constant)
        });
        let uses: Vec<(usize, usize, usize)> = uses.collect();
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.append(&mut self.other);
        // Those of 16 lanes lie in one line of the cache each, and never in two pages.
        bytes.resize(bytes.len().next_multiple_of(64), 0xcc);
        let pool = bytes.len();
        bytes.extend(self.pool.iter().flat_map(|c| c.to_le_bytes()));
        let mut patch = |end: usize, target: usize, at: usize| {
            let distance = target as i64 - end as i64;
            bytes[at..at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
        };
        for (end, target) in jumps {
            patch(end, target, end - 4);
        }
        for (at, end, constant) in uses {
            patch(end, pool + 4 * constant, at);
        }
        bytes
    }

    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    pub fn dword(&mut self, dword: u32) {
        self.bytes.extend(dword.to_le_bytes());
    }

    /// Bytes that there are where code is made now.
    pub fn bytes_here(&self) -> usize {
        self.bytes.len()
    }

    /// The byte in front of that place says how far it is from there to here.
    pub fn patch_short(&mut self, from: usize) {
        let distance = i8::try_from(self.bytes.len() - from);
        self.bytes[from - 1] = distance.expect("short jumps are short").cast_unsigned();
    }

    /// Four bytes that say where a constant is, with so many behind them.
    pub fn use_constant(&mut self, constant: usize, behind: usize) {
        let at = self.here();
        self.dword(0);
        self.uses.push((at, at + 4 + behind, constant));
    }

    /// Index of the constant that such an operand is.
    pub fn list(&mut self, rm: Rm) -> usize {
        let dwords: [u32; 16] = match rm {
            Rm::List(dwords) => dwords,
            Rm::Steps(step) => std::array::from_fn(|lane| (lane as u32).wrapping_mul(step)),
            Rm::ByteOfEach(byte) => {
                // Bytes of a control with the uppermost bit set give zero.
                std::array::from_fn(|lane| 0x8080_8000 + 4 * (lane as u32 % 4) + byte)
            }
            _ => unreachable!("it is no list"),
        };
        self.constant(&dwords)
    }

    /// Index of a constant: of its first dword.
    pub fn constant(&mut self, dwords: &[u32]) -> usize {
        if let Some(at) = self.constants.get(dwords) {
            return *at;
        }
        // Qwords lie at even places, and registers at those of registers.
        let at = self.pool.len().next_multiple_of(dwords.len());
        self.pool.resize(at, 0);
        self.pool.extend(dwords);
        self.constants.insert(dwords.to_vec(), at);
        at
    }

    /// A vector instruction with a mask; lanes that are off keep what they had, or become zero.
    pub fn masked(
        &mut self,
        vector: Vector,
        len: Len,
        (dst, mask, zero): (u8, Mask, bool),
        a: Reg,
        b: Rm,
        number: Option<u8>,
    ) {
        let Vector(prefix, map, wide, opcode) = vector;
        self.note_reach(b, len, wide);
        if self.narrows {
            return self.narrow(vector, len, (dst, mask, zero), a, b, number);
        }
        let (rm, broadcast) = match b {
            Rm::Reg(reg) => (reg, false),
            Rm::Down(reg) => (reg, true),
            Rm::Row(_) | Rm::RowLanes(..) => (Gpr::Rsi as u8, false),
            Rm::Each(_) => (Gpr::Rsi as u8, true),
            Rm::Const(_) | Rm::Const64(_) => (5, true),
            Rm::Steps(_) | Rm::List(_) | Rm::ByteOfEach(_) => (5, false),
            // Windows are bounded by instructions in front.
            Rm::Window(_) | Rm::WindowLanes(..) => (Gpr::Rcx as u8, false),
            Rm::WindowEach(_) => (Gpr::Rcx as u8, true),
            Rm::Frame(_) => (RSP, false),
            Rm::At(base, _) => (base as u8, false),
            Rm::SiteEach(_) => (Gpr::Rax as u8, true),
        };
        // Element loads of BROADCAST and stores of one element are no broadcasts of their own.
        let loads_one = matches!(
            vector,
            Vector::BROADCAST
                | Vector::BROADCAST_QWORD
                | Vector::STORE_ONE
                | Vector::STORE_ONE_QWORD
        );
        let broadcast = broadcast && !loads_one;
        let not = |bit: u8| u8::from(bit == 0);
        let (x, index) = match b {
            Rm::Reg(_) | Rm::Down(_) => (rm >> 4 & 1, a),
            Rm::WindowLanes(offsets, _) | Rm::RowLanes(offsets, ..) => (offsets >> 3 & 1, offsets),
            _ => (0, a),
        };
        // With registers alone the length is 512 bits, and its place says how to round.
        let length = match b {
            Rm::Down(_) => 1,
            _ => len as u8,
        };
        self.byte(0x62);
        self.byte(
            not(dst >> 3 & 1) << 7
                | not(x) << 6
                | not(rm >> 3 & 1) << 5
                | not(dst >> 4 & 1) << 4
                | map,
        );
        self.byte(wide << 7 | (!a & 15) << 3 | 1 << 2 | prefix);
        self.byte(
            u8::from(zero) << 7
                | length << 5
                | u8::from(broadcast) << 4
                | not(index >> 4 & 1) << 3
                | mask,
        );
        self.byte(opcode);
        let reg = (dst & 7) << 3;
        let mut used = None;
        match b {
            Rm::Reg(_) | Rm::Down(_) => self.byte(0xc0 | reg | rm & 7),
            Rm::Row(at) | Rm::Each(at) => {
                let at = at.wrapping_sub(ARENA_BIAS).cast_signed();
                self.displaced(reg | rm & 7, at, vector.unit(len, broadcast));
            }
            Rm::SiteEach(at) | Rm::At(_, at) => {
                let at = at.cast_signed();
                self.displaced(reg | rm & 7, at, vector.unit(len, broadcast));
            }
            Rm::Window(at) | Rm::WindowEach(at) | Rm::WindowLanes(_, at) => {
                let index = match b {
                    Rm::WindowLanes(offsets, _) => offsets & 7,
                    _ => Gpr::Rdx as u8,
                };
                self.byte(0x80 | reg | 4);
                self.byte(index << 3 | rm);
                self.dword(at);
            }
            Rm::RowLanes(offsets, at, _) => {
                self.byte(0x80 | reg | 4);
                self.byte((offsets & 7) << 3 | rm);
                self.dword(at.wrapping_sub(ARENA_BIAS));
            }
            Rm::Frame(at) => {
                self.byte(0x80 | reg | 4);
                self.byte(RSP << 3 | RSP);
                self.dword(at);
            }
            Rm::Const(value) => used = Some(self.constant(&[value])),
            Rm::Steps(_) | Rm::List(_) | Rm::ByteOfEach(_) => used = Some(self.list(b)),
            Rm::Const64(value) => {
                used = Some(self.constant(&[value as u32, (value >> 32) as u32]));
            }
        }
        if let Some(constant) = used {
            self.byte(reg | 5);
            self.use_constant(constant, usize::from(number.is_some()));
        }
        if let Some(number) = number {
            self.byte(number);
        }
    }

    /// How far instructions with an operand reach into the arena.
    fn note_reach(&mut self, rm: Rm, len: Len, wide: u8) {
        let end = match rm {
            // Those that touch less than a register are bounded as if they did not.
            Rm::Row(at) => at + len.bytes(),
            Rm::RowLanes(_, at, bytes) => at + bytes,
            Rm::Each(at) => at + 4 + 4 * u32::from(wide),
            _ => return,
        };
        self.reach = self.reach.max(end);
    }

    /// The byte that names registers, and a displacement in as few bytes as it takes: one, if it is a small multiple of
    /// `unit`, or four.
    fn displaced(&mut self, registers: u8, at: i32, unit: Option<i32>) {
        let short = unit
            .filter(|unit| at % unit == 0)
            .and_then(|unit| i8::try_from(at / unit).ok());
        match short {
            Some(short) => {
                self.byte(0x40 | registers);
                self.byte(short.cast_unsigned());
            }
            None => {
                self.byte(0x80 | registers);
                self.dword(at.cast_unsigned());
            }
        }
    }

    /// A vector instruction on all lanes.
    pub fn vector(&mut self, vector: Vector, len: Len, dst: u8, a: Reg, b: Rm) {
        self.masked(vector, len, (dst, 0, false), a, b, None);
    }

    /// The same with a number behind it.
    pub fn vector_by(&mut self, vector: Vector, len: Len, dst: u8, a: Reg, b: Rm, number: u8) {
        self.masked(vector, len, (dst, 0, false), a, b, Some(number));
    }

    /// A register of another one.
    pub fn copy(&mut self, dst: Reg, src: Reg) {
        if dst != src {
            self.vector(Vector::LOAD, Len::Z, dst, 0, Rm::Reg(src));
        }
    }

    fn rex(&mut self, wide: bool, reg: u8, rm: u8) {
        let rex = 0x40 | u8::from(wide) << 3 | (reg >> 3) << 2 | rm >> 3;
        if rex != 0x40 {
            self.byte(rex);
        }
    }

    /// `opcode reg, place` or the other way round.
    fn at_place(&mut self, wide: bool, opcode: &[u8], reg: u8, place: Place) {
        let (base, at) = match place {
            Place::Arena(at) => {
                self.reach = self.reach.max(at + 4 + 4 * u32::from(wide));
                (Gpr::Rsi, at.wrapping_sub(ARENA_BIAS))
            }
            Place::Context(at) => (Gpr::Rdi, at),
            Place::Table(at) => (Gpr::Rcx, at),
            Place::Site(at) => (Gpr::Rax, at),
            Place::At(base, at) => (base, at),
        };
        self.rex(wide, reg, base as u8);
        self.bytes.extend(opcode);
        self.displaced((reg & 7) << 3 | base as u8 & 7, at.cast_signed(), Some(1));
    }

    /// Loads a dword.
    pub fn load(&mut self, reg: Gpr, place: Place) {
        self.at_place(false, &[0x8b], reg as u8, place);
    }

    /// Loads a qword of the context.
    pub fn load_wide(&mut self, reg: Gpr, context: u32) {
        self.load_wide_at(reg, Place::Context(context));
    }

    /// Loads a qword.
    pub fn load_wide_at(&mut self, reg: Gpr, place: Place) {
        self.at_place(true, &[0x8b], reg as u8, place);
    }

    /// How far what is known of the message of an op is from the first one, to `rax`.
    pub fn site(&mut self, op: u32, size: u32) {
        self.hints = self.hints.max(op + 1);
        self.move_number(Gpr::Rax, op * size);
    }

    /// Adds a qword of the context.
    pub fn add_wide_of(&mut self, dst: Gpr, context: u32) {
        self.add_wide_at(dst, Place::Context(context));
    }

    /// Loads the hint of an op from where `rcx` points to.
    pub fn load_hint(&mut self, reg: Gpr, op: u32) {
        self.hints = self.hints.max(op + 1);
        self.load(reg, Place::Table(4 * op));
    }

    /// Tells the host that bytes so many behind what a register points to, but `r12`, are read soon.
    pub fn prefetch(&mut self, base: Gpr, at: i32) {
        self.rex(false, 1, base as u8);
        self.bytes.extend([0x0f, 0x18]);
        self.displaced(1 << 3 | base as u8 & 7, at, Some(1));
    }

    /// Tells the host that bytes of a window are read soon, or written, so many behind where `rcx` and a register point to.
    pub fn prefetch_window(&mut self, index: Gpr, at: u32, write: bool) {
        let opcode = if write { 0x0d } else { 0x18 };
        let both = (index as u8) << 3 | Gpr::Rcx as u8;
        self.bytes.extend([0x0f, opcode, 0x80 | 1 << 3 | 4, both]);
        self.dword(at);
    }

    /// Loads a dword that a register points to, but `r12`.
    pub fn load_at(&mut self, reg: Gpr, base: Gpr) {
        self.rex(false, reg as u8, base as u8);
        self.byte(0x8b);
        self.displaced((reg as u8 & 7) << 3 | base as u8 & 7, 0, Some(1));
    }

    /// Loads a byte that a register points to, but `r12`.
    pub fn load_byte(&mut self, reg: Gpr, base: Gpr) {
        self.rex(false, reg as u8, base as u8);
        self.bytes.extend([0x0f, 0xb6]);
        self.displaced((reg as u8 & 7) << 3 | base as u8 & 7, 0, Some(1));
    }

    /// Loads a word.
    pub fn load_word(&mut self, reg: Gpr, place: Place) {
        self.at_place(false, &[0x0f, 0xb7], reg as u8, place);
    }

    /// A qword register becomes twice what it is, and another one more.
    pub fn add_twice(&mut self, dst: Gpr, src: Gpr) {
        let (dst, src) = (dst as u8, src as u8);
        debug_assert!(dst < 8 && dst != 4 && src < 8 && src != 5);
        // lea dst, [src + 2 * dst]
        self.bytes
            .extend([0x48, 0x8d, dst << 3 | 4, 1 << 6 | dst << 3 | src]);
    }

    /// A qword register becomes another one and a number below 2^31.
    pub fn sum_wide(&mut self, dst: Gpr, src: Gpr, number: u32) {
        let (dst, src) = (dst as u8, src as u8);
        debug_assert!(dst < 8 && src < 8 && src != 4 && number < 1 << 31);
        // lea dst, [src + number]
        self.bytes.extend([0x48, 0x8d, 2 << 6 | dst << 3 | src]);
        self.dword(number);
    }

    /// Adds qwords.
    pub fn add_wide_gpr(&mut self, dst: Gpr, src: Gpr) {
        self.rex(true, src as u8, dst as u8);
        self.byte(0x01);
        self.byte(0xc0 | (src as u8 & 7) << 3 | dst as u8 & 7);
    }

    /// Adds a qword.
    pub fn add_wide_at(&mut self, reg: Gpr, place: Place) {
        self.at_place(true, &[0x03], reg as u8, place);
    }

    /// The low half of a product of qwords.
    pub fn multiply_wide_at(&mut self, reg: Gpr, place: Place) {
        self.at_place(true, &[0x0f, 0xaf], reg as u8, place);
    }

    /// Compares qwords.
    pub fn compare_wide_at(&mut self, reg: Gpr, place: Place) {
        self.at_place(true, &[0x3b], reg as u8, place);
    }

    /// Takes a qword away.
    pub fn subtract_wide_at(&mut self, reg: Gpr, place: Place) {
        self.at_place(true, &[0x2b], reg as u8, place);
    }

    /// Adds to a qword.
    pub fn add_wide_into(&mut self, place: Place, src: Gpr) {
        self.at_place(true, &[0x01], src as u8, place);
    }

    /// Adds one to a qword.
    pub fn increment_wide(&mut self, place: Place) {
        self.at_place(true, &[0x83], 0, place);
        self.byte(1);
    }

    /// How many bits are set.
    pub fn count_bits(&mut self, dst: Gpr, src: Gpr) {
        self.byte(0xf3);
        self.rex(false, dst as u8, src as u8);
        self.bytes.extend([0x0f, 0xb8]);
        self.byte(0xc0 | (dst as u8 & 7) << 3 | src as u8 & 7);
    }

    /// Compares a dword with a number.
    pub fn compare_place(&mut self, place: Place, number: u32) {
        self.at_place(false, &[0x81], 7, place);
        self.dword(number);
    }

    /// Sets bits of a dword.
    pub fn set_bits(&mut self, place: Place, bits: u32) {
        self.at_place(false, &[0x81], 1, place);
        self.dword(bits);
    }

    /// Clears bits of a dword.
    pub fn clear_bits(&mut self, place: Place, bits: u32) {
        self.at_place(false, &[0x81], 4, place);
        self.dword(!bits);
    }

    /// Takes a number from a qword.
    pub fn subtract_wide(&mut self, dst: Gpr, number: i32) {
        self.rex(true, 0, dst as u8);
        self.byte(0x81);
        self.byte(0xe8 | dst as u8 & 7);
        self.dword(number.cast_unsigned());
    }

    /// Shifts a qword to the left.
    pub fn shift_left_wide(&mut self, reg: Gpr, by: u8) {
        self.rex(true, 0, reg as u8);
        self.byte(0xc1);
        self.byte(0xe0 | reg as u8 & 7);
        self.byte(by);
    }

    /// The signed dword of a register as a qword.
    pub fn extend_sign(&mut self, reg: Gpr) {
        self.rex(true, reg as u8, reg as u8);
        self.byte(0x63);
        self.byte(0xc0 | (reg as u8 & 7) << 3 | reg as u8 & 7);
    }

    /// Stores a dword.
    pub fn store(&mut self, place: Place, reg: Gpr) {
        self.at_place(false, &[0x89], reg as u8, place);
    }

    /// Stores a qword of the context.
    pub fn store_wide(&mut self, context: u32, reg: Gpr) {
        self.store_wide_at(Place::Context(context), reg);
    }

    /// Stores a qword.
    pub fn store_wide_at(&mut self, place: Place, reg: Gpr) {
        self.at_place(true, &[0x89], reg as u8, place);
    }

    /// Stores a number.
    pub fn store_number(&mut self, place: Place, number: u32) {
        self.at_place(false, &[0xc7], 0, place);
        self.dword(number);
    }

    /// Loads an element of 1 or 2 bytes, extended.
    pub fn load_extended(&mut self, reg: Gpr, at: u32, bytes: u32, signed: bool) {
        let opcode = 0xb6 + u8::from(bytes == 2) + 8 * u8::from(signed);
        self.at_place(false, &[0x0f, opcode], reg as u8, Place::Arena(at));
    }

    /// `alu dst, src`.
    pub fn alu(&mut self, alu: Alu, dst: Gpr, src: Gpr) {
        self.rex(false, src as u8, dst as u8);
        self.byte(8 * alu as u8 + 1);
        self.byte(0xc0 | (src as u8 & 7) << 3 | dst as u8 & 7);
    }

    /// The same of the low 16 bits; the others stay.
    pub fn alu_word(&mut self, alu: Alu, dst: Gpr, src: Gpr) {
        self.byte(0x66);
        self.alu(alu, dst, src);
    }

    /// `dst = src`, of the low 16 bits; the others stay.
    pub fn move_word(&mut self, dst: Gpr, src: Gpr) {
        self.byte(0x66);
        self.move_gpr(dst, src);
    }

    /// Asks for bits that two registers have in common.
    pub fn test(&mut self, a: Gpr, b: Gpr) {
        self.rex(false, b as u8, a as u8);
        self.byte(0x85);
        self.byte(0xc0 | (b as u8 & 7) << 3 | a as u8 & 7);
    }

    /// The same of the low 16 bits.
    pub fn test_word(&mut self, a: Gpr, b: Gpr) {
        self.byte(0x66);
        self.test(a, b);
    }

    /// `alu dst, dword of the context or the arena`.
    pub fn alu_place(&mut self, alu: Alu, dst: Gpr, place: Place) {
        self.at_place(false, &[8 * alu as u8 + 3], dst as u8, place);
    }

    /// `alu place, src`.
    pub fn alu_into(&mut self, alu: Alu, place: Place, src: Gpr) {
        self.at_place(false, &[8 * alu as u8 + 1], src as u8, place);
    }

    /// `alu dst, number`.
    pub fn alu_number(&mut self, alu: Alu, dst: Gpr, number: u32) {
        self.rex(false, 0, dst as u8);
        let short = i8::try_from(number.cast_signed()).ok();
        self.byte(if short.is_some() { 0x83 } else { 0x81 });
        self.byte(0xc0 | (alu as u8) << 3 | dst as u8 & 7);
        match short {
            Some(short) => self.byte(short.cast_unsigned()),
            None => self.dword(number),
        }
    }

    /// Adds a number that is no more than 2^31 to a qword.
    pub fn add_wide(&mut self, dst: Gpr, number: u32) {
        self.rex(true, 0, dst as u8);
        self.byte(0x81);
        self.byte(0xc0 | dst as u8 & 7);
        self.dword(number);
    }

    /// Compares qwords.
    pub fn compare_wide(&mut self, a: Gpr, b: Gpr) {
        self.rex(true, b as u8, a as u8);
        self.byte(0x39);
        self.byte(0xc0 | (b as u8 & 7) << 3 | a as u8 & 7);
    }

    /// Whether a qword has any bits.
    pub fn test_wide(&mut self, reg: Gpr) {
        self.rex(true, reg as u8, reg as u8);
        self.byte(0x85);
        self.byte(0xc0 | (reg as u8 & 7) << 3 | reg as u8 & 7);
    }

    /// Asks for bits of a register.
    pub fn test_number(&mut self, reg: Gpr, number: u32) {
        self.rex(false, 0, reg as u8);
        self.byte(0xf7);
        self.byte(0xc0 | reg as u8 & 7);
        self.dword(number);
    }

    /// Asks for bits of a dword.
    pub fn test_place(&mut self, place: Place, number: u32) {
        self.at_place(false, &[0xf7], 0, place);
        self.dword(number);
    }

    /// `dst = src`.
    pub fn move_gpr(&mut self, dst: Gpr, src: Gpr) {
        self.rex(false, src as u8, dst as u8);
        self.byte(0x89);
        self.byte(0xc0 | (src as u8 & 7) << 3 | dst as u8 & 7);
    }

    /// The same with 64 bits.
    pub fn move_wide(&mut self, dst: Gpr, src: Gpr) {
        self.rex(true, src as u8, dst as u8);
        self.byte(0x89);
        self.byte(0xc0 | (src as u8 & 7) << 3 | dst as u8 & 7);
    }

    /// `dst = number`.
    pub fn move_number(&mut self, dst: Gpr, number: u32) {
        self.rex(false, 0, dst as u8);
        self.byte(0xb8 | dst as u8 & 7);
        self.dword(number);
    }

    /// `dst = src` if so.
    pub fn move_if(&mut self, when: If, dst: Gpr, src: Gpr) {
        self.rex(false, dst as u8, src as u8);
        self.bytes.extend([0x0f, 0x40 | when as u8]);
        self.byte(0xc0 | (dst as u8 & 7) << 3 | src as u8 & 7);
    }

    /// Shifts to the left.
    pub fn shift_left(&mut self, reg: Gpr, by: u8) {
        self.shift(4, reg, by);
    }

    /// Shifts to the right, zeros coming in.
    pub fn shift_right(&mut self, reg: Gpr, by: u8) {
        self.shift(5, reg, by);
    }

    fn shift(&mut self, which: u8, reg: Gpr, by: u8) {
        if by == 0 {
            return;
        }
        self.rex(false, 0, reg as u8);
        self.byte(0xc1);
        self.byte(0xc0 | which << 3 | reg as u8 & 7);
        self.byte(by);
    }

    /// All bits the other way.
    pub fn not(&mut self, reg: Gpr) {
        self.rex(false, 0, reg as u8);
        self.byte(0xf7);
        self.byte(0xd0 | reg as u8 & 7);
    }

    /// Goes on elsewhere.
    pub fn jump(&mut self, label: Label) {
        match self.narrows {
            true => self.jump_narrow(label),
            false => self.go_to(label),
        }
    }

    /// The same, whatever slots hold.
    pub fn go_to(&mut self, label: Label) {
        self.byte(0xe9);
        self.dword(0);
        self.jumps.push((self.here(), label));
    }

    /// Runs what is elsewhere, up to where it goes [back](Assembler::back).
    pub fn call(&mut self, label: Label) {
        self.leave_slots();
        self.byte(0xe8);
        self.dword(0);
        self.jumps.push((self.here(), label));
    }

    /// The same with what is at the address in a place.
    pub fn call_at(&mut self, place: Place) {
        self.leave_slots();
        self.at_place(false, &[0xff], 2, place);
    }

    /// What follows begins at a line of the cache; nothing runs into it.
    pub fn align(&mut self) {
        debug_assert!(!self.is_seldom, "what is seldom run begins anywhere");
        self.bytes
            .resize(self.bytes.len().next_multiple_of(64), 0xcc);
    }

    /// Goes on behind the call.
    pub fn back(&mut self) {
        self.leave_slots();
        self.byte(0xc3);
        self.ended = self.here();
    }

    /// Goes on elsewhere if so.
    pub fn jump_if(&mut self, when: If, label: Label) {
        if self.narrows && self.is_met_later(label) {
            self.bytes.extend([0x0f, 0x80 | when as u8]);
            self.dword(0);
            self.meet_later(label);
            return;
        }
        let label = match self.narrows {
            true => self.with_stores(label),
            false => label,
        };
        self.bytes.extend([0x0f, 0x80 | when as u8]);
        self.dword(0);
        self.jumps.push((self.here(), label));
    }

    /// The address of a label.
    pub fn address(&mut self, reg: Gpr, label: Label) {
        self.rex(true, reg as u8, 0);
        self.byte(0x8d);
        self.byte((reg as u8 & 7) << 3 | 5);
        self.dword(0);
        self.jumps.push((self.here(), label));
    }

    /// Goes on at the address in a register below 8.
    pub fn jump_to(&mut self, reg: Gpr) {
        self.leave_slots();
        self.bytes.extend([0xff, 0xe0 | reg as u8]);
        self.ended = self.here();
    }

    /// Saves a register.
    pub fn push(&mut self, reg: Gpr) {
        self.rex(false, 0, reg as u8);
        self.byte(0x50 | reg as u8 & 7);
    }

    /// Restores a register.
    pub fn pop(&mut self, reg: Gpr) {
        self.rex(false, 0, reg as u8);
        self.byte(0x58 | reg as u8 & 7);
    }

    /// Returns to whoever called, with the upper halves of registers clean.
    pub fn end(&mut self) {
        self.forget_slots();
        self.bytes.extend([0xc5, 0xf8, 0x77, 0xc3]);
        self.ended = self.here();
    }

    /// Makes room for two registers of lanes on the stack, and for `rbx` and `rbp`, which are free until it is closed.
    pub fn open_frame(&mut self) {
        self.push(Gpr::Rbx);
        self.push(Gpr::Rbp);
        self.bytes.extend([0x48, 0x81, 0xec]);
        self.dword(FRAME);
    }

    /// Gives it back.
    pub fn close_frame(&mut self) {
        self.bytes.extend([0x48, 0x81, 0xc4]);
        self.dword(FRAME);
        self.pop(Gpr::Rbp);
        self.pop(Gpr::Rbx);
    }

    /// Makes room for so many bytes on the stack, at a multiple of 64, until it is closed.
    pub fn open_room(&mut self, bytes: u32) {
        // push rbp; mov rbp, rsp; sub rsp, bytes; and rsp, -64
        self.push(Gpr::Rbp);
        self.bytes.extend([0x48, 0x89, 0xe5, 0x48, 0x81, 0xec]);
        self.dword(bytes);
        self.bytes.extend([0x48, 0x83, 0xe4, 0xc0]);
    }

    /// Gives it back.
    pub fn close_room(&mut self) {
        // mov rsp, rbp
        self.bytes.extend([0x48, 0x89, 0xec]);
        self.pop(Gpr::Rbp);
    }

    /// Keeps MXCSR on the stack until it is restored.
    pub fn keep_rounding(&mut self) {
        // sub rsp, 8; stmxcsr [rsp]
        self.bytes.extend([0x48, 0x83, 0xec, 8]);
        self.bytes.extend([0x0f, 0xae, 0x1c, 0x24]);
    }

    /// Has singles and doubles rounded in a direction from here on; no exception is taken.
    pub fn round(&mut self, rounding: Rounding) {
        // push MXCSR
        self.byte(0x68);
        self.dword(mxcsr(rounding));
        self.restore_rounding();
    }

    /// MXCSR is again what is on the stack, and goes from there.
    pub fn restore_rounding(&mut self) {
        // ldmxcsr [rsp]; add rsp, 8
        self.bytes.extend([0x0f, 0xae, 0x14, 0x24]);
        self.bytes.extend([0x48, 0x83, 0xc4, 8]);
    }

    /// The place of the lowest bit of `eax`, which is cleared, in `edx`; hosts of native code have these instructions.
    pub fn take_lowest(&mut self, place: Gpr, bits: Gpr) {
        self.bytes.extend([0xf3, 0x0f, 0xbc]);
        self.byte(0xc0 | (place as u8) << 3 | bits as u8);
        self.bytes
            .extend([0xc4, 0xe2, (!(bits as u8) & 15) << 3, 0xf3]);
        self.byte(0xc8 | bits as u8);
    }

    /// The dword of the frame for the lane in `edx`.
    pub fn load_of_frame(&mut self, reg: Gpr, at: u32) {
        self.of_frame(0x8b, reg, at);
    }

    /// The other way round.
    pub fn store_to_frame(&mut self, at: u32, reg: Gpr) {
        self.of_frame(0x89, reg, at);
    }

    fn of_frame(&mut self, opcode: u8, reg: Gpr, at: u32) {
        self.byte(opcode);
        self.byte(0x80 | (reg as u8) << 3 | 4);
        self.byte(2 << 6 | (Gpr::Rdx as u8) << 3 | RSP);
        self.dword(at);
    }

    /// Stores the low byte, or the low word, of `ebp` at `rcx` and `rbx` together.
    pub fn store_narrow(&mut self, word: bool) {
        match word {
            true => self.bytes.extend([0x66, 0x89]),
            // With the prefix that names the low byte of `ebp`.
            false => self.bytes.extend([0x40, 0x88]),
        }
        self.reached(Gpr::Rbp);
    }

    /// Stores the low bytes of `eax`, 1, 2 or 4, at `rcx` and `rdx` together.
    pub fn store_at_place(&mut self, bytes: u8) {
        match bytes {
            1 => self.byte(0x88),
            2 => self.bytes.extend([0x66, 0x89]),
            _ => self.byte(0x89),
        }
        self.bytes.extend([4, 2 << 3 | 1]);
    }

    /// Points `rcx` to the arena, of which no byte from this one on is touched through it.
    pub fn point_to_arena(&mut self, end: u32) {
        self.reach = self.reach.max(end);
        self.move_wide(Gpr::Rcx, Gpr::Rsi);
        self.subtract_wide(Gpr::Rcx, ARENA_BIAS.cast_signed());
    }

    /// Loads the dword at `rcx` and `rbx` together.
    pub fn load_reached(&mut self, reg: Gpr) {
        self.byte(0x8b);
        self.reached(reg);
    }

    /// Stores a register at `rcx` and `rbx` together if the dword there is `eax`, which gets what was there; the flags say
    /// zero if it was.
    pub fn compare_exchange(&mut self, reg: Gpr, locked: bool) {
        if locked {
            self.byte(0xf0);
        }
        self.bytes.extend([0x0f, 0xb1]);
        self.reached(reg);
    }

    /// A register below 8 and the place at `rcx` and `rbx` together.
    fn reached(&mut self, reg: Gpr) {
        self.byte((reg as u8) << 3 | 4);
        self.byte((Gpr::Rbx as u8) << 3 | Gpr::Rcx as u8);
    }

    /// Loads a dword of the frame into a register below 8.
    pub fn load_frame(&mut self, reg: Gpr, at: u32) {
        self.at_frame(0x8b, reg, at);
    }

    /// The other way round.
    pub fn store_frame(&mut self, at: u32, reg: Gpr) {
        self.at_frame(0x89, reg, at);
    }

    fn at_frame(&mut self, opcode: u8, reg: Gpr, at: u32) {
        self.byte(opcode);
        self.byte(0x80 | (reg as u8) << 3 | 4);
        self.byte(RSP << 3 | RSP);
        self.dword(at);
    }

    /// Adds `ebp` to the dword at `rcx` and `rbx` together, and gets what was there.
    pub fn exchange_add(&mut self, locked: bool) {
        if locked {
            self.byte(0xf0);
        }
        self.bytes.extend([0x0f, 0xc1]);
        self.reached(Gpr::Rbp);
    }

    /// A mask of a register below 8, or of R8.
    pub fn load_mask(&mut self, mask: Mask, reg: Gpr) {
        if self.narrows {
            self.move_gpr(BITS, reg);
            return self.set_bits_of(mask, BITS);
        }
        let extended = u8::from((reg as u8) < 8) << 5;
        self.bytes.extend([0xc4, 0xc1 | extended, 0x7b, 0x92]);
        self.byte(0xc0 | mask << 3 | reg as u8 & 7);
    }

    /// The same, all 64 bits of it.
    pub fn load_wide_mask(&mut self, mask: Mask, reg: Gpr) {
        if self.narrows {
            return self.set_bits_of(mask, reg);
        }
        let extended = u8::from((reg as u8) < 8) << 5;
        self.bytes.extend([0xc4, 0xc1 | extended, 0xfb, 0x92]);
        self.byte(0xc0 | mask << 3 | reg as u8 & 7);
    }

    /// A number of 64 bits.
    pub fn move_wide_number(&mut self, reg: Gpr, number: u64) {
        self.rex(true, 0, reg as u8);
        self.byte(0xb8 | reg as u8 & 7);
        self.bytes.extend(number.to_le_bytes());
    }

    /// The bits of a mask in a register below 8.
    pub fn store_mask(&mut self, reg: Gpr, mask: Mask) {
        if self.narrows {
            return self.load_bits(reg, mask, 32);
        }
        self.bytes.extend([0xc5, 0xfb, 0x93]);
        self.byte(0xc0 | (reg as u8) << 3 | mask);
    }

    /// A mask of the low 16 bits of a register below 8.
    pub fn load_word_mask(&mut self, mask: Mask, reg: Gpr) {
        if self.narrows {
            self.extend_word(BITS, reg);
            return self.set_bits_of(mask, BITS);
        }
        self.bytes.extend([0xc5, 0xf8, 0x92]);
        self.byte(0xc0 | mask << 3 | reg as u8);
    }

    /// `dst = src`, of masks.
    pub fn copy_mask(&mut self, dst: Mask, src: Mask) {
        if self.narrows {
            return self.narrow_copy(dst, src);
        }
        self.bytes.extend([0xc5, 0xf8, 0x90]);
        self.byte(0xc0 | dst << 3 | src);
    }

    /// `dst = !src`, of 16 lanes.
    pub fn not_mask(&mut self, dst: Mask, src: Mask) {
        if self.narrows {
            return self.narrow_not(dst, src);
        }
        self.bytes.extend([0xc5, 0xf8, 0x44]);
        self.byte(0xc0 | dst << 3 | src);
    }

    /// Stores a mask of 16 lanes in the arena.
    pub fn store_mask_at(&mut self, at: u32, mask: Mask) {
        if self.narrows {
            self.load_bits(BITS, mask, 16);
            self.byte(0x66);
            return self.at_place(false, &[0x89], BITS as u8, Place::Arena(at));
        }
        self.at_place(false, &[0xc5, 0xf8, 0x91], mask, Place::Arena(at));
    }

    /// Stores a mask of 32 lanes there.
    pub fn store_wide_mask_at(&mut self, at: u32, mask: Mask) {
        if self.narrows {
            self.load_bits(BITS, mask, 32);
            return self.store(Place::Arena(at), BITS);
        }
        self.at_place(false, &[0xc4, 0xe1, 0xf9, 0x91], mask, Place::Arena(at));
    }

    /// Loads a mask of 16 lanes from the arena.
    pub fn load_mask_at(&mut self, mask: Mask, at: u32) {
        if self.narrows {
            self.load_word(BITS, Place::Arena(at));
            return self.set_bits_of(mask, BITS);
        }
        self.at_place(false, &[0xc5, 0xf8, 0x90], mask, Place::Arena(at));
    }

    /// Logic of masks of 16 lanes: `and`, `or` or `xor`.
    pub fn both_masks(&mut self, alu: Alu, dst: Mask, a: Mask, b: Mask) {
        if self.narrows {
            return self.narrow_both(alu, dst, a, b);
        }
        let opcode = match alu {
            Alu::And => 0x41,
            Alu::Or => 0x45,
            _ => 0x47,
        };
        self.masks(opcode, dst, a, b);
    }

    /// 32 lanes of two times 16.
    pub fn join_masks(&mut self, dst: Mask, low: Mask, high: Mask) {
        if self.narrows {
            self.load_bits(MORE_BITS, high, 16);
            self.rotate_right(MORE_BITS, 16);
            // Settling the lower one takes both.
            self.store_room(MORE_BITS);
            self.load_bits(BITS, low, 16);
            self.load_room(MORE_BITS);
            self.sum_of(BITS, MORE_BITS);
            return self.set_bits_of(dst, BITS);
        }
        self.masks(0x4b, dst, high, low);
    }

    fn masks(&mut self, opcode: u8, dst: Mask, a: Mask, b: Mask) {
        self.bytes.extend([0xc5, 0x84 | (!a & 15) << 3, opcode]);
        self.byte(0xc0 | dst << 3 | b);
    }

    /// All lanes.
    pub fn fill_mask(&mut self, mask: Mask) {
        if self.narrows {
            return self.narrow_fill(mask);
        }
        self.masks(0x46, mask, mask, mask);
    }

    /// `dst = src`, its lanes from 8 on at 0.
    pub fn upper_mask(&mut self, dst: Mask, src: Mask) {
        if self.narrows {
            self.load_bits(BITS, src, 16);
            self.rotate_right(BITS, 8);
            self.extend_word(BITS, BITS);
            return self.set_bits_of(dst, BITS);
        }
        self.bytes.extend([0xc4, 0xe3, 0xf9, 0x30]);
        self.byte(0xc0 | dst << 3 | src);
        self.byte(8);
    }

    /// Asks whether two masks of 16 lanes have any bit.
    pub fn test_masks(&mut self, a: Mask, b: Mask) {
        if self.narrows {
            return self.narrow_test(a, b);
        }
        self.bytes.extend([0xc5, 0xf8, 0x98]);
        self.byte(0xc0 | a << 3 | b);
    }

    /// Asks whether a mask has all 16 lanes: it has, if what is returned is so.
    pub fn test_all(&mut self, mask: Mask) -> If {
        if self.narrows {
            self.load_bits(BITS, mask, 16);
            // add r12w, 1
            self.extend(&[0x66, 0x41, 0x83, 0xc4, 1]);
        } else {
            self.test_masks(mask, mask);
        }
        // Carry.
        If::Below
    }

    /// The low word of a register in another one.
    fn extend_word(&mut self, dst: Gpr, src: Gpr) {
        self.rex(false, dst as u8, src as u8);
        self.extend(&[0x0f, 0xb7]);
        self.byte(0xc0 | (dst as u8 & 7) << 3 | src as u8 & 7);
    }
}
