"""`Models`: what systems, queries and searchers contribute, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from gainful.evidence.comparisons.comparison_answer import label_system
from gainful.measure.leaders import ANSWER_DECIMALS
from gainful.page.columns import Column, build_table, per_cent
from gainful.page.page import Page, Section
from gainful.page.plain_data import to_plain_data
from gainful.page.shown import Shown
from gainful.page.table import Table, to_one_line
from gainful.text import choose_decimals, count_noun, join_words, pluralise

_MAX_NAMES = 3  # differences that a sentence tells; of more it says how many
_SMALLEST_P = 0.001
DOUBT = 0.05  # p from which on errors are not what the model takes them for


@frozen
class Estimate:
    """An effect: its size, its standard error, its interval, and p if it were 0."""

    term: str
    estimate: float
    error: float
    low: float
    high: float
    degrees: int
    p: float | None  # of a mean, none: nobody asks whether it is 0


@frozen
class TermTest:
    """Are all effects of a term 0 at once?"""

    term: str
    f: float
    degrees: int
    error_degrees: int
    p: float


@frozen
class VarianceComponent:
    """What one source contributes to the variance of values that fixed effects leave."""

    source: str
    variance: float
    sd: float
    share: float


@frozen
class ResidualCheck:
    """How residuals are distributed; p is None where there are too few of them to test."""

    skewness: float
    kurtosis: float  # beyond that of a normal distribution
    normal_p: float | None  # D'Agostino and Pearson's test
    smallest_sd: float  # by system
    largest_sd: float
    spread_p: float | None  # Brown and Forsythe's test of equal spread
    largest: float  # residual, in standard deviations
    largest_label: str  # whose it is

    def describe(self, kind: str) -> str:
        """What it says, in a sentence."""
        normal = _describe_p(self.normal_p)
        shape = f"skewness {self.skewness:+.2f}, excess kurtosis {self.kurtosis:+.2f}{normal}"
        spread = f"sd by {kind} {self.smallest_sd:.4f} to {self.largest_sd:.4f}"
        text = f"{shape}; {spread}{_describe_p(self.spread_p)}"
        return f"{text}; largest {abs(self.largest):.1f} sd ({self.largest_label})"

    @property
    def doubts(self) -> list[str]:
        """What the model takes errors for, and they are not."""
        tests = (("normal", self.normal_p), ("of one spread", self.spread_p))
        return [words for words, p in tests if p is not None and p <= DOUBT]


def _describe_p(p: float | None) -> str:
    if p is None:
        return ""
    return " (p < 0.001)" if p < 0.001 else f" (p = {p:.3f})"


@frozen(kw_only=True)
class FittedModel:
    """The model of one measure."""

    measure: str
    formula: str
    groups: int  # queries or searchers
    values: int
    differences: tuple[Estimate, ...]  # of each system to the baseline
    estimates: tuple[Estimate, ...]  # all that is told, those included
    tests: tuple[TermTest, ...]
    components: tuple[VarianceComponent, ...]
    residuals: ResidualCheck
    notes: tuple[str, ...] = ()


@frozen(repr=False, eq=False)
class Models(Shown):
    """A model for each measure: effects, intervals, variance components, residuals."""

    models: tuple[FittedModel, ...]
    baseline: str
    systems: tuple[str, ...]  # the others
    kind: str  # what is compared: run, system
    group: str  # whose intercepts are random: query, searcher
    alpha: float
    standardised: str | None = None  # how values were standardised before
    footnotes: tuple[str, ...] = ()
    all_footnotes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    better: Mapping[str, str] = {}  # of each measure: higher or lower values

    def page(self, *, verbose: bool = False) -> Page:
        """Who differs from the baseline, the effects, the variance components, the residuals."""
        return models_page(self, verbose=verbose)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        plain: dict[str, Any] = to_plain_data(self)
        return {name: value for name, value in plain.items() if not name.endswith("footnotes")}


def models_page(models: Models, *, verbose: bool = False) -> Page:
    """The models one after the other."""
    notes = [note for model in models.models for note in _name_notes(models, model)]
    footnotes = models.all_footnotes if verbose else models.footnotes
    return Page(
        answer=_describe_models(models),
        sections=[section for model in models.models for section in _list_sections(models, model)],
        notes=(
            _describe_method(models),
            *map(to_one_line, footnotes),
            *(f"Note: {to_one_line(note)}" for note in (*notes, *models.notes)),
        ),
        rows=lambda: _list_rows(models),
        data=models.to_dict,
    )


def _name_notes(models: Models, model: FittedModel) -> list[str]:
    several = len(models.models) > 1
    return [f"{model.measure}: {note}" if several else note for note in model.notes]


def _describe_models(models: Models) -> str:
    """The differences of the first measure, and what the rest of its variance is made of."""
    first = models.models[0]
    baseline = label_system(models.kind, models.baseline)
    texts = [
        f"{label_system(models.kind, name)} is {_describe_difference(estimate, baseline, models)}"
        for name, estimate in zip(models.systems[:_MAX_NAMES], first.differences, strict=False)
    ]
    if len(first.differences) > _MAX_NAMES:
        texts.append(f"{len(first.differences) - _MAX_NAMES} more stand below")
    group, error = first.components
    shares = f"{pluralise(models.group)} make {100 * group.share:.0f} %"
    rest = f"Of the variance that is left, {shares} and errors {100 * error.share:.0f} %."
    lower = " (lower is better)" if models.better.get(first.measure) == "lower" else ""
    return f"In {first.measure}{lower}, {join_words(texts)}. {rest}"


def _describe_difference(estimate: Estimate, baseline: str, models: Models) -> str:
    decimals = choose_decimals(estimate.estimate, ANSWER_DECIMALS)
    low, high = (
        f"{round(end, decimals) + 0.0:.{decimals}f}" for end in (estimate.low, estimate.high)
    )
    interval = f"{100 * (1 - models.alpha):g} % interval {low} to {high}"
    evidence = f"({interval}, p {_relate_p(estimate.p)})"
    if not estimate.estimate:
        return f"equal to {baseline} {evidence}"
    side = "above" if estimate.estimate > 0 else "below"
    return f"{abs(estimate.estimate):.{decimals}f} {side} {baseline} {evidence}"


def _relate_p(p: float | None) -> str:
    if p is None:
        return "is not asked"
    return f"< {_SMALLEST_P}" if p < _SMALLEST_P else f"= {p:.3f}"


def _list_sections(models: Models, model: FittedModel) -> list[Section]:
    heading = f"{model.formula}, {count_noun(model.groups, models.group)}"
    lines = [
        *(f"{_describe_test(test)}." for test in model.tests),
        f"Residuals: {model.residuals.describe(models.kind)}.",
    ]
    return [
        Section(heading, _build_effects(models, model), strong=True),
        Section(
            table=build_table(model.components, _COMPONENT_COLUMNS),
            lines=[to_one_line(line) for line in lines],
        ),
    ]


def _describe_test(test: TermTest) -> str:
    degrees = f"F({test.degrees}, {test.error_degrees}) = {test.f:.2f}"
    return f"{test.term}: {degrees}, p {_relate_p(test.p)}"


def _build_effects(models: Models, model: FittedModel) -> Table:
    interval = f"{100 * (1 - models.alpha):g} % interval"
    columns = (
        Column("effect", "term"),
        Column("estimate", lambda item: format(item.estimate, _sign(item))),
        Column("error", show=".4f", drop=2),
        Column(
            interval,
            lambda item: f"{item.low:{_sign(item)}} … {item.high:{_sign(item)}}",
            is_text=True,
        ),
        Column("df", "degrees", drop=1),
        Column("p", show=_format_p),
    )
    return build_table(model.estimates, columns)


def _sign(item: Estimate) -> str:
    """A mean has no sign before it."""
    return ".4f" if item.p is None else "+.4f"


def _format_p(p: float) -> str:
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


_COMPONENT_COLUMNS = (
    Column("variance of", "source"),
    Column("variance", show=".4g"),
    Column("sd", show=".4f"),
    Column("share", show=per_cent()),
)


def _describe_method(models: Models) -> str:
    parts = [
        f"Linear model, {pluralise(models.group)} at random (REML)",
        f"t and F, degrees of freedom by containment · p not corrected · α = {models.alpha:g}",
    ]
    if models.standardised is not None:
        parts.append(models.standardised)
    return " · ".join(parts)


def _list_rows(models: Models) -> Table:
    """A row for each effect, term, component and measure, at full precision."""
    columns = (
        *("measure", "part", "term", "estimate", "error", "low", "high"),
        *("degrees", "error_degrees", "p"),
    )
    rows: list[Sequence[Any]] = []
    for model in models.models:
        rows += [
            (
                *(model.measure, "effect", item.term, item.estimate, item.error),
                *(item.low, item.high, None, item.degrees, item.p),
            )
            for item in model.estimates
        ]
        rows += [
            (
                *(model.measure, "F", item.term, item.f, None, None, None),
                *(item.degrees, item.error_degrees, item.p),
            )
            for item in model.tests
        ]
        rows += [
            (model.measure, "variance", item.source, item.variance, *[None] * 6)
            for item in model.components
        ]
    return Table(columns, rows, numeric=True, label_columns=3)
