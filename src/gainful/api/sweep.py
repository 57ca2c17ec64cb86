"""Which system is better for which searcher: impatient or patient, of many queries or few?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any

from gainful.api.keywords import answer_keywords
from gainful.api.sessions import choose_sessions, read_session_qrels
from gainful.convention.session import SessionConvention
from gainful.errors import OneGroup
from gainful.evidence.orders.correlations import check_coefficient
from gainful.evidence.orders.label_units import label_sessions
from gainful.evidence.orders.sweep_agreement import (
    RESAMPLES_OF_SWEEP,
    SweepAgreement,
    sweep_labels,
)
from gainful.evidence.statistics.resampling import ALPHA, SEED, Resampling
from gainful.match.behaviour_gains import GainRule
from gainful.match.session_groups import group_sessions
from gainful.match.sessions import match_sessions
from gainful.measure.discount import USUAL_RANGE
from gainful.measure.measure import Measure
from gainful.measure.sessions.evaluate import measure_sessions
from gainful.measure.sessions.sweep import Sweep, sweep_groups
from gainful.measure.sessions.sweep_grid import Bases, Weights, build_sweep_grid
from gainful.read.column_names import ColumnNames
from gainful.read.event_words import EventWords
from gainful.read.inputs import AnyQrels
from gainful.read.labels import AnyLabels, read_labels
from gainful.read.propensities import AnyPropensities
from gainful.read.session_inputs import AnySessions
from gainful.read.sessions import BadPolicy


@answer_keywords
def sweep(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measure: str | Measure = "nsDCG",
    *,
    b: Bases = USUAL_RANGE,
    bq: Bases = USUAL_RANGE,
    points: int = 20,
    depth: int | str | Sequence[int] | None = None,
    weights: Weights | Sequence[Weights] | None = None,
    by: str | Sequence[str] = "system",
    reference: Mapping[str, float] | None = None,
    like: str | SessionConvention | None = None,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
    sessions_format: str | None = None,
    qrels_format: str | None = None,
    bad: BadPolicy = "error",
    ties: str | None = None,
    topics: str | PathLike[str] | None = None,
    pages: str | None = None,
    columns: ColumnNames | None = None,
    tool: str | Sequence[str] | None = None,
    gap: str | float | timedelta | None = None,
    events: EventWords | None = None,
    gain_from: GainRule | None = None,
    propensity: AnyPropensities | None = None,
    anonymise: bool | str = False,
    **settings: Any,
) -> Sweep:
    """Which system is better for which searcher: impatient or patient, of many queries or few?

    Sessions are matched once, and their gains laid out once; for each setting only the discounts
    change. Each mean is what `sessions.evaluate` gives at that setting.

    Args:
        sessions: as `sessions.evaluate` takes them.
        qrels: likewise.
        measure: nsDCG or sDCG, with options such as duplicates=first if you like.
        b: bases of the rank discount: a range "1.5:10", a list "2,4", or numbers.
        bq: bases of the query discount.
        points: how many bases of a range are tried, evenly spread in the logarithm.
        depth: how many results of a query count; 10, or several numbers.
        weights: a gain or a table of weights such as "0:0,1:1,2:10,3:100", or several of them.
        by: the column, or columns, whose groups are compared.
        reference: the setting that others are held against; {"b": 2, "bq": 4}.
        like: whose settings to follow: jk2008 (default), …
        where: only sessions that have these values in their columns.
        min_queries: only sessions of at least so many queries.
        first_queries: only the first so many queries of each session.
        sessions_format: how a file of sessions is written; by content if it is not named.
        qrels_format: how a file of judgments is written; likewise.
        bad: refuse sessions that are not as they should be, or leave them out.
        ties: of conversations: how are equal scores ranked?
        topics: a file of lines `session topic`.
        pages: of the Session Track: does a further page continue the list, or count?
        columns: how columns of the sessions are called, if not as usual.
        tool: of traces and transcripts: the tool, or several, whose calls are searches.
        gap: of a log: the pause after which a session of the user ends.
        events: of a log: what its words for events mean.
        gain_from: without judgments, what gains, such as "clicked".
        propensity: how likely each rank is looked at; "estimate", or from elsewhere.
        anonymise: salted hashes in place of users.
        settings: single settings, such as `duplicates="first"`.

    Examples:
        >>> from gainful.sessions import simulate_study
        >>> study = simulate_study(7)
        >>> sweep(study.sessions, study.qrels, points=5)
        Sweep of nsDCG, 25 settings, 120 sessions, 2 groups
        System 2 is better for every searcher in the reasonable range (b and bq from 1.5 to 10).
        simulated: made by a model of a searcher, not observed
    """
    grid = build_sweep_grid(
        measure,
        b=b,
        bq=bq,
        points=points,
        depth=depth,
        weights=weights,
        reference=reference,
        like=like,
        settings=settings,
    )
    judgments = read_session_qrels(qrels, qrels_format)
    chosen_sessions = choose_sessions(
        sessions,
        judgments,
        where=where,
        min_queries=min_queries,
        first_queries=first_queries,
        sessions_format=sessions_format,
        bad=bad,
        ties=ties,
        topics=topics,
        pages=pages,
        columns=columns,
        tool=tool,
        gap=gap,
        events=events,
        gain_from=gain_from,
        propensity=propensity,
        anonymise=anonymise,
    )
    matched_sessions = match_sessions(
        chosen_sessions,
        judgments,
        grid.recipes[0].convention.unjudged,
        grid.recipes[0].convention.subtopic_grades,
    )
    names = (by,) if isinstance(by, str) else tuple(by)
    groups = group_sessions(matched_sessions, names, chosen_sessions.name)
    if len(groups) < 2:
        column = ", ".join(names) or "no column"
        raise OneGroup(
            chosen_sessions.name,
            f"there is only one group by {column}, so there is no winner",
            "two groups to compare, or more",
        )
    return sweep_groups(chosen_sessions.name, matched_sessions, grid, names, groups)


def sweep_against(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measure: str | Measure = "nsDCG",
    against: str = "satisfaction",
    *,
    labels: AnyLabels | None = None,
    coefficient: str = "spearman",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES_OF_SWEEP,
    seed: int = SEED,
    b: Bases = USUAL_RANGE,
    bq: Bases = USUAL_RANGE,
    points: int = 20,
    depth: int | str | Sequence[int] | None = None,
    weights: Weights | Sequence[Weights] | None = None,
    reference: Mapping[str, float] | None = None,
    like: str | SessionConvention | None = None,
    qrels_format: str | None = None,
    settings: Mapping[str, Any] | None = None,
    **reading: Any,
) -> SweepAgreement:
    """Which b and bq agree best with what users said, and how sure is that?

    Args:
        sessions: as `sessions.evaluate` takes them.
        qrels: likewise.
        measure: nsDCG or sDCG, with options such as duplicates=first if you like.
        against: a column of the sessions or of `labels`: satisfaction, success, revenue.
        labels: a table with a column session and one called as `against` says; or a dict.
        coefficient: spearman (default), pearson or kendall.
        alpha: one minus the confidence of intervals.
        resamples: how often sessions are drawn again, those of a searcher together.
        seed: where chance begins.
        b: bases of the rank discount: a range "1.5:10", a list "2,4", or numbers.
        bq: bases of the query discount.
        points: how many bases of a range are tried, evenly spread in the logarithm.
        depth: how many results of a query count; 10, or several numbers.
        weights: a gain or a table of weights, or several of them.
        reference: the setting that the best is held against; {"b": 2, "bq": 4}.
        like: whose settings to follow: jk2008 (default), …
        qrels_format: how a file of judgments is written; by content if it is not named.
        settings: single settings, such as {"duplicates": "first"}.
        reading: how sessions are read and which of them count, as in `sessions.evaluate`.

    Examples:
        >>> from gainful.sessions import evaluate, simulate_study
        >>> study = simulate_study(7)
        >>> patient = evaluate(study.sessions, study.qrels, "sDCG(b=10, bq=10)@10")
        >>> stars = dict(zip(patient.ids, patient.values["sDCG(b=10, bq=10)@10"].tolist()))
        >>> swept = sweep_against(
        ...     study.sessions, study.qrels, "sDCG", labels=stars, points=3, resamples=99
        ... )
        >>> swept.best.b, swept.best.bq, swept.best.estimate
        (10.0, 10.0, 1.0)
    """
    check_coefficient(coefficient)
    resampling = Resampling(alpha=alpha, resamples=resamples, seed=seed)
    grid = build_sweep_grid(
        measure,
        b=b,
        bq=bq,
        points=points,
        depth=depth,
        weights=weights,
        reference=reference,
        like=like,
        settings=settings or {},
    )
    judgments = read_session_qrels(qrels, qrels_format)
    chosen_sessions = choose_sessions(sessions, judgments, **reading)
    convention = grid.recipes[0].convention
    matched = match_sessions(
        chosen_sessions, judgments, convention.unjudged, convention.subtopic_grades
    )
    values = measure_sessions(
        chosen_sessions.name, matched, {grid.measure: grid.recipes[0]}, convention
    )
    session_labels = None if labels is None else read_labels(labels, against, "session")
    units = label_sessions(values, against, session_labels)
    return sweep_labels(
        matched, grid, units, against=against, coefficient=coefficient, resampling=resampling
    )
