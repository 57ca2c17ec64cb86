"""pytrec_eval's interface: existing code switches by `import gainful.pytrec_eval as pytrec_eval`.

Examples:
    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg"})
    >>> evaluator.evaluate({"q1": {"d1": 1.0, "d2": 0.0}})["q1"]["map"]
    0.5
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gainful.convention import like
from gainful.errors import BadInput, BadValue, UnknownName, shown
from gainful.match.match import match
from gainful.measure.evaluate import of_matched
from gainful.measure.measure import Measure
from gainful.measure.recipe import recipe
from gainful.measure.trec_eval_names import GROUPS_9, of_trec
from gainful.read.dicts import judgments_of, run_of

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_TEXTS = ("runid", "relstring")  # what has no number there is 0
supported_measures: set[str] = {*GROUPS_9["all_trec"]}
supported_nicknames: dict[str, set[str]] = {name: {*names} for name, names in GROUPS_9.items()}


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """A run from its lines: query Q0 document rank score name."""
    run: dict[str, dict[str, float]] = {}
    for number, line in enumerate(f_run, start=1):
        query, doc, value = _fields(line, number, 6, "query Q0 document rank score name")
        _put(run, query, doc, _number(value, number), number)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Judgments from their lines: query 0 document grade."""
    judgments: dict[str, dict[str, int]] = {}
    for number, line in enumerate(f_qrel, start=1):
        query, doc, value = _fields(line, number, 4, "query iteration document grade")
        try:
            grade = int(value)
        except ValueError:
            problem = f"grade {shown(value)} is no whole number"
            raise BadInput(f"line {number}", problem) from None
        _put(judgments, query, doc, grade, number)
    return judgments


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """One number for all queries: a sum of counts, a geometric mean of logarithms, or the mean."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    mean = float(np.mean(values))
    return float(np.exp(mean)) if measure.startswith("gm_") else mean


class RelevanceEvaluator:
    """Judgments and measures, ready for one run after another."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,  # noqa: FBT002  (its place in the old interface)
    ) -> None:
        """Take judgments {query: {document: grade}} and names such as map or ndcg_cut.5,10."""
        if isinstance(measures, str):
            raise BadValue("measures", measures, "a set or list of names")
        judged = {query: inner for query, inner in query_relevance.items() if inner}
        habits = like("pytrec_eval").changed(rel=relevance_level)
        if judged_docs_only_flag:
            habits = habits.changed(unjudged="remove", negative="remove")
        self._judgments = judgments_of(judged, "query_relevance") if judged else None
        self._habits = habits
        self.measures = {*measures}
        self._recipes = {
            key: recipe(measure, like_whom=habits)
            for name in sorted(self.measures)
            for key, measure in _named(name)
        }
        self._texts = [name for name in _TEXTS if name in _every(self.measures)]

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """{query: {measure: value}} of a run {query: {document: score}}, for its judged queries."""
        if not scores or self._judgments is None:
            return {}
        found = match(self._judgments, run_of(scores, "scores"), self._habits)
        values = of_matched(found, self._recipes)
        kept = np.flatnonzero(found.judged & found.found)
        columns = {name: values[name][kept].tolist() for name in self._recipes}
        return {
            found.queries[row]: {name: column[at] for name, column in columns.items()}
            | dict.fromkeys(self._texts, 0.0)
            for at, row in enumerate(kept.tolist())
        }


def _every(measures: Iterable[str]) -> set[str]:
    """The names, with those that a nickname stands for."""
    return {one for name in measures for one in supported_nicknames.get(name, {name})}


def _named(name: str) -> list[tuple[str, Measure]]:
    """Measures by the keys they have there: cutoffs are told, other parameters are not."""
    found = []
    for one in sorted(_every([name])):
        lines = of_trec(one) if one not in _TEXTS else []
        if lines is None:
            raise UnknownName("measure", one, [*supported_measures, *supported_nicknames])
        for line in lines:
            if line.measure is not None:
                told = line.root.kind not in ("numbers", "gains", "pairs")
                found.append((line.name if told else line.root.name, line.measure))
    return found


def _fields(line: str, number: int, size: int, expected: str) -> tuple[str, str, str]:
    fields = line.split()
    if len(fields) != size:
        problem = f"{shown(line)} has {len(fields)} fields"
        raise BadInput(f"line {number}", problem, expected)
    return fields[0], fields[2], fields[4] if size == 6 else fields[3]


def _number(text: str, number: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput(f"line {number}", f"score {shown(text)} is not a number") from None


def _put(found: dict[str, dict[str, Any]], query: str, doc: str, value: float, number: int) -> None:
    inner = found.setdefault(query, {})
    if doc in inner:
        raise BadInput(
            f"line {number}", f"document {shown(doc)} of query {shown(query)} comes twice"
        )
    inner[doc] = value
