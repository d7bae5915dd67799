//! Every instruction of the table runs in some text, or stops a run by its own name; and every text of
//! the corpora either runs or says what it lacks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use visim::internals::check::{CheckOptions, check};
use visim::internals::diagnostic::Class;
use visim::internals::exec::observer::{At, Running};
use visim::internals::exec::{Bindings, FlatRange, Observer, ThreadId};
use visim::internals::harness::bind::Layer;
use visim::internals::harness::load;
use visim::internals::harness::session::{Options, file_layer, start_watched};
use visim::internals::isa::{OPCODES, OpInfo, Opcode, Platform};
use visim::internals::launch::{self, Grid, RunOptions};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::program::Op;
use visim::internals::source::Source;
use visim::internals::surface::{Description, Format, Memory, Surface};
use visim::internals::syntax::{ParseOptions, parse};

/// What stops a text of the corpora for want of what a launch would give it.
const WANTS_A_LAUNCH: &[&str] = &["E0603", "E0604", "E0608", "E0691", "L0602"];

/// The instructions that have run to their end.
#[derive(Default)]
struct RunResult(Mutex<BTreeSet<Opcode>>);

/// Watches one thread for [`RunResult`].
struct Watch<'r> {
    ran: &'r RunResult,
    /// The instruction at hand.
    now: Option<Opcode>,
}

impl RunResult {
    fn thread(&self) -> Watch<'_> {
        Watch {
            ran: self,
            now: None,
        }
    }
}

impl Watch<'_> {
    fn done(&mut self) {
        let mut ran = self.ran.0.lock().expect("no thread panicked");
        ran.extend(self.now.take());
    }
}

impl Observer for Watch<'_> {
    fn before(&mut self, at: At, _: &Op, _: Running, _: &[u8]) {
        // One that made the thread wait is done when the next begins.
        self.done();
        self.now = Some(at.site.opcode);
    }

    fn after(&mut self, _: At, _: &Op, _: Running, _: &[u8]) {
        self.done();
    }

    fn ended(&mut self, _: ThreadId, trapped: bool) {
        if !trapped {
            self.done();
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn texts(folder: &str, all: &mut Vec<PathBuf>) {
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|e| e == "visa" || e == "visaasm")
            {
                all.push(path);
            }
        }
    }
    all.sort();
}

/// What a text of the corpus, which binds nothing, may be given: surfaces of a format, samplers of a kind.
const GIVEN: &[(&str, &str)] = &[
    ("new 64x64 R8G8B8A8_UNORM", "filter=linear"),
    ("new 64x64 R32_UINT", "filter=nearest"),
    ("new 64x64 Y8_UNORM", "avs"),
];

/// A layer that binds every surface and sampler a text declares.
fn bindings(text: &str, given: (&str, &str)) -> Source {
    let mut lines = String::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(".decl"), Some(name), Some(class)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        match class {
            "v_type=T" => lines += &format!("// SURFACE {name}: {}\n", given.0),
            "v_type=S" => lines += &format!("// SAMPLER {name}: {}\n", given.1),
            _ => {}
        }
    }
    Source::new("bindings", lines)
}

/// How a run ended: the code and class of what stopped it.
type End = Option<(String, Class, String)>;

fn run(
    path: &Path,
    platform: Option<Platform>,
    given: Option<(&str, &str)>,
    ran: &RunResult,
) -> End {
    let source = load::source(path).expect("a text");
    let (own, found) = file_layer(source.clone(), path);
    let mut layers = vec![own];
    layers.extend(platform.map(Layer::of_platform));
    if let Some(given) = given {
        let more = bindings(source.text(), given);
        layers.push(file_layer(more, path).0);
    }
    let options = Options {
        limit: 20_000,
        ..Options::default()
    };
    let ended = start_watched(&layers, found, &options, |_| ran.thread());
    let refused = ended.err()?;
    let fatal = refused
        .problems
        .iter()
        .find(|p| p.diagnostic.class().is_fatal());
    let d = &fatal.expect("a refusal has a reason").diagnostic;
    Some((d.code.to_string(), d.class(), d.message.clone()))
}

