"""Sessions of TREC's tracks: runs of conversations and of Dynamic Domain, XML of the Session Track.

The query ids of conversations (CAsT, iKAT) carry the turn: 106_3 is the third turn of conversation
106, and each turn has judgments of its own.

Lines of Dynamic Domain have topic, iteration (from 0), document, score, on-topic and
subtopic:rating|…, with tabs between them. The topic is the session, an iteration its query. Results
are ranked by their scores, equal ones in the order of their lines, as the track's scorers rank
them; where a line has no score, by the order of lines alone.

The years of the Session Track (2011–2014) differ: what a document's id is called, whether topics
have numbers, whether times are of the clock or in seconds, and whether turning a page is an
interaction of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import polars as pl
from attrs import evolve, field, mutable

from gainful.errors import BadInput, BadValue, WrongType
from gainful.read import trec_files
from gainful.read.column_names import TURN_QUERY
from gainful.read.qrels_and_run import RUN, Run
from gainful.read.read_options import AS_USUAL, AnyTopics, ReadOptions
from gainful.read.safe_xml import find_line, find_text, parse_xml
from gainful.read.session_layout import BadPolicy, flag_problems
from gainful.read.sessions import RESULT_COLUMNS, Sessions, check_sessions
from gainful.read.source import Source, open_source
from gainful.read.trec_files import number_lines
from gainful.text import count_noun, quote

TIES = ("doc_descending", "input")  # as trec_eval breaks them, or in the order of the file
_EXPECTED = (
    "ids of conversation_turn, such as 106_3 or 9-1_2; a run of single queries is for gainful eval"
)


def read_conversations(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """The turns of conversations as queries of sessions."""
    ties, bad = reading.ties, reading.policy
    if ties not in (None, *TIES):
        raise BadValue("ties", ties, " or ".join(TIES))
    run = trec_files.read_rows(source, RUN).build()
    frame = _rank_turns(run.frame, by_id=ties != "input")

    def locate(row: int) -> str:
        return run.locate(int(frame["row"][row]))

    columns = frame.select("session", "query", "rank", "doc", pl.col("id").alias("topic"))
    if run.tag:  # what the run calls itself
        columns = columns.with_columns(system=pl.lit(run.tag))
    no_turn, without_turn = frame["number"].is_null(), "query id {} has no turn"
    if no_turn.any() and bad == "error":
        first = int(frame["row"].filter(no_turn).min())  # type: ignore[arg-type]  # of the file
        words = without_turn.format(quote(run.frame["query"][first]))
        raise BadInput(run.locate(first), words, _EXPECTED)
    of_turn = pl.col("id").unique().sort().over("session", "number", mapping_strategy="join")
    ids = frame.select(of_turn).to_series()
    problems = flag_problems(
        columns,
        (no_turn, lambda row: without_turn.format(quote(frame["id"][row])), _EXPECTED),
        (
            (ids.list.len() > 1) & ~no_turn,
            lambda row: (
                f"query position repeated: {' and '.join(map(quote, ids[row]))} are the same turn"
            ),
            "one id for each turn",
        ),
    )
    return check_sessions(
        columns,
        source.name,
        locate,
        bad=bad,
        per_turn=True,
        notes=run.notes,
        reader_problems=problems,
    )


def _rank_turns(run: pl.DataFrame, *, by_id: bool) -> pl.DataFrame:
    """Rows by conversation (or the whole id), as they first appear, number of the turn and rank."""
    parts = pl.col("query").str.extract_groups(TURN_QUERY).struct
    frame = run.with_row_index("row").select(
        *("row", "doc", "score"),
        pl.col("query").alias("id"),
        parts.field("1").fill_null(pl.col("query")).alias("session"),
        parts.field("2").cast(pl.Int64).alias("number"),
    )
    first = frame["session"].unique(maintain_order=True).to_frame().with_row_index("order")
    keys = {"order": False, "number": False, "score": True} | ({"doc": True} if by_id else {})
    return (
        frame.join(first, on="session", how="left", maintain_order="left")
        .sort(*keys, descending=list(keys.values()), maintain_order=True)
        .with_columns(
            rank=pl.int_range(1, pl.len() + 1).over("session", "number"),
            query=pl.col("number").rank("dense").over("session").cast(pl.Int64).fill_null(1),
        )
    )


def is_conversation(source: Source) -> bool:
    """Is it a TREC run? Whether its ids name turns is found, and told, by reading it."""
    lines = [line.split() for line in source.first_lines]
    return all(len(fields) >= 6 for fields in lines) and trec_files.is_number(lines[0][4])


LINE_FIELDS = (
    "topic, iteration (from 0), document, score, on-topic, subtopic:rating|…; tabs between"
)
_RATINGS = re.compile(r"(NULL|none|[^:|\s]+:[^:|\s]+(\|[^:|\s]+:[^:|\s]+)*)?", re.IGNORECASE)


def read_dynamic_domain(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """Topics as sessions; an iteration that is missing in between is a query without results."""
    parts = pl.col("text").str.split("\t").list
    fields = trec_files.number_lines(source).with_columns(
        parts.len().alias("fields"),
        *(
            parts.get(index, null_on_oob=True).str.strip_chars().alias(name)
            for index, name in enumerate(("session", "iteration", "doc", "score"))
        ),
    )
    scored = fields.with_columns(pl.col("score").cast(pl.Float64, strict=False))
    if not scored["score"].null_count():
        in_order = pl.all().sort_by("score", descending=True, maintain_order=True)
        fields = scored.with_columns(in_order.over("session", "iteration"))
    iteration = fields["iteration"].cast(pl.Int64, strict=False)
    short, odd = fields["fields"] < 3, iteration.is_null() | (iteration < 0)
    frame = fields.select(
        "session", (iteration + 1).alias("query"), pl.lit(None, dtype=pl.Int64).alias("rank"), "doc"
    )
    no_doc = ~short & ~odd & ((fields["doc"] == "") | fields["doc"].is_null())
    not_whole = "iteration {} is not a whole number of at least 0"
    problems = flag_problems(
        frame,
        (short, lambda row: count_noun(fields["fields"][row], "field"), LINE_FIELDS),
        (~short & odd, lambda row: not_whole.format(quote(fields["iteration"][row])), LINE_FIELDS),
        (no_doc, lambda _: "there is no document", LINE_FIELDS),
    )
    missing = _missing_iterations(frame, source.name)
    notes = [f"{count_noun(len(missing), 'iteration')} without results"] if len(missing) else []
    frame = pl.concat([frame, missing])
    return check_sessions(
        frame,
        source.name,
        source.locate_rows(fields["line"].to_list),
        bad=reading.policy,
        ranked=False,
        notes=notes,
        reader_problems=problems,
    )


_MAX_ITERATIONS = 10_000  # of a topic; beyond it, a number is a mistake and not an iteration
_MAX_MADE_UP = 1_000_000  # iterations without results, of all topics


def _missing_iterations(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """A row without a document for each iteration that is missing in between."""
    plausible = frame.filter(pl.col("query").is_between(1, _MAX_ITERATIONS))
    present = plausible.select("session", "query").unique()
    last = present.group_by("session").agg(pl.col("query").max())["query"].sum()
    if last - present.height > _MAX_MADE_UP:
        problem = f"{last - present.height} iterations have no results"
        raise BadInput(name, problem, "iterations counted on from 0")
    complete = (
        present.group_by("session", maintain_order=True)
        .agg(pl.int_range(1, pl.col("query").max() + 1).alias("query"))
        .explode("query")
    )
    missing = complete.join(present, on=["session", "query"], how="anti", maintain_order="left")
    return missing.with_columns(
        rank=pl.lit(None, dtype=pl.Int64), doc=pl.lit(None, dtype=pl.String)
    ).select(frame.columns)


def is_dynamic_domain(source: Source) -> bool:
    """Have its first lines tabs, an iteration, and ratings of subtopics?"""
    lines = [line.split("\t") for line in source.first_lines]
    return all(
        5 <= len(fields) <= 6
        and fields[1].strip().isdecimal()
        and fields[4].strip() in ("0", "1")
        and _RATINGS.fullmatch(fields[5].strip() if len(fields) > 5 else "") is not None
        for fields in lines
    )


_DAY = 24 * 60 * 60
_NOT_ID_TAGS = ("url", "title", "snippet")  # what a result tells besides the id of its document
_TEXTS = ("doc", "topic", "searcher", "text", "current_query")
_COLUMNS: dict[str, Any] = {
    "session": pl.String,
    "query": pl.Int64,
    "rank": pl.Int64,
    **dict.fromkeys(_TEXTS, pl.String),
    "clicked": pl.Boolean,
    "seconds": pl.Float64,
    "line": pl.Int64,
    "wrong": pl.String,
}
_OPTIONAL = ("topic", "searcher", "text", "current_query", "seconds")


@mutable(eq=False)
class _ResultList:
    """A query and what it showed, over as many pages as were turned."""

    text: str
    line: int
    results: list[dict[str, Any]] = field(factory=list)
    problem: str | None = None


def read_session_xml(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """Sessions from the XML of the Session Track.

    The query at the end that was to be ranked has no results and is no query of its session; its
    text is the column current_query.
    """
    pages, bad = reading.pages, reading.policy
    if pages not in (None, "merge", "count"):
        raise BadValue("pages", pages, "merge or count")
    root = parse_xml(source)
    note_counts: Counter[str] = Counter()
    rows = [
        row
        for session in root.findall("session")
        for row in _read_session_rows(session, note_counts, merge=pages != "count")
    ]
    if not rows:
        problem = f"there is no session in <{root.tag}>"
        raise BadInput(source.name, problem, "<session> elements, as of the TREC Session Track")
    frame = pl.DataFrame(rows, schema=_COLUMNS)
    lines, row_problems = frame["line"], frame["wrong"]
    present = [name for name in _OPTIONAL if frame[name].null_count() < len(frame)]
    frame = frame.select("session", "query", "rank", "doc", "clicked", *present)
    expected = "a session of TREC's XML"
    problems = flag_problems(
        frame, (row_problems.is_not_null(), lambda row: row_problems[row], expected)
    )
    notes = [f"{count_noun(number, *words.split('|'))}" for words, number in note_counts.items()]
    return check_sessions(
        frame,
        source.name,
        lambda row: f"{source.name}:{lines[row]}",
        bad=bad,
        notes=notes,
        reader_problems=problems,
    )


def _read_session_rows(
    session: Element, note_counts: Counter[str], *, merge: bool
) -> Iterator[dict[str, Any]]:
    """The rows of a session; one with what is wrong, if something is."""
    topic, current = session.find("topic"), session.find("currentquery")
    subject = None if topic is None else topic.get("num") or find_text(topic, "title")
    session_values = {
        "session": session.get("num", "").strip(),
        "topic": subject or None,
        "searcher": session.get("userid") or None,
        "current_query": None if current is None else find_text(current, "query") or None,
        "clicked": False,
    }
    result_lists = _read_result_lists(session, note_counts, merge=merge)
    if not (session_values["session"] and result_lists):
        problem = "it has no query" if session_values["session"] else "a session has no number"
        yield session_values | {"query": 1, "line": find_line(session), "wrong": problem}
        return
    for number, result_list in enumerate(result_lists, start=1):
        of_query = session_values | {"query": number, "text": result_list.text}
        if result_list.problem or not result_list.results:
            yield of_query | {"line": result_list.line, "wrong": result_list.problem}
        else:
            yield from (of_query | result for result in result_list.results)


def _read_result_lists(
    session: Element, note_counts: Counter[str], *, merge: bool
) -> list[_ResultList]:
    """The queries of a session in order, pages put together."""
    result_lists: list[_ResultList] = []
    for number, interaction in enumerate(session.findall("interaction"), start=1):
        page = interaction.get("type", "").strip().lower() == "page"
        if not (page and merge and result_lists):
            text, line = find_text(interaction, "query"), find_line(interaction)
            result_lists.append(_ResultList(text, line))
        elif page:
            note_counts[
                "further page continues the list before|further pages continue the lists before"
            ] += 1
        result_list = result_lists[-1]
        number_text = interaction.get("num", str(number)).strip()
        if number_text != str(number) and result_list.problem is None:
            result_list.problem = _describe_wrong_number(number_text, number)
        _add_results(result_list, interaction, note_counts)
    return result_lists


def _describe_wrong_number(number_text: str, number: int) -> str:
    parsed = _parse_number(number_text)
    if parsed is None:
        return f"interaction number {quote(number_text)} is not a whole number"
    if parsed < number:
        return (
            f"query position repeated: interaction {number_text} comes again where {number} is due"
        )
    return f"query position missing: interaction {number_text} comes where {number} is due"


def _add_results(result_list: _ResultList, interaction: Element, note_counts: Counter[str]) -> None:
    """Put the results of an interaction behind those that its query has shown."""
    results = interaction.findall("results/result")
    before = len(result_list.results)
    by_rank: dict[int, dict[str, Any]] = {}
    by_doc: dict[str, dict[str, Any]] = {result["doc"]: result for result in result_list.results}
    first, shown_before = 1, {*by_doc}
    for number, result in enumerate(results, start=1):
        doc, rank = _doc_id(result), _parse_number(result.get("rank", str(number)))
        if not doc or rank is None:
            lacking = "no document id" if not doc else "no rank that is a whole number"
            problem = f"the result on line {find_line(result)} has {lacking}"
            result_list.problem = result_list.problem or problem
            return
        if number == 1 and (before or interaction.get("type") == "page"):
            first = rank  # a further page counts from 1 or goes on
        if doc in shown_before:
            note_counts[
                "result of a further page was shown before and is left out|results of further "
                "pages were shown before and are left out"
            ] += 1
            first += 1
            by_rank[rank] = by_doc[doc]
            continue
        place = before + rank - first + 1
        entry = {"rank": place, "doc": doc, "clicked": False, "line": find_line(result)}
        by_rank.setdefault(rank, entry)
        by_doc.setdefault(doc, entry)
        result_list.results.append(entry)
    _mark_clicks(interaction, by_rank, by_doc, note_counts)


def _mark_clicks(
    interaction: Element,
    by_rank: dict[int, dict[str, Any]],
    by_doc: dict[str, dict[str, Any]],
    note_counts: Counter[str],
) -> None:
    """Mark the results that were clicked, by id where there is one and else by rank."""
    for click in interaction.findall("clicked/click"):
        rank = _parse_number(find_text(click, "rank"))
        by_place = None if rank is None else by_rank.get(rank)
        result = by_doc.get(find_text(click, "docno")) or by_place
        if result is None:
            note_counts["click beyond the list is ignored|clicks beyond the list are ignored"] += 1
            continue
        result["clicked"] = True
        start, end = (_parse_seconds(click.get(name, "")) for name in ("starttime", "endtime"))
        if start is not None and end is not None:
            dwell = (end - start) % _DAY if end < start else end - start  # past midnight
            result["seconds"] = dwell + result.get("seconds", 0.0)


def _doc_id(result: Element) -> str:
    """The id of a result: clueweb09id, clueweb12id or however it is called."""
    tags = [child.tag.lower() for child in result]
    named = (tag for tag in tags if tag.endswith("id") or tag in ("docno", "doc"))
    others = (tag for tag in tags if tag not in _NOT_ID_TAGS)
    chosen = next(named, None) or next(others, None)
    return "" if chosen is None else (result[tags.index(chosen)].text or "").strip()


def _parse_number(text: str) -> int | None:
    return int(text) if text.strip().isdecimal() and len(text) < 10 else None


def _parse_seconds(text: str) -> float | None:
    """Seconds, from seconds or from a time of the clock such as 10:21:55.141117."""
    texts = text.split(":")
    if len(texts) not in (1, 3):
        return None
    try:
        parts = [float(part) for part in texts]
    except ValueError:
        return None
    seconds = sum(part * 60**power for power, part in enumerate(reversed(parts)))
    return seconds if 0 <= seconds < float("inf") else None


def with_topics(sessions: Sessions, given: AnyTopics, bad: BadPolicy | None = None) -> Sessions:
    """Sessions with the topics that a file names; others are left out, or by "error" refused."""
    path = "topics" if isinstance(given, Mapping) else given
    if sessions.per_turn:
        raise BadValue("topics", str(path), "no value: each turn is its own topic")
    if isinstance(given, Mapping):
        topics, skipped = {str(session): str(topic) for session, topic in given.items()}, 0
    elif isinstance(given, (str, PathLike)):
        topics, skipped = _read_topics(given)
    else:
        raise WrongType("topics", given, "a file of lines `session topic`, or {session: topic}")
    columns = {"session": [*topics], "topic": [*topics.values()]}
    topic_frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    frame = sessions.frame.drop("topic", strict=False)
    frame = frame.join(topic_frame, on="session", how="left", maintain_order="left")
    lacking = frame.filter(pl.col("topic").is_null())["session"]
    missing = lacking.n_unique()
    if len(lacking) == len(frame):
        raise BadInput(str(path), f"it has no topic for any session of {sessions.name}")
    if missing and bad == "error":
        problem = f"it has no topic for session {quote(lacking[0])}"
        raise BadInput(str(path), problem, "a topic for every session, or --bad skip (bad='skip')")
    notes = list(sessions.notes)
    if skipped:
        notes.append(f"{count_noun(skipped, 'line')} of {path} without a topic number skipped")
    if missing:
        notes.append(f"{count_noun(missing, 'session')} left out: no topic in {path}")
    return evolve(
        sessions,
        frame=frame.filter(pl.col("topic").is_not_null()),
        notes=notes,
        dropped_count=sessions.dropped_count + missing,
        known_layout=None if missing else sessions.known_layout,
    )


def _read_topics(path: str | PathLike[str]) -> tuple[dict[str, str], int]:
    """The topic of each session, and how many lines were skipped."""
    source, topics, skipped = open_source(path), dict[str, str](), 0
    rows = [(number, line.split()) for number, line in number_lines(source).iter_rows()]
    numbered = any(len(fields) > 1 and fields[1].isdecimal() for _, fields in rows)
    for number, fields in rows:
        if len(fields) < 2 or (numbered and not fields[1].isdecimal()):
            skipped += 1
            continue
        session, topic = fields[:2]
        if topics.setdefault(session, topic) != topic:
            problem = f"session {quote(session)} has two topics, {topics[session]} and {topic}"
            raise BadInput(f"{source.name}:{number}", problem, "one topic for each session")
    if not topics:
        raise BadInput(source.name, "it names no topic", "lines of session topic [subtopic]")
    return topics, skipped


def join_last_query(sessions: Sessions, run: Run) -> Sessions:
    """Sessions with one more query each: the results of a run, by score, equal scores as given.

    A session that the run does not have got nothing for its last query.
    """
    known = sessions.frame["session"].unique(maintain_order=True)
    unknown = run.frame.filter(~pl.col("query").is_in(known.implode()))
    if len(unknown):
        session = quote(unknown["query"][0])
        problem = f"session {session} is not in {sessions.name}"
        raise BadInput(run.name, problem, "session ids in place of query ids")
    ordered = run.frame.sort("score", descending=True, maintain_order=True)
    rank = pl.int_range(1, pl.len() + 1).over("query")
    results = ordered.select(pl.col("query").alias("session"), "doc", rank=rank)
    last = _last_queries(sessions)
    rows = last.join(results, on="session", how="left", maintain_order="left_right")
    frame = pl.concat([sessions.frame, rows], how="diagonal_relaxed")
    frame = frame.drop("current_query", strict=False)
    if "clicked" in frame.columns:
        frame = frame.with_columns(pl.col("clicked").fill_null(value=False))
    missing = int(np.sum(~known.is_in(run.frame["query"].unique().implode()).to_numpy()))
    notes = [f"the last query of each session is answered by {run.name}"]
    if missing:
        notes.append(f"{count_noun(missing, 'session')} not in {run.name}: nothing was returned")
    joined = check_sessions(
        frame,
        sessions.name,
        lambda row: f"{sessions.name} with {run.name}, row {row + 1}",
        per_turn=sessions.per_turn,
        notes=(*sessions.notes, *notes),
    )
    return evolve(joined, problems=sessions.problems, dropped_count=sessions.dropped_count)


def _last_queries(sessions: Sessions) -> pl.DataFrame:
    """A row for each session: the position of its next query, and its attributes."""
    heads = sessions.frame.group_by("session", maintain_order=True).agg(
        pl.col("query").max() + 1, pl.exclude("query", "rank", "doc").first()
    )
    blank = [name for name in (*RESULT_COLUMNS, "scanned") if name in heads.columns]
    text = "current_query" if "current_query" in heads.columns else None
    if "text" in heads.columns or text is not None:
        heads = heads.with_columns(text=pl.lit(None, pl.String) if text is None else pl.col(text))
    return heads.drop(blank)
