"""One query spelled out under one mixture: its documents rank by rank, and what they come to.

Gains, discounts, sums and the ideal are those of the evaluation itself; what is added here is the
name of the document at each rank, which no measure needs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
from attrs import evolve, frozen

from gainful.compare.mixed import Mixtures
from gainful.convention import Convention
from gainful.match.matched import Matched, as_precise
from gainful.measure.cumulated import Ranked, ideal_depth, ranked_seen, total, weights
from gainful.measure.recipe import Recipe
from gainful.measure.seen import seen
from gainful.measure.worth import whole_or_not, worth
from gainful.read.values import Judgments, Nested, Run

_MOST = 10  # rows that are spelled out
_FILLED = 1000  # and what fills a short list, of which all rows are alike


@frozen
class Row:
    """One document at its rank; `until` is the last rank of a block over which ties are averaged.

    `grade` is None for a document without a judgment; gain, discount and contribution are None
    where the measure is no cumulated gain. What fills a short list has no name.
    """

    rank: int
    until: int
    doc: str | None
    score: float | None
    grade: float | None
    gain: float | None = None
    discount: float | None = None
    contribution: float | None = None


@frozen
class IdealRow:
    """One rank of the ideal ranking."""

    rank: int
    gain: float
    discount: float
    contribution: float


@frozen
class Side:
    """A query on one side of a switch; `value` is None where it is left out of the mean."""

    label: str
    rows: tuple[Row, ...]
    more: int  # documents that are not among the rows
    ideal: tuple[IdealRow, ...]
    more_ideal: int
    dcg: float | None
    idcg: float | None
    value: float | None


@frozen
class Spelled:
    """A query on both sides of a switch."""

    query: str
    judged: bool
    found: bool
    before: Side
    after: Side

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return attrs.asdict(self)


def spelled(held: Mixtures, row: int, switch: tuple[int, int], labels: tuple[str, str]) -> Spelled:
    """How does a query come by its value on both sides of a switch?"""
    query = held.queries[row]
    before, after = (
        _side(held, query, mixture, label) for mixture, label in zip(switch, labels, strict=True)
    )
    shown = _worth_showing(before.rows, after.rows)
    of_ideal = _worth_showing(before.ideal, after.ideal)
    one = _alone(held, query, switch[0])
    return Spelled(
        query,
        bool(one is not None and one.judged[0]),
        bool(one is not None and one.found[0]),
        _short(before, shown, of_ideal),
        _short(after, shown, of_ideal),
    )


def _worth_showing(one: Sequence[Any], other: Sequence[Any]) -> set[int]:
    """The places of at most ten rows: those that differ, then those that count, then the rest."""

    def dull(place: int) -> tuple[bool, bool, int]:
        pair = [side[place] if place < len(side) else None for side in (one, other)]
        return pair[0] == pair[1], not any(map(_counts, pair)), place

    return set(sorted(range(max(len(one), len(other))), key=dull)[:_MOST])


def _counts(row: Row | IdealRow | None) -> bool:
    if row is None:
        return False
    if row.contribution is not None:
        return row.contribution != 0
    return isinstance(row, Row) and (row.grade or 0) > 0


def _short(side: Side, shown: set[int], of_ideal: set[int]) -> Side:
    rows = tuple(row for place, row in enumerate(side.rows) if place in shown)
    ideal = tuple(row for place, row in enumerate(side.ideal) if place in of_ideal)
    return evolve(
        side,
        rows=rows,
        more=len(side.rows) - len(rows),
        ideal=ideal,
        more_ideal=len(side.ideal) - len(ideal),
    )


def _alone(held: Mixtures, query: str, mixture: int) -> Matched | None:
    """The query by itself, as the mixture matches it."""
    found = held.view(held.convention(mixture)).found
    flags = np.fromiter((name == query for name in found.queries), bool, len(found.queries))
    return found.only(flags) if flags.any() else None


def _side(held: Mixtures, query: str, mixture: int, label: str) -> Side:
    how = held.recipe(mixture)
    value = float(held.values(mixture)[held.queries.index(query)])
    known = None if np.isnan(value) else value
    one = _alone(held, query, mixture)
    documents = _listed(_retrieved(held.run, query), how.convention, query)
    grades = _grades(held.judgments, query)
    if not how.measure.entry.cumulated or one is None:
        rows = _ranked(documents, grades, how.convention, dict.get)
        cut = how.k if how.measure.entry.cut in ("optional", "needed") else None
        return Side(label, _within(rows, cut), 0, (), 0, None, None, known)
    gains = _gains(how, grades)
    ranked = ranked_seen(how, seen(one, how.convention))
    rows = _ranked(documents, grades, how.convention, lambda _, doc: gains.get(doc, 0.0))
    dcg, idcg = (float(sums[0]) for sums in total(how, ranked))
    return Side(
        label,
        tuple(_weighted(how, _filled(how, rows, ranked), gains)),
        0,
        tuple(_ideal(how, ranked)),
        0,
        dcg,
        idcg,
        known,
    )


def _retrieved(run: Run | Nested, query: str) -> list[tuple[str, float]]:
    """Documents and scores in the order given."""
    if isinstance(run, Run):
        frame = run.frame.filter(run.frame["query"] == query)
        return list(zip(frame["doc"].to_list(), frame["score"].to_list(), strict=True))
    return [(str(doc), float(score)) for doc, score in _inner(run, query).items()]


def _grades(judgments: Judgments | Nested, query: str) -> dict[str, float]:
    if isinstance(judgments, Judgments):
        frame = judgments.frame.filter(judgments.frame["query"] == query)
        return dict(zip(frame["doc"].to_list(), frame["grade"].to_list(), strict=True))
    return {str(doc): float(grade) for doc, grade in _inner(judgments, query).items()}


def _inner(held: Nested, query: str) -> Any:
    return next((inner for name, inner in held.mapping.items() if str(name) == query), {})


def _listed(
    documents: list[tuple[str, float]], habits: Convention, query: str
) -> list[tuple[str, float]]:
    """The documents that are in the ranking at all, as it is matched."""
    if habits.namesake == "remove":
        documents = [pair for pair in documents if pair[0] != query]
    if habits.duplicates != "count":  # the last one counts, and stands where it stands
        last = {doc: place for place, (doc, _) in enumerate(documents)}
        documents = [pair for place, pair in enumerate(documents) if last[pair[0]] == place]
    return documents


def _ranked(
    documents: list[tuple[str, float]],
    grades: dict[str, float],
    habits: Convention,
    value: Callable[[dict[str, float], str], float | None],
) -> list[Row]:
    """The documents at the ranks that the convention gives them; `value` orders best and worst."""
    if habits.unjudged == "remove":
        documents = [pair for pair in documents if pair[0] in grades]
    if habits.negative == "remove":
        documents = [pair for pair in documents if grades.get(pair[0], 0) >= 0]
    precise = as_precise(
        np.array([score for _, score in documents], dtype=float), habits.score_bits
    )
    places = list(range(len(documents)))
    if habits.ties in ("doc_descending", "doc_ascending"):
        places.sort(key=lambda at: documents[at][0], reverse=habits.ties == "doc_descending")
    elif habits.ties == "reversed":
        places.reverse()
    elif habits.ties in ("best", "worst"):
        sign = -1 if habits.ties == "best" else 1
        places.sort(key=lambda at: sign * (value(grades, documents[at][0]) or 0.0))
    places.sort(key=lambda at: -precise[at])  # stable: ties stay as they are
    falling = np.sort(-precise)
    rows = []
    for rank, at in enumerate(places, start=1):
        doc, score = documents[at]
        first = int(np.searchsorted(falling, -precise[at], side="left")) + 1
        last = int(np.searchsorted(falling, -precise[at], side="right"))
        span = {"average": (first, last), "mean_rank": ((first + last) // 2,) * 2}
        begin, until = span.get(habits.ties, (rank, rank))
        rows.append(Row(begin, until, doc, score, grades.get(doc)))
    return rows


def _within(rows: list[Row], cut: float | None) -> tuple[Row, ...]:
    return tuple(row for row in rows if cut is None or row.rank <= cut)


def _gains(how: Recipe, grades: dict[str, float]) -> dict[str, float]:
    """What each judged document of the query is worth."""
    if not grades:
        return {}

    def find(_: object) -> tuple[str, float]:  # the evaluation has refused what is to be refused
        return "a grade", 0.0

    whole = whole_or_not(np.array(list(grades.values()), dtype=float), how.convention, find)
    if how.convention.negative == "remove":
        whole = np.maximum(whole, 0.0)  # taken out above; a gain table need not know them
    return dict(
        zip(grades, worth(whole, how.gain, how.convention, find, None).tolist(), strict=True)
    )


def _filled(how: Recipe, rows: list[Row], ranked: Ranked) -> list[Row]:
    """A short list is filled up to k where the convention has it so."""
    if how.convention.short != "minimum" or how.k is None:
        return rows
    fill = float(ranked.fill[0, 0])
    new = range(len(rows) + 1, min(how.k, len(rows) + _FILLED) + 1)
    return rows + [Row(rank, rank, None, None, None, gain=fill) for rank in new]


def _weighted(how: Recipe, rows: list[Row], gains: dict[str, float]) -> list[Row]:
    """The rows down to the cutoff, with gain, discount and their product."""
    rows = list(_within(rows, how.k))
    if not rows:
        return []
    left = np.array(weights(how, max(row.until for row in rows)))
    if how.k is not None:
        left[how.k :] = 0.0
    found = []
    for row in rows:
        gain = row.gain if row.doc is None else gains.get(row.doc, 0.0)
        discount = float(left[row.rank - 1 : row.until].mean())
        found.append(evolve(row, gain=gain, discount=discount, contribution=(gain or 0) * discount))
    return found


def _ideal(how: Recipe, ranked: Ranked) -> list[IdealRow]:
    """The ideal ranking, as deep as the convention has it."""
    if not (how.measure.entry.normalised or how.measure.entry.of == "ideal"):
        return []
    depth = min(int(ideal_depth(how, ranked.lengths)[0, 0]), ranked.ideal.deepest)
    if depth < 1:
        return []
    gain, left = ranked.ideal.by_rank(depth)[0], weights(how, depth)
    return [
        IdealRow(rank, float(g), float(w), float(g * w))
        for rank, (g, w) in enumerate(zip(gain, left, strict=True), start=1)
    ]
