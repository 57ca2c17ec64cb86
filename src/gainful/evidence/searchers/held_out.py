"""Which discount tells best what searchers do? By sessions that had no part in fitting it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import frozen

from gainful.evidence.searchers.fit import fit_model, log_likelihoods
from gainful.evidence.searchers.stopping_models import STOPPING_MODELS
from gainful.evidence.searchers.stops import Stops
from gainful.types import Array, Ranks

FOLDS = 5
_CLEARLY = 2.0  # standard errors by which a model must be behind to be told from the best


@frozen
class HeldOut:
    """How likely a model makes what it has not seen."""

    mean: float  # the log-likelihood of an observation; minus infinity if one is impossible
    behind: float  # the best model
    error: float  # the standard error of how far it is behind

    @property
    def is_close(self) -> bool:
        """Can it not be told from the best model?"""
        return self.behind <= _CLEARLY * self.error


def hold_out(stops: Stops, seed: int) -> Mapping[str, HeldOut]:
    """Every model, fitted to four fifths of the searchers and tried on the rest, five times."""
    clusters, cluster = np.unique(stops.cluster, return_inverse=True)
    random = np.random.default_rng(seed)
    fold = random.permutation(np.arange(len(clusters), dtype=np.intp) % FOLDS)[cluster]
    by_cluster = {
        name: _try_on_others(name, stops, fold, cluster, len(clusters)) for name in STOPPING_MODELS
    }
    totals = {name: float(values.sum()) for name, values in by_cluster.items()}
    best = max(totals, key=lambda name: totals[name])
    return {
        name: _compare_with_best(values, by_cluster[best], stops.size)
        for name, values in by_cluster.items()
    }


def _try_on_others(name: str, stops: Stops, fold: Ranks, cluster: Ranks, size: int) -> Array:
    """The log-likelihood of what each searcher did, by a fit to others."""
    values = np.zeros(stops.size)
    for number in range(FOLDS):
        tried = fold == number
        if tried.any() and not tried.all():
            fit = fit_model(STOPPING_MODELS[name], stops.select(~tried), level=None)
            values[tried] = log_likelihoods(fit, stops.select(tried))
    return np.bincount(cluster, values, minlength=size).astype(np.float64)


def _compare_with_best(values: Array, best: Array, observations: int) -> HeldOut:
    if not np.isfinite(values).all():
        return HeldOut(-np.inf, np.inf, 0.0)
    differences = best - values
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    error = spread * np.sqrt(len(differences)) / observations
    return HeldOut(
        float(values.sum()) / observations, float(differences.sum()) / observations, float(error)
    )
