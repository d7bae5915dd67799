//! `visim dap`: steps through a run for an editor, as a Debug Adapter on standard input and output or on a port.
//!
//! ```text
//!  client ─ wire ─▶ queue ─ adapter, a Face ─▶ debug::drive
//!         ◀─ responses, events ─┘
//! ```

mod adapter;
mod wire;

use super::output::{Colour, Exit, Format, Output};
use super::run::{Ready, Run, finish};
use super::{Command, Options};
use crate::check::CheckOptions;
use crate::debug::{Ending, Stops, drive};
use crate::diagnostic::{Code, Diagnostic, render_all};
use crate::exec::Trap;
use crate::finalizer::Release;
use crate::harness::bind::Problem;
use crate::harness::front::Front;
use crate::harness::language::Language;
use crate::harness::session;
use adapter::Adapter;
use clap::{CommandFactory, FromArgMatches};
use serde_json::{Value, json};
use std::io::{self, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::mpsc::{Receiver, sync_channel};
use wire::{Incoming, Writer};

/// Steps through a run for an editor, by the Debug Adapter Protocol
///
/// Example: {"type": "visim", "request": "launch", "program": "k.visa", "args": ["--threads", "4,1"], "stopOnEntry": true}
///
/// `program` and `args` are those of visim run; relative paths are those of the folder that visim was started in.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Dap {
    /// Take one connection on this port of 127.0.0.1; 0 is any, which is printed. Without it standard input and output.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
}

/// Messages that wait to be read.
const MOST_WAITING: usize = 64;

impl Dap {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let (from, writer): (Box<dyn io::Read + Send>, Writer) = match self.port {
            None => (Box::new(io::stdin()), Writer::new(Box::new(io::stdout()))),
            Some(port) => match connect(port, output) {
                Ok(streams) => streams,
                Err(error) => return output.complain(&format!("port {port}: {error}")),
            },
        };
        converse(from, writer, output)
    }
}

/// Serves a client: requests from one stream, responses and events to another. What cannot be told the client, `output`
/// says.
fn converse(from: Box<dyn io::Read + Send>, writer: Writer, output: &mut Output) -> Exit {
    let (to, mut messages) = sync_channel(MOST_WAITING);
    let reader = std::thread::Builder::new().spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let read = wire::read(&mut from);
            let ends = matches!(read, Incoming::End(_));
            if to.send(read).is_err() || ends {
                return;
            }
        }
    });
    if let Err(error) = reader {
        return output.complain(&format!("the system gives no thread: {error}"));
    }
    serve(&mut messages, writer, output)
}

/// A whole session with a client that is there already, such as a test: what it sends, and where answers go. Returns the
/// exit code.
pub fn session_of(from: Box<dyn io::Read + Send>, to: Box<dyn io::Write + Send>) -> u8 {
    let mut output = Output::new(Format::Json, Colour::Never);
    converse(from, Writer::new(to), &mut output).code()
}

/// Waits for a client.
fn connect(port: u16, output: &Output) -> io::Result<(Box<dyn io::Read + Send>, Writer)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    output.aside_text(&format!("visim: listening on {}\n", listener.local_addr()?));
    let (stream, _) = listener.accept()?;
    Ok((Box::new(stream.try_clone()?), Writer::new(Box::new(stream))))
}

/// Answers what comes before a launch, and launches.
fn serve(messages: &mut Receiver<Incoming>, mut writer: Writer, output: &mut Output) -> Exit {
    loop {
        let request = match messages.recv() {
            Ok(Incoming::Message(request)) => request,
            Ok(Incoming::Broken(why)) => {
                writer.output("stderr", &format!("{why}\n"));
                continue;
            }
            Ok(Incoming::End(Some(why))) => return output.complain(&why),
            Ok(Incoming::End(None)) | Err(_) => return Exit::Fine,
        };
        match request["command"].as_str() {
            Some("initialize") => writer.answer(&request, Ok(adapter::capabilities())),
            Some("launch") => match launch(&request, messages, writer) {
                Ok(()) => return Exit::Fine,
                Err((back, why)) => {
                    writer = back;
                    writer.answer(&request, Err(why));
                }
            },
            Some("disconnect" | "terminate") => {
                writer.answer(&request, Ok(Value::Null));
                return Exit::Fine;
            }
            Some(other) if request["type"] == "request" => {
                writer.answer(&request, Err(format!("`{other}` comes after launch")));
            }
            _ => writer.output("stderr", "a message that is no request\n"),
        }
    }
}

