"""Ratings that search teams keep in their tools → judgments, and a run where rankings are in it.

OpenSearch's Search Relevance Workbench, Quepid, the Rated Ranking Evaluator (RRE) and `_rank_eval`
of Elasticsearch and OpenSearch all have a list of queries, each with rated documents. One table
says under which keys; a query is known by its text, or by the id that `_rank_eval` asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput, Duplicated, Swapped
from gainful.read import dicts, named_columns
from gainful.read.column_names import USUAL_NAMES, ColumnMapping, list_columns, normalise_name
from gainful.read.json_records import load_whole
from gainful.read.qrels_and_run import QRELS, RUN, Kind, NestedDict, Qrels, Run, Value
from gainful.read.search_results import is_id, parse_number
from gainful.read.source import Source
from gainful.text import NUMBER_PATTERN, count_noun, quote

_NUMBER = re.compile(NUMBER_PATTERN, re.ASCII)
_LETOR = re.compile(
    rf"\s*({NUMBER_PATTERN})\s+qid:(\S+)\s[^#]*#\s*(?:docid\s*=\s*)?(\S+)", re.ASCII
)
_DOC_KEYS = ("docId", "doc_id", "_id")
_GRADE_KEYS = ("rating", "gain")
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
            try:
                _, query = next(_descend(dict(value), tool, tool.levels, ""))
            except (BadInput, StopIteration):
                continue
            if tool.ratings in query and any(key in query for key in tool.query):
                return tool
    return None


def read(source: Source, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES) -> Value:
    """The ratings of a file, or its rankings; documents without a rating are counted."""
    tool = _find_tool(source)
    if tool is not None:
        return build(load_whole(source), source.name, kind, tool)
    if is_letor(source):
        value: Any = _read_letor(source, kind)
    else:
        value = _read_quepid(source, kind, columns)
    return cast(Value, value)


def build(whole: Any, name: str, kind: Kind[Value], tool: Tool) -> Value:
    """The ratings or the rankings of one tool's JSON."""
    value: Any = (_build_qrels if kind is QRELS else _build_run)(whole, name, tool)
    return cast(Value, value)


def _build_qrels(value: Any, name: str, tool: Tool) -> Qrels:
    """The ratings of one tool's JSON; a query that comes twice must have the same ones."""
    by_query: dict[str, dict[str, float]] = {}
    unrated = 0
    for place, query, rated in _iterate_queries(value, name, tool):
        judged = _read_grades(place, rated)
        if by_query.setdefault(query, judged) != judged:
            problem = f"query {quote(query)} comes twice, with other ratings"
            raise Duplicated(place, problem, "each query once")
        unrated += len({doc for doc, _ in rated} - judged.keys())
    with_ratings = {query: judged for query, judged in by_query.items() if judged}
    empty = len(by_query) - len(with_ratings)
    notes = _list_notes(name, unrated, empty, only_retrieved=tool.is_ranking)
    return dicts.to_columns(NestedDict(with_ratings, name, notes), QRELS)


def _build_run(value: Any, name: str, tool: Tool) -> Run:
    if not tool.is_ranking:
        problem = f"these are ratings ({tool.name}), without a ranking"
        raise Swapped(name, problem, "a run, such as the response of _rank_eval")
    rankings = [
        (query, dicts.fill_numbers([(doc, None) for doc, _ in hits], RUN))
        for _, query, hits in _iterate_queries(value, name, tool)
    ]
    failed, notes = value.get("failures") if isinstance(value, dict) else None, []
    if failed and isinstance(failed, dict):
        words = count_noun(len(failed), "search", "searches")
        notes = [f"{name}: {words} failed, without results: {list_columns([*failed])}"]
    return dicts.build_lists(name, rankings, RUN, notes)


def _find_tool(source: Source) -> Tool | None:
    if not source.head.lstrip().startswith((b"{", b"[")):
        return None
    keys = {*re.findall(rb'"(\w+)"\s*:', source.head)}
    return next((tool for tool in _TOOLS if keys >= tool.marks), None)


def _iterate_queries(
    value: Any, name: str, tool: Tool
) -> Iterator[tuple[str, str, list[tuple[str, Any]]]]:
    """Where each query stands, its text or id, and its documents with their ratings."""
    if isinstance(value, list):  # of several such objects, as a search returns them
        for number, part in enumerate(value):
            yield from _iterate_queries(part, f"{name}[{number}]", tool)
        return
    whole = _as_object(value, name)
    placeholder = str(whole.get("query_placeholder", "$query"))  # of RRE
    for place, node in _descend(whole, tool, tool.levels, name):
        query = _find_key(node, tool.query)
        if isinstance(query, dict):  # what RRE puts into a template
            query = query.get(placeholder)
        if not is_id(query):
            problem = f"there is no {' or '.join(tool.query)}; known: {list_columns([*node])}"
            raise BadInput(place, problem, f"the text or id of a query, as in {tool.name}")
        yield place, str(query), [*_iterate_ratings(node.get(tool.ratings) or {}, place)]


