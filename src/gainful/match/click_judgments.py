"""Judgments out of what searchers did: the gain of a document for each time it was seen.

They are worth as much as the clicks: a document that nobody was shown has no judgment, one that
stands high is clicked more unless propensities correct for it, and what looks good is clicked
before it is read. They order documents of a query that many people asked, and little else.
"""

from __future__ import annotations

from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import polars as pl
from attrs import field, frozen

from gainful.errors import BadInput, BadValue, check_whole_number
from gainful.match.behaviour_gains import find_query_column
from gainful.page.page import Page, Section
from gainful.page.render import write_atomically
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.read.qrels_and_run import Qrels
from gainful.read.sessions import Sessions
from gainful.text import count_noun, quote

LEAST_IMPRESSIONS, LEAST_USERS = 10, 3  # of a query; fewer say more of chance than of documents
GRADES = {"0-3": (0.02, 0.1, 0.3)}  # from which gain per impression on a grade is 1, 2, 3
_COLUMNS = ("query", "doc", "grade", "clicks", "impressions", "users")
_TREC_SUFFIXES = ("", ".txt", ".trec", ".qrels")
_SUFFIXES = ".csv, .tsv, .jsonl or .parquet; .txt, .trec or .qrels for TREC"


@frozen(repr=False)
class ClickJudgments(Shown):
    """Judgments that follow from clicks, and how often each document was seen and clicked.

    Attributes:
        frame: query, doc, grade, clicks, impressions (how often it was seen) and users.
        name: of the log.
        notes: how grades were found, and what was left out.
    """

    frame: pl.DataFrame = field(eq=False)
    name: str = ""
    notes: tuple[str, ...] = ()
    path: str = ""  # that they were written to

    @property
    def qrels(self) -> Qrels:
        """The grades, as `gainful.evaluate` takes them."""
        return Qrels(self.frame.select("query", "doc", "grade"), self.name)

    def write_qrels(self, path: str | PathLike[str]) -> None:
        """Write them to a file that `gainful eval` reads: CSV, TSV, JSONL, Parquet or TREC."""
        write_atomically(path, _format_qrels(self.frame, fspath(path)))

    def page(self, **_: Any) -> Page:
        """How many there are, and how many queries have each grade at best."""
        queries = self.frame["query"].n_unique()
        clicked = int((self.frame["clicks"] > 0).sum())
        where = f", in {self.path}" if self.path else ""
        summary = (self.path, len(self.frame), queries, clicked)
        best = self.frame.sort("grade", "clicks", descending=True, maintain_order=True)
        rows = [list(row) for row in best.iter_rows()]
        return Page(
            answer=f"{count_noun(len(self.frame), 'judgment')} of {count_noun(queries, 'query')} "
            f"from clicks{where}: {count_noun(clicked, 'document')} clicked.",
            sections=[Section(table=Table(_COLUMNS, rows[:10], numeric=True, label_columns=2))],
            notes=[f"Note: {note}" for note in self.notes],
            rows=lambda: (
                Table(("file", "judgments", "queries", "clicked"), [summary])
                if self.path
                else Table(_COLUMNS, list(self.frame.iter_rows()))
            ),
            data=lambda: {
                "name": self.name,
                "judgments": self.frame.to_dicts(),
                "notes": list(self.notes),
            },
        )


