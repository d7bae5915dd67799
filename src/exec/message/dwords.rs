//! Gathers and scatters of dwords in vector code: whole registers of addresses, whole registers of dwords.
//!
//! ```text
//!  once       request, registers ─▶ where addresses and dwords lie, a function for the lanes
//!  each time  addresses ─▶ all inside one memory? ─▶ offsets ─┬─ side by side: words
//!                                                             ├─ all the same: one read for all
//!                                                             └─ anything else: each for itself
//! ```
//!
//! What is not like that is left to [`super::coalesced`], before anything has changed.

use super::memory::Space;
use crate::math::simd::{self, Wide};
use crate::sampler::{by_lane, dwords, words};
use crate::surface::Memory;

/// Where the registers of a message lie in the arena, and what its lanes move.
#[derive(Clone, Copy)]
pub(super) struct Dwords {
    pub(super) write: bool,
    /// Dwords of a lane, which follow each other in memory.
    pub(super) rows: usize,
    /// Bytes from a lane's dword to its next one in registers.
    pub(super) pitch: usize,
    /// Bytes in front of the first dword.
    pub(super) skipped: u32,
    /// What is added to every address, in units.
    pub(super) added: u64,
    /// Bytes of an address: 4, or 8 where they are not offsets into one memory.
    pub(super) address_bytes: usize,
    /// Bytes that one unit of an address means.
    pub(super) unit: u32,
    /// The registers of addresses.
    pub(super) addresses: usize,
    /// Those of dwords.
    pub(super) data: usize,
}

/// [`Dwords`] for a number of lanes, on a host that has wide registers.
#[derive(Clone, Copy)]
pub(super) struct DwordPlan {
    dwords: Dwords,
    wide: Wide,
    serve: fn(&DwordPlan, &Space<'_>, u64, u32, &mut [u8]) -> bool,
}

impl DwordPlan {
    /// The plan for so many lanes.
    pub(super) fn new(dwords: Dwords, lanes: usize) -> Option<DwordPlan> {
        let serve = match lanes {
            8 => serve::<8>,
            16 => serve::<16>,
            32 => serve::<32>,
            _ => return None,
        };
        Some(DwordPlan {
            dwords,
            wide: simd::wide()?,
            serve,
        })
    }

    /// Moves the dwords of the lanes of `mask`, one at least, if all lie in one memory. If not, nothing has happened.
    ///
    /// * `base`: what is added to every address, in units.
    #[inline]
    pub(super) fn serve(
        &self,
        space: &Space<'_>,
        base: u64,
        mask: u32,
        registers: &mut [u8],
    ) -> bool {
        let base = base.wrapping_add(self.dwords.added);
        (self.serve)(self, space, base, mask, registers)
    }
}

fn serve<const N: usize>(
    plan: &DwordPlan,
    space: &Space<'_>,
    base: u64,
    mask: u32,
    registers: &mut [u8],
) -> bool {
    let lanes = (base, mask);
    let placed = match plan.dwords.address_bytes {
        8 => far::<N>(plan, space, lanes, registers),
        _ => near::<N>(plan, space, lanes, registers),
    };
    let Some((memory, start, at)) = placed else {
        return false;
    };
    let all = u32::MAX >> (32 - N as u32);
    let whole = mask & all == all;
    if plan.dwords.write {
        return plan.wide.run(
            #[inline(always)]
            || scatter::<N>(&plan.dwords, (memory, start, &at), mask, whole, registers),
        );
    }
    plan.wide.run(
        #[inline(always)]
        || gather::<N>(&plan.dwords, (memory, start, &at), mask, whole, registers),
    )
}

/// Ones for each lane that is on.
#[inline(always)]
fn on<const N: usize>(mask: u32) -> [u32; N] {
    by_lane(|lane| 0u32.wrapping_sub(mask >> lane & 1))
}

/// A memory, a place in it, and how far from there the first byte of each lane is; lanes that are off are where one
/// that is on is.
type Placed<'m, const N: usize> = (&'m Memory, usize, [u32; N]);

/// Finds offsets into one memory, of 32 bits.
#[inline(always)]
fn near<'m, const N: usize>(
    plan: &DwordPlan,
    space: &Space<'m>,
    (base, mask): (u64, u32),
    registers: &[u8],
) -> Option<Placed<'m, N>> {
    let own = &plan.dwords;
    let window = space.window()?;
    // The last unit at which all dwords of a lane are inside; what wraps around is beyond it, or is where it is.
    let size = own.skipped + 4 * own.rows as u32;
    let last = u32::try_from(window.len()).ok()?.checked_sub(size)? / own.unit;
    let (memory, start) = window.part(0, window.len())?;
    // Of bytes; of larger units what does not count is beyond the last one.
    let bits = match own.unit {
        1 => space.address_bits() as u32,
        _ => u32::MAX,
    };
    let at = plan.wide.run(
        #[inline(always)]
        || {
            let units: [u32; N] = dwords(registers, own.addresses);
            let on = on::<N>(mask);
            let one = units[mask.trailing_zeros() as usize & (N - 1)];
            let units: [u32; N] = by_lane(|lane| {
                (units[lane] & on[lane] | one & !on[lane]).wrapping_add(base as u32) & bits
            });
            let most = units.iter().fold(0, |most, unit| most.max(*unit));
            (most <= last).then(|| by_lane(|lane| units[lane] * own.unit + own.skipped))
        },
    )?;
    Some((memory, start, at))
}

