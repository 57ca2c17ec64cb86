"""`Qrels` and `Run`: what was read, as columns; `NestedDict`: a dict of dicts as it came."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl
from attrs import field, frozen

from gainful.errors import BadInput, Duplicated, WrongType
from gainful.text import count_noun, quote

# What query and doc were before they became texts, where that is known: texts or whole numbers.
IdKinds = Mapping[str, str]

GRADES_AND_SCORES = "gainful.ndcg(grades, scores) for grades and scores alone"
_MAX_GRADE = 10  # numbers up to here can be grades

_MAX_LISTED = 10  # duplicates that an error or a report names one by one
MAX_USUAL_GRADE = 1000  # grades beyond it are times, ids or counts
_MIN_RANKS = 10  # ranks below the first of a query; of fewer, grades may count up by accident
_LONG_RANKING = 5  # ranks that are more than grades of one query that count up
_SAMPLE = 50  # rows that are looked at first


@frozen(eq=False)
class Qrels:
    """Who judged what: a grade for each query and document.

    Where documents were judged for subtopics, `subtopics` has a row for each such judgment, and
    the grade in `frame` is the highest of a document's; `read.subtopic_qrels` makes both of them.

    Examples:
        >>> frame = pl.DataFrame({"query": ["1"], "doc": ["a"], "grade": [2.0]})
        >>> Qrels(frame).queries.to_list()
        ['1']
    """

    frame: pl.DataFrame  # query, doc: text; grade: number
    name: str = "judgments"
    where: Callable[[int], str] | None = field(default=None, repr=False)  # row → file:line
    silent: tuple[str, ...] = ()  # queries that were judged, and nothing was found relevant
    unique: bool = True  # may no document be judged twice?
    ids: IdKinds = field(factory=dict)
    subtopics: pl.DataFrame | None = None  # row of the frame, subtopic: text; grade: number
    notes: Sequence[str] = ()  # what one should know of how they were read
    list_count: int = 0  # lists in query order, where queries have no names
    complete: bool = False  # is all that is relevant in it, so that other documents are not?
    part: bool = False  # is it some queries of a larger one, of which none may be judged?

    def __attrs_post_init__(self) -> None:
        _refuse_other_than_frame(self.frame, "Qrels", "grade")
        if not self.part:
            _refuse_empty(self.frame, self.name, "judgment")
        _refuse_not_finite(self, "grade")
        if not self.unique:
            return
        duplicate_rows = find_duplicates(self.frame)
        if not duplicate_rows.is_empty():
            self._refuse_duplicate(duplicate_rows)

    def _refuse_duplicate(self, duplicate_rows: pl.DataFrame) -> None:
        query, doc = duplicate_rows.row(0)[:2]
        same = duplicate_rows.filter((pl.col("query") == query) & (pl.col("doc") == doc))
        rows = same["row"].to_list()
        grades = [f"{self.frame['grade'][row]:g}" for row in rows]
        times = "twice" if len(rows) == 2 else f"{len(rows)} times"
        raise Duplicated(
            self.locate(rows[1]),
            f"document {quote(doc)} of query {quote(query)} is judged {times}, "
            f"as {' and '.join(grades)}",
            "one grade for each query and document",
        )

    @property
    def overlapping(self) -> bool:
        """Is a document judged for several subtopics?"""
        return self.subtopics is not None and len(self.subtopics) > len(self.frame)

    @property
    def queries(self) -> pl.Series:
        """The judged queries, in the order in which they first appear."""
        names = self.frame["query"].unique(maintain_order=True)
        silent = pl.Series("query", self.silent, dtype=pl.String)
        return pl.concat([names, silent.filter(~silent.is_in(names.implode()))])

    def locate(self, row: int) -> str:
        """Where a row came from, for a message."""
        return f"{self.name}, row {row}" if self.where is None else self.where(row)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Judgments as a dict of dicts."""
        mapping: dict[str, dict[str, float]] = {}
        for query in self.silent:
            mapping[query] = {}
        for query, doc, grade in self.frame.iter_rows():
            mapping.setdefault(query, {})[doc] = grade
        return mapping


def _as_set(queries: Iterable[str]) -> frozenset[str]:
    return frozenset(queries)


