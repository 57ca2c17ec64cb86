"""`QueryResults`: what was measured of a run, and its pages: by means, or query by query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Unpack

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.errors import WrongType
from gainful.measure.entry import HIGHER, Direction
from gainful.measure.notes import (
    NO_OVERLAP,
    RUN_REMARKS,
    Remark,
    describe_convention,
    name_convention,
)
from gainful.measure.values import Results
from gainful.page.page import Page, Section, brief_page
from gainful.page.table import Fractions, Table, bar_fractions
from gainful.rounding import ROUNDING
from gainful.text import (
    capitalise_first,
    collect_by_key,
    count_noun,
    format_distinct,
    format_range,
    join_words,
    mark_notes,
    merge_notes,
    name_way,
    number_doubles,
    pluralise,
    shorten,
)

if TYPE_CHECKING:
    import altair as alt

    import gainful

Name = TypeVar("Name", str, int)
Means = Mapping[str, float]  # by run or group
Values = Mapping[str, float | None]  # by measure
_MAX_NAMES, _MAX_MEASURES, _MAX_CLAUSES = 3, 4, 3
ANSWER_DECIMALS = 3  # of a value in a sentence; a table has more


def find_leaders(means: Mapping[Name, float], direction: Direction = HIGHER) -> list[Name]:
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
        'the best of each measure (the lowest of Cost)'
    """
    words = {direction.best for direction in directions.values()}
    if len(words) == 1:
        return f"the {words.pop()} of each measure"
    lower = [name for name, direction in directions.items() if direction.is_lower]
    return f"the best of each measure (the lowest of {join_words(lower)})"


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


def list_footnotes(
    runs: Sequence[Results], notes: Sequence[str] = (), *, verbose: bool = False
) -> list[str]:
    """One line of convention, counts and oddities (or all of them), and then the notes.

    What a note is, stands in `notes` already, such as how intervals were found, or belongs to a
    run; what several runs have in common is said once.
    """
    lines = runs[0].list_counts(runs, verbose=verbose)
    return [*lines, *notes, *mark_notes(merge_notes([(run.name, run.notes) for run in runs]))]


def list_engines(runs: Sequence[Results]) -> list[str]:
    """The engine that matched each file, where there are several."""
    return merge_notes([(run.name, [run.engine]) for run in runs if run.engine])


def _list_all(runs: Sequence[Results]) -> list[str]:
    """The whole convention in one line, and every count; runs with the same counts are one line."""
    same_number = len({len(run.ids) for run in runs}) == 1
    queries = [count_noun(len(run.ids), run.unit) for run in runs]
    convention = " · ".join([*(queries[:1] if same_number else []), describe_convention(runs[0])])
    names_by_counts = collect_by_key(
        (" · ".join([*([] if same_number else [number]), describe_counts(run)]), run.name)
        for number, run in zip(queries, runs, strict=True)
    )
    if len(names_by_counts) == 1:
        return [convention, *names_by_counts]
    return [convention, *(f"{', '.join(names)}: {line}" for line, names in names_by_counts.items())]


def describe_counts(run: Results) -> str:
    """What was missing, unjudged, tied and duplicated, in a line; zeros too."""
    counts = run.counts
    parts = [f"{counts['missing']:g} missing"]
    parts += [f"{counts['extra']:g} without judgments"] if counts["extra"] else []
    parts.append(f"{100 * counts['unjudged_at_10']:.1f} % of the top 10 unjudged")
    parts += [f"{counts['tied']:g} tied", count_noun(int(counts["duplicates"]), "duplicate")]
    return " · ".join(parts)


def _summarise(runs: Sequence[Results]) -> str:
    units = _count_units(runs, [len(run.ids) for run in runs])
    return " · ".join([units, name_convention(runs[0].convention), *list_oddities(runs)])


def _count_units(runs: Sequence[Results], numbers: Sequence[int]) -> str:
    unit = runs[0].unit
    return f"{format_range(numbers)} {unit if max(numbers) == 1 else pluralise(unit)}"


