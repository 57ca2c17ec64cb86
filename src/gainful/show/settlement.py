"""Which of two runs leads, whether unjudged documents can turn that, and which to judge first."""

from __future__ import annotations

from gainful.errors import counted
from gainful.evidence.unjudged.settlement import Settled
from gainful.show import results
from gainful.show.rows import Rows
from gainful.show.unjudged import grades


def answer(found: Settled) -> list[str]:
    """The answer in sentences."""
    if found.leader is None:
        return _equal(found)
    ahead, behind = (found.means, found.means[::-1])[found.difference < 0]
    other = found.names[found.leader == found.names[0]]
    head = (
        f"{found.leader} leads {other} by {abs(found.difference):.4f} in {found.asked} "
        f"({ahead:.4f} against {behind:.4f})"
    )
    if not found.unjudged:
        return [f"{head}, and it is settled: nothing in either run is unjudged."]
    if found.settled:
        return [f"{head}, and it is settled: no grades of unjudged documents take that away."]
    can = "but unjudged documents can take that away."
    if found.settled is None:
        can = "and whether unjudged documents can take that away is not known."
    return [f"{head}, {can}", _needed(found)]


def _equal(found: Settled) -> list[str]:
    head = f"{found.names[0]} and {found.names[1]} are equal in {found.asked}: {found.means[0]:.4f}"
    if not found.unjudged:
        return [f"{head}; nothing in either run is unjudged."]
    if found.settled:
        return [f"{head}, whatever grades unjudged documents get."]
    return [f"{head}; every document below could decide between them."]


def _needed(found: Settled) -> str:
    many = counted(found.needed or 0, "judgment")
    if found.exact:
        return (
            f"{many} would settle it, if what is judged turns out to be worth what it counts for "
            "now; fewer would not."
        )
    return (
        f"About {many} would settle it, if what is judged turns out to be worth what it counts for "
        "now: an estimate, in which the effects of single documents are added up."
    )


def documents(found: Settled, first: int) -> Rows:
    """The documents to judge first."""
    columns = ("query", "document", *(f"rank in {name}" for name in found.names), "effect")
    return Rows(columns, list(found.documents.head(first).iter_rows()), words=2)


def said(found: Settled, first: int) -> list[str]:
    """What the effect is, what was assumed, and what one should know."""
    size = len(found.documents)
    low, high = ("not known" if end is None else f"{end:+.4f}" for end in (found.low, found.high))
    ends = f"from {low} to {high}" if found.reached else f"somewhere between {low} and {high}"
    few = f", of which the first {first} are listed" if size > first else ""
    difference = (
        f"difference: {found.names[0]} minus {found.names[1]}, now {found.difference:+.4f}; "
        f"over all {grades(found.grades)} of unjudged documents {ends}"
    )
    many = (
        f"{counted(found.unjudged, 'unjudged document')} in both runs together; "
        f"{size} can change the difference{few}"
    )
    lines = [difference, many]
    if size:
        lines.append(
            f"effect: what the difference changes by, if that document alone had {_highest(found)}"
        )
    return [
        *lines,
        f"{counted(found.queries, 'query')} · {results.convention(found.sides[0])}",
        *(f"Note: {note}" for note in found.notes),
    ]


def _highest(found: Settled) -> str:
    return f"the highest grade, {found.grades[-1]:g}"
