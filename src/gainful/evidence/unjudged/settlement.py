"""`Settlement`: which of two runs leads, whether that can still turn, and what to judge first."""

from __future__ import annotations

from typing import Any

import polars as pl
from attrs import field, frozen

from gainful.evidence.unjudged.bounds import describe_grades
from gainful.measure.convention_line import describe_convention
from gainful.measure.convention_words import name_convention
from gainful.measure.recipe import Recipe
from gainful.measure.run_values import RunValues
from gainful.page.page import Page, Section
from gainful.page.shown import Shown, refuse_truth
from gainful.page.table import Table
from gainful.text import count_noun

_SUMMARY_DOCS = 5  # documents in the short form


@frozen(eq=False, repr=False)
class Settlement(Shown):
    """Two runs by one measure: who leads, can it turn, how many judgments would settle it?

    `settled` is True where no grading of the unjudged documents takes the lead away, False where
    one does, None where neither is known. `needed` is how many documents to judge, if they turn
    out to be worth what they count for now; `exact` says whether that number is certain or an
    estimate. `documents` are those to judge, the most useful ones first.
    """

    names: tuple[str, str]
    sides: tuple[RunValues, RunValues]
    measure_name: str  # the caller's name of the measure
    means: tuple[float, float]  # over the queries that count in both runs
    queries: int
    grades: tuple[float, ...]
    low: float | None  # of the difference, over all gradings; None where that is not known
    high: float | None
    reached: bool  # is there a grading for either end?
    settled: bool | None
    needed: int | None  # None where neither run leads
    exact: bool
    unjudged: int  # documents of either run
    documents: pl.DataFrame  # query, doc, rank in either run, effect on the difference
    notes: tuple[str, ...] = field(default=())

    __bool__ = refuse_truth("settlement.settled, which is True, False, or None where unknown")

    @property
    def recipe(self) -> Recipe:
        """The measure, everything settled."""
        return self.sides[0].recipes[self.measure_name]

    @property
    def difference(self) -> float:
        """How far the first run is ahead of the second."""
        return self.means[0] - self.means[1]

    @property
    def leader(self) -> str | None:
        """The run that leads by now; None where they are equal."""
        if self.needed is None:
            return None
        return self.names[0] if self.recipe.direction.sign * self.difference > 0 else self.names[1]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": self.recipe.label,
            "means": dict(zip(self.names, self.means, strict=True)),
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "reached": self.reached,
            "queries": self.queries,
            "leader": self.leader,
            "settled": self.settled,
            "needed": self.needed,
            "exact": self.exact,
            "unjudged": self.unjudged,
            "grades": list(self.grades),
            "convention": {
                "like": self.recipe.convention.name,
                **self.recipe.convention.settings(),
            },
            "documents": [
                {
                    "query": row["query"],
                    "doc": row["doc"],
                    "ranks": {
                        self.names[0]: row["rank_first"],
                        self.names[1]: row["rank_second"],
                    },
                    "effect": row["effect"],
                }
                for row in self.documents.to_dicts()
            ],
            "notes": list(self.notes),
        }

    def page(self, *, first: int = 20, verbose: bool = False) -> Page:
        """The lead in sentences, and so many documents to judge first."""
        return settlement_page(self, first, verbose=verbose)

    def brief(self) -> Page:
        """The lead in a line, and the first documents."""
        return summary_page(self)


def settlement_page(settlement: Settlement, first: int, *, verbose: bool = False) -> Page:
    """The lead in sentences, and so many documents to judge first."""
    answer = " ".join(describe_lead(settlement))
    notes = _list_footnotes(settlement, first, verbose=verbose)
    table = _build_table(settlement, first)
    return Page(
        answer=answer,
        sections=[Section(table=table)],
        notes=notes,
        asides=[answer, *notes],
        rows=lambda: table,
        data=settlement.to_dict,
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
    is_second = settlement.leader == settlement.names[1]
    ahead, behind = (settlement.means, settlement.means[::-1])[is_second]
    other = settlement.names[not is_second]
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


def _list_footnotes(settlement: Settlement, first: int, *, verbose: bool) -> list[str]:
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
    side = settlement.sides[0]
    convention = describe_convention(side) if verbose else name_convention(side.convention)
    return [
        *lines,
        f"{count_noun(settlement.queries, 'query')} · {convention}",
        *(f"Note: {note}" for note in settlement.notes),
    ]
