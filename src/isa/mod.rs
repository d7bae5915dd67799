//! What is known of vISA before any text is read: types, instructions, operand slots, platforms.

pub mod availability;
pub mod generations;
pub mod opcodes;
pub mod platforms;
pub mod predefined;
pub mod slots;
pub mod types;

pub use availability::Availability;
pub use generations::{Generation, Span};
pub use opcodes::{Family, OPCODES, OpInfo, Opcode};
pub use platforms::Platform;
pub use slots::{ExecUse, PredicateUse, Slot, SuffixSlot};
pub use types::{
    AtomicOp, AvsControl, AvsMode, ChannelMask, Condition, Exec, Extension, MediaMode, Modifier,
    Type, UnormFormat,
};
