"""What documents are worth: grades → gains, odd grades as the convention has it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gainful.convention import Convention
from gainful.errors import BadValue
from gainful.formula import NamedFormula
from gainful.types import Array, Flags

GradeFinder = Callable[
    [Flags], tuple[str, float]
]  # the first entry that is flagged: its name and value


def apply_fractional(values: Array, convention: Convention, find: GradeFinder) -> Array:
    """Grades with their fractions kept, cut off or refused."""
    if convention.fractional == "keep":
        return values
    whole = np.trunc(values) + 0.0  # no minus zero
    if convention.fractional == "error" and (whole != values).any():
        place, value = find(whole != values)
        raise BadValue(
            place, value, f"whole numbers (fractional=error{_describe_convention(convention)})"
        )
    return whole


def grade_gains(
    values: Array,
    formula: NamedFormula,
    convention: Convention,
    find: GradeFinder,
    present: Flags | None,
) -> Array:
    """The gain of each grade; where there is no document (`present`), nothing."""
    values = apply_fractional(values, convention, find)
    negative = values < 0
    has_negative = bool(negative.any())
    if has_negative and convention.negative == "error":
        place, value = find(negative)
        raise BadValue(
            place, value, f"grades from 0 on (negative=error{_describe_convention(convention)})"
        )
    if formula.grades:
        unknown = ~np.isin(values, formula.grades)
        unknown = unknown if present is None else unknown & present
        if unknown.any():
            place, value = find(unknown)
            allowed = ", ".join(f"{grade:g}" for grade in formula.grades)
            raise BadValue(place, value, f"grades in the gain table: {allowed}")
    elif convention.grade_bits == 32:
        with np.errstate(over="ignore"):  # an infinite gain is refused below
            values = values.astype(np.float32).astype(np.float64)
    gain = formula.evaluate_at(values)
    if has_negative and convention.negative == "zero" and not formula.signed:
        gain = np.where(negative, 0.0, gain)
    if present is not None:
        gain = np.where(present, gain, 0.0)
    if not np.isfinite(gain).all():
        place, value = find(~np.isfinite(gain))
        raise BadValue(place, value, f"grades whose {formula.name} gain is finite")
    return gain


def _describe_convention(convention: Convention) -> str:
    return f", like {convention.name}" if convention.name != "gainful" else ""
