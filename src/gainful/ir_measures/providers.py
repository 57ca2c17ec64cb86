"""The tools that ir_measures calls, by the names it has for them: here each is a convention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gainful.convention import Convention, like
from gainful.errors import BadValue, GainfulError
from gainful.ir_measures.evaluator import (
    ALL_CWL_MEASURES,
    AnyMeasure,
    DefinedMeasure,
    Evaluator,
    parse_measure,
)
from gainful.ir_measures.rows import CalcResults, CwlMetric, Metric


class Provider:
    """Measures as one tool computes them; without a convention, as ir_measures itself chooses."""

    NAME = "default"
    convention: Convention | None = None
    measures: frozenset[str] = frozenset()  # what it has; RR@ is RR with a cutoff

    def supports(self, measure: AnyMeasure) -> bool:
        """Does the tool have this measure?"""
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
        if self.NAME != "cwl_eval":
            return Evaluator(measures, qrels, lambda _: convention)
        asked = list(measures)
        for measure in asked:
            if not self.supports(measure):
                allowed = f"one of {', '.join(sorted(self.measures)).replace('@', '@k')}"
                raise BadValue("measure", str(measure), f"{allowed}: those of cwl_eval")
        return Evaluator(asked, qrels, lambda _: convention, ALL_CWL_MEASURES)

    def iter_calc(
        self, measures: Iterable[AnyMeasure], qrels: Any, run: Any
    ) -> Iterator[Metric | CwlMetric]:
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
        """Is it available? Always, as nothing needs to be installed."""
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


def _make_class(
    class_name: str, name: str, convention: Convention | None = None, measures: str = ""
) -> type[Provider]:
    facts = {"NAME": name, "convention": convention, "measures": frozenset(measures.split())}
    return type(class_name, (Provider,), {"__doc__": Provider.__doc__, **facts})


_ZERO = {"missing": "zero", "extra": "ignore"}
_BY_SCORE = like("pytrec_eval").with_settings(**_ZERO, max_grade=4)
_IN_PYTHON = _BY_SCORE.with_settings(score_bits=64)
_ASCENDING = _IN_PYTHON.with_settings(ties="doc_ascending")
_ALL = (
    _make_class("RuntimeProvider", "runtime"),
    _make_class(
        *("PytrecEvalProvider", "pytrec_eval"),
        _BY_SCORE,
        "P@ RR Rprec AP AP@ nDCG nDCG@ R@ Bpref NumRet NumRelRet NumQ NumRel SetAP SetF SetP "
        "SetRelP SetR Success@ IPrec@ infAP",
    ),
    _make_class(
        *("CwlEvalProvider", "cwl_eval"),
        _IN_PYTHON.with_settings(ties="input"),
        " ".join(ALL_CWL_MEASURES),
    ),
    _make_class("CompatProvider", "compat", _IN_PYTHON, "Compat"),
    _make_class(
        *("PyNdEvalProvider", "pyndeval"),
        like("pyndeval").with_settings(missing="zero"),
        "ERR_IA ERR_IA@ nERR_IA nERR_IA@ alpha_DCG alpha_DCG@ alpha_nDCG alpha_nDCG@ NRBP nNRBP "
        "AP_IA P_IA@ StRecall StRecall@",
    ),
    _make_class("JudgedProvider", "judged", _ASCENDING, "Judged Judged@"),
    _make_class("MsMarcoProvider", "msmarco", _ASCENDING, "RR RR@"),
    _make_class("GdevalProvider", "gdeval", like("ir_measures_exp"), "nDCG(exp)@ ERR@"),
    _make_class(
        *("AccuracyProvider", "accuracy"),
        _IN_PYTHON.with_settings(ties="input", empty="skip"),
        "PairAccuracy PairAccuracy@",
    ),
    _make_class(
        *("TrectoolsProvider", "trectools"),
        like("trectools").with_settings(**_ZERO),
        "P@ RR Rprec AP AP@ nDCG nDCG@",
    ),
    _make_class(
        *("RanxProvider", "ranx"),
        like("ranx").with_settings(**_ZERO),
        "P@ SetP RR Rprec AP AP@ nDCG nDCG@ nDCG(exp) nDCG(exp)@ R@ SetR NumRelRet Success@",
    ),
)

_CLASSES = {made.__name__: made for made in _ALL}
registry: dict[str, Provider] = {made.NAME: made() for made in _ALL}
DefaultPipeline = Provider()

__all__ = ["CwlMetric", "DefaultPipeline", "Evaluator", "Provider", "registry"]
__all__ += list(_CLASSES)


def __getattr__(name: str) -> type[Provider]:
    if name in _CLASSES:
        return _CLASSES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def provider(*, register: bool = False) -> Any:
    """A provider of ir_measures' own class that computes its measures by gainful.

    Args:
        register: put it first in ir_measures' pipeline, so that its users, such as PyTerrier's
            Experiment, get gainful's numbers.
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
            with suppress(GainfulError):
                parse_measure(str(measure))
                return measure.NAME in ir_measures.measures.registry
            return False

        def _evaluator(self, measures: Any, qrels: Any) -> Any:
            judged = ir_measures.util.QrelsConverter(qrels).as_dict_of_dict()
            return GainfulEvaluator(measures, judged)

    made = GainfulProvider()
    if register:
        ir_measures.providers.register(made)
        ir_measures.DefaultPipeline.providers.insert(0, made)
    return made
