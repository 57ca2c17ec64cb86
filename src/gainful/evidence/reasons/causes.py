"""The causes for which two tools disagree: settings that belong together, under one name.

These two tables, of runs and of sessions, are the only lists of them. A cause also says what there
must be in the data before it can change a number at all, so that causes that cannot matter are
left out at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from attrs import Factory, frozen

from gainful.convention import Convention
from gainful.errors import check_name
from gainful.match.matched import Matched
from gainful.measure.entry import Recipe
from gainful.types import Array


@frozen
class Cause:
    """One thing that tools do differently: its name, what it is called in a text, its settings.

    It matters where the data have the `fact` and the measure uses one of the parameters `uses`.
    """

    name: str
    title: str
    settings: tuple[str, ...] = Factory(lambda self: (self.name,), takes_self=True)
    fact: str = ""
    uses: tuple[str, ...] = ()

    def matters(self, facts: Collection[str], recipe: Any) -> bool:
        """Can it change a value of this measure on data with these facts?"""
        if self.fact and self.fact not in facts:
            return False
        entry = recipe.entry
        used = {*entry.params, *entry.arguments}
        if recipe.cutoff is None and entry.cutoff_kind == "optional":
            used.add("cutoff")
        return not self.uses or bool(used & {*self.uses})


# The facts: "tied" judged documents share their score with another; grades are "negative", or one
# of the gains is; grades are "fractional" that are not whole, or that 32 bit cannot hold.
_ALL_CAUSES = (
    Cause("gain", "gain", ("gain", "rel"), uses=("gain", "rel")),
    Cause("discount", "discount", ("discount", "b"), uses=("discount",)),
    Cause("cutoff", "the default cutoff", uses=("cutoff",)),
    Cause("ideal", "where the ideal comes from", uses=("ideal",)),
    Cause("ideal_depth", "how deep the ideal goes", uses=("ideal_depth",)),
    Cause("ties", "ties", ("ties", "score_bits"), "tied", ("ties",)),
    Cause("duplicates", "documents listed twice", fact="duplicates"),
    Cause("namesake", "documents with the id of their query", fact="namesakes"),
    Cause(
        *("unjudged", "unjudged documents", ("unjudged", "unjudged_grade")),
        *("unjudged", ("unjudged",)),
    ),
    Cause("negative", "negative grades", ("negative", "negative_ideal"), "negative", ("negative",)),
    Cause("divisor", "what AP is divided by", uses=("divisor",)),
    Cause("rbp_grades", "what a relevant document adds to RBP", uses=("rbp_grades",)),
    Cause(
        *("filtered_order", "the order in which FilteredDCG processes documents"),
        uses=("filtered_order",),
    ),
    Cause(
        *("fractional", "fractional grades", ("fractional", "grade_bits")),
        *("fractional", ("fractional",)),
    ),
    Cause("empty", "queries with nothing relevant", uses=("empty",)),
    Cause("no_hits", "a run without judged documents"),
    Cause("missing", "judged queries that the run lacks", fact="missing"),
    Cause("extra", "queries without judgments", fact="extra"),
    # What is taken out of a list can make it short, so there is no telling beforehand.
    Cause("short", "lists shorter than the cutoff", uses=("short",)),
    Cause("max_grade", "the highest possible grade", uses=("max_grade",)),
    Cause("recall_points", "rounding of recall points", uses=("recall_points",)),
    Cause("first_rank", "the first rank of ndeval", uses=("first_rank",)),
    Cause("decimals", "rounding of each query's value", ("decimals", "rounding")),
)
CAUSES: Mapping[str, Cause] = {cause.name: cause for cause in _ALL_CAUSES}
ALL_FACTS = {cause.fact for cause in _ALL_CAUSES}  # data with all of it

_ALL_SESSION_CAUSES = (
    Cause("gain", "gain", ("gain", "rel")),
    Cause("discount", "rank discount", ("discount", "b")),
    Cause("query_discount", "query discount", ("query_discount", "bq")),
    Cause("rank_discount", "where ranks start"),
    Cause("duplicates", "documents shown more than once"),
    Cause("ideal", "the ideal session"),
    Cause("lists", "positions of a query"),
    Cause("depth", "how deep the searcher looks"),
    Cause("hold", "the ideal after the end"),
    Cause("normalise", "what is divided by its ideal"),
    Cause("average", "how sessions are averaged"),
    Cause("average_over", "positions averaged over"),
    Cause("statistic", "which number represents a session"),
    Cause("at", "what the number after @ counts"),
    Cause("negative", "negative grades"),
    Cause("empty", "sessions with nothing relevant"),
    Cause("unjudged", "queries without judgments"),
    Cause("subtopic_grades", "grades for several subtopics"),
)
SESSION_CAUSES: Mapping[str, Cause] = {cause.name: cause for cause in _ALL_SESSION_CAUSES}


def find_cause(name: str, causes: Mapping[str, Cause]) -> Cause:
    """The cause by its name or title."""
    by_title = {cause.title: cause for cause in causes.values()}
    if isinstance(name, str) and name in by_title:
        return by_title[name]
    return causes[check_name("cause", name, causes)]


# A tool that refuses the data has no number to compare. What it would most likely do if it went
# on, and how that is said.
LENIENT: Mapping[str, tuple[Any, str]] = {
    "missing": ("zero", "such queries scored 0"),
    "extra": ("ignore", "such queries were left out"),
    "duplicates": ("last", "the last one counted"),
    "negative": ("zero", "such documents had no gain"),
    "fractional": ("keep", "fractions counted unchanged"),
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


def gather_facts(matched: Matched, sides: tuple[Recipe, Recipe], *, namesakes: bool) -> set[str]:
    """What there is in a run, matched with nothing taken out and scores at their coarsest."""
    grades = np.unique(matched.pool_grade)
    is_whole = (grades == np.trunc(grades)) & (grades == grades.astype(np.float32))
    facts = {
        "tied": (matched.first < matched.last).any(),
        "duplicates": matched.duplicate_count > 0,
        "namesakes": namesakes,
        "missing": (matched.judged & ~matched.in_run).any(),
        "extra": not matched.judged.all(),
        "negative": (grades < 0).any() or any(_has_negative_gain(side, grades) for side in sides),
        "fractional": not is_whole.all(),
        "unjudged": matched.retrieved.sum() > len(matched.query),
    }
    return {fact for fact, present in facts.items() if present}


def _has_negative_gain(recipe: Recipe, grades: Array) -> bool:
    if recipe.gain.grades:
        return bool((recipe.gain.evaluate_at(np.array(recipe.gain.grades)) < 0).any())
    with np.errstate(over="ignore"):
        return bool((recipe.gain.evaluate_at(np.append(np.trunc(grades), grades)) < 0).any())
