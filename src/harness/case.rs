//! A file as a test: run it, and hold what it expects against what came.

use super::bind::{Layer, Problem};
use super::compare::{self, Edit};
use super::contents;
use super::expect::{Expectation, Refusal, Wanted};
use super::grants::{self, Grants};
use super::kernel::{LaunchFile, Refused};
use super::language::Language;
use super::launch::{Launch, Launched};
use super::load;
use super::output::{Compared, MOST_SHOWN};
use super::run_result::RunResult;
use super::session::{self, Options, Session, Table};
use super::tld;
use crate::base::order;
use crate::diagnostic::{Class, Code, Diagnostic, render_all, to_json};
use crate::isa::Platform;
use crate::observe::{Races, Sanitizer, Watcher};
use crate::source::{Source, Span, printable};
use crate::surface::Surface;
use crate::tld::Strictness;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All that is expected came, and nothing else.
    Passed,
    /// Something did not.
    Failed,
    /// The file says `known-failing because:`, and it fails.
    KnownFailure,
    /// It runs, and nothing in it says what should come.
    NoExpectation,
    /// It is valid, and what stops it is that visim does not model something.
    Unsupported,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 5] = [
        Status::Passed,
        Status::Failed,
        Status::KnownFailure,
        Status::NoExpectation,
        Status::Unsupported,
    ];

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Status::Passed => "passed",
            Status::Failed => "failed",
            Status::KnownFailure => "known failure",
            Status::NoExpectation => "no expectation",
            Status::Unsupported => "unsupported",
        }
    }

    /// The status of a name.
    pub fn from_name(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// What beside a wrong result fails a test.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Warnings that do.
    pub deny: Vec<Code>,
    /// Warnings that do not: they win over `deny`, and over the rule for W07xx.
    pub allow: Vec<Code>,
    /// A file that expects nothing passes.
    pub allow_empty: bool,
}

impl Rules {
    /// Whether a diagnostic fails a test: each that is no warning, and of the warnings those of files, bindings and
    /// directives, by which a test asks for something else than its writer meant.
    fn fails(&self, diagnostic: &Diagnostic) -> bool {
        let code = diagnostic.code;
        let usual = || code.info().name.starts_with("W07") || self.deny.contains(&code);
        diagnostic.class().is_fatal() || (usual() && !self.allow.contains(&code))
    }
}

/// The result of a test.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The file.
    pub path: PathBuf,
    /// How it ended.
    pub status: Status,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// What the reader should know although it is not wrong.
    pub warnings: Vec<Diagnostic>,
    /// What a file says that no diagnostic can point into.
    pub complaint: Option<String>,
    /// How `--bless` would change the text.
    pub edits: Vec<Edit>,
    /// Outputs of a launch.
    pub outputs: Vec<Compared>,
    /// Pictures that `--bless` would write.
    pub pictures: Vec<(PathBuf, Vec<u8>)>,
    source: Option<Source>,
}

impl Verdict {
    /// Nothing is wrong with a file yet.
    fn of(path: &Path) -> Verdict {
        Verdict {
            path: path.to_path_buf(),
            status: Status::Passed,
            diagnostics: Vec::new(),
            warnings: Vec::new(),
            complaint: None,
            edits: Vec::new(),
            outputs: Vec::new(),
            pictures: Vec::new(),
            source: None,
        }
    }

