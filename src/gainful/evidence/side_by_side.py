"""Rankings side by side, rank by rank: of several runs, or of one under two tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from attrs import evolve, frozen

from gainful.match.rankings import RankedDoc
from gainful.measure.entry import Entry, Recipe
from gainful.measure.worked_ranking import (
    RankedQueries,
    WorkedRanking,
    doc_gains,
    tabulate_ranks,
    work_out_ranking,
)
from gainful.page.formats.text import text_width
from gainful.page.page import Section
from gainful.page.table import Table, format_number, to_plain_data
from gainful.text import choose_decimals, count_noun


@frozen
class SideBySide:
    """A query: its judged documents, and its ranking in each run; None where a run lacks it."""

    query: str
    grades: Mapping[str, float]
    gains: Mapping[str, float]  # of the judged documents, where gain is cumulated
    rankings: tuple[WorkedRanking | None, ...]


def rank_side_by_side(
    rankings: Sequence[RankedQueries], recipe: Recipe, queries: Sequence[str], most: int
) -> Iterator[SideBySide]:
    """These queries with their rankings in runs that were matched with the same judgments.

    Documents below rank `most` are counted only, unless the measure looks at them.
    """
    for query in queries:
        grades = rankings[0].grades[query]
        gains = doc_gains(recipe, grades) if recipe.entry.cumulated else {}
        sides = tuple(
            work_out_ranking(side, query, recipe, most) if query in side.by_query else None
            for side in rankings
        )
        yield SideBySide(query, grades, gains, sides)


_MAX_ROWS = 10  # rows that are spelled out


@frozen
class QuerySide:
    """A query on one side of a switch; `value` is None where it is left out of the mean."""

    label: str
    rows: tuple[RankedDoc, ...]
    more: int  # documents that are not among the rows
    ideal: tuple[RankedDoc, ...]
    more_ideal: int
    dcg: float | None
    idcg: float | None
    value: float | None


@frozen
class RankByRank:
    """A query on both sides of a switch."""

    query: str
    judged: bool
    in_run: bool
    before: QuerySide
    after: QuerySide

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data; ranks of an ideal have no documents."""
        data = to_plain_data(self)
        for side in (data["before"], data["after"]):
            side["ideal"] = [
                {name: row[name] for name in ("rank", *_GAIN_FIELDS)} for row in side["ideal"]
            ]
        return data


def describe_rank_by_rank(
    query: str,
    rankings: Sequence[RankedQueries],
    recipes: Sequence[Recipe],
    values: Sequence[float | None],
    labels: Sequence[str],
) -> RankByRank:
    """How does a query come by its value on both sides of a switch?"""
    worked = [
        work_out_ranking(side, query, recipe)
        for side, recipe in zip(rankings, recipes, strict=True)
    ]
    rows = _select_rows([ranking.rows for ranking in worked])
    ideals = _select_rows([ranking.ideal for ranking in worked])
    before, after = (
        QuerySide(label, *shown, *ideal, ranking.dcg, ranking.idcg, value)
        for label, ranking, shown, ideal, value in zip(
            labels, worked, rows, ideals, values, strict=True
        )
    )
    matched = rankings[0].matched.select_query(query)
    judged, in_run = (False, False) if matched is None else (matched.judged[0], matched.in_run[0])
    return RankByRank(query, bool(judged), bool(in_run), before, after)


def _select_rows(sides: Sequence[Sequence[Any]]) -> list[tuple[tuple[Any, ...], int]]:
    """At most ten rows of both sides, and how many more each has.

    Those that differ come first, then those that count, then the rest.
    """

    def counts(row: RankedDoc | None) -> bool:
        if row is None or row.contribution is not None:
            return row is not None and row.contribution != 0
        return (row.grade or 0) > 0

    pairs = enumerate(zip_longest(*sides))
    dullness = sorted((a == b, not (counts(a) or counts(b)), place) for place, (a, b) in pairs)
    places = sorted(place for *_, place in dullness[:_MAX_ROWS])
    kept = [tuple(side[place] for place in places if place < len(side)) for side in sides]
    return [(rows, len(side) - len(rows)) for rows, side in zip(kept, sides, strict=True)]


_DOC_FIELDS = ("rank", "doc", "score", "grade")
_GAIN_FIELDS = ("gain", "discount", "contribution")
_SIDE_COLUMNS = ("gain", "discount", "product")
_MIN_ID_WIDTH = 12  # characters of a document id
_SIDES = ("before", "switched")  # one setting of the other tool; it is not that tool itself


def build_sections(
    worst_query: RankByRank, entry: Entry, width: int | None = None
) -> list[Section]:
    """The worst query: its ranking on both sides, the ideal where it changes, and the sums."""
    sides = worst_query.before, worst_query.after
    labels = [f"{prefix}, {side.label}:" for prefix, side in zip(_SIDES, sides, strict=True)]
    change = (sides[0].value or 0.0) - (sides[1].value or 0.0)
    digits = 4 if None in (sides[0].value, sides[1].value) else choose_decimals(change)
    label_width = max(map(len, labels))
    sums = [_format_sum(entry, worst_query, side, digits) for side in sides]
    lines = list(zip(labels, sums, strict=True))
    ends = [
        Section(
            lines=[f"{label:<{label_width}} {text}" for label, text in lines]
            if width is None or label_width + 1 + max(map(len, sums)) <= width
            else [part for label, text in lines for part in (label, f"  {text}")],
            indent="  ",
            forms=("table",),
        ),
        Section(
            lines=[" ".join(f"{label} {text}".split()) for label, text in lines],
            forms=("markdown", "latex", "html"),
        ),
    ]
    if not worst_query.in_run:
        return [Section(lines=["The run has no results for it."]), *ends]
    if not worst_query.judged:
        return [Section(lines=["None of its documents is judged."]), *ends]
    return [*_build_rankings(worst_query, width), *_build_ideals(worst_query), *ends]


