"""The measures of a searcher, spelled as one pastes them."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from gainful.evidence.searchers.fit import Fit
from gainful.evidence.searchers.srbp import Estimate
from gainful.measure.discount import DISCOUNTS, bq

_USUAL_CUTOFF = 10
_LEAST_BASE = 1.001  # where nobody goes on: a base must be above 1
_LARGEST_BASE = 1e6  # beyond it, nothing is discounted that one could see
_DIGITS = 3
FittedDiscount = tuple[str, Mapping[str, Fit]]  # the best of them, and all


@frozen
class Spelled:
    """Measures of the searchers of a log; None where the log does not tell enough."""

    best: str  # by the discounts that fit best
    session: str  # nsDCG with b and bq
    walk: str | None  # sRBP
    ranking: str | None  # RBP, of single lists

    def listing(self) -> dict[str, str]:
        """Those that there are, by name; another nsDCG first, if that fits best."""
        named = {"nsDCG": self.session, "sRBP": self.walk, "RBP": self.ranking}
        spelled = {name: measure for name, measure in named.items() if measure is not None}
        other = {} if self.best in spelled.values() else {"best": self.best}
        return other | spelled


def spell_measures(
    reading: FittedDiscount | None,
    asking: FittedDiscount,
    srbp: tuple[Estimate, Estimate] | None,
    list_length: int,
) -> Spelled:
    """What nsDCG, sRBP and RBP are to these searchers, and which of them fits best."""
    cutoff = min(_USUAL_CUTOFF, list_length) if list_length else _USUAL_CUTOFF
    walk = None
    if srbp is not None:
        p, balance = srbp
        walk = f"sRBP(p={_round(p.value)}, balance={_round(balance.value)})"
    session = _spell_nsdcg(reading, asking, cutoff, "jk2008")
    behaviours = [asking] if reading is None else [reading, asking]
    walks = walk is not None and not any(best in DISCOUNTS for best, _ in behaviours)
    best = walk if walks and walk is not None else _spell_nsdcg(reading, asking, cutoff)
    persistence = None if reading is None else reading[1]["geometric"].value
    ranking = None
    if persistence is not None and 0 < persistence < 1:
        ranking = f"RBP(p={_round(persistence)})"
    return Spelled(best, session, walk, ranking)


def _spell_nsdcg(
    reading: FittedDiscount | None, asking: FittedDiscount, cutoff: int, discount: str | None = None
) -> str:
    """One nsDCG: by one discount for ranks and queries, or else by those that fit best."""
    parts = []
    for option, base, fitted in (("discount", "b", reading), ("query_discount", "bq", asking)):
        if fitted is not None:
            best, fits = fitted
            chosen = best if best in DISCOUNTS else _best_of_measures(fits)
            parts += _spell_discount(discount or chosen, fits, option, base)
    return f"nsDCG({', '.join(parts)})@{cutoff}"


def _spell_discount(name: str, fits: Mapping[str, Fit], option: str, base: str) -> list[str]:
    """What stands in the brackets for a discount: its name where it is not 2008's, its base."""
    value = fits[name].value
    if value is None:
        return [f"{option}={name}"]
    if value >= (bq.domain.below if base == bq.symbol else _LARGEST_BASE):
        return [f"{option}=none"]
    shown = _round(max(value, _LEAST_BASE))
    return [*([] if name == "jk2008" else [f"{option}={name}"]), f"{base}={shown}"]


def _best_of_measures(fits: Mapping[str, Fit]) -> str:
    """Of the discounts that nsDCG takes, the one that makes the log most likely."""
    return max((name for name in fits if name in DISCOUNTS), key=lambda n: fits[n].log_likelihood)


def _round(value: float) -> str:
    """A number as it is pasted: three digits, but never 1 where it must be above or below."""
    digits = _DIGITS
    while float(f"{value:.{digits}g}") == 1.0:
        digits += 1
    return f"{value:.{digits}g}"
