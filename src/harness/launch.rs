//! A compiled kernel with what it is launched with: `launch.json`, `kernel.bin`, or a description found beside the
//! text, with sizes and arguments of the command line in place of what they say.

use super::argument::{self, ArgumentOption};
use super::bind::Layer;
use super::companion_files::{self, NativeCode};
use super::front::Front;
use super::grants::{self, Grants};
use super::kernel::{Chosen, CompiledFile, DESCRIPTIONS, LaunchFile, Prepared, Refused};
use super::load;
use super::output::Compared;
use crate::diagnostic::{Code, Diagnostic, counted};
use crate::files::Writes;
use crate::isa::Platform;
use crate::launch::kernel::json::{Launch as Description, Output};
use crate::launch::kernel::{Argument, Size};
use crate::source::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The options of a launch.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Launch {
    /// Launch a compiled kernel as this description says (grammar/launch.schema.json lists its fields).
    ///
    /// Of a file with several `launches` one is named: --launch k.launch.json::small.
    ///
    /// Without `devices` in it, or with --zebin, the compiler's own description says where arguments go.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FILE", help_heading = "Compiled kernels")
    )]
    launch: Option<PathBuf>,
    /// Launch a compiled kernel that this program of the compiler describes.
    ///
    /// An ELF file with .ze_info or patch tokens, patch tokens alone, or the text of .ze_info.
    /// Without it a file beside the text that describes the kernel is taken.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FILE", help_heading = "Compiled kernels")
    )]
    zebin: Option<PathBuf>,
    /// Work-items: 64x48, 1024.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "XxYxZ", help_heading = "Compiled kernels")
    )]
    global: Option<String>,
    /// Work-items of a group: 16x8.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "XxYxZ", help_heading = "Compiled kernels")
    )]
    local: Option<String>,
    /// The first global id: 0x0x0 without it.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "XxYxZ", help_heading = "Compiled kernels")
    )]
    offset: Option<String>,
    /// Give the kernel an argument, by number or name.
    ///
    /// 0=image:in.png, 1=buffer:out.bin:size=4096 (zeros, written over out.bin after the run), 2=buffer:in.bin
    /// (read), 2=buffer:in.bin:out=out.bin (read, written to another), 3=int:5, 4=float4:1,2,3,4,
    /// 5=sampler:clamp:linear:normalized, 6=local:1024, 7=null, 8=hex:0500. Values of a buffer:
    /// 9=buffer:int:1,2,3, 9=buffer:uchar:repeat(255):size=64, 9=buffer:float:ramp(0, 0.5, 64),
    /// 9=buffer:uint:random(7, 1024), 9=buffer:float:random(7, 64, -1, 1):out=out.bin (seed, count, range).
    /// Keys: size= out= of buffers; size= out= in= type= order= channel= of images.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "NUMBER=WHAT", help_heading = "Compiled kernels")
    )]
    arg: Vec<String>,
    /// Take functions that the text calls from this file; may be given several times.
    ///
    /// The compiler leaves each function in a file of its own. Without the option those that launch.json names are
    /// taken, or k_f0.visaasm, k_f1.visaasm … beside k.visaasm.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FILE", help_heading = "Compiled kernels")
    )]
    functions: Vec<PathBuf>,
    /// What the user lets a description name.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub grants: Grants,
    /// The folder of the text that named the description, or beside which it was found.
    #[cfg_attr(feature = "cli", arg(skip))]
    named_in: Option<PathBuf>,
    /// Arguments that a host has, by number or name.
    #[cfg_attr(feature = "cli", arg(skip))]
    given: Vec<(String, Argument)>,
}

/// Whether a text in `folder` may name a file.
fn granted(folder: &Path, path: &Path) -> Result<(), Refused> {
    grants::may_read(folder, path).map_err(|error| {
        let what = format!("{}: {error}", path.display());
        Box::new(Diagnostic::with_message(Code::E0702, what))
    })
}

