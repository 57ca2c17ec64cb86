"""TREC judgments (query iteration document grade) and runs (query Q0 document rank score name).

Files are scanned in pieces, at full speed where one space or tab stands between fields, else once
their blanks are in order. Where something is wrong, every line is read by itself and numbered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput
from gainful.read.column_names import USUAL_NAMES, ColumnMapping
from gainful.read.qrels_and_run import (
    QRELS,
    RUN,
    Kind,
    Rows,
    Value,
    are_ranks,
    has_several_subtopics,
)
from gainful.read.source import BYTE_ORDER_MARK, PACKED_HEADS, Source
from gainful.text import count_noun, quote
from gainful.threads import map_ahead

_SAMPLE_LINES = 50  # by which the fields of a line are told
BLANKS = r" \t\r\v\f"  # between fields, in a pattern
_find_fields = re.compile(f"[^{BLANKS}]+").findall
_PIECE_BYTES = 1 << 23  # of lines that are scanned together


@frozen
class LineFormat:
    """The fields of a line, which of them count, and their names."""

    fields: tuple[str, ...]
    number: str
    description: str
    open_ended: bool = False  # may anything follow the last field?

    @property
    def columns(self) -> list[str]:
        """The columns that are read, in the order in which they are given."""
        counted = ["query", "doc", self.number]
        return [*counted, *(name for name in self.fields if name not in (*counted, *_PASSED_OVER))]


_PASSED_OVER = ("q0", "rank", "tag")  # fields
QRELS_LINES = LineFormat(  # iterations are one and the same unless they are subtopics
    ("query", "subtopic", "doc", "grade"), "grade", "query iteration document grade"
)
SHORT_QRELS = LineFormat(("query", "doc", "grade"), "grade", "query document grade")
PASSAGE_QRELS = LineFormat(
    ("query", "subtopic", "doc", "passage", "grade"),
    "grade",
    "topic subtopic document passage rating",
)
_PLACES = {"query": "1", "doc": "2", "score": "3", "rank": "3"}  # of the fields of a short run
_SCORED_LINES = (
    "of query, document, rank, score between tabs or commas: --columns "
    "run.query=1,run.doc=2,run.rank=3"
)
SHORT_RUN = LineFormat(("query", "doc", "score"), "score", "query document score")
RUN_LINES = LineFormat(
    ("query", "q0", "doc", "rank", "score", "tag"),
    "score",
    "query Q0 document rank score name",
    open_ended=True,
)


def read_rows(
    source: Source, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES, *, every: bool = False
) -> Rows[Value]:
    """The lines of judgments or a run; with `every` ranks too, and no line is the first refused.

    A user may say by `columns` what the third of three fields of a run is.
    """
    is_run = kind is RUN
    line_format = find_run_format(source) if is_run else find_qrels_format(source)
    if not every:
        refuse_swapped(source, kind)
    scanned = scan_lines(source, line_format, ranks=every)
    if scanned is None:
        rows, commented = _split_rows(source, kind, line_format), True
    else:
        locate = source.locate_rows(lambda: [*split_lines(source, line_format)["line"]])
        rows, commented = Rows(kind, source.name, scanned[0], locate), scanned[1]
    notes = note_comments(source) if commented else []
    if line_format is SHORT_QRELS:
        notes.append(f"{source.name}: three fields per line, read as {line_format.description}")
    if line_format is SHORT_RUN:
        named = [role for role, place in _PLACES.items() if place in columns.names.get(role, ())]
        columns.fit.found.update(named)
        columns.fit.asked.setdefault("run", set()).update(named)
        third = [role for role in named if role not in ("query", "doc")]
        numbers = rows.frame.rename({"score": "number"})
        role = third[0] if third else decide_role(numbers, rows.name)
        notes.append(f"{source.name}: three fields per line, read as query document {role}")
        sign = -1 if role == "rank" else 1
        rows = evolve(rows, frame=rows.frame.with_columns(pl.col("score") * sign))
    warnings = describe_trailing(int(rows.frame["more"].sum()))
    if line_format is QRELS_LINES and _have_ranks(rows.frame):
        words = "the third field counts 1, 2, 3, … in every query, as do ranks"
        warnings.append(f"{words}; if this is a run {_SCORED_LINES}")
    return evolve(
        rows,
        warnings=warnings,
        notes=notes,
        fields={"tag": last_tag(source)} if line_format is RUN_LINES else {},
    )


def _have_ranks(frame: pl.DataFrame) -> bool:
    """Does the third of four fields count as ranks do, and may the second be the document?"""
    if frame["doc"].head(1).to_list() != ["1"] or not has_several_subtopics(frame["subtopic"]):
        return False
    rank = pl.col("doc").cast(pl.Int64, strict=False).fill_null(0)
    return frame["query"].n_unique() < len(frame) and are_ranks(frame.select("query", rank), "doc")


def describe_trailing(count: int) -> list[str]:
    """What should be known of so many lines that go on behind their last field."""
    lines = count_noun(count, "line")
    return [f"{lines} with text after the sixth field, which is ignored"] if count else []


def decide_role(frame: pl.DataFrame, name: str) -> Literal["score", "rank"]:
    """What the third of three fields of a run is, by query and number, if that can be said."""
    if are_ranks(frame, "number"):
        return "rank"
    if (frame["number"] != frame["number"].round()).any():
        return "score"
    raise BadInput(
        name,
        "the third of three fields per line can be a score or a rank: its whole numbers do not "
        "count 1, 2, 3, … in every query (if they are grades, the arguments are swapped)",
        '--columns run.score=3 or --columns run.rank=3 (columns={"run.score": "3"})',
    )


def _split_rows(source: Source, kind: Kind[Value], line_format: LineFormat) -> Rows[Value]:
    """Every line by itself, so that one bad line does not hide the next."""
    lines = split_lines(source, line_format)
    number = pl.col("number")
    is_bad = pl.col(line_format.fields[0]).is_null() | number.is_null() | ~number.is_finite()
    rank = ["rank"] if "rank" in line_format.fields else []
    if rank:  # else a blank in an id would make a score of the rank
        is_bad |= pl.col("more") & pl.col("rank").cast(pl.Float64, strict=False).is_null()
    bad = lines.select(is_bad.fill_null(value=True).alias("")).to_series()
    sound = lines.filter(~bad).with_columns(number.alias(line_format.number))
    numbers = sound["line"]

    def describe(row: int) -> BadInput:
        line = lines.row(row, named=True)
        place, words = f"{source.name}:{line['line']}", describe_problem(line, line_format)
        return BadInput(place, words, line_format.description)

    return Rows(
        kind,
        source.name,
        sound.select(*line_format.columns, *rank, "more"),
        source.locate_rows(numbers.to_list),
        bad.arg_true().to_list(),
        describe,
    )


def read_qrels_lines(source: Source) -> pl.DataFrame:
    """The lines of judgments as they stand there: query, doc, grade, subtopic."""
    rows = read_rows(source, QRELS)
    if rows.mistakes:
        rows.build()
    subtopic = [] if "subtopic" in rows.frame.columns else [pl.lit("0").alias("subtopic")]
    return rows.frame.select(pl.all(), *subtopic).select(QRELS_LINES.columns)


def find_run_format(source: Source) -> LineFormat:
    """A run as TREC has it; or of query, document and score or rank, as for MS MARCO."""
    return SHORT_RUN if _is_short(source) else RUN_LINES


def _is_short(source: Source) -> bool:
    lines = [_find_fields(line) for line in source.first_lines[:_SAMPLE_LINES]]
    is_short = max(map(len, lines)) == len(lines[0]) == 3  # one line may lack a field
    return is_short and is_number(lines[0][2])


def find_qrels_format(source: Source) -> LineFormat:
    """Judgments with an iteration as TREC has it; of query, document and grade; or of passages.

    Those of passages (TREC Dynamic Domain) name subtopics after their topic: DD16-1, DD16-1.2.
    """
    if _is_short(source):
        return SHORT_QRELS
    first = _find_fields(source.first_line())
    of_passages = (
        len(first) == len(PASSAGE_QRELS.fields)
        and first[1].startswith(first[0])
        and first[1] != first[0]
        and is_number(first[4])
    )
    return PASSAGE_QRELS if of_passages else QRELS_LINES


def note_comments(source: Source) -> list[str]:
    """How many lines that begin with # are passed over, which should be known."""
    count = source.count_comments()
    comments = f"{count_noun(count, 'comment')} skipped (lines that start with #)"
    return [f"{source.name}: {comments}"] if count else []


