"""Logs of User Behavior Insights (UBI 1.x, up to 1.3.0): queries, and the events that follow them.

Queries have `query_id`, `user_query`, `client_id`, `timestamp` and what was returned in
`query_response_hit_ids`; events have `action_name`, `query_id`, `session_id`, `client_id`,
`timestamp` and in `event_attributes` the `object.object_id` and the `position.ordinal`. Both may
stand in one file, or each in its own. Where a query lists no hits, its impressions are its list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import polars as pl

from gainful.errors import BadInput
from gainful.read.build_sessions import GAP
from gainful.read.column_names import LOG_COLUMNS, ColumnMapping
from gainful.read.event_times import EXPECTED as EXPECTED_TIMES, parse_times
from gainful.read.json_text import parse_json
from gainful.read.ranked_items import is_id
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.session_events import (
    ASKED,
    SHOWN,
    SessionEvents,
    make_events,
    read_event_words,
    tells,
)
from gainful.read.session_problems import Problem, flag_problem
from gainful.read.source import Source
from gainful.read.ubi_files import FIELDS, UNREADABLE, UbiFile, name_own, read_ubi_file
from gainful.read.ubi_lists import UbiLog, build_lists, split_queries
from gainful.text import count_noun, quote

_SHAPE = "queries with query_response_hit_ids, or events with action_name and object_id"
_ORDINALS = ("$.position.ordinal", "$.position.ordinal.index", "$.position.index")
_OBJECTS = ("$.object.object_id", "$.object.internal_id")
_ODD_ENTRY = r"[\[,]\s*(?:true|false|-?[0-9]+[.eE])|\\u[dD][89a-fA-F]"
_LABELS = ("topic", "system", "scenario", "seconds")
_PATHS = {  # by role, the column of what stands at its path
    **{role: role for role in ("session", "text", "doc", *_LABELS)},
    "searcher": "user",
}


def is_ubi(records: Sequence[dict[str, Any]]) -> bool:
    """Are these queries or events of UBI?"""
    return bool(find_kinds(records))


def find_kinds(records: Sequence[dict[str, Any]]) -> set[str]:
    """Which of both these records are: queries, events, or neither."""
    return set(map(_find_kind, records)) - {""}


def _find_kind(record: dict[str, Any]) -> str:
    if any(
        name in record for name in LOG_COLUMNS["doc"].names
    ):  # a table with a row for each result
        return ""
    if record.get("action_name") is not None:
        return "events" if "event_attributes" in record or "query_id" in record else ""
    asked = "user_query" in record and ("query_id" in record or "client_id" in record)
    return "queries" if "query_response_hit_ids" in record or asked else ""


def read_ubi(source: Source | Sequence[Source], reading: ReadOptions = AS_USUAL) -> SessionEvents:
    """The queries of one or two files with what was shown, and what was done to it.

    Args:
        source: queries and events, in one file or in two.
        reading: `columns` says where ids, sessions and others stand, as paths, `events` what words
            for events mean; after a `gap`, a client without a session is in another one.
    """
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
    locate = _locate_in_all(files)
    frame = pl.concat([file.frame for file in files], how="diagonal").with_row_index("row")
    del files  # their rows are in the frame
    frame, wrong_times, notes = _read_times(frame, name)
    log = UbiLog(
        frame.filter(pl.col("event").is_null() & pl.col("wrong").is_null()),
        frame.filter(pl.col("event").is_not_null() & pl.col("wrong").is_null()),
    )
    unreadable = frame.filter(pl.col("wrong").is_not_null()).select("row", "wrong")
    if not len(log.queries) and not len(log.events) and len(unreadable):
        raise BadInput(locate(int(unreadable["row"][0])), str(unreadable["wrong"][0]), UNREADABLE)
    if not len(log.queries) and not len(log.events):
        raise BadInput(name, "it has no queries and no events", _SHAPE)
    presence = {
        role: column in frame.columns and tells(frame, column) for role, column in _PATHS.items()
    }
    reading.columns.refuse_absent(presence, name)
    log, split_notes = split_queries(log)
    rows, docs, list_notes = build_lists(log)
    if not rows["event"].is_in([SHOWN, ASKED]).any():
        problem = "it has neither queries nor impressions, so what was shown is unknown"
        allowed = "its queries too: gainful sessions queries.jsonl events.jsonl"
        raise BadInput(name, problem, allowed)
    rows, session_notes = _tell_sessions(rows, log.events, reading.gap or GAP)
    rows = pl.concat([rows, unreadable], how="diagonal")
    places = rows["row"].to_numpy()
    return make_events(
        rows.drop("row", "wrong", "ordinal", "hits", "logged_id", strict=False),
        name,
        lambda row: locate(int(places[row])),
        notes=[*notes, *split_notes, *list_notes, *session_notes],
        problems=_list_problems(rows, wrong_times),
        docs=docs,
        judged_by="text",
    )


def _locate_in_all(files: Sequence[UbiFile]) -> Callable[[int], str]:
    """The place of a row of several files, one after the other."""
    starts = [sum(len(file.frame) for file in files[:at]) for at in range(len(files))]
    locates = [file.locate for file in files]

    def locate(row: int) -> str:
        at = max(number for number, start in enumerate(starts) if start <= row)
        return locates[at](row - starts[at])

    return locate


def _list_problems(rows: pl.DataFrame, wrong_times: dict[int, str]) -> list[Problem]:
    """Lines that cannot be read, and times that are none."""
    wrong, row = rows["wrong"], rows["row"]
    problems = [
        flag_problem(rows, wrong.is_not_null(), lambda at: str(wrong[at]), UNREADABLE),
        flag_problem(
            rows,
            row.is_in(list(wrong_times)),
            lambda at: f"timestamp {quote(wrong_times[row[at]])} is not a time",
            EXPECTED_TIMES,
        ),
    ]
    return [problem for problem in problems if len(problem.rows)]


def _select_columns(
    frame: pl.DataFrame, columns: ColumnMapping, event_words: dict[str, str]
) -> pl.DataFrame:
    """The columns of events, from the texts of some rows of a file; times are still texts."""

    def choose(role: str, *usual: pl.Expr) -> pl.Expr:
        paths = columns.names.get(role)
        return pl.coalesce(*(map(_find_path, paths) if paths else usual))

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
    labels = {role: choose(role) for role in _LABELS if role in columns.names}
    typed = frame.select(
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
        *(expression.alias(role) for role, expression in labels.items()),
        "application",
    )
    if "seconds" in labels:
        typed = typed.with_columns(pl.col("seconds").cast(pl.Float64, strict=False))
    return typed


def _look_further(frame: pl.DataFrame, name: str, path: str, where: pl.Expr) -> pl.DataFrame:
    before = pl.col(name) if name in frame.columns else pl.lit(None, dtype=pl.String)
    untold = pl.when(before.is_null() & where).then("event_attributes")
    return frame.with_columns(pl.coalesce(before, untold.str.json_path_match(path)).alias(name))


def _read_times(frame: pl.DataFrame, name: str) -> tuple[pl.DataFrame, dict[int, str], list[str]]:
    parsed = parse_times(frame["timestamp"], f"{name}: timestamp")
    wrong_times = dict(frame.select("row", "timestamp").filter(parsed.wrong).iter_rows())
    untold = ["application"] if frame["application"].null_count() == len(frame) else []
    frame = frame.drop("timestamp", *untold).with_columns(parsed.times.alias("time"))
    notes = [f"timestamps: {parsed.form}"] if "no zone" in parsed.form else []
    return frame, wrong_times, notes


def _find_path(path: str) -> pl.Expr:
    field, _, rest = path.partition(".")
    column = pl.col(name_own(field))
    return column.str.json_path_match(f"$.{rest}") if rest else column


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
        lists = pl.Series([_parse_ids(text) for text in some], dtype=pl.List(pl.String))
    whole = lists.list.eval(pl.element().is_not_null()).list.all()
    single = values.to_frame("id").select(pl.concat_list("id")).to_series()
    is_single = values.is_not_null() & ~values.str.starts_with("{")
    chosen = pl.when(is_list & whole).then(lists).when(is_single & ~is_list).then(single)
    return pl.select(chosen).to_series()


def _parse_ids(text: str | None) -> list[str] | None:
    entries = parse_json(text)
    if not isinstance(entries, list) or not all(map(is_id, entries)):
        return None
    return [str(entry) for entry in entries]


def _tell_sessions(
    rows: pl.DataFrame, events: pl.DataFrame, gap: timedelta
) -> tuple[pl.DataFrame, list[str]]:
    """All rows of a query in one session: its own, that of any of its events, or of its client.

    What a client did to no result (a page left) has a session too, and counts for that.
    """
    named = pl.concat([part.select("logged_id", "session") for part in (rows, events)])
    named = named.filter(pl.col("session").is_not_null())
    if not len(named):
        return rows, []
    by_query = (
        named.filter(pl.col("logged_id").is_not_null())
        .group_by("logged_id", maintain_order=True)
        .agg(pl.col("session").first().alias("of_query"))
    )
    rows = rows.join(by_query, on="logged_id", how="left", maintain_order="left").with_columns(
        session=pl.coalesce("of_query", "session")
    )
    rows = rows.drop("of_query")
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
    pause = pl.col("time") - pl.col("time").shift(1).over("user")
    number = (pause > gap).fill_null(value=False).cum_sum().over("user") + 1
    made = alone.with_columns(near=pl.format("{}#{}", pl.col("user"), number))
    both = pl.concat([near.filter(pl.col("near").is_not_null()), made]).select("row", "near")
    rows = rows.join(both, on="row", how="left", maintain_order="left").with_columns(
        session=pl.coalesce("session", "near")
    )
    notes = [
        f"{count_noun(len(part), 'query')} without session_id: {words}"
        for part, words in (
            (near.filter(pl.col("near").is_not_null()), "added to the client's nearest session"),
            (made, "sessions split by gaps between the client's queries"),
        )
        if len(part)
    ]
    return rows.drop("near"), notes
