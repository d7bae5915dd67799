"""Runs of kernels on arrays."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _visim
from ._arrays import TYPES, Local, Sampler, Surface, flat, shaped, surface_words
from ._report import Report

#: What `run` takes for a surface: an array, a `Surface`, words of the directive, or a surface that a run has left.
SurfaceLike = Union[ArrayLike, Surface, str, _visim.Surface]
#: What `run` takes for an argument of a compiled kernel.
Argument = Union[NDArray[Any], np.generic, int, float, bytes, Local]
#: A path (`os.PathLike`, or a string in one line), a text (a string of several lines), or a compiled program.
ProgramLike = Union[str, "os.PathLike[str]", bytes]


@dataclass(frozen=True)
class Variable:
    """A variable of a program: `name` as the text has it, `dtype` of an element, `elements`.

    Addresses are `uint16`, predicates, surfaces and samplers `uint32`; `bf` are the bits of it in `uint16`.
    """

    name: str
    dtype: np.dtype[Any]
    elements: int


def _variables(own: list[tuple[str, str, int]]) -> dict[str, Variable]:
    return {name: Variable(name, TYPES[ty], elements) for name, ty, elements in own}


class Registers(Mapping[str, "NDArray[Any]"]):
    """The variables of one thread after a run, by name.

    Each is an array of shape `(elements,)` with the dtype of its declaration, read-only: it looks into the run's own
    registers, without a copy, and keeps them alive. `registers["V32"].view(np.float32)` sees other types.
    KeyError: no such variable.
    """

    def __init__(self, outcome: _visim.Outcome, variables: dict[str, Variable], thread: int) -> None:
        self._outcome = outcome
        self._variables = variables
        self._thread = thread

    def __getitem__(self, name: str) -> NDArray[Any]:
        bytes_ = self._outcome.register(self._thread, name)
        return np.frombuffer(bytes_, self._variables[name].dtype)

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)


class _Surfaces(Mapping[str, "NDArray[Any]"]):
    def __init__(self, outcome: Outcome, names: list[str]) -> None:
        self._outcome = outcome
        self._names = names

    def __getitem__(self, name: str | int) -> NDArray[Any]:
        surface = self._outcome.surface(name)
        rows = np.frombuffer(surface.rows(), np.uint8)
        shape = self._outcome._shapes.get(str(name))
        if shape is not None and shape[0].itemsize * int(np.prod(shape[1])) == len(rows):
            return rows.view(shape[0]).reshape(shape[1])
        return shaped(rows, surface.format() or "", surface.size() or (0, 0))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Arguments(Mapping[str, "NDArray[Any]"]):
    def __init__(self, outcome: Outcome, names: list[str]) -> None:
        self._outcome = outcome
        self._names = names

    def __getitem__(self, name: str | int) -> NDArray[Any]:
        bytes_ = self._outcome._native.argument(str(name))
        if bytes_ is None:
            raise KeyError(name)
        memory = np.frombuffer(bytes_, np.uint8)
        shape = self._outcome._shapes.get(f"argument {name}")
        return memory if shape is None else memory.view(shape[0]).reshape(shape[1])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Page:
    """The steps of a run as a page of HTML that needs no network: a notebook shows it in a frame.

    * `html`: the page, for a browser or a file.
    * `height`: of the frame in a notebook, in pixels.
    """

    def __init__(self, html: str, height: int) -> None:
        self.html = html
        self.height = height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file. OSError: it cannot be written."""
        Path(path).write_text(self.html, "utf-8")

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="{self.height}" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<visim.Page of {len(self.html)} characters>"


class Outcome:
    """What a run left.

    * `registers`: the variables of the first thread (`Registers`); `registers_of(7)` those of thread 7.
    * `surfaces`: by the name or the index that it was bound to, a read-only array of its texels. It has dtype and shape
      of the array that was bound; of other surfaces those of the format: `(height, width)` or `(height, width,
      channels)`, slices in front, `(elements,)` of a buffer, and plain bytes of formats that numpy has no type for
      (compressed blocks, video planes). Iteration goes over what `run` has bound.
    * `arguments`: the memory of the arguments of a compiled kernel, by the name or number that it was given by, in dtype
      and shape of the array; of others `uint8`. Read-only.
    * `diagnostics`: warnings of the run; a run that fails raises `Error` instead.
    * `printed`: what a compiled kernel printed.
    * `thread_count`, `instruction_count`: hardware threads that ran, instructions that all of them ran.
    """

    def __init__(self, native: _visim.Outcome, shapes: dict[str, Any], bound: list[str], given: list[str], page: str | None = None) -> None:
        self._native = native
        self._page = page
        self._shapes = shapes
        self._variables = _variables(native.variables())
        self.registers = Registers(native, self._variables, 0)
        self.surfaces: Mapping[str, NDArray[Any]] = _Surfaces(self, bound)
        self.arguments: Mapping[str, NDArray[Any]] = _Arguments(self, given)

    def registers_of(self, thread: int) -> Registers:
        """The variables of the thread with this number, in launch order.

        Its lookups raise KeyError where its registers were not kept: `run(..., all_threads=True)` keeps them.
        """
        return Registers(self._native, self._variables, thread)

    def surface(self, name: str | int) -> _visim.Surface:
        """The surface itself, which may be bound to another run: that then sees the same memory, without a copy.

        KeyError: nothing is bound there.
        """
        surface = self._native.surface(str(name))
        if surface is None:
            raise KeyError(name)
        return surface

    def show(self, height: int = 720) -> Page:
        """The steps of the run as a page, which a notebook shows: registers, lanes, messages, texels, surfaces.

        `height`: of the frame in pixels. ValueError: the run was not recorded, which `run(..., steps=True)` does.
        """
        if self._page is None:
            raise ValueError("the steps of this run were not recorded: run(..., steps=True)")
        return Page(self._page, height)

    @property
    def diagnostics(self) -> Report:
        """Warnings, in text order."""
        return Report(*self._native.diagnostics())

    @property
    def printed(self) -> str:
        """What a compiled kernel printed, as far as its records can be read."""
        return self._native.printed()

    @property
    def thread_count(self) -> int:
        """Hardware threads that ran."""
        return self._native.thread_count()

    @property
    def instruction_count(self) -> int:
        """Instructions that all threads ran."""
        return self._native.instruction_count()

    def __repr__(self) -> str:
        return f"<visim.Outcome: {self.thread_count} threads, {self.instruction_count} instructions>"


