"""Logs of User Behavior Insights (UBI 1.x, up to 1.3.0): queries, and the events that follow them.

Queries have `query_id`, `user_query`, `client_id`, `timestamp` and what was returned in
`query_response_hit_ids`; events have `action_name`, `query_id`, `session_id`, `client_id`,
`timestamp` and in `event_attributes` the `object.object_id` and the `position.ordinal`. Both can be
in one file, or each in its own. Where a query lists no hits, its impressions are its list.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from itertools import accumulate
from typing import Any

import polars as pl

from gainful.errors import BadInput
from gainful.read import named_columns
from gainful.read.build_sessions import GAP, split_at_pauses
from gainful.read.column_names import LOG_COLUMNS, ColumnMapping
from gainful.read.event_times import EXPECTED as EXPECTED_TIMES, parse_times
from gainful.read.json_records import is_whole, read_records, scan_lines
from gainful.read.json_text import Record, Unreadable, as_text, parse_json, parse_line
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.search_results import is_id
from gainful.read.session_events import (
    ASKED,
    FIRST,
    LENGTH,
    SHOWN,
    SessionEvents,
    make_events,
    read_event_words,
    tells,
)
from gainful.read.session_layout import flag_problems, has_repeats, note_shown_twice
from gainful.read.source import Source
from gainful.text import count_noun, join_words, quote

_SHAPE = "queries with query_response_hit_ids, or events with action_name and object_id"
_ORDINALS = ("$.position.ordinal", "$.position.ordinal.index", "$.position.index")
_OBJECTS = ("$.object.object_id", "$.object.internal_id")
_ODD_ENTRY = r"[\[,]\s*(?:true|false|-?[0-9]+[.eE])|\\u[dD][89a-fA-F]"
_LABELS = {**dict.fromkeys(("topic", "system", "scenario"), pl.String), "seconds": pl.Float64}
Locate = Callable[[int], str]
_PATHS = {  # by role, the column of what stands at its path
    **{role: role for role in ("session", "text", "doc", *_LABELS)},
    "searcher": "user",
}


def find_kinds(records: Sequence[dict[str, Any]]) -> set[str]:
    """Which of both these records are: queries, events, or neither."""
    kinds: set[str] = set()
    for record in records:
        asked = "user_query" in record and not record.keys().isdisjoint(("query_id", "client_id"))
        if not record.keys().isdisjoint(LOG_COLUMNS["doc"].names):
            continue  # of a table with a row for each result
        if record.get("action_name") is not None:
            kinds |= {"events"} if "event_attributes" in record or "query_id" in record else set()
        elif "query_response_hit_ids" in record or asked:
            kinds.add("queries")
    return kinds


def read_ubi(source: Source | Sequence[Source], reading: ReadOptions = AS_USUAL) -> SessionEvents:
    """The queries of one or two files with the results shown, and the actions on them."""
    sources = [source] if isinstance(source, Source) else source
    name = " and ".join(source.name for source in sources)
    paths = [path for role in _PATHS for path in reading.columns.names.get(role, ())]
    own = {path.partition(".")[0] for path in paths} - {*FIELDS}
    words = read_event_words(reading.events)
    files = [
        read_ubi_file(
            source, lambda part: _select_columns(part, reading.columns, words), sorted(own)
        )
        for source in sources
    ]
    starts = [*accumulate((len(frame) for frame, _ in files), initial=0)]
    locates = [locate for _, locate in files]

    def locate(row: int) -> str:
        at = bisect_right(starts, row) - 1
        return locates[at](row - starts[at])

    frame = pl.concat([frame for frame, _ in files], how="diagonal").with_row_index("row")
    del files  # their rows are in the frame
    parsed = parse_times(frame["timestamp"], f"{name}: timestamp")
    wrong_times = dict(frame.select("row", "timestamp").filter(parsed.wrong).iter_rows())
    notes = [f"timestamps: {parsed.form}"] if "no zone" in parsed.form else []
    untold = ["application"] if frame["application"].null_count() == len(frame) else []
    frame = frame.drop("timestamp", *untold).with_columns(parsed.times.alias("time"))
    is_readable, is_query = pl.col("wrong").is_null(), pl.col("event").is_null()
    queries = frame.filter(is_readable & is_query)
    events = frame.filter(is_readable & ~is_query)
    unreadable = frame.filter(~is_readable).select("row", "wrong")
    if not len(queries) and not len(events) and len(unreadable):
        raise BadInput(locate(int(unreadable["row"][0])), str(unreadable["wrong"][0]), UNREADABLE)
    if not len(queries) and not len(events):
        raise BadInput(name, "it has no queries and no events", _SHAPE)
    presence = {
        role: column in frame.columns and tells(frame, column) for role, column in _PATHS.items()
    }
    reading.columns.refuse_absent(presence, name)
    queries, events, split_notes = split_queries(queries, events)
    rows, docs, list_notes = build_lists(queries, events)
    if not rows["event"].is_in([SHOWN, ASKED]).any():
        problem = "it has neither queries nor impressions, so what was shown is unknown"
        allowed = "its queries too: gainful sessions queries.jsonl events.jsonl"
        raise BadInput(name, problem, allowed)
    rows, session_notes = _tell_sessions(rows, events, reading.gap or GAP)
    rows = pl.concat([rows, unreadable], how="diagonal")
    places, wrong = rows["row"].to_numpy(), rows["wrong"]
    has_wrong_time = rows["row"].is_in(list(wrong_times))
    problems = flag_problems(
        rows,
        (wrong.is_not_null(), lambda at: str(wrong[at]), UNREADABLE),
        (
            has_wrong_time,
            lambda at: f"timestamp {quote(wrong_times[places[at]])} is not a time",
            EXPECTED_TIMES,
        ),
    )
    return make_events(
        rows.drop("row", "wrong", "ordinal", "hits", "logged_id", strict=False),
        name,
        lambda row: locate(int(places[row])),
        notes=[*notes, *split_notes, *list_notes, *session_notes],
        problems=problems,
        docs=docs,
        judged_by="text",
    )


def _select_columns(
    frame: pl.DataFrame, columns: ColumnMapping, event_words: dict[str, str]
) -> pl.DataFrame:
    """The columns of events, from the texts of some rows of a file; times are still texts."""

    def choose(role: str, *usual: pl.Expr) -> pl.Expr:
        paths = columns.names.get(role)
        fields = [path.partition(".") for path in paths or ()]
        texts = [(pl.col(name_own(field)), rest) for field, _, rest in fields]
        chosen = [text.str.json_path_match(f"$.{rest}") if rest else text for text, rest in texts]
        return pl.coalesce(*(chosen or usual))

    words = pl.col("action_name").str.strip_chars().str.to_lowercase()
    event = pl.coalesce(
        words.replace_strict(event_words, default=None, return_dtype=pl.String), "action_name"
    )
    frame = frame.with_columns(event.alias("event"))
    if "doc" in columns.names:
        frame = frame.with_columns(choose("doc").alias("doc"))
    else:
        for path in _OBJECTS:
            frame = _look_further(frame, "doc", path, pl.lit(value=True))
    for path in _ORDINALS:  # they count only where impressions are the list
        frame = _look_further(frame, "ordinal", path, pl.col("event") == SHOWN)
    given = frame["query_response_hit_ids"]
    hits = parse_hits(given).alias("hits")
    odd = (given.is_not_null() & hits.is_null()).arg_true().to_list()
    shown = {row: f"query_response_hit_ids {quote(given[row])} is not a list of ids" for row in odd}
    odd_hits = pl.int_range(pl.len()).replace_strict(shown, default=None, return_dtype=pl.String)
    labels = [role for role in _LABELS if role in columns.names]
    return frame.select(
        pl.coalesce("wrong", odd_hits).alias("wrong"),
        "query_id",
        hits,
        "event",
        choose("session", pl.col("session_id")).alias("session"),
        choose("searcher", pl.col("client_id"), pl.col("user_id")).alias("user"),
        choose("text", pl.col("user_query")).alias("text"),
        "doc",
        pl.col("ordinal").cast(pl.Int64, strict=False),
        "timestamp",
        *(choose(role).cast(_LABELS[role], strict=False).alias(role) for role in labels),
        "application",
    )


def _look_further(frame: pl.DataFrame, name: str, path: str, where: pl.Expr) -> pl.DataFrame:
    before = pl.col(name) if name in frame.columns else pl.lit(None, dtype=pl.String)
    untold = pl.when(before.is_null() & where).then("event_attributes")
    return frame.with_columns(pl.coalesce(before, untold.str.json_path_match(path)).alias(name))


def parse_hits(values: pl.Series) -> pl.Series:
    """Lists of ids, from JSON in a text; a single text is a list of one, null what is none.

    Examples:
        >>> parse_hits(pl.Series(['["a", 7]', "b", '{"a": 1}', None])).to_list()
        [['a', '7'], ['b'], None, None]
    """
    is_list = values.str.starts_with("[")
    some = pl.select(pl.when(is_list).then(values)).to_series()
    try:
        if some.str.contains(_ODD_ENTRY).any():
            raise pl.exceptions.ComputeError("an entry may be neither a text nor a whole number")
        lists = some.str.json_decode(pl.List(pl.String))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):  # one by one, to tell which
        parsed = [parse_json(text) for text in some]
        ids = [
            [*map(str, entries)] if isinstance(entries, list) and all(map(is_id, entries)) else None
            for entries in parsed
        ]
        lists = pl.Series(ids, dtype=pl.List(pl.String))
    whole = lists.list.eval(pl.element().is_not_null()).list.all()
    single = values.to_frame("id").select(pl.concat_list("id")).to_series()
    is_single = values.is_not_null() & ~values.str.starts_with("{")
    chosen = pl.when(is_list & whole).then(lists).when(is_single & ~is_list).then(single)
    return pl.select(chosen).to_series()


def _tell_sessions(
    rows: pl.DataFrame, events: pl.DataFrame, gap: timedelta
) -> tuple[pl.DataFrame, list[str]]:
    """All rows of a query in one session: its own, that of any of its events, or of its client.

    What a client did to no result (a page left) has a session too, and counts for that.
    """
    named = pl.concat([part.select("logged_id", "session") for part in (rows, events)])
    named = named.drop_nulls("session")
    if not len(named):
        return rows, []
    by_query = named.drop_nulls("logged_id").unique("logged_id", keep="first", maintain_order=True)
    rows = rows.join(by_query, on="logged_id", how="left", maintain_order="left", suffix="_named")
    rows = rows.with_columns(session=pl.coalesce("session_named", "session")).drop("session_named")
    lacking = rows.filter(pl.col("session").is_null() & pl.col("user").is_not_null())
    if not len(lacking) or rows["time"].null_count() == len(rows):
        return rows, []
    near = (
        lacking.select("row", "user", "time")
        .unique("row", maintain_order=True)
        .filter(pl.col("time").is_not_null())
        .sort("time")
        .join_asof(
            pl.concat([part.select("user", "time", "session") for part in (rows, events)])
            .filter(pl.col("session").is_not_null() & pl.col("time").is_not_null())
            .rename({"session": "near"})
            .sort("time"),
            on="time",
            by="user",
            strategy="nearest",
            tolerance=gap,
            check_sortedness=False,
        )
    )
    alone = near.filter(pl.col("near").is_null()).sort("user", "time", "row")
    made = alone.with_columns(near=split_at_pauses("user", gap))
    neighbours = near.filter(pl.col("near").is_not_null())
    both = pl.concat([neighbours, made]).select("row", "near")
    rows = rows.join(both, on="row", how="left", maintain_order="left").with_columns(
        session=pl.coalesce("session", "near")
    )
    notes = [
        f"{count_noun(len(part), 'query')} without session_id: {words}"
        for part, words in (
            (neighbours, "added to the client's nearest session"),
            (made, "sessions split by gaps between the client's queries"),
        )
        if len(part)
    ]
    return rows.drop("near"), notes


UNREADABLE = "one JSON object a line, with a list of ids for its hits"
FIELDS = (
    *("application", "action_name", "query_id", "session_id", "client_id", "user_id"),
    *("timestamp", "user_query", "query_attributes", "event_attributes"),
    "query_response_hit_ids",
)
_OLD_HITS = ("query_response_objects_ids", "query_response_object_ids")  # of drafts and 1.0
_SOLR_HITS = "doc_ids"  # one text, with commas between the ids
_ALL = (*FIELDS, *_OLD_HITS, _SOLR_HITS)


def read_ubi_file(
    source: Source, select: Callable[[pl.DataFrame], pl.DataFrame], own: Sequence[str] = ()
) -> tuple[pl.DataFrame, Locate]:
    """The records of a file, a column for each field that is wanted, and where each row stands.

    Fields are texts, and `wrong` says where a line cannot be read.
    """
    fields = (*_ALL, *own)
    table = source.table_format
    if table is not None:
        frame = _as_texts(named_columns.read_table(source, table).frame, fields)
        return select(_finish(frame)), lambda row: f"{source.name}, row {row + 1}"
    if is_whole(source):
        file = read_records(source)
        entries = list(file.records)
        frame = _tabulate_records((record for _, record in entries), fields)
        return select(_finish(frame)), lambda row: file.locate(entries[row][0])
    frames = []
    for piece in source.iterate_pieces():
        scanned = scan_lines(piece, fields)
        if scanned is None:
            lines = (line for line in piece.split(b"\n") if line.strip())
            scanned = _tabulate_records(map(parse_line, lines), fields)
        frames.append(select(_finish(scanned)))
    return pl.concat(frames), source.locate_rows()


def _tabulate_records(records: Iterable[Record], fields: Sequence[str]) -> pl.DataFrame:
    """Record by record, where one may be cut off."""
    rows: list[tuple[Any, ...]] = []
    for record in records:
        if isinstance(record, Unreadable):
            rows.append((*[None] * len(fields), record.problem))
            continue
        rows.append((*(as_text(record.get(name)) for name in fields), None))
    schema = dict.fromkeys((*fields, "\0wrong"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _as_texts(frame: pl.DataFrame, fields: Sequence[str]) -> pl.DataFrame:
    """The fields of a table as texts; what is nested as JSON."""
    columns = []
    for name in fields:
        if name not in frame.columns:
            columns.append(pl.Series(name, [None] * len(frame), dtype=pl.String))
            continue
        values = frame[name]
        if values.dtype.is_nested():
            wrapped = values.to_frame("v").select(pl.struct("v").struct.json_encode())
            inner = wrapped.to_series().str.json_path_match("$.v")
            values = pl.select(pl.when(values.is_not_null()).then(inner)).to_series()
        elif isinstance(values.dtype, pl.Datetime):
            values = values.dt.to_string("iso:strict")
        columns.append(values.cast(pl.String).alias(name))
    return pl.DataFrame(columns)


def _finish(frame: pl.DataFrame) -> pl.DataFrame:
    texts = {name: pl.when(pl.col(name) != "").then(pl.col(name)) for name in frame.columns}
    is_other = pl.all_horizontal(text.is_null() for text in texts.values())
    other = pl.when(is_other).then(pl.lit("it has no field of UBI"))
    wrong = pl.coalesce(texts.pop("\0wrong", None), other)
    joined = texts.pop(_SOLR_HITS)
    entries = joined.str.replace_all(",", '","', literal=True)
    listed = pl.concat_str(pl.lit('["'), entries, pl.lit('"]'))
    solr_hits = pl.when(joined.str.starts_with("[")).then(joined).otherwise(listed)
    hits = pl.coalesce(*(texts.pop(name) for name in (FIELDS[-1], *_OLD_HITS)), solr_hits)
    columns = {FIELDS[-1]: hits, "wrong": wrong, **{name_own(name): texts[name] for name in texts}}
    return frame.select(column.alias(name) for name, column in columns.items())


def name_own(field: str) -> str:
    """The column of a field: that of another name may not stand for one of ours."""
    return field if field in FIELDS else f"\0{field}"


_SCROLLING = timedelta(seconds=1)  # between impressions of what is seen at once there is less
_UNNAMED = pl.format("\0{}", pl.col("row"))


def split_queries(
    queries: pl.DataFrame, events: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """Queries and events with a `query_id` for each text under a `logged_id`; and notes of that.

    An event is of the search with its text, or else of one that lists its document; of several,
    of the latest before it.
    """
    named = queries.filter(pl.col("query_id").is_not_null())
    texts = named.select("query_id", "text").drop_nulls().unique()
    retyped = texts.filter(pl.col("query_id").is_duplicated())["query_id"]
    searches = named.filter(
        pl.col("query_id").is_in(retyped.implode()) & pl.col("text").is_not_null()
    ).select(
        "query_id", "text", "time", "hits", pl.format("{}\0{}", "query_id", "text").alias("own_id")
    )
    listed = searches.rename({"hits": "doc"}).explode("doc", empty_as_null=True).drop_nulls("doc")

    def name_searches(rows: pl.DataFrame) -> pl.DataFrame:
        unnamed = pl.lit(None, dtype=pl.String).alias("own_id")
        chosen = rows.select("row", "query_id", "text", "doc", "time", unnamed).join(
            searches, on="query_id", how="semi"
        )
        chosen = _choose_search(chosen, searches, ["query_id", "text"])
        chosen = _choose_search(chosen, listed, ["query_id", "doc"])
        chosen = _choose_search(chosen, searches, ["query_id"])
        rows = rows.join(
            chosen.select("row", "own_id"), on="row", how="left", maintain_order="left"
        )
        query_id = pl.coalesce("own_id", "query_id")
        return rows.with_columns(logged_id="query_id", query_id=query_id).drop("own_id")

    queries, events = name_searches(queries), name_searches(events)
    others = len(retyped) - retyped.n_unique()
    repeats = len(named) - queries["query_id"].drop_nulls().n_unique()
    notes = []
    if others:
        words = count_noun(others, "query has", "queries have")
        notes.append(f"{words} the query_id of another text, as if retyped: counted separately")
    if repeats:
        words = count_noun(repeats, "query record repeats", "query records repeat")
        notes.append(f"{words} the query_id and text of another (pages, facets): merged")
    return queries, events, notes


def _choose_search(rows: pl.DataFrame, searches: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Rows with the latest search before them, or else the next one, or one of no known time."""
    named = searches.select(*by, "time", other="own_id")
    timed = named.drop_nulls("time").sort("time", maintain_order=True)
    first = named.drop("time").unique(by, keep="first", maintain_order=True)
    rows = rows.sort("time", nulls_last=True)

    def fill(joined: pl.DataFrame) -> pl.DataFrame:
        return joined.with_columns(own_id=pl.coalesce("own_id", "other")).drop("other")

    near = partial(pl.DataFrame.join_asof, other=timed, on="time", by=by, check_sortedness=False)
    rows = fill(near(rows, strategy="backward"))
    rows = fill(near(rows, strategy="forward"))
    return fill(rows.join(first, on=by, how="left"))


