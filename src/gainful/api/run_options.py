"""How judgments and runs are read, and whose settings count: options of all that takes runs.

One set of typed keywords serves `evaluate`, `compare`, `gate`, `plan`, `order`, `report` and their
kin; editors complete them, `help` shows them, and each is documented once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict, TypeVar

from attrs import evolve, field, fields, frozen

from gainful.api.keywords import Function, answer_options
from gainful.convention import Convention
from gainful.errors import BadValue, GainfulError, Missing
from gainful.measure.build_recipes import EvaluationSettings, Measures, build_recipes
from gainful.measure.entry import Recipe
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.results import name_results
from gainful.measure.values import Results
from gainful.read.column_names import ColumnMapping, ColumnNames, read_column_names
from gainful.read.inputs import AnyQrels, AnyRun, as_qrels, as_run, find_run_beside
from gainful.read.qrels_and_run import LazyRun, NestedDict, Qrels, Run
from gainful.read.source import is_file, is_folder
from gainful.text import IN_SHELL, name_files, name_way, number_doubles

if TYPE_CHECKING:  # few name them
    from gainful.read.items import AnyItems
    from gainful.read.query_columns import AnyQueries

Runs = Mapping[str, AnyRun] | Sequence[AnyRun]
# Those that a type checker can tell from one run.
NamedRuns = (
    Mapping[str, str]
    | Mapping[str, PathLike[str]]
    | Mapping[str, Run]
    | Mapping[str, Mapping[str, Mapping[str, float]]]
    | list[str]
    | list[PathLike[str]]
)
AnyResults = TypeVar("AnyResults", bound=Results)
AllResults = Mapping[str, Results] | Sequence[Results]
_ALLOWED = "{name: run}, or a list of runs"
_NUMBERS = {1: "one", 2: "two", 3: "three"}


def name_runs(runs: Runs | AnyRun, at_least: int = 1) -> dict[str, AnyRun]:
    """Runs by name; those of a list, and a run by itself, are named for their files, or numbered.

    Examples:
        >>> list(name_runs(["runs/bm25.txt", "runs/dense.txt.gz"]))
        ['bm25', 'dense']
        >>> list(name_runs([{"1": ["a"]}, {"1": ["b"]}]))
        ['run 1', 'run 2']
    """
    several: Any = runs if _holds_runs(runs) else [runs]  # or a run by itself
    if isinstance(runs, (Mapping, list, tuple)) and not runs:
        several = []
    if len(several) < at_least:
        number = _NUMBERS[at_least]
        if IN_SHELL.get():
            raise Missing("runs", runs, f"give at least {number} RUN after QRELS")
        raise BadValue("runs", runs, f"{_ALLOWED}, with at least {number}")
    if isinstance(several, Mapping):
        return {str(name): run for name, run in several.items()}
    return _name_list(several)


def _holds_runs(value: Any) -> bool:
    if isinstance(value, dict) and all(isinstance(run, (str, PathLike)) for run in value.values()):
        return True
    from gainful.read.shapes import holds_runs  # noqa: PLC0415  (a command has files only)

    return holds_runs(value)


def _name_list(runs: Sequence[AnyRun]) -> dict[str, AnyRun]:
    files = [fspath(run) for run in runs if isinstance(run, (str, PathLike))]
    file_names = iter(name_files(files))
    names = [
        next(file_names)
        if isinstance(run, (str, PathLike))
        else str(getattr(run, "name", None) or "run")
        for run in runs
    ]
    return dict(zip(number_doubles(names), runs, strict=True))


def name_file(run: object) -> str | None:
    """What a run is called for its file; None where it comes from none.

    Examples:
        >>> name_file("runs/bm25.txt.gz"), name_file({"1": ["a"]})
        ('bm25', None)
    """
    return name_files([fspath(run)])[0] if isinstance(run, (str, PathLike)) else None


def separate_runs(
    given: Sequence[Any], measures: Measures | None
) -> tuple[dict[str, AnyRun], Measures | None]:
    """Two runs or more, and the measures, where these were given one after the other."""
    runs = [value for value in given if value is not None]
    number = 1 if len(runs) == 2 and _holds_runs(runs[0]) else 0  # whatever it is called
    while number < len(runs) - 1 and _names_measures(runs[-number - 1]):
        number += 1
    if number:
        last = runs[-number:]
        measures = _refuse_both(measures, last[0] if number == 1 else last)
        del runs[-number:]
    if len(runs) > 1:
        return _name_list(runs), measures
    return name_runs(runs[0] if runs else (), at_least=2), measures


def holds_results(value: object) -> bool:
    """Is it what was evaluated already: sessions, a run or several?"""
    if isinstance(value, (Mapping, list, tuple)) and value:
        value = next(iter(value.values() if isinstance(value, Mapping) else value))
    return isinstance(value, Results)


def take_results(
    given: Sequence[Any], measures: Measures | None, beside: Mapping[str, Any]
) -> list[Results]:
    """Results of sessions, or of runs that have different names.

    Those of these measures alone, which may be given after the results. How inputs are read is
    refused `beside` results.
    """
    refuse_beside_results(beside)
    values = [value for value in given if value is not None]
    if len(values) > 1 and not isinstance(values[-1], Results):
        refuse_beside_results({"runs": values[-1] if isinstance(values[-1], Mapping) else None})
        measures = _refuse_both(measures, values.pop())
    first: Any = values[0]
    if len(values) == 1 and isinstance(first, Results):
        return [select_measures(first, measures)]
    results = name_results(first if isinstance(first, (Mapping, list, tuple)) else values)
    return [evolve(select_measures(run, measures), name=name) for name, run in results.items()]


def refuse_beside_results(options: Mapping[str, Any]) -> None:
    """Results are evaluated already: how to read and evaluate them comes too late."""
    for name, value in options.items():
        if value is not None:
            raise BadValue(name, value, "nothing with results, which are already evaluated")


def select_measures(results: AnyResults, measures: Measures | None) -> AnyResults:
    """Results by these measures alone; by all, if none is named."""
    if measures is None:
        return results
    names = [
        results.find_name(measure)
        for name in ([measures] if isinstance(measures, (str, Measure)) else measures)
        for measure in ([name] if name in results.values else expand(name))
    ]
    return results.select_measures(names)


def _names_measures(value: object) -> bool:
    """Is it a measure or several, and not a run? A file of that name is a run."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_names_measures, value))
    if isinstance(value, str) and (is_file(value) or is_folder(value)):
        return False
    if not isinstance(value, (str, Measure)):
        return False
    try:
        return bool(expand(value))
    except GainfulError:
        return False


