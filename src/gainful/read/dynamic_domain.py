"""Runs of TREC Dynamic Domain: what a system showed a simulated user, iteration by iteration.

Lines of topic, iteration (from 0), document, score, on-topic and subtopic:rating|…, with tabs
between them. The topic is the session, an iteration its query, the order of lines the ranking.
"""

from __future__ import annotations

import re

import polars as pl

from gainful.errors import counted, shown
from gainful.read import trec_files
from gainful.read.session_problems import given
from gainful.read.sessions import Bad, Sessions, checked
from gainful.read.source import Source

LAYOUT = "topic, iteration (from 0), document, score, on-topic, subtopic:rating|…; tabs between"
_RATINGS = re.compile(r"(NULL|none|[^:|\s]+:[^:|\s]+(\|[^:|\s]+:[^:|\s]+)*)?", re.IGNORECASE)


def read(source: Source, bad: Bad = "error") -> Sessions:
    """Topics as sessions; an iteration that is missing in between is a query without results."""
    try:
        lines = pl.DataFrame({"text": source.content().decode("utf-8").split("\n")})
    except UnicodeDecodeError:
        raise trec_files.not_utf8(source) from None
    lines = lines.with_row_index("line", offset=1).with_columns(
        pl.col("text").str.strip_chars_end("\r")
    )
    lines = lines.filter(
        (pl.col("text").str.strip_chars() != "") & ~pl.col("text").str.starts_with("#")
    )
    parts = pl.col("text").str.split("\t").list
    fields = lines.with_columns(
        parts.len().alias("fields"),
        *(
            parts.get(at, null_on_oob=True).str.strip_chars().alias(name)
            for at, name in enumerate(_KEPT)
        ),
    )
    iteration = fields["iteration"].cast(pl.Int64, strict=False)
    short, odd = fields["fields"] < 3, iteration.is_null() | (iteration < 0)
    frame = fields.select(
        "session",
        (iteration + 1).alias("query"),
        pl.lit(None, dtype=pl.Int64).alias("rank"),
        "doc",
    )
    wrong = [
        given(frame, short, lambda at: f"{counted(fields['fields'][at], 'field')}", LAYOUT),
        given(
            frame,
            ~short & odd,
            lambda at: (
                f"iteration {shown(fields['iteration'][at])} is not a whole number from 0 on"
            ),
            LAYOUT,
        ),
        given(
            frame,
            ~short & ~odd & ((fields["doc"] == "") | fields["doc"].is_null()),
            lambda _: "there is no document",
            LAYOUT,
        ),
    ]
    wrong = [one for one in wrong if len(one.rows)]
    numbers = fields["line"].to_list()

    def where(row: int) -> str:
        return f"{source.name}:{numbers[row]}" if row < len(numbers) else source.name

    silent = _silent(frame)
    notes = [f"{counted(len(silent), 'iteration')} without results"] if len(silent) else []
    frame = pl.concat([frame, silent])
    return checked(frame, source.name, where, bad=bad, ranked=False, notes=notes, wrong=wrong)


_KEPT = ("session", "iteration", "doc")
_MOST = 10_000  # iterations of a topic; beyond it, a number is a mistake and not an iteration


def _silent(frame: pl.DataFrame) -> pl.DataFrame:
    """A row without a document for each iteration that is missing in between."""
    sure = frame.filter(pl.col("query").is_between(1, _MOST)).select("session", "query").unique()
    every = (
        sure.group_by("session", maintain_order=True)
        .agg(pl.int_range(1, pl.col("query").max() + 1).alias("query"))
        .explode("query")
    )
    missing = every.join(sure, on=["session", "query"], how="anti", maintain_order="left")
    return missing.with_columns(
        rank=pl.lit(None, dtype=pl.Int64), doc=pl.lit(None, dtype=pl.String)
    ).select(frame.columns)


def fits(source: Source) -> bool:
    """Have its first lines tabs, an iteration, and ratings of subtopics?"""
    lines = [line.split("\t") for line in source.first_lines()]
    return all(
        5 <= len(fields) <= 6
        and fields[1].strip().isdecimal()
        and fields[4].strip() in ("0", "1")
        and _RATINGS.fullmatch(fields[5].strip() if len(fields) > 5 else "") is not None
        for fields in lines
    )
