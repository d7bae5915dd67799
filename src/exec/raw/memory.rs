//! Raw messages to memory, as instructions would have asked them.

use super::Call;
use super::payload::Payload;
use crate::isa::{AtomicOp, ChannelMask, Platform, Type};
use crate::message::natural::{self, atomic_operands};
use crate::message::{Access, Atomic, Decoded, Request, Scattered, Untyped};
use crate::program::{Raw, Region, SendBody, Source};

/// A memory message as an instruction would have asked it.
pub(super) struct Memory {
    pub body: SendBody,
    pub surface: u32,
    pub uniform: u64,
    /// Lanes of the message; 1 for blocks.
    pub lanes: u32,
}

/// Stands where an operand would: its value is in the header, which has been read.
fn read_already() -> Source {
    Source {
        region: Region::Scalar(0),
        ty: Type::Ud,
        modifier: None,
    }
}

/// The memory message of a request, with its registers.
pub(super) fn memory(call: &Call<'_>, platform: Platform) -> Option<Memory> {
    let dst = call.dst(platform);
    let Call {
        payload,
        decoded: Decoded { request, form },
        ..
    } = call;
    let header = u32::from(form.header);
    let natural = natural::form(request, platform);
    let data = |access: Access, at: u32| match access {
        Access::Read => Some(dst.unwrap_or(Raw::NOWHERE)),
        Access::Write => payload.at(at, natural.registers().checked_sub(at)?),
    };
    let rows = |lanes: u32, bytes: u32| (lanes * bytes).div_ceil(platform.grf_bytes());
    let wrote = |access: Access| access == Access::Write;
    Some(match request {
        Request::Oword(r) => {
            let data = data(r.access, 1)?;
            Memory {
                body: SendBody::Oword {
                    write: wrote(r.access),
                    count: r.owords,
                    // Offsets of Gen5 count bytes: lowering reference 18.5.
                    unaligned: r.unaligned || platform == Platform::Ilk,
                    offset: read_already(),
                    data: if r.high { data.skip(16) } else { data },
                },
                surface: r.surface,
                uniform: r.offset.into(),
                lanes: 1,
            }
        }
        Request::SvmBlock(r) => Memory {
            body: SendBody::SvmBlock {
                write: wrote(r.access),
                count: r.owords,
                address: read_already(),
                data: data(r.access, 1)?,
            },
            surface: 0,
            uniform: r.address,
            lanes: 1,
        },
        Request::ByteScattered(r) | Request::DwordScattered(r) => {
            let Scattered { access, lanes, .. } = *r;
            let by_dword = matches!(request, Request::DwordScattered(_));
            let rows = rows(lanes, 4);
            Memory {
                body: SendBody::Scatter {
                    write: wrote(access),
                    bytes: r.element_bytes,
                    channels: ChannelMask(1),
                    scale: if by_dword && platform > Platform::Ilk {
                        4
                    } else {
                        1
                    },
                    base: read_already(),
                    offsets: payload.at(header, rows)?,
                    data: data(access, header + rows)?,
                },
                surface: r.surface,
                uniform: r.global.unwrap_or(0).into(),
                lanes,
            }
        }
        Request::Untyped(r) => {
            let Untyped { access, lanes, .. } = *r;
            let rows = rows(lanes, 4);
            Memory {
                body: SendBody::Scatter {
                    write: wrote(access),
                    bytes: 4,
                    channels: r.channels,
                    scale: 1,
                    base: read_already(),
                    offsets: payload.at(0, rows)?,
                    data: data(access, rows)?,
                },
                surface: r.surface,
                uniform: 0,
                lanes,
            }
        }
        Request::SvmUntyped(r) => {
            let rows = rows(r.lanes, 8);
            // Whole addresses of 64 bits stand where offsets would.
            let offsets = Raw {
                ty: Type::Uq,
                ..payload.at(0, rows)?
            };
            Memory {
                body: SendBody::SvmScatter4 {
                    write: wrote(r.access),
                    channels: r.channels,
                    base: read_already(),
                    offsets,
                    data: data(r.access, rows)?,
                },
                surface: 0,
                uniform: 0,
                lanes: r.lanes,
            }
        }
        Request::Typed(r) => Memory {
            body: SendBody::Typed {
                write: wrote(r.access),
                channels: r.channels,
                coordinates: coordinates(payload, r.coordinates)?,
                data: data(r.access, r.coordinates)?,
            },
            surface: r.surface,
            uniform: 0,
            lanes: platform.native_lanes(),
        },
        Request::Atomic(r) => {
            let rows = rows(r.lanes, 4);
            Memory {
                body: SendBody::Atomic {
                    op: r.op,
                    bits: r.bits as u8,
                    offsets: payload.at(0, rows)?,
                    src: sources(r, payload, rows, rows)?,
                    dst: dst.filter(|_| r.returns),
                },
                surface: r.surface,
                uniform: 0,
                lanes: r.lanes,
            }
        }
        Request::TypedAtomic(r) => {
            // What the values leave of the message are coordinates, a register each.
            let count = form.registers().checked_sub(atomic_operands(r.op))?;
            Memory {
                body: SendBody::TypedAtomic {
                    op: r.op,
                    bits: r.bits as u8,
                    coordinates: coordinates(payload, count)?,
                    src: sources(r, payload, count, 1)?,
                    dst: dst.filter(|_| r.returns),
                },
                surface: r.surface,
                uniform: 0,
                lanes: platform.native_lanes(),
            }
        }
        Request::SvmScattered(r) => {
            let rows = rows(r.lanes, 8);
            Memory {
                body: SendBody::SvmScatter {
                    write: wrote(r.access),
                    bytes: r.block_bytes,
                    count: r.blocks,
                    addresses: payload.at(0, rows)?,
                    data: data(r.access, rows)?,
                },
                surface: 0,
                uniform: 0,
                lanes: r.lanes,
            }
        }
        Request::SvmAtomic(r) => {
            let (address, slot) = (rows(r.lanes, 8), if r.bits == 64 { 8 } else { 4 });
            Memory {
                body: SendBody::SvmAtomic {
                    op: r.op,
                    bits: r.bits as u8,
                    addresses: payload.at(0, address)?,
                    src: sources(r, payload, address, rows(r.lanes, slot))?,
                    dst: dst.filter(|_| r.returns),
                },
                surface: 0,
                uniform: 0,
                lanes: r.lanes,
            }
        }
        _ => return None,
    })
}

/// One to four coordinates, a register each, from the first register on.
fn coordinates(payload: &Payload, count: u32) -> Option<[Option<Raw>; 4]> {
    let mut coordinates = [None; 4];
    if !(1..=4).contains(&count) {
        return None;
    }
    for (at, place) in (0..count).zip(&mut coordinates) {
        *place = Some(payload.at(at, 1)?);
    }
    Some(coordinates)
}

/// The values of an atomic: compare-and-exchange sends what to compare with first, then the new one.
/// Source: lowering reference 12.1.
fn sources(r: &Atomic, payload: &Payload, at: u32, rows: u32) -> Option<[Option<Raw>; 2]> {
    let mut sources = [None; 2];
    for (i, place) in (0..atomic_operands(r.op)).zip(&mut sources) {
        *place = Some(payload.at(at + i * rows, rows)?);
    }
    if r.op == AtomicOp::CmpXchg {
        sources.reverse();
    }
    Some(sources)
}
