//! `visim lower FILE`: the hardware messages of a program; `visim decode DESC EXDESC`: one message's bits.

use super::check::{for_platform, platform};
use super::input::Written;
use super::output::{Exit, Output};
use crate::check::CheckOptions;
use crate::diagnostic::any_fatal;
use crate::explain::bits::{ListedPart, descriptors};
use crate::explain::line::{Line, lines};
use crate::finalizer::{Release, json};
use crate::harness::front::Front;
use crate::harness::language::Language;
use crate::harness::session;
use crate::isa::Platform;
use crate::message::Sfid;
use crate::message::text::{explain_descriptor, meant, receiver, request};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Prints the messages that a program becomes.
#[derive(Debug, clap::Args)]
pub struct Lower {
    /// The program; `-` is standard input.
    file: PathBuf,
    #[arg(long, value_parser = platform, help = for_platform("Lower for this platform rather than the one the file names"))]
    platform: Option<Platform>,
    /// Which release of Intel's finalizer to follow: 1.0.12504, 1.0.17791 or 2.40. Without it the first one
    /// that writes the text's `.version` and knows the platform.
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    compat: Option<Release>,
    /// JSON has the end of the thread as well.
    #[arg(long)]
    eot: bool,
    #[command(flatten)]
    written: Written,
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
        let file = self.file.display();
        let holds = match self.written.of(&self.file) {
            Language::Visa => None,
            Language::Tld => Some("texture loads, which are words of their own and no messages"),
            Language::Send => Some("messages already"),
        };
        if let Some(holds) = holds {
            return output.complain(&format!(
                "{file} contains {holds}, which are not lowered; `visim explain {file}:LINE` shows a line"
            ));
        }
        let layers = match self.written.open(&self.file, (self.platform, None), output) {
            Ok((layer, _)) => [layer],
            Err(exit) => return exit,
        };
        let platform = self.platform.unwrap_or(session::platform(&layers));
        let source = &layers[0].source;
        // Messages are looked at as Intel's finalizer makes them, remarks where a page forbids it.
        let options = CheckOptions {
            platform,
            finalizer: true,
            allow_removed: self.allow_removed,
        };
        let front = Front::with(source, &options);
        if front.is_refused() {
            output.diagnostics(&front.diagnostics, source);
            return Exit::Program;
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
        for followed in lines(source, &front.checked, release).filter(shown) {
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

/// Takes the descriptors of a message apart.
#[derive(Debug, clap::Args)]
pub struct Decode {
    /// The descriptor, as 0x02190001; of Xe3p with twelve digits.
    #[arg(value_parser = descriptor, required_unless_present = "visa")]
    desc: Option<u64>,
    /// The extended descriptor, as 0xc; of Xe3p the number of the receiver.
    #[arg(value_parser = hexadecimal, required_unless_present_any = ["visa", "to"])]
    ex_desc: Option<u32>,
    /// Who receives it, where the extended descriptor does not say: from Gen12 on the mnemonic does, as in `send.ugm`.
    /// Example: visim decode --platform dg2 --to ugm 0x08200580
    #[arg(long, value_name = "RECEIVER", value_parser = receiver_named, conflicts_with = "visa")]
    to: Option<Sfid>,
    /// Read the record of a vISA instruction instead: its bytes in hexadecimal.
    #[arg(long, value_name = "HEX", conflicts_with_all = ["desc", "ex_desc"])]
    visa: Option<String>,
    /// A text that declares what the record names by numbers.
    #[arg(long, value_name = "FILE", requires = "visa")]
    declarations: Option<PathBuf>,
    #[command(flatten)]
    written: Written,
    #[arg(long, value_parser = platform, default_value_t = Platform::default(), help = for_platform("The platform whose message it is"))]
    platform: Platform,
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
    /// One descriptor of 47 bits. Lanes and lengths, which would make a request of it, are in the instruction.
    fn wide(&self, desc: u64, output: &mut Output, sfid: Option<Sfid>) -> Exit {
        let (low, high) = (desc as u32, (desc >> 32) as u32);
        let parts = descriptors(low, high, sfid, self.platform);
        let name = sfid.map_or("an unknown function", Sfid::name);
        let platform = self.platform;
        output.text(&format!(
            "descriptor {desc:#014x} to {name} on {platform}\n"
        ));
        for part in &parts {
            output.text(&part.to_string());
        }
        output.field("receiver", || json!(sfid.map(|s| s.name())));
        output.field("parts", || parts.iter().map(ListedPart::json).collect());
        match parts.is_empty() {
            true => {
                output.text("no message: the second number names the receiver: 2 sampler, 3 gateway, 13 tgm, 14 slm, 15 ugm\n");
                Exit::Program
            }
            false => Exit::Fine,
        }
    }

    /// The extended descriptor with its receiver in the low four bits, where texts have it.
    fn addressed(&self) -> Result<u32, String> {
        let ex_desc = self.ex_desc.unwrap_or(0);
        let Some(sfid) = self.to else {
            return Ok(ex_desc);
        };
        let platform = self.platform;
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
        let whole = self.desc.unwrap_or(0);
        let ex_desc = match self.addressed() {
            Ok(word) => word,
            Err(why) => return output.complain(&why),
        };
        let sfid = receiver(ex_desc, self.platform);
        let (desc, high) = (whole as u32, (whole >> 32) as u32);
        if self.platform.dialect.state_addresses() {
            return self.wide(whole, output, sfid);
        }
        if high != 0 {
            let (platform, desc) = (self.platform, whole);
            return output.complain(&format!(
                "a descriptor of {platform} has 32 bits, {desc:#x} has more"
            ));
        }
        let parts = descriptors(desc, ex_desc, sfid, self.platform);
        output.text(&explain_descriptor(desc, ex_desc, self.platform));
        let request = request(desc, ex_desc, self.platform);
        output.field("receiver", || json!(sfid.map(|s| s.name())));
        output.field("parts", || parts.iter().map(ListedPart::json).collect());
        match request {
            Ok(read) => {
                output.field("request", || json!(read.asked));
                output.field("odd_lengths", || json!(read.odd));
                Exit::Fine
            }
            Err(why) => {
                output.field("refused", || json!(why.to_string()));
                output.field("meant", || {
                    let meant = meant(desc, ex_desc, self.platform);
                    let named = |(sfid, asked): &(Sfid, String)| json!({ "receiver": sfid, "request": asked });
                    meant.iter().map(named).collect()
                });
                Exit::Program
            }
        }
    }
}