@frozen(eq=False)
class Run:
    """What a system returned: a score for each query and document."""

    frame: pl.DataFrame  # query, doc: text; score: number
    name: str = "run"
    where: Callable[[int], str] | None = field(default=None, repr=False)
    tag: str = ""  # what the run calls itself in its last column
    silent: frozenset[str] = field(
        default=frozenset(), converter=_as_set
    )  # queries for which nothing was retrieved
    notes: Sequence[str] = ()  # what one should know of how it was read
    ids: IdKinds = field(factory=dict)
    list_count: int = 0  # lists in query order, where queries have no names
    infinite: bool = False  # may scores be infinite?
    distinct: bool = False  # is no document listed twice in a ranking?
    part: bool = False  # is it some rows of a larger one, of which there may be none?

    def __attrs_post_init__(self) -> None:
        _refuse_other_than_frame(self.frame, "Run", "score")
        if not (self.silent or self.part):
            _refuse_empty(self.frame, self.name, "result")
        if not self.infinite:
            _refuse_not_finite(self, "score")

    def locate(self, row: int) -> str:
        """Where a row came from, for a message."""
        return f"{self.name}, row {row}" if self.where is None else self.where(row)


@frozen(eq=False)
class NestedDict:
    """{query: {document: number}}, as Python programs pass it; checked where it is used."""

    mapping: Mapping[Any, Mapping[Any, Any]]
    name: str
    notes: Sequence[str] = ()  # what one should know of how it was read
    list_count: int = 0  # lists in query order, where queries have no names


def example_docs(qrels_or_run: Qrels | Run | NestedDict) -> list[str]:
    """The first two documents, for a message."""
    if isinstance(qrels_or_run, NestedDict):
        return [str(doc) for inner in qrels_or_run.mapping.values() for doc in inner][:2]
    return qrels_or_run.frame["doc"].head(2).to_list()


def sample_scores(run: Run | NestedDict, limit: int) -> list[float]:
    """The first scores, so many at most."""
    if isinstance(run, Run):
        return run.frame["score"].head(limit).to_list()
    return [
        *islice((score for ranking in run.mapping.values() for score in ranking.values()), limit)
    ]


def refuse_other_order(qrels: Qrels | NestedDict, run: Run | NestedDict) -> None:
    """Rankings in query order go with judgments in that order, and with as many of them."""
    if qrels.list_count == run.list_count:
        if qrels.list_count and isinstance(qrels, NestedDict):
            _refuse_two_readings(qrels, run)
        return
    if qrels.list_count and run.list_count:
        lists = count_noun(run.list_count, "list")
        problem = f"{lists} in query order, but {qrels.list_count} of judgments"
        raise BadInput(run.name, problem, "one list for each query, in the same order")
    nameless, named = ("judgments", "run") if qrels.list_count else ("run", "judgments")
    problem = f"queries have no names in the {nameless}, but have names in the {named}"
    raise BadInput(run.name, problem, "both by name, {query: […]}; or both as lists in one order")


def _refuse_two_readings(qrels: NestedDict, run: Run | NestedDict) -> None:
    """Small whole numbers, as many on both sides, are ids, or else grades and scores."""
    lists = [list(judged) for judged in qrels.mapping.values()]
    docs = [doc for judged in lists for doc in judged]
    if not all(isinstance(doc, Integral) and 0 <= int(doc) <= _MAX_GRADE for doc in docs):
        return
    rankings = _list_docs(run)
    numeric = all(str(doc).lstrip("-").isdecimal() for docs in rankings for doc in docs)
    graded = any(grade != 1 for judged in qrels.mapping.values() for grade in judged.values())
    if not numeric or graded or [*map(len, lists)] != [*map(len, rankings)]:
        return
    pair = f"{quote(lists[0])} beside {quote(rankings[0])}"
    problem = f"{pair} can be documents, or grades and scores"
    raise BadInput(qrels.name, problem, f"documents as {{query: […]}}; {GRADES_AND_SCORES}")


def _list_docs(run: Run | NestedDict) -> list[list[Any]]:
    if isinstance(run, NestedDict):
        return [list(ranking) for ranking in run.mapping.values()]
    by_query = dict(run.frame.group_by("query").agg("doc").iter_rows())
    return [by_query.get(str(number), []) for number in range(run.list_count)]


def pair_hash() -> pl.Expr:
    """One 64-bit number for each query and document; equal pairs have equal numbers."""
    return pl.col("query").hash(1) ^ pl.col("doc").hash(2)


