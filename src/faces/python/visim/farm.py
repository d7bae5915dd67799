"""Many tests on many machines: `python -m visim.farm PATH… [--address HOST:PORT]`.

    visim test --list ─▶ batches ─▶ Ray workers, each `visim test` of a batch ─▶ records ─▶ visim test --merge ─▶ reports

Options are those of `visim test`; so are the reports, their order and the exit code. Ray runs the batches: on this machine,
or on the cluster at `--address`, whose machines have this package and see the tests under the same paths. What a lost
worker held runs again, in halves if it is lost again, so that a test that takes its worker with it fails alone. Each batch is
written down once, when its worker has handed it over. Memory does not grow with the number of tests: at most two batches for
each core are under way, and their records go to a file as they come.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any

#: Runs of a batch that end with its worker, before it is cut, or the one test in it fails.
TRIES = 2

COMMAND = [sys.executable, "-m", "visim", "test"]


@dataclass
class Batch:
    """Tests that one worker runs in a row: the number of the first of them among all, and their files."""

    first: int
    files: list[str]
    tries: int = 0

    def halves(self) -> list[Batch]:
        middle = len(self.files) // 2
        return [Batch(self.first, self.files[:middle]), Batch(self.first + middle, self.files[middle:])]


class Lost(Exception):
    """The worker of a batch is gone."""


class Spool:
    """Records in a file, in the order in which they come; at the end in the order of the tests."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._part = open(path + ".part", "w+b")
        self._places: list[tuple[int, int, int]] = []
        self.tests = 0

    def add(self, batch: Batch, lines: str) -> None:
        written = lines.encode()
        count = written.count(b"\n")
        if count != len(batch.files):
            raise RuntimeError(f"{len(batch.files)} tests from {batch.files[0]} on gave {count} records")
        self._places.append((batch.first, self._part.tell(), len(written)))
        self._part.write(written)
        # Who looks at the file while it grows sees whole records.
        self._part.flush()
        self.tests += len(batch.files)

    def end(self) -> None:
        """Writes the records in the order of the tests."""
        with open(self.path, "wb") as whole:
            for _, start, length in sorted(self._places):
                self._part.seek(start)
                whole.write(self._part.read(length))
        self.close()

    def close(self) -> None:
        self._part.close()
        if os.path.exists(self._part.name):
            os.unlink(self._part.name)


def run_all(
    batches: Iterator[Batch],
    start: Callable[[Batch], Any],
    finish: Callable[[list[Any]], tuple[Any, Callable[[], str]]],
    width: int,
    spool: Spool,
    tell: Callable[[str], None],
) -> None:
    """Runs batches, at most `width` at a time, and spools their records.

    `start` begins one and gives a handle; `finish` waits for one of several handles and gives it with a function that
    returns its records, or raises `Lost`.
    """
    again: deque[Batch] = deque()
    running: dict[Any, Batch] = {}
    while True:
        while len(running) < width:
            batch = again.popleft() if again else next(batches, None)
            if batch is None:
                break
            running[start(batch)] = batch
        if not running:
            return
        handle, records = finish(list(running))
        batch = running.pop(handle)
        try:
            spool.add(batch, records())
            tell(f"{spool.tests} tests have run")
        except Lost as lost:
            batch.tries += 1
            count = len(batch.files)
            tell(f"a worker was lost ({lost}); {count} tests from {batch.files[0]} on run again\n")
            if batch.tries < TRIES:
                again.append(batch)
            elif count > 1:
                again.extend(batch.halves())
            else:
                spool.add(batch, _lost_record(batch.files[0], lost))


def _lost_record(file: str, lost: Lost) -> str:
    message = f"its worker was lost {TRIES} times: {lost}"
    record = {
        "type": "test", "name": file.replace(os.sep, "/"), "file": file, "status": "failed", "time": 0.0,
        "message": message, "text": message + "\n", "error": message, "diagnostics": [], "warnings": [], "outputs": [],
    }  # fmt: skip
    return json.dumps(record) + "\n"


def _batches(lines: IO[str], size: int) -> Iterator[Batch]:
    first = 0
    files = (json.loads(line)["test"] for line in lines)
    while some := list(islice(files, size)):
        yield Batch(first, some)
        first += len(some)


def _work(folder: str, options: list[str], files: list[str]) -> str:
    """On a worker: the records of some tests."""
    import os

    from visim import _visim

    os.chdir(folder)
    return "".join(_visim.records(options, files))


