"""What was found in files: wrong things first, then what is worth knowing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from attrs import frozen

from gainful.errors import UnknownName
from gainful.match.check_against_qrels import paired, paired_sessions
from gainful.read.file_check import Examined, examined, holds_both, kinds, looked_at, whole_numbers
from gainful.read.session_check import examined_sessions, holds_sessions
from gainful.read.session_formats import SESSION_FORMATS
from gainful.read.source import Source


@frozen
class Finding:
    """What was found in one file, or in two together."""

    about: str
    kind: str
    wrong: Sequence[str]
    notes: Sequence[str]


def findings(
    paths: Sequence[str],
    advanced: Callable[[str], None] | None = None,
    sessions_format: str | None = None,
) -> list[Finding]:
    """Each file by itself, then each run and each file of sessions with each judgments.

    Args:
        paths: the files.
        advanced: told of each file before it is looked at.
        sessions_format: the format of sessions; what is no judgments is taken to be in it.
    """
    if sessions_format is not None and sessions_format not in SESSION_FORMATS:
        raise UnknownName("session format", sessions_format, SESSION_FORMATS)
    files: list[Examined] = []
    sources = [looked_at(path) for path in paths]
    told = [holds_sessions(source) for source in sources]
    known = [
        {"sessions"} if is_told else kinds(source)
        for source, is_told in zip(sources, told, strict=True)
    ]
    if sessions_format is not None:
        known = [kind if kind in ({"judgments"}, set()) else {"sessions"} for kind in known]
    for path, source, kind in zip(paths, sources, known, strict=True):
        if advanced is not None:
            advanced(path)
        if kind == {"sessions"} and isinstance(source, Source):
            files.append(examined_sessions(source, sessions_format))
        else:
            files += [examined(source, one) for one in _settled(source, kind, known)]
    return [_of_file(file) for file in files] + _together(files)


def _together(files: Sequence[Examined]) -> list[Finding]:
    """What judgments and what was retrieved say of one another."""
    found = []
    for judged, other in product(files, files):
        if judged.judgments is None:
            continue
        if other.run is not None:
            wrong, notes = paired(judged.judgments, other.run)
        elif other.sessions is not None:
            wrong, notes = paired_sessions(judged.judgments, other.sessions)
        else:
            continue
        found.append(Finding(f"{judged.name} + {other.name}", "together", wrong, notes))
    return found


def _settled(source: object, kind: set[str], known: Sequence[set[str]]) -> list[str | None]:
    """What a file is taken for; one that may be either is what the others lack."""
    if len(kind) < 2:
        return [next(iter(kind), None)]
    if holds_both(source):
        return ["judgments", "run"]
    sure = {next(iter(other)) for other in known if len(other) == 1} - {"sessions"}
    if len(sure) == 1:
        return ["run" if sure == {"judgments"} else "judgments"]
    return ["judgments" if whole_numbers(source) else "run"]


def _of_file(file: Examined) -> Finding:
    kind = "" if file.kind == "nothing" else f"{file.kind}, {file.form}"
    return Finding(file.name, kind, file.wrong, file.notes)


def to_text(found: Sequence[Finding]) -> str:
    """A paragraph for each file and each pair, and the verdict."""
    parts = []
    for one in found:
        head = f"{one.about} ({one.kind})" if one.kind else one.about
        wrong = [
            f"  wrong: {line}" if not line.startswith(" ") else f"       {line}"
            for line in one.wrong
        ]
        parts.append("\n".join((head, *wrong, *(f"  {line}" for line in one.notes))))
    count = sum(not line.startswith(" ") for one in found for line in one.wrong)
    verdict = (
        "Nothing is wrong."
        if not count
        else f"{count} thing{'s are' if count > 1 else ' is'} wrong."
    )
    return "\n\n".join((*parts, verdict))


def to_dict(found: Sequence[Finding]) -> dict[str, Any]:
    """The same as data."""
    return {
        "ok": not any(one.wrong for one in found),
        "findings": [
            {
                "about": one.about,
                "kind": one.kind,
                "wrong": [line.strip() for line in one.wrong],
                "notes": list(one.notes),
            }
            for one in found
        ],
    }
