"""What is a file, to judge by its beginning: judgments, a run, or sessions?"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from gainful.errors import BadInput, NoColumn
from gainful.read import trec_files
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
from gainful.read.delimited import MAX_FIELD
from gainful.read.event_table import are_log_columns
from gainful.read.formats import (
    build_value,
    find_format,
    find_kinds,
    find_session_format,
    find_table_format,
    is_table,
    read_rows,
)
<<<<<<< HEAD
from gainful.read.kinds import QRELS
from gainful.read.named_columns import InputTable
from gainful.read.qrels_and_run import look_like_ranks
=======
from gainful.read.json_records import first_records
from gainful.read.kinds import RUN
from gainful.read.named_columns import Header
>>>>>>> main
from gainful.read.sessions import are_session_columns
from gainful.read.source import Source

_MAX_GRADES = 12  # different fractions that can be grades
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
    if isinstance(source, Source) and len(find_kinds(source)) == 2:
        return ["judgments", "run"]
    if len(certain) == 1:
        return ["run" if certain == {"judgments"} else "judgments"]
<<<<<<< HEAD
    return ["judgments" if _looks_graded(source) else "run"]
=======
    return ["judgments" if isinstance(source, Source) and _has_whole_scores(source) else "run"]
>>>>>>> main


def _possible_kinds(source: object, columns: ColumnMapping) -> set[str]:
    """What a file can be: judgments, a run, either, sessions; nothing if it cannot be read."""
    if not isinstance(source, Source):
        return {"judgments"} if isinstance(source, Path) else set()
    if find_session_format(source).name not in ("table", "conversation"):  # that is a run as well
        return {"sessions"}
    names = _list_columns(source)
    if _are_session_columns(names, columns, source.name):
        return {"sessions"}
    file_format = find_format(source, columns=columns)
    if file_format.name == "trec":
        return {"run" if trec_files.looks_like_a_run(source) else "judgments"}
    if is_table(file_format):
        return {_guess_table_kind(Header(names, source.name), columns)}
    return _EITHER_KIND if file_format.name == "json" else find_kinds(source, columns)


def _list_columns(source: Source) -> list[str]:
    """The names of the columns of a table; of what is none, whatever its first line is."""
    if find_table_format(source) in ("parquet", "arrow", "jsonl"):
        return list(dict.fromkeys(key for record in first_records(source) for key in record))
    csv.field_size_limit(MAX_FIELD)
    lines = [source.first_line()]
    headers = [next(csv.reader(lines, delimiter=separator), []) for separator in ",;\t"]
    return [name.strip() for name in max(headers, key=len)]


def _are_session_columns(names: list[str], columns: ColumnMapping, name: str) -> bool:
    """Are these the columns of sessions, or of the events of a log?"""
    mapped = columns if "session" in columns.names else USUAL_NAMES
    try:
<<<<<<< HEAD
        format_name = find_format(source, columns=columns).name
        if format_name == "trec" and trec_files.find_run_format(source) is trec_files.RUN_LINES:
            return {"run" if trec_files.looks_like_a_run(source) else "judgments"}
        if format_name in ("rag", "ratings", "json", "trec"):
            return find_kinds(source, columns) or _EITHER_KIND
        table = named_columns.read_table(source, format_name, columns)
    except BadInput:
        return set()
    has_names = table.has_header or columns.by_position
    return {_guess_table_kind(table, columns)} if has_names else _EITHER_KIND
=======
        called = [*mapped.select(names, SESSION_ROLES, name).values()]
    except NoColumn:
        return False
    return are_session_columns(called) or are_log_columns(called)
>>>>>>> main


def _guess_table_kind(header: Header, columns: ColumnMapping) -> str:
    """Judgments or a run, by the names of the columns."""
    own = {*map(normalise_name, header.columns)}
    mapped = {role for role, names in columns.names.items() if own & {*map(normalise_name, names)}}
    scored = "score" in mapped or (
        header.find_column(SCORE) is not None and header.find_column(("corpus_id",)) is None
    )
    ranked = "rank" in mapped or header.find_column((*RANK, *RETRIEVED)) is not None
    graded = "grade" in mapped or header.find_column(GRADE[:-1]) is not None
    return "run" if ranked or (scored and not graded) else "judgments"


<<<<<<< HEAD
def _has_qrels_and_run(source: object) -> bool:
    return isinstance(source, Source) and len(find_kinds(source)) == 2


def _looks_graded(source: object) -> bool:
    """Are the numbers of a file whole or few, as grades are, and no ranks?"""
    if not isinstance(source, Source):
        return False
=======
def _has_whole_scores(source: Source) -> bool:
    """Are all numbers of a file whole, as grades mostly are and scores seldom?"""
>>>>>>> main
    try:
        frame = build_value(read_rows(source, QRELS)).frame
    except BadInput:
        return False
<<<<<<< HEAD
    if (
        not source.head.lstrip().startswith((b"{", b"["))
        and frame["grade"].n_unique() <= _MAX_GRADES
    ):
        return not look_like_ranks(frame)
    return bool((frame["grade"] == frame["grade"].round()).all()) and not look_like_ranks(frame)


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
=======
    return bool((score == score.round()).all())
>>>>>>> main