def list_oddities(runs: Sequence[Results]) -> list[str]:
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
    runs: Sequence[Results], count: str, verbs: tuple[str, str], condition: str
) -> Iterator[str]:
    numbers = {run.name: int(run.counts[count]) for run in runs if run.counts[count]}
    if not numbers:
        return
    if len(runs) == 1:
        words = condition or " missing"
        yield f"{count_noun(numbers[runs[0].name], runs[0].unit)}{words}"
        return
    units = _count_units(runs, list(numbers.values()))
    subject = join_words(list(numbers)) if len(numbers) <= _MAX_NAMES else ""
    subject = "all runs" if len(numbers) == len(runs) else subject
    subject = subject or f"{len(numbers)} of {len(runs)} runs"
    yield f"{subject} {verbs[len(numbers) > 1]} {units}{condition}"


def _describe_odd_docs(runs: Sequence[Results], count: str, noun: str) -> Iterator[str]:
    numbers = [int(run.counts[count]) for run in runs]
    if not any(numbers):
        return
    several = [run.name for run, number in zip(runs, numbers, strict=True) if number]
    where = f" in {join_words(several)}" if len(several) < len(runs) <= _MAX_NAMES else ""
    words = noun if max(numbers) == 1 else f"{noun}s"
    yield f"{format_range([number for number in numbers if number])} {words}{where}"


def summary_page(values: Results, size: str, remarks: Sequence[str]) -> Page:
    """The means, under a line that says of what, above what one should know; by group, if any."""
    headline = f"{values.TITLE} of {values.name}, {size}, like {values.convention.name}"
    if values.grouping is not None:
        from gainful.measure import groups  # noqa: PLC0415  (few ask for it)

        lines = [*remarks, *groups.describe_groups([values]), *groups.describe_folding([values])]
        return Page(sections=[Section(headline, groups.build_group_table([values]), lines)])
    means = {name: values.format_value(name, mean) for name, mean in values.mean.items()}
    name_width = max(map(len, means), default=0)
    lines = [f"{name:<{name_width}}  {mean}" for name, mean in means.items()]
    table = Table(("measure", "mean"), list(means.items()), numeric=True, label_columns=1)
    return brief_page(headline, lines, table, remarks)


_MAX_COLUMNS = 8  # measures; beyond, they stand below one another
_MAX_ID_LENGTH = 30  # characters of a query in a sentence
_MEAN_WORDS = {"mean": "a mean", "geometric": "a geometric mean", "whole": "a"}
_SUMMED_COUNTS = ("missing", "extra", "tied", "duplicates", "retrieved")


def results_page(
    results: Sequence[Results],
    *,
    per_query: bool = False,
    verbose: bool = False,
    notes: Sequence[str] = (),
) -> Page:
    """Runs by their means, or query by query; `notes` stand before those of the runs."""
    engines = list_engines(results) if verbose else []
    page = Page(
        answer=describe_answer(results),
        notes=[*list_footnotes(results, notes, verbose=verbose), *engines],
        data=lambda: to_dict(results),
    )
    if per_query:
        return evolve(
            page,
            sections=[lambda _: [Section(table=_build_query_table(results))]],
            rows=lambda: _list_query_rows(results),
        )
    if results[0].grouping is not None:
        return _add_groups(page, results)
    return evolve(
        page,
        sections=[lambda width: [_build_section(results, width)]],
        rows=lambda: list_run_rows(results),
        records=lambda: [{"run": run.name, **run.to_dict()["mean"]} for run in results],
    )


def _add_groups(page: Page, results: Sequence[Results]) -> Page:
    from gainful.measure import groups  # noqa: PLC0415  (few ask for it)

    table = groups.build_group_table(results)
    return evolve(
        page,
        notes=[*page.notes, *mark_notes(groups.describe_groups(results))],
        sections=[
            Section(
                table=table,
                lines=mark_notes(groups.describe_folding(results)),
                caption="Means by group.",
                label="tab:groups",
            )
        ],
        rows=lambda: groups.list_group_rows(results),
    )


