"""`Order`: what order each measure puts runs in, and how alike these orders are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, pairwise, zip_longest
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadValue, CannotCompare, WrongType, check_name
from gainful.evidence.method import Method, build_method, test_pairs
from gainful.evidence.pairing import (
    NOT_A_MEAN,
    Clusters,
    PairedValues,
    describe_left_out,
    describe_turns,
    pair_results,
    refuse_unlike,
)
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.evidence.statistics.correlation import (
    PERSISTENCE,
    check_persistence,
    kendall_tau,
    places,
    rbo,
    tau_ap,
)
from gainful.evidence.statistics.paired_tests import TESTS, TUKEY_NOTE, TUKEY_WORDS
from gainful.measure.results import list_footnotes
from gainful.measure.values import Results, aggregate, name_units
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Column, Table, build_table, format_cell, to_plain_data
from gainful.text import count_noun, format_range, join_words, mark_notes, pluralise
from gainful.types import Flags, Ranks, is_number


@frozen
class DiscordantPair:
    """Two runs that change places: the first is better by one measure, the second by the other.

    `differences` say by how much the mean of the first run is better than that of the second, by
    each measure; `significant` says of each whether it was tested and found so, None where it was
    not tested.
    """

    runs: tuple[str, str]
    differences: tuple[float, float]
    significant: tuple[bool | None, bool | None]


def find_discordant_pairs(
    runs: Sequence[str],
    means: tuple[Mapping[str, float], Mapping[str, float]],
    places: tuple[Mapping[str, int], Mapping[str, int]],
    significant: tuple[Flags | None, Flags | None],
) -> tuple[int, tuple[DiscordantPair, ...]]:
    """How many discordant pairs two measures have, and the most striking of them.

    A pair is as striking as its smaller difference, each as a part of how far the best and the
    worst run are apart by that measure; one that both measures find significant before all others.
    """
    left, right = np.triu_indices(len(runs), 1)
    value, place = (
        np.array([[by_run[run] for run in runs] for by_run in both]) for both in (means, places)
    )
    discordant = np.flatnonzero(np.prod(place[:, left] - place[:, right], axis=0) < 0)
    if not discordant.size:
        return 0, ()
    gaps = value[:, left] - value[:, right]
    striking = (np.abs(gaps) / np.ptp(value, axis=1, keepdims=True)).min(axis=0)
    sure = np.all(
        [np.zeros_like(left) if flags is None else flags for flags in significant], axis=0
    )
    order = discordant[np.lexsort((-striking[discordant], ~sure[discordant]))]
    pairs = []
    for at in order[:_MAX_PAIRS].tolist():
        side = 1 if gaps[0, at] > 0 else -1
        first, second = (runs[left[at]], runs[right[at]])[::side]
        gap, other_gap = (side * gaps[:, at]).tolist()
        verdicts = [None if flags is None else bool(flags[at]) for flags in significant]
        pairs.append(DiscordantPair((first, second), (gap, other_gap), (verdicts[0], verdicts[1])))
    return len(order), tuple(pairs)


@frozen
class DiscriminativePower:
    """How many pairs of runs a measure tells apart, and by how little they may differ.

    `share` and `smallest` are None where nothing can be said; `smallest` also where no pair
    is significant.
    """

    measure: str
    pairs: int
    significant: int | None
    smallest: float | None  # difference of means that was found significant
    queries: int
    clusters: int | None = None  # where queries belong to some

    @property
    def share(self) -> float | None:
        """The discriminative power: the share of pairs that are significant."""
        return None if self.significant is None else self.significant / self.pairs

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": self.measure,
            "power": self.share,
            "significant": self.significant,
            "pairs": self.pairs,
            "smallest_difference": self.smallest,
            "queries": self.queries,
            "clusters": self.clusters,
        }


def discriminative_power(
    paired: PairedValues, pairs: Ranks, flags: Flags | None
) -> DiscriminativePower:
    """What the flags of its pairs say of a measure; None where there are no flags."""
    significant = None
    if flags is not None:
        means = paired.values.mean(axis=0)
        significant = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]])[flags]
    return DiscriminativePower(
        measure=paired.measure,
        pairs=len(pairs),
        significant=None if significant is None else len(significant),
        smallest=None if significant is None or not len(significant) else float(significant.min()),
        queries=len(paired.queries),
        clusters=None if paired.clusters is None else len({*paired.clusters}),
    )


_MAX_RUNS = 6  # runs; of more, the order is told by its first few
_LISTED_RUNS = 4
_COEFFICIENT_WORDS = "tau, tau_AP, RBO: 1 is the same order; -1 (tau, tau_AP) is the reverse"


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
    """The order of runs by each measure, the agreement of orders, and the power of each measure.

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
    results: tuple[Results, ...] = ()
    cluster: str | None = None  # what names clusters of queries, where tests draw these whole
    lower_is_better: tuple[str, ...] = ()  # measures where lower is better

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
        numbers = ("tau", "tau_ap", "tau_ap_to_first", "tau_ap_to_second", "rbo")
        schema: dict[str, Any] = {"first": pl.String, "second": pl.String}
        schema |= dict.fromkeys(numbers, pl.Float64) | {"discordant": pl.Int64}
        rows = [
            dict(zip(("first", "second"), row.measures, strict=True)) | row.to_dict()
            for row in self.agreement
        ]
        return pl.DataFrame(rows, schema=schema)

    @property
    def power_frame(self) -> pl.DataFrame:
        """A row for each measure."""
        names = ("measure", "power", "significant", "pairs", "smallest_difference", "queries")
        schema: dict[str, Any] = dict.fromkeys((*names, "clusters"), pl.Int64)
        schema |= dict.fromkeys(("power", "smallest_difference"), pl.Float64)
        schema["measure"] = pl.String
        return pl.DataFrame([row.to_dict() for row in self.power], schema=schema)

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
        return Page(
            answer=" ".join([*_describe_power(self), *_describe_disagreement(self)]),
            sections=[lambda _: [Section(table=table) for table in _build_tables(self)]],
            notes=_list_notes(self, verbose=verbose),
            rows=lambda: _list_rows(self),
            data=self.to_dict,
        )

    def brief(self) -> Page:
        """The power of each measure and the agreement of each two, in a line each."""
        headline = f"Order of {len(self.runs)} runs by {', '.join(self.measures)}"
        powers = [
            f"{power.measure}: {'–' if power.significant is None else power.significant} of "
            f"{power.pairs} pairs significantly different"
            for power in self.power
        ]
        agreements = [
            f"{' and '.join(item.measures)}: tau {format_cell(item.tau)}, tau_AP "
            f"{format_cell(item.tau_ap)}, RBO {item.rbo:.4f}, {item.discordant} discordant"
            for item in self.agreement
        ]
        first, *more = _build_tables(self)
        return Page(
            sections=[
                Section(lines=(headline, *powers, *agreements, *self.notes), forms=("table",)),
                Section(headline, first, forms=("html",)),
                *(Section(table=table, forms=("html",)) for table in more),
            ]
        )


