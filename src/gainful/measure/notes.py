"""What one should know before believing a value: counts, and sentences about what is odd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np
from attrs import frozen

from gainful.convention import GAINFUL, SETTINGS, Convention
from gainful.convention.convention import Settings, describe_rel
from gainful.errors import BadInput
from gainful.match.matched import Matched
from gainful.match.ties import TIE_POLICIES
from gainful.measure.entry import FORMULA_PARAMS, Recipe
from gainful.measure.ranked_run import apply_fractional
from gainful.measure.values import Results, name_units
from gainful.read.qrels_and_run import (
    LazyRun,
    NestedDict,
    Qrels,
    Run,
    describe_odd_judgments,
    example_docs,
    sample_scores,
)
from gainful.text import collect_by_key, count_noun, quote
from gainful.types import Flags


def name_convention(convention: Settings) -> str:
    """Whose convention it is, and which settings differ from those of that name in its table."""
    source = f"like {convention.name}"
    base: Settings | None = GAINFUL
    if isinstance(convention, Convention) and convention.name != GAINFUL.name:
        from gainful.convention import CONVENTIONS  # noqa: PLC0415  (most name no tool)

        base = CONVENTIONS.get(convention.name)
    elif not isinstance(convention, Convention):
        from gainful.convention.session import SESSION_CONVENTIONS  # noqa: PLC0415

        base = SESSION_CONVENTIONS.get(convention.name)
    changed = {} if base is None else convention.differences(base)
    changes = ", ".join(f"{k}={str(v).removesuffix('.0')}" for k, (v, _) in changed.items())
    return f"{source}, but {changes}" if changes else source


def describe_setting(recipe: Recipe, setting: str) -> str:
    """One setting in words, formulas as the formula tree writes them."""
    if setting in FORMULA_PARAMS:
        formula = getattr(recipe, setting)
        return f"{formula.text()}   ({formula.name}: {formula.meaning})"
    value = getattr(recipe.convention, setting)
    if setting == "cutoff":
        return "the whole list" if recipe.k is None else f"the first {recipe.k} documents"
    if setting == "max_grade":
        return "the highest in the judgments" if value is None else f"{value:g}"
    if setting == "unjudged_grade":
        return "none: it is not relevant" if value is None else f"{value:g}"
    if setting == "decimals":
        return "not rounded" if value is None else f"rounded to {value} decimals"
    return recipe.convention.describe(setting)


_IDEAL_WORDS = {"judged": "ideal from all judged", "list": "ideal from the list itself"}
_MISSING_WORDS = {
    "zero": "a missing query scores 0",
    "skip": "missing queries are left out",
    "error": "a missing query is refused",
}


@frozen
class Remark:
    """One thing that is said of the measures that it is `about`."""

    about: Callable[[Any], bool]
    text: Callable[[Any], str]


def describe_convention(values: Results) -> str:
    """How the numbers came about, in one line; what differs between measures is said of each."""
    parts = [name_convention(values.convention)]
    for remark in values.REMARKS:
        names_by_text = collect_by_key(
            (name_units(remark.text(recipe), values.unit), name)
            for name, recipe in values.recipes.items()
            if remark.about(recipe)
        )
        several = len(names_by_text) > 1
        parts += [
            f"{', '.join(names)}: {text}" if several else text
            for text, names in names_by_text.items()
            if text
        ]
    return " · ".join(parts)


def has_param(name: str) -> Callable[[Any], bool]:
    """Says of a recipe: may this stand in the brackets of its measure?"""
    return lambda recipe: name in recipe.entry.params


def _takes(name: str) -> Callable[[Recipe], bool]:
    return lambda recipe: name in recipe.entry.arguments


RUN_REMARKS: Sequence[Remark] = (
    Remark(lambda recipe: recipe.entry.cumulated, lambda recipe: f"gain {recipe.gain.text()}"),
    Remark(
        lambda recipe: recipe.entry.cumulated and recipe.entry.discounted,
        lambda recipe: f"discount {recipe.discount.text()}",
    ),
    Remark(
        lambda recipe: recipe.entry.cumulated,
        lambda recipe: _IDEAL_WORDS[str(recipe.convention.ideal)],
    ),
    Remark(_takes("rel"), lambda recipe: describe_rel(recipe.function_arguments()["rel"])),
    Remark(_takes("max_grade"), lambda recipe: f"best grade {recipe.convention.max_grade:g}"),
    Remark(
        has_param("ties"),
        lambda recipe: f"ties {SETTINGS['ties'].describe(recipe.convention.ties)}",
    ),
    Remark(lambda _: True, lambda recipe: _MISSING_WORDS[str(recipe.convention.missing)]),
)


LoadedRun = Run | NestedDict | LazyRun
SAME_ID_TYPE = "ids of one kind: cast both columns to text, written alike"
_NEGATIVE_GRADES = "negative grades count, in the ranking or in the ideal"
_TOP = 10  # how deep we look for documents without a judgment
_MOST_GRADES = 20  # grades beyond which they look like scores
_SAMPLE = 1000  # scores that are looked at
_MOST_NAMED = 3  # measures in a note
NO_OVERLAP = "no retrieved document is judged"


def count_documents(qrels: Qrels | NestedDict, matched: Matched, kept: Flags) -> dict[str, float]:
    """How much was there, and how much was missing, unjudged, tied, duplicated."""
    judged, looked_at = matched.judgment_coverage(_TOP)
    if isinstance(qrels, Qrels) and qrels.complete:
        judged = looked_at
    return {
        "queries": int(kept.sum()),
        "missing": int((matched.judged & ~matched.in_run).sum()),
        "extra": int((~matched.judged).sum()) + matched.extra_counts[0],
        "retrieved": int(matched.retrieved.sum()) + matched.extra_counts[1],
        "judged": int(matched.pool_query.size),
        "unjudged_at_10": 1 - judged / looked_at if looked_at else 0.0,
        "tied": matched.tied_count,
        "duplicates": matched.duplicate_count,
    }


def list_notes(results: Results, matched: Matched) -> list[str]:
    """What is odd about the judgments, the run, and the values of the results."""
    qrels, run, recipes = matched.qrels, matched.run, results.recipes
    return [
        *_note_swapped(matched, run),
        *describe_odd_judgments(qrels),
        *_note_nothing_relevant(matched),
        *_note_small_grades(recipes, matched),
        *getattr(qrels, "notes", ()),
        *getattr(run, "notes", ()),
        *note_id_types(qrels, run),
        *_note_odd_values(results, matched),
        *_note_other_measures(recipes, results.convention),
        *_note_no_number(results, matched),
        *_note_unstable_ties(results, matched),
        *_note_no_scores(recipes, matched),
        *_note_subtopics(qrels, recipes),
        *note_no_overlap(qrels, run, matched),
    ]


def _note_odd_values(results: Results, matched: Matched) -> list[str]:
    recipes, unit, notes = results.recipes, results.unit, []
    for name, column in results.values.items():
        bounded = recipes[name].entry.bounded
        left_out = int(np.ma.getmaskarray(column).sum())
        if left_out:
            notes.append(f"{name} leaves out {count_noun(left_out, unit)} with nothing relevant")
        present = np.ma.compressed(column)
        above, below = (int((present > 1).sum()), int((present < 0).sum())) if bounded else (0, 0)
        if above:
            reason = _reason_above_one(recipes[name], matched)
            notes.append(f"{name} is above 1 in {count_noun(above, unit)}: {reason}")
        if below:
            reason = f"some grades have a negative gain (gain={recipes[name].gain.name})"
            if matched.pool_grade.min(initial=0.0) < 0:
                reason = _NEGATIVE_GRADES
            notes.append(f"{name} is below 0 in {count_noun(below, unit)}: {reason}")
    return notes


def _note_other_measures(recipes: Mapping[str, Recipe], convention: Convention) -> list[str]:
    """Measures whose numbers are not those of the requested tool."""
    others = [
        name
        for name, recipe in recipes.items()
        if not recipe.entry.registered
        and not convention.has_own(recipe.entry.name, has_cutoff=recipe.cutoff is not None)
    ]
    if not others or convention.measures is None:
        return []
    own = ", ".join(name.replace("@", "@k") for name in convention.measures)
    verb = "is" if len(others) == 1 else "are"
    whose = f"gainful's, with the settings of {convention.name}"
    return [
        f"{', '.join(others)} {verb} {whose}: the numbers of {convention.name} itself are {own}"
    ]


def _note_no_number(results: Results, matched: Matched) -> list[str]:
    """Measures of queries for which the tool that was asked for has no number."""
    convention, notes = results.convention, []
    for name, recipe in results.recipes.items():
        if recipe.entry.name not in convention.need_useless:
            continue
        rel, size = recipe.function_arguments()["rel"], len(matched.queries)
        hits = np.bincount(matched.query[matched.grade >= rel], minlength=size) > 0
        useless = np.bincount(matched.pool_query[matched.pool_grade < rel], minlength=size) > 0
        if count := int((hits & ~useless).sum()):
            units = f"{count_noun(count, results.unit)} with nothing judged useless"
            notes.append(f"{name} of {units} is gainful's: {convention.name} has no number there")
    return notes


def _note_unstable_ties(results: Results, matched: Matched) -> list[str]:
    """Measures that the tool that was asked for computes in an order of ties that is not known."""
    convention, names_by_count = results.convention, dict[int, list[str]]()
    tied = matched.query[matched.last > matched.first]
    for name, recipe in results.recipes.items():
        fewest = convention.unstable_ties.get(recipe.entry.name)
        if fewest is not None and TIE_POLICIES[recipe.convention.ties].needs == "order":
            count = len(np.unique(tied[matched.retrieved[tied] >= fewest]))
            names_by_count.setdefault(count, []).append(name)
    names_by_count.pop(0, None)
    return [
        f"{', '.join(names)} can differ from {convention.name}'s own in "
        f"{count_noun(count, results.unit)} with tied scores: its sort is not stable"
        for count, names in names_by_count.items()
    ]


def _note_no_scores(recipes: Mapping[str, Recipe], matched: Matched) -> list[str]:
    """Measures of documents with scores of 0 and more, where no judged document has one."""
    if not matched.query.size or any(part.query.size for part in (matched.filtered or {}).values()):
        return []
    names = [name for name, recipe in recipes.items() if recipe.entry.needs_scores]
    problem = "counts only documents with scores of at least 0, and no judged one has that"
    return [f"{name} {problem}" for name in names]


def _note_small_grades(recipes: Mapping[str, Recipe], matched: Matched) -> list[str]:
    """Grades between 0 and 1, which do not count where a document is relevant from 1 on."""
    grades = matched.pool_grade[matched.pool_grade > 0]
    counts = {}
    for name, recipe in recipes.items() if (grades < 1).any() else ():
        if recipe.function_arguments().get("rel") == 1:
            read = apply_fractional(grades, recipe.convention, lambda *_: None)
            counts[name] = int(((grades < 1) & (read < 1)).sum())
    names = [name for name, count in counts.items() if count]
    if not names:
        return []
    small = max(counts.values())
    words = "is below 1 and does" if small == 1 else "are below 1 and do"
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    share = f"{small} of {count_noun(len(grades), 'positive grade')} {words} not count as relevant"
    return [f"{share} for {', '.join(names[:_MOST_NAMED])}{more}; see --rel (rel=)"]


def _note_subtopics(qrels: Qrels | NestedDict, recipes: Mapping[str, Recipe]) -> list[str]:
    """What measures made of subtopics that they do not know, or made up where there are none."""
    diverse = [name for name, recipe in recipes.items() if recipe.entry.needs_subtopics]
    others = [name for name in recipes if name not in diverse]
    has_subtopics = isinstance(qrels, Qrels) and qrels.subtopics is not None
    if diverse and not has_subtopics:
        problem = "the judgments have no subtopics; each query counts as one subtopic"
        return [f"{problem} ({', '.join(diverse)})"]
    if others and isinstance(qrels, Qrels) and qrels.overlapping:
        highest = "documents are judged for several subtopics; their highest grade counts"
        return [f"{highest} for {', '.join(others)}"]
    return []


def _note_swapped(matched: Matched, run: LoadedRun) -> list[str]:
    """Grades that look like scores beside scores that look like grades: the two may be swapped."""
    grades = matched.pool_grade
    fractional = bool((grades != np.floor(grades)).any())
    many = len(grades) > _MOST_GRADES and len(np.unique(grades)) > _MOST_GRADES
    if not (fractional or many or grades.max(initial=0.0) > _TOP):
        return []
    scores = sample_scores(run.head(_SAMPLE) if isinstance(run, LazyRun) else run, _SAMPLE)
    whole = all(float(score).is_integer() and 0 <= score <= _TOP for score in scores)
    if not whole or len(scores) < 2:
        return []
    sign = "fractions" if fractional else "many values" if many else f"values above {_TOP}"
    odd = (
        f"the grades have {sign}, like scores, and the scores are small whole numbers, like grades"
    )
    return [f"{odd} are: are judgments and run swapped? The order is qrels, run"]


def note_rising_scores(run: LoadedRun) -> list[str]:
    """Scores that rise down the first results of a file are distances or ranks, most likely."""
    if isinstance(run, LazyRun) or any("scores rise" in note for note in run.notes):
        return []
    if isinstance(run, Run):
        first = run.frame.head(_TOP)
        scores = first["score"].to_list() if first["query"].n_unique() == 1 else []
    else:
        scores = [*islice(next(iter(run.mapping.values()), {}).values(), _TOP)]
    if len(scores) < _TOP or any(later <= score for score, later in pairwise(scores)):
        return []
    way = "gainful ranks by score: are these distances or ranks?"
    return [f"scores rise down the first {_TOP} results of {run.name}; {way}"]


def _note_nothing_relevant(matched: Matched) -> list[str]:
    if not matched.pool_grade.size or matched.highest_grade > 0:
        return []
    return ["no document is relevant: no grade is above 0"]


def note_id_types(qrels: Qrels | NestedDict, run: LoadedRun) -> list[str]:
    """Ids that are numbers on one side and texts on the other: they meet as texts."""
    return compare_id_types(getattr(qrels, "ids", {}), getattr(run, "ids", {}))


def compare_id_types(qrels_types: Mapping[str, str], run_types: Mapping[str, str]) -> list[str]:
    """Columns whose ids are of one type in the judgments and of another in the run."""
    return [
        f"ids of the column {name} are {run_types[name]} in the run and {qrels_types[name]} in the "
        "judgments; they are compared as text: 7 is '7' but not '07'"
        for name in run_types.keys() & qrels_types.keys()
        if run_types[name] != qrels_types[name]
    ]


def note_no_overlap(qrels: Qrels | NestedDict, run: LoadedRun, matched: Matched) -> list[str]:
    """Not one retrieved document is judged: most likely the ids differ."""
    if matched.query.size:
        return []
    sides = (run.head(2) if isinstance(run, LazyRun) else run, qrels)
    examples = [", ".join(map(quote, example_docs(side))) or "no documents" for side in sides]
    return [f"{NO_OVERLAP}; the run has {examples[0]}, the judgments {examples[1]}"]


def _reason_above_one(recipe: Recipe, matched: Matched) -> str:
    convention = recipe.convention
    if convention.duplicates == "count" and matched.duplicate_count:
        return "a document listed twice counts twice (duplicates=count)"
    if matched.pool_grade.min(initial=0.0) < 0 and convention.negative in ("keep", "in_ideal"):
        return _NEGATIVE_GRADES
    if convention.unjudged_grade is not None and recipe.entry.counts_gains:
        return "documents without a judgment have a grade, but the ideal excludes them"
    if convention.rbp_grades == "grade" and "rbp_grades" in recipe.entry.arguments:
        return "grades count as they are (rbp_grades=grade)"
    return f"the convention defines it so (like {convention.name})"


def require_qrels_overlap(results: Sequence[Results]) -> None:
    """Refuse runs of which nothing is judged: zeros would only look like an answer."""
    if any(np.ma.asarray(values).any() for result in results for values in result.values.values()):
        return
    if all(result.counts["unjudged_at_10"] == 1 for result in results):
        problem = f"none of the top 10 documents of any {results[0].unit} is judged"
        names = ", ".join(result.name for result in results)
        raise BadInput(names, problem, "judgments of the retrieved documents")
