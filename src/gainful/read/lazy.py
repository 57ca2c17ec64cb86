"""`Elsewhere`: a run that stays where it is, in lazy polars, DuckDB or Spark.

Its columns are found and cast there; nothing is computed until it is matched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve, field, frozen

from gainful.errors import BadInput, counted, shown
from gainful.read.engines import Engine, asked
from gainful.read.named_columns import DOC, QUERY, Head, of_frame, run_of
from gainful.read.qrels_and_run import Ids, Run

_IDS = (nw.String, nw.Categorical, nw.Enum)


@frozen(eq=False)
class Elsewhere:
    """A run, or judgments, whose rows stay in the engine of their owner."""

    frame: nw.LazyFrame[Any]  # query, doc: text; score, or grade: number
    engine: Engine
    name: str = "run"
    number: Literal["score", "grade"] = "score"
    ids: Ids = field(factory=dict)

    def sent(self, frame: pl.DataFrame) -> nw.LazyFrame[Any]:
        """A frame of ours in that engine, to be joined with the run."""
        with asked(self.engine, self.name):
            there: Any = self.engine.sent(frame, self.frame.to_native())
            return as_lazy(there)

    def collected(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        """What was computed there, here."""
        with asked(self.engine, self.name):
            return self.engine.collected(frame.to_native())

    def some_documents(self) -> list[str]:
        """The first two documents, for a message."""
        return self.collected(self.frame.select("doc").head(2))["doc"].to_list()

    def refuse(self, problem: str, expected: str = "") -> BadInput:
        """An error about it."""
        return BadInput(self.name, problem, expected)


def as_lazy(native: Any) -> nw.LazyFrame[Any]:
    """A frame of any engine in the words that all of them understand."""
    frame: nw.LazyFrame[Any] = nw.from_native(native).lazy()
    return frame


def elsewhere(
    native: Any, engine: Engine, name: str, number: Literal["score", "grade"] = "score"
) -> Elsewhere:
    """A run from a frame of an engine: its columns by name, ids as text, scores as numbers."""
    with asked(engine, name):
        frame = as_lazy(native)
        schema = dict(frame.collect_schema())
        head = Head(list(schema), name)
        query, doc = head.needed(QUERY, "query"), head.needed(DOC, "document")
        column, kind = head.score() if number == "score" else (head.grade(), "grade")
        _refuse_others(schema, (query, doc), column, name)
        value = nw.col(column).cast(nw.Float64)
        value = -value if kind == "rank" else value
        chosen = frame.select(
            nw.col(query).cast(nw.String).alias("query"),
            nw.col(doc).cast(nw.String).alias("doc"),
            (value + 0.0).alias(number),  # -0.0 is 0.0, in every engine
        )
    ids = {
        own: "whole numbers" if schema[column].is_integer() else "texts"
        for own, column in (("query", query), ("doc", doc))
    }
    return Elsewhere(chosen, engine, name, number, ids)


def brought(run: Elsewhere) -> Run:
    """The whole run in memory, for those who have to look at every document of a query."""
    held = run_of(of_frame(run.collected(run.frame), run.name))
    told = f"the run was brought into memory, from {run.engine.name}"
    return evolve(held, ids=run.ids, notes=(told,))


def everything(native: Any, engine: Engine, name: str) -> pl.DataFrame:
    """A whole frame, in memory."""
    with asked(engine, name):
        return engine.collected(as_lazy(native).to_native())


def some_columns(native: Any, engine: Engine, name: str, known: tuple[str, ...]) -> pl.DataFrame:
    """Only the columns that are called so, in memory: judgments, which every engine can spare."""
    with asked(engine, name):
        frame = as_lazy(native)
        names = frame.collect_schema().names()
        wanted = [found for one in known if (found := Head(names, name).column((one,)))]
        head = Head(names, name)
        head.needed(QUERY, "query")
        head.needed(DOC, "document")
        head.grade()
        return engine.collected(frame.select(*dict.fromkeys(wanted)).to_native())


def _refuse_others(schema: dict[str, Any], ids: tuple[str, str], number: str, name: str) -> None:
    for column in ids:
        kind = schema[column]
        if not (kind.is_integer() or kind in _IDS):
            raise BadInput(
                name, f"column {shown(column)} holds {kind}", "texts or whole numbers; cast it"
            )
    if not schema[number].is_numeric():
        raise BadInput(name, f"column {shown(number)} holds {schema[number]}", "numbers; cast it")


def _lacking(column: str) -> nw.Expr:
    return nw.col(column).is_null() | (nw.col(column) == "")


def lacks(number: str) -> dict[str, tuple[nw.Expr, str]]:
    """What a row can lack, and how that is said."""
    return {
        "no_query": (_lacking("query"), "no query"),
        "no_doc": (_lacking("doc"), "no doc"),
        "no_number": (
            nw.col(number).is_null() | ~nw.col(number).is_finite(),
            f"no {number} that is a finite number",
        ),
    }


def refuse_bad_rows(run: Elsewhere, counts: Mapping[str, int]) -> None:
    """Rows that lack something are counted and shown, not left out."""
    for name, (flags, words) in lacks(run.number).items():
        if counts[name]:
            one = run.collected(run.frame.filter(flags).head(1)).row(0, named=True)
            told = ", ".join(f"{column} {_value(value)}" for column, value in one.items())
            has = "has" if counts[name] == 1 else "have"
            raise run.refuse(f"{counted(counts[name], 'row')} {has} {words}, such as {told}")


def _value(value: object) -> str:
    return "null" if value is None else shown(str(value))


__all__ = [
    "Elsewhere",
    "as_lazy",
    "brought",
    "elsewhere",
    "lacks",
    "refuse_bad_rows",
    "some_columns",
]
