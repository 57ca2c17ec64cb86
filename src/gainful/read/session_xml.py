"""TREC Session Track 2011–2014: XML of sessions with queries, results and clicks.

The years differ: what a document's id is called, whether topics have numbers, whether times are
of the clock or in seconds, and whether turning a page is told as an interaction of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import polars as pl
from attrs import field, mutable

from gainful.errors import BadInput, BadValue, counted, shown
from gainful.read.safe_xml import Element, parsed
from gainful.read.session_problems import given
from gainful.read.sessions import Bad, Sessions, checked
from gainful.read.source import Source

_DAY = 24 * 60 * 60
_NO_ID = ("url", "title", "snippet")  # what a result tells besides the id of its document
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
class _List:
    """A query and what it showed, over as many pages as were turned."""

    text: str
    line: int
    results: list[dict[str, Any]] = field(factory=list)
    docs: set[str] = field(factory=set)
    wrong: str | None = None


def read(source: Source, bad: Bad = "error", pages: str | None = None) -> Sessions:
    """Sessions from the XML of the Session Track.

    The query at the end that was to be ranked has no results and is no query of its session; its
    text is the column current_query.

    Args:
        source: the file.
        bad: refuse sessions that are not as they should be, or leave them out and say so.
        pages: does a further page continue the list before (`merge`, the default), or count as a
            query (`count`)?
    """
    if pages not in (None, "merge", "count"):
        raise BadValue("pages", pages, "merge or count")
    root = parsed(source)
    told: Counter[str] = Counter()
    rows = [
        row
        for session in root.each("session")
        for row in _rows(session, told, merge=pages != "count")
    ]
    if not rows:
        problem = f"there is no session in <{root.tag}>"
        raise BadInput(source.name, problem, "<session> elements, as of the TREC Session Track")
    frame = pl.DataFrame(rows, schema=_COLUMNS, orient="row")
    lines, wrong = frame["line"], frame["wrong"]
    kept = [one for one in _OPTIONAL if frame[one].null_count() < len(frame)]
    frame = frame.select("session", "query", "rank", "doc", "clicked", *kept)
    problem_ = given(frame, wrong.is_not_null(), lambda at: wrong[at], "a session of TREC's XML")
    notes = [f"{counted(number, *words.split('|'))}" for words, number in told.items()]
    return checked(
        frame,
        source.name,
        lambda row: f"{source.name}:{lines[row]}",
        bad=bad,
        notes=notes,
        wrong=[problem_] if len(problem_.rows) else [],
    )


def _rows(session: Element, told: Counter[str], *, merge: bool) -> Iterator[tuple[Any, ...]]:
    """The rows of a session; one with what is wrong, if something is."""
    name = session.attributes.get("num", "").strip()
    topic = session.first("topic")
    subject = None if topic is None else topic.attributes.get("num") or topic.words("title")
    current = session.first("currentquery")
    text = None if current is None else current.words("query") or None
    alike = (subject or None, session.attributes.get("userid") or None)
    lists = list(_lists(session, told, merge=merge))
    if not (name and lists):
        wrong = "it has no query" if name else "a session has no number"
        yield (name, 1, None, None, *alike, None, text, False, None, session.line, wrong)
        return
    for number, one in enumerate(lists, start=1):
        if one.wrong or not one.results:
            beside = (one.text, text, False, None, one.line, one.wrong)
            yield (name, number, None, None, *alike, *beside)
            continue
        for result in one.results:
            beside = (one.text, text, result["clicked"], result["seconds"], result["line"], None)
            yield (name, number, result["rank"], result["doc"], *alike, *beside)


def _lists(session: Element, told: Counter[str], *, merge: bool) -> Iterator[_List]:
    """The queries of a session in order, pages put together."""
    lists: list[_List] = []
    for number, one in enumerate(session.each("interaction"), start=1):
        page = one.attributes.get("type", "").strip().lower() == "page"
        if not (page and merge and lists):
            lists.append(_List(one.words("query"), one.line))
        elif page:
            told[
                "further page continues the list before|further pages continue the lists before"
            ] += 1
        into = lists[-1]
        given_ = one.attributes.get("num", str(number)).strip()
        if given_ != str(number) and into.wrong is None:
            into.wrong = _misnumbered(given_, number)
        _add(into, one, told)
    return iter(lists)


def _misnumbered(given_: str, number: int) -> str:
    if not given_.isdecimal():
        return f"interaction number {shown(given_)} is not a whole number"
    if int(given_) < number:
        return f"query position repeated: interaction {given_} comes again where {number} is due"
    return f"query position missing: interaction {given_} comes where {number} is due"


def _add(into: _List, interaction: Element, told: Counter[str]) -> None:
    """Put the results of an interaction behind those that its query has shown."""
    results = [one for part in interaction.each("results") for one in part.each("result")]
    before = len(into.results)
    by_rank: dict[int, dict[str, Any]] = {}
    by_doc: dict[str, dict[str, Any]] = {one["doc"]: one for one in into.results}
    shown_here: set[str] = set()
    first = 1
    for number, one in enumerate(results, start=1):
        doc, rank = _document(one), _number(one.attributes.get("rank", str(number)))
        if not doc or rank is None:
            lack = "no document id" if not doc else "no rank that is a whole number"
            into.wrong = into.wrong or f"the result on line {one.line} has {lack}"
            return
        if number == 1 and (before or interaction.attributes.get("type") == "page"):
            first = rank  # a further page counts from 1 or goes on
        if before and doc in into.docs and doc not in shown_here:
            told[
                "result of a further page had been shown before and is left out"
                "|results of further pages had been shown before and are left out"
            ] += 1
            first += 1
            by_rank[rank] = by_doc[doc]
            continue
        place = before + rank - first + 1
        made = {"rank": place, "doc": doc, "clicked": False, "seconds": None, "line": one.line}
        by_rank.setdefault(rank, made)
        by_doc.setdefault(doc, made)
        shown_here.add(doc)
        into.docs.add(doc)
        into.results.append(made)
    _click(interaction, by_rank, by_doc, told)


def _click(
    interaction: Element,
    by_rank: dict[int, dict[str, Any]],
    by_doc: dict[str, dict[str, Any]],
    told: Counter[str],
) -> None:
    """Mark the results that were clicked, by id where there is one and else by rank."""
    for click in (one for part in interaction.each("clicked") for one in part.each("click")):
        rank = _number(click.words("rank"))
        found = by_doc.get(click.words("docno")) or (None if rank is None else by_rank.get(rank))
        if found is None:
            told["click beyond the list is ignored|clicks beyond the list are ignored"] += 1
            continue
        found["clicked"] = True
        start, end = (_time(click.attributes.get(name, "")) for name in ("starttime", "endtime"))
        if start is not None and end is not None:
            stayed = (end - start) % _DAY if end < start else end - start  # past midnight
            found["seconds"] = stayed + (found["seconds"] or 0.0)


def _document(result: Element) -> str:
    """The id of a result: clueweb09id, clueweb12id or however it is called."""
    for one in result.inside:
        if one.tag.lower().endswith("id") or one.tag.lower() in ("docno", "doc"):
            return one.text.strip()
    others = [one.text.strip() for one in result.inside if one.tag.lower() not in _NO_ID]
    return others[0] if others else ""


def _number(text: str) -> int | None:
    return int(text) if text.strip().isdecimal() and len(text) < 10 else None


def _time(text: str) -> float | None:
    """Seconds, from seconds or from a time of the clock such as 10:21:55.141117."""
    try:
        parts = [float(part) for part in text.split(":")]
    except ValueError:
        return None
    seconds = sum(part * 60**power for power, part in enumerate(reversed(parts)))
    return seconds if len(parts) in (1, 3) and 0 <= seconds < float("inf") else None


def fits(source: Source) -> bool:
    """Is it XML?"""
    return source.head.lstrip().startswith(b"<")
