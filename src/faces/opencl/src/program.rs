//! Programs: what they are made of, what the compiler made of them, and the kernels that visim found in it.

use crate::compiler::{self, Input, Stage};
use crate::context::Context;
use crate::device::Device;
use crate::host::Ending;
use crate::info::{self, Info};
use crate::object::{Object, Result, Status, class, lock};
use crate::sys::*;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use visim::internals::diagnostic::{Diagnostic, render_all};
use visim::internals::harness::kernel::{Chosen, CompiledFile};
use visim::internals::harness::program_file;
use visim::internals::launch::kernel::Description;
use visim::internals::launch::kernel::binary::{self, ArgumentInfo, Compiled};
use visim::internals::launch::kernel::data::ProgramMemory;
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::program::Program as Code;
use visim::internals::source::Source;

/// A program.
pub struct Program {
    /// Its context.
    pub context: Arc<Object<Context>>,
    /// Its devices, in the order of its builds.
    pub devices: Vec<&'static Device>,
    /// What it is made of.
    pub made_of: MadeOf,
    builds: Mutex<Vec<Build>>,
    /// Kernels of it that the host holds.
    kernels: Mutex<u32>,
    /// Whom to tell when it ends.
    pub ending: Ending,
}

class!(Program, CL_INVALID_PROGRAM);

/// What a program is made of.
#[derive(Clone, Debug)]
pub enum MadeOf {
    /// OpenCL C.
    Source(String),
    /// SPIR-V.
    Il(Vec<u8>),
    /// Programs for devices, or objects.
    Binaries,
    /// Other programs.
    Objects,
}

/// What became of it for a device.
#[derive(Clone, Default)]
struct Build {
    status: cl_build_status,
    options: String,
    log: String,
    /// `CL_PROGRAM_BINARY_TYPE_…`.
    kind: cl_program_binary_type,
    bytes: Option<Arc<[u8]>>,
    code: Option<Arc<DeviceProgram>>,
}

/// A program for a device, with its kernels.
pub struct DeviceProgram {
    /// As the compiler wrote it.
    pub bytes: Arc<[u8]>,
    /// Names of its kernels.
    pub names: Vec<String>,
    /// Groups may have fewer work-items at the end of a range: OpenCL C 2.0 and later.
    pub partial_groups: bool,
    device: &'static Device,
    kernels: Mutex<HashMap<String, Arc<KernelCode>>>,
    /// Constants, and variables that keep their values from launch to launch.
    data: OnceLock<ProgramMemory>,
}

/// A kernel for a device.
pub struct KernelCode {
    /// Its name.
    pub name: String,
    /// What the compiler says of it.
    pub compiled: Compiled,
    /// Its text.
    pub text: Source,
    /// What the launch reads of the description, and what runs; else why it does not.
    pub runs: std::result::Result<Runs, String>,
}

/// A kernel that can run.
pub struct Runs {
    /// What fills registers and binding tables.
    pub description: Description,
    /// What the threads run.
    pub code: Code,
}

/// What files are called in diagnostics: no file is read.
const FILE: &str = "program.bin";

impl DeviceProgram {
    /// # Errors
    /// Why it cannot be read, for the build log.
    fn new(
        bytes: Arc<[u8]>,
        device: &'static Device,
        partial_groups: bool,
    ) -> std::result::Result<DeviceProgram, String> {
        let said = |refused: Box<Diagnostic>| said(&[*refused], &Source::new(FILE, ""));
        let path = Path::new(FILE);
        let own = program_file::of_device(&bytes, path, Some(device.platform)).map_err(said)?;
        let names = program_file::kernels_of(own, path).map_err(said)?;
        Ok(DeviceProgram {
            bytes: own.into(),
            names,
            partial_groups,
            device,
            kernels: Mutex::default(),
            data: OnceLock::new(),
        })
    }

