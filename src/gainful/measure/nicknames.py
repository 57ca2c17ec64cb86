"""What people also call a measure: `MRR`, `recall@10`, `hit_rate`; in any case, of course."""

from __future__ import annotations

from collections.abc import Mapping

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
