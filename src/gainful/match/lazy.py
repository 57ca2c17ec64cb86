"""Judgments here and a run elsewhere → `Matched`: the run is read there, and mostly not sorted.

The rank of a document is one plus the number of documents above it. So the judged documents are
found by a join in the run's engine, and sent back to be compared with the scores of their query:
the engine only counts, without a window, a sort or a shuffle of the run. Only where much of a run
is judged would that be too many comparisons; then the engine ranks it by windows.
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention import Convention
from gainful.errors import Duplicated, shown
from gainful.match.matched import Matched, Ranks, by_grade
from gainful.match.subtopics import subtopics
from gainful.read.engines import asked
from gainful.read.lazy import Elsewhere, lacks, refuse_bad_rows
from gainful.read.qrels_and_run import Judgments

_COMPARED = 50  # times; beyond so many comparisons per row, a sort costs less
_FLOAT32 = float(np.finfo(np.float32).max)


@frozen(eq=False)
class _Counts:
    """How many rows the run has, for each judged query and for all others together."""

    rows: Ranks  # per judged query
    kept: Ranks  # of these, without documents that are named like their query
    other_queries: int
    other_rows: int
    every_row: int


def matched(qrels: Judgments, run: Elsewhere, convention: Convention) -> Matched:
    """Where do the judged documents stand in a run that is elsewhere?"""
    queries = qrels.queries
    counts = _counted(queries, run, convention)
    run, repeats = settled(run, convention, counts.every_row)
    extra = _others(queries, run, convention) if convention.extra != "ignore" else _no_others()
    run = evolve(run, frame=comparable(run.frame, convention))
    ranks = _ranked(qrels, run, counts.kept)
    grade = qrels.frame["grade"].to_numpy()
    number = dict(zip(queries.to_list(), range(len(queries)), strict=True))
    pool_query = qrels.frame["query"].replace_strict(number, return_dtype=pl.Int64).to_numpy()
    sequence = by_grade(pool_query, grade)
    row = ranks["place"].to_numpy().astype(np.intp)
    place = np.empty(len(grade), dtype=np.intp)
    place[sequence] = np.arange(len(grade))
    first, last = (ranks[name].to_numpy().astype(np.intp) for name in ("first", "last"))
    return Matched(
        queries=[*queries.to_list(), *extra["query"].to_list()],
        judged=np.arange(len(queries) + len(extra)) < len(queries),
        found=np.append(counts.rows > 0, np.ones(len(extra), dtype=bool)),
        retrieved=np.append(counts.kept, extra["rows"].to_numpy().astype(np.intp)),
        pool_query=pool_query[sequence],
        pool_grade=grade[sequence],
        query=pool_query[row],
        grade=grade[row],
        first=first,
        last=last,
        by_id=ranks["by_id"].to_numpy().astype(np.intp),
        by_input=ranks["by_input"].to_numpy().astype(np.intp),
        tied=int((last > first).sum()),
        duplicates=repeats,
        ordered=run.engine.ordered,
        place=place[row],
        subtopics=subtopics(qrels, place),
        unlisted=(counts.other_queries, counts.other_rows) if not len(extra) else (0, 0),
    )


def _counted(queries: pl.Series, run: Elsewhere, convention: Convention) -> _Counts:
    """The rows of each judged query; those of all others are one number, whatever their names."""
    lack = lacks("score")
    numbered = run.sent(queries.rename("query").to_frame().with_row_index("number"))
    found = run.collected(
        run.frame.join(numbered, on="query", how="left")
        .with_columns(
            kept=true(nw.col("query") != nw.col("doc")) if dropped(convention) else nw.lit(1),
            **{name: true(flags) for name, (flags, _) in lack.items()},
        )
        .group_by("number")
        .agg(
            nw.len().alias("rows"),
            nw.col("query").n_unique().alias("queries"),
            *(nw.col(name).sum() for name in ("kept", *lack)),
        )
    )
    if not len(found):
        raise run.refuse("there is not one result in it")
    refuse_bad_rows(run, {name: int(found[name].sum()) for name in lack})
    known = found.filter(pl.col("number").is_not_null())
    other = found.filter(pl.col("number").is_null())
    number = known["number"].to_numpy().astype(np.intp)
    rows, kept = np.zeros(len(queries), dtype=np.intp), np.zeros(len(queries), dtype=np.intp)
    rows[number] = known["rows"].to_numpy()
    kept[number] = known["kept"].to_numpy()
    others = int(other["queries"].sum()), int(other["kept"].sum())
    return _Counts(rows, kept, *others, int(found["rows"].sum()))


def true(flags: nw.Expr) -> nw.Expr:
    """1 where it is so, else 0: what can be summed in every engine."""
    return nw.when(flags).then(nw.lit(1)).otherwise(nw.lit(0))


def dropped(convention: Convention) -> bool:
    """Do documents that are named like their query not count?"""
    return convention.namesake == "remove"


def settled(run: Elsewhere, convention: Convention, rows: int) -> tuple[Elsewhere, int]:
    """The run with its duplicates as the convention has it, and how many there were."""
    with asked(run.engine, run.name):
        count = rows - run.engine.distinct(run.frame.to_native(), rows)
    if not count:
        return run, 0
    pairs = run.frame.group_by("query", "doc").agg(nw.len().alias("times"))
    twice = run.collected(pairs.filter(nw.col("times") > 1).head(1))
    if not len(twice):  # two pairs had the same hash
        return run, 0
    query, doc, _ = twice.row(0)
    told = f"document {shown(doc)} of query {shown(query)}"
    if convention.duplicates == "error":
        rest = f" and {count - 1} more" if count > 1 else ""
        raise Duplicated(
            run.name,
            f"a document stands twice in one ranking: {told}{rest}",
            "each document once, or the habit duplicates set to last or count",
        )
    if convention.duplicates == "last":
        if not run.engine.ordered:
            raise Duplicated(
                run.name,
                f"{told} stands twice, and rows in {run.engine.name} have no order: which is last?",
                "each document once, or duplicates=count",
            )
        last = run.frame.to_native().unique(["query", "doc"], keep="last", maintain_order=True)
        return evolve(run, frame=nw.from_native(last)), count
    return run, count


def comparable(frame: nw.LazyFrame[Any], convention: Convention) -> nw.LazyFrame[Any]:
    """Scores as precise as the convention has them, without documents that do not count."""
    if dropped(convention):
        frame = frame.filter(nw.col("query") != nw.col("doc"))
    if convention.score_bits == 32:
        clipped = nw.col("score").clip(-_FLOAT32, _FLOAT32)  # finite numbers stay finite
        frame = frame.with_columns(clipped.cast(nw.Float32).cast(nw.Float64).alias("score"))
    return frame


def _hits(qrels: Judgments, run: Elsewhere) -> pl.DataFrame:
    """The judged documents that were retrieved: the only rows of the run that come back."""
    judged = run.sent(qrels.frame.select("query", "doc").with_row_index("place"))
    frame = run.frame
    if run.engine.ordered:
        frame = nw.from_native(frame.to_native().with_row_index("row"))
    return run.collected(frame.join(judged, on=["query", "doc"], how="inner"))


def _ranked(qrels: Judgments, run: Elsewhere, rows: Ranks) -> pl.DataFrame:
    """The judged documents that were retrieved, each with its ranks: by counting, or by windows."""
    hits = _hits(qrels, run)
    number = qrels.queries.rename("query").to_frame().with_row_index("number")
    per_query = hits.group_by("query").len().join(number, on="query")
    compared = int((per_query["len"].to_numpy() * rows[per_query["number"].to_numpy()]).sum())
    if compared > _COMPARED * max(1, int(rows.sum())):
        return _by_windows(qrels, run)
    return _by_counting(hits, run)


def _by_windows(qrels: Judgments, run: Elsewhere) -> pl.DataFrame:
    """The same, all documents of the run being ranked."""
    judged = run.sent(qrels.frame.select("query", "doc").with_row_index("place"))
    frame, ordered = run.frame, run.engine.ordered
    if ordered:
        frame = nw.from_native(frame.to_native().with_row_index("row"))
    ranked = frame.with_columns(
        first=nw.col("score").rank("min", descending=True).over("query"),
        same=nw.len().over("query", "score"),
        until=nw.col("doc").cum_count().over("query", "score", order_by="doc"),
        **(
            {"later": nw.col("row").cum_count().over("query", "score", order_by="row")}
            if ordered
            else {}
        ),
    )
    found = run.collected(ranked.join(judged, on=["query", "doc"], how="inner"))
    first, same = pl.col("first").cast(pl.Int64), pl.col("same").cast(pl.Int64)
    return found.with_columns(
        first=first,
        last=first + same - 1,
        by_id=first + same - pl.col("until").cast(pl.Int64),
        by_input=first + pl.col("later").cast(pl.Int64) - 1 if ordered else first,
    )


def _by_counting(hits: pl.DataFrame, run: Elsewhere) -> pl.DataFrame:
    """The block of ranks of each of these, and its rank in it by id and by input."""
    hits = hits.with_row_index("hit")
    if not len(hits):
        return hits.with_columns(
            pl.lit(1, pl.Int64).alias(name) for name in ("first", "last", "by_id", "by_input")
        )
    own = run.sent(hits.select("hit", "query", own_score="score"))
    found = run.collected(no_lower(run.frame, own).group_by("hit").agg(*COUNTED))
    ranked = hits.join(found, on="hit", how="left", maintain_order="left").with_columns(
        first=pl.col("above") + 1, last=pl.col("above") + pl.col("same")
    )
    again = pl.int_range(pl.len()).over("place", "score")  # the same document, a second time
    tied = ranked.filter(pl.col("same") > 1)
    if not len(tied):
        return ranked.with_columns(by_id=pl.col("first"), by_input=pl.col("first"))
    inside = _in_block(tied, run)
    return ranked.join(inside, on="hit", how="left", maintain_order="left").with_columns(
        by_id=pl.col("first") + pl.col("before").fill_null(0) + again,
        by_input=pl.col("first") + pl.col("earlier").fill_null(0),
    )


def _in_block(tied: pl.DataFrame, run: Elsewhere) -> pl.DataFrame:
    """How many documents of the same score stand before each of these."""
    frame, names = run.frame, {"own_score": "score", "own_doc": "doc"}
    if run.engine.ordered:
        frame = nw.from_native(frame.to_native().with_row_index("row"))
        names["own_row"] = "row"
    own = run.sent(tied.select("hit", "query", **names))
    same = no_lower(frame, own).filter(nw.col("score") == nw.col("own_score"))
    earlier = true(nw.col("row") < nw.col("own_row")) if run.engine.ordered else nw.lit(0)
    return run.collected(
        same.with_columns(before=BEFORE, earlier=earlier)
        .group_by("hit")
        .agg(nw.col("before").sum(), nw.col("earlier").sum())
    )


def no_lower(frame: nw.LazyFrame[Any], own: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Each judged document beside all documents of its query that stand no lower."""
    beside = frame.join(own, on="query", how="inner")
    return beside.filter(nw.col("score") >= nw.col("own_score")).with_columns(
        above=true(nw.col("score") > nw.col("own_score")),
        same=true(nw.col("score") == nw.col("own_score")),
    )


COUNTED = (nw.col("above").sum(), nw.col("same").sum())
BEFORE = true(nw.col("doc") > nw.col("own_doc"))  # ids descend


def _others(queries: pl.Series, run: Elsewhere, convention: Convention) -> pl.DataFrame:
    """The queries that only the run has, if the convention counts them."""
    judged = run.sent(queries.rename("query").to_frame())
    kept = true(nw.col("query") != nw.col("doc")) if dropped(convention) else nw.lit(1)
    others = run.frame.join(judged, on="query", how="anti").with_columns(rows=kept)
    return run.collected(others.group_by("query").agg(nw.col("rows").sum())).sort("query")


def _no_others() -> pl.DataFrame:
    return pl.DataFrame(schema={"query": pl.String, "rows": pl.Int64})
