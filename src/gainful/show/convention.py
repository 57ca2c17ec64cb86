"""A convention in plain words: what it does in every situation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gainful.convention import CONVENTIONS, HABITS, Convention
from gainful.convention.session import SESSION_CONVENTIONS, SESSION_HABITS, SessionConvention
from gainful.errors import UnknownName
from gainful.measure import Recipe, as_discount, as_gain, nDCG, of_queries, recipe
from gainful.show.table import Table

# The habits that matter for one list of grades without ids, scores or other queries.
OF_ONE_LIST = (
    *("gain", "discount", "cutoff", "ideal", "ideal_depth"),
    *("negative", "fractional", "empty", "short", "grade_bits", "decimals"),
)
_WIDE = 180  # characters that the table of all conventions needs
_TOLD = [habit for habit in HABITS if habit not in ("b", "rel")]  # those come with their formula


def words(recipe: Recipe, habit: str) -> str:
    """One habit of a convention in words, formulas as the formula tree writes them."""
    if habit == "gain":
        return _formula(recipe.gain.text(), recipe.gain.name, recipe.gain.meaning)
    if habit == "discount":
        return _formula(recipe.discount.text(), recipe.discount.name, recipe.discount.meaning)
    value = getattr(recipe.convention, habit)
    if habit == "cutoff":
        return "the whole list" if recipe.k is None else f"the first {recipe.k} documents"
    if habit == "max_grade":
        return "the highest that was given" if value is None else f"{value:g}"
    if habit == "decimals":
        return "not rounded" if value is None else f"rounded to {value} decimals"
    return HABITS[habit].words(value)


def _formula(text: str, name: str, meaning: str) -> str:
    return f"{text}   ({name}: {meaning})"


def heading(convention: Convention | None, other: Convention | None = None) -> str:
    """What the table below is about."""
    if convention is None:
        return f"{len(CONVENTIONS)} conventions; gainful conventions NAME tells one in plain words."
    if other is None:
        note = f"\nNote: {convention.note}." if convention.note else ""
        return f"{convention.name}: {convention.title}{note}"
    count = len(table(convention, other).rows)
    found = "nothing" if not count else f"{count} habit{'s' * (count > 1)}"
    return f"{convention.name} and {other.name} differ in {found}."


def table(
    convention: Convention | None = None, other: Convention | None = None, width: int | None = None
) -> Table:
    """All conventions, one in plain words, or only what two do differently.

    Of all conventions, a page narrower than their table shows only names and titles.
    """
    if convention is None:
        whole = _all()
        if width is not None and width < _WIDE:
            return Table(whole.columns[:2], [row[:2] for row in whole.rows])
        return whole
    how = recipe(nDCG, like_whom=convention)
    if other is None:
        rows = [(HABITS[habit].question, words(how, habit)) for habit in _TOLD]
        return Table(("question", "answer"), rows)
    pairs = [
        (habit, words(how, habit), words(recipe(nDCG, like_whom=other), habit)) for habit in _TOLD
    ]
    differing = [(habit, HABITS[habit].question, a, b) for habit, a, b in pairs if a != b]
    return Table(("field", "question", convention.name, other.name), differing)


def parts(one: str | None, other: str | None, width: int | None) -> list[tuple[str, Table]]:
    """Tables with their headings: of single rankings, and of sessions where there is one."""
    if one is None:
        rows = [(name, known.title, known.note) for name, known in SESSION_CONVENTIONS.items()]
        count = f"{len(rows)} conventions of whole sessions."
        sessions = Table(("name", "paper or track", "note"), rows)
        return [(heading(None), table(width=width)), (count, sessions)]
    found = []
    pair = [CONVENTIONS.get(name) for name in (one, other) if name is not None]
    if all(pair):
        mine, theirs = pair[0], pair[1] if len(pair) > 1 else None
        found.append((heading(mine, theirs), table(mine, theirs, width)))
    pair_of_sessions = [SESSION_CONVENTIONS.get(n) for n in (one, other) if n is not None]
    if all(pair_of_sessions):
        found.append(_of_sessions(*[known for known in pair_of_sessions if known is not None]))
    if not found:
        raise UnknownName("session convention", str(other), SESSION_CONVENTIONS)
    return found


def _of_sessions(
    convention: SessionConvention, other: SessionConvention | None = None
) -> tuple[str, Table]:
    """One session convention in plain words, or only what two do differently."""
    if other is None:
        note = f"\nNote: {convention.note}." if convention.note else ""
        rows = [
            (habit.question, _session_words(convention, name))
            for name, habit in SESSION_HABITS.items()
        ]
        head = f"{convention.name}, of whole sessions: {convention.title}{note}"
        return head, Table(("question", "answer"), rows)
    differing = convention.differences(other)
    rows_ = [
        (
            name,
            SESSION_HABITS[name].question,
            _session_words(convention, name),
            _session_words(other, name),
        )
        for name in differing
    ]
    count = f"{len(rows_)} habit{'s' * (len(rows_) != 1)}" if rows_ else "nothing"
    head = f"{convention.name} and {other.name} differ in {count} of whole sessions."
    return head, Table(("field", "question", convention.name, other.name), rows_)


def _session_words(convention: SessionConvention, name: str) -> str:
    value = getattr(convention, name)
    if name == "gain":
        return as_gain(value).text()
    if name in ("discount", "query_discount"):
        formula = as_discount(value)
        formula = of_queries(formula) if name == "query_discount" else formula
        base = "bq" if name == "query_discount" else "b"
        own = getattr(convention, base)
        return formula.given({base: own}).text() if own is not None else formula.text()
    return SESSION_HABITS[name].words(value)


def to_dict(one: str | None = None, other: str | None = None) -> dict[str, Any]:
    """The same as data."""
    if one is None:
        single = {name: _told(convention) for name, convention in CONVENTIONS.items()}
        sessions = {name: _told(convention) for name, convention in SESSION_CONVENTIONS.items()}
        return {**single, "sessions": sessions}
    tables_: tuple[Mapping[str, Any], ...] = (CONVENTIONS, SESSION_CONVENTIONS)
    if other is None:
        own, of_sessions = (known.get(one) for known in tables_)
        if own is None:
            return _told(of_sessions)
        return _told(own) | ({} if of_sessions is None else {"sessions": _told(of_sessions)})
    found: dict[str, Any] = {}
    for known in tables_:
        if one in known and other in known:
            differing = known[one].differences(known[other])
            found |= {name: {one: a, other: b} for name, (a, b) in differing.items()}
    return found


def _told(convention: Any) -> dict[str, Any]:
    about = {"name": convention.name, "title": convention.title, "note": convention.note}
    return {**about, **convention.settings()}


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
