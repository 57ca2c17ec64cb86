"""Results of sessions: groups, single sessions, vectors; and their convention in a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from gainful.convention.session import (
    SESSION_CONVENTIONS,
    SessionConvention,
    like_sessions,
    minimum_positions,
)
from gainful.measure.sessions import last_queries
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.measure.sessions.reformulations import reformulations as compute_reformulations
from gainful.measure.sessions.results import SessionResults
from gainful.show.rows import Rows
from gainful.text import count_noun

# What is said of every measure beside its formulas, where it is its business.
_DESCRIBED_SETTINGS = (
    "duplicates",
    "ideal",
    "rank_discount",
    "depth",
    "lists",
    "hold",
    "normalise",
    "statistic",
)
_SETTINGS_WITH_WORDS = (
    *_DESCRIBED_SETTINGS,
    "gain",
    "rel",
    "discount",
    "b",
    "query_discount",
    "bq",
)
_SETTING_WORDS: Mapping[tuple[str, str], str] = {
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


def build_group_rows(results: SessionResults, by: Sequence[str]) -> Rows:
    """The mean of each group, or of all sessions."""
    names = list(results.values)
    if not by:
        counts = results.counts
        row = (results.name, counts["sessions"], counts["queries"], *results.mean.values())
        return Rows(
            ("sessions of", "sessions", "queries", *names),
            [row],
            bar_columns=_select_bar_columns(results, 3),
        )
    rows = [
        (*(group[key] for key in by), group["sessions"], group["queries"], *group["mean"].values())
        for group in results.groups(by)
    ]
    label_columns, bar_columns = len(by), _select_bar_columns(results, len(by) + 2)
    return Rows(
        (*by, "sessions", "queries", *names),
        rows,
        label_columns=label_columns,
        bar_columns=bar_columns,
    )


def _select_bar_columns(results: SessionResults, first: int) -> dict[int, bool]:
    """The columns of measures, and whether each is a share of 1."""
    return {
        at: recipe.entry.normalised for at, recipe in enumerate(results.recipes.values(), first)
    }


def build_session_rows(results: SessionResults, by: Sequence[str]) -> Rows:
    """A row for each session."""
    columns = results.columns.select("session", *results.group_names(by), "queries")
    return build_rows_from_frame(
        pl.concat([columns, results.per_session.drop("session")], how="horizontal"), 1 + len(by)
    )


def build_length_rows(results: SessionResults, by: Sequence[str]) -> Rows:
    """How many sessions have 1, 2, 3 … queries: Table 2 of the paper."""
    lengths_by_group = last_queries.lengths(results, by)
    max_queries = max(max(group["by_queries"]) for group in lengths_by_group)
    columns = (*by, "sessions", "queries", "mean", *(str(n) for n in range(1, max_queries + 1)))
    rows = [
        (
            *(group[key] for key in by),
            *(group["sessions"], group["queries"], group["mean"]),
            *(group["by_queries"].get(n, 0) for n in range(1, max_queries + 1)),
        )
        for group in lengths_by_group
    ]
    return Rows(columns, rows, label_columns=len(by))


def build_reformulation_rows(results: SessionResults, by: Sequence[str]) -> Rows:
    """The reformulations that helped most, and those that helped least."""
    results.group_names(by)
    all_reformulations = compute_reformulations(results)
    most = all_reformulations.most(by=by).filter(pl.col("change") > 0)
    least = all_reformulations.least(by=by).join(
        most.select("session", "query"), on=["session", "query"], how="anti"
    )
    parts = [
        frame.with_columns(which=pl.lit(which)).select("which", pl.exclude("which"))
        for which, frame in (("most", most), ("least", least))
    ]
    both = pl.concat(parts)
    text_columns = [name for name, kind in both.schema.items() if kind == pl.String]
    return build_rows_from_frame(
        both.select(*text_columns, pl.exclude(text_columns)), len(text_columns)
    )


def build_rows_from_frame(frame: pl.DataFrame, label_columns: int) -> Rows:
    """A frame as rows."""
    return Rows(frame.columns, frame.rows(), label_columns=label_columns)


def list_footnotes(results: SessionResults) -> list[str]:
    """The convention in one line, what was counted, and what one should know."""
    counts = results.counts
    parts = [
        count_noun(counts["sessions"], "session"),
        count_noun(counts["queries"], "query"),
        f"{counts['judged']} of {counts['results']} results judged",
    ]
    return [
        " · ".join((*parts, describe_convention(results))),
        *(f"Note: {note}" for note in results.notes),
    ]


def describe_convention(results: SessionResults) -> str:
    """How the numbers came about, in one line."""
    recipes = results.recipes
    discounted = {
        name: recipe for name, recipe in recipes.items() if "discount" in recipe.entry.params
    }
    over_queries = {
        name: recipe for name, recipe in recipes.items() if "query_discount" in recipe.entry.params
    }
    with_gain = {name: recipe for name, recipe in recipes.items() if "gain" in recipe.entry.params}
    parts = [
        _name_convention(results.convention),
        *_describe_by_measure(with_gain, lambda recipe: f"gain {recipe.gain.text()}"),
        *_describe_by_measure(discounted, lambda recipe: f"discount {recipe.discount.text()}"),
        *_describe_by_measure(
            over_queries, lambda recipe: f"query discount {recipe.query_discount.text()}"
        ),
    ]
    for setting in _DESCRIBED_SETTINGS:
        setting_recipes = {
            name: recipe for name, recipe in recipes.items() if setting in recipe.entry.params
        }
        parts += [
            text for text in _describe_by_measure(setting_recipes, _make_describer(setting)) if text
        ]
    parts += [text for text in _describe_by_measure(recipes, _describe_changes) if text]
    return " · ".join(parts)


def _describe_changes(recipe: SessionRecipe) -> str:
    """What else was asked for that the convention has otherwise."""
    name = recipe.convention.name
    base_convention = like_sessions(name) if name in SESSION_CONVENTIONS else like_sessions()
    differences = recipe.convention.differences(base_convention)
    changed_settings = [
        setting
        for setting in differences
        if setting in recipe.entry.params and setting not in _SETTINGS_WITH_WORDS
    ]
    return ", ".join(f"{setting}={differences[setting][0]}" for setting in changed_settings)


def _make_describer(setting: str) -> Callable[[SessionRecipe], str]:
    def describe(recipe: SessionRecipe) -> str:
        value = str(
            recipe.convention.ideal_kind
            if setting == "ideal"
            else getattr(recipe.convention, setting)
        )
        if value.startswith("minimum("):
            positions = min(minimum_positions(value), recipe.k or minimum_positions(value))
            return f"a query takes at least {positions} positions"
        return _SETTING_WORDS.get((setting, value), "")

    return describe


def _describe_by_measure(
    recipes: Mapping[str, SessionRecipe], describe: Callable[[SessionRecipe], str]
) -> list[str]:
    """One thing said of all measures at once, or of each group of them by name."""
    names_by_text: dict[str, list[str]] = {}
    for name, recipe in recipes.items():
        names_by_text.setdefault(describe(recipe), []).append(name)
    if len(names_by_text) <= 1:
        return list(names_by_text)
    return [f"{', '.join(names)}: {text}" for text, names in names_by_text.items() if text]


def _name_convention(convention: SessionConvention) -> str:
    """Whose habits these are, and which of them were changed."""
    is_named = convention.name in SESSION_CONVENTIONS
    differences = convention.differences(like_sessions(convention.name)) if is_named else {}
    changes = ", ".join(f"{name}={value}" for name, (value, _) in differences.items())
    return f"like {convention.name}, but {changes}" if changes else f"like {convention.name}"
