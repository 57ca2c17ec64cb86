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


@frozen
class TrecName:
    """A name of trec_eval's: which measure it is, and what may follow it."""

    name: str
    measure: str = ""  # none where it is a text, not a number
    kind: Kind = "plain"
    defaults: tuple[float, ...] = ()
    params: tuple[str, ...] = ()  # what the numbers behind the dot are called here
    fixed_params: Mapping[str, Any] = {}  # set without being asked


_ALL = (
    TrecName("runid", kind="text"),
    TrecName("num_q", "NumQ"),
    TrecName("num_ret", "NumRet"),
    TrecName("num_rel", "NumRel"),
    TrecName("num_rel_ret", "NumRelRet"),
    TrecName("map", "AP"),
    TrecName("gm_map", "GMAP"),
    TrecName("Rprec", "Rprec"),
    TrecName("bpref", "Bpref"),
    TrecName("recip_rank", "RR"),
    TrecName("iprec_at_recall", "IPrec", "levels", _TENTHS),
    TrecName("P", "P", "ranks", _CUTS),
    TrecName("relstring", "", "text", (10,)),
    TrecName("recall", "R", "ranks", _CUTS),
    TrecName("infAP", "infAP"),
    TrecName("gm_bpref", "GMBpref"),
    TrecName("Rprec_mult", "Rprec", "levels", _FIFTHS, ("times",)),
    TrecName("utility", "Utility", "numbers", params=("hit", "noise", "miss", "rest")),
    TrecName("11pt_avg", "IAP", "numbers", params=("points",)),
    TrecName("binG", "binG"),
    TrecName("G", "G", "gains"),
    TrecName("dcg", "DCG", "gains"),
    TrecName("ideal_dcg", "IDCG", "gains"),
    TrecName("ndcg", "nDCG", "gains"),
    TrecName("ndcg_rel", "nDCG_rel", "gains"),
    TrecName("Rndcg", "Rndcg", "gains"),
    TrecName("ndcg_cut", "nDCG", "ranks", _CUTS),
    TrecName("map_cut", "AP", "ranks", _CUTS),
    TrecName("relative_P", "relP", "ranks", _CUTS),
    TrecName("success", "Success", "ranks", (1, 5, 10)),
    TrecName("set_P", "SetP"),
    TrecName("set_relative_P", "SetRelP"),
    TrecName("set_recall", "SetR"),
    TrecName("set_map", "SetAP"),
    TrecName("set_F", "SetF", "numbers", params=("beta",)),
    TrecName("num_nonrel_judged_ret", "NumNonRelRet"),
    TrecName("yaap", "YAAP"),
    TrecName("rbp", "gRBP", "pairs", params=("p",), fixed_params={"p": 0.9}),
    TrecName("rbp_resid", "RBPResid", "pairs", params=("p",), fixed_params={"p": 0.9}),
    TrecName("unj", "Unjudged", "ranks", (5, 10, 20)),
)

TREC_NAMES: Mapping[str, TrecName] = {trec_name.name: trec_name for trec_name in _ALL}

_OFFICIAL = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", "P"),
)
_SET = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
    *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
)
_ALL_9 = tuple(
    name
    for name in TREC_NAMES
    if name not in ("dcg", "ideal_dcg", "yaap", "rbp", "rbp_resid", "unj")
)
GROUPS: Mapping[str, tuple[str, ...]] = {
    "official": _OFFICIAL,
    "set": _SET,
    "all_trec": (*_ALL_9, "rbp", "rbp_resid", "unj"),
}
GROUPS_9: Mapping[str, tuple[str, ...]] = {**GROUPS, "all_trec": _ALL_9}
