"""Is anything wrong with these files?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from attrs import evolve

from gainful.api.keywords import answer_keywords
from gainful.errors import BadValue, check_name
from gainful.match.check import CheckReport, check_pairs
from gainful.measure.values import name_units
from gainful.read.column_names import ColumnMapping, ColumnNames, read_column_names
from gainful.read.file_check import (
    Finding,
    decide_kinds,
    examine_file,
    examine_sessions,
    examine_value,
    open_to_check,
)
from gainful.read.formats import SESSION_FORMATS
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.read.qrels_and_run import Qrels
from gainful.read.read_options import AnyTopics
from gainful.read.session_events import EventWords
from gainful.read.session_inputs import AnySessions, find_log
from gainful.read.shapes import holds_runs
from gainful.read.source import Source
from gainful.text import number_doubles

_NAMES = ("judgments", "run")  # of what is in memory: the first, and others
AnyFile = AnyQrels | AnyRun | AnySessions


@answer_keywords
def check(
    *files: AnyFile | Sequence[AnyFile],
    sessions_format: str | None = None,
    columns: ColumnNames | None = None,
    tool: str | Sequence[str] | None = None,
    gap: str | float | timedelta | None = None,
    events: EventWords | None = None,
    topics: AnyTopics | None = None,
    pages: str | None = None,
) -> CheckReport:
    """Is anything wrong with these files, or dicts and frames, by themselves and together?

    Args:
        *files: judgments, runs and sessions, recognised by content, one after the other or in a
            list. Of objects in memory, the first is the judgments and the others are runs.
        sessions_format: the format of sessions, assumed for everything but judgments.
        columns: names of columns, such as {"query": "user", "doc": "item"}, if not the usual ones.
        tool: for traces and transcripts: the tool, or tools, whose calls are searches.
        gap: for a log: the pause that ends a session, such as "30m".
        events: for a log: the names of its events, such as {"shown": "view"}.
        topics: of sessions: a file of lines `session topic`, or {session: topic}.
        pages: for the Session Track: whether further pages continue the list or count as queries.

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
    if sessions_format is not None:
        check_name("session format", sessions_format, SESSION_FORMATS)
    names = read_column_names(columns)
    asked = {"tool": tool, "gap": gap, "events": events, "topics": topics, "pages": pages}
    sources = _open_all(files, names)
    all_kinds = decide_kinds(sources, names, with_sessions=sessions_format is not None)
    findings: list[Finding] = []
    log = find_log(sources)
    for source, kinds in zip(sources, all_kinds, strict=True):
        if log is not None and source in log:
            if source is log[0]:
                findings.append(examine_sessions(log, None, names, asked))
        elif kinds == ["sessions"] and isinstance(source, Source):
            findings.append(examine_sessions([source], sessions_format, names, asked))
        else:
            unknown: list[str | None] = [None]
            findings += [examine_file(source, kind, names) for kind in kinds or unknown]
        if isinstance(source, Source):
            source.report_end()
    names.refuse_misfits()
    if ["sessions"] not in all_kinds:
        names.refuse_unread()
    values = [finding.value for finding in findings]
    unit = next((value.unit for value in values if isinstance(value, Qrels)), "query")
    findings += check_pairs(findings)
    return CheckReport(tuple(_name_units(finding, unit) for finding in findings))


def _name_units(finding: Finding, unit: str) -> Finding:
    texts = {name: getattr(finding, name) for name in ("problems", "notes", "warnings")}
    named: dict[str, Any] = {
        name: tuple(name_units(line, unit) for line in lines) for name, lines in texts.items()
    }
    return evolve(finding, value=None, **named)


def _open_all(files: Sequence[Any], columns: ColumnMapping) -> list[Source | Path | Finding]:
    """Each file as it is opened; what is in memory is examined at once."""
    if len(files) == 1 and isinstance(files[0], (list, tuple)):
        files = files[0] if all(map(_is_path, files[0])) or holds_runs(files[0]) else files
    if not files:
        raise BadValue("files", files, "at least one")
    named: list[tuple[Any, Any]] = []
    for number, value in enumerate(files):
        is_runs = isinstance(value, Mapping) and holds_runs(value)
        named += value.items() if is_runs else [(_NAMES[number > 0], value)]
    names = number_doubles([str(name) for name, _ in named])
    sources: list[Source | Path | Finding] = []
    for name, (_, value) in zip(names, named, strict=True):
        if _is_path(value):
            sources.append(open_to_check(fspath(value)))
        else:
            sources += examine_value(value, name, columns, comes_first=not sources)
    return sources


def _is_path(value: object) -> bool:
    return isinstance(value, (str, PathLike))
