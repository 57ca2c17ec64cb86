"""Runs and queries at a glance: a cell for each, darker where the value is higher."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import polars as pl

from gainful.measure.results import list_footnotes
from gainful.measure.values import Results
from gainful.show.figures.figure import NO_MEAN, FigureData, Look, clean_text, shorten_names
from gainful.show.figures.line_chart import WIDTH, with_caption
from gainful.show.theme import Spec, build_layer, nominal, quantitative
from gainful.text import count_noun, pluralise
from gainful.types import fill_masked

_ROW_HEIGHT = 20  # pixels of a run
_MAX_CELLS = 100_000
_MAX_NAMED = 40  # queries whose names fit below


def build_data(measure: str, results: Mapping[str, Results]) -> FigureData:
    """A row for each run and query; the best run and the easiest query first."""
    first = next(iter(results.values()))
    direction = first.directions[measure]
    values = {
        run: dict(zip(result.ids, fill_masked(result.values[measure]).tolist(), strict=True))
        for run, result in results.items()
    }
    queries = list(dict.fromkeys(query for by_query in values.values() for query in by_query))
    table = np.array([[row.get(query, np.nan) for query in queries] for row in values.values()])
    merit = direction.sign * np.where(np.isnan(table), 0.0, table)
    best = [list(values)[at] for at in np.argsort(-merit.mean(axis=1), kind="stable")]
    easiest = [queries[at] for at in np.argsort(-merit.mean(axis=0), kind="stable")]
    rows = [(run, query, values[run].get(query)) for run in best for query in easiest]
    schema = {"run": pl.String, "query": pl.String, "value": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row").fill_nan(None)
    empty_reason = "" if frame["value"].drop_nulls().len() else NO_MEAN
    if len(frame) > _MAX_CELLS:
        empty_reason = f"There are {len(frame)} cells; a figure holds at most {_MAX_CELLS}."
    runs, unit = count_noun(len(results), "run"), first.unit
    hard = int((table == 0).all(axis=0).sum())
    zeros = f"{count_noun(hard, unit)} on which every run has 0 · " if hard else ""
    return FigureData(
        frame=frame,
        title=f"{measure} of {runs} on {count_noun(len(queries), unit)}",
        caption=(
            f"{zeros}darker: higher · runs by their mean, {pluralise(unit)} from easy to hard",
            *list_footnotes(list(results.values()), verbose=True),
        ),
        axis_title=measure,
        empty_reason=empty_reason,
        extra={"unit": unit},
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A row for each run; queries are named where there is room."""
    runs, queries = (
        data.frame[name].unique(maintain_order=True).to_list() for name in ("run", "query")
    )
    run_place, query_place = ({name: at for at, name in enumerate(ids)} for ids in (runs, queries))
    rows = [
        {"x": query_place[query], "y": run_place[run]}
        | {"run": clean_text(run), "query": clean_text(query), "value": value}
        for run, query, value in data.frame.iter_rows()
    ]
    named = len(queries) <= _MAX_NAMED
    names, texts = shorten_names(runs), shorten_names(queries, 12) if named else []
    query_name = nominal("query", title=data.extra["unit"])
    title = f"{pluralise(data.extra['unit'])}, from easy to hard"
    x_axis: Spec = {"title": None if named else title, "labels": named}
    labels = {"labelExpr": _look_up(texts), "labelAngle": -60} if named else {}
    y_axis = {"title": None, "ticks": False, "labelExpr": _look_up(names)}
    legend = {"title": None, "orient": "bottom", "gradientLength": 140}
    channels = {
        "x": {"field": "x", "type": "ordinal", "axis": x_axis | labels | {"ticks": False}},
        "y": {"field": "y", "type": "ordinal", "axis": y_axis},
        "color": quantitative("value", scale={"range": list(look.tones.grades)}, legend=legend),
        "tooltip": [nominal("run"), query_name, quantitative("value", format=".4f")],
    }
    size = {"width": look.width or WIDTH, "height": look.height or _ROW_HEIGHT * len(runs)}
    body = build_layer("rect", rows, channels, aria=False) | size
    return with_caption(data, look, body, names)


def _look_up(names: list[str]) -> str:
    return f"{json.dumps(names)}[datum.value]"
