"""Judgments and a run, in whatever form → `Matched`, by the engine that suits the run."""

from __future__ import annotations

from attrs import evolve

from gainful.convention import Convention
from gainful.match import dicts, frames, lazy
from gainful.match.matched import Matched
from gainful.read.inputs import as_columns, as_nested, as_run_columns, as_texts
from gainful.read.lazy import Elsewhere
from gainful.read.qrels_and_run import Judgments, Nested, Run


def _without_namesakes(run: Run | Nested) -> Run | Nested:
    """The run without documents that are named like their query."""
    if isinstance(run, Run):
        kept = run.frame["query"] != run.frame["doc"]
        if kept.all():
            return run
        frame = run.frame.filter(kept)
        lost = set(run.frame["query"].unique()) - set(frame["query"].unique())
        return evolve(run, frame=frame, where=None, silent=run.silent | lost)
    dicts = {
        query: {doc: score for doc, score in ranking.items() if doc != query}
        if query in ranking
        else ranking
        for query, ranking in run.mapping.items()
    }
    return Nested(dicts, run.name)


def match(
    qrels: Judgments | Nested,
    run: Run | Nested | Elsewhere,
    convention: Convention,
    *,
    subtopics: bool = False,
) -> Matched:
    """Where do the judged documents stand in a run?

    Args:
        judgments: what was judged.
        run: what was retrieved.
        habits: how duplicates, namesakes and close scores are taken.
        subtopics: are the subtopics wanted, which a dict of dicts cannot have?
    """
    if isinstance(run, Elsewhere):
        return lazy.matched(as_columns(qrels), run, convention)
    if convention.namesake == "remove":
        run = _without_namesakes(run)
    told = isinstance(qrels, Judgments) and qrels.subtopics is not None
    if isinstance(run, Nested) and told and subtopics:
        dicts.refuse_other_queries(as_nested(qrels), run)
        run = as_run_columns(run)
    if isinstance(run, Nested) and isinstance(qrels, Judgments):
        run = as_texts(run)  # as the ids of the judgments are
    if isinstance(run, Nested):
        return dicts.matched(as_nested(qrels), run, score_bits=convention.score_bits)
    return frames.matched(
        as_columns(qrels), run, duplicates=convention.duplicates, score_bits=convention.score_bits
    )
