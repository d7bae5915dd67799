//! The registers of a thread before its first instruction. Source: launch reference 2 to 5 and 9.

use super::argument::{Addressing, Argument, Size};
use super::description::{Compiler, Content, Description};
use crate::launch::ThreadId;
use crate::launch::ThreadStart;

/// Addresses that visim gives out. Buffers lie `STEP` apart, each with a gap after it.
pub const BUFFERS: u64 = 0x10_0000_0000;
/// From one buffer to the next at least.
pub const STEP: u64 = 0x1000_0000;
/// Private memory: every thread finds its own there.
pub const PRIVATE: u64 = 0x90_0000_0000;
/// Constants of the program.
pub const CONSTANTS: u64 = 0xa0_0000_0000;
/// Writable globals of the program.
pub const GLOBALS: u64 = 0xa8_0000_0000;
/// Texts that the program names, those of `printf` among them.
pub const STRINGS: u64 = 0xac_0000_0000;
/// The buffer of `printf`.
pub const PRINTF: u64 = 0xb0_0000_0000;

/// Gives each thread its registers.
#[derive(Clone, Debug)]
pub struct Registers {
    /// What is the same for all threads.
    common: Vec<u8>,
    /// What differs: where, how much, what.
    own: Vec<(u32, u32, Content)>,
    size: Size,
    items: u32,
    simd: u32,
    vector: bool,
}

impl Registers {
    /// The registers of a launch; `address` tells where the buffer of an argument lies, `local_offset`
    /// where a local argument does.
    pub fn new(
        description: &Description,
        size: &Size,
        items: u32,
        arguments: &[Argument],
        address: impl Fn(u32) -> u64,
        local_offset: impl Fn(u32) -> u32,
    ) -> Registers {
        let mut common = Vec::new();
        let mut own = Vec::new();
        for piece in &description.pieces {
            let end = piece.offset as usize + piece.size as usize;
            if common.len() < end {
                common.resize(end, 0);
            }
            let of_group =
                size.has_partial_groups() && matches!(piece.content, Content::LocalSize(_));
            if piece.content.is_of_thread() || of_group {
                own.push((piece.offset, piece.size, piece.content));
                continue;
            }
            let bytes = value(piece.content, size, arguments, &address, &local_offset);
            let len = bytes.len().min(piece.size as usize);
            common[piece.offset as usize..][..len].copy_from_slice(&bytes[..len]);
        }
        Registers {
            common,
            own,
            size: *size,
            items,
            simd: description.simd.clamp(1, 32),
            vector: description.compiler == Compiler::Vector,
        }
    }

    /// Threads of a group.
    pub fn threads(&self) -> u32 {
        if self.vector {
            self.items
        } else {
            self.items.div_ceil(self.simd)
        }
    }

    /// Work-items of a thread.
    pub fn lanes(&self) -> u32 {
        if self.vector { 1 } else { self.simd }
    }

    /// Registers and lanes of a thread. Lanes beyond the group are off; in vector code all are on.
    pub fn start(&self, id: ThreadId) -> ThreadStart {
        let mut payload = self.common.clone();
        let local = self.size.items_of(id.group);
        // Local ids of a work-item, x fastest.
        let [x, y, _] = local.map(|n| n.max(1));
        let ids = |item: u32| [item % x, item / x % y, item / x / y];
        let items = match self.size.has_partial_groups() {
            true => local.iter().product(),
            false => self.items,
        };
        for &(offset, size, content) in &self.own {
            let out = &mut payload[offset as usize..][..size as usize];
            match content {
                Content::LocalId { dim, first_lane } => {
                    let mut own = ids(id.local * self.simd + first_lane);
                    for place in out.chunks_exact_mut(2) {
                        place.copy_from_slice(&(own[dim] as u16).to_le_bytes());
                        own[0] += 1;
                        if own[0] == x {
                            (own[0], own[1]) = (0, own[1] + 1);
                        }
                        if own[1] == y {
                            (own[1], own[2]) = (0, own[2] + 1);
                        }
                    }
                }
                Content::LocalIdXyz => {
                    for (n, place) in ids(id.local).iter().zip(out.chunks_exact_mut(2)) {
                        place.copy_from_slice(&(*n as u16).to_le_bytes());
                    }
                }
                Content::LocalSize(dim) => {
                    let bytes = local[dim].to_le_bytes();
                    let len = out.len().min(bytes.len());
                    out[..len].copy_from_slice(&bytes[..len]);
                }
                _ => {}
            }
        }
        let mask = if self.vector {
            u32::MAX
        } else {
            let left = items.saturating_sub(id.local * self.simd);
            match left.min(self.simd) {
                0 => 0,
                lanes => u32::MAX >> (32 - lanes),
            }
        };
        ThreadStart { payload, mask }
    }
}

/// The bytes of a piece that is the same for all threads. Source: launch reference 5.
fn value(
    content: Content,
    size: &Size,
    arguments: &[Argument],
    address: &dyn Fn(u32) -> u64,
    local_offset: &dyn Fn(u32) -> u32,
) -> Vec<u8> {
    let dword = |v: u32| v.to_le_bytes().to_vec();
    let qword = |v: u64| v.to_le_bytes().to_vec();
    let argument = |arg: u32| arguments.get(arg as usize);
    let sampler = |arg: u32| match argument(arg) {
        Some(Argument::Sampler(choice)) => *choice,
        _ => Default::default(),
    };
    match content {
        Content::LocalId { .. } | Content::LocalIdXyz | Content::BufferOffset | Content::Unread => {
            dword(0)
        }
        Content::GlobalOffset(dim) => dword(size.offset[dim]),
        Content::GlobalSize(dim) => dword(size.global[dim]),
        Content::LocalSize(dim) | Content::EnqueuedLocalSize(dim) => dword(size.local[dim]),
        Content::GroupCount(dim) => dword(size.global[dim].div_ceil(size.local[dim].max(1))),
        Content::WorkDim => dword(size.work_dim),
        Content::Value { arg, from } => {
            let bytes = argument(arg).and_then(Argument::value);
            let rest = bytes.and_then(|bytes| bytes.get(from as usize..));
            rest.unwrap_or_default().to_vec()
        }
        Content::BufferAddress(arg) => match argument(arg) {
            Some(Argument::Buffer(_)) => qword(address(arg)),
            _ => qword(0),
        },
        Content::SlmOffset { arg, .. } => qword(u64::from(local_offset(arg))),
        Content::Image { arg, query } => match argument(arg) {
            Some(Argument::Image(image)) => dword(image.answer(query)),
            _ => dword(0),
        },
        Content::SamplerSnap(arg) => {
            let choice = sampler(arg);
            let snaps = !choice.linear && choice.addressing == Addressing::Clamp;
            dword(if snaps { u32::MAX } else { 0 })
        }
        Content::SamplerNormalized(arg) => dword(if sampler(arg).normalized { 8 } else { 0 }),
        Content::SamplerAddressing(arg) => dword(sampler(arg).addressing as u32),
        Content::ConstBase => qword(CONSTANTS),
        Content::GlobalBase => qword(GLOBALS),
        Content::PrivateBase => qword(PRIVATE),
        Content::PrintfBuffer => qword(PRINTF),
        Content::Handle(handle) => qword(handle.value().into()),
    }
}
