//! Intel's offline compiler, `ocloc`, as a child process: what it says and whatever becomes of it stay out of the host
//! program. What it made is kept on disk by everything that it was made from.
//!
//! ```text
//!  source, headers ─ files in a folder of its own ─▶ ocloc compile ─▶ program with vISA text, log
//! ```

use crate::device::Device;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use visim::internals::harness::compile;

/// What is to be compiled.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub enum Input {
    /// OpenCL C, with headers by the names that it includes them by.
    Source(String, BTreeMap<String, String>),
    /// SPIR-V, or what the linker made of it.
    Il(Vec<u8>),
}

/// What is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A program for a device.
    Program,
    /// SPIR-V, to be linked.
    Object,
}

/// What came of it.
pub struct Compiled {
    /// The program, or the object; none if it did not compile.
    pub bytes: Option<Vec<u8>>,
    /// What the compiler wrote.
    pub log: String,
}

impl Compiled {
    fn failed(log: impl Into<String>) -> Compiled {
        Compiled {
            bytes: None,
            log: log.into(),
        }
    }
}

/// How SPIR-V begins.
pub const SPIRV: u32 = 0x0723_0203;

/// Says which package is missing.
const MISSING: &str = "visim: Intel's offline compiler `ocloc` was not found.\n\
    Debian has it in the packages intel-ocloc, libigdfcl2 and libigc2 (tgl, dg2, mtl, lnl, bmg, ptl, nvl-s, cri) and, up to \
    Debian 12, intel-opencl-icd (skl, icl, tgl, dg2).\n\
    VISIM_OCLOC names another one.\n";

/// The compiler: `VISIM_OCLOC`, else the one of `PATH`.
pub fn path() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    // Absolute: it runs in other folders.
    let find = || {
        let found = compile::compiler().filter(|path| path.is_file())?;
        std::path::absolute(found).ok()
    };
    FOUND.get_or_init(find).as_deref()
}

/// The devices that the compiler builds for, by its names; none without a compiler.
pub fn devices() -> Vec<String> {
    path().map(compile::devices).unwrap_or_default()
}

