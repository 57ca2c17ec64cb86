"""`LazyRun`: a run that stays where it is, in lazy polars, DuckDB or Spark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
from attrs import field, frozen

from gainful.read.column_names import restore_name
from gainful.read.qrels_and_run import RUN, IdKinds, Kind, Run, Value
from gainful.text import quote

if TYPE_CHECKING:  # slow to load, and only runs in an engine need it
    import narwhals.stable.v2 as nw

    from gainful.read.engines import Engine


@frozen(eq=False)
class LazyRun:
    """A run whose rows stay in the engine of their owner."""

    frame: nw.LazyFrame[Any]  # query, doc, and score or rank
    engine: Engine
    name: str = "run"
    ids: IdKinds = field(factory=dict)
    own_names: Mapping[str, str] = field(factory=dict)  # what the user calls these columns
    notes: Sequence[str] = ()  # notes on how it is read
    first_row: int = 0  # its number, where rows have an order

    @property
    def reader(self) -> Callable[..., Run]:
        """How rows of it become a run, on a worker as well."""
        return partial(build_part, kind=RUN, name=self.name, own_names=self.own_names)

    def stream(self) -> Iterator[Run]:
        """Some rows at a time, checked as those of a run in memory; at first none."""
        from gainful.read.engines import report_engine_errors  # noqa: PLC0415  (files do without)

        first_row = self.first_row
        with report_engine_errors(self.engine, self.name):
            for rows in self.engine.stream(self.frame.to_native()):
                place = first_row if self.engine.ordered else None
                yield self.reader(rows, first_row=place)
                first_row += len(rows)

    def head(self, limit: int) -> Run:
        """The first rows, here."""
        return self._collect(self.frame.head(limit))

    def collect_queries(self, queries: Collection[str]) -> Run:
        """The rows of some queries, here."""
        import narwhals.stable.v2 as nw  # noqa: PLC0415  (slow to load)

        query = nw.col("query")
        if self.frame.collect_schema()["query"].is_float():  # 1.0 is '1'
            query = query.cast(nw.Int64)
        return self._collect(self.frame.filter(query.cast(nw.String).is_in([*queries])))

    def _collect(self, frame: nw.LazyFrame[Any]) -> Run:
        from gainful.read.engines import report_engine_errors  # noqa: PLC0415  (files do without)

        with report_engine_errors(self.engine, self.name):
            rows = self.engine.collect(frame.to_native())
        return self.reader(rows)


def build_part(
    rows: pl.DataFrame,
    kind: Kind[Value],
    name: str,
    own_names: Mapping[str, str],
    first_row: int | None = None,
) -> Value:
    """A run or judgments of some rows of an engine, as they are read in memory.

    Messages number rows from the first, or where they have no order name query and document.
    """
    from gainful.read.named_columns import Header, InputTable, extract_rows  # noqa: PLC0415

    def locate(row: int) -> str:
        if first_row is not None:
            return f"{name}, row {first_row + row}"
        ids = (frame[column][row] for column in Header(frame.columns, name).require_ids())
        query, doc = ("null" if value is None else quote(value) for value in ids)
        return f"{name}, query {query}, document {doc}"

    if rows.is_empty():
        schema = {"query": pl.String, "doc": pl.String, kind.number: pl.Float64}
        return kind.build(pl.DataFrame(schema=schema), name, part=True)
    frame = rows.rename(restore_name)
    table = InputTable(frame, name, locate, padded=False, own_names=own_names)
    return extract_rows(table, kind).build()  # without a cycle, which would keep all rows a while


def as_narwhals(native: Any) -> nw.LazyFrame[Any]:
    """A frame of any engine in the words that all of them understand."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  (slow to load)

    frame: nw.LazyFrame[Any] = nw.from_native(native).lazy()
    return frame
