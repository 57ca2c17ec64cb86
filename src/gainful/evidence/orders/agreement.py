"""How alike are the orders that measures put runs in?

Each measure puts the runs in an order, by their means. How alike two orders are is told by
Kendall's tau, tau_AP and RBO, and by the pairs of runs that are discordant.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations

from gainful.errors import BadValue, UnknownName, WrongType
from gainful.evidence.orders.discordant_pairs import find_discordant_pairs
from gainful.evidence.orders.order import Agreement, Order
from gainful.evidence.statistics.rank_correlation import (
    PERSISTENCE,
    check_persistence,
    kendall_tau,
    places,
    rbo,
    tau_ap,
)
from gainful.types import Flags, is_number

_MIN_RUNS = 3
_MAX_PAIRS = 5  # discordant pairs of two measures that are kept


def order_means(
    means: Mapping[str, Mapping[str, float]],
    p: float = PERSISTENCE,
    significant: Mapping[str, Flags | None] | None = None,
    lower_is_better: Collection[str] = (),
) -> Order:
    """How alike are the orders that these means give? For sessions, sweeps, or numbers of a paper.

    Args:
        means: {measure: {system: mean}}, the same systems everywhere.
        p: the persistence of RBO.
        significant: which pairs of systems a measure tells apart, in the order of
            `itertools.combinations`, where that is known.
        lower_is_better: the measures of which less is better.

    Examples:
        >>> order = order_means(
        ...     {"b=2": {"x": 0.5, "y": 0.4, "z": 0.3}, "b=10": {"x": 0.5, "y": 0.2, "z": 0.3}}
        ... )
        >>> round(order.agreement[0].tau, 4), order.agreement[0].discordant_pairs[0].runs
        (0.3333, ('y', 'z'))
    """
    check_persistence(p)
    if not isinstance(means, Mapping) or not means:
        raise WrongType("means", means, "{measure: {system: mean}}")
    first = next(iter(means))
    for measure, by_system in means.items():
        if not isinstance(by_system, Mapping) or by_system.keys() != means[first].keys():
            raise BadValue(
                f"means[{measure!r}]", by_system, f"the systems of {first}, with a mean each"
            )
    check_run_count(len(means[first]))
    runs = tuple(means[first])
    flags = significant or {}
    for measure in lower_is_better:
        if measure not in means:
            raise UnknownName("measure", str(measure), means)
    merits = {
        measure: _turn(by_system) if measure in lower_is_better else by_system
        for measure, by_system in means.items()
    }
    ordered = {
        measure: places(by_system, f"means[{measure!r}]") for measure, by_system in merits.items()
    }
    constant = [measure for measure, by_system in ordered.items() if set(by_system.values()) == {1}]
    agreement = []
    for left, right in combinations(means, 2):
        a, b = merits[left], merits[right]
        discordant_pairs = find_discordant_pairs(
            runs, (a, b), (ordered[left], ordered[right]), (flags.get(left), flags.get(right))
        )
        agreement.append(
            Agreement(
                measures=(left, right),
                tau=kendall_tau(a, b),
                tau_ap=tau_ap(a, b),
                tau_ap_to=(tau_ap(a, b, reference="first"), tau_ap(a, b, reference="second")),
                rbo=rbo(a, b, p),
                discordant=len(discordant_pairs),
                discordant_pairs=tuple(discordant_pairs[:_MAX_PAIRS]),
            )
        )
    return Order(
        measures=tuple(means),
        runs=runs,
        means=means,
        agreement=tuple(agreement),
        p=p,
        lower_is_better=tuple(lower_is_better),
        notes=tuple(
            f"{measure} has the same mean for all runs: no tau or tau_AP with it"
            for measure in constant
        ),
    )


def _turn(means: Mapping[str, float]) -> dict[str, float]:
    """Means of which less is better, as numbers of which more is."""
    return {system: -mean if is_number(mean) else mean for system, mean in means.items()}


def check_run_count(runs: int) -> None:
    """With two runs there is one pair: measures agree on it or not, and no tau says more."""
    if runs < _MIN_RUNS:
        raise BadValue("the number of runs", runs, "at least 3: fewer have no order to speak of")
