"""pytrec_eval's interface: existing code switches by `import gainful.pytrec_eval as pytrec_eval`.

Examples:
    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg"})
    >>> evaluator.evaluate({"q1": {"d1": 1.0, "d2": 0.0}})["q1"]["map"]
    0.5
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from gainful.convention import like
from gainful.errors import BadInput, BadValue, UnknownName
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.measure.build_recipes import build_recipe
from gainful.measure.entry import Recipe
from gainful.measure.evaluate import compute_measures
from gainful.measure.functions.precision import count_at_recall
from gainful.measure.measure import Measure
from gainful.measure.names import GROUPS_9
from gainful.measure.parameters import ELEVEN_POINTS, as_points
from gainful.measure.ranked_run import rank_run
from gainful.measure.trec_language import TrecLine, parse_trec_name
from gainful.read.dicts import read_dict
from gainful.read.qrels_and_run import QRELS, RUN
from gainful.text import quote
from gainful.types import Array

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_TEXT_MEASURES = ("runid", "relstring")  # what has no number there is 0
supported_measures: set[str] = {*GROUPS_9["all_trec"]}
supported_nicknames: dict[str, set[str]] = {name: {*names} for name, names in GROUPS_9.items()}


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """A run from its lines: query Q0 document rank score name."""
    return _parse_lines(f_run, "query Q0 document rank score name", 4, float, "is not a number")


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Judgments from their lines: query 0 document grade."""
    return _parse_lines(f_qrel, "query iteration document grade", 3, int, "is not a whole number")


def _parse_lines(
    lines: Iterable[str], expected: str, place: int, parse: Callable[[str], Any], problem: str
) -> dict[str, dict[str, Any]]:
    nested: dict[str, dict[str, Any]] = {}
    names = expected.split()
    for number, line in enumerate(lines, start=1):
        where, fields = f"line {number}", line.split()
        if len(fields) != len(names):
            raise BadInput(where, f"{quote(line)} has {len(fields)} fields", expected)
        query, doc, text = fields[0], fields[2], fields[place]
        try:
            value = parse(text)
        except ValueError:
            raise BadInput(where, f"{names[place]} {quote(text)} {problem}") from None
        if doc in nested.setdefault(query, {}):
            raise BadInput(where, f"document {quote(doc)} of query {quote(query)} comes twice")
        nested[query][doc] = value
    return nested


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
        removed = ("unjudged", "negative") if judged_docs_only_flag else ()
        changes: dict[str, Any] = {"rel": relevance_level, **dict.fromkeys(removed, "remove")}
        self._qrels = read_dict(judged, "query_relevance", QRELS).build() if judged else None
        self._convention = like("pytrec_eval").with_settings(**changes)
        self.measures = {*measures}
        parsed = _parse_measures(self.measures)
        self._recipes = {key: build_recipe(parsed[key], like=self._convention) for key in parsed}
        named = _expand_nicknames(self.measures)
        self._text_measures = [name for name in _TEXT_MEASURES if name in named]

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """{query: {measure: value}} of a run {query: {document: score}}, for its judged queries."""
        if not scores or self._qrels is None:
            return {}
        run = read_dict(scores, "scores", RUN).build()
        matched = match(self._qrels, run, self._convention)
        values = compute_measures(matched, self._recipes)
        self._mark_undefined(matched, values)
        kept = np.flatnonzero(matched.judged & matched.in_run)
        columns = {name: values[name][kept].tolist() for name in self._recipes}
        return {
            matched.queries[row]: {name: column[index] for name, column in columns.items()}
            | dict.fromkeys(self._text_measures, 0.0)
            for index, row in enumerate(kept.tolist())
        }

    def _mark_undefined(self, matched: Matched, values: dict[str, Array]) -> None:
        levels = {name: _recall_levels(recipe) for name, recipe in self._recipes.items()}
        if not any(levels.values()):
            return
        ranked = rank_run(matched, self._convention)
        relevant = ranked.recall_base(self._convention.rel or 1)
        for name in filter(levels.get, levels):
            at_no_recall = [
                count_at_recall(level * relevant, self._convention.recall_points) == 0
                for level in levels[name]
            ]
            values[name][(ranked.retrieved == 0) & np.any(at_no_recall, axis=0)] = np.nan


def _recall_levels(recipe: Recipe) -> tuple[float, ...]:
    if recipe.entry.cutoff_kind == "recall":
        return (float(recipe.cutoff or 0),)
    if "points" in recipe.entry.arguments:
        return as_points(recipe.setting("points") or list(ELEVEN_POINTS))
    return ()


def _expand_nicknames(measures: Iterable[str]) -> set[str]:
    return {measure for name in measures for measure in supported_nicknames.get(name, {name})}


def _parse_measures(names: Iterable[str]) -> dict[str, Measure]:
    """Measures by their keys there; cutoffs that are named replace the usual ones."""
    parsed = {name: _parse_name(name) for name in sorted(_expand_nicknames(names))}
    with_cutoffs = {
        lines[0].trec_name.name
        for name, lines in parsed.items()
        if lines and name != lines[0].trec_name.name
    }
    measures: dict[str, Measure] = {}
    for name, lines in parsed.items():
        for line in lines:
            if name not in with_cutoffs:
                keeps_cutoff = line.trec_name.kind not in ("numbers", "gains", "pairs")
                key = line.name if keeps_cutoff else line.trec_name.name
                measures.setdefault(key, line.measure)
    return measures


def _parse_name(name: str) -> list[TrecLine]:
    lines = parse_trec_name(name) if name not in _TEXT_MEASURES else []
    if lines is None:
        raise UnknownName("measure", name, [*supported_measures, *supported_nicknames])
    return lines