    /// A kernel, read when it is first asked for.
    pub fn kernel(&self, name: &str) -> Option<Arc<KernelCode>> {
        if !self.names.iter().any(|own| own == name) {
            return None;
        }
        let mut kernels = lock(&self.kernels);
        if let Some(found) = kernels.get(name) {
            return Some(Arc::clone(found));
        }
        let compiled = binary::read(&self.bytes, name).unwrap_or_default();
        let path = Path::new(FILE);
        let (text, runs) = match program_file::source(&self.bytes, path, Some(name)) {
            Ok(text) => {
                let runs = self.runs(&text, name);
                (text, runs)
            }
            Err(refused) => {
                let nothing = Source::new(FILE, "");
                let why = said(&[*refused], &nothing);
                (nothing, Err(why))
            }
        };
        let code = Arc::new(KernelCode {
            name: name.to_string(),
            compiled,
            text,
            runs,
        });
        kernels.insert(name.to_string(), Arc::clone(&code));
        Some(code)
    }

    fn runs(&self, text: &Source, name: &str) -> std::result::Result<Runs, String> {
        let why = |refused: Box<Diagnostic>| said(&[*refused], text);
        let platform = Some(self.device.platform);
        let path = Path::new(FILE);
        let chosen = Chosen::new(text, Some(name), (platform, None), true, |name, _, _| {
            CompiledFile::of(&self.bytes, path, name, platform)
        });
        let chosen = chosen.map_err(why)?;
        let front = &chosen.front;
        if front.is_refused() {
            return Err(said(&front.diagnostics, text));
        }
        let description = chosen.file.description(&front.checked, name).map_err(why)?;
        let options = LowerOptions {
            symbols: Some(&chosen.file.compiled.symbols),
            ..LowerOptions::default()
        };
        let code = lower(&front.checked, name, &options);
        let code = code.map_err(|found| said(&found, text))?;
        Ok(Runs { description, code })
    }

    /// The program's data; all launches see the same.
    pub fn data(&self, compiled: &Compiled) -> &ProgramMemory {
        self.data.get_or_init(|| compiled.data.memory())
    }
}

fn said(diagnostics: &[Diagnostic], source: &Source) -> String {
    render_all(diagnostics, source, false)
}

impl KernelCode {
    /// Arguments by number, with what is known of them.
    pub fn argument(&self, number: u32) -> Option<&ArgumentInfo> {
        self.compiled.arguments.get(&number)
    }
}

impl Program {
    /// A program that is not built.
    pub fn new(
        context: Arc<Object<Context>>,
        devices: Vec<&'static Device>,
        made_of: MadeOf,
    ) -> Arc<Object<Program>> {
        let builds = devices.iter().map(|_| Build {
            status: CL_BUILD_NONE,
            ..Build::default()
        });
        let builds = Mutex::new(builds.collect());
        let program = Object::new(Program {
            context,
            devices,
            made_of,
            builds,
            kernels: Mutex::new(0),
            ending: Ending::default(),
        });
        program.ending.of(program.handle());
        program
    }

    /// Gives the bytes of a program for a device, as [`query`] gives them out.
    ///
    /// # Errors
    /// `CL_INVALID_BINARY`.
    pub fn set_binary(&self, device: &'static Device, bytes: Vec<u8>) -> Result<()> {
        let kind = kind_of(&bytes).ok_or(CL_INVALID_BINARY)?;
        if kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE {
            let read = DeviceProgram::new(bytes.clone().into(), device, true);
            read.map_err(|_| CL_INVALID_BINARY)?;
        }
        self.change(device, |build| {
            build.kind = kind;
            build.bytes = Some(bytes.into());
        });
        Ok(())
    }

    fn change(&self, device: &Device, change: impl FnOnce(&mut Build)) {
        let mut builds = lock(&self.builds);
        let mut all = self.devices.iter().zip(builds.iter_mut());
        if let Some((_, build)) = all.find(|(own, _)| std::ptr::eq(**own, device)) {
            change(build);
        }
    }

