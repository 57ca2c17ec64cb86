"""One ranking, worked out rank by rank: every number that leads to its value, and its nDCG told."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, TypeVar

import numpy as np
from attrs import evolve, frozen

from gainful.convention import CONVENTIONS
from gainful.formula import Const, Expr, Where, substitute, to_numpy, walk
from gainful.formula.renderers import to_text as as_text
from gainful.match.match import MatchedRun
from gainful.match.matched import Subtopics
from gainful.match.rank_order import ideal_order
from gainful.match.rankings import RankedDoc, Rankings, rank_documents
from gainful.match.ties import TIE_POLICIES
from gainful.measure.catalogue_page import SINGLE_LIST_SETTINGS, weigh
from gainful.measure.entry import MeasureRecipe, Recipe
from gainful.measure.evaluate import compute_measures, compute_ranked, find_view
from gainful.measure.functions.graded import (
    cumulate_gain,
    gain_curves,
    ideal_depth,
    rank_discounts,
    total_gains,
)
from gainful.measure.notes import describe_setting
from gainful.measure.rank_matrix import Batch, RankedRows, rank_row_gains, row_gains
from gainful.measure.ranked_run import (
    RankedGains,
    RankedRun,
    grade_gains,
    normalise_values,
    rank_run,
    rank_run_gains,
)
from gainful.measure.results import ANSWER_DECIMALS
from gainful.measure.values import list_values
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Column, Table, build_table, format_number, list_fields, to_plain_data
from gainful.read.ranking_matrix import RankingMatrix
from gainful.rounding import ROUNDING
from gainful.text import join_words
from gainful.types import Array, Flags, fill_masked, slices

_MAX_FILL = 1000  # ranks that fill a short list and are spelled out: all of them are alike


@frozen
class IdealRank:
    """One rank of the ideal ranking."""

    rank: int
    gain: float
    discount: float
    contribution: float


@frozen
class WorkedRanking:
    """One query of a run; sums and ideal are there where gain is cumulated."""

    rows: tuple[RankedDoc, ...]  # down to the cutoff of the measure
    below: tuple[RankedDoc, ...] = ()  # below it: they bring nothing
    ideal: tuple[IdealRank, ...] = ()
    dcg: float | None = None
    idcg: float | None = None


@frozen(eq=False)
class RankedQueries(Rankings):
    """The rankings of some queries, all of them ranked at once."""

    matched: RankedRun


def rank_queries(run: MatchedRun, recipe: Recipe, queries: Sequence[str]) -> RankedQueries:
    """Some queries of a run with their documents, at the ranks of a measure's convention."""
    rankings = rank_documents(run, recipe.convention, queries)
    convention = recipe.ranking_convention
    ranked: RankedRun | None = run.views.get(find_view(convention))  # for its values
    if ranked is None or not {*ranked.queries}.issuperset(rankings.matched.queries):
        ranked = rank_run(rankings.matched, convention)
    selected = ranked.select_by_name(queries)
    return RankedQueries(matched=selected, grades=rankings.grades, by_query=rankings.by_query)


def work_out_ranking(rankings: RankedQueries, query: str, recipe: Recipe) -> WorkedRanking:
    """Who stands where in a query, and what does that bring?"""
    grades, depth = rankings.grades[query], recipe.depth
    cumulated = recipe.entry.cumulated
    gains = doc_gains(recipe, grades) if cumulated else grades
    rows = rankings.rank_docs(query, gains)
    kept = [row for row in rows if depth is None or row.rank <= depth]
    below = tuple(rows[len(kept) :])
    ranked_query = rankings.matched.select_query(query)
    if not cumulated or ranked_query is None:
        return WorkedRanking(tuple(kept), below)
    ranked = rank_run_gains(recipe, ranked_query)
    dcg, idcg = (float(sums[0]) for sums in total_gains(ranked, recipe))
    filled = _fill_short_ranking(recipe, kept, ranked)
    weighted = tuple(_add_contributions(recipe, filled, gains))
    return WorkedRanking(weighted, below, tuple(_ideal_ranking(recipe, ranked)), dcg, idcg)


