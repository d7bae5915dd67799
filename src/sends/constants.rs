//! What registers are known to hold before anything runs: numbers that moves put there.
//!
//! ```text
//!  mov (8) m1:ud r0:ud       m1.0 … m1.7 unknown
//!  mov (1) m1.2 0x10007:ud   m1.2 known
//! ```
//!
//! A thread runs from top to bottom with all channels on, so what an unpredicated move writes is there.

use super::line::{
    Action, Dst, File, GENERAL, Instruction, MESSAGE, REGISTER, Register, Send, Src,
};
use super::scoreboard::lengths;
use crate::isa::{Opcode, Type};

const DWORDS: u32 = REGISTER / 4;

/// A dword for each of those in both register files; `None`: it depends on the run.
#[derive(Clone, Debug)]
pub struct Constants(Vec<Option<u32>>);

impl Default for Constants {
    fn default() -> Constants {
        Constants(vec![None; ((GENERAL + MESSAGE) * DWORDS) as usize])
    }
}

/// The first dword of a register; message registers follow the general ones.
const fn start(file: File, number: u32) -> u32 {
    let file = match file {
        File::General => 0,
        File::Message => GENERAL,
    };
    (file + number) * DWORDS
}

/// The dword that holds element `element` after a place.
fn dword(at: Register, element: u32, ty: Type) -> usize {
    (start(at.file, at.number) + (at.sub + element) * ty.bytes() / 4) as usize
}

impl Constants {
    /// Two registers of a message from m`first` on: the header and what comes next, 16 dwords.
    pub fn message(&self, first: u32) -> [Option<u32>; 16] {
        let start = start(File::Message, first) as usize;
        std::array::from_fn(|dw| self.0.get(start + dw).copied().flatten())
    }

    /// What is known after an instruction. Of a send the implied move counts, and what comes back.
    pub fn run(&mut self, instruction: &Instruction) {
        match &instruction.action {
            Action::Alu {
                opcode,
                dst: (Dst::Register { at, stride }, ty),
                src: [(src, from), _],
                saturate,
                ..
            } => {
                let whole = ty.bytes() == 4 && from == ty && !saturate;
                let plain = *opcode == Opcode::Mov && instruction.predicate.is_none() && whole;
                let lanes = 0..instruction.lanes;
                let values: Vec<_> = lanes
                    .map(|lane| self.source(src, *from, lane).filter(|_| plain))
                    .collect();
                for (lane, value) in (0..).zip(values) {
                    if let Some(place) = self.0.get_mut(dword(*at, lane * stride, *ty)) {
                        *place = value;
                    }
                }
            }
            Action::Send(send) => self.send(send),
            _ => {}
        }
    }

    fn source(&self, src: &Src, ty: Type, lane: u32) -> Option<u32> {
        match *src {
            Src::Immediate(bits) => Some(bits as u32),
            Src::Register {
                at,
                region: (v, w, h),
                negate: false,
                abs: false,
            } => {
                let element = lane / w * v + lane % w * h;
                self.0.get(dword(at, element, ty)).copied().flatten()
            }
            Src::Register { .. } | Src::Control => None,
        }
    }

    fn send(&mut self, send: &Send) {
        if let Some(register) = send.implied {
            let from = start(File::General, register) as usize;
            let to = start(File::Message, send.message) as usize;
            self.0.copy_within(from..from + DWORDS as usize, to);
        }
        if let Some(dst) = send.dst {
            // Without lengths anything up to the end may be written.
            let count = lengths(send).map_or(GENERAL, |(_, count)| count);
            let from = start(File::General, dst);
            let to = start(File::General, dst.saturating_add(count).min(GENERAL));
            if let Some(answer) = self.0.get_mut(from as usize..to as usize) {
                answer.fill(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sends::parse;
    use crate::source::Source;

    /// The dwords of m1 after the last line.
    fn known(text: &str) -> Vec<Option<u32>> {
        let mut known = Constants::default();
        for line in &parse(&Source::new("known.send", text)).0 {
            known.run(&line.node);
        }
        known.message(1)[..8].to_vec()
    }

    #[test]
    fn moves_of_numbers_are_known_and_all_else_is_not() {
        let text = "mov (8) m1:ud 7:ud\nmov (2) m1.1<2>:ud 5:ud\nmov (1) m1.5 1.0:f\n\
                    add (1) m1.6:ud r1.0:ud 1:ud\n(f0.0) mov (1) m1.7 2:ud\nmov (1) m1.0:uw 3:uw\n";
        let one = Some(1.0f32.to_bits());
        assert_eq!(
            known(text),
            [None, Some(5), Some(7), Some(5), Some(7), one, None, None]
        );
    }

    #[test]
    fn copies_carry_what_is_known_until_an_answer_comes() {
        let copied = "mov (8) r9:ud 3:ud\nmov (1) r9.2 4:ud\nsend (8) r40 m1 r9 read 0x02184001\n";
        let three = Some(3);
        assert_eq!(
            known(copied),
            [three, three, Some(4), three, three, three, three, three]
        );
        let broadcast = "mov (1) r9.2 4:ud\nmov (8) m1:ud r9.2<0;1,0>:ud\n";
        assert_eq!(known(broadcast), [Some(4); 8]);
        let answered = format!("mov (8) r40:ud 3:ud\n{copied}mov (8) m1:ud r40:ud\n");
        assert_eq!(known(&answered), [None; 8]);
    }
}
