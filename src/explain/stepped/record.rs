//! The records of a stepped run, as they are written: one JSON object a line, `{"step": {…}}`.
//!
//! | record | when |
//! |---|---|
//! | `program` | first: the texts, the variables, the instructions |
//! | `layout` | before the first message that has it: the fields of a part of a message |
//! | `window` | from here on nothing is needed that is in front of it but `program` and layouts |
//! | `state` | in front of the first step of a thread in a window: its registers |
//! | `step` | an instruction that ran, in the order of the run |
//! | `surface` | after all steps: an image of a surface as it was at first, and what was written to it |
//! | `end` | last: threads, counts, what is wrong |
//!
//! Registers are bytes of the thread's own memory, `at` an offset in it, which `program.variables` tells apart; bytes are
//! two hexadecimal digits each, in the order of memory. The registers in front of a step are those of the thread's
//! `state` in the same window, with the `changes` and then the `writes` of all its steps since put over them, and its own
//! `changes`. Steps are numbered
//! from 1 as they come. What is empty, null, or as it mostly is, is left out.

use crate::exec::ThreadId;
use crate::message::fields::Field;
use serde::{Deserialize, Serialize};

/// What [`Program::format`] says.
pub const FORMAT: &str = "visim stepped run";

/// The version of the format: greater where what was there means something else.
pub const VERSION: u32 = 1;

/// A line of a stepped run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// What is known before the run.
    Program(Program),
    /// A part of a message, once.
    Layout(Layout),
    /// A point from which one can read on.
    Window(Window),
    /// A thread.
    State(State),
    /// An instruction that ran.
    Step(Step),
    /// An image of a surface.
    Surface(Surface),
    /// What is known after the run.
    End(End),
}

/// The texts, the variables and the instructions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The kernel's name.
    pub kernel: String,
    /// The platform it runs for.
    pub platform: String,
    /// Bytes of a register of that platform.
    pub register_bytes: u32,
    /// The texts; places name them by number.
    pub files: Vec<File>,
    /// Variables in the order of `at`, those that are views of others after them.
    pub variables: Vec<Variable>,
    /// Instructions; steps name them by number.
    pub instructions: Vec<Instruction>,
}

/// A text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// Its name.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// `general`, `address`, `predicate`, `surface` or `sampler`.
    pub class: String,
    /// Type of an element: `d`, `f` …; `bool` of a predicate, whose lanes are the bits of a dword.
    #[serde(rename = "type")]
    pub ty: String,
    /// First byte.
    pub at: u32,
    /// Bytes.
    pub bytes: u32,
    /// Elements.
    pub elements: u32,
    /// Line of the first text where it is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The function whose own it is; of the kernel if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// It is another way to bytes of the variables in front.
    #[serde(default, skip_serializing_if = "is_false")]
    pub view: bool,
    /// Built in, not declared.
    #[serde(default, skip_serializing_if = "is_false")]
    pub predefined: bool,
}

/// An instruction, as far as it is known before the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Instruction {
    /// The text that it is in, by number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub file: usize,
    /// Its line there, from 1; 0 for the end that every body has.
    pub line: usize,
    /// The statement.
    pub text: String,
    /// The mnemonic.
    pub opcode: String,
    /// What it does, in a sentence.
    pub does: String,
    /// The section that defines it.
    pub section: String,
    /// The address of its page in the published manual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Lanes it has.
    pub lanes: u8,
    /// Bit of the execution mask that lane 0 goes by.
    #[serde(default, skip_serializing_if = "is_zero_u8")]
    pub first_lane: u8,
    /// What it reads, where that does not depend on what registers hold; else each step says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Operand>,
    /// Where its results go, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<Operand>,
    /// Which byte of the destination is which channel, pixel or gap: several, if a state decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub destination: Vec<Packing>,
    /// The messages that it becomes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// Native instructions of extended math.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub native: Vec<String>,
    /// Where two pages of the manual disagree on it, and which is followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<String>,
}

