"""What is there to know of judgments and runs in memory: dicts, frames and lists?"""

from __future__ import annotations

from typing import Any

from gainful.errors import BadInput, Swapped
from gainful.read.column_names import ColumnNames
from gainful.read.file_check import (
    FileReport,
    describe_repeats,
    report_qrels,
    report_run,
    strip_file_name,
)
from gainful.read.inputs import (
    as_qrels,
    as_qrels_columns,
    as_run_columns,
    as_run_in_memory,
    find_run_beside,
)
from gainful.read.qrels_and_run import Qrels, Run

_FORMAT = "in memory"


def examine_value(
    value: Any, name: str, columns: ColumnNames | None, *, comes_first: bool
) -> list[FileReport]:
    """All that is to be known of a value: the first is judgments, others are runs, some are both.

    Examples:
        >>> reports = examine_value({"1": {"a": 2}}, "qrels", None, comes_first=True)
        >>> reports[0].kind, reports[0].notes
        ('judgments', ['1 judgment of 1 query, 1 each', 'grades: 2 (1×)'])
    """
    if not isinstance(value, (Qrels, Run)) and find_run_beside(value, columns) is not None:
        return [_examine_qrels(value, name, columns), _examine_run(value, name, columns)]
    if isinstance(value, Run) or (not comes_first and not isinstance(value, Qrels)):
        return [_examine_run(value, name, columns)]
    return [_examine_qrels(value, name, columns)]


def _examine_qrels(value: Any, name: str, columns: ColumnNames | None) -> FileReport:
    try:
        qrels = as_qrels_columns(as_qrels(value, columns=columns))
        return report_qrels(qrels, _FORMAT, name, [])
    except Swapped:
        return _examine_run(value, name, columns)
    except BadInput as error:
        return FileReport(name, _FORMAT, "judgments", [strip_file_name("judgments", error)])


def _examine_run(value: Any, name: str, columns: ColumnNames | None) -> FileReport:
    try:
        run = as_run_columns(as_run_in_memory(value, name=name, columns=columns))
        repeats = describe_repeats(run.frame, run.locate, "one ranking")
        return report_run(run, _FORMAT, repeats)
    except BadInput as error:
        return FileReport(name, _FORMAT, "run", [strip_file_name(name, error)])
