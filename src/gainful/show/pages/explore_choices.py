"""What can be chosen in the live page, and what its script does not compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from gainful.convention.session import SESSION_SETTINGS
from gainful.errors import BadValue
from gainful.formula import to_javascript, to_mathml
from gainful.match.session_groups import group_sessions
from gainful.match.sessions import MatchedSessions
from gainful.measure.catalogue.sessions import WITH_VECTORS
from gainful.measure.discount import DISCOUNTS, as_query_discount, b
from gainful.measure.formulas import as_gain
from gainful.measure.functions.sessions.gains import session_grade_gains
from gainful.measure.recipe import SessionRecipe
from gainful.show.pages import explore_data

_MAX_CUTOFF = 100
_GAINS = ("linear", "exp", "binary")
# What the script of the page computes; every other answer is refused.
_FIXED_SETTINGS = {
    "rank_discount": "restart",
    "lists": "padded",
    "at": "results",
    "depth": "assumed",
    "normalise": "session",
    "average": "ratios",
    "statistic": "final",
}
_REFUSED_SETTINGS = {"negative": "error", "empty": "error"}


def check_page_measure(recipe: SessionRecipe) -> None:
    """Refuse what the page does not compute."""
    if not recipe.entry.has_vectors:
        raise BadValue("measure", recipe.label, f"{' or '.join(WITH_VECTORS)}, in a page")
    for name, supported in _FIXED_SETTINGS.items():
        answer = getattr(recipe.convention, name)
        if answer != supported:
            raise BadValue(name, answer, f"{supported}, in a page")
    for name, refused in _REFUSED_SETTINGS.items():
        if getattr(recipe.convention, name) == refused:
            others = [str(choice) for choice in SESSION_SETTINGS[name].answers if choice != refused]
            raise BadValue(name, refused, f"{' or '.join(others)}, in a page")
    if recipe.k is None or recipe.k > _MAX_CUTOFF:
        raise BadValue("k", recipe.k, f"at most {_MAX_CUTOFF}, in a page")


def refuse_unanswerable(
    recipe: SessionRecipe, allowed_answers: Mapping[str, Mapping[str, str]]
) -> None:
    """Refuse what these sessions cannot begin with, such as clicks where there are none."""
    allowed_answers = {
        **allowed_answers,
        **dict.fromkeys(("discount", "query_discount"), _discount_meanings()),
    }
    for name, allowed in allowed_answers.items():
        answer = str(getattr(recipe.convention, name))
        if name in recipe.entry.params and answer not in allowed:
            raise BadValue(name, answer, f"{', '.join(allowed)}, in a page of these sessions")


def _discount_meanings() -> dict[str, str]:
    return {discount["name"]: discount["meaning"] for discount in discount_choices()}


def choose_grades(sessions: MatchedSessions, recipe: SessionRecipe) -> explore_data.Grades:
    """All grades; those of searchers only where they have a worth too."""
    if "grade" in sessions.rows.columns:
        all_grades = explore_data.collect_grades(sessions, own=True)
        try:
            session_grade_gains(all_grades.values, recipe, sessions, None)
        except BadValue:  # a table of weights need not know what searchers said
            if recipe.convention.duplicates == "judged":
                raise
        else:
            return all_grades
    return explore_data.collect_grades(sessions, own=False)


def gain_choices(
    sessions: MatchedSessions, recipe: SessionRecipe, grades: explore_data.Grades
) -> list[dict[str, Any]]:
    """What grades are worth by each gain that is offered; the first is the one to begin with."""
    offered = {recipe.gain.name: recipe.gain}
    offered |= {name: as_gain(name) for name in _GAINS if name not in offered}
    choices = []
    for name, gain in offered.items():
        try:
            weights = session_grade_gains(grades.values, evolve(recipe, gain=gain), sessions, None)
        except BadValue:  # 2^g of a huge grade is no number
            if gain is recipe.gain:
                raise
            continue
        spelling = {
            "gain": name,
            **({"rel": gain.param_values["rel"]} if "rel" in gain.param_values else {}),
        }
        choice = {"name": name, "spelling": spelling, "meaning": gain.meaning}
        choices.append({**choice, "weights": weights.tolist(), "text": gain.text()})
    return choices


def discount_choices() -> list[dict[str, Any]]:
    """Every discount of one base at most, as the script computes it and as it is set."""
    choices = []
    for name, formula in DISCOUNTS.items():
        if {param.symbol for param in formula.params} - {b.symbol}:
            continue
        query = as_query_discount(formula)
        choices.append(
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
    return choices


def setting_answers(
    sessions: MatchedSessions, grades: explore_data.Grades
) -> dict[str, dict[str, str]]:
    """The answers to settings that these sessions allow, in words."""
    single_base = sessions.has_single_base
    available = {
        ("duplicates", "first"): single_base,
        ("duplicates", "clicked"): "clicked" in sessions.rows.columns,
        ("duplicates", "judged"): grades.has_own,
        ("ideal", "once"): single_base,
        ("ideal", "best_slots"): single_base,
        ("hold", "growing"): single_base,
    }
    return {
        name: {
            str(answer): words
            for answer, words in SESSION_SETTINGS[name].answers.items()
            if available.get((name, str(answer)), True)
        }
        for name in ("duplicates", "ideal", "hold")
    }


def choose_group_column(
    sessions: MatchedSessions, source: str, columns: Sequence[Mapping[str, Any]], by: str | None
) -> str | None:
    """The column to group by first; None where there are no two groups.

    Args:
        sessions: the sessions.
        source: what they are called in an error.
        columns: those by which sessions can be chosen.
        by: the column that was asked for; system if none was.
    """
    group_columns = [column["name"] for column in columns if column["groups"]]
    if by is None:
        return "system" if "system" in group_columns else None
    group_count = len(group_sessions(sessions, by, source))
    if by in group_columns:
        return by
    if group_count > 1:
        allowed = f"a column of 2 to {explore_data.MAX_GROUPS} groups; it has {group_count}"
        raise BadValue("by", by, allowed)
    return None