/// An operand: where its elements are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operand {
    /// Which operand, in words: `source 0`, `the predicate`, `destination`.
    pub operand: String,
    /// Type of an element; `bool` for the bits of a dword.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its elements.
    pub runs: Vec<Run>,
    /// The bytes of a constant, which has no place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<String>,
}

/// Elements at even distances: offset of the first, how many, bytes from one to the next, and the lane of the first,
/// the others being those of the lanes after it; null where they belong to no lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run(pub u32, pub u32, pub u32, pub Option<u8>);

/// How a destination is packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packing {
    /// When it is so; empty where it always is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub when: String,
    /// Bytes from the operand on.
    pub rows: Vec<PackedRow>,
}

/// Bytes of a destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedRow {
    /// The first, counted from the operand on.
    pub first: usize,
    /// The last.
    pub last: usize,
    /// What they are.
    pub what: String,
    /// Nothing is written there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gap: bool,
}

/// A message, as far as it is known before the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// As a listing begins it, then receiver and lengths.
    pub title: String,
    /// The shared function that receives it.
    pub receiver: String,
    /// The descriptors; of bits known at run time alone each step says which they are.
    pub parts: Vec<Part>,
    /// What the descriptors are sums of, where they are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<String>,
    /// The registers that are sent.
    pub registers: Vec<Register>,
    /// Bytes that come back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<Answer>,
}

/// Words of a message with a layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Number of the [`Layout`].
    pub layout: usize,
    /// The words.
    pub words: Vec<u32>,
}

/// A register of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Register {
    /// `header`, `first payload`, `second payload`.
    pub part: String,
    /// Number of the layout of its dwords.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<usize>,
    /// What it is made of, from byte 0 on.
    pub pieces: Vec<Piece>,
}

/// Bytes of a register of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// How many.
    pub bytes: u32,
    /// What they are, in words.
    pub text: String,
    /// The registers they are taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u32>,
    /// The number they are, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u32>,
    /// They are computed: each step has the number, in the order of such pieces.
    #[serde(default, skip_serializing_if = "is_false")]
    pub computed: bool,
}

/// Bytes of an answer that reach a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Where they go.
    pub at: u32,
    /// How many.
    pub bytes: u32,
    /// The first of them, counted in the answer.
    pub from: u32,
}

/// The fields of a part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// What the part is.
    pub name: String,
    /// The section that defines it.
    pub source: String,
    /// The address of the published manual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Its fields.
    pub fields: Vec<LayoutField>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutField {
    /// Its name.
    pub name: String,
    /// Which word.
    pub dword: usize,
    /// Lowest bit in it.
    pub low: u32,
    /// Highest bit.
    pub high: u32,
    /// What it means.
    pub meaning: String,
}

impl LayoutField {
    /// Of a row of a table.
    pub fn of(field: &Field) -> LayoutField {
        LayoutField {
            name: field.name.to_owned(),
            dword: field.dw,
            low: field.lo,
            high: field.hi,
            meaning: field.doc.to_owned(),
        }
    }
}

/// A point from which one can read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Number of the first step after it.
    pub first: u64,
}

/// A thread in front of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Its number in launch order.
    pub thread: u32,
    /// Its group, x y z.
    pub group: [u32; 3],
    /// Its number in its group.
    pub local: u32,
    /// Its registers: where, and the bytes; those left out are zero.
    pub registers: Vec<(u32, String)>,
}

impl State {
    /// Of a thread.
    pub fn of(thread: ThreadId, registers: Vec<(u32, String)>) -> State {
        State {
            thread: thread.index,
            group: thread.group,
            local: thread.local,
            registers,
        }
    }
}

