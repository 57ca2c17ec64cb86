"""`Entry`: what the catalogue says of one measure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from attrs import evolve, frozen

from gainful.convention import Convention
from gainful.convention.convention import Settings
from gainful.formula import NamedFormula
from gainful.measure.discount import DISCOUNTS, as_query_discount
from gainful.measure.parameters import PARAMETERS
from gainful.types import Array

if TYPE_CHECKING:  # runs do without
    from gainful.convention.session import SessionConvention  # noqa: F401


@frozen
class Direction:
    """Which of two values is better, and the words for better and worse."""

    better_is: Literal["higher", "lower"]
    sign: float  # what a difference is multiplied by to be positive where it is for the better
    best: str  # what the best value is
    worst: str
    decline_verb: str  # what a value did that became worse
    better: str = "better"  # what the better of two systems is called
    worse: str = "worse"

    @property
    def is_lower(self) -> bool:
        """Is less of it better?"""
        return self.better_is == "lower"


HIGHER = Direction("higher", 1.0, "highest", "lowest", "dropped")
LOWER = Direction("lower", -1.0, "lowest", "highest", "rose")
CHEAPER = evolve(LOWER, better="cheaper", worse="more expensive")


RANKING_SETTINGS = ("ties", "unjudged", "negative", "fractional")
# Settings of a tool, which no measure has to say
_TOOL_SETTINGS = ("recall_points", "first_rank", "rbp_grades")

MeasureFunction = Callable[..., Array | tuple[Array, Array]]
CutoffKind = Literal["optional", "needed", "recall", "none"]
Aggregation = Literal["mean", "sum", "geometric", "whole"]

# Over all grades that unjudged documents could have, where are its lowest and highest values?
Extremes = Literal[
    "ends",  # none of them relevant, or all
    "share",  # at some number of relevant ones, the rest being the worst or the best for it
    "every",  # at any number of relevant ones
    "uniform",  # all with the lowest grade, or all with the highest
    "best_grade",  # all with one grade, or only the last of them
    "gains",  # found by what gains bring to the ranking and to its ideal
    "unknown",
]


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
    definition: str  # what it computes, in a line
    example: Example | None = None  # what is registered by a user has none
    function: MeasureFunction  # of a `RankedRun`, sessions, or lists of items
    curve: MeasureFunction | None = None  # its value at every rank, where it has vectors
    arguments: tuple[str, ...] = ()  # what that function takes besides
    defaults: Mapping[str, float | str] = {}  # its parameters, where not what they mostly are
    gain_of: Literal["ranking", "ideal"] = "ranking"  # whose gain is cumulated?
    discounted: bool = False
    normalised: bool = True  # divided by what was possible?
    linear: bool = False  # is the mean over tie orders the value at the mean gains?
    bounded: bool = True  # is 1 the most there can be?
    signed: bool = False  # can it be below 0 where no grade is?
    needs_subtopics: bool = False  # does it ask to what aspects of a query documents are relevant?
    needs_scores: bool = False  # does it ask for more of a score than the rank it gives?
    extremes: Extremes = "unknown"
    sees_nonrelevant: bool = False  # is useless something else to it than unjudged?
    settings: tuple[str, ...] = RANKING_SETTINGS  # what of a convention may stand in its brackets
    cutoff_kind: CutoffKind = "optional"  # what may stand behind @?
    aggregation: Aggregation = "mean"  # how are queries made one number?
    cite: str = "trec_eval"
    registered: bool = False  # was it registered by a user?
    direction: Direction = HIGHER  # is more of it better, or less?
    of_items: Literal["", "items", "interactions"] = ""  # what it asks about beside judgments
    is_cost: bool = False  # is it what searching costs, which gains are held against?
    session: bool = False  # is it a measure of whole sessions?
    takes_recipe: bool = False  # does its function take the whole recipe, not single arguments?
    options: tuple[str, ...] = ()  # what may stand in its brackets, if not its arguments
    cutoff_unit: Literal["results", "queries"] = "results"  # of what is the number behind @?

    @property
    def full_definition(self) -> str:
        """What it computes, and that less of it is better where it is."""
        return f"{self.definition}; lower is better" if self.direction.is_lower else self.definition

    @property
    def has_vectors(self) -> bool:
        """Has it a value at every rank?"""
        return self.curve is not None

    @property
    def cumulated(self) -> bool:
        """Is it plain cumulated gain, which arrays of grades can be asked for rank by rank?"""
        return self.has_vectors and not self.session

    @property
    def counts_gains(self) -> bool:
        """Does it add up what documents are worth by their grades?"""
        return "gain" in self.params and not self.session

    @property
    def params(self) -> tuple[str, ...]:
        """Its parameters, in the order in which they are written."""
        if self.options:
            return self.options
        with_base = ("b",) if "discount" in self.arguments else ()
        with_rel = ("rel",) if "gain" in self.arguments and "rel" not in self.arguments else ()
        arguments = tuple(name for name in self.arguments if name not in _TOOL_SETTINGS)
        with_empty = ("empty",) if self.normalised else ()
        return (*arguments, *with_base, *with_rel, *self.settings, *with_empty)


_CUTOFF_KINDS: Mapping[str, CutoffKind] = {
    "int | None": "optional",
    "int": "needed",
    "float": "recall",
    "": "none",
}
_BY_HAND = re.compile(" of (?=[-0-9a-z])| is ")  # in: a measure of a ranking is its working
_NO_ARGUMENTS = ("ranked", "sessions", "lists", "items", "recipe", "k", "return")
_Function = TypeVar("_Function", bound=MeasureFunction)


def collect_entries(
    entries: list[Entry], **family: Any
) -> Callable[..., Callable[[_Function], _Function]]:
    """A decorator that adds a function of what was matched to these entries as a measure.

    Its question, value and example are read off the docstring of the function, its parameters, its
    cutoff and whether it is a share off its signature.
    """

    def measure(
        name: str, definition: str = "", example: Example | None = None, **facts: Any
    ) -> Callable[[_Function], _Function]:
        def add_entry(function: _Function) -> _Function:
            types = getattr(function, "__annotations__", {})
            question, _, text = (function.__doc__ or "").partition("\n")
            text, _, by_hand = " ".join(text.split()).partition("By hand: ")
            read: dict[str, Any] = {
                "question": question,
                "definition": definition or text.partition("Value: ")[2].strip(),
                "example": example or (Example(*_BY_HAND.split(by_hand, 2)) if by_hand else None),
                "arguments": tuple(key for key in types if key not in _NO_ARGUMENTS),
                "cutoff_kind": _CUTOFF_KINDS[types.get("k", "")],
                "normalised": types.get("return") == "Share",
            }
            entries.append(Entry(name=name, function=function, **read | family | facts))
            return function

        return add_entry

    return measure


FORMULA_PARAMS = {"gain": "rel", "discount": "b", "query_discount": "bq"}  # and what each takes
NO_QUERY_DISCOUNT = as_query_discount(DISCOUNTS["none"])

AnyConvention = TypeVar("AnyConvention", bound=Settings)


@frozen(eq=False, kw_only=True)
class MeasureRecipe(Generic[AnyConvention]):
    """All that is needed to compute a measure."""

    entry: Entry
    measure: Any  # the `Measure` that it is for
    k: int | None  # how many results of a ranking or query count; None for all
    queries: int | None = None  # how many queries of a session count; None for all
    gain: NamedFormula
    discount: NamedFormula
    query_discount: NamedFormula = NO_QUERY_DISCOUNT
    convention: AnyConvention
    explicit: Mapping[str, Any]  # what was set explicitly, in the measure or as an option
    of: Recipe | None = None  # the recipe of the measure that is asked of each query

    @property
    def label(self) -> str:
        """The measure as it is written."""
        return str(self.measure)

    @property
    def cutoff(self) -> float | None:
        """What stands behind @."""
        return self.measure.k  # type: ignore[no-any-return]

    @property
    def direction(self) -> Direction:
        """Is more of it better, or less? Of a measure of queries it is as that one says."""
        return self.entry.direction if self.of is None else self.of.direction

    @property
    def depth(self) -> int | None:
        """How many documents the measure looks at; None for all of them."""
        return self.k if self.entry.cutoff_kind in ("optional", "needed") else None

    def function_arguments(self) -> dict[str, Any]:
        """What the function of the measure is called with, besides what it sees."""
        arguments = {name: self.setting(name) for name in self.entry.arguments}
        if self.entry.cutoff_kind == "none":
            return arguments
        return arguments | {"k": self.cutoff if self.entry.cutoff_kind == "recall" else self.k}

    def setting(self, name: str) -> Any:
        """A parameter of the measure: what was asked for, or what it usually is."""
        if name in FORMULA_PARAMS:
            return getattr(self, name)
        if name in self.convention.TABLE and name not in PARAMETERS:
            return getattr(self.convention, name)
        if name in self.explicit:
            return self.explicit[name]
        in_table = name in self.convention.TABLE and not self.entry.session
        if in_table and getattr(self.convention, name) is not None:
            return getattr(self.convention, name)  # that of sessions says rel of its gain alone
        number = PARAMETERS.get(name)
        return self.entry.defaults.get(name, None if number is None else number.default)


@frozen(eq=False, kw_only=True)
class Recipe(MeasureRecipe[Convention]):
    """All that is needed to compute a measure of single rankings."""

    @property
    def ranking_convention(self) -> Convention:
        """How documents are ranked for it: what is unjudged has a grade only where gains count."""
        if self.entry.counts_gains:
            return self.convention
        return self.convention.with_settings(unjudged_grade=None)


@frozen(eq=False, kw_only=True)
class SessionRecipe(MeasureRecipe["SessionConvention"]):
    """All that is needed to compute a measure of sessions."""

    @property
    def can_pass_one(self) -> bool:
        """Can its value pass 1, though it is a share of an ideal?"""
        entry, convention = self.entry, self.convention
        if not entry.normalised:
            return False
        if "ideal" not in entry.params:
            return not entry.bounded
        if convention.normalise != "session" or convention.statistic in ("best", "last"):
            return False  # each query is divided by an ideal of its own
        return convention.can_pass_one

    @property
    def vector_can_pass_one(self) -> bool:
        """Can its vector pass 1? It goes over all queries, whichever of them is the value."""
        if not (self.entry.normalised and self.entry.has_vectors):
            return False
        return self.convention.normalise == "session" and self.convention.can_pass_one
