"""Records of the RAG kind: each a query with what was retrieved and what is relevant.

`{"query": …, "retrieved": ["a", "b"], "relevant": ["a"]}`; `relevant` may be graded
(`{"a": 3}`), `retrieved` may have scores (`{"a": 0.9}`), and an `id` names the query. They stand in
JSON lines, in lists of dicts, in the rows of frames with lists for cells, and in objects such as
LlamaIndex' `RetrievalEvalResult`; ragas' names are understood too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import msgspec
import polars as pl
from attrs import evolve

from gainful.errors import BadInput, NoColumn
from gainful.read import dicts
from gainful.read.column_names import (
    DOC_LISTS,
    GRADE,
    LIST_COLUMNS,
    QUERY,
    RELEVANT,
    RETRIEVED,
    SCORE,
    TURN,
    TURN_COLUMNS,
    USUAL_NAMES,
    ColumnMapping,
    holds_lists,
    name_lists,
    normalise_name,
)
from gainful.read.dicts import DocScores
from gainful.read.json_records import iterate_objects
from gainful.read.path_finder import find_filled, find_value
from gainful.read.qrels_and_run import QRELS, RUN, Kind, Rows, Value, read_each
from gainful.read.search_results import (
    IDS,
    USUAL_PATHS,
    DocNumbers,
    ResultPaths,
    as_list,
    describe_unread,
    find_id_path,
    find_list,
    is_id,
    parse_number,
    read_entries,
)
from gainful.read.source import Source
from gainful.text import count_noun, join_words, quote

Records = Iterable[tuple[str, Mapping[Any, Any] | BadInput]]  # where each is, and what it says
_QUERY = LIST_COLUMNS["query"].names
_NUMBER_ROLES = ("score", "grade", "rank", "subtopic")
_MUST_BE_NUMBERS = frozenset((*SCORE, *GRADE, "scores", "grades", "rank", "ranks"))
_PARTS = {"retrieved": "what was retrieved", "relevant": "what is relevant"}
_RETRIEVED_WORDS = ("retriev", "result", "hit", "found", "pred", "search", "context")
_RELEVANT_WORDS = (
    *("relevant", "gold", "truth", "true", "expect", "reference", "correct", "target", "label"),
    "positive",
)
# ragas' name of texts that were retrieved; its older one and DeepEval's may hold ids, too.
_TEXTS, _OLDER_TEXTS = "retrieved_contexts", ("contexts", "retrieval_context")
EXPECTED = '{"query": …, "retrieved": […], "relevant": […]}'
_ANSWERS = ("hits", "response")  # of a search engine, beside the query they are for
_IN_ANSWERS = {*_ANSWERS, *_QUERY}
_DECODER = json.JSONDecoder()
_FIELD_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])
_FIRST_VALUE = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?=\{)')  # of an object


def read(source: Source, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES) -> Rows[Value]:
    """What is relevant to each query of a file, or what was retrieved for it."""
    return read_records(source.name, iterate_objects(source), kind, columns)


def read_records(
    name: str, records: Records, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES
) -> Rows[Value]:
    """What is relevant to each query, or what was retrieved for it, in rank order or with scores.

    All that is relevant is there, so that nothing else counts as unjudged.
    """
    scored_lists: list[DocNumbers] = []
    problems: list[BadInput] = []
    seen: dict[str | int, str] = {}
    unit: dict[str, str] = {"unit": "turn"}
    own_paths = ResultPaths(columns)

    def read_record(number: int, place: str, own: Mapping[Any, Any]) -> tuple[str, DocScores]:
        query, docs, record = _read_parts(number, place, own, kind, columns, seen=seen)
        paths = own_paths if _points_within(columns, own) else USUAL_PATHS
        if paths is own_paths:
            is_found = any(isinstance(doc, Mapping) for doc in as_list(docs) or ())
            columns.note_path("doc", kind.roles, place, is_found=is_found)
        of_query = name if place == f"{name}[{quote(query)}]" else place  # query is added to it
        if isinstance(docs, Mapping):
            # In a column of dicts all have the keys of all others too.
            graded = {doc: number for doc, number in docs.items() if number is not None}
            pairs = dicts.check_numbers(graded, of_query, query, kind, problems)
        else:
            entries = dicts.list_entries(docs, place, kind, EXPECTED)
            listed = read_entries(entries, of_query, query, kind.number, problems, paths=paths)
            numbers = _find_numbers(record, LIST_COLUMNS[kind.number].names)
            if numbers is not None and len(listed) == len(entries):
                listed = _pair(listed, numbers, of_query, query, kind.number)
            ranked = _read_ranks(listed, of_query, query, record) if kind is RUN else None
            if ranked is None:
                scored_lists.append(listed)
            else:
                listed = ranked
            pairs = dicts.fill_numbers(listed, place, kind)
        if unit and _name_turn(record) is None:
            unit.clear()
        return query, pairs

    numbered = ((number, *record) for number, record in enumerate(records))
    lists = list(read_each(read_record, numbered, problems))
    unnamed = [place for query, place in seen.items() if isinstance(query, int)]
    if len(unnamed) < len(seen):
        words = "there is no 'query', though other records have one"
        problems += [BadInput(place, words, "a query in all records, or none") for place in unnamed]
    notes = dicts.note_scores(scored_lists) if kind is RUN else ()
    fields = {} if kind is RUN else {"complete": True, **unit}
    return dicts.build_lists(name, lists, kind, problems, notes, **fields)


def explode_lists(frame: pl.DataFrame, name: str, kind: Kind[Value]) -> Rows[Value] | None:
    """The rows of plain lists in the cells of a table; None of all others.

    A list of ids for each query, and perhaps one of numbers, becomes a row for each document. What
    is not as plain, and what is wrong, is left to `read_records`, which takes five times as long.
    """
    columns = {normalise_name(column): frame[column] for column in frame.columns}

    def find(aliases: Iterable[str]) -> pl.Series | None:
        return next((columns[alias] for alias in aliases if alias in columns), None)

    has_turns = find(TURN) is not None
    query, docs = find(LIST_COLUMNS["query"].names), find((*kind.lists, *LIST_COLUMNS["doc"].names))
    columns = {alias: own for alias, own in columns.items() if holds_lists(own.dtype)}
    numbers, ranks = find(LIST_COLUMNS[kind.number].names), find(LIST_COLUMNS["rank"].names)
    if query is None or docs is None or has_turns or (kind is RUN and ranks is not None):
        return None
    is_named = _holds_ids(query.dtype) and not query.null_count() and query.is_unique().all()
    is_named = is_named and not (query.cast(pl.String) == "").any()
    is_list = isinstance(docs.dtype, pl.List) and not docs.null_count()
    if not is_named or not is_list or not _holds_ids(docs.dtype.inner):  # type: ignore[attr-defined]
        return None
    lengths = docs.list.len()
    listed = {"doc": docs, "place": pl.select(pl.int_ranges(1, lengths + 1)).to_series()}
    if numbers is not None:
        inner = getattr(numbers.dtype, "inner", None)
        is_numeric = inner is not None and inner.is_numeric() and not inner.is_decimal()
        if not is_numeric or not (numbers.list.len() == lengths).fill_null(value=False).all():
            return None
        listed[kind.number] = numbers.cast(pl.List(pl.Float64))
    names = query.cast(pl.String)
    rows = pl.DataFrame({"query": names, **listed}).filter(lengths > 0).explode(*listed)
    if numbers is None:
        number = -pl.col("place").cast(pl.Float64) if kind is RUN else pl.lit(1.0)
        rows = rows.with_columns(number.alias(kind.number))
    rows = rows.with_columns(pl.col("doc").cast(pl.String))
    is_empty = pl.col("doc").fill_null("") == ""
    is_odd = is_empty | ~pl.col(kind.number).is_finite().fill_null(value=False)
    is_odd |= pl.struct("query", "doc").is_duplicated() if kind is QRELS else False
    if rows.select(is_odd.any()).item():
        return None
    return Rows(
        kind,
        name,
        rows.select("query", "doc", kind.number),
        dicts.locate_in_lists(name, rows["place"], kind),
        notes=() if numbers is None or kind is QRELS else _note_rising(rows),
        fields={"empty_queries": tuple(names.filter(lengths == 0))}
        | ({"complete": True} if kind is QRELS else {}),
    )


def _holds_ids(dtype: pl.DataType) -> bool:
    return dtype == pl.String or dtype.is_integer()


def _note_rising(rows: pl.DataFrame) -> tuple[str, ...]:
    step = pl.col("score").diff().filter(pl.col("place") > 1)
    falls, rises = rows.select((step < 0).any().alias("falls"), (step > 0).any()).row(0)
    return (dicts.RISING_SCORES,) if rises and not falls else ()


def read_field(
    records: Iterable[tuple[str, Mapping[Any, Any]]],
    field: str,
    columns: ColumnMapping = USUAL_NAMES,
) -> dict[str, str] | None:
    """What a field, such as a category, says of each query; None where no record has it."""
    both = evolve(QRELS, lists=(*RUN.lists, *QRELS.lists))
    seen: dict[str | int, str] = {}
    values: dict[str, str] = {}
    for number, (place, own) in enumerate(records):
        query, _, record = _read_parts(number, place, own, both, columns, seen=seen)
        if record.get(field) is not None:
            values[query] = str(record[field])
    return values or None


def find_kinds(source: Source, columns: ColumnMapping = USUAL_NAMES) -> set[str]:
    """What its first record tells: what was retrieved (a run), what is relevant (judgments)."""
    line = source.first_line()
    is_list = re.match(rb"\s*\[\s*\{", source.head) is not None
    if not is_list and not line.startswith("{"):
        return set()
    text = source.head.decode("utf-8", errors="replace") if is_list else line
    try:
        if is_list:
            return record_kinds(_DECODER.raw_decode(text, text.find("{"))[0], columns)
        fields: dict[str, Any] = _FIELD_DECODER.decode(line)  # the line may be a whole run
        known = {key: msgspec.json.decode(fields[key]) for key in _IN_ANSWERS & fields.keys()}
        return record_kinds({**fields, **known}, columns)
    except (ValueError, RecursionError):  # it may be longer than the head
        names = name_lists(columns).items()
        return {kind for kind, keys in names if any(f'"{key}"' in text for key in keys)}


def find_kinds_by_query(source: Source, columns: ColumnMapping = USUAL_NAMES) -> set[str]:
    """What an object tells that has such a record for each query, by the first of them."""
    text = source.head.decode("utf-8", errors="replace")
    start = _FIRST_VALUE.match(text)
    try:
        record = {} if start is None else _DECODER.raw_decode(text, start.end())[0]
    except (ValueError, RecursionError):
        return set()
    lists = {key for key, value in record.items() if isinstance(value, (list, dict))}
    return {kind for kind, keys in name_lists(columns).items() if not lists.isdisjoint(keys)}


def record_kinds(record: object, columns: ColumnMapping = USUAL_NAMES) -> set[str]:
    """What a dict or an object tells: what was retrieved (a run), what is relevant (judgments)."""
    fields = as_record(record) or {}
    names = name_lists(columns).items()
    kinds = {kind for kind, keys in names if any(key in fields for key in keys)}
    return kinds or ({"run"} if _find_answer(fields) is not None else kinds)


def _find_answer(record: Mapping[Any, Any]) -> list[Any] | None:
    """The results in what a search engine answered, where its query is named beside it."""
    answer = {key: record[key] for key in _ANSWERS if key in record}
    is_named = answer and any(is_id(record.get(key)) for key in _QUERY)
    return find_list(answer) if is_named else None


def _open_answer(docs: Any, place: str, query: object) -> Any:
    """The list in what a search engine answered, where that is in place of the list."""
    if isinstance(docs, Mapping):
        is_answer = any(isinstance(each, (dict, list)) for each in docs.values())
    else:
        is_answer = not isinstance(docs, list) and as_list(docs) is None
    entries = find_list(docs) if is_answer else None
    unread = describe_unread(docs) if entries is None else None
    if unread is not None:
        place = place if place.endswith("]") else f"{place}[{quote(query)}]"
        raise BadInput(place, unread.problem, unread.expected)
    return docs if entries is None else entries


def refuse_unknown_lists(
    name: str, record: Mapping[str, Any], columns: ColumnMapping, kind: Kind[Any] | None = None
) -> None:
    """For lists of the first record with other names, say which may be which, and how to name them.

    Of a kind that is wanted one list is enough.
    """
    fields = {field: entries for field in record if (entries := as_list(record[field])) is not None}
    for texts in (_TEXTS, *_OLDER_TEXTS):
        written = (entry for entry in fields.get(texts, ()) if isinstance(entry, str))
        if texts in fields and (texts == _TEXTS or any(" " in each.strip() for each in written)):
            problem = f"records with texts ({texts}) but without ids, which judgments need"
            raise BadInput(name, problem, "retrieved_context_ids, reference_context_ids")
    numbers = {name for role in ("score", "grade", "rank") for name in LIST_COLUMNS[role].names}
    plain = (field for field in numbers & fields.keys() if not _has_texts(fields[field]))
    known = {*DOC_LISTS, *_QUERY, *plain}
    lists = [field for field in fields if field not in known]
    kinds = name_lists(columns)
    either = next((field for field in fields if field in DOC_LISTS), None)
    likely = (*_RELEVANT_WORDS, *(["answer"] if either else []))  # which alone may be results
    relevant = _find_list(lists, kinds["judgments"], likely)
    lists = [field for field in lists if field != relevant] if relevant else lists
    retrieved = _find_list(lists, kinds["run"], _RETRIEVED_WORDS)
    retrieved = retrieved or (either if relevant else None) or next(iter(lists), None)
    relevant = relevant or next((field for field in lists if field != retrieved), None)
    both = {"retrieved": retrieved, "relevant": relevant}
    roles = {role: field for role, field in both.items() if field is not None}
    if len(roles) < 2:
        if kind is None or not roles:
            return
        roles = {"retrieved" if kind is RUN else "relevant": field for field in roles.values()}
    names = {"retrieved": (*kinds["run"], *DOC_LISTS), "relevant": kinds["judgments"]}
    roles = {role: field for role, field in roles.items() if field not in names[role]}
    if not roles:
        return
    words = join_words([f"{quote(field)} {_PARTS[role]}" for role, field in roles.items()])
    docs = [entry for field in roles.values() for entry in fields[field][:1]]
    path = next((find_id_path(doc) for doc in docs if isinstance(doc, Mapping)), None)
    roles |= {} if path is None else {"doc": path}
    mapping = ",".join(f"{role}={field}" for role, field in roles.items())
    allowed = f"--columns {mapping} (columns={json.dumps(roles)}); {EXPECTED}"
    raise NoColumn(name, f"fields with unknown names hold lists: is {words}?", allowed)


def _find_list(lists: Sequence[str], names: Sequence[str], words: Sequence[str]) -> str | None:
    named = (field for field in lists if field in names)
    alike = (field for word in words for field in lists if word in field.lower())
    return next(named, None) or next(alike, None)


def find_records(
    by_query: Mapping[Any, Any], name: str, columns: ColumnMapping = USUAL_NAMES
) -> Records | None:
    """The records of a dict that has one for each query; None if its first value is none."""
    first = next(iter(by_query.values()), None)
    if not isinstance(first, Mapping):
        return None
    parts = [first[key] for names in name_lists(columns).values() for key in names if key in first]
    if not parts or any(isinstance(part, Real) for part in parts):  # documents with numbers
        return None
    return (
        (f"{name}[{quote(query)}]", {**(as_record(record) or {}), "id": query})
        for query, record in by_query.items()
    )


def list_answers(by_query: Mapping[Any, Any], name: str) -> Records | None:
    """The answer of a search engine to each query; None if these are documents, not answers."""
    first = next((answer for answer in by_query.values() if as_list(answer) != []), None)
    is_unread = find_list(first) is None and describe_unread(first) is None
    if is_unread or as_list(first) is not None:
        return None
    return (
        (f"{name}[{quote(query)}]", {"id": query, "retrieved": answer})
        for query, answer in by_query.items()
    )


def as_record(value: Any, *fields: str) -> Mapping[Any, Any] | None:
    """A dict as it is, an object as a dict of what it tells; None where it tells neither list."""
    if isinstance(value, Mapping):
        return value
    record = {
        key: getattr(value, key)
        for key in (*_QUERY, *RETRIEVED, *RELEVANT, *fields)
        if not callable(getattr(value, key, None)) and getattr(value, key, None) is not None
    }
    return record if any(key in record for key in (*RETRIEVED, *RELEVANT)) else None


def _read_ranks(
    listed: DocNumbers, place: str, query: str, record: Mapping[Any, Any]
) -> DocNumbers | None:
    """The documents by the ranks that stand in a second list, unless they have scores."""
    ranks = _find_numbers(record, LIST_COLUMNS["rank"].names)
    if ranks is None or any(score is not None for _, score in listed):
        return None
    ranked = _pair(listed, ranks, place, query, "rank")
    return [(doc, None if rank is None else -rank) for doc, rank in ranked]


def _find_numbers(record: Mapping[Any, Any], names: Sequence[str]) -> list[Any] | None:
    """The list beside the documents that has one of these names; some may hold texts instead."""
    for name in names:
        entries = as_list(record[name]) if name in record else None
        if entries is not None and (name in _MUST_BE_NUMBERS or not _has_texts(entries)):
            return entries
    return None


def _has_texts(entries: Sequence[Any]) -> bool:
    return any(isinstance(entry, str) for entry in entries)


def _pair(
    pairs: DocNumbers, numbers: Sequence[Any], place: str, query: str, number: str
) -> DocNumbers:
    if len(numbers) != len(pairs):
        counts = f"{count_noun(len(numbers), number)} for {count_noun(len(pairs), 'document')}"
        raise BadInput(place, counts, "one for each")
    return [
        (doc, parse_number(value, place, query, doc, number))
        for (doc, _), value in zip(pairs, numbers, strict=True)
    ]


def choose_named(
    columns: ColumnMapping, kind: Kind[Any], are_lists: Mapping[str, bool], place: str
) -> set[str]:
    """Of the names in a record, those that do not count because the user named others instead.

    Each name comes with whether lists (or dicts) stand there; one number for a list is an error.
    """
    named = {role: kind.roles[role] for role in columns.names if role in kind.roles}
    for role, column in named.items():
        is_list = are_lists.get(column)
        if is_list is None or role not in _NUMBER_ROLES or (is_list and role != "subtopic"):
            continue
        own = quote(columns.names[role][0])
        problem = f"column {own} has no list: one {role} for a list of documents"
        if role == "subtopic":
            problem = f"column {own} is the subtopic, which lists of documents cannot have"
        raise BadInput(place, problem, f"a list of {role}s; or a row for each document")
    rivals = {"id"} if named.get("query") in are_lists else set()
    if are_lists.get(named.get("doc", "")):
        rivals |= {*kind.lists, *DOC_LISTS} - columns.names.keys()
    return rivals


def _points_within(columns: ColumnMapping, own: Mapping[Any, Any]) -> bool:
    """Did the user say at which path within each document its id stands?"""
    paths = columns.names.get("doc", ())
    return bool(paths) and not any(path in own for path in paths)


def _read_parts(
    number: int,
    place: str,
    own: Mapping[Any, Any],
    kind: Kind[Any],
    columns: ColumnMapping,
    *,
    seen: dict[str | int, str],
) -> tuple[str, Any, Mapping[Any, Any]]:
    """The name of a query, which was not seen before, its documents, and the whole record.

    Those that were seen are numbers where records have no name.
    """
    is_path, record = _points_within(columns, own), own
    if columns.names:
        inner = {
            path: find_value(own, path) for path in columns.names.get("query", ()) if "." in path
        }
        own = {**own, **{path: value for path, value in inner.items() if value is not None}}
        roles = {**kind.roles, "retrieved": "retrieved", "relevant": "relevant"}  # in both kinds
        roles = {role: name for role, name in roles.items() if role != "doc" or not is_path}
        record = columns.rename_record(own, roles, place)
        filled = {key: value for key, value in record.items() if value is not None}
        are_lists = {key: _is_nested(value) for key, value in filled.items()}
        rivals = choose_named(columns, kind, are_lists, place)
        record = {key: value for key, value in record.items() if key not in rivals}
    name: Any = _name_turn(record)
    if name is None:
        name = find_filled(record, _QUERY)
    is_unnamed = (
        name is None
        and not any(key in record for key in QUERY)
        and all(any(key in record for key in keys) for keys in (RETRIEVED, RELEVANT))
    )
    name = number if is_unnamed else name
    name = _check_query(name, place)
    key = next((key for key in (*kind.lists, *LIST_COLUMNS["doc"].names) if key in record), None)
    answer = _find_answer(record) if key is None and kind is RUN else None
    if answer is not None:
        key, record = "retrieved", {**record, "retrieved": answer}
    if key is None and kind is RUN:
        _open_answer(record.get("response"), place, name)  # which may say why it has no results
    if name is None and len(own) == 1:
        ((field, inner),) = own.items()
        if isinstance(inner, Mapping) and inner and all(map(_is_nested, inner.values())):
            allowed = f"that alone, without {quote(field)} around it"
            raise BadInput(place, f"{quote(field)} holds an object by query", allowed)
    if name is None or key is None:
        missing, looked_for = ("query", _QUERY) if name is None else (kind.lists[0], kind.lists)
        message = f"there is no {quote(missing)}; known: {', '.join(map(str, record))}"
        raise BadInput(place, message, f"one of {', '.join(looked_for)}, as in {EXPECTED}")
    own_name = number if is_unnamed else str(name)
    if own_name in seen:
        raise BadInput(place, f"query {quote(name)} comes twice", "each query once")
    seen[own_name] = place
    docs = _open_answer(record[key], place, name) if kind is RUN else record[key]
    return str(name), docs, record


def _name_turn(record: Mapping[Any, Any]) -> str | None:
    """What a turn of a conversation is called, such as 106_3; None if it has an id of its own."""
    conversation = find_filled(record, TURN_COLUMNS["session"].names)
    turn = None if conversation is None else find_filled(record, TURN)
    if turn is None or find_filled(record, TURN_COLUMNS["topic"].names) is not None:
        return None
    return f"{conversation}_{turn}"


def _check_query(name: Any, place: str) -> Any:
    """Whole numbers, which pandas makes fractions beside a missing one, are whole again."""
    if isinstance(name, float) and name.is_integer():
        return int(name)
    if isinstance(name, float) or _is_nested(name):
        raise BadInput(place, f"{quote(name)} is not a query", IDS)
    if isinstance(name, str) and not name:
        raise BadInput(place, "there is no query", IDS)
    return name


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping) or as_list(value) is not None