    /// Leaves what outputs of a launch were, all elements that differ, and pictures; says where.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn keep(&mut self, folder: &Path) -> std::io::Result<()> {
        let mut left = Vec::new();
        for output in &self.outputs {
            left.extend(output.keep(folder)?);
        }
        let about = self.diagnostics.iter_mut().find(|d| d.code == Code::E0646);
        if let (Some(diagnostic), false) = (about, left.is_empty()) {
            let paths: Vec<String> = left.iter().map(|path| path.display().to_string()).collect();
            diagnostic
                .notes
                .push(format!("left in {}", paths.join(", ")));
        }
        Ok(())
    }

    /// A test that fails with no place to point at.
    pub fn complaining(path: &Path, what: &str) -> Verdict {
        Verdict {
            status: Status::Failed,
            complaint: Some(what.to_string()),
            ..Verdict::of(path)
        }
    }

    /// What is wrong, as text.
    pub fn text(&self, colour: bool) -> String {
        let mut text = match &self.source {
            Some(source) => render_all(&self.diagnostics, source, colour),
            None => String::new(),
        };
        if let Some(complaint) = &self.complaint {
            text.push_str(&printable(complaint));
            text.push('\n');
        }
        text
    }

    /// The warnings, as text.
    pub fn remarks(&self, colour: bool) -> String {
        let source = self.source.as_ref();
        source.map_or(String::new(), |s| render_all(&self.warnings, s, colour))
    }

    /// What is wrong, as fields.
    pub fn json(&self) -> Vec<Value> {
        self.fields(&self.diagnostics)
    }

    /// The warnings, as fields.
    pub fn remarks_json(&self) -> Vec<Value> {
        self.fields(&self.warnings)
    }

    fn fields(&self, diagnostics: &[Diagnostic]) -> Vec<Value> {
        let source = self.source.iter();
        source
            .flat_map(|s| diagnostics.iter().map(move |d| to_json(d, s)))
            .collect()
    }

    /// Makes the edits in the file and writes the pictures; whether there was anything to do.
    ///
    /// # Errors
    /// A sentence that names the file that could not be written.
    pub fn bless(&self) -> Result<bool, String> {
        let Some(source) = &self.source else {
            return Ok(false);
        };
        // What is known to fail says what is right, not what comes.
        if self.status == Status::KnownFailure {
            return Ok(false);
        }
        let mut writes = crate::files::Writes::default();
        if !self.edits.is_empty() {
            let text = compare::apply(source.text(), &self.edits);
            // The test may be a link.
            may_bless(crate::files::folder(&self.path), &self.path)?;
            let added = writes.add(&self.path, text.as_bytes());
            added.map_err(|e| e.to_string())?;
        }
        let folder = crate::files::folder(&self.path);
        for (path, bytes) in &self.pictures {
            replaceable(folder, path, bytes)?;
            writes.add(path, bytes).map_err(|e| e.to_string())?;
        }
        let written = writes.commit().map_err(|e| e.to_string())?;
        Ok(!written.is_empty())
    }
}

/// Whether blessing a test in `folder` may write `path`: it lies below the folder, whatever else is granted.
fn may_bless(folder: &Path, path: &Path) -> Result<(), String> {
    let may = Grants::default().within(|| grants::may_write(folder, path));
    may.map_err(|error| format!("{}: {error}", path.display()))
}

/// Whether blessing a test in `folder` may write bytes to `path`: it lies below the folder, whatever else is granted,
/// and what is there is of the same kind.
fn replaceable(folder: &Path, path: &Path, bytes: &[u8]) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("{}: {why}", path.display()));
    may_bless(folder, path)?;
    let Ok(there) = std::fs::File::open(path) else {
        return Ok(());
    };
    let mut head = Vec::new();
    let read = there.take(HEAD).read_to_end(&mut head);
    if let Err(error) = read {
        return refuse(&error.to_string());
    }
    match kind(&head) == kind(bytes) {
        true => Ok(()),
        false => refuse("what is there is not of the kind that would be written"),
    }
}

/// Bytes that tell what kind of file one is.
const HEAD: u64 = 64;

/// The kind of a file by its first bytes: a picture, or rows of texels, which are neither text nor anything else that
/// says what it is.
fn kind(head: &[u8]) -> &'static str {
    let head = &head[..head.len().min(HEAD as usize)];
    let known: &[(&[u8], &str)] = &[
        (b"\x89PNG", "png"),
        (b"\x7fELF", "program"),
        (b"#!", "script"),
        (b"//", "text"),
        (b".version", "text"),
    ];
    let found = known.iter().find(|(magic, _)| head.starts_with(magic));
    found.map_or("rows", |(_, kind)| kind)
}

/// Runs one file as a test.
pub fn run(path: &Path, options: &Options) -> Verdict {
    run_as(path, &Test::of(path, &Rules::default()), options)
}

/// What is known of a test beside its file.
pub struct Test<'a> {
    /// The file that a launch lies beside: what the program was compiled from, or itself.
    pub beside: &'a Path,
    /// Which launch, of several.
    pub variant: &'a Variant,
    /// What fails it.
    pub rules: &'a Rules,
}

