"""`Results`: a value for every measure and unit, which is a query, a turn or a session."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, ClassVar, NoReturn, Self, TypeVar

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from gainful.errors import BadValue, GainfulError, UnknownName, WrongType
from gainful.measure.entry import Aggregation, Direction
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.page.shown import Shown
from gainful.text import LIKE_QUERIES, pluralise
from gainful.types import Array, Flags, finite_or_none, is_whole_number

T = TypeVar("T")


class ByMeasure(dict[str, T]):
    """Means or values by measure; calling them, as a frame's `mean()`, is an error with a hint."""

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Say what to write instead."""
        way = 'no brackets: results.mean or results["nDCG@10"]; results.values has arrays'
        raise WrongType("a dict by measure", "called", way)


def _as_values(values: Mapping[str, Array]) -> Mapping[str, Array]:
    return ByMeasure(values)


@frozen
class Grouping:
    """To which group each query or session belongs; one that is not named belongs to none."""

    name: str  # of the column, or of the function
    labels: Mapping[str, str]  # by query or session

    def order_labels(self, ids: Sequence[str]) -> list[str]:
        """The groups of these, by name; numbers that they begin with are in order.

        Examples:
            >>> Grouping("docs", {"a": "10+", "b": "2-9", "c": "10+"}).order_labels("abc")
            ['2-9', '10+']
        """
        labels = {self.labels[name] for name in ids if name in self.labels}
        numbers = {label: re.match(r"\d+", label, re.ASCII) for label in labels}
        first = {label: float(number[0]) if number else inf for label, number in numbers.items()}
        return sorted(labels, key=lambda label: (first[label], label))


def name_units(text: str, unit: str) -> str:
    """The text, with queries called users or turns if these are the units."""
    if unit not in LIKE_QUERIES:
        return text
    names = {"query": unit, "queries": pluralise(unit)}
    return re.sub(r"\bquer(y|ies)\b", lambda noun: names[noun[0]], text)


@frozen(eq=False, repr=False, kw_only=True)
class Results(Shown):
    """A value for every measure and every unit: a query of a run, or a session.

    `results["nDCG@10"]` is the mean of a measure, `mean` has all of them, iteration goes over the
    names of measures, and two results are equal if all their values and conventions are. Those of
    a run are `QueryResults`, those of sessions `SessionResults`.
    """

    TITLE: ClassVar[str] = "Results"  # what they are called in a headline
    REMARKS: ClassVar[Sequence[Any]] = ()  # what is said of a convention, where it is told whole
    ROWS: ClassVar[Mapping[str, Any]] = {}  # the view that a frame has: a row for each unit
    KEY: ClassVar[str] = "query"  # the column of their names

    unit: str  # what has a value, in a word: query, user, turn, session

    name: str
    ids: Sequence[str]  # of the queries or sessions, in the order of their values
    # By the caller's name of the measure; masked where left out.
    values: Mapping[str, Array] = field(converter=_as_values)
    recipes: Mapping[str, Any]  # `Recipe`s, or `SessionRecipe`s
    convention: Any  # `Convention`, or `SessionConvention`
    counts: Mapping[str, float]
    notes: Sequence[str] = ()  # what to know before trusting a value
    numeric_ids: bool = False  # were they whole numbers in the frame that they came from?
    whole: Mapping[str, float] = {}  # of measures that have a value for all of it only
    engine: str = ""  # which one matched a file, if there are several
    grouping: Grouping | None = None  # values are also given by group

    @property
    def columns(self) -> pl.DataFrame:
        """A row for each unit: what it is called, and what it can be grouped by."""
        columns: dict[str, list[str | None]] = {self.KEY: list(self.ids)}
        if self.grouping is not None:
            columns[self.grouping.name] = [self.grouping.labels.get(name) for name in self.ids]
        return pl.DataFrame(columns)

    def group_flags(self) -> dict[str, Flags]:
        """By group, in the order of their names: which units belong to it."""
        if self.grouping is None:
            return {}
        labels = np.array([self.grouping.labels.get(name) for name in self.ids], dtype=object)
        return {label: labels == label for label in self.grouping.order_labels(self.ids)}

    def groups(self) -> list[dict[str, Any]]:
        """How many units each group has, and their means."""
        return [
            {
                "group": label,
                pluralise(self.KEY): int(some.sum()),
                "mean": {name: finite_or_none(self.mean_of(name, some)) for name in self.values},
            }
            for label, some in self.group_flags().items()
        ]

    def restrict(self, some: Flags) -> Self:
        """Results in which only some units count, as if the others had been left out."""
        left_out = {name: np.ma.masked_array(values, ~some) for name, values in self.values.items()}
        return evolve(self, values=left_out, whole={})

    def group_names(self, by: str | Sequence[str]) -> list[str]:
        """The columns to group by, each once and known."""
        from gainful.match.session_groups import check_group_names  # noqa: PLC0415  (rarely asked)

        return check_group_names(by, self.columns.columns[1:], self.values)

    def mean_of(self, name: str, some: Flags | None = None) -> float:
        """The mean of a measure over all or some units, or the sum of what is counted.

        Not a number where nothing counts.
        """
        if name in self.whole:  # a part has no such value
            return self.whole[name] if some is None or some.all() else float("nan")
        values = np.ma.asarray(self.values[name])
        chosen = np.ma.compressed(values if some is None else values[some])
        return aggregate(chosen, self.recipes[name].entry.aggregation)

    def recipe_data(self, name: str) -> Any:
        """What a measure is called in full, as plain data."""
        return str(self.measures[name])

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures by the caller's names for them."""
        return {name: recipe.measure for name, recipe in self.recipes.items()}

    @property
    def directions(self) -> dict[str, Direction]:
        """Of each measure: is a higher or a lower value better?"""
        return {name: recipe.direction for name, recipe in self.recipes.items()}

    @property
    def mean(self) -> dict[str, float]:
        """One number for each measure: the mean, or the sum of what is counted."""
        return ByMeasure((name, self.mean_of(name)) for name in self.values)

    def mean_or_none(self) -> dict[str, float | None]:
        """One number for each measure; None where nothing counts."""
        return {name: finite_or_none(value) for name, value in self.mean.items()}

    def __getitem__(self, measure: str | Measure) -> float:
        return self.mean_of(self.find_name(measure))

    def _refuse_number(self, _: object = None) -> NoReturn:
        raise WrongType("a number", type(self).__name__, f"results[{next(iter(self))!r}]")

    __float__ = __lt__ = __gt__ = __le__ = __ge__ = __sub__ = __round__ = _refuse_number

    def __contains__(self, measure: object) -> bool:
        return self._find_known(measure) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def keys(self) -> list[str]:
        """The names of the measures."""
        return list(self.values)

    def items(self) -> list[tuple[str, float]]:
        """The name and the mean of each measure."""
        return list(self.mean.items())

    def find_name(self, measure: str | Measure) -> str:
        """The name under which a measure stands here, however it is spelt; or it is refused."""
        name = self._find_known(measure)
        if name is None:
            raise UnknownName(
                "measure", str(measure), self.values, f"of {self.name}", lists_all=True
            )
        return name

    def _find_known(self, measure: object) -> str | None:
        if isinstance(measure, str):
            if measure in self.values:
                return measure
            try:
                measure = parse(measure)
            except GainfulError:
                return None
        return next((name for name, known in self.measures.items() if known == measure), None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Results) or self.KEY != other.KEY:
            return NotImplemented
        return (
            list(self.ids) == list(other.ids)
            and self.convention_data() == other.convention_data()
            and all(_are_equal(self.values[name], other.values[name]) for name in self.values)
        )

    def __hash__(self) -> int:
        return hash((self.KEY, *self.values))

    def select_measures(self, names: Sequence[str]) -> Self:
        """Results of some of the measures alone."""
        return evolve(
            self,
            values={name: self.values[name] for name in names},
            recipes={name: self.recipes[name] for name in names},
        )

    def values_by_id(self) -> dict[str, dict[str, float | None]]:
        """{query or session: {measure: value}}; None where one is left out."""
        columns = [list_values(values) for values in self.values.values()]
        return {
            name: dict(zip(self.values, row, strict=True))
            for name, row in zip(self.ids, zip(*columns, strict=True), strict=True)
        }

    def tabulate(self) -> pl.DataFrame:
        """A row for each query or session, a column for each measure; null where left out."""
        columns = {
            name: pl.Series(name, list_values(values), dtype=pl.Float64, strict=False)
            for name, values in self.values.items()
        }
        return pl.DataFrame({self.KEY: pl.Series(self.KEY, list(self.ids)), **columns})

    def worst(
        self, n: int | str | Measure = 10, measure: str | Measure | None = None
    ) -> pl.DataFrame:
        """The rows with the worst values, the worst first; those left out have none.

        Args:
            n: how many; or the measure, by which the ten worst are shown.
            measure: by which measure; the first if none is named.
        """
        if isinstance(n, (str, Measure)):
            return self.worst(10, n)
        if not is_whole_number(n) or n < 1:
            raise BadValue("n", n, "a whole number of at least 1")
        name = next(iter(self.values)) if measure is None else self.find_name(measure)
        frame = self.tabulate().drop_nulls(name)
        from_high = self.directions[name].is_lower
        return frame.sort(name, descending=from_high, maintain_order=True).head(n)

    def to_flat(self) -> dict[str, float]:
        """The means under names of small letters, digits and _, as for MLflow and TensorBoard.

        Examples:
            >>> from gainful import evaluate
            >>> evaluate({"1": ["a"]}, {"1": ["a"]}, ["nDCG@10", "P(rel=2)@5"]).to_flat()
            {'ndcg_at_10': 1.0, 'p_rel_2_at_5': 0.0}
        """
        return flatten_names(self.mean)

    def list_expressions(self) -> dict[str, str]:
        """What an attribute of a measure could be called, in small letters, and what to write."""
        rows = f".per_{self.KEY}"
        guesses = (f"by_{self.KEY}", f"{self.KEY}_values", "per_topic", f"per_{self.unit}")
        expressions = dict.fromkeys(guesses, rows)
        for name, flat in zip(self.values, flatten_names(self.mean), strict=True):
            for guess in (flat, flat.replace("_at_", ""), flat.partition("_")[0]):
                expressions.setdefault(guess, f'results["{name}"]')
        return expressions

    def list_columns(self, **view: Any) -> dict[str, list[Any]]:
        """Of a frame: a row for each unit, unless another view is asked for."""
        return super().list_columns(**{**self.ROWS, **view})

    @staticmethod
    def list_counts(results: Sequence[Any], *, verbose: bool) -> list[str]:
        """What was counted in one result or several, and whose convention it is."""
        raise NotImplementedError

    def convention_data(self) -> dict[str, Any]:
        """The convention as plain data, and what the measures are called in full."""
        measures = {name: self.recipe_data(name) for name in self.recipes}
        better = {name: direction.better_is for name, direction in self.directions.items()}
        return {
            "like": self.convention.name,
            **self.convention.settings(),
            "measures": measures,
            "better": better,
        }

    def format_value(self, name: str, value: float | None) -> str:
        """A value for a reader: four decimals, or none where it is counted."""
        if value is None or np.isnan(value):
            return "–"
        is_sum = self.recipes[name].entry.aggregation == "sum"
        return f"{value:.0f}" if is_sum else f"{value:.4f}"


