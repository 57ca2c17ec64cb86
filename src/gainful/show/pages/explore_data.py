"""What was shown in sessions, as columns of plain data that the live page computes from.

Texts and documents stand once, grades by number; a result is its document, its grade, and what
the session has seen of that document before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from gainful.errors import BadInput, BadValue
from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.match.sessions import MatchedSessions, Shown
from gainful.measure.sessions.results import SessionResults
from gainful.read.sessions import Sessions

MOST_GROUPS = 7  # that colours can tell apart
_MOST_CHOICES = 40  # values of a column that one can choose from
_LONGEST = 10_000  # characters of a text that a page holds


@frozen(eq=False)
class Grades:
    """All grades there are, ascending, and what of them the page is about."""

    values: Array
    own: bool  # are those of the searchers among them?

    def codes(self, grades: Array) -> list[int]:
        """The number of each grade."""
        found: list[int] = np.searchsorted(self.values, grades).tolist()
        return found


def all_grades(sessions: MatchedSessions, *, own: bool) -> Grades:
    """The grades of all judged documents; with `own`, those that searchers gave too."""
    parts = [sessions.judged.pool_grade]
    if own:
        said = sessions.by_searcher()
        parts += [said.grade, said.pool_grade]
    return Grades(np.unique(np.concatenate(parts)), own)


def of_sessions(sessions: MatchedSessions, read: Sessions, notes: Sequence[str]) -> dict[str, Any]:
    """A column for each thing to know of a session."""
    longest = read.frame.group_by("session").agg(pl.col("query").max().alias("asked"))
    names = pl.Series("session", list(sessions.sessions)).to_frame()
    asked = names.join(longest, on="session", how="left", maintain_order="left")["asked"]
    return {
        "names": [_cut(name) for name in sessions.sessions],
        "queries": sessions.queries.tolist(),
        "asked": asked.to_list(),  # of which some may have no judgments
        "notes": list(notes),
    }


def of_queries(sessions: MatchedSessions, deepest: int) -> dict[str, Any]:
    """A column for each thing to know of a query."""
    first = sessions.layout.queries
    texts: list[str | None] = [None] * len(first)
    if "text" in sessions.rows.columns:
        texts = sessions.rows["text"].gather(first).cast(pl.String).to_list()
    known = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return {
        "text": [known[text] for text in texts],
        "texts": [None if text is None else _cut(text) for text in known],
        "shown": np.minimum(sessions.listed, deepest).tolist(),
        "listed": sessions.listed.tolist(),
    }


def of_results(sessions: MatchedSessions, grades: Grades, deepest: int) -> dict[str, Any]:
    """A column for each thing to know of a result, down to some rank, query by query."""
    rows = sessions.rows
    rank = rows["rank"].fill_null(0).to_numpy()
    kept = (rank > 0) & (rank <= deepest) & rows["doc"].is_not_null().to_numpy()
    docs = rows["doc"].filter(pl.Series(kept))
    known = docs.unique(maintain_order=True)
    number = docs.to_frame().join(
        known.to_frame().with_row_index("number"), on="doc", how="left", maintain_order="left"
    )["number"]
    found = {
        "docs": [_cut(doc) for doc in known],
        "doc": number.to_list(),
        "grade": _coded(sessions.judged, grades, len(rows))[kept].tolist(),
    }
    if "clicked" in rows.columns:
        again = np.zeros(len(rows), dtype=bool)
        again[sessions.judged.row] = ~sessions.not_yet_clicked(sessions.judged)
        found["clicked"] = rows["clicked"].to_numpy().astype(int)[kept].tolist()
        found["known"] = again.astype(int)[kept].tolist()
    if grades.own:
        found["own"] = _coded(sessions.by_searcher(), grades, len(rows))[kept].tolist()
    return found


def _coded(shown: Shown, grades: Grades, size: int) -> Ranks:
    """The number of each row's grade; -1 if it has none."""
    found = np.full(size, -1)
    found[shown.row] = grades.codes(shown.grade)
    return found


def of_pool(shown: Shown, grades: Grades) -> dict[str, Any]:
    """How many documents of which grade there are to be found, for each query."""
    bases = np.unique(shown.base[shown.base >= 0])
    used = np.isin(shown.pool_base, bases)
    base = np.searchsorted(bases, shown.pool_base[used])
    both = base * len(grades.values) + np.searchsorted(grades.values, shown.pool_grade[used])
    kinds, count = np.unique(both, return_counts=True)
    number = np.where(shown.base >= 0, np.searchsorted(bases, shown.base), -1)
    return {
        "of": number.tolist(),
        "base": (kinds // len(grades.values)).tolist(),
        "grade": (kinds % len(grades.values)).tolist(),
        "count": count.tolist(),
        "bases": len(bases),
    }


def columns_of(results: SessionResults, read: Sessions) -> list[dict[str, Any]]:
    """What sessions can be chosen by, and grouped by if there are few of it."""
    found: list[dict[str, Any]] = []
    names = [name for name in read.columns if name in results.columns.columns]
    seen = []
    for name in sorted(names, key=lambda one: one == "topic"):  # often the same as another
        values = results.columns[name]
        if not 2 <= values.n_unique() <= _MOST_CHOICES or not _plain(results, name):
            continue
        ordered = values.unique().sort(nulls_last=True)
        code = values.to_frame().join(
            ordered.to_frame().with_row_index("code"),
            on=name,
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )["code"]
        codes = code.to_list()
        if _partition(codes) in seen:
            continue
        seen.append(_partition(codes))
        texts = ordered.cast(pl.String).to_list()
        found.append(
            {
                "name": name,
                "values": [None if text is None else _cut(text) for text in texts],
                # what --where cannot say is not offered
                "where": [
                    text is not None and text == text.strip() and len(text) <= _LONGEST
                    for text in texts
                ],
                "code": codes,
                "groups": ordered.len() <= MOST_GROUPS,
            }
        )
    return found


def _partition(codes: Sequence[int]) -> tuple[int, ...]:
    """Who belongs together, whatever the groups are called."""
    first: dict[int, int] = {}
    return tuple(first.setdefault(code, len(first)) for code in codes)


def _plain(results: SessionResults, name: str) -> bool:
    """Is the column the same for a whole session, and can a command name it?"""
    if name != name.strip() or "," in name or "=" in name:
        return False
    try:
        results.group_names(name)
    except (BadInput, BadValue):
        return False
    return True


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