/// A launch that can run.
pub struct Launched {
    /// For the session.
    pub prepared: Prepared,
    /// The platform of the kernel.
    pub platform: Platform,
    /// The text with the functions that it calls.
    pub source: Source,
    /// The kernel, where the text may have several.
    pub kernel: Option<String>,
    /// Work-items; a group size of zeros is found anew.
    pub size: Size,
    /// Where outputs that are not as expected are kept.
    pub keep: Option<PathBuf>,
    /// The description says that it is for this platform, so that no other can be asked for.
    names_platform: bool,
    outs: Vec<(usize, PathBuf)>,
    file: Option<LaunchFile>,
}

impl Launch {
    /// Whether a file is a compiled program that carries its text.
    fn is_program(&self, path: &Path) -> bool {
        load::program(path).is_ok_and(|program| program.is_some())
    }

    /// With the description that the text's `LAUNCH` names, or `k.launch.json` beside `k.visaasm`, where no option says
    /// anything.
    pub fn or_of_text(&self, layer: &Layer, path: &Path) -> Launch {
        let mut launch = self.clone();
        if !self.is_asked() {
            let named = layer.directives.launch.as_ref();
            launch.launch = named
                .map(|name| layer.folder.join(&name.node))
                .or_else(|| Launch::beside(path));
            launch.named_in = Some(layer.folder.clone());
        }
        launch
    }

    /// The description that lies beside a text or program: `k.launch.json` of `k.visaasm` and `k.bin`.
    pub fn beside(path: &Path) -> Option<PathBuf> {
        Some(path.with_extension("launch.json")).filter(|own| own.is_file())
    }

    /// The description of a test: [`Launch::beside`], or `launch.json` in the folder of a text that the compiler
    /// describes or that it names.
    pub fn of_test(path: &Path) -> Option<PathBuf> {
        let of_folder = || {
            let shared = companion_files::folder(path).join("launch.json");
            let name = path.file_name()?.to_str()?;
            let described = || {
                let ending = |ending: &&str| path.with_extension(ending).is_file();
                DESCRIPTIONS.iter().any(ending)
            };
            let names = || {
                let file = LaunchFile::read(&shared).ok()?;
                let mut devices = file.launch.devices.values();
                devices.any(|device| device.visaasm == name).then_some(())
            };
            let is_its = shared.is_file() && (names().is_some() || described());
            is_its.then_some(shared)
        };
        Launch::beside(path).or_else(of_folder)
    }

    /// A launch by a description alone.
    pub fn by(description: PathBuf) -> Launch {
        Launch {
            launch: Some(description),
            ..Launch::default()
        }
    }

    /// The description is one that a text in `folder` names.
    pub fn named_in(mut self, folder: &Path) -> Launch {
        self.named_in = Some(folder.to_path_buf());
        self
    }

    /// With sizes, where they are not empty, and arguments of a host.
    pub fn with(mut self, global: &[u32], local: &[u32], given: &[(String, Argument)]) -> Launch {
        let size = |numbers: &[u32]| {
            let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
            (!words.is_empty()).then(|| words.join("x"))
        };
        self.global = size(global).or(self.global);
        self.local = size(local).or(self.local);
        self.given.extend_from_slice(given);
        self
    }

    /// Whether an option says something of a launch.
    pub fn is_asked(&self) -> bool {
        self.launch.is_some()
            || self.zebin.is_some()
            || self.global.is_some()
            || self.local.is_some()
            || self.offset.is_some()
            || !self.arg.is_empty()
            || !self.given.is_empty()
    }

    /// The text with the functions that it calls: those of the options, else those `named`, else those beside it.
    ///
    /// # Errors
    /// `E0702`: a file cannot be read.
    pub fn text(
        &self,
        source: &Source,
        path: &Path,
        named: Vec<PathBuf>,
    ) -> Result<Source, Refused> {
        let functions = match (self.functions.is_empty(), named.is_empty()) {
            (false, _) => self.functions.clone(),
            (true, false) => named,
            (true, true) => companion_files::functions_beside(path),
        };
        for function in functions.iter().filter(|_| self.functions.is_empty()) {
            granted(companion_files::folder(path), function)?;
        }
        companion_files::with_functions(source, &functions)
    }

