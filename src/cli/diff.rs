//! `visim diff A B`: two programs that are given the same. Whether they leave the same memory; where not, the first
//! byte, what the threads did that wrote it, side by side, and the smallest launch that still differs.

use super::check::{for_platform, platform};
use super::input::Written;
use super::limits::RunLimits;
use super::output::{Exit, Output};
use super::run;
use crate::diagnostic::counted;
use crate::files::Writes;
use crate::harness::bind::Layer;
use crate::harness::diff::{Difference, Given, Ran, Side, Stopped, compare, shrink};
use crate::harness::launch::Launch;
use crate::harness::session;
use crate::isa::Platform;
use crate::launch::kernel::values::split_mix;
use crate::launch::kernel::{Argument, json};
use crate::surface::Ledger;
use serde_json::json;
use std::path::PathBuf;

/// Holds two programs that are given the same against each other.
///
/// Two dumps of one kernel, one text on two platforms, or messages as they are against messages through their bits. All
/// memory of the launch, or all surfaces of a text, is compared, and of one text without a launch the variables of each
/// thread; exit code 1: it differs.
#[derive(Debug, clap::Args)]
pub struct Diff {
    /// The program: visim diff old/k.visaasm new/k.visaasm --launch k.launch.json.
    a: PathBuf,
    /// The other one; the same, where --platforms or --through-bits makes the difference.
    b: Option<PathBuf>,
    /// The kernel to run, where the files hold several.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    #[arg(long, value_name = "P[,Q]", value_delimiter = ',', value_parser = platform, help = for_platform("Run for these platforms, --platforms skl,tgllp: A for the first, B for the second; both for the one"))]
    platforms: Vec<Platform>,
    /// B makes each message into the platform's bits, reads them again and serves what they say.
    #[arg(long)]
    through_bits: bool,
    /// Contents of buffers, images and surfaces in place of those of the launch: --inputs random:7.
    ///
    /// The first case of a seed gets the same contents on every machine: small floats, small integers, or any bits, as the
    /// seed has it. Values keep what the launch says.
    #[arg(long, value_name = "random:SEED", value_parser = seed)]
    inputs: Option<u64>,
    /// Try this many inputs, each from a seed that follows from the one before: --inputs random:7 --cases 100.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "inputs", value_parser = clap::value_parser!(u32).range(1..))]
    cases: u32,
    /// Leave the smallest launch that differs here, for visim run --launch FOLDER/launch.json A: --keep left.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    limits: RunLimits,
    #[command(flatten)]
    launch: Launch,
    #[command(flatten)]
    written: Written,
}

/// Reads `random:SEED` for clap.
fn seed(text: &str) -> Result<u64, String> {
    let seed = text.strip_prefix("random:").and_then(|n| n.parse().ok());
    seed.ok_or_else(|| "expected random:SEED, as random:7".to_string())
}

impl Diff {
    /// Runs the command.
    pub fn run(&self, output: &mut Output) -> Exit {
        let work = || Ledger::within(Some(&self.limits.ledger()), || self.run_within(output));
        self.launch.grants.within(work)
    }

    fn run_within(&self, output: &mut Output) -> Exit {
        if self.b.is_none() && self.platforms.len() < 2 && !self.through_bits {
            return output.complain(
                "one file is held against itself only with --platforms P,Q or --through-bits; or name a second file",
            );
        }
        if self.platforms.len() > 2 {
            return output.complain("--platforms takes two at most: one of each side");
        }
        let sides = self
            .side(0, output)
            .and_then(|a| Ok([a, self.side(1, output)?]));
        let sides = match sides {
            Ok(sides) => sides,
            Err(exit) => return exit,
        };
        let launch = self.launch.or_of_text(&sides[0].layers[0], &sides[0].path);
        let mut state = self.inputs;
        for case in 1..=self.cases {
            let given = Given {
                random: state,
                ..Given::default()
            };
            let [a, b] = sides.each_ref().map(|side| side.run(&launch, &given, None));
            if let Some(difference) = compare(&a, &b) {
                let found = Found {
                    sides: &sides,
                    launch: &launch,
                    given,
                    case,
                };
                return self.differs(&found, &difference, (a, b), output);
            }
            match a {
                Err(stopped) => return why(&stopped, &sides[0], output),
                Ok(ran) if ran.places.is_empty() => {
                    return output.complain(
                        "there is no memory to compare: give a launch (--launch, --global with --arg), or a text with SURFACE lines",
                    );
                }
                Ok(_) => {}
            }
            state = state.map(|mut seed| split_mix(&mut seed));
        }
        let cases = match self.inputs {
            Some(_) => format!(" in {}", counted(self.cases as usize, "case")),
            None => String::new(),
        };
        output.text(&format!("no difference{cases}\n"));
        output.field("differs", || json!(false));
        output.field("cases", || json!(self.cases));
        Exit::Fine
    }

