//! Code for blocks of the media scaler whose texels can be picked from memory: one routine for all programs.
//!
//! ```text
//!  a row of texels ─▶ sixty-four bytes ─▶ eight for each column ─▶ times taps: a sum for each column
//!  sums of rows    0   1   2   3   4 …
//!  in pairs       −0  01  12  23  34 …      one register each, words
//!  a row of samples:   01 + 23 + 45 + 67 times taps, rounded, limited
//! ```
//!
//! What it computes is what [`crate::sampler::avs`] says, with exact sums.

use super::assembler::{Assembler, Gpr, If, Label, Len, Place, Rm, Vector};
use super::call::{BlockCode, BlockHost, ScaledBlock, scaled};
use super::integers::RIGHT_SIGNED;
use crate::sampler::avs::{MOST_SAMPLE, MakesBlocks, PickedBlock, SAMPLE_SHIFT};
use std::sync::OnceLock;

/// Which texels columns have, and their taps, each in two halves.
const FROM: [u8; 2] = [16, 17];
const TAPS: [u8; 2] = [18, 19];

/// Makes blocks, where the host has the instructions for it.
pub fn makes_blocks() -> Option<&'static dyn MakesBlocks> {
    static ROUTINE: OnceLock<Option<BlockCode>> = OnceLock::new();
    let routine = ROUTINE.get_or_init(|| {
        let host = BlockHost::detect()?;
        let mut code = Assembler::default();
        let entries = [1, 2].map(|element| block(&mut code, element));
        let entries = entries.map(|entry| code.offset(entry));
        BlockCode::new(host, code, entries).ok()
    });
    routine.as_ref().map(|routine| routine as _)
}

impl MakesBlocks for BlockCode {
    fn make(&self, block: &PickedBlock<'_>, out: &mut [u8]) -> bool {
        let block = ScaledBlock::new(block, out);
        block.map(|block| self.run(block)).is_some()
    }
}

/// Code for blocks of samples of 1 or 2 bytes.
fn block(code: &mut Assembler, element: u32) -> Label {
    let [entry, line] = [(); 2].map(|()| code.label());
    code.bind(entry);
    across(code);
    down(code, line, element);
    code.end();
    entry
}

/// The sums of all rows across, those of each beside those of the row in front of it.
fn across(code: &mut Assembler) {
    let [row, next, done] = [(); 3].map(|()| code.label());
    code.load_wide(Gpr::Rdx, scaled::PICKS);
    for (n, reg) in FROM.into_iter().chain(TAPS).enumerate() {
        let from = Rm::At(Gpr::Rdx, 64 * n as u32);
        code.vector(Vector::LOAD, Len::Z, reg, 0, from);
    }
    code.load_wide(Gpr::Rcx, scaled::PAIRS);
    code.load_wide(Gpr::R8, scaled::ROWS);
    code.load(Gpr::R9, Place::Context(scaled::COUNT));
    code.test_place(Place::Context(scaled::FOLLOW), u32::MAX);
    code.jump_if(If::Zero, row);
    find_row(code);
    code.load_wide(Gpr::R10, scaled::PITCH);
    code.bind(next);
    sum_row(code);
    code.add_wide_gpr(Gpr::Rax, Gpr::R10);
    code.subtract_wide(Gpr::R9, 1);
    code.jump_if(If::NotZero, next);
    code.jump(done);
    code.bind(row);
    find_row(code);
    sum_row(code);
    code.add_wide(Gpr::R8, 4);
    code.subtract_wide(Gpr::R9, 1);
    code.jump_if(If::NotZero, row);
    code.bind(done);
}

/// `rax` points to the texels of the row that `r8` points to.
fn find_row(code: &mut Assembler) {
    code.load_at(Gpr::Rax, Gpr::R8);
    code.multiply_wide_at(Gpr::Rax, Place::Context(scaled::PITCH));
    code.add_wide_of(Gpr::Rax, scaled::TEXELS);
}

