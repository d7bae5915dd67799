//! Code for what an op computes, 16 lanes at a time.
//!
//! ```text
//!  zmm0 … zmm6    values of one instruction          k1, k2   the execution mask, lanes 0 to 15 and 16 to 31
//!  zmm7 …         bytes of the arena that are held   k3, k4   lanes of the instruction that run, by row
//!  rsi            the arena and ARENA_BIAS           k1 … k4  where all lanes run, halves of two predicates
//!  rdi            the context                        k5, k6   conditions
//!  r8d            the execution mask                 k7       lanes without an order, or both halves of a predicate
//!  r9             instructions run                   r10      how many there may be
//!  r11d           places where lanes wait            rax, rcx, rdx   anything
//! ```

use super::super::decoded::operand::{Operand, OperandShape, Put};
use super::Rounds;
use super::affine::AffineRow;
use super::assembler::{Alu, Assembler, Gpr, If, Label, Len, Mask, Place, Reg, Rm, Vector};
use super::held::{Held, Leave, MANY_FREE};
use super::integers::{LEFT, LEFT_AROUND, RIGHT, RIGHT_AROUND, RIGHT_SIGNED};
use super::lane_zero::Made;
use super::last_read::LastRead;
use super::local::Local;
use super::masks::{Half, predicate_at};
use super::nan::{Doubt, Parted, SINGLES};
use super::order::Orders;
use super::sampler::Routine;
use super::select::{Bytes, Inst, Kind, Work};
use super::steps::Steps;
use crate::exec::state::float_mode::Rounding;
use crate::exec::state::tally::Counter;
use crate::isa::{Condition, Modifier, Opcode, Type};
use crate::message::SamplerOp;
use crate::program::{Group, Guard, Lanes};

/// Masks that hold the execution mask.
pub const ENABLED: [Mask; 2] = [1, 2];
/// The lanes of the instruction that run.
pub const RUNNING: [Mask; 2] = [3, 4];
/// Conditions by row.
pub const CONDITION: [Mask; 2] = [5, 6];
/// Lanes without an order.
pub const UNORDERED: Mask = 7;

/// Registers for sources, and for what is between.
pub const SOURCE: [Reg; 3] = [0, 1, 2];
pub const BETWEEN: [Reg; 3] = [3, 4, 5];
/// What making a source requires.
pub const MAKING: Reg = 6;
/// The first register that holds bytes of the arena.
pub const FIRST_HELD: Reg = 7;
/// One past the last register.
pub const REGISTERS: Reg = 32;

/// The class of values that are NaN.
pub const NAN_CLASS: u8 = 0x81;

const SIGN: u32 = 1 << 31;
const EXPONENT: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;

/// The bits of the second operand where the third one is set, else those of the first.
pub const SELECT_BITS: u8 = 0xd8;

/// The register length for so many lanes.
pub const fn length(lanes: u8) -> Len {
    match lanes {
        9.. => Len::Z,
        5..=8 => Len::Y,
        _ => Len::X,
    }
}

/// The predicate by which integers are compared.
pub const fn predicate_of(relation: Condition) -> u8 {
    match relation {
        Condition::Eq => 0,
        Condition::Lt => 1,
        Condition::Le => 2,
        Condition::Ne => 4,
        Condition::Ge => 5,
        Condition::Gt => 6,
    }
}

/// That by which floats are compared with themselves: not NaN.
pub const FLOAT_ORDERED: u8 = 7;

/// The same of floats: quiet, and ordered but for what is not equal.
pub const fn float_predicate_of(relation: Condition) -> u8 {
    match relation {
        Condition::Eq => 0x00,
        Condition::Ne => 0x04,
        Condition::Gt => 0x1e,
        Condition::Ge => 0x1d,
        Condition::Lt => 0x11,
        Condition::Le => 0x12,
    }
}

/// A coordinate that a sample has scaled: the offsets of its texels along that axis, or, where they are weighed, positions.
pub struct Scaled {
    /// 0 across, 1 down.
    pub axis: usize,
    /// The coordinate.
    pub row: Bytes,
    /// What was asked.
    pub op: SamplerOp,
    /// The dwords that name surface and sampler.
    pub named: [u32; 2],
    /// The message that has scaled it, of which it was seen that what it asks is known.
    pub seen: u32,
    /// Where they are.
    pub reg: Reg,
}

/// A predicate, and which bits of a window are set in it.
#[derive(Clone, Copy)]
pub struct Known {
    pub at: u32,
    pub window: u32,
    pub bits: u32,
}

/// The instruction that moves a value to a register.
const fn move_of(value: Rm) -> Vector {
    match value {
        Rm::Reg(_) | Rm::Row(_) => Vector::LOAD,
        _ => Vector::BROADCAST,
    }
}

/// What names a surface: a dword of the arena, if there is one, and what is added to it.
pub type Named = (Option<u32>, u32);

/// The lanes of the first row.
const LOW: u32 = 0xffff;

/// Code of a program that grows, and what its registers hold at this point.
pub struct Emitter {
    /// The code.
    pub code: Assembler,
    /// Denormal singles are flushed.
    pub flush: bool,
    /// How singles and doubles are rounded where code is entered.
    pub rounding: Rounding,
    /// Bytes that a register holds wherever the region is; they are stored where it is left.
    pub pinned: Vec<(Bytes, Reg)>,
    /// Predicates that general registers hold wherever the region is.
    pub flags: Vec<(u32, Gpr)>,
    /// Bytes that registers hold here.
    pub held: Vec<Held>,
    /// Registers may have lane 0 alone of rows whose lanes are evenly apart; those that the arena has; and what has been
    /// computed of lane 0.
    pub affine: bool,
    pub affine_rows: Vec<AffineRow>,
    pub made: Vec<Made>,
    /// Who reads what last, where registers need not be what they were in the end.
    pub last_read: Option<LastRead>,
    /// Dwords of which the value that lanes have which are off is never read, if that is known.
    pub local: Option<Local>,
    /// Single dwords that are copies of others.
    pub copies: Vec<(u32, u32)>,
    /// Predicates of which it is known which bits of a window are set.
    pub known: Vec<Known>,
    /// What the context keeps the windows of, all over the code: surfaces by name, and messages with 64-bit addresses by op;
    /// and the surfaces that have been found here.
    pub surfaces: Vec<Named>,
    pub flat: Vec<u32>,
    pub found: Vec<Named>,
    /// Coordinates that samples have scaled, the latest one last.
    pub scaled: Vec<Scaled>,
    /// Values of lanes that come of others, and how far apart they are likely to be.
    pub orders: Orders,
    pub steps: Steps,
    /// The addresses of messages of which it is kept where they were last.
    pub lasts: Vec<u32>,
    /// The next register to hold something.
    pub turn: Reg,
    /// The first register that is not pinned.
    pub free: Reg,
    /// Registers that the instruction at hand uses.
    pub busy: Vec<Reg>,
    /// Where the region is left so that the steps go on at the op at hand, and where it was before the arena lacked
    /// something else.
    pub leave: [Option<Leave>; 2],
    pub left: Vec<Leave>,
    /// All lanes that instructions have are enabled wherever the region is.
    pub all_enabled: bool,
    /// The region at hand has lanes from 16 on.
    pub wide: bool,
    /// Where all lanes are enabled, the halves of predicates that masks hold, by half; and which holds the latest one.
    pub halves: [[Option<Half>; 2]; 2],
    pub latest: [usize; 2],
    /// The masks that choose, of the instruction at hand.
    chosen: [Mask; 2],
    /// The op at hand.
    pub at: u32,
    /// Where a result has no order the NaN is made that is defined, and the region is not left.
    pub makes_nan: bool,
    /// Whether results have an order is asked later, of two of them at once.
    pub asks_later: bool,
    /// Comparisons of the region at hand that have to look twice.
    pub doubts: Vec<Doubt>,
    /// Its ways out that part.
    pub parted: Vec<Parted>,
    /// What several messages do alike: by itself, so that the code of a kernel fits into the first cache.
    pub routines: Vec<(Routine, Label)>,
    /// What the code counts beside instructions, if it does.
    pub counters: Option<Vec<Counter>>,
}

