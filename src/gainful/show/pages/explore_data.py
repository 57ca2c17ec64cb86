"""What was shown in sessions, as columns of plain data that the live page computes from.

Texts and documents stand once, grades by number; a result is its document, its grade, and what
the session has seen of that document before.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from gainful.errors import BadInput, BadValue
from gainful.evidence.intervals import DrawnUnits
from gainful.evidence.statistics.bootstrap import draw_weights
from gainful.evidence.statistics.outcome import Resampling
from gainful.match.session_groups import check_group_columns, session_columns as session_heads
from gainful.match.sessions import JudgedResults, MatchedSessions
from gainful.read.sessions import Sessions
from gainful.show.pages.report_data import cut_text
from gainful.types import Array, Ranks

MAX_GROUPS = 7  # that colours can tell apart
_MAX_CHOICES = 40  # values of a column that one can choose from
_MAX_TEXT = 10_000  # characters of a text that a page holds
_MAX_DRAWS = 1_000_000  # of units, for the intervals of a page: a character each
_RESAMPLES = (200, 2000)  # at least, and at most
_DIGITS = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)


@frozen(eq=False)
class Grades:
    """All grades there are, ascending, and what of them the page is about."""

    values: Array
    has_own: bool  # are those of the searchers among them?

    def encode(self, grades: Array) -> list[int]:
        """The number of each grade."""
        codes: list[int] = np.searchsorted(self.values, grades).tolist()
        return codes


def collect_grades(sessions: MatchedSessions, *, own: bool) -> Grades:
    """The grades of all judged documents; with `own`, those that searchers gave too."""
    parts = [sessions.judged.pool_grade]
    if own:
        by_searcher = sessions.searcher_judgments()
        parts += [by_searcher.grade, by_searcher.pool_grade]
    return Grades(np.unique(np.concatenate(parts)), own)


def session_columns(sessions: MatchedSessions, loaded: Sessions) -> dict[str, Any]:
    """A column for each thing to know of a session."""
    longest = loaded.frame.group_by("session").agg(pl.col("query").max().alias("query_count"))
    names = pl.DataFrame({"session": list(sessions.session_ids)})
    joined = names.join(longest, on="session", how="left", maintain_order="left")
    return {
        "names": [cut_text(name, _MAX_TEXT) for name in sessions.session_ids],
        "queries": sessions.query_counts.tolist(),
        "allQueries": joined["query_count"].to_list(),  # of which some may have no judgments
    }


def query_columns(sessions: MatchedSessions, deepest: int) -> dict[str, Any]:
    """A column for each thing to know of a query."""
    first_rows = sessions.layout.query_starts
    texts: list[str | None] = [None] * len(first_rows)
    if "text" in sessions.rows.columns:
        texts = sessions.rows["text"].gather(first_rows).cast(pl.String).to_list()
    text_numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return {
        "text": [text_numbers[text] for text in texts],
        "texts": [None if text is None else cut_text(text, _MAX_TEXT) for text in text_numbers],
        "shown": np.minimum(sessions.retrieved, deepest).tolist(),
        "listed": sessions.retrieved.tolist(),
    }


def result_columns(sessions: MatchedSessions, grades: Grades, deepest: int) -> dict[str, Any]:
    """A column for each thing to know of a result, down to some rank, query by query."""
    rows = sessions.rows
    rank = rows["rank"].fill_null(0).to_numpy()
    in_page = (rank > 0) & (rank <= deepest) & rows["doc"].is_not_null().to_numpy()
    docs = rows["doc"].filter(pl.Series(in_page))
    unique_docs = docs.unique(maintain_order=True)
    columns = {
        "docs": [cut_text(doc, _MAX_TEXT) for doc in unique_docs],
        "doc": _number(docs, unique_docs),
        "grade": _grade_codes(sessions.judged, grades, len(rows))[in_page].tolist(),
    }
    if "clicked" in rows.columns:
        clicked_before = np.zeros(len(rows), dtype=bool)
        clicked_before[sessions.judged.row] = ~sessions.is_before_click(sessions.judged)
        columns["clicked"] = rows["clicked"].to_numpy().astype(int)[in_page].tolist()
        columns["clickedBefore"] = clicked_before.astype(int)[in_page].tolist()
    if grades.has_own:
        own_codes = _grade_codes(sessions.searcher_judgments(), grades, len(rows))
        columns["own"] = own_codes[in_page].tolist()
    return columns


def _grade_codes(judged: JudgedResults, grades: Grades, size: int) -> Ranks:
    codes = np.full(size, -1)
    codes[judged.row] = grades.encode(judged.grade)
    return codes


def pool_columns(judged: JudgedResults, grades: Grades) -> dict[str, Any]:
    """How many documents of which grade there are to be found, for each query."""
    bases = np.unique(judged.base[judged.base >= 0])
    used = np.isin(judged.pool_base, bases)
    base = np.searchsorted(bases, judged.pool_base[used])
    grade = np.searchsorted(grades.values, judged.pool_grade[used])
    kinds, count = np.unique(base * len(grades.values) + grade, return_counts=True)
    base_numbers = np.where(judged.base >= 0, np.searchsorted(bases, judged.base), -1)
    return {
        "of": base_numbers.tolist(),
        "base": (kinds // len(grades.values)).tolist(),
        "grade": (kinds % len(grades.values)).tolist(),
        "count": count.tolist(),
        "bases": len(bases),
    }


def filter_columns(sessions: MatchedSessions, loaded: Sessions) -> list[dict[str, Any]]:
    """What sessions can be chosen by, and grouped by if there are few of it."""
    columns: list[dict[str, Any]] = []
    heads = session_heads(sessions)
    names = [name for name in loaded.columns if name in heads.columns]
    partitions = []
    for name in sorted(names, key="topic".__eq__):  # which is often the same as another column
        values = heads[name].alias("value")
        if not 2 <= values.n_unique() <= _MAX_CHOICES or not _is_nameable(sessions, name):
            continue
        ordered = values.unique().sort(nulls_last=True)
        codes = _number(values, ordered)
        if _partition(codes) in partitions:
            continue
        partitions.append(_partition(codes))
        texts = ordered.cast(pl.String).to_list()
        columns.append(
            {
                "name": name,
                "values": [None if text is None else cut_text(text, _MAX_TEXT) for text in texts],
                # what --where cannot say is not offered
                "where": [
                    text is not None and text == text.strip() and len(text) <= _MAX_TEXT
                    for text in texts
                ],
                "code": codes,
                "groups": ordered.len() <= MAX_GROUPS,
            }
        )
    return columns


def unit_columns(units: DrawnUnits, size: int) -> dict[str, Any]:
    """What is drawn again (searchers, or sessions), and how often each is in every resample.

    The draws are those of `draw_weights`, resample after resample, a digit for each unit.
    """
    number = size if units.number is None else int(units.number.max()) + 1
    fewest, most = _RESAMPLES
    resamples = min(max(_MAX_DRAWS // number, fewest), most)
    counts = np.concatenate(
        [drawn for _, drawn in draw_weights(number, Resampling(resamples=resamples))]
    )
    digits = _DIGITS[np.minimum(counts, len(_DIGITS) - 1).astype(np.intp)]
    return {
        "words": units.words,
        "number": number,
        "of": None if units.number is None else units.number.tolist(),
        "resamples": resamples,
        "weights": digits.tobytes().decode("ascii"),
    }


def _number(values: pl.Series, known: pl.Series) -> list[int]:
    """The place of each value among those that are known."""
    numbered = known.alias("value").to_frame().with_row_index("number")
    frame = values.alias("value").to_frame()
    joined = frame.join(numbered, on="value", how="left", nulls_equal=True, maintain_order="left")
    return joined["number"].to_list()


def _partition(codes: Sequence[int]) -> tuple[int, ...]:
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(code, len(numbers)) for code in codes)


def _is_nameable(sessions: MatchedSessions, name: str) -> bool:
    with suppress(BadInput, BadValue):
        check_group_columns(sessions, name, name)
        return name == name.strip() and not {",", "="} & {*name}
    return False
