"""`LazyRun`: a run that stays where it is, in lazy polars, DuckDB or Spark."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
from attrs import field, frozen

from gainful.errors import BadInput
from gainful.read.qrels_and_run import IdKinds

if TYPE_CHECKING:  # slow to load, and only runs in an engine need it
    import narwhals.stable.v2 as nw

    from gainful.read.engines import Engine


@frozen(eq=False)
class LazyRun:
    """A run, or judgments, whose rows stay in the engine of their owner."""

    frame: nw.LazyFrame[Any]  # query, doc: text; score, or grade: number
    engine: Engine
    name: str = "run"
    number: Literal["score", "grade"] = "score"
    ids: IdKinds = field(factory=dict)

    def send(self, frame: pl.DataFrame) -> nw.LazyFrame[Any]:
        """A frame of ours in that engine, to be joined with the run."""
        from gainful.read.engines import report_engine_errors  # noqa: PLC0415  (files do without)

        with report_engine_errors(self.engine, self.name):
            native: Any = self.engine.send(frame, self.frame.to_native())
            return as_narwhals(native)

    def collect(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        """What was computed there, here."""
        from gainful.read.engines import report_engine_errors  # noqa: PLC0415  (files do without)

        with report_engine_errors(self.engine, self.name):
            return self.engine.collect(frame.to_native())

    def collect_queries(self, queries: Collection[str]) -> pl.DataFrame:
        """The rows of some queries, here."""
        import narwhals.stable.v2 as nw  # noqa: PLC0415  (slow to load)

        return self.collect(self.frame.filter(nw.col("query").is_in([*queries])))

    def example_docs(self) -> list[str]:
        """The first two documents, for a message."""
        return self.collect(self.frame.select("doc").head(2))["doc"].to_list()

    def bad_input(self, problem: str, expected: str = "") -> BadInput:
        """An error about it."""
        return BadInput(self.name, problem, expected)


def as_narwhals(native: Any) -> nw.LazyFrame[Any]:
    """A frame of any engine in the words that all of them understand."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  (slow to load)

    frame: nw.LazyFrame[Any] = nw.from_native(native).lazy()
    return frame
