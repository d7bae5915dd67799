//! `visim lower FILE`: the hardware messages of a program; `visim decode DESC EXDESC`: one message's bits;
//! `visim decode LISTING`: those of every send of a listing.

use super::check::{for_platform, platform};
use super::input::Written;
use super::launch::Target;
use super::output::{Exit, Output};
use crate::check::{CheckOptions, Unit, UnitKind};
use crate::diagnostic::any_fatal;
use crate::explain::bits::{ListedPart, descriptors};
use crate::explain::line::{Line, lines};
use crate::explain::listing::{self, ListedSend, Word};
use crate::finalizer::{Release, json};
use crate::harness::front::Front;
use crate::harness::language::Language;
use crate::harness::{load, session};
use crate::isa::Platform;
use crate::message::Sfid;
use crate::message::text::{explain_descriptor, meant, receiver, request};
use crate::source::MAX_SOURCE_BYTES;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Prints the messages that a program becomes.
#[derive(Debug, clap::Args)]
pub struct Lower {
    /// The program; `-` is standard input.
    file: PathBuf,
    /// Which release of Intel's finalizer to follow: 1.0.12504, 1.0.17791 or 2.40. Without it the first one
    /// that writes the text's `.version` and knows the platform.
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    compat: Option<Release>,
    /// JSON has the end of the thread as well.
    #[arg(long)]
    eot: bool,
    #[command(flatten)]
    target: Target,
    /// Lower instructions that the platform's hardware has lost, as Intel's finalizer does.
    #[arg(long)]
    allow_removed: bool,
}

/// A release of the finalizer by its number.
fn release(number: &str) -> Result<Release, String> {
    Release::from_number(number).ok_or_else(|| {
        let all = Release::ALL.map(|(_, number)| number);
        format!("no such release; one of {}", all.join(", "))
    })
}

impl Lower {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        self.target.within(|| self.lower(output))
    }

    fn lower(&self, output: &mut Output) -> Exit {
        let file = self.file.display();
        let holds = match self.target.language(&self.file) {
            Language::Visa => None,
            Language::Tld => Some("texture loads, which are words of their own and no messages"),
            Language::Send => Some("messages already"),
        };
        if let Some(holds) = holds {
            return output.complain(&format!(
                "{file} contains {holds}, which are not lowered; `visim explain {file}:LINE` shows a line"
            ));
        }
        // Surfaces, values and launches are taken, as of a run; messages do not depend on them.
        let layers = match self.target.open_text(&self.file, output) {
            Ok(opened) => opened.layers,
            Err(exit) => return exit,
        };
        let platform = session::platform(&layers);
        let source = &layers[0].source;
        // Messages are looked at as Intel's finalizer makes them, remarks where a page forbids it.
        let options = CheckOptions {
            platform,
            finalizer: true,
            allow_removed: self.allow_removed,
        };
        let mut front = Front::with(source, &options);
        if front.is_refused() {
            output.diagnostics(&front.diagnostics, source);
            return Exit::Program;
        }
        let kernel = layers[1..]
            .iter()
            .rev()
            .find_map(|l| l.directives.kernel.as_ref());
        if let Some(kernel) = kernel {
            if front.checked.kernel(kernel).is_none() {
                return output.complain(&format!("{file} has no kernel `{}`", kernel.node));
            }
            let others = |unit: &Unit| unit.kind == UnitKind::Kernel && unit.name != kernel.node;
            front.checked.units.retain(|unit| !others(unit));
        }
        // What was lowered is compared with the corpus by plain difference: its keys and no more.
        output.aside(&front.diagnostics, source);
        let suggested = Release::of(&front.module, platform);
        let release = self.compat.unwrap_or(suggested);
        let mut exit = Exit::Fine;
        let mut units = Vec::new();
        for unit in &front.checked.units {
            let (mut value, diagnostics) = json::unit(unit, source, platform, release);
            if any_fatal(&diagnostics) {
                output.diagnostics(&diagnostics, source);
                exit = Exit::Program;
                value["status"] = json!("rejected");
            } else {
                output.aside(&diagnostics, source);
            }
            value["finalizer"] = json!(release.number());
            if let Some(name) = self.file.file_name() {
                value["file"] = json!(name.to_string_lossy());
            }
            if !self.eot {
                without_end(&mut value);
            }
            units.push(value);
        }
        output.document(|| match units.len() {
            1 => units.remove(0),
            _ => json!({ "units": units }),
        });
        if !output.is_text() {
            return exit;
        }
        let why = match self.compat {
            Some(_) => "as asked for",
            None => "as `.version` and platform suggest; `--compat` chooses",
        };
        output.text(&format!(
            "release {release} of Intel's finalizer, {why}\n\n"
        ));
        let shown = |line: &Line| !line.messages.is_empty() || !line.native.is_empty();
        let all = lines(source, &front.checked, release).map(|followed| followed.line);
        for followed in all.filter(shown) {
            let (name, line) = (source.name(), followed.number);
            output.heading(&format!("{name}:{line}: {}", followed.text));
            for sent in &followed.messages {
                output.heading(&sent.head());
                output.text(&sent.to_string());
            }
            for native in &followed.native {
                output.text(&format!("{native}\n"));
            }
            output.text("\n");
        }
        exit
    }
}

