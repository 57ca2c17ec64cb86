"""Sessions by concatenated top X (Figures 2 and 3 of the paper); the last query by rank (1)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from attrs import evolve, frozen

from gainful.defaults import RESAMPLES, SEED
from gainful.errors import BadInput, BadValue, check_whole_number
from gainful.evidence.intervals import DrawnUnits, choose_drawn, resampling_for_level
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.system_groups import curve_bands, last_query_bands
from gainful.match.session_groups import By, group_label
from gainful.measure.entry import SessionRecipe
from gainful.measure.results import list_footnotes
from gainful.measure.sessions.analysis import NonLast
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.session_values import choose_vectors, curve
from gainful.read.sessions import CONVERSATION
from gainful.show.figures.figure import NO_GAIN, FigureData, Look, explain_empty
from gainful.show.figures.line_chart import Line, XAxis, build_session_axis, draw_line_chart
from gainful.show.theme import Spec
from gainful.text import count_noun, join_words
from gainful.types import Flags


@frozen(eq=False, kw_only=True)
class SessionPlot:
    """One measure of some sessions, their groups, and how bands are drawn."""

    results: SessionResults  # of that measure alone
    recipe: SessionRecipe
    measure_name: str
    groups: Sequence[tuple[str, Flags]]
    resampling: Resampling | None
    drawn: DrawnUnits  # again, where there are bands
    notes: tuple[str, ...]

    @property
    def depth(self) -> int:
        """How many results of a query count."""
        return self.recipe.k or 1

    @property
    def caption(self) -> tuple[str, ...]:
        """The caption: what was computed of what, what a band is, and what one should know."""
        lines = list_footnotes([self.results], verbose=True)
        if self.resampling is not None:
            band = (
                f"band: {self.resampling.level} interval, bootstrap over {self.drawn.words}, "
                f"{self.resampling.resamples} resamples (percentile, seed {self.resampling.seed})"
            )
            lines.insert(1, band)
        return (f"mean {self.measure_name} · {lines[0]}", *lines[1:], *self.notes)


def prepare_plot(  # noqa: PLR0917  (the options that the figures share)
    results: SessionResults,
    measure: str | None,
    by: By,
    prefer: str,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    queries: int | None = None,
    drawn: DrawnUnits | None = None,
) -> SessionPlot:
    """One measure of some sessions; the first of the preferred name if none is named."""
    measure_name = choose_vectors(results.recipes, measure, prefer)
    recipe = results.recipes[measure_name]
    if recipe.k is None:
        raise BadValue("measure", measure_name, f"a depth, such as {recipe.entry.name}@10")
    if not (results.matched_sessions.judged.rank <= recipe.k).any():  # zeros were no answer
        problem = f"none of the top {recipe.k} results of any query is judged"
        raise BadInput(results.name, problem, "judgments of the results shown, or a greater depth")
    groups = label_groups(results, by)
    resampling, notes = None, []
    drawn = drawn or choose_drawn(results.columns, [flags for _, flags in groups])
    if interval is not None:
        resampling = resampling_for_level(interval, resamples=resamples, seed=seed)
        for label, flags in groups:
            units = drawn.select(flags)
            if int(flags.sum()) == 1:
                notes.append(f"Note: {label} has one session: no interval")
            elif units is not None and not units.any():
                why = f"all belong to one {drawn.name}, so there is no interval"
                notes.append(f"Note: {label}: {why}")
    if queries is not None:
        check_whole_number("queries", queries)
    longest_list = int(results.matched_sessions.retrieved.max())
    if recipe.k > longest_list:
        notes.append(f"Note: no query shows more than {count_noun(longest_list, 'result')}")
    return SessionPlot(
        results=results.select_measures([measure_name]),
        recipe=recipe,
        measure_name=measure_name,
        groups=groups,
        resampling=resampling,
        drawn=drawn,
        notes=tuple(notes),
    )


def label_groups(results: SessionResults, by: By) -> list[tuple[str, Flags]]:
    """The groups and what they are called; all sessions, if by nothing."""
    groups = results.group_sessions(by)
    labels = [group_label(keys) if keys else "all sessions" for keys, _ in groups]
    if len(set(labels)) < len(labels):  # 2 and "system 2" would both be system 2
        labels = [", ".join(f"{key}={name!r}" for key, name in keys.items()) for keys, _ in groups]
    return [(label, flags) for label, (_, flags) in zip(labels, groups, strict=True)]


def mean_curves(plot: SessionPlot, subsets: Sequence[tuple[dict[str, str], Flags]]) -> pl.DataFrame:
    """The mean vector of each subset, with its band if one was asked for."""
    sessions = plot.results.matched_sessions
    curves = curve(sessions, plot.recipe, subsets, common=True)
    if plot.resampling is None:
        return curves
    groups = [flags for _, flags in subsets]
    return curves.with_columns(
        **curve_bands(sessions, plot.recipe, groups, plot.drawn, plot.resampling)
    )


NO_IDEAL = "No session has an ideal above 0, so there is nothing to show."
ALL_SESSIONS = "all"
_MAX_NAMES = 8  # scenarios that a caption names; of more it says how many


def sessions_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    queries: int | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """How much do sessions gain, query by query? Figure 2 of the paper.

    The mean vector of each group over its sessions by concatenated top X, flat after a searcher has
    stopped.

    Args:
        results: what `gainful.sessions.evaluate` returned.
        measure: one of its measures; the first nsDCG, or else the first sDCG.
        by: a column or several, such as system.
        queries: draw only the first N queries.
        interval: a band at this level in per cent: sessions are resampled, those of a searcher
            together (percentile bootstrap).
        resamples: number of resamples.
        seed: random seed.

    Returns:
        Columns group, query, rank, position, mean, n, searching, and low and high of a band.
    """
    plot = prepare_plot(results, measure, by, "nsDCG", interval, resamples, seed, queries)
    return build_sessions_data(plot, queries)


def build_sessions_data(plot: SessionPlot, queries: int | None = None) -> FigureData:
    """The mean vector of each group, query by query."""
    curves = mean_curves(plot, [({"group": label}, flags) for label, flags in plot.groups])
    title = f"Session performance, {plot.measure_name}, by concatenated top {plot.depth}"
    return _build_data(plot, curves, title, queries)


def scenario_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    at_least: int = 4,
    queries: int | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """Do long sessions begin badly? Figure 3 of the paper: one scenario, all and long sessions.

    Args:
        results: of one scenario: `gainful.sessions.evaluate(…, where={"scenario": "D"})`.
        measure: one of its measures; the first sDCG, or else the first nsDCG.
        by: a column or several, such as system.
        at_least: the least number of queries of sessions that are drawn separately.
        queries: draw only the first N queries.
        interval: a band at this level in per cent: sessions are resampled, those of a searcher
            together (percentile bootstrap).
        resamples: number of resamples.
        seed: random seed.

    Returns:
        Columns group, which (all, or at least n queries), query, rank, position, mean, n,
        searching, and low and high of a band.
    """
    check_whole_number("at_least", at_least)
    plot = prepare_plot(results, measure, by, "sDCG", interval, resamples, seed, queries)
    is_long = results.matched_sessions.query_counts >= at_least
    long_label = f"at least {count_noun(at_least, 'query')}"
    for label, flags in plot.groups:
        if not (flags & is_long).any():
            problem = f"no session{f' of {label}' if by else ''} has {long_label}"
            raise BadInput(results.name, problem, "a smaller number of queries")
    subsets = [
        *(({"group": label, "which": ALL_SESSIONS}, flags) for label, flags in plot.groups),
        *(({"group": label, "which": long_label}, flags & is_long) for label, flags in plot.groups),
    ]
    curves = mean_curves(plot, subsets)
    noun, scenarios = _list_scenarios(plot.results)
    title = f"Session performance, all sessions and those of {long_label}"
    if len(scenarios) == 1:
        title = f"{noun.capitalize()} {scenarios[0]}: all sessions and those of {long_label}"
    data = _build_data(plot, curves, title, queries)
    if len(scenarios) < 2 or plot.recipe.entry.normalised:
        return data
    names = f" ({join_words(scenarios)})" if len(scenarios) <= _MAX_NAMES else ""
    note = f"Note: {count_noun(len(scenarios), noun)} together{names}, not normalised"
    return evolve(data, caption=(*data.caption, note))


def _list_scenarios(results: SessionResults) -> tuple[str, list[str]]:
    """What sessions were about, and what that is called: scenarios, conversations, or topics.

    Each turn of a conversation has a topic of its own, which is no scenario.
    """
    columns = results.columns
    noun, names = "scenario", ("scenario", "topic")
    if results.matched_sessions.per_turn and "scenario" not in columns.columns:
        noun, names = CONVERSATION, (CONVERSATION, "session")
    known = [name for name in names if name in columns.columns]
    values = columns[known[0]].unique().sort().to_list() if known else []
    return noun, [str(value) for value in values]


def _build_data(
    plot: SessionPlot, curves: pl.DataFrame, title: str, queries: int | None
) -> FigureData:
    frame = curves if queries is None else curves.filter(pl.col("query") <= queries)
    last_query = int(frame["query"].max())  # type: ignore[arg-type]  # there is at least one
    longest = int(plot.results.matched_sessions.query_counts.max())
    length_note = f"Note: sessions go on to query {longest}; the first {last_query} are drawn"
    is_cut = queries is not None and longest > last_query
    return FigureData(
        frame=frame,
        title=title,
        caption=(*plot.caption, *([length_note] if is_cut else [])),
        axis_title=f"mean {plot.measure_name}",
        empty_reason=explain_empty(frame["mean"], NO_IDEAL, NO_GAIN),
        extra={"depth": plot.depth},
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """Lines over lots of X ranks: groups by colour, long sessions dashed."""
    frame = data.frame
    groups = frame["group"].unique(maintain_order=True).to_list()
    keys = [name for name in ("group", "which") if name in frame.columns]
    lines = []
    for (group, *which), part in frame.group_by(keys, maintain_order=True):
        colour, is_long = groups.index(group), which not in ([], [ALL_SESSIONS])
        label = f"{group}, {which[0]}" if is_long else group
        style = {"colour": colour, "dash": int(is_long) if which else colour}
        lines.append(Line.from_frame(part, "position", "mean", label=label, **style))
    query_count = int(frame["query"].max())  # type: ignore[arg-type]  # there is at least one
    return draw_line_chart(data, lines, build_session_axis(data.extra["depth"], query_count), look)


KINDS = {"last": "last query", "non_last": "queries before", "best": "best query"}


def last_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    non_last: NonLast = "pooled",
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """Is the last query of a session better than those before it? Figure 1 of the paper.

    The mean gain of single queries down to each rank, each discounted by its own position: the
    last queries of sessions, those before them, and the best one of each session.

    Args:
        results: what `gainful.sessions.evaluate` returned.
        measure: one of its measures; the first sDCG, or else the first nsDCG (whose gains count).
        by: a column or several, such as system.
        non_last: all queries before the last ones together (pooled), or the mean of each session
            first (within).
        interval: a band at this level in per cent: sessions are resampled, those of a searcher
            together (percentile bootstrap).
        resamples: number of resamples.
        seed: random seed.

    Returns:
        Columns group, which (last, non_last, best), rank, mean, n, and low and high of a band.
    """
    plot = prepare_plot(results, measure, by, "sDCG", interval, resamples, seed)
    analysis = plot.results.last_queries(plot.measure_name, by, non_last)
    bands = {}
    if plot.resampling is not None:
        sessions, groups = plot.results.matched_sessions, [flags for _, flags in plot.groups]
        drawing = plot.drawn, plot.resampling
        bands = last_query_bands(sessions, plot.recipe, groups, non_last, *drawing)
    labels = [label for label, _ in plot.groups for _ in range(len(KINDS) * plot.depth)]
    frame = analysis.vectors.select(pl.Series("group", labels), "which", "rank", "mean", "n")
    frame = frame.with_columns(**bands)
    query_counts = plot.results.matched_sessions.query_counts
    single_query_notes = [
        f"Note: no session of {label} has more than one query, so none is before the last"
        for label, flags in plot.groups
        if int(query_counts[flags].max()) == 1
    ]
    averaging = ", averaged within sessions first" if non_last == "within" else ", pooled"
    share_column = analysis.shares["share_of_several"].to_list()
    shares = [
        f"{label} {100 * share:.0f} %"
        for (label, _), share in zip(plot.groups, share_column, strict=True)
        if share is not None
    ]
    share_line = f"sessions of several queries whose last query is the best: {', '.join(shares)}"
    return FigureData(
        frame=frame,
        title="The last query of sessions against those before it",
        caption=(
            *([share_line] if shares else []),
            *plot.caption,
            f"queries before the last{averaging}; each query discounted by its own position",
            *single_query_notes,
        ),
        axis_title="mean gain of a query",
        empty_reason=explain_empty(frame["mean"], NO_IDEAL, NO_GAIN),
        extra={"depth": plot.depth},
    )


def draw_last(data: FigureData, look: Look) -> Spec:
    """Groups by colour; the last query drawn through, those before dashed, the best dotted."""
    frame, depth = data.frame, data.extra["depth"]
    groups, kinds = frame["group"].unique(maintain_order=True).to_list(), list(KINDS)
    lines = []
    for (group, kind), part in frame.group_by("group", "which", maintain_order=True):
        is_best, name = kind == "best", KINDS[str(kind)]
        own_part = part.drop("low", "high", strict=False) if is_best else part
        label = name if len(groups) == 1 else f"{group}, {name}"
        style = {"colour": groups.index(group), "dash": kinds.index(str(kind))}
        width = 1.3 if is_best else 2.0
        line = Line.from_frame(own_part, "rank", "mean", label=label, width=width, **style)
        lines.append(line)
    x_axis = XAxis(title="rank in the result list", low=1, high=max(2, depth))
    return draw_line_chart(data, lines, x_axis, look, points=depth == 1)
