"""Judgments and runs → `Results`: the job most people come for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack, overload

from attrs import evolve

from gainful.convention import (
    HABITS,
    Convention,
    Duplicates,
    Extra,
    FirstRank,
    Missing,
    Namesake,
    RecallPoints,
    Setting,
    like as like_whom,
)
from gainful.errors import BadInput, BadValue, NothingInCommon, UnknownName
from gainful.formula import Array, NamedFormula
from gainful.match.match import match
from gainful.match.matched import Flags, Matched
from gainful.measure import notes
from gainful.measure.cumulated_gain import Ranked, computed
from gainful.measure.gain import as_gain
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.ranked_run import Seen, seen
from gainful.measure.recipe import Options, Recipe, recipe
from gainful.measure.results import Results
from gainful.read.inputs import AnyJudgments, AnyRun, as_judgments, as_run, path_of_both
from gainful.read.lazy import Elsewhere
from gainful.read.qrels_and_run import Judgments, Nested, Run

Measures = str | Measure | Iterable[str | Measure]
USUAL = ("nDCG@10", "AP", "RR")


class Habits(Options, total=False):
    """What may be set in an evaluation: every field of a convention."""

    max_grade: float
    cutoff: int
    missing: Missing
    extra: Extra
    duplicates: Duplicates
    namesake: Namesake
    score_bits: int
    grade_bits: int
    recall_points: RecallPoints
    first_rank: FirstRank
    decimals: int


@overload
def evaluate(
    qrels: AnyJudgments,
    run: AnyRun,
    measures: Measures | None = None,
    *,
    like: str | Convention | None = None,
    **habits: Unpack[Habits],
) -> Results: ...


@overload
def evaluate(
    qrels: AnyJudgments,
    run: None = None,
    measures: Measures | None = None,
    *,
    runs: Mapping[str, AnyRun],
    like: str | Convention | None = None,
    **habits: Unpack[Habits],
) -> dict[str, Results]: ...


def evaluate(
    qrels: AnyJudgments,
    run: AnyRun | None = None,
    measures: Measures | None = None,
    *,
    runs: Mapping[str, AnyRun] | None = None,
    like: str | Convention | None = None,
    **habits: Unpack[Habits],
) -> Results | dict[str, Results]:
    """How good is a run, by these judgments and measures?

    Args:
        judgments: a path, a dict {query: {document: grade}} or {query: [relevant document, …]},
            or a frame (polars, pandas, anything that speaks Arrow).
        run: a path, a dict {query: {document: score}} or {query: [document, …]}, or a
            frame; a RAG file that has both is named once.
        measures: names such as "nDCG@10", "AP", "P_5", "ndcg_cut.5,10"; one or several;
            nDCG@10, AP and RR if none is named.
        runs: several runs by name, instead of one.
        like: the tool whose habits to follow, by name or as a `Convention`.
        habits: single habits, such as `ties="average"` or `missing="skip"`.

    Returns:
        `Results`, or for `runs` a dict of them by name.

    Examples:
        >>> judged = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
        >>> found = {"1": {"b": 0.9, "x": 0.8, "a": 0.7}, "2": {"c": 0.5}}
        >>> {
        ...     name: round(value, 4)
        ...     for name, value in evaluate(judged, found, ["nDCG@10", "AP"]).mean.items()
        ... }
        {'nDCG@10': 0.8801, 'AP': 0.9167}
    """
    if run is None and runs is None:
        run = path_of_both(qrels)
    if (run is None) == (runs is None):
        raise BadValue("run", run, "a run, or several as runs={name: run}; one of the two")
    base, recipes = asked_for(measures, like, habits)
    held = as_judgments(qrels)
    if run is not None:
        return of_run(held, as_run(run), recipes, base)
    if not isinstance(runs, Mapping) or not runs:
        raise BadValue("runs", runs, "{name: run}, with at least one")
    return {
        str(name): of_run(held, as_run(one, name=str(name)), recipes, base, str(name))
        for name, one in runs.items()
    }


def usual(base: Convention) -> tuple[str, ...]:
    """The measures that are computed if none is named, as far as the convention allows them."""
    return USUAL[:1] if base.ties in ("average", "mean_rank") else USUAL


def asked_for(
    measures: Measures | None, like: str | Convention | None, habits: Mapping[str, Any]
) -> tuple[Convention, dict[str, Recipe]]:
    """The convention, and each measure by the caller's name for it, everything settled."""
    base = settled(like, habits)
    measures = usual(base) if measures is None else measures
    recipes = {name: _recipe(m, base, habits) for name, m in expand(measures).items()}
    _refuse_unused(habits, recipes)
    return base, recipes


def settled(like: str | Convention | None, habits: Mapping[str, Any]) -> Convention:
    """A tool's habits with some of them changed."""
    given = {name: value for name, value in habits.items() if value is not None}
    for name in given:
        if name not in HABITS:
            raise UnknownName("option", name, [*HABITS, "measures", "like", "runs"])
    found = like_whom(like).changed(
        **{name: _as_setting(name, value) for name, value in given.items()}
    )
    return evolve(found, ties_of=()) if "ties" in given else found


def _as_setting(name: str, value: Any) -> Setting:
    if name in ("gain", "discount") and not isinstance(value, str):
        return value.name if isinstance(value, NamedFormula) else as_gain(value).name
    return value  # type: ignore[no-any-return]  # `Convention` checks it


