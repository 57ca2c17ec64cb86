"""Ratings that search teams keep in their tools → judgments, and a run where rankings are in it.

OpenSearch's Search Relevance Workbench, Quepid, the Rated Ranking Evaluator (RRE) and `_rank_eval`
of Elasticsearch and OpenSearch all have a list of queries, each with rated documents. A query is
known by its text, or by the id that `_rank_eval` asks for.

The keys here are fixed by the schemas of these tools, not columns that could have other names;
documents and their ratings are called as in any answer, which `column_names.COLUMNS` lists.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput, Duplicated, Swapped
from gainful.read import dicts, named_columns
from gainful.read.column_names import (
    ANSWER_COLUMNS,
    USUAL_NAMES,
    ColumnMapping,
    list_columns,
    normalise_name,
)
from gainful.read.json_records import load_whole
from gainful.read.qrels_and_run import QRELS, RUN, Kind, NestedDict, Rows, Value, read_each
from gainful.read.search_results import find_id, is_id, parse_number
from gainful.read.source import Source
from gainful.text import NUMBER_PATTERN, count_noun, quote

Node = dict[str, Any] | BadInput  # the object of a query, or why there is none
RatedQuery = tuple[str, str, list[tuple[str, Any]]]  # its place, text or id, documents and ratings
_NUMBER = re.compile(NUMBER_PATTERN, re.ASCII)
_LETOR = re.compile(
    rf"\s*({NUMBER_PATTERN})\s+qid:(\S+)\s[^#]*#\s*(?:docid\s*=\s*)?(\S+)", re.ASCII
)
_GRADES = ANSWER_COLUMNS["grade"].names
_ONLY_RETRIEVED = (
    "{}: only retrieved documents have ratings here, so recall and ideal rankings (nDCG) miss "
    "others; use a file of all ratings"
)


@frozen
class Tool:
    """Where the JSON files of one tool have queries and their ratings."""

    name: str
    levels: tuple[str, ...]  # lists within lists, from the outside; any but the last may be missing
    query: tuple[str, ...]  # the key of the text or id of a query
    ratings: str  # the key of its rated documents
    is_ranking: bool = False  # are these what was retrieved, in rank order?
    is_marked: bool = False  # does its last level have a name that nothing else has?

    @property
    def marks(self) -> set[bytes]:
        """Keys that all stand near the beginning of its files."""
        if self.is_marked:
            return {self.levels[-1].encode()}
        own = ["metric_score"] if self.is_ranking else []
        return {key.encode() for key in (self.levels[-1], self.ratings, *own)}


_TOOLS = (
    Tool(
        "Search Relevance Workbench",
        *(("hits", "hits", "_source", "judgmentRatings"), ("query",), "ratings"),
        is_marked=True,
    ),
    Tool("RRE", ("topics", "query_groups", "queries"), ("placeholders",), "relevant_documents"),
    Tool("Quepid", ("queries",), ("query", "query_text"), "ratings"),
    Tool("a _rank_eval request", ("requests",), ("id",), "ratings"),
    Tool("a _rank_eval response", ("rank_eval", "details"), ("id",), "hits", is_ranking=True),
)
_BARE_LIST = Tool("Search Relevance Workbench", (), ("query",), "ratings")  # judgmentRatings alone
_BARE_KEYS = {b"query", b"ratings", b"docId", b"rating"}

# The first column of each of Quepid's CSV exports, and what its columns are: of the ratings of a
# case, with all its details, and of a snapshot.
_RANKED = {"query": "query_text", "doc": "doc_id", "rank": "doc_position"}
_QUEPID_EXPORTS = {
    "query": {"query": "query", "doc": "docid", "grade": "rating"},
    "team_name": {**_RANKED, "grade": "rating"},
    "snapshot_name": _RANKED,
}
_QUEPID_LACKS = {
    "grade": ("this is a snapshot of Quepid, which has rankings, not judgments", "ratings"),
    "rank": ("these are ratings of Quepid, without a ranking", "a snapshot"),
}


def find_kinds(source: Source) -> set[str]:
    """What a file holds, to judge by its beginning: judgments, a run, both; or no ratings."""
    tool = _find_tool(source)
    if tool is not None:
        return {"judgments", "run"} if tool.is_ranking else {"judgments"}
    if is_letor(source):
        return {"judgments"}
    roles = _find_quepid_columns(source)
    kinds = {"grade": "judgments", "rank": "run"}
    return {kind for role, kind in kinds.items() if role in roles}


def recognise(value: Mapping[Any, Any]) -> Tool | None:
    """The tool of a dict that is one of its files, by its first query."""
    for tool in _TOOLS:
        if any(level in value for level in tool.levels):
            _, query = next(_descend(dict(value), tool, tool.levels, ""), ("", None))
            keys = query.keys() if isinstance(query, dict) else {}
            if tool.ratings in keys and any(key in keys for key in tool.query):
                return tool
    return None


def read(source: Source, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES) -> Rows[Value]:
    """The ratings of a file, or its rankings; documents without a rating are counted."""
    tool = _find_tool(source)
    if tool is not None:
        return build(load_whole(source), source.name, kind, tool)
    if is_letor(source):
        return _read_letor(source, kind)
    return _read_quepid(source, kind, columns)


def build(whole: Any, name: str, kind: Kind[Value], tool: Tool) -> Rows[Value]:
    """The ratings or the rankings of one tool's JSON."""
    if kind is RUN and not tool.is_ranking:
        problem = f"these are ratings ({tool.name}), without a ranking"
        raise Swapped(name, problem, "a run, such as the response of _rank_eval")
    problems: list[BadInput] = []
    read_query = partial(_read_query, tool=tool, problems=problems)
    queries = read_each(read_query, _iterate_queries(whole, name, tool), problems)
    if kind is QRELS:
        return _build_grades(queries, name, kind, tool, problems)
    rankings = [
        (query, dicts.fill_numbers([(doc, None) for doc, _ in hits], place, kind))
        for place, query, hits in queries
    ]
    failed, notes = whole.get("failures") if isinstance(whole, dict) else None, []
    if failed and isinstance(failed, dict):
        words = count_noun(len(failed), "search", "searches")
        notes = [f"{name}: {words} failed, without results: {list_columns([*failed])}"]
    return dicts.build_lists(name, rankings, kind, problems, notes)