def _describe_power(order: Order) -> list[str]:
    counts = {p.measure: p.significant for p in order.power if p.significant is not None}
    if not counts:
        return []
    most, pairs = max(counts.values()), count_noun(order.power[0].pairs, "pair")
    best = [measure for measure, number in counts.items() if number == most]
    if not most:
        return [f"No measure finds a significant difference in any of the {pairs} of runs."]
    if len(best) == len(counts) > 1:
        return [f"All measures find the same number of significant differences: {most} of {pairs}."]
    verb = "finds" if len(best) == 1 else "find"
    return [f"{join_words(best)} {verb} most significant differences: {most} of {pairs}."]


def _describe_disagreement(order: Order) -> list[str]:
    if not order.agreement:
        return []
    worst = max(order.agreement, key=lambda item: (item.discordant, -(item.tau or 0)))
    if not worst.discordant:
        return ["All measures rank the runs in the same order."]
    tau = "" if worst.tau is None else f" (tau {worst.tau:.2f})"
    first, second = worst.measures
    pairs = count_noun(worst.discordant, "discordant pair")
    return [f"{first} and {second} disagree most: {pairs}{tau}."]


def _build_tables(order: Order) -> list[Table]:
    table, agreement = _build_measure_table(order), order.agreement
    return [table, build_table(agreement, _AGREEMENT_COLUMNS, labels=2)] if agreement else [table]


