"""CSV and TSV: read at full speed; where something is wrong, line by line to say where."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Literal

import numpy as np
import polars as pl

from gainful.errors import BadInput, NoColumn
from gainful.read.column_names import USUAL_NAMES, ColumnMapping, are_column_names
from gainful.read.source import PACKED_HEADS, SEPARATORS, Source
from gainful.read.trec_files import utf8_error
from gainful.text import NUMBER_PATTERN, count_noun, quote

_LONE_RETURN = re.compile("\r(?!\n)")
_NUMBER = re.compile(NUMBER_PATTERN, re.ASCII)
MAX_FIELD = 2**31 - 1  # characters; a prompt or a page is longer than csv's own 131,072
_QUOTED = r'^"(?:[^"]|"")*"$'
_QUOTE_PIECE = 1 << 16  # bytes in which quotes are looked for together; a cache holds them
# By how many fields a line of TREC's has: which are numbers, and what names its columns.
_TREC_COLUMNS = {4: ((2, 4), "query=1,doc=3,grade=4"), 6: ((4, 5), "query=1,doc=3,score=5")}
_MAX_SHOWN = 1000  # bytes of what stands behind a quote that is not closed
_UNFINISHED = "unexpected end of data"  # csv's words where a quote is never closed


def read(
    source: Source, format_name: str, *, header: bool = True, literal_quotes: bool = False
) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """All columns as text, and where each row stands; comments may stand above the header.

    Columns without a header are called 1, 2, 3, …; with `literal_quotes` a quote between tabs may
    be a quote, as people type them into a search box.
    """
    text, skipped = _skip_comments(source.read_bytes())
    separator = "\t" if format_name == "tsv" else guess_separator(text)
    if literal_quotes and separator == "\t" and b'"' in text:
        frame = _read_literally(text)
        if frame is not None:
            lines = enumerate(text.split(b"\n"), skipped + 1)
            return frame, source.locate_rows(lambda: [at for at, line in lines if line.strip()][1:])
    names = _check_header(source, text, separator, skipped) if header else []
    frame = _read_fast(text, separator, header=header)
    if frame is None:
        frame = _read_row_by_row(source, text, separator, skipped, header=header)
    if not header:
        frame.columns = [str(number + 1) for number in range(frame.width)]
    elif any('"' in name for name in names) and len(names) == frame.width:
        frame.columns = names  # polars leaves "a""b" as it is written
    if separator == "\t":
        _refuse_joined_lines(source, frame, skipped + 1 + header)
    stripped = [name.strip() for name in frame.columns]
    if all(stripped) and len({*stripped}) == len(stripped):
        frame.columns = stripped
    return _drop_empty_rows(frame), source.locate_rows(
        lambda: [number for number, _ in _iterate_rows(text, separator, skipped)][header:]
    )


def _read_fast(text: bytes, separator: str, *, header: bool) -> pl.DataFrame | None:
    """By polars, whose rows are right where quotes are; None where it may join rows."""
    quotes = _judge_quotes(text, separator)
    if quotes in ("open", "mixed"):
        return None
    quote_char = '"' if quotes == "paired" else None
    return _parse(text, separator=separator, quote_char=quote_char, has_header=header)


def _parse(text: bytes, **options: Any) -> pl.DataFrame | None:
    if text.startswith(PACKED_HEADS):
        return None
    try:
        return pl.read_csv(text, infer_schema=False, **options)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None


def _judge_quotes(
    text: bytes, separator: str
) -> Literal["none", "paired", "literal", "open", "mixed"]:
    """What quotes do: stand around whole fields, stand within fields, or both.

    Where they are open, all are around fields but for the last, which begins one.
    """
    if b'"' not in text:
        return "none"
    mark = separator.encode()
    count, paired = 0, b"\r" not in text or text.count(b'"\r') == text.count(b'"\r\n')
    letters = np.frombuffer(text, np.uint8)
    for begin in range(0, len(text), _QUOTE_PIECE):
        if not paired:
            break
        places = np.flatnonzero(letters[begin : begin + _QUOTE_PIECE] == ord('"')) + begin
        opening, closing = places[count % 2 :: 2], places[1 - count % 2 :: 2]
        count += len(places)
        # a doubled quote closes and opens; at both ends a quote is its own neighbour
        before = letters.take(opening - 1, mode="clip").tobytes()
        after = letters.take(closing + 1, mode="clip").tobytes()
        paired = not before.strip(mark + b'\n"') and not after.strip(mark + b'\r\n"')
    if paired:
        return "open" if count % 2 else "paired"
    begun = text.startswith(b'"') or mark + b'"' in text or b'\n"' in text
    return "mixed" if begun else "literal"


def ends_within_quotes(text: bytes, separator: str) -> bool:
    """Does the last line end within a field whose quote is not closed yet?"""
    quotes = _judge_quotes(text, separator)
    if quotes != "mixed":
        return quotes == "open"
    try:
        for _ in _iterate_rows(text, separator, 0):
            pass
    except UnicodeDecodeError:
        return False
    except csv.Error as failure:
        return str(failure) == _UNFINISHED
    return False


def _drop_empty_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that have anything in them; only so many columns are looked at as it takes."""
    empty = pl.repeat(value=True, n=frame.height, eager=True)
    for column in frame.iter_columns():
        texts = column.alias("")  # polars takes the name ^…$ of a series for a pattern
        empty &= texts.is_null() | (texts == "")
        if not empty.any():
            return frame
    return frame.filter(~empty)


