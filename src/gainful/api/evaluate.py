"""How good is a run? Read the qrels and the runs, match them, measure."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from importlib.util import find_spec
from itertools import starmap
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack, overload

import polars as pl
from attrs import evolve

from gainful.api.run_options import (
    GroupOptions,
    NamedRuns,
    RunOptions,
    RunReading,
    Runs,
    answer_run_options,
    name_file,
    name_runs,
    refuse_lone_queries,
)
from gainful.convention import Convention
from gainful.errors import BadInput, BadValue, NoColumn
from gainful.evidence.options import DrawingOptions, PairOptions
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.measure.build_recipes import Measures
from gainful.measure.entry import Recipe
from gainful.measure.evaluate import measure_run
from gainful.measure.measure import Measure
from gainful.measure.notes import note_rising_scores
from gainful.measure.results import QueryResults, list_others, results_page, to_dict
from gainful.measure.values import ByMeasure, Grouping, flatten_names
from gainful.page.page import Page, Section
from gainful.page.shown import ShownByRun
from gainful.page.table import Table
from gainful.read.column_names import ColumnNames, read_column_names
from gainful.read.inputs import (
    AnyColumns,
    AnyQrels,
    AnyRun,
    as_qrels_columns,
    as_run_columns,
    find_run_beside,
    open_large_run,
)
from gainful.read.qrels_and_run import LazyRun, NestedDict, Qrels, Run
from gainful.read.small_trec import MAX_LONE_BYTES, read_small_files
from gainful.read.source import choose_engine, exceeds_memory, is_file, measure_size, open_source

if TYPE_CHECKING:  # what compares, draws and resamples is slow to load: imported when first called
    import altair as alt

    import gainful
    from gainful.evidence.intervals import MeanIntervals
    from gainful.read.items import AnyItems

_SMALL = "pure engine (the files are small)"
_MIN_BYTES = 1 << 24  # of runs that are read side by side


class RunResults(ShownByRun[QueryResults]):
    r"""The results of several runs by name; with `intervals` where they were asked for.

    Examples:
        >>> from gainful import evaluate
        >>> results = evaluate({"1": ["a"]}, {"one": {"1": ["a"]}, "two": {"1": ["b", "a"]}}, "RR")
        >>> results["two"]["RR"], results.mean
        (0.5, {'one': {'RR': 1.0}, 'two': {'RR': 0.5}})
        >>> results.to_csv()
        'run,RR\none,1.0\ntwo,0.5'
    """

    def __init__(
        self, results: Mapping[str, QueryResults], intervals: Sequence[MeanIntervals] = ()
    ) -> None:
        super().__init__(results)
        self.intervals = intervals

    @property
    def mean(self) -> dict[str, dict[str, float]]:
        """One number for each run and measure."""
        return ByMeasure((name, results.mean) for name, results in self.items())

    @property
    def per_query(self) -> pl.DataFrame:
        """A row for each run and query, a column for each measure."""
        return self._stack(lambda results: results.per_query)

    def worst(
        self, n: int | str | Measure = 10, measure: str | Measure | None = None
    ) -> pl.DataFrame:
        """The queries with the lowest values of each run, the lowest first.

        Args:
            n: how many of each run; or the measure, by which the ten worst are shown.
            measure: by which measure; the first if none is named.
        """
        return self._stack(lambda results: results.worst(n, measure))

    def _stack(self, tell: Callable[[QueryResults], pl.DataFrame]) -> pl.DataFrame:
        return pl.concat(
            tell(run).select(pl.lit(name).alias("run"), pl.all()) for name, run in self.items()
        )

    def page(self, *, per_query: bool = False, verbose: bool = False) -> Page:
        """Runs by their means, or query by query; intervals, if there are any, below."""
        runs, all_intervals = list(self.values()), self.intervals
        if not all_intervals:
            return results_page(runs, per_query=per_query, verbose=verbose)
        from gainful.evidence.intervals import (  # noqa: PLC0415
            build_table,
            describe_interval,
            list_footnotes,
        )

        shown = self._list_intervals(folded=True) if runs[0].grouping else all_intervals
        notes = list_footnotes(shown, verbose=verbose)
        page = results_page(runs, per_query=per_query, verbose=verbose, notes=notes)
        page = evolve(
            page,
            answer=" ".join(filter(None, [page.answer, describe_interval(all_intervals)])),
            sections=[*page.sections, Section(table=build_table(shown))],
            data=self.to_dict,
        )
        records = None if runs[0].grouping else self._records
        return page if per_query else evolve(page, rows=self._rows, records=records)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data; counts are those of all runs together."""
        data = to_dict(list(self.values()))
        if self.intervals:
            data["runs"] = [
                {"name": run["name"], "mean": run["mean"], "intervals": run_intervals.to_dict()}
                | run
                for run, run_intervals in zip(data["runs"], self.intervals, strict=True)
            ]
            groups = [group for run in data["runs"] for group in (run, *run.get("groups", ()))]
            for group, intervals in zip(groups, self._list_intervals(), strict=True):
                group["intervals"] = intervals.to_dict()
        return data

    def to_flat(self) -> dict[str, float]:
        """The means under names of small letters, digits and _, each run's name before them."""
        means = self.mean.items()
        return flatten_names(
            {f"{run} {name}": mean for run, by_name in means for name, mean in by_name.items()}
        )

    def compare(
        self, *others: QueryResults, **options: Unpack[gainful.stats.MethodOptions]
    ) -> gainful.Comparison:
        """Is one of the runs really better than another?

        Args:
            others: the results of more runs, by the same judgments and measures.
            **options: how runs are compared (`stats.MethodOptions`), as `gainful.compare` has them.
        """
        import gainful  # noqa: PLC0415

        more = list_others(others)
        return gainful.compare([*self.values(), *more] if more else self, **options)

    def plot(self, **options: Any) -> alt.TopLevelMixin:
        """A dot for the mean of each run and measure, a line for its interval.

        Args:
            **options: of `gainful.figures.dots`: interval, resamples, seed; title, width, height,
                dark.
        """
        import gainful  # noqa: PLC0415

        return gainful.figures.dots(self, **options)

    def list_expressions(self) -> Mapping[str, str]:
        """What an attribute of a measure could be called, and what to write for it."""
        first = next(iter(self.values())).list_expressions()
        return {
            guess: place.replace("results[", "results[run][", 1) for guess, place in first.items()
        }

    def _rows(self) -> Table:
        from gainful.evidence.intervals import list_cells  # noqa: PLC0415

        page = results_page(list(self.values()))
        table = page.rows()
        rows = [
            (*row, *list_cells(run_intervals).values())
            for row, run_intervals in zip(table.rows, self._list_intervals(), strict=True)
        ]
        return evolve(table, columns=(*table.columns, *list_cells(self.intervals[0])), rows=rows)

    def _list_intervals(self, *, folded: bool = False) -> list[MeanIntervals]:
        from gainful.evidence.intervals import group_intervals  # noqa: PLC0415

        return [
            intervals
            for run, item in zip(self.values(), self.intervals, strict=True)
            for intervals in (item, *group_intervals(run, item, folded=folded))
        ]

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"run": run["name"], **run["mean"], "intervals": run["intervals"]}
            for run in self.to_dict()["runs"]
        ]


