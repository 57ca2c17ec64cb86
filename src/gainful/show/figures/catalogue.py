"""All figures by name, and how one is made."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import polars as pl
from attrs import fields

from gainful.errors import NotInstalled, UnknownName
from gainful.show.figures import (
    differences,
    dots,
    empty_chart,
    individual_sessions,
    last_query,
    precision_recall,
    rank_curves,
    session_curves,
    winner_map,
)
from gainful.show.figures.figure import Figure, FigureData, Look, Spec

if TYPE_CHECKING:
    import altair as alt

_ALL = (
    Figure(
        name="last",
        question="Is the last query of a session the best? (the paper's Figure 1)",
        input_kind="sessions",
        data=last_query.last_data,
        draw_chart=last_query.draw_chart,
    ),
    Figure(
        name="sessions",
        question="How much have sessions brought, query after query? (the paper's Figure 2)",
        input_kind="sessions",
        data=session_curves.sessions_data,
        draw_chart=session_curves.draw_chart,
    ),
    Figure(
        name="scenario",
        question="One scenario: do long sessions begin badly? (the paper's Figure 3)",
        input_kind="sessions",
        data=session_curves.scenario_data,
        draw_chart=session_curves.draw_chart,
    ),
    Figure(
        name="individual",
        question="How different are sessions, and where did searchers stop? (the paper's Figure 4)",
        input_kind="sessions",
        data=individual_sessions.individual_data,
        draw_chart=individual_sessions.draw_chart,
    ),
    Figure(
        name="map",
        question="Which system is better for which searcher, and where does the winner change?",
        input_kind="sweep",
        data=winner_map.map_data,
        draw_chart=winner_map.draw_chart,
    ),
    Figure(
        name="curves",
        question="How does gain grow from rank to rank, and how far is it from the ideal?",
        input_kind="runs",
        data=rank_curves.curves_data,
        draw_chart=rank_curves.draw_chart,
    ),
    Figure(
        name="differences",
        question="On which queries is one run better than another, and by how much?",
        input_kind="runs",
        data=differences.differences_data,
        draw_chart=differences.draw_chart,
    ),
    Figure(
        name="precision-recall",
        question="How precise is a run where so much of what is relevant has been found?",
        input_kind="runs",
        data=precision_recall.precision_recall_data,
        draw_chart=precision_recall.draw_chart,
    ),
    Figure(
        name="dots",
        question="How good are runs by several measures, and how sure is that?",
        input_kind="runs",
        data=dots.dots_data,
        draw_chart=dots.draw_chart,
    ),
)
FIGURES: Mapping[str, Figure] = {entry.name: entry for entry in _ALL}
_LOOK_OPTIONS = tuple(attribute.name for attribute in fields(Look))


def find_figure(name: str) -> Figure:
    """The figure of a name."""
    if name not in FIGURES:
        raise UnknownName("figure", str(name), FIGURES, "gainful figure lists them")
    return FIGURES[name]


def figure(name: str, *inputs: Any, **options: Any) -> alt.TopLevelMixin:
    """A figure as an Altair chart, its caption saying what produced it.

    Args:
        name: last, sessions, scenario, individual (of `evaluate_sessions`), map (of `sweep`),
            curves, differences, precision-recall, dots (of judgments and {name: run}).
        inputs: what the figure is made of; see the data function of each.
        options: those of the data function, and title, width, height (of the plot), dark.

    Examples:
        >>> from gainful import evaluate_sessions, simulate_study
        >>> study = simulate_study(2008)
        >>> results = evaluate_sessions(study.sessions, study.qrels, "nsDCG@10")
        >>> chart = figure("sessions", results, by="system", interval=95)
        >>> chart.to_dict()["title"]["text"]
        'Session performance, nsDCG@10, by concatenated top 10'
    """
    look = Look(**{key: options.pop(key) for key in _LOOK_OPTIONS if key in options})
    return as_chart(draw_figure(find_figure(name), build_data(name, *inputs, **options), look))


def figure_data(name: str, *inputs: Any, **options: Any) -> pl.DataFrame:
    """The tidy data behind a figure.

    Args:
        name: as `figure` takes it.
        inputs: likewise.
        options: those of the data function.

    Examples:
        >>> judged = {"1": {"a": 1}, "2": {"b": 1}}
        >>> runs = {"one": {"1": ["a"], "2": ["x", "b"]}, "two": {"1": ["a"], "2": ["b"]}}
        >>> figure_data("differences", judged, runs, "RR").rows()
        [('2', 0.5, 1.0, 0.5), ('1', 1.0, 1.0, 0.0)]
    """
    return build_data(name, *inputs, **options).frame


def build_data(name: str, *inputs: Any, **options: Any) -> FigureData:
    """The data of a figure; an option that it has not is refused."""
    data_function = find_figure(name).data
    parameters = signature(data_function).parameters.values()
    if not any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        names = [parameter.name for parameter in parameters]
        for option in options:
            if option not in names:
                raise UnknownName(f"option of figure {name}", option, [*names[1:], *_LOOK_OPTIONS])
    return data_function(*inputs, **options)


def draw_figure(figure: Figure, data: FigureData, look: Look) -> Spec:
    """The chart, or what says why there is none."""
    return (
        empty_chart.draw_chart(data, look) if data.empty_reason else figure.draw_chart(data, look)
    )


def as_chart(spec: Spec) -> alt.TopLevelMixin:
    """A specification as an Altair chart."""
    try:
        import altair as alt  # noqa: PLC0415  (slow to load, and of the extra report)
    except ImportError:
        raise NotInstalled("gainful.figure", "report") from None
    # Altair would look at every row of the data, and try every kind of chart on it: the data go
    # beside the chart, and the kind is known.
    datasets: dict[str, Any] = {}
    full_spec = {"$schema": alt.SCHEMA_URL, **_name_data(spec, datasets)}
    chart_classes: dict[str, Any] = {
        "layer": alt.LayerChart,
        "concat": alt.ConcatChart,
        "vconcat": alt.VConcatChart,
    }
    chart_class: Any = next((chart_classes[key] for key in chart_classes if key in spec), alt.Chart)
    chart: Any = chart_class.from_dict(full_spec, validate=False)
    chart.datasets = datasets
    return chart  # type: ignore[no-any-return]


def _name_data(part: Any, datasets: dict[str, Any]) -> Any:
    """The same, with data by name; `datasets` is given what the names stand for."""
    if isinstance(part, list):
        return [_name_data(item, datasets) for item in part]
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("values"), list) and set(part) == {"values"}:
        datasets[f"data-{len(datasets) + 1}"] = part["values"]
        return {"name": f"data-{len(datasets)}"}
    return {key: _name_data(value, datasets) for key, value in part.items()}
