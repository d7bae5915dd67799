//! Messages whose lanes follow each other: one place is compared, and halves are loaded or stored as they lie, or by turns. Of
//! those that read it is asked next whether all lanes are at one place, and of 32 lanes both of each half: lanes of groups
//! that are 16 wide are in two rows.
//!
//! ```text
//!  known or asked (`order`): each address is so much more than the one before
//!  rdx   the place of the first lane in the window: inside, and the bytes of all lanes behind it
//!  zmm   sixteen lanes, eight of qwords, two to four elements of each by turns (`vectors`, `quads`)
//! ```

use super::affine::Element;
use super::assembler::{Alu, Gpr, If, Label, Mask, Place, Reg, Rm, Vector};
use super::call::field;
use super::emit::{Emitter, REGISTERS, length};
use super::order::{Answer, Elements, is_asked};
use super::steps;
use super::transfer::{Target, Transfer};
use crate::exec::state::windows::SHARED_BITS;

impl Transfer {
    /// The addresses.
    fn elements(&self) -> Elements {
        Elements {
            at: self.addresses,
            bytes: self.width(),
            lanes: self.lanes.count,
        }
    }

    /// Whether elements of each lane are moved by turns.
    fn is_by_turns(&self) -> bool {
        self.is_of_quads() || self.is_of_vectors()
    }

    /// Whether it is worth to be asked whether all lanes are at one place.
    fn may_be_one(&self, masks: [Option<Mask>; 2]) -> bool {
        let few = self.width() == 4 || masks == [None; 2];
        few && !self.write && self.bytes <= 4
    }

    /// What is worth to be asked of all lanes.
    ///
    /// * `likely`: how far apart addresses are likely to be.
    fn spacing(&self, masks: [Option<Mask>; 2], likely: Option<u32>) -> Option<Spacing> {
        let unit = self.unit << self.extended.map_or(0, |own| own.shift);
        let (bytes, likely) = (self.bytes, likely.map(|step| step.saturating_mul(unit)));
        let all = masks == [None; 2];
        let rows = self.rows == 1 || !self.write && bytes < 8;
        let turns = self.is_by_turns().then_some(self.size());
        let (step, manner) = match likely {
            Some(step) if step == bytes && rows => (step, Manner::Rows),
            Some(step) if turns == Some(step) && all => (step, Manner::Turns),
            Some(step) if self.is_spaced(step) && all => (step, Manner::Spaced),
            Some(steps::ANYTHING) => (0, Manner::Anywhere),
            Some(_) => (0, Manner::Apart),
            None => match turns {
                Some(step) => all.then_some((step, Manner::Turns))?,
                None => rows.then_some((bytes, Manner::Rows))?,
            },
        };
        let is_data = self.update.is_none() && is_asked(self.lanes.count);
        let fits = step.is_multiple_of(unit) && step.is_multiple_of(self.align());
        let known = is_data && fits && self.moved() > i32::MIN;
        known.then_some(Spacing { step, manner })
    }
}

/// How lanes follow each other.
#[derive(Clone, Copy)]
struct Spacing {
    /// Bytes from lane to lane.
    step: u32,
    manner: Manner,
}

#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// Each element of a lane is beside that of the next one.
    Rows,
    /// All elements of a lane are in front of those of the next one.
    Turns,
    /// Something may lie between lanes.
    Spaced,
    /// Not at all, as far as can be told: it is not asked, but whether they are at one place.
    Apart,
    /// They may be anywhere: nor are halves asked.
    Anywhere,
}

