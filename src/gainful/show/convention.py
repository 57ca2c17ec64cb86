"""A convention in plain words: what it does in every situation."""

from __future__ import annotations

from collections.abc import Iterable

from gainful.convention import CONVENTIONS, HABITS, Convention
from gainful.formula import written
from gainful.measure import Recipe, nDCG, recipe
from gainful.show.table import Table

# The habits that matter for one list of grades without ids, scores or other queries.
OF_ONE_LIST = (
    *("gain", "discount", "cutoff", "ideal", "ideal_depth"),
    *("negative", "fractional", "empty", "short", "grade_bits", "decimals"),
)
_WITHIN = ("b", "rel")  # told together with the formula they belong to


def words(how: Recipe, habit: str) -> str:
    """One habit of a convention in words, formulas as the formula tree writes them."""
    if habit == "gain":
        return _formula(how.gain.text(), how.gain.name, how.gain.meaning)
    if habit == "discount":
        return _formula(how.discount.text(), how.discount.name, how.discount.meaning)
    value = getattr(how.convention, habit)
    if habit == "cutoff":
        return "the whole list" if how.k is None else f"the first {how.k} documents"
    if habit == "decimals":
        return "not rounded" if value is None else f"rounded to {value} decimals"
    return HABITS[habit].words(value)


def _formula(text: str, name: str, meaning: str) -> str:
    return f"{text}   ({name}: {meaning})"


def described(how: Recipe, habits: Iterable[str] = tuple(HABITS)) -> Table:
    """Every habit: its question and its answer."""
    rows = [
        (habit, HABITS[habit].question, words(how, habit))
        for habit in habits
        if habit not in _WITHIN
    ]
    return Table(("field", "question", "answer"), rows)


def one_line(how: Recipe) -> str:
    """The convention of a result in one line."""
    convention = how.convention
    source = {"judged": "ideal from all judged", "list": "ideal from the list itself"}
    depth = {
        "k": "",
        "all": ", never cut",
        "retrieved": ", cut at the number retrieved",
    }
    parts = [
        f"gain {how.gain.text()} ({how.gain.name})",
        f"discount {how.discount.text()} ({how.discount.name})",
        source[convention.ideal] + depth[convention.ideal_depth],
    ]
    return " · ".join(parts)


def overview() -> Table:
    """All conventions, a line each."""
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


def difference(one: Convention, other: Convention) -> Table:
    """Only the habits in which two conventions differ."""
    both = [recipe(nDCG, like_whom=convention) for convention in (one, other)]
    rows = []
    for habit in HABITS:
        if habit in _WITHIN:
            continue
        answers = [words(how, habit) for how in both]
        if answers[0] != answers[1]:
            rows.append((habit, HABITS[habit].question, *answers))
    return Table(("field", "question", one.name, other.name), rows)


def number(value: float | None, decimals: int = 4) -> str:
    """A number for a table: short if whole, else with a fixed number of decimals."""
    if value is None:
        return "–"
    return written(value) if float(value).is_integer() else f"{value:.{decimals}f}"