def _build_grades(
    queries: Iterable[RatedQuery],
    name: str,
    kind: Kind[Value],
    tool: Tool,
    problems: list[BadInput],
) -> Rows[Value]:
    """The ratings of one tool's JSON; a query that comes twice must have the same ones."""
    by_query: dict[str, dict[str, float]] = {}
    unrated = 0
    for place, query, rated in queries:
        judged = _read_grades(place, rated, problems)
        if by_query.setdefault(query, judged) != judged:
            problem = f"query {quote(query)} comes twice, with other ratings"
            problems.append(Duplicated(place, problem, "each query once"))
        bare = {doc for doc, rating in rated if rating in (None, "")}
        unrated += len(bare - judged.keys())
    with_ratings = {query: judged for query, judged in by_query.items() if judged}
    empty = len(by_query) - len(with_ratings)
    notes = _list_notes(name, unrated, empty, only_retrieved=tool.is_ranking)
    rows = dicts.to_rows(NestedDict(with_ratings, name, notes), kind)
    return evolve(rows, mistakes=problems)


def _find_tool(source: Source) -> Tool | None:
    if not source.head.lstrip().startswith((b"{", b"[")):
        return None
    keys = {*re.findall(rb'"(\w+)"\s*:', source.head)}
    is_bare = source.head.lstrip().startswith(b"[") and keys >= _BARE_KEYS
    return next((tool for tool in _TOOLS if keys >= tool.marks), _BARE_LIST if is_bare else None)


