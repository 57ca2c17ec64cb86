"""What can be asked of values that another tool computed?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gainful.api.evaluate import RunResults
from gainful.api.run_options import GroupChoice
from gainful.errors import BadValue, WrongType
from gainful.measure.other_values import build_results
from gainful.measure.results import QueryResults
from gainful.read.values import AnyValues, read_values as read_table

if TYPE_CHECKING:
    from gainful.read.query_columns import AnyQueries


def read_values(
    *values: AnyValues,
    measures: str | Sequence[str] | None = None,
    group: GroupChoice | None = None,
    queries: AnyQueries | None = None,
) -> RunResults:
    """Values that another tool computed, as results: everything after measuring works on them.

    Args:
        *values: one or more: a file or a frame with a row for each value (query, run, measure,
            value) or for each query (a column for each measure); what trec_eval -q or ir_measures
            print; or {run: {measure: {query: value}}}, also in a file of JSON. Without a column
            run, a file is one run.
        measures: only these, by the names they have there; other columns can hold texts then.
        group: also give values by group of queries: a column of `queries`, {query: group}, or a
            function of the query's id.
        queries: a table of the queries: a file or frame with a column query, or
            {query: {attribute: value}}.

    Returns:
        `RunResults`: `{run: QueryResults}`, which `compare`, `stats` and figures take.

    Examples:
        >>> import gainful
        >>> values = {"a": {"F1": {"1": 0.5, "2": 0.25}}, "b": {"F1": {"1": 0.75, "2": 0.5}}}
        >>> gainful.read_values(values)["b"]["F1"]
        0.625
    """
    if isinstance(measures, str):
        measures = [measures]
    if not isinstance(measures, Sequence | None):
        raise WrongType("measures", measures, "names of measures")
    if not values:
        raise WrongType("values", None, "one or more files, frames or dicts")
    results: dict[str, QueryResults] = {}
    for number, value in enumerate(values, 1):
        name = "values" if len(values) == 1 else f"values {number}"
        table = read_table(value, name, measures or ())
        for run, evaluated in build_results(table.frame, table.notes).items():
            if run in results:
                raise BadValue(table.name, f"run {run} again", "each run once")
            names = None if measures is None else list(map(evaluated.find_name, measures))
            results[run] = evaluated if names is None else evaluated.select_measures(names)
    if group is None and queries is None:
        return RunResults(results)
    from gainful.api.clusters import group_runs  # noqa: PLC0415  (few ask for it)

    return RunResults(group_runs(results, group, queries))