def describe_answer(results: Sequence[Results]) -> str:
    """How good is the run, or which is highest, in a sentence or two."""
    graded = [
        name for name, recipe in results[0].recipes.items() if recipe.entry.aggregation != "sum"
    ]
    if not graded:
        return ""
    if unmatched := describe_unmatched(results):
        return unmatched
    if len(results) == 1:
        return _describe_run(results[0], graded[0])
    means = {measure: {run.name: run.mean_of(measure) for run in results} for measure in graded}
    way = name_way("gainful compare", "gainful.compare(results)")
    advice = f"Run {way} to see whether this is more than chance."
    return f"{describe_leaders(means, results[0].directions)} {advice}"


def describe_unmatched(results: Sequence[Results]) -> str:
    """A sentence if no retrieved document of any run is judged, otherwise nothing."""
    notes = [note for run in results for note in run.notes if note.startswith(NO_OVERLAP)]
    return f"{capitalise_first(notes[0])}." if len(notes) == len(results) else ""


def _describe_run(results: Results, measure: str) -> str:
    """The mean of one measure, and the range of its queries."""
    mean = results.mean[measure]
    if np.isnan(mean):
        return f"No {results.unit} counts in {measure}, so {results.name} has no mean."
    kind = _MEAN_WORDS[results.recipes[measure].entry.aggregation]
    units = count_noun(len(results.ids), results.unit)
    shown = format_distinct(mean, 0, ANSWER_DECIMALS)
    text = f"{results.name} has {kind} {measure} of {shown} over {units}"
    values = np.ma.masked_invalid(np.ma.asarray(results.values[measure]))
    if values.count() < 2 or kind != _MEAN_WORDS["mean"] or values.min() == values.max():
        return f"{text}."
    low, high = (
        f"{values[at]:.{ANSWER_DECIMALS}f} ({shorten(results.ids[at], _MAX_ID_LENGTH)})"
        for at in (int(values.argmin()), int(values.argmax()))
    )
    return f"{text}, from {low} to {high}."


def _build_section(results: Sequence[Results], width: int | None) -> Section:
    bold = f"; {name_best(results[0].directions)} is bold"
    runs = "" if len(results) == 1 else bold
    units = f"{format_range([len(run.ids) for run in results])} {pluralise(results[0].unit)}"
    source = name_convention(results[0].convention)
    caption = f"Means over {units}, computed {source}{runs}."
    return Section(table=_choose_table(results, width), caption=caption, label="tab:results")


def to_dict(results: Sequence[Results]) -> dict[str, Any]:
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


def _choose_table(results: Sequence[Results], width: int | None) -> Table:
    """Runs below one another, or side by side where so many measures do not fit."""
    table = _build_run_table(results)
    turned_table = _turn(table)
    from gainful.page.formats.text import text_width  # noqa: PLC0415  (a pipe needs no width)

    table_width = text_width(table)
    max_width = width or (table_width if len(results[0].values) <= _MAX_COLUMNS else 0)
    is_turned = table_width > max_width and text_width(turned_table) < table_width
    return turned_table if is_turned else table


def _build_run_table(results: Sequence[Results]) -> Table:
    means = [run.mean for run in results]
    bars: dict[int, Fractions] = {}
    best: set[tuple[int, int]] = set()
    for at, (name, recipe) in enumerate(results[0].recipes.items(), start=1):
        values = [mean[name] for mean in means]
        bars[at] = bar_fractions(values, bounded=recipe.entry.bounded)
        leaders = find_leaders(dict(enumerate(values)), recipe.direction)
        if recipe.entry.aggregation != "sum" and len(leaders) < len(results):
            best |= {(row, at) for row in leaders}
    columns = ("run", *results[0].values)
    rows = [(run.name, *_format_values(run, run.mean)) for run in results]
    return Table(columns, rows, numeric=True, label_columns=1, bars=bars, bold=frozenset(best))


