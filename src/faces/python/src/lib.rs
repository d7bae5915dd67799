//! The native half of the Python package `visim`: texts, bytes and names in, bytes and JSON out. Arrays, shapes and
//! exceptions are the other half's, `visim/*.py`, which is also where the documentation is.
//!
//! ```text
//!  visim.run ─ arrays to bytes ─▶ Simulator ─ run, without the GIL ─▶ Outcome ─ Bytes ─▶ arrays that look into it
//! ```

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBufferError, PyKeyError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::os::raw::{c_int, c_void};
use std::path::PathBuf;
use std::sync::Arc;
use visim::internals::{cli, harness::case};
use visim::{Module, Platform, Report, SamplerState, Source};

/// `visim.Error` with what the report says.
fn refused(py: Python<'_>, report: &Report) -> PyErr {
    let raise = || {
        let class = py.import("visim._report")?.getattr("Error")?;
        class.call1((report.to_json().to_string(), report.to_string()))
    };
    match raise() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// The platform of this name.
fn platform_named(name: &str) -> PyResult<Platform> {
    Platform::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Platform::ALL.iter().map(|p| p.name).collect();
        let known = known.join(" ");
        PyValueError::new_err(format!(
            "visim does not know the platform `{name}`; it knows {known}"
        ))
    })
}

/// The bytes of an array.
fn bytes_of(py: Python<'_>, buffer: &PyBuffer<u8>) -> PyResult<Vec<u8>> {
    buffer.to_vec(py)
}

/// A run that is put together.
#[pyclass(module = "visim._visim")]
struct Simulator(visim::Simulator);

impl Simulator {
    fn step(&mut self, step: impl FnOnce(visim::Simulator) -> visim::Simulator) {
        let nothing = visim::Simulator::new(Source::new("", ""));
        self.0 = step(std::mem::replace(&mut self.0, nothing));
    }
}

#[pymethods]
impl Simulator {
    #[staticmethod]
    fn text(name: &str, text: &str) -> Simulator {
        let simulator = visim::Simulator::new(Source::new(name, text));
        Simulator(simulator.files(visim::Disk))
    }

    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Simulator> {
        let opened = py.detach(|| visim::Simulator::open(path));
        opened.map(Simulator).map_err(|report| refused(py, &report))
    }

    #[staticmethod]
    fn compiled(py: Python<'_>, name: &str, program: PyBuffer<u8>) -> PyResult<Simulator> {
        let program = bytes_of(py, &program)?;
        Ok(Simulator(visim::Simulator::compiled(name, &program)))
    }

    #[staticmethod]
    fn of(program: &Program) -> Simulator {
        Simulator(visim::Simulator::of(&program.0).files(visim::Disk))
    }

    fn platform(&mut self, name: &str) -> PyResult<()> {
        let platform = platform_named(name)?;
        self.step(|s| s.platform(platform));
        Ok(())
    }

    fn kernel(&mut self, name: &str) {
        self.step(|s| s.kernel(name));
    }

    fn launch(&mut self, description: PathBuf) {
        self.step(|s| s.launch(description));
    }

    fn threads(&mut self, columns: u32, rows: u32) {
        self.step(|s| s.threads(columns, rows));
    }

    fn groups(&mut self, count: [u32; 3]) {
        self.step(|s| s.groups(count));
    }

    #[pyo3(name = "global_")]
    fn global(&mut self, size: Vec<u32>) {
        self.step(|s| s.global(&size));
    }

    fn local(&mut self, size: Vec<u32>) {
        self.step(|s| s.local(&size));
    }

    #[pyo3(signature = (name, words, rows=None))]
    fn surface(
        &mut self,
        py: Python<'_>,
        name: &str,
        words: &str,
        rows: Option<PyBuffer<u8>>,
    ) -> PyResult<()> {
        let surface = match rows {
            Some(rows) => visim::Surface::from_rows(words, bytes_of(py, &rows)?),
            None => visim::Surface::new(words),
        };
        self.step(|s| s.surface(name, &surface));
        Ok(())
    }

