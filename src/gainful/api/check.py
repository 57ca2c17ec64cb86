"""Is anything wrong with these files?"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath

from gainful.api.keywords import answer_keywords
from gainful.errors import UnknownName
from gainful.match.check_against_qrels import check_pairs
from gainful.match.check_report import CheckReport, Finding
from gainful.read.column_names import ColumnNames, read_column_names
from gainful.read.file_check import FileReport, examine_file, open_to_check
from gainful.read.file_kinds import decide_kinds
from gainful.read.session_check import examine_sessions
from gainful.read.session_formats import SESSION_FORMATS
from gainful.read.source import Source

AnyPath = str | PathLike[str]


@answer_keywords
def check(
    files: AnyPath | Sequence[AnyPath],
    *,
    sessions_format: str | None = None,
    columns: ColumnNames | None = None,
) -> CheckReport:
    """Is anything wrong with these files, by themselves and together?

    Args:
        files: judgments, runs and sessions, each found out by content.
        sessions_format: the format of sessions; what is no judgments is taken to be in it.
        columns: how columns are called, such as {"query": "user", "doc": "item"}, if not usual.

    Returns:
        `CheckReport`: `ok`, and what was found in each file and in each pair of them.

    Examples:
        >>> check("nowhere.txt")
        1 thing is wrong.
        <BLANKLINE>
        nowhere.txt
          wrong: there is no such file
    """
    if sessions_format is not None and sessions_format not in SESSION_FORMATS:
        raise UnknownName("session format", sessions_format, SESSION_FORMATS)
    names = read_column_names(columns)
    paths = [fspath(path) for path in ([files] if isinstance(files, (str, PathLike)) else files)]
    sources = [open_to_check(path) for path in paths]
    all_kinds = decide_kinds(sources, names, with_sessions=sessions_format is not None)
    reports: list[FileReport] = []
    for source, kinds in zip(sources, all_kinds, strict=True):
        if kinds == ["sessions"] and isinstance(source, Source):
            reports.append(examine_sessions(source, sessions_format, names))
        else:
            unknown: list[str | None] = [None]
            reports += [examine_file(source, kind, names) for kind in kinds or unknown]
        if isinstance(source, Source):
            source.report_end()
    return CheckReport((*map(_describe_file, reports), *check_pairs(reports)))


def _describe_file(file: FileReport) -> Finding:
    kind = "" if file.kind == "nothing" else f"{file.kind}, {file.format_name}"
    return Finding(file.name, kind, tuple(file.problems), tuple(file.notes), tuple(file.warnings))
