"""A convention in plain words: what it does in every situation."""

from __future__ import annotations

from typing import Any

from gainful.convention import CONVENTIONS, HABITS, Convention
from gainful.measure import Recipe, nDCG, recipe
from gainful.show.table import Table

# The habits that matter for one list of grades without ids, scores or other queries.
OF_ONE_LIST = (
    *("gain", "discount", "cutoff", "ideal", "ideal_depth"),
    *("negative", "fractional", "empty", "short", "grade_bits", "decimals"),
)
_WIDE = 180  # characters that the table of all conventions needs
_TOLD = [habit for habit in HABITS if habit not in ("b", "rel")]  # those come with their formula


def words(how: Recipe, habit: str) -> str:
    """One habit of a convention in words, formulas as the formula tree writes them."""
    if habit == "gain":
        return _formula(how.gain.text(), how.gain.name, how.gain.meaning)
    if habit == "discount":
        return _formula(how.discount.text(), how.discount.name, how.discount.meaning)
    value = getattr(how.convention, habit)
    if habit == "cutoff":
        return "the whole list" if how.k is None else f"the first {how.k} documents"
    if habit == "max_grade":
        return "the highest that was given" if value is None else f"{value:g}"
    if habit == "decimals":
        return "not rounded" if value is None else f"rounded to {value} decimals"
    return HABITS[habit].words(value)


def _formula(text: str, name: str, meaning: str) -> str:
    return f"{text}   ({name}: {meaning})"


def heading(one: Convention | None, other: Convention | None = None) -> str:
    """What the table below is about."""
    if one is None:
        return f"{len(CONVENTIONS)} conventions; gainful conventions NAME tells one in plain words."
    if other is None:
        note = f"\nNote: {one.note}." if one.note else ""
        return f"{one.name}: {one.title}{note}"
    count = len(table(one, other).rows)
    found = "nothing" if not count else f"{count} habit{'s' * (count > 1)}"
    return f"{one.name} and {other.name} differ in {found}."


def table(
    one: Convention | None = None, other: Convention | None = None, width: int | None = None
) -> Table:
    """All conventions, one in plain words, or only what two do differently.

    Of all conventions, a page narrower than their table shows only names and titles.
    """
    if one is None:
        whole = _all()
        if width is not None and width < _WIDE:
            return Table(whole.columns[:2], [row[:2] for row in whole.rows])
        return whole
    how = recipe(nDCG, like_whom=one)
    if other is None:
        rows = [(HABITS[habit].question, words(how, habit)) for habit in _TOLD]
        return Table(("question", "answer"), rows)
    pairs = [
        (habit, words(how, habit), words(recipe(nDCG, like_whom=other), habit)) for habit in _TOLD
    ]
    differing = [(habit, HABITS[habit].question, a, b) for habit, a, b in pairs if a != b]
    return Table(("field", "question", one.name, other.name), differing)


def to_dict(one: Convention | None = None, other: Convention | None = None) -> dict[str, Any]:
    """The same as data."""
    if one is None:
        return {name: to_dict(convention) for name, convention in CONVENTIONS.items()}
    if other is None:
        about = {"name": one.name, "title": one.title, "note": one.note}
        return about | one.settings()
    differing = one.differences(other)
    return {name: {one.name: a, other.name: b} for name, (a, b) in differing.items()}


def _all() -> Table:
    cut = {"k": "", "all": ", never cut", "retrieved": ", cut at the retrieved"}
    rows = []
    for name, convention in CONVENTIONS.items():
        how = recipe(nDCG, like_whom=convention)
        habits = (
            how.gain.text(),
            how.discount.text(),
            convention.ideal + cut[convention.ideal_depth],
            str(convention.ties),
            str(convention.negative),
            str(convention.empty),
        )
        rows.append((name, convention.title, *habits))
    columns = ("name", "tool or source", "gain", "discount", "ideal", "ties", "negative", "empty")
    return Table(columns, rows)