impl Emitter {
    /// Code for a message, the op of this number, whose lanes follow each other, all of them or those of each half, or are at
    /// one place, which then goes to `done`; else on from here. Where data goes that is read, if there is such code; and whether
    /// the rest of it is seldom run, and so made.
    pub fn in_order(
        &mut self,
        message: &Transfer,
        op: u32,
        masks: [Option<Mask>; 2],
        done: Label,
    ) -> (Vec<Vec<Reg>>, bool) {
        let none = (Vec::new(), false);
        let likely = self.steps.of(message.elements());
        let Some(spacing) = message.spacing(masks, likely) else {
            return none;
        };
        let (elements, halves) = (message.elements(), 0..message.halves());
        let data: usize = halves
            .clone()
            .map(|half| message.rows_of_half(half).len())
            .sum();
        let room = usize::from(REGISTERS - self.free) - self.scaled.len();
        if data + elements.rows().count() >= room {
            return none;
        }
        self.busy.clear();
        let rows = elements.rows();
        let held: Vec<Reg> = rows.filter_map(|row| self.holder(row)).collect();
        self.busy.extend(held);
        let targets = match message.write {
            true => Vec::new(),
            false => {
                let all = halves.clone().zip(masks);
                all.map(|(half, mask)| self.targets(message, half, mask))
                    .collect()
            }
        };
        let apart = self.code.label();
        // Of an address in units.
        let step = spacing.step;
        let steps = (step / message.unit) >> message.extended.map_or(0, |own| own.shift);
        let answer = match spacing.manner {
            Manner::Apart | Manner::Anywhere => None,
            _ => self.unless_in_order(elements, steps, apart),
        };
        let is_seldom = answer.is_some() && likely.is_some();
        if answer.is_some() {
            self.first_place(message, step, apart);
            if !message.target.is_own() {
                let bytes = step * u32::from(message.lanes.count);
                self.look_ahead(elements.rows(), bytes, message.write);
            }
            for (half, mask) in halves.zip(masks) {
                match targets.get(usize::from(half)) {
                    Some(targets) => self.load_in_order(message, spacing, half, mask, targets),
                    None => self.store_in_order(message, spacing, half, mask),
                }
            }
            // What is likely needs no jump.
            match is_seldom {
                true => self.code.seldom(),
                false => self.code.jump(done),
            }
        }
        self.code.bind(apart);
        let scattered = self.code.label();
        if let Some(answer) = &answer {
            self.if_scattered(answer, scattered);
        }
        let may_be_one = message.may_be_one(masks);
        if may_be_one {
            self.all_at_one_place(message, masks, &targets, done);
        }
        // Who leaves behind the first half begins again: its addresses are still there.
        let pins = targets.iter().flatten().any(|target| *target < self.free);
        let mut written = message.written_rows();
        let root = answer.as_ref().and_then(Answer::asked).unwrap_or(elements);
        let read = [elements, root].map(Elements::all);
        let in_place = pins && written.any(|row| read.iter().any(|all| row.overlaps(*all)));
        // Where lanes have parted it is not worth the code, nor where nothing is known of them.
        let asks_halves = message.halves() > 1 && self.all_enabled && likely.is_some();
        // Who reports what lanes write asks whether halves go on from each other.
        let is_reported = message.write && message.harmless;
        let is_asked = answer.is_some() || spacing.manner == Manner::Apart && may_be_one;
        if asks_halves && is_asked && !in_place && !is_reported {
            let (asked, places) = ((op, spacing, answer.as_ref()), [scattered, done]);
            self.halves_in_order(message, asked, masks, &targets, places);
        }
        self.code.bind(scattered);
        if let Some(answer) = &answer {
            self.note_scattered(answer);
        }
        (targets, is_seldom)
    }

    /// How lanes follow each other whose addresses are evenly apart.
    fn affine_spacing(&self, message: &Transfer) -> Option<Spacing> {
        let (_, own) = self.affine_elements(message.elements())?;
        let step = match own.bytes {
            8 => u32::try_from(own.step).ok()?,
            _ => own.step as u32,
        };
        let all = [None; 2];
        let spacing = match step {
            0 => {
                let one = message.update.is_none() && message.may_be_one(all);
                one.then_some((0, Manner::Apart))
            }
            _ => message
                .spacing(all, Some(step))
                .filter(|own| !matches!(own.manner, Manner::Apart | Manner::Anywhere))
                .map(|own| (own.step, own.manner)),
        };
        let (step, manner) = spacing?;
        Some(Spacing { step, manner })
    }