def _iterate_queries(value: Any, name: str, tool: Tool) -> Iterator[tuple[str, str, Node]]:
    """Where each query stands, the key of its text in a template, and its object."""
    if isinstance(value, list):  # of several such objects, as a search returns them
        for number, part in enumerate(value):
            yield from _iterate_queries(part, f"{name}[{number}]", tool)
        return
    placeholder = value.get("query_placeholder", "$query") if isinstance(value, dict) else ""
    for place, node in _descend(value, tool, tool.levels, name):
        yield place, str(placeholder), node


def _read_query(
    place: str, placeholder: str, node: dict[str, Any], tool: Tool, problems: list[BadInput]
) -> RatedQuery:
    """Where a query stands, its text or id, and its documents with their ratings."""
    query = _find_key(node, tool.query)
    if isinstance(query, dict):  # what RRE puts into a template
        query = query.get(placeholder)
    if not is_id(query):
        problem = f"there is no {' or '.join(tool.query)}; known: {list_columns([*node])}"
        raise BadInput(place, problem, f"the text or id of a query, as in {tool.name}")
    ratings = _iterate_ratings(node.get(tool.ratings) or {}, place)
    return place, str(query), [*read_each(lambda *rating: rating, ratings, problems)]


def _descend(
    node: Any, tool: Tool, levels: tuple[str, ...], place: str
) -> Iterator[tuple[str, Node]]:
    """The objects of the last level, each with the nearest ratings above if it has none."""
    if not isinstance(node, dict):
        yield place, BadInput(place, f"{quote(node)} is not an object", "an object")
        return
    if not levels:
        yield place, node
        return
    level, rest = levels[0], levels[1:]
    inner = node.get(level, node if rest else None)
    if inner is node:  # no topics, groups or envelope
        parts = [(place, inner)]
    elif isinstance(inner, list):
        parts = [(f"{place}, {level}[{number}]", part) for number, part in enumerate(inner)]
    elif isinstance(inner, dict) and rest:
        parts = [(place, inner)]
    elif isinstance(inner, dict):  # queries by their ids
        parts = [
            (
                f"{place}, {level}[{quote(name)}]",
                {"id": name, **part} if isinstance(part, dict) else part,
            )
            for name, part in inner.items()
        ]
    else:
        yield place, BadInput(place, f"{level} is {quote(inner)}", "a list of objects")
        return
    shared = {tool.ratings: node[tool.ratings]} if tool.ratings in node else {}
    for part_place, part in parts:
        own = {**shared, **part} if isinstance(part, dict) else part
        yield from _descend(own, tool, rest, part_place)


