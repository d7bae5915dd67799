//! How a request lies in registers: the order, the sizes and the strides of what is sent and what comes back.
//!
//! ```text
//!  header │ parameters, each in registers of its own │ data │ ─▶ │ answer │
//!           u₀ u₁ u₂ …        v₀ v₁ v₂ …               R₀ R₁ …     R₀ R₁ …      count 2: two of them
//!           ◀─slot─▶          ◀────pitch────▶          G₀ G₁ …     G₀ G₁ …
//! ```
//!
//! Lowering, raw messages, default lengths, the sanitizer and the reset of threads all read [`Layout::of`].
//! Source: lowering reference 1.8, 2 to 14; vISA text reference 5.8 to 5.10.

use super::request::{Access, Lsc, LscOp, Request, ReturnFormat};
use crate::isa::{AtomicOp, Platform};

/// Values that lie in registers in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadPart {
    /// Values of each lane.
    pub count: u32,
    /// Bytes from one value of a lane to its next.
    pub pitch: u32,
    /// Bytes from lane to lane.
    pub slot: u32,
    /// Bytes of a slot that count.
    pub used: u32,
}

impl PayloadPart {
    /// Nothing.
    pub const NONE: PayloadPart = PayloadPart {
        count: 0,
        pitch: 0,
        slot: 0,
        used: 0,
    };

    /// A block without lanes: rows of `used` bytes.
    const fn block(count: u32, pitch: u32, used: u32) -> PayloadPart {
        PayloadPart {
            count,
            pitch,
            slot: pitch,
            used,
        }
    }

    /// Registers it takes, of `grf` bytes each.
    pub const fn registers(&self, grf: u32) -> u32 {
        self.count.saturating_mul(self.pitch).div_ceil(grf)
    }

    /// Registers that one of its values takes, of `grf` bytes each.
    pub const fn each(&self, grf: u32) -> u32 {
        self.pitch.div_ceil(grf)
    }
}

/// How a request lies in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Lanes; 1 for blocks.
    pub lanes: u32,
    /// It cannot do without a header.
    pub header: bool,
    /// What says where or what, one value after the other: parameters, coordinates, offsets, addresses.
    pub params: PayloadPart,
    /// What is written, in one piece: rows of data, operands of an atomic, colours.
    pub data: PayloadPart,
    /// What comes back.
    pub answer: PayloadPart,
}