impl Emitter {
    pub fn new(code: Assembler, rounds: Rounds, counts: bool, makes_nan: bool) -> Emitter {
        Emitter {
            code,
            flush: rounds == Rounds::Flushed,
            rounding: rounds.rounding(),
            pinned: Vec::new(),
            flags: Vec::new(),
            held: Vec::new(),
            affine: false,
            affine_rows: Vec::new(),
            made: Vec::new(),
            last_read: None,
            local: None,
            copies: Vec::new(),
            known: Vec::new(),
            surfaces: Vec::new(),
            flat: Vec::new(),
            found: Vec::new(),
            scaled: Vec::new(),
            orders: Orders::default(),
            steps: Steps::default(),
            lasts: Vec::new(),
            turn: FIRST_HELD,
            free: FIRST_HELD,
            busy: Vec::new(),
            leave: Default::default(),
            left: Vec::new(),
            all_enabled: false,
            wide: false,
            halves: Default::default(),
            latest: [0; 2],
            chosen: CONDITION,
            at: 0,
            makes_nan,
            asks_later: false,
            doubts: Vec::new(),
            parted: Vec::new(),
            routines: Vec::new(),
            counters: counts.then(Vec::new),
        }
    }

    /// Brings the masks up to date with the execution mask.
    pub fn enable(&mut self, second: bool) {
        self.code.load_mask(ENABLED[0], Gpr::R8);
        if second {
            self.code.move_gpr(Gpr::Rdx, Gpr::R8);
            self.code.shift_right(Gpr::Rdx, 16);
            self.code.load_mask(ENABLED[1], Gpr::Rdx);
        }
    }

    /// The register of a predicate.
    pub fn flag(&self, at: u32) -> Option<Gpr> {
        let flag = self.flags.iter().find(|(offset, _)| *offset == at);
        flag.map(|(_, reg)| *reg)
    }

    /// Loads a predicate.
    fn load_flag(&mut self, to: Gpr, at: u32) {
        match self.flag(at) {
            Some(flag) => self.code.move_gpr(to, flag),
            None => {
                self.save_predicate(at);
                self.code.load(to, Place::Arena(at));
            }
        }
    }

    /// Stores a predicate.
    fn store_flag(&mut self, at: u32, from: Gpr) {
        match self.flag(at) {
            Some(flag) => self.code.move_gpr(flag, from),
            None => self.code.store(Place::Arena(at), from),
        }
    }

    /// Asks whether any lane of a window that runs has its bit set in a predicate, or cleared in one that is inverted: none has
    /// if what is returned is so. `None`, and nothing is asked, where an instruction or two cannot tell.
    pub fn test_running(&mut self, lanes: Lanes, guard: Guard) -> Option<If> {
        if guard.group != Group::Each {
            return None;
        }
        let window = lanes.all() << lanes.offset;
        if let Some([a, b]) = self.masks_of(lanes, guard.offset) {
            if !guard.inverted {
                self.code.test_masks(a, b);
                return Some(If::Zero);
            }
            let both = if a == b { a } else { CONDITION[0] };
            if a != b {
                self.code.both_masks(Alu::And, both, a, b);
            }
            return Some(self.code.test_all(both));
        }
        let flag = self.flag(guard.offset).filter(|_| !guard.inverted)?;
        match window {
            _ if self.all_enabled => self.code.test_number(flag, window),
            u32::MAX => self.code.test(flag, Gpr::R8),
            LOW => self.code.test_word(flag, Gpr::R8),
            _ => return None,
        }
        Some(If::Zero)
    }

    /// Asks for bits of a predicate.
    pub fn test_flag(&mut self, at: u32, bits: u32) {
        match self.flag(at) {
            Some(flag) => self.code.test_number(flag, bits),
            None => {
                self.save_predicate(at);
                self.code.test_place(Place::Arena(at), bits);
            }
        }
    }

    /// What a predicate says for the lanes of an instruction, in `rax`.
    pub fn predicate(&mut self, lanes: Lanes, guard: Guard) {
        let halves = Self::halves_of(lanes).filter(|_| self.all_enabled && lanes.count == 16);
        let (masks, flag) = (self.masks_of(lanes, guard.offset), self.flag(guard.offset));
        let mut from = lanes.offset;
        match (guard.group, masks, halves) {
            (Group::Each, Some([a, b]), _) => {
                from = 0;
                self.code.store_mask(Gpr::Rax, a);
                if lanes.count == 32 {
                    self.code.store_mask(Gpr::Rcx, b);
                    self.code.shift_left(Gpr::Rcx, 16);
                    self.code.alu(Alu::Or, Gpr::Rax, Gpr::Rcx);
                }
            }
            (Group::Each, None, Some(halves)) if flag.is_none() => {
                from = 0;
                self.save_predicate(guard.offset);
                // It may have been stored so.
                let place = Place::Arena(guard.offset + 2 * *halves.start() as u32);
                self.code.load_word(Gpr::Rax, place);
            }
            _ => self.load_flag(Gpr::Rax, guard.offset),
        }
        let (all, code) = (lanes.all(), &mut self.code);
        let expected = match guard.group {
            Group::Each => {
                code.shift_right(Gpr::Rax, from);
                if guard.inverted {
                    code.not(Gpr::Rax);
                }
                if all != u32::MAX {
                    code.alu_number(Alu::And, Gpr::Rax, all);
                }
                return;
            }
            Group::Any => 0,
            Group::All => guard.declared(),
        };
        let equal = (guard.group == Group::All) != guard.inverted;
        code.alu_number(Alu::And, Gpr::Rax, guard.declared());
        code.move_number(Gpr::Rcx, if equal { all } else { 0 });
        code.move_number(Gpr::Rdx, if equal { 0 } else { all });
        code.alu_number(Alu::Cmp, Gpr::Rax, expected);
        code.move_if(If::NotZero, Gpr::Rcx, Gpr::Rdx);
        code.move_gpr(Gpr::Rax, Gpr::Rcx);
    }

