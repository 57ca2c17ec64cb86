"""`ir_measures.measures`: the place from which code written for it imports single measures."""

from __future__ import annotations

from typing import Any

from gainful import ir_measures


def __getattr__(name: str) -> Any:
    return getattr(ir_measures, name)
