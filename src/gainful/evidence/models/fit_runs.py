"""The model of runs: score ~ run + (query)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gainful.evidence.models.model_values import (
    FittedModel,
    estimate_effect,
    estimate_mean,
    f_test,
    list_components,
    write_notes,
)
from gainful.evidence.models.random_intercept import fit_random_intercept
from gainful.evidence.models.residual_check import check_residuals
from gainful.evidence.pairing import PairedValues

FEATURE = "a model of runs"


def fit_runs(
    paired: PairedValues, names: Sequence[str], baseline: int, alpha: float
) -> FittedModel:
    """What runs and queries contribute to the values of one measure.

    Every run has every query, so the model is the analysis of variance with queries at random.
    """
    queries, runs = paired.values.shape
    fixed = np.tile(np.eye(runs), (queries, 1))
    model = fit_random_intercept(
        paired.values.ravel(),
        fixed,
        np.repeat(np.arange(queries), runs),
        paired.measure,
        FEATURE,
    )
    others = [at for at in range(runs) if at != baseline]
    contrasts = np.eye(runs)[others] - np.eye(runs)[baseline]
    differences = tuple(
        estimate_effect(model, f"{names[at]} − {names[baseline]}", contrast, alpha)
        for at, contrast in zip(others, contrasts, strict=True)
    )
    labels = [f"{query}, {name}" for query in paired.queries for name in names]
    check = check_residuals(model.residuals, np.tile(np.arange(runs), queries), labels)
    return FittedModel(
        measure=paired.measure,
        formula=f"{paired.measure} ~ run + (query)",
        groups=queries,
        values=paired.values.size,
        differences=differences,
        estimates=(
            estimate_mean(model, names[baseline], np.eye(runs)[baseline], alpha),
            *differences,
        ),
        tests=(f_test(model, "run", contrasts),),
        components=list_components(model, "query"),
        residuals=check,
        notes=write_notes(model, check, "query", "the randomisation test"),
    )
