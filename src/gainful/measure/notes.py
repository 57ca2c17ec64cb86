"""What one should know before believing a value: counts, and sentences about what is odd."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gainful.convention import Convention
from gainful.errors import counted, shown
from gainful.formula import Array
from gainful.match.matched import Flags, Matched
from gainful.measure.recipe import Recipe
from gainful.read.lazy import Elsewhere
from gainful.read.qrels_and_run import Judgments, Nested, Run, some_documents

AnyRun = Run | Nested | Elsewhere
SAME_KIND = "ids of one kind: cast both columns to text, written alike"
_TOP = 10  # how deep we look for documents without a judgment


def counts(matched: Matched, kept: Flags) -> dict[str, float]:
    """How much was there, and how much was missing, unjudged, tied, duplicated."""
    judged, looked_at = matched.judged_within(_TOP)
    return {
        "queries": int(kept.sum()),
        "missing": int((matched.judged & ~matched.found).sum()),
        "extra": int((~matched.judged).sum()) + matched.unlisted[0],
        "retrieved": int(matched.retrieved.sum()) + matched.unlisted[1],
        "judged": int(matched.pool_query.size),
        "unjudged_at_10": 1 - judged / looked_at if looked_at else 0.0,
        "tied": matched.tied,
        "duplicates": matched.duplicates,
    }


def of_values(values: Mapping[str, Array], recipes: Mapping[str, Recipe]) -> list[str]:
    """Values that no ranking should have."""
    notes = []
    for name, column in values.items():
        bounded = recipes[name].measure.entry.bounded
        left_out = int(np.ma.getmaskarray(column).sum())
        if left_out:
            notes.append(f"{name} leaves out {counted(left_out, 'query')} with nothing relevant")
        above = int((np.ma.compressed(column) > 1).sum()) if bounded else 0
        if above:
            notes.append(
                f"{name} is above 1 in {counted(above, 'query')}: "
                f"{_reason(recipes[name].convention)}"
            )
    return notes


def of_subtopics(qrels: Judgments | Nested, recipes: Mapping[str, Recipe]) -> list[str]:
    """What measures made of subtopics that they do not know, or made up where there are none."""
    asking = [name for name, how in recipes.items() if how.measure.entry.subtopics]
    others = [name for name in recipes if name not in asking]
    told = isinstance(qrels, Judgments) and qrels.subtopics is not None
    if asking and not told:
        one = "the judgments have no subtopics; all that is relevant to a query is taken for one"
        return [f"{one} ({', '.join(asking)})"]
    if others and isinstance(qrels, Judgments) and qrels.overlapping:
        highest = "documents are judged for several subtopics; their highest grade counts"
        return [f"{highest} for {', '.join(others)}"]
    return []


def mixed_ids(qrels: Judgments | Nested, run: AnyRun) -> list[str]:
    """Ids that are numbers on one side and texts on the other: they meet as texts."""
    return mixed_kinds(getattr(qrels, "ids", {}), getattr(run, "ids", {}))


def mixed_kinds(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """The same, of what the ids of both were."""
    return [
        f"ids of the column {name} are {theirs[name]} in the run and {ours[name]} in the "
        "judgments; they are compared as texts, by which 7 is '7' but not '07'"
        for name in theirs.keys() & ours.keys()
        if theirs[name] != ours[name]
    ]


def partly_seen(run: AnyRun, matched: Matched) -> list[str]:
    """What is counted otherwise in a run that is only looked at from afar."""
    if not isinstance(run, Elsewhere) or not matched.tied:
        return []
    return [f"ties are counted among judged documents only: the run stays in {run.engine.name}"]


def strangers(qrels: Judgments | Nested, run: AnyRun, matched: Matched) -> list[str]:
    """Not one retrieved document is judged: most likely the ids differ."""
    if matched.query.size:
        return []
    there = run.some_documents() if isinstance(run, Elsewhere) else some_documents(run)
    told = [", ".join(map(shown, side)) for side in (there, some_documents(qrels))]
    return [f"no retrieved document is judged; the run has {told[0]}, the judgments {told[1]}"]


def _reason(convention: Convention) -> str:
    if convention.duplicates == "count":
        return "a document that stands twice counts twice (duplicates=count)"
    return f"so the convention has it (like {convention.name})"
