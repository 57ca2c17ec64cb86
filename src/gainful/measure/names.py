"""Every name that a measure has, in any spelling: here, in ir_measures, in trec_eval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import evolve, frozen

from gainful.measure.catalogue import MEASURES, exposure_measures, measure_names, session_measures

_CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(tenth / 10 for tenth in range(11))
_FIFTHS = tuple(fifth / 5 for fifth in range(1, 11))

# What stands behind the dot: nothing, ranks, levels, single numbers, gains by grade, or names
# and gains with their values.
Kind = Literal["plain", "ranks", "levels", "numbers", "gains", "pairs", "text"]

# What is relevant where -l is below 0: of the judged documents all; of the retrieved ones, which
# are judged or not, all; or of these only the last, as many as are judged.
BelowZero = Literal["judged", "retrieved", "last"]

# The judgments that a measure looks at: none, grades, preferences, or grades of several judges.
Judgments = Literal["none", "qrels", "prefs", "qrels_jg"]


@frozen
class TrecName:
    """A name of trec_eval's: which measure it is, and what may follow it."""

    name: str
    measure: str = ""  # none where it is a text, not a number
    kind: Kind = "plain"
    defaults: tuple[float, ...] = ()
    params: tuple[str, ...] = ()  # what the numbers behind the dot are called here
    fixed_params: Mapping[str, Any] = {}  # set without being asked
    judgments: Judgments = "qrels"
    below_zero: BelowZero = "judged"
    added_up: bool = False  # preferences: is the summary a sum, where others are means?
    shared_gains: str = ""  # names of one group take the gains that any of them is given


_ALL = (
    TrecName("runid", kind="text", judgments="none"),
    TrecName("num_q", "NumQ", judgments="none"),
    TrecName("num_ret", "NumRet"),
    TrecName("num_rel", "NumRel"),
    TrecName("num_rel_ret", "NumRelRet"),
    TrecName("map", "AP", below_zero="retrieved"),
    TrecName("gm_map", "GMAP", below_zero="retrieved"),
    TrecName("Rprec", "Rprec", below_zero="retrieved"),
    TrecName("bpref", "Bpref"),
    TrecName("recip_rank", "RR", below_zero="retrieved"),
    TrecName("iprec_at_recall", "IPrec", "levels", _TENTHS, below_zero="last"),
    TrecName("P", "P", "ranks", _CUTS, below_zero="retrieved"),
    TrecName("relstring", "", "text", (10,), ("length",)),
    TrecName("recall", "R", "ranks", _CUTS, below_zero="retrieved"),
    TrecName("infAP", "infAP"),
    TrecName("gm_bpref", "GMBpref"),
    TrecName("Rprec_mult", "Rprec", "levels", _FIFTHS, ("times",), below_zero="last"),
    TrecName("utility", "Utility", "numbers", params=("hit", "noise", "miss", "rest")),
    TrecName("11pt_avg", "IAP", "numbers", params=("points",), below_zero="last"),
    TrecName("binG", "binG", below_zero="retrieved"),
    TrecName("G", "G", "gains"),
    TrecName("dcg", "DCG", "gains", shared_gains="ndcg"),
    TrecName("ideal_dcg", "IDCG", "gains", shared_gains="ndcg"),
    TrecName("ndcg", "nDCG", "gains", shared_gains="ndcg"),
    TrecName("ndcg_rel", "nDCG_rel", "gains"),
    TrecName("Rndcg", "Rndcg", "gains"),
    TrecName("ndcg_cut", "nDCG", "ranks", _CUTS),
    TrecName("map_cut", "AP", "ranks", _CUTS, below_zero="retrieved"),
    TrecName("relative_P", "relP", "ranks", _CUTS, below_zero="retrieved"),
    TrecName("success", "Success", "ranks", (1, 5, 10), below_zero="retrieved"),
    TrecName("set_P", "SetP"),
    TrecName("set_relative_P", "SetRelP"),
    TrecName("set_recall", "SetR"),
    TrecName("set_map", "SetAP"),
    TrecName("set_F", "SetF", "numbers", params=("beta",)),
    TrecName("num_nonrel_judged_ret", "NumNonRelRet"),
    TrecName("yaap", "YAAP", below_zero="retrieved"),
    TrecName("rbp", "gRBP", "pairs", params=("p",), fixed_params={"p": 0.9}),
    TrecName("rbp_resid", "RBPResid", "pairs", params=("p",), fixed_params={"p": 0.9}),
    TrecName("unj", "Unjudged", "ranks", (5, 10, 20)),
)

