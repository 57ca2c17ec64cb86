"""`Convention`: all that changes a number, as one value that can be read aloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from attrs import field, frozen

from gainful.convention.settings import SETTINGS, Setting, Settings, SettingValue, setting

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
NegativeIdeal = Literal["empty", "divide", "divide_or_dcg"]
Divisor = Literal["relevant", "reachable", "k", "found"]
RbpGrades = Literal["one", "grade"]
FilteredOrder = Literal["score", "input"]
NoHits = Literal["as_is", "zero"]
Rounding = Literal["half_even", "half_up"]
_PARTS = {"DCG": "nDCG", "IDCG": "nDCG"}  # a tool that has the whole has these too
ByMeasure = tuple[tuple[str, tuple[tuple[str, SettingValue], ...]], ...]


def _as_pairs(by_measure: Mapping[str, Mapping[str, SettingValue]] | ByMeasure) -> ByMeasure:
    if not isinstance(by_measure, Mapping):
        return by_measure
    return tuple((name, tuple(own.items())) for name, own in by_measure.items() if own)


@frozen(kw_only=True, repr=False)
class Convention(Settings):
    """How a number comes about: one field for every setting in which tools differ.

    The defaults are gainful's own: trec_eval's settings, except that fractions count, missing
    queries count as 0, and nothing is skipped in silence.

    Examples:
        >>> Convention(gain="exp").with_settings(empty=1).differences(Convention())
        {'gain': ('exp', 'linear'), 'empty': (1, 0)}
    """

    TABLE: ClassVar[Mapping[str, Setting]] = SETTINGS
    KIND: ClassVar[str] = "convention field"

    gain: str = setting("linear")
    discount: str = setting("log2")
    b: float | None = setting(None)
    rel: float | None = setting(None)
    max_grade: float | None = setting(None)
    cutoff: int | None = setting(None)
    ideal: Ideal = setting("judged")
    ideal_depth: IdealDepth = setting("k")
    ties: Ties = setting("doc_descending")
    unjudged: Unjudged = setting("zero")
    unjudged_grade: float | None = setting(None)
    negative: Negative = setting("zero")
    fractional: Fractional = setting("keep")
    empty: Empty = setting(0)
    missing: Missing = setting("zero")
    extra: Extra = setting("ignore")
    duplicates: Duplicates = setting("error")
    namesake: Namesake = setting("count")
    short: Short = setting("as_is")
    score_bits: Literal[64, 32] = setting(64)
    grade_bits: Literal[64, 32] = setting(64)
    recall_points: RecallPoints = setting("trec_eval_10")
    first_rank: FirstRank = setting("share")
    negative_ideal: NegativeIdeal = setting("empty")
    divisor: Divisor = setting("relevant")
    rbp_grades: RbpGrades = setting("one")
    filtered_order: FilteredOrder = setting("score")
    no_hits: NoHits = setting("as_is")
    decimals: int | None = setting(None)
    rounding: Rounding = setting("half_even")

    # What this tool does otherwise for single measures, settings of the measure's own included;
    # RR@ is RR with a cutoff.
    by_measure: ByMeasure = field(default=(), converter=_as_pairs)

    # Whose settings these are; no part of what two conventions are compared by.
    name: str = field(default="gainful", eq=False)
    title: str = field(default="gainful's own settings", eq=False)
    note: str = field(default="", eq=False)
    # The measures whose numbers here are the tool's own; AP@ is AP with a cutoff, None is all.
    measures: tuple[str, ...] | None = field(default=None, eq=False)
    # Those of them that are no number there where nothing is judged useless.
    need_useless: tuple[str, ...] = field(default=(), eq=False)
    # Those whose order of tied documents is not known, in lists of so many documents and more.
    unstable_ties: Mapping[str, int] = field(factory=dict, eq=False)

    def with_settings(self, **settings: Any) -> Self:
        """This convention with some settings changed; they hold for all measures then."""
        changed = super().with_settings(**settings)
        if not self.by_measure:
            return changed
        kept = {
            measure: {name: value for name, value in own if name not in settings}
            for measure, own in self.by_measure
        }
        return changed._replace(by_measure=_as_pairs(kept))

    def has_own(self, measure: str, *, has_cutoff: bool) -> bool:
        """Is the number of this measure the tool's own?"""
        whole = _PARTS.get(measure, measure)
        names = {measure, whole, measure + "@", whole + "@"} if has_cutoff else {measure, whole}
        return self.measures is None or bool(names & {*self.measures})

    def settings_of(self, measure: str, *, has_cutoff: bool) -> dict[str, SettingValue]:
        """What this tool does otherwise for one measure."""
        return dict(dict(self.by_measure).get(measure + "@" * has_cutoff, ()))
