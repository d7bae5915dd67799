//! Launches of compiled kernels from files: `launch.json` with what lies beside it, or a program that
//! the compiler wrote.

use super::companion_files::folder;
use super::front::Front;
use super::{load, program_file};
use crate::base::order;
use crate::check::{CheckOptions, Checked, CheckedInput, Unit, UnitKind};
use crate::diagnostic::{Class, Code, Diagnostic, counted, nearest};
use crate::files::Files;
use crate::isa::Platform;
use crate::launch::kernel::binary::{self, Compiled};
use crate::launch::kernel::data::ProgramData;
use crate::launch::kernel::json::{Launch, MAX_BUFFER};
use crate::launch::kernel::{Argument, Compiler, Description, PreparedLaunch, Size};
use crate::source::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a run of a compiled kernel needs beside its text.
#[derive(Clone)]
pub struct Prepared {
    /// What the compiler says.
    pub description: Arc<Description>,
    /// Surfaces, registers, sizes.
    pub ready: Arc<PreparedLaunch>,
    /// Addresses of the program's data by symbol.
    pub symbols: Arc<BTreeMap<String, u64>>,
}

/// Why a launch cannot be prepared.
pub type Refused = Box<Diagnostic>;

/// A description file, read.
pub struct LaunchFile {
    /// What it says.
    pub launch: Launch,
    /// Where its paths start.
    pub folder: PathBuf,
    files: Arc<dyn Files>,
}

/// The greatest `launch.json`.
const MAX_DESCRIPTION: u64 = 16 << 20;