impl Layout {
    /// The layout of a request on so many lanes.
    pub fn of(request: &Request, lanes: u32, platform: Platform) -> Layout {
        let grf = platform.grf_bytes();
        // Each value of a lane in registers of its own, whose size is a power of two.
        let rows = |count: u32, slot: u32, used: u32| PayloadPart {
            count,
            pitch: lanes.saturating_mul(slot).max(1).saturating_add(grf - 1) & !(grf - 1),
            slot,
            used,
        };
        let words = |count: u32, narrow: bool| match narrow {
            true => rows(count, 2, 2),
            false => rows(count, 4, 4),
        };
        let moved = |access: Access, part: PayloadPart| match access {
            Access::Read => (PayloadPart::NONE, part),
            Access::Write => (part, PayloadPart::NONE),
        };
        let nothing = (PayloadPart::NONE, PayloadPart::NONE);
        let (header, params, (data, answer)) = match request {
            Request::Sampler(r) => {
                let answer = words(
                    r.returned_channels(),
                    matches!(r.returns, ReturnFormat::Bits16),
                );
                let params = words(r.params, r.params16);
                (
                    r.needs_header(platform),
                    params,
                    (PayloadPart::NONE, answer),
                )
            }
            Request::MediaRead(r) => {
                let block = PayloadPart::block(r.height, r.pitch(), r.width);
                (true, PayloadPart::NONE, (PayloadPart::NONE, block))
            }
            Request::MediaWrite(r) => {
                let block = PayloadPart::block(r.height, r.pitch(), r.width);
                (true, PayloadPart::NONE, (block, PayloadPart::NONE))
            }
            Request::Oword(r) => {
                let bytes = r.owords.saturating_mul(16);
                (
                    true,
                    PayloadPart::NONE,
                    moved(r.access, PayloadPart::block(1, bytes, bytes)),
                )
            }
            Request::SvmBlock(r) => {
                let bytes = r.owords.saturating_mul(16);
                (
                    true,
                    PayloadPart::NONE,
                    moved(r.access, PayloadPart::block(1, bytes, bytes)),
                )
            }
            // Bytes and words have a dword each.
            Request::ByteScattered(r) | Request::DwordScattered(r) => {
                let data = rows(1, r.element_bytes.max(4), r.element_bytes);
                (r.global.is_some(), rows(1, 4, 4), moved(r.access, data))
            }
            Request::Untyped(r) => {
                let data = rows(r.channels.count(), 4, 4);
                (false, rows(1, 4, 4), moved(r.access, data))
            }
            Request::SvmUntyped(r) => {
                let data = rows(r.channels.count(), 4, 4);
                (false, rows(1, 8, 8), moved(r.access, data))
            }
            Request::Typed(r) => {
                let data = rows(r.channels.count(), 4, 4);
                (false, rows(r.coordinates, 4, 4), moved(r.access, data))
            }
            // Words have a dword each; typed atomics have as many coordinates as are given, one at least.
            Request::Atomic(r) | Request::TypedAtomic(r) | Request::SvmAtomic(r) => {
                let address = match request {
                    Request::SvmAtomic(_) => 8,
                    _ => 4,
                };
                let size = r.bits / 8;
                let operands = rows(atomic_operands(r.op), size.max(4), size);
                let answer = rows(r.returns.into(), size.max(4), size);
                (false, rows(1, address, address), (operands, answer))
            }
            Request::SvmScattered(r) => {
                // A lane owns its bytes, a dword at least; larger blocks of all lanes follow each other.
                // Source: vISA text reference 5.10.
                let data = match r.block_bytes {
                    1 => PayloadPart {
                        count: 1,
                        pitch: lanes.saturating_mul(r.blocks.max(4)),
                        slot: r.blocks.max(4),
                        used: r.blocks,
                    },
                    bytes => PayloadPart {
                        count: r.blocks,
                        pitch: lanes.saturating_mul(bytes),
                        slot: bytes,
                        used: bytes,
                    },
                };
                (false, rows(1, 8, 8), moved(r.access, data))
            }
            Request::Lsc(r) => lsc(r, &rows, grf),
            Request::LscBlock2d(r) => {
                let bytes = r.bytes(grf);
                let block = PayloadPart::block(1, bytes, bytes);
                let kept = if r.returns { block } else { PayloadPart::NONE };
                let data = match r.access {
                    Access::Read => (PayloadPart::NONE, kept),
                    Access::Write => (block, PayloadPart::NONE),
                };
                (false, PayloadPart::NONE, data)
            }
            Request::Target(r) => (
                false,
                PayloadPart::NONE,
                (words(4, r.half), PayloadPart::NONE),
            ),
            // Blocks of the media sampler and what goes to other functions: a header or one register of fields.
            Request::Avs(_)
            | Request::Unorm(_)
            | Request::Scale8x8(_)
            | Request::Deinterlace(_)
            | Request::Fence(_)
            | Request::SamplerFlush
            | Request::Urb(_) => (true, PayloadPart::NONE, nothing),
            Request::LscFence(_) | Request::Barrier | Request::EndOfThread => {
                (false, PayloadPart::NONE, nothing)
            }
            // Gen5's own, with registers of 32 bytes. Source: PRM 5.10, 6.1.1.
            Request::DualOword(r) => {
                let data = PayloadPart::block(r.owords, 32, 32);
                (true, PayloadPart::block(1, 32, 32), moved(r.access, data))
            }
            // What is in front of the colours is the second register of the header.
            Request::Pixels(r) => {
                let data = PayloadPart::block(r.rows(), 32, 32);
                (
                    true,
                    PayloadPart::block(1, 32, 32),
                    (data, PayloadPart::NONE),
                )
            }
            Request::TargetUnorm(r) => (
                true,
                PayloadPart::NONE,
                moved(r.access, PayloadPart::block(4, 32, 32)),
            ),
            Request::LoopFilter(_) => (
                true,
                PayloadPart::NONE,
                (PayloadPart::NONE, PayloadPart::block(8, 32, 32)),
            ),
            Request::Vertex(_) | Request::FlushRender { .. } => (true, PayloadPart::NONE, nothing),
            Request::Math(control) => {
                let operands = if control.function.takes_two() { 2 } else { 1 };
                let results = rows(control.function.results(), 4, 4);
                (false, rows(operands, 4, 4), (PayloadPart::NONE, results))
            }
            Request::EndOfChild | Request::NullEnd | Request::Gateway { .. } => {
                (false, PayloadPart::NONE, nothing)
            }
        };
        Layout {
            lanes,
            header,
            params,
            data,
            answer,
        }
    }
}

