"""The searcher that was measured in a log, for a page that begins with it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from attrs import frozen

from gainful.errors import BadInput, WrongType
from gainful.evidence.searchers.calibration import Calibration
from gainful.evidence.searchers.srbp import Estimate
from gainful.read.jsonl import load_whole
from gainful.read.source import open_source
from gainful.types import is_number

AnyCalibration = Calibration | Mapping[str, Any] | str | PathLike[str]
_SHAPE = "what gainful calibrate -o FILE.json wrote"
_LEAST, _MOST = 1.001, 999.0  # bases that a page and every measure take


@frozen
class MeasuredSearcher:
    """What b and bq are, with their intervals; None where the log did not tell."""

    log: str
    level: float
    b: Estimate | None
    bq: Estimate | None

    def settings(self) -> dict[str, float]:
        """The bases to begin with, each as near as a measure can have it."""
        pairs = (("b", self.b), ("bq", self.bq))
        return {
            name: float(f"{clamp_base(entry.value):.4g}")
            for name, entry in pairs
            if entry is not None
        }


def clamp_base(value: float) -> float:
    """A base that measures can have: one above 1, and no endless one."""
    return min(max(value, _LEAST), _MOST)


def read_calibration(value: AnyCalibration) -> MeasuredSearcher:
    """The searcher of a calibration, or of a file of one."""
    if isinstance(value, Calibration):
        b, bq = value.searchers.find("b"), value.searchers.find("bq")
        return MeasuredSearcher(value.log, value.level, b, bq)
    if isinstance(value, (str, PathLike)):
        name = fspath(value)
        data = load_whole(open_source(name))
    elif isinstance(value, Mapping):
        name, data = "calibrated", value
    else:
        raise WrongType("calibrated", value, f"a Calibration, or {_SHAPE}")
    try:
        estimates, level = data["all"]["estimates"], float(data["level"])
        b, bq = (_read_estimate(symbol, estimates.get(symbol)) for symbol in ("b", "bq"))
        return MeasuredSearcher(str(data["log"]), level, b, bq)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadInput(name, "there are no searchers in it", _SHAPE) from None


def _read_estimate(symbol: str, entry: Any) -> Estimate | None:
    """An estimate; numbers without an end are null in JSON."""
    if entry is None:
        return None
    value, low, high = (
        math.inf if entry[key] is None else entry[key] for key in ("value", "low", "high")
    )
    if not all(is_number(number) and number >= 1 for number in (value, low, high)):
        raise ValueError(symbol)
    return Estimate(symbol, float(value), float(low), float(high))