impl LaunchFile {
    /// Reads `launch.json`, or one launch of a file with several: `launch.json::NAME`.
    ///
    /// # Errors
    /// `E0702`: no such file; `E0640`: it does not read; `E0763`: which of several is not said.
    pub fn read(path: &Path) -> Result<LaunchFile, Refused> {
        let (path, name) = LaunchFile::split(path);
        let bytes = read(path, MAX_DESCRIPTION)?;
        let text = String::from_utf8_lossy(&bytes);
        let launch = Launch::read_named(&text, name).map_err(|mut refused| {
            refused.notes.push(format!("in {}", path.display()));
            let own = refused.help.take();
            refused.help = own.map(|help| help.replace("FILE.json", &path.display().to_string()));
            refused
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(LaunchFile {
            launch,
            folder: folder.to_path_buf(),
            files: super::grants::files(folder),
        })
    }

    /// A file, and the launch of it that is named.
    pub fn split(path: &Path) -> (&Path, Option<&str>) {
        let named = path.to_str().and_then(|text| text.rsplit_once("::"));
        match named.filter(|_| !path.exists()) {
            Some((file, name)) => (Path::new(file), Some(name)),
            None => (path, None),
        }
    }

    /// Names of the launches of a file with several; none if it is one launch, or one is named.
    ///
    /// # Errors
    /// As [`LaunchFile::read`].
    pub fn names(path: &Path) -> Result<Vec<String>, Refused> {
        if let (_, Some(_)) = LaunchFile::split(path) {
            return Ok(Vec::new());
        }
        let bytes = read(path, MAX_DESCRIPTION)?;
        Launch::names_in(&String::from_utf8_lossy(&bytes))
    }

    /// A file beside the description.
    ///
    /// # Errors
    /// `E0702`.
    pub fn beside(&self, name: &str) -> Result<Vec<u8>, Refused> {
        let path = self.folder.join(name);
        load::bytes_from(&*self.files, &path, MAX_BUFFER).map_err(|e| unusable(&e))
    }

    /// The arguments as the description gives them, for a kernel that takes them so.
    ///
    /// # Errors
    /// `E0642`, `E0644`, `E0702`, `L0640`.
    pub fn arguments(&self, kernel: &Description) -> Result<Vec<Argument>, Refused> {
        let beside = |name: &str| self.beside(name);
        self.launch.arguments(&kernel.images, beside)
    }

    /// What is expected afterwards is there.
    ///
    /// # Errors
    /// `E0702`: a file cannot be read.
    pub fn expected(&self) -> Result<(), Refused> {
        let outputs = self.launch.outputs.iter().enumerate();
        for (number, file) in outputs.filter_map(|(n, o)| Some((n, o.file.as_ref()?))) {
            self.beside(file).map_err(|mut refused| {
                let note = format!("what output {number} of the launch expects");
                refused.notes.push(note);
                refused
            })?;
        }
        Ok(())
    }

    /// The device whose text is `file`, or the one called `device`.
    ///
    /// # Errors
    /// `E0645`: the description has no such device, or several texts of that name; `E0650`: the text is that of
    /// another device.
    pub fn device(&self, file: &Path, device: Option<Platform>) -> Result<String, Refused> {
        let devices = &self.launch.devices;
        let name = file.file_name().and_then(|n| n.to_str()).unwrap_or("");
        let of_platform = |key: &str| Platform::from_name(key) == device;
        let mut found: Vec<&String> = match device {
            Some(_) => devices.keys().filter(|k| of_platform(k)).collect(),
            None => {
                let with_text = devices.iter().filter(|(_, d)| d.visaasm == name);
                with_text.map(|(key, _)| key).collect()
            }
        };
        if found.is_empty() && devices.len() == 1 && device.is_none() {
            found = devices.keys().collect();
        }
        let of_another = |key: &str| {
            let others = devices.iter().filter(|(other, _)| *other != key);
            let mut named = others.filter(|(_, d)| d.visaasm == name);
            let own = devices.get(key).is_some_and(|d| d.visaasm == name);
            named
                .next()
                .filter(|_| !own)
                .map(|(other, _)| other.clone())
        };
        match found[..] {
            [one] => match of_another(one) {
                Some(other) => Err(Box::new(
                    Diagnostic::new(Code::E0650)
                        .note(format!(
                            "`{name}` is the text for {other}, --platform says {one}"
                        ))
                        .help(format!("--platform {other}, or leave the option out"))
                        .see("launch reference 1"),
                )),
                None => Ok(one.clone()),
            },
            _ => {
                let own = devices.iter().filter(|(_, d)| d.visaasm == name);
                let mut fit: Vec<&str> = own.map(|(key, _)| key.as_str()).collect();
                if fit.is_empty() {
                    fit = devices.keys().map(String::as_str).collect();
                }
                let what = match device {
                    Some(asked) => format!("the launch description has no device {asked}"),
                    None => format!("the launch description names no device for `{name}`"),
                };
                Err(Box::new(Diagnostic::with_message(Code::E0645, what).help(
                    format!("--platform {}", fit.join(", or --platform ")),
                )))
            }
        }
    }

    /// The files of functions that it names for `device`.
    pub fn functions(&self, device: &str) -> Vec<PathBuf> {
        let named = self.launch.devices.get(device);
        let named = named.into_iter().flat_map(|d| d.functions.values());
        named.map(|name| self.folder.join(name)).collect()
    }

    /// What the compiler says of the kernel for `device`.
    ///
    /// # Errors
    /// `E0640`, `N0640`: it says what cannot be, or what visim does not give; `E0645`: no such device.
    pub fn description(&self, device: &str) -> Result<Description, Refused> {
        let unknown = |what| Box::new(Diagnostic::with_message(Code::E0645, what));
        let Some(platform) = Platform::from_name(device) else {
            let mut refused = unknown(format!("visim does not know the platform `{device}`"));
            let known = Platform::ALL.iter().flat_map(|p| p.names());
            let meant = Platform::meant(device).map(|p| p.name);
            let meant = meant.or_else(|| nearest(device, known));
            refused.help = meant.map(|meant| format!("did you mean {meant}?"));
            return Err(refused);
        };
        let Some(entry) = self.launch.devices.get(device) else {
            let what = format!("the launch description has no device `{device}`");
            return Err(unknown(what));
        };
        let mut description = entry.description(platform).map_err(|mut refused| {
            refused.notes.push(format!("device {device} of the launch"));
            refused
        })?;
        description.names = self.launch.names();
        description.read_only.extend(self.launch.read_only());
        Ok(description)
    }

    /// Everything for `device` but its text.
    ///
    /// * `arguments`, `size`: those of the description, or what replaces them.
    ///
    /// # Errors
    /// As [`PreparedLaunch::new`]; `E0645`: no such device; `E0702`: a file is missing.
    pub fn prepare(
        &self,
        device: &str,
        arguments: Vec<Argument>,
        size: &Size,
    ) -> Result<Prepared, Refused> {
        let description = self.description(device)?;
        let entry = self.launch.devices.get(device);
        let file = |name: Option<&String>| name.map(|n| self.beside(n)).transpose();
        let data = ProgramData {
            constants: file(entry.and_then(|e| e.const_data.as_ref()))?,
            globals: file(entry.and_then(|e| e.global_data.as_ref()))?,
            ..ProgramData::default()
        };
        let size = size.grouped(description.required_local);
        Ok(Prepared {
            ready: Arc::new(PreparedLaunch::new(
                &description,
                arguments,
                &size,
                &data.memory(),
                &[],
            )?),
            description: Arc::new(description),
            symbols: Arc::default(),
        })
    }
}

/// A file's bytes.
pub(super) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Refused> {
    load::bytes(path, limit).map_err(|e| unusable(&e))
}

pub(super) fn unusable(error: &load::FileError) -> Refused {
    Box::new(Diagnostic::with_message(Code::E0702, error.to_string()))
}

impl Prepared {
    /// Whether a kernel of the text, the file `path`, was compiled for as many lanes as the description says, and for
    /// a device with registers as it says.
    ///
    /// # Errors
    /// `E0645`, `E0650`. Source: launch reference 1, "Several widths, one kernel", 2 and 4.
    pub fn belongs(&self, unit: &Unit, platform: Platform, path: &Path) -> Result<(), Refused> {
        let (own, simd) = (unit.attributes.lanes(), self.description.simd);
        if self.description.compiler == Compiler::Scalar && own != simd {
            return Err(other_width(path, own, simd));
        }
        let misfit = |input: &CheckedInput| {
            let place = (input.offset, input.size);
            self.description.misfit(place, platform)
        };
        let mut misfits = unit.inputs.iter().filter_map(|i| Some((i, misfit(i)?)));
        let Some((input, why)) = misfits.next() else {
            return Ok(());
        };
        let (offset, size) = (input.offset, counted(input.size, "byte"));
        let name = &unit.variable(input.var).name;
        Err(Box::new(
            Diagnostic::new(Code::E0650)
                .note(format!(
                    "the text reads {size} from register byte {offset} on into `{name}`: {why}"
                ))
                .help("use text and description for one device, and the same --platform")
                .see("launch reference 2 and 4"),
        ))
    }
}

/// The text is one that the compiler gave up.
fn other_width(text: &Path, own: u32, described: u32) -> Refused {
    let own_lanes = counted(own, "lane");
    let what = format!("the text is for {own_lanes}, the description for {described}");
    let mut refused = Diagnostic::with_message(Code::E0645, what).see("launch reference 1");
    let name = text.file_name().and_then(|name| name.to_str());
    let sibling = name.map(|name| {
        let widths = [own, described].map(|lanes| format!("simd{lanes}_"));
        text.with_file_name(name.replace(&widths[0], &widths[1]))
    });
    if let Some(sibling) = sibling.filter(|s| s != text && s.is_file()) {
        refused = refused.help(format!("visim run {}", sibling.display()));
    }
    Box::new(refused)
}

/// What the compiler says of a kernel, from a file that it wrote.
pub struct CompiledFile {
    /// The kernel.
    pub compiled: Compiled,
    /// The platform it was compiled for, where the file says so; `E0651` if visim does not know the device.
    platform: Result<Option<Platform>, Refused>,
    path: PathBuf,
}

impl CompiledFile {
    /// Reads a compiled program, or the text of `.ze_info`.
    ///
    /// # Errors
    /// `E0702`: no such file; `E0640`, `E0645`: it does not read, or has no such kernel.
    ///
    /// * `platform`: whose program is taken of an archive, or of a host program.
    pub fn read(
        path: &Path,
        kernel: &str,
        platform: Option<Platform>,
    ) -> Result<CompiledFile, Refused> {
        let whole = read(path, load::MAX_PROGRAM)?;
        CompiledFile::of(&whole, path, kernel, platform)
    }

    /// As [`CompiledFile::read`], of these bytes, which are called `path`.
    ///
    /// # Errors
    /// As there, but for `E0702`.
    pub fn of(
        whole: &[u8],
        path: &Path,
        kernel: &str,
        platform: Option<Platform>,
    ) -> Result<CompiledFile, Refused> {
        // Patch tokens in an ELF file of their own have no machine that would say so.
        let bytes = match program_file::is_program(whole) {
            true => match program_file::of_device(whole, path, platform) {
                Ok(own) => own,
                Err(_) if binary::read(whole, kernel).is_ok() => whole,
                Err(refused) => return Err(refused),
            },
            false => whole,
        };
        let compiled = binary::read(bytes, kernel).map_err(|mut refused| {
            refused.notes.push(format!("in {}", path.display()));
            refused
        })?;
        Ok(CompiledFile {
            compiled,
            platform: binary::platform(bytes),
            path: path.to_path_buf(),
        })
    }

    /// The platform that the kernel runs on: the one of the program, or the one `asked` for; where neither says any,
    /// the `usual` one.
    ///
    /// # Errors
    /// `E0650`: they differ; `E0651`: visim does not know the device, and none is asked for.
    pub fn platform(
        &self,
        asked: Option<Platform>,
        usual: Option<Platform>,
    ) -> Result<Platform, Refused> {
        match (asked, &self.platform) {
            (Some(asked), Ok(Some(own))) if !asked.runs_programs_of(*own) => Err(Box::new(
                Diagnostic::new(Code::E0650)
                    .note(format!(
                        "the program was compiled for {own}, --platform says {asked}"
                    ))
                    .help(format!("--platform {own}, or leave the option out"))
                    .see("launch reference 1"),
            )),
            (Some(asked), _) => Ok(asked),
            (None, Ok(own)) => Ok(own.or(usual).unwrap_or_default()),
            (None, Err(unknown)) => Err(unknown.clone()),
        }
    }

    /// Whether it says for which platform it is.
    pub fn tells_platform(&self) -> bool {
        matches!(self.platform, Ok(Some(_)))
    }

    /// The file beside a text, the file `path`, that describes its kernel for `simd` lanes. Of several the one of
    /// the text's name is taken, else the one that is `asked` for, else that of the text's own, or one with room for the text's inputs whose
    /// device has the text's instructions.
    ///
    /// * `read`: the text, read for a platform.
    ///
    /// # Errors
    /// `E0640`: no file there does; `E0645`: one describes it for other lanes; `N0640`: one describes it in a way that
    /// visim does not model.
    pub fn beside(
        path: &Path,
        read: &dyn Fn(Platform) -> Front,
        kernel: &str,
        simd: u32,
        asked: Option<Platform>,
        usual: Option<Platform>,
    ) -> Result<CompiledFile, Refused> {
        let entries = std::fs::read_dir(folder(path)).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let ending = path.extension().and_then(|e| e.to_str());
                ending.is_some_and(|e| DESCRIPTIONS.contains(&e))
            })
            .filter(|own| super::grants::may_read(folder(path), own).is_ok())
            .collect();
        order::sort_by(&mut paths, Ord::cmp);
        let own_name = |other: &Path| other.file_stem() == path.file_stem();
        let (mut files, mut unsupported) = (Vec::new(), Vec::new());
        for path in &paths {
            match CompiledFile::read(path, kernel, asked.or(usual)) {
                Ok(file) => files.push((path, file)),
                // It describes the kernel, in a way that visim does not model.
                Err(refused) if refused.class() == Class::Unsupported => {
                    unsupported.push((own_name(path), refused));
                }
                Err(_) => {}
            }
        }
        let (fitting, others): (Vec<_>, Vec<_>) = files
            .into_iter()
            .partition(|(_, file)| file.compiled.is_vector() || file.compiled.simd() == simd);
        if let Some((_, refused)) = unsupported
            .iter()
            .find(|(own, _)| *own || fitting.is_empty())
        {
            return Err(refused.clone());
        }
        let best = match fitting.len() {
            1 => fitting.into_iter().next(),
            _ => fitting.into_iter().min_by_key(|(path, file)| {
                let platform = file.platform(asked, usual);
                let contradicts = match (&platform, usual) {
                    (Ok(own), Some(usual)) => *own != usual,
                    (platform, _) => platform.is_err(),
                };
                let text = read(platform.unwrap_or_default());
                let lacks = text.diagnostics.iter().any(|d| d.code == Code::E0428);
                let misfits = !file.holds(&text.checked, kernel);
                // A description without a program has none of the program's data.
                let unnamed = !file.tells_platform();
                (!own_name(path), contradicts, misfits, lacks, unnamed)
            }),
        };
        if let Some((_, file)) = best {
            return Ok(file);
        }
        Err(match others.first() {
            Some((described, file)) => {
                let mut refused = other_width(path, simd, file.compiled.simd());
                let note = format!("{} describes the kernel", described.display());
                refused.notes.push(note);
                refused
            }
            None => Box::new(
                Diagnostic::with_message(
                    Code::E0640,
                    format!("no file next to the text describes kernel `{kernel}`"),
                )
                .note("looked for .zeinfo, .ze_info, .zebin, .bin and .progbin files")
                .help("--zebin kernel.bin, or --launch launch.json"),
            ),
        })
    }

