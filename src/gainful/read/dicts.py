"""Dicts: {query: {document: number}}, and lists of documents in their place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set as AbstractSet
from functools import partial
from itertools import pairwise
from typing import Any

import polars as pl

from gainful.errors import BadInput, Duplicated
from gainful.read.column_names import USUAL_NAMES, ColumnMapping
from gainful.read.qrels_and_run import QRELS, RUN, Kind, NestedDict, Rows, Value, read_each
from gainful.read.search_results import (
    IDS,
    NO_DOC,
    DocNumbers,
    ResultPaths,
    as_list,
    parse_number,
    read_entries,
)
from gainful.text import count_noun, name_id_kind, quote

RISING_SCORES = (
    "scores rise down every list, and the highest counts as best: if these are distances, pass "
    "the documents alone, in rank order"
)

DocScores = list[tuple[Any, float]]  # documents with their scores


def read_dict(
    mapping: Mapping[Any, Any],
    name: str,
    kind: Kind[Value],
    columns: ColumnMapping = USUAL_NAMES,
) -> NestedDict | Rows[Value]:
    """Judgments or a run as a dict of dicts; what is a list instead is of documents.

    In judgments such documents have grade 1, in a run they are in rank order, and may repeat.
    """
    for inner in mapping.values():
        if type(inner) is not dict and not isinstance(inner, Mapping):  # the first is faster
            return _read_lists(mapping, name, kind, columns)
    return _check_queries(NestedDict(mapping, name), kind)


def to_frame(nested: NestedDict, kind: Kind[Any]) -> pl.DataFrame:
    """Dicts of judgments or of a run as columns."""
    rows = to_rows(nested, kind)
    if rows.mistakes:
        rows.build()
    return rows.frame


def to_rows(nested: NestedDict, kind: Kind[Value]) -> Rows[Value]:
    """Dicts of judgments or of a run as rows."""
    rows: list[tuple[str, str, float]] = []
    problems: list[BadInput] = []
    name, number = nested.name, kind.number
    for query, inner in nested.mapping.items():
        pairs = check_numbers(inner, name, query, kind, problems)
        rows += ((str(query), str(doc), value) for doc, value in pairs)
    empty_queries = tuple(str(query) for query, inner in nested.mapping.items() if not inner)
    fields = {"empty_queries": empty_queries, "list_count": nested.list_count}
    frame, locate = _build_frame(rows, number, name), partial("{}, row {}".format, name)
    return Rows(kind, name, frame, locate, problems, notes=nested.notes, fields=fields)


def list_entries(value: Any, place: str, kind: Kind[Any], expected: str) -> list[Any]:
    """The documents of a list; a set has no order, which a run needs."""
    unordered = kind is RUN and isinstance(value, AbstractSet)
    entries = None if unordered else as_list(value)
    if entries is None:
        what = "a set, which has no order" if unordered else "not a list of documents"
        raise BadInput(place, f"{quote(value)} is {what}", expected)
    return entries


def fill_numbers(pairs: DocNumbers, place: str, kind: Kind[Any]) -> DocScores:
    """Documents with their numbers; without scores, each scores below the one before.

    In judgments no document may stand twice.
    """
    if kind is QRELS and len({doc for doc, _ in pairs}) < len(pairs):
        raise Duplicated(place, "it lists a document twice", "each document once")
    numbers = [(doc, kind.default if value is None else value) for doc, value in pairs]
    known = [(doc, value) for doc, value in numbers if value is not None]
    if len(known) == len(pairs):
        return known
    return [(doc, -float(rank)) for rank, (doc, _) in enumerate(pairs, start=1)]


def note_scores(rankings: Sequence[DocNumbers]) -> list[str]:
    """What is to be said of lists in which some documents lack a score, or the last scores best."""
    lacks = ([score is None for _, score in pairs] for pairs in rankings)
    partial = sum(len(set(each)) > 1 for each in lacks)
    lists = count_noun(partial, "list has scores", "lists have scores")
    notes = [f"{lists} for some of the documents only: the order of these lists counts"]
    notes, is_rising = notes if partial else [], False
    for pairs in rankings:
        scores = [score for _, score in pairs if score is not None]
        if any(later < score for score, later in pairwise(scores)):
            return notes
        is_rising |= len(set(scores)) > 1
    return [RISING_SCORES, *notes] if is_rising else notes


def check_numbers(
    by_doc: Mapping[Any, Any], name: str, query: object, kind: Kind[Any], problems: list[BadInput]
) -> DocScores:
    """Documents with the numbers they have; what is wrong with some is added to the problems."""

    def read_number(doc: Any, value: Any) -> tuple[Any, float]:
        if doc == "":
            raise BadInput(f"{name}[{quote(query)}]", NO_DOC, IDS)
        return doc, parse_number(value, name, query, doc, kind.number)

    return list(read_each(read_number, by_doc.items(), problems))


def build_lists(
    name: str,
    lists: Sequence[tuple[Any, DocScores]],
    kind: Kind[Value],
    problems: Sequence[BadInput],
    notes: Sequence[str] = (),
    **fields: Any,
) -> Rows[Value]:
    """Rows of documents with numbers; in a run, one may stand twice in a list."""
    rows = [(str(query), str(doc), number) for query, pairs in lists for doc, number in pairs]
    places = [place for _, pairs in lists for place in range(1, len(pairs) + 1)]
    fields["empty_queries"] = tuple(str(query) for query, pairs in lists if not pairs)
    frame, locate = _build_frame(rows, kind.number, name), locate_in_lists(name, places, kind)
    return Rows(kind, name, frame, locate, problems, notes=notes, fields=fields)


def locate_in_lists(
    name: str, places: Sequence[int] | pl.Series, kind: Kind[Any]
) -> Callable[[int], str]:
    """Where rows of lists stand: a document of a run by its place in its list."""
    return lambda row: f"{name}, row {row}" if kind is QRELS else f"place {places[row]}"


def _read_lists(
    mapping: Mapping[Any, Any], name: str, kind: Kind[Value], columns: ColumnMapping
) -> NestedDict | Rows[Value]:
    """Lists as dicts with numbers, unless a run has duplicate documents or a list is not sound."""
    scored_lists: list[DocNumbers] = []
    problems: list[BadInput] = []
    paths = ResultPaths(columns)

    def read_list(query: object, inner: Any) -> tuple[object, DocScores]:
        if isinstance(inner, Mapping):
            return query, check_numbers(inner, name, query, kind, problems)
        place = f"{name}[{quote(query)}]"
        entries = list_entries(inner, place, kind, kind.shapes)
        if paths.doc:
            is_found = any(isinstance(entry, Mapping) for entry in entries)
            columns.note_path("doc", kind.roles, place, is_found=is_found)
        scored_lists.append(read_entries(entries, name, query, kind.number, problems, paths=paths))
        return query, fill_numbers(scored_lists[-1], place, kind)

    lists = list(read_each(read_list, mapping.items(), problems))
    notes = note_scores(scored_lists) if kind is RUN else ()
    dicts = {query: dict(pairs) for query, pairs in lists}
    if problems or any(len(dicts[query]) < len(pairs) for query, pairs in lists):
        return build_lists(name, lists, kind, problems, notes)
    return _check_queries(NestedDict(dicts, name, notes), kind)


def _build_frame(rows: list[tuple[str, str, float]], number: str, name: str) -> pl.DataFrame:
    schema = {"query": pl.String, "doc": pl.String, number: pl.Float64}
    try:
        return pl.DataFrame(rows, schema=schema, orient="row")
    except UnicodeEncodeError:
        raise BadInput(name, "an id is not Unicode text") from None


def _check_queries(nested: NestedDict, kind: Kind[Any]) -> NestedDict:
    """There is something in it, no id is empty, and queries are of one kind."""
    mapping = nested.mapping
    if not (any(mapping.values()) if kind is QRELS else mapping):
        problem = f"there is no {'judgment' if kind is QRELS else 'query'} in it"
        raise BadInput(nested.name, problem, kind.shapes)
    kinds = sorted({*map(name_id_kind, {*map(type, mapping)})}, reverse=True)
    if len(kinds) > 1:
        problem = f"some queries are {kinds[0]} and some are {kinds[1]}"
        raise BadInput(nested.name, problem, "one kind")
    if "" in mapping:
        raise BadInput(f"{nested.name}['']", "there is no query", IDS)
    for query, inner in mapping.items():
        if "" in inner:
            raise BadInput(f"{nested.name}[{quote(query)}]", NO_DOC, IDS)
    return nested
