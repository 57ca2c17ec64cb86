"""What trec_eval prints, line by line: version 10's words, or version 9's.

Not reproduced: what trec_eval prints while it debugs, its crashes, and its sorting of gains by
whole numbers only (`ndcg.1=2.5,2=2.2` may come out wrong there).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from attrs import evolve, field, frozen

from gainful.convention import Convention, like
from gainful.errors import UnknownName
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.measure.evaluate import compute_measures
from gainful.measure.measure import Measure
from gainful.measure.ranked_run import rank_run
from gainful.measure.recipe import Recipe, build_recipe
from gainful.measure.trec_eval_grammar import TrecLine, expand_trec_name
from gainful.measure.trec_eval_names import GROUPS, GROUPS_9, TREC_NAMES
from gainful.read.qrels_and_run import Qrels, Run, find_duplicates
from gainful.types import Array, Flags

Version = Literal[9, 10]
_ALWAYS_ZERO = ("num_ret", "utility", "rbp_resid", "unj")  # of a query that version 10 fills in
_SUMMARY_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
_NO_SCORE = -1_000_000.0  # where a file of means and deviations lacks a measure


@frozen(kw_only=True)
class TrecEvalOptions:
    """What the flags say."""

    measures: Sequence[str] = ()
    version: Version = 10
    per_query: bool = False
    summary: bool = True
    complete: bool = False  # -c: queries that the run lacks count as 0
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    collection_size: int = 0
    zscores: Mapping[tuple[str, str], tuple[float, float]] | None = field(default=None, repr=False)


class TrecEvalStop(Exception):
    """trec_eval gives up at a query, having printed those before it."""


def select_lines(options: TrecEvalOptions) -> list[tuple[str, list[TrecLine]]]:
    """The names that were asked for, in trec_eval's order, each with the lines it prints."""
    groups = GROUPS if options.version == 10 else GROUPS_9
    selected_names: set[str] = set()
    params: dict[str, str] = {}
    for text in options.measures or ("official",):
        name, dot, suffix = text.partition(".")
        if name in groups:
            selected_names |= {*groups[name]}
        elif name in TREC_NAMES and not (dot and not suffix):
            selected_names.add(name)
            if dot:
                params.setdefault(name, suffix)
        else:
            raise UnknownName("measure", text, [*TREC_NAMES, *groups])
    return [
        (name, expand_trec_name(trec_name, params.get(name) if trec_name.kind != "plain" else None))
        for name, trec_name in TREC_NAMES.items()
        if name in selected_names
    ]


def generate_lines(
    qrels: Qrels, run: Run, options: TrecEvalOptions, lines: list[tuple[str, list[TrecLine]]]
) -> Iterator[str]:
    """Every line that trec_eval would print; ends with `TrecEvalStop` where it would stop."""
    convention = _build_convention(options)
    repeated_judgments = _find_duplicate_judgments(qrels)
    if repeated_judgments:
        frame = qrels.frame.unique(["query", "doc"], keep="first", maintain_order=True)
        qrels = evolve(qrels, frame=frame)
    matched = match(qrels, run, convention)
    if options.depth is not None:
        matched = matched.cut(options.depth)
    missing = matched.judged & ~matched.in_run
    if options.version == 10:  # a query that the run lacks gets one document without a judgment
        matched = evolve(matched, retrieved=np.where(missing, 1, matched.retrieved))
    values = compute_measures(matched, _build_recipes(lines, convention, options))
    _fill_missing(values, lines, missing, options.version)
    _apply_zscores(values, matched.queries, options)
    is_counted = matched.judged & (matched.in_run | options.complete)
    judged_rows: list[int] = np.flatnonzero(matched.judged).tolist()
    query_order = sorted(judged_rows, key=lambda row: matched.queries[row].encode())
    relstrings = _build_relstrings(matched, convention, lines, missing)
    stop_reasons = _find_stops(run, matched, missing, options) | {
        row: repeated_judgments[matched.queries[row]]
        for row in query_order
        if matched.queries[row] in repeated_judgments
        and (options.version == 10 or matched.in_run[row])
    }
    for row in query_order:
        if row in stop_reasons:
            raise TrecEvalStop(stop_reasons[row])
        if options.per_query and is_counted[row] and (options.version == 10 or not missing[row]):
            yield from _format_query_lines(lines, values, relstrings, matched.queries[row], row)
    if not is_counted.any():
        raise TrecEvalStop("no queries with both results and judgments")
    if options.summary:
        counted_rows = [row for row in query_order if is_counted[row]]
        yield from _format_summary_lines(lines, values, counted_rows, run.tag)


