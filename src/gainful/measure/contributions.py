"""What each rank adds to the value of a measure, whichever it is: of a ranking, or of a session.

The measure is computed of the first grade alone, of the first two, and so on; what a grade adds is
the difference. Where a measure is a sum over ranks, that is its term.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, fields, frozen

from gainful.errors import NotExact
from gainful.formula import NamedFormula
from gainful.match.rankings import RankedDoc
from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import FORMULA_PARAMS, Recipe, SessionRecipe
from gainful.measure.explanation import (
    RankedQueries,
    compute_subsets,
    describe_convention,
    doc_gains,
    join_terms,
)
from gainful.measure.functions.sessions.sdcg import discounts, query_weights, session_gains
from gainful.measure.rank_matrix import Batch, rank_rows, rank_scored_rows
from gainful.measure.ranked_run import RankedRun, apply_function, compute_measure, rank_run_gains
from gainful.measure.results import ANSWER_DECIMALS
from gainful.measure.sessions.session_values import compute_session_values, joint_terms
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Column, Table, build_table, format_number, list_fields
from gainful.read.ranking_matrix import RankingMatrix
from gainful.text import count_noun, format_exact
from gainful.types import Array, Ranks, fill_masked, finite_or_none, is_number

_TOP = 10  # ranks of a query that are shown anyway; further down, only those that add something
_HOW = "adds: the value down to this rank, minus the value down to the rank before"


@frozen(kw_only=True)
class Step:
    """One rank: what its grade adds, and the value so far; of a session, its query besides."""

    query: int | None = None
    rank: int
    doc: str | None = None
    grade: float | None = None
    gain: float | None = None
    discount: float | None = None
    query_discount: float | None = None
    contribution: float
    value: float = 0.0


_COLUMNS = (
    Column("query"),
    Column("rank"),
    Column("document", "doc", is_text=True),
    Column("grade", show=format_number),
    Column("gain", show=format_number),
    Column("rank\ndiscount", "discount", ".4f", drop=1),
    Column("query\ndiscount", "query_discount", ".4f", drop=2),
    Column("adds", "contribution", ".4f"),
    Column("so far", "value", ".4f"),
)


@frozen(eq=False, repr=False)
class Contributions(Shown):
    """What each rank adds to a value; `start` is what it is before any grade is known.

    A measure to which ranks add nothing has no steps: an ideal, a count of what was retrieved, one
    that looks at scores, or that has no value of some of the grades.
    """

    recipe: Recipe | SessionRecipe
    steps: tuple[Step, ...]
    start: float
    value: float | None  # none where it is left out
    share: tuple[float, float] | None  # what was reached and what was possible
    counts: Sequence[str]  # the numbers of the formula, in words
    owner: str = ""  # the query or session, if it is one of a file
    observed: str = ""  # the action that gives gain in place of grades, such as clicked

    @property
    def field_names(self) -> list[str]:
        """What any of the steps has."""
        names = [attribute.name for attribute in fields(Step)]
        return [name for name in names if any(getattr(s, name) is not None for s in self.steps)]

    def to_dict(self) -> dict[str, Any]:
        """Rows, value and convention at full precision."""
        reached, possible = self.share or (None, None)
        return {
            "rows": self._list_rows().to_dicts(),
            "start": self.start,
            "reached": reached,
            "possible": possible,
            "value": self.value,
            "convention": describe_convention(self.recipe),
        }

    def _list_rows(self) -> Table:
        return list_fields(self.steps, 0, self.field_names) if self.steps else Table((), ())

    def page(self, *, verbose: bool = False) -> Page:
        """What it is, what each rank and query adds, the formula with its numbers put in."""
        entry, everything = self.recipe.entry, verbose or not self.owner
        shown = [s for s in self.steps if everything or s.rank <= _TOP or s.contribution]
        left_out = len(self.steps) - len(shown)
        more = [f"… and {count_noun(left_out, 'rank')} that add nothing"] if left_out else []
        known = [name for name in self.field_names if not (self.observed and name == "grade")]
        columns = [column for column in _COLUMNS if (column.value or column.head) in known]
        steps = Section(table=build_table(shown, columns, labels=0), lines=more)
        formula = [f"{entry.name}: {entry.full_definition}", *self._format_sums()]
        return Page(
            answer=self._describe_value(),
            sections=[
                *([steps, Section(lines=[_HOW])] if self.steps else []),
                *([Section(table=self._tabulate_queries())] if "query" in known else []),
                Section(lines=[*formula, f"Here: {', '.join(self.counts)}"], indent="  "),
                Section(lines=[f"Convention: {self.recipe.convention.title}"]),
            ],
            rows=self._list_rows,
            data=self.to_dict,
        )

    def _describe_value(self) -> str:
        subject = self.recipe.label + (self.owner and f" of {self.owner}")
        shown = "left out" if self.value is None else f"{self.value:.{ANSWER_DECIMALS}f}"
        if self.share is not None:
            shown += f": {' of '.join(map(format_number, self.share))} possible"
            empty = f", so empty={self.recipe.convention.empty} decides"
            shown += empty if self.share[1] == 0 else ""
        return f"{subject} is {shown}."

    def _format_sums(self) -> list[str]:
        """The sum of what ranks add, and the share of what was possible, numbers put in."""
        terms = [self.start, *(step.contribution for step in self.steps)]
        terms = [term for term in terms if term]
        sums = [join_terms(terms, format_number).replace("+ -", "− ")] if len(terms) > 1 else []
        if self.share is not None and self.share[1]:
            sums.append(" / ".join(map(format_number, self.share)))
        name, value = self.recipe.entry.name, format_number(self.value)
        return [f"{name} = {text} = {value}" for text in sums] or [f"{name} = {value}"]

    def _tabulate_queries(self) -> Table:
        """What each query of a session adds; its own DCG, where there are gains and discounts."""
        by_query: dict[int | None, list[Step]] = defaultdict(list)
        for step in self.steps:
            by_query[step.query].append(step)
        rows = [
            (
                str(query),
                sum((s.gain or 0.0) * (s.discount or 0.0) for s in steps),
                steps[0].query_discount,
                sum(s.contribution for s in steps),
                steps[-1].value,
            )
            for query, steps in by_query.items()
        ]
        table = Table(("query", "DCG", "query\ndiscount", "adds", "so far"), rows, numeric=True)
        return table if "discount" in self.field_names else table.select((0, 3, 4))


def explain_grades(
    recipe: Recipe, grades: RankingMatrix, judged: RankingMatrix | None
) -> Contributions:
    """What each grade of one ranking adds to a measure."""
    rank = rank_scored_rows if recipe.entry.needs_scores else rank_rows
    ranked = rank(recipe.convention, Batch(grades, judged=judged))
    ranks = ranked.rank.tolist()
    graded = zip(ranks, ranked.grade.tolist(), strict=True)
    rows = [RankedDoc(rank, rank, None, None, grade) for rank, grade in graded]
    return _explain_rows(recipe, ranked, rows, ranks, _take_value(compute_measure(recipe, ranked)))


def explain_query(
    recipe: Recipe, rankings: RankedQueries, query: str, value: float | None
) -> Contributions:
    """What each judged document of one query of a run adds to a measure."""
    ranked = rankings.matched.select_by_name((query,))
    grades, cumulated = rankings.grades[query], recipe.entry.cumulated
    rows = rankings.rank_docs(query, doc_gains(recipe, grades) if cumulated else grades)
    names = rankings.name_docs(query, ranked.by_id)
    return _explain_rows(recipe, ranked, rows, names, value)


def _explain_rows(
    recipe: Recipe,
    ranked: RankedRun,
    rows: Sequence[RankedDoc],
    keys: Sequence[Any],
    value: float | None,
) -> Contributions:
    """Keys say which row a judged document is: by its name, or its rank if it has none."""
    size, cumulated = len(ranked.grade), recipe.entry.cumulated
    terms = apply_function(recipe.entry.function, recipe, ranked)
    counts = _count_documents(recipe, ranked)
    if cumulated and recipe.convention.ideal == "list":  # all of the list, whichever is judged
        ranked = evolve(ranked, pool_query=ranked.query, pool_grade=ranked.grade, pool_index=None)
        judged = recipe.convention.with_settings(ideal="judged")
        recipe = evolve(recipe, convention=judged)
    try:
        values = compute_subsets(ranked, recipe, np.tri(size + 1, size, -1, dtype=bool))
    except NotExact:  # it looks at scores
        values = np.full(size + 1, np.nan)
    added: dict[Any, float] = defaultdict(float)
    for key, contribution in zip(keys, np.diff(values).tolist(), strict=True):
        added[key] += contribution
    gains = dict(zip(keys, ranked.gains(recipe.gain).tolist(), strict=True)) if cumulated else {}
    steps = [
        Step(
            rank=row.rank,
            doc=row.doc,
            grade=row.grade,
            gain=gains.get(row.doc or row.rank, 0.0) if cumulated else None,
            discount=float(recipe.discount.evaluate_at(np.arange(row.rank, row.until + 1)).mean())
            if cumulated  # of ties that are averaged, over all of their ranks
            else None,
            contribution=contribution,
        )
        for row in rows
        for contribution in [added.pop(row.doc or row.rank, 0.0)]
        if recipe.depth is None or row.rank <= recipe.depth or contribution
    ]
    share = (float(terms[0][0]), float(terms[1][0])) if isinstance(terms, tuple) else None
    return _build(recipe, steps, values, value, share, counts)


def _build(  # noqa: PLR0917  (all of one explanation)
    recipe: Recipe | SessionRecipe,
    steps: list[Step],
    values: Array,
    value: float | None,
    share: tuple[float, float] | None,
    counts: Sequence[str],
) -> Contributions:
    """Steps with the value so far; none where grades add nothing, or some have no value."""
    known = bool(np.isfinite(values).all()) and (value == 0 or np.ptp(values) > 0)
    start = float(values[0]) if known else value or 0.0
    totals = (start + np.cumsum([step.contribution for step in steps])).tolist()
    steps = [evolve(step, value=total) for step, total in zip(steps, totals, strict=True)]
    if share is not None and share[1] == 1:  # then it says no more than the value
        share = None
    return Contributions(recipe, tuple(steps) if known else (), start, value, share, counts)


def _count_documents(recipe: Recipe, ranked: RankedRun) -> list[str]:
    counts = [f"{int(ranked.retrieved[0])} retrieved", f"{len(ranked.pool_grade)} judged"]
    arguments = recipe.function_arguments()
    if "rel" in arguments:
        relevant, hits = ranked.recall_base(arguments["rel"]), ranked.relevant(arguments["rel"])
        counts += [f"{relevant[0]:g} relevant", f"{int(hits.sum())} of them retrieved"]
    if recipe.entry.cumulated:
        arguments = {"gain": recipe.gain, "discount": recipe.discount, "k": recipe.k}
        ideal = rank_run_gains(recipe, ranked).ideal.gains_by_rank(recipe.k or _TOP)[0][:_TOP]
        counts.append(f"ideal gains {' '.join(map(format_number, np.trim_zeros(ideal)))}")
    return counts + _list_parameters(arguments)


def _list_parameters(arguments: Mapping[str, Any]) -> list[str]:
    return [
        f"{name.replace('_', ' ')} = {value.text() if formula else format_exact(value)}"
        for name, value in arguments.items()
        for formula in [isinstance(value, NamedFormula)]
        if formula or is_number(value)
    ]


def explain_session(recipe: SessionRecipe, sessions: MatchedSessions) -> Contributions:
    """What each judged result of one session adds to a measure, query by query, rank by rank."""
    queries = sessions.keep_first_queries(recipe.queries)
    judged, entry = queries.judged, recipe.entry
    order = np.lexsort((judged.rank, judged.query))
    parts = [_keep_results(queries, order[:count]) for count in range(len(order) + 1)]
    values = np.array([_take_value(compute_session_values(part, recipe)) for part in parts], float)
    places = {"at": judged.row[order], "grade": judged.grade[order]}
    added = pl.DataFrame(places | {"contribution": np.diff(values)})
    steps = [Step(**row) for row in _tabulate_results(recipe, queries, added)]
    formulas = {name: getattr(recipe, name) for name in FORMULA_PARAMS if name in entry.params}
    counts = [
        count_noun(queries.position.size, "query"),
        f"{count_noun(int(queries.retrieved.sum()), 'result')}, {_count_known(queries)}",
        *(note for note in queries.notes if queries.observed and "gain: " in note),
        *_list_parameters(formulas | {"k": recipe.k}),
    ]
    value, share = finite_or_none(values[-1]), None
    if entry.has_vectors and entry.normalised and value:
        total, best = (float(terms[0]) for terms in joint_terms(queries, recipe))
        share = (total, best) if np.isclose(total, best * value) else None
    owner = f"session {sessions.session_ids[0]}"
    built = _build(recipe, steps, values, value, share, counts)
    return evolve(built, owner=owner, observed=queries.observed)


def _count_known(sessions: MatchedSessions) -> str:
    """How many results are judged; of behaviour, on how many searchers acted."""
    grades = sessions.judged.grade
    return f"{int((grades > 0).sum()) if sessions.observed else len(grades)} of them " + (
        sessions.observed or "judged"
    )


def _tabulate_results(
    recipe: SessionRecipe, sessions: MatchedSessions, added: pl.DataFrame
) -> Iterable[dict[str, Any]]:
    """Every result within depth; with gain and discounts, where the measure sums their products."""
    query = sessions.query_of_row
    table = sessions.rows.select(query=sessions.position[query], rank="rank", doc="doc")
    table = table.with_columns(at=np.arange(len(query)))
    if recipe.entry.has_vectors:
        gains, rank = session_gains(sessions, recipe), table["rank"].fill_null(1).to_numpy()
        if recipe.convention.rank_discount == "concatenated":
            rank = rank + gains.positions_before[query]
        worth = {"query": sessions.position[gains.query], "rank": gains.rank, "gain": gains.gain}
        table = table.with_columns(
            discount=discounts(recipe, rank),
            query_discount=query_weights(recipe, sessions.position[query]),
        ).join(pl.DataFrame(worth), on=["query", "rank"], how="left", maintain_order="left")
        table = table.with_columns(pl.col("gain").fill_null(0.0))
    table = table.join(added, on="at", how="left", maintain_order="left").drop("at")
    table = table.with_columns(pl.col("contribution").fill_null(0.0)).drop_nulls("doc")
    return table.filter(pl.col("rank") <= (recipe.k or pl.col("rank"))).iter_rows(named=True)


def _take_value(values: Array) -> float | None:
    return finite_or_none(float(fill_masked(values)[0]))


def _keep_results(sessions: MatchedSessions, kept: Ranks) -> MatchedSessions:
    kept, judged = np.sort(kept), sessions.judged
    parts = {name: getattr(judged, name)[kept] for name in ("query", "rank", "grade", "row")}
    return evolve(sessions, judged=evolve(judged, **parts), pool_index=sessions.pool_index[kept])