impl<'a> Test<'a> {
    /// A file with the launch that lies beside it.
    pub fn of(path: &'a Path, rules: &'a Rules) -> Test<'a> {
        const ALONE: &Variant = &Variant {
            launch: None,
            device: None,
        };
        Test {
            beside: path,
            variant: ALONE,
            rules,
        }
    }
}

/// One of several launches by which a file is tested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// The launch of a description with several.
    pub launch: Option<String>,
    /// The device, where the description has the text for several.
    pub device: Option<String>,
}

impl Variant {
    /// What the name of the test has behind that of the file.
    pub fn suffix(&self) -> String {
        let words = self.launch.iter().chain(&self.device);
        words.map(|word| format!("::{word}")).collect()
    }

    /// The tests that a file is: one, unless its description has several launches, or the text for several devices. A
    /// description that cannot be read is one test, which says so.
    pub fn all(path: &Path) -> Vec<Variant> {
        Variant::of_description(path).unwrap_or_else(|| vec![Variant::default()])
    }

    fn of_description(path: &Path) -> Option<Vec<Variant>> {
        let own = || {
            let text = load::source(path)
                .ok()
                .filter(|t| t.text().contains("LAUNCH"))?;
            let (layer, _) = session::file_layer(text, path);
            let name = layer.directives.launch?;
            let named = layer.folder.join(name.node);
            grants::may_read(&layer.folder, LaunchFile::split(&named).0).ok()?;
            Some(named)
        };
        let by_text = Language::by_ending(path) == Some(Language::Visa);
        let named = if by_text { own() } else { None };
        let description = named.or_else(|| Launch::of_test(path))?;
        let names = LaunchFile::names(&description).ok()?;
        let launches: Vec<Option<String>> = match names.len() {
            0 | 1 => vec![None],
            _ => names.into_iter().map(Some).collect(),
        };
        let mut all = Vec::new();
        for launch in launches {
            let mut one = description.clone().into_os_string();
            one.push(
                launch
                    .as_ref()
                    .map_or(String::new(), |name| format!("::{name}")),
            );
            let file = LaunchFile::read(Path::new(&one)).ok()?;
            let own = path.file_name()?.to_str()?;
            let devices = file.launch.devices.into_iter();
            let devices: Vec<String> = devices
                .filter(|(_, device)| device.visaasm == own)
                .map(|(name, _)| name)
                .collect();
            let devices = match devices.len() {
                0 | 1 => vec![None],
                _ => devices.into_iter().map(Some).collect(),
            };
            all.extend(devices.into_iter().map(|device| Variant {
                launch: launch.clone(),
                device,
            }));
        }
        Some(all)
    }
}

/// Runs one file as a test, as one of those that it is.
pub fn run_as(path: &Path, test: &Test<'_>, options: &Options) -> Verdict {
    let rules = test.rules;
    let mut verdict = Verdict::of(path);
    let source = match load::source(path) {
        Ok(source) => source,
        Err(error) => {
            return Verdict::complaining(path, &error.to_string());
        }
    };
    let (layer, found) = session::file_layer(source, path);
    let mut layers = vec![layer];
    let launched = match launch(&mut layers, path, test) {
        Ok(launched) => launched,
        Err(refused) => {
            verdict.status = match refused.class() {
                Class::Unsupported => Status::Unsupported,
                _ => Status::Failed,
            };
            verdict.diagnostics.push(*refused);
            verdict.source = Some(layers[0].source.clone());
            return verdict;
        }
    };
    let layer = &layers[0];
    let ran: Result<Left, _> = if layer.language == Language::Tld {
        texture_loads(&layers, found)
    } else {
        let options = Options {
            launch: launched.as_ref().map(|launched| launched.prepared.clone()),
            ..options.clone()
        };
        watched(&layers, found, &options)
    };
    match ran {
        Ok((ran, warnings)) => {
            // Remarks on a compiler's own text are of no use to who runs it.
            let useful = |p: &Problem| launched.is_none() || rules.fails(&p.diagnostic);
            let warnings = warnings.into_iter().filter(useful).collect();
            refusals(layer, warnings, rules, &mut verdict);
            let compared = launched.iter().flat_map(|l| l.compared(MOST_SHOWN));
            verdict.outputs = compared.collect();
            let outputs = verdict.outputs.iter();
            let differences = outputs.filter_map(|output| output.result.clone().err());
            verdict.diagnostics.extend(differences);
            for expectation in &layer.directives.expectations {
                expect(ran.as_ref(), layer, expectation, &mut verdict);
            }
        }
        Err(problems) => refusals(layer, problems, rules, &mut verdict),
    }
    verdict.status = status(layer, launched.as_ref(), rules, &mut verdict.diagnostics);
    verdict.source = Some(layer.source.clone());
    verdict
}

