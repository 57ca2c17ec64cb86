"""`Qrels` and `Run`: what was read, as columns; `NestedDict` and `LazyRun`: what stays as it came.

`Kind` says in what reading the one differs from reading the other, `Rows` is what a reader gives. A
document may be judged once for each subtopic of its query; one and the same subtopic everywhere
says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from gainful.errors import BadInput, Duplicated, Swapped, WrongType
from gainful.read.column_names import QRELS_ROLES, RELEVANT, RETRIEVED, RUN_ROLES
from gainful.text import count_noun, quote

if TYPE_CHECKING:  # slow to load, and only runs in an engine need it
    import narwhals.stable.v2 as nw

    from gainful.read.engines import Engine

# What query and doc were before they became texts, where that is known: texts or whole numbers.
IdKinds = Mapping[str, str]

GRADES_AND_SCORES = "gainful.ndcg(grades, scores) for grades and scores alone"
_MAX_GRADE = 10  # numbers up to here can be grades

_MAX_LISTED = 10  # duplicates that an error or a report names one by one
MAX_USUAL_GRADE = 1000  # grades beyond it are times, ids or counts
_MIN_RANKS = 10  # ranks below the first of a query; of fewer, grades may count up by accident
_LONG_RANKING = 5  # ranks that are more than grades of one query that count up
_SAMPLE = 50  # rows that are looked at first


class _NoReaders(type):
    """A class whose error for a missing `from_dict` or `from_file` names the call that reads."""

    if not TYPE_CHECKING:  # to a type checker every attribute would be there

        def __getattr__(cls, name: str) -> NoReturn:
            advice = "gainful.evaluate(qrels, run) reads files, dicts and frames itself"
            raise AttributeError(f"{cls.__name__!r} has no attribute {name!r}; {advice}")


@frozen(eq=False)
class Qrels(metaclass=_NoReaders):
    """Judgments: a grade for each query and document.

    Where documents were judged for subtopics, `subtopics` has a row for each such judgment, and
    the grade in `frame` is the highest of a document's; `build_subtopic_qrels` makes both.

    Examples:
        >>> frame = pl.DataFrame({"query": ["1"], "doc": ["a"], "grade": [2.0]})
        >>> Qrels(frame).queries.to_list()
        ['1']
    """

    frame: pl.DataFrame  # query, doc: text; grade: number
    name: str = "judgments"
    where: Callable[[int], str] | None = field(default=None, repr=False)  # row → file:line
    empty_queries: tuple[str, ...] = ()  # queries that were judged, and nothing was found relevant
    unique: bool = True  # may no document be judged twice?
    ids: IdKinds = field(factory=dict)
    subtopics: pl.DataFrame | None = None  # row of the frame, subtopic: text; grade: number
    notes: Sequence[str] = ()  # notes on how they were read
    list_count: int = 0  # lists in query order, where queries have no names
    complete: bool = False  # is all that is relevant in it, so that other documents are not?
    part: bool = False  # is it some queries of a larger one, of which none may be judged?
    unit: str = "query"  # what people call what was judged: query, user, turn

    def __attrs_post_init__(self) -> None:
        _refuse_other_than_frame(self.frame, "Qrels", "grade")
        if self.frame.is_empty() and not self.part:
            raise BadInput(self.name, "it has no judgments")
        _refuse_not_finite(self.frame, "grade", self.locate)
        if self.unique:
            _refuse_judged_twice(self.frame, find_duplicates(self.frame), self.locate)

    @property
    def overlapping(self) -> bool:
        """Is a document judged for several subtopics?"""
        return self.subtopics is not None and len(self.subtopics) > len(self.frame)

    @property
    def queries(self) -> pl.Series:
        """The judged queries, in the order in which they first appear."""
        names = self.frame["query"].unique(maintain_order=True)
        empty_queries = pl.Series("query", self.empty_queries, dtype=pl.String)
        return pl.concat([names, empty_queries.filter(~empty_queries.is_in(names.implode()))])

    def locate(self, row: int) -> str:
        """Where a row came from, for a message."""
        return f"{self.name}, row {row}" if self.where is None else self.where(row)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Judgments as a dict of dicts."""
        mapping: dict[str, dict[str, float]] = {}
        for query in self.empty_queries:
            mapping[query] = {}
        for query, doc, grade in self.frame.iter_rows():
            mapping.setdefault(query, {})[doc] = grade
        return mapping


