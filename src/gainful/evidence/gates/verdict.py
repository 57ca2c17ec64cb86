"""`Verdict`: did a run pass its gate, by which rules, and where should one look first?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs
from attrs import frozen

from gainful.evidence.gates.verdict_page import verdict_page
from gainful.measure.results import Results
from gainful.page.page import Page
from gainful.page.shown import Shown
from gainful.read.baseline import Baseline
from gainful.rounding import ROUNDING
from gainful.text import format_distinct, format_exact

Rule = Literal["floor", "max_drop", "significant"]
_SMALLEST_P = 1e-4  # p that is told as such


@frozen
class Check:
    """One rule, held against one measure."""

    rule: Rule
    measure: str
    value: float  # the mean of the run
    bound: float
    ok: bool
    baseline: float | None = None  # its mean there, over the same queries
    p: float | None = None  # corrected for the number of measures
    raw_p: float | None = None

    @property
    def message(self) -> str:
        """What was found, in a sentence."""
        if self.rule == "floor":
            return self._floor_message()
        return self._test_message() if self.rule == "significant" else self._drop_message()

    def _floor_message(self) -> str:
        verb = "reaches" if self.ok else "is below"
        value = format_distinct(self.value, self.bound)
        return f"{self.measure} {value} {verb} its floor {format_exact(self.bound)}"

    def _drop_message(self) -> str:
        before = self.baseline or 0.0
        drop = before - self.value
        means = f"{format_distinct(before, self.value)} to {format_distinct(self.value, before)}"
        if drop <= rounding_slack(before):
            return f"{self.measure} did not drop: from {means}"
        change = f"{self.measure} dropped by {format_distinct(drop, self.bound)}, from {means}"
        return f"{change}; at most {format_exact(self.bound)} is allowed"

    def _test_message(self) -> str:
        before, p = self.baseline or 0.0, self.p or 0.0
        worse = f"is {'not ' if self.ok else ''}significantly worse than the baseline"
        means = f"{format_distinct(before, self.value)} to {format_distinct(self.value, before)}"
        p_text = "< 0.0001" if p < _SMALLEST_P else f"= {format_distinct(p, self.bound)}"
        level = f"p {p_text} at {format_exact(self.bound)}"
        return f"{self.measure} {worse}: from {means}, {level}"

    def to_dict(self) -> dict[str, Any]:
        """The rule, what was found and the sentence about it, as plain data."""
        return attrs.asdict(self) | {"message": self.message}


@frozen
class QueryToLookAt:
    """A query to look at, and what a measure says of it before (if that is known) and now."""

    measure: str
    query: str
    now: float
    before: float | None = None


@frozen(eq=False, kw_only=True, repr=False)
class Verdict(Shown):
    """Did the run pass? `checks` say by which rules, `look_at` which queries to look at first."""

    results: Results
    checks: Sequence[Check]
    look_at: Sequence[QueryToLookAt] = ()
    notes: Sequence[str] = ()
    now_and_before: Mapping[str, tuple[float, float]] = attrs.field(factory=dict)
    baseline: Baseline | None = None
    saved: str | None = None  # where the run is saved as a baseline
    new_baseline: Baseline | None = None  # what is saved there

    @property
    def passed(self) -> bool:
        """Does every rule hold?"""
        return all(check.ok for check in self.checks)

    @property
    def broken_checks(self) -> list[Check]:
        """The rules that do not."""
        return [check for check in self.checks if not check.ok]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        results, baseline = self.results, self.baseline
        return {
            "passed": self.passed,
            "run": results.name,
            "checks": [check.to_dict() for check in self.checks],
            "look_at": [attrs.asdict(look) for look in self.look_at],
            "mean": results.mean_or_none(),
            "baseline": baseline
            and {
                "file": baseline.name,
                "run": baseline.run,
                "queries": baseline.queries,
                "gainful": baseline.gainful,
                "mean": {name: before for name, (_, before) in self.now_and_before.items()},
            },
            "saved": self.saved,
            "notes": [*self.notes, *results.notes],
            "convention": results.convention_data(),
            "counts": dict(results.counts),
        }

    def page(self) -> Page:
        """Did the run pass, by which rules, and which queries to look at first?"""
        return verdict_page(self)


def rounding_slack(value: float) -> float:
    """By how much a number may differ from this one, and be the same but for rounding."""
    return ROUNDING * abs(value)
