"""The measures there are. To add one, add an entry: language, help and docs read this table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import frozen

_OF_GRADES = ("negative", "fractional")
_OF_RANKING = ("ties", "short")
_OF_IDEAL = ("ideal", "ideal_depth")


@frozen(kw_only=True)
class Entry:
    """One measure: what it asks, what it is made of, what one may choose in it."""

    name: str
    question: str
    of: Literal["ranking", "ideal"] = "ranking"  # whose gain is cumulated?
    discounted: bool
    normalised: bool = False  # divided by the ideal?
    linear: bool = True  # is the mean over tie orders the value at the mean gains?
    cite: str = "jarvelin2002"

    @property
    def params(self) -> tuple[str, ...]:
        """What may stand in its brackets, in the order in which it is written."""
        return (
            *("gain", "rel"),
            *(("discount", "b") if self.discounted else ()),
            *(_OF_IDEAL if self.normalised or self.of == "ideal" else ()),
            *(_OF_RANKING if self.of == "ranking" else ()),
            *_OF_GRADES,
            *(("empty",) if self.normalised else ()),
        )


_ALL = (
    Entry(
        name="nDCG",
        question="How near is the ranking to the best one that was possible?",
        discounted=True,
        normalised=True,
    ),
    Entry(
        name="DCG",
        question="How much does a searcher gain who looks less and less closely further down?",
        discounted=True,
    ),
    Entry(
        name="IDCG",
        question="How much would a searcher gain from the best ranking that was possible?",
        of="ideal",
        discounted=True,
    ),
    Entry(
        name="nCG",
        question="What share of the gain that was possible have the first k documents?",
        discounted=False,
        normalised=True,
    ),
    Entry(
        name="CG",
        question="How much do the first k documents gain together, whatever their order?",
        discounted=False,
    ),
)

MEASURES: Mapping[str, Entry] = {entry.name: entry for entry in _ALL}