def _as_set(queries: Iterable[str]) -> frozenset[str]:
    return frozenset(queries)


@frozen(eq=False)
class Run(metaclass=_NoReaders):
    """What a system returned: a score for each query and document."""

    frame: pl.DataFrame  # query, doc: text; score: number
    name: str = "run"
    where: Callable[[int], str] | None = field(default=None, repr=False)
    tag: str = ""  # what the run calls itself in its last column
    empty_queries: frozenset[str] = field(default=(), converter=_as_set)  # queries without results
    notes: Sequence[str] = ()  # notes on how it was read
    ids: IdKinds = field(factory=dict)
    list_count: int = 0  # lists in query order, where queries have no names
    infinite: bool = False  # may scores be infinite?
    distinct: bool = False  # is no document listed twice in a ranking?
    part: bool = False  # is it some rows of a larger one, of which there may be none?

    def __attrs_post_init__(self) -> None:
        _refuse_other_than_frame(self.frame, "Run", "score")
        if self.frame.is_empty() and not (self.empty_queries or self.part):
            raise BadInput(self.name, "it has no results")
        if not self.infinite:
            _refuse_not_finite(self.frame, "score", self.locate)

    def locate(self, row: int) -> str:
        """Where a row came from, for a message."""
        return f"{self.name}, row {row}" if self.where is None else self.where(row)


@frozen(eq=False)
class NestedDict:
    """{query: {document: number}}, as Python programs pass it; checked where it is used."""

    mapping: Mapping[Any, Mapping[Any, Any]]
    name: str
    notes: Sequence[str] = ()  # notes on how it was read
    list_count: int = 0  # lists in query order, where queries have no names

    def build(self) -> NestedDict:
        """Itself, as it needs no columns."""
        return self


@frozen(eq=False)
class LazyRun:
    """A run whose rows stay in the engine of their owner."""

    frame: nw.LazyFrame[Any]  # query, doc, and score or rank
    engine: Engine
    reader: Callable[..., Run]  # how rows of it become a run, on a worker as well
    name: str = "run"
    ids: IdKinds = field(factory=dict)
    notes: Sequence[str] = ()  # notes on how it is read
    first_row: int = 0  # its number, where rows have an order

    def stream(self) -> Iterator[Run]:
        """Some rows at a time, checked as those of a run in memory; at first none."""
        from gainful.read.engines import report_engine_errors  # noqa: PLC0415  (files do without)

        first_row = self.first_row
        with report_engine_errors(self.engine, self.name):
            for rows in self.engine.stream(self.frame.to_native()):
                place = first_row if self.engine.ordered else None
                yield self.reader(rows, first_row=place)
                first_row += len(rows)

    def collect(self) -> Run:
        """The whole run in memory, for those who have to look at every document of a query."""
        parts = [*self.stream()]
        empty_queries = {query for part in parts for query in part.empty_queries}
        frame = pl.concat([part.frame for part in parts])
        note = f"the run was brought into memory, from {self.engine.name}"
        return Run(frame, self.name, empty_queries=empty_queries, ids=self.ids, notes=(note,))

    def head(self, limit: int) -> Run:
        """The first rows, here."""
        return self._collect(self.frame.head(limit))

    def collect_queries(self, queries: Collection[str]) -> Run:
        """The rows of some queries, here."""
        import narwhals.stable.v2 as nw  # noqa: PLC0415  (slow to load)

        query = nw.col("query")
        if self.frame.collect_schema()["query"].is_float():  # 1.0 is '1'
            query = query.cast(nw.Int64)
        return self._collect(self.frame.filter(query.cast(nw.String).is_in([*queries])))

    def _collect(self, frame: nw.LazyFrame[Any]) -> Run:
        from gainful.read.engines import report_engine_errors  # noqa: PLC0415  (files do without)

        with report_engine_errors(self.engine, self.name):
            rows = self.engine.collect(frame.to_native())
        return self.reader(rows)


