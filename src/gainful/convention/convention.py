"""`Convention`: all that changes a number, as one value that can be read aloud."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from math import inf, ulp
from sys import float_info
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeVar

from attrs import Attribute, evolve, field, fields, frozen

from gainful.errors import BadValue, UnknownName
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.types import MAX_COUNT, is_number, is_whole_number, to_float

SettingValue = str | float | int | None

# Values of `rel` of tools that have no smallest relevant grade.
ABOVE_ZERO = ulp(0.0)
EVERY_GRADE = -float_info.max


@frozen
class Setting:
    """One thing that changes a number: its name, its question, its answers.

    Answers are a table of values and their meanings, or any value that `fits`.
    """

    name: str
    question: str
    answers: Mapping[SettingValue, str] = field(factory=dict)
    allowed: str = ""
    fits: Callable[[object], bool] = field(default=lambda _: True)

    def check(self, value: object) -> None:
        """Refuse an answer that is not one."""
        if self.answers:
            is_plain = isinstance(value, (str, int, float))
            if not (is_plain and value in self.answers):
                raise BadValue(self.name, value, ", ".join(str(answer) for answer in self.answers))
        elif not self.fits(value):
            raise BadValue(self.name, value, self.allowed)

    def describe(self, value: SettingValue) -> str:
        """The answer in plain words."""
        return self.answers[value] if self.answers else ("none" if value is None else str(value))


@frozen(kw_only=True, repr=False)
class Settings(Shown):
    """What two conventions have in common, that of rankings and that of sessions.

    A subclass has a table of settings and a field for each of them.
    """

    TABLE: ClassVar[Mapping[str, Setting]]
    KIND: ClassVar[str]  # what a setting is called in a message

    name: str  # whose settings these are
    title: str

    def __repr__(self) -> str:
        """Whose settings, and which of them are not the default; the page has all of them."""
        defaults = {attribute.name: attribute.default for attribute in fields(type(self))}
        changes = [
            f"{name}={value!r}"
            for name, value in {"name": self.name, **self.settings()}.items()
            if value != defaults[name]
        ]
        changes += ["by_measure=…"] if getattr(self, "by_measure", ()) else []  # too long to read
        return f"{type(self).__name__}({', '.join(changes)})"

    def page(self) -> Page:
        """Every setting: the question it settles, and the answer."""
        names = ("setting", "value", "question", "answer")
        rows = [
            (name, "–" if value is None else str(value), self.TABLE[name].question, answer)
            for name, value in self.settings().items()
            for answer in [self.describe(name)]
        ]
        return Page(
            sections=[Section(f"{self.name}: {self.title}", Table(names, rows), strong=True)],
            rows=lambda: Table(names, rows),
            data=lambda: {"name": self.name, "title": self.title, **self.settings()},
        )

    def with_settings(self, **settings: Any) -> Self:
        """This convention with some settings changed; an unknown one is an error.

        Only what changes is checked: the rest has been.
        """
        for name, value in settings.items():
            if name not in self.TABLE:
                raise UnknownName(self.KIND, name, self.TABLE)
            self.TABLE[name].check(value)
        return self._replace(**settings)

    def _replace(self, **values: Any) -> Self:
        changed = copy(self)
        for name, value in values.items():
            object.__setattr__(changed, name, value)
        return changed

    def settings(self) -> dict[str, SettingValue]:
        """Every setting with its value, in the order of the table."""
        return {name: getattr(self, name) for name in self.TABLE}

    def differences(self, other: Self) -> dict[str, tuple[SettingValue, SettingValue]]:
        """The settings in which two conventions differ, with the values of both."""
        mine, theirs = self.settings(), other.settings()
        return {
            name: (mine[name], theirs[name]) for name in self.TABLE if mine[name] != theirs[name]
        }

    def describe(self, name: str) -> str:
        """A setting's value in plain words."""
        return self.TABLE[name].describe(getattr(self, name))


def _check_setting(convention: Settings, attribute: Attribute[Any], value: object) -> None:
    convention.TABLE[attribute.name].check(value)


def setting(
    default: SettingValue,
    question: str | Setting,
    answers: Mapping[SettingValue, str] = MappingProxyType({}),
    **facts: Any,
) -> Any:
    """A field of a convention: its default, its question and its answers, or a known setting."""
    if not isinstance(question, Setting):
        question = Setting("", question, answers, **facts)
    return field(default=default, validator=_check_setting, metadata={"setting": question})


def list_settings(convention: type[Settings]) -> dict[str, Setting]:
    """The settings of a convention by name: its fields that are one."""
    return {
        attribute.name: evolve(attribute.metadata["setting"], name=attribute.name)
        for attribute in fields(convention)
        if attribute.metadata
    }


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _allow_number_or_none(*, above: float) -> Callable[[object], bool]:
    return lambda value: value is None or (is_number(value) and above < to_float(value) < inf)


