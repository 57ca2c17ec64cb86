"""The numbers that one may choose in a measure, besides those of its gain and discount."""

from __future__ import annotations

import re
from collections.abc import Iterable
from numbers import Real

from gainful.convention.convention import Setting
from gainful.errors import BadValue
from gainful.formula import Domain, Param
from gainful.measure.discount import b, bq
from gainful.measure.gain import REL
from gainful.text import NUMBER_PATTERN
from gainful.types import is_number

_SHARE = Domain(above=0, below=1, closed=True)
_ABOVE_ZERO = Domain(above=0)
_FROM_ZERO = Domain(above=0, below=1e9, closed=True)

# Symbol, meaning, default, domain, typical range.
_ALL = (
    b,
    bq,
    REL,
    Param(
        "p",
        "persistence: the probability of looking at the next document",
        0.8,
        Domain(above=0, below=1),
        (0.5, 0.95),
    ),
    Param(
        "beta",
        "the weight of recall against precision, as in trec_eval and ir_measures (van Rijsbergen's "
        "β squared); in NRBP the probability of going on, at most 1",
        1,
        _ABOVE_ZERO,
        (0.5, 2),
    ),
    Param(
        "alpha", "the penalty for repeating a subtopic: 0 none, 1 full", 0.5, _SHARE, (0.25, 0.75)
    ),
    Param(
        "times",
        "how many times the number of relevant documents to look at",
        1,
        _ABOVE_ZERO,
        (0.2, 2),
    ),
    Param("T", "how much gain the searcher wants", 1, _ABOVE_ZERO, (1, 5)),
    Param(
        "b1",
        "a forager whose goal is just met goes on with probability b1/(1 + b1)",
        0.9,
        _ABOVE_ZERO,
        (0.1, 1),
    ),
    Param(
        "R1", "how strongly the goal influences a forager: 0 not at all", 10, _FROM_ZERO, (1, 100)
    ),
    Param("A", "the gain per document that a forager expects", 0.2, _FROM_ZERO, (0.1, 0.5)),
    Param(
        "b2",
        "a forager who gains as expected goes on with probability 1/(1 + b2)",
        0.9,
        _ABOVE_ZERO,
        (0.1, 1),
    ),
    Param(
        "R2",
        "how strongly the rate of gain influences a forager: 0 not at all",
        10,
        _FROM_ZERO,
        (1, 100),
    ),
    Param("hit", "what a relevant retrieved document is worth", 1),
    Param("noise", "what a retrieved document that is not relevant is worth", -1),
    Param("miss", "what a relevant document that was not retrieved is worth", 0),
    Param("rest", "what any other document of the collection is worth", 0),
    Param("docs", "how many documents the collection has", 0),
    Param("p_ref", "the probability of another query after a list", 0.9, _SHARE, (0.5, 1)),
    Param(
        "p_down",
        "the probability of going on to the next document of a list",
        0.7,
        _SHARE,
        (0.5, 1),
    ),
    Param(
        "balance",
        "the probability that a searcher who goes on stays in the list: 1 always, 0 reformulates "
        "every time",
        0.7,
        _SHARE,
        (0.5, 0.9),
    ),
    Param(
        "gamma",
        "the share of its value that each further document of a subtopic keeps",
        0.5,
        _SHARE,
        (0.25, 0.75),
    ),
    Param("cap", "the amount of a subtopic that is enough", 5, _ABOVE_ZERO, (1, 10)),
    Param(
        "half_life",
        "seconds after which half of the searchers have stopped",
        224,
        _ABOVE_ZERO,
        (60, 1800),
    ),
    Param("per_summary", "seconds to read a summary", 4.4, _FROM_ZERO),
    Param("words", "how long a document is, in words", 500, _FROM_ZERO),
    Param("per_word", "seconds to read a word", 0.018, _FROM_ZERO),
    Param("per_document", "seconds to open and judge a document", 7.8, _FROM_ZERO),
    Param("click", "probability of opening a relevant document", 0.64, _SHARE),
    Param("false_click", "probability of opening any other document", 0.39, _SHARE),
    Param("save", "probability of saving a relevant document that is opened", 0.77, _SHARE),
    Param("query_seconds", "seconds to think of a query and type it", 0, _FROM_ZERO),
    Param(
        "L", "characters read, after which nothing counts", 132_000, _ABOVE_ZERO, (10_000, 500_000)
    ),
    Param("snippet", "how long a snippet is, in characters", 200, _FROM_ZERO),
    Param("chars", "how long a document is, in characters", 5000, _FROM_ZERO),
    Param("read_share", "the share of an opened document that is read", 0.2, _SHARE),
)