def example_docs(qrels_or_run: Qrels | Run | NestedDict) -> list[str]:
    """The first two documents, for a message."""
    if isinstance(qrels_or_run, NestedDict):
        return [str(doc) for inner in qrels_or_run.mapping.values() for doc in inner][:2]
    return qrels_or_run.frame["doc"].head(2).to_list()


def sample_scores(run: Run | NestedDict, limit: int) -> list[float]:
    """The first scores, so many at most."""
    if isinstance(run, Run):
        return run.frame["score"].head(limit).to_list()
    scores = (score for ranking in run.mapping.values() for score in ranking.values())
    return [*islice(scores, limit)]


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
    raise BadInput(
        run.name,
        problem,
        "both by name, {query: […]} or {query: response}; or both as lists in one order",
    )


def _refuse_two_readings(qrels: NestedDict, run: Run | NestedDict) -> None:
    """Small whole numbers, as many on both sides, are ids, or else grades and scores."""
    lists = [list(judged) for judged in qrels.mapping.values()]
    docs = [doc for judged in lists for doc in judged]
    if not all(isinstance(doc, Integral) and 0 <= int(doc) <= _MAX_GRADE for doc in docs):
        return
    if isinstance(run, NestedDict):
        rankings = [list(ranking) for ranking in run.mapping.values()]
    else:
        by_query = dict(run.frame.group_by("query").agg("doc").iter_rows())
        rankings = [by_query.get(str(number), []) for number in range(run.list_count)]
    numeric = all(str(doc).lstrip("-").isdecimal() for docs in rankings for doc in docs)
    graded = any(grade != 1 for judged in qrels.mapping.values() for grade in judged.values())
    if not numeric or graded or [*map(len, lists)] != [*map(len, rankings)]:
        return
    pair = f"{quote(lists[0])} beside {quote(rankings[0])}"
    problem = f"{pair} can be documents, or grades and scores"
    raise BadInput(qrels.name, problem, f"documents as {{query: […]}}; {GRADES_AND_SCORES}")


def pair_hash() -> pl.Expr:
    """One 64-bit number for each query and document; equal pairs have equal numbers."""
    return pl.col("query").hash(1) ^ pl.col("doc").hash(2)


def are_distinct(hashes: pl.Series) -> bool:
    """Is every number another one?"""
    ordered = np.sort(hashes.to_numpy())
    return not (ordered[1:] == ordered[:-1]).any()


def find_duplicates(frame: pl.DataFrame, *more: str) -> pl.DataFrame:
    """All rows with a query, a document (and more, such as a subtopic) that another row has too."""
    hashes = frame.select(pair_hash()).to_series()
    keys = frame.select("query", "doc", *more)
    if are_distinct(hashes):
        return keys.clear().with_row_index("row").select(*keys.columns, "row")
    rows = keys.with_row_index("row").filter(hashes.is_duplicated())
    return rows.filter(pl.struct(keys.columns).is_duplicated()).select(*keys.columns, "row")


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


def _refuse_not_finite(frame: pl.DataFrame, column: str, locate: Callable[[int], str]) -> None:
    bad = (~frame[column].is_finite()).arg_true()
    if len(bad):
        row = int(bad[0])
        problem = f"{column} {frame[column][row]:g} is not finite"
        raise BadInput(locate(row), problem, "a finite number")