    fn surface_of(&mut self, name: &str, surface: &Surface) {
        self.step(|s| s.surface(name, &surface.0));
    }

    fn sampler(&mut self, name: &str, words: &str) {
        self.step(|s| s.sampler(name, &SamplerState::new(words)));
    }

    fn set(&mut self, py: Python<'_>, name: &str, bytes: PyBuffer<u8>) -> PyResult<()> {
        let bytes = bytes_of(py, &bytes)?;
        self.step(|s| s.set(name, &bytes));
        Ok(())
    }

    fn buffer(&mut self, py: Python<'_>, argument: &str, bytes: PyBuffer<u8>) -> PyResult<()> {
        let bytes = bytes_of(py, &bytes)?;
        self.step(|s| s.buffer(argument, &bytes));
        Ok(())
    }

    fn value(&mut self, py: Python<'_>, argument: &str, bytes: PyBuffer<u8>) -> PyResult<()> {
        let bytes = bytes_of(py, &bytes)?;
        self.step(|s| s.value(argument, &bytes));
        Ok(())
    }

    fn local_memory(&mut self, argument: &str, bytes: u32) {
        self.step(|s| s.local_memory(argument, bytes));
    }

    fn jobs(&mut self, jobs: usize) {
        self.step(|s| s.jobs(jobs));
    }

    fn max_instructions(&mut self, limit: u64) {
        self.step(|s| s.max_instructions(limit));
    }

    fn through_bits(&mut self) {
        self.step(visim::Simulator::through_bits);
    }

    fn keep_all_threads(&mut self) {
        self.step(visim::Simulator::keep_all_threads);
    }

    /// The variables of the program; None where it does not run.
    fn variables(&self, py: Python<'_>) -> Option<Vec<(String, &'static str, usize)>> {
        let program = py.detach(|| self.0.program())?;
        let owned = |v: visim::Variable<'_>| (v.name.to_string(), v.element_type, v.elements);
        Some(program.variables().map(owned).collect())
    }

    /// Runs it; other Python threads go on meanwhile.
    fn run(&self, py: Python<'_>) -> PyResult<Outcome> {
        let outcome = py.detach(|| self.0.run());
        match outcome {
            Ok(outcome) => Ok(Outcome(Arc::new(outcome))),
            Err(report) => Err(refused(py, &report)),
        }
    }

    /// Runs it and makes a page of its steps.
    fn run_with_page(&self, py: Python<'_>) -> PyResult<(Outcome, String)> {
        match py.detach(|| self.0.run_with_page()) {
            Ok((outcome, page)) => Ok((Outcome(Arc::new(outcome)), page)),
            Err(report) => Err(refused(py, &report)),
        }
    }
}

/// A kernel that was checked and lowered.
#[pyclass(frozen, module = "visim._visim")]
struct Program(visim::Program);

#[pymethods]
impl Program {
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        text: &str,
        kernel: &str,
        platform: Option<&str>,
    ) -> PyResult<Program> {
        let platform = platform.map(platform_named).transpose()?;
        let made = py.detach(|| {
            let module = Module::parse(&Source::new(name, text))?;
            module.program(kernel, platform.unwrap_or_default())
        });
        made.map(Program).map_err(|report| refused(py, &report))
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn platform(&self) -> String {
        self.0.platform().to_string()
    }

    fn variables(&self) -> Vec<Variable<'_>> {
        self.0.variables().map(variable).collect()
    }
}

/// Name, type of an element, elements.
type Variable<'p> = (&'p str, &'static str, usize);

fn variable(own: visim::Variable<'_>) -> Variable<'_> {
    (own.name, own.element_type, own.elements)
}

/// Memory of a run.
#[pyclass(frozen, module = "visim._visim")]
struct Surface(visim::Surface);

#[pymethods]
impl Surface {
    fn rows(&self, py: Python<'_>) -> Bytes {
        Bytes(Data::Own(py.detach(|| self.0.rows())))
    }

    fn size(&self) -> Option<(u32, u32)> {
        self.0.size()
    }

    fn format(&self) -> Option<&'static str> {
        self.0.format()
    }
}