def lacks_header(source: Source, format_name: str, columns: ColumnMapping = USUAL_NAMES) -> bool:
    r"""Is the very first line data: three fields, the last of them a number?

    Known names of queries and documents are a header, even before a number; columns that a user
    names by their numbers have none.

    Examples:
        >>> lacks_header(Source("q.csv", ".csv", b"1,a,2\n"), "csv")
        True
        >>> lacks_header(Source("q.csv", ".csv", b"query,doc,2024\n"), "csv")
        False
    """
    line = source.first_line()
    separator = "\t" if format_name == "tsv" else guess_separator(line.encode())
    fields = [field.strip(' "') for field in line.split(separator)]
    looks_bare = len(fields) == 3 and _NUMBER.fullmatch(fields[2]) is not None
    return (columns.has_positions or looks_bare) and not are_column_names(fields)


def read_head(source: Source, format_name: str, columns: ColumnMapping) -> bytes | None:
    """The lines down to the names of columns; None if these are missing, or on several lines."""
    if lacks_header(source, format_name, columns):
        return None
    text, _ = _skip_comments(source.head)
    header, end, _ = text.partition(b"\n")
    above = source.head.removesuffix(text)
    return above + header + end if end and header.count(b'"') % 2 == 0 else None


def _read_literally(text: bytes) -> pl.DataFrame | None:
    """Fields between tabs as they are, if their quotes are not those of CSV; else None."""
    frame = _parse(text, separator="\t", quote_char=None)
    if frame is None:
        return None
    opened = pl.all().str.starts_with('"') & ~pl.all().str.contains(_QUOTED)
    stray = frame.select(pl.any_horizontal(opened.any())).item()
    return _drop_empty_rows(frame) if stray else None


def _check_header(source: Source, text: bytes, separator: str, skipped: int) -> list[str]:
    """The names of columns; quotes that do not pair would swallow rows, and one name a column."""
    place = f"{source.name}:{skipped + 1}"
    first_line = text.split(b"\n", 1)[0].removesuffix(b"\r")
    if first_line.count(b'"') % 2:
        name = text[first_line.rindex(b'"') + 1 :][:_MAX_SHOWN].split(b'"')[0]
        shown = quote(name.decode(errors="replace"))
        problem = f"a quote opens in the header and is not closed on its line: {shown}"
        expected = 'all names of columns on one line; a quote in one doubled, as in "5"" screen"'
        raise BadInput(place, problem, expected)
    try:
        _, header = next(_iterate_rows(first_line, separator, skipped), (0, []))
    except UnicodeDecodeError:
        raise utf8_error(source) from None
    except csv.Error as failure:
        raise BadInput(place, f"the quotes are wrong here: {failure}") from None
    if not header:
        raise BadInput(place, "the header is empty", "a line with the names of columns")
    numbers = [at for at, name in enumerate(header, 1) if _NUMBER.fullmatch(name.strip())]
    trec = _TREC_COLUMNS.get(len(header))
    if trec is not None and {*trec[0]} <= {*numbers} and not are_column_names(header):
        problem = "there is no header: its lines have the fields of TREC's"
        expected = f"--columns {trec[1]}, if these are the columns (columns=)"
        raise NoColumn(source.name, problem, expected)
    repeated = [name for name, count in Counter(header).items() if name and count > 1]
    if repeated:
        problem = f"column {quote(repeated[0])} occurs twice in the header"
        raise BadInput(place, problem, "a first line that names each column once")
    return header