def build_lists(
    queries: pl.DataFrame, events: pl.DataFrame
) -> tuple[pl.DataFrame, pl.Series | None, list[str]]:
    """Rows of results shown and of actions; and notes on them.

    Where every query has its hits, and each once, a row is a whole list, and all documents stand
    beside the rows.
    """
    listed = queries.filter(pl.col("hits").list.len() > 0)["query_id"].unique()
    is_listed = pl.col("query_id").is_in(listed.implode())
    impressions = events.filter((pl.col("event") == SHOWN) & pl.col("doc").is_not_null())
    unlisted, seen = impressions.filter(~is_listed), impressions.filter(is_listed)
    docs: pl.Series | None = None
    notes: list[str] = []
    if (whole := None if len(unlisted) else _keep_whole_lists(queries)) is not None:
        shown, docs = whole
    else:
        shown, notes = _spread_hits(queries, unlisted)
    if len(seen):
        shown, more = _fill_scanned(shown, docs, seen, events)
        notes += more
    actions, action_notes = _choose_actions(events, shown)
    return pl.concat([shown, actions], how="diagonal"), docs, [*notes, *action_notes]


def _fill_scanned(
    shown: pl.DataFrame, docs: pl.Series | None, seen: pl.DataFrame, events: pl.DataFrame
) -> tuple[pl.DataFrame, list[str]]:
    """Lists with how deep searchers looked, if impressions fire when a result comes into view.

    They do if some of a list come a second after others, and some lists have results without one.
    What was seen, or anything was done to, must run from rank 1 without a gap.
    """
    times = seen.group_by("query_id").agg(pl.col("time").max() - pl.col("time").min())["time"]
    ranked = shown.select("query_id", "doc", "rank") if docs is None else _rank_docs(shown, docs)
    touched = events.filter(pl.col("doc").is_not_null()).select("query_id", "doc").unique()
    depths = (
        ranked.join(touched, on=["query_id", "doc"])
        .join(seen.select("query_id").unique(), on="query_id", how="semi")
        .group_by("query_id")
        .agg(pl.col("rank").max().alias("scanned"), pl.len())
        .filter(pl.col("scanned") == pl.col("len"))
        .select("query_id", pl.col("scanned").cast(pl.Float64))
    )
    lengths = ranked.group_by("query_id").agg(pl.col("rank").max())
    is_short = depths.join(lengths, on="query_id").select(pl.col("scanned") < pl.col("rank"))
    if not (times >= _SCROLLING).any() or not is_short.to_series().any():
        return shown, []
    note = f"how deep searchers looked (scanned): impressions show it for {len(depths)}"
    note += f" of {count_noun(shown['query_id'].n_unique(), 'query')}"
    return shown.join(depths, on="query_id", how="left", maintain_order="left"), [note]


