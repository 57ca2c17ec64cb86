"""What does trec_eval print for these files? Its numbers to the byte, without it.

Not reproduced: what trec_eval prints while it debugs, its crashes, and its sorting of gains by
whole numbers only (`ndcg.1=2.5,2=2.2` may come out wrong there).
"""

from __future__ import annotations

from collections.abc import Iterator

from gainful.match.match import match
from gainful.measure.catalogue_page import catalogue_page
from gainful.measure.trec_eval_grammar import TrecLine
from gainful.measure.trec_eval_options import TrecEvalOptions, build_convention, select_lines
from gainful.measure.trec_eval_output import format_query_lines, format_summary_lines
from gainful.measure.trec_eval_values import (
    adjust_results,
    build_relstrings,
    compute_values,
    drop_duplicate_judgments,
    find_duplicate_judgments,
    find_stops,
    order_queries,
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
    every_judgment = read_qrels(open_source(qrels_path), unique=False)
    run = read_run(open_source(run_path))
    matched = match(drop_duplicate_judgments(every_judgment), run, convention)
    matched = adjust_results(matched, options)
    values = compute_values(matched, lines, convention, options, zscores)
    relstrings = build_relstrings(matched, lines, convention)
    stops = find_stops(run, matched, find_duplicate_judgments(every_judgment), options)
    queries = order_queries(matched, options)
    for query in queries:
        if query.row in stops:
            raise TrecEvalStop(stops[query.row])
        if query.printed:
            yield from format_query_lines(lines, values, relstrings, query.name, query.row)
    rows = [query.row for query in queries if query.counted]
    if not rows:
        raise TrecEvalStop("no queries with both results and judgments")
    if options.summary:
        yield from format_summary_lines(lines, values, rows, run.tag)


def describe_names(options: TrecEvalOptions) -> Iterator[str]:
    """The measures that are asked for by trec_eval's names, and what they mean."""
    return (f"{name}\n{_describe(lines[0])}" for name, lines in select_lines(options))


def _describe(line: TrecLine) -> str:
    if line.measure is None:
        return "a text, not a number"
    return render(catalogue_page(line.measure.name), "table")