def _build_convention(options: TrecEvalOptions) -> Convention:
    convention = like("trec_eval" if options.version == 10 else "trec_eval_9")
    convention = convention.with_settings(rel=options.level, duplicates="count")
    return (
        convention.with_settings(unjudged="remove", negative="remove")
        if options.judged_only
        else convention
    )


def _build_recipes(
    lines: list[tuple[str, list[TrecLine]]], convention: Convention, options: TrecEvalOptions
) -> dict[str, Recipe]:
    recipes = {}
    for name, name_lines in lines:
        for line in name_lines:
            measure = line.measure
            if measure is None:
                continue
            if name == "utility":
                measure = measure(docs=options.collection_size)
            recipes[line.name] = build_recipe(measure, like_whom=convention)
    return recipes


def _fill_missing(
    values: dict[str, Array], lines: list[tuple[str, list[TrecLine]]], missing: Flags, version: int
) -> None:
    """What version 9 and 10 say of a query that the run lacks."""
    for name, name_lines in lines:
        for line in name_lines:
            if line.measure is None or name in ("num_q", "num_rel", "gm_map", "gm_bpref"):
                continue
            is_zero = version == 9 or line.name.startswith("unj") or line.name in _ALWAYS_ZERO
            if is_zero:
                values[line.name] = np.where(missing, 0.0, values[line.name])


def _apply_zscores(
    values: dict[str, Array], queries: Sequence[str], options: TrecEvalOptions
) -> None:
    """Each value as its distance from a mean, in standard deviations (-Z)."""
    if options.zscores is None:
        return
    for name, column in values.items():
        references = [options.zscores.get((query, name)) for query in queries]
        values[name] = np.array(
            [
                _NO_SCORE
                if reference is None or reference[1] == 0
                else (value - reference[0]) / reference[1]
                for value, reference in zip(column, references, strict=True)
            ]
        )


def _build_relstrings(
    matched: Matched,
    convention: Convention,
    lines: list[tuple[str, list[TrecLine]]],
    missing: Flags,
) -> dict[str, list[str]]:
    """The grades of the first documents of each query, one character each."""
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


def _find_stops(
    run: Run, matched: Matched, missing: Flags, options: TrecEvalOptions
) -> dict[int, str]:
    """The queries at which trec_eval gives up, and why."""
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
    return stop_reasons


def _find_duplicate_docs(run: Run, depth: int | None) -> dict[str, str]:
    """A document that stands twice in each query, as far down as is looked at."""
    repeated = find_duplicates(run.frame)
    frame = run.frame.filter(run.frame["query"].is_in(repeated["query"].implode()))
    if depth is not None:
        by_score = frame.sort("score", "doc", descending=True)
        frame = by_score.group_by("query", maintain_order=True).head(depth)
    return dict(find_duplicates(frame).select("query", "doc").iter_rows())


def _find_duplicate_judgments(qrels: Qrels) -> dict[str, str]:
    """What is said of each query in which a document is judged twice."""
    repeated = find_duplicates(qrels.frame).unique(["query"], keep="first").iter_rows()
    return {
        query: f"query {query!r} has document {doc!r} judged twice" for query, doc, _ in repeated
    }


def _format_query_lines(
    lines: list[tuple[str, list[TrecLine]]],
    values: Mapping[str, Array],
    relstrings: Mapping[str, list[str]],
    query: str,
    row: int,
) -> Iterator[str]:
    for name, name_lines in lines:
        for line in name_lines:
            if name == "relstring":
                yield f"{line.name:<22}\t{query}\t'{relstrings[line.name][row]}'"
            elif name not in _SUMMARY_ONLY and line.measure is not None:
                yield f"{line.name:<22}\t{query}\t{_format_value(line.measure, values[line.name][row])}"


def _format_summary_lines(
    lines: list[tuple[str, list[TrecLine]]],
    values: Mapping[str, Array],
    rows: list[int],
    tag: str,
) -> Iterator[str]:
    for name, name_lines in lines:
        for line in name_lines:
            if name == "runid":
                yield f"{'runid':<22}\tall\t{tag}"
            elif line.measure is not None:
                entry = line.measure.entry
                total = np.cumsum(values[line.name][rows])[-1]  # one after another, as it adds
                value = total if entry.aggregation == "sum" else total / len(rows)
                value = np.exp(value) if entry.aggregation == "geometric" else value
                yield f"{line.name:<22}\tall\t{_format_value(line.measure, value)}"


def _format_value(measure: Measure, value: float) -> str:
    return f"{int(value)}" if measure.entry.aggregation == "sum" else f"{value:6.4f}"
