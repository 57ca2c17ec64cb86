"""What is kept of a run's results, to hold later ones against."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import version
from math import isfinite
from typing import Any

import polars as pl
from attrs import evolve

from gainful.convention import GAINFUL
from gainful.errors import BadInput
from gainful.evidence.pairing import pair_values, values_by_query
from gainful.measure.values import Results
from gainful.read.baseline import Baseline
from gainful.read.inputs import as_qrels_columns
from gainful.read.qrels_and_run import NestedDict, Qrels


def make_baseline(
    results: Results, qrels: Qrels | NestedDict, previous: Baseline | None = None
) -> Baseline:
    """A baseline of these results, by these judgments.

    One that takes the place of a previous one remembers the anchor (of each measure the first run
    of the chain) and the history of the chain. Other judgments or another convention start anew:
    their values cannot be held against the anchor's.

    Examples:
        >>> from gainful import evaluate
        >>> qrels = NestedDict({"1": {"a": 1}}, "judgments")
        >>> make_baseline(evaluate(qrels.mapping, {"1": {"a": 0.5}}, "RR"), qrels).mean
        {'RR': 1.0}
    """
    made = Baseline(
        run=results.name,
        queries=len(results.ids),
        measures={name: str(measure) for name, measure in results.measures.items()},
        mean=means(results),
        values=results.values_by_id(),
        convention=convention_settings(results),
        judgments=fingerprint(qrels),
        gainful=version("gainful"),
    )
    kept = None
    if previous is not None and made.judgments == previous.judgments:
        kept = None if find_changed_settings(made.convention, previous.convention) else previous
    anchor: dict[str, Any] = {}
    if kept is not None:  # what it was held against; of measures that were new in it, itself
        anchor = {
            measure: {"run": kept.run, "values": kept.values_by_query(measure)}
            for measure in kept.measures.values()
        } | dict(kept.anchor)
    past = () if kept is None else kept.history or (_describe_save(kept, {}),)
    spread = {} if kept is None else measure_spread(results, kept)
    return evolve(made, anchor=anchor, history=[*past, _describe_save(made, spread)])


def _describe_save(baseline: Baseline, spread: Mapping[str, float]) -> dict[str, Any]:
    return {
        "run": baseline.run,
        "gainful": baseline.gainful,
        "mean": dict(baseline.mean),
        "spread": dict(spread),
    }


def measure_spread(results: Results, previous: Baseline) -> dict[str, float]:
    """The standard deviation of the changes by query, of each measure that both have."""
    spread = {}
    for name, measure in results.measures.items():
        if previous.find_name(str(measure)) is None:
            continue
        sides = [values_by_query(results, name), previous.values_by_query(str(measure))]
        changes = pair_values(sides, name).differences((0, 1))
        if len(changes) > 1:
            spread[name] = float(changes.std(ddof=1))
    return spread


def means(results: Results) -> dict[str, float]:
    """The mean of each measure; one that cannot be computed is an error."""
    for name, value in results.mean.items():
        if not isfinite(value):
            problem = f"{name} has no mean, as no {results.unit} counts"
            expected = f"a {results.unit} with something relevant"
            raise BadInput(results.name, problem, expected)
    return results.mean


def convention_settings(results: Results) -> dict[str, Any]:
    """The whole convention as data; whose it is, is no part of what is compared."""
    convention = results.convention
    by_measure = {
        f"{setting} of {name}": value
        for name, own in convention.by_measure
        for setting, value in own
    }
    return {"like": convention.name, **convention.settings(), **by_measure}


def find_changed_settings(
    now: Mapping[str, object], then: Mapping[str, object]
) -> dict[str, tuple[object, object]]:
    """What settings were and are, where that differs; one that is newer was gainful's own then."""
    usual = dict.fromkeys((*now, *then), "not told") | GAINFUL.settings()
    before, after = ({**usual, **settings, "like": None} for settings in (then, now))
    return {name: (before[name], after[name]) for name in after if before[name] != after[name]}


_FIELDS = ("query", "doc", "subtopic", "grade")


def fingerprint(qrels: Qrels | NestedDict) -> str:
    """A short text that is the same for the same judgments, and for no others.

    Neither the order of lines nor the format counts, nor how a number is written. A query that
    was judged with nothing found counts, as it is part of every mean; subtopics count where there
    are several.

    Examples:
        >>> graded = fingerprint(NestedDict({"1": {"a": 2, "b": 0}}, "judgments"))
        >>> graded == fingerprint(NestedDict({1: {"b": 0.0, "a": 2.0}}, "other"))
        True
        >>> graded == fingerprint(NestedDict({"1": {"a": 2, "b": 1}}, "judgments"))
        False
    """
    rows = _judgment_rows(as_qrels_columns(qrels))
    lines = rows.select(pl.concat_str([_encode_field(name) for name in _FIELDS])).to_series().sort()
    return f"sha256:{sha256(chr(10).join(lines.to_list()).encode()).hexdigest()}"


def _judgment_rows(qrels: Qrels) -> pl.DataFrame:
    """A row for each judgment and each silent query; grades by their bits, which are exact."""
    if qrels.subtopics is None:
        frame = qrels.frame.with_columns(pl.lit(None, pl.String).alias("subtopic"))
    else:
        row = qrels.subtopics["row"]
        frame = qrels.subtopics.select("subtopic", "grade").with_columns(
            qrels.frame[name].gather(row).alias(name) for name in ("query", "doc")
        )
    bits = (frame["grade"].to_numpy().astype("f8") + 0.0).view("i8")  # -0 is 0
    frame = frame.with_columns(pl.Series("grade", bits).cast(pl.String)).select(_FIELDS)
    judged = frame["query"].unique().implode()
    silent = pl.DataFrame({"query": pl.Series(qrels.silent, dtype=pl.String).unique()})
    silent = silent.filter(~pl.col("query").is_in(judged))
    return pl.concat([frame, silent], how="diagonal")


def _encode_field(name: str) -> pl.Expr:
    column = pl.col(name)
    encoded = pl.concat_str([column.str.len_bytes().cast(pl.String), pl.lit(":"), column])
    return encoded.fill_null("-")
