//! What holds of any bytes at all: the targets of the fuzzer, which `tests/model` tries on the seeds as well.
//!
//! Each function takes bytes and panics where a promise is broken. Nothing is read from the disk but what a target
//! writes itself, and every run has a small allowance of instructions and memory.
#![allow(dead_code, reason = "each target uses one of them")]

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use visim::internals::diagnostic::{Code, Diagnostic, any_fatal, render_all, to_json};
use visim::internals::files::InMemory;
use visim::internals::harness::bind::{Layer, Problem};
use visim::internals::harness::directive;
use visim::internals::harness::front::Front;
use visim::internals::harness::language::Language;
use visim::internals::harness::session::{self, Options, Refused, Session};
use visim::internals::isa::{Generation, Platform};
use visim::internals::launch::NativeCode;
use visim::internals::launch::kernel::binary;
use visim::internals::launch::kernel::json::Launch;
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::message::{self, Message, Sfid};
use visim::internals::observe::{Races, Sanitizer, Stats, Watcher};
use visim::internals::source::Source;
use visim::internals::surface::file::{load_picture, open_texture};
use visim::internals::surface::state::{describe, pack};
use visim::internals::surface::{Description, Format, Ledger, Surface};
use visim::internals::syntax::{ParseOptions, parse, print};
use visim::internals::video::Reader;
use visim::internals::{tld as loads, visa_binary};

/// Instructions of a thread, and of all.
const STEPS: (u64, u64) = (2_000, 8_000);

/// Bytes of surfaces and buffers: all are compared, so that few make many inputs a second.
const MEMORY: u64 = 2 << 20;

/// Threads of a grid: more are cut off by the instructions that all may run.
const JOBS: usize = 3;

fn source(name: &str, data: &[u8]) -> Source {
    Source::new(name, String::from_utf8_lossy(data).into_owned())
}

/// Diagnostics can be shown in every form, and say nothing that a terminal would obey.
fn shown(diagnostics: &[Diagnostic], source: &Source) {
    let text = render_all(diagnostics, source, false);
    assert!(
        !text.contains(['\x1b', '\x07', '\0']),
        "control characters in {text:?}"
    );
    for diagnostic in diagnostics {
        to_json(diagnostic, source).to_string();
    }
}

/// Text: what is printed reads as the same module and prints the same again; its binary form is the same module.
pub fn text(data: &[u8]) {
    let source = source("k.visa", data);
    let options = ParseOptions::default();
    let parsed = parse(&source, &options);
    shown(&parsed.diagnostics, &source);
    let front = Front::new(&source, Platform::default());
    shown(&front.diagnostics, &source);
    if any_fatal(&parsed.diagnostics) {
        return;
    }
    let printed = print(&parsed.module);
    let again = parse(&Source::new("k.visa", &printed[..]), &options);
    assert!(
        !any_fatal(&again.diagnostics),
        "printed text is refused:\n{printed}"
    );
    assert_eq!(print(&again.module), printed, "printed text is not stable");
    if any_fatal(&front.diagnostics) {
        return;
    }
    let _ = lower(&front.checked, "", &LowerOptions::default());
    // The binary form has an order of its own for what a text declares: the second one is stable.
    if let Ok(written) = visa_binary::write(&parsed.module, None) {
        let again = |bytes: &[u8]| {
            let read = visa_binary::read(bytes).expect("what was written is read");
            let written = visa_binary::write(&read, None);
            written.expect("what was read is written").bytes
        };
        let second = again(&written.bytes);
        assert!(again(&second) == second, "the binary form is not stable");
    }
}

/// The layer of a program whose files are nowhere.
fn layer(name: &str, data: &[u8]) -> (Layer, Vec<Diagnostic>) {
    let source = source(name, data);
    let (directives, found) = directive::read(&source);
    let layer = Layer {
        source,
        directives,
        folder: "nowhere".into(),
        language: Language::of(Path::new(name)),
        files: Arc::new(InMemory::default()),
    };
    (layer, found)
}

fn options() -> Options {
    Options {
        limit: STEPS.0,
        total: STEPS.1,
        ..Options::default()
    }
}

fn within<T>(work: impl FnOnce() -> T) -> T {
    Ledger::within(Some(&Ledger::new(MEMORY)), work)
}

