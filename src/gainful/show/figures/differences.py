"""Two runs, query by query: bars of their difference, sorted."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from gainful.evidence.pairing import PairedValues
from gainful.measure.results import list_footnotes
from gainful.measure.values import Results
from gainful.show.figures.figure import FigureData, Look, clean_text, mark_lower, shorten_names
from gainful.show.figures.line_chart import NO_LINE, WIDTH, axis_end, build_axis, with_caption
from gainful.show.theme import SIZE, Spec, build_layer, nominal, quantitative
from gainful.text import count_noun, pluralise

_MAX_LABELLED_QUERIES = 60  # queries that can be named beside their bars
_BAR_STEP = 14  # pixels of such a bar
_HEIGHT = 300


def build_data(
    measure_name: str, results: Sequence[Results], pairs: PairedValues | None
) -> FigureData:
    """A row for each query, the greatest difference first; none, if there is only one run."""
    names = shorten_names(result.name for result in results)
    caption_lines = list_footnotes(results, verbose=True)
    if pairs is None:
        return FigureData(
            frame=pl.DataFrame(schema=_SCHEMA),
            title=f"{measure_name} of {names[0]}",
            caption=tuple(caption_lines),
            empty_reason="One run: there is nothing to compare it with.",
        )
    frame = pl.DataFrame(
        {"query": list(pairs.queries), "first": pairs.values[:, 0], "second": pairs.values[:, 1]},
        schema_overrides={"query": pl.String},
    ).with_columns(difference=pl.col("second") - pl.col("first"))
    frame = frame.sort("difference", "query", descending=[True, False])
    direction, unit = results[0].directions[measure_name], pairs.noun
    better = int((direction.sign * frame["difference"] > 0).sum())
    worse = int((direction.sign * frame["difference"] < 0).sum())
    empty_reason = ""
    if not len(frame):
        empty_reason = f"No {unit} counts in both runs, so there is no difference to show."
    elif not better + worse:
        equal = f"Both runs have the same {measure_name} on every {unit}"
        empty_reason = f"{equal}: there is no difference to show."
    first, second = names
    title = f"{measure_name} by {unit}: {second} against {first}"
    if better != worse:
        leader = second if better > worse else first
        among = f"{max(better, worse)} of {count_noun(len(frame), unit)}"
        title = f"{leader} is better in {measure_name} on {among}"
    summary = []
    mean = frame["difference"].mean()
    if isinstance(mean, float):
        summary.append(
            f"mean difference {mean:+.4f} over {count_noun(len(frame), unit)}: {second} better "
            f"on {better}, {first} on {worse}, equal on {len(frame) - better - worse}"
        )
    dropped = max(map(len, pairs.left_out))
    dropped_note = f"Note: {count_noun(dropped, unit)} left out, as only one run has them"
    return FigureData(
        frame=frame,
        title=title,
        caption=(*summary, *caption_lines, *([dropped_note] if dropped else [])),
        axis_title=f"difference in {mark_lower(measure_name, direction)}",
        empty_reason=empty_reason,
        extra={"names": (first, second), "direction": direction, "unit": unit},
    )


_SCHEMA = {"query": pl.String, "first": pl.Float64, "second": pl.Float64, "difference": pl.Float64}


def draw_chart(data: FigureData, look: Look) -> Spec:
    """Few queries lie beside their names; many stand in a row."""
    frame, tones = data.frame, look.tones
    labelled = len(frame) <= _MAX_LABELLED_QUERIES
    labels = shorten_names(frame["query"]) if labelled else [""] * len(frame)
    rows = [
        {
            "place": index,
            "query": clean_text(row["query"]),
            "label": labels[index],
            "difference": row["difference"],
            "better": data.extra["direction"].sign * row["difference"] > 0,
        }
        for index, row in enumerate(frame.iter_rows(named=True))
    ]
    limit = axis_end([abs(row["difference"]) for row in rows])
    ends = [-limit, limit]
    value_channel = build_axis("difference", data.axis_title, ends, tickCount=7, **NO_LINE)
    title = f"{pluralise(data.extra['unit'])}, sorted"
    query_name = nominal("query", title=data.extra["unit"])
    query_channel = {
        "field": "place",
        "type": "ordinal",
        "scale": {"paddingInner": 0.25 if labelled else 0, "paddingOuter": 0.1},
        "axis": None if labelled else {"title": title, "labels": False, "ticks": False},
    }
    sides = {"domain": [True, False], "range": [tones.series[1], tones.series[0]]}
    channels = {
        ("y" if labelled else "x"): query_channel,
        ("x" if labelled else "y"): value_channel,
        "color": nominal("better", scale=sides, legend=None),
        "tooltip": [query_name, quantitative("difference", format="+.4f")],
    }
    bars = build_layer("bar", None, channels, aria=labelled)
    names = [_draw_query_names(query_channel, limit, left=left) for left in (True, False)]
    body: Spec = {
        "data": {"values": rows},
        "width": look.width or (440 if labelled else WIDTH),
        "height": look.height or ({"step": _BAR_STEP} if labelled else _HEIGHT),
        "layer": [bars, *(names if labelled else []), *_label_sides(data, look, labelled=labelled)],
    }
    return with_caption(data, look, body)


def _draw_query_names(query_channel: Spec, limit: float, *, left: bool) -> Spec:
    """Names at the foot of the bars, on the side where there is no bar."""
    side = {"align": "right", "dx": -5} if left else {"align": "left", "dx": 5}
    foot = {"datum": 0, "type": "quantitative", "scale": {"domain": [-limit, limit]}}
    channels = {"y": query_channel, "x": foot, "text": nominal("label")}
    rows = {"filter": "datum.difference > 0" if left else "datum.difference <= 0"}
    return build_layer("text", None, channels, **side, fontSize=SIZE - 2) | {"transform": [rows]}


def _label_sides(data: FigureData, look: Look, *, labelled: bool) -> list[Spec]:
    """Who is better on which side, in the colour of its bars."""
    names = data.extra["names"]
    sides = (0, 1) if data.extra["direction"].is_lower else (1, 0)  # the higher, the lower
    above = {"align": "center", "baseline": "bottom"}
    places = [("width * 0.75", "-4", above), ("width * 0.25", "-4", above)]
    if not labelled:  # the bars go down from left to right: there is room in two corners
        places = [("width - 8", "14", {"align": "right"}), ("8", "height - 8", {"align": "left"})]
    layers = []
    for run, (x, y, style) in zip(sides, places, strict=True):
        place = {"x": {"value": {"expr": x}}, "y": {"value": {"expr": y}}}
        rows, channels = [{"label": f"{names[run]} better"}], place | {"text": nominal("label")}
        colour = look.tones.names[run]
        layers.append(build_layer("text", rows, channels, color=colour, fontWeight=600, **style))
    return layers
