"""Runs of TREC Dynamic Domain: what a system showed a simulated user, iteration by iteration.

Lines of topic, iteration (from 0), document, score, on-topic and subtopic:rating|…, with tabs
between them. The topic is the session, an iteration its query. Results are ranked by their scores,
equal ones in the order of their lines, as the track's scorers rank them; where a line has no score,
by the order of lines alone.
"""

from __future__ import annotations

import re

import polars as pl

from gainful.errors import BadInput
from gainful.read import trec_files
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.session_problems import flag_problems
from gainful.read.sessions import Sessions, check_sessions
from gainful.read.source import Source
from gainful.text import count_noun, quote

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
            for index, name in enumerate(_COLUMNS)
        ),
    )
    fields = _rank_by_score(fields)
    iteration = fields["iteration"].cast(pl.Int64, strict=False)
    short, odd = fields["fields"] < 3, iteration.is_null() | (iteration < 0)
    frame = fields.select(
        "session", (iteration + 1).alias("query"), pl.lit(None, dtype=pl.Int64).alias("rank"), "doc"
    )
    no_doc = ~short & ~odd & ((fields["doc"] == "") | fields["doc"].is_null())
    not_whole = "iteration {} is not a whole number from 0 on"
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


def _rank_by_score(fields: pl.DataFrame) -> pl.DataFrame:
    scored = fields.with_columns(pl.col("score").cast(pl.Float64, strict=False))
    if scored["score"].null_count():
        return fields
    in_order = pl.all().sort_by("score", descending=True, maintain_order=True)
    return scored.with_columns(in_order.over("session", "iteration"))


_COLUMNS = ("session", "iteration", "doc", "score")
_MAX_ITERATIONS = (
    10_000  # iterations of a topic; beyond it, a number is a mistake and not an iteration
)

_MAX_MADE_UP = 1_000_000  # iterations without results, of all topics


def _missing_iterations(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """A row without a document for each iteration that is missing in between."""
    present = (
        frame.filter(pl.col("query").is_between(1, _MAX_ITERATIONS))
        .select("session", "query")
        .unique()
    )
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
