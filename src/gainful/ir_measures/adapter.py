"""gainful as one of the tools that the real ir_measures calls, and PyTerrier with it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gainful.errors import GainfulError
from gainful.ir_measures.evaluator import Evaluator, parse_measure


def provider(*, register: bool = False) -> Any:
    """A provider of ir_measures' own class that computes its measures by gainful.

    Args:
        register: put it first in ir_measures' pipeline, so that whatever asks ir_measures, such
            as PyTerrier's Experiment, has the numbers from here.
    """
    if find_spec("ir_measures") is None:
        raise GainfulError("there is no ir_measures to be a provider for: pip install ir-measures")
    ir_measures: Any = import_module("ir_measures")

    class GainfulEvaluator(ir_measures.providers.Evaluator):  # type: ignore[misc]
        def __init__(self, measures: Any, qrels: Any) -> None:
            self.names = {str(parse_measure(str(measure))): measure for measure in measures}
            self.by_gainful = Evaluator(list(self.names), qrels)
            super().__init__(list(self.names.values()), set(qrels))

        def _iter_calc(self, run: Any) -> Iterator[Any]:
            for query, measure, value, *_ in self.by_gainful.iter_calc(run):
                yield ir_measures.Metric(query, self.names[str(measure)], value)

    class GainfulProvider(ir_measures.providers.Provider):  # type: ignore[misc]
        NAME = "gainful"

        def supports(self, measure: Any) -> bool:
            return measure.NAME in ir_measures.measures.registry and _understands(measure)

        def _evaluator(self, measures: Any, qrels: Any) -> Any:
            judged = ir_measures.util.QrelsConverter(qrels).as_dict_of_dict()
            return GainfulEvaluator(measures, judged)

    made = GainfulProvider()
    if register:
        ir_measures.providers.register(made)
        ir_measures.DefaultPipeline.providers.insert(0, made)
    return made


def _understands(measure: Any) -> bool:
    try:
        return parse_measure(str(measure)) is not None
    except GainfulError:
        return False