    /// The lanes that run, by row; `None`: all of them, whatever the number is.
    pub fn running(&mut self, lanes: Lanes, guard: Option<Guard>) -> [Option<Mask>; 2] {
        let all = lanes.all();
        let lanes = Lanes {
            no_mask: lanes.no_mask || self.all_enabled,
            ..lanes
        };
        match guard {
            Some(guard) => {
                if lanes.no_mask
                    && let Some(masks) = self.masks_of_guard(lanes, guard, RUNNING)
                {
                    return masks.map(Some);
                }
                self.predicate(lanes, guard);
                if !lanes.no_mask {
                    self.code.move_gpr(Gpr::Rcx, Gpr::R8);
                    self.code.shift_right(Gpr::Rcx, lanes.offset);
                    self.code.alu(Alu::And, Gpr::Rax, Gpr::Rcx);
                }
            }
            None if lanes.no_mask && lanes.count > 2 => return [None; 2],
            None if lanes.no_mask => self.code.move_number(Gpr::Rax, all),
            None if lanes.count > 2 && lanes.offset.is_multiple_of(16) => {
                return match lanes.offset {
                    0 => ENABLED.map(Some),
                    _ => [Some(ENABLED[1]); 2],
                };
            }
            None => {
                self.code.move_gpr(Gpr::Rax, Gpr::R8);
                self.code.shift_right(Gpr::Rax, lanes.offset);
                self.code.alu_number(Alu::And, Gpr::Rax, all);
            }
        }
        self.free_running();
        self.code.load_mask(RUNNING[0], Gpr::Rax);
        if lanes.count > 16 {
            self.code.shift_right(Gpr::Rax, 16);
            self.code.load_mask(RUNNING[1], Gpr::Rax);
        }
        RUNNING.map(Some)
    }

    /// Code for an instruction.
    pub fn inst(&mut self, inst: &Inst) {
        self.busy.clear();
        if !self.lane_alone(inst) {
            self.beside(inst);
        }
    }

    /// The same, where registers are busy.
    pub fn beside(&mut self, inst: &Inst) {
        self.hold_sources(inst);
        match inst.work {
            Work::Nothing => {}
            Work::Predicates(opcode, src) => self.predicates(inst, opcode, src),
            Work::CompareSingle(relation)
            | Work::CompareSigned(relation)
            | Work::CompareBeyond(relation)
            | Work::CompareUnsigned(relation) => self.compare(inst, relation),
            Work::SetBits => self.set_bits(inst),
            Work::LowBits => self.low_bits(inst),
            Work::Pair(opcode, signed) => self.pairs(inst, opcode, signed),
            _ => self.values(inst),
        }
        // What names surfaces and samplers is written anew in front of each message.
        if let (Work::Move, [source], Put::Dense(to)) = (inst.work, &inst.src[..], inst.dst)
            && inst.is_uniform()
            && source.modifier.is_none()
            && let Some(from) = inst.read(source, 0)
            && from == Bytes::one(from.at)
            && to.abs_diff(from.at) >= 4
        {
            let from = self.origin(from.at);
            self.copies.push((to, from));
        }
    }

    /// Logic of predicates.
    fn predicates(&mut self, inst: &Inst, opcode: Opcode, [a, b]: [u32; 2]) {
        let both = match opcode {
            Opcode::And => Some(Alu::And),
            Opcode::Or => Some(Alu::Or),
            Opcode::Xor => Some(Alu::Xor),
            _ => None,
        };
        if let Put::Flags(to) = inst.dst
            && let Some(halves) = self.masked_halves(inst.lanes, &[a, b, to])
        {
            let held = [0, 1].map(|half| [a, b].map(|at| self.mask_of_half(at, half)));
            let masks = self.masks_for(halves.clone(), to);
            for half in halves.clone() {
                let mut source = |k: usize, free: Mask| {
                    held[half][k].unwrap_or_else(|| {
                        let at = [a, b][k] + 2 * half as u32;
                        self.code.load_mask_at(free, at);
                        free
                    })
                };
                let (a, to) = (source(0, CONDITION[0]), masks[half]);
                match both {
                    Some(both) => {
                        let b = source(1, CONDITION[1]);
                        self.code.both_masks(both, to, a, b);
                    }
                    None => self.code.not_mask(to, a),
                }
            }
            return self.hold_halves(halves, to, masks);
        }
        self.load_flag(Gpr::Rax, a);
        if both.is_some() {
            self.save_predicate(b);
        }
        match (both, self.flag(b)) {
            (Some(both), Some(flag)) => self.code.alu(both, Gpr::Rax, flag),
            (Some(both), None) => self.code.alu_place(both, Gpr::Rax, Place::Arena(b)),
            (None, _) => self.code.not(Gpr::Rax),
        }
        if let Put::Flags(at) = inst.dst {
            self.write_predicate(inst.lanes, at);
        }
    }

    /// Bits of `rax`, where lane 0 is at its place in the predicate, replace those of lanes that run.
    pub fn write_predicate(&mut self, lanes: Lanes, at: u32) {
        if let Some(halves) = self.masked_halves(lanes, &[at]) {
            let masks = self.masks_for(halves.clone(), at);
            for half in halves.clone() {
                if half > 0 {
                    self.code.shift_right(Gpr::Rax, 16);
                }
                self.code.load_word_mask(masks[half], Gpr::Rax);
            }
            return self.hold_halves(halves, at, masks);
        }
        let window = lanes.all() << lanes.offset;
        let masked = !lanes.no_mask && !self.all_enabled;
        if let (Some(flag), LOW) = (self.flag(at), window) {
            let code = &mut self.code;
            match masked {
                true => {
                    code.alu(Alu::Xor, Gpr::Rax, flag);
                    code.alu(Alu::And, Gpr::Rax, Gpr::R8);
                    code.alu_word(Alu::Xor, flag, Gpr::Rax);
                }
                false => code.move_word(flag, Gpr::Rax),
            }
            return self.overwrite(predicate_at(at));
        }
        if masked || window != u32::MAX {
            self.load_flag(Gpr::Rdx, at);
            let code = &mut self.code;
            code.alu(Alu::Xor, Gpr::Rax, Gpr::Rdx);
            if masked {
                code.alu(Alu::And, Gpr::Rax, Gpr::R8);
            }
            if window != u32::MAX {
                code.alu_number(Alu::And, Gpr::Rax, window);
            }
            code.alu(Alu::Xor, Gpr::Rax, Gpr::Rdx);
        }
        self.overwrite(predicate_at(at));
        self.store_flag(at, Gpr::Rax);
    }

    /// The same with conditions by row.
    pub fn write_conditions(&mut self, inst: &Inst) {
        let Put::Flags(at) = inst.dst else { return };
        if let Some(halves) = self.masked_halves(inst.lanes, &[at]) {
            let masks = self.masks_for(halves.clone(), at);
            for (half, from) in halves.clone().zip(CONDITION) {
                self.code.copy_mask(masks[half], from);
            }
            return self.hold_halves(halves, at, masks);
        }
        self.code.store_mask(Gpr::Rax, CONDITION[0]);
        if inst.rows() > 1 {
            self.code.store_mask(Gpr::Rcx, CONDITION[1]);
            self.code.shift_left(Gpr::Rcx, 16);
            self.code.alu(Alu::Or, Gpr::Rax, Gpr::Rcx);
        }
        self.code.shift_left(Gpr::Rax, inst.lanes.offset);
        self.write_predicate(inst.lanes, at);
    }

