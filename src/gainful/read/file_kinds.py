"""What is a file, to judge by its beginning: judgments, a run, or sessions?"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from gainful.errors import BadInput
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
from gainful.read.delimited import MAX_FIELD, lacks_header
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
from gainful.read.json_records import first_records
from gainful.read.kinds import QRELS
from gainful.read.named_columns import Header
from gainful.read.qrels_and_run import look_like_ranks
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
    if isinstance(source, Source) and len(find_kinds(source)) == 2:
        return ["judgments", "run"]
    if len(certain) == 1:
        return ["run" if certain == {"judgments"} else "judgments"]
    return ["judgments" if isinstance(source, Source) and _looks_graded(source) else "run"]


def _possible_kinds(source: object, columns: ColumnMapping) -> set[str]:
    """What a file can be: judgments, a run, either, sessions; nothing if it cannot be read."""
    if not isinstance(source, Source):
        return {"judgments"} if isinstance(source, Path) else set()
    names = _list_columns(source)
    is_log = find_session_format(source).name not in ("table", "conversation")  # that is a run, too
    if is_log or _are_session_columns(names, columns, source.name):
        return {"sessions"}
    file_format = find_format(source, columns=columns)
    if file_format.name == "trec" and trec_files.find_run_format(source) is trec_files.RUN_LINES:
        return {"run" if trec_files.looks_like_a_run(source) else "judgments"}
    if not is_table(file_format):
        return find_kinds(source, columns) or _EITHER_KIND
    if file_format.name in ("csv", "tsv") and lacks_header(source, file_format.name, columns):
        if not columns.has_positions:
            return _EITHER_KIND
        names = [str(number + 1) for number in range(len(names))]
    return {_guess_table_kind(Header(names, source.name), columns)}


def _list_columns(source: Source) -> list[str]:
    if find_table_format(source) in ("parquet", "arrow", "jsonl"):
        return list(dict.fromkeys(key for record in first_records(source) for key in record))
    csv.field_size_limit(MAX_FIELD)
    lines = [source.first_line().replace("\r", " ")]  # where no line ends
    headers = [next(csv.reader(lines, delimiter=separator), []) for separator in ",;\t"]
    return [name.strip() for name in max(headers, key=len)]


def _are_session_columns(names: list[str], columns: ColumnMapping, name: str) -> bool:
    called = [*columns.choose_sessions().select(names, SESSION_ROLES, name).values()]
    return are_session_columns(called) or are_log_columns(called)


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


def _looks_graded(source: Source) -> bool:
    """Are the numbers of a file whole or few, as grades are, and no ranks?"""
    try:
        frame = build_value(read_rows(source, QRELS)).frame
    except BadInput:
        return False
    grade = frame["grade"]
    few = grade.n_unique() <= _MAX_GRADES and not source.head.lstrip().startswith((b"{", b"["))
    return (few or bool((grade == grade.round()).all())) and not look_like_ranks(frame)