TREC_NAMES: Mapping[str, TrecName] = {trec_name.name: trec_name for trec_name in _ALL}

_PREFERENCE_COUNTS = ("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret")
_PREFERENCE_SHARES = (
    *("prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel"),
    *("prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret"),
    *("prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
)
_OF_OTHER_JUDGMENTS = (
    *(TrecName(name, judgments="prefs", added_up=True) for name in _PREFERENCE_COUNTS),
    *(TrecName(name, judgments="prefs") for name in _PREFERENCE_SHARES),
    *(
        evolve(TREC_NAMES[name], name=f"{name}_avgjg", judgments="qrels_jg")
        for name in ("map", "P", "Rprec_mult")
    ),
)
# With those of preferences and of several judges, which only `gainful trec_eval` has.
EVERY_NAME: Mapping[str, TrecName] = {
    **TREC_NAMES,
    **{trec_name.name: trec_name for trec_name in _OF_OTHER_JUDGMENTS},
}
NOT_IN_9 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")

_ALL_9 = tuple(name for name in TREC_NAMES if name not in (*NOT_IN_9, "yaap"))
GROUPS: Mapping[str, tuple[str, ...]] = {
    "official": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec"),
        *("bpref", "recip_rank", "iprec_at_recall", "P"),
    ),
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    ),
    "all_trec": (*_ALL_9, "rbp", "rbp_resid", "unj"),
}
GROUPS_9: Mapping[str, tuple[str, ...]] = {**GROUPS, "all_trec": _ALL_9}
GROUPS_OF_OTHER_JUDGMENTS: Mapping[str, tuple[str, ...]] = {
    "all_prefs": ("runid", "num_q", *_PREFERENCE_COUNTS, *_PREFERENCE_SHARES),
    "prefs": ("runid", "num_q", *_PREFERENCE_COUNTS, *_PREFERENCE_SHARES[:3]),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}


SCALED_DCG = "SDCG"  # of ir_measures, spelt just so: sessions have sDCG

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


_NAMES_OF = {  # what people also call a measure
    "R": "recall",
    "P": "precision",
    "AP": "map average_precision mean_average_precision",
    "RR": "mrr reciprocal_rank mean_reciprocal_rank",
    "Rprec": "r_precision",
    "Success": "hit hitrate hit_rate hr",
    "relP": "r_cap recall_cap",
    "SetF": "f1 f1_score",
    "ContextPrecision": "context_precision",
    "AUC": "auroc roc_auc",
    "Fallout": "fall_out",
    "FilteredDCG": "filtered_dcg",
    "Omeasure": "o_measure",
    "Pmeasure": "p_measure",
    "Pplus": "p_plus p+",
    "AP_IA": "map_ia",
    "StRecall": "strec st_recall subtopic_recall s_recall",
    "Qmeasure": "q q_measure",
}
NICKNAMES: Mapping[str, str] = {
    nickname: name for name, nicknames in _NAMES_OF.items() for nickname in nicknames.split()
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


def find_measure_name(name: str) -> str | None:
    """The name of a measure in the catalogue: in any case, as ir_measures or people call it."""
    if name == SCALED_DCG:
        return "scaledDCG"
    if name in MEASURES:
        return name
    plain = plain_name(name)
    if plain in NICKNAMES:
        return NICKNAMES[plain]
    for find_measures in (lambda: MEASURES, session_measures, exposure_measures):
        measures = find_measures()
        if name in measures:
            return name
        lower_names = {spelling.lower(): spelling for spelling in measures}
        if plain in lower_names and plain != SCALED_DCG.lower():  # sdcg is either
            return lower_names[plain]
    return None


def plain_name(name: str) -> str:
    """A name in small letters and as the catalogue would have it: of alpha-nDCG, ERR-IA."""
    return name.lower().replace("-", "_").replace("α", "alpha")


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


def is_taken(name: str) -> bool:
    """Is it the name of a measure, in any spelling?"""
    begins = any(name.startswith(f"{trec_name}_") for trec_name in TREC_NAMES)  # P_5, and so P_mine
    reserved = name in GROUPS or name.lower() in _RESERVED or name == SCALED_DCG
    names = {known.lower() for known in (*measure_names(), *NICKNAMES, *TREC_NAMES)}
    return begins or reserved or name.lower() in names
