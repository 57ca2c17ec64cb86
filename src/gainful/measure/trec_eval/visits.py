"""Which queries trec_eval goes through, in which order, and where it gives up."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import polars as pl
from attrs import evolve, frozen

from gainful.measure.trec_eval.options import TrecEvalOptions
from gainful.measure.trec_eval_grammar import TrecLine
from gainful.read.qrels_and_run import Run, find_duplicates
from gainful.read.trec_eval_files import Judged
from gainful.text import quote

_JUDGMENTS = {"qrels": "qrels", "prefs": "prefs", "qrels_prefs": "prefs", "qrels_jg": "qrels_jg"}
_PLACEHOLDER = "ceci_nest_pas_un_docno"  # what version 10 retrieves for a query that the run lacks


@frozen
class Visits:
    """The queries that are evaluated, one after the other, and why it ends before the last."""

    queries: Sequence[str]
    stop: str | None = None


def plan_visits(
    judged: Collection[str],
    retrieved: Collection[str],
    stops: Mapping[str, str],
    reason: str | None,
    options: TrecEvalOptions,
) -> Visits:
    """The queries in trec_eval's order, by their bytes.

    Args:
        judged: the queries with judgments.
        retrieved: the queries of the run.
        stops: queries that cannot be evaluated, and why.
        reason: why none can, if so.
        options: the flags.
    """
    run_queries = {*retrieved}
    queries: list[str] = []
    for query in sorted(judged, key=str.encode):
        if options.only_query not in (None, query):
            continue
        if query not in run_queries and not (options.complete and options.version == 10):
            if options.version == 9:
                continue
            lacking = f"query {query!r} is judged, but the run lacks it"
            return Visits(queries, f"{lacking} (-c counts it as 0, --as 9 skips it)")
        if reason is not None or query in stops:
            return Visits(queries, reason or stops[query])
        queries.append(query)
    return Visits(queries)


def refuse_judgments(lines: Sequence[TrecLine], options: TrecEvalOptions) -> str | None:
    """Why these lines cannot be computed of such judgments, whatever the query."""
    given = _JUDGMENTS[options.qrels_format]
    for line in lines:
        needed = line.trec_name.judgments
        if needed not in ("none", given):
            formats = [name for name, kind in _JUDGMENTS.items() if kind == needed]
            return f"{line.name} needs -R {' or '.join(formats)}, not {options.qrels_format}"
        if not line.computable:
            count = len(line.trec_name.params)
            return f"{line.name}: {line.trec_name.name} takes {count} numbers"
    return None


def check_documents(
    judged: Judged, run: Run, lines: Sequence[TrecLine], options: TrecEvalOptions
) -> tuple[Run, dict[str, str]]:
    """The queries that cannot be evaluated, and why; the run, which says if there are none.

    Nobody looks where nothing is asked of documents.
    """
    if all(line.trec_name.judgments == "none" for line in lines):
        return run, {}
    repeated = find_duplicates(run.frame)
    stops = _find_duplicate_judgments(judged.frame) if judged.kind == "qrels" else {}
    if repeated.is_empty():
        return evolve(run, distinct=True), stops
    return run, _find_duplicate_docs(run, repeated, options) | stops


def _find_duplicate_judgments(frame: pl.DataFrame) -> dict[str, str]:
    repeated = find_duplicates(frame).unique(["query"], keep="first", maintain_order=True)
    return {
        query: f"query {query!r} has document {quote(doc)} judged twice"
        for query, doc, _ in repeated.iter_rows()
    }


def _find_duplicate_docs(
    run: Run, repeated: pl.DataFrame, options: TrecEvalOptions
) -> dict[str, str]:
    """Documents that stand twice in one ranking, as far down as is looked at."""
    frame = run.frame.filter(run.frame["query"].is_in(repeated["query"].unique().implode()))
    frame = order_run(frame, options)
    return {
        query: f"query {query!r} has document {quote(doc)} twice"
        for query, doc, _ in find_duplicates(frame).iter_rows()
    }


def order_run(frame: pl.DataFrame, options: TrecEvalOptions) -> pl.DataFrame:
    """The rows of a run as trec_eval ranks them, as far down as is looked at.

    Equal scores go by document id, descending, but ascending where preferences are asked for.
    """
    if options.version == 9:
        frame = frame.with_columns(pl.col("score").cast(pl.Float32))
    by_preference = _JUDGMENTS[options.qrels_format] == "prefs"
    ordered = frame.sort("score", "doc", descending=[True, not by_preference], maintain_order=True)
    if options.depth is None:
        return ordered
    return ordered.group_by("query", maintain_order=True).head(max(options.depth, 0))


def add_placeholders(run: Run, missing: Sequence[str]) -> Run:
    """The run with one document for each of these queries, which it lacks."""
    if not missing:
        return run
    size = len(missing)
    rows = {"query": missing, "doc": [_PLACEHOLDER] * size, "score": [1.0] * size}
    return evolve(run, frame=pl.concat([run.frame, pl.DataFrame(rows, schema=run.frame.schema)]))
