"""The page of a settlement: who leads, can it turn, and which documents to judge first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gainful.evidence.unjudged.bounds_page import describe_grades
from gainful.measure.results_page import describe_convention
from gainful.page.page import Page, Section
from gainful.page.render import render
from gainful.page.table import Table
from gainful.text import count_noun

if TYPE_CHECKING:
    from gainful.evidence.unjudged.settlement import Settlement

_SUMMARY_DOCS = 5  # documents in the short form


def settlement_page(settlement: Settlement, first: int) -> Page:
    """The lead in sentences, and so many documents to judge first."""
    answer, notes = describe_lead(settlement), _list_footnotes(settlement, first)
    table = _build_table(settlement, first)
    commented = Page(sections=[Section(table=table)], notes=[*answer, *notes])
    return Page(
        sections=[Section(lines=answer), Section(table=table)],
        notes=notes,
        asides=[*answer, *notes],
        rows=lambda: table,
        data=settlement.to_dict,
        written={"latex": lambda: render(commented, "latex")},
    )


def summary_page(settlement: Settlement) -> Page:
    """The lead in a line, and the first documents, for a prompt or a notebook."""
    (a, b), (mine, theirs) = settlement.means, settlement.names
    headline = f"{settlement.recipe.label} is {a:.4f} for {mine}, {b:.4f} for {theirs}: "
    headline += _describe_state(settlement)
    lines = [
        f"{query} {doc}  {effect:+.4f}"
        for query, doc, *_, effect in settlement.documents.head(_SUMMARY_DOCS).iter_rows()
    ]
    table = _build_table(settlement, _SUMMARY_DOCS)
    return Page(
        sections=[
            Section(lines=(headline, *lines, *settlement.notes), forms=("table",)),
            Section(headline, table, settlement.notes, forms=("html",)),
        ]
    )


def _describe_state(settlement: Settlement) -> str:
    if not settlement.unjudged:
        return "nothing is unjudged"
    if settlement.leader is None:
        return "equal by now"
    if settlement.settled:
        return f"settled, {settlement.leader} leads"
    about = "" if settlement.exact else "about "
    state = {False: "can turn", None: "may turn"}[settlement.settled]
    return f"{state}, {about}{count_noun(settlement.needed or 0, 'judgment')} would settle it"


def describe_lead(settlement: Settlement) -> list[str]:
    """The answer in sentences."""
    if settlement.leader is None:
        return _describe_equal(settlement)
    ahead, behind = (settlement.means, settlement.means[::-1])[settlement.difference < 0]
    other = settlement.names[settlement.leader == settlement.names[0]]
    head = (
        f"{settlement.leader} leads {other} by {abs(settlement.difference):.4f} "
        f"in {settlement.measure_name} ({ahead:.4f} against {behind:.4f})"
    )
    if not settlement.unjudged:
        return [f"{head}, and it is settled: nothing in either run is unjudged."]
    if settlement.settled:
        return [f"{head}, and it is settled: no grades of unjudged documents take that away."]
    outcome = "but unjudged documents can take that away."
    if settlement.settled is None:
        outcome = "and whether unjudged documents can take that away is not known."
    return [f"{head}, {outcome}", _describe_judging_effort(settlement)]


def _describe_equal(settlement: Settlement) -> list[str]:
    first, second = settlement.names
    value = f"{settlement.means[0]:.4f}"
    head = f"{first} and {second} are equal in {settlement.measure_name}: {value}"
    if not settlement.unjudged:
        return [f"{head}; nothing in either run is unjudged."]
    if settlement.settled:
        return [f"{head}, whatever grades unjudged documents get."]
    return [f"{head}; every document below could decide between them."]


def _describe_judging_effort(settlement: Settlement) -> str:
    count = count_noun(settlement.needed or 0, "judgment")
    effort = "would settle it, if what is judged turns out to be worth what it counts for now"
    if settlement.exact:
        return f"{count} {effort}; fewer would not."
    estimate = "an estimate, in which the effects of single documents are added up"
    return f"About {count} {effort}: {estimate}."


def _build_table(settlement: Settlement, first: int) -> Table:
    """The documents to judge first."""
    columns = ("query", "document", *(f"rank in {name}" for name in settlement.names), "effect")
    rows = list(settlement.documents.head(first).iter_rows())
    return Table(columns, rows, numeric=True, label_columns=2)


def _list_footnotes(settlement: Settlement, first: int) -> list[str]:
    """What the effect is, what was assumed, and what one should know."""
    document_count = len(settlement.documents)
    low, high = (
        "not known" if end is None else f"{end:+.4f}" for end in (settlement.low, settlement.high)
    )
    ends = f"from {low} to {high}" if settlement.reached else f"somewhere between {low} and {high}"
    limit_text = f", of which the first {first} are listed" if document_count > first else ""
    difference_text = (
        f"difference: {settlement.names[0]} minus {settlement.names[1]}, "
        f"now {settlement.difference:+.4f}; over all {describe_grades(settlement.grades)} "
        f"of unjudged documents {ends}"
    )
    unjudged_text = (
        f"{count_noun(settlement.unjudged, 'unjudged document')} in both runs together; "
        f"{document_count} can change the difference{limit_text}"
    )
    lines = [difference_text, unjudged_text]
    if document_count:
        lines.append(
            "effect: what the difference changes by, if that document alone had the highest "
            f"grade, {settlement.grades[-1]:g}"
        )
    return [
        *lines,
        f"{count_noun(settlement.queries, 'query')} · {describe_convention(settlement.sides[0])}",
        *(f"Note: {note}" for note in settlement.notes),
    ]
