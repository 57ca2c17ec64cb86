"""What is there to know of a file? Everything wrong with it and worth saying, in one pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
from attrs import field, frozen

from gainful.errors import BadInput, counted, shown
from gainful.read import beir, rag, trec
from gainful.read.formats import Format, format_of
from gainful.read.source import Source, opened
from gainful.read.values import Judgments, Run, duplicates, told

_NAMED = 10  # malformed lines and duplicates that are named one by one
_GRADES = 12  # grades that are listed with their numbers


@frozen(eq=False)
class Examined:
    """A file, what it holds, what is wrong with it, and what is worth knowing."""

    name: str
    form: str
    kind: str  # judgments, run, or nothing that could be read
    wrong: list[str] = field(factory=list)
    notes: list[str] = field(factory=list)
    judgments: Judgments | None = None
    run: Run | None = None


def examined(path: str) -> list[Examined]:
    """All that is to be known of one file; a RAG file is both judgments and a run."""
    try:
        if path != "-" and Path(path).is_dir():
            return [_of_judgments(beir.judgments(Path(path)), "beir", path)]
        source = opened(path)
        form = format_of(source)
    except BadInput as bad:
        return [Examined(path, "unknown", "nothing", [_without(path, bad)])]
    if form.name == "trec":
        return [_of_trec(source)]
    return [_of_table(source, form, kind) for kind in _kinds(source, form)]


def _kinds(source: Source, form: Format) -> list[str]:
    """What a file of named columns holds."""
    if form.name == "rag":
        return sorted(rag.holds(source))
    try:
        run = form.run(source)
    except BadInput as bad:
        judged = "look like judgments" in bad.problem or "no column for the score" in bad.problem
        return ["judgments" if judged else "run"]
    if form.name == "json":  # grades and scores look the same; few scores are whole
        score = run.frame["score"]
        return ["judgments" if bool((score == score.round()).all()) else "run"]
    return ["run"]


def _of_table(source: Source, form: Format, kind: str) -> Examined:
    try:
        if kind == "judgments":
            return _of_judgments(form.judgments(source), form.name, source.name)
        return _of_run(form.run(source), form.name, None)
    except BadInput as bad:
        return Examined(source.name, form.name, kind, [_without(source.name, bad)])


def _of_trec(source: Source) -> Examined:
    """Every line by itself, so that one bad line does not hide the next."""
    of_run = trec.looks_like_a_run(source)
    layout = trec.RUN if of_run else trec.JUDGMENTS
    kind = "run" if of_run else "judgments"
    try:
        table = trec.lines(source, layout)
    except BadInput as bad:
        return Examined(source.name, "trec", kind, [_without(source.name, bad)])
    bad_lines = table.select(trec.malformed(layout).fill_null(value=True)).to_series()
    wrong = _malformed(table.filter(bad_lines), layout)
    number = pl.col("number").alias(layout.number)
    kept = ("line", "query", "doc", *(("rank",) if of_run else ()))
    fine = table.filter(~bad_lines).select(*kept, number)
    if fine.is_empty():
        return Examined(source.name, "trec", kind, wrong or ["there is nothing in it"])

    def place(row: int) -> str:
        return f"line {fine['line'][row]}"

    repeated = _repeated(fine, place, "one ranking" if of_run else "the judgments of a query")
    wrong += repeated
    frame = fine.select(layout.kept)
    if repeated:
        frame = frame.unique(["query", "doc"], keep="first", maintain_order=True)
    if of_run:
        run = Run(frame, source.name, tag=trec.last_tag(source))
        report = _of_run(run, "trec", fine.select("query", "score", "rank", "line"))
    else:
        report = _of_judgments(Judgments(frame, source.name), "trec", source.name)
    report.wrong[:0] = wrong
    return report


def _malformed(bad: pl.DataFrame, layout: trec.Layout) -> list[str]:
    if bad.is_empty():
        return []
    rows = [
        f"line {row['line']}: {trec.problem(row, layout)}" for row in bad.head(_NAMED).to_dicts()
    ]
    rest = len(bad) - len(rows)
    more = [f"… and {rest} more"] if rest else []
    head = f"{counted(len(bad), 'malformed line')} (expected: {layout.told})"
    return [head, *(f"  {row}" for row in (*rows, *more))]


def _repeated(frame: pl.DataFrame, place: Callable[[int], str], where: str) -> list[str]:
    repeated = duplicates(frame)
    if repeated.is_empty():
        return []
    pairs = repeated.n_unique(["query", "doc"])
    rest = [f"  … and {pairs - _NAMED} more"] if pairs > _NAMED else []
    head = f"{counted(pairs, 'document')} more than once in {where}"
    return [head, *(f"  {line}" for line in told(repeated, place)), *rest]


def _of_judgments(judgments: Judgments, form: str, name: str) -> Examined:
    frame = judgments.frame
    per_query = frame.group_by("query").len()["len"]
    grades = frame["grade"].value_counts().sort("grade")
    listed = [f"{grade:g} ({count}×)" for grade, count in grades.head(_GRADES).iter_rows()]
    more = f" and {len(grades) - _GRADES} more" if len(grades) > _GRADES else ""
    relevant = frame.filter(pl.col("grade") >= 1)["query"].n_unique()
    nothing = len(per_query) - relevant
    notes = [
        f"{counted(len(frame), 'judgment')} of {_each(per_query)}",
        f"grades: {', '.join(listed)}{more}",
    ]
    notes += (
        [f"{counted(nothing, 'query')} with nothing relevant (no grade of 1 or more)"]
        if nothing
        else []
    )
    negative = int((frame["grade"] < 0).sum())
    notes += [f"{counted(negative, 'grade')} below 0"] if negative else []
    return Examined(name, form, "judgments", notes=notes, judgments=judgments)


def _of_run(run: Run, form: str, ranked: pl.DataFrame | None) -> Examined:
    frame = run.frame
    per_query = frame.group_by("query").len()["len"]
    notes = [f"{counted(len(frame), 'result')} of {_each(per_query)}"]
    if run.tag:
        notes.append(f"it calls itself {shown(run.tag)}")
    wrong = (
        [] if ranked is not None else _repeated(frame, lambda row: f"row {row + 1}", "one ranking")
    )
    hashed = pl.col("query").hash(1) ^ pl.col("score").hash(2)
    tied = int(frame.select(hashed.is_duplicated()).to_series().sum())
    if tied:
        share = 100 * tied / len(frame)
        notes.append(f"{tied} documents share their score with another ({share:.1f} %)")
    if ranked is not None:
        wrong += _contradictions(ranked)
    return Examined(run.name, form, "run", wrong=wrong, notes=notes, run=run)


def _contradictions(ranked: pl.DataFrame) -> list[str]:
    """Ranks that say something else than scores do, which is what counts."""
    numbers = ranked.with_columns(pl.col("rank").cast(pl.Int64, strict=False))
    same = pl.col("query") == pl.col("query").shift(1)
    ordered = numbers.drop_nulls("rank")
    heads = ordered.select(
        (~same | (pl.col("rank") < pl.col("rank").shift(1))).fill_null(value=True).sum()
    ).item()
    if heads > ordered["query"].n_unique():  # not yet by query and rank
        ordered = ordered.sort("query", "rank", maintain_order=True)
    later = pl.col("rank") != pl.col("rank").shift(1)
    rises = same & later & (pl.col("score") > pl.col("score").shift(1))
    bad = ordered.filter(rises)
    if bad.is_empty():
        return []
    row = bad.sort("line").row(0, named=True)
    often = f"{counted(len(bad), 'time')}, in {counted(bad['query'].n_unique(), 'query')}"
    place = f"line {row['line']}: rank {row['rank']} has a higher score than the rank before it"
    return [f"scores contradict ranks {often}, first in {place} (scores are what counts)"]


def _each(sizes: pl.Series) -> str:
    low, high = min(sizes.to_list()), max(sizes.to_list())
    size = str(low) if low == high else f"{low} to {high}"
    return f"{counted(len(sizes), 'query')}, {size} each"


def _without(name: str, bad: BadInput) -> str:
    """The message without the name of the file, which stands above it."""
    return str(bad).removeprefix(f"{name}:").strip()