class Program:
    """A kernel, checked and lowered once, to be run as often as needed.

    * `program`: a path or a text, as `run` takes them, of vISA text.
    * `kernel`: its name; the first one of the text if left out.
    * `platform`: `"skl"`, `"dg2"` … (`visim.platforms()`); Skylake if left out.

    Directives in the comments of the text are not obeyed: what is bound is said to `run`. Raises `Error` with every
    rule that the text breaks, OSError if the file cannot be read, ValueError for an unknown platform.
    """

    def __init__(self, program: str | os.PathLike[str], *, kernel: str = "", platform: str | None = None) -> None:
        path = _path(program)
        text = str(program) if path is None else path.read_text("utf-8")
        name = "<text>" if path is None else str(path)
        self._native = _visim.Program(name, text, kernel, platform)

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._native.name()

    @property
    def platform(self) -> str:
        """The platform it was checked for."""
        return self._native.platform()

    @property
    def variables(self) -> dict[str, Variable]:
        """Its variables by name, built-in ones (`%r0`) first, then in declaration order."""
        return _variables(self._native.variables())

    def run(self, **what: Any) -> Outcome:
        """As `visim.run` of this program."""
        return run(self, **what)

    def __repr__(self) -> str:
        return f"<visim.Program {self.name} for {self.platform}>"


def _path(program: str | os.PathLike[str]) -> Path | None:
    """The path that is meant, or None for a text."""
    if isinstance(program, str) and "\n" in program:
        return None
    return Path(program)


def _start(program: ProgramLike | Program) -> _visim.Simulator:
    if isinstance(program, Program):
        return _visim.Simulator.of(program._native)
    if isinstance(program, (bytes, bytearray, memoryview)):
        return _visim.Simulator.compiled("<program>", program)
    path = _path(program)
    if path is None:
        return _visim.Simulator.text("<text>", str(program))
    # What Python says of a file that is not there is what its users know.
    with path.open("rb"):
        pass
    return _visim.Simulator.open(path)


def _argument(start: _visim.Simulator, name: str, value: Argument) -> tuple[np.dtype[Any], tuple[int, ...]] | None:
    """Gives an argument; dtype and shape of what can be read after the run."""
    if isinstance(value, Local):
        start.local_memory(name, value.bytes)
    elif isinstance(value, (bytes, bytearray)):
        start.value(name, value)
    elif isinstance(value, np.ndarray):
        start.buffer(name, flat(value))
        return value.dtype.newbyteorder("<"), value.shape
    elif isinstance(value, np.generic):
        start.value(name, flat(value))
    elif isinstance(value, (bool, int)):
        start.value(name, flat(value, np.int32 if -(1 << 31) <= value < 1 << 31 else np.int64))
    elif isinstance(value, float):
        start.value(name, flat(value, np.float32))
    else:
        raise TypeError(f"argument {name}: an array, a number, bytes or visim.Local, not {type(value).__name__}")
    return None


def _bind(start: _visim.Simulator, name: str, surface: SurfaceLike) -> tuple[np.dtype[Any], tuple[int, ...]] | None:
    """Binds a surface; dtype and shape of the array that it is."""
    if isinstance(surface, _visim.Surface):
        start.surface_of(name, surface)
        return None
    if isinstance(surface, str):
        start.surface(name, surface)
        return None
    if not isinstance(surface, Surface):
        surface = Surface(surface)
    words, rows = surface_words(surface)
    start.surface(name, words, rows)
    if rows is None:
        return None
    texels = np.asarray(surface.texels)
    return texels.dtype.newbyteorder("<"), texels.shape


