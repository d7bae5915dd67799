"""A plugin of pytest: programs (`.visa`, `.visaasm`, `.tld`, `.send`) and launches of compiled kernels are tests.

It is there where the package is installed: `pytest samples` runs what `visim test samples` runs, each file as a test.
A test fails with the report of `visim test`; what is known to fail is `xfailed`, what visim does not model yet is
skipped. Options of `visim test` come from pytest's configuration:

    [pytest]
    visim_options = --allow-empty --timeout 10

`-p no:visim` leaves the plugin out.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from . import _visim


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("visim_options", "options of `visim test` for programs that are collected", type="args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if not _visim.is_test(file_path):
        return None
    return ProgramFile.from_parent(parent, path=file_path)


class ProgramFile(pytest.File):
    """A file with one test in it."""

    def collect(self) -> list[pytest.Item]:
        return [ProgramItem.from_parent(self, name="visim")]


class Failed(Exception):
    """A test that did not pass; the text says why."""


class ProgramItem(pytest.Item):
    """A program that is run by its directives, or by its launch."""

    def runtest(self) -> None:
        # Relative paths are those of the messages.
        path = os.path.relpath(self.path) if self.path.is_relative_to(Path.cwd()) else str(self.path)
        lines = _visim.records(self.config.getini("visim_options"), [path])
        records: list[dict[str, Any]] = [json.loads(line) for line in lines]
        failed = [r for r in records if r["status"] in ("failed", "no expectation")]
        if failed:
            raise Failed("\n".join(r["text"] or f"{r['name']}: {r['status']}" for r in failed))
        for record in records:
            if record["text"] and record["status"] == "passed":
                self.add_report_section("call", "visim", record["text"])
        # A file with several launches is expected to fail, or skipped, if all of them are.
        other = next((r for r in records if r["status"] != "passed"), None)
        if other and all(r["status"] == other["status"] for r in records):
            end = pytest.xfail if other["status"] == "known failure" else pytest.skip
            end(other["message"] or other["status"])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.path.name