def _rank_docs(lists: pl.DataFrame, docs: pl.Series) -> pl.DataFrame:
    rows = lists.filter(pl.col(LENGTH) > 0)
    counts = pl.col(LENGTH).cast(pl.UInt32)
    return rows.select(
        pl.col("query_id").repeat_by(counts).explode(),
        pl.int_ranges(1, pl.col(LENGTH) + 1).explode().alias("rank"),
    ).with_columns(doc=docs)


def _keep_whole_lists(queries: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series] | None:
    """A row for each query, and the documents of all; None if one comes twice, or its hits do."""
    named = queries["query_id"].drop_nulls()
    if not len(queries) or named.n_unique() < len(named):
        return None
    lengths = queries["hits"].list.len().fill_null(0).cast(pl.Int64)
    docs = queries["hits"].filter(lengths > 0).explode()
    starts = (lengths.cum_sum() - lengths).filter(lengths > 0).to_numpy()
    if has_repeats(docs.hash(1).to_numpy(), starts):
        return None
    lists = queries.drop("doc", "hits").with_columns(
        pl.lit(ASKED).alias("event"),
        pl.col("query_id").fill_null(_UNNAMED),
        (lengths.cum_sum() - lengths).alias(FIRST),
        lengths.alias(LENGTH),
    )
    return lists, docs


