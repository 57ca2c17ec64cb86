"""A query on both sides of a switch, rank by rank: tables, and the sums they come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from gainful.evidence.reasons.rank_by_rank import QuerySide, RankByRank
from gainful.match.rankings import RankedDoc
from gainful.measure.entry import Entry
from gainful.page.page import Section
from gainful.page.table import Table, format_number
from gainful.page.to_text import text_width
from gainful.text import choose_decimals, count_noun

_COLUMNS = ("rank", "document", "score", "grade")
_GAIN_COLUMNS = ("gain", "discount", "gain ×\ndiscount")
_MIN_ID_WIDTH = 12  # characters of a document id
_SIDES = ("before", "switched")  # one setting of the other tool; it is not that tool itself


def build_sections(
    worst_query: RankByRank, entry: Entry, width: int | None = None
) -> list[Section]:
    """The worst query: its ranking on both sides, the ideal where it changes, and the sums."""
    sides = worst_query.before, worst_query.after
    labels = [f"{prefix}, {side.label}:" for prefix, side in zip(_SIDES, sides, strict=True)]
    digits, label_width = _choose_side_decimals(sides), max(map(len, labels))
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
        return [Section(lines=["The run has nothing for it."]), *ends]
    if not worst_query.judged:
        return [Section(lines=["None of its documents is judged."]), *ends]
    return [*_build_rankings(worst_query, width), *_build_ideals(worst_query), *ends]


def _choose_side_decimals(sides: tuple[QuerySide, QuerySide]) -> int:
    before, after = (side.value for side in sides)
    return 4 if before is None or after is None else choose_decimals(before - after)


def _format_sum(entry: Entry, worst_query: RankByRank, side: QuerySide, digits: int) -> str:
    """What the query comes to on one side."""
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
    if [_row_key(row) for row in before.rows] == [_row_key(row) for row in after.rows]:
        joint_table = _shorten_ids(_build_joint_table(before, after), width)
        if width is None or text_width(joint_table) <= width:
            return [Section(table=joint_table), *_format_more(before.more)]
    sections: list[Section] = []
    for side in (before, after):
        table = _shorten_ids(_build_side_table(side), width)
        sections += [Section(f"{side.label}:", table), *_format_more(side.more)]
    return sections


def _row_key(row: RankedDoc) -> tuple[Any, ...]:
    return row.rank, row.until, row.doc, row.score, row.grade


def _format_more(count: int) -> list[Section]:
    return [Section(lines=[f"… and {count_noun(count, 'more document')}"])] if count else []


def _format_cells(rows: Sequence[RankedDoc]) -> list[list[str]]:
    """Rank, document, score and grade."""
    return [
        [
            str(row.rank) if row.rank == row.until else f"{row.rank}–{row.until}",
            "(fills the list)" if row.doc is None else row.doc,
            score,
            format_number(row.grade),
        ]
        for row, score in zip(rows, _format_scores([row.score for row in rows]), strict=True)
    ]


def _format_scores(scores: Sequence[float | None]) -> list[str]:
    """Scores with as many decimals as tell them apart."""
    distinct_scores = {score for score in scores if score is not None}
    for decimals in range(16):
        texts = {f"{score:.{decimals}f}" for score in distinct_scores}
        if len(texts) == len(distinct_scores) and (
            decimals >= 4 or {*map(float, texts)} == distinct_scores
        ):
            return ["–" if score is None else f"{score:.{decimals}f}" for score in scores]
    return ["–" if score is None else repr(score) for score in scores]


def _format_gains(row: RankedDoc) -> list[str]:
    if row.gain is None or row.discount is None or row.contribution is None:
        return []
    return [format_number(row.gain), f"{row.discount:.4f}", f"{row.contribution:.4f}"]


def _build_side_table(side: QuerySide) -> Table:
    rows = [
        cells + _format_gains(row)
        for cells, row in zip(_format_cells(side.rows), side.rows, strict=True)
    ]
    column_count = len(rows[0]) if rows else len(_COLUMNS)
    return Table((*_COLUMNS, *_GAIN_COLUMNS)[:column_count], rows, numeric=True, text_columns=(1,))


def _build_joint_table(before: QuerySide, after: QuerySide) -> Table:
    """Both sides beside one another; what is the same in every row stands once."""
    columns, rows = [*_COLUMNS], _format_cells(before.rows)
    pairs = [
        (_format_gains(a), _format_gains(b)) for a, b in zip(before.rows, after.rows, strict=True)
    ]
    for at, head in enumerate(_GAIN_COLUMNS if pairs and pairs[0][0] else ()):
        same = all(a[at] == b[at] for a, b in pairs)
        columns += [head] if same else [f"{side}\n{_shorten_head(head)}" for side in _SIDES]
        for cells, (a, b) in zip(rows, pairs, strict=True):
            cells.extend([a[at]] if same else [a[at], b[at]])
    return Table(columns, rows, numeric=True, text_columns=(1,))


def _shorten_head(head: str) -> str:
    return "product" if "×" in head else head


def _build_ideals(worst_query: RankByRank) -> list[Section]:
    """The ideal rankings beside one another, where they are not the same."""
    sides = worst_query.before, worst_query.after
    if sides[0].ideal == sides[1].ideal:
        return []
    by_rank = [{row.rank: row for row in side.ideal} for side in sides]
    ranks = sorted(by_rank[0].keys() | by_rank[1].keys())
    common_ranks = by_rank[0].keys() & by_rank[1].keys()
    same_discount = all(
        by_rank[0][rank].discount == by_rank[1][rank].discount for rank in common_ranks
    )
    rows = []
    for rank in ranks:
        ideal_rows = [side.get(rank) for side in by_rank]
        discounts = [f"{row.discount:.4f}" for row in ideal_rows if row is not None]
        cells = [str(rank), *(discounts[:1] if same_discount else [])]
        for row in ideal_rows:
            discount_cells = (
                [] if same_discount else ["–" if row is None else f"{row.discount:.4f}"]
            )
            gain = "–" if row is None else format_number(row.gain)
            cells += [gain, *discount_cells, "–" if row is None else f"{row.contribution:.4f}"]
        rows.append(cells)
    per_side = ("gain", "product") if same_discount else ("gain", "discount", "product")
    heads = ["ideal\nrank", *(["discount"] if same_discount else [])]
    heads += [f"{side}\n{column}" for side in _SIDES for column in per_side]
    return [Section(table=Table(heads, rows, numeric=True)), *_format_more_ideal(sides)]


def _format_more_ideal(sides: tuple[QuerySide, QuerySide]) -> list[Section]:
    parts = [
        f"{side.more_ideal} more in the ideal {name}, which add {_ideal_remainder(side):.4f}"
        for name, side in zip(_SIDES, sides, strict=True)
        if side.more_ideal
    ]
    return [Section(lines=[f"… and {'; '.join(parts)}"], indent="  ")] if parts else []


def _ideal_remainder(side: QuerySide) -> float:
    """What the ideal has below the ranks that are shown."""
    return (side.idcg or 0.0) - sum(row.contribution or 0.0 for row in side.ideal)


def _shorten_ids(table: Table, width: int | None) -> Table:
    """Document ids cut short where the page is too narrow for them."""
    if width is None or "document" not in table.columns:
        return table
    table_width = text_width(table)
    longest = max((len(row[1]) for row in table.rows), default=0)
    id_width = max(_MIN_ID_WIDTH, longest - (table_width - width))
    if table_width <= width or longest <= id_width:
        return table
    return evolve(
        table, rows=[(row[0], _shorten_middle(row[1], id_width), *row[2:]) for row in table.rows]
    )


def _shorten_middle(text: str, width: int) -> str:
    """The beginning and the end, which tell ids apart."""
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return text[: width - 1 - end] + "…" + text[len(text) - end :]
