//! `visim book -o DIR`: the course, the words, the diagnostics and the grammar as pages of a site.
//!
//! ```text
//!  samples/README.md ─▶ index.html          lessons ─▶ lessons/NAME.html, steps/NAME.html, their pictures
//!  tables ─▶ words.html                     codes ─▶ codes.html         grammar/*.ebnf ─▶ grammar.html
//! ```

use super::lessons::LESSONS;
use super::output::{Exit, Output};
use super::word;
use crate::Simulator;
use crate::base::order;
use crate::diagnostic::{CODES, counted};
use crate::files::Writes;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::json;
use std::path::{Path, PathBuf};

const STYLE: &str = include_str!("book.css");

/// The grammars, by what they are of.
const GRAMMARS: [(&str, &str, &str); 3] = [
    ("visa", "vISA text", include_str!("../../grammar/visa.ebnf")),
    (
        "sends",
        "Ironlake's sends",
        include_str!("../../grammar/sends.ebnf"),
    ),
    ("tld", "TLD", include_str!("../../grammar/tld.ebnf")),
];

/// Instructions that the page of a lesson holds: those on photos have millions, all alike.
const MOST_STEPS: u64 = 2000;

/// Bytes of a lesson that is shown; others are data.
const MOST_BYTES: u64 = 1 << 20;

/// Writes the course as a site: the tour, the lessons with their runs in pages, the words, the diagnostics, the grammar
///
/// It needs no server and no network: open index.html.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Book {
    /// The folder to write into; it is made if it is not there.
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// The folder with the lessons and their README.md.
    #[arg(long, value_name = "DIR", default_value = "samples")]
    samples: PathBuf,
}

/// A lesson that the table of contents names.
struct Chapter {
    /// Its path below the samples, as the contents have it.
    link: String,
    /// Its pages are called so.
    name: String,
    text: String,
}

impl Chapter {
    /// The first sentence of its first comment; its path where it begins otherwise.
    fn title(&self) -> String {
        let first = self.text.lines().next().unwrap_or_default();
        let marks = ['/', '*', '#', ' '];
        let is_comment = first.starts_with(['/', '#']);
        let line = first.trim_matches(marks);
        let line = line.split_once(". ").map_or(line, |(first, _)| first);
        match is_comment && !line.is_empty() {
            true => line.trim_end_matches(['.', ':']).to_owned(),
            false => self.link.clone(),
        }
    }
}

