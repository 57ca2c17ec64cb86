"""Which measure agrees best with what users said?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import evaluate_runs
from gainful.api.keywords import answer_options
from gainful.api.run_options import RunOptions, RunReading, Runs, name_runs, take_results
from gainful.api.session_options import SessionOptions, SessionReading
from gainful.api.sessions import evaluate as evaluate_sessions
from gainful.errors import BadValue, UnknownName, check_name
from gainful.evidence.options import ClusterOptions, PairOptions, ResamplingOptions
from gainful.evidence.orders.correlations import Correlations, correlate_units, label_units
from gainful.evidence.pairing import ClusterChoice, read_clusters
from gainful.evidence.statistics.correlation import COEFFICIENTS
from gainful.evidence.statistics.outcome import Resampling
from gainful.measure.build_recipes import USUAL_MEASURES, Measures
from gainful.measure.build_session_recipes import usual_session_measures
from gainful.measure.catalogue import session_measures
from gainful.measure.language import expand
from gainful.measure.values import Results
from gainful.read.inputs import AnyQrels
from gainful.read.query_columns import AnyLabels, read_labels
from gainful.read.session_inputs import AnySessions


class CorrelateOptions(ResamplingOptions, ClusterOptions, total=False):
    """How resamples are drawn, and what of."""


@answer_options(CorrelateOptions, (PairOptions,), ())
def correlate(
    results: Results | Mapping[str, Results] | Sequence[Results],
    against: str | None = None,
    labels: AnyLabels | None = None,
    *,
    coefficient: str = "spearman",
    **options: Unpack[CorrelateOptions],
) -> Correlations:
    """Which measure agrees best with what users said: satisfaction, success, revenue?

    Args:
        results: what `evaluate` or `sessions.evaluate` returned, of one run or of several.
        against: the column of labels; a column of the sessions; or one of the measures, which the
            others are correlated with. By default the only column of labels.
        labels: a file or frame with a column query (or session) and one called as `against` says;
            of several runs a column run too. Or a dict {query: number}.
        coefficient: spearman (default), pearson or kendall.
        **options: how queries (or sessions, or whole searchers) are drawn again
            (`stats.PairOptions`); for runs also `cluster`, as in `compare`, but no column.

    Returns:
        `Correlations`: the coefficient of each measure with its interval, the best first, and the
        difference of each two with its interval and p.

    Examples:
        >>> from gainful import evaluate
        >>> qrels = {str(q): {"a": 1} for q in range(6)}
        >>> run = {str(q): [f"x{i}" for i in range(q)] + ["a"] for q in range(6)}
        >>> results = evaluate(qrels, run, ["RR", "P@3"])
        >>> stars = {"0": 5, "1": 4, "2": 4, "3": 2, "4": 1, "5": 1}
        >>> correlate(results, "satisfaction", stars, resamples=999).best.measure
        'RR'
    """
    check_name("coefficient", coefficient, COEFFICIENTS)
    cluster, resampling = options.pop("cluster", None), Resampling.from_options(options)
    several = take_results([results], None, {})
    if cluster is not None and several[0].KEY == "session":
        allowed = "nothing with sessions: they are resampled by searcher already"
        raise BadValue("cluster", cluster, allowed)
    table = None if labels is None else read_labels(labels, against, several[0].KEY)
    against = against if table is None else table.name
    if not isinstance(against, str):
        raise BadValue("against", against, "a column of labels or sessions, or a measure")
    clusters = None if cluster is None else read_clusters(cluster)
    units = label_units(several, against, table, clusters)
    return correlate_units(units, against, coefficient, resampling)


def correlate_runs(
    qrels: AnyQrels,
    runs: Runs,
    measures: Measures | None,
    *,
    against: str | None,
    labels: AnyLabels | None = None,
    cluster: ClusterChoice | None = None,
    statistics: Mapping[str, Any],
    **reading: Unpack[RunOptions],
) -> Correlations:
    """Evaluate runs and hold measures against labels; `statistics` are options of `correlate`."""
    try:
        wanted = expand(measures or USUAL_MEASURES)
        if labels is None and against is not None:
            wanted |= {against: next(iter(expand(against).values()))}
    except UnknownName as unknown:
        if unknown.name != against:
            raise
        hint = "a column of user labels needs its table: --labels FILE"
        hints = (hint, "") if "did you mean" in str(unknown) else ("", hint)
        raise UnknownName("measure", against, unknown.known_names, *hints) from None
    named, inputs = name_runs(runs), RunReading.from_options(reading)
    clusters = find_clusters(cluster, inputs, qrels, *named.values())
    results = list(evaluate_runs(qrels, named, list(wanted), inputs))
    return correlate(results, against, labels, cluster=clusters, **statistics)


def correlate_sessions(
    sessions: AnySessions,
    qrels: AnyQrels | None,
    measures: Measures | None,
    *,
    against: str | None,
    labels: AnyLabels | None = None,
    statistics: Mapping[str, Any],
    **options: Unpack[SessionOptions],
) -> Correlations:
    """Evaluate sessions and hold the measures against labels, or a column of the sessions."""
    reading = SessionReading.from_options(options)
    judgments, loaded = reading.read(sessions, qrels)
    wanted = list(expand(measures or usual_session_measures(loaded.gain_event)))
    if against is not None and labels is None and against not in loaded.frame.columns:
        try:
            is_known = next(iter(expand(against).values())).entry.session
        except UnknownName:
            is_known = False
        if not is_known:
            known = [*loaded.frame.columns, *session_measures()]
            raise UnknownName("column or measure", against, known)
        wanted.append(against)
    settings: Any = {"like": reading.like, **reading.settings}
    results = evaluate_sessions(loaded, judgments, wanted, **settings)
    return correlate(results, against, labels, **statistics)
