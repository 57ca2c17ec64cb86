"""trec_eval's spellings of measures, `ndcg_cut.5,10` and `P_5`: the lines that each prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from attrs import evolve, frozen

from gainful.errors import BadValue
from gainful.measure.catalogue import find_entry
from gainful.measure.entry import Aggregation
from gainful.measure.measure import Measure
from gainful.measure.names import GROUPS, TREC_NAMES, TrecName, split_trec_name
from gainful.text import NUMBER_PATTERN, format_exact, leading_integer, leading_number

_MAX_LEVEL_LENGTH = 8  # what trec_eval has room for behind the name
_NUMBERS = "numbers, separated by commas"
_GAINS = "gains by grade, such as 1=3,2=9"
_WHOLE_NUMBER = re.compile(r"[+-]?\d+", re.ASCII)
_RANK_PATTERN = r"[+-]?\d+(?:\.\d*)?"  # a fraction is cut off, as in trec_eval


@frozen
class TrecLine:
    """One line of output: the name as printed, whose it is, and what stood behind its dot."""

    name: str
    trec_name: TrecName
    params: Mapping[str, Any] = {}  # what the measure is called with
    k: float | None = None  # its cutoff, or level of recall
    computable: bool = True  # are there as many numbers as it takes?

    @property
    def measure(self) -> Measure:
        """The measure of the catalogue, whose parameters are checked here; a text has none."""
        return Measure(self.trec_name.measure, self.params, self.k)

    @property
    def is_text(self) -> bool:
        """Is what it prints no number?"""
        return self.trec_name.kind == "text"

    @property
    def aggregation(self) -> Aggregation:
        """How are the values of queries made one?"""
        entry = find_entry(self.trec_name.measure)
        if entry is not None:
            return entry.aggregation
        return "sum" if self.trec_name.added_up else "mean"


def parse_trec_name(text: str) -> list[TrecLine] | None:
    """The measures that a name of trec_eval's stands for; None if it is no such name.

    Examples:
        >>> [(line.name, str(line.measure)) for line in parse_trec_name("ndcg_cut.5,10")]
        [('ndcg_cut_5', 'nDCG@5'), ('ndcg_cut_10', 'nDCG@10')]
        >>> parse_trec_name("P_5")[0].measure
        Measure(name='P', params=(), k=5)
    """
    if text in GROUPS:
        trec_names = [TREC_NAMES[name] for name in GROUPS[text] if TREC_NAMES[name].measure]
        return [line for trec_name in trec_names for line in expand_trec_name(trec_name, None)]
    parts = split_trec_name(text)
    if parts is None:
        return None
    trec_name, suffix = parts
    if trec_name.kind == "text" or (suffix is not None and trec_name.kind == "plain"):
        return None
    if suffix is not None and trec_name.kind in ("ranks", "levels", "numbers"):
        _refuse_odd_numbers(trec_name, suffix)
    return expand_trec_name(trec_name, suffix)


def expand_trec_name(
    trec_name: TrecName, suffix: str | None, *, whole_names_only: bool = True
) -> list[TrecLine]:
    """The lines that a name prints with what follows its dot; None where nothing does.

    Version 10 passes over what gives a gain to something else than a whole number
    (`whole_names_only`); version 9 reads such a name as a number.
    """
    if trec_name.kind == "ranks":
        return [
            TrecLine(f"{trec_name.name}_{cut}", trec_name, k=cut)
            for cut in _parse_cutoffs(trec_name, suffix)
        ]
    if trec_name.kind == "levels":
        return [_line_at_level(trec_name, level) for level in _parse_cutoffs(trec_name, suffix)]
    params = dict(trec_name.fixed_params)
    if suffix is None or not (trec_name.params or trec_name.kind == "gains"):
        return [TrecLine(trec_name.name, trec_name, params)]
    name, computable = f"{trec_name.name}_{suffix}", True
    if trec_name.kind in ("gains", "pairs"):
        params |= _parse_pairs(trec_name, suffix, whole_names_only=whole_names_only)
    else:
        params |= _parse_numbers(trec_name, suffix)
        several = len(trec_name.params) > 1  # of a single number the first is taken
        computable = not several or len(suffix.split(",")) == len(trec_name.params)
    return [TrecLine(name, trec_name, params, computable=computable)]


def share_gains(lines: list[TrecLine]) -> list[TrecLine]:
    """Lines with the gains of their group: dcg, ideal_dcg and ndcg have one set of them.

    A name that comes after one with gains is printed with them; all are computed by the last.
    """
    gains: dict[str, Any] = {}
    suffix, shared = "", []
    for line in lines:
        if line.trec_name.shared_gains and line.name != line.trec_name.name:
            gains, suffix = dict(line.params), line.name.removeprefix(line.trec_name.name)
        elif line.trec_name.shared_gains:
            line = evolve(line, name=line.name + suffix)  # noqa: PLW2901
        shared.append(line)
    return [evolve(line, params=gains) if line.trec_name.shared_gains else line for line in shared]


def _line_at_level(trec_name: TrecName, level: float) -> TrecLine:
    name = f"{trec_name.name}_{f'{level:3.2f}'[:_MAX_LEVEL_LENGTH]}"
    if trec_name.params:
        return TrecLine(name, trec_name, {trec_name.params[0]: level})
    return TrecLine(name, trec_name, k=level)


def _parse_cutoffs(trec_name: TrecName, suffix: str | None) -> list[Any]:
    """Ranks or levels in ascending order; what follows a whole rank is cut off."""
    is_rank = trec_name.kind == "ranks"
    if suffix is None:
        return [int(cut) if is_rank else cut for cut in trec_name.defaults]
    cutoffs = sorted(_parse_number(trec_name, part, whole=is_rank) for part in suffix.split(","))
    if is_rank and cutoffs[0] <= 0:
        raise BadValue(trec_name.name, suffix, "cutoffs of at least 1")
    if len(set(cutoffs)) < len(cutoffs):
        raise BadValue(trec_name.name, suffix, "each cutoff once")
    return cutoffs


def _parse_pairs(trec_name: TrecName, suffix: str, *, whole_names_only: bool) -> dict[str, Any]:
    """trec_eval's 1=3,p=0.8: parameters by name, the others gains by grade."""
    pairs = [part.split("=") for part in suffix.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        allowed = f"{_GAINS}; a cutoff is ndcg_cut_10 or nDCG@10"
        raise BadValue(trec_name.name, suffix, allowed)
    params: dict[str, Any] = {}
    gains: dict[int, str] = {}
    for name, text in pairs:
        value = _parse_number(trec_name, text)
        grade = leading_integer(name)
        if name in trec_name.params:
            params[name] = value
        elif grade is None and not whole_names_only:
            raise BadValue(trec_name.name, suffix, _GAINS)
        elif grade is not None and (not whole_names_only or _WHOLE_NUMBER.fullmatch(name)):
            gains.setdefault(grade, format_exact(value))
    if gains:
        inner = "".join(f"{grade}:{gain}," for grade, gain in gains.items())
        params["gain"] = "{" + inner + "else:g}"  # other grades are worth themselves
    return params


def _parse_numbers(trec_name: TrecName, suffix: str) -> dict[str, Any]:
    numbers = [_parse_number(trec_name, part) for part in suffix.split(",")]
    if trec_name.params == ("points",):
        return {"points": ",".join(map(format_exact, numbers))}
    return dict(zip(trec_name.params, numbers, strict=False))


def _refuse_odd_numbers(trec_name: TrecName, suffix: str) -> None:
    """In the language of measures a name has as many numbers as it needs, and nothing else."""
    parts = suffix.split(",")
    pattern = _RANK_PATTERN if trec_name.kind == "ranks" else NUMBER_PATTERN
    for part in parts:
        if not re.fullmatch(pattern, part.strip(), re.ASCII):
            raise BadValue(trec_name.name, part, _NUMBERS)
    any_number = trec_name.kind != "numbers" or trec_name.params == ("points",)
    if not any_number and len(parts) != len(trec_name.params):
        needed = f"{len(trec_name.params)} numbers: {', '.join(trec_name.params)}"
        raise BadValue(trec_name.name, suffix, needed)


def _parse_number(trec_name: TrecName, part: str, *, whole: bool = False) -> float:
    number = leading_integer(part) if whole else leading_number(part)
    if number is None or not isfinite(number):
        raise BadValue(trec_name.name, part, _NUMBERS)
    return number