impl Book {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let contents = match std::fs::read_to_string(self.samples.join("README.md")) {
            Ok(contents) => contents,
            Err(error) => {
                let folder = self.samples.display();
                return output.complain(&format!(
                    "{folder}/README.md: {error}; --samples DIR is the folder of the lessons"
                ));
            }
        };
        let chapters = match self.chapters(&contents) {
            Ok(chapters) => chapters,
            Err(why) => return output.complain(&why),
        };
        let files = self.pages(&contents, &chapters);
        match self.write(&files) {
            Ok(()) => {
                let index = self.output.join("index.html").display().to_string();
                let count = counted(files.len() as u64, "file");
                output.text(&format!("wrote {count}: {index}\n"));
                output.field("wrote", || json!(index));
                output.field("files", || json!(files.len()));
                Exit::Fine
            }
            Err(why) => output.complain(&why),
        }
    }

    fn write(&self, files: &[(PathBuf, Vec<u8>)]) -> Result<(), String> {
        let mut writes = Writes::default();
        for (path, bytes) in files {
            let path = self.output.join(path);
            let folder = path.parent().unwrap_or(&self.output);
            std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            writes.add(&path, bytes).map_err(|e| e.to_string())?;
        }
        writes.commit().map(drop).map_err(|e| e.to_string())
    }

    /// The lessons in the order of the contents.
    fn chapters(&self, contents: &str) -> Result<Vec<Chapter>, String> {
        let mut chapters: Vec<Chapter> = Vec::new();
        for link in links(contents) {
            if chapters.iter().any(|chapter| chapter.link == link) {
                continue;
            }
            let path = self.samples.join(&link);
            let wrong = |why: String| format!("README.md names {link}: {why}");
            let size = std::fs::metadata(&path)
                .map_err(|e| wrong(e.to_string()))?
                .len();
            if size > MOST_BYTES {
                return Err(wrong(format!("a lesson has at most {MOST_BYTES} bytes")));
            }
            let text = std::fs::read_to_string(&path).map_err(|e| wrong(e.to_string()))?;
            let name = link.replace('/', "-");
            chapters.push(Chapter { link, name, text });
        }
        Ok(chapters)
    }

    /// All files, below the folder of the site.
    fn pages(&self, contents: &str, chapters: &[Chapter]) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
        let mut add = |path: String, bytes: Vec<u8>| files.push((path.into(), bytes));
        let index = rendered(contents, chapters);
        add(
            "index.html".into(),
            page("", "The course", &PreEscaped(index)).into_bytes(),
        );
        let pictures = self.pictures();
        for (number, chapter) in chapters.iter().enumerate() {
            let steps = self.steps(chapter);
            let own: Vec<&PathBuf> = pictures
                .iter()
                .filter(|path| is_of(path, chapter))
                .collect();
            for path in &own {
                let name = file_name(path);
                if let Ok(bytes) = std::fs::read(path) {
                    add(format!("lessons/{name}"), bytes);
                }
            }
            let names: Vec<String> = own.iter().map(|path| file_name(path)).collect();
            let beside = [number.checked_sub(1), Some(number + 1)];
            let beside = beside.map(|n| n.and_then(|n| chapters.get(n)));
            let body = lesson(chapter, &names, steps.is_some(), beside);
            let text = page("../", &chapter.title(), &body);
            add(format!("lessons/{}.html", chapter.name), text.into_bytes());
            if let Some(steps) = steps {
                add(format!("steps/{}.html", chapter.name), steps.into_bytes());
            }
        }
        add(
            "words.html".into(),
            page("", "Words", &words(chapters)).into_bytes(),
        );
        add(
            "codes.html".into(),
            page("", "Diagnostics", &codes()).into_bytes(),
        );
        add(
            "grammar.html".into(),
            page("", "Grammar", &grammar()).into_bytes(),
        );
        files
    }

    /// The run of a lesson as a page; none of those that have no steps, or do not come to their end, as some lessons teach.
    fn steps(&self, chapter: &Chapter) -> Option<String> {
        let path = self.samples.join(&chapter.link);
        let is_text = path.extension().is_some_and(|e| e == "visa" || e == "send");
        let simulator = is_text.then(|| Simulator::open(&path).ok())??;
        Some(simulator.page_of(MOST_STEPS).ok()?.1)
    }

    /// Pictures beside the lessons.
    fn pictures(&self) -> Vec<PathBuf> {
        let folders = ["", "images", "kernels"].map(|folder| self.samples.join(folder));
        let entries = folders
            .iter()
            .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
        let paths = entries.flatten().map(|entry| entry.path());
        let mut all: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|e| e == "png"))
            .collect();
        // Lessons write beside themselves what the tree has among the images.
        order::sort_by_key(&mut all, |path| {
            (
                file_name(path),
                !path.parent().is_some_and(|p| p.ends_with("images")),
            )
        });
        all.dedup_by_key(|path| file_name(path));
        all
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Whether a picture has the number of a lesson; the numbers of TLD's are their own.
fn is_of(picture: &Path, chapter: &Chapter) -> bool {
    let number = |name: &str| name.split_once('-').map(|(number, _)| number.to_owned());
    let lesson = chapter.link.rsplit('/').next().unwrap_or_default();
    !chapter.link.starts_with("tld/")
        && !chapter.link.starts_with("exercises/")
        && number(&file_name(picture)).is_some_and(|n| Some(n) == number(lesson))
}

/// The files that a text in Markdown links to.
fn links(text: &str) -> Vec<String> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES);
    let links = events.filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    links
        .filter(|link| !link.contains("://") && !link.starts_with('#'))
        .collect()
}

