"""`LargestChanges`: the queries of two runs that changed most, and what moved in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from attrs import frozen

from gainful.page.page import Page, Section
from gainful.page.plain_data import to_plain_data
from gainful.page.shown import Shown
from gainful.page.table import Table, format_number, to_one_line
from gainful.page.to_text import table_to_text
from gainful.text import choose_decimals, count_noun, format_change, shorten

Move = Literal["up", "down", "same", "lost", "new"]
_MAX_DOCS = 10  # documents of a query that are shown
_MAX_ID_LENGTH = 40  # characters of an id
_NOTHING_JUDGED = "nothing judged"
_COLUMNS = (
    *("measure", "baseline", "run", "query", "document", "what"),
    *("grade", "rank_before", "rank_after", "share", "before", "after", "change"),
)
_BOLD = "1"
_WITH_TABLES = ("markdown", "html")


@frozen
class MovedDoc:
    """A judged document in both rankings; no rank where it was not retrieved.

    `what` is told of the first k documents: one that leaves them is lost, though it may still
    have a rank. Where ties are averaged, a rank is the mean of those that are shared.
    """

    doc: str
    grade: float
    before: float | None
    after: float | None
    what: Move
    share: float | None  # of the change; None where the measure cannot say


@frozen
class ChangedQuery:
    """A query whose value changed, and what moved in it.

    The shares of its documents and `rest` add up to the change: `rest` is what changes without
    any judged document. It is None where the measure cannot say, and so are the shares. `up` to
    `new` count all documents among the first k, judged or not; `unjudged` are those of them
    without a judgment, in either run.
    """

    query: str
    before: float
    after: float
    change: float
    documents: tuple[MovedDoc, ...]
    rest: float | None
    up: int
    down: int
    lost: int
    new: int
    unjudged: tuple[int, int]
    notes: tuple[str, ...] = ()


@frozen(repr=False)
class LargestChanges(Shown):
    """The queries of two runs that changed most: those that rose, then those that fell.

    Queries are paired by their ids; `unpaired` counts those that have a value in one run only.
    """

    measure: str
    runs: tuple[str, str]  # the baseline first
    depth: int | None  # how many documents the measure looks at; None for all
    queries: tuple[ChangedQuery, ...]
    rose: int
    fell: int
    same: int
    unpaired: tuple[int, int]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": self.measure,
            "baseline": self.runs[0],
            "run": self.runs[1],
            "depth": self.depth,
            "rose": self.rose,
            "fell": self.fell,
            "same": self.same,
            "only_in_baseline": self.unpaired[0],
            "only_in_run": self.unpaired[1],
            "queries": [to_plain_data(changed) for changed in self.queries],
        }

    def page(self) -> Page:
        """The queries that changed most, and what moved in them."""
        return changes_page([self])


def changes_page(changes: Sequence[LargestChanges]) -> Page:
    """The queries of each run that changed most from the baseline."""
    return Page(
        sections=[
            lambda _: [section for change in changes for section in _list_sections(change)],
            lambda _: [Section(table=_list_rows(changes), forms=("latex",))],
        ],
        rows=lambda: _list_rows(changes),
        data=lambda: [change.to_dict() for change in changes],
    )


def _list_sections(change: LargestChanges) -> Iterator[Section]:
    """The headline, a section for each query, and how many queries there are of each kind."""
    forms = ("table", *_WITH_TABLES)
    yield Section(_format_headline(change), style=_BOLD, strong=True, forms=forms)
    for query in change.queries:
        name, notes = f"query {_format_id(query.query)}", list(_list_query_notes(change, query))
        yield Section(
            f"{name}   {_format_values(query)}",
            lines=[f"  {line}" for line in (*_align_docs(query), *notes)],
            style=_BOLD,
            indent="    ",
            forms=("table",),
        )
        table = _build_table(query) if query.documents else None
        yield Section(f"{name}: {_format_values(query)}", table, notes, forms=_WITH_TABLES)
    yield Section(lines=[_format_counts(change)], forms=forms)


def _list_rows(changes: Sequence[LargestChanges]) -> Table:
    """A row for each query and document; what is due to no document has a row without one."""
    rows = [row for change in changes for row in _build_query_rows(change)]
    return Table(_COLUMNS, rows, numeric=True, label_columns=6)


def _format_headline(most_changed: LargestChanges) -> str:
    """What is compared, and how many queries rose and fell."""
    before, after = map(_format_id, most_changed.runs)
    subject = f"{after} against {before}, {most_changed.measure}"
    if not most_changed.rose + most_changed.fell:
        return f"{subject}: no query changed"
    return f"{subject}: the queries that changed most"


def _format_counts(most_changed: LargestChanges) -> str:
    """How many queries there are of each kind; those of one run only are told apart."""
    parts = [
        f"{count_noun(most_changed.rose, 'query')} rose",
        f"{most_changed.fell} fell",
        f"{most_changed.same} the same",
    ]
    visible = [
        sum(sign * changed_query.change > 0 for changed_query in most_changed.queries)
        for sign in (1, -1)
    ]
    hidden = (most_changed.rose - visible[0], most_changed.fell - visible[1])
    parts += [f"{hidden[0] + hidden[1]} of them not shown"] if any(hidden) else []
    for name, alone in zip(most_changed.runs, most_changed.unpaired, strict=True):
        parts += [f"{count_noun(alone, 'query')} only in {_format_id(name)}"] if alone else []
    return " · ".join(parts)


def _format_values(changed_query: ChangedQuery) -> str:
    digits = choose_decimals(changed_query.change)
    values = f"{changed_query.before:.{digits}f} → {changed_query.after:.{digits}f}"
    return f"{values}   {format_change(changed_query.change)}"


def _align_docs(changed_query: ChangedQuery) -> list[str]:
    """A line for each document, in columns without heads."""
    docs = changed_query.documents[:_MAX_DOCS]
    ranks = [(_format_rank(doc.before), _format_rank(doc.after)) for doc in docs]
    widths = [max((len(pair[at]) for pair in ranks), default=0) for at in (0, 1)]
    cells = [
        (
            _format_id(doc.doc),
            f"grade {format_number(doc.grade)}",
            f"rank {pair[0]:>{widths[0]}} → {pair[1]:<{widths[1]}}",
            doc.what,
            _format_share(doc),
        )
        for doc, pair in zip(docs, ranks, strict=True)
    ]
    if not cells:
        return []
    table = Table(("",) * 5, cells, numeric=True, label_columns=1, text_columns=(1, 2, 3))
    return table_to_text(table).splitlines()


def _build_table(changed_query: ChangedQuery) -> Table:
    cells = [
        (
            _format_id(doc.doc),
            doc.what,
            format_number(doc.grade),
            _format_rank(doc.before),
            _format_rank(doc.after),
            _format_share(doc),
        )
        for doc in changed_query.documents[:_MAX_DOCS]
    ]
    columns = ("document", "what", "grade", "rank before", "rank after", "explains")
    return Table(columns, cells, numeric=True, label_columns=2)


def _list_query_notes(most_changed: LargestChanges, changed_query: ChangedQuery) -> Iterator[str]:
    """What else is to be said of a query."""
    hidden_docs = changed_query.documents[_MAX_DOCS:]
    if hidden_docs:
        shares = [doc.share for doc in hidden_docs if doc.share is not None]
        together = f", {format_change(sum(shares))} together" if shares else ""
        yield f"… and {count_noun(len(hidden_docs), 'more document')}{together}"
    if changed_query.rest:
        yield f"without any judged document: {format_change(changed_query.rest)}"
    top = (
        "all documents"
        if most_changed.depth is None
        else f"documents of the top {most_changed.depth}"
    )
    moves = ", ".join(
        f"{count} {direction}"
        for direction, count in (
            ("up", changed_query.up),
            ("down", changed_query.down),
            ("lost", changed_query.lost),
            ("new", changed_query.new),
        )
        if count
    )
    before, after = changed_query.unjudged
    unjudged_counts = f"{before}" if before == after else f"{before} → {after}"
    unjudged_text = f"; {unjudged_counts} unjudged" if before or after else ""
    yield f"{top}: {moves or 'none moved'}{unjudged_text}"
    for note in changed_query.notes:
        yield f"note: {note}"


def _build_query_rows(most_changed: LargestChanges) -> Iterator[tuple[Any, ...]]:
    for changed_query in most_changed.queries:
        head = most_changed.measure, *most_changed.runs, changed_query.query
        tail = changed_query.before, changed_query.after, changed_query.change
        for doc in changed_query.documents:
            yield (*head, doc.doc, doc.what, doc.grade, doc.before, doc.after, doc.share, *tail)
        if changed_query.rest or not changed_query.documents:
            yield (*head, None, _NOTHING_JUDGED, None, None, None, changed_query.rest, *tail)


def _format_share(doc: MovedDoc) -> str:
    return "" if doc.share is None else format_change(doc.share)


def _format_rank(rank: float | None) -> str:
    return "–" if rank is None else f"{rank:g}"


def _format_id(name: str) -> str:
    """An id that is not long, and steers no terminal."""
    return to_one_line(shorten(name, _MAX_ID_LENGTH))