class IntervalOptions(GroupOptions, DrawingOptions, total=False):
    """How runs are read, what is recommended from, and how sure each mean is.

    Args:
        items: of Coverage and Gini: the catalogue; a file with an id in each line, a table with a
            column of items, or their ids.
        interactions: for Novelty: who interacted with which item; a table of users and items.
        interval: of `runs`: also how sure each mean is, at this level in per cent, such as 95;
            `resamples` and `seed` are of it.
    """

    items: AnyItems | None
    interactions: Any
    interval: float | None


@overload
def evaluate(
    qrels: AnyQrels,
    run: NamedRuns,
    measures: Measures | None = None,
    *,
    runs: None = None,
    **options: Unpack[IntervalOptions],
) -> RunResults: ...


@overload
def evaluate(
    qrels: AnyQrels, run: AnyRun, measures: Measures | None = None, **options: Unpack[GroupOptions]
) -> QueryResults: ...


@overload
def evaluate(
    qrels: AnyQrels,
    run: None = None,
    measures: Measures | None = None,
    *,
    runs: Runs,
    **options: Unpack[IntervalOptions],
) -> RunResults: ...


@answer_run_options(IntervalOptions, (IntervalOptions, PairOptions, GroupOptions, RunOptions))
def evaluate(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    measures: Measures | None = None,
    *,
    runs: Runs | None = None,
    **options: Unpack[IntervalOptions],
) -> QueryResults | RunResults:
    """How good is a run, by these judgments and measures?

    Args:
        qrels: a path, a dict {query: {document: grade}} or {query: [relevant document, …]},
            a frame (polars, pandas, anything that supports Arrow; a row for each document, or for
            each query with lists), or a list: of records, of rows (query, document, grade), or
            of a list of documents for each query. Without grades, each judged document has grade 1.
        run: in the same shapes, with scores, or documents in rank order; documents may be
            (document, score) pairs and those of LlamaIndex, Haystack and LangChain. RAG records
            contain both; pass them once.
        measures: names such as "nDCG@10", "AP", "P_5", "ndcg_cut.5,10"; one or several; by default
            nDCG@10, AP and RR.
        runs: several runs, by name or in a list, instead of `run`, which accepts them too.
        **options: intervals, how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        `QueryResults` of a run; of several runs `RunResults`, which is a dict of them by name.

    Examples:
        >>> qrels = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
        >>> run = {"1": {"b": 0.9, "x": 0.8, "a": 0.7}, "2": {"c": 0.5}}
        >>> {
        ...     name: round(value, 4)
        ...     for name, value in evaluate(qrels, run, ["nDCG@10", "AP"]).mean.items()
        ... }
        {'nDCG@10': 0.8801, 'AP': 0.9167}
    """
    given: dict[str, Any] = dict(options)
    interval = given.pop("interval", None)
    drawing = {name: given.pop(name, None) for name in DrawingOptions.__annotations__}
    drawing = {name: value for name, value in drawing.items() if value is not None}
    reading = RunReading.from_options(given)
    if run is None and runs is None:
        run = find_run_beside(qrels, reading.columns)
    elif runs is None:
        from gainful.read.shapes import holds_runs  # noqa: PLC0415  (a command names its runs)

        if holds_runs(run):
            run, runs = None, run
    if (run is None) == (runs is None):
        allowed = "a run, or several as runs={name: run}, one of the two; or qrels that hold both"
        raise BadValue("run", run, allowed)
    if interval is None and drawing:
        raise BadValue(*next(iter(drawing.items())), "a value only with an interval, such as 95")
    if interval is not None:  # wrong values are refused before anything is read
        from gainful.evidence.intervals import resampling_for_level  # noqa: PLC0415

        resampling_for_level(interval, **drawing)
        if runs is None:
            way = "for one run, gainful.stats.mean_intervals(results)"
            raise BadValue("interval", interval, f"only with runs={{name: run}}; {way}")
    if runs is None:
        return next(evaluate_runs(qrels, {"": run}, measures, reading))
    evaluated = evaluate_runs(qrels, name_runs(runs), measures, reading)
    results = {result.name: result for result in evaluated}
    if interval is None:
        return RunResults(results)
    from gainful.evidence.intervals import mean_intervals  # noqa: PLC0415  (slow to load)

    return RunResults(results, [*mean_intervals(results, interval, **drawing).values()])