    /// Files whose functions were taken, and whether no option named them.
    pub fn functions_of<'t>(&self, text: &'t Source) -> (Vec<&'t str>, bool) {
        (text.names().skip(1).collect(), self.functions.is_empty())
    }

    /// Prepares the launch; `None` if none is asked for.
    ///
    /// * `kernel`: the one named by an option.
    ///
    /// # Errors
    /// What is wrong with a description, a size or an argument.
    pub fn prepare(
        &self,
        source: &Source,
        path: &Path,
        kernel: Option<&str>,
        platform: Option<Platform>,
    ) -> Result<Option<Launched>, Refused> {
        let asked = self.is_asked() || self.is_program(path);
        if !asked {
            return Ok(None);
        }
        let options = self.arg.iter().map(|text| ArgumentOption::read(text));
        let options: Vec<ArgumentOption> = options.collect::<Result<_, _>>()?;
        if let (Some(folder), Some(path)) = (&self.named_in, &self.launch) {
            granted(folder, LaunchFile::split(path).0)?;
        }
        let file = self.launch.as_deref().map(LaunchFile::read).transpose()?;
        let native = NativeCode::of(source, path);
        let launched = match file {
            Some(file) if self.zebin.is_none() && !file.launch.devices.is_empty() => {
                self.described(file, source, path, options, platform)
            }
            // The launch says what is given, the program what the compiler made of it.
            file => {
                let usual = native.as_ref().map(|code| code.platform);
                self.compiled(source, path, kernel, options, (platform, usual), file)
            }
        }?;
        native.map_or(Ok(()), |code| code.agrees(launched.platform))?;
        Ok(Some(launched))
    }

    /// By `launch.json` alone.
    fn described(
        &self,
        file: LaunchFile,
        source: &Source,
        path: &Path,
        options: Vec<ArgumentOption>,
        platform: Option<Platform>,
    ) -> Result<Launched, Refused> {
        let device = file.device(path, platform)?;
        let kernel = file.description(&device)?;
        let mut arguments = file.arguments(&kernel)?;
        let changed = !options.is_empty() || !self.given.is_empty();
        let outs = argument::place(&mut arguments, &options, &kernel)?;
        argument::give(&mut arguments, &self.given, &kernel)?;
        let given = file.launch.size();
        let size = self.size(given)?;
        let same = !changed && given == Some(size);
        if same {
            file.expected()?;
        }
        Ok(Launched {
            prepared: file.prepare(&device, arguments, &size)?,
            platform: Platform::from_name(&device).unwrap_or_default(),
            source: self.text(source, path, file.functions(&device))?,
            kernel: None,
            keep: None,
            names_platform: true,
            size,
            outs,
            // What is expected is expected of the launch as described.
            file: same.then_some(file),
        })
    }

    /// By what the compiler wrote; `launch` gives arguments and sizes that options may replace.
    ///
    /// * `platforms`: the one that is asked for, and the one that the text is for; where they are known.
    fn compiled(
        &self,
        source: &Source,
        path: &Path,
        kernel: Option<&str>,
        options: Vec<ArgumentOption>,
        platforms: (Option<Platform>, Option<Platform>),
        launch: Option<LaunchFile>,
    ) -> Result<Launched, Refused> {
        let source = self.text(source, path, Vec::new())?;
        let source = &source;
        let named = launch.as_ref().map(|file| file.launch.kernel.as_str());
        let kernel = kernel.or(named.filter(|name| !name.is_empty()));
        let (platform, usual) = platforms;
        let program = self.zebin.is_none() && self.is_program(path);
        let find = |name: &str, read: &dyn Fn(Platform) -> Front, simd| match &self.zebin {
            Some(zebin) => CompiledFile::read(zebin, name, platform.or(usual)),
            // A program describes the kernels whose text it carries.
            None if program => CompiledFile::read(path, name, platform),
            None => CompiledFile::beside(path, read, name, simd, platform, usual),
        };
        let chosen = Chosen::new(source, kernel, (platform, usual), program, find);
        let Chosen {
            file,
            front,
            platform: own,
            kernel: name,
        } = chosen.map_err(|mut refused| {
            if let (Some(named), true) = (named, refused.code == Code::E0601 && named == kernel) {
                refused
                    .notes
                    .push(format!("the launch is one of `{named}`"));
            }
            refused
        })?;
        let mut description = file.description(&front.checked, &name)?;
        let mut arguments = Vec::new();
        if let Some(launch) = &launch {
            same_arguments(&description.names, &launch.launch)?;
            description.names.extend(launch.launch.names());
            description.read_only.extend(launch.launch.read_only());
            arguments = launch.arguments(&description)?;
        }
        let changed = !options.is_empty() || !self.given.is_empty();
        let outs = argument::place(&mut arguments, &options, &description)?;
        argument::give(&mut arguments, &self.given, &description)?;
        let given = launch.as_ref().and_then(|file| file.launch.size());
        let size = self.size(given)?;
        let same = !changed && given == Some(size);
        if let Some(launch) = launch.as_ref().filter(|_| same) {
            launch.expected()?;
        }
        Ok(Launched {
            prepared: file.prepare(&front.checked, &name, arguments, &size)?,
            platform: own,
            kernel: Some(name),
            keep: None,
            names_platform: file.tells_platform(),
            source: source.clone(),
            size,
            outs,
            file: launch.filter(|_| same),
        })
    }

    /// The sizes asked for, in place of those of the description.
    fn size(&self, described: Option<Size>) -> Result<Size, Refused> {
        let list = |name: &str, option: &Option<String>, missing: u32| {
            let Some(text) = option else {
                return Ok(None);
            };
            let numbers: Option<Vec<u32>> = text
                .split(['x', ','])
                .map(|n| n.trim().parse().ok())
                .collect();
            let numbers = numbers.filter(|n| n.len() <= 3);
            let Some(numbers) = numbers else {
                let what = format!("`{text}` is not a size such as 64x48");
                return Err(Box::new(
                    Diagnostic::with_message(Code::E0641, what)
                        .note("one to three numbers of at most 32 bits, with x between them")
                        .help(format!("--{name} 64x48")),
                ));
            };
            let at = |dim: usize| numbers.get(dim).copied().unwrap_or(missing);
            Ok(Some((numbers.len() as u32, std::array::from_fn(at))))
        };
        let global = list("global", &self.global, 1)?;
        let local = list("local", &self.local, 1)?;
        let offset = list("offset", &self.offset, 0)?;
        let mut size = match (described, global) {
            (Some(size), _) => size,
            (None, Some(_)) => Size {
                work_dim: 1,
                global: [1; 3],
                local: [0; 3],
                offset: [0; 3],
                partial: false,
            },
            (None, None) => {
                return Err(Box::new(
                    Diagnostic::with_message(Code::E0641, "the number of work-items is missing")
                        .help("--global 64x48, or \"global_size\": [64, 48] in the description"),
                ));
            }
        };
        if let Some((dims, global)) = global {
            (size.work_dim, size.global) = (dims, global);
            if size.groups([0; 3]).is_err() {
                // What the description says does not fit: found anew.
                size.local = [0; 3];
            }
        }
        if let Some((_, local)) = local {
            size.local = local;
        }
        if let Some((_, offset)) = offset {
            size.offset = offset;
        }
        Ok(size)
    }
}

