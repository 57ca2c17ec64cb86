"""What can be chosen in the live page, and what its script does not compute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from gainful.convention.session import SESSION_HABITS
from gainful.errors import BadValue
from gainful.formula import to_javascript, to_mathml
from gainful.match.sessions import MatchedSessions
from gainful.measure.discount import DISCOUNTS, b, of_queries
from gainful.measure.gain import as_gain
from gainful.measure.sessions.gains import worth
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.show.pages import explore_data as rows

_OF_PAGE = ("sDCG", "nsDCG")
_DEEPEST = 100
_GAINS = ("linear", "exp", "binary")
# What the script of the page computes; every other answer is refused.
_FIXED = {
    "rank_discount": "restart",
    "lists": "padded",
    "at": "results",
    "depth": "assumed",
    "normalise": "session",
    "average": "ratios",
    "statistic": "final",
}
_REFUSED = {"negative": "error", "empty": "error"}


def refuse(recipe: SessionRecipe) -> None:
    """What the page does not compute."""
    if recipe.entry.name not in _OF_PAGE:
        raise BadValue("measure", recipe.label, f"{' or '.join(_OF_PAGE)}, in a page")
    for name, usual in _FIXED.items():
        answer = getattr(recipe.convention, name)
        if answer != usual:
            raise BadValue(name, answer, f"{usual}, in a page")
    for name, refused in _REFUSED.items():
        if getattr(recipe.convention, name) == refused:
            others = [str(one) for one in SESSION_HABITS[name].answers if one != refused]
            raise BadValue(name, refused, f"{' or '.join(others)}, in a page")
    if recipe.k is None or recipe.k > _DEEPEST:
        raise BadValue("k", recipe.k, f"at most {_DEEPEST}, in a page")


def refuse_unanswerable(recipe: SessionRecipe, known: Mapping[str, Mapping[str, str]]) -> None:
    """What these sessions cannot begin with: no clicks, no one ideal, a discount of one's own."""
    known = {**known, **dict.fromkeys(("discount", "query_discount"), _names())}
    for name, allowed in known.items():
        answer = str(getattr(recipe.convention, name))
        if name in recipe.entry.params and answer not in allowed:
            raise BadValue(name, answer, f"{', '.join(allowed)}, in a page of these sessions")


def _names() -> dict[str, str]:
    return {one["name"]: one["meaning"] for one in discounts()}


def grades(sessions: MatchedSessions, recipe: SessionRecipe) -> rows.Grades:
    """All grades; those of searchers only where they have a worth too."""
    if "grade" in sessions.rows.columns:
        found = rows.all_grades(sessions, own=True)
        try:
            worth(found.values, recipe, sessions, None)
        except BadValue:  # a table of weights need not know what searchers said
            if recipe.convention.duplicates == "judged":
                raise
        else:
            return found
    return rows.all_grades(sessions, own=False)


def gains(
    sessions: MatchedSessions, recipe: SessionRecipe, grades: rows.Grades
) -> list[dict[str, Any]]:
    """What grades are worth by each gain that is offered; the first is the one to begin with."""
    offered = {recipe.gain.name: recipe.gain}
    offered |= {name: as_gain(name) for name in _GAINS if name not in offered}
    found = []
    for name, gain in offered.items():
        try:
            weights = worth(grades.values, evolve(recipe, gain=gain), sessions, None)
        except BadValue:  # 2^g of a huge grade is no number
            if gain is recipe.gain:
                raise
            continue
        spelled = {"gain": name, **({"rel": gain.bound["rel"]} if "rel" in gain.bound else {})}
        told = {"name": name, "spelled": spelled, "meaning": gain.meaning}
        found.append({**told, "weights": weights.tolist(), "text": gain.text()})
    return found


def discounts() -> list[dict[str, Any]]:
    """Every discount of one base at most, as the script computes it and as it is set."""
    found = []
    for name, formula in DISCOUNTS.items():
        if {param.symbol for param in formula.params} - {b.symbol}:
            continue
        query = of_queries(formula)
        found.append(
            {
                "name": name,
                "meaning": formula.meaning,
                "based": bool(formula.params),
                "rank": to_javascript(formula.expr),
                "query": to_javascript(query.expr),
                "rankSet": to_mathml(formula.expr),
                "querySet": to_mathml(query.expr),
            }
        )
    return found


def answers(sessions: MatchedSessions, grades: rows.Grades) -> dict[str, dict[str, str]]:
    """The answers to habits that these sessions allow, in words."""
    one = sessions.one_base
    needed = {
        ("duplicates", "first"): one,
        ("duplicates", "clicked"): "clicked" in sessions.rows.columns,
        ("duplicates", "judged"): grades.own,
        ("ideal", "once"): one,
        ("ideal", "best_slots"): one,
        ("hold", "growing"): one,
    }
    return {
        name: {
            str(answer): words
            for answer, words in SESSION_HABITS[name].answers.items()
            if needed.get((name, str(answer)), True)
        }
        for name in ("duplicates", "ideal", "hold")
    }