/// How a test ended that found these diagnostics; a known failure that passes adds one.
fn status(
    layer: &Layer,
    launched: Option<&Launched>,
    rules: &Rules,
    found: &mut Vec<Diagnostic>,
) -> Status {
    let own = &layer.directives;
    // A directive that cannot be read or carried out says nothing of what is known to fail.
    let asks_wrongly = |d: &Diagnostic| matches!(d.code, Code::E0701 | Code::E0705);
    let unasked = found.iter().any(asks_wrongly);
    let unsupported = found.iter().all(|d| d.class() == Class::Unsupported);
    let expects = !own.expectations.is_empty()
        || !own.refusals.is_empty()
        || own.sanitize
        || own.check_races
        || launched.is_some_and(Launched::expects);
    match (&own.known_failing, found.is_empty()) {
        (None, true) if !expects && !rules.allow_empty => {
            found.push(Diagnostic::new(Code::E0762).help(
                "// EXPECT NAME: … or `//~ CODE` in the text, outputs of its launch, or visim test --allow-empty",
            ));
            Status::NoExpectation
        }
        (None, true) => Status::Passed,
        (None, false) if unsupported => Status::Unsupported,
        (None, false) => Status::Failed,
        (Some(_), false) if unasked => Status::Failed,
        (Some(_), false) => Status::KnownFailure,
        (Some(reason), true) => {
            let passes = Diagnostic::new(Code::E0712).at(reason.span, "all that is expected came");
            found.push(passes);
            Status::Failed
        }
    }
}

/// How many of the expectations of a text do not hold of what a run left.
pub fn broken(ran: &dyn RunResult, layer: &Layer) -> usize {
    let holds = |expected: &&Expectation| {
        let mut verdict = Verdict::of(Path::new(""));
        expect(ran, layer, expected, &mut verdict);
        verdict.diagnostics.is_empty()
    };
    let expected = layer.directives.expectations.iter();
    expected.filter(|e| !holds(e)).count()
}

/// Joins a compiled kernel, the first layer, with the launch that it is tested by.
fn launch(
    layers: &mut Vec<Layer>,
    path: &Path,
    test: &Test<'_>,
) -> Result<Option<Launched>, Refused> {
    if layers[0].language != Language::Visa {
        return Ok(None);
    }
    let named = layers[0].directives.launch.as_ref();
    let named = named.map(|name| layers[0].folder.join(&name.node));
    let Some(description) = named.or_else(|| Launch::of_test(test.beside)) else {
        return Ok(None);
    };
    let mut description = description.into_os_string();
    if let Some(name) = &test.variant.launch {
        description.push(format!("::{name}"));
    }
    let description = PathBuf::from(description);
    let device = test.variant.device.as_deref().and_then(Platform::from_name);
    let source = layers[0].source.clone();
    let kernel = layers[0].directives.kernel.as_ref();
    let kernel = kernel.map(|kernel| kernel.node.clone());
    let launched = Launch::by(description)
        .named_in(&layers[0].folder)
        .prepare(&source, path, kernel.as_deref(), device)?;
    if let Some(launched) = &launched {
        layers[0].source = launched.source.clone();
        layers.push(Layer::of_platform(launched.platform));
        layers.extend(launched.kernel.as_deref().map(Layer::of_kernel));
    }
    Ok(launched)
}