def _build_measure_table(order: Order) -> Table:
    rows = []
    for measure, power in zip_longest(order.measures, order.power):
        numbers: tuple[Any, ...] = (None, "–", None)
        if power is not None:
            significant = "–" if power.significant is None else power.significant
            numbers = (power.share, f"{significant} of {power.pairs}", power.smallest)
        rows.append((measure, *numbers, _format_order(order.places(measure))))
    return Table(
        ("measure", "power", "pairs\napart", "smallest\ndifference", "order"),
        rows,
        numeric=True,
        label_columns=1,
        text_columns=(4,),
        expendable=("smallest\ndifference", "pairs\napart"),
    )


def _format_order(places: dict[str, int]) -> str:
    """The runs, the best first; those that tie with = between them."""
    names = list(places)
    listed = names if len(names) <= _MAX_RUNS else names[:_LISTED_RUNS]
    text = listed[0]
    for previous, name in pairwise(listed):
        text += f" {'=' if places[previous] == places[name] else '>'} {name}"
    more = len(names) - len(listed)
    return f"{text} … and {more} more" if more else text


_AGREEMENT_COLUMNS = (
    Column("measures", lambda item: item.measures[0]),
    Column("", lambda item: item.measures[1]),
    Column("tau", show=".4f"),
    Column("tau_AP", "tau_ap", ".4f", drop=2),
    Column("RBO", "rbo", ".4f", drop=1),
    Column("discordant"),
    Column(
        "most striking",
        lambda item: _format_pair(item.discordant_pairs[0]) if item.discordant_pairs else None,
        is_text=True,
    ),
)


def _format_pair(pair: DiscordantPair) -> str:
    (first, second), (first_difference, second_difference) = pair.runs, pair.differences
    marks = ["*" if is_significant else "" for is_significant in pair.significant]
    over = f"{first} over {second} by {first_difference:.4f}{marks[0]}"
    return f"{over}, under it by {-second_difference:.4f}{marks[1]}"


def _list_notes(order: Order, *, verbose: bool) -> list[str]:
    lines = []
    if (criterion := order.criterion) is not None:
        resampling, words = criterion.resampling, TUKEY_WORDS
        if criterion.test != TUKEY:
            words = f"{TESTS[criterion.test].words}, {CORRECTIONS[criterion.correction].words}"
        if verbose and criterion.takes_resamples:
            words += f", {resampling.resamples} resamples, seed {resampling.seed}"
        lines.append(f"power: share of pairs with p ≤ {resampling.alpha:g} by {words}")
    if order.cluster is not None:
        numbers = [power.clusters for power in order.power if power.clusters is not None]
        units = pluralise(order.results[0].unit)
        lines.append(f"whole clusters of {units}: {format_range(numbers)}, by {order.cluster}")
    if order.agreement:
        details = (
            "tau: Kendall's tau-b · tau_AP: mean of both directions, ties as tau_AP,b · RBO: "
            f"extrapolated, p = {order.p:g}, ties as RBO^b · runs ordered by their means"
        )
        lines.append(details if verbose else _COEFFICIENT_WORDS)
    if any(
        True in pair.significant
        for agreement in order.agreement
        for pair in agreement.discordant_pairs[:1]
    ):
        lines.append("* this difference is significant")
    if order.lower_is_better:
        lines.append(f"lower is better in {join_words(order.lower_is_better)}")
    lines += list_footnotes(order.results, verbose=verbose) if order.results else []
    return [*lines, *mark_notes(order.notes)]


def _list_rows(order: Order) -> Table:
    """A row for each value: what it is, of which measure, with which other or of which run."""
    rows: list[tuple[Any, ...]] = []
    for measure in order.measures:
        for what, by_run in (("mean", order.means[measure]), ("place", order.places(measure))):
            rows += [(what, measure, "", run, value) for run, value in by_run.items()]
    numbers = [((power.measure, ""), power.to_dict()) for power in order.power]
    numbers += [(agreement.measures, agreement.to_dict()) for agreement in order.agreement]
    for measures, data in numbers:
        names = [name for name in data if name not in ("measure", "measures", "discordant_pairs")]
        rows += [(name, *measures, "", data[name]) for name in names]
    columns = ("what", "measure", "other", "run", "value")
    return Table(columns, rows, numeric=True, label_columns=4)


MIN_RUNS = 3
_MAX_PAIRS = 5  # discordant pairs of two measures that are kept


