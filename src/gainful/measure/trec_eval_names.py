"""trec_eval's names of measures and of groups of them, in the order in which it prints them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import frozen

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

    @property
    def takes_params(self) -> bool:
        """Does it heed what follows its dot?"""
        return bool(self.params) or self.kind in ("ranks", "levels", "gains", "pairs")


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
    TrecName("map_avgjg", "AP", judgments="qrels_jg", below_zero="retrieved"),
    TrecName("P_avgjg", "P", "ranks", _CUTS, judgments="qrels_jg", below_zero="retrieved"),
    TrecName(
        "Rprec_mult_avgjg",
        "Rprec",
        "levels",
        _FIFTHS,
        ("times",),
        judgments="qrels_jg",
        below_zero="last",
    ),
)
# With those of preferences and of several judges, which only `gainful trec_eval` has.
EVERY_NAME: Mapping[str, TrecName] = {
    **TREC_NAMES,
    **{trec_name.name: trec_name for trec_name in _OF_OTHER_JUDGMENTS},
}
NOT_IN_9 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")

_OFFICIAL = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", "P"),
)
_SET = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
    *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
)
_ALL_9 = tuple(name for name in TREC_NAMES if name not in (*NOT_IN_9, "yaap"))
GROUPS: Mapping[str, tuple[str, ...]] = {
    "official": _OFFICIAL,
    "set": _SET,
    "all_trec": (*_ALL_9, "rbp", "rbp_resid", "unj"),
}
GROUPS_9: Mapping[str, tuple[str, ...]] = {**GROUPS, "all_trec": _ALL_9}
GROUPS_OF_OTHER_JUDGMENTS: Mapping[str, tuple[str, ...]] = {
    "all_prefs": ("runid", "num_q", *_PREFERENCE_COUNTS, *_PREFERENCE_SHARES),
    "prefs": ("runid", "num_q", *_PREFERENCE_COUNTS, *_PREFERENCE_SHARES[:3]),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
