"""How sure is it? Intervals, power, agreement of orders, leads that judgments could turn.

Examples:
    >>> round(kendall_tau(["a", "b", "c"], ["a", "c", "b"]), 4)
    0.3333
    >>> queries_needed(0.3)
    90
"""

from gainful.api.correlate import correlate
from gainful.evidence.intervals import MeanIntervals, RunMeanIntervals, mean_intervals
from gainful.evidence.method import MethodOptions, SignificanceOptions
from gainful.evidence.options import PairOptions
from gainful.evidence.orders.correlations import Correlations
from gainful.evidence.orders.order import Order, order_means
from gainful.evidence.statistics.correlation import kendall_tau, rbo, tau_ap
from gainful.evidence.statistics.effect_size import detectable_effect, queries_needed
from gainful.evidence.statistics.max_t import max_t_test, step_down_max_t
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.unjudged.bounds import Bounds
from gainful.text import show_public_names

__all__ = [
    "TESTS",
    "Bounds",
    "Correlations",
    "MeanIntervals",
    "MethodOptions",
    "Order",
    "PairOptions",
    "Resampling",
    "RunMeanIntervals",
    "SignificanceOptions",
    "correlate",
    "detectable_effect",
    "kendall_tau",
    "max_t_test",
    "mean_intervals",
    "order_means",
    "queries_needed",
    "rbo",
    "step_down_max_t",
    "tau_ap",
]

show_public_names(__name__)
