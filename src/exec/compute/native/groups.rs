//! Code that begins the threads of group after group where they stand, and runs them, as long as they come to their ends.
//!
//! ```text
//!  each thread  ◀─ rows that it must find, header: its own dwords, and those of the group
//!  shared memory ◀─ zeros, if the group has such
//!  each thread  ─▶ the code of the program
//!  all ended?    threads that come to the end of their code say so (`AT_END`) and are counted; if those are not all, op and
//!                lanes of the others are asked; if one has not ended, whoever called goes on with them: through barriers,
//!                and with what is no code
//!     yes: dword 1 of the header counts on, the next group     no: back
//! ```
//!
//! As long as all come to their ends at once nothing else of a thread is written again, and where others leave what it finds
//! it gets dword 1 of its header alone. What it does is what
//! [`Standing`](super::host::Standing) does with one group.

use super::assembler::{Alu, Assembler, Gpr, If, Label, Place};
use super::call::{IN_GROUP, STOPPED, beginning, field, groups, row};

/// The groups, the thread at hand, and behind the last one of its group; program code leaves these registers as they are.
const GROUPS: Gpr = Gpr::R15;
const THREAD: Gpr = Gpr::R13;
const END: Gpr = Gpr::Rbp;
/// Instructions of the group.
const EXECUTED: Gpr = Gpr::Rbx;
/// Not 0 if threads have gone elsewhere than to their ends at once.
const STRAYED: Gpr = Gpr::R14;
/// All that are changed and are the caller's: as many as leave the stack at a multiple of 16 in front of each call.
const KEPT: [Gpr; 5] = [GROUPS, THREAD, END, EXECUTED, STRAYED];

