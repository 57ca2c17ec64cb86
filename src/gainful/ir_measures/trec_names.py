"""trec_eval's names, as ir_measures reads them: `P_5,10`, `official`, `set_F.1.0,0.5,2.4`."""

from __future__ import annotations

import re

from gainful.errors import UnknownName
from gainful.ir_measures.evaluator import Measure, as_measure
from gainful.measure.trec_eval_names import GROUPS_9, TREC_NAMES
from gainful.measure.trec_language import parse_trec_name

_SEVERAL = re.compile(r"(?P<name>\w+?)[._](?P<numbers>\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)+)", re.ASCII)
# What trec_eval has and ir_measures has not: left out of groups there.
_LEFT_OUT = {
    *("gm_map", "gm_bpref", "Rndcg", "ndcg_rel", "binG", "G", "11pt_avg", "Rprec_mult"),
    *("utility", "relative_P", "num_nonrel_judged_ret", "runid", "relstring"),
}


def parse_trec_measure(measure: str) -> list[Measure]:
    """The measures that a name of trec_eval's stands for.

    Examples:
        >>> parse_trec_measure("P_5,10"), parse_trec_measure("set_F.1,0.5")
        ([P@5, P@10], [SetF, SetF(beta=0.5)])
    """
    if measure in GROUPS_9:
        names = sorted(name for name in GROUPS_9[measure] if name not in _LEFT_OUT)
        return [parsed for name in names for parsed in parse_trec_measure(name)]
    lines = parse_trec_name(_split_numbers(measure)[0])
    if lines is None:
        raise UnknownName("measure", measure, [*TREC_NAMES, *GROUPS_9])
    return [
        as_measure(line.measure)
        for name in _split_numbers(measure)
        for line in parse_trec_name(name) or ()
        if line.measure is not None
    ]


def _split_numbers(measure: str) -> list[str]:
    """A name with one number each, where trec_eval would read several as one list."""
    several = _SEVERAL.fullmatch(measure)
    if several is None or several["name"] not in TREC_NAMES:
        return [measure]
    if TREC_NAMES[several["name"]].kind != "numbers":
        return [measure]
    return [f"{several['name']}.{number}" for number in several["numbers"].split(",")]
