"""`Convention`: all that changes a number, as one value that can be read aloud."""

from __future__ import annotations

from typing import Any, Literal

import attrs
from attrs import field, frozen

from gainful.convention.settings import SETTINGS, SettingValue
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


def _check_setting(_: Any, attribute: attrs.Attribute[Any], value: SettingValue) -> None:
    SETTINGS[attribute.name].check(value)


def _setting(default: Any) -> Any:
    return field(default=default, validator=_check_setting)


@frozen(kw_only=True)
class Convention:
    """How a number comes about: one field for every habit in which tools differ.

    The defaults are gainful's own: trec_eval's habits, except that fractions count, missing
    queries count as 0, and nothing is skipped in silence.

    Examples:
        >>> Convention(gain="exp").with_settings(empty=1).differences(Convention())
        {'gain': ('exp', 'linear'), 'empty': (1, 0)}
    """

    gain: str = _setting("linear")
    discount: str = _setting("log2")
    b: float | None = _setting(None)
    rel: float | None = _setting(None)
    max_grade: float | None = _setting(None)
    cutoff: int | None = _setting(None)
    ideal: Ideal = _setting("judged")
    ideal_depth: IdealDepth = _setting("k")
    ties: Ties = _setting("doc_descending")
    unjudged: Unjudged = _setting("zero")
    negative: Negative = _setting("zero")
    fractional: Fractional = _setting("keep")
    empty: Empty = _setting(0)
    missing: Missing = _setting("zero")
    extra: Extra = _setting("ignore")
    duplicates: Duplicates = _setting("error")
    namesake: Namesake = _setting("count")
    short: Short = _setting("as_is")
    score_bits: Literal[64, 32] = _setting(64)
    grade_bits: Literal[64, 32] = _setting(64)
    recall_points: RecallPoints = _setting("trec_eval_10")
    first_rank: FirstRank = _setting("share")
    decimals: int | None = _setting(None)

    # Measures of which this tool breaks ties otherwise; RR@ is RR with a cutoff.
    ties_by_measure: tuple[tuple[str, Ties], ...] = ()

    # Whose habits these are; no part of what two conventions are compared by.
    name: str = field(default="gainful", eq=False)
    title: str = field(default="gainful's own habits", eq=False)
    note: str = field(default="", eq=False)
    has_ndcg: bool = field(default=True, eq=False)  # or other measures only?

    def with_settings(self, **settings: Any) -> Convention:
        """The same convention with some habits changed; an unknown one is an error."""
        for name in settings:
            if name not in SETTINGS:
                raise UnknownName("convention field", name, SETTINGS)
        return attrs.evolve(self, **settings)

    def settings(self) -> dict[str, SettingValue]:
        """Every habit with its answer, in the order of the table."""
        return {name: getattr(self, name) for name in SETTINGS}

    def differences(self, other: Convention) -> dict[str, tuple[SettingValue, SettingValue]]:
        """The habits in which two conventions differ, with the answers of both."""
        mine, theirs = self.settings(), other.settings()
        return {name: (mine[name], theirs[name]) for name in SETTINGS if mine[name] != theirs[name]}
