//! Messages that are code: qwords, dwords, words and bytes between registers and windows, lane by lane.

use crate::exec::state::tally::Traffic;
use crate::isa::Type;
use crate::message::SamplerOp;
use crate::program::{Guard, Lanes, Program};

/// What such a message does. Who makes one has seen that its registers lie in their variables from end to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// To memory.
    pub write: bool,
    /// Which lanes.
    pub lanes: Lanes,
    /// The predicate.
    pub guard: Option<Guard>,
    /// Where.
    pub target: Target,
    /// Arena offset of the lanes' addresses: dwords, or qwords where the target has 64-bit addresses.
    pub addresses: u32,
    /// Where the target has 64-bit addresses, and those of lanes are dwords: what they become.
    pub extended: Option<Extended>,
    /// What is added to each, in units.
    pub added: u64,
    /// Arena offset of what else is added to each, a dword or, where the target has 64-bit addresses, a qword.
    pub based: Option<u32>,
    /// Bytes that a unit of an address means, a power of two.
    pub unit: u32,
    /// Bytes in front of a lane's first element.
    pub skipped: u32,
    /// Bytes of an element in memory, 1, 2, 4 or 8; in registers it is a dword at least.
    pub bytes: u32,
    /// Elements of a lane, up to 4.
    pub rows: u32,
    /// A bit for each element that memory has there, from the first one on, whether it is moved: what is read may have
    /// gaps.
    pub channels: u8,
    /// Bytes from a lane's element to its next one in registers.
    pub pitch: u32,
    /// Arena offset of the data, and bytes from there to that of the lanes from 16 on.
    pub data: u32,
    pub upper: u32,
    /// What becomes of the dwords in memory, if they are changed there.
    pub update: Option<Change>,
    /// It is left to the steps where elements are not at multiples of their size, or what lanes write does not lie in
    /// memory lane after lane.
    pub harmless: bool,
}

/// How a dword becomes a 64-bit address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extended {
    /// By its sign.
    pub signed: bool,
    /// Times two to this.
    pub shift: u8,
}

impl Extended {
    /// What a dword becomes.
    pub fn of(self, dword: u32) -> u64 {
        let own = match self.signed {
            true => i64::from(dword.cast_signed()).cast_unsigned(),
            false => dword.into(),
        };
        own << self.shift
    }
}

/// A change of dwords in memory, lane after lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// What they become.
    pub becomes: Becomes,
    /// By what.
    pub amount: Amount,
    /// What was there before is returned.
    pub returns: bool,
}

/// What a dword in memory becomes by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// The sum of both.
    Sum,
    /// The sum of both as singles.
    FloatSum,
    /// The other one.
    Other,
    /// The other one, if it is what the lane has from this arena offset on.
    OtherIf(u32),
    /// Logic of both.
    And,
    /// The same.
    Or,
    /// The same.
    Xor,
    /// The lesser one, signed or not.
    Least(bool),
    /// The greater one, signed or not.
    Greatest(bool),
}

/// What dwords in memory are changed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// This.
    One(u32),
    /// The dword of each lane, from this arena offset on.
    Row(u32),
    /// The same, negated.
    Less(u32),
}

/// A message of dwords that follow each other, at one address, whichever lanes run. Who makes one has seen that the
/// registers lie in their variables from end to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// To memory.
    pub write: bool,
    /// Where.
    pub target: Target,
    /// Arena offset of the address: a dword, or a qword where the target has 64-bit addresses.
    pub place: u32,
    /// Low bits of it that do not count.
    pub ignored: u32,
    /// Bytes that a unit of an address means, a power of two.
    pub unit: u32,
    /// What is added, in units.
    pub added: i32,
    /// What the address is a multiple of, 1, 4 or 8, if nothing shall be reported.
    pub align: u32,
    /// How many dwords.
    pub dwords: u32,
    /// Arena offset of the data.
    pub data: u32,
}

/// A sampler message of two coordinates, of which it is seen when it is sent that each lane gets a texel of up to four dwords,
/// or four of them, weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// What is asked; those that ask the same of the same surface and sampler differ in no more than what is below.
    pub op: SamplerOp,
    /// It may ask for a texel beside the one at the coordinates.
    pub moved: bool,
    /// Which lanes.
    pub lanes: Lanes,
    /// The predicate.
    pub guard: Option<Guard>,
    /// Arena offset of the index of the surface.
    pub surface: u32,
    /// The same of the sampler; a load, whose coordinates are integers, has none.
    pub sampler: Option<u32>,
    /// Arena offsets of the coordinates.
    pub coordinates: [u32; 2],
    /// Arena offset of the first channel.
    pub to: u32,
    /// Bytes from one channel to the next.
    pub pitch: u32,
    /// A bit for each channel that is returned.
    pub channels: u8,
}

/// A typed write to two coordinates, of which it is seen when it is sent that channels are alike and lie within dwords; texels
/// of less than a dword are written together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelWrite {
    /// Which lanes.
    pub lanes: Lanes,
    /// The predicate.
    pub guard: Option<Guard>,
    /// Arena offset of the index of the surface.
    pub surface: u32,
    /// Arena offsets of the coordinates.
    pub coordinates: [u32; 2],
    /// Arena offsets of red, green, blue and alpha.
    pub channels: [u32; 4],
}

