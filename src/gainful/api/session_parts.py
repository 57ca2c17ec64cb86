"""Sessions in an engine, made ready to be added up in parts: for `summarise` and `sweep`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from attrs import frozen

from gainful.api.session_options import GainOptions, list_others_in_parts
from gainful.api.sessions import read_session_qrels
from gainful.errors import BadValue, NoColumn, UnknownName, WrongType
from gainful.match.lazy_gains import judge_in_engine
from gainful.match.session_groups import By, check_group_names
from gainful.measure.entry import SessionRecipe
from gainful.measure.sessions.in_parts import (
    AnySummer,
    PartMatcher,
    PartTotals,
    visit_parts,
    visit_workers,
)
from gainful.read.binary_tables import scan_parquet
from gainful.read.column_names import protect_name, restore_name
from gainful.read.engines import POLARS, SPARK, Engine, find_engine
from gainful.read.filter_sessions import check_choice
from gainful.read.inputs import AnyQrels
from gainful.read.lazy_sessions import LazySessions
from gainful.read.log_parts import find_lazy_sessions
from gainful.read.read_options import ReadOptions
from gainful.read.session_parts import SessionChoice
from gainful.read.sessions import UNGROUPABLE_COLUMNS

_PARQUET = (".parquet", ".pq")
_SUMMARY_COLUMNS = ("measure", "standard_error", "per_cost", "results", "judged")
_ALLOWED = "a Parquet file, or a frame of lazy polars, DuckDB or Spark; others have no summary"


@frozen(eq=False, kw_only=True)
class PreparedParts:
    """Sessions in their engine, and how some whole ones at a time are matched."""

    sessions: LazySessions
    matcher: PartMatcher
    by: tuple[str, ...]
    notes: Sequence[str]

    @property
    def name(self) -> str:
        """What the sessions are called."""
        return self.sessions.name

    def visit(
        self, new_summer: Callable[[], AnySummer], vector_ranks: int = 0
    ) -> tuple[AnySummer, PartTotals]:
        """Add up all sessions, in parts; in Spark on its workers."""
        if self.sessions.engine is SPARK:
            return visit_workers(self.sessions, self.matcher, new_summer)
        return visit_parts(self.sessions, self.matcher, new_summer, vector_ranks)


def prepare_parts(
    sessions: Any,
    qrels: AnyQrels | None,
    recipes: Mapping[str, SessionRecipe],
    by: By,
    options: GainOptions,
) -> PreparedParts:
    """Sessions found in their engine, with gains if nobody judged.

    Args:
        sessions: a frame of an engine, or a Parquet file.
        qrels: the judgments, if there are any.
        recipes: the measures, by the names that were asked for.
        by: a column, or several, whose groups are told apart.
        options: those of `list_others_in_parts` are refused.
    """
    for option in list_others_in_parts(options):
        allowed = "nothing: it needs all sessions at once, and here are some at a time"
        raise BadValue(option, options[option], allowed)  # type: ignore[literal-required]
    judgments, options["columns"] = read_session_qrels(
        qrels, options.get("qrels_format"), options.get("columns")
    )
    lazy = _find_lazy_sessions(sessions, options)
    groupable = [
        restore_name(name) for name in lazy.query_columns if name not in UNGROUPABLE_COLUMNS
    ]
    names = check_group_names(by, groupable, (*recipes, *_SUMMARY_COLUMNS))
    choice = _choose(options, groupable)
    judged = judge_in_engine(
        lazy,
        judgments,
        options.get("gain_from"),
        choice,
    )
    computed = f"computed in {lazy.engine.name}, some sessions at a time"
    prices = [recipe.setting("per_query") for recipe in recipes.values() if recipe.entry.is_cost]
    named = (*names, *choice.where, *map(str, prices))
    asked = {"topic", "scanned", *map(protect_name, named)}
    matcher = PartMatcher(
        name=lazy.name,
        query_columns=[name for name in judged.sessions.query_columns if name in asked],
        qrels=judged.qrels,
        recipes=list(recipes.values()),
        choice=choice,
        bad=options.get("bad") or "error",
        observed=judged.observed,
    )
    notes = [*lazy.notes, computed, *judged.notes]
    return PreparedParts(sessions=judged.sessions, matcher=matcher, by=tuple(names), notes=notes)


def _find_lazy_sessions(sessions: Any, options: GainOptions) -> LazySessions:
    """Sessions that stay where they are."""
    native, engine, name = _find_frame(sessions)
    lazy = find_lazy_sessions(native, engine, name, ReadOptions.pick(options))
    if lazy is None:
        raise NoColumn(name, "a column is missing", "session, query (from 1), rank and doc")
    return lazy


def _find_frame(sessions: Any) -> tuple[Any, Engine, str]:
    """A frame that stays where it is, its engine, and what it is called."""
    engine = find_engine(sessions)
    if engine is not None:
        return sessions, engine, "sessions"
    if isinstance(sessions, (str, PathLike)) and str(sessions).lower().endswith(_PARQUET):
        return scan_parquet(sessions), POLARS, str(sessions)
    raise WrongType("sessions", sessions, _ALLOWED)


def _choose(options: GainOptions, columns: Sequence[str]) -> SessionChoice:
    where = options.get("where") or {}
    numbers = options.get("min_queries"), options.get("first_queries")
    check_choice(where, *numbers)
    for column in where:
        if column not in (*columns, "session"):
            raise UnknownName("column", column, ("session", *columns))
    return SessionChoice(where, *numbers)