def _iterate_ratings(ratings: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Rated documents, from {doc: 3}, {doc: {"gain": 3}}, {3: [doc, …]} or a list of objects."""
    if not isinstance(ratings, (dict, list)):
        raise BadInput(place, f"{quote(ratings)} are not ratings", "an object or a list")
    pairs = ratings.items() if isinstance(ratings, dict) else enumerate(ratings)
    for key, value in pairs:
        if isinstance(value, list):
            yield from ((str(doc), key) for doc in value)
        elif isinstance(ratings, dict):
            yield str(key), _find_key(value, _GRADES) if isinstance(value, dict) else value
        else:
            hit = value.get("hit", value) if isinstance(value, dict) else None
            doc = find_id(hit) if isinstance(hit, dict) else None
            if doc is None:
                yield "", BadInput(place, f"{quote(value)} has no id", "an id for each document")
            else:
                yield str(doc), _find_key(value, _GRADES)


def _find_key(node: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((node[key] for key in keys if key in node), None)


def _read_grades(
    place: str, ratings: Iterable[tuple[str, Any]], problems: list[BadInput]
) -> dict[str, float]:
    """The documents that have a rating, as a number or a text of one."""
    judged: dict[str, float] = {}

    def read_grade(doc: str, rating: Any) -> None:
        if rating is None or rating == "":
            return
        is_text = isinstance(rating, str) and _NUMBER.fullmatch(rating.strip()) is not None
        grade = parse_number(float(rating) if is_text else rating, place, "ratings", doc, "rating")
        if judged.setdefault(doc, grade) != grade:
            problem = f"document {quote(doc)} is rated {judged[doc]:g} and {grade:g}"
            raise Duplicated(place, problem, "one rating for each query and document")

    deque(read_each(read_grade, ratings, problems), maxlen=0)
    return judged


def _list_notes(name: str, unrated: int, empty: int, *, only_retrieved: bool) -> list[str]:
    documents = count_noun(unrated, "document has", "documents have")
    queries = count_noun(empty, "query has", "queries have")
    return [
        *([_ONLY_RETRIEVED.format(name)] if only_retrieved else []),
        *([f"{name}: {documents} no rating: unjudged"] if unrated else []),
        *([f"{name}: {queries} no rating at all: left out"] if empty else []),
    ]


def is_letor(source: Source) -> bool:
    """Are its lines those of LETOR and SVMlight: a grade, qid:QUERY, features?"""
    return re.match(r"\S+\s+qid:\S", source.first_line()) is not None


def _read_letor(source: Source, kind: Kind[Value]) -> Rows[Value]:
    """The grades of a file to learn from, in which a comment names each document."""
    if kind is RUN:
        raise kind.describe_swap(source.name, "a grade, qid:QUERY and features a line", "a run")
    rows, numbers = [], []
    problems: list[BadInput] = []
    for number, line in enumerate(source.read_bytes().decode(errors="replace").split("\n"), 1):
        if not line.strip():
            continue
        match = _LETOR.match(line)
        if match is None:
            expected = "grade qid:QUERY features # DOCUMENT, or # docid = DOCUMENT"
            problem = f"{quote(line[:60])} names no document"
            problems.append(BadInput(f"{source.name}:{number}", problem, expected))
        else:
            rows.append((match[2], match[3], float(match[1])))
            numbers.append(number)
    schema = {"query": pl.String, "doc": pl.String, "grade": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return Rows(kind, source.name, frame, lambda row: f"{source.name}:{numbers[row]}", problems)


def _find_quepid_columns(source: Source) -> dict[str, str]:
    """Which columns are what, if a CSV file has the header of one of Quepid's exports."""
    header = [name.strip('"') for name in source.first_line().split(",")]
    names = {normalise_name(name): name for name in reversed(header)}
    roles = _QUEPID_EXPORTS.get(normalise_name(header[0]), {})
    known = "case_id" in names or header == [*roles.values()]  # else anybody's table of queries
    if not known or not names.keys() >= {*roles.values()}:
        return {}
    return {role: names[name] for role, name in roles.items()}


def _read_quepid(source: Source, kind: Kind[Value], columns: ColumnMapping) -> Rows[Value]:
    roles = _find_quepid_columns(source)
    number = "grade" if kind is QRELS else "rank"
    if number not in roles:
        problem, expected = _QUEPID_LACKS[number]
        raise Swapped(source.name, problem, f"{expected}, or a case of Quepid with its details")
    table = named_columns.read_table(source, "csv")
    columns.find_renames(table.frame.columns, kind.roles, source.name)  # which it has not
    frame = table.frame.select(pl.col(roles[role]).alias(role) for role in ("query", "doc", number))
    has_number = frame[number].fill_null("").str.strip_chars() != ""
    rows, bare = has_number.arg_true(), frame.filter(~has_number)
    kept = evolve(
        table, frame=frame.filter(has_number), locate=lambda row: table.locate(int(rows[row]))
    )
    read = named_columns.extract_rows(kept, kind)
    empty_queries = {*bare["query"].drop_nulls()} - {*kept.frame["query"]}
    if kind is RUN:
        return evolve(read, fields={**read.fields, "empty_queries": empty_queries})
    unrated = int((bare["doc"].fill_null("") != "").sum())
    notes = _list_notes(source.name, unrated, len(empty_queries), only_retrieved="rank" in roles)
    return evolve(read, notes=notes)