/// Runs a program, watched for what its `RUN` line asks; what was seen comes with the warnings.
fn watched(
    layers: &[Layer],
    found: Vec<Diagnostic>,
    options: &Options,
) -> Result<Left, Vec<Problem>> {
    let directives = &layers[0].directives;
    let watcher = Watcher {
        sanitizer: match (directives.edges, directives.sanitize || options.sanitize) {
            (true, _) => Some(Sanitizer::with_edges()),
            (false, sanitize) => sanitize.then(Sanitizer::default),
        },
        races: directives.check_races.then(Races::default),
        ..Watcher::default()
    };
    let result = if watcher.is_idle() {
        session::start(layers, found, options)
    } else {
        let options = Options {
            jobs: 1,
            ..options.clone()
        };
        let ran = session::start_watched(layers, found, &options, |_| watcher.thread());
        ran.map(Session::without_observers)
    };
    let seen = watcher.diagnostics().into_iter().map(|diagnostic| Problem {
        layer: 0,
        diagnostic,
    });
    match result {
        Ok(session) => {
            let problems = session.warnings.iter().cloned().chain(seen).collect();
            Ok((Box::new(session), problems))
        }
        Err(mut refused) => {
            refused.problems.extend(seen);
            Err(refused.problems)
        }
    }
}

/// What a run left, and its warnings.
type Left = (Box<dyn RunResult>, Vec<Problem>);

/// Runs a file of texture loads; what it left and its warnings, or all that is wrong.
fn texture_loads(layers: &[Layer], found: Vec<Diagnostic>) -> Result<Left, Vec<Problem>> {
    let (mut machine, mut warnings) = tld::start(layers, found, Strictness::Lenient)?;
    match machine.run(|_, _, _, _| {}) {
        Ok(()) => Ok((Box::new(machine), warnings)),
        Err(trap) => {
            warnings.push(Problem {
                layer: 0,
                diagnostic: *trap,
            });
            Err(warnings)
        }
    }
}

/// Takes what was promised by `//~` from what was found; the rest, and broken promises, are failures.
fn refusals(layer: &Layer, problems: Vec<Problem>, rules: &Rules, verdict: &mut Verdict) {
    let source = &layer.source;
    let mut kept = vec![false; layer.directives.refusals.len()];
    for Problem { diagnostic, .. } in problems {
        let line = diagnostic.span().map(|s| source.line_of(s.start));
        let matching = layer.directives.refusals.iter().position(|r| {
            r.code.node == diagnostic.code && line == Some(r.line) && holds(&diagnostic, r)
        });
        match matching {
            Some(index) => kept[index] = true,
            None if rules.fails(&diagnostic) => verdict.diagnostics.push(diagnostic),
            None => verdict.warnings.push(diagnostic),
        }
    }
    for (refusal, _) in layer
        .directives
        .refusals
        .iter()
        .zip(kept)
        .filter(|(_, k)| !k)
    {
        let words = refusal.words.as_ref();
        let label = match words {
            Some(words) => format!(
                "no {} with \"{words}\" on line {}",
                refusal.code.node, refusal.line
            ),
            None => format!("no {} on line {}", refusal.code.node, refusal.line),
        };
        let broken = Diagnostic::new(Code::E0711).at(refusal.code.span, label);
        verdict.diagnostics.push(broken);
    }
}

/// Whether the words of the promise are somewhere in the title, labels, notes, help or citation of the diagnostic.
fn holds(diagnostic: &Diagnostic, refusal: &Refusal) -> bool {
    let Some(words) = &refusal.words else {
        return true;
    };
    let labels = diagnostic.labels.iter().map(|l| &l.text);
    let mut texts = std::iter::once(&diagnostic.message)
        .chain(labels)
        .chain(&diagnostic.notes)
        .chain(&diagnostic.help)
        .chain(&diagnostic.see);
    texts.any(|text| text.contains(words.as_str()))
}

/// Compares one expectation.
fn expect(ran: &dyn RunResult, layer: &Layer, expected: &Expectation, verdict: &mut Verdict) {
    let rows = match &expected.wanted {
        Wanted::Rows(rows) => rows,
        Wanted::Picture(path) => {
            let surface = match ran.surface(&expected.place.name) {
                Ok(surface) => surface,
                Err(wrong) => return verdict.diagnostics.push(*wrong),
            };
            return picture(&surface, layer, expected, path, verdict);
        }
    };
    let table = match ran.table(&expected.place, expected.view) {
        Ok(table) => table,
        Err(wrong) => return verdict.diagnostics.push(*wrong),
    };
    if rows.is_empty() {
        let missing = Diagnostic::with_message(Code::E0701, "expectation without values")
            .at(expected.span, "no rows of values on the lines below")
            .help("`visim test --bless` writes what was found");
        verdict.diagnostics.push(missing);
        if !expected.by_hand {
            verdict.edits.push(new_rows(&table, expected.span));
        }
        return;
    }
    let (x, y) = (expected.corner.0 as usize, expected.corner.1 as usize);
    let comparison = compare::rows(expected, rows, table.view, |row, len| {
        table.row(y + row, x, len)
    });
    verdict.diagnostics.extend(comparison.difference);
    if !expected.by_hand {
        verdict.edits.extend(comparison.edits);
    }
}