def doc_gains(recipe: Recipe, grades: Mapping[str, float]) -> dict[str, float]:
    """What each judged document of a query is worth."""
    values = np.array(list(grades.values()), dtype=np.float64)
    if recipe.convention.negative == "remove":  # they are in no ranking; a table need not know them
        values = np.maximum(values, 0.0)

    def find(_: Flags) -> tuple[str, float]:  # the evaluation has refused what is to be refused
        return "a grade", 0.0

    gains = grade_gains(values, recipe.gain, recipe.convention, find, None)
    return dict(zip(grades, gains.tolist(), strict=True))


def _fill_short_ranking(
    recipe: Recipe, rows: list[RankedDoc], ranked: RankedGains
) -> list[RankedDoc]:
    if recipe.convention.short != "minimum" or recipe.k is None:
        return rows
    fill = float(ranked.fill[0, 0])
    new = range(len(rows) + 1, min(recipe.k, len(rows) + _MAX_FILL) + 1)
    return rows + [RankedDoc(rank, rank, None, None, None, gain=fill) for rank in new]


def _add_contributions(
    recipe: Recipe, rows: list[RankedDoc], gains: Mapping[str, float]
) -> list[RankedDoc]:
    """The rows with gain, discount and their product."""
    if not rows:
        return []
    discounts = np.array(rank_discounts(recipe, max(row.until for row in rows)))
    if recipe.k is not None:
        discounts[recipe.k :] = 0.0
    grade = recipe.convention.unjudged_grade
    unjudged = 0.0 if grade is None else doc_gains(recipe, {"": grade})[""]
    weighted_rows = []
    for row in rows:
        gain = row.gain if row.doc is None else gains.get(row.doc, unjudged)
        discount = float(discounts[row.rank - 1 : row.until].mean())
        weighted_rows.append(
            evolve(row, gain=gain, discount=discount, contribution=(gain or 0) * discount)
        )
    return weighted_rows


def _ideal_ranking(recipe: Recipe, ranked: RankedGains) -> list[IdealRank]:
    """The ideal ranking, as deep as the convention has it."""
    if not (recipe.entry.normalised or recipe.entry.gain_of == "ideal"):
        return []
    depth = min(int(ideal_depth(recipe, ranked.lengths)[0, 0]), ranked.ideal.last_rank)
    if depth < 1:
        return []
    gains, discounts = ranked.ideal.gains_by_rank(depth)[0], rank_discounts(recipe, depth)
    return [
        IdealRank(rank, float(g), float(w), float(g * w))
        for rank, (g, w) in enumerate(zip(gains, discounts, strict=True), start=1)
    ]


_BATCH_DOCS = 1_000_000  # documents of all sets that are computed together