def _refuse_both(measures: Measures | None, more: Measures) -> Measures:
    if measures is not None:
        raise BadValue("measures", more, "the measures once")
    return more


class FormatOptions(TypedDict, total=False):
    """How judgments and runs are read: see `RunOptions`."""

    qrels_format: str | None
    run_format: str | None
    columns: ColumnNames | None


class RunOptions(EvaluationSettings, FormatOptions, total=False):
    """How judgments and runs are read, and the settings to follow; all options are optional.

    Args:
        like: the tool whose settings to follow, by name or as a `Convention`.
        qrels_format: format of the judgments; by default recognised by content.
        run_format: format of the runs; by default recognised by content.
        columns: names of columns, such as {"query": "user", "doc": "item"}, if not the usual ones.
        **settings: single settings, such as `ties="average"` or `missing="skip"`.
    """

    like: str | Convention | None


GroupChoice = str | Mapping[Any, Any] | Callable[[str], object]


class GroupOptions(RunOptions, total=False):
    """How queries are grouped, beside how inputs are read.

    Args:
        group: also give values by group of queries: a column of `queries`, of the judgments, of a
            run or of RAG records; {query: group}; a function of the query's id; or text_length
            (words of its text) or relevant_docs (how many it has).
        queries: a table of the queries: a file (CSV, TSV, JSON lines) or frame with a column query,
            or {query: {attribute: value}}.
    """

    group: GroupChoice | None
    queries: AnyQueries | None


def refuse_lone_queries(queries: AnyQueries) -> NoReturn:
    """A table of queries says nothing where no groups are asked for."""
    value = fspath(queries) if isinstance(queries, (str, PathLike)) else "a table"
    allowed = f"a value only with {name_way('--group COLUMN', 'group=')}, one of its columns"
    raise BadValue(name_way("--queries", "queries"), value, allowed)


def answer_run_options(
    options: type = RunOptions, described_by: Sequence[type] = (RunOptions,)
) -> Callable[[Function], Function]:
    """Let a function that takes these options show them, and answer those that are misspelt."""
    return answer_options(options, described_by, EvaluationSettings.__annotations__)


@frozen(kw_only=True)
class RunReading:
    """What `RunOptions` say, as one value: it reads judgments and runs, and builds recipes."""

    like: str | Convention | None = None
    qrels_format: str | None = None
    run_format: str | None = None
    columns: ColumnMapping = field(default=None, converter=read_column_names)
    group: GroupChoice | None = None
    queries: AnyQueries | None = None
    items: AnyItems | None = None
    interactions: Any = None
    settings: Mapping[str, Any] = field(factory=dict)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> RunReading:
        """Single settings apart from all else."""
        own = {name: value for name, value in options.items() if name in _OWN_OPTIONS}
        settings = {name: value for name, value in options.items() if name not in own}
        return cls(**own, settings=settings)

    def build_recipes(self, measures: Measures | None) -> tuple[Convention, dict[str, Recipe]]:
        """The convention, and how each measure is computed."""
        convention, recipes = build_recipes(measures, self.like, self.settings)
        named = [item for item in (self.items, self.interactions) if item is not None]
        if named or any(recipe.entry.of_items for recipe in recipes.values()):
            from gainful.measure.exposure import check_items  # noqa: PLC0415  (few ask for it)

            check_items(recipes, self.items, self.interactions)
        return convention, recipes

    def read_qrels(self, qrels: AnyQrels) -> Qrels | NestedDict:
        """The judgments."""
        return as_qrels(qrels, self.qrels_format, self.columns)

    def read_run(self, run: AnyRun, name: str = "run") -> Run | NestedDict | LazyRun:
        """A run, wherever it is."""
        return as_run(run, self.run_format, name, self.columns)

    def read_run_in_memory(self, run: AnyRun, name: str = "run") -> Run | NestedDict:
        """A run, brought into memory."""
        read = self.read_run(run, name)
        return read.collect() if isinstance(read, LazyRun) else read

    def require_run(self, qrels: AnyQrels, run: AnyRun | None) -> AnyRun:
        """The run; that of a file with both, if none is given."""
        run = find_run_beside(qrels, self.columns) if run is None else run
        if run is None:
            raise BadValue("run", None, "a run next to the judgments; or one file with both")
        return run


_OWN_OPTIONS = tuple(name.name for name in fields(RunReading) if name.name != "settings")