    /// Registers have lane 0 of all rows of addresses, if these are evenly apart.
    fn hold_addresses(&mut self, message: &Transfer) -> bool {
        let element = Element::of(message.width());
        let rows = message.elements().rows();
        if !rows
            .clone()
            .all(|row| self.affine_of(row, element).is_some())
        {
            return false;
        }
        let held = self.held.iter();
        let held = held.filter(|held| rows.clone().any(|row| held.bytes == row));
        self.busy = held.map(|held| held.reg).collect();
        rows.map(|row| self.hold_affine(row, element))
            .all(|held| held.is_some())
    }

    /// The pieces of a message whose addresses are evenly apart: all of it, or its halves.
    fn affine_pieces(&self, message: &Transfer) -> Option<Vec<(Transfer, Spacing)>> {
        if let Some(spacing) = self.affine_spacing(message) {
            return Some(vec![(*message, spacing)]);
        }
        let halves = (0..message.halves()).filter(|_| message.halves() > 1);
        let mut halves = halves.map(|half| message.of_half(half)).peekable();
        halves.peek()?;
        halves
            .map(|own| Some((own, self.affine_spacing(&own)?)))
            .collect()
    }

    /// Code for a message, the op of this number, whose addresses are evenly apart; false, and there is none, if they are not known
    /// to be. It is left to the steps where not all lanes are inside.
    pub fn affine_transfer(&mut self, message: &Transfer, op: u32) -> bool {
        let all = self.all_enabled || message.lanes.no_mask;
        let plain = message.guard.is_none() && !message.harmless;
        if !(self.affine && all && plain && self.hold_addresses(message)) {
            return false;
        }
        if self.affine_pieces(message).is_none() {
            return false;
        }
        let read = message.read_rows().chain(message.base()).collect();
        self.settle(&[read, message.written_rows().collect()]);
        // To have all lanes of what it stores may have taken their registers.
        let Some(pieces) = self.affine_pieces(message) else {
            return false;
        };
        let data = (0..message.halves()).map(|half| message.rows_of_half(half).len());
        let addresses = pieces.iter().map(|(own, _)| own.elements());
        let addresses = addresses.filter_map(|own| self.affine_elements(own));
        let addresses: Vec<Reg> = addresses.map(|(reg, _)| reg).collect();
        let room = usize::from(REGISTERS - self.free) - self.scaled.len();
        if data.sum::<usize>() + addresses.len() + 1 >= room {
            return false;
        }
        self.busy.clear();
        self.busy.extend(addresses);
        let mut loaded = Vec::new();
        for (n, (piece, spacing)) in pieces.into_iter().enumerate() {
            match n {
                0 => self.window(piece.target, op),
                _ => self.window_again(piece.target, op),
            }
            let targets: Vec<Vec<Reg>> = match piece.write {
                true => Vec::new(),
                false => (0..piece.halves())
                    .map(|half| self.targets(&piece, half, None))
                    .collect(),
            };
            let outside = self.leave_label();
            self.first_place(&piece, spacing.step, outside);
            if !piece.target.is_own() {
                let bytes = spacing.step * u32::from(piece.lanes.count);
                self.look_ahead(piece.elements().rows(), bytes, piece.write);
            }
            for half in 0..piece.halves() {
                match (targets.get(usize::from(half)), spacing.manner) {
                    (Some(targets), Manner::Apart) => self.load_for_all(&piece, None, targets),
                    (Some(targets), _) => self.load_in_order(&piece, spacing, half, None, targets),
                    (None, _) => self.store_in_order(&piece, spacing, half, None),
                }
            }
            loaded.extend(
                (0..)
                    .zip(targets)
                    .map(|(half, targets)| (piece, half, targets)),
            );
        }
        for (piece, half, targets) in loaded {
            self.put_all(&piece, half, None, &targets);
        }
        true
    }

