"""Values that another tool computed: a number for each run, query and measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, Swapped, WrongType
from gainful.read.column_names import QUERY, TABLES
from gainful.read.formats import find_format, find_table_format
from gainful.read.frames import as_polars, is_frame
from gainful.read.json_records import read_objects
from gainful.read.named_columns import InputTable, as_table, read_table
from gainful.read.query_columns import parse_labels
from gainful.read.source import Source, open_source
from gainful.text import name_files, quote
from gainful.types import is_number, to_float

AnyValues = str | PathLike[str] | Mapping[str, Mapping[str, Mapping[str, float]]] | Any
_ALL = "all"  # where trec_eval writes its means
_GROUP = "group"  # a column of our own values by query, where groups were asked for
_EXPECTED = "a row for each query: query, run, measure, value, or a column for each measure"


@frozen(eq=False)
class ValueTable:
    """Values in long form: run, query and measure as texts, value a number or null."""

    frame: pl.DataFrame
    name: str
    notes: tuple[str, ...] = ()


def read_values(
    values: AnyValues, name: str = "values", measures: Sequence[str] = ()
) -> ValueTable:
    r"""Values of a file, a frame, or {run: {measure: {query: value}}}, in long form.

    A file is a table with a row for each value (query, measure, value, and run if there are
    several) or for each query (a column for each measure), what trec_eval -q prints, or the dict as
    JSON. If measures are named, other columns of a row for each query can hold anything.

    Examples:
        >>> wide = pl.DataFrame({"query": ["1", "2"], "AP": [0.5, 0.25], "RR": [1.0, 0.5]})
        >>> read_values(wide).frame.rows()[:2]
        [('values', '1', 'AP', 0.5), ('values', '2', 'AP', 0.25)]
    """
    if isinstance(values, Mapping):
        return _check(_flatten(values), name, lambda _: name)
    if is_frame(values):
        return _read_rows(as_table(as_polars(_name_objects(values), name), name), name, measures)
    if not isinstance(values, (str, PathLike)):
        raise WrongType("values", values, "a file, a frame, or {run: {measure: {query: value}}}")
    source = open_source(values)
    (run,) = name_files([source.name])
    fields = source.first_line().split("\t")
    if len(fields) == 3 and fields[0] != fields[0].rstrip() and fields[0][:1].isalpha():
        frame = _parse_printed(source, run, measures)
        rows = frame["row"]
        return _check(frame, source.name, lambda at: f"{source.name}:{rows[at]}")
    if find_table_format(source) == "jsonl":
        objects = read_objects(source)
        _, nested = next(objects, ("", {}))
        inner = [part for run in nested.values() if isinstance(run, dict) for part in run.values()]
        if inner and all(isinstance(part, dict) for part in inner) and next(objects, None) is None:
            return _check(_flatten(nested), source.name, lambda _: source.name)
    if find_format(source).name == "trec" and len(source.first_line().split()) == 6:
        way = f"gainful compare QRELS RUN…, or values of queries: {_EXPECTED}"
        raise Swapped(source.name, "this is a run, not values", way)
    return _read_rows(read_table(source, find_table_format(source)), run, measures)


def _read_rows(table: InputTable, run: str, measures: Sequence[str]) -> ValueTable:
    height = len(table.frame)
    frame = _lengthen(table, run, measures)
    return _check(frame, table.name, lambda at: table.locate(at % height))


def _name_objects(frame: Any) -> Any:
    kinds: Any = getattr(frame, "dtypes", None)
    if not hasattr(kinds, "items"):
        return frame
    objects = [name for name, kind in kinds.items() if str(kind) == "object"]
    texts = {name: [None if v is None else str(v) for v in frame[name]] for name in objects}
    return frame.assign(**texts) if objects else frame


def _flatten(values: Mapping[Any, Any]) -> pl.DataFrame:
    rows = []
    for run, measures in values.items():
        whole = isinstance(measures, Mapping) and all(
            isinstance(by_query, Mapping) for by_query in measures.values()
        )
        if not whole:
            raise WrongType(f"values[{run!r}]", measures, "{measure: {query: value}}")
        for measure, by_query in measures.items():
            for query, value in by_query.items():
                if value is not None and not is_number(value):
                    place = f"values[{run!r}][{measure!r}][{query!r}]"
                    raise WrongType(place, value, "a number, or None")
                number = None if value is None else to_float(value)
                rows.append((str(run), str(query), str(measure), number))
    schema = {"run": pl.String, "query": pl.String, "measure": pl.String, "value": pl.Float64}
    frame = pl.DataFrame(rows, schema, orient="row")
    numbers = parse_labels(frame["value"], lambda row: f"value {row + 1}")
    return frame.with_columns(numbers.alias("value"))


def _lengthen(table: InputTable, run: str, wanted: Sequence[str]) -> pl.DataFrame:
    """A row for each value, whether the table has so many or a column for each measure."""
    header = table.header
    query = header.require_column(QUERY, "query")
    own = {role: header.find_column(column.names) for role, column in TABLES["values"].items()}
    columns = {
        "run": pl.lit(run) if own["run"] is None else pl.col(own["run"]).cast(pl.String),
        "query": pl.col(query).cast(pl.String),
    }
    if own["measure"] is not None and own["value"] is not None:
        value = parse_labels(table.frame[own["value"]], table.locate).alias("value")
        measure = pl.col(own["measure"]).cast(pl.String)
        return table.frame.select(**columns, measure=measure, value=value)
    measures = [name for name in table.frame.columns if name not in (query, own["run"], _GROUP)]
    measures = [name for name in measures if name in wanted] or measures
    parts = []
    for name in measures:
        try:
            value = parse_labels(table.frame[name], table.locate).alias("value")
        except BadInput:
            if name in wanted or not wanted:
                raise
            continue  # the measures that were named are not here, which their names tell better
        parts.append(table.frame.select(**columns, measure=pl.lit(name), value=value))
    if not parts:
        raise BadInput(table.name, "there is no column of values", _EXPECTED)
    return pl.concat(parts)


def _parse_printed(source: Source, run: str, wanted: Sequence[str]) -> pl.DataFrame:
    """The values of single queries, of some measures if they are named; also the run's name."""
    names = ("measure", "query", "value")
    try:
        frame = pl.read_csv(
            source.path_or_stream(),
            separator="\t",
            has_header=False,
            schema=dict.fromkeys(names, pl.String()) | {"query": pl.Categorical()},
            quote_char=None,
        )
    except pl.exceptions.PolarsError as error:
        problem = f"it is not measure, query and value: {str(error).splitlines()[0]}"
        raise BadInput(source.name, problem, "what trec_eval -q prints") from None
    frame = frame.with_columns(pl.col("measure", "value").str.strip_chars())
    frame = frame.with_row_index("row", 1)
    missing = frame["value"].is_null().arg_true()
    if len(missing):
        problem = f"{quote(str(frame['measure'][missing[0]]))} has no query and value beside it"
        raise BadInput(f"{source.name}:{missing[0] + 1}", problem, "what trec_eval -q prints")
    named = frame.filter(pl.col("measure") == "runid")["value"]
    frame = frame.filter(pl.col("query").cast(pl.String) != _ALL)
    if not frame.filter(is_wanted := pl.col("measure").is_in([*wanted])).is_empty():
        frame = frame.filter(is_wanted)
    rows = frame["row"]
    values = parse_labels(frame["value"], lambda row: f"{source.name}:{rows[row]}")
    own_name = named[0] if len(named) else run
    run_column = pl.lit(own_name).alias("run")
    return frame.select(run_column, "query", "measure", values.alias("value"), "row")


