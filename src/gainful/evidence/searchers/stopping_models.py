"""How searchers stop: discounts read as the share of searchers who get so far.

A discount says what is left of a gain at a rank. Read as behaviour it is P(depth ≥ i): the share of
searchers who look at rank i. Every model here is 1 at rank 1 and falls; of those of `DISCOUNTS`
`none` never falls, and `log` is `log2` once it is 1 at rank 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from attrs import frozen

from gainful.formula import NamedFormula
from gainful.measure.discount import DISCOUNTS, i
from gainful.measure.parameters import PARAMETERS
from gainful.types import Array

_p, _T = PARAMETERS["p"], PARAMETERS["T"]

GEOMETRIC = NamedFormula(
    "discount", "geometric", _p ** (i - 1), "the same share goes on at every rank", "moffat2008"
)
INSQ = NamedFormula(
    "discount",
    "insq",
    (2 * _T / (i + (2 * _T - 1))) ** 2,
    "goes on for T, come what may",
    "moffat2012",
)


@frozen
class Scale:
    """The scale on which a parameter is estimated: any number goes, and errors are even."""

    to_value: Callable[[float], float]
    low: float  # beyond these, nothing changes that a log could show
    high: float
    lowest: float  # what the parameter is at its ends
    highest: float


SCALES: Mapping[str, Scale] = {
    # 1/(1 + log_b i) is L/(L + ln i) with L = ln b: the logarithm of L.
    "b": Scale(lambda t: float(np.exp(np.exp(t))), -12.0, 3.5, 1.0, np.inf),
    "p": Scale(lambda t: float(1 / (1 + np.exp(-t))), -14.0, 14.0, 0.0, 1.0),
    "T": Scale(lambda t: float(np.exp(t)), -9.0, 9.0, 0.0, np.inf),
}


@frozen
class StoppingModel:
    """One way in which searchers stop, with one parameter or none."""

    formula: NamedFormula
    symbol: str | None = None

    @property
    def name(self) -> str:
        """What the discount is called."""
        return self.formula.name

    @property
    def scale(self) -> Scale | None:
        """On which scale its parameter is estimated."""
        return None if self.symbol is None else SCALES[self.symbol]

    def survival(self, point: float, last: int) -> Array:
        """The share of searchers who get to 1, 2, … and one past `last`, its parameter being so."""
        formula = self.formula
        if self.symbol is not None:
            value = SCALES[self.symbol].to_value(point)
            formula = NamedFormula(
                formula.kind,
                formula.name,
                formula.expr,
                formula.meaning,
                values=((self.symbol, value),),
            )
        return formula.evaluate_at(np.arange(1, last + 2))


_BASED = ("jk2008", "jk2002", "shifted")
_FIXED = ("log2", "zipf")
STOPPING_MODELS: Mapping[str, StoppingModel] = {
    model.name: model
    for model in (
        *(StoppingModel(DISCOUNTS[name], "b") for name in _BASED),
        *(StoppingModel(DISCOUNTS[name]) for name in _FIXED),
        StoppingModel(GEOMETRIC, "p"),
        StoppingModel(INSQ, "T"),
    )
}