    /// Code for a message the lanes of each half of which follow each other, or are at one place, which then goes to `done`; else
    /// to `scattered`.
    ///
    /// * `answer`: whether all lanes follow each other, if that was asked.
    fn halves_in_order(
        &mut self,
        message: &Transfer,
        (op, spacing, answer): (u32, Spacing, Option<&Answer>),
        masks: [Option<Mask>; 2],
        targets: &[Vec<Reg>],
        [scattered, done]: [Label; 2],
    ) {
        for half in 0..message.halves() {
            let at = usize::from(half);
            let (own, masks) = (message.of_half(half), [masks[at]; 2]);
            let targets = targets.get(at..=at).unwrap_or_default();
            let [apart, next] = [(); 2].map(|()| self.code.label());
            if half > 0 {
                self.window_again(message.target, op);
            }
            if let Some(answer) = answer {
                self.unless_half_in_order(answer, half, apart);
                self.first_place(&own, spacing.step, apart);
                match targets {
                    [targets] => self.load_in_order(&own, spacing, 0, masks[0], targets),
                    _ => self.store_in_order(&own, spacing, 0, masks[0]),
                }
                self.code.jump(next);
            }
            self.code.bind(apart);
            if own.may_be_one(masks) {
                self.all_at_one_place(&own, masks, targets, next);
            }
            self.code.jump(scattered);
            self.code.bind(next);
        }
        self.code.jump(done);
    }

    /// Code for a message that reads, whose lanes that run are all at the same place, which then goes to `done`; else on from
    /// here.
    fn all_at_one_place(
        &mut self,
        message: &Transfer,
        masks: [Option<Mask>; 2],
        targets: &[Vec<Reg>],
        done: Label,
    ) {
        let (elements, apart) = (message.elements(), self.code.label());
        self.unless_one(elements, masks, apart);
        self.first_place(message, 0, apart);
        for (targets, mask) in targets.iter().zip(masks) {
            self.load_for_all(message, mask, targets);
        }
        self.code.jump(done);
        self.code.bind(apart);
    }

    /// Where the first lane's data is goes to `rdx`, and the window's bytes to `rcx`; to a label unless all lanes are
    /// inside.
    ///
    /// * `step`: bytes from lane to lane, 0 if all are at one place.
    fn first_place(&mut self, message: &Transfer, step: u32, apart: Label) {
        debug_assert!(step <= 16, "lanes ascend by a vector at most");
        let others = u32::from(message.lanes.count) - 1;
        self.first_element(message.elements(), Gpr::Rdx);
        let mut bytes = others * step + message.span();
        let flat = message.target == Target::Flat;
        if flat {
            if let Some(extended) = message.extended {
                // What the last lane has is not beyond the end of its type.
                let further = others * (step >> extended.shift);
                let (most, beyond) = match extended.signed {
                    true => (i32::MAX.cast_unsigned(), If::Greater),
                    false => (u32::MAX, If::Above),
                };
                self.code.alu_number(Alu::Cmp, Gpr::Rdx, most - further);
                self.code.jump_if(beyond, apart);
                if extended.signed {
                    self.code.extend_sign(Gpr::Rdx);
                }
                self.code.shift_left_wide(Gpr::Rdx, extended.shift);
            }
            let code = &mut self.code;
            code.subtract_wide_at(Gpr::Rdx, Place::Table(field::WINDOW_ADDRESS));
            if message.moved() != 0 {
                code.subtract_wide(Gpr::Rdx, -message.moved());
            }
            if let Some(base) = message.based {
                code.add_wide_at(Gpr::Rdx, Place::Arena(base));
            }
        } else {
            if message.added as u32 != 0 {
                self.code
                    .alu_number(Alu::Add, Gpr::Rdx, message.added as u32);
            }
            if let Some(base) = message.based {
                self.add_single(Gpr::Rdx, base);
            }
            if message.unit == 1 && matches!(message.target, Target::Shared { .. }) {
                self.code.alu_number(Alu::And, Gpr::Rdx, SHARED_BITS);
            }
            bytes += message.skipped;
        }
        let unit = message.unit.trailing_zeros() as u8;
        let code = &mut self.code;
        if flat {
            // It may be anywhere.
            code.load(Gpr::Rax, Place::Table(field::WINDOW_BYTES));
            code.alu_number(Alu::Sub, Gpr::Rax, bytes);
            code.jump_if(If::Below, apart);
            code.compare_wide(Gpr::Rdx, Gpr::Rax);
        } else {
            if unit > 0 {
                code.shift_left_wide(Gpr::Rdx, unit);
            }
            code.sum_wide(Gpr::Rax, Gpr::Rdx, bytes);
            code.compare_wide_at(Gpr::Rax, Place::Table(field::WINDOW_BYTES));
        }
        code.jump_if(If::Above, apart);
        if !flat && message.skipped > 0 {
            code.alu_number(Alu::Add, Gpr::Rdx, message.skipped);
        }
        if message.align() > 1 {
            code.test_number(Gpr::Rdx, message.align() - 1);
            code.jump_if(If::NotZero, apart);
        }
        code.load_wide_at(Gpr::Rcx, Place::Table(field::WINDOW_HOST));
    }

