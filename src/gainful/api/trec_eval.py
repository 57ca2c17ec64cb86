"""What does trec_eval print for these files? Its numbers to the byte, without it.

Not reproduced: what trec_eval prints while it debugs, its crashes, and its sorting of gains by
whole numbers only (`ndcg.1=2.5,2=2.2` may come out wrong there).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import evolve

from gainful.match.match import match
from gainful.measure.catalogue_page import catalogue_page
from gainful.measure.trec_eval_grammar import TrecLine
from gainful.measure.trec_eval_options import TrecEvalOptions, build_convention, select_lines
from gainful.measure.trec_eval_output import format_query_lines, format_summary_lines
from gainful.measure.trec_eval_values import (
    build_relstrings,
    compute_values,
    find_duplicate_judgments,
    find_stops,
)
from gainful.page.render import render
from gainful.read.source import open_source
from gainful.read.trec_files import read_qrels, read_run
from gainful.read.zscores import read_zscores

__all__ = ["TrecEvalOptions", "TrecEvalStop", "describe_names", "trec_eval"]


class TrecEvalStop(Exception):
    """trec_eval gives up at a query, having printed those before it."""


def trec_eval(qrels_path: str, run_path: str, options: TrecEvalOptions) -> Iterator[str]:
    """Every line that trec_eval would print; ends with `TrecEvalStop` where it would stop."""
    lines, convention = select_lines(options), build_convention(options)
    zscores = None if options.zscores_path is None else read_zscores(options.zscores_path)
    qrels = read_qrels(open_source(qrels_path), unique=False)
    run = read_run(open_source(run_path))
    duplicate_judgments = find_duplicate_judgments(qrels)
    if duplicate_judgments:
        frame = qrels.frame.unique(["query", "doc"], keep="first", maintain_order=True)
        qrels = evolve(qrels, frame=frame)
    matched = match(qrels, run, convention)
    if options.depth is not None:
        matched = matched.cut(options.depth)
    missing = matched.judged & ~matched.in_run
    if options.version == 10:  # a query that the run lacks gets one document without a judgment
        matched = evolve(matched, retrieved=np.where(missing, 1, matched.retrieved))
    values = compute_values(matched, lines, convention, options, zscores)
    relstrings = build_relstrings(matched, lines, convention)
    stops = find_stops(run, matched, duplicate_judgments, options)
    counted = matched.judged & (matched.in_run | options.complete)
    judged_rows: list[int] = np.flatnonzero(matched.judged).tolist()
    in_order = sorted(judged_rows, key=lambda row: matched.queries[row].encode())
    for row in in_order:
        if row in stops:
            raise TrecEvalStop(stops[row])
        if options.per_query and counted[row] and (options.version == 10 or not missing[row]):
            yield from format_query_lines(lines, values, relstrings, matched.queries[row], row)
    if not counted.any():
        raise TrecEvalStop("no queries with both results and judgments")
    if options.summary:
        rows = [row for row in in_order if counted[row]]
        yield from format_summary_lines(lines, values, rows, run.tag)


def describe_names(options: TrecEvalOptions) -> Iterator[str]:
    """The measures that are asked for by trec_eval's names, and what they mean."""
    return (f"{name}\n{_describe(lines[0])}" for name, lines in select_lines(options))


def _describe(line: TrecLine) -> str:
    if line.measure is None:
        return "a text, not a number"
    return render(catalogue_page(line.measure.name), "table")