    /// One of the two.
    fn side(&self, number: usize, output: &mut Output) -> Result<Side, Exit> {
        let file = match number {
            0 => &self.a,
            _ => self.b.as_ref().unwrap_or(&self.a),
        };
        let platform = self
            .platforms
            .get(number)
            .or(self.platforms.first())
            .copied();
        let asked = (platform, self.kernel.as_deref());
        let path = self.written.find(file, asked, output)?;
        let (layer, found) = self.written.read(&path, asked, output)?;
        if found.iter().any(|d| d.class().is_fatal()) {
            output.diagnostics(&found, &layer.source);
            return Err(Exit::Program);
        }
        let mut layers = vec![layer];
        layers.extend(platform.map(Layer::of_platform));
        layers.extend(self.kernel.as_deref().map(Layer::of_kernel));
        let through_bits = self.through_bits && number == 1;
        let mut name = path.display().to_string();
        if let (Some(platform), 2) = (platform, self.platforms.len()) {
            name.push_str(&format!(" on {}", platform.name));
        }
        if through_bits {
            name.push_str(" through bits");
        }
        Ok(Side {
            name,
            path,
            layers,
            kernel: self.kernel.clone(),
            platform,
            through_bits,
            same_text: self.b.is_none(),
            options: self.limits.options(),
        })
    }

    /// Tells how the sides differ, and how little it takes.
    fn differs(
        &self,
        found: &Found<'_>,
        difference: &Difference,
        (a, b): (Result<Ran, Stopped>, Result<Ran, Stopped>),
        output: &mut Output,
    ) -> Exit {
        let [left, right] = found.sides;
        output.field("differs", || json!(true));
        output.field("case", || json!(found.case));
        output.field("sides", || json!([left.name, right.name]));
        let of = match self.inputs {
            Some(_) => format!("case {} of {}: ", found.case, self.cases),
            None => String::new(),
        };
        output.text(&format!("A is {}\nB is {}\n", left.name, right.name));
        output.text(&format!("{of}{}\n", told(difference)));
        output.field("difference", || of_json(difference));
        for (stopped, side) in [(&a, left), (&b, right)] {
            if let Err(stopped) = stopped {
                why(stopped, side, output);
            }
        }
        let Ok(ran) = a.as_ref().or(b.as_ref()) else {
            return Exit::Program;
        };
        let mut from = found.given.clone();
        for place in &ran.places {
            if let Some(number) = place.number {
                from.contents.insert(number, place.before.clone());
            }
        }
        from.random = None;
        let same_kind = |other: &Difference| {
            std::mem::discriminant(other) == std::mem::discriminant(difference)
        };
        let again = |given: &Given| {
            found
                .sides
                .each_ref()
                .map(|side| side.run(found.launch, given, None))
        };
        let least = shrink(from, ran.size, |given| {
            let [a, b] = again(given);
            compare(&a, &b).is_some_and(|other| same_kind(&other))
        });
        let [a, b] = again(&least);
        let now = compare(&a, &b);
        self.smallest(&least, ran, now.as_ref(), output);
        let of_memory = match now {
            Some(Difference::Bytes { number, first, .. }) => number.map(|number| (number, first)),
            _ => None,
        };
        if let Some(at) = of_memory.map(Some) {
            let trace = |side: &Side| side.run(found.launch, &least, at).map(|ran| ran.trace);
            if let (Ok(a), Ok(b)) = (trace(left), trace(right)) {
                output.text("\nwho wrote it last, and what that thread did before:\n");
                output.text(&beside(&a, &b));
                output.field("traces", || json!([a, b]));
            }
        }
        match self.kept(&least, ran) {
            Ok(None) => {}
            Ok(Some(path)) => {
                output.text(&format!("\nleft in {}\n", path.display()));
                output.field("kept", || json!(path.display().to_string()));
            }
            Err(why) => return output.complain(&why),
        }
        Exit::Program
    }