/// Rows for an expectation that has none: all of a register, the upper left corner of a surface.
fn new_rows(table: &Table, after: Span) -> Edit {
    const MOST_ROWS: usize = 16;
    const MOST_BYTES: usize = 64;
    let mut text = String::new();
    let rows = table
        .bytes
        .chunks(table.view.pitch as usize)
        .take(MOST_ROWS);
    for row in rows {
        let row = &row[..row.len().min(MOST_BYTES)];
        text.push_str(&format!("\n//   {}", table.view.row(row, 0)));
    }
    Edit {
        span: Span::new(after.end, after.end),
        text,
    }
}

/// Compares a surface with a picture file.
fn picture(
    surface: &Surface,
    layer: &Layer,
    expected: &Expectation,
    path: &crate::source::Spanned<String>,
    verdict: &mut Verdict,
) {
    let Err(difference) = contents::same_picture(surface, layer, path) else {
        return;
    };
    verdict.diagnostics.push(*difference);
    if !expected.by_hand
        && let Ok(bytes) = contents::encoded(surface, None, path)
    {
        verdict
            .pictures
            .push((layer.folder.join(&path.node), bytes));
    }
}

/// What is found below a path.
#[derive(Debug, Default)]
pub struct Tree {
    /// Tests, sorted.
    pub tests: Vec<PathBuf>,
    /// What has the name of a test and may not be read, sorted, and why: a link that leads outside, a pipe.
    pub skipped: Vec<(PathBuf, String)>,
}

/// Every program below `path`, sorted; `path` itself if it is a file.
///
/// # Errors
/// A sentence: there is no such path, or a folder cannot be read.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(tree(path)?.tests)
}

/// As [`find`], with what was left out.
///
/// # Errors
/// As [`find`].
pub fn tree(path: &Path) -> Result<Tree, String> {
    let mut tree = Tree::default();
    if !path.exists() {
        return Err(format!("{}: no such file or folder", path.display()));
    }
    if path.is_dir() {
        walk(path, &mut tree)?;
        order::sort_by(&mut tree.tests, Ord::cmp);
        order::sort_by(&mut tree.skipped, Ord::cmp);
    } else {
        tree.tests.push(path.to_path_buf());
    }
    Ok(tree)
}

fn walk(folder: &Path, tree: &mut Tree) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let kind = entry.file_type().map_err(fail)?;
        let path = entry.path();
        // Links to folders are not followed: they may lead back here.
        if kind.is_dir() {
            walk(&path, tree)?;
            continue;
        }
        let may = match kind.is_file() {
            true => Ok(()),
            false => grants::may_read(folder, &path),
        };
        match may {
            Ok(()) if is_test(&path) => tree.tests.push(path),
            Err(why) if !path.is_dir() && Language::by_ending(&path).is_some() => {
                tree.skipped.push((path, why.to_string()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a file in a folder of tests is one: a program, or a compiled kernel with its launch.
pub fn is_test(path: &Path) -> bool {
    // A compiled kernel with its description beside it requires a launch: it is not a test by itself.
    let described = || {
        let mut endings = ["zeinfo", "zebin"].into_iter();
        endings.any(|ending| path.with_extension(ending).exists())
    };
    match Language::by_ending(path) {
        Some(_) => !described() || Launch::of_test(path).is_some(),
        None => is_launched(path),
    }
}

/// Whether a file is a compiled program with its launch beside it, and without a text of the same name.
fn is_launched(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let program = ending.is_some_and(|ending| PROGRAMS.contains(&ending));
    program
        && Launch::beside(path).is_some()
        && !path.with_extension("visaasm").exists()
        && load::program(path).is_ok_and(|program| program.is_some())
}

/// Endings of compiled programs that are tests where a launch lies beside them.
const PROGRAMS: &[&str] = &["bin", "zebin", "progbin", "ar"];
