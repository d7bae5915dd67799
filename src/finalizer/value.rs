//! What a payload byte holds, by name: constants, dispatch header, bytes of variables, and the few
//! operations the lowering performs on them.
//!
//! The spelling is that of the lowering corpus: `r0.3`, `A0+8`, `A0+2:uw`, `add(C0+8,0x4447000)`.

use crate::check::VarId;
use crate::isa::Type;
use crate::surface::float::half_to_f32;

/// An operation of the lowering on 32-bit values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Wrapping sum.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Left shift, modulo 32.
    Shl,
    /// Right shift, modulo 32, zeros in.
    Shr,
}

impl Op {
    /// The spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Add => "add",
            Op::And => "and",
            Op::Or => "or",
            Op::Shl => "shl",
            Op::Shr => "shr",
        }
    }

    /// The result.
    pub const fn apply(self, a: u32, b: u32) -> u32 {
        match self {
            Op::Add => a.wrapping_add(b),
            Op::And => a & b,
            Op::Or => a | b,
            Op::Shl => a << (b & 31),
            Op::Shr => a >> (b & 31),
        }
    }
}

/// A 32-bit value known by name.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A constant.
    Const(u32),
    /// A dword of the dispatch header r0.
    Dispatch(u32),
    /// An element of a variable: the owner of the bytes, byte offset in it, type.
    Element {
        /// The variable that owns the bytes.
        root: VarId,
        /// Byte offset in it.
        offset: u32,
        /// How many bytes, and how they extend.
        ty: Type,
    },
    /// An element read through an address register.
    Indirect {
        /// Address variable.
        address: VarId,
        /// Its element.
        element: u32,
        /// Byte offset.
        offset: i32,
        /// Element type.
        ty: Type,
    },
    /// The number in a surface or sampler variable that nothing in this block sets.
    State {
        /// The state variable.
        var: VarId,
        /// Its element.
        element: u32,
    },
    /// Widened to 32 bits by its type.
    Widen(Type, Box<Value>),
    /// The value of an element of the first type in the second, single or dword.
    Convert(Type, Type, Box<Value>),
    /// Negated, made positive, complemented: a source modifier of a value of the type.
    Modified(&'static str, Type, Box<Value>),
    /// An operation.
    Call(Op, Box<[Value; 2]>),
    /// 0x100 if bit 4 of a sampler handle is set, else 0; the flag register that tests it.
    /// Source: lowering reference 1.6.
    HandleBit(Box<Value>, u8),
    /// The predicate of the instruction, one bit for each lane.
    Flag,
    /// Nothing in the program defines it.
    Undefined,
}

/// What [`Value::evaluate`] asks its caller for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leaf {
    /// Dword of r0.
    Dispatch(u32),
    /// Bytes of a variable, extended by their type.
    Element(VarId, u32, Type),
    /// Address variable, its element, offset, type.
    Indirect(VarId, u32, i32, Type),
    /// State variable and element.
    State(VarId, u32),
    /// The predicate's bits.
    Flag,
}

impl Value {
    /// The constant, if it is one.
    pub const fn constant(&self) -> Option<u32> {
        match self {
            Value::Const(n) => Some(*n),
            _ => None,
        }
    }

    /// An operation, folded where both sides are constant or one changes nothing.
    pub fn call(op: Op, a: Value, b: Value) -> Value {
        match (op, &a, &b) {
            (_, Value::Const(x), Value::Const(y)) => Value::Const(op.apply(*x, *y)),
            (Op::Add | Op::Or, Value::Const(0), _) => b,
            (Op::Add | Op::Or | Op::Shl | Op::Shr, _, Value::Const(0)) => a,
            // A sum is written with its constant after.
            (Op::Add, Value::Const(_), _) => Value::Call(op, Box::new([b, a])),
            _ => Value::Call(op, Box::new([a, b])),
        }
    }

    /// `self + n`, wrapping.
    pub fn plus(self, n: u32) -> Value {
        Value::call(Op::Add, self, Value::Const(n))
    }

