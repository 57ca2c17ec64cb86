"""A query on both sides of a switch, rank by rank: tables, and the sums they come to."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any

from attrs import evolve

from gainful.errors import counted
from gainful.evidence.moves.ranked_query import Row
from gainful.evidence.reasons.rank_by_rank import Side, Spelled
from gainful.measure.entry import Entry
from gainful.show import table as tables
from gainful.show.table import Table, Terminal, number

Block = str | tuple[str, Table]  # a table has a line above it, or none

_COLUMNS = ("rank", "document", "score", "grade")
_WORTH = ("gain", "discount", "gain ×\ndiscount")
SEEN = 5e-5  # what four decimals can show
_NARROWEST = 12  # characters of a document id


_SIDES = ("before", "switched")  # one habit of the other tool; it is not that tool itself


def blocks(worst: Spelled, entry: Entry, width: int | None = None) -> list[Block]:
    """The worst query: its ranking on both sides, the ideal where it changes, and the sums."""
    sides = worst.before, worst.after
    wide = max(len(sides[0].label) + 9, len(sides[1].label) + 11)
    sums = "\n".join(
        f"{told + side.label + ':':<{wide}} {_sum(entry, worst, side, _precision(sides))}"
        for told, side in zip(("before, ", "switched, "), sides, strict=True)
    )
    if not worst.found:
        return ["The run has nothing for it.", sums]
    if not worst.judged:
        return ["None of its documents is judged.", sums]
    return [*_rankings(worst, width), *_ideals(worst), sums]


def decimals(change: float) -> int:
    """Four decimals, or as many as a smaller change needs to be seen."""
    return 4 if abs(change) >= SEEN or not change else min(12, 1 - floor(log10(abs(change))))


def _precision(sides: tuple[Side, Side]) -> int:
    a, b = (side.value for side in sides)
    return 4 if a is None or b is None else decimals(a - b)


def _sum(entry: Entry, worst: Spelled, side: Side, digits: int) -> str:
    """What the query comes to on one side."""
    value = "left out of the mean" if side.value is None else f"counts as {side.value:.{digits}f}"
    if side.dcg is None or side.idcg is None or not (worst.found and worst.judged):
        return value
    d = "D" if entry.discounted else ""
    actual, best = f"{side.dcg:.{digits}f}", f"{side.idcg:.{digits}f}"
    if not entry.normalised:
        return f"{d}CG {actual}" if entry.of == "ranking" else f"ideal {d}CG {best}"
    if side.idcg <= 0:
        return f"nothing is relevant (ideal {d}CG {number(side.idcg)}): {value}"
    share = f"{side.dcg / side.idcg:.{digits}f}"
    told = f"{d}CG {actual} / ideal {d}CG {best} = {share}"
    return told if value.endswith(share) else f"{told}, {value}"


def _rankings(worst: Spelled, width: int | None) -> list[Block]:
    """One table where both sides have the same documents at the same ranks, else two."""
    before, after = worst.before, worst.after
    if [_place(row) for row in before.rows] == [_place(row) for row in after.rows]:
        both = _together(before, after)
        if width is None or _wide(_fitted(both, Terminal(width))) <= width:
            return [("", both), *_more(before.more)]
    found: list[Block] = []
    for side in (before, after):
        found += [(f"{side.label}:", _alone(side)), *_more(side.more)]
    return found


def _place(row: Row) -> tuple[Any, ...]:
    return row.rank, row.until, row.doc, row.score, row.grade


def _more(count: int) -> list[Block]:
    return [f"… and {counted(count, 'more document')}"] if count else []


def _cells(rows: Sequence[Row]) -> list[list[str]]:
    """Rank, document, score and grade."""
    return [
        [
            str(row.rank) if row.rank == row.until else f"{row.rank}–{row.until}",
            "(fills the list)" if row.doc is None else row.doc,
            score,
            number(row.grade),
        ]
        for row, score in zip(rows, _scores([row.score for row in rows]), strict=True)
    ]


def _scores(scores: Sequence[float | None]) -> list[str]:
    """Scores with as many decimals as tell them apart."""
    known = {score for score in scores if score is not None}
    for decimals in range(16):
        told = {f"{score:.{decimals}f}" for score in known}
        if len(told) == len(known) and (decimals >= 4 or {*map(float, told)} == known):
            return ["–" if score is None else f"{score:.{decimals}f}" for score in scores]
    return ["–" if score is None else repr(score) for score in scores]


def _worth(row: Row) -> list[str]:
    if row.gain is None or row.discount is None or row.contribution is None:
        return []
    return [number(row.gain), f"{row.discount:.4f}", f"{row.contribution:.4f}"]


def _alone(side: Side) -> Table:
    rows = [cells + _worth(row) for cells, row in zip(_cells(side.rows), side.rows, strict=True)]
    wide = len(rows[0]) if rows else len(_COLUMNS)
    return Table((*_COLUMNS, *_WORTH)[:wide], rows, numbers=True, text=(1,))


def _together(before: Side, after: Side) -> Table:
    """Both sides beside one another; what is the same in every row stands once."""
    columns, rows = [*_COLUMNS], _cells(before.rows)
    pairs = [(_worth(a), _worth(b)) for a, b in zip(before.rows, after.rows, strict=True)]
    for at, head in enumerate(_WORTH if pairs and pairs[0][0] else ()):
        same = all(a[at] == b[at] for a, b in pairs)
        columns += [head] if same else [f"{side}\n{_flat(head)}" for side in _SIDES]
        for cells, (a, b) in zip(rows, pairs, strict=True):
            cells.extend([a[at]] if same else [a[at], b[at]])
    return Table(columns, rows, numbers=True, text=(1,))


def _flat(head: str) -> str:
    return "product" if "×" in head else head


def _ideals(worst: Spelled) -> list[Block]:
    """The ideal rankings beside one another, where they are not the same."""
    sides = worst.before, worst.after
    if sides[0].ideal == sides[1].ideal:
        return []
    by_rank = [{row.rank: row for row in side.ideal} for side in sides]
    ranks = sorted(by_rank[0].keys() | by_rank[1].keys())
    both = by_rank[0].keys() & by_rank[1].keys()
    one_discount = all(by_rank[0][rank].discount == by_rank[1][rank].discount for rank in both)
    rows = []
    for rank in ranks:
        pair = [side.get(rank) for side in by_rank]
        discounts = [f"{row.discount:.4f}" for row in pair if row is not None]
        cells = [str(rank), *(discounts[:1] if one_discount else [])]
        for row in pair:
            left = [] if one_discount else ["–" if row is None else f"{row.discount:.4f}"]
            gain = "–" if row is None else number(row.gain)
            cells += [gain, *left, "–" if row is None else f"{row.contribution:.4f}"]
        rows.append(cells)
    per_side = ("gain", "product") if one_discount else ("gain", "discount", "product")
    heads = ["ideal\nrank", *(["discount"] if one_discount else [])]
    heads += [f"{side}\n{what}" for side in _SIDES for what in per_side]
    return [("", Table(heads, rows, numbers=True)), *_more_ideal(sides)]


def _more_ideal(sides: tuple[Side, Side]) -> list[Block]:
    told = [
        f"{side.more_ideal} more in the ideal {name}, which add {_rest(side):.4f}"
        for name, side in zip(_SIDES, sides, strict=True)
        if side.more_ideal
    ]
    return [f"… and {'; '.join(told)}"] if told else []


def _rest(side: Side) -> float:
    """What the ideal has below the ranks that are shown."""
    return (side.idcg or 0.0) - sum(row.contribution or 0.0 for row in side.ideal)


def to_text(block: Block, terminal: Terminal) -> str:
    """One block for a terminal."""
    if isinstance(block, str):
        return tables.wrapped(block, terminal, "  ")
    plain = evolve(terminal, colour=False)
    table = tables.to_text(_fitted(block[1], terminal), terminal=plain)
    return "\n".join(filter(None, (block[0], table)))


def to_markdown(block: Block) -> str:
    """The same as Markdown."""
    if isinstance(block, str):
        return "\n\n".join(" ".join(line.split()) for line in block.splitlines())
    return "\n\n".join(filter(None, (block[0], tables.to_markdown(block[1]))))


def _fitted(table: Table, terminal: Terminal) -> Table:
    """Document ids cut short where the page is too narrow for them."""
    if terminal.width is None or "document" not in table.columns:
        return table
    wide = _wide(table)
    longest = max((len(row[1]) for row in table.rows), default=0)
    room = max(_NARROWEST, longest - (wide - terminal.width))
    if wide <= terminal.width or longest <= room:
        return table
    return evolve(table, rows=[(row[0], _cut(row[1], room), *row[2:]) for row in table.rows])


def _wide(table: Table) -> int:
    return max(map(len, tables.to_text(table).splitlines()))


def _cut(text: str, room: int) -> str:
    """The beginning and the end, which tell ids apart."""
    if len(text) <= room:
        return text
    end = (room - 1) // 2
    return text[: room - 1 - end] + "…" + text[len(text) - end :]