    fn compare(&mut self, inst: &Inst, relation: Condition) {
        let len = Self::len(inst);
        let held = match inst.dst {
            Put::Flags(at) => self.masked_halves(inst.lanes, &[at]),
            _ => None,
        };
        // Where nothing can go wrong any more once the first row is compared, masks hold the conditions at once.
        let held = held.filter(|_| inst.src.iter().all(Operand::is_plain) && !self.flush);
        let masks = match (held.clone(), inst.dst) {
            (Some(halves), Put::Flags(at)) => self.masks_for(halves, at),
            _ => CONDITION,
        };
        let first = held.as_ref().map_or(0, |halves| *halves.start());
        for r in 0..inst.rows() {
            let a = self.source(inst, 0, r);
            let a = self.in_register(a, len, SOURCE[0]);
            let b = self.source(inst, 1, r);
            let mask = masks[first + usize::from(r)];
            let (vector, number) = match inst.work {
                Work::CompareSingle(_) => (Vector::CMPPS, float_predicate_of(relation)),
                Work::CompareBeyond(_) => {
                    self.compare_beyond(len, mask, (a, b), relation);
                    continue;
                }
                Work::CompareSigned(_) => (Vector::PCMPD, predicate_of(relation)),
                _ => (Vector::PCMPUD, predicate_of(relation)),
            };
            let to = (mask, 0, false);
            self.code.masked(vector, len, to, a, b, Some(number));
        }
        if let Put::Flags(at) = inst.dst {
            return match held {
                Some(halves) => self.hold_halves(halves, at, masks),
                None => self.write_conditions(inst),
            };
        }
        let masks = match inst.is_uniform() {
            true => [None; 2],
            false => self.running(inst.lanes, None),
        };
        for r in 0..inst.rows() {
            let ones = Rm::Reg(CONDITION[usize::from(r)]);
            let mask = masks[usize::from(r)];
            let target = self.target(inst, r, mask);
            let to = if mask.is_none() { target } else { BETWEEN[0] };
            self.code.vector(Vector::PMOVM2D, len, to, 0, ones);
            if mask.is_some() {
                self.finish(len, target, mask, to);
            }
            self.put(inst, r, mask, target);
        }
    }

    /// Compares signed dwords, of which `b` has the least where 2^31 is meant, which no `a` reaches.
    fn compare_beyond(&mut self, len: Len, mask: Mask, (a, b): (Reg, Rm), relation: Condition) {
        use Condition::{Le, Lt, Ne};
        let b = self.in_register(b, len, SOURCE[1]);
        let holds = matches!(relation, Lt | Le | Ne);
        // Where it holds for 2^31 the opposite is asked, which does not.
        let opposite = if holds { 4 } else { 0 };
        let number = Some(predicate_of(relation) ^ opposite);
        let code = &mut self.code;
        code.masked(Vector::PCMPD, len, (mask, 0, false), a, Rm::Reg(b), number);
        let (to, number) = ((mask, mask, false), Some(predicate_of(Ne)));
        code.masked(Vector::PCMPD, len, to, b, Rm::Const(SIGN), number);
        if holds {
            code.not_mask(mask, mask);
        }
    }

    /// The lanes for which `sel` takes its first source, in `rax`: the predicate chooses and does not mask.
    pub fn chosen(&mut self, lanes: Lanes, guard: Option<Guard>) {
        match guard {
            Some(guard) => self.predicate(lanes, guard),
            None => self.code.move_number(Gpr::Rax, u32::MAX),
        }
    }

    /// The same, by row, as masks.
    fn choose(&mut self, inst: &Inst) {
        let known = inst
            .guard
            .and_then(|guard| self.masks_of_guard(inst.lanes, guard, CONDITION));
        self.chosen = known.unwrap_or(CONDITION);
        if known.is_some() {
            return;
        }
        self.chosen(inst.lanes, inst.guard);
        self.code.load_mask(CONDITION[0], Gpr::Rax);
        if inst.rows() > 1 {
            self.code.shift_right(Gpr::Rax, 16);
            self.code.load_mask(CONDITION[1], Gpr::Rax);
        }
    }

    /// Everything that makes a value for each lane.
    fn values(&mut self, inst: &Inst) {
        let select = matches!(inst.work, Work::Select | Work::SelectSingle);
        if select {
            self.choose(inst);
        }
        let masks = match inst.is_uniform() || self.is_for_all(inst) {
            // All lanes have the one value, or may have any.
            true => [None; 2],
            false => self.running(inst.lanes, inst.guard.filter(|_| !select)),
        };
        if masks == [None; 2]
            && let Some(regs) = self.moved(inst)
        {
            // They hold both from here on.
            let rows = (0..).zip(regs);
            return rows.for_each(|(r, reg)| self.keep(inst.written(r), reg));
        }
        let mut targets = [0; 2];
        self.asks_later = inst.rows() == 2 && self.is_plain(inst) && !self.makes_nan;
        for r in 0..inst.rows() {
            let mask = masks[usize::from(r)];
            let target = self.target(inst, r, mask);
            targets[usize::from(r)] = target;
            self.value(inst, r, mask, target);
        }
        if std::mem::take(&mut self.asks_later) {
            self.both_ordered(Self::len(inst), targets[0], targets[1], None);
        }
        // Sources are not read any more.
        self.busy.clear();
        self.busy.extend(&targets[..usize::from(inst.rows())]);
        for r in 0..inst.rows() {
            let at = usize::from(r);
            self.put(inst, r, masks[at], targets[at]);
        }
    }

    /// The registers of what is moved as it is, whole rows to whole rows, if all are held and nothing is pinned, which
    /// changes where it is.
    fn moved(&self, inst: &Inst) -> Option<Vec<Reg>> {
        let [source] = &inst.src[..] else { return None };
        let dwords = matches!(source.form, OperandShape::Scalar | OperandShape::Dense);
        let plain = dwords && source.modifier.is_none() && matches!(inst.dst, Put::Dense(_));
        if inst.work != Work::Move || !plain {
            return None;
        }
        let register = |r: u8| {
            let to = inst.written(r);
            let reg = self.holder(inst.read(source, r)?)?;
            let whole = to.kind != Kind::Other && self.pin(to).is_none();
            (whole && reg >= self.free).then_some(reg)
        };
        (0..inst.rows()).map(register).collect()
    }

    /// Registers that hold what an instruction reads are not given to anything else.
    pub fn hold_sources(&mut self, inst: &Inst) {
        for operand in &inst.src {
            (0..inst.rows()).for_each(|r| self.hold_source(inst, operand, r));
        }
    }

    /// The same of row `r` of a source. Halves of qwords are in twice as many, which may be in the arena instead unless they
    /// are pinned.
    pub fn hold_source(&mut self, inst: &Inst, operand: &Operand, r: u8) {
        let rows = inst.rows_read(operand, r);
        let few = rows.len() > 1 && REGISTERS - self.free < MANY_FREE;
        for bytes in rows {
            let holder = match few {
                true => self.pin(bytes),
                false => self.holder(bytes),
            };
            self.busy.extend(holder);
        }
    }

    /// The register length of an instruction: what runs on one lane that is always on runs on all of them.
    pub fn len(inst: &Inst) -> Len {
        match inst.is_uniform() {
            true => Len::Z,
            false => length(inst.row()),
        }
    }

