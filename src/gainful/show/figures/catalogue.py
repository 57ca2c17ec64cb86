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
from gainful.show.figures.figure import Data, Figure, Look, Spec

if TYPE_CHECKING:
    import altair as alt

_ALL = (
    Figure(
        name="last",
        question="Is the last query of a session the best? (the paper's Figure 1)",
        takes="sessions",
        data=last_query.last_data,
        chart=last_query.chart,
    ),
    Figure(
        name="sessions",
        question="How much have sessions brought, query after query? (the paper's Figure 2)",
        takes="sessions",
        data=session_curves.sessions_data,
        chart=session_curves.chart,
    ),
    Figure(
        name="scenario",
        question="One scenario: do long sessions begin badly? (the paper's Figure 3)",
        takes="sessions",
        data=session_curves.scenario_data,
        chart=session_curves.chart,
    ),
    Figure(
        name="individual",
        question="How different are sessions, and where did searchers stop? (the paper's Figure 4)",
        takes="sessions",
        data=individual_sessions.individual_data,
        chart=individual_sessions.chart,
    ),
    Figure(
        name="map",
        question="Which system is better for which searcher, and where does the winner change?",
        takes="sweep",
        data=winner_map.map_data,
        chart=winner_map.chart,
    ),
    Figure(
        name="curves",
        question="How does gain grow from rank to rank, and how far is it from the ideal?",
        takes="runs",
        data=rank_curves.curves_data,
        chart=rank_curves.chart,
    ),
    Figure(
        name="differences",
        question="On which queries is one run better than another, and by how much?",
        takes="runs",
        data=differences.differences_data,
        chart=differences.chart,
    ),
    Figure(
        name="precision-recall",
        question="How precise is a run where so much of what is relevant has been found?",
        takes="runs",
        data=precision_recall.precision_recall_data,
        chart=precision_recall.chart,
    ),
    Figure(
        name="dots",
        question="How good are runs by several measures, and how sure is that?",
        takes="runs",
        data=dots.dots_data,
        chart=dots.chart,
    ),
)
FIGURES: Mapping[str, Figure] = {one.name: one for one in _ALL}
_LOOK = tuple(one.name for one in fields(Look))


def named(name: str) -> Figure:
    """The figure of a name."""
    if name not in FIGURES:
        raise UnknownName("figure", str(name), FIGURES, "gainful figure lists them")
    return FIGURES[name]


def figure(name: str, *given: Any, **options: Any) -> alt.TopLevelMixin:
    """A figure as an Altair chart, its caption saying what produced it.

    Args:
        name: last, sessions, scenario, individual (of `evaluate_sessions`), map (of `sweep`),
            curves, differences, precision-recall, dots (of judgments and {name: run}).
        given: what the figure is made of; see the data function of each.
        options: those of the data function, and title, width, height (of the plot), dark.

    Examples:
        >>> from gainful import evaluate_sessions, simulate_study
        >>> study = simulate_study(2008)
        >>> results = evaluate_sessions(study.sessions, study.judgments, "nsDCG@10")
        >>> chart = figure("sessions", results, by="system", interval=95)
        >>> chart.to_dict()["title"]["text"]
        'Session performance, nsDCG@10, by concatenated top 10'
    """
    look = Look(**{key: options.pop(key) for key in _LOOK if key in options})
    return as_chart(drawn(named(name), data_of(name, *given, **options), look))


def figure_data(name: str, *given: Any, **options: Any) -> pl.DataFrame:
    """The tidy data behind a figure.

    Args:
        name: as `figure` takes it.
        given: likewise.
        options: those of the data function.

    Examples:
        >>> judged = {"1": {"a": 1}, "2": {"b": 1}}
        >>> runs = {"one": {"1": ["a"], "2": ["x", "b"]}, "two": {"1": ["a"], "2": ["b"]}}
        >>> figure_data("differences", judged, runs, "RR").rows()
        [('2', 0.5, 1.0, 0.5), ('1', 1.0, 1.0, 0.0)]
    """
    return data_of(name, *given, **options).frame


def data_of(name: str, *given: Any, **options: Any) -> Data:
    """The data of a figure; an option that it has not is refused."""
    made = named(name).data
    known = signature(made).parameters.values()
    if not any(one.kind is Parameter.VAR_KEYWORD for one in known):
        names = [one.name for one in known]
        for option in options:
            if option not in names:
                raise UnknownName(f"option of figure {name}", option, [*names[1:], *_LOOK])
    return made(*given, **options)


def drawn(figure: Figure, data: Data, look: Look) -> Spec:
    """The chart, or what says why there is none."""
    return empty_chart.chart(data, look) if data.nothing else figure.chart(data, look)


def as_chart(spec: Spec) -> alt.TopLevelMixin:
    """A specification as an Altair chart."""
    try:
        import altair as alt  # noqa: PLC0415  (slow to load, and of the extra report)
    except ImportError:
        raise NotInstalled("gainful.figure", "report") from None
    # Altair would look at every row of the data, and try every kind of chart on it: the data go
    # beside the chart, and the kind is known.
    held: dict[str, Any] = {}
    whole = {"$schema": alt.SCHEMA_URL, **_named_data(spec, held)}
    kinds: dict[str, Any] = {
        "layer": alt.LayerChart,
        "concat": alt.ConcatChart,
        "vconcat": alt.VConcatChart,
    }
    kind: Any = next((kinds[key] for key in kinds if key in spec), alt.Chart)
    chart: Any = kind.from_dict(whole, validate=False)
    chart.datasets = held
    return chart  # type: ignore[no-any-return]


def _named_data(part: Any, held: dict[str, Any]) -> Any:
    """The same, with data by name; `held` is given what the names stand for."""
    if isinstance(part, list):
        return [_named_data(one, held) for one in part]
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("values"), list) and set(part) == {"values"}:
        held[f"data-{len(held) + 1}"] = part["values"]
        return {"name": f"data-{len(held)}"}
    return {key: _named_data(value, held) for key, value in part.items()}
