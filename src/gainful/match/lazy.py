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
from gainful.errors import Duplicated
from gainful.match.frames import match_subtopics
from gainful.match.ideal import ideal_order
from gainful.match.matched import Matched
from gainful.read.engines import report_engine_errors
from gainful.read.lazy import refuse_bad_rows, row_defects
from gainful.read.lazy_run import LazyRun
from gainful.read.qrels_and_run import Qrels
from gainful.text import quote
from gainful.types import Ranks

_MAX_COMPARISONS_PER_ROW = 50  # times; beyond so many comparisons per row, a sort costs less
_FLOAT32_MAX = float(np.finfo(np.float32).max)


@frozen(eq=False)
class _Counts:
    """How many rows the run has, for each judged query and for all others together."""

    rows: Ranks  # per judged query
    kept: Ranks  # of these, without documents that are named like their query
    other_queries: int
    other_rows: int
    total_rows: int


def match_lazy(qrels: Qrels, run: LazyRun, convention: Convention) -> Matched:
    """Where do the judged documents stand in a run that is elsewhere?"""
    queries = qrels.queries
    counts = _count_rows(queries, run, convention)
    run, duplicate_count = drop_duplicates(run, convention, counts.total_rows)
    extra = (
        _collect_extra_queries(queries, run, convention)
        if convention.extra != "ignore"
        else _no_extra_queries()
    )
    run = evolve(run, frame=prepare_scores(run.frame, convention))
    ranks = _rank_hits(qrels, run, counts.kept)
    grade = qrels.frame["grade"].to_numpy()
    number = dict(zip(queries.to_list(), range(len(queries)), strict=True))
    pool_query = qrels.frame["query"].replace_strict(number, return_dtype=pl.Int64).to_numpy()
    sequence = ideal_order(pool_query, grade)
    row = ranks["place"].to_numpy().astype(np.intp)
    place = np.empty(len(grade), dtype=np.intp)
    place[sequence] = np.arange(len(grade))
    first, last = (ranks[name].to_numpy().astype(np.intp) for name in ("first", "last"))
    return Matched(
        queries=[*queries.to_list(), *extra["query"].to_list()],
        judged=np.arange(len(queries) + len(extra)) < len(queries),
        in_run=np.append(counts.rows > 0, np.ones(len(extra), dtype=bool)),
        retrieved=np.append(counts.kept, extra["rows"].to_numpy().astype(np.intp)),
        pool_query=pool_query[sequence],
        pool_grade=grade[sequence],
        query=pool_query[row],
        grade=grade[row],
        first=first,
        last=last,
        by_id=ranks["by_id"].to_numpy().astype(np.intp),
        by_input=ranks["by_input"].to_numpy().astype(np.intp),
        tied_count=int((last > first).sum()),
        duplicate_count=duplicate_count,
        ordered=run.engine.ordered,
        pool_index=place[row],
        subtopics=match_subtopics(qrels, place),
        extra_counts=(counts.other_queries, counts.other_rows) if not len(extra) else (0, 0),
    )


def _count_rows(queries: pl.Series, run: LazyRun, convention: Convention) -> _Counts:
    """The rows of each judged query; those of all others are one number, whatever their names."""
    defects = row_defects("score")
    numbered = run.send(queries.rename("query").to_frame().with_row_index("number"))
    counts = run.collect(
        run.frame.join(numbered, on="query", how="left")
        .with_columns(
            kept=as_int(nw.col("query") != nw.col("doc"))
            if drops_namesakes(convention)
            else nw.lit(1),
            **{name: as_int(flags) for name, (flags, _) in defects.items()},
        )
        .group_by("number")
        .agg(
            nw.len().alias("rows"),
            nw.col("query").n_unique().alias("queries"),
            *(nw.col(name).sum() for name in ("kept", *defects)),
        )
    )
    if not len(counts):
        raise run.bad_input("there is not one result in it")
    refuse_bad_rows(run, {name: int(counts[name].sum()) for name in defects})
    judged = counts.filter(pl.col("number").is_not_null())
    other = counts.filter(pl.col("number").is_null())
    number = judged["number"].to_numpy().astype(np.intp)
    rows, kept = np.zeros(len(queries), dtype=np.intp), np.zeros(len(queries), dtype=np.intp)
    rows[number] = judged["rows"].to_numpy()
    kept[number] = judged["kept"].to_numpy()
    others = int(other["queries"].sum()), int(other["kept"].sum())
    return _Counts(rows, kept, *others, int(counts["rows"].sum()))