def list_values(values: Array) -> list[float | None]:
    """Values of which those left out are None."""
    return list(np.ma.asarray(values).tolist())


def flatten_names(values: Mapping[str, float]) -> dict[str, float]:
    """Values under names of small letters, digits and _, each of them once.

    Examples:
        >>> flatten_names({"nDCG@10": 1.0, "ndcg_at_10": 0.5, "5": 0.0})
        {'ndcg_at_10': 1.0, 'ndcg_at_10_2': 0.5, '_5': 0.0}
    """
    flat: dict[str, float] = {}
    for name, value in values.items():
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower().replace("@", " at ")).strip("_")
        plain = f"_{plain}" if plain[:1].isdigit() else plain or "_"
        number, distinct = 1, plain
        while distinct in flat:
            number += 1
            distinct = f"{plain}_{number}"
        flat[distinct] = value
    return flat


def _are_equal(first: Array, second: Array) -> bool:
    first, second = np.ma.asarray(first), np.ma.asarray(second)
    left_out = np.ma.getmaskarray(first)
    return np.array_equal(left_out, np.ma.getmaskarray(second)) and np.array_equal(
        first.data[~left_out], second.data[~left_out], equal_nan=True
    )


def aggregate(values: Array, aggregation: Aggregation) -> float:
    """One number for all queries that count; not a number where none does."""
    if aggregation == "sum":
        return float(values.sum())
    if not values.size:
        return float("nan")
    mean = float(values.mean())
    return float(np.exp(mean)) if aggregation == "geometric" else mean
