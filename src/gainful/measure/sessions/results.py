"""`SessionResults`: values of sessions, and the pages that tell them: groups, lengths, vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, log10
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, Unpack

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention.session import SessionConvention
from gainful.errors import WrongType
from gainful.match.session_groups import (
    By,
    Group,
    check_group_columns,
    count_sessions,
    describe_judged,
    group_label,
    group_sessions,
    session_columns,
)
from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import Direction, SessionRecipe
from gainful.measure.notes import Remark, describe_convention, name_convention
from gainful.measure.results import (
    ANSWER_DECIMALS,
    describe_leaders,
    find_leaders,
    list_footnotes,
    summary_page,
)
from gainful.measure.sessions import analysis, session_values
from gainful.measure.sessions.analysis import LastQueries, NonLast, Reformulations
from gainful.measure.values import Results
from gainful.page.page import Page, Section
from gainful.page.table import Table, column_bars
from gainful.text import capitalise_first, count_noun, join_words, name_way, quote
from gainful.types import Flags, finite_or_none

if TYPE_CHECKING:
    import altair as alt

    import gainful


def _describe_means(results: SessionResults, by: Sequence[str]) -> str:
    """How much sessions gain, or which group is best."""
    sessions, counts = results.matched_sessions, results.counts
    if sessions.gain_event and not counts["gained"]:
        return f"No session gained anything: {describe_judged(counts, sessions.gain_event)}."
    groups = results.groups(by) if by else []
    if len(groups) > 1:
        gains = [name for name in results.values if name not in results.costs]
        by_measure = label_means(groups, by, gains)
        leaders = (
            f"{describe_leading_groups(by_measure, results.directions)} " if by_measure else ""
        )
        way = name_way("gainful compare --sessions", "gainful.compare(results)")
        advice = f"Run {way} to see whether this is more than chance."
        return f"{leaders}{_describe_cheapest(results, groups, by)}{advice}"
    return describe_mean(results.mean, counts["sessions"])


def describe_mean(means: Mapping[str, float], sessions: int) -> str:
    """How much sessions gain, by the first measure."""
    measure, mean = next(iter(means.items()))
    number = count_noun(sessions, "session")
    return f"The mean {measure} of {number} is {mean:.{ANSWER_DECIMALS}f}."


def label_means(
    groups: Sequence[Mapping[str, Any]], by: Sequence[str], measures: Iterable[str]
) -> dict[str, dict[str, float]]:
    """The means of groups by measure and label; not a number where a group has none."""
    return {
        measure: {
            _label(group, by): np.nan if group["mean"][measure] is None else group["mean"][measure]
            for group in groups
        }
        for measure in measures
    }


def _describe_cheapest(
    results: SessionResults, groups: Sequence[Mapping[str, Any]], by: Sequence[str]
) -> str:
    """Which groups cost least, where costs were asked for."""
    clauses = []
    for name in results.costs:
        costs = {_label(group, by): group["mean"][name] for group in groups}
        known = {label: cost for label, cost in costs.items() if cost is not None}
        cheapest = find_leaders(known, results.directions[name])
        if cheapest:
            verb = "costs" if len(cheapest) == 1 else "cost"
            who = capitalise_first(join_words(cheapest))
            clauses.append(f"{who} {verb} least ({known[cheapest[0]]:g}). ")
    return "".join(clauses)


def describe_leading_groups(
    means_by_measure: Mapping[str, Mapping[str, float]],
    directions: Mapping[str, Direction] = MappingProxyType({}),
) -> str:
    """Which group is highest; a name that is an id, such as bm25, stays as it is."""
    sentence = describe_leaders(means_by_measure, directions)
    for label in next(iter(means_by_measure.values())):
        if sentence.startswith(label):
            return capitalise_first(label) + sentence[len(label) :]
    return sentence


def _label(keys: Mapping[str, Any], by: Sequence[str]) -> str:
    return group_label({name: keys[name] for name in by})


_COST = "cost"  # the head of the one column of costs
View = Literal["groups", "per_session", "lengths", "curve", "last", "best_query", "reformulations"]
_Told = tuple[str, Table]  # what is said of sessions in a view, and what is shown


def _view_groups(results: SessionResults, by: Sequence[str]) -> _Told:
    """The mean of each group, or of all sessions; beside costs, gain per cost."""
    whole = {**results.counts, **results.add_costs(results.mean)}
    groups = results.groups(by) if by else [{"sessions of": results.name, **whole}]
    labels, costs = by or ("sessions of",), results.costs
    names = [name for name in results.values if name not in costs]
    scales = {
        name: _choose_unit(group["per_cost"][name] for group in groups)
        for name in groups[0].get("per_cost", ())
    }
    rows = [
        (
            *(group[label] for label in labels),
            *(group["sessions"], group["queries"]),
            *(group["mean"][name] for name in (*names, *costs)),
            *(
                None if (share := group["per_cost"][name]) is None else share * scale
                for name, scale in scales.items()
            ),
        )
        for group in groups
    ]
    heads = [_COST if len(costs) == 1 else name for name in costs]
    ratios = [f"{name} per {unit:g} cost" for name, unit in scales.items()]
    bounded = {
        at: results.recipes[name].entry.normalised for at, name in enumerate(names, len(labels) + 2)
    }
    table = Table(
        (*labels, "sessions", "queries", *names, *heads, *ratios),
        rows,
        numeric=True,
        label_columns=len(labels),
        bars=column_bars(rows, bounded),
        expendable=("queries", "sessions"),
    )
    return _describe_means(results, by), table


def _choose_unit(shares: Iterable[float | None]) -> float:
    largest = max((abs(share) for share in shares if share), default=1.0)
    return 10.0 ** max(0, ceil(-log10(largest)))


def _view_sessions(results: SessionResults, by: Sequence[str]) -> _Told:
    columns = results.columns[["session", *results.group_names(by), "queries"]]
    values = results.per_session.drop("session")
    table = Table.from_frame(pl.concat([columns, values], how="horizontal"), 1 + len(by))
    return _describe_means(results, by), table


def _view_curve(results: SessionResults, by: Sequence[str]) -> _Told:
    return _describe_means(results, by), Table.from_frame(results.curve(by=by), len(by))


def _view_lengths(results: SessionResults, by: Sequence[str]) -> _Told:
    """How many sessions have 1, 2, 3 … queries: Table 2 of the paper."""
    groups = results.lengths(by)
    if len(groups) > 1:
        means = {_label(group, by): group["mean"] for group in groups}
        answer = describe_leading_groups({"queries per session": means})
    else:
        used = [number for number, sessions in groups[0]["by_queries"].items() if sessions]
        spread = f", {used[0]} to {used[-1]}" if len(used) > 1 else ""
        answer = f"A session has {groups[0]['mean']:.1f} queries on average{spread}."
    numbers = list(groups[0]["by_queries"])
    columns = (*by, "sessions", "queries", "mean", *map(str, numbers))
    rows = [
        (
            *(group[key] for key in by),
            *(group["sessions"], group["queries"], group["mean"]),
            *(group["by_queries"][n] for n in numbers),
        )
        for group in groups
    ]
    return answer, Table(columns, rows, numeric=True, label_columns=len(by))


def _view_best_query(results: SessionResults, by: Sequence[str]) -> _Told:
    shares = results.last_queries(by=by).shares
    parts = [
        f"{100 * row['share']:.0f} %{f' ({_label(row, by)})' if by else ''}"
        for row in shares.iter_rows(named=True)
        if row["share"] is not None
    ]
    answer = "No session gained anything."
    if parts:
        share = ", ".join(parts)
        answer = f"Of the sessions that gained anything, the last query was the best in {share}."
    return answer, Table.from_frame(shares, len(by))


def _view_last(results: SessionResults, by: Sequence[str], non_last: NonLast) -> _Told:
    """Do last queries gain more than those before them, down to the last rank?"""
    vectors = results.last_queries(by=by, non_last=non_last).vectors
    deepest = vectors.filter(pl.col("rank") == pl.col("rank").max())
    clauses = []
    for group in deepest.partition_by(by) if by else [deepest]:
        means = dict(zip(group["which"], group["mean"], strict=True))
        last, before = means["last"], means["non_last"]
        if last is not None and before is not None:
            than = "more than" if last > before else "less than" if last < before else "as much as"
            values = f"{last:.{ANSWER_DECIMALS}f} and {before:.{ANSWER_DECIMALS}f} on average"
            label = f" of {_label(group.row(0, named=True), by)}" if by else ""
            clauses.append(f"last queries{label} gain {than} those before them ({values})")
    text = "; ".join(clauses) or "every session has one query, so there is none before the last"
    return f"{capitalise_first(text)}.", Table.from_frame(vectors, len(by) + 1)


_NEEDED_COLUMNS = ("which", "session", "before", "text", "query", "change")  # of a reformulation


def _view_reformulations(results: SessionResults, by: Sequence[str]) -> _Told:
    """The reformulations that helped most, and those that helped least."""
    results.group_names(by)
    reformulations = results.reformulations()
    most = reformulations.most(by=by).filter(pl.col("change") > 0)
    least = reformulations.least(by=by).join(
        most.select("session", "query"), on=["session", "query"], how="anti"
    )
    both = pl.concat(
        frame.with_columns(which=pl.lit(which)).select("which", pl.exclude("which"))
        for which, frame in (("most", most), ("least", least))
    )
    text_columns = [name for name, kind in both.schema.items() if kind == pl.String]
    others = [name for name in both.columns if name not in text_columns]
    table = Table.from_frame(both[[*text_columns, *others]], len(text_columns))
    needed = (*_NEEDED_COLUMNS, *by)
    table = evolve(table, expendable=[name for name in table.columns if name not in needed])
    changes = reformulations.queries["change"].drop_nulls()
    if not len(changes):
        return "Every session has one query: nothing was reformulated.", table
    helped, total = int((changes > 0).sum()), count_noun(len(changes), "reformulation")
    answer = f"{helped} of {total} gained more than the query before"
    if helped:
        best = reformulations.most(1).row(0, named=True)
        place = f"query {best['query']} of session {quote(best['session'])}"
        answer += f", most of all {place} ({best['change']:+.{ANSWER_DECIMALS}f})"
    return f"{answer}.", table


VIEWS: Mapping[str, Callable[..., _Told]] = {
    "groups": _view_groups,
    "per_session": _view_sessions,
    "lengths": _view_lengths,
    "curve": _view_curve,
    "best_query": _view_best_query,
    "reformulations": _view_reformulations,
    "last": _view_last,
}


@frozen(eq=False, repr=False, kw_only=True)
class SessionResults(Results):
    """A value for every session and measure.

    `results["nsDCG@10"]` is the mean of a measure, `mean` has all of them, `per_session` is a
    frame with a row for each session, `groups(by)` their means, `curve(name)` the mean vectors,
    `to_dict()` all of it as plain data.
    """

    TITLE: ClassVar[str] = "Sessions"
    REMARKS: ClassVar[Sequence[Remark]] = session_values.SESSION_REMARKS
    ROWS: ClassVar[Mapping[str, Any]] = {"view": "per_session"}

    KEY: ClassVar[str] = "session"

    unit: str = "session"
    recipes: Mapping[str, SessionRecipe]
    convention: SessionConvention
    counts: Mapping[str, int]
    matched_sessions: MatchedSessions

    @classmethod
    def from_matched(
        cls,
        name: str,
        sessions: MatchedSessions,
        recipes: Mapping[str, SessionRecipe],
        convention: SessionConvention,
    ) -> Self:
        """The value of every session by every measure."""
        return cls(
            name=name,
            ids=sessions.session_ids,
            matched_sessions=sessions,
            values={
                key: session_values.compute_session_values(sessions, recipe)
                for key, recipe in recipes.items()
            },
            recipes=recipes,
            convention=convention,
            counts=count_sessions(sessions),
            notes=session_values.note_sessions(sessions, recipes),
        )

    def select_measures(self, names: Sequence[str]) -> Self:
        """Results of some of the measures alone, and notes on these."""
        results = super().select_measures(names)
        return evolve(
            results, notes=session_values.note_sessions(self.matched_sessions, results.recipes)
        )

    @property
    def columns(self) -> pl.DataFrame:
        """A row for each session: what it can be grouped by, and how many queries it has."""
        return session_columns(self.matched_sessions)

    def mean_of(self, name: str, some: Flags | None = None) -> float:
        """The mean of a measure over all or some sessions, as the convention averages them."""
        if not self.has_joint_mean(name):
            return super().mean_of(name, some)
        flags = np.ones(self.matched_sessions.size, dtype=bool) if some is None else some
        return session_values.mean_of_vectors(self.matched_sessions, self.recipes[name], flags)

    def has_joint_mean(self, name: str) -> bool:
        """Is the mean of a measure that of all sessions together, not of their values?"""
        return session_values.needs_joint_mean(self.recipes[name])

    @staticmethod
    def list_counts(results: Sequence[SessionResults], *, verbose: bool) -> list[str]:
        """What was counted of these sessions, and whose convention it is."""
        (of_all,) = results
        counts, sessions = of_all.counts, of_all.matched_sessions
        parts = [count_noun(counts["sessions"], "session"), count_noun(counts["queries"], "query")]
        if verbose or sessions.gain_event or counts["judged"] < counts["results"]:
            parts.append(describe_judged(counts, sessions.gain_event))
        parts.append(describe_convention(of_all) if verbose else name_convention(of_all.convention))
        return [" · ".join(parts)]

    @property
    def per_session(self) -> pl.DataFrame:
        """A row for each session, a column for each measure; null where one is left out."""
        return self.tabulate()

    def groups(self, by: By = ()) -> list[dict[str, Any]]:
        """The means of groups of sessions: by one column or by several."""
        rows = []
        by = self.grouping.name if not by and self.grouping is not None else by
        for keys, flags in self.group_sessions(by):
            means = {name: finite_or_none(self.mean_of(name, flags)) for name in self.values}
            counts = {
                "sessions": int(flags.sum()),
                "queries": int(self.matched_sessions.query_counts[flags].sum()),
            }
            rows.append({**keys, **counts, **self.add_costs(means)})
        return rows

    def add_costs(self, means: Mapping[str, float | None]) -> dict[str, Any]:
        """The means, and where costs were asked for, gain per cost."""
        shares = {"per_cost": session_values.per_cost(means, self.recipes)} if self.costs else {}
        return {"mean": means, **shares}

    @property
    def costs(self) -> list[str]:
        """The measures that say what sessions cost."""
        return [name for name, recipe in self.recipes.items() if recipe.entry.is_cost]

    def group_sessions(self, by: By) -> list[Group]:
        """Each group of sessions: its values, and which belong to it; all, if by nothing."""
        return group_sessions(self.matched_sessions, by, self.name, self.values)

    def group_names(self, by: By) -> list[str]:
        """The columns to group by, each once, known, and the same for a whole session."""
        return check_group_columns(self.matched_sessions, by, self.name, self.values)

    def curve(self, name: str | None = None, by: By = ()) -> pl.DataFrame:
        """The mean vector of each group, position by position, as tidy data.

        Args:
            name: one of the measures, an sDCG or nsDCG; the first such one.
            by: the columns to group by; all sessions together if there are none.
        """
        return session_values.curve(
            self.matched_sessions, self._choose_recipe(name), self.group_sessions(by)
        )

    def vectors(self, name: str | None = None) -> pl.DataFrame:
        """The vectors of every session, position by position: gain, ideal and their ratio.

        Args:
            name: one of the measures, an sDCG or nsDCG; the first such one.
        """
        return session_values.tabulate_vectors(self.matched_sessions, self._choose_recipe(name))

    def _choose_recipe(self, name: str | None) -> SessionRecipe:
        known = None if name is None else self.find_name(name)
        return self.recipes[session_values.choose_vectors(self.recipes, known)]

    def lengths(self, by: By = ()) -> list[dict[str, Any]]:
        """How many sessions have how many queries, as in Table 2 of the paper?

        A dict for each group: its values, sessions, queries, mean queries, and `by_queries`, the
        number of sessions of 1, 2, 3 … queries, as far as the longest session of all.
        """
        counts = self.matched_sessions.query_counts
        rows = []
        for keys, flags in self.group_sessions(by):
            own = counts[flags]
            size = {"sessions": len(own), "queries": int(own.sum()), "mean": float(own.mean())}
            by_queries = {n: int((own == n).sum()) for n in range(1, int(counts.max()) + 1)}
            rows.append({**keys, **size, "by_queries": by_queries})
        return rows

    def last_queries(
        self, name: str | None = None, by: By = (), non_last: NonLast = "pooled"
    ) -> LastQueries:
        """The last query against those before it, by rank, and how often it is the best.

        Args:
            name: by the gains of which of its measures, an sDCG or nsDCG; the first such one.
            by: a column or several to group sessions by.
            non_last: all queries before the last ones together (pooled), or the mean of each
                session first (within).
        """
        groups = self.group_sessions(by)
        recipe = self._choose_recipe(name)
        return analysis.last_queries(self.matched_sessions, recipe, groups, non_last)

    def reformulations(self, name: str | None = None) -> Reformulations:
        """What each query added, and which reformulations helped most and least."""
        return analysis.reformulations(self.matched_sessions, self._choose_recipe(name))

    def recipe_data(self, name: str) -> dict[str, Any]:
        """The measure in full, and its convention."""
        recipe = self.recipes[name]
        return {
            "measure": recipe.label,
            **recipe.convention.settings(),
            "ideal": recipe.convention.ideal_kind,
            "can_pass_one": recipe.can_pass_one,
            "vector_can_pass_one": recipe.vector_can_pass_one,
        }

    def to_dict(self, by: By = ()) -> dict[str, Any]:
        """All of it as plain data."""
        means = self.mean_or_none()
        return {
            "per_session": self.values_by_id(),
            "mean": means,
            "groups": self.groups(by) if by else [],
            **self.add_costs(means),
            "convention": self.convention_data(),
            "counts": self.counts,
            "notes": list(self.notes),
        }

    def page(
        self,
        view: View = "groups",
        by: By = (),
        non_last: NonLast = "pooled",
        *,
        verbose: bool = False,
    ) -> Page:
        """Means of groups, or another view of the sessions."""
        names = [by] if isinstance(by, str) else by
        options = {"non_last": non_last} if view == "last" else {}
        answer, table = VIEWS[view](self, names, **options)
        extra = {} if view in ("groups", "per_session") else {view: table}
        return Page(
            answer=answer,
            sections=[Section(table=table)],
            notes=list_footnotes([self], verbose=verbose),
            rows=lambda: table,
            data=lambda: self.to_dict(by) | {name: rows.to_dicts() for name, rows in extra.items()},
            warnings=self.matched_sessions.notes,
        )

    def brief(self) -> Page:
        """The means of all sessions, and what one should know."""
        sessions = count_noun(self.counts["sessions"], "session")
        size = f"{sessions}, {count_noun(self.counts['queries'], 'query')}"
        return summary_page(evolve(self, name=Path(self.name).name), size, self.notes)

    def compare(
        self,
        by: str = "system",
        block: str | Sequence[str] | None = None,
        **options: Unpack[gainful.stats.MethodOptions],
    ) -> gainful.Comparison:
        """Is one system really better than another, by these sessions?

        Args:
            by: the column that names the system.
            block: the columns whose effects are removed; by default searcher and scenario, if
                present.
            **options: how systems are compared (`stats.MethodOptions`), as
                `gainful.sessions.compare` has them.
        """
        import gainful  # noqa: PLC0415

        if isinstance(by, Results):
            way = (
                "a column that names the system: put both sessions into one table, or into "
                "gainful.sessions.compare(sessions, qrels)"
            )
            raise WrongType("by", "other results", way)
        return gainful.sessions.compare(self, by=by, block=block, **options)

    def plot(self, measure: str | None = None, **options: Any) -> alt.TopLevelMixin:
        """How much do sessions gain, query by query? Figure 2 of the paper.

        Args:
            measure: one of the measures; the first nsDCG, or else the first sDCG.
            **options: of `gainful.figures.sessions`: by, interval, resamples, seed; title, width,
                height, dark.
        """
        import gainful  # noqa: PLC0415

        return gainful.figures.sessions(self, measure, **options)
