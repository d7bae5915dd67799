//! The Debug Adapter, over the wire.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    number: u64,
}

impl Client {
    fn new() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_visim"))
            .arg("dap")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("visim starts");
        let to = child.stdin.take().expect("a pipe");
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        Client {
            child,
            to,
            from,
            number: 0,
        }
    }

    fn raw(&mut self, body: &str) {
        write!(self.to, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("written");
        self.to.flush().expect("written");
    }

    fn send(&mut self, command: &str, arguments: Value) {
        self.number += 1;
        let request = json!({"seq": self.number, "type": "request", "command": command, "arguments": arguments});
        self.raw(&request.to_string());
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(
                self.from.read_line(&mut line).expect("a line") > 0,
                "visim has ended"
            );
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a number"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    /// The response to a request.
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.send(command, arguments);
        self.until(|m| m["type"] == "response" && m["command"] == command)
    }

    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.read();
            if wanted(&message) {
                return message;
            }
        }
    }

    fn event(&mut self, event: &str) -> Value {
        self.until(|m| m["event"] == event)
    }

    fn launch(&mut self, program: &str) {
        self.ask("initialize", json!({"adapterID": "visim"}));
        self.send("launch", json!({"program": program, "stopOnEntry": true}));
        self.event("initialized");
    }

    fn line(&mut self) -> Value {
        let stack = self.ask("stackTrace", json!({"threadId": 1}));
        stack["body"]["stackFrames"][0]["line"].clone()
    }
}

#[test]
fn a_session_with_stops_registers_and_the_way_back() {
    let mut client = Client::new();
    client.launch("samples/33-trace.visa");
    let source = json!({"path": "/elsewhere/33-trace.visa"});
    let lines = json!([{"line": 32, "condition": "LEFT lane 1 < 0"}, {"line": 26}, {"line": 32, "condition": "LEFT lone"}]);
    let set = client.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": lines}),
    );
    let set = &set["body"]["breakpoints"];
    assert_eq!((&set[0]["line"], &set[1]["line"]), (&json!(32), &json!(29)));
    assert_eq!(set[2]["verified"], false);
    client.send("configurationDone", json!({}));
    assert_eq!(client.event("stopped")["body"]["reason"], "entry");
    client.send("continue", json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["body"]["reason"], "breakpoint");
    assert_eq!(client.line(), 32);
    let scopes = client.ask("scopes", json!({"frameId": 1}));
    let registers = scopes["body"]["scopes"][0]["variablesReference"].clone();
    let variables = client.ask("variables", json!({"variablesReference": registers}));
    let all = variables["body"]["variables"].as_array().expect("a list");
    let power = all
        .iter()
        .find(|v| v["name"] == "POWER")
        .expect("a register");
    assert_eq!(power["value"], "3 9 9 9 9 9 9 9");
    let elements = client.ask(
        "variables",
        json!({"variablesReference": power["variablesReference"], "start": 1, "count": 2}),
    );
    assert_eq!(
        elements["body"]["variables"]
            .as_array()
            .expect("a list")
            .len(),
        2
    );
    let result = |answer: Value| answer["body"]["result"].clone();
    assert_eq!(
        result(client.ask("evaluate", json!({"expression": "POWER lane 2"}))),
        "9"
    );
    assert_eq!(
        result(client.ask("evaluate", json!({"expression": "LEFT all > 9"}))),
        "false"
    );
    assert_eq!(
        client.ask("evaluate", json!({"expression": "POWR"}))["success"],
        false
    );
    client.send("stepBack", json!({"threadId": 1}));
    client.event("stopped");
    assert_eq!(client.line(), 35);
    let info = client.ask("dataBreakpointInfo", json!({"name": "POWER"}));
    let data = json!([{"dataId": info["body"]["dataId"]}]);
    client.ask("setDataBreakpoints", json!({"breakpoints": data}));
    client.send("reverseContinue", json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["body"]["reason"], "data breakpoint");
    assert_eq!(client.line(), 33);
    client.ask("setDataBreakpoints", json!({"breakpoints": []}));
    client.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": []}),
    );
    client.send("continue", json!({"threadId": 1}));
    assert_eq!(client.event("exited")["body"]["exitCode"], 0);
    client.event("terminated");
    client.ask("disconnect", json!({}));
    assert!(client.child.wait().expect("an end").success());
}

#[test]
fn mistakes_are_answered_and_garbage_ends_the_session() {
    let mut client = Client::new();
    assert_eq!(client.ask("continue", json!({}))["success"], false);
    assert_eq!(client.ask("launch", json!({}))["success"], false);
    assert_eq!(
        client.ask("launch", json!({"program": "no-such.visa"}))["success"],
        false
    );
    let idle = json!({"program": "samples/33-trace.visa", "args": ["--trace"]});
    assert_eq!(client.ask("launch", idle)["success"], false);
    client.raw("{ this is not JSON");
    assert_eq!(client.event("output")["body"]["category"], "stderr");
    client.raw("[1, 2]");
    client.raw("null");
    client.launch("samples/33-trace.visa");
    for (command, arguments) in [
        ("noSuchRequest", json!(7)),
        ("variables", json!({"variablesReference": 99})),
        ("variables", json!({"variablesReference": -1})),
        ("stackTrace", json!({"threadId": 0})),
        ("stackTrace", json!([])),
        ("evaluate", json!({"expression": "POWER<"})),
        ("evaluate", json!({"expression": 1, "frameId": u64::MAX})),
    ] {
        assert_eq!(
            client.ask(command, arguments)["success"],
            false,
            "{command}"
        );
    }
    client
        .to
        .write_all(b"Content-Length: 99999999999\r\n\r\n")
        .expect("written");
    assert!(client.child.wait().expect("an end").code().is_some());
    let mut client = Client::new();
    client
        .to
        .write_all(b"\xff\xfe garbage\n\n")
        .expect("written");
    assert_eq!(client.child.wait().expect("an end").code(), Some(2));
}

#[test]
fn a_run_that_goes_on_is_paused_and_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.visa");
    let text = ".version 4.1\n.kernel \"k\"\nloop:\n    jmp (M1, 1) loop\n    ret (M1, 1)\n";
    std::fs::write(&path, text).expect("written");
    let mut client = Client::new();
    client.launch(path.to_str().expect("UTF-8"));
    client.send("configurationDone", json!({}));
    client.event("stopped");
    client.send("continue", json!({"threadId": 1}));
    client.ask("threads", json!({}));
    client.send("pause", json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["body"]["reason"], "pause");
    client.send("continue", json!({"threadId": 1}));
    client.ask("terminate", json!({}));
    assert!(client.child.wait().expect("an end").success());
}
