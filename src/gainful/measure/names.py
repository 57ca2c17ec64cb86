"""Every name that a measure has, in any spelling."""

from __future__ import annotations

from gainful.measure.catalogue import measure_names
from gainful.measure.ir_measures_grammar import SCALED_DCG
from gainful.measure.nicknames import NICKNAMES
from gainful.measure.trec_eval_names import GROUPS, TREC_NAMES

_RESERVED = ("run", "query", "session", "mean", "all")  # of what is printed beside the values


def all_names() -> set[str]:
    """The names of measures here and in trec_eval, and what people also call them."""
    return {name.lower() for name in (*measure_names(), *NICKNAMES, *TREC_NAMES)}


def is_taken(name: str) -> bool:
    """Is it the name of a measure, in any spelling?"""
    begins = any(name.startswith(f"{trec_name}_") for trec_name in TREC_NAMES)  # P_5, and so P_mine
    reserved = name in GROUPS or name.lower() in _RESERVED or name == SCALED_DCG
    return begins or reserved or name.lower() in all_names()