def holds_qrels_and_run(path: str, columns: ColumnNames | None = None) -> bool:
    """Does a file tell both what is relevant and what was retrieved, so that it needs no run?

    A log of sessions, which has neither, is refused.
    """
    if find_run_beside(path, columns) is not None:
        return True
    if is_file(path):
        from gainful.read.file_check import refuse_sessions  # noqa: PLC0415  (seldom asked for)

        refuse_sessions(open_source(path), read_column_names(columns))
    return False


def evaluate_runs(
    qrels: AnyQrels, runs: Mapping[str, AnyRun], measures: Measures | None, reading: RunReading
) -> Iterator[QueryResults]:
    """What every run scores, one after the other; qrels are read once.

    A run whose name is empty is named for its file.
    """
    evaluated = evaluate_matched(qrels, runs, measures, reading, with_rows=False)
    return (results for results, _ in evaluated)


def evaluate_matched(
    qrels: AnyQrels,
    runs: Mapping[str, AnyRun],
    measures: Measures | None,
    reading: RunReading,
    *,
    with_rows: bool = True,
) -> Iterator[tuple[QueryResults, Matched]]:
    """What every run scores, and how it was matched.

    A run whose name is empty is named for its file, which may be matched where it lies if only the
    ranks of judged documents are wanted (not `with_rows`).
    """
    convention, all_recipes = reading.build_recipes(measures)
    recipes = {name: recipe for name, recipe in all_recipes.items() if not recipe.entry.of_items}
    of_items = {name: all_recipes[name] for name in all_recipes if name not in recipes}
    if of_items:  # few ask for it
        from gainful.measure.exposure import add_exposure  # noqa: PLC0415
        from gainful.read.items import read_items  # noqa: PLC0415

        items, with_rows = read_items(reading.items, reading.interactions), True
    small_files = None if with_rows else _read_small_files(qrels, runs, reading)
    judgments, small_runs = small_files or (reading.read_qrels(qrels), {})
    find_group = _find_groups(reading, qrels, judgments, runs)
    unread = _note_unread_run(qrels, judgments, runs, reading)

    def match_next(name: str, run: AnyRun) -> tuple[Matched, str]:
        matched, engine = None, _SMALL if small_runs and find_spec("gainful_native") else ""
        can_stay = small_files is not None or (not with_rows and isinstance(judgments, Qrels))
        if can_stay and name not in small_runs:
            matched, engine = _match_in_file(judgments, run, recipes, convention, reading)
        if matched is None:
            read = reading.read_run_in_memory if of_items else reading.read_run
            large_run = None
            if not with_rows:
                large_run = open_large_run(run, reading.run_format, reading.columns)
            loaded = small_runs.get(name) or large_run or read(run, name or "run")
            if not isinstance(loaded, LazyRun):
                _refuse_same_list(qrels, run, judgments, loaded, reading.columns)
            matched = match_run(judgments, loaded, recipes, convention)
        return matched, engine

    each = _match_side_by_side if _fit_side_by_side([*runs.values()]) else starmap
    matches = zip(runs.items(), each(match_next, runs.items()), strict=True)
    for number, ((name, run), (matched, engine)) in enumerate(matches, 1):
        if number == len(runs):
            reading.columns.refuse_unread()  # when all were read: each may have other columns
        results = measure_run(matched, recipes, convention, name or name_file(run))
        if of_items and not isinstance(matched.run, LazyRun):
            added = add_exposure(results, as_run_columns(matched.run), of_items, items)
            results = added.select_measures(list(all_recipes))
        grouping = None if find_group is None else find_group(results.ids)
        rising = [] if name_file(run) is None else note_rising_scores(matched.run)
        notes = [*unread, *rising, *results.notes]
        yield evolve(results, engine=engine, grouping=grouping, notes=notes), matched


