"""What a run shows of a catalogue: coverage, concentration, novelty.

They ask about items and not about judgments, so they see the first documents of each query, judged
or not; a number for the run, or one for each query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log2
from typing import Any

import numpy as np

from gainful.errors import BadInput
from gainful.read.items import Items

Lists = Mapping[str, Sequence[str]]  # the first documents of each query


def coverage(lists: Lists, items: Items) -> Any:
    """What share of the catalogue is shown to anyone?"""
    catalogue = items.catalogue or frozenset()
    return len(catalogue & _count_shown(lists, items).keys()) / len(catalogue)


def _count_shown(lists: Lists, items: Items) -> Counter[str]:
    shown = Counter(doc for docs in lists.values() for doc in docs)
    if shown and not shown.keys() & (items.catalogue or frozenset()):
        raise BadInput("items", "none of them is in the run", "the ids that the run has")
    return shown


def gini(lists: Lists, items: Items) -> Any:
    """How unequally are the items of the catalogue shown? 0: all alike; near 1: a few alone."""
    shown = _count_shown(lists, items)
    exposure = np.sort([shown[item] for item in items.catalogue or ()]).astype(np.float64)
    places = 2 * np.arange(1, len(exposure) + 1) - len(exposure) - 1
    return float(places @ exposure / (len(exposure) * exposure.sum()))


def novelty(lists: Lists, items: Items) -> Any:
    """How surprising are the items shown: the mean of -log2 of the share of users who know them?

    An item that nobody knows is as surprising as one that a single user knows.
    """
    popularity = items.popularity or {}
    return {
        query: float(np.mean([log2(items.users / popularity.get(doc, 1)) for doc in docs]))
        for query, docs in lists.items()
        if docs
    }