/// The options of `visim run` that a launch asks for.
fn asked(request: &Value) -> Result<Run, String> {
    let arguments = &request["arguments"];
    let program = arguments["program"].as_str();
    let program = program.ok_or("`program` names the file to run")?;
    let more = match &arguments["args"] {
        Value::Null => Vec::new(),
        Value::Array(words) => {
            let words = words.iter().map(|w| w.as_str().map(str::to_string));
            words
                .collect::<Option<Vec<String>>>()
                .ok_or("`args` are words")?
        }
        _ => return Err("`args` is a list of words".to_string()),
    };
    let words = ["visim", "run"].map(str::to_string).into_iter();
    let words: Vec<String> = words.chain(more).chain([program.to_string()]).collect();
    let matches = Options::command().try_get_matches_from(&words);
    let matches = matches.map_err(|error| error.render().to_string())?;
    let options = Options::from_arg_matches(&matches).map_err(|error| error.to_string())?;
    match options.command {
        Command::Run(mut run) => {
            run.given = super::given(&matches);
            run.may_be_stepped()?;
            Ok(*run)
        }
        _ => Err("`args` are those of visim run".to_string()),
    }
}

/// Runs a session. The writer comes back with the reason where it does not begin.
fn launch(
    request: &Value,
    messages: &mut Receiver<Incoming>,
    writer: Writer,
) -> Result<(), (Writer, String)> {
    let mut run = match asked(request) {
        Ok(run) => run,
        Err(why) => return Err((writer, why)),
    };
    let bounds = run.bounds();
    bounds.within(|| {
        // What is said goes to the client.
        let mut said = Output::new(Format::Json, Colour::Never);
        let ready = match run.ready(&mut said) {
            Ok(ready) if ready.layers[0].language != Language::Tld => ready,
            Ok(_) => return Err((writer, "texture loads have no steps".to_string())),
            Err(_) => return Err((writer, words(&said.value()))),
        };
        session(request, messages, ready, writer)
    })
}

fn session(
    request: &Value,
    messages: &mut Receiver<Incoming>,
    ready: Ready,
    writer: Writer,
) -> Result<(), (Writer, String)> {
    let Ready {
        layers,
        found,
        launched,
        mut options,
    } = ready;
    let source = &layers[0].source;
    let time = options.timeout.take();
    let platform = session::platform(&layers);
    let front = (layers[0].language == Language::Visa).then(|| {
        let check = CheckOptions {
            platform,
            finalizer: options.launch.is_some(),
            allow_removed: options.allow_removed,
        };
        Front::with(source, &check)
    });
    let text = front
        .as_ref()
        .map(|front| (&front.checked, Release::of(&front.module, platform)));
    let mut adapter = Adapter::new(request, &mut *messages, writer, source, text);
    let mut quit = false;
    let result = session::start_staged(&layers, found, &options, |stage| {
        match drive(stage, source, time, Stops::default(), &mut adapter) {
            Ending::Ended(outcome) => Ok(outcome),
            Ending::Trapped(trap) => Err(trap),
            Ending::Quit => {
                quit = true;
                Err(Trap::outside(Diagnostic::new(Code::L0963)))
            }
        }
    });
    let started = adapter.started;
    let mut writer = adapter.into_writer();
    if quit {
        writer.event("terminated", json!({}));
        return Ok(());
    }
    let code = match result {
        Ok(session) => {
            let mut said = Output::new(Format::Json, Colour::Never);
            let exit = finish(&session, &layers, launched.as_ref(), &mut said);
            let said = said.value();
            writer.output("stdout", said["printf"].as_str().unwrap_or_default());
            writer.output("stderr", &words(&said));
            exit.code()
        }
        Err(refused) => {
            let fatal = |p: &&Problem| p.diagnostic.class().is_fatal();
            let text: String = refused
                .problems
                .iter()
                .filter(fatal)
                .map(|p| {
                    render_all(
                        std::slice::from_ref(&p.diagnostic),
                        &layers[p.layer].source,
                        false,
                    )
                })
                .collect();
            if !started {
                return Err((writer, text));
            }
            writer.output("stderr", &text);
            Exit::Program.code()
        }
    };
    writer.event("exited", json!({ "exitCode": code }));
    writer.event("terminated", json!({}));
    adapter::wait_for_the_end(messages, &mut writer);
    Ok(())
}

/// What a command has said, in lines.
fn words(said: &Value) -> String {
    let error = said["error"].as_str().map(str::to_string);
    let found = said["diagnostics"].as_array().into_iter().flatten();
    let found = found.map(|d| {
        let word = |key: &str| d[key].as_str().unwrap_or_default().to_string();
        let labels = d["labels"].as_array().into_iter().flatten();
        let labels: String = labels
            .filter_map(|l| l["text"].as_str())
            .map(|l| format!("; {l}"))
            .collect();
        format!(
            "{}: {}{labels} {}",
            word("code"),
            word("message"),
            word("help")
        )
    });
    let lines: Vec<String> = error.into_iter().chain(found).collect();
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}
