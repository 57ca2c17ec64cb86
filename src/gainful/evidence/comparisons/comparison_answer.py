"""Who is better, in a sentence or two: what a comparison answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from attrs import frozen

from gainful.evidence.comparisons.comparison_values import (
    ComparisonValues,
    GroupPair,
    Pair,
    name_pairs,
)
from gainful.evidence.pairing import (
    PairedValues,
    describe_few_units,
    describe_left_out,
    describe_turns,
)
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.evidence.statistics.paired_tests import TESTS, TUKEY_NOTE
from gainful.measure.entry import Direction
from gainful.measure.groups import list_names
from gainful.measure.results import ANSWER_DECIMALS, find_leaders
from gainful.text import (
    capitalise_first,
    choose_decimals,
    collect_by_key,
    count_noun,
    join_words,
    name_way,
    pluralise,
    relate_p,
)
from gainful.types import Ranks

_MOST_ALIKE = 3  # pairs that are named one by one


def write_notes(
    comparison: ComparisonValues, paired: Sequence[PairedValues], pairs: Ranks
) -> list[str]:
    """What was left out, what is odd about pairs, what the test cannot do."""
    test = TESTS.get(comparison.evidence.test)
    test_notes = [test.note] if test is not None and test.note else []
    notes = [*test_notes]
    notes += [note for item in paired for note in describe_left_out(item, comparison.systems)]
    notes += describe_pairs(comparison.pairs, partial(_describe_pair, paired=paired[0]))
    notes += _describe_smallest_p(comparison, paired, pairs)
    notes += describe_few_units(comparison.evidence.test, paired, pairs)
    notes += [] if test_notes else describe_step_down(comparison)
    notes += describe_undecided(comparison)
    if comparison.evidence.test == TUKEY and len(comparison.systems) > 2:
        notes.append(TUKEY_NOTE)
    is_by_query = paired[0].unit in ("query", "turn")
    return [*notes, *(describe_turns(paired[0].queries) if is_by_query else [])]


def describe_pairs(pairs: Iterable[Pair], describe: Callable[[Pair], Iterable[str]]) -> list[str]:
    """What is odd about pairs; what is true of many pairs of a measure is said once."""
    alike = collect_by_key(
        ((pair.measure, words), pair) for pair in pairs for words in describe(pair)
    )
    return [
        f"{name_pairs(some)}{words}"
        for (_, words), same in alike.items()
        for some in ([same] if len(same) > _MOST_ALIKE else [[pair] for pair in same])
    ]


def _describe_pair(pair: Pair, paired: PairedValues) -> Iterator[str]:
    if pair.identical:
        yield f" have the same value for every {paired.noun}: p is 1"
    elif pair.constant:
        yield f" differ by the same amount for every {paired.noun}: no effect size is defined"
    if pair.low is None:
        yield f": too few {pluralise(paired.unit)} for an interval at this level"


def describe_small_groups(
    groups: Sequence[tuple[str, PairedValues]],
    group_pairs: Sequence[GroupPair],
    comparison: ComparisonValues,
    pairs: Ranks,
) -> list[str]:
    """Which groups are too small for an interval, or for any p to be significant.

    Each of `groups` has its name, and stands there once for each measure; none does of a study.
    """
    unit = groups[0][1].unit if groups else comparison.paired_by
    no_interval = f"too few {pluralise(unit)} for an interval at this level"
    problems = [(no_interval, item.group) for item in group_pairs if item.pair.low is None]
    for name, paired in groups:
        texts = _describe_smallest_p(comparison, [paired], pairs)
        problems += [(text, name) for text in texts]
    return [
        f"{'group' if len(names) == 1 else 'groups'} {list_names(names)}: {problem}"
        for problem, names in collect_by_key(dict.fromkeys(problems)).items()
    ]


def _describe_smallest_p(
    comparison: ComparisonValues, paired: Sequence[PairedValues], pairs: Ranks
) -> list[str]:
    """Where not even the clearest difference could be significant, that is said."""
    alpha = comparison.evidence.resampling.alpha
    notes = []
    for item in paired:
        units = int(item.count_differing(pairs).max())
        smallest = find_smallest_p(comparison, units)
        if units and smallest > alpha:
            differing = f"{count_noun(units, item.unit)} that differ{'s' if units == 1 else ''}"
            notes.append(
                f"{item.measure}: with {differing}, no p can be below {smallest:.4g}, so nothing "
                f"can be significant at {alpha:g}"
            )
    return notes


def find_smallest_p(comparison: ComparisonValues, units: int) -> float:
    """What no p is below if so many units differ, as far as that is known; else 0."""
    evidence = comparison.evidence
    by_chance = 1 / (evidence.resampling.resamples + 1) if evidence.uses_resamples else 0.0
    # To deal two values out again is to flip the sign of their difference.
    deals_two = evidence.test == TUKEY and len(comparison.systems) == 2
    flips_signs = TESTS[evidence.test].flips_signs if evidence.test in TESTS else deals_two
    by_signs = 2.0 ** (1 - units) if flips_signs and not comparison.paired_units else 0.0
    is_shared = evidence.correction in ("holm", "bonferroni")  # by bh, all may have the smallest
    return max(by_chance, by_signs) * (evidence.family if is_shared else 1)


def describe_undecided(comparison: ComparisonValues) -> list[str]:
    """Which decisions another seed could turn: p is nearer to alpha than two of its errors."""
    evidence = comparison.evidence
    alpha = evidence.resampling.alpha
    near = [pair for pair in comparison.pairs if comparison.is_undecided(pair)]
    if not near:
        return []
    pair, which = near[0], name_pairs(near)
    error = evidence.p_corrected_error(pair)
    name = "corrected p" if evidence.corrects else "p"
    value = f"{name} is {pair.p_corrected:.4f} ± {error:.4f} (simulation error)"
    way = name_way("--resamples", "resamples=")
    resamples = f"{evidence.resampling.resamples} resamples (set {way} higher)"
    return [f"{which}: {value}: too close to {alpha:g} to decide with {resamples}"]


def describe_step_down(comparison: ComparisonValues) -> list[str]:
    """Why a significant difference may have an interval that includes 0."""
    evidence = comparison.evidence
    if not (CORRECTIONS[evidence.correction].steps_down and evidence.family > 1):
        return []
    odd = [pair for pair in comparison.pairs if comparison.is_at_odds(pair)]
    if not odd:
        return []
    why = "p is corrected step by step, the interval for all pairs at once"
    return [f"{name_pairs(odd)}: significant, though the interval includes 0: {why}"]


_MAX_NAMES = 3  # systems that a sentence names; of more it says how many


@frozen
class _Standing:
    """How systems stand in one measure, the best first in each group."""

    measure: str
    direction: Direction  # is more of it better, or less?
    best: tuple[str, ...]  # several where they are equal
    alike: tuple[str, ...]  # others that cannot be told apart from them
    beaten: tuple[str, ...]  # that the best are significantly better than
    is_clear: bool  # all that lead beat all others, and none of them another

    @property
    def leading(self) -> tuple[str, ...]:
        """The best, and those that do not differ significantly from them."""
        return (*self.best, *self.alike)

    def is_like(self, other: _Standing) -> bool:
        words = self.direction.better == other.direction.better
        return words and set(self.leading) == set(other.leading) and self.is_clear == other.is_clear


def describe_comparison(comparison: ComparisonValues) -> str:
    """Who leads, who does not differ significantly, who is better than whom and by how much."""
    if not comparison.compares_all:
        return _describe_against_baseline(comparison, comparison.measures[0])
    first, *others = (_find_standing(comparison, measure) for measure in comparison.measures)
    sentences = [_describe_standing(comparison, first)]
    alike = [other.measure for other in others if other.is_like(first)]
    unlike = [other for other in others if not other.is_like(first)]
    if alike:
        sentences.append(f"The same holds in {join_words(alike)}.")
    agreeing: dict[tuple[str | tuple[str, ...], ...], list[_Standing]] = {}
    for other in unlike:
        key = (other.best, other.beaten, other.alike) if other.beaten else ()
        agreeing.setdefault((other.direction.better, *key), []).append(other)
    groups = list(agreeing.values())
    sentences += [_describe_briefly(comparison, group) for group in groups[:_MAX_NAMES]]
    rest = [standing.measure for group in groups[_MAX_NAMES:] for standing in group]
    if rest:
        sentences.append(f"For {join_words(rest)} see the tables.")
    return " ".join(_begin_sentence(comparison, sentence) for sentence in sentences)


def describe_measure(comparison: ComparisonValues, measure: str) -> str:
    """What the comparison answers in one measure."""
    if not comparison.compares_all:
        return _describe_against_baseline(comparison, measure)
    standing = _find_standing(comparison, measure)
    return _begin_sentence(comparison, _describe_standing(comparison, standing))


def _find_standing(comparison: ComparisonValues, measure: str) -> _Standing:
    direction = comparison.direction(measure)
    ahead = {
        system: direction.sign
        * sum(
            comparison.pair(measure, system, other).difference
            for other in comparison.systems
            if other != system
        )
        for system in comparison.systems
    }
    by_lead = sorted(comparison.systems, key=lambda system: -ahead[system])
    beaten_by = {name: set(names) for name, names in comparison.systems_beaten(measure).items()}
    best = find_leaders(ahead)
    all_beaten = set.intersection(*(beaten_by[name] for name in best))
    beaten = [name for name in by_lead if name in all_beaten]
    alike = [name for name in by_lead if name not in all_beaten and name not in best]
    leading = [*best, *alike]
    is_clear = all(beaten_by[name] == all_beaten for name in leading)
    return _Standing(measure, direction, tuple(best), tuple(alike), tuple(beaten), is_clear)


def _describe_standing(comparison: ComparisonValues, standing: _Standing) -> str:
    leading, beaten, measure = standing.leading, standing.beaten, standing.measure
    if len(comparison.systems) == 2 and not beaten:
        return _describe_indistinguishable(comparison, standing)
    if len(leading) == 1:
        return _describe_winner(comparison, standing)
    if not (standing.is_clear and beaten) or len(standing.best) > 1:
        return _describe_best(comparison, standing)
    evidence = _describe_evidence(comparison, comparison.pair(measure, leading[-1], beaten[0]))
    whom = f" than {label_system(comparison.kind, beaten[0])}" if len(beaten) > 1 else ""
    alike = "with no significant difference between them"
    lead = f"{_join(comparison, leading, lead=True)} lead in {measure}, {alike}"
    subject = "Both" if len(leading) == 2 else "All of them"
    better = f"{subject} are {standing.direction.better} than {_join(comparison, beaten)}"
    return f"{lead}. {better}: {label_system(comparison.kind, leading[-1])}{whom} {evidence}."


def _describe_briefly(comparison: ComparisonValues, standings: Sequence[_Standing]) -> str:
    """One more measure, or several that agree; their numbers stand in their tables."""
    measures = join_words([standing.measure for standing in standings])
    standing = standings[0]
    best, beaten, word = standing.best, standing.beaten, standing.direction.better
    if not beaten:
        return f"In {measures} none is significantly {word} than the others."
    verb = "is" if len(best) == 1 else "are"
    better = f"{_join(comparison, best, lead=True)} {verb} {word} than {_join(comparison, beaten)}"
    if not standing.alike:
        return f"In {measures} {better}."
    alike = _join(comparison, standing.alike, "or")
    return f"In {measures} {better}, but not significantly {word} than {alike}."


def _describe_indistinguishable(comparison: ComparisonValues, standing: _Standing) -> str:
    """Two systems that are equal, or do not differ significantly."""
    measure, (first, second) = standing.measure, standing.leading
    pair = comparison.pair(measure, first, second)
    both = _join(comparison, (first, second))
    if pair.identical:
        return f"{both} have the same {measure} for every {comparison.paired_by}."
    if len(standing.best) == 2:
        return f"{both} are equal in {measure} ({_format_mean(comparison, measure, first)})."
    evidence = _describe_evidence(comparison, pair)
    ahead = f"{label_system(comparison.kind, first)} is {standing.direction.better_is} {evidence}"
    return f"No significant difference between {both} in {measure}: {ahead}."


def _describe_winner(comparison: ComparisonValues, standing: _Standing) -> str:
    measure, (best,), beaten = standing.measure, standing.leading, standing.beaten
    pair = comparison.pair(measure, best, beaten[0])
    winner, loser = label_system(comparison.kind, best), _join(comparison, beaten)
    if len(beaten) == 1:
        head = f"{winner} is {standing.direction.better} than {loser} in {measure}"
        return f"{head}, {_describe_evidence(comparison, pair)}."
    others = f"all {loser}" if len(beaten) > _MAX_NAMES else loser
    behind = _describe_evidence(comparison, pair, "{} behind")
    runner_up = f"the runner-up, {label_system(comparison.kind, pair.other)}, is {behind}"
    return f"{winner} beats {others} in {measure}; {runner_up}."


def _describe_best(comparison: ComparisonValues, standing: _Standing) -> str:
    measure, best, beaten = standing.measure, standing.best, standing.beaten
    value, word = _format_mean(comparison, measure, best[0]), standing.direction.best
    is_alone = len(best) == 1
    verb = f"is {word} in {measure}" if is_alone else f"share the {word} {measure}"
    text = f"{_join(comparison, best, lead=True)} {verb} ({value})"
    if standing.alike:
        alike = _join(comparison, standing.alike, "or")
        text += f", not significantly {standing.direction.better} than {alike}"
    if not beaten:
        return f"{text}."
    evidence = _describe_evidence(comparison, comparison.pair(measure, best[0], beaten[0]))
    subject = "it is" if is_alone else "they are"
    head = f"{text}; {subject} {standing.direction.better} than {_join(comparison, beaten)}"
    nearest = f" than {label_system(comparison.kind, beaten[0])}" if len(beaten) > 1 else ""
    return f"{head},{nearest} {evidence}."


def _describe_against_baseline(comparison: ComparisonValues, measure: str) -> str:
    """Who is better or worse than the baseline, the only one that others were compared with."""
    direction = comparison.direction(measure)
    pairs = sorted(
        (pair for pair in comparison.pairs_against() if pair.measure == measure),
        key=lambda pair: -direction.sign * pair.difference,
    )
    baseline = label_system(comparison.kind, comparison.baseline)
    significant = [pair for pair in pairs if comparison.is_significant(pair)]
    better = [pair for pair in significant if comparison.is_for_the_better(pair)]
    worse = [pair for pair in reversed(significant) if not comparison.is_for_the_better(pair)]
    alike = [p.system for p in pairs if not comparison.is_significant(p)]
    clauses = []
    for word, group in ((direction.better, better), (direction.worse, worse)):
        if group:
            names = _join(comparison, [pair.system for pair in group])
            verb = "is" if len(group) == 1 else "are"
            nearest = group[-1] if word == direction.better else group[-1].reverse()
            who = f"{label_system(comparison.kind, group[-1].system)} " if len(group) > 1 else ""
            evidence = _describe_evidence(comparison, nearest)
            clauses.append(f"{names} {verb} {word} than {baseline}: {who}{evidence}")
    if alike:
        clauses.append(
            f"no significant difference between {_join(comparison, alike)} and {baseline}"
        )
    return f"In {measure}, {'; '.join(clauses)}."


def _describe_evidence(comparison: ComparisonValues, pair: Pair, words: str = "by {}") -> str:
    evidence = comparison.evidence
    pair = pair.reverse() if comparison.direction(pair.measure).is_lower else pair
    decimals = choose_decimals(pair.difference, ANSWER_DECIMALS)
    name = "corrected p" if evidence.corrects else "p"
    resampling = evidence.resampling
    p = f"{name} {relate_p(pair.p_corrected)}"
    if comparison.is_undecided(pair):
        p += f", within its simulation error of {resampling.alpha:g}"
    weighed = p
    if pair.low is not None and pair.high is not None:
        low, high = (f"{round(end, decimals) + 0.0:.{decimals}f}" for end in (pair.low, pair.high))
        weighed = f"{resampling.level} interval {low} to {high}, {p}"
        if comparison.is_at_odds(pair):
            kind = "simultaneous " if evidence.corrects else ""
            weighed = f"{p}; the {kind}{resampling.level} interval {low} to {high} includes 0"
    difference = words.format(f"{pair.difference:.{decimals}f}")
    return f"{difference} ({weighed})"


def _format_mean(comparison: ComparisonValues, measure: str, system: str) -> str:
    mean = comparison.means[measure][comparison.systems.index(system)]
    return f"{mean:.{ANSWER_DECIMALS}f}"


def _join(
    comparison: ComparisonValues, systems: Sequence[str], last: str = "and", *, lead: bool = False
) -> str:
    if len(systems) > _MAX_NAMES:
        return f"{len(systems)} {pluralise(comparison.kind) if lead else 'others'}"
    return join_words([label_system(comparison.kind, system) for system in systems], last)


def label_system(kind: str, system: str) -> str:
    """What a system is called in a sentence: system 2, but bm25."""
    is_number = kind != "run" and (system.isdigit() or len(system) == 1)
    return f"{kind} {system}" if is_number else system


def _begin_sentence(comparison: ComparisonValues, sentence: str) -> str:
    is_labelled = sentence.startswith(f"{comparison.kind} ") and comparison.kind != "run"
    return capitalise_first(sentence) if is_labelled else sentence