/// The sums of a row.
fn sum_row(code: &mut Assembler) {
    const PAIR: u8 = 0;
    const SUMS: u8 = 1;
    const TEXELS: [u8; 2] = [2, 3];
    code.vector(Vector::LOAD, Len::Z, SUMS, 0, Rm::At(Gpr::Rax, 0));
    for (texels, from) in TEXELS.into_iter().zip(FROM) {
        code.vector(Vector::PERMB, Len::Z, texels, from, Rm::Reg(SUMS));
    }
    // The next blocks read on in the same row.
    code.prefetch(Gpr::Rax, 3 * 64);
    code.vector(Vector::PXORD, Len::Z, SUMS, SUMS, Rm::Reg(SUMS));
    for (texels, taps) in TEXELS.into_iter().zip(TAPS) {
        code.vector(Vector::PDPBUSD, Len::Z, SUMS, texels, Rm::Reg(taps));
    }
    // The word that was high goes where low ones are.
    code.vector_by(Vector::PSHLDD, Len::Z, PAIR, SUMS, Rm::Reg(PAIR), 16);
    code.vector(Vector::STORE, Len::Z, PAIR, 0, Rm::At(Gpr::Rcx, 0));
    code.add_wide(Gpr::Rcx, 64);
}

/// The samples of all lines.
fn down(code: &mut Assembler, line: Label, element: u32) {
    const SUM: u8 = 0;
    const TAPS: u8 = 1;
    code.load_wide(Gpr::Rdx, scaled::OUT);
    code.load_wide(Gpr::Rcx, scaled::TAPS);
    code.load_wide(Gpr::R8, scaled::STARTS);
    code.load(Gpr::R9, Place::Context(scaled::LINES));
    code.bind(line);
    // Of the pairs that begin with the first row of the line every second one.
    code.load_byte(Gpr::Rax, Gpr::R8);
    code.shift_left_wide(Gpr::Rax, 6);
    code.add_wide_of(Gpr::Rax, scaled::PAIRS);
    // A byte is rounded twice, which is as good as rounded by the sum of both halves.
    let (shift, halves) = match element {
        1 => (
            SAMPLE_SHIFT + 8,
            1 << (SAMPLE_SHIFT - 1) | 0x80 << SAMPLE_SHIFT,
        ),
        _ => (SAMPLE_SHIFT, 1 << (SAMPLE_SHIFT - 1)),
    };
    code.vector(Vector::BROADCAST, Len::Z, SUM, 0, Rm::Const(halves));
    for n in 0..4 {
        let taps = Rm::At(Gpr::Rcx, 4 * n);
        code.vector(Vector::BROADCAST, Len::Z, TAPS, 0, taps);
        let pairs = Rm::At(Gpr::Rax, 64 + 128 * n);
        code.vector(Vector::PDPWSSD, Len::Z, SUM, TAPS, pairs);
    }
    let to = (RIGHT_SIGNED, 0, false);
    let by = Some(shift as u8);
    code.masked(Vector::SHIFT_BY, Len::Z, to, SUM, Rm::Reg(SUM), by);
    code.vector(Vector::PMAXSD, Len::Z, SUM, SUM, Rm::Const(0));
    let out = Rm::At(Gpr::Rdx, 0);
    if element == 1 {
        code.vector(Vector::PMOVUSDB, Len::Z, SUM, 0, out);
    } else {
        let most = Rm::Const(MOST_SAMPLE.into());
        code.vector(Vector::PMINSD, Len::Z, SUM, SUM, most);
        code.vector(Vector::PMOVDW, Len::Z, SUM, 0, out);
    }
    code.add_wide(Gpr::Rdx, 16 * element);
    code.add_wide(Gpr::Rcx, 16);
    code.add_wide(Gpr::R8, 1);
    code.subtract_wide(Gpr::R9, 1);
    code.jump_if(If::NotZero, line);
}
