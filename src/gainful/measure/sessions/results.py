"""`SessionResults`: a value for every session, with group means and vectors on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from gainful.convention.session import SessionConvention
from gainful.errors import BadInput, BadValue, UnknownName, WrongType, counted, shown
from gainful.formula import Array
from gainful.match.matched import Flags
from gainful.match.sessions import MatchedSessions
from gainful.measure.notebook import Shown
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.read.sessions import OF_QUERIES

if TYPE_CHECKING:  # they are made of results themselves
    from gainful.measure.sessions.last_queries import LastQueries
    from gainful.measure.sessions.reformulations import Reformulations

_TAKEN = (  # names of columns that views print beside those of groups
    *("sessions", "queries", "mean", "n", "searching", "position", "which", "before", "change"),
    *("gain", "new", "repeated", "one_query", "gained_nothing", "last_is_best", "share"),
)
_LEAST, _MOST = 1.5, 10.0  # bases of discounts, for impatient and for patient searchers


@frozen(eq=False, repr=False)
class SessionResults:
    """A value for every session and measure.

    `mean` is one number for each measure, `per_session` a frame with a row for each session,
    `groups(by)` their means, `curve(name)` the mean vectors, `to_dict()` all of it as plain data.
    """

    name: str
    held: MatchedSessions
    values: Mapping[str, Array]
    recipes: Mapping[str, SessionRecipe]
    convention: SessionConvention

    @property
    def sessions(self) -> Sequence[str]:
        """Their names."""
        return self.held.sessions

    @property
    def notes(self) -> list[str]:
        """What one should know before believing a value."""
        notes = list(self.held.notes)
        for name, how in self.recipes.items():
            if how.can_pass_one:
                notes.append(f"{name} can pass 1: its ideal does not bound what documents earn")
        for name, how in self.recipes.items():
            if how.entry.name == "nsDCG" and _together(how):
                notes.append(f"the mean of {name} is of sessions together, not of their values")
        return notes + _unusual(self.recipes)

    @property
    def counts(self) -> dict[str, int]:
        """How much there was."""
        return {
            "sessions": self.held.size,
            "queries": int(self.held.queries.sum()),
            "results": int(self.held.listed.sum()),
            "judged": len(self.held.judged.query),
        }

    @property
    def columns(self) -> pl.DataFrame:
        """A row for each session: what it can be grouped by, and how many queries it has."""
        names = [name for name in self.held.rows.columns if name not in OF_QUERIES]
        heads = self.held.rows.select("session", *names)[self.held.layout.sessions]
        return heads.with_columns(queries=pl.Series(self.held.queries))

    @property
    def mean(self) -> dict[str, float]:
        """The mean of each measure over all sessions."""
        every = np.ones(self.held.size, dtype=bool)
        return {name: self.mean_of(name, every) for name in self.values}

    def mean_of(self, name: str, some: Flags) -> float:
        """The mean of a measure over some sessions, as the convention averages them."""
        how = self.recipes[name]
        if how.entry.name == "nsDCG" and _together(how):
            return _of_vectors(self.held, how, some)
        values = np.ma.compressed(np.ma.asarray(self.values[name])[some])
        return float(values.mean()) if values.size else float("nan")

    @property
    def per_session(self) -> pl.DataFrame:
        """A row for each session, a column for each measure; null where one is left out."""
        columns = {
            name: pl.Series(name, np.ma.asarray(values).tolist(), dtype=pl.Float64)
            for name, values in self.values.items()
        }
        return pl.DataFrame({"session": pl.Series("session", list(self.sessions)), **columns})

    def groups(self, by: str | Sequence[str]) -> list[dict[str, Any]]:
        """The means of groups of sessions: by one column or by several."""
        found = []
        for keys, flags in self.grouped(by):
            means = {name: _or_none(self.mean_of(name, flags)) for name in self.values}
            number = {"sessions": int(flags.sum()), "queries": int(self.held.queries[flags].sum())}
            found.append({**keys, **number, "mean": means})
        return found

    def curve(self, name: str | None = None, by: str | Sequence[str] = ()) -> pl.DataFrame:
        """The mean vector of each group, position by position, as tidy data.

        Args:
            name: one of the measures; the first if it is not said.
            by: the columns to group by; all sessions together if there are none.
        """
        from gainful.measure.sessions.curve import curve  # noqa: PLC0415  (rarely asked for)

        return curve(self.held, self._recipe(name), self.grouped(by))

    def grouped(self, by: str | Sequence[str]) -> list[tuple[dict[str, Any], Flags]]:
        """Each group of sessions: its values, and which belong to it; all, if by nothing."""
        names = self.group_names(by)
        if not names:
            return [({}, np.ones(self.held.size, dtype=bool))]
        return grouped(self.columns, names)

    def group_names(self, by: str | Sequence[str]) -> list[str]:
        """The columns to group by, each once, known, and the same for a whole session."""
        if not isinstance(by, (str, Sequence)) or not all(isinstance(one, str) for one in by):
            raise WrongType("by", by, "the name of a column, or several")
        names = [by] if isinstance(by, str) else list(by)
        rows = self.held.rows
        known = [name for name in rows.columns if name not in OF_QUERIES]
        for name in names:
            if name not in known:
                raise UnknownName("column", name, known)
            if names.count(name) > 1:
                raise BadValue("by", ", ".join(names), "each column once")
            if name in _TAKEN or name in self.values:
                allowed = "another name for that column: what is printed has one of that name"
                raise BadValue("by", name, allowed)
            first = rows[name].gather(np.repeat(self.held.layout.sessions, self._rows_of_sessions))
            other = (~first.eq_missing(rows[name])).arg_true()
            if len(other):
                session = rows["session"][int(other[0])]
                problem = f"session {shown(session)} has more than one {name}"
                raise BadInput(self.name, problem, "one for all rows of a session")
        return names

    @property
    def _rows_of_sessions(self) -> NDArray[np.intp]:
        """How many rows each session has."""
        return np.diff(self.held.layout.sessions, append=len(self.held.rows))

    def vectors(self, name: str | None = None) -> pl.DataFrame:
        """The vectors of every session, position by position: gain, ideal and their ratio.

        Args:
            name: one of the measures, an sDCG or nsDCG; the first if it is not said.
        """
        from gainful.measure.sessions.curve import of_each  # noqa: PLC0415

        return of_each(self.held, self._recipe(name))

    def lengths(self, by: str | Sequence[str] = ()) -> list[dict[str, Any]]:
        """How many sessions have how many queries: Table 2 of the paper."""
        from gainful.measure.sessions.last_queries import lengths  # noqa: PLC0415

        return lengths(self, by)

    def last_queries(
        self,
        name: str | None = None,
        by: str | Sequence[str] = (),
        non_last: Literal["pooled", "within"] = "pooled",
    ) -> LastQueries:
        """The last query against those before it, by rank, and how often it is the best."""
        from gainful.measure.sessions.last_queries import last_queries  # noqa: PLC0415

        return last_queries(self, name, by, non_last)

    def reformulations(self, name: str | None = None) -> Reformulations:
        """What each query added, and which reformulations helped most and least."""
        from gainful.measure.sessions.reformulations import reformulations  # noqa: PLC0415

        return reformulations(self, name)

    def _recipe(self, name: str | None) -> SessionRecipe:
        chosen = next(iter(self.recipes)) if name is None else name
        if chosen not in self.recipes:
            raise UnknownName("measure", chosen, self.recipes)
        return self.recipes[chosen]

    def to_dict(self, by: str | Sequence[str] = ()) -> dict[str, Any]:
        """All of it as plain data."""
        names = list(self.values)
        rows = zip(*(np.ma.asarray(self.values[n]).tolist() for n in names), strict=True)
        return {
            "per_session": {
                session: dict(zip(names, row, strict=True))
                for session, row in zip(self.sessions, rows, strict=True)
            },
            "mean": {name: _or_none(value) for name, value in self.mean.items()},
            "groups": self.groups(by) if by else [],
            "convention": {
                "like": self.convention.name,
                **self.convention.settings(),
                "measures": {
                    name: {
                        "measure": how.label,
                        **how.convention.settings(),
                        "ideal": how.convention.ideal_kind,
                        "can_pass_one": how.can_pass_one,
                    }
                    for name, how in self.recipes.items()
                },
            },
            "counts": self.counts,
            "notes": self.notes,
        }

    def __repr__(self) -> str:
        wide = max(map(len, self.values), default=0)
        lines = [f"{name:<{wide}}  {value:.4f}" for name, value in self.mean.items()]
        return "\n".join((self._head(), *lines, *self.notes))

    def _repr_html_(self) -> str:
        return self._shown().html()

    def _repr_latex_(self) -> str:
        return self._shown().latex()

    def _shown(self) -> Shown:
        rows = [
            (name, "–" if np.isnan(value) else f"{value:.4f}") for name, value in self.mean.items()
        ]
        return Shown(self._head(), ("measure", "mean"), rows, notes=self.notes)

    def _head(self) -> str:
        counts = self.counts
        told = f"{counted(counts['sessions'], 'session')}, {counted(counts['queries'], 'query')}"
        return f"Sessions of {self.name}, {told}, like {self.convention.name}"


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def _unusual(recipes: Mapping[str, SessionRecipe]) -> list[str]:
    """Bases beyond the range that the paper of 2008 calls reasonable."""
    found = {}
    for how in recipes.values():
        for name in ("b", "bq"):
            value = getattr(how.convention, name) if name in how.entry.params else None
            if value is not None and not _LEAST <= value <= _MOST:
                told = f"{name} = {value:g} is beyond what the paper calls reasonable"
                found[told] = f"{told}, {_LEAST:g} (impatient) to {_MOST:g} (patient)"
    return list(found.values())


def grouped(columns: pl.DataFrame, names: Sequence[str]) -> list[tuple[dict[str, Any], Flags]]:
    """Each group: its values, and which sessions belong to it."""
    keys = columns.select(names).unique(maintain_order=True).sort(names, nulls_last=True)
    found = []
    for row in keys.iter_rows(named=True):
        flags = np.ones(len(columns), dtype=bool)
        for name, value in row.items():
            flags &= columns[name].eq_missing(value).to_numpy()
        found.append((dict(row), flags))
    return found


def _together(recipe: SessionRecipe) -> bool:
    """Can the mean of sessions not be had from their values?"""
    habits = recipe.convention
    plain = habits.statistic == "final" and habits.normalise == "session"
    return plain and (habits.average, habits.hold) != ("ratios", "held")


def _of_vectors(sessions: MatchedSessions, recipe: SessionRecipe, some: Flags) -> float:
    """The mean at the end of the longest session: of ratios, or of gains over that of ideals."""
    from gainful.measure.normalise import ratio  # noqa: PLC0415
    from gainful.measure.sessions import ideal  # noqa: PLC0415
    from gainful.measure.sessions.gains import earned, summed  # noqa: PLC0415
    from gainful.measure.sessions.sdcg import per_query  # noqa: PLC0415

    sessions = sessions.until(recipe.queries)
    got = earned(sessions, recipe)
    total = summed(sessions.session, per_query(sessions, recipe, got), sessions.size)[some]
    longest = np.full(sessions.size, int(sessions.queries[some].max()))
    grows = recipe.convention.hold == "growing" and recipe.queries is None
    length = longest if grows else None
    best = ideal.final(sessions, recipe, got, length)[some]
    if recipe.convention.average == "ratios":
        values = np.ma.compressed(np.ma.asarray(ratio(total, best, recipe.convention.empty)))
        return float(values.mean()) if values.size else float("nan")
    mean = ratio(total.mean(keepdims=True), best.mean(keepdims=True), recipe.convention.empty)
    return float(np.ma.filled(mean, np.nan)[0])