    /// The register of a result: with what lanes that are off keep, if there are any. One that is put into others is in
    /// one of its own first.
    pub fn target(&mut self, inst: &Inst, r: u8, mask: Option<Mask>) -> Reg {
        let bytes = inst.written(r);
        if inst.shift_of_result().is_some() {
            return self.take();
        }
        let kept = bytes.kind != Kind::Other && !self.is_free(inst, r);
        self.row_target(bytes, Self::len(inst), mask.filter(|_| kept))
    }

    /// Whether what lanes that are off have of row `r` of a result does not matter.
    fn is_free(&self, inst: &Inst, r: u8) -> bool {
        inst.guard.is_none() && self.is_local(inst.written(r))
    }

    /// The same of bytes that all lanes write which run.
    pub fn is_local(&self, bytes: Bytes) -> bool {
        let row = matches!(bytes.kind, Kind::Row(_));
        row && self.local.as_ref().is_some_and(|local| local.has(bytes))
    }

    /// Whether lanes that are off may compute as well: nothing comes of it. Singles of theirs might be denormal, which takes
    /// hosts long.
    pub fn is_for_all(&self, inst: &Inst) -> bool {
        let plain = matches!(
            inst.work,
            Work::Move | Work::Dword(_) | Work::Unsigned(_) | Work::Boolean(_)
        );
        plain && (0..inst.rows()).all(|r| self.is_free(inst, r))
    }

    /// The register of bytes that are written: with what they are, where lanes that are off keep it.
    pub fn row_target(&mut self, bytes: Bytes, len: Len, mask: Option<Mask>) -> Reg {
        if let Some(pin) = self.pin(bytes)
            && !self.busy.contains(&pin)
        {
            return pin;
        }
        let old = self.holder(bytes);
        let target = self.take();
        if mask.is_some() {
            match old {
                Some(old) => self.code.copy(target, old),
                None => {
                    let from = Rm::Row(bytes.at);
                    self.code.vector(bytes.load(), len, target, 0, from);
                }
            }
        }
        target
    }

    /// Puts a register of bytes where it belongs.
    pub fn put_row(&mut self, bytes: Bytes, target: Reg) {
        match self.pin(bytes) {
            Some(pin) => {
                self.overwrite(bytes);
                self.code.copy(pin, target);
            }
            None => self.keep(bytes, target),
        }
    }

    /// A value becomes the result of the lanes that run.
    pub fn finish(&mut self, len: Len, target: Reg, mask: Option<Mask>, value: Reg) {
        let to = (target, mask.unwrap_or(0), false);
        self.code
            .masked(Vector::LOAD, len, to, 0, Rm::Reg(value), None);
    }

    /// Puts a result where it belongs.
    pub fn put(&mut self, inst: &Inst, r: u8, mask: Option<Mask>, target: Reg) {
        let bytes = inst.written(r);
        let len = length(inst.row());
        if let Put::Strided {
            bytes: 4,
            stride: 8,
            ..
        } = inst.dst
            && inst.lanes.count > 2
        {
            return self.put_halves(bytes.at, len, mask.unwrap_or(0), target);
        }
        if let Some(part) = inst.shift_of_result() {
            return self.put_part(inst, (r, part), mask.unwrap_or(0), target);
        }
        if bytes.kind != Kind::Other || self.pin(bytes).is_some() {
            return self.put_row(bytes, target);
        }
        self.overwrite(bytes);
        match inst.dst {
            Put::Dense(at) if inst.lanes.count == 1 => {
                let from = (target, mask.unwrap_or(0), false);
                self.code
                    .masked(Vector::STORE_ONE, Len::X, from, 0, Rm::Each(at), None);
            }
            Put::Dense(_) => {
                let from = (target, mask.unwrap_or(0), false);
                self.code
                    .masked(Vector::STORE, len, from, 0, Rm::Row(bytes.at), None);
            }
            Put::Strided {
                bytes: size,
                stride,
                ..
            } => {
                let mut mask = mask;
                if inst.is_uniform() {
                    self.free_running();
                    self.code.move_number(Gpr::Rax, 1);
                    self.code.load_mask(RUNNING[0], Gpr::Rax);
                    mask = Some(RUNNING[0]);
                }
                let stride = if inst.lanes.count == 1 { 0 } else { stride };
                self.strided((size, stride), bytes.at, inst.row(), mask, target);
            }
            Put::Listed(size) => self.scatter_through(inst, (r, size), mask, target),
            Put::Flags(_) => {}
        }
    }

    /// Row `r` of a source, as an instruction can take it.
    pub fn source(&mut self, inst: &Inst, k: usize, r: u8) -> Rm {
        let operand = inst.src[k];
        if inst.halves {
            return self.half(inst, k, r);
        }
        let plain = self.unmodified(inst, &operand, k, r);
        let single = matches!(
            inst.work,
            Work::Single(..) | Work::Modified(_) | Work::CompareSingle(_)
        );
        let float = single || matches!(inst.work, Work::FromSingle(_) | Work::ToHalf(_));
        let flushed = single && self.flush;
        let Some(modifier) = operand.modifier else {
            return if flushed {
                self.flushed(inst, plain, k)
            } else {
                plain
            };
        };
        let len = Self::len(inst);
        let to = SOURCE[k];
        if float {
            let plain = if flushed {
                self.flushed(inst, plain, k)
            } else {
                plain
            };
            let from = self.in_register(plain, len, to);
            return Rm::Reg(self.signed(len, &operand, from, to));
        }
        match modifier {
            Modifier::Abs | Modifier::NegAbs => {
                let from = self.in_register(plain, len, to);
                self.code.vector(Vector::PABSD, len, to, 0, Rm::Reg(from));
                if modifier == Modifier::NegAbs {
                    self.negate(len, to);
                }
            }
            Modifier::Neg => {
                let from = self.in_register(plain, len, to);
                self.finish(len, to, None, from);
                self.negate(len, to);
            }
            Modifier::Not => {
                let from = self.in_register(plain, len, to);
                self.code
                    .vector(Vector::PXORD, len, to, from, Rm::Const(u32::MAX));
            }
        }
        Rm::Reg(to)
    }

    /// Singles with the signs that a modifier gives them: where they are, or in `to`.
    pub fn signed(&mut self, len: Len, operand: &Operand, from: Reg, to: Reg) -> Reg {
        let mut from = from;
        if operand.keep != u32::MAX {
            self.code
                .vector(Vector::PANDD, len, to, from, Rm::Const(operand.keep));
            from = to;
        }
        if operand.flip != 0 {
            self.code
                .vector(Vector::PXORD, len, to, from, Rm::Const(operand.flip));
            from = to;
        }
        from
    }

    /// `reg = -reg`, of dwords.
    pub fn negate(&mut self, len: Len, reg: Reg) {
        let zero = MAKING;
        self.code
            .vector(Vector::PXORD, len, zero, zero, Rm::Reg(zero));
        self.code
            .vector(Vector::PSUBD, len, reg, zero, Rm::Reg(reg));
    }

    /// A value in a register: where it is, or in `to`.
    pub fn in_register(&mut self, value: Rm, len: Len, to: Reg) -> Reg {
        let vector = match value {
            Rm::Reg(reg) => return reg,
            Rm::Row(_) => Vector::LOAD,
            _ => Vector::BROADCAST,
        };
        self.code.vector(vector, len, to, 0, value);
        to
    }