/// Finds addresses of 64 bits, if one memory holds what is between them.
#[inline(always)]
fn far<'m, const N: usize>(
    plan: &DwordPlan,
    space: &Space<'m>,
    (base, mask): (u64, u32),
    registers: &[u8],
) -> Option<Placed<'m, N>> {
    let own = &plan.dwords;
    let (qwords, _) = registers[own.addresses..][..8 * N].as_chunks::<8>();
    let first = u64::from_le_bytes(qwords[mask.trailing_zeros() as usize & (N - 1)]);
    let (away, most) = plan.wide.run(
        #[inline(always)]
        || {
            // So far away as 31 bits count: the first lane is in the middle.
            let on = on::<N>(mask);
            let mut above = 0;
            let away: [u32; N] = by_lane(|lane| {
                let away = u64::from_le_bytes(qwords[lane]).wrapping_sub(first);
                let away = away.wrapping_add(MIDDLE);
                above |= (away >> 32) as u32 & on[lane];
                away as u32 & on[lane] | MIDDLE as u32 & !on[lane]
            });
            let most = away.iter().fold(0, |most, one| most.max(*one));
            (away, if above == 0 { most } else { u32::MAX })
        },
    );
    if most == u32::MAX {
        return None;
    }
    let least = away.iter().fold(u32::MAX, |least, one| least.min(*one));
    let low = base
        .wrapping_add(first)
        .wrapping_add(u64::from(least))
        .wrapping_sub(MIDDLE)
        .wrapping_add(own.skipped.into());
    let high = low.checked_add(u64::from(most - least))?;
    let (window, offset) = space.span(low, high, 4 * own.rows)?;
    let (memory, start) = window.part(offset, (high - low) as usize + 4 * own.rows)?;
    Some((memory, start, by_lane(|lane| away[lane] - least)))
}

/// Half of what 32 bits count.
const MIDDLE: u64 = 1 << 31;

#[inline(always)]
fn gather<const N: usize>(
    own: &Dwords,
    (memory, start, at): (&Memory, usize, &[u32; N]),
    mask: u32,
    whole: bool,
    registers: &mut [u8],
) -> bool {
    let differ = at.iter().fold(0, |all, one| all | one ^ at[0]);
    let low = at.iter().fold(start as u32, |all, one| all | one);
    if low & 3 != 0 {
        return false;
    }
    let on = on::<N>(mask);
    for row in 0..own.rows {
        let away = start + 4 * row;
        let values: [u32; N] = match differ {
            0 => [u32::from_le_bytes(memory.load(away + at[0] as usize)); N],
            _ => words::<u32, N>(memory, away, at),
        };
        let to = own.data + row * own.pitch;
        let values = match whole {
            true => values,
            false => {
                let kept: [u32; N] = dwords(registers, to);
                by_lane(|lane| values[lane] & on[lane] | kept[lane] & !on[lane])
            }
        };
        let (slots, _) = registers[to..to + 4 * N].as_chunks_mut::<4>();
        for (slot, value) in slots.iter_mut().zip(values) {
            *slot = value.to_le_bytes();
        }
    }
    true
}

#[inline(always)]
fn scatter<const N: usize>(
    own: &Dwords,
    (memory, start, at): (&Memory, usize, &[u32; N]),
    mask: u32,
    whole: bool,
    registers: &[u8],
) -> bool {
    let size = 4 * own.rows as u32;
    let follow = (0..).zip(at).fold(0, |all, (lane, one)| {
        all | one ^ at[0].wrapping_add(size * lane)
    });
    if follow == 0 && whole {
        let start = start + at[0] as usize;
        match own.rows {
            1 => memory.write(start, &registers[own.data..][..4 * N]),
            2 => memory.write(
                start,
                lane_by_lane::<N, 2>(own, registers)
                    .as_flattened()
                    .as_flattened(),
            ),
            3 => memory.write(
                start,
                lane_by_lane::<N, 3>(own, registers)
                    .as_flattened()
                    .as_flattened(),
            ),
            _ => memory.write(
                start,
                lane_by_lane::<N, 4>(own, registers)
                    .as_flattened()
                    .as_flattened(),
            ),
        }
        return true;
    }
    for lane in (0..N).filter(|lane| mask >> lane & 1 != 0) {
        let mut dwords = [[0; 4]; 4];
        for (row, dword) in dwords[..own.rows].iter_mut().enumerate() {
            let from = own.data + row * own.pitch + 4 * lane;
            dword.copy_from_slice(&registers[from..from + 4]);
        }
        let dwords = dwords[..own.rows].as_flattened();
        memory.write(start + at[lane] as usize, dwords);
    }
    true
}

/// The dwords of each lane, together.
#[inline(always)]
fn lane_by_lane<const N: usize, const R: usize>(
    own: &Dwords,
    registers: &[u8],
) -> [[[u8; 4]; R]; N] {
    let rows: [&[[u8; 4]]; R] = std::array::from_fn(|row| {
        let (slots, _) = registers[own.data + row * own.pitch..][..4 * N].as_chunks();
        slots
    });
    let mut lanes = [[[0; 4]; R]; N];
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = rows.map(|row| row[i]);
    }
    lanes
}
