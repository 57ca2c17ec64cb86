"""Grades, scores and options of the array functions."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from tools.fuzz.finding import Payload, require

import gainful
from gainful.errors import GainfulError

_FUNCTIONS = ("ndcg", "dcg", "cg", "ncg", "idcg", "ndcg_curve", "dcg_curve", "cg_curve")
_FUNCTIONS += ("precision", "recall", "reciprocal_rank", "average_precision")
_ODD: list[Any] = [None, "3", "x", True, -1, 0.5, 1e308, -1e308, 10**30, "nan", [], [1], {}]
_OPTIONS: dict[str, list[Any]] = {
    "k": [1, 3, 0, -1, 10**30, "3", None, 2.5],
    "gain": ["linear", "exp", "binary", "foo", 3],
    "discount": ["log2", "jk2002", "jk2008", "zipf", "none", "foo"],
    "b": [2, 1, 0, -1, "2", 10],
    "like": ["sklearn", "wikipedia", "trec_eval", "quepid", "nobody", 3],
    "ties": ["average", "input", "doc_descending", "foo"],
}


def _make_ranking(rng: Random) -> list[Any]:
    ranking: list[Any] = [rng.choice((0, 0, 1, 2, 3)) for _ in range(rng.randrange(9))]
    if ranking and rng.random() < 0.3:
        ranking[rng.randrange(len(ranking))] = rng.choice(_ODD)
    return ranking


def make(rng: Random) -> Payload:
    """A ranking or several, sometimes with scores, and some options."""
    rows = [_make_ranking(rng) for _ in range(rng.randrange(1, 4))]
    payload: Payload = {
        "function": rng.choice(_FUNCTIONS),
        "grades": rows[0] if rng.random() < 0.6 else rows,
        "as_array": rng.random() < 0.3,
        "options": {
            name: rng.choice(values) for name, values in _OPTIONS.items() if rng.random() < 0.15
        },
    }
    if rng.random() < 0.3 and payload["grades"] is rows[0]:
        payload["options"]["scores"] = [rng.choice((0.1, 0.5, 0.5, 2)) for _ in rows[0]]
    return payload


def check(payload: Payload) -> None:
    """A value in its bounds, or one line."""
    grades: Any = payload["grades"]
    if payload["as_array"]:
        try:
            grades = np.array(grades)
        except ValueError:
            return  # NumPy's own refusal
    try:
        values = getattr(gainful, payload["function"])(grades, **payload["options"])
    except GainfulError as error:
        require(str(error).isprintable(), f"a message of several lines: {error!s}")
        return
    if payload["function"] in ("ndcg", "ndcg_curve") and not payload["options"].get("like"):
        curves = values if isinstance(values, list) else [values]
        shares = [value for curve in curves for value in np.ma.compressed(np.ma.asarray(curve))]
        if _is_plain(payload["grades"]):
            require(all(-1e-12 <= value <= 1 + 1e-12 for value in shares), f"values {shares}")


def _is_plain(grades: Any) -> bool:
    """Are all grades whole numbers from 0 to 3?"""
    return all(
        _is_plain(item) if isinstance(item, list) else item in (0, 1, 2, 3) for item in grades
    )
