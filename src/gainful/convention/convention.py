"""`Convention`: all that changes a number, as one value that can be read aloud."""

from __future__ import annotations

from typing import Any, Literal

import attrs
from attrs import field, frozen

from gainful.convention.settings import HABITS, Setting
from gainful.errors import UnknownName

Ideal = Literal["judged", "list"]
IdealDepth = Literal["k", "all", "retrieved"]
Ties = Literal[
    "doc_descending", "doc_ascending", "input", "reversed", "average", "best", "worst", "mean_rank"
]
Unjudged = Literal["zero", "remove"]
Negative = Literal["zero", "keep", "remove", "in_ideal", "error"]
Fractional = Literal["keep", "truncate", "error"]
Empty = Literal[0, 1, "skip", "error"]
Missing = Literal["zero", "skip", "error"]
Extra = Literal["ignore", "empty", "zero", "error"]
Duplicates = Literal["error", "last", "count"]
Namesake = Literal["count", "remove"]
Short = Literal["as_is", "minimum"]
RecallPoints = Literal["trec_eval_10", "trec_eval_9"]
FirstRank = Literal["share", "as_is"]


def _in_table(_: Any, attribute: attrs.Attribute[Any], value: Setting) -> None:
    HABITS[attribute.name].check(value)


def _habit(default: Any) -> Any:
    return field(default=default, validator=_in_table)


@frozen(kw_only=True)
class Convention:
    """How a number comes about: one field for every habit in which tools differ.

    The defaults are gainful's own: trec_eval's habits, except that fractions count, missing
    queries count as 0, and nothing is skipped in silence.

    Examples:
        >>> Convention(gain="exp").changed(empty=1).differences(Convention())
        {'gain': ('exp', 'linear'), 'empty': (1, 0)}
    """

    gain: str = _habit("linear")
    discount: str = _habit("log2")
    b: float | None = _habit(None)
    rel: float | None = _habit(None)
    max_grade: float | None = _habit(None)
    cutoff: int | None = _habit(None)
    ideal: Ideal = _habit("judged")
    ideal_depth: IdealDepth = _habit("k")
    ties: Ties = _habit("doc_descending")
    unjudged: Unjudged = _habit("zero")
    negative: Negative = _habit("zero")
    fractional: Fractional = _habit("keep")
    empty: Empty = _habit(0)
    missing: Missing = _habit("zero")
    extra: Extra = _habit("ignore")
    duplicates: Duplicates = _habit("error")
    namesake: Namesake = _habit("count")
    short: Short = _habit("as_is")
    score_bits: Literal[64, 32] = _habit(64)
    grade_bits: Literal[64, 32] = _habit(64)
    recall_points: RecallPoints = _habit("trec_eval_10")
    first_rank: FirstRank = _habit("share")
    decimals: int | None = _habit(None)

    # Measures of which this tool breaks ties otherwise; RR@ is RR with a cutoff.
    ties_of: tuple[tuple[str, Ties], ...] = ()

    # Whose habits these are; no part of what two conventions are compared by.
    name: str = field(default="gainful", eq=False)
    title: str = field(default="gainful's own habits", eq=False)
    note: str = field(default="", eq=False)
    has_ndcg: bool = field(default=True, eq=False)  # or other measures only?

    def changed(self, **habits: Any) -> Convention:
        """The same convention with some habits changed; an unknown one is an error."""
        for habit in habits:
            if habit not in HABITS:
                raise UnknownName("convention field", habit, HABITS)
        return attrs.evolve(self, **habits)

    def settings(self) -> dict[str, Setting]:
        """Every habit with its answer, in the order of the table."""
        return {name: getattr(self, name) for name in HABITS}

    def differences(self, other: Convention) -> dict[str, tuple[Setting, Setting]]:
        """The habits in which two conventions differ, with the answers of both."""
        mine, theirs = self.settings(), other.settings()
        return {name: (mine[name], theirs[name]) for name in HABITS if mine[name] != theirs[name]}
