"""Pictures of sessions and runs: every figure by name, its data, its chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl
from attrs import fields

from gainful.api.calibrate import calibrate
from gainful.api.compare import compare
from gainful.api.evaluate import evaluate_runs
from gainful.api.judges import compare_judges
from gainful.api.keywords import is_meant
from gainful.api.run_options import (
    AllResults,
    GroupOptions,
    RunOptions,
    RunReading,
    Runs,
    holds_results,
    name_runs,
    take_results,
)
from gainful.api.sessions import evaluate as evaluate_sessions
from gainful.api.sweep import sweep
from gainful.defaults import RESAMPLES, SEED
from gainful.errors import BadInput, BadValue, OneGroup, UnknownName, WrongType, check_name
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.intervals import mean_intervals
from gainful.evidence.judges import JudgeAgreement
from gainful.evidence.orders.sweep import Sweep
from gainful.evidence.pairing import pair_means
from gainful.evidence.searchers.calibration import Calibration
from gainful.evidence.statistics.outcome import DEFAULT_LEVEL
from gainful.evidence.system_groups import list_systems
from gainful.match.ties import TIE_POLICIES
from gainful.measure.build_recipes import USUAL_MEASURES, Measures
from gainful.measure.catalogue import MEASURES
from gainful.measure.entry import Entry
from gainful.measure.language import expand, parse
from gainful.measure.measure import Measure
from gainful.measure.notes import require_qrels_overlap
from gainful.measure.results import list_footnotes
from gainful.measure.sessions.results import SessionResults
from gainful.measure.values import Results
from gainful.read.inputs import AnyQrels
from gainful.show.figures import (
    differences,
    dots,
    frontier,
    groups,
    heatmap,
    individual_sessions,
    judges,
    rank_curves,
    searchers,
    session_curves,
    winner_map,
)
from gainful.show.figures.drawing import Drawing, to_altair
from gainful.show.figures.figure import Figure, FigureData, InputKind, Look
from gainful.types import Array, fill_masked

if TYPE_CHECKING:
    import altair as alt

_MAX_CUTOFF = 1000
_OF_SESSIONS = ("sessions", "last", "scenario", "individual", "frontier")


def curves_data(
    qrels: AnyQrels,
    runs: Runs | None = None,
    measure: str | Measure = "DCG@10",
    *,
    query: str | None = None,
    **options: Unpack[RunOptions],
) -> FigureData:
    """How does gain grow from rank to rank, and how far is it from the best possible?

    Args:
        qrels: whatever `gainful.evaluate` takes.
        runs: {name: run}.
        measure: CG, DCG, nCG or nDCG with a cutoff; DCG@10 if none is named.
        query: of this query alone; the mean over queries if none is named.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        Columns run, rank, value, ideal: what the run has gained down to that rank, and what the
        ideal ranking would have (1 for a share).
    """
    curve_measure = parse(measure)
    ranks = range(1, _check_curve_measure(curve_measure) + 1)
    measures = [curve_measure @ rank for rank in ranks]
    ideals = []
    if not curve_measure.entry.normalised:
        allowed = MEASURES["IDCG"].params
        params = {name: value for name, value in curve_measure.params if name in allowed}
        params |= {} if curve_measure.entry.discounted else {"discount": "none"}
        ideals = [Measure("IDCG", tuple(params.items())) @ rank for rank in ranks]
    results = _evaluate(qrels, runs, [*measures, *ideals], options)
    curves = {
        run: (
            _select_means(result, measures, query),
            _select_means(result, ideals, query) if ideals else np.ones(len(ranks)),
        )
        for run, result in results.items()
    }
    return rank_curves.build_data(curve_measure, curves, list(results.values()), query)


def differences_data(
    qrels: AnyQrels | AllResults,
    runs: Runs | None = None,
    measure: str | Measure | None = None,
    **options: Unpack[RunOptions],
) -> FigureData:
    """On which queries is one run better than another, and by how much?

    Args:
        qrels: whatever `gainful.evaluate` takes; or what it returned for two runs.
        runs: two of them, {name: run}; the first is the baseline.
        measure: by default nDCG@10, or the first measure of results.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        A row for each query, the greatest difference first: query, first, second, difference
        (second less first).
    """
    refuse_several(measure)
    if not holds_results(qrels):
        _refuse_more_than_two({} if runs is None else name_runs(runs))  # before anything is read
    results = _find_results(qrels, runs, measure, options)
    _refuse_more_than_two(results)
    both, name = list(results.values()), next(iter(next(iter(results.values()))))
    pairs = pair_means(both, name) if len(both) == 2 else None
    return differences.build_data(name, both, pairs)


def refuse_several(measure: Measures | None) -> None:
    """Refuse several measures where a figure shows one."""
    names = [] if measure is None else list(expand(measure))
    if len(names) > 1:
        raise BadValue("measure", ", ".join(names), "one measure")


def _refuse_more_than_two(runs: Mapping[str, Any]) -> None:
    if len(runs) > 2:
        raise BadValue("runs", ", ".join(map(str, runs)), "two of them")


def precision_recall_data(
    qrels: AnyQrels, runs: Runs | None = None, **options: Unpack[RunOptions]
) -> FigureData:
    """What is the precision of a run at each level of recall?

    Args:
        qrels: whatever `gainful.evaluate` takes.
        runs: {name: run}.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        Columns run, recall (0, 0.1, … 1), precision: the mean over queries of IPrec.
    """
    measures = list(rank_curves.RECALL_MEASURES)
    return rank_curves.build_recall_data(_evaluate(qrels, runs, measures, options))


def dots_data(
    qrels: AnyQrels | AllResults,
    runs: Runs | None = None,
    measures: Measures | None = None,
    *,
    interval: float = DEFAULT_LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    **options: Unpack[RunOptions],
) -> FigureData:
    """How good are runs by several measures, with confidence intervals?

    Args:
        qrels: whatever `gainful.evaluate` takes; or what it returned, of one run or more.
        runs: {name: run}.
        measures: one or several; by default nDCG@10, AP and RR.
        interval: its level in per cent; by t below 25 queries, else by bootstrap (BCa).
        resamples: number of resamples.
        seed: random seed.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        Columns run, measure, mean, low, high.
    """
    results = _find_results(qrels, runs, measures, options, usual=USUAL_MEASURES)
    by_run = mean_intervals(results, interval, resamples=resamples, seed=seed)
    return dots.build_data(results, [*by_run.values()])


def comparison_data(
    qrels: AnyQrels | AllResults | Comparison,
    runs: Runs | None = None,
    measures: Measures | None = None,
    **options: Unpack[RunOptions],
) -> FigureData:
    """By how much is each run better than the baseline, and how sure is that?

    Args:
        qrels: whatever `gainful.compare` takes; or what it returned.
        runs: {name: run}, the baseline first.
        measures: one or several; by default nDCG@10, AP and RR.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        Columns run, measure, mean (the difference), low, high.
    """
    if not isinstance(qrels, Comparison):
        qrels = compare(qrels, runs, measures=measures, **options)
    return dots.build_difference_data(qrels)


def heatmap_data(
    qrels: AnyQrels | AllResults,
    runs: Runs | None = None,
    measure: str | Measure | None = None,
    **options: Unpack[RunOptions],
) -> FigureData:
    """Which queries are hard for which run?

    Args:
        qrels: whatever `gainful.evaluate` takes; or what it returned, of one run or more.
        runs: {name: run}.
        measure: by default nDCG@10, or the first measure of results.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        Columns run, query, value; the best run and the easiest query first.
    """
    refuse_several(measure)
    results = _find_results(qrels, runs, measure, options)
    return heatmap.build_data(next(iter(next(iter(results.values())).recipes)), results)


def groups_data(
    qrels: AnyQrels | AllResults,
    runs: Runs | None = None,
    measure: str | Measure | None = None,
    **options: Unpack[GroupOptions],
) -> FigureData:
    """How good are runs in each group of queries, or systems in each group of sessions?

    Args:
        qrels: whatever `gainful.evaluate` takes; or what it or `sessions.evaluate` returned with
            groups.
        runs: {name: run}.
        measure: by default nDCG@10, or the first measure of results.
        **options: groups (`group`, `queries`), how inputs are read, and the settings to follow.

    Returns:
        Columns run, group, queries (sessions), mean: a row for each run and group, and for all.
    """
    refuse_several(measure)
    if holds_results(qrels):
        results = take_results((qrels, runs), measure, options)
    else:
        results = list(_find_results(qrels, runs, measure, options).values())
    if results[0].grouping is None:
        raise BadValue("group", None, "a column that names groups of queries, or {query: group}")
    return groups.build_data(list_systems(results), list_footnotes(results, verbose=True))


def _find_results(
    qrels: Any,
    runs: Any,
    measures: Measures | None,
    options: RunOptions,
    usual: Measures = USUAL_MEASURES[0],
) -> dict[str, Results]:
    """The results that are given, or those of runs, by their names."""
    if not holds_results(qrels):
        return _evaluate(qrels, runs, measures or usual, options)
    results = take_results((qrels, runs), measures, options)
    if results[0].KEY != "query":
        allowed = f"judgments and runs; figures of sessions are {', '.join(_OF_SESSIONS)}"
        raise BadValue("qrels", f"sessions ({', '.join(results[0].measures)})", allowed)
    return {result.name: result for result in results}


def _evaluate(
    qrels: AnyQrels, runs: Runs | None, measures: Measures | None, options: RunOptions
) -> dict[str, Results]:
    """The results of each run by its name; refused where nothing at the depth is judged."""
    if holds_results(qrels):
        allowed = "judgments and runs: results lack these values"
        raise BadValue("results", ", ".join(_find_results(qrels, None, None, {})), allowed)
    named_runs = name_runs(() if runs is None else runs)
    reading = RunReading.from_options(options)
    convention, recipes = reading.build_recipes(measures)
    names, depths = list(recipes), [recipe.depth or 0 for recipe in recipes.values()]
    has_depth = all(depths) and not TIE_POLICIES[convention.ties].averages
    depth = max(depths) if has_depth else None
    wanted = names if depth is None else [*names, f"Judged@{depth}"]
    results = list(evaluate_runs(qrels, named_runs, wanted, reading))
    if depth is None:
        require_qrels_overlap(results)
    elif not any(result.mean[f"Judged@{depth}"] > 0 for result in results):
        problem = f"none of the top {depth} documents of any query is judged"
        allowed = "judgments of the retrieved documents, or more depth"
        raise BadInput(", ".join(result.name for result in results), problem, allowed)
    return {result.name: result.select_measures(names) for result in results}


def _check_curve_measure(measure: Measure) -> int:
    """The depth of a measure that can be drawn by rank; others are refused."""
    suitable = [name for name, entry in MEASURES.items() if _grows_by_rank(entry)]
    if not _grows_by_rank(measure.entry):
        raise BadValue("measure", str(measure), f"one that grows by rank: {', '.join(suitable)}")
    if measure.k is None or measure.k > _MAX_CUTOFF:
        allowed = f"a cutoff up to {_MAX_CUTOFF}, such as {measure @ 10}"
        raise BadValue("measure", str(measure), allowed)
    return int(measure.k)


def _grows_by_rank(entry: Entry) -> bool:
    return entry.cumulated and entry.gain_of != "ideal"


def _select_means(results: Results, measures: Sequence[Measure], query: str | None) -> Array:
    if query is None:
        return np.array([results.mean[str(measure)] for measure in measures])
    row = list(results.ids).index(check_name("query", str(query), results.ids))
    return np.array([fill_masked(results.values[str(measure)])[row] for measure in measures])


_ALL = (
    Figure(
        name="last",
        question="Is the last query of a session the best? (the paper's Figure 1)",
        example="last study.csv --qrels qrels.txt --by system -o figure1.svg",
        input_kind="sessions",
        data=session_curves.last_data,
        draw_chart=session_curves.draw_last,
        usual_measures=("sDCG@10",),
    ),
    Figure(
        name="sessions",
        question="How much do sessions gain, query by query? (the paper's Figure 2)",
        example="sessions study.csv --qrels q.txt --interval 95 -o figure2.svg",
        input_kind="sessions",
        data=session_curves.sessions_data,
        draw_chart=session_curves.draw_chart,
        usual_measures=("nsDCG@10",),
    ),
    Figure(
        name="scenario",
        question="One scenario: do long sessions start badly? (the paper's Figure 3)",
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
        question="How much do systems gain at what cost, and which are not dominated?",
        example="frontier a.csv --qrels q.txt --cost result=tokens -o f.svg",
        input_kind="sessions",
        data=frontier.frontier_data,
        draw_chart=frontier.draw_chart,
        usual_measures=("sDCG@10",),
    ),
    Figure(
        name="searchers",
        question="Who reads on, who queries again, and which discount fits best?",
        example="searchers log.csv -o searchers.svg",
        input_kind="log",
        data=searchers.searchers_data,
        draw_chart=searchers.draw_chart,
    ),
    Figure(
        name="curves",
        question="How does gain grow by rank, and how far is it from the ideal?",
        example="curves qrels.txt bm25.txt dense.txt -m nDCG@20 -o curves.svg",
        input_kind="runs",
        data=curves_data,
        draw_chart=rank_curves.draw_chart,
        usual_measures=("DCG@10",),
    ),
    Figure(
        name="differences",
        question="On which queries is one run better than another, and by how much?",
        example="differences qrels.txt bm25.txt dense.txt -o differences.png",
        input_kind="runs",
        data=differences_data,
        draw_chart=differences.draw_chart,
        usual_measures=("nDCG@10",),
    ),
    Figure(
        name="precision-recall",
        question="What is the precision of a run at each level of recall?",
        example="precision-recall qrels.txt bm25.txt dense.txt -o recall.pdf",
        input_kind="runs",
        data=precision_recall_data,
        draw_chart=rank_curves.draw_recall,
    ),
    Figure(
        name="dots",
        question="How good are runs by several measures, with confidence intervals?",
        example="dots qrels.txt bm25.txt dense.txt -m nDCG@10 -o runs.html",
        input_kind="runs",
        data=dots_data,
        draw_chart=dots.draw_chart,
        usual_measures=USUAL_MEASURES,
        several_measures=True,
        always_resamples=True,
    ),
    Figure(
        name="comparison",
        question="How much better is each run than the first, with confidence intervals?",
        example="comparison qrels.txt bm25.txt dense.txt -o better.svg",
        input_kind="runs",
        data=comparison_data,
        draw_chart=dots.draw_chart,
        usual_measures=USUAL_MEASURES,
        several_measures=True,
    ),
    Figure(
        name="heatmap",
        question="Which queries are hard for which run?",
        example="heatmap qrels.txt bm25.txt dense.txt -m nDCG@10 -o heat.svg",
        input_kind="runs",
        data=heatmap_data,
        draw_chart=heatmap.draw_chart,
        usual_measures=("nDCG@10",),
    ),
    Figure(
        name="groups",
        question="How good are runs or systems in each group of queries or sessions?",
        example="groups q.csv a.csv b.csv --group lang -o groups.svg",
        input_kind="groups",
        data=groups_data,
        draw_chart=groups.draw_chart,
        usual_measures=("nDCG@10",),
    ),
    Figure(
        name="judges",
        question="Which grades do two judges give to the same documents?",
        example="judges people.txt model.txt -o judges.svg",
        input_kind="judges",
        data=judges.judges_data,
        draw_chart=judges.draw_chart,
    ),
)
FIGURES: Mapping[str, Figure] = {entry.name: entry for entry in _ALL}
_LOOK_OPTIONS = tuple(attribute.name for attribute in fields(Look))


def find_figure(name: str) -> Figure:
    """The figure of a name."""
    return FIGURES[check_name("figure", name, FIGURES, "gainful figure lists them")]


def figure(name: str, *inputs: Any, **options: Any) -> alt.TopLevelMixin:
    """A figure as an Altair chart; its caption says how it was made.

    Args:
        name: last, sessions, scenario, individual, frontier (of `sessions.evaluate`), map (of
            `sessions.sweep`), searchers (of `calibrate`), curves, differences, precision-recall,
            dots, comparison, heatmap, groups (of judgments and {name: run}), judges (of
            `compare_judges`).
        inputs: what the figure is made of; see the data function of each.
        options: those of the data function, and title, caption, size, width, height, dark.

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
        name: a name of `FIGURES`, such as differences.
        inputs: what the figure is made of, such as judgments and {name: run}.
        options: those of the figure's data function, such as like="ranx".

    Examples:
        >>> judged = {"1": {"a": 1}, "2": {"b": 1}}
        >>> runs = {"one": {"1": ["a"], "2": ["x", "b"]}, "two": {"1": ["a"], "2": ["b"]}}
        >>> figure_data("differences", judged, runs, "RR").rows()
        [('2', 0.5, 1.0, 0.5), ('1', 1.0, 1.0, 0.0)]
    """
    return build_data(name, *inputs, **options).frame


def build_data(name: str, *inputs: Any, **options: Any) -> FigureData:
    """The data of a figure; an option that it has not is refused."""
    entry = find_figure(name)
    parameters = signature(entry.data).parameters.values()
    open_ended = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)
    names = [value.name for value in parameters if value.kind is not Parameter.VAR_KEYWORD]
    for option in options:
        if option not in names and (not open_ended or is_meant(option, [*names, *_LOOK_OPTIONS])):
            raise UnknownName(f"option of figure {name}", option, [*names[1:], *_LOOK_OPTIONS])
    if entry.input_kind in _ANSWERS:
        _, kind, verb = _ANSWERS[entry.input_kind]
        answer = inputs[0] if inputs else options.get(names[0])
        if not isinstance(answer, kind):
            raise WrongType(names[0], answer, f"what {verb} returned")
    return entry.data(*inputs, **options)


def draw_calibration(calibration: Calibration, path: str) -> bytes:
    """The figure of the searchers of a log, as the file of that name holds it."""
    drawing = Drawing(FIGURES["searchers"], searchers.searchers_data(calibration), Look())
    return drawing.to_picture(Path(path).suffix.lower())


# The answers that are drawn, and what gives them; other figures take judgments and runs.
_ANSWERS: Mapping[InputKind, tuple[Callable[..., Any], type, str]] = {
    "sessions": (evaluate_sessions, SessionResults, "gainful.sessions.evaluate"),
    "sweep": (sweep, Sweep, "gainful.sessions.sweep"),
    "log": (calibrate, Calibration, "gainful.calibrate"),
    "judges": (compare_judges, JudgeAgreement, "gainful.compare_judges"),
}


def draw_files(name: str, *files: Any, look: Look, **options: Any) -> Drawing:
    """A figure of files, evaluated or swept first where it is made of results.

    What its data function takes by name goes there; all else to the verb before it, if any.
    """
    entry = find_figure(name)
    own = {key: options.pop(key) for key in signature(entry.data).parameters if key in options}
    own = {key: value for key, value in own.items() if value is not None}
    try:
        if entry.input_kind in _ANSWERS:
            files, options = (_ANSWERS[entry.input_kind][0](*files, **options),), {}
        data = build_data(name, *files, **own, **options)
    except OneGroup as error:  # of a sweep
        data = winner_map.build_empty_data(error.problem)
    return Drawing(entry, data, look)
