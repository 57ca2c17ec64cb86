"""What is asked of trec_eval: its flags, their lines, and the queries it goes through."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import polars as pl
from attrs import evolve, frozen

from gainful.convention import Convention, like
from gainful.errors import UnknownName
from gainful.measure.names import EVERY_NAME, GROUPS, GROUPS_9, GROUPS_OF_OTHER_JUDGMENTS, NOT_IN_9
from gainful.measure.trec_language import TrecLine, expand_trec_name, share_gains
from gainful.read.qrels_and_run import Run, find_duplicates
from gainful.read.trec_eval_files import Judged, QrelsFormat
from gainful.text import quote

Version = Literal[9, 10]


@frozen(kw_only=True)
class TrecEvalOptions:
    """What the flags say."""

    measures: Sequence[str] = ()
    version: Version = 10
    qrels_format: QrelsFormat = "qrels"  # -R
    per_query: bool = False
    summary: bool = True
    complete: bool = False  # -c: queries that the run lacks count as 0
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    collection_size: int = 0
    zscores_path: str | None = None  # -Z: a file of means and standard deviations
    only_query: str | None = None  # -D 0.QUERY: evaluate nothing else


def select_names(options: TrecEvalOptions) -> dict[str, str | None]:
    """The names that were asked for, in trec_eval's order, each with what follows its dot."""
    groups = {**(GROUPS if options.version == 10 else GROUPS_9), **GROUPS_OF_OTHER_JUDGMENTS}
    names = [name for name in EVERY_NAME if options.version == 10 or name not in NOT_IN_9]
    selected_names: set[str] = set()
    params: dict[str, str] = {}
    for text in options.measures or ("official",):
        name, dot, suffix = text.partition(".")
        if (dot and not suffix) or name not in (*names, *groups):
            raise UnknownName("measure", text, [*names, *groups])
        if dot:
            params.setdefault(name, suffix)
        selected_names |= {*groups.get(name, (name,))}
    return {name: params.get(name) for name in names if name in selected_names}


def select_lines(options: TrecEvalOptions) -> list[TrecLine]:
    """The lines that are printed, in trec_eval's order."""
    version_10 = options.version == 10
    return share_gains(
        [
            line
            for name, suffix in select_names(options).items()
            for line in expand_trec_name(EVERY_NAME[name], suffix, whole_names_only=version_10)
        ]
    )


def build_convention(options: TrecEvalOptions) -> Convention:
    """The convention of a version of trec_eval with these flags."""
    convention = like("trec_eval" if options.version == 10 else "trec_eval_9")
    convention = convention.with_settings(rel=max(options.level, 0), duplicates="count")
    if options.judged_only:
        return convention.with_settings(unjudged="remove", negative="remove")
    return convention


_JUDGMENTS = {"qrels": "qrels", "prefs": "prefs", "qrels_prefs": "prefs", "qrels_jg": "qrels_jg"}
_PLACEHOLDER = "ceci_nest_pas_un_docno"  # what version 10 retrieves for a query that the run lacks


@frozen
class Visits:
    """The queries that are evaluated, one after the other, and why it ends before the last."""

    queries: Sequence[str]
    stop: str | None = None
    missing: Sequence[str] = ()  # the queries that the run lacks


def plan_visits(
    judged: Collection[str],
    missing: Sequence[str],
    stops: Mapping[str, str],
    reason: str | None,
    options: TrecEvalOptions,
) -> Visits:
    """The queries in trec_eval's order, by their bytes."""
    lacking = {*missing}
    queries: list[str] = []
    for query in sorted(judged, key=str.encode):
        if options.only_query not in (None, query):
            continue
        if query in lacking and not (options.complete and options.version == 10):
            if options.version == 9:
                continue
            problem = f"query {query!r} is judged, but the run lacks it"
            stop = f"{problem} (-c counts it as 0, --as 9 skips it)"
            return Visits(queries, stop, missing)
        if reason is not None or query in stops:
            return Visits(queries, reason or stops[query], missing)
        queries.append(query)
    return Visits(queries, missing=missing)


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
    stops = {}
    if judged.kind == "qrels":
        judged_twice = find_duplicates(judged.frame)
        first = judged_twice.unique(["query"], keep="first", maintain_order=True)
        stops = _describe_duplicates(first, "judged twice")
    repeated = find_duplicates(run.frame)
    if repeated.is_empty():
        return evolve(run, distinct=True), stops
    frame = run.frame.filter(run.frame["query"].is_in(repeated["query"].unique().implode()))
    in_order = find_duplicates(order_run(frame, options))
    return run, _describe_duplicates(in_order, "twice") | stops


def _describe_duplicates(repeated: pl.DataFrame, problem: str) -> dict[str, str]:
    return {
        query: f"query {query!r} has document {quote(doc)} {problem}"
        for query, doc, _ in repeated.iter_rows()
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