def _refuse_same_list(
    qrels: AnyQrels,
    run: AnyRun,
    judgments: Qrels | NestedDict,
    loaded: Run | NestedDict,
    columns: AnyColumns,
) -> None:
    """One list in one input is not both what is relevant and what was retrieved.

    A dict by query may be, as the ideal run.
    """
    if isinstance(run, (str, PathLike)):
        is_one = isinstance(qrels, (str, PathLike)) and os.fspath(qrels) == os.fspath(run)
    else:
        is_one = qrels is run and (isinstance(qrels, list) or hasattr(type(qrels), "columns"))
    if not is_one or find_run_beside(qrels, columns) is not None:
        return
    judged, retrieved = as_qrels_columns(judgments).frame, as_run_columns(loaded).frame
    both = judged.join(retrieved, on=["query", "doc"])
    is_one_number = (both["grade"] == both["score"]).all() or (both["grade"] == 1).all()
    if len(judged) == len(retrieved) == len(both) and is_one_number:
        allowed = "a run; or --columns retrieved=NAME,relevant=NAME, if it holds both (columns=)"
        raise BadInput(loaded.name, "the same list would be judgments and run", allowed)


def _fit_side_by_side(runs: Sequence[AnyRun]) -> bool:
    """Are runs large files of which memory holds two, and does no engine take all cores?"""
    engine = choose_engine()
    paths = [run for run in runs if isinstance(run, (str, PathLike)) and is_file(run)]
    largest = sorted(paths, key=measure_size)[-2:]
    if len(paths) < max(2, len(runs)) or measure_size(largest[0]) < _MIN_BYTES:
        return False
    is_pure = engine == "pure" or find_spec("gainful_native") is None
    return is_pure and not exceeds_memory(*largest)


def _match_side_by_side(
    match_next: Callable[[str, AnyRun], tuple[Matched, str]], runs: Iterable[tuple[str, AnyRun]]
) -> Iterator[tuple[Matched, str]]:
    """What was matched of each run, in order, while the next one is read."""
    from gainful.threads import map_ahead  # noqa: PLC0415  (few runs are large)

    jobs = (partial(copy_context().run, match_next, *run) for run in runs)  # with their progress
    return map_ahead(lambda job: job(), jobs)


