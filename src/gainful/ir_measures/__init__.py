"""ir_measures' interface: existing code switches by `import gainful.ir_measures as ir_measures`.

Examples:
    >>> qrels = [Qrel("q1", "d1", 1), Qrel("q1", "d2", 0)]
    >>> run = [ScoredDoc("q1", "d2", 0.9), ScoredDoc("q1", "d1", 0.5)]
    >>> calc_aggregate([parse_measure("RR"), parse_measure("P@1")], qrels, run)
    {RR: 0.5, P@1: 0.0}
"""

from __future__ import annotations

from gainful.errors import UnknownName
from gainful.ir_measures import measures, providers, rows as util
from gainful.ir_measures.evaluator import (
    DefinedMeasure,
    Evaluator,
    MeanAgg,
    Measure,
    SumAgg,
    define,
    define_byquery,
    parse_measure,
    parse_trec_measure,
)
from gainful.ir_measures.providers import DefaultPipeline, Provider, provider, registry
from gainful.ir_measures.rows import (
    CalcResults,
    CwlMetric,
    Metric,
    Qrel,
    ScoredDoc,
    read_trec_qrels,
    read_trec_run,
)
from gainful.measure.catalogue import MEASURES
from gainful.measure.language import canonical_name

evaluator = DefaultPipeline.evaluator
iter_calc = DefaultPipeline.iter_calc
calc_aggregate = DefaultPipeline.calc_aggregate
calc = DefaultPipeline.calc
run_inputs = DefaultPipeline.run_inputs
qrel_inputs = DefaultPipeline.qrel_inputs

# Names of its older versions, which it still has.
BaseMeasure, GenericQrel, GenericScoredDoc = Measure, Qrel, ScoredDoc
convert_trec_name = parse_trec_measure
parse_trec_qrels, parse_trec_run = read_trec_qrels, read_trec_run

# What ir_measures also calls them; any other case of a name is understood too.
_ALIASES = (
    *("MAP", "MRR", "NDCG", "Precision", "Recall", "SDCG", "BPref", "RPrec", "MAP_IA"),
    *("α_DCG", "α_nDCG", "Accuracy"),
)

__all__ = [
    "CalcResults",
    "CwlMetric",
    "DefaultPipeline",
    "DefinedMeasure",
    "Evaluator",
    "MeanAgg",
    "Measure",
    "Metric",
    "Provider",
    "Qrel",
    "ScoredDoc",
    "SumAgg",
    "calc",
    "calc_aggregate",
    "define",
    "define_byquery",
    "evaluator",
    "iter_calc",
    "measures",
    "parse_measure",
    "parse_trec_measure",
    "provider",
    "providers",
    "read_trec_qrels",
    "read_trec_run",
    "util",
]
__all__ += list(MEASURES)
__all__ += list(_ALIASES)
__all__ += list(registry)


def __getattr__(name: str) -> Measure | Provider:
    """The measures themselves, by any name they have: `nDCG @ 10`, `MRR`; and the tools there."""
    if name in registry:
        return registry[name]
    try:
        return (
            parse_measure("Accuracy") if name == "Accuracy" else Measure(canonical_name(name, name))
        )
    except UnknownName as unknown:
        raise AttributeError(str(unknown)) from None
