//! Operands whose lanes lie anywhere in the arena: through address elements, or as a list of offsets says.
//!
//! ```text
//!  addresses        a0 a1 a2 …   words: one for all lanes, one after the other, or as they come
//!  + displacements  d0 d1 d2 …   what is outside of the general bytes reads as zero and is not written
//! ```
//!
//! Any of the general bytes may be read or written through an address, so none of them is pinned where an op does so.

use super::assembler::{Alu, Gpr, If, Len, Mask, Place, Reg, Rm, Vector};
use super::emit::{BETWEEN, Emitter, MAKING, UNORDERED, length};
use super::memory::{AMOUNTS, OFFSETS};
use super::select::{Bytes, Inst, Kind, Work};
use crate::exec::compute::decoded::operand::{Element, OperandShape, Put};
use crate::program::{Group, Program, Region, Source};

/// Where the lanes of an operand lie.
pub struct Through {
    /// Arena offset of the address element of each lane; none if the list says it all.
    addresses: Vec<u32>,
    /// What is added, or the list itself.
    displacements: Vec<u32>,
    /// The greatest offset of an element.
    last: u32,
}

/// Not above, of integers.
const NOT_ABOVE: u8 = 2;

/// The dwords of a row, the last one again where there are less than 16.
fn row(all: &[u32], r: u8) -> [u32; 16] {
    let own = &all[16 * usize::from(r)..];
    std::array::from_fn(|lane| own[lane.min(own.len() - 1)])
}

impl Through {
    /// Where the elements of a region lie, if it is such a one.
    pub fn of(program: &Program, region: &Region, size: u32) -> Option<Through> {
        match region {
            Region::List(offsets) => Some(Through {
                addresses: Vec::new(),
                displacements: offsets.to_vec(),
                last: *offsets.iter().max()?,
            }),
            Region::Indirect(indirect) => Some(Through {
                addresses: indirect.address.to_vec(),
                displacements: indirect
                    .displacement
                    .iter()
                    .map(|d| d.cast_unsigned())
                    .collect(),
                last: program.general_bytes.checked_sub(size)?,
            }),
            _ => None,
        }
    }

    /// The same for each source, or nothing if there is none.
    pub fn all(program: &Program, src: &[Source]) -> Vec<Option<Through>> {
        let all = src
            .iter()
            .map(|s| Through::of(program, &s.region, s.ty.bytes()));
        let all: Vec<Option<Through>> = all.collect();
        match all.iter().any(Option::is_some) {
            true => all,
            false => Vec::new(),
        }
    }

    /// All bytes that may be read or written.
    pub fn bytes(&self) -> Bytes {
        let first = match self.addresses.is_empty() {
            true => self.displacements.iter().min().copied().unwrap_or(0),
            false => 0,
        };
        Bytes {
            at: first,
            len: self.last + 4 - first,
            kind: Kind::Other,
        }
    }

    /// The address elements.
    pub fn addresses(&self) -> impl Iterator<Item = Bytes> {
        self.addresses.iter().map(|&at| Bytes {
            at,
            len: 2,
            kind: Kind::Other,
        })
    }

    /// Whether it is of so many lanes, and what is loaded and stored ends at no more than this, were each a whole register.
    pub fn is_inside(&self, lanes: u32, end: u32) -> bool {
        let mut all = self.addresses.iter().chain([&self.last]);
        self.displacements.len() == lanes as usize && all.all(|at| at + 64 <= end)
    }
}

impl Emitter {
    /// The dwords that begin with the elements of a row of so many lanes; zero outside.
    pub fn gather_through(&mut self, through: &Through, (r, lanes): (u8, u8), len: Len, to: Reg) {
        self.lane_places(through, (r, lanes), len, (MAKING, to), None);
        self.code.vector(Vector::PXORD, len, to, to, Rm::Reg(to));
        let place = Rm::RowLanes(MAKING, 0, through.last + 4);
        let to = (to, UNORDERED, false);
        self.code.masked(Vector::GATHER, len, to, 0, place, None);
    }

    /// Stores the elements of a row, of so many bytes; of lanes at the same place the last one stays.
    pub fn scatter_through(
        &mut self,
        inst: &Inst,
        (r, size): (u8, u8),
        mask: Option<Mask>,
        value: Reg,
    ) {
        let Some(through) = &inst.into else { return };
        let (len, [places, between, _]) = (length(inst.row()), BETWEEN);
        self.lane_places(through, (r, inst.row()), len, (places, between), mask);
        if size < 4 {
            return self.store_elements(through, (inst.row(), size), (places, value));
        }
        let place = Rm::RowLanes(places, 0, through.last + 4);
        let from = (value, UNORDERED, false);
        self.code.masked(Vector::SCATTER, len, from, 0, place, None);
    }