def _recipe(measure: Measure, base: Convention, habits: Mapping[str, Any]) -> Recipe:
    """The measure with what was asked for, as far as it is any of its business."""
    if measure.entry.session:
        allowed = "measures of single rankings; gainful.evaluate_sessions and gainful sessions"
        raise BadValue("measure", str(measure), f"{allowed} take those of sessions")
    params = measure.entry.params
    options: dict[str, Any] = {
        name: habits[name]
        for name in ("gain", "discount")
        if habits.get(name) is not None and name in params
    }
    return recipe(measure, options=options, like_whom=base)


def _refuse_unused(habits: Mapping[str, Any], recipes: Mapping[str, Recipe]) -> None:
    """A parameter that no measure has is a mistake, not a silence."""
    for name in ("b", "rel", "gain", "discount", "cutoff", "max_grade"):
        if habits.get(name) is None:
            continue
        used = any(_uses(recipe, name) for recipe in recipes.values())
        if not used:
            raise BadValue(name, habits[name], f"nothing: no measure asked for uses {name}")


def _uses(recipe: Recipe, name: str) -> bool:
    entry = recipe.measure.entry
    if name in dict(recipe.measure.params):  # what the measure says itself wins
        return False
    if name == "cutoff":
        return entry.cut == "optional" and recipe.measure.k is None
    if name == "rel":
        return "rel" in entry.takes or ("gain" in entry.params and "rel" in recipe.gain.bound)
    if name == "b":
        return "discount" in entry.params and "b" in recipe.discount.bound
    return name in entry.params


def of_run(
    qrels: Judgments | Nested,
    run: Run | Nested | Elsewhere,
    recipes: Mapping[str, Recipe],
    base: Convention,
    name: str | None = None,
) -> Results:
    """The results of one run, everything else being settled."""
    asked = [how.measure.entry.subtopics for how in recipes.values()]
    found = match(qrels, run, base, subtopics=any(asked))
    mixed = notes.mixed_ids(qrels, run)
    if mixed and not found.query.size:
        raise NothingInCommon(run.name, f"nothing of it is judged: {mixed[0]}", notes.SAME_KIND)
    found.refuse_nothing_in_common(run.name)
    recipes = {key: scaled(how, found.highest) for key, how in recipes.items()}
    kept = kept_queries(found, base, run.name)
    values = of_matched(found.only(kept), recipes)
    return Results(
        name=name or run.name,
        queries=found.names(kept),
        values=values,
        recipes=recipes,
        convention=base,
        counts=notes.counts(found, kept),
        notes=[
            *getattr(run, "notes", ()),
            *mixed,
            *notes.partly_seen(run, found),
            *notes.of_values(values, recipes),
            *notes.of_subtopics(qrels, recipes),
            *notes.strangers(qrels, run, found),
        ],
    )


def scaled(recipe: Recipe, highest: float) -> Recipe:
    """The best grade is that of all judgments, whichever queries the run has."""
    if "max_grade" not in recipe.measure.entry.takes or recipe.convention.max_grade is not None:
        return recipe
    if recipe.convention.fractional == "truncate":
        highest = float(int(highest))
    habits = recipe.convention.changed(max_grade=highest if highest > 0 else 1.0)
    return evolve(recipe, convention=habits)


def of_matched(matched: Matched, recipes: Mapping[str, Recipe]) -> dict[str, Array]:
    """The value of every query and measure, queries that do not count included."""
    views: dict[object, tuple[Seen, dict[object, Ranked]]] = {}
    return {key: _values(matched, how, views) for key, how in recipes.items()}


def _values(
    matched: Matched, recipe: Recipe, views: dict[object, tuple[Seen, dict[object, Ranked]]]
) -> Array:
    """The value of every query, masked where the convention leaves one out."""
    habits, entry = recipe.convention, recipe.measure.entry
    key = (habits.ties, habits.unjudged, habits.negative, habits.fractional, habits.grade_bits)
    if key not in views:
        views[key] = seen(matched, habits), {}
    values = _named(lambda: computed(recipe, *views[key]), matched)
    zero = _zero(matched, habits)
    if entry.normalised:
        values[zero] = 0.0
    return values


def _named(compute: Callable[[], Array], matched: Matched) -> Array:
    """The values; a query that is refused is told by its name."""
    try:
        return compute()
    except BadValue as refused:
        place = re.fullmatch(r"ideal\[(\d+)\]", refused.argument)
        if place is None:
            raise
        query = f"the ideal of query {matched.queries[int(place[1])]!r}"
        raise BadValue(query, refused.value, refused.allowed) from None


def _zero(matched: Matched, convention: Convention) -> Flags:
    """The queries that score 0 whatever the convention says of nothing relevant."""
    zero = matched.judged & ~matched.found & (convention.empty == 1)
    return zero | ~matched.judged if convention.extra == "zero" else zero


def kept_queries(matched: Matched, convention: Convention, run: str) -> Flags:
    """The queries that count."""
    missing, extra = matched.judged & ~matched.found, ~matched.judged
    for flags, habit, problem in (
        (missing, ("missing", convention.missing), "is judged, but the run lacks it"),
        (extra, ("extra", convention.extra), "is in the run, but has no judgments"),
    ):
        if habit[1] == "error" and flags.any():
            raise BadInput(
                run,
                _told(matched, flags, problem),
                f"the habit {habit[0]} set to another than error",
            )
    kept = matched.judged & (matched.found | (convention.missing != "skip"))
    return kept if convention.extra == "ignore" else kept | extra


def _told(matched: Matched, flags: Flags, problem: str) -> str:
    names = matched.names(flags)
    more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return f"query {names[0]!r} {problem}{more}"


__all__ = [
    "Habits",
    "Measures",
    "asked_for",
    "evaluate",
    "kept_queries",
    "of_matched",
    "of_run",
    "scaled",
]