    /// `rdx` goes on from the first lane of all to that of a half.
    fn go_to_half(&mut self, Spacing { step, .. }: Spacing, half: u8) {
        if half > 0 {
            self.code.add_wide(Gpr::Rdx, 16 * step);
        }
    }

    /// Loads the data of a half of lanes that follow each other.
    fn load_in_order(
        &mut self,
        message: &Transfer,
        spacing: Spacing,
        half: u8,
        mask: Option<Mask>,
        targets: &[Reg],
    ) {
        if spacing.manner == Manner::Spaced {
            self.go_to_half(spacing, half);
            return self.move_spaced(message, spacing.step, half, targets);
        }
        if spacing.manner == Manner::Turns {
            self.go_to_half(spacing, half);
            if message.is_of_vectors() {
                return self.load_vectors(message.size(), targets);
            }
            let quads = self.load_quads();
            for (target, value) in targets.iter().zip(quads) {
                self.code.copy(*target, value);
            }
            return;
        }
        let first = 16 * message.bytes * u32::from(half);
        if message.bytes == 8 {
            return self.load_eights(targets, first, mask);
        }
        let vector = match message.bytes {
            4 => Vector::LOAD,
            2 => Vector::PMOVZXWD,
            _ => Vector::PMOVZXBD,
        };
        for (place, target) in message.places().zip(targets) {
            let (len, to) = (length(message.row()), (*target, mask.unwrap_or(0), false));
            let from = Rm::Window(first + place);
            self.code.masked(vector, len, to, 0, from, None);
        }
    }

    /// Stores it.
    fn store_in_order(
        &mut self,
        message: &Transfer,
        spacing: Spacing,
        half: u8,
        mask: Option<Mask>,
    ) {
        if spacing.manner == Manner::Spaced {
            self.go_to_half(spacing, half);
            return self.move_spaced(message, spacing.step, half, &[]);
        }
        if spacing.manner == Manner::Turns {
            self.go_to_half(spacing, half);
            if message.is_of_vectors() {
                return self.store_vectors(message.size(), &message.rows_of_half(half));
            }
            return self.store_quads([0, 1, 2, 3].map(|element| message.row_of(element, half)));
        }
        let first = 16 * message.bytes * u32::from(half);
        if message.bytes == 8 {
            return self.store_eights(message, half, first, mask);
        }
        let vector = match message.bytes {
            4 => Vector::STORE,
            2 => Vector::PMOVDW,
            _ => Vector::PMOVDB,
        };
        let len = length(message.row());
        let from = self.row_in_register(message.row_of(0, half), len);
        let from = (from, mask.unwrap_or(0), false);
        let to = Rm::Window(first);
        self.code.masked(vector, len, from, 0, to, None);
    }
}
