"""The queries that changed most, and what moved in them: text, Markdown, rows and data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gainful.errors import counted, short
from gainful.evidence.moves.moved_docs import Changed, MostChanged, Moved
from gainful.show import table as tables
from gainful.show.rank_by_rank import decimals
from gainful.show.rows import Rows
from gainful.show.table import PLAIN, Table, Terminal, number
from gainful.show.why import signed

_MOST = 10  # documents of a query that are shown
_LONG = 40  # characters of an id
_NOTHING_JUDGED = "nothing judged"
_COLUMNS = (
    *("measure", "baseline", "run", "query", "document", "what"),
    *("grade", "rank_before", "rank_after", "share", "before", "after", "change"),
)


def to_text(found: MostChanged, *, terminal: Terminal = PLAIN) -> str:
    """For a terminal."""
    parts = [_bold(tables.wrapped(headline(found), terminal), terminal)]
    for one in found.queries:
        lines = [_bold(f"query {_id(one.query)}   {_values(one)}", terminal)]
        lines += [f"  {line}" for line in _aligned(one)]
        lines += [tables.wrapped(f"  {line}", terminal, "    ") for line in _below(found, one)]
        parts.append("\n".join(lines))
    return "\n\n".join((*parts, tables.wrapped(_counts(found), terminal)))


def to_markdown(found: MostChanged) -> str:
    """For a page or a pull request."""
    parts = [f"**{tables.markdown_escaped(headline(found))}**"]
    for one in found.queries:
        parts.append(tables.markdown_escaped(f"query {_id(one.query)}: {_values(one)}"))
        if one.documents:
            parts.append(tables.to_markdown(_table(one)))
        parts += [tables.markdown_escaped(line) for line in _below(found, one)]
    return "\n\n".join((*parts, tables.markdown_escaped(_counts(found))))


def rows(found: Sequence[MostChanged]) -> Rows:
    """A row for each query and document; what is due to no document has a row without one."""
    return Rows(_COLUMNS, [row for one in found for row in _rows(one)], words=6)


def to_dict(found: Sequence[MostChanged]) -> list[dict[str, Any]]:
    """The same as data."""
    return [one.to_dict() for one in found]


def headline(found: MostChanged) -> str:
    """What is compared, and how many queries rose and fell."""
    before, after = map(_id, found.runs)
    what = f"{after} against {before}, {found.measure}"
    if not found.rose + found.fell:
        return f"{what}: no query changed"
    return f"{what}: the queries that changed most"


def _counts(found: MostChanged) -> str:
    """How many queries there are of each kind; those of one run only are told apart."""
    told = [f"{counted(found.rose, 'query')} rose", f"{found.fell} fell", f"{found.same} the same"]
    shown = [sum(sign * one.change > 0 for one in found.queries) for sign in (1, -1)]
    hidden = (found.rose - shown[0], found.fell - shown[1])
    told += [f"{hidden[0] + hidden[1]} of them not shown"] if any(hidden) else []
    for name, alone in zip(found.runs, found.alone, strict=True):
        told += [f"{counted(alone, 'query')} only in {_id(name)}"] if alone else []
    return " · ".join(told)


def _values(one: Changed) -> str:
    digits = decimals(one.change)
    return f"{one.before:.{digits}f} → {one.after:.{digits}f}   {signed(one.change)}"


def _aligned(one: Changed) -> list[str]:
    """A line for each document, in columns without heads."""
    some = one.documents[:_MOST]
    ranks = [(_rank(doc.before), _rank(doc.after)) for doc in some]
    wide = [max((len(pair[at]) for pair in ranks), default=0) for at in (0, 1)]
    cells = [
        (
            _id(doc.doc),
            f"grade {number(doc.grade)}",
            f"rank {pair[0]:>{wide[0]}} → {pair[1]:<{wide[1]}}",
            doc.what,
            _share(doc),
        )
        for doc, pair in zip(some, ranks, strict=True)
    ]
    if not cells:
        return []
    table = Table(("",) * 5, cells, numbers=True, words=1, text=(1, 2, 3))
    return tables.to_text(table).splitlines()[1:]


def _table(one: Changed) -> Table:
    cells = [
        (
            _id(doc.doc),
            doc.what,
            number(doc.grade),
            _rank(doc.before),
            _rank(doc.after),
            _share(doc),
        )
        for doc in one.documents[:_MOST]
    ]
    columns = ("document", "what", "grade", "rank before", "rank after", "explains")
    return Table(columns, cells, numbers=True, words=2)


def _below(found: MostChanged, one: Changed) -> Iterator[str]:
    """What else is to be said of a query."""
    more = one.documents[_MOST:]
    if more:
        shares = [doc.share for doc in more if doc.share is not None]
        together = f", {signed(sum(shares))} together" if shares else ""
        yield f"… and {counted(len(more), 'more document')}{together}"
    if one.rest:
        yield f"without any judged document: {signed(one.rest)}"
    top = "all documents" if found.depth is None else f"documents of the top {found.depth}"
    moves = ", ".join(
        f"{count} {what}"
        for what, count in (
            ("up", one.up),
            ("down", one.down),
            ("lost", one.lost),
            ("new", one.new),
        )
        if count
    )
    before, after = one.unjudged
    unjudged = f"{before}" if before == after else f"{before} → {after}"
    told = f"; {unjudged} unjudged" if before or after else ""
    yield f"{top}: {moves or 'none moved'}{told}"
    for note in one.notes:
        yield f"note: {note}"


def _rows(found: MostChanged) -> Iterator[tuple[Any, ...]]:
    for one in found.queries:
        head = found.measure, *found.runs, one.query
        tail = one.before, one.after, one.change
        for doc in one.documents:
            yield (*head, doc.doc, doc.what, doc.grade, doc.before, doc.after, doc.share, *tail)
        if one.rest or not one.documents:
            yield (*head, None, _NOTHING_JUDGED, None, None, None, one.rest, *tail)


def _share(doc: Moved) -> str:
    return "" if doc.share is None else signed(doc.share)


def _rank(rank: float | None) -> str:
    return "–" if rank is None else f"{rank:g}"


def _id(name: str) -> str:
    """An id that is not long, and steers no terminal."""
    return tables.one_line(short(name, _LONG))


def _bold(text: str, terminal: Terminal) -> str:
    return f"\x1b[1m{text}\x1b[0m" if terminal.colour else text
