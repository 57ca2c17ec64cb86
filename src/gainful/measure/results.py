"""The pages of runs: by their means, or query by query; and all of it as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from attrs import evolve

from gainful.measure.entry import HIGHER, Direction
from gainful.measure.notes import NO_OVERLAP, describe_convention, name_convention
from gainful.measure.values import MeasuredValues, RunValues
from gainful.page.page import Page, Section
from gainful.page.table import Fractions, Table, bar_fractions
from gainful.rounding import ROUNDING
from gainful.text import count_noun, format_distinct, format_range, join_words, shorten

Means = Mapping[str, float]  # by run or group
_MAX_NAMES, _MAX_MEASURES, _MAX_CLAUSES = 3, 4, 3
ANSWER_DECIMALS = 3  # of a value in a sentence; a table has more


def find_leaders(means: Means, direction: Direction = HIGHER) -> list[str]:
    """The best, and all that are as good but for rounding; none where there is no mean.

    Examples:
        >>> find_leaders({"a": 0.5, "b": 0.75, "c": 0.75})
        ['b', 'c']
        >>> from gainful.measure.entry import LOWER
        >>> find_leaders({"a": 0.5, "b": 0.75, "c": 0.75}, LOWER)
        ['a']
    """
    known = {name: mean for name, mean in means.items() if mean == mean}  # noqa: PLR0124
    if not known:
        return []
    best = min(known.values()) if direction.is_lower else max(known.values())
    slack = ROUNDING * max(1.0, abs(best))
    return [name for name, mean in known.items() if abs(best - mean) <= slack]


def name_best(directions: Mapping[str, Direction]) -> str:
    """What is marked as the best of each measure, for a caption.

    Examples:
        >>> from gainful.measure.entry import LOWER
        >>> name_best({"AP": HIGHER})
        'the highest of each measure'
        >>> name_best({"AP": HIGHER, "Cost": LOWER})
        'the best of each measure (of Cost the lowest)'
    """
    words = {direction.best for direction in directions.values()}
    if len(words) == 1:
        return f"the {words.pop()} of each measure"
    lower = [name for name, direction in directions.items() if direction.is_lower]
    return f"the best of each measure (of {join_words(lower)} the lowest)"


def describe_leaders(
    means_by_measure: Mapping[str, Means],
    directions: Mapping[str, Direction] = MappingProxyType({}),
) -> str:
    """Who is best by each measure; with whom the lead is shared, and who comes next.

    Examples:
        >>> describe_leaders({"AP": {"a": 0.5, "b": 0.25}, "RR": {"a": 1.0, "b": 1.0}})
        'a is highest in AP (0.500, b has 0.250); a and b are equal in RR (1.000).'
        >>> from gainful.measure.entry import LOWER
        >>> describe_leaders({"Cost": {"a": 2.0, "b": 3.0}}, {"Cost": LOWER})
        'a is lowest in Cost (2.000, b has 3.000).'
    """
    measures_by_leaders: dict[tuple[Direction, tuple[str, ...]], list[str]] = {}
    for measure, means in means_by_measure.items():
        direction = directions.get(measure, HIGHER)
        leaders = tuple(find_leaders(means, direction))
        if leaders:
            measures_by_leaders.setdefault((direction, leaders), []).append(measure)
    clauses = [
        _describe_group(leaders, measures, means_by_measure, direction)
        for (direction, leaders), measures in measures_by_leaders.items()
    ]
    if len(clauses) > _MAX_CLAUSES:
        clauses = [*clauses[: _MAX_CLAUSES - 1], "others lead in other measures"]
    return f"{'; '.join(clauses)}." if clauses else ""


def _describe_group(
    leaders: Sequence[str],
    measures: Sequence[str],
    means_by_measure: Mapping[str, Means],
    direction: Direction,
) -> str:
    """In which measures one or some are best; the value of the first of these."""
    means = means_by_measure[measures[0]]
    value, others = means[leaders[0]], {k: v for k, v in means.items() if k not in leaders}
    if len(leaders) > 1:
        verb = f"share the {direction.best}" if others else "are equal in"
        subject = _name_leaders(leaders, len(means))
        return f"{subject} {verb} {_join_measures(measures, f'{value:.{ANSWER_DECIMALS}f}')}"
    detail = f"{value:.{ANSWER_DECIMALS}f}"
    second = find_leaders(others, direction)
    if second:
        detail = format_distinct(value, others[second[0]], ANSWER_DECIMALS)
        next_value = format_distinct(others[second[0]], value, ANSWER_DECIMALS)
        verb = "have" if len(second) > 1 else "has"
        detail += f", {_name_leaders(second, len(others))} {verb} {next_value}"
    return f"{leaders[0]} is {direction.best} in {_join_measures(measures, detail)}"


def _name_leaders(names: Sequence[str], total: int) -> str:
    if len(names) <= _MAX_NAMES:
        return join_words(names)
    return f"all {total}" if len(names) == total else f"{len(names)} of {total}"


def _join_measures(measures: Sequence[str], detail: str) -> str:
    named = [f"{measures[0]} ({detail})", *measures[1:_MAX_MEASURES]]
    more = len(measures) - len(named)
    return join_words([*named, *([f"{more} more"] if more else [])])


_MAX_RUNS_NAMED = 3  # runs that a line names; of more it says how many


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
    subject = join_words(list(numbers)) if len(numbers) <= _MAX_RUNS_NAMED else ""
    subject = "all runs" if len(numbers) == len(runs) else subject
    subject = subject or f"{len(numbers)} of {len(runs)} runs"
    yield f"{subject} {verbs[len(numbers) > 1]} {queries}{condition}"


def _describe_odd_docs(runs: Sequence[RunValues], count: str, noun: str) -> Iterator[str]:
    """How many documents are tied, or stand twice."""
    numbers = [int(run.counts[count]) for run in runs]
    if not any(numbers):
        return
    several = [run.name for run, number in zip(runs, numbers, strict=True) if number]
    where = f" in {join_words(several)}" if len(several) < len(runs) <= _MAX_RUNS_NAMED else ""
    words = noun if max(numbers) == 1 else f"{noun}s"
    yield f"{format_range([number for number in numbers if number])} {words}{where}"


def summary_page(values: MeasuredValues[Any, Any], size: str, remarks: Sequence[str]) -> Page:
    """The means, under a line that says of what, above what one should know."""
    means = {name: values.format_value(name, mean) for name, mean in values.mean.items()}
    name_width = max(map(len, means), default=0)
    lines = [f"{name:<{name_width}}  {mean}" for name, mean in means.items()]
    table = Table(("measure", "mean"), list(means.items()), numeric=True, label_columns=1)
    headline = f"{values.TITLE} of {values.name}, {size}, like {values.convention.name}"
    return Page(
        sections=[
            Section(lines=(headline, *lines, *remarks), forms=("table",)),
            Section(headline, table, remarks, forms=("html",)),
        ]
    )


_MAX_COLUMNS = 8  # measures; beyond, they stand below one another
_MAX_ID_LENGTH = 30  # characters of a query in a sentence
_CHANCE_ADVICE = "gainful compare tells whether that is more than chance."
_MEAN_WORDS = {"mean": "a mean", "geometric": "a geometric mean"}
_SUMMED_COUNTS = ("missing", "extra", "tied", "duplicates", "retrieved")


def results_page(
    results: Sequence[RunValues],
    *,
    per_query: bool = False,
    verbose: bool = False,
    notes: Sequence[str] = (),
) -> Page:
    """Runs by their means, or query by query; `notes` stand before those of the runs."""
    page = Page(
        answer=describe_answer(results),
        notes=list_footnotes(results, notes, verbose=verbose),
        data=lambda: to_dict(results),
    )
    if per_query:
        return evolve(
            page,
            sections=[lambda _: [Section(table=_build_query_table(results))]],
            rows=lambda: _list_query_rows(results),
        )
    return evolve(
        page,
        sections=[lambda width: [_build_section(results, width)]],
        rows=lambda: list_run_rows(results),
        records=lambda: [{"run": run.name, **run.to_dict()["mean"]} for run in results],
    )


def describe_answer(results: Sequence[RunValues]) -> str:
    """How good is the run, or which is highest, in a sentence or two."""
    graded = [
        name for name, recipe in results[0].recipes.items() if recipe.entry.aggregation != "sum"
    ]
    if not graded:
        return ""
    if len(results) == 1:
        return _describe_run(results[0], graded[0])
    means = {run.name: run.mean for run in results}
    means_by_measure = {
        measure: {name: values[measure] for name, values in means.items()} for measure in graded
    }
    return f"{describe_leaders(means_by_measure, results[0].directions)} {_CHANCE_ADVICE}"


def _describe_run(results: RunValues, measure: str) -> str:
    """The mean of one measure, and from where to where its queries go."""
    unmatched = next((note for note in results.notes if note.startswith(NO_OVERLAP)), "")
    if unmatched:
        return f"{unmatched[0].upper()}{unmatched[1:]}."
    mean = results.mean[measure]
    if np.isnan(mean):
        return f"No query counts in {measure}, so {results.name} has no mean."
    kind = _MEAN_WORDS[results.recipes[measure].entry.aggregation]
    queries = count_noun(len(results.queries), "query")
    text = f"{results.name} has {kind} {measure} of {mean:.{ANSWER_DECIMALS}f} over {queries}"
    values = np.ma.masked_invalid(np.ma.asarray(results.values[measure]))
    if values.count() < 2 or kind != _MEAN_WORDS["mean"] or values.min() == values.max():
        return f"{text}."
    low, high = (
        f"{values[at]:.{ANSWER_DECIMALS}f} ({shorten(results.queries[at], _MAX_ID_LENGTH)})"
        for at in (int(values.argmin()), int(values.argmax()))
    )
    return f"{text}, from {low} to {high}."


def _build_section(results: Sequence[RunValues], width: int | None) -> Section:
    """The table of means; in a paper it has a caption."""
    bold = f"; {name_best(results[0].directions)} is bold"
    runs = "" if len(results) == 1 else bold
    queries = format_range([len(run.queries) for run in results])
    source = name_convention(results[0].convention)
    caption = f"Means over {queries} queries, computed {source}{runs}."
    return Section(table=_choose_table(results, width), caption=caption, label="tab:results")


def to_dict(results: Sequence[RunValues]) -> dict[str, Any]:
    """Several runs as data; counts are those of all runs together."""
    dicts = [run.to_dict() for run in results]
    counts: dict[str, Any] = dict(dicts[0]["counts"])
    for name in _SUMMED_COUNTS:
        counts[name] = sum(run["counts"][name] for run in dicts)
    counts["unjudged_at_10"] = float(np.mean([run["counts"]["unjudged_at_10"] for run in dicts]))
    return {
        "runs": [
            {"name": run.name} | {key: data[key] for key in data if key != "convention"}
            for run, data in zip(results, dicts, strict=True)
        ],
        "convention": dicts[0]["convention"],
        "counts": counts,
    }


def _choose_table(results: Sequence[RunValues], width: int | None) -> Table:
    """Runs below one another, or side by side where so many measures do not fit."""
    table, turned_table = _build_run_table(results), _build_measure_table(results)
    from gainful.page.to_text import text_width  # noqa: PLC0415  (a pipe needs no width)

    table_width = text_width(table)
    max_width = width or (table_width if len(results[0].values) <= _MAX_COLUMNS else 0)
    is_turned = table_width > max_width and text_width(turned_table) < table_width
    return turned_table if is_turned else table


def _build_run_table(results: Sequence[RunValues]) -> Table:
    rows = [(run.name, *_format_values(run, run.mean)) for run in results]
    bars = dict(enumerate(_mean_bars(results), start=1))
    best = frozenset((row, at + 1) for row, at in _find_best(results))
    columns = ("run", *results[0].values)
    return Table(columns, rows, numeric=True, label_columns=1, bars=bars, bold=best)


def _build_measure_table(results: Sequence[RunValues]) -> Table:
    """Runs side by side, where there are many measures."""
    rows = list(zip(*(_format_values(run, run.mean) for run in results), strict=True))
    rows = [(name, *values) for name, values in zip(results[0].values, rows, strict=True)]
    bars = dict(enumerate(zip(*_mean_bars(results), strict=True), start=1))
    best = frozenset((at, row + 1) for row, at in _find_best(results))
    columns = ("measure", *(run.name for run in results))
    return Table(columns, rows, numeric=True, label_columns=1, bars=bars, bold=best)


def _find_best(results: Sequence[RunValues]) -> Iterator[tuple[int, int]]:
    """The number of the run and of the measure of each best mean; of one run, none is."""
    means = [run.mean for run in results]
    for at, (name, recipe) in enumerate(results[0].recipes.items()):
        by_run = {str(row): mean[name] for row, mean in enumerate(means)}
        leaders = find_leaders(by_run, recipe.direction)
        if recipe.entry.aggregation != "sum" and len(leaders) < len(results):
            yield from ((int(row), at) for row in leaders)


def _mean_bars(results: Sequence[RunValues]) -> list[Fractions]:
    """The bars of each measure, of all runs."""
    means = [run.mean for run in results]
    return [
        bar_fractions([mean[name] for mean in means], bounded=recipe.entry.bounded)
        for name, recipe in results[0].recipes.items()
    ]


def _build_query_table(results: Sequence[RunValues]) -> Table:
    """A row for each run and query, and one for the mean of each run."""
    rows = []
    for run in results:
        by_query = run.values_by_id().items()
        rows += [(run.name, query, *_format_values(run, values)) for query, values in by_query]
        rows.append((run.name, "all", *_format_values(run, run.mean)))
    columns, bars = ("run", "query", *results[0].values), _query_bars(results)
    return Table(columns, rows, numeric=True, label_columns=2, bars=bars)


def _query_bars(results: Sequence[RunValues]) -> dict[int, Fractions]:
    """A bar for each query; one for the mean too where that is no sum."""
    bars: dict[int, Fractions] = {}
    for at, (name, recipe) in enumerate(results[0].recipes.items(), start=2):
        entry = recipe.entry
        values: list[float | None] = []
        for run in results:
            values += [row[name] for row in run.values_by_id().values()]
            values.append(None if entry.aggregation == "sum" else run.mean[name])
        bars[at] = bar_fractions(values, bounded=entry.bounded)
    return bars


def list_run_rows(results: Sequence[RunValues]) -> Table:
    """The mean of each run, at full precision."""
    rows = [(run.name, *_as_floats(run.mean.values())) for run in results]
    return Table(("run", *results[0].values), rows, numeric=True, label_columns=1)


def _list_query_rows(results: Sequence[RunValues]) -> Table:
    rows = [
        (run.name, query, *_as_floats(values.values()))
        for run in results
        for query, values in run.values_by_id().items()
    ]
    return Table(("run", "query", *results[0].values), rows, numeric=True, label_columns=2)


def _as_floats(values: Iterable[float | None]) -> list[float | None]:
    """Counts are written as other values are."""
    return [None if value is None else float(value) for value in values]


def _format_values(results: RunValues, values: Mapping[str, float | None]) -> list[str]:
    return [results.format_value(name, value) for name, value in values.items()]
