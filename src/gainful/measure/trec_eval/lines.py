"""What trec_eval computes of its four kinds of judgments, and prints, to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from attrs import define, evolve, field, frozen

from gainful.convention import Convention
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.measure.build_recipes import build_recipe
from gainful.measure.entry import Recipe
from gainful.measure.functions.precision import best_precision, count_at_recall, divide
from gainful.measure.measure import Measure
from gainful.measure.names import BelowZero
from gainful.measure.parameters import ELEVEN_POINTS
from gainful.measure.ranked_run import RankedRun, apply_function, rank_run
from gainful.measure.trec_eval.preferences import (
    PREFERENCE_MEASURES,
    Contradiction,
    match_preferences,
)
from gainful.measure.trec_eval.visits import TrecEvalOptions, Visits, build_convention
from gainful.measure.trec_language import TrecLine
from gainful.read.qrels_and_run import Qrels, Run
from gainful.read.trec_eval_files import Judged, QrelsFormat, ZScores
from gainful.types import MAX_COUNT, Array, Ranks

Arguments = Mapping[str, Any]  # what the function of a measure is called with
UNJUDGED, JUDGED_BELOW_ZERO = -1.0, -2.0  # the grades that trec_eval gives
_ZERO_IF_MISSING = ("num_ret", "utility", "rbp_resid")  # so spelt, of a query the run lacks
NO_NUMBER = np.copysign(np.nan, -1.0)  # 0/0, to which x86-64 gives a sign


@define(slots=False)
class JudgedRun:
    """Grades and a run, matched as trec_eval does, for some queries."""

    qrels: Qrels  # no document twice
    run: Run
    options: TrecEvalOptions
    queries: Sequence[str]
    _views: dict[BelowZero, RankedRun] = field(factory=dict, init=False)

    @property
    def convention(self) -> Convention:
        """Whose numbers these are."""
        return build_convention(self.options)

    def view(self, below_zero: BelowZero) -> RankedRun:
        """The ranked documents of the queries; `rows` says where each of these stands."""
        kind = below_zero if self.options.level < 0 else "judged"
        if kind not in self._views:
            self._views[kind] = self._rank(kind)
        return self._views[kind]

    @cached_property
    def rows(self) -> Ranks:
        """Where each query stands in any view: all have the queries of the judgments."""
        row_of = {query: row for row, query in enumerate(self.view("judged").queries)}
        return np.array([row_of[query] for query in self.queries], np.intp)

    def level(self, below_zero: BelowZero) -> int:
        """From which grade on a document of that view is relevant."""
        return self.options.level if below_zero == "retrieved" else max(self.options.level, 0)

    def _rank(self, kind: BelowZero) -> RankedRun:
        if kind == "judged":
            return rank_run(self._match(self.qrels), self.convention)
        frame = grade_retrieved_documents(self.qrels.frame, self.run.frame)
        matched = self._match(evolve(self.qrels, frame=frame))
        pool = matched.pool_grade >= 0
        matched = evolve(
            matched,
            pool_query=matched.pool_query[pool],
            pool_grade=matched.pool_grade[pool],
            pool_index=None,
        )
        ranked = rank_run(matched, self.convention)
        return ranked if kind == "retrieved" else _keep_last(ranked, self.options.level)

    def _match(self, qrels: Qrels) -> Matched:
        matched = match(qrels, self.run, self.convention)
        if self.options.depth is not None:
            matched = matched.cut(max(self.options.depth, 0))
        return matched.select_by_name(self.queries)


def grade_retrieved_documents(judged: pl.DataFrame, retrieved: pl.DataFrame) -> pl.DataFrame:
    """Judgments with the grades that trec_eval has for documents that have none above 0."""
    grade = pl.when(pl.col("grade") < 0).then(JUDGED_BELOW_ZERO).otherwise(pl.col("grade"))
    unjudged = (
        retrieved.select("query", "doc")
        .unique(maintain_order=True)
        .join(judged, on=["query", "doc"], how="anti")
        .join(judged.select("query").unique(), on="query", how="semi")
        .with_columns(grade=pl.lit(UNJUDGED))
    )
    return pl.concat([judged.with_columns(grade=grade), unjudged])


def _keep_last(ranked: RankedRun, level: int) -> RankedRun:
    """Only the last of those that reach the level, as many as are judged: these have grade 0.

    trec_eval counts down from the judged ones while it goes up the ranking and meets all.
    """
    hit = ranked.grade >= level
    judged_count = ranked.count(ranked.grade >= 0)
    below = ranked.count(hit)[ranked.query] - ranked.cumulate(hit)
    kept = hit & (below < judged_count[ranked.query])
    per_hit = {name: getattr(ranked, name)[kept] for name in ranked.rank_fields}
    return evolve(ranked, query=ranked.query[kept], grade=np.zeros(int(kept.sum())), **per_hit)


def compute_lines(judged_run: JudgedRun, lines: Sequence[TrecLine]) -> dict[str, Array]:
    """The value of each query by the name of its line."""
    values = {}
    for line in lines:
        kind = line.trec_name.below_zero
        params, is_level = dict(line.params), line.trec_name.kind == "levels"
        formula = {"gain": params.pop("gain")} if "gain" in params else {}
        k = None if line.k is None else 0.5 if is_level else min(line.k, MAX_COUNT)
        measure = Measure(line.trec_name.measure, formula, k)
        recipe = build_recipe(measure, like=judged_run.convention)
        of_run = {"rel": judged_run.level(kind), "docs": judged_run.options.collection_size}
        arguments = of_run | params | ({"k": line.k} if is_level and line.k is not None else {})
        taken = {
            name: arguments[name] for name in (*recipe.entry.arguments, "k") if name in arguments
        }
        compute = _OF_ITS_OWN.get(line.trec_name.name, _compute_by_catalogue)
        with np.errstate(all="ignore"):
            own = compute(judged_run.view(kind), recipe, taken)[judged_run.rows]
        values[line.name] = np.where(np.isnan(own), NO_NUMBER, own)
    return values


def _compute_by_catalogue(ranked: RankedRun, recipe: Recipe, arguments: Arguments) -> Array:
    result = apply_function(recipe.entry.function, recipe, ranked, **arguments)
    return divide(*result) if isinstance(result, tuple) else result


def _average_over_hits(ranked: RankedRun, recipe: Recipe, arguments: Arguments) -> Array:
    reached, possible = apply_function(recipe.entry.function, recipe, ranked, **arguments)
    return np.where(reached > 0, reached / possible, 0.0)


def _interpolate(ranked: RankedRun, recipe: Recipe, arguments: Arguments) -> Array:
    needed = _count_needed(ranked, recipe, arguments["rel"], arguments["k"])
    values = _compute_by_catalogue(ranked, recipe, arguments)
    return np.where((ranked.retrieved == 0) & (needed <= 0), NO_NUMBER, values)


def _average_points(ranked: RankedRun, recipe: Recipe, arguments: Arguments) -> Array:
    """Interpolated precision over points, from the last to the first.

    trec_eval expects them to ascend. One that is above the point after it takes the best
    precision of all, as do all before it.
    """
    points, rel = arguments.get("points"), arguments["rel"]
    levels = ELEVEN_POINTS if points is None else tuple(map(float, str(points).split(",")))
    hits = ranked.count(ranked.relevant(rel))
    bound, passed = hits.astype(np.intp), np.zeros(ranked.size, dtype=bool)
    total = np.zeros(ranked.size)
    for level in reversed(levels):
        needed = _count_needed(ranked, recipe, rel, level)
        beyond = ~passed & (needed > hits)  # no such point: the next may be one
        needed = np.where(needed > bound, 0, needed)
        value = best_precision(ranked, rel, needed)
        value = np.where((ranked.retrieved == 0) & (needed <= 0), NO_NUMBER, value)
        total = np.where(beyond, total, total + value)
        bound, passed = np.where(beyond, bound, needed), passed | ~beyond
    return total / len(levels)


def _count_needed(ranked: RankedRun, recipe: Recipe, rel: float, level: float) -> Ranks:
    return count_at_recall(level * ranked.recall_base(rel), recipe.convention.recall_points)


def _average_levels(ranked: RankedRun, recipe: Recipe, arguments: Arguments) -> Array:
    reached, places = apply_function(recipe.entry.function, recipe, ranked, **arguments)
    relevant = ranked.recall_base(arguments["rel"]) > 0
    return np.where(relevant, np.where(places > 0, reached / places, NO_NUMBER), 0.0)


def _set_f(ranked: RankedRun, _recipe: Recipe, arguments: Arguments) -> Array:
    beta, rel = arguments.get("beta", 1.0), arguments["rel"]
    hits = ranked.count(ranked.relevant(rel))
    part, whole = hits / ranked.retrieved, hits / ranked.recall_base(rel)
    return np.where(hits > 0, (beta + 1.0) * part * whole / (beta * part + whole), 0.0)


_OF_ITS_OWN: Mapping[str, Callable[[RankedRun, Recipe, Arguments], Array]] = {
    "iprec_at_recall": _interpolate,
    "11pt_avg": _average_points,
    "Rndcg": _average_levels,
    "ndcg_rel": _average_over_hits,
    "set_F": _set_f,
    "map": _average_over_hits,
    "map_avgjg": _average_over_hits,
    "binG": _average_over_hits,
}


def clear_missing(values: dict[str, Array], queries: Sequence[str], missing: Sequence[str]) -> None:
    """What version 10 says is 0 of a query that the run lacks, though it gave it a document."""
    is_missing = np.isin(queries, missing)
    cleared = [name for name in values if name in _ZERO_IF_MISSING or name.startswith("unj")]
    values |= {name: np.where(is_missing, 0.0, values[name]) for name in cleared}


def build_relstrings(judged_run: JudgedRun, line: TrecLine, missing: Sequence[str]) -> list[str]:
    """The grades of the first documents of each query, one character each."""
    ranked = judged_run.view("judged")
    length = max(0, int(line.params.get("length", line.trec_name.defaults[0])))
    shown = ranked.rank <= length
    texts = [["-"] * size for size in np.minimum(ranked.retrieved, length).tolist()]
    for query, rank, grade in zip(
        ranked.query[shown], ranked.rank[shown], ranked.grade[shown], strict=True
    ):
        texts[query][rank - 1] = "." if grade < 0 else ">" if grade > 9 else str(int(grade))
    by_query = {query: "".join(text) for query, text in zip(ranked.queries, texts, strict=True)}
    if line.name == line.trec_name.name:  # so spelt
        by_query |= dict.fromkeys(missing, "")
    return [by_query[query] for query in judged_run.queries]


@frozen(eq=False)
class Evaluated:
    """The values and texts of each query that was gone through, by the name of the line."""

    visits: Visits
    values: dict[str, Array]
    texts: Mapping[str, Sequence[str]] = field(factory=dict)


def evaluate_queries(
    judged: Judged, run: Run, lines: Sequence[TrecLine], options: TrecEvalOptions, visits: Visits
) -> Evaluated:
    """What is computed for the queries that are gone through."""
    asked = [line for line in lines if line.trec_name.judgments != "none"]
    if asked and visits.queries:
        evaluated = _EVALUATE[judged.kind](judged, run, asked, options, visits)
    else:
        nothing = np.zeros(len(visits.queries))
        evaluated = Evaluated(visits, {line.name: nothing for line in asked})
    counts = np.ones(len(evaluated.visits.queries))
    values = {line.name: counts for line in lines if line.trec_name.name == "num_q"}
    return evolve(evaluated, values=values | evaluated.values)


def _evaluate_grades(
    judged: Judged, run: Run, lines: Sequence[TrecLine], options: TrecEvalOptions, visits: Visits
) -> Evaluated:
    queries, missing = visits.queries, visits.missing
    frame = judged.frame.filter(judged.frame["query"].is_in(pl.Series(queries).implode()))
    judged_run = JudgedRun(Qrels(frame, judged.name, unique=False), run, options, queries)
    values = compute_lines(judged_run, [line for line in lines if not line.is_text])
    clear_missing(values, queries, missing)
    texts = {
        line.name: build_relstrings(judged_run, line, missing) for line in lines if line.is_text
    }
    return Evaluated(visits, values, texts)


def _evaluate_groups(
    judged: Judged, run: Run, lines: Sequence[TrecLine], options: TrecEvalOptions, visits: Visits
) -> Evaluated:
    """The mean over the groups of each query."""
    queries = pl.DataFrame({"query": visits.queries}, schema={"query": pl.String})
    groups = (
        judged.frame.select("query", "group")
        .unique()
        .join(queries.with_row_index("row"), on="query")
        .sort("row", "group")  # as trec_eval adds them up
        .with_columns(pl.concat_str("query", "group", separator=" ").alias("pair"))
    )
    pairs = groups.select("query", "group", "pair")
    grades = judged.frame.join(pairs, on=["query", "group"]).select(
        pl.col("pair").alias("query"), "doc", "grade"
    )
    retrieved = run.frame.join(pairs, on="query", maintain_order="left").select(
        pl.col("pair").alias("query"), "doc", "score"
    )
    judged_run = JudgedRun(
        Qrels(grades, unique=False), evolve(run, frame=retrieved), options, pairs["pair"].to_list()
    )
    row, size = groups["row"].to_numpy(), len(visits.queries)
    group_counts = np.maximum(np.bincount(row, minlength=size), 1)
    values = compute_lines(judged_run, lines)
    means = {name: np.bincount(row, values[name], minlength=size) / group_counts for name in values}
    return Evaluated(visits, means)


def _evaluate_preferences(
    judged: Judged, run: Run, lines: Sequence[TrecLine], options: TrecEvalOptions, visits: Visits
) -> Evaluated:
    stop = visits.stop
    rows: list[list[float]] = []
    try:
        for query in match_preferences(judged.frame, run, options, visits.queries):
            rows.append([PREFERENCE_MEASURES[line.name](query) for line in lines])  # noqa: PERF401
    except Contradiction as contradiction:
        stop = f"query {visits.queries[len(rows)]!r}: {contradiction}"
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), len(lines)).T
    values = {line.name: column for line, column in zip(lines, columns, strict=True)}
    return Evaluated(evolve(visits, queries=visits.queries[: len(rows)], stop=stop), values)


_EVALUATE: Mapping[QrelsFormat, Callable[..., Evaluated]] = {
    "qrels": _evaluate_grades,
    "qrels_jg": _evaluate_groups,
    "prefs": _evaluate_preferences,
    "qrels_prefs": _evaluate_preferences,
}


def apply_zscores(evaluated: Evaluated, zscores: ZScores) -> Evaluated:
    """Each value as its distance from a mean, in standard deviations (-Z)."""
    values = {
        name: np.array(
            [
                zscores.score(query, name, float(value))
                for query, value in zip(evaluated.visits.queries, column, strict=True)
            ]
        )
        for name, column in evaluated.values.items()
    }
    return evolve(evaluated, values=values)


_SUMMARY_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
_LOWEST_LOG = np.log(1e-5)  # of a query that is counted, but was not evaluated


def format_query_lines(
    lines: Sequence[TrecLine], evaluated: Evaluated, options: TrecEvalOptions
) -> Iterator[str]:
    """The lines of each query (-q)."""
    for row, query in enumerate(evaluated.visits.queries if options.per_query else ()):
        for line in lines:
            if line.name in evaluated.texts:
                yield f"{line.name:<22}\t{query}\t'{evaluated.texts[line.name][row]}'\n"
            elif line.trec_name.name not in _SUMMARY_ONLY:
                yield _format_line(line, query, evaluated.values[line.name][row], options)


def format_summary_lines(
    lines: Sequence[TrecLine],
    evaluated: Evaluated,
    judged: Judged,
    tag: str,
    options: TrecEvalOptions,
) -> Iterator[str]:
    """The lines of all queries together."""
    query_count = len(judged.queries) if options.complete else len(evaluated.visits.queries)
    fixed_sums: dict[str, float] = {"num_q": query_count}
    if options.complete:
        fixed_sums["num_rel"] = judged.count_relevant()
    for line in lines:
        if line.trec_name.name == "runid":
            yield f"{'runid':<22}\tall\t{tag}\n"
        elif not line.is_text:
            value = fixed_sums.get(line.name)
            if value is None:
                value = _summarise(line, evaluated.values[line.name], query_count)
            yield _format_line(line, "all", value, options)


def _summarise(line: TrecLine, values: Array, query_count: int) -> float:
    with np.errstate(invalid="ignore"):
        total = 0.0 + float(np.cumsum(values)[-1])
    if np.isnan(total):
        no_numbers = values[np.isnan(values)]
        total = float(no_numbers[-1] if len(no_numbers) else NO_NUMBER)
    if line.aggregation == "sum":
        return total
    if line.aggregation == "mean":
        return total / query_count
    with np.errstate(over="ignore"):
        log_mean = (total + (query_count - len(values)) * _LOWEST_LOG) / query_count
        return float(np.exp(log_mean))


def _format_line(line: TrecLine, query: str, value: float, options: TrecEvalOptions) -> str:
    if options.zscores_path is not None:
        return f"Z{line.name:<22}\t{query}\t{_format_number(value)}\n"
    shown = f"{int(value)}" if line.aggregation == "sum" else _format_number(value)
    return f"{line.name:<22}\t{query}\t{shown}\n"


def _format_number(value: float) -> str:
    if np.isnan(value):  # a file of means may have one without the sign of 0/0
        return f"{'-nan' if np.signbit(value) else 'nan':>6}"
    return f"{value:6.4f}"
