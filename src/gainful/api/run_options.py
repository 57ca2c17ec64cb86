"""How judgments and runs are read, and whose settings count: options of all that takes runs.

One set of typed keywords serves `evaluate`, `compare`, `gate`, `plan`, `order`, `report` and their
kin; editors complete them, `help` shows them, and each is documented once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from gainful.api.keywords import Function, answer_options
from gainful.convention import Convention
from gainful.errors import BadValue
from gainful.measure.build_recipes import EvaluationSettings, Measures, build_recipes
from gainful.measure.recipe import Recipe
from gainful.read.column_names import ColumnNames
from gainful.read.inputs import (
    AnyQrels,
    AnyRun,
    as_qrels,
    as_run,
    as_run_in_memory,
    find_run_beside,
)
from gainful.read.lazy_run import LazyRun
from gainful.read.qrels_and_run import NestedDict, Qrels, Run


class RunOptions(EvaluationSettings, total=False):
    """How judgments and runs are read, and whose settings count; each option may be left out.

    Args:
        like: the tool whose settings to follow, by name or as a `Convention`.
        qrels_format: how a file of judgments is written; by content if it is not named.
        run_format: how files of runs are written; by content if it is not named.
        columns: how columns are called, such as {"query": "user", "doc": "item"}, if not usual.
        **settings: single settings, such as `ties="average"` or `missing="skip"`.
    """

    like: str | Convention | None
    qrels_format: str | None
    run_format: str | None
    columns: ColumnNames | None


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
    columns: ColumnNames | None = None
    settings: Mapping[str, Any] = field(factory=dict)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> RunReading:
        """Single settings apart from all else."""
        own = {name: value for name, value in options.items() if name in _OWN_OPTIONS}
        settings = {name: value for name, value in options.items() if name not in own}
        return cls(**own, settings=settings)

    def build_recipes(self, measures: Measures | None) -> tuple[Convention, dict[str, Recipe]]:
        """The convention, and how each measure is computed."""
        return build_recipes(measures, self.like, self.settings)

    def read_qrels(self, qrels: AnyQrels) -> Qrels | NestedDict:
        """The judgments."""
        return as_qrels(qrels, self.qrels_format, self.columns)

    def read_run(self, run: AnyRun, name: str = "run") -> Run | NestedDict | LazyRun:
        """A run, wherever it is."""
        return as_run(run, self.run_format, name, self.columns)

    def read_run_in_memory(self, run: AnyRun, name: str = "run") -> Run | NestedDict:
        """A run, brought into memory."""
        return as_run_in_memory(run, self.run_format, name, self.columns)

    def require_run(self, qrels: AnyQrels, run: AnyRun | None) -> AnyRun:
        """The run; that of a file with both, if none is given."""
        run = find_run_beside(qrels, self.columns) if run is None else run
        if run is None:
            raise BadValue("run", None, "a run beside the judgments; or one file that tells both")
        return run


_OWN_OPTIONS = ("like", "qrels_format", "run_format", "columns")
