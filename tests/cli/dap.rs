//! The Debug Adapter, over the wire.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

struct Client {
    child: Child,
    to: Box<dyn Write>,
    from: BufReader<Box<dyn Read>>,
    number: u64,
}

impl Client {
    /// Of an adapter that listens on a port.
    fn of_port() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_visim"))
            .args(["dap", "--port", "0"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("visim starts");
        let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        said.read_line(&mut line).expect("a line");
        let (_, place) = line.trim().split_once("listening on ").expect("a port");
        let stream = TcpStream::connect(place).expect("it listens");
        let to = stream.try_clone().expect("two ways");
        Client {
            child,
            to: Box::new(to),
            from: BufReader::new(Box::new(stream)),
            number: 0,
        }
    }

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
        let from = child.stdout.take().expect("a pipe");
        Client {
            child,
            to: Box::new(to),
            from: BufReader::new(Box::new(from)),
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

#[test]
fn functions_labels_and_data_with_conditions_over_a_port() {
    let mut client = Client::of_port();
    client.launch("samples/33-trace.visa");
    let names = json!([{"name": "loop", "condition": "LEFT lane 1 < 0"}, {"name": "lop"}, {"name": "loop", "condition": "?"}]);
    let set = client.ask("setFunctionBreakpoints", json!({"breakpoints": names}));
    let set = &set["body"]["breakpoints"];
    assert_eq!(set[0]["verified"], true, "{set}");
    assert!(
        set[1]["message"]
            .as_str()
            .is_some_and(|m| m.contains("`loop`")),
        "{set}"
    );
    assert_eq!(set[2]["verified"], false);
    let line = set[0]["line"].clone();
    client.send("configurationDone", json!({}));
    client.event("stopped");
    client.send("continue", json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["body"]["reason"], "breakpoint");
    assert_eq!(client.line(), line);
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));

    // An element, by its place among the variables, where another register says so.
    let scopes = client.ask("scopes", json!({"frameId": 1}));
    let registers = scopes["body"]["scopes"][0]["variablesReference"].clone();
    let variables = client.ask("variables", json!({"variablesReference": registers}));
    let all = variables["body"]["variables"].as_array().expect("a list");
    let power = all
        .iter()
        .find(|v| v["name"] == "POWER")
        .expect("a register");
    let element = json!({"variablesReference": power["variablesReference"], "name": "[7]"});
    let info = client.ask("dataBreakpointInfo", element);
    assert_eq!(info["body"]["dataId"], "POWER lane 7");
    let data = json!([
        {"dataId": "POWER lane 7", "condition": "POWER lane 7 > 100"},
        {"dataId": "POWER", "condition": "POWR > 1"},
    ]);
    let set = client.ask("setDataBreakpoints", json!({"breakpoints": data}));
    assert_eq!(set["body"]["breakpoints"][1]["verified"], false, "{set}");
    client.send("continue", json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["body"]["reason"], "data breakpoint");
    let value = client.ask("evaluate", json!({"expression": "POWER lane 7"}));
    let value = value["body"]["result"]
        .as_str()
        .expect("a value")
        .parse::<u32>();
    assert!(value.is_ok_and(|value| value > 100));
    client.ask("disconnect", json!({}));
    assert!(client.child.wait().expect("an end").success());
}

#[test]
fn a_compiled_launch_hands_out_its_text() {
    let mut client = Client::new();
    client.launch("samples/kernels/52-soften.bin");
    client.send("configurationDone", json!({}));
    client.event("stopped");
    let stack = client.ask("stackTrace", json!({"threadId": 1}));
    let source = stack["body"]["stackFrames"][0]["source"].clone();
    assert!(source["path"].is_null(), "{source}");
    let text = client.ask(
        "source",
        json!({"source": source, "sourceReference": source["sourceReference"]}),
    );
    let text = text["body"]["content"]
        .as_str()
        .expect("a text")
        .to_string();
    let line = text.lines().position(|line| line.contains("lsc_load.ugm"));
    let line = line.expect("a load") + 1;
    let set = client.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": [{"line": line}]}),
    );
    assert_eq!(set["body"]["breakpoints"][0]["line"], line);
    client.send("continue", json!({"threadId": 1}));
    client.event("stopped");
    assert_eq!(client.line(), line);
    // What the next instruction is about to send, with its values.
    let scopes = client.ask("scopes", json!({"frameId": 1}));
    let messages = scopes["body"]["scopes"][3]["variablesReference"].clone();
    let messages = client.ask("variables", json!({"variablesReference": messages}));
    let all = messages["body"]["variables"].as_array().expect("a list");
    let next = all.iter().find(|v| v["name"] == "next").expect("a message");
    assert!(
        next["value"]
            .as_str()
            .is_some_and(|text| text.contains("load/store descriptor 0x"))
    );
    client.ask("disconnect", json!({}));
}
