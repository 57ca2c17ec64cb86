"""Whole search sessions, of several queries each: evaluated, compared, swept.

Every function takes the sessions first and the judgments second, as sessions may bring their own
grades and then need none.

Examples:
    >>> import polars as pl
    >>> shown = pl.DataFrame({"session": ["s", "s"], "query": [1, 2], "doc": ["x", "a"]})
    >>> evaluate(shown, {"s": {"a": 3}}, "sDCG(b=2, bq=4)@10").mean
    {'sDCG(b=2, bq=4)@10': 2.0}
"""

from typing import TYPE_CHECKING

from gainful._simulation.agents import simulate_agents
from gainful._simulation.log import simulate_log
from gainful._simulation.shop import simulate_shop
from gainful._simulation.study import simulate_study
from gainful.api.compare import compare_sessions as compare
from gainful.api.session_options import GainOptions, ReadingOptions
from gainful.api.sessions import evaluate, explain, judge_by_clicks
from gainful.api.summarise_sessions import summarise
from gainful.api.sweep import sweep
from gainful.evidence.orders.sweep import Sweep
from gainful.match.click_judgments import ClickJudgments
from gainful.measure.sessions.session_summary import SessionSummary
from gainful.text import show_public_names

__all__ = [
    "ClickJudgments",
    "GainOptions",
    "ReadingOptions",
    "SessionSummary",
    "Sweep",
    "compare",
    "evaluate",
    "explain",
    "judge_by_clicks",
    "report",
    "simulate_agents",
    "simulate_log",
    "simulate_shop",
    "simulate_study",
    "summarise",
    "sweep",
]

show_public_names(__name__, report="gainful.api.report:report_sessions")
if TYPE_CHECKING:  # what draws is slow to load
    from gainful.api.report import report_sessions as report
