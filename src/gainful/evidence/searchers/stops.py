"""`Stops`: how far searchers got, each as it is known, and how likely a model makes that."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from attrs import evolve, frozen

from gainful.types import Array, Flags, Ranks

STOPPED, AT_LEAST, CLICKED = 0, 1, 2  # how it is known


@frozen(eq=False)
class Stops:
    """How far each searcher got, down a list or through the queries of a session.

    What is alike is stored once: a row of `kinds` is how it is known and three numbers.

    - STOPPED: stopped at the first number, and could have gone on.
    - AT_LEAST: got to the first number, where the list ends or the log does.
    - CLICKED: clicked last at the first number (0 never), so many clicks, in a list of so many.
    """

    kinds: Ranks
    kind: Ranks  # of each observation: its row
    cluster: Ranks  # of each observation: who made it, as a number

    @property
    def size(self) -> int:
        """How many observations there are."""
        return len(self.kind)

    @cached_property
    def counts(self) -> Array:
        """How many observations there are of each kind."""
        return np.bincount(self.kind, minlength=len(self.kinds)).astype(np.float64)

    @cached_property
    def has_clicks(self) -> bool:
        """Is anything known by clicks alone?"""
        return bool((self.kinds[:, 0] == CLICKED).any())

    @property
    def furthest(self) -> int:
        """The furthest rank or query that a likelihood needs to know of."""
        known_by_clicks = self.kinds[:, 0] == CLICKED
        ends = np.where(known_by_clicks, self.kinds[:, 3], self.kinds[:, 1])
        return int(ends.max(initial=1))

    def select(self, flags: Flags) -> Stops:
        """Some of the observations."""
        return evolve(self, kind=self.kind[flags], cluster=self.cluster[flags])

    def log_likelihoods(self, survival: Array, click: float = 0.5) -> Array:
        """The logarithm of how likely each kind is.

        Args:
            survival: the share of searchers who get to 1, 2, … and one past the furthest.
            click: how likely a result that is looked at is clicked.
        """
        stopping = survival[:-1] - survival[1:]
        stopped, here, clicked = self._places
        with np.errstate(divide="ignore", invalid="ignore"):
            result = np.log(np.maximum(np.where(stopped, stopping[here], survival[here]), 0.0))
            if self.has_clicks:
                result[clicked] = self._click_likelihoods(survival, stopping, click)
        return np.asarray(result)

    @cached_property
    def _places(self) -> tuple[Flags, Ranks, Flags]:
        """Per kind: did it stop, at which place of a survival, and is it known by clicks?"""
        known_by = self.kinds[:, 0]
        return known_by == STOPPED, np.maximum(self.kinds[:, 1], 1) - 1, known_by == CLICKED

    @cached_property
    def _clicks(self) -> tuple[Ranks, Ranks, Ranks, Ranks]:
        """Per kind with clicks: the last, how many, the column of its length; and all lengths."""
        last, clicks, length = self.kinds[self._places[2], 1:].T
        lengths, column = np.unique(length, return_inverse=True)
        return last, clicks, column.astype(np.intp), lengths

    def _click_likelihoods(self, survival: Array, stopping: Array, click: float) -> Array:
        """Of a last click: the searcher got at least so far, and clicked nothing on the way on.

        From rank r on, in a list of n, nothing more is clicked with Q(r) = P(depth = r) +
        (1 − click) · Q(r + 1), and Q(n) = P(depth ≥ n); all of it given nothing.
        """
        last, clicks, column, lengths = self._clicks
        rank = np.arange(1, int(lengths.max()) + 1)[:, None]
        here = np.where(rank < lengths, stopping[rank - 1], survival[rank - 1])
        quiet = np.where(rank <= lengths, here, 0.0)
        step = 1
        while step < len(quiet):  # sums of 1, 2, 4, 8 … terms
            quiet[:-step] = quiet[:-step] + (1 - click) ** step * quiet[step:]
            step *= 2
        quiet = np.vstack([(1 - click) * quiet[:1], quiet])
        skipped = last - clicks
        return np.asarray(
            clicks * np.log(click) + skipped * np.log1p(-click) + np.log(quiet[last, column])
        )


def collect_stops(rows: Ranks, cluster: Ranks) -> Stops:
    """Observations, what is alike stored once."""
    base = int(rows.max(initial=0)) + 1
    key = rows @ (base ** np.arange(rows.shape[1], dtype=np.int64)[::-1])
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    return Stops(rows[first], kind.astype(np.intp), cluster)


def count_stops(reached: Ranks, cut: Flags, cluster: Ranks) -> Stops:
    """Observations of how far searchers got; where one was cut off, it is a lower bound."""
    known_by = np.where(cut, AT_LEAST, STOPPED)
    zeros = np.zeros_like(reached)
    return collect_stops(
        np.column_stack([known_by, reached, zeros, zeros]).astype(np.intp), cluster
    )