def _set(start: _visim.Simulator, registers: Mapping[str, ArrayLike]) -> None:
    variables = start.variables()
    # What keeps the program from running is reported by its run.
    known = {} if variables is None else _variables(variables)
    for name, values in registers.items():
        own = np.asarray(values)
        variable = known.get(name)
        if variable and (own.dtype.itemsize != variable.dtype.itemsize or not hasattr(values, "dtype")):
            own = _converted(name, own, variable.dtype)
        start.set(name, flat(own))


def _converted(name: str, values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        converted = values.astype(dtype)
    # Floats are rounded; numbers that do not fit are no rounding.
    exact = dtype.kind == "f" or np.array_equal(converted.astype(values.dtype), values)
    if not exact:
        raise ValueError(f"register {name}: {values.tolist()} do not fit {dtype}")
    return converted


def run(
    program: ProgramLike | Program,
    *,
    surfaces: Mapping[str | int, SurfaceLike] | None = None,
    samplers: Mapping[str | int, Sampler | str] | None = None,
    registers: Mapping[str, ArrayLike] | None = None,
    args: Mapping[str | int, Argument] | Sequence[Argument] | None = None,
    platform: str | None = None,
    kernel: str | None = None,
    threads: tuple[int, int] | None = None,
    groups: tuple[int, int, int] | None = None,
    global_size: Sequence[int] | int | None = None,
    local_size: Sequence[int] | int | None = None,
    launch: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    max_instructions: int | None = None,
    through_bits: bool = False,
    all_threads: bool = False,
    steps: bool = False,
) -> Outcome:
    """Runs a kernel.

    What a program's own directives say holds unless it is said here. The arrays that are given are copied once, before
    the run, and never changed; other Python threads go on during the run.

    * `program`: a path; a text (a string of several lines); the bytes of a compiled program; a `Program`.
    * `surfaces`: by surface variable (`"T6"`) or binding table index: an array (`Surface` says which format it becomes),
      a `Surface`, words of the directive SURFACE, or what `Outcome.surface` gave.
    * `samplers`: by sampler variable (`"S0"`) or index: a `Sampler`, or the words of the directive SAMPLER.
    * `registers`: start values of variables in every thread, element 0 first; the rest of the variable is zero. An array
      whose elements are as large as the variable's is taken bit by bit, anything else is converted to its dtype.
    * `args`: arguments of a compiled kernel by name or number, or all in order: an array is a buffer with its bytes; a
      scalar of numpy, or bytes, a value; an int is an `int` (a `long` if it needs one), a float a `float`; `Local` is
      shared memory.
    * `platform`: `"skl"`, `"dg2"` … (`visim.platforms()`); what the text or program says, else Skylake.
    * `kernel`: its name, where the text has several.
    * `threads`: a grid of media threads, columns and rows; `groups`: work-groups along x, y and z, each of `threads`.
    * `global_size`, `local_size`: work-items of a compiled kernel, and those of a group.
    * `launch`: `launch.json` of a compiled kernel; without it the one beside the file is taken, if there is one.
    * `jobs`: groups that may run at the same time; the result is the same for any number.
    * `max_instructions`: of one thread, before the run ends with `L0602`; 100 million without it.
    * `through_bits`: makes each message into the bits of the hardware, and serves those.
    * `all_threads`: keeps the registers of all threads for `Outcome.registers_of`.
    * `steps`: records the first 100,000 instructions for `Outcome.show`; groups run one after the other then.

    Raises `Error` for all that is wrong with the text, with what is bound, or with a thread that could not go on;
    OSError for a file that cannot be read; TypeError and ValueError for what cannot be made into bytes.
    """
    start = _start(program)
    if platform is not None:
        start.platform(platform)
    if kernel is not None:
        start.kernel(kernel)
    if launch is not None:
        start.launch(launch)
    if threads is not None:
        start.threads(*threads)
    if groups is not None:
        start.groups(groups)
    for size, give in ((global_size, start.global_), (local_size, start.local)):
        if size is not None:
            give([size] if isinstance(size, int) else list(size))
    shapes: dict[str, Any] = {}
    for key, surface in (surfaces or {}).items():
        shapes[str(key)] = _bind(start, str(key), surface)
    for key, sampler in (samplers or {}).items():
        start.sampler(str(key), sampler.words if isinstance(sampler, Sampler) else sampler)
    if registers:
        _set(start, registers)
    given = args if isinstance(args, Mapping) else dict(enumerate(args or ()))
    for key, value in given.items():
        shapes[f"argument {key}"] = _argument(start, str(key), value)
    if jobs is not None:
        start.jobs(jobs)
    if max_instructions is not None:
        start.max_instructions(max_instructions)
    if through_bits:
        start.through_bits()
    if all_threads:
        start.keep_all_threads()
    bound = [str(key) for key in surfaces or {}]
    memory = [str(key) for key in given if shapes.get(f"argument {key}")]
    native, page = start.run_with_page() if steps else (start.run(), None)
    return Outcome(native, shapes, bound, memory, page)