/// The arguments of a launch are those that the compiler names, where it does.
fn same_arguments(named: &BTreeMap<u32, String>, launch: &Description) -> Result<(), Refused> {
    if named.is_empty() {
        return Ok(());
    }
    let wrong = |what| {
        let known: Vec<&str> = named.values().map(String::as_str).collect();
        Err(Box::new(
            Diagnostic::with_message(Code::E0643, what)
                .note(format!("its arguments: {}", known.join(", "))),
        ))
    };
    for (number, name) in launch.names() {
        match named.get(&number) {
            Some(own) if *own != name => {
                return wrong(format!(
                    "argument {number} of the launch is `{name}`, that of the kernel is `{own}`"
                ));
            }
            _ => {}
        }
    }
    let given = launch.args.len();
    if given > named.len() {
        let own = named.len();
        return wrong(format!(
            "the launch gives {}, the kernel has {own}",
            counted(given, "argument")
        ));
    }
    Ok(())
}

/// Dwords of `printf` that are shown.
const PRINTED: usize = 8;

impl Launched {
    /// What can be done about a mistake that a description and a text of different origin make: another platform
    /// only where the description is not of this one, another description where this one says nothing.
    pub fn add_help(&self, found: &mut Diagnostic) {
        let own = self.platform;
        match found.code {
            Code::E0428 if self.names_platform => {
                found
                    .notes
                    .push(format!("the compiler's description is for {own}"));
                found.help = Some(format!(
                    "text and description of one device: a text compiled for {own}, or with --zebin the program \
                     that was compiled with this text"
                ));
            }
            // Null pointers are arguments to be given.
            Code::E0603 if self.prepared.ready.bindings.names.null.is_empty() => {
                let note = "the compiler's description has no argument at this index";
                found.notes.push(note.to_string());
                let help = "the description that was compiled with this text, whole, or a surface of your own, --surface INDEX=…";
                found.help = Some(help.to_string());
            }
            _ => {}
        }
    }