def _spread_hits(
    queries: pl.DataFrame, impressions: pl.DataFrame
) -> tuple[pl.DataFrame, list[str]]:
    """A row for each result of hits, and of impressions where a query lists no hits.

    The list of a query that was logged several times goes on, page after page.
    """
    in_order = queries.sort("time", nulls_last=True, maintain_order=True).drop("doc")
    hits = in_order.rename({"hits": "doc"}).explode("doc", empty_as_null=True)
    is_empty = pl.col("doc").is_null()
    hits = hits.with_columns(event=pl.when(is_empty).then(pl.lit(ASKED)).otherwise(pl.lit(SHOWN)))
    lists = impressions.sort("query_id", "ordinal", "time", "row", nulls_last=True)
    shown = pl.concat([hits, lists.select(hits.columns)])
    shown = shown.with_columns(pl.col("query_id").fill_null(_UNNAMED))
    is_first = pl.struct("query_id", "doc").is_first_distinct() | pl.col("doc").is_null()
    ranked = shown.filter(is_first).with_columns(
        *(
            pl.col(name).fill_null(pl.col(name).drop_nulls().first().over("query_id"))
            for name in ("text", "topic", "system", "scenario")
            if name in shown.columns
        ),
        rank=pl.when(pl.col("doc").is_not_null()).then(
            pl.col("doc").cum_count().over("query_id").cast(pl.Int64)
        ),
    )
    notes = []
    if len(impressions):
        number = count_noun(impressions["query_id"].n_unique(), "query")
        notes.append(f"{number} without hits: impressions in order of position form the list")
    notes += note_shown_twice(len(shown) - len(ranked))
    return ranked, notes