def judge_by_clicks(
    sessions: Sessions,
    grades: str | None = None,
    least_impressions: int = LEAST_IMPRESSIONS,
    least_users: int = LEAST_USERS,
    *,
    weighted: bool = False,
) -> ClickJudgments:
    """Judgments of documents by the gains of sessions, which the column grade has.

    Gains that are weighted by propensities count what was not looked at, too.
    """
    check_whole_number("least_impressions", least_impressions)
    check_whole_number("least_users", least_users)
    if grades is not None and str(grades) not in GRADES:
        raise BadValue("grades", grades, f"{', '.join(GRADES)}; or nothing, for gains")
    rows, user = _list_seen(sessions, weighted=weighted)
    asked = rows.group_by("query").agg(
        pl.struct("session", "number").n_unique().alias("times"), pl.col("user").n_unique()
    )
    often = (pl.col("times") >= least_impressions) & (pl.col("user") >= least_users)
    kept = asked.filter(often)["query"]
    rule = f"{least_impressions} times by {count_noun(least_users, user)}"
    if not len(kept):
        problem = f"none of {count_noun(len(asked), 'query')} was asked {rule}"
        allowed = "a longer log, or lower --least-impressions and --least-users"
        raise BadInput(sessions.name, problem, allowed)
    frame = (
        rows.filter(pl.col("query").is_in(kept.implode()))
        .group_by("query", "doc", maintain_order=True)
        .agg(
            pl.col("gain").mean().alias("grade"),
            (pl.col("gain") > 0).sum().cast(pl.Int64).alias("clicks"),
            pl.len().cast(pl.Int64).alias("impressions"),
            pl.col("user").n_unique().cast(pl.Int64).alias("users"),
        )
        .sort("query", maintain_order=True)
    )
    notes = [*sessions.notes]
    if len(kept) < len(asked):
        words = count_noun(len(asked) - len(kept), "query")
        notes.append(f"{words} of {len(asked)} left out: not asked {rule}")
    if grades is not None:
        reached = [(pl.col("grade") >= step).cast(pl.Float64) for step in GRADES[grades]]
        frame = frame.with_columns(grade=pl.sum_horizontal(reached))
        steps = ", ".join(f"{at} from {step:g}" for at, step in enumerate(GRADES[grades], 1))
        notes.append(f"grades by gain per impression: {steps}")
    return ClickJudgments(frame.select(_COLUMNS), sessions.name, tuple(notes))


def _list_seen(sessions: Sessions, *, weighted: bool) -> tuple[pl.DataFrame, str]:
    """A row for each time that a document was seen; and what its users are called."""
    frame = sessions.frame
    query = find_query_column(sessions)
    user = "searcher" if "searcher" in frame.columns else "session"
    seen = pl.lit(value=True)
    if "scanned" in frame.columns and not weighted:  # what stands below was not looked at
        seen = (pl.col("rank") <= pl.col("scanned")).fill_null(value=True)
    rows = frame.filter(pl.col("doc").is_not_null() & (pl.col(query) != "") & seen).select(
        pl.col(query).str.replace_all(r"\s+", " ").str.strip_chars().alias("query"),
        "doc",
        "session",
        pl.col("query").alias("number"),
        pl.col(user).alias("user"),
        pl.col("grade").fill_null(0.0).alias("gain"),
    )
    return rows.filter(pl.col("query") != ""), user


def check_suffix(path: str) -> str:
    """The suffix of a file that judgments are written to, which says how; none other."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", *_TREC_SUFFIXES):
        raise BadValue("write_qrels", path, _SUFFIXES)
    return suffix


def _format_qrels(frame: pl.DataFrame, path: str) -> bytes:
    suffix, buffer = check_suffix(path), BytesIO()
    if suffix in (".csv", ".tsv"):
        is_csv = suffix == ".csv"
        style: Any = "non_numeric" if is_csv else "necessary"
        frame.write_csv(buffer, separator="," if is_csv else "\t", quote_style=style)
    elif suffix in (".jsonl", ".ndjson"):
        frame.write_ndjson(buffer)
    elif suffix == ".parquet":
        frame.write_parquet(buffer)
    else:
        for name in ("query", "doc"):
            blank = frame.filter(pl.col(name).str.contains(r"\s|^#"))[name]
            if len(blank):
                rule = f"where no {name} has a blank or begins with #"
                allowed = f"{_SUFFIXES}, {rule}, unlike {quote(blank[0])}"
                raise BadValue("write_qrels", path, allowed)
        lines = (f"{query} 0 {doc} {grade:.17g}\n" for query, doc, grade, *_ in frame.iter_rows())
        buffer.write("".join(lines).encode())
    return buffer.getvalue()
