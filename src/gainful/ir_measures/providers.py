"""The tools that ir_measures calls, by the names it has for them: here each is a convention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from gainful.convention import Convention, like
from gainful.ir_measures.evaluator import (
    AnyMeasure,
    DefinedMeasure,
    Evaluator,
    parse_measure,
)
from gainful.ir_measures.rows import CalcResults, Metric


@frozen
class Provider:
    """Measures as one tool computes them; without a convention, as ir_measures itself chooses."""

    NAME: str
    convention: Convention | None = None
    measures: frozenset[str] = frozenset()  # what it has; RR@ is RR with a cutoff

    def supports(self, measure: AnyMeasure) -> bool:
        """Has the tool this measure?"""
        if isinstance(measure, DefinedMeasure):
            return not self.measures
        parsed = parse_measure(measure)
        gain = "(exp)" if dict(parsed.params).get("gain") == "exp" else ""
        key = parsed.name + gain + "@" * (parsed.k is not None)
        return not self.measures or key in self.measures

    def evaluator(self, measures: Iterable[AnyMeasure], qrels: Any) -> Evaluator:
        """Judgments and measures, ready for one run after another."""
        convention = self.convention
        if convention is None:
            return Evaluator(measures, qrels)
        return Evaluator(measures, qrels, lambda _: convention)

    def iter_calc(self, measures: Iterable[AnyMeasure], qrels: Any, run: Any) -> Iterator[Metric]:
        """Every value, query by query."""
        return self.evaluator(measures, qrels).iter_calc(run)

    def calc_aggregate(
        self, measures: Iterable[AnyMeasure], qrels: Any, run: Any
    ) -> dict[Any, float]:
        """The mean of each measure."""
        return self.evaluator(measures, qrels).calc_aggregate(run)

    def calc(self, measures: Iterable[AnyMeasure], qrels: Any, run: Any) -> CalcResults:
        """The means and every value."""
        return self.evaluator(measures, qrels).calc(run)

    def is_available(self) -> bool:
        """Can it be asked? Always: nothing is to be installed."""
        return True

    def run_inputs(self, measures: Iterable[AnyMeasure]) -> list[str]:
        """The columns of a run that these measures need."""
        return _list_inputs(measures, "run_inputs", ("query_id", "doc_id", "score"))

    def qrel_inputs(self, measures: Iterable[AnyMeasure]) -> list[str]:
        """The columns of judgments that these measures need."""
        return _list_inputs(measures, "qrel_inputs", ("query_id", "doc_id", "relevance"))


def _list_inputs(
    measures: Iterable[AnyMeasure], attribute: str, usual: tuple[str, ...]
) -> list[str]:
    columns = [name for measure in measures for name in getattr(measure, attribute, usual)]
    return list(dict.fromkeys(columns))


def _make_provider(name: str, convention: Convention, measures: str) -> Provider:
    return Provider(name, convention, frozenset(measures.split()))


_ZERO = {"missing": "zero", "extra": "ignore"}
_BY_SCORE = like("pytrec_eval").with_settings(**_ZERO, max_grade=4)
_IN_PYTHON = _BY_SCORE.with_settings(score_bits=64)
_ALL = (
    Provider("runtime"),
    _make_provider(
        "pytrec_eval",
        _BY_SCORE,
        "P@ RR Rprec AP AP@ nDCG nDCG@ R@ Bpref NumRet NumRelRet NumQ NumRel SetAP SetF SetP "
        "SetRelP SetR Success@ IPrec@ infAP",
    ),
    _make_provider(
        "cwl_eval",
        _IN_PYTHON.with_settings(ties="input"),
        "P@ RR AP RBP BPM@ scaledDCG@ NERR8@ NERR9@ NERR10 NERR11 INST INSQ",
    ),
    _make_provider("compat", _IN_PYTHON, "Compat"),
    _make_provider(
        "pyndeval",
        like("pyndeval").with_settings(missing="zero"),
        "ERR_IA ERR_IA@ nERR_IA nERR_IA@ alpha_DCG alpha_DCG@ alpha_nDCG alpha_nDCG@ NRBP nNRBP "
        "AP_IA P_IA@ StRecall StRecall@",
    ),
    _make_provider("judged", _IN_PYTHON.with_settings(ties="doc_ascending"), "Judged Judged@"),
    _make_provider("msmarco", _IN_PYTHON.with_settings(ties="doc_ascending"), "RR RR@"),
    _make_provider("gdeval", like("ir_measures_exp"), "nDCG(exp)@ ERR@"),
    _make_provider(
        "accuracy",
        _IN_PYTHON.with_settings(ties="input", empty="skip"),
        "PairAccuracy PairAccuracy@",
    ),
    _make_provider(
        "ranx",
        like("ranx").with_settings(**_ZERO),
        "P@ SetP RR Rprec AP AP@ nDCG nDCG@ nDCG(exp) nDCG(exp)@ R@ SetR NumRelRet Success@",
    ),
)

registry: dict[str, Provider] = {provider.NAME: provider for provider in _ALL}
DefaultPipeline = Provider("default")

__all__ = ["DefaultPipeline", "Evaluator", "Provider", "registry"]