def _choose_actions(events: pl.DataFrame, shown: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Actions on results; an event without an object belongs to none."""
    actions = events.filter(~pl.col("event").is_in([SHOWN, ASKED])).drop("hits", "ordinal")
    other = actions.filter(pl.col("doc").is_null())
    notes = []
    if len(other):
        kinds = other["event"].unique(maintain_order=True).to_list()
        words = join_words(kinds[:4] + (["others"] if len(kinds) > 4 else []))
        notes.append(f"{count_noun(len(other), 'event')} of no result ({words}) not used")
    actions = actions.filter(pl.col("doc").is_not_null())
    is_logged = pl.col("query_id").is_in(shown["query_id"].unique().implode())
    others = actions.filter(~is_logged)  # and not those that name none
    if 0 < len(others) < len(actions):
        words = count_noun(len(others), "event names a query", "events name queries")
        notes.append(f"{words} that the log does not have: not used")
        actions = actions.filter(is_logged | pl.col("query_id").is_null())
    asked = shown.group_by("query_id").agg(pl.col("time").min().alias("asked"))
    actions = actions.join(asked, on="query_id", how="left", maintain_order="left")
    early = int((actions["time"] < actions["asked"]).sum())
    if early:
        notes.append(
            f"{count_noun(early, 'event')} before the query they name, by other clocks: counted as "
            "after it"
        )
    later = pl.max_horizontal("time", "asked")
    return actions.with_columns(time=pl.when(pl.col("time").is_not_null()).then(later)).drop(
        "asked"
    ), notes
