"""What is there to know of a file? Everything wrong with it and worth saying, in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from gainful.errors import BadInput, NoColumn, Swapped
from gainful.read import formats, trec_files
from gainful.read.column_names import (
    GRADE,
    RANK,
    RETRIEVED,
    SCORE,
    SESSION_ROLES,
    USUAL_NAMES,
    ColumnMapping,
    list_columns,
)
from gainful.read.datasets import find_beir_file
from gainful.read.delimited import lacks_header
from gainful.read.document_evaluations import PLACES_OF_DOCUMENTS, SPAN_IDS
from gainful.read.inputs import AnyColumns, as_rows, find_run_beside
from gainful.read.json_records import first_records, load_whole
from gainful.read.named_columns import LISTS, Header, read_table, split_topic
from gainful.read.path_finder import find_value
from gainful.read.qrels_and_run import (
    QRELS,
    RUN,
    Kind,
    Qrels,
    Rows,
    Run,
    are_ranks,
    describe_duplicates,
    describe_odd_judgments,
    find_duplicates,
    find_repeated_passages,
    has_several_subtopics,
    look_like_ranks,
)
from gainful.read.session_events import are_session_columns, refuse_lists
from gainful.read.session_inputs import (
    as_sessions,
    describe_unknown_table,
    list_names,
    open_records,
    take_stream,
)
from gainful.read.session_layout import BadPolicy
from gainful.read.sessions import Sessions, count_results
from gainful.read.source import Source, is_folder, open_source
from gainful.text import count_noun, quote

_NAMELESS = "queries have no names: judgments and run go together as lists in one order"
_IN_MEMORY = "in memory"  # the format of what is no file
# Of a place, which line it is or which entry of JSON.
_RECORD = re.compile(r"line \d+|[^\[]*(?:\[[^\]]*\])?")
_MAX_LISTED = 10  # malformed lines and duplicates that are named one by one
_MAX_GRADES = 12  # grades that are listed with their numbers; different fractions that can be some
_MAX_LENGTHS = 12  # numbers of queries that are listed with how many sessions have them


@frozen
class Finding:
    """What was found in one file, or in two together: what is wrong, and what is worth knowing."""

    subject: str
    kind: str  # what it holds and its format; nothing where it could not be opened
    problems: Sequence[str]  # details of the one before begin with a blank
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()  # those of the notes that change what comes out
    value: Qrels | Run | Sessions | None = field(default=None, eq=False)  # what was read


def open_to_check(path: str) -> Source | Path | Finding:
    """A file, opened once: a pipe cannot be read twice; a folder; or why it is neither."""
    try:
        return Path(path) if path != "-" and is_folder(path) else open_source(path)
    except BadInput as error:
        return Finding(path, "", [_strip_file_name(path, error)])


def open_in_memory(value: Any) -> Any:
    """What is in memory, as it is; the records of a log as the file that they could stand in."""
    try:
        value = take_stream(value)
    except BadInput:  # which is said where it is read
        return value
    return next(iter(open_records(value)), value)


def examine(
    value: Any,
    name: str,
    kind_name: str | None,
    columns: ColumnMapping,
    *,
    format_name: str | None,
    asked: Mapping[str, Any],
) -> Finding:
    """All that is to be known of a file, or of what is in memory, as what it was taken for.

    Args:
        value: a file or folder as it was opened, the two files of one log, or what is in memory.
        name: the subject, if it is in memory.
        kind_name: judgments, run or sessions; None if it is no known table.
        columns: what its columns are called.
        format_name: of sessions in files.
        asked: how sessions are read; each format takes what it has.
    """
    if isinstance(value, Finding):
        return value
    if kind_name == "sessions":
        return _examine_sessions(value, name, format_name, columns, asked)
    if isinstance(value, (Source, Path)):
        return _examine_file(value, kind_name, columns)
    finding = _examine_in_memory(value, name, RUN if kind_name == "run" else QRELS, columns)
    is_read = isinstance(value, (Qrels, Run))
    return finding if is_read else _note_unknown_lists(finding, value, columns)


def _examine_file(source: Source | Path, kind_name: str | None, columns: ColumnMapping) -> Finding:
    kind: Kind[Any] = RUN if kind_name == "run" else QRELS
    name, format_name = str(source), "beir"
    columns = columns.choose_kind("qrels" if kind is QRELS else "run")
    try:
        if isinstance(source, Path):
            source = open_source(find_beir_file(source))
            read = formats.read_rows(source, QRELS, "tsv")
        else:
            name, format_name = source.name, formats.find_format(source, columns=columns).name
            if kind_name is None and list_names(source):
                formats.refuse_unknown_records(source, kind)
                if formats.is_table(formats.FORMATS[format_name]):
                    refuse_lists(read_table(source, format_name))
                raise describe_unknown_table(source)
            read = formats.read_rows(source, kind, format_name, columns, every=True)
        finding = _examine(read, name, format_name)
    except BadInput as error:
        label = f"{kind.name}, {format_name}" if kind_name else format_name
        return Finding(name, label, [_strip_file_name(name, error)])
    is_rag_run = format_name == "rag" and kind is RUN
    return _note_unknown_lists(finding, name, columns) if is_rag_run else finding


def _note_unknown_lists(finding: Finding, value: Any, columns: AnyColumns | None) -> Finding:
    """What is said of lists beside a run that may be judgments."""
    try:
        find_run_beside(value, columns)
    except NoColumn as error:
        return evolve(finding, notes=[*finding.notes, f"{error.problem} ({error.expected})"])
    return finding


def _examine_in_memory(value: Any, name: str, kind: Kind[Any], columns: ColumnMapping) -> Finding:
    place = name if kind is RUN else QRELS.name
    try:
        return _examine(as_rows(value, kind, place, columns), name, _IN_MEMORY)
    except BadInput as error:
        if isinstance(error, Swapped) and kind is QRELS:
            return _examine_in_memory(value, name, RUN, columns)
        label = _IN_MEMORY if isinstance(error, Swapped) else f"{kind.name}, {_IN_MEMORY}"
        return Finding(name, label, [_strip_file_name(place, error)])


def _examine_sessions(
    value: Any,
    name: str,
    format_name: str | None,
    columns: ColumnMapping,
    asked: Mapping[str, Any],
) -> Finding:
    parts = value if isinstance(value, tuple) else (value,)
    sources = [part for part in parts if isinstance(part, Source)]
    file_format = formats.SESSION_FORMATS["table"]
    kind, place, prefix = f"sessions, {_IN_MEMORY}", "sessions", ""
    if sources:
        file_format = formats.find_session_format(sources[0], format_name)
        kind, format_name = f"sessions, {file_format.name}", file_format.name
        name = place = " and ".join(part.name for part in sources)
        prefix = f"{name}:" if len(sources) == 1 else ""
    wanted = {**asked, "columns": columns.choose_sessions()}
    taken = {name: wanted[name] for name in (*file_format.options, "topics") if name in wanted}

    def read(bad: BadPolicy) -> Sessions:
        return as_sessions(sources or value, format_name if sources else None, bad=bad, **taken)

    try:
        sessions = read("skip")
    except BadInput as error:
        errors = [error]
        try:
            read("error")
        except BadInput as first:  # of what was passed over before nothing was left
            errors = [first] if first.problem in error.problem else [first, error]
        return Finding(name, kind, [_strip_file_name(place, each) for each in errors])
    mistakes = [
        f"{location.replace(prefix, 'line ') if prefix else location}: {words}"
        for location, words in sessions.problems
    ]
    problems = _list_first(len(mistakes), "mistake", mistakes)
    left_out = f"{count_noun(sessions.dropped_count, 'session')} with errors are not counted here"
    notes = [
        *([left_out] if sessions.dropped_count else []),
        *_describe_sessions(sessions),
        *(note for note in sessions.notes if "left out:" not in note),
    ]
    return Finding(name, kind, problems, notes, value=sessions)


def _examine(read: Rows[Any] | Qrels | Run, name: str, format_name: str) -> Finding:
    """What is wrong with the rows that were read, and what is worth knowing of those that count."""
    problems, warnings = list[str](), list[str]()
    value: Qrels | Run
    if isinstance(read, Rows):
        locate, prefix = read.locate, f"{read.name}:"
        read = evolve(read, locate=lambda row: locate(row).replace(prefix, "line "))
        problems += _describe_problems(read)
        warnings += read.warnings
        if read.frame.is_empty() and not (read.kind is RUN and read.fields.get("empty_queries")):
            return Finding(name, f"{read.kind.name}, {format_name}", problems or ["it is empty"])
        frame, repeats = _drop_repeats(read)
        problems += repeats
        problems += _describe_contradictions(read) if "rank" in read.frame.columns else []
        known = {"distinct": True} if read.kind is RUN else {}
        value = evolve(read, frame=frame, mistakes=(), fields={**read.fields, **known}).build()
    else:
        value = read
        if isinstance(read, Run):
            problems = _list_duplicates(find_duplicates(read.frame), read.locate, "one ranking")
    if isinstance(value, Qrels):
        kind, notes = QRELS.name, _describe_qrels(value, warnings)
    else:
        kind, notes = RUN.name, _describe_run(value)
    notes += [_NAMELESS] * bool(value.list_count)
    own_notes = (note.removeprefix(f"{value.name}: ") for note in value.notes)
    notes += [note for note in own_notes if note not in notes]
    return Finding(name, f"{kind}, {format_name}", problems, notes, warnings, value)


def _drop_repeats(rows: Rows[Any]) -> tuple[pl.DataFrame, list[str]]:
    """The rows that say something for the first time, and the others in words."""
    frame, locate = rows.frame, rows.locate
    if "passage" in frame.columns:  # each may be rated once for a subtopic
        repeats = find_repeated_passages(frame)
        mistakes = [
            f"{locate(row)}: passage {quote(passage)} is rated again"
            for row, passage in repeats.select("row", "passage").iter_rows()
        ]
        once = frame.filter(~pl.int_range(len(frame)).is_in(repeats["row"].implode()))
        return once, _list_first(len(mistakes), "repeated rating", mistakes)
    more, scope = [], "one ranking" if rows.kind is RUN else "the judgments of a query"
    if "subtopic" in frame.columns and has_several_subtopics(frame["subtopic"]):
        more, scope = ["subtopic"], "the judgments of a subtopic"
    duplicate_rows = find_duplicates(frame, *more)
    if duplicate_rows.is_empty():
        return frame, []
    once = frame.unique(["query", "doc", *more], keep="first", maintain_order=True)
    return once, _list_duplicates(duplicate_rows, locate, scope)


def _describe_problems(read: Rows[Any]) -> list[str]:
    """What is wrong with single rows; what would be right is said once if it is one thing."""
    first = read.list_problems(_MAX_LISTED)
    alike = len({problem.expected for problem in first}) == 1
    places, mistakes = list[str](), list[str]()
    for problem in first:
        allowed = "" if alike or not problem.expected else f" (expected: {problem.expected})"
        place = problem.where.replace(f"{read.name}:", "line ")
        places.append(place)
        mistakes.append(f"{place}: {problem.problem}{allowed}")
    is_line = all(place.startswith("line ") for place in places)
    noun = "malformed line" if is_line else "malformed record"
    if len({_RECORD.match(place)[0] for place in places}) < len(places):  # type: ignore[index]
        noun = "mistake"  # there are several in one
    expected = f" (expected: {first[0].expected})" if alike and first[0].expected else ""
    return _list_first(len(read.mistakes), noun, mistakes, expected)


def _list_first(count: int, noun: str, lines: Sequence[str], more: str = "") -> list[str]:
    """How many of a thing there are, and what is said of the first of them."""
    if not count:
        return []
    rest = [f"… and {count - _MAX_LISTED} more"] if count > _MAX_LISTED else []
    head = f"{count_noun(count, noun)}{more}"
    return [head, *(f"  {line}" for line in (*lines[:_MAX_LISTED], *rest))]


def _list_duplicates(
    duplicate_rows: pl.DataFrame, locate: Callable[[int], str], scope: str
) -> list[str]:
    pairs = duplicate_rows.n_unique(["query", "doc"])
    lines = describe_duplicates(duplicate_rows, locate)
    return _list_first(pairs, "document", lines, f" more than once in {scope}")


def _describe_qrels(qrels: Qrels, warnings: list[str]) -> list[str]:
    """What is worth knowing of judgments; what is odd becomes a warning, too."""
    frame = qrels.frame
    per_query = _count_by_query(frame)
    grades = frame["grade"].value_counts().sort("grade")
    grade_counts = [f"{grade:g} ({count}×)" for grade, count in grades.iter_rows()]
    without_relevant = len(per_query) - frame.filter(pl.col("grade") >= 1)["query"].n_unique()
    if without_relevant:
        queries = count_noun(without_relevant, "query has", "queries have")
        warnings.append(f"{queries} nothing relevant (no grade of 1 or more)")
    negative = int((frame["grade"] < 0).sum())
    if negative:
        warnings.append(f"{count_noun(negative, 'grade is', 'grades are')} below 0")
    odd = describe_odd_judgments(qrels)
    if not odd and len(frame) > len(per_query) and are_ranks(frame, "grade"):
        odd = ["the grades of every query count 1, 2, …, as the ranks of a run do"]
    warnings += odd
    noun = "judgment" if qrels.subtopics is None else "judged document"
    return [
        f"{count_noun(len(frame), noun)} of {_format_sizes(per_query)}",
        f"grades: {list_columns(grade_counts, _MAX_GRADES)}",
        *warnings,
        *([] if qrels.subtopics is None else [_describe_subtopics(qrels, qrels.subtopics)]),
    ]


def _describe_subtopics(qrels: Qrels, subtopic_judgments: pl.DataFrame) -> str:
    query = qrels.frame["query"].gather(subtopic_judgments["row"])
    each = pl.DataFrame({"query": query, "subtopic": subtopic_judgments["subtopic"]}).unique()
    sizes = each.group_by("query").len()["len"]
    several = int((subtopic_judgments["row"].value_counts()["count"] > 1).sum())
    counts = count_noun(len(subtopic_judgments), "judgment"), count_noun(len(each), "subtopic")
    return (
        f"{' for '.join(counts)} of {_format_sizes(sizes)}; "
        f"{count_noun(several, 'document')} judged for several of them"
    )


def _describe_run(run: Run) -> list[str]:
    frame = run.frame
    notes = [(f"{count_noun(len(frame), 'result')} of {_format_sizes(_count_by_query(frame))}")]
    if run.tag:
        notes.append(f"run name: {run.tag}")
    score_hash = pl.col("query").hash(1) ^ pl.col("score").hash(2)
    ordered = np.sort(frame.select(score_hash).to_series().to_numpy())
    same = np.diff(ordered) == 0
    tied = int((np.append(same, False) | np.append(False, same)).sum())
    if tied:
        share = 100 * tied / len(frame)
        notes.append(f"{tied} documents share their score with another ({share:.1f} %)")
    return notes


def _describe_sessions(sessions: Sessions) -> list[str]:
    frame, layout = sessions.frame, sessions.layout
    results = frame.filter(pl.col("doc").is_not_null())
    lengths = layout.queries_per_session
    sizes, frequencies = np.unique(lengths, return_counts=True)
    length_counts = [f"{size} ({number}×)" for size, number in zip(sizes, frequencies, strict=True)]
    empty = len(frame) - len(results)
    result_counts = count_results(frame, layout)
    counts = (len(layout.session_starts), len(layout.query_starts), len(results))
    counts_and_nouns = zip(counts, ("session", "query", "result"), strict=True)
    notes = [
        ", ".join(count_noun(number, noun) for number, noun in counts_and_nouns),
        (
            f"queries a session: {list_columns(length_counts, _MAX_LENGTHS)}; "
            f"{lengths.mean():.2f} on average"
        ),
        f"results a query: {_format_range(int(result_counts.min()), int(result_counts.max()))}",
    ]
    if empty:
        notes.append(f"{count_noun(empty, 'query')} returned nothing")
    if len(results):
        repeat_count = len(results) - results.select(pl.struct("session", "doc").n_unique()).item()
        share = 100 * repeat_count / len(results)
        notes.append(f"{share:.1f} % of the results repeat a document of the session")
    if "clicked" in frame.columns:
        clicked = int(frame["clicked"].sum())
        notes.append(f"{count_noun(clicked, 'result')} clicked")
    if sessions.columns:
        notes.append(f"more columns: {', '.join(sessions.columns)}")
    return notes


def _describe_contradictions(rows: Rows[Any]) -> list[str]:
    """Ranks that say something else than scores do, which is what counts."""
    rank = pl.col("rank").cast(pl.Float64, strict=False)
    by_rank = rows.frame.with_columns(rank).with_row_index("row").drop_nulls("rank")
    same = pl.col("query") == pl.col("query").shift(1)
    rank_drops = by_rank.select(
        (~same | (pl.col("rank") < pl.col("rank").shift(1))).fill_null(value=True).sum()
    ).item()
    if rank_drops > by_rank["query"].n_unique():  # not yet by query and rank
        by_rank = by_rank.sort("query", "rank", maintain_order=True)
    new_rank = pl.col("rank") != pl.col("rank").shift(1)
    bad = by_rank.filter(same & new_rank & (pl.col("score") > pl.col("score").shift(1)))
    if bad.is_empty():
        return []
    row = bad.sort("row").row(0, named=True)
    frequency = f"{count_noun(len(bad), 'time')}, in {count_noun(bad['query'].n_unique(), 'query')}"
    place = (
        f"{rows.locate(row['row'])}: rank {row['rank']:g} has a higher score than the one before"
    )
    return [f"scores contradict ranks {frequency}, first in {place} (scores count)"]


def _count_by_query(frame: pl.DataFrame) -> pl.Series:
    stretches = frame["query"].rle().struct.unnest()
    return stretches.group_by("value").agg(pl.col("len").sum())["len"]


def _format_sizes(sizes: pl.Series) -> str:
    low, high = min(sizes, default=0), max(sizes, default=0)
    return f"{count_noun(len(sizes), 'query')}, {_format_range(low, high)} each"


def _format_range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _strip_file_name(name: str, error: BadInput) -> str:
    message = str(error).removeprefix(f"{name}:").strip()
    _, separator, place = error.where.partition(f"{name}:")
    return f"line {message}" if separator and place[:1].isdecimal() else message


def decide_kinds(
    values: Sequence[Any], columns: ColumnMapping = USUAL_NAMES, *, with_sessions: bool = False
) -> list[list[str]]:
    """What each value is taken for: one kind, two where it tells both, none if it cannot be read.

    Args:
        values: files as they were opened, folders, what is in memory, or what was wrong with one.
        columns: what their columns are called.
        with_sessions: are all files that are no judgments sessions?
    """
    all_kinds = [_find_kinds(value, columns) for value in values]
    for at, value in enumerate(values):
        is_file = isinstance(value, Source)
        if with_sessions and is_file and all_kinds[at] not in (["judgments"], []):
            all_kinds[at] = ["sessions"]
        elif not is_file and all_kinds[at] is None:  # as for eval, judgments come first
            is_first = all(kinds == ["sessions"] for kinds in all_kinds[:at])
            all_kinds[at] = ["judgments" if is_first else "run"]
    certain = {kinds[0] for kinds in all_kinds if kinds and len(kinds) == 1} - {"sessions"}
    unsure = [at for at, kinds in enumerate(all_kinds) if kinds is None]
    if len(certain) == 1:
        other = "run" if certain == {"judgments"} else "judgments"
        return [[other] if kinds is None else kinds for kinds in all_kinds]
    numbers_at = {at: _find_grades(values[at]) for at in unsure}
    grades = {at: numbers for at, numbers in numbers_at.items() if numbers is not None}
    judged = [*grades]
    if not certain and judged:
        has_run = bool(columns.own_names.get("run"))
        rest = [at for at in judged[1:] if not has_run and _are_whole(grades[at])]
        is_run = has_run and len(values) == 1  # as these columns are its own
        judged = [] if is_run else [judged[0], *rest]
    chosen = {at: ["judgments" if at in judged else "run"] for at in unsure}
    return [chosen[at] if kinds is None else kinds for at, kinds in enumerate(all_kinds)]


def _find_kinds(value: Any, columns: ColumnMapping) -> list[str] | None:
    """What can be said of one value alone; None where it may be judgments or a run."""
    if isinstance(value, Source):
        return _find_file_kinds(value, columns)
    if isinstance(value, Finding):
        return []
    if isinstance(value, (Path, Qrels, Run)):
        return ["run" if isinstance(value, Run) else "judgments"]
    columns = columns.merge_kinds()
    is_log = isinstance(value, tuple) and bool(value) and isinstance(value[0], Source)
    if is_log or isinstance(value, Sessions) or _have_sessions(list_names(value), columns):
        return ["sessions"]
    with suppress(NoColumn):  # which is noted when it is examined
        return None if find_run_beside(value, columns) is None else ["judgments", "run"]
    return None


def _find_file_kinds(value: Source, given: ColumnMapping) -> list[str] | None:
    columns = given.merge_kinds()
    names = [*list_names(value), *_list_fields(value, columns)]
    session_format = formats.find_session_format(value).name
    is_log = session_format not in ("table", "conversation")  # which is a run, too
    is_log |= all(not set(each).isdisjoint(names) for each in (SPAN_IDS, PLACES_OF_DOCUMENTS))
    if is_log or _have_sessions(names, columns):
        return ["sessions"]
    file_format = formats.find_format(value, columns=columns)
    if file_format.name == "trec" and trec_files.find_run_format(value) is trec_files.RUN_LINES:
        return ["run" if trec_files.looks_like_a_run(value) else "judgments"]
    if file_format.name == "json":
        try:
            load_whole(value)
        except BadInput:
            return []
    kinds = formats.find_kinds(value, columns)
    if len(kinds) == 2 or not formats.is_table(file_format):
        return sorted(kinds) or None
    if file_format.name in ("csv", "tsv") and lacks_header(value, file_format.name, columns):
        if not given.has_positions:
            return None
        names = [str(number + 1) for number in range(len(names))]
    header = Header(names, value.name)
    has_lists = header.find_column(LISTS) is not None and not header.find_likely("judgments")
    fits = columns.names or kinds or has_lists or not header.list_missing("judgments")
    return [_guess_table_kind(header, columns)] if fits else []


def _list_fields(source: Source, columns: ColumnMapping) -> list[str]:
    """The fields of objects that are named by their paths, as in properties.query."""
    paths = [name for names in columns.names.values() for name in names if "." in name]
    records = first_records(source) if paths else []
    return [path for path in paths if any(find_value(each, path) is not None for each in records)]


def _have_sessions(names: Sequence[str], columns: ColumnMapping) -> bool:
    others, _ = split_topic(columns.choose_sessions(), names)
    return are_session_columns([*others.select(names, SESSION_ROLES, "").values()])


def refuse_sessions(source: Source, columns: ColumnMapping = USUAL_NAMES) -> None:
    """Refuse sessions where judgments or a run are read."""
    if _find_kinds(source, columns) == ["sessions"]:
        file_format = formats.find_session_format(source)
        problem = f"these are sessions, not judgments or a run ({file_format.description})"
        raise Swapped(source.name, problem, f"gainful sessions {source.name}")


def _guess_table_kind(header: Header, columns: ColumnMapping) -> str:
    def has(role: str, *usual: str) -> bool:
        return header.find_column((*columns.names.get(role, ()), *usual)) is not None

    is_beir = has("", "corpus_id")  # whose score is a grade
    scored, graded = has("score", *(() if is_beir else SCORE)), has("grade", *GRADE[:-1])
    ranked = has("rank", *RANK, *RETRIEVED)
    return "run" if ranked or (scored and not graded) else "judgments"


def _find_grades(source: Source) -> pl.Series | None:
    """The numbers of a file that are whole or few, as grades are, and no ranks."""
    try:
        frame = formats.read_rows(source, QRELS).build().frame
    except BadInput:
        return None
    few = frame["grade"].n_unique() <= _MAX_GRADES
    few &= not source.head.lstrip().startswith((b"{", b"["))
    are_likely = (few or _are_whole(frame["grade"])) and not look_like_ranks(frame)
    return frame["grade"] if are_likely else None


def _are_whole(numbers: pl.Series) -> bool:
    return bool((numbers == numbers.round()).all())