/// Leaves out the instructions that only end the thread, as the corpus does.
fn without_end(unit: &mut Value) {
    let ends = |i: &Value| {
        let sends = i["sends"].as_array();
        sends.is_some_and(|s| !s.is_empty() && s.iter().all(|s| s["eot"] == true))
    };
    if let Some(instructions) = unit["instructions"].as_array_mut() {
        instructions.retain(|i| !ends(i));
    }
}

/// Takes the descriptors of a message apart, or those of every send of a listing.
#[derive(Debug, clap::Args)]
pub struct Decode {
    /// The descriptor, as 0x02190001; of Xe3p with twelve digits. Or a listing with sends: a compiler's .asm, what `iga64 -d`
    /// or `ocloc disasm` print; `-` is standard input.
    #[arg(value_name = "DESC|LISTING", value_parser = subject, required_unless_present = "visa")]
    subject: Option<Subject>,
    /// The extended descriptor, as 0xc; of Xe3p the number of the receiver.
    #[arg(value_parser = hexadecimal)]
    ex_desc: Option<u32>,
    /// Of a listing one line for each send: what it asks, and no fields.
    #[arg(long, conflicts_with_all = ["visa", "ex_desc", "to"])]
    brief: bool,
    /// Who receives it, where the extended descriptor does not say: from Gen12 on the mnemonic does, as in `send.ugm`.
    /// Example: visim decode --platform dg2 --to ugm 0x08200580
    #[arg(long, value_name = "RECEIVER", value_parser = receiver_named, conflicts_with = "visa")]
    to: Option<Sfid>,
    /// Read the record of a vISA instruction instead: its bytes in hexadecimal.
    #[arg(long, value_name = "HEX", conflicts_with_all = ["subject", "ex_desc"])]
    visa: Option<String>,
    /// A text that declares what the record names by numbers.
    #[arg(long, value_name = "FILE", requires = "visa")]
    declarations: Option<PathBuf>,
    #[command(flatten)]
    written: Written,
    #[arg(long, value_parser = platform, help = for_platform(
        "The platform whose message it is; without it the one that a listing names as `//.platform`, else bdw"
    ))]
    platform: Option<Platform>,
}

/// What is taken apart.
#[derive(Clone, Debug)]
enum Subject {
    Descriptor(u64),
    Listing(PathBuf),
}

fn subject(text: &str) -> Result<Subject, String> {
    let path = PathBuf::from(text);
    let named = path.extension().is_some() || text.contains(['/', '\\']) || path.is_file();
    match descriptor(text) {
        Ok(desc) => Ok(Subject::Descriptor(desc)),
        Err(_) if text == "-" || named => Ok(Subject::Listing(path)),
        Err(why) => Err(why),
    }
}

/// A word of a message. One without `0x` may have been copied from a listing or counted by hand: only a single
/// digit is the same either way.
fn hexadecimal(text: &str) -> Result<u32, String> {
    let wanted = "expected a 32-bit number such as 0x02190001";
    u32::try_from(number(text, wanted)?).map_err(|_| wanted.to_string())
}

/// The name of a shared function.
fn receiver_named(text: &str) -> Result<Sfid, String> {
    Sfid::named(text).ok_or_else(|| {
        let names: Vec<&str> = Sfid::all().map(Sfid::name).collect();
        format!("no function is named so; there are {}", names.join(", "))
    })
}

/// A descriptor, which has 47 bits at most.
fn descriptor(text: &str) -> Result<u64, String> {
    let wanted = "expected a descriptor such as 0x02190001";
    let desc = number(text, wanted)?;
    match desc >> 47 {
        0 => Ok(desc),
        _ => Err("a descriptor has 47 bits at most".to_string()),
    }
}

