//! OpenCL C by Intel's offline compiler: `ocloc`, where it is installed, makes of a kernel a program that carries its
//! text ([`super::program_file`]).
//!
//! What was compiled once is kept, by all that it was made of: the text, the device, the options and the compiler.

use super::kernel::Refused;
use super::load;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::MAX_SOURCE_BYTES;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names the compiler, where it is not the `ocloc` of PATH.
pub const OCLOC: &str = "VISIM_OCLOC";

/// Asks for the sections of vISA text; the first word is for compilers that have another format by choice.
pub const WITH_TEXT: &str = "-ze-allow-zebin -ze-emit-zebin-visa-sections";

/// Lines of the compiler's output that are shown.
const SHOWN: usize = 40;

/// Whether a file is OpenCL C.
pub fn is_opencl(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "cl")
}

fn refused(what: impl Into<String>) -> Diagnostic {
    Diagnostic::with_message(Code::E0653, what)
}

/// The compiler: the one named by [`OCLOC`], or that of PATH. A name alone is one of PATH.
pub fn compiler() -> Option<PathBuf> {
    let named = env::var_os(OCLOC).filter(|name| !name.is_empty());
    let named = named.map(PathBuf::from);
    let usual = || PathBuf::from(format!("ocloc{}", env::consts::EXE_SUFFIX));
    let name = named.clone().unwrap_or_else(usual);
    if name.components().count() > 1 {
        return Some(name);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&path).map(|folder| folder.join(&name));
    files.find(|file| file.is_file()).or(named)
}

/// The devices that a compiler builds for, by its names; none if it does not say.
pub fn devices(compiler: &Path) -> Vec<String> {
    let help = Command::new(compiler)
        .args(["compile", "--help"])
        .stdin(Stdio::null())
        .output();
    let text = help.map_or(String::new(), |help| {
        String::from_utf8_lossy(&[help.stdout, help.stderr].concat()).into_owned()
    });
    let list = text.split("<device_type> can be:").nth(1);
    let list = list.and_then(|rest| rest.split('\n').next());
    let names = list.unwrap_or_default().split(',').map(str::trim);
    names
        // The list ends with words on other ways to name one.
        .filter(|name| !name.is_empty() && !name.contains(' '))
        .map(str::to_string)
        .collect()
}

/// Who has what a compiler misses, by what it says: `ocloc` is found, and the libraries that it loads are not, or it is of
/// another time than the device.
pub fn missing(said: &str) -> Option<&'static str> {
    let known = [
        (
            "libigdfcl",
            "`ocloc` loads the compiler from libraries: Debian's packages libigdfcl2 and libigc2 have them, \
             libigdfcl1 and libigc1 up to Debian 12",
        ),
        (
            "Cannot get HW Info",
            "this `ocloc` does not build for the device: `visim opencl --check` lists those that it builds for, \
             VISIM_OCLOC names another one",
        ),
    ];
    let mut known = known.into_iter();
    known.find_map(|(word, help)| said.contains(word).then_some(help))
}

/// Builds an empty kernel.
///
/// # Errors
/// What the compiler says.
pub fn builds(compiler: &Path, device: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("empty.cl");
    fs::write(&file, "kernel void empty(void) {}\n").map_err(|error| error.to_string())?;
    let ran = Command::new(compiler)
        .args(["compile", "-device", device, "-file"])
        .arg(&file)
        .arg("-out_dir")
        .arg(folder.path())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    match ran.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned()),
    }
}

/// Where programs, and what is known of earlier runs, are kept: the user's cache, or the folder of temporary files.
pub fn cache() -> PathBuf {
    let own = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let folder = own.or(home).filter(|folder| folder.is_absolute());
    folder.unwrap_or_else(env::temp_dir).join("visim")
}

/// All that a program is made of, as text.
fn key(text: &str, device: &str, options: &[String], compiler: &Path) -> String {
    let facts = fs::metadata(compiler).ok();
    let changed = facts.as_ref().and_then(|facts| facts.modified().ok());
    let size = facts.map_or(0, |facts| facts.len());
    let compiler = compiler.display();
    format!("{compiler} {size} {changed:?}\n{device}\n{options:?}\n{text}")
}

