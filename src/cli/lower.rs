//! `visim lower FILE`: the hardware messages of a program; `visim decode DESC EXDESC`: one message's bits.

use super::check::platform;
use super::output::{Exit, Output};
use crate::check::CheckOptions;
use crate::diagnostic::any_fatal;
use crate::explain::bits::{Part, descriptors, receiver, unexplained};
use crate::explain::line::follow;
use crate::harness::front::Front;
use crate::harness::{load, session};
use crate::isa::Platform;
use crate::lower::messages::{Compat, json};
use serde_json::json;
use std::path::PathBuf;

/// Prints the messages that a program becomes.
#[derive(Debug, clap::Args)]
pub struct Lower {
    /// The program; `-` is standard input.
    file: PathBuf,
    /// Lower for this platform rather than the one the file names.
    #[arg(long, value_parser = platform)]
    platform: Option<Platform>,
}

impl Lower {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let source = match load::source(&self.file) {
            Ok(source) => source,
            Err(error) => return output.complain(&error.to_string()),
        };
        let (layer, _) = session::file_layer(source, &self.file);
        let layers = [layer];
        let platform = self.platform.unwrap_or(session::platform(&layers));
        let source = &layers[0].source;
        // Messages are looked at as Intel's finalizer makes them, remarks where a page forbids it.
        let options = CheckOptions {
            platform,
            finalizer: true,
        };
        let front = Front::with(source, &options);
        output.diagnostics(&front.diagnostics, source);
        if front.is_refused() {
            return Exit::Program;
        }
        let mut exit = Exit::Fine;
        let mut units = Vec::new();
        for unit in &front.checked.units {
            let (value, diagnostics) = json::unit(unit, source, platform, Compat::default());
            output.diagnostics(&diagnostics, source);
            if any_fatal(&diagnostics) {
                exit = Exit::Program;
            }
            units.push(value);
        }
        output.field("units", || json!(units));
        let lines = source.text().lines().count();
        let followed =
            (1..=lines).filter_map(|line| Some((line, follow(source, &front.checked, line)?)));
        for (line, followed) in followed.filter(|(_, f)| !f.messages.is_empty()) {
            output.text(&format!("{}:{line}: {}\n", source.name(), followed.text));
            for sent in &followed.messages {
                output.text(&format!("{}\n{sent}", sent.head()));
            }
            output.text("\n");
        }
        exit
    }
}

/// Takes the descriptors of a message apart.
#[derive(Debug, clap::Args)]
pub struct Decode {
    /// The descriptor, as 0x02190001.
    #[arg(value_parser = hexadecimal)]
    desc: u32,
    /// The extended descriptor, as 0xc.
    #[arg(value_parser = hexadecimal)]
    ex_desc: u32,
    /// The platform whose message it is.
    #[arg(long, value_parser = platform, default_value = "skl")]
    platform: Platform,
}

fn hexadecimal(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let read = digits.map_or_else(|| text.parse().ok(), |d| u32::from_str_radix(d, 16).ok());
    read.ok_or_else(|| "a 32-bit number is wanted, as 0x02190001".to_string())
}

impl Decode {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let sfid = receiver(self.ex_desc, self.platform);
        let parts = descriptors(self.desc, self.ex_desc, sfid, self.platform);
        match sfid {
            Some(sfid) => output.text(&format!("to {}\n", sfid.name())),
            None => output.text("the extended descriptor names no receiver\n"),
        }
        parts.iter().for_each(|part| output.text(&part.to_string()));
        if let Some((part, bits)) = unexplained(&parts) {
            output.text(&format!("no field of the {part} holds bits {bits:#010x}\n"));
        }
        output.field("receiver", || json!(sfid.map(|s| s.name())));
        output.field("parts", || parts.iter().map(Part::json).collect());
        Exit::Fine
    }
}
