"""What does trec_eval print for these files? Its numbers to the byte, without it."""

from __future__ import annotations

from collections.abc import Iterator

from gainful.errors import BadInput
from gainful.measure.catalogue_page import catalogue_page
from gainful.measure.trec_eval.lines import (
    apply_zscores,
    evaluate_queries,
    format_query_lines,
    format_summary_lines,
)
from gainful.measure.trec_eval.visits import (
    TrecEvalOptions,
    add_placeholders,
    check_documents,
    plan_visits,
    refuse_judgments,
    select_lines,
    select_names,
)
from gainful.measure.trec_language import TrecLine
from gainful.page.render import render
from gainful.read.source import open_source
from gainful.read.trec_eval_files import QrelsFormat, ZScores, read_files, read_zscores

__all__ = [
    "BadZScores",
    "QrelsFormat",
    "TrecEvalOptions",
    "TrecEvalStop",
    "describe_names",
    "select_names",
    "trec_eval",
]


class TrecEvalStop(Exception):
    """trec_eval gives up at a query, having printed those before it, or finds none to evaluate."""

    def __init__(self, reason: str, *, nothing_evaluated: bool = False) -> None:
        self.nothing_evaluated = nothing_evaluated
        super().__init__(reason)


class BadZScores(BadInput):
    """A file of means and standard deviations that cannot be read."""


def trec_eval(qrels_path: str, run_path: str, options: TrecEvalOptions) -> Iterator[bytes]:
    """All that trec_eval would print; ends with `TrecEvalStop` where it would stop."""
    select_names(options)  # refuses names that trec_eval has not
    if qrels_path == "-":
        raise BadInput("-", "judgments are not read from standard input")
    if run_path == "-" and options.version == 9:
        raise BadInput("-", "version 9 reads no standard input")
    sources = open_source(qrels_path), open_source(run_path)
    judged, run, encoding = read_files(*sources, options.qrels_format, options.version)
    zscores = None if options.zscores_path is None else _read_zscores(options.zscores_path)
    lines = select_lines(options)
    run_queries = {*run.frame["query"].unique()}
    missing = [query for query in judged.queries if query not in run_queries]
    if options.version == 10 and options.complete:
        run = add_placeholders(run, missing)
    run, stops = check_documents(judged, run, lines, options)
    reason = refuse_judgments(lines, options)
    visits = plan_visits(judged.queries, missing, stops, reason, options)
    evaluated = evaluate_queries(judged, run, lines, options, visits)
    if zscores is not None:
        evaluated = apply_zscores(evaluated, zscores)
    for line in format_query_lines(lines, evaluated, options):
        yield line.encode(encoding)
    if evaluated.visits.stop is not None:
        raise TrecEvalStop(evaluated.visits.stop)
    if not evaluated.visits.queries:
        raise TrecEvalStop("no queries with both results and judgments", nothing_evaluated=True)
    if options.summary:
        for line in format_summary_lines(lines, evaluated, judged, run.tag, options):
            yield line.encode(encoding)


def _read_zscores(path: str) -> ZScores:
    try:
        return read_zscores(path)
    except BadInput as error:
        raise BadZScores(error.where, error.problem, error.expected) from None


def describe_names(options: TrecEvalOptions) -> Iterator[str]:
    """The measures that are asked for by trec_eval's names, and what they mean."""
    first_lines = {line.trec_name.name: line for line in reversed(select_lines(options))}
    return (f"{name}\n{_describe(line)}" for name, line in reversed(first_lines.items()))


def _describe(line: TrecLine) -> str:
    if line.trec_name.judgments == "prefs":
        return "a share or number of preferences between documents (-R prefs or qrels_prefs)"
    if not line.trec_name.measure:
        return "a text, not a number"
    return render(catalogue_page(line.trec_name.measure), "table")
