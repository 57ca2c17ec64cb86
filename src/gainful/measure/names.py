"""Every name that a measure has, in any spelling."""

from __future__ import annotations

from collections.abc import Mapping

from gainful.measure.catalogue import measure_names
from gainful.measure.ir_measures_grammar import SCALED_DCG
from gainful.measure.trec_eval_names import GROUPS, TREC_NAMES

NICKNAMES: Mapping[str, str] = {
    "recall": "R",
    "precision": "P",
    "map": "AP",
    "mrr": "RR",
    "hit": "Success",
    "hits": "Success",
    "hitrate": "Success",
    "hit_rate": "Success",
    "f1": "SetF",
    "map_ia": "AP_IA",
    "strec": "StRecall",
    "st_recall": "StRecall",
    "subtopic_recall": "StRecall",
    "s_recall": "StRecall",
    "q": "Qmeasure",
    "q_measure": "Qmeasure",
}


def parse_nickname(name: str) -> str | None:
    """The measure of the catalogue that a nickname stands for; None if it is no such name.

    Examples:
        >>> parse_nickname("MRR"), parse_nickname("MRRR")
        ('RR', None)
    """
    return NICKNAMES.get(name.lower())


_RESERVED = ("run", "query", "session", "mean", "all")  # of what is printed beside the values


def all_names() -> set[str]:
    """The names of measures here and in trec_eval, and what people also call them."""
    return {name.lower() for name in (*measure_names(), *NICKNAMES, *TREC_NAMES)}


def is_taken(name: str) -> bool:
    """Is it the name of a measure, in any spelling?"""
    begins = any(name.startswith(f"{trec_name}_") for trec_name in TREC_NAMES)  # P_5, and so P_mine
    reserved = name in GROUPS or name.lower() in _RESERVED or name == SCALED_DCG
    return begins or reserved or name.lower() in all_names()
