"""What is a file, to judge by its content: judgments, a run, or sessions?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gainful.errors import BadInput, NoColumn
from gainful.read import named_columns, trec_files
from gainful.read.column_names import (
    GRADE,
    RANK,
    RETRIEVED,
    SCORE,
    SESSION_ROLES,
    USUAL_NAMES,
    ColumnMapping,
    normalise_name,
)
from gainful.read.event_table import are_log_columns
from gainful.read.formats import (
    build_value,
    find_format,
    find_kinds,
    find_session_format,
    find_table_format,
    read_rows,
)
from gainful.read.kinds import RUN
from gainful.read.named_columns import InputTable
from gainful.read.sessions import are_session_columns
from gainful.read.source import Source

_EITHER_KIND = {"judgments", "run"}


def decide_kinds(
    sources: Sequence[object], columns: ColumnMapping = USUAL_NAMES, *, with_sessions: bool
) -> list[list[str]]:
    """What each file is taken for: one kind, two for a RAG file, none if it cannot be read.

    Args:
        sources: files as they were opened, folders, or what stands for files that cannot be read.
        columns: what their columns are called.
        with_sessions: is all that is no judgments sessions?
    """
    possible = [_possible_kinds(source, columns.merge_kinds()) for source in sources]
    if with_sessions:
        possible = [
            kinds if kinds in ({"judgments"}, set()) else {"sessions"} for kinds in possible
        ]
    certain = {kind for kinds in possible if len(kinds) == 1 for kind in kinds} - {"sessions"}
    return [
        [*kinds] if len(kinds) < 2 else _choose_kinds(source, certain)
        for source, kinds in zip(sources, possible, strict=True)
    ]


def _choose_kinds(source: object, certain: set[str]) -> list[str]:
    """A file that may be either is what the others lack."""
    if _has_qrels_and_run(source):
        return ["judgments", "run"]
    if len(certain) == 1:
        return ["run" if certain == {"judgments"} else "judgments"]
    return ["judgments" if _has_whole_scores(source) else "run"]


def _possible_kinds(source: object, columns: ColumnMapping) -> set[str]:
    """What a file can be: judgments, a run, either, sessions; nothing if it cannot be read."""
    if not isinstance(source, Source):
        return {"judgments"} if isinstance(source, Path) else set()
    if _holds_sessions(source, columns):
        return {"sessions"}
    try:
        format_name = find_format(source, columns=columns).name
        if format_name == "trec":
            return {"run" if trec_files.looks_like_a_run(source) else "judgments"}
        if format_name in ("rag", "ratings", "json"):
            return _EITHER_KIND if format_name == "json" else find_kinds(source, columns)
        input_table = named_columns.read_table(source, format_name)
    except BadInput:
        return set()
    return {_guess_table_kind(input_table, columns)}


def _guess_table_kind(table: InputTable, columns: ColumnMapping) -> str:
    """Judgments or a run, by the names of the columns."""
    own = {normalise_name(name) for name in table.frame.columns}
    mapped = {
        role
        for role, names in columns.names.items()
        if own & {normalise_name(name) for name in names}
    }
    header = table.header
    scored = "score" in mapped or (
        header.find_column(SCORE) is not None and header.find_column(("corpus_id",)) is None
    )
    ranked = "rank" in mapped or header.find_column((*RANK, *RETRIEVED)) is not None
    graded = "grade" in mapped or header.find_column(GRADE[:-1]) is not None
    return "run" if ranked or (scored and not graded) else "judgments"


def _has_qrels_and_run(source: object) -> bool:
    return isinstance(source, Source) and len(find_kinds(source)) == 2


def _has_whole_scores(source: object) -> bool:
    """Are all numbers of a file whole, as grades mostly are and scores seldom?"""
    if not isinstance(source, Source):
        return False
    try:
        score = build_value(read_rows(source, RUN)).frame["score"]
    except BadInput:
        return False
    return bool((score == score.round()).all())


def _holds_sessions(source: Source, columns: ColumnMapping) -> bool:
    """Is a file one of sessions, to judge by its content?

    Conversations are runs as well, and taken for runs unless their format is named.
    """
    format_name = find_session_format(source).name
    if format_name != "table":
        return format_name != "conversation"
    try:
        format_name = find_table_format(source)
        frame = named_columns.read_table(source, format_name).frame
        mapped = columns if "session" in columns.names else USUAL_NAMES
        names = mapped.select(frame.columns, SESSION_ROLES, source.name).values()
        return _are_session_columns(list(names))
    except NoColumn:
        return False
    except BadInput:
        return format_name in ("csv", "tsv") and _has_session_header(source)


def _has_session_header(source: Source) -> bool:
    line = source.first_line()
    return any(
        _are_session_columns([name.strip('"') for name in line.split(separator)])
        for separator in ",;\t"
    )


def _are_session_columns(names: list[str]) -> bool:
    return are_session_columns(names) or are_log_columns(names)
