"""Cumulated gain by rank against the ideal, of one run or several."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from gainful.errors import BadValue, UnknownName
from gainful.formula import Array
from gainful.measure.catalogue import MEASURES
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.measure.results import Results
from gainful.read.inputs import AnyJudgments
from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.line_chart import Across, Series, line_chart
from gainful.show.figures.run_results import Runs, caption, results_of
from gainful.show.figures.text import name

_DEEPEST = 1000
_USUAL = "DCG@10"
IDEAL = "ideal"


def curves_data(
    qrels: AnyJudgments,
    runs: Runs,
    measure: str | Measure = _USUAL,
    *,
    query: str | None = None,
    like: Any = None,
    **habits: Any,
) -> Data:
    """How does gain grow from rank to rank, and how far is it from the best that was possible?

    Args:
        judgments: whatever `gainful.evaluate` takes.
        runs: {name: run}.
        measure: CG, DCG, nCG or nDCG with a cutoff; DCG@10 if none is named.
        query: of this query alone; the mean over queries if none is named.
        like: whose habits to follow.
        habits: single habits, such as `ties="average"`.

    Returns:
        Columns run, rank, value, ideal: what the run has gained down to that rank, and what the
        ideal ranking would have (1 for a share).
    """
    asked = parse(measure)
    if not asked.entry.cumulated or asked.entry.of == "ideal":
        some = (one for one, entry in MEASURES.items() if entry.cumulated and entry.of != "ideal")
        raise BadValue("measure", str(asked), f"one that grows by rank: {', '.join(some)}")
    if asked.k is None or asked.k > _DEEPEST:
        raise BadValue("measure", str(asked), f"a cutoff up to {_DEEPEST}, such as {asked @ 10}")
    depth = int(asked.k)
    each = [asked @ rank for rank in range(1, depth + 1)]
    share = asked.entry.normalised
    best = [] if share else [_ideal(asked) @ rank for rank in range(1, depth + 1)]
    found = results_of(qrels, runs, [*each, *best], like, habits)
    rows = []
    for run, one in found.items():
        values = _means(one, each, query)
        ideals = np.ones(depth) if share else _means(one, best, query)
        rows += [
            {"run": run, "rank": rank, "value": value, "ideal": ideal}
            for rank, (value, ideal) in enumerate(
                zip(values.tolist(), ideals.tolist(), strict=True), start=1
            )
        ]
    frame = pl.DataFrame(rows).with_columns(pl.col("value", "ideal").fill_nan(None))
    known = frame["value"].drop_nulls()
    nothing = "" if len(known) else "No query counts, so there is no mean to show."
    if len(known) and (known == 0).all():
        nothing = "Nothing was gained: every value is 0."
    told = caption(list(found.values()), [str(asked)])
    of = f"query {name(query)}" if query is not None else "mean over queries"
    return Data(
        frame=frame,
        title=f"{asked.name} by rank against the ideal, {of}",
        said=(f"{asked} · {told[0]}", *told[1:]),
        axis=f"mean {asked @ None}" if query is None else str(asked @ None),
        nothing=nothing,
        more={"share": share, "depth": depth},
    )


def _ideal(measure: Measure) -> Measure:
    """The best that was possible, by the same gains and discount."""
    known = MEASURES["IDCG"].params
    params = {one: value for one, value in measure.params if one in known}
    if not measure.entry.discounted:
        params["discount"] = "none"
    return Measure("IDCG", tuple(params.items()))


def _means(results: Results, measures: list[Measure], query: str | None) -> Array:
    """The mean of each measure, or its value of one query."""
    if query is None:
        return np.array([results.mean[str(one)] for one in measures])
    if query not in results.queries:
        raise UnknownName("query", query, results.queries)
    at = list(results.queries).index(query)
    values = [np.ma.asarray(results.values[str(one)])[at] for one in measures]
    return np.array([np.nan if np.ma.is_masked(value) else float(value) for value in values])


def chart(data: Data, look: Look) -> Spec:
    """Runs by colour; the ideal above them in grey, one for all or one for each."""
    frame = data.frame
    runs = frame["run"].unique(maintain_order=True).to_list()
    ideals = [
        frame.filter(pl.col("run") == run).select("rank", "ideal").drop_nulls().rows()
        for run in runs
    ]
    same = all(_alike(ideals[0], other) for other in ideals[1:])
    series = [Series(run, number, number) for number, run in enumerate(runs)]
    rows: list[dict[str, Any]] = [
        {"series": runs.index(row["run"]), "x": row["rank"], "y": row["value"]}
        for row in frame.iter_rows(named=True)
    ]
    grey = len(look.tones.series) - 1
    for number, points in enumerate(ideals[:1] if same else ideals):
        label = IDEAL if same else f"{IDEAL} of {runs[number]}"
        rows += [{"series": len(series), "x": x, "y": y} for x, y in points]
        series.append(Series(label, grey, 5, 1.5))
    across = Across(title="rank", low=1, high=max(2, data.more["depth"]))
    few = data.more["depth"] <= 20
    return line_chart(data, rows, series, across, look, points=few)


def _alike(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> bool:
    return len(one) == len(other) and np.allclose(
        [y for _, y in one], [y for _, y in other], rtol=1e-9, atol=1e-12
    )