fn said(problems: &[Problem], layer: &Layer) -> Vec<String> {
    let own = problems.iter().map(|p| p.diagnostic.clone());
    let own: Vec<Diagnostic> = own.collect();
    shown(&own, &layer.source);
    own.iter()
        .map(|d| format!("{}: {}", d.code, d.message))
        .collect()
}

/// What a run left: registers and surfaces, or what was said.
type Left = Result<(Vec<Vec<u8>>, Vec<Vec<u8>>), Vec<String>>;

fn left(ran: Result<Session, Refused>, layer: &Layer) -> Left {
    match ran {
        Ok(session) => {
            let threads = session.outcome.threads.iter().map(|t| t.arena.clone());
            let surfaces = session.bindings.surfaces.values();
            let bytes = |surface: &Arc<Surface>| surface.memory().to_vec();
            Ok((threads.collect(), surfaces.map(bytes).collect()))
        }
        Err(refused) => Err(said(&refused.problems, layer)),
    }
}

/// Limits are met in blocks, so that a run which ends at one of them may end at another place.
fn is_limit(left: &Left) -> bool {
    let limits = ["L0606", "L0607", "L0602"];
    matches!(left, Err(said) if said.iter().any(|s| limits.iter().any(|l| s.starts_with(l))))
}

/// A program runs to the same bytes step by step and as native code, on one host thread and on several, by requests and
/// through the bits, or is refused for the same reason, and keeps its limits.
pub fn run(data: &[u8]) {
    let (layer, found) = layer("k.visa", data);
    let layers = [layer];
    let ran = |options: &Options| {
        let session = within(|| session::start(&layers, found.clone(), options));
        if let Ok(session) = &session {
            assert!(
                session.outcome.instructions <= STEPS.1,
                "more instructions than allowed"
            );
        }
        left(session, &layers[0])
    };
    let of = |native, jobs| Options {
        native,
        jobs,
        ..options()
    };
    let one = ran(&of(NativeCode::Never, 1));
    // What is refused before it runs is refused again.
    let grid = layers[0].directives.threads.is_some() || layers[0].directives.groups.is_some();
    let jobs = if grid { JOBS } else { 1 };
    let other = ran(&of(NativeCode::Always, jobs));
    if is_limit(&one) || is_limit(&other) {
        return;
    }
    // What threads of a grid write to the same place is anyone's.
    if !grid || one.is_err() {
        assert_eq!(
            one, other,
            "step by step on one host thread, natively on several"
        );
    }
    let bits = ran(&Options {
        through_bits: true,
        ..options()
    });
    if let (Ok(direct), Ok(bits)) = (&one, &bits) {
        assert_eq!(direct, bits, "by requests and through the bits");
    }
}

/// A program that is watched leaves what it leaves unwatched.
pub fn watched(data: &[u8]) {
    let (layer, found) = layer("k.visa", data);
    let layers = [layer];
    let plain = left(
        within(|| session::start(&layers, found.clone(), &options())),
        &layers[0],
    );
    let watcher = Watcher {
        sanitizer: Some(Sanitizer::default()),
        races: Some(Races::default()),
        stats: Some(Stats::default()),
        ..Watcher::default()
    };
    let seen = within(|| session::start_watched(&layers, found, &options(), |_| watcher.thread()));
    let seen = left(seen.map(Session::without_observers), &layers[0]);
    let found = watcher.diagnostics();
    shown(&found, &layers[0].source);
    // Threads that race may leave other bytes: those of a watched run take their turns one after the other.
    let races = [Code::U0681, Code::U0682, Code::W0685];
    let races = found.iter().any(|d| races.contains(&d.code));
    if !races && !is_limit(&plain) && !is_limit(&seen) {
        assert_eq!(plain, seen, "alone and watched");
    }
}

/// A program made of sends.
pub fn send(data: &[u8]) {
    let (layer, found) = layer("k.send", data);
    let (_, diagnostics) = visim::internals::sends::program(&layer.source);
    shown(&diagnostics, &layer.source);
    let layers = [layer];
    let _ = left(
        within(|| session::start(&layers, found, &options())),
        &layers[0],
    );
}