    /// Code for an element that is moved through an address, where no more than one lane does it: of arrays that are written
    /// lane after lane the compiler makes as many moves, each with a predicate of one bit. False, and there is no code, if it
    /// is not such a move.
    pub fn lane_alone(&mut self, inst: &Inst) -> bool {
        let (Work::Move, Some(guard), [source], Put::Listed(size), Some(through)) =
            (inst.work, inst.guard, &inst.src[..], inst.dst, &inst.into)
        else {
            return false;
        };
        let lanes = inst.lanes;
        let window = lanes.all() << lanes.offset;
        let known = self.known.iter().find(|known| known.at == guard.offset);
        let known = known.filter(|known| known.window & window == window);
        let (Some(known), Group::Each, None) = (known, guard.group, source.modifier) else {
            return false;
        };
        let bits = if guard.inverted {
            !known.bits
        } else {
            known.bits
        } & window;
        let lane = bits.trailing_zeros();
        let number = lane.saturating_sub(lanes.offset.into());
        let (element, at) = match source.form {
            OperandShape::Value | OperandShape::Scalar => (Element::Dword, source.at()),
            OperandShape::Dense => (Element::Dword, source.at() + 4 * number),
            OperandShape::Strided(element, stride) => {
                (element, source.at() + u32::from(stride) * number)
            }
            OperandShape::Listed(_) => return false,
        };
        if bits.count_ones() > 1 || through.addresses.is_empty() {
            return false;
        }
        if bits == 0 {
            return true;
        }
        if source.form != OperandShape::Value {
            // It may be part of a row that a register alone has.
            let own = Bytes {
                at,
                len: element.bytes() as u32,
                kind: Kind::Other,
            };
            self.settle(&[vec![own], Vec::new()]);
        }
        // Stored before the branch, so that it is there whoever runs.
        self.overwrite(through.bytes());
        let skip = self.code.label();
        if !lanes.no_mask && !self.all_enabled {
            self.code.test_number(Gpr::R8, bits);
            self.code.jump_if(If::Zero, skip);
        }
        self.load_element(Gpr::Rax, source.form, at);
        let number = number as usize;
        let code = &mut self.code;
        code.load_word(Gpr::Rdx, Place::Arena(through.addresses[number]));
        let displacement = through.displacements[number];
        if displacement != 0 {
            code.alu_number(Alu::Add, Gpr::Rdx, displacement);
        }
        code.alu_number(Alu::Cmp, Gpr::Rdx, through.last);
        code.jump_if(If::Above, skip);
        code.point_to_arena(through.last + 4);
        code.store_at_place(size);
        code.bind(skip);
        true
    }

    /// Stores bytes or words, lane after lane.
    fn store_elements(&mut self, through: &Through, (lanes, size): (u8, u8), rows: (Reg, Reg)) {
        let (all, len) = (u32::MAX >> (32 - lanes), length(lanes));
        let kept = [(OFFSETS, rows.0), (AMOUNTS, rows.1)];
        self.code.point_to_arena(through.last + 4);
        let (next, done) = self.lane_after_lane(all, &kept, len, Some(UNORDERED));
        self.code.store_narrow(size == 2);
        self.code.jump(next);
        self.code.bind(done);
        self.code.close_frame();
    }

    /// The arena offset of each lane, and in a mask which of those that run lie inside.
    fn lane_places(
        &mut self,
        through: &Through,
        (r, lanes): (u8, u8),
        len: Len,
        (to, between): (Reg, Reg),
        mask: Option<Mask>,
    ) {
        let added = Rm::List(row(&through.displacements, r));
        if through.addresses.is_empty() {
            self.code.vector(Vector::LOAD, len, to, 0, added);
            return match mask {
                Some(mask) => self.code.copy_mask(UNORDERED, mask),
                None => self.code.fill_mask(UNORDERED),
            };
        }
        let addresses = row(&through.addresses, r);
        self.address_elements(&addresses, usize::from(lanes), len, (to, between));
        self.code.vector(Vector::PADDD, len, to, to, added);
        let inside = (UNORDERED, mask.unwrap_or(0), false);
        let last = Rm::Const(through.last);
        self.code
            .masked(Vector::PCMPUD, len, inside, to, last, Some(NOT_ABOVE));
    }

    /// The words at these offsets, as dwords.
    fn address_elements(
        &mut self,
        at: &[u32; 16],
        lanes: usize,
        len: Len,
        (to, between): (Reg, Reg),
    ) {
        let own = &at[..lanes];
        if own.iter().all(|next| *next == at[0]) {
            return self.one(Element::U16, at[0], len, to);
        }
        if own.windows(2).all(|pair| pair[0] + 2 == pair[1]) {
            let from = Rm::Row(at[0]);
            return self.code.vector(Vector::PMOVZXWD, len, to, 0, from);
        }
        let last = own.iter().fold(0, |last, at| last.max(*at));
        self.code
            .vector(Vector::LOAD, len, between, 0, Rm::List(*at));
        self.code.fill_mask(UNORDERED);
        let from = Rm::RowLanes(between, 0, last + 4);
        let gathered = (to, UNORDERED, false);
        self.code
            .masked(Vector::GATHER, len, gathered, 0, from, None);
        self.code
            .vector(Vector::PANDD, len, to, to, Rm::Const(0xffff));
    }
}