def as_int(flags: nw.Expr) -> nw.Expr:
    """1 where it is so, else 0: what can be summed in every engine."""
    return nw.when(flags).then(nw.lit(1)).otherwise(nw.lit(0))


def drops_namesakes(convention: Convention) -> bool:
    """Do documents that are named like their query not count?"""
    return convention.namesake == "remove"


def drop_duplicates(run: LazyRun, convention: Convention, rows: int) -> tuple[LazyRun, int]:
    """The run with its duplicates as the convention has it, and how many there were."""
    with report_engine_errors(run.engine, run.name):
        count = rows - run.engine.count_distinct(run.frame.to_native(), rows)
    if not count:
        return run, 0
    pairs = run.frame.group_by("query", "doc").agg(nw.len().alias("times"))
    repeated = run.collect(pairs.filter(nw.col("times") > 1).head(1))
    if not len(repeated):  # two pairs had the same hash
        return run, 0
    query, doc, _ = repeated.row(0)
    example = f"document {quote(doc)} of query {quote(query)}"
    if convention.duplicates == "error":
        rest = f" and {count - 1} more" if count > 1 else ""
        raise Duplicated(
            run.name,
            f"a document stands twice in one ranking: {example}{rest}",
            "each document once, or the setting duplicates set to last or count",
        )
    if convention.duplicates == "last":
        if not run.engine.ordered:
            raise Duplicated(
                run.name,
                f"{example} stands twice, and rows in {run.engine.name} have no order: "
                "which is last?",
                "each document once, or duplicates=count",
            )
        last = run.frame.to_native().unique(["query", "doc"], keep="last", maintain_order=True)
        return evolve(run, frame=nw.from_native(last)), count
    return run, count


def prepare_scores(frame: nw.LazyFrame[Any], convention: Convention) -> nw.LazyFrame[Any]:
    """Scores as precise as the convention has them, without documents that do not count."""
    if drops_namesakes(convention):
        frame = frame.filter(nw.col("query") != nw.col("doc"))
    if convention.score_bits == 32:
        clipped = nw.col("score").clip(-_FLOAT32_MAX, _FLOAT32_MAX)  # finite numbers stay finite
        frame = frame.with_columns(clipped.cast(nw.Float32).cast(nw.Float64).alias("score"))
    return frame


def drop_negative_scores(run: LazyRun, *, same: bool) -> LazyRun | None:
    """The run without documents of scores below 0, the others having one and the same, if asked.

    None where nothing is left.
    """
    frame = run.frame.filter(nw.col("score") >= 0)
    if not len(run.collect(frame.head(1))):
        return None
    if same:
        frame = frame.with_columns(score=nw.lit(0.0))
    return evolve(run, frame=frame)


def _collect_hits(qrels: Qrels, run: LazyRun) -> pl.DataFrame:
    """The judged documents that were retrieved: the only rows of the run that come back."""
    judged = run.send(qrels.frame.select("query", "doc").with_row_index("place"))
    frame = run.frame
    if run.engine.ordered:
        frame = nw.from_native(frame.to_native().with_row_index("row"))
    return run.collect(frame.join(judged, on=["query", "doc"], how="inner"))


def _rank_hits(qrels: Qrels, run: LazyRun, rows: Ranks) -> pl.DataFrame:
    """The judged documents that were retrieved, each with its ranks: by counting, or by windows."""
    hits = _collect_hits(qrels, run)
    number = qrels.queries.rename("query").to_frame().with_row_index("number")
    per_query = hits.group_by("query").len().join(number, on="query")
    comparisons = int((per_query["len"].to_numpy() * rows[per_query["number"].to_numpy()]).sum())
    if comparisons > _MAX_COMPARISONS_PER_ROW * max(1, int(rows.sum())):
        return _rank_by_windows(qrels, run)
    return _rank_by_counting(hits, run)