def _allow_integer_or_none(low: int, high: float) -> Callable[[object], bool]:
    return lambda value: value is None or (is_whole_number(value) and low <= value <= high)


def describe_rel(rel: float) -> str:
    """Which documents are relevant, in words."""
    if rel == EVERY_GRADE:
        return "every judged document relevant"
    return "relevant above grade 0" if rel == ABOVE_ZERO else f"relevant from grade {rel:g} on"


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
Duplicates = Literal["error", "first", "last", "count"]
Namesake = Literal["count", "remove"]
Short = Literal["as_is", "minimum"]
RecallPoints = Literal["trec_eval_10", "trec_eval_9"]
FirstRank = Literal["share", "as_is"]
NegativeIdeal = Literal["empty", "divide", "divide_or_dcg"]
Divisor = Literal["relevant", "reachable", "k", "found"]
RbpGrades = Literal["one", "grade"]
NoHits = Literal["as_is", "zero"]
_PARTS = {"DCG": "nDCG", "IDCG": "nDCG"}  # a tool that has the whole has these too
ByMeasure = tuple[tuple[str, tuple[tuple[str, SettingValue], ...]], ...]


def _as_pairs(by_measure: Mapping[str, Mapping[str, SettingValue]] | ByMeasure) -> ByMeasure:
    if not isinstance(by_measure, Mapping):
        return by_measure
    return tuple((name, tuple(own.items())) for name, own in by_measure.items() if own)