def compute_subsets(ranked: RankedRun, recipe: Recipe, members: Flags) -> Array:
    """The value of one query for each set of documents, if only these were judged.

    The others keep their ranks and earn nothing, and the pool stays whole. Not a number where the
    convention leaves the query out.
    """
    convention, entry = recipe.convention, recipe.entry
    by_grades = TIE_POLICIES[convention.ties].needs == "grades" and not entry.cumulated
    filled = convention.unjudged_grade is not None and entry.counts_gains
    moves = by_grades or filled  # who is judged changes the ranks
    batch_size = max(1, _BATCH_DOCS // (1 + len(ranked.grade) + len(ranked.pool_grade)))
    values: list[Array] = []
    for part in slices(len(members), batch_size):
        repeated = _repeat_query(ranked, members[part])
        part_values = (
            compute_measures(repeated, {"": recipe})[""]
            if moves
            else compute_ranked(evolve(repeated, convention=convention), recipe)
        )
        values.append(fill_masked(part_values))
    return np.concatenate(values)


def _repeat_query(ranked: RankedRun, members: Flags) -> RankedRun:
    """The one query for each set of its documents, which alone are judged in it."""
    size, pool_size = len(members), len(ranked.pool_grade)
    set_number, hit = np.nonzero(members)
    return evolve(
        ranked,
        queries=[*ranked.queries] * size,
        judged=np.repeat(ranked.judged, size),
        in_run=np.repeat(ranked.in_run, size),
        retrieved=np.repeat(ranked.retrieved, size),
        pool_query=np.repeat(np.arange(size), pool_size),
        pool_grade=np.tile(ranked.pool_grade, size),
        query=set_number,
        grade=ranked.grade[hit],
        pool_index=None
        if ranked.pool_index is None
        else ranked.pool_index[hit] + pool_size * set_number,
        subtopics=None
        if ranked.subtopics is None
        else _tile_subtopics(ranked.subtopics, size, pool_size),
        filtered=None,
        **{name: getattr(ranked, name)[hit] for name in ranked.rank_fields},
    )


def _tile_subtopics(subtopics: Subtopics, size: int, pool_size: int) -> Subtopics:
    offset = np.repeat(pool_size * np.arange(size), len(subtopics.doc))
    return Subtopics(
        doc=np.tile(subtopics.doc, size) + offset,
        subtopic=np.tile(subtopics.subtopic, size),
        grade=np.tile(subtopics.grade, size),
    )


_COLUMNS = (  # of nDCG; nCG has no discount
    Column("rank"),
    Column("grade", show=format_number),
    Column("gain", show=format_number),
    Column("discount", show=".4f"),
    Column("gain ×\ndiscount", "contribution", ".4f", drop=3),
    Column("CG", "cg", format_number, drop=1),
    Column("DCG", "dcg", ".4f"),
    Column("ideal\ngrade", "ideal_grade", format_number, drop=2),
    Column("IDCG", "idcg", ".4f", drop=4),
    Column("nDCG", "ndcg", ".4f"),
)
_NCG_COLUMNS = tuple(
    evolve(column, head=column.head.replace("DCG", "CG"))
    for column in _COLUMNS
    if column.value not in ("contribution", "cg") and column.head != "discount"
)
_MAX_TERMS = 4  # terms of a sum that are written out
Term = TypeVar("Term")
_MAX_MOVES = 2  # documents that a sentence says should stand elsewhere


@frozen
class Line:
    """One rank of the worked table; None where there is no document."""

    rank: int
    grade: float | None
    gain: float
    discount: float
    contribution: float
    cg: float
    dcg: float
    ideal_grade: float | None
    idcg: float
    ndcg: float | None


@frozen(eq=False, repr=False)
class Explanation(Shown):
    """The worked table of one ranking; `value` is its nDCG, None where it is left out."""

    recipe: Recipe
    grades: tuple[float, ...]
    judged: tuple[float, ...] | None
    ideal: tuple[tuple[float, float], ...]  # grade and gain of what the IDCG is made of
    lines: tuple[Line, ...]
    value: float | None

    def to_dict(self) -> dict[str, Any]:
        """Rows, value and convention at full precision."""
        return {
            "rows": [to_plain_data(line) for line in self.lines],
            "value": self.value,
            "convention": describe_convention(self.recipe),
        }

    def page(self, *, verbose: bool = False) -> Page:
        """Why it is not 1, the worked table, the formulas; the whole convention if `verbose`."""
        sums = [f"{name:<4} = {terms}" for name, terms in format_sums(self)]
        settings = _describe_settings(self) if verbose else []
        columns = _COLUMNS if self.recipe.entry.discounted else _NCG_COLUMNS
        return Page(
            answer=describe_misplaced(self),
            sections=[
                Section(table=build_table(self.lines, columns, labels=0)),
                Section(lines=sums, indent=" " * len("IDCG = ")),
                *(Section(lines=[f"Note: {note}"]) for note in list_notes(self)),
                Section(lines=[f"Convention: {_format_title(self)}"]),
                *([Section(table=Table(("", ""), settings))] if settings else []),
            ],
            rows=lambda: list_fields(self.lines, labels=0),
            data=self.to_dict,
        )


def describe_convention(recipe: MeasureRecipe[Any]) -> dict[str, Any]:
    """Whose settings, each of them, and the cutoff, as data."""
    settings: dict[str, Any] = recipe.convention.settings()
    return {"like": recipe.convention.name} | settings | {"cutoff": recipe.k}


def explain_ranking(
    recipe: Recipe, grades: RankingMatrix, judged: RankingMatrix | None
) -> Explanation:
    """Every number that leads to the nDCG or nCG of one ranking, by a recipe."""
    ranked = rank_row_gains(recipe, Batch(grades, judged=judged))
    ideal = _ideal_order(recipe, ranked.source)
    value = normalise_values(recipe, *total_gains(ranked, recipe))
    return Explanation(
        recipe,
        _as_tuple(ranked.grades),
        None if judged is None else _as_tuple(judged),
        tuple(ideal[: int(ideal_depth(recipe, ranked.lengths)[0, 0])]),
        _build_lines(recipe, ideal, ranked),
        list_values(value)[0],
    )


def _build_lines(
    recipe: Recipe, ideal: list[tuple[float, float]], ranked: RankedRows
) -> tuple[Line, ...]:
    grades = _as_tuple(ranked.grades)
    deepest = max(1, len(grades), len(ideal))
    if recipe.convention.short == "minimum" or (recipe.k is not None and recipe.k < deepest):
        deepest = recipe.k or deepest
    # This refuses what is too deep.
    dcg, idcg = (curve[0] for curve in gain_curves(ranked, evolve(recipe, k=deepest)))
    gains, discounts = ranked.gain_by_rank(deepest)[0], rank_discounts(recipe, deepest)
    filling = ranked.filling
    rest = None if filling is None else float(filling.values[0, 0])
    columns = (
        range(1, deepest + 1),
        [*grades, *[rest] * (deepest - len(grades))],
        *(part.tolist() for part in (gains, discounts, gains * discounts)),
        *(part.tolist() for part in (cumulate_gain(gains), dcg)),
        [*[grade for grade, _ in ideal], *[None] * (deepest - len(ideal))],
        *map(list_values, (idcg, normalise_values(recipe, dcg, idcg))),
    )
    return tuple(starmap(Line, zip(*columns, strict=False)))


def _ideal_order(recipe: Recipe, source: RankingMatrix) -> list[tuple[float, float]]:
    """Grade and gain in the ideal order; it stops before negative gains unless told otherwise."""
    gains = row_gains(recipe, source, "judged")[0]
    order = ideal_order(np.zeros(len(gains), dtype=np.intp), gains, source.values[0])
    with_negative = recipe.convention.negative == "in_ideal"
    return [
        (float(source.values[0][index]), float(gains[index]))
        for index in order
        if index < source.lengths[0] and (with_negative or gains[index] >= 0)
    ]


def _as_tuple(table: RankingMatrix) -> tuple[float, ...]:
    return tuple(float(value) for value in table.values[0][: table.lengths[0]])


def describe_misplaced(explanation: Explanation) -> str:
    """Why the value is not 1: which documents should rank higher."""
    label, value, last = explanation.recipe.label, explanation.value, explanation.lines[-1]
    if value is None:
        return f"{label} is left out: no document has a gain."
    head = f"{label} is {value:.{ANSWER_DECIMALS}f}"
    if last.idcg <= 0:
        return f"{head}: no document has a gain."
    if abs(value - 1) <= ROUNDING:
        return f"{label} is 1: no ranking would be better."
    if value > 1:
        return f"{head}, above 1: the ranking gains more than its ideal."
    moves = [*_list_misplaced(explanation)]
    reason = f"the ranking gains {last.dcg:.4f} where {last.idcg:.4f} was possible"
    if moves:
        reason = join_words(moves[:_MAX_MOVES])
        reason += f", and {len(moves) - _MAX_MOVES} more" if len(moves) > _MAX_MOVES else ""
    return f"{head}, not 1: {reason}."


def _list_misplaced(explanation: Explanation) -> Iterator[str]:
    """The documents that the ideal has further up, and those that were not retrieved."""
    gain_of_grade = {line.grade: line.gain for line in explanation.lines if line.grade is not None}
    gain_of_grade |= dict(explanation.ideal)
    ranks_by_gain: dict[float, deque[int]] = {}
    for rank, grade in enumerate(explanation.grades, start=1):
        if grade in gain_of_grade:
            ranks_by_gain.setdefault(gain_of_grade[grade], deque()).append(rank)
    for best_rank, (grade, gain) in enumerate(explanation.ideal, start=1):
        ranks = ranks_by_gain.get(gain)
        if not ranks and gain > 0:
            yield f"a {format_number(grade)} is missing that should be at rank {best_rank}"
        elif ranks and (rank := ranks.popleft()) > best_rank:
            shown = format_number(explanation.grades[rank - 1])
            yield f"the {shown} at rank {rank} should be at rank {best_rank}"


def list_notes(explanation: Explanation) -> list[str]:
    """What a reader might stumble over."""
    if explanation.judged is None:
        return []
    lacking = Counter(grade for grade in explanation.grades if grade > 0) - Counter(
        explanation.judged
    )
    if not lacking:
        return []
    grades = [format_number(grade) for grade in sorted(lacking.elements(), reverse=True)]
    missing = ", ".join(grades[:_MAX_TERMS] + ["…"] * (len(grades) > _MAX_TERMS))
    return [f"the ranking has grades that the judged documents lack ({missing}): nDCG can exceed 1"]


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
    prefix = "" if recipe.convention.name == "gainful" else f"like {recipe.convention.name}: "
    note = f" ({recipe.convention.note})" if recipe.convention.note else ""
    cut = ["k"] if recipe.cutoff is not None else []
    pool = ["judged"] if explanation.judged is not None else []
    changed_settings = [*recipe.explicit, *cut, *pool]
    return (
        prefix
        + recipe.convention.title
        + note
        + (f"; set here: {', '.join(changed_settings)}" if changed_settings else "")
    )


def format_sums(explanation: Explanation) -> list[tuple[str, str]]:
    """nDCG, DCG and IDCG with the numbers put in."""
    last = explanation.lines[-1]
    dcg, idcg = f"{last.dcg:.4f}", f"{last.idcg:.4f}"
    ranking_terms = [
        (line.rank, line.grade, line.gain) for line in explanation.lines if line.grade is not None
    ]
    ideal_terms = [
        (rank, grade, gain) for rank, (grade, gain) in enumerate(explanation.ideal, start=1)
    ]
    cg = "DCG" if explanation.recipe.entry.discounted else "CG"
    return [
        (f"n{cg}", f"{cg}/I{cg} = {dcg}/{idcg} = {_format_outcome(explanation)}"),
        (cg, f"{_format_sum(explanation.recipe, ranking_terms)} = {dcg}"),
        (f"I{cg}", f"{_format_sum(explanation.recipe, ideal_terms)} = {idcg}"),
    ]


def _format_outcome(explanation: Explanation) -> str:
    last, convention = explanation.lines[-1], explanation.recipe.convention
    empty = last.idcg == 0 or (last.idcg < 0 and convention.negative_ideal == "empty")
    value = "left out" if explanation.value is None else f"{explanation.value:.4f}"
    reason = f" (the ideal is not above 0: empty={convention.empty})" if empty else ""
    if last.idcg == 0 != last.dcg and convention.negative_ideal == "divide_or_dcg":
        reason = " (the ideal is 0: the DCG)"
    return value + reason


def _format_sum(recipe: Recipe, terms: Sequence[tuple[int, float, float]]) -> str:
    return join_terms(terms, lambda term: as_text(_build_term(recipe, *term))) or "0"


def join_terms(terms: Sequence[Term], write: Callable[[Term], str]) -> str:
    """A sum in which only the first few terms and the last are written out."""
    if len(terms) <= _MAX_TERMS:
        return " + ".join(map(write, terms))
    return " + ".join([*map(write, terms[: _MAX_TERMS - 1]), "…", write(terms[-1])])


def _build_term(recipe: Recipe, rank: int, grade: float, gain: float) -> Expr:
    """Gain × discount of one document, written as the formula with its numbers put in."""
    gain_expression = substitute(recipe.gain.expr_with_values, {"g": grade})
    has_cases = any(isinstance(node, Where) for node in walk(gain_expression))
    if has_cases or to_numpy(gain_expression, {}) != gain:  # or the convention changed the grade
        gain_expression = Const(gain)
    return weigh(gain_expression, substitute(recipe.discount.expr_with_values, {"i": rank}))