    /// Row `r` of a source that is moved: as it lies, or as a single with its modifier.
    fn moved_source(&mut self, inst: &Inst, k: usize, r: u8) -> Rm {
        let operand = inst.src[k];
        if inst.work != Work::SelectSingle || operand.modifier.is_none() {
            return self.source(inst, k, r);
        }
        let (len, to) = (Self::len(inst), SOURCE[k]);
        let mut value = self.unmodified(inst, &operand, k, r);
        if self.flush {
            value = self.flushed(inst, value, k);
        }
        let value = self.in_register(value, len, to);
        let signed = self.signed(len, &operand, value, to);
        // A modifier changes a copy of it.
        self.quiet(SINGLES, len, signed);
        Rm::Reg(signed)
    }

    /// Denormal singles as zeros of their sign.
    fn flushed(&mut self, inst: &Inst, value: Rm, k: usize) -> Rm {
        let (len, to) = (Self::len(inst), SOURCE[k]);
        let from = self.in_register(value, len, to);
        self.finish(len, to, None, from);
        self.flush_register(len, to);
        Rm::Reg(to)
    }

    fn flush_register(&mut self, len: Len, reg: Reg) {
        let small = (UNORDERED, 0, false);
        self.code
            .masked(Vector::PTESTNMD, len, small, reg, Rm::Const(EXPONENT), None);
        self.code.masked(
            Vector::PANDD,
            len,
            (reg, UNORDERED, false),
            reg,
            Rm::Const(SIGN),
            None,
        );
    }

    /// The dwords of row `r` of a source.
    pub fn unmodified(&mut self, inst: &Inst, operand: &Operand, k: usize, r: u8) -> Rm {
        let Some(bytes) = inst.read(operand, r) else {
            return Rm::Const(operand.at());
        };
        let (len, to) = (Self::len(inst), SOURCE[k]);
        if let OperandShape::Strided(element, stride) = operand.form {
            if stride > 0 && inst.lanes.count > 1 {
                return Rm::Reg(self.elements(inst, (operand, element, stride), r, to));
            }
            self.one(element, bytes.at, len, to);
            return Rm::Reg(to);
        }
        if let OperandShape::Listed(element) = operand.form
            && let Some(through) = inst.listed(operand)
        {
            self.gather_through(through, (r, inst.row()), len, to);
            self.extend(element, len, (to, to));
            return Rm::Reg(to);
        }
        match (self.holder(bytes), bytes.kind) {
            (Some(reg), _) => Rm::Reg(reg),
            (None, Kind::Each) => Rm::Each(bytes.at),
            // All lanes at least are there: of two there are four.
            (None, _) => Rm::Row(bytes.at),
        }
    }

    /// Computes row `r` into a register.
    pub fn value(&mut self, inst: &Inst, r: u8, mask: Option<Mask>, target: Reg) {
        let len = Self::len(inst);
        let to = (
            target,
            mask.unwrap_or(0),
            mask.is_some() && self.is_free(inst, r),
        );
        match inst.work {
            Work::Single(opcode, saturate) => {
                self.single(inst, (opcode, saturate), r, mask, target);
            }
            Work::Dword(opcode) => self.dword(inst, opcode, r, to),
            Work::Bits(opcode, signed) => {
                self.bits(inst, (opcode, signed), r);
                self.finish(len, target, mask, BETWEEN[0]);
            }
            Work::High(signed) => {
                self.high(inst, signed, r);
                self.finish(len, target, mask, BETWEEN[0]);
            }
            Work::Dots(signed) => {
                self.dots(inst, signed, r);
                self.finish(len, target, mask, BETWEEN[0]);
            }
            Work::Divide(opcode, signed) => {
                self.divide(inst, opcode, signed, r);
                self.finish(len, target, mask, BETWEEN[0]);
            }
            Work::Unsigned(opcode) => {
                let vector = match opcode {
                    Opcode::Min => Vector::PMINUD,
                    _ => Vector::PMAXUD,
                };
                self.binary(inst, vector, r, to);
            }
            Work::Clamped(opcode, signed, ty) => self.clamped(inst, (opcode, signed, ty), r, to),
            Work::Boolean(function) => {
                // The first of three is the highest of the bits that choose.
                let c = self.source(inst, 2, r);
                let c = self.in_register(c, len, BETWEEN[0]);
                self.finish(len, BETWEEN[0], None, c);
                let b = self.source(inst, 1, r);
                let b = self.in_register(b, len, SOURCE[1]);
                let a = self.source(inst, 0, r);
                self.code
                    .vector_by(Vector::PTERNLOGD, len, BETWEEN[0], b, a, function);
                self.finish(len, target, mask, BETWEEN[0]);
            }
            Work::Select | Work::SelectSingle => {
                // A result is never in a register of a source.
                let to = if mask.is_none() { target } else { BETWEEN[0] };
                let chosen = self.chosen[usize::from(r)];
                if inst.src[1].is_zero() {
                    let a = self.moved_source(inst, 0, r);
                    let vector = move_of(a);
                    self.code
                        .masked(vector, len, (to, chosen, true), 0, a, None);
                } else {
                    let [a, b] = [0, 1].map(|k| self.moved_source(inst, k, r));
                    let b = self.in_register(b, len, SOURCE[1]);
                    let chosen = (to, chosen, false);
                    self.code.masked(Vector::PBLENDMD, len, chosen, b, a, None);
                }
                if mask.is_some() {
                    self.finish(len, target, mask, to);
                }
            }
            Work::Move => {
                let a = match (inst.src[0].form, mask) {
                    // What has to be made is made where it belongs.
                    (OperandShape::Strided(element, stride), None)
                        if inst.src[0].modifier.is_none() && stride > 0 && inst.lanes.count > 1 =>
                    {
                        let source = (&inst.src[0], element, stride);
                        Rm::Reg(self.elements(inst, source, r, target))
                    }
                    _ => self.source(inst, 0, r),
                };
                if a == Rm::Reg(target) {
                    return;
                }
                self.code.masked(move_of(a), len, to, 0, a, None);
            }
            Work::Modified(saturate) => {
                let a = self.source(inst, 0, r);
                let mut a = self.in_register(a, len, SOURCE[0]);
                if !inst.halves {
                    a = self.quieted(len, a, mask);
                }
                self.saturated(len, saturate, a, mask, target);
            }
            Work::ToSingle { signed } => self.integers_to_singles(inst, signed, r, to),
            Work::Half(..) | Work::ToHalf(_) | Work::IntegerToHalf { .. } => {
                self.halves(inst, r, mask, target);
            }
            Work::FromSingle(ty) => self.truncated(inst, ty, r, mask, target),
            _ => {}
        }
    }

