"""`Rules`: what a run must hold to pass a gate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from math import inf
from typing import Any, Literal

from attrs import field, frozen

from gainful.defaults import ALPHA, RESAMPLES, SEED
from gainful.errors import BadValue, Missing, WrongType, check_name, check_number
from gainful.evidence.options import TestOptions
from gainful.evidence.statistics.correction import RANDOMISATION
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.measure.entry import HIGHER, Direction
from gainful.measure.language import expand, parse_named
from gainful.measure.measure import Measure
from gainful.page.shown import Answering
from gainful.page.table import to_plain_data
from gainful.rounding import ROUNDING
from gainful.text import count_noun, format_change, format_distinct, format_exact, name_way
from gainful.types import is_whole_number

Rule = Literal["floor", "ceiling", "max_drop", "no_worse_than", "per_query", "significant", "drift"]


@frozen
class Check(Answering):
    """One rule, checked for one measure."""

    rule: Rule
    measure: str
    value: float  # the mean of the run
    bound: float
    ok: bool
    baseline: float | None = None  # its mean there, or at the anchor, over the same queries
    p: float | None = None  # of this measure by itself
    p_corrected: float | None = None  # for the number of measures
    limit: float | None = None  # one-sided, of the change: it is not worse than that
    level: float | None = None  # of that limit
    fallen: int | None = None  # queries that dropped by more than the bound
    most: int | None = None  # queries that may
    direction: Direction = HIGHER  # is more of the measure better, or less?
    group: str | None = None  # of queries, if not all of them are meant

    @property
    def subject(self) -> str:
        """The measure, and of which group."""
        return self.measure if self.group is None else f"{self.measure} of {self.group}"

    def __bool__(self) -> bool:
        return self.ok

    @property
    def message(self) -> str:
        """What was found, in a sentence."""
        return _RULES[self.rule][1](self)

    @property
    def rule_words(self) -> str:
        """The rule in a few words."""
        return _RULES[self.rule][0](self)

    def to_dict(self) -> dict[str, Any]:
        """The rule, what was found and the sentence about it, as plain data."""
        plain = to_plain_data(self)
        del plain["direction"]
        if self.group is None:
            del plain["group"]
        return plain | {"better": self.direction.better_is, "message": self.message}


def rounding_slack(value: float) -> float:
    """By how much a number may differ from this one, and be the same but for rounding."""
    return ROUNDING * abs(value)


def find_change(now: float, before: float) -> float:
    """By how much a mean changed; rounding alone is no change."""
    return now - before if abs(now - before) > rounding_slack(before) else 0.0


def _tell_limit(check: Check) -> str:
    verbs = ("is above", "stays within") if check.rule == "ceiling" else ("is below", "reaches")
    value = format_distinct(check.value, check.bound)
    return f"{check.subject} {value} {verbs[check.ok]} its {check.rule} {format_exact(check.bound)}"


def _tell_drop(check: Check) -> str:
    before, direction = check.baseline or 0.0, check.direction
    drop = direction.sign * (before - check.value)
    if drop <= rounding_slack(before):
        verb = "rise" if direction.is_lower else "drop"
        return f"{check.subject} did not {verb}: from {_format_means(check)}"
    dropped = f"{check.subject} {direction.decline_verb} by {format_distinct(drop, check.bound)}"
    allowed = f"at most {format_exact(check.bound)} is allowed"
    return f"{dropped}, from {_format_means(check)}; {allowed}"


def _tell_margin(check: Check) -> str:
    change, limit = find_change(check.value, check.baseline or 0.0), check.limit or 0.0
    confidence = Resampling(check.level or ALPHA).level
    if check.ok and check.direction.sign * limit > 0:
        least = f"at least {format_exact(round(abs(limit), 4))} with {confidence} confidence"
        better = f"{check.measure} is better than the baseline by {abs(change):.4f}"
        return f"{better} ({least})"
    shown, if_at_all = ("is", ", if at all") if check.ok else ("is not shown to be", "")
    return (
        f"{check.measure} {shown} worse than the baseline by less than "
        f"{format_exact(check.bound)}{if_at_all}: it changed by {format_change(change)}, at worst "
        f"by {format_change(limit)} with {confidence} confidence"
    )


def _tell_fallen(check: Check) -> str:
    fallen = count_noun(check.fallen or 0, "query")
    allowed = "none is"
    if check.most:
        allowed = f"at most {check.most} {'is' if check.most == 1 else 'are'}"
    return (
        f"{fallen} {check.direction.decline_verb} by more than {format_exact(check.bound)} in "
        f"{check.measure}; {allowed} allowed"
    )


def _tell_test(check: Check) -> str:
    p, name = check.p_corrected or 0.0, "p" if check.p == check.p_corrected else "corrected p"
    other = "the anchor" if check.rule == "drift" else "the baseline"
    worse = f"is {'not ' if check.ok else ''}significantly worse than {other}"
    p_text = "< 0.0001" if p < 1e-4 else f"= {format_distinct(p, check.bound)}"
    level = f"{name} {p_text} at {format_exact(check.bound)}"
    return f"{check.measure} {worse}: from {_format_means(check)}, {level}"


def _format_means(check: Check) -> str:
    before = check.baseline or 0.0
    return f"{format_distinct(before, check.value)} to {format_distinct(check.value, before)}"


def _bound_words(words: str, lower: str = "") -> Callable[[Check], str]:
    def describe(check: Check) -> str:
        text = lower if lower and check.direction.is_lower else words
        return f"{text.format(count_noun(check.most or 0, 'query'))} {format_exact(check.bound)}"

    return describe


# Of each rule: what it is in a few words, and what was found in a sentence.
_RULES: Mapping[str, tuple[Callable[[Check], str], Callable[[Check], str]]] = {
    "floor": (_bound_words("floor"), _tell_limit),
    "ceiling": (_bound_words("ceiling"), _tell_limit),
    "max_drop": (_bound_words("drop at most", "rise at most"), _tell_drop),
    "no_worse_than": (_bound_words("worse by less than"), _tell_margin),
    "per_query": (_bound_words("at most {} down by", "at most {} up by"), _tell_fallen),
    "significant": (_bound_words("not worse at"), _tell_test),
    "drift": (_bound_words("no drift at"), _tell_test),
}


ALLOWANCES = {
    "convention": "a baseline under another convention",
    "judgments": "a baseline with other judgments",
    "queries": "queries that are left out because the run lacks them",
    "drift": "a decline since the anchor, the first of a chain of baselines",
}
MeasureBounds = Mapping[str | Measure, float] | Iterable[tuple[str | Measure, float]]
QueryBounds = (
    Mapping[str | Measure, tuple[float, int]] | Iterable[tuple[str | Measure, tuple[float, int]]]
)


class RuleOptions(TestOptions, total=False):
    """What a run must hold beside floors; each rule may be left out.

    Args:
        ceilings: the largest mean allowed, for measures where lower is better.
        max_drop: by how much each measure may become worse than in the baseline: drop, or rise
            where less is better.
            As in floors, "faq:R@5" is of a group of queries alone, and "*:R@5" of every group.
        significant: the level at which no measure may be worse than the baseline (one-sided,
            Holm-corrected over the measures).
        no_worse_than: the margin of each measure: the run must be shown to be worse than the
            baseline by less (non-inferiority, by the one-sided limit of the change).
        per_query: of each measure (drop, count): at most this many queries may drop by more than
            that.
        alpha: the level of the limits of `no_worse_than`, and of the test for drift; 0.05.
        allow: "convention", "judgments", "queries": compare although these are not the baseline's;
            "drift": let a significant decline through since the chain of baselines began.
        test: how `significant` tests, and by which method limits are found; randomisation.
    """

    ceilings: MeasureBounds | None
    max_drop: MeasureBounds | None
    significant: float | None
    no_worse_than: MeasureBounds | None
    per_query: QueryBounds | None
    allow: str | Iterable[str]


_MAX_ALPHA = 0.5  # a limit at a level above it would lie beyond the change itself


def _convert_allowances(allow: str | Iterable[str]) -> tuple[str, ...]:
    if not isinstance(allow, Iterable):
        raise WrongType("allow", allow, ", ".join(ALLOWANCES))
    names = (allow,) if isinstance(allow, str) else tuple(allow)
    return tuple(check_name("allowance", name, ALLOWANCES) for name in names)


EVERY_GROUP = "*"
GROUP_RULES = ("floor", "ceiling", "max_drop")  # that may be of one group alone


class RuleName(str):
    """What a rule is about, as it was spelled: a group, if it names one, and the measure."""

    __slots__ = ("group", "label", "measure")

    group: str | None
    label: str  # of the measure, in results
    measure: Measure

    @classmethod
    def parse(cls, name: str | Measure, *, of_groups: bool) -> RuleName:
        """A name that was given; where rules may be of groups, one is named before a colon.

        Examples:
            >>> RuleName.parse("faq: R@5", of_groups=True).group
            'faq'
            >>> RuleName.parse("nDCG(gain={0:0,1:1})@10", of_groups=True).group
        """
        rule_name = cls(str(name).strip())
        group, colon, spelling = rule_name.partition(":")
        names_group = of_groups and bool(colon) and "(" not in group
        label, measure = parse_named(spelling.strip() if names_group else name)
        rule_name.group = group.strip() if names_group else None
        rule_name.label = str(measure) if names_group else label
        rule_name.measure = measure
        return rule_name


def parse_bounds(
    values: Any,
    argument: str,
    check: Callable[[str, Any], Any],
    *,
    describe: Callable[[Any], str] = "{:g}".format,
    form: str = "{measure: number}",
) -> dict[RuleName, Any]:
    """A bound for each measure, by the name it was given; two for one measure are an error."""
    limits: dict[RuleName, Any] = {}
    names: dict[tuple[str | None, Measure], RuleName] = {}
    given = values.items() if isinstance(values, Mapping) else () if values is None else values
    pairs = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise WrongType(argument, values, form)
    for name, value in pairs:
        rule_name = RuleName.parse(name, of_groups=argument in GROUP_RULES)
        measure = rule_name.measure
        bound = check(f"{argument} of {measure}", value)
        first_name = names.setdefault((rule_name.group, measure), rule_name)
        if limits.setdefault(first_name, bound) != bound:
            both = f"{describe(limits[first_name])} and {describe(bound)}"
            raise BadValue(f"{argument} of {measure}", both, "one value for each measure")
    return limits


_check_drop = partial(
    check_number, allowed="a finite number of at least 0", fits=lambda drop: 0 <= drop < inf
)
_check_margin = partial(
    check_number, allowed="a finite number above 0", fits=lambda margin: 0 < margin < inf
)


def _check_query_bound(argument: str, value: Any) -> tuple[float, int]:
    allowed = "(drop, count): a number of at least 0, and a whole number of at least 0"
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise WrongType(argument, value, allowed)
    drop, count = value
    if not is_whole_number(count):
        raise WrongType(argument, value, allowed)
    if count < 0:
        raise BadValue(argument, value, allowed)
    return _check_drop(argument, drop), int(count)


def _bounds(argument: str, check: Callable[[str, Any], Any], **words: Any) -> Any:
    return field(
        default=None, converter=lambda given: parse_bounds(given, argument, check, **words)
    )


def _usual(default: Any) -> Any:
    return field(default=default, converter=lambda given: default if given is None else given)


@frozen(kw_only=True)
class Rules:
    """Floors, ceilings, bounds of drops and of their queries, margins, and tests of a drop.

    Examples:
        >>> rules = Rules(floors={"nDCG@10": 0.45}, max_drop={"AP": 0.01})
        >>> list(rules.measures_to_evaluate("RR"))
        ['RR', 'nDCG@10', 'AP']
        >>> Rules(max_drop={"AP": -0.01})
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: max_drop of AP is -0.01; allowed: a finite number of at least 0
    """

    floors: Mapping[RuleName, float] = _bounds("floor", check_number)
    ceilings: Mapping[RuleName, float] = _bounds("ceiling", check_number)
    max_drop: Mapping[RuleName, float] = _bounds("max_drop", _check_drop)
    no_worse_than: Mapping[RuleName, float] = _bounds("no_worse_than", _check_margin)
    per_query: Mapping[RuleName, tuple[float, int]] = _bounds(
        "per_query",
        _check_query_bound,
        describe=lambda bound: f"{bound[0]:g}:{bound[1]}",
        form="{measure: (drop, count)}",
    )
    significant: float | None = None
    alpha: float = ALPHA  # of the limit that no_worse_than asks for, and of drift
    test: str = _usual(RANDOMISATION)
    seed: int = SEED
    resamples: int = _usual(RESAMPLES)
    allow: tuple[str, ...] = field(default=(), converter=_convert_allowances)

    def __attrs_post_init__(self) -> None:
        check_name("test", self.test, TESTS)
        check_number(
            "alpha",
            self.alpha,
            f"a number above 0 and below {_MAX_ALPHA:g}",
            lambda alpha: 0 < alpha < _MAX_ALPHA,
        )
        try:
            self.resampling()
        except BadValue as error:
            name = "significant" if error.argument == "alpha" else error.argument
            raise type(error)(name, error.value, error.allowed) from None

    def resampling(self, level: float | None = None) -> Resampling:
        """How a drop is tested: one-sided, as only a worse run is of interest."""
        level = self.significant if level is None else level
        options = {} if level is None else {"alpha": level}
        return Resampling(resamples=self.resamples, seed=self.seed, alternative="less", **options)

    @property
    def has_rules(self) -> bool:
        """Is there a rule at all?"""
        return bool(self.floors) or bool(self.ceilings) or self.needs_baseline

    @property
    def names_groups(self) -> bool:
        """Is one of them about a group of queries?"""
        names = chain(self.floors, self.ceilings, self.max_drop)
        return any(name.group is not None for name in names)

    @property
    def needs_baseline(self) -> bool:
        """Does one of them need a baseline?"""
        bounds = (self.max_drop, self.no_worse_than, self.per_query)
        return any(bounds) or self.significant is not None

    def refuse_idle(self, *, has_baseline: bool, saving: bool) -> None:
        """Refuse no rule at all, by which all would pass, and rules that lack a baseline."""
        if not (self.has_rules or saving):
            shell = "--floor, --ceiling, --max-drop, --no-worse-than, --per-query, --significant"
            python = "floors, ceilings, max_drop, no_worse_than, per_query, significant"
            names = name_way(f"{shell} or --save-baseline", f"{python} or save_to")
            way = f"name at least one rule: {names} (a gate without one passes everything)"
            raise Missing("rules", None, way)
        if self.needs_baseline and not has_baseline:
            file = name_way("--baseline FILE", "a baseline")
            way = f"these rules need {file}: only floors and ceilings do without"
            raise Missing("baseline", None, way)

    def measures_to_evaluate(
        self, measures: Any = None, others: Iterable[str] = ()
    ) -> dict[str, Measure] | None:
        """All measures to evaluate: those that were asked for, and those that have a rule.

        `others`, those of the baseline, are evaluated too where none was asked for and either all
        are tested or no rule names any: a rule about one measure takes no other out of a test.
        Sums over queries are not tested.
        """
        expanded: dict[str, Measure] = {} if measures is None else expand(measures)
        named: dict[str, Measure] = {}  # in rules, by the names they have there
        bounds = (self.floors, self.ceilings, self.max_drop, self.no_worse_than, self.per_query)
        for rule_name in chain(*bounds):
            if rule_name.measure not in named.values():
                named[rule_name.label] = rule_name.measure
        if not expanded and (self.significant is not None or not named):
            for name in others:
                expanded |= expand(name)
            if self.significant is not None:
                means = {n: m for n, m in expanded.items() if m.entry.aggregation == "mean"}
                expanded = means or expanded
        for name, measure in named.items():
            if measure not in expanded.values():
                expanded[name] = measure
        return expanded or None
