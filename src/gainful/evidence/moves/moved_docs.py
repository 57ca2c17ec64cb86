"""Which queries changed most between two runs, what moved in them, and what that explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs
import numpy as np
from attrs import frozen

from gainful.errors import BadValue, counted
from gainful.evidence.moves.credit import Credit, credit, side
from gainful.evidence.moves.ranked_query import Row, depth_of, grades_of, ranking
from gainful.evidence.moves.select_queries import some_of_judgments, some_of_run
from gainful.evidence.shapley import NOTHING
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.read.lazy import Elsewhere
from gainful.read.qrels_and_run import Judgments, Nested, Run

What = Literal["up", "down", "same", "lost", "new"]
_ALIKE = 12  # decimals to which two changes are compared: sums come in different orders


@frozen
class Moved:
    """A judged document in both rankings; no rank where it was not retrieved.

    `what` is told of the first k documents: one that leaves them is lost, though it may still
    have a rank. Where ties are averaged, a rank is the mean of those that are shared.
    """

    doc: str
    grade: float
    before: float | None
    after: float | None
    what: What
    share: float | None  # of the change; None where the measure cannot say


@frozen
class Changed:
    """A query whose value changed, and what moved in it.

    The shares of its documents and `rest` add up to the change: `rest` is what changes without
    any judged document. It is None where the measure cannot say, and so are the shares. `up` to
    `new` count all documents among the first k, judged or not; `unjudged` are those of them
    without a judgment, in either run.
    """

    query: str
    before: float
    after: float
    change: float
    documents: tuple[Moved, ...]
    rest: float | None
    up: int
    down: int
    lost: int
    new: int
    unjudged: tuple[int, int]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return attrs.asdict(self)


@frozen
class MostChanged:
    """The queries of two runs that changed most: those that rose, then those that fell.

    Queries are paired by their ids; `alone` counts those that have a value in one run only.
    """

    measure: str
    runs: tuple[str, str]  # the baseline first
    depth: int | None  # how many documents the measure looks at; None for all
    queries: tuple[Changed, ...]
    rose: int
    fell: int
    same: int
    alone: tuple[int, int]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": self.measure,
            "baseline": self.runs[0],
            "run": self.runs[1],
            "depth": self.depth,
            "rose": self.rose,
            "fell": self.fell,
            "same": self.same,
            "only_in_baseline": self.alone[0],
            "only_in_run": self.alone[1],
            "queries": [one.to_dict() for one in self.queries],
        }


def most_changed(
    qrels: Judgments | Nested,
    runs: tuple[Run | Nested | Elsewhere, Run | Nested | Elsewhere],
    recipe: Recipe,
    values: tuple[Results, Results],
    *,
    most: int = 5,
) -> MostChanged:
    """Which queries changed most from one run to another, and what moved in them?

    Args:
        judgments: what was judged.
        runs: the baseline, and the run that is compared with it.
        how: one of the measures that were computed.
        values: the results of both.
        most: how many queries to take apart that rose, and how many that fell.

    Examples:
        >>> from gainful.measure.evaluate import asked_for, of_run
        >>> from gainful.read.inputs import as_judgments, as_run
        >>> judged = as_judgments({"1": {"a": 1}})
        >>> runs = as_run({"1": ["b", "a"]}), as_run({"1": ["a", "b"]})
        >>> base, recipes = asked_for("RR", None, {})
        >>> values = tuple(of_run(judged, run, recipes, base) for run in runs)
        >>> most_changed(judged, runs, recipes["RR"], values).queries[0].documents
        (Moved(doc='a', grade=1.0, before=2, after=1, what='up', share=0.5),)
    """
    if most < 0:
        raise BadValue("most", most, "a whole number from 0 on")
    (before, _, _), (after, name, recipe) = (_values(one, recipe) for one in values)
    both = [query for query in before if query in after]
    changes = {query: round(after[query] - before[query], _ALIKE) for query in both}
    moved = {query: change for query, change in changes.items() if _counts(change, before[query])}
    by_size = sorted(moved, key=lambda query: (-abs(moved[query]), query))
    rose = [query for query in by_size if moved[query] > 0]
    fell = [query for query in by_size if moved[query] < 0]
    chosen = [*rose[:most], *fell[:most]]
    held = _Held.of(qrels, runs, recipe, chosen) if chosen else None
    return MostChanged(
        measure=name,
        runs=(values[0].name, values[1].name),
        depth=depth_of(recipe),
        queries=tuple(held.changed(query, before[query], after[query]) for query in chosen if held),
        rose=len(rose),
        fell=len(fell),
        same=len(both) - len(moved),
        alone=(len(before) - len(both), len(after) - len(both)),
    )


def _counts(change: float, before: float) -> bool:
    return abs(change) > NOTHING * (1 + abs(before))


def _values(found: Results, recipe: Recipe) -> tuple[dict[str, float], str, Recipe]:
    """The value of each query that has one; the measure as it was asked for and computed."""
    name = next((key for key, one in found.measures.items() if one == recipe.measure), None)
    if name is None:
        known = ", ".join(map(str, found.measures.values()))
        raise BadValue("how", str(recipe.measure), f"a measure that was computed: {known}")
    values = np.ma.asarray(found.values[name]).tolist()
    known_values = zip(found.queries, values, strict=True)
    own = {query: value for query, value in known_values if value is not None}
    return own, name, found.recipes[name]


@frozen(eq=False)
class _Held:
    """The few queries that are taken apart."""

    judgments: Judgments
    runs: tuple[Run, Run]
    found: tuple[Matched, Matched]
    how: Recipe

    @classmethod
    def of(
        cls,
        qrels: Judgments | Nested,
        runs: tuple[Run | Nested | Elsewhere, Run | Nested | Elsewhere],
        recipe: Recipe,
        queries: Sequence[str],
    ) -> _Held:
        some = some_of_judgments(qrels, queries)
        before, after = (some_of_run(run, queries) for run in runs)
        found = tuple(match(some, run, recipe.convention) for run in (before, after))
        return cls(some, (before, after), (found[0], found[1]), recipe)

    def changed(self, query: str, before: float, after: float) -> Changed:
        """What moved in a query, and how much of its change that explains."""
        grades = grades_of(self.judgments, query)
        depth = depth_of(self.how)
        rows = [ranking(run, query, grades, self.how) for run in self.runs]
        ranks, top = [_ranks(one) for one in rows], [_ranks(one, depth) for one in rows]
        both = top[0].keys() | top[1].keys()
        what = {doc: _what(top[0].get(doc), top[1].get(doc)) for doc in both}
        told = list(what.values())
        sides = [side(self.judgments, found, query, self.how) for found in self.found]
        explained = credit(sides[0], sides[1], self.how, after - before)
        return Changed(
            query=query,
            before=before,
            after=after,
            change=after - before,
            documents=_documents(explained, grades, ranks, what),
            rest=explained.rest,
            up=told.count("up"),
            down=told.count("down"),
            lost=told.count("lost"),
            new=told.count("new"),
            unjudged=(_unjudged(top[0], grades), _unjudged(top[1], grades)),
            notes=_notes(self.how, explained),
        )


def _notes(recipe: Recipe, explained: Credit) -> tuple[str, ...]:
    decimals = recipe.convention.decimals
    if explained.problem:
        told = f"{recipe.measure} does not tell what each document explains: {explained.problem}"
        return (told,)
    if decimals is None or not explained.rest:
        return explained.notes
    rounded = f"values are rounded to {counted(decimals, 'decimal')}, what documents explain is not"
    return (*explained.notes, rounded)


def _ranks(rows: Sequence[Row], depth: int | None = None) -> dict[str, float]:
    """The rank of each document, the first one of a document that stands there twice."""
    found: dict[str, float] = {}
    for row in rows:
        if row.doc is not None and (depth is None or row.rank <= depth):
            mean = row.rank if row.rank == row.until else (row.rank + row.until) / 2
            found.setdefault(row.doc, mean)
    return found


def _what(before: float | None, after: float | None) -> What:
    if before is None:
        return "new"
    if after is None:
        return "lost"
    return "same" if before == after else ("up" if after < before else "down")


def _unjudged(top: Mapping[str, float], grades: Mapping[str, float]) -> int:
    return len(top.keys() - grades.keys())


def _documents(
    explained: Credit,
    grades: Mapping[str, float],
    ranks: Sequence[Mapping[str, float]],
    what: Mapping[str, What],
) -> tuple[Moved, ...]:
    """The documents that explain something; where that is not known, those that moved."""
    before, after = ranks
    shares: dict[str, float | None] = {
        doc: share for doc, share in explained.shares.items() if share
    }
    if explained.problem:
        shares = {doc: None for doc in what if doc in grades and what[doc] != "same"}
    found = [
        Moved(
            doc=doc,
            grade=grades[doc],
            before=before.get(doc),
            after=after.get(doc),
            what=what.get(doc) or _what(before.get(doc), after.get(doc)),
            share=share,
        )
        for doc, share in shares.items()
    ]
    return tuple(sorted(found, key=_largest_first))


def _largest_first(one: Moved) -> tuple[float, float, float, str]:
    before, after = (np.inf if rank is None else rank for rank in (one.before, one.after))
    return -round(abs(one.share or 0.0), _ALIKE), after, before, one.doc