def _on_ray(address: str | None, workers: int | None, options: list[str]) -> tuple[Any, Any, int]:
    """`start`, `finish` and `width` of `run_all`, on Ray."""
    try:
        import ray
        from ray import exceptions as gone
    except ImportError:
        sys.exit("visim.farm runs on Ray: pip install ray")
    ray.init(
        # Without an address Ray would join whatever cluster it finds on this machine.
        address=address or "local", num_cpus=None if address else workers, include_dashboard=None if address else False,
        log_to_driver=False, logging_level="error",
    )  # fmt: skip
    losses = (
        gone.WorkerCrashedError, gone.NodeDiedError, gone.OutOfMemoryError, gone.ObjectLostError, gone.RaySystemError,
        gone.LocalRayletDiedError,
    )  # fmt: skip
    # Ray would run a lost batch again by itself, and never cut one.
    work = ray.remote(num_cpus=1, max_retries=0)(_work)
    folder = os.getcwd()

    def start(batch: Batch) -> Any:
        return work.remote(folder, options, batch.files)

    def finish(handles: list[Any]) -> tuple[Any, Callable[[], str]]:
        (done,), _ = ray.wait(handles, num_returns=1)

        def records() -> str:
            try:
                return ray.get(done)
            except losses as lost:
                raise Lost(type(lost).__name__) from lost

        return done, records

    return start, finish, 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m visim.farm",
        description="Runs tests as `visim test` does, on a Ray cluster.",
        epilog="Example: python -m visim.farm tests --address auto --report junit=results.xml",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="programs, or folders that hold them")
    farm = parser.add_argument_group("farm")
    farm.add_argument("--address", help="the Ray cluster, `auto` or HOST:PORT; without it one is started on this machine")
    farm.add_argument("--workers", type=int, metavar="N", help="cores of the Ray that is started; all without it")
    farm.add_argument("--batch", type=int, default=200, metavar="N", help="tests that a worker takes at a time (200)")
    farm.add_argument("--records", metavar="FILE", help="keep the records, as JSON lines; FILE.part grows during the run")
    chosen = parser.add_argument_group("selection, as of visim test")
    for name in ("--filter", "--skip"):
        chosen.add_argument(name, action="append", default=[], metavar="PATTERN")
    chosen.add_argument("--exact", action="store_true")
    chosen.add_argument("--partition", metavar="K/N")
    rules = parser.add_argument_group("rules, as of visim test")
    rules.add_argument("--timeout", metavar="SECONDS")
    for name in ("--deny", "--allow"):
        rules.add_argument(name, action="append", default=[], metavar="CODE")
    rules.add_argument("--allow-empty", action="store_true")
    told = parser.add_argument_group("reports, as of visim test")
    told.add_argument("--format", choices=["text", "json", "jsonl", "junit", "tap", "libtest"])
    told.add_argument("--report", action="append", default=[], metavar="FORM=FILE")
    told.add_argument("-q", "--quiet", action="store_true")
    return parser


def _words(given: argparse.Namespace, names: list[str]) -> list[str]:
    """Options as words again."""
    words = []
    for name in names:
        value = getattr(given, name.replace("-", "_"))
        if value is True:
            words.append(f"--{name}")
        elif value:
            words += [f"--{name}={one}" for one in (value if isinstance(value, list) else [value])]
    return words


def main(words: list[str] | None = None) -> int:
    """The command; its exit code is that of `visim test`."""
    given = _parser().parse_args(words)
    rules = _words(given, ["timeout", "deny", "allow", "allow-empty"])
    listed = [*COMMAND, *given.paths, "--list", "--format=jsonl", *_words(given, ["filter", "skip", "exact", "partition"])]
    terminal = sys.stderr.isatty()

    def tell(what: str) -> None:
        if terminal:
            print(f"\r{what}", end="", file=sys.stderr, flush=True)
        elif what.endswith("\n"):
            print(what, end="", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as own:
        spool = Spool(given.records or os.path.join(own, "records.jsonl"))
        with subprocess.Popen(listed, stdout=subprocess.PIPE, text=True) as names:
            assert names.stdout
            batches = _batches(names.stdout, max(1, given.batch))
            # Ray starts when there is something to run.
            if (head := next(batches, None)) is not None:
                start, finish, width = _on_ray(given.address, given.workers, rules)
                run_all(_chain(head, batches), start, finish, width, spool, tell)
        if names.returncode:
            spool.close()
            return names.returncode
        tell("\n" if terminal else "")
        spool.end()
        merged = [*COMMAND, f"--merge={spool.path}", *_words(given, ["format", "report", "quiet"])]
        return subprocess.run(merged, check=False).returncode


def _chain(head: Batch, rest: Iterator[Batch]) -> Iterator[Batch]:
    yield head
    yield from rest


if __name__ == "__main__":
    sys.exit(main())
