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
_RANK = ("rank",)


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


def judgments(source: Source) -> Judgments:
    """Judgments from a file with columns such as query, doc, grade."""
    return _judgments(_read(source))


def run(source: Source) -> Run:
    """A run from a file with columns such as query, doc, score (or rank)."""
    return _run(_read(source))


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


def _read(source: Source) -> _Table:
    if source.head.startswith(b"PAR1"):
        return _Table(_parquet(source), source.name, lambda row: f"{source.name}, row {row}")
    if source.head.lstrip().startswith(b"{"):
        return _Table(_json_lines(source), source.name, lambda row: f"{source.name}:{row + 1}")
    return _Table(_delimited(source), source.name, lambda row: f"{source.name}:{row + 2}")


def _parquet(source: Source) -> pl.DataFrame:
    try:
        return pl.read_parquet(source.path or BytesIO(source.content()), glob=False)
    except (pl.exceptions.PolarsError, OSError) as failure:
        raise BadInput(source.name, f"the Parquet file is damaged: {_first(failure)}") from None


def _delimited(source: Source) -> pl.DataFrame:
    first = source.first_line()
    separator = "\t" if "\t" in first else ";" if first.count(";") > first.count(",") else ","
    try:
        return pl.read_csv(
            source.content(), separator=separator, infer_schema=False, comment_prefix="#"
        )
    except pl.exceptions.PolarsError as failure:
        raise BadInput(source.name, f"cannot be read as a table: {_first(failure)}") from None


def _json_lines(source: Source) -> pl.DataFrame:
    try:
        return pl.read_ndjson(source.content(), infer_schema_length=None)
    except pl.exceptions.PolarsError:
        return pl.DataFrame(list(objects(source)), infer_schema_length=None, strict=False)


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
