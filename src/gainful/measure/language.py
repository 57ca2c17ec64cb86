"""Text → `Measure`: `parse("nDCG(gain={0:0,1:1,2:10}, discount=jk2008, b=2)@100")`.

The spellings of trec_eval (`ndcg_cut_10`, `P.5,10`) and of ir_measures (`nDCG(dcg='exp-log2')@10`)
are understood too, and lists and ranges of cutoffs (`nDCG@1,3,5`, `nDCG@1..20`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import e
from typing import Any

from gainful.errors import BadValue, UnknownName, WrongType
from gainful.formula import NUMBER
from gainful.measure.catalogue import MEASURES, SESSION_MEASURES
from gainful.measure.further import look_further
from gainful.measure.measure import Measure, Setting, cutoff
from gainful.measure.parameters import translated
from gainful.measure.trec_eval_names import GROUPS, TREC_NAMES, of_trec

_SHAPE = re.compile(
    r"(?P<name>[\wα]+(?:-[a-zA-Z]+)?)\s*(?:\((?P<inner>.*)\))?\s*(?:@\s*(?P<k>[-+\w.]+(?:\s*,\s*[-+\w.]+)*))?",
    re.ASCII,
)
_RANGE = re.compile(r"(\d+)\.\.(\d+)", re.ASCII)
_PARAM = re.compile(
    r"""\s*(?P<name>\w+)\s*=\s*
        (?P<value>\{[^{}]*\} | '[^']*' | "[^"]*" | [^\s,(){}'"=]+(?:\(\d+\))?)
        \s*(?P<end>,|$)""",
    re.VERBOSE | re.ASCII,
)
_LONGEST = 1000  # characters; no measure is longer
_MOST = 1000  # cutoffs in one range
_ALLOWED = "NAME(parameter=value, …)@cutoff, such as nDCG(gain=exp)@10"

_SCALED = "SDCG"  # ir_measures' scaled DCG, spelt just so: sessions have sDCG

_COLUMNS = ("run", "query", "session", "mean", "all")  # of what is printed beside the values

_LIKE_P = "p_ia"  # begins as trec_eval's P_5 does, and is another measure

# What people also call a measure; in any case, of course.
_ALSO = {
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


def parse(text: str | Measure) -> Measure:
    """A measure from its spelling; `parse(str(m)) == m`.

    Examples:
        >>> parse("nDCG(gain=exp)@10") == Measure("nDCG")(gain="exp") @ 10
        True
        >>> str(parse("ndcg_cut_10"))
        'nDCG@10'
    """
    found = expand(text)
    if len(found) > 1:
        raise BadValue("measure", text, f"one measure; this means {len(found)}")
    return next(iter(found.values()))


def expand(measures: str | Measure | Iterable[str | Measure]) -> dict[str, Measure]:
    """Measures by the names the caller gave them; a list of cutoffs becomes one name for each.

    Examples:
        >>> list(expand(["ndcg_cut.5,10", "nDCG@1..3", "AP"]))
        ['ndcg_cut_5', 'ndcg_cut_10', 'nDCG@1', 'nDCG@2', 'nDCG@3', 'AP']
    """
    if isinstance(measures, Measure):
        cutoff(measures.k, measures.entry)
        return {str(measures): measures}
    if isinstance(measures, str):
        return _expanded(measures)
    if not isinstance(measures, Iterable):
        raise WrongType("measure", measures, _ALLOWED)
    found: dict[str, Measure] = {}
    for one in measures:
        if not isinstance(one, (str, Measure)):
            raise WrongType("measure", one, _ALLOWED)
        found |= expand(one)
    if not found:
        raise BadValue("measures", measures, "at least one measure, such as nDCG@10")
    return found


def _expanded(text: str) -> dict[str, Measure]:
    spelled = text.strip()
    if len(spelled) > _LONGEST:
        raise BadValue("measure", text, _ALLOWED)
    if "@" not in spelled and "(" not in spelled and spelled.lower() != _LIKE_P:
        by_trec = of_trec(spelled)
        if by_trec is not None:
            return {line.name: line.measure for line in by_trec if line.measure is not None}
    found = _SHAPE.fullmatch(spelled)
    if not found:
        raise BadValue("measure", text, _ALLOWED)
    name = named(found["name"], spelled)
    params = _params(found["inner"], text) if found["inner"] else {}
    cut = params.pop("cutoff", None)
    if name == "NumRet" and "rel" in params:
        name = "NumRelRet"
    if name == "SetP" and params.get("relative") is True:
        name = "SetRelP"
        del params["relative"]
    measure = Measure(name, tuple(translated(params).items()))
    if found["k"] is None:
        measure = measure @ _number(cut) if cut is not None else measure
        cutoff(measure.k, measure.entry)
        return {spelled: measure}
    cuts = [k for part in found["k"].split(",") for k in _cutoffs(part.strip())]
    head = spelled[: spelled.rindex("@")]
    return {f"{head}@{k}": measure @ _number(k) for k in cuts}


def _cutoffs(part: str) -> list[str]:
    """One cutoff, or all of a range such as 1..20."""
    ends = _RANGE.fullmatch(part)
    if not ends:
        return [part]
    first, last = int(ends[1]), int(ends[2])
    if not 1 <= first <= last or last - first >= _MOST:
        raise BadValue("k", part, f"a range of at most {_MOST} cutoffs, such as 1..20")
    return [str(k) for k in range(first, last + 1)]


def _number(text: object) -> Any:
    """A cutoff as a number; what is none is refused where the measure says what it takes."""
    if isinstance(text, str) and text.lower() in _every_name():
        raise BadValue("measure", text, "one measure at a time, each by itself")
    if isinstance(text, str) and re.fullmatch(NUMBER, text, re.ASCII):
        return int(text) if re.fullmatch(r"[-+]?\d+", text, re.ASCII) else float(text)
    return text


def _every_name() -> set[str]:
    return {known.lower() for known in (*MEASURES, *SESSION_MEASURES, *_ALSO, *TREC_NAMES)}


def taken(name: str) -> bool:
    """Is it the name of a measure, in any spelling?"""
    begins = any(name.startswith(f"{known}_") for known in TREC_NAMES)  # P_5, and so P_mine
    reserved = name in GROUPS or name.lower() in _COLUMNS or name == _SCALED
    return begins or reserved or name.lower() in _every_name()


def named(name: str, text: str) -> str:
    """The catalogue's spelling; any case will do, and what people also call it."""
    if name in MEASURES or name in SESSION_MEASURES:
        return name
    if name == _SCALED:
        return "scaledDCG"
    every = [*MEASURES, *(known for known in SESSION_MEASURES if known.lower() != "sdcg")]
    lower = {known.lower(): known for known in every} | _ALSO  # sdcg could be either: see _SCALED
    plain = name.lower().replace("-", "_").replace("α", "alpha")  # alpha-nDCG, ERR-IA
    if plain in lower:
        return lower[plain]
    if look_further(name, MEASURES):
        return name
    late = {known.lower(): known for known in MEASURES}
    if plain in late:
        return late[plain]
    rest = text[len(name) :]
    with_cutoff = re.fullmatch(r"([a-z]+)_?(\d+)", text.lower(), re.ASCII)
    if with_cutoff and with_cutoff[1] in lower:  # nDCG10 for nDCG@10
        meant = f"{lower[with_cutoff[1]]}@{with_cutoff[2]}"
        raise UnknownName("measure", text, [meant], "gainful measures lists them all")
    theirs = [known.name for known in TREC_NAMES.values() if known.measure]
    known = [entry + rest for entry in (*MEASURES, *SESSION_MEASURES)] + [*theirs, *GROUPS]
    raise UnknownName("measure", text, known, "gainful measures lists them all")


def _params(inner: str, text: str) -> dict[str, Setting]:
    params: dict[str, Setting] = {}
    position = 0
    while position < len(inner):
        found = _PARAM.match(inner, position)
        if not found:
            raise BadValue("measure", text, _ALLOWED)
        if found["name"] in params:
            raise BadValue(f"parameter {found['name']}", text, "each parameter once")
        params[found["name"]] = _value(found["value"])
        position = found.end()
    return params


def _value(text: str) -> Setting:
    if text[0] in "'\"":
        return text[1:-1]
    if text == "e":
        return e
    if text in ("True", "False"):
        return text == "True"
    if not re.fullmatch(NUMBER, text, re.ASCII):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
