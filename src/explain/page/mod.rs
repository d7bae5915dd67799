//! A stepped run as a page: one file of HTML that needs no network and no server.
//!
//! ```text
//!  Record, Record … ─ Page ─▶ texts of windows ─ html ─▶ page: style, skeleton, records, script
//! ```
//!
//! The page holds the records as they are written to a trace, those of a window in an element of their own, which the
//! script reads when a step of it is shown. So a page of many steps opens as soon as one of few.

use super::stepped::record::Record;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Bytes of records that a page takes: what browsers open without a pause.
pub const MOST_BYTES: u64 = 48 << 20;

/// The records of a page, as they come.
#[derive(Default)]
pub struct Page {
    /// Those that all steps need, a line each.
    common: String,
    /// Those of each window, behind the number of its first step.
    windows: Vec<(u64, String)>,
}

impl Page {
    /// Takes a record and its JSON.
    pub fn add(&mut self, record: &Record, line: &str) {
        // Such signs are in texts alone, where JSON may say them so; none of them ends the element.
        let line = line.replace('<', "\\u003c");
        let text = match (record, self.windows.last_mut()) {
            (Record::Window(window), _) => {
                self.windows.push((window.first, String::new()));
                return;
            }
            (Record::State(_) | Record::Step(_), Some((_, text))) => text,
            _ => &mut self.common,
        };
        text.push_str(&line);
        text.push('\n');
    }

    /// Whether a step has come.
    pub fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// The page.
    ///
    /// * `title`: what ran.
    /// * `line`: the line of the first text whose first step is shown at first; 0 for the first step of all.
    /// * `lane`: the lane that is picked at first.
    pub fn html(&self, title: &str, line: usize, lane: Option<u8>) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="generator" content="visim";
                    title { (title) " · visim" }
                    style { (PreEscaped(STYLE)) }
                }
                body data-line=(line) data-lane=[lane] {
                    (head(title))
                    (skeleton())
                    script #common type="application/json" { (PreEscaped("\n")) (PreEscaped(&self.common)) }
                    @for (first, text) in &self.windows {
                        script type="application/json" data-first=(first) { (PreEscaped("\n")) (PreEscaped(text)) }
                    }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string()
    }
}

/// The bar that stays: where the run is, and what moves it.
fn head(title: &str) -> Markup {
    let button = |id: &str, sign: &str, what: &str| {
        html! { button id=(id) title=(what) aria-label=(what) { (sign) } }
    };
    html! {
        header {
            h1 { (title) span #kernel {} }
            nav aria-label="Steps" {
                (button("first", "|◀", "First step (Home)"))
                (button("back", "◀", "One step back (←)"))
                (button("next", "▶", "One step forward (→)"))
                (button("last", "▶|", "Last step (End)"))
                input #slider type="range" min="1" value="1" aria-label="Step";
                output #where aria-live="polite" {}
                input #line type="number" min="1" placeholder="line" aria-label="Go to a line (g)" title="Go to a line (g)";
                (button("help", "?", "Keys (?)"))
                (button("theme", "☾", "Light or dark (d)"))
            }
            canvas #timeline aria-label="Threads over steps" {}
            p #problem hidden {}
        }
        dialog #keys {
            h2 { "Keys" }
            dl {
                dt { "← →" } dd { "a step back, a step forward; ten with Shift" }
                dt { "Home End" } dd { "first and last step" }
                dt { "PageUp PageDown" } dd { "the step before and after this one on the same line" }
                dt { "↑ ↓" } dd { "the step before and after this one of the same thread" }
                dt { "m" } dd { "the next step that sends a message" }
                dt { "b" } dd { "the next step at a barrier" }
                dt { "g" } dd { "the next step on a line: its number, then Enter" }
                dt { "l" } dd { "the next lane; Escape: all lanes" }
                dt { "/" } dd { "look for a register" }
                dt { "d" } dd { "light or dark" }
            }
            form method="dialog" { button { "Close" } }
        }
    }
}

/// Where the script writes.
fn skeleton() -> Markup {
    let part = |id: &str, name: &str| {
        html! { section id=(id) aria-label=(name) { h2 { (name) } div {} } }
    };
    html! {
        main {
            div #source tabindex="0" aria-label="Source" {}
            div #panels {
                (part("instruction", "Instruction"))
                (part("operands", "Operands"))
                (part("messages", "Messages"))
                (part("packing", "Destination"))
                (part("surfaces", "Surfaces"))
                (part("memory", "Memory"))
                section #registers aria-label="Registers" {
                    h2 { "Registers" }
                    input #filter type="search" placeholder="name, * for all" aria-label="Names of registers";
                    div {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::stepped::record::{File, Program, Window};

    #[test]
    fn texts_do_not_end_their_element() {
        let mut page = Page::default();
        let program = Record::Program(Program {
            files: vec![File {
                name: "k.visa".to_string(),
                text: "// </script><!-- \u{2028}".to_string(),
            }],
            ..Program::default()
        });
        let line = serde_json::to_string(&program).expect("JSON");
        page.add(&program, &line);
        assert!(page.is_empty());
        page.add(&Record::Window(Window { first: 1 }), "");
        let html = page.html("<k>", 0, None);
        assert_eq!(html.matches("</script").count(), 3);
        assert!(html.contains("&lt;k&gt; · visim"));
        assert!(html.contains(r"// \u003c/script>\u003c!--"));
    }
}