    pub fn arguments(&self) -> &[Argument] {
        &self.prepared.ready.arguments
    }

    /// Adds the arguments that are to be written.
    ///
    /// # Errors
    /// A sentence: one shows no picture, or a file cannot be written.
    pub fn write(&self, writes: &mut Writes) -> Result<(), String> {
        for (number, path) in &self.outs {
            let bytes = argument::file(&self.arguments()[*number], path).map_err(|r| r.message)?;
            writes.add(path, &bytes).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// What the kernel printed, and W0647 where a record cannot be read.
    pub fn printed(&self) -> (String, Option<Diagnostic>) {
        let ready = &self.prepared.ready;
        let text = match ready.printed_text() {
            Ok(text) => return (text, None),
            Err(text) => text,
        };
        let records = ready.printed();
        let dwords = records.as_chunks::<4>().0.iter().take(PRINTED);
        let dwords: Vec<String> = dwords
            .map(|b| format!("{:#x}", u32::from_le_bytes(*b)))
            .collect();
        let diagnostic = Diagnostic::with_message(
            Code::W0647,
            format!(
                "printf wrote {} bytes, of which a record cannot be read",
                records.len()
            ),
        )
        .note("its text is not at the address that it names, or a value is of an unknown type")
        .note(format!("the first dwords: {}", dwords.join(" ")))
        .see("launch reference 5, `printf_buffer`");
        (text, Some(diagnostic))
    }

    /// Whether the description says what is expected of an output.
    pub fn expects(&self) -> bool {
        self.file
            .as_ref()
            .is_some_and(|file| !file.launch.outputs.is_empty())
    }

    /// Compares the outputs with what the description expects of them.
    ///
    /// * `most`: elements that the diagnostics name.
    pub fn compared(&self, most: usize) -> Vec<Compared> {
        let Some(file) = &self.file else {
            return Vec::new();
        };
        let one = |expected: &Output| {
            let number = expected.arg;
            let name = file.launch.args.get(number);
            let name = name.and_then(|a| a.name.as_deref());
            let name = name.map_or(format!("argument {number}"), |n| {
                format!("argument {number}, `{n}`")
            });
            Compared::of(
                expected,
                (number, name),
                self.arguments().get(number),
                file,
                most,
            )
        };
        file.launch.outputs.iter().map(one).collect()
    }
}
