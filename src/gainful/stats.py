"""Statistics by themselves: the paired tests there are, and how much two orders agree.

Examples:
    >>> round(kendall_tau(["a", "b", "c"], ["a", "c", "b"]), 4)
    0.3333
"""

from gainful.evidence.orders.agreement import order_means
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.rank_correlation import kendall_tau, rbo, tau_ap

__all__ = ["TESTS", "kendall_tau", "order_means", "rbo", "tau_ap"]
