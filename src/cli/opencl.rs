//! `visim opencl`: runs a host program on the OpenCL platform of visim, which it knows nothing of.

use super::output::{Exit, Output};
use crate::files;
use crate::harness::compile;
use serde_json::json;
use std::env;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library of the platform.
const LIBRARY: &str = "libvisim_opencl.so";
/// Names it, where it is not beside the program.
const LIBRARY_AT: &str = "VISIM_OPENCL";
/// Where loaders of OpenCL lie.
const LOADERS: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1",
    "/usr/lib/aarch64-linux-gnu/libOpenCL.so.1",
    "/usr/lib64/libOpenCL.so.1",
    "/usr/lib/libOpenCL.so.1",
    "/usr/local/lib/libOpenCL.so.1",
];

/// Runs an OpenCL program on modelled Intel GPUs, as it is
///
/// Example: visim opencl --devices bmg --sanitize -- ./app --its --own arguments
///
/// The program finds one platform, visim. Its kernels are compiled by Intel's ocloc and run from their vISA text; reports
/// go to standard error, or to the file of --log. Needs the library libvisim_opencl.so (cargo build --release -p
/// visim-opencl), an OpenCL loader and ocloc: --check says what is there.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct OpenCl {
    /// Say what is found and what is missing, and run nothing.
    #[arg(long, conflicts_with = "program")]
    check: bool,
    /// The devices: skl, icl, tgl, dg2, mtl, lnl, bmg, ptl, nvl-s, cri, with commas between them, or all.
    #[arg(long, value_name = "NAMES")]
    devices: Option<String>,
    /// Report undefined registers, accesses outside of memory, misaligned ones, missed barriers.
    #[arg(long)]
    sanitize: bool,
    /// Report accesses of different threads to the same bytes that nothing orders.
    #[arg(long)]
    check_races: bool,
    /// Count instructions, lanes and bytes of each launch.
    #[arg(long)]
    stats: bool,
    /// Print each instruction of a thread of a kernel; * is any.
    #[arg(long, value_name = "KERNEL[:THREAD]")]
    trace: Option<String>,
    /// Write each launch into a folder of its own below this one: text, program, launch.json and data.
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// End the program with status 86 at the first finding, or at the first kernel that cannot be run.
    #[arg(long)]
    stop: bool,
    /// The file that takes the reports.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(value_name = "PROGRAM", last = true, num_args = 0.., required_unless_present = "check")]
    program: Vec<OsString>,
}

impl OpenCl {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        if self.check {
            return check(output);
        }
        let Some(library) = library() else {
            return output.complain(&format!(
                "{LIBRARY} was found neither beside visim nor by {LIBRARY_AT}: cargo build --release -p visim-opencl makes it"
            ));
        };
        output.complain(&self.start(&library))
    }

    /// Becomes the program: signals, the terminal and the status at the end are its own. Says why it cannot.
    fn start(&self, library: &Path) -> String {
        let Some((program, arguments)) = self.program.split_first() else {
            return "which program? visim opencl -- ./app".to_string();
        };
        let library = std::path::absolute(library).unwrap_or_else(|_| library.to_path_buf());
        let vendors = match vendors(&library) {
            Ok(vendors) => vendors,
            Err(error) => return format!("no folder for the loader: {error}"),
        };
        let mut command = Command::new(program);
        command.args(arguments);
        command.env("OCL_ICD_VENDORS", &vendors);
        command.env("OCL_ICD_FILENAMES", &library);
        let flags = [
            ("VISIM_SANITIZE", self.sanitize),
            ("VISIM_RACES", self.check_races),
            ("VISIM_STATS", self.stats),
        ];
        for (name, _) in flags.iter().filter(|(_, on)| *on) {
            command.env(name, "1");
        }
        if self.stop {
            command.env("VISIM_ON_FINDING", "exit");
            command.env("VISIM_ON_FAILURE", "exit");
        }
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let words = [
            ("VISIM_DEVICES", self.devices.clone().map(OsString::from)),
            ("VISIM_TRACE", self.trace.clone().map(OsString::from)),
            (
                "VISIM_RECORD",
                self.record.as_ref().map(|p| absolute(p).into()),
            ),
            ("VISIM_LOG", self.log.as_ref().map(|p| absolute(p).into())),
        ];
        for (name, word) in words {
            if let Some(word) = word {
                command.env(name, word);
            }
        }
        let error = command.exec();
        format!("{}: {error}", Path::new(program).display())
    }
}

