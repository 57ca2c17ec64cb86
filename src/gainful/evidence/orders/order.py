"""`Order`: what order each measure puts runs in, and how alike these orders are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from attrs import field, frozen

from gainful.evidence.orders.discriminative_power import Criterion, DiscriminativePower
from gainful.evidence.orders.order_page import order_page, summary_page
from gainful.evidence.orders.swaps import Swap
from gainful.evidence.statistics.rank_correlation import places
from gainful.measure.results import Results
from gainful.page.page import Page
from gainful.page.shown import Shown


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
class Order(Shown):
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
            plain["convention"] = self.results[0].convention_data()
            plain["counts"] = {item.name: dict(item.counts) for item in self.results}
        return plain

    def page(self) -> Page:
        """Which measure tells runs apart, and do measures agree?"""
        return order_page(self)

    def summary(self) -> Page:
        """The power of each measure and the agreement of each two, in a line each."""
        return summary_page(self)
