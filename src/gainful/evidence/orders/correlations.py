"""`Correlations`: which measure agrees best with what users said?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from attrs import astuple, evolve, frozen

from gainful.errors import BadInput, BadValue
from gainful.evidence.pairing import Clusters
from gainful.evidence.statistics.bootstrap import (
    Bootstrap,
    bootstrap_interval,
    bootstrap_p,
    name_interval,
    run_bootstrap,
)
from gainful.evidence.statistics.correction import holm
from gainful.evidence.statistics.correlation import COEFFICIENT_WORDS, COEFFICIENTS
from gainful.evidence.statistics.outcome import Resampling
from gainful.measure.values import Results
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Column, Table, build_table, to_plain_data
from gainful.read.query_columns import Labels, parse_labels
from gainful.text import count_noun, join_words, mark_notes, pluralise
from gainful.types import Array, Ranks, fill_masked

_FEWEST = 5  # units, and clusters of them
_LEAST_DEFINED = 0.9  # of the resamples, so that an interval can be told


@frozen(eq=False, kw_only=True)
class LabelledUnits:
    """Queries or sessions with what measures and users say of them.

    `cluster` numbers what is drawn together: the searcher of a session, or the query that several
    runs answered.
    """

    values: Mapping[str, Array]  # by measure
    label: Array
    cluster: Ranks
    unit: str  # session or query
    cluster_noun: str = ""  # searcher or query; nothing where units are drawn one by one
    notes: tuple[str, ...] = ()
    turned: tuple[str, ...] = ()  # measures where lower is better: their values are negated


@frozen
class Correlation:
    """How a measure goes along with what users said, and between which values that may be."""

    measure: str
    estimate: float
    low: float
    high: float
    better: str = "higher"  # or lower: then it is what a low value goes along with


@frozen
class CorrelationDifference:
    """By how much the correlation of one measure is above that of another."""

    measures: tuple[str, str]
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float  # over all pairs of measures by Holm's method


@frozen(eq=False, repr=False, kw_only=True)
class Correlations(Shown):
    """The correlation of each measure with a label, the best first, and their differences."""

    against: str
    coefficient: str
    correlations: tuple[Correlation, ...]
    differences: tuple[CorrelationDifference, ...]
    units: int
    unit: str
    clusters: int
    cluster_noun: str
    resampling: Resampling
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Correlation:
        """The measure that agrees best."""
        return self.correlations[0]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        plain = to_plain_data(self)
        del plain["cluster_noun"]
        notes, chance = plain.pop("notes"), plain.pop("resampling")
        plain |= {"clusters": self.clusters if self.cluster_noun else None, **chance}
        del plain["alternative"]
        return plain | {"notes": notes}

    def page(self, *, verbose: bool = False) -> Page:
        """Which measure agrees best, with intervals and tests of the differences."""
        return Page(
            answer=_describe_best(self),
            sections=[Section(table=table) for table in _build_tables(self, verbose=verbose)],
            notes=[_describe_method(self, verbose=verbose), *mark_notes(self.notes)],
            rows=lambda: _list_rows(self),
            data=self.to_dict,
            indent="  ",
        )


def correlate_units(
    units: LabelledUnits, against: str, coefficient: str, resampling: Resampling
) -> Correlations:
    """The correlation of each measure with the labels, by the same resamples for all."""
    _check_units(units, against)
    units = _drop_constant(units)
    names = list(units.values)

    def correlate_all(weights: Array) -> Array:
        correlate = COEFFICIENTS[coefficient](units.label, weights)
        return np.stack([correlate(units.values[name]) for name in names], axis=1)

    bootstrap = run_bootstrap(correlate_all, units.cluster, resampling)
    bootstrap, names, notes = _drop_undefined(bootstrap, names, against)
    order = np.argsort(-bootstrap.estimate, kind="stable").tolist()
    correlations = []
    for at in order:
        estimate = float(bootstrap.estimate[at])
        drawn = bootstrap.resampled[:, at], bootstrap.left_out[:, at]
        ends = bootstrap_interval(estimate, *drawn, resampling.alpha)
        better = "lower" if names[at] in units.turned else "higher"
        correlations.append(Correlation(names[at], estimate, *ends, better))
    lower = join_words(units.turned)
    turned = [f"lower is better in {lower}: its sign is reversed"] if lower else []
    return Correlations(
        against=against,
        coefficient=coefficient,
        correlations=tuple(correlations),
        differences=_compare_correlations(names, order, bootstrap, resampling),
        units=len(units.label),
        unit=units.unit,
        clusters=int(units.cluster.max()) + 1,
        cluster_noun=units.cluster_noun,
        resampling=resampling,
        notes=(*units.notes, *notes, *turned),
    )


def _check_units(units: LabelledUnits, against: str) -> None:
    """Refuse what no correlation can be computed of."""
    clusters = int(units.cluster.max(initial=-1)) + 1
    noun = units.cluster_noun or units.unit
    if clusters < _FEWEST:
        verb = "is" if clusters == 1 else "are"
        problem = f"{count_noun(clusters, noun)} with a value {verb} too few"
        raise BadInput(against, problem, f"at least {_FEWEST}")
    if np.ptp(units.label) == 0:
        problem = f"it is {units.label[0]:g} for every {units.unit}"
        raise BadInput(against, problem, "a column that varies")


def _drop_constant(units: LabelledUnits) -> LabelledUnits:
    """Units without the measures that are the same everywhere; all of them are refused."""
    constant = {name: values[0] for name, values in units.values.items() if np.ptp(values) == 0}
    if len(constant) == len(units.values):
        name, value = next(iter(constant.items()))
        problem = f"it is {value:g} for every {units.unit}"
        raise BadInput(name, problem, "a measure that varies")
    notes = [
        f"{name} left out: it is {value:g} for every {units.unit}"
        for name, value in constant.items()
    ]
    varying = {name: values for name, values in units.values.items() if name not in constant}
    return evolve(units, values=varying, notes=(*units.notes, *notes))


def _drop_undefined(
    bootstrap: Bootstrap, names: Sequence[str], against: str
) -> tuple[Bootstrap, list[str], list[str]]:
    """Without measures that hardly vary, and why; all of them are refused.

    Where a measure, or what users said, is the same in a resample, it has no correlation there.
    """
    defined = np.isfinite(bootstrap.resampled).mean(axis=0)
    kept = np.flatnonzero(defined >= _LEAST_DEFINED)
    if not kept.size:
        without = f"{100 * (1 - defined.max()):.0f} % of resamples"
        problem = f"it or {names[int(defined.argmax())]} hardly varies: no correlation in {without}"
        raise BadInput(against, problem, "more units that vary")
    notes = [
        f"{name} left out: it hardly varies, so there is no correlation in "
        f"{100 * (1 - share):.0f} % of resamples"
        for name, share in zip(names, defined.tolist(), strict=True)
        if share < _LEAST_DEFINED
    ]
    parts = (array[..., kept] for array in astuple(bootstrap))
    return Bootstrap(*parts), [names[at] for at in kept.tolist()], notes


def _compare_correlations(
    names: Sequence[str], order: Sequence[int], bootstrap: Bootstrap, resampling: Resampling
) -> tuple[CorrelationDifference, ...]:
    """Of each two measures, the one that agrees better first."""
    differences = []
    for left, right in combinations(order, 2):
        difference, drawn, left_out = (
            array[..., left] - array[..., right] for array in astuple(bootstrap)
        )
        ends, p = (0.0, 0.0), 1.0  # of two names of one measure
        if np.abs(drawn[np.isfinite(drawn)]).any():
            ends = bootstrap_interval(float(difference), drawn, left_out, resampling.alpha)
            p = bootstrap_p(float(difference), drawn, left_out)
        pair = names[left], names[right]
        differences.append(CorrelationDifference(pair, float(difference), *ends, p, p))
    corrected = holm(np.array([item.p for item in differences])).tolist()
    return tuple(
        evolve(item, p_corrected=p) for item, p in zip(differences, corrected, strict=True)
    )


def _describe_best(result: Correlations) -> str:
    best, words = result.best, COEFFICIENT_WORDS[result.coefficient]
    agrees = "agrees best" if len(result.correlations) > 1 else "agrees"
    text = (
        f"{best.measure} {agrees} with {result.against}: {words} {best.estimate:.2f} "
        f"({result.resampling.level} interval {best.low:.2f} to {best.high:.2f})."
    )
    others: dict[bool, list[str]] = {True: [], False: []}  # by whether the best is better
    for item in result.differences:
        if item.measures[0] == best.measure:
            others[item.p_corrected <= result.resampling.alpha].append(item.measures[1])
    if others[True]:
        text += f" It agrees significantly better than {join_words(others[True])}."
    if others[False]:
        text += f" No significant difference from {join_words(others[False])}."
    return text


_DIFFERENCE_COLUMNS = (
    Column("measures", lambda item: item.measures[0]),
    Column("", lambda item: item.measures[1]),
    *(Column(name, show="+.4f") for name in ("difference", "low", "high")),
    Column("p", show=".4f", drop=1),
    Column("corrected\np", "p_corrected", ".4f"),
)


def _build_tables(result: Correlations, *, verbose: bool) -> list[Table]:
    level = result.resampling.level
    heads = {result.coefficient: "estimate", f"{level}\nlow": "low", f"{level}\nhigh": "high"}
    columns = [Column("measure"), *(Column(head, name, ".4f") for head, name in heads.items())]
    best = result.best.measure
    pairs = [item for item in result.differences if verbose or item.measures[0] == best]
    tables = [build_table(result.correlations, columns)]
    return [*tables, build_table(pairs, _DIFFERENCE_COLUMNS, labels=2)] if pairs else tables


def _describe_method(result: Correlations, *, verbose: bool) -> str:
    units, drawn = count_noun(result.units, result.unit), pluralise(result.unit)
    if noun := result.cluster_noun:
        units += f" of {count_noun(result.clusters, noun)}"
        drawn = pluralise(noun) if noun == "query" else f"whole {pluralise(noun)}"
    method = f"paired bootstrap ({name_interval(result.clusters)}), {drawn} resampled"
    text = f"{units} · intervals and tests of differences: {method}"
    if len(result.differences) > 1:
        text += f" · p Holm-corrected over {len(result.differences)} pairs of measures"
    if verbose:
        text += f" · {result.resampling.resamples} resamples, seed {result.resampling.seed}"
    return text


def _list_rows(result: Correlations) -> Table:
    rows: list[tuple[Any, ...]] = [
        ("correlation", item.measure, "", item.estimate, item.low, item.high, None, None)
        for item in result.correlations
    ]
    rows += [("difference", *item.measures, *astuple(item)[1:]) for item in result.differences]
    columns = ("what", "measure", "other", "value", "low", "high", "p", "p_corrected")
    return Table(columns, rows, numeric=True, label_columns=3)


_SEARCHER = "searcher"


def label_units(
    results: Sequence[Results],
    against: str,
    labels: Labels | None,
    clusters: Clusters | None = None,
) -> LabelledUnits:
    """Queries or sessions with a label: of a table, by another measure, or of a column of theirs.

    Of several runs a query is one for each run, and all of a query are drawn together; where
    `clusters` say what queries belong to, all of a cluster. Sessions of one searcher are drawn
    together, where searchers are known.
    """
    first, is_several = results[0], len(results) > 1
    names = [name for name in first.values if name != against]
    lower = [name for name, direction in first.directions.items() if direction.is_lower]
    frame = pl.concat(
        pl.DataFrame({"id": list(result.ids)}).with_columns(run=pl.lit(result.name))
        for result in results
    )
    values = {name: np.concatenate([_merit(item, name) for item in results]) for name in names}
    unused = 0
    if labels is not None:
        label, unused = _join_labels(frame, labels, several=is_several)
    elif against in first.values:
        label = np.concatenate([_merit(item, against) for item in results])
    else:
        label = _read_column(first, against)
    unit, noun = ("ranking", first.unit) if is_several else (first.unit, "")
    drawn = frame["id"]
    searchers = first.columns.get_column(_SEARCHER, default=None)
    if clusters is not None:
        drawn, noun = pl.Series(clusters.name_each(drawn.to_list())), "cluster"
    elif searchers is not None and not searchers.null_count():
        drawn, noun = searchers.cast(pl.String), _SEARCHER
    elif first.KEY == "session":  # each by itself, in the order of the file
        drawn = pl.Series(range(len(frame)))
    units = LabelledUnits(
        values=values,
        label=label,
        cluster=drawn.rank("dense").to_numpy().astype(np.intp) - 1,
        unit=unit,
        cluster_noun=noun,
        turned=tuple(name for name in (*names, against) if name in lower),
    )
    return _keep_known(units, first.name, unused)


def _read_column(results: Results, against: str) -> Array:
    """What a column of the sessions says: known, and one for a whole session."""
    if results.KEY == "query":
        allowed = "a measure, or a column of a table of labels (labels=, --labels FILE)"
        raise BadValue("against", against, allowed)
    results.group_names(against)
    return parse_labels(
        results.columns[against], lambda row: f"{results.name}, {results.unit} {results.ids[row]!r}"
    ).to_numpy()


def _merit(results: Results, name: str) -> Array:
    return np.asarray(results.directions[name].sign * fill_masked(results.values[name]))


def _join_labels(frame: pl.DataFrame, labels: Labels, *, several: bool) -> tuple[Array, int]:
    """The label of each unit, and how many are of none; of several runs, labels name their run."""
    keys = ["id", "run"] if several else ["id"]
    if several and "run" not in labels.frame.columns:
        allowed = "a column run next to the query, as there are several runs; or one run"
        raise BadInput(labels.source, "labels do not name their run", allowed)
    if not several and labels.frame["id"].is_duplicated().any():
        raise BadValue("labels", "several for one id", "one label for each, as there is one run")
    joined = frame.join(labels.frame, on=keys, how="left", maintain_order="left")
    unused = labels.frame.drop_nulls("label").join(frame, on=keys, how="anti")
    return joined["label"].fill_null(np.nan).to_numpy(), len(unused)


def _keep_known(units: LabelledUnits, source: str, unused: int) -> LabelledUnits:
    """Units that every measure and the label have; how many others there were is said."""
    if not units.values:
        raise BadValue("measures", "none", "a measure other than the one to correlate with")
    has_label = np.isfinite(units.label)
    known = has_label & np.isfinite([*units.values.values()]).all(axis=0)
    left_out = (
        ((~has_label).sum(), units.unit, "without a label"),
        ((has_label & ~known).sum(), units.unit, "without a value"),
        (unused, "label", f"of no evaluated {units.unit}"),
    )
    if not has_label.any():
        raise BadInput(source, f"no {units.unit} has a label", "labels for what was evaluated")
    if not known.any():
        problem = f"no {units.unit} with a label has a value of every measure"
        raise BadInput(source, problem, f"measures of the same {pluralise(units.unit)}")
    return evolve(
        units,
        values={name: column[known] for name, column in units.values.items()},
        label=units.label[known],
        cluster=np.unique(units.cluster[known], return_inverse=True)[1].astype(np.intp),
        notes=tuple(
            f"{count_noun(int(number), noun)} {why} left out"
            for number, noun, why in left_out
            if number
        ),
    )