@frozen(kw_only=True, repr=False)
class Convention(Settings):
    """The settings behind a number: one field for every setting in which tools differ.

    The defaults are gainful's own: trec_eval's settings, except that fractions count, missing
    queries count as 0, and nothing is skipped in silence.

    Examples:
        >>> Convention(gain="exp").with_settings(empty=1).differences(Convention())
        {'gain': ('exp', 'linear'), 'empty': (1, 0)}
    """

    KIND: ClassVar[str] = "convention field"

    gain: str = setting(
        "linear",
        "What is the gain of a grade?",
        allowed="the name of a gain, or weights by grade such as {0:0,1:1,2:10}",
        fits=_is_text,
    )
    discount: str = setting(
        "log2",
        "How is the gain discounted at each rank?",
        allowed="the name of a discount",
        fits=_is_text,
    )
    b: float | None = setting(
        None,
        "What is the base of the discount's logarithm?",
        allowed="b > 1",
        fits=_allow_number_or_none(above=1),
    )
    rel: float | None = setting(
        None,
        "What is the lowest relevant grade?",
        allowed="any finite number",
        fits=_allow_number_or_none(above=-inf),
    )
    max_grade: float | None = setting(
        None,
        "What is the highest possible grade, for measures that scale grades?",
        allowed="a number above 0; without one it is the highest in the judgments",
        fits=_allow_number_or_none(above=0),
    )
    cutoff: int | None = setting(
        None,
        "What is the cutoff of a measure that sets none?",
        allowed="a whole number of at least 1",
        fits=_allow_integer_or_none(1, MAX_COUNT),
    )
    ideal: Ideal = setting(
        "judged",
        "Which documents form the ideal ranking?",
        {
            "judged": "all judged documents of the query, retrieved or not",
            "list": "only the documents in the list itself",
        },
    )
    ideal_depth: IdealDepth = setting(
        "k",
        "How deep is the ideal ranking?",
        {
            "k": "cut at k, like the ranking",
            "all": "never cut, even if the ranking is cut at k",
            "retrieved": "cut at the number of documents retrieved, if that is less than k",
        },
    )
    ties: Ties = setting(
        "doc_descending",
        "How are documents with equal scores ranked?",
        {
            "doc_descending": "by document id, descending",
            "doc_ascending": "by document id, ascending",
            "input": "in the order given",
            "reversed": "in the reverse of the order given",
            "average": "averaged over all their orders",
            "best": "the best first",
            "worst": "the worst first",
            "mean_rank": "all at their mean rank, rounded down",
        },
    )
    unjudged: Unjudged = setting(
        "zero",
        "How does a retrieved document without a judgment count?",
        {
            "zero": "it has no gain and keeps its rank",
            "remove": "removed from the ranking; the others move up",
        },
    )
    unjudged_grade: float | None = setting(
        None,
        "What grade does a retrieved document without a judgment have in measures of gain?",
        allowed="any finite number, or none",
        fits=_allow_number_or_none(above=-inf),
    )
    negative: Negative = setting(
        "zero",
        "What is the gain of a document with a negative grade?",
        {
            "zero": "no gain, unless the gain function says otherwise",
            "keep": "its negative gain; the ideal stops before it",
            "remove": "removed from the ranking; the others move up",
            "in_ideal": "its negative gain; the ideal ends with it",
            "error": "an error",
        },
    )
    fractional: Fractional = setting(
        "keep",
        "What happens to a grade that is not a whole number?",
        {
            "keep": "kept as it is",
            "truncate": "truncated to a whole number, silently",
            "error": "an error",
        },
    )
    empty: Empty = setting(
        0,
        "What is the score of a query with nothing relevant (an ideal of zero)?",
        {
            0: "a query with nothing relevant scores 0",
            1: "a query with nothing relevant scores 1",
            "skip": "a query with nothing relevant is left out of the mean",
            "error": "an error",
        },
    )
    missing: Missing = setting(
        "zero",
        "What is the score of a judged query that the run lacks?",
        {"zero": "0", "skip": "none; the query is left out of the mean", "error": "an error"},
    )
    extra: Extra = setting(
        "ignore",
        "What is the score of a query without judgments?",
        {
            "ignore": "none; the query is left out",
            "empty": "the same as a query with nothing relevant",
            "zero": "0",
            "error": "an error",
        },
    )
    duplicates: Duplicates = setting(
        "error",
        "What if a ranking lists a document twice?",
        {
            "error": "an error",
            "first": "the entry with the best score counts",
            "last": "the last entry counts",
            "count": "every entry counts, so a value can exceed 1",
        },
    )
    namesake: Namesake = setting(
        "count",
        "What if a document has the same id as its query?",
        {
            "count": "it counts like any other",
            "remove": "removed from the ranking; the others move up",
        },
    )
    short: Short = setting(
        "as_is",
        "What if a list is shorter than k?",
        {
            "as_is": "short lists stay short",
            "minimum": "short lists are filled up to k with documents of the lowest grade",
        },
    )
    score_bits: Literal[64, 32] = setting(
        64,
        "How precise are scores when they are compared?",
        {64: "64 bit", 32: "32 bit, so close scores tie"},
    )
    grade_bits: Literal[64, 32] = setting(
        64,
        "How precise are grades that are not whole numbers?",
        {64: "64 bit", 32: "32 bit, which can change the sixth decimal"},
    )
    recall_points: RecallPoints = setting(
        "trec_eval_10",
        "How is a recall point turned into a number of documents?",
        {"trec_eval_10": "as trec_eval 10 rounds it", "trec_eval_9": "as trec_eval 9 rounded it"},
    )
    first_rank: FirstRank = setting(
        "share",
        "What are alpha_DCG and ERR_IA at a cutoff of 1?",
        {
            "share": "relative to a document on all subtopics, as at any other cutoff",
            "as_is": "the number of subtopics of the first document, as in ndeval",
        },
    )
    negative_ideal: NegativeIdeal = setting(
        "empty",
        "What if the ideal ranking itself has a negative value?",
        {
            "empty": "the query scores as if nothing were relevant",
            "divide": "the DCG is still divided by it, so a value can have any size",
            "divide_or_dcg": "the DCG is still divided by it; if it is 0, the value is the DCG",
        },
    )
    divisor: Divisor = setting(
        "relevant",
        "What is the sum of precisions in AP divided by?",
        {
            "relevant": "the number of relevant documents",
            "reachable": "the number of relevant documents, but at most the cutoff",
            "k": "the cutoff",
            "found": "the number of relevant documents among the first k",
        },
    )
    rbp_grades: RbpGrades = setting(
        "one",
        "What does a relevant document add to RBP?",
        {"one": "1", "grade": "its grade, so a value can exceed 1"},
    )
    filtered_order: Literal["score", "input"] = setting(
        "score",
        "In which order does FilteredDCG process the documents?",
        {"score": "by score, the highest first", "input": "in the order given"},
    )
    no_hits: NoHits = setting(
        "as_is",
        "What is the score of a run without judged documents?",
        {"as_is": "the mean over its queries, as for any other run", "zero": "0 for every query"},
    )
    decimals: int | None = setting(
        None,
        "How many decimals does each query's value keep?",
        allowed="a whole number from 0 to 15",
        fits=_allow_integer_or_none(0, 15),
    )
    rounding: Literal["half_even", "half_up"] = setting(
        "half_even",
        "How are values halfway between two decimals rounded?",
        {"half_even": "to the even digit, as printf does", "half_up": "up, as Java's Math.round"},
    )

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
        """The settings that differ for one measure."""
        return dict(dict(self.by_measure).get(measure + "@" * has_cutoff, ()))


SETTINGS: Mapping[str, Setting] = list_settings(Convention)
Convention.TABLE = SETTINGS
GAINFUL = Convention()


AnySettings = TypeVar("AnySettings", bound=Settings)


def list_conventions(constants: Mapping[str, object], kind: type[AnySettings]) -> list[AnySettings]:
    """The conventions that a file defines, named as there; those with an underscore are bases."""
    return [
        value._replace(name=name.lower())
        for name, value in constants.items()
        if isinstance(value, kind) and not name.startswith("_")
    ]
