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
    "average_precision": "AP",
    "mean_average_precision": "AP",
    "mrr": "RR",
    "reciprocal_rank": "RR",
    "mean_reciprocal_rank": "RR",
    "r_precision": "Rprec",
    "hit": "Success",
    "hitrate": "Success",
    "hit_rate": "Success",
    "hr": "Success",
    "r_cap": "relP",
    "recall_cap": "relP",
    "f1": "SetF",
    "f1_score": "SetF",
    "context_precision": "ContextPrecision",
    "auroc": "AUC",
    "roc_auc": "AUC",
    "fall_out": "Fallout",
    "filtered_dcg": "FilteredDCG",
    "o_measure": "Omeasure",
    "p_measure": "Pmeasure",
    "p_plus": "Pplus",
    "p+": "Pplus",
    "map_ia": "AP_IA",
    "strec": "StRecall",
    "st_recall": "StRecall",
    "subtopic_recall": "StRecall",
    "s_recall": "StRecall",
    "q": "Qmeasure",
    "q_measure": "Qmeasure",
}

_ACCURACY = (
    "a relevant document among the first k is Success@k; ir_measures' Accuracy is PairAccuracy"
)
_SUBTOPICS = "alpha-nDCG@10 and StRecall@10 reward what is new, by judged subtopics"
# What people ask for that is no measure here, or several: what to say instead.
ANSWERS: Mapping[str, str] = {
    "accuracy": _ACCURACY,
    "acc": _ACCURACY,
    "coverage": "gainful has no coverage of the catalogue, which needs all items",
    "novelty": f"gainful has no novelty by popularity; {_SUBTOPICS}",
    "diversity": f"gainful has no diversity by distance; {_SUBTOPICS}",
    "ild": f"gainful has no diversity by distance; {_SUBTOPICS}",
    "serendipity": f"gainful has no serendipity; {_SUBTOPICS}",
    "gini": "gainful has no Gini index of the items that are shown",
    "popularity": "gainful has no measure of popularity",
    "context_recall": "ragas' context recall by ids is SetR, of the first k R@k",
    "faithfulness": "gainful judges what was retrieved, not the answer made of it",
    "answer_relevancy": "gainful judges what was retrieved, not the answer made of it",
    "hit_at_k": "write Success@10",
    "ndcg_burges": "ranx's ndcg_burges is nDCG(gain=exp), at a cutoff nDCG(gain=exp)@10",
    "loss": "gainful has no losses",
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