/// Texture loads.
pub fn tld(data: &[u8]) {
    let (layer, found) = layer("k.tld", data);
    let (_, diagnostics) = loads::parse(&layer.source, loads::Strictness::Strict);
    shown(&diagnostics, &layer.source);
    let layers = [layer];
    let started = within(|| {
        visim::internals::harness::tld::start(&layers, found, loads::Strictness::Lenient)
    });
    if let Err(problems) = started {
        said(&problems, &layers[0]);
    }
}

fn words(data: &[u8]) -> Vec<u32> {
    let words = data.chunks_exact(4);
    words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect()
}

/// Descriptors and headers: what is decoded, encoded again and decoded again is the same request.
pub fn message(data: &[u8]) {
    let Some((&[platform, function], rest)) = data.split_first_chunk::<2>() else {
        return;
    };
    let platform = Platform::ALL[usize::from(platform) % Platform::ALL.len()];
    let words = words(rest);
    let at = |n: usize| words.get(n).copied().unwrap_or(0);
    let Some(sfid) = Sfid::from_number(u32::from(function & 15), platform) else {
        return;
    };
    let asked = Message {
        sfid,
        desc: at(0),
        ex_desc: at(1),
        extended_length: at(2) & 31,
        eot: function & 16 != 0,
        header: std::array::from_fn(|n| at(3 + n)),
        payload: std::array::from_fn(|n| at(11 + n)),
    };
    let Ok(decoded) = message::decode(&asked, platform) else {
        return;
    };
    let Ok(encoded) = message::encode(&decoded.request, &decoded.form, platform) else {
        return;
    };
    let again = message::decode(&encoded, platform).expect("what was encoded is decoded");
    // What is no number equals nothing, itself neither.
    let text = |request| format!("{request:?}");
    assert!(
        again.request == decoded.request || text(&again.request) == text(&decoded.request),
        "decode(encode(request)): {:?} is {:?}",
        again.request,
        decoded.request
    );
}

/// Packed surface states: what is described and packed again describes the same surface.
pub fn state(data: &[u8]) {
    let Some((&generation, rest)) = data.split_first() else {
        return;
    };
    let all: Vec<Generation> = Platform::ALL.iter().map(|p| p.generation).collect();
    let generation = all[usize::from(generation) % all.len()];
    let mut words = words(rest);
    words.resize(16, 0);
    visim::internals::surface::state::rules::check(generation, &words);
    let Ok(said) = describe(generation, &words) else {
        return;
    };
    let Ok(packed) = pack(&said) else { return };
    let again = describe(generation, &packed).expect("what was packed is described");
    assert_eq!(pack(&again), Ok(packed), "pack(describe(words))");
}

/// Compiled programs, `.ze_info` and patch tokens.
pub fn program(data: &[u8]) {
    let _ = binary::platform(data);
    for name in ["", "k", "sums", "curves", "soften"] {
        if let Ok(compiled) = binary::read(data, name) {
            compiled.simd();
            let _ = compiled.description(Platform::default(), &[]);
        }
    }
}

/// The binary form: what is read and written reads as the same again.
pub fn isa(data: &[u8]) {
    if !visa_binary::is_container(data) {
        return;
    }
    let Ok(module) = visa_binary::read(data) else {
        return;
    };
    text(print(&module).as_bytes());
}

/// A launch description.
pub fn launch(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = Launch::names_in(&text);
    for name in [None, Some("small")] {
        let Ok(launch) = Launch::read_named(&text, name) else {
            continue;
        };
        let none = |_: &str| Ok(vec![1; 64]);
        let _ = within(|| launch.arguments(&Default::default(), none).map(drop));
        for (device, entry) in &launch.devices {
            if let Some(platform) = Platform::from_name(device) {
                let _ = entry.description(platform);
            }
        }
    }
}

/// Pictures and textures.
pub fn image(data: &[u8]) {
    let mut files = InMemory::default();
    files.insert("t", data);
    let path = Path::new("t");
    within(|| {
        let start = Description::d2(Format::R8G8B8A8_UNORM, 0, 0);
        if let Ok(None) = open_texture(&files, path, &start, None) {
            let _ = load_picture(&files, path, start, true);
        }
    });
}

/// Y4M streams.
pub fn video(data: &[u8]) {
    let Ok(mut file) = tempfile::Builder::new().suffix(".y4m").tempfile() else {
        return;
    };
    if file.write_all(data).is_err() {
        return;
    }
    let Ok(mut reader) = Reader::open(file.path(), None, None) else {
        return;
    };
    let (width, height) = reader.kind().size;
    if u64::from(width) * u64::from(height) > 1 << 20 {
        return;
    }
    for _ in 0..16 {
        if !matches!(reader.read(), Ok(Some(_))) {
            return;
        }
    }
}

