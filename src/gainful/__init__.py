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
    Answer,
    Match,
    Measure,
    P,
    R,
    Worked,
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
    from gainful.compare.comparison import Comparison
    from gainful.compare.orders.agreement import Order
    from gainful.compare.orders.order import order
    from gainful.compare.reasons.why import Why, why
    from gainful.compare.runs import compare_results, compare_runs
    from gainful.compare.stability import Stability, stability
    from gainful.compare.statistics.how import How
    from gainful.compare.statistics.power import detectable_effect, queries_needed
    from gainful.compare.study import compare_sessions
    from gainful.compare.unjudged.bounded import unjudged
    from gainful.compare.unjudged.bounds import Bounds
    from gainful.compare.unjudged.settle import settle
    from gainful.compare.unjudged.settled import Settled
    from gainful.convention.session import SessionConvention
    from gainful.match.matched import Matched
    from gainful.measure.evaluate import evaluate
    from gainful.measure.register import register
    from gainful.measure.results import Results
    from gainful.measure.sessions.evaluate import evaluate_sessions
    from gainful.measure.sessions.results import SessionResults
    from gainful.measure.sessions.sweep import Sweep, sweep
    from gainful.read.sessions import Sessions
    from gainful.read.study import SimulatedStudy, simulate_study
    from gainful.read.values import Judgments, Run
    from gainful.show.figures.table import figure, figure_data
    from gainful.show.pages.explore import explore
    from gainful.show.pages.report import report

# What needs polars is imported when it is first asked for.
_LATER = {
    "Comparison": "gainful.compare.comparison",
    "How": "gainful.compare.statistics.how",
    "compare_results": "gainful.compare.runs",
    "compare_runs": "gainful.compare.runs",
    "compare_sessions": "gainful.compare.study",
    "detectable_effect": "gainful.compare.statistics.power",
    "queries_needed": "gainful.compare.statistics.power",
    "Bounds": "gainful.compare.unjudged.bounds",
    "settle": "gainful.compare.unjudged.settle",
    "Settled": "gainful.compare.unjudged.settled",
    "unjudged": "gainful.compare.unjudged.bounded",
    "why": "gainful.compare.reasons.why",
    "Why": "gainful.compare.reasons.why",
    "Order": "gainful.compare.orders.agreement",
    "order": "gainful.compare.orders.order",
    "Stability": "gainful.compare.stability",
    "stability": "gainful.compare.stability",
    "evaluate": "gainful.measure.evaluate",
    "evaluate_sessions": "gainful.measure.sessions.evaluate",
    "SessionConvention": "gainful.convention.session",
    "SessionResults": "gainful.measure.sessions.results",
    "Sweep": "gainful.measure.sessions.sweep",
    "sweep": "gainful.measure.sessions.sweep",
    "explore": "gainful.show.pages.explore",
    "Sessions": "gainful.read.sessions",
    "SimulatedStudy": "gainful.read.study",
    "simulate_study": "gainful.read.study",
    "register": "gainful.measure.register",
    "Matched": "gainful.match.matched",
    "Results": "gainful.measure.results",
    "Judgments": "gainful.read.values",
    "Run": "gainful.read.values",
    "figure": "gainful.show.figures.table",
    "figure_data": "gainful.show.figures.table",
    "report": "gainful.show.pages.report",
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
    "Answer",
    "BadInput",
    "BadPlugin",
    "BadShape",
    "BadValue",
    "Bounds",
    "CannotCompare",
    "Comparison",
    "Convention",
    "GainfulError",
    "How",
    "Judgments",
    "Match",
    "Matched",
    "Measure",
    "NotExact",
    "NotInstalled",
    "NothingToAverage",
    "Order",
    "P",
    "R",
    "Results",
    "Run",
    "SessionConvention",
    "SessionResults",
    "Sessions",
    "Settled",
    "SimulatedStudy",
    "Stability",
    "Sweep",
    "Tied",
    "UnknownName",
    "Why",
    "Worked",
    "WrongType",
    "add",
    "average",
    "average_of_normalised",
    "cg",
    "cg_curve",
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