/// Splits options as a shell would; a quote may stand around blanks.
pub fn words(options: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in options.chars() {
        match (quote, letter) {
            (Some(end), c) if c == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Options that the compiler knows without values, and beginnings of others. Source: OpenCL 3.0, "Compiler options";
/// `cl_intel_…` for those of Intel.
const OPTIONS: &[&str] = &[
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-opt-disable",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
    "-cl-no-subgroup-ifp",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-kernel-arg-info",
    "-create-library",
    "-enable-link-options",
    "-w",
    "-Werror",
    "-g",
    "-O",
    "-s",
    "-x",
];

const BEGINNINGS: &[&str] = &[
    "-D",
    "-I",
    "-cl-std=",
    "-cl-intel",
    "-cl-ext=",
    "-ze-",
    "-igc",
    "-cl-",
    "-f",
    "-W",
    "-O",
    "-Xopencl",
    "-x",
    "-qkernel",
    "-intel-",
    "-library-compilation",
];

/// Whether every option is one of a compiler; the compiler itself takes any.
pub fn are_options(options: &str) -> bool {
    let words = words(options);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if matches!(word.as_str(), "-D" | "-I" | "-s" | "-x") {
            if words.next().is_none() {
                return false;
            }
            continue;
        }
        let known = OPTIONS.contains(&word.as_str())
            || BEGINNINGS
                .iter()
                .any(|start| word.len() > start.len() && word.starts_with(start));
        if !known || word.starts_with("-cl-") && !is_of_opencl(word) {
            return false;
        }
    }
    true
}

fn is_of_opencl(word: &str) -> bool {
    OPTIONS.contains(&word)
        || [
            "-cl-std=",
            "-cl-intel",
            "-cl-ext=",
            "-cl-store",
            "-cl-disable",
            "-cl-poison",
        ]
        .iter()
        .any(|start| word.starts_with(start))
}

/// Compiles for a device.
pub fn compile(device: &Device, input: &Input, options: &str, stage: Stage) -> Compiled {
    let Some(compiler) = path() else {
        return Compiled::failed(MISSING);
    };
    let cache = Cache::new(compiler, device, input, options, stage);
    if let Some(found) = cache.as_ref().and_then(Cache::get) {
        return found;
    }
    let compiled = match run(compiler, device, input, options, stage) {
        Ok(compiled) => compiled,
        Err(error) => {
            return Compiled::failed(format!(
                "visim: {} could not be run: {error}\n",
                compiler.display()
            ));
        }
    };
    if let (Some(cache), Some(bytes)) = (&cache, &compiled.bytes) {
        cache.put(bytes, &compiled.log);
    }
    compiled
}

fn run(
    compiler: &Path,
    device: &Device,
    input: &Input,
    options: &str,
    stage: Stage,
) -> std::io::Result<Compiled> {
    let folder = tempfile::Builder::new().prefix("visim-opencl").tempdir()?;
    let mut options = words(options);
    let (name, kind) = match input {
        Input::Source(source, headers) => {
            options = compile::from_elsewhere(&options);
            std::fs::write(folder.path().join("source.cl"), source)?;
            let included = folder.path().join("headers");
            for (name, text) in headers {
                let plain = Path::new(name)
                    .components()
                    .all(|part| matches!(part, std::path::Component::Normal(_)));
                if !plain {
                    let log =
                        format!("visim: a header is called `{name}`: a path below a folder\n");
                    return Ok(Compiled::failed(log));
                }
                let path = included.join(name);
                std::fs::create_dir_all(path.parent().unwrap_or(&included))?;
                std::fs::write(path, text)?;
            }
            // Before all others: what the host gives is what it means.
            if !headers.is_empty() {
                options.insert(0, format!("-I{}", included.display()));
            }
            ("source.cl", None)
        }
        Input::Il(bytes) => {
            std::fs::write(folder.path().join("source.spv"), bytes)?;
            let is_spirv = bytes.starts_with(&SPIRV.to_le_bytes());
            let kind = if is_spirv {
                "-spirv_input"
            } else {
                "-llvm_input"
            };
            ("source.spv", Some(kind))
        }
    };
    if kind.is_none() {
        options.push("-cl-kernel-arg-info".to_string());
    }
    let out = folder.path().join("out");
    let mut command = Command::new(compiler);
    command
        .current_dir(folder.path())
        .args(["compile", "-file"])
        .arg(folder.path().join(name))
        .args([
            "-device",
            device.compiler(),
            "-output_no_suffix",
            "-output",
            "program",
            "-out_dir",
        ])
        .arg(&out)
        .args(kind)
        .args(["-options", &compile::joined(&options)])
        .args(["-internal_options", compile::WITH_TEXT]);
    if stage == Stage::Object {
        command.arg("-spv_only");
    }
    let output = command.stdin(Stdio::null()).output()?;
    let file = |names: &[&str]| {
        let mut all = names.iter().map(|name| std::fs::read(out.join(name)));
        all.find_map(Result::ok)
    };
    let bytes = match (stage, output.status.success()) {
        (_, false) => None,
        (Stage::Program, true) => file(&["program", "program.bin"]),
        (Stage::Object, true) => file(&["program.spv", "program.spvbc", "program"]),
    };
    let log = [output.stdout, output.stderr].concat();
    let log = String::from_utf8_lossy(&log);
    let own =
        |line: &&str| !line.starts_with("Command was:") && !line.starts_with("Build succeeded");
    let lines: Vec<&str> = log.lines().filter(own).collect();
    let mut log = lines.join("\n").trim().to_string();
    if bytes.is_none() && log.is_empty() {
        log = format!("visim: {} ended with {}", compiler.display(), output.status);
    }
    if !log.is_empty() {
        log.push('\n');
    }
    if let Some(help) = compile::missing(&log) {
        log += &format!("visim: {help}\n");
    }
    Ok(Compiled { bytes, log })
}

/// Whether it includes what it does not have with it. Headers on disk may change: such a program is built each time.
fn includes_files(input: &Input, options: &str) -> bool {
    let Input::Source(source, headers) = input else {
        return false;
    };
    let looks_elsewhere = words(options).iter().any(|word| word.starts_with("-I"));
    let given = |name: Option<&str>| name.is_some_and(|name| headers.contains_key(name));
    let mut texts = headers.values().chain([source]);
    texts.any(|text| {
        let text = text.replace("\\\r\n", "").replace("\\\n", "");
        let mut names = text.lines().filter_map(included);
        names.any(|name| looks_elsewhere || !given(name))
    })
}

/// What a line includes; no name where that is not written plainly.
fn included(line: &str) -> Option<Option<&str>> {
    // Other spellings of `#`. Source: C99, digraphs and trigraphs.
    let marks = ["#", "%:", "??="];
    let mut after = marks.iter().filter_map(|mark| line.split_once(mark));
    let (_, rest) = after.find_map(|(_, rest)| rest.split_once("include"))?;
    let rest = rest.trim();
    let name = rest.strip_prefix(['"', '<']);
    Some(name.and_then(|name| name.split(['"', '>']).next()))
}

/// Where a program is kept: a file by the hash of all that it was made from, which stands in it and is compared.
struct Cache {
    file: PathBuf,
    key: Vec<u8>,
}

impl Cache {
    /// `VISIM_CACHE`, else a folder of the user's; none with `VISIM_CACHE=off`.
    fn new(
        compiler: &Path,
        device: &Device,
        input: &Input,
        options: &str,
        stage: Stage,
    ) -> Option<Cache> {
        if includes_files(input, options) {
            return None;
        }
        let folder = match std::env::var_os("VISIM_CACHE") {
            Some(off) if off == "off" => return None,
            Some(folder) => PathBuf::from(folder),
            None => compile::cache().join("opencl"),
        };
        let real = std::fs::canonicalize(compiler).ok()?;
        let about = std::fs::metadata(&real).ok()?;
        let key = format!(
            "visim 1\n{}\n{}\n{:?}\n{}\n{stage:?}\n{options}\n{input:?}",
            real.display(),
            about.len(),
            about.modified().ok()?,
            device.compiler(),
        );
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let file = folder.join(format!("{:016x}", hasher.finish()));
        Some(Cache {
            file,
            key: key.into_bytes(),
        })
    }

    fn get(&self) -> Option<Compiled> {
        let whole = std::fs::read(&self.file).ok()?;
        let (sizes, rest) = whole.split_first_chunk::<24>()?;
        let (sizes, _) = sizes.as_chunks::<8>();
        let size = |at: usize| usize::try_from(u64::from_le_bytes(sizes[at])).ok();
        let (key, rest) = rest.split_at_checked(size(0)?)?;
        let (log, rest) = rest.split_at_checked(size(1)?)?;
        (key == self.key && rest.len() == size(2)?).then(|| Compiled {
            bytes: Some(rest.to_vec()),
            log: String::from_utf8_lossy(log).into_owned(),
        })
    }

    /// Keeps a program; one that cannot be kept is made again the next time.
    fn put(&self, bytes: &[u8], log: &str) {
        let write = || -> std::io::Result<()> {
            let folder = self.file.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            for part in [self.key.len(), log.len(), bytes.len()] {
                file.write_all(&(part as u64).to_le_bytes())?;
            }
            for part in [&self.key[..], log.as_bytes(), bytes] {
                file.write_all(part)?;
            }
            file.persist(&self.file)?;
            Ok(())
        };
        let _ = write();
    }
}

/// Links objects into one.
pub fn link(objects: &[Vec<u8>]) -> Compiled {
    let Some(compiler) = path() else {
        return Compiled::failed(MISSING);
    };
    let linked = || -> std::io::Result<Compiled> {
        let folder = tempfile::Builder::new().prefix("visim-opencl").tempdir()?;
        let mut command = Command::new(compiler);
        command.current_dir(folder.path()).arg("link");
        for (number, object) in objects.iter().enumerate() {
            let path = folder.path().join(format!("{number}.spv"));
            std::fs::write(&path, object)?;
            command.arg("-file").arg(path);
        }
        let out = folder.path().join("linked.spv");
        command
            .args(["-out_format", "LLVM_BC", "-out"])
            .arg(&out)
            .stdin(Stdio::null());
        let output = command.output()?;
        let log = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let bytes = match output.status.success() {
            true => std::fs::read(&out).ok(),
            false => None,
        };
        Ok(Compiled { bytes, log })
    };
    linked().unwrap_or_else(|error| {
        Compiled::failed(format!(
            "visim: {} could not be run: {error}\n",
            compiler.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_split_as_a_shell_does() {
        assert_eq!(
            words(r#"-DA=1 -D "B=x y"  -I '/a b'"#),
            ["-DA=1", "-D", "B=x y", "-I", "/a b"]
        );
        let kept = r#""-DB=x y" -w"#;
        assert_eq!(compile::joined(&words(kept)), kept);
    }

    #[test]
    fn what_includes_files_is_built_each_time() {
        let given = BTreeMap::from([("own.h".to_string(), "int x;".to_string())]);
        let source = |text: &str| Input::Source(text.to_string(), given.clone());
        for kept in [
            "kernel void f() {}",
            "// shall be included in all copies",
            "#include \"own.h\"\n# define X",
        ] {
            assert!(!includes_files(&source(kept), "-DX=1"), "{kept}");
        }
        for built in [
            "#include \"other.h\"",
            "  #  include <other.h>",
            "#\\\ninclude \"other.h\"",
            "%:include \"other.h\"",
            "#define H <other.h>\n#include H",
        ] {
            assert!(includes_files(&source(built), ""), "{built}");
        }
        assert!(includes_files(&source("#include \"own.h\""), "-I ."));
        assert!(!includes_files(&Input::Il(b"#include".to_vec()), ""));
    }

    #[test]
    fn unknown_options_are_found() {
        for good in [
            "",
            "-DX",
            "-D X=1 -I .",
            "-cl-std=CL1.2 -cl-mad-enable",
            "-w -Werror",
        ] {
            assert!(are_options(good), "{good}");
        }
        for bad in ["-invalid", "-cl-nothing", "X", "-D"] {
            assert!(!are_options(bad), "{bad}");
        }
    }
}