    /// Whether the inputs of a text lie where the description has room for them.
    fn holds(&self, text: &Checked, kernel: &str) -> bool {
        let inputs = inputs(text, kernel);
        let platform = text.platform;
        let description = self.compiled.description(platform, &inputs);
        let fits = |d: &Description| inputs.iter().all(|&i| d.misfit(i, platform).is_none());
        description.is_ok_and(|d| fits(&d))
    }

    /// Everything for a launch; `text` is the program that will run.
    ///
    /// # Errors
    /// As [`PreparedLaunch::new`]; `E0640`, `N0640`: the description cannot be joined with the text.
    pub fn prepare(
        &self,
        text: &Checked,
        kernel: &str,
        arguments: Vec<Argument>,
        size: &Size,
    ) -> Result<Prepared, Refused> {
        let description = self.description(text, kernel)?;
        let size = size.grouped(description.required_local);
        Ok(Prepared {
            ready: Arc::new(PreparedLaunch::new(
                &description,
                arguments,
                &size,
                &self.compiled.data.memory(),
                &[],
            )?),
            description: Arc::new(description),
            symbols: Arc::new(self.compiled.symbols.clone()),
        })
    }

    /// The description, joined with the inputs of the text.
    ///
    /// # Errors
    /// `E0640`, `N0640`.
    pub fn description(&self, text: &Checked, kernel: &str) -> Result<Description, Refused> {
        let inputs = inputs(text, kernel);
        let description = self.compiled.description(text.platform, &inputs);
        description.map_err(|mut refused| {
            refused.notes.push(format!("in {}", self.path.display()));
            refused
        })
    }
}

