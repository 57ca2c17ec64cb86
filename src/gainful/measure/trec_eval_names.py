"""trec_eval's names of measures, in the order in which it prints them.

`P_5`, `P.5,10`, `ndcg_cut_10`, `iprec_at_recall_0.10`, `ndcg.1=3,2=9`, and the names of groups.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from attrs import frozen

from gainful.errors import BadValue
from gainful.formula import NUMBER
from gainful.measure.measure import Measure

_CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(tenth / 10 for tenth in range(11))
_FIFTHS = tuple(fifth / 5 for fifth in range(1, 11))
_PAIR = re.compile(rf"\s*(-?\d+)\s*=\s*({NUMBER})\s*", re.ASCII)

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
    always: Mapping[str, Any] = {}  # set without being asked


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
    TrecName("rbp", "gRBP", "pairs", params=("p",), always={"p": 0.9}),
    TrecName("rbp_resid", "RBPResid", "pairs", params=("p",), always={"p": 0.9}),
    TrecName("unj", "Unjudged", "ranks", (5, 10, 20)),
)

TREC_NAMES: Mapping[str, TrecName] = {known.name: known for known in _ALL}

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


@frozen
class Spelled:
    """One line of output: the name as printed, its measure (None for a text), and whose it is."""

    name: str
    measure: Measure | None
    root: TrecName


def of_trec(text: str) -> list[Spelled] | None:
    """The measures that a name of trec_eval's stands for; None if it is no such name.

    Examples:
        >>> [(line.name, str(line.measure)) for line in of_trec("ndcg_cut.5,10")]
        [('ndcg_cut_5', 'nDCG@5'), ('ndcg_cut_10', 'nDCG@10')]
        >>> of_trec("P_5")[0].measure
        Measure(name='P', params=(), k=5)
    """
    if text in GROUPS:
        every = [line for name in GROUPS[text] for line in spelled(TREC_NAMES[name], None)]
        return [line for line in every if line.measure is not None]
    name, dot, rest = text.partition(".")
    if name in TREC_NAMES and (dot == "." or not rest):
        known, after = TREC_NAMES[name], rest if dot else None
    else:  # P_5, utility_2,-1,0,0: the longest name that it begins with
        names = [known for known in TREC_NAMES if text.startswith(known + "_")]
        if not names:
            return None
        known = TREC_NAMES[max(names, key=len)]
        after = text[len(known.name) + 1 :]
    if known.kind == "text" or (after is not None and known.kind == "plain"):
        return None
    return spelled(known, after)


def spelled(known: TrecName, after: str | None) -> list[Spelled]:
    """The lines that a name prints with what follows its dot; None where nothing does."""
    if known.kind == "ranks":
        return [
            Spelled(f"{known.name}_{cut}", Measure(known.measure, (), cut), known)
            for cut in _ranks(known, after)
        ]
    if known.kind == "levels":
        return [
            Spelled(f"{known.name}_{x:3.2f}", _at_level(known, x), known)
            for x in _levels(known, after)
        ]
    name = known.name if after is None else f"{known.name}_{after}"
    if known.kind == "text":
        if after is not None:
            _number(known, after)
        return [Spelled(name, None, known)]
    params = dict(known.always)
    if after is not None and known.kind == "gains":
        params["gain"] = _gains(known, after)
    elif after is not None and known.kind == "pairs":
        params |= _pairs(known, after)
    elif after is not None:
        params |= _numbers(known, after)
    return [Spelled(name, Measure(known.measure, params), known)]


def _at_level(known: TrecName, level: float) -> Measure:
    if known.params:
        return Measure(known.measure, {known.params[0]: level})
    return Measure(known.measure, (), level)


def _ranks(known: TrecName, after: str | None) -> list[int]:
    """Cutoffs in ascending order; a fraction is cut off, as in trec_eval."""
    if after is None:
        return [int(cut) for cut in known.defaults]
    found = sorted(int(_number(known, part)) for part in after.split(","))
    if found[0] <= 0:
        raise BadValue(known.name, after, "cutoffs from 1 on")
    if len(set(found)) < len(found):
        raise BadValue(known.name, after, "each cutoff once")
    return found


def _levels(known: TrecName, after: str | None) -> list[float]:
    if after is None:
        return list(known.defaults)
    found = sorted(_number(known, part) for part in after.split(","))
    if len(set(found)) < len(found):
        raise BadValue(known.name, after, "each cutoff once")
    return found


def _gains(known: TrecName, after: str) -> str:
    """trec_eval's 1=3,2=9: other grades are worth themselves."""
    pairs = [_PAIR.fullmatch(part) for part in after.split(",")]
    if not all(pairs):
        raise BadValue(
            known.name, after, "gains by grade, such as 1=3,2=9; a cutoff is ndcg_cut_10 or nDCG@10"
        )
    inner = ",".join(f"{pair[1]}:{pair[2]}" for pair in pairs if pair)
    return "{" + inner + ",else:g}"


def _pairs(known: TrecName, after: str) -> dict[str, Any]:
    """trec_eval's p=0.8: a parameter by its name, others are gains by grade."""
    named = [part.partition("=") for part in after.split(",")]
    found: dict[str, Any] = {
        name: _number(known, value) for name, _, value in named if name in known.params
    }
    gains = [f"{name}={value}" for name, _, value in named if name not in known.params]
    if gains:
        found["gain"] = _gains(known, ",".join(gains))
    return found


def _numbers(known: TrecName, after: str) -> dict[str, Any]:
    if known.params == ("points",):
        return {"points": after}
    found = [_number(known, part) for part in after.split(",")]
    if len(found) != len(known.params):
        raise BadValue(known.name, after, f"{len(known.params)} numbers: {', '.join(known.params)}")
    return dict(zip(known.params, found, strict=True))


def _number(known: TrecName, part: str) -> float:
    if not re.fullmatch(NUMBER, part.strip(), re.ASCII) or abs(float(part)) > 2**53:
        raise BadValue(known.name, part, "numbers, separated by commas")
    return float(part)
