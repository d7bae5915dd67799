"""What is wrong with a text or a run, and the exception that says so."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong, or a remark.

    `code` is stable (`"E0202"`; `visim explain E0202` has the long text), `class_` is `"error"`, `"undefined"`,
    `"unsupported"`, `"limit"` or `"warning"`. `line` and `column` count from 1 in the text `file`; they are None where
    no place of a text is meant. `fields` has all of it as `--format json` of the command line prints it.
    """

    code: str
    class_: str
    message: str
    file: str | None
    line: int | None
    column: int | None
    notes: tuple[str, ...]
    help: str | None
    see: str | None
    fields: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Diagnostic:
        return cls(
            code=fields["code"],
            class_=fields["class"],
            message=fields["message"],
            file=fields.get("file"),
            line=fields.get("line"),
            column=fields.get("column"),
            notes=tuple(fields.get("notes") or ()),
            help=fields.get("help"),
            see=fields.get("see"),
            fields=fields,
        )


class Report(Sequence[Diagnostic]):
    """Diagnostics in text order; `str()` is what the command line prints, with place, rule and fix."""

    def __init__(self, fields: str, text: str) -> None:
        self._all = tuple(Diagnostic._of(one) for one in json.loads(fields))
        self._text = text

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, at: Any) -> Any:
        return self._all[at]

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._all)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Report({[one.code for one in self._all]})"


class Error(Exception):
    """A text, what is bound to it, or its run is wrong: `report` says what and where.

    `str()` of it is the whole report.
    """

    report: Report

    def __init__(self, fields: str, text: str) -> None:
        super().__init__(fields, text)
        self.report = Report(fields, text)

    @property
    def diagnostics(self) -> Report:
        """The report."""
        return self.report

    def __str__(self) -> str:
        return str(self.report).rstrip("\n")
