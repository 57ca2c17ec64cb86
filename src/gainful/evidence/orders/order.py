"""`Order`: what order each measure puts runs in, and how alike these orders are."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import polars as pl
from attrs import field, frozen

from gainful.evidence.method import Method
from gainful.evidence.orders.discordant_pairs import DiscordantPair
from gainful.evidence.orders.discriminative_power import DiscriminativePower
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.rank_correlation import places
from gainful.measure.footnotes import list_footnotes
from gainful.measure.run_values import RunValues
from gainful.page.page import Page, Section
from gainful.page.plain_data import to_plain_data
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.text import count_noun, format_range, join_words

_MAX_RUNS = 6  # runs; of more, the order is told by its first few
_LISTED_RUNS = 4
_COEFFICIENT_WORDS = "tau, tau_AP, RBO: 1 is the same order; tau and tau_AP of -1 the reverse"


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
    discordant: int  # pairs of runs that the two order differently
    discordant_pairs: tuple[DiscordantPair, ...]  # a few of them, the most striking first

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measures": list(self.measures),
            "tau": self.tau,
            "tau_ap": self.tau_ap,
            "tau_ap_to_first": self.tau_ap_to[0],
            "tau_ap_to_second": self.tau_ap_to[1],
            "rbo": self.rbo,
            "discordant": self.discordant,
            "discordant_pairs": [to_plain_data(pair) for pair in self.discordant_pairs],
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
    criterion: Method | None = None
    notes: tuple[str, ...] = ()
    results: tuple[RunValues, ...] = field(default=())
    cluster: str | None = None  # what names clusters of queries, where tests draw these whole
    lower_is_better: tuple[str, ...] = ()  # measures of which less is better

    @property
    def discordant_pairs(self) -> dict[tuple[str, str], tuple[DiscordantPair, ...]]:
        """Pairs of runs that two measures order differently, a few for each two measures."""
        return {agreement.measures: agreement.discordant_pairs for agreement in self.agreement}

    def places(self, measure: str) -> dict[str, int]:
        """The runs in the order of a measure, the best first, with their places."""
        sign = -1 if self._better(measure) == "lower" else 1
        return places({run: sign * mean for run, mean in self.means[measure].items()})

    def _better(self, measure: str) -> str:
        return "lower" if measure in self.lower_is_better else "higher"

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
        number = [row.discordant for row in self.agreement]
        return pl.DataFrame(columns | {"discordant": pl.Series(number, dtype=pl.Int64)})

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
            "clusters": pl.Int64,
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
            "better": {name: self._better(name) for name in self.measures},
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
                "name": self.criterion.test,
                "correct": self.criterion.correction,
                "alpha": resampling.alpha,
                "resamples": resampling.resamples,
                "seed": resampling.seed,
            }
        if self.results:
            plain["convention"] = self.results[0].convention_data()
            plain["counts"] = {item.name: dict(item.counts) for item in self.results}
        return plain

    def page(self, *, verbose: bool = False) -> Page:
        """Which measure tells runs apart, and do measures agree?"""
        return order_page(self, verbose=verbose)

    def brief(self) -> Page:
        """The power of each measure and the agreement of each two, in a line each."""
        return summary_page(self)


def order_page(order: Order, *, verbose: bool = False) -> Page:
    """The answer, a table of measures and one of their pairs, and how it is known."""
    return Page(
        answer=_describe_answer(order),
        sections=[lambda _: [Section(table=table) for table in _build_tables(order)]],
        notes=_list_notes(order, verbose=verbose),
        rows=lambda: _list_rows(order),
        data=order.to_dict,
    )


def summary_page(order: Order) -> Page:
    """The power of each measure and the agreement of each two, in a line each."""
    headline = f"Order of {len(order.runs)} runs by {', '.join(order.measures)}"
    powers = [
        f"{power.measure}: {'–' if power.significant is None else power.significant} "
        f"of {power.pairs} pairs told apart"
        for power in order.power
    ]
    agreements = [
        f"{agreement.measures[0]} and {agreement.measures[1]}: tau "
        f"{_format_number(agreement.tau)}, tau_AP {_format_number(agreement.tau_ap)}, "
        f"RBO {agreement.rbo:.4f}, {agreement.discordant} discordant"
        for agreement in order.agreement
    ]
    first, *more = _build_tables(order)
    return Page(
        sections=[
            Section(lines=(headline, *powers, *agreements, *order.notes), forms=("table",)),
            Section(headline, first, forms=("html",)),
            *(Section(table=table, forms=("html",)) for table in more),
        ]
    )


def _describe_answer(order: Order) -> str:
    """Which measure tells most runs apart, and which two disagree most, in one paragraph."""
    return " ".join([*_describe_power(order), *_describe_disagreement(order)])


def _describe_power(order: Order) -> list[str]:
    tested_powers = [power for power in order.power if power.significant is not None]
    if not tested_powers:
        return []
    max_significant = max(power.significant or 0 for power in tested_powers)
    pairs = count_noun(tested_powers[0].pairs, "pair")
    if not max_significant:
        return [f"No measure tells any of the {pairs} of runs apart."]
    best_measures = [
        power.measure for power in tested_powers if power.significant == max_significant
    ]
    if len(best_measures) == len(tested_powers) > 1:
        return [f"All measures tell the same number of runs apart: {max_significant} of {pairs}."]
    verb = "tells" if len(best_measures) == 1 else "tell"
    return [f"{join_words(best_measures)} {verb} most runs apart: {max_significant} of {pairs}."]


def _describe_disagreement(order: Order) -> list[str]:
    disagreeing = [agreement for agreement in order.agreement if agreement.discordant]
    if not order.agreement:
        return []
    if not disagreeing:
        return ["No two measures order any two runs differently."]
    worst = max(disagreeing, key=lambda agreement: (agreement.discordant, -(agreement.tau or 0)))
    tau = "" if worst.tau is None else f" (tau {worst.tau:.2f})"
    first, second = worst.measures
    pairs = count_noun(worst.discordant, "discordant pair")
    return [f"{first} and {second} disagree most: {pairs}{tau}."]


def _build_tables(order: Order) -> list[Table]:
    order_tables = [_build_measure_table(order)]
    if order.agreement:
        order_tables.append(_build_agreement_table(order))
    return order_tables


def _build_measure_table(order: Order) -> Table:
    heads = ("measure", "power", "pairs\napart", "smallest\ndifference", "order")
    measure_rows = []
    for at, measure in enumerate(order.measures):
        power = order.power[at] if order.power else None
        significant = "–" if power is None or power.significant is None else str(power.significant)
        measure_rows.append(
            (
                measure,
                _format_number(None if power is None else power.share),
                "–" if power is None else f"{significant} of {power.pairs}",
                _format_number(None if power is None else power.smallest),
                _format_order(order.places(measure)),
            )
        )
    return Table(
        heads,
        measure_rows,
        numeric=True,
        label_columns=1,
        text_columns=(4,),
        expendable=("smallest\ndifference", "pairs\napart"),
    )


def _format_order(places: dict[str, int]) -> str:
    """The runs, the best first; those that tie with = between them."""
    names = list(places)
    listed_names = names if len(names) <= _MAX_RUNS else names[:_LISTED_RUNS]
    text = listed_names[0]
    for previous, name in pairwise(listed_names):
        text += f" {'=' if places[previous] == places[name] else '>'} {name}"
    return (
        text
        if len(listed_names) == len(names)
        else f"{text} … and {len(names) - len(listed_names)} more"
    )


def _build_agreement_table(order: Order) -> Table:
    heads = ("measures", "", "tau", "tau_AP", "RBO", "discordant", "most striking")
    agreement_rows = [
        (
            *agreement.measures,
            *(_format_number(value) for value in (agreement.tau, agreement.tau_ap, agreement.rbo)),
            str(agreement.discordant),
            _format_striking_pair(agreement),
        )
        for agreement in order.agreement
    ]
    return Table(
        heads,
        agreement_rows,
        numeric=True,
        label_columns=2,
        text_columns=(6,),
        expendable=("RBO", "tau_AP"),
    )


def _format_striking_pair(agreement: Agreement) -> str:
    return _format_pair(agreement.discordant_pairs[0]) if agreement.discordant_pairs else "–"


def _format_pair(pair: DiscordantPair) -> str:
    """Two runs and by how much each measure prefers which; * where that is significant."""
    (first, second), (first_difference, second_difference) = pair.runs, pair.differences
    marks = ["*" if is_significant else "" for is_significant in pair.significant]
    over = f"{first} over {second} by {first_difference:.4f}{marks[0]}"
    return f"{over}, under it by {-second_difference:.4f}{marks[1]}"


def _format_number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _list_notes(order: Order, *, verbose: bool) -> list[str]:
    """The test, the coefficients, the convention, and what one should know."""
    lines = [] if order.criterion is None else [_describe_test(order.criterion, verbose=verbose)]
    lines += [] if order.cluster is None else [_describe_clusters(order)]
    if order.agreement:
        lines.append(_describe_coefficients(order) if verbose else _COEFFICIENT_WORDS)
    if any(
        True in pair.significant
        for agreement in order.agreement
        for pair in agreement.discordant_pairs[:1]
    ):
        lines.append("* this difference is significant")
    if order.lower_is_better:
        lines.append(f"lower is better in {join_words(order.lower_is_better)}")
    lines += list_footnotes(order.results, verbose=verbose) if order.results else []
    return [*lines, *(f"Note: {note}" for note in order.notes)]


def _describe_clusters(order: Order) -> str:
    numbers = [power.clusters for power in order.power if power.clusters is not None]
    return f"whole clusters of queries: {format_range(numbers)}, by {order.cluster}"


def _describe_coefficients(order: Order) -> str:
    return (
        "tau: Kendall's tau-b · tau_AP: mean of both directions, ties as tau_AP,b · RBO: "
        f"extrapolated, p = {order.p:g}, ties as RBO^b · runs ordered by their means"
    )


def _describe_test(criterion: Method, *, verbose: bool) -> str:
    """When two runs count as told apart."""
    resampling = criterion.resampling
    test = None if criterion.test == TUKEY else TESTS[criterion.test]
    words = "randomised Tukey HSD test" if test is None else test.words
    text = f"power: share of pairs with p ≤ {resampling.alpha:g} by {words}"
    text += f", {CORRECTIONS[criterion.correction].words}" if test is not None else ""
    if verbose and (test is None or test.resampled):
        text += f", {resampling.resamples} resamples, seed {resampling.seed}"
    return text


def _list_rows(order: Order) -> Table:
    """A row for each value: what it is, of which measure, with which other or of which run."""
    long_rows: list[tuple[Any, ...]] = []
    for measure in order.measures:
        long_rows += [
            ("mean", measure, "", run, mean) for run, mean in order.means[measure].items()
        ]
        long_rows += [
            ("place", measure, "", run, place) for run, place in order.places(measure).items()
        ]
    for power in order.power:
        data = power.to_dict()
        long_rows += [
            (column, power.measure, "", "", data[column]) for column in data if column != "measure"
        ]
    for agreement in order.agreement:
        data = agreement.to_dict()
        names = [name for name in data if name not in ("measures", "discordant_pairs")]
        long_rows += [(name, *agreement.measures, "", data[name]) for name in names]
    columns = ("what", "measure", "other", "run", "value")
    return Table(columns, long_rows, numeric=True, label_columns=4)
