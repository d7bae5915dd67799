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


# Statuses of one test, the better first; those that are not named are failures.
WORST = ["passed", "known failure", "unsupported"]


class ProgramFile(pytest.File):
    """A file with a test in it, or one for each of its launches."""

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
        # A description with several launches is several tests: what is worst of them is the item's.
        records: list[dict[str, Any]] = [json.loads(line) for line in lines]
        text = "".join(record["text"] for record in records)
        record = max(records, key=lambda one: WORST.index(one["status"]) if one["status"] in WORST else len(WORST))
        status = record["status"]
        if text and status == "passed":
            self.add_report_section("call", "visim", text)
        if status == "known failure":
            pytest.xfail(record["message"] or status)
        elif status == "unsupported":
            pytest.skip(record["message"] or status)
        elif status != "passed":
            raise Failed(text or status)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.path.name