    /// The value of an element of type `from` as a single or a dword of type `to`, as a move converts it.
    pub fn converted(self, from: Type, to: Type) -> Value {
        let value = self.widened();
        match value {
            value if from.is_float() == to.is_float() && from != Type::Hf => value,
            Value::Const(n) => Value::Const(convert(n, from, to)),
            Value::Widen(_, of) => Value::Convert(from, to, of),
            value => Value::Convert(from, to, Box::new(value)),
        }
    }

    /// The value as a dword: smaller elements are extended by their type.
    pub fn widened(self) -> Value {
        match self {
            Value::Element { ty, .. } | Value::Indirect { ty, .. } if ty.bytes() < 4 => {
                Value::Widen(ty, Box::new(self))
            }
            other => other,
        }
    }

    /// Sum of the constant terms: the bits of a run-time descriptor that are fixed.
    pub fn constant_part(&self) -> Option<u32> {
        match self {
            Value::Const(n) => Some(*n),
            Value::Call(Op::Add | Op::Or, args) => {
                let parts: Vec<u32> = args.iter().filter_map(Value::constant_part).collect();
                (!parts.is_empty()).then(|| parts.iter().fold(0, |a: u32, b| a.wrapping_add(*b)))
            }
            _ => None,
        }
    }

    /// The number, given the leaves. Undefined bits count as 0.
    pub fn evaluate(&self, read: &mut impl FnMut(Leaf) -> u32) -> u32 {
        match self {
            Value::Const(n) => *n,
            Value::Undefined => 0,
            Value::Flag => read(Leaf::Flag),
            Value::Dispatch(dw) => read(Leaf::Dispatch(*dw)),
            Value::Element { root, offset, ty } => read(Leaf::Element(*root, *offset, *ty)),
            Value::Indirect {
                address,
                element,
                offset,
                ty,
            } => read(Leaf::Indirect(*address, *element, *offset, *ty)),
            Value::State { var, element } => read(Leaf::State(*var, *element)),
            Value::Widen(_, of) => of.evaluate(read),
            Value::Convert(from, to, of) => convert(of.evaluate(read), *from, *to),
            Value::Modified(how, ty, of) => {
                let n = of.evaluate(read);
                let sign = 1 << (8 * ty.bytes().min(4) - 1);
                match (*how, ty.is_float()) {
                    ("neg", true) => n ^ sign,
                    ("abs", true) => n & !sign,
                    ("neg", _) => n.wrapping_neg(),
                    ("abs", _) => (n as i32).unsigned_abs(),
                    ("not", _) => !n,
                    _ => n,
                }
            }
            Value::Call(op, args) => op.apply(args[0].evaluate(read), args[1].evaluate(read)),
            Value::HandleBit(of, _) => (of.evaluate(read) & 0x10) << 4,
        }
    }
}

/// An element, extended to 32 bits by its type, as a move converts it.
fn convert(n: u32, from: Type, to: Type) -> u32 {
    let single = match from {
        Type::F => f32::from_bits(n),
        Type::Hf => f32::from_bits(half_to_f32(n as u16)),
        Type::D | Type::W | Type::B => n as i32 as f32,
        _ => n as f32,
    };
    match to {
        Type::F => single.to_bits(),
        Type::D => single as i32 as u32,
        _ => single as u32,
    }
}

/// A stretch of a payload register.
#[derive(Clone, Debug, PartialEq)]
pub enum Run {
    /// Bytes of a variable.
    Bytes {
        /// The variable that owns them.
        root: VarId,
        /// First byte.
        offset: u32,
        /// How many.
        len: u32,
    },
    /// Bytes of the dispatch header.
    Dispatch {
        /// First byte.
        offset: u32,
        /// How many.
        len: u32,
    },
    /// A computed element of `size` bytes, 1 to 8.
    Value {
        /// The value; for 8 bytes the operands are 64-bit.
        value: Value,
        /// Bytes.
        size: u32,
    },
    /// Bytes nothing defines.
    Undefined {
        /// How many.
        len: u32,
    },
}

impl Run {
    /// Bytes covered.
    pub const fn len(&self) -> u32 {
        match self {
            Run::Bytes { len, .. } | Run::Dispatch { len, .. } | Run::Undefined { len } => *len,
            Run::Value { size, .. } => *size,
        }
    }

    /// Whether it covers nothing.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
