"""How much of a query's change does each judged document explain?

A game over the judged documents that were retrieved: only those of a set are seen as judged, the
others keep their ranks and earn nothing, and the pool that the ideal is made of stays whole. What
the set explains is how much the value changes then. The share of a document is its Shapley value;
where a measure is a sum over documents, that is the document's own term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, combinations
from math import comb
from operator import or_

import numpy as np
from attrs import define, evolve, frozen

from gainful.errors import GainfulError
from gainful.measure.entry import Recipe
from gainful.measure.ranked_run import RankedRun
from gainful.measure.worked_ranking import RankedQueries, compute_subsets
from gainful.rounding import ROUNDING
from gainful.types import Array, Flags, Ranks

# The mean under each of these mixtures of two conventions; bit i of a mixture is that of cause i.
MeansOf = Callable[[Iterable[int]], dict[int, float]]
MAX_EXACT_CAUSES = 12  # causes of which every combination is computed
_DEFAULT_ORDERS = 128  # else so many orders, each also backwards, unless others are asked for


def shapley_values(
    count: int, means_of: MeansOf, orders: int = _DEFAULT_ORDERS
) -> tuple[list[float], list[str]]:
    """The Shapley value of each of so many causes, by the means of mixtures of them."""
    if count > MAX_EXACT_CAUSES:
        note = (
            f"there are {count} causes: effects are averaged over {2 * orders} orders of switching "
            "them, not over all"
        )
        return _estimate_shapley_values(count, means_of, orders), [note]
    v = means_of(range(1 << count))
    values = []
    for bit in (1 << at for at in range(count)):
        # What it adds to each set of others; sets of every size weigh the same together.
        contributions = (
            (v[mixture | bit] - v[mixture]) / comb(count - 1, mixture.bit_count())
            for mixture in v
            if not mixture & bit
        )
        values.append(sum(contributions) / count)
    return values, []


def _estimate_shapley_values(count: int, means_of: MeansOf, orders: int) -> list[float]:
    """Shapley values over a fixed sample of orders; in each, effects add up to the difference."""
    random = np.random.default_rng(2002)
    paths: list[list[tuple[int, int]]] = []
    for permutation in (random.permutation(count) for _ in range(orders)):
        for order in (permutation.tolist(), permutation[::-1].tolist()):
            mixtures = accumulate((1 << at for at in order), or_)
            paths.append(list(zip(order, mixtures, strict=True)))
    v = means_of([0, *(mixture for path in paths for _, mixture in path)])
    sums = np.zeros(count)
    for path in paths:
        before = v[0]
        for at, mixture in path:
            sums[at] += v[mixture] - before
            before = v[mixture]
    return list((sums / len(paths)).tolist())


def interactions(causes: Sequence[str], means_of: MeansOf) -> list[dict[str, float]]:
    """What two causes change only together, beside the first tool's settings or the second's."""
    full = (1 << len(causes)) - 1
    changes: list[dict[str, float]] = [{} for _ in causes]
    for (at, cause), (other_at, other) in combinations(enumerate(causes), 2):
        a, b = 1 << at, 1 << other_at
        v = means_of([0, a, b, a | b, full, full ^ a, full ^ b, full ^ a ^ b])
        first = v[a | b] - v[a] - v[b] + v[0]
        last = v[full] - v[full ^ a] - v[full ^ b] + v[full ^ a ^ b]
        together = max(first, last, key=abs)
        if abs(together) > ROUNDING:
            changes[at][other] = together
            changes[other_at][cause] = together
    return [dict(sorted(pairs.items(), key=lambda pair: -abs(pair[1]))) for pairs in changes]


_MAX_TRIALS = 1000  # documents times sets in which it is tried whether one always adds the same
_SAMPLE_SETS = 5000  # so many of them make a sample of orders
_ERROR_FACTOR = 1e3  # times: what many small errors come to
_DEPENDS_ON_OTHERS = "its value depends on other queries too"
_SAMPLE_NOTE = (
    "the effects of {} documents are averaged over a sample of their orders, not over all"
)


# One query in one run: its judged documents at their ranks, and the name of each.
_NamedRanks = tuple[RankedRun, Sequence[str]]


@frozen
class Credit:
    """What each document explains; `problem` says why none does, if the measure has no answer."""

    shares: dict[str, float]
    rest: float | None = None  # what is left, and changes without any judged document
    notes: tuple[str, ...] = ()
    problem: str = ""


def credit_docs(
    rankings: tuple[RankedQueries, RankedQueries], query: str, recipe: Recipe, change: float
) -> Credit:
    """How much of the change of a query does each of its judged documents explain?"""
    before, after = (run.select_named(query) for run in rankings)
    # What was taken out of the rankings is out already, and nothing is rounded.
    negative = "zero" if recipe.convention.negative == "remove" else recipe.convention.negative
    convention = recipe.convention.with_settings(unjudged="zero", negative=negative, decimals=None)
    sides, relaxed = (before, after), evolve(recipe, convention=convention)
    if _has_list_ideal(relaxed, sides):
        sides = _use_list_as_pool(before), _use_list_as_pool(after)
        relaxed = evolve(relaxed, convention=relaxed.convention.with_settings(ideal="judged"))
    decimals = recipe.convention.decimals
    try:
        game = DocumentGame(sides, relaxed, _candidate_docs(sides, relaxed))
        return _share_change(game, change, 0.0 if decimals is None else 10.0**-decimals)
    except GainfulError as error:
        return Credit({}, problem=f"it cannot be computed with part of the judgments: {error}")


def _has_list_ideal(recipe: Recipe, sides: tuple[_NamedRanks, _NamedRanks]) -> bool:
    """Is the ideal made of the list itself, and can it be written as a pool as well?

    What is worth less than nothing has its place in such an ideal behind all that is unjudged.
    """
    convention, entry = recipe.convention, recipe.entry
    if not (entry.cumulated and entry.gain_of == "ranking" and convention.ideal == "list"):
        return False
    lowest = min(float(ranked.gains(recipe.gain).min(initial=0.0)) for ranked, _ in sides)
    return convention.short == "as_is" and (convention.negative != "in_ideal" or lowest >= 0)


def _use_list_as_pool(side: _NamedRanks) -> _NamedRanks:
    ranked, docs = side
    with_pool = evolve(
        ranked, pool_query=ranked.query, pool_grade=ranked.grade, pool_index=None, subtopics=None
    )
    return with_pool, docs


def _candidate_docs(sides: tuple[_NamedRanks, _NamedRanks], recipe: Recipe) -> list[str]:
    """The documents that may explain anything: below its cutoff no measure of ours looks.

    It is otherwise where the ideal is made of the list, and can only be made of it as it is.
    """
    unlimited = recipe.entry.registered or recipe.convention.ideal == "list"
    depth = None if unlimited else recipe.depth
    return sorted(
        {
            doc
            for ranked, docs in sides
            for doc, first, rank in zip(docs, ranked.first, ranked.rank, strict=True)
            if depth is None or min(first, rank) <= depth
        }
    )


@define(eq=False)
class DocumentGame:
    """The value of one query in two runs, whichever of its documents are seen as judged."""

    sides: tuple[_NamedRanks, _NamedRanks]
    recipe: Recipe
    docs: Sequence[str]

    def values(self, members: Flags) -> Array:
        """The values of both, a column for each set; documents below the cutoff are in none."""
        members, values = np.pad(members, ((0, 0), (0, 1))), []
        place = {doc: at for at, doc in enumerate(self.docs)}
        for ranked, docs in self.sides:
            player = np.array([place.get(doc, len(place)) for doc in docs], dtype=np.intp)
            values.append(compute_subsets(ranked, self.recipe, members[:, player]))
        return np.stack(values)


def _share_change(game: DocumentGame, change: float, rounding: float) -> Credit:
    count = len(game.docs)
    values = game.values(np.repeat([[True], [False]], count, axis=1))
    tolerance = ROUNDING * max(1.0, float(np.abs(values).max()))
    whole, without = values[1] - values[0]
    if not abs(whole - change) <= _ERROR_FACTOR * tolerance + rounding:
        return Credit({}, problem=_DEPENDS_ON_OTHERS)
    additions = _marginal_changes(game)
    if np.isnan(additions).any():
        return Credit({}, problem="it has no value where only some documents are judged")
    steady = (np.ptp(additions, axis=1) <= tolerance).all(axis=0)
    shares = additions[1, 0] - additions[0, 0]
    notes: tuple[str, ...] = ()
    if not steady.all():
        all_docs = np.arange(count)
        players = np.flatnonzero(~steady) if count > MAX_EXACT_CAUSES else all_docs
        shares[players], notes = _share_among(game, players)
        # Where they do not add up, one only seemed steady.
        if abs(shares.sum() + without - whole) > _ERROR_FACTOR * tolerance:
            shares, notes = _share_among(game, all_docs)
    if not abs(shares.sum() + without - whole) <= _ERROR_FACTOR * tolerance:
        return Credit({}, problem=_DEPENDS_ON_OTHERS)
    shares[np.abs(shares) <= tolerance] = 0.0
    rest = change - float(shares.sum())
    shares_by_doc = dict(zip(game.docs, shares.tolist(), strict=True))
    return Credit(shares_by_doc, 0.0 if abs(rest) <= _ERROR_FACTOR * tolerance else rest, notes)


def _share_among(game: DocumentGame, players: Ranks) -> tuple[Array, tuple[str, ...]]:
    """The game among some documents; what the others add depends on nobody."""

    def changes_of(mixtures: Iterable[int]) -> dict[int, float]:
        unique = list(dict.fromkeys(mixtures))
        members = np.zeros((len(unique), len(game.docs)), dtype=bool)
        packed = b"".join(number.to_bytes(-(-len(players) // 8), "little") for number in unique)
        bits = np.frombuffer(packed, np.uint8).reshape(len(unique), -1)
        members[:, players] = np.unpackbits(bits, 1, len(players), bitorder="little")
        before, after = game.values(members)
        return dict(zip(unique, (after - before).tolist(), strict=True))

    orders = max(16, min(128, _SAMPLE_SETS // len(players)))
    shares, sampling_notes = shapley_values(len(players), changes_of, orders)
    return np.array(shares), (_SAMPLE_NOTE.format(len(players)),) if sampling_notes else ()


def _marginal_changes(game: DocumentGame) -> Array:
    """What each document adds in either run: alone, to all others, and in some sets between."""
    count = len(game.docs)
    if not count:
        return np.zeros((2, 1, 0))
    rng = np.random.default_rng(2002)
    subsets = np.zeros((2 + max(2, min(14, _MAX_TRIALS // count)), count), dtype=bool)
    subsets[1] = True
    for row in subsets[2:]:  # sets of every size are as likely
        row[rng.permutation(count)[: rng.integers(count + 1)]] = True
    single = np.eye(count, dtype=bool)
    members = np.concatenate([subsets[:, None] | single, subsets[:, None] & ~single])
    values = game.values(members.reshape(-1, count)).reshape(2, 2, len(subsets), count)
    marginal: Array = values[:, 0] - values[:, 1]
    return marginal
