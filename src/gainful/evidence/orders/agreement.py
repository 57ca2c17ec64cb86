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
from gainful.evidence.orders.discriminative_power import Criterion, Power
from gainful.evidence.orders.swaps import Swap, swaps_of
from gainful.evidence.statistics.rank_correlation import (
    PERSISTENCE,
    check_persistence,
    kendall_tau,
    places,
    rbo,
    tau_ap,
)
from gainful.match.matched import Flags
from gainful.measure.results import Results

_FEWEST = 3
_SHOWN = 5  # swaps of two measures that are kept


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
    power: tuple[Power, ...] = ()
    criterion: Criterion | None = None
    notes: tuple[str, ...] = ()
    results: tuple[Results, ...] = field(default=())

    @property
    def swaps(self) -> dict[tuple[str, str], tuple[Swap, ...]]:
        """Pairs of runs that two measures order differently, a few for each two measures."""
        return {one.measures: one.swaps for one in self.agreement}

    def places(self, measure: str) -> dict[str, int]:
        """The runs in the order of a measure, the best first, with their places."""
        return places(self.means[measure])

    @property
    def agreement_frame(self) -> pl.DataFrame:
        """A row for each pair of measures."""
        names = ("tau", "tau_ap", "tau_ap_to_first", "tau_ap_to_second", "rbo")
        told = [one.to_dict() for one in self.agreement]
        columns: dict[str, Any] = {
            side: pl.Series(side, [one["measures"][at] for one in told], dtype=pl.String)
            for at, side in enumerate(("first", "second"))
        }
        columns |= {
            name: pl.Series(name, [one[name] for one in told], dtype=pl.Float64) for name in names
        }
        swapped = pl.Series("swapped", [one.swapped for one in self.agreement], dtype=pl.Int64)
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
        told = [one.to_dict() for one in self.power]
        return pl.DataFrame(
            {
                name: pl.Series(name, [one[name] for one in told], dtype=kind)
                for name, kind in kinds.items()
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        found: dict[str, Any] = {
            "runs": list(self.runs),
            "means": {name: dict(means) for name, means in self.means.items()},
            "order": {name: self.places(name) for name in self.measures},
            "agreement": [one.to_dict() for one in self.agreement],
            "p": self.p,
            "notes": [
                *self.notes,
                *(f"{one.name}: {note}" for one in self.results for note in one.notes),
            ],
        }
        if self.criterion is not None:
            how = self.criterion.how
            found["power"] = [one.to_dict() for one in self.power]
            found["test"] = {
                "name": self.criterion.name,
                "correct": self.criterion.correct,
                "alpha": how.alpha,
                "resamples": how.resamples,
                "seed": how.seed,
            }
        if self.results:
            found["convention"] = self.results[0].to_dict()["convention"]
            found["counts"] = {one.name: dict(one.counts) for one in self.results}
        return found

    def __repr__(self) -> str:
        lines = [f"Order of {len(self.runs)} runs by {', '.join(self.measures)}"]
        lines += [
            f"{one.measure}: {'–' if one.significant is None else one.significant} of {one.pairs} "
            "pairs told apart"
            for one in self.power
        ]
        lines += [
            f"{one.measures[0]} and {one.measures[1]}: tau {_told(one.tau)}, tau_AP "
            f"{_told(one.tau_ap)}, RBO {one.rbo:.4f}, {one.swapped} swapped"
            for one in self.agreement
        ]
        return "\n".join((*lines, *self.notes))


def _told(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def of_means(
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
        >>> found = of_means(
        ...     {"b=2": {"x": 0.5, "y": 0.4, "z": 0.3}, "b=10": {"x": 0.5, "y": 0.2, "z": 0.3}}
        ... )
        >>> round(found.agreement[0].tau, 4), found.agreement[0].swaps[0].runs
        (0.3333, ('y', 'z'))
    """
    check_persistence(p)
    if not isinstance(means, Mapping) or not means:
        raise WrongType("means", means, "{measure: {system: mean}}")
    first = next(iter(means))
    for measure, of in means.items():
        if not isinstance(of, Mapping) or of.keys() != means[first].keys():
            raise BadValue(f"means[{measure!r}]", of, f"the systems of {first}, with a mean each")
    check_number(len(means[first]))
    runs = tuple(means[first])
    known = significant or {}
    ordered = {measure: places(of, f"means[{measure!r}]") for measure, of in means.items()}
    flat = [measure for measure, of in ordered.items() if set(of.values()) == {1}]
    agreement = []
    for one, other in combinations(means, 2):
        a, b = means[one], means[other]
        swaps = swaps_of(
            runs, (a, b), (ordered[one], ordered[other]), (known.get(one), known.get(other))
        )
        agreement.append(
            Agreement(
                measures=(one, other),
                tau=kendall_tau(a, b),
                tau_ap=tau_ap(a, b),
                tau_ap_to=(tau_ap(a, b, reference="first"), tau_ap(a, b, reference="second")),
                rbo=rbo(a, b, p),
                swapped=len(swaps),
                swaps=tuple(swaps[:_SHOWN]),
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
            for measure in flat
        ),
    )


def check_number(runs: int) -> None:
    """With two runs there is one pair: measures agree on it or not, and no tau says more."""
    if runs < _FEWEST:
        raise BadValue("the number of runs", runs, "at least 3: fewer have no order to speak of")