/// A rectangle of bytes of a surface, of which it is seen when it is sent that the surface is made of rows. Who makes one
/// has seen that the registers lie in their variable from end to end, and registers of the host within the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// To memory.
    pub write: bool,
    /// Arena offset of the index of the surface, and what is added.
    pub surface: u32,
    pub index: u32,
    /// Arena offsets of column and row, dwords.
    pub place: [u32; 2],
    /// Bytes of a row, a power of two from 4 to 64; rows.
    pub width: u32,
    pub height: u32,
    /// Arena offset of the data, row after row.
    pub data: u32,
}

/// A message that is code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Texels.
    Sample(Sample),
    /// Texels that are written.
    Texels(TexelWrite),
    /// One that changes nothing.
    Idle,
    /// Something for each lane.
    Lanes(Transfer),
    /// One piece.
    Block(Block),
    /// A rectangle.
    Rectangle(Rectangle),
}

impl Message {
    /// The memory.
    pub const fn target(&self) -> Option<Target> {
        match self {
            Message::Idle | Message::Sample(_) | Message::Texels(_) | Message::Rectangle(_) => None,
            Message::Lanes(message) => Some(message.target),
            Message::Block(message) => Some(message.target),
        }
    }

    /// What it moves and returns, where code serves it.
    pub fn traffic(&self) -> Traffic {
        match self {
            Message::Idle => Traffic::default(),
            Message::Sample(sample) => Traffic {
                returned: 4 * u64::from(sample.channels.count_ones()),
                ..Traffic::default()
            },
            // How many bytes a texel has is seen when it is written.
            Message::Texels(_) => Traffic::default(),
            Message::Lanes(message) => {
                let returns = match message.update {
                    Some(update) => update.returns,
                    None => !message.write,
                };
                Traffic {
                    moved: message.size().into(),
                    returned: if returns {
                        u64::from(message.bytes.max(4) * message.rows)
                    } else {
                        0
                    },
                    whole: false,
                }
            }
            Message::Block(block) => whole(4 * block.dwords, block.write),
            Message::Rectangle(block) => whole(block.bytes(), block.write),
        }
    }
}

/// What a message of one piece moves and returns.
fn whole(bytes: u32, write: bool) -> Traffic {
    Traffic {
        moved: bytes.into(),
        returned: if write { 0 } else { bytes.into() },
        whole: true,
    }
}

impl Rectangle {
    /// Bytes in registers.
    pub const fn bytes(&self) -> u32 {
        self.width * self.height
    }
}

/// The memory of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Shared local memory of the thread's group; the variable, if there is one, has to say so.
    Shared {
        variable: Option<u32>,
        expected: u32,
    },
    /// Scratch memory of the thread; the variable, if there is one, has to say so.
    Scratch {
        variable: Option<u32>,
        expected: u32,
    },
    /// A surface: this index and what the variable holds.
    Surface { variable: Option<u32>, index: u32 },
    /// 64-bit addresses.
    Flat,
}

impl Target {
    /// Whether no thread of another group reaches it.
    pub const fn is_own(&self) -> bool {
        matches!(self, Target::Shared { .. } | Target::Scratch { .. })
    }
}

impl Transfer {
    /// The same of the lanes of a half alone.
    pub fn of_half(&self, half: u8) -> Transfer {
        let half = u32::from(half);
        Transfer {
            lanes: Lanes {
                count: 16,
                offset: self.lanes.offset + 16 * half as u8,
                ..self.lanes
            },
            addresses: self.addresses + 16 * self.width() * half,
            data: self.data.wrapping_add(self.upper.wrapping_mul(half)),
            ..*self
        }
    }

    /// One message of 32 lanes that does what this one does and then another one, of the lanes behind those of this one, if
    /// there is such: nothing is changed by it in memory but by what both write.
    pub fn joined(&self, other: &Transfer) -> Option<Transfer> {
        let joined = Transfer {
            lanes: Lanes {
                count: 32,
                ..self.lanes
            },
            upper: other.data.wrapping_sub(self.data),
            ..*self
        };
        // Stores that are reported are asked for each half.
        let reported = self.write && self.harmless;
        let plain = self.guard.is_none() && self.update.is_none() && self.bytes < 8 && !reported;
        let lower = self.lanes.count == 16 && self.lanes.offset == 0;
        // Halves have the other half where it would be of them.
        let upper = Transfer {
            upper: joined.upper,
            ..*other
        };
        (plain && lower && joined.of_half(1) == upper).then_some(joined)
    }

    /// Bytes of a lane's address.
    pub const fn width(&self) -> u32 {
        match (self.target, self.extended) {
            (Target::Flat, None) => 8,
            _ => 4,
        }
    }

    /// Bytes of a lane that are moved.
    pub const fn size(&self) -> u32 {
        self.bytes * self.rows
    }

    /// Bytes from the first of them to behind the last one in memory.
    pub const fn span(&self) -> u32 {
        self.bytes * (u8::BITS - self.channels.leading_zeros())
    }

    /// How far elements are from the first one in memory.
    pub fn places(&self) -> impl Iterator<Item = u32> + use<> {
        let (bytes, channels) = (self.bytes, self.channels);
        let moved = (0..u8::BITS).filter(move |n| channels >> n & 1 != 0);
        moved.map(move |n| bytes * n)
    }
}

/// A constant of the program, widened by the sign of its type.
pub fn constant(program: &Program, at: u32, ty: Type) -> Option<u64> {
    let bytes = ty.bytes();
    let own = program.image.get(at as usize..)?.get(..bytes as usize)?;
    let value = own
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | u64::from(*byte));
    let unused = 64 - 8 * bytes;
    Some(match ty.is_signed() {
        true => ((value << unused).cast_signed() >> unused).cast_unsigned(),
        false => value,
    })
}