fn number(text: &str, wanted: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let read = u64::from_str_radix(digits.unwrap_or(text), 16);
    // A sign is not a digit.
    let read = read.ok().filter(|_| !text.contains('+'));
    let word = read.ok_or_else(|| wanted.to_string())?;
    if digits.is_some() || text.len() == 1 && word < 10 {
        return Ok(word);
    }
    Err(match text.parse::<u32>() {
        Ok(count) => format!("write 0x{text} if it is hexadecimal, {count:#x} if it is decimal"),
        Err(_) => format!("write 0x{text}"),
    })
}

impl Decode {
    /// The fields of one descriptor of 47 bits. Lanes and lengths, which would make a request of it, are in the instruction.
    fn wide(desc: u64, platform: Platform, sfid: Option<Sfid>) -> Decoded {
        let (low, high) = (desc as u32, (desc >> 32) as u32);
        let parts = descriptors(low, high, sfid, platform);
        let name = sfid.map_or("an unknown function", Sfid::name);
        let mut text = format!("descriptor {desc:#014x} to {name} on {platform}\n");
        text.extend(parts.iter().map(ListedPart::to_string));
        if parts.is_empty() {
            text += "no message: the second number names the receiver: 2 sampler, 3 gateway, 13 tgm, 14 slm, 15 ugm\n";
        }
        Decoded {
            brief: "the descriptor of a message whose lanes and lengths are in the instruction"
                .to_string(),
            is_known: !parts.is_empty(),
            text,
            fields: vec![
                ("receiver", json!(sfid.map(|s| s.name()))),
                ("parts", parts.iter().map(ListedPart::json).collect()),
            ],
        }
    }

    /// The extended descriptor with its receiver in the low four bits, where texts have it.
    fn addressed(&self, platform: Platform) -> Result<u32, String> {
        let ex_desc = match (self.ex_desc, self.to) {
            (None, None) => {
                return Err(
                    "the extended descriptor is missing, as 0xc; --to names the receiver where the mnemonic does"
                        .to_string(),
                );
            }
            (ex_desc, _) => ex_desc.unwrap_or(0),
        };
        let Some(sfid) = self.to else {
            return Ok(ex_desc);
        };
        let number = sfid.number(platform).ok_or_else(|| {
            let known = Sfid::all().filter(|sfid| sfid.number(platform).is_some());
            let names: Vec<&str> = known.map(Sfid::name).collect();
            format!(
                "{platform} has no function `{}`: {}",
                sfid.name(),
                names.join(", ")
            )
        })?;
        match receiver(ex_desc, platform) {
            Some(other) if other != sfid && other != Sfid::Null => Err(format!(
                "the extended descriptor names {}, --to {}",
                other.name(),
                sfid.name()
            )),
            _ => Ok(ex_desc | u32::from(number)),
        }
    }

    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        if let Some(record) = &self.visa {
            let file = self.declarations.as_deref();
            return super::encode::decode(record, file, &self.written, output);
        }
        let whole = match &self.subject {
            Some(Subject::Listing(path)) => return self.listing(path, output),
            Some(Subject::Descriptor(desc)) => *desc,
            None => 0,
        };
        let platform = self.platform.unwrap_or_default();
        let ex_desc = match self.addressed(platform) {
            Ok(word) => word,
            Err(why) => return output.complain(&why),
        };
        let decoded = match Decoded::of(whole, ex_desc, receiver(ex_desc, platform), platform) {
            Ok(decoded) => decoded,
            Err(why) => return output.complain(&why),
        };
        output.text(&decoded.text);
        for (name, value) in decoded.fields {
            output.field(name, || value);
        }
        match decoded.is_known {
            true => Exit::Fine,
            false => Exit::Program,
        }
    }

    /// Every send of a listing.
    fn listing(&self, path: &Path, output: &mut Output) -> Exit {
        if self.ex_desc.is_some() || self.to.is_some() {
            return output.complain("a listing names receivers and extended descriptors itself");
        }
        let text = match load::text(path, MAX_SOURCE_BYTES as u64) {
            Ok(text) => text,
            Err(error) => return output.complain(&error.to_string()),
        };
        let named = listing::platform(&text);
        let platform = self.platform.or(named).unwrap_or_default();
        let path = path.display();
        if self.platform.is_none() && named.is_none() {
            output.remark(&format!(
                "{path} names no platform; its sends are read as those of {platform} (--platform)"
            ));
        }
        let sends = listing::sends(&text, platform);
        if sends.is_empty() {
            return output.complain(&format!(
                "{path} has no send; a listing has lines such as `send.dc1 (16|M0) r10 r10 null:0 0x0 0x04205E00`"
            ));
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut listed = Vec::new();
        for send in &sends {
            let name = send.receiver.map_or("unknown", Sfid::name);
            *counts.entry(name).or_default() += 1;
            let decoded = of_listed(send, platform);
            let (line, brief) = (send.line, &decoded.brief);
            if self.brief {
                output.text(&format!("{path}:{line}: {name}: {brief}\n"));
            } else {
                output.heading(&format!("{path}:{line}: {}", send.text));
                output.text(&format!("{}\n", decoded.text));
            }
            listed.push(decoded.json(send));
        }
        let counts: Vec<String> = counts
            .iter()
            .map(|(name, n)| format!("{n} {name}"))
            .collect();
        output.text(&format!(
            "{} on {platform}: {}\n",
            match sends.len() {
                1 => "1 send".to_string(),
                n => format!("{n} sends"),
            },
            counts.join(", ")
        ));
        output.field("platform", || json!(platform.name));
        output.field("sends", || json!(listed));
        Exit::Fine
    }
}