def _refuse_joined_lines(source: Source, frame: pl.DataFrame, first_line: int) -> None:
    """A tab-separated field that begins with a quote must not join lines up to the next quote."""
    for name in frame.columns:
        joined = frame[name].alias("").str.contains("\n", literal=True).fill_null(value=False)
        if joined.any():
            row = int(joined.arg_max() or 0)
            problem = f"a quote opens in column {quote(name)} and is not closed on its line"
            expected = "no quotes around fields, or both on one line"
            raise BadInput(f"{source.name}:{first_line + row}", problem, expected)


def _skip_comments(text: bytes) -> tuple[bytes, int]:
    skipped = 0
    while text and (text[:1] in b"#\r\n" or not text.split(b"\n", 1)[0].strip()):
        _, _, text = text.partition(b"\n")
        skipped += 1
    return text, skipped


def guess_separator(text: bytes) -> str:
    """The sign that is most often in the first line."""
    first = text.split(b"\n", 1)[0]
    return max(SEPARATORS, key=lambda separator: first.count(separator.encode()))


def _decode(text: bytes) -> str:
    return _LONE_RETURN.sub(" ", text.decode("utf-8"))  # no line ends there, as polars has it


def _split_lines(text: str) -> Iterator[str]:
    return (f"{line}\n" for line in text.split("\n"))


def _iterate_rows(text: bytes, separator: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not empty, with the number of the line on which it ends."""
    csv.field_size_limit(MAX_FIELD)
    reader = csv.reader(_split_lines(_decode(text)), delimiter=separator, strict=True)
    for row in reader:
        if any(row):
            yield reader.line_num + skipped, row


def _describe_wrong_quotes(
    source: Source, text: bytes, separator: str, skipped: int, failure: csv.Error
) -> BadInput:
    """Where the first quote opens that ends no field, and what is wrong with it."""
    decoded = _decode(text)
    reader = csv.reader(_split_lines(decoded), delimiter=separator, strict=True)
    sound = 0  # lines whose rows are whole
    with suppress(csv.Error):
        for _ in reader:
            sound = reader.line_num
    row = "\n".join(decoded.split("\n")[sound:]) + "\n"
    own = re.escape(separator)
    field = re.compile(rf'(?:"[^"]*(?:""[^"]*)*"|(?!")[^{own}\n]*)({own}|\r?\n)')
    number, begin = 1, 0
    while match := field.match(row, begin):
        number, begin = number + 1 if match[1] == separator else 1, match.end()
    line = skipped + sound + 1 + row.count("\n", 0, begin)
    place = f"{source.name}:{line}"
    if row[begin : begin + 1] != '"':
        return BadInput(place, f"the quotes are wrong here: {failure}")
    if str(failure) == _UNFINISHED:
        problem = f"a quote opens field {number} and is never closed"
        return BadInput(place, problem, "two quotes around a field, or none")
    last = skipped + reader.line_num
    where = f" on line {last}" if last > line else ""
    problem = f"the quotes of field {number} are wrong: more follows the closing one{where}"
    return BadInput(place, problem, 'a quote within quotes doubled, as in "5"" screen"')


def _read_row_by_row(
    source: Source, text: bytes, separator: str, skipped: int, *, header: bool
) -> pl.DataFrame:
    """A table that polars cannot read: a quote within a field is a quote; or what is wrong."""
    rows: list[list[str]] = []
    try:
        for line, row in _iterate_rows(text, separator, skipped):
            if rows and len(row) > len(rows[0]):
                problem = f"{count_noun(len(row), 'field')} where the header has {len(rows[0])}"
                raise BadInput(f"{source.name}:{line}", problem)
            rows.append(row)
    except UnicodeDecodeError:
        raise utf8_error(source) from None
    except csv.Error as failure:
        raise _describe_wrong_quotes(source, text, separator, skipped, failure) from None
    own = rows.pop(0) if header else rows[0]
    names = [name if name not in own[:at] else f"_duplicated_{at}" for at, name in enumerate(own)]
    padded = [[cell or None for cell in row] + [None] * (len(own) - len(row)) for row in rows]
    return pl.DataFrame(padded, schema=dict.fromkeys(names, pl.String), orient="row")