/// What the texts do not reach: platform, instruction, a line or two that end with it.
#[rustfmt::skip]
const LINES: &[(&str, &str, &str)] = &[
    ("skl", "sample_c", "sample_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "svm_gather", "svm_gather.4.1 (M1, 8) Q.0 R.0"),
    ("dg2", "lsc_load", "lsc_load.ugm (M1, 16) R:d32 flat[Q]:a64"),
    ("dg2", "lsc_atomic_iadd", "lsc_atomic_iadd.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("skl", "sample_b_c", "sample_b_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_l_c", "sample_l_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_d_c_mlod", "sample_d_c_mlod.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_mlod", "sample_mlod.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_c_mlod", "sample_c_mlod.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_d_c", "sample_d_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po", "sample_po.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po_b", "sample_po_b.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po_l", "sample_po_l.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po_c", "sample_po_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po_d", "sample_po_d.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po_l_c", "sample_po_l_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po_b_c", "sample_po_b_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po_d_c", "sample_po_d_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po_lz", "sample_po_lz.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample_po_c_lz", "sample_po_c_lz.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_l", "sample4_l.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_b", "sample4_b.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_i", "sample4_i.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_i_c", "sample4_i_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_l_c", "sample4_l_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_po_c", "sample4_po_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_po_l", "sample4_po_l.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_po_b", "sample4_po_b.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_po_i", "sample4_po_i.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_po_i_c", "sample4_po_i_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "sample4_po_l_c", "sample4_po_l_c.R (M1, 8) 0x0:uw S0 T6 R.0 F.0 F.32 F.64"),
    ("skl", "load_l", "load_l.R (M1, 8) 0x0:uw T6 R.0 U.0 U.32 U.64"),
    ("skl", "svm_block_ld", "svm_block_ld (2) Q(0,0)<0;1,0> R.0"),
    ("skl", "svm_block_st", "svm_block_st (2) Q(0,0)<0;1,0> R.0"),
    ("skl", "svm_scatter", "svm_scatter.4.1 (M1, 8) Q.0 R.0"),
    ("skl", "svm_atomic", "svm_atomic.inc (M1, 8) Q.0 R.0 %null.0 %null.0"),
    ("skl", "svm_gather4scaled", "svm_gather4scaled.R (M1, 8) 0x0:uq Q.0 R.0"),
    ("skl", "svm_scatter4scaled", "svm_scatter4scaled.R (M1, 8) 0x0:uq Q.0 R.0"),
    ("skl", "faddr", "faddr f V(0,0)<1>"),
    ("skl", "ifcall", "faddr f V(0,0)<1>\nifcall (M1, 1) V(0,0)<0;1,0> 0 0"),
    ("skl", "fccall", "fccall (M1, 16) elsewhere"),
    ("skl", "vme_sic", "vme_sic T6 U.0 U.32 R.0"),
    ("skl", "vme_fbr", "vme_fbr (0x0:ud, 0x0:ud, 0x0:ud) T6 U.0 U.32 R.0"),
    ("skl", "raw_sendc", "raw_sendc (M1, 8) 0xc 1 1 0x2106e06:ud U.0 R.0"),
    ("skl", "raw_sends", "raw_sends.12.1.1.0 (M1, 8) 0x4c:ud 0x2026e06:ud U.0 U.32 %null.0"),
    ("skl", "raw_sends_eot", "raw_sends_eot.7.1.0.0 (M1, 8) 0x27:ud 0x2000010:ud U.0 %null.0 %null.0"),
    ("skl", "raw_sendsc", "raw_sendsc.1.1.0 (M1, 8) 0x4c:ud 0x2026e06:ud U.0 U.32 %null.0"),
    ("skl", "raw_sendsc_eot", "raw_sendsc_eot.1.0.0 (M1, 8) 0x27:ud 0x2000010:ud U.0 %null.0 %null.0"),
    ("skl", "breakpoint", "breakpoint"),
    ("skl", "tanh", "tanh (M1, 8) F(0,0)<1> F(1,0)<1;1,0>"),
    ("skl", "sigm", "sigm (M1, 8) F(0,0)<1> F(1,0)<1;1,0>"),
    ("skl", "invm", "invm (M1, 8) F(0,0)<1> F(1,0)<1;1,0>"),
    ("skl", "rsqtm", "rsqtm (M1, 8) F(0,0)<1> F(1,0)<1;1,0>"),
    ("skl", "shfl_idx4", "shfl_idx4 (M1, 16) R.0 U(0,0)<1;1,0> U(2,0)<1;1,0>"),
    ("skl", "lfsr", "lfsr.b32 (M1, 16) R(0,0)<1> U(0,0)<1;1,0> U(2,0)<1;1,0>"),
    ("skl", "dnscl", "dnscl.hftoint4.mode0.rne (M1, 16) R.0 U.0 U.32 %null.0"),
    ("skl", "bdpas", "bdpas.s8.s8.8.8 (M1, 16) R.0 U.0 U.64 U.128 UB(0,0) UB(1,0)"),
    ("skl", "raw_sendg", "raw_sendg.ugm (M1, 8) R.0/32 U.0/64 %null.0/0 U(0,0)<0;1,0> %null(0,0)<0;1,0> 0x4100"),
    ("skl", "raw_sendg_eot", "raw_sendg_eot.ugm (M1, 8) %null.0/0 U.0/64 %null.0/0 U(0,0)<0;1,0> %null(0,0)<0;1,0> 0x4100"),
    ("skl", "raw_sendgc", "raw_sendgc.ugm (M1, 8) R.0/32 U.0/64 %null.0/0 U(0,0)<0;1,0> %null(0,0)<0;1,0> 0x4100"),
    ("skl", "raw_sendgc_eot", "raw_sendgc_eot.ugm (M1, 8) %null.0/0 U.0/64 %null.0/0 U(0,0)<0;1,0> %null(0,0)<0;1,0> 0x4100"),
    ("dg2", "dpas", "dpas.s8.s8.8.8 (M1, 8) R.0 U.0 U.64 UB(0,0)"),
    ("dg2", "dpasw", "dpasw.s8.s8.8.8 (M1, 8) R.0 U.0 U.64 UB(0,0)"),
    ("pvc", "fcvt", "fcvt (M1, 16) U(0,0)<1> F(0,0)<1;1,0>"),
    ("pvc", "srnd", "srnd (M1, 16) HF(0,0)<1> F(0,0)<1;1,0> U(0,0)<1;1,0>"),
    ("pvc", "nbarrier.wait", "nbarrier.signal 0x0:ub 0x1:ub\nnbarrier.wait 0x0:ub"),
    ("dg2", "qw_gather", "qw_gather.1 (M1, 8) T6 U.0 R.0"),
    ("dg2", "qw_scatter", "qw_scatter.1 (M1, 8) T6 U.0 R.0"),
    ("dg2", "add3.o", "(P1) add3.o (M1, 16) R(0,0)<1> U(0,0)<1;1,0> U(2,0)<1;1,0> U(4,0)<1;1,0>"),
    ("dg2", "lsc_load_strided", "lsc_load_strided.ugm (M1, 16) R:d32 flat[V64,0x4]:a64"),
    ("dg2", "lsc_store_strided", "lsc_store_strided.ugm (M1, 16) flat[V64,0x4]:a64 R:d32"),
    ("dg2", "lsc_load_quad", "lsc_load_quad.ugm (M1, 16) R:d32.xz flat[Q]:a64"),
    ("dg2", "lsc_store_quad", "lsc_store_quad.ugm (M1, 16) flat[Q]:a64 R:d32.xy"),
    ("dg2", "lsc_store", "lsc_store.ugm (M1, 16) flat[Q]:a64 R:d32"),
    ("pvc", "lsc_store_block2d", "lsc_store_block2d.ugm (M1_NM, 1) flat[V64,V,V,V,V,V] UB:d8.32x8nn"),
    ("pvc", "lsc_load_block2d", "lsc_load_block2d.ugm (M1_NM, 1) UB:d8.32x8nn flat[V64,V,V,V,V,V]"),
    ("dg2", "lsc_load_status", "lsc_load_status.ugm (M1, 16) R:d32 flat[Q]:a64"),
    ("dg2", "lsc_store_uncompressed", "lsc_store_uncompressed.ugm (M1, 16) flat[Q]:a64 R:d32"),
    ("dg2", "lsc_read_state_info", "lsc_read_state_info.tgm R bti(0x4)"),
    ("dg2", "lsc_fence", "lsc_fence.ugm.evict.gpu"),
    ("dg2", "lsc_load_quad_msrt", "lsc_load_quad_msrt.tgm (M1, 16) R:d32.xy bti(0x4)[U,U.64]:a32"),
    ("dg2", "lsc_store_quad_msrt", "lsc_store_quad_msrt.tgm (M1, 16) bti(0x4)[U,U.64]:a32 R:d32.xy"),
    ("dg2", "lsc_apndctr_atomic_add", "lsc_apndctr_atomic_add.ugm (M1, 16) R:d32 bti(0xa0) U:d32"),
    ("dg2", "lsc_apndctr_atomic_sub", "lsc_apndctr_atomic_sub.ugm (M1, 16) R:d32 bti(0xa0) U:d32"),
    ("dg2", "lsc_apndctr_atomic_store", "lsc_apndctr_atomic_store.ugm (M1, 16) R:d32 bti(0xa0) U:d32"),
    ("dg2", "lsc_atomic_isub", "lsc_atomic_isub.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_smin", "lsc_atomic_smin.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_smax", "lsc_atomic_smax.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_umin", "lsc_atomic_umin.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_umax", "lsc_atomic_umax.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_fadd", "lsc_atomic_fadd.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_fsub", "lsc_atomic_fsub.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_fmin", "lsc_atomic_fmin.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_fmax", "lsc_atomic_fmax.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_and", "lsc_atomic_and.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_or", "lsc_atomic_or.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_xor", "lsc_atomic_xor.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_store", "lsc_atomic_store.ugm (M1, 16) R:d32 flat[Q]:a64 U %null"),
    ("dg2", "lsc_atomic_iinc", "lsc_atomic_iinc.ugm (M1, 16) R:d32 flat[Q]:a64 %null %null"),
    ("dg2", "lsc_atomic_idec", "lsc_atomic_idec.ugm (M1, 16) R:d32 flat[Q]:a64 %null %null"),
    ("dg2", "lsc_atomic_load", "lsc_atomic_load.ugm (M1, 16) R:d32 flat[Q]:a64 %null %null"),
    ("dg2", "lsc_atomic_icas", "lsc_atomic_icas.ugm (M1, 16) R:d32 flat[Q]:a64 U U.64"),
    ("dg2", "lsc_atomic_fcas", "lsc_atomic_fcas.ugm (M1, 16) R:d32 flat[Q]:a64 U U.64"),
    ("pvc", "lsc_atomic_bfadd", "lsc_atomic_bfadd.ugm (M1, 16) R:d16c32 flat[Q]:a64 U %null"),
    ("pvc", "lsc_atomic_bfsub", "lsc_atomic_bfsub.ugm (M1, 16) R:d16c32 flat[Q]:a64 U %null"),
    ("pvc", "lsc_atomic_bfmin", "lsc_atomic_bfmin.ugm (M1, 16) R:d16c32 flat[Q]:a64 U %null"),
    ("pvc", "lsc_atomic_bfmax", "lsc_atomic_bfmax.ugm (M1, 16) R:d16c32 flat[Q]:a64 U %null"),
    ("pvc", "lsc_atomic_bfcas", "lsc_atomic_bfcas.ugm (M1, 16) R:d16c32 flat[Q]:a64 U U.64"),
];

/// In front of each of [`LINES`]; address 0 is bound.
const HEAD: &str = "\
.version 4.1
.kernel \"k\"
.funcdecl \"f\"
.decl U v_type=G type=ud num_elts=512 align=GRF
.decl R v_type=G type=ud num_elts=512 align=GRF
.decl V v_type=G type=ud num_elts=1 align=GRF
.decl V64 v_type=G type=uq num_elts=1 align=GRF
.decl Q v_type=G type=uq num_elts=32 align=GRF
.decl F v_type=G type=f num_elts=512 align=GRF
.decl HF v_type=G type=hf num_elts=64 align=GRF
.decl UB v_type=G type=ub num_elts=2048 align=GRF
.decl P1 v_type=P num_elts=16
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
";
const TAIL: &str = "
ret (M1, 1)
.global_function \"f\"
fret (M1, 1)
";

/// Runs one of [`LINES`]; what stopped it.
fn run_line(platform: &str, body: &str, ran: &RunResult) -> Option<(String, Class, String)> {
    let say = |d: &visim::internals::diagnostic::Diagnostic| {
        (d.code.to_string(), d.class(), d.message.clone())
    };
    let source = Source::new("line", format!("{HEAD}{body}{TAIL}"));
    let parsed = parse(&source, &ParseOptions::default());
    let options = CheckOptions {
        platform: Platform::from_name(platform).expect("a platform"),
        ..CheckOptions::default()
    };
    let (checked, said) = check(&parsed.module, &options);
    let fatal = parsed
        .diagnostics
        .iter()
        .chain(&said)
        .find(|d| d.class().is_fatal());
    if let Some(d) = fatal {
        return Some(say(d));
    }
    let program = match lower(&checked, "k", &LowerOptions::default()) {
        Ok(program) => program,
        Err(found) => return found.iter().find(|d| d.class().is_fatal()).map(say),
    };
    let surface = |index: u32| {
        let description = Description::d2(Format::R32_FLOAT, 64, 64);
        (
            index,
            Arc::new(Surface::zeroed(description).expect("a surface")),
        )
    };
    let mut bindings = Bindings::default();
    bindings.surfaces.extend([0, 4, 6, 0xa0].map(surface));
    bindings.memory.push(FlatRange {
        address: 0,
        memory: Arc::new(Memory::zeroed(1 << 16)),
    });
    bindings
        .samplers
        .insert(0, visim::internals::exec::Sampler::Texture(Arc::default()));
    let run = launch::run(
        &program,
        &bindings,
        &Grid::single(),
        &RunOptions::default(),
        |_| ran.thread(),
    );
    run.err().map(|trap| say(&trap.diagnostic))
}

/// Whether the check refuses a line on each platform as one that lacks its instruction.
fn on_no_platform(mnemonic: &str, body: &str) -> bool {
    Platform::ALL.iter().all(|platform| {
        let end = run_line(platform.name, body, &RunResult::default());
        let (code, message) =
            end.map_or_else(Default::default, |(code, _, message)| (code, message));
        code == "E0428" && message.ends_with(&format!(" has no {mnemonic}"))
    })
}

/// Every text with what it is given: its name, whether it is of a corpus, and how each run ended.
fn sweep(ran: &RunResult) -> Vec<(String, bool, Vec<End>)> {
    let mut all = Vec::new();
    for folder in [
        "tests/corpus/text",
        "tests/corpus/text-other-platforms",
        "tests/cases",
        "samples",
    ] {
        texts(folder, &mut all);
    }
    let one = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let platform = name.split('-').next().and_then(Platform::from_name);
        // A compiled lesson requires a launch.
        let corpus = path.to_string_lossy().contains("/corpus/");
        let given: Vec<Option<(&str, &str)>> = match corpus {
            true => GIVEN.iter().map(|g| Some(*g)).collect(),
            false => vec![None],
        };
        let ends = given.into_iter().map(|g| run(&path, platform, g, ran));
        let ends = ends.collect();
        (name.into_owned(), corpus, ends)
    };
    all.into_iter().map(one).collect()
}

