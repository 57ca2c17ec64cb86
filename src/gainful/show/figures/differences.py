"""Two runs, query by query: bars of their difference, sorted."""

from __future__ import annotations

from typing import Any

import polars as pl

from gainful.errors import BadValue, counted
from gainful.evidence.pairing import side_by_side
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.read.inputs import AnyJudgments
from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.line_chart import WIDTH, framed, top
from gainful.show.figures.run_results import Runs, caption, results_of
from gainful.show.figures.text import name, plain
from gainful.show.theme import SIZE

_NAMED = 60  # queries that can be named beside their bars
_STEP = 14  # pixels of such a bar
_HEIGHT = 300


def differences_data(
    qrels: AnyJudgments,
    runs: Runs,
    measure: str | Measure = "nDCG@10",
    *,
    like: Any = None,
    **habits: Any,
) -> Data:
    """On which queries is one run better than another, and by how much?

    Args:
        judgments: whatever `gainful.evaluate` takes.
        runs: {name: run}, two of them; the first is what the other is set against.
        measure: nDCG@10 if none is named.
        like: whose habits to follow.
        habits: single habits, such as `ties="average"`.

    Returns:
        A row for each query, the greatest difference first: query, first, second, difference
        (second less first).
    """
    (called,) = expand(measure) if len(expand(measure)) == 1 else (None,)
    if called is None:
        raise BadValue("measure", str(measure), "one measure")
    if len(runs) > 2:
        raise BadValue("runs", ", ".join(map(str, runs)), "two of them")
    found = results_of(qrels, runs, [called], like, habits)
    results, names = list(found.values()), list(found)
    told = caption(results, [called])
    if len(results) == 1:
        return Data(
            frame=pl.DataFrame(schema=_SCHEMA),
            title=f"{called} of {name(names[0])}",
            said=tuple(told),
            nothing="One run: there is nothing to compare it with.",
        )
    pairs = side_by_side(results, called)
    frame = pl.DataFrame(
        {"query": list(pairs.queries), "first": pairs.values[:, 0], "second": pairs.values[:, 1]},
        schema_overrides={"query": pl.String},
    ).with_columns(difference=pl.col("second") - pl.col("first"))
    frame = frame.sort("difference", "query", descending=[True, False])
    mean = frame["difference"].mean()
    better = int((frame["difference"] > 0).sum())
    worse = int((frame["difference"] < 0).sum())
    nothing = ""
    if not len(frame):
        nothing = "No query counts in both runs, so there is no difference to show."
    elif not better + worse:
        nothing = (
            f"Both runs have the same {called} on every query: there is no difference to show."
        )
    first, second = map(name, names)
    heads = []
    if isinstance(mean, float):
        heads = [
            (
                f"mean difference {mean:+.4f} over {counted(len(frame), 'query')}: {second} better "
                f"on {better}, {first} on {worse}, the same on {len(frame) - better - worse}"
            )
        ]
    left = [one for one in pairs.left_out if one]
    lost = (
        [f"Note: {counted(max(left), 'query')} left out, as not both runs have them"]
        if left
        else []
    )
    return Data(
        frame=frame,
        title=f"{called} by query: {second} against {first}",
        said=(*heads, *told, *lost),
        axis=f"difference in {called}",
        nothing=nothing,
        more={"names": (first, second)},
    )


_SCHEMA = {
    "query": pl.String,
    "first": pl.Float64,
    "second": pl.Float64,
    "difference": pl.Float64,
}


def chart(data: Data, look: Look) -> Spec:
    """Few queries lie beside their names; many stand in a row."""
    frame, tones = data.frame, look.tones
    rows = [
        {
            "place": at,
            "query": plain(row["query"]),
            "label": name(row["query"]),
            "difference": row["difference"],
            "better": row["difference"] > 0,
        }
        for at, row in enumerate(frame.iter_rows(named=True))
    ]
    end = top([abs(row["difference"]) for row in rows])
    value = {
        "field": "difference",
        "type": "quantitative",
        "scale": {"domain": [-end, end], "nice": False},
        "axis": {"title": data.axis, "tickCount": 7, "domain": False, "ticks": False},
    }
    named = len(rows) <= _NAMED
    step = {"step": _STEP} if named else None
    place = {
        "field": "place",
        "type": "ordinal",
        "scale": {"paddingInner": 0.25 if named else 0, "paddingOuter": 0.1},
        "axis": None if named else {"title": "queries, sorted", "labels": False, "ticks": False},
    }
    bars: Spec = {
        "mark": {"type": "bar", "aria": named},
        "encoding": {
            ("y" if named else "x"): place,
            ("x" if named else "y"): value,
            "color": {
                "field": "better",
                "type": "nominal",
                "scale": {"domain": [True, False], "range": [tones.series[1], tones.series[0]]},
                "legend": None,
            },
            "tooltip": [
                {"field": "query", "type": "nominal"},
                {"field": "difference", "type": "quantitative", "format": "+.4f"},
            ],
        },
    }
    width = look.width or (440 if named else WIDTH)
    height = look.height or (_HEIGHT if not named else len(rows) * _STEP)
    body: Spec = {"data": {"values": rows}, "layer": [bars]}
    if named:
        body["layer"] += [_names(place, end, left=True), _names(place, end, left=False)]
    body["layer"] += _sides(data.more["names"], look, named=named)
    found = framed(data, look, body, width, height, [])
    if named and look.height is None:
        found["height"] = step
    return found


def _names(place: Spec, end: float, *, left: bool) -> Spec:
    """Names at the foot of the bars, on the side where there is no bar."""
    return {
        "transform": [{"filter": "datum.difference > 0" if left else "datum.difference <= 0"}],
        "mark": {
            "type": "text",
            "align": "right" if left else "left",
            "dx": -5 if left else 5,
            "fontSize": SIZE - 2,
        },
        "encoding": {
            "y": place,
            "x": {"datum": 0, "type": "quantitative", "scale": {"domain": [-end, end]}},
            "text": {"field": "label", "type": "nominal"},
        },
    }


def _sides(names: tuple[str, str], look: Look, *, named: bool) -> list[Spec]:
    """Who is better on which side, in the colour of its bars."""
    first, second = names
    places: list[Spec] = [
        {"x": {"value": {"expr": "width * 0.75"}}, "y": {"value": -4}},
        {"x": {"value": {"expr": "width * 0.25"}}, "y": {"value": -4}},
    ]
    aligned: list[Spec] = [{"align": "center", "baseline": "bottom"}] * 2
    if not named:  # the bars go down from left to right: there is room in two corners
        places = [
            {"x": {"value": {"expr": "width - 8"}}, "y": {"value": 14}},
            {"x": {"value": 8}, "y": {"value": {"expr": "height - 8"}}},
        ]
        aligned = [{"align": "right"}, {"align": "left"}]
    told = (
        (f"{second} better", look.tones.names[1], places[0], aligned[0]),
        (f"{first} better", look.tones.names[0], places[1], aligned[1]),
    )
    return [
        {
            "data": {"values": [{"label": label}]},
            "mark": {"type": "text", "color": hue, "fontWeight": 600, **align},
            "encoding": place | {"text": {"field": "label", "type": "nominal"}},
        }
        for label, hue, place, align in told
    ]