/// The folder by which loaders find the library. Some take the name of a library, all take a folder with a file that names
/// it: one for each library, with the user's cached files, so that nothing is left to remove when the program has ended.
fn vendors(library: &Path) -> io::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    library.hash(&mut hasher);
    let own = compile::cache();
    // Others may write into the folder of temporary files, and the loader takes whatever it finds.
    let folder = match own == env::temp_dir().join("visim") {
        true => tempfile::Builder::new()
            .prefix("visim-icd")
            .tempdir()?
            .keep(),
        false => own.join(format!("icd-{:016x}", hasher.finish())),
    };
    let file = folder.join("visim.icd");
    let named = [library.as_os_str().as_bytes(), b"\n"].concat();
    if !std::fs::read(&file).is_ok_and(|old| old == named) {
        std::fs::create_dir_all(&folder)?;
        files::write_whole(&file, &named)?;
    }
    Ok(folder)
}

/// The library: the one that is named, or one beside the program, or where packages put it.
fn library() -> Option<PathBuf> {
    if let Some(own) = env::var_os(LIBRARY_AT).filter(|own| !own.is_empty()) {
        return Some(PathBuf::from(own)).filter(|path| path.is_file());
    }
    let program = env::current_exe().ok()?;
    let folder = program.parent()?;
    let places = ["", "../lib", "../lib/visim"];
    let mut all = places.iter().map(|place| folder.join(place).join(LIBRARY));
    all.find(|path| path.is_file())
}

/// What is there, and what is missing.
fn check(output: &mut Output) -> Exit {
    let library = library();
    let loader = LOADERS.iter().map(Path::new).find(|path| path.exists());
    let compiler = compile::compiler();
    let devices = compiler
        .as_deref()
        .map(compile::devices)
        .unwrap_or_default();
    let shown = |path: Option<&Path>| path.map(|path| path.display().to_string());
    let rows = [
        (
            "platform",
            shown(library.as_deref()),
            "libvisim_opencl.so: cargo build --release -p visim-opencl",
        ),
        (
            "loader",
            shown(loader),
            "libOpenCL.so.1: Debian's ocl-icd-libopencl1",
        ),
        (
            "compiler",
            shown(compiler.as_deref()),
            "ocloc: Debian's intel-ocloc, or intel-opencl-icd up to Debian 12; VISIM_OCLOC names another",
        ),
    ];
    let mut exit = Exit::Fine;
    for (name, found, help) in &rows {
        match found {
            Some(found) => output.text(&format!("{name:<10}{found}\n")),
            None => {
                output.text(&format!("{name:<10}missing; {help}\n"));
                exit = Exit::Command;
            }
        }
        output.field(name, || json!(found));
    }
    let Some(compiler) = compiler else {
        return exit;
    };
    output.field("builds", || json!(devices));
    let Some(first) = devices.first() else {
        let why = "for no device: it is not there, cannot be started, or is no ocloc";
        output.text(&format!("{:<10}{why}\n", "builds"));
        return Exit::Command;
    };
    output.text(&format!("{:<10}{}\n", "builds", devices.join(" ")));
    if let Err(said) = compile::builds(&compiler, first) {
        let said = said.trim();
        output.text(&format!("{:<10}no: {said}\n", "works"));
        if let Some(help) = compile::missing(said) {
            output.text(&format!("{:<10}{help}\n", ""));
        }
        output.field("works", || json!(false));
        return Exit::Command;
    }
    output.field("works", || json!(true));
    exit
}