/// Whether there is a header, the parameters, and what is written and comes back, of the load/store pipe.
/// Source: Xe2 messages reference 7, "Lengths".
fn lsc(
    r: &Lsc,
    rows: &impl Fn(u32, u32, u32) -> PayloadPart,
    grf: u32,
) -> (bool, PayloadPart, (PayloadPart, PayloadPart)) {
    let (size, address) = (r.data.register_bytes(), r.address_bits / 8);
    let lone = PayloadPart {
        slot: address,
        ..PayloadPart::block(1, grf, address)
    };
    // Consecutive elements of one lane, and what a surface state says, lie together.
    let together = |count: u32, size: u32| PayloadPart {
        count,
        pitch: size,
        slot: size,
        used: size,
    };
    let used = r.data.memory_bytes();
    let values = match r.transposed {
        true => PayloadPart {
            used,
            ..together(r.vector, size)
        },
        false => rows(r.components(), size, used),
    };
    let (data, answer) = match r.op {
        LscOp::ReadState => (PayloadPart::NONE, together(1, 64)),
        LscOp::AtomicLoad => (PayloadPart::NONE, rows(1, size, used)),
        LscOp::Atomic(op) => (rows(atomic_operands(op), size, used), rows(1, size, used)),
        LscOp::BfAtomic(op) => (rows(atomic_operands(op), size, used), rows(1, size, used)),
        LscOp::AppendCounter(_) => (PayloadPart::NONE, rows(1, size, used)),
        op if op.is_store() => (values, PayloadPart::NONE),
        _ => (PayloadPart::NONE, values),
    };
    let params = match r.op {
        op if op.is_strided() => PayloadPart::NONE,
        LscOp::ReadState => PayloadPart::block(1, grf, 16),
        // Its data are where the others have addresses.
        LscOp::AppendCounter(_) => rows(1, size, used),
        _ if r.transposed => lone,
        _ => rows(r.coordinates, address, address),
    };
    let answer = if r.returns { answer } else { PayloadPart::NONE };
    (false, params, (data, answer))
}

/// What the parameters of a request are called.
pub fn params_name(request: &Request) -> &'static str {
    match request {
        Request::Sampler(_) => "parameters",
        Request::Typed(_) | Request::TypedAtomic(_) => "coordinates",
        Request::SvmScattered(_) | Request::SvmAtomic(_) => "addresses",
        Request::Lsc(r) => match r.typed() {
            Some(_) => "coordinates",
            None => "addresses",
        },
        _ => "offsets",
    }
}

/// What the data of a request are called.
pub fn data_name(request: &Request) -> &'static str {
    match request {
        request if request.is_atomic() => "operands",
        Request::Target(_) => "colours",
        _ => "data",
    }
}
/// Values that an atomic operation takes beside the address.
pub const fn atomic_operands(op: AtomicOp) -> u32 {
    match op {
        AtomicOp::Inc | AtomicOp::Dec => 0,
        AtomicOp::CmpXchg | AtomicOp::FCmpWr => 2,
        _ => 1,
    }
}