def refuse_swapped(source: Source, kind: Kind[Any]) -> None:
    """A run where judgments belong, or judgments for a run, is a mistake that can be named."""
    field_count = len(_find_fields(source.first_line()))
    if kind is QRELS and field_count >= len(RUN_LINES.fields):
        raise kind.describe_swap(source.name, "its lines have six fields", QRELS_LINES.description)
    if kind is RUN and field_count == len(QRELS_LINES.fields):
        expected = f"{RUN_LINES.description}; {_SCORED_LINES}"
        raise kind.describe_swap(source.name, "their lines have four fields", expected)


def looks_like_a_run(source: Source) -> bool:
    """Have most of its first lines more than the four fields of judgments?"""
    if find_qrels_format(source) is PASSAGE_QRELS:
        return False
    sizes = [len(_find_fields(line)) for line in source.first_lines]
    return sum(size > 4 for size in sizes) > sum(size == 4 for size in sizes)


def last_tag(source: Source, *, comments: bool = True) -> str:
    """The name that the last line of a run gives, which is what trec_eval prints."""
    for line in reversed(source.read_tail().split(b"\n")):
        fields = line.split()  # at ASCII blanks, as ids are told apart
        is_comment = comments and line.lstrip().startswith(b"#")
        if len(fields) >= len(RUN_LINES.fields) and not is_comment:
            return fields[len(RUN_LINES.fields) - 1].decode("utf-8", errors="replace")
    return ""


