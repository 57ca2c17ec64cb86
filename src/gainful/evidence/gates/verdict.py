"""`Verdict`: did a run pass its gate, by which rules, and where should one look first?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs
from attrs import frozen

from gainful.evidence.gates.baseline import Baseline
from gainful.evidence.pairing import ROUNDING
from gainful.formula import exact
from gainful.measure.results import Results

Rule = Literal["floor", "max_drop", "significant"]
_MOST = 12  # decimals
_SMALLEST = 1e-4  # p that is told as such


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
            return self._of_floor()
        return self._of_test() if self.rule == "significant" else self._of_drop()

    def _of_floor(self) -> str:
        told = "reaches" if self.ok else "is below"
        return (
            f"{self.measure} {apart(self.value, self.bound)} {told} its floor {exact(self.bound)}"
        )

    def _of_drop(self) -> str:
        before = self.baseline or 0.0
        drop = before - self.value
        means = f"{apart(before, self.value)} to {apart(self.value, before)}"
        if drop <= slack(before):
            return f"{self.measure} did not drop: from {means}"
        told = f"{self.measure} dropped by {apart(drop, self.bound)}, from {means}"
        return f"{told}; at most {exact(self.bound)} is allowed"

    def _of_test(self) -> str:
        before, p = self.baseline or 0.0, self.p or 0.0
        worse = f"is {'not ' if self.ok else ''}significantly worse than the baseline"
        means = f"{apart(before, self.value)} to {apart(self.value, before)}"
        told = "< 0.0001" if p < _SMALLEST else f"= {apart(p, self.bound)}"
        level = f"p {told} at {exact(self.bound)}"
        return f"{self.measure} {worse}: from {means}, {level}"

    def to_dict(self) -> dict[str, Any]:
        """The same as data."""
        return attrs.asdict(self) | {"message": self.message}


@frozen
class Look:
    """A query to look at, and what a measure says of it before (if that is known) and now."""

    measure: str
    query: str
    now: float
    before: float | None = None


@frozen(eq=False, kw_only=True)
class Verdict:
    """Did the run pass? `checks` say by which rules, `look_at` which queries to look at first."""

    results: Results = attrs.field(repr=False)
    checks: Sequence[Check]
    look_at: Sequence[Look] = attrs.field(default=(), repr=False)
    notes: Sequence[str] = ()
    before: Mapping[str, tuple[float, float]] = attrs.field(factory=dict, repr=False)
    baseline: Baseline | None = attrs.field(default=None, repr=False)
    saved: str | None = None  # where the run was saved as a baseline

    @property
    def passed(self) -> bool:
        """Does every rule hold?"""
        return all(check.ok for check in self.checks)

    @property
    def broken(self) -> list[Check]:
        """The rules that do not."""
        return [check for check in self.checks if not check.ok]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        told, old = self.results.to_dict(), self.baseline
        return {
            "passed": self.passed,
            "run": self.results.name,
            "checks": [check.to_dict() for check in self.checks],
            "look_at": [attrs.asdict(look) for look in self.look_at],
            "mean": told["mean"],
            "baseline": old
            and {
                "file": old.name,
                "run": old.run,
                "queries": old.queries,
                "gainful": old.gainful,
                "mean": {name: before for name, (_, before) in self.before.items()},
            },
            "saved": self.saved,
            "notes": [*self.notes, *told.get("notes", ())],
            "convention": told["convention"],
            "counts": told["counts"],
        }


def slack(value: float) -> float:
    """By how much a number may differ from this one, and be the same but for rounding."""
    return ROUNDING * abs(value)


def apart(value: float, other: float) -> str:
    """A number in four decimals, or in as many more as tell it from another."""
    for decimals in range(4, _MOST + 1):
        told = f"{value:.{decimals}f}"
        if value == other or float(told) != float(f"{other:.{decimals}f}"):
            return told
    return repr(value)
