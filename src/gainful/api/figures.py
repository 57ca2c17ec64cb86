"""Pictures of sessions and runs: every figure by name, its data, its chart."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from attrs import fields

from gainful.api import run_figures
from gainful.api.calibrate import calibrate
from gainful.api.keywords import is_meant
from gainful.api.sessions import evaluate as evaluate_sessions
from gainful.api.sweep import sweep
from gainful.errors import OneGroup, UnknownName
from gainful.evidence.searchers.calibration import Calibration
from gainful.measure.build_recipes import USUAL_MEASURES
from gainful.show.figures import (
    differences,
    dots,
    frontier,
    individual_sessions,
    last_query,
    precision_recall,
    rank_curves,
    searchers,
    session_curves,
    winner_map,
)
from gainful.show.figures.drawing import Drawing, to_altair
from gainful.show.figures.figure import Figure, FigureData, Look

if TYPE_CHECKING:
    import altair as alt

_ALL = (
    Figure(
        name="last",
        question="Is the last query of a session the best? (the paper's Figure 1)",
        example="last study.csv --qrels qrels.txt --by system -o figure1.svg",
        input_kind="sessions",
        data=last_query.last_data,
        draw_chart=last_query.draw_chart,
        usual_measures=("sDCG@10",),
    ),
    Figure(
        name="sessions",
        question="How much have sessions brought, query after query? (the paper's Figure 2)",
        example="sessions study.csv --qrels q.txt --interval 95 -o figure2.svg",
        input_kind="sessions",
        data=session_curves.sessions_data,
        draw_chart=session_curves.draw_chart,
        usual_measures=("nsDCG@10",),
    ),
    Figure(
        name="scenario",
        question="One scenario: do long sessions begin badly? (the paper's Figure 3)",
        example="scenario study.csv --qrels q.txt --where scenario=D -o 3.svg",
        input_kind="sessions",
        data=session_curves.scenario_data,
        draw_chart=session_curves.draw_chart,
        usual_measures=("sDCG@10",),
    ),
    Figure(
        name="individual",
        question="How different are sessions, and where did searchers stop? (the paper's Figure 4)",
        example="individual study.csv --qrels q.txt --where system=1 -o 4.svg",
        input_kind="sessions",
        data=individual_sessions.individual_data,
        draw_chart=individual_sessions.draw_chart,
        usual_measures=("sDCG@10",),
    ),
    Figure(
        name="map",
        question="Which system is better for which searcher, and where does the winner change?",
        example="map study.csv --qrels qrels.txt --by system -o map.svg",
        input_kind="sweep",
        data=winner_map.map_data,
        draw_chart=winner_map.draw_chart,
        usual_measures=("nsDCG",),
    ),
    Figure(
        name="frontier",
        question="What do systems bring for what they cost, and which does none other beat?",
        example="frontier a.csv --qrels q.txt --cost result=tokens -o f.svg",
        input_kind="sessions",
        data=frontier.frontier_data,
        draw_chart=frontier.draw_chart,
        usual_measures=("nsDCG@10",),
    ),
    Figure(
        name="searchers",
        question="Who reads on down a list, who asks again, and which discount tells it?",
        example="searchers log.csv -o searchers.svg",
        input_kind="log",
        data=searchers.searchers_data,
        draw_chart=searchers.draw_chart,
    ),
    Figure(
        name="curves",
        question="How does gain grow from rank to rank, and how far is it from the ideal?",
        example="curves qrels.txt bm25.txt dense.txt -m nDCG@20 -o curves.svg",
        input_kind="runs",
        data=run_figures.curves_data,
        draw_chart=rank_curves.draw_chart,
        usual_measures=("DCG@10",),
    ),
    Figure(
        name="differences",
        question="On which queries is one run better than another, and by how much?",
        example="differences qrels.txt bm25.txt dense.txt -o differences.png",
        input_kind="runs",
        data=run_figures.differences_data,
        draw_chart=differences.draw_chart,
        usual_measures=("nDCG@10",),
    ),
    Figure(
        name="precision-recall",
        question="How precise is a run where so much of what is relevant has been found?",
        example="precision-recall qrels.txt bm25.txt dense.txt -o recall.pdf",
        input_kind="runs",
        data=run_figures.precision_recall_data,
        draw_chart=precision_recall.draw_chart,
    ),
    Figure(
        name="dots",
        question="How good are runs by several measures, and how sure is that?",
        example="dots qrels.txt bm25.txt dense.txt -m nDCG@10 -o runs.html",
        input_kind="runs",
        data=run_figures.dots_data,
        draw_chart=dots.draw_chart,
        usual_measures=USUAL_MEASURES,
        several_measures=True,
        always_resamples=True,
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
        name: last, sessions, scenario, individual, frontier (of `sessions.evaluate`), map (of
            `sessions.sweep`), searchers (of `calibrate`), curves, differences, precision-recall,
            dots (of judgments and {name: run}).
        inputs: what the figure is made of; see the data function of each.
        options: those of the data function, and title, width, height (of the plot), dark.

    Examples:
        >>> from gainful import sessions
        >>> study = sessions.simulate_study(2008)
        >>> results = sessions.evaluate(study.sessions, study.qrels, "nsDCG@10")
        >>> chart = figure("sessions", results, by="system", interval=95)
        >>> chart.to_dict()["title"]["text"]
        'Session performance, nsDCG@10, by concatenated top 10'
    """
    look = Look(**{key: options.pop(key) for key in _LOOK_OPTIONS if key in options})
    return to_altair(Drawing(find_figure(name), build_data(name, *inputs, **options), look).spec())


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
    open_ended = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)
    names = [value.name for value in parameters if value.kind is not Parameter.VAR_KEYWORD]
    for option in options:
        if option not in names and (not open_ended or is_meant(option, [*names, *_LOOK_OPTIONS])):
            raise UnknownName(f"option of figure {name}", option, [*names[1:], *_LOOK_OPTIONS])
    return data_function(*inputs, **options)


def draw_calibration(calibration: Calibration, path: str) -> bytes:
    """The figure of the searchers of a log, as the file of that name holds it."""
    drawing = Drawing(FIGURES["searchers"], searchers.searchers_data(calibration), Look())
    picture = drawing.to_picture(Path(path).suffix.lower())
    return picture.encode() if isinstance(picture, str) else picture


def draw_files(
    name: str, *files: Any, options: Mapping[str, Any], look: Look, **reading: Any
) -> Drawing:
    """A figure of files: read, evaluated or swept first, where it is made of results.

    Args:
        name: as `figure` takes it.
        files: what `sessions.evaluate` or `sessions.sweep` take before options; or judgments and
            runs.
        options: those of the figure's data function.
        look: title, size and background.
        **reading: how files are read and evaluated; options of `sessions.evaluate` or
            `sessions.sweep`, or formats and settings.
    """
    entry = find_figure(name)
    if entry.input_kind == "runs":
        return Drawing(entry, build_data(name, *files, **options, **reading), look)
    if entry.input_kind == "log":
        return Drawing(entry, build_data(name, calibrate(*files, **reading), **options), look)
    if entry.input_kind == "sessions":
        results = evaluate_sessions(*files, **reading)
        return Drawing(entry, build_data(name, results, **options), look)
    try:
        data = build_data(name, sweep(*files, **reading), **options)
    except OneGroup as error:
        data = winner_map.build_empty_data(error.problem)
    return Drawing(entry, data, look)
