//! Atomics whose order shows make groups come in launch order, whatever the number of jobs.

use super::{as_dwords, program, surface};
use visim::internals::exec::order::shows_order_of_groups;
use visim::internals::launch::{self, Bindings, Grid, Keep, RunOptions, Silent};
use visim::internals::surface::Format;

const DECLS: &str = ".decl O v_type=G type=ud num_elts=8 align=GRF
.decl S v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.kernel_attr SLMSize=1
mov (M1_NM, 8) O(0,0)<1> 0x0:ud
mov (M1_NM, 8) S(0,0)<1> 0x2:ud
";

#[test]
fn a_counter_hands_out_numbers_in_launch_order_on_any_number_of_jobs() {
    let code = "dword_atomic.inc (M1_NM, 1) T6 O.0 %null.0 %null.0 V.0\n";
    let program = program(&format!("{DECLS}{code}"));
    for jobs in [1, 2, 5] {
        let mut bindings = Bindings::default();
        let counter = surface(Format::R8_UNORM, 64, 1, vec![0; 64]);
        bindings.surfaces.insert(6, counter);
        let options = RunOptions {
            keep: Keep::All,
            jobs,
            ..RunOptions::default()
        };
        let grid = Grid::compute([2000, 1, 1], 1);
        let outcome = launch::run(&program, &bindings, &grid, &options, |_| Silent)
            .unwrap_or_else(|trap| panic!("{trap:#?}"));
        for registers in &outcome.threads {
            let number = as_dwords(registers.bytes(&program, "V").expect("V"))[0];
            assert_eq!(number, registers.thread.index, "{jobs} jobs");
        }
    }
}

#[test]
fn order_shows_where_operations_do_not_commute() {
    let shows = |code: &str| shows_order_of_groups(&program(&format!("{DECLS}{code}\n")));
    let inc = "dword_atomic.inc (M1_NM, 8) T6 O.0 %null.0 %null.0 %null.0\n";
    let sub = "dword_atomic.sub (M1_NM, 8) T6 O.0 S.0 %null.0 %null.0\n";
    let or = "dword_atomic.or (M1_NM, 8) T6 O.0 S.0 %null.0 %null.0\n";
    assert!(!shows(""));
    assert!(!shows(&format!("{inc}{sub}")));
    assert!(!shows(or));
    assert!(shows(&format!("{or}{sub}")));
    assert!(shows(
        "dword_atomic.inc (M1_NM, 8) T6 O.0 %null.0 %null.0 V.0"
    ));
    assert!(shows(
        "dword_atomic.xchg (M1_NM, 8) T6 O.0 S.0 %null.0 %null.0"
    ));
    assert!(shows(
        "typed_atomic.inc (M1_NM, 8) T6 O.0 O.0 %null.0 %null.0 %null.0 %null.0 V.0"
    ));
    // Memory of the group: its threads take turns in one order anyway.
    assert!(!shows(
        "dword_atomic.xchg (M1_NM, 8) %slm O.0 S.0 %null.0 V.0"
    ));
}