def _turn(table: Table) -> Table:
    """The table with measures below one another, and runs side by side."""
    (_, *runs), *rows = zip(table.columns, *table.rows, strict=True)
    return evolve(
        table,
        columns=("measure", *runs),
        rows=rows,
        bars=dict(enumerate(zip(*table.bars.values(), strict=True), start=1)),
        bold=frozenset((at - 1, row + 1) for row, at in table.bold),
    )


def _build_query_table(results: Sequence[Results]) -> Table:
    """A row for each run and query, and one for the mean of each run."""
    rows, values = [], []
    for run in results:
        means: Values = {
            name: None if recipe.entry.aggregation == "sum" else run.mean[name]
            for name, recipe in run.recipes.items()
        }
        for labels, own in _label_queries(run):
            rows.append((*labels, *_format_values(run, own)))
            values.append(own)
        blank = () if run.grouping is None else ("",)
        rows.append((run.name, "all", *blank, *_format_values(run, run.mean)))
        values.append(means)  # a bar for the mean too, where that is no sum
    labels = _list_label_columns(results, results[0].unit)
    bars = {
        at: bar_fractions([own[name] for own in values], bounded=recipe.entry.bounded)
        for at, (name, recipe) in enumerate(results[0].recipes.items(), start=len(labels))
    }
    columns = (*labels, *results[0].values)
    return Table(columns, rows, numeric=True, label_columns=len(labels), bars=bars)


def _label_queries(run: Results) -> Iterator[tuple[tuple[str | None, ...], Values]]:
    """The run, query and group of each row, and its values."""
    for query, values in run.values_by_id().items():
        group = () if run.grouping is None else (run.grouping.labels.get(query),)
        yield (run.name, query, *group), values


def _list_label_columns(results: Sequence[Results], unit: str) -> tuple[str, ...]:
    return ("run", unit) if results[0].grouping is None else ("run", unit, "group")


def list_run_rows(results: Sequence[Results]) -> Table:
    """The mean of each run, at full precision."""
    rows = [(run.name, *run.mean.values()) for run in results]
    return Table(("run", *results[0].values), rows, numeric=True, label_columns=1)


def _list_query_rows(results: Sequence[Results]) -> Table:
    rows = [
        (*labels, *values.values()) for run in results for labels, values in _label_queries(run)
    ]
    labels = _list_label_columns(results, results[0].KEY)
    return Table((*labels, *results[0].values), rows, numeric=True, label_columns=len(labels))


def _format_values(results: Results, values: Values) -> list[str]:
    return [results.format_value(name, value) for name, value in values.items()]


