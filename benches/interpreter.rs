//! The interpreter's inner loops: `cargo bench --bench interpreter`.
//!
//! Every case runs one thread through a loop of 1000 rounds over eight instructions of one kind, 16 lanes
//! each; `items` counts lane operations, so items per second compare across cases. `unwatched`, `told_nothing` and
//! `may_pause` are the same loop without an observer, with one that wants nothing, and with one that is asked in front of
//! every instruction whether to stand still, as a debugger is: what watching costs is paid by who watches.

use divan::Bencher;
use divan::counter::ItemsCount;
use visim::internals::check::{CheckOptions, check};
use visim::internals::exec::observer::{At, Observer, Running, Wants};
use visim::internals::launch::{self, Bindings, Grid, Keep, NativeCode, RunOptions, Silent};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::program::{Op, Program};
use visim::internals::source::Source;
use visim::internals::syntax::{ParseOptions, parse};

const ROUNDS: u64 = 1000;

/// A loop over eight copies of `line`.
fn program(line: &str) -> Program {
    let body = format!("{line}\n").repeat(8);
    let text = format!(
        ".version 4.1
.kernel \"k\"
.decl A v_type=G type=d num_elts=16 align=GRF
.decl B v_type=G type=d num_elts=16 align=GRF
.decl C v_type=G type=d num_elts=16 align=GRF
.decl F v_type=G type=f num_elts=16 align=GRF
.decl G v_type=G type=f num_elts=16 align=GRF
.decl H v_type=G type=f num_elts=16 align=GRF
.decl W v_type=G type=w num_elts=16 align=GRF
.decl U v_type=G type=ub num_elts=64 align=GRF
.decl N v_type=G type=d num_elts=1 align=GRF
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=1
or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud
again:
{body}add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:d
cmp.lt (M1_NM, 1) P2 N(0,0)<0;1,0> {ROUNDS}:d
(P2) goto (M1, 1) again
"
    );
    let source = Source::new("bench", text);
    let parsed = parse(&source, &ParseOptions::default());
    let (checked, said) = check(&parsed.module, &CheckOptions::default());
    assert!(parsed.diagnostics.is_empty() && said.is_empty(), "{said:?}");
    lower(&checked, "", &LowerOptions::default()).expect("lowers")
}

fn bench(bencher: Bencher, line: &str) {
    let program = program(line);
    let options = RunOptions {
        keep: Keep::None,
        ..RunOptions::default()
    };
    let bindings = Bindings::default();
    bencher.counter(ItemsCount::new(ROUNDS * 8 * 16)).bench(|| {
        launch::run(&program, &bindings, &Grid::single(), &options, |_| Silent)
            .expect("runs")
            .instructions
    });
}

#[divan::bench]
fn add_f(bencher: Bencher) {
    bench(
        bencher,
        "add (M1, 16) F(0,0)<1> G(0,0)<1;1,0> H(0,0)<1;1,0>",
    );
}

#[divan::bench]
fn mad_f(bencher: Bencher) {
    bench(
        bencher,
        "mad (M1, 16) F(0,0)<1> G(0,0)<1;1,0> H(0,0)<0;1,0> F(0,0)<1;1,0>",
    );
}

#[divan::bench]
fn add_d(bencher: Bencher) {
    bench(
        bencher,
        "add (M1, 16) A(0,0)<1> B(0,0)<1;1,0> C(0,0)<1;1,0>",
    );
}

#[divan::bench]
fn add_w(bencher: Bencher) {
    bench(
        bencher,
        "add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> W(0,0)<1;1,0>",
    );
}

#[divan::bench]
fn predicated_select(bencher: Bencher) {
    bench(
        bencher,
        "(P1) sel (M1, 16) A(0,0)<1> B(0,0)<1;1,0> C(0,0)<1;1,0>",
    );
}

#[divan::bench]
fn compare(bencher: Bencher) {
    bench(bencher, "cmp.lt (M1, 16) P1 F(0,0)<1;1,0> G(0,0)<1;1,0>");
}

#[divan::bench]
fn move_dense(bencher: Bencher) {
    bench(bencher, "mov (M1, 16) A(0,0)<1> B(0,0)<1;1,0>");
}

#[divan::bench]
fn widen_bytes_general(bencher: Bencher) {
    bench(bencher, "mov (M1, 16) A(0,0)<1> U(0,0)<4;1,0>");
}

#[divan::bench]
fn add_mixed_general(bencher: Bencher) {
    bench(
        bencher,
        "add (M1, 16) A(0,0)<1> W(0,0)<1;1,0> U(0,0)<4;1,0>",
    );
}

#[divan::bench]
fn scalar_add(bencher: Bencher) {
    bench(
        bencher,
        "add (M1_NM, 1) A(0,0)<1> B(0,0)<0;1,0> C(0,0)<0;1,0>",
    );
}

const WATCHED: &str = "add (M1, 16) F(0,0)<1> G(0,0)<1;1,0> H(0,0)<1;1,0>";

/// One loop, interpreted, with an observer.
fn watched<O: Observer>(bencher: Bencher, observer: impl Fn() -> O + Sync) {
    let program = program(WATCHED);
    let options = RunOptions {
        keep: Keep::None,
        native: NativeCode::Never,
        ..RunOptions::default()
    };
    let bindings = Bindings::default();
    bencher.counter(ItemsCount::new(ROUNDS * 8 * 16)).bench(|| {
        launch::run(&program, &bindings, &Grid::single(), &options, |_| {
            observer()
        })
        .expect("runs")
        .instructions
    });
}

/// Is told of the end of threads.
struct Told;

impl Observer for Told {
    fn wants(&self) -> Wants {
        Wants::Nothing
    }
}

/// Is asked in front of each instruction whether to end the run.
struct Asked(u64);

impl Observer for Asked {
    fn wants(&self) -> Wants {
        Wants::Steps
    }

    fn before(&mut self, _: At, _: &Op, _: Running, _: &[u8]) {
        self.0 += 1;
    }

    fn halts(&mut self) -> bool {
        self.0 == u64::MAX
    }
}

#[divan::bench]
fn unwatched(bencher: Bencher) {
    watched(bencher, || Silent);
}

#[divan::bench]
fn told_nothing(bencher: Bencher) {
    watched(bencher, || Told);
}

#[divan::bench]
fn may_pause(bencher: Bencher) {
    watched(bencher, || Asked(0));
}

fn main() {
    divan::main();
}
