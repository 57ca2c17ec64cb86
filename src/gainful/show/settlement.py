"""Which of two runs leads, whether unjudged documents can turn that, and which to judge first."""

from __future__ import annotations

from gainful.evidence.unjudged.settlement import Settlement
from gainful.show import results
from gainful.show.rows import Rows
from gainful.show.unjudged import format_grades
from gainful.text import count_noun


def describe_lead(settlement: Settlement) -> list[str]:
    """The answer in sentences."""
    if settlement.leader is None:
        return _describe_equal(settlement)
    ahead, behind = (settlement.means, settlement.means[::-1])[settlement.difference < 0]
    other = settlement.names[settlement.leader == settlement.names[0]]
    head = (
        f"{settlement.leader} leads {other} by {abs(settlement.difference):.4f} in {settlement.measure_name} "
        f"({ahead:.4f} against {behind:.4f})"
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
    head = f"{settlement.names[0]} and {settlement.names[1]} are equal in {settlement.measure_name}: {settlement.means[0]:.4f}"
    if not settlement.unjudged:
        return [f"{head}; nothing in either run is unjudged."]
    if settlement.settled:
        return [f"{head}, whatever grades unjudged documents get."]
    return [f"{head}; every document below could decide between them."]


def _describe_judging_effort(settlement: Settlement) -> str:
    judgment_count = count_noun(settlement.needed or 0, "judgment")
    if settlement.exact:
        return (
            f"{judgment_count} would settle it, if what is judged turns out to be worth what it counts for "
            "now; fewer would not."
        )
    return (
        f"About {judgment_count} would settle it, if what is judged turns out to be worth what it counts for "
        "now: an estimate, in which the effects of single documents are added up."
    )


def build_document_rows(settlement: Settlement, limit: int) -> Rows:
    """The documents to judge first."""
    columns = ("query", "document", *(f"rank in {name}" for name in settlement.names), "effect")
    return Rows(columns, list(settlement.documents.head(limit).iter_rows()), label_columns=2)


def list_footnotes(settlement: Settlement, limit: int) -> list[str]:
    """What the effect is, what was assumed, and what one should know."""
    document_count = len(settlement.documents)
    low, high = (
        "not known" if end is None else f"{end:+.4f}" for end in (settlement.low, settlement.high)
    )
    ends = f"from {low} to {high}" if settlement.reached else f"somewhere between {low} and {high}"
    limit_text = f", of which the first {limit} are listed" if document_count > limit else ""
    difference_text = (
        f"difference: {settlement.names[0]} minus {settlement.names[1]}, now {settlement.difference:+.4f}; "
        f"over all {format_grades(settlement.grades)} of unjudged documents {ends}"
    )
    unjudged_text = (
        f"{count_noun(settlement.unjudged, 'unjudged document')} in both runs together; "
        f"{document_count} can change the difference{limit_text}"
    )
    lines = [difference_text, unjudged_text]
    if document_count:
        lines.append(
            f"effect: what the difference changes by, if that document alone had {_format_highest_grade(settlement)}"
        )
    return [
        *lines,
        f"{count_noun(settlement.queries, 'query')} · {results.describe_convention(settlement.sides[0])}",
        *(f"Note: {note}" for note in settlement.notes),
    ]


def _format_highest_grade(settlement: Settlement) -> str:
    return f"the highest grade, {settlement.grades[-1]:g}"
