"""Is anything wrong with these files?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Unpack

from attrs import evolve

from gainful.api.session_options import CheckOptions, answer_session_options
from gainful.errors import BadValue, check_name
from gainful.match.check import CheckReport, check_pairs
from gainful.measure.values import name_units
from gainful.read.column_names import ColumnNames, read_column_names
from gainful.read.file_check import (
    Finding,
    decide_kinds,
    examine,
    open_in_memory,
    open_to_check,
)
from gainful.read.formats import SESSION_FORMATS
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_inputs import AnySessions, find_log, open_records
from gainful.read.shapes import holds_runs
from gainful.read.source import Source
from gainful.text import number_doubles

AnyFile = AnyQrels | AnyRun | AnySessions


@answer_session_options(CheckOptions)
def check(
    *files: AnyFile | Sequence[AnyFile],
    columns: ColumnNames | None = None,
    **options: Unpack[CheckOptions],
) -> CheckReport:
    """Is anything wrong with these files, or dicts and frames, by themselves and together?

    Args:
        *files: judgments, runs and sessions, recognised by content, one after the other or in a
            list. Of objects in memory that are no sessions, the first is the judgments and the
            others are runs.
        columns: names of columns, such as {"query": "user", "doc": "item"}, if not the usual ones.
        **options: how sessions are read (`sessions.ReadingOptions`); with sessions_format, all
            files but judgments are sessions.

    Returns:
        `CheckReport`: `ok`, and what was found in each file and in each pair of them.

    Examples:
        >>> check("nowhere.txt")
        1 thing is wrong.
        <BLANKLINE>
        nowhere.txt
          wrong: there is no such file
        >>> check({"1": {"a": 1}}, {"1": ["a", "b"]}).ok
        True
    """
    asked: dict[str, Any] = dict(options)
    format_name = asked.pop("sessions_format", None)
    if format_name is not None:
        check_name("session format", format_name, SESSION_FORMATS)
    names = read_column_names(columns)
    opened = _open_all(files)
    values = [value for _, value in opened]
    all_kinds = decide_kinds(values, names, with_sessions=format_name is not None)
    unknown: list[str | None] = [None]
    parts = [
        (name, value, kind)
        for (name, value), kinds in zip(opened, all_kinds, strict=True)
        for kind in kinds or unknown
    ]
    labels = number_doubles([name or kind or "" for name, _, kind in parts])
    findings: list[Finding] = []
    for label, (_, value, kind) in zip(labels, parts, strict=True):
        findings.append(examine(value, label, kind, names, format_name=format_name, asked=asked))
        if isinstance(value, Source):
            value.report_end()
    names.refuse_misfits()
    if ["sessions"] not in all_kinds:
        names.refuse_unread()
    read = [finding.value for finding in findings]
    unit = next((value.unit for value in read if isinstance(value, Qrels)), "query")
    findings += check_pairs(findings)
    return CheckReport(tuple(_name_units(finding, unit) for finding in findings))


def _name_units(finding: Finding, unit: str) -> Finding:
    texts = {name: getattr(finding, name) for name in ("problems", "notes", "warnings")}
    named: dict[str, Any] = {
        name: tuple(name_units(line, unit) for line in lines) for name, lines in texts.items()
    }
    return evolve(finding, value=None, **named)


def _open_all(files: Sequence[Any]) -> list[tuple[str, Any]]:
    """Each file as it is opened, the two of one log together, and what is in memory by its name."""
    if len(files) == 1 and isinstance(files[0], (list, tuple)):
        is_one = not holds_runs(files[0]) or open_records(files[0])
        files = files[0] if all(map(_is_path, files[0])) or not is_one else files
    if not files:
        raise BadValue("files", files, "at least one")
    named: list[tuple[Any, Any]] = []
    for value in files:
        is_runs = isinstance(value, Mapping) and holds_runs(value)
        named += value.items() if is_runs else [("", value)]
    opened = [
        (fspath(value), open_to_check(fspath(value)))
        if _is_path(value)
        else (str(name), open_in_memory(value))
        for name, value in named
    ]
    log = find_log([value for _, value in opened])
    if log is None:
        return opened
    return [
        (name, log if value is log[0] else value) for name, value in opened if value is not log[1]
    ]


def _is_path(value: object) -> bool:
    return isinstance(value, (str, PathLike))
