"""Judgments and a run, in whatever form → `Matched`, by the engine that suits the run."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
from attrs import evolve

from gainful.convention import Convention
from gainful.match.matched import FILTERED_ORDERS, Matched
from gainful.read.inputs import as_qrels_columns, as_qrels_dict, as_run_columns, as_text_ids
from gainful.read.qrels_and_run import LazyRun, NestedDict, Qrels, Run, refuse_other_order


def drop_namesakes(run: Run | NestedDict) -> Run | NestedDict:
    """The run without documents that are named like their query; a number is no text."""
    if isinstance(run, NestedDict):
        rankings = {
            query: {doc: score for doc, score in ranking.items() if doc != query}
            if query in ranking
            else ranking
            for query, ranking in run.mapping.items()
        }
        return evolve(run, mapping=rankings)
    frame = run.frame.filter(run.frame["query"] != run.frame["doc"])
    if len(frame) == len(run.frame):
        return run
    without_docs = set(run.frame["query"].unique()) - set(frame["query"].unique())
    return evolve(run, frame=frame, where=None, empty_queries=run.empty_queries | without_docs)


def _match_scored(
    qrels: Qrels | NestedDict, run: Run, convention: Convention, matched: Matched
) -> Matched:
    """The whole run, and where judged documents stand among those with scores of 0 and more."""
    frame, filtered = run.frame.filter(pl.col("score") >= 0), {}
    for order in FILTERED_ORDERS:
        rows = frame.with_columns(score=pl.lit(0.0)) if order == "input" else frame
        scored = match(qrels, evolve(run, frame=rows, where=None, part=True), convention)
        per_hit = {
            name: getattr(scored, name)
            for name in ("query", "grade", "pool_index", "ordered", *Matched.rank_fields)
        }  # queries that have no judgments have no hits, and the others are numbered alike
        judged, retrieved = np.flatnonzero(matched.judged), np.zeros_like(matched.retrieved)
        retrieved[judged] = scored.retrieved[judged]
        filtered[order] = evolve(matched, retrieved=retrieved, **per_hit)
    return evolve(matched, filtered=filtered)


def match(
    qrels: Qrels | NestedDict,
    run: Run | NestedDict | LazyRun,
    convention: Convention,
    *,
    subtopics: bool = False,
    scored: bool = False,
) -> Matched:
    """Where do the judged documents stand in a run?

    Args:
        qrels: what was judged.
        run: what was retrieved.
        convention: how duplicates, namesakes and close scores are taken.
        subtopics: are the subtopics wanted, which a dict of dicts cannot have?
        scored: is it wanted without scores below 0, too (`Matched.filtered`)?
    """
    if isinstance(run, LazyRun):
        from gainful.match.parts import match_parts  # noqa: PLC0415  (only for an engine)

        return match_parts(as_qrels_columns(qrels), run, convention, partial(match, scored=scored))
    if scored:
        whole = match(qrels, run, convention, subtopics=subtopics)
        return _match_scored(qrels, as_run_columns(run), convention, whole)
    refuse_other_order(qrels, run)
    if convention.namesake == "remove":
        run = drop_namesakes(run)
    has_subtopics = isinstance(qrels, Qrels) and qrels.subtopics is not None
    if isinstance(run, NestedDict) and not (has_subtopics and subtopics):
        from gainful.match import dicts  # noqa: PLC0415  (large files do without)

        run = as_text_ids(run) if isinstance(qrels, Qrels) else run  # as those of judgments are
        return dicts.match_dicts(as_qrels_dict(qrels), run, score_bits=convention.score_bits)
    from gainful.match import frames  # noqa: PLC0415  (small files and dicts do without)

    return frames.match_frames(
        as_qrels_columns(qrels),
        as_run_columns(run),
        duplicates=convention.duplicates,
        score_bits=convention.score_bits,
    )
