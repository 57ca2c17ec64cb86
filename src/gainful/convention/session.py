"""How whole sessions are judged: the settings in which session measures differ, and whose they are.

The defaults are those of Järvelin, Price, Delcambre & Nielsen (2008). What their paper leaves open
is a setting here, with a stated answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from attrs import evolve, field, frozen

from gainful.convention.convention import (
    SETTINGS,
    Setting,
    Settings,
    list_conventions,
    list_settings,
    setting,
)
from gainful.errors import UnknownName, WrongType
from gainful.types import MAX_COUNT, is_number

Repeats = Literal["every", "first", "clicked", "judged"]
SessionIdeal = Literal["paired", "repeated", "once", "best_slots"]
SubtopicGrades = Literal["highest", "sum"]
Statistic = Literal["final", "best", "last", "average", "per_query"]
PENALTY = "minimum"  # of lists: at least a position, and the next list begins behind it
_MINIMUM_PATTERN = re.compile(r"minimum\((\d{1,17})\)", re.ASCII)
_QUERIES_PATTERN = re.compile(r"queries\((\d+)\)", re.ASCII)


def _fits_lists(value: object) -> bool:
    return value in ("padded", "as_is", PENALTY) or (
        isinstance(value, str)
        and bool(_MINIMUM_PATTERN.fullmatch(value))
        and 0 < minimum_positions(value) <= MAX_COUNT
    )


def minimum_positions(lists: str) -> int:
    """How many positions a query occupies at least: m of minimum(m), else 1 or none."""
    if lists == PENALTY:
        return 1
    minimum = _MINIMUM_PATTERN.fullmatch(lists)
    return int(minimum[1]) if minimum else 0


def results_per_query(at: str) -> int | None:
    """How many results a query has, where @ counts queries: m of queries(m)."""
    queries = _QUERIES_PATTERN.fullmatch(at)
    return int(queries[1]) if queries else None


@frozen(kw_only=True, repr=False)
class SessionConvention(Settings):
    """The settings behind the value of a session.

    Examples:
        >>> SessionConvention(bq=2).differences(SessionConvention())
        {'bq': (2, 4)}
    """

    KIND: ClassVar[str] = "session option"

    gain: str = setting("linear", SETTINGS["gain"])
    rel: float | None = setting(None, SETTINGS["rel"])
    discount: str = setting("jk2008", SETTINGS["discount"])
    b: float | None = setting(2, SETTINGS["b"])
    query_discount: str = setting(
        "jk2008",
        "How is a query's gain discounted by its position in the session?",
        allowed="the name of a discount",
        fits=lambda value: isinstance(value, str),
    )
    bq: float | None = setting(
        4,
        "What is the base of the query discount's logarithm?",
        allowed="1 < bq < 1000",
        fits=lambda base: base is None or (is_number(base) and 1 < base < 1000),
    )
    rank_discount: Literal["restart", "concatenated"] = setting(
        "restart",
        "Where do ranks start?",
        {
            "restart": "at 1 in each query",
            "concatenated": "they continue over the lists of the session (not verified in print)",
        },
    )
    duplicates: Repeats = setting(
        "every",
        "How does a document that the session has already shown count?",
        {
            "every": "in full every time",
            "first": "only the first time within the depth",
            "clicked": "in full until the searcher clicks on it",
            "judged": "with the grade that the searcher gave it that time",
        },
    )
    ideal: SessionIdeal = setting(
        "paired",
        "What is the ideal session?",
        {
            "paired": "the one that matches how duplicates count, so no value exceeds 1",
            "repeated": "the best documents again in every query",
            "once": "each document once, query by query",
            "best_slots": "each document once, the best documents in the places that count most",
        },
    )
    lists: str = setting(
        "padded",
        "How many positions does a query take?",
        allowed="padded, as_is, minimum(m), or minimum: a penalty, as ranks continue",
        fits=_fits_lists,
    )
    at: str = setting(
        "results",
        "What does the number after @ count?",
        allowed="results, those of each query, or queries(m), those of a session, of m results",
        fits=lambda at: at == "results" or (isinstance(at, str) and bool(results_per_query(at))),
    )
    depth: Literal["assumed", "scanned"] = setting(
        "assumed",
        "How deep does a searcher look?",
        {
            "assumed": "at the first X results of every query",
            "scanned": "to the observed depth, at most X; at X results where unknown",
        },
    )
    hold: Literal["held", "growing"] = setting(
        "held",
        "Does the ideal session continue after a searcher stops?",
        {"held": "no, its value stays flat", "growing": "yes, to the longest session"},
    )
    normalise: Literal["session", "query", "concatenated"] = setting(
        "session",
        "What is divided by its ideal?",
        {
            "session": "the session as a whole",
            "query": "each query; ratios are averaged with the query discounts as weights",
            "concatenated": "each query's vector, one after the other; nothing is summed (§2.2)",
        },
    )
    average: Literal["ratios", "vectors"] = setting(
        "ratios",
        "How are sessions averaged?",
        {
            "ratios": "each is divided by its ideal, then the mean is taken",
            "vectors": "the mean gain is divided by the mean ideal",
        },
    )
    average_over: Literal["own", "common"] = setting(
        "own",
        "Over which positions is the average position value taken?",
        {
            "own": "those of the session itself",
            "common": "those of the longest session, with the last value repeated",
        },
    )
    statistic: Statistic = setting(
        "final",
        "Which number represents a session?",
        {
            "final": "the gain at its end",
            "best": "the gain of its best query",
            "last": "the gain of its last query",
            "average": "the mean over its positions",
            "per_query": "the gain at its end, divided by the number of queries",
        },
    )
    negative: Literal["zero", "keep", "error"] = setting(
        "zero",
        SETTINGS["negative"].question,
        {answer: SETTINGS["negative"].answers[answer] for answer in ("zero", "keep", "error")},
    )
    empty: Literal[0, 1, "skip", "error"] = setting(0, SETTINGS["empty"])
    unjudged: Literal["auto", "zero", "drop", "error"] = setting(
        "auto",
        "What if a query's topic has no judgments?",
        {
            "auto": "an error; in conversations left out",
            "zero": "it gains nothing",
            "drop": "it is left out; later queries move up",
            "error": "an error",
        },
    )
    subtopic_grades: SubtopicGrades = setting(
        "highest",
        "What is the grade of a document judged for several subtopics?",
        {"highest": "the highest of its grades", "sum": "the sum of its grades"},
    )

    name: str = field(default="jk2008", eq=False)
    title: str = field(default="Järvelin, Price, Delcambre & Nielsen 2008", eq=False)
    note: str = field(default="", eq=False)

    @property
    def ideal_kind(self) -> Literal["repeated", "once", "best_slots"]:
        """The ideal itself, where the convention leaves it to the duplicates."""
        if self.ideal != "paired":
            return self.ideal
        return "best_slots" if self.duplicates == "first" else "repeated"

    @property
    def can_pass_one(self) -> bool:
        """Can a normalised value pass 1?

        Where documents earn again that the ideal has once; where each document is in the ideal
        once but not where it counts most; and where the ranks of short lists are counted on
        into the next list, while those of the ideal are padded.
        """
        repeats_earn = self.duplicates != "first" and self.ideal_kind != "repeated"
        misplaced = self.duplicates == "first" and self.ideal_kind == "once"
        closed_up = self.rank_discount == "concatenated" and self.lists != "padded"
        return repeats_earn or misplaced or closed_up


SESSION_SETTINGS: Mapping[str, Setting] = list_settings(SessionConvention)
SessionConvention.TABLE = SESSION_SETTINGS

JK2008 = SessionConvention(
    note="b and bq from 1.5 (impatient) to 10 (patient) are reasonable; its weights are 0-1-10-100"
)
KANOULAS2011 = evolve(
    JK2008,
    title="Kanoulas et al. 2011, nsDCG as Jiang & Allan coded it",
    gain="exp",
    discount="shifted",
    query_discount="shifted",
    note="others report that the paper uses rank_discount=concatenated; we could not verify it",
)
TREC_DD_2017 = evolve(
    JK2008,
    title="TREC Dynamic Domain 2017, nsDCG",
    duplicates="first",
    at="queries(5)",
    subtopic_grades="sum",
    note="each document counts once, at its best position; @n is n iterations of 5 documents each; "
    "the gain of a document is the sum of the ratings of its passages",
)
TREC_DD_2015 = evolve(
    JK2008,
    title="TREC Dynamic Domain 2015 and 2016, snDCG",
    gain="exp",
    discount="log2",
    b=None,
    bq=2,
    ideal="once",
    statistic="per_query",
    note="the normalised value is also divided by the number of queries; it can exceed 1",
)
SESSION_TRACK_2012 = evolve(
    JK2008,
    title="TREC Session Track 2011 to 2014, session_eval.py",
    gain="exp",
    discount="log2",
    b=None,
    query_discount="none",
    bq=None,
    statistic="last",
    note="it scores only the last query: RL(of='nDCG@10') and, for its ERR, "
    "RL(of='ERR(max_grade=4)@10'); its grades -2, 0, 1, 4, 2, 3 count as 0, 0, 1, 2, 3, 4, which "
    "is gain={-2:0,0:0,1:1,4:3,2:7,3:15}",
)

SESSION_CONVENTIONS: Mapping[str, SessionConvention] = {
    convention.name: convention for convention in list_conventions(globals(), SessionConvention)
}


def like_sessions(name: str | SessionConvention | None = None) -> SessionConvention:
    """The settings of a paper or track by its name; without a name, those of 2008."""
    if name is None:
        return JK2008
    if isinstance(name, SessionConvention):
        return name
    if not isinstance(name, str):
        raise WrongType("like", name, "the name of a session convention, or a SessionConvention")
    if name.lower() not in SESSION_CONVENTIONS:
        raise UnknownName("session convention", name, SESSION_CONVENTIONS)
    return SESSION_CONVENTIONS[name.lower()]