/// What a run left.
#[pyclass(frozen, module = "visim._visim")]
struct Outcome(Arc<visim::Outcome>);

#[pymethods]
impl Outcome {
    fn variables(&self) -> Vec<Variable<'_>> {
        self.0.variables().map(variable).collect()
    }

    fn register(&self, thread: u32, name: &str) -> PyResult<Bytes> {
        if self.0.register_of(thread, name).is_none() {
            return Err(PyKeyError::new_err(name.to_string()));
        }
        let outcome = Arc::clone(&self.0);
        Ok(Bytes(Data::Register(outcome, thread, name.to_string())))
    }

    fn surface(&self, name: &str) -> Option<Surface> {
        self.0.surface(name).map(Surface)
    }

    fn argument(&self, name: &str) -> Option<Bytes> {
        let bytes = self.0.argument(name);
        bytes.map(|bytes| Bytes(Data::Own(bytes)))
    }

    fn printed(&self) -> String {
        self.0.printed()
    }

    fn diagnostics(&self) -> (String, String) {
        let warnings = self.0.warnings();
        (warnings.to_json().to_string(), warnings.to_string())
    }

    fn thread_count(&self) -> u64 {
        self.0.thread_count()
    }

    fn instruction_count(&self) -> u64 {
        self.0.instruction_count()
    }
}

/// Bytes that Python may look at as long as it likes, and not change.
#[pyclass(frozen, module = "visim._visim")]
struct Bytes(Data);

/// Where bytes are.
enum Data {
    /// Made for the one who asked.
    Own(Vec<u8>),
    /// A variable of a thread, in the registers that the run left.
    Register(Arc<visim::Outcome>, u32, String),
}

impl Bytes {
    fn slice(&self) -> &[u8] {
        match &self.0 {
            Data::Own(bytes) => bytes,
            Data::Register(outcome, thread, name) => {
                outcome.register_of(*thread, name).unwrap_or_default()
            }
        }
    }
}

#[pymethods]
impl Bytes {
    /// Python's buffer protocol.
    ///
    /// # Safety
    /// `view` is null or points to a `Py_buffer`, as Python calls it.
    unsafe fn __getbuffer__(
        slf: &Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no place for the view"));
        }
        let bytes = slf.get().slice();
        let start = bytes.as_ptr().cast::<c_void>().cast_mut();
        let length = bytes.len() as ffi::Py_ssize_t;
        // SAFETY: `view` was checked above. The bytes are those of `slf`, of which the view holds a reference: the class
        // is frozen, so that nothing moves or frees them before that is given back. The view is read-only (1).
        let filled = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, length, 1, flags) };
        match filled {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

/// The command line: runs `visim` with these words, the first of which is the name of the program; its exit code.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| cli::run(&words)).code()
}

/// Runs files as `visim test OPTIONS FILE` does; a line of JSON for each.
#[pyfunction]
fn records(py: Python<'_>, options: Vec<OsString>, files: Vec<OsString>) -> PyResult<Vec<String>> {
    let lines = py.detach(|| cli::test_records(&options, &files));
    lines.map_err(PyValueError::new_err)
}

/// Whether `visim test` takes a file of a folder for a test.
#[pyfunction]
fn is_test(path: PathBuf) -> bool {
    case::is_test(&path)
}

/// Names of all platforms.
#[pyfunction]
fn platforms() -> Vec<&'static str> {
    Platform::ALL.iter().map(|p| p.name).collect()
}

/// The module `visim._visim`.
#[pymodule]
fn _visim(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Simulator>()?;
    module.add_class::<Program>()?;
    module.add_class::<Surface>()?;
    module.add_class::<Outcome>()?;
    module.add_class::<Bytes>()?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(records, module)?)?;
    module.add_function(wrap_pyfunction!(is_test, module)?)?;
    module.add_function(wrap_pyfunction!(platforms, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