    pub fn integers_to_singles(&mut self, inst: &Inst, signed: bool, r: u8, to: (Reg, Mask, bool)) {
        let len = Self::len(inst);
        let a = self.source(inst, 0, r);
        let a = self.in_register(a, len, SOURCE[0]);
        let vector = match signed {
            true => Vector::CVTDQ2PS,
            false => Vector::CVTUDQ2PS,
        };
        let negated = inst.src[0].modifier == Some(Modifier::Neg);
        if negated {
            let least = (UNORDERED, to.1, false);
            let number = Some(predicate_of(Condition::Eq));
            self.code
                .masked(Vector::PCMPD, len, least, a, Rm::Const(SIGN), number);
        }
        self.code.masked(vector, len, to, 0, Rm::Reg(a), None);
        if negated {
            // The negated least dword is 2^31.
            let (own, more) = ((to.0, UNORDERED, false), Rm::Const(2f32.powi(31).to_bits()));
            self.code.masked(Vector::BROADCAST, len, own, 0, more, None);
        }
    }

    /// An instruction of two sources.
    pub fn binary(&mut self, inst: &Inst, vector: Vector, r: u8, to: (Reg, Mask, bool)) {
        let len = Self::len(inst);
        let (mut a, mut b) = (self.source(inst, 0, r), self.source(inst, 1, r));
        let swaps = !matches!(vector, Vector::PSLLVD | Vector::PSRLVD | Vector::PSRAVD);
        if swaps && matches!(b, Rm::Reg(_)) && !matches!(a, Rm::Reg(_)) {
            (a, b) = (b, a);
        }
        let a = self.in_register(a, len, SOURCE[0]);
        self.code.masked(vector, len, to, a, b, None);
    }

    pub fn dword(&mut self, inst: &Inst, opcode: Opcode, r: u8, to: (Reg, Mask, bool)) {
        let len = Self::len(inst);
        let between = BETWEEN[0];
        let negated = |k: usize| {
            let source = inst.src.get(k);
            source.is_some_and(|s| s.modifier == Some(Modifier::Neg))
        };
        let vector = match opcode {
            Opcode::Add if negated(1) => {
                return self.difference(inst, Vector::PSUBD, [0, 1], r, to);
            }
            Opcode::Add if negated(0) => {
                return self.difference(inst, Vector::PSUBD, [1, 0], r, to);
            }
            Opcode::Add => Vector::PADDD,
            Opcode::Mul => Vector::PMULLD,
            Opcode::And => Vector::PANDD,
            Opcode::Or => Vector::PORD,
            Opcode::Xor => Vector::PXORD,
            Opcode::Min => Vector::PMINSD,
            Opcode::Max => Vector::PMAXSD,
            Opcode::Add3 | Opcode::Mad => {
                let vector = match opcode {
                    Opcode::Mad => Vector::PMULLD,
                    _ => Vector::PADDD,
                };
                self.binary(inst, vector, r, (between, 0, false));
                let (vector, c) = match negated(2) {
                    true => (Vector::PSUBD, self.unmodified(inst, &inst.src[2], 2, r)),
                    false => (Vector::PADDD, self.source(inst, 2, r)),
                };
                return self.code.masked(vector, len, to, between, c, None);
            }
            Opcode::Not => {
                let a = self.source(inst, 0, r);
                let a = self.in_register(a, len, SOURCE[0]);
                let ones = Rm::Const(u32::MAX);
                return self.code.masked(Vector::PXORD, len, to, a, ones, None);
            }
            shift => return self.shift(inst, shift, r, to),
        };
        self.binary(inst, vector, r, to);
    }

    /// Shifts and rotations take the low five bits of their count.
    fn shift(&mut self, inst: &Inst, opcode: Opcode, r: u8, to: (Reg, Mask, bool)) {
        let len = Self::len(inst);
        let vector = match opcode {
            Opcode::Shl => Vector::PSLLVD,
            Opcode::Shr => Vector::PSRLVD,
            Opcode::Rol => Vector::PROLVD,
            Opcode::Ror => Vector::PRORVD,
            _ => Vector::PSRAVD,
        };
        let b = match self.source(inst, 1, r) {
            Rm::Const(count) => {
                let which = match opcode {
                    Opcode::Shl => LEFT,
                    Opcode::Shr => RIGHT,
                    Opcode::Rol => LEFT_AROUND,
                    Opcode::Ror => RIGHT_AROUND,
                    _ => RIGHT_SIGNED,
                };
                let a = self.source(inst, 0, r);
                let a = self.in_register(a, len, SOURCE[0]);
                let (to, mask, zero) = to;
                let dst = (which, mask, zero);
                let count = Some(count as u8 & 31);
                return self
                    .code
                    .masked(Vector::SHIFT_BY, len, dst, to, Rm::Reg(a), count);
            }
            b => {
                let b = self.in_register(b, len, SOURCE[1]);
                self.code
                    .vector(Vector::PANDD, len, SOURCE[1], b, Rm::Const(31));
                Rm::Reg(SOURCE[1])
            }
        };
        let a = self.source(inst, 0, r);
        let a = self.in_register(a, len, SOURCE[0]);
        self.code.masked(vector, len, to, a, b, None);
    }

    /// Leaves the region in front of the op at hand if masks that were tested have any bit.
    pub fn leave_if_any(&mut self) {
        let leave = self.leave_label();
        self.code.jump_if(If::NotZero, leave);
    }

    /// A value, clamped if asked, becomes the result.
    pub fn saturated(
        &mut self,
        len: Len,
        saturate: bool,
        value: Reg,
        mask: Option<Mask>,
        target: Reg,
    ) {
        if !saturate {
            return self.finish(len, target, mask, value);
        }
        let between = BETWEEN[2];
        // Of zeros and of what has no order it is the second operand.
        self.code
            .vector(Vector::MAXPS, len, between, value, Rm::Const(0));
        let to = (target, mask.unwrap_or(0), false);
        self.code
            .masked(Vector::MINPS, len, to, between, Rm::Const(ONE), None);
    }

    /// Arithmetic of singles. Source: vISA text reference 6.5.
    fn single(
        &mut self,
        inst: &Inst,
        (opcode, saturate): (Opcode, bool),
        r: u8,
        mask: Option<Mask>,
        target: Reg,
    ) {
        let len = Self::len(inst);
        if matches!(opcode, Opcode::Min | Opcode::Max) {
            self.extreme(inst, opcode, r, mask);
            return self.saturated(len, saturate, BETWEEN[0], mask, target);
        }
        // Nothing is left to do behind it in the plain case.
        let plain = !saturate && !self.flush;
        let to = match plain {
            true => {
                let free = mask.is_some() && self.is_free(inst, r);
                (target, mask.unwrap_or(0), free)
            }
            false => (BETWEEN[0], 0, false),
        };
        let result = to.0;
        self.arithmetic(inst, opcode, r, mask, to);
        self.ordered(inst, r, result, mask);
        if self.flush {
            self.flush_register(len, result);
        }
        if !plain {
            self.saturated(len, saturate, result, mask, target);
        }
    }

