//! What a run executed: instructions, messages, lanes, rounds of extended math and bytes for each opcode.

use std::collections::BTreeMap;
use visim::internals::check::{CheckOptions, check};
use visim::internals::isa::Opcode;
use visim::internals::launch::{Bindings, Grid, RunOptions, run};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::observe::stats::Stats;
use visim::internals::source::Source;
use visim::internals::syntax::{ParseOptions, parse};
#[test]
fn the_math_unit_counts_rounds_for_the_lanes_that_run() {
    let text = "\
.version 4.1
.kernel \"rounds\"
.decl P1 v_type=P num_elts=8
.decl F v_type=G type=f num_elts=8 align=GRF
.decl D v_type=G type=d num_elts=8 align=GRF
setp (M1, 8) P1 0x7:ud
sqrt (M1, 8) F(0,0)<1> F(0,0)<1;1,0>
(P1) sin (M1, 8) F(0,0)<1> F(0,0)<1;1,0>
div (M1, 4) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>
mod (M1, 2) D(0,0)<1> D(0,0)<1;1,0> 3:d
add (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 3:d
ret (M1, 1)
";
    let parsed = parse(&Source::new("rounds.visa", text), &ParseOptions::default());
    let (checked, _) = check(&parsed.module, &CheckOptions::default());
    let program = lower(&checked, "rounds", &LowerOptions::default()).expect("legal text");
    let stats = Stats::default();
    let (bindings, options) = (Bindings::default(), RunOptions::default());
    run(&program, &bindings, &Grid::single(), &options, |_| {
        stats.thread()
    })
    .expect("runs");
    let rounds: BTreeMap<Opcode, u64> = stats
        .counts()
        .into_iter()
        .map(|(opcode, count)| (opcode, count.rounds))
        .collect();
    // Three for each root, six for a sine, one for a reciprocal, four for a remainder.
    assert_eq!(rounds[&Opcode::Sqrt], 8 * 3);
    assert_eq!(rounds[&Opcode::Sin], 3 * 6);
    assert_eq!(rounds[&Opcode::Div], 4);
    assert_eq!(rounds[&Opcode::Mod], 2 * 4);
    assert_eq!(rounds[&Opcode::Add], 0);
}