def _rank_by_windows(qrels: Qrels, run: LazyRun) -> pl.DataFrame:
    """The judged documents with their ranks, all documents of the run being ranked."""
    judged = run.send(qrels.frame.select("query", "doc").with_row_index("place"))
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
    hits = run.collect(ranked.join(judged, on=["query", "doc"], how="inner"))
    first, same = pl.col("first").cast(pl.Int64), pl.col("same").cast(pl.Int64)
    return hits.with_columns(
        first=first,
        last=first + same - 1,
        by_id=first + same - pl.col("until").cast(pl.Int64),
        by_input=first + pl.col("later").cast(pl.Int64) - 1 if ordered else first,
    )


def _rank_by_counting(hits: pl.DataFrame, run: LazyRun) -> pl.DataFrame:
    """The block of ranks of each of these, and its rank in it by id and by input."""
    hits = hits.with_row_index("hit")
    if not len(hits):
        return hits.with_columns(
            pl.lit(1, pl.Int64).alias(name) for name in ("first", "last", "by_id", "by_input")
        )
    own = run.send(hits.select("hit", "query", own_score="score"))
    counts = run.collect(join_docs_at_or_above(run.frame, own).group_by("hit").agg(*RANK_COUNTS))
    ranked = hits.join(counts, on="hit", how="left", maintain_order="left").with_columns(
        first=pl.col("above") + 1, last=pl.col("above") + pl.col("same")
    )
    repeat = pl.int_range(pl.len()).over("place", "score")  # the same document, a second time
    tied = ranked.filter(pl.col("same") > 1)
    if not len(tied):
        return ranked.with_columns(by_id=pl.col("first"), by_input=pl.col("first"))
    ties = _count_ties_before(tied, run)
    return ranked.join(ties, on="hit", how="left", maintain_order="left").with_columns(
        by_id=pl.col("first") + pl.col("before").fill_null(0) + repeat,
        by_input=pl.col("first") + pl.col("earlier").fill_null(0),
    )


def _count_ties_before(tied: pl.DataFrame, run: LazyRun) -> pl.DataFrame:
    """How many documents of the same score stand before each of these."""
    frame, names = run.frame, {"own_score": "score", "own_doc": "doc"}
    if run.engine.ordered:
        frame = nw.from_native(frame.to_native().with_row_index("row"))
        names["own_row"] = "row"
    own = run.send(tied.select("hit", "query", **names))
    same = join_docs_at_or_above(frame, own).filter(nw.col("score") == nw.col("own_score"))
    earlier = as_int(nw.col("row") < nw.col("own_row")) if run.engine.ordered else nw.lit(0)
    return run.collect(
        same.with_columns(before=IS_BEFORE, earlier=earlier)
        .group_by("hit")
        .agg(nw.col("before").sum(), nw.col("earlier").sum())
    )


def join_docs_at_or_above(frame: nw.LazyFrame[Any], own: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Each judged document beside all documents of its query that stand no lower."""
    joined = frame.join(own, on="query", how="inner")
    return joined.filter(nw.col("score") >= nw.col("own_score")).with_columns(
        above=as_int(nw.col("score") > nw.col("own_score")),
        same=as_int(nw.col("score") == nw.col("own_score")),
    )


RANK_COUNTS = (nw.col("above").sum(), nw.col("same").sum())
IS_BEFORE = as_int(nw.col("doc") > nw.col("own_doc"))  # ids descend


def _collect_extra_queries(
    queries: pl.Series, run: LazyRun, convention: Convention
) -> pl.DataFrame:
    judged = run.send(queries.rename("query").to_frame())
    kept = as_int(nw.col("query") != nw.col("doc")) if drops_namesakes(convention) else nw.lit(1)
    extra = run.frame.join(judged, on="query", how="anti").with_columns(rows=kept)
    return run.collect(extra.group_by("query").agg(nw.col("rows").sum())).sort("query")


def _no_extra_queries() -> pl.DataFrame:
    return pl.DataFrame(schema={"query": pl.String, "rows": pl.Int64})