def _note_unread_run(
    qrels: AnyQrels, judgments: Qrels | NestedDict, runs: Mapping[str, AnyRun], reading: RunReading
) -> list[str]:
    """What was retrieved, in a file of which only the judgments are read, is no run."""
    if not (isinstance(judgments, Qrels) and judgments.complete):
        return []
    if not isinstance(qrels, (str, PathLike)):
        return []
    files = [os.fspath(run) for run in runs.values() if isinstance(run, (str, PathLike))]
    with suppress(NoColumn):  # a list with another name, which may be anything
        if os.fspath(qrels) not in files and find_run_beside(qrels, reading.columns) is not None:
            name, advice = judgments.name, "to evaluate its results too, name it as a run too"
            return [f"{name} is read as judgments only; {advice}"]
    return []


def _read_small_files(
    qrels: AnyQrels, runs: Mapping[str, AnyRun], reading: RunReading
) -> tuple[NestedDict, dict[str, NestedDict]] | None:
    formats = (reading.qrels_format, reading.run_format)
    has_others = any(name is not None and name != "trec" for name in formats)
    if choose_engine() or has_others or reading.columns.names:
        return None
    nested = read_small_files([qrels, *runs.values()])
    are_files = all(isinstance(run, (str, PathLike)) and is_file(run) for run in runs.values())
    if not nested and are_files and find_spec("gainful_native"):
        nested = read_small_files([qrels], MAX_LONE_BYTES)  # runs are matched where they lie
    return (nested[0], dict(zip(runs, nested[1:], strict=False))) if nested else None


def _find_groups(
    reading: RunReading, qrels: AnyQrels, judgments: Qrels | NestedDict, runs: Mapping[str, AnyRun]
) -> Callable[[Sequence[str]], Grouping] | None:
    """What gives queries their groups; None where none are asked for."""
    if reading.group is None:
        if reading.queries is not None:
            refuse_lone_queries(reading.queries)
        return None
    from gainful.api.clusters import find_groups, group_units  # noqa: PLC0415  (few ask for it)

    return partial(group_units, find_groups(reading, qrels, judgments, list(runs.values())))


def _match_in_file(
    qrels: Qrels | NestedDict,
    run: AnyRun,
    recipes: Mapping[str, Recipe],
    convention: Convention,
    reading: RunReading,
) -> tuple[Matched | None, str]:
    """A run as it is matched without keeping its rows, and which engine that does."""
    needs_rows = convention.namesake == "remove" or any(
        recipe.entry.needs_scores for recipe in recipes.values()
    )
    if needs_rows or reading.columns.names or not isinstance(run, (str, PathLike)):
        return None, ""
    engine = ""
    if find_spec("gainful_native") is not None:
        from gainful.match.native import load_library, match_run_file  # noqa: PLC0415  (optional)

        matched = match_run_file(qrels, run, reading.run_format, convention.score_bits)
        library, engine = load_library()
        if matched is not None:
            return matched, engine
        reason = "the native engine reads only plain, ordinary TREC files" if library else engine
        engine = f"pure engine ({reason})"
    from gainful.match.parts import match_large_file  # noqa: PLC0415  (small ones do without)

    return match_large_file(qrels, run, reading.run_format, convention, match), engine


def find_native_engine() -> list[str]:
    """What the native engine calls itself, or why it is not used; nothing without one."""
    if find_spec("gainful_native") is None:
        return []
    from gainful.match.native import load_library  # noqa: PLC0415  (optional)

    return [load_library()[1]]


def evaluate_run(
    qrels: AnyQrels,
    run: AnyRun,
    measures: Measures | None,
    reading: RunReading,
    name: str | None = None,
) -> tuple[QueryResults, Matched]:
    """One run, named for its file if it has no other name."""
    return next(evaluate_matched(qrels, {str(name or ""): run}, measures, reading))


def match_run(
    qrels: Qrels | NestedDict,
    run: Run | NestedDict | LazyRun,
    recipes: Mapping[str, Recipe],
    convention: Convention,
) -> Matched:
    """A run as it is matched for these measures."""
    entries = [recipe.entry for recipe in recipes.values()]
    matched = match(
        qrels,
        run,
        convention,
        subtopics=any(entry.needs_subtopics for entry in entries),
        scored=any(entry.needs_scores for entry in entries),
    )
    return evolve(matched, qrels=qrels, run=run)
