"""What is there to know of a file? Everything wrong with it and worth saying, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
from attrs import field, frozen

from gainful.errors import BadInput
from gainful.read import beir, named_columns, subtopic_qrels, trec_files
from gainful.read.column_names import (
    QRELS_ROLES,
    RANK,
    RUN_ROLES,
    SCORE,
    USUAL_NAMES,
    ColumnMapping,
    is_wide,
)
from gainful.read.formats import Format, find_format, take_columns
from gainful.read.named_columns import InputTable
from gainful.read.odd_judgments import describe_odd_judgments
from gainful.read.qrels_and_run import (
    Qrels,
    Run,
    describe_duplicates,
    find_duplicates,
    has_several_subtopics,
)
from gainful.read.sessions import Sessions
from gainful.read.source import Source, is_folder, open_source
from gainful.text import count_noun, quote

_MAX_LISTED = 10  # malformed lines and duplicates that are named one by one
_MAX_GRADES = 12  # grades that are listed with their numbers


@frozen(eq=False)
class FileReport:
    """A file, what it holds, what is wrong with it, and what is worth knowing."""

    name: str
    format_name: str
    kind: str  # judgments, run, sessions, or nothing that could be read
    problems: list[str] = field(factory=list)
    notes: list[str] = field(factory=list)
    warnings: list[str] = field(factory=list)  # those of the notes that change what comes out
    qrels: Qrels | None = None
    run: Run | None = None
    sessions: Sessions | None = None


@frozen(eq=False)
class _FileRows:
    """The rows of a file: what is sound, what is not, and where each stands."""

    name: str
    format_name: str
    frame: pl.DataFrame  # query, doc, number, rank of the sound rows; subtopic, if there is one
    problems: list[str]
    locate: Callable[[int], str]  # of the sound rows
    tag: str = ""
    trailing_count: int = 0  # lines with text behind their last field
    notes: Sequence[str] = ()  # what one should know of how they were read


def open_to_check(path: str) -> Source | Path | FileReport:
    """A file, opened once: a pipe cannot be read twice; a folder; or why it is neither."""
    try:
        return Path(path) if path != "-" and is_folder(path) else open_source(path)
    except BadInput as error:
        return FileReport(path, "unknown", "nothing", [strip_file_name(path, error)])


def examine_file(
    source: Source | Path | FileReport, kind: str | None, columns: ColumnMapping = USUAL_NAMES
) -> FileReport:
    """All that is to be known of one file as judgments or as a run."""
    if isinstance(source, FileReport):
        return source
    name, format_name, kind = str(source), "beir", kind or "run"
    try:
        if isinstance(source, Path):
            return report_qrels(beir.read_qrels(source), format_name, name, [])
        file_format = find_format(source, columns=columns)
        name, format_name = source.name, file_format.name
        if format_name in ("rag", "ratings", "json"):
            return _examine_whole_file(source, file_format, kind, columns)
        is_run = kind == "run"
        if format_name == "trec":
            rows = _read_trec_rows(source, is_run=is_run)
        else:
            table = named_columns.read_table(source, format_name)
            if is_wide(table.frame.schema):
                return _examine_whole_file(source, file_format, kind, columns)
            rows = _read_table_rows(table, format_name, columns, is_run=is_run)
        return _examine_run_rows(rows) if is_run else _examine_qrels_rows(rows)
    except BadInput as error:
        return FileReport(name, format_name, kind, [strip_file_name(name, error)])


def _examine_whole_file(
    source: Source, file_format: Format, kind: str, columns: ColumnMapping
) -> FileReport:
    """Formats that are read as a whole or not at all."""
    if kind == "judgments":
        qrels = file_format.read_qrels(source, **take_columns(file_format, columns))
        return report_qrels(qrels, file_format.name, source.name, [])
    run = file_format.read_run(source, **take_columns(file_format, columns))
    problems = describe_repeats(run.frame, run.locate, "one ranking")
    return report_run(run, file_format.name, problems)


def _read_trec_rows(source: Source, *, is_run: bool) -> _FileRows:
    """Every line by itself, so that one bad line does not hide the next."""
    line_format = trec_files.RUN if is_run else trec_files.find_qrels_format(source)
    lines = trec_files.split_lines(source, line_format)
    bad = lines.select(trec_files.is_bad_line(line_format)).to_series()
    problems = [
        (f"line {row['line']}", trec_files.describe_problem(row, line_format))
        for row in lines.filter(bad).to_dicts()
    ]
    rank = pl.col("rank").cast(pl.Float64, strict=False) if is_run else pl.lit(None).alias("rank")
    extra = [name for name in ("subtopic", "passage") if name in lines.columns]
    sound = lines.filter(~bad).select("line", "query", "doc", "number", rank, "more", *extra)
    return _FileRows(
        source.name,
        "trec",
        sound.drop("line"),
        _describe_bad_lines(problems, line_format.description),
        lambda row: f"line {sound['line'][row]}",
        trec_files.last_tag(source) if is_run else "",
        int(sound["more"].sum()),
        notes=list(filter(None, [trec_files.describe_comments(source)])),
    )


def _read_table_rows(
    input_table: InputTable, format_name: str, names: ColumnMapping, *, is_run: bool
) -> _FileRows:
    roles, role = (RUN_ROLES, "score") if is_run else (QRELS_ROLES, "grade")
    input_table = input_table.rename(names, roles)
    header = input_table.header
    if is_run:
        number = header.require_column((*SCORE, *RANK), role)
    else:
        input_table, number = input_table.with_grades()
    columns = named_columns.parse_columns(input_table, number, role)
    bad = columns.bad_rows()
    prefix = f"{input_table.name}:"
    problems = [
        (input_table.locate(row).replace(prefix, "line "), str(columns.describe_problem(row)))
        for row in bad[:_MAX_LISTED]
    ] + [("", "")] * max(0, len(bad) - _MAX_LISTED)
    sound = columns.frame.with_row_index("row").filter(~pl.col("row").is_in(bad))
    rows = sound["row"].to_list()
    if is_run and header.find_column(SCORE) is None:
        sound = sound.with_columns(-pl.col("number"))
    return _FileRows(
        input_table.name,
        format_name,
        sound.drop("row", "given"),
        _describe_bad_lines(problems, f"query, doc, {role}"),
        lambda row: input_table.locate(rows[row]).replace(prefix, "line "),
        notes=input_table.notes,
    )


def _examine_qrels_rows(rows: _FileRows) -> FileReport:
    if rows.frame.is_empty():
        problems = rows.problems or ["there is nothing in it"]
        return FileReport(rows.name, rows.format_name, "judgments", problems)
    if "passage" in rows.frame.columns:
        return _examine_passage_rows(rows)
    ids = ["query", "doc"]
    frame = rows.frame
    if "subtopic" in frame.columns and has_several_subtopics(frame["subtopic"]):
        ids.append("subtopic")
        repeats = _list_duplicates(
            subtopic_qrels.find_duplicate_judgments(frame),
            rows.locate,
            "the judgments of a subtopic",
        )
    else:
        repeats = describe_repeats(frame, rows.locate, "the judgments of a query")
    frame = frame.unique(ids, keep="first", maintain_order=True)
    frame = frame.select(*ids, pl.col("number").alias("grade"))
    qrels = (
        subtopic_qrels.build_subtopic_qrels(frame, rows.name, rows.locate, notes=rows.notes)
        if "subtopic" in ids
        else Qrels(frame, rows.name, notes=rows.notes)
    )
    return report_qrels(qrels, rows.format_name, rows.name, rows.problems + repeats)


def _examine_passage_rows(rows: _FileRows) -> FileReport:
    """Ratings of passages, of which each may be rated once for a subtopic."""
    columns = ("query", "doc", pl.col("number").alias("grade"), "subtopic", "passage")
    frame = rows.frame.select(columns)
    repeats = subtopic_qrels.find_repeated_passages(frame)
    mistakes = [
        (rows.locate(row), f"passage {quote(passage)} is rated again")
        for row, passage in repeats.select("row", "passage").iter_rows()
    ]
    once = frame.filter(~pl.int_range(len(frame)).is_in(repeats["row"].implode()))
    summed, locate, _ = subtopic_qrels.sum_passages(once, rows.locate)
    notes = ["ratings of passages, summed by subtopic", *rows.notes]
    qrels = subtopic_qrels.build_subtopic_qrels(summed, rows.name, locate, notes=notes)
    problems = rows.problems + describe_mistakes(mistakes, "repeated rating", "")
    return report_qrels(qrels, rows.format_name, rows.name, problems)


def _examine_run_rows(rows: _FileRows) -> FileReport:
    if rows.frame.is_empty():
        return FileReport(
            rows.name, rows.format_name, "run", rows.problems or ["there is nothing in it"]
        )
    repeats = describe_repeats(rows.frame, rows.locate, "one ranking")
    problems = rows.problems + repeats + _describe_contradictions(rows)
    frame = rows.frame.select("query", "doc", pl.col("number").alias("score"))
    if repeats:
        frame = frame.unique(["query", "doc"], keep="first", maintain_order=True)
    report = report_run(Run(frame, rows.name, tag=rows.tag), rows.format_name, problems)
    if rows.trailing_count:
        lines = count_noun(rows.trailing_count, "line has", "lines have")
        ignored = f"{lines} text behind the sixth field, which is ignored"
        report.notes.append(ignored)
        report.warnings.append(ignored)
    report.notes.extend(rows.notes)
    return report


def _describe_bad_lines(mistakes: list[tuple[str, str]], expected: str) -> list[str]:
    return describe_mistakes(mistakes, "malformed line", expected)


def describe_mistakes(mistakes: list[tuple[str, str]], noun: str, expected: str) -> list[str]:
    """How many mistakes there are, and the first of them with their places."""
    if not mistakes:
        return []
    rows = [f"{place}: {problem}" for place, problem in mistakes[:_MAX_LISTED]]
    more = [f"… and {len(mistakes) - _MAX_LISTED} more"] if len(mistakes) > _MAX_LISTED else []
    head = f"{count_noun(len(mistakes), noun)}" + (f" (expected: {expected})" if expected else "")
    return [head, *(f"  {row}" for row in (*rows, *more))]


def describe_repeats(frame: pl.DataFrame, locate: Callable[[int], str], scope: str) -> list[str]:
    """The documents that stand more than once in a ranking or in judgments, in words."""
    return _list_duplicates(find_duplicates(frame), locate, scope)


def _list_duplicates(
    duplicate_rows: pl.DataFrame, locate: Callable[[int], str], scope: str
) -> list[str]:
    if duplicate_rows.is_empty():
        return []
    pairs = duplicate_rows.n_unique(["query", "doc"])
    rest = [f"  … and {pairs - _MAX_LISTED} more"] if pairs > _MAX_LISTED else []
    head = f"{count_noun(pairs, 'document')} more than once in {scope}"
    return [head, *(f"  {line}" for line in describe_duplicates(duplicate_rows, locate)), *rest]


def report_qrels(qrels: Qrels, format_name: str, name: str, problems: list[str]) -> FileReport:
    """What is worth knowing of judgments, beside what is wrong with them."""
    frame = qrels.frame
    per_query = frame.group_by("query").len()["len"]
    grades = frame["grade"].value_counts().sort("grade")
    grade_counts = [
        f"{grade:g} ({count}×)" for grade, count in grades.head(_MAX_GRADES).iter_rows()
    ]
    more = f" and {len(grades) - _MAX_GRADES} more" if len(grades) > _MAX_GRADES else ""
    without_relevant = len(per_query) - frame.filter(pl.col("grade") >= 1)["query"].n_unique()
    noun = "judgment" if qrels.subtopics is None else "judged document"
    notes = [
        f"{count_noun(len(frame), noun)} of {_format_sizes(per_query)}",
        f"grades: {', '.join(grade_counts)}{more}",
    ]
    warnings = []
    if without_relevant:
        queries = count_noun(without_relevant, "query has", "queries have")
        warnings.append(f"{queries} nothing relevant (no grade of 1 or more)")
    negative = int((frame["grade"] < 0).sum())
    if negative:
        warnings.append(f"{count_noun(negative, 'grade is', 'grades are')} below 0")
    warnings += describe_odd_judgments(qrels)
    notes += warnings
    if qrels.subtopics is not None:
        notes.append(_describe_subtopics(qrels, qrels.subtopics))
    notes += qrels.notes
    return FileReport(name, format_name, "judgments", problems, notes, warnings, qrels=qrels)


def _describe_subtopics(qrels: Qrels, subtopic_judgments: pl.DataFrame) -> str:
    """How many subtopics there are, and how many of a query."""
    query = qrels.frame["query"].gather(subtopic_judgments["row"])
    each = pl.DataFrame({"query": query, "subtopic": subtopic_judgments["subtopic"]}).unique()
    sizes = each.group_by("query").len()["len"]
    several = int((subtopic_judgments["row"].value_counts()["count"] > 1).sum())
    return (
        f"{count_noun(len(subtopic_judgments), 'judgment')} for "
        f"{count_noun(len(each), 'subtopic')} of "
        f"{_format_sizes(sizes)}; "
        f"{count_noun(several, 'document')} judged for several of them"
    )


def report_run(run: Run, format_name: str, problems: list[str]) -> FileReport:
    """What is worth knowing of a run, beside what is wrong with it."""
    frame = run.frame
    notes = [
        (
            f"{count_noun(len(frame), 'result')} of "
            f"{_format_sizes(frame.group_by('query').len()['len'])}"
        )
    ]
    if run.tag:
        notes.append(f"it calls itself {quote(run.tag)}")
    score_hash = pl.col("query").hash(1) ^ pl.col("score").hash(2)
    tied = int(frame.select(score_hash.is_duplicated()).to_series().sum())
    if tied:
        share = 100 * tied / len(frame)
        notes.append(f"{tied} documents share their score with another ({share:.1f} %)")
    return FileReport(run.name, format_name, "run", problems, notes, run=run)


def _describe_contradictions(rows: _FileRows) -> list[str]:
    """Ranks that say something else than scores do, which is what counts."""
    by_rank = rows.frame.with_row_index("row").drop_nulls("rank")
    same = pl.col("query") == pl.col("query").shift(1)
    rank_drops = by_rank.select(
        (~same | (pl.col("rank") < pl.col("rank").shift(1))).fill_null(value=True).sum()
    ).item()
    if rank_drops > by_rank["query"].n_unique():  # not yet by query and rank
        by_rank = by_rank.sort("query", "rank", maintain_order=True)
    new_rank = pl.col("rank") != pl.col("rank").shift(1)
    bad = by_rank.filter(same & new_rank & (pl.col("number") > pl.col("number").shift(1)))
    if bad.is_empty():
        return []
    row = bad.sort("row").row(0, named=True)
    frequency = f"{count_noun(len(bad), 'time')}, in {count_noun(bad['query'].n_unique(), 'query')}"
    place = (
        f"{rows.locate(row['row'])}: rank {row['rank']:g} has a higher score than the one before"
    )
    return [f"scores contradict ranks {frequency}, first in {place} (scores are what counts)"]


def _format_sizes(sizes: pl.Series) -> str:
    low, high = min(sizes.to_list()), max(sizes.to_list())
    size = str(low) if low == high else f"{low} to {high}"
    return f"{count_noun(len(sizes), 'query')}, {size} each"


def strip_file_name(name: str, error: BadInput) -> str:
    """The message without the name of the file, which stands above it."""
    return str(error).removeprefix(f"{name}:").strip()
