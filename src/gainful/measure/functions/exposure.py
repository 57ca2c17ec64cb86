"""Measures of what a run shows of a catalogue: coverage, concentration, novelty.

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
from gainful.measure.entry import LOWER, Entry, collect_entries
from gainful.read.items import Items

Lists = Mapping[str, Sequence[str]]  # the first documents of each query
EXPOSURE: list[Entry] = []
_measure = collect_entries(EXPOSURE, settings=(), cutoff_kind="needed")


@_measure("Coverage", of_items="items", aggregation="whole", cite="ge2010")
def coverage(lists: Lists, items: Items) -> Any:
    """What share of the catalogue is among the first k of any query?

    Value: items among the first k of any query / items of the catalogue
    """
    catalogue = items.catalogue or frozenset()
    return len(catalogue & _count_shown(lists, items).keys()) / len(catalogue)


def _count_shown(lists: Lists, items: Items) -> Counter[str]:
    shown = Counter(doc for docs in lists.values() for doc in docs)
    if shown and not shown.keys() & (items.catalogue or frozenset()):
        raise BadInput("items", "none of them is in the run", "the ids that the run has")
    return shown


@_measure("Gini", of_items="items", aggregation="whole", direction=LOWER, cite="shani2011")
def gini(lists: Lists, items: Items) -> Any:
    """How unequally does a run show the items of the catalogue?

    Value: Gini coefficient of how many queries have an item among the first k: 0 if all have the
    same number
    """
    shown = _count_shown(lists, items)
    exposure = np.sort([shown[item] for item in items.catalogue or ()]).astype(np.float64)
    places = 2 * np.arange(1, len(exposure) + 1) - len(exposure) - 1
    return float(places @ exposure / (len(exposure) * exposure.sum()))


@_measure("Novelty", of_items="interactions", bounded=False, cite="zhou2010")
def novelty(lists: Lists, items: Items) -> Any:
    """How surprising are the first k items to those who know what is popular?

    Value: mean over the first k of -log2 of the share of users who know the item; one that nobody
    knows counts as known to one
    """
    popularity = items.popularity or {}
    return {
        query: float(np.mean([log2(items.users / popularity.get(doc, 1)) for doc in docs]))
        for query, docs in lists.items()
        if docs
    }


EXPOSURE_MEASURES = {entry.name: entry for entry in EXPOSURE}
