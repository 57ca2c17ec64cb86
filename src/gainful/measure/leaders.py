"""Which run or group is best, in a sentence; those that share the lead are said to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from gainful.measure.direction import HIGHER, Direction
from gainful.rounding import ROUNDING
from gainful.text import format_distinct, join_words

Means = Mapping[str, float]  # by run or group
_MAX_NAMES, _MAX_MEASURES, _MAX_CLAUSES = 3, 4, 3
ANSWER_DECIMALS = 3  # of a value in a sentence; a table has more


def find_leaders(means: Means, direction: Direction = HIGHER) -> list[str]:
    """The best, and all that are as good but for rounding; none where there is no mean.

    Examples:
        >>> find_leaders({"a": 0.5, "b": 0.75, "c": 0.75})
        ['b', 'c']
        >>> from gainful.measure.direction import LOWER
        >>> find_leaders({"a": 0.5, "b": 0.75, "c": 0.75}, LOWER)
        ['a']
    """
    known = {name: mean for name, mean in means.items() if mean == mean}  # noqa: PLR0124
    if not known:
        return []
    best = min(known.values()) if direction.is_lower else max(known.values())
    slack = ROUNDING * max(1.0, abs(best))
    return [name for name, mean in known.items() if abs(best - mean) <= slack]


def name_best(directions: Mapping[str, Direction]) -> str:
    """What is marked as the best of each measure, for a caption.

    Examples:
        >>> from gainful.measure.direction import LOWER
        >>> name_best({"AP": HIGHER})
        'the highest of each measure'
        >>> name_best({"AP": HIGHER, "Cost": LOWER})
        'the best of each measure (of Cost the lowest)'
    """
    words = {direction.best for direction in directions.values()}
    if len(words) == 1:
        return f"the {words.pop()} of each measure"
    lower = [name for name, direction in directions.items() if direction.is_lower]
    return f"the best of each measure (of {join_words(lower)} the lowest)"


def describe_leaders(
    means_by_measure: Mapping[str, Means],
    directions: Mapping[str, Direction] = MappingProxyType({}),
) -> str:
    """Who is best by each measure; with whom the lead is shared, and who comes next.

    Examples:
        >>> describe_leaders({"AP": {"a": 0.5, "b": 0.25}, "RR": {"a": 1.0, "b": 1.0}})
        'a is highest in AP (0.500, b has 0.250); a and b are equal in RR (1.000).'
        >>> from gainful.measure.direction import LOWER
        >>> describe_leaders({"Cost": {"a": 2.0, "b": 3.0}}, {"Cost": LOWER})
        'a is lowest in Cost (2.000, b has 3.000).'
    """
    measures_by_leaders: dict[tuple[Direction, tuple[str, ...]], list[str]] = {}
    for measure, means in means_by_measure.items():
        direction = directions.get(measure, HIGHER)
        leaders = tuple(find_leaders(means, direction))
        if leaders:
            measures_by_leaders.setdefault((direction, leaders), []).append(measure)
    clauses = [
        _describe_group(leaders, measures, means_by_measure, direction)
        for (direction, leaders), measures in measures_by_leaders.items()
    ]
    if len(clauses) > _MAX_CLAUSES:
        clauses = [*clauses[: _MAX_CLAUSES - 1], "others lead in other measures"]
    return f"{'; '.join(clauses)}." if clauses else ""


def _describe_group(
    leaders: Sequence[str],
    measures: Sequence[str],
    means_by_measure: Mapping[str, Means],
    direction: Direction,
) -> str:
    """In which measures one or some are best; the value of the first of these."""
    means = means_by_measure[measures[0]]
    value, others = means[leaders[0]], {k: v for k, v in means.items() if k not in leaders}
    if len(leaders) > 1:
        verb = f"share the {direction.best}" if others else "are equal in"
        subject = _name_leaders(leaders, len(means))
        return f"{subject} {verb} {_join_measures(measures, f'{value:.{ANSWER_DECIMALS}f}')}"
    detail = f"{value:.{ANSWER_DECIMALS}f}"
    second = find_leaders(others, direction)
    if second:
        detail = format_distinct(value, others[second[0]], ANSWER_DECIMALS)
        next_value = format_distinct(others[second[0]], value, ANSWER_DECIMALS)
        verb = "have" if len(second) > 1 else "has"
        detail += f", {_name_leaders(second, len(others))} {verb} {next_value}"
    return f"{leaders[0]} is {direction.best} in {_join_measures(measures, detail)}"


def _name_leaders(names: Sequence[str], total: int) -> str:
    if len(names) <= _MAX_NAMES:
        return join_words(names)
    return f"all {total}" if len(names) == total else f"{len(names)} of {total}"


def _join_measures(measures: Sequence[str], detail: str) -> str:
    named = [f"{measures[0]} ({detail})", *measures[1:_MAX_MEASURES]]
    more = len(measures) - len(named)
    return join_words([*named, *([f"{more} more"] if more else [])])
