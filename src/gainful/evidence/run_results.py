"""`RunResults`: several runs by name, as `evaluate` returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from gainful.evidence.stability import (
    Stability,
    build_table,
    describe_interval,
    list_cells,
    list_columns,
    list_footnotes,
)
from gainful.measure.results import Results, list_run_rows, results_page, to_dict
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table


class RunResults(Shown, dict[str, Results]):
    r"""The results of several runs by name; with `stabilities` where intervals were asked for.

    Examples:
        >>> from gainful import evaluate
        >>> runs = {"one": {"1": ["a"]}, "two": {"1": ["b", "a"]}}
        >>> evaluate({"1": ["a"]}, measures="RR", runs=runs).to_csv()
        'run,RR\none,1.0\ntwo,0.5'
    """

    def __init__(
        self, results: Mapping[str, Results], stabilities: Sequence[Stability] = ()
    ) -> None:
        """Results by name; all runs have a stability, or none has."""
        super().__init__(results)
        self.stabilities = stabilities

    def page(self, *, per_query: bool = False, verbose: bool = False) -> Page:
        """Runs by their means, or query by query; intervals, if there are any, below."""
        runs, stabilities = list(self.values()), self.stabilities
        notes = list_footnotes(stabilities, verbose=verbose)
        page = results_page(runs, per_query=per_query, verbose=verbose, notes=notes)
        if not stabilities:
            return page
        page = evolve(
            page,
            answer=" ".join(filter(None, [page.answer, describe_interval(stabilities)])),
            sections=[*page.sections, Section(table=build_table(stabilities))],
            data=self.to_dict,
        )
        return page if per_query else evolve(page, rows=self._rows, records=self._records)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data; counts are those of all runs together."""
        data = to_dict(list(self.values()))
        if self.stabilities:
            data["runs"] = [
                {"name": run["name"], "mean": run["mean"], "stability": stability.to_dict()} | run
                for run, stability in zip(data["runs"], self.stabilities, strict=True)
            ]
        return data

    def _rows(self) -> Table:
        table = list_run_rows(list(self.values()))
        rows = [
            (*row, *list_cells(stability))
            for row, stability in zip(table.rows, self.stabilities, strict=True)
        ]
        return evolve(
            table, columns=(*table.columns, *list_columns(self.stabilities[0])), rows=rows
        )

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"run": run["name"], **run["mean"], "stability": run["stability"]}
            for run in self.to_dict()["runs"]
        ]
