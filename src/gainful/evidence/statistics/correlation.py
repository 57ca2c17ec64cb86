"""How alike are two orders of the same things? Kendall's tau, tau_AP and RBO.

An order is a list of names, the best first, or a dict {name: value}, in which higher is better and
equal values tie. All three treat ties as the variants for agreement do, those called b: a tie says
that the order is not known, and an order is wholly like itself, ties or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from math import sqrt
from typing import Any, Literal

import numpy as np

from gainful.errors import BadValue, WrongType, check_number
from gainful.rounding import ROUNDING
from gainful.types import Array, Ranks

Ordering = Mapping[Any, float] | Sequence[Hashable]
Reference = Literal["both", "first", "second"]
PERSISTENCE = 0.9
_ALLOWED = "a list of names, the best first, or a dict {name: value}"


def kendall_tau(a: Ordering, b: Ordering) -> float | None:
    """Kendall's tau-b: concordant minus discordant pairs, as a share.

    Pairs that tie are corrected for in both orders. None if all tie in one of the orders.

    Examples:
        >>> round(kendall_tau(["a", "b", "c"], ["a", "c", "b"]), 4)  # 2 pairs alike, 1 discordant
        0.3333
        >>> kendall_tau({"a": 0.5, "b": 0.4}, {"a": 0.2, "b": 0.2}) is None
        True
    """
    first, second = _common_places(a, b)
    tau = float(kendall(first, np.ones((1, len(first))))(second)[0])
    return None if np.isnan(tau) else tau


def tau_ap(a: Ordering, b: Ordering, *, reference: Reference = "both") -> float | None:
    """The AP correlation: Kendall's tau in which the top of the order counts for more.

    Of each but the first of an order, what share of those above it is above it in the reference
    too? The mean of these shares, from -1 to 1 (Yilmaz, Aslam & Robertson 2008). Ties are those of
    tau_AP,b (Urbano & Marrero 2017): only those above the whole tie are asked, and a pair that ties
    in the reference is not ordered alike. None where all tie in one of the orders.

    Args:
        a: an order.
        b: another one, of the same names.
        reference: which of them is the reference; "both": each once, and
            the mean of the two, so that it does not matter which comes first.

    Examples:
        >>> tau_ap(["b", "a", "c"], ["a", "b", "c"], reference="second")  # shares 0/1 and 2/2
        0.0
        >>> tau_ap(["a", "c", "b"], ["a", "b", "c"], reference="second")  # shares 1/1 and 1/2
        0.5
    """
    if reference not in ("both", "first", "second"):
        raise BadValue("reference", reference, "both, first or second")
    first, second = _common_places(a, b)
    if (first == 1).all() or (second == 1).all():
        return None
    if reference == "first":
        return _ap_correlation(second, first)
    if reference == "second":
        return _ap_correlation(first, second)
    return (_ap_correlation(first, second) + _ap_correlation(second, first)) / 2


def _ap_correlation(order: Array, reference: Array) -> float:
    above = order[None, :] < order[:, None]
    alike = above & (reference[None, :] < reference[:, None])
    below_top = order > 1  # the first has nothing above it
    return float(2 * (alike.sum(axis=1)[below_top] / (order[below_top] - 1)).mean() - 1)


def rbo(a: Ordering, b: Ordering, p: float = PERSISTENCE) -> float:
    """Rank-biased overlap: how much do the first few have in common, and the next few, and so on?

    The overlap at each depth, weighted as by a reader who goes one deeper with probability `p`, and
    extrapolated beyond the end (RBO_ext, Webber, Moffat & Zobel 2010). From 0 to 1; it is no
    correlation: a reversed order is not at -1, and short orders of the same names are always
    similar. Ties are those of RBO^b (Corsi & Urbano 2024): a tied item counts at each depth as far
    as it would be expected there, and the overlap is divided by what it is of each order with
    itself.

    Args:
        a: an order.
        b: another one, as long; they need not have the same names.
        p: the persistence, between 0 and 1; a small one looks at the very top only.

    Examples:
        >>> round(rbo([1, 2, 3, 4, 5], [2, 3, 4, 1, 5], p=0.9), 4)  # overlaps 0, 1/2, 2/3, 1, 1
        0.828
    """
    check_persistence(p)
    first, second = places(a, "a"), places(b, "b")
    if len(first) != len(second):
        allowed = f"an order as long as a, of {len(first)}"
        raise BadValue("b", f"an order of {len(second)}", allowed)
    names = list(dict.fromkeys([*first, *second]))
    first_ties, second_ties = _places_and_ties(first, names), _places_and_ties(second, names)
    agreement = []
    for depth in range(1, len(first) + 1):
        mine, theirs = (
            np.clip((depth - place + 1) / size, 0.0, 1.0)
            for place, size in (first_ties, second_ties)
        )
        own = sqrt(float(mine @ mine) * float(theirs @ theirs))
        agreement.append(float(mine @ theirs) / own)
    weights = (1 - p) * p ** np.arange(len(first))
    return float(weights @ agreement + p ** len(first) * agreement[-1])


def check_persistence(p: Any) -> None:
    """Refuse a persistence of RBO that is none."""
    check_number("p", p, "a number between 0 and 1, such as 0.9", lambda share: 0 < share < 1)


def _places_and_ties(place_of: Mapping[Any, int], names: Sequence[Any]) -> tuple[Array, Array]:
    sizes = Counter(place_of.values())
    first = [place_of.get(name, np.inf) for name in names]
    return np.array(first), np.array([sizes.get(place_of.get(name, 0), 1) for name in names])


def places(order: Ordering, argument: str = "order") -> dict[Any, int]:
    """The place of each name: 1 for the best; those that tie share the first of their places.

    Values that differ by rounding alone tie.

    Examples:
        >>> places({"a": 0.1, "b": 0.3, "c": 0.3})
        {'b': 1, 'c': 1, 'a': 3}
    """
    if isinstance(order, Mapping):
        return _places_by_value(order, argument)
    if isinstance(order, (str, bytes)) or not isinstance(order, Sequence):
        raise WrongType(argument, order, _ALLOWED)
    place_of = {name: place for place, name in enumerate(order, 1)}
    if len(place_of) != len(order):
        duplicate = next(name for name, number in Counter(order).items() if number > 1)
        raise BadValue(argument, duplicate, "every name once")
    if not place_of:
        raise BadValue(argument, list(order), f"{_ALLOWED}, not empty")
    return place_of


def _places_by_value(order: Mapping[Any, float], argument: str) -> dict[Any, int]:
    for name, value in order.items():
        check_number(f"{argument}[{name!r}]", value)
    if not order:
        raise BadValue(argument, dict(order), f"{_ALLOWED}, not empty")
    place_of: dict[Any, int] = {}
    last, place = np.inf, 0
    for at, name in enumerate(sorted(order, key=lambda name: -order[name]), 1):
        value = float(order[name])
        if last - value > ROUNDING * max(abs(last), abs(value)) or at == 1:
            place = at
        place_of[name], last = place, value
    return place_of


def _common_places(a: Ordering, b: Ordering) -> tuple[Array, Array]:
    first, second = places(a, "a"), places(b, "b")
    if first.keys() != second.keys():
        odd = next(iter(first.keys() ^ second.keys()))
        raise BadValue("b", f"an order with other names than a ({odd!r})", "the names of a")
    if len(first) < 2:
        raise BadValue("a", list(first), "an order of at least 2 names")
    sides = list(first.values()), [second[name] for name in first]
    return np.array(sides[0], dtype=np.float64), np.array(sides[1], dtype=np.float64)


_NO_VARIANCE = 1e-12  # of a variance, as a share of the mean square: what rounding leaves


Correlate = Callable[[Array], Array]  # a value for each unit → a coefficient for each sample


def pearson(label: Array, weights: Array) -> Correlate:
    """The product-moment correlation with the label, of each weighted sample.

    Examples:
        >>> correlate = pearson(np.array([2.0, 4.0, 5.0]), np.ones((1, 3)))
        >>> round(float(correlate(np.array([1.0, 2.0, 3.0]))[0]), 4)  # scipy.stats.pearsonr
        0.982
    """
    return _correlate_with(label[None, :], weights, lambda values: values[None, :])


def spearman(label: Array, weights: Array) -> Correlate:
    """The correlation of the ranks, which each weighted sample has anew; ties share theirs."""
    return _correlate_with(
        _mid_ranks(label, weights), weights, lambda values: _mid_ranks(values, weights)
    )


def kendall(label: Array, weights: Array) -> Correlate:
    """Kendall's tau-b: pairs of units that both sides order alike, less those they do not.

    Pairs are counted as (a, b) and (b, a), of whole weights without rounding.
    """
    drawn, pairs = np.ascontiguousarray(weights.T), weights.sum(axis=1) ** 2
    first = np.unique(label, return_inverse=True)[1]
    label_pairs = pairs - _weigh_ties(first, drawn)

    def correlate(values: Array) -> Array:
        second = np.unique(values, return_inverse=True)[1]
        both = first * len(first) + second
        value_pairs = pairs - _weigh_ties(second, drawn)
        ordered = label_pairs + value_pairs - pairs + _weigh_ties(both, drawn)  # by both sides
        order = np.argsort(both)
        balance = ordered - 4 * _weigh_inversions(second[order], drawn[order])
        return _divide(balance, np.sqrt(label_pairs * value_pairs))

    return correlate


# What is computed of the label is computed once for all measures that are held against it.
COEFFICIENTS: Mapping[str, Callable[[Array, Array], Correlate]] = {
    "spearman": spearman,
    "pearson": pearson,
    "kendall": kendall,
}
COEFFICIENT_WORDS = {
    "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
    "kendall": "Kendall's tau-b",
}


def _weigh_ties(number: Ranks, drawn: Array) -> Array:
    """The pairs of units with the same number, in each sample (a column of `drawn`)."""
    order = np.argsort(number)
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    tied = np.add.reduceat(drawn[order], starts, axis=0)
    return np.asarray(np.einsum("ib,ib->b", tied, tied))


def _weigh_inversions(number: Ranks, drawn: Array) -> Array:
    """The pairs of units of which the first has the larger number, in each sample.

    Two places differ first in one of their bits: for each bit, units that have it are counted
    before those that lack it, among the units whose higher bits are the same.
    """
    size = len(number)
    place = np.empty(size, dtype=np.intp)
    place[np.argsort(number, kind="stable")] = np.arange(size)  # so that ties are in order
    inversions, before = np.zeros(drawn.shape[1]), np.zeros((size + 1, drawn.shape[1]))
    for bit in reversed(range(size.bit_length())):
        has_bit = (place >> bit) & 1
        np.cumsum(drawn * has_bit[:, None], axis=0, out=before[1:])
        without = np.flatnonzero(has_bit == 0)
        group = place[without] >> (bit + 1) << (bit + 1)  # where its units begin
        inversions += np.einsum("ib,ib->b", drawn[without], before[without] - before[group])
        order = np.argsort(place >> bit, kind="stable")
        place, drawn = place[order], drawn[order]
    return inversions


def _correlate_with(label: Array, weights: Array, convert: Callable[[Array], Array]) -> Correlate:
    total = weights.sum(axis=1, keepdims=True)
    weighted = weights * (label - (weights * label).sum(axis=1, keepdims=True) / total)
    label_squares = _sum_squares(label, weights, total)

    def correlate(values: Array) -> Array:
        numbers = convert(values)
        squares = _sum_squares(numbers, weights, total)
        product = (weighted * (numbers - numbers[:, :1])).sum(axis=1)
        return _divide(product, np.sqrt(squares * label_squares))

    return correlate


def _sum_squares(values: Array, weights: Array, total: Array) -> Array:
    centred = values - (weights * values).sum(axis=1, keepdims=True) / total
    squares = (weights * centred**2).sum(axis=1)
    slack = _NO_VARIANCE * total[:, 0] * float(np.abs(centred).max()) ** 2
    return np.where(squares > slack, squares, 0.0)


def _divide(numerator: Array, denominator: Array) -> Array:
    quotient = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return np.asarray(np.clip(quotient, -1.0, 1.0))


def _mid_ranks(values: Array, weights: Array) -> Array:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ascending = weights[:, np.argsort(group, kind="stable")]
    by_group = np.add.reduceat(ascending, np.cumsum(sizes) - sizes, axis=1)
    middle = np.cumsum(by_group, axis=1) - by_group + (by_group + 1) / 2
    return np.asarray(middle[:, group])