def _descend(
    node: dict[str, Any], tool: Tool, levels: tuple[str, ...], place: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of the last level, each with the nearest ratings above if it has none."""
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
        named = {name: {"id": name, **_as_object(part, place)} for name, part in inner.items()}
        parts = [(f"{place}, {level}[{quote(name)}]", part) for name, part in named.items()]
    else:
        raise BadInput(place, f"{level} is {quote(inner)}", "a list of objects")
    shared = {tool.ratings: node[tool.ratings]} if tool.ratings in node else {}
    for part_place, part in parts:
        own = {**shared, **_as_object(part, part_place)}
        yield from _descend(own, tool, rest, part_place)


def _as_object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(place, f"{quote(value)} is not an object", "an object")
    return value


def _iterate_ratings(ratings: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Rated documents, from {doc: 3}, {doc: {"gain": 3}}, {3: [doc, …]} or a list of objects."""
    if not isinstance(ratings, (dict, list)):
        raise BadInput(place, f"{quote(ratings)} are not ratings", "an object or a list")
    pairs = ratings.items() if isinstance(ratings, dict) else enumerate(ratings)
    for key, value in pairs:
        if isinstance(value, list):
            yield from ((str(doc), key) for doc in value)
        elif isinstance(ratings, dict):
            yield str(key), _find_key(value, _GRADE_KEYS) if isinstance(value, dict) else value
        else:
            hit = value.get("hit", value) if isinstance(value, dict) else None
            doc = _find_key(hit, _DOC_KEYS) if isinstance(hit, dict) else None
            if not is_id(doc):
                problem = f"{quote(value)} has no document"
                raise BadInput(place, problem, f"one of {', '.join(_DOC_KEYS)}")
            yield str(doc), _find_key(value, _GRADE_KEYS)


def _find_key(node: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((node[key] for key in keys if key in node), None)


def _read_grades(place: str, ratings: Iterable[tuple[str, Any]]) -> dict[str, float]:
    """The documents that have a rating, as a number or a text of one."""
    judged: dict[str, float] = {}
    for doc, rating in ratings:
        if rating is None or rating == "":
            continue
        is_text = isinstance(rating, str) and _NUMBER.fullmatch(rating.strip()) is not None
        grade = parse_number(float(rating) if is_text else rating, place, "ratings", doc, "rating")
        if judged.setdefault(doc, grade) != grade:
            problem = f"document {quote(doc)} is rated {judged[doc]:g} and {grade:g}"
            raise Duplicated(place, problem, "one rating for each query and document")
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


def _read_letor(source: Source, kind: Kind[Any]) -> Qrels:
    """The grades of a file to learn from, in which a comment names each document."""
    if kind is RUN:
        raise kind.describe_swap(source.name, "a grade, qid:QUERY and features a line", "a run")
    rows, numbers = [], []
    for number, line in enumerate(source.read_bytes().decode(errors="replace").split("\n"), 1):
        if not line.strip():
            continue
        match = _LETOR.match(line)
        if match is None:
            expected = "grade qid:QUERY features # DOCUMENT, or # docid = DOCUMENT"
            problem = f"{quote(line[:60])} names no document"
            raise BadInput(f"{source.name}:{number}", problem, expected)
        rows.append((match[2], match[3], float(match[1])))
        numbers.append(number)
    schema = {"query": pl.String, "doc": pl.String, "grade": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return Qrels(frame, source.name, lambda row: f"{source.name}:{numbers[row]}")


def _find_quepid_columns(source: Source) -> dict[str, str]:
    """Which columns are what, if a CSV file has the header of one of Quepid's exports."""
    header = [name.strip('"') for name in source.first_line().split(",")]
    names = {normalise_name(name): name for name in reversed(header)}
    roles = _QUEPID_EXPORTS.get(normalise_name(header[0]), {})
    known = "case_id" in names or header == [*roles.values()]  # else anybody's table of queries
    if not known or not names.keys() >= {*roles.values()}:
        return {}
    return {role: names[name] for role, name in roles.items()}


def _read_quepid(source: Source, kind: Kind[Any], columns: ColumnMapping) -> Any:
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
    value = named_columns.extract_rows(kept, kind).build()
    silent = {*bare["query"].drop_nulls()} - {*kept.frame["query"]}
    if kind is RUN:
        return evolve(value, silent=frozenset(silent))
    unrated = int((bare["doc"].fill_null("") != "").sum())
    notes = _list_notes(source.name, unrated, len(silent), only_retrieved="rank" in roles)
    return evolve(value, notes=notes)
