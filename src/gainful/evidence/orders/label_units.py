"""Results beside labels: which queries or sessions have both, and what is drawn together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve

from gainful.errors import BadInput, BadValue
from gainful.evidence.clusters import Clusters
from gainful.evidence.orders.correlations import LabelledUnits
from gainful.measure.measured_values import MeasuredValues
from gainful.measure.run_values import RunValues
from gainful.measure.sessions.session_values import SessionValues
from gainful.read.labels import Labels, parse_labels
from gainful.text import count_noun
from gainful.types import Array, Ranks

_SEARCHER = "searcher"


def label_sessions(results: SessionValues, against: str, labels: Labels | None) -> LabelledUnits:
    """Sessions with a label: of a table, of a column of theirs, or by another measure.

    Sessions of one searcher are drawn together, where searchers are known.
    """
    names = list(results.values)
    frame = pl.DataFrame({"id": results.ids})
    if labels is not None:
        label = _join(frame, labels.frame, ["id"])
    elif against in results.values:
        names = [name for name in names if name != against]
        label = _merit(results, against)
    else:
        results.group_names(against)  # known, and one for a whole session
        label = parse_labels(
            results.columns[against], lambda row: f"{results.name}, session {results.ids[row]!r}"
        ).to_numpy()
    values = {name: _merit(results, name) for name in names}
    cluster, noun = np.arange(len(label)), ""
    if _SEARCHER in results.columns.columns:
        known = results.columns[_SEARCHER].cast(pl.String)
        if not known.null_count():
            cluster, noun = known.rank("dense").to_numpy().astype(np.intp) - 1, _SEARCHER
    turned = _name_turned(results, (*names, against))
    units = _keep_known(values, label, cluster, unit="session", noun=noun, source=results.name)
    return evolve(units, turned=turned)


def label_queries(
    results: Sequence[RunValues],
    against: str,
    labels: Labels | None,
    clusters: Clusters | None = None,
) -> LabelledUnits:
    """Queries with a label: of a table, or by another measure.

    Of several runs a query is one for each run, and all of a query are drawn together; where
    `clusters` say what queries belong to, all of a cluster.
    """
    names = [name for name in results[0].values if name != against]
    frame = pl.concat(
        pl.DataFrame({"id": list(run.queries)}).with_columns(run=pl.lit(run.name))
        for run in results
    )
    values = {name: np.concatenate([_merit(run, name) for run in results]) for name in names}
    if labels is None:
        if against not in results[0].values:
            allowed = "a measure, or a column of a table of labels (labels=, --labels FILE)"
            raise BadValue("against", against, allowed)
        label = np.concatenate([_merit(run, against) for run in results])
    else:
        keys = ["id", "run"] if "run" in labels.frame.columns else ["id"]
        if len(results) > 1 and keys == ["id"]:
            allowed = "a column run beside the query, as there are several runs; or one run"
            raise BadInput(labels.source, "labels do not say of which run they are", allowed)
        label = _join(frame, labels.frame, keys if len(results) > 1 else ["id"])
    drawn = frame["id"]
    unit, noun = ("ranking", "query") if len(results) > 1 else ("query", "")
    if clusters is not None:
        drawn, noun = pl.Series(clusters.name_each(drawn.to_list())), "cluster"
    cluster = drawn.rank("dense").to_numpy().astype(np.intp) - 1
    units = _keep_known(values, label, cluster, unit=unit, noun=noun, source=results[0].name)
    return evolve(units, turned=_name_turned(results[0], (*names, against)))


def _merit(results: MeasuredValues[Any, Any], name: str) -> Array:
    """The values of a measure so that more is better; not a number where one is left out."""
    values = np.ma.filled(np.ma.asarray(results.values[name], dtype=np.float64), np.nan)
    return np.asarray(results.directions[name].sign * values)


def _name_turned(results: MeasuredValues[Any, Any], names: Sequence[str]) -> tuple[str, ...]:
    """The measures of which less is better."""
    known = [name for name in names if name in results.values]
    return tuple(name for name in known if results.directions[name].is_lower)


def _join(frame: pl.DataFrame, labels: pl.DataFrame, keys: list[str]) -> Array:
    if keys == ["id"] and labels["id"].is_duplicated().any():
        raise BadValue("labels", "several for one id", "one label for each, as there is one run")
    joined = frame.join(labels, on=keys, how="left", maintain_order="left")
    return joined["label"].fill_null(np.nan).to_numpy()


def _keep_known(
    values: Mapping[str, Array], label: Array, cluster: Ranks, *, unit: str, noun: str, source: str
) -> LabelledUnits:
    """Units that every measure and the label have; how many others there were is said."""
    if not values:
        raise BadValue("measures", "none", "a measure beside the one that it is held against")
    known = np.isfinite(label)
    no_label = int((~known).sum())
    for numbers in values.values():
        known &= np.isfinite(numbers)
    left_out = int((~known).sum()) - no_label
    notes = []
    if no_label:
        notes.append(f"{count_noun(no_label, unit)} without a label left out")
    if left_out:
        notes.append(f"{count_noun(left_out, unit)} without a value left out")
    if not known.any():
        raise BadInput(source, f"no {unit} has a label", "labels of what was evaluated")
    renumbered = np.unique(cluster[known], return_inverse=True)[1]
    return LabelledUnits(
        values={name: column[known] for name, column in values.items()},
        label=label[known],
        cluster=renumbered.astype(np.intp),
        unit=unit,
        cluster_noun=noun,
        notes=tuple(notes),
        kept=np.flatnonzero(known),
    )