def are_distinct(hashes: pl.Series) -> bool:
    """Is every number another one?"""
    ordered = np.sort(hashes.to_numpy())
    return not (ordered[1:] == ordered[:-1]).any()


def find_duplicates(frame: pl.DataFrame) -> pl.DataFrame:
    """All rows whose query and document stand in another row too: query, doc, row."""
    hashes = frame.select(pair_hash()).to_series()
    no_rows = pl.DataFrame(schema={"query": pl.String, "doc": pl.String, "row": pl.UInt32})
    if are_distinct(hashes):
        return no_rows
    suspects = hashes.is_duplicated()
    rows = frame.select("query", "doc").with_row_index("row").filter(suspects)
    duplicate_rows = rows.filter(pl.struct("query", "doc").is_duplicated())
    return duplicate_rows.select("query", "doc", "row").sort("row")


def describe_duplicates(
    duplicate_rows: pl.DataFrame, locate: Callable[[int], str], limit: int = _MAX_LISTED
) -> list[str]:
    """The first few duplicates in words, each with the first few places where it stands."""
    groups = duplicate_rows.group_by("query", "doc", maintain_order=True).agg("row").head(limit)
    lines = []
    for query, doc, rows in groups.iter_rows():
        places = [locate(row) for row in rows[:_MAX_LISTED]] + ["…"] * (len(rows) > _MAX_LISTED)
        lines.append(f"document {quote(doc)} of query {quote(query)}: {', '.join(places)}")
    return lines


def _refuse_other_than_frame(frame: object, kind: str, number: str) -> None:
    if not isinstance(frame, pl.DataFrame):
        taken = "gainful.evaluate and all others take dicts, lists and files directly"
        raise WrongType(kind, frame, f"a polars frame of query, doc, {number}; {taken}")


def _refuse_empty(frame: pl.DataFrame, name: str, noun: str) -> None:
    if frame.is_empty():
        raise BadInput(name, f"it has no {noun}s")


def _refuse_not_finite(qrels_or_run: Qrels | Run, column: str) -> None:
    numbers = qrels_or_run.frame[column]
    bad = ~numbers.is_finite()
    if bad.any():
        row = int(bad.arg_true()[0])
        raise BadInput(
            qrels_or_run.locate(row), f"{column} {numbers[row]:g} is not finite", "a finite number"
        )


def has_several_subtopics(subtopic: pl.Series) -> bool:
    """Is there more than one subtopic?"""
    return len(subtopic) > 1 and bool((subtopic != subtopic[0]).any())


def describe_odd_judgments(qrels: Qrels | NestedDict) -> list[str]:
    """What judgments from a file or frame look like, if not like judgments.

    Examples:
        >>> frame = pl.DataFrame({"query": ["map", "P_5"], "doc": "all", "grade": [0.25, 0.4]})
        >>> describe_odd_judgments(Qrels(frame))
        ["the last document of every query is 'all', as in the output of trec_eval"]
    """
    if isinstance(qrels, NestedDict):
        return []
    frame = qrels.frame
    looks = []
    large = int((frame["grade"] > MAX_USUAL_GRADE).sum())
    if large:
        grades = count_noun(large, "grade is", "grades are")
        highest = frame.select(pl.col("grade").max()).item()
        looks.append(f"{grades} above {MAX_USUAL_GRADE} (up to {highest:.0f}), like times and ids")
    if look_like_ranks(frame):
        looks.append("the grades of every query count 1, 2, 3, …, like the ranks of a run")
    if frame["doc"][-1] == "all":
        last = frame.group_by("query").agg(pl.col("doc").last())["doc"]
        if (last == "all").all():
            looks.append("the last document of every query is 'all', as in the output of trec_eval")
    return looks


def look_like_ranks(frame: pl.DataFrame) -> bool:
    """Do grades count as ranks do, and are there too many of them for an accident?"""
    if not are_ranks(frame, "grade"):
        return False
    below_first = len(frame) - frame["query"].n_unique()
    return below_first >= _MIN_RANKS or bool((frame["grade"] >= _LONG_RANKING).any())


def are_ranks(frame: pl.DataFrame, number: str) -> bool:
    """Does a number count from 1, without a gap, in the rows of each query?"""
    counts = pl.col(number) == pl.int_range(1, pl.len() + 1).over("query")
    return all(part.select(counts.all()).item() for part in (frame.head(_SAMPLE), frame))
