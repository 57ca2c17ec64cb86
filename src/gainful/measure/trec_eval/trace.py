"""What trec_eval prints of its way to the values of one query, where it is told to debug (-D)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from attrs import define

from gainful.measure.trec_eval.options import TrecEvalOptions
from gainful.measure.trec_eval.values import UNJUDGED, JudgedRun
from gainful.measure.trec_eval_grammar import TrecLine
from gainful.text import leading_integer, leading_number

_MIN_COST = 1.0  # of a place in the ranking, to G
_HIGHEST_GRADE = 10_000_000  # for more levels there is no memory
_FLOOR = 1e-5  # of bpref, before its logarithm


@define
class GradedQuery:
    """One query as trec_eval sees it."""

    grades: Sequence[int]  # of the retrieved documents, -1 without a judgment, -2 with one below 0
    level_counts: Sequence[int]  # judged documents by grade, from 0 to the highest
    options: TrecEvalOptions

    def is_relevant(self, grade: int) -> bool:
        """Does a grade reach the level?"""
        return grade >= self.options.level

    @property
    def relevant_count(self) -> int:
        """How many judged documents are relevant."""
        return sum(self.level_counts[max(self.options.level, 0) :])


class _Level(NamedTuple):
    """A grade, its gain, and how many documents have it."""

    grade: int
    gain: float
    docs: int


class _Step(NamedTuple):
    """A place in the ranking and in the ideal one; None where one of them has ended."""

    place: int
    level: int
    gain: float | None
    ideal_gain: float | None


def trace_queries(judged_run: JudgedRun, lines: Sequence[TrecLine]) -> list[str]:
    """What is printed of each query, before its values."""
    by_name: dict[str, list[TrecLine]] = {}  # ndcg_cut has several lines
    for line in lines:
        if line.trec_name.name in _TRACES:
            by_name.setdefault(line.trec_name.name, []).append(line)
    return [
        "".join(
            text
            for name, named in by_name.items()
            for text in _TRACES[name](query, named[0], [int(line.k or 0) for line in named])
        )
        for query in _list_queries(judged_run)
    ]


def _list_queries(judged_run: JudgedRun) -> Iterator[GradedQuery]:
    ranked = judged_run.view("judged")
    if ranked.highest_grade > _HIGHEST_GRADE:
        return
    begin = np.cumsum(ranked.retrieved) - ranked.retrieved
    grades = np.full(int(ranked.retrieved.sum()), int(UNJUDGED))
    grades[begin[ranked.query] + ranked.rank - 1] = np.where(ranked.grade < 0, -2, ranked.grade)
    for row in judged_run.rows("judged").tolist():
        pool = ranked.pool_grade[(ranked.pool_query == row) & (ranked.pool_grade >= 0)]
        counts = np.bincount(pool.astype(np.intp)).tolist()
        own = grades[begin[row] : begin[row] + ranked.retrieved[row]].tolist()
        yield GradedQuery(own, counts, judged_run.options)


def _list_levels(query: GradedQuery, line: TrecLine) -> list[_Level]:
    """The levels by ascending gain: those that are given one, and the others by their grade."""
    _, _, suffix = line.name.partition(f"{line.trec_name.name}_")
    pairs = [part.partition("=") for part in suffix.split(",")] if suffix else []
    gains = {leading_integer(name): leading_number(value) or 0.0 for name, _, value in pairs}
    gains.pop(None, None)
    counts = dict(enumerate(query.level_counts))
    levels = [_Level(grade or 0, gain, counts.get(grade or 0, 0)) for grade, gain in gains.items()]
    levels += [
        _Level(grade, float(grade), count) for grade, count in counts.items() if grade not in gains
    ]
    return sorted(levels, key=lambda level: level.gain)


def _walk(query: GradedQuery, levels: Sequence[_Level]) -> Iterator[_Step]:
    """Down the ranking and its ideal side by side, and then down the one that is longer."""
    gain_of = {level.grade: level.gain for level in reversed(levels)}
    current, at_level = len(levels) - 1, 0
    ideal_gain = levels[current].gain if levels else 0.0
    place = 0
    while place < len(query.grades) or ideal_gain > 0:
        has_ideal = ideal_gain > 0
        if has_ideal:
            at_level += 1
            while current >= 0 and at_level > levels[current].docs:
                at_level, current = 1, current - 1
                ideal_gain = levels[current].gain if current >= 0 else 0.0
        gain = gain_of.get(query.grades[place], 0.0) if place < len(query.grades) else None
        yield _Step(place, current, gain, ideal_gain if has_ideal else None)
        place += 1


def _trace_ndcg(query: GradedQuery, line: TrecLine, _cutoffs: Sequence[int]) -> Iterator[str]:
    reached = ideal = 0.0
    for step in _walk(query, _list_levels(query, line)):
        discount = np.log2(step.place + 2)
        reached += (step.gain or 0.0) / discount
        ideal += max(step.ideal_gain or 0.0, 0.0) / discount
        yield (
            f"ndcg: {step.place} {step.level} {step.gain or 0:3.1f} {reached:6.4f} "
            f"{step.ideal_gain or 0:3.1f} {ideal:6.4f}\n"
        )


def _trace_ndcg_rel(query: GradedQuery, line: TrecLine, _cutoffs: Sequence[int]) -> Iterator[str]:
    reached = ideal = total = 0.0
    hits = relevant = place = 0
    level = len(levels := _list_levels(query, line)) - 1
    for step in _walk(query, levels):
        discount = np.log2(step.place + 2)
        reached += (step.gain or 0.0) / discount
        if (step.ideal_gain or 0.0) > 0:
            relevant += 1
            ideal += (step.ideal_gain or 0.0) / discount
        if (step.gain or 0.0) > 0:
            total += _divide(reached, ideal)
            hits += 1
        yield (
            f"ndcg_rel: {step.place} {step.level} {step.gain or 0:3.1f} {reached:6.4f} "
            f"{step.ideal_gain or 0:3.1f} {ideal:6.4f}"
            + ("\n" if step.gain is None else f" {_show(total)}\n")
        )
        place, level = step.place + 1, step.level
    total += _divide((relevant - hits) * reached, ideal)
    yield f"ndcg_rel: {place} {level} {reached:6.4f} {ideal:6.4f} {_show(total)}\n"


def _trace_rndcg(query: GradedQuery, line: TrecLine, _cutoffs: Sequence[int]) -> Iterator[str]:
    if not query.relevant_count:
        return
    reached = ideal = total = 0.0
    levels = _list_levels(query, line)
    before = levels[-1].gain
    for step in _walk(query, levels):
        if step.ideal_gain is not None and before != step.ideal_gain:
            total += _divide(reached, ideal) if ideal > 0 else 0.0
            before = step.ideal_gain
        discount = np.log2(step.place + 2)
        reached += (step.gain or 0.0) / discount
        ideal += max(step.ideal_gain or 0.0, 0.0) / discount
        both = step.gain is not None and step.ideal_gain is not None
        yield (
            f"Rndcg: {step.place} {step.level} {step.gain or 0:3.1f} {reached:6.4f} "
            f"{step.ideal_gain or 0:3.1f} {ideal:6.4f}" + (f" {total:6.4f}\n" if both else "\n")
        )


def _trace_g(query: GradedQuery, line: TrecLine, _cutoffs: Sequence[int]) -> Iterator[str]:
    reached = ideal = cost = value = 0.0
    for step in _walk(query, _list_levels(query, line)):
        gain, ideal_gain = step.gain or 0.0, step.ideal_gain or 0.0
        reached += gain
        ideal += max(ideal_gain, 0.0)
        if step.gain is not None:
            cost += max(ideal_gain, _MIN_COST)
            with np.errstate(all="ignore"):
                value += _divide(gain, np.log2(2 + cost - reached)) if gain else 0.0
        ends = [f" {cost:6.4f}"] if step.gain is not None and step.ideal_gain is not None else []
        ends += [f" {_show(value)}"] if step.gain is not None else []
        yield (
            f"G: {step.place} {step.level} {gain:3.1f} {reached:6.4f} "
            f"{ideal_gain:3.1f} {ideal:6.4f}{''.join(ends)}\n"
        )


def _trace_bing(query: GradedQuery, _line: TrecLine, _cutoffs: Sequence[int]) -> Iterator[str]:
    total, hits = 0.0, 0
    for place, grade in enumerate(query.grades):
        if query.is_relevant(grade):
            hits += 1
            total += 1.0 / np.log2(3 + place - hits)
            yield f"binG: {place} {hits} {total:6.4f}\n"


def _trace_ndcg_cut(query: GradedQuery, _line: TrecLine, cutoffs: Sequence[int]) -> Iterator[str]:
    total, left = 0.0, [*cutoffs]
    for place, grade in enumerate(query.grades):
        if place == left[0]:
            left = left[1:]
            if not left:
                break
            yield f"ndcg_cut: cutoff {place} dcg {total:6.4f}\n"
        if grade > 0:
            total += grade / np.log2(place + 2)
            if query.options.debug_level > 1:
                yield f"ndcg_cut:{place} {grade:3.1f} {total:6.4f}\n"
    yield from (f"ndcg_cut: cutoff {cutoff} dcg {total:6.4f}\n" for cutoff in left)
    ideal, left = 0.0, [*cutoffs]
    counts = [*enumerate(query.level_counts)][:0:-1]
    for place, grade in enumerate(grade for grade, count in counts for _ in range(count)):
        if place == left[0]:
            yield f"ndcg_cut: cutoff {place} idcg {ideal:6.4f}\n"
            left = left[1:]
            if not left:
                break
        ideal += grade / np.log2(place + 2)
        yield f"ndcg_cut:{place} {grade} {grade:3.1f} {ideal:6.4f}\n"
    yield from (f"ndcg_cut: cutoff {cutoff} idcg {ideal:6.4f}\n" for cutoff in left)


def _trace_rbp(query: GradedQuery, line: TrecLine, _cutoffs: Sequence[int]) -> Iterator[str]:
    levels = _list_levels(query, line)
    low = min((level.gain for level in levels), default=0.0)
    high = max((level.gain for level in levels), default=0.0)
    low, high = min(low, 0.0), max(high, 0.0)
    beyond = low < 0 or high > 1
    gain_of = {
        level.grade: (level.gain - low) / (high - low) if beyond else level.gain
        for level in reversed(levels)
    }
    total, weight = 0.0, 1.0
    for place, grade in enumerate(query.grades):
        if gain := gain_of.get(grade, 0.0):
            total += gain * weight
            yield f"rbp:{place} {gain:3.1f} {total:6.4f}\n"
        weight *= line.params["p"]


def _trace_gm_bpref(query: GradedQuery, _line: TrecLine, _cutoffs: Sequence[int]) -> Iterator[str]:
    if query.options.debug_level <= 1:
        return
    useless = sum(query.level_counts[: max(query.options.level, 0)])
    total, above = 0.0, 0
    for grade in query.grades:
        if 0 <= grade < query.options.level:
            above += 1
        elif grade >= 0:
            base = query.relevant_count
            total += 1.0 - min(above, base) / min(useless, base) if above else 1.0
    bpref = total / query.relevant_count if query.relevant_count else total
    yield f"gm_bpref: bpref {bpref:6.4f}, gm_bpref {np.log(max(bpref, _FLOOR)):6.4f}"


def _divide(numerator: float, denominator: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(numerator) / np.float64(denominator))


def _show(value: float) -> str:
    return "  -nan" if np.isnan(value) else f"{value:6.4f}"


_TRACES: Mapping[str, Callable[[GradedQuery, TrecLine, Sequence[int]], Iterator[str]]] = {
    "gm_bpref": _trace_gm_bpref,
    "binG": _trace_bing,
    "G": _trace_g,
    "dcg": _trace_ndcg,
    "ideal_dcg": _trace_ndcg,
    "ndcg": _trace_ndcg,
    "ndcg_rel": _trace_ndcg_rel,
    "Rndcg": _trace_rndcg,
    "ndcg_cut": _trace_ndcg_cut,
    "rbp": _trace_rbp,
}