def _refuse_judged_twice(
    frame: pl.DataFrame, repeats: pl.DataFrame, locate: Callable[[int], str]
) -> None:
    """No document may be judged twice for a query, or for a subtopic of it."""
    if repeats.is_empty():
        return
    first, keys = repeats.row(0, named=True), repeats.drop("row").columns
    same = pl.all_horizontal(pl.col(key) == first[key] for key in keys)
    rows = repeats.filter(same)["row"].to_list()
    grades = " and ".join(f"{frame['grade'][row]:g}" for row in rows)
    times = "twice" if len(rows) == 2 else f"{len(rows)} times"
    subtopic = f" for subtopic {quote(first['subtopic'])}" if "subtopic" in first else ""
    raise Duplicated(
        locate(rows[1]),
        f"document {quote(first['doc'])} of query {quote(first['query'])} is judged "
        f"{times}{subtopic}, as {grades}",
        f"one grade for each query{', document and subtopic' if subtopic else ' and document'}",
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
        looks.append(f"{grades} above {MAX_USUAL_GRADE} (up to {highest:.15g}), like times and ids")
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


def build_subtopic_qrels(
    frame: pl.DataFrame,
    name: str,
    locate: Callable[[int], str],
    notes: Sequence[str] = (),
    **fields: Any,
) -> Qrels:
    """Judgments from rows of query, doc, grade and subtopic, and perhaps of passages to be summed.

    Examples:
        >>> rows = [("1", "a", 1.0, "x"), ("1", "b", 0.0, "x"), ("1", "a", 2.0, "y")]
        >>> long = pl.DataFrame(rows, schema=["query", "doc", "grade", "subtopic"], orient="row")
        >>> qrels = build_subtopic_qrels(long, "judgments", str)
        >>> qrels.frame.rows()
        [('1', 'a', 2.0), ('1', 'b', 0.0)]
        >>> qrels.subtopics.rows()
        [(0, 'x', 1.0), (1, 'x', 0.0), (0, 'y', 2.0)]
    """
    if "passage" in frame.columns:
        frame, locate, zeros = _sum_passages(frame, locate)
        counted = f"; {count_noun(zeros, 'rating')} of 0 counted as 1" if zeros else ""
        notes = [*notes, f"{name}: ratings of passages, summed by subtopic{counted}"]
    if not has_several_subtopics(frame["subtopic"]):
        return Qrels(frame.select("query", "doc", "grade"), name, locate, notes=notes, **fields)
    _refuse_not_finite(frame, "grade", locate)
    _refuse_judged_twice(frame, find_duplicates(frame, "subtopic"), locate)
    pairs = frame.with_row_index("line").group_by("query", "doc", maintain_order=True)
    per_doc = pairs.agg(pl.col("grade").max(), pl.col("line").first()).with_row_index("row")
    rows = frame.join(per_doc, on=["query", "doc"], how="left", maintain_order="left")
    first = per_doc["line"]
    return Qrels(
        per_doc.select("query", "doc", "grade"),
        name,
        lambda row: locate(int(first[row])),
        subtopics=rows.select("row", "subtopic", "grade"),
        notes=notes,
        **fields,
    )


def _sum_passages(
    frame: pl.DataFrame, locate: Callable[[int], str]
) -> tuple[pl.DataFrame, Callable[[int], str], int]:
    """Ratings of passages → a grade for each query, document and subtopic, as TREC DD has it.

    The grade is the sum of the ratings of the passages; one of 0 counts as 1, as in the track's
    scorers, and the last number says how many did. A passage that is rated twice is refused.
    """
    ids = ["query", "doc", "subtopic"]
    repeats = find_repeated_passages(frame)
    if not repeats.is_empty():
        first = repeats.row(0, named=True)
        raise Duplicated(
            locate(first["row"]),
            f"passage {quote(first['passage'])} of document {quote(first['doc'])} is rated more "
            f"than once for subtopic {quote(first['subtopic'])}",
            "one rating for each passage and subtopic",
        )
    zeros = int((frame["grade"] == 0).sum())
    rating = pl.when(pl.col("grade") == 0).then(1.0).otherwise(pl.col("grade")).alias("grade")
    rows = frame.with_row_index("line").group_by(ids, maintain_order=True)
    summed = rows.agg(rating.sum(), pl.col("line").first())
    line = summed["line"]
    columns = ("query", "doc", "grade", "subtopic")
    return summed.select(columns), lambda row: locate(int(line[row])), zeros


def join_subtopics(qrels: Qrels, grade: pl.Expr) -> Qrels:
    """Judgments in which a document's grade is made of its grades for subtopics."""
    if qrels.subtopics is None:
        return qrels
    grades = qrels.subtopics.group_by("row").agg(grade).sort("row")["grade"]
    return evolve(qrels, frame=qrels.frame.with_columns(grades))


def find_repeated_passages(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that rate a passage for a subtopic for which an earlier row rates it."""
    key = pl.struct("query", "doc", "subtopic", "passage")
    return frame.with_row_index("row").filter(~key.is_first_distinct())


Value = TypeVar("Value", bound=Qrels | Run)
Item = TypeVar("Item")


@frozen(eq=False)
class Kind(Generic[Value]):
    """Judgments or a run: all in which reading the one differs from reading the other."""

    name: str
    number: str  # what is told of each document
    default: float | None  # that number where it is not told; None: the order of a list tells it
    roles: Mapping[str, str]  # that columns can have, each with the name that is looked for first
    lists: tuple[str, ...]  # names of fields with all documents of a query
    shapes: str  # of dicts
    looks_other: str  # said of a value of the other kind
    build: Callable[..., Value]  # of a frame, a name, places of rows, and fields of the value

    def __reduce__(self) -> str:
        return "QRELS" if self.number == "grade" else "RUN"  # the same one in other processes

    def describe_swap(self, name: str, reason: str, expected: str) -> Swapped:
        """What is to be said of a value of the other kind."""
        return Swapped(name, f"{self.looks_other}: {reason} (are the arguments swapped?)", expected)


def _build_qrels(
    frame: pl.DataFrame, name: str, where: Callable[[int], str] | None = None, **fields: Any
) -> Qrels:
    if "subtopic" in frame.columns and where is not None:
        return build_subtopic_qrels(frame, name, where, **fields)
    return Qrels(frame.select("query", "doc", "grade"), name, where, **fields)


def _build_run(
    frame: pl.DataFrame, name: str, where: Callable[[int], str] | None = None, **fields: Any
) -> Run:
    return Run(frame.select("query", "doc", "score"), name, where, **fields)


QRELS = Kind(
    "judgments",
    "grade",
    1,
    QRELS_ROLES,
    RELEVANT,
    "{query: {document: grade}} or {query: [relevant document, …]}",
    "this looks like a run, not like judgments",
    _build_qrels,
)
RUN = Kind(
    "run",
    "score",
    None,
    RUN_ROLES,
    RETRIEVED,
    "{query: {document: score}}, {query: [document, …]} or {query: [(document, score), …]}",
    "these look like judgments, not like a run",
    _build_run,
)


@frozen(eq=False)
class Rows(Generic[Value]):
    """What a reader gives: the rows that are sound, and what is wrong with the others.

    Who calls decides: `build` raises the first of these mistakes, `check` tells all.
    """

    kind: Kind[Value]
    name: str
    frame: pl.DataFrame  # query, doc, grade or score; subtopic, passage, rank where there are some
    locate: Callable[[int], str]  # of the sound rows
    mistakes: Sequence[int | BadInput] = ()  # rows that are not sound, or why they are not
    describe: Callable[[int], BadInput] = lambda row: BadInput(str(row), "")  # why a row is not
    warnings: Sequence[str] = ()  # what changes what comes out
    notes: Sequence[str] = ()  # what else one should know of how it was read
    fields: Mapping[str, Any] = {}  # of the value: what its ids are, its tag

    def build(self) -> Value:
        """The judgments or the run, or an error for the first row that is not sound."""
        if self.mistakes:
            raise self.list_problems(1)[0]
        notes = [*self.warnings, *self.notes]
        return self.kind.build(self.frame, self.name, self.locate, notes=notes, **self.fields)

    def list_problems(self, limit: int) -> list[BadInput]:
        """What is wrong with the first so many rows that are not sound."""
        first = self.mistakes[:limit]
        return [each if isinstance(each, BadInput) else self.describe(each) for each in first]


def read_each(
    read: Callable[..., Item], items: Iterable[tuple[Any, ...]], problems: list[BadInput]
) -> Iterator[Item]:
    """What is read of each item; what is wrong with the others is added to the problems.

    An item whose last part is an error is known to be wrong.
    """
    for item in items:
        try:
            if isinstance(item[-1], BadInput):
                raise item[-1]
            value = read(*item)
        except BadInput as problem:
            problems.append(problem)
        else:
            yield value