/// Markdown as HTML, with links to the pages of lessons.
fn rendered(text: &str, chapters: &[Chapter]) -> String {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES);
    let events = events.map(|event| match event {
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => {
            let chapter = chapters.iter().find(|chapter| chapter.link == *dest_url);
            let dest_url = chapter.map_or(dest_url, |c| format!("lessons/{}.html", c.name).into());
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            })
        }
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    html
}

/// A page of the site; `up` leads to its folder.
fn page(up: &str, title: &str, body: &Markup) -> String {
    let sites = [
        ("index", "Course"),
        ("words", "Words"),
        ("codes", "Diagnostics"),
        ("grammar", "Grammar"),
    ];
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · visim" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                nav { @for (name, text) in sites { a href=(format!("{up}{name}.html")) { (text) } " " } }
                main { (body) }
            }
        }
    };
    page.into_string()
}

/// The page of a lesson.
fn lesson(
    chapter: &Chapter,
    pictures: &[String],
    has_steps: bool,
    beside: [Option<&Chapter>; 2],
) -> Markup {
    let lines = chapter.text.lines().map(|line| {
        let is_note = line.trim_start().starts_with("//") || line.trim_start().starts_with("/*");
        html! { span.line { @if is_note { i { (line) } } @else { (line) } "\n" } }
    });
    html! {
        h1 { (chapter.title()) }
        p { code { "samples/" (chapter.link) } }
        @if has_steps {
            p { a href=(format!("../steps/{}.html", chapter.name)) { "Step through the run" } }
        }
        @for name in pictures { img src=(name) alt=(name); }
        pre.source { @for line in lines { (line) } }
        p.beside {
            @for (chapter, sign) in beside.iter().zip(["◀ ", "▶ "]) {
                @if let Some(chapter) = chapter {
                    a href=(format!("{}.html", chapter.name)) { (sign) (chapter.link) } " "
                }
            }
        }
    }
}

/// All words with what is known of them.
fn words(chapters: &[Chapter]) -> Markup {
    let page_of = |line: &str| {
        let path = line.split(':').next().unwrap_or_default();
        let known = LESSONS.iter().find(|lesson| lesson.path == path)?;
        let link = known.path.strip_prefix("samples/")?;
        chapters.iter().find(|chapter| chapter.link == link)
    };
    html! {
        h1 { "Words" }
        p { "What " code { "visim explain WORD" } " says." }
        @for (kind, names) in word::all().into_iter().filter(|(kind, _)| *kind != "codes") {
            h2 { (kind) }
            @for word in names.iter().flat_map(|name| word::words(name)).filter(|w| kind.starts_with(w.kind)) {
                section id=(word.name) {
                    h3 { (word.name) }
                    p { (word.does) }
                    table {
                        @for (heading, line) in &word.rows {
                            tr {
                                th { (heading) }
                                td {
                                    @match page_of(line) {
                                        Some(chapter) if *heading == "lesson" => {
                                            a href=(format!("lessons/{}.html", chapter.name)) { (line) }
                                        }
                                        _ => code { (line) },
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// All diagnostics with their explanations.
fn codes() -> Markup {
    html! {
        h1 { "Diagnostics" }
        @for code in CODES {
            section id=(code.name) {
                h3 { (code.class.name()) " " (code.name) ": " (code.title) }
                pre { (code.explanation.trim_end()) }
            }
        }
    }
}

/// The grammars; names of productions lead to them.
fn grammar() -> Markup {
    let production = |line: &str| {
        let (name, rest) = line.split_once(" = ")?;
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then(|| (name.to_owned(), rest.to_owned()))
    };
    html! {
        h1 { "Grammar" }
        @for (of, name, text) in GRAMMARS {
            h2 { (name) }
            pre {
                @for line in text.lines() {
                    @match production(line) {
                        Some((name, rest)) => { b id=(format!("{of}-{name}")) { (name) } " = " (rest) "\n" }
                        None => { (line) "\n" }
                    }
                }
            }
        }
    }
}
