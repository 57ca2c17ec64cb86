"""What stands below a table of runs: the convention, what was counted, and what was odd."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from gainful.convention import CONVENTIONS, SETTINGS, Convention, like
from gainful.measure.convention_words import describe_by_measure, name_convention
from gainful.measure.recipe import Recipe
from gainful.text import count_noun, format_range, join_words

_IDEAL_WORDS = {"judged": "ideal from all judged", "list": "ideal from the list itself"}
_MISSING_WORDS = {"zero": "a missing query scores 0", "skip": "missing queries are left out"}
_MAX_NAMES = 3  # runs that a line names; of more it says how many


class MeasuredRun(Protocol):
    """What a footnote needs to know of a run."""

    @property
    def name(self) -> str:
        """What the run is called."""

    @property
    def queries(self) -> Sequence[str]:
        """The queries that count."""

    @property
    def recipes(self) -> Mapping[str, Recipe]:
        """The measures, everything settled."""

    @property
    def convention(self) -> Convention:
        """The settings."""

    @property
    def counts(self) -> Mapping[str, float]:
        """What was missing, unjudged, tied and duplicated."""

    @property
    def notes(self) -> Sequence[str]:
        """What one should know before believing a value."""


def list_footnotes(
    runs: Sequence[MeasuredRun], notes: Sequence[str] = (), *, verbose: bool = False
) -> list[str]:
    """One line of convention, counts and oddities (or all of them), and then the notes.

    What a note is, stands in `notes` already, such as how intervals were found, or belongs to a
    run; what several runs have in common is said once.
    """
    lines = _list_all(runs) if verbose else [_summarise(runs)]
    return [*lines, *notes, *(f"Note: {note}" for note in merge_notes(runs))]


def merge_notes(runs: Sequence[MeasuredRun]) -> list[str]:
    """What one should know before believing a value; what all runs share is said once."""
    names_by_note: dict[str, list[str]] = {}
    for run in runs:
        for note in run.notes:
            names_by_note.setdefault(note, []).append(run.name)
    return [
        note if len(names) == len(runs) else f"{', '.join(names)}: {note}"
        for note, names in names_by_note.items()
    ]


def _list_all(runs: Sequence[MeasuredRun]) -> list[str]:
    """The whole convention in one line, and every count; runs with the same counts are one line."""
    same_number = len({len(run.queries) for run in runs}) == 1
    queries = [count_noun(len(run.queries), "query") for run in runs]
    convention = " · ".join([*(queries[:1] if same_number else []), describe_convention(runs[0])])
    names_by_counts: dict[str, list[str]] = {}
    for query_count, run in zip(queries, runs, strict=True):
        line = " · ".join([*([] if same_number else [query_count]), describe_counts(run)])
        names_by_counts.setdefault(line, []).append(run.name)
    if len(names_by_counts) == 1:
        return [convention, *names_by_counts]
    return [convention, *(f"{', '.join(names)}: {line}" for line, names in names_by_counts.items())]


def describe_counts(run: MeasuredRun) -> str:
    """What was missing, unjudged, tied and duplicated, in a line; zeros too."""
    counts = run.counts
    parts = [f"{counts['missing']:g} missing"]
    parts += [f"{counts['extra']:g} without judgments"] if counts["extra"] else []
    parts.append(f"{100 * counts['unjudged_at_10']:.1f} % of the top 10 unjudged")
    parts += [f"{counts['tied']:g} tied", count_noun(int(counts["duplicates"]), "duplicate")]
    return " · ".join(parts)


def _summarise(runs: Sequence[MeasuredRun]) -> str:
    """How many queries, whose convention, and only what is odd."""
    numbers = [len(run.queries) for run in runs]
    queries = f"{format_range(numbers)} {'query' if max(numbers) == 1 else 'queries'}"
    return " · ".join([queries, name_source(runs[0].convention), *list_oddities(runs)])


def list_oddities(runs: Sequence[MeasuredRun]) -> list[str]:
    """What was missing, unjudged, tied or duplicated, of all runs together; zeros are not said."""
    unjudged = [100 * run.counts["unjudged_at_10"] for run in runs]
    shares = [f"{format_range(unjudged)} % of the top 10 unjudged"] if any(unjudged) else []
    return [
        *_describe_odd_queries(runs, "missing", ("misses", "miss"), ""),
        *_describe_odd_queries(runs, "extra", ("has", "have"), " without judgments"),
        *shares,
        *_describe_odd_docs(runs, "tied", "tied document"),
        *_describe_odd_docs(runs, "duplicates", "duplicate"),
    ]


def _describe_odd_queries(
    runs: Sequence[MeasuredRun], count: str, verbs: tuple[str, str], condition: str
) -> Iterator[str]:
    """Which runs miss queries, or have some that nobody judged."""
    numbers = {run.name: int(run.counts[count]) for run in runs if run.counts[count]}
    if not numbers:
        return
    if len(runs) == 1:
        words = condition or " missing"
        yield f"{count_noun(next(iter(numbers.values())), 'query')}{words}"
        return
    largest = max(numbers.values())
    queries = f"{format_range(list(numbers.values()))} {'query' if largest == 1 else 'queries'}"
    subject = join_words(list(numbers)) if len(numbers) <= _MAX_NAMES else ""
    subject = "all runs" if len(numbers) == len(runs) else subject
    subject = subject or f"{len(numbers)} of {len(runs)} runs"
    yield f"{subject} {verbs[len(numbers) > 1]} {queries}{condition}"


def _describe_odd_docs(runs: Sequence[MeasuredRun], count: str, noun: str) -> Iterator[str]:
    """How many documents are tied, or stand twice."""
    numbers = [int(run.counts[count]) for run in runs]
    if not any(numbers):
        return
    several = [run.name for run, number in zip(runs, numbers, strict=True) if number]
    where = f" in {join_words(several)}" if len(several) < len(runs) <= _MAX_NAMES else ""
    words = noun if max(numbers) == 1 else f"{noun}s"
    yield f"{format_range([number for number in numbers if number])} {words}{where}"


def describe_convention(results: MeasuredRun) -> str:
    """How the numbers came about, in one line; what differs between measures is said of each."""
    convention, recipes = results.convention, results.recipes

    def describe(says: Callable[[Recipe], bool], text: Callable[[Recipe], str]) -> list[str]:
        return describe_by_measure({k: v for k, v in recipes.items() if says(v)}, text)

    parts = [
        name_source(convention),
        *describe(_is_cumulated, lambda recipe: f"gain {recipe.gain.text()}"),
        *describe(
            lambda recipe: _is_cumulated(recipe) and recipe.entry.discounted,
            lambda recipe: f"discount {recipe.discount.text()}",
        ),
        *describe(_is_cumulated, lambda recipe: _IDEAL_WORDS[str(recipe.convention.ideal)]),
        *describe(
            lambda recipe: "rel" in recipe.entry.arguments,
            lambda recipe: f"relevant from grade {recipe.function_arguments()['rel']:g} on",
        ),
        *describe(
            lambda recipe: "max_grade" in recipe.entry.arguments,
            lambda recipe: f"best grade {recipe.convention.max_grade:g}",
        ),
        *describe(
            lambda recipe: "ties" in recipe.entry.params,
            lambda recipe: f"ties {SETTINGS['ties'].describe(recipe.convention.ties)}",
        ),
        _MISSING_WORDS.get(str(convention.missing), "a missing query is refused"),
    ]
    return " · ".join(parts)


def _is_cumulated(recipe: Recipe) -> bool:
    return recipe.entry.cumulated


def name_source(convention: Convention) -> str:
    """Whose convention it is, and what of it was set otherwise."""
    base = like(convention.name) if convention.name in CONVENTIONS else None
    return name_convention(convention, base)