def _check(frame: pl.DataFrame, name: str, locate: Callable[[int], str]) -> ValueTable:
    """Leave out means; refuse what has no values, and two values of one query."""
    for column in ("run", "query", "measure"):
        missing = frame[column].is_null().arg_true()
        if len(missing):
            problem = f"this value has no {column}"
            allowed = "a run, a query and a measure of each value"
            raise BadInput(locate(int(missing[0])), problem, allowed)
    places = frame.select(at=pl.int_range(pl.len())).to_series()
    is_mean = frame["query"].cast(pl.String) == _ALL
    notes: tuple[str, ...] = ()
    if is_mean.any():
        frame, places = frame.filter(~is_mean), places.filter(~is_mean)
        notes = (f"{name}: query all is left out: it is trec_eval's name for means over queries",)
    if frame.is_empty():
        raise BadInput(name, "it has no values of single queries", _EXPECTED)
    keys = [frame[name].cast(pl.Categorical) for name in ("run", "query", "measure")]
    frame = pl.DataFrame([*keys, frame["value"]])
    if frame.n_unique(["run", "query", "measure"]) < len(frame):
        again = ~pl.struct("run", "query", "measure").is_first_distinct()
        at = int(frame.select(again.arg_true()).to_series()[0])
        run, query, measure, _ = frame.row(at)
        problem = f"{measure} of query {quote(query)} of {run} occurs twice"
        allowed = "one value for each run, query and measure"
        raise BadInput(locate(places[at]), problem, allowed)
    return ValueTable(frame, name, notes)