    fn build_of(&self, device: &Device) -> Option<Build> {
        let at = self
            .devices
            .iter()
            .position(|own| std::ptr::eq(*own, device))?;
        lock(&self.builds).get(at).cloned()
    }

    /// The program for a device, if it was built.
    pub fn code(&self, device: &Device) -> Option<Arc<DeviceProgram>> {
        self.build_of(device)?.code
    }

    /// The programs of all devices.
    pub fn codes(&self) -> Vec<Arc<DeviceProgram>> {
        let builds = lock(&self.builds);
        builds
            .iter()
            .filter_map(|build| build.code.clone())
            .collect()
    }

    /// Kernels of it keep it from being built again.
    pub fn count_kernels(&self, more: bool) {
        let mut kernels = lock(&self.kernels);
        *kernels = match more {
            true => *kernels + 1,
            false => kernels.saturating_sub(1),
        };
    }

    /// Builds the program for devices.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`: it has kernels; `CL_INVALID_BUILD_OPTIONS`; `CL_INVALID_BINARY`;
    /// `CL_BUILD_PROGRAM_FAILURE`.
    pub fn build(&self, devices: &[&'static Device], options: &str) -> Result<()> {
        self.may_change(options, CL_INVALID_BUILD_OPTIONS)?;
        let mut result = Ok(());
        for &device in devices {
            let input = match (&self.made_of, self.build_of(device).and_then(|b| b.bytes)) {
                (MadeOf::Source(source), _) => Some(Input::Source(source.clone(), BTreeMap::new())),
                (MadeOf::Il(bytes), _) => Some(Input::Il(bytes.clone())),
                (_, Some(bytes)) if kind_of(&bytes) != Some(CL_PROGRAM_BINARY_TYPE_EXECUTABLE) => {
                    Some(Input::Il(bytes.to_vec()))
                }
                (_, Some(_)) => None,
                (_, None) => return Err(CL_INVALID_BINARY),
            };
            let built = match input {
                Some(input) => compiler::compile(device, &input, options, Stage::Program),
                None => compiler::Compiled {
                    bytes: self.build_of(device).and_then(|b| Some(b.bytes?.to_vec())),
                    log: String::new(),
                },
            };
            result = result.and(self.take(device, built, options, CL_BUILD_PROGRAM_FAILURE));
        }
        result
    }

    /// Whether the language and the options let groups be cut off at the end of a range.
    fn has_partial_groups(&self, options: &str) -> bool {
        let words = compiler::words(options);
        let later =
            |word: &String| word.starts_with("-cl-std=CL2") || word.starts_with("-cl-std=CL3");
        let uniform = |word: &String| word == "-cl-uniform-work-group-size";
        let language = !matches!(self.made_of, MadeOf::Source(_)) || words.iter().any(later);
        language && !words.iter().any(uniform)
    }

    /// Keeps a program that was made for a device.
    fn take(
        &self,
        device: &'static Device,
        built: compiler::Compiled,
        options: &str,
        failure: Status,
    ) -> Result<()> {
        let mut log = built.log;
        let bytes: Option<Arc<[u8]>> = built.bytes.map(Into::into);
        let code = bytes.as_ref().and_then(|bytes| {
            let partial = self.has_partial_groups(options);
            let read = DeviceProgram::new(Arc::clone(bytes), device, partial);
            read.map_err(|why| log.push_str(&why)).ok()
        });
        let good = code.is_some();
        self.change(device, |build| {
            *build = Build {
                status: if good {
                    CL_BUILD_SUCCESS
                } else {
                    CL_BUILD_ERROR
                },
                options: options.to_string(),
                log,
                kind: match good {
                    true => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                    false => CL_PROGRAM_BINARY_TYPE_NONE,
                },
                bytes: code.as_ref().map(|code| Arc::clone(&code.bytes)),
                code: code.map(Arc::new),
            };
        });
        if good { Ok(()) } else { Err(failure) }
    }

    fn may_change(&self, options: &str, invalid: Status) -> Result<()> {
        if *lock(&self.kernels) > 0 {
            return Err(CL_INVALID_OPERATION);
        }
        match compiler::are_options(options) {
            true => Ok(()),
            false => Err(invalid),
        }
    }

    /// Compiles the program for devices, to be linked.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`: it has kernels, or no source; `CL_INVALID_COMPILER_OPTIONS`; `CL_COMPILE_PROGRAM_FAILURE`.
    pub fn compile(
        &self,
        devices: &[&'static Device],
        options: &str,
        headers: &BTreeMap<String, String>,
    ) -> Result<()> {
        let input = match &self.made_of {
            MadeOf::Source(source) => Input::Source(source.clone(), headers.clone()),
            MadeOf::Il(bytes) => Input::Il(bytes.clone()),
            _ => return Err(CL_INVALID_OPERATION),
        };
        self.may_change(options, CL_INVALID_COMPILER_OPTIONS)?;
        let mut result = Ok(());
        for &device in devices {
            let built = match &input {
                // It is what objects are.
                Input::Il(bytes) => compiler::Compiled {
                    bytes: Some(bytes.clone()),
                    log: String::new(),
                },
                input => compiler::compile(device, input, options, Stage::Object),
            };
            let good = built.bytes.is_some();
            self.change(device, |build| {
                *build = Build {
                    status: if good {
                        CL_BUILD_SUCCESS
                    } else {
                        CL_BUILD_ERROR
                    },
                    options: options.to_string(),
                    log: built.log,
                    kind: match good {
                        true => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                        false => CL_PROGRAM_BINARY_TYPE_NONE,
                    },
                    bytes: built.bytes.map(Into::into),
                    code: None,
                };
            });
            if !good {
                result = Err(CL_COMPILE_PROGRAM_FAILURE);
            }
        }
        result
    }

    /// Links objects into this program.
    ///
    /// # Errors
    /// `CL_INVALID_LINKER_OPTIONS`; `CL_INVALID_OPERATION`: one has no object for a device; `CL_LINK_PROGRAM_FAILURE`.
    pub fn link(&self, objects: &[Arc<Object<Program>>], options: &str) -> Result<()> {
        if !compiler::are_options(options) {
            return Err(CL_INVALID_LINKER_OPTIONS);
        }
        let library = compiler::words(options)
            .iter()
            .any(|word| word == "-create-library");
        let mut result = Ok(());
        for &device in &self.devices {
            let mut parts = Vec::new();
            let mut own_options = Vec::new();
            for object in objects {
                let build = object.build_of(device).ok_or(CL_INVALID_OPERATION)?;
                let linkable = matches!(
                    build.kind,
                    CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT | CL_PROGRAM_BINARY_TYPE_LIBRARY
                );
                let bytes = build
                    .bytes
                    .filter(|_| linkable)
                    .ok_or(CL_INVALID_OPERATION)?;
                own_options.extend(
                    compiler::words(&build.options)
                        .into_iter()
                        .filter(|word| word.starts_with("-cl-std=")),
                );
                parts.push(bytes.to_vec());
            }
            own_options.dedup();
            let linked = compiler::link(&parts);
            let Some(bytes) = linked.bytes else {
                self.change(device, |build| {
                    build.status = CL_BUILD_ERROR;
                    build.log = linked.log;
                    build.options = options.to_string();
                });
                result = Err(CL_LINK_PROGRAM_FAILURE);
                continue;
            };
            if library {
                self.change(device, |build| {
                    *build = Build {
                        status: CL_BUILD_SUCCESS,
                        options: options.to_string(),
                        log: linked.log,
                        kind: CL_PROGRAM_BINARY_TYPE_LIBRARY,
                        bytes: Some(bytes.into()),
                        code: None,
                    };
                });
                continue;
            }
            let words = compiler::words(options).into_iter();
            let kept = words.filter(|word| !word.starts_with("-enable-link"));
            let all: Vec<String> = own_options.into_iter().chain(kept).collect();
            let built =
                compiler::compile(device, &Input::Il(bytes), &all.join(" "), Stage::Program);
            result = result.and(self.take(device, built, options, CL_LINK_PROGRAM_FAILURE));
        }
        result
    }
}

/// What bytes are: a program, or an object.
fn kind_of(bytes: &[u8]) -> Option<cl_program_binary_type> {
    if program_file::is_program(bytes) {
        return Some(CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    }
    let is_object =
        bytes.starts_with(&compiler::SPIRV.to_le_bytes()) || bytes.starts_with(b"BC\xc0\xde");
    is_object.then_some(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT)
}

/// `clGetProgramInfo`, but for the binaries.
///
/// # Errors
/// `CL_INVALID_PROGRAM_EXECUTABLE`: it was not built; `CL_INVALID_VALUE`: no such query.
pub fn query(program: &Object<Program>, name: cl_program_info) -> Result<Info> {
    let kernels = || -> Result<Vec<String>> {
        let codes = program.codes();
        let first = codes.first().ok_or(CL_INVALID_PROGRAM_EXECUTABLE)?;
        Ok(first.names.clone())
    };
    Ok(match name {
        CL_PROGRAM_REFERENCE_COUNT => info::uint(program.references()),
        CL_PROGRAM_CONTEXT => info::pointer(program.context.handle()),
        CL_PROGRAM_NUM_DEVICES => info::uint(program.devices.len() as u32),
        CL_PROGRAM_DEVICES => info::pointers(program.devices.iter().map(|d| d.handle())),
        CL_PROGRAM_SOURCE => info::text(match &program.made_of {
            MadeOf::Source(source) => source,
            _ => "",
        }),
        CL_PROGRAM_IL => Info(match &program.made_of {
            MadeOf::Il(bytes) => bytes.clone(),
            _ => Vec::new(),
        }),
        CL_PROGRAM_BINARY_SIZES => {
            let sizes: Vec<usize> = binaries(program).iter().map(|b| b.len()).collect();
            info::sizes(&sizes)
        }
        CL_PROGRAM_NUM_KERNELS => info::size(kernels()?.len()),
        CL_PROGRAM_KERNEL_NAMES => info::text(&kernels()?.join(";")),
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
            info::boolean(false)
        }
        _ => return Err(CL_INVALID_VALUE),
    })
}

/// The bytes of each device's program; none where it was not built.
pub fn binaries(program: &Program) -> Vec<Arc<[u8]>> {
    let builds = lock(&program.builds);
    let bytes = builds.iter().map(|build| build.bytes.clone());
    bytes.map(Option::unwrap_or_default).collect()
}

/// `clGetProgramBuildInfo`.
///
/// # Errors
/// `CL_INVALID_DEVICE`: not one of the program; `CL_INVALID_VALUE`: no such query.
pub fn query_build(
    program: &Program,
    device: &Device,
    name: cl_program_build_info,
) -> Result<Info> {
    let build = program.build_of(device).ok_or(CL_INVALID_DEVICE)?;
    Ok(match name {
        CL_PROGRAM_BUILD_STATUS => info::uint(build.status.cast_unsigned()),
        CL_PROGRAM_BUILD_OPTIONS => info::text(&build.options),
        CL_PROGRAM_BUILD_LOG => info::text(&build.log),
        CL_PROGRAM_BINARY_TYPE => info::uint(build.kind),
        CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
            let code = build.code.as_ref();
            let data = code.and_then(|code| {
                let kernel = code.kernel(code.names.first()?)?;
                Some(code.data(&kernel.compiled).globals.len())
            });
            info::size(data.unwrap_or(0))
        }
        _ => return Err(CL_INVALID_VALUE),
    })
}
