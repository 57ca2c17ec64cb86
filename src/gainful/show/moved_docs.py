"""The queries that changed most, and what moved in them: text, Markdown, rows and data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gainful.evidence.moves.moved_docs import ChangedQuery, LargestChanges, MovedDoc
from gainful.show import table as tables
from gainful.show.rows import Rows
from gainful.show.table import PLAIN, Table, Terminal, format_number
from gainful.text import choose_decimals, count_noun, format_change, shorten

_MAX_DOCS = 10  # documents of a query that are shown
_MAX_ID_LENGTH = 40  # characters of an id
_NOTHING_JUDGED = "nothing judged"
_COLUMNS = (
    *("measure", "baseline", "run", "query", "document", "what"),
    *("grade", "rank_before", "rank_after", "share", "before", "after", "change"),
)


def to_text(most_changed: LargestChanges, *, terminal: Terminal = PLAIN) -> str:
    """For a terminal."""
    parts = [_make_bold(tables.wrap_text(format_headline(most_changed), terminal), terminal)]
    for changed_query in most_changed.queries:
        lines = [
            _make_bold(
                f"query {_format_id(changed_query.query)}   {_format_values(changed_query)}",
                terminal,
            )
        ]
        lines += [f"  {line}" for line in _align_docs(changed_query)]
        lines += [
            tables.wrap_text(f"  {line}", terminal, "    ")
            for line in _list_query_notes(most_changed, changed_query)
        ]
        parts.append("\n".join(lines))
    return "\n\n".join((*parts, tables.wrap_text(_format_counts(most_changed), terminal)))


def to_markdown(most_changed: LargestChanges) -> str:
    """For a page or a pull request."""
    parts = [f"**{tables.escape_markdown(format_headline(most_changed))}**"]
    for changed_query in most_changed.queries:
        parts.append(
            tables.escape_markdown(
                f"query {_format_id(changed_query.query)}: {_format_values(changed_query)}"
            )
        )
        if changed_query.documents:
            parts.append(tables.to_markdown(_build_table(changed_query)))
        parts += [
            tables.escape_markdown(line) for line in _list_query_notes(most_changed, changed_query)
        ]
    return "\n\n".join((*parts, tables.escape_markdown(_format_counts(most_changed))))


def build_rows(most_changed_by_run: Sequence[LargestChanges]) -> Rows:
    """A row for each query and document; what is due to no document has a row without one."""
    return Rows(
        _COLUMNS,
        [row for most_changed in most_changed_by_run for row in _build_query_rows(most_changed)],
        label_columns=6,
    )


def to_dict(most_changed_by_run: Sequence[LargestChanges]) -> list[dict[str, Any]]:
    """The same as data."""
    return [most_changed.to_dict() for most_changed in most_changed_by_run]


def format_headline(most_changed: LargestChanges) -> str:
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
    return f"{changed_query.before:.{digits}f} → {changed_query.after:.{digits}f}   {format_change(changed_query.change)}"


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
    return tables.to_text(table).splitlines()[1:]


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
    return tables.to_one_line(shorten(name, _MAX_ID_LENGTH))


def _make_bold(text: str, terminal: Terminal) -> str:
    return f"\x1b[1m{text}\x1b[0m" if terminal.colour else text