PARAMETERS: dict[str, Param] = {param.symbol: param for param in _ALL}

# What is no number: the choices of measures that are made of others.
_CHOICES = (
    Setting(
        "over",
        "Which queries of a session count?",
        {
            "first": "the first one",
            "last": "the last one",
            "best": "the one with the highest value",
            "mean": "all of them, averaged",
            "sum": "all of them, added up",
        },
    ),
    Setting(
        "stop",
        "At which relevant documents do searchers stop?",
        {
            "uniform": "at each with equal probability",
            "graded": "at those with higher gains more often",
            "rank_biased": "at each less often by p than at the relevant one before it",
        },
    ),
    Setting(
        "utility",
        "What is the ranking worth to a searcher who stops?",
        {"blended": "the blended ratio there", "precision": "the precision there"},
    ),
    Setting(
        "repeated",
        "How does a document that the session has already shown count in the last query?",
        {
            "counts": "the same as any other",
            "returned": "nothing, if an earlier query returned it",
            "scanned": "nothing, if an earlier list showed it down to its last click (or rank 1)",
            "clicked": "nothing, if it was clicked in an earlier query",
        },
    ),
    Setting(
        "foraging",
        "What does a forager respond to?",
        {
            "goal_and_rate": "how close the goal is, and the rate of gain",
            "goal": "how close the goal is",
            "rate": "the rate of gain per document",
        },
    ),
    Setting(
        "goal",
        "Does a searcher want the gain T per session or per query?",
        {
            "session": "per session: earlier queries count",
            "query": "per query: every list starts from zero",
        },
    ),
    Setting(
        "remainder",
        "Where does a path that would go on beyond the last query or document end?",
        {
            "last": "there: the last one takes the remaining probability, as in Jiang & Allan's "
            "code",
            "shared": "anywhere: probabilities are normalised (a truncated geometric distribution)",
        },
    ),
    Setting(
        "opened",
        "Which documents does a searcher open?",
        {
            "auto": "those clicked, where a log has clicks; else by probability",
            "likely": "with the probabilities of the paper's study, relevant ones more often",
            "clicked": "those that were clicked",
        },
    ),
)
CHOICES: dict[str, Setting] = {choice.name: choice for choice in _CHOICES}

ELEVEN_POINTS = tuple(round(tenth / 10, 1) for tenth in range(11))


def as_points(value: object) -> tuple[float, ...]:
    """Levels of recall, from a text such as 0,0.5,1 or a list of numbers.

    Examples:
        >>> as_points("0.25,.5")
        (0.25, 0.5)
    """
    parts: Iterable[object] = value.split(",") if isinstance(value, str) else ()
    if isinstance(value, (list, tuple)):
        parts = value
    elif isinstance(value, Real):
        parts = (value,)
    parsed = [_parse_level(part) for part in parts]
    levels = [level for level in parsed if level is not None]
    if not levels or len(levels) < len(parsed):
        raise BadValue("points", value, "levels of recall from 0 to 1, such as 0,0.5,1")
    return tuple(levels)


def _parse_level(part: object) -> float | None:
    if isinstance(part, str) and re.fullmatch(NUMBER_PATTERN, part.strip(), re.ASCII):
        part = float(part)
    if not is_number(part) or not 0 <= float(part) <= 1:
        return None
    return float(part)
