"""Tables with named columns: CSV, TSV, JSON lines, Parquet, and frames in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, shown
from gainful.read.source import Source
from gainful.read.values import Judgments, Run

_QUERY = (
    *("query", "query_id", "qid", "q_id", "queryid", "topic", "topic_id"),
    *("user", "user_id", "userid"),
)
_DOC = (
    *("doc", "doc_id", "docno", "docid", "did", "document", "document_id", "corpus_id"),
    *("item", "item_id", "itemid", "passage_id", "pid"),
)
_GRADE = ("grade", "relevance", "rel", "label", "judgment", "judgement", "rating", "score")
_SCORE = ("score", "sim", "similarity", "prediction", "predicted_score")
_RANK = ("rank", "position", "pos")


@frozen(eq=False)
class _Table:
    """A frame with what messages about it need."""

    frame: pl.DataFrame
    name: str
    where: Callable[[int], str]

    def column(self, known: Iterable[str]) -> str | None:
        """The first column, in the order of the known names, that is called so."""
        own = {_plain(name): name for name in reversed(self.frame.columns)}
        return next((own[name] for name in known if name in own), None)

    def needed(self, known: tuple[str, ...], what: str) -> str:
        found = self.column(known)
        if found is None:
            raise BadInput(
                self.name,
                f"there is no column for the {what}; there are {', '.join(self.frame.columns)}",
                f"one of {', '.join(known)}",
            )
        return found


def judgments(source: Source, form: str) -> Judgments:
    """Judgments from a file with columns such as query, doc, grade."""
    return _judgments(_READERS[form](source))


def run(source: Source, form: str) -> Run:
    """A run from a file with columns such as query, doc, score (or rank)."""
    return _run(_READERS[form](source))


def judgments_of_frame(frame: pl.DataFrame, name: str) -> Judgments:
    """Judgments from a frame in memory."""
    return _judgments(_Table(frame, name, lambda row: f"{name}, row {row}"))


def run_of_frame(frame: pl.DataFrame, name: str) -> Run:
    """A run from a frame in memory."""
    return _run(_Table(frame, name, lambda row: f"{name}, row {row}"))


def known_columns(names: Iterable[str]) -> bool:
    """Are these the names of columns, and not already data?"""
    plain = {_plain(name) for name in names}
    return bool(plain & {*_QUERY} and plain & {*_DOC})


def _judgments(table: _Table) -> Judgments:
    grade = table.needed(_GRADE, "grade")
    if _plain(grade) == "score" and table.column(_RANK) is not None:
        raise BadInput(
            table.name,
            "this looks like a run, not like judgments: it has scores and ranks "
            "(are the arguments swapped?)",
            "columns query, doc, grade",
        )
    return Judgments(_columns(table, grade, "grade"), table.name, table.where)


def _run(table: _Table) -> Run:
    score = table.column(_SCORE)
    if score is not None:
        return Run(_columns(table, score, "score"), table.name, table.where)
    rank = table.column(_RANK)
    if rank is None:
        if table.column(_GRADE[:-1]) is not None:
            raise BadInput(
                table.name,
                "these look like judgments, not like a run: there are grades, but no scores "
                "(are the arguments swapped?)",
                "columns query, doc, score",
            )
        table.needed((*_SCORE, *_RANK), "score")
    ranked = _columns(table, str(rank), "score").with_columns(-pl.col("score"))
    return Run(ranked, table.name, table.where)


def _columns(table: _Table, number: str, called: str) -> pl.DataFrame:
    """Query and document as text, and one column of numbers; whatever is else is an error."""
    names = {"query": table.needed(_QUERY, "query"), "doc": table.needed(_DOC, "document")}
    ids = [pl.col(own).cast(pl.String).alias(name) for name, own in names.items()]
    stripped = pl.col(number)
    if table.frame[number].dtype == pl.String:
        stripped = stripped.str.strip_chars()
    frame = table.frame.select(
        *ids, stripped.cast(pl.Float64, strict=False).alias(called), stripped.alias("given")
    )
    for name in ("query", "doc"):
        _refuse(table, frame[name].is_null() | (frame[name] == ""), f"there is no {name}", "")
    bad = frame[called].is_null() | ~frame[called].is_finite()
    if bad.any():
        row = int(bad.arg_true()[0])
        given = frame["given"][row]
        problem = (
            f"there is no {called}"
            if given is None
            else f"{called} {shown(given)} is not a finite number"
        )
        _refuse(table, bad, problem, "a finite number")
    return frame.select("query", "doc", called)


def _refuse(table: _Table, bad: pl.Series, problem: str, expected: str) -> None:
    if bad.any():
        raise BadInput(table.where(int(bad.arg_true()[0])), problem, expected)


def _parquet(source: Source) -> _Table:
    try:
        frame = pl.read_parquet(source.path or BytesIO(source.content()), glob=False)
    except (pl.exceptions.PolarsError, OSError) as failure:
        raise BadInput(source.name, f"cannot be read as Parquet: {_first(failure)}") from None
    return _Table(frame, source.name, lambda row: f"{source.name}, row {row + 1}")


def _delimited(source: Source, separator: str) -> _Table:
    try:
        frame = pl.read_csv(
            source.content(), separator=separator, infer_schema=False, comment_prefix="#"
        )
    except pl.exceptions.PolarsError as failure:
        raise BadInput(source.name, f"cannot be read as a table: {_first(failure)}") from None
    return _Table(frame, source.name, lambda row: f"{source.name}:{row + 2}")


def _csv(source: Source) -> _Table:
    first = source.first_line()
    return _delimited(source, ";" if first.count(";") > first.count(",") else ",")


def _tsv(source: Source) -> _Table:
    return _delimited(source, "\t")


def _json_lines(source: Source) -> _Table:
    try:
        frame = pl.read_ndjson(source.content(), infer_schema_length=None)
    except pl.exceptions.PolarsError:
        frame = pl.DataFrame(list(objects(source)), infer_schema_length=None, strict=False)
    return _Table(frame, source.name, lambda row: f"{source.name}:{row + 1}")


_READERS: dict[str, Callable[[Source], _Table]] = {
    "parquet": _parquet,
    "csv": _csv,
    "tsv": _tsv,
    "jsonl": _json_lines,
}


def objects(source: Source) -> Iterable[dict[str, Any]]:
    """The JSON objects of a file, one a line; an empty line is passed over."""
    for number, line in enumerate(source.content().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            problem = f"{shown(line[:60].decode('utf-8', errors='replace'))} is not JSON"
            raise BadInput(f"{source.name}:{number}", problem, "one JSON object a line") from None
        if not isinstance(value, dict):
            raise BadInput(
                f"{source.name}:{number}", f"{shown(value)} is no object", "one JSON object a line"
            )
        yield value


def _first(failure: Exception) -> str:
    return str(failure).split("\n", maxsplit=1)[0]


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")