/// Options for a compiler that runs in a folder of its own, since some leave files where they run: folders of headers are
/// absolute, and the one at hand is the last of them.
pub fn from_elsewhere(options: &[String]) -> Vec<String> {
    let absolute = |path: &str| match std::path::absolute(path) {
        Ok(path) => path.display().to_string(),
        Err(_) => path.to_string(),
    };
    let (mut all, mut is_folder) = (Vec::new(), false);
    for word in options {
        all.push(match word.strip_prefix("-I") {
            _ if is_folder => absolute(word),
            Some("") | None => word.clone(),
            Some(path) => format!("-I{}", absolute(path)),
        });
        is_folder = !is_folder && word == "-I";
    }
    if let Ok(own) = env::current_dir() {
        all.push(format!("-I{}", own.display()));
    }
    all
}

/// Options as one text; a quote stands around those with blanks.
pub fn joined(options: &[String]) -> String {
    let quoted = |word: &String| match word.contains(char::is_whitespace) {
        true => format!("\"{word}\""),
        false => word.clone(),
    };
    options.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Compiles a file for a device, with options of the language's compiler (`-cl-std=CL3.0 -D N=4`); the program.
///
/// # Errors
/// `E0702`: the file cannot be read; `E0653`: no compiler is found, or it refuses the text.
pub fn compile(path: &Path, device: &str, options: &[String]) -> Result<PathBuf, Refused> {
    let text = load::text(path, MAX_SOURCE_BYTES as u64);
    let text = text.map_err(|error| super::kernel::unusable(&error))?;
    let Some(compiler) = compiler() else {
        return Err(Box::new(
            refused("OpenCL C needs Intel's offline compiler, and no `ocloc` is on PATH")
                .note(format!(
                    "Debian's package intel-ocloc has it; {OCLOC} may name another"
                ))
                .help("visim run TEXT.visaasm, the text that the compiler leaves, needs none"),
        ));
    };
    let io = |what: &str, error: &std::io::Error| -> Refused {
        Box::new(refused(format!("{}: {what}: {error}", path.display())))
    };
    let key = key(&text, device, options, &compiler);
    let mut hash = DefaultHasher::new();
    key.hash(&mut hash);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{stem}-{device}-{:016x}", hash.finish());
    let folder = cache();
    let (program, made_of) = (
        folder.join(format!("{name}.bin")),
        folder.join(format!("{name}.key")),
    );
    // What other files hold that the text includes is not known here.
    let kept = !text.contains("#include");
    if kept && program.is_file() && fs::read_to_string(&made_of).is_ok_and(|old| old == key) {
        return Ok(program);
    }
    fs::create_dir_all(&folder).map_err(|error| io("no folder for the program", &error))?;
    let work = tempfile::tempdir_in(&folder).map_err(|error| io("no folder to work in", &error))?;
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut arguments: Vec<OsString> = ["compile", "-file"].map(OsString::from).to_vec();
    arguments.push(absolute(path).into());
    for argument in [
        "-device",
        device,
        "-output",
        &name,
        "-output_no_suffix",
        "-out_dir",
    ] {
        arguments.push(argument.into());
    }
    arguments.push(absolute(work.path()).into());
    arguments.extend(["-internal_options", WITH_TEXT].map(OsString::from));
    arguments.extend(["-options".into(), joined(&from_elsewhere(options)).into()]);
    // A name alone is one of PATH.
    let started = match compiler.components().count() {
        1 => compiler.clone(),
        _ => absolute(&compiler),
    };
    let ran = Command::new(started)
        .args(&arguments)
        .current_dir(work.path())
        .output();
    let ran =
        ran.map_err(|error| io(&format!("{} cannot be started", compiler.display()), &error))?;
    // Earlier compilers give the file no ending.
    let names = [format!("{name}.bin"), name.clone()].map(|name| work.path().join(name));
    let made = names.into_iter().find(|file| file.is_file());
    let Some(made) = made.filter(|_| ran.status.success()) else {
        let mut what = refused(format!("{} does not compile for {device}", path.display()));
        let said = [ran.stdout, ran.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let lines = said.lines().filter(|line| !line.trim().is_empty());
        what.notes.extend(lines.take(SHOWN).map(str::to_string));
        what.help = missing(&said).map(str::to_string);
        return Err(Box::new(what));
    };
    fs::rename(&made, &program).map_err(|error| io("the program cannot be kept", &error))?;
    // A key that cannot be written only means that the next run compiles again.
    let _ = fs::write(&made_of, key);
    Ok(program)
}
