"""`LargestChanges`: the queries of two runs that changed most, and what moved in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from attrs import frozen

from gainful.evidence.pairing import values_by_query
from gainful.evidence.reasons.credit import Credit, credit_docs
from gainful.match.matched import Matched
from gainful.measure.entry import Recipe
from gainful.measure.values import Results
from gainful.measure.worked_ranking import RankedQueries, rank_queries
from gainful.page.formats.text import table_to_text
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Column, Table, build_table, format_number, to_one_line, to_plain_data
from gainful.rounding import ROUNDING, ROUNDING_DECIMALS
from gainful.text import choose_decimals, count_noun, format_change, pluralise, shorten

Move = Literal["up", "down", "same", "lost", "new"]
_COUNTED: tuple[Move, ...] = ("up", "down", "lost", "new")
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
    """A document that counts, in both rankings; no rank where it was not retrieved.

    `what` is about the first k documents: one that leaves them is lost, though it may still
    have a rank. Where ties are averaged, a rank is the mean of those that are shared.
    """

    doc: str
    grade: float | None  # none of an unjudged document, which `unjudged_grade` lets count
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
    unit: str = "query"

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
    forms = ("table", *_WITH_TABLES)
    before, after = map(_format_id, change.runs)
    most = f"the {pluralise(change.unit)} that changed most"
    what = most if change.rose + change.fell else f"no {change.unit} changed"
    headline = f"{after} against {before}, {change.measure}: {what}"
    yield Section(headline, style=_BOLD, strong=True, forms=forms)
    for query in change.queries:
        name = f"{change.unit} {_format_id(query.query)}"
        notes = list(_list_query_notes(change, query))
        yield Section(
            f"{name}   {_format_values(query)}",
            lines=[f"  {line}" for line in (*_align_docs(query), *notes)],
            style=_BOLD,
            indent="    ",
            forms=("table",),
        )
        docs = query.documents[:_MAX_DOCS]
        table = build_table(docs, _DOC_COLUMNS, labels=2) if docs else None
        yield Section(f"{name}: {_format_values(query)}", table, notes, forms=_WITH_TABLES)
    yield Section(lines=[_format_counts(change)], forms=forms)


def _list_rows(changes: Sequence[LargestChanges]) -> Table:
    rows: list[tuple[Any, ...]] = []
    for change in changes:
        for query in change.queries:
            head = change.measure, *change.runs, query.query
            tail = query.before, query.after, query.change
            for doc in query.documents:
                moved = doc.doc, doc.what, doc.grade, doc.before, doc.after, doc.share
                rows.append((*head, *moved, *tail))
            if query.rest or not query.documents:
                rows.append((*head, None, _NOTHING_JUDGED, None, None, None, query.rest, *tail))
    return Table(_COLUMNS, rows, numeric=True, label_columns=6)


def _format_counts(most_changed: LargestChanges) -> str:
    """How many queries there are of each kind; those of one run only are listed separately."""
    parts = [
        f"{count_noun(most_changed.rose, most_changed.unit)} rose",
        f"{most_changed.fell} fell",
        f"{most_changed.same} the same",
    ]
    hidden = most_changed.rose + most_changed.fell - len(most_changed.queries)
    parts += [f"{hidden} of them not shown"] if hidden else []
    for name, alone in zip(most_changed.runs, most_changed.unpaired, strict=True):
        units = count_noun(alone, most_changed.unit)
        parts += [f"{units} only in {_format_id(name)}"] if alone else []
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


def _list_query_notes(most_changed: LargestChanges, changed_query: ChangedQuery) -> Iterator[str]:
    hidden_docs = changed_query.documents[_MAX_DOCS:]
    if hidden_docs:
        shares = [doc.share for doc in hidden_docs if doc.share is not None]
        together = f", {format_change(sum(shares))} together" if shares else ""
        yield f"… and {count_noun(len(hidden_docs), 'more document')}{together}"
    if changed_query.rest:
        yield f"without any judged document: {format_change(changed_query.rest)}"
    depth = most_changed.depth
    top = "all documents" if depth is None else f"documents of the top {depth}"
    counts = {name: getattr(changed_query, name) for name in _COUNTED}
    moves = ", ".join(f"{count} {direction}" for direction, count in counts.items() if count)
    before, after = changed_query.unjudged
    unjudged_counts = f"{before}" if before == after else f"{before} → {after}"
    unjudged_text = f"; {unjudged_counts} unjudged" if before or after else ""
    yield f"{top}: {moves or 'none moved'}{unjudged_text}"
    for note in changed_query.notes:
        yield f"note: {note}"


def _format_share(doc: MovedDoc) -> str:
    return "" if doc.share is None else format_change(doc.share)


_DOC_COLUMNS = (
    Column("document", lambda doc: _format_id(doc.doc)),
    Column("what"),
    Column("grade", show=format_number),
    Column("rank before", "before", "g"),
    Column("rank after", "after", "g"),
    Column("explains", _format_share),
)


def _format_rank(rank: float | None) -> str:
    return "–" if rank is None else f"{rank:g}"


def _format_id(name: str) -> str:
    return to_one_line(shorten(name, _MAX_ID_LENGTH))


def find_largest_changes(
    runs: Sequence[Matched],
    values: Sequence[Results],
    measure: str,
    *,
    base: int = 0,
    most: int = 5,
    others: Iterable[str] = (),
) -> tuple[dict[int, LargestChanges], list[RankedQueries]]:
    """Which queries changed most from one run, the baseline, to each other, and what moved there?

    Up to `most` queries that rose are explained, and as many that fell: the changes by the place of
    the run. Every run is ranked once, for these queries and `others`.
    """
    recipe = values[base].recipes[measure]
    by_query = [values_by_query(own, measure) for own in values]
    changed = {
        at: _select_queries(by_query[base], after, most)
        for at, after in enumerate(by_query)
        if at != base
    }
    wanted = dict.fromkeys((*others, *(query for some, _ in changed.values() for query in some)))
    rankings = [rank_queries(run, recipe, list(wanted)) for run in runs]
    changes = {
        at: LargestChanges(
            measure=measure,
            runs=(values[base].name, values[at].name),
            depth=recipe.depth,
            queries=tuple(
                _describe_change(pair, query, (by_query[base][query], by_query[at][query]), recipe)
                for pair in [(rankings[base], rankings[at])]
                for query in selected
            ),
            **counts,
            unit=values[base].unit,
        )
        for at, (selected, counts) in changed.items()
    }
    return changes, rankings


def _select_queries(
    before: Mapping[str, float], after: Mapping[str, float], most: int
) -> tuple[list[str], dict[str, Any]]:
    """Those that changed most, and how many there are of each kind."""
    both = [query for query in before if query in after]
    changes = {query: round(after[query] - before[query], ROUNDING_DECIMALS) for query in both}
    changed = {
        query: change
        for query, change in changes.items()
        if abs(change) > ROUNDING * (1 + abs(before[query]))
    }
    by_size = sorted(changed, key=lambda query: (-abs(changed[query]), query))
    rose = [query for query in by_size if changed[query] > 0]
    fell = [query for query in by_size if changed[query] < 0]
    return [*rose[:most], *fell[:most]], {
        "rose": len(rose),
        "fell": len(fell),
        "same": len(both) - len(changed),
        "unpaired": (len(before) - len(both), len(after) - len(both)),
    }


def _describe_change(
    rankings: tuple[RankedQueries, RankedQueries],
    query: str,
    values: tuple[float, float],
    recipe: Recipe,
) -> ChangedQuery:
    before, after = values
    grades = rankings[0].grades[query]
    ranks, top_ranks = zip(*(side.find_ranks(query, recipe) for side in rankings), strict=True)
    both = top_ranks[0].keys() | top_ranks[1].keys()
    moves = {doc: _classify_move(top_ranks[0].get(doc), top_ranks[1].get(doc)) for doc in both}
    counts = Counter(moves.values())
    unjudged = [len(top.keys() - grades.keys()) for top in top_ranks]
    credit = credit_docs(rankings, query, recipe, after - before)
    return ChangedQuery(
        query=query,
        before=before,
        after=after,
        change=after - before,
        documents=_list_moves(credit, grades, ranks, moves),
        rest=credit.rest,
        **{move: counts[move] for move in _COUNTED},
        unjudged=(unjudged[0], unjudged[1]),
        notes=_write_notes(recipe, credit),
    )


def _write_notes(recipe: Recipe, credit: Credit) -> tuple[str, ...]:
    decimals = recipe.convention.decimals
    if credit.problem:
        note = f"{recipe.label} does not show the effect of each document: {credit.problem}"
        return (note,)
    if decimals is None or not credit.rest:
        return credit.notes
    rounding_note = (
        f"values are rounded to {count_noun(decimals, 'decimal')}, the effects of documents are not"
    )
    return (*credit.notes, rounding_note)


def _classify_move(before: float | None, after: float | None) -> Move:
    if before is None:
        return "new"
    if after is None:
        return "lost"
    return "same" if before == after else ("up" if after < before else "down")


def _list_moves(
    credit: Credit,
    grades: Mapping[str, float],
    ranks: Sequence[Mapping[str, float]],
    moves: Mapping[str, Move],
) -> tuple[MovedDoc, ...]:
    """The documents that explain something; where that is not known, those that moved."""
    before, after = ranks
    shares: dict[str, float | None] = {doc: share for doc, share in credit.shares.items() if share}
    if credit.problem:
        shares = {doc: None for doc in moves if doc in grades and moves[doc] != "same"}
    docs = []
    for doc, share in shares.items():
        ends = before.get(doc), after.get(doc)
        move = moves.get(doc) or _classify_move(*ends)
        docs.append(MovedDoc(doc, grades.get(doc), *ends, move, share))
    return tuple(
        sorted(
            docs,
            key=lambda moved: (
                -round(abs(moved.share or 0.0), ROUNDING_DECIMALS),
                *(np.inf if rank is None else rank for rank in (moved.after, moved.before)),
                moved.doc,
            ),
        )
    )