/// A send of a listing, as far as its words are known.
fn of_listed(send: &ListedSend, platform: Platform) -> Decoded {
    let later = |what: &str, register: &str| {
        Decoded::unknown(format!("the {what} is in {register} when the send runs"))
    };
    let desc = match &send.desc {
        Some(Word::Known(desc)) => *desc,
        Some(Word::Register(name)) => return later("descriptor", name),
        None => {
            return Decoded::unknown(
                "the line has no descriptor where one is expected".to_string(),
            );
        }
    };
    let (ex_desc, register) = match &send.ex_desc {
        Some(Word::Known(word)) => (*word as u32, None),
        Some(Word::Register(name)) => (send.own, Some(name)),
        None => (send.own, None),
    };
    if let (Some(name), None) = (register, send.receiver) {
        return later("extended descriptor, which names the receiver,", name);
    }
    let decoded = Decoded::of(desc, ex_desc, send.receiver, platform);
    let mut decoded = decoded.unwrap_or_else(Decoded::unknown);
    if let Some(name) = register {
        decoded.text += &format!(
            "the extended descriptor is in {name} when the send runs; taken as zero but for what the instruction says\n"
        );
    }
    decoded
}

/// What is known of a message by its descriptors.
struct Decoded {
    /// Every field.
    text: String,
    /// What it asks in one line.
    brief: String,
    /// The same as JSON.
    fields: Vec<(&'static str, Value)>,
    /// Whether the descriptors make a message.
    is_known: bool,
}

impl Decoded {
    /// # Errors
    /// A descriptor that is too wide for the platform.
    fn of(
        whole: u64,
        ex_desc: u32,
        sfid: Option<Sfid>,
        platform: Platform,
    ) -> Result<Decoded, String> {
        let (desc, high) = (whole as u32, (whole >> 32) as u32);
        if platform.dialect.state_addresses() {
            return Ok(Decode::wide(whole, platform, sfid));
        }
        if high != 0 {
            return Err(format!(
                "a descriptor of {platform} has 32 bits, {whole:#x} has more"
            ));
        }
        let parts = descriptors(desc, ex_desc, sfid, platform);
        let mut fields = vec![
            ("receiver", json!(sfid.map(|s| s.name()))),
            ("parts", parts.iter().map(ListedPart::json).collect()),
        ];
        let request = request(desc, ex_desc, platform);
        let is_known = request.is_ok();
        let brief = match request {
            Ok(read) => {
                fields.push(("request", json!(read.asked)));
                fields.push(("odd_lengths", json!(read.odd)));
                read.asked
            }
            Err(why) => {
                fields.push(("refused", json!(why.to_string())));
                let meant = meant(desc, ex_desc, platform);
                let named =
                    |(sfid, asked): &(Sfid, String)| json!({ "receiver": sfid, "request": asked });
                fields.push(("meant", meant.iter().map(named).collect()));
                format!("no request: {why}")
            }
        };
        Ok(Decoded {
            text: explain_descriptor(desc, ex_desc, platform),
            brief,
            fields,
            is_known,
        })
    }

    /// A message whose words are not known.
    fn unknown(why: String) -> Decoded {
        Decoded {
            text: format!("{why}\n"),
            fields: vec![("unknown", json!(why))],
            brief: why,
            is_known: false,
        }
    }

    /// With the line that it is from.
    fn json(self, send: &ListedSend) -> Value {
        let mut value = json!({
            "line": send.line,
            "text": send.text,
            "receiver": send.receiver.map(Sfid::name),
        });
        for (name, field) in self.fields {
            value[name] = field;
        }
        value
    }
}
