//! Pages of stepped runs, in a real browser: headless Chromium, driven over the wire by its WebDriver.
//!
//! Where there is no `chromedriver`, the tests of the browser say so and pass; `.ci/run` installs it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// A browser with one window.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    fn open() -> Option<Browser> {
        let mut driver = match Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
        {
            Ok(driver) => driver,
            Err(error) => {
                eprintln!("skipped, no chromedriver: {error}");
                return None;
            }
        };
        let said = BufReader::new(driver.stdout.take().expect("a pipe"));
        let mut lines = said.lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let profile = tempfile::tempdir().expect("a folder");
        let mut browser = Browser {
            driver,
            port: port.expect("a port"),
            session: String::new(),
            _profile: profile,
        };
        let folder = format!("--user-data-dir={}", browser._profile.path().display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-dev-shm-usage",
            "--disable-sync",
            "--window-size=1300,1000",
            &folder,
        ];
        let wanted =
            json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}});
        let made = browser.call("POST", "/session", wanted);
        browser.session = made["sessionId"].as_str().expect("a session").to_string();
        Some(browser)
    }

    fn call(&self, method: &str, path: &str, body: Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        let body = if method == "POST" {
            body.to_string()
        } else {
            String::new()
        };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .expect("sent");
        let mut from = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            from.read_line(&mut line).expect("a line");
            if let Some(number) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = number.trim().parse().expect("a number");
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        from.read_exact(&mut answer).expect("a body");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let value = answer["value"].clone();
        assert!(value["error"].is_null(), "{method} {path}: {value}");
        value
    }

    fn of_session(&self, path: &str, body: Value) -> Value {
        self.call("POST", &format!("/session/{}{path}", self.session), body)
    }

    /// A command of the browser's own protocol.
    fn emulate(&self, command: &str, parameters: Value) {
        let command = format!("Emulation.{command}");
        let body = json!({"cmd": command, "params": parameters});
        self.of_session("/goog/cdp/execute", body);
    }

    fn go(&self, page: &Path) {
        self.of_session("/url", json!({"url": format!("file://{}", page.display())}));
    }

    /// The value of a script.
    fn ask(&self, script: &str) -> Value {
        self.of_session(
            "/execute/sync",
            json!({"script": format!("return {script}"), "args": []}),
        )
    }

    fn text(&self, script: &str) -> String {
        self.ask(script).as_str().unwrap_or_default().to_string()
    }

    /// A real click on what a selector finds.
    fn click(&self, selector: &str) {
        let found = self.of_session(
            "/element",
            json!({"using": "css selector", "value": selector}),
        );
        let id = found.as_object().and_then(|o| o.values().next()?.as_str());
        let id = id.expect("an element");
        self.of_session(&format!("/element/{id}/click"), json!({}));
    }

    /// Real keys, one after the other.
    fn keys(&self, keys: &[&str]) {
        let actions = keys
            .iter()
            .flat_map(|key| ["keyDown", "keyUp"].map(|what| json!({"type": what, "value": key})));
        let actions: Vec<Value> = actions.collect();
        self.of_session(
            "/actions",
            json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}),
        );
    }

    fn step(&self) -> String {
        self.text("document.getElementById('where').textContent")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.call("DELETE", &format!("/session/{}", self.session), Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";
const END: &str = "\u{e010}";
const HOME: &str = "\u{e011}";
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

/// Runs visim in the folder of the project.
fn visim(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    let command = command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    command.output().expect("visim starts")
}

fn page(folder: &Path, arguments: &[&str]) -> std::path::PathBuf {
    let path = folder.join("page.html");
    let name = path.display().to_string();
    let output = visim(&[&["run"], arguments, &["--html", &name]].concat());
    assert!(output.status.success(), "{output:?}");
    path
}

#[test]
fn a_page_holds_everything_and_fetches_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = page(folder.path(), &["samples/16-bilinear.visa"]);
    let html = std::fs::read_to_string(path).expect("a page");
    for outside in ["src=\"http", "<link", "@import", "fetch(", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
    let lines = visim(&[
        "run",
        "samples/16-bilinear.visa",
        "--trace",
        "--trace-format",
        "steps",
    ]);
    let lines = String::from_utf8_lossy(&lines.stdout).into_owned();
    let records = lines.lines().filter(|line| line.starts_with('{'));
    let kinds: Vec<String> = records
        .map(|line| {
            let record: Value = serde_json::from_str(line).expect("JSON");
            record
                .as_object()
                .and_then(|o| o.keys().next().cloned())
                .expect("a record")
        })
        .collect();
    assert_eq!(kinds.first().map(String::as_str), Some("program"));
    assert_eq!(kinds.last().map(String::as_str), Some("end"));
    assert_eq!(kinds.iter().filter(|kind| *kind == "step").count(), 6);
    assert!(kinds.iter().any(|kind| kind == "surface"));
}

#[test]
fn steps_lanes_messages_and_texels_in_a_browser() {
    let Some(browser) = Browser::open() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    browser.go(&page(folder.path(), &["samples/16-bilinear.visa"]));
    assert_eq!(browser.step(), "step 1 of 6");
    browser.keys(&[RIGHT, RIGHT]);
    browser.click("#next");
    assert_eq!(browser.step(), "step 4 of 6");
    let here = "document.querySelector('#source .here').textContent";
    assert!(
        browser.text(here).contains("sample_lz.R (M1, 8)"),
        "{}",
        browser.text(here)
    );
    // The value of each lane of the destination, as the lesson says.
    let results = "[...document.querySelectorAll('#operands tr')].pop().textContent";
    assert_eq!(
        browser.text(results),
        "destination CLAMPED:f03248400192192208"
    );

    // A lane: its four texels, a quarter each.
    browser.click("#lane-3");
    assert_eq!(
        browser.ask("document.getElementById('lane-3').getAttribute('aria-pressed')"),
        "true"
    );
    let texels = browser.ask(
        "[...document.querySelectorAll('table.texels tr')].slice(1).map(r => [...r.cells].slice(0, 4).map(c => c.textContent))",
    );
    let four = json!([
        ["3", "0, 0", "0.25", "0"],
        ["3", "1, 0", "0.25", "64"],
        ["3", "0, 1", "0.25", "16"],
        ["3", "1, 1", "0.25", "80"]
    ]);
    assert_eq!(texels, four);

    // The message: its length in the descriptor, the payload it takes from U.
    let fields = browser.text("document.querySelector('#messages table.fields').textContent");
    assert!(fields.contains("28:25message length0x1"), "{fields}");
    let payload = browser.text("document.querySelector('#messages table.payload').textContent");
    assert!(
        payload.contains("U[0..31]0x3e000000 0x3e800000"),
        "{payload}"
    );
    browser.click("#messages details details summary");
    assert_eq!(
        browser.ask("document.querySelector('#messages details details').open"),
        true
    );

    // The weights that the picture has for this lane.
    let weights = browser.ask("[...weightsOf(stepAt(current), surfaces[0])]");
    let quarters = json!([["0,0", 0.25], ["1,0", 0.25], ["0,1", 0.25], ["1,1", 0.25]]);
    assert_eq!(weights, quarters);

    // What a picture shows: texel 1 of row 0 is black before the write of step 3, and 64 of 208 after it.
    let shown = |browser: &Browser| {
        browser.ask(
            "(c => [...c.getContext('2d').getImageData(c.height / 2 * 1.1, c.height / 16, 1, 1).data].slice(0, 3))\
             (document.querySelector('#surfaces canvas'))",
        )
    };
    assert_eq!(shown(&browser), json!([78, 78, 78]));
    let heading = browser.text("document.querySelector('#surfaces h3').textContent");
    assert!(heading.contains("0 is black, 208 white"), "{heading}");
    browser.keys(&[ESCAPE, LEFT, LEFT]);
    assert_eq!(browser.step(), "step 2 of 6");
    browser.click("#surfaces summary");
    assert_eq!(shown(&browser), json!([0, 0, 0]));

    let theme = || browser.ask("document.documentElement.dataset.theme");
    let before = theme();
    browser.keys(&["d"]);
    assert_ne!(theme(), before);
    browser.keys(&["/", "w", "r", "a", "p"]);
    assert_eq!(
        browser.ask("[...document.querySelectorAll('.register')].map(r => r.dataset.name)"),
        json!(["WRAPPED"])
    );
    browser.keys(&[ESCAPE, END]);
    assert_eq!(browser.step(), "step 6 of 6");
}

#[test]
fn predicates_lines_and_lanes_by_keys_alone() {
    let Some(browser) = Browser::open() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    browser.go(&page(folder.path(), &["samples/45-if-else.visa"]));
    // The line of the goto, by its number.
    browser.keys(&["g", "2", "2", ENTER]);
    assert_eq!(browser.step(), "step 2 of 6");
    let said = browser.text("document.getElementById('instruction').textContent");
    assert!(
        said.contains("2 of 8 lanes run, 6 off by the predicate"),
        "{said}"
    );
    let lanes = "[...document.querySelectorAll('#operands td')].map(cell => cell.textContent)";
    assert_eq!(
        browser.ask(lanes),
        json!(["0", "0", "1", "0", "0", "1", "0", "0"])
    );
    let own = "[...document.querySelectorAll('.register[data-name=P1] td')].map(cell => cell.textContent)";
    assert_eq!(browser.ask(own), browser.ask(lanes));
    // Buttons are reached one after the other, and pressed.
    browser.go(&folder.path().join("page.html"));
    let focused = || browser.text("document.activeElement.id");
    for id in ["first", "back", "next"] {
        browser.keys(&[TAB]);
        assert_eq!(focused(), id);
    }
    browser.keys(&[ENTER]);
    assert_eq!(browser.step(), "step 2 of 6");
    browser.keys(&["?"]);
    assert_eq!(browser.ask("document.getElementById('keys').open"), true);
    browser.keys(&[ESCAPE, RIGHT]);
    assert_eq!(browser.step(), "step 3 of 6");

    // Each field leads to the manual.
    browser.go(&page(folder.path(), &["samples/06-media-ld-inside.visa"]));
    browser.keys(&["m"]);
    let plain = "[...document.querySelectorAll('table.fields tr')].slice(1).filter(row => row.cells.length > 1 && !row.querySelector('a[href^=https]')).length";
    let rows = "document.querySelectorAll('table.fields a[href^=https]').length";
    assert!(browser.ask(rows).as_u64().is_some_and(|rows| rows > 10));
    // The first row of each table are its headings.
    let tables = browser.ask("document.querySelectorAll('table.fields').length");
    assert!(browser.ask(plain).as_u64() < tables.as_u64());
}

#[test]
fn a_hundred_thousand_steps_and_threads_at_a_barrier() {
    let Some(browser) = Browser::open() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("long.visa");
    let text = ".version 4.1\n.kernel \"long\"\n.decl P1 v_type=P num_elts=1\n.decl N v_type=G type=d num_elts=1 align=GRF\n    \
        mov (M1, 1) N(0,0)<1> 0:d\nagain:\n    add (M1, 1) N(0,0)<1> N(0,0)<0;1,0> 1:d\n    \
        cmp.lt (M1, 1) P1 N(0,0)<0;1,0> 40000:d\n    (P1) jmp (M1, 1) again\n    ret (M1, 1)\n";
    std::fs::write(&program, text).expect("written");
    browser.go(&page(folder.path(), &[&program.display().to_string()]));
    assert_eq!(browser.step(), "step 1 of 100000");
    // Only what is shown is read.
    assert_eq!(browser.ask("recent.length"), 1);
    assert!(browser.ask("windows.length").as_u64() > Some(20));
    browser.keys(&[END]);
    assert_eq!(browser.step(), "step 100000 of 100000");
    assert!(
        browser
            .text("document.getElementById('problem').textContent")
            .starts_with("20002 instructions more ran")
    );
    browser.keys(&[LEFT, LEFT]);
    let value = "document.querySelector('.register[data-name=N] td').textContent";
    assert_eq!(browser.text(value), "33333");
    browser.keys(&[HOME]);
    assert_eq!(browser.text(value), "0");

    browser.go(&page(folder.path(), &["samples/49-barrier.visa"]));
    browser.keys(&["b", "b"]);
    let said = browser.text("document.getElementById('instruction').textContent");
    assert!(
        said.contains("barrier") && said.contains("thread 1"),
        "{said}"
    );
    // A phone: nothing is wider than the window.
    browser.emulate(
        "setDeviceMetricsOverride",
        json!({"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true}),
    );
    for lesson in ["samples/49-barrier.visa", "samples/13-avs-one-block.visa"] {
        browser.go(&page(folder.path(), &[lesson]));
        browser.keys(&["m"]);
        let widths = browser.ask("[document.documentElement.scrollWidth, innerWidth]");
        assert_eq!(widths, json!([390, 390]));
    }
    // Whoever wants the dark gets it, without a key.
    let features = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    browser.emulate("setEmulatedMedia", features);
    browser.go(&page(folder.path(), &["samples/01-first-mov.visa"]));
    let background = browser.text("getComputedStyle(document.body).backgroundColor");
    assert_eq!(background, "rgb(20, 23, 26)");
}

#[test]
fn a_line_opens_at_its_first_step_and_loads_have_no_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("line.html").display().to_string();
    let output = visim(&["explain", "samples/49-barrier.visa:29", "--html", &path]);
    assert!(output.status.success(), "{output:?}");
    let html = std::fs::read_to_string(&path).expect("a page");
    assert!(html.contains("data-line=\"29\""));
    let picked = folder.path().join("picked.html").display().to_string();
    let line = ["explain", "samples/16-bilinear.visa:51", "--lane", "3"];
    let output = visim(&[&line[..], &["--html", &picked]].concat());
    assert!(output.status.success(), "{output:?}");
    let html = std::fs::read_to_string(&picked).expect("a page");
    assert!(html.contains("data-line=\"51\" data-lane=\"3\""));
    let loads = visim(&["explain", "samples/tld/01-one-texel.tld:1", "--html", &path]);
    assert_eq!(loads.status.code(), Some(2), "{loads:?}");
    let stops = visim(&[
        "run",
        "samples/33-trace.visa",
        "--break",
        "30",
        "--trace-format",
        "steps",
    ]);
    assert_eq!(stops.status.code(), Some(2), "{stops:?}");
    if let Some(browser) = Browser::open() {
        browser.go(Path::new(&path));
        assert_eq!(browser.step(), "step 5 of 7");
    }
}