/// An instruction that ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The thread.
    pub thread: u32,
    /// Number of the instruction in the thread's own run, from 1.
    pub number: u64,
    /// Which of [`Program::instructions`].
    pub op: u32,
    /// Lanes that ran, bit 0 = lane 0 of the instruction.
    pub lanes: u32,
    /// Lanes that would have run without a predicate, if others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<u32>,
    /// What it wrote to registers, which may be what was there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<(u32, String)>,
    /// What else has changed since the thread's step before: variables of a function that was entered or left, clocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<(u32, String)>,
    /// What it read, where that depends on what registers held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Operand>,
    /// What the shared functions were asked, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
    /// Of each message what is known at run time alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<Sent>,
    /// Which of the packings of the destination the sampler's state asks for, where there are several.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub packing: usize,
    /// Texels that the sampler took.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texels: Vec<Texel>,
    /// Memory that was touched; without what `texels` tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<Touched>,
    /// It ended the thread, waits or trapped; what follows it in the thread comes after that.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// There was no room for its texels and accesses.
    #[serde(default, skip_serializing_if = "is_false")]
    pub left_out: bool,
}

/// A message at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Its descriptors, if they were not known before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The pieces that are computed, in the order of the registers; null for those wider than a dword.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Option<u32>>,
}

/// A texel that took part in what a lane is returned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Texel {
    /// The lane.
    pub lane: u8,
    /// Binding table index of the surface.
    pub surface: u32,
    /// Level counted in memory.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub level: u32,
    /// Array slice, face or 3D slice.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub slice: u32,
    /// Column and row; null for the border colour.
    pub at: Option<(u32, u32)>,
    /// Its part of the sum.
    pub weight: f32,
    /// Its channels.
    pub rgba: [f32; 4],
}

/// Pieces of memory that were touched in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// `read`, `write` or `update`.
    pub kind: String,
    /// The memory, in words.
    pub space: String,
    /// Binding table index, if it is a surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<u32>,
    /// Bytes of each piece.
    pub bytes: u32,
    /// The pieces.
    pub places: Vec<Place>,
}

/// A piece of memory: the lane, or null, how many bytes of it exist, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place(pub Option<u8>, pub u32, pub Spot);

/// Where a piece of memory is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spot {
    /// A byte of a surface or memory, or a 64-bit address, in hexadecimal.
    Byte(String),
    /// u, v, r and level of a texel.
    Texel([u32; 4]),
    /// Byte column and row of a piece of a block.
    Block([i64; 2]),
}

/// An image of a surface: as it was when a step first touched it, and what was written since.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Binding table index.
    pub index: u32,
    /// What the program calls it.
    pub name: String,
    /// The name of its format.
    pub format: String,
    /// Level counted in memory.
    pub level: u32,
    /// Array slice, face or 3D slice.
    pub slice: u32,
    /// Texels across and down.
    pub size: (u32, u32),
    /// Column and row of the part that `picture` shows: all of it, or the neighbourhood of what was touched.
    pub origin: (u32, u32),
    /// Columns and rows of that part.
    pub shown: (u32, u32),
    /// Bytes of a cell and texels across it: of a byte column, column / bytes × across is the texel.
    pub cell: (u32, u32),
    /// The values that are black and white, where they are others than 0 and 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f32, f32)>,
    /// That part as a PNG, `data:image/png;base64,…`.
    pub picture: String,
    /// What was written.
    pub writes: Vec<Patch>,
}

/// Texels that a step wrote: its number, column and row of the first, and the colours of that and those to its right as
/// red, green and blue, two hexadecimal digits each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch(pub u64, pub u32, pub u32, pub String);

/// What is known after the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Steps there are.
    pub steps: u64,
    /// Instructions that ran and are not among them.
    pub left_out: u64,
    /// How often each instruction is among them.
    pub executed: Vec<u64>,
    /// Threads in the order of their first step.
    pub threads: Vec<Thread>,
    /// Steps of one thread one after the other: number of the first, how many, the thread's place in `threads`.
    pub spans: Vec<(u64, u64, usize)>,
    /// Steps that meet others at a barrier: number, and the thread's place in `threads`.
    pub barriers: Vec<(u64, usize)>,
    /// Why the run did not come to its end, as the command line prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A thread that has steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Number in launch order.
    pub index: u32,
    /// Group, x y z.
    pub group: [u32; 3],
    /// Number in its group.
    pub local: u32,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &usize) -> bool {
    *value == 0
}

fn is_zero_u8(value: &u8) -> bool {
    *value == 0
}

fn is_zero_u32(value: &u32) -> bool {
    *value == 0
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}
