"""Linear models with a random intercept: what systems, scenarios, queries and searchers contribute.

A model of runs is score ~ run + (query), one of a study score ~ system × scenario + order +
(searcher). Values are a sum of fixed effects, one draw for each group, and an error. All depends on
one ratio: the variance between groups by that of errors, as restricted likelihood has it. Where
every group has the same rows it follows from the mean squares of the analysis of variance; else
statsmodels finds it. With the ratio, the rest is least squares of values from which a part of
their group's mean is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from gainful.errors import CannotCompare, NotInstalled
from gainful.evidence.comparisons.study import BLOCKS, Study, choose_blocks
from gainful.evidence.models.models import (
    Estimate,
    FittedModel,
    Models,
    ResidualCheck,
    TermTest,
    VarianceComponent,
)
from gainful.evidence.pairing import (
    PairedValues,
    choose_baseline,
    describe_left_out,
    pair_results,
    refuse_extremes,
)
from gainful.evidence.standardise import describe_standardisation, standardise_values
from gainful.evidence.statistics.study_design import indicators, remove_means
from gainful.measure.footnotes import list_footnotes
from gainful.measure.run_values import RunValues
from gainful.measure.sessions.footnotes import list_footnotes as list_session_footnotes
from gainful.measure.sessions.session_values import SessionValues
from gainful.rounding import COARSE_ROUNDING
from gainful.text import count_noun, join_words, pluralise
from gainful.types import Array, Ranks, finite_or_none

_TOLERANCE = 1e-8  # of the gradient, of values whose spread is 1
_SMALLEST_RATIO = 1e-6  # of variances; what an optimiser leaves where it got stuck at nothing
_MIN_VALUES = 20  # for a test of normality
_FEW_DEGREES = 2  # of freedom: the interval of a t is four times as wide as its error, or more


# ── the random intercept ─────────────────────────────────────────────────────────────────────────


@frozen(eq=False)
class RandomIntercept:
    """The fitted model: fixed effects and their covariance, variances, what is left of values."""

    coefficients: Array
    covariance: Array
    group_variance: float
    error_variance: float
    residuals: Array  # less the fixed effects and the group's own
    joint_rank: int  # of fixed effects and groups together
    row_space: Array  # contrasts that can be estimated within groups: orthonormal rows

    def degrees(self, contrasts: Array, term: str = "") -> int:
        """Degrees of freedom of these contrasts: of errors, or of groups where groups tell them.

        It is the containment method: what can be estimated within groups is held against errors.
        """
        projected = contrasts @ self.row_space.T @ self.row_space
        is_within = np.allclose(projected, contrasts, atol=COARSE_ROUNDING)
        outer = len(self.residuals) if is_within else self.joint_rank
        degrees = outer - (self.joint_rank if is_within else len(self.coefficients))
        if degrees < 1:
            raise CannotCompare(f"{term}: no degrees of freedom are left to test it")
        return degrees

    def estimate(
        self, term: str, contrast: Array, alpha: float, *, tested: bool = True
    ) -> Estimate:
        """A contrast of the fixed effects: its interval and, if asked, its p by t."""
        from scipy.stats import t  # noqa: PLC0415  (slow to load)

        value = float(contrast @ self.coefficients)
        error = float(np.sqrt(contrast @ self.covariance @ contrast))
        degrees = self.degrees(contrast[None, :], term)
        reach = float(t.isf(alpha / 2, degrees)) * error
        p = float(2 * t.sf(abs(value) / error, degrees)) if tested else None
        return Estimate(term, value, error, value - reach, value + reach, degrees, p)

    def test(self, term: str, contrasts: Array) -> TermTest:
        """Are all these contrasts 0 at once, by F?"""
        from scipy.stats import f as f_distribution  # noqa: PLC0415  (slow to load)

        differences, number = contrasts @ self.coefficients, len(contrasts)
        covariance = contrasts @ self.covariance @ contrasts.T
        ratio = float(differences @ np.linalg.solve(covariance, differences)) / number
        degrees = self.degrees(contrasts, term)
        p = float(f_distribution.sf(ratio, number, degrees))
        return TermTest(term, ratio, number, degrees, p)

    def components(self, group: str) -> tuple[VarianceComponent, ...]:
        """What groups and errors contribute to the variance."""
        sources = ((group, self.group_variance), ("error", self.error_variance))
        total = self.group_variance + self.error_variance
        return tuple(
            VarianceComponent(name, variance, float(np.sqrt(variance)), variance / total)
            for name, variance in sources
        )


def fit_random_intercept(
    values: Array, fixed: Array, group: Ranks, label: str, feature: str
) -> RandomIntercept:
    """The model of these values.

    Args:
        values: one for each row.
        fixed: the columns of the fixed effects; they span the constant, and none is superfluous.
        group: the number of each row's query or searcher, from 0 on without gaps.
        label: what a message calls the values: the measure.
        feature: what needs statsmodels, for who has not installed it.
    """
    counts = np.bincount(group)
    both = np.column_stack([values, fixed])
    demeaned = remove_means(both, group)
    sizes, right = np.linalg.svd(demeaned[:, 1:], full_matrices=False)[1:]
    within = sizes > COARSE_ROUNDING * len(values)
    joint_rank = len(counts) + int(within.sum())
    if len(values) - joint_rank < 1 or len(counts) < 2:
        raise CannotCompare(f"{label}: too few values for a model: no error is left to estimate")
    left = _remove_span(demeaned[:, 0], demeaned[:, 1:])
    if (left**2).sum() <= (COARSE_ROUNDING**2) * (values**2).sum():
        raise CannotCompare(
            f"{label}: the model does not converge: it leaves no error, so that nothing can be "
            "held against one"
        )
    ratio = variance_ratio(values, fixed, group, label, feature)
    part = 1 / np.sqrt(1 + ratio * counts)  # of the group's mean, that is left in
    whitened = demeaned + part[group, None] * (both - demeaned)
    target, whitened = whitened[:, 0], whitened[:, 1:]
    inverse = np.linalg.inv(whitened.T @ whitened)
    coefficients = inverse @ (whitened.T @ target)
    errors = target - whitened @ coefficients
    error_variance = float(errors @ errors) / (len(values) - fixed.shape[1])
    marginal = values - fixed @ coefficients
    group_sums = np.bincount(group, marginal)
    return RandomIntercept(
        coefficients=coefficients,
        covariance=error_variance * inverse,
        group_variance=ratio * error_variance,
        error_variance=error_variance,
        residuals=marginal - (ratio / (1 + ratio * counts) * group_sums)[group],
        joint_rank=joint_rank,
        row_space=right[within],
    )


def variance_ratio(values: Array, fixed: Array, group: Ranks, label: str, feature: str) -> float:
    """The variance between groups by that of errors, as restricted likelihood has it.

    It is 0 where groups differ by no more than errors make them: the likelihood falls from there.
    """
    if _slope_at_zero(values, fixed, group) <= 0:
        return 0.0
    counts = np.bincount(group)
    if (counts == counts[0]).all() and (np.diff(group) >= 0).all():
        cube = fixed.reshape(len(counts), counts[0], -1)
        if (cube == cube[:1]).all():  # every group has the same rows, in the same order
            return _ratio_of_mean_squares(values, fixed, group, int(counts[0]))
    return _ratio_by_statsmodels(values, fixed, group, label, feature)


def _slope_at_zero(values: Array, fixed: Array, group: Ranks) -> float:
    """The derivative of the restricted likelihood by the ratio, where that is 0."""
    residuals = _remove_span(values, fixed)
    variance = float(residuals @ residuals) / (len(values) - fixed.shape[1])
    sums = np.bincount(group, residuals)
    spanned = indicators(group).T @ np.linalg.qr(fixed)[0]
    return float(sums @ sums / variance - len(values) + (spanned**2).sum())


def _ratio_of_mean_squares(values: Array, fixed: Array, group: Ranks, size: int) -> float:
    """Of groups alike: from the mean squares of groups and of errors."""
    number = len(values) // size
    of_group = values.reshape(number, size).mean(axis=1)
    among = size * float(((of_group - of_group.mean()) ** 2).sum()) / (number - 1)
    errors = _remove_span(values - of_group[group], fixed)
    rank = int(np.linalg.matrix_rank(fixed))
    error = float(errors @ errors) / (len(values) - number - rank + 1)
    return (among / error - 1) / size


def _ratio_by_statsmodels(
    values: Array, fixed: Array, group: Ranks, label: str, feature: str
) -> float:
    """By an optimiser; what it is not sure of is refused."""
    import warnings  # noqa: PLC0415

    try:
        from statsmodels.regression.mixed_linear_model import (  # noqa: PLC0415  (an extra)
            MixedLM,
        )
    except ImportError:
        raise NotInstalled(feature, "models") from None
    scaled = values / values.std()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            fit = MixedLM(scaled, fixed, group).fit(reml=True, method=["bfgs"], gtol=_TOLERANCE)
        except (Warning, np.linalg.LinAlgError, ValueError) as problem:
            reason = " ".join(str(problem).split()).rstrip(".")
            raise CannotCompare(f"{label}: the model does not converge: {reason}") from None
    ratio = float(np.asarray(fit.cov_re)[0, 0] / fit.scale)
    if not fit.converged or not _SMALLEST_RATIO < ratio < np.inf:
        raise CannotCompare(f"{label}: the model does not converge")
    return ratio


def _remove_span(values: Array, columns: Array) -> Array:
    """What least squares leaves of values."""
    coefficients, *_ = np.linalg.lstsq(columns, values, rcond=None)
    return np.asarray(values - columns @ coefficients)


def check_residuals(residuals: Array, system: Ranks, labels: Sequence[str]) -> ResidualCheck:
    """The shape of residuals, and whether systems have the same spread of them.

    Args:
        residuals: one for each value.
        system: of each.
        labels: of each: query and run, or session.
    """
    from scipy import stats  # noqa: PLC0415  (slow to load)

    def find_p(test: Callable[..., Any], *samples: Array) -> float | None:
        """None where samples leave nothing to test, as if all were as far off."""
        with np.errstate(all="ignore"):
            return finite_or_none(test(*samples).pvalue)

    groups = [residuals[system == at] for at in range(int(system.max()) + 1)]
    spreads = [float(np.sqrt((group**2).mean())) for group in groups]
    largest = int(np.argmax(np.abs(residuals)))
    return ResidualCheck(
        skewness=float(stats.skew(residuals)),
        kurtosis=float(stats.kurtosis(residuals)),
        normal_p=find_p(stats.normaltest, residuals) if len(residuals) >= _MIN_VALUES else None,
        smallest_sd=min(spreads),
        largest_sd=max(spreads),
        spread_p=find_p(stats.levene, *groups) if min(map(len, groups)) > 2 else None,
        largest=float(residuals[largest]) / float(np.sqrt((residuals**2).mean())),
        largest_label=labels[largest],
    )


# ── terms: columns and their contrasts ───────────────────────────────────────────────────────────


@frozen(eq=False)
class Factor:
    """What each value is of: a column's name, its levels, and the number of each value's."""

    name: str
    levels: Sequence[str]
    numbers: Ranks


@frozen(eq=False)
class Terms:
    """The fixed effects, as columns and as contrasts of them.

    Columns are the cells of system and scenario, and further factors as deviations from the mean
    of their levels; so the mean of a system is that over scenarios, each counted once.
    """

    system: Factor
    scenario: Factor | None = None
    others: Sequence[Factor] = ()  # such as the order of sessions

    @property
    def shape(self) -> tuple[int, int]:
        """How many systems and scenarios there are."""
        return len(self.system.levels), len(self.scenario.levels) if self.scenario else 1

    def columns(self) -> Array:
        """The columns of the model."""
        scenario = self.scenario.numbers if self.scenario else 0
        cell = self.system.numbers * self.shape[1] + scenario
        cells = np.eye(self.shape[0] * self.shape[1])[cell]
        others = [np.eye(len(factor.levels))[factor.numbers] for factor in self.others]
        return np.concatenate([cells, *(each[:, 1:] - each[:, :1] for each in others)], axis=1)

    def cell_means(self) -> Array:
        """Systems × scenarios × columns: the contrast of each cell."""
        systems, scenarios = self.shape
        width = systems * scenarios + sum(len(factor.levels) - 1 for factor in self.others)
        return np.eye(systems * scenarios, width).reshape(systems, scenarios, width)

    def level_contrasts(self, at: int) -> Array:
        """Of a further factor: each level but the first, less the first."""
        systems, scenarios = self.shape
        start = systems * scenarios + sum(len(factor.levels) - 1 for factor in self.others[:at])
        number = len(self.others[at].levels) - 1
        contrasts = np.zeros((number, self.cell_means().shape[2]))
        contrasts[:, start : start + number] = np.eye(number) + 1.0  # the first is minus their sum
        return contrasts

    def list_effects(self, baseline: int) -> Iterator[tuple[str, Array]]:
        """Each system less the baseline, over scenarios alike; in each scenario; other levels."""
        cells, names = self.cell_means(), self.system.levels
        others = [at for at in range(len(names)) if at != baseline]
        gaps = cells - cells[baseline]
        yield from ((f"{names[at]} − {names[baseline]}", gaps[at].mean(axis=0)) for at in others)
        if self.scenario is not None:
            for at in others:
                for column, level in enumerate(self.scenario.levels):
                    where = f"in {self.scenario.name} {level}"
                    yield f"{names[at]} − {names[baseline]} {where}", gaps[at, column]
        for at, factor in enumerate(self.others):
            for level, contrast in zip(factor.levels[1:], self.level_contrasts(at), strict=True):
                yield f"{factor.name} {level} − {factor.levels[0]}", contrast

    def list_tests(self) -> Iterator[tuple[str, Array]]:
        """The contrasts of each term as a whole."""
        cells = self.cell_means()
        means = cells.mean(axis=1)
        yield self.system.name, means[1:] - means[0]
        if self.scenario is not None:
            columns = cells.mean(axis=0)
            yield self.scenario.name, columns[1:] - columns[0]
            doubly = cells[1:, 1:] - cells[1:, :1] - cells[:1, 1:] + cells[:1, :1]
            name = f"{self.system.name} × {self.scenario.name}"
            yield name, doubly.reshape(-1, doubly.shape[2])
        for at, factor in enumerate(self.others):
            yield factor.name, self.level_contrasts(at)

    def formula(self, measure: str, group: str) -> str:
        """The model in words."""
        crossed = f" × {self.scenario.name}" if self.scenario else ""
        others = "".join(f" + {factor.name}" for factor in self.others)
        return f"{measure} ~ {self.system.name}{crossed}{others} + ({group})"


def build_terms(
    system: Factor, scenario: Factor | None, others: Sequence[Factor]
) -> tuple[Terms, list[str]]:
    """The terms that can be told apart, and what is said of those that cannot.

    A cell of system and scenario that nobody tried is an error; a further factor that says nothing
    beyond the cells is left out.
    """
    terms, notes = Terms(system), []
    if scenario is not None and len(scenario.levels) > 1:
        terms = Terms(system, scenario)
        empty = np.flatnonzero(terms.columns().sum(axis=0) == 0)
        if empty.size:
            row, column = divmod(int(empty[0]), len(scenario.levels))
            raise CannotCompare(
                f"nobody tried {system.name} {system.levels[row]} on {scenario.name} "
                f"{scenario.levels[column]}: the model needs every {system.name} on every "
                f"{scenario.name}"
            )
    for factor in others:
        if len(factor.levels) < 2:
            continue
        more = Terms(system, terms.scenario, (*terms.others, factor))
        if np.linalg.matrix_rank(more.columns()) == more.columns().shape[1]:
            terms = more
        else:
            names = join_words([known.name for known in (system, terms.scenario) if known])
            notes.append(f"{factor.name} is not in the model: it cannot be told from {names}")
    return terms, notes


def fit_terms(
    measure: str,
    values: Array,
    terms: Terms,
    group: Factor,
    *,
    labels: Sequence[str],
    baseline: int,
    alpha: float,
) -> FittedModel:
    """What the terms and groups (queries, searchers) contribute to the values of one measure."""
    is_run = terms.system.name == "run"
    feature = "a model of runs" if is_run else "a model of sessions"
    model = fit_random_intercept(values, terms.columns(), group.numbers, measure, feature)
    check = check_residuals(model.residuals, terms.system.numbers, labels)
    name = terms.system.levels[baseline]
    mean = model.estimate(
        f"mean of {name if is_run else f'{terms.system.name} {name}'}",
        terms.cell_means()[baseline].mean(axis=0),
        alpha,
        tested=False,
    )
    effects = [model.estimate(term, own, alpha) for term, own in terms.list_effects(baseline)]
    notes = []
    if not model.group_variance:
        groups = pluralise(group.name)
        notes.append(f"{groups} differ by no more than errors make them: their variance is 0")
    if check.doubts:
        doubts = " and not ".join(check.doubts)
        instead = f"the {'randomisation' if is_run else 'permutation'} test"
        notes.append(f"residuals are not {doubts}; {instead} does not need them to be")
    return FittedModel(
        measure=measure,
        formula=terms.formula(measure, group.name),
        groups=len(group.levels),
        values=len(values),
        differences=tuple(effects[: len(terms.system.levels) - 1]),
        estimates=(mean, *effects),
        tests=tuple(model.test(term, contrasts) for term, contrasts in terms.list_tests()),
        components=model.components(group.name),
        residuals=check,
        notes=tuple(notes),
    )


# ── runs and studies ─────────────────────────────────────────────────────────────────────────────


def fit_runs(
    paired: PairedValues, names: Sequence[str], baseline: int, alpha: float
) -> FittedModel:
    """What runs and queries contribute to the values of one measure.

    Every run has every query, so the model is the analysis of variance with queries at random.
    """
    queries, runs = paired.values.shape
    return fit_terms(
        paired.measure,
        paired.values.ravel(),
        Terms(Factor("run", names, np.tile(np.arange(runs), queries))),
        Factor("query", paired.queries, np.repeat(np.arange(queries), runs)),
        labels=[f"{query}, {name}" for query in paired.queries for name in names],
        baseline=baseline,
        alpha=alpha,
    )


def model_runs(
    results: Sequence[RunValues],
    names: Sequence[str],
    baseline: str | None,
    alpha: float,
    standardise: str | None = None,
) -> Models:
    """The model run + (query), for each measure."""
    base = choose_baseline(baseline, names, "run")
    models, notes = [], []
    for measure in results[0].values:
        paired = pair_results(results, measure)
        refuse_extremes(paired.values, measure)
        if len(paired.queries) < 2:
            raise CannotCompare(f"{measure}: a model needs at least 2 queries that all runs have")
        notes += describe_left_out(paired, names)
        paired = standardise_values(paired, standardise)
        models.append(fit_runs(paired, names, names.index(base), alpha))
        notes += _describe_few_degrees(models[-1])
    return Models(
        models=tuple(models),
        baseline=base,
        systems=tuple(name for name in names if name != base),
        kind="run",
        group="query",
        alpha=alpha,
        standardised=describe_standardisation(standardise, len(names)),
        footnotes=tuple(list_footnotes(results)),
        all_footnotes=tuple(list_footnotes(results, verbose=True)),
        notes=tuple(notes),
        better={name: way.better_is for name, way in results[0].directions.items()},
    )


def _describe_few_degrees(model: FittedModel) -> list[str]:
    """That hardly anything can be told, where errors have one or two degrees of freedom."""
    degrees = round(min(test.error_degrees for test in model.tests))
    if degrees > _FEW_DEGREES:
        return []
    number = count_noun(degrees, "degree of freedom", "degrees of freedom")
    about = f"{model.measure}: {count_noun(model.groups, 'query')} leave errors {number}"
    return [f"{about}, so that intervals are very wide: more queries tell more"]


def model_sessions(
    results: SessionValues,
    by: str,
    block: str | Sequence[str] | None,
    baseline: str | None,
    alpha: float,
) -> Models:
    """The model system × scenario + order + (searcher), for each measure."""
    blocks = choose_blocks(results, by, block, (*BLOCKS, "order"))
    study = Study.from_results(results, by, blocks)
    if not blocks:
        raise CannotCompare("a model of sessions needs a column of searchers: --block COLUMN")
    base = choose_baseline(baseline, study.names, by)
    searcher, *others = map(Factor, blocks, study.block_levels, study.block_numbers)
    system = Factor(by, study.names, study.system)
    terms, notes = build_terms(system, others[0] if others else None, others[1:])
    return Models(
        models=tuple(
            fit_terms(
                *(measure, values, terms, searcher),
                labels=study.sessions,
                baseline=study.names.index(base),
                alpha=alpha,
            )
            for measure, values in zip(results.values, study.values.T, strict=True)
        ),
        baseline=base,
        systems=tuple(name for name in study.names if name != base),
        kind=by,
        group=searcher.name,
        alpha=alpha,
        footnotes=tuple(list_session_footnotes(results)),
        all_footnotes=tuple(list_session_footnotes(results, verbose=True)),
        notes=(*study.notes, *notes),
        better={name: way.better_is for name, way in results.directions.items()},
    )
