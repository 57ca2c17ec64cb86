"""What is there to know of a file? Everything wrong with it and worth saying, in one pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
from attrs import field, frozen

from gainful.errors import BadInput, counted, shown
from gainful.read import beir, named_columns, rag, subtopic_qrels, trec_files
from gainful.read.formats import Format, format_of
from gainful.read.qrels_and_run import Judgments, Run, duplicates, told
from gainful.read.sessions import Sessions
from gainful.read.source import Source, opened

_NAMED = 10  # malformed lines and duplicates that are named one by one
_GRADES = 12  # grades that are listed with their numbers
_BOTH = {"judgments", "run"}


@frozen(eq=False)
class Examined:
    """A file, what it holds, what is wrong with it, and what is worth knowing."""

    name: str
    form: str
    kind: str  # judgments, run, sessions, or nothing that could be read
    wrong: list[str] = field(factory=list)
    notes: list[str] = field(factory=list)
    judgments: Judgments | None = None
    run: Run | None = None
    sessions: Sessions | None = None


@frozen(eq=False)
class _Rows:
    """The rows of a file: what is sound, what is not, and where each stands."""

    name: str
    form: str
    frame: pl.DataFrame  # query, doc, number, rank of the sound rows; subtopic, if there is one
    wrong: list[str]
    where: Callable[[int], str]  # of the sound rows
    tag: str = ""
    more: int = 0  # lines with text behind their last field


def looked_at(path: str) -> Source | Path | Examined:
    """A file, opened once: a pipe cannot be read twice; a folder; or why it is neither."""
    try:
        return Path(path) if path != "-" and Path(path).is_dir() else opened(path)
    except BadInput as bad:
        return Examined(path, "unknown", "nothing", [without_name(path, bad)])


def kinds(source: Source | Path | Examined) -> set[str]:
    """What a file can be: judgments, a run, or either of them; nothing if it cannot be read."""
    if not isinstance(source, Source):
        return {"judgments"} if isinstance(source, Path) else set()
    try:
        form = format_of(source).name
        if form == "trec":
            return {"run" if trec_files.looks_like_a_run(source) else "judgments"}
        if form in ("rag", "json"):
            return rag.holds(source) if form == "rag" else _BOTH
        read = named_columns.read(source, form)
    except BadInput:
        return set()
    scored = (
        read.head.column(named_columns.SCORE) is not None
        and read.head.column(("corpus_id",)) is None
    )
    ranked = read.head.column(named_columns.RANK) is not None
    graded = read.head.column(named_columns.GRADE[:-1]) is not None
    return {"run" if ranked or (scored and not graded) else "judgments"}


def examined(source: Source | Path | Examined, kind: str | None) -> Examined:
    """All that is to be known of one file as judgments or as a run."""
    if isinstance(source, Examined):
        return source
    name, form, kind = str(source), "beir", kind or "run"
    try:
        if isinstance(source, Path):
            return _of_judgments(beir.judgments(source), form, name, [])
        found = format_of(source)
        name, form = source.name, found.name
        if form in ("rag", "json"):
            return _whole(source, found, kind)
        of_run = kind == "run"
        read = _of_trec(source, of_run=of_run) if form == "trec" else None
        rows = read or _of_table(source, form, of_run=of_run)
        return _ranked(rows) if of_run else _judged(rows)
    except BadInput as bad:
        return Examined(name, form, kind, [without_name(name, bad)])


def holds_both(source: object) -> bool:
    """Is it a RAG file, which has judgments and a run?"""
    return isinstance(source, Source) and len(rag.holds(source)) == 2


def whole_numbers(source: object) -> bool:
    """Are all numbers of a file whole, as grades mostly are and scores seldom?"""
    if not isinstance(source, Source):
        return False
    try:
        score = format_of(source).run(source).frame["score"]
    except BadInput:
        return False
    return bool((score == score.round()).all())


def _whole(source: Source, form: Format, kind: str) -> Examined:
    """Formats that are read as a whole or not at all."""
    if kind == "judgments":
        return _of_judgments(form.judgments(source), form.name, source.name, [])
    run = form.run(source)
    wrong = _repeated(run.frame, run.place, "one ranking")
    return _of_run(run, form.name, wrong)


def _of_trec(source: Source, *, of_run: bool) -> _Rows:
    """Every line by itself, so that one bad line does not hide the next."""
    layout = trec_files.RUN if of_run else trec_files.JUDGMENTS
    lines = trec_files.lines(source, layout)
    bad = lines.select(trec_files.malformed(layout)).to_series()
    told_ = [
        (f"line {row['line']}", trec_files.problem(row, layout))
        for row in lines.filter(bad).to_dicts()
    ]
    rank = pl.col("rank").cast(pl.Float64, strict=False) if of_run else pl.lit(None).alias("rank")
    beside = ("subtopic",) if not of_run else ()
    fine = lines.filter(~bad).select("line", "query", "doc", "number", rank, "more", *beside)
    return _Rows(
        source.name,
        "trec",
        fine.drop("line"),
        _malformed(told_, layout.told),
        lambda row: f"line {fine['line'][row]}",
        trec_files.last_tag(source) if of_run else "",
        int(fine["more"].sum()),
    )


def _of_table(source: Source, form: str, *, of_run: bool) -> _Rows:
    read = named_columns.read(source, form)
    known = (*named_columns.SCORE, *named_columns.RANK) if of_run else named_columns.GRADE
    called = "score" if of_run else "grade"
    number = read.head.needed(known, called)
    found = named_columns.columns(read, number, called)
    bad = found.malformed()
    place = f"{source.name}:"
    told_ = [
        (read.where(row).replace(place, "line "), str(found.problem(row))) for row in bad[:_NAMED]
    ] + [("", "")] * max(0, len(bad) - _NAMED)
    sound = found.frame.with_row_index("row").filter(~pl.col("row").is_in(bad))
    rows = sound["row"].to_list()
    if of_run and read.head.column(named_columns.SCORE) is None:
        sound = sound.with_columns(-pl.col("number"))
    return _Rows(
        source.name,
        form,
        sound.drop("row", "given"),
        _malformed(told_, f"query, doc, {called}"),
        lambda row: read.where(rows[row]).replace(place, "line "),
    )


def _judged(rows: _Rows) -> Examined:
    if rows.frame.is_empty():
        wrong = rows.wrong or ["there is nothing in it"]
        return Examined(rows.name, rows.form, "judgments", wrong)
    ids = ["query", "doc"]
    frame = rows.frame
    if "subtopic" in frame.columns and subtopic_qrels.varies(frame["subtopic"]):
        ids.append("subtopic")
        twice = _told_twice(
            subtopic_qrels.repeated(frame), rows.where, "the judgments of a subtopic"
        )
    else:
        twice = _repeated(frame, rows.where, "the judgments of a query")
    frame = frame.unique(ids, keep="first", maintain_order=True)
    frame = frame.select(*ids, pl.col("number").alias("grade"))
    judged = (
        subtopic_qrels.judgments(frame, rows.name, rows.where)
        if "subtopic" in ids
        else Judgments(frame, rows.name)
    )
    return _of_judgments(judged, rows.form, rows.name, rows.wrong + twice)


def _ranked(rows: _Rows) -> Examined:
    if rows.frame.is_empty():
        return Examined(rows.name, rows.form, "run", rows.wrong or ["there is nothing in it"])
    repeated = _repeated(rows.frame, rows.where, "one ranking")
    wrong = rows.wrong + repeated + _contradictions(rows)
    frame = rows.frame.select("query", "doc", pl.col("number").alias("score"))
    if repeated:
        frame = frame.unique(["query", "doc"], keep="first", maintain_order=True)
    report = _of_run(Run(frame, rows.name, tag=rows.tag), rows.form, wrong)
    if rows.more:
        ignored = f"{counted(rows.more, 'line')} with text behind the sixth field, which is ignored"
        report.notes.append(ignored)
    return report


def _malformed(bad: list[tuple[str, str]], expected: str) -> list[str]:
    return malformed_lines(bad, "malformed line", expected)


def malformed_lines(bad: list[tuple[str, str]], called: str, expected: str) -> list[str]:
    """How many mistakes there are, and the first of them with their places."""
    if not bad:
        return []
    rows = [f"{place}: {problem}" for place, problem in bad[:_NAMED]]
    more = [f"… and {len(bad) - _NAMED} more"] if len(bad) > _NAMED else []
    head = f"{counted(len(bad), called)}" + (f" (expected: {expected})" if expected else "")
    return [head, *(f"  {row}" for row in (*rows, *more))]


def _repeated(frame: pl.DataFrame, place: Callable[[int], str], where: str) -> list[str]:
    return _told_twice(duplicates(frame), place, where)


def _told_twice(repeated: pl.DataFrame, place: Callable[[int], str], where: str) -> list[str]:
    if repeated.is_empty():
        return []
    pairs = repeated.n_unique(["query", "doc"])
    rest = [f"  … and {pairs - _NAMED} more"] if pairs > _NAMED else []
    head = f"{counted(pairs, 'document')} more than once in {where}"
    return [head, *(f"  {line}" for line in told(repeated, place)), *rest]


def _of_judgments(qrels: Judgments, form: str, name: str, wrong: list[str]) -> Examined:
    frame = qrels.frame
    per_query = frame.group_by("query").len()["len"]
    grades = frame["grade"].value_counts().sort("grade")
    listed = [f"{grade:g} ({count}×)" for grade, count in grades.head(_GRADES).iter_rows()]
    more = f" and {len(grades) - _GRADES} more" if len(grades) > _GRADES else ""
    nothing = len(per_query) - frame.filter(pl.col("grade") >= 1)["query"].n_unique()
    what = "judgment" if qrels.subtopics is None else "judged document"
    notes = [
        f"{counted(len(frame), what)} of {_each(per_query)}",
        f"grades: {', '.join(listed)}{more}",
    ]
    if nothing:
        notes.append(f"{counted(nothing, 'query')} with nothing relevant (no grade of 1 or more)")
    if qrels.subtopics is not None:
        notes.append(_subtopics(qrels, qrels.subtopics))
    negative = int((frame["grade"] < 0).sum())
    notes += [f"{counted(negative, 'grade')} below 0"] if negative else []
    return Examined(name, form, "judgments", wrong, notes, judgments=qrels)


def _subtopics(qrels: Judgments, told_: pl.DataFrame) -> str:
    """How many subtopics there are, and how many of a query."""
    query = qrels.frame["query"].gather(told_["row"])
    each = pl.DataFrame({"query": query, "subtopic": told_["subtopic"]}).unique()
    sizes = each.group_by("query").len()["len"]
    several = int((told_["row"].value_counts()["count"] > 1).sum())
    return (
        f"{counted(len(told_), 'judgment')} for {counted(len(each), 'subtopic')} of "
        f"{_each(sizes)}; "
        f"{counted(several, 'document')} judged for several of them"
    )


def _of_run(run: Run, form: str, wrong: list[str]) -> Examined:
    frame = run.frame
    notes = [f"{counted(len(frame), 'result')} of {_each(frame.group_by('query').len()['len'])}"]
    if run.tag:
        notes.append(f"it calls itself {shown(run.tag)}")
    hashed = pl.col("query").hash(1) ^ pl.col("score").hash(2)
    tied = int(frame.select(hashed.is_duplicated()).to_series().sum())
    if tied:
        share = 100 * tied / len(frame)
        notes.append(f"{tied} documents share their score with another ({share:.1f} %)")
    return Examined(run.name, form, "run", wrong, notes, run=run)


def _contradictions(rows: _Rows) -> list[str]:
    """Ranks that say something else than scores do, which is what counts."""
    ordered = rows.frame.with_row_index("row").drop_nulls("rank")
    same = pl.col("query") == pl.col("query").shift(1)
    heads = ordered.select(
        (~same | (pl.col("rank") < pl.col("rank").shift(1))).fill_null(value=True).sum()
    ).item()
    if heads > ordered["query"].n_unique():  # not yet by query and rank
        ordered = ordered.sort("query", "rank", maintain_order=True)
    later = pl.col("rank") != pl.col("rank").shift(1)
    bad = ordered.filter(same & later & (pl.col("number") > pl.col("number").shift(1)))
    if bad.is_empty():
        return []
    row = bad.sort("row").row(0, named=True)
    often = f"{counted(len(bad), 'time')}, in {counted(bad['query'].n_unique(), 'query')}"
    place = f"{rows.where(row['row'])}: rank {row['rank']:g} has a higher score than the one before"
    return [f"scores contradict ranks {often}, first in {place} (scores are what counts)"]


def _each(sizes: pl.Series) -> str:
    low, high = min(sizes.to_list()), max(sizes.to_list())
    size = str(low) if low == high else f"{low} to {high}"
    return f"{counted(len(sizes), 'query')}, {size} each"


def without_name(name: str, bad: BadInput) -> str:
    """The message without the name of the file, which stands above it."""
    return str(bad).removeprefix(f"{name}:").strip()
