//! Which function of the math unit an instruction is.

use crate::isa::Opcode;
use crate::math::unit::Function;

/// The math unit's function of an instruction. Division of floats is a reciprocal and a
/// multiplication instead.
///
/// Source: vISA text reference 5.4; lowering reference 16 and 18.7.
pub const fn function(opcode: Opcode) -> Option<Function> {
    Some(match opcode {
        Opcode::Inv => Function::Inv,
        Opcode::Log => Function::Log,
        Opcode::Exp => Function::Exp,
        Opcode::Sqrt => Function::Sqrt,
        Opcode::Rsqrt => Function::Rsqrt,
        Opcode::Sin => Function::Sin,
        Opcode::Cos => Function::Cos,
        Opcode::Pow => Function::Pow,
        Opcode::Div => Function::Quotient,
        Opcode::Mod => Function::Remainder,
        _ => return None,
    })
}