/// Where a kernel reads its inputs: register byte and size.
fn inputs(text: &Checked, kernel: &str) -> Vec<(u32, u32)> {
    let unit = text.kernel(kernel);
    unit.map(|u| u.inputs.iter().map(|i| (i.offset, i.size)).collect())
        .unwrap_or_default()
}

/// Endings of files in which compilers describe kernels.
pub(super) const DESCRIPTIONS: &[&str] = &["zeinfo", "ze_info", "zebin", "bin", "progbin"];

/// A kernel of a text with what the compiler says of it.
pub struct Chosen {
    /// The description.
    pub file: CompiledFile,
    /// The text, read for the platform.
    pub front: Front,
    /// The platform that it runs on.
    pub platform: Platform,
    /// The kernel's name.
    pub kernel: String,
}

impl Chosen {
    /// The kernel called `kernel`, or the first of `source`, with the description that `find` finds for its name,
    /// the text as it is read for a platform, and its lanes.
    ///
    /// * `platforms`: the one that is asked for, and the one that the text is for; where they are known.
    /// * `program`: the text is that of a compiled program, of whose kernels one has to be named.
    ///
    /// # Errors
    /// `E0601`: no such kernel, or several where one has to be named; what `find` refuses; `E0650`, `E0651`: the device.
    pub fn new(
        source: &Source,
        kernel: Option<&str>,
        (asked, usual): (Option<Platform>, Option<Platform>),
        program: bool,
        find: impl FnOnce(&str, &dyn Fn(Platform) -> Front, u32) -> Result<CompiledFile, Refused>,
    ) -> Result<Chosen, Refused> {
        let read = |platform| {
            let check = CheckOptions {
                platform,
                finalizer: true,
                ..CheckOptions::default()
            };
            Front::with(source, &check)
        };
        let mut front = read(asked.or(usual).unwrap_or_default());
        let units = front.checked.units.iter();
        let kernels = units.filter(|u| u.kind == UnitKind::Kernel);
        let names: Vec<&str> = kernels.map(|u| u.name.as_str()).collect();
        if let (true, None, [first, _, ..]) = (program, kernel, &names[..]) {
            let what = format!("{} has several kernels", source.name());
            let refused = Diagnostic::with_message(Code::E0601, what);
            let refused = refused.note(names.join(", "));
            return Err(Box::new(refused.help(format!("--kernel {first}"))));
        }
        let unit = front.checked.kernel(kernel.unwrap_or_default());
        let Some(unit) = unit else {
            return Err(unknown_kernel(&names, kernel));
        };
        let (name, simd) = (unit.name.clone(), unit.attributes.simd_size.unwrap_or(1));
        let file = find(&name, &read, simd.max(1))?;
        let platform = file.platform(asked, usual)?;
        // What one platform refuses may be right for the kernel's own.
        if platform != front.checked.platform {
            front = read(platform);
        }
        Ok(Chosen {
            file,
            front,
            platform,
            kernel: name,
        })
    }
}

/// The text has no such kernel, or none at all.
pub(super) fn unknown_kernel(names: &[&str], kernel: Option<&str>) -> Refused {
    let what = match kernel {
        Some(name) if !names.is_empty() => format!("the text has no kernel `{name}`"),
        _ => "the text has no kernel".to_string(),
    };
    let mut refused = Box::new(Diagnostic::with_message(Code::E0601, what));
    if !names.is_empty() {
        refused
            .notes
            .push(format!("its kernels: {}", names.join(", ")));
    }
    let meant = kernel.and_then(|name| nearest(name, names.iter().copied()));
    refused.help = meant.map(|meant| format!("did you mean {meant}?"));
    refused
}
