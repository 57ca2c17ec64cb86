"""Text in trec_eval's spelling → measures: `P_5`, `P.5,10`, `ndcg_cut_10`, `ndcg.1=3,2=9`."""

from __future__ import annotations

import re
from typing import Any

from attrs import frozen

from gainful.errors import BadValue
from gainful.measure.measure import Measure
from gainful.measure.trec_eval_names import GROUPS, TREC_NAMES, TrecName
from gainful.text import NUMBER_PATTERN

_PAIR = re.compile(rf"\s*(-?\d+)\s*=\s*({NUMBER_PATTERN})\s*", re.ASCII)


@frozen
class TrecLine:
    """One line of output: the name as printed, its measure (None for a text), and whose it is."""

    name: str
    measure: Measure | None
    trec_name: TrecName


def parse_trec_name(text: str) -> list[TrecLine] | None:
    """The measures that a name of trec_eval's stands for; None if it is no such name.

    Examples:
        >>> [(line.name, str(line.measure)) for line in parse_trec_name("ndcg_cut.5,10")]
        [('ndcg_cut_5', 'nDCG@5'), ('ndcg_cut_10', 'nDCG@10')]
        >>> parse_trec_name("P_5")[0].measure
        Measure(name='P', params=(), k=5)
    """
    if text in GROUPS:
        lines = [line for name in GROUPS[text] for line in expand_trec_name(TREC_NAMES[name], None)]
        return [line for line in lines if line.measure is not None]
    name, dot, rest = text.partition(".")
    if name in TREC_NAMES and (dot == "." or not rest):
        trec_name, suffix = TREC_NAMES[name], rest if dot else None
    else:  # P_5, utility_2,-1,0,0: the longest name that it begins with
        names = [name for name in TREC_NAMES if text.startswith(name + "_")]
        if not names:
            return None
        trec_name = TREC_NAMES[max(names, key=len)]
        suffix = text[len(trec_name.name) + 1 :]
    if trec_name.kind == "text" or (suffix is not None and trec_name.kind == "plain"):
        return None
    return expand_trec_name(trec_name, suffix)


def expand_trec_name(trec_name: TrecName, suffix: str | None) -> list[TrecLine]:
    """The lines that a name prints with what follows its dot; None where nothing does."""
    if trec_name.kind == "ranks":
        return [
            TrecLine(f"{trec_name.name}_{cut}", Measure(trec_name.measure, (), cut), trec_name)
            for cut in _parse_ranks(trec_name, suffix)
        ]
    if trec_name.kind == "levels":
        return [
            TrecLine(
                f"{trec_name.name}_{level:3.2f}", _measure_at_level(trec_name, level), trec_name
            )
            for level in _parse_levels(trec_name, suffix)
        ]
    name = trec_name.name if suffix is None else f"{trec_name.name}_{suffix}"
    if trec_name.kind == "text":
        if suffix is not None:
            _parse_number(trec_name, suffix)
        return [TrecLine(name, None, trec_name)]
    params = dict(trec_name.fixed_params)
    if suffix is not None and trec_name.kind == "gains":
        params["gain"] = _parse_gains(trec_name, suffix)
    elif suffix is not None and trec_name.kind == "pairs":
        params |= _parse_pairs(trec_name, suffix)
    elif suffix is not None:
        params |= _parse_numbers(trec_name, suffix)
    return [TrecLine(name, Measure(trec_name.measure, params), trec_name)]


def _measure_at_level(trec_name: TrecName, level: float) -> Measure:
    if trec_name.params:
        return Measure(trec_name.measure, {trec_name.params[0]: level})
    return Measure(trec_name.measure, (), level)


def _parse_ranks(trec_name: TrecName, suffix: str | None) -> list[int]:
    """Cutoffs in ascending order; a fraction is cut off, as in trec_eval."""
    if suffix is None:
        return [int(cut) for cut in trec_name.defaults]
    cutoffs = sorted(int(_parse_number(trec_name, part)) for part in suffix.split(","))
    if cutoffs[0] <= 0:
        raise BadValue(trec_name.name, suffix, "cutoffs from 1 on")
    if len(set(cutoffs)) < len(cutoffs):
        raise BadValue(trec_name.name, suffix, "each cutoff once")
    return cutoffs


def _parse_levels(trec_name: TrecName, suffix: str | None) -> list[float]:
    if suffix is None:
        return list(trec_name.defaults)
    levels = sorted(_parse_number(trec_name, part) for part in suffix.split(","))
    if len(set(levels)) < len(levels):
        raise BadValue(trec_name.name, suffix, "each cutoff once")
    return levels


def _parse_gains(trec_name: TrecName, suffix: str) -> str:
    """trec_eval's 1=3,2=9: other grades are worth themselves."""
    pairs = [_PAIR.fullmatch(part) for part in suffix.split(",")]
    if not all(pairs):
        raise BadValue(
            trec_name.name,
            suffix,
            "gains by grade, such as 1=3,2=9; a cutoff is ndcg_cut_10 or nDCG@10",
        )
    inner = ",".join(f"{pair[1]}:{pair[2]}" for pair in pairs if pair)
    return "{" + inner + ",else:g}"


def _parse_pairs(trec_name: TrecName, suffix: str) -> dict[str, Any]:
    """trec_eval's p=0.8: a parameter by its name, others are gains by grade."""
    pairs = [part.partition("=") for part in suffix.split(",")]
    params: dict[str, Any] = {
        name: _parse_number(trec_name, value)
        for name, _, value in pairs
        if name in trec_name.params
    }
    gains = [f"{name}={value}" for name, _, value in pairs if name not in trec_name.params]
    if gains:
        params["gain"] = _parse_gains(trec_name, ",".join(gains))
    return params


def _parse_numbers(trec_name: TrecName, suffix: str) -> dict[str, Any]:
    if trec_name.params == ("points",):
        return {"points": suffix}
    numbers = [_parse_number(trec_name, part) for part in suffix.split(",")]
    if len(numbers) != len(trec_name.params):
        raise BadValue(
            trec_name.name,
            suffix,
            f"{len(trec_name.params)} numbers: {', '.join(trec_name.params)}",
        )
    return dict(zip(trec_name.params, numbers, strict=True))


def _parse_number(trec_name: TrecName, part: str) -> float:
    if not re.fullmatch(NUMBER_PATTERN, part.strip(), re.ASCII) or abs(float(part)) > 2**53:
        raise BadValue(trec_name.name, part, "numbers, separated by commas")
    return float(part)
