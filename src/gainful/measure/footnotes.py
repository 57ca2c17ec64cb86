"""What stands below a table of runs: the convention, what was counted, and what was odd."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gainful.measure.convention_line import describe_convention
from gainful.measure.convention_words import name_convention
from gainful.measure.run_values import RunValues
from gainful.text import count_noun, format_range, join_words

_MAX_NAMES = 3  # runs that a line names; of more it says how many


def list_footnotes(
    runs: Sequence[RunValues], notes: Sequence[str] = (), *, verbose: bool = False
) -> list[str]:
    """One line of convention, counts and oddities (or all of them), and then the notes.

    What a note is, stands in `notes` already, such as how intervals were found, or belongs to a
    run; what several runs have in common is said once.
    """
    lines = _list_all(runs) if verbose else [_summarise(runs)]
    return [*lines, *notes, *(f"Note: {note}" for note in merge_notes(runs))]


def merge_notes(runs: Sequence[RunValues]) -> list[str]:
    """What one should know before believing a value; what all runs share is said once."""
    names_by_note: dict[str, list[str]] = {}
    for run in runs:
        for note in run.notes:
            names_by_note.setdefault(note, []).append(run.name)
    return [
        note if len(names) == len(runs) else f"{', '.join(names)}: {note}"
        for note, names in names_by_note.items()
    ]


def _list_all(runs: Sequence[RunValues]) -> list[str]:
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


def describe_counts(run: RunValues) -> str:
    """What was missing, unjudged, tied and duplicated, in a line; zeros too."""
    counts = run.counts
    parts = [f"{counts['missing']:g} missing"]
    parts += [f"{counts['extra']:g} without judgments"] if counts["extra"] else []
    parts.append(f"{100 * counts['unjudged_at_10']:.1f} % of the top 10 unjudged")
    parts += [f"{counts['tied']:g} tied", count_noun(int(counts["duplicates"]), "duplicate")]
    return " · ".join(parts)


def _summarise(runs: Sequence[RunValues]) -> str:
    """How many queries, whose convention, and only what is odd."""
    numbers = [len(run.queries) for run in runs]
    queries = f"{format_range(numbers)} {'query' if max(numbers) == 1 else 'queries'}"
    return " · ".join([queries, name_convention(runs[0].convention), *list_oddities(runs)])


def list_oddities(runs: Sequence[RunValues]) -> list[str]:
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
    runs: Sequence[RunValues], count: str, verbs: tuple[str, str], condition: str
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


def _describe_odd_docs(runs: Sequence[RunValues], count: str, noun: str) -> Iterator[str]:
    """How many documents are tied, or stand twice."""
    numbers = [int(run.counts[count]) for run in runs]
    if not any(numbers):
        return
    several = [run.name for run, number in zip(runs, numbers, strict=True) if number]
    where = f" in {join_words(several)}" if len(several) < len(runs) <= _MAX_NAMES else ""
    words = noun if max(numbers) == 1 else f"{noun}s"
    yield f"{format_range([number for number in numbers if number])} {words}{where}"
