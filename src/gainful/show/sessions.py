"""Results of sessions: groups, single sessions, vectors; and their convention in a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from gainful.convention.session import (
    SESSION_CONVENTIONS,
    SessionConvention,
    least_positions,
    like_sessions,
)
from gainful.errors import counted
from gainful.measure.sessions import last_queries
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.measure.sessions.reformulations import reformulations as of_reformulations
from gainful.measure.sessions.results import SessionResults
from gainful.show.rows import Rows

# What is said of every measure beside its formulas, where it is its business.
_SAID = ("duplicates", "ideal", "rank_discount", "depth", "lists", "hold", "normalise", "statistic")
_TOLD_ABOVE = (*_SAID, "gain", "rel", "discount", "b", "query_discount", "bq")
_WORDS: Mapping[tuple[str, str], str] = {
    ("duplicates", "every"): "documents shown again earn again",
    ("duplicates", "first"): "documents earn the first time only",
    ("duplicates", "clicked"): "documents earn until they are clicked",
    ("duplicates", "judged"): "documents earn what the searcher said each time",
    ("ideal", "repeated"): "ideal: the best documents in every query",
    ("ideal", "once"): "ideal: each document once, query by query",
    ("ideal", "best_slots"): "ideal: each document once, in the best places",
    ("rank_discount", "concatenated"): "ranks counted on over the lists (not verified in print)",
    ("depth", "scanned"): "as deep as was observed",
    ("lists", "as_is"): "short lists stay short",
    ("hold", "growing"): "the ideal goes on when a searcher stops",
    ("normalise", "query"): "each query divided by its own ideal",
    ("statistic", "best"): "of the best query",
    ("statistic", "last"): "of the last query",
    ("statistic", "average"): "mean over positions",
    ("statistic", "per_query"): "divided by the number of queries",
}


def groups(found: SessionResults, by: Sequence[str]) -> Rows:
    """The mean of each group, or of all sessions."""
    names = list(found.values)
    if not by:
        counts = found.counts
        row = (found.name, counts["sessions"], counts["queries"], *found.mean.values())
        return Rows(("sessions of", "sessions", "queries", *names), [row], barred=_barred(found, 3))
    rows = [
        (*(one[key] for key in by), one["sessions"], one["queries"], *one["mean"].values())
        for one in found.groups(by)
    ]
    words, barred = len(by), _barred(found, len(by) + 2)
    return Rows((*by, "sessions", "queries", *names), rows, words=words, barred=barred)


def _barred(found: SessionResults, first: int) -> dict[int, bool]:
    """The columns of measures, and whether each is a share of 1."""
    return {at: how.entry.normalised for at, how in enumerate(found.recipes.values(), first)}


def per_session(found: SessionResults, by: Sequence[str]) -> Rows:
    """A row for each session."""
    columns = found.columns.select("session", *found.group_names(by), "queries")
    return of_frame(
        pl.concat([columns, found.per_session.drop("session")], how="horizontal"), 1 + len(by)
    )


def lengths(found: SessionResults, by: Sequence[str]) -> Rows:
    """How many sessions have 1, 2, 3 … queries: Table 2 of the paper."""
    told = last_queries.lengths(found, by)
    most = max(max(one["by_queries"]) for one in told)
    columns = (*by, "sessions", "queries", "mean", *(str(n) for n in range(1, most + 1)))
    rows = [
        (
            *(one[key] for key in by),
            *(one["sessions"], one["queries"], one["mean"]),
            *(one["by_queries"].get(n, 0) for n in range(1, most + 1)),
        )
        for one in told
    ]
    return Rows(columns, rows, words=len(by))


def reformulations(found: SessionResults, by: Sequence[str]) -> Rows:
    """The reformulations that helped most, and those that helped least."""
    found.group_names(by)
    told = of_reformulations(found)
    most = told.most(by=by).filter(pl.col("change") > 0)
    least = told.least(by=by).join(
        most.select("session", "query"), on=["session", "query"], how="anti"
    )
    parts = [
        one.with_columns(which=pl.lit(which)).select("which", pl.exclude("which"))
        for which, one in (("most", most), ("least", least))
    ]
    both = pl.concat(parts)
    words = [name for name, kind in both.schema.items() if kind == pl.String]
    return of_frame(both.select(*words, pl.exclude(words)), len(words))


def of_frame(frame: pl.DataFrame, words: int) -> Rows:
    """A frame as rows."""
    return Rows(frame.columns, frame.rows(), words=words)


def said(found: SessionResults) -> list[str]:
    """The convention in one line, what was counted, and what one should know."""
    counts = found.counts
    told = [
        counted(counts["sessions"], "session"),
        counted(counts["queries"], "query"),
        f"{counts['judged']} of {counts['results']} results judged",
    ]
    return [
        " · ".join((*told, convention(found))),
        *(f"Note: {note}" for note in found.notes),
    ]


def convention(found: SessionResults) -> str:
    """How the numbers came about, in one line."""
    recipes = found.recipes
    discounted = {n: how for n, how in recipes.items() if "discount" in how.entry.params}
    over_queries = {n: how for n, how in recipes.items() if "query_discount" in how.entry.params}
    with_gain = {n: how for n, how in recipes.items() if "gain" in how.entry.params}
    parts = [
        _whose(found.convention),
        *_told(with_gain, lambda how: f"gain {how.gain.text()}"),
        *_told(discounted, lambda how: f"discount {how.discount.text()}"),
        *_told(over_queries, lambda how: f"query discount {how.query_discount.text()}"),
    ]
    for habit in _SAID:
        some = {n: how for n, how in recipes.items() if habit in how.entry.params}
        parts += [words for words in _told(some, _habit(habit)) if words]
    parts += [words for words in _told(recipes, _others) if words]
    return " · ".join(parts)


def _others(recipe: SessionRecipe) -> str:
    """What else was asked for that the convention has otherwise."""
    name = recipe.convention.name
    own = like_sessions(name) if name in SESSION_CONVENTIONS else like_sessions()
    told = recipe.convention.differences(own)
    asked = [habit for habit in told if habit in recipe.entry.params and habit not in _TOLD_ABOVE]
    return ", ".join(f"{habit}={told[habit][0]}" for habit in asked)


def _habit(habit: str) -> Callable[[SessionRecipe], str]:
    def words(recipe: SessionRecipe) -> str:
        value = str(
            recipe.convention.ideal_kind if habit == "ideal" else getattr(recipe.convention, habit)
        )
        if value.startswith("minimum("):
            least = min(least_positions(value), recipe.k or least_positions(value))
            return f"a query takes at least {least} positions"
        return _WORDS.get((habit, value), "")

    return words


def _told(recipes: Mapping[str, SessionRecipe], words: Callable[[SessionRecipe], str]) -> list[str]:
    """One thing said of all measures at once, or of each group of them by name."""
    found: dict[str, list[str]] = {}
    for name, how in recipes.items():
        found.setdefault(words(how), []).append(name)
    if len(found) <= 1:
        return list(found)
    return [f"{', '.join(names)}: {text}" for text, names in found.items() if text]


def _whose(convention: SessionConvention) -> str:
    """Whose habits these are, and which of them were changed."""
    known = convention.name in SESSION_CONVENTIONS
    changed = convention.differences(like_sessions(convention.name)) if known else {}
    but = ", ".join(f"{name}={mine}" for name, (mine, _) in changed.items())
    return f"like {convention.name}, but {but}" if but else f"like {convention.name}"
