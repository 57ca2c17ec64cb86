"""gainful judges rankings: cumulated gain in every formulation in use, with its convention.

Examples:
    >>> import gainful
    >>> round(gainful.ndcg([3, 2, 3, 0, 1, 2]), 4)
    0.9608
    >>> round(gainful.ndcg([3, 2, 3, 0, 1, 2], like="wikipedia"), 4)
    0.9315
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gainful.convention import CONVENTIONS, Convention, like
from gainful.errors import (
    BadInput,
    BadPlugin,
    BadShape,
    BadValue,
    CannotCompare,
    GainfulError,
    NotExact,
    NothingToAverage,
    NotInstalled,
    Tied,
    UnknownName,
    WrongType,
)
from gainful.measure import (
    AP,
    CG,
    DCG,
    IDCG,
    RR,
    Explanation,
    Formulation,
    Formulations,
    Measure,
    P,
    R,
    add,
    average,
    average_of_normalised,
    cg,
    cg_curve,
    compute,
    compute_curve,
    dcg,
    dcg_curve,
    expand,
    explain,
    idcg,
    idcg_curve,
    nCG,
    ncg,
    ncg_curve,
    nDCG,
    ndcg,
    ndcg_curve,
    normalise,
    normalised_average,
    parse,
    query_discount,
    scale,
    which,
)

if TYPE_CHECKING:
    from gainful.api.check import check
    from gainful.api.compare import compare, compare_results, compare_runs, compare_sessions
    from gainful.api.evaluate import evaluate
    from gainful.api.gate import gate
    from gainful.api.order import order
    from gainful.api.report import report
    from gainful.api.sessions import evaluate_sessions
    from gainful.api.sweep import sweep
    from gainful.api.why import why
    from gainful.convention.session import SessionConvention
    from gainful.datasets import SimulatedStudy, simulate_study
    from gainful.evidence.comparison import Comparison
    from gainful.evidence.gates.verdict import Verdict
    from gainful.evidence.orders.order import Order
    from gainful.evidence.reasons.why import Why
    from gainful.evidence.stability import Stability, stability
    from gainful.evidence.statistics.power import detectable_effect, queries_needed
    from gainful.evidence.statistics.resampling import Resampling
    from gainful.evidence.unjudged.bounds import Bounds
    from gainful.evidence.unjudged.find_bounds import unjudged
    from gainful.evidence.unjudged.settle import settle
    from gainful.evidence.unjudged.settlement import Settlement
    from gainful.match.check_report import CheckReport
    from gainful.match.matched import Matched
    from gainful.measure.register import register
    from gainful.measure.results import Results
    from gainful.measure.sessions.results import SessionResults
    from gainful.measure.sessions.sweep import Sweep
    from gainful.read.qrels_and_run import Qrels, Run
    from gainful.read.sessions import Sessions
    from gainful.show.figures.catalogue import figure, figure_data
    from gainful.show.pages.explore import explore

# What needs polars is imported when it is first asked for.
_LATER = {
    "check": "gainful.api.check",
    "CheckReport": "gainful.match.check_report",
    "Comparison": "gainful.evidence.comparison",
    "Resampling": "gainful.evidence.statistics.resampling",
    "compare": "gainful.api.compare",
    "gate": "gainful.api.gate",
    "Verdict": "gainful.evidence.gates.verdict",
    "compare_results": "gainful.api.compare",
    "compare_runs": "gainful.api.compare",
    "compare_sessions": "gainful.api.compare",
    "detectable_effect": "gainful.evidence.statistics.power",
    "queries_needed": "gainful.evidence.statistics.power",
    "Bounds": "gainful.evidence.unjudged.bounds",
    "settle": "gainful.evidence.unjudged.settle",
    "Settlement": "gainful.evidence.unjudged.settlement",
    "unjudged": "gainful.evidence.unjudged.find_bounds",
    "why": "gainful.api.why",
    "Why": "gainful.evidence.reasons.why",
    "Order": "gainful.evidence.orders.order",
    "order": "gainful.api.order",
    "Stability": "gainful.evidence.stability",
    "stability": "gainful.evidence.stability",
    "evaluate": "gainful.api.evaluate",
    "evaluate_sessions": "gainful.api.sessions",
    "SessionConvention": "gainful.convention.session",
    "SessionResults": "gainful.measure.sessions.results",
    "Sweep": "gainful.measure.sessions.sweep",
    "sweep": "gainful.api.sweep",
    "explore": "gainful.show.pages.explore",
    "Sessions": "gainful.read.sessions",
    "SimulatedStudy": "gainful.datasets",
    "simulate_study": "gainful.datasets",
    "register": "gainful.measure.register",
    "Matched": "gainful.match.matched",
    "Results": "gainful.measure.results",
    "Qrels": "gainful.read.qrels_and_run",
    "Run": "gainful.read.qrels_and_run",
    "figure": "gainful.show.figures.catalogue",
    "figure_data": "gainful.show.figures.catalogue",
    "report": "gainful.api.report",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    if name != "__version__":
        raise AttributeError(f"module 'gainful' has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415  (slow, and rarely asked for)

    return version("gainful")


__all__ = [
    "AP",
    "CG",
    "CONVENTIONS",
    "DCG",
    "IDCG",
    "RR",
    "BadInput",
    "BadPlugin",
    "BadShape",
    "BadValue",
    "Bounds",
    "CannotCompare",
    "CheckReport",
    "Comparison",
    "Convention",
    "Explanation",
    "Formulation",
    "Formulations",
    "GainfulError",
    "Matched",
    "Measure",
    "NotExact",
    "NotInstalled",
    "NothingToAverage",
    "Order",
    "P",
    "Qrels",
    "R",
    "Resampling",
    "Results",
    "Run",
    "SessionConvention",
    "SessionResults",
    "Sessions",
    "Settlement",
    "SimulatedStudy",
    "Stability",
    "Sweep",
    "Tied",
    "UnknownName",
    "Verdict",
    "Why",
    "WrongType",
    "add",
    "average",
    "average_of_normalised",
    "cg",
    "cg_curve",
    "check",
    "compare",
    "compare_results",
    "compare_runs",
    "compare_sessions",
    "compute",
    "compute_curve",
    "dcg",
    "dcg_curve",
    "detectable_effect",
    "evaluate",
    "evaluate_sessions",
    "expand",
    "explain",
    "explore",
    "figure",
    "figure_data",
    "gate",
    "idcg",
    "idcg_curve",
    "like",
    "nCG",
    "nDCG",
    "ncg",
    "ncg_curve",
    "ndcg",
    "ndcg_curve",
    "normalise",
    "normalised_average",
    "order",
    "parse",
    "queries_needed",
    "query_discount",
    "register",
    "report",
    "scale",
    "settle",
    "simulate_study",
    "stability",
    "sweep",
    "unjudged",
    "which",
    "why",
]