def scan_lines(
    source: Source, line_format: LineFormat, **options: Any
) -> tuple[pl.DataFrame, bool] | None:
    """All rows of a file and whether it may have comments; None where a line may be malformed."""
    frames, commented = [], False
    for frame, has_comments in scan_pieces(source, line_format, **options):
        if frame is None:
            return None
        frames.append(frame)
        commented |= has_comments
    return pl.concat(frames, rechunk=False), commented


def scan_pieces(
    source: Source,
    line_format: LineFormat,
    *,
    comments: bool = True,
    ranks: bool = False,
    number_type: pl.DataType | None = None,
) -> Iterator[tuple[pl.DataFrame | None, bool]]:
    """Some rows of a file at a time, None where one may be malformed; and may some be comments?

    Args:
        source: the file.
        line_format: its fields.
        comments: are lines that begin with # passed over?
        ranks: are the ranks of a run wanted too, null where one is no number?
        number_type: what the number of a line is, by default one of 64 bit.
    """
    separator = "\t" if "\t" in source.first_line() else " "
    columns = [pl.col(name) for name in line_format.columns]
    if ranks and "rank" in line_format.fields:
        columns.append(pl.col("rank").cast(pl.Float64, strict=False))
    schema: dict[str, pl.DataType] = {name: pl.String() for name in line_format.fields}
    schema |= {line_format.number: number_type or pl.Float64(), "beyond": pl.String()}

    def parse(lines: bytes) -> pl.DataFrame | None:
        if lines.startswith((*PACKED_HEADS, BYTE_ORDER_MARK)):  # polars unpacks, or drops it
            return None
        try:
            frame = (
                pl.scan_csv(
                    lines,
                    separator=separator,
                    has_header=False,
                    schema=schema,
                    quote_char=None,
                    comment_prefix="#" if comments and b"#" in lines else None,
                    missing_columns="insert",
                )
                .select(
                    *columns,
                    pl.col(line_format.fields[-1]).is_null().alias("short"),
                    pl.col("beyond").is_not_null().alias("more"),
                )
                .collect()
            )
        except pl.exceptions.PolarsError:
            return None
        sound = (
            not frame["short"].any()
            and not frame["more"].any()  # there may be a blank in an id
            and not any(frame[column].null_count() for column in line_format.columns)
            and frame[line_format.number].is_finite().all()
        )
        return frame.drop("short") if sound else None

    def scan(piece: bytes) -> tuple[pl.DataFrame | None, bool]:
        frame = parse(piece) if _is_tidy(piece, separator) else None
        return parse(_tidy(piece, separator)) if frame is None else frame, b"#" in piece

    return map_ahead(scan, source.iterate_pieces(_PIECE_BYTES))


