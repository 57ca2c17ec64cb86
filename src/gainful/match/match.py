"""Judgments and a run, in whatever form → `Matched`, by the engine that suits the run."""

from __future__ import annotations

from functools import partial

from attrs import evolve

from gainful.convention import Convention
from gainful.match.matched import FILTERED_ORDERS, Matched
from gainful.read.inputs import as_qrels_columns, as_qrels_dict, as_run_columns, as_text_ids
from gainful.read.qrels_and_run import LazyRun, NestedDict, Qrels, Run, refuse_other_order


def _drop_namesakes(run: Run) -> Run:
    kept = run.frame["query"] != run.frame["doc"]
    if kept.all():
        return run
    frame = run.frame.filter(kept)
    without_docs = set(run.frame["query"].unique()) - set(frame["query"].unique())
    return evolve(run, frame=frame, where=None, silent=run.silent | without_docs)


def drop_dict_namesakes(run: NestedDict) -> NestedDict:
    """The run without documents that are named like their query; a number is no text."""
    rankings = {
        query: {doc: score for doc, score in ranking.items() if doc != query}
        if query in ranking
        else ranking
        for query, ranking in run.mapping.items()
    }
    return evolve(run, mapping=rankings)


def _match_scored(
    qrels: Qrels | NestedDict, run: Run | NestedDict, convention: Convention, matched: Matched
) -> Matched:
    """The whole run, and where judged documents stand among those with scores of 0 and more."""
    filtered = {}
    for order in FILTERED_ORDERS:
        part = _drop_negative_scores(run, same=order == "input")
        if part is None:
            filtered[order] = matched.cut(0)
            continue
        scored = match(qrels, part, convention)
        per_hit = {
            name: getattr(scored, name)
            for name in ("query", "grade", "pool_index", "ordered", *Matched.rank_fields)
        }  # queries that have no judgments have no hits, and the others are numbered alike
        filtered[order] = evolve(matched, **per_hit)
    return evolve(matched, filtered=filtered)


def _drop_negative_scores(run: Run | NestedDict, *, same: bool) -> Run | NestedDict | None:
    """The run without documents of scores below 0, the others having one and the same, if asked.

    None where nothing is left.
    """
    if isinstance(run, NestedDict):
        rankings = {
            query: {doc: 0.0 if same else score for doc, score in ranking.items() if score >= 0}
            for query, ranking in run.mapping.items()
        }
        return evolve(run, mapping=rankings) if any(rankings.values()) else None
    frame = run.frame.filter(run.frame["score"] >= 0)
    if frame.is_empty():
        return None
    if same:
        frame = frame.with_columns(score=0.0 * frame["score"])
    return evolve(run, frame=frame, where=None)


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
        return _match_scored(qrels, run, convention, whole)
    refuse_other_order(qrels, run)
    if convention.namesake == "remove":
        run = _drop_namesakes(run) if isinstance(run, Run) else drop_dict_namesakes(run)
    has_subtopics = isinstance(qrels, Qrels) and qrels.subtopics is not None
    if isinstance(run, NestedDict):
        from gainful.match import dicts  # noqa: PLC0415  (large files do without)

        if not (has_subtopics and subtopics):
            run = as_text_ids(run) if isinstance(qrels, Qrels) else run  # as those of judgments are
            return dicts.match_dicts(as_qrels_dict(qrels), run, score_bits=convention.score_bits)
        dicts.refuse_other_query_types(as_qrels_dict(qrels), run)
        run = as_run_columns(run)
    from gainful.match import frames  # noqa: PLC0415  (small files and dicts do without)

    return frames.match_frames(
        as_qrels_columns(qrels),
        run,
        duplicates=convention.duplicates,
        score_bits=convention.score_bits,
    )
