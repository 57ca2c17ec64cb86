"""How alike are the orders that measures put runs in?

Each measure puts the runs in an order, by their means. How alike two orders are is told by
Kendall's tau, tau_AP and RBO, and by the pairs of runs that are swapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import polars as pl
from attrs import field, frozen

from gainful.errors import BadValue, WrongType
from gainful.evidence.orders.discriminative_power import Criterion, DiscriminativePower
from gainful.evidence.orders.swaps import Swap, find_swaps
from gainful.evidence.statistics.rank_correlation import (
    PERSISTENCE,
    check_persistence,
    kendall_tau,
    places,
    rbo,
    tau_ap,
)
from gainful.measure.results import Results
from gainful.types import Flags

_MIN_RUNS = 3
_MAX_SWAPS = 5  # swaps of two measures that are kept


@frozen
class Agreement:
    """How alike two measures order the runs.

    `tau` and `tau_ap` are None where one of the measures has the same mean for all runs. `tau_ap`
    is the mean of both directions; `tau_ap_to` has each, the first and the second measure's order
    being the reference.
    """

    measures: tuple[str, str]
    tau: float | None
    tau_ap: float | None
    tau_ap_to: tuple[float | None, float | None]
    rbo: float
    swapped: int  # pairs of runs that the two order differently
    swaps: tuple[Swap, ...]  # a few of them, the most striking first

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measures": list(self.measures),
            "tau": self.tau,
            "tau_ap": self.tau_ap,
            "tau_ap_to_first": self.tau_ap_to[0],
            "tau_ap_to_second": self.tau_ap_to[1],
            "rbo": self.rbo,
            "swapped": self.swapped,
            "swaps": [swap.to_dict() for swap in self.swaps],
        }


@frozen(eq=False, repr=False)
class Order:
    """What order each measure puts the runs in, how alike the orders are, what tells runs apart.

    `means` are {measure: {run: mean}}, over the queries that all runs have; `agreement` has an
    entry for each pair of measures, `power` one for each measure (none where only means were
    given).
    """

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    means: Mapping[str, Mapping[str, float]]
    agreement: tuple[Agreement, ...]
    p: float  # of RBO
    power: tuple[DiscriminativePower, ...] = ()
    criterion: Criterion | None = None
    notes: tuple[str, ...] = ()
    results: tuple[Results, ...] = field(default=())

    @property
    def swaps(self) -> dict[tuple[str, str], tuple[Swap, ...]]:
        """Pairs of runs that two measures order differently, a few for each two measures."""
        return {agreement.measures: agreement.swaps for agreement in self.agreement}

    def places(self, measure: str) -> dict[str, int]:
        """The runs in the order of a measure, the best first, with their places."""
        return places(self.means[measure])

    @property
    def agreement_frame(self) -> pl.DataFrame:
        """A row for each pair of measures."""
        names = ("tau", "tau_ap", "tau_ap_to_first", "tau_ap_to_second", "rbo")
        rows = [row.to_dict() for row in self.agreement]
        columns: dict[str, Any] = {
            side: pl.Series(side, [row["measures"][at] for row in rows], dtype=pl.String)
            for at, side in enumerate(("first", "second"))
        }
        columns |= {
            name: pl.Series(name, [row[name] for row in rows], dtype=pl.Float64) for name in names
        }
        swapped = pl.Series("swapped", [row.swapped for row in self.agreement], dtype=pl.Int64)
        return pl.DataFrame(columns | {"swapped": swapped})

    @property
    def power_frame(self) -> pl.DataFrame:
        """A row for each measure."""
        kinds: dict[str, Any] = {
            "measure": pl.String,
            "power": pl.Float64,
            "significant": pl.Int64,
            "pairs": pl.Int64,
            "smallest_difference": pl.Float64,
            "queries": pl.Int64,
        }
        rows = [row.to_dict() for row in self.power]
        return pl.DataFrame(
            {
                name: pl.Series(name, [row[name] for row in rows], dtype=kind)
                for name, kind in kinds.items()
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        plain: dict[str, Any] = {
            "runs": list(self.runs),
            "means": {name: dict(means) for name, means in self.means.items()},
            "order": {name: self.places(name) for name in self.measures},
            "agreement": [item.to_dict() for item in self.agreement],
            "p": self.p,
            "notes": [
                *self.notes,
                *(f"{item.name}: {note}" for item in self.results for note in item.notes),
            ],
        }
        if self.criterion is not None:
            resampling = self.criterion.resampling
            plain["power"] = [item.to_dict() for item in self.power]
            plain["test"] = {
                "name": self.criterion.name,
                "correct": self.criterion.correct,
                "alpha": resampling.alpha,
                "resamples": resampling.resamples,
                "seed": resampling.seed,
            }
        if self.results:
            plain["convention"] = self.results[0].to_dict()["convention"]
            plain["counts"] = {item.name: dict(item.counts) for item in self.results}
        return plain

    def __repr__(self) -> str:
        lines = [f"Order of {len(self.runs)} runs by {', '.join(self.measures)}"]
        lines += [
            f"{item.measure}: {'–' if item.significant is None else item.significant} "
            f"of {item.pairs} pairs told apart"
            for item in self.power
        ]
        lines += [
            f"{item.measures[0]} and {item.measures[1]}: tau {_format_number(item.tau)}, tau_AP "
            f"{_format_number(item.tau_ap)}, RBO {item.rbo:.4f}, {item.swapped} swapped"
            for item in self.agreement
        ]
        return "\n".join((*lines, *self.notes))


def _format_number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def order_means(
    means: Mapping[str, Mapping[str, float]],
    p: float = PERSISTENCE,
    significant: Mapping[str, Flags | None] | None = None,
) -> Order:
    """How alike are the orders that these means give? For sessions, sweeps, or numbers of a paper.

    Args:
        means: {measure: {system: mean}}, the same systems everywhere.
        p: the persistence of RBO.
        significant: which pairs of systems a measure tells apart, in the order of
            `itertools.combinations`, where that is known.

    Examples:
        >>> order = order_means(
        ...     {"b=2": {"x": 0.5, "y": 0.4, "z": 0.3}, "b=10": {"x": 0.5, "y": 0.2, "z": 0.3}}
        ... )
        >>> round(order.agreement[0].tau, 4), order.agreement[0].swaps[0].runs
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
    ordered = {
        measure: places(by_system, f"means[{measure!r}]") for measure, by_system in means.items()
    }
    constant = [measure for measure, by_system in ordered.items() if set(by_system.values()) == {1}]
    agreement = []
    for left, right in combinations(means, 2):
        a, b = means[left], means[right]
        swaps = find_swaps(
            runs, (a, b), (ordered[left], ordered[right]), (flags.get(left), flags.get(right))
        )
        agreement.append(
            Agreement(
                measures=(left, right),
                tau=kendall_tau(a, b),
                tau_ap=tau_ap(a, b),
                tau_ap_to=(tau_ap(a, b, reference="first"), tau_ap(a, b, reference="second")),
                rbo=rbo(a, b, p),
                swapped=len(swaps),
                swaps=tuple(swaps[:_MAX_SWAPS]),
            )
        )
    return Order(
        measures=tuple(means),
        runs=runs,
        means=means,
        agreement=tuple(agreement),
        p=p,
        notes=tuple(
            f"{measure} has the same mean for all runs: no tau or tau_AP with it"
            for measure in constant
        ),
    )


def check_run_count(runs: int) -> None:
    """With two runs there is one pair: measures agree on it or not, and no tau says more."""
    if runs < _MIN_RUNS:
        raise BadValue("the number of runs", runs, "at least 3: fewer have no order to speak of")
