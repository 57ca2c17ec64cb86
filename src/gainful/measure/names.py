"""Every name that a measure has, in any spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gainful.measure.catalogue import measure_names
from gainful.measure.trec_eval_names import GROUPS, TREC_NAMES, TrecName

SCALED_DCG = "SDCG"  # spelt just so: sessions have sDCG

_VALUES: dict[tuple[str, object], dict[str, Any]] = {
    ("dcg", "log2"): {"gain": "linear", "discount": "log2"},
    ("dcg", "exp-log2"): {"gain": "exp", "discount": "log2"},
    ("judged_only", True): {"unjudged": "remove", "negative": "remove"},
    ("judged_only", False): {"unjudged": "zero"},
    ("relative", False): {},
    ("min_rel", 0): {},
    ("normalize", True): {},
}
_PARAMETERS = {"max_rel": "max_grade"}
_CUTOFFS = ("cutoff", "recall", "k")  # what else may say what stands behind @


def parse_ir_measures_name(name: str) -> str | None:
    """The measure that a name of ir_measures' stands for, where that is not its name here."""
    return "scaledDCG" if name == SCALED_DCG else None


def translate_measure(name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A measure and its parameters as they are called here, if they are called as there.

    Examples:
        >>> translate_measure("SetP", {"relative": True})
        ('SetRelP', {})
        >>> translate_measure("nDCG", {"dcg": "exp-log2"})
        ('nDCG', {'gain': 'exp', 'discount': 'log2'})
    """
    ours = translate_params(params)
    if name == "NumRet" and "rel" in ours:
        return "NumRelRet", ours
    if name == "SetP" and ours.get("relative") is True:
        del ours["relative"]
        return "SetRelP", ours
    return name, ours


def translate_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as they are called here, if they are called as in ir_measures."""
    ours: dict[str, Any] = {}
    for name, value in params.items():
        special = (name, value) in _VALUES if isinstance(value, (str, int, float)) else False
        if special:
            ours |= _VALUES[name, value]
        elif name == "gains":
            ours["gain"] = _with_other_grades(value)
        else:
            ours[_PARAMETERS.get(name, name)] = value
    return ours


def pop_cutoff(params: dict[str, Any]) -> Any:
    """Take what stands behind @ out of the parameters, if one of them says it."""
    return next((params.pop(name) for name in _CUTOFFS if name in params), None)


def _with_other_grades(gains: Any) -> Any:
    if isinstance(gains, Mapping):
        return gains if "else" in gains else {**gains, "else": "g"}
    text = str(gains).strip()
    if "else" in text or not text.startswith("{"):
        return gains
    return text.removesuffix("}").rstrip(" ,") + ",else:g}"


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
    "diversity": f"gainful has no diversity by distance; {_SUBTOPICS}",
    "ild": f"gainful has no diversity by distance; {_SUBTOPICS}",
    "serendipity": f"gainful has no serendipity; {_SUBTOPICS}",
    "popularity": "Novelty@10 gives popular items little weight",
    "averagepopularity": "Novelty@10 gives popular items little weight",
    "itemcoverage": "write Coverage@10",
    "giniindex": "write Gini@10",
    "context_recall": "ragas' context recall by ids is SetR, of the first k R@k",
    "faithfulness": "gainful evaluates what was retrieved, not the generated answer",
    "answer_relevancy": "gainful evaluates what was retrieved, not the generated answer",
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


def split_trec_name(text: str) -> tuple[TrecName, str | None] | None:
    """A name and what follows its dot or underscore, if anything; None if it is no such name."""
    name, dot, rest = text.partition(".")
    if name in TREC_NAMES:
        return TREC_NAMES[name], rest if dot else None
    names = [name for name in TREC_NAMES if text.startswith(f"{name}_")]
    if not names:
        return None
    longest = max(names, key=len)  # of P_5, utility_2,-1,0,0
    return TREC_NAMES[longest], text[len(longest) + 1 :]


_RESERVED = ("run", "query", "session", "mean", "all")  # of what is printed beside the values


def all_names() -> set[str]:
    """The names of measures here and in trec_eval, and what people also call them."""
    return {name.lower() for name in (*measure_names(), *NICKNAMES, *TREC_NAMES)}


def is_taken(name: str) -> bool:
    """Is it the name of a measure, in any spelling?"""
    begins = any(name.startswith(f"{trec_name}_") for trec_name in TREC_NAMES)  # P_5, and so P_mine
    reserved = name in GROUPS or name.lower() in _RESERVED or name == SCALED_DCG
    return begins or reserved or name.lower() in all_names()
