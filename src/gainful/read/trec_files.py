"""TREC judgments (query iteration document grade) and runs (query Q0 document rank score name).

Tidy files, one space or tab between fields, are scanned at full speed. All others, and those in
which something is wrong, are read line by line with every line numbered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, Swapped, counted, shown
from gainful.read import subtopic_qrels
from gainful.read.qrels_and_run import Judgments, Run
from gainful.read.source import Source


@frozen
class Layout:
    """The fields of a line, which of them count, and how they are told."""

    fields: tuple[str, ...]
    number: str
    told: str
    more: bool  # may anything follow the last field?
    beside: tuple[str, ...] = ()  # columns that are read besides query, document and number

    @property
    def kept(self) -> list[str]:
        """The columns that are read."""
        return ["query", "doc", self.number, *self.beside]


JUDGMENTS = Layout(
    ("query", "subtopic", "doc", "grade"),
    "grade",
    "query iteration document grade",
    more=False,
    beside=("subtopic",),  # the iteration, which is one and the same unless there are subtopics
)
RUN = Layout(
    ("query", "q0", "doc", "rank", "score", "tag"),
    "score",
    "query Q0 document rank score name",
    more=True,
)


def judgments(source: Source, *, unique: bool = True) -> Judgments:
    """Judgments from lines of query, iteration (or subtopic), document, grade."""
    frame, where = judged_lines(source), numbered(source, JUDGMENTS)
    if unique:
        return subtopic_qrels.judgments(frame, source.name, where)
    return Judgments(frame.drop("subtopic"), source.name, where, unique=False)


def judged_lines(source: Source) -> pl.DataFrame:
    """The lines of judgments as they stand there: query, doc, grade, subtopic."""
    if len(source.first_line().split()) >= 6:
        raise Swapped(
            source.name,
            "this looks like a run, not like judgments: its lines have six fields "
            "(are the arguments swapped?)",
            JUDGMENTS.told,
        )
    frame = _scanned(source, JUDGMENTS)
    if frame is None:
        frame = _careful(source, JUDGMENTS)
    return frame.select(JUDGMENTS.kept)


def run(source: Source) -> Run:
    """A run from lines of query, Q0, document, rank, score, name."""
    if len(source.first_line().split()) == 4:
        raise Swapped(
            source.name,
            "these look like judgments, not like a run: their lines have four fields "
            "(are the arguments swapped?)",
            RUN.told,
        )
    frame = _scanned(source, RUN)
    if frame is None:
        frame = _careful(source, RUN)
    more = int(frame["more"].sum())
    notes = [f"{counted(more, 'line')} with text behind the sixth field, which is ignored"]
    return Run(
        frame.select(RUN.kept),
        source.name,
        numbered(source, RUN),
        tag=last_tag(source),
        notes=notes if more else [],
    )


def looks_like_a_run(source: Source) -> bool:
    """Have most of its first lines more than the four fields of judgments?"""
    sizes = [len(line.split()) for line in source.first_lines()]
    return sum(size > 4 for size in sizes) > sum(size == 4 for size in sizes)


def last_tag(source: Source) -> str:
    """The name that the last line of a run gives, which is what trec_eval prints."""
    if source.path is not None:
        with source.path.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, 2) - (1 << 16)))
            tail = stream.read()
    else:
        tail = source.content()[-(1 << 16) :]
    for line in reversed(tail.decode("utf-8", errors="replace").split("\n")):
        fields = line.split()
        if len(fields) >= len(RUN.fields) and not line.lstrip().startswith("#"):
            return fields[len(RUN.fields) - 1]
    return ""


def numbered(source: Source, layout: Layout) -> Callable[[int], str]:
    """Where the n-th row stands; found only once a message needs it."""

    @cache
    def numbers() -> list[int]:
        return lines(source, layout)["line"].to_list()

    def where(row: int) -> str:
        return f"{source.name}:{numbers()[row]}" if row < len(numbers()) else source.name

    return where


def _scanned(source: Source, layout: Layout) -> pl.DataFrame | None:
    """The rows of a tidy file; None where a line is anything but tidy."""
    separator = "\t" if "\t" in source.first_line() else " "
    other = b"\t" if separator == " " else b" "
    tidiness = source.tidiness(separator.encode(), other)
    if source.resembles_zlib or not tidiness.single:
        return None
    columns = (*layout.fields, "beyond")
    schema: dict[str, pl.DataType] = {name: pl.String() for name in columns}
    schema[layout.number] = pl.Float64()
    try:
        frame = (
            pl.scan_csv(
                source.text(),
                separator=separator,
                has_header=False,
                schema=schema,
                quote_char=None,
                comment_prefix="#" if tidiness.commented else None,
                glob=False,
                missing_columns="insert",
            )
            .select(
                *layout.kept,
                pl.col(layout.fields[-1]).is_null().alias("short"),
                pl.col("beyond").is_not_null().alias("more"),
            )
            .collect()
        )
    except (pl.exceptions.PolarsError, OSError):
        return None
    tidy = (
        not frame["short"].any()
        and not frame["more"].any()  # there may be a blank in an id
        and not any(frame[column].null_count() for column in layout.kept)
        and frame[layout.number].is_finite().all()
    )
    return frame if tidy else None


def lines(source: Source, layout: Layout) -> pl.DataFrame:
    """Every line that is neither empty nor a comment, with its number and its fields as text."""
    try:
        table = _text(source)
    except (pl.exceptions.PolarsError, UnicodeDecodeError):
        raise not_utf8(source) from None
    except OSError as failure:
        raise BadInput(source.name, f"cannot be read: {failure}") from None
    stripped = pl.col("text").str.strip_chars(" \t\r\v\f")
    parts = r"[ \t\r\v\f]+".join(rf"(?<{name}>[^ \t\r\v\f]+)" for name in layout.fields)
    end = r"(?<beyond>[ \t\r\v\f].*)?" if layout.more else "$"
    return (
        table.with_row_index("line", offset=1)
        .with_columns(stripped)
        .filter((pl.col("text") != "") & ~pl.col("text").str.starts_with("#"))
        .with_columns(pl.col("text").str.extract_groups(rf"^{parts}{end}").alias("fields"))
        .unnest("fields")
        .with_columns(
            pl.col(layout.number).alias("number").cast(pl.Float64, strict=False),
            (pl.col("beyond") != "").fill_null(value=False).alias("more")
            if layout.more
            else pl.lit(value=False).alias("more"),
        )
    )


def _text(source: Source) -> pl.DataFrame:
    if source.resembles_zlib:
        return pl.DataFrame({"text": source.content().decode("utf-8").split("\n")})
    return pl.read_lines(source.text(), name="text")


def problem(row: dict[str, object], layout: Layout) -> str:
    """What is wrong with one line, in words."""
    if row[layout.fields[0]] is None:
        found = len(str(row["text"]).split())
        return f"{shown(row['text'])} has {found} field{'s' * (found != 1)}"
    if "rank" in row and row["more"] and not _is_number(str(row["rank"])):
        return f"rank {shown(row['rank'])} is not a number"
    value = shown(row[layout.number])
    if row["number"] is None:
        return f"{layout.number} {value} is not a number"
    return f"{layout.number} {value} is not a finite number"


def malformed(layout: Layout) -> pl.Expr:
    """Which lines are not what they should be?"""
    number = pl.col("number")
    bad = pl.col(layout.fields[0]).is_null() | number.is_null() | ~number.is_finite()
    if "rank" in layout.fields:  # else a blank in an id would make a score of the rank
        bad |= pl.col("more") & pl.col("rank").cast(pl.Float64, strict=False).is_null()
    return bad.fill_null(value=True)


def _is_number(text: str) -> bool:
    return pl.Series([text]).cast(pl.Float64, strict=False).null_count() == 0


def _careful(source: Source, layout: Layout) -> pl.DataFrame:
    table = lines(source, layout)
    bad = table.filter(malformed(layout))
    if not bad.is_empty():
        row = bad.row(0, named=True)
        raise BadInput(f"{source.name}:{row['line']}", problem(row, layout), layout.told)
    return table.with_columns(pl.col("number").alias(layout.number))


def not_utf8(source: Source) -> BadInput:
    """The line with the byte that is not UTF-8."""
    for number, line in enumerate(source.content().split(b"\n"), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as failure:
            byte = line[failure.start]
            return BadInput(
                f"{source.name}:{number}", f"byte 0x{byte:02x} is not UTF-8 text", "UTF-8"
            )
    return BadInput(source.name, "cannot be read as text", "UTF-8")
