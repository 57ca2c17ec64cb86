"""How a value comes about: the worked table of nDCG, and what each rank adds to any measure.

What a rank adds is found by computing the measure of the first grade alone, of the first two, and
so on: it is the difference. Where a measure is a sum over ranks, that is its term.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention import CONVENTIONS
from gainful.errors import NotExact
from gainful.formula import Const, Expr, NamedFormula, Where, substitute, to_numpy, walk
from gainful.formula.renderers import to_text as as_text
from gainful.match.rank_order import ideal_order
from gainful.match.rankings import RankedDoc
from gainful.match.sessions import MatchedSessions
from gainful.measure.catalogue_page import SINGLE_LIST_SETTINGS, weigh
from gainful.measure.entry import FORMULA_PARAMS, MeasureRecipe, Recipe, SessionRecipe
from gainful.measure.functions.graded import cumulate_gain, gain_curves, rank_discounts, total_gains
from gainful.measure.functions.sessions.sdcg import discounts, query_weights, session_gains
from gainful.measure.notes import describe_setting
from gainful.measure.rank_matrix import (
    Batch,
    rank_row_gains,
    rank_rows,
    rank_scored_rows,
    row_gains,
)
from gainful.measure.ranked_run import (
    RankedRun,
    apply_function,
    compute_measure,
    normalise_values,
    rank_run_gains,
)
from gainful.measure.results import ANSWER_DECIMALS
from gainful.measure.sessions.session_values import compute_session_values, joint_terms
from gainful.measure.values import list_values
from gainful.measure.worked_ranking import (
    RANK_COLUMNS,
    RankedQueries,
    WorkedRank,
    compute_subsets,
    tabulate_ranks,
    weigh_rows,
    work_out_ideal,
)
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table, format_number, list_fields
from gainful.read.ranking_matrix import RankingMatrix
from gainful.rounding import ROUNDING
from gainful.text import count_noun, format_exact, join_words
from gainful.types import Array, Ranks, fill_masked, finite_or_none, is_number

_FIELDS = (
    *("rank", "grade", "gain", "discount", "contribution", "cg"),
    *("dcg", "ideal_grade", "idcg", "ndcg"),
)
_NCG_HEADS = {"dcg": "CG", "idcg": "ICG", "ndcg": "nCG"}
_EXPENDABLE = ("cg", "ideal_grade", "contribution", "idcg")
_MAX_TERMS = 4  # terms of a sum that are written out
Term = TypeVar("Term")
_MAX_MOVES = 2  # documents that a sentence says should stand elsewhere


@frozen(eq=False, repr=False)
class Explanation(Shown):
    """The worked table of one ranking; `value` is its nDCG, None where it is left out."""

    recipe: Recipe
    grades: tuple[float, ...]
    judged: tuple[float, ...] | None
    ideal: tuple[RankedDoc, ...]  # what the IDCG is made of
    lines: tuple[WorkedRank, ...]
    dcg: float
    idcg: float
    value: float | None

    def _list_rows(self) -> Table:
        return list_fields(self.lines, 0, _FIELDS)

    def to_dict(self) -> dict[str, Any]:
        """Rows, value and convention at full precision."""
        return {
            "rows": self._list_rows().to_dicts(),
            "value": self.value,
            "convention": _convention_to_dict(self.recipe),
        }

    def page(self, *, verbose: bool = False) -> Page:
        """Why it is not 1, the worked table, the formulas; the whole convention if `verbose`."""
        sums = [f"{name:<4} = {terms}" for name, terms in format_sums(self)]
        settings = _describe_settings(self) if verbose else []
        names, heads = {*_FIELDS}, dict[str, str]()
        if not self.recipe.entry.discounted:  # of nCG
            names, heads = names - {"discount", "contribution", "cg"}, _NCG_HEADS
        return Page(
            answer=_describe_misplaced(self),
            sections=[
                Section(table=tabulate_ranks(self.lines, names, heads, _EXPENDABLE)),
                Section(lines=sums, indent=" " * len("IDCG = ")),
                *(Section(lines=[f"Note: {note}"]) for note in _list_notes(self)),
                Section(lines=[f"Convention: {_format_title(self)}"]),
                *([Section(table=Table(("", ""), settings))] if settings else []),
            ],
            rows=self._list_rows,
            data=self.to_dict,
        )


def _convention_to_dict(recipe: MeasureRecipe[Any]) -> dict[str, Any]:
    convention = recipe.convention
    return {"like": convention.name, **convention.settings(), "cutoff": recipe.k}


def explain_ranking(
    recipe: Recipe, grades: RankingMatrix, judged: RankingMatrix | None
) -> Explanation:
    """Every number that leads to the nDCG or nCG of one ranking, by a recipe."""
    ranked = rank_row_gains(recipe, Batch(grades, judged=judged))
    value = normalise_values(recipe, *total_gains(ranked, recipe))
    own, ideal = _as_tuple(ranked.grades), _order_ideal(recipe, ranked.source)
    deepest = max(1, len(own), len(ideal))
    if recipe.convention.short == "minimum" or (recipe.k is not None and recipe.k < deepest):
        deepest = recipe.k or deepest
    # This refuses what is too deep.
    dcg, idcg = (curve[0] for curve in gain_curves(ranked, evolve(recipe, k=deepest)))
    gains, discounts = ranked.gain_by_rank(deepest)[0], rank_discounts(recipe, deepest)
    rest = None if ranked.filling is None else float(ranked.filling.values[0, 0])
    columns: dict[str, Iterable[Any]] = {
        "rank": range(1, deepest + 1),
        "until": range(1, deepest + 1),
        "grade": [*own, *[rest] * (deepest - len(own))],
        "gain": gains.tolist(),
        "discount": discounts.tolist(),
        "contribution": (gains * discounts).tolist(),
        "cg": cumulate_gain(gains).tolist(),
        "dcg": dcg.tolist(),
        "ideal_grade": [*ideal, *[None] * (deepest - len(ideal))],
        "idcg": list_values(idcg),
        "ndcg": list_values(normalise_values(recipe, dcg, idcg)),
    }
    rows = zip(*columns.values(), strict=False)
    return Explanation(
        recipe,
        own,
        None if judged is None else _as_tuple(judged),
        work_out_ideal(recipe, ranked, ideal),
        tuple(WorkedRank(**dict(zip(columns, row, strict=True))) for row in rows),
        float(dcg[-1]),
        float(idcg[-1]),
        list_values(value)[0],
    )


def _order_ideal(recipe: Recipe, source: RankingMatrix) -> list[float]:
    """Grades in the ideal order; it stops before negative gains unless told otherwise."""
    gains, grades = row_gains(recipe, source, "judged")[0], source.values[0]
    order = ideal_order(np.zeros(len(gains), dtype=np.intp), gains, grades)
    kept = (gains >= 0) | (recipe.convention.negative == "in_ideal")
    kept[source.lengths[0] :] = False
    return [float(grade) for grade in grades[order[kept[order]]]]


def _as_tuple(table: RankingMatrix) -> tuple[float, ...]:
    return tuple(float(value) for value in table.values[0][: table.lengths[0]])


def _describe_misplaced(explanation: Explanation) -> str:
    """Why the value is not 1: which documents should rank higher."""
    label, value, best = explanation.recipe.label, explanation.value, explanation.idcg
    if value is None:
        return f"{label} is left out: no document has a gain."
    head = f"{label} is {value:.{ANSWER_DECIMALS}f}"
    if best <= 0:
        return f"{head}: no document has a gain."
    if abs(value - 1) <= ROUNDING:
        return f"{label} is 1: no ranking would be better."
    if value > 1:
        return f"{head}, above 1: the ranking gains more than its ideal."
    moves = [*_list_misplaced(explanation)]
    reason = f"the ranking gains {explanation.dcg:.4f} where {best:.4f} was possible"
    if moves:
        reason = join_words(moves[:_MAX_MOVES])
        reason += f", and {len(moves) - _MAX_MOVES} more" if len(moves) > _MAX_MOVES else ""
    return f"{head}, not 1: {reason}."


def _list_misplaced(explanation: Explanation) -> Iterator[str]:
    """The documents that the ideal has further up, and those that were not retrieved."""
    rows = [*explanation.lines, *explanation.ideal]
    gain_of_grade = {row.grade: row.gain for row in rows if row.grade is not None}
    ranks_by_gain: dict[float | None, deque[int]] = {}
    for rank, grade in enumerate(explanation.grades, start=1):
        if grade in gain_of_grade:
            ranks_by_gain.setdefault(gain_of_grade[grade], deque()).append(rank)
    for best in explanation.ideal:
        ranks = ranks_by_gain.get(best.gain)
        if not ranks and (best.gain or 0) > 0:
            yield f"a {format_number(best.grade)} is missing that should be at rank {best.rank}"
        elif ranks and (rank := ranks.popleft()) > best.rank:
            shown = format_number(explanation.grades[rank - 1])
            yield f"the {shown} at rank {rank} should be at rank {best.rank}"


def _list_notes(explanation: Explanation) -> list[str]:
    if explanation.judged is None:
        return []
    gained = Counter(grade for grade in explanation.grades if grade > 0)
    lacking = gained - Counter(explanation.judged)
    if not lacking:
        return []
    grades = [format_number(grade) for grade in sorted(lacking.elements(), reverse=True)]
    missing = ", ".join(grades[:_MAX_TERMS] + ["…"] * (len(grades) > _MAX_TERMS))
    problem = f"the ranking has grades that the judged documents lack ({missing})"
    return [f"{problem}: {explanation.recipe.entry.name} can exceed 1"]


def _describe_settings(explanation: Explanation) -> list[tuple[str, str]]:
    """The settings that matter for one list, as they came out for this one."""
    recipe = explanation.recipe
    answers = {setting: describe_setting(recipe, setting) for setting in SINGLE_LIST_SETTINGS}
    named_convention = CONVENTIONS.get(recipe.convention.name, recipe.convention)
    if explanation.judged is None and named_convention.ideal == "judged":
        answers["ideal"] += ", as no judged documents were given"
    if (
        explanation.judged is not None
        and named_convention.ideal == "list"
        and recipe.convention.ideal == "judged"
    ):
        answers["ideal"] += f", as given; {named_convention.title} itself uses only the list"
    if recipe.k is None and recipe.convention.ideal_depth == "k":
        count = len(explanation.ideal)
        answers["ideal_depth"] = f"not cut, as no k is set: {count} document{'s' * (count != 1)}"
    return list(answers.items())


def _format_title(explanation: Explanation) -> str:
    """Whose convention it is, and what was set otherwise."""
    recipe = explanation.recipe
    convention, changed_settings = recipe.convention, [*recipe.explicit]
    changed_settings += ["k"] if recipe.cutoff is not None else []
    changed_settings += ["judged"] if explanation.judged is not None else []
    prefix = "" if convention.name == "gainful" else f"like {convention.name}: "
    note = f" ({convention.note})" if convention.note else ""
    changes = f"; set here: {', '.join(changed_settings)}" if changed_settings else ""
    return prefix + convention.title + note + changes


def format_sums(explanation: Explanation) -> list[tuple[str, str]]:
    """nDCG, DCG and IDCG with the numbers put in."""
    recipe, lines = explanation.recipe, explanation.lines
    dcg, idcg, convention = explanation.dcg, explanation.idcg, recipe.convention
    outcome = "left out" if explanation.value is None else f"{explanation.value:.4f}"
    if idcg == 0 != dcg and convention.negative_ideal == "divide_or_dcg":
        outcome += " (the ideal is 0: the DCG)"
    elif idcg == 0 or (idcg < 0 and convention.negative_ideal == "empty"):
        outcome += f" (the ideal is not above 0: empty={convention.empty})"
    cg = "DCG" if recipe.entry.discounted else "CG"
    terms = _format_sum(recipe, [line for line in lines if line.grade is not None])
    return [
        (f"n{cg}", f"{cg}/I{cg} = {dcg:.4f}/{idcg:.4f} = {outcome}"),
        (cg, f"{terms} = {dcg:.4f}"),
        (f"I{cg}", f"{_format_sum(recipe, explanation.ideal)} = {idcg:.4f}"),
    ]


def _format_sum(recipe: Recipe, rows: Sequence[RankedDoc]) -> str:
    return _join_terms(rows, lambda row: as_text(_build_term(recipe, row))) or "0"


def _join_terms(terms: Sequence[Term], write: Callable[[Term], str]) -> str:
    """A sum in which only the first few terms and the last are written out."""
    if len(terms) <= _MAX_TERMS:
        return " + ".join(map(write, terms))
    return " + ".join([*map(write, terms[: _MAX_TERMS - 1]), "…", write(terms[-1])])


def _build_term(recipe: Recipe, row: RankedDoc) -> Expr:
    """Gain × discount of one document, written as the formula with its numbers put in."""
    gain = row.gain or 0.0
    gain_expression = substitute(recipe.gain.expr_with_values, {"g": row.grade or 0.0})
    has_cases = any(isinstance(node, Where) for node in walk(gain_expression))
    if has_cases or to_numpy(gain_expression, {}) != gain:  # or the convention changed the grade
        gain_expression = Const(gain)
    return weigh(gain_expression, substitute(recipe.discount.expr_with_values, {"i": row.rank}))


_TOP = 10  # ranks of a query that are shown anyway; further down, only those that add something
_HOW = "adds: the value down to this rank, minus the value down to the rank before"
_ADDED_HEADS = {"discount": "rank\ndiscount", "contribution": "adds"}


@frozen(eq=False, repr=False)
class Contributions(Shown):
    """What each rank adds to a value; `start` is what it is before any grade is known.

    A measure to which ranks add nothing has no steps: an ideal, a count of what was retrieved, one
    that looks at scores, or that has no value of some of the grades.
    """

    recipe: Recipe | SessionRecipe
    steps: tuple[WorkedRank, ...]
    start: float
    value: float | None  # none where it is left out
    share: tuple[float, float] | None  # what was reached and what was possible
    counts: Sequence[str]  # the numbers of the formula, in words
    owner: str = ""  # the query or session, if it is one of a file
    gain_event: str = ""  # the action that gives gain in place of grades, such as clicked

    @property
    def field_names(self) -> list[str]:
        """What any of the steps has."""
        steps = self.steps
        return [name for name in RANK_COLUMNS if any(getattr(s, name) is not None for s in steps)]

    def to_dict(self) -> dict[str, Any]:
        """Rows, value and convention at full precision."""
        reached, possible = self.share or (None, None)
        return {
            "rows": self._list_rows().to_dicts(),
            "start": self.start,
            "reached": reached,
            "possible": possible,
            "value": self.value,
            "convention": _convention_to_dict(self.recipe),
        }

    def _list_rows(self) -> Table:
        return list_fields(self.steps, 0, self.field_names) if self.steps else Table((), ())

    def page(self, *, verbose: bool = False) -> Page:
        """What it is, what each rank and query adds, the formula with its numbers put in."""
        entry, everything = self.recipe.entry, verbose or not self.owner
        shown = [s for s in self.steps if everything or s.rank <= _TOP or s.contribution]
        left_out = len(self.steps) - len(shown)
        more = [f"… and {count_noun(left_out, 'rank')} that add nothing"] if left_out else []
        known = [name for name in self.field_names if not (self.gain_event and name == "grade")]
        table = tabulate_ranks(shown, known, _ADDED_HEADS, ("discount", "query_discount"))
        steps = Section(table=table, lines=more)
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
        sums = [_join_terms(terms, format_number).replace("+ -", "− ")] if len(terms) > 1 else []
        if self.share is not None and self.share[1]:
            sums.append(" / ".join(map(format_number, self.share)))
        name, value = self.recipe.entry.name, format_number(self.value)
        return [f"{name} = {text} = {value}" for text in sums] or [f"{name} = {value}"]

    def _tabulate_queries(self) -> Table:
        """What each query of a session adds; its own DCG, where there are gains and discounts."""
        by_query: dict[int | None, list[WorkedRank]] = defaultdict(list)
        for step in self.steps:
            by_query[step.query].append(step)
        rows = [
            (
                str(query),
                sum((s.gain or 0.0) * (s.discount or 0.0) for s in steps),
                steps[0].query_discount,
                sum(s.contribution or 0.0 for s in steps),
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
    rows = [RankedDoc(rank, rank, grade=grade) for rank, grade in graded]
    return _explain_rows(recipe, ranked, rows, ranks, _take_value(compute_measure(recipe, ranked)))


def explain_query(
    recipe: Recipe, rankings: RankedQueries, query: str, value: float | None
) -> Contributions:
    """What each judged document of one query of a run adds to a measure."""
    ranked, names = rankings.select_named(query)
    return _explain_rows(recipe, ranked, rankings.rank_query(query, recipe), names, value)


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
    if cumulated:
        gains = ranked.gains(recipe.gain).tolist()
        weigh_rows(recipe, rows, dict(zip(keys, gains, strict=True)), 0.0)
    steps = [
        WorkedRank(
            rank=row.rank,
            until=row.rank,
            doc=row.doc,
            grade=row.grade,
            gain=row.gain,
            discount=row.discount,
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
    steps: list[WorkedRank],
    values: Array,
    value: float | None,
    share: tuple[float, float] | None,
    counts: Sequence[str],
) -> Contributions:
    """Steps with the value so far; none where grades add nothing, or some have no value."""
    known = bool(np.isfinite(values).all()) and (value == 0 or np.ptp(values) > 0)
    start = float(values[0]) if known else value or 0.0
    totals = (start + np.cumsum([step.contribution for step in steps])).tolist()
    for step, total in zip(steps, totals, strict=True):
        step.value = total
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
    rows = _tabulate_results(recipe, queries, added)
    steps = [WorkedRank(until=row["rank"], **row) for row in rows]
    formulas = {name: getattr(recipe, name) for name in FORMULA_PARAMS if name in entry.params}
    counts = [
        count_noun(queries.position.size, "query"),
        f"{count_noun(int(queries.retrieved.sum()), 'result')}, {_count_known(queries)}",
        *(note for note in queries.notes if queries.gain_event and "gain: " in note),
        *_list_parameters(formulas | {"k": recipe.k}),
    ]
    value, share = finite_or_none(values[-1]), None
    if entry.has_vectors and entry.normalised and value:
        total, best = (float(terms[0]) for terms in joint_terms(queries, recipe))
        share = (total, best) if np.isclose(total, best * value) else None
    owner = f"session {sessions.session_ids[0]}"
    built = _build(recipe, steps, values, value, share, counts)
    return evolve(built, owner=owner, gain_event=queries.gain_event)


def _count_known(sessions: MatchedSessions) -> str:
    """How many results are judged; of behaviour, on how many searchers acted."""
    grades = sessions.judged.grade
    return f"{int((grades > 0).sum()) if sessions.gain_event else len(grades)} of them " + (
        sessions.gain_event or "judged"
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
