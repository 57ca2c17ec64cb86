"""The causes for which two tools disagree: settings that belong together, under one name.

These two tables, of runs and of sessions, are the only lists of them. A cause also says what there
must be in the data before it can change a number at all, so that causes that cannot matter are
left out at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from attrs import fields, frozen

from gainful.convention import Convention
from gainful.errors import UnknownName
from gainful.match.matched import Matched
from gainful.measure.entry import Recipe
from gainful.types import Array


@frozen(kw_only=True)
class Facts:
    """What there is in the data that tools could disagree about."""

    tied: bool  # judged documents that share their score with another
    duplicates: bool
    namesakes: bool
    missing: bool
    extra: bool
    negative: bool  # grades below 0, or grades that one of the gains is below 0 for
    fractional: bool  # grades that are not whole, or that 32 bit cannot hold
    unjudged: bool


Matters = Callable[[Facts, Any], bool]  # the recipe tells what the measure uses


def _always(*_: object) -> bool:
    return True


def _if_measure_uses(*names: str) -> Matters:
    return partial(_uses, names)


def _if_data_have(fact: str, *names: str) -> Matters:
    return partial(_has, fact, names)


def _uses(names: tuple[str, ...], _: Facts, recipe: Recipe) -> bool:
    return bool({*names} & {*recipe.entry.params, *recipe.entry.arguments})


def _has(fact: str, names: tuple[str, ...], facts: Facts, recipe: Recipe) -> bool:
    return getattr(facts, fact) and (not names or _uses(names, facts, recipe))


def _has_no_cutoff(_: Facts, recipe: Recipe) -> bool:
    return recipe.cutoff is None and recipe.entry.cutoff_kind == "optional"


@frozen
class Cause:
    """One thing that tools do differently: its name, what it is called in a text, its settings."""

    name: str
    title: str
    settings: tuple[str, ...]
    matters: Matters = _always


_ALL_CAUSES = (
    Cause("gain", "gain", ("gain", "rel"), _if_measure_uses("gain", "rel")),
    Cause("discount", "discount", ("discount", "b"), _if_measure_uses("discount")),
    Cause("cutoff", "cutoff of a measure that names none", ("cutoff",), _has_no_cutoff),
    Cause("ideal", "where the ideal comes from", ("ideal",), _if_measure_uses("ideal")),
    Cause(
        *("ideal_depth", "how deep the ideal goes", ("ideal_depth",)),
        _if_measure_uses("ideal_depth"),
    ),
    Cause("ties", "ties", ("ties", "score_bits"), _if_data_have("tied", "ties")),
    Cause(
        *("duplicates", "documents listed twice", ("duplicates",)),
        _if_data_have("duplicates"),
    ),
    Cause(
        *("namesake", "documents named like their query", ("namesake",)),
        _if_data_have("namesakes"),
    ),
    Cause(
        *("unjudged", "unjudged documents", ("unjudged", "unjudged_grade")),
        _if_data_have("unjudged", "unjudged"),
    ),
    Cause(
        *("negative", "negative grades", ("negative", "negative_ideal")),
        _if_data_have("negative", "negative"),
    ),
    Cause("divisor", "what AP is divided by", ("divisor",), _if_measure_uses("divisor")),
    Cause(
        *("rbp_grades", "what a document brings to RBP", ("rbp_grades",)),
        _if_measure_uses("rbp_grades"),
    ),
    Cause(
        *("filtered_order", "the order in which FilteredDCG takes documents", ("filtered_order",)),
        _if_measure_uses("filtered_order"),
    ),
    Cause(
        *("fractional", "fractional grades", ("fractional", "grade_bits")),
        _if_data_have("fractional", "fractional"),
    ),
    Cause("empty", "queries with nothing relevant", ("empty",), _if_measure_uses("empty")),
    Cause("no_hits", "a run without judged documents", ("no_hits",)),
    Cause("missing", "judged queries that the run lacks", ("missing",), _if_data_have("missing")),
    Cause("extra", "queries without judgments", ("extra",), _if_data_have("extra")),
    # What is taken out of a list can make it short, so there is no telling beforehand.
    Cause("short", "lists shorter than the cutoff", ("short",), _if_measure_uses("short")),
    Cause(
        *("max_grade", "the highest possible grade", ("max_grade",)),
        _if_measure_uses("max_grade"),
    ),
    Cause(
        *("recall_points", "rounding of recall points", ("recall_points",)),
        _if_measure_uses("recall_points"),
    ),
    Cause(
        *("first_rank", "the first rank of ndeval", ("first_rank",)),
        _if_measure_uses("first_rank"),
    ),
    Cause("decimals", "rounding of each query's value", ("decimals", "rounding")),
)

CAUSES: Mapping[str, Cause] = {cause.name: cause for cause in _ALL_CAUSES}

_ALL_SESSION_CAUSES = (
    Cause("gain", "gain", ("gain", "rel")),
    Cause("discount", "rank discount", ("discount", "b")),
    Cause("query_discount", "query discount", ("query_discount", "bq")),
    Cause("rank_discount", "where ranks are counted from", ("rank_discount",)),
    Cause("duplicates", "documents shown again", ("duplicates",)),
    Cause("ideal", "the ideal session", ("ideal",)),
    Cause("lists", "positions of a query", ("lists",)),
    Cause("depth", "how deep the searcher looks", ("depth",)),
    Cause("hold", "the ideal after the end", ("hold",)),
    Cause("normalise", "what is divided by its ideal", ("normalise",)),
    Cause("average", "how sessions are averaged", ("average",)),
    Cause("average_over", "positions averaged over", ("average_over",)),
    Cause("statistic", "which number represents a session", ("statistic",)),
    Cause("at", "what the number after @ counts", ("at",)),
    Cause("negative", "negative grades", ("negative",)),
    Cause("empty", "sessions with nothing relevant", ("empty",)),
    Cause("unjudged", "queries without judgments", ("unjudged",)),
    Cause("subtopic_grades", "grades for several subtopics", ("subtopic_grades",)),
)
SESSION_CAUSES: Mapping[str, Cause] = {cause.name: cause for cause in _ALL_SESSION_CAUSES}


def find_cause(name: str, causes: Mapping[str, Cause]) -> Cause:
    """The cause by its name or title."""
    by_title = {cause.title: cause for cause in causes.values()}
    if name not in causes and name not in by_title:
        raise UnknownName("cause", name, causes)
    return causes.get(name) or by_title[name]


# A tool that refuses the data has no number to compare. What it would most likely do if it went
# on, and how that is said.
LENIENT: Mapping[str, tuple[Any, str]] = {
    "missing": ("zero", "such queries scored 0"),
    "extra": ("ignore", "such queries were left out"),
    "duplicates": ("last", "the last one counted"),
    "negative": ("zero", "such documents were worth nothing"),
    "fractional": ("keep", "fractions counted as they are"),
    "empty": (0, "such queries scored 0"),
}


def make_lenient(convention: Convention, *, keep_strict: str = "") -> Convention:
    """A convention that refuses nothing, but for one setting that may be kept."""
    changes = {
        setting: answer
        for setting, (answer, _) in LENIENT.items()
        if getattr(convention, setting) == "error" and setting != keep_strict
    }
    return convention.with_settings(**changes)


ALL_FACTS = Facts(**{fact.name: True for fact in fields(Facts)})  # data with all of it


def gather_facts(matched: Matched, sides: tuple[Recipe, Recipe], *, namesakes: bool) -> Facts:
    """What there is in a run, matched with nothing taken out and scores at their coarsest."""
    grades = np.unique(matched.pool_grade)
    return Facts(
        tied=bool((matched.first < matched.last).any()),
        duplicates=matched.duplicate_count > 0,
        namesakes=namesakes,
        missing=bool((matched.judged & ~matched.in_run).any()),
        extra=not bool(matched.judged.all()),
        negative=bool((grades < 0).any())
        or any(_has_negative_gain(side, grades) for side in sides),
        fractional=bool(
            (grades != np.trunc(grades)).any() or (grades != grades.astype(np.float32)).any()
        ),
        unjudged=int(matched.retrieved.sum()) > len(matched.query),
    )


def _has_negative_gain(recipe: Recipe, grades: Array) -> bool:
    if recipe.gain.grades:
        return bool((recipe.gain.evaluate_at(np.array(recipe.gain.grades)) < 0).any())
    with np.errstate(over="ignore"):
        return bool((recipe.gain.evaluate_at(np.append(np.trunc(grades), grades)) < 0).any())