#[test]
fn every_instruction_runs_or_is_refused_by_name_and_every_text_runs_or_says_what_it_lacks() {
    let watcher = RunResult::default();
    let mut named = BTreeSet::new();
    let mut wrong: Vec<String> = Vec::new();
    for (name, corpus, ends) in sweep(&watcher) {
        for (_, class, message) in ends.iter().flatten() {
            let names = |o: &&OpInfo| message.contains(&format!("`{}`", o.mnemonic));
            if *class == Class::Unsupported {
                named.extend(OPCODES.iter().filter(names).map(|o| o.opcode));
            }
        }
        let well = |end: &End| match end {
            None => true,
            Some((code, class, _)) => {
                *class == Class::Unsupported || WANTS_A_LAUNCH.contains(&code.as_str())
            }
        };
        if corpus && !ends.iter().any(well) {
            wrong.push(format!("{name}: {ends:?}"));
        }
    }
    for (platform, mnemonic, body) in LINES {
        let row = OPCODES.iter().find(|o| o.mnemonic == *mnemonic);
        let opcode = row.expect(mnemonic).opcode;
        if let Some((code, class, message)) = run_line(platform, body, &watcher) {
            let unsupported =
                class == Class::Unsupported && message.contains(&format!("`{mnemonic}`"));
            if unsupported || on_no_platform(mnemonic, body) {
                named.insert(opcode);
            } else {
                wrong.push(format!("{body}: {code} {message}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let ran = watcher.0.lock().expect("no thread panicked");
    let rows = OPCODES.iter();
    let missing = rows.filter(|o| !ran.contains(&o.opcode) && !named.contains(&o.opcode));
    let missing: Vec<&str> = missing.map(|o| o.mnemonic).collect();
    assert!(
        missing.is_empty(),
        "neither run nor are refused: {missing:?}"
    );
    let refused: Vec<&str> = OPCODES
        .iter()
        .filter(|o| !ran.contains(&o.opcode))
        .map(|o| o.mnemonic)
        .collect();
    println!("{} run, refused: {}", ran.len(), refused.join(" "));
}
