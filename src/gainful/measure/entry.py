"""`Entry`: what the catalogue says of one measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from attrs import frozen

from gainful.formula import Array

_OF_GRADES = ("negative", "fractional")
_OF_IDEAL = ("ideal", "ideal_depth")
_OF_TOOLS = ("recall_points", "first_rank")  # habits of a tool, which no measure has to say

Function = Callable[..., Array | tuple[Array, Array]]
Cut = Literal["optional", "needed", "recall", "none"]
Mean = Literal["mean", "sum", "geometric"]


@frozen
class Example:
    """A measure of one ranking, worked out by hand.

    `ranking` has a grade for each rank, - for a document without one, and after | the judged
    documents that were not retrieved; `working` is the sum that leads to the value. Where
    subtopics count, letters stand for grades: the subtopics to which a document is relevant.
    The lists of a session stand one after the other, with / between them.
    """

    measure: str
    ranking: str
    working: str


@frozen(kw_only=True)
class Entry:
    """One measure: what it asks, how it is computed, what one may choose in it."""

    name: str
    question: str
    value: str  # what it computes, in a line
    example: Example | None = None  # what is registered by a user has none
    function: Function | None = None  # of `Seen`; None for cumulated gain, told by three flags
    takes: tuple[str, ...] = ()  # what that function takes besides
    usual: Mapping[str, float | str] = {}  # its parameters, where not what they mostly are
    of: Literal["ranking", "ideal"] = "ranking"  # whose gain is cumulated?
    discounted: bool = False
    normalised: bool = True  # divided by what was possible?
    linear: bool = False  # is the mean over tie orders the value at the mean gains?
    bounded: bool = True  # is 1 the most there can be?
    subtopics: bool = False  # does it ask for what aspects of the query a document is relevant?
    cut: Cut = "optional"  # what may stand behind @?
    mean: Mean = "mean"  # how are queries made one number?
    cite: str = "trec_eval"
    own: bool = False  # was it registered by a user?
    session_function: str = ""  # module.function in measure/sessions, loaded when it is called
    options: tuple[str, ...] = ()  # what may stand in the brackets of a session measure
    counts: Literal["results", "queries"] = "results"  # of what is the number behind @?

    @property
    def cumulated(self) -> bool:
        """Is it plain cumulated gain, which arrays of grades can be asked for rank by rank?"""
        return self.function is None and not self.session

    @property
    def session(self) -> bool:
        """Is it a measure of whole sessions?"""
        return bool(self.session_function)

    @property
    def params(self) -> tuple[str, ...]:
        """What may stand in its brackets, in the order in which it is written."""
        if self.session:
            return self.options
        if self.cumulated:
            return (
                *("gain", "rel"),
                *(("discount", "b") if self.discounted else ()),
                *(_OF_IDEAL if self.normalised or self.of == "ideal" else ()),
                *(("ties", "short", "unjudged") if self.of == "ranking" else ()),
                *_OF_GRADES,
                *(("empty",) if self.normalised else ()),
            )
        ranked = () if self.name == "NumQ" else ("ties", "unjudged", *_OF_GRADES)
        with_base = ("b",) if "discount" in self.takes else ()
        with_rel = ("rel",) if "gain" in self.takes and "rel" not in self.takes else ()
        takes = tuple(name for name in self.takes if name not in _OF_TOOLS)
        return (*takes, *with_base, *with_rel, *ranked, *(("empty",) if self.normalised else ()))
