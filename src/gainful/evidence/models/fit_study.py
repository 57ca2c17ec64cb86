"""The model of a study: score ~ system × scenario + order + (searcher)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from gainful.errors import CannotCompare
from gainful.evidence.models.model_values import (
    Estimate,
    FittedModel,
    TermTest,
    estimate_effect,
    estimate_mean,
    f_test,
    list_components,
    write_notes,
)
from gainful.evidence.models.random_intercept import RandomIntercept, fit_random_intercept
from gainful.evidence.models.residual_check import check_residuals
from gainful.types import Array, Ranks

FEATURE = "a model of sessions"


@frozen(eq=False)
class Factor:
    """A column of sessions: its name, its levels, and the number of each session's."""

    name: str
    levels: Sequence[str]
    numbers: Ranks

    def indicators(self) -> Array:
        """A column for each level: is the session of it?"""
        return np.eye(len(self.levels))[self.numbers]


@frozen(eq=False)
class StudyTerms:
    """The fixed effects of a study, as columns and as contrasts of them.

    Columns are the cells of system and scenario, and further factors as deviations from the mean
    of their levels; so the mean of a system is that over scenarios, each counted once.
    """

    system: Factor
    scenario: Factor | None
    others: Sequence[Factor]  # such as the order of sessions

    @property
    def cells(self) -> int:
        """How many columns are cells of system and scenario."""
        return len(self.system.levels) * (len(self.scenario.levels) if self.scenario else 1)

    def columns(self) -> Array:
        """The columns of the model."""
        levels = len(self.scenario.levels) if self.scenario else 1
        scenario = self.scenario.numbers if self.scenario else np.zeros_like(self.system.numbers)
        cells = np.eye(self.cells)[self.system.numbers * levels + scenario]
        deviations = [
            factor.indicators()[:, 1:] - factor.indicators()[:, :1] for factor in self.others
        ]
        return np.concatenate([cells, *deviations], axis=1)

    def cell_means(self) -> Array:
        """Systems × scenarios × columns: the contrast of each cell."""
        levels = len(self.scenario.levels) if self.scenario else 1
        width = self.cells + sum(len(factor.levels) - 1 for factor in self.others)
        return np.eye(self.cells, width).reshape(len(self.system.levels), levels, width)

    def level_contrasts(self, at: int) -> Array:
        """Of a further factor: each level but the first, less the first."""
        start = self.cells + sum(len(factor.levels) - 1 for factor in self.others[:at])
        number = len(self.others[at].levels) - 1
        contrasts = np.zeros((number, self.cell_means().shape[2]))
        contrasts[:, start : start + number] = np.eye(number) + 1.0  # the first is minus their sum
        return contrasts

    def formula(self, measure: str, searcher: str) -> str:
        """The model in words."""
        crossed = f" × {self.scenario.name}" if self.scenario else ""
        others = "".join(f" + {factor.name}" for factor in self.others)
        return f"{measure} ~ {self.system.name}{crossed}{others} + ({searcher})"


def build_terms(
    system: Factor, scenario: Factor | None, others: Sequence[Factor]
) -> tuple[StudyTerms, list[str]]:
    """The terms that can be told apart, and what is said of those that cannot.

    A cell of system and scenario that nobody tried is an error; a further factor that says nothing
    beyond the cells is left out.
    """
    if scenario is not None and len(scenario.levels) < 2:
        scenario = None
    _refuse_empty_cells(system, scenario)
    terms, notes = StudyTerms(system, scenario, ()), []
    for factor in others:
        if len(factor.levels) < 2:
            continue
        more = StudyTerms(system, scenario, (*terms.others, factor))
        if np.linalg.matrix_rank(more.columns()) == more.columns().shape[1]:
            terms = more
        else:
            known = f"{system.name} and {scenario.name}" if scenario else system.name
            notes.append(f"{factor.name} is not in the model: it cannot be told from {known}")
    return terms, notes