/// A routine that is called with [`super::call::Groups`].
pub fn emit(code: &mut Assembler) -> Label {
    let [entry, group, all, thread, same, next_row, header] = [(); 7].map(|()| code.label());
    let [begun, ready, run, check, counted, ended, more, out] = [(); 8].map(|()| code.label());
    let of = |at| Place::At(GROUPS, at);
    let own = |at| Place::At(THREAD, at);
    let of_last = |at: u32| Place::At(END, at.wrapping_sub(field::SIZE));
    code.align();
    code.bind(entry);
    KEPT.into_iter().for_each(|reg| code.push(reg));
    code.move_wide(GROUPS, Gpr::Rdi);
    code.load_wide_at(END, of(groups::END));
    code.move_number(STRAYED, 1);

    code.bind(group);
    code.load_wide_at(THREAD, of(groups::FIRST));
    code.test(STRAYED, STRAYED);
    code.jump_if(If::NotZero, thread);
    code.load(Gpr::Rax, of(groups::FIND_ALL));
    code.alu_place(Alu::And, Gpr::Rax, of(groups::COLUMN_ONLY));
    code.jump_if(If::Zero, thread);
    code.load(Gpr::R8, of(groups::COLUMN));
    code.bind(all);
    code.load_wide_at(Gpr::Rax, own(field::ARENA));
    code.store(Place::At(Gpr::Rax, 4), Gpr::R8);
    code.add_wide(THREAD, field::SIZE);
    code.compare_wide(THREAD, END);
    code.jump_if(If::Below, all);
    code.jump(ready);
    code.bind(thread);
    code.load_wide_at(Gpr::Rdx, own(field::BEGINNING));
    code.load_wide_at(Gpr::Rax, own(field::ARENA));
    // Who has come to its end at once is what it was when it began.
    code.test(STRAYED, STRAYED);
    code.jump_if(If::Zero, same);
    code.load_wide_at(Gpr::Rcx, Place::At(Gpr::Rdx, beginning::EXECUTED));
    code.store_wide_at(own(field::EXECUTED), Gpr::Rcx);
    code.load(Gpr::Rcx, Place::At(Gpr::Rdx, beginning::LANES));
    code.store(own(field::EM), Gpr::Rcx);
    code.store_number(own(field::KEPT), IN_GROUP);
    code.bind(same);
    code.load_wide_at(Gpr::Rcx, Place::At(Gpr::Rdx, beginning::ROWS));
    code.load(Gpr::R8, Place::At(Gpr::Rdx, beginning::COUNT));
    code.test(Gpr::R8, Gpr::R8);
    code.jump_if(If::Zero, header);
    code.bind(next_row);
    code.load_wide_at(Gpr::R9, Place::Table(row::AT));
    code.add_wide_gpr(Gpr::R9, Gpr::Rax);
    code.copy_row((Gpr::Rcx, row::BYTES), Gpr::R9);
    code.add_wide(Gpr::Rcx, row::SIZE);
    code.subtract_wide(Gpr::R8, 1);
    code.jump_if(If::NotZero, next_row);
    code.bind(header);
    // Dword by dword, as code reads them: a wider store would not be there yet for what reads across its end.
    let dword = |code: &mut Assembler, n: u32| {
        code.load(Gpr::R8, Place::At(Gpr::Rdx, beginning::OPEN + 4 * n));
        code.alu_place(Alu::And, Gpr::R8, of(groups::HEADER + 4 * n));
        let own = Place::At(Gpr::Rdx, beginning::HEADER + 4 * n);
        code.alu_place(Alu::Or, Gpr::R8, own);
        code.store(Place::At(Gpr::Rax, 4 * n), Gpr::R8);
    };
    dword(code, 1);
    code.compare_place(of(groups::COLUMN_ONLY), 0);
    code.jump_if(If::NotZero, begun);
    [2, 6, 7].into_iter().for_each(|n| dword(code, n));
    code.bind(begun);
    code.add_wide(THREAD, field::SIZE);
    code.compare_wide(THREAD, END);
    code.jump_if(If::Below, thread);

    code.bind(ready);
    code.load_wide_at(Gpr::Rdi, of(groups::FIRST));
    code.compare_place(of(groups::CLEARS), 0);
    code.jump_if(If::Zero, run);
    code.call_at(of(groups::CLEAR));
    code.load_wide_at(Gpr::Rdi, of(groups::FIRST));
    code.bind(run);
    code.move_wide(Gpr::Rsi, END);
    code.store_number(of(groups::UNFINISHED), 1);
    code.move_number(Gpr::Rax, 0);
    code.store_wide_at(of_last(field::AT_END), Gpr::Rax);
    code.store_wide_at(of_last(field::ALL_RAN), Gpr::Rax);
    code.call_at(of(groups::ENTRY));

    code.load_wide_at(EXECUTED, of(groups::EXECUTED));
    code.move_number(STRAYED, 0);
    code.load_wide_at(Gpr::Rax, of_last(field::AT_END));
    code.add_wide_at(EXECUTED, of_last(field::ALL_RAN));
    // Each with the op that ends it.
    code.add_wide_gpr(EXECUTED, Gpr::Rax);
    code.compare_wide_at(Gpr::Rax, of(groups::THREADS));
    code.jump_if(If::Zero, ended);
    code.load_wide_at(EXECUTED, of(groups::EXECUTED));
    code.load_wide_at(THREAD, of(groups::FIRST));
    code.load_wide_at(Gpr::R9, of(groups::LIMIT));
    code.bind(check);
    code.load_wide_at(Gpr::Rax, own(field::RAN));
    code.compare_place(own(field::PC), 0);
    code.jump_if(If::Less, counted);
    code.load(Gpr::Rcx, own(field::PC));
    code.compare_wide_at(Gpr::Rcx, of(groups::OPS));
    code.jump_if(If::AboveOrEqual, more);
    code.shift_left_wide(Gpr::Rcx, 2);
    code.add_wide_at(Gpr::Rcx, of(groups::ENDS));
    code.load(Gpr::Rdx, own(field::EM));
    code.test(Gpr::Rdx, Gpr::Rdx);
    code.jump_if(If::Zero, more);
    code.load(Gpr::Rax, Place::Table(0));
    code.not(Gpr::Rax);
    code.test(Gpr::Rax, Gpr::Rdx);
    code.jump_if(If::NotZero, more);
    code.compare_place(own(field::WAITING), 0);
    code.jump_if(If::NotZero, more);
    code.load_wide_at(Gpr::Rax, own(field::EXECUTED));
    code.compare_wide(Gpr::Rax, Gpr::R9);
    code.jump_if(If::AboveOrEqual, more);
    code.move_number(STRAYED, 1);
    // The op that ends it.
    code.bind(counted);
    code.add_wide(Gpr::Rax, 1);
    code.add_wide_gpr(EXECUTED, Gpr::Rax);
    code.add_wide(THREAD, field::SIZE);
    code.compare_wide(THREAD, END);
    code.jump_if(If::Below, check);

    code.bind(ended);
    code.store_wide_at(of(groups::EXECUTED), EXECUTED);
    code.store_number(of(groups::UNFINISHED), 0);
    code.move_number(Gpr::Rax, 1);
    code.alu_into(Alu::Add, of(groups::COLUMN), Gpr::Rax);
    code.load(Gpr::Rax, of(groups::STEADY));
    code.alu_into(Alu::Or, of(groups::COLUMN_ONLY), Gpr::Rax);
    code.load_wide_at(Gpr::Rax, of(groups::LEFT));
    code.subtract_wide(Gpr::Rax, 1);
    code.store_wide_at(of(groups::LEFT), Gpr::Rax);
    code.jump_if(If::Zero, out);
    code.compare_wide_at(EXECUTED, of(groups::MOST));
    code.jump_if(If::Below, group);
    code.jump(out);

    code.bind(more);
    code.move_number(STRAYED, 1);
    code.load_wide_at(Gpr::Rdi, of(groups::MORE));
    code.call_at(of(groups::GO_ON));
    code.load_wide_at(EXECUTED, of(groups::EXECUTED));
    code.add_wide_gpr(EXECUTED, Gpr::Rax);
    const { assert!(STOPPED == u64::MAX) };
    code.add_wide(Gpr::Rax, 1);
    code.jump_if(If::NotZero, ended);
    code.bind(out);
    KEPT.into_iter().rev().for_each(|reg| code.pop(reg));
    code.end();
    entry
}
