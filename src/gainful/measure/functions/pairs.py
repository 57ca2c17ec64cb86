"""Measures of pairs of documents: how often does the better one stand above the other?"""

from __future__ import annotations

import numpy as np

from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import RankedRun


def pair_accuracy(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How many pairs of a relevant document and another one, both retrieved, are in order?"""
    hit = ranked.relevant(rel, k)
    hits = ranked.count(hit)
    depth = ranked.retrieved if k is None else np.minimum(ranked.retrieved, k)
    pairs = hits * (depth - hits)
    others_above = ranked.total(ranked.rank - ranked.cumulate(hit), hit)
    return pairs - others_above, pairs
