"""The numbers that one may choose in a measure, besides those of its gain and discount."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from numbers import Real

from gainful.convention.convention import Setting
from gainful.errors import BadValue
from gainful.formula import Domain, Param
from gainful.measure.discount import b, bq
from gainful.measure.gain import REL
from gainful.text import NUMBER_PATTERN
from gainful.types import is_number


def _numbers(domain: Domain) -> Callable[..., Param]:
    """A function that makes parameters of this domain; the last two numbers are a typical range."""

    def make(symbol: str, default: float, meaning: str, *typical: float) -> Param:
        extent = (typical[0], typical[1]) if typical else None
        return Param(symbol, meaning, default, domain, extent)

    return make


_number, _positive = _numbers(Domain()), _numbers(Domain(above=0))
_amount = _numbers(Domain(above=0, below=1e9, closed=True))
_chance = _numbers(Domain(above=0, below=1))
_share = _numbers(Domain(above=0, below=1, closed=True))

_ALL = (
    b,
    bq,
    REL,
    _chance("p", 0.8, "persistence: the probability of looking at the next document", 0.5, 0.95),
    _positive(
        "beta",
        1,
        "the weight of recall against precision, as in trec_eval and ir_measures (van Rijsbergen's "
        "β squared); in NRBP the probability of continuing, at most 1",
        0.5,
        2,
    ),
    _share("alpha", 0.5, "the penalty for repeating a subtopic: 0 none, 1 full", 0.25, 0.75),
    _positive("times", 1, "documents to look at, as a multiple of the relevant ones", 0.2, 2),
    _positive("T", 1, "how much gain the searcher wants", 1, 5),
    _positive(
        "b1", 0.9, "a forager whose goal is just met continues with probability b1/(1 + b1)", 0.1, 1
    ),
    _amount("R1", 10, "how strongly the goal influences a forager: 0 not at all", 1, 100),
    _amount("A", 0.2, "the gain per document that a forager expects", 0.1, 0.5),
    _positive(
        "b2", 0.9, "a forager who gains as expected continues with probability 1/(1 + b2)", 0.1, 1
    ),
    _amount("R2", 10, "how strongly the rate of gain influences a forager: 0 not at all", 1, 100),
    _number("hit", 1, "what a relevant retrieved document is worth"),
    _number("noise", -1, "what a retrieved document that is not relevant is worth"),
    _number("miss", 0, "what a relevant document that was not retrieved is worth"),
    _number("rest", 0, "what any other document of the collection is worth"),
    _number("docs", 0, "how many documents the collection has"),
    _share("p_ref", 0.9, "the probability of another query after a list", 0.5, 1),
    _share("p_down", 0.7, "the probability of continuing to the next document of a list", 0.5, 1),
    _share(
        "balance",
        0.7,
        "the probability that a searcher who continues stays in the list: 1 always, 0 reformulates "
        "every time",
        0.5,
        0.9,
    ),
    _share(
        "gamma",
        0.5,
        "the share of its value that each further document of a subtopic retains",
        0.25,
        0.75,
    ),
    _positive("cap", 5, "the gain at which a subtopic is fully covered", 1, 10),
    _positive("half_life", 224, "seconds after which half of the searchers have stopped", 60, 1800),
    _amount("per_summary", 4.4, "seconds to read a summary"),
    _amount("words", 500, "how long a document is, in words"),
    _amount("per_word", 0.018, "seconds to read a word"),
    _amount("per_document", 7.8, "seconds to open and judge a document"),
    _share("click", 0.64, "probability of opening a relevant document"),
    _share("false_click", 0.39, "probability of opening any other document"),
    _share("save", 0.77, "probability of saving a relevant document that is opened"),
    _amount("query_seconds", 0, "seconds to think of a query and type it"),
    _positive("L", 132_000, "characters read, after which gains do not count", 10_000, 500_000),
    _amount("snippet", 200, "how long a snippet is, in characters"),
    _amount("chars", 5000, "how long a document is, in characters"),
    _share("read_share", 0.2, "the share of an opened document that is read"),
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
            "graded": "at each with a probability proportional to its gain",
            "rank_biased": "at each with p times the probability of the relevant one before it",
        },
    ),
    Setting(
        "utility",
        "What is the ranking worth to a searcher who stops?",
        {"blended": "the blended ratio at that rank", "precision": "the precision at that rank"},
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