def _refuse_empty_cells(system: Factor, scenario: Factor | None) -> None:
    if scenario is None:
        return
    counts = system.indicators().T @ scenario.indicators()
    empty = np.argwhere(counts == 0)
    if len(empty):
        row, column = empty[0]
        raise CannotCompare(
            f"nobody tried {system.name} {system.levels[row]} on {scenario.name} "
            f"{scenario.levels[column]}: the model needs every {system.name} on every "
            f"{scenario.name}"
        )


def fit_study(
    measure: str,
    values: Array,
    terms: StudyTerms,
    searcher: Factor,
    *,
    sessions: Sequence[str],
    baseline: int,
    alpha: float,
) -> FittedModel:
    """What systems, scenarios, order and searchers contribute to the values of one measure."""
    model = fit_random_intercept(values, terms.columns(), searcher.numbers, measure, FEATURE)
    check = check_residuals(model.residuals, terms.system.numbers, sessions)
    differences = _list_differences(model, terms, baseline, alpha)
    base_name = terms.system.levels[baseline]
    mean = terms.cell_means()[baseline].mean(axis=0)
    return FittedModel(
        measure=measure,
        formula=terms.formula(measure, searcher.name),
        groups=len(searcher.levels),
        values=len(values),
        differences=tuple(differences),
        estimates=(
            estimate_mean(model, f"{terms.system.name} {base_name}", mean, alpha),
            *differences,
            *_list_by_scenario(model, terms, baseline, alpha),
            *_list_levels(model, terms, alpha),
        ),
        tests=tuple(_test_terms(model, terms)),
        components=list_components(model, searcher.name),
        residuals=check,
        notes=write_notes(model, check, searcher.name, "the permutation test"),
    )


def _list_differences(
    model: RandomIntercept, terms: StudyTerms, baseline: int, alpha: float
) -> list[Estimate]:
    """Each system less the baseline, over scenarios alike."""
    means = terms.cell_means().mean(axis=1)
    names = terms.system.levels
    return [
        estimate_effect(model, f"{name} − {names[baseline]}", means[at] - means[baseline], alpha)
        for at, name in enumerate(names)
        if at != baseline
    ]


def _list_by_scenario(
    model: RandomIntercept, terms: StudyTerms, baseline: int, alpha: float
) -> list[Estimate]:
    """Each system less the baseline, in each scenario."""
    if terms.scenario is None:
        return []
    cells, names = terms.cell_means(), terms.system.levels
    return [
        estimate_effect(
            model,
            f"{name} − {names[baseline]} in {terms.scenario.name} {level}",
            cells[at, column] - cells[baseline, column],
            alpha,
        )
        for at, name in enumerate(names)
        if at != baseline
        for column, level in enumerate(terms.scenario.levels)
    ]


def _list_levels(model: RandomIntercept, terms: StudyTerms, alpha: float) -> list[Estimate]:
    """The levels of further factors, less the first."""
    return [
        estimate_effect(model, f"{factor.name} {level} − {factor.levels[0]}", contrast, alpha)
        for at, factor in enumerate(terms.others)
        for level, contrast in zip(factor.levels[1:], terms.level_contrasts(at), strict=True)
    ]


def _test_terms(model: RandomIntercept, terms: StudyTerms) -> list[TermTest]:
    """Each term as a whole."""
    cells = terms.cell_means()
    means = cells.mean(axis=1)
    tests = [f_test(model, terms.system.name, means[1:] - means[0])]
    if terms.scenario is not None:
        columns = cells.mean(axis=0)
        tests.append(f_test(model, terms.scenario.name, columns[1:] - columns[0]))
        doubly = cells[1:, 1:] - cells[1:, :1] - cells[:1, 1:] + cells[:1, :1]
        name = f"{terms.system.name} × {terms.scenario.name}"
        tests.append(f_test(model, name, doubly.reshape(-1, doubly.shape[2])))
    tests += [
        f_test(model, factor.name, terms.level_contrasts(at))
        for at, factor in enumerate(terms.others)
    ]
    return tests
