"""What is in memory → judgments or a run: dicts, frames, engines, and lists of many shapes.

What a list is shows in its first entry. A tuple is a row (query, document, number), a list is the
ranking of one query; an ambiguous entry is refused with both readings, and nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from typing import Any, Literal

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, NoColumn, Swapped, WrongType
from gainful.forks import refuse_lost_threads
from gainful.read import dicts, json_records, named_columns, rag, ratings
from gainful.read.column_names import (
    DOC,
    DOC_LISTS,
    GRADE,
    KNOWN_COLUMNS,
    LIST_COLUMNS,
    QUERY,
    RELEVANT,
    RETRIEVED,
    SESSION,
    TURN,
    USUAL_NAMES,
    ColumnMapping,
    find_list_kinds,
    is_wide,
    list_columns,
    normalise_name,
)
from gainful.read.engines import find_engine
from gainful.read.frames import (
    as_polars,
    is_frame,
    is_wrapped,
    open_response,
    reset_ids,
    unwrap,
)
from gainful.read.json_text import find_rows, list_cells, list_searches
from gainful.read.named_columns import InputTable
from gainful.read.path_finder import find_first
from gainful.read.qrels_and_run import (
    GRADES_AND_SCORES,
    QRELS,
    RUN,
    Kind,
    LazyRun,
    NestedDict,
    Rows,
    Run,
    Value,
)
from gainful.read.search_results import (
    LIST_PATHS,
    as_list,
    describe_unread,
    find_list,
    has_id,
    is_id,
)
from gainful.read.source import Source, is_path
from gainful.text import NUMBER_PATTERN, quote

Shape = Literal["records", "rows", "lists", "rag"]
_BESIDE_IDS = frozenset(("distances", "metadatas"))  # in an answer of Chroma
_MARKS = frozenset(("responseHeader", "root", *_BESIDE_IDS))  # of answers
_ANSWER_KEYS = frozenset(("Get", *(path.partition(".")[0] for path in LIST_PATHS)))
_NUMBER = f"{NUMBER_PATTERN}|nan|-?inf|None"  # or what stands for one that is missing
_QUERIES = LIST_COLUMNS["query"].names
_WRAPPERS = frozenset(  # names of the one list that a file of some tool holds
    ("runs", "observations", "traces", "spans", "events", "sessions", "logs", "records", "rows")
)
_FOR_SESSIONS = "logs and traces are for gainful sessions"
_BY_QUERY = "{query: […]}, or [[…], …] with a list for each query"


def is_sequence(value: object) -> bool:
    """Is it a list of whatever make, and no text, frame or mapping?"""
    if isinstance(value, (str, bytes, Mapping)) or is_frame(value):
        return False
    return isinstance(value, Sequence) or _as_rows(value) is not None


def read_mapping(
    by_query: Mapping[Any, Any], name: str, kind: Kind[Value], columns: ColumnMapping
) -> NestedDict | Rows[Value]:
    """Judgments or a run from a dict by query, of documents or of RAG records."""
    tool = ratings.recognise(by_query)
    if tool is not None:
        return ratings.build(by_query, name, kind, tool)
    batch = _find_batch(by_query) if kind is RUN else None
    rows = batch or split_columns(by_query, name, columns)
    if rows is not None:
        return read_sequence(rows, name, kind, columns)
    records = rag.find_records(by_query, name, columns)
    if records is None and not _has_scores(by_query):
        if _is_answer(by_query):
            problem = "this looks like the response to one search, but to which query? its keys"
            expected = f"{{query: answer, …}}; or lines {rag.EXPECTED}; {_FOR_SESSIONS}"
            raise BadInput(name, f"{problem}: {list_columns([*by_query])}", expected)
        records = rag.list_answers(by_query, name) if kind is RUN else None
    if records is None:
        read = dicts.read_dict(by_query, name, kind, columns)
        lists = [each for each in by_query.values() if isinstance(each, list)]
        has_others = any(isinstance(each, Mapping) for each in by_query.values())
        is_mixed = has_others and any(map(are_records, lists))  # of an API, with its meta
        if is_mixed and isinstance(read, NestedDict):
            raise BadInput(name, *_describe_unknown(by_query, kind))
        return read
    return rag.read_records(name, records, kind, columns)


def _has_scores(by_query: Mapping[Any, Any]) -> bool:
    """Has its first query documents with numbers?"""
    first = next(iter(by_query.values()), None)
    return (
        isinstance(first, Mapping)
        and not any(issubclass(kind, (Mapping, list, str)) for kind in {*map(type, first.values())})
        and describe_unread(first) is None  # its hits may be null
        and by_query.keys().isdisjoint(_MARKS)
    )


def _find_batch(value: Mapping[Any, Any]) -> list[Any] | None:
    """The answers to several searches that came together, or the ids that they found."""
    if (searches := list_searches(value)) is not None:
        return searches
    key = "ids" if not _BESIDE_IDS.isdisjoint(value) else "responses"
    answers = value.get(key)
    is_batch = isinstance(answers, list) and answers and all(map(_is_nested, answers))
    return answers if is_batch else None


def _are_answers(entries: list[Any], columns: ColumnMapping) -> bool:
    """Is it a list with the answer of a search engine to each query, which it does not tell?"""
    first: Any = open_response(next(iter(entries), None))
    is_answer = _is_answer(first) and not rag.record_kinds(first, columns)
    return is_answer and not _has_name(first, _QUERIES)


def _is_answer(value: object) -> bool:
    """Is it what a search engine answered, and no dict of documents by query?"""
    value = open_response(value)
    if not isinstance(value, Mapping) or value.keys().isdisjoint(_ANSWER_KEYS):
        return False
    entries = find_list(dict(value))
    if entries is None:
        return False
    is_filtered = isinstance(find_first(dict(value), ("hits.hits", "response.docs")), list)
    is_nested = isinstance(find_first(dict(value), ("data", "Get")), Mapping)
    if is_filtered or is_nested or not _MARKS.isdisjoint(value):  # of all but the hits
        return True
    has_more = not all(map(_is_nested, value.values()))
    is_one = sum(isinstance(each, list) and bool(each) for each in value.values()) == 1
    are_documents = any(isinstance(each, Mapping) or has_id(each) for each in entries)
    return has_more or value.get("hits") == [] or (is_one and are_documents)


def _is_nested(value: object) -> bool:
    return isinstance(value, (Mapping, list))


def read_sequence(
    value: Any, name: str, kind: Kind[Value], columns: ColumnMapping
) -> NestedDict | Rows[Value]:
    """Judgments or a run from a list, by what its first entry is."""
    entries = _as_rows(value) or []
    if kind is RUN and _are_answers(entries, columns):
        by_place = enumerate(entries)
        records = ((f"{name}[{at}]", {"id": at, "retrieved": each}) for at, each in by_place)
        return _count_lists(rag.read_records(name, records, kind, columns), len(entries))
    shape = _find_shape(entries, name, columns, kind.number)
    if shape == "rag":
        if isinstance(entries[0], Mapping):
            header = named_columns.Header([*map(str, entries[0])], name)
            named_columns.refuse_event_lists(header, kind)
        return rag.read_records(name, _number_records(entries, name), kind, columns)
    if shape == "lists":
        read = dicts.read_dict(dict(enumerate(entries)), name, kind, columns)
        return _count_lists(read, len(entries))
    table = _build_table(entries, shape, name, kind.number)
    return named_columns.extract(table, kind, columns)


def _count_lists(read: NestedDict | Rows[Value], list_count: int) -> NestedDict | Rows[Value]:
    """Lists in query order, whose queries have no names."""
    if isinstance(read, NestedDict):
        return evolve(read, list_count=list_count)
    return evolve(read, fields={**read.fields, "list_count": list_count})


def are_records(entries: Sequence[Any]) -> bool:
    """Are these dicts, as the rows of a table come out of a program?"""
    return bool(entries) and all(isinstance(entry, Mapping) for entry in entries)


def read_json(
    source: Source, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES
) -> Rows[Value]:
    """Judgments or a run from a file with one object {query: {document: number}}, or one list."""
    value, name = json_records.load_whole(source), source.name
    if isinstance(value, list):
        _refuse_unknown_rows(value, name, kind)
    elif not isinstance(value, dict):
        shown = value if isinstance(value, str) else json.dumps(value)
        problem = f"this is JSON, but {quote(shown)} is not an object"
        raise BadInput(name, problem, "{query: {document: number}}")
    elif len(value) == 1 and all(
        key in _WRAPPERS and isinstance(entries, list) and are_records(entries)
        for key, entries in value.items()
    ):
        raise BadInput(name, *_describe_unknown(value, kind))
    read_any = read_sequence if isinstance(value, list) else read_mapping
    try:
        read = read_any(value, name, kind, columns)
        rows = dicts.to_rows(read, kind) if isinstance(read, NestedDict) else read
    except BadInput as failure:
        _refuse_unknown(value, name, kind, failure)
        raise
    if rows.mistakes:
        _refuse_unknown(value, name, kind, rows.list_problems(1)[0])
    return rows


def _refuse_unknown_rows(entries: list[Any], name: str, kind: Kind[Any]) -> None:
    """Objects with the same fields, no more than there are objects, are rows and no queries."""
    first = entries[0] if len(entries) > 1 else None
    if not isinstance(first, dict) or not 0 < len(first) <= len(entries):
        return
    alike = all(isinstance(entry, dict) and entry.keys() == first.keys() for entry in entries)
    if alike and all(isinstance(value, Real) for value in first.values()):
        keys = list_columns([*first])
        problem = f"all objects have the keys {keys}: is each a document, or a column?"
        allowed = f"{{query: {{document: {kind.number}}}}}; or rows with query, doc and"
        raise BadInput(name, problem, f"{allowed} {kind.number}")


def _refuse_unknown(
    value: Mapping[str, Any] | list[Any], name: str, kind: Kind[Any], failure: BadInput
) -> None:
    """An object in which few values can be the documents of a query is probably another thing."""
    if isinstance(value, list) or not failure.where.startswith(f"{name}["):
        return
    likely = 0
    for inner in value.values():
        texts = [*map(str, inner.values())] if isinstance(inner, dict) else []
        numbers = [text for text in texts if re.fullmatch(_NUMBER, text)]
        has_number = bool(numbers) and 2 * len(numbers) >= len(texts)
        is_list = isinstance(inner, list) and not are_records(inner)
        is_answer = kind is RUN and isinstance(inner, dict) and find_list(inner) is not None
        is_failure = kind is RUN and describe_unread(inner) is not None  # of the search
        likely += is_list or has_number or is_answer or is_failure
    are_dicts = all(isinstance(inner, dict) for inner in value.values())
    is_unlikely = 2 * likely < len(value) if are_dicts else 2 * likely <= len(value)
    if (unread := describe_unread(value)) is not None:
        raise BadInput(name, unread.problem, unread.expected)
    if is_unlikely:
        problem, expected = _describe_unknown(value, kind)
        raise BadInput(failure.where, f"{failure.problem}: {problem}", expected)


def _describe_unknown(value: Mapping[Any, Any], kind: Kind[Any]) -> tuple[str, str]:
    keys = list_columns([*value])
    problem = f"this JSON is not a known format of {kind.name}; its keys are {keys}"
    return problem, f"{kind.shapes}; {_FOR_SESSIONS}"


_ALLOWED = (
    "a path, a dict by query, a frame (polars, pandas, Arrow, Spark, a relation of DuckDB), or a "
    "list: of records, of rows (query, document, {}), or of rankings in query order"
)


def read_value(
    value: Any, name: str, kind: Kind[Value], columns: ColumnMapping
) -> Rows[Value] | NestedDict | LazyRun:
    """The rows of a dict, a list, a frame or an engine, with all that is wrong with them.

    A run in an engine stays there; the numbers of dicts are checked by `to_rows`.
    """
    value = unwrap(value, kind.number, name)
    if isinstance(value, Mapping):
        return read_mapping(value, name, kind, columns)
    if is_sequence(value):
        return read_sequence(value, name, kind, columns)
    refuse_lost_threads()
    engine = find_engine(value)
    if engine is None and not is_frame(value):
        raise WrongType(name, value, _ALLOWED.format(kind.number))
    if engine is not None and kind is RUN and not is_wide(_read_schema(value, name, columns)):
        from gainful.read.lazy import as_lazy_run  # noqa: PLC0415  (slow to load)

        return as_lazy_run(value, engine, name, columns=columns)
    frame = _read_frame(value, name, columns, grades=kind is QRELS)
    try:
        return named_columns.extract(named_columns.as_table(frame, name), kind, columns)
    except NoColumn:
        from gainful.read.session_events import are_session_columns  # noqa: PLC0415  (as above)

        if columns.names or not are_session_columns(frame.columns):
            raise
        problem = "these are sessions, not judgments or a run"
        raise Swapped(name, problem, "gainful.sessions.evaluate(sessions, qrels)") from None


def tells_both(value: Any, columns: ColumnMapping) -> bool:
    """Does it tell both what was retrieved and what is relevant? Lists it may be are refused."""
    value = unwrap(value, RUN.number, QRELS.name)
    if is_frame(value) or find_engine(value) is not None:
        if len(find_list_kinds(_read_schema(value, QRELS.name, columns), columns)) == 2:
            return True
        value = as_polars(value, QRELS.name).head(1).to_dicts() if is_frame(value) else None
    if isinstance(value, Mapping):
        tool = ratings.recognise(value)
        if tool is not None:
            return tool.is_ranking
        value = split_columns(value, "judgments", columns) or value
    if isinstance(value, Mapping) and rag.find_records(value, "", columns) is not None:
        value = [*value.values()]
    first = next(iter(_as_rows(value) or ()), None) if is_sequence(value) else None
    kinds = rag.record_kinds(first, columns)
    if len(kinds) < 2 and isinstance(first, Mapping):
        record = {str(key): inner for key, inner in first.items()}
        rag.refuse_unknown_lists("judgments", record, columns)
    return len(kinds) == 2


def _read_frame(
    value: Any, name: str, columns: ColumnMapping, *, grades: bool = False
) -> pl.DataFrame:
    """A frame in memory; what nobody needs of pandas' or an engine's is there in name only."""
    engine = find_engine(value)
    mapped = [normalise_name(column) for names in columns.names.values() for column in names]
    value = reset_ids(value, mapped) if engine is None else value
    own = getattr(value, "columns", ()) if engine is None else _read_schema(value, name, columns)
    header = named_columns.Header([*map(str, own)], name)
    names: set[str] | None = None
    if not grades or "grade" in columns.names or header.find_column(GRADE) is not None:
        names = {*KNOWN_COLUMNS, *SESSION, *TURN, *mapped}
    if engine is None:
        return as_polars(value, name, names)
    from gainful.read.lazy import collect_frame  # noqa: PLC0415  (slow to load)

    return collect_frame(value, engine, name, names)


def _read_schema(value: Any, name: str, columns: ColumnMapping) -> Mapping[str, Any]:
    engine = find_engine(value)
    if engine is None:
        return _read_frame(value, name, columns).schema
    from gainful.read.lazy import read_schema  # noqa: PLC0415  (slow to load)

    return read_schema(value, engine, name)


def holds_runs(value: object) -> bool:
    """Does it hold several runs, by name or in a list, and not one?

    Looked at is the first of them: a run is a path, a frame, a dict of rankings, a list of them; a
    ranking has numbers or ids in it.

    Examples:
        >>> holds_runs({"bm25": {"q1": {"a": 0.5}}}), holds_runs({"q1": {"a": 0.5}})
        (True, False)
        >>> holds_runs(["bm25.txt", "dense.txt"]), holds_runs([["a", "b"], ["c"]])
        (True, False)
    """
    if not isinstance(value, (Mapping, list, tuple)):
        return False
    entries = value.values() if isinstance(value, Mapping) else value
    first = next((inner for inner in entries if _is_filled(inner)), None)
    if isinstance(value, Mapping):
        if type(first) is dict and type(next(iter(first.values()))) in (float, int):
            return False  # documents with their scores, as most have them
        is_one = rag.find_records(value, "") is not None or ratings.recognise(value) is not None
        if is_one or _find_batch(value) or split_columns(value, "run"):
            return False
    elif isinstance(first, str):
        return is_path(first)
    elif value and rag.record_kinds(value[0]):
        return False
    return not _is_answer(first) and is_run(first)  # a list is a ranking, unless it holds such


def _is_filled(value: object) -> bool:
    return not isinstance(value, (Mapping, list, tuple)) or bool(value)


def is_run(value: object) -> bool:
    """Is it a whole run, to judge by the first thing in it?"""
    if isinstance(value, Mapping):
        inner = next((entry for entry in value.values() if _is_filled(entry)), None)
        return isinstance(inner, Mapping) or as_list(inner) is not None
    if isinstance(value, list):
        return _holds_rankings(value)
    is_known = isinstance(value, (str, PathLike, Run, NestedDict, LazyRun))
    return is_known or is_frame(value) or is_wrapped(value) or find_engine(value) is not None


def _holds_rankings(value: list[Any]) -> bool:
    """Is a list one of rankings or rows, and not itself a ranking of documents?"""
    first = next((entry for entry in value if _is_filled(entry)), None)
    if isinstance(first, Mapping):
        return bool(rag.record_kinds(first)) or (_has_name(first, QUERY) and _has_name(first, DOC))
    if isinstance(first, tuple):
        return len(first) > 2
    is_pair = isinstance(first, list) and len(first) == 2 and isinstance(first[1], Real)
    return as_list(first) is not None and not is_pair


def _as_rows(value: Any) -> list[Any] | None:
    if getattr(value, "ndim", 1) == 2 and callable(getattr(value, "tolist", None)):
        rows = value.tolist()
        return rows if isinstance(rows, list) else None
    return as_list(value)


def _find_shape(entries: list[Any], name: str, columns: ColumnMapping, number: str) -> Shape:
    """What a list of queries or rows is, by its first entry that is not empty."""
    first = next((entry for entry in entries if _is_filled(entry)), None)
    if first is None and [] in entries:  # queries without results
        return "lists"
    if first is None:
        raise BadInput(name, "it has no queries", _describe_shapes(number))
    if rag.record_kinds(first, columns):
        return "rag"
    if isinstance(first, Mapping):
        return _find_dict_shape(first, name, columns, number)
    if hasattr(first, "_fields"):  # a named tuple is a record
        return "records"
    inner = as_list(first)
    if inner is None:
        raise _refuse_flat(first, name, number)
    if isinstance(first, tuple):
        _check_row(first, name, number)
        return "rows"
    return _find_list_shape(inner, entries, name, number)


def _find_dict_shape(
    first: Mapping[Any, Any], name: str, columns: ColumnMapping, number: str
) -> Shape:
    """A row by its names, or documents with numbers, a dict for each query."""
    if any(as_list(first.get(key)) is not None for key in LIST_COLUMNS["doc"].names):
        return "rag"
    own = {str(key): value for key, value in first.items()}
    mapped = {name for names in columns.names.values() for name in names}
    if mapped & own.keys() or _has_name(first, KNOWN_COLUMNS):
        return "records"
    value = next(iter(first.values()))
    if isinstance(value, Real):
        return "lists"
    if isinstance(value, Mapping) or as_list(value) is not None:
        problem = "this is a list of several runs, each a dict by query"
        raise BadInput(name, problem, 'one run; several have names: runs={"bm25": …, "dense": …}')
    rag.refuse_unknown_lists(name, own, columns)
    names = f"query ({', '.join(QUERY[:5])}, …), document ({', '.join(DOC[:4])}, …), {number}"
    allowed = f'{names}; or columns={{"query": …}}'
    raise BadInput(f"{name}[0]", f"{quote(first)} has none of the usual names", allowed)


def _find_list_shape(inner: list[Any], entries: list[Any], name: str, number: str) -> Shape:
    """A ranking, unless its last entry can be no document; refused where it can be both."""
    if len(inner) == 3 and all(map(is_id, inner[:2])) and isinstance(inner[2], Real):
        whole = isinstance(inner[2], Integral)
        mixed = len({isinstance(entry, str) for entry in inner}) > 1
        if not whole or mixed:
            return "rows"
        if all(len(as_list(entry) or ()) == 3 for entry in entries):
            raise BadInput(
                name,
                f"{quote(inner)} can be a row (query, document, {number}), or three documents in "
                f"rank order, or three {number}s",
                f"rows as tuples, (query, document, {number}); rankings as {{query: […]}}; "
                f"{GRADES_AND_SCORES}",
            )
    _refuse_numbers(entries, name, number)
    return "lists"


def _refuse_numbers(entries: list[Any], name: str, number: str) -> None:
    """Lists of numbers that can be no ids: fractions, and judgments that name one twice."""
    for entry in entries:
        inner = as_list(entry) or []
        if not all(isinstance(value, Real) for value in inner):
            return
        repeated = number == "grade" and len({*inner}) < len(inner)
        if repeated or not all(map(is_id, inner)):
            problem = f"{quote(inner)}: {number}s, without their documents"
            raise BadInput(name, problem, f"{GRADES_AND_SCORES}; or {_BY_QUERY}")


def _check_row(first: tuple[Any, ...], name: str, number: str) -> None:
    """A tuple is a row of query, document and number; judgments may lack the last."""
    has_ids = len(first) > 1 and all(map(is_id, first[:2]))
    is_pair = len(first) == 2 and number == "grade"
    if has_ids and (len(first) == 3 or (is_pair and len({*map(type, first)}) == 1)):
        return
    problem = f"{quote(first)} is not a row (query, document, {number})"
    allowed = f"such rows; {{query: [(document, {number}), …]}}; or {_BY_QUERY}"
    raise BadInput(f"{name}[0]", problem, allowed)


def _refuse_flat(first: object, name: str, number: str) -> BadInput:
    if not (is_id(first) or has_id(first) or isinstance(first, Real)):
        problem = f"{quote(first)} is not a known form"
        return BadInput(f"{name}[0]", problem, _describe_shapes(number))
    other = "" if number == "grade" else '; files of several runs are runs={"bm25": "bm25.txt"}'
    other = f"; {GRADES_AND_SCORES}" if isinstance(first, Real) else other
    what = "numbers" if isinstance(first, Real) else "documents"
    problem = f"{quote(first)} and so on: one list of {what}, but of which query?"
    return BadInput(name, problem, _BY_QUERY + other)


def _describe_shapes(number: str) -> str:
    return (
        f"{{query: {{document: {number}}}}}, {_BY_QUERY}, rows (query, document, {number}), "
        "or dicts with such names"
    )


def _has_name(record: Mapping[Any, Any], aliases: Any) -> bool:
    return any(normalise_name(str(key)) in aliases for key in record)


def _number_records(entries: list[Any], name: str) -> rag.Records:
    for index, entry in enumerate(entries):
        place, record = f"{name}[{index}]", rag.as_record(entry)
        if record is None:
            yield place, BadInput(place, f"{quote(entry)} is not a record like the first")
        else:
            yield place, record


def _build_table(entries: list[Any], shape: Shape, name: str, number: str) -> InputTable:
    """The entries as rows, of which those are empty that are none."""

    def read_row(entry: Any) -> Mapping[Any, Any] | None:
        if shape == "records":
            row = entry._asdict() if hasattr(entry, "_asdict") else entry
            return row if isinstance(row, Mapping) else None
        alike = isinstance(entry, (tuple, list)) and len(entry) == len(entries[0])
        return dict(zip(("query", "doc", number), entry, strict=False)) if alike else None

    rows = [*map(read_row, entries)]
    likeness = "record like the others" if shape == "records" else "row like the first"
    problems = {
        at: BadInput(f"{name}[{at}]", f"{quote(entries[at])} is not a {likeness}")
        for at, row in enumerate(rows)
        if row is None
    }
    frame, nested = json_records.build_columns([row or {} for row in rows])
    return InputTable(
        frame, name, lambda row: f"{name}[{row}]", padded=False, problems=problems, nested=nested
    )


def split_columns(
    value: Mapping[Any, Any], name: str, columns: ColumnMapping = USUAL_NAMES
) -> list[Mapping[Any, Any]] | None:
    """The records of a dict of columns, or of one that is a record; None for a dict by query.

    Examples:
        >>> split_columns({"query": ["1", "2"], "doc": ["a", "b"]}, "judgments")
        [{'query': '1', 'doc': 'a'}, {'query': '2', 'doc': 'b'}]
        >>> split_columns({"query": "1", "relevant": ["a", "b"]}, "judgments")
        [{'query': '1', 'relevant': ['a', 'b']}]
        >>> split_columns({"1": {"a": 1}}, "judgments")
    """
    rows = find_rows(value)
    if rows is not None:
        return rows

    def find_key(names: Iterable[str], *roles: str) -> str | None:
        mapped = (name for role in roles for name in columns.names.get(role, ()))
        return next((name for name in (*mapped, *names) if name in value), None)

    query = find_key(_QUERIES, "query")
    if query is None:
        parts = [find_key(names) for names in (RETRIEVED, RELEVANT)]
        if None in parts:
            return None
        firsts = [next(iter(as_list(value[part]) or ()), None) for part in parts]
        is_table = all(
            as_list(first) is not None and not isinstance(first, tuple) for first in firsts
        )
        return zip_columns(value, name) if is_table else [value]
    lists = find_key((*RETRIEVED, *RELEVANT, *DOC_LISTS), "retrieved", "relevant")
    docs = find_key(DOC, "doc")
    if is_id(value[query]):
        return [value] if lists is not None else None
    if docs is not None:
        value = list_cells(value) or value
    has_lists = any(as_list(next(iter(as_list(each) or ()), None)) for each in value.values())
    if as_list(value[query]) is None or (lists is None and docs is None and not has_lists):
        return None
    return zip_columns(value, name)


def zip_columns(value: Mapping[Any, Any], name: str) -> list[Mapping[Any, Any]]:
    """The rows of a dict of columns."""
    lists = {key: as_list(column) for key, column in value.items()}
    by_name = {key: column for key, column in lists.items() if column is not None}
    if len({len(column) for column in by_name.values()}) > 1:
        lengths = [f"{key} {len(column)}" for key, column in by_name.items()]
        raise BadInput(name, f"columns of different lengths: {', '.join(lengths)}", "equal ones")
    return [dict(zip(by_name, row, strict=True)) for row in zip(*by_name.values(), strict=True)]
