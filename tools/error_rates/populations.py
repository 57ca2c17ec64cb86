"""Differences between real runs, and made ones, of which samples are drawn with a mean of zero."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from attrs import frozen
from scipy.optimize import brentq

import gainful
from gainful.types import Array

RUNS = Path(__file__).parents[3] / "shared" / "data" / "cast2021"
NAMES = ("org_manual_bm25", "org_convdr_bert")
MEASURES = ("nDCG@10", "AP", "RR", "P@5")


@frozen(eq=False)
class Population:
    """Values and how often each is drawn."""

    values: Array
    weights: Array

    def draw(self, random: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """A sample of any shape."""
        return self.values[
            np.searchsorted(self.weights.cumsum()[:-1], random.random(shape), "right")
        ]

    def spread(self) -> float:
        """The standard deviation."""
        mean = self.weights @ self.values
        return float(np.sqrt(self.weights @ (self.values - mean) ** 2))


def has_runs() -> bool:
    """Are the real runs there?"""
    return RUNS.is_dir()


@cache
def read_values(measure: str) -> Array:
    """The values of both runs of CAsT 2021, a row for each query."""
    runs = {name: str(RUNS / f"{name}.run") for name in NAMES}
    results = gainful.evaluate(str(RUNS / "qrels.txt"), runs, list(MEASURES))
    return np.stack([results[name].per_query[measure].to_numpy() for name in NAMES], axis=1)


def equal_weights(values: Array) -> Population:
    """Every value as often as the others."""
    return Population(values, np.full(len(values), 1 / len(values)))


@cache
def exchangeable(measure: str) -> Population:
    """The differences of both runs and the same with the other sign."""
    before, now = read_values(measure).T
    return equal_weights(np.concatenate([now - before, before - now]))


@cache
def tilted(measure: str) -> Population:
    """The differences of both runs, drawn so that their mean is zero: their skewness and ties stay.

    Values get weights exp(λ value), the nearest to equal ones that have this mean.
    """
    before, now = read_values(measure).T
    differences = now - before
    rate = brentq(lambda rate: (np.exp(rate * differences) * differences).sum(), -500, 500)
    weights = np.exp(rate * differences)
    return Population(differences, weights / weights.sum())


def mostly_zero(random: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Normal values of two runs that are nearly the same: 60 % of the queries do not differ."""
    return np.asarray(np.where(random.random(shape) < 0.4, random.normal(size=shape), 0.0))


def made(random: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Exponential values about zero: more skewed (2) than the differences of any runs we have."""
    return random.exponential(size=shape) - 1
