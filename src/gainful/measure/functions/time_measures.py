"""TBG and U: gain that decays with the time a searcher has spent, or with the text read.

Both walk down the list and add up what is spent before a document is reached. Of documents that
nobody judged, only how many stand above matters, so that the ranks of judged ones are enough.
"""

from __future__ import annotations

import numpy as np

from gainful.formula import NamedFormula
from gainful.measure.ranked_run import RankedRun
from gainful.types import Array


def time_biased_gain(
    ranked: RankedRun,
    *,
    half_life: float,
    per_summary: float,
    words: float,
    per_word: float,
    per_document: float,
    click: float,
    false_click: float,
    save: float,
    rel: float,
    k: int | None,
) -> Array:
    """How many relevant documents does a searcher save, if interest halves every half_life?

    A searcher reads every summary; a relevant document is opened with `click`, another with
    `false_click`, and takes per_word · words + per_document seconds.
    """
    hit = ranked.relevant(rel, k)
    above = ranked.rank - 1.0
    relevant_above = ranked.cumulate(hit) - hit
    opened = click * relevant_above + false_click * (above - relevant_above)
    seconds = per_summary * above + (per_word * words + per_document) * opened
    return click * save * ranked.total(time_decay(seconds, half_life), hit)


def time_decay(seconds: Array, half_life: float) -> Array:
    """What is left of a gain after so many seconds: half of it after each half_life."""
    return np.exp2(-seconds / half_life)


def u_measure(
    ranked: RankedRun,
    *,
    gain: NamedFormula,
    rel: float,
    L: float,  # noqa: N803  (as in the paper)
    snippet: float,
    chars: float,
    read_share: float,
    k: int | None,
) -> Array:
    """How much is gained along the text that is read, if nothing counts beyond L characters?

    A searcher reads every snippet, and of a relevant document `read_share` of its `chars`.
    """
    read = read_share * chars * ranked.cumulate(ranked.relevant(rel, k))
    position = snippet * ranked.rank + read
    return ranked.total(ranked.gains(gain) * text_decay(position, L), ranked.top(k))


def text_decay(position: Array, length: float) -> Array:
    """What is left of a gain at this place of the text: less and less, and nothing beyond."""
    return np.maximum(0.0, 1 - position / length)