    pub fn arithmetic(
        &mut self,
        inst: &Inst,
        opcode: Opcode,
        r: u8,
        mask: Option<Mask>,
        to: (Reg, Mask, bool),
    ) {
        let len = Self::len(inst);
        let [x, y, z] = BETWEEN;
        match opcode {
            Opcode::Add if self.subtracts(inst, 1) => {
                self.difference(inst, Vector::SUBPS, [0, 1], r, to)
            }
            Opcode::Add if self.subtracts(inst, 0) => {
                self.difference(inst, Vector::SUBPS, [1, 0], r, to)
            }
            Opcode::Add => self.binary(inst, Vector::ADDPS, r, to),
            Opcode::Mul => self.binary(inst, Vector::MULPS, r, to),
            Opcode::Mad => self.multiply_add(inst, r, to),
            Opcode::Lrp => self.interpolate(inst, r, to),
            Opcode::Divm => {
                let a = self.source(inst, 0, r);
                let a = self.in_register(a, len, SOURCE[0]);
                let b = self.source(inst, 1, r);
                self.code.masked(Vector::DIVPS, len, to, a, b, None);
            }
            Opcode::Inv | Opcode::Invm => {
                let a = self.source(inst, 0, r);
                self.code
                    .vector(Vector::BROADCAST, len, y, 0, Rm::Const(ONE));
                self.code.masked(Vector::DIVPS, len, to, y, a, None);
            }
            Opcode::Div => {
                // Source 0 times the reciprocal, which is rounded by itself.
                let b = self.source(inst, 1, r);
                self.code
                    .vector(Vector::BROADCAST, len, y, 0, Rm::Const(ONE));
                self.code.vector(Vector::DIVPS, len, y, y, b);
                if self.flush {
                    self.flush_register(len, y);
                }
                let a = self.source(inst, 0, r);
                self.code.masked(Vector::MULPS, len, to, y, a, None);
            }
            Opcode::Sqrt | Opcode::Sqrtm => {
                let a = self.source(inst, 0, r);
                self.code.masked(Vector::SQRTPS, len, to, 0, a, None);
            }
            Opcode::Rsqrt
            | Opcode::Rsqtm
            | Opcode::Exp
            | Opcode::Log
            | Opcode::Pow
            | Opcode::Sin
            | Opcode::Cos => {
                self.math(inst, opcode, r, mask);
                self.finish(len, to.0, (to.1 != 0).then_some(to.1), x);
            }
            _ => {
                let a = self.source(inst, 0, r);
                let number = match opcode {
                    Opcode::Frc | Opcode::Rndd => 9,
                    Opcode::Rndu => 10,
                    Opcode::Rnde => 8,
                    _ => 11,
                };
                if opcode == Opcode::Frc {
                    let a = self.in_register(a, len, SOURCE[0]);
                    self.code
                        .vector_by(Vector::RNDSCALEPS, len, z, 0, Rm::Reg(a), number);
                    self.code
                        .masked(Vector::SUBPS, len, to, a, Rm::Reg(z), None);
                } else {
                    self.code
                        .masked(Vector::RNDSCALEPS, len, to, 0, a, Some(number));
                }
            }
        }
    }

    /// Whether a single is negated by its modifier alone, so that an instruction can do it that subtracts.
    fn subtracts(&self, inst: &Inst, k: usize) -> bool {
        !self.flush && inst.src[k].modifier == Some(Modifier::Neg)
    }

    /// A single without its sign modifier, if instructions see to that.
    fn positive(&mut self, inst: &Inst, k: usize, r: u8) -> Rm {
        match self.subtracts(inst, k) {
            true => self.unmodified(inst, &inst.src[k], k, r),
            false => self.source(inst, k, r),
        }
    }

    /// One source less the other one, which is negated.
    fn difference(
        &mut self,
        inst: &Inst,
        vector: Vector,
        [k, less]: [usize; 2],
        r: u8,
        to: (Reg, Mask, bool),
    ) {
        let len = Self::len(inst);
        let a = self.source(inst, k, r);
        let b = self.unmodified(inst, &inst.src[less], less, r);
        let a = self.in_register(a, len, SOURCE[k]);
        self.code.masked(vector, len, to, a, b, None);
    }

    /// `mad`, rounded once.
    fn multiply_add(&mut self, inst: &Inst, r: u8, to: (Reg, Mask, bool)) {
        let len = Self::len(inst);
        // A result is never in a register of a source.
        let kept = to.1 != 0 && !to.2;
        let sum = if kept { BETWEEN[1] } else { to.0 };
        let less = self.subtracts(inst, 0) != self.subtracts(inst, 1);
        let multiply = match (less, self.subtracts(inst, 2)) {
            (false, false) => Vector::FMADD231PS,
            (false, true) => Vector::FMSUB231PS,
            (true, false) => Vector::FNMADD231PS,
            (true, true) => Vector::FNMSUB231PS,
        };
        let c = self.positive(inst, 2, r);
        let vector = match c {
            Rm::Reg(_) | Rm::Row(_) => Vector::LOAD,
            _ => Vector::BROADCAST,
        };
        let into = if kept { (sum, 0, false) } else { to };
        self.code.masked(vector, len, into, 0, c, None);
        let (mut a, mut b) = (self.positive(inst, 0, r), self.positive(inst, 1, r));
        if matches!(b, Rm::Reg(_)) && !matches!(a, Rm::Reg(_)) {
            (a, b) = (b, a);
        }
        let a = self.in_register(a, len, SOURCE[0]);
        self.code.masked(multiply, len, into, a, b, None);
        if kept {
            self.finish(len, to.0, Some(to.1), sum);
        }
    }

    /// Singles to integers: the fraction is dropped, the range clamps, NaN is 0.
    fn truncated(&mut self, inst: &Inst, ty: Type, r: u8, mask: Option<Mask>, target: Reg) {
        let len = Self::len(inst);
        let x = BETWEEN[0];
        let a = self.source(inst, 0, r);
        let a = self.in_register(a, len, SOURCE[0]);
        let float = |value: f32| Rm::Const(value.to_bits());
        if matches!(ty, Type::Ud | Type::Uw | Type::Ub) {
            // What has no order is the second operand.
            self.code.vector(Vector::MAXPS, len, x, a, float(0.0));
            match ty {
                Type::Uw => self.code.vector(Vector::MINPS, len, x, x, float(65535.0)),
                Type::Ub => self.code.vector(Vector::MINPS, len, x, x, float(255.0)),
                _ => {}
            }
            self.code.vector(Vector::CVTTPS2UDQ, len, x, 0, Rm::Reg(x));
            return self.finish(len, target, mask, x);
        }
        let ordered = (UNORDERED, 0, false);
        self.code
            .masked(Vector::CMPPS, len, ordered, a, Rm::Reg(a), Some(7));
        let kept = (x, UNORDERED, true);
        self.code
            .masked(Vector::LOAD, len, kept, 0, Rm::Reg(a), None);
        let (least, greatest) = match ty {
            Type::W => (-32768.0, 32767.0),
            Type::B => (-128.0, 127.0),
            _ => {
                let over = (UNORDERED, 0, false);
                let limit = float(2_147_483_648.0);
                self.code
                    .masked(Vector::CMPPS, len, over, x, limit, Some(0x1d));
                self.code.vector(Vector::CVTTPS2DQ, len, x, 0, Rm::Reg(x));
                let over = (x, UNORDERED, false);
                let most = Rm::Const(i32::MAX.cast_unsigned());
                self.code
                    .masked(Vector::BROADCAST, len, over, 0, most, None);
                return self.finish(len, target, mask, x);
            }
        };
        self.code.vector(Vector::MAXPS, len, x, x, float(least));
        self.code.vector(Vector::MINPS, len, x, x, float(greatest));
        self.code.vector(Vector::CVTTPS2DQ, len, x, 0, Rm::Reg(x));
        self.finish(len, target, mask, x);
    }
}
