"""What was found in files: wrong things first, then what is worth knowing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from attrs import frozen

from gainful.errors import UnknownName
from gainful.match.check_against_qrels import check_run_against_qrels, check_sessions_against_qrels
from gainful.read.file_check import (
    FileReport,
    examine_file,
    has_qrels_and_run,
    has_whole_scores,
    open_to_check,
    possible_kinds,
)
from gainful.read.session_check import examine_sessions, holds_sessions
from gainful.read.session_formats import SESSION_FORMATS
from gainful.read.source import Source


@frozen
class Finding:
    """What was found in one file, or in two together."""

    subject: str
    kind: str
    problems: Sequence[str]
    notes: Sequence[str]


def check_files(
    paths: Sequence[str],
    on_file: Callable[[str], None] | None = None,
    sessions_format: str | None = None,
) -> list[Finding]:
    """Each file by itself, then each run and each file of sessions with each judgments.

    Args:
        paths: the files.
        on_file: told of each file before it is looked at.
        sessions_format: the format of sessions; what is no judgments is taken to be in it.
    """
    if sessions_format is not None and sessions_format not in SESSION_FORMATS:
        raise UnknownName("session format", sessions_format, SESSION_FORMATS)
    files: list[FileReport] = []
    sources = [open_to_check(path) for path in paths]
    session_flags = [holds_sessions(source) for source in sources]
    candidate_kinds = [
        {"sessions"} if is_session_file else possible_kinds(source)
        for source, is_session_file in zip(sources, session_flags, strict=True)
    ]
    if sessions_format is not None:
        candidate_kinds = [
            file_kinds if file_kinds in ({"judgments"}, set()) else {"sessions"}
            for file_kinds in candidate_kinds
        ]
    for path, source, file_kinds in zip(paths, sources, candidate_kinds, strict=True):
        if on_file is not None:
            on_file(path)
        if file_kinds == {"sessions"} and isinstance(source, Source):
            files.append(examine_sessions(source, sessions_format))
        else:
            files += [
                examine_file(source, chosen_kind)
                for chosen_kind in _decide_kinds(source, file_kinds, candidate_kinds)
            ]
    return [_build_finding(file) for file in files] + _check_pairs(files)


def _check_pairs(files: Sequence[FileReport]) -> list[Finding]:
    """What judgments and what was retrieved say of one another."""
    pair_findings = []
    for qrels_file, other_file in product(files, files):
        if qrels_file.qrels is None:
            continue
        if other_file.run is not None:
            problems, notes = check_run_against_qrels(qrels_file.qrels, other_file.run)
        elif other_file.sessions is not None:
            problems, notes = check_sessions_against_qrels(qrels_file.qrels, other_file.sessions)
        else:
            continue
        pair_findings.append(
            Finding(f"{qrels_file.name} + {other_file.name}", "together", problems, notes)
        )
    return pair_findings


def _decide_kinds(
    source: object, file_kinds: set[str], candidate_kinds: Sequence[set[str]]
) -> list[str | None]:
    """What a file is taken for; one that may be either is what the others lack."""
    if len(file_kinds) < 2:
        return [next(iter(file_kinds), None)]
    if has_qrels_and_run(source):
        return ["judgments", "run"]
    certain_kinds = {
        next(iter(other_kinds)) for other_kinds in candidate_kinds if len(other_kinds) == 1
    } - {"sessions"}
    if len(certain_kinds) == 1:
        return ["run" if certain_kinds == {"judgments"} else "judgments"]
    return ["judgments" if has_whole_scores(source) else "run"]


def _build_finding(file: FileReport) -> Finding:
    kind = "" if file.kind == "nothing" else f"{file.kind}, {file.form}"
    return Finding(file.name, kind, file.problems, file.notes)


def to_text(findings: Sequence[Finding]) -> str:
    """A paragraph for each file and each pair, and the verdict."""
    parts = []
    for finding in findings:
        heading = f"{finding.subject} ({finding.kind})" if finding.kind else finding.subject
        problem_lines = [
            f"  wrong: {line}" if not line.startswith(" ") else f"       {line}"
            for line in finding.problems
        ]
        parts.append("\n".join((heading, *problem_lines, *(f"  {line}" for line in finding.notes))))
    problem_count = sum(
        not line.startswith(" ") for finding in findings for line in finding.problems
    )
    verdict = (
        "Nothing is wrong."
        if not problem_count
        else f"{problem_count} thing{'s are' if problem_count > 1 else ' is'} wrong."
    )
    return "\n\n".join((*parts, verdict))


def to_dict(findings: Sequence[Finding]) -> dict[str, Any]:
    """The same as data."""
    return {
        "ok": not any(finding.problems for finding in findings),
        "findings": [
            {
                "about": finding.subject,
                "kind": finding.kind,
                "wrong": [line.strip() for line in finding.problems],
                "notes": list(finding.notes),
            }
            for finding in findings
        ],
    }
