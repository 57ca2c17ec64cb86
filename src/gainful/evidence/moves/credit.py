"""How much of a query's change does each judged document explain?

A game over the judged documents that were retrieved: only those of a set are seen as judged, the
others keep their ranks and earn nothing, and the pool that the ideal is made of stays whole. What
the set explains is how much the value changes then. The share of a document is its Shapley value;
where a measure is a sum over documents, that is the document's own term.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl
from attrs import define, evolve, field, frozen

from gainful.errors import GainfulError
from gainful.evidence.moves.ranked_query import depth_of
from gainful.evidence.shapley import ALL_ORDERS, NOTHING, effects
from gainful.formula import Array
from gainful.match.matched import Flags, Matched, Ranks, Subtopics, by_grade
from gainful.measure.evaluate import of_matched
from gainful.measure.ranked_run import Seen, seen
from gainful.measure.recipe import Recipe
from gainful.read.qrels_and_run import Judgments

_TRIED = 1000  # documents times sets in which it is tried whether one always adds the same
_SETS = 5000  # so many of them make a sample of orders
_SUMMED = 1e3  # times: what many small errors come to
_AT_ONCE = 1_000_000  # documents of all sets that are computed together
_OF_OTHERS = "its value is not made of this query alone"
_SAMPLED = (
    "what {} documents explain is averaged over a sample of the orders in which they can come, "
    "not over all"
)


@frozen(eq=False)
class Side:
    """One query in one run: its judged documents at their ranks, by name."""

    held: Seen
    docs: Sequence[str]  # of each retrieved judged document


@frozen
class Credit:
    """What each document explains; `problem` says why none does, if the measure has no answer."""

    shares: dict[str, float]
    rest: float | None = None  # what is left, and changes without any judged document
    notes: tuple[str, ...] = ()
    problem: str = ""


def side(qrels: Judgments, matched: Matched, query: str, recipe: Recipe) -> Side:
    """One query of what was matched, with the names of its documents.

    Documents that the convention takes out of the ranking are out of it: the others have moved up.
    """
    pool = qrels.frame.filter(pl.col("query") == query)
    grade = pool["grade"].to_numpy()
    names = pool["doc"].gather(by_grade(np.zeros(len(grade), dtype=np.intp), grade))
    if recipe.convention.negative == "remove":
        names = names.head(int((grade >= 0).sum()))  # the best grade is first
    flags = np.fromiter((name == query for name in matched.queries), bool, len(matched.queries))
    held = seen(matched.only(flags), recipe.convention)
    place = np.zeros(0, dtype=np.intp) if held.place is None else held.place
    return Side(held, names.gather(place).to_list())


def credit(before: Side, after: Side, recipe: Recipe, change: float) -> Credit:
    """How much of the change of a query does each of its judged documents explain?"""
    sides, settled = (before, after), _settled(recipe)
    if _of_list(settled, sides):
        sides = _pooled(before), _pooled(after)
        settled = evolve(settled, convention=settled.convention.changed(ideal="judged"))
    decimals = recipe.convention.decimals
    try:
        game = Judged(sides, settled, _players(sides, settled))
        return _shared(game, change, 0.0 if decimals is None else 10.0**-decimals)
    except GainfulError as refused:
        return Credit({}, problem=f"it cannot be computed of a part of the judged ones: {refused}")


def _settled(recipe: Recipe) -> Recipe:
    """What was taken out of the rankings is out already, and nothing is rounded."""
    kept = "zero" if recipe.convention.negative == "remove" else recipe.convention.negative
    habits = recipe.convention.changed(unjudged="zero", negative=kept, decimals=None)
    return evolve(recipe, convention=habits)


def _of_list(recipe: Recipe, sides: tuple[Side, Side]) -> bool:
    """Is the ideal made of the list itself, and can it be told as a pool as well?

    What is worth less than nothing has its place in such an ideal behind all that is unjudged.
    """
    habits, entry = recipe.convention, recipe.measure.entry
    if not (entry.cumulated and entry.of == "ranking" and habits.ideal == "list"):
        return False
    lowest = min(float(one.held.gains(recipe.gain).min(initial=0.0)) for one in sides)
    return habits.short == "as_is" and (habits.negative != "in_ideal" or lowest >= 0)


def _pooled(one: Side) -> Side:
    """Where the ideal is made of the list, all of the list is its pool, and stays it."""
    held = one.held
    pool = evolve(held, pool_query=held.query, pool_grade=held.grade, place=None, subtopics=None)
    return evolve(one, held=pool)


def _players(sides: tuple[Side, Side], recipe: Recipe) -> list[str]:
    """The documents that may explain anything: below its cutoff no measure of ours looks.

    It is otherwise where the ideal is made of the list, and can only be made of it as it is.
    """
    deep = recipe.measure.entry.own or recipe.convention.ideal == "list"
    depth = None if deep else depth_of(recipe)
    return sorted(
        {
            doc
            for one in sides
            for doc, first, rank in zip(one.docs, one.held.first, one.held.rank, strict=True)
            if depth is None or min(first, rank) <= depth
        }
    )


@define(eq=False)
class Judged:
    """The value of one query in two runs, whichever of its documents are seen as judged."""

    sides: tuple[Side, Side]
    how: Recipe
    docs: Sequence[str]

    def values(self, member: Flags) -> Array:
        """The values of both, a column for each set; documents below the cutoff are in none."""
        return np.stack([self._values(one, member) for one in self.sides])

    def _values(self, one: Side, member: Flags) -> Array:
        number = {doc: at for at, doc in enumerate(self.docs)}
        player = np.array([number.get(doc, len(number)) for doc in one.docs], dtype=np.intp)
        member = np.pad(member, ((0, 0), (0, 1)))
        some = max(1, _AT_ONCE // (1 + len(player) + len(one.held.pool_grade)))
        parts = [
            of_matched(_repeated(one.held, member[begin : begin + some, player]), {"": self.how})
            for begin in range(0, len(member), some)
        ]
        return np.concatenate(
            [np.ma.filled(np.ma.asarray(part[""], dtype=float), np.nan) for part in parts]
        )


def _repeated(ranked: Seen, member: Flags) -> Matched:
    """A query for each set, in which only its documents are judged; the pool is the whole one."""
    size, pool = len(member), len(ranked.pool_grade)
    number, hit = np.nonzero(member)
    return evolve(
        ranked,
        queries=[*ranked.queries] * size,
        judged=np.repeat(ranked.judged, size),
        found=np.repeat(ranked.found, size),
        retrieved=np.repeat(ranked.retrieved, size),
        pool_query=np.repeat(np.arange(size), pool),
        pool_grade=np.tile(ranked.pool_grade, size),
        query=number,
        grade=ranked.grade[hit],
        place=None if ranked.place is None else ranked.place[hit] + pool * number,
        subtopics=None if ranked.subtopics is None else _tiled(ranked.subtopics, size, pool),
        **{name: getattr(ranked, name)[hit] for name in ranked.ranks},
    )


def _tiled(told: Subtopics, size: int, pool: int) -> Subtopics:
    later = np.repeat(pool * np.arange(size), len(told.doc))
    return Subtopics(
        doc=np.tile(told.doc, size) + later,
        subtopic=np.tile(told.subtopic, size),
        grade=np.tile(told.grade, size),
    )


def _shared(game: Judged, change: float, rounding: float) -> Credit:
    count = len(game.docs)
    values = game.values(np.repeat([[True], [False]], count, axis=1))
    allowed = NOTHING * max(1.0, float(np.abs(values).max()))
    whole, without = values[1] - values[0]
    if not abs(whole - change) <= _SUMMED * allowed + rounding:
        return Credit({}, problem=_OF_OTHERS)
    own = _added(game)
    if np.isnan(own).any():
        return Credit({}, problem="it has no value where only some documents are judged")
    steady = (np.ptp(own, axis=1) <= allowed).all(axis=0)
    shares = own[1, 0] - own[0, 0]
    notes: tuple[str, ...] = ()
    if not steady.all():
        everyone = np.arange(count)
        players = np.flatnonzero(~steady) if count > ALL_ORDERS else everyone
        shares[players], notes = _among(game, players)
        if abs(shares.sum() + without - whole) > _SUMMED * allowed:  # one only seemed steady
            shares, notes = _among(game, everyone)
    if not abs(shares.sum() + without - whole) <= _SUMMED * allowed:
        return Credit({}, problem=_OF_OTHERS)
    shares[np.abs(shares) <= allowed] = 0.0
    rest = change - float(shares.sum())
    named = dict(zip(game.docs, shares.tolist(), strict=True))
    return Credit(named, 0.0 if abs(rest) <= _SUMMED * allowed else rest, notes)


def _among(game: Judged, players: Ranks) -> tuple[Array, tuple[str, ...]]:
    """The Shapley values of some documents."""
    found, sampled = effects(_Among(game, players), orders=max(16, min(128, _SETS // len(players))))
    return np.array(found), (_SAMPLED.format(len(players)),) if sampled else ()


def _added(game: Judged) -> Array:
    """What each document adds in either run: alone, to all others, and in some sets between."""
    count = len(game.docs)
    if not count:
        return np.zeros((2, 1, 0))
    random = np.random.default_rng(2002)
    base = np.zeros((2 + max(2, min(14, _TRIED // count)), count), dtype=bool)
    base[1] = True
    for row in base[2:]:  # sets of every size are as likely
        row[random.permutation(count)[: random.integers(count + 1)]] = True
    own = np.eye(count, dtype=bool)
    member = np.concatenate([base[:, None] | own, base[:, None] & ~own])
    values = game.values(member.reshape(-1, count)).reshape(2, 2, len(base), count)
    added: Array = values[:, 0] - values[:, 1]
    return added


@frozen
class _Document:
    name: str


@define(eq=False)
class _Among:
    """The game among some documents; what the others add depends on nobody."""

    game: Judged
    players: Ranks
    _known: dict[int, float] = field(factory=dict)

    @property
    def causes(self) -> list[_Document]:
        return [_Document(self.game.docs[at]) for at in self.players.tolist()]

    @property
    def all(self) -> int:
        return (1 << len(self.players)) - 1

    def means(self, mixtures: Iterable[int]) -> dict[int, float]:
        asked = list(dict.fromkeys(mixtures))
        new = [one for one in asked if one not in self._known]
        if new:
            member = np.zeros((len(new), len(self.game.docs)), dtype=bool)
            member[:, self.players] = _bits(new, len(self.players))
            before, after = self.game.values(member)
            self._known |= zip(new, (after - before).tolist(), strict=True)
        return {one: self._known[one] for one in asked}

    def mean(self, mixture: int) -> float:
        return self.means([mixture])[mixture]


def _bits(numbers: Sequence[int], count: int) -> Flags:
    wide = -(-count // 8)
    held = b"".join(one.to_bytes(wide, "little") for one in numbers)
    rows = np.frombuffer(held, np.uint8).reshape(len(numbers), wide)
    return np.unpackbits(rows, axis=1, count=count, bitorder="little").astype(bool)