def _is_tidy(lines: bytes, separator: str) -> bool:
    gaps = np.frombuffer(lines, np.uint8) == ord(separator)
    return (
        not (gaps[1:] & gaps[:-1]).any()
        and not any(blank in lines for blank in {*b" \t\v\f"} - {ord(separator)})
        and (b"\r" not in lines or lines.count(b"\r") == lines.count(b"\r\n"))
    )


def _tidy(lines: bytes, separator: str) -> bytes:
    """Lines with one separator between fields, none around them, and without empty ones."""
    blank, newline = ord(separator), ord("\n")
    text = np.frombuffer(
        lines.translate(bytes.maketrans(b" \t\r\v\f", separator.encode() * 5)), np.uint8
    )
    gap = text == blank
    gap[:-1] &= gap[1:] | (text[1:] == newline)  # those before another, or at the end of a line
    text = text[~gap]
    begins = np.concatenate([[True], text[:-1] == newline])
    surplus = begins & ((text == blank) | (text == newline))
    return bytes((text[~surplus] if surplus.any() else text).data)


def split_lines(source: Source, line_format: LineFormat) -> pl.DataFrame:
    """Every line that is neither empty nor a comment, with its number and its fields as text."""
    more = pl.col("beyond") != "" if line_format.open_ended else pl.lit(value=False)
    return extract_fields(number_lines(source), line_format).with_columns(
        pl.col(line_format.number).alias("number").cast(pl.Float64, strict=False),
        more.fill_null(value=False).alias("more"),
    )


def extract_fields(lines: pl.DataFrame, line_format: LineFormat) -> pl.DataFrame:
    """Lines of text with their fields, between ASCII blanks; null where a line has other fields."""
    end = rf"(?<beyond>[{BLANKS}].*)?" if line_format.open_ended else "$"
    fields = rf"[{BLANKS}]+".join(rf"(?<{name}>[^{BLANKS}]+)" for name in line_format.fields)
    groups = pl.col("text").str.extract_groups(f"^{fields}{end}").alias("fields")
    return lines.with_columns(_STRIPPED).with_columns(groups).unnest("fields")


_STRIPPED = pl.col("text").str.strip_chars(" \t\r\v\f")


def number_lines(source: Source, *, comments: bool = True) -> pl.DataFrame:
    """Every line that is neither empty nor, where there may be some, a comment: line and text."""
    try:
        if source.head.startswith(PACKED_HEADS):
            lines = pl.DataFrame({"text": source.read_bytes().decode("utf-8").split("\n")})
        else:
            lines = pl.read_lines(source.path_or_stream(), name="text")
    except (pl.exceptions.PolarsError, UnicodeDecodeError):
        raise utf8_error(source) from None
    except OSError as failure:
        raise BadInput(source.name, f"cannot be read: {failure}") from None
    is_comment = _STRIPPED.str.starts_with("#") if comments else pl.lit(value=False)
    return lines.with_row_index("line", offset=1).filter((_STRIPPED != "") & ~is_comment)


def describe_problem(row: dict[str, object], line_format: LineFormat) -> str:
    """What is wrong with one line, in words."""
    if row[line_format.fields[0]] is None:
        text = str(row["text"])
        words = f"{quote(text)} has {count_noun(len(_find_fields(text)), 'field')}"
        mark = next((mark for mark in ("::", "|") if mark in text), None)
        if len(_find_fields(text)) > 1 or mark is None:
            return words
        return f"{words} (blanks or tabs separate fields, not {quote(mark)})"
    if "rank" in row and row["more"] and not is_number(str(row["rank"])):
        return f"rank {quote(row['rank'])} is not a number"
    value = quote(row[line_format.number])
    if row["number"] is None:
        return f"{line_format.number} {value} is not a number"
    return f"{line_format.number} {value} is not a finite number"


def is_number(text: str) -> bool:
    """Is a text the number that a field of a line has to be?"""
    return pl.Series([text]).cast(pl.Float64, strict=False).null_count() == 0


def utf8_error(source: Source) -> BadInput:
    """The line with the byte that is not UTF-8."""
    for number, line in enumerate(source.read_bytes().split(b"\n"), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as failure:
            byte = line[failure.start]
            place, problem = f"{source.name}:{number}", f"byte 0x{byte:02x} is not UTF-8 text"
            return BadInput(place, problem, "UTF-8, as iconv -f latin1 -t utf-8 makes of Latin-1")
    return BadInput(source.name, "cannot be read as text", "UTF-8")
