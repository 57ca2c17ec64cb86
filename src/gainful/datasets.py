"""Data to try things on.

Examples:
    >>> simulate_study(2008)
    Simulated study, seed 2008: 120 sessions, 343 queries, 240 judgments
"""

from gainful._simulation.study import SimulatedStudy, simulate_study

__all__ = ["SimulatedStudy", "simulate_study"]