def order_means(
    means: Mapping[str, Mapping[str, float]],
    p: float = PERSISTENCE,
    significant: Mapping[str, Flags | None] | None = None,
    lower_is_better: Collection[str] = (),
    *,
    least: int = MIN_RUNS,
) -> Order:
    """How similar are the orders by these means? For sessions, sweeps, or numbers of a paper.

    Args:
        means: {measure: {system: mean}}, the same systems everywhere.
        p: the persistence of RBO.
        significant: which pairs of systems a measure finds different, in the order of
            `itertools.combinations`, where that is known.
        lower_is_better: the measures where lower is better.
        least: how many systems there must be.

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
    check_run_count(len(means[first]), least)
    runs = tuple(means[first])
    flags = significant or {}
    for measure in lower_is_better:
        check_name("measure", measure, means)
    merits = {
        measure: {
            system: -mean if measure in lower_is_better and is_number(mean) else mean
            for system, mean in by_system.items()
        }
        for measure, by_system in means.items()
    }
    ordered = {
        measure: places(by_system, f"means[{measure!r}]") for measure, by_system in merits.items()
    }
    constant = [measure for measure, by_system in ordered.items() if set(by_system.values()) == {1}]
    agreement = []
    for left, right in combinations(means, 2):
        a, b = merits[left], merits[right]
        number, discordant_pairs = find_discordant_pairs(
            runs, (a, b), (ordered[left], ordered[right]), (flags.get(left), flags.get(right))
        )
        agreement.append(
            Agreement(
                measures=(left, right),
                tau=kendall_tau(a, b),
                tau_ap=tau_ap(a, b),
                tau_ap_to=(tau_ap(a, b, reference="first"), tau_ap(a, b, reference="second")),
                rbo=rbo(a, b, p),
                discordant=number,
                discordant_pairs=discordant_pairs,
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


def check_run_count(runs: int, least: int = MIN_RUNS) -> None:
    """With two runs there is one pair: measures agree on it or not, and no tau says more."""
    if runs < least:
        raise BadValue("the number of runs", runs, f"at least {least}: fewer have no useful order")


def order_results(
    results: Sequence[Results],
    criterion: Method | None = None,
    p: float = PERSISTENCE,
    *,
    clusters: Clusters | None = None,
) -> Order:
    """The order of the runs by each measure; all were evaluated by the same measures."""
    check_run_count(len(results))
    criterion = criterion or build_method()
    names, unit = [result.name for result in results], results[0].unit
    refuse_unlike(results, names)
    pairs = np.array(list(combinations(range(len(names)), 2)))
    means, power = {}, []
    flags_by_measure: dict[str, Flags | None] = {}
    notes: list[str] = []
    for measure, recipe in results[0].recipes.items():
        paired_values, mean_kind = pair_results(results, measure), recipe.entry.aggregation
        if not paired_values.queries and mean_kind != "whole":
            raise CannotCompare(f"{measure}: no {unit} counts in all runs: nothing to compare")
        notes += describe_left_out(paired_values, names)
        if clusters is not None:
            paired_values = clusters.assign(paired_values)
        means[measure] = {
            result.name: result.mean[measure]
            if mean_kind == "whole"
            else aggregate(paired_values.values[:, at], mean_kind)
            for at, result in enumerate(results)
        }
        flags = None
        if mean_kind in NOT_A_MEAN:
            problem = name_units(f"{measure} is {NOT_A_MEAN[mean_kind]}", unit)
            notes.append(f"{problem}: not tested; runs are only ranked by it")
        elif len(paired_values.queries) < 2:
            notes.append(f"{measure}: one {unit} is not enough for a test")
        else:
            criterion = criterion.fit_to_queries([paired_values], pairs)
            corrected = test_pairs([paired_values], pairs, criterion, names).p_corrected
            flags = np.asarray(corrected[0] <= criterion.resampling.alpha)
        power.append(discriminative_power(paired_values, pairs, flags))
        flags_by_measure[measure] = flags
    if criterion.test == TUKEY:
        notes.append(TUKEY_NOTE)
    notes += describe_turns(results[0].ids) if clusters is None else []
    lower = [name for name, direction in results[0].directions.items() if direction.is_lower]
    means_order = order_means(means, p, flags_by_measure, lower)
    return evolve(
        means_order,
        power=tuple(power),
        criterion=criterion,
        cluster=None if clusters is None else clusters.source,
        notes=(*notes, *means_order.notes),
        results=tuple(results),
    )
