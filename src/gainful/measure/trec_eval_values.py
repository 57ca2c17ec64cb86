"""What trec_eval computes for each query, and where it gives up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import evolve, frozen

from gainful.convention import Convention
from gainful.match.matched import Matched
from gainful.measure.build_recipe import build_recipe
from gainful.measure.evaluate import compute_measures
from gainful.measure.ranked_run import rank_run
from gainful.measure.recipe import Recipe
from gainful.measure.trec_eval_options import NamedLines, TrecEvalOptions
from gainful.read.qrels_and_run import Qrels, Run, find_duplicates
from gainful.types import Array, Flags

_ALWAYS_ZERO = ("num_ret", "utility", "rbp_resid", "unj")  # of a query that version 10 fills in
_NO_SCORE = -1_000_000.0  # where a file of means and deviations lacks a measure


ZScores = Mapping[tuple[str, str], tuple[float, float]]  # mean and deviation by query and line


@frozen
class TrecQuery:
    """A judged query: is it printed by itself, and does it count in the summary?"""

    name: str
    row: int
    counted: bool
    printed: bool


def drop_duplicate_judgments(qrels: Qrels) -> Qrels:
    """The first judgment of each document: trec_eval stops at the query, but not before it."""
    frame = qrels.frame.unique(["query", "doc"], keep="first", maintain_order=True)
    return qrels if frame.height == qrels.frame.height else evolve(qrels, frame=frame)


def adjust_results(matched: Matched, options: TrecEvalOptions) -> Matched:
    """The results that trec_eval looks at: down to -M; in version 10, one where there is none."""
    if options.depth is not None:
        matched = matched.cut(options.depth)
    if options.version == 10:  # a query that the run lacks gets one document without a judgment
        missing = matched.judged & ~matched.in_run
        matched = evolve(matched, retrieved=np.where(missing, 1, matched.retrieved))
    return matched


def order_queries(matched: Matched, options: TrecEvalOptions) -> list[TrecQuery]:
    """The judged queries in trec_eval's order, which is that of the bytes of their names."""
    queries = []
    for row in np.flatnonzero(matched.judged).tolist():
        in_run = bool(matched.in_run[row])
        counted = in_run or options.complete
        printed = options.per_query and counted and (options.version == 10 or in_run)
        queries.append(TrecQuery(matched.queries[row], row, counted, printed))
    return sorted(queries, key=lambda query: query.name.encode())


def compute_values(
    matched: Matched,
    lines: NamedLines,
    convention: Convention,
    options: TrecEvalOptions,
    zscores: ZScores | None = None,
) -> dict[str, Array]:
    """The value of every query by the name of its line, or its z-score."""
    missing = matched.judged & ~matched.in_run
    values = compute_measures(matched, _build_recipes(lines, convention, options))
    _fill_missing(values, lines, missing, options.version)
    if zscores is not None:
        _apply_zscores(values, matched.queries, zscores)
    return values


def _build_recipes(
    lines: NamedLines, convention: Convention, options: TrecEvalOptions
) -> dict[str, Recipe]:
    recipes = {}
    for name, name_lines in lines:
        for line in name_lines:
            measure = line.measure
            if measure is None:
                continue
            if name == "utility":
                measure = measure(docs=options.collection_size)
            recipes[line.name] = build_recipe(measure, like=convention)
    return recipes


def _fill_missing(
    values: dict[str, Array], lines: NamedLines, missing: Flags, version: int
) -> None:
    """What version 9 and 10 say of a query that the run lacks."""
    for name, name_lines in lines:
        for line in name_lines:
            if line.measure is None or name in ("num_q", "num_rel", "gm_map", "gm_bpref"):
                continue
            is_zero = version == 9 or line.name.startswith("unj") or line.name in _ALWAYS_ZERO
            if is_zero:
                values[line.name] = np.where(missing, 0.0, values[line.name])


def _apply_zscores(values: dict[str, Array], queries: Sequence[str], zscores: ZScores) -> None:
    """Each value as its distance from a mean, in standard deviations (-Z)."""
    for name, column in values.items():
        references = [zscores.get((query, name)) for query in queries]
        values[name] = np.array(
            [
                _NO_SCORE
                if reference is None or reference[1] == 0
                else (value - reference[0]) / reference[1]
                for value, reference in zip(column, references, strict=True)
            ]
        )


def build_relstrings(
    matched: Matched, lines: NamedLines, convention: Convention
) -> dict[str, list[str]]:
    """The grades of the first documents of each query, one character each."""
    missing = matched.judged & ~matched.in_run
    relstring_lines = [
        line for name, name_lines in lines if name == "relstring" for line in name_lines
    ]
    relstrings = {}
    for line in relstring_lines:
        suffix = line.name.removeprefix("relstring").removeprefix("_")
        length = max(0, int(float(suffix))) if suffix else 10  # as long as it was checked to be
        ranked = rank_run(matched, convention)
        lengths = np.where(missing, 0, np.minimum(ranked.retrieved, length))
        texts = [["-"] * int(size) for size in lengths]
        for query, rank, grade in zip(ranked.query, ranked.rank, ranked.grade, strict=True):
            if rank <= length:
                texts[query][rank - 1] = _format_grade(int(grade))
        relstrings[line.name] = ["".join(text) for text in texts]
    return relstrings


def _format_grade(grade: int) -> str:
    return "." if grade < 0 else ">" if grade > 9 else str(grade)


def find_stops(
    run: Run,
    matched: Matched,
    duplicate_judgments: Mapping[str, str],
    options: TrecEvalOptions,
) -> dict[int, str]:
    """The queries at which trec_eval gives up, and why."""
    missing = matched.judged & ~matched.in_run
    stop_reasons = {}
    if options.version == 10 and not options.complete:
        stop_reasons = {
            row: f"query {matched.queries[row]!r} is judged, but the run lacks it "
            "(-c counts it as 0, --as 9 skips it)"
            for row in np.flatnonzero(missing).tolist()
        }
    if matched.duplicate_count:
        repeated_docs = _find_duplicate_docs(run, options.depth)
        for row in np.flatnonzero(matched.judged).tolist():
            if (query := matched.queries[row]) in repeated_docs:
                stop_reasons[row] = f"query {query!r} has document {repeated_docs[query]!r} twice"
    return stop_reasons | {
        row: duplicate_judgments[query]
        for row, query in enumerate(matched.queries)
        if query in duplicate_judgments and (options.version == 10 or matched.in_run[row])
    }


def _find_duplicate_docs(run: Run, depth: int | None) -> dict[str, str]:
    """A document that stands twice in each query, as far down as is looked at."""
    repeated = find_duplicates(run.frame)
    frame = run.frame.filter(run.frame["query"].is_in(repeated["query"].implode()))
    if depth is not None:
        by_score = frame.sort("score", "doc", descending=True)
        frame = by_score.group_by("query", maintain_order=True).head(depth)
    return dict(find_duplicates(frame).select("query", "doc").iter_rows())


def find_duplicate_judgments(qrels: Qrels) -> dict[str, str]:
    """What is said of each query in which a document is judged twice."""
    repeated = find_duplicates(qrels.frame).unique(["query"], keep="first").iter_rows()
    return {
        query: f"query {query!r} has document {doc!r} judged twice" for query, doc, _ in repeated
    }