/// The program that `dap` steps through: a loop, a call, a surface, a predicate.
const STEPPED: &str = "\
// PLATFORM skl
// SURFACE T6: new 64x1 R8_UINT
.version 4.1
.kernel \"stepped\"
.decl P1 v_type=P num_elts=8
.decl V34 v_type=G type=ud num_elts=8 align=GRF
.decl V35 v_type=G type=d num_elts=1 align=GRF
.decl T6 v_type=T num_elts=1
    mov (M1, 8) V34(0,0)<1> 0x0:ud
    mov (M1, 1) V35(0,0)<1> 3:d
again:
    add (M1, 8) V34(0,0)<1> V34(0,0)<1;1,0> 0x2:ud
    add (M1, 1) V35(0,0)<1> V35(0,0)<0;1,0> -1:d
    cmp.ne (M1, 8) P1 V35(0,0)<0;1,0> 0:d
    (P1.any) jmp (M1, 8) again
    call (M1, 8) once
    media_st.nomod (32, 1) T6 0x0:ud 0x0:ud V34.0
    ret (M1, 1)
.function once
    add (M1, 8) V34(0,0)<1> V34(0,0)<1;1,0> 0x1:ud
    ret (M1, 8)
";

/// The Debug Adapter: each line is a request, after a launch. Everything it says is a message, numbered from 1; no
/// request is answered twice.
pub fn dap(data: &[u8]) {
    let Ok(mut file) = tempfile::Builder::new().suffix(".visa").tempfile() else {
        return;
    };
    if file.write_all(STEPPED.as_bytes()).is_err() {
        return;
    }
    let launch = serde_json::json!({
        "seq": 1, "type": "request", "command": "launch", "arguments": {
            "program": file.path(), "stopOnEntry": true,
            "args": ["--max-steps", STEPS.0.to_string(), "--no-write"],
        },
    });
    let launch = launch.to_string();
    let mut sent = Vec::new();
    for body in [launch.as_bytes()]
        .into_iter()
        .chain(data.split(|b| *b == b'\n'))
    {
        sent.extend(format!("Content-Length: {}\r\n\r\n", body.len()).bytes());
        sent.extend(body);
    }
    let said = answers(sent);
    let first = said.iter().find(|m| m["type"] == "response");
    let first = first.unwrap_or_else(|| panic!("no answer: {said:?}"));
    assert_eq!(
        (&first["request_seq"], &first["success"]),
        (&1.into(), &true.into()),
        "{first}"
    );
    let responses = said.iter().filter(|m| m["type"] == "response").count();
    assert!(
        responses <= 1 + data.split(|b| *b == b'\n').count(),
        "{said:?}"
    );
    // Headers of any kind, without a launch: it could name any file.
    if !String::from_utf8_lossy(data).contains("launch") && !data.contains(&b'\\') {
        answers(data.to_vec());
    }
}

/// What the adapter says to a client that sends this.
fn answers(sent: Vec<u8>) -> Vec<serde_json::Value> {
    let said = Shared::default();
    visim::internals::cli::dap::session_of(
        Box::new(std::io::Cursor::new(sent)),
        Box::new(said.clone()),
    );
    let said = std::mem::take(&mut *said.0.lock().expect("whole"));
    let mut rest = said.as_slice();
    let mut messages: Vec<serde_json::Value> = Vec::new();
    while !rest.is_empty() {
        let end = rest
            .windows(4)
            .position(|w| w == b"\r\n\r\n")
            .expect("a header");
        let header = std::str::from_utf8(&rest[..end]).expect("text");
        let length = header.strip_prefix("Content-Length: ").expect("a length");
        let (body, more) = rest[end + 4..].split_at(length.parse().expect("a number"));
        rest = more;
        let message: serde_json::Value = serde_json::from_slice(body).expect("JSON");
        messages.push(message);
        assert_eq!(
            messages.last().expect("one")["seq"],
            messages.len(),
            "numbered from 1"
        );
    }
    messages
}

/// A stream into memory that two hold.
#[derive(Clone, Default)]
struct Shared(Arc<std::sync::Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("whole").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