@frozen(eq=False, repr=False, kw_only=True)
class QueryResults(Results):
    """A value for every query and measure of a run.

    `results["nDCG@10"]` is the mean of a measure, `mean` has all of them, `per_query` is a frame
    with a row for each query, `worst(10)` the queries to look at first, `to_dict()` all of it as
    plain data; two results are equal if their values and conventions are.

    Examples:
        >>> from gainful import evaluate
        >>> results = evaluate({"1": {"a": 1}}, {"1": {"b": 0.9, "a": 0.5}}, ["RR", "P@1"])
        >>> results["RR"], "P@1" in results, list(results)
        (0.5, True, ['RR', 'P@1'])
        >>> results
        Results of run, 1 query, like gainful
        RR   0.5000
        P@1  0.0000
        50 % of the top 10 unjudged
    """

    REMARKS: ClassVar[Sequence[Remark]] = RUN_REMARKS
    ROWS: ClassVar[Mapping[str, Any]] = {"per_query": True}

    unit: str = "query"

    @property
    def queries(self) -> Sequence[str]:
        """The queries, in the order of their values."""
        return self.ids

    @property
    def per_query(self) -> pl.DataFrame:
        """A row for each query, a column for each measure; null where a query is left out.

        Queries that were whole numbers in a frame are so here, to be joined with it.
        """
        frame = self.tabulate()
        numbers = frame["query"].cast(pl.Int64, strict=False)
        whole = self.numeric_ids and not numbers.null_count()
        return frame.with_columns(numbers) if whole else frame

    @property
    def numeric_queries(self) -> bool:
        """Were queries whole numbers in the frame that they came from?"""
        return self.numeric_ids

    def values_by_query(self) -> dict[str, dict[str, float | None]]:
        """{query: {measure: value}}; None where a query is left out."""
        return self.values_by_id()

    def page(self, *, per_query: bool = False, verbose: bool = False) -> Page:
        """The run by its means, or query by query; with the whole convention if `verbose`."""
        return results_page([self], per_query=per_query, verbose=verbose)

    @staticmethod
    def list_counts(results: Sequence[Results], *, verbose: bool) -> list[str]:
        """What was counted in one run or several, and whose convention it is."""
        return _list_all(results) if verbose else [_summarise(results)]

    def brief(self) -> Page:
        """The means in a few lines, and what was odd."""
        oddities = " · ".join(list_oddities([self]))
        remarks = [line for line in (oddities, *self.notes) if line]
        return summary_page(self, count_noun(len(self.ids), self.unit), remarks)

    def list_columns(self, **view: Any) -> dict[str, list[Any]]:
        """Of a frame: a row for each query, unless another view is asked for."""
        columns = super().list_columns(**view)
        if self.numeric_ids and "query" in columns and self.per_query["query"].dtype == pl.Int64:
            columns["query"] = [int(query) for query in columns["query"]]
        return columns

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        data: dict[str, Any] = {
            "mean": self.mean_or_none(),
            "per_query": self.values_by_id(),
            "convention": self.convention_data(),
            "counts": dict(self.counts),
        }
        if self.grouping is not None:
            data |= {"grouped_by": self.grouping.name, "groups": self.groups()}
        return data | ({"notes": list(self.notes)} if self.notes else {})

    # What compares and draws stands floors above: results ask it by its public name.

    def compare(
        self, *others: QueryResults, **options: Unpack[gainful.stats.MethodOptions]
    ) -> gainful.Comparison:
        """Is another run really better than this one, the baseline?

        Args:
            others: the results of one run or more, by the same judgments and measures.
            **options: how runs are compared (`stats.MethodOptions`), as `gainful.compare` has them.
        """
        import gainful  # noqa: PLC0415

        return gainful.compare([self, *list_others(others)], **options)

    def plot(self, **options: Any) -> alt.TopLevelMixin:
        """A dot for the mean of each measure, a line for its interval, as an Altair chart.

        Args:
            **options: of `gainful.figures.dots`: interval, resamples, seed; title, width, height,
                dark.
        """
        import gainful  # noqa: PLC0415

        return gainful.figures.dots(self, **options)


def list_others(others: Sequence[object]) -> list[QueryResults]:
    """The results of other runs; a baseline or a run in their place is an error that says how."""
    results: list[QueryResults] = []
    for other in others:
        for run in other.values() if isinstance(other, Mapping) else [other]:
            if not isinstance(run, QueryResults):
                way = "what gainful.evaluate returned; baseline= and test= are given by name"
                raise WrongType("other", run, way)
            results.append(run)
    return results


def name_results(results: Any) -> dict[str, QueryResults]:
    """Results by the names of their runs, those of one name numbered; all else is refused."""
    several = [results] if isinstance(results, QueryResults) else results
    runs = list(several.values() if isinstance(several, Mapping) else several)
    if not runs or not all(isinstance(run, QueryResults) for run in runs):
        raise WrongType("results", results, "what gainful.evaluate returned")
    is_named = isinstance(several, Mapping)
    names = several if is_named else number_doubles([run.name for run in runs])
    return dict(zip(names, runs, strict=True))