def _format_sum(entry: Entry, worst_query: RankByRank, side: QuerySide, digits: int) -> str:
    value = "left out of the mean" if side.value is None else f"counts as {side.value:.{digits}f}"
    if side.dcg is None or side.idcg is None or not (worst_query.in_run and worst_query.judged):
        return value
    prefix = "D" if entry.discounted else ""
    actual, best = f"{side.dcg:.{digits}f}", f"{side.idcg:.{digits}f}"
    if not entry.normalised:
        return f"{prefix}CG {actual}" if entry.gain_of == "ranking" else f"ideal {prefix}CG {best}"
    if side.idcg <= 0:
        return f"nothing is relevant (ideal {prefix}CG {format_number(side.idcg)}): {value}"
    share = f"{side.dcg / side.idcg:.{digits}f}"
    quotient = f"{prefix}CG {actual} / ideal {prefix}CG {best} = {share}"
    return quotient if value.endswith(share) else f"{quotient}, {value}"


def _build_rankings(worst_query: RankByRank, width: int | None) -> list[Section]:
    """One table where both sides have the same documents at the same ranks, else two."""
    before, after = worst_query.before, worst_query.after
    tables = [_tabulate(side) for side in (before, after)]
    if [_row_key(row) for row in before.rows] == [_row_key(row) for row in after.rows]:
        joint_table = _shorten_ids(_join_tables(*tables), width)
        if width is None or text_width(joint_table) <= width:
            return [Section(table=joint_table), *_format_more(before.more)]
    sections: list[Section] = []
    for side, table in zip((before, after), tables, strict=True):
        section = Section(f"{side.label}:", _shorten_ids(table, width))
        sections += [section, *_format_more(side.more)]
    return sections


def _row_key(row: RankedDoc) -> tuple[Any, ...]:
    return row.rank, row.until, row.doc, row.score, row.grade


def _format_more(count: int) -> list[Section]:
    return [Section(lines=[f"… and {count_noun(count, 'more document')}"])] if count else []


def _tabulate(side: QuerySide) -> Table:
    has_gains = any(row.contribution is not None for row in side.rows)
    return tabulate_ranks(side.rows, (*_DOC_FIELDS, *(_GAIN_FIELDS if has_gains else ())))


def _join_tables(before: Table, after: Table) -> Table:
    """Both sides beside one another; what is the same in every row stands once."""
    if not before.rows:
        return before
    columns, cells = list[str](), list[Sequence[str]]()
    sides = (zip(*table.rows, strict=True) for table in (before, after))
    for head, own, other in zip(before.columns, *sides, strict=True):
        name = _SIDE_COLUMNS[-1] if "\n" in head else head
        columns += [head] if own == other else [f"{side}\n{name}" for side in _SIDES]
        cells += [own] if own == other else [own, other]
    return evolve(before, columns=columns, rows=[*zip(*cells, strict=True)])


def _build_ideals(worst_query: RankByRank) -> list[Section]:
    """The ideal rankings beside one another, where they are not the same."""
    sides = worst_query.before, worst_query.after
    if sides[0].ideal == sides[1].ideal:
        return []
    by_rank = [{row.rank: row for row in side.ideal} for side in sides]
    ranks = sorted(by_rank[0].keys() | by_rank[1].keys())
    common_ranks = by_rank[0].keys() & by_rank[1].keys()
    same = all(by_rank[0][rank].discount == by_rank[1][rank].discount for rank in common_ranks)
    shown = (0, 2) if same else (0, 1, 2)
    tables = (tabulate_ranks([*side.values()], _GAIN_FIELDS) for side in by_rank)
    texts = [
        dict(zip(side, table.rows, strict=True))
        for side, table in zip(by_rank, tables, strict=True)
    ]
    rows = []
    for rank in ranks:
        cells = [side.get(rank, ["–"] * 3) for side in texts]
        discount = cells[0 if rank in by_rank[0] else 1][1]
        gains = [side[at] for side in cells for at in shown]
        rows.append([str(rank), *([discount] if same else []), *gains])
    heads = ["ideal\nrank", *(["discount"] if same else [])]
    heads += [f"{side}\n{_SIDE_COLUMNS[at]}" for side in _SIDES for at in shown]
    more = [
        f"{side.more_ideal} more in the ideal {name}, which add {rest:.4f}"
        for name, side in zip(_SIDES, sides, strict=True)
        for rest in [(side.idcg or 0.0) - sum(row.contribution or 0.0 for row in side.ideal)]
        if side.more_ideal
    ]
    lines = [Section(lines=[f"… and {'; '.join(more)}"], indent="  ")] if more else []
    return [Section(table=Table(heads, rows, numeric=True)), *lines]


def _shorten_ids(table: Table, width: int | None) -> Table:
    """Document ids cut short where the page is too narrow for them."""
    if width is None or "document" not in table.columns:
        return table
    table_width = text_width(table)
    longest = max((len(row[1]) for row in table.rows), default=0)
    id_width = max(_MIN_ID_WIDTH, longest - (table_width - width))
    if table_width <= width or longest <= id_width:
        return table
    end = (id_width - 1) // 2  # the beginning and the end tell ids apart

    def shorten(doc: str) -> str:
        return doc if len(doc) <= id_width else doc[: id_width - 1 - end] + "…" + doc[-end:]

    return evolve(table, rows=[(row[0], shorten(row[1]), *row[2:]) for row in table.rows])