    /// Says how little of the launch it takes.
    fn smallest(&self, least: &Given, ran: &Ran, now: Option<&Difference>, output: &mut Output) {
        output.text("\nthe smallest that differs:\n");
        let size = least
            .size
            .map(|(global, _)| global)
            .or(ran.size.map(|size| size.global));
        if let Some([x, y, z]) = size {
            output.text(&format!("  {x}x{y}x{z} work-items\n"));
        }
        output.field("smallest_global", || json!(size));
        for (place, number) in ran.places.iter().filter_map(|p| Some((p, p.number?))) {
            let bytes = least.contents.get(&number).map_or(&[][..], |b| b);
            let set = bytes.iter().filter(|&&byte| byte != 0).count();
            let from = bytes.iter().position(|&byte| byte != 0);
            let from = from.map_or(String::new(), |at| format!(", from byte {at:#x} on"));
            let (name, all) = (&place.name, bytes.len());
            output.text(&format!(
                "  {name}: {set} of {all} bytes are not zero{from}\n"
            ));
        }
        if let Some(now) = now {
            output.text(&format!("  {}\n", told(now)));
            output.field("smallest_difference", || of_json(now));
        }
    }

    /// Writes the smallest launch; where.
    fn kept(&self, least: &Given, ran: &Ran) -> Result<Option<PathBuf>, String> {
        let (Some(folder), Some(size)) = (&self.keep, ran.size) else {
            return Ok(None);
        };
        let mut writes = Writes::default();
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let file = |number: usize| format!("arg{number}.bin");
        for (number, bytes) in &least.contents {
            let path = folder.join(file(*number as usize));
            // Files of images have no padding; the run is over, and its memory free.
            let plain = match ran.arguments.get(*number as usize) {
                Some(Argument::Image(image)) => {
                    image.surface.memory().write(0, bytes);
                    image.bytes()
                }
                _ => bytes.clone(),
            };
            writes.add(&path, &plain).map_err(|e| e.to_string())?;
        }
        let (global, local) = least.size.unwrap_or((size.global, size.local));
        let description =
            json::described(ran.kernel.as_deref(), &ran.arguments, (global, local), file);
        let path = folder.join("launch.json");
        let text = format!("{description:#}\n");
        writes
            .add(&path, text.as_bytes())
            .map_err(|e| e.to_string())?;
        writes.commit().map_err(|e| e.to_string())?;
        Ok(Some(path))
    }
}

/// Two sides that differ.
struct Found<'f> {
    sides: &'f [Side; 2],
    launch: &'f Launch,
    given: Given,
    case: u32,
}

/// Says why a side does not run to its end.
fn why(stopped: &Stopped, side: &Side, output: &mut Output) -> Exit {
    match stopped {
        Stopped::Launch(refused) => {
            output.diagnostics(std::slice::from_ref(&**refused), &side.layers[0].source);
            Exit::Command
        }
        Stopped::Run(problems) => {
            let refused = session::Refused {
                problems: problems.clone(),
            };
            run::refused_by(&refused, None, &side.layers, output)
        }
    }
}

/// A difference in a sentence.
fn told(difference: &Difference) -> String {
    match difference {
        Difference::Bytes {
            name,
            first,
            count,
            all,
            dwords: [a, b],
            ..
        } => {
            let (at, [a, b]) = (first / 4 * 4, [a, b].map(|bits| dword(*bits)));
            format!(
                "{name} differs in {count} of {all} bytes, first at {first:#x}: the dword at {at:#x} is {a} of A, {b} of B"
            )
        }
        Difference::Memory(what) => what.clone(),
        Difference::Stops([a, b]) => format!("A {a}; B {b}"),
    }
}

/// Four bytes; with the float that they are, where it is of a usual size.
fn dword(bits: u32) -> String {
    let float = f32::from_bits(bits);
    match (1e-6..1e9).contains(&float.abs()) {
        true => format!("{bits:#010x} ({float:?})"),
        false => format!("{bits:#010x}"),
    }
}

fn of_json(difference: &Difference) -> serde_json::Value {
    match difference {
        Difference::Bytes {
            number,
            name,
            first,
            count,
            all,
            dwords,
        } => json!({
            "number": number, "name": name, "first": first, "bytes": count, "of": all, "dwords": dwords,
        }),
        Difference::Memory(what) => json!({ "memory": what }),
        Difference::Stops(each) => json!({ "stops": each }),
    }
}

/// Two lists of lines, side by side; the longest of the left one decides how wide it is.
fn beside(a: &[String], b: &[String]) -> String {
    /// Columns of the left list at most.
    const MOST: usize = 78;
    let width = a.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = width.clamp(8, MOST);
    // The last lines are those of the write: they stand beside each other.
    let rows = a.len().max(b.len());
    let cell = |side: &[String], row: usize| match row {
        0 => side.first().cloned().unwrap_or_default(),
        row => (row + side.len())
            .checked_sub(rows)
            .filter(|&at| at > 0)
            .and_then(|at| side.get(at).cloned())
            .unwrap_or_default(),
    };
    (0..rows)
        .map(|row| {
            let left: String = cell(a, row).chars().take(width).collect();
            format!("  {left:<width$} | {}\n", cell(b, row))
        })
        .collect()
}
